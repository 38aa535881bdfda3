/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projected conjugate gradient: answers on paper, options, limits, threads, memory. */
#include "solve/first_order_cases.h"

static void sphere_on_a_plane(void **state)
{
    (void)state;
    fo_check_sphere("cpg");
}

static void every_kind(void **state)
{
    (void)state;
    fo_check_kinds("cpg");
}

static void random_with_known_answer(void **state)
{
    (void)state;
    fo_check_random("cpg");
}

static void asymmetric(void **state)
{
    (void)state;
    fo_check_asymmetric("cpg");
}

static void hyperstatic(void **state)
{
    (void)state;
    fo_check_hyperstatic("cpg");
}

static void bilateral(void **state)
{
    (void)state;
    fo_check_bilateral("cpg");
}

static void limit_reached(void **state)
{
    (void)state;
    fo_check_limit("cpg");
    fo_check_unsolvable("cpg");
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    fo_check_threads("cpg");
}

static void memory_runs_out(void **state)
{
    (void)state;
    fo_check_memory("cpg");
}

static mrn_status solve_with(fo_case *c, const char *name, const char *text)
{
    const mrn_solver *s = mrn_solver_find("cpg");
    mrn_value option[MRN_PARAM_MAX];
    mrn_solve_control control = mrn_solve_control_default();
    mrn_measures measures;
    control.tolerance = 1e-10;
    mrn_solver_defaults(s, option);
    assert_int_equal(mrn_solver_set(s, option, name, text, NULL), MRN_OK);
    mrn_status st = mrn_solve(&c->p, s, option, &control, c->r, NULL, &c->result, NULL);
    assert_int_equal(mrn_measure_answer(&c->p, c->r, c->u, &measures, NULL), MRN_OK);
    return st;
}

/* Options change the way, not the answer. */
static void options(void **state)
{
    (void)state;
    const char *const set[][2] = {{"inner-accuracy", "0.1"}, {"inner-accuracy", "1"}};
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        fo_case c;
        fo_random(&c, 9, 11, 0);
        assert_int_equal(solve_with(&c, set[k][0], set[k][1]), MRN_OK);
        fo_near(c.u, c.want, 27, 1e-7);
        fo_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_on_a_plane),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(random_with_known_answer),
        cmocka_unit_test(asymmetric),
        cmocka_unit_test(hyperstatic),
        cmocka_unit_test(bilateral),
        cmocka_unit_test(limit_reached),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
