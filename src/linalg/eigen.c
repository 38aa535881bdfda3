/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues of symmetric matrices: the smallest few of a sparse one by block Lanczos with
   restarts on the inverse, or all of them by a dense method (LAPACK).

   Lanczos from one vector, as ARPACK does it, sees one direction of the space of a multiple
   eigenvalue; the others come in by rounding, and a run may end before they do: of the Laplacian of
   a cube, and of chains that float, it left copies out. Mechanisms are dozens of equal zeros. A
   block at least as wide as what is asked for sees all of them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/blas.h"
#include "linalg/sparse.h"

enum {
    GUARD = 8, /* vectors iterated beyond those wanted: the last wanted converges too   */
    DEPTH = 4, /* blocks of a basis: the start, and three times the inverse on the last */
    MOST_RESTARTS = 100,
    STRIP = 256,       /* rows combined at a time                                              */
    MOST_DENSE = 30000 /* LAPACK counts its room, 2 n², in 32 bits                             */
};
/* Of |A|: the smallest distance of the shift from the spectrum. Solves keep ten digits. */
#define NEAREST 1e-6

void mrn_eigen_release(mrn_eigen *e)
{
    mrn_free(e->value);
    mrn_free(e->vector);
    mrn_free(e->error);
    *e = (mrn_eigen){0};
}

/* ---- C = B^(-1/2) A B^(-1/2), whose eigenvectors are B^(1/2) times those asked for ---- */

typedef struct scaled {
    mrn_sparse c;  /* lower triangle; start and row are the caller's */
    double *scale; /* B^(-1/2) */
    double norm;   /* largest sum of sizes in a row of C; 1 for a matrix of zeros */
} scaled;

static void scaled_release(scaled *s)
{
    mrn_free(s->c.value);
    mrn_free(s->scale);
}

static mrn_status refuse(const mrn_sparse *a, const double *b, mrn_message *msg)
{
    if (a->rows != a->cols)
        return mrn_fail(msg, MRN_ERR_RANGE, "a matrix of %lld x %lld has no eigenvalues",
                        (long long)a->rows, (long long)a->cols);
    for (int64_t j = 0; j < a->cols; j++) {
        if (b != NULL && !(b[j] > 0 && isfinite(b[j])))
            return mrn_fail(msg, MRN_ERR_RANGE, "number %lld of B is %g, not positive",
                            (long long)j, b[j]);
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) {
            if (a->row[k] < j)
                return mrn_fail(msg, MRN_ERR_RANGE, "column %lld has an entry above the diagonal",
                                (long long)j);
            if (!isfinite(a->value[k]))
                return mrn_fail(msg, MRN_ERR_RANGE, "the entry at (%lld, %lld) is not finite",
                                (long long)a->row[k], (long long)j);
        }
    }
    return MRN_OK;
}

/* `sum` has n numbers, all zero. */
static double row_norm(const mrn_sparse *c, double *sum)
{
    double norm = 0;
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t k = c->start[j]; k < c->start[j + 1]; k++) {
            sum[j] += fabs(c->value[k]);
            if (c->row[k] != j)
                sum[c->row[k]] += fabs(c->value[k]);
        }
    for (int64_t j = 0; j < c->cols; j++)
        norm = fmax(norm, sum[j]);
    return norm > 0 ? norm : 1;
}

static mrn_status scaled_make(const mrn_sparse *a, const double *b, scaled *s, mrn_message *msg)
{
    *s = (scaled){.c = {a->rows, a->cols, a->start, a->row, NULL}};
    mrn_status st = refuse(a, b, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->c.value, a->start[a->cols], sizeof *s->c.value, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->scale, a->cols, sizeof *s->scale, msg);
    if (st != MRN_OK)
        return st;
    memcpy(s->c.value, a->value, (size_t)a->start[a->cols] * sizeof *a->value);
    for (int64_t j = 0; j < a->cols && b != NULL; j++)
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
            s->c.value[k] /= sqrt(b[j]) * sqrt(b[a->row[k]]);
    s->norm = row_norm(&s->c, s->scale);
    for (int64_t j = 0; j < a->cols; j++)
        s->scale[j] = b != NULL ? 1 / sqrt(b[j]) : 1;
    return MRN_OK;
}

