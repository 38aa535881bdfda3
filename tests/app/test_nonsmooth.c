/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command with the non-smooth engine: one word switches, the user sees how contact problems
   went, and gets them as files that `moraine solve` takes. */
/* ctest-timeout: 120 */
#include "app/command.h"

static const char scene_text[] =
    "moraine: 1\n"
    "title: Disks\n"
    "dimension: 2\n"
    "materials: {stone: {density: 2600 kg/m3, young: 200 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.3, friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: stones, shape: {sphere: {diameter: {uniform: [8 mm, 12 mm]}}}, count: 30,\n"
    "     velocity: [0, -1 m/s], place: {fill: {box: [[0, 0], [8 cm, 6 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"
    "cell: {periodic: [x], size: [8 cm, 0]}\n"
    "gravity: [0, -9.81]\n"
    "stages: [{name: fall, until: {time: 60 ms}}]\n"
    "output: {every: 5 ms, contacts: true}\n";

static void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **unused)
{
    (void)unused;
    work = make_folder();
    write_text("disks.yaml", scene_text);
    moraine(0, "run", "disks.yaml", "--method", "nonsmooth", "--out", "rigid", "-q", NULL);
    moraine(0, "run", "disks.yaml", "--out", "soft", "-q", NULL);
    return 0;
}

/* ---- what is seen ---- */

static void test_head_table_and_end(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "run", "disks.yaml", "-m", "nonsmooth", "--out", "seen", NULL);
    expect_text(o->out, "nonsmooth: nlgs to");
    expect_text(o->out, "sweeps");
    expect_text(o->out, "overlap");
    expect_text(o->out, "solved, 0 not");
    expect_text(o->out, "solver");
    assert_null(strstr(o->out, "unbal."));
    assert_null(strstr(o->out, "impacts"));
    o = moraine(0, "run", "disks.yaml", "--out", "seen", "--force", NULL);
    expect_text(o->out, "unbal.");
    assert_null(strstr(o->out, "sweeps"));
    json_t *s = parse(moraine(0, "run", "disks.yaml", "-m", "nonsmooth", "--out", "seen", "--force",
                              "--json", NULL)
                          ->out);
    assert_non_null(json_object_get(json_object_get(s, "nonsmooth"), "residual-worst"));
    assert_null(json_object_get(s, "impacts"));
    json_decref(s);
}

static void test_check(void **unused)
{
    (void)unused;
    outcome *o =
        moraine(0, "check", "disks.yaml", "--set", "method=nonsmooth", "--trial", "0.1", NULL);
    expect_text(o->out, "rigid grains have no stability limit");
    expect_text(o->out, "Contact problems");
    expect_text(o->out, "nlgs");
    expect_text(o->out, "2D");
    json_t *s = parse(moraine(0, "check", "disks.yaml", "--set", "method=nonsmooth", "--json",
                              "--trial", "0.1", NULL)
                          ->out);
    json_t *step = json_object_get(s, "time-step");
    assert_true(json_is_null(json_object_get(step, "critical")));
    assert_true(json_number_value(json_object_get(step, "advised")) > 0);
    assert_string_equal(json_string_value(json_object_get(s, "method")), "nonsmooth");
    json_t *n = json_object_get(s, "nonsmooth");
    assert_non_null(json_object_get(n, "contact-kind"));
    assert_string_equal(json_string_value(json_object_get(n, "if-unsolved")), "switch");
    assert_true(json_is_boolean(json_object_get(n, "project")));
    assert_true(json_is_integer(json_object_get(n, "contact-points")));
    json_t *most = json_object_get(json_object_get(n, "overlap"), "max");
    assert_non_null(json_object_get(most, "of-mean-radius"));
    json_decref(s);
    o = moraine(0, "check", "disks.yaml", "--trial", "0", NULL);
    expect_text(o->out, "stable below");
}

