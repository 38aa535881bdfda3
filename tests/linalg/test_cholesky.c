/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sparse factorisation: solves, new values on the same pattern, refusals, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/cholesky.h"

/* A chain: `middle` on the diagonal, -1 beside it, and one far entry -0.5 between the ends. Rows of
   column 0 are out of order on purpose. */
enum { N = 50, ENTRIES = 2 * N };
typedef struct chain {
    int32_t start[N + 1], row[ENTRIES];
    double value[ENTRIES];
} chain;

static void make_chain(chain *c, double middle)
{
    int k = 0;
    for (int j = 0; j < N; j++) {
        c->start[j] = k;
        c->row[k] = j, c->value[k++] = middle;
        if (j == 0)
            c->row[k] = N - 1, c->value[k++] = -0.5;
        if (j + 1 < N)
            c->row[k] = j + 1, c->value[k++] = -1;
    }
    c->start[N] = k;
}

static double worst_error(const chain *c, const double *x, const double *b)
{
    double y[N] = {0}, worst = 0;
    for (int j = 0; j < N; j++)
        for (int32_t k = c->start[j]; k < c->start[j + 1]; k++) {
            int i = c->row[k];
            y[i] += c->value[k] * x[j];
            if (i != j)
                y[j] += c->value[k] * x[i];
        }
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(y[i] - b[i]));
    return worst;
}

static void solves_and_takes_new_values(void **state)
{
    (void)state;
    chain c;
    mrn_cholesky f;
    double b[N], x[N];
    make_chain(&c, 3);
    for (int i = 0; i < N; i++)
        b[i] = sin(i);
    assert_int_equal(mrn_cholesky_make(N, c.start, c.row, &f, NULL), MRN_OK);
    for (double middle = 3; middle < 30; middle *= 3) {
        make_chain(&c, middle);
        assert_int_equal(mrn_cholesky_factor(&f, c.value, NULL), MRN_OK);
        assert_true(mrn_cholesky_solve(&f, b, x));
        assert_true(worst_error(&c, x, b) < 1e-13); /* condition number below 10 */
    }
    assert_true(f.fill >= ENTRIES);
    memcpy(x, b, sizeof x);
    assert_true(mrn_cholesky_solve(&f, x, x)); /* in place */
    assert_true(worst_error(&c, x, b) < 1e-13);
    mrn_cholesky_release(&f);
}

static void indefinite_is_refused(void **state)
{
    (void)state;
    const double middles[] = {-3, 0, 0.5};
    for (int k = 0; k < 3; k++) {
        chain c;
        mrn_cholesky f;
        mrn_message msg = {0};
        make_chain(&c, middles[k]);
        assert_int_equal(mrn_cholesky_make(N, c.start, c.row, &f, NULL), MRN_OK);
        assert_int_equal(mrn_cholesky_factor(&f, c.value, &msg), MRN_ERR_RANGE);
        assert_non_null(strstr(msg.text, "positive definite"));
        make_chain(&c, 3); /* and is usable afterwards */
        assert_int_equal(mrn_cholesky_factor(&f, c.value, &msg), MRN_OK);
        mrn_cholesky_release(&f);
    }
}

static void release_takes_anything(void **state)
{
    (void)state;
    mrn_cholesky f = {0};
    chain c;
    mrn_cholesky_release(&f);
    make_chain(&c, 3);
    size_t before = mrn_bytes_in_use();
    mrn_alloc_fail_at(1);
    assert_int_equal(mrn_cholesky_make(N, c.start, c.row, &f, NULL), MRN_ERR_MEMORY);
    mrn_alloc_fail_at(0);
    mrn_cholesky_release(&f);
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_and_takes_new_values),
        cmocka_unit_test(indefinite_is_refused),
        cmocka_unit_test(release_takes_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