/* |C w - lambda w|; `y`: n numbers */
static double error_of(const mrn_sparse *c, double lambda, const double *w, double *y)
{
    double sum = 0;
    mrn_sparse_times_symmetric(c, w, y);
    for (int64_t k = 0; k < c->cols; k++)
        sum += (y[k] - lambda * w[k]) * (y[k] - lambda * w[k]);
    return sqrt(sum);
}

static mrn_status answer_room(int64_t order, int n, bool vectors, mrn_eigen *out, mrn_message *msg)
{
    *out = (mrn_eigen){0};
    mrn_status st = mrn_array(&out->value, n, sizeof *out->value, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->error, n, sizeof *out->error, msg);
    if (st == MRN_OK && vectors)
        st = mrn_array(&out->vector, order * n, sizeof *out->vector, msg);
    if (st != MRN_OK)
        mrn_eigen_release(out);
    return st;
}

/* ---- dense ---- */

/* Eigenvalues of the n x n matrix, lower triangle in `a`, which the vectors replace. */
static mrn_status dense_eigen(int n, bool vectors, double *a, double *value, mrn_message *msg)
{
    int lwork = vectors ? 1 + 6 * n + 2 * n * n : 1 + 2 * n, liwork = vectors ? 3 + 5 * n : 1;
    int info = 0;
    double *work = NULL;
    int *iwork = NULL;
    mrn_status st = mrn_array(&work, lwork, sizeof *work, msg);
    if (st == MRN_OK)
        st = mrn_array(&iwork, liwork, sizeof *iwork, msg);
    if (st == MRN_OK && n > 0) {
        mrn_blas_threads hold = mrn_blas_begin();
        dsyevd_(vectors ? "V" : "N", "L", &n, a, &n, value, work, &lwork, iwork, &liwork, &info, 1,
                1);
        mrn_blas_end(hold);
        if (info != 0)
            st = mrn_fail(msg, MRN_ERR_INTERNAL, "dense eigenvalues did not converge (%d)", info);
    }
    mrn_free(work);
    mrn_free(iwork);
    return st;
}

/* `n` smallest of all. */
static mrn_status by_dense(const scaled *s, int n, bool vectors, mrn_eigen *out, mrn_message *msg)
{
    int order = (int)s->c.cols;
    double *a = NULL, *value = NULL;
    mrn_status st = mrn_memory_enough((vectors ? 32.0 : 8.0) * order * order,
                                      "a dense eigenvalue problem", msg);
    if (st == MRN_OK)
        st = mrn_array(&a, (int64_t)order * order, sizeof *a, msg);
    if (st == MRN_OK)
        st = mrn_array(&value, order + 1, sizeof *value, msg);
    if (st == MRN_OK)
        st = answer_room(order, n, vectors, out, msg);
    for (int64_t j = 0; st == MRN_OK && j < order; j++)
        for (int64_t k = s->c.start[j]; k < s->c.start[j + 1]; k++)
            a[j * order + s->c.row[k]] = s->c.value[k];
    if (st == MRN_OK)
        st = dense_eigen(order, vectors, a, value, msg);
    for (int k = 0; st == MRN_OK && k < n; k++) {
        out->value[k] = value[k];
        out->error[k] = order * DBL_EPSILON; /* what LAPACK promises; with vectors, seen */
    }
    out->n = st == MRN_OK ? n : 0;
    if (st == MRN_OK && vectors) {
        memcpy(out->vector, a, (size_t)order * (size_t)n * sizeof *a);
        for (int k = 0; k < n; k++)
            out->error[k] = error_of(&s->c, value[k], a + (int64_t)k * order,
                                     out->vector + (int64_t)k * order) /
                            s->norm;
        memcpy(out->vector, a, (size_t)order * (size_t)n * sizeof *a);
    }
    mrn_free(a);
    mrn_free(value);
    return st;
}

