/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar of a run: instants are multiples, fall on the nearest step, none is met twice. */
#include "helper.h"
#include "run/parts.h"

static mrn_state at(int64_t step, double h)
{
    return (mrn_state){.step = step, .h = h, .time = (double)step * h};
}

/* Walking from instant to instant meets each multiple once, without drift over 20 000 of them. */
static void test_instants(void **unused)
{
    (void)unused;
    const double h = 3.1e-6, every = 1e-3;
    mrn_state s = at(0, h);
    assert_true(mrn_schedule_due(&s, every));
    for (int k = 1; k <= 20000; k++) {
        int64_t next = mrn_schedule_next(&s, every);
        assert_int_equal(next, llround(k * every / h));
        s = at(next - 1, h);
        assert_false(mrn_schedule_due(&s, every));
        s = at(next, h);
        assert_true(mrn_schedule_due(&s, every));
    }
    assert_int_equal(mrn_schedule_next(&s, 0), INT64_MAX);
    assert_false(mrn_schedule_due(&s, 0));
    assert_int_equal(mrn_schedule_next(&s, h / 1e9), s.step + 1); /* each step is the most there can
                                                                     be */
}

/* A stage that begins between two instants goes on with the multiples of the whole run. */
static void test_instants_of_a_later_stage(void **unused)
{
    (void)unused;
    mrn_state s = {.step = 1000,
                   .stage_step = 1000,
                   .time = 0.0137,
                   .stage_time = 0.0137,
                   .h = 1e-5,
                   .base_step = 1000,
                   .base_time = 0.0137};
    int64_t next = mrn_schedule_next(&s, 0.01);
    assert_int_equal(next, 1000 + 630); /* 0.02 s */
    s.step = next;
    assert_true(mrn_schedule_due(&s, 0.01));
    assert_int_equal(mrn_schedule_next(&s, 0.01), 1000 + 1630);
}

static mrn_stage stage_until(const char *probe, double value, double at_most)
{
    mrn_stage g = mrn_stage_default();
    g.at_most = at_most;
    if (probe == NULL)
        return g;
    g.n_until = 1;
    g.until[0].above = true;
    g.until[0].value = value;
    snprintf(g.until[0].probe, sizeof g.until[0].probe, "%s", probe);
    return g;
}

static void test_ends(void **unused)
{
    (void)unused;
    mrn_state s = {.step = 100,
                   .stage_step = 100,
                   .stage_time = 0.5,
                   .time = 0.5,
                   .h = 1e-3,
                   .base_step = 100,
                   .base_time = 0.5};
    mrn_stage g = stage_until("time-in-stage", 0.0104, INFINITY);
    mrn_stage_end e = mrn_schedule_end(&g, &s);
    assert_int_equal(e.last, 110); /* within half a step */
    assert_true(e.exact);
    g = stage_until("time", 0.52, INFINITY);
    assert_int_equal(mrn_schedule_end(&g, &s).last, 120);
    g = stage_until("steps", 7, INFINITY);
    assert_int_equal(mrn_schedule_end(&g, &s).last, 107);
    g = stage_until("time", 0.1, INFINITY); /* past already: one step all the same */
    assert_int_equal(mrn_schedule_end(&g, &s).last, 101);
    g = stage_until("kinetic-energy", 1, INFINITY);
    assert_int_equal(mrn_schedule_end(&g, &s).last, INT64_MAX);
    g = stage_until("kinetic-energy", 1, 0.05);
    e = mrn_schedule_end(&g, &s);
    assert_int_equal(e.last, 150);
    assert_false(e.exact);
    g = stage_until(NULL, 0, 0.05);
    e = mrn_schedule_end(&g, &s);
    assert_int_equal(e.last, 150);
    assert_true(e.exact);
    g = stage_until("steps", 1000, 0.05); /* the limit comes first */
    e = mrn_schedule_end(&g, &s);
    assert_int_equal(e.last, 150);
    assert_false(e.exact);
}

static void test_checks(void **unused)
{
    (void)unused;
    mrn_state s = {.step = 1000, .stage_step = 1000, .h = 1};
    for (int i = 0; i < mrn_method_count(); i++) {
        mrn_scene scene = {.method = mrn_method_at(i)};
        int every = scene.method->check_every;
        s.step = 1000;
        assert_false(mrn_schedule_check_due(&scene, &s));
        assert_int_equal(mrn_schedule_next_check(&scene, &s), 1000 + every);
        s.step = 1000 + every;
        assert_true(mrn_schedule_check_due(&scene, &s));
        assert_int_equal(mrn_schedule_next_check(&scene, &s), 1000 + 2 * every);
        s.step = 1000 + scene.method->recheck_every;
        assert_true(mrn_schedule_recheck_due(&scene, &s));
        s.step += every;
        assert_false(mrn_schedule_recheck_due(&scene, &s));
    }
}

/* Conditions on energies and time are told without a look at contacts: one that does not hold
   forbids the end, one that holds leaves it to the others, and so does one on forces. */
static void test_forbidden(void **unused)
{
    (void)unused;
    mrn_scene scene = {.method = mrn_method_at(0)};
    mrn_state s = {.step = 50, .stage_step = 0, .h = 1e-3, .time = 0.05, .kinetic_peak = 4};
    mrn_energies e = {.kinetic = 1.5, .rotational = 0.5};
    mrn_stage g = stage_until("kinetic-energy-ratio", 0.4, INFINITY);
    assert_false(mrn_conditions_forbid(&scene, &g, &s, &e)); /* at least 0.4: it is 0.5 */
    g.until[0].above = false;
    assert_true(mrn_conditions_forbid(&scene, &g, &s, &e));
    s.kinetic_peak = 0; /* nothing has moved: only forces tell */
    assert_false(mrn_conditions_forbid(&scene, &g, &s, &e));
    g = stage_until("kinetic-energy", 1.6, INFINITY);
    assert_true(mrn_conditions_forbid(&scene, &g, &s, &e));
    g = stage_until("time-in-stage", 0.051, INFINITY);
    assert_true(mrn_conditions_forbid(&scene, &g, &s, &e));
    s.step = 51;
    assert_false(mrn_conditions_forbid(&scene, &g, &s, &e));
    g = stage_until("unbalanced-force-ratio", 1e9, INFINITY);
    assert_false(mrn_conditions_forbid(&scene, &g, &s, &e));
    g.n_until = 2, g.until[1] = stage_until("rotational-energy", 0.6, INFINITY).until[0];
    assert_true(mrn_conditions_forbid(&scene, &g, &s, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instants),  cmocka_unit_test(test_instants_of_a_later_stage),
        cmocka_unit_test(test_ends),      cmocka_unit_test(test_checks),
        cmocka_unit_test(test_forbidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
