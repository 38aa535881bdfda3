/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternating directions: answers on paper, options, limits, threads, memory. */
#include "solve/first_order_cases.h"
#include <dlfcn.h>
#include <suitesparse/SuiteSparse_config.h>

static void sphere_on_a_plane(void **state)
{
    (void)state;
    fo_check_sphere("admm");
}

static void every_kind(void **state)
{
    (void)state;
    fo_check_kinds("admm");
}

static void random_with_known_answer(void **state)
{
    (void)state;
    fo_check_random("admm");
}

static void asymmetric(void **state)
{
    (void)state;
    fo_check_asymmetric("admm");
}

static void hyperstatic(void **state)
{
    (void)state;
    fo_check_hyperstatic("admm");
}

static void bilateral(void **state)
{
    (void)state;
    fo_check_bilateral("admm");
}

static void limit_reached(void **state)
{
    (void)state;
    fo_check_limit("admm");
    fo_check_unsolvable("admm");
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    fo_check_threads("admm");
}

static void memory_runs_out(void **state)
{
    (void)state;
    fo_check_memory("admm");
}

static mrn_status solve_with(fo_case *c, const char *name, const char *text)
{
    const mrn_solver *s = mrn_solver_find("admm");
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
    const char *const set[][2] = {{"memory", "0"},
                                  {"penalty-rule", "fixed"},
                                  {"penalty-rule", "balance"},
                                  {"penalty", "3"},
                                  {"relaxation", "1"}};
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        fo_case c;
        fo_random(&c, 9, 11, 0);
        assert_int_equal(solve_with(&c, set[k][0], set[k][1]), MRN_OK);
        fo_near(c.u, c.want, 27, 1e-7);
        fo_release(&c);
    }
}

/* CHOLMOD allocates through functions that its configuration names; where that can be reached, each
   of its allocations fails once. */
static struct {
    int64_t left;
} fail;

static void *maybe(void *p)
{
    if (fail.left > 0 && --fail.left == 0) {
        free(p);
        return NULL;
    }
    return p;
}

static void *failing_malloc(size_t n)
{
    return maybe(malloc(n));
}

static void *failing_calloc(size_t n, size_t size)
{
    return maybe(calloc(n, size));
}

static void *failing_realloc(void *p, size_t n)
{
    if (fail.left == 1) {
        fail.left = 0;
        return NULL;
    }
    fail.left -= fail.left > 0;
    return realloc(p, n);
}

static void factorisation_runs_out_of_memory(void **state)
{
    (void)state;
    struct SuiteSparse_config_struct *config = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
    if (config == NULL)
        skip();
    struct SuiteSparse_config_struct before = *config;
    config->malloc_func = failing_malloc;
    config->calloc_func = failing_calloc;
    config->realloc_func = failing_realloc;
    mrn_status st = MRN_ERR_MEMORY;
    int64_t k = 0;
    while (st == MRN_ERR_MEMORY && k < 1000) {
        fo_case c;
        fo_random(&c, 5, 2, 0);
        size_t bytes = mrn_bytes_in_use();
        fail.left = ++k;
        st = mrn_solve(&c.p, mrn_solver_find("admm"), NULL, NULL, c.r, NULL, &c.result, NULL);
        fail.left = 0;
        assert_int_equal(mrn_bytes_in_use(), bytes);
        fo_release(&c);
    }
    *config = before;
    assert_int_equal(st, MRN_OK);
    assert_true(k > 5);
}

/* The three methods of first order agree in velocities. */
static void agreement(void **state)
{
    (void)state;
    const char *const solver[] = {"apgd", "cpg", "admm"};
    double u[3][60];
    for (int k = 0; k < 3; k++) {
        fo_case c;
        fo_random(&c, 20, 31, 0);
        assert_int_equal(fo_solve(&c, solver[k], 1e-10, 0), MRN_OK);
        memcpy(u[k], c.u, sizeof u[k]);
        fo_release(&c);
    }
    fo_near(u[0], u[1], 60, 1e-7);
    fo_near(u[0], u[2], 60, 1e-7);
}

/* A factorisation is used for all iterations, and counted. */
static void one_factorisation(void **state)
{
    (void)state;
    fo_case c;
    fo_random(&c, 12, 4, 0);
    assert_int_equal(fo_solve(&c, "admm", 1e-10, 0), MRN_OK);
    assert_int_equal(c.result.factorisations, 1);
    fo_release(&c);
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
        cmocka_unit_test(agreement),
        cmocka_unit_test(one_factorisation),
        cmocka_unit_test(factorisation_runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
