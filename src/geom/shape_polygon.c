/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygon: the grain with corners of a 2D scene. Its radius is that of the disk of equal area; its
   corners and its moment of inertia stand in its polytope (mrn_polytope). */
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    mrn_shape_disk.measure(radius, volume, inertia_over_mass);
}

const mrn_shape_type mrn_shape_polygon = {
    .name = "polygon",
    .summary = "a grain with corners of a 2D scene, 1 m thick",
    .doc =
        "A rigid polygon in the x-y plane, convex or of convex parts stuck together. Its size is "
        "given by `radius` or `diameter` of the disk of equal area: one quantity, or a size "
        "distribution. Its form, in any scale, is given in one of these ways:\n\n"
        "- `sides: 5`: a regular polygon, standing on a side.\n"
        "- `box: [2, 1]`: a rectangle of these proportions.\n"
        "- `points: [[0, 0], [2, 0], [1, 1]]`: the convex hull of these points.\n"
        "- `parts: [{points: …}, {points: …}]`: several hulls that touch or overlap and move as "
        "one grain; what they share counts once.\n"
        "- `random: {points: 8, elongation: 0.7, angularity: 0.5, variants: 20}`: random convex "
        "polygons. `elongation` is breadth over length; `points` is the number of corners, or "
        "left out: 24 at angularity 0 down to 4 at angularity 1. The grains of the group are "
        "drawn from so many variants.\n\n"
        "Area, centre of mass and moment of inertia are exact.",
    .grain = true,
    .kind = MRN_GRAIN_POLYTOPE,
    .in_2d = true,
    .measure = measure,
};
