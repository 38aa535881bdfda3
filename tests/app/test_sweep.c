/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine sweep` on a ball that bounces: values against the closed form, designs, resuming, what
   is refused. */
#include "app/lab_files.h"

static const char bounce[] =
    "moraine: 1\n"
    "accuracy: fine\n"
    "title: A ball bounces\n"
    "materials: {nylon: {density: 1150 kg/m3}}\n"
    "interactions:\n"
    "  - {between: [nylon, nylon], law: linear, normal-stiffness: 2e5 N/m, restitution: 0.8,\n"
    "     friction: 0}\n"
    "bodies:\n"
    "  - {name: ball, shape: {sphere: {radius: 5 cm}}, place: {list: [[0, 0, 0.1 m]]},\n"
    "     velocity: [0, 0, -2 m/s]}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "stages: [{name: fly, until: {time: 0.1 s}}]\n";

static int set_up(void **unused)
{
    lab_set_up(unused);
    write_file("bounce.yaml", bounce);
    return 0;
}

static double value(const json_t *root, size_t point, const char *probe)
{
    const json_t *p = json_array_get(json_object_get(root, "points"), point);
    return number(json_object_get(json_object_get(p, "probes"), probe), "mean");
}

/* Without gravity the ball leaves with e times the 2 m/s that it came with: the kinetic energy says
   so to the accuracy of the scheme. */
static void test_grid(void **unused)
{
    (void)unused;
    const double m = 1150 * 4.0 / 3 * MRN_PI * 0.05 * 0.05 * 0.05;
    outcome *o = moraine(
        0, "sweep", "bounce.yaml", "--vary", "interactions.0.restitution=0.5:0.9:3", "-w",
        "bodies.ball.shape.sphere.radius=50 mm,5 cm", "-p", "kinetic-energy", "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(json_array_size(json_object_get(root, "points")), 6);
    for (size_t i = 0; i < 6; i++) {
        double e = 0.5 + 0.2 * (double)(i / 2), energy = 0.5 * m * 4 * e * e;
        double got = value(root, i, "kinetic-energy");
        if (!(fabs(got - energy) < 5e-3 * energy))
            fail_msg("point %zu: %g J, not %g J", i, got, energy);
    }
    json_decref(root);
    char *csv = slurp(work.path, "out/bounce-sweep/sweep.csv");
    expect_text(csv, "point,seed,interactions.0.restitution,bodies.ball.shape.sphere.radius [mm],"
                     "kinetic-energy [J],status\n");
    free(csv);
    assert_true(there_is(work.path, "out/bounce-sweep/kinetic-energy.svg"));
    assert_true(there_is(work.path, "out/bounce-sweep/report.html"));
}

/* Without a probe of the user's: figures whose names have commas. Every row has as many cells as
   the head. */
static int cells(const char *line)
{
    int n = 1;
    bool quoted = false;
    for (; *line != '\n' && *line != 0; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    return n;
}

static void test_head_of_the_table(void **unused)
{
    (void)unused;
    moraine(0, "sweep", "bounce.yaml", "--vary", "interactions.0.restitution=0.5,0.9", "--out",
            "head", "-q", NULL);
    char *csv = slurp(work.path, "head/sweep.csv");
    expect_text(csv, ",\"kinetic energy, largest [J]\",");
    char *row = strchr(csv, '\n') + 1;
    assert_true(cells(csv) > 10);
    assert_int_equal(cells(csv), cells(row));
    assert_int_equal(cells(csv), cells(strchr(row, '\n') + 1));
    free(csv);
}

/* What is there is not made again, to the same numbers; a folder with a result is not taken. */
static void test_resume(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.5,0.7",
                         "-p", "mean-z", "--out", "again", NULL);
    char *first = slurp(work.path, "again/sweep.csv");
    moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.5,0.7", "-p", "mean-z",
            "--out", "again", NULL);
    o = moraine(0, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.5,0.7", "-p",
                "mean-z", "--out", "again", "--resume", NULL);
    expect_text(o->out, "with those of an earlier call");
    char *second = slurp(work.path, "again/sweep.csv");
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* A Latin hypercube: each third of the range is met once; lists go together. */
static void test_designs(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "sweep", "bounce.yaml", "--design", "latin", "--points", "3", "-w",
                         "interactions.0.restitution=0.3:0.9", "-p", "mean-z", "--out", "latin",
                         "--json", NULL);
    json_t *root = parse(o->out), *point;
    size_t i;
    int met[3] = {0};
    json_array_foreach(json_object_get(root, "points"), i, point)
    {
        const char *set = json_string_value(json_array_get(json_object_get(point, "set"), 0));
        met[(int)((atof(strchr(set, '=') + 1) - 0.3) / 0.2)]++;
    }
    json_decref(root);
    assert_true(met[0] == 1 && met[1] == 1 && met[2] == 1);
    o = moraine(2, "sweep", "bounce.yaml", "--design", "list", "-w",
                "interactions.0.restitution=0.5,0.9", "-w", "materials.g.density=1,2,3", "--out",
                "list", NULL);
    expect_text(o->err, "as many values of each key");
}

static void test_refused(void **unused)
{
    (void)unused;
    expect_text(moraine(2, "sweep", "bounce.yaml", NULL)->err, "which key");
    expect_text(
        moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.5,1.5", NULL)->err,
        "between 0 and 1");
    expect_text(
        moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.1:0.5", NULL)->err,
        "A:B:N");
    expect_text(moraine(2, "sweep", "bounce.yaml", "-w", "restitution", NULL)->err, "PATH=VALUES");
    expect_text(
        moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0:1:5:log", NULL)->err,
        "both ends are above 0");
    expect_text(
        moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0:1:9999", NULL)->err,
        "2 to 1024");
    /* what lies behind a range, or between two signs, would go by without a word */
    static const char *const more[] = {
        "0.1:0.5:3:log:4", "0.1::0.5:3", "0.1:0.5:3:", "0.1,,0.5", "0.1,", ""};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        char vary[80];
        snprintf(vary, sizeof vary, "interactions.0.restitution=%s", more[k]);
        expect_text(moraine(2, "sweep", "bounce.yaml", "-w", vary, NULL)->err,
                    k < 3 ? "no range" : "a value is empty");
    }
    /* the last one alone would count */
    expect_text(moraine(2, "sweep", "bounce.yaml", "-w", "interactions.0.restitution=0.1,0.2", "-w",
                        "interactions.0.restitution=0.5,0.6", NULL)
                    ->err,
                "given twice");
    /* every run has a seed of the sweep's: the values would make no difference */
    expect_text(moraine(2, "sweep", "bounce.yaml", "-w", "seed=1,2", NULL)->err, "--seeds");
    /* cut, 5e-1 would be 5 */
    expect_text(moraine(2, "sweep", "bounce.yaml", "-w",
                        "interactions.0.restitution=0.1,5.0000000000000000000000000000000000000000"
                        "00000000000000000000000000000e-1",
                        NULL)
                    ->err,
                "room for");
}

/* A list that is longer than a line keeps all its values, and the last one whole. */
static void test_long_list(void **unused)
{
    (void)unused;
    static char vary[16384] = "interactions.0.restitution=0.5";
    for (size_t n = strlen(vary), k = 0; k < 300; k++)
        n += (size_t)snprintf(vary + n, sizeof vary - n, ",0.5%025d", (int)k);
    strcat(vary, ",1.5");
    expect_text(moraine(2, "sweep", "bounce.yaml", "-w", vary, "--out", "long", NULL)->err,
                "restitution=1.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),    cmocka_unit_test(test_head_of_the_table),
        cmocka_unit_test(test_resume),  cmocka_unit_test(test_designs),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_long_list),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
