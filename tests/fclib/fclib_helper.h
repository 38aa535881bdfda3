/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of FCLIB files: small problems made of random numbers, files made dataset by
   dataset without the code under test, small dense linear algebra to compare with. */
#ifndef MRN_TESTS_FCLIB_FCLIB_HELPER_H
#define MRN_TESTS_FCLIB_FCLIB_HELPER_H

#include "store/files_helper.h"

#include <hdf5.h>
#include <math.h>

#include "moraine/fclib.h"

/* ---- dense matrices, row after row ---- */

static inline double *numbers(int64_t n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* m x n, uniform in [-1, 1), at about `fill` of the places */
static inline double *random_matrix(mrn_rng *g, int m, int n, double fill)
{
    double *a = numbers((int64_t)m * n);
    for (int k = 0; k < m * n; k++) {
        double here = mrn_rng_uniform(g), x = 2 * mrn_rng_uniform(g) - 1;
        a[k] = here < fill ? x : 0;
    }
    return a;
}

/* Symmetric, strictly diagonally dominant with a positive diagonal: definite, condition below 10
 */
static inline double *random_definite(mrn_rng *g, int n)
{
    double *a = random_matrix(g, n, n, 0.6);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = a[i * n + j] / n;
    for (int i = 0; i < n; i++)
        a[i * n + i] = 1.5 + 0.5 * a[i * n + i];
    return a;
}

/* c = a b: (m x k)(k x n) */
static inline double *product(int m, int k, int n, const double *a, const double *b)
{
    double *c = numbers((int64_t)m * n);
    for (int i = 0; i < m; i++)
        for (int s = 0; s < k; s++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * k + s] * b[s * n + j];
    return c;
}

static inline double *transposed(int m, int n, const double *a)
{
    double *t = numbers((int64_t)m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            t[j * m + i] = a[i * n + j];
    return t;
}

/* x = a⁻¹ b (n x n, n x k) by elimination with pivots */
static inline double *solved(int n, int k, const double *a_in, const double *b_in)
{
    double *a = numbers((int64_t)n * n), *b = numbers((int64_t)n * k);
    memcpy(a, a_in, (size_t)(n * n) * sizeof *a);
    memcpy(b, b_in, (size_t)(n * k) * sizeof *b);
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            best = fabs(a[r * n + c]) > fabs(a[best * n + c]) ? r : best;
        for (int j = 0; j < n; j++) {
            double t = a[c * n + j];
            a[c * n + j] = a[best * n + j], a[best * n + j] = t;
        }
        for (int j = 0; j < k; j++) {
            double t = b[c * k + j];
            b[c * k + j] = b[best * k + j], b[best * k + j] = t;
        }
        for (int r = 0; r < n; r++) {
            double f = a[r * n + c] / a[c * n + c];
            for (int j = 0; r != c && j < n; j++)
                a[r * n + j] -= f * a[c * n + j];
            for (int j = 0; r != c && j < k; j++)
                b[r * k + j] -= f * b[c * k + j];
        }
    }
    for (int r = 0; r < n; r++)
        for (int j = 0; j < k; j++)
            b[r * k + j] /= a[r * n + r];
    free(a);
    return b;
}

static inline double *dense_of(const mrn_bsr *a)
{
    int n = a->cols * a->bc;
    double *d = numbers((int64_t)a->rows * a->br * n);
    for (int i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            for (int c = 0; c < a->bc; c++)
                for (int r = 0; r < a->br; r++)
                    d[(i * a->br + r) * n + a->col[k] * a->bc + c] =
                        a->value[(k * a->bc + c) * a->br + r];
    return d;
}

/* Largest difference over the largest number. */
static inline double distance(int64_t n, const double *a, const double *b)
{
    double d = 0, most = 0;
    for (int64_t k = 0; k < n; k++) {
        d = fmax(d, fabs(a[k] - b[k]));
        most = fmax(most, fabs(b[k]));
    }
    return most > 0 ? d / most : d;
}

/* ---- files by hand ---- */

static inline hid_t open_file(const char *path, bool fresh)
{
    hid_t f = fresh ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                    : H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(f >= 0);
    return f;
}

/* A dataset of any rank; groups on the way are made, an older one is replaced. */
static inline void put(hid_t f, const char *name, hid_t type, int rank, const hsize_t *size,
                       const void *data)
{
    H5E_auto2_t print;
    void *print_data;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Ldelete(f, name, H5P_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL);
    hid_t d = H5Dcreate2(f, name, type, space, lcpl, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    if (data != NULL)
        assert_true(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Pclose(lcpl);
}

static inline void put_int(hid_t f, const char *name, int32_t value)
{
    put(f, name, H5T_NATIVE_INT32, 1, (hsize_t[]){1}, &value);
}

static inline void put_ints(hid_t f, const char *name, int64_t n, const int32_t *x)
{
    put(f, name, H5T_NATIVE_INT32, 1, (hsize_t[]){(hsize_t)n}, x);
}

static inline void put_reals(hid_t f, const char *name, int64_t n, const double *x)
{
    put(f, name, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){(hsize_t)n}, x);
}

enum { BY_ROWS = -2, BY_COLUMNS = -1, TRIPLETS = 0 };
typedef struct full_name {
    char text[96];
} full_name;
static inline full_name joined(const char *group, const char *part)
{
    full_name n;
    int length = snprintf(n.text, sizeof n.text, "%s/%s", group, part);
    assert_true(length > 0 && length < (int)sizeof n.text);
    return n;
}

/* A dense matrix as a sparse group. `rough`: columns of a row backwards, triplets in halves and
   from the end, nzmax larger than needed. */
static inline void put_matrix(hid_t f, const char *group, int m, int n, const double *a,
                              int storage, bool rough)
{
    int most = 2 * m * n + 1, nnz = 0, lines = storage == BY_ROWS ? m : n,
        length = storage == BY_ROWS ? n : m;
    int32_t *p = calloc((size_t)(most + lines + 1), sizeof *p),
            *i = calloc((size_t)most, sizeof *i);
    double *x = numbers(most);
    for (int line = 0; line < lines; line++) {
        for (int s = 0; s < length; s++) {
            int at = rough ? length - 1 - s : s;
            int row = storage == BY_ROWS ? line : at, col = storage == BY_ROWS ? at : line;
            double v = a[row * n + col];
            for (int half = 0; v != 0 && half < (storage == TRIPLETS && rough ? 2 : 1); half++) {
                x[nnz] = storage == TRIPLETS && rough ? v / 2 : v;
                i[nnz] = storage == TRIPLETS ? row : at;
                if (storage == TRIPLETS)
                    p[nnz] = col;
                nnz++;
            }
        }
        if (storage != TRIPLETS)
            p[line + 1] = nnz;
    }
    int extra = rough ? 3 : 0;
    put_int(f, joined(group, "nzmax").text, nnz + extra);
    put_int(f, joined(group, "m").text, m);
    put_int(f, joined(group, "n").text, n);
    put_int(f, joined(group, "nz").text, storage == TRIPLETS ? nnz : storage);
    put_ints(f, joined(group, "p").text, storage == TRIPLETS ? nnz : lines + 1, p);
    put_ints(f, joined(group, "i").text, nnz, i);
    put_reals(f, joined(group, "x").text, nnz, x);
    free(p);
    free(i);
    free(x);
}

/* ---- problems ---- */

static inline int block_of(const mrn_problem *p)
{
    return mrn_contact_layout_of(p->kind)->block;
}

static inline void fill_vectors(mrn_rng *g, mrn_problem *p)
{
    for (int k = 0; k < p->n * block_of(p); k++)
        p->q[k] = mrn_rng_normal(g);
    for (int s = 0; s < mrn_contact_layout_of(p->kind)->groups; s++)
        for (int k = 0; k < p->n; k++)
            p->mu[s][k] = mrn_rng_uniform(g);
    strcpy(p->title, "a title");
    strcpy(p->description, "made of random numbers, für Tests");
}

/* W: definite, dense enough to have several blocks per row; not symmetric in its last digits */
static inline mrn_problem local_problem(mrn_contact_kind kind, int n, uint64_t seed)
{
    mrn_problem p;
    mrn_message msg = {0};
    mrn_rng g = mrn_rng_seed(seed, 1);
    ok(mrn_problem_create(kind, n, &p, &msg), &msg);
    fill_vectors(&g, &p);
    int m = n * block_of(&p), nnz = 0;
    double *a = random_definite(&g, m);
    int32_t *row = calloc((size_t)(m * m), sizeof *row),
            *col = calloc((size_t)(m * m), sizeof *col);
    double *x = numbers((int64_t)m * m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int blocks = abs(i / block_of(&p) - j / block_of(&p));
            if (a[i * m + j] != 0 && blocks < 3)
                row[nnz] = i, col[nnz] = j, x[nnz++] = a[i * m + j] * (i < j ? 1 : 1 + 1e-13);
        }
    ok(mrn_bsr_from_entries(n, n, block_of(&p), block_of(&p), nnz, row, col, x, &p.W, &msg), &msg);
    free(a);
    free(row);
    free(col);
    free(x);
    return p;
}

/* Bodies in a chain, each contact between two neighbours. */
static inline mrn_problem global_problem(mrn_contact_kind kind, int n, uint64_t seed)
{
    mrn_problem p;
    mrn_message msg = {0};
    mrn_rng g = mrn_rng_seed(seed, 2);
    ok(mrn_problem_create(kind, n, &p, &msg), &msg);
    fill_vectors(&g, &p);
    int b = block_of(&p), dof = mrn_contact_layout_of(kind)->dimension == 3 ? 6 : 3, nnz = 0;
    int most = n * 2 * b * dof, bodies = n + 1;
    int32_t *row = calloc((size_t)most, sizeof *row), *col = calloc((size_t)most, sizeof *col);
    double *x = numbers(most);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < b; r++)
            for (int c = 0; c < 2 * dof; c++)
                row[nnz] = i * b + r, col[nnz] = i * dof + c, x[nnz++] = mrn_rng_normal(&g);
    ok(mrn_bsr_from_entries(n, bodies, b, dof, nnz, row, col, x, &p.Ht, &msg), &msg);
    p.minv = mrn_alloc((size_t)(bodies * dof * dof) * sizeof *p.minv);
    assert_non_null(p.minv);
    for (int k = 0; k < bodies; k++) {
        double *m = random_definite(&g, dof);
        memcpy(p.minv + k * dof * dof, m, (size_t)(dof * dof) * sizeof *m);
        free(m);
    }
    free(row);
    free(col);
    free(x);
    return p;
}

static inline void same_blocks(const mrn_bsr *a, const mrn_bsr *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    if (a->rows == 0)
        return;
    assert_int_equal(a->br, b->br);
    assert_int_equal(a->bc, b->bc);
    int64_t blocks = a->start[a->rows];
    assert_memory_equal(a->start, b->start, (size_t)(a->rows + 1) * sizeof *a->start);
    assert_memory_equal(a->col, b->col, (size_t)blocks * sizeof *a->col);
    for (int64_t k = 0; k < blocks * a->br * a->bc; k++)
        assert_true(a->value[k] == b->value[k]); /* bits, but for the sign of zero */
}

static inline void same_numbers(int64_t n, const double *a, const double *b)
{
    for (int64_t k = 0; k < n; k++)
        assert_true(a[k] == b[k]);
}

/* Everything that is kept bit by bit; M⁻¹ is not. */
static inline void same_problem(const mrn_problem *a, const mrn_problem *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n, b->n);
    same_blocks(&a->W, &b->W);
    same_blocks(&a->Ht, &b->Ht);
    same_numbers((int64_t)a->n * block_of(a), a->q, b->q);
    for (int s = 0; s < mrn_contact_layout_of(a->kind)->groups; s++)
        same_numbers(a->n, a->mu[s], b->mu[s]);
}

static inline void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' does not tell of '%s'", text, part);
}

#endif
