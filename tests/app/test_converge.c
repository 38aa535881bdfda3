/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine converge` on a ball that bounces: order of the smooth scheme, the limit of stiff
   contacts, bits for threads, what is refused. */
/* ctest-labels: slow long */
#include "app/lab_files.h"

static const char bounce[] =
    "moraine: 1\n"
    "accuracy: fine\n"
    "title: A ball bounces\n"
    "materials: {nylon: {density: 1150 kg/m3}}\n"
    "interactions:\n"
    "  - {between: [nylon, nylon], law: linear, normal-stiffness: 2e4 N/m, restitution: 0.8,\n"
    "     friction: 0}\n"
    "bodies:\n"
    "  - {name: ball, shape: {sphere: {radius: 5 cm}}, place: {list: [[0, 0, 0.1 m]]},\n"
    "     velocity: [0, 0, -2 m/s]}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81 m/s2]\n"
    "stages: [{name: fly, until: {time: 0.2 s}}]\n";

static int set_up(void **unused)
{
    lab_set_up(unused);
    write_file("bounce.yaml", bounce);
    return 0;
}

/* The number of a probe in converge.json. */
static double found(const json_t *root, size_t probe, const char *key)
{
    return number(json_array_get(json_object_get(root, "probes"), probe), key);
}

/* Verlet is of second order, also through a contact: but where in a step the contact begins and
   ends differs from level to level, which moves three levels' order by some tenths; the fit over
   six is steadier. */
static void test_step(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "converge", "bounce.yaml", "--vary", "step", "--levels", "6", "-p",
                         "mean-z", "--json", "--out", "step", NULL);
    json_t *root = parse(o->out);
    assert_true(fabs(found(root, 0, "order-fit") - 2) < 0.35);
    assert_string_equal(json_string_value(json_object_get(root, "vary")), "step");
    assert_true(there_is(work.path, "step/report.html"));
    assert_true(there_is(work.path, "step/mean-z.svg"));
    assert_true(there_is(work.path, "step/mean-z-error.svg"));
    assert_true(there_is(work.path, "step/runs/step-6-1.json"));
    json_decref(root);
}

/* A rigid ball falls h = 50 mm from 2 m/s: hits at t1, leaves with 0.8 of its speed, and is then at
   R + v t - g t²/2. Springs delay it by the contact time, which falls with k^-1/2: order 1/2 in
   1/k, and the limit is the rigid ball. */
static void test_stiffness(void **unused)
{
    (void)unused;
    const double g = 9.81, R = 0.05, v0 = 2;
    double v = sqrt(v0 * v0 + 2 * g * 0.05), t = 0.2 - (v - v0) / g;
    double rigid = R + 0.8 * v * t - 0.5 * g * t * t;
    outcome *o = moraine(0, "converge", "bounce.yaml", "--vary", "stiffness", "--levels", "5", "-p",
                         "mean-z", "--json", "--out", "stiff", NULL);
    json_t *root = parse(o->out);
    assert_true(fabs(found(root, 0, "order") - 0.5) < 0.1);
    double limit = found(root, 0, "limit"), off = found(root, 0, "uncertainty");
    if (!(fabs(limit - rigid) < off) || off > 0.02 * rigid)
        fail_msg("limit %g +- %g, rigid %g", limit, off, rigid);
    json_decref(root);
}

static void test_threads(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "converge", "bounce.yaml", "--vary", "threads", "--levels", "3",
                         "--out", "threads", NULL);
    expect_text(o->out, "the same for every number");
    o = moraine(0, "converge", "bounce.yaml", "--vary", "tolerance", "--method", "nonsmooth",
                "--levels", "3", "-p", "mean-z", "--out", "tolerance", NULL);
    expect_text(o->out, "nonsmooth.tolerance=1e-05");
    expect_text(o->out, "the same on every level");
}

/* Runs that are there are not made again, those of another scene are. */
static void test_resume(void **unused)
{
    (void)unused;
    moraine(0, "converge", "bounce.yaml", "--vary", "step", "--levels", "3", "-p", "mean-z",
            "--out", "again", NULL);
    outcome *o = moraine(2, "converge", "bounce.yaml", "--vary", "step", "-p", "mean-z", "--out",
                         "again", NULL);
    expect_text(o->err, "holds an earlier result (converge.json)");
    expect_text(o->err, "--resume");
    char *first = slurp(work.path, "again/converge.json");
    o = moraine(0, "converge", "bounce.yaml", "--vary", "step", "--levels", "3", "-p", "mean-z",
                "--out", "again", "--resume", NULL);
    expect_text(o->out, "with those of an earlier call");
    char *second = slurp(work.path, "again/converge.json");
    assert_string_equal(first, second); /* seconds of the runs too: they are those of before */
    free(first);
    free(second);
    o = moraine(0, "converge", "bounce.yaml", "--vary", "step", "--levels", "3", "-p", "mean-z",
                "--out", "again", "--resume", "--set", "gravity=[0, 0, -1]", NULL);
    assert_null(strstr(o->out, "with those of an earlier call"));
}

static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *args[8], *says[3];
    } list[] = {
        {{"bounce.yaml", "--vary", "step", "-p", "mean-zz"}, {"no probe 'mean-zz'", "'mean-z'"}},
        {{"bounce.yaml"}, {"--vary: what?"}},
        {{"--vary", "step"}, {"which scene?"}},
        {{"bounce.yaml", "--vary", "stifness"}, {"stiffness"}},
        {{"bounce.yaml", "--vary", "tolerance"}, {"method smooth has no tolerance", "--vary step"}},
        {{"bounce.yaml", "--vary", "size"}, {"no periodic direction", "bounce.yaml: cell"}},
        {{"bounce.yaml", "--vary", "stiffness", "-m", "nonsmooth"}, {"rigid", "--method smooth"}},
        {{"bounce.yaml", "--vary", "step", "-m", "event"}, {"method event has no step"}},
        {{"bounce.yaml", "--vary", "size", "--from", "3"}, {"--from is for"}},
        {{"bounce.yaml", "--vary", "step", "--last", "5 kg"}, {"--last 5 kg", "50 ms"}},
        {{"bounce.yaml", "--vary", "step", "--resume", "--force"}, {"one of the two"}},
        {{"bounce.yaml", "--vary", "step", "--levels", "1"}, {"--levels"}},
        {{"none.yaml", "--vary", "step"}, {"none.yaml"}},
        {{"bounce.yaml", "--vary", "step", "--set", "gravity=3 kg"}, {"gravity"}},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *const *a = list[i].args;
        outcome *o = moraine(2, "converge", a[0], a[1], a[2], a[3], a[4], a[5], a[6], NULL);
        for (int k = 0; k < 3 && list[i].says[k] != NULL; k++)
            expect_text(o->err, list[i].says[k]);
    }
    assert_false(there_is(work.path, "out/bounce-converge"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),    cmocka_unit_test(test_stiffness),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_resume),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
