/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law elastic-plastic: spring and dashpot in series with a slider (EPSD). */
#ifndef MRN_LAWS_ROLLING_ELASTIC_PLASTIC_H
#define MRN_LAWS_ROLLING_ELASTIC_PLASTIC_H

#include "laws/moment.h"

typedef struct mrn_rolling_elastic_plastic {
    double mu;
    double ratio;   /* k_r / (k_n R^2)       */
    double damping; /* over the critical one */
} mrn_rolling_elastic_plastic;

typedef struct mrn_rolling_spring {
    mrn_moment moment;
    mrn_vec3 ahead; /* the angle that is kept         */
    double k;       /* the stiffness it is kept with  */
    double work;    /* without a dashpot              */
} mrn_rolling_spring;

MRN_FORMULA double mrn_rolling_elastic_plastic_k(mrn_rolling_elastic_plastic c, double r,
                                                 double k_n)
{
    return c.ratio * k_n * r * r;
}

/* s, old: the angle kept, and the stiffness it was kept with. */
MRN_FORMULA mrn_rolling_spring mrn_rolling_elastic_plastic_step(mrn_rolling_elastic_plastic c,
                                                                mrn_turning at, mrn_vec3 s,
                                                                double old)
{
    double k = mrn_rolling_elastic_plastic_k(c, at.r, at.k_n), limit = c.mu * at.r * at.press;
    double keep = mrn_stiffness_keep(old, k), stop = mrn_moment_stop(at.m, at.r, at.h);
    double g = 2 * c.damping * at.r * sqrt(1.4 * at.m * k);
    s = mrn_tangent_turn(at.n, at.turn, mrn_scale(keep, s));
    mrn_vec3 w = mrn_rolling(at.n, at.w);
    mrn_slider t = mrn_slider_step(s, mrn_scale(at.h, w), k, limit);
    mrn_rolling_spring r;
    r.moment.moment = mrn_cut(mrn_axpy(g < stop ? g : stop, w, t.force), limit);
    r.moment.energy = 0.5 * k * mrn_dot(t.spring, t.spring);
    r.moment.power = mrn_dot(r.moment.moment, w);
    r.ahead = t.ahead, r.k = k, r.work = 0;
    return r;
}

/* Without a dashpot. The spring was kept with the larger stiffness, as it is scaled. */
MRN_FORMULA mrn_rolling_spring mrn_rolling_elastic_plastic_kept(mrn_rolling_elastic_plastic c,
                                                                mrn_turning at, mrn_passage on,
                                                                mrn_vec3 s, double old)
{
    double k = mrn_rolling_elastic_plastic_k(c, at.r, at.k_n), limit = c.mu * at.r * at.press;
    s = mrn_scale(mrn_stiffness_keep(old, k), s);
    mrn_kept t = mrn_kept_spring(on, s, k, limit, old > k ? old : k);
    mrn_rolling_spring r;
    r.moment.moment = t.force;
    r.moment.energy = t.energy, r.moment.power = 0;
    r.ahead = t.spring, r.k = k, r.work = t.work;
    return r;
}

#endif
