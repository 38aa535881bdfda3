/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law elastic: F = k delta. */
#ifndef MRN_LAWS_NORMAL_ELASTIC_H
#define MRN_LAWS_NORMAL_ELASTIC_H

#include "laws/normal.h"

MRN_FORMULA mrn_normal mrn_normal_elastic_step(mrn_linear c, double m, double delta)
{
    double k = mrn_linear_k(c, m);
    mrn_normal f = {k * delta, 0.5 * (k * delta) * delta, 0, k, 0};
    return f;
}

#endif
