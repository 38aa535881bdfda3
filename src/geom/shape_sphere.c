/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sphere: the grain of a 3D scene. */
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    *volume = 4.0 / 3.0 * MRN_PI * radius * radius * radius;
    *inertia_over_mass = 0.4 * radius * radius;
}

const mrn_shape_type mrn_shape_sphere = {
    .name = "sphere",
    .summary = "a ball, the grain of a 3D scene",
    .doc =
        "A homogeneous ball. Its size is given by `radius` or `diameter`: one quantity, or a size "
        "distribution. Volume 4/3 pi r^3, moment of inertia 2/5 m r^2.",
    .grain = true,
    .in_3d = true,
    .measure = measure,
};
