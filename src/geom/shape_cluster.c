/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cluster: a rigid grain of overlapping spheres (disks in 2D). Its radius is that of the sphere
   (disk) of equal volume, so that sizes mean the same for all grains; its own moments of inertia
   stand in its template (mrn_cluster). */
#include "geom/geom.h"

static void measure(double radius, double *volume, double *inertia_over_mass)
{
    mrn_shape_sphere.measure(radius, volume, inertia_over_mass);
}

static void measure_2d(double radius, double *volume, double *inertia_over_mass)
{
    mrn_shape_disk.measure(radius, volume, inertia_over_mass);
}

const mrn_shape_type mrn_shape_cluster = {
    .name = "cluster",
    .summary = "a rigid grain of overlapping spheres (disks in 2D)",
    .doc = "Spheres (disks in 2D) that overlap or touch and move as one rigid grain. Material that "
           "several of them share counts once. Its size is given by `radius` or `diameter` of the "
           "sphere (disk) of equal volume: one quantity, or a size distribution; its form by the "
           "spheres, in any scale. Volume, centre of mass and principal moments of inertia are "
           "exact when no three spheres share a point, else they are measured with some million "
           "points; the error is stated.",
    .grain = true,
    .kind = MRN_GRAIN_CLUSTER,
    .in_2d = true,
    .in_3d = true,
    .measure = measure,
    .measure_2d = measure_2d,
};
