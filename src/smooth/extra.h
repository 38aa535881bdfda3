/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces and torques on a grain besides contacts and gravity, whose power is booked apart: loads of
   its group, and damping. One text for the processor and for devices. */
#ifndef MRN_SMOOTH_EXTRA_H
#define MRN_SMOOTH_EXTRA_H

#include "drive/drive.h"

typedef struct mrn_extra {
    mrn_vec3 load, load_torque, damping, damping_torque;
} mrn_extra;

MRN_INLINE mrn_extra mrn_extra_none(void)
{
    mrn_extra x = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    return x;
}

MRN_INLINE void mrn_extra_load(mrn_extra *x, const mrn_load *l, double mass, bool flat)
{
    x->load = mrn_axpy(mass, l->acceleration, l->force);
    x->load_torque = l->torque;
    if (flat)
        x->load.z = 0, x->load_torque.x = 0, x->load_torque.y = 0;
}

MRN_INLINE double mrn_extra_against(double force, double v)
{
    return v > 0 ? -fabs(force) : v < 0 ? fabs(force) : 0;
}

/* Global damping resists the velocity; local damping (Cundall) takes a share from each component of
   the force that drives the motion and adds it to each that brakes it. f and t act so far; l: the
   angular momentum. */
MRN_INLINE void mrn_extra_damp(mrn_extra *x, double global, double local, double mass, mrn_vec3 v,
                               mrn_vec3 w, mrn_vec3 l, mrn_vec3 f, mrn_vec3 t)
{
    mrn_vec3 back = {mrn_extra_against(f.x, v.x), mrn_extra_against(f.y, v.y),
                     mrn_extra_against(f.z, v.z)};
    mrn_vec3 twist = {mrn_extra_against(t.x, w.x), mrn_extra_against(t.y, w.y),
                      mrn_extra_against(t.z, w.z)};
    x->damping = mrn_axpy(local, back, mrn_scale(-global * mass, v));
    x->damping_torque = mrn_axpy(local, twist, mrn_scale(-global, l));
}

/* Powers with the velocities at the end of the step: taken by damping, put in by loads. */
MRN_INLINE double mrn_extra_damping_power(const mrn_extra *x, mrn_vec3 v, mrn_vec3 w)
{
    return -(mrn_dot(x->damping, v) + mrn_dot(x->damping_torque, w));
}

MRN_INLINE double mrn_extra_load_power(const mrn_extra *x, mrn_vec3 v, mrn_vec3 w)
{
    return mrn_dot(x->load, v) + mrn_dot(x->load_torque, w);
}

#endif
