/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing a file holds and no lack of memory may bring the reader down: every allocation made to
   fail once, and thousands of good scenes with random damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"
#include "scene/read.h"

#define FOLDER MRN_TEST_SOURCE "/tests/scenes/good/"
#define ROUNDS 2500

static const char *const names[] = {
    FOLDER "beads-in-box.yaml", FOLDER "disks-2d.yaml", FOLDER "laws.yaml",
    FOLDER "sizes.yaml",        FOLDER "places.yaml",   FOLDER "stages.yaml",
    FOLDER "walls.yaml",        FOLDER "drives.yaml",   FOLDER "control.yaml",
    FOLDER "control-2d.yaml",   FOLDER "mixture.yaml",  FOLDER "clusters-2d.yaml",
    FOLDER "corners-2d.yaml",   FOLDER "corners.yaml"};
#define NAMES (sizeof names / sizeof names[0])

typedef struct fixture {
    mrn_units *units;
    char *text[NAMES];
    size_t n[NAMES];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    mrn_message msg;
    for (size_t i = 0; i < NAMES; i++) {
        FILE *file = fopen(names[i], "r");
        if (file == NULL)
            return -1;
        f->text[i] = calloc(1, 16384);
        f->n[i] = fread(f->text[i], 1, 16383, file);
        fclose(file);
    }
    *state = f;
    return mrn_units_open(&f->units, &msg) == MRN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mrn_units_close(&f->units);
    for (size_t i = 0; i < NAMES; i++)
        free(f->text[i]);
    free(f);
    return 0;
}

/* The k-th allocation fails, for every k until none is left to fail. */
static int64_t starve(fixture *f, int which, const char *const *set, int n_set)
{
    mrn_scene_text in = {.text = f->text[which],
                         .n = f->n[which],
                         .name = names[which],
                         .path = names[which],
                         .set = set,
                         .n_set = n_set};
    size_t before = mrn_bytes_in_use();
    for (int64_t k = 1;; k++) {
        mrn_scene scene;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        mrn_status s = mrn_scene_read_bytes(&in, f->units, &scene, &msg);
        mrn_alloc_fail_at(0);
        if (s == MRN_OK) {
            mrn_scene_destroy(&scene);
            assert_int_equal(mrn_bytes_in_use(), before);
            return k;
        }
        if (s != MRN_ERR_MEMORY || msg.text[0] == '\0')
            fail_msg("%s, allocation %d: status %d: %s", names[which], (int)k, (int)s, msg.text);
        if (mrn_bytes_in_use() != before)
            fail_msg("%s, allocation %d: memory is left behind", names[which], (int)k);
    }
}

static void test_starved(void **state)
{
    const char *set[] = {"seed=2", "output.contacts=true"};
    for (size_t i = 0; i < NAMES; i++)
        assert_true(starve(*state, (int)i, set, 2) > 5);
    assert_true(starve(*state, 0, NULL, 0) > 5);
}

