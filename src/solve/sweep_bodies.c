/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts in 3D that meet through the velocities of their bodies. What a contact reads is two
   blocks of H, its own block of W with the inverse, and one line of the cache of each body; W would
   have a block for every neighbour, thirteen among spheres and thirty among polyhedra. Products go
   in vectors of four: a column of H is three numbers and one that does not count. */
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"
#include "solve/sweep_parts.h"

enum { BODY = MRN_SWEEP_BODY, MASS = MRN_SWEEP_MASS, INERTIA = MRN_SWEEP_INERTIA };

/* Whether M⁻¹ is three masses and a block of inertia. */
static bool is_apart(const double *m)
{
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++) {
            bool inertia = c >= 3 && r >= 3;
            if (r != c && !inertia && m[c * 6 + r] != 0)
                return false;
        }
    return true;
}

bool mrn_sweep_bodies_fit(const mrn_system *s)
{
    if (!s->has_bodies || s->kind != MRN_CONTACT_3D || s->dof != 6 || s->any_bilateral)
        return false;
    for (int64_t i = 0; i < s->n; i++)
        if (s->body_start[i + 1] - s->body_start[i] > 2)
            return false;
    for (int64_t i = 0; i < s->n_bodies; i++)
        if (!is_apart(s->minv + i * 36))
            return false;
    return true;
}

void mrn_sweep_bodies_load(mrn_sweeper *w, const double *v)
{
    for (int64_t i = 0; i < w->s->n_bodies; i++) {
        double *b = w->body + i * BODY;
        for (int c = 0; c < 3; c++)
            b[c] = v[i * 6 + c], b[4 + c] = v[i * 6 + 3 + c];
    }
}

/* ---- records: all that a sweep reads of a contact, one after another in its order ---- */

enum {
    H_A = 0,
    H_B = 18,
    OWN = 36,
    INVERSE = 45,
    FREE = 54,
    FRICTION = 57,
    BODIES = 58,
    GIVES = 59, /* the compliance; records without one are shorter */
    RECORD = 60,
    RECORD_THAT_GIVES = 62
};

/* The body of a link, or the one that never moves at the end of all. */
static int32_t body_of(const mrn_sweeper *w, int64_t k)
{
    return w->moves[w->s->body[k]] ? w->s->body[k] : w->s->n_bodies;
}

static void write_record(const mrn_sweeper *w, int64_t i, double *to)
{
    const mrn_system *s = w->s;
    int64_t k = s->body_start[i], links = s->body_start[i + 1] - k;
    int32_t body[2] = {s->n_bodies, s->n_bodies};
    memset(to, 0, (size_t)w->stride * sizeof *to);
    for (int side = 0; side < links; side++) {
        body[side] = body_of(w, k + side);
        if (body[side] < s->n_bodies)
            memcpy(to + 18 * side, s->ht + (k + side) * 18, 18 * sizeof *to);
    }
    memcpy(to + OWN, s->diag + i * 9, 9 * sizeof *to);
    memcpy(to + INVERSE, s->inverse + i * 9, 9 * sizeof *to);
    memcpy(to + FREE, s->q + i * 3, 3 * sizeof *to);
    to[FRICTION] = s->mu[i * MRN_FRICTION_GROUPS];
    memcpy(to + BODIES, body, sizeof body);
    if (s->compliance != NULL)
        memcpy(to + GIVES, s->compliance + i * 3, 3 * sizeof *to);
}

static mrn_status write_records(mrn_sweeper *w)
{
    const mrn_system *s = w->s;
    w->stride = s->compliance != NULL ? RECORD_THAT_GIVES : RECORD;
    w->record =
        mrn_work_raw(s->work, (int64_t)s->n * w->stride + MRN_BSR_PADDING, sizeof *w->record);
    if (w->record == NULL)
        return MRN_ERR_MEMORY;
#pragma omp parallel for schedule(static) if (s->n > 2048)
    for (int64_t k = 0; k < s->n; k++)
        write_record(w, w->order[k], w->record + k * w->stride);
    return MRN_OK;
}

