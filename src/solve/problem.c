/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact problems as data: layouts, memory, and W from H and M. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "moraine/solve.h"

static const mrn_contact_layout layouts[MRN_CONTACT_KINDS] = {
    [MRN_CONTACT_2D] = {"2D", 2, 2, 1, {1}, {1}},
    [MRN_CONTACT_3D] = {"3D", 3, 3, 1, {1}, {2}},
    [MRN_CONTACT_2D_ROLLING] = {"2D rolling", 2, 3, 2, {1, 2}, {1, 1}},
    [MRN_CONTACT_3D_ROLLING] = {"3D rolling", 3, 5, 2, {1, 3}, {2, 2}},
    [MRN_CONTACT_3D_PIVOTING] = {"3D rolling and pivoting", 3, 6, 3, {1, 3, 5}, {2, 2, 1}},
};

const mrn_contact_layout *mrn_contact_layout_of(mrn_contact_kind kind)
{
    return &layouts[kind];
}

mrn_status mrn_problem_create(mrn_contact_kind kind, int n, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){.kind = kind, .n = n};
    if (kind < 0 || kind >= MRN_CONTACT_KINDS || n < 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "a problem of kind %d with %d contacts", (int)kind, n);
    mrn_status st = mrn_array(&out->q, (int64_t)n * layouts[kind].block, sizeof *out->q, msg);
    for (int g = 0; st == MRN_OK && g < layouts[kind].groups; g++)
        st = mrn_array(&out->mu[g], n, sizeof *out->mu[g], msg);
    if (st != MRN_OK)
        mrn_problem_release(out);
    return st;
}

void mrn_problem_release(mrn_problem *p)
{
    mrn_bsr_release(&p->W);
    mrn_bsr_release(&p->Ht);
    mrn_free(p->minv);
    mrn_free(p->q);
    for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
        mrn_free(p->mu[g]);
    mrn_free(p->cohesion);
    mrn_free(p->law);
    *p = (mrn_problem){0};
}

/* *to (an array) = a copy of n elements, or NULL of NULL */
static mrn_status copy(void *to, const void *from, int64_t n, size_t size, mrn_message *msg)
{
    void *p = NULL;
    if (from != NULL) {
        if (mrn_array(&p, n, size, msg) != MRN_OK)
            return MRN_ERR_MEMORY;
        memcpy(p, from, (size_t)n * size);
    }
    memcpy(to, &p, sizeof p);
    return MRN_OK;
}

mrn_status mrn_problem_copy(const mrn_problem *p, mrn_problem *out, mrn_message *msg)
{
    int64_t n = p->n, b = layouts[p->kind].block;
    mrn_problem c = {.kind = p->kind, .n = p->n};
    memcpy(c.title, p->title, sizeof c.title);
    memcpy(c.description, p->description, sizeof c.description);
    mrn_status st = mrn_bsr_copy(&p->W, &c.W, msg);
    if (st == MRN_OK)
        st = mrn_bsr_copy(&p->Ht, &c.Ht, msg);
    if (st == MRN_OK)
        st = copy(&c.minv, p->minv, (int64_t)p->Ht.cols * p->Ht.bc * p->Ht.bc, sizeof *c.minv, msg);
    if (st == MRN_OK)
        st = copy(&c.q, p->q, n * b, sizeof *c.q, msg);
    for (int g = 0; st == MRN_OK && g < MRN_FRICTION_GROUPS; g++)
        st = copy(&c.mu[g], p->mu[g], n, sizeof *c.mu[g], msg);
    if (st == MRN_OK)
        st = copy(&c.cohesion, p->cohesion, n, sizeof *c.cohesion, msg);
    if (st == MRN_OK)
        st = copy(&c.law, p->law, n, sizeof *c.law, msg);
    if (st != MRN_OK)
        mrn_problem_release(&c);
    *out = c;
    return st;
}

/* ---- W = Hᵀ M⁻¹ H, block row by block row ---- */

/* The contacts of each body: where they stand in Ht. */
typedef struct incidence {
    int64_t *start; /* bodies + 1 */
    int64_t *at;    /* block of Ht, ascending for each body: contacts ascend too */
    int32_t *row;   /* contact of each block of Ht */
} incidence;

static void release_incidence(incidence *b)
{
    mrn_free(b->start), mrn_free(b->at), mrn_free(b->row);
}

