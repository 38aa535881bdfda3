/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GMRES: answers, restarts, preconditioner, limits, singular matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/krylov.h"

enum { N = 60 };
typedef struct matrix {
    double a[N][N];
    int products;
} matrix;

/* Not symmetric, diagonal from 1 to 100, the rest of a row below a third of it in sum: the
   condition number is below 300. */
static void make_matrix(matrix *m)
{
    mrn_rng rng = mrn_rng_seed(5, 0);
    m->products = 0;
    for (int i = 0; i < N; i++) {
        double d = 1 + 99.0 * i / (N - 1);
        for (int j = 0; j < N; j++)
            m->a[i][j] = i == j ? d : 0.3 * d / N * (2 * mrn_rng_uniform(&rng) - 1);
    }
}

static void times(void *user, const double *x, double *y)
{
    matrix *m = user;
    m->products++;
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++)
            y[i] += m->a[i][j] * x[j];
    }
}

static void divide(void *user, const double *x, double *y)
{
    matrix *m = user;
    for (int i = 0; i < N; i++)
        y[i] = x[i] / m->a[i][i];
}

static double *make(mrn_gmres *g, int restart)
{
    size_t room = (size_t)mrn_gmres_room(N, restart);
    double *numbers = malloc(room * sizeof *numbers);
    assert_non_null(numbers);
    memset(numbers, 0xff, room * sizeof *numbers); /* not a number, wherever it reads too early */
    mrn_gmres_make(N, restart, numbers, g);
    return numbers;
}

static double norm(const double *x)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void known_answer(void **state)
{
    (void)state;
    const int restarts[] = {N, 20, 5};
    matrix m;
    mrn_gmres g;
    double want[N], b[N], x[N];
    make_matrix(&m);
    for (int i = 0; i < N; i++)
        want[i] = sin(i + 1.0);
    times(&m, want, b);
    for (int k = 0; k < 6; k++) {
        double *room = make(&g, restarts[k % 3]);
        m.products = 0;
        assert_true(mrn_gmres_solve(&g, times, k < 3 ? divide : NULL, &m, 1e-12, 2000, b, x));
        assert_true(g.iterations <= m.products); /* restarts cost a product each */
        /* |x - want| <= condition |b - A x| / |A|, and |b| is about |A| |want| */
        for (int i = 0; i < N; i++)
            x[i] -= want[i];
        assert_true(norm(x) <= 300 * 1e-12 * norm(want));
        assert_true(g.residual <= 1e-12);
        free(room);
    }
}

/* The diagonal is nearly the matrix: with it few products do, without it many more. */
static void preconditioner_pays(void **state)
{
    (void)state;
    matrix m;
    mrn_gmres g;
    double b[N], x[N], *room = make(&g, N);
    make_matrix(&m);
    for (int i = 0; i < N; i++)
        b[i] = 1;
    assert_true(mrn_gmres_solve(&g, times, divide, &m, 1e-10, 200, b, x));
    int with = g.iterations;
    assert_true(mrn_gmres_solve(&g, times, NULL, &m, 1e-10, 200, b, x));
    assert_true(2 * with < g.iterations);
    free(room);
}

static void nothing_to_do_and_not_enough(void **state)
{
    (void)state;
    matrix m;
    mrn_gmres g;
    double b[N] = {0}, x[N], *room = make(&g, 10);
    make_matrix(&m);
    x[3] = 7; /* what was in x does not matter */
    assert_true(mrn_gmres_solve(&g, times, NULL, &m, 1e-10, 200, b, x));
    assert_true(norm(x) == 0 && g.iterations == 0);
    for (int i = 0; i < N; i++)
        b[i] = cos(i);
    assert_false(mrn_gmres_solve(&g, times, NULL, &m, 1e-10, 4, b, x));
    assert_int_equal(g.iterations, 4);
    assert_true(g.residual < 1 && g.residual > 1e-10); /* better than nothing */
    free(room);
}

/* One row and column of zeros: solvable right-hand sides are solved, others end with what can be
   done. */
static void singular(void **state)
{
    (void)state;
    matrix m;
    mrn_gmres g;
    double b[N], x[N], *room = make(&g, 15);
    make_matrix(&m);
    for (int i = 0; i < N; i++)
        m.a[7][i] = m.a[i][7] = 0;
    for (int i = 0; i < N; i++)
        b[i] = i == 7 ? 0 : 1;
    assert_true(mrn_gmres_solve(&g, times, NULL, &m, 1e-10, 2000, b, x));
    b[7] = 1;
    assert_false(mrn_gmres_solve(&g, times, NULL, &m, 1e-10, 2000, b, x));
    assert_true(isfinite(norm(x)));
    /* the least residual is 1, of |b| = sqrt(60) = 7.7; a restart in between may miss some of it */
    assert_true(g.residual <= 1.5 / sqrt((double)N));
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answer),
        cmocka_unit_test(preconditioner_pays),
        cmocka_unit_test(nothing_to_do_and_not_enough),
        cmocka_unit_test(singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