mrn_status mrn_sweep_bodies_make(mrn_sweeper *w)
{
    const mrn_system *s = w->s;
    w->body = mrn_work(s->work, (int64_t)(s->n_bodies + 1) * BODY, sizeof *w->body);
    w->moves = mrn_work(s->work, s->n_bodies, sizeof *w->moves);
    if (w->body == NULL || w->moves == NULL)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < s->n_bodies; i++) {
        const double *m = s->minv + i * 36;
        double *b = w->body + i * BODY;
        for (int c = 0; c < 3; c++) {
            b[MASS + c] = m[c * 7];
            for (int r = 0; r < 3; r++)
                b[INERTIA + 4 * c + r] = m[(3 + c) * 6 + 3 + r];
        }
        for (int k = 0; k < 36; k++)
            w->moves[i] |= m[k] != 0;
    }
    return write_records(w);
}

/* One side of a contact. */
typedef struct side {
    const double *h;
    double *body;
} side;

static inline void sides_of(const mrn_sweeper *w, const double *record, side *a, side *b)
{
    int32_t body[2];
    memcpy(body, record + BODIES, sizeof body);
    *a = (side){record + H_A, w->body + (int64_t)body[0] * BODY};
    *b = (side){record + H_B, w->body + (int64_t)body[1] * BODY};
}

/* H v of one side, lane by lane (a macro: vectors are not handed from function to function) */
#define VELOCITY(x, out)                                                                           \
    do {                                                                                           \
        out += MRN_V4((x).h) * (x).body[0];                                                        \
        out += MRN_V4((x).h + 3) * (x).body[1];                                                    \
        out += MRN_V4((x).h + 6) * (x).body[2];                                                    \
        out += MRN_V4((x).h + 9) * (x).body[4];                                                    \
        out += MRN_V4((x).h + 12) * (x).body[5];                                                   \
        out += MRN_V4((x).h + 15) * (x).body[6];                                                   \
    } while (0)

/* sums over the lanes of four vectors */
#define SUMS(a, b, c, d, out)                                                                      \
    do {                                                                                           \
        mrn_v4 ab =                                                                                \
            __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7); \
        mrn_v4 cd =                                                                                \
            __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7); \
        out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +                                        \
              __builtin_shufflevector(ab, cd, 2, 3, 6, 7);                                         \
    } while (0)

/* v += M⁻¹ Hᵀ d of one side */
static inline void push(side x, const double *d)
{
    mrn_v4 D = {d[0], d[1], d[2], 0}, none = {0, 0, 0, 0}, force, rest;
    mrn_v4 h0 = MRN_V4(x.h) * D, h1 = MRN_V4(x.h + 3) * D, h2 = MRN_V4(x.h + 6) * D;
    mrn_v4 h3 = MRN_V4(x.h + 9) * D, h4 = MRN_V4(x.h + 12) * D, h5 = MRN_V4(x.h + 15) * D;
    SUMS(h0, h1, h2, h3, force);
    SUMS(h4, h5, none, none, rest);
    mrn_v4_any *v = (mrn_v4_any *)x.body;
    v[0] += MRN_V4(x.body + MASS) * force;
    mrn_v4 spin = MRN_V4(x.body + INERTIA) * force[3];
    spin += MRN_V4(x.body + INERTIA + 4) * rest[0];
    spin += MRN_V4(x.body + INERTIA + 8) * rest[1];
    v[1] += spin;
}

