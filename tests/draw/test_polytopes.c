/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons and polyhedra in pictures: every pixel against a silhouette computed here from corners
   alone, depths of rays in closed form, several contact points as one line. */
/* ctest-labels: threads */
#include "draw_scenes.h"

#include "draw/solid.h"

#define SIDE 160 /* pixels */

static void ok(mrn_status s, const mrn_message *msg)
{
    char text[1000];
    mrn_message_format(msg, text, sizeof text);
    if (s != MRN_OK)
        fail_msg("%s", text);
}

/* A cross of two bars; a triangle; a hexagon. */
static mrn_header flat_cast(void)
{
    static const double bar[2][12] = {{-3, -1, 0, 3, -1, 0, 3, 1, 0, -3, 1, 0},
                                      {-1, -3, 0, 1, -3, 0, 1, 3, 0, -1, 3, 0}};
    const mrn_corners part[2] = {{4, bar[0]}, {4, bar[1]}};
    mrn_message msg = {0};
    mrn_header c = scene_cast(2, 0);
    c.n_polytopes = 3;
    c.polytope = scene_array(3, sizeof *c.polytope);
    ok(mrn_polytope_make("cross", 2, 2, part, &c.polytope[0], NULL, NULL, NULL, &msg), &msg);
    ok(mrn_polytope_polygon(3, &c.polytope[1], &msg), &msg);
    ok(mrn_polytope_polygon(6, &c.polytope[2], &msg), &msg);
    return c;
}

/* A tripod of bars, a cube and an icosahedron. */
static mrn_header solid_cast(void)
{
    static double bar[3][24];
    mrn_corners part[3];
    mrn_message msg = {0};
    for (int b = 0; b < 3; b++) {
        for (int k = 0; k < 24; k++) {
            int axis = k % 3, corner = k / 3;
            double far = axis == b ? 3 : 1;
            bar[b][k] = corner >> axis & 1 ? far : -1;
        }
        part[b] = (mrn_corners){8, bar[b]};
    }
    mrn_header c = scene_cast(3, 0);
    c.n_polytopes = 3;
    c.polytope = scene_array(3, sizeof *c.polytope);
    ok(mrn_polytope_make("tripod", 3, 3, part, &c.polytope[0], NULL, NULL, NULL, &msg), &msg);
    ok(mrn_polytope_regular("cube", &c.polytope[1], &msg), &msg);
    ok(mrn_polytope_regular("icosahedron", &c.polytope[2], &msg), &msg);
    return c;
}

static void turn_body(mrn_frame *f, int i, mrn_vec3 axis, double angle)
{
    mrn_vec3 e = mrn_scale(sin(0.5 * angle), mrn_unit(axis));
    double *q = f->q + 4 * i;
    q[0] = cos(0.5 * angle), q[1] = e.x, q[2] = e.y, q[3] = e.z;
}

static mrn_frame one_polytope(int polytope, double radius)
{
    mrn_frame f = scene_frame(1, 0);
    f.part = scene_array(1, sizeof *f.part);
    f.flags[0] = MRN_BODY_POLYTOPE;
    f.part[0] = (uint16_t)polytope;
    f.radius[0] = radius;
    return f;
}

/* Half height 1 m about the origin, nothing written on it. */
static mrn_look unit_look(int dimension)
{
    mrn_look l = bare_look(dimension, SIDE, SIDE);
    l.has_target = true;
    l.extent = 1;
    l.colour_by = "none";
    return l;
}

/* The point seen at a pixel of a 2D picture, or the direction of its ray. */
static void at_pixel(const mrn_view *v, double px, double py, double *x, double *y)
{
    double focal = mrn_view_focal(v);
    *x = (px - v->left - 0.5 * v->plot_width) / focal;
    *y = (v->top + 0.5 * v->plot_height - py) / focal;
}

/* ---- 2D ---- */

/* Is the point on the left of all sides of some part? Corners alone are asked. */
static bool in_polygon(const mrn_polytope *f, double radius, double turn, double x, double y)
{
    double u = (cos(turn) * x + sin(turn) * y) / radius;
    double v = (cos(turn) * y - sin(turn) * x) / radius;
    for (int i = 0; i < f->n_parts; i++) {
        const mrn_convex *c = &f->part[i];
        bool in = true;
        for (int k = 0; k < c->n_faces; k++) {
            const double *a = c->point + 3 * c->corner[2 * k];
            const double *b = c->point + 3 * c->corner[2 * k + 1];
            in = in && (b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]) > 0;
        }
        if (in)
            return true;
    }
    return false;
}

