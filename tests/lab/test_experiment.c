/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments as collisions and candidates as models: the same bits as collisions made one by one,
   whatever the number of parameter sets; fitted responses only; deviation indices by hand. */
/* ctest-labels: threads */
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

#define SETS 400 /* times 3 rows: more than go through at once */

/* Conditions that two laws number differently (friction), and a response that is an angle. */
static const char text[] =
    "moraine: 1\n"
    "materials: {steel: {density: 7766 kg/m3, young: 210 GPa, poisson: 0.3}}\n"
    "collision: {ball: {diameter: 44.45 mm}, target: {plane: steel}, speed: 4.2 m/s}\n"
    "laws:\n"
    "  soft: {law: linear, normal-stiffness: 7e6 N/m, restitution: 0.95, friction: 0.09}\n"
    "  M3: {law: zheng, eta1: 3e5 Pa s, friction: 0.091}\n"
    "data:\n"
    "  rows: [{angle: 10 deg, mu: 0.1, en: 0.97, et: 0.7, a: 8 deg},\n"
    "         {angle: 30 deg, mu: 0.1, en: 0.96, a: 22 deg}, {angle: 50 deg, mu: 0.2, et: 0.8}]\n"
    "  conditions: {angle: {}, friction: {column: mu}}\n"
    "  responses:\n"
    "    en: {error: {value: 0.02, kind: interval-95}}\n"
    "    et: {error: {value: 0.02, kind: sd, replicates: 4}}\n"
    "    rebound_angle: {column: a, error: unknown}\n"
    "fit:\n"
    "  law: M3\n"
    "  parameters: {eta1: {bounds: [2e4 Pa s, 2e6 Pa s], scale: log}, young: {bounds: [100 GPa, "
    "300 GPa]}}\n";

static void read_text(const char *more, mrn_experiment *e)
{
    char all[4000];
    mrn_message msg = {0};
    snprintf(all, sizeof all, "%s%s", text, more);
    if (mrn_experiment_read_text(all, "e.yaml", NULL, 0, e, &msg) != MRN_OK)
        fail_msg("%d:%d: %s", msg.line, msg.column, msg.text);
}

static void set(mrn_collision *c, const char *name, double value)
{
    mrn_factor f;
    mrn_message msg;
    assert_int_equal(mrn_factor_find(c, name, &f, &msg), MRN_OK);
    mrn_factor_set(c, &f, value);
}

/* Row i of an experiment by hand. */
static mrn_collision row_of(const mrn_experiment *e, int candidate, int i)
{
    mrn_collision c = e->candidate[candidate].collision;
    set(&c, "angle", e->at.value[2 * i]);
    set(&c, "friction", e->at.value[2 * i + 1]);
    return c;
}

static void test_rows(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    mrn_rebound all[3], one;
    read_text("", &e);
    assert_int_equal(e.at.n, 3);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(mrn_experiment_collide(&e, k, all, &msg), MRN_OK);
        for (int i = 0; i < 3; i++) {
            mrn_collision c = row_of(&e, k, i);
            assert_int_equal(mrn_collide(&c, 1, e.accuracy, &one, NULL, &msg), MRN_OK);
            assert_true(all[i].en == one.en && all[i].et == one.et && all[i].omega == one.omega);
        }
        assert_true(all[0].et != all[1].et);
    }
    assert_int_equal(mrn_experiment_collide(&e, 2, all, &msg), MRN_ERR_RANGE);
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void draw(double *x, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    for (int i = 0; i < SETS; i++) {
        double a = mrn_rng_uniform(&rng), b = mrn_rng_uniform(&rng);
        x[2 * i] = 2e4 * pow(100, a);
        x[2 * i + 1] = 1e11 * (1 + 2 * b);
    }
}

static double direct(const mrn_experiment *e, const double *x, int datum)
{
    mrn_message msg = {0};
    mrn_rebound r;
    mrn_collision c = row_of(e, 1, e->measured.row[datum]);
    set(&c, "eta1", x[0]);
    set(&c, "young", x[1]);
    assert_int_equal(mrn_collide(&c, 1, e->fit_accuracy, &r, NULL, &msg), MRN_OK);
    return mrn_rebound_value(&r, e->measured.response[e->measured.datum[datum].response]);
}