static void test_analyze_and_diff(void **unused)
{
    (void)unused;
    expect_text(moraine(0, "analyze", "rigid", NULL)->out, "coordination");
    expect_text(moraine(0, "analyze", "rigid", "--frame", "last", NULL)->out, "coordination");
    expect_text(moraine(1, "diff", "rigid", "soft", "--after", "16", NULL)->out, "They differ");
    moraine(0, "run", "disks.yaml", "-m", "nonsmooth", "--out", "again", "-q", "--max-steps", "40",
            NULL);
    moraine(0, "run", "disks.yaml", "-m", "nonsmooth", "--out", "again", "-q", "--resume", NULL);
    expect_text(moraine(0, "diff", "rigid", "again", NULL)->out, "The same");
}

/* ---- problems ---- */

/* Solved from zero, to a tolerance that the run did not ask for. */
static void solves(const char *file)
{
    json_t *s = parse(moraine(0, "solve", file, "--tol", "1e-8", "--json", NULL)->out);
    double residual = json_number_value(json_object_get(s, "residual_natural"));
    assert_true(residual > 0 && residual <= 1e-8);
    json_decref(s);
}

static void test_export_problem(void **unused)
{
    (void)unused;
    expect_text(moraine(0, "export", "rigid", "--fclib", "p.hdf5", NULL)->out,
                "moraine solve p.hdf5");
    solves("p.hdf5");
    expect_text(moraine(2, "export", "rigid", "--fclib", "p.hdf5", NULL)->err, "--overwrite");
    json_t *s = parse(
        moraine(0, "export", "rigid", "--fclib", "p.hdf5", "--overwrite", "--json", NULL)->out);
    assert_true(json_integer_value(json_object_get(s, "contacts")) > 20);
    json_decref(s);
    /* from a packing of the smooth engine */
    moraine(0, "export", "soft", "--fclib", "soft.hdf5", NULL);
    solves("soft.hdf5");
    expect_text(moraine(2, "export", "rigid", "--fclib", "x.hdf5", "--format", "csv", NULL)->err,
                "not both");
    moraine(2, "export", "nowhere", "--fclib", "x.hdf5", NULL);
    assert_false(there_is(work.path, "x.hdf5"));
}

/* On the way and afterwards: the same problem, byte for byte. */
static void test_problem_of_a_step(void **unused)
{
    (void)unused;
    moraine(0, "run", "disks.yaml", "-m", "nonsmooth", "--out", "way", "-q", "--fclib-at", "60,90",
            NULL);
    moraine(0, "export", "rigid", "--fclib", "step.hdf5", "--step", "90", NULL);
    char first[256], second[256], cmd[600];
    snprintf(first, sizeof first, "%s/way/problems/step-90.hdf5", work.path);
    snprintf(second, sizeof second, "%s/step.hdf5", work.path);
    snprintf(cmd, sizeof cmd, "cmp -s %s %s", first, second);
    assert_int_equal(system(cmd), 0);
    solves("way/problems/step-60.hdf5");
    expect_text(moraine(2, "export", "rigid", "--fclib", "y.hdf5", "--step", "100000", NULL)->err,
                "the run ends at step");
    expect_text(moraine(2, "export", "soft", "--fclib", "y.hdf5", "--step", "3", NULL)->err,
                "nonsmooth");
    assert_false(there_is(work.path, "y.hdf5"));
    expect_text(moraine(2, "run", "disks.yaml", "--out", "no", "--fclib-at", "3", NULL)->err,
                "method nonsmooth");
    static const char *const bad[] = {"", "0", "-1", "3,", "3,x", "4 5", "1e3"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        moraine(2, "run", "disks.yaml", "-m", "nonsmooth", "--out", "no", "--fclib-at", bad[k],
                NULL);
    assert_false(there_is(work.path, "no"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_table_and_end), cmocka_unit_test(test_check),
        cmocka_unit_test(test_analyze_and_diff),   cmocka_unit_test(test_export_problem),
        cmocka_unit_test(test_problem_of_a_step),
    };
    return cmocka_run_group_tests(tests, begin, remove_folder);
}
