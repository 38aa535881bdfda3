/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains as a run left them, read from its checkpoint or from a frame without the scene that made
   them: what another scene starts from. */
#ifndef MRN_STORE_GRAINS_H
#define MRN_STORE_GRAINS_H

#include "moraine/scene.h"
#include "store/h5.h"

typedef struct mrn_left_grain {
    int32_t id; /* persistent number in that run */
    uint16_t group, material, flags, part;
    mrn_vec3 x, v, w;
    mrn_quat q;
    double radius;
} mrn_left_grain;

/* All grains that were there, in the order of their persistent numbers: whole clusters, no walls.
 */
typedef struct mrn_left {
    char file[1024];   /* the one that was read                                               */
    mrn_header header; /* names of groups and materials, polytopes                            */
    int n_clusters;
    mrn_cluster *cluster;
    int32_t *cluster_of; /* per group: index into cluster; -1: its grains are no clusters     */
    int64_t n;
    mrn_left_grain *grain;
    double time;
    bool periodic[3];
    double origin[3], size[3], tilt[3]; /* of the cell, now                                   */
} mrn_left;

/* `path`: the folder of a run (its checkpoint; without one, its last frame), a checkpoint, or a
   trajectory. `frame`: NULL, or which frame of the trajectory; negative numbers count from the end.
   On error nothing is left in *out. */
mrn_status mrn_left_read(const char *path, const int64_t *frame, mrn_left *out, mrn_message *msg);
/* The file that would be read; false: the folder has none. */
bool mrn_left_file(const char *path, bool frame, char *out, size_t size);
void mrn_left_release(mrn_left *x);

/* ---- parts of a checkpoint that serve it ---- */

/* /header and /clusters of a checkpoint. */
void mrn_left_write(mrn_h5 *h, const mrn_scene *scene);
/* Reads them; `h` is an open checkpoint. */
void mrn_left_read_header(mrn_h5 *h, mrn_left *out);
/* Grains of bodies, checked against the header. */
void mrn_left_collect(mrn_h5 *h, const mrn_bodies *b, mrn_left *out);
/* Of a checkpoint (checkpoint.c). */
mrn_status mrn_checkpoint_read_grains(const char *path, mrn_left *out, mrn_message *msg);

#endif
