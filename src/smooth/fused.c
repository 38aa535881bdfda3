/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commonest models in one loop over the pairs of spheres of a block: kinematics, normal law,
   tangential law, force and lever. Part by part the numbers of a contact go to memory and back some
   sixty times, and roots are taken twice; here they stay in registers. The formulas are those of
   the parts, in the same order: same bits (tests/smooth/test_fused.c). A loop for contacts that are
   all past their first step leaves out what only that one needs. */
#include <float.h>
#include <string.h>

#include "base/columns.h"
#include "base/dispatch.h"
#include "laws/models.h"
#include "laws/normal_linear.h"
#include "laws/normal_tsuji.h"
#include "laws/normal_viscoelastic.h"
#include "laws/tangential_linear.h"
#include "laws/tangential_mindlin.h"
#include "smooth/sphere_contact.h"
#include "smooth/stream.h"

/* What a tangential law keeps: a spring, and the root of the overlap if it wants it. */
typedef struct memory {
    mrn_vec3 spring;
    double root;
} memory;

typedef mrn_normal normal_law(const double *coef, mrn_sphere_contact c, double fresh, double h);
typedef mrn_tangential tangential_law(const double *coef, mrn_sphere_contact c, mrn_sliding at,
                                      mrn_normal f, memory m);

/* ---- the parts ---- */

