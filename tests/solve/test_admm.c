/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternating directions: answers on paper, options, limits, threads, memory. */
/* ctest-labels: threads */
#include "solve/first_order_tests.h"
#include <dlfcn.h>
#include <suitesparse/SuiteSparse_config.h>

/* Options change the way, not the answer. */
static void options(void **state)
{
    const char *const set[][2] = {{"memory", "0"},
                                  {"penalty-rule", "fixed"},
                                  {"penalty-rule", "balance"},
                                  {"penalty", "3"},
                                  {"relaxation", "1"}};
    fo_check_options(*state, set, sizeof set / sizeof *set);
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
        FO_TESTS("admm"),
        FO_TEST(options, "admm"),
        cmocka_unit_test(agreement),
        cmocka_unit_test(one_factorisation),
        cmocka_unit_test(factorisation_runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
