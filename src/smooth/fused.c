/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commonest models in one loop over the pairs of spheres of a block: kinematics, normal law,
   tangential law, force and lever. Part by part the numbers of a contact go to memory and back some
   sixty times, and roots are taken twice; here they stay in registers. The formulas are those of
   the parts, in the same order: same bits (tests/smooth/test_fused.c). A loop for contacts that are
   all past their first step leaves out what only that one needs. */
#include <string.h>

#include "base/dispatch.h"
#include "laws/models.h"
#include "laws/normal_linear.h"
#include "laws/normal_tsuji.h"
#include "laws/normal_viscoelastic.h"
#include "laws/tangential_linear.h"
#include "laws/tangential_mindlin.h"
#include "smooth/sphere_contact.h"

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

mrn_fused *mrn_fused_of(const mrn_prepared *law)
{
    static const struct {
        const mrn_law *normal, *tangential;
        mrn_fused *loop;
    } combination[] = {
        {&mrn_law_normal_tsuji, &mrn_law_tangential_mindlin, tsuji_mindlin},
        {&mrn_law_normal_viscoelastic, &mrn_law_tangential_mindlin, viscoelastic_mindlin},
        {&mrn_law_normal_linear, &mrn_law_tangential_linear, linear_spring},
    };
    if (law->range || law->moments || law->jumps || law->undamped ||
        law->part[MRN_LAW_COHESION] != NULL)
        return NULL;
    for (size_t k = 0; k < sizeof combination / sizeof *combination; k++)
        if (law->part[MRN_LAW_NORMAL] == combination[k].normal &&
            law->part[MRN_LAW_TANGENTIAL] == combination[k].tangential)
            return combination[k].loop;
    return NULL;
}
