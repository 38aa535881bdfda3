/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages with fixed contacts under method smooth: grains that did not touch pass through each
   other, those that did may part and meet again; a run taken up again knows which they are. */
#include <math.h>

#include "app/command.h"

/* Disks in a row, periodic along x, no gravity: the first two overlap and drive each other apart,
   towards the third and around the cell towards each other again. */
static const char scene_text[] =
    "moraine: 1\n"
    "title: Three disks in a ring\n"
    "dimension: 2\n"
    "materials: {rods: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e5 N/m, restitution: 0.9,\n"
    "                friction: 0, stiffness-ratio: 0.5}]\n"
    "cell: {periodic: [x, y], size: [10 cm, 10 cm]}\n"
    "bodies:\n"
    "  - {name: two, shape: {disk: {diameter: 1 cm}}, place: {list: [[2 cm, 5 cm], [2.98 cm, 5 "
    "cm]]}}\n"
    "  - {name: third, shape: {disk: {diameter: 1 cm}}, place: {list: [[6 cm, 5 cm]]}}\n"
    "stages:\n"
    "  - {name: touch, until: {steps: 1}}\n"
    "  - {name: fly, at-most: 0.7 s, fixed-contacts: true}\n"
    "output: {every: 1 s, probes-every: 1 ms, probes: [contacts, mean-x]}\n";

