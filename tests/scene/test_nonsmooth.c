/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the non-smooth engine needs from a scene: choices, laws of rigid grains, grains with corners
   in the frame in which they were given, joints, degrees of freedom that are imposed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"
#include "scene/format.h"

#define GOOD(name) MRN_TEST_SOURCE "/tests/scenes/good/" name ".yaml"

static mrn_scene read_set(const char *path, const char *set)
{
    mrn_scene s;
    mrn_message msg = {0};
    if (mrn_scene_read(path, &set, set != NULL, &s, &msg) != MRN_OK) {
        char text[2048];
        mrn_message_format(&msg, text, sizeof text);
        fail_msg("%s", text);
    }
    return s;
}

/* Values that come from a few operations on decimal numbers. */
static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void near3(mrn_vec3 a, double x, double y, double z)
{
    near(a.x, x), near(a.y, y), near(a.z, z);
}

static const mrn_group *group(const mrn_scene *s, const char *name)
{
    int k = mrn_scene_find_group(s, name);
    assert_true(k >= 0);
    return &s->group[k];
}

static double at(const mrn_signal *x, double t)
{
    return mrn_signal_value(x, (mrn_instant){t, t}, NULL);
}

/* ---- choices ---- */

static void test_choices(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polygons"), NULL);
    const mrn_nonsmooth_options *n = &s.nonsmooth;
    const mrn_solver *nlgs = mrn_solver_find("nlgs");
    assert_string_equal(s.method->name, "nonsmooth");
    assert_true(mrn_rigid_contacts(&s) && s.polytopes && s.moments && !s.range && s.history == 0);
    assert_int_equal(s.contact_kind, MRN_CONTACT_2D_ROLLING);
    assert_true(n->theta == 0.6 && n->tolerance == 1e-6 && n->threshold == 0.01);
    near(n->alert, 0.2e-3), near(n->slop, 2e-6), near(n->sleep_speed, 1e-3);
    assert_true(n->gap_rule == MRN_GAP_CLOSING && n->criterion == MRN_STOP_QUADRATIC);
    assert_true(n->max_iterations == 500 && n->check_every == 5);
    assert_true(n->unsolved == MRN_UNSOLVED_SWITCH && !n->project && n->sleep && !n->stored);
    assert_string_equal(n->solver, "nlgs");
    assert_string_equal(n->fallback, "admm");
    for (int i = 0; i < nlgs->n_params; i++) {
        if (strcmp(nlgs->params[i].name, "relaxation") == 0)
            assert_true(n->option[i].number == 1.2);
        if (strcmp(nlgs->params[i].name, "order") == 0)
            assert_string_equal(nlgs->params[i].choices[(int)n->option[i].number], "random");
        if (strcmp(nlgs->params[i].name, "local") == 0) /* not named: as it was */
            assert_true(n->option[i].number == mrn_nonsmooth_default().option[i].number);
    }
    /* a stage changes what it names, from what was in force */
    assert_true(!s.stage[0].has_nonsmooth && s.stage[1].has_nonsmooth && !s.stage[2].has_nonsmooth);
    assert_true(s.stage[1].nonsmooth.tolerance == 1e-8 && s.stage[1].nonsmooth.theta == 0.6);
    assert_string_equal(s.stage[1].nonsmooth.solver, "hybrid");
    for (int k = 0; k < 3; k++) {
        mrn_message msg = {0};
        assert_int_equal(mrn_scene_enter_stage(&s, k, &msg), MRN_OK);
        assert_true(s.nonsmooth.tolerance == (k == 0 ? 1e-6 : 1e-8));
        assert_true(s.nonsmooth.stored == (k > 0) && s.nonsmooth.sleep);
    }
    mrn_scene_destroy(&s);
}

/* The default that the documentation of a key tells. */
static double told(const char *key)
{
    char words[80];
    return strtod(mrn_key_usual(mrn_key_find(&mrn_schema_nonsmooth, key), words, sizeof words),
                  NULL);
}