/* The pixel and its neighbours agree: no side runs near. */
static int vote(const mrn_polytope *f, double radius, double turn, const mrn_view *v, int px,
                int py)
{
    int votes = 0;
    for (int k = 0; k < 9; k++) {
        double x, y;
        at_pixel(v, px + 0.5 + 1.2 * (k % 3 - 1), py + 0.5 + 1.2 * (k / 3 - 1), &x, &y);
        votes += in_polygon(f, radius, turn, x, y);
    }
    return votes == 9 ? 1 : votes == 0 ? 0 : -1;
}

static void polygons_fill_their_pixels(void **unused)
{
    (void)unused;
    mrn_header c = flat_cast();
    for (int polytope = 0; polytope < 3; polytope++) {
        double radius = 0.5, turn = 0.3 + polytope;
        mrn_frame f = one_polytope(polytope, radius);
        turn_body(&f, 0, mrn_v3(0, 0, 1), turn);
        mrn_look look = unit_look(2);
        mrn_message msg = {0};
        mrn_picture p;
        mrn_view v;
        ok(mrn_draw(&look, &c, &f, &p, &msg), &msg);
        ok(mrn_view_make(&look, &c, &f, &v, &msg), &msg);
        const uint8_t *back = picture_at(&p, 0, 0);
        int seen[2] = {0, 0};
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                int in = vote(&c.polytope[polytope], radius, turn, &v, x, y);
                if (in < 0)
                    continue;
                seen[in]++;
                bool drawn = memcmp(picture_at(&p, x, y), back, 3) != 0;
                if (drawn != in)
                    fail_msg("form %d: pixel %d, %d is %s", polytope, x, y,
                             in ? "empty" : "filled");
            }
        /* area of the disk of radius 1/2 on 4 m2, less what lies near the sides */
        assert_in_range(seen[1], SIDE * SIDE * 0.13, SIDE * SIDE * 0.20);
        assert_true(seen[0] > SIDE * SIDE / 2);
        mrn_picture_destroy(&p);
        mrn_frame_destroy(&f);
    }
    mrn_header_destroy(&c);
}

/* Inside, a polygon has exactly the colour a disk has; sides where two parts meet do not show. */
static void polygons_have_the_colours_of_disks(void **unused)
{
    (void)unused;
    mrn_header c = flat_cast();
    mrn_look look = unit_look(2);
    look.colour_by = "group";
    uint8_t colour[2][3];
    for (int k = 0; k < 2; k++) {
        mrn_frame f = one_polytope(0, 0.6);
        mrn_message msg = {0};
        mrn_picture p;
        f.group[0] = 1;
        f.flags[0] = k == 0 ? MRN_BODY_POLYTOPE : 0;
        ok(mrn_draw(&look, &c, &f, &p, &msg), &msg);
        /* above the spoke of the disk; in the cross, where a bar's side runs through the other */
        memcpy(colour[k], picture_at(&p, SIDE / 2, SIDE / 2 - 8), 3);
        for (int y = SIDE / 2 - 24; k == 0 && y < SIDE / 2 + 24; y++)
            assert_memory_equal(picture_at(&p, SIDE / 2, y), colour[k], 3);
        mrn_picture_destroy(&p);
        mrn_frame_destroy(&f);
    }
    assert_memory_equal(colour[0], colour[1], 3);
    mrn_header_destroy(&c);
}

/* A corner that reaches over a periodic border comes in on the other side, though the disk of equal
   area would not reach it. */
