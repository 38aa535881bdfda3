/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commonest models in one loop over the pairs of spheres of a block: kinematics, normal law,
   tangential law, force and lever. Part by part the numbers of a contact go to memory and back some
   sixty times, and roots are taken twice; here they stay in registers. The formulas are those of
   the parts, in the same order: same bits (tests/smooth/test_fused.c). A loop for contacts that are
   all past their first step leaves out what only that one needs. */
#include <float.h>
#include <string.h>

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
typedef mrn_tangential stream_tangential(const double *coef, mrn_sphere_contact c, life of,
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

MRN_FORMULA mrn_tangential stream_mindlin(const double *coef, mrn_sphere_contact c, life of,
                                          mrn_sliding at, mrn_normal f, memory m)
{
    mrn_tangential_mindlin k = *(const mrn_tangential_mindlin *)(const void *)coef;
    return mrn_tangential_mindlin_go(k, at, of.a, sqrt(c.delta), f.gamma, fabs(f.fn), m.spring,
                                     m.root);
}

MRN_FORMULA mrn_tangential stream_spring(const double *coef, mrn_sphere_contact c, life of,
                                         mrn_sliding at, mrn_normal f, memory m)
{
    (void)of;
    return spring(coef, c, at, f, m);
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
    mrn_normal_linear_contact k =
        mrn_normal_linear_of(*(const mrn_linear *)(const void *)coef, m);
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
                             .rc = b->xc[3][k],
                             .ra = b->xa[3][k],
                             .mc = 1,
                             .ma = 1};
}

/* Entries need not touch: where they do not, formulas see some overlap, and what they answer is not
   taken. */
MRN_FORMULA void fuse_stream(const mrn_prepared *law, const double *cell_rate, double h,
                             mrn_stream_block *b, double *kept, mrn_tally_part *t,
                             stream_normal *normal, stream_tangential *tangential, bool wide,
                             bool old)
{
    mrn_cell_rates flow = mrn_cell_rates_of(cell_rate);
    double cn[MRN_COEF_MAX], ct[MRN_COEF_MAX];
    memcpy(cn, law->coef[MRN_LAW_NORMAL], sizeof cn);
    memcpy(ct, law->coef[MRN_LAW_TANGENTIAL], sizeof ct);
    const double *restrict ka = b->life, *restrict kb = b->life + MRN_STREAM_BLOCK;
    kept += law->offset[MRN_LAW_TANGENTIAL] * MRN_STREAM_BLOCK;
    double *restrict sx = kept, *restrict sy = kept + MRN_STREAM_BLOCK;
    double *restrict sz = kept + 2 * MRN_STREAM_BLOCK, *restrict root = kept + 3 * MRN_STREAM_BLOCK;
    double *restrict energy_n = t->term[MRN_TERM_ENERGY_N] + t->n;
    double *restrict energy_t = t->term[MRN_TERM_ENERGY_T] + t->n;
    double *restrict loss = t->term[MRN_TERM_LOSS_N] + t->n;
    double *restrict power = t->term[MRN_TERM_POWER_T] + t->n;
    double bound = (1 - 16 * DBL_EPSILON) * t->max_overlap; /* room for the rounding of products */
    int n = b->n, above = 0;
#pragma omp simd reduction(| : above)
    for (int k = 0; k < n; k++) {
        mrn_sphere_contact c = mrn_sphere_contact_of(pair_at(b, k), flow);
        bool on = b->touch[k] != 0;
        double sum = b->xc[3][k] + b->xa[3][k], product = b->xc[3][k] * b->xa[3][k];
        c.delta = on ? c.delta : sum;
        double fresh = old ? 0 : b->fresh[k];
        memory m = {{sx[k], sy[k], sz[k]}, wide ? root[k] : 0};
        life of = {ka[k], kb[k]};
        mrn_normal f = normal(cn, c, of, fresh, h);
        mrn_tangential a = tangential(ct, c, of, sliding(c, fresh, h), f, m);
        mrn_vec3 on_c = mrn_scale(-1, a.force), force = mrn_axpy(f.fn, c.n, on_c);
        mrn_vec3 lever = mrn_sphere_lever(c.lever, c.n, on_c);
        sx[k] = on ? a.ahead.x : 0, sy[k] = on ? a.ahead.y : 0, sz[k] = on ? a.ahead.z : 0;
        if (wide)
            root[k] = on ? sqrt(c.delta) : 0;
        b->answer[0][k] = on ? force.x : 0, b->answer[1][k] = on ? force.y : 0;
        b->answer[2][k] = on ? force.z : 0, b->answer[3][k] = on ? lever.x : 0;
        b->answer[4][k] = on ? lever.y : 0, b->answer[5][k] = on ? lever.z : 0;
        energy_n[k] = on ? f.energy : 0, energy_t[k] = on ? a.energy : 0;
        loss[k] = on ? f.loss : 0, power[k] = on ? a.power : 0;
        b->delta[k] = on ? c.delta : 0, b->slip[k] = on ? a.slip : 0;
        above |= b->delta[k] * sum >= bound * product;
    }
    b->above = above != 0;
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
