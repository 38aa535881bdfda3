/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes with drives, mixtures of laws and clusters: every value arrives where it belongs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define GOOD(name) MRN_TEST_SOURCE "/tests/scenes/good/" name ".yaml"

static mrn_scene read_scene(const char *path)
{
    mrn_scene s;
    mrn_message msg = {0};
    if (mrn_scene_read(path, NULL, 0, &s, &msg) != MRN_OK) {
        char text[2048];
        mrn_message_format(&msg, text, sizeof text);
        fail_msg("%s", text);
    }
    return s;
}

static double at(const mrn_signal *x, double t, double s)
{
    return mrn_signal_value(x, (mrn_instant){t, s}, NULL);
}

/* Values that come from a few operations on decimal numbers. */
static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-14 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_drives(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("drives"));
    assert_int_equal(s.integrator, MRN_GEAR);
    assert_true(s.damping.global == 5 && s.damping.local == 0.3);
    /* tilted by 0.25 rad after 1 s of the stage, towards +x */
    near(at(&s.gravity_of[0], 9, 1), 9.81 * sin(0.25));
    assert_true(mrn_signal_is_zero(&s.gravity_of[1]));
    near(at(&s.gravity_of[2], 9, 1), -9.81 * cos(0.25));
    assert_true(s.gravity.x == 0 && s.gravity.z == -9.81);
    const mrn_motion *m = &s.wall[0].motion;
    assert_int_equal(m->kind, MRN_MOTION_PATH);
    assert_true(m->velocity.x == 1e-3);
    assert_int_equal(m->path[1].kind, MRN_SIGNAL_TABLE);
    assert_string_equal(m->path[1].text, "path.csv");
    near(at(&m->path[1], 0.25, 0), 0.5e-3); /* half way to 1 mm */
    near(at(&m->path[2], 0.0125, 0), 1e-3);
    m = &s.wall[1].motion;
    assert_int_equal(m->kind, MRN_MOTION_SERVO);
    assert_true(m->servo_pressure && m->servo_direction.z == -1 && m->servo_max_speed == 0.1);
    near(at(&m->servo_target, 0, 0.5), 5500);
    m = &s.wall[2].motion;
    assert_true(m->kind == MRN_MOTION_PATH && m->axis.y == 1 && m->has_about);
    near(at(&m->angle, 0.25, 0), 0.3);
    m = &s.wall[3].motion;
    assert_false(m->servo_pressure);
    near(at(&m->servo_target, 0.5, 0), 4); /* 2, times 2 */
    mrn_scene_destroy(&s);
}

static void test_sources(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("drives"));
    const mrn_group *feed = &s.group[1], *heavy = &s.group[2];
    assert_int_equal(feed->place, MRN_PLACE_INLET);
    assert_true(feed->inlet.limit == 500 && feed->count == 0 && !feed->inlet.by_mass);
    assert_true(feed->inlet.begin == 0.1 && feed->inlet.end == 2 && feed->velocity.z == -0.5);
    assert_true(feed->inlet.rate.constant == 200 && feed->region.lo.z == 0.09);
    assert_true(heavy->inlet.by_mass && heavy->inlet.limit == 0 && isinf(heavy->inlet.end));
    assert_true(heavy->region.kind == MRN_REGION_CYLINDER && heavy->region.radius == 0.005);
    near(at(&heavy->inlet.rate, 1, 0), 0.02);
    assert_int_equal(s.n_forces, 2);
    assert_true(s.force[0].per_mass && s.force[0].group == 0 && !s.force[1].per_mass);
    assert_string_equal(s.force[1].name, "force-2");
    assert_true(s.force[1].group == -1 && s.force[1].force[2].constant == 1e-3);
    near(at(&s.force[1].torque[2], 3, 0), 6e-9);
    assert_int_equal(s.n_outlets, 3);
    assert_true(s.outlet[0].region.hi.z == -0.01 && isinf(s.outlet[0].region.lo.z));
    assert_true(isinf(s.outlet[0].region.hi.x) && s.outlet[0].group == -1);
    assert_true(s.outlet[1].outside && s.outlet[1].group == 1);
    assert_true(s.outlet[2].region.lo.x == 1 && isinf(s.outlet[2].region.hi.x));
    assert_true(s.output.fields && s.output.fields_width == 0.003);
    assert_true(s.output.fields_spacing == 0.002 && s.output.fields_every == 0.005);
    mrn_scene_destroy(&s);
}

