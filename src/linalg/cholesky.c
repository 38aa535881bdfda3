/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse L D Lᵀ by CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008), its simplicial method: the
   supernodal one calls a BLAS whose sums depend on the number of threads. */
#include "linalg/cholesky.h"

#include <cholmod.h>
#include <string.h>

#include "base/base.h"

struct mrn_cholesky_inside {
    cholmod_common common;
    cholmod_sparse matrix; /* points to the pattern of the caller */
    cholmod_factor *factor;
    cholmod_dense right;            /* points to the right-hand side of a call */
    cholmod_dense *x, *work, *more; /* kept from call to call */
};

static mrn_status status_of(const mrn_cholesky *c, mrn_message *msg)
{
    int status = c->inside->common.status;
    if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE)
        return mrn_fail_memory(msg);
    if (status < 0)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "the sparse factorisation refused its input (%d)",
                        status);
    return MRN_OK;
}

mrn_status mrn_cholesky_make(int n, const int32_t *start, const int32_t *row, mrn_cholesky *out,
                             mrn_message *msg)
{
    *out = (mrn_cholesky){0};
    struct mrn_cholesky_inside *in = mrn_alloc(sizeof *in);
    if (in == NULL)
        return mrn_fail_memory(msg);
    out->inside = in;
    cholmod_common *c = &in->common;
    cholmod_start(c);
    c->print = 0;
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->final_ll = 0;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_AMD;
    c->postorder = 1;
    in->matrix = (cholmod_sparse){.nrow = (size_t)n,
                                  .ncol = (size_t)n,
                                  .nzmax = (size_t)start[n],
                                  .p = (void *)start,
                                  .i = (void *)row,
                                  .stype = -1,
                                  .itype = CHOLMOD_INT,
                                  .xtype = CHOLMOD_PATTERN,
                                  .dtype = CHOLMOD_DOUBLE,
                                  .packed = 1};
    in->right = (cholmod_dense){.nrow = (size_t)n,
                                .ncol = 1,
                                .nzmax = (size_t)n,
                                .d = (size_t)n,
                                .xtype = CHOLMOD_REAL,
                                .dtype = CHOLMOD_DOUBLE};
    in->factor = cholmod_analyze(&in->matrix, c);
    mrn_status st = status_of(out, msg);
    if (st != MRN_OK)
        mrn_cholesky_release(out);
    return st;
}

mrn_status mrn_cholesky_factor(mrn_cholesky *c, const double *value, mrn_message *msg)
{
    struct mrn_cholesky_inside *in = c->inside;
    in->matrix.x = (void *)value;
    in->matrix.xtype = CHOLMOD_REAL;
    cholmod_factorize(&in->matrix, in->factor, &in->common);
    mrn_status st = status_of(c, msg);
    if (st != MRN_OK)
        return st;
    /* L D Lᵀ goes on past negative pivots; a zero one stops it at column `minor` */
    const double *d = in->factor->x;
    const int *start = in->factor->p;
    for (size_t j = 0; j < in->factor->n; j++)
        if (j >= in->factor->minor || !(d[start[j]] > 0))
            return mrn_fail(msg, MRN_ERR_RANGE, "the matrix is not positive definite (pivot %zu)",
                            j);
    c->fill = (int64_t)in->common.lnz;
    return MRN_OK;
}

bool mrn_cholesky_solve(mrn_cholesky *c, const double *b, double *x)
{
    struct mrn_cholesky_inside *in = c->inside;
    in->right.x = (void *)b;
    if (!cholmod_solve2(CHOLMOD_A, in->factor, &in->right, NULL, &in->x, NULL, &in->work, &in->more,
                        &in->common))
        return false;
    memcpy(x, in->x->x, in->right.nrow * sizeof *x);
    return true;
}

void mrn_cholesky_release(mrn_cholesky *c)
{
    struct mrn_cholesky_inside *in = c->inside;
    if (in == NULL)
        return;
    cholmod_free_dense(&in->x, &in->common);
    cholmod_free_dense(&in->work, &in->common);
    cholmod_free_dense(&in->more, &in->common);
    cholmod_free_factor(&in->factor, &in->common);
    cholmod_finish(&in->common);
    mrn_free(in);
    *c = (mrn_cholesky){0};
}
