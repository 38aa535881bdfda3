/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks: views that hold what they should, colour ranges, fields, round numbers, one look for a
   trajectory, and the command that uses them. */
/* ctest-labels: threads */
#include "draw/draw_scenes.h"

#include <sys/wait.h>

#include "../../src/draw/draw.h"

/* Is the sphere inside the plot area, for the view given? */
static bool holds(const mrn_view *v, const double *x, double r)
{
    mrn_vec3 c = mrn_view_camera(v, mrn_load3(x));
    double px, py, s = mrn_view_focal(v) * r / v->extent / (v->dimension == 3 ? c.z : 1);
    mrn_view_pixel(v, c, &px, &py);
    return px - s >= v->left && py - s >= v->top && px + s <= v->left + v->plot_width &&
           py + s <= v->top + v->plot_height;
}

static void view_holds_all_grains(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int turn = 0; turn < 12; turn++) {
            mrn_header header = scene_cast(dimension, 1);
            mrn_frame f = scene_lattice(dimension, 7, 0.1);
            mrn_look look = mrn_look_default(dimension);
            look.azimuth = 33 * turn;
            look.elevation = -90 + 16 * turn;
            look.width = turn & 1 ? 600 : 1500;
            mrn_view v;
            assert_int_equal(mrn_view_make(&look, &header, &f, &v, NULL), MRN_OK);
            double widest = 0;
            for (int32_t i = 1; i < f.n; i++) {
                assert_true(holds(&v, f.x + 3 * i, f.radius[i]));
                widest = fmax(widest, mrn_norm(mrn_load3(f.x + 3 * i)) + f.radius[i]);
            }
            /* and not from needlessly far away */
            assert_true(v.extent < 1.6 * widest);
            mrn_frame_destroy(&f);
            mrn_header_destroy(&header);
        }
}

static double extent_with_flyer(int n)
{
    mrn_header header = scene_cast(3, 0);
    mrn_frame f = scene_frame(n, 0);
    for (int i = 0; i < n; i++)
        f.x[3 * i] = i % 10, f.x[3 * i + 2] = i / 10 % 10;
    f.x[0] = 1e4;
    mrn_look look = mrn_look_default(3);
    mrn_view v;
    assert_int_equal(mrn_view_make(&look, &header, &f, &v, NULL), MRN_OK);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&header);
    return v.extent;
}

static void far_flyers_are_let_go(void **state)
{
    (void)state;
    assert_true(extent_with_flyer(400) < 20);
    assert_true(extent_with_flyer(20) > 1000); /* one of twenty matters */
}

/* An endless floor does not make the view endless; a container is held whole. */
static void walls_count_as_they_should(void **state)
{
    (void)state;
    mrn_look look = mrn_look_default(3);
    mrn_frame f = scene_frame(2, 1);
    f.x[5] = 1;
    mrn_view v;
    mrn_header header = scene_cast(3, 1);
    scene_floor(&header, 0, 500);
    assert_int_equal(mrn_view_make(&look, &header, &f, &v, NULL), MRN_OK);
    assert_true(v.extent < 3);
    mrn_header_destroy(&header);
    header = scene_cast(3, 1);
    scene_box(&header, 0, 3, 3, 3);
    assert_int_equal(mrn_view_make(&look, &header, &f, &v, NULL), MRN_OK);
    for (int c = 0; c < 8; c++) {
        const double corner[3] = {c & 1 ? 3 : -3, c & 2 ? 3 : -3, c & 4 ? 3 : -3};
        assert_true(holds(&v, corner, 0));
    }
    mrn_header_destroy(&header);
    mrn_frame_destroy(&f);
}

static void ranges_are_robust(void **state)
{
    (void)state;
    mrn_look look = mrn_look_default(3);
    const mrn_paint_field *speed = mrn_paint_field_find("speed"), *z = mrn_paint_field_find("z");
    double v[1001], lo, hi;
    for (int i = 0; i < 1000; i++)
        v[i] = 5 + 0.001 * i;
    v[1000] = 1e9;
    mrn_paint_range(&look, z, v, 1001, &lo, &hi);
    assert_float_equal(lo, 5.02, 1e-9);
    assert_float_equal(hi, 5.98, 1e-9);
    look.robust = false;
    mrn_paint_range(&look, z, v, 1001, &lo, &hi);
    assert_true(lo == 5 && hi == 1e9);
    look.lo = -1; /* a given end stays */
    mrn_paint_range(&look, z, v, 1001, &lo, &hi);
    assert_true(lo == -1 && hi == 1e9);
    look.lo = NAN;
    for (int i = 0; i < 3; i++)
        v[i] = i; /* few: the extremes, magnitudes from zero */
    mrn_paint_range(&look, speed, v, 3, &lo, &hi);
    assert_true(lo == 0 && hi == 2);
    v[0] = v[1] = v[2] = 4; /* all the same */
    mrn_paint_range(&look, z, v, 3, &lo, &hi);
    assert_true(lo < 4 && hi > 4);
    mrn_paint_range(&look, z, v, 0, &lo, &hi);
    assert_true(isfinite(lo) && hi > lo);
}

