/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commonest models of one contact. Read once for double precision and, by the device's
   compiler, once more for single (single.cuh). */
#ifndef MRN_CUDA_COMMON_LAW_H
#define MRN_CUDA_COMMON_LAW_H

#include "cuda/gpu.h"
#include "laws/normal_linear.h"
#include "laws/normal_tsuji.h"
#include "laws/normal_viscoelastic.h"
#include "laws/tangential_linear.h"
#include "laws/tangential_mindlin.h"
#include "smooth/sphere_pair.h"
#include "smooth/turn.h"

/* Coefficients by name. */
#define MRN_GPU_COEF(type, kind) (*(const type *)(const void *)law->coef[kind])

/* What a contact answers. */
typedef struct mrn_gpu_answer {
    mrn_vec3 force, lever, moment;
    double energy_n, energy_t, loss_n, power_t, slip;
} mrn_gpu_answer;

/* Without what they do not need: the same operations as mrn_gpu_any_law. `kept`: history, in and
 * out.
 */
MRN_INLINE mrn_gpu_answer mrn_gpu_common_law(const mrn_gpu_law *law, mrn_gpu_model model,
                                             mrn_sphere_contact c, double fresh, double h,
                                             double *kept)
{
    mrn_normal f;
    mrn_tangential t;
    mrn_sliding at = {c.n, c.u, h * c.spin, c.delta, c.rate, fresh, h};
    mrn_vec3 spring = {kept[0], kept[1], kept[2]};
    if (model == MRN_GPU_TSUJI_MINDLIN)
        f = mrn_normal_tsuji_step(MRN_GPU_COEF(mrn_normal_tsuji, MRN_LAW_NORMAL), c.r, c.m, c.delta,
                                  c.rate, fresh, h);
    else if (model == MRN_GPU_VISCOELASTIC_MINDLIN)
        f = mrn_normal_viscoelastic_step(MRN_GPU_COEF(mrn_normal_viscoelastic, MRN_LAW_NORMAL), c.r,
                                         c.delta, c.rate, fresh, h);
    else
        f = mrn_normal_linear_step(MRN_GPU_COEF(mrn_linear, MRN_LAW_NORMAL), c.m, c.delta, c.rate,
                                   fresh, h);
    if (model == MRN_GPU_LINEAR) {
        t = mrn_tangential_linear_step(MRN_GPU_COEF(mrn_tangential_linear, MRN_LAW_TANGENTIAL), at,
                                       f.k, f.gamma, fabs(f.fn), spring);
    } else {
        double root = sqrt(c.delta);
        t = mrn_tangential_mindlin_step(MRN_GPU_COEF(mrn_tangential_mindlin, MRN_LAW_TANGENTIAL),
                                        at, c.r, root, f.gamma, fabs(f.fn), spring, kept[3]);
        kept[3] = root;
    }
    kept[0] = t.ahead.x, kept[1] = t.ahead.y, kept[2] = t.ahead.z;
    mrn_gpu_answer a;
    mrn_vec3 on_c = mrn_scale(-1, t.force);
    a.force = mrn_axpy(f.fn, c.n, on_c);
    a.lever = mrn_sphere_lever(c.lever, c.n, on_c);
    a.moment = mrn_v3(0, 0, 0);
    a.energy_n = f.energy, a.energy_t = t.energy;
    a.loss_n = f.loss, a.power_t = t.power, a.slip = t.slip;
    return a;
}

/* A body on its way through a step: what the force changes the velocity by counts in part for the
   way (half of it, or none by Euler's rule). per_mass, per_inertia: the step over these. */
typedef struct mrn_gpu_drifted {
    mrn_vec3 v, w, way;
    mrn_quat q;
} mrn_gpu_drifted;

MRN_INLINE mrn_gpu_drifted mrn_gpu_drift(mrn_vec3 v, mrn_vec3 w, mrn_vec3 f, mrn_vec3 t, mrn_quat q,
                                         double per_mass, double per_inertia, double h,
                                         double share)
{
    mrn_vec3 dv = mrn_scale(per_mass, f), dw = mrn_scale(per_inertia, t);
    mrn_vec3 turn = mrn_scale(0.5 * h, mrn_axpy(share, dw, w));
    mrn_gpu_drifted r;
    r.way = mrn_scale(h, mrn_axpy(share, dv, v));
    r.v = mrn_add(v, dv), r.w = mrn_add(w, dw);
    r.q = mrn_quat_turned(q, turn.x, turn.y, turn.z);
    return r;
}

/* The velocity, predicted with the force f of the step before, corrected by the force of now. Half
   of h/m has the bits of h/2 over m. */
MRN_INLINE mrn_vec3 mrn_gpu_kick(mrn_vec3 v, mrn_vec3 f, mrn_vec3 now, double per_mass)
{
    return mrn_axpy(0.5 * per_mass, mrn_sub(now, f), v);
}

#endif
