/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of bodies along a curve through space: in memory, and in problems that are solved body by
   body. */
#ifndef MRN_DETECT_ORDER_H
#define MRN_DETECT_ORDER_H

#include "detect/detect.h"

/* Room that the ranking needs; zero it first. */
typedef struct mrn_ranking {
    int32_t n;     /* grains                                                            */
    int32_t *item; /* their places in memory, along the curve                           */
    int32_t *item2;
    uint64_t *key, *key2;
    int64_t room[4];
} mrn_ranking;
void mrn_ranking_release(mrn_ranking *r);
size_t mrn_ranking_bytes(const mrn_ranking *r);
/* Grains along a Morton curve of cells `cell` wide, in one cell by persistent number; the spheres
   of a cluster where it is. Depends on where bodies are and what they are called alone. */
mrn_status mrn_rank_bodies(const mrn_scene *scene, const mrn_state *s, double cell, mrn_ranking *r,
                           mrn_message *msg);

/* Puts the grains in memory in that order. *to (mrn_free) maps old places to new ones. */
mrn_status mrn_order_bodies(const mrn_scene *scene, mrn_state *s, double cell, int32_t **to,
                            mrn_message *msg);

#endif
