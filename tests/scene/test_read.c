/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Good scenes: every key ends up in its place, in SI, with defaults where nothing is said; --set;
   and the text of a changed scene gives the same scene again. */
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

static mrn_scene read_scene(const char *path, const char *const *set, int n)
{
    mrn_scene s;
    mrn_message msg = {0};
    if (mrn_scene_read(path, set, n, &s, &msg) != MRN_OK) {
        char text[3000];
        mrn_message_format(&msg, text, sizeof text);
        fail_msg("%s", text);
    }
    return s;
}

static void assert_vec(mrn_vec3 v, double x, double y, double z)
{
    assert_true(v.x == x && v.y == y && v.z == z);
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

static const mrn_interaction *between(const mrn_scene *s, const mrn_interaction *list, int n,
                                      const char *a, const char *b)
{
    int i = mrn_scene_find_material(s, a), j = mrn_scene_find_material(s, b);
    for (int k = 0; k < n; k++)
        if ((list[k].a == i && list[k].b == j) || (list[k].a == j && list[k].b == i))
            return &list[k];
    return NULL;
}

static void test_beads(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("beads-in-box"), NULL, 0);
    assert_string_equal(s.title, "Glass beads settle in a box");
    assert_int_equal(s.dimension, 3);
    assert_string_equal(s.method->name, "smooth");
    assert_int_equal(s.seed, 1);
    assert_vec(s.gravity, 0, 0, -9.81);
    assert_int_equal(s.n_materials, 1);
    assert_true(s.material[0].density == 2500 && s.material[0].young == 70e9);
    assert_true(s.material[0].poisson == 0.22);
    assert_int_equal(s.n_interactions, 1);
    assert_string_equal(s.interaction[0].model.name, "hertz-mindlin");
    assert_true(value_of(&s.interaction[0], "restitution") == 0.9);
    assert_true(value_of(&s.interaction[0], "friction") == 0.5);
    const mrn_group *g = &s.group[0];
    assert_string_equal(g->name, "beads");
    assert_int_equal(g->size.kind, MRN_SIZE_UNIFORM);
    assert_true(g->size.lo == 0.5 * 0.0018 && g->size.hi == 0.5 * 0.0022);
    assert_int_equal(g->count, 10000);
    assert_int_equal(g->place, MRN_PLACE_FILL);
    assert_int_equal(g->region.kind, MRN_REGION_BOX);
    assert_vec(g->region.hi, 0.04, 0.04, 0.1);
    assert_string_equal(s.shape[g->shape].type->name, "sphere");
    assert_string_equal(s.wall[0].name, "plane-1");
    assert_true(s.cell.periodic[0] && s.cell.periodic[1] && !s.cell.periodic[2]);
    assert_true(s.cell.size[0] == 0.04 && s.cell.size[1] == 0.04);
    assert_int_equal(s.stage[0].n_until, 1);
    assert_string_equal(s.stage[0].until[0].probe, "kinetic-energy-ratio");
    assert_false(s.stage[0].until[0].above);
    assert_true(s.stage[0].until[0].value == 1e-6 && s.stage[0].at_most == 3);
    assert_true(s.output.every == 0.01);
    assert_non_null(s.pair_of); /* prepared */
    assert_string_equal(s.path, GOOD("beads-in-box"));
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_two_dimensions(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("disks-2d"), NULL, 0);
    assert_int_equal(s.dimension, 2);
    assert_true(s.seed == UINT64_MAX);
    assert_vec(s.gravity, 0, -9.81, 0);
    /* tan of 30 degrees, the angle and the tangent each rounded once: 2e-16 relative */
    assert_true(fabs(value_of(&s.interaction[0], "friction") - 1 / sqrt(3)) < 2e-16);
    const mrn_group *g = &s.group[0];
    assert_int_equal(g->n_grains, 2);
    assert_vec(g->grain[0].x, 0, 0.01, 0);
    assert_true(isnan(g->grain[0].radius) && g->grain[0].w.z == 2 * MRN_PI);
    assert_true(g->grain[1].radius == 0.004 && g->grain[1].v.x == -1);
    assert_true(fabs(g->grain[1].w.z + MRN_PI / 2) < 1e-15);
    assert_int_equal(s.group[1].lattice, MRN_LATTICE_HEX);
    assert_true(s.group[1].spacing == 0.0021);
    assert_true(s.group[2].solid_fraction == 0.25 && s.group[2].velocity_spread == 0.01);
    assert_int_equal(s.group[2].region.kind, MRN_REGION_SPHERE);
    assert_true(s.group[2].region.radius == 0.02);
    assert_true(s.wall[0].motion.kind == MRN_MOTION_STEADY && s.wall[0].motion.has_about);
    assert_true(fabs(s.wall[0].motion.spin.z - MRN_PI / 18) < 1e-16);
    assert_true(s.time_step == 0 && s.time_step_fraction == 0.1);
    assert_string_equal(s.stage[0].until[0].probe, "steps");
    assert_true(s.stage[0].until[0].above && s.stage[0].until[0].value == 10000);
    assert_true(isinf(s.stage[0].at_most));
    mrn_scene_destroy(&s);
}

