/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of elimination. Unknowns of one grain have the same neighbours, so that nothing is lost
   when they are eliminated together: grains are ordered, which is several times faster than to
   order unknowns, and each is replaced by its unknowns then. AMD first; nested dissection (METIS,
   and CHOLMOD's own on top of it) where AMD leaves many operations, and the order with the fewest
   is taken. */
#include <string.h>

#include "base/base.h"
#include "linalg/factor_parts.h"

/* Operations of a factorisation per group above which METIS takes less time than it spares: it
   needs some 10 us per group, a core 0.05 ns per operation. Above the second, another try does too.
 */
#define MANY      1e6
#define VERY_MANY 1e7

/* Groups of neighbouring columns with one pattern. */
typedef struct groups {
    int64_t n;      /* of them                      */
    int64_t *first; /* n + 1: their first columns   */
    int64_t *of;    /* group of each column         */
    mrn_sparse a;   /* pattern between them, lower triangle; no values */
} groups;

static void groups_release(groups *g)
{
    mrn_free(g->first);
    mrn_free(g->of);
    mrn_free(g->a.start);
    mrn_free(g->a.row);
}

/* Column j has the rows of column j - 1, but for j - 1 itself. */
static bool follows(const mrn_sparse *a, int64_t j)
{
    int64_t before = a->start[j - 1] + 1, n = a->start[j] - before;
    if (a->start[j + 1] - a->start[j] != n)
        return false;
    return memcmp(a->row + before, a->row + a->start[j], (size_t)n * sizeof *a->row) == 0;
}

/* begins[j]: column j is not of the group of column j - 1. Two columns are of one group when the
   rows below them are the same, and every column before them has both as rows or neither. */
static void find_begins(const mrn_sparse *a, int64_t *begins)
{
    for (int64_t j = 0; j < a->cols; j++)
        begins[j] = j == 0 || !follows(a, j);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) {
            int64_t i = a->row[k];
            if (k > a->start[j] && a->row[k - 1] != i - 1)
                begins[i] = 1;
            if (i + 1 < a->cols && (k + 1 == a->start[j + 1] || a->row[k + 1] != i + 1))
                begins[i + 1] = 1;
        }
}

/* Of each group's first column, the groups of its rows; `row` may be NULL to count alone. */
static int64_t fill_pattern(const mrn_sparse *a, const groups *g, int64_t *start, int64_t *row)
{
    int64_t at = 0;
    for (int64_t k = 0; k < g->n; k++) {
        int64_t j = g->first[k], last = -1;
        start[k] = at;
        for (int64_t p = a->start[j]; p < a->start[j + 1]; p++) {
            int64_t i = g->of[a->row[p]];
            if (i == last)
                continue;
            last = i;
            if (row != NULL)
                row[at] = i;
            at++;
        }
    }
    start[g->n] = at;
    return at;
}

static mrn_status find_groups(const mrn_sparse *a, groups *g, mrn_message *msg)
{
    mrn_status st = mrn_array(&g->of, a->cols, sizeof *g->of, msg);
    if (st != MRN_OK)
        return st;
    find_begins(a, g->of);
    for (int64_t j = 0; j < a->cols; j++) {
        g->n += g->of[j];
        g->of[j] = g->n - 1;
    }
    if (2 * g->n > a->cols) /* little to gain */
        return MRN_OK;
    st = mrn_array(&g->first, g->n + 1, sizeof *g->first, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->a.start, g->n + 1, sizeof *g->a.start, msg);
    if (st != MRN_OK)
        return st;
    for (int64_t j = a->cols - 1; j >= 0; j--)
        g->first[g->of[j]] = j;
    g->first[g->n] = a->cols;
    g->a.rows = g->a.cols = g->n;
    st = mrn_array(&g->a.row, fill_pattern(a, g, g->a.start, NULL), sizeof *g->a.row, msg);
    if (st == MRN_OK)
        fill_pattern(a, g, g->a.start, g->a.row);
    return st;
}

/* An order of the groups by one or two methods, 0: none. */
static cholmod_factor *try_methods(const groups *g, int first, int second, cholmod_common *c)
{
    cholmod_sparse view = mrn_llt_view(&g->a);
    view.xtype = CHOLMOD_PATTERN;
    c->supernodal = CHOLMOD_SIMPLICIAL; /* the order is all that is asked for */
    c->nmethods = second != 0 ? 2 : 1;
    c->method[0].ordering = first;
    c->method[1].ordering = second;
    return cholmod_l_analyze(&view, c);
}

/* The best order of the groups. `size`: mean number of unknowns in one. */
static mrn_status order_groups(const groups *g, double size, cholmod_common *c,
                               cholmod_factor **out, mrn_message *msg)
{
    *out = try_methods(g, CHOLMOD_AMD, 0, c);
    mrn_status st = mrn_llt_status(c, msg);
    double flops = c->fl, each = size * size * size * flops / (double)g->n;
    if (st != MRN_OK || each < MANY)
        return st;
    int second = each < VERY_MANY ? 0 : CHOLMOD_NESDIS;
    cholmod_factor *other = try_methods(g, CHOLMOD_METIS, second, c);
    st = mrn_llt_status(c, msg);
    if (st == MRN_OK && c->fl < flops) {
        cholmod_factor *swap = *out;
        *out = other, other = swap;
    }
    cholmod_l_free_factor(&other, c);
    return st;
}

/* The order of the unknowns from that of the groups. */
static mrn_status expand(const groups *g, const int64_t *order, int64_t n, int64_t **out,
                         mrn_message *msg)
{
    mrn_status st = mrn_array(out, n, sizeof **out, msg);
    int64_t at = 0;
    for (int64_t k = 0; st == MRN_OK && k < g->n; k++)
        for (int64_t j = g->first[order[k]]; j < g->first[order[k] + 1]; j++)
            (*out)[at++] = j;
    return st;
}

static mrn_status order_by_groups(const mrn_sparse *lower, const groups *g, cholmod_common *c,
                                  int64_t **out, mrn_message *msg)
{
    cholmod_factor *found = NULL;
    double size = (double)lower->cols / (double)g->n;
    mrn_status st = order_groups(g, size, c, &found, msg);
    if (st == MRN_OK)
        st = expand(g, found->Perm, lower->cols, out, msg);
    cholmod_l_free_factor(&found, c);
    return st;
}

mrn_status mrn_llt_analyse(const mrn_sparse *lower, cholmod_common *c, cholmod_factor **out,
                           mrn_message *msg)
{
    groups g = {0};
    int64_t *order = NULL;
    cholmod_sparse a = mrn_llt_view(lower);
    mrn_status st = find_groups(lower, &g, msg);
    bool grouped = g.first != NULL;
    if (st == MRN_OK && grouped)
        st = order_by_groups(lower, &g, c, &order, msg);
    groups_release(&g);
    if (st == MRN_OK) {
        c->supernodal = CHOLMOD_AUTO;
        c->nmethods = grouped; /* 0: AMD, and METIS when AMD leaves much fill */
        c->method[0].ordering = grouped ? CHOLMOD_GIVEN : CHOLMOD_AMD;
        *out = cholmod_l_analyze_p(&a, order, NULL, 0, c);
        st = mrn_llt_status(c, msg);
    }
    mrn_free(order);
    return st;
}
