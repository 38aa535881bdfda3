/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shapes share: reading values with a place in the message, frames from directions, the
   plain search through few features, and triangles to draw. */
#ifndef MRN_GEOM_GEOM_H
#define MRN_GEOM_GEOM_H

#include "geom/closest.h"
#include "moraine/shape.h"

#define MRN_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* the descriptors, one per file */
#define MRN_SHAPE(symbol) extern const mrn_shape_type symbol;
#include "geom/shapes.def"

/* ---- values ---- */

/* MRN_ERR_INPUT with the place of a value; returns it even when msg is NULL. */
mrn_status mrn_fail_value(mrn_message *msg, const mrn_value *v, const char *fmt, ...)
    MRN_PRINTF(3, 4);
/* A point: finite; in 2D its z is set to 0. */
mrn_status mrn_read_point(const mrn_value *v, const char *name, int dimension, mrn_vec3 *out,
                          mrn_message *msg);
/* A direction of any length but zero; *out has length one and lies in the plane in 2D. */
mrn_status mrn_read_direction(const mrn_value *v, const char *name, int dimension, mrn_vec3 *out,
                              mrn_message *msg);
/* A length above zero (or zero too when `zero_ok`). */
mrn_status mrn_read_length(const mrn_value *v, const char *name, bool zero_ok, double *out,
                           mrn_message *msg);

/* ---- frames ---- */

/* The rotation that takes the local x and z axes to the unit vectors ex and ez (at right angles).
 */
mrn_quat mrn_quat_from_axes(mrn_vec3 ex, mrn_vec3 ez);
/* A unit vector at right angles to ez: the world's x axis projected, its y axis where ez is along
 * x. */
mrn_vec3 mrn_across(mrn_vec3 ez);

/* Placement of a body whose local z axis runs between two points, its origin halfway. */
mrn_status mrn_read_axis(const mrn_value *from, const mrn_value *to, mrn_vec3 *x, mrn_quat *q,
                         double *half_length, mrn_message *msg);

/* ---- closest points ---- */

/* Features 0 … n-1 with closest distance <= reach, for shapes that have only a few. */
int mrn_features_scan(const mrn_shape *s, int n, mrn_vec3 c, double reach, int32_t *out, int max);
/* ---- triangles to draw ---- */

#define MRN_SEGMENTS 64 /* of a circle */

/* Room for so many points and triangles; the counts are set to 0 and grow with the calls below. */
mrn_status mrn_triangles_begin(mrn_triangles *t, int points, int triangles);
void mrn_triangles_quad(mrn_triangles *t, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c, mrn_vec3 d);
/* The surface swept by a line of n points (rho, z) turning about the z axis; rho 0 gives one point,
 * not a ring. */
mrn_status mrn_triangles_revolve(mrn_triangles *t, const double (*profile)[2], int n);

#endif
