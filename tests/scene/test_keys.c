/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a scene's keys (model/keys.h), one by one: every key of the scene counts for the
   fingerprint or says that it need not; another value of a key that is physics keeps a checkpoint
   from being resumed, one of a key that may differ does not; what a program writes beyond a range
   is refused at the path of its key; defaults, words and examples fit their rows. */
/* ctest-labels: slow */
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

#include "engine/fingerprint.h"
#include "moraine/moraine.h"

#define HEAD                                                                                       \
    "moraine: 1\nmaterials: {m: {density: 2000, young: 1e7, poisson: 0.2}}\n"                      \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.3}]\n"
#define END "stages: [{name: first, at-most: 1}, {name: second, at-most: 2}]\n"

static const char driven[] = HEAD
    "gravity: [0, 0, -9.81]\ndamping: {global: 1, local: 0.1}\ntime-step: 1 us\n"
    "cell: {periodic: [x, y], size: [4 cm, 4 cm, 0], control: {xx: {stress: 1 kPa}, max-rate: 2}}\n"
    "bodies:\n"
    "  - {name: beads, shape: {sphere: {radius: 1 mm}}, place: {list: [{position: [0, 0, 1 cm], "
    "velocity: [0, 0, 1]}]}}\n"
    "  - {name: bed, shape: {sphere: {radius: 1 mm}}, place: {lattice: {kind: cubic, spacing: 3 "
    "mm, box: [[0, 0, 0], [1 cm, 1 cm, 3 mm]]}}}\n"
    "  - {name: feed, shape: {sphere: {radius: 1 mm}}, place: {inlet: {box: [[0, 0, 3 cm], [1 cm, "
    "1 cm, 5 cm]], rate: 5 1/s}}}\n"
    "walls:\n"
    "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {velocity: [0, 0, "
    "0.1]}}\n"
    "  - {name: lid, plane: {point: [0, 0, 9 cm], normal: [0, 0, -1]}, motion: {servo: {direction: "
    "[0, 0, -1], pressure: 10}}}\n"
    "forces: [{force: [0, 0, 1e-6]}]\n"
    "outlets: [{box: [[0, 0, -2 cm], [1 cm, 1 cm, -1 cm]]}]\n" END;