static void test_starved_file(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= 4; k++) {
        mrn_scene scene;
        mrn_message msg = {0};
        size_t before = mrn_bytes_in_use();
        mrn_alloc_fail_at(k);
        mrn_status s = mrn_scene_read(names[0], NULL, 0, &scene, &msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(s, MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
}

static uint64_t below(mrn_rng *r, uint64_t n)
{
    return mrn_rng_next(r) % n;
}

/* One kind of damage: flip, replace by a telling character, cut, delete, repeat a piece. */
static size_t damage(mrn_rng *r, char *text, size_t n)
{
    static const char telling[] = "{}[]:,-&*!#|>'\"%@~<0123456789.eE \t\n";
    size_t at = below(r, n), to = at + below(r, n - at < 40 ? n - at : 40);
    switch (below(r, 6)) {
    case 0:
        text[at] ^= (char)(1 << below(r, 8));
        return n;
    case 1:
    case 2:
        text[at] = telling[below(r, sizeof telling - 1)];
        return n;
    case 3:
        return at > 0 ? at : n;
    case 4:
        memmove(text + at, text + to, n - to);
        return n - (to - at);
    default:
        memmove(text + to, text + at, n - at);
        return n + (to - at);
    }
}

static void test_damaged(void **state)
{
    fixture *f = *state;
    mrn_rng r = mrn_rng_seed(20, 1);
    char text[20000];
    int good = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t which = below(&r, NAMES), n = f->n[which];
        memcpy(text, f->text[which], n);
        for (uint64_t k = 1 + below(&r, 3); k > 0 && n > 1; k--)
            n = damage(&r, text, n);
        text[n] = '\0';
        mrn_scene_text in = {.text = text, .n = n, .name = names[which]};
        mrn_scene scene;
        mrn_message msg = {0};
        mrn_status s = mrn_scene_read_bytes(&in, f->units, &scene, &msg);
        if (s == MRN_OK) {
            good++;
            mrn_scene_destroy(&scene);
        } else if (s != MRN_ERR_INPUT || msg.text[0] == '\0' || msg.file[0] == '\0' ||
                   (msg.expected[0] == '\0' && msg.hint[0] == '\0'))
            fail_msg("round %d: status %d at '%s': '%s'\n%s", round, (int)s, msg.file, msg.text,
                     text);
    }
    /* damage in comments, titles and digits is harmless: both outcomes must occur */
    assert_true(good > ROUNDS / 50 && good < ROUNDS / 2);
}

/* The same with --set texts. */
static void test_damaged_sets(void **state)
{
    static const char *const sets[] = {
        "bodies.beads.count=200", "interactions.0.friction=0.3",   "output={every: 1 ms}",
        "walls.0.material=glass", "stages.settle.until.time=3 ms", "gravity=[0, 0, -1.62 m/s2]"};
    fixture *f = *state;
    mrn_rng r = mrn_rng_seed(21, 1);
    for (int round = 0; round < ROUNDS / 5; round++) {
        char text[200];
        snprintf(text, sizeof text, "%s", sets[below(&r, sizeof sets / sizeof sets[0])]);
        size_t n = damage(&r, text, strlen(text));
        text[n] = '\0';
        const char *set[] = {text};
        mrn_scene_text in = {
            .text = f->text[0], .n = f->n[0], .name = names[0], .set = set, .n_set = 1};
        mrn_scene scene;
        mrn_message msg = {0};
        mrn_status s = mrn_scene_read_bytes(&in, f->units, &scene, &msg);
        if (s == MRN_OK)
            mrn_scene_destroy(&scene);
        else if (s != MRN_ERR_INPUT || msg.text[0] == '\0' || msg.file[0] == '\0')
            fail_msg("--set %s: status %d: '%s'", text, (int)s, msg.text);
    }
}

/* The same with a table of grains. */
static void test_damaged_tables(void **state)
{
    static const char table[] = "x,y,z,radius,vx\n0.01,0.01,0.01,0.001,1\n0.02,0.02,0.02,0.001,1\n";
    static const char scene_text[] =
        "moraine: 1\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\n"
        "interactions: [{between: any, law: hertz-mindlin, restitution: 1, friction: 0}]\n"
        "bodies: [{shape: {sphere: {}}, place: {csv: t.csv}}]\nstages: [{at-most: 1}]\n";
    fixture *f = *state;
    mrn_rng r = mrn_rng_seed(22, 1);
    char folder[] = "/tmp/moraine-XXXXXX", csv[64], name[64], text[200];
    assert_non_null(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/t.csv", folder);
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    mrn_scene_text in = {.text = scene_text, .n = strlen(scene_text), .name = name};
    for (int round = 0; round < ROUNDS / 5; round++) {
        memcpy(text, table, sizeof table);
        size_t n = damage(&r, text, strlen(table));
        FILE *file = fopen(csv, "w");
        fwrite(text, 1, n, file);
        fclose(file);
        mrn_scene scene;
        mrn_message msg = {0};
        mrn_status s = mrn_scene_read_bytes(&in, f->units, &scene, &msg);
        if (s == MRN_OK)
            mrn_scene_destroy(&scene);
        else if (s != MRN_ERR_INPUT || msg.text[0] == '\0' || msg.file[0] == '\0')
            fail_msg("round %d: status %d: '%s'", round, (int)s, msg.text);
    }
    remove(csv);
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starved),        cmocka_unit_test(test_starved_file),
        cmocka_unit_test(test_damaged),        cmocka_unit_test(test_damaged_sets),
        cmocka_unit_test(test_damaged_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
