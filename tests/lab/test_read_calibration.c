/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of calibrations. Good files: what they say is what is read. Every file of
   tests/lab/broken-calibration: refused as bad input, with the place and the words that its first
   line announces (`# expect: LINE:COLUMN words | more words`; `# expect: SCENE.yaml:LINE:COLUMN …`
   where the mistake is in the scene), and with a cure. */
/* ctest-labels: slow */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define GOOD   MRN_TEST_SOURCE "/tests/lab/good-calibration"
#define BROKEN MRN_TEST_SOURCE "/tests/lab/broken-calibration"

static mrn_calibration read_good(const char *path, const char *const *set, int n)
{
    mrn_calibration c;
    mrn_message msg = {0};
    if (mrn_calibration_read(path, set, n, &c, &msg) != MRN_OK)
        fail_msg("%s:%d:%d: %s (%s; %s)", msg.file, msg.line, msg.column, msg.text, msg.expected,
                 msg.hint);
    return c;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b))) /* decimal numbers through one multiplication */
        fail_msg("%.17g, not %.17g", a, b);
}

/* ---- good files ---- */

static void check_tuned(const mrn_calibration *c)
{
    const mrn_tuned *k = c->tuned;
    assert_int_equal(c->n_tuned, 3);
    assert_string_equal(k[0].p.name, "friction");
    assert_string_equal(k[0].p.unit, "");
    assert_true(k[0].p.lo == 0.1 && k[0].p.hi == 0.8 && k[0].p.start == 0.4 && !k[0].p.log);
    assert_int_equal(k[0].n_paths, 3);
    assert_string_equal(k[0].path[1], "interactions.1.friction");
    assert_string_equal(k[0].path[2], "interactions.0.friction");
    assert_int_equal(k[0].test[1], 1);
    assert_int_equal(k[0].test[2], 0);
    assert_string_equal(k[1].p.unit, "ms");
    assert_true(k[1].p.lo == 2 && k[1].p.hi == 8 && isnan(k[1].p.start) && k[1].p.log);
    assert_int_equal(k[2].n_paths, 1);
    assert_int_equal(k[2].test[0], 0);
    assert_string_equal(k[2].p.unit, "m/s");
    assert_true(k[2].p.lo == -1 && k[2].p.hi == 2);
}

static void check_targets(const mrn_calibration *c)
{
    const mrn_target *t = c->target;
    assert_int_equal(c->n_targets, 5);
    assert_string_equal(t[0].name, "ball.height");
    assert_string_equal(t[0].unit, "m");
    assert_int_equal(t[0].take, MRN_TAKE_END);
    assert_int_equal(t[0].stage, 0);
    near(t[0].datum.y, 0.8);
    near(t[0].datum.variance, 1e-4);
    assert_int_equal(t[0].datum.spread, MRN_SPREAD_GIVEN);
    assert_int_equal(t[1].take, MRN_TAKE_SLOPE);
    assert_int_equal(t[1].stage, 1);
    assert_string_equal(t[1].unit, "m/s");
    assert_true(t[1].after == 0.02 && t[1].last == 0.05);
    near(t[1].datum.y, 1.5);
    near(t[1].datum.variance, 1e-4); /* of the mean of four */
    assert_int_equal(t[1].datum.freedom, 3);
    assert_int_equal(t[1].datum.spread, MRN_SPREAD_REPLICATES);
    assert_int_equal(t[2].stage, 1);                            /* the last one */
    assert_true(fabs(sqrt(t[2].datum.variance) - 0.05) < 1e-5); /* 1.95996 standard errors */
    assert_string_equal(t[3].unit, "");
    assert_int_equal(t[3].test, 1);
    assert_int_equal(t[3].take, MRN_TAKE_MEAN);
    assert_string_equal(t[4].probe, "repose-angle");
    assert_string_equal(t[4].unit, "degree");
    near(t[4].datum.y, 0.1 * 180 / 3.14159265358979323846);
    /* Student's quantile for two degrees of freedom, 4.302653 */
    assert_true(fabs(sqrt(t[4].datum.variance) - 2 / 4.302652729749464) < 1e-6);
    for (int i = 0; i < 5; i++)
        assert_int_equal(t[i].datum.response, i);
}

