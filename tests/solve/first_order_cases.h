/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small problems with answers known on paper, and what every solver must do with them: shared by
   the tests of the methods that use products, projections and one factorisation. */
#ifndef FIRST_ORDER_CASES_H
#define FIRST_ORDER_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/solve.h"

typedef struct fo_case {
    mrn_problem p;
    double *r;    /* guess and answer */
    double *u;    /* velocities of the answer */
    double *want; /* velocities on paper */
    mrn_solve_result result;
} fo_case;

static inline void fo_make(fo_case *c, mrn_contact_kind kind, int n)
{
    memset(c, 0, sizeof *c);
    assert_int_equal(mrn_problem_create(kind, n, &c->p, NULL), MRN_OK);
    size_t size = (size_t)n * MRN_CONTACT_BLOCK_MAX;
    c->r = calloc(size, sizeof *c->r);
    c->u = calloc(size, sizeof *c->u);
    c->want = calloc(size, sizeof *c->want);
    assert_true(c->r != NULL && c->u != NULL && c->want != NULL);
}

static inline void fo_release(fo_case *c)
{
    mrn_problem_release(&c->p);
    free(c->r);
    free(c->u);
    free(c->want);
}

/* W from a dense matrix, row after row; zeros are not stored, but for diagonal blocks. */
static inline void fo_set_W(fo_case *c, const double *dense)
{
    int b = mrn_contact_layout_of(c->p.kind)->block, m = c->p.n * b, count = 0;
    int32_t *row = malloc(sizeof *row * (size_t)m * (size_t)m);
    int32_t *col = malloc(sizeof *col * (size_t)m * (size_t)m);
    double *value = malloc(sizeof *value * (size_t)m * (size_t)m);
    assert_true(row != NULL && col != NULL && value != NULL);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            if (dense[i * m + j] != 0) {
                row[count] = i, col[count] = j;
                value[count++] = dense[i * m + j];
            }
    assert_int_equal(
        mrn_bsr_from_entries(c->p.n, c->p.n, b, b, count, row, col, value, &c->p.W, NULL), MRN_OK);
    free(row);
    free(col);
    free(value);
}

static inline mrn_status fo_solve(fo_case *c, const char *solver, double tolerance, int64_t limit)
{
    const mrn_solver *s = mrn_solver_find(solver);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_measures measures;
    assert_non_null(s);
    control.tolerance = tolerance;
    control.max_iterations = limit;
    mrn_status st = mrn_solve(&c->p, s, NULL, &control, c->r, NULL, &c->result, NULL);
    if (st >= 0)
        assert_int_equal(mrn_measure_answer(&c->p, c->r, c->u, &measures, NULL), MRN_OK);
    return st;
}

static inline void fo_near(const double *x, const double *y, int n, double tolerance)
{
    for (int k = 0; k < n; k++)
        assert_true(fabs(x[k] - y[k]) <= tolerance);
}

/* ---- one sphere on a plane: mass 2, so W = diag(1, 3.5, 3.5) / 2 at its contact ---- */

static inline void fo_sphere(const char *solver, double qn, double qt, double qs, const double *r)
{
    const double W[9] = {0.5, 0, 0, 0, 1.75, 0, 0, 0, 1.75};
    fo_case c;
    fo_make(&c, MRN_CONTACT_3D, 1);
    fo_set_W(&c, W);
    c.p.mu[0][0] = 0.3;
    c.p.q[0] = qn, c.p.q[1] = qt, c.p.q[2] = qs;
    assert_int_equal(fo_solve(&c, solver, 1e-12, 0), MRN_OK);
    /* the residual bounds the error of r by about max(1/W) |q| times the tolerance */
    fo_near(c.r, r, 3, 1e-10);
    fo_release(&c);
}