static mrn_status find_incidence(const mrn_bsr *ht, incidence *b, mrn_message *msg)
{
    int64_t blocks = ht->start[ht->rows];
    if (mrn_array(&b->start, ht->cols + 2, sizeof *b->start, msg) != MRN_OK ||
        mrn_array(&b->at, blocks, sizeof *b->at, msg) != MRN_OK ||
        mrn_array(&b->row, blocks, sizeof *b->row, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    int64_t *next = b->start + 1;
    for (int64_t k = 0; k < blocks; k++)
        next[ht->col[k] + 1]++;
    for (int i = 0; i < ht->cols; i++)
        next[i + 1] += next[i];
    for (int i = 0; i < ht->rows; i++)
        for (int64_t k = ht->start[i]; k < ht->start[i + 1]; k++)
            b->row[k] = i, b->at[next[ht->col[k]]++] = k;
    return MRN_OK;
}

/* Columns of row i of W, unsorted, into col; returns their number. mark[j] = i + 1 when there. */
static int64_t neighbours(const mrn_bsr *ht, const incidence *b, int i, int32_t *mark, int32_t *col)
{
    int64_t n = 0;
    for (int64_t k = ht->start[i]; k < ht->start[i + 1]; k++) {
        int body = ht->col[k];
        for (int64_t e = b->start[body]; e < b->start[body + 1]; e++) {
            int j = b->row[b->at[e]];
            if (mark[j] == i + 1)
                continue;
            mark[j] = i + 1;
            if (col != NULL)
                col[n] = j;
            n++;
        }
    }
    return n;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Rows are short, and nearly sorted: the lists of two bodies, one after the other. */
static void sort_columns(int32_t *a, int64_t n)
{
    if (n > 64) {
        qsort(a, (size_t)n, sizeof *a, by_number);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        int32_t x = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* t (br x dof) = h (br x dof) m (dof x dof), all column after column */
static void times_mass(int br, int dof, const double *h, const double *m, double *t)
{
    for (int c = 0; c < dof; c++)
        for (int r = 0; r < br; r++) {
            double sum = 0;
            for (int k = 0; k < dof; k++)
                sum += h[k * br + r] * m[c * dof + k];
            t[c * br + r] = sum;
        }
}

/* w (br x br) += t (br x dof) hᵀ */
static void add_product(int br, int dof, const double *t, const double *h, double *w)
{
    for (int c = 0; c < br; c++)
        for (int k = 0; k < dof; k++)
            for (int r = 0; r < br; r++)
                w[c * br + r] += t[k * br + r] * h[k * br + c];
}

static void fill_row(mrn_bsr *w, const mrn_bsr *ht, const double *minv, const incidence *b, int i,
                     int64_t *place)
{
    int br = ht->br, dof = ht->bc;
    double t[MRN_CONTACT_BLOCK_MAX * 6];
    for (int64_t k = w->start[i]; k < w->start[i + 1]; k++)
        place[w->col[k]] = k;
    for (int64_t k = ht->start[i]; k < ht->start[i + 1]; k++) {
        int body = ht->col[k];
        times_mass(br, dof, ht->value + k * br * dof, minv + (int64_t)body * dof * dof, t);
        for (int64_t e = b->start[body]; e < b->start[body + 1]; e++) {
            int64_t at = b->at[e];
            add_product(br, dof, t, ht->value + at * br * dof,
                        w->value + place[b->row[at]] * br * br);
        }
    }
}

static mrn_status find_pattern(mrn_bsr *w, const mrn_bsr *ht, const incidence *b, int32_t *mark,
                               mrn_message *msg)
{
    int n = ht->rows;
    if (mrn_array(&w->start, n + 1, sizeof *w->start, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        w->start[i + 1] = w->start[i] + neighbours(ht, b, i, mark, NULL);
    int64_t blocks = w->start[n];
    if (mrn_array(&w->col, blocks, sizeof *w->col, msg) != MRN_OK ||
        mrn_array(&w->value, blocks * w->br * w->bc + MRN_BSR_PADDING, sizeof *w->value, msg) !=
            MRN_OK)
        return MRN_ERR_MEMORY;
    memset(mark, 0, (size_t)n * sizeof *mark);
    for (int i = 0; i < n; i++) {
        neighbours(ht, b, i, mark, w->col + w->start[i]);
        sort_columns(w->col + w->start[i], w->start[i + 1] - w->start[i]);
    }
    return MRN_OK;
}

mrn_status mrn_problem_assemble(mrn_problem *p, mrn_message *msg)
{
    const mrn_bsr *ht = &p->Ht;
    if (p->W.rows > 0 || p->n == 0)
        return MRN_OK;
    if (ht->rows != p->n || p->minv == NULL || ht->bc > 6)
        return mrn_fail(msg, MRN_ERR_INPUT, "the problem has neither W nor H and M");
    mrn_bsr w = {.rows = p->n, .cols = p->n, .br = ht->br, .bc = ht->br};
    incidence b = {0};
    int32_t *mark = NULL;
    int64_t *place = NULL;
    mrn_status st = find_incidence(ht, &b, msg);
    if (st == MRN_OK)
        st = mrn_array(&mark, p->n, sizeof *mark, msg);
    if (st == MRN_OK)
        st = mrn_array(&place, p->n, sizeof *place, msg);
    if (st == MRN_OK)
        st = find_pattern(&w, ht, &b, mark, msg);
    for (int i = 0; st == MRN_OK && i < p->n; i++)
        fill_row(&w, ht, p->minv, &b, i, place);
    release_incidence(&b);
    mrn_free(mark), mrn_free(place);
    if (st != MRN_OK)
        mrn_bsr_release(&w);
    p->W = w;
    return st;
}
