/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polyhedron: the grain with corners of a 3D scene. Its radius is that of the sphere of equal
   volume; its corners and its moments of inertia stand in its polytope (mrn_polytope). */
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    mrn_shape_sphere.measure(radius, volume, inertia_over_mass);
}

const mrn_shape_type mrn_shape_polyhedron = {
    .name = "polyhedron",
    .summary = "a grain with flat faces, edges and corners",
    .doc = "A rigid polyhedron, convex or of convex parts stuck together. Its size is given by "
           "`radius` or `diameter` of the sphere of equal volume: one quantity, or a size "
           "distribution. Its form, in any scale, is given in one of these ways:\n\n"
           "- `regular: cube`: tetrahedron, cube, octahedron, dodecahedron, icosahedron, "
           "truncated-octahedron, truncated-icosahedron, or prism-N with N sides, as high as a "
           "side is long.\n"
           "- `box: [2, 1, 1]`: a box of these proportions.\n"
           "- `points: [[0, 0, 0], [1, 0, 0], …]`: the convex hull of these points.\n"
           "- `file: stone.obj`: the convex hull of the points of an OBJ or STL file.\n"
           "- `parts: [{points: …}, {points: …}]`: several hulls that touch or overlap and move as "
           "one grain; what they share counts once.\n"
           "- `random: {elongation: 0.7, flatness: 0.8, angularity: 0.5, variants: 20}`: random "
           "convex grains with corners on an ellipsoid. With L >= I >= S the sides of the box "
           "along its principal axes of inertia, elongation is I / L and flatness S / I; `points` "
           "is the number of corners, or left out: 60 at angularity 0 down to 6 at angularity 1. "
           "The grains of the group are drawn from so many variants.\n"
           "- `crushed: {elongation: 0.7, flatness: 0.7, angularity: 0.5, variants: 20}`: stones "
           "as a crusher makes them, such as railway ballast: blocks cut by random planes, with "
           "about 24 faces at angularity 0 and 14 at angularity 1; elongation and flatness vary "
           "about the values given.\n\n"
           "Volume, centre of mass and moments of inertia are exact.",
    .grain = true,
    .kind = MRN_GRAIN_POLYTOPE,
    .in_3d = true,
    .measure = measure,
};
