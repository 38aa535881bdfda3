/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symmetric part of W as a scalar sparse matrix, scaled, shifted and factorised. */
#include "solve/regular.h"

#include "base/base.h"
#include "solve/first_order.h"

/* Position of block (i, j), i != j; -1: not stored. */
static int64_t find_block(const mrn_system *s, int i, int j)
{
    int64_t lo = s->start[i], hi = s->start[i + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (s->col[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->start[i + 1] && s->col[lo] == j ? lo : -1;
}

/* Block rows below the diagonal in each block column: those that row j stores beyond j, and those
   that only the other half stores. With `at` NULL they are counted into count[j + 1], else written.
 */
static void lower_blocks(const mrn_system *s, int64_t *count, const int64_t *at, int32_t *below)
{
    for (int j = 0; j < s->n; j++)
        for (int64_t k = s->start[j]; k < s->start[j + 1]; k++) {
            int i = s->col[k];
            int column = i > j ? j : i, row = i > j ? i : j;
            if (i < j && find_block(s, i, j) >= 0)
                continue; /* row i has listed it */
            if (at != NULL)
                below[at[column] + count[column + 1]] = row;
            count[column + 1]++;
        }
}

static mrn_status list_blocks(const mrn_system *s, int64_t **start, int32_t **below)
{
    int64_t *count = mrn_work(s->work, s->n + 1, sizeof *count);
    *start = mrn_work(s->work, s->n + 1, sizeof **start);
    if (count == NULL || *start == NULL)
        return MRN_ERR_MEMORY;
    lower_blocks(s, count, NULL, NULL);
    for (int j = 0; j < s->n; j++) {
        (*start)[j + 1] = (*start)[j] + count[j + 1];
        count[j + 1] = 0;
    }
    *below = mrn_work(s->work, (*start)[s->n], sizeof **below);
    if (*below == NULL)
        return MRN_ERR_MEMORY;
    lower_blocks(s, count, *start, *below);
    return MRN_OK;
}

/* Block (i, j) of the symmetric part, scaled; what is lost by that is remembered. */
static void symmetric_block(const mrn_regular *a, int i, int j, double *block, double worst[2])
{
    const mrn_system *s = a->s;
    int b = s->b;
    int64_t here = i == j ? -1 : find_block(s, i, j), there = i == j ? -1 : find_block(s, j, i);
    const double *w = i == j      ? s->diag + (int64_t)i * b * b
                      : here >= 0 ? s->off + here * b * b
                                  : NULL;
    const double *v = i == j ? w : there >= 0 ? s->off + there * b * b : NULL;
    double scale = 1 / (a->root[i] * a->root[j]);
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) {
            double x = w != NULL ? scale * w[c * b + r] : 0;
            double y = v != NULL ? scale * v[r * b + c] : 0;
            block[c * b + r] = 0.5 * (x + y);
            worst[0] = fmax(worst[0], fabs(x - y));
            worst[1] = fmax(worst[1], fmax(fabs(x), fabs(y)));
        }
}

static void fill(mrn_regular *a, const int64_t *start, const int32_t *below)
{
    int b = a->s->b;
    double block[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX], worst[2] = {0, 0};
    for (int j = 0; j < a->s->n; j++) {
        int32_t blocks = (int32_t)(start[j + 1] - start[j]);
        for (int c = 0; c < b; c++) {
            int64_t column = (int64_t)j * b + c;
            a->start[column + 1] = a->start[column] + (b - c) + b * blocks;
        }
        for (int32_t k = -1; k < blocks; k++) {
            int i = k < 0 ? j : below[start[j] + k];
            symmetric_block(a, i, j, block, worst);
            for (int c = 0; c < b; c++) {
                int first = k < 0 ? c : 0;
                int32_t at = a->start[(int64_t)j * b + c] + (k < 0 ? 0 : b - c + b * k);
                for (int r = first; r < b; r++, at++) {
                    a->row[at] = i * b + r;
                    a->value[at] = block[c * b + r];
                }
            }
        }
    }
    a->asymmetry = worst[1] > 0 ? worst[0] / worst[1] : 0;
}

mrn_status mrn_regular_make(const mrn_system *s, mrn_regular *out, mrn_message *msg)
{
    *out = (mrn_regular){.s = s};
    int64_t n = s->n, b = s->b, *start;
    int32_t *below;
    out->root = mrn_work(s->work, n, sizeof *out->root);
    out->start = mrn_work(s->work, n * b + 1, sizeof *out->start);
    if (out->root == NULL || out->start == NULL || list_blocks(s, &start, &below) != MRN_OK)
        return mrn_fail_memory(msg);
    int64_t entries = n * (b * (b + 1) / 2) + start[n] * b * b;
    if (entries > INT32_MAX) /* beyond what 32-bit indices can tell apart: 17 GB of values */
        return mrn_fail_memory(msg);
    out->row = mrn_work(s->work, entries, sizeof *out->row);
    out->value = mrn_work(s->work, entries, sizeof *out->value);
    if (out->row == NULL || out->value == NULL)
        return mrn_fail_memory(msg);
    mrn_contact_means(s, out->root);
    for (int64_t i = 0; i < n; i++)
        out->root[i] = sqrt(out->root[i]);
    fill(out, start, below);
    return mrn_cholesky_make((int)(n * b), out->start, out->row, &out->cholesky, msg);
}

mrn_status mrn_regular_factor(mrn_regular *a, double rho, mrn_message *msg)
{
    int64_t m = (int64_t)a->s->n * a->s->b;
    for (int64_t k = 0; k < m; k++)
        a->value[a->start[k]] += rho - a->rho;
    a->rho = rho;
    return mrn_cholesky_factor(&a->cholesky, a->value, msg);
}

void mrn_regular_release(mrn_regular *a)
{
    mrn_cholesky_release(&a->cholesky);
}