static void test_defaults(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polyhedra"), NULL);
    mrn_nonsmooth_options n = mrn_nonsmooth_default();
    assert_true(n.theta == 0.5 && n.gap_rule == MRN_GAP_MIXED);
    assert_true(n.theta == told("theta") && n.tolerance == told("tolerance"));
    assert_true(n.criterion == MRN_STOP_NATURAL && n.unsolved == MRN_UNSOLVED_SWITCH);
    assert_true(isnan(n.threshold) && n.project && n.stored && !n.sleep);
    assert_string_equal(n.solver, "nlgs");
    assert_string_equal(n.fallback, "hybrid");
    assert_true(s.nonsmooth.theta == n.theta && isnan(s.nonsmooth.threshold));
    assert_memory_equal(s.nonsmooth.option, n.option, sizeof n.option);
    mrn_scene_destroy(&s);
}

/* ---- laws ---- */

static void test_laws(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polygons"), NULL);
    mrn_rigid x = s.interaction[0].rigid;
    assert_true(x.restitution == 0.2 && x.restitution_t == 0.1 && x.rolling == 0.05);
    near(x.friction, tan(MRN_PI / 6)), near(x.pull_force, 1e-3), near(x.compliance, 1e-6);
    assert_true(x.pivoting == 0.02 && x.pull_per_radius == 0.1);
    mrn_scene_destroy(&s);
    s = read_set(GOOD("polyhedra"), NULL);
    const mrn_rigid *stone = &s.interaction[s.pair_of[0]].rigid;
    const mrn_rigid *mixed = &s.interaction[s.pair_of[1]].rigid;
    assert_true(stone->restitution == 0.4 && stone->friction == 0.5 && stone->rolling == 0);
    assert_true(stone->pivoting == 0.02);
    near(stone->pull_per_radius, 1.5 * MRN_PI * 0.1);
    assert_true(mixed->restitution == 0.3 && mixed->rolling == 0.1 && mixed->pull_per_radius == 0);
    assert_int_equal(s.contact_kind, MRN_CONTACT_3D_PIVOTING);
    mrn_scene_destroy(&s);
}

/* One word changes the method; choices may stand under either, and are looked at only where used.
 */
static void test_switch(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("switch"), NULL);
    assert_true(!mrn_rigid_contacts(&s) && s.range && s.polytopes);
    assert_string_equal(s.nonsmooth.solver, "interior-point");
    mrn_scene_destroy(&s);
    const char *set[] = {"method=nonsmooth", "nonsmooth.criterion=natural"};
    mrn_message msg = {0};
    assert_int_equal(mrn_scene_read(GOOD("switch"), set, 1, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "needs a solver that sweeps"));
    assert_int_equal(mrn_scene_read(GOOD("switch"), set, 2, &s, &msg), MRN_OK);
    assert_true(mrn_rigid_contacts(&s) && !s.range && s.history == 0);
    assert_int_equal(s.contact_kind, MRN_CONTACT_3D);
    near(s.interaction[0].rigid.pull_per_radius, 4 * MRN_PI * 0.072 * cos(MRN_PI / 9));
    assert_true(s.interaction[0].rigid.restitution == 0.9);
    mrn_scene_destroy(&s);
}

/* ---- grains with corners ---- */

/* Corners of a listed grain where its body stands. */
static mrn_vec3 corner(const mrn_scene *s, const mrn_group *g, int grain, int part, int k)
{
    const mrn_grain *x = &g->grain[grain];
    double r = isnan(x->radius) ? g->size.mean : x->radius;
    const mrn_convex *c = &s->polytope[g->polytope].part[part];
    return mrn_axpy(r, mrn_rotate(x->q, mrn_load3(c->point + 3 * k)), x->x);
}

static void has_corner(const mrn_scene *s, const mrn_group *g, int grain, double x, double y,
                       double z)
{
    const mrn_polytope *f = &s->polytope[g->polytope];
    for (int part = 0; part < f->n_parts; part++)
        for (int k = 0; k < f->part[part].n_points; k++) {
            mrn_vec3 c = corner(s, g, grain, part, k);
            if (fabs(c.x - x) + fabs(c.y - y) + fabs(c.z - z) < 1e-12)
                return;
        }
    fail_msg("'%s' has no corner at %g %g %g", g->name, x, y, z);
}

