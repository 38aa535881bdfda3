/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How two spheres in touch move against each other: the inputs of the laws of one contact, from the
   numbers of its bodies. */
#ifndef MRN_SMOOTH_SPHERE_PAIR_H
#define MRN_SMOOTH_SPHERE_PAIR_H

#include "detect/kinematics.h"
#include "laws/power.h"
#include "moraine/scene.h"

typedef struct mrn_sphere_contact {
    mrn_vec3 n, u, w;   /* normal; tangential velocity and angular velocity of C relative to A */
    double delta, rate; /* overlap and what it grows by per second                             */
    double spin;        /* mean of both angular velocities along n                             */
    double r, m, lever; /* effective radius and mass; s of mrn_sphere_lever                    */
} mrn_sphere_contact;

/* What the cell's flow adds to the velocity of C relative to A: L times the branch. */
typedef struct mrn_cell_rates {
    double xx, yy, zz, xy, xz, yz;
} mrn_cell_rates;

MRN_FORMULA mrn_cell_rates mrn_cell_rates_of(const double *rate)
{
    return (mrn_cell_rates){rate[MRN_XX], rate[MRN_YY], rate[MRN_ZZ],
                            rate[MRN_XY], rate[MRN_XZ], rate[MRN_YZ]};
}

/* What a contact needs of its two spheres; d: from the centre of A to that of C. */
typedef struct mrn_sphere_pair {
    mrn_vec3 d, vc, va, wc, wa;
    double rc, ra, mc, ma;
} mrn_sphere_pair;

/* Effective radius or mass of two spheres. */
MRN_FORMULA double mrn_effective(double c, double a)
{
    return c * a / (c + a);
}

MRN_FORMULA mrn_sphere_contact mrn_sphere_contact_of(mrn_sphere_pair p, mrn_cell_rates g)
{
    double dx = p.d.x, dy = p.d.y, dz = p.d.z;
    double rc = p.rc, ra = p.ra, mc = p.mc, ma = p.ma, sum = rc + ra;
    double d = sqrt(dx * dx + dy * dy + dz * dz), inv = 1 / (d > 0 ? d : 1);
    mrn_vec3 n = {dx * inv, dy * inv, d > 0 ? dz * inv : 1};
    double scale = d / sum, arm_c = -rc * scale, arm_a = ra * scale;
    mrn_vec3 wc = p.wc, wa = p.wa, o = p.va;
    mrn_vec3 v = {p.vc.x + (g.xx * dx + g.xy * dy + g.xz * dz), p.vc.y + (g.yy * dy + g.yz * dz),
                  p.vc.z + g.zz * dz};
    mrn_vec3 u = mrn_contact_velocity(v, wc, mrn_scale(arm_c, n), o, wa, mrn_scale(arm_a, n));
    double un = u.x * n.x + u.y * n.y + u.z * n.z;
    mrn_sphere_contact c;
    c.n = n;
    c.u = mrn_v3(u.x - un * n.x, u.y - un * n.y, u.z - un * n.z);
    c.w = mrn_v3(wc.x - wa.x, wc.y - wa.y, wc.z - wa.z);
    c.delta = sum - d, c.rate = -un;
    c.spin = 0.5 * ((wc.x + wa.x) * n.x + (wc.y + wa.y) * n.y + (wc.z + wa.z) * n.z);
    c.r = mrn_effective(rc, ra), c.m = mrn_effective(mc, ma);
    c.lever = scale;
    return c;
}

#endif