static void test_stage_drives(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("drives"));
    const mrn_stage *shear = &s.stage[1], *again = &s.stage[2];
    assert_true(shear->has_forces && shear->n_forces == 0);
    assert_true(shear->has_damping && shear->damping.global == 5 && shear->damping.local == 0);
    assert_true(again->damping.global == 0 && again->damping.local == 0); /* 0 stays */
    assert_int_equal(shear->n_inlets, 2);
    assert_true(shear->inlet_group[0] == 1 && !shear->inlet_open[0] && shear->inlet_open[1]);
    near(at(&shear->gravity[1], 0.25, 0), 0.5);
    near(at(&again->gravity[1], 0, 0), -9.81 * 0.5); /* about x: towards -y */
    near(at(&again->gravity[2], 0, 0), -9.81 * sqrt(0.75));
    assert_int_equal(again->n_forces, 1);
    /* the scene takes them over, stage by stage, in memory of its own */
    for (int k = 0; k < 3; k++)
        assert_int_equal(mrn_scene_enter_stage(&s, k, NULL), MRN_OK);
    assert_int_equal(s.n_forces, 1);
    assert_true(s.force != s.stage[2].force && s.damping.global == 0);
    near(at(&s.wall[0].motion.path[2], 7, 2), 2e-3);
    near(at(&s.gravity_of[1], 0, 0), -9.81 * 0.5);
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_control(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("control"));
    const mrn_cell_control *c = &s.cell.control;
    for (int k = 0; k < MRN_STRAINS; k++) {
        assert_int_equal(c->kind[k], k < 3 ? MRN_CONTROL_STRESS : MRN_CONTROL_RATE);
        assert_true(c->target[k].constant == (k < 3 ? 1e5 : 0));
    }
    assert_true(c->max_rate == 2 && c->response == 0.005);
    c = &s.stage[1].control;
    assert_true(c->kind[MRN_XX] == MRN_CONTROL_STRESS && c->kind[MRN_ZZ] == MRN_CONTROL_STRESS);
    assert_true(c->kind[MRN_YY] == MRN_CONTROL_RATE && c->target[MRN_YY].constant == -0.01);
    c = &s.stage[2].control;
    assert_true(c->target[MRN_XZ].constant == 1 && c->kind[MRN_XZ] == MRN_CONTROL_RATE);
    assert_true(c->kind[MRN_ZZ] == MRN_CONTROL_STRESS && c->target[MRN_ZZ].constant == 1e4);
    assert_true(c->kind[MRN_XX] == MRN_CONTROL_RATE && mrn_signal_is_zero(&c->target[MRN_XX]));
    c = &s.stage[3].control;
    near(at(&c->target[MRN_XX], 0.5, 0), 1.5e5);
    assert_true(c->kind[MRN_YZ] == MRN_CONTROL_STRESS && c->target[MRN_YZ].constant == 2000);
    c = &s.stage[4].control;
    near(at(&c->target[MRN_ZZ], 0, 0.1), -0.1);
    mrn_scene_destroy(&s);
}

static void test_plane(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("control-2d"));
    /* turned by +10 degrees about z: grains slide towards -x */
    near(s.gravity.x, -9.81 * sin(MRN_PI / 18));
    near(s.gravity.y, -9.81 * cos(MRN_PI / 18));
    assert_true(s.cell.control.kind[MRN_XX] == MRN_CONTROL_STRESS);
    assert_true(s.cell.control.target[MRN_YY].constant == -0.01);
    near(at(&s.force[0].torque[2], 1, 0), 1e-3 * sin(1.0));
    assert_true(s.force[0].per_mass && s.force[0].force[0].constant == 1);
    mrn_scene_destroy(&s);
}

/* ---- laws ---- */

static const mrn_law *part(const mrn_interaction *x, mrn_law_kind kind, const char *name)
{
    assert_non_null(x->model.part[kind]);
    assert_string_equal(x->model.part[kind]->name, name);
    return x->model.part[kind];
}