static void test_laws(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("laws"), NULL, 0);
    assert_int_equal(s.n_interactions, 6); /* every pair of three materials */
    assert_true(s.material[1].density == 7800 && s.material[1].young == 210e9);
    const mrn_interaction *x = s.interaction;
    assert_true(value_of(between(&s, x, 6, "glass", "glass"), "friction") == 0.3);
    assert_true(value_of(between(&s, x, 6, "rubber", "glass"), "friction") == 0.9);
    assert_true(value_of(between(&s, x, 6, "rubber", "rubber"), "friction") == 0.9);
    assert_true(value_of(between(&s, x, 6, "glass", "steel"), "restitution") == 0.95);
    assert_true(value_of(between(&s, x, 6, "steel", "steel"), "restitution") == 0.8);
    const mrn_stage *rough = &s.stage[1], *soft = &s.stage[2];
    assert_int_equal(rough->n_interactions, 6);
    x = rough->interaction;
    assert_true(value_of(between(&s, x, 6, "rubber", "glass"), "friction") == 0.7);
    assert_true(value_of(between(&s, x, 6, "steel", "glass"), "restitution") == 0.95); /* stays */
    assert_true(fabs(value_of(between(&s, x, 6, "glass", "glass"), "friction") - 1) < 1e-15);
    assert_int_equal(soft->n_interactions, 1);
    assert_string_equal(soft->interaction[0].model.name, "linear");
    mrn_scene_destroy(&s);
}

static void test_sizes(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("sizes"), NULL, 0);
    assert_true(s.group[0].size.kind == MRN_SIZE_CONSTANT && s.group[0].size.mean == 0.001);
    assert_true(s.group[1].size.lo == 0.0009 && s.group[1].size.hi == 0.0011);
    const mrn_size *n = &s.group[2].size, *l = &s.group[3].size, *v = &s.group[4].size;
    assert_true(n->kind == MRN_SIZE_NORMAL && n->mean == 0.001 && n->deviation == 0.0001);
    assert_true(n->lo == 0.0008 && n->hi == 0.00125);
    assert_true(l->kind == MRN_SIZE_LOGNORMAL && l->mean == 0.001 && l->deviation == 0.1);
    assert_true(fabs(l->hi - 0.001 * exp(0.3)) < 1e-18 && l->lo < l->mean);
    assert_int_equal(v->kind, MRN_SIZE_SIEVE);
    assert_int_equal(v->n, 3);
    assert_true(v->sieve_radius[1] == 0.001 && v->sieve_passing[1] == 0.4);
    assert_true(v->sieve_passing[0] == 0 && v->sieve_passing[2] == 1);
    assert_int_equal(s.group[3].region.kind, MRN_REGION_CYLINDER);
    assert_true(s.material[0].poisson == 0.25);
    mrn_scene_destroy(&s);
}

static void test_places(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("places"), NULL, 0);
    const mrn_group *g = &s.group[0];
    assert_int_equal(g->place, MRN_PLACE_CSV);
    assert_int_equal(g->n_grains, 3);
    assert_vec(g->grain[0].x, 0.001, 0.002, 0.03);
    assert_true(g->grain[0].radius == 0.001 && g->grain[0].v.x == 0.5 && g->grain[0].w.z == 1);
    assert_true(g->grain[2].radius == 0.0005);
    assert_true(s.group[1].fixed && s.group[1].count == 50);
    assert_int_equal(s.group[1].lattice, MRN_LATTICE_CUBIC);
    assert_true(s.group[1].spacing == 0);
    assert_int_equal(s.group[2].lattice, MRN_LATTICE_FCC);
    assert_int_equal(s.n_shapes, 1); /* one sphere for all */
    mrn_scene_destroy(&s);
}

