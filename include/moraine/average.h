/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of many frames on one grid: solid fraction, density, velocity, granular temperature and
   stress, averaged over time and over bins of a system of coordinates. */
#ifndef MORAINE_AVERAGE_H
#define MORAINE_AVERAGE_H

#include "moraine/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrn_coordinates {
    MRN_COORDINATES_BOX,   /* x, y, z                                                           */
    MRN_COORDINATES_AXIS,  /* r, angle (degrees, 0 to 360), axial: about an axis                */
    MRN_COORDINATES_LINE,  /* s along a line, distance from it                                  */
    MRN_COORDINATES_DEPTH, /* x, y, z of which the vertical one is the depth below the surface  */
} mrn_coordinates;

/* Where to look. In 2D the third coordinate (about an axis: the axial one) has one bin and no
   limits; an axis is a point then. */
typedef struct mrn_average_def {
    mrn_coordinates coordinates;
    mrn_vec3 point;      /* on the axis; where the line begins                              */
    mrn_vec3 direction;  /* of the axis or line                                             */
    int vertical;        /* of DEPTH: 0, 1, 2                                               */
    bool down;           /* of DEPTH: gravity acts upwards                                  */
    double lo[3], hi[3]; /* limits of the coordinates; NAN: as far as mrn_average_reach says    */
    int n[3];            /* bins; 0 counts as 1                                                 */
    bool cell[3];        /* of BOX and DEPTH: the limits are those of the periodic cell in every
                            frame, so that bins strain with it                                  */
} mrn_average_def;

typedef struct mrn_average {
    mrn_average_def def; /* all limits known                                                    */
    int dimension;
    int64_t frames, n; /* frames that entered; bins, the first coordinate fastest               */
    double time[2];    /* of the first and the last of them                                     */
    bool has_contacts; /* in any of them: else forces were not stored                           */
    double cell_sum[2][3]; /* of the cells of the frames so far                                 */
    double *volume; /* m3 (m2 in 2D): of the bin; of DEPTH: where grains are below           */
    double *count;  /* grains, in parts, mean over the frames                                */
    double *solid_fraction;
    double *density;        /* kg/m3                                                            */
    double *velocity;       /* m/s, 3 along x, y, z (about an axis: r, angle, axial): momentum over
                               mass; NAN where no grain ever was                                */
    double *temperature;    /* m2/s2, about that velocity                                       */
    double *contact_stress; /* Pa, 6, compression positive                                      */
    double *kinetic_stress; /* Pa, 6                                                            */
} mrn_average;

/* Widens lo and hi by what the grains of a frame reach (begin with INFINITY, -INFINITY); periodic
   directions of BOX and DEPTH by the cell. The free surface of DEPTH is the highest point of a
   grain in columns two mean diameters wide, interpolated between their middles. */
MRN_API void mrn_average_reach(const mrn_average_def *def, int dimension, const mrn_frame *f,
                               double lo[3], double hi[3]);
MRN_API mrn_status mrn_average_begin(const mrn_average_def *def, int dimension, mrn_average *out,
                                     mrn_message *msg);
/* A grain is spread over its volume, a contact force over its branch: both as points, the same ones
   for each (48 in a sphere, 24 in a disk, 8 on a branch). Spheres of clusters count one by one. */
MRN_API mrn_status mrn_average_add(mrn_average *a, const mrn_frame *f, mrn_message *msg);
/* From sums to means. */
MRN_API void mrn_average_end(mrn_average *a);
MRN_API void mrn_average_destroy(mrn_average *a);
/* Middle of bin b along coordinate k. */
MRN_API double mrn_average_middle(const mrn_average *a, int64_t b, int k);
/* The names of the coordinates: "x", "r", "angle", "s", "depth". */
MRN_API const char *mrn_average_name(const mrn_average_def *def, int k);

#ifdef __cplusplus
}
#endif

#endif
