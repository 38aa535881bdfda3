/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device does in a cell that strains and for servos, item by item: part of kernels.h. */
#include "cuda/kernels.h" /* which takes this file in where what it needs is there */

#ifndef MRN_CUDA_CELLS_H
#define MRN_CUDA_CELLS_H

#include "cuda/stiffness.h"
#include "measure/body_energy.h"

/* ---- bodies that the cell carries ---- */

/* Turns of the cell are counted anew, and a body that has left it comes back. */
MRN_INLINE mrn_vec3 mrn_gpu_wrap_carried(const mrn_gpu *g, const mrn_gpu_cell *in, int32_t i,
                                         mrn_vec3 x)
{
    mrn_leaning_count(in->turning, g->image + 3 * (size_t)i);
    return mrn_gpu_wrap_in(g, &in->from, i, x);
}

/* The same of a cluster at x; its spheres first, while its place still tells how far. `in` NULL:
   the cell does not strain. */
MRN_INLINE mrn_vec3 mrn_gpu_wrap_cluster(const mrn_gpu *g, const mrn_gpu_cell *in, int32_t c,
                                         mrn_vec3 x)
{
    const mrn_gpu_cluster of = g->cluster[c];
    const mrn_images *im = in != NULL ? &in->from : &g->images;
    for (int64_t k = of.first; k < of.first + g->form[of.form].n; k++) {
        const int32_t i = g->sphere[k];
        if (in != NULL)
            mrn_leaning_count(in->turning, g->image + 3 * (size_t)i);
        mrn_store3(g->place + 4 * (size_t)i, mrn_gpu_wrap_with(g, im, i, mrn_gpu_place(g, i), x));
    }
    return in != NULL ? mrn_gpu_wrap_carried(g, in, of.at, x) : mrn_gpu_wrap(g, of.at, x);
}

MRN_INLINE void mrn_gpu_do_put_back(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k)
{
    int32_t i = (int32_t)k;
    if (mrn_gpu_is_carried(g, i))
        return; /* its cluster does it */
    mrn_vec3 x = mrn_gpu_place(g, i);
    if (mrn_gpu_is_cluster(g, i)) {
        const mrn_gpu_cell *in = g->strains ? &g->cells[s->slot] : NULL;
        mrn_store3(g->place + 4 * (size_t)i, mrn_gpu_wrap_cluster(g, in, -2 - g->carried[i], x));
        return;
    }
    mrn_store3(g->place + 4 * (size_t)i, g->strains
                                             ? mrn_gpu_wrap_carried(g, &g->cells[s->slot], i, x)
                                             : mrn_gpu_wrap_in(g, &g->images, i, x));
}

/* Where grain i would be, had it never been put back into the cell. */
MRN_INLINE mrn_vec3 mrn_gpu_beyond(const mrn_gpu *g, int32_t i, mrn_vec3 x, const double size[3],
                                   const double tilt[3])
{
    const int32_t *n = g->image + 3 * (size_t)i;
    return mrn_cells_beyond(x, n[0], n[1], n[2], size, tilt);
}

/* Powers of the flow (smooth/bodies.c): x, v at the end of the step. */
MRN_INLINE void mrn_gpu_flow_powers(const mrn_gpu *g, const mrn_gpu_cell *now, int32_t i,
                                    double mass, mrn_vec3 x, mrn_vec3 v,
                                    double power[MRN_GPU_CARRIED])
{
    double lift = 0;
    if (now->flow.on) {
        mrn_vec3 at = x;
        if (g->image != NULL)
            at = mrn_gpu_beyond(g, i, x, now->size, now->tilt);
        lift = mrn_flow_lift(&now->flow, g->gravity, mass, at);
    }
    power[MRN_GPU_LIFT] = lift;
    mrn_flow_kinetic(mass, v, power + MRN_GPU_KINETIC);
}

/* ---- totals ---- */

MRN_INLINE void mrn_gpu_sum_virial(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k, double x[6])
{
    if (!g->list.alive[k])
        return;
    mrn_vec3 f = mrn_gpu_load6(g->force, MRN_GPU_FORCE * k, g->mixed != 0).a;
    const int32_t ic = g->owner[k], ia = g->list.other[k];
    const mrn_gpu_cell *in = &g->cells[s->slot];
    mrn_vec3 d = mrn_gpu_branch_in(in, g, mrn_gpu_place(g, ic), mrn_gpu_place(g, ia));
    if (g->carried != NULL) { /* of the bodies that the cell carries */
        mrn_vec3 c = mrn_gpu_to_leader(g, &in->images, ic);
        d = mrn_add(d, mrn_sub(c, mrn_gpu_to_leader(g, &in->images, ia)));
    }
    x[MRN_XX] = f.x * d.x, x[MRN_YY] = f.y * d.y, x[MRN_ZZ] = f.z * d.z;
    x[MRN_XY] = f.x * d.y, x[MRN_XZ] = f.x * d.z, x[MRN_YZ] = f.y * d.z;
}

