/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine calibrate` on a ball that is thrown at a floor, whose parameters are known: plan,
   result, files, going on after a stop, what is refused. */
/* ctest-labels: slow */
#include <math.h>
#include <signal.h>

#include "app/lab_files.h"
#include "app/markup.h"

#define RESTITUTION 0.8
#define FRICTION    0.1

/* The seed changes the throw by one hundredth: noise as of a small heap, in milliseconds. */
static const char scene_text[] =
    "moraine: 1\n"
    "title: A ball is thrown at a floor\n"
    "materials: {nylon: {density: 1150 kg/m3}}\n"
    "interactions:\n"
    "  - {between: [nylon, nylon], law: linear, normal-stiffness: 2e4 N/m, restitution: 0.8,\n"
    "     friction: 0.1}\n"
    "bodies:\n"
    "  - {name: ball, shape: {sphere: {radius: 5 cm}}, place: {list: [[0, 0, 0.1 m]]},\n"
    "     velocity: [2 m/s, 0, -2 m/s], velocity-spread: 20 mm/s}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81 m/s2]\n"
    "stages: [{name: fly, until: {time: 0.3 s}}]\n"
    "output: {probes-every: 5 ms, probes: [groups.ball.mean-z, groups.ball.mean-x]}\n";

static const char file_head[] =
    "moraine: 1\n"
    "title: \"" LAB_TITLE "\"\n"
    "source: Nobody & Sons (2001)\n"
    "parameters:\n"
    "  restitution: {sets: interactions.0.restitution, bounds: [0.5, 0.95]}\n"
    "  friction: {sets: interactions.0.friction, bounds: [0.02, 0.5], scale: log}\n";

static const char options_text[] = "calibrate: {runs: 60, points: 12, bootstrap: 40}\n";

/* The largest height after the bounce, and how far it came: the last two columns of the table. */
static void simulate(double *height, double *range)
{
    moraine(0, "run", "drop.yaml", "--out", "truth", "-q", "--set", "bodies.0.velocity-spread=0",
            NULL);
    char *text = slurp(work.path, "truth/probes.csv");
    int row = 0;
    *height = *range = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), row++) {
        char *last = strrchr(line, ',');
        if (row == 0)
            continue;
        *last = '\0';
        double z = strtod(strrchr(line, ',') + 1, NULL);
        *range = strtod(last + 1, NULL);
        if (row > 10) /* after 50 ms */
            *height = fmax(*height, z);
    }
    free(text);
    assert_true(row > 50);
}

static int set_up(void **unused)
{
    char targets[1024], text[4096];
    double height, range;
    lab_set_up(unused);
    write_file("drop.yaml", scene_text);
    simulate(&height, &range);
    snprintf(targets, sizeof targets,
             "tests:\n"
             "  throw:\n"
             "    scene: drop.yaml\n"
             "    targets:\n"
             "      height: {probe: groups.ball.mean-z, take: max, after: 50 ms, value: %.6f m,\n"
             "               error: {value: 2 mm, kind: standard-error}}\n"
             "      range: {probe: groups.ball.mean-x, value: %.6f m,\n"
             "              error: {value: 4 mm, kind: standard-error}}\n",
             height, range);
    snprintf(text, sizeof text, "%s%s%s", file_head, targets, options_text);
    write_file("ball.yaml", text);
    *strstr(targets, "      range:") = '\0';
    snprintf(text, sizeof text, "%s%s%s", file_head, targets, options_text);
    write_file("few.yaml", text);
    return 0;
}

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(o, "name")), name) == 0)
            return o;
    }
    fail_msg("nothing of the name %s", name);
    return NULL;
}

static void expect_same_file(const char *a, const char *b)
{
    char *x = slurp(work.path, a), *y = slurp(work.path, b);
    if (strcmp(x, y) != 0)
        fail_msg("%s and %s differ", a, b);
    free(x);
    free(y);
}

static int count_lines(const char *name)
{
    if (!there_is(work.path, name))
        return 0;
    char *text = slurp(work.path, name);
    int n = 0;
    for (const char *p = text; *p != '\0'; p++)
        n += *p == '\n';
    free(text);
    return n;
}

/* ---- plan ---- */

static void test_plan(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "calibrate", "ball.yaml", "--plan", NULL);
    expect_text(o->out, "interactions.0.restitution");
    expect_text(o->out, "throw.height, m");
    expect_text(o->out, "groups.ball.mean-z, max of stage fly, from 50 ms on");
    expect_text(o->out, "24: 12 points that fill the box, 1 test each, 2 seeds");
    expect_text(o->out, "Nothing was run");
    json_t *root = parse(moraine(0, "calibrate", "ball.yaml", "--plan", "--json", NULL)->out);
    assert_int_equal(json_array_size(json_object_get(root, "scenes")), 1);
    assert_int_equal(json_array_size(json_object_get(root, "targets")), 2);
    assert_int_equal((int)number(root, "design_runs"), 24);
    assert_int_equal((int)number(root, "check_runs"), 3);
    const json_t *p = named(json_object_get(root, "parameters"), "friction");
    assert_true(json_is_true(json_object_get(p, "log")));
    json_decref(root);
    assert_string_equal(moraine(0, "calibrate", "ball.yaml", "--plan", "-q", NULL)->out, "");
    assert_false(there_is(work.path, "ball-calibrated"));
}

/* ---- result ---- */

static void expect_keys(const json_t *o, const char *const *key, int n)
{
    for (int i = 0; i < n; i++)
        if (json_object_get(o, key[i]) == NULL)
            fail_msg("no key \"%s\"", key[i]);
}

static void check_numbers(const json_t *root)
{
    static const char *const keys[] = {
        "version", "title",   "file",      "seed",        "status",  "words",        "runs",
        "settled", "checked", "objective", "targets",     "points",  "combinations", "commands",
        "scenes",  "n_known", "fits",      "correlation", "assumed", "source",       "runs_most"};
    static const char *const target_keys[] = {"measured", "sd",       "simulated", "simulated_sd",
                                              "check",    "check_sd", "noise",     "noise_freedom",
                                              "residual", "off_by",   "left_out",  "leverage"};
    expect_keys(root, keys, (int)(sizeof keys / sizeof *keys));
    const json_t *list = json_object_get(root, "parameters");
    const json_t *e = named(list, "restitution"), *mu = named(list, "friction");
    /* errors of 2 and 4 mm are 0.005 of the one and 4 % of the other; the surrogate adds less */
    assert_true(fabs(number(e, "value") - RESTITUTION) < 0.01);
    assert_true(fabs(log(number(mu, "value") / FRICTION)) < 0.08);
    assert_string_equal(json_string_value(json_object_get(mu, "verdict")), "identified");
    const json_t *range = json_object_get(mu, "profile");
    assert_true(json_number_value(json_array_get(range, 0)) < FRICTION);
    assert_true(json_number_value(json_array_get(range, 1)) > FRICTION);
    const json_t *height = named(json_object_get(root, "targets"), "throw.height");
    expect_keys(height, target_keys, (int)(sizeof target_keys / sizeof *target_keys));
    /* height hangs on restitution, hardly on friction */
    const json_t *leverage = json_object_get(height, "leverage");
    assert_true(number(leverage, "restitution") > 10 * fabs(number(leverage, "friction")));
    /* 2 g h = (v e)^2: a spread of 20 mm/s in v makes 3 mm; from a dozen differences */
    assert_true(number(height, "noise") > 1e-3 && number(height, "noise") < 9e-3);
    assert_int_equal((int)number(root, "n_known"), 2);
    /* the plan predicted so many */
    assert_int_equal((int)number(root, "design_points"), 12);
    const char *line = json_string_value(json_array_get(json_object_get(root, "commands"), 0));
    assert_ptr_equal(strstr(line, "moraine run drop.yaml --set interactions.0.restitution=0."),
                     line);
    expect_text(line, " --set interactions.0.friction=0.");
}

static void test_result(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "calibrate", "ball.yaml", "--json", NULL);
    json_t *root = parse(o->out);
    check_numbers(root);
    /* title, names, and every run; those of the check too */
    assert_int_equal(count_lines("ball-calibrated/runs.csv"), 2 + (int)number(root, "runs"));
    json_decref(root);
}

static void test_files(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "calibrate", "ball.yaml", "--out", "one", "--threads", "1", NULL);
    expect_same_file("one/calibration.json", "ball-calibrated/calibration.json");
    static const char *const words[] = {"intervals at 95 %",
                                        "Settled after",
                                        "What the tests tell apart",
                                        "throw.range, m",
                                        "what was run agrees with what the surrogate had predicted",
                                        "To try the optimum",
                                        "scatter alike"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect_text(o->out, words[i]);
    assert_null(strstr(o->out, "\033"));
    char *text = slurp(work.path, "one/report.html");
    expect_markup(text);
    expect_alone(text);
    expect_text(text, "Ball &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;plate&quot;");
    expect_text(text, "Nobody &amp; Sons (2001)");
    expect_text(text, "class=\"area\"");
    expect_text(text, "moraine calibrate ball.yaml --out one --threads 1");
    free(text);
    static const char *const plots[] = {"map-restitution-friction", "throw.height-restitution",
                                        "throw.range-friction", "search",
                                        "region-restitution-friction"};
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
        char name[80];
        snprintf(name, sizeof name, "one/%s.svg", plots[i]);
        expect_svg(name);
    }
    expect_same_file("one/drop.yaml", "drop.yaml");
    expect_same_file("one/calibration.yaml", "ball.yaml");
}

/* ---- fewer data than parameters, and what does not scatter ---- */

static void test_few(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "calibrate", "few.yaml", NULL);
    expect_text(o->out, "The targets tell 1 combination of 2 parameters");
    expect_text(o->out, "not known");
    char *text = slurp(work.path, "few-calibrated/calibration.json");
    json_t *root = parse(text);
    free(text);
    assert_int_equal((int)number(root, "n_known"), 1);
    const json_t *list = json_object_get(root, "combinations");
    assert_true(json_is_true(json_object_get(json_array_get(list, 0), "known")));
    assert_true(json_is_false(json_object_get(json_array_get(list, 1), "known")));
    const json_t *mu = named(json_object_get(root, "parameters"), "friction");
    assert_string_not_equal(json_string_value(json_object_get(mu, "verdict")), "identified");
    json_decref(root);
}

static void test_without_noise(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "calibrate", "ball.yaml", "--out", "quiet", "--quick", "--json",
                         "--set", "tests.throw.set={bodies.0.velocity-spread: 0}", NULL);
    json_t *root = parse(o->out);
    const json_t *height = named(json_object_get(root, "targets"), "throw.height");
    const json_t *e = named(json_object_get(root, "parameters"), "restitution");
    assert_true(number(height, "noise") == 0);
    assert_true(fabs(number(e, "value") - RESTITUTION) < 0.005);
    assert_true(json_is_null(json_object_get(e, "profile"))); /* --quick */
    assert_true(json_is_null(json_object_get(e, "bootstrap")));
    const char *line = json_string_value(json_array_get(json_object_get(root, "commands"), 0));
    expect_text(line, "--set bodies.0.velocity-spread=0");
    json_decref(root);
}

/* ---- stopping and going on ---- */

/* Runs out: predicted, exit code 1. With more of them it ends as if it had them from the beginning.
 */
static void test_more_runs(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "calibrate", "ball.yaml", "--out", "more", "--runs", "27", "--set",
                         "calibrate.tolerance=1e-9", NULL);
    expect_text(o->out, "Not settled within 27 runs");
    assert_int_equal(count_lines("more/runs.csv"), 2 + 27);
    o = moraine(0, "calibrate", "ball.yaml", "--out", "more", "-q", "--resume", NULL);
    assert_string_equal(o->out, "");
    expect_same_file("more/calibration.json", "ball-calibrated/calibration.json");
    /* fewer again: the others are kept */
    int lines = count_lines("more/runs.csv");
    moraine(1, "calibrate", "ball.yaml", "--out", "more", "-q", "--resume", "--runs", "27", "--set",
            "calibrate.tolerance=1e-9", NULL);
    assert_int_equal(count_lines("more/runs.csv"), lines);
}

/* Runs long enough to be hit between two of them. */
#define SLOW                                                                                       \
    "calibrate", "ball.yaml", "--quick", "--threads", "1", "--set",                                \
        "tests.throw.set={stages.0.until.time: 1 s}", "--set",                                     \
        "tests.throw.targets.range.value=1.65 m", "--set", "calibrate.points=6", "--runs", "21"

static outcome *stop_after(int lines, int how, char *const *argv)
{
    pid_t child = start(argv);
    for (int i = 0; i < 120000 && count_lines("cut/runs.csv") < lines; i++)
        usleep(5000);
    kill(child, how);
    return finish(child);
}

static void test_stopped(void **unused)
{
    (void)unused;
    char *first[] = {(char *)MRN_TEST_COMMAND, SLOW, "--out", "cut", NULL};
    char *again[] = {(char *)MRN_TEST_COMMAND, SLOW, "--out", "cut", "--resume", NULL};
    /* a busy machine may not look again before all is run, or the page written: then once more */
    outcome *o = stop_after(4, SIGINT, first);
    for (int k = 0; k < 20 && (o->code == 128 + SIGINT || there_is(work.path, "cut/report.html"));
         k++) {
        char cut[128];
        snprintf(cut, sizeof cut, "%s/cut", work.path);
        remove_tree(cut);
        o = stop_after(4, SIGINT, first);
    }
    assert_int_equal(o->code, 1);
    expect_text(o->err, "kept in cut/runs.csv");
    expect_text(o->err, "--out cut --resume");
    int kept = count_lines("cut/runs.csv");
    assert_true(kept >= 4 && kept <= 2 + 21); /* two lines of head; on a busy machine nearly all */
    assert_false(there_is(work.path, "cut/report.html"));
    o = stop_after(kept + 3, SIGKILL, again);
    if (!there_is(work.path, "cut/report.html"))
        assert_int_equal(o->code, 128 + SIGKILL);
    if (kept + 3 <= 2 + 21)
        assert_true(count_lines("cut/runs.csv") >= kept + 3);
    o = finish(start(again));
    outcome *direct = moraine(o->code, SLOW, "--out", "uncut", NULL);
    assert_true(direct->code <= 1);
    expect_same_file("cut/calibration.json", "uncut/calibration.json");
}

/* ---- what is refused ---- */

static void test_usage(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "calibrate", NULL);
    expect_text(o->err, "which calibration?");
    o = moraine(2, "calibrate", "ball.yaml", "--resume", "--force", NULL);
    expect_text(o->err, "one of the two");
    o = moraine(2, "calibrate", "ball.yaml", "--resum", NULL);
    expect_text(o->err, "did you mean --resume?");
    o = moraine(2, "calibrate", "ball.yaml", "--runs", "none", NULL);
    expect_text(o->err, "is not a whole number");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "nowhere", "--resume", NULL);
    expect_text(o->err, "there is nothing to resume: nowhere/runs.csv does not exist");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "nowhere", "--runs", "10", NULL);
    expect_text(o->err, "10 runs are too few");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "drop.yaml", NULL);
    expect_text(o->err, "it is a file");
    assert_false(there_is(work.path, "nowhere"));
    o = moraine(0, "calibrate", "--help", NULL);
    expect_text(o->out, "--resume goes on from there");
}

static void test_bad_files(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "calibrate", "missing.yaml", NULL);
    expect_text(o->err, "missing.yaml");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "bad", "--set",
                "parameters.friction.sets=interactions.0.frction", NULL);
    expect_text(o->err, "frction");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "bad", "--set",
                "tests.throw.targets.height.probe=groups.bell.mean-z", NULL);
    expect_text(o->err, "groups.bell.mean-z");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "bad", "--plan", "--set",
                "tests.throw.targets.height.value=2 kg", NULL);
    expect_text(o->err, "kg");
    o = moraine(2, "calibrate", "ball.yaml", "--out", "bad", "--json", "--set",
                "parameters.friction.bounds=[0.5, 0.02]", NULL);
    json_t *root = parse(o->out);
    expect_text(json_string_value(json_object_get(root, "message")), "bound");
    json_decref(root);
    assert_false(there_is(work.path, "bad"));
}

static void test_folder(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "calibrate", "ball.yaml", "--out", "one", NULL);
    expect_text(o->err, "one holds an earlier calibration (runs.csv)");
    expect_text(o->err, "--resume goes on with its runs, --force replaces it");
    /* runs of another scene do not serve */
    int lines = count_lines("one/runs.csv");
    moraine(2, "calibrate", "ball.yaml", "--out", "one", "--resume", "--set",
            "tests.throw.set={gravity: [0, 0, -1.62 m/s2]}", NULL);
    assert_int_equal(count_lines("one/runs.csv"), lines);
    expect_same_file("one/calibration.yaml", "ball.yaml");
    /* what was measured may change: no new runs but those near the new optimum */
    json_t *root =
        parse(moraine(0, "calibrate", "ball.yaml", "--out", "one", "--resume", "--json", "--quick",
                      "--set", "tests.throw.targets.height.value=0.19 m", NULL)
                  ->out);
    assert_true(number(named(json_object_get(root, "parameters"), "restitution"), "value") < 0.79);
    json_decref(root);
    assert_true(count_lines("one/runs.csv") < lines + 30);
    moraine(0, "calibrate", "ball.yaml", "--out", "one", "-q", "--quick", "--force", NULL);
    assert_int_equal(count_lines("one/runs.csv"), lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),          cmocka_unit_test(test_result),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_few),
        cmocka_unit_test(test_without_noise), cmocka_unit_test(test_more_runs),
        cmocka_unit_test(test_stopped),       cmocka_unit_test(test_usage),
        cmocka_unit_test(test_bad_files),     cmocka_unit_test(test_folder),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
