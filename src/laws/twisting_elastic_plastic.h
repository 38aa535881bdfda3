/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law elastic-plastic: spring and dashpot in series with a slider about the normal. When C
   and A change places both the relative angular velocity and the normal change sign: the twist is
   even. */
#ifndef MRN_LAWS_TWISTING_ELASTIC_PLASTIC_H
#define MRN_LAWS_TWISTING_ELASTIC_PLASTIC_H

#include "laws/moment.h"

typedef struct mrn_twisting_elastic_plastic {
    double mu;
    double ratio;   /* k_w / (k_n R^2)       */
    double damping; /* over the critical one */
} mrn_twisting_elastic_plastic;

typedef struct mrn_twisting_spring {
    mrn_moment moment;
    double ahead; /* the twist that is kept        */
    double k;     /* the stiffness it is kept with */
    double work;  /* without a dashpot             */
} mrn_twisting_spring;

MRN_FORMULA double mrn_twisting_elastic_plastic_k(mrn_twisting_elastic_plastic c, double r,
                                                  double k_n)
{
    return c.ratio * k_n * r * r;
}

/* twist, old: the twist kept, and the stiffness it was kept with. */
MRN_FORMULA mrn_twisting_spring mrn_twisting_elastic_plastic_step(mrn_twisting_elastic_plastic c,
                                                                  mrn_turning at, double twist,
                                                                  double old)
{
    double k = mrn_twisting_elastic_plastic_k(c, at.r, at.k_n), limit = c.mu * at.r * at.press;
    double keep = mrn_stiffness_keep(old, k), stop = mrn_moment_stop(at.m, at.r, at.h);
    double g = 2 * c.damping * at.r * sqrt(0.4 * at.m * k), w = mrn_dot(at.n, at.w);
    mrn_slider t = mrn_slider_step(mrn_v3(keep * twist, 0, 0), mrn_v3(at.h * w, 0, 0), k, limit);
    double f = t.force.x + (g < stop ? g : stop) * w;
    f = f > limit ? limit : f;
    f = f < -limit ? -limit : f;
    mrn_twisting_spring r;
    r.moment.moment = mrn_scale(f, at.n);
    r.moment.energy = 0.5 * k * t.spring.x * t.spring.x;
    r.moment.power = f * w;
    r.ahead = t.ahead.x, r.k = k, r.work = 0;
    return r;
}

/* Without a dashpot (laws/tangent.h, mrn_kept_spring); `way` is the angle of this step. */
MRN_FORMULA mrn_twisting_spring mrn_twisting_elastic_plastic_kept(mrn_twisting_elastic_plastic c,
                                                                  mrn_turning at, double way,
                                                                  double twist, double old)
{
    double k = mrn_twisting_elastic_plastic_k(c, at.r, at.k_n), limit = c.mu * at.r * at.press;
    double s = mrn_stiffness_keep(old, k) * twist, size = k * fabs(s + way);
    double cut = size > limit ? limit / size : 1, next = cut * (s + way);
    mrn_twisting_spring r;
    r.moment.moment = mrn_scale(k * next, at.n);
    r.moment.energy = 0.5 * k * next * next, r.moment.power = 0;
    r.ahead = next, r.k = k;
    r.work = 0.5 * ((old > k ? old : k) * s + k * next) * way;
    return r;
}

#endif
