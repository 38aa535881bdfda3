/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half-way through the step that ends now: how contacts moved that carry springs without a dashpot
   (laws/tangent.h, mrn_passage). One text for the processor and for devices. */
#ifndef MRN_SMOOTH_HALF_WAY_H
#define MRN_SMOOTH_HALF_WAY_H

#include "detect/detect.h"
#include "laws/tangent.h"
#include "moraine/law.h"

/* A body over that step, without the flow of the cell. The forces that moved it are still there,
   and velocities are predicted with them: half of what they gave is taken off. */
typedef struct mrn_half_way {
    mrn_vec3 v, w;      /* velocity of the centre that forces move, spin      */
    mrn_vec3 arm, from; /* from it to the sphere in touch, now and a step ago */
} mrn_half_way;

/* A sphere of its own; f and t: what has moved it. */
MRN_FORMULA mrn_half_way mrn_half_way_of(mrn_vec3 v, mrn_vec3 w, mrn_vec3 f, mrn_vec3 t,
                                         double mass, double inertia, double h)
{
    mrn_half_way o = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    o.v = mrn_axpy(-0.5 * h / mass, f, v);
    o.w = mrn_axpy(-0.5 * h / inertia, t, w);
    return o;
}

/* One that does not move. */
MRN_FORMULA mrn_half_way mrn_half_way_still(mrn_vec3 v, mrn_vec3 w)
{
    mrn_half_way o = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    o.v = v, o.w = w;
    return o;
}

/* A sphere of a cluster goes with it: what turned the cluster turned the arm from its centre. v,
   mass: of the cluster; f: what has moved it, if it moves. */
MRN_FORMULA mrn_half_way mrn_half_way_carried(mrn_vec3 v, mrn_vec3 f, double mass, bool moves,
                                              mrn_quat turned, mrn_vec3 arm, double h)
{
    mrn_half_way o;
    o.v = mrn_axpy(moves ? -0.5 * h / mass : 0, f, v);
    o.w = mrn_scale(2 / h, mrn_v3(turned.x, turned.y, turned.z));
    o.arm = arm;
    o.from = mrn_rotate(mrn_quat_conj(turned), arm);
    return o;
}

/* Where something was a step ago that is now at x, both from a point that the cell carries, having
   moved by d on top of the flow: mrn_cell_flow_carry backwards. rate: of the cell in this step;
   NULL: it does not strain. */
MRN_FORMULA mrn_vec3 mrn_step_back(const double *rate, mrn_vec3 x, mrn_vec3 d, double h)
{
    if (rate == NULL)
        return mrn_sub(x, d);
    const double *l = rate;
    mrn_vec3 carried = {l[MRN_XX] * d.x + l[MRN_XY] * d.y + l[MRN_XZ] * d.z,
                        l[MRN_YY] * d.y + l[MRN_YZ] * d.z, l[MRN_ZZ] * d.z};
    mrn_vec3 r = mrn_sub(x, mrn_axpy(0.5 * h, carried, d));
    double z = r.z / (1 + h * l[MRN_ZZ]);
    double y = (r.y - h * l[MRN_YZ] * z) / (1 + h * l[MRN_YY]);
    return mrn_v3((r.x - h * (l[MRN_XY] * y + l[MRN_XZ] * z)) / (1 + h * l[MRN_XX]), y, z);
}

/* The rows of contact k: the normal half-way, the velocity of C's point less that of A's there, and
   the spins. */
MRN_FORMULA void mrn_store_half_way(mrn_law_block *b, int k, double h, mrn_vec3 middle, mrn_vec3 u,
                                    mrn_vec3 wc, mrn_vec3 wa)
{
    mrn_vec3 n = {b->nx[k], b->ny[k], b->nz[k]};
    double pivot = 0.5 * mrn_dot(mrn_add(wc, wa), middle);
    mrn_vec3 v = mrn_passage_velocity(middle, n, h * pivot, u);
    b->px[k] = middle.x, b->py[k] = middle.y, b->pz[k] = middle.z;
    b->vx[k] = v.x, b->vy[k] = v.y, b->vz[k] = v.z;
    b->ax[k] = wc.x - wa.x, b->ay[k] = wc.y - wa.y, b->az[k] = wc.z - wa.z;
    b->pivot[k] = pivot;
}