static int begin(void **unused)
{
    (void)unused;
    work = make_folder();
    char path[256];
    snprintf(path, sizeof path, "%s/ring.yaml", work.path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(scene_text, f);
    fclose(f);
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

static json_t *summary(const char *run)
{
    char path[256];
    snprintf(path, sizeof path, "%s/summary.json", run);
    char *text = slurp(work.path, path);
    json_t *s = parse(text);
    free(text);
    return s;
}

/* Rows of a run's probes in which a contact is there, after the first. */
static int rows_with_contact(const char *run, int *from)
{
    char path[256];
    snprintf(path, sizeof path, "%s/probes.csv", run);
    char *text = slurp(work.path, path), *line = strtok(text, "\n");
    int column = -1, n = 0, row = 0, apart = 0;
    for (; line != NULL; line = strtok(NULL, "\n"), row++) {
        int k = 0;
        for (char *p = line; p != NULL; p = strchr(p, ','), k++) {
            p += *p == ',';
            if (row == 0 && strncmp(p, "contacts", 8) == 0)
                column = k;
            else if (row > 0 && k == column && atof(p) > 0)
                n += apart > 0; /* they have parted: this is another meeting */
            else if (row > 0 && k == column)
                apart++;
        }
    }
    assert_true(column >= 0);
    *from = row;
    free(text);
    return n;
}

/* The pair comes around the cell and meets again; the third never counts. With all contacts it is
   hit: then it moves. Energy that is left tells: two disks that meet once more keep more than three
   that share it, and the third stands still where it is passed through. */
static void test_pass_through(void **unused)
{
    (void)unused;
    int rows;
    moraine(0, "run", "ring.yaml", "--out", "fixed", "-q", NULL);
    moraine(0, "run", "ring.yaml", "--out", "all", "-q", "-s", "stages.fly.fixed-contacts=false",
            NULL);
    moraine(0, "run", "ring.yaml", "--out", "alone", "-q", "-s",
            "bodies.third.place.list=[[6 cm, 9 cm]]", NULL);
    json_t *fixed = summary("fixed"), *all = summary("all"), *alone = summary("alone");
    double kinetic[3];
    const json_t *of[3] = {fixed, all, alone};
    for (int k = 0; k < 3; k++)
        kinetic[k] =
            json_real_value(json_object_get(json_object_get(of[k], "energies"), "kinetic"));
    assert_true(kinetic[0] > 0);
    /* where the third is out of the way, the same happens to the two, to rounding of places */
    assert_true(fabs(kinetic[0] - kinetic[2]) <= 1e-9 * kinetic[2]);
    assert_true(fabs(kinetic[1] - kinetic[2]) > 1e-3 * kinetic[2]);
    assert_true(rows_with_contact("fixed", &rows) > 0); /* they met again */
    json_decref(fixed), json_decref(all), json_decref(alone);
}

/* In the first stage as in any other; and no device passes over it. */
static void test_first_stage(void **unused)
{
    (void)unused;
    static const char only[] = "stages=[{name: fly, at-most: 0.7 s, fixed-contacts: true}]";
    moraine(0, "run", "ring.yaml", "--out", "first", "-q", "-s", only, NULL);
    moraine(0, "run", "ring.yaml", "--out", "only", "-q", "-s", only, "-s",
            "bodies.third.place.list=[[6 cm, 9 cm]]", NULL);
    json_t *first = summary("first"), *alone = summary("only");
    const json_t *of[2] = {first, alone};
    double kinetic[2];
    for (int k = 0; k < 2; k++)
        kinetic[k] =
            json_real_value(json_object_get(json_object_get(of[k], "energies"), "kinetic"));
    assert_true(fabs(kinetic[0] - kinetic[1]) <= 1e-9 * kinetic[1]);
    moraine(0, "run", "ring.yaml", "--out", "part", "-q", "-s", only, "--max-steps", "70", NULL);
    moraine(0, "run", "ring.yaml", "--out", "part", "-q", "-s", only, "--resume", NULL);
    json_t *part = summary("part");
    assert_string_equal(json_string_value(json_object_get(part, "hash")),
                        json_string_value(json_object_get(first, "hash")));
    json_decref(first), json_decref(alone), json_decref(part);
    outcome *o = moraine(2, "run", "ring.yaml", "--out", "gone", "-q", "-s", only, "-s",
                         "bodies.two.place.list=[[2 cm, 5 cm], [4 cm, 5 cm]]", NULL);
    expect_text(o->err, "no contact is there");
    o = moraine(2, "run", "ring.yaml", "--out", "gone", "-q", "-s", only, "--device", "emulated",
                NULL);
    expect_text(o->err, "fixed contacts");
    o = moraine(1, "run", "ring.yaml", "--out", "later", "-q", "--device", "emulated", NULL);
    expect_text(o->err, "fixed contacts");
}

static void test_resume(void **unused)
{
    (void)unused;
    json_t *whole = summary("fixed");
    for (int part = 1; part < 4; part++) {
        char steps[32];
        double all = json_number_value(json_object_get(whole, "step"));
        snprintf(steps, sizeof steps, "%.0f", floor(0.25 * part * all));
        moraine(0, "run", "ring.yaml", "--out", "half", "-q", "--force", "--max-steps", steps,
                NULL);
        moraine(0, "run", "ring.yaml", "--out", "half", "-q", "--resume", NULL);
        json_t *half = summary("half");
        assert_string_equal(json_string_value(json_object_get(half, "hash")),
                            json_string_value(json_object_get(whole, "hash")));
        json_decref(half);
    }
    json_decref(whole);
}

/* Whether contacts are fixed is physics: a run is not taken up with the other word. */
static void test_resume_with_another_word(void **unused)
{
    (void)unused;
    moraine(0, "run", "ring.yaml", "--out", "other", "-q", "--force", "--max-steps", "50", NULL);
    outcome *o = moraine(2, "run", "ring.yaml", "--out", "other", "--resume", "-s",
                         "stages.fly.fixed-contacts=false", NULL);
    assert_non_null(strstr(o->err, "fixed contacts"));
    moraine(0, "run", "ring.yaml", "--out", "other", "-q", "--resume", NULL);
}

/* Nothing to be fixed; and a stage that changes one word (`accuracy`) is read. */
static void test_scenes(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "run", "ring.yaml", "--out", "none", "-q", "-s",
                         "bodies.two.place.list=[[2 cm, 5 cm], [4 cm, 5 cm]]", NULL);
    expect_text(o->err, "no contact is there");
    moraine(0, "run", "ring.yaml", "--out", "words", "-q", "-s", "stages.fly.accuracy=fine", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pass_through), cmocka_unit_test(test_first_stage),
        cmocka_unit_test(test_resume),       cmocka_unit_test(test_resume_with_another_word),
        cmocka_unit_test(test_scenes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