static void test_all_keys(void **state)
{
    (void)state;
    mrn_calibration c = read_good(GOOD "/all-keys.yaml", NULL, 0);
    assert_string_equal(c.title, "A ball and some grains");
    assert_string_equal(c.from, "made up");
    assert_string_equal(c.path, GOOD "/all-keys.yaml");
    assert_non_null(strstr(c.source, "# Every key"));
    check_tuned(&c);
    check_targets(&c);
    assert_int_equal(c.n_tests, 2);
    assert_string_equal(c.test[0].name, "ball");
    assert_string_equal(c.test[0].path, GOOD "/scenes/ball.yaml");
    assert_non_null(strstr(c.test[0].text, "title: A ball"));
    assert_int_equal(c.test[0].n_set, 2);
    assert_string_equal(c.test[0].set[0], "output.probes-every=5 ms");
    assert_int_equal(c.test[1].n_set, 0);
    assert_true(c.runs == 90 && c.points == 12 && c.seeds == 3 && c.batch == 2);
    assert_true(c.tolerance == 0.05 && c.seed == UINT64_MAX && c.fit.seed == UINT64_MAX);
    assert_true(c.fit.confidence == 0.9 && c.fit.bootstrap == 50 && c.fit.few);
    assert_false(c.fit.profile || c.fit.regions || c.fit.nested);
    mrn_calibration_destroy(&c);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_defaults(void **state)
{
    (void)state;
    mrn_calibration c = read_good(GOOD "/least.yaml", NULL, 0);
    assert_true(c.runs == 60 && c.points == 0 && c.seeds == 2 && c.batch == 0);
    assert_true(c.tolerance == 0.1 && c.seed == 1 && c.fit.bootstrap == 200);
    assert_true(c.fit.profile && c.fit.regions && c.fit.nested && c.fit.confidence == 0.95);
    assert_int_equal(c.tuned[0].test[0], -1);
    assert_int_equal(c.target[0].stage, 0);
    mrn_calibration_destroy(&c);
    mrn_calibration_destroy(&c); /* what is empty may be destroyed again */
}

static void test_set(void **state)
{
    (void)state;
    const char *set[] = {"calibrate.runs=33", "tests.grains.targets.count.value=11"};
    mrn_calibration c = read_good(GOOD "/least.yaml", set, 2);
    assert_true(c.runs == 33 && c.target[0].datum.y == 11);
    assert_non_null(strstr(c.source, "runs: 33"));
    mrn_calibration_destroy(&c);
    mrn_message msg = {0};
    set[0] = "parameters.friction.bounds=[0.1, 5 kg]";
    assert_int_equal(mrn_calibration_read(GOOD "/least.yaml", set, 1, &c, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.file, "--set parameters.friction.bounds=[0.1, 5 kg]");
}

/* ---- broken files ---- */

static bool says(const mrn_message *msg, const char *words)
{
    return strstr(msg->text, words) != NULL || strstr(msg->expected, words) != NULL ||
           strstr(msg->hint, words) != NULL;
}

static bool check_words(const char *name, const mrn_message *msg, char *words)
{
    bool good = true;
    while (words != NULL) {
        char *bar = strstr(words, " | ");
        if (bar != NULL)
            *bar = '\0';
        words[strcspn(words, "\n")] = '\0';
        if (!says(msg, words)) {
            print_error("%s: no '%s' in: %s / %s / %s\n", name, words, msg->text, msg->expected,
                        msg->hint);
            good = false;
        }
        words = bar != NULL ? bar + 3 : NULL;
    }
    return good;
}

static bool check_file(const char *name)
{
    char path[1024], head[1024] = "", wanted[1200], scene[128] = "";
    snprintf(path, sizeof path, BROKEN "/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    fclose(f);
    int line, column, used = 0;
    if (sscanf(head, "# expect: %d:%d %n", &line, &column, &used) < 2 &&
        sscanf(head, "# expect: %127[^:]:%d:%d %n", scene, &line, &column, &used) < 3)
        fail_msg("%s: no '# expect:' line", name);
    snprintf(wanted, sizeof wanted, BROKEN "/%s", scene[0] != '\0' ? scene : name);
    mrn_calibration c, nothing;
    mrn_message msg = {0};
    memset(&nothing, 0, sizeof nothing);
    mrn_status s = mrn_calibration_read(path, NULL, 0, &c, &msg);
    bool good = check_words(name, &msg, head + used);
    if (s != MRN_ERR_INPUT || msg.status != s) {
        print_error("%s: status %d, not bad input (%s)\n", name, (int)s, msg.text);
        mrn_calibration_destroy(&c);
        return false;
    }
    if (strcmp(msg.file, wanted) != 0 || msg.line != line || msg.column != column) {
        print_error("%s: at %s:%d:%d, not %d:%d: %s\n", name, msg.file, msg.line, msg.column, line,
                    column, msg.text);
        good = false;
    }
    if (msg.expected[0] == '\0' && msg.hint[0] == '\0') {
        print_error("%s: no cure: %s\n", name, msg.text);
        good = false;
    }
    assert_memory_equal(&c, &nothing, sizeof c);
    return good;
}

static int is_yaml(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

static void test_broken(void **state)
{
    (void)state;
    struct dirent **list;
    int n = scandir(BROKEN, &list, is_yaml, alphasort), bad = 0;
    assert_true(n >= 80);
    for (int i = 0; i < n; i++) {
        bad += !check_file(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    assert_int_equal(bad, 0);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_no_file(void **state)
{
    (void)state;
    mrn_calibration c;
    mrn_message msg = {0};
    assert_int_equal(mrn_calibration_read(BROKEN "/no-such.yaml", NULL, 0, &c, &msg), MRN_ERR_IO);
    assert_int_equal(mrn_calibration_read(BROKEN, NULL, 0, &c, NULL), MRN_ERR_IO);
    assert_int_equal(mrn_calibration_read(BROKEN "/no-tests.yaml", NULL, 0, &c, NULL),
                     MRN_ERR_INPUT);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    (void)state;
    static const char *const paths[] = {GOOD "/least.yaml", GOOD "/all-keys.yaml"};
    for (int p = 0; p < 2; p++) {
        mrn_status s = MRN_ERR_MEMORY;
        for (int64_t k = 1; s != MRN_OK; k++) {
            mrn_calibration c;
            mrn_message msg = {0};
            mrn_alloc_fail_at(k);
            s = mrn_calibration_read(paths[p], NULL, 0, &c, &msg);
            mrn_alloc_fail_at(0);
            if (s == MRN_OK)
                mrn_calibration_destroy(&c);
            else if (s != MRN_ERR_MEMORY || msg.status != s)
                fail_msg("allocation %d: %s", (int)k, msg.text);
            assert_int_equal(mrn_bytes_in_use(), 0);
        }
    }
}

/* ---- the format for editors and readers ---- */

static char *printed(mrn_status (*print)(FILE *))
{
    char *out = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&out, &n);
    assert_int_equal(print(f), MRN_OK);
    fclose(f);
    return out;
}

/* Every key stands in both, and every mapping that is referred to is there. */
static void test_schema(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "moraine", "title", "source", "parameters", "tests",     "calibrate",  "sets",
        "bounds",  "scale", "start",  "scene",      "set",       "targets",    "probe",
        "take",    "stage", "after",  "last",       "value",     "error",      "kind",
        "runs",    "seeds", "points", "batch",      "tolerance", "confidence", "replicates"};
    char *schema = printed(mrn_calibration_schema), *page = printed(mrn_calibration_reference);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char word[64], cell[64];
        snprintf(word, sizeof word, "\"%s\": {", keys[i]);
        snprintf(cell, sizeof cell, "| `%s` |", keys[i]);
        if (strstr(schema, word) == NULL || strstr(page, cell) == NULL)
            fail_msg("'%s' is missing", keys[i]);
    }
    for (const char *p = page; (p = strstr(p, "](#")) != NULL; p++) {
        char heading[80];
        int n = (int)strcspn(p + 3, ")");
        snprintf(heading, sizeof heading, "## %.*s\n", n, p + 3);
        if (strstr(page, heading) == NULL)
            fail_msg("a link leads nowhere: %s", heading);
    }
    free(schema);
    free(page);
}

/* ---- torn and garbled ---- */

/* Whatever stands in a file, the answer is a status; a file cut off anywhere is bad input or a
   shorter calibration. */
static void test_torn(void **state)
{
    (void)state;
    char dir[] = "/tmp/moraine-XXXXXX", path[64], text[8192];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/c.yaml", dir);
    FILE *f = fopen(GOOD "/all-keys.yaml", "rb");
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t cut = 0; cut < n; cut += 13) {
        mrn_calibration c;
        mrn_message msg = {0};
        f = fopen(path, "wb");
        fwrite(text, 1, cut, f);
        fclose(f);
        mrn_status s = mrn_calibration_read(path, NULL, 0, &c, &msg);
        assert_int_equal(s, MRN_ERR_INPUT); /* its scenes are not beside it */
        assert_true(msg.text[0] != '\0');
    }
    remove(path);
    remove(dir);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_keys), cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_set),      cmocka_unit_test(test_broken),
        cmocka_unit_test(test_no_file),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_schema),   cmocka_unit_test(test_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
