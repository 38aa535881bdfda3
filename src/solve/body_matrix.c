/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of all bodies: pattern, numbers, products with G. */
#include "solve/body_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"

enum { DOF = 6, B = 3, PARALLEL = 2048 };

/* ---- which bodies share contacts ---- */

static bool moves(const mrn_system *s, int body)
{
    const double *m = s->minv + (int64_t)body * s->dof * s->dof;
    for (int k = 0; k < s->dof * s->dof; k++)
        if (m[k] != 0)
            return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void count_partners(const mrn_body_matrix *a, int64_t *start)
{
    const mrn_system *s = a->s;
    for (int i = 0; i < s->n; i++) {
        int64_t moving = 0;
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            moving += a->column[s->body[k]] >= 0;
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            if (a->column[s->body[k]] >= 0)
                start[a->column[s->body[k]] + 1] += moving - 1;
    }
    for (int b = 0; b < a->n; b++)
        start[b + 1] += start[b];
}

static void list_partners(const mrn_body_matrix *a, int64_t *at)
{
    const mrn_system *s = a->s;
    memcpy(at, a->start, (size_t)a->n * sizeof *at);
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            for (int64_t m = s->body_start[i]; m < s->body_start[i + 1]; m++) {
                int x = a->column[s->body[k]], y = a->column[s->body[m]];
                if (m != k && x >= 0 && y >= 0)
                    a->col[at[x]++] = y;
            }
}

/* Sorts rows and leaves one of each; a body that a contact has twice is no partner of its own. */
static void thin_out(int n, int64_t *start, int32_t *col)
{
    int64_t to = 0, from = 0;
    for (int b = 0; b < n; b++) {
        int64_t end = start[b + 1], first = to;
        qsort(col + from, (size_t)(end - from), sizeof *col, by_number);
        for (int64_t k = from; k < end; k++)
            if (col[k] != b && (to == first || col[to - 1] != col[k]))
                col[to++] = col[k];
        from = end;
        start[b + 1] = to;
    }
}

static int32_t find_block(const mrn_body_matrix *a, int row, int column)
{
    int64_t lo = a->start[row], hi = a->start[row + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (a->col[mid] < column)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (int32_t)lo;
}

/* Where the products of the links of a contact go: -1 - row on the diagonal, INT32_MAX nowhere. */
static void map_links(mrn_body_matrix *a)
{
    const mrn_system *s = a->s;
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            for (int64_t m = s->body_start[i]; m < s->body_start[i + 1]; m++) {
                int x = a->column[s->body[k]], y = a->column[s->body[m]];
                a->block[k * a->links + m - s->body_start[i]] = x < 0 || y < 0 ? INT32_MAX
                                                                : x == y       ? -1 - x
                                                                         : find_block(a, x, y);
            }
}

/* ---- G ---- */

bool mrn_masses_have_roots(int n, int dof, const double *minv)
{
    for (int64_t i = 0; i < n; i++, minv += dof * dof)
        for (int c = 0; c < dof; c++)
            for (int r = 0; r < c; r++) {
                double size = minv[c * dof + c] + minv[r * dof + r];
                if (!(fabs(minv[c * dof + r] - minv[r * dof + c]) <= 1e-12 * size))
                    return false;
            }
    return true;
}

/* l (lower triangle) with l lᵀ = m; directions without mass⁻¹ stay zero. */
static void root_of(int dof, const double *m, double *l)
{
    memset(l, 0, (size_t)(dof * dof) * sizeof *l);
    for (int c = 0; c < dof; c++) {
        double d = m[c * dof + c];
        for (int k = 0; k < c; k++)
            d -= l[k * dof + c] * l[k * dof + c];
        if (!(d > 1e-14 * m[c * dof + c]))
            continue;
        d = sqrt(d);
        l[c * dof + c] = d;
        for (int r = c + 1; r < dof; r++) {
            double sum = m[c * dof + r];
            for (int k = 0; k < c; k++)
                sum -= l[k * dof + r] * l[k * dof + c];
            l[c * dof + r] = sum / d;
        }
    }
}

/* G = Ht L of every link */
static void fill_g(mrn_body_matrix *a)
{
    const mrn_system *s = a->s;
    int b = s->b, dof = s->dof;
    for (int i = 0; i < s->n_bodies; i++) {
        double l[DOF * DOF];
        root_of(dof, s->minv + (int64_t)i * dof * dof, l);
        for (int64_t p = s->of_body_start[i]; p < s->of_body_start[i + 1]; p++) {
            int64_t k = s->of_body[p];
            const double *h = s->ht + k * b * dof;
            double *g = a->g + k * b * dof;
            memset(g, 0, (size_t)(b * dof) * sizeof *g);
            for (int c = 0; c < dof; c++)
                for (int d = c; d < dof; d++)
                    for (int r = 0; r < b; r++)
                        g[c * b + r] += h[d * b + r] * l[c * dof + d];
        }
    }
}

/* ---- making ---- */

static mrn_status make_pattern(mrn_body_matrix *a, mrn_message *msg)
{
    const mrn_system *s = a->s;
    a->column = mrn_work(s->work, s->n_bodies + 1, sizeof *a->column);
    a->start = mrn_work(s->work, (int64_t)s->n_bodies + 1, sizeof *a->start);
    int64_t *at = mrn_work(s->work, (int64_t)s->n_bodies + 1, sizeof *at);
    if (a->column == NULL || a->start == NULL || at == NULL)
        return mrn_fail_memory(msg);
    for (int i = 0; i < s->n_bodies; i++)
        a->column[i] = moves(s, i) ? a->n++ : -1;
    for (int i = 0; i < s->n; i++) {
        int links = (int)(s->body_start[i + 1] - s->body_start[i]);
        a->links = links > a->links ? links : a->links;
    }
    count_partners(a, a->start);
    a->col = mrn_work(s->work, a->start[a->n] + 1, sizeof *a->col);
    if (a->col == NULL)
        return mrn_fail_memory(msg);
    list_partners(a, at);
    thin_out(a->n, a->start, a->col);
    return MRN_OK;
}

mrn_status mrn_body_matrix_plan(const mrn_system *s, int64_t most, mrn_body_matrix *out,
                                mrn_message *msg)
{
    mrn_body_matrix a = {.s = s};
    mrn_status st = make_pattern(&a, msg);
    if (st == MRN_OK)
        st = mrn_block_lu_plan(most, a.n, s->dof, a.start, a.col, &a.lu, msg);
    *out = a;
    return st;
}

mrn_status mrn_body_matrix_take_room(mrn_body_matrix *a, mrn_message *msg)
{
    const mrn_system *s = a->s;
    int64_t size = (int64_t)s->dof * s->dof, links = s->body_start[s->n];
    if (a->g != NULL)
        return MRN_OK;
    a->diag = mrn_work(s->work, a->n * size + 1, sizeof(double));
    a->off = mrn_work(s->work, a->start[a->n] * size + 1, sizeof(double));
    a->block = mrn_work(s->work, links * a->links + 1, sizeof *a->block);
    a->g = mrn_work(s->work, links * s->b * s->dof + MRN_BSR_PADDING, sizeof(double));
    if (a->diag == NULL || a->off == NULL || a->block == NULL || a->g == NULL)
        return mrn_fail_memory(msg);
    fill_g(a);
    map_links(a);
    return mrn_block_lu_take_room(&a->lu, a->start, a->col, msg);
}

void mrn_body_matrix_release(mrn_body_matrix *a)
{
    mrn_block_lu_release(&a->lu);
}

/* ---- numbers ---- */

/* t = K G of one link */
static inline void push_block(int b, int dof, const double *k, const double *g, double *t)
{
    for (int d = 0; d < dof; d++)
        for (int r = 0; r < b; r++) {
            double sum = 0;
            for (int c = 0; c < b; c++)
                sum += k[c * b + r] * g[d * b + c];
            t[d * b + r] = sum;
        }
}

/* to += Gᵀ t */
static inline void add_block(int b, int dof, const double *g, const double *t, double *to)
{
    for (int c = 0; c < dof; c++)
        for (int r = 0; r < dof; r++) {
            double sum = 0;
            for (int k = 0; k < b; k++)
                sum += g[r * b + k] * t[c * b + k];
            to[c * dof + r] += sum;
        }
}

static inline void add_contact(mrn_body_matrix *a, int b, int dof, int i, const double *k)
{
    const mrn_system *s = a->s;
    int64_t from = s->body_start[i], end = s->body_start[i + 1];
    for (int64_t m = from; m < end; m++) {
        double t[DOF * B];
        if (a->column[s->body[m]] < 0)
            continue;
        push_block(b, dof, k, a->g + m * b * dof, t);
        for (int64_t l = from; l < end; l++) {
            int32_t at = a->block[l * a->links + m - from];
            if (at == INT32_MAX)
                continue;
            double *to = at < 0 ? a->diag + (int64_t)(-1 - at) * dof * dof
                                : a->off + (int64_t)at * dof * dof;
            add_block(b, dof, a->g + l * b * dof, t, to);
        }
    }
}

int mrn_body_matrix_factor(mrn_body_matrix *a, const double *k)
{
    const mrn_system *s = a->s;
    int b = s->b, dof = s->dof;
    size_t size = (size_t)dof * (size_t)dof;
    memset(a->diag, 0, (size_t)a->n * size * sizeof(double));
    memset(a->off, 0, (size_t)a->start[a->n] * size * sizeof(double));
    for (int64_t i = 0; i < a->n; i++)
        for (int d = 0; d < dof; d++)
            a->diag[i * (int64_t)size + d * dof + d] = 1;
    for (int i = 0; i < s->n; i++) {
        const double *ki = k + (int64_t)i * b * b;
        if (b == 3 && dof == 6) /* sizes known when compiled: loops are unrolled */
            add_contact(a, 3, 6, i, ki);
        else if (b == 2 && dof == 3)
            add_contact(a, 2, 3, i, ki);
        else
            add_contact(a, b, dof, i, ki);
    }
    return mrn_block_lu_factor(&a->lu, a->diag, a->off, a->start, NULL);
}

void mrn_body_matrix_push(const mrn_body_matrix *a, const double *x, double *w)
{
    const mrn_system *s = a->s;
    int b = s->b, dof = s->dof;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n_bodies; i++) {
        if (a->column[i] < 0)
            continue;
        double *to = w + (int64_t)a->column[i] * dof;
        memset(to, 0, (size_t)dof * sizeof *to);
        for (int64_t p = s->of_body_start[i]; p < s->of_body_start[i + 1]; p++) {
            int64_t k = s->of_body[p];
            const double *g = a->g + k * b * dof, *xk = x + (int64_t)s->contact_of[k] * b;
            if (b == 3 && dof == 6)
                mrn_body_push(3, 6, g, xk, to);
            else if (b == 2 && dof == 3)
                mrn_body_push(2, 3, g, xk, to);
            else
                mrn_body_push(b, dof, g, xk, to);
        }
    }
}

void mrn_body_matrix_relative(const mrn_body_matrix *a, const double *w, double *u)
{
    const mrn_system *s = a->s;
    int b = s->b, dof = s->dof;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double v[B] = {0};
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
            const double *g = a->g + k * b * dof;
            const double *of = w + (int64_t)a->column[s->body[k]] * dof;
            if (a->column[s->body[k]] < 0)
                continue;
            if (b == 3 && dof == 6)
                mrn_body_relative(3, 6, g, of, v);
            else if (b == 2 && dof == 3)
                mrn_body_relative(2, 3, g, of, v);
            else
                mrn_body_relative(b, dof, g, of, v);
        }
        memcpy(u + i * b, v, (size_t)b * sizeof *u);
    }
}
