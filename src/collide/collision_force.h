/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces of many collisions in a plane at an instant, each with its own law's coefficients: what
   the laws that estimates are made of answer to a time step of zero, without what only an engine
   asks of them. */
#ifndef MRN_COLLIDE_COLLISION_FORCE_H
#define MRN_COLLIDE_COLLISION_FORCE_H

#include "moraine/law.h"

/* Side by side. As many as the nearest cache holds with all their stages. */
#define MRN_LANES 64
#define MRN_WIDE                                                                                   \
    8 /* loops run over whole vectors; lanes beyond the last spring_state what is finite */
/* Rows a power of two apart would all fall into the same few places of the cache. */
typedef double mrn_lane_row[MRN_LANES + MRN_WIDE];

#define MRN_LANE_COEFS 5

/* Contacts, what they are asked and what they answer: rows, wherever they stand. mrn_law_block has
   the same names. */
typedef struct mrn_lanes {
    mrn_lane_row normal[MRN_LANE_COEFS], tangential[MRN_LANE_COEFS]; /* coefficients of each */
    double *r_eff, *m_eff;
    double *delta, *rate, *ut, *spring; /* overlap, not negative; velocities; elongation */
    double *root;                       /* square root of the overlap                    */
    double *fn, *k_n, *gamma_n, *press, *tx;
} mrn_lanes;

/* A law that can be asked so. */
typedef struct mrn_lane_law {
    const mrn_law *law;
    /* From the law's coefficients to those of a lane: all that one contact keeps. */
    void (*load)(const double *coef, double r_eff, double m_eff, double *out);
    /* Lanes from `from` to `to`, to the bits as the law's `evaluate` with h = 0. A normal law fills
       fn, k_n, gamma_n, press; a tangential law tx. */
    void (*answer)(mrn_lanes *f, int from, int to);
    /* Tangential laws: stiffness and dashpot as the law's `stiffness` and `damping` tell them.
       NULL: the spring is cut at a length, it needs none. */
    void (*spring_state)(const mrn_lanes *f, int from, int to, double *restrict k,
                         double *restrict g);
    /* Tangential laws: what of a spring s is left, at rest, when the root of the overlap was `old`
       before. */
    double (*keeps)(const double *coef, double delta, double s, double old);
} mrn_lane_law;

/* NULL: there is none, the law itself must be asked. */
const mrn_lane_law *mrn_lane_law_of(const mrn_law *law);

#endif
