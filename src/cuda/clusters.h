/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device does with rigid clusters, item by item: part of kernels.h. Formulas stand in
   smooth/carried.h and smooth/rotation.h; the order is that of smooth/clusters.c. In double
   precision alone. */
#include "cuda/kernels.h" /* which takes this file in where what it needs is there */

#ifndef MRN_CUDA_CLUSTERS_H
#define MRN_CUDA_CLUSTERS_H

MRN_INLINE void mrn_gpu_do_find_spheres(const mrn_gpu *g, const mrn_gpu_step *s, int64_t i)
{
    (void)s;
    const int32_t k = g->carried[i];
    if (k >= 0)
        g->sphere[k] = (int32_t)i;
    else if (k < -1)
        g->cluster[-2 - k].at = (int32_t)i;
}

/* A cluster, its form and its motion. */
typedef struct mrn_gpu_rigid {
    int32_t at;
    int64_t first, n, form; /* spheres; the first of the template's */
    mrn_gpu_ball ball;
    mrn_gpu_motion m;
    mrn_gpu_six pull;
    mrn_quat q;
    mrn_vec3 moments;
    bool still;
} mrn_gpu_rigid;

MRN_INLINE mrn_gpu_rigid mrn_gpu_load_cluster(const mrn_gpu *g, int32_t c)
{
    const mrn_gpu_cluster of = g->cluster[c];
    const mrn_gpu_form *form = &g->form[of.form];
    mrn_gpu_rigid r;
    r.at = of.at, r.first = of.first, r.n = form->n, r.form = form->first;
    r.ball = mrn_gpu_load_ball(g, r.at);
    r.m = mrn_gpu_load_motion(g, r.at, false);
    r.pull = mrn_gpu_load6(g->pull, MRN_GPU_FORCE * (int64_t)r.at, false);
    r.q = mrn_load_quat(g->q + 4 * (size_t)r.at);
    r.moments = mrn_moments_of(form->inertia, r.m.mass, r.ball.r);
    r.still = mrn_gpu_still(g, r.at);
    return r;
}

MRN_INLINE mrn_vec3 mrn_gpu_arm(const mrn_gpu *g, const mrn_gpu_rigid *r, int64_t part, mrn_quat q)
{
    return mrn_arm_of(g->centre + 3 * (r->form + part), q, r->ball.r);
}

/* How cluster c turned in the step that ends now. */
MRN_INLINE void mrn_gpu_turn(const mrn_gpu *g, int32_t c)
{
    const mrn_gpu_rigid r = mrn_gpu_load_cluster(g, c);
    mrn_store_quat(g->turned + 4 * (size_t)c,
                   mrn_turned_in_step(r.moments, r.pull.b, r.q, r.m.w, r.still ? 0 : g->h));
}

/* Forces on its spheres, which the bodies' pass has left; then as mrn_body_kick. */
MRN_INLINE void mrn_gpu_kick_cluster(const mrn_gpu *g, const mrn_gpu_step *s,
                                     const mrn_gpu_cell *now, mrn_gpu_rigid *r, double *power)
{
    mrn_vec3 gravity = g->gravity, force = {0, 0, 0}, torque = {0, 0, 0};
    for (int64_t k = 0; k < r->n; k++) {
        const int64_t at = MRN_GPU_FORCE * (int64_t)g->sphere[r->first + k];
        const mrn_gpu_six of = mrn_gpu_load6(g->pull, at, false);
        mrn_carried_pull(of.a, of.b, mrn_gpu_arm(g, r, k, r->q), &force, &torque);
    }
    if (g->gravities != NULL)
        gravity = mrn_load3(g->gravities + 3 * (size_t)s->slot);
    force = mrn_axpy(r->m.mass, gravity, force);
    if (g->flat)
        force.z = 0, torque.x = 0, torque.y = 0;
    mrn_vec3 l = mrn_angular_momentum(r->moments, r->q, r->m.w);
    mrn_extra x = mrn_gpu_add_extra(g, s, r->at, &r->m, l, &force, &torque);
    if (now != NULL && now->flow.on)
        force = mrn_axpy(-r->m.mass, mrn_cell_flow_times(&now->flow, r->m.v), force);
    if (!r->still) {
        if (g->drift_share != 0) { /* Euler's rule corrects nothing */
            r->m.v = mrn_gpu_kick(r->m.v, r->pull.a, force, g->h / r->m.mass);
            r->m.w = mrn_rotation_kick(r->moments, mrn_sub(torque, r->pull.b), g->h, r->q, r->m.w);
        }
        power[MRN_GPU_DAMPING] = mrn_extra_damping_power(&x, r->m.v, r->m.w);
        power[MRN_GPU_DRIVE] = mrn_extra_load_power(&x, r->m.v, r->m.w);
        if (now != NULL)
            mrn_gpu_flow_powers(g, now, r->at, r->m.mass, r->ball.x, r->m.v,
                                power + MRN_GPU_POWERS);
    }
    r->pull.a = force, r->pull.b = torque;
    mrn_gpu_store6(g->pull, MRN_GPU_FORCE * (int64_t)r->at, force, torque, false);
}

