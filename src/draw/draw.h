/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the renderer share: the camera, colours, walls in the world, bins of things in
   tiles. One picture flows view -> paint -> walls -> solid (3D) or flat (2D) -> overlay -> bytes.
 */
#ifndef MRN_DRAW_DRAW_H
#define MRN_DRAW_DRAW_H

#include "base/base.h"
#include "moraine/draw.h"

typedef struct _cairo cairo_t; /* cairo.h has the same lines */
typedef struct _cairo_surface cairo_surface_t;

/* ---- colours (palette.c) ---- */

typedef struct mrn_rgb {
    float r, g, b; /* 0…1; linear light in shading, sRGB in palettes and text: said where it matters
                    */
} mrn_rgb;

typedef struct mrn_palette {
    const char *name;
    int n;
    const uint32_t *stop; /* 0xRRGGBB, equally spaced, sRGB */
} mrn_palette;
int mrn_palette_names(const char *const **names);
const mrn_palette *mrn_palette_find(const char *name);      /* NULL: none */
mrn_rgb mrn_palette_colour(const mrn_palette *p, double t); /* sRGB; t is clamped to 0…1 */
mrn_rgb mrn_palette_class(int k);                           /* sRGB, distinct colours, repeating */
mrn_rgb mrn_rgb_linear(mrn_rgb srgb);
/* `shift`, -0.5…0.5, is added before rounding: a place for dither. */
uint8_t mrn_srgb_byte(float linear, float shift);
static inline mrn_rgb mrn_rgb_mix(mrn_rgb a, mrn_rgb b, float t)
{
    return (mrn_rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}
static inline mrn_rgb mrn_rgb_scale(float s, mrn_rgb a)
{
    return (mrn_rgb){s * a.r, s * a.g, s * a.b};
}
static inline mrn_rgb mrn_rgb_add(mrn_rgb a, mrn_rgb b)
{
    return (mrn_rgb){a.r + b.r, a.g + b.g, a.b + b.b};
}

/* The fixed colours of a theme, sRGB. */
typedef struct mrn_theme {
    mrn_rgb background, text, faint, wall, edge, cell, plain;
} mrn_theme;
mrn_theme mrn_theme_of(const mrn_look *look);

/* ---- what colours a grain (field.c) ---- */

typedef struct mrn_field_source {
    const mrn_header *header;
    const mrn_frame *frame, *reference;
    const int32_t *reference_of; /* per body: its place in the reference, -1 none; NULL: no
                                    reference */
    const double *load;          /* per body: sum of normal forces; NULL unless asked for */
    const int32_t *degree;       /* per body: number of contacts; NULL unless asked for   */
} mrn_field_source;

typedef enum mrn_field_kind { MRN_PAINT_NUMBER, MRN_PAINT_CLASS, MRN_PAINT_PLAIN } mrn_field_kind;
typedef struct mrn_paint_field {
    const char *name, *title, *unit;
    mrn_field_kind kind;
    bool from_zero; /* a magnitude: the automatic range may start at 0 */
    double (*value)(const mrn_field_source *s, int32_t i);
} mrn_paint_field;
int mrn_paint_field_names(const char *const **names);
const mrn_paint_field *mrn_paint_field_find(const char *name);
/* That of a look; mrn_look_check refuses names that are not known, here they are the first one's.
 */
const mrn_paint_field *mrn_paint_field_of(const mrn_look *look);

typedef struct mrn_paint {
    const mrn_paint_field *field;
    const mrn_palette *palette;
    double *value; /* per body of the frame; NAN where there is none */
    double lo, hi;
    int n_classes;
    mrn_rgb plain;
} mrn_paint;
mrn_status mrn_paint_make(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                          mrn_paint *out, mrn_message *msg);
void mrn_paint_release(mrn_paint *p);
mrn_rgb mrn_paint_colour(const mrn_paint *p, int32_t body); /* sRGB */
/* Sorts `a` and returns its p-quantile (0…1), interpolated; NAN when n is 0. */
double mrn_quantile(double *a, int64_t n, double p);
/* Automatic range of values (sorted in place by the call): see mrn_look.robust. */
void mrn_paint_range(const mrn_look *look, const mrn_paint_field *field, double *value, int64_t n,
                     double *lo, double *hi);
/* True when body i can be drawn as a grain: finite place, positive finite radius. */
bool mrn_grain_visible(const mrn_frame *f, int32_t i);

/* ---- the camera (view.c) ---- */

typedef struct mrn_view {
    int dimension, width, height;
    double left, top, plot_width, plot_height; /* the part of the picture kept for the scene, pixels
                                                */
    mrn_vec3 target, right, up, toward; /* unit vectors of the picture in the world            */
    double extent;                      /* half height of the plot area at the target, m       */
    double distance;                    /* camera to target, m (3D)                            */
    double text;                        /* size of the text, pixels                            */
    double bar;                         /* width kept for the legend, pixels; 0: no legend     */
} mrn_view;
mrn_status mrn_look_check(const mrn_look *look, mrn_message *msg);
/* Layout and directions; target and extent are still to be set. */
mrn_view mrn_view_layout(const mrn_look *look, const mrn_header *header);
mrn_status mrn_view_make(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                         mrn_view *out, mrn_message *msg);
/* Sets target and extent of `view` from frames (those given in look stay). */
mrn_status mrn_view_fit(const mrn_look *look, const mrn_header *header,
                        const mrn_frame *const *frames, int n, mrn_view *view, mrn_message *msg);
/* A point of the world in camera space: x right, y up, z depth from the camera (3D) or from the
   target (2D); unit of length: view->extent. */
mrn_vec3 mrn_view_camera(const mrn_view *v, mrn_vec3 p);
/* Pixels per unit of (x/z, y/z) in 3D, of (x, y) in 2D. */
double mrn_view_focal(const mrn_view *v);
/* From camera space to pixels, top left corner of the picture = (0, 0). */
void mrn_view_pixel(const mrn_view *v, mrn_vec3 camera, double *px, double *py);

/* ---- walls (walls.c) ---- */

typedef struct mrn_face {
    mrn_vec3 p[3], n[3]; /* world; normals smooth across edges that are not features */
    float near;          /* 0: behind the grains; 1: between camera and grains       */
    bool endless;        /* part of a wall far larger than the view: fades out       */
} mrn_face;
typedef struct mrn_edge {
    mrn_vec3 a, b;
    float near;
    bool endless;
} mrn_edge;
typedef struct mrn_wall_set {
    int64_t n_faces, faces_capacity, n_edges, edges_capacity;
    mrn_face *face;
    mrn_edge *edge;
} mrn_wall_set;
mrn_status mrn_walls_make(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                          const mrn_frame *frame, mrn_wall_set *out, mrn_message *msg);
void mrn_walls_release(mrn_wall_set *w);

/* ---- force chains (chains.c) ---- */

typedef struct mrn_link {
    mrn_vec3 a, b;   /* ends, world          */
    double strength; /* normal force / scale, 0…1 */
} mrn_link;
typedef struct mrn_link_set {
    int64_t n, capacity;
    mrn_link *link; /* weakest first        */
    double scale;   /* N of strength 1      */
    double width;   /* m, of the thickest   */
} mrn_link_set;
mrn_status mrn_links_make(const mrn_look *look, const mrn_frame *frame, mrn_link_set *out,
                          mrn_message *msg);
void mrn_links_release(mrn_link_set *l);
/* The force drawn thickest when a frame is on its own: 98th percentile of normal forces; 0: none.
 */
mrn_status mrn_links_scale(const mrn_frame *frame, double *scale, mrn_message *msg);
mrn_rgb mrn_link_colour(double strength, bool dark); /* sRGB */

/* ---- bins: which things may show in a tile (bins.c) ---- */

typedef struct mrn_tile_box {
    int32_t x0, y0, x1, y1; /* tiles, inclusive; x1 < x0: nowhere */
} mrn_tile_box;
typedef struct mrn_bins {
    int32_t nx, ny;
    int64_t *start; /* nx ny + 1 */
    int32_t *item;  /* in each tile in the order of the items given */
} mrn_bins;
mrn_status mrn_bins_make(int32_t nx, int32_t ny, const mrn_tile_box *box, int64_t n, mrn_bins *out,
                         mrn_message *msg);
void mrn_bins_release(mrn_bins *b);

/* ---- polygons as paths (flat_polytope.c) ---- */

/* Where a polytope stands in the picture: centre in pixels, pixels per unit of the polytope, its
 * turn. */
typedef struct mrn_flat_place {
    double x, y, scale, cos, sin;
} mrn_flat_place;
/* All parts as closed paths, `inset` pixels within their sides. */
void mrn_flat_area(cairo_t *cr, const mrn_polytope *f, const mrn_flat_place *p, double inset);
/* The sides that are not covered by other parts. */
void mrn_flat_outline(cairo_t *cr, const mrn_polytope *f, const mrn_flat_place *p);

/* ---- the two renderers and the writing on top ---- */

mrn_status mrn_draw_solid(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                          const mrn_frame *frame, const mrn_paint *paint, const mrn_wall_set *walls,
                          const mrn_link_set *links, mrn_picture *out, mrn_message *msg);
mrn_status mrn_draw_flat(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                         const mrn_frame *frame, const mrn_paint *paint, const mrn_wall_set *walls,
                         const mrn_link_set *links, mrn_picture *out, mrn_message *msg);
mrn_status mrn_draw_overlay(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                            const mrn_frame *frame, const mrn_paint *paint,
                            const mrn_link_set *links, mrn_picture *out, mrn_message *msg);

/* A cairo surface over a picture: pixels are copied in, drawn on, copied back. */
typedef struct mrn_canvas {
    cairo_surface_t *surface;
    cairo_t *cr;
    uint8_t *pixels; /* cairo's 32-bit words */
    int stride;
} mrn_canvas;
mrn_status mrn_canvas_open(const mrn_picture *p, mrn_canvas *c, mrn_message *msg);
/* Copies back and closes; cairo's own failures are reported here. */
mrn_status mrn_canvas_close(mrn_canvas *c, mrn_picture *p, mrn_message *msg);
void mrn_canvas_colour(mrn_canvas *c, mrn_rgb srgb, double alpha);

/* A picture as PNG to a stream. */
mrn_status mrn_png_put(FILE *f, const mrn_picture *p, mrn_message *msg);

/* Largest of 1, 2, 5 times a power of ten that is <= x (x > 0). */
double mrn_nice_below(double x);
double mrn_nice_above(double x); /* the smallest that is >= x */

#endif