MRN_INLINE void mrn_gpu_sum_stiffness(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k,
                                      double x[12])
{
    if (!g->list.alive[k])
        return;
    int32_t c = g->owner[k], a = g->list.other[k];
    mrn_gpu_ball bc = mrn_gpu_load_ball(g, c), ba = mrn_gpu_load_ball(g, a);
    mrn_vec3 d = mrn_sub(bc.x, ba.x);
    d = mrn_images_nearest(g->strains ? &g->cells[s->slot].from : &g->images, d);
    double length = mrn_norm(d), delta = bc.r + ba.r - length;
    if (!(delta > 0) || !(length > 0))
        return;
    double mc = mrn_gpu_mass(g, c), ma = mrn_gpu_mass(g, a);
    double m = mrn_gpu_still(g, a) ? mc : mrn_gpu_still(g, c) ? ma : mc * ma / (mc + ma);
    mrn_stiffness_pair of = mrn_gpu_stiffness(
        &g->law[g->pair_of[mrn_gpu_material(g, c) * g->n_materials + mrn_gpu_material(g, a)]],
        bc.r * ba.r / (bc.r + ba.r), m, delta);
    const double arm[3] = {d.x, d.y, d.z};
    for (int n = 0; n < MRN_STRAINS; n++) {
        x[n] = mrn_resist_strain(n, arm, length, of.k_n, of.k_t);
        x[MRN_STRAINS + n] = mrn_resist_strain(n, arm, length, of.c_n, of.c_t);
    }
}

/* The cell of now stands in the last slot if it strains. */
MRN_INLINE void mrn_gpu_sum_energies(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k,
                                     double x[MRN_ENERGY_TERMS])
{
    (void)s;
    int32_t i = (int32_t)k;
    mrn_gpu_motion m = mrn_gpu_load_motion(g, i, g->mixed != 0);
    mrn_vec3 at = mrn_gpu_place(g, i);
    const mrn_gpu_cell *now = g->strains ? &g->cells[MRN_GPU_SLOTS] : NULL;
    mrn_vec3 l = mrn_scale(m.inertia, m.w);
    if (mrn_gpu_still(g, i) || mrn_gpu_is_carried(g, i))
        return;
    if (mrn_gpu_is_cluster(g, i))
        l = mrn_cluster_momentum(g->form[g->cluster[-2 - g->carried[i]].form].inertia, m.mass,
                                 g->place[4 * (size_t)i + 3], mrn_load_quat(g->q + 4 * (size_t)i),
                                 m.w);
    if (g->image != NULL)
        at = mrn_gpu_beyond(g, i, at, now != NULL ? now->size : g->size,
                            now != NULL ? now->tilt : g->tilt);
    mrn_body_energy(m.mass, m.v, m.w, l, g->gravity, at, x);
}

/* ---- walls that bear a load ---- */

/* What the contacts of a grain with servo walls set against their motion (drive/servo_wall.c). */
MRN_INLINE void mrn_gpu_do_resist(const mrn_gpu *g, const mrn_gpu_step *s, int64_t item)
{
    int32_t i = g->wall_grain[item];
    const mrn_gpu_list *l = &g->list;
    const mrn_images *im = g->strains ? &g->cells[s->slot].from : &g->images;
    for (int64_t k = l->wall_row[i]; k < l->wall_row[i + 1]; k++) {
        const mrn_gpu_wall *w = &g->walls[l->wall[k]];
        mrn_contact_point at;
        g->resist[2 * k] = g->resist[2 * k + 1] = 0;
        if (!w->servo || !l->wall_alive[k] ||
            mrn_gpu_wall_points(
                g, im, i, l->wall[k],
                &g->pose[(size_t)s->posed * (size_t)g->n_walls + (size_t)l->wall[k]], k, 1, &at,
                true) == 0)
            continue;
        const mrn_gpu_law *law =
            &g->law[g->pair_of[mrn_gpu_material(g, i) * g->n_materials + w->material]];
        mrn_stiffness_pair of =
            mrn_gpu_stiffness(law, g->place[4 * (size_t)i + 3], mrn_gpu_mass(g, i), -at.gap);
        mrn_vec3 d = mrn_load3(w->direction);
        g->resist[2 * k] = mrn_resist_wall(at.normal, d, of.k_n, of.k_t);
        g->resist[2 * k + 1] = mrn_resist_wall(at.normal, d, of.c_n, of.c_t);
    }
}

MRN_INLINE void mrn_gpu_sum_resistance(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k,
                                       double x[2])
{
    if (g->list.wall[k] == s->at)
        x[0] = g->resist[2 * k], x[1] = g->resist[2 * k + 1];
}

#endif
