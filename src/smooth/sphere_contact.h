/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same for a sphere on a wall, and from columns of numbers of bodies. */
#ifndef MRN_SMOOTH_SPHERE_CONTACT_H
#define MRN_SMOOTH_SPHERE_CONTACT_H

#include "smooth/smooth.h"
#include "smooth/sphere_pair.h"

/* A sphere (radius r, mass m) on a wall that stands at x_w and moves with v_w and spin w_w. The
   wall's arm is from its centre, nearest image not needed since only rotating walls use it. */
MRN_FORMULA mrn_sphere_contact mrn_wall_contact_of(double r, double m, mrn_vec3 v, mrn_vec3 w,
                                                   mrn_vec3 x_w, mrn_vec3 v_w, mrn_vec3 w_w,
                                                   const mrn_contact_point *p)
{
    double d = r + p->gap;
    mrn_vec3 n = p->normal;
    mrn_vec3 u = mrn_contact_velocity(v, w, mrn_scale(-d, n), v_w, w_w, mrn_sub(p->point, x_w));
    double un = mrn_dot(u, n);
    mrn_sphere_contact c;
    c.n = n;
    c.u = mrn_v3(u.x - un * n.x, u.y - un * n.y, u.z - un * n.z);
    c.w = mrn_v3(w.x - w_w.x, w.y - w_w.y, w.z - w_w.z);
    c.delta = -p->gap, c.rate = -un;
    c.spin = 0.5 * mrn_dot(mrn_add(w, w_w), n);
    c.r = r, c.m = m, c.lever = d / r;
    return c;
}

/* Contact k of the block, whose branch, radii, masses and velocities stand in columns. */
MRN_FORMULA mrn_sphere_contact mrn_sphere_contact_at(const mrn_scratch *s, mrn_cell_rates g, int k)
{
    const double(*vc)[MRN_BLOCK] = s->column, (*va)[MRN_BLOCK] = s->column + 3;
    const double(*wc)[MRN_BLOCK] = s->column + 6, (*wa)[MRN_BLOCK] = s->column + 9;
    mrn_sphere_pair p = {.d = {s->bx[k], s->by[k], s->bz[k]},
                         .vc = {vc[0][k], vc[1][k], vc[2][k]},
                         .va = {va[0][k], va[1][k], va[2][k]},
                         .wc = {wc[0][k], wc[1][k], wc[2][k]},
                         .wa = {wa[0][k], wa[1][k], wa[2][k]},
                         .rc = s->rc[k],
                         .ra = s->ra[k],
                         .mc = s->mc[k],
                         .ma = s->ma[k]};
    return mrn_sphere_contact_of(p, g);
}

#endif
