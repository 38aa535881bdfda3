/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes: what prepare refuses and how it says so, the table of material pairs, stages, deep
   copies, lack of memory. Laws and shapes are the test's own, so that nothing here depends on which
   there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/method.h"

/* ---- a law and shapes to test with ---- */

static mrn_status take_young(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                             mrn_message *msg)
{
    if (v[1].given && v[1].number == 13)
        return mrn_fail(msg, MRN_ERR_INPUT, "13 is unlucky");
    coef[0] = mat->young[0] + mat->young[1];
    coef[1] = v[0].number;
    return MRN_OK;
}

static const mrn_param params[] = {
    {.name = "friction", .kind = MRN_P_NUMBER, .unit = "1", .min = 0, .max = 10},
    {.name = "stiffness", .kind = MRN_P_NUMBER, .unit = "N/m", .max = 1e9, .min_open = true},
};
static const mrn_history memory[] = {{.name = "spring", .unit = "m", .vector = true}};
static const mrn_law plain = {.name = "plain",
                              .kind = MRN_LAW_NORMAL,
                              .params = params,
                              .n_params = 2,
                              .prepare = take_young};
static const mrn_law remembering = {.name = "remembering",
                                    .kind = MRN_LAW_NORMAL,
                                    .params = params,
                                    .n_params = 2,
                                    .history = memory,
                                    .n_history = 1,
                                    .prepare = take_young};
static const mrn_law_model simple = {.name = "simple", .part = {&plain}};
static const mrn_law_model rich = {.name = "rich", .part = {&remembering}};

static const mrn_shape_type ball = {.name = "ball", .grain = true, .in_3d = true};
static const mrn_shape_type coin = {.name = "coin", .grain = true, .in_2d = true};

static int no_features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    (void)s, (void)c, (void)reach, (void)out, (void)max;
    return 0;
}

static double below(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                    mrn_vec3 *normal)
{
    (void)s, (void)feature;
    *point = mrn_v3(c.x, c.y, 0);
    *normal = mrn_v3(0, 0, 1);
    return c.z;
}

static void unit_square(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    (void)s;
    *lo = mrn_v3(-0.5, -0.5, 0);
    *hi = mrn_scale(-1, *lo);
}

static const mrn_shape_type slab = {.name = "slab",
                                    .in_2d = true,
                                    .in_3d = true,
                                    .features = no_features,
                                    .closest = below,
                                    .bounds = unit_square,
                                    .plane = true};

/* ---- a small scene: glass and steel grains, a wooden floor ---- */

enum { GLASS, STEEL, WOOD, MATERIALS };

static mrn_status make(void *p, int n, size_t size)
{
    *(void **)p = mrn_alloc((size_t)n * size);
    return *(void **)p != NULL ? MRN_OK : MRN_ERR_MEMORY;
}

static mrn_interaction between(int a, int b, const mrn_law_model *model, double friction)
{
    mrn_interaction x = {.a = a, .b = b, .model = *model};
    x.value[0] = (mrn_value){.given = true, .number = friction};
    x.value[1] = (mrn_value){.number = 1};
    return x;
}

/* All meetings are covered; glass with wood stands the wrong way round on purpose. */
static void set_interactions(mrn_scene *s)
{
    static const int pair[][2] = {
        {GLASS, GLASS}, {GLASS, STEEL}, {STEEL, STEEL}, {WOOD, GLASS}, {STEEL, WOOD}};
    s->n_interactions = 5;
    for (int i = 0; i < 5; i++)
        s->interaction[i] = between(pair[i][0], pair[i][1], &simple, 0.1 * (i + 1));
}

static void set_groups(mrn_scene *s)
{
    s->n_groups = 2;
    s->group[0] = (mrn_group){.name = "beads",
                              .material = GLASS,
                              .shape = 0,
                              .count = 10,
                              .size = {.kind = MRN_SIZE_CONSTANT, .mean = 0.01}};
    s->group[1] = (mrn_group){.name = "shot",
                              .material = STEEL,
                              .shape = 0,
                              .count = 10,
                              .size = {.kind = MRN_SIZE_UNIFORM, .lo = 0.01, .hi = 0.02}};
}

