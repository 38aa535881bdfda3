/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact points of all pairs of the neighbour list, touching or about to: what the non-smooth
   engine solves. Grains of any shape, walls of any shape. */
#ifndef MRN_DETECT_TOUCHES_H
#define MRN_DETECT_TOUCHES_H

#include "detect/detect.h"
#include "detect/meet.h"

typedef struct mrn_touch {
    int32_t c, a;       /* bodies that touch: places in memory. A is the wall, or the grain with the
                           higher persistent number                                          */
    int32_t of_c, of_a; /* bodies that move: their clusters, or themselves                   */
    int32_t interaction;   /* index in the scene; -1: materials that do not act on each other   */
    int64_t feature;       /* what touches what between c and a                                 */
    mrn_vec3 arm_c, arm_a; /* from the centre of the moving body to the point, world frame     */
    mrn_vec3 point;        /* near C                                                            */
    mrn_vec3 n;            /* from A to C                                                       */
    double gap, r_eff;
} mrn_touch;

typedef struct mrn_touch_chunk {
    int64_t n, capacity;
    mrn_touch *touch;
    int64_t wall_room;
    mrn_contact_point *wall; /* scratch */
    bool failed;
} mrn_touch_chunk;

/* Work space that is kept from step to step. Zero it first. */
typedef struct mrn_touch_finder {
    int64_t n, capacity;
    mrn_touch *touch; /* in the order of the list */
    int64_t n_chunks;
    mrn_touch_chunk *chunk;
    int64_t memories, memories_room;
    mrn_meet_memory *memory; /* per pair of the list; forms only */
    int64_t builds;          /* of the list, when the memories began */
} mrn_touch_finder;
void mrn_touch_finder_release(mrn_touch_finder *f);
size_t mrn_touch_finder_bytes(const mrn_touch_finder *f);
/* All points with gap < alert, bodies where they are now, and those that could close within a time
   h at the velocities of now (h = 0: not these). The list must be current. */
mrn_status mrn_touches_find(const mrn_scene *scene, const mrn_state *s, double alert, double h,
                            mrn_touch_finder *f, mrn_message *msg);

#endif
