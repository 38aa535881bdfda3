/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spheres that a rigid cluster carries: where they are, what they pass on to it, how it turned. One
   text for the processor and for devices. */
#ifndef MRN_SMOOTH_CARRIED_H
#define MRN_SMOOTH_CARRIED_H

#include "detect/detect.h"
#include "smooth/motion.h"

/* The whole edges of the cell in d: what the nearest image leaves out. */
MRN_INLINE mrn_vec3 mrn_whole_edges(const mrn_images *im, mrn_vec3 d)
{
    double c = rint(d.z * im->inv[2]);
    double y = d.y - c * im->tilt[2], b = rint(y * im->inv[1]);
    double x = d.x - c * im->tilt[1] - b * im->tilt[0], a = rint(x * im->inv[0]);
    return mrn_v3(a * im->size[0] + b * im->tilt[0] + c * im->tilt[1],
                  b * im->size[1] + c * im->tilt[2], c * im->size[2]);
}

/* Place of a sphere at `arm` from the centre x of its cluster, in the periodic image of where it
   was. */
MRN_INLINE mrn_vec3 mrn_carried_place(const mrn_images *im, mrn_vec3 x, mrn_vec3 arm, mrn_vec3 was)
{
    mrn_vec3 to = mrn_add(x, arm);
    return mrn_sub(to, mrn_whole_edges(im, mrn_sub(to, was)));
}

/* Its velocity relative to the flow of the cell: such that with the flow at its own place it is
   that of the rigid body. */
MRN_INLINE mrn_vec3 mrn_carried_velocity(const mrn_cell_flow *flow, mrn_vec3 v, mrn_vec3 w,
                                         mrn_vec3 arm)
{
    mrn_vec3 u = mrn_add(v, mrn_cross(w, arm));
    return flow->on ? mrn_sub(u, mrn_cell_flow_times(flow, arm)) : u;
}

/* Adds force f and torque t on the sphere to those on its cluster. */
MRN_INLINE void mrn_carried_pull(mrn_vec3 f, mrn_vec3 t, mrn_vec3 arm, mrn_vec3 *force,
                                 mrn_vec3 *torque)
{
    *force = mrn_add(*force, f);
    *torque = mrn_add(*torque, mrn_add(t, mrn_cross(arm, f)));
}

/* How a cluster turned in the step of length h (0: not at all) that ends now. The drift that
   brought it here can be undone: the torque t that it was made with is still there, and the spin is
   the one it predicted. */
MRN_INLINE mrn_quat mrn_turned_in_step(mrn_vec3 moments, mrn_vec3 t, mrn_quat now, mrn_vec3 w,
                                       double h)
{
    mrn_quat q = now;
    if (h > 0)
        mrn_rotation_drift(moments, t, -h, &q, &w);
    return mrn_quat_mul(now, mrn_quat_conj(q));
}

#endif