static mrn_status build(mrn_scene *s)
{
    *s = mrn_scene_default();
    mrn_status st = make(&s->material, MATERIALS, sizeof *s->material);
    st = st == MRN_OK ? make(&s->interaction, 5, sizeof *s->interaction) : st;
    st = st == MRN_OK ? make(&s->shape, 2, sizeof *s->shape) : st;
    st = st == MRN_OK ? make(&s->wall, 1, sizeof *s->wall) : st;
    st = st == MRN_OK ? make(&s->group, 2, sizeof *s->group) : st;
    st = st == MRN_OK ? make(&s->stage, 5, sizeof *s->stage) : st;
    if (st != MRN_OK)
        return st;
    static const mrn_material material[] = {
        {"glass", 2500, 70e9, 0.22}, {"steel", 7800, 200e9, 0.3}, {"wood", 700, 10e9, 0.4}};
    memcpy(s->material, material, sizeof material);
    s->n_materials = MATERIALS;
    s->shape[0] = (mrn_shape){.type = &ball, .dimension = 3};
    s->shape[1] = (mrn_shape){.type = &slab, .dimension = 3};
    s->n_shapes = 2;
    /* its normal along y, across the directions that tests make periodic */
    s->wall[0] = (mrn_wall){.name = "floor",
                            .shape = 1,
                            .material = WOOD,
                            .q = mrn_quat_from_rotation(mrn_v3(-MRN_PI / 2, 0, 0))};
    s->n_walls = 1;
    set_interactions(s);
    set_groups(s);
    s->n_stages = 5;
    for (int i = 0; i < s->n_stages; i++)
        s->stage[i] = mrn_stage_default();
    return MRN_OK;
}

static void assert_refused(const mrn_scene *s, const char *path, const char *part, const char *hint)
{
    mrn_message msg = {0};
    assert_int_equal(mrn_scene_prepare((mrn_scene *)s, &msg), MRN_ERR_INPUT);
    assert_int_equal(msg.status, MRN_ERR_INPUT);
    assert_string_equal(msg.path, path);
    if (strstr(msg.text, part) == NULL || strstr(msg.hint, hint) == NULL)
        fail_msg("'%s' + '%s' instead of '%s' + '%s'", msg.text, msg.hint, part, hint);
    assert_int_equal(mrn_scene_prepare((mrn_scene *)s, NULL), MRN_ERR_INPUT);
}

/* ---- prepare ---- */

static void defaults(void **unused)
{
    (void)unused;
    mrn_scene s = mrn_scene_default();
    assert_int_equal(s.dimension, 3);
    assert_string_equal(s.method->name, "smooth");
    assert_true(s.seed == 1 && s.time_step == 0 && s.time_step_fraction == 0);
    assert_true(s.gravity.x == 0 && s.gravity.y == 0 && s.gravity.z == 0);
    assert_false(s.cell.periodic[0] || s.cell.periodic[1] || s.cell.periodic[2]);
    assert_true(isinf(mrn_stage_default().at_most));
    mrn_scene_destroy(&s);
    mrn_scene_destroy(&s);
    mrn_scene_destroy(NULL);
}

static void pairs_are_found_both_ways(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    static const int expected[] = {0, 1, 3, 1, 2, 4, 3, 4, -1};
    assert_memory_equal(s.pair_of, expected, sizeof expected);
    for (int i = 0; i < s.n_interactions; i++) {
        const mrn_interaction *x = &s.interaction[i];
        assert_true(x->a <= x->b);
        /* sums of round numbers: exact */
        assert_true(x->ready.coef[0][0] == s.material[x->a].young + s.material[x->b].young);
        assert_true(x->ready.coef[0][1] == x->value[0].number);
        assert_ptr_equal(x->ready.part[MRN_LAW_NORMAL], &plain);
    }
    assert_int_equal(s.history, 0);
    mrn_scene_destroy(&s);
}