static double field_value(const char *name, const mrn_look *base, const mrn_header *header,
                          const mrn_frame *f, int32_t i)
{
    mrn_look look = *base;
    mrn_paint paint;
    look.colour_by = name;
    assert_int_equal(mrn_paint_make(&look, header, f, &paint, NULL), MRN_OK);
    double v = paint.value[i];
    mrn_paint_release(&paint);
    return v;
}

static void fields_have_their_values(void **state)
{
    (void)state;
    mrn_header header = scene_cast(3, 1);
    mrn_frame f = scene_lattice(3, 2, 1), ref = scene_lattice(3, 2, 1);
    scene_contacts(&f); /* a chain 1-2-…-8, force 1 + i % 5 between i and i + 1 */
    mrn_look look = mrn_look_default(3);
    f.v[9] = 3, f.v[10] = 4;
    assert_float_equal(field_value("speed", &look, &header, &f, 3), 5, 1e-15);
    assert_float_equal(field_value("coordination", &look, &header, &f, 1), 1, 0);
    assert_float_equal(field_value("coordination", &look, &header, &f, 2), 2, 0);
    assert_float_equal(field_value("load", &look, &header, &f, 2), 2 + 3, 1e-12);
    assert_float_equal(field_value("diameter", &look, &header, &f, 2), 1, 0);
    assert_true(isnan(field_value("speed", &look, &header, &f, 0))); /* a wall */
    assert_float_equal(field_value("displacement", &look, &header, &f, 5), 0, 0);
    /* displacement follows the id to another place in memory, and counts crossed cells */
    look.reference = &ref;
    f.periodic[0] = ref.periodic[0] = true;
    f.cell_size[0] = ref.cell_size[0] = 2;
    f.id[5] = 6, f.id[6] = 5;
    double swap[3];
    memcpy(swap, f.x + 15, sizeof swap);
    memcpy(f.x + 15, f.x + 18, sizeof swap);
    memcpy(f.x + 18, swap, sizeof swap);
    assert_float_equal(field_value("displacement", &look, &header, &f, 5), 0, 1e-15);
    f.image[15] = 2;
    assert_float_equal(field_value("displacement", &look, &header, &f, 5), 4, 1e-15);
    mrn_frame_destroy(&f);
    mrn_frame_destroy(&ref);
    mrn_header_destroy(&header);
}

static void round_numbers(void **state)
{
    (void)state;
    const double p[4][3] = {
        {0.0234, 0.02, 0.05}, {1, 1, 1}, {7e5, 5e5, 1e6}, {0.0051, 0.005, 0.01}};
    for (int k = 0; k < 4; k++) {
        assert_float_equal(mrn_nice_below(p[k][0]) / p[k][1], 1, 1e-9);
        assert_float_equal(mrn_nice_above(p[k][0]) / p[k][2], 1, 1e-9);
    }
    for (int e = -12; e <= 12; e++) /* powers of ten are round themselves, whatever log10 says */
        assert_float_equal(mrn_nice_below(pow(10, e)) / pow(10, e), 1, 1e-9);
}

static void palettes_end_where_published(void **state)
{
    (void)state;
    const mrn_palette *p = mrn_palette_find("viridis");
    mrn_rgb lo = mrn_palette_colour(p, -3), hi = mrn_palette_colour(p, 7);
    assert_float_equal(255 * lo.r, 0x44, 1e-3);
    assert_float_equal(255 * hi.g, 0xe7, 1e-3);
    mrn_rgb nan = mrn_palette_colour(p, NAN);
    assert_true(nan.r == lo.r && nan.g == lo.g);
    /* lightness must grow all the way along a sequential map */
    const char *sequential[] = {"viridis",     "magma",   "inferno", "plasma", "cividis",
                                "batlow-like", "glacier", "ember",   "grey"};
    for (size_t k = 0; k < sizeof sequential / sizeof *sequential; k++) {
        double last = -1;
        for (int i = 0; i <= 50; i++) {
            mrn_rgb c =
                mrn_rgb_linear(mrn_palette_colour(mrn_palette_find(sequential[k]), i / 50.));
            double light = 0.2126 * (double)c.r + 0.7152 * (double)c.g + 0.0722 * (double)c.b;
            assert_true(light > last);
            last = light;
        }
    }
}

