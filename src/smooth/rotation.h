/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rotation of a rigid body with three principal moments of inertia. What is integrated is the
   angular momentum, in the world's frame, where a torque changes it and nothing else does; the
   angular velocity follows from it and the orientation. Over a step the torque acts in two halves
   and the body turns freely between them, as in velocity Verlet for the centre. Free turning is
   split into turns about the principal axes (Dullweber, Leimkuhler, McLachlan, J. Chem. Phys. 107,
   5840, 1997): each is exact, none changes the angular momentum, and the symmetric sequence is
   reversible and symplectic, so that the energy of a free top swings by O(h^2) and does not drift.
 */
#ifndef MRN_SMOOTH_ROTATION_H
#define MRN_SMOOTH_ROTATION_H

#include "base/sine.h"
#include "geom/cluster.h"
#include "smooth/turn.h"

/* Body i has an inertia that differs by axis: clusters, polyhedra. (In the plane there is one
 * axis.)
 */
static inline bool mrn_turns_unevenly(const mrn_scene *scene, const mrn_bodies *b, int32_t i)
{
    return (b->flags[i] & MRN_BODY_CLUSTER) ||
           ((b->flags[i] & MRN_BODY_POLYTOPE) && scene->dimension == 3);
}

/* Angular velocity, world frame, of angular momentum l. */
MRN_INLINE mrn_vec3 mrn_spin_of(mrn_vec3 moments, mrn_quat q, mrn_vec3 l)
{
    mrn_vec3 b = mrn_rotate(mrn_quat_conj(q), l);
    return mrn_rotate(q, mrn_v3(b.x / moments.x, b.y / moments.y, b.z / moments.z));
}

/* Orientation and angular momentum in the body's own frame. */
typedef struct mrn_top {
    mrn_quat q;
    mrn_vec3 l;
} mrn_top;

/* A turn by `angle` about a body axis: seen from the body, everything else turns back. Sine and
   cosine of the angle follow from those of its half, which the orientation takes. */
MRN_INLINE mrn_sine_cosine mrn_twice_the_angle(mrn_sine_cosine half)
{
    mrn_sine_cosine r = {2 * half.sine * half.cosine,
                         half.cosine * half.cosine - half.sine * half.sine};
    return r;
}
MRN_INLINE mrn_top mrn_top_turn_x(mrn_top a, double angle)
{
    const mrn_sine_cosine half = mrn_sine_cosine_of(0.5 * angle), t = mrn_twice_the_angle(half);
    const mrn_quat by = {half.cosine, half.sine, 0, 0};
    mrn_top r = {mrn_quat_mul(a.q, by), mrn_v3(a.l.x, t.cosine * a.l.y + t.sine * a.l.z,
                                               t.cosine * a.l.z - t.sine * a.l.y)};
    return r;
}
MRN_INLINE mrn_top mrn_top_turn_y(mrn_top a, double angle)
{
    const mrn_sine_cosine half = mrn_sine_cosine_of(0.5 * angle), t = mrn_twice_the_angle(half);
    const mrn_quat by = {half.cosine, 0, half.sine, 0};
    mrn_top r = {mrn_quat_mul(a.q, by), mrn_v3(t.cosine * a.l.x - t.sine * a.l.z, a.l.y,
                                               t.cosine * a.l.z + t.sine * a.l.x)};
    return r;
}
MRN_INLINE mrn_top mrn_top_turn_z(mrn_top a, double angle)
{
    const mrn_sine_cosine half = mrn_sine_cosine_of(0.5 * angle), t = mrn_twice_the_angle(half);
    const mrn_quat by = {half.cosine, 0, 0, half.sine};
    mrn_top r = {mrn_quat_mul(a.q, by), mrn_v3(t.cosine * a.l.x + t.sine * a.l.y,
                                               t.cosine * a.l.y - t.sine * a.l.x, a.l.z)};
    return r;
}