static inline void fo_check_sphere(const char *solver)
{
    const double open[3] = {0, 0, 0}, stick[3] = {2, -0.1 / 1.75, 0.2 / 1.75};
    const double slide[3] = {2, -0.6 * 0.6, -0.6 * 0.8};
    fo_sphere(solver, 1, 0.5, 0, open);
    fo_sphere(solver, -1, 0.1, -0.2, stick);
    fo_sphere(solver, -1, 3, 4, slide);
}

/* ---- every kind: W = 1, so that components do not meet: stick, and slide in the last group ----
 */

static inline void fo_check_kinds(const char *solver)
{
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
        int b = lay->block, last = lay->groups - 1;
        double W[4 * MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX] = {0}, want[12] = {0};
        fo_case c;
        fo_make(&c, (mrn_contact_kind)kind, 2);
        for (int k = 0; k < 2 * b; k++)
            W[k * 2 * b + k] = 1;
        fo_set_W(&c, W);
        for (int k = 0; k < 2 * lay->groups; k++)
            c.p.mu[k / 2][k % 2] = 0.2;
        c.p.q[0] = c.p.q[b] = -1;
        want[0] = want[b] = 1;
        for (int k = 1; k < b; k++)
            want[k] = -(c.p.q[k] = 0.02);
        c.p.q[b + lay->first[last]] = 5;
        want[b + lay->first[last]] = -0.2;
        assert_int_equal(fo_solve(&c, solver, 1e-11, 0), MRN_OK);
        fo_near(c.r, want, 2 * b, 1e-9);
        fo_release(&c);
    }
}

/* ---- random, built backwards from the answer ---- */

/* W = A Aᵀ / m + 1: eigenvalues from 1 on, so velocities are unique for the small mu used and
   depend on the residual with a condition number of a few. Contacts are open, sticking and sliding
   in turn. */
static inline void fo_random(fo_case *c, int n, uint64_t seed, double skew)
{
    int m = 3 * n;
    mrn_rng rng = mrn_rng_seed(seed, 0);
    double *A = malloc(sizeof *A * (size_t)m * (size_t)m);
    double *W = calloc((size_t)m * (size_t)m, sizeof *W);
    assert_true(A != NULL && W != NULL);
    fo_make(c, MRN_CONTACT_3D, n);
    for (int k = 0; k < m * m; k++)
        A[k] = mrn_rng_normal(&rng);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++)
                W[i * m + j] += A[i * m + k] * A[j * m + k] / m;
            W[i * m + j] += (i == j) + (i < j ? skew : i > j ? -skew : 0);
        }
    fo_set_W(c, W);
    double *r = calloc((size_t)m, sizeof *r);
    assert_non_null(r);
    for (int i = 0; i < n; i++) {
        double a = mrn_rng_uniform(&rng), size = 0.5 + mrn_rng_uniform(&rng), mu = 0.2;
        double t = cos(6 * a), s = sin(6 * a), *u = c->want + 3 * i, *x = r + 3 * i;
        c->p.mu[0][i] = mu;
        if (i % 3 == 0) {
            u[0] = size, u[1] = t, u[2] = s;
        } else {
            x[0] = size;
            x[1] = mu * size * t * (i % 3 == 1 ? a : 1);
            x[2] = mu * size * s * (i % 3 == 1 ? a : 1);
            if (i % 3 == 2)
                u[1] = -size * t, u[2] = -size * s;
        }
    }
    for (int i = 0; i < m; i++) {
        c->p.q[i] = c->want[i];
        for (int j = 0; j < m; j++)
            c->p.q[i] -= W[i * m + j] * r[j];
    }
    free(r);
    free(A);
    free(W);
}

static inline void fo_check_random(const char *solver)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        fo_case c;
        fo_random(&c, 12, seed, 0);
        assert_int_equal(fo_solve(&c, solver, 1e-11, 0), MRN_OK);
        fo_near(c.u, c.want, 36, 1e-8); /* |q| is about 10, the condition number below 10 */
        fo_release(&c);
    }
}

