/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws of one contact: the formulas of laws/, part by part in the order of mrn_law_evaluate, on
   a block of one. Nothing of a formula stands here. */
#ifndef MRN_CUDA_LAWS_H
#define MRN_CUDA_LAWS_H

#include "cuda/common_law.h"
#include "cuda/gpu.h"
#include "cuda/limits.h"
#include "laws/cohesion_dmt.h"
#include "laws/cohesion_linear.h"
#include "laws/gather.h"
#include "laws/normal_elastic.h"
#include "laws/normal_elastic_viscous.h"
#include "laws/normal_hertz.h"
#include "laws/normal_linear.h"
#include "laws/normal_tsuji.h"
#include "laws/normal_viscoelastic.h"
#include "laws/normal_walton_braun.h"
#include "laws/normal_zheng.h"
#include "laws/rolling_constant.h"
#include "laws/rolling_elastic_plastic.h"
#include "laws/rolling_viscoelastic.h"
#include "laws/rolling_viscous.h"
#include "laws/tangential_linear.h"
#include "laws/tangential_microslip_simple.h"
#include "laws/tangential_mindlin.h"
#include "laws/tangential_zheng.h"
#include "laws/twisting_constant.h"
#include "laws/twisting_elastic_plastic.h"
#include "smooth/sphere_contact.h"

MRN_INLINE void mrn_gpu_normal(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double r = b->r_eff[0], m = b->m_eff[0], d = b->delta[0], v = b->rate[0];
    double fresh = b->fresh[0], h = b->h;
    switch (law->part[MRN_LAW_NORMAL]) {
    case MRN_GPU_normal_elastic:
        mrn_block_normal(b, 0,
                         mrn_normal_elastic_step(MRN_GPU_COEF(mrn_linear, MRN_LAW_NORMAL), m, d));
        break;
    case MRN_GPU_normal_elastic_viscous:
        mrn_block_normal(b, 0,
                         mrn_normal_elastic_viscous_step(MRN_GPU_COEF(mrn_linear, MRN_LAW_NORMAL),
                                                         m, d, v, fresh, h));
        break;
    case MRN_GPU_normal_linear:
        mrn_block_normal(
            b, 0,
            mrn_normal_linear_step(MRN_GPU_COEF(mrn_linear, MRN_LAW_NORMAL), m, d, v, fresh, h));
        break;
    case MRN_GPU_normal_hertz:
        mrn_block_normal(b, 0,
                         mrn_normal_hertz_step(MRN_GPU_COEF(mrn_hertz, MRN_LAW_NORMAL), r, d));
        break;
    case MRN_GPU_normal_tsuji:
        mrn_block_normal(b, 0,
                         mrn_normal_tsuji_step(MRN_GPU_COEF(mrn_normal_tsuji, MRN_LAW_NORMAL), r, m,
                                               d, v, fresh, h));
        break;
    case MRN_GPU_normal_viscoelastic:
        mrn_block_normal(
            b, 0,
            mrn_normal_viscoelastic_step(MRN_GPU_COEF(mrn_normal_viscoelastic, MRN_LAW_NORMAL), r,
                                         d, v, fresh, h));
        break;
    case MRN_GPU_normal_zheng: {
        mrn_normal_zheng c = MRN_GPU_COEF(mrn_normal_zheng, MRN_LAW_NORMAL);
        mrn_block_normal(b, 0, mrn_normal_zheng_step(c, c.power > 0, r, d, v, fresh, h));
        break;
    }
    case MRN_GPU_normal_walton_braun: {
        double *largest = kept + law->offset[MRN_LAW_NORMAL], *last = largest + 1;
        mrn_block_normal(
            b, 0,
            mrn_normal_walton_braun_step(MRN_GPU_COEF(mrn_normal_walton_braun, MRN_LAW_NORMAL), m,
                                         d, v, h, *largest, *last));
        *largest = d > *largest ? d : *largest;
        *last = d;
        break;
    }
    default: {
        mrn_normal none = {0, 0, 0, 0, 0};
        mrn_block_normal(b, 0, none);
        break;
    }
    }
    b->press[0] = fabs(b->fn[0]);
}

MRN_INLINE void mrn_gpu_cohesion(const mrn_gpu_law *law, mrn_law_block *b)
{
    mrn_cohesion f;
    switch (law->part[MRN_LAW_COHESION]) {
    case MRN_GPU_cohesion_dmt:
        f = mrn_cohesion_dmt_step(MRN_GPU_COEF(mrn_cohesion_dmt, MRN_LAW_COHESION), b->r_eff[0],
                                  b->delta[0], b->rate[0], b->fresh[0], b->h);
        break;
    case MRN_GPU_cohesion_linear:
        f = mrn_cohesion_linear_step(MRN_GPU_COEF(mrn_cohesion_linear, MRN_LAW_COHESION),
                                     b->r_eff[0], b->delta[0]);
        break;
    default:
        return;
    }
    b->fn[0] += f.fn;
    b->energy_n[0] += f.energy;
}

