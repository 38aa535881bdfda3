/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energies of one body: one text for the processor and for devices. */
#ifndef MRN_MEASURE_BODY_ENERGY_H
#define MRN_MEASURE_BODY_ENERGY_H

#include "moraine/state.h"

enum { MRN_ENERGY_KINETIC, MRN_ENERGY_ROTATIONAL, MRN_ENERGY_GRAVITY, MRN_ENERGY_TERMS };

/* Angular momentum of a cluster, whose template has these moments. */
MRN_INLINE mrn_vec3 mrn_cluster_momentum(const double *moment, double mass, double r, mrn_quat q,
                                         mrn_vec3 w)
{
    w = mrn_rotate(mrn_quat_conj(q), w);
    mrn_vec3 l = {moment[0] * w.x, moment[1] * w.y, moment[2] * w.z};
    return mrn_rotate(q, mrn_scale(mass * r * r, l));
}

/* l: angular momentum; x: the place without the cell's jumps. */
MRN_INLINE void mrn_body_energy(double mass, mrn_vec3 v, mrn_vec3 w, mrn_vec3 l, mrn_vec3 gravity,
                                mrn_vec3 x, double to[MRN_ENERGY_TERMS])
{
    to[MRN_ENERGY_KINETIC] = 0.5 * mass * mrn_dot(v, v);
    to[MRN_ENERGY_ROTATIONAL] = 0.5 * mrn_dot(w, l);
    to[MRN_ENERGY_GRAVITY] = -(mass * mrn_dot(gravity, x));
}

#endif
