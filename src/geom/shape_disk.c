/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disk: the grain of a 2D scene, one metre thick. */
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    *volume = MRN_PI * radius * radius; /* times 1 m */
    *inertia_over_mass = 0.5 * radius * radius;
}

const mrn_shape_type mrn_shape_disk = {
    .name = "disk",
    .summary = "a disk of 1 m thickness, the grain of a 2D scene",
    .doc =
        "A homogeneous disk in the x-y plane that turns about z. Its size is given by `radius` or "
        "`diameter`: one quantity, or a size distribution. Masses and forces are per metre of "
        "thickness: volume pi r^2 x 1 m, moment of inertia 1/2 m r^2. Contact laws of spheres "
        "would press a slice 1 m thick with the stiffness of a ball and are refused: take shape "
        "sphere for balls in a plane.",
    .grain = true,
    .in_2d = true,
    .measure = measure,
};
