/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures of polygons and polyhedra: exact solid fractions, corners that tell the height, several
   contact points of one pair as one contact, stress from points. */
#include "packing_kit.h"

#include <stdlib.h>

#include "measure/measure.h"

/* ---- polytopes in a kit ---- */

static void begin(kit *k, mrn_state *s, int dimension, mrn_polytope *polytope)
{
    kit_begin(k, dimension);
    *s = (mrn_state){0};
    if (dimension == 2)
        assert_int_equal(mrn_polytope_polygon(4, polytope, &k->msg), MRN_OK);
    else
        assert_int_equal(mrn_polytope_regular("cube", polytope, &k->msg), MRN_OK);
    k->scene.polytope = polytope;
    k->scene.n_polytopes = 1;
    k->scene.polytopes = true;
    k->scene.method = mrn_method_find("nonsmooth");
}

/* Edge of the square (cube) of a body of radius 1. */
static double edge_of(int dimension)
{
    return dimension == 2 ? sqrt(MRN_PI) : cbrt(4 * MRN_PI / 3);
}

/* A cube (square) of edge `a`; `upright`: with faces across the axes. The polytope's own axes may
   be turned against its faces: its first face tells. */
static int32_t put_polytope(kit *k, mrn_state *s, mrn_vec3 x, double a, mrn_quat q)
{
    const mrn_polytope *f = k->scene.polytope;
    mrn_body_def d = mrn_body_default();
    d.x = x;
    d.q = q;
    d.radius = a / edge_of(k->scene.dimension);
    d.bound = d.radius * f->bound;
    d.mass = 1000 * (k->scene.dimension == 2 ? a * a : a * a * a);
    d.inertia = d.mass * a * a / 6;
    d.flags = MRN_BODY_POLYTOPE;
    assert_int_equal(mrn_body_add(s, &d, NULL, &k->msg), MRN_OK);
    return s->body.n - 1;
}

static void end(kit *k, mrn_state *s, mrn_polytope *polytope)
{
    mrn_state_destroy(s);
    mrn_polytope_release(polytope);
    kit_end(k);
}

/* The turn that brings the first face of the polytope across x. */
static mrn_quat upright(const mrn_polytope *f)
{
    mrn_vec3 n = mrn_load3(f->part[0].plane), x = {1, 0, 0};
    if (mrn_dot(n, x) < -0.999)
        return (mrn_quat){0, 0, 0, 1};
    mrn_vec3 v = mrn_cross(n, x);
    return mrn_quat_unit((mrn_quat){1 + mrn_dot(n, x), v.x, v.y, v.z});
}

/* ---- packing ---- */

/* Cubes on a periodic lattice fill (a/b)^d of it, to rounding: volumes come from radii. */
static void lattices_have_exact_fractions(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        kit k;
        mrn_state s;
        mrn_polytope polytope;
        mrn_report r;
        double a = 0.8, b = 1;
        begin(&k, &s, dimension, &polytope);
        for (int axis = 0; axis < dimension; axis++)
            kit_periodic(&k, axis, 0, 3 * b);
        put_cell(&k, &s);
        for (int i = 0; i < (dimension == 2 ? 9 : 27); i++)
            put_polytope(&k, &s, mrn_v3(i % 3 * b, i / 3 % 3 * b, dimension == 2 ? 0 : i / 9 * b),
                         a, upright(&polytope));
        assert_int_equal(mrn_measure(&k.scene, &s, NULL, &r, &k.msg), MRN_OK);
        NEAR(r.packing.solid_fraction, pow(a / b, dimension), 1e-14);
        NEAR(r.packing.volume, (dimension == 2 ? 9 : 27) * pow(a, dimension), 1e-12);
        assert_false(r.has_contacts);
        end(&k, &s, &polytope);
    }
}

