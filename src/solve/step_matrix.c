/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear systems of Newton's steps and interior points, in the space of contacts or of bodies. */
#include "solve/step_matrix.h"

#include <string.h>

#include "base/base.h"
#include "linalg/small.h"
#include "solve/kernel.h"

enum { B = 3, PARALLEL = 2048 };

/* A solution whose equation is violated by more than this is improved once, and so are those with
   the same factors after it; whether it is so is looked at for the first. */
static const double EXACT_ENOUGH = 1e-9;

/* ---- which way ---- */

bool mrn_step_bodies_fit(const mrn_system *s)
{
    return s->has_bodies && s->b <= B && mrn_masses_have_roots(s->n_bodies, s->dof, s->minv);
}

mrn_status mrn_step_matrix_plan(mrn_system *s, mrn_step_space space, int64_t most,
                                mrn_step_matrix *out, mrn_message *msg)
{
    mrn_step_matrix m = {.s = s};
    mrn_status st = MRN_ERR_RANGE;
    bool bodies = space != MRN_SPACE_CONTACTS && mrn_step_bodies_fit(s);
    bool contacts = s->has_W && (space != MRN_SPACE_BODIES || !bodies);
    if (bodies)
        st = mrn_body_matrix_plan(s, most / (s->dof * s->dof), &m.body, msg);
    bodies = bodies && st == MRN_OK;
    if (st != MRN_OK && st != MRN_ERR_RANGE)
        return st;
    /* contacts that share bodies are all joined with each other: unless there are hardly more of
       them than of bodies their matrix is the larger one, and its order is not looked for */
    if (bodies && (int64_t)s->n * s->b > (int64_t)m.body.n * s->dof)
        contacts = false;
    if (contacts) {
        mrn_status other =
            mrn_block_lu_plan(most / (s->b * s->b), s->n, s->b, s->start, s->col, &m.lu, msg);
        if (other != MRN_OK && other != MRN_ERR_RANGE) {
            mrn_step_matrix_release(&m);
            return other;
        }
        contacts = other == MRN_OK;
        st = contacts ? MRN_OK : st;
    }
    m.bodies = bodies && !(contacts && m.lu.flops < m.body.lu.flops);
    if (m.bodies)
        mrn_block_lu_release(&m.lu);
    else
        mrn_body_matrix_release(&m.body);
    m.flops = m.bodies ? m.body.lu.flops : m.lu.flops;
    *out = m;
    return st;
}

static double *numbers(mrn_step_matrix *m, int64_t n, bool *got)
{
    double *p = *got ? mrn_work(m->s->work, n + MRN_BSR_PADDING, sizeof *p) : NULL;
    *got = p != NULL;
    return p;
}

mrn_status mrn_step_matrix_take_room(mrn_step_matrix *m, mrn_message *msg)
{
    mrn_system *s = m->s;
    int64_t size = (int64_t)s->n * s->b;
    bool got = true;
    if (m->has_room)
        return MRN_OK;
    m->x = numbers(m, size, &got);
    m->y = numbers(m, size, &got);
    m->z = numbers(m, size, &got);
    if (m->bodies) {
        m->k = numbers(m, size * s->b, &got);
        m->inverse = numbers(m, size * s->b, &got);
        m->w = numbers(m, (int64_t)m->body.n * s->dof, &got);
    } else {
        m->diag = numbers(m, size * s->b, &got);
        m->off = numbers(m, s->start[s->n] * s->b * s->b, &got);
    }
    if (!got)
        return mrn_fail_memory(msg);
    m->has_room = true;
    return m->bodies ? mrn_body_matrix_take_room(&m->body, msg)
                     : mrn_block_lu_take_room(&m->lu, s->start, s->col, msg);
}

void mrn_step_matrix_release(mrn_step_matrix *m)
{
    mrn_block_lu_release(&m->lu);
    mrn_body_matrix_release(&m->body);
}

size_t mrn_step_matrix_bytes(const mrn_step_matrix *m)
{
    return mrn_block_lu_bytes(m->bodies ? &m->body.lu : &m->lu);
}

double mrn_step_matrix_numbers(const mrn_step_matrix *m)
{
    const mrn_block_lu *f = m->bodies ? &m->body.lu : &m->lu;
    return 2 * (double)f->panel[f->nodes];
}

/* ---- factorisation ---- */

static double scale_at(const mrn_step_matrix *m, int64_t i, int c)
{
    return m->scale != NULL ? m->scale[i * m->s->b + c] : 1;
}

/* z = x y */
static inline void multiply(int b, const double *x, const double *y, double *z)
{
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) {
            double sum = 0;
            for (int k = 0; k < b; k++)
                sum += x[k * b + r] * y[c * b + k];
            z[c * b + r] = sum;
        }
}

static int factor_contacts(mrn_step_matrix *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    const double *off = s->off;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double w[B * B], *d = m->diag + i * b * b;
        for (int c = 0; c < b; c++)
            for (int r = 0; r < b; r++)
                w[c * b + r] = scale_at(m, i, r) * s->diag[(i * b + c) * b + r] * scale_at(m, i, c);
        if (m->c != NULL)
            multiply(b, m->c + i * b * b, w, d);
        else
            memcpy(d, w, (size_t)(b * b) * sizeof *d);
        for (int k = 0; k < b * b; k++)
            d[k] += m->a[i * b * b + k];
        for (int64_t k = s->start[i]; m->scale != NULL && k < s->start[i + 1]; k++)
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++)
                    m->off[(k * b + c) * b + r] =
                        scale_at(m, i, r) * s->off[(k * b + c) * b + r] * scale_at(m, s->col[k], c);
    }
    if (m->scale != NULL)
        off = m->off;
    return mrn_block_lu_factor(&m->lu, m->diag, off, s->start, m->c);
}

