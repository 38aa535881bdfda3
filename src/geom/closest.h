/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closest points of walls, in their own frames, as functions of numbers: their descriptors and
   other devices compile the same text. `p` holds the sizes of a shape as its file describes them, c
   is the centre of a sphere; they give the distance, the point and the normal towards c. */
#ifndef MRN_GEOM_CLOSEST_H
#define MRN_GEOM_CLOSEST_H

#include "moraine/types.h"

MRN_INLINE double mrn_clamp(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* sqrt(x^2 + y^2) without overflow between sizes of a world and with all but the last bit right:
   libraries differ in hypot, these operations do not. The correction is that of Borges (2019,
   "An improved algorithm for hypot"). */
MRN_INLINE double mrn_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), ax = a > b ? a : b, ay = a > b ? b : a;
    if (!(ay > 0))
        return ax + ay;
    double h = sqrt(ax * ax + ay * ay), near = h - ay, far = h - ax;
    bool close = h <= 2 * ay;
    double t1 = close ? ax * (2 * near - ax) : 2 * far * (ax - 2 * ay);
    double t2 = close ? (near - 2 * (ax - ay)) * near : (4 * far - ay) * ay + far * far;
    return h > 0 ? h - (t1 + t2) / (2 * h) : h;
}

/* Distance of c from `point` on a thin shell and the normal towards c; `at_zero` is the normal when
 * c lies on it. */
MRN_INLINE double mrn_shell_normal(mrn_vec3 c, mrn_vec3 point, mrn_vec3 at_zero, mrn_vec3 *normal)
{
    mrn_vec3 d = mrn_sub(c, point);
    double distance = mrn_norm(d);
    *normal = distance > 0 ? mrn_scale(1 / distance, d) : at_zero;
    return distance;
}

/* The direction from the z axis to c; the x axis when c is on the z axis. *rho gets the distance.
 */
MRN_INLINE mrn_vec3 mrn_radial(mrn_vec3 c, double *rho)
{
    *rho = mrn_hypot(c.x, c.y);
    return *rho > 0 ? mrn_v3(c.x / *rho, c.y / *rho, 0) : mrn_v3(1, 0, 0);
}

/* ---- plane: half length, half width ---- */

MRN_INLINE double mrn_plane_closest(const double *p, mrn_vec3 c, mrn_vec3 *point, mrn_vec3 *normal)
{
    *point = mrn_v3(mrn_clamp(c.x, -p[0], p[0]), mrn_clamp(c.y, -p[1], p[1]), 0);
    if (isfinite(p[0])) /* a plate */
        return mrn_shell_normal(c, *point, mrn_v3(0, 0, 1), normal);
    *normal = mrn_v3(0, 0, 1);
    return c.z;
}

/* ---- box: half sizes, bits of the faces left out ---- */

/* A face of a container. Closed: the half-space behind it, so that whatever got outside is pushed
   back. Open: a thin plate, else a grain beside the box would feel its wall from within. */
MRN_INLINE double mrn_box_face(const double *p, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                               mrn_vec3 *normal)
{
    int axis = feature / 2;
    double x[3], n[3] = {0, 0, 0};
    mrn_store3(x, c);
    double side = feature % 2 == 0 ? 1 : -1; /* direction inwards */
    double distance = p[axis] + side * x[axis];
    bool thin = p[3] != 0;
    for (int k = 0; k < 3 && thin; k++)
        x[k] = mrn_clamp(x[k], -p[k], p[k]);
    x[axis] = -side * p[axis];
    n[axis] = side;
    *point = mrn_load3(x);
    *normal = mrn_load3(n);
    return thin ? mrn_shell_normal(c, *point, *normal, normal) : distance;
}

/* A solid block: outside the clamped point, inside the nearest face. */
MRN_INLINE double mrn_box_block(const double *p, mrn_vec3 c, mrn_vec3 *point, mrn_vec3 *normal)
{
    double x[3], at[3], n[3] = {0, 0, 0};
    mrn_store3(x, c);
    int nearest = 0;
    for (int k = 0; k < 3; k++) {
        at[k] = mrn_clamp(x[k], -p[k], p[k]);
        if (p[k] - fabs(x[k]) < p[nearest] - fabs(x[nearest]))
            nearest = k;
    }
    double depth = p[nearest] - fabs(x[nearest]);
    if (depth < 0) {
        *point = mrn_load3(at);
        return mrn_shell_normal(c, *point, mrn_v3(0, 0, 1), normal);
    }
    double side = x[nearest] < 0 ? -1 : 1;
    at[nearest] = side * p[nearest];
    n[nearest] = side;
    *point = mrn_load3(at);
    *normal = mrn_load3(n);
    return -depth;
}

MRN_INLINE double mrn_box_closest(const double *p, bool inside, int32_t feature, mrn_vec3 c,
                                  mrn_vec3 *point, mrn_vec3 *normal)
{
    return inside ? mrn_box_face(p, feature, c, point, normal) : mrn_box_block(p, c, point, normal);
}