static void prepare_follows_changes(void **unused)
{
    (void)unused;
    mrn_scene s;
    size_t before = mrn_bytes_in_use();
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.interaction[1].model = rich;
    s.interaction[1].value[0].number = 0.75;
    mrn_interaction swap = s.interaction[0];
    s.interaction[0] = s.interaction[2];
    s.interaction[2] = swap;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    assert_int_equal(s.history, 3);
    assert_int_equal(s.pair_of[GLASS * MATERIALS + GLASS], 2);
    assert_int_equal(s.pair_of[STEEL * MATERIALS + STEEL], 0);
    assert_true(s.interaction[1].ready.coef[0][1] == 0.75);
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* A later stage's law needs room from the start: the width of history must not change in a run. */
static void history_has_room_for_all_stages(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(make(&s.stage[2].interaction, 1, sizeof(mrn_interaction)), MRN_OK);
    s.stage[2].n_interactions = 1;
    s.stage[2].interaction[0] = between(GLASS, GLASS, &rich, 0.5);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    assert_int_equal(s.history, 3);
    mrn_scene_destroy(&s);
}

static void a_missing_interaction_is_named(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    s.interaction[1] = s.interaction[--s.n_interactions]; /* glass-steel gives way to steel-wood */
    assert_refused(&s, "interactions", "no interaction between 'glass' and 'steel'",
                   "- {between: [glass, steel], law: {normal: plain}, friction: 0.1}");
    s.interaction[1] = between(GLASS, STEEL, &simple, 0.2);
    assert_refused(&s, "interactions", "no interaction between 'steel' and 'wood'",
                   "[steel, wood]");
    s.n_walls = 0; /* nothing else brings wood into play */
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.n_interactions = 0;
    assert_refused(&s, "interactions", "no interaction between 'glass' and 'glass'",
                   "law: hertz-mindlin");
    s.n_groups = 0; /* nobody meets */
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    mrn_scene_destroy(&s);
}

static void wrong_interactions_are_refused(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    mrn_interaction *x = &s.interaction[3], good = *x;
    *x = between(STEEL, GLASS, &simple, 0.5);
    assert_refused(&s, "interactions.3", "two interactions between 'steel' and 'glass'",
                   "keep one");
    *x = good;
    x->b = MATERIALS;
    assert_refused(&s, "interactions.3", "material number 3", "");
    x->b = -1;
    assert_refused(&s, "interactions.3", "material number -1", "");
    *x = good;
    x->model = (mrn_law_model){0};
    assert_refused(&s, "interactions.3.law", "has no law", "");
    *x = good;
    x->value[0].number = -0.5;
    assert_refused(&s, "interactions.3.friction", "friction between 'wood' and 'glass' is -0.5",
                   "");
    x->value[0].number = NAN;
    assert_refused(&s, "interactions.3.friction", "friction", "");
    *x = good;
    x->value[1] = (mrn_value){.given = true, .number = 0}; /* its lower end is open */
    assert_refused(&s, "interactions.3.stiffness", "stiffness", "");
    mrn_scene_destroy(&s);
}

/* A law's own complaint reaches the user, with the place where the number stands. */
static void a_law_may_refuse(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    assert_int_equal(build(&s), MRN_OK);
    s.path = mrn_strdup("box.yaml");
    s.interaction[2].value[1] = (mrn_value){.given = true, .number = 13, .line = 14, .column = 9};
    assert_int_equal(mrn_scene_prepare(&s, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.text, "13 is unlucky");
    assert_string_equal(msg.file, "box.yaml");
    assert_int_equal(msg.line, 14);
    assert_int_equal(msg.column, 9);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_ERR_INPUT);
    mrn_scene_destroy(&s);
}

static void wrong_materials_are_refused(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    mrn_material *m = &s.material[STEEL], good = *m;
    double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        m->density = bad[i];
        assert_refused(&s, "materials.steel.density",
                       "material 'steel': its 'density' is out of range", "");
    }
    *m = good;
    m->young = -1;
    assert_refused(&s, "materials.steel.young", "material 'steel': its 'young' is out of range",
                   "");
    m->young = NAN; /* not given: the law must do without */
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    *m = good;
    m->poisson = 0.51;
    assert_refused(&s, "materials.steel.poisson", "its 'poisson' is out of range", "");
    m->poisson = -1;
    assert_refused(&s, "materials.steel.poisson", "its 'poisson' is out of range", "");
    m->poisson = 0.5;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    strcpy(m->name, "wood");
    assert_refused(&s, "materials.2", "two materials are called 'wood'", "rename");
    mrn_scene_destroy(&s);
}

static void wrong_basics_are_refused(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    s.dimension = 4;
    assert_refused(&s, "dimension", "its 'dimension' is out of range: 4", "");
    s.dimension = 3;
    s.time_step = -1e-6;
    assert_refused(&s, "time-step", "its 'time-step' is out of range", "");
    s.time_step = 0;
    s.gravity.y = NAN;
    assert_refused(&s, "gravity", "gravity", "");
    s.gravity.y = 0;
    s.stage[1].at_most = 0;
    assert_refused(&s, "stages.1.at-most", "its 'at-most' is out of range", "");
    s.stage[1].at_most = 1;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    mrn_scene_destroy(&s);

    s = mrn_scene_default();
    assert_refused(&s, "materials", "no material", "materials:");
    mrn_scene_destroy(&s);
}

