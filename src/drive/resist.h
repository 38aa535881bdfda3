/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a contact sets against the motion of a wall or the strain of a cell: terms of the sums that
   servos go by. One text for the processor and for devices. */
#ifndef MRN_DRIVE_RESIST_H
#define MRN_DRIVE_RESIST_H

#include "moraine/state.h"

/* Stiffness and damping of a contact along its normal and across. */
typedef struct mrn_stiffness_pair {
    double k_n, k_t; /* N/m   */
    double c_n, c_t; /* N s/m */
} mrn_stiffness_pair;

/* The two directions of a component of strain. */
MRN_INLINE int mrn_strain_row(int k)
{
    return k < 3 ? k : k == MRN_YZ ? 1 : 0;
}
MRN_INLINE int mrn_strain_column(int k)
{
    return k < 3 ? k : k == MRN_XY ? 1 : 2;
}

/* A pair in touch, branch d: what component k of the strain meets, grains moving with the cell. A
   rate L_ab moves one end by L_ab d_b along a; force times branch then changes by
   d_b^2 (k_n n_a^2 + k_t (1 - n_a^2)). */
MRN_INLINE double mrn_resist_strain(int k, const double d[3], double length, double along,
                                    double across)
{
    double na = d[mrn_strain_row(k)] / length, db = d[mrn_strain_column(k)];
    return db * db * (along * na * na + across * (1 - na * na));
}

/* A contact of a wall that moves along d. */
MRN_INLINE double mrn_resist_wall(mrn_vec3 normal, mrn_vec3 d, double stiff, double shear)
{
    double along = mrn_dot(normal, d) * mrn_dot(normal, d), across = 1 - along;
    return along * stiff + across * shear;
}

#endif