static void test_model(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    mrn_fit_setup *setup;
    mrn_predictor model;
    static double x[2 * SETS], y[6 * SETS], alone[6];
    bool bad[SETS];
    read_text("", &e);
    assert_int_equal(e.measured.n, 6);
    assert_int_equal(mrn_fit_setup_create(&e, 1, &setup, &model, &msg), MRN_OK);
    assert_int_equal(model.n, 2);
    assert_int_equal(model.m, 6);
    mrn_fit_setup_data d = mrn_fit_setup_data_of(setup);
    assert_int_equal(d.n, 6);
    assert_int_equal(d.n_responses, 3);
    assert_memory_equal(d.datum, e.measured.datum, 6 * sizeof *d.datum);
    draw(x, 1);
    assert_int_equal(model.predict(model.user, SETS, x, y, bad, &msg), MRN_OK);
    for (int i = 0; i < SETS; i++)
        assert_false(bad[i]);
    for (int i = 0; i < SETS; i += 57) { /* some of them: one by one takes its time */
        for (int k = 0; k < 6; k++) {
            double wanted = direct(&e, x + 2 * i, k);
            /* an angle is predicted as the measured one and a difference: the last bit may go */
            bool angle = e.measured.datum[k].response == 2;
            if (angle ? !(fabs(y[6 * i + k] - wanted) <= 1e-15) : y[6 * i + k] != wanted)
                fail_msg("set %d, datum %d: %.17g, not %.17g", i, k, y[6 * i + k], wanted);
        }
    }
    /* alone and again: what went through before leaves no trace */
    assert_int_equal(model.predict(model.user, 1, x + 2 * 7, alone, bad, &msg), MRN_OK);
    assert_memory_equal(alone, y + 6 * 7, sizeof alone);
    mrn_fit_setup_destroy(&setup);
    mrn_fit_setup_destroy(&setup);
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* Of the responses that are not fitted there is no output. */
static void test_responses(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    mrn_fit_setup *setup;
    mrn_predictor model;
    double x[] = {3e5, 2.1e11}, y[6];
    bool bad;
    read_text("  responses: [et]\n", &e);
    assert_int_equal(mrn_fit_setup_create(&e, 1, &setup, &model, &msg), MRN_OK);
    mrn_fit_setup_data d = mrn_fit_setup_data_of(setup);
    assert_int_equal(model.m, 2);
    assert_int_equal(d.n_responses, 1);
    assert_int_equal(d.response[0], 1);
    assert_int_equal(d.of[0], 1);
    assert_int_equal(d.of[1], 5);
    assert_int_equal(d.datum[1].response, 0);
    assert_true(d.datum[1].y == 0.8);
    assert_int_equal(model.predict(model.user, 1, x, y, &bad, &msg), MRN_OK);
    assert_true(y[0] == direct(&e, x, 1) && y[1] == direct(&e, x, 5));
    mrn_fit_setup_destroy(&setup);
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* Any numbers to any responses, and sets without an answer. */
static void test_any(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    mrn_fit_setup *setup;
    mrn_predictor model;
    mrn_factor f;
    const mrn_rebound_field *field[] = {mrn_rebound_field_find("contact_time"),
                                        mrn_rebound_field_find("en")};
    double x[] = {7000, -1, 8000}, y[3 * 6];
    bool bad[3];
    read_text("", &e);
    assert_int_equal(mrn_factor_find(&e.candidate[0].collision, "density", &f, &msg), MRN_OK);
    assert_int_equal(mrn_fit_setup_create_rows(&e, 0, &f, 1, field, 2, &setup, &model, &msg),
                     MRN_OK);
    assert_int_equal(model.n, 1);
    assert_int_equal(model.m, 6);
    assert_int_equal(mrn_fit_setup_data_of(setup).n, 0);
    assert_int_equal(model.predict(model.user, 3, x, y, bad, &msg), MRN_OK);
    assert_false(bad[0]);
    assert_true(bad[1]); /* no density is negative */
    assert_false(bad[2]);
    mrn_collision c = row_of(&e, 0, 1);
    c.density[0] = 8000;
    mrn_rebound r;
    assert_int_equal(mrn_collide(&c, 1, e.fit_accuracy, &r, NULL, &msg), MRN_OK);
    assert_true(y[2 * 6 + 2] == r.contact_time && y[2 * 6 + 3] == r.en);
    mrn_fit_setup_destroy(&setup);
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* 95 % of a normal variable lie within 1.96 deviations; of Student's with 3 degrees of freedom
   within 3.182446. */
static void test_deviation(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    read_text("", &e);
    mrn_rebound r[3] = {{.en = 0.98, .et = 0.71, .rebound_angle = 0.1},
                        {.en = 0.92, .et = 9, .rebound_angle = 0.2},
                        {.en = 9, .et = 0.77}};
    double mean[3], largest[3], half = 3.182446305284263 * 0.02 / 2;
    assert_int_equal(mrn_experiment_deviation(&e, r, mean, largest, &msg), MRN_OK);
    assert_true(fabs(mean[0] - 0.5 * (0.01 + 0.04) / 0.02) < 1e-9);
    assert_true(fabs(largest[0] - 2) < 1e-9);
    assert_true(fabs(mean[1] - 0.5 * (0.01 + 0.03) / half) < 1e-9);
    assert_true(fabs(largest[1] - 0.03 / half) < 1e-9);
    assert_true(isnan(mean[2]) && isnan(largest[2]));
    mrn_experiment_destroy(&e);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_no_memory(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    read_text("", &e);
    size_t had = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    for (int64_t k = 1; s == MRN_ERR_MEMORY; k++) {
        mrn_fit_setup *setup;
        mrn_predictor model;
        mrn_alloc_fail_at(k);
        s = mrn_fit_setup_create(&e, 1, &setup, &model, &msg);
        mrn_alloc_fail_at(0);
        if (s == MRN_OK)
            mrn_fit_setup_destroy(&setup);
        assert_null(setup);
        assert_int_equal(mrn_bytes_in_use(), had);
    }
    assert_int_equal(s, MRN_OK);
    s = MRN_ERR_MEMORY;
    for (int64_t k = 1; s == MRN_ERR_MEMORY; k++) {
        mrn_rebound all[3];
        mrn_alloc_fail_at(k);
        s = mrn_experiment_collide(&e, 0, all, &msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), had);
    }
    assert_int_equal(s, MRN_OK);
    mrn_experiment_destroy(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_model),
        cmocka_unit_test(test_responses), cmocka_unit_test(test_any),
        cmocka_unit_test(test_deviation), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
