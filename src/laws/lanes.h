/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws asked for many contacts in a plane at an instant, each contact with coefficients of its own:
   what the collisions of the lab ask. With a time step of zero nothing turns, begins or ends within
   the step, and in a plane a tangential vector is a number. A law that can be asked so has `lanes`
   in its descriptor, made of the same formula as its block; the answers are the same to the bit. */
#ifndef MRN_LAWS_LANES_H
#define MRN_LAWS_LANES_H

#include <string.h>

#include "laws/normal.h"
#include "moraine/law.h"

/* Side by side. As many as the nearest cache holds with all their stages. */
#define MRN_LANES 64
#define MRN_WIDE  8 /* loops run over whole vectors; lanes beyond the last hold what is finite */
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

typedef struct mrn_law_lanes {
    /* From the law's coefficients to those of a lane: all that one contact keeps. */
    void (*load)(const double *coef, double r_eff, double m_eff, double *out);
    /* Lanes from `from` to `to`, to the bits as the law's `evaluate` with h = 0. A normal law fills
       fn, k_n, gamma_n, press; a tangential law tx. */
    void (*answer)(mrn_lanes *f, int from, int to);
    /* Tangential laws: stiffness and dashpot as the law's `stiffness` and `damping` tell them.
       NULL: the spring is cut at a length, it needs none. */
    void (*spring)(const mrn_lanes *f, int from, int to, double *restrict k, double *restrict g);
    /* Tangential laws: what of a spring s is left, at rest, when the root of the overlap was `old`
       before. */
    double (*keep)(const double *coef, double delta, double s, double old);
} mrn_law_lanes;

/* What a contact keeps, a struct of doubles, as a lane's coefficients … */
#define MRN_LANE_STORE(contact, out)                                                               \
    do {                                                                                           \
        _Static_assert(sizeof(contact) <= MRN_LANE_COEFS * sizeof(double), "room for it");         \
        memcpy(out, &(contact), sizeof(contact));                                                  \
    } while (0)
/* … and a member of it, of lane i. */
#define MRN_LANE(row, type, member, i) ((row)[offsetof(type, member) / sizeof(double)][i])

MRN_FORMULA void mrn_lane_normal(mrn_lanes *f, int i, mrn_normal n)
{
    f->fn[i] = n.fn;
    f->press[i] = fabs(n.fn);
    f->k_n[i] = n.k;
    f->gamma_n[i] = n.gamma;
}

#endif
