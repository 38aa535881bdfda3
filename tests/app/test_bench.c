/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine bench` on the smallest standard gas, on a scene and on a run's folder: what is counted,
   threads, order of the numbers, parts; what is refused. How fast anything is, is not tested. */
#include "app/lab_files.h"

static const char beads[] =
    "moraine: 1\n"
    "materials: {glass: {density: 2500 kg/m3, young: 10 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"
    "bodies: [{name: beads, shape: {sphere: {diameter: 2 mm}}, place: {lattice: {box: [[0, 0, 0],\n"
    "  [6 mm, 6 mm, 6 mm]], kind: cubic, spacing: 2 mm}}}]\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: rest, until: {steps: 200}}]\n";

static int set_up(void **unused)
{
    lab_set_up(unused);
    write_file("beads.yaml", beads);
    return 0;
}

static double of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *word(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* What every row must be: a median within its range, memory of the size of bodies, shares of 1. */
static const json_t *sound_row(const json_t *root, size_t i, const char *method, int grains,
                               int threads)
{
    const json_t *r = json_array_get(json_object_get(root, "rows"), i), *part;
    const char *name;
    double sum = 0;
    assert_string_equal(word(r, "method"), method);
    assert_int_equal((int)of(r, "grains"), grains);
    assert_int_equal((int)of(r, "threads"), threads);
    /* a stretch of a slow build may be too short for a single collision */
    assert_true(of(r, "lowest") >= 0 && of(r, "lowest") <= of(r, "per-second"));
    assert_true(of(r, "per-second") <= of(r, "highest") && of(r, "steps") >= 5);
    assert_true(of(r, "bytes-per-grain") > 200);
    json_object_foreach(json_object_get((json_t *)r, "parts"), name, part) sum +=
        json_number_value(part);
    assert_true(fabs(sum - 1) < 1e-9);
    return r;
}

static void test_standard(void **unused)
{
    (void)unused;
    json_t *root = parse(moraine(0, "bench", "--method", "event", "--largest", "1000", "--seconds",
                                 "0.3", "--threads", "1", "--json", NULL)
                             ->out);
    assert_int_equal(json_array_size(json_object_get(root, "rows")), 1);
    const json_t *r = sound_row(root, 0, "event", 1000, 1);
    assert_string_equal(word(r, "counts"), "collisions");
    assert_true(json_is_null(json_object_get(r, "seconds-per-step")));
    json_decref(root);
    /* the table: no line wider than 80 columns */
    char *text =
        moraine(0, "bench", "-m", "event", "-n", "1000", "--seconds", "0.02", "-t", "1", NULL)->out;
    expect_text(text, "collisions");
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        int columns = 0;
        for (const char *c = line; *c != '\0'; c++)
            columns += (*c & 0xc0) != 0x80;
        assert_true(columns <= 80);
    }
}

/* A scene as it begins, with one thread and with two; and the run of it, from where it ended. */
static void test_own(void **unused)
{
    (void)unused;
    json_t *root = parse(
        moraine(0, "bench", "beads.yaml", "--seconds", "0.02", "-t", "2", "--json", NULL)->out);
    assert_int_equal(json_array_size(json_object_get(root, "rows")), 2);
    sound_row(root, 0, "smooth", 27, 1);
    const json_t *r = sound_row(root, 1, "smooth", 27, 2);
    assert_string_equal(word(r, "counts"), "body-steps");
    /* 27 body-steps in a step: medians of rate and of time come from the same stretch */
    assert_true(fabs(of(r, "per-second") * of(r, "seconds-per-step") - 27) < 1e-6);
    assert_true(of(r, "contacts-per-grain") > 0);
    json_decref(root);
    moraine(0, "run", "beads.yaml", "--out", "rest", "-q", NULL);
    root = parse(moraine(0, "bench", "rest", "--seconds", "0.02", "-t", "1", "--json", NULL)->out);
    sound_row(root, 0, "smooth", 27, 1);
    json_decref(root);
}

static void test_refused(void **unused)
{
    (void)unused;
    expect_text(moraine(2, "bench", "nowhere.yaml", NULL)->err, "nowhere.yaml");
    expect_text(moraine(2, "bench", "--smallest", "2000", "--largest", "1000", NULL)->err,
                "--smallest 2000 is above --largest 1000");
    expect_text(moraine(2, "bench", "--set", "seed=2", NULL)->err, "--set is for a SCENE");
    expect_text(moraine(2, "bench", "rest", "--method", "event", NULL)->err, "a run's folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