/* A run of three frames: a grain that moves away, faster and faster. */
static void write_run(const char *dir)
{
    mrn_header header = scene_cast(3, 1);
    scene_box(&header, 0, 2, 2, 2);
    header.n_groups = 1;
    mrn_trajectory *t = NULL;
    mrn_message msg = {0};
    if (mrn_trajectory_create(dir, &header, NAN, &t, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    for (int k = 0; k < 3; k++) {
        mrn_frame f = scene_frame(3, 1);
        f.time = 0.1 * k;
        f.step = 10 * k;
        f.x[6] = 4 * k;
        f.v[6] = k;
        assert_int_equal(mrn_trajectory_append(t, &f, &msg), MRN_OK);
        mrn_frame_destroy(&f);
    }
    assert_int_equal(mrn_trajectory_close(&t, &msg), MRN_OK);
    mrn_header_destroy(&header);
}

static void one_look_fits_all_frames(void **state)
{
    (void)state;
    char dir[64];
    make_folder(dir, sizeof dir);
    write_run(dir);
    mrn_trajectory *t = NULL;
    mrn_header header = {0};
    mrn_look look = mrn_look_default(3);
    assert_int_equal(mrn_trajectory_open(dir, &t, NULL), MRN_OK);
    assert_int_equal(mrn_trajectory_header(t, &header, NULL), MRN_OK);
    assert_int_equal(mrn_look_fit(&look, &header, t, NULL), MRN_OK);
    assert_true(look.has_target && look.extent > 0);
    assert_true(look.lo == 0 && look.hi == 2);
    for (int k = 0; k < 3; k++) {
        mrn_frame f = {0};
        mrn_view v;
        assert_int_equal(mrn_trajectory_read(t, k, &f, NULL), MRN_OK);
        assert_int_equal(mrn_view_make(&look, &header, &f, &v, NULL), MRN_OK);
        for (int32_t i = 1; i < f.n; i++)
            assert_true(holds(&v, f.x + 3 * i, f.radius[i]));
        assert_true(v.extent == look.extent);
        mrn_frame_destroy(&f);
    }
    mrn_header_destroy(&header);
    assert_int_equal(mrn_trajectory_close(&t, NULL), MRN_OK);
    remove_folder(dir);
}

static void fitting_survives_lack_of_memory(void **state)
{
    (void)state;
    char dir[64];
    make_folder(dir, sizeof dir);
    write_run(dir);
    mrn_trajectory *t = NULL;
    mrn_header header = {0};
    assert_int_equal(mrn_trajectory_open(dir, &t, NULL), MRN_OK);
    assert_int_equal(mrn_trajectory_header(t, &header, NULL), MRN_OK);
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int k = 0;
    while (s == MRN_ERR_MEMORY) {
        mrn_look look = mrn_look_default(3);
        look.force_chains = true;
        mrn_alloc_fail_at(++k);
        s = mrn_look_fit(&look, &header, t, NULL);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
        assert_true(s == MRN_OK || !look.has_target); /* as it was before the call */
    }
    assert_int_equal(s, MRN_OK);
    assert_true(k > 5);
    mrn_header_destroy(&header);
    assert_int_equal(mrn_trajectory_close(&t, NULL), MRN_OK);
    remove_folder(dir);
}

static int command(const char *dir, const char *options)
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' picture %s %s > /dev/null 2>&1", MRN_TEST_COMMAND, dir,
             options);
    int rc = system(line);
    assert_true(WIFEXITED(rc));
    return WEXITSTATUS(rc);
}

static void command_draws_and_refuses(void **state)
{
    (void)state;
    char dir[64], path[128];
    if (MRN_TEST_COMMAND[0] == 0)
        skip();
    make_folder(dir, sizeof dir);
    write_run(dir);
    assert_int_equal(command(dir, "--size 160x120"), 0);
    snprintf(path, sizeof path, "%s/picture.png", dir);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(command(dir, "--size 160x120 --animate --json --color-by displacement"), 0);
    snprintf(path, sizeof path, "%s/movie.png", dir);
    assert_int_equal(access(path, F_OK), 0);
    char options[200];
    snprintf(options, sizeof options, "--size 64x64 --animate --frames-dir %s/frames", dir);
    assert_int_equal(command(dir, options), 0);
    snprintf(path, sizeof path, "%s/frames/frame-00002.png", dir);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(
        command(dir, "--size 64x64 --frame -1 --view 10,20 --range 0: --zoom 2 --slice"), 0);
    assert_int_equal(command("", ""), 2);
    assert_int_equal(command("/nowhere", ""), 2);
    const char *wrong[] = {"--size 5",        "--frame 3", "--frame x",         "--range 1",
                           "--range 2:1",     "--view up", "--view 0,91",       "--colour-by sped",
                           "--palette rainb", "--fps 0",   "--frames-dir /tmp", "--zoom x",
                           "--size 64x64y"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (command(dir, wrong[k]) != 2)
            fail_msg("%s was accepted", wrong[k]);
    assert_int_equal(command(dir, "--size 64x64 --out /nowhere/x.png"), 2); /* bad path: bad usage
                                                                             */
    assert_int_equal(command("", "--help"), 0);
    remove_folder(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_holds_all_grains),
        cmocka_unit_test(far_flyers_are_let_go),
        cmocka_unit_test(walls_count_as_they_should),
        cmocka_unit_test(ranges_are_robust),
        cmocka_unit_test(fields_have_their_values),
        cmocka_unit_test(round_numbers),
        cmocka_unit_test(palettes_end_where_published),
        cmocka_unit_test(one_look_fits_all_frames),
        cmocka_unit_test(fitting_survives_lack_of_memory),
        cmocka_unit_test(command_draws_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
