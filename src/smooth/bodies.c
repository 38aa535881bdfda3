/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motion of the bodies: velocity Verlet with velocities predicted to the end of the step before
   forces are asked for, v* = v + h a, and corrected after, v = v* + h/2 (a_new - a_old). Forces
   that depend on velocity are then of second order too, which is lost when half-step velocities
   enter them. */
#include <math.h>

#include "smooth/smooth.h"

static void drift_one(mrn_bodies *b, size_t i, double h, const double *origin, const double *rate)
{
    double *x = b->x + 3 * i, *v = b->v + 3 * i, *w = b->w + 3 * i, *q = b->q + 4 * i;
    double a = h / b->mass[i], g = h / b->inertia[i], turn[3];
    for (int k = 0; k < 3; k++) {
        double dv = a * b->f[3 * i + (size_t)k], dw = g * b->t[3 * i + (size_t)k];
        x[k] += h * (v[k] + 0.5 * dv) + h * rate[k] * (x[k] - origin[k]);
        v[k] += dv;
        turn[k] = 0.5 * h * (w[k] + 0.5 * dw);
        w[k] += dw;
    }
    /* q + (h/2) w q, renormalised: error of third order in the angle turned per step */
    mrn_quat p = {q[0], q[1], q[2], q[3]};
    mrn_quat d = mrn_quat_mul((mrn_quat){0, turn[0], turn[1], turn[2]}, p);
    p = mrn_quat_unit((mrn_quat){p.w + d.w, p.x + d.x, p.y + d.y, p.z + d.z});
    q[0] = p.w, q[1] = p.x, q[2] = p.y, q[3] = p.z;
}

double mrn_bodies_drift(mrn_smooth *e, double h)
{
    mrn_bodies *b = &e->state->body;
    int32_t first = b->n_walls, n = b->n;
    int64_t chunks = (n - first + MRN_CHUNK_ROWS - 1) / MRN_CHUNK_ROWS;
    const double *origin = e->state->cell_origin, *rate = e->scene->cell.rate;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (chunks > 2)
    for (int64_t c = 0; c < chunks; c++) {
        int32_t i0 = first + (int32_t)c * MRN_CHUNK_ROWS, i1 = i0 + MRN_CHUNK_ROWS;
        double far = 0;
        for (int32_t i = i0; i < (i1 < n ? i1 : n); i++) {
            if (b->flags[i] & MRN_BODY_FIXED)
                continue;
            drift_one(b, (size_t)i, h, origin, rate);
            const double *x = b->x + 3 * (size_t)i, *o = b->x_list + 3 * (size_t)i;
            double dx = x[0] - o[0], dy = x[1] - o[1], dz = x[2] - o[2];
            double d2 = dx * dx + dy * dy + dz * dz;
            far = d2 > far || d2 != d2 ? d2 : far; /* a NAN stays */
        }
        e->far[c] = far;
    }
    double far = 0;
    for (int64_t c = 0; c < chunks; c++)
        far = e->far[c] > far || e->far[c] != e->far[c] ? e->far[c] : far;
    return far;
}

/* Sum over the pairs a grain owns, those where it is the other, and its walls: always in this
 * order. */
static void gather(const mrn_pairs *p, int32_t i, mrn_vec3 *force, mrn_vec3 *lever)
{
    mrn_vec3 f = {0, 0, 0}, l = {0, 0, 0};
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
        f = mrn_add(f, mrn_load3(p->force + 3 * (size_t)k));
        l = mrn_add(l, mrn_load3(p->lever + 3 * (size_t)k));
    }
    for (int32_t m = p->back_row[i]; m < p->back_row[i + 1]; m++) {
        size_t k = 3 * (size_t)p->back[m];
        f = mrn_sub(f, mrn_load3(p->force + k));
        l = mrn_add(l, mrn_load3(p->lever + k));
    }
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
        f = mrn_add(f, mrn_load3(p->force + 3 * (size_t)k));
        l = mrn_add(l, mrn_load3(p->lever + 3 * (size_t)k));
    }
    *force = f;
    *lever = l;
}

void mrn_bodies_kick(mrn_smooth *e, double h)
{
    mrn_bodies *b = &e->state->body;
    const mrn_pairs *p = &e->state->pair;
    mrn_vec3 g = e->scene->gravity;
    bool flat = e->scene->dimension == 2;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 512)
    for (int32_t i = b->n_walls; i < b->n; i++) {
        mrn_vec3 f, l;
        gather(p, i, &f, &l);
        f = mrn_axpy(b->mass[i], g, f);
        mrn_vec3 t = mrn_scale(-b->radius[i], l);
        if (flat)
            f.z = 0, t.x = 0, t.y = 0;
        size_t at = 3 * (size_t)i;
        if (!(b->flags[i] & MRN_BODY_FIXED)) {
            double a = 0.5 * h / b->mass[i], c = 0.5 * h / b->inertia[i];
            mrn_vec3 df = mrn_sub(f, mrn_load3(b->f + at)), dt = mrn_sub(t, mrn_load3(b->t + at));
            mrn_store3(b->v + at, mrn_axpy(a, df, mrn_load3(b->v + at)));
            mrn_store3(b->w + at, mrn_axpy(c, dt, mrn_load3(b->w + at)));
        }
        mrn_store3(b->f + at, f);
        mrn_store3(b->t + at, t);
    }
}