static double value_of(const mrn_interaction *x, const char *name)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, param);
    for (int i = 0; i < n; i++)
        if (strcmp(param[i]->name, name) == 0)
            return x->value[i].number;
    fail_msg("no parameter %s", name);
    return NAN;
}

static void test_mixture(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("mixture"));
    const mrn_interaction *glass = &s.interaction[s.pair_of[0]];
    const mrn_interaction *both = &s.interaction[s.pair_of[1]];
    const mrn_interaction *clay = &s.interaction[s.pair_of[3]];
    part(glass, MRN_LAW_NORMAL, "tsuji");
    part(glass, MRN_LAW_TANGENTIAL, "mindlin");
    part(glass, MRN_LAW_ROLLING, "elastic-plastic");
    part(glass, MRN_LAW_COHESION, "jkr");
    assert_true(value_of(glass, "rolling-friction") == 0.05);
    assert_true(value_of(glass, "surface-energy") == 0.02);
    assert_null(both->model.part[MRN_LAW_TANGENTIAL]);
    part(clay, MRN_LAW_TWISTING, "constant");
    assert_true(fabs(value_of(clay, "friction") - 1) < 1e-15);
    assert_true(s.moments && s.range);
    /* a mixture that has a name goes by it; a parameter alone changes the mixture in force */
    const mrn_interaction *x = s.stage[1].interaction;
    for (int i = 0; i < 2; i++)
        if (x[i].a == 1)
            assert_string_equal(x[i].model.name, "linear");
        else {
            part(&x[i], MRN_LAW_COHESION, "jkr");
            assert_true(value_of(&x[i], "rolling-friction") == 0.1);
            assert_true(value_of(&x[i], "friction") == 0.5);
        }
    mrn_scene_destroy(&s);
}

/* ---- clusters ---- */

/* Where the first sphere of a cluster is, seen from the second. */
static mrn_vec3 arm(const mrn_scene *s, const mrn_group *g, int grain, int from, int to)
{
    const mrn_cluster *c = &s->cluster[g->cluster];
    mrn_vec3 d = mrn_sub(mrn_load3(c->centre + 3 * to), mrn_load3(c->centre + 3 * from));
    d = mrn_rotate(g->grain[grain].q, d);
    return mrn_scale(1 / mrn_norm(d), d);
}

static void test_clusters(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("clusters"));
    static const char *const names[] = {"peanut", "pebble", "stick", "jack", "dimer"};
    static const int spheres[] = {2, 4, 7, 9, 2};
    assert_int_equal(s.n_clusters, 5); /* the ready-made one came with its first use */
    for (int i = 0; i < 5; i++) {
        assert_string_equal(s.cluster[i].name, names[i]);
        assert_int_equal(s.cluster[i].n, spheres[i]);
        assert_true(s.cluster[i].inertia[0] > 0 && s.cluster[i].bound > 1);
    }
    assert_true(s.cluster[0].exact && s.cluster[4].exact);
    assert_string_equal(s.shape[s.group[0].shape].type->name, "cluster");
    assert_int_equal(s.group[1].cluster, 1);
    assert_true(s.group[1].size.mean == 0.002 && s.group[0].size.hi == 0.0015);
    /* a rod along x in its template, turned by 90 degrees about y, points down */
    const mrn_group *sticks = &s.group[2];
    for (int i = 0; i < 2; i++) {
        mrn_vec3 d = arm(&s, sticks, i, 0, 6);
        assert_true(fabs(d.x) < 1e-4 && fabs(d.y) < 1e-4 && fabs(d.z + 1) < 1e-4);
    }
    mrn_quat q = sticks->grain[2].q; /* none given: drawn later */
    assert_true(q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0);
    /* from a table: as it is, and turned by 180 degrees about y */
    mrn_vec3 a = arm(&s, &s.group[4], 0, 0, 4), b = arm(&s, &s.group[4], 1, 0, 4);
    assert_true(fabs(a.x - 1) < 1e-9 && fabs(b.x + 1) < 1e-9);
    mrn_scene_destroy(&s);
}

