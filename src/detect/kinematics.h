/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinematic map H: from the velocities of two bodies to the relative velocity at their contact,
   and its transpose from the contact force to forces and torques on the bodies. Every method uses
   these two functions. */
#ifndef MRN_DETECT_KINEMATICS_H
#define MRN_DETECT_KINEMATICS_H

#include "moraine/types.h"

/* U = v_C + w_C x r_C - v_A - w_A x r_A, r from each centre to the contact point (world frame). */
static inline mrn_vec3 mrn_contact_velocity(mrn_vec3 v_c, mrn_vec3 w_c, mrn_vec3 r_c, mrn_vec3 v_a,
                                            mrn_vec3 w_a, mrn_vec3 r_a)
{
    return mrn_sub(mrn_add(v_c, mrn_cross(w_c, r_c)), mrn_add(v_a, mrn_cross(w_a, r_a)));
}

/* The transpose for one body: force R on it at arm r gives torque r x R. On A act -R and its
 * torque. */
static inline mrn_vec3 mrn_contact_torque(mrn_vec3 r, mrn_vec3 force)
{
    return mrn_cross(r, force);
}

/* Two spheres (n from A to C, centres d apart): the contact point divides the line of centres as
   the radii do, so r_C = -R_C s n and r_A = R_A s n with s = d / (R_C + R_A); both torques are then
   -radius times one vector, the lever s n x F, and angular momentum is conserved exactly. For a
   sphere on a wall s = d / R, d to the wall. */
static inline mrn_vec3 mrn_sphere_lever(double s, mrn_vec3 n, mrn_vec3 force)
{
    return mrn_scale(s, mrn_cross(n, force));
}

/* Nearest image of a difference of positions in a periodic direction of length `size` (inv =
   1/size; 0: not periodic). rint instead of floor(x + 1/2): one instruction, and exact symmetry
   between the two bodies. */
static inline double mrn_nearest(double dx, double size, double inv)
{
    return dx - size * rint(dx * inv);
}

/* The same for all directions of a cell with edges (size.x, 0, 0), (tilt.x, size.y, 0) and (tilt.y,
   tilt.z, size.z), whole edges taken off from the last to the first. Takes and returns values, so
   that loops over it vectorise. Whatever the tilt, the result is the nearest image of every pair
   that has an image nearer than half of each size: along z no other edge counts, so its number is
   right; then that along y; then that along x. Without tilt the bits are those of mrn_nearest. */
static inline mrn_vec3 mrn_nearest_image(mrn_vec3 d, mrn_vec3 size, mrn_vec3 inv, mrn_vec3 tilt)
{
    double c = rint(d.z * inv.z);
    double y = d.y - c * tilt.z, b = rint(y * inv.y);
    double x = d.x - c * tilt.y - b * tilt.x, a = rint(x * inv.x);
    return (mrn_vec3){x - size.x * a, y - size.y * b, d.z - size.z * c};
}

#endif
