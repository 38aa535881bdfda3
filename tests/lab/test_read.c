/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the lab: every key arrives where it should, in SI; `--set`; failures of memory leave
   nothing behind; torn and garbled files are refused, never crash. */
/* ctest-labels: slow */
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

#define GOOD MRN_TEST_SOURCE "/tests/lab/good/"
#define DEG  (MRN_PI / 180)

static void read_good(const char *name, mrn_experiment *e)
{
    char path[1024];
    mrn_message msg = {0};
    snprintf(path, sizeof path, GOOD "%s", name);
    if (mrn_experiment_read(path, NULL, 0, e, &msg) != MRN_OK)
        fail_msg("%s:%d:%d: %s / %s", name, msg.line, msg.column, msg.text, msg.expected);
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static double value_of(const mrn_collision *c, const char *name)
{
    mrn_factor f;
    mrn_message msg;
    assert_int_equal(mrn_factor_find(c, name, &f, &msg), MRN_OK);
    return mrn_factor_get(c, &f);
}

static void check_head(const mrn_experiment *e)
{
    assert_string_equal(e->title, "Every key that a file with data may have");
    assert_string_equal(e->measured.source, "Nobody, Journal of Made-up Numbers 1 (2000) 1-2");
    assert_non_null(strstr(e->path, "all-keys.yaml"));
    assert_non_null(strstr(e->source, "Made-up"));
    near(e->accuracy, 1e-7);
    near(e->fit_accuracy, 1e-7);
    assert_int_equal(e->n_candidates, 2);
    const mrn_collision *c = &e->candidate[1].collision;
    assert_string_equal(e->candidate[0].name, "M1");
    assert_string_equal(e->candidate[1].name, "M3");
    assert_string_equal(c->model.name, "zheng");
    near(c->radius[0], 0.022225);
    assert_true(isinf(c->radius[1]));
    near(c->young[0], 210e9);
    near(c->young[1], 70e9);
    near(c->poisson[1], 0.22);
    near(c->density[0], 7766);
    near(c->spin[0][0], 1);
    near(c->spin[0][2], 2 * MRN_PI);
    near(value_of(c, "eta1"), 3.15769e5);
    near(value_of(c, "friction"), tan(5 * DEG));
    near(value_of(&e->candidate[0].collision, "normal-stiffness"), 7.1863e6);
}

/* The quantiles are those of Student's t with 2 degrees of freedom and of the normal law, from
   tables, to all the digits these give. */
static void check_data(const mrn_experiment *e)
{
    const mrn_measurements *m = &e->measured;
    assert_int_equal(e->at.n, 3);
    assert_int_equal(e->at.n_conditions, 2);
    assert_string_equal(e->at.factor[0].name, "angle");
    assert_string_equal(e->at.unit[0], "deg");
    near(e->at.value[4], 30 * DEG);
    near(e->at.value[5], 2.1);
    near(e->candidate[0].collision.speed, 4.2);
    near(e->candidate[1].collision.angle, 10 * DEG);
    assert_int_equal(m->n_responses, 6);
    assert_string_equal(m->response[2]->name, "omega");
    assert_string_equal(m->unit[2], "rpm");
    assert_int_equal(m->n, 6 + 4 + 4);
    const mrn_datum *d = m->datum;
    near(d[0].y, 0.97);
    near(d[0].variance, pow(0.02 / 1.959963984540054, 2));
    assert_int_equal(d[0].spread, MRN_SPREAD_GIVEN);
    assert_int_equal(d[0].freedom, 0);
    assert_string_equal(d[0].label, "10 deg, 420 cm/s");
    near(d[1].variance, 4e-4);
    double rpm = 2 * MRN_PI / 60;
    near(d[2].y, 120 * rpm);
    near(d[2].variance, 4 * rpm * rpm / 4);
    assert_int_equal(d[2].freedom, 3);
    assert_int_equal(d[2].spread, MRN_SPREAD_REPLICATES);
    near(d[3].y, 8.5 * DEG);
    assert_int_equal(d[3].spread, MRN_SPREAD_COMMON);
    near(d[4].y, 9100);
    near(d[4].variance, 1e4);
    near(d[5].y, 151e-6);
    near(d[5].variance, pow(2e-6 / 4.302652729749464, 2));
    assert_int_equal(d[5].freedom, 2);
    assert_int_equal(m->row[5], 0);
    /* 20 deg: neither omega nor force were measured */
    assert_int_equal(m->row[6], 1);
    assert_int_equal(d[8].response, 3);
    assert_int_equal(m->row[13], 2);
    assert_int_equal(d[13].response, 4);
}

static void check_asked(const mrn_experiment *e)
{
    const mrn_candidate *it = &e->candidate[1];
    assert_int_equal(e->fitted, 1);
    assert_int_equal(it->n_free, 2);
    assert_int_equal(e->candidate[0].n_free, 0);
    assert_string_equal(it->free[0].name, "eta1");
    assert_string_equal(it->free[0].unit, "Pa s");
    near(it->free[0].lo, 2.1e3);
    near(it->free[0].hi, 2.1e6);
    near(it->free[0].start, 2e5);
    assert_true(it->free[0].log);
    assert_true(isnan(it->free[1].start));
    assert_false(it->free[1].log);
    bool fitted[] = {true, false, true, false, false, false};
    assert_memory_equal(e->measured.fitted, fitted, sizeof fitted);
    const mrn_fit_options *o = &e->fit;
    near(o->confidence, 0.9);
    assert_int_equal(o->population, 40);
    assert_int_equal(o->doublings, 2);
    assert_int_equal(o->max_evaluations, 100000);
    near(o->tolerance, 1e-6);
    assert_int_equal(o->bootstrap, 50);
    assert_false(o->profile || o->regions || o->nested);
    assert_int_equal(o->seed, 7);
    assert_int_equal(e->studied, 0);
    assert_int_equal(e->n_factors, 3);
    near(e->factor[0].start, 0.1);
    near(e->factor[1].start, 7.1863e6);
    assert_true(e->factor[1].log);
    near(e->factor[2].lo, 7000);
    near(e->factor[2].start, 7766);
    assert_string_equal(e->of[1].name, "normal-stiffness");
    assert_int_equal(e->sweep_steps, 11);
    assert_int_equal(e->sobol_points, 256);
    assert_int_equal(e->morris, 5);
}

static void test_all_keys(void **state)
{
    (void)state;
    mrn_experiment e;
    read_good("all-keys.yaml", &e);
    check_head(&e);
    check_data(&e);
    check_asked(&e);
    mrn_experiment_destroy(&e);
    mrn_experiment_destroy(&e); /* an empty one */
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* All combinations, the last key of the file fastest: friction, diameter, speed, angle, spin. */
static void test_sweep(void **state)
{
    (void)state;
    mrn_experiment e;
    read_good("sweep.yaml", &e);
    assert_int_equal(e.at.n, 2 * 5 * 3 * 13 * 2);
    assert_int_equal(e.at.n_conditions, 5);
    assert_string_equal(e.at.factor[0].name, "friction");
    assert_string_equal(e.at.factor[4].name, "spin");
    assert_string_equal(e.at.unit[3], "deg");
    assert_string_equal(e.at.unit[2], "m/s");
    const double *v = e.at.value;
    near(v[4], 0);
    near(v[5 + 4], 2 * MRN_PI);
    near(v[2 * 5 + 3], 5 * DEG);
    near(v[13 * 2 * 5 + 2], 2);
    near(v[2 * 13 * 2 * 5 + 2], 3);
    near(v[3 * 13 * 2 * 5 + 1], 2e-3);
    near(v[(e.at.n - 1) * 5 + 0], 0.2);
    near(v[(e.at.n - 1) * 5 + 1], 5e-3);
    near(v[(e.at.n - 1) * 5 + 3], 60 * DEG);
    assert_int_equal(e.n_candidates, 1);
    assert_string_equal(e.candidate[0].name, "hertz-mindlin");
    const mrn_collision *c = &e.candidate[0].collision;
    near(c->radius[0], 0.5e-3); /* the first of the sweep */
    near(c->radius[1], 3e-3);
    near(c->spin[1][1], 5);
    assert_int_equal(e.measured.n, 0);
    assert_int_equal(e.fitted, -1);
    near(e.accuracy, 1e-8);
    near(e.fit_accuracy, 1e-6);
    mrn_experiment_destroy(&e);
    read_good("single.yaml", &e);
    assert_int_equal(e.at.n, 1);
    assert_int_equal(e.at.n_conditions, 0);
    assert_true(isnan(e.candidate[0].collision.young[0]));
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_replicates(void **state)
{
    (void)state;
    mrn_experiment e;
    read_good("replicates.yaml", &e);
    const mrn_datum *d = e.measured.datum;
    assert_int_equal(e.at.n, 2);
    assert_int_equal(e.measured.n, 4);
    near(d[0].y, 0.98);
    near(d[0].variance, 1e-4 / 3);
    assert_int_equal(d[0].freedom, 2);
    near(d[1].y, 11);
    near(d[1].variance, 1); /* 2 / (2 - 1) / 2 */
    assert_int_equal(d[1].freedom, 1);
    assert_int_equal(d[2].freedom, 1);
    assert_string_equal(d[3].label, "20 deg");
    assert_int_equal(e.measured.row[3], 1);
    /* eta1 is free and stands nowhere: the middle of its bounds, in the logarithm */
    near(value_of(&e.candidate[0].collision, "eta1"), sqrt(2.1e3 * 2.1e6));
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_set(void **state)
{
    (void)state;
    const char *set[] = {"collision.speed=500 cm/s", "laws.M3.friction=0.2",
                         "fit.parameters.eta1.bounds=[1e4, 1e6]", "fit.seed=9"};
    mrn_experiment e;
    mrn_message msg = {0};
    assert_int_equal(mrn_experiment_read(GOOD "replicates.yaml", set, 4, &e, &msg), MRN_OK);
    near(e.candidate[0].collision.speed, 5);
    near(value_of(&e.candidate[0].collision, "friction"), 0.2);
    near(e.candidate[0].free[0].hi, 1e6);
    assert_int_equal(e.fit.seed, 9);
    assert_non_null(strstr(e.source, "500 cm/s")); /* the text repeats what was read */
    mrn_experiment_destroy(&e);
    set[0] = "collision.sped=1 m/s";
    assert_int_equal(mrn_experiment_read(GOOD "replicates.yaml", set, 1, &e, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "sped"));
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const files[] = {GOOD "all-keys.yaml", GOOD "sweep.yaml",
                                        GOOD "replicates.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        mrn_experiment e, nothing;
        mrn_message msg = {0};
        mrn_status s = MRN_ERR_MEMORY;
        int64_t k = 1, before = mrn_alloc_count();
        memset(&nothing, 0, sizeof nothing);
        assert_int_equal(mrn_experiment_read(files[i], NULL, 0, &e, &msg), MRN_OK);
        mrn_experiment_destroy(&e);
        int64_t all = mrn_alloc_count() - before;
        for (; s == MRN_ERR_MEMORY; k++) {
            mrn_alloc_fail_at(k);
            s = mrn_experiment_read(files[i], NULL, 0, &e, &msg);
            mrn_alloc_fail_at(0);
            if (s == MRN_OK)
                mrn_experiment_destroy(&e);
            else if (s != MRN_ERR_MEMORY || memcmp(&e, &nothing, sizeof e) != 0)
                fail_msg("%s, allocation %d: status %d, %s", files[i], (int)k, (int)s, msg.text);
            assert_int_equal(mrn_bytes_in_use(), 0);
        }
        assert_int_equal(s, MRN_OK);
        assert_int_equal(k, all + 2); /* no failure went unheard */
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

/* Every key of the good files stands in both, and every mapping that is referred to is there. */
static void test_schema(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "source", "collision", "ball",       "target",   "vary",        "laws",   "data",
        "rows",   "responses", "replicates", "missing",  "fit",         "bounds", "scale",
        "start",  "steps",     "population", "profile",  "sensitivity", "morris", "sobol",
        "range",  "base",      "accuracy",   "doublings"};
    char *schema = printed(mrn_lab_schema), *page = printed(mrn_lab_reference);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char word[64], cell[64];
        snprintf(word, sizeof word, "\"%s\": {", keys[i]);
        snprintf(cell, sizeof cell, "| `%s` |", keys[i]);
        if (strstr(schema, word) == NULL || strstr(page, cell) == NULL)
            fail_msg("'%s' is missing", keys[i]);
    }
    assert_non_null(strstr(schema, "\"const\": \"zheng\""));
    for (const char *p = page; (p = strstr(p, "](#")) != NULL; p++) {
        char heading[80];
        int n = (int)strcspn(p + 3, ")");
        snprintf(heading, sizeof heading, "## %.*s\n", n, p + 3);
        for (char *c = heading + 3; *c != '\0'; c++)
            *c = *c == '-' ? ' ' : *c;
        if (strstr(page, heading) == NULL)
            fail_msg("a link leads nowhere: %s", heading);
    }
    free(schema);
    free(page);
}

/* ---- torn and garbled ---- */

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = malloc(1 << 16);
    *n = fread(text, 1, (1 << 16) - 1, f);
    text[*n] = '\0';
    fclose(f);
    return text;
}

static void try_text(const char *text, const char *name)
{
    mrn_experiment e;
    mrn_message msg = {0};
    mrn_status s = mrn_experiment_read_text(text, name, NULL, 0, &e, &msg);
    if (s == MRN_OK)
        mrn_experiment_destroy(&e);
    else if (s != MRN_ERR_INPUT || msg.text[0] == '\0' ||
             (msg.expected[0] == '\0' && msg.hint[0] == '\0' && strstr(msg.text, "YAML") == NULL &&
              msg.line == 0))
        fail_msg("status %d: %s", (int)s, msg.text);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* Bytes that mean something to YAML or to numbers. */
static const char letters[] = "{}[]:,-#'\"\n 0e.%&*!|>\t9kx";

static void garble(const char *file, uint64_t seed)
{
    char path[1024];
    size_t n;
    snprintf(path, sizeof path, GOOD "%s", file);
    char *text = slurp(path, &n), *copy = malloc(n + 1);
    mrn_rng rng = mrn_rng_seed(seed, 0);
    for (int i = 0; i < 120; i++) {
        memcpy(copy, text, n + 1);
        uint64_t cut = mrn_rng_next(&rng);
        if (i < 40)
            copy[cut % n] = '\0';
        for (int k = 0; k < 1 + i % 4 && i >= 40; k++) {
            uint64_t at = mrn_rng_next(&rng), what = mrn_rng_next(&rng);
            copy[at % n] = letters[what % (sizeof letters - 1)];
        }
        try_text(copy, path);
    }
    free(text);
    free(copy);
}

static void test_garbled(void **state)
{
    (void)state;
    garble("all-keys.yaml", 1);
    garble("sweep.yaml", 2);
    garble("replicates.yaml", 3);
    garble("single.yaml", 4);
}

/* The same with the table beside the file. */
static void test_garbled_table(void **state)
{
    (void)state;
    char folder[] = "/tmp/moraine-XXXXXX", csv[64], name[64];
    size_t n, n_yaml;
    assert_non_null(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/all-keys.csv", folder);
    snprintf(name, sizeof name, "%s/e.yaml", folder);
    char *yaml = slurp(GOOD "all-keys.yaml", &n_yaml), *text = slurp(GOOD "all-keys.csv", &n);
    mrn_rng rng = mrn_rng_seed(5, 0);
    for (int i = 0; i < 150; i++) {
        uint64_t cut = mrn_rng_next(&rng), what = mrn_rng_next(&rng);
        char was = text[cut % n];
        if (i >= 50)
            text[cut % n] = letters[what % (sizeof letters - 1)];
        FILE *f = fopen(csv, "wb");
        fwrite(text, 1, i < 50 ? cut % n : n, f);
        fclose(f);
        try_text(yaml, name);
        text[cut % n] = was;
    }
    free(yaml);
    free(text);
    remove(csv);
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_keys),   cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_replicates), cmocka_unit_test(test_set),
        cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_schema),
        cmocka_unit_test(test_garbled),    cmocka_unit_test(test_garbled_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
