/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of spheres, a block at a time: which of them touch, how they move against each other, and
   the ways from and to the contact slots. Numbers of bodies and slots are turned from rows into
   columns four at a time (base/columns.h), all arithmetic runs in loops over columns. A block whose
   length is no multiple of four repeats its last entry. */
#include <math.h>

#include "base/columns.h"
#include "base/dispatch.h"
#include "smooth/sphere_contact.h"

/* Rows of three numbers of the bodies in four entries of a list. */
typedef struct four_rows {
    const double *of[MRN_QUAD];
} four_rows;

static inline four_rows rows_of(const double *x, const int32_t *body, int k, int n)
{
    four_rows r;
    for (int l = 0; l < MRN_QUAD; l++)
        r.of[l] = x + 3 * (size_t)body[k + l < n ? k + l : n - 1];
    return r;
}

static inline void to_columns(const double *from, const int32_t *body, int k, int n,
                              double (*to)[MRN_BLOCK])
{
    four_rows r = rows_of(from, body, k, n);
    mrn_to_columns3(r.of[0], r.of[1], r.of[2], r.of[3], &to[0][k], &to[1][k], &to[2][k]);
}

/* ---- touching ---- */

/* Branches from A to C before images are looked for, and sums of the radii. */
MRN_DISPATCHED static void centres(const mrn_bodies *b, const int32_t *c, const int32_t *a, int n,
                                   mrn_scratch *w)
{
    double(*xc)[MRN_BLOCK] = w->column, (*xa)[MRN_BLOCK] = w->column + 3;
    for (int k = 0; k < n; k += MRN_QUAD) {
        to_columns(b->x, c, k, n, xc);
        to_columns(b->x, a, k, n, xa);
    }
    for (int k = 0; k < n; k++)
        w->sum[k] = b->radius[c[k]] + b->radius[a[k]];
#pragma omp simd
    for (int k = 0; k < n; k++) {
        w->dx[k] = xc[0][k] - xa[0][k];
        w->dy[k] = xc[1][k] - xa[1][k];
        w->dz[k] = xc[2][k] - xa[2][k];
    }
}

/* The nearest images. */
MRN_DISPATCHED static void nearest(const mrn_images *im, int n, mrn_scratch *w)
{
    double lx = im->size[0], ly = im->size[1], lz = im->size[2];
    double ix = im->inv[0], iy = im->inv[1], iz = im->inv[2];
    double txy = im->tilt[0], txz = im->tilt[1], tyz = im->tilt[2];
#pragma omp simd
    for (int k = 0; k < n; k++) {
        double dx = w->dx[k], dy = w->dy[k], dz = w->dz[k];
        double cz = rint(dz * iz);
        dz -= lz * cz, dy -= tyz * cz, dx -= txz * cz;
        double cy = rint(dy * iy);
        dy -= ly * cy, dx -= txy * cy;
        dx -= lx * rint(dx * ix);
        w->dx[k] = dx, w->dy[k] = dy, w->dz[k] = dz;
    }
}

MRN_DISPATCHED static void overlaps(int n, mrn_scratch *w)
{
#pragma omp simd
    for (int k = 0; k < n; k++) {
        double dx = w->dx[k], dy = w->dy[k], dz = w->dz[k];
        w->touch[k] = dx * dx + dy * dy + dz * dz < w->sum[k] * w->sum[k] ? 1 : 0;
    }
}

static void branches(const mrn_state *s, const mrn_images *im, const int32_t *c, const int32_t *a,
                     int n, mrn_scratch *w)
{
    centres(&s->body, c, a, n, w);
    if (im->inv[0] != 0 || im->inv[1] != 0 || im->inv[2] != 0)
        nearest(im, n, w);
}

/* Slots of pairs that do not touch any more: rare, and looked for only when there are any. */
static void end_contacts(mrn_contacts *c, int64_t p0, int n, const mrn_scratch *w)
{
    for (int k = 0; k < n; k++)
        if (w->touch[k] == 0 && mrn_contact_alive(c, p0 + k))
            mrn_contact_end(c, p0 + k);
}

/* Partners stand anywhere in memory: their velocities are asked for before the block needs them,
   their places a block before. */
