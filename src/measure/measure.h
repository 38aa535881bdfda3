/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the measures share: sums over grains in a fixed order, and positions without the jumps of
 * the cell. */
#ifndef MRN_MEASURE_MEASURE_H
#define MRN_MEASURE_MEASURE_H

#include "moraine/engine.h"

#define MRN_TERMS 8 /* most quantities summed at once */

/* Adds the share of body i to `sum`. */
typedef void (*mrn_term)(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum);

/* Sums over all grains (not walls): parts of 1024 grains each, added in order, so that the result
   has the same bits for any number of threads. `width` numbers, at most MRN_TERMS. */
void mrn_sum_grains(const mrn_scene *scene, const mrn_state *s, int width, mrn_term term,
                    double *sum);
/* The largest value over all grains, -INFINITY without grains. */
typedef double (*mrn_grain_value)(const mrn_scene *scene, const mrn_state *s, int32_t i);
double mrn_max_grains(const mrn_scene *scene, const mrn_state *s, mrn_grain_value value);

/* A grain that moves by its forces. */
static inline bool mrn_is_free(const mrn_state *s, int32_t i)
{
    return !(s->body.flags[i] & (MRN_BODY_WALL | MRN_BODY_FIXED | MRN_BODY_ABSENT));
}
/* Position as if the body had never been put back into the periodic cell. */
static inline mrn_vec3 mrn_unwrapped(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = s->body.x[3 * (size_t)i + k];
        if (scene->cell.periodic[k])
            x[k] += s->body.image[3 * (size_t)i + k] * s->cell_size[k];
    }
    return mrn_load3(x);
}
static inline double mrn_volume_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    double volume, inertia;
    scene->shape[s->body.shape[i]].type->measure(s->body.radius[i], &volume, &inertia);
    return volume;
}

/* The way up: against gravity; without gravity z, y in 2D. */
mrn_vec3 mrn_up(const mrn_scene *scene);

/* Contacts (network.c). Contacts of one grain with grains and walls, as marked at the last step. */
int mrn_contacts_of(const mrn_state *s, int32_t i);
double mrn_coordination(const mrn_scene *scene, const mrn_state *s);
double mrn_coordination_mechanical(const mrn_scene *scene, const mrn_state *s);
double mrn_rattlers(const mrn_scene *scene, const mrn_state *s);
double mrn_mean_contact_force(const mrn_scene *scene, const mrn_state *s);
double mrn_unbalanced(const mrn_scene *scene, const mrn_state *s);

/* Packing (packing.c). */
double mrn_height(const mrn_scene *scene, const mrn_state *s);
double mrn_solid_fraction(const mrn_scene *scene, const mrn_state *s);

#endif