static void unscale(const scaled *s, mrn_eigen *out)
{
    for (int64_t k = 0; out->vector != NULL && k < out->n; k++)
        for (int64_t i = 0; i < s->c.cols; i++)
            out->vector[k * s->c.cols + i] *= s->scale[i];
}

mrn_status mrn_eigen_all(const mrn_sparse *lower, const double *b, bool vectors, mrn_eigen *out,
                         mrn_message *msg)
{
    scaled s;
    *out = (mrn_eigen){0};
    if (lower->cols > MOST_DENSE)
        return mrn_fail(msg, MRN_ERR_RANGE, "all eigenvalues of a matrix of order %lld, at most %d",
                        (long long)lower->cols, MOST_DENSE);
    mrn_status st = scaled_make(lower, b, &s, msg);
    if (st == MRN_OK)
        st = by_dense(&s, (int)lower->cols, vectors, out, msg);
    if (st == MRN_OK)
        unscale(&s, out);
    else
        mrn_eigen_release(out);
    scaled_release(&s);
    return st;
}

/* ---- block Lanczos ---- */

typedef struct block_lanczos {
    const scaled *s;
    mrn_llt factor; /* of C + shift 1 */
    double shift;
    bool settled;   /* no better shift is looked for */
    int n, want;    /* order, asked for */
    int block, all; /* vectors of a block, most in a basis */
    int have;       /* vectors in the basis */
    double *q;      /* n x all, orthonormal: the basis */
    double *t;      /* all x all: Qᵀ C Q, then its eigenvectors */
    double *value;  /* all: Ritz values, ascending */
    double *error;  /* want */
    double *y, *h;  /* n; all */
    double *strip;  /* STRIP x block */
    int products;
} block_lanczos;

static void lanczos_release(block_lanczos *l)
{
    mrn_llt_release(&l->factor);
    mrn_free(l->q);
    mrn_free(l->t);
    mrn_free(l->value);
    mrn_free(l->error);
    mrn_free(l->y);
    mrn_free(l->h);
    mrn_free(l->strip);
}

static mrn_status lanczos_room(block_lanczos *l, mrn_message *msg)
{
    int64_t n = l->n, all = l->all;
    double bytes = sizeof(double) * (double)n * (double)all;
    mrn_status st = mrn_memory_enough(bytes, "the basis of an eigenvalue problem", msg);
    if (st == MRN_OK)
        st = mrn_array(&l->q, n * all, sizeof *l->q, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->t, all * all, sizeof *l->t, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->value, all, sizeof *l->value, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->error, l->want, sizeof *l->error, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->y, n, sizeof *l->y, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->h, all, sizeof *l->h, msg);
    if (st == MRN_OK)
        st = mrn_array(&l->strip, (int64_t)STRIP * l->block, sizeof *l->strip, msg);
    return st;
}

/* A first shift: small, larger until the factorisation goes through. At twice |C| it must. */
static mrn_status first_shift(block_lanczos *l, mrn_message *msg)
{
    const mrn_sparse *c = &l->s->c;
    mrn_status st = mrn_llt_make(c, &l->factor, msg);
    if (st != MRN_OK)
        return st;
    for (l->shift = NEAREST * l->s->norm;; l->shift = fmin(10 * l->shift, 2 * l->s->norm)) {
        st = mrn_llt_numeric(&l->factor, c, l->shift, msg);
        if (st != MRN_ERR_RANGE || l->shift >= 2 * l->s->norm)
            return st;
    }
}

