/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the writers of this room share: file errors with a cure, the arrays of a frame as a table,
   walls as triangles. */
#ifndef MRN_STORE_FILES_H
#define MRN_STORE_FILES_H

#include "base/base.h"
#include "moraine/io.h"

/* ---- file errors (atomic.c) ---- */

/* "PATH: error: WHAT: No space left on device", with a hint. Returns MRN_ERR_IO. */
mrn_status mrn_fail_file(mrn_message *msg, const char *path, const char *what, int error);
/* Adds the cure for an errno to a message already filled. */
void mrn_hint_for_errno(mrn_message *msg, int error);
/* mrn_atomic_commit, with the choice not to wait for the disk: for files that are many and can be
 * made again. */
mrn_status mrn_atomic_finish(mrn_atomic_file *a, bool synced, mrn_message *msg);
/* Renames and syncs the folder. */
mrn_status mrn_rename_synced(const char *part, const char *path, mrn_message *msg);

/* ---- frames (frame.c) ---- */

/* The arrays of a frame, once: memory, trajectory and its XDMF read this table. */
typedef struct mrn_frame_field {
    const char *name;  /* in the file                                                        */
    const char *shown; /* in ParaView; NULL: not shown                                       */
    const char *unit;
    mrn_field_type type;
    int width;
    bool squeeze;  /* worth compressing: repeats itself (see trajectory.c)               */
    size_t offset; /* of the pointer in mrn_frame                                        */
    size_t source; /* of the pointer in mrn_bodies                                       */
} mrn_frame_field;
int mrn_frame_field_count(void);
const mrn_frame_field *mrn_frame_field_at(int i);
size_t mrn_frame_field_size(const mrn_frame_field *f); /* bytes per body */
void *mrn_frame_data(const mrn_frame *f, const mrn_frame_field *field);
/* Allocates the arrays of an empty frame for n bodies, and of its contacts for n_contacts. */
mrn_status mrn_frame_room(mrn_frame *f, int32_t n, int64_t n_contacts, mrn_message *msg);
/* Contacts as lines from A (or the contact point on a wall) to C: two ends each, the normal force
   that colours them, and the numbers of the ends. */
void mrn_frame_contact_lines(const mrn_frame *f, double *end, double *normal_force, int32_t *line);
/* The triangles of all walls that are there, where a frame has them. */
typedef struct mrn_wall_mesh {
    int64_t n_points, n_triangles;
    double *point;   /* 3 each                        */
    int32_t *corner; /* 3 each                        */
    int32_t *wall;   /* number of the wall, each      */
} mrn_wall_mesh;
mrn_status mrn_wall_mesh_make(const mrn_header *c, const mrn_frame *f, mrn_wall_mesh *out,
                              mrn_message *msg);
void mrn_wall_mesh_destroy(mrn_wall_mesh *m);
/* Notes where the first n walls are (8 numbers each in `placement`); true when that differs from
   what was noted before. */
bool mrn_walls_moved(double *placement, const mrn_frame *f, int n);

/* As mrn_frame_from_state, with the contacts taken over: nothing is copied that may be larger than
   the bodies. */
mrn_status mrn_frame_take(const mrn_scene *scene, const mrn_state *s, mrn_contacts *contacts,
                          mrn_frame *out, mrn_message *msg);

#endif