static void shapes_must_suit_the_dimension(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    s.shape[0].type = &coin;
    assert_refused(&s, "bodies.0.shape", "group 'beads': there is no coin in 3 dimensions", "");
    s.dimension = 2;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.gravity.z = -9.81;
    assert_refused(&s, "gravity", "out of the plane", "gravity:");
    s.gravity.z = 0;
    s.shape[0].type = &ball;
    assert_refused(&s, "bodies.0.shape", "no ball in 2 dimensions", "");
    s.dimension = 3;
    s.wall[0].shape = 0;
    assert_refused(&s, "walls.0", "wall 'floor': 'ball' is not the shape of a wall", "");
    s.wall[0].shape = 2;
    assert_refused(&s, "walls.0", "wall 'floor' uses shape number 2", "");
    s.wall[0].shape = 1;
    s.group[1].shape = 1;
    assert_refused(&s, "bodies.1.shape", "'slab' is not the shape of a grain", "");
    s.group[1].shape = 0;
    s.group[1].material = 9;
    assert_refused(&s, "bodies.1.material", "group 'shot' uses material number 9", "");
    mrn_scene_destroy(&s);
}

/* The message names the wall, what it lacks, and walls that have it. */
static void walls_must_serve_the_grains(void **unused)
{
    (void)unused;
    static const mrn_shape_type stone = {
        .name = "stone", .grain = true, .in_3d = true, .kind = MRN_GRAIN_POLYTOPE};
    static const mrn_shape_type ghost = {.name = "ghost", .in_3d = true};
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_null(mrn_wall_lacks(&slab, MRN_GRAIN_BALL));
    s.shape[0].type = &stone;
    mrn_message msg = {0};
    assert_int_equal(mrn_scene_prepare(&s, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.text,
                        "wall 'floor': a slab has no contact points with polygons and polyhedra");
    assert_non_null(strstr(msg.expected, "plane, box, cylinder, cone, "));
    assert_non_null(strstr(msg.expected, "mesh"));
    s.shape[0].type = &ball;
    s.shape[1].type = &ghost;
    assert_refused(&s, "walls.0", "wall 'floor': a ghost has no closest points", "");
    mrn_scene_destroy(&s);
}

static void the_cell_must_hold_two_grains(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    s.cell.periodic[0] = true;
    assert_refused(&s, "cell.size", "periodic in x", "");
    s.cell.size[0] = 0.079; /* the largest grain is 0.04 wide */
    assert_refused(&s, "cell.size", "0.079 m in x", "");
    s.cell.size[0] = 0.081;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.cell.size[0] = INFINITY;
    assert_refused(&s, "cell.size", "periodic in x", "");
    s.cell.periodic[0] = false;
    s.cell.periodic[2] = true;
    s.cell.size[2] = 1;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.shape[0].type = &coin;
    s.dimension = 2;
    assert_refused(&s, "cell.periodic", "periodic in z", "periodic: [x, y]");
    mrn_scene_destroy(&s);
}

static void sizes_must_be_drawable(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    mrn_size *d = &s.group[0].size;
    static const mrn_size bad[] = {
        {.kind = MRN_SIZE_CONSTANT, .mean = 0},
        {.kind = MRN_SIZE_UNIFORM, .lo = 2, .hi = 1},
        {.kind = MRN_SIZE_UNIFORM, .lo = 0, .hi = 1},
        {.kind = MRN_SIZE_NORMAL, .mean = 1, .deviation = -1},
        {.kind = MRN_SIZE_LOGNORMAL, .mean = -1, .deviation = 1},
        {.kind = MRN_SIZE_SIEVE, .n = 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *d = bad[i];
        assert_refused(&s, "bodies.0.shape", "sizes of 'beads'", "");
    }
    *d = (mrn_size){.kind = MRN_SIZE_SIEVE, .n = 3};
    assert_int_equal(make(&d->sieve_radius, 3, sizeof(double)), MRN_OK);
    assert_int_equal(make(&d->sieve_passing, 3, sizeof(double)), MRN_OK);
    memcpy(d->sieve_radius, (double[]){1, 2, 3}, 3 * sizeof(double));
    memcpy(d->sieve_passing, (double[]){0, 0.5, 1}, 3 * sizeof(double));
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    d->sieve_radius[1] = 1;
    assert_refused(&s, "bodies.0.shape", "sizes of 'beads'", "");
    d->sieve_radius[1] = 2;
    d->sieve_passing[2] = 0.9;
    assert_refused(&s, "bodies.0.shape", "sizes of 'beads'", "");

    /* explicit radii need no distribution */
    mrn_group *g = &s.group[1];
    g->size = (mrn_size){0};
    g->place = MRN_PLACE_LIST;
    assert_int_equal(make(&g->grain, 2, sizeof *g->grain), MRN_OK);
    g->n_grains = 2;
    g->grain[0].radius = g->grain[1].radius = 1;
    d->sieve_passing[2] = 1;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    g->grain[1].radius = -1;
    assert_refused(&s, "bodies.1.place.list.1.radius", "radius of grain 2 of 'shot'", "");
    g->grain[1].radius = NAN; /* to be drawn, but from nothing */
    assert_refused(&s, "bodies.1.shape", "sizes of 'shot'", "");
    mrn_scene_destroy(&s);
}

static void names_are_found(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(mrn_scene_find_material(&s, "steel"), STEEL);
    assert_int_equal(mrn_scene_find_material(&s, "Steel"), -1);
    assert_int_equal(mrn_scene_find_wall(&s, "floor"), 0);
    assert_int_equal(mrn_scene_find_wall(&s, "beads"), -1);
    assert_int_equal(mrn_scene_find_group(&s, "shot"), 1);
    assert_int_equal(mrn_scene_find_group(&s, ""), -1);
    mrn_scene_destroy(&s);
}

/* ---- stages ---- */

static mrn_status add_stages(mrn_scene *s)
{
    mrn_stage *g = s->stage;
    g[0].has_gravity = true;
    g[0].gravity[2] = mrn_signal_constant(-9.81);
    g[0].time_step = 1e-6;
    g[3].has_accuracy = true; /* in place of the fraction before */
    g[3].accuracy = MRN_FINE;
    g[4].has_accuracy = true; /* a step of its own wins */
    g[4].accuracy = MRN_QUICK;
    g[4].time_step = 2e-6;
    g[1].n_interactions = 2;
    g[1].n_motions = 1;
    g[1].has_output = true;
    g[1].output = (mrn_output){.every = 0.5, .n_probes = 2};
    s->cell.periodic[2] = true;
    s->cell.size[2] = 1;
    g[1].has_control = true;
    g[1].control.target[MRN_ZZ] = mrn_signal_constant(-0.25);
    g[2].time_step_fraction = 0.1;
    g[2].n_remove = 1;
    mrn_status st = make(&g[1].interaction, 2, sizeof *g[1].interaction);
    st = st == MRN_OK ? make(&g[1].motion_wall, 1, sizeof(int)) : st;
    st = st == MRN_OK ? make(&g[1].motion, 1, sizeof(mrn_motion)) : st;
    st = st == MRN_OK ? make(&g[1].output.probe, 2, sizeof *g[1].output.probe) : st;
    st = st == MRN_OK ? make(&g[2].remove_wall, 1, sizeof(int)) : st;
    if (st != MRN_OK)
        return st;
    g[1].interaction[0] = between(STEEL, GLASS, &rich, 0.9); /* replaces */
    g[1].interaction[1] = between(WOOD, WOOD, &simple, 0.8); /* new      */
    g[1].motion[0] = (mrn_motion){.kind = MRN_MOTION_STEADY, .velocity = mrn_v3(0, 0, 1)};
    strcpy(g[1].output.probe[1], "walls.floor.force.z");
    return MRN_OK;
}

static void stages_change_what_they_say(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(add_stages(&s), MRN_OK);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    int history = s.history;

    assert_int_equal(mrn_scene_enter_stage(&s, 0, NULL), MRN_OK);
    assert_true(s.gravity.z == -9.81 && s.time_step == 1e-6);
    assert_true(s.cell.control.target[MRN_ZZ].constant == 0 &&
                s.wall[0].motion.kind == MRN_MOTION_NONE);

    assert_int_equal(mrn_scene_enter_stage(&s, 1, NULL), MRN_OK);
    assert_true(s.gravity.z == -9.81 && s.cell.control.target[MRN_ZZ].constant == -0.25); /* older
                                                                                             changes
                                                                                             stay */
    assert_int_equal(s.n_interactions, 6);
    const mrn_interaction *x = &s.interaction[s.pair_of[GLASS * MATERIALS + STEEL]];
    assert_ptr_equal(x->ready.part[MRN_LAW_NORMAL], &remembering);
    assert_true(x->ready.coef[0][1] == 0.9);
    assert_int_equal(s.pair_of[WOOD * MATERIALS + WOOD], 5);
    assert_int_equal(s.wall[0].motion.kind, MRN_MOTION_STEADY);
    assert_int_equal(s.output.n_probes, 2);
    assert_string_equal(s.output.probe[1], "walls.floor.force.z");
    assert_ptr_not_equal(s.output.probe, s.stage[1].output.probe); /* a copy of its own */
    assert_int_equal(s.history, history);

    assert_int_equal(mrn_scene_enter_stage(&s, 2, NULL), MRN_OK);
    assert_true(s.time_step == 0 && s.time_step_fraction == 0.1);
    assert_int_equal(s.n_walls, 1); /* walls go in the state, not here */
    assert_int_equal(s.accuracy, MRN_NORMAL);
    assert_int_equal(mrn_scene_enter_stage(&s, 3, NULL), MRN_OK);
    assert_true(s.time_step == 0 && s.time_step_fraction == 0 && s.accuracy == MRN_FINE);
    assert_int_equal(mrn_scene_enter_stage(&s, 4, NULL), MRN_OK);
    assert_true(s.time_step == 2e-6 && s.time_step_fraction == 0 && s.accuracy == MRN_QUICK);
    assert_int_equal(mrn_scene_enter_stage(&s, 5, NULL), MRN_ERR_RANGE);
    assert_int_equal(mrn_scene_enter_stage(&s, -1, NULL), MRN_ERR_RANGE);
    mrn_scene_destroy(&s);
}

/* Resuming enters the stages again from the first: nothing may pile up. */
static void stages_can_be_entered_again(void **unused)
{
    (void)unused;
    mrn_scene s;
    size_t before = mrn_bytes_in_use(), once = 0;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(add_stages(&s), MRN_OK);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(mrn_scene_enter_stage(&s, k, NULL), MRN_OK);
        assert_int_equal(s.n_interactions, 6);
        once = round == 0 ? mrn_bytes_in_use() : once;
        assert_int_equal(mrn_bytes_in_use(), once);
    }
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), before);
}