/* An asymmetric W (by 2e-3) has its own answer, met as exactly. */
static inline void fo_check_asymmetric(const char *solver)
{
    fo_case c;
    fo_random(&c, 12, 3, 1e-3);
    assert_int_equal(fo_solve(&c, solver, 1e-11, 0), MRN_OK);
    fo_near(c.u, c.want, 36, 1e-8);
    fo_release(&c);
}

/* ---- hyperstatic: a plane box of mass 1 on four points of the floor ---- */

/* Eight impulses, three degrees of freedom. It falls with 1 and slides with 2: afterwards it slides
   with 2 - mu everywhere, whatever the shares of the points. Only H and M are given. */
static inline void fo_check_hyperstatic(const char *solver)
{
    enum { N = 4 };
    double mu = 0.4;
    fo_case c;
    int32_t row[N * 6], col[N * 6];
    double value[N * 6];
    int k = 0;
    fo_make(&c, MRN_CONTACT_2D, N);
    for (int i = 0; i < N; i++) {
        double x = -3 + 2 * i, y = -0.5; /* lever arms; u_N = v_y + x w, u_T = v_x - y w */
        const double h[6] = {0, 1, x, 1, 0, -y};
        for (int e = 0; e < 6; e++) {
            row[k] = 2 * i + e / 3, col[k] = e % 3;
            value[k++] = h[e];
        }
        c.p.mu[0][i] = mu;
        c.p.q[2 * i] = -1, c.p.q[2 * i + 1] = 2;
        c.want[2 * i + 1] = 2 - mu;
    }
    assert_int_equal(mrn_bsr_from_entries(N, 1, 2, 3, k, row, col, value, &c.p.Ht, NULL), MRN_OK);
    c.p.minv = mrn_alloc(9 * sizeof *c.p.minv);
    assert_non_null(c.p.minv);
    c.p.minv[0] = c.p.minv[4] = 1, c.p.minv[8] = 0.3;
    assert_int_equal(fo_solve(&c, solver, 1e-10, 0), MRN_OK);
    fo_near(c.u, c.want, 2 * N, 1e-7);
    double total = 0;
    for (int i = 0; i < N; i++)
        total += c.r[2 * i];
    assert_true(fabs(total - 1) <= 1e-7); /* the shares may differ, the weight may not */
    fo_release(&c);
}

/* ---- bilateral: contact 0 glued, contact 1 rests; W couples their normals ---- */

static inline void fo_check_bilateral(const char *solver)
{
    const double W[16] = {2, 0, 0.5, 0, 0, 2, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1};
    fo_case c;
    fo_make(&c, MRN_CONTACT_2D, 2);
    fo_set_W(&c, W);
    c.p.law = mrn_alloc(2 * sizeof *c.p.law);
    assert_non_null(c.p.law);
    c.p.law[0] = MRN_BILATERAL;
    c.p.mu[0][0] = c.p.mu[0][1] = 0.5;
    c.p.q[0] = 1, c.p.q[1] = -3, c.p.q[2] = -1, c.p.q[3] = 0.1;
    assert_int_equal(fo_solve(&c, solver, 1e-11, 0), MRN_OK);
    /* normals: 2 r0 + r1/2 = -1 and r0/2 + r1 = 1; the glue pulls, and its tangent knows no cone */
    const double want[4] = {-1.5 / 1.75, 1.5, 2.5 / 1.75, -0.1};
    fo_near(c.r, want, 4, 1e-9);
    fo_release(&c);
}

/* ---- the limit: the best iterate is kept and no claim is made ---- */

static inline void fo_check_limit(const char *solver)
{
    fo_case c;
    mrn_measures zero, best;
    fo_random(&c, 12, 5, 0);
    assert_int_equal(mrn_measure_answer(&c.p, c.r, NULL, &zero, NULL), MRN_OK);
    assert_int_equal(fo_solve(&c, solver, 1e-12, 3), MRN_NOT_CONVERGED);
    assert_false(c.result.converged);
    assert_int_equal(c.result.iterations, 3);
    assert_int_equal(mrn_measure_answer(&c.p, c.r, NULL, &best, NULL), MRN_OK);
    assert_true(best.natural < zero.natural);
    fo_release(&c);
}

