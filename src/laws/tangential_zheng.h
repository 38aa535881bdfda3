/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law zheng (M3): a loading curve with micro-slip and a viscous term. */
#ifndef MRN_LAWS_TANGENTIAL_ZHENG_H
#define MRN_LAWS_TANGENTIAL_ZHENG_H

#include "laws/tangent.h"

typedef struct mrn_tangential_zheng {
    double reach; /* elongation of full sliding over the overlap */
    double mu;
    double time; /* eta1 / 2G                       */
    double fall; /* of the factor h = 1 - fall q    */
    double kt;   /* 8 G*                            */
} mrn_tangential_zheng;

/* `pull` times the spring and `drag` times the velocity, cut at `limit`. */
typedef struct mrn_zheng_slip {
    double most, limit, x, pull, drag;
} mrn_zheng_slip;

/* size, speed: lengths of the elongation and of the velocity. */
MRN_FORMULA mrn_zheng_slip mrn_tangential_zheng_slip(mrn_tangential_zheng c, double delta,
                                                     double press, double size, double speed)
{
    mrn_zheng_slip z;
    z.most = c.reach * delta, z.limit = c.mu * press;
    double inv = z.most > 0 ? 1 / z.most : 0;
    z.x = z.most > 0 ? size * inv : 1;
    z.pull = size > 0 ? z.limit * mrn_microslip(z.x) / size : 0;
    /* q u^ sqrt(1 - x), with q u^ = time u / xi_max */
    double q = c.time * speed * inv, left = 1 - c.fall * q, rest = 1 - z.x;
    double factor = left > 0 ? left : 0, open = sqrt(rest > 0 ? rest : 0);
    z.drag = 1.5 * z.limit * factor * c.time * inv * open;
    return z;
}

/* In a plane, at an instant: force on C of the spring s at the velocity u. */
MRN_FORMULA double mrn_tangential_zheng_at(mrn_tangential_zheng c, double delta, double press,
                                           double s, double u)
{
    double now = mrn_cut_plane(s, c.reach * delta);
    mrn_zheng_slip z = mrn_tangential_zheng_slip(c, delta, press, fabs(now), fabs(u));
    return -mrn_cut_plane(z.drag * u + z.pull * now, z.limit);
}

/* … and what is left of the spring. */
MRN_FORMULA double mrn_tangential_zheng_keep(mrn_tangential_zheng c, double delta, double s)
{
    double most = c.reach * delta;
    return mrn_cut_plane(mrn_cut_plane(s, most), most);
}

MRN_FORMULA mrn_tangential mrn_tangential_zheng_step(mrn_tangential_zheng c, mrn_sliding at,
                                                     double press, mrn_vec3 s)
{
    mrn_curve m = mrn_curve_step(at, s, c.reach * at.delta);
    double speed = sqrt(mrn_dot(at.u, at.u));
    mrn_zheng_slip z = mrn_tangential_zheng_slip(c, at.delta, press, m.size, speed);
    return mrn_curve_force(at, m, z.pull, z.drag, z.x, z.most, z.limit);
}

#endif