static void wrong_stages_are_refused(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(add_stages(&s), MRN_OK);
    strcpy(s.stage[1].name, "push");
    s.stage[1].motion_wall[0] = 1;
    assert_refused(&s, "stages.1.walls", "stage 'push' uses wall number 1", "");
    assert_int_equal(mrn_scene_enter_stage(&s, 1, NULL), MRN_ERR_INPUT);
    assert_int_equal(s.wall[0].motion.kind, MRN_MOTION_NONE);
    s.stage[1].motion_wall[0] = 0;
    s.stage[2].remove_wall[0] = -1;
    assert_refused(&s, "stages.2.remove", "wall number -1", "");
    s.stage[2].remove_wall[0] = 0;
    s.stage[1].interaction[1].a = 7;
    assert_refused(&s, "stages.1.interactions.1", "material number 7", "");
    s.stage[1].interaction[1] = s.stage[1].interaction[0];
    assert_refused(&s, "stages.1.interactions.1", "two interactions", "");
    s.stage[1].n_interactions = 1;
    s.stage[1].interaction[0].value[1] = (mrn_value){.given = true, .number = 13};
    assert_refused(&s, "stages.1.interactions.0", "13 is unlucky", ""); /* said before the first
                                                                           stage begins */
    mrn_scene_destroy(&s);
}

