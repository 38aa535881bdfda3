/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a trajectory, for the files that read it, write it and describe it as XDMF. */
#ifndef MRN_STORE_TRAJECTORY_H
#define MRN_STORE_TRAJECTORY_H

#include "store/h5.h"

/* One row of the index: what XDMF and the reader must know of a frame without opening it. */
typedef struct mrn_frame_note {
    int64_t step, grains, contacts;
    int64_t mesh_frame; /* the frame that holds the walls' triangles; -1: no walls to see */
    int64_t mesh_points, mesh_triangles;
    int64_t frame_sum; /* of the frame, as mrn_h5_sum_end has it */
    int64_t row_sum;   /* of this row and its time: mrn_frame_note_sum */
} mrn_frame_note;
#define MRN_NOTE_WIDTH 8
/* Of all that stands before it in the row, and the time beside it. */
int64_t mrn_frame_note_sum(const mrn_frame_note *n, double time);

struct mrn_trajectory {
    mrn_h5 h5;
    bool writing;
    char xdmf_path[1024];
    int64_t n, time_room, note_room; /* frames */
    double *time;
    mrn_frame_note *note;
    /* writing only */
    mrn_header header;
    double *placement;         /* 7 + flag per wall: where the triangles last written were */
    bool fresh_mesh;           /* triangles must be written with the next frame            */
    double xdmf_at, xdmf_cost; /* clock of the last XDMF, seconds it took                 */
    int64_t xdmf_frames;       /* frames in it                                             */
};

/* Column i of the contacts of a frame as the file has it; false: it has not. Integers are stored as
   32-bit ones. */
bool mrn_frame_contact_layout(const mrn_contacts *c, int i, mrn_h5_layout *out);

#define MRN_TRAJECTORY_LAYOUT 3 /* version, described in trajectory.c */

/* Name of frame or wall number k in the file. */
void mrn_number_name(int64_t k, char name[32]);
mrn_h5_type mrn_frame_h5_type(mrn_field_type t);
void mrn_trajectory_release(mrn_trajectory *t);
/* These belong between mrn_h5_begin and mrn_h5_end of t->h5 and set its status. */
void mrn_trajectory_read_index(mrn_trajectory *t);
void mrn_trajectory_read_frame(mrn_trajectory *t, int64_t k, mrn_frame *out);
void mrn_header_write(mrn_h5 *h, const mrn_header *c);
void mrn_header_read(mrn_h5 *h, mrn_header *c);
/* Forms of a header (cast_polytopes.c); a file without any has no such group. */
void mrn_header_write_polytopes(mrn_h5 *h, hid_t at, const mrn_header *c);
void mrn_header_read_polytopes(mrn_h5 *h, hid_t at, mrn_header *c);
void mrn_header_release_polytopes(mrn_header *c);
mrn_status mrn_header_copy_polytopes(const mrn_polytope *from, int n, mrn_header *to,
                                     mrn_message *msg);
/* `to` must be empty; on failure it holds a part, to be destroyed. */
mrn_status mrn_header_copy(const mrn_header *from, mrn_header *to, mrn_message *msg);

/* Writes the XDMF file for all frames noted; atomic. */
mrn_status mrn_xdmf_write(const mrn_trajectory *t, mrn_message *msg);

#endif
