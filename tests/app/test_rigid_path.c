/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `analyze --path LIST --rule rigid` on sixty disks without friction, and what it
   refuses. Numbers of the method itself: quasistatic/rigid_path. */
/* ctest-labels: slow */
#include <math.h>

#include "app/command.h"

static const char *const scene = MRN_TEST_SOURCE "/tests/validate/biaxial.yaml";

/* K_N/P = 1e5, where frictionless disks are isostatic; the second run has rubbed. */
static int begin(void **unused)
{
    (void)unused;
    work = make_folder();
    for (int rubs = 0; rubs < 2; rubs++)
        moraine(0, "run", scene, "--out", rubs ? "rubs" : "smooth", "-q", "-s",
                "bodies.grains.count=60", "-s", "cell.size=[4.454 cm, 4.454 cm]", "-s",
                "bodies.grains.place.fill.box=[[0, 0], [4.454 cm, 4.454 cm]]", "-s",
                rubs ? "stages.rub.interactions=[{between: any, friction: 0.25}]"
                     : "stages.rub.interactions=[{between: any, friction: 0}]",
                "-s", rubs ? "stages.load.at-most=0.1 s" : "stages.load.at-most=0.001 s", "-s",
                "stages.load.quasistatic.increments=1", NULL);
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

static double number(const json_t *o, const char *key)
{
    const json_t *x = json_object_get(o, key);
    if (!json_is_number(x))
        fail_msg("no number '%s'", key);
    return json_number_value(x);
}

/* Rows in pairs: a network is found at q, and holds to a larger one without any strain; from pair
   to pair q stays, contacts open, and it strains. As many contacts as unknowns: two for each grain
   (two strains for two translations). */
static void test_stairs(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "analyze", "smooth", "--path", "yy", "--rule", "rigid", "--up-to",
                         "0.2", "--path-csv", "rows.csv", "--json", NULL);
    json_t *all = parse(o->out), *path = json_object_get(all, "path");
    json_t *rows = json_object_get(path, "rows");
    size_t n = json_array_size(rows);
    assert_string_equal(json_string_value(json_object_get(path, "end")), "up-to");
    assert_true(n >= 4 && n % 2 == 0);
    assert_true(number(path, "networks") == (double)(n / 2));
    assert_true(fabs(number(path, "q") - 0.2) < 1e-12);
    assert_true(fmod(number(path, "contacts"), 2) == 0);
    for (size_t k = 0; k + 1 < n; k++) {
        const json_t *a = json_array_get(rows, k), *b = json_array_get(rows, k + 1);
        bool holds = k % 2 == 0;
        assert_true(holds ? number(b, "q") >= number(a, "q") : number(b, "q") == number(a, "q"));
        assert_true((number(a, "strain.yy") == number(b, "strain.yy")) == holds);
        assert_true((number(a, "opened") == number(b, "opened")) == holds);
    }
    assert_true(number(json_array_get(rows, 1), "q") == number(path, "first"));
    char *csv = slurp(work.path, "rows.csv");
    expect_text(csv, "q,opened,strain.xx,strain.yy");
    free(csv);
    json_decref(all);
}

static void test_refusals(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "analyze", "smooth", "--path", "yy", "--rule", "rigid", "--increment",
                         "0.1", NULL);
    expect_text(o->err, "--rule rigid");
    o = moraine(2, "analyze", "smooth", "--path", "strain.yy=-1", "--rule", "rigid", NULL);
    expect_text(o->err, "changes strains");
    o = moraine(1, "analyze", "rubs", "--path", "yy", "--rule", "rigid", NULL);
    expect_text(o->err, "not in equilibrium"); /* without its friction it is not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stairs),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, begin, end);
}