static void test_polygons(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polygons"), NULL);
    const mrn_group *g = group(&s, "bricks");
    near(g->size.mean, sqrt(8e-4 / MRN_PI)); /* 4 cm x 2 cm */
    has_corner(&s, g, 0, -0.02, 0, 0), has_corner(&s, g, 0, 0.02, 0.02, 0);
    has_corner(&s, g, 2, -0.01, 0.04, 0), has_corner(&s, g, 2, 0.01, 0.08, 0);
    /* the centre of mass of the triangle is at its given position, its frame unturned */
    g = group(&s, "wedges");
    has_corner(&s, g, 0, 0.2 - 0.02 / 3, 0.05 - 0.01 / 3, 0);
    has_corner(&s, g, 0, 0.2 + 0.04 / 3, 0.05 - 0.01 / 3, 0);
    has_corner(&s, g, 0, 0.2 - 0.02 / 3, 0.05 + 0.02 / 3, 0);
    /* five sides, standing on one; of equal area with a disk of 2 cm */
    g = group(&s, "pentagons");
    double area = MRN_PI * 1e-4, out = sqrt(area / (2.5 * sin(0.4 * MRN_PI)));
    has_corner(&s, g, 0, 0, 0.1 + out, 0);
    has_corner(&s, g, 0, out * sin(MRN_PI / 5), 0.1 - out * cos(MRN_PI / 5), 0);
    has_corner(&s, g, 1, 0.05, 0.1 - 0.5 * out, 0); /* turned by half a side, half as large */
    assert_true(g->grain[1].radius == 0.005);
    g = group(&s, "angles");
    assert_int_equal(s.polytope[g->polytope].n_parts, 2);
    assert_true(g->size.mean == 0.015 && fabs(g->grain[0].q.w) > 0); /* as it is given */
    mrn_scene_destroy(&s);
}

static void test_polyhedra(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polyhedra"), NULL);
    const mrn_group *g = group(&s, "dice");
    double half = 0.5 * cbrt(4.0 / 3 * MRN_PI) * 0.01;
    has_corner(&s, g, 0, half, half, 0.01 + half), has_corner(&s, g, 0, -half, half, 0.01 - half);
    g = group(&s, "bricks");
    near(g->size.mean, cbrt(1e-6 * 0.75 / MRN_PI));
    has_corner(&s, g, 0, 0.11, 0.005, 0.0125), has_corner(&s, g, 0, 0.09, -0.005, 0.0075);
    g = group(&s, "slabs"); /* 3 x 2 x 1 turned by 90 degrees about y: 1 x 2 x 3 */
    double unit = cbrt(4.0 / 3 * MRN_PI / 6) * 0.01;
    has_corner(&s, g, 0, 0.2 + 0.5 * unit, unit, 0.01 + 1.5 * unit);
    g = group(&s, "wedges");
    near(g->size.mean, cbrt(8e-6 / 6 * 0.75 / MRN_PI));
    g = group(&s, "angles"); /* two boxes of 3 cm3 that share 1 cm3 */
    near(g->size.mean, cbrt(5e-6 * 0.75 / MRN_PI));
    assert_int_equal(s.polytope[g->polytope].n_parts, 2);
    g = group(&s, "scans");
    assert_int_equal(s.polytope[g->polytope].part[0].n_points, 6);
    g = group(&s, "balls");
    assert_int_equal(s.polytope[g->polytope].part[0].n_points, 60);
    mrn_scene_destroy(&s);
}

static bool same_polytope(const mrn_polytope *a, const mrn_polytope *b)
{
    size_t n = (size_t)a->part[0].n_points;
    return a->part[0].n_points == b->part[0].n_points &&
           memcmp(a->part[0].point, b->part[0].point, 3 * n * sizeof(double)) == 0;
}

/* Variants differ from each other, from group to group and from seed to seed, and are made again.
 */
