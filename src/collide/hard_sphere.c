/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid spheres: the velocities jump. Normal restitution e; the tangential impulse is what Coulomb
   allows, or what leaves -beta times the velocity at the contact (Walton; Foerster et al., Phys.
   Fluids 6 (1994) 1108). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"

/* A jump takes no time: forces that are finite, and moments of rolling, have no part in it. */
static mrn_status check(const mrn_rigid *r, mrn_message *msg)
{
    const char *what = r->rolling > 0                                ? "rolling-friction"
                       : r->pivoting > 0                             ? "pivoting-friction"
                       : r->pull_force > 0 || r->pull_per_radius > 0 ? "cohesion"
                       : r->compliance > 0                           ? "stiffness"
                                                                     : NULL;
    if (what == NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s has no part in the collision of rigid spheres", what);
    mrn_fail_expected(msg, "restitution, tangential-restitution and friction alone");
    return mrn_fail_hint(msg, "use a law with a stiffness to see what %s does", what);
}

mrn_status mrn_hard_sphere(const mrn_collision *c, mrn_outcome *o, mrn_message *msg)
{
    mrn_material_pair mat = mrn_material_pair_mix(0, 0, 0, 0, 0, 0);
    mrn_prepared none = {.part = {[MRN_LAW_NORMAL] = c->model.part[MRN_LAW_NORMAL]}};
    mrn_rigid law;
    mrn_status s = mrn_law_rigid(&c->model, &mat, c->value, &law, msg);
    if (s == MRN_OK)
        s = check(&law, msg);
    if (s != MRN_OK)
        return s;
    mrn_encounter e;
    mrn_encounter_make(c, &none, &e);
    const mrn_vec3 n = {0, 0, 1};
    double vn = e.speed * e.cos, jn = (1 + law.restitution) * e.m_eff * vn;
    mrn_vec3 v = {e.speed * e.sin, 0, -vn}, w[2] = {mrn_load3(e.spin[0]), mrn_load3(e.spin[1])};
    mrn_vec3 both = mrn_axpy(e.radius[0], w[0], mrn_scale(e.radius[1], w[1]));
    mrn_vec3 u = mrn_sub(mrn_v3(v.x, v.y, 0), mrn_cross(both, n));
    u.z = 0;
    double size = mrn_norm(u), stick = 2.0 / 7 * (1 + law.restitution_t) * e.m_eff * size;
    double jt = law.friction * jn < stick ? law.friction * jn : stick;
    mrn_vec3 j = mrn_axpy(size > 0 ? -jt / size : 0, u, mrn_scale(jn, n));
    mrn_vec3 lever = mrn_cross(n, j);
    *o = (mrn_outcome){.force = INFINITY};
    mrn_store3(o->v, mrn_axpy(1 / e.m_eff, j, v));
    for (int k = 0; k < 2; k++)
        mrn_store3(o->w[k], mrn_axpy(-e.radius[k] * e.inverse_inertia[k], lever, w[k]));
    return MRN_OK;
}