static void test_clusters_2d(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("clusters-2d"));
    assert_int_equal(s.n_clusters, 2);
    mrn_vec3 d = arm(&s, &s.group[0], 0, 0, 1); /* along y, turned by 90 degrees */
    assert_true(fabs(d.x + 1) < 1e-12 && fabs(d.y) < 1e-12);
    assert_int_equal(s.cluster[1].n, 3);
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* ---- tables of signals ---- */

typedef struct table_case {
    const char *text;
    int line, column;
    const char *words;
} table_case;

static const table_case tables[] = {
    {"", 1, 1, "is empty"},
    {"time,value\n", 1, 1, "the table holds no row"},
    {"0,1\n1,2\n", 1, 1, "the table has no header line"},
    {"time\n1\n", 1, 1, "one column only"},
    {"time,value\n0,1\n0,2\n", 3, 1, "time 0 does not come after"},
    {"time,value\n0,1\n1,x\n", 3, 3, "not a number: 'x'"},
    {"time,value\n0,1\n1\n", 3, 1, "too few"},
};

static const char scene_with_table[] =
    "moraine: 1\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 1, friction: 0}]\n"
    "gravity: [0, 0, {table: t.csv}]\n"
    "bodies: [{shape: {sphere: {diameter: 1}}, place: {list: [[0, 0, 0]]}}]\n"
    "stages: [{at-most: 1}]\n";

static void test_tables(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/moraine-XXXXXX", csv[64], name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/t.csv", folder);
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const table_case *c = &tables[i];
        FILE *f = fopen(csv, "w");
        assert_non_null(f);
        fputs(c->text, f);
        fclose(f);
        mrn_scene scene;
        mrn_message msg = {0};
        mrn_status s = mrn_scene_read_text(scene_with_table, name, NULL, 0, &scene, &msg);
        if (s != MRN_ERR_INPUT || strcmp(msg.file, csv) != 0 || msg.line != c->line ||
            msg.column != c->column || strstr(msg.text, c->words) == NULL)
            fail_msg("table %zu: %s:%d:%d: %s", i, msg.file, msg.line, msg.column, msg.text);
    }
    unlink(csv);
    rmdir(folder);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* Walls that may stand in a periodic cell, beside those of tests/scenes/broken that may not: an
   endless plane along all periods, whether the cell strains or not; a plate or a box anywhere while
   it does not; any plane in a direction that is not periodic. */
static void test_walls_in_cell(void **unused)
{
    (void)unused;
    static const char *const fits[][2] = {
        {"floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}", ""},
        {"floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}", ", rate: [0.1 1/s, 0, 0]"},
        {"plate, plane: {point: [1 cm, 1 cm, 0], normal: [1, 0, 0], length: 1 cm}", ""},
        {"plate, plane: {point: [1 cm, 1 cm, 0], normal: [0, 0, 1], length: 1 cm}",
         ", rate: [0.1 1/s, 0, 0]"},
        {"post, box: {corners: [[1 cm, 1 cm, 0], [2 cm, 2 cm, 1 cm]], inside: false}", ""},
    };
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        char text[1024];
        mrn_scene s;
        mrn_message msg = {0};
        snprintf(
            text, sizeof text,
            "moraine: 1\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\n"
            "interactions: [{between: any, law: hertz-mindlin, restitution: 1, friction: 0}]\n"
            "cell: {periodic: [x, y], size: [4 cm, 4 cm, 4 cm]%s}\n"
            "bodies: [{shape: {sphere: {radius: 1 mm}}, place: {list: [{position: [0, 0, 0]}]}}"
            "]\nwalls: [{name: %s}]\nstages: [{at-most: 1}]\n",
            fits[i][1], fits[i][0]);
        if (mrn_scene_read_text(text, "fits.yaml", NULL, 0, &s, &msg) != MRN_OK)
            fail_msg("wall %zu: %d:%d: %s", i, msg.line, msg.column, msg.text);
        mrn_scene_destroy(&s);
    }
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives),       cmocka_unit_test(test_sources),
        cmocka_unit_test(test_stage_drives), cmocka_unit_test(test_control),
        cmocka_unit_test(test_plane),        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_clusters),     cmocka_unit_test(test_clusters_2d),
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_walls_in_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
