/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed of a run beneath a loaded body, from the frames of one stage: how the contacts press on
   its underside, how dense the grains lie. */
#ifndef MORAINE_BED_H
#define MORAINE_BED_H

#include "lab_parts.h"
#include "moraine/io.h"

enum { MRN_BED_BINS_MAX = 200, MRN_BED_MAP = 48 };

/* One part of the underside. Pressures are means over the frames under load. */
typedef struct mrn_bed_bin {
    double from, to;          /* m, along the body, from its middle                         */
    double mean, least, most; /* Pa                                                        */
    double early, late;       /* Pa, over the first and the last third of these frames      */
} mrn_bed_bin;

typedef struct mrn_bed {
    char body[MRN_NAME];         /* the loaded group                                       */
    int axis, up;                /* along which the body is longest; against gravity       */
    int64_t first, last, frames; /* of the trajectory, in the stage; with contacts         */
    int64_t loaded, peak;        /* frames under at least 0.8 of the largest load; that one */
    double load, area;           /* N, mean over these; m2 of the underside                */
    double centre;               /* m, where the load acts, from the middle                */
    int bins;
    mrn_bed_bin bin[MRN_BED_BINS_MAX];
    double below[2]; /* solid fraction beneath the body: first, last frame      */
    double depth;    /* m, of the bed beneath it, last frame                    */
    int nx, ny;      /* map of the solid fraction in the last frame             */
    double x[2], y[2], map[MRN_BED_MAP * MRN_BED_MAP];
} mrn_bed;

/* Frames of the run from time `begin` to `end`. MRN_ERR_INPUT where there are none, no contacts or
   no such group. */
mrn_status mrn_bed_read(const char *dir, const char *body, int bins, double begin, double end,
                        mrn_bed *out, mrn_message *msg);
/* Table, plot and files of the pressure; map of the solid fraction. */
void mrn_bed_show(mrn_cli_out *o, const mrn_bed *b);
json_t *mrn_bed_json(const mrn_bed *b);
/* Pictures: force chains at the peak, displacement over the stage, and a film of it. */
mrn_status mrn_bed_pictures(mrn_cli_out *o, const char *dir, const mrn_bed *b, mrn_message *msg);

#endif
