/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L Lᵀ of large sparse matrices by CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008): supernodal
   where dense blocks pay, which it finds out from the fill. CHOLMOD allocates by itself: only its
   settings could be changed, and those for the whole process. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/blas.h"
#include "linalg/factor_parts.h"
#include "linalg/sparse.h"

/* Right-hand sides solved at a time: enough for products of matrices, and little to hold. */
enum { TOGETHER = 16 };

struct mrn_llt_inside {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *x, *work, *more; /* kept from call to call */
    double *diagonal;               /* of the matrix last factorised */
    bool ready;                     /* to solve with */
};

mrn_status mrn_llt_status(const cholmod_common *c, mrn_message *msg)
{
    if (c->status == CHOLMOD_OUT_OF_MEMORY || c->status == CHOLMOD_TOO_LARGE)
        return mrn_fail_memory(msg);
    if (c->status < 0)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse factorisation refused its input (%d)",
                        c->status);
    return MRN_OK;
}

cholmod_sparse mrn_llt_view(const mrn_sparse *a)
{
    return (cholmod_sparse){.nrow = (size_t)a->rows,
                            .ncol = (size_t)a->cols,
                            .nzmax = (size_t)a->start[a->cols],
                            .p = a->start,
                            .i = a->row,
                            .x = a->value,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static mrn_status is_lower(const mrn_sparse *a, mrn_message *msg)
{
    if (a->rows != a->cols)
        return mrn_fail(msg, MRN_ERR_RANGE, "a matrix of %lld x %lld is not symmetric",
                        (long long)a->rows, (long long)a->cols);
    /* rows ascend: the first one tells */
    for (int64_t j = 0; j < a->cols; j++) {
        if (a->start[j] == a->start[j + 1] || a->row[a->start[j]] > j)
            return mrn_fail(msg, MRN_ERR_RANGE, "column %lld has no diagonal entry", (long long)j);
        if (a->row[a->start[j]] < j)
            return mrn_fail(msg, MRN_ERR_RANGE, "column %lld has an entry above the diagonal",
                            (long long)j);
    }
    return MRN_OK;
}

static void set_up(cholmod_common *c)
{
    cholmod_l_start(c);
    c->print = 0;
    c->try_catch = 1; /* refusals are stated once, by us */
    c->final_ll = 1;
    c->quick_return_if_not_posdef = 1;
    c->postorder = 1;
}

/* L, and for supernodes the largest update on its way to it. */
static double bytes_needed(const struct mrn_llt_inside *in)
{
    const cholmod_factor *l = in->factor;
    double numbers = l->is_super ? (double)l->xsize + (double)l->maxcsize : 2 * in->common.lnz;
    return sizeof(double) * numbers;
}

mrn_status mrn_llt_make(const mrn_sparse *lower, mrn_llt *out, mrn_message *msg)
{
    *out = (mrn_llt){.bad_column = -1};
    mrn_status st = is_lower(lower, msg);
    if (st != MRN_OK)
        return st;
    struct mrn_llt_inside *in = mrn_alloc(sizeof *in);
    if (in == NULL)
        return mrn_fail_memory(msg);
    out->inside = in;
    out->n = lower->cols;
    set_up(&in->common);
    st = mrn_array(&in->diagonal, out->n, sizeof *in->diagonal, msg);
    if (st == MRN_OK)
        st = mrn_llt_analyse(lower, &in->common, &in->factor, msg);
    if (st == MRN_OK)
        st = mrn_llt_panels(in->factor, &in->common, msg);
    if (st == MRN_OK)
        st = mrn_memory_enough(bytes_needed(in), "the factorisation", msg);
    if (st != MRN_OK) {
        mrn_llt_release(out);
        return st;
    }
    out->fill = (int64_t)in->common.lnz;
    out->flops = in->common.fl;
    out->bytes = (double)in->common.memory_inuse;
    return MRN_OK;
}

/* The first column, in the order of elimination, whose pivot is nothing but rounding; n: none.
   L Lᵀ = A + E with |E_ij| of some eps sqrt(A_ii A_jj); a null vector z of A, z_j = 1 in its last
   column, leaves the pivot zᵀE z there: as many terms of either sign as z is wide, sqrt(n) of them
   at random. A matrix of which a pivot is that small has lost every digit there. */
static int64_t lost_pivot(const mrn_llt *f)
{
    const cholmod_factor *l = f->inside->factor;
    const int64_t *perm = l->Perm;
    const double *x = l->x;
    double rounding = 4 * DBL_EPSILON * sqrt((double)f->n + 16);
    if (!l->is_super) {
        const int64_t *start = l->p;
        for (int64_t j = 0; j < f->n; j++) {
            double d = x[start[j]];
            if (!(d * d > rounding * f->inside->diagonal[perm[j]]))
                return j;
        }
        return f->n;
    }
    const int64_t *super = l->super, *pi = l->pi, *px = l->px;
    for (size_t s = 0; s < l->nsuper; s++)
        for (int64_t j = super[s]; j < super[s + 1]; j++) {
            double d = x[px[s] + (j - super[s]) * (pi[s + 1] - pi[s] + 1)];
            if (!(d * d > rounding * f->inside->diagonal[perm[j]]))
                return j;
        }
    return f->n;
}

static mrn_status not_definite(mrn_llt *f, int64_t pivot, mrn_message *msg)
{
    const int64_t *perm = f->inside->factor->Perm;
    f->bad_column = perm[pivot < f->n ? pivot : f->n - 1];
    return mrn_fail(msg, MRN_ERR_RANGE, "the matrix is not positive definite (column %lld)",
                    (long long)f->bad_column);
}

mrn_status mrn_llt_numeric(mrn_llt *f, const mrn_sparse *lower, double shift, mrn_message *msg)
{
    struct mrn_llt_inside *in = f->inside;
    in->ready = false;
    mrn_status st = is_lower(lower, msg);
    if (st != MRN_OK)
        return st;
    if (lower->cols != f->n)
        return mrn_fail(msg, MRN_ERR_RANGE, "order %lld, analysed for %lld", (long long)lower->cols,
                        (long long)f->n);
    for (int64_t j = 0; j < f->n; j++)
        in->diagonal[j] = lower->value[lower->start[j]] + shift;
    cholmod_sparse a = mrn_llt_view(lower);
    double beta[2] = {shift, 0};
    f->bad_column = -1;
    mrn_blas_threads hold = mrn_blas_begin();
    cholmod_l_factorize_p(&a, beta, NULL, 0, in->factor, &in->common);
    mrn_blas_end(hold);
    st = mrn_llt_status(&in->common, msg);
    if (st != MRN_OK)
        return st;
    f->bytes = (double)in->common.memory_inuse;
    if (in->common.status == CHOLMOD_NOT_POSDEF || in->factor->minor < in->factor->n)
        return not_definite(f, (int64_t)in->factor->minor, msg);
    int64_t lost = lost_pivot(f);
    if (lost < f->n)
        return not_definite(f, lost, msg);
    in->ready = true;
    return MRN_OK;
}

static mrn_status solve_some(mrn_llt *f, int columns, const double *b, double *x, mrn_message *msg)
{
    struct mrn_llt_inside *in = f->inside;
    size_t n = (size_t)f->n, all = n * (size_t)columns;
    cholmod_dense right = {.nrow = n,
                           .ncol = (size_t)columns,
                           .nzmax = all,
                           .d = n,
                           .x = (void *)b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_l_solve2(CHOLMOD_A, in->factor, &right, NULL, &in->x, NULL, &in->work, &in->more,
                          &in->common)) {
        mrn_status st = mrn_llt_status(&in->common, msg);
        return st != MRN_OK ? st : mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse solve failed");
    }
    memcpy(x, in->x->x, all * sizeof *x);
    return MRN_OK;
}

mrn_status mrn_llt_solve(mrn_llt *f, int columns, const double *b, double *x, mrn_message *msg)
{
    if (f->inside == NULL || !f->inside->ready)
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no factorisation to solve with");
    mrn_status st = MRN_OK;
    mrn_blas_threads hold = mrn_blas_begin();
    for (int at = 0; at < columns && st == MRN_OK && f->n > 0; at += TOGETHER) {
        int some = columns - at < TOGETHER ? columns - at : TOGETHER;
        st = solve_some(f, some, b + at * f->n, x + at * f->n, msg);
    }
    mrn_blas_end(hold);
    return st;
}

void mrn_llt_release(mrn_llt *f)
{
    struct mrn_llt_inside *in = f->inside;
    if (in != NULL) {
        cholmod_l_free_dense(&in->x, &in->common);
        cholmod_l_free_dense(&in->work, &in->common);
        cholmod_l_free_dense(&in->more, &in->common);
        cholmod_l_free_factor(&in->factor, &in->common);
        cholmod_l_finish(&in->common);
        mrn_free(in->diagonal);
        mrn_free(in);
    }
    *f = (mrn_llt){.bad_column = -1};
}