/* A cube on its face is as high as its edge, on a corner as its diagonal. */
static void corners_tell_the_height(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    begin(&k, &s, 3, &polytope);
    mrn_quat flat = upright(&polytope);
    int32_t i = put_polytope(&k, &s, mrn_v3(0, 0, 0), 2, flat);
    NEAR(mrn_reach(&k.scene, &s, i, mrn_v3(1, 0, 0)), 1, 1e-14);
    /* along a corner: of all directions the farthest, half the diagonal */
    mrn_vec3 corner = mrn_rotate(flat, mrn_unit(mrn_load3(polytope.part[0].point)));
    NEAR(mrn_reach(&k.scene, &s, i, corner), sqrt(3), 1e-14);
    /* turned so that this corner points up */
    mrn_vec3 up = {0, 0, 1}, v = mrn_cross(corner, up);
    mrn_quat stand = mrn_quat_unit((mrn_quat){1 + mrn_dot(corner, up), v.x, v.y, v.z});
    mrn_quat q = mrn_quat_mul(stand, flat);
    memcpy(s.body.q + 4 * i, (double[4]){q.w, q.x, q.y, q.z}, sizeof(double[4]));
    NEAR(mrn_height(&k.scene, &s), sqrt(3), 1e-14);
    /* the sphere of equal volume would be less high */
    assert_true(s.body.radius[i] < 1.3);
    end(&k, &s, &polytope);
}

/* ---- contacts ---- */

static void add_point(mrn_contacts *c, int32_t b, int32_t a, mrn_vec3 p, mrn_vec3 n, double force,
                      double tangential, mrn_vec3 branch)
{
    int64_t k = c->n++;
    c->c[k] = b, c->a[k] = a;
    c->gap[k] = force > 0 ? 1e-9 : -1e-9; /* rigid grains bear at a gap as well */
    mrn_store3(c->point + 3 * k, p);
    mrn_store3(c->normal + 3 * k, n);
    mrn_store3(c->force + 3 * k, mrn_axpy(tangential, mrn_v3(0, 0, 1), mrn_scale(force, n)));
    mrn_store3(c->branch + 3 * k, branch);
}

static mrn_contacts room_for(int n)
{
    mrn_contacts c = {0};
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SNAPSHOT), .n = n};
    assert_int_equal(mrn_contacts_make(&c, &def, NULL), MRN_OK);
    return c;
}

/* Two cubes face to face with four points: one neighbour each, and the stress of the summed force.
 */
static void faces_are_one_contact(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    mrn_report r;
    begin(&k, &s, 3, &polytope);
    for (int axis = 0; axis < 3; axis++)
        kit_periodic(&k, axis, 0, 10);
    put_cell(&k, &s);
    for (int i = 0; i < 2; i++)
        put_polytope(&k, &s, mrn_v3(1 + i, 1, 1), 1, upright(&polytope));
    mrn_contacts c = room_for(4);
    for (int p = 0; p < 4; p++)
        add_point(&c, 1, 0, mrn_v3(1.5, p & 1 ? 1.5 : 0.5, p & 2 ? 1.5 : 0.5), mrn_v3(1, 0, 0),
                  p + 1, 0.25, mrn_v3(1, 0, 0));
    assert_int_equal(mrn_measure(&k.scene, &s, &c, &r, &k.msg), MRN_OK);
    assert_int_equal(r.network.contacts, 1);
    assert_int_equal(r.network.points, 4);
    assert_int_equal(r.network.with_walls, 0);
    NEAR(r.network.coordination, 1, 0);
    NEAR(r.network.neighbours, 1, 0);
    NEAR(r.network.threefold, 1, 0);
    NEAR(r.network.simple + r.network.twofold, 0, 0);
    /* sigma V = sum f (x) l = (1 + 2 + 3 + 4) x (x) x + 4 0.25 z (x) x */
    NEAR(r.stress.contact[MRN_XX], 10 / 1000.0, 1e-16);
    NEAR(r.stress.contact[MRN_XZ], 0.5 * 1 / 1000.0, 1e-16);
    /* four points hold a grain, though it has one neighbour only */
    assert_int_equal(r.network.rattlers, 0);
    mrn_contacts_destroy(&c);
    end(&k, &s, &polytope);
}

/* The same with walls: a block on a floor at four points, one side wall at two, a neighbour at one.
 */
