/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of W from the entries of a file. The pattern is put right: solvers sweep over every stored
   block and colour contacts by neighbours, so blocks of zeros that codes store are dropped, and
   where only one of W_ij and W_ji is there, the other is stored as zeros. */
#include <string.h>

#include "fclib/fclib.h"

/* Appends a zero entry for every block whose mirror is missing; returns how many. */
static mrn_status add_mirrors(const mrn_bsr *a, mrn_fclib_matrix *W, int64_t *added,
                              mrn_message *msg)
{
    mrn_status st = MRN_OK;
    *added = 0;
    for (int i = 0; st == MRN_OK && i < a->rows; i++)
        for (int64_t k = a->start[i]; st == MRN_OK && k < a->start[i + 1]; k++)
            if (mrn_bsr_find(a, a->col[k], i) < 0) {
                st = mrn_fclib_matrix_add(W, a->col[k] * a->br, i * a->bc, 0, msg);
                (*added)++;
            }
    return st;
}

static bool is_zero(const mrn_bsr *a, int64_t k)
{
    int64_t area = (int64_t)a->br * a->bc;
    for (int64_t e = 0; e < area; e++)
        if (a->value[k * area + e] != 0)
            return false;
    return true;
}

/* A diagonal block stays in any case: a contact without one is for others to refuse. */
static void find_kept(const mrn_bsr *a, uint8_t *keep)
{
    for (int i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            keep[k] =
                a->col[k] == i || !is_zero(a, k) || !is_zero(a, mrn_bsr_find(a, a->col[k], i));
}

static void drop(mrn_bsr *a, const uint8_t *keep)
{
    int64_t at = 0, area = (int64_t)a->br * a->bc, begin = 0;
    for (int i = 0; i < a->rows; i++) {
        int64_t end = a->start[i + 1];
        for (int64_t k = begin; k < end; k++)
            if (keep[k]) {
                a->col[at] = a->col[k];
                memmove(a->value + at * area, a->value + k * area, (size_t)area * sizeof(double));
                at++;
            }
        begin = end;
        a->start[i + 1] = at;
    }
    memset(a->value + at * area, 0, MRN_BSR_PADDING * sizeof(double));
}

mrn_status mrn_fclib_blocks(int n, int b, mrn_fclib_matrix *W, mrn_bsr *out, mrn_message *msg)
{
    uint8_t *keep = NULL;
    int64_t added = 0;
    mrn_status st = mrn_bsr_from_entries(n, n, b, b, W->nnz, W->row, W->col, W->x, out, msg);
    if (st == MRN_OK)
        st = add_mirrors(out, W, &added, msg);
    if (st == MRN_OK && added > 0) {
        mrn_bsr_release(out);
        st = mrn_bsr_from_entries(n, n, b, b, W->nnz, W->row, W->col, W->x, out, msg);
    }
    if (st == MRN_OK)
        st = mrn_array(&keep, out->start[n], sizeof *keep, msg);
    if (st == MRN_OK) {
        find_kept(out, keep);
        drop(out, keep);
    }
    mrn_free(keep);
    return st;
}
