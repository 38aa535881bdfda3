/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law linear-friction: spring k_t, dashpot gamma_t, Coulomb's limit (M1). */
#ifndef MRN_LAWS_TANGENTIAL_LINEAR_H
#define MRN_LAWS_TANGENTIAL_LINEAR_H

#include "laws/tangent.h"

typedef struct mrn_tangential_linear {
    double kappa; /* k_t / k_n         */
    double ratio; /* gamma_t / gamma_n */
    double mu;
    double rule; /* mrn_slip_rule     */
} mrn_tangential_linear;

MRN_FORMULA double mrn_tangential_linear_k(mrn_tangential_linear c, double k_n)
{
    return c.kappa * k_n;
}
MRN_FORMULA double mrn_tangential_linear_g(mrn_tangential_linear c, double gamma_n)
{
    return c.ratio * gamma_n;
}

/* In a plane, at an instant: force on C of the spring s at the velocity u. */
MRN_FORMULA double mrn_tangential_linear_at(mrn_tangential_linear c, double k_n, double gamma_n,
                                            double press, double s, double u)
{
    return mrn_tangential_plane(mrn_tangential_linear_k(c, k_n), s,
                                mrn_tangential_linear_g(c, gamma_n), u, c.mu * press);
}

MRN_FORMULA mrn_loaded mrn_tangential_linear_loaded(mrn_tangential_linear c, mrn_sliding at,
                                                    double k_n, double gamma_n, double press,
                                                    mrn_vec3 s)
{
    double k = mrn_tangential_linear_k(c, k_n), g = mrn_tangential_linear_g(c, gamma_n);
    return mrn_tangent_loaded(at, s, k, g, c.mu * press);
}
MRN_FORMULA mrn_tangential mrn_tangential_linear_step(mrn_tangential_linear c, mrn_sliding at,
                                                      double k_n, double gamma_n, double press,
                                                      mrn_vec3 s)
{
    return mrn_tangential_go(at, mrn_tangential_linear_loaded(c, at, k_n, gamma_n, press, s));
}

/* Without a dashpot. */
MRN_FORMULA mrn_tangential mrn_tangential_linear_kept(mrn_tangential_linear c, mrn_passage at,
                                                      double k_n, double press, mrn_vec3 s)
{
    double k = mrn_tangential_linear_k(c, k_n);
    return mrn_tangential_kept(at, s, k, c.mu * press, k);
}

/* With one, and a spring that is reset when it slides. */
MRN_FORMULA mrn_tangential mrn_tangential_linear_reset(mrn_tangential_linear c, mrn_passage at,
                                                       mrn_vec3 u, double k_n, double gamma_n,
                                                       double press, mrn_vec3 s)
{
    double k = mrn_tangential_linear_k(c, k_n), g = mrn_tangential_linear_g(c, gamma_n);
    return mrn_tangential_reset(at, s, u, k, g, c.mu * press, k, c.rule - (double)MRN_SLIP_RESET);
}

#endif