static void test_variants(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polygons"), NULL), again = read_set(GOOD("polygons"), NULL);
    mrn_scene other = read_set(GOOD("polygons"), "seed=8");
    const mrn_group *g = group(&s, "gravel"), *more = group(&s, "more");
    assert_true(g->n_polytopes == 6 && more->n_polytopes == 3);
    for (int k = 0; k < 6; k++) {
        const mrn_polytope *f = &s.polytope[g->polytope + k];
        assert_int_equal(f->part[0].n_points, 8);
        assert_true(same_polytope(f, &again.polytope[g->polytope + k]));
        assert_false(same_polytope(f, &other.polytope[g->polytope + k]));
        for (int i = 0; i < k; i++)
            assert_false(same_polytope(f, &s.polytope[g->polytope + i]));
    }
    assert_false(same_polytope(&s.polytope[g->polytope], &s.polytope[more->polytope]));
    /* sieve sizes, on the mean of all variants */
    double sieve = 0;
    for (int k = 0; k < 6; k++)
        sieve += mrn_polytope_sieve(&s.polytope[g->polytope + k]) / 6;
    near(g->size.lo * sieve, 8e-3), near(g->size.hi * sieve, 12e-3);
    mrn_scene_destroy(&s);
    mrn_scene_destroy(&again);
    mrn_scene_destroy(&other);
}

/* ---- joints and degrees of freedom ---- */

static void is_end(const mrn_scene *s, const mrn_joint_end *e, const char *name, int grain)
{
    bool ground = strcmp(name, "ground") == 0;
    assert_int_equal(e->wall, ground ? -1 : mrn_scene_find_wall(s, name));
    assert_int_equal(e->group, mrn_scene_find_group(s, name));
    assert_int_equal(e->grain, grain);
}

static void test_joints_2d(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polygons"), NULL);
    assert_int_equal(s.n_joints, 4);
    const mrn_joint *j = s.joint;
    assert_string_equal(j[0].name, "pendulum");
    assert_string_equal(j[1].name, "joint-2");
    assert_true(j[0].kind == MRN_JOINT_HINGE && j[0].motor && j[0].limit == 5);
    near3(j[0].point, 0.8, 0.15, 0), near3(j[0].axis, 0, 0, 1);
    near(at(&j[0].speed, 2), sin(2));
    is_end(&s, &j[0].end[0], "ground", 0), is_end(&s, &j[0].end[1], "bob", 0);
    assert_true(j[1].kind == MRN_JOINT_SLIDER && j[1].motor && isinf(j[1].limit));
    near3(j[1].axis, 0.6, 0.8, 0), near3(j[1].point, 0.9, 0.05, 0); /* that of the grain */
    is_end(&s, &j[1].end[0], "floor", 0), is_end(&s, &j[1].end[1], "bob", 1);
    assert_true(j[2].kind == MRN_JOINT_SPRING && j[2].stiffness == 100 && j[2].damping == 1);
    near(j[2].rest, 0.08), near3(j[2].point, 0.8, 0.05, 0), near3(j[2].point2, 0.9, 0.05, 0);
    assert_true(j[3].kind == MRN_JOINT_BALL && !j[3].motor);
    const mrn_group *g = group(&s, "paddle");
    assert_int_equal(g->held, MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ);
    assert_true(at(&g->drive[0], 1) == 0);
    near(at(&g->drive[5], 1), 2 * sin(1));
    assert_int_equal(group(&s, "bob")->held, 0);
    mrn_scene_destroy(&s);
}

static void test_joints(void **unused)
{
    (void)unused;
    mrn_scene s = read_set(GOOD("polyhedra"), NULL);
    const mrn_joint *j = s.joint;
    assert_int_equal(s.n_joints, 6);
    near3(j[0].axis, 0, 0, 1), near(at(&j[0].speed, 0), MRN_PI);
    assert_true(isinf(j[0].limit));
    assert_true(j[1].kind == MRN_JOINT_FIXED);
    near3(j[1].point, 0.1, 0, 0.01); /* that of the second body */
    is_end(&s, &j[2].end[1], "balls", 1);
    assert_true(j[4].motor && j[4].limit == 50);
    near(at(&j[4].speed, 1), 0.01 * sin(1));
    assert_true(isnan(j[5].rest) && j[5].stiffness == 0 && j[5].damping == 2);
    assert_int_equal(group(&s, "rotor")->held, MRN_DOF_X | MRN_DOF_RX | MRN_DOF_RY);
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),  cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_laws),     cmocka_unit_test(test_switch),
        cmocka_unit_test(test_polygons), cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_joints_2d),
        cmocka_unit_test(test_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