static void test_stages(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("stages"), NULL, 0);
    assert_non_null(strstr(s.title, "µm"));
    const mrn_motion *m = &s.wall[1].motion;
    assert_int_equal(m->kind, MRN_MOTION_SHAKE);
    assert_true(m->velocity.z == -0.001 && m->amplitude.z == 1e-6);
    assert_true(fabs(m->frequency - 50) < 1e-13 && fabs(m->phase - MRN_PI / 2) < 1e-15);
    assert_true(s.cell.control.target[MRN_YY].constant == -0.01 && s.time_step == 50e-9);
    assert_int_equal(s.output.n_probes, 1);
    assert_string_equal(s.output.probe[0], "walls.floor.force.z");
    const mrn_stage *settle = &s.stage[0], *press = &s.stage[1], *release = &s.stage[2];
    assert_int_equal(settle->n_until, 2);
    assert_true(settle->until[1].value == 0.01 && !settle->until[1].above);
    assert_false(settle->has_gravity || settle->has_output || settle->has_control);
    assert_int_equal(press->n_until, 2);
    assert_string_equal(press->until[0].probe, "walls.lid.force.z");
    assert_true(press->until[0].above && press->until[0].value == 0.002);
    assert_true(press->has_gravity && mrn_signal_is_zero(&press->gravity[2]) && press->has_control);
    assert_int_equal(press->n_motions, 1);
    assert_int_equal(press->motion_wall[0], 1);
    assert_true(press->motion[0].velocity.z == -0.002);
    assert_true(press->time_step == 0 && press->time_step_fraction == 0.05);
    /* keys of output that a stage does not name stay */
    assert_true(press->output.every == 0.0002 && press->output.contacts);
    assert_true(press->output.probes_every == 1e-4 && press->output.n_probes == 1);
    assert_true(release->output.every == 0.0002 && release->output.n_probes == 0);
    assert_int_equal(release->n_remove, 2);
    assert_int_equal(release->n_motions, 1);
    assert_int_equal(release->motion[0].kind, MRN_MOTION_NONE);
    mrn_scene_destroy(&s);
}

static void test_walls(void **state)
{
    (void)state;
    mrn_scene s = read_scene(GOOD("walls"), NULL, 0);
    assert_int_equal(s.n_walls, 5);
    assert_non_null(s.shape[s.wall[4].shape].mesh); /* found beside the scene */
    assert_string_equal(s.wall[1].name, "box-2");
    assert_string_equal(s.shape[s.wall[1].shape].type->name, "box");
    assert_true(s.shape[s.wall[1].shape].inside);
    assert_false(s.shape[s.wall[2].shape].inside);
    assert_string_equal(s.group[0].name, "bodies-1");
    mrn_scene_destroy(&s);
}

static void test_set(void **state)
{
    (void)state;
    const char *set[] = {"bodies.beads.count=200",
                         "interactions.0.friction=0.3",
                         "walls.0={name: bottom, plane: {point: [0, 0, -1 cm], normal: [0, 0, 1]}}",
                         "output.contacts=true",
                         "time-step.fraction=0.05",
                         "stages.settle.at-most=5 ms",
                         "materials.glass.young=7 GPa",
                         "gravity.2=-1.62"};
    mrn_scene s = read_scene(GOOD("beads-in-box"), set, 8);
    assert_int_equal(s.group[0].count, 200);
    assert_true(value_of(&s.interaction[0], "friction") == 0.3);
    assert_string_equal(s.wall[0].name, "bottom");
    assert_true(s.output.contacts && s.output.every == 0.01);
    assert_true(s.time_step_fraction == 0.05 && s.stage[0].at_most == 0.005);
    assert_true(s.material[0].young == 7e9);
    assert_vec(s.gravity, 0, 0, -1.62);
    /* the text kept with a run gives the same scene without any --set */
    mrn_scene again;
    mrn_message msg;
    assert_int_equal(mrn_scene_read_text(s.source, "again", NULL, 0, &again, &msg), MRN_OK);
    assert_string_equal(again.source, s.source);
    assert_int_equal(again.group[0].count, 200);
    assert_true(again.stage[0].at_most == 0.005 && again.material[0].young == 7e9);
    assert_null(again.path);
    mrn_scene_destroy(&again);
    mrn_scene_destroy(&s);
}

