/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid spheres: the velocities jump (laws/jump.h). */
#include <math.h>

#include "base/base.h"
#include "collide/encounter.h"
#include "laws/jump.h"

mrn_status mrn_hard_sphere(const mrn_collision *c, mrn_outcome *o, mrn_message *msg)
{
    mrn_material_pair mat = mrn_material_pair_mix(0, 0, 0, 0, 0, 0);
    mrn_prepared none = {.part = {[MRN_LAW_NORMAL] = c->model.part[MRN_LAW_NORMAL]}};
    mrn_rigid law;
    mrn_status s = mrn_law_rigid(&c->model, &mat, c->value, &law, msg);
    if (s == MRN_OK)
        s = mrn_jump_check(&law, msg);
    if (s != MRN_OK)
        return s;
    mrn_encounter e;
    mrn_encounter_make(c, &none, &e);
    const mrn_vec3 n = {0, 0, 1};
    double vn = e.speed * e.cos;
    mrn_vec3 v = {e.speed * e.sin, 0, -vn}, w[2] = {mrn_load3(e.spin[0]), mrn_load3(e.spin[1])};
    mrn_vec3 both = mrn_axpy(e.radius[0], w[0], mrn_scale(e.radius[1], w[1]));
    mrn_vec3 u = mrn_sub(mrn_v3(v.x, v.y, 0), mrn_cross(both, n));
    u.z = 0;
    double size = mrn_norm(u);
    mrn_jump jump =
        mrn_jump_of(e.m_eff, 2.0 / 7, vn, size, law.restitution, law.restitution_t, law.friction);
    mrn_vec3 j = mrn_axpy(size > 0 ? -jump.tangential / size : 0, u, mrn_scale(jump.normal, n));
    mrn_vec3 lever = mrn_cross(n, j);
    *o = (mrn_outcome){.force = INFINITY};
    mrn_store3(o->v, mrn_axpy(1 / e.m_eff, j, v));
    for (int k = 0; k < 2; k++)
        mrn_store3(o->w[k], mrn_axpy(-e.radius[k] * e.inverse_inertia[k], lever, w[k]));
    return MRN_OK;
}
