/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the solver core share: problems of a family by words, dense matrices, random
   problems built backwards from their answer. */
#ifndef MRN_TESTS_SOLVE_PROBLEMS_H
#define MRN_TESTS_SOLVE_PROBLEMS_H

#include "world.h"

/* Options as "name=value name=value". */
static inline void set_options(const mrn_param *params, int n, mrn_value *option, const char *words)
{
    char text[256], *rest = NULL;
    mrn_message msg = {0};
    mrn_params_defaults(params, n, option);
    snprintf(text, sizeof text, "%s", words);
    for (char *w = strtok_r(text, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(w, '=');
        assert_non_null(value);
        *value++ = '\0';
        ok(mrn_params_set(params, n, option, "test", w, value, &msg), &msg);
    }
}

static inline mrn_problem family(const char *name, const char *words, uint64_t seed)
{
    const mrn_problem_family *f = mrn_problem_family_find(name);
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_problem p;
    assert_non_null(f);
    set_options(f->params, f->n_params, option, words);
    ok(f->make(option, seed, &p, &msg), &msg);
    return p;
}

/* The known answer of the same problem, mrn_alloc'ed; NULL when none is known. */
static inline double *family_answer(const char *name, const char *words, uint64_t seed,
                                    const mrn_problem *p)
{
    const mrn_problem_family *f = mrn_problem_family_find(name);
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    if (f->answer == NULL)
        return NULL;
    set_options(f->params, f->n_params, option, words);
    double *r = mrn_alloc((size_t)p->n * MRN_CONTACT_BLOCK_MAX * sizeof *r);
    mrn_status st = f->answer(option, seed, p, r, &msg);
    if (st == MRN_ERR_RANGE) {
        mrn_free(r);
        return NULL;
    }
    ok(st, &msg);
    return r;
}

static inline int block_of(const mrn_problem *p)
{
    return mrn_contact_layout_of(p->kind)->block;
}

static inline double *vector_of(const mrn_problem *p)
{
    double *x = mrn_alloc(((size_t)p->n * MRN_CONTACT_BLOCK_MAX + 8) * sizeof *x);
    assert_non_null(x);
    return x;
}

/* Dense m x m, row after row, from blocks. */
static inline double *dense_of(const mrn_bsr *a)
{
    int64_t cols = (int64_t)a->cols * a->bc;
    double *d = mrn_alloc((size_t)((int64_t)a->rows * a->br * cols + 1) * sizeof *d);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            for (int c = 0; c < a->bc; c++)
                for (int r = 0; r < a->br; r++)
                    d[(i * a->br + r) * cols + (int64_t)a->col[k] * a->bc + c] =
                        a->value[(k * a->bc + c) * a->br + r];
    return d;
}

/* Dense to blocks, whole: every block is stored when `full`, else those that hold a number. */
static inline mrn_bsr blocks_of(const double *d, int rows, int cols, int br, int bc, bool full)
{
    int64_t m = (int64_t)rows * br, n = (int64_t)cols * bc, count = 0;
    int32_t *row = mrn_alloc((size_t)(m * n + 1) * sizeof *row);
    int32_t *col = mrn_alloc((size_t)(m * n + 1) * sizeof *col);
    double *value = mrn_alloc((size_t)(m * n + 1) * sizeof *value);
    mrn_message msg = {0};
    mrn_bsr a;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            if (full || d[i * n + j] != 0) {
                row[count] = (int32_t)i, col[count] = (int32_t)j;
                value[count++] = d[i * n + j];
            }
    ok(mrn_bsr_from_entries(rows, cols, br, bc, count, row, col, value, &a, &msg), &msg);
    mrn_free(row), mrn_free(col), mrn_free(value);
    return a;
}

static inline double norm_of(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static inline double distance(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* A problem of any kind built backwards from its answer: W = A Aᵀ / m + 1 (eigenvalues from 1 to
   about 5, so that errors are of the size of residuals), plus a skew part. Contacts are open,
   sticking and sliding in turn; `r` and `u` (may be NULL) receive the answer. */
static inline mrn_problem backwards(mrn_contact_kind kind, int n, uint64_t seed, double skew,
                                    double *r, double *u)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(kind);
    int b = lay->block, m = n * b;
    mrn_rng rng = mrn_rng_seed(seed, 77);
    mrn_problem p;
    mrn_message msg = {0};
    ok(mrn_problem_create(kind, n, &p, &msg), &msg);
    double *A = mrn_alloc((size_t)m * (size_t)m * sizeof *A),
           *W = mrn_alloc((size_t)m * (size_t)m * sizeof *W);
    double *x = mrn_alloc((size_t)m * sizeof *x), *v = mrn_alloc((size_t)m * sizeof *v);
    for (int k = 0; k < m * m; k++)
        A[k] = mrn_rng_normal(&rng);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++)
                W[i * m + j] += A[i * m + k] * A[j * m + k] / m;
            W[i * m + j] += (i == j) + (i < j ? skew : i > j ? -skew : 0);
        }
    for (int i = 0; i < n; i++) {
        double size = 0.5 + mrn_rng_uniform(&rng), *ri = x + i * b, *ui = v + i * b;
        if (i % 3 == 0)
            ui[0] = size;
        else
            ri[0] = size;
        for (int g = 0; g < lay->groups; g++) {
            double t[2] = {1, 0}, part = mrn_rng_uniform(&rng), slip = 0.5 + mrn_rng_uniform(&rng);
            double angle = 6.28 * mrn_rng_uniform(&rng);
            if (lay->width[g] == 2)
                t[0] = cos(angle), t[1] = sin(angle);
            p.mu[g][i] = g == 0 ? 0.3 : 0.1;
            for (int c = 0; c < lay->width[g]; c++) {
                if (i % 3 == 0)
                    ui[lay->first[g] + c] = slip * t[c];
                else
                    ri[lay->first[g] + c] = p.mu[g][i] * size * t[c] * (i % 3 == 1 ? part : 1);
                if (i % 3 == 2)
                    ui[lay->first[g] + c] = -slip * t[c];
            }
        }
    }
    for (int i = 0; i < m; i++) {
        p.q[i] = v[i];
        for (int j = 0; j < m; j++)
            p.q[i] -= W[i * m + j] * x[j];
    }
    p.W = blocks_of(W, n, n, b, b, true);
    if (r != NULL)
        memcpy(r, x, (size_t)m * sizeof *r);
    if (u != NULL)
        memcpy(u, v, (size_t)m * sizeof *u);
    mrn_free(A), mrn_free(W), mrn_free(x), mrn_free(v);
    return p;
}

/* One solve with options in words. */
static inline mrn_status solve_with(const mrn_problem *p, const char *solver, const char *words,
                                    const mrn_solve_control *control, double *r,
                                    mrn_solve_result *result)
{
    const mrn_solver *s = mrn_solver_find(solver);
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    assert_non_null(s);
    set_options(s->params, s->n_params, option, words);
    mrn_status st = mrn_solve(p, s, option, control, r, NULL, result, &msg);
    if (st < 0)
        ok(st, &msg);
    return st;
}

#endif