static double size_of(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* Takes what the basis has out of x, twice (once leaves rounding of what was taken out), and adds
   the rest to the basis, behind the `have` vectors there; nothing when only rounding is left. */
static void add_to_basis(block_lanczos *l, const double *x)
{
    const double one = 1, zero = 0, minus = -1;
    const int step = 1;
    double *to = l->q + (int64_t)l->have * l->n, size = size_of(l->n, x), left = size;
    if (to != x)
        memmove(to, x, (size_t)l->n * sizeof *to);
    for (int pass = 0; pass < 2 && l->have > 0; pass++) {
        dgemv_("T", &l->n, &l->have, &one, l->q, &l->n, to, &step, &zero, l->h, &step, 1);
        dgemv_("N", &l->n, &l->have, &minus, l->q, &l->n, l->h, &step, &one, to, &step, 1);
        left = size_of(l->n, to);
        if (!(left > 1e-13 * size))
            return;
    }
    if (!(left > 0) || !isfinite(left))
        return;
    for (int k = 0; k < l->n; k++)
        to[k] /= left;
    l->have++;
}

/* A start that has something of every vector, the same in every run. */
static void first_block(block_lanczos *l)
{
    mrn_rng rng = mrn_rng_seed(1, 0);
    l->have = 0;
    for (int k = 0; k < l->block; k++) {
        double *x = l->q + (int64_t)l->have * l->n;
        for (int i = 0; i < l->n; i++)
            x[i] = mrn_rng_uniform(&rng) - 0.5;
        add_to_basis(l, x);
    }
}

/* From the first block, the others: what the inverse makes of the block before. */
static mrn_status grow_basis(block_lanczos *l, mrn_message *msg)
{
    int from = 0;
    for (int depth = 1; depth < DEPTH; depth++) {
        int to = l->have, some = to - from;
        double *next = l->q + (int64_t)to * l->n;
        if (some == 0)
            break;
        mrn_status st = mrn_llt_solve(&l->factor, some, l->q + (int64_t)from * l->n, next, msg);
        if (st != MRN_OK)
            return st;
        l->products += some;
        for (int k = 0; k < some; k++)
            add_to_basis(l, next + (int64_t)k * l->n);
        from = to;
    }
    return MRN_OK;
}

/* Rayleigh and Ritz, with C itself: values and vectors are the best that the basis has, whatever
   the solves lost. The first block becomes the lowest vectors. */
static mrn_status ritz(block_lanczos *l, mrn_message *msg)
{
    const double one = 1, zero = 0;
    const int step = 1, have = l->have, keep = have < l->block ? have : l->block;
    for (int j = 0; j < have; j++) {
        mrn_sparse_times_symmetric(&l->s->c, l->q + (int64_t)j * l->n, l->y);
        dgemv_("T", &l->n, &have, &one, l->q, &l->n, l->y, &step, &zero, l->t + (int64_t)j * have,
               &step, 1);
    }
    mrn_status st = dense_eigen(have, true, l->t, l->value, msg);
    if (st != MRN_OK)
        return st;
    for (int at = 0; at < l->n; at += STRIP) {
        int rows = l->n - at < STRIP ? l->n - at : STRIP;
        dgemm_("N", "N", &rows, &keep, &have, &one, l->q + at, &l->n, l->t, &have, &zero, l->strip,
               &rows, 1, 1);
        for (int j = 0; j < keep; j++)
            memcpy(l->q + (int64_t)j * l->n + at, l->strip + (int64_t)j * rows,
                   (size_t)rows * sizeof *l->q);
    }
    l->have = keep;
    return MRN_OK;
}

/* The first ones that meet the tolerance. */
static int converged(block_lanczos *l, double tolerance)
{
    int done = 0;
    for (int k = 0; k < l->want && k < l->have; k++) {
        const double *w = l->q + (int64_t)k * l->n;
        l->error[k] = error_of(&l->s->c, l->value[k], w, l->y) / l->s->norm;
        if (done == k && l->error[k] <= tolerance)
            done++;
    }
    return done;
}

/* The inverse tells the lowest apart best when the shift is close below them. The lowest Ritz value
   lies above the lowest eigenvalue by its error at most; a factorisation that goes through proves
   that the shift is below all. */
static mrn_status better_shift(block_lanczos *l, mrn_message *msg)
{
    const mrn_sparse *c = &l->s->c;
    double low = l->value[0], wide = l->value[l->have - 1] - low;
    double beyond = fmax(0.1 * wide, NEAREST * l->s->norm) + 2 * l->error[0] * l->s->norm;
    if (l->settled || l->shift + low < 4 * beyond)
        return MRN_OK;
    mrn_status st = mrn_llt_numeric(&l->factor, c, beyond - low, msg);
    if (st == MRN_OK)
        l->shift = beyond - low;
    if (st != MRN_ERR_RANGE)
        return st;
    l->settled = true;
    return mrn_llt_numeric(&l->factor, c, l->shift, msg);
}

static mrn_status iterate(block_lanczos *l, double tolerance, int *done, mrn_message *msg)
{
    first_block(l);
    for (int restart = 0; restart < MOST_RESTARTS; restart++) {
        mrn_status st = grow_basis(l, msg);
        if (st == MRN_OK)
            st = ritz(l, msg);
        if (st != MRN_OK)
            return st;
        *done = converged(l, tolerance);
        if (*done == l->want)
            return MRN_OK;
        st = better_shift(l, msg);
        if (st != MRN_OK)
            return st;
    }
    return mrn_fail(msg, MRN_NOT_CONVERGED, "%d of %d eigenvalues met the tolerance of %g", *done,
                    l->want, tolerance);
}

static mrn_status by_lanczos(const scaled *s, int want, int block, double tolerance, mrn_eigen *out,
                             mrn_message *msg)
{
    block_lanczos l = {
        .s = s, .n = (int)s->c.cols, .want = want, .block = block, .all = DEPTH * block};
    int done = 0;
    mrn_status st = lanczos_room(&l, msg);
    if (st == MRN_OK)
        st = answer_room(l.n, want, true, out, msg);
    if (st == MRN_OK)
        st = first_shift(&l, msg);
    if (st == MRN_OK) {
        mrn_blas_threads hold = mrn_blas_begin();
        st = iterate(&l, tolerance, &done, msg);
        mrn_blas_end(hold);
    }
    if (st >= MRN_OK) {
        out->n = done;
        out->shift = l.shift;
        out->iterations = l.products;
        memcpy(out->value, l.value, (size_t)done * sizeof *l.value);
        memcpy(out->error, l.error, (size_t)done * sizeof *l.error);
        memcpy(out->vector, l.q, (size_t)done * (size_t)l.n * sizeof *l.q);
    }
    lanczos_release(&l);
    return st;
}

mrn_status mrn_eigen_smallest(const mrn_sparse *lower, const double *b, int want, double tolerance,
                              mrn_eigen *out, mrn_message *msg)
{
    scaled s;
    *out = (mrn_eigen){0};
    if (want < 0 || want > lower->cols || lower->cols > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "%d eigenvalues of a matrix of order %lld", want,
                        (long long)lower->cols);
    int64_t block = want + GUARD + want / 4;
    mrn_status st = scaled_make(lower, b, &s, msg);
    if (st == MRN_OK && (lower->cols <= 100 || DEPTH * block > lower->cols))
        st = lower->cols <= MOST_DENSE
                 ? by_dense(&s, want, true, out, msg)
                 : mrn_fail(msg, MRN_ERR_RANGE, "%d eigenvalues of a matrix of order %lld", want,
                            (long long)lower->cols);
    else if (st == MRN_OK)
        st = by_lanczos(&s, want, (int)block, tolerance > 0 ? tolerance : 1e-10, out, msg);
    if (st >= MRN_OK)
        unscale(&s, out);
    else
        mrn_eigen_release(out);
    scaled_release(&s);
    return st;
}
