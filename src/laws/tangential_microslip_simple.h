/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law micro-slip-simple: the first-loading curve of Mindlin and Deresiewicz as a
   function of the elongation. */
#ifndef MRN_LAWS_TANGENTIAL_MICROSLIP_SIMPLE_H
#define MRN_LAWS_TANGENTIAL_MICROSLIP_SIMPLE_H

#include "laws/tangent.h"

typedef struct mrn_tangential_microslip_simple {
    double reach; /* elongation of full sliding over the overlap */
    double kt;    /* 8 G*                                        */
    double mu, ratio;
} mrn_tangential_microslip_simple;

MRN_FORMULA mrn_tangential mrn_tangential_microslip_simple_answer(mrn_tangential_microslip_simple c,
                                                                  mrn_sliding at, mrn_curve m,
                                                                  double most, double g,
                                                                  double press)
{
    double limit = c.mu * press, x = most > 0 ? m.size / most : 1;
    double pull = m.size > 0 ? limit * mrn_microslip(x) / m.size : 0;
    return mrn_curve_force(at, m, pull, g, x, most, limit);
}

MRN_FORMULA mrn_tangential mrn_tangential_microslip_simple_step(mrn_tangential_microslip_simple c,
                                                                mrn_sliding at, double gamma_n,
                                                                double press, mrn_vec3 s)
{
    double most = c.reach * at.delta;
    mrn_curve m = mrn_curve_step(at, s, most);
    return mrn_tangential_microslip_simple_answer(c, at, m, most, c.ratio * gamma_n, press);
}

/* Without a dashpot. */
MRN_FORMULA mrn_tangential mrn_tangential_microslip_simple_kept(mrn_tangential_microslip_simple c,
                                                                mrn_sliding at, mrn_passage on,
                                                                double press, mrn_vec3 s)
{
    double most = c.reach * at.delta;
    mrn_curve m = mrn_curve_kept(on, s, most);
    return mrn_tangential_microslip_simple_answer(c, at, m, most, 0, press);
}

#endif
