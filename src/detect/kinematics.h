/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinematic map H: from the velocities of two bodies to the relative velocity at their contact,
   and its transpose from the contact force to forces and torques on the bodies; the same as rows of
   a matrix, and the frame they are written in. Every method uses these functions. They take and
   return values, so that loops over them vectorise. */
#ifndef MRN_DETECT_KINEMATICS_H
#define MRN_DETECT_KINEMATICS_H

#include "moraine/types.h"

/* U = v_C + w_C x r_C - v_A - w_A x r_A, r from each centre to the contact point (world frame). */
MRN_INLINE mrn_vec3 mrn_contact_velocity(mrn_vec3 v_c, mrn_vec3 w_c, mrn_vec3 r_c, mrn_vec3 v_a,
                                         mrn_vec3 w_a, mrn_vec3 r_a)
{
    return mrn_sub(mrn_add(v_c, mrn_cross(w_c, r_c)), mrn_add(v_a, mrn_cross(w_a, r_a)));
}

/* The transpose for one body: force R on it at arm r gives torque r x R. On A act -R and its
 * torque. */
MRN_INLINE mrn_vec3 mrn_contact_torque(mrn_vec3 r, mrn_vec3 force)
{
    return mrn_cross(r, force);
}

/* Two spheres (n from A to C, centres d apart): the contact point divides the line of centres as
   the radii do, so r_C = -R_C s n and r_A = R_A s n with s = d / (R_C + R_A); both torques are then
   -radius times one vector, the lever s n x F, and angular momentum is conserved exactly. For a
   sphere on a wall s = d / R, d to the wall. */
MRN_INLINE mrn_vec3 mrn_sphere_lever(double s, mrn_vec3 n, mrn_vec3 force)
{
    return mrn_scale(s, mrn_cross(n, force));
}

/* The relative velocity of two spheres by the same arms: v between the centres and roll = R_C w_C +
   R_A w_A (a wall has no radius). */
MRN_INLINE mrn_vec3 mrn_sphere_velocity(double s, mrn_vec3 n, mrn_vec3 v, mrn_vec3 roll)
{
    return mrn_axpy(-s, mrn_cross(roll, n), v);
}

/* The same in a plane of coordinates x and y: n = (n_x, n_y), t = (n_y, -n_x), all spins about the
   axis e with e x n = t. Components along n and t, and forces from them. */
typedef struct mrn_in_plane {
    double n, t;
} mrn_in_plane;
typedef struct mrn_on_axes {
    double x, y;
} mrn_on_axes;
MRN_INLINE mrn_in_plane mrn_plane_velocity(double s, double nx, double ny, double vx, double vy,
                                           double roll)
{
    return (mrn_in_plane){vx * nx + vy * ny, vx * ny - vy * nx - s * roll};
}
MRN_INLINE mrn_on_axes mrn_plane_force(double nx, double ny, double fn, double ft)
{
    return (mrn_on_axes){fn * nx + ft * ny, fn * ny - ft * nx};
}

/* One row of H for one body, what its velocity and its spin add to one component of the relative
   velocity: column by column of the body's velocities, and the body's force and torque for a unit
   of that component of the contact force. */
typedef struct mrn_kinematic_row {
    mrn_vec3 v, w;
} mrn_kinematic_row;

/* Velocity along d of the point at `arm`, (v + w x r) . d = v . d + w . (r x d); sign +1 for C, -1
   for A. */
MRN_INLINE mrn_kinematic_row mrn_row_slide(double sign, mrn_vec3 d, mrn_vec3 arm)
{
    return (mrn_kinematic_row){mrn_scale(sign, d), mrn_scale(sign, mrn_cross(arm, d))};
}

/* Spin about d: rows of rolling and pivoting. */
MRN_INLINE mrn_kinematic_row mrn_row_spin(double sign, mrn_vec3 d)
{
    return (mrn_kinematic_row){{0, 0, 0}, mrn_scale(sign, d)};
}

/* The row as `dofs` numbers, `stride` apart: 2 or 3 velocities (`dimension`), then, where there are
   more, spins (2D: about z). */
MRN_INLINE void mrn_row_store(mrn_kinematic_row row, int dimension, int dofs, double *h, int stride)
{
    h[0] = row.v.x, h[stride] = row.v.y;
    if (dimension == 3)
        h[2 * stride] = row.v.z;
    if (dofs == 3 && dimension == 2)
        h[2 * stride] = row.w.z;
    if (dofs == 6)
        h[3 * stride] = row.w.x, h[4 * stride] = row.w.y, h[5 * stride] = row.w.z;
}

/* A unit vector across n, the first tangent of a contact's frame (n, t, s = n x t): in the plane n
   turned by a quarter, else the axis that n leans on least, made square. The same for the same n,
   and turning little when n does, but where the axis changes. */
MRN_INLINE mrn_vec3 mrn_contact_tangent(int dimension, mrn_vec3 n)
{
    if (dimension == 2)
        return mrn_v3(-n.y, n.x, 0);
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    mrn_vec3 a = x <= y && x <= z ? mrn_v3(1, 0, 0) : y <= z ? mrn_v3(0, 1, 0) : mrn_v3(0, 0, 1);
    return mrn_unit(mrn_axpy(-mrn_dot(a, n), n, a));
}

/* The second tangent. In the plane it is z, exactly. */
MRN_INLINE mrn_vec3 mrn_contact_second(int dimension, mrn_vec3 n, mrn_vec3 t)
{
    return dimension == 2 ? mrn_v3(0, 0, 1) : mrn_cross(n, t);
}

/* Velocity and spin of a body from its degrees of freedom: x, y, spin in 2D; x, y, z, three spins
   in 3D. */
MRN_INLINE mrn_vec3 mrn_dofs_velocity(int dimension, const double *u)
{
    return dimension == 2 ? mrn_v3(u[0], u[1], 0) : mrn_load3(u);
}

MRN_INLINE mrn_vec3 mrn_dofs_spin(int dimension, const double *u)
{
    return dimension == 2 ? mrn_v3(0, 0, u[2]) : mrn_load3(u + 3);
}

/* Nearest image of a difference of positions in a periodic direction of length `size` (inv =
   1/size; 0: not periodic). rint instead of floor(x + 1/2): one instruction, and exact symmetry
   between the two bodies. */
MRN_INLINE double mrn_nearest(double dx, double size, double inv)
{
    return dx - size * rint(dx * inv);
}

/* The same for all directions of a cell with edges (size.x, 0, 0), (tilt.x, size.y, 0) and (tilt.y,
   tilt.z, size.z), whole edges taken off from the last to the first. Takes and returns values, so
   that loops over it vectorise. Whatever the tilt, the result is the nearest image of every pair
   that has an image nearer than half of each size: along z no other edge counts, so its number is
   right; then that along y; then that along x. Without tilt the bits are those of mrn_nearest. */
MRN_INLINE mrn_vec3 mrn_nearest_image(mrn_vec3 d, mrn_vec3 size, mrn_vec3 inv, mrn_vec3 tilt)
{
    double c = rint(d.z * inv.z);
    double y = d.y - c * tilt.z, b = rint(y * inv.y);
    double x = d.x - c * tilt.y - b * tilt.x, a = rint(x * inv.x);
    return (mrn_vec3){x - size.x * a, y - size.y * b, d.z - size.z * c};
}

#endif
