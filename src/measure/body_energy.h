/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energies of one body: one text for the processor and for devices. */
#ifndef MRN_MEASURE_BODY_ENERGY_H
#define MRN_MEASURE_BODY_ENERGY_H

#include "moraine/state.h"

enum { MRN_ENERGY_KINETIC, MRN_ENERGY_ROTATIONAL, MRN_ENERGY_GRAVITY, MRN_ENERGY_TERMS };

/* l: angular momentum; x: the place without the cell's jumps. */
MRN_INLINE void mrn_body_energy(double mass, mrn_vec3 v, mrn_vec3 w, mrn_vec3 l, mrn_vec3 gravity,
                                mrn_vec3 x, double to[MRN_ENERGY_TERMS])
{
    to[MRN_ENERGY_KINETIC] = 0.5 * mass * mrn_dot(v, v);
    to[MRN_ENERGY_ROTATIONAL] = 0.5 * mrn_dot(w, l);
    to[MRN_ENERGY_GRAVITY] = -(mass * mrn_dot(gravity, x));
}

#endif
