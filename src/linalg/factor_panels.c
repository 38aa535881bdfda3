/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels. CHOLMOD stores a supernode as a rectangle, of which the triangle above the diagonal is
   empty, and makes each update as large as the supernode it goes to is wide. The last separators of
   a packing of spheres are 1e4 columns wide: both cost as much as a fifth of L each. Cut in panels,
   supernodes that follow one another, they cost next to nothing. */
#include <string.h>

#include "base/base.h"
#include "linalg/factor_parts.h"

/* Columns: wide enough that products of matrices run at full speed, and that adding their results
   to L, one number after another, does not count. */
enum { PANEL = 1024 };

typedef struct layout {
    size_t n, indices, numbers; /* supernodes; entries of `s`; numbers of L           */
    int64_t *super, *pi, *px, *s;
} layout;

static int64_t panels_in(int64_t width)
{
    return (width + PANEL - 1) / PANEL;
}

static void measure(const cholmod_factor *l, layout *to)
{
    const int64_t *super = l->super, *pi = l->pi;
    for (size_t k = 0; k < l->nsuper; k++) {
        int64_t width = super[k + 1] - super[k], rows = pi[k + 1] - pi[k];
        int64_t panels = panels_in(width);
        for (int64_t p = 0; p < panels; p++) {
            int64_t from = width * p / panels, end = width * (p + 1) / panels;
            to->n++;
            to->indices += (size_t)(rows - from);
            to->numbers += (size_t)((rows - from) * (end - from));
        }
    }
}

static void fill(const cholmod_factor *l, layout *to)
{
    const int64_t *super = l->super, *pi = l->pi, *s = l->s;
    int64_t at = 0, index = 0, number = 0;
    for (size_t k = 0; k < l->nsuper; k++) {
        int64_t width = super[k + 1] - super[k], rows = pi[k + 1] - pi[k];
        int64_t panels = panels_in(width);
        for (int64_t p = 0; p < panels; p++, at++) {
            int64_t from = width * p / panels, end = width * (p + 1) / panels;
            to->super[at] = super[k] + from, to->pi[at] = index, to->px[at] = number;
            memcpy(to->s + index, s + pi[k] + from, (size_t)(rows - from) * sizeof *s);
            index += rows - from;
            number += (rows - from) * (end - from);
        }
    }
    to->super[at] = (int64_t)l->n, to->pi[at] = index, to->px[at] = number;
}

/* The largest update of one supernode by another, and the most rows below one. `of`: the supernode
   of each column. */
static void largest_updates(const layout *to, const int64_t *of, size_t *update, size_t *below)
{
    *update = *below = 1;
    for (size_t k = 0; k < to->n; k++) {
        int64_t from = to->pi[k] + to->super[k + 1] - to->super[k], end = to->pi[k + 1];
        if ((size_t)(end - from) > *below)
            *below = (size_t)(end - from);
        while (from < end) {
            int64_t next = from;
            while (next < end && of[to->s[next]] == of[to->s[from]])
                next++;
            size_t size = (size_t)((next - from) * (end - from));
            if (size > *update)
                *update = size;
            from = next;
        }
    }
}

static mrn_status bound_updates(const layout *to, cholmod_factor *l, mrn_message *msg)
{
    int64_t *of = NULL;
    mrn_status st = mrn_array(&of, (int64_t)l->n, sizeof *of, msg);
    if (st != MRN_OK)
        return st;
    for (size_t k = 0; k < to->n; k++)
        for (int64_t j = to->super[k]; j < to->super[k + 1]; j++)
            of[j] = (int64_t)k;
    largest_updates(to, of, &l->maxcsize, &l->maxesize);
    mrn_free(of);
    return MRN_OK;
}

static void release(layout *to, cholmod_common *c)
{
    const size_t one = sizeof(int64_t);
    to->super = cholmod_l_free(to->n + 1, one, to->super, c);
    to->pi = cholmod_l_free(to->n + 1, one, to->pi, c);
    to->px = cholmod_l_free(to->n + 1, one, to->px, c);
    to->s = cholmod_l_free(to->indices, one, to->s, c);
}

/* L is CHOLMOD's, and so are its arrays. */
static mrn_status reserve(layout *to, cholmod_common *c, mrn_message *msg)
{
    const size_t one = sizeof(int64_t);
    to->super = cholmod_l_malloc(to->n + 1, one, c);
    to->pi = cholmod_l_malloc(to->n + 1, one, c);
    to->px = cholmod_l_malloc(to->n + 1, one, c);
    to->s = cholmod_l_malloc(to->indices, one, c);
    if (to->super != NULL && to->pi != NULL && to->px != NULL && to->s != NULL)
        return MRN_OK;
    release(to, c);
    return mrn_fail_memory(msg);
}

static void exchange(layout *to, cholmod_factor *l)
{
    layout old = {l->nsuper, l->ssize, l->xsize, l->super, l->pi, l->px, l->s};
    l->nsuper = to->n, l->ssize = to->indices, l->xsize = to->numbers;
    l->super = to->super, l->pi = to->pi, l->px = to->px, l->s = to->s;
    *to = old;
}

mrn_status mrn_llt_panels(cholmod_factor *l, cholmod_common *c, mrn_message *msg)
{
    layout to = {0};
    if (!l->is_super)
        return MRN_OK;
    measure(l, &to);
    if (to.n == l->nsuper)
        return MRN_OK;
    mrn_status st = reserve(&to, c, msg);
    if (st != MRN_OK)
        return st;
    fill(l, &to);
    st = bound_updates(&to, l, msg);
    if (st == MRN_OK)
        exchange(&to, l);
    release(&to, c);
    return st;
}
