/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact points of all pairs of the neighbour list, touching or about to: what the non-smooth
   engine solves. Grains of any shape, walls of any shape; each point goes straight into the columns
   of a contact network. */
#ifndef MRN_DETECT_CONTACT_POINTS_H
#define MRN_DETECT_CONTACT_POINTS_H

#include "detect/detect.h"
#include "detect/order.h"
#include "geom/narrow.h"

/* What one piece of the list has found: a network of its own, so that threads write side by side;
   the pieces are joined in their order. */
typedef struct mrn_contact_chunk {
    mrn_contacts found;
    int64_t wall_room;
    mrn_contact_point *wall; /* scratch */
    bool failed;
} mrn_contact_chunk;

/* Work space that is kept from step to step. Zero it first. */
typedef struct mrn_contact_finder {
    int64_t n_chunks;
    mrn_contact_chunk *chunk;
    int64_t memories, memories_room;
    mrn_narrow_memory *memory; /* per pair of the list; polytopes only */
    int64_t builds;            /* of the list, when the memories began */
    mrn_ranking rank;          /* order of the grains                  */
} mrn_contact_finder;
void mrn_contact_finder_release(mrn_contact_finder *f);
size_t mrn_contact_finder_bytes(const mrn_contact_finder *f);
/* All points with gap < alert, bodies where they are now, and those that could close within a time
   h at the velocities of now (h = 0: not these), by the rank of C (order.h), then as in its row of
   the list: by the number of A, walls last; between grains C is the one with the lower number. The
   list must be current. `out` ({0} at first) gets the columns of MRN_CONTACTS_POINTS, with impulses
   of `width` numbers, all 0. */
mrn_status mrn_contacts_find(const mrn_scene *scene, const mrn_state *s, double alert, double h,
                             int width, mrn_contact_finder *f, mrn_contacts *out, mrn_message *msg);

#endif
