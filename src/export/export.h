/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats share: which frames, in which order, numbers as text. */
#ifndef MRN_EXPORT_EXPORT_H
#define MRN_EXPORT_EXPORT_H

#include "store/files.h"

/* Checks a range of frames; negative numbers count from the end (-1: the last one). On success
   first and last are numbers of frames that exist. */
mrn_status mrn_export_range(mrn_trajectory *t, int64_t *first, int64_t *last, int64_t stride,
                            mrn_message *msg);
/* Indices of the grains of a frame, in the order of their ids (memory order changes during a run,
   files should not). *order is allocated (n - n_walls); mrn_free. */
mrn_status mrn_export_order(const mrn_frame *f, int32_t **order, mrn_message *msg);
/* Bounds of the grains with their radii (with corners: with the ball that holds them): a frame
   without grains gives the unit box around 0. */
void mrn_export_bounds(const mrn_header *c, const mrn_frame *f, double lo[3], double hi[3]);
/* Writes one text file of frames: `put` writes frame f of a run, grains in the order given; `begin`
   (NULL: nothing) what stands before the first. */
typedef struct mrn_export_text {
    void (*begin)(FILE *out, const mrn_header *header);
    void (*put)(FILE *out, const mrn_header *header, const mrn_frame *f, const int32_t *order);
} mrn_export_text;
mrn_status mrn_export_write_text(const mrn_export_text *how, mrn_trajectory *t, int64_t first,
                                 int64_t last, int64_t stride, const char *path, mrn_message *msg);
/* The shortest text that reads back as the same number. `buf` holds 32 bytes at least; returns buf.
 */
char *mrn_number_text(double v, char *buf);

#define MRN_EXPORT(name) extern const mrn_export_format mrn_export_##name;
#include "export/formats.def"

#endif