static void fetch_ahead(const mrn_state *s, int64_t p0, int n)
{
    const int32_t *a = s->pair.other + p0;
    int64_t left = s->pair.n_grain - p0 - n;
    for (int k = 0; k < n; k++) {
        __builtin_prefetch(s->body.v + 3 * (size_t)a[k]);
        __builtin_prefetch(s->body.w + 3 * (size_t)a[k]);
    }
    for (int k = n; k < n + (left < n ? left : n); k++)
        __builtin_prefetch(s->body.x + 3 * (size_t)a[k]);
}

int mrn_spheres_touching(mrn_state *s, const mrn_images *im, const int32_t *owner, int64_t p0,
                         int n, bool end, mrn_scratch *w)
{
    const uint8_t *flags = s->contact.flags + p0;
    fetch_ahead(s, p0, n);
    branches(s, im, owner, s->pair.other + p0, n, w);
    overlaps(n, w);
    int found = 0;
    unsigned over = 0;
    for (int k = 0; k < n; k++) {
        unsigned touch = (unsigned)w->touch[k];
        w->entry[found] = (int16_t)k;
        found += (int)touch;
        over |= (flags[k] & MRN_CONTACT_ALIVE) & (touch - 1);
    }
    if (end && over != 0)
        end_contacts(&s->contact, p0, n, w);
    return found;
}

/* ---- kinematics ---- */

/* Overlap, normal, velocities of two spheres in touch, from the branch and columns of velocities.
 */
MRN_DISPATCHED static void kinematics(const double *rate, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    mrn_cell_rates flow = mrn_cell_rates_of(rate);
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mrn_sphere_contact c = mrn_sphere_contact_at(w, flow, k);
        b->delta[k] = c.delta;
        b->rate[k] = c.rate;
        b->nx[k] = c.n.x, b->ny[k] = c.n.y, b->nz[k] = c.n.z;
        b->ux[k] = c.u.x, b->uy[k] = c.u.y, b->uz[k] = c.u.z;
        b->wx[k] = c.w.x, b->wy[k] = c.w.y, b->wz[k] = c.w.z;
        b->spin[k] = c.spin;
        b->r_eff[k] = c.r;
        b->m_eff[k] = c.m;
        w->lever[k] = c.lever;
    }
}

MRN_DISPATCHED static void fetch_motions(const mrn_bodies *b, mrn_scratch *w)
{
    int n = w->block.n;
    for (int k = 0; k < n; k += MRN_QUAD) {
        to_columns(b->v, w->c, k, n, w->column);
        to_columns(b->v, w->a, k, n, w->column + 3);
        to_columns(b->w, w->c, k, n, w->column + 6);
        to_columns(b->w, w->a, k, n, w->column + 9);
    }
    for (int k = 0; k < n; k++) {
        w->rc[k] = b->radius[w->c[k]], w->ra[k] = b->radius[w->a[k]];
        w->mc[k] = b->mass[w->c[k]], w->ma[k] = b->mass[w->a[k]];
    }
}

void mrn_spheres_motions(const mrn_state *s, mrn_scratch *w)
{
    fetch_motions(&s->body, w);
}

void mrn_spheres_kinematics(const mrn_state *s, mrn_scratch *w)
{
    kinematics(s->cell_rate, w);
}

/* ---- slots ---- */

/* Places of four entries of the block among the slots. */
static inline void places_of(const mrn_scratch *w, int k, size_t at[MRN_QUAD])
{
    int n = w->block.n;
    for (int l = 0; l < MRN_QUAD; l++)
        at[l] = (size_t)w->pair[k + l < n ? k + l : n - 1];
}

MRN_DISPATCHED static void load_rows(const mrn_contacts *c, int width, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    double(*to)[MRN_BLOCK] = b->history;
    size_t wide = (size_t)width, at[MRN_QUAD];
    for (int k = 0; k < b->n; k += MRN_QUAD) {
        const double *from[MRN_QUAD];
        int h = 0;
        places_of(w, k, at);
        for (int l = 0; l < MRN_QUAD; l++)
            from[l] = c->history + at[l] * wide;
        for (; h + 4 <= width; h += 4)
            mrn_to_columns4(from[0] + h, from[1] + h, from[2] + h, from[3] + h, &to[h][k],
                            &to[h + 1][k], &to[h + 2][k], &to[h + 3][k]);
        for (; h + 3 <= width; h += 3)
            mrn_to_columns3(from[0] + h, from[1] + h, from[2] + h, from[3] + h, &to[h][k],
                            &to[h + 1][k], &to[h + 2][k]);
        for (; h < width; h++)
            for (int l = 0; l < MRN_QUAD; l++)
                to[h][k + l] = from[l][h];
    }
}