MRN_INLINE void mrn_gpu_tangential(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_TANGENTIAL];
    mrn_vec3 spring = {0, 0, 0};
    mrn_tangential t;
    if (law->part[MRN_LAW_TANGENTIAL] >= 0)
        spring = mrn_load3(s);
    switch (law->part[MRN_LAW_TANGENTIAL]) {
    case MRN_GPU_tangential_linear:
        t = mrn_tangential_linear_step(MRN_GPU_COEF(mrn_tangential_linear, MRN_LAW_TANGENTIAL),
                                       mrn_block_sliding(b, 0), b->k_n[0], b->gamma_n[0],
                                       b->press[0], spring);
        break;
    case MRN_GPU_tangential_mindlin: {
        double root = sqrt(b->delta[0]);
        t = mrn_tangential_mindlin_step(MRN_GPU_COEF(mrn_tangential_mindlin, MRN_LAW_TANGENTIAL),
                                        mrn_block_sliding(b, 0), b->r_eff[0], root, b->gamma_n[0],
                                        b->press[0], spring, s[3]);
        s[3] = root;
        break;
    }
    case MRN_GPU_tangential_microslip_simple:
        t = mrn_tangential_microslip_simple_step(
            MRN_GPU_COEF(mrn_tangential_microslip_simple, MRN_LAW_TANGENTIAL),
            mrn_block_sliding(b, 0), b->gamma_n[0], b->press[0], spring);
        break;
    case MRN_GPU_tangential_zheng:
        t = mrn_tangential_zheng_step(MRN_GPU_COEF(mrn_tangential_zheng, MRN_LAW_TANGENTIAL),
                                      mrn_block_sliding(b, 0), b->press[0], spring);
        break;
    default:
        b->tx[0] = b->ty[0] = b->tz[0] = 0;
        b->energy_t[0] = b->power_t[0] = b->slip[0] = 0;
        return;
    }
    mrn_block_tangential(b, 0, t);
    mrn_store3(s, t.ahead);
}

MRN_INLINE void mrn_gpu_rolling(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_ROLLING];
    switch (law->part[MRN_LAW_ROLLING]) {
    case MRN_GPU_rolling_constant:
        mrn_block_moment(
            b, 0,
            mrn_rolling_constant_step(MRN_GPU_COEF(mrn_rolling_constant, MRN_LAW_ROLLING),
                                      mrn_block_turning(b, 0)));
        break;
    case MRN_GPU_rolling_viscous:
        mrn_block_moment(
            b, 0,
            mrn_rolling_viscous_step(MRN_GPU_COEF(mrn_rolling_viscous, MRN_LAW_ROLLING),
                                     mrn_block_turning(b, 0)));
        break;
    case MRN_GPU_rolling_viscoelastic:
        mrn_block_moment(
            b, 0,
            mrn_rolling_viscoelastic_step(MRN_GPU_COEF(mrn_rolling_viscoelastic, MRN_LAW_ROLLING),
                                          mrn_block_turning(b, 0)));
        break;
    case MRN_GPU_rolling_elastic_plastic: {
        mrn_rolling_spring t = mrn_rolling_elastic_plastic_step(
            MRN_GPU_COEF(mrn_rolling_elastic_plastic, MRN_LAW_ROLLING), mrn_block_turning(b, 0),
            mrn_load3(s), s[3]);
        mrn_block_moment(b, 0, t.moment);
        mrn_store3(s, t.ahead);
        s[3] = t.k;
        break;
    }
    default:
        break;
    }
}

MRN_INLINE void mrn_gpu_twisting(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_TWISTING];
    switch (law->part[MRN_LAW_TWISTING]) {
    case MRN_GPU_twisting_constant:
        mrn_block_moment(
            b, 0,
            mrn_twisting_constant_step(MRN_GPU_COEF(mrn_twisting_constant, MRN_LAW_TWISTING),
                                       mrn_block_turning(b, 0)));
        break;
    case MRN_GPU_twisting_elastic_plastic: {
        mrn_twisting_spring t = mrn_twisting_elastic_plastic_step(
            MRN_GPU_COEF(mrn_twisting_elastic_plastic, MRN_LAW_TWISTING), mrn_block_turning(b, 0),
            s[0], s[1]);
        mrn_block_moment(b, 0, t.moment);
        s[0] = t.ahead;
        s[1] = t.k;
        break;
    }
    default:
        break;
    }
}

MRN_INLINE mrn_gpu_answer mrn_gpu_any_law(const mrn_gpu_law *law, mrn_sphere_contact c,
                                          double fresh, double h, double *kept)
{
    mrn_law_block b;
    b.n = 1, b.h = h, b.mean = b.whole = false;
    b.delta[0] = c.delta, b.rate[0] = c.rate;
    b.nx[0] = c.n.x, b.ny[0] = c.n.y, b.nz[0] = c.n.z;
    b.ux[0] = c.u.x, b.uy[0] = c.u.y, b.uz[0] = c.u.z;
    b.wx[0] = c.w.x, b.wy[0] = c.w.y, b.wz[0] = c.w.z;
    b.spin[0] = c.spin, b.r_eff[0] = c.r, b.m_eff[0] = c.m, b.fresh[0] = fresh;
    b.mx[0] = b.my[0] = b.mz[0] = 0;
    mrn_gpu_normal(law, &b, kept);
    mrn_gpu_cohesion(law, &b);
    mrn_gpu_tangential(law, &b, kept);
    mrn_gpu_rolling(law, &b, kept);
    mrn_gpu_twisting(law, &b, kept);
    mrn_gpu_answer a;
    mrn_vec3 t = {b.tx[0], b.ty[0], b.tz[0]};
    a.force = mrn_axpy(b.fn[0], c.n, t);
    a.lever = mrn_sphere_lever(c.lever, c.n, t);
    a.moment = mrn_v3(b.mx[0], b.my[0], b.mz[0]);
    a.energy_n = b.energy_n[0], a.energy_t = b.energy_t[0];
    a.loss_n = b.loss_n[0], a.power_t = b.power_t[0], a.slip = b.slip[0];
    return a;
}

#endif