/* To the end of the next step; the way of its centre, as it counts for the list. */
MRN_INLINE mrn_vec3 mrn_gpu_drift_cluster(const mrn_gpu *g, const mrn_gpu_cell *next,
                                          mrn_gpu_rigid *r)
{
    const double h = g->h;
    const mrn_vec3 from = r->ball.x;
    const bool carries = next != NULL && next->carry.on;
    mrn_gpu_drifted go = mrn_gpu_drift(r->m.v, r->m.w, r->pull.a, r->pull.b, r->q, h / r->m.mass,
                                       h / r->m.inertia, h, g->drift_share);
    if (g->drift_share == 0)
        mrn_rotation_euler(r->moments, r->pull.b, h, &r->q, &r->m.w);
    else
        mrn_rotation_drift(r->moments, r->pull.b, h, &r->q, &r->m.w);
    r->m.v = go.v;
    r->ball.x =
        carries ? mrn_cell_flow_carry(&next->carry, from, go.way, h) : mrn_add(from, go.way);
    if (carries && !g->absolute)
        return mrn_axpy(0.5 * h, mrn_cell_flow_times(&next->carry, go.way), go.way);
    return carries ? mrn_sub(r->ball.x, from) : go.way;
}

/* Its spheres go where it is; the largest squared way of one of them that began with the cluster
   turned by q and whose centre went by `way`. */
MRN_INLINE double mrn_gpu_carry(const mrn_gpu *g, const mrn_gpu_cell *in, const mrn_gpu_rigid *r,
                                mrn_quat q, mrn_vec3 way)
{
    const mrn_images *im = in != NULL ? &in->images : &g->images;
    mrn_cell_flow flow = {false, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    if (in != NULL)
        flow = in->flow;
    double far = 0;
    for (int64_t k = 0; k < r->n; k++) {
        const int32_t i = g->sphere[r->first + k];
        const mrn_vec3 arm = mrn_gpu_arm(g, r, k, r->q), was = mrn_gpu_arm(g, r, k, q);
        mrn_vec3 d = mrn_add(way, mrn_sub(arm, was));
        if (in != NULL && in->carry.on && !g->absolute) /* beside the flow */
            d = mrn_axpy(-g->h, mrn_cell_flow_times(&in->carry, was), d);
        mrn_gpu_motion m;
        m.v = mrn_carried_velocity(&flow, r->m.v, r->m.w, arm), m.w = r->m.w;
        m.mass = m.inertia = 0; /* what is kept of them stands elsewhere */
        mrn_gpu_store_motion(g, i, m, false);
        mrn_store3(g->place + 4 * (size_t)i,
                   mrn_carried_place(im, r->ball.x, arm, mrn_gpu_place(g, i)));
        mrn_store_quat(g->q + 4 * (size_t)i, r->q);
        const double d2 = mrn_gpu_far(g, i, d);
        far = d2 > far || d2 != d2 ? d2 : far;
    }
    return far;
}

/* As mrn_gpu_body, of cluster c and its spheres. */
MRN_INLINE double mrn_gpu_carry_cluster(const mrn_gpu *g, const mrn_gpu_step *s, int32_t c,
                                        int drift, bool strained, double *power)
{
    const mrn_gpu_cell *now = strained ? &g->cells[s->slot] : NULL;
    const mrn_gpu_cell *next = strained ? now + (s->kick ? 1 : 0) : NULL;
    mrn_gpu_rigid r = mrn_gpu_load_cluster(g, c);
    const mrn_quat q = r.q;
    mrn_vec3 way = {0, 0, 0};
    if (s->kick)
        mrn_gpu_kick_cluster(g, s, now, &r, power);
    if (drift && s->wrap && g->periodic)
        r.ball.x = mrn_gpu_wrap_cluster(g, next, c, r.ball.x);
    if (drift && !r.still) {
        way = mrn_gpu_drift_cluster(g, next, &r);
        mrn_store_quat(g->q + 4 * (size_t)r.at, r.q);
    }
    mrn_store3(g->place + 4 * (size_t)r.at, r.ball.x);
    mrn_gpu_store_motion(g, r.at, r.m, false);
    const double far = mrn_gpu_carry(g, drift ? next : now, &r, q, way);
    return drift ? far : 0;
}

#endif
