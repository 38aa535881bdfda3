/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine analyze` on a small run: JSON, tables, files, and what it refuses. */
/* ctest-labels: threads */
#include <jansson.h>
#include <sys/wait.h>

#include "run/helper.h"

/* Layers of a crystal on a floor, at rest but for their settling by their own weight; a few steps.
   Forces in the middle of the bed are those of the weight above. */
static const char scene_text[] =
    "moraine: 1\n"
    "dimension: 3\n"
    "materials: {stone: {density: 2000 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.1, friction: "
    "0.5}]\n"
    "bodies:\n"
    "  - {name: stones, material: stone, shape: {sphere: {diameter: 1 cm}},\n"
    "     place: {lattice: {kind: cubic, box: [[0, 0, 0], [4 cm, 4 cm, 6 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"
    "cell: {periodic: [x, y], size: [4 cm, 4 cm, 0]}\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: settle, until: {time: 0.1 s}}]\n"
    "output: {every: 50 ms, contacts: true}\n";

static folder work;

static int shell(const char *fmt, ...)
{
    char args[1024], command[2048];
    va_list list;
    va_start(list, fmt);
    vsnprintf(args, sizeof args, fmt, list);
    va_end(list);
    snprintf(command, sizeof command, "cd %s && %s %s", work.path, MRN_TEST_COMMAND, args);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static json_t *load(const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL)
        fail_msg("%s: %s", name, error.text);
    return root;
}

static double at(const json_t *root, const char *section, const char *key)
{
    const json_t *v = json_object_get(json_object_get(root, section), key);
    if (!json_is_number(v))
        fail_msg("%s.%s is missing", section, key);
    return json_number_value(v);
}

static double entry(const json_t *root, const char *section, const char *key, size_t i)
{
    return json_number_value(
        json_array_get(json_object_get(json_object_get(root, section), key), i));
}

static int make_run(void **state)
{
    (void)state;
    char path[1200];
    work = make_folder();
    snprintf(path, sizeof path, "%s/bed.yaml", work.path);
    FILE *f = fopen(path, "w");
    if (f == NULL || fputs(scene_text, f) < 0 || fclose(f) != 0)
        return -1;
    if (shell("run bed.yaml --out bed --quiet") != 0)
        return -1;
    return shell("run bed.yaml --set output.contacts=false --out bare --quiet");
}

static int remove_run(void **state)
{
    (void)state;
    remove_tree(work.path);
    return 0;
}

/* 96 grains in 6 layers of 16. The bulk is 10 % to 90 % of the height: the mean of the weight above
   over it is half the weight of all, within the half layer by which borders may cut. */
static void checkpoint(void **state)
{
    (void)state;
    assert_int_equal(shell("analyze bed --json > a.json"), 0);
    json_t *r = load("a.json");
    assert_true(at(r, "packing", "grains") == 96);
    assert_true(at(r, "contacts", "with-walls") == 16);
    assert_true(at(r, "contacts", "contacts") >= 96);
    double weight = 96 * 2000 * MRN_PI / 6 * 1e-6 * 9.81, half = 0.5 * weight / 0.0016;
    double zz = entry(r, "stress", "total", MRN_ZZ);
    if (fabs(zz / half - 1) > 0.1)
        fail_msg("stress zz %g, half the weight %g", zz, half);
    assert_true(fabs(at(r, "packing", "solid-fraction") - MRN_PI / 6) < 0.02);
    /* energy is there and accounted for to a percent of what was lost */
    double lost = at(r, "energy", "lost-normal") + at(r, "energy", "lost-tangential");
    assert_true(lost > 0 && fabs(at(r, "energy", "residual")) < 0.01 * lost);
    json_decref(r);
    assert_int_equal(shell("analyze bed/checkpoint.h5 | grep -q 'stress ratio'"), 0);
}

/* The last frame is the same instant: its stored forces are those found anew from the checkpoint,
   but for what dashpots do with velocities corrected since. */
static void frame(void **state)
{
    (void)state;
    assert_int_equal(shell("analyze bed --json > a.json"), 0);
    assert_int_equal(shell("analyze bed --frame last --json > b.json"), 0);
    assert_int_equal(shell("analyze bed/trajectory.h5 --frame -1 --json > c.json"), 0);
    json_t *a = load("a.json"), *b = load("b.json"), *c = load("c.json");
    assert_true(json_equal(json_object_get(b, "stress"), json_object_get(c, "stress")));
    assert_true(at(a, "contacts", "contacts") == at(b, "contacts", "contacts"));
    double p = at(a, "stress", "pressure");
    assert_true(fabs(at(b, "stress", "pressure") - p) < 1e-2 * p);
    assert_null(json_object_get(json_object_get(b, "energy"), "lost-normal")); /* frames know none
                                                                                */
    json_decref(a);
    json_decref(b);
    json_decref(c);
}

static void without_contacts(void **state)
{
    (void)state;
    assert_int_equal(shell("analyze bare --frame 0 --json > a.json"), 0);
    json_t *r = load("a.json");
    assert_true(json_is_false(json_object_get(r, "contacts-known")));
    assert_null(json_object_get(r, "forces"));
    assert_true(at(r, "packing", "grains") == 96);
    json_decref(r);
    assert_int_equal(shell("analyze bare --frame 0 --forces f.csv 2> err.txt"), 2);
    assert_int_equal(shell("analyze bare --forces f.csv > /dev/null"), 0); /* the checkpoint has
                                                                              them */
}

static int lines_of(const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return -1;
    int n = 0;
    for (int c; (c = fgetc(f)) != EOF;)
        n += c == '\n';
    fclose(f);
    return n;
}

static void files(void **state)
{
    (void)state;
    assert_int_equal(shell("analyze bed --profile z --bins 12 --csv p.csv --forces f.csv --fields "
                           "f.vti --spacing 5e-3 > /dev/null"),
                     0);
    assert_int_equal(lines_of("p.csv"), 13);
    assert_int_equal(lines_of("f.csv"), 1 + MRN_FORCE_BINS);
    assert_true(lines_of("f.vti") > 10);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const wrong[] = {"analyze",
                                        "analyze nowhere",
                                        "analyze bed --frame 99",
                                        "analyze bed.yaml",
                                        "analyze bed --frame zwei",
                                        "analyze bed/checkpoint.h5 --frame 0",
                                        "analyze bed --csv",
                                        "analyze bed --profile z",
                                        "analyze bed --width 1",
                                        "analyze .",
                                        "analyze bed --profile w --csv p.csv"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (shell("%s > out.txt 2> err.txt", wrong[i]) != 2 || lines_of("err.txt") < 1)
            fail_msg("not refused: %s", wrong[i]);
}

/* A scene is no state: said so, with what to do, wherever it lies. */
static void scene_is_no_state(void **state)
{
    (void)state;
    static const char *const scene[] = {"bed.yaml", "bed/scene.yaml", "./bed.yaml"};
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
        assert_int_equal(shell("analyze %s > out.txt 2> err.txt", scene[i]), 2);
        static const char *const words[] = {"is a scene, not a state", "the folder of a run",
                                            "checkpoint.h5", "moraine run"};
        char *text = slurp(work.path, "err.txt");
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strstr(text, words[k]) == NULL)
                fail_msg("no '%s' in: %s", words[k], text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoint),       cmocka_unit_test(frame),
        cmocka_unit_test(without_contacts), cmocka_unit_test(files),
        cmocka_unit_test(refusals),         cmocka_unit_test(scene_is_no_state),
    };
    return cmocka_run_group_tests(tests, make_run, remove_run);
}
