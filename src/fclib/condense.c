/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elimination of unknowns from contact problems: S = T K⁻¹ Tᵀ with a sparse direct factorisation of
   K (UMFPACK: K may be indefinite and unsymmetric, as the matrices with constraints are), and
   inverses of the small blocks of bodies. */
#include <math.h>
#include <string.h>
#include <umfpack.h>

#include "fclib/fclib.h"

/* Below this reciprocal condition (of the scaled matrix, as UMFPACK estimates it) the answer would
   have no digit left. */
#define CONDITION_LEAST 1e-15

typedef struct factors {
    int n;
    int *start, *row; /* K by columns, sorted, duplicates summed */
    double *x;
    void *symbolic, *numeric;
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
} factors;

static void factors_release(factors *f)
{
    umfpack_di_free_symbolic(&f->symbolic);
    umfpack_di_free_numeric(&f->numeric);
    mrn_free(f->start);
    mrn_free(f->row);
    mrn_free(f->x);
}

static mrn_status answer_of(int status, const char *what, mrn_message *msg)
{
    if (status == UMFPACK_OK)
        return MRN_OK;
    if (status == UMFPACK_ERROR_out_of_memory)
        return mrn_fail_memory(msg);
    if (status != UMFPACK_WARNING_singular_matrix && status != UMFPACK_ERROR_different_pattern)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "%s: the factorisation failed (UMFPACK: %d)", what,
                        status);
    mrn_fail(msg, MRN_ERR_INPUT, "%s: singular, cannot be eliminated", what);
    mrn_fail_expected(msg, "an invertible matrix");
    return mrn_fail_hint(msg, "constraints that say the same twice, or bodies without mass?");
}

static mrn_status compress(const mrn_fclib_matrix *K, const char *what, factors *f,
                           mrn_message *msg)
{
    mrn_status st = mrn_array(&f->start, (int64_t)K->n + 1, sizeof *f->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->row, K->nnz, sizeof *f->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->x, K->nnz, sizeof *f->x, msg);
    if (st != MRN_OK)
        return st;
    if (K->nnz > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: more than 2^31 entries", what);
    return answer_of(umfpack_di_triplet_to_col(K->m, K->n, (int)K->nnz, K->row, K->col, K->x,
                                               f->start, f->row, f->x, NULL),
                     what, msg);
}

static mrn_status factorise(const mrn_fclib_matrix *K, const char *what, factors *f,
                            mrn_message *msg)
{
    f->n = K->n;
    umfpack_di_defaults(f->control);
    /* no blocks for threaded matrix products: the same bits for any number of threads */
    f->control[UMFPACK_BLOCK_SIZE] = 1;
    mrn_status st = compress(K, what, f, msg);
    if (st == MRN_OK)
        st = answer_of(umfpack_di_symbolic(f->n, f->n, f->start, f->row, f->x, &f->symbolic,
                                           f->control, f->info),
                       what, msg);
    if (st == MRN_OK)
        st = answer_of(umfpack_di_numeric(f->start, f->row, f->x, f->symbolic, &f->numeric,
                                          f->control, f->info),
                       what, msg);
    if (st == MRN_OK && !(f->info[UMFPACK_RCOND] > CONDITION_LEAST))
        st = answer_of(UMFPACK_WARNING_singular_matrix, what, msg);
    return st;
}

/* T by rows. */
typedef struct rows {
    int64_t *start;
    int32_t *col;
    double *x;
} rows;

static void rows_release(rows *t)
{
    mrn_free(t->start);
    mrn_free(t->col);
    mrn_free(t->x);
}

static mrn_status rows_of(const mrn_fclib_matrix *T, rows *t, mrn_message *msg)
{
    mrn_status st = mrn_array(&t->start, (int64_t)T->m + 2, sizeof *t->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&t->col, T->nnz, sizeof *t->col, msg);
    if (st == MRN_OK)
        st = mrn_array(&t->x, T->nnz, sizeof *t->x, msg);
    if (st != MRN_OK)
        return st;
    /* counted one place further on, so that filling moves the counts to where they belong */
    for (int64_t k = 0; k < T->nnz; k++)
        t->start[T->row[k] + 2]++;
    for (int64_t r = 0; r < T->m; r++)
        t->start[r + 2] += t->start[r + 1];
    for (int64_t k = 0; k < T->nnz; k++) {
        int64_t at = t->start[T->row[k] + 1]++;
        t->col[at] = T->col[k];
        t->x[at] = T->x[k];
    }
    return MRN_OK;
}

static double row_times(const rows *t, int64_t r, const double *y)
{
    double sum = 0;
    for (int64_t k = t->start[r]; k < t->start[r + 1]; k++)
        sum += t->x[k] * y[t->col[k]];
    return sum;
}

static mrn_status solve(factors *f, const char *what, const double *rhs, double *y,
                        mrn_message *msg)
{
    return answer_of(umfpack_di_solve(UMFPACK_A, f->start, f->row, f->x, y, rhs, f->numeric,
                                      f->control, f->info),
                     what, msg);
}

/* The columns of S one after the other; y and rhs have the size of K. */
static mrn_status columns(factors *f, const rows *t, int32_t m, double factor, const char *what,
                          double *rhs, double *y, mrn_fclib_matrix *out, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int32_t j = 0; st == MRN_OK && j < m; j++) {
        if (t->start[j] == t->start[j + 1])
            continue;
        memset(rhs, 0, (size_t)f->n * sizeof *rhs);
        for (int64_t k = t->start[j]; k < t->start[j + 1]; k++)
            rhs[t->col[k]] += t->x[k];
        st = solve(f, what, rhs, y, msg);
        for (int32_t i = 0; st == MRN_OK && i < m; i++) {
            double s = row_times(t, i, y);
            if (s != 0)
                st = mrn_fclib_matrix_add(out, i, j, factor * s, msg);
        }
    }
    return st;
}

