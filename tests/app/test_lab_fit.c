/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine compare`, `sensitivity` and `fit` on an experiment whose answer is known: tables, JSON,
   reports, what is refused, Ctrl-C. */
/* ctest-labels: slow */
#include <math.h>
#include <signal.h>

#include "app/lab_files.h"
#include "app/markup.h"

#define DEG         (3.14159265358979323846 / 180)
#define RESTITUTION 0.9
#define FRICTION    0.1

/* Measurements of gross sliding, where en = e and et = 1 - mu (1 + e) / tan(angle), off by a few
   thousandths as given here; their 95 % half width is 0.01. */
static const double off[5][2] = {
    {0.002, -0.003}, {-0.004, 0.001}, {0.001, 0.004}, {0.003, -0.002}, {-0.002, 0.001}};

static const char experiment_text[] = LAB_HEAD LAB_LAWS
    "data:\n"
    "  file: measured.csv\n"
    "  conditions: {angle: {column: angle, unit: deg}}\n"
    "  responses:\n"
    "    en: {column: en, error: {column: ci, kind: interval-95}}\n"
    "    et: {column: et, error: {column: ci, kind: interval-95}}\n"
    "fit:\n"
    "  law: soft\n"
    "  bootstrap: 40\n"
    "  parameters: {restitution: {bounds: [0.5, 1]}, friction: {bounds: [0.01, 0.4]}}\n"
    "sensitivity:\n"
    "  law: soft\n"
    "  sobol: 64\n"
    "  steps: 5\n"
    "  parameters: {restitution: {range: [0.5, 1]}, friction: {range: [0.05, 0.15]},\n"
    "               normal-stiffness: {range: [1e5 N/m, 1e7 N/m], scale: log}}\n";

static int set_up(void **unused)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "angle,en,et,ci\n");
    lab_set_up(unused);
    for (int i = 0; i < 5; i++) {
        double angle = 55 + 5 * i;
        double et = 1 - FRICTION * (1 + RESTITUTION) / tan(angle * DEG);
        n += snprintf(text + n, sizeof text - (size_t)n, "%g,%.6f,%.6f,0.01\n", angle,
                      RESTITUTION + off[i][0], et + off[i][1]);
    }
    write_file("measured.csv", text);
    write_file("ball.yaml", experiment_text);
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

static void expect_page(const char *name)
{
    char *page = slurp(work.path, name);
    expect_markup(page);
    expect_alone(page);
    expect_text(page, "Ball &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;plate&quot;");
    expect_text(page, "Nobody &amp; Sons (2001)");
    expect_text(page, "angle,en,et,ci"); /* the data, to repeat it */
    expect_text(page, "To repeat it");
    free(page);
}

static void expect_same_file(const char *a, const char *b)
{
    char *x = slurp(work.path, a), *y = slurp(work.path, b);
    if (strcmp(x, y) != 0)
        fail_msg("%s and %s differ", a, b);
    free(x);
    free(y);
}

/* ---- compare ---- */

static double index_of(const json_t *root, const char *law, const char *response, const char *which)
{
    const json_t *o = named(json_object_get(root, "laws"), law);
    return number(json_object_get(json_object_get(o, "deviation"), response), which);
}

/* Deviations of the law that made the data are those put in: |off| / 0.01. */
static void test_compare(void **unused)
{
    (void)unused;
    json_t *root = parse(moraine(0, "compare", "ball.yaml", "--json", NULL)->out);
    double mean[2] = {0}, most[2] = {0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            mean[k] += fabs(off[i][k]) / 0.01 / 5;
            most[k] = fmax(most[k], fabs(off[i][k]) / 0.01);
        }
    /* data have six digits, collisions eight: 1e-6 / 0.01 with room */
    assert_true(fabs(index_of(root, "soft", "en", "mean") - mean[0]) < 1e-3);
    assert_true(fabs(index_of(root, "soft", "et", "mean") - mean[1]) < 1e-3);
    assert_true(fabs(index_of(root, "soft", "en", "largest") - most[0]) < 1e-3);
    assert_true(fabs(index_of(root, "soft", "et", "largest") - most[1]) < 1e-3);
    /* restitution 0.8 instead of 0.9 is ten half widths off, speed by speed a little less */
    assert_true(index_of(root, "elastic", "en", "mean") > 5);
    assert_int_equal(json_array_size(json_object_get(root, "measured")), 10);
    json_decref(root);
}

static void test_compare_table(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "compare", "ball.yaml", "--out", "laws", "--plot", "p.png", NULL);
    expect_text(o->out, "Deviation indices");
    expect_text(o->out, "0.24 *"); /* mean of en of soft, the best */
    expect_text(o->out, "soft is nearest over all responses");
    expect_text(o->out, "± 0.010");
    expect_page("laws/report.html");
    expect_svg("laws/en.svg");
    expect_svg("laws/et.svg");
    expect_svg("laws/deviation-mean.svg");
    expect_svg("laws/deviation-largest.svg");
    assert_true(there_is(work.path, "p-deviation-mean.png"));
    char *page = slurp(work.path, "laws/report.html");
    expect_text(page, "Largest deviation indices");
    expect_text(page, "<rect class=\"full-dot\"");
    free(page);
    assert_true(there_is(work.path, "laws/compare.json"));
    assert_true(there_is(work.path, "p-en.png"));
    expect_same_file("laws/measured.csv", "measured.csv");
    o = moraine(0, "compare", "ball.yaml", "--law", "elastic", NULL);
    assert_null(strstr(o->out, "soft"));
}

/* ---- sensitivity ---- */

/* en is the restitution itself: it alone counts, and stiffness counts for nothing. */
static void test_sensitivity(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "sensitivity", "ball.yaml", "--json", NULL);
    json_t *root = parse(o->out);
    const json_t *list = json_object_get(root, "parameters");
    const json_t *e = named(list, "restitution"), *k = named(list, "normal-stiffness");
    const json_t *share = json_object_get(json_object_get(e, "sobol"), "en");
    /* 64 points only: within five of its own standard errors */
    assert_true(fabs(number(share, "total") - 1) < 5 * number(share, "total_error") + 1e-6);
    assert_true(number(share, "total") > 0.5);
    assert_true(number(json_object_get(json_object_get(k, "sobol"), "en"), "total") < 1e-3);
    /* over the range 0.5 to 1, en moves by 0.5 at every angle */
    const json_t *range = json_object_get(json_object_get(e, "sweep"), "range");
    assert_true(fabs(json_number_value(json_array_get(range, 0)) - 0.5) < 1e-5);
    assert_int_equal(json_array_size(json_object_get(json_object_get(e, "sweep"), "x")), 5);
    json_decref(root);
}

static void test_sensitivity_files(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "sensitivity", "ball.yaml", "--out", "study", "--morris", "4", NULL);
    expect_text(o->out, "Sobol's indices");
    expect_text(o->out, "Morris' elementary effects");
    expect_text(o->out, "One at a time");
    expect_text(o->out, "restitution counts most");
    expect_text(o->out, "█");
    expect_page("study/report.html");
    expect_svg("study/restitution-en.svg");
    expect_svg("study/friction-ends-et.svg");
    expect_svg("study/shares-en.svg");
    moraine(0, "sensitivity", "ball.yaml", "--out", "again", "--morris", "4", "-q", NULL);
    expect_same_file("study/sensitivity.json", "again/sensitivity.json");
    o = moraine(0, "sensitivity", "ball.yaml", "--sobol", "0", "--morris", "4", NULL);
    assert_null(strstr(o->out, "Sobol's indices"));
    o = moraine(0, "sensitivity", "--help", NULL);
    expect_text(o->out, "Morris"); /* which is used, and why */
}

/* ---- fit ---- */

static void test_fit(void **unused)
{
    (void)unused;
    json_t *root = parse(moraine(0, "fit", "ball.yaml", "--json", NULL)->out);
    const json_t *list = json_object_get(root, "parameters");
    const json_t *e = named(list, "restitution"), *mu = named(list, "friction");
    /* the mean of the offsets is zero in en; in et they move mu by less than 0.003 */
    assert_true(fabs(number(e, "value") - RESTITUTION) < 1e-3);
    assert_true(fabs(number(mu, "value") - FRICTION) < 5e-3);
    const char *const kinds[] = {"linear", "profile", "bootstrap"};
    for (int i = 0; i < 3; i++) {
        const json_t *x = json_object_get(mu, kinds[i]);
        assert_int_equal(json_array_size(x), 2);
        assert_true(json_number_value(json_array_get(x, 0)) < FRICTION);
        assert_true(json_number_value(json_array_get(x, 1)) > FRICTION);
    }
    assert_string_equal(json_string_value(json_object_get(root, "status")),
                        mrn_status_text(MRN_OK));
    assert_true(json_is_true(json_object_get(root, "fits")));
    static const char *const keys[] = {"objective",   "chi2",      "correlation", "covariance",
                                       "sensitivity", "deviation", "tests",       "nested",
                                       "regions",     "aic",       "bic",         "advice",
                                       "assumed",     "data",      "seed",        "law"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(root, keys[i]) == NULL)
            fail_msg("no key \"%s\"", keys[i]);
    json_decref(root);
    assert_true(there_is(work.path, "ball-fit/report.html")); /* the folder without --out */
}

/* The number behind "key: " in a text, the k-th of them. */
static double number_behind(const char *text, const char *key, int k)
{
    char with[80];
    snprintf(with, sizeof with, " %s: ", key);
    for (const char *p = text; (p = strstr(p, with)) != NULL; p++)
        if (k-- == 0)
            return atof(p + strlen(with));
    fail_msg("no \"%s\"", key);
    return NAN;
}

/* The law as fitted in a scene of many balls: with the numbers found, all digits, for both
   interactions, and a scene that can be run. */
static void test_fit_scene(void **unused)
{
    (void)unused;
    static const char *const kind[] = {"heap", "drum"};
    for (int i = 0; i < 2; i++) {
        json_t *root = parse(moraine(0, "fit", "ball.yaml", "--quick", "--out", "bulk", "--force",
                                     "--scene", "bulk.yaml", "--bulk", kind[i], "--json", NULL)
                                 ->out);
        const json_t *list = json_object_get(root, "parameters");
        char *text = slurp(work.path, "bulk.yaml");
        for (int k = 0; k < 2; k++) {
            assert_true(number_behind(text, "restitution", k) ==
                        number(named(list, "restitution"), "value"));
            assert_true(number_behind(text, "friction", k) ==
                        number(named(list, "friction"), "value"));
        }
        expect_text(text, i == 0 ? "remove: [tube]" : "spin: [0, ");
        free(text);
        json_decref(root);
        outcome *o = moraine(0, "check", "bulk.yaml", NULL);
        expect_text(o->out, "ball, ball");
        o = moraine(0, "run", "bulk.yaml", "--out", "bulk-run", "--force", "--max-steps", "20",
                    NULL);
        expect_text(o->out, "20 steps");
    }
    outcome *o = moraine(0, "fit", "ball.yaml", "--quick", "--out", "bulk", "--force", "--scene",
                         "plain.yaml", NULL);
    expect_text(o->out, "moraine run plain.yaml");
    char *text = slurp(work.path, "plain.yaml");
    expect_text(text, "A heap of balls"); /* without --bulk */
    free(text);
    /* ball and plate each of their material */
    moraine(0, "fit", "ball.yaml", "--quick", "--out", "bulk", "--force", "--scene", "plain.yaml",
            "--set", "materials.oak={density: 700 kg/m3, young: 5 GPa, poisson: 0.2}", "--set",
            "collision.target={plane: oak}", NULL);
    text = slurp(work.path, "plain.yaml");
    expect_text(text, "plate: {density: 700 kg/m3, young: 5000000000 Pa");
    assert_null(strstr(text, " ball: {density: 700 "));
    free(text);
    o = moraine(2, "fit", "ball.yaml", "--bulk", "drum", NULL);
    expect_text(o->err, "Name it with --scene");
    o = moraine(2, "fit", "ball.yaml", "--scene", "no-such/heap.yaml", NULL);
    expect_text(o->err, "is not there");
}

static void test_fit_files(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "fit", "ball.yaml", "--out", "one", NULL);
    expect_text(o->out, "The model fits the data");
    expect_text(o->out, "intervals at 95 %");
    expect_text(o->out, "restitution");
    expect_text(o->out, "What was assumed");
    assert_null(strstr(o->out, "\033")); /* no bar, no colours: not a terminal */
    expect_page("one/report.html");
    static const char *const plots[] = {"en",
                                        "et",
                                        "residuals",
                                        "region-restitution-friction",
                                        "bootstrap-friction",
                                        "deviation-mean",
                                        "deviation-largest"};
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
        char name[80];
        snprintf(name, sizeof name, "one/%s.svg", plots[i]);
        expect_svg(name);
    }
    expect_same_file("one/measured.csv", "measured.csv");
    expect_same_file("one/experiment.yaml", "ball.yaml");
    char *csv = slurp(work.path, "one/residuals.csv");
    int lines = 0;
    for (const char *p = csv; *p != '\0'; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 11);
    assert_ptr_equal(strstr(csv, "angle [rad],response,unit,measured,model,residual"), csv);
    free(csv);
    /* again with the same seed: the same; with what was written: the same */
    moraine(0, "fit", "ball.yaml", "--out", "two", "-q", "--threads", "1", NULL);
    expect_same_file("one/fit.json", "two/fit.json");
    outcome *p = moraine(0, "fit", "one/experiment.yaml", "--out", "three", "--json", NULL);
    json_t *a = parse(p->out), *b = json_load_file("/dev/null", 0, NULL);
    assert_null(b);
    char *first = slurp(work.path, "one/fit.json");
    b = parse(first);
    free(first);
    assert_true(json_equal(json_object_get(a, "parameters"), json_object_get(b, "parameters")));
    json_decref(a);
    json_decref(b);
}

static void test_fit_options(void **unused)
{
    (void)unused;
    json_t *root =
        parse(moraine(0, "fit", "ball.yaml", "--out", "q", "--quick", "--json", NULL)->out);
    const json_t *mu = named(json_object_get(root, "parameters"), "friction");
    assert_true(json_is_null(json_object_get(mu, "profile")));
    assert_true(json_is_null(json_object_get(mu, "bootstrap")));
    json_decref(root);
    outcome *o = moraine(2, "fit", "ball.yaml", "--out", "q", NULL);
    expect_text(o->err, "q holds an earlier result");
    root = parse(moraine(0, "fit", "ball.yaml", "--out", "q", "--force", "--no-bootstrap", "--seed",
                         "9", "--set", "fit.responses=[et]", "--set",
                         "fit.parameters={friction: {bounds: [0.01, 0.4]}}", "--json", NULL)
                     ->out);
    assert_int_equal(json_array_size(json_object_get(root, "parameters")), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "seed")), 9);
    assert_int_equal(json_array_size(json_object_get(root, "data")), 5);
    json_decref(root);
}

/* ---- what is refused ---- */

static void test_errors(void **unused)
{
    (void)unused;
    write_file("plain.yaml", LAB_HEAD "  angle: 60 deg\n" LAB_LAWS);
    outcome *o = moraine(2, "compare", "plain.yaml", NULL);
    expect_text(o->err, "plain.yaml:1:1: error:");
    expect_text(o->err, "data");
    o = moraine(2, "fit", "plain.yaml", NULL);
    expect_text(o->err, "data");
    o = moraine(2, "sensitivity", "plain.yaml", NULL);
    expect_text(o->err, "`sensitivity`");
    o = moraine(2, "fit", "ball.yaml", "--law", "sfot", "--out", "e", NULL);
    expect_text(o->err, "soft");
    o = moraine(2, "fit", "ball.yaml", "--out", "e", "--set",
                "fit.parameters.friction.bounds=[0.4, 0.01]", NULL);
    expect_text(o->err, "bounds");
    write_file("bad.csv", "angle,en,et,ci\n55,0.9,,0.01\n");
    o = moraine(2, "fit", "ball.yaml", "--out", "e", "--set", "data.file=bad.csv", NULL);
    expect_text(o->err, "bad.csv:2:");
    o = moraine(2, "fit", "ball.yaml", "--out", "measured.csv", NULL);
    expect_text(o->err, "measured.csv");
    assert_false(there_is(work.path, "e"));
    assert_false(there_is(work.path, "plain-fit"));
}

/* An optimum that evaluations do not suffice for: predicted, exit code 1, the best is there. */
static void test_not_converged(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "fit", "ball.yaml", "--out", "few", "--quick", "--set",
                         "fit.max-evaluations=40", NULL);
    assert_true(o->err[0] != '\0');
    assert_true(there_is(work.path, "few/fit.json"));
}

/* Ctrl-C: exit code 1, words, nothing written. */
static void test_interrupted(void **unused)
{
    (void)unused;
    char *argv[] = {(char *)MRN_TEST_COMMAND, "fit", "ball.yaml", "--out", "cut", "--set",
                    "fit.bootstrap=1000000",  NULL};
    pid_t child = start(argv);
    await_handler(child);
    kill(child, SIGINT);
    outcome *o = finish(child);
    assert_int_equal(o->code, 1);
    assert_true(o->err[0] != '\0');
    assert_false(there_is(work.path, "cut"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare),     cmocka_unit_test(test_compare_table),
        cmocka_unit_test(test_sensitivity), cmocka_unit_test(test_sensitivity_files),
        cmocka_unit_test(test_fit),         cmocka_unit_test(test_fit_files),
        cmocka_unit_test(test_fit_scene),   cmocka_unit_test(test_fit_options),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
