/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spheres that are not packed yet, for servos to press; and the account of what they did. */
#ifndef MRN_TESTS_DRIVE_CROWD_H
#define MRN_TESTS_DRIVE_CROWD_H

#include "../world.h"

#define RADIUS 1e-3

static inline void begin(world *w)
{
    mrn_threads_set(1); /* a few hundred grains: two threads would mostly wait for each other */
    world_begin(w, 3, "hertz-mindlin", 2500, 1e7, 0.3);
    world_law(w, "restitution", 0.2);
    world_law(w, "friction", 0);
}

/* Spheres on a grid of `n` per direction, a little apart, with small random velocities. */
static inline void crowd(world *w, const int n[3], double pitch, double speed)
{
    mrn_rng rng = mrn_rng_seed(3, 1);
    for (int k = 0; k < n[0] * n[1] * n[2]; k++) {
        int at[3] = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]};
        double r = RADIUS * (0.8 + 0.2 * mrn_rng_uniform(&rng));
        mrn_vec3 v = mrn_v3(mrn_rng_normal(&rng), mrn_rng_normal(&rng), mrn_rng_normal(&rng));
        world_grain(w, r,
                    mrn_v3((at[0] + 0.5) * pitch, (at[1] + 0.5) * pitch, (at[2] + 0.5) * pitch),
                    mrn_scale(speed, v), mrn_v3(0, 0, 0));
    }
}

/* What the account lacks, over all that went through it. Sums of powers by the trapezoidal rule, at
   steps of a tenth of sqrt(m/k): a few tenths of a per cent of the collapse. */
static inline void assert_booked(const world *w)
{
    mrn_energies e = mrn_measure_energies(&w->scene, &w->state);
    assert_close(e.residual, 0, 5e-3 * (fabs(e.input) + e.dissipated + e.total));
}

#endif