static void corners_reach_over_borders(void **unused)
{
    (void)unused;
    mrn_header c = flat_cast();
    mrn_frame f = one_polytope(1, 0.2);
    mrn_message msg = {0};
    mrn_picture p[2];
    f.periodic[0] = true;
    f.cell_origin[0] = -0.5;
    f.cell_size[0] = 1;
    /* one corner points along x */
    const double *a = c.polytope[1].part[0].point;
    turn_body(&f, 0, mrn_v3(0, 0, 1), -atan2(a[1], a[0]));
    double reach = 0.2 * c.polytope[1].bound; /* 0.311 */
    assert_true(reach > 0.3 && reach < 0.32);
    mrn_look look = unit_look(2);
    look.cell = false;
    for (int k = 0; k < 2; k++) {
        f.x[0] = k == 0 ? 0.25 : 0.15; /* the second does not reach over */
        ok(mrn_draw(&look, &c, &f, &p[k], &msg), &msg);
    }
    int x = (int)((-0.5 + 0.02 + 1) / 2 * SIDE), y = SIDE / 2;
    assert_memory_not_equal(picture_at(&p[0], x, y), picture_at(&p[0], 0, 0), 3);
    assert_memory_equal(picture_at(&p[1], x, y), picture_at(&p[1], 0, 0), 3);
    mrn_picture_destroy(&p[0]);
    mrn_picture_destroy(&p[1]);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* ---- 3D ---- */

/* Does the ray from the camera through a pixel pass a cube of edge a, turned by q, at the origin?
   By slabs, in its own frame (faces of the regular cube stand across the axes of its polytope). */
static bool meets_cube(const mrn_view *v, double a, mrn_quat q, double px, double py)
{
    double x, y, in = -INFINITY, out = INFINITY;
    at_pixel(v, px, py, &x, &y);
    mrn_vec3 d = mrn_sub(mrn_add(mrn_scale(x, v->right), mrn_scale(y, v->up)), v->toward);
    mrn_vec3 o = mrn_scale(v->distance, v->toward);
    mrn_quat back = {q.w, -q.x, -q.y, -q.z};
    double from[3], along[3];
    mrn_store3(from, mrn_rotate(back, o));
    mrn_store3(along, mrn_rotate(back, d));
    for (int k = 0; k < 3; k++) {
        double s = (-0.5 * a - from[k]) / along[k], t = (0.5 * a - from[k]) / along[k];
        in = fmax(in, fmin(s, t));
        out = fmin(out, fmax(s, t));
    }
    return in < out;
}

static void cubes_fill_their_pixels(void **unused)
{
    (void)unused;
    mrn_header c = solid_cast();
    mrn_frame f = one_polytope(1, 0.5);
    mrn_look look = unit_look(3);
    mrn_message msg = {0};
    mrn_picture p;
    mrn_view v;
    turn_body(&f, 0, mrn_v3(1, -2, 0.5), 0.9);
    ok(mrn_draw(&look, &c, &f, &p, &msg), &msg);
    ok(mrn_view_make(&look, &c, &f, &v, &msg), &msg);
    mrn_quat q = {f.q[0], f.q[1], f.q[2], f.q[3]};
    double a = 0.5 * cbrt(4.0 / 3 * MRN_PI); /* of the cube with the volume of the sphere */
    int seen[2] = {0, 0};
    for (int y = 2; y < SIDE - 2; y++)
        for (int x = 2; x < SIDE - 2; x++) {
            int votes = 0;
            for (int k = 0; k < 9; k++)
                votes += meets_cube(&v, a, q, x + 0.5 + (k % 3 - 1), y + 0.5 + (k / 3 - 1));
            bool drawn = memcmp(picture_at(&p, x, y), picture_at(&p, 0, 0), 3) != 0;
            if (votes != 0 && votes != 9)
                continue;
            seen[votes / 9]++;
            if (drawn != (votes == 9))
                fail_msg("pixel %d, %d is %s", x, y, drawn ? "filled" : "empty");
        }
    assert_true(seen[1] > SIDE * SIDE / 10 && seen[0] > SIDE * SIDE / 3);
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* A cube seen straight, 4 half views away: its front is half an edge nearer; beside it there is
   nothing; the cut goes through its middle. */
static void rays_meet_at_exact_depths(void **unused)
{
    (void)unused;
    mrn_header c = solid_cast();
    mrn_view v = {.dimension = 3, .right = {1, 0, 0}, .up = {0, 1, 0}, .toward = {0, 0, 1}};
    v.extent = 2;
    const double q[4] = {1, 0, 0, 0}, a = cbrt(4.0 / 3 * MRN_PI); /* in half views: radius 1 */
    mrn_body_shape s = mrn_body_shape_make(&v, &c.polytope[1], q, 2);
    mrn_vec3 centre = {0, 0, 4};
    mrn_shape_hit hit;
    double z = mrn_body_shape_meet(&s, centre, mrn_v3(0.1, 0.05, 1), -INFINITY, 0, &hit);
    /* the face that was hit is half an edge from the centre */
    mrn_vec3 n = mrn_load3(c.polytope[1].part[0].plane + 4 * hit.face);
    mrn_vec3 normal = {n.x, n.y, -n.z}; /* camera space looks along -toward */
    double exact = (mrn_dot(normal, centre) + 0.5 * a) / mrn_dot(normal, mrn_v3(0.1, 0.05, 1));
    assert_float_equal(z, exact, 4e-15 * 4); /* a few roundings of numbers about 4 */
    assert_false(hit.flat);
    z = mrn_body_shape_meet(&s, centre, mrn_v3(0.1, 0.05, 1), 4, 0, &hit);
    assert_true(z == 4 && hit.flat);
    z = mrn_body_shape_meet(&s, centre, mrn_v3(0.6, 0, 1), -INFINITY, 0, &hit);
    assert_true(isinf(z));
    /* the normal in the middle of a face is that of the face, near an edge it leans */
    double edge;
    z = mrn_body_shape_meet(&s, mrn_v3(0, 0, 4), mrn_v3(0, 0, 1), -INFINITY, 0, &hit);
    n = mrn_body_shape_normal(&s, centre, hit, mrn_v3(0, 0, z), 1e-3, &edge);
    assert_true(mrn_norm(n) > 1 - 1e-12 && mrn_norm(n) < 1 + 1e-12 && edge > 0);
    mrn_header_destroy(&c);
}

/* The lamp does not reach through: a floor below a cube is darker within its shadow than without.
 */
static void cubes_cast_shadows(void **unused)
{
    (void)unused;
    mrn_header c = solid_cast();
    mrn_ball ball = {.c = {0, 0, 8}, .r = 0.5, .shape = 0};
    mrn_view v = {.dimension = 3, .right = {1, 0, 0}, .up = {0, 1, 0}, .toward = {0, 0, 1}};
    v.extent = 1, v.distance = 8;
    const double q[4] = {1, 0, 0, 0};
    mrn_body_shape s = mrn_body_shape_make(&v, &c.polytope[1], q, 0.5);
    ball.reach = 0.5 * c.polytope[1].bound;
    mrn_message msg = {0};
    mrn_lamp l;
    ok(mrn_lamp_make(&v, &ball, 1, &s, 1, &l, &msg), &msg);
    /* straight behind it, seen from the lamp; far beside; before it; on its own face */
    mrn_vec3 behind = mrn_axpy(-2, l.toward, ball.c), before = mrn_axpy(2, l.toward, ball.c);
    assert_true(mrn_lamp_visible(&l, behind, -1, -1) < 1e-12);
    assert_true(mrn_lamp_visible(&l, before, -1, -1) == 1);
    assert_true(mrn_lamp_visible(&l, mrn_axpy(2, l.across, behind), -1, -1) == 1);
    assert_true(mrn_lamp_visible(&l, behind, 0, 0) == 1);
    /* the outline is that of the corners: all lie within its sides, two or more on each */
    const mrn_convex *k = &c.polytope[1].part[0];
    int64_t sides = l.side_start[1] - l.side_start[0];
    assert_true(sides == 4 || sides == 6);
    for (int64_t e = 0; e < sides; e++) {
        int on = 0;
        for (int i = 0; i < 8; i++) {
            mrn_vec3 p = mrn_load3(k->point + 3 * i);
            p = mrn_scale(0.5, mrn_v3(p.x, p.y, -p.z));
            double away = l.side[e].s * mrn_dot(p, l.across) + l.side[e].t * mrn_dot(p, l.along) -
                          l.side[e].d;
            assert_true(away < 1e-12);
            on += fabs(away) < 1e-12;
        }
        assert_true(on >= 2);
    }
    mrn_lamp_release(&l);
    mrn_header_destroy(&c);
}

/* A slice shows what is behind the target, for cubes as for spheres. */
static void slices_cut_polyhedra(void **unused)
{
    (void)unused;
    mrn_header c = solid_cast();
    mrn_frame f = one_polytope(1, 0.8);
    mrn_look look = unit_look(3);
    mrn_message msg = {0};
    mrn_picture p;
    look.slice = true;
    look.colour_by = "group";
    ok(mrn_draw(&look, &c, &f, &p, &msg), &msg);
    /* plain colour on the cut face: neighbours have the same bytes */
    const uint8_t *mid = picture_at(&p, SIDE / 2, SIDE / 2 + 8);
    for (int d = -4; d <= 4; d++)
        assert_memory_equal(picture_at(&p, SIDE / 2 + d, SIDE / 2 + 8), mid, 3);
    assert_memory_not_equal(mid, picture_at(&p, 0, 0), 3);
    mrn_picture_destroy(&p);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* ---- contacts ---- */

/* Two grains with corners, in touch at n points. */
static mrn_frame touching(int n, bool corners)
{
    mrn_frame f = scene_frame(2, 0);
    f.part = scene_array(2, sizeof *f.part);
    f.x[3] = 2;
    for (int i = 0; i < 2; i++)
        f.flags[i] = corners ? MRN_BODY_POLYTOPE : 0;
    mrn_contacts *c = &f.contacts;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_FRAME), .n = n};
    assert_int_equal(mrn_contacts_make(c, &def, NULL), MRN_OK);
    c->n = n;
    for (int k = 0; k < n; k++) {
        c->c[k] = 1;
        c->normal[3 * k] = 1;
        c->force[3 * k] = 1 + k;
        c->branch[3 * k] = 2;
        c->point[3 * k] = 1;
        c->point[3 * k + 1] = 0.1 * (k + 1);
        c->gap[k] = 1e-9; /* rigid: pressed without overlap */
    }
    return f;
}

static void points_of_a_pair_are_one_bent_line(void **unused)
{
    (void)unused;
    mrn_header c = flat_cast();
    mrn_look look = unit_look(2);
    look.force_chains = true;
    look.colour_by = "coordination";
    for (int corners = 0; corners < 2; corners++) {
        mrn_frame f = touching(3, corners);
        mrn_link_set links;
        mrn_message msg = {0};
        mrn_paint paint;
        double scale;
        ok(mrn_links_make(&look, &f, &links, &msg), &msg);
        ok(mrn_links_scale(&f, &scale, &msg), &msg);
        ok(mrn_paint_make(&look, &c, &f, &paint, &msg), &msg);
        assert_int_equal(links.n, corners ? 2 : 3);
        /* by the point where the forces act together: (1 * 0.1 + 2 * 0.2 + 3 * 0.3) / 6 */
        if (corners) {
            mrn_vec3 by = links.link[0].a.x == 2 ? links.link[0].b : links.link[1].b;
            assert_true(fabs(by.x - 1) < 1e-12 && fabs(by.y - 1.4 / 6) < 1e-12);
        }
        assert_true(!corners || (links.scale == 6 && scale == 6 && links.link[0].strength == 1));
        assert_true(paint.value[0] == (corners ? 1 : 3));
        mrn_paint_release(&paint);
        mrn_links_release(&links);
        mrn_frame_destroy(&f);
    }
    mrn_header_destroy(&c);
}

/* ---- soundness ---- */

static mrn_frame crowd(int n)
{
    mrn_frame f = scene_frame(n, 0);
    f.part = scene_array((size_t)n, sizeof *f.part);
    for (int i = 0; i < n; i++) {
        f.x[3 * i] = 2 * (i % 3), f.x[3 * i + 1] = 2 * (i / 3 % 3), f.x[3 * i + 2] = 2 * (i / 9);
        f.flags[i] = i % 5 ? MRN_BODY_POLYTOPE : 0;
        f.part[i] = (uint16_t)(i % 4); /* the last one is not there: drawn as a sphere */
        f.radius[i] = 0.8;
        turn_body(&f, i, mrn_v3(1, i, 2), i);
    }
    return f;
}

static void same_bytes_for_any_threads(void **unused)
{
    (void)unused;
    mrn_header c = solid_cast();
    mrn_frame f = crowd(27);
    mrn_look look = unit_look(3);
    mrn_message msg = {0};
    mrn_picture p[2];
    int before = mrn_threads();
    look.has_target = false, look.extent = 0;
    for (int k = 0; k < 2; k++) {
        mrn_threads_set(k == 0 ? 1 : 4);
        ok(mrn_draw(&look, &c, &f, &p[k], &msg), &msg);
    }
    mrn_threads_set(before);
    assert_memory_equal(p[0].rgb, p[1].rgb, 3 * SIDE * SIDE);
    mrn_picture_destroy(&p[0]);
    mrn_picture_destroy(&p[1]);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_header c = dimension == 2 ? flat_cast() : solid_cast();
        mrn_frame f = touching(3, true);
        mrn_look look = bare_look(dimension, 32, 32);
        look.force_chains = dimension == 2;
        look.colour_by = "coordination";
        size_t before = mrn_bytes_in_use();
        mrn_status s = MRN_ERR_MEMORY;
        int k = 0;
        while (s == MRN_ERR_MEMORY) {
            mrn_picture p;
            mrn_message msg = {0};
            mrn_alloc_fail_at(++k);
            s = mrn_draw(&look, &c, &f, &p, &msg);
            mrn_alloc_fail_at(0);
            assert_true(s == MRN_OK || (s == MRN_ERR_MEMORY && msg.status == s && !p.rgb));
            mrn_picture_destroy(&p);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
        assert_int_equal(s, MRN_OK);
        assert_true(k > 10);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_fill_their_pixels),
        cmocka_unit_test(polygons_have_the_colours_of_disks),
        cmocka_unit_test(corners_reach_over_borders),
        cmocka_unit_test(cubes_fill_their_pixels),
        cmocka_unit_test(rays_meet_at_exact_depths),
        cmocka_unit_test(cubes_cast_shadows),
        cmocka_unit_test(slices_cut_polyhedra),
        cmocka_unit_test(points_of_a_pair_are_one_bent_line),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
