/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unilateral contacts and bilateral ones apart, as the local form of FCLIB has them:
   u = W r + V l + q and 0 = Vt r + R l + s. */
#include <string.h>

#include "fclib/fclib.h"

void mrn_fclib_split_release(mrn_fclib_split *s)
{
    mrn_free(s->place);
    *s = (mrn_fclib_split){0};
}

mrn_status mrn_fclib_split_make(const mrn_problem *p, mrn_fclib_split *s, mrn_message *msg)
{
    *s = (mrn_fclib_split){.law = p->law};
    mrn_status st = mrn_array(&s->place, p->n, sizeof *s->place, msg);
    for (int k = 0; st == MRN_OK && k < p->n; k++)
        s->place[k] = s->n[mrn_fclib_law(s, k)]++;
    return st;
}

/* Blocks of a row of W in columns of one law; `to` (may be NULL) gets them from block `at` on. */
static int64_t pick_row(const mrn_fclib_split *s, const mrn_bsr *W, int row, int law, mrn_bsr *to,
                        int64_t at)
{
    size_t area = (size_t)W->br * (size_t)W->bc;
    for (int64_t k = W->start[row]; k < W->start[row + 1]; k++) {
        if (mrn_fclib_law(s, W->col[k]) != law)
            continue;
        if (to != NULL) {
            to->col[at] = s->place[W->col[k]];
            memcpy(to->value + (size_t)at * area, W->value + (size_t)k * area,
                   area * sizeof *W->value);
        }
        at++;
    }
    return at;
}

mrn_status mrn_fclib_split_blocks(const mrn_fclib_split *s, const mrn_bsr *W, int rows, int cols,
                                  mrn_bsr *out, mrn_message *msg)
{
    int64_t n = 0, at = 0, area = (int64_t)W->br * W->bc;
    for (int row = 0; row < W->rows; row++)
        if (mrn_fclib_law(s, row) == rows)
            n = pick_row(s, W, row, cols, NULL, n);
    *out = (mrn_bsr){.rows = s->n[rows], .cols = s->n[cols], .br = W->br, .bc = W->bc};
    mrn_status st = mrn_array(&out->start, (int64_t)out->rows + 1, sizeof *out->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->col, n, sizeof *out->col, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->value, n * area + MRN_BSR_PADDING, sizeof *out->value, msg);
    for (int row = 0; st == MRN_OK && row < W->rows; row++)
        if (mrn_fclib_law(s, row) == rows) {
            at = pick_row(s, W, row, cols, out, at);
            out->start[s->place[row] + 1] = at;
        }
    if (st != MRN_OK)
        mrn_bsr_release(out);
    return st;
}

int64_t mrn_fclib_split_numbers(const mrn_fclib_split *s, int law, int n, int width,
                                const double *all, double *out)
{
    for (int k = 0; k < n; k++)
        if (mrn_fclib_law(s, k) == law)
            memcpy(out + (int64_t)s->place[k] * width, all + (int64_t)k * width,
                   (size_t)width * sizeof *out);
    return (int64_t)s->n[law] * width;
}