typedef struct bad_set {
    const char *set, *words;
} bad_set;

static const bad_set bad_sets[] = {
    {"bodies.beads.count=many", "'many' is not a whole number"},
    {"bodies.beds.count=1", "no item 'beds'"},
    {"bodies.7.count=1", "no item '7'"},
    {"bodies.99999999999999999999.count=1", "no item"},
    {"interactions.0.frction=0.3", "did you mean 'friction'?"},
    {"title.x=1", "single value"},
    {"friction", "path=value"},
    {"=3", "path=value"},
    {"bodies..count=3", "empty"},
    {"title.=3", "empty"},
    {"gravity=", "empty"},
    {"gravity=[1, 2", "not YAML"},
    {"gravity=~", "no value"},
    {"seed=-1", "out of range"},
    {"bodies.beads.shape.sphere.diameter=3 kg", "'3 kg' is not a length"},
    {"bodies.beads.material=gold", "unknown material 'gold'"},
    {"cell={periodic: [x], size: [1 um, 0, 0]}", "room for two grains"},
    {"bodies.beads.hold=[x]", "expected: method nonsmooth"},
};

static void test_bad_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_sets / sizeof bad_sets[0]; i++) {
        mrn_scene s;
        mrn_message msg = {0};
        const char *set[] = {"seed=2", bad_sets[i].set};
        mrn_status st = mrn_scene_read(GOOD("beads-in-box"), set, 2, &s, &msg);
        char whole[3000], place[600];
        mrn_message_format(&msg, whole, sizeof whole);
        snprintf(place, sizeof place, "--set %s", bad_sets[i].set);
        if (st != MRN_ERR_INPUT || strstr(whole, bad_sets[i].words) == NULL)
            fail_msg("%s: status %d: %s", place, (int)st, whole);
        if (strcmp(msg.file, place) != 0)
            fail_msg("%s: placed at %s", place, msg.file);
    }
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* Every good scene survives the way through its own text. */
static void test_text_and_back(void **state)
{
    (void)state;
    const char *names[] = {GOOD("beads-in-box"), GOOD("disks-2d"), GOOD("laws"),  GOOD("sizes"),
                           GOOD("stages"),       GOOD("walls"),    GOOD("places")};
    const char *set[] = {"seed=7"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        mrn_scene a = read_scene(names[i], set, 1), b;
        mrn_message msg;
        if (mrn_scene_read_text(a.source, names[i], set, 1, &b, &msg) != MRN_OK)
            fail_msg("%s: %s", names[i], msg.text);
        assert_string_equal(a.source, b.source);
        assert_int_equal(a.seed, 7);
        assert_int_equal(a.n_interactions, b.n_interactions);
        assert_int_equal(a.n_groups, b.n_groups);
        mrn_scene_destroy(&a);
        mrn_scene_destroy(&b);
    }
}

/* What is read of the text `before` and then of a good scene is the good scene. */
static void expect_beads_after(const char *before)
{
    mrn_scene plain = read_scene(GOOD("beads-in-box"), NULL, 0), s;
    char path[] = "/tmp/moraine-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_true(fputs(before, f) >= 0 && fputs(plain.source, f) >= 0);
    assert_int_equal(fclose(f), 0);
    mrn_message msg = {0};
    mrn_status st = mrn_scene_read(path, NULL, 0, &s, &msg);
    unlink(path);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    assert_int_equal(s.n_groups, plain.n_groups);
    assert_string_equal(s.title, plain.title);
    mrn_scene_destroy(&s);
    mrn_scene_destroy(&plain);
}

/* The mark that some editors put before a text, and texts longer than what is read at once. */
static void test_bytes(void **state)
{
    (void)state;
    enum { LINES = 4000 };
    char *text = malloc(LINES * 64 + 1), *at = text;
    for (int k = 0; k < LINES; k++)
        at += snprintf(at, 64, "# line %d of a comment that is longer than most\n", k);
    expect_beads_after(text);
    expect_beads_after("\xef\xbb\xbf");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beads),   cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_laws),    cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_places),  cmocka_unit_test(test_stages),
        cmocka_unit_test(test_walls),   cmocka_unit_test(test_set),
        cmocka_unit_test(test_bad_set), cmocka_unit_test(test_text_and_back),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