static int factor_bodies(mrn_step_matrix *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double *inverse = m->inverse + i * b * b, *k = m->k + i * b * b;
        if (b == 3)
            mrn_small_invert(3, 3, m->a + i * 9, 1e-30, 1e8, inverse);
        else
            mrn_small_invert(2, 2, m->a + i * 4, 1e-30, 1e8, inverse);
        if (m->c != NULL)
            multiply(b, inverse, m->c + i * b * b, k);
        else
            memcpy(k, inverse, (size_t)(b * b) * sizeof *k);
        for (int c = 0; m->scale != NULL && c < b; c++)
            for (int r = 0; r < b; r++)
                k[c * b + r] *= scale_at(m, i, r) * scale_at(m, i, c);
    }
    return mrn_body_matrix_factor(&m->body, m->k);
}

int mrn_step_matrix_factor(mrn_step_matrix *m, const double *a, const double *c,
                           const double *scale)
{
    m->a = a, m->c = c, m->scale = scale;
    m->solutions = 0;
    m->inexact = false;
    return m->bodies ? factor_bodies(m) : factor_contacts(m);
}

/* ---- solutions ---- */

/* y = scale x, component by component */
static void scale_vector(const mrn_step_matrix *m, const double *x, double *y)
{
    int64_t size = (int64_t)m->s->n * m->s->b;
    for (int64_t k = 0; k < size; k++)
        y[k] = m->scale != NULL ? m->scale[k] * x[k] : x[k];
}

/* y = S A⁻¹ f of one contact; b is a constant where it is inlined */
static inline void divide(const mrn_step_matrix *m, int b, int64_t i, const double *f, double *y)
{
    double g[B] = {0};
    mrn_block_times(b, m->inverse + i * b * b, f + i * b, g);
    for (int c = 0; c < b; c++)
        y[i * b + c] = m->scale != NULL ? m->scale[i * b + c] * g[c] : g[c];
}

/* x = A⁻¹ (f - C S v) of one contact */
static inline void put_back(const mrn_step_matrix *m, int b, int64_t i, const double *f,
                            const double *v, double *x)
{
    double u[B], rest[B] = {0}, sum[B] = {0};
    for (int c = 0; c < b; c++)
        u[c] = m->scale != NULL ? m->scale[i * b + c] * v[i * b + c] : v[i * b + c];
    if (m->c != NULL)
        mrn_block_times(b, m->c + i * b * b, u, rest);
    for (int c = 0; c < b; c++)
        rest[c] = f[i * b + c] - (m->c != NULL ? rest[c] : u[c]);
    mrn_block_times(b, m->inverse + i * b * b, rest, sum);
    for (int c = 0; c < b; c++)
        x[i * b + c] = sum[c];
}

/* w from the matrix of bodies, x from it; x is not f */
static void solve_bodies(mrn_step_matrix *m, const double *f, double *x)
{
    const mrn_system *s = m->s;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++)
        if (s->b == 3)
            divide(m, 3, i, f, m->y);
        else
            divide(m, 2, i, f, m->y);
    mrn_body_matrix_push(&m->body, m->y, m->w);
    mrn_block_lu_solve(&m->body.lu, m->w, m->w);
    mrn_body_matrix_relative(&m->body, m->w, m->y);
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++)
        if (s->b == 3)
            put_back(m, 3, i, f, m->y, x);
        else
            put_back(m, 2, i, f, m->y, x);
}

/* z = f - A x - C S W S x; returns |z| */
static double violation(mrn_step_matrix *m, const double *f, const double *x, double *z)
{
    const mrn_system *s = m->s;
    int b = s->b;
    scale_vector(m, x, m->y);
    mrn_system_times(s, m->y, z);
    for (int64_t i = 0; i < s->n; i++) {
        double v[B] = {0}, sum[B] = {0};
        for (int c = 0; c < b; c++)
            v[c] = scale_at(m, i, c) * z[i * b + c];
        mrn_block_times(b, m->a + i * b * b, x + i * b, sum);
        if (m->c != NULL)
            mrn_block_times(b, m->c + i * b * b, v, sum);
        for (int c = 0; c < b; c++)
            z[i * b + c] = f[i * b + c] - (m->c != NULL ? sum[c] : sum[c] + v[c]);
    }
    return sqrt(mrn_system_dot(s, z, z));
}

void mrn_step_matrix_solve(mrn_step_matrix *m, const double *f, double *x)
{
    const mrn_system *s = m->s;
    if (!m->bodies) {
        mrn_block_lu_solve(&m->lu, f, x);
        return;
    }
    solve_bodies(m, f, x);
    if (m->solutions++ > 0 && !m->inexact)
        return;
    double size = sqrt(mrn_system_dot(s, f, f)), left = violation(m, f, x, m->z);
    if (!(left > EXACT_ENOUGH * size))
        return;
    m->inexact = true;
    solve_bodies(m, m->z, m->x);
    for (int64_t k = 0; k < (int64_t)s->n * s->b; k++)
        x[k] += m->x[k];
}