void mrn_slots_load(const mrn_contacts *c, int width, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    load_rows(c, width, w);
    b->old = true;
    for (int k = 0; k < b->n; k++) {
        b->fresh[k] = 0;
        if (mrn_contact_alive(c, w->pair[k]))
            continue;
        b->fresh[k] = 1;
        b->old = false;
        for (int h = 0; h < width; h++)
            b->history[h][k] = 0;
    }
}

/* Force and lever of each contact, side by side. */
MRN_DISPATCHED static void answers(mrn_scratch *w)
{
    const mrn_law_block *b = &w->block;
    double(*to)[MRN_BLOCK] = w->column;
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mrn_vec3 nn = {b->nx[k], b->ny[k], b->nz[k]}, t = {b->tx[k], b->ty[k], b->tz[k]};
        mrn_vec3 f = mrn_axpy(b->fn[k], nn, t), l = mrn_sphere_lever(w->lever[k], nn, t);
        to[0][k] = f.x, to[1][k] = f.y, to[2][k] = f.z;
        to[3][k] = l.x, to[4][k] = l.y, to[5][k] = l.z;
    }
}

static inline void store3(double *rows, const size_t at[MRN_QUAD], const double *x, const double *y,
                          const double *z)
{
    mrn_to_rows3(x, y, z, rows + 3 * at[0], rows + 3 * at[1], rows + 3 * at[2], rows + 3 * at[3]);
}

/* The last entry again in the lanes beyond the end, so that storing them changes nothing. */
static void repeat_last(int n, double *column)
{
    for (int k = n; k % MRN_QUAD != 0; k++)
        column[k] = column[n - 1];
}

MRN_DISPATCHED static void store_rows(mrn_contacts *c, int width, bool moments, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    double(*f)[MRN_BLOCK] = w->column, (*hist)[MRN_BLOCK] = b->history;
    size_t wide = (size_t)width, at[MRN_QUAD];
    for (int k = 0; k < b->n; k += MRN_QUAD) {
        int h = 0;
        places_of(w, k, at);
        store3(c->force, at, &f[0][k], &f[1][k], &f[2][k]);
        store3(c->lever, at, &f[3][k], &f[4][k], &f[5][k]);
        if (moments)
            store3(c->moment, at, &b->mx[k], &b->my[k], &b->mz[k]);
        double *to[MRN_QUAD];
        for (int l = 0; l < MRN_QUAD; l++)
            to[l] = c->history + at[l] * wide;
        for (; h + 4 <= width; h += 4)
            mrn_to_rows4(&hist[h][k], &hist[h + 1][k], &hist[h + 2][k], &hist[h + 3][k], to[0] + h,
                         to[1] + h, to[2] + h, to[3] + h);
        for (; h + 3 <= width; h += 3)
            mrn_to_rows3(&hist[h][k], &hist[h + 1][k], &hist[h + 2][k], to[0] + h, to[1] + h,
                         to[2] + h, to[3] + h);
        for (; h < width; h++)
            for (int l = 0; l < MRN_QUAD; l++)
                to[l][h] = hist[h][k + l];
    }
}

void mrn_spheres_answers(mrn_scratch *w)
{
    answers(w);
}

void mrn_slots_store(mrn_contacts *c, int width, bool moments, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    for (int k = 0; k < 6; k++)
        repeat_last(b->n, w->column[k]);
    for (int h = 0; h < width; h++)
        repeat_last(b->n, b->history[h]);
    if (moments)
        repeat_last(b->n, b->mx), repeat_last(b->n, b->my), repeat_last(b->n, b->mz);
    store_rows(c, width, moments, w);
    for (int k = 0; k < b->n; k++)
        c->flags[w->pair[k]] = MRN_CONTACT_ALIVE;
}
