/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sphere: the grain of a 3D scene, or of a plane in which its centre stays. */
#include "geom/ball_measure.h"
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    *volume = mrn_ball_volume(radius);
    *inertia_over_mass = mrn_ball_inertia(radius);
}

const mrn_shape_type mrn_shape_sphere = {
    .name = "sphere",
    .summary = "a ball, the grain of a 3D scene; in 2D its centre stays in the plane",
    .doc =
        "A homogeneous ball. Its size is given by `radius` or `diameter`: one quantity, or a size "
        "distribution. Volume 4/3 pi r^3, moment of inertia 2/5 m r^2. In 2D the centre stays in "
        "the x-y plane and the ball turns about z: forces are those of single balls, as contact "
        "laws of spheres (Hertz, Mindlin, JKR, ...) need it; stresses are forces per metre of the "
        "plane, and solid fractions those of the areas pi r^2.",
    .grain = true,
    .in_2d = true,
    .in_3d = true,
    .power = 3,
    .measure = measure,
};
