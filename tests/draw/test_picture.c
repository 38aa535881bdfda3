/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture shows: grains where they belong and in their colour, the same bytes for any number
   of threads and any scale, and no trouble with frames that are empty or broken. */
/* ctest-labels: threads */
#include "draw/draw_scenes.h"

#include "../../src/draw/draw.h"

static mrn_picture draw(const mrn_look *look, const mrn_header *header, const mrn_frame *frame)
{
    mrn_picture p;
    mrn_message msg = {0};
    if (mrn_draw(look, header, frame, &p, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    return p;
}

static bool is_white(const uint8_t *c)
{
    return c[0] == 255 && c[1] == 255 && c[2] == 255;
}

/* Shading scales a colour and adds a little white: its order and rough proportions stay. */
static void assert_hue(const uint8_t *c, mrn_rgb want)
{
    mrn_rgb have = mrn_rgb_linear((mrn_rgb){c[0] / 255.f, c[1] / 255.f, c[2] / 255.f});
    mrn_rgb full = mrn_rgb_linear(want);
    float a = fmaxf(have.r, fmaxf(have.g, have.b)), b = fmaxf(full.r, fmaxf(full.g, full.b));
    assert_true(a > 0.3f * b); /* lit, not black */
    /* stripes and highlights mix in up to 10 % of white */
    assert_float_equal(have.r / a, full.r / b, 0.12);
    assert_float_equal(have.g / a, full.g / b, 0.12);
    assert_float_equal(have.b / a, full.b / b, 0.12);
}

static void sphere_is_where_it_should_be(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(2, 0);
    f.x[0] = 3, f.x[1] = -2, f.x[2] = 1.5;
    f.x[3] = -3, f.x[5] = -1;
    f.group[1] = 1;
    mrn_look look = bare_look(3, 300, 200);
    look.colour_by = "group";
    mrn_view view;
    assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
    mrn_picture p = draw(&look, &header, &f);
    for (int i = 0; i < 2; i++) {
        double x, y;
        mrn_view_pixel(&view, mrn_view_camera(&view, mrn_load3(f.x + 3 * i)), &x, &y);
        assert_hue(picture_at(&p, (int)x, (int)y), mrn_palette_class(i));
    }
    assert_true(is_white(picture_at(&p, 2, 2)));
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

/* The silhouette has the size that perspective gives it. */
static void sphere_has_its_size(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(1, 0);
    mrn_look look = bare_look(3, 200, 200);
    look.has_target = true;
    look.extent = 2;
    mrn_view view;
    assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
    mrn_picture p = draw(&look, &header, &f);
    double cx = view.left + 0.5 * view.plot_width, cy = view.top + 0.5 * view.plot_height;
    double d = view.distance; /* tangent from the camera: tan of asin(1/d) */
    double r = 0.5 * view.plot_height / view.extent * d / sqrt(d * d - 1);
    assert_false(is_white(picture_at(&p, (int)(cx + r - 2), (int)cy)));
    assert_true(is_white(picture_at(&p, (int)(cx + r + 2), (int)cy)));
    assert_false(is_white(picture_at(&p, (int)cx, (int)(cy - r + 2))));
    assert_true(is_white(picture_at(&p, (int)cx, (int)(cy - r - 2))));
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

static void disk_has_its_exact_colour(void **state)
{
    (void)state;
    mrn_header header = scene_cast(2, 0);
    mrn_frame f = scene_frame(1, 0);
    f.v[1] = 3;
    mrn_look look = bare_look(2, 200, 160);
    look.lo = 0;
    look.hi = 3;
    mrn_picture p = draw(&look, &header, &f);
    const uint8_t *c = picture_at(&p, 80, 100); /* left and below: the spoke points to the right */
    assert_int_equal(c[0], 0xfd);
    assert_int_equal(c[1], 0xe7);
    assert_int_equal(c[2], 0x25);
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

static void periodic_images_are_drawn(void **state)
{
    (void)state;
    mrn_header header = scene_cast(2, 0);
    mrn_frame f = scene_frame(1, 0);
    f.periodic[0] = true;
    f.cell_origin[0] = -4;
    f.cell_size[0] = 8;
    f.x[0] = -3.5; /* reaches over the left border: its image shows at the right one */
    mrn_look look = bare_look(2, 240, 120);
    mrn_view view;
    assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
    mrn_picture p = draw(&look, &header, &f);
    double x, y;
    mrn_view_pixel(&view, mrn_view_camera(&view, mrn_v3(3.8, 0.2, 0)), &x, &y);
    assert_false(is_white(picture_at(&p, (int)x, (int)y)));
    mrn_view_pixel(&view, mrn_view_camera(&view, mrn_v3(2.0, 0.2, 0)), &x, &y);
    assert_true(is_white(picture_at(&p, (int)x, (int)y)));
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

/* Is any pixel near the projection of x drawn on? */
static bool marked(const mrn_picture *p, const mrn_view *view, mrn_vec3 x)
{
    double px, py;
    mrn_view_pixel(view, mrn_view_camera(view, x), &px, &py);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (!is_white(picture_at(p, (int)px + dx, (int)py + dy)))
                return true;
    return false;
}

/* A sheared cell: images over the top face are displaced by the tilt, and the border leans in 2D
   and 3D. Of a dashed line some of many points are marked; of where it would be without tilt, none.
 */
static void sheared_cells_lean(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_header header = scene_cast(dimension, 0);
        mrn_frame f = scene_frame(1, 0);
        for (int k = 0; k < dimension; k++)
            f.periodic[k] = true, f.cell_origin[k] = -4, f.cell_size[k] = 8;
        f.cell_tilt[0] = 3;
        f.x[0] = 2, f.x[1] = 3.6; /* over the top: its image is 3 to the left at the bottom */
        mrn_look look = bare_look(dimension, 480, 480);
        look.cell = true;
        mrn_view view;
        assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
        mrn_picture p = draw(&look, &header, &f);
        int border = 0, upright = 0;
        for (int k = 20; k < 80; k++) {
            double s = k / 100.0;
            border += marked(&p, &view, mrn_v3(4 + 3 * s, -4 + 8 * s, dimension == 2 ? 0 : -4));
            upright += marked(&p, &view, mrn_v3(4, -4 + 8 * s, dimension == 2 ? 0 : -4)) && s > 0.3;
        }
        assert_true(border > 20);
        if (dimension == 2) {
            assert_int_equal(upright, 0);
            assert_true(marked(&p, &view, mrn_v3(-1, -3.9, 0)));
            assert_false(marked(&p, &view, mrn_v3(2, -3.6, 0)));
        }
        mrn_picture_destroy(&p);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
}

static void same_bytes_for_any_threads(void **state)
{
    (void)state;
    int before = mrn_threads();
    for (int chains = 0; chains < 2; chains++) {
        mrn_header header = scene_cast(3, 1);
        mrn_frame f = scene_lattice(3, 6, 1);
        scene_box(&header, 0, 3.2, 3.2, 4);
        scene_contacts(&f);
        mrn_look look = mrn_look_default(3);
        look.width = 260, look.height = 170;
        look.force_chains = chains;
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            mrn_threads_set(k + 1);
            mrn_picture p = draw(&look, &header, &f);
            hash[k] = mrn_hash(MRN_HASH_START, p.rgb, 3 * (size_t)p.width * (size_t)p.height);
            mrn_picture_destroy(&p);
        }
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
    mrn_threads_set(before);
}

static mrn_picture scaled_scene(int dimension, double scale)
{
    mrn_header header = scene_cast(dimension, 1);
    mrn_frame f = scene_lattice(dimension, 4, scale);
    scene_box(&header, 0, 2.5 * scale, 2.5 * scale, 2.5 * scale);
    mrn_look look = bare_look(dimension, 200, 150);
    mrn_picture p = draw(&look, &header, &f);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
    return p;
}

/* Grains of a micron and of a hundred metres look the same: a power of two scales without rounding,
   so that not one byte may differ. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_picture unit = scaled_scene(dimension, 1);
        const double scale[2] = {0x1p-20, 0x1p7};
        for (int k = 0; k < 2; k++) {
            mrn_picture p = scaled_scene(dimension, scale[k]);
            assert_memory_equal(p.rgb, unit.rgb, 3 * (size_t)p.width * (size_t)p.height);
            mrn_picture_destroy(&p);
        }
        mrn_picture_destroy(&unit);
    }
}

/* A grain in a closed box is seen as without it: the walls in front of it are next to invisible. */
static void container_does_not_hide(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 1);
    mrn_frame f = scene_frame(2, 1);
    scene_box(&header, 0, 2, 2, 2);
    mrn_look look = bare_look(3, 200, 200);
    look.has_target = true;
    look.extent = 4;
    mrn_picture with = draw(&look, &header, &f);
    look.walls = false;
    mrn_picture without = draw(&look, &header, &f);
    const uint8_t *a = picture_at(&with, 100, 100), *b = picture_at(&without, 100, 100);
    for (int k = 0; k < 3; k++)
        assert_in_range(abs(a[k] - b[k]), 0, 12);
    /* but the box itself is seen, between the grain and its own outline */
    double x, y;
    mrn_view view;
    assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
    mrn_view_pixel(&view, mrn_view_camera(&view, mrn_v3(1.7, 1.9, 0)), &x, &y);
    assert_false(is_white(picture_at(&with, (int)x, (int)y)));
    assert_true(is_white(picture_at(&without, (int)x, (int)y)));
    mrn_picture_destroy(&with);
    /* a wall taken away by a stage is not drawn */
    look.walls = true;
    f.flags[0] |= MRN_BODY_ABSENT;
    with = draw(&look, &header, &f);
    assert_memory_equal(with.rgb, without.rgb, 3 * 200 * 200);
    mrn_picture_destroy(&with);
    mrn_picture_destroy(&without);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

/* A grain throws a shadow on the floor. */
static void floor_takes_shadows(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 1);
    mrn_frame f = scene_frame(2, 1);
    scene_floor(&header, 0, 50);
    f.x[5] = 1;
    mrn_look look = bare_look(3, 160, 120);
    look.has_target = true;
    look.target = mrn_v3(0, 0, 1);
    look.extent = 4;
    mrn_picture with = draw(&look, &header, &f);
    f.n = 1;
    mrn_picture bare = draw(&look, &header, &f);
    mrn_view view;
    double x, y;
    f.n = 2;
    assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
    mrn_vec3 behind = mrn_scale(1.1, view.right); /* the lamp stands at the left */
    mrn_view_pixel(&view, mrn_view_camera(&view, behind), &x, &y);
    int dark = picture_at(&with, (int)x, (int)y)[1], pale = picture_at(&bare, (int)x, (int)y)[1];
    assert_true(dark < pale - 15);
    mrn_picture_destroy(&with);
    mrn_picture_destroy(&bare);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

/* An infinite floor whose triangles happen to be elsewhere is drawn below the grain all the same.
 */
static void endless_floor_is_everywhere(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_header header = scene_cast(dimension, 1);
        mrn_frame f = scene_frame(2, 1);
        scene_floor(&header, 0, 0.5);
        f.x[0] = 30;
        if (dimension == 2) { /* the floor of a 2D scene has its normal along y */
            mrn_quat q = mrn_quat_from_rotation(mrn_v3(-MRN_PI / 2, 0, 0));
            f.q[0] = q.w, f.q[1] = q.x, f.q[2] = q.y, f.q[3] = q.z;
        }
        f.x[dimension == 2 ? 4 : 5] = 1;
        header.wall_endless = scene_array(1, sizeof(bool));
        mrn_look look = bare_look(dimension, 200, 150);
        look.has_target = true;
        look.extent = 3;
        mrn_view view;
        double x, y;
        assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
        mrn_view_pixel(&view, mrn_view_camera(&view, mrn_v3(-2.5, 0, 0)), &x, &y);
        for (int endless = 0; endless < 2; endless++) {
            header.wall_endless[0] = endless;
            mrn_picture p = draw(&look, &header, &f);
            assert_int_equal(is_white(picture_at(&p, (int)x, (int)y)), !endless);
            mrn_picture_destroy(&p);
        }
        mrn_free(header.wall_endless);
        header.wall_endless = NULL;
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
}

/* Title, legend, time and scale keep their ground: no endless wall goes there, upright or level. */
static void walls_end_where_writing_begins(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        int dimension = turn == 0 ? 2 : 3;
        mrn_header header = scene_cast(dimension, 1);
        mrn_frame f = scene_frame(2, 1);
        scene_floor(&header, 0, 0.5);
        header.wall_endless = scene_array(1, sizeof(bool));
        header.wall_endless[0] = true;
        mrn_quat q = mrn_quat_from_rotation(
            turn == 1 ? mrn_v3(0, 0, 0) : mrn_v3(turn == 0 ? -MRN_PI / 2 : MRN_PI / 2, 0, 0));
        f.q[0] = q.w, f.q[1] = q.x, f.q[2] = q.y, f.q[3] = q.z;
        f.x[3 + (turn == 2 ? 1 : dimension - 1)] = turn == 2 ? -1 : 1;
        mrn_look look = mrn_look_default(dimension);
        look.width = 320, look.height = 240;
        look.caption = look.legend = look.axes = false;
        mrn_view view;
        assert_int_equal(mrn_view_make(&look, &header, &f, &view, NULL), MRN_OK);
        look.walls = true;
        mrn_picture with = draw(&look, &header, &f);
        look.walls = false;
        mrn_picture without = draw(&look, &header, &f);
        int inside = 0, outside = 0;
        for (int y = 0; y < look.height; y++)
            for (int x = 0; x < look.width; x++) {
                double out = fmax(fmax(view.left - x, x - view.left - view.plot_width),
                                  fmax(view.top - y, y - view.top - view.plot_height));
                int differs = memcmp(picture_at(&with, x, y), picture_at(&without, x, y), 3) != 0;
                inside += out < 0 ? differs : 0;
                outside += out > 0.5 * view.text + 2 ? differs : 0;
            }
        assert_true(inside > 50);
        assert_int_equal(outside, 0);
        mrn_picture_destroy(&with);
        mrn_picture_destroy(&without);
        mrn_free(header.wall_endless);
        header.wall_endless = NULL;
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
}

/* One large sphere has no marks unless they are asked for; then they are plain to see. */
static void large_spheres_have_no_stripe(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(1, 0);
    mrn_look look = bare_look(3, 200, 200);
    int differs[3] = {0}; /* pixels that are not as without stripes */
    look.stripes = 0;
    mrn_picture plain = draw(&look, &header, &f);
    for (int k = -1; k <= 1; k++) {
        look.stripes = k;
        mrn_picture p = draw(&look, &header, &f);
        for (int y = 0; y < 200; y++)
            for (int x = 0; x < 200; x++)
                for (int c = 0; c < 3; c++)
                    differs[k + 1] +=
                        abs(picture_at(&p, x, y)[c] - picture_at(&plain, x, y)[c]) > 20;
        mrn_picture_destroy(&p);
    }
    assert_int_equal(differs[0], 0);
    assert_true(differs[2] > 2000); /* some quarters of a ball of about a hundred pixels across */
    mrn_picture_destroy(&plain);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

static void slice_cuts_what_is_in_front(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(2, 0);
    f.x[1] = -3; /* nearer to the camera of the front view */
    f.x[4] = 3;
    f.group[1] = 1;
    mrn_look look = bare_look(3, 120, 120);
    look.azimuth = look.elevation = 0;
    look.colour_by = "group";
    look.has_target = true;
    look.extent = 4;
    mrn_picture p = draw(&look, &header, &f);
    assert_hue(picture_at(&p, 60, 60), mrn_palette_class(0));
    mrn_picture_destroy(&p);
    look.slice = true;
    p = draw(&look, &header, &f);
    assert_hue(picture_at(&p, 60, 60), mrn_palette_class(1));
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

/* Looking up a column in the middle of the colour bar: its low end below its high end, both exact.
 */
static void legend_ends_have_the_colours(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(0, 0);
    mrn_look look = mrn_look_default(3);
    mrn_view view = mrn_view_layout(&look, &header);
    mrn_picture p = draw(&look, &header, &f);
    int x = (int)(look.width - view.bar + 0.6 * view.text), lo = -1, hi = -1;
    for (int y = 0; y < look.height; y++) {
        const uint8_t *c = picture_at(&p, x, y);
        if (c[0] == 0xfd && c[1] == 0xe7 && c[2] == 0x25 && hi < 0)
            hi = y;
        if (c[0] == 0x44 && c[1] == 0x01 && c[2] == 0x54)
            lo = y;
    }
    assert_true(hi > 0 && lo > hi + 100);
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
}

static void broken_frames_are_drawn(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_header header = scene_cast(dimension, 1);
        mrn_look look = mrn_look_default(dimension);
        look.width = 240, look.height = 160;
        mrn_frame empty = scene_frame(0, 0);
        mrn_picture p = draw(&look, &header, &empty);
        mrn_picture_destroy(&p);
        mrn_frame_destroy(&empty);
        mrn_frame f = scene_lattice(dimension, 4, 1);
        scene_box(&header, 0, 3, 3, 3);
        scene_contacts(&f);
        look.force_chains = true;
        for (int trial = 0; trial < 6; trial++) {
            f.x[3] = trial == 0 ? NAN : trial == 1 ? INFINITY : trial == 2 ? 1e300 : 0;
            f.radius[2] = trial == 3 ? NAN : trial == 4 ? -1 : 1;
            f.q[0] = trial == 5 ? NAN : 1; /* of the wall */
            f.q[8] = trial == 5 ? NAN : 1; /* of a grain */
            f.v[6] = NAN;
            f.time = NAN;
            f.contacts.c[0] = trial == 5 ? 1000 : 2;
            f.contacts.force[0] = NAN;
            p = draw(&look, &header, &f);
            mrn_picture_destroy(&p);
        }
        f.n = f.n_walls; /* walls alone */
        f.contacts.n = 0;
        f.q[0] = 1;
        p = draw(&look, &header, &f);
        mrn_picture_destroy(&p);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_header header = scene_cast(dimension, 1);
        mrn_frame f = scene_lattice(dimension, 2, 1);
        scene_box(&header, 0, 2, 2, 2);
        scene_contacts(&f);
        mrn_look look = mrn_look_default(dimension);
        look.width = 240, look.height = 160;
        look.supersample = 1;
        look.force_chains = true;
        look.colour_by = "load";
        size_t before = mrn_bytes_in_use();
        mrn_status s = MRN_ERR_MEMORY;
        int k = 0;
        while (s == MRN_ERR_MEMORY) {
            mrn_picture p;
            mrn_message msg = {0};
            mrn_alloc_fail_at(++k);
            s = mrn_draw(&look, &header, &f, &p, &msg);
            mrn_alloc_fail_at(0);
            assert_true(s == MRN_OK || (s == MRN_ERR_MEMORY && msg.status == s && !p.rgb));
            mrn_picture_destroy(&p);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
        assert_int_equal(s, MRN_OK);
        assert_true(k > 10); /* or nothing was allocated at all */
        mrn_frame_destroy(&f);
        mrn_header_destroy(&header);
    }
}

static mrn_status try_look(const mrn_look *look, mrn_message *msg)
{
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(1, 0);
    mrn_picture p;
    mrn_status s = mrn_draw(look, &header, &f, &p, msg);
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
    return s;
}

static void wrong_looks_are_told(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_look look = bare_look(3, 64, 64), good = look;
    look.colour_by = "sped";
    assert_int_equal(try_look(&look, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "speed"));
    look = good, look.palette = "virids";
    assert_int_equal(try_look(&look, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "viridis"));
    look = good, look.width = 3;
    assert_int_equal(try_look(&look, &msg), MRN_ERR_RANGE);
    look = good, look.supersample = 9;
    assert_int_equal(try_look(&look, &msg), MRN_ERR_RANGE);
    look = good, look.zoom = 0;
    assert_int_equal(try_look(&look, &msg), MRN_ERR_RANGE);
    look = good, look.lo = 2, look.hi = 1;
    assert_int_equal(try_look(&look, &msg), MRN_ERR_RANGE);
    look = good, look.elevation = 100;
    assert_int_equal(try_look(&look, &msg), MRN_ERR_RANGE);
    assert_int_equal(try_look(&good, &msg), MRN_OK);
}

static void every_field_and_palette_draws(void **state)
{
    (void)state;
    const char *const *names;
    mrn_message msg = {0};
    int n = mrn_look_fields(&names);
    assert_true(n > 15);
    for (int k = 0; k < n; k++) {
        mrn_look look = bare_look(3, 32, 32);
        look.colour_by = names[k];
        assert_int_equal(try_look(&look, &msg), MRN_OK);
    }
    n = mrn_look_palettes(&names);
    for (int k = 0; k < n; k++) {
        mrn_look look = bare_look(3, 32, 32);
        look.palette = names[k];
        assert_int_equal(try_look(&look, &msg), MRN_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_is_where_it_should_be),
        cmocka_unit_test(sphere_has_its_size),
        cmocka_unit_test(disk_has_its_exact_colour),
        cmocka_unit_test(periodic_images_are_drawn),
        cmocka_unit_test(sheared_cells_lean),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(container_does_not_hide),
        cmocka_unit_test(floor_takes_shadows),
        cmocka_unit_test(endless_floor_is_everywhere),
        cmocka_unit_test(walls_end_where_writing_begins),
        cmocka_unit_test(large_spheres_have_no_stripe),
        cmocka_unit_test(slice_cuts_what_is_in_front),
        cmocka_unit_test(legend_ends_have_the_colours),
        cmocka_unit_test(broken_frames_are_drawn),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(wrong_looks_are_told),
        cmocka_unit_test(every_field_and_palette_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
