/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stiffness and damping of a contact, for servos: the formulas of laws/, as mrn_contact_stiffness
   (drive/servo.c) asks for them. */
#ifndef MRN_CUDA_STIFFNESS_H
#define MRN_CUDA_STIFFNESS_H

#include "cuda/laws.h"
#include "drive/resist.h"

MRN_INLINE void mrn_gpu_normal_stiffness(const mrn_gpu_law *law, double r, double m, double delta,
                                         mrn_stiffness_pair *g)
{
    mrn_linear spring = MRN_GPU_COEF(mrn_linear, MRN_LAW_NORMAL);
    g->c_n = 0;
    switch (law->part[MRN_LAW_NORMAL]) {
    case MRN_GPU_normal_elastic:
        g->k_n = mrn_linear_k(spring, m);
        break;
    case MRN_GPU_normal_elastic_viscous:
    case MRN_GPU_normal_linear:
        g->k_n = mrn_linear_k(spring, m);
        g->c_n = mrn_linear_gamma(spring, m, mrn_linear_k(spring, m));
        break;
    case MRN_GPU_normal_walton_braun:
        g->k_n = mrn_normal_walton_braun_slope(
            MRN_GPU_COEF(mrn_normal_walton_braun, MRN_LAW_NORMAL), m, delta);
        break;
    default: /* Hertz's family */
        g->k_n = mrn_hertz_slope(MRN_GPU_COEF(mrn_hertz, MRN_LAW_NORMAL), r, delta);
        if (law->part[MRN_LAW_NORMAL] == MRN_GPU_normal_tsuji)
            g->c_n = mrn_normal_tsuji_damping(MRN_GPU_COEF(mrn_normal_tsuji, MRN_LAW_NORMAL), r, m,
                                              delta);
        if (law->part[MRN_LAW_NORMAL] == MRN_GPU_normal_viscoelastic)
            g->c_n = MRN_GPU_COEF(mrn_normal_viscoelastic, MRN_LAW_NORMAL).time * g->k_n;
        if (law->part[MRN_LAW_NORMAL] == MRN_GPU_normal_zheng)
            g->c_n =
                mrn_normal_zheng_damping(MRN_GPU_COEF(mrn_normal_zheng, MRN_LAW_NORMAL), r, delta);
        break;
    }
}

MRN_INLINE void mrn_gpu_tangential_stiffness(const mrn_gpu_law *law, double r, double delta,
                                             mrn_stiffness_pair *g)
{
    g->k_t = g->c_t = 0;
    switch (law->part[MRN_LAW_TANGENTIAL]) {
    case MRN_GPU_tangential_linear: {
        mrn_tangential_linear c = MRN_GPU_COEF(mrn_tangential_linear, MRN_LAW_TANGENTIAL);
        g->k_t = mrn_tangential_linear_k(c, g->k_n);
        g->c_t = mrn_tangential_linear_g(c, g->c_n);
        break;
    }
    case MRN_GPU_tangential_mindlin: {
        mrn_tangential_mindlin c = MRN_GPU_COEF(mrn_tangential_mindlin, MRN_LAW_TANGENTIAL);
        g->k_t = mrn_tangential_mindlin_k(c.kt, r, delta);
        g->c_t = mrn_tangential_mindlin_g(c.ratio, g->c_n);
        break;
    }
    case MRN_GPU_tangential_microslip_simple: {
        mrn_tangential_microslip_simple c =
            MRN_GPU_COEF(mrn_tangential_microslip_simple, MRN_LAW_TANGENTIAL);
        g->k_t = mrn_tangential_mindlin_k(c.kt, r, delta);
        g->c_t = c.ratio * g->c_n;
        break;
    }
    case MRN_GPU_tangential_zheng: {
        mrn_tangential_zheng c = MRN_GPU_COEF(mrn_tangential_zheng, MRN_LAW_TANGENTIAL);
        g->k_t = mrn_tangential_mindlin_k(c.kt, r, delta);
        g->c_t = c.time * g->k_t;
        break;
    }
    default:
        break;
    }
}

MRN_INLINE mrn_stiffness_pair mrn_gpu_stiffness(const mrn_gpu_law *law, double r, double m,
                                                double delta)
{
    mrn_stiffness_pair g;
    mrn_gpu_normal_stiffness(law, r, m, delta, &g);
    mrn_gpu_tangential_stiffness(law, r, delta, &g);
    return g;
}

#endif
