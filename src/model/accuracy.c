/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the words of `accuracy` stand for. */
#include "model/model.h"

/* Fractions, and what bench/peers/accuracy.py measured with them: restitution (0.5) and tangential
   restitution of two spheres at 0.6 m/s under 0 to 60 degrees; 300 spheres that fall and settle. */
static const mrn_accuracy_level levels[MRN_ACCURACIES] = {
    [MRN_QUICK] = {"quick", 0.2, 8e-3, 2.5e-3},
    [MRN_NORMAL] = {"normal", 0.1, 3e-3, 6e-4},
    [MRN_FINE] = {"fine", 0.05, 1e-3, 1.3e-4},
};

const mrn_accuracy_level *mrn_accuracy_of(mrn_accuracy a)
{
    return &levels[(unsigned)a < MRN_ACCURACIES ? a : MRN_NORMAL];
}
