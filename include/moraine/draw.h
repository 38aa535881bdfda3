/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a frame without any other program: spheres, disks, polygons, polyhedra, walls, force
   chains, colour by a field with a legend; PNG and animated PNG. */
#ifndef MORAINE_DRAW_H
#define MORAINE_DRAW_H

#include "moraine/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrn_picture {
    int width, height;
    uint8_t *rgb; /* 3 bytes per pixel, top row first; mrn_free */
} mrn_picture;

typedef struct mrn_look {
    int width, height;     /* pixels */
    const char *colour_by; /* "speed", "radius", "force", "spin", "height", "group", "material",
                              "id", "coordination", "displacement", "x", "y", "z", … see
                              mrn_look_fields */
    const char *palette;   /* "viridis", "magma", "batlow-like"…: see mrn_look_palettes */
    double lo, hi;         /* colour range; NAN: from the frame (for a sequence: from all frames) */
    double azimuth, elevation; /* degrees, where the camera stands (3D, z up); 0, 0: looks along +y,
                                  azimuth counter-clockwise seen from above */
    double zoom;               /* 1: everything fits                                 */
    bool has_target;
    mrn_vec3 target; /* centre of view; else centre of the bodies          */
    double extent;   /* half height of view, m; 0: from bodies             */
    bool walls, legend, axes, force_chains, cell, caption;
    double wall_opacity;        /* 0…1                                                */
    bool slice;                 /* cut away what is in front of the target plane      */
    bool dark;                  /* dark background                                    */
    int supersample;            /* 1…4 per direction                                  */
    bool robust;                /* automatic range: 2nd to 98th percentile, not the extremes */
    int stripes;                /* 3D: two-tone spheres show rolling; -1: up to 5000 grains  */
    double force_scale;         /* N, the force drawn thickest; 0: from the frame            */
    const mrn_frame *reference; /* where "displacement" counts from (by id); NULL: no displacement
                                 */
} mrn_look;
MRN_API mrn_look mrn_look_default(int dimension);
MRN_API int mrn_look_fields(const char *const **names); /* what colour_by accepts   */
MRN_API int mrn_look_palettes(const char *const **names);

/* Sets target and extent so that all given frames fit and nothing jumps between them; colour range
   and force scale too where they are automatic. At most 60 frames are looked at; in frames of 200
   grains or more the half percent that flies farthest is let go. */
MRN_API mrn_status mrn_look_fit(mrn_look *look, const mrn_header *header, mrn_trajectory *t,
                                mrn_message *msg);
MRN_API mrn_status mrn_draw(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                            mrn_picture *out, mrn_message *msg);
MRN_API void mrn_picture_destroy(mrn_picture *p);
MRN_API mrn_status mrn_png_write(const char *path, const mrn_picture *p, mrn_message *msg);

typedef struct mrn_apng mrn_apng; /* animated PNG: plays in every browser */
MRN_API mrn_status mrn_apng_create(const char *path, int width, int height, int frames,
                                   double seconds_per_frame, mrn_apng **out, mrn_message *msg);
MRN_API mrn_status mrn_apng_add(mrn_apng *a, const mrn_picture *p, mrn_message *msg);
MRN_API mrn_status mrn_apng_close(mrn_apng **a, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