/* ---- cylinder: radius, half length, bits of the ends left out ---- */

MRN_INLINE double mrn_cylinder_lateral(const double *p, mrn_vec3 c, mrn_vec3 *point,
                                       mrn_vec3 *normal)
{
    double R = p[0], h = p[1], rho;
    mrn_vec3 e = mrn_radial(c, &rho);
    bool thin = p[2] != 0;
    *point = mrn_v3(R * e.x, R * e.y, thin ? mrn_clamp(c.z, -h, h) : c.z);
    *normal = mrn_scale(-1, e);
    if (!thin)
        return R - rho;
    if (fabs(c.z) > h)
        return mrn_shell_normal(c, *point, *normal, normal);
    if (rho > R)
        *normal = e;
    return fabs(R - rho);
}

/* The disc at an end; `side` is the direction inwards. */
MRN_INLINE double mrn_cylinder_cap(const double *p, double side, mrn_vec3 c, mrn_vec3 *point,
                                   mrn_vec3 *normal)
{
    double R = p[0], h = p[1], rho;
    *normal = mrn_v3(0, 0, side);
    *point = mrn_v3(c.x, c.y, -side * h);
    if (p[2] == 0)
        return h + side * c.z;
    mrn_vec3 e = mrn_radial(c, &rho);
    if (rho > R)
        *point = mrn_v3(R * e.x, R * e.y, -side * h);
    return mrn_shell_normal(c, *point, *normal, normal);
}

MRN_INLINE double mrn_cylinder_rod(const double *p, mrn_vec3 c, mrn_vec3 *point, mrn_vec3 *normal)
{
    double R = p[0], h = p[1], rho;
    mrn_vec3 e = mrn_radial(c, &rho);
    double out_side = rho - R, out_end = fabs(c.z) - h; /* above 0: outside; an infinite rod has no
                                                           end */
    double end = c.z < 0 ? -1 : 1;
    if (out_side > 0 && out_end > 0) {
        *point = mrn_v3(R * e.x, R * e.y, end * h);
        return mrn_shell_normal(c, *point, e, normal);
    }
    if (out_side >= out_end) {
        *point = mrn_v3(R * e.x, R * e.y, c.z);
        *normal = e;
        return out_side;
    }
    *point = mrn_v3(c.x, c.y, end * h);
    *normal = mrn_v3(0, 0, end);
    return out_end;
}

MRN_INLINE double mrn_cylinder_closest(const double *p, bool inside, int32_t feature, mrn_vec3 c,
                                       mrn_vec3 *point, mrn_vec3 *normal)
{
    if (!inside)
        return mrn_cylinder_rod(p, c, point, normal);
    if (feature == 0)
        return mrn_cylinder_lateral(p, c, point, normal);
    return mrn_cylinder_cap(p, feature == 1 ? 1 : -1, c, point, normal);
}

/* ---- cone: radii at the ends, half length ---- */

/* The closest point lies in the half-plane through the axis and c: there the shell is a segment. */
MRN_INLINE double mrn_cone_closest(const double *p, mrn_vec3 c, mrn_vec3 *point, mrn_vec3 *normal)
{
    double rho, h = p[2];
    mrn_vec3 e = mrn_radial(c, &rho);
    double dr = p[1] - p[0], dz = 2 * h, length2 = dr * dr + dz * dz;
    double t = mrn_clamp(((rho - p[0]) * dr + (c.z + h) * dz) / length2, 0, 1);
    double at_r = p[0] + t * dr, at_z = -h + t * dz;
    double length = sqrt(length2);
    *point = mrn_v3(at_r * e.x, at_r * e.y, at_z);
    /* towards the axis, at right angles to the segment */
    mrn_vec3 inwards = mrn_v3(-dz / length * e.x, -dz / length * e.y, dr / length);
    if (t == 0 || t == 1)
        return mrn_shell_normal(c, *point, inwards, normal);
    double d = ((c.z + h) * dr - (rho - p[0]) * dz) / length;
    *normal = d < 0 ? mrn_scale(-1, inwards) : inwards;
    return fabs(d);
}

/* ---- ball: radius ---- */

/* Beyond the sphere the distance from within is negative: the grain is pushed
 * back in. */
MRN_INLINE double mrn_ball_closest(const double *p, bool inside, mrn_vec3 c, mrn_vec3 *point,
                                   mrn_vec3 *normal)
{
    double rho = mrn_norm(c), side = inside ? -1 : 1;
    mrn_vec3 e = rho > 0 ? mrn_scale(1 / rho, c) : mrn_v3(0, 0, 1);
    *point = mrn_scale(p[0], e);
    *normal = mrn_scale(side, e);
    return side * (rho - p[0]);
}

#endif