static void shares_of_simple_double_triple(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    mrn_report r;
    begin(&k, &s, 3, &polytope);
    mrn_body_def wall = mrn_body_default();
    wall.flags = MRN_BODY_WALL;
    for (int w = 0; w < 2; w++)
        assert_int_equal(mrn_body_add(&s, &wall, NULL, &k.msg), MRN_OK);
    s.body.n_walls = 2;
    for (int i = 0; i < 2; i++)
        put_polytope(&k, &s, mrn_v3(i, 0, 0.5), 1, upright(&polytope));
    mrn_contacts c = room_for(8);
    for (int p = 0; p < 4; p++) {
        mrn_vec3 at = {p & 1 ? 0.5 : -0.5, p & 2 ? 0.5 : -0.5, 0};
        add_point(&c, 2, 0, at, mrn_v3(0, 0, 1), 1, 0, mrn_sub(mrn_v3(0, 0, 0.5), at));
    }
    for (int p = 0; p < 2; p++) {
        mrn_vec3 at = {-0.5, 0, p};
        add_point(&c, 2, 1, at, mrn_v3(1, 0, 0), 1, 0, mrn_sub(mrn_v3(0, 0, 0.5), at));
    }
    add_point(&c, 3, 2, mrn_v3(0.5, 0, 0.5), mrn_v3(1, 0, 0), 2, 0, mrn_v3(1, 0, 0));
    add_point(&c, 3, 2, mrn_v3(0.5, 0, 0.7), mrn_v3(1, 0, 0), -1, 0, mrn_v3(1, 0, 0));
    c.gap[7] = 1e-9; /* near, and neither overlapping nor pressed: no contact */
    assert_int_equal(mrn_measure(&k.scene, &s, &c, &r, &k.msg), MRN_OK);
    assert_int_equal(r.network.contacts, 3);
    assert_int_equal(r.network.with_walls, 2);
    assert_int_equal(r.network.points, 7);
    NEAR(r.network.simple, 1.0 / 3, 1e-16);
    NEAR(r.network.twofold, 1.0 / 3, 1e-16);
    NEAR(r.network.threefold, 1.0 / 3, 1e-16);
    NEAR(r.network.coordination, (3 + 1) / 2.0, 0);
    mrn_contacts_destroy(&c);
    end(&k, &s, &polytope);
}

/* The contact points of the non-smooth engine serve when no contacts are given: impulse over step,
   points of bodies that have left do not count. */
static void touches_serve(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    mrn_report r;
    begin(&k, &s, 3, &polytope);
    for (int axis = 0; axis < 3; axis++)
        kit_periodic(&k, axis, 0, 10);
    put_cell(&k, &s);
    s.h = 0.01;
    for (int i = 0; i < 3; i++)
        put_polytope(&k, &s, mrn_v3(1 + i, 1, 1), 1, upright(&polytope));
    mrn_contacts *t = &s.contact;
    mrn_contacts_def def = {
        .columns = mrn_contacts_columns(MRN_CONTACTS_POINTS), .n = 5, .impulse_width = 3};
    assert_int_equal(mrn_contacts_make(t, &def, &k.msg), MRN_OK);
    for (int p = 0; p < 5; p++) {
        t->id_c[p] = p < 4 ? 1 : 2;
        t->id_a[p] = p < 4 ? 0 : 7; /* no such body */
        t->gap[p] = p == 0 ? -1e-9 : 1e-9;
        mrn_store3(t->point + 3 * p, mrn_v3(1.5, 1, 1));
        mrn_store3(t->normal + 3 * p, mrn_v3(1, 0, 0));
        mrn_store3(t->tangent + 3 * p, mrn_v3(0, 1, 0));
        memcpy(t->impulse + 3 * p, (double[3]){p == 3 ? 0 : 0.02 * p, 0.01, 0.005},
               sizeof(double[3]));
    }
    t->n = 5;
    assert_int_equal(mrn_measure(&k.scene, &s, NULL, &r, &k.msg), MRN_OK);
    assert_false(r.has_contacts); /* nothing was detected yet: a state from a frame */
    assert_int_equal(mrn_pairs_build(&k.scene, &s, false, &k.msg), MRN_OK);
    assert_int_equal(mrn_measure(&k.scene, &s, NULL, &r, &k.msg), MRN_OK);
    assert_true(r.has_contacts);
    assert_int_equal(r.network.points, 3); /* 0 overlaps, 1 and 2 bear; 3 does neither */
    assert_int_equal(r.network.contacts, 1);
    NEAR(r.stress.contact[MRN_XX], (2 + 4) / 1000.0, 1e-16);
    NEAR(r.stress.contact[MRN_XY], 0.5 * 3 / 1000.0, 1e-16);
    NEAR(r.stress.contact[MRN_XZ], 0.5 * 1.5 / 1000.0, 1e-16); /* the third axis is x cross y */
    end(&k, &s, &polytope);
}

