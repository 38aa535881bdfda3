/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law jkr: Johnson, Kendall & Roberts. Everything is a polynomial in y = sqrt(a/a_f), a
   the contact radius and a_f that at which the contact parts under given separation, y = 1: a_f^3 =
   pi W R^2/(8 E*),       delta = a_f^2/R (y^4 - 4 y), F = E* a_f^3/R (4/3 y^6 - 8 y^3), U = E*
   a_f^5/R^2 (8/15 y^10 - 16/3 y^7 + 8 y^4 - 16/5), zero at y = 1. */
#ifndef MRN_LAWS_COHESION_JKR_H
#define MRN_LAWS_COHESION_JKR_H

#include "laws/cohesion.h"

typedef struct mrn_cohesion_jkr {
    double radius; /* a_f over R^(2/3) */
    double e_star;
} mrn_cohesion_jkr;

/* a_f. */
MRN_FORMULA double mrn_jkr_least(mrn_cohesion_jkr c, double r)
{
    double root = mrn_cube_root(r);
    return c.radius * root * root;
}

/* Gap at which the contact parts. */
MRN_FORMULA double mrn_jkr_range(mrn_cohesion_jkr c, double r)
{
    double a = mrn_jkr_least(c, r);
    return 3 * a * a / r;
}

/* y - 1 of an overlap: t sqrt(t^2 + 4 t + 6) = q with q^2 = delta R/a_f^2 + 3, the quartic without
   its double root at the parting, by Newton's method. The function is convex and the start,
   sqrt(1 + q) - 1, is above the root by at most a fifth: five steps leave round-off only. */
MRN_FORMULA double mrn_jkr_root(double q)
{
    double t = q / (1 + sqrt(1 + q));
    for (int k = 0; k < 5; k++) {
        double s = sqrt(6 + t * (4 + t));
        t -= (t * s - q) * s / (6 + t * (6 + 2 * t));
    }
    return t;
}

/* Force over E* a_f^3/R, and energy over E* a_f^5/R^2. */
MRN_FORMULA double mrn_jkr_force(double y)
{
    double y3 = y * y * y;
    return y3 * (4.0 / 3 * y3 - 8);
}

MRN_FORMULA double mrn_jkr_energy(double y)
{
    double y3 = y * y * y, y4 = y3 * y;
    return y4 * (8 + y3 * (8.0 / 15 * y3 - 16.0 / 3)) - 3.2;
}

/* At touching, y^3 = 4: the well into which a new contact falls, and its pull. */
#define MRN_JKR_WELL_AT_TOUCH 33.67810019778942
#define MRN_JKR_PULL_AT_TOUCH (32.0 / 3)
#define MRN_JKR_PULL_AT_PART  (20.0 / 3)

/* Takes the place of the normal law's elastic force, energy and pressing force. */
typedef struct mrn_jkr {
    double fn, energy, jump, press;
    double wide; /* contact radius squared over r: the overlap of a Hertz contact as wide */
} mrn_jkr;

/* least: a_f; fn: of the normal law. */
MRN_FORMULA mrn_jkr mrn_cohesion_jkr_step(mrn_cohesion_jkr c, double least, double r, double delta,
                                          double gap, double closing, double fresh, double h,
                                          double fn)
{
    double e = c.e_star, a2 = least * least;
    double f1 = e * a2 * least / r, u1 = f1 * a2 / r, over = 3 - gap * r / a2;
    double y = 1 + mrn_jkr_root(sqrt(over > 0 ? over : 0)), held = over >= 0 ? 1 : 0;
    double begin = mrn_pull_begin(fresh, h, -gap, closing);
    double end = mrn_pull_end(h, over * a2 / r, closing);
    double f =
        mrn_jkr_force(y) - MRN_JKR_PULL_AT_TOUCH * (begin - 1) - MRN_JKR_PULL_AT_PART * (end - 1);
    double hertz = 4.0 / 3 * e * sqrt(r) * delta * sqrt(delta);
    mrn_jkr j;
    j.fn = held * f1 * f + (fn - hertz);
    j.energy = held * u1 * mrn_jkr_energy(y);
    j.jump = fresh > 0 ? u1 * MRN_JKR_WELL_AT_TOUCH : 0;
    j.press = fabs(j.fn + 24 * held * f1);
    j.wide = held * a2 * (y * y) * (y * y) / r;
    return j;
}

#endif
