/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where grains with corners touch, for telling of contacts of the smooth engine: it works with
   overlaps and keeps no points. */
#ifndef MRN_DETECT_POLYTOPE_CONTACT_H
#define MRN_DETECT_POLYTOPE_CONTACT_H

#include "detect/detect.h"
#include "geom/narrow.h"

static inline bool mrn_has_corners(const mrn_state *s, int32_t i)
{
    return (s->body.flags[i] & MRN_BODY_POLYTOPE) != 0;
}

/* Pair k of the list, of grain i with a grain or a wall, one of them a polytope: centre of the
   overlap, its normal (to C) and its mean thickness as gap (negative). Where nothing overlaps any
   more the force tells the direction. All parts count together. */
mrn_contact_point mrn_polytope_contact(const mrn_scene *scene, const mrn_state *s,
                                       const mrn_images *im, int32_t i, int64_t k);

#endif