/* Under the smooth engine the neighbour list serves: normal and overlap are those of the region two
   cubes share, a small one on a face of a large one, beside its middle. */
static void the_list_serves(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    mrn_report r;
    begin(&k, &s, 3, &polytope);
    k.scene.method = mrn_method_find("smooth");
    for (int i = 0; i < 2; i++)
        put_polytope(&k, &s, mrn_v3(0.69 * i, 0.25 * i, 0.1 * i), i == 0 ? 1 : 0.4,
                     upright(&polytope));
    assert_int_equal(mrn_pairs_build(&k.scene, &s, false, &k.msg), MRN_OK);
    assert_int_equal(s.pair.n, 1);
    int32_t c = s.pair.row[1] > 0 ? 0 : 1; /* who owns the pair */
    double sign = s.body.x[3 * c] > 0.5 ? 1 : -1, ri = s.body.radius[0], rj = s.body.radius[1];
    s.contact.flags[0] = MRN_CONTACT_ALIVE;
    mrn_store3(s.contact.force, mrn_v3(sign * 10, 2, 0));
    assert_int_equal(mrn_measure(&k.scene, &s, NULL, &r, &k.msg), MRN_OK);
    assert_int_equal(r.network.contacts, 1);
    NEAR(r.forces.mean_normal, 10, 1e-12);
    NEAR(r.forces.mean_tangential, 2, 1e-12);
    NEAR(r.network.max_overlap, 0.01 / (ri * rj / (ri + rj)), 1e-12);
    assert_true(isnan(r.network.simple)); /* a region, no points */
    mrn_contacts net = {0};
    assert_int_equal(mrn_contacts_collect(&k.scene, &s, 0, &net, &k.msg), MRN_OK);
    assert_int_equal(net.n, 1);
    NEAR(net.gap[0], -0.01, 1e-14);
    NEAR(net.normal[0], sign, 1e-14);
    NEAR(net.point[0], 0.495, 1e-14);
    NEAR(net.point[1], 0.25, 1e-14);
    mrn_contacts_destroy(&net);
    end(&k, &s, &polytope);
}

/* A heap of cubes on their faces in steps of 45 degrees: the surface is at their tops. */
static void heaps_reach_to_corners(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_polytope polytope;
    mrn_repose r;
    begin(&k, &s, 2, &polytope);
    s.gravity[1] = -9.81;
    for (int y = 0; y < 12; y++)
        for (int x = -12; x <= 12; x++)
            if (abs(x) <= 12 - y)
                put_polytope(&k, &s, mrn_v3(x, y + 0.5, 0), 1, upright(&polytope));
    assert_int_equal(mrn_repose_of(&k.scene, &s, &r, &k.msg), MRN_OK);
    /* top of the highest but one column (see repose.c) above the floor: an integer, not that plus
       the difference of radius and half edge */
    NEAR(r.height, rint(r.height), 1e-12);
    /* columns are 1.13 edges wide and hold one step or two */
    NEAR(r.angle, 45, 4);
    end(&k, &s, &polytope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_exact_fractions),
        cmocka_unit_test(corners_tell_the_height),
        cmocka_unit_test(faces_are_one_contact),
        cmocka_unit_test(shares_of_simple_double_triple),
        cmocka_unit_test(touches_serve),
        cmocka_unit_test(the_list_serves),
        cmocka_unit_test(heaps_reach_to_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
