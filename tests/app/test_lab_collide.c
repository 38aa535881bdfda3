/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine collide`: numbers known in closed form, JSON and CSV that say the same, sweeps,
   histories, plots, the report, and what is refused. */
#include <math.h>

#include "app/lab_files.h"
#include "app/markup.h"

#define DEG (3.14159265358979323846 / 180)

static const char sweep_text[] = LAB_HEAD "  angle: [0 deg, 30 deg, 75 deg]\n" LAB_LAWS;
static const char single_text[] = LAB_HEAD
    "  angle: 60 deg\n"
    "laws: {soft: {law: linear, normal-stiffness: 1e6 N/m, restitution: 0.9, friction: 0.1}}\n";

static json_t *impacts(json_t *root)
{
    json_t *list = json_object_get(root, "impacts");
    assert_true(json_is_array(list));
    return list;
}

/* ---- numbers ---- */

/* Gross sliding: et = 1 - mu (1 + e) / tan(angle), |omega| = 5 mu (1 + e) v cos(angle) / (2 R). */
static void test_closed_form(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    json_t *root = parse(moraine(0, "collide", "sweep.yaml", "--json", NULL)->out);
    assert_int_equal(json_array_size(impacts(root)), 6);
    json_t *soft = json_array_get(impacts(root), 2), *hertz = json_array_get(impacts(root), 5);
    assert_string_equal(json_string_value(json_object_get(soft, "law")), "soft");
    assert_string_equal(json_string_value(json_object_get(hertz, "law")), "elastic");
    assert_true(fabs(number(soft, "angle") - 75 * DEG) < 1e-12);
    assert_true(fabs(number(soft, "speed") - 2) < 1e-12);
    /* the accuracy that is asked for, with a digit of room for the law's own restitution */
    assert_true(fabs(number(soft, "en") - 0.9) < 1e-7);
    assert_true(fabs(number(soft, "et") - (1 - 0.1 * 1.9 / tan(75 * DEG))) < 1e-6);
    /* friction acts nearer to the centre by the overlap */
    double omega = 2.5 * 0.1 * 1.9 * 2 * cos(75 * DEG) / 0.01;
    double shorter = number(soft, "max_overlap") / 0.01;
    assert_true(number(soft, "omega") < omega && number(soft, "omega") > (1 - shorter) * omega);
    assert_true(fabs(number(soft, "psi1") - tan(75 * DEG)) < 1e-9);
    assert_true(number(hertz, "en") > 0.7 && number(hertz, "en") < 0.9);
    /* head-on there is no tangential velocity to compare with */
    assert_true(json_is_null(json_object_get(json_array_get(impacts(root), 0), "et")));
    json_decref(root);
}

static void test_json_keys(void **unused)
{
    (void)unused;
    static const char *const keys[] = {
        "law",       "model",       "angle",      "speed",        "en",
        "et",        "omega",       "psi1",       "psi2",         "rebound_angle",
        "error",     "steps",       "stuck",      "contact_time", "rebound_angle_contact",
        "max_force", "max_overlap", "parameters", "energy_lost",  "status",
    };
    write_file("single.yaml", single_text);
    json_t *root = parse(moraine(0, "collide", "single.yaml", "--json", NULL)->out);
    json_t *one = json_array_get(impacts(root), 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(one, keys[i]) == NULL)
            fail_msg("no key \"%s\"", keys[i]);
    assert_null(json_object_get(one, "history"));
    json_t *parameters = json_object_get(one, "parameters");
    assert_true(fabs(number(parameters, "friction") - 0.1) < 1e-12);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "units"), "omega")),
                        "rad/s");
    assert_true(number(one, "error") <= 1e-8);
    json_decref(root);
}

/* ---- tables ---- */

static void test_tables(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    write_file("single.yaml", single_text);
    outcome *o = moraine(0, "collide", "sweep.yaml", NULL);
    expect_text(o->out, "soft (linear)");
    expect_text(o->out, "elastic (hertz-mindlin)");
    expect_text(o->out, "angle, °");
    expect_text(o->out, "µs"); /* contact times with a prefix */
    o = moraine(0, "collide", "sweep.yaml", "--law", "elastic", NULL);
    assert_null(strstr(o->out, "soft"));
    o = moraine(0, "collide", "single.yaml", NULL);
    expect_text(o->out, "normal restitution en");
    expect_text(o->out, "0.9");
    o = moraine(0, "collide", "single.yaml", "-q", NULL);
    assert_string_equal(o->out, "");
}

/* Cell `column` of line `row`, both from 0. */
static void cell_of(const char *csv, int row, int column, char *out, size_t size)
{
    const char *p = csv;
    for (; row > 0; row--) {
        p = strchr(p, '\n');
        assert_non_null(p);
        p++;
    }
    for (; column > 0; column--) {
        p += strcspn(p, ",\n");
        assert_int_equal(*p, ',');
        p++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(p, ",\n"), p);
}

static int column_named(const char *csv, const char *name)
{
    char text[80];
    for (int k = 0; k < 40; k++) {
        cell_of(csv, 0, k, text, sizeof text);
        if (strcmp(text, name) == 0)
            return k;
    }
    fail_msg("no column \"%s\" in %.400s", name, csv);
    return -1;
}

/* Number by number, to the last bit. */
static void test_csv_is_json(void **unused)
{
    (void)unused;
    static const char *const name[] = {"angle [rad]",   "speed [m/s]",      "en [1]",
                                       "omega [rad/s]", "contact_time [s]", "max_force [N]",
                                       "friction [1]"};
    static const char *const key[] = {"angle",        "speed",     "en",      "omega",
                                      "contact_time", "max_force", "friction"};
    write_file("sweep.yaml", sweep_text);
    outcome *o = moraine(0, "collide", "sweep.yaml", "--sweep", "friction=0.1,0.3", "--csv",
                         "out.csv", "--json", NULL);
    json_t *root = parse(o->out);
    char *csv = slurp(work.path, "out.csv");
    size_t n = json_array_size(impacts(root));
    assert_int_equal(n, 12);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
            char text[80];
            cell_of(csv, 1 + (int)i, column_named(csv, name[k]), text, sizeof text);
            double v = number(json_array_get(impacts(root), i), key[k]);
            assert_true(strtod(text, NULL) == v);
        }
    /* et has no value head-on: an empty cell */
    char text[80];
    cell_of(csv, 1, column_named(csv, "et [1]"), text, sizeof text);
    assert_string_equal(text, "");
    free(csv);
    json_decref(root);
}

/* ---- sweeps ---- */

static void test_sweeps(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    /* takes the place of the file's angles; a bare number has its neighbour's unit */
    json_t *root = parse(moraine(0, "collide", "sweep.yaml", "--law", "soft", "--sweep",
                                 "angle=10:50 deg:5", "--sweep", "speed=1:4:3:log", "--json", NULL)
                             ->out);
    assert_int_equal(json_array_size(impacts(root)), 15);
    json_t *second = json_array_get(impacts(root), 1), *fourth = json_array_get(impacts(root), 3);
    assert_true(fabs(number(second, "angle") - 10 * DEG) < 1e-12);
    assert_true(fabs(number(second, "speed") - 2) < 1e-12);
    assert_true(fabs(number(fourth, "angle") - 20 * DEG) < 1e-12);
    json_decref(root);
    /* a linear law knows no speed: the same rebound, twice as fast, but for the lever (above) */
    root = parse(moraine(0, "collide", "sweep.yaml", "--law", "soft", "--set",
                         "collision.angle=75 deg", "--sweep", "speed=1,2", "--json", NULL)
                     ->out);
    json_t *slow = json_array_get(impacts(root), 0), *fast = json_array_get(impacts(root), 1);
    assert_true(fabs(number(slow, "en") - number(fast, "en")) < 1e-7);
    assert_true(fabs(number(slow, "et") - number(fast, "et")) < 1e-7);
    assert_true(fabs(2 * number(slow, "omega") / number(fast, "omega") - 1) <
                number(fast, "max_overlap") / 0.01);
    json_decref(root);
}

/* What stands in one --sweep varies together, in place of what the file says of both. */
static void test_together(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    json_t *root = parse(moraine(0, "collide", "sweep.yaml", "--law", "soft", "--sweep",
                                 "angle=10,20,30 deg; speed=1,2,3 m/s", "--sweep",
                                 "friction=0.1,0.2", "--json", NULL)
                             ->out);
    assert_int_equal(json_array_size(impacts(root)), 6);
    for (int i = 0; i < 6; i++) {
        json_t *one = json_array_get(impacts(root), (size_t)i);
        int pair = i / 2 + 1;
        assert_true(fabs(number(one, "angle") - 10 * pair * DEG) < 1e-12);
        assert_true(fabs(number(one, "speed") - pair) < 1e-12);
    }
    json_decref(root);
    outcome *o = moraine(2, "collide", "sweep.yaml", "--sweep", "angle=10,20 deg; speed=1", NULL);
    expect_text(o->err, "angle has 2 values, speed has 1");
    /* the normal speed stays while the angle varies, and the words of a law are told */
    o = moraine(0, "collide", "sweep.yaml", "--law", "soft", "--sweep", "normal-speed=1,2 m/s",
                "--set", "laws.soft.end-of-contact=overlap", NULL);
    expect_text(o->out, "normal-speed, m/s");
    expect_text(o->out, "end-of-contact overlap");
}

/* x of the points of the only curve with three. */
static void curve_of_three(const char *svg, double *x)
{
    char *text = slurp(work.path, svg);
    int found = 0;
    for (char *p = text; (p = strstr(p, " d=\"M ")) != NULL; p++) {
        double y[3], at[3];
        int end = 0;
        if (sscanf(p, " d=\"M %lf %lf L %lf %lf L %lf %lf \"%n", &at[0], &y[0], &at[1], &y[1],
                   &at[2], &y[2], &end) == 6 &&
            end > 0) {
            memcpy(x, at, sizeof at);
            found++;
        }
    }
    assert_int_equal(found, 1);
    free(text);
}

/* Equal steps are drawn on a linear axis, however far they go; equal ratios on a logarithmic one.
 */
static void test_axes(void **unused)
{
    (void)unused;
    double x[3];
    write_file("single.yaml", single_text);
    moraine(0, "collide", "single.yaml", "--sweep", "angle=1:81 deg:3", "--plot", "a.svg", NULL);
    curve_of_three("a-et.svg", x);
    assert_true(fabs(x[0] + x[2] - 2 * x[1]) < 0.1 && x[2] - x[0] > 100); /* of 0.01 points */
    moraine(0, "collide", "single.yaml", "--sweep", "speed=0.01:1 m/s:3:log", "--plot", "v.svg",
            NULL);
    curve_of_three("v-omega.svg", x); /* et does not change: points in a line are merged */
    assert_true(fabs(x[0] + x[2] - 2 * x[1]) < 0.1 && x[2] - x[0] > 100);
}

/* Soft balls turn about each other: it is said, and about which normal the numbers are. */
static void test_turning(void **unused)
{
    (void)unused;
    write_file("soft.yaml",
               "moraine: 1\nmaterials: {g: {density: 2500 kg/m3, young: 1 MPa, poisson: 0.3}}\n"
               "collision:\n  ball: {diameter: 10 mm}\n  target: {sphere: {diameter: 10 mm}}\n"
               "  speed: 1 m/s\n  angle: 60 deg\n  law: hertz\n  friction: 0\n");
    outcome *o = moraine(0, "collide", "soft.yaml", NULL);
    expect_text(o->out, "The normal turned by up to 14.4°");
    expect_text(o->out, "at first touch");
    o = moraine(0, "collide", "soft.yaml", "--set", "collision.normal=end", "--json", NULL);
    json_t *root = parse(o->out), *one = json_array_get(impacts(root), 0);
    assert_true(fabs(number(one, "en") - 1) < 1e-6 && fabs(number(one, "et") - 1) < 1e-6);
    json_decref(root);
}

/* ---- histories, plots, report ---- */

static void test_history(void **unused)
{
    (void)unused;
    write_file("single.yaml", single_text);
    outcome *o = moraine(0, "collide", "single.yaml", "--history", "--history-csv", "h.csv",
                         "--plot", "p.svg", "--json", NULL);
    json_t *root = parse(o->out);
    json_t *one = json_array_get(impacts(root), 0), *rows = json_object_get(one, "history");
    size_t n = json_array_size(rows);
    assert_true(n > 100 && n < 2000);
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, number(json_array_get(rows, i), "fn"));
    /* a few hundred rows miss the peak by less than (pi / 400)^2 / 2 of it, with room */
    assert_true(fabs(most / number(one, "max_force") - 1) < 1e-3);
    json_decref(root);
    char *csv = slurp(work.path, "h.csv");
    assert_ptr_equal(strstr(csv, "law,impact,time [s],overlap [m]"), csv);
    free(csv);
    expect_svg("p-force-overlap.svg");
    expect_svg("p-force-time.svg");
    root = parse(moraine(0, "collide", "single.yaml", "--history", "20", "--json", NULL)->out);
    rows = json_object_get(json_array_get(impacts(root), 0), "history");
    assert_true(json_array_size(rows) < 60);
    json_decref(root);
}

static void test_report(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    moraine(0, "collide", "sweep.yaml", "--history", "--out", "deep/folder", NULL);
    char *page = slurp(work.path, "deep/folder/report.html");
    expect_markup(page);
    expect_alone(page);
    expect_text(page, "Ball &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;plate&quot;");
    expect_text(page, "moraine collide sweep.yaml --history --out deep/folder");
    free(page);
    expect_svg("deep/folder/en.svg");
    expect_svg("deep/folder/force-overlap.svg");
    assert_true(there_is(work.path, "deep/folder/collisions.csv"));
    assert_true(there_is(work.path, "deep/folder/collisions.json"));
    char *yaml = slurp(work.path, "deep/folder/experiment.yaml");
    assert_string_equal(yaml, sweep_text);
    free(yaml);
    /* not twice, unless predicted so */
    outcome *o = moraine(2, "collide", "sweep.yaml", "--out", "deep/folder", NULL);
    expect_text(o->err, "deep/folder holds an earlier result");
    expect_text(o->err, "--force");
    moraine(0, "collide", "sweep.yaml", "--out", "deep/folder", "--force", NULL);
}

static void test_same_twice(void **unused)
{
    (void)unused;
    write_file("sweep.yaml", sweep_text);
    moraine(0, "collide", "sweep.yaml", "--out", "a", "--threads", "1", NULL);
    moraine(0, "collide", "sweep.yaml", "--out", "b", "--threads", "2", NULL);
    char *a = slurp(work.path, "a/collisions.json"), *b = slurp(work.path, "b/collisions.json");
    assert_string_equal(a, b);
    free(a);
    free(b);
}

/* ---- what is refused ---- */

static void test_errors(void **unused)
{
    (void)unused;
    write_file("single.yaml", single_text);
    write_file("sweep.yaml", sweep_text);
    write_file("typo.yaml", LAB_HEAD "  angel: 60 deg\n" LAB_LAWS);
    write_file("unit.yaml", LAB_HEAD "  angle: 60 kg\n" LAB_LAWS);
    outcome *o = moraine(2, "collide", "typo.yaml", NULL);
    expect_text(o->err, "typo.yaml:10:3: error:");
    expect_text(o->err, "angle");
    o = moraine(2, "collide", "unit.yaml", NULL);
    expect_text(o->err, "unit.yaml:10:10: error:");
    o = moraine(2, "collide", "there-is-none.yaml", NULL);
    expect_text(o->err, "there-is-none.yaml");
    o = moraine(2, "collide", "single.yaml", "--law", "sotf", NULL);
    expect_text(o->err, "did you mean \"soft\"?");
    o = moraine(2, "collide", "single.yaml", "--sweep", "angle=1:2", NULL);
    expect_text(o->err, "--sweep angle=1:2");
    o = moraine(2, "collide", "single.yaml", "--sweep", "angel=0,1", NULL);
    expect_text(o->err, "angle");
    o = moraine(2, "collide", "single.yaml", "--sweep", "angle=0 kg,1 kg", NULL);
    expect_text(o->err, "kg");
    o = moraine(2, "collide", "single.yaml", "--sweep", "angle=30 deg,95 deg", NULL);
    expect_text(o->err, "95");
    o = moraine(2, "collide", "sweep.yaml", "--sweep", "normal-stiffness=1e5,1e6", NULL);
    expect_text(o->err, "--law");
    o = moraine(0, "collide", "single.yaml", "--plot", "point.svg", NULL);
    expect_text(o->out, "Nothing to draw");
    o = moraine(2, "collide", "single.yaml", "--plot", "p.pdf", NULL);
    expect_text(o->err, ".svg or .png");
    o = moraine(2, "collide", "single.yaml", "--csv", "nowhere/x.csv", NULL);
    expect_text(o->err, "nowhere");
    o = moraine(2, "collide", NULL);
    expect_text(o->err, "which file");
    o = moraine(2, "collide", "typo.yaml", "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(json_integer_value(json_object_get(root, "line")), 10);
    json_decref(root);
    assert_false(there_is(work.path, "nowhere"));
}

static void test_help(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "collide", "--help", NULL);
    expect_text(o->out, "--sweep");
    expect_text(o->out, "--history");
    o = moraine(0, "help", NULL);
    expect_text(o->out, "collide");
    expect_text(o->out, "sensitivity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form), cmocka_unit_test(test_json_keys),
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_csv_is_json),
        cmocka_unit_test(test_sweeps),      cmocka_unit_test(test_together),
        cmocka_unit_test(test_axes),        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_history),     cmocka_unit_test(test_report),
        cmocka_unit_test(test_same_twice),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