/* A problem without solution, a glued contact that cannot stop, is never called solved and ends. */
static inline void fo_check_unsolvable(const char *solver)
{
    const double W[16] = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1};
    fo_case c;
    fo_make(&c, MRN_CONTACT_2D, 2);
    fo_set_W(&c, W);
    c.p.law = mrn_alloc(2 * sizeof *c.p.law);
    assert_non_null(c.p.law);
    c.p.law[0] = c.p.law[1] = MRN_BILATERAL;
    c.p.q[0] = 1, c.p.q[2] = -1; /* W r is the same at both */
    assert_int_equal(fo_solve(&c, solver, 1e-6, 300), MRN_NOT_CONVERGED);
    for (int k = 0; k < 4; k++)
        assert_true(isfinite(c.r[k]));
    assert_true(c.result.measures.natural > 0.5);
    fo_release(&c);
}

/* ---- threads: enough contacts that loops run in parallel ---- */

static inline void fo_chain(fo_case *c, int n)
{
    int count = 0;
    int32_t *row = malloc(sizeof *row * (size_t)n * 15),
            *col = malloc(sizeof *col * (size_t)n * 15);
    double *value = malloc(sizeof *value * (size_t)n * 15);
    assert_true(row != NULL && col != NULL && value != NULL);
    mrn_rng rng = mrn_rng_seed(7, 0);
    fo_make(c, MRN_CONTACT_3D, n);
    for (int i = 0; i < n; i++) {
        c->p.mu[0][i] = 0.3;
        for (int a = 0; a < 3; a++) {
            row[count] = col[count] = 3 * i + a, value[count++] = 2;
            c->p.q[3 * i + a] = mrn_rng_normal(&rng);
            for (int j = i - 1; j <= i + 1; j += 2)
                if (j >= 0 && j < n)
                    row[count] = 3 * i + a, col[count] = 3 * j + a, value[count++] = -0.9;
        }
    }
    assert_int_equal(mrn_bsr_from_entries(n, n, 3, 3, count, row, col, value, &c->p.W, NULL),
                     MRN_OK);
    free(row);
    free(col);
    free(value);
}

static inline void fo_check_threads(const char *solver)
{
    uint64_t hash[3];
    int threads[3] = {1, 2, 4}, before = mrn_threads();
    for (int k = 0; k < 3; k++) {
        fo_case c;
        fo_chain(&c, 2600);
        mrn_threads_set(threads[k]);
        assert_true(fo_solve(&c, solver, 1e-9, 40) >= 0);
        hash[k] = mrn_hash(MRN_HASH_START, c.r, 3 * 2600 * sizeof *c.r);
        fo_release(&c);
    }
    mrn_threads_set(before);
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/* ---- every allocation fails once ---- */

static inline void fo_check_memory(const char *solver)
{
    mrn_status st = MRN_ERR_MEMORY;
    int64_t k = 0;
    while (st == MRN_ERR_MEMORY) {
        fo_case c;
        double guess[15];
        fo_random(&c, 5, 2, 0);
        for (int i = 0; i < 15; i++)
            c.r[i] = guess[i] = 0.1 * i;
        size_t before = mrn_bytes_in_use();
        mrn_alloc_fail_at(++k);
        st = mrn_solve(&c.p, mrn_solver_find(solver), NULL, NULL, c.r, NULL, &c.result, NULL);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
        for (int i = 0; st == MRN_ERR_MEMORY && i < 15; i++)
            assert_true(c.r[i] == guess[i]);
        fo_release(&c);
        assert_true(k < 1000);
    }
    assert_int_equal(st, MRN_OK);
    assert_true(k > 1);
}

#endif
