/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of detection shared by its files and used by the engines: periodic images, grid search,
 * wall contacts. */
#ifndef MRN_DETECT_DETECT_H
#define MRN_DETECT_DETECT_H

#include "detect/kinematics.h"
#include "moraine/engine.h"

/* Periodic images as numbers ready for loops: inv is 0 in directions without a period. */
typedef struct mrn_images {
    double size[3], inv[3];
} mrn_images;
mrn_images mrn_images_of(const mrn_scene *scene, const mrn_state *s);

static inline mrn_vec3 mrn_images_nearest(const mrn_images *im, mrn_vec3 d)
{
    return mrn_v3(mrn_nearest(d.x, im->size[0], im->inv[0]),
                  mrn_nearest(d.y, im->size[1], im->inv[1]),
                  mrn_nearest(d.z, im->size[2], im->inv[2]));
}

/* A multi-level grid over the grains at positions x (3 per body): a grain sits on the level of its
   size, so a search never looks through more than 27 cells per level. */
typedef struct mrn_grid mrn_grid;
mrn_status mrn_grid_build(const mrn_scene *scene, const mrn_state *s, const double *x, double skin,
                          mrn_grid **out, mrn_message *msg);
void mrn_grid_destroy(mrn_grid **g);
/* Partners that grain i owns: closer than skin, on a coarser level, or on its own level with a
   larger index. Calls in a fixed order; writes at most max; returns the number. */
int mrn_grid_partners(const mrn_grid *g, int32_t i, int32_t *out, int max);

/* Contacts of grain i with one wall, for the pairs p0 … p1-1 of the list (all of that grain and
   wall). out[k] is for pair p0+k, in world frame. Needs room for p1-p0 entries in both scratch
   arrays. */
int mrn_wall_group(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                   int64_t p0, int64_t p1, mrn_wall_contact *out);
/* Centre of grain i in the frame of wall w: the image nearest to the middle of the wall. */
mrn_vec3 mrn_wall_local(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t w,
                        const double *x_i);

/* How far (m) the faces of a straining cell may have come closer `steps` steps after the list was
   built: a grain and the image of another approach by this on top of their own ways. */
double mrn_pairs_cell_travel(const mrn_scene *scene, const mrn_state *s, int64_t steps);

/* Keys sorted ascending with their items (stable, radix). */
mrn_status mrn_sort_keys(uint64_t *key, int32_t *item, int64_t n, mrn_message *msg);

#endif