static void outputs_are_copied_deep(void **unused)
{
    (void)unused;
    mrn_output a = {.every = 2, .contacts = true, .n_probes = 1}, b = {0};
    assert_int_equal(make(&a.probe, 1, sizeof *a.probe), MRN_OK);
    strcpy(a.probe[0], "kinetic-energy");
    mrn_alloc_fail_at(1);
    assert_int_equal(mrn_output_copy(&a, &b), MRN_ERR_MEMORY);
    assert_null(b.probe);
    assert_int_equal(mrn_output_copy(&a, &b), MRN_OK);
    a.probe[0][0] = 'K';
    assert_string_equal(b.probe[0], "kinetic-energy");
    assert_true(b.every == 2 && b.contacts);
    mrn_output_release(&a);
    mrn_output_release(&b);
    mrn_output_release(&b);
    assert_int_equal(b.n_probes, 0);
}

/* ---- lack of memory ---- */

static mrn_status live(mrn_scene *s)
{
    mrn_status st = build(s);
    st = st == MRN_OK ? add_stages(s) : st;
    st = st == MRN_OK ? mrn_scene_prepare(s, NULL) : st;
    for (int k = 0; st == MRN_OK && k < 3; k++)
        st = mrn_scene_enter_stage(s, k, NULL);
    return st;
}

static void the_kth_allocation_fails_for_every_k(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    for (int64_t k = 1; st != MRN_OK; k++) {
        mrn_scene s = {0};
        mrn_alloc_fail_at(k);
        st = live(&s);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        mrn_scene_destroy(&s);
        assert_int_equal(mrn_bytes_in_use(), before);
        assert_true(k < 100);
    }
}

/* A stage that cannot be entered for want of memory leaves the scene in the one before. */
static void a_failed_entry_changes_nothing(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg;
    assert_int_equal(build(&s), MRN_OK);
    assert_int_equal(add_stages(&s), MRN_OK);
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    for (int64_t k = 1; k <= 3; k++) { /* table of pairs, output, interactions */
        mrn_alloc_fail_at(k);
        assert_int_equal(mrn_scene_enter_stage(&s, 1, &msg), MRN_ERR_MEMORY);
        assert_int_equal(msg.status, MRN_ERR_MEMORY);
        assert_int_equal(s.n_interactions, 5);
        assert_true(s.cell.control.target[MRN_ZZ].constant == 0 && s.output.every == 0);
        assert_string_equal(s.interaction[1].model.name, "simple");
    }
    assert_int_equal(mrn_scene_enter_stage(&s, 1, &msg), MRN_OK);
    assert_int_equal(s.n_interactions, 6);
    mrn_scene_destroy(&s);
}