MRN_FORMULA mrn_normal tsuji(const double *coef, mrn_sphere_contact c, double fresh, double h)
{
    mrn_normal_tsuji k = *(const mrn_normal_tsuji *)(const void *)coef;
    return mrn_normal_tsuji_step(k, c.r, c.m, c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_normal viscoelastic(const double *coef, mrn_sphere_contact c, double fresh,
                                    double h)
{
    mrn_normal_viscoelastic k = *(const mrn_normal_viscoelastic *)(const void *)coef;
    return mrn_normal_viscoelastic_step(k, c.r, c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_normal linear(const double *coef, mrn_sphere_contact c, double fresh, double h)
{
    mrn_linear k = *(const mrn_linear *)(const void *)coef;
    return mrn_normal_linear_step(k, c.m, c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_tangential mindlin(const double *coef, mrn_sphere_contact c, mrn_sliding at,
                                   mrn_normal f, memory m)
{
    mrn_tangential_mindlin k = *(const mrn_tangential_mindlin *)(const void *)coef;
    return mrn_tangential_mindlin_step(k, at, c.r, sqrt(c.delta), f.gamma, fabs(f.fn), m.spring,
                                       m.root);
}

MRN_FORMULA mrn_tangential spring(const double *coef, mrn_sphere_contact c, mrn_sliding at,
                                  mrn_normal f, memory m)
{
    (void)c;
    mrn_tangential_linear k = *(const mrn_tangential_linear *)(const void *)coef;
    return mrn_tangential_linear_step(k, at, f.k, f.gamma, fabs(f.fn), m.spring);
}

/* ---- the loop ---- */

MRN_FORMULA mrn_sliding sliding(mrn_sphere_contact c, double fresh, double h)
{
    mrn_sliding at = {c.n, c.u, h * c.spin, c.delta, c.rate, fresh, h};
    return at;
}

/* `wide`: the tangential law keeps the root of the overlap; `old`: no contact is in its first step.
 */
MRN_FORMULA void fuse(const mrn_prepared *law, const double *cell_rate, double h, mrn_scratch *w,
                      mrn_tally_part *t, normal_law *normal, tangential_law *tangential, bool wide,
                      bool old)
{
    mrn_law_block *b = &w->block;
    mrn_cell_rates flow = mrn_cell_rates_of(cell_rate);
    double cn[MRN_COEF_MAX], ct[MRN_COEF_MAX];
    memcpy(cn, law->coef[MRN_LAW_NORMAL], sizeof cn);
    memcpy(ct, law->coef[MRN_LAW_TANGENTIAL], sizeof ct);
    double(*kept)[MRN_BLOCK] = b->history + law->offset[MRN_LAW_TANGENTIAL];
    double *restrict sx = kept[0], *restrict sy = kept[1], *restrict sz = kept[2];
    double *restrict root = kept[3];
    double *restrict energy_n = t->term[MRN_TERM_ENERGY_N] + t->n;
    double *restrict energy_t = t->term[MRN_TERM_ENERGY_T] + t->n;
    double *restrict loss = t->term[MRN_TERM_LOSS_N] + t->n;
    double *restrict power = t->term[MRN_TERM_POWER_T] + t->n;
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mrn_sphere_contact c = mrn_sphere_contact_at(w, flow, k);
        double fresh = old ? 0 : b->fresh[k];
        memory m = {{sx[k], sy[k], sz[k]}, wide ? root[k] : 0};
        mrn_normal f = normal(cn, c, fresh, h);
        mrn_tangential a = tangential(ct, c, sliding(c, fresh, h), f, m);
        mrn_vec3 on_c = mrn_scale(-1, a.force), force = mrn_axpy(f.fn, c.n, on_c);
        mrn_vec3 lever = mrn_sphere_lever(c.lever, c.n, on_c);
        sx[k] = a.ahead.x, sy[k] = a.ahead.y, sz[k] = a.ahead.z;
        if (wide)
            root[k] = sqrt(c.delta);
        w->column[0][k] = force.x, w->column[1][k] = force.y, w->column[2][k] = force.z;
        w->column[3][k] = lever.x, w->column[4][k] = lever.y, w->column[5][k] = lever.z;
        energy_n[k] = f.energy, energy_t[k] = a.energy;
        loss[k] = f.loss, power[k] = a.power;
        b->delta[k] = c.delta, b->r_eff[k] = c.r, b->slip[k] = a.slip;
    }
}

/* ---- the same for a block of the stream ---- */

/* What the laws of a pair of spheres keep through its life: roots and quotients that no step need
   take again. */
typedef struct life {
    double a, b;
} life;

typedef mrn_normal stream_normal(const double *coef, mrn_sphere_contact c, life of, double fresh,
                                 double h);
typedef mrn_loaded stream_tangential(const double *coef, mrn_sphere_contact c, life of,
                                     mrn_sliding at, mrn_normal f, memory m);

MRN_FORMULA mrn_normal stream_tsuji(const double *coef, mrn_sphere_contact c, life of, double fresh,
                                    double h)
{
    mrn_normal_tsuji k = *(const mrn_normal_tsuji *)(const void *)coef;
    mrn_normal_tsuji_contact t = {mrn_hertz_k_of(k.hertz, of.a), of.b, k.tension};
    return mrn_normal_tsuji_go(t, c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_normal stream_viscoelastic(const double *coef, mrn_sphere_contact c, life of,
                                           double fresh, double h)
{
    mrn_normal_viscoelastic k = *(const mrn_normal_viscoelastic *)(const void *)coef;
    return mrn_normal_viscoelastic_go(k, mrn_hertz_k_of(k.hertz, of.a), c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_normal stream_linear(const double *coef, mrn_sphere_contact c, life of,
                                     double fresh, double h)
{
    mrn_linear k = *(const mrn_linear *)(const void *)coef;
    mrn_normal_linear_contact t = {of.a, of.b, k.tension};
    return mrn_normal_linear_go(t, c.delta, c.rate, fresh, h);
}

MRN_FORMULA mrn_loaded stream_mindlin(const double *coef, mrn_sphere_contact c, life of,
                                      mrn_sliding at, mrn_normal f, memory m)
{
    mrn_tangential_mindlin k = *(const mrn_tangential_mindlin *)(const void *)coef;
    return mrn_tangential_mindlin_loaded(k, at, of.a, sqrt(c.delta), f.gamma, fabs(f.fn), m.spring,
                                         m.root);
}

MRN_FORMULA mrn_loaded stream_spring(const double *coef, mrn_sphere_contact c, life of,
                                     mrn_sliding at, mrn_normal f, memory m)
{
    (void)c, (void)of;
    mrn_tangential_linear k = *(const mrn_tangential_linear *)(const void *)coef;
    return mrn_tangential_linear_loaded(k, at, f.k, f.gamma, fabs(f.fn), m.spring);
}

static void life_tsuji(const double *coef, double r, double m, double *a, double *b)
{
    mrn_normal_tsuji k = *(const mrn_normal_tsuji *)(const void *)coef;
    *a = sqrt(r), *b = mrn_normal_tsuji_of(k, r, m).g;
}

static void life_hertz(const double *coef, double r, double m, double *a, double *b)
{
    (void)coef, (void)m;
    *a = sqrt(r), *b = 0;
}

static void life_linear(const double *coef, double r, double m, double *a, double *b)
{
    mrn_normal_linear_contact k = mrn_normal_linear_of(*(const mrn_linear *)(const void *)coef, m);
    (void)r;
    *a = k.k, *b = k.g;
}

/* Entry k of a block of the stream; laws know of its masses what they keep. */
MRN_FORMULA mrn_sphere_pair pair_at(const mrn_stream_block *b, int k)
{
    return (mrn_sphere_pair){.d = {b->d[0][k], b->d[1][k], b->d[2][k]},
                             .vc = {b->vc[0][k], b->vc[1][k], b->vc[2][k]},
                             .va = {b->va[0][k], b->va[1][k], b->va[2][k]},
                             .wc = {b->vc[4][k], b->vc[5][k], b->vc[6][k]},
                             .wa = {b->va[4][k], b->va[5][k], b->va[6][k]},
                             .rc = b->xc[k],
                             .ra = b->xa[k],
                             .mc = 1,
                             .ma = 1};
}

/* Motions of the bodies of eight contacts: rows become columns. */
MRN_FORMULA void fetch_motions(const double *motion, const int32_t *ends,
                               double (*to)[MRN_STREAM_ROW], int k)
{
    mrn_eight v[8];
    for (int l = 0; l < 8; l++)
        v[l] = *(const mrn_eight *)(motion + 8 * (size_t)ends[2 * l]);
    mrn_transpose8(v);
    for (int l = 0; l < 7; l++)
        *(mrn_eight *)&to[l][k] = v[l];
}

/* Forces and levers of eight contacts, a line for each. */
MRN_FORMULA void store_lines(double *force, const int32_t *line, const mrn_stream_block *b, int k)
{
    mrn_eight v[8];
    for (int l = 0; l < 3; l++) {
        v[l] = *(const mrn_eight *)&b->answer[l][k];
        v[4 + l] = *(const mrn_eight *)&b->answer[3 + l][k];
    }
    v[3] = v[7] = (mrn_eight){0, 0, 0, 0, 0, 0, 0, 0};
    mrn_transpose8(v);
    for (int l = 0; l < 8; l++)
        *(mrn_eight *)(force + 8 * (size_t)line[k + l]) = v[l];
}

/* Contacts at a time: roots and quotients of two vectors overlap, and with them the rows of the
   bodies of the next. Those that may slide are looked at a vector at a time. */
enum { GROUP = 16, SLICE = 8 };

/* What those that slide are answered with. */
typedef struct stuck {
    double nx[GROUP], ny[GROUP], nz[GROUP], ux[GROUP], uy[GROUP], uz[GROUP];
    double sx[GROUP], sy[GROUP], sz[GROUP], k[GROUP], g[GROUP], limit[GROUP];
    double fn[GROUP], lever[GROUP];
} stuck;

/* Where the terms of a block's energies go, and its memory. */
typedef struct columns {
    double *restrict sx, *restrict sy, *restrict sz, *restrict root;
    double *restrict energy_n, *restrict energy_t, *restrict loss, *restrict power;
    const double *restrict a, *restrict b;
} columns;

MRN_FORMULA columns columns_of(const mrn_prepared *law, const mrn_stream_block *b, double *kept,
                               mrn_tally_part *t)
{
    double *at = kept + law->offset[MRN_LAW_TANGENTIAL] * MRN_STREAM_BLOCK;
    return (columns){.sx = at,
                     .sy = at + MRN_STREAM_BLOCK,
                     .sz = at + 2 * MRN_STREAM_BLOCK,
                     .root = at + 3 * MRN_STREAM_BLOCK,
                     .energy_n = t->term[MRN_TERM_ENERGY_N] + t->n,
                     .energy_t = t->term[MRN_TERM_ENERGY_T] + t->n,
                     .loss = t->term[MRN_TERM_LOSS_N] + t->n,
                     .power = t->term[MRN_TERM_POWER_T] + t->n,
                     .a = b->life,
                     .b = b->life + MRN_STREAM_BLOCK};
}

/* What the tangential part of contact k, in touch, answers. */
MRN_FORMULA void answer(mrn_stream_block *b, columns o, int k, bool on, mrn_tangential a, double fn,
                        mrn_vec3 n, double s)
{
    mrn_vec3 on_c = mrn_scale(-1, a.force), force = mrn_axpy(fn, n, on_c);
    mrn_vec3 lever = mrn_sphere_lever(s, n, on_c);
    o.sx[k] = on ? a.ahead.x : 0, o.sy[k] = on ? a.ahead.y : 0, o.sz[k] = on ? a.ahead.z : 0;
    b->answer[0][k] = on ? force.x : 0, b->answer[1][k] = on ? force.y : 0;
    b->answer[2][k] = on ? force.z : 0, b->answer[3][k] = on ? lever.x : 0;
    b->answer[4][k] = on ? lever.y : 0, b->answer[5][k] = on ? lever.z : 0;
    o.energy_t[k] = on ? a.energy : 0, o.power[k] = on ? a.power : 0;
    b->slip[k] = on ? a.slip : 0;
}

/* A slice of a group in which some may slide: all of it once more, from where sticking and sliding
   part. */
MRN_FORMULA void slide_slice(double h, mrn_stream_block *b, columns o, const stuck *g, int k0,
                             int from)
{
#pragma omp simd
    for (int l = from; l < from + SLICE; l++) {
        int k = k0 + l;
        mrn_vec3 n = {g->nx[l], g->ny[l], g->nz[l]}, u = {g->ux[l], g->uy[l], g->uz[l]};
        mrn_loaded a = {{g->sx[l], g->sy[l], g->sz[l]}, g->k[l], g->g[l], g->limit[l]};
        mrn_sliding at = {n, u, 0, 0, 0, 0, h};
        answer(b, o, k, b->touch[k] != 0, mrn_tangential_go(at, a), g->fn[l], n, g->lever[l]);
    }
}

/* GROUP contacts from k0 on. Entries need not touch: where they do not, formulas see some overlap,
   and what they answer is not taken. `old`: none is in its first step; these are answered as if
   they stuck, and slide_slice sees to the rest. Whether one may be deeper than `bound` of its
   effective radius: bit 0; in which slices some may slide: the bits above. */
MRN_FORMULA int fuse_group(const double *cn, const double *ct, mrn_cell_rates flow, double h,
                           mrn_stream_block *b, columns o, stuck *g, int k0, double bound,
                           stream_normal *normal, stream_tangential *tangential, bool wide,
                           bool old)
{
    int found = 0;
#pragma omp simd reduction(| : found)
    for (int l = 0; l < GROUP; l++) {
        int k = k0 + l;
        mrn_sphere_contact c = mrn_sphere_contact_of(pair_at(b, k), flow);
        bool on = b->touch[k] != 0;
        double sum = b->xc[k] + b->xa[k], product = b->xc[k] * b->xa[k];
        c.delta = on ? c.delta : sum;
        double fresh = old ? 0 : b->fresh[k];
        memory m = {{o.sx[k], o.sy[k], o.sz[k]}, wide ? o.root[k] : 0};
        life of = {o.a[k], o.b[k]};
        mrn_normal f = normal(cn, c, of, fresh, h);
        mrn_sliding at = sliding(c, fresh, h);
        mrn_loaded a = tangential(ct, c, of, at, f, m);
        mrn_tangential t;
        double slides = 0;
        if (old) {
            mrn_tangent stick = mrn_tangent_stick(a.s, c.u, a.k, a.g, 0.5 * h, 0.5 * h + 0.5 * h);
            slides = on ? mrn_tangent_may_slide(stick.force, a.limit) : 0;
            t = mrn_tangential_of(stick, c.u, a.k);
            g->nx[l] = c.n.x, g->ny[l] = c.n.y, g->nz[l] = c.n.z;
            g->ux[l] = c.u.x, g->uy[l] = c.u.y, g->uz[l] = c.u.z;
            g->sx[l] = a.s.x, g->sy[l] = a.s.y, g->sz[l] = a.s.z;
            g->k[l] = a.k, g->g[l] = a.g, g->limit[l] = a.limit;
            g->fn[l] = f.fn, g->lever[l] = c.lever;
        } else {
            t = mrn_tangential_go(at, a);
        }
        answer(b, o, k, on, t, f.fn, c.n, c.lever);
        if (wide)
            o.root[k] = on ? sqrt(c.delta) : 0;
        o.energy_n[k] = on ? f.energy : 0, o.loss[k] = on ? f.loss : 0;
        b->delta[k] = on ? c.delta : 0;
        found |= (b->delta[k] * sum >= bound * product ? 1 : 0) | (slides > 0 ? 2 << l / SLICE : 0);
    }
    return found;
}

/* Bodies and memory in order, as far as the second-level cache: lines in order come several times
   as fast as lines here and there (bench/memory.c). Partners to where they will be read. */
MRN_FORMULA void ask_ahead(const mrn_stream_ahead *a, int part)
{
    enum { PARTS = MRN_STREAM_BLOCK / GROUP };
    int64_t n = a->to - a->from;
    int64_t from = a->from + n * part / PARTS / 2 * 2,
            to = a->from + n * (part + 1) / PARTS / 2 * 2;
    for (int64_t i = from; i < (part + 1 < PARTS ? to : a->to); i += 2) { /* halves of a line */
        __builtin_prefetch(a->place + 4 * i, 0, 2);
        __builtin_prefetch(a->motion + 8 * i, 0, 2);
        __builtin_prefetch(a->motion + 8 * i + 8, 0, 2);
        __builtin_prefetch(a->pull + 8 * i, 0, 2);
        __builtin_prefetch(a->pull + 8 * i + 8, 0, 2);
        __builtin_prefetch(a->q + 4 * i, 0, 2);
    }
    if (part == 0) {
        __builtin_prefetch(a->alive, 1, 3);
        __builtin_prefetch(a->ready_row, 0, 3);
        __builtin_prefetch(a->ready, 0, 3);
        __builtin_prefetch(a->term_row, 0, 3);
    }
    int share = a->length / PARTS;
    for (int k = share * part; k < share * (part + 1); k += 8)
        __builtin_prefetch(a->kept + k, 1, 2);
    for (int k = a->n_far * part / PARTS; k < a->n_far * (part + 1) / PARTS; k++) {
        __builtin_prefetch(a->place + 4 * (int64_t)a->far[k], 0, 3);
        __builtin_prefetch(a->motion + 8 * (int64_t)a->far[k], 0, 3);
    }
}

MRN_FORMULA void fuse_stream(const mrn_prepared *law, const double *cell_rate, double h,
                             mrn_stream_block *b, double *kept, mrn_tally_part *t,
                             stream_normal *normal, stream_tangential *tangential, bool wide,
                             bool old)
{
    mrn_cell_rates flow = mrn_cell_rates_of(cell_rate);
    double cn[MRN_COEF_MAX], ct[MRN_COEF_MAX];
    memcpy(cn, law->coef[MRN_LAW_NORMAL], sizeof cn);
    memcpy(ct, law->coef[MRN_LAW_TANGENTIAL], sizeof ct);
    columns o = columns_of(law, b, kept, t);
    double bound = (1 - 16 * DBL_EPSILON) * t->max_overlap; /* room for the rounding of products */
    stuck g;
    b->above = false;
    for (int k = 0; k < b->n; k += GROUP) {
        if (b->ahead.on)
            ask_ahead(&b->ahead, k / GROUP);
        for (int l = k; l < k + GROUP; l += 8) {
            fetch_motions(b->motion, b->ends + 2 * l, b->vc, l);
            fetch_motions(b->motion, b->ends + 2 * l + 1, b->va, l);
        }
        int found = fuse_group(cn, ct, flow, h, b, o, &g, k, bound, normal, tangential, wide, old);
        for (int l = 0; old && l < GROUP; l += SLICE)
            if ((found & 2 << l / SLICE) != 0)
                slide_slice(h, b, o, &g, k, l);
        for (int l = k; l < k + GROUP; l += 8)
            store_lines(b->force, b->line, b, l);
        b->above |= (found & 1) != 0;
    }
}

#define MRN_STREAMED(name, normal, tangential, wide)                                               \
    MRN_DISPATCHED static void name(const mrn_prepared *law, const double *cell_rate, double h,    \
                                    mrn_stream_block *b, double *kept, mrn_tally_part *t)          \
    {                                                                                              \
        if (b->old)                                                                                \
            fuse_stream(law, cell_rate, h, b, kept, t, normal, tangential, wide, true);            \
        else                                                                                       \
            fuse_stream(law, cell_rate, h, b, kept, t, normal, tangential, wide, false);           \
    }

#define MRN_FUSED(name, normal, tangential, wide)                                                  \
    MRN_DISPATCHED static void name(const mrn_prepared *law, const double *cell_rate, double h,    \
                                    mrn_scratch *w, mrn_tally_part *t)                             \
    {                                                                                              \
        if (w->block.old)                                                                          \
            fuse(law, cell_rate, h, w, t, normal, tangential, wide, true);                         \
        else                                                                                       \
            fuse(law, cell_rate, h, w, t, normal, tangential, wide, false);                        \
    }

MRN_FUSED(tsuji_mindlin, tsuji, mindlin, true)
MRN_FUSED(viscoelastic_mindlin, viscoelastic, mindlin, true)
MRN_FUSED(linear_spring, linear, spring, false)
MRN_STREAMED(stream_tsuji_mindlin, stream_tsuji, stream_mindlin, true)
MRN_STREAMED(stream_viscoelastic_mindlin, stream_viscoelastic, stream_mindlin, true)
MRN_STREAMED(stream_linear_spring, stream_linear, stream_spring, false)

typedef struct combination {
    const mrn_law *normal, *tangential;
    mrn_fused *loop;
    mrn_stream_law *stream;
    mrn_stream_life *life;
} combination;

static const combination common[] = {
    {&mrn_law_normal_tsuji, &mrn_law_tangential_mindlin, tsuji_mindlin, stream_tsuji_mindlin,
     life_tsuji},
    {&mrn_law_normal_viscoelastic, &mrn_law_tangential_mindlin, viscoelastic_mindlin,
     stream_viscoelastic_mindlin, life_hertz},
    {&mrn_law_normal_linear, &mrn_law_tangential_linear, linear_spring, stream_linear_spring,
     life_linear},
};

static const combination *combination_of(const mrn_prepared *law)
{
    if (law->range || law->moments || law->jumps || law->undamped ||
        law->part[MRN_LAW_COHESION] != NULL)
        return NULL;
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
        if (law->part[MRN_LAW_NORMAL] == common[k].normal &&
            law->part[MRN_LAW_TANGENTIAL] == common[k].tangential)
            return &common[k];
    return NULL;
}

mrn_fused *mrn_fused_of(const mrn_prepared *law)
{
    const combination *c = combination_of(law);
    return c != NULL ? c->loop : NULL;
}

mrn_stream_law *mrn_stream_law_of(const mrn_prepared *law)
{
    const combination *c = combination_of(law);
    return c != NULL ? c->stream : NULL;
}

mrn_stream_life *mrn_stream_life_of(const mrn_prepared *law)
{
    const combination *c = combination_of(law);
    return c != NULL ? c->life : NULL;
}