static const char shaken[] = HEAD
    "bodies: [{shape: {sphere: {radius: 1 mm}}, place: {list: [[0, 0, 1 cm]]}}]\n"
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {shake: {amplitude: [0, 0, 1 "
    "mm], frequency: 5}}},\n"
    "        {plane: {point: [0, 0, 9 cm], normal: [0, 0, -1]}, motion: {path: [0, 0, 0], angle: "
    "0, axis: [0, 0, 1]}}]\n"
    "forces: [{acceleration: [0, 0, 1]}]\nintegrator: verlet\n" END;
static const char fed[] = HEAD
    "bodies: [{shape: {sphere: {radius: 1 mm}}, place: {inlet: {box: [[0, 0, 3 cm], [1 cm, 1 cm, 5 "
    "cm]], mass-rate: 1 g/s}}}]\n"
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {servo: {direction: [0, 0, 1], "
    "force: 3}}}]\n" END;
static const char rigid[] = HEAD
    "method: nonsmooth\n"
    "bodies: [{name: b, shape: {sphere: {radius: 1 cm}}, place: {list: [[0, 0, 1], [1, 0, 1]]}}]\n"
    "joints:\n"
    "  - {hinge: {between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], motor: {speed: 1}}}\n"
    "  - {spring: {between: [b, b/1], from: [0, 0, 1], to: [1, 0, 1], stiffness: 5}}\n" END;
static const char slow[] =
    HEAD "method: quasistatic\n"
         "bodies: [{shape: {sphere: {radius: 1 mm}}, place: {list: [[0, 0, 1 cm]]}}]\n" END;
static const char changed[] =
    HEAD "method: nonsmooth\nbodies: [{shape: {sphere: {radius: 1 mm}}, place: {list: [[0, 0, 1 "
         "cm]]}}]\n"
         "stages: [{at-most: 1, damping: {global: 2}, nonsmooth: {theta: 0.6}}]\n";

/* A mapping with rows: where it stands in a scene, and the struct that it fills. */
typedef struct mapping {
    const char *text, *path;
    const mrn_schema *schema;
    const void *(*object)(const mrn_scene *s);
} mapping;

#define OBJECT(name, expression)                                                                   \
    static const void *name(const mrn_scene *s)                                                    \
    {                                                                                              \
        return expression;                                                                         \
    }
OBJECT(the_scene, s)
OBJECT(a_material, &s->material[0])
OBJECT(the_cell, &s->cell)
OBJECT(the_control, &s->cell.control)
OBJECT(a_group, &s->group[0])
OBJECT(a_grain, &s->group[0].grain[0])
OBJECT(the_bed, &s->group[1])
OBJECT(the_inlet, &s->group[2].inlet)
OBJECT(its_inlet, &s->group[0].inlet)
OBJECT(a_motion, &s->wall[0].motion)
OBJECT(a_servo, &s->wall[1].motion)
OBJECT(a_force, &s->force[0])
OBJECT(an_outlet, &s->outlet[0])
OBJECT(a_hinge, &s->joint[0])
OBJECT(a_spring, &s->joint[1])
OBJECT(stage_damping, &s->stage[0].damping)
OBJECT(stage_nonsmooth, &s->stage[0].nonsmooth)

static int mappings(mapping *out)
{
    const mrn_schema *motion = &mrn_schema_motion_map;
    const mapping all[] = {
        {driven, "", &mrn_schema_scene, the_scene},
        {rigid, "", &mrn_schema_scene, the_scene},
        {slow, "", &mrn_schema_scene, the_scene},
        {driven, "materials.m", &mrn_schema_material, a_material},
        {driven, "cell", &mrn_schema_cell, the_cell},
        {driven, "cell.control", &mrn_schema_control, the_control},
        {driven, "bodies.0", &mrn_schema_body, a_group},
        {driven, "bodies.0.place.list.0", &mrn_schema_grain, a_grain},
        {driven, "bodies.1.place.lattice", &mrn_schema_lattice, the_bed},
        {driven, "bodies.2.place.inlet", &mrn_schema_inlet, the_inlet},
        {driven, "walls.0.motion", motion, a_motion},
        {driven, "walls.1.motion.servo", mrn_key_map(mrn_key_find(motion, "servo")), a_servo},
        {shaken, "walls.0.motion.shake", mrn_key_map(mrn_key_find(motion, "shake")), a_motion},
        {shaken, "walls.1.motion", motion, a_servo},
        {driven, "forces.0", &mrn_schema_force, a_force},
        {shaken, "forces.0", &mrn_schema_force, a_force},
        {fed, "bodies.0.place.inlet", &mrn_schema_inlet, its_inlet},
        {fed, "walls.0.motion.servo", mrn_key_map(mrn_key_find(motion, "servo")), a_motion},
        {driven, "outlets.0", &mrn_schema_outlet, an_outlet},
        {rigid, "joints.0.hinge", mrn_joint_key(MRN_JOINT_HINGE)->schema, a_hinge},
        {rigid, "joints.1.spring", mrn_joint_key(MRN_JOINT_SPRING)->schema, a_spring},
        {changed, "stages.0.damping", &mrn_schema_damping, stage_damping},
        {changed, "stages.0.nonsmooth", &mrn_schema_nonsmooth, stage_nonsmooth},
    };
    memcpy(out, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}
#define MAPPINGS 32

/* ---- resuming ---- */

static mrn_status read_with(const char *text, const char *set, mrn_scene *s, mrn_message *msg)
{
    return mrn_scene_read_text(text, "text", &set, set != NULL, s, msg);
}

/* A scene that differs in the key alone: by its example, or by what the kind of value offers. */
static bool other_scene(const mapping *m, const char *path, const mrn_key *k, const void *object,
                        size_t at, mrn_scene *out)
{
    const mrn_schema *v = k->schema;
    const char *candidates[24] = {k->example,        "true",          "false", "0.3", "0.7", "3",
                                  "[0.1, 0.2, 0.3]", "[0, 0.6, 0.8]", "newton"};
    int n = 9;
    for (int i = 0; v->words != NULL && v->words[i] != NULL && n < 24; i++)
        candidates[n++] = v->words[i];
    char then[512], now[512], set[800];
    mrn_key_text(k, object, then, sizeof then);
    for (int i = 0; i < n; i++) {
        snprintf(set, sizeof set, "%s=%s", path, candidates[i]);
        if (read_with(m->text, set, out, NULL) != MRN_OK)
            continue;
        mrn_key_text(k, (const char *)m->object(out) + at, now, sizeof now);
        if (strcmp(then, now) != 0)
            return true;
        mrn_scene_destroy(out);
    }
    return false;
}

typedef struct walk {
    char checkpoint[64];
    const mapping *m;
    const mrn_scene *scene;
    int physics, free, n_tried, n_open;
    const mrn_key *tried[200], *open[200]; /* rows that could be changed alone, and that could not
                                            */
} walk;

static void try_key(walk *w, const mrn_key *k, const char *path, size_t at, bool free)
{
    const mapping *m = w->m;
    mrn_scene other;
    mrn_state state = {0};
    mrn_message msg = {0};
    if (!other_scene(m, path, k, (const char *)m->object(w->scene) + at, at, &other)) {
        assert_true(w->n_open < 200);
        w->open[w->n_open++] = k;
        return;
    }
    mrn_status st = mrn_checkpoint_read(w->checkpoint, &other, &state, &msg);
    if (free && st != MRN_OK)
        fail_msg("%s: may differ, but %s", path, msg.text);
    if (!free && (st != MRN_ERR_INPUT || strstr(msg.text, "than the one") == NULL))
        fail_msg("%s: another value is resumed (%d %s)", path, (int)st, msg.text);
    mrn_state_destroy(&state);
    mrn_scene_destroy(&other);
    assert_true(w->n_tried < 200);
    w->tried[w->n_tried++] = k;
    *(free ? &w->free : &w->physics) += 1;
}

static void try_keys(walk *w, const mrn_schema *map, const char *path, size_t at, bool free)
{
    for (const mrn_key *k = map->keys; k->name != NULL; k++) {
        char inner[300];
        bool idle = k->choices && !mrn_method_has_options(w->scene->method, k->name);
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", k->name);
        bool value = k->member != MRN_MEMBER_NONE && k->member != MRN_MEMBER_STRUCT;
        bool method = strcmp(k->name, "method") == 0; /* one may go on as another */
        if (value && k->scene == 0 && !method)
            try_key(w, k, inner, at, free || k->free || idle);
        if (k->member == MRN_MEMBER_STRUCT && w->m->schema == &mrn_schema_scene)
            try_keys(w, mrn_key_map(k), inner, at + k->at, free || k->free || idle);
    }
}

static void walk_mapping(walk *w)
{
    mrn_scene s;
    mrn_state state = {0};
    mrn_message msg = {0};
    if (read_with(w->m->text, NULL, &s, &msg) != MRN_OK)
        fail_msg("%s: %d:%d: %s", w->m->path, msg.line, msg.column, msg.text);
    w->scene = &s;
    assert_int_equal(mrn_world_build(&s, &state, &msg), MRN_OK);
    assert_int_equal(mrn_checkpoint_write(w->checkpoint, &s, &state, &msg), MRN_OK);
    try_keys(w, w->m->schema, w->m->path, 0, false);
    mrn_state_destroy(&state);
    mrn_scene_destroy(&s);
}

/* Every row that could not be changed alone in one scene must have been in another. The dimension
   changes all vectors with it: test_checkpoint.c has it, and the method. */
static void all_were_tried(const walk *w)
{
    for (int i = 0; i < w->n_open; i++) {
        const char *name = w->open[i]->name;
        bool done = strcmp(name, "dimension") == 0;
        for (int k = 0; k < w->n_tried; k++)
            done = done || w->tried[k] == w->open[i];
        if (!done)
            fail_msg("'%s': found no other value", name);
    }
}

static void resuming(void **unused)
{
    (void)unused;
    mapping all[MAPPINGS];
    walk w = {.checkpoint = "/tmp/moraine-keys-XXXXXX"};
    int n = mappings(all), file = mkstemp(w.checkpoint);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < n; i++) {
        w.m = &all[i];
        walk_mapping(&w);
    }
    unlink(w.checkpoint);
    all_were_tried(&w);
    assert_true(w.physics > 60 && w.free > 30);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* The one that was missing. */
static void new_contacts_count(void **unused)
{
    (void)unused;
    const mrn_key *k = mrn_key_find(&mrn_schema_quasistatic, "new-contacts");
    mrn_quasistatic_options a = mrn_quasistatic_default(), b = a;
    b.new_contacts = !a.new_contacts;
    assert_true(!k->free && mrn_key_hash(k, 1, &a) != mrn_key_hash(k, 1, &b));
}

static void all_keys_count(void **unused)
{
    (void)unused;
    for (const mrn_key *k = mrn_schema_scene.keys; k->name != NULL; k++)
        if (!mrn_fingerprint_has(k))
            fail_msg("'%s' does not count when a run is resumed, and does not say why", k->name);
}

/* ---- ranges ---- */

static void out_of_range(const mrn_key *k, mrn_nonsmooth_options *n, mrn_quasistatic_options *q)
{
    void *object = n != NULL ? (void *)n : (void *)q;
    char *member = (char *)object + k->at, path[200];
    mrn_message msg = {0};
    mrn_scene s = {0};
    unsigned word = 99;
    if (k->member == MRN_MEMBER_NUMBER)
        *(double *)(void *)member = -1;
    else if (k->member == MRN_MEMBER_INT)
        *(int *)(void *)member = -1;
    else if (k->member == MRN_MEMBER_COUNT)
        *(int64_t *)(void *)member = -1;
    else if (k->member == MRN_MEMBER_WORD)
        memcpy(member, &word, sizeof word);
    else
        return;
    mrn_owner o = mrn_owner_of(&s, &msg, "it", NULL, "here");
    const mrn_schema *map = n != NULL ? &mrn_schema_nonsmooth : &mrn_schema_quasistatic;
    assert_int_equal(mrn_keys_check(&o, map, object), MRN_ERR_INPUT);
    snprintf(path, sizeof path, "here.%s", k->name);
    assert_string_equal(msg.path, path);
    assert_true(strstr(msg.text, k->name) != NULL && msg.expected[0] != '\0');
}

static void ranges(void **unused)
{
    (void)unused;
    for (const mrn_key *k = mrn_schema_nonsmooth.keys; k->name != NULL; k++) {
        mrn_nonsmooth_options n = mrn_nonsmooth_default();
        out_of_range(k, &n, NULL);
    }
    for (const mrn_key *k = mrn_schema_quasistatic.keys; k->name != NULL; k++) {
        mrn_quasistatic_options q = mrn_quasistatic_default();
        out_of_range(k, NULL, &q);
    }
}

/* ---- defaults and words ---- */

static void check_default(const mrn_schema *map, const void *object)
{
    mrn_scene s = {0};
    mrn_message msg = {0};
    mrn_owner o = mrn_owner_of(&s, &msg, "it", NULL, "%s", "");
    if (mrn_keys_check(&o, map, object) != MRN_OK)
        fail_msg("a default is refused: %s: %s", msg.path, msg.text);
}

static void defaults(void **unused)
{
    (void)unused;
    mrn_scene s = mrn_scene_default();
    mrn_stage g = mrn_stage_default();
    char text[200];
    check_default(&mrn_schema_scene, &s);
    check_default(&mrn_schema_stage, &g);
    check_default(&mrn_schema_nonsmooth, &s.nonsmooth);
    check_default(&mrn_schema_quasistatic, &s.quasistatic);
    assert_true(s.dimension == 3 && s.seed == 1 && s.integrator == MRN_VERLET);
    assert_true(s.nonsmooth.theta == 0.5 && s.nonsmooth.project && s.nonsmooth.stored);
    assert_true(isnan(s.nonsmooth.threshold) && s.quasistatic.max_steps == 2000000);
    assert_string_equal(s.nonsmooth.fallback, "hybrid");
    assert_string_equal(s.nonsmooth.solver, "nlgs");
    assert_true(isinf(g.at_most) && !g.has_damping && g.time_step == 0);
    struct {
        const mrn_schema *map;
        const char *key, *words;
    } const told[] = {{&mrn_schema_quasistatic, "max-steps", "2e6"},
                      {&mrn_schema_quasistatic, "tolerance", "1e-6"},
                      {&mrn_schema_quasistatic, "new-contacts", "true"},
                      {&mrn_schema_nonsmooth, "storage", "stored"},
                      {&mrn_schema_nonsmooth, "fallback", "hybrid"},
                      {&mrn_schema_nonsmooth, "threshold", "2 |g| h"},
                      {&mrn_schema_scene, "integrator", "verlet"},
                      {&mrn_schema_damping, "global", "0"}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        assert_string_equal(
            mrn_key_usual(mrn_key_find(told[i].map, told[i].key), text, sizeof text),
            told[i].words);
    assert_null(mrn_key_usual(mrn_key_find(&mrn_schema_material, "density"), text, sizeof text));
    assert_string_equal(mrn_key_word(&mrn_schema_nonsmooth, "unsolved", MRN_UNSOLVED_HALVE),
                        "halve");
    mrn_scene_destroy(&s);
}

/* What a mapping says of a struct is what a scene file would have to say. */
static void texts(void **unused)
{
    (void)unused;
    mrn_scene s;
    char text[1000];
    assert_int_equal(read_with(driven, NULL, &s, NULL), MRN_OK);
    mrn_key_text(mrn_key_find(&mrn_schema_scene, "damping"), &s, text, sizeof text);
    assert_true(strstr(text, "global: 1 1/s") != NULL && strstr(text, "local: 0.1") != NULL);
    mrn_key_text(mrn_key_find(&mrn_schema_motion_map, "velocity"), &s.wall[0].motion, text,
                 sizeof text);
    assert_string_equal(text, "[0, 0, 0.1 m/s]");
    mrn_key_text(mrn_key_find(&mrn_schema_motion_map, "servo"), &s.wall[1].motion, text,
                 sizeof text);
    assert_non_null(strstr(text, "pressure: 10 Pa"));
    mrn_scene_destroy(&s);
    char set[400];
    for (const mrn_key *k = mrn_schema_nonsmooth.keys; k->name != NULL; k++) {
        mrn_scene again;
        if (k->member == MRN_MEMBER_NONE || k->fallback != NULL)
            continue;
        mrn_nonsmooth_options usual = mrn_nonsmooth_default();
        mrn_key_text(k, &usual, text, sizeof text);
        snprintf(set, sizeof set, "nonsmooth.%s=%.300s", k->name, text);
        assert_int_equal(read_with(rigid, set, &again, NULL), MRN_OK);
        assert_true(mrn_key_hash(k, 1, &usual) == mrn_key_hash(k, 1, &again.nonsmooth));
        mrn_scene_destroy(&again);
    }
}

/* ---- values in force ---- */

typedef struct told {
    int n, n_usual;
    char set[200][300];
} told;

static void note(void *context, const char *path, const char *value, bool usual)
{
    told *t = context;
    t->n_usual += usual;
    if (!usual) {
        assert_true(t->n < 200);
        snprintf(t->set[t->n++], sizeof t->set[0], "%s=%s", path, value);
    }
}

static void add(void *context, const char *name, const char *words, uint64_t value, uint64_t usual)
{
    uint64_t *h = context;
    (void)words;
    (void)usual;
    *h = mrn_hash(mrn_hash(*h, name, strlen(name)), &value, sizeof value);
}

/* What a scene says of itself, said again by --set, is the same scene. */
static void values(void **unused)
{
    (void)unused;
    static const char *const file[] = {"beads-in-box", "drives", "quasistatic", "stages",
                                       "polyhedra",    "switch", "disks-2d",    "control"};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[600];
        mrn_scene s, again;
        mrn_message msg = {0};
        told *t = calloc(1, sizeof *t);
        uint64_t before = MRN_HASH_START, after = MRN_HASH_START;
        snprintf(path, sizeof path, "%s/tests/scenes/good/%s.yaml", MRN_TEST_SOURCE, file[i]);
        assert_int_equal(mrn_scene_read(path, NULL, 0, &s, &msg), MRN_OK);
        mrn_scene_values(&s, note, t);
        assert_true(t->n > 3 && t->n_usual > 5);
        const char *set[200];
        for (int k = 0; k < t->n; k++)
            set[k] = t->set[k];
        if (mrn_scene_read(path, set, t->n, &again, &msg) != MRN_OK)
            fail_msg("%s: %s: %s", file[i], msg.file, msg.text);
        mrn_fingerprint(&s, s.n_stages, add, &before);
        mrn_fingerprint(&again, again.n_stages, add, &after);
        assert_true(before == after && strcmp(s.title, again.title) == 0);
        assert_true(memcmp(&s.quasistatic, &again.quasistatic, sizeof s.quasistatic) == 0);
        assert_true(s.time_step == again.time_step && s.output.every == again.output.every);
        mrn_scene_destroy(&s);
        mrn_scene_destroy(&again);
        free(t);
    }
}

/* Two meshes within the same bounds are two meshes: a roof whose ridge is elsewhere. */
static uint64_t print_of_roof(double ridge)
{
    const double corner[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    mrn_scene s;
    mrn_message msg = {0};
    FILE *f = fopen("roof.stl", "w");
    assert_non_null(f);
    fprintf(f, "solid roof\n");
    for (int k = 0; k < 4; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 4];
        fprintf(f, "facet normal 0 0 1\nouter loop\nvertex %g %g 0\nvertex %g %g 0\n", a[0], a[1],
                b[0], b[1]);
        fprintf(f, "vertex %g 1 1\nendloop\nendfacet\n", ridge);
    }
    fprintf(f, "endsolid roof\n");
    assert_int_equal(fclose(f), 0);
    const char *text =
        "moraine: 1\nmaterials: {stone: {density: 1 kg/m3, young: 1 MPa, poisson: 0.2}}\n"
        "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.5}]\n"
        "bodies: [{name: one, shape: {sphere: {radius: 10 cm}}, place: {list: [[1 m, 1 m, 3 "
        "m]]}}]\n"
        "walls: [{name: roof, mesh: {file: roof.stl}}]\n"
        "stages: [{until: {time: 1 s}}]\n";
    if (mrn_scene_read_text(text, "roof.yaml", NULL, 0, &s, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    uint64_t h = MRN_HASH_START;
    mrn_fingerprint(&s, s.n_stages, add, &h);
    mrn_scene_destroy(&s);
    remove("roof.stl");
    return h;
}

static void meshes_count(void **state)
{
    (void)state;
    assert_true(print_of_roof(1) == print_of_roof(1));
    assert_true(print_of_roof(1) != print_of_roof(1.25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resuming),       cmocka_unit_test(new_contacts_count),
        cmocka_unit_test(all_keys_count), cmocka_unit_test(ranges),
        cmocka_unit_test(defaults),       cmocka_unit_test(texts),
        cmocka_unit_test(values),         cmocka_unit_test(meshes_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