mrn_status mrn_fclib_condense(const mrn_fclib_matrix *K, const mrn_fclib_matrix *T, const double *g,
                              double factor, const char *what, mrn_fclib_matrix *out, double *vec,
                              mrn_message *msg)
{
    factors f = {0};
    rows t = {0};
    double *rhs = NULL, *y = NULL;
    mrn_status st = factorise(K, what, &f, msg);
    if (st == MRN_OK)
        st = rows_of(T, &t, msg);
    if (st == MRN_OK)
        st = mrn_array(&rhs, f.n, sizeof *rhs, msg);
    if (st == MRN_OK)
        st = mrn_array(&y, f.n, sizeof *y, msg);
    if (st == MRN_OK)
        st = solve(&f, what, g, y, msg);
    for (int64_t r = 0; st == MRN_OK && r < T->m; r++)
        vec[r] += factor * row_times(&t, r, y);
    if (st == MRN_OK)
        st = columns(&f, &t, T->m, factor, what, rhs, y, out, msg);
    mrn_free(rhs);
    mrn_free(y);
    rows_release(&t);
    factors_release(&f);
    return st;
}

/* ---- blocks of bodies ---- */

#define SIDE_MOST 6

/* Gauss-Jordan with the largest pivot of each column. */
bool mrn_fclib_invert(int n, const double *a, double *inverse)
{
    double w[SIDE_MOST][2 * SIDE_MOST];
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            w[r][c] = a[c * n + r];
            w[r][n + c] = r == c;
        }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++)
            best = fabs(w[r][k]) > fabs(w[best][k]) ? r : best;
        if (!(fabs(w[best][k]) > 0))
            return false;
        for (int c = 0; c < 2 * n; c++) {
            double kept = w[k][c];
            w[k][c] = w[best][c];
            w[best][c] = kept;
        }
        double pivot = w[k][k];
        for (int c = 0; c < 2 * n; c++)
            w[k][c] /= pivot;
        for (int r = 0; r < n; r++) {
            double factor = w[r][k];
            for (int c = 0; r != k && factor != 0 && c < 2 * n; c++)
                w[r][c] -= factor * w[k][c];
        }
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            inverse[c * n + r] = w[r][n + c];
    return true;
}

/* Cholesky of (A + Aᵀ) / 2. */
bool mrn_fclib_definite(int n, const double *a)
{
    double l[SIDE_MOST][SIDE_MOST] = {{0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0.5 * (a[j * n + i] + a[i * n + j]);
            for (int k = 0; k < j; k++)
                s -= l[i][k] * l[j][k];
            if (i == j && !(s > 0))
                return false;
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
    return true;
}
