/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank and null spaces by SuiteSparseQR (Davis 2011), which drops columns that depend on earlier
   ones as it meets them (Heath 1982), of the matrix or of its transpose, whichever has fewer
   columns: the fewer are dropped the surer it is. A E = Q [R1 R2; 0 0] with R1 triangular and
   regular, once the dropped columns stand last: the null space of A is that of [R1 R2], the columns
   of [-R1⁻¹R2; 1]; that of Aᵀ are the columns of Q beyond the rank.

   What is dropped: columns of which less than `tolerance` times the largest column is left. A
   column that depends on others keeps rounding only, eps times the size of its coefficients: 1e-15
   to 1e-14 in networks well above or below the least number of contacts, up to 1e-10 close to it,
   where clusters just rigid have coefficients of 1e5. A column that does not depend keeps its
   distance from the span of those before, no less than the smallest singular value: with entries of
   order one, 1/N along a chain of N, the softest network there is, and 1/N^(1/2) or 1/N^(1/3) in a
   packing; 1e-6 was the least in networks at random close to isostatic. 1e-8 lies between, and is
   about sqrt(eps): a column kept at that distance raises rounding to that size at most.

   These are rules for networks, not theorems: columns kept may be so close to dependent that what
   is left of others is their rounding made large. So the smallest singular value of R1 is
   estimated, and null vectors are tried on A; when either fails, singular values decide where the
   matrix is small, and where it is not that is stated. */
#include <SuiteSparseQR_C.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/blas.h"
#include "linalg/sparse.h"

#define RANK_TOLERANCE 1e-8
enum { MOST_DENSE = 3000 }; /* rows and columns of which all singular values are computed */

/* One factorisation. */
typedef struct qr {
    cholmod_common common;
    cholmod_sparse *r;       /* columns stand as in `column`, then `perm`        */
    cholmod_sparse *h;       /* Householder vectors, or NULL                     */
    cholmod_dense *tau;      /* their factors                                    */
    SuiteSparse_long *place; /* where a row of the matrix stands in them         */
    SuiteSparse_long *perm;  /* SuiteSparseQR's own order, or NULL               */
    int64_t rows, cols;      /* of the matrix                                    */
    int64_t *column;         /* cols: column of the matrix that stands there     */
    int64_t *live;           /* rank: columns of R with the diagonal of R1       */
    int64_t *dead;           /* cols - rank: the others                          */
    double *diagonal;        /* rank                                             */
    double *y;               /* rank numbers to work with                        */
    int64_t rank;
    double smallest_in, largest_out; /* absolute                                         */
} qr;

static void qr_release(qr *q)
{
    cholmod_l_free_sparse(&q->r, &q->common);
    cholmod_l_free_sparse(&q->h, &q->common);
    cholmod_l_free_dense(&q->tau, &q->common);
    if (q->place != NULL)
        cholmod_l_free((size_t)q->rows, sizeof *q->place, q->place, &q->common);
    if (q->perm != NULL)
        cholmod_l_free((size_t)q->cols, sizeof *q->perm, q->perm, &q->common);
    cholmod_l_finish(&q->common);
    mrn_free(q->column);
    mrn_free(q->live);
    mrn_free(q->dead);
    mrn_free(q->diagonal);
    mrn_free(q->y);
}

static mrn_status status_of(const cholmod_common *c, mrn_message *msg)
{
    if (c->status == CHOLMOD_OUT_OF_MEMORY || c->status == CHOLMOD_TOO_LARGE)
        return mrn_fail_memory(msg);
    if (c->status < 0)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse QR refused its input (%d)", c->status);
    return MRN_OK;
}