/* ---- drives ---- */

/* A scene in which each kind of drive stands once, all well. */
static mrn_status build_driven(mrn_scene *s)
{
    mrn_status st = build(s);
    s->force = NULL;
    st = st == MRN_OK ? make(&s->force, 1, sizeof *s->force) : st;
    st = st == MRN_OK ? make(&s->outlet, 1, sizeof *s->outlet) : st;
    if (st != MRN_OK)
        return st;
    s->n_forces = s->n_outlets = 1;
    s->force[0].group = s->outlet[0].group = -1;
    s->force[0].force[0] = mrn_signal_constant(1);
    s->outlet[0].region = (mrn_region){.kind = MRN_REGION_SPHERE, .radius = 1};
    s->gravity_of[2] = mrn_signal_constant(-9.81);
    s->damping = (mrn_damping){.global = 5, .local = 0.5};
    s->group[0].place = MRN_PLACE_INLET;
    s->group[0].inlet = (mrn_inlet){.rate = mrn_signal_constant(10), .end = INFINITY};
    s->group[0].region = (mrn_region){.lo = {0, 0, 0}, .hi = {1, 1, 1}};
    mrn_motion *m = &s->wall[0].motion;
    m->kind = MRN_MOTION_PATH;
    m->axis = mrn_v3(0, 1, 0);
    return mrn_signal_expression("sin(t)", &m->angle, NULL);
}

static void drives_are_checked(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    assert_int_equal(build_driven(&s), MRN_OK);
    assert_int_equal(mrn_scene_prepare(&s, &msg), MRN_OK);
    s.gravity_of[0].constant = NAN;
    assert_refused(&s, "gravity", "gravity: a signal that has no value", "");
    s.gravity_of[0] = (mrn_signal){.kind = MRN_SIGNAL_TABLE};
    assert_refused(&s, "gravity", "gravity: a signal that has no value", "");
    s.gravity_of[0] = (mrn_signal){0};
    s.integrator = 3;
    assert_refused(&s, "integrator", "its 'integrator' is of no known kind", "");
    s.integrator = MRN_GEAR;
    s.damping.local = 1;
    assert_refused(&s, "damping.local", "damping: its 'local' is out of range", "");
    s.damping.local = 0;
    s.force[0].group = s.n_groups;
    assert_refused(&s, "forces.0.group", "acts on a group that does not exist", "");
    s.force[0].group = 0;
    s.outlet[0].region.radius = 0;
    assert_refused(&s, "outlets.0", "its region has no radius", "");
    s.outlet[0].region.radius = 1;
    s.outlet[0].group = -2;
    assert_refused(&s, "outlets.0.group", "takes from a group that does not exist", "");
    s.outlet[0].group = 1;
    s.group[0].inlet.end = 0;
    assert_refused(&s, "bodies.0.place.inlet", "inlet 'beads': its times", "");
    s.group[0].inlet.end = 1;
    s.group[0].fixed = true;
    assert_refused(&s, "bodies.0.fixed", "cannot be fixed", "");
    s.group[0].fixed = false;
    s.group[0].region.hi.x = INFINITY;
    assert_refused(&s, "bodies.0.place.inlet", "its box has no volume, or no end", "");
    s.group[0].region.hi.x = 1;
    assert_int_equal(mrn_scene_prepare(&s, &msg), MRN_OK);
    mrn_scene_destroy(&s);
}

