/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every solver of first order is put through, as cmocka's tests: FO_TESTS("name") stands in
   the list of a test program; the name is the state that each test begins with. */
#ifndef MRN_TESTS_FIRST_ORDER_TESTS_H
#define MRN_TESTS_FIRST_ORDER_TESTS_H

#include "solve/first_order_cases.h"

static void sphere_on_a_plane(void **state)
{
    fo_check_sphere(*state);
}

static void every_kind(void **state)
{
    fo_check_kinds(*state);
}

static void random_with_known_answer(void **state)
{
    fo_check_random(*state);
}

static void asymmetric(void **state)
{
    fo_check_asymmetric(*state);
}

static void hyperstatic(void **state)
{
    fo_check_hyperstatic(*state);
}

static void bilateral(void **state)
{
    fo_check_bilateral(*state);
}

static void limit_reached(void **state)
{
    fo_check_limit(*state);
    fo_check_unsolvable(*state);
}

static void same_bits_for_any_threads(void **state)
{
    fo_check_threads(*state);
}

static void memory_runs_out(void **state)
{
    fo_check_memory(*state);
}

#define FO_TEST(test, solver) cmocka_unit_test_prestate(test, (void *)(solver))
#define FO_TESTS(solver)                                                                           \
    FO_TEST(sphere_on_a_plane, solver), FO_TEST(every_kind, solver),                               \
        FO_TEST(random_with_known_answer, solver), FO_TEST(asymmetric, solver),                    \
        FO_TEST(hyperstatic, solver), FO_TEST(bilateral, solver), FO_TEST(limit_reached, solver),  \
        FO_TEST(same_bits_for_any_threads, solver), FO_TEST(memory_runs_out, solver)

/* Options, pairs of name and text, change the way, not the answer. */
static inline void fo_check_options(const char *solver, const char *const set[][2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const mrn_solver *s = mrn_solver_find(solver);
        mrn_value option[MRN_PARAM_MAX];
        mrn_solve_control control = mrn_solve_control_default();
        mrn_measures measures;
        fo_case c;
        fo_random(&c, 9, 11, 0);
        control.tolerance = 1e-10;
        mrn_solver_defaults(s, option);
        assert_int_equal(mrn_solver_set(s, option, set[k][0], set[k][1], NULL), MRN_OK);
        assert_int_equal(mrn_solve(&c.p, s, option, &control, c.r, NULL, &c.result, NULL), MRN_OK);
        assert_int_equal(mrn_measure_answer(&c.p, c.r, c.u, &measures, NULL), MRN_OK);
        fo_near(c.u, c.want, 27, 1e-7);
        fo_release(&c);
    }
}

#endif