static cholmod_sparse view_of(const mrn_sparse *a)
{
    return (cholmod_sparse){.nrow = (size_t)a->rows,
                            .ncol = (size_t)a->cols,
                            .nzmax = (size_t)a->start[a->cols],
                            .p = a->start,
                            .i = a->row,
                            .x = a->value,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/* An order of the columns of A that leaves little fill in R, which has the pattern of the Cholesky
   factor of AᵀA; what that will hold is known before anything large is asked for. */
static mrn_status order_columns(qr *q, const mrn_sparse *transposed, bool keep, mrn_message *msg)
{
    cholmod_common *c = &q->common;
    cholmod_sparse at = view_of(transposed);
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->nmethods = 0;
    cholmod_factor *l = cholmod_l_analyze(&at, c);
    mrn_status st = status_of(c, msg);
    if (st == MRN_OK)
        memcpy(q->column, l->Perm, (size_t)q->cols * sizeof *q->column);
    cholmod_l_free_factor(&l, c);
    /* R while it is made, R as it is given back with its row numbers, and fronts between; vectors
       of Q are about as many numbers again, and given back likewise */
    double bytes = (keep ? 8 : 4) * sizeof(double) * c->lnz;
    return st != MRN_OK ? st : mrn_memory_enough(bytes, "the sparse QR", msg);
}

static mrn_status take_columns(const mrn_sparse *a, const int64_t *column, mrn_sparse *out,
                               mrn_message *msg)
{
    int64_t n = a->start[a->cols];
    *out = (mrn_sparse){.rows = a->rows, .cols = a->cols};
    mrn_status st = mrn_array(&out->start, a->cols + 1, sizeof *out->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->row, n, sizeof *out->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->value, n, sizeof *out->value, msg);
    for (int64_t j = 0; st == MRN_OK && j < a->cols; j++) {
        int64_t from = a->start[column[j]], some = a->start[column[j] + 1] - from;
        int64_t to = out->start[j];
        memcpy(out->row + to, a->row + from, (size_t)some * sizeof *out->row);
        memcpy(out->value + to, a->value + from, (size_t)some * sizeof *out->value);
        out->start[j + 1] = to + some;
    }
    return st;
}

/* R is a staircase: a live column is the first to reach the next row. */
static mrn_status find_live_columns(qr *q, mrn_message *msg)
{
    const int64_t *start = q->r->p, *row = q->r->i;
    const double *value = q->r->x;
    int64_t live = 0, dead = 0;
    q->smallest_in = INFINITY;
    for (int64_t j = 0; j < q->cols; j++) {
        int64_t last = -1;
        double at_last = 0;
        for (int64_t k = start[j]; k < start[j + 1]; k++)
            if (row[k] > last)
                last = row[k], at_last = value[k];
        if (last == live && live < q->rank) {
            q->live[live] = j;
            q->diagonal[live++] = at_last;
            q->smallest_in = fmin(q->smallest_in, fabs(at_last));
        } else if (last < live && dead < q->cols - q->rank) {
            q->dead[dead++] = j;
        } else {
            break;
        }
    }
    if (live + dead != q->cols)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse QR gave a factor that is no staircase");
    return MRN_OK;
}

static mrn_status factorise(qr *q, const mrn_sparse *ordered, double tolerance, bool keep,
                            mrn_message *msg)
{
    cholmod_common *c = &q->common;
    cholmod_sparse a = view_of(ordered);
    mrn_blas_threads hold = mrn_blas_begin();
    q->rank = SuiteSparseQR_C(SPQR_ORDERING_FIXED, tolerance, 0, 0, &a, NULL, NULL, NULL, NULL,
                              &q->r, &q->perm, keep ? &q->h : NULL, keep ? &q->place : NULL,
                              keep ? &q->tau : NULL, c);
    mrn_blas_end(hold);
    mrn_status st = status_of(c, msg);
    if (st == MRN_OK && (q->rank < 0 || q->r == NULL))
        st = mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse QR failed");
    if (st == MRN_OK)
        st = mrn_array(&q->live, q->rank, sizeof *q->live, msg);
    if (st == MRN_OK)
        st = mrn_array(&q->dead, q->cols - q->rank, sizeof *q->dead, msg);
    if (st == MRN_OK)
        st = mrn_array(&q->diagonal, q->rank, sizeof *q->diagonal, msg);
    if (st == MRN_OK)
        st = mrn_array(&q->y, q->rank, sizeof *q->y, msg);
    if (st == MRN_OK)
        st = find_live_columns(q, msg);
    q->largest_out = c->SPQR_norm_E_fro;
    return st;
}

/* Of A, given with its transpose; `keep` Q. To be released whatever comes back. */
static mrn_status qr_make(const mrn_sparse *a, const mrn_sparse *transposed, double tolerance,
                          bool keep, qr *q, mrn_message *msg)
{
    mrn_sparse ordered = {0};
    *q = (qr){.rows = a->rows, .cols = a->cols};
    cholmod_l_start(&q->common);
    q->common.print = 0;
    q->common.try_catch = 1;
    mrn_status st = mrn_array(&q->column, a->cols, sizeof *q->column, msg);
    if (st == MRN_OK)
        st = order_columns(q, transposed, keep, msg);
    if (st == MRN_OK)
        st = take_columns(a, q->column, &ordered, msg);
    if (st == MRN_OK)
        st = factorise(q, &ordered, tolerance, keep, msg);
    mrn_sparse_release(&ordered);
    return st;
}

static int64_t column_of(const qr *q, int64_t j)
{
    return q->column[q->perm != NULL ? q->perm[j] : j];
}

/* y = R1⁻¹ y */
static void back(const qr *q, double *y)
{
    const int64_t *start = q->r->p, *row = q->r->i;
    const double *value = q->r->x;
    for (int64_t k = q->rank - 1; k >= 0; k--) {
        int64_t j = q->live[k];
        y[k] /= q->diagonal[k];
        for (int64_t e = start[j]; e < start[j + 1]; e++)
            if (row[e] < k)
                y[row[e]] -= value[e] * y[k];
    }
}

/* y = R1⁻ᵀ y */
static void forward(const qr *q, double *y)
{
    const int64_t *start = q->r->p, *row = q->r->i;
    const double *value = q->r->x;
    for (int64_t k = 0; k < q->rank; k++) {
        int64_t j = q->live[k];
        double sum = y[k];
        for (int64_t e = start[j]; e < start[j + 1]; e++)
            if (row[e] < k)
                sum -= value[e] * y[row[e]];
        y[k] = sum / q->diagonal[k];
    }
}

/* The smallest singular value of R1, from above, by inverse iteration: a diagonal without small
   entries does not prove that there is none (Kahan 1966). */
static double smallest_singular(const qr *q)
{
    double *y = q->y, estimate = INFINITY;
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int64_t k = 0; k < q->rank; k++)
        y[k] = mrn_rng_uniform(&rng) - 0.5;
    for (int round = 0; round < 4 && q->rank > 0; round++) {
        double before = 0, after = 0;
        for (int64_t k = 0; k < q->rank; k++)
            before += y[k] * y[k];
        before = sqrt(before);
        for (int64_t k = 0; k < q->rank; k++)
            y[k] /= before;
        forward(q, y);
        for (int64_t k = 0; k < q->rank; k++)
            after += y[k] * y[k];
        estimate = fmin(estimate, 1 / sqrt(after));
        back(q, y);
    }
    return estimate;
}

static mrn_status orthonormalise(int64_t rows, int64_t k, double *x, mrn_message *msg)
{
    if (rows > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "a null space in %lld unknowns", (long long)rows);
    int m = (int)rows, n = (int)k, info = 0, lwork = 64 * n;
    double *room = NULL;
    mrn_status st = mrn_array(&room, n + lwork, sizeof *room, msg);
    if (st != MRN_OK)
        return st;
    mrn_blas_threads hold = mrn_blas_begin();
    dgeqrf_(&m, &n, x, &m, room, room + n, &lwork, &info);
    dorgqr_(&m, &n, &n, x, &m, room, room + n, &lwork, &info);
    mrn_blas_end(hold);
    mrn_free(room);
    return MRN_OK;
}

/* x, all zero: the vector of the null space that has 1 in the dead column, 0 in the other dead. */
static void null_vector(const qr *q, int64_t dead, double *x)
{
    double *y = q->y;
    const int64_t *start = q->r->p, *row = q->r->i;
    const double *value = q->r->x;
    memset(y, 0, (size_t)q->rank * sizeof *y);
    for (int64_t e = start[dead]; e < start[dead + 1]; e++)
        y[row[e]] = value[e];
    back(q, y);
    for (int64_t k = 0; k < q->rank; k++)
        x[column_of(q, q->live[k])] = -y[k];
    x[column_of(q, dead)] = 1;
}

static mrn_status basis_room(int64_t rows, int64_t k, double **basis, mrn_message *msg)
{
    double bytes = sizeof(double) * (double)k * (double)rows;
    mrn_status st = mrn_memory_enough(bytes, "the null space", msg);
    return st == MRN_OK ? mrn_array(basis, k * rows, sizeof **basis, msg) : st;
}

/* Largest |A x| of k vectors. */
static mrn_status largest_left(const mrn_sparse *a, int64_t k, const double *basis, double *left,
                               mrn_message *msg)
{
    double *y = NULL;
    mrn_status st = mrn_array(&y, a->rows, sizeof *y, msg);
    *left = 0;
    for (int64_t d = 0; st == MRN_OK && d < k; d++) {
        double sum = 0;
        mrn_sparse_times(a, basis + d * a->cols, y);
        for (int64_t i = 0; i < a->rows; i++)
            sum += y[i] * y[i];
        *left = fmax(*left, sqrt(sum));
    }
    mrn_free(y);
    return st;
}

/* What was dropped of a column is missing in R, and A x is not zero by as much: takes out of the k
   vectors what gives A x, x -= (AᵀA)⁻¹Aᵀ A x over the live columns, by R1. */
static mrn_status mend(const qr *q, const mrn_sparse *a, int64_t k, double *basis, mrn_message *msg)
{
    double *ax = NULL, *gradient = NULL;
    mrn_status st = mrn_array(&ax, a->rows, sizeof *ax, msg);
    if (st == MRN_OK)
        st = mrn_array(&gradient, a->cols, sizeof *gradient, msg);
    for (int64_t d = 0; st == MRN_OK && d < k; d++) {
        double *x = basis + d * a->cols;
        mrn_sparse_times(a, x, ax);
        mrn_sparse_times_t(a, ax, gradient);
        for (int64_t i = 0; i < q->rank; i++)
            q->y[i] = gradient[column_of(q, q->live[i])];
        forward(q, q->y);
        back(q, q->y);
        for (int64_t i = 0; i < q->rank; i++)
            x[column_of(q, q->live[i])] -= q->y[i];
    }
    mrn_free(ax);
    mrn_free(gradient);
    return st == MRN_OK ? orthonormalise(a->cols, k, basis, msg) : st;
}

/* Of A; `left` is what A leaves of it. */
static mrn_status null_by_r(const qr *q, const mrn_sparse *a, double scale, double **basis,
                            double *left, mrn_message *msg)
{
    int64_t k = q->cols - q->rank;
    mrn_status st = basis_room(q->cols, k, basis, msg);
    for (int64_t d = 0; st == MRN_OK && d < k; d++)
        null_vector(q, q->dead[d], *basis + d * q->cols);
    if (st == MRN_OK)
        st = orthonormalise(q->cols, k, *basis, msg);
    if (st == MRN_OK)
        st = largest_left(a, k, *basis, left, msg);
    if (st == MRN_OK && *left > 1e-12 * scale) {
        st = mend(q, a, k, *basis, msg);
        if (st == MRN_OK)
            st = largest_left(a, k, *basis, left, msg);
    }
    return st;
}

/* x = H1 H2 … x, all reflections 1 - tau v vᵀ */
static void times_q(const qr *q, double *x)
{
    const int64_t *start = q->h->p, *row = q->h->i;
    const double *value = q->h->x, *tau = q->tau->x;
    for (int64_t k = (int64_t)q->h->ncol - 1; k >= 0; k--) {
        double sum = 0;
        for (int64_t e = start[k]; e < start[k + 1]; e++)
            sum += value[e] * x[row[e]];
        sum *= tau[k];
        for (int64_t e = start[k]; e < start[k + 1]; e++)
            x[row[e]] -= sum * value[e];
    }
}

/* Of Aᵀ. */
static mrn_status null_by_q(const qr *q, double **basis, mrn_message *msg)
{
    int64_t k = q->rows - q->rank;
    double *x = NULL;
    mrn_status st = basis_room(q->rows, k, basis, msg);
    if (st == MRN_OK)
        st = mrn_array(&x, q->rows, sizeof *x, msg);
    for (int64_t d = 0; st == MRN_OK && d < k; d++) {
        memset(x, 0, (size_t)q->rows * sizeof *x);
        x[q->rank + d] = 1;
        times_q(q, x);
        for (int64_t i = 0; i < q->rows; i++)
            (*basis)[d * q->rows + i] = x[q->place[i]];
    }
    mrn_free(x);
    return st;
}

static double largest_column(const mrn_sparse *a)
{
    double largest = 0;
    for (int64_t j = 0; j < a->cols; j++) {
        double sum = 0;
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
            sum += a->value[k] * a->value[k];
        if (!isfinite(sum))
            return sum;
        largest = fmax(largest, sum);
    }
    return sqrt(largest);
}

/* What is asked for. */
typedef struct asked {
    bool right, left;
    int64_t most;
    double scale; /* largest column */
} asked;

/* `a` is the matrix or, `turned`, its transpose. */
static mrn_status by_qr(const mrn_sparse *a, const mrn_sparse *transposed, bool turned, asked ask,
                        mrn_rank *out, mrn_message *msg)
{
    qr q;
    double least = 0, left = 0;
    bool by_r = turned ? ask.left : ask.right, by_q = turned ? ask.right : ask.left;
    mrn_status st = qr_make(a, transposed, out->tolerance * ask.scale, by_q, &q, msg);
    if (st == MRN_OK) {
        out->rank = q.rank;
        out->smallest_in = q.smallest_in / ask.scale;
        out->largest_out = q.largest_out / ask.scale;
        out->bytes = (double)q.common.memory_usage;
        out->flops = q.common.SPQR_flopcount;
        least = smallest_singular(&q) / ask.scale;
    }
    int64_t k = q.cols - q.rank, l = q.rows - q.rank;
    if (st == MRN_OK && by_r && k > 0 && k <= ask.most) {
        st = null_by_r(&q, a, ask.scale, turned ? &out->left : &out->right, &left, msg);
        *(turned ? &out->n_left : &out->n_right) = k;
    }
    if (st == MRN_OK && by_q && l > 0 && l <= ask.most) {
        st = null_by_q(&q, turned ? &out->right : &out->left, msg);
        *(turned ? &out->n_right : &out->n_left) = l;
    }
    qr_release(&q);
    bool clear = least > 10 * out->tolerance && left <= out->tolerance * ask.scale;
    if (st == MRN_OK && !clear)
        return mrn_fail(msg, MRN_NOT_CONVERGED,
                        "the rank is not clear: %lld counts a singular value of %.3g (largest "
                        "column 1), and null vectors leave %.3g",
                        (long long)out->rank, least, left / ask.scale);
    return st;
}

/* Room of a dense decomposition: the matrix, singular values, vectors of both sides, work. */
typedef struct svd {
    double *a, *value, *u, *vt, *work;
    int *iwork;
} svd;

static void svd_release(svd *s)
{
    mrn_free(s->a);
    mrn_free(s->value);
    mrn_free(s->u);
    mrn_free(s->vt);
    mrn_free(s->work);
    mrn_free(s->iwork);
}

static mrn_status svd_make(const mrn_sparse *a, svd *s, mrn_message *msg)
{
    int m = (int)a->rows, n = (int)a->cols, info = 0;
    int small = m < n ? m : n, large = m < n ? n : m, lwork = 4 * small * (small + 2) + 64 * large;
    mrn_status st = mrn_array(&s->a, (int64_t)m * n, sizeof *s->a, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->value, small, sizeof *s->value, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->u, (int64_t)m * m, sizeof *s->u, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->vt, (int64_t)n * n, sizeof *s->vt, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->work, lwork, sizeof *s->work, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->iwork, 8 * (int64_t)small, sizeof *s->iwork, msg);
    if (st != MRN_OK)
        return st;
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
            s->a[j * m + a->row[k]] = a->value[k];
    mrn_blas_threads hold = mrn_blas_begin();
    dgesdd_("A", &m, &n, s->a, &m, s->value, s->u, &m, s->vt, &n, s->work, &lwork, s->iwork, &info,
            1);
    mrn_blas_end(hold);
    return info == 0 ? MRN_OK
                     : mrn_fail(msg, MRN_ERR_INTERNAL, "singular values failed (%d)", info);
}

static mrn_status by_svd(const mrn_sparse *a, asked ask, mrn_rank *out, mrn_message *msg)
{
    svd s = {0};
    int64_t m = a->rows, n = a->cols, small = m < n ? m : n, r = 0;
    mrn_status st = svd_make(a, &s, msg);
    while (st == MRN_OK && r < small && s.value[r] > out->tolerance * ask.scale)
        r++;
    mrn_rank found = {.rank = r, .tolerance = out->tolerance, .bytes = out->bytes};
    if (st == MRN_OK) {
        found.flops = out->flops;
        found.smallest_in = r > 0 ? s.value[r - 1] / ask.scale : INFINITY;
        found.largest_out = r < small ? s.value[r] / ask.scale : 0;
        found.n_right = ask.right && n - r <= ask.most ? n - r : 0;
        found.n_left = ask.left && m - r <= ask.most ? m - r : 0;
    }
    if (st == MRN_OK && found.n_right > 0)
        st = mrn_array(&found.right, n * (n - r), sizeof(double), msg);
    if (st == MRN_OK && found.n_left > 0)
        st = mrn_array(&found.left, m * (m - r), sizeof(double), msg);
    for (int64_t k = 0; st == MRN_OK && k < found.n_right; k++)
        for (int64_t i = 0; i < n; i++)
            found.right[k * n + i] = s.vt[i * n + r + k];
    if (st == MRN_OK && found.n_left > 0)
        memcpy(found.left, s.u + r * m, (size_t)(m * (m - r)) * sizeof(double));
    svd_release(&s);
    mrn_rank_release(st == MRN_OK ? out : &found);
    if (st == MRN_OK)
        *out = found;
    return st;
}

/* A matrix of zeros, or none: every vector is in its null spaces. */
static mrn_status identity(int64_t n, int64_t most, int64_t *columns, double **basis,
                           mrn_message *msg)
{
    if (n == 0 || n > most)
        return MRN_OK;
    mrn_status st = mrn_array(basis, n * n, sizeof **basis, msg);
    for (int64_t k = 0; st == MRN_OK && k < n; k++)
        (*basis)[k * n + k] = 1;
    *columns = st == MRN_OK ? n : 0;
    return st;
}

static mrn_status of_some(const mrn_sparse *a, asked ask, mrn_rank *out, mrn_message *msg)
{
    mrn_sparse transposed;
    bool turned = a->rows < a->cols;
    mrn_status st = mrn_sparse_transpose(a, &transposed, msg);
    if (st == MRN_OK)
        st = by_qr(turned ? &transposed : a, turned ? a : &transposed, turned, ask, out, msg);
    mrn_sparse_release(&transposed);
    if (st == MRN_NOT_CONVERGED && a->rows <= MOST_DENSE && a->cols <= MOST_DENSE)
        st = by_svd(a, ask, out, msg);
    if (st == MRN_OK && msg != NULL)
        *msg = (mrn_message){0}; /* what was not clear is */
    return st;
}

mrn_status mrn_rank_of(const mrn_sparse *a, double tolerance, bool right, bool left, int64_t most,
                       mrn_rank *out, mrn_message *msg)
{
    *out = (mrn_rank){.tolerance = tolerance > 0 ? tolerance : RANK_TOLERANCE};
    double scale = largest_column(a);
    mrn_status st = MRN_OK;
    if (!isfinite(scale))
        return mrn_fail(msg, MRN_ERR_RANGE, "the matrix has entries that are not finite");
    if (scale > 0) {
        st = of_some(a, (asked){right, left, most, scale}, out, msg);
    } else {
        if (right)
            st = identity(a->cols, most, &out->n_right, &out->right, msg);
        if (left && st == MRN_OK)
            st = identity(a->rows, most, &out->n_left, &out->left, msg);
    }
    if (st < MRN_OK)
        mrn_rank_release(out);
    return st;
}

void mrn_rank_release(mrn_rank *r)
{
    mrn_free(r->right);
    mrn_free(r->left);
    *r = (mrn_rank){0};
}