static inline void update(const mrn_sweeper *w, const double *record, int64_t i, double *r,
                          mrn_sweep_sums *sums)
{
    const mrn_system *s = w->s;
    const double *W = record + OWN, *q = record + FREE, *inverse = record + INVERSE;
    const double *mu = record + FRICTION, *nobody = w->body + (int64_t)s->n_bodies * BODY;
    double *ri = r + i * 3, x[3] = {ri[0], ri[1], ri[2]}, v[3];
    side a, b;
    sides_of(w, record, &a, &b);
    mrn_v4 va = {q[0], q[1], q[2], 0}, vb = {0, 0, 0, 0};
    mrn_v4 own = MRN_V4(W) * x[0];
    own += MRN_V4(W + 3) * x[1];
    own += MRN_V4(W + 6) * x[2];
    if (s->compliance != NULL) { /* bodies do not have what the contact gives by itself */
        mrn_v4 own_x = {x[0], x[1], x[2], 0};
        own -= MRN_V4(record + GIVES) * own_x;
    }
    VELOCITY(a, va);
    VELOCITY(b, vb);
    va = (va - own) + vb;
    v[0] = va[0], v[1] = va[1], v[2] = va[2];
    bool fine = w->method == MRN_LOCAL_AUTO
                    ? mrn_local_3d(W, inverse, v, mu[0], x)
                    : mrn_local_solve(w->method, s->lay, MRN_UNILATERAL, W, inverse, v, mu, 0, x);
    sums->failed += !fine;
    if (w->relaxation != 1) {
        for (int c = 0; c < 3; c++)
            x[c] = ri[c] + w->relaxation * (x[c] - ri[c]);
        if (w->relaxation > 1) /* the law holds for what is kept */
            mrn_cone_project(s->lay, mu, x, x);
    }
    double d[3] = {x[0] - ri[0], x[1] - ri[1], x[2] - ri[2]};
    double change = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (w->energies)
        mrn_sweep_count(sums, 3, W, ri, x, d);
    if (w->verified != NULL)
        w->verified[i] = W[0] * fabs(d[0]) <= w->threshold;
    if (!(change > 0))
        return; /* most that are open stay so */
    sums->change += change;
    ri[0] = x[0], ri[1] = x[1], ri[2] = x[2];
    if (a.body != nobody)
        push(a, d);
    if (b.body != nobody)
        push(b, d);
}

void mrn_sweep_bodies_stretch(mrn_sweeper *w, int64_t at, int64_t end, int64_t top, double *r,
                              mrn_sweep_sums *sums)
{
    for (int64_t k = at; k < end; k++) {
        int64_t p = top > 0 ? top - 1 - k : k, i = w->order[p];
        update(w, w->record + (w->by_contact ? i : p) * w->stride, i, r, sums);
    }
}

void mrn_sweep_bodies_turns(mrn_sweeper *w, int n, const int64_t *slab, double *r,
                            mrn_sweep_sums *sums)
{
    int64_t shortest = INT64_MAX;
    for (int c = 0; c < n; c++)
        shortest = slab[c + 1] - slab[c] < shortest ? slab[c + 1] - slab[c] : shortest;
    for (int64_t k = 0; k < shortest; k++)
        for (int c = 0; c < n; c++) {
            int64_t p = slab[c] + k;
            update(w, w->record + p * w->stride, w->order[p], r, sums + c);
        }
    for (int c = 0; c < n; c++)
        mrn_sweep_bodies_stretch(w, slab[c] + shortest, slab[c + 1], 0, r, sums + c);
}

typedef struct looked_at {
    const mrn_sweeper *w;
    const double *r;
    double *u;
} looked_at;

enum { CHUNK = 1024 };

static void velocity_chunk(void *of, int64_t part)
{
    const looked_at *l = of;
    const mrn_sweeper *w = l->w;
    const mrn_system *s = w->s;
    for (int64_t k = part * CHUNK; k < s->n && k < (part + 1) * CHUNK; k++) {
        const double *record = w->record + k * w->stride, *q = record + FREE;
        int64_t i = w->by_contact ? k : w->order[k];
        side a, b;
        sides_of(w, record, &a, &b);
        mrn_v4 va = {q[0], q[1], q[2], 0}, vb = {0, 0, 0, 0};
        VELOCITY(a, va);
        VELOCITY(b, vb);
        va += vb;
        if (s->compliance != NULL) {
            mrn_v4 x = {l->r[i * 3], l->r[i * 3 + 1], l->r[i * 3 + 2], 0};
            va += MRN_V4(record + GIVES) * x;
        }
        l->u[i * 3] = va[0], l->u[i * 3 + 1] = va[1], l->u[i * 3 + 2] = va[2];
    }
}

void mrn_sweep_bodies_velocity(const mrn_sweeper *w, const double *r, double *u)
{
    looked_at l = {w, r, u};
    int64_t parts = (w->s->n + CHUNK - 1) / CHUNK;
    if (parts > 2)
        mrn_crew_share(w->s->crew, parts, velocity_chunk, &l);
    for (int64_t k = 0; parts <= 2 && k < parts; k++)
        velocity_chunk(&l, k);
}