MRN_FORMULA mrn_vec3 mrn_half_way_direction(mrn_vec3 d, mrn_vec3 otherwise)
{
    double size = mrn_norm(d);
    return size > 0 ? mrn_scale(1 / size, d) : otherwise;
}

/* Spheres C and A of radii rc and ra; now: from the centre of A to that of C. */
MRN_FORMULA void mrn_grains_half_way(mrn_law_block *b, int k, double h, const double *rate,
                                     mrn_half_way c, mrn_half_way a, mrn_vec3 now, double rc,
                                     double ra)
{
    mrn_vec3 n = {b->nx[k], b->ny[k], b->nz[k]};
    mrn_vec3 centres = mrn_sub(now, mrn_sub(c.arm, a.arm)); /* those that the cell carries */
    mrn_vec3 from = mrn_step_back(rate, centres, mrn_scale(h, mrn_sub(c.v, a.v)), h);
    from = mrn_add(from, mrn_sub(c.from, a.from));
    mrn_vec3 m = mrn_passage_middle(mrn_half_way_direction(from, n), n);
    double scale = 0.5 * (mrn_norm(from) + mrn_norm(now)) / (rc + ra);
    mrn_vec3 v = mrn_scale(1 / h, mrn_sub(now, from));
    mrn_vec3 roll = mrn_axpy(rc, c.w, mrn_scale(ra, a.w));
    mrn_store_half_way(b, k, h, m, mrn_sphere_velocity(scale, m, v, roll), c.w, a.w);
}

/* What a wall has done in the step: it goes as it went, whatever its motion. */
typedef struct mrn_wall_way {
    mrn_vec3 x, w, x_past, w_past; /* place and spin, now and when the step began */
    mrn_vec3 point;                /* on it, that was touched a step ago          */
} mrn_wall_way;

/* A sphere C of radius r at x on a wall; lever: that of the contact. */
MRN_FORMULA void mrn_wall_half_way(mrn_law_block *b, int k, double h, const double *rate,
                                   const mrn_images *images, mrn_vec3 origin, mrn_half_way c,
                                   mrn_vec3 x, double r, double lever, mrn_wall_way wall)
{
    mrn_vec3 n = {b->nx[k], b->ny[k], b->nz[k]}, centre = mrn_sub(mrn_sub(x, c.arm), origin);
    mrn_vec3 before = mrn_step_back(rate, centre, mrn_scale(h, c.v), h);
    mrn_vec3 way = mrn_sub(mrn_sub(centre, before), mrn_sub(c.from, c.arm));
    double d = r * lever;
    mrn_vec3 point = mrn_axpy(-d, n, x), from = mrn_scale(d, n);
    if (!(b->fresh[k] > 0))
        from = mrn_images_nearest(images, mrn_sub(mrn_sub(x, way), wall.point));
    mrn_vec3 m = mrn_passage_middle(mrn_half_way_direction(from, n), n);
    mrn_vec3 spin = mrn_scale(0.5, mrn_add(wall.w, wall.w_past));
    mrn_vec3 mid_point = mrn_scale(0.5, mrn_add(point, mrn_sub(mrn_sub(x, way), from)));
    mrn_vec3 arm = mrn_sub(mid_point, mrn_scale(0.5, mrn_add(wall.x, wall.x_past)));
    mrn_vec3 v = mrn_scale(1 / h, mrn_sub(way, mrn_sub(wall.x, wall.x_past)));
    v = mrn_sub(v, mrn_cross(spin, arm));
    double reach = 0.5 * (d + mrn_norm(from));
    mrn_store_half_way(b, k, h, m, mrn_sphere_velocity(reach, m, v, c.w), c.w, spin);
}

/* Contacts that live on at a distance: laws of touching solids see no overlap there. */
MRN_FORMULA void mrn_split_gap(mrn_law_block *b, int k)
{
    double d = b->delta[k], rate = b->rate[k];
    b->gap[k] = -d;
    b->closing[k] = rate;
    b->delta[k] = d > 0 ? d : 0;
    b->rate[k] = d > 0 ? rate : 0;
}

#endif