/* Free turning for a time h. */
MRN_INLINE mrn_top mrn_top_drift(mrn_top a, mrn_vec3 moments, double h)
{
    a = mrn_top_turn_x(a, 0.5 * h * a.l.x / moments.x);
    a = mrn_top_turn_y(a, 0.5 * h * a.l.y / moments.y);
    a = mrn_top_turn_z(a, h * a.l.z / moments.z);
    a = mrn_top_turn_y(a, 0.5 * h * a.l.y / moments.y);
    a = mrn_top_turn_x(a, 0.5 * h * a.l.x / moments.x);
    a.q = mrn_quat_unit(a.q);
    return a;
}

/* One step of a body with torque t at its beginning: orientation at the end, and the spin predicted
   there with the torque unchanged. */
MRN_INLINE void mrn_rotation_drift(mrn_vec3 moments, mrn_vec3 t, double h, mrn_quat *q, mrn_vec3 *w)
{
    mrn_vec3 l = mrn_axpy(h, t, mrn_angular_momentum(moments, *q, *w));
    mrn_vec3 middle = mrn_axpy(-0.5 * h, t, l);
    mrn_top top = {*q, mrn_rotate(mrn_quat_conj(*q), middle)};
    *q = mrn_top_drift(top, moments, h).q;
    *w = mrn_spin_of(moments, *q, l);
}

/* The spin, predicted with the torque of the step before, when the torque of now is larger by dt.
 */
MRN_INLINE mrn_vec3 mrn_rotation_kick(mrn_vec3 moments, mrn_vec3 dt, double h, mrn_quat q,
                                      mrn_vec3 w)
{
    return mrn_add(w, mrn_spin_of(moments, q, mrn_scale(0.5 * h, dt)));
}

/* The rotation by the vector `a` (axis times angle), with sines of our own. */
MRN_INLINE mrn_quat mrn_turn_by(mrn_vec3 a)
{
    const double angle = mrn_norm(a);
    const mrn_sine_cosine half = mrn_sine_cosine_of(0.5 * angle);
    const double s = angle > 1e-8 ? half.sine / angle : 0.5;
    mrn_quat r = {half.cosine, s * a.x, s * a.y, s * a.z};
    return r;
}

/* The same by explicit Euler: everything with the values at the beginning. */
MRN_INLINE void mrn_rotation_euler(mrn_vec3 moments, mrn_vec3 t, double h, mrn_quat *q, mrn_vec3 *w)
{
    mrn_vec3 l = mrn_axpy(h, t, mrn_angular_momentum(moments, *q, *w));
    *q = mrn_quat_unit(mrn_quat_mul(mrn_turn_by(mrn_scale(h, *w)), *q));
    *w = mrn_spin_of(moments, *q, l);
}

/* dq/dt of a body with angular momentum l. */
static inline mrn_quat mrn_rotation_rate(mrn_vec3 moments, mrn_quat q, mrn_vec3 l)
{
    mrn_vec3 w = mrn_spin_of(moments, mrn_quat_unit(q), l);
    return mrn_quat_mul((mrn_quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, q);
}
static inline mrn_quat mrn_quat_axpy(double s, mrn_quat a, mrn_quat b)
{
    return (mrn_quat){s * a.w + b.w, s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
/* Orientation after h while the angular momentum goes from l0 over l1 (half-way) to l2: Runge and
   Kutta's fourth-order rule, which needs no new forces. */
static inline mrn_quat mrn_rotation_runge(mrn_vec3 moments, mrn_quat q, mrn_vec3 l0, mrn_vec3 l1,
                                          mrn_vec3 l2, double h)
{
    mrn_quat a = mrn_rotation_rate(moments, q, l0);
    mrn_quat b = mrn_rotation_rate(moments, mrn_quat_axpy(0.5 * h, a, q), l1);
    mrn_quat c = mrn_rotation_rate(moments, mrn_quat_axpy(0.5 * h, b, q), l1);
    mrn_quat d = mrn_rotation_rate(moments, mrn_quat_axpy(h, c, q), l2);
    q = mrn_quat_axpy(h / 6, a, mrn_quat_axpy(h / 3, b, q));
    return mrn_quat_unit(mrn_quat_axpy(h / 3, c, mrn_quat_axpy(h / 6, d, q)));
}

#endif