static void motions_and_cells_are_checked(void **unused)
{
    (void)unused;
    mrn_scene s;
    assert_int_equal(build_driven(&s), MRN_OK);
    mrn_motion *m = &s.wall[0].motion;
    m->axis = mrn_v3(0, 0, 0);
    assert_refused(&s, "walls.0.motion.axis", "the motion of wall 'floor': the axis of its angle",
                   "");
    m->axis = mrn_v3(0, 1, 0);
    m->velocity.x = NAN;
    assert_refused(&s, "walls.0.motion.velocity",
                   "the motion of wall \'floor\': its \'velocity\' is not finite", "");
    m->velocity.x = 0;
    m->kind = MRN_MOTION_SERVO;
    assert_refused(&s, "walls.0.motion.servo.direction", "the direction of its servo", "");
    m->servo_direction = mrn_v3(0, 0, -1);
    m->servo_pressure = true;
    assert_refused(&s, "walls.0.motion.servo.pressure", "needs the area it acts on", "");
    s.cell.periodic[0] = s.cell.periodic[1] = true; /* the section of the cell will do */
    s.cell.size[0] = s.cell.size[1] = 1;
    s.wall[0].q = mrn_quat_identity();
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    mrn_cell_control *c = &s.cell.control;
    c->kind[MRN_XZ] = MRN_CONTROL_STRESS;
    assert_refused(&s, "cell", "a direction that is not periodic", "");
    c->kind[MRN_XZ] = MRN_CONTROL_RATE;
    c->target[MRN_XY] = mrn_signal_constant(1);
    c->kind[MRN_YY] = MRN_CONTROL_STRESS;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    c->max_rate = -1;
    assert_refused(&s, "cell.control.max-rate", "its 'max-rate' is out of range", "");
    c->max_rate = 0;
    s.stage[0].n_inlets = 1;
    assert_int_equal(make(&s.stage[0].inlet_group, 1, sizeof(int)), MRN_OK);
    assert_int_equal(make(&s.stage[0].inlet_open, 1, sizeof(bool)), MRN_OK);
    s.stage[0].inlet_group[0] = 1;
    assert_refused(&s, "stages.0.inlets", "opens or closes what is no inlet", "");
    s.stage[0].inlet_group[0] = 0;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    mrn_scene_destroy(&s);
}

/* Signals are deep-copied into the scene: every lack of memory on the way leaves nothing behind. */
static mrn_status live_driven(mrn_scene *s)
{
    mrn_status st = build_driven(s);
    mrn_stage *g = s->stage;
    if (st != MRN_OK)
        return st;
    g[0].has_forces = g[0].has_control = g[0].has_gravity = true;
    st = mrn_signal_expression("t", &g[0].gravity[0], NULL);
    st = st == MRN_OK ? make(&g[0].force, 2, sizeof *g[0].force) : st;
    g[0].n_forces = st == MRN_OK ? 2 : 0;
    for (int i = 0; i < g[0].n_forces && st == MRN_OK; i++)
        st = mrn_signal_expression("2*t", &g[0].force[i].torque[i], NULL);
    static const double times[] = {0, 1}, values[] = {3, 4};
    s->cell.periodic[0] = true;
    s->cell.size[0] = 1;
    st = st == MRN_OK ? mrn_signal_table(times, values, 2, &g[0].control.target[MRN_XX], NULL) : st;
    st = st == MRN_OK ? mrn_scene_prepare(s, NULL) : st;
    st = st == MRN_OK ? mrn_scene_enter_stage(s, 0, NULL) : st;
    return st == MRN_OK ? mrn_scene_enter_stage(s, 0, NULL) : st;
}

static void signals_are_owned(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    int64_t k;
    for (k = 1; st != MRN_OK; k++) {
        mrn_scene s = {0};
        mrn_alloc_fail_at(k);
        st = live_driven(&s);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK) {
            mrn_instant at = {0.5, 0};
            assert_int_equal(s.n_forces, 2);
            assert_true(mrn_signal_value(&s.force[1].torque[1], at, NULL) == 1);
            assert_true(mrn_signal_value(&s.cell.control.target[MRN_XX], at, NULL) == 3.5);
            assert_true(mrn_signal_value(&s.gravity_of[0], at, NULL) == 0.5);
        } else
            assert_int_equal(st, MRN_ERR_MEMORY);
        mrn_scene_destroy(&s);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(pairs_are_found_both_ways),
        cmocka_unit_test(prepare_follows_changes),
        cmocka_unit_test(history_has_room_for_all_stages),
        cmocka_unit_test(a_missing_interaction_is_named),
        cmocka_unit_test(wrong_interactions_are_refused),
        cmocka_unit_test(a_law_may_refuse),
        cmocka_unit_test(wrong_materials_are_refused),
        cmocka_unit_test(wrong_basics_are_refused),
        cmocka_unit_test(shapes_must_suit_the_dimension),
        cmocka_unit_test(walls_must_serve_the_grains),
        cmocka_unit_test(the_cell_must_hold_two_grains),
        cmocka_unit_test(sizes_must_be_drawable),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(stages_change_what_they_say),
        cmocka_unit_test(stages_can_be_entered_again),
        cmocka_unit_test(wrong_stages_are_refused),
        cmocka_unit_test(drives_are_checked),
        cmocka_unit_test(motions_and_cells_are_checked),
        cmocka_unit_test(signals_are_owned),
        cmocka_unit_test(outputs_are_copied_deep),
        cmocka_unit_test(the_kth_allocation_fails_for_every_k),
        cmocka_unit_test(a_failed_entry_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
