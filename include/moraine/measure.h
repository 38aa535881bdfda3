/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures of a state: packing, contact network, forces, stress, fabric, flow, mixing, profiles and
   coarse-grained fields.

   Conventions, the same everywhere:
   - `contacts` may be NULL: then the neighbour list of the state serves, with the forces of the
   last step. A frame of a trajectory has its own (mrn_frame.contacts).
   - A grain is a sphere, a disk, a polygon, a polyhedron or a whole cluster. Contacts of a cluster
     are those of its spheres; its volume is that of the sphere (disk) of its `radius`. Diameters of
     polygons and polyhedra are those of the disk or sphere of equal volume.
   - Tensors are symmetric, six numbers in the order MRN_XX … MRN_YZ. Stress is positive in
     compression; in 2D it is per metre of thickness, in Pa, like everything else.
   - Velocities in a straining cell are those on top of its affine motion. */
#ifndef MORAINE_MEASURE_H
#define MORAINE_MEASURE_H

#include "moraine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors ---- */

/* Mean of the diagonal: trace over the dimension. */
MRN_API double mrn_tensor_mean(const double t[6], int dimension);
/* How far from isotropic: in 3D sqrt(3/2 t':t'), t' the deviator (of a triaxial state: largest less
   smallest principal value); in 2D half the difference of the principal values. */
MRN_API double mrn_tensor_deviator(const double t[6], int dimension);
/* Principal values, largest first; in 2D out[2] = 0. */
MRN_API void mrn_tensor_principal(const double t[6], int dimension, double out[3]);

/* ---- the whole report ---- */

/* A bearing contact carries more than this part of the mean contact force. */
#define MRN_BEARING 1e-4

typedef struct mrn_report {
    double time;
    int dimension;
    bool has_contacts; /* false: everything that needs the contact network is NAN or 0 */

    struct {
        int64_t grains;      /* clusters count once                                               */
        int64_t free;        /* of them free to move                                              */
        int64_t clusters;    /* of them clusters                                                  */
        double mass, volume; /* of the grains, kg, m3                          */
        double diameter, smallest, largest; /* mean by number, and range, m                   */
        double solid_fraction, void_ratio;  /* of the bulk, see mrn_bulk                      */
        double height;                      /* m, highest point                               */
        double repose;                      /* degrees; NAN: no flank to be seen              */
        double strain[6];                   /* of the cell: ln(L/L0), and shear; 0 without one */
    } packing;

    struct {
        int64_t contacts, with_walls; /* all points where two grains with corners touch are one */
        int64_t points;               /* contact points                                        */
        double simple, twofold, threefold; /* of the contacts of grains with corners: share with
                                one, two, three and more points; NAN: none, or not known (smooth
                                engine)                                                        */
        double coordination; /* contacts per free grain                                        */
        double neighbours;   /* distinct neighbours per free grain (clusters touch repeatedly) */
        double mechanical;   /* Thornton: over the grains with two or more                     */
        int64_t rattlers;    /* free grains not in the backbone                                */
        int64_t divalent;    /* grains of the backbone with two contacts only                  */
        double backbone;     /* z*: bearing contacts per grain of the backbone                 */
        double backbone_without_divalent;
        double max_overlap; /* over the effective radius                                       */
    } network;

    struct {
        double mean_normal, mean_tangential, mean, largest; /* N                               */
        double second_moment; /* <f_n^2> / <f_n>^2                                             */
        double mobilised;     /* mean |T| / (mu N), contacts with friction and no cohesion     */
        double sliding;       /* share of them with |T| >= 0.999 mu N                          */
        int64_t frictional;   /* how many those are                                            */
        double strong;        /* share of contacts with f_n above its mean                     */
    } forces;

    struct {
        double volume; /* m3 over which it is averaged                                         */
        double contact[6], kinetic[6], total[6];
        double principal[3];
        double pressure, deviator, ratio;
    } stress;

    struct {
        double all[6], bearing[6], strong[6]; /* <n n> over contacts between grains            */
        double deviator, bearing_deviator, strong_deviator;
    } fabric;

    struct {
        double velocity[3]; /* mean by mass                                                    */
        double gradient[9]; /* dv_i/dx_j, row by row: cell, and fit along axes that end        */
        double rate;        /* shear rate sqrt(2 D':D'), 1/s                                   */
        double inertial_number;
        double temperature; /* <v'^2> / dimension, m2/s2                                       */
        double max_speed;
    } flow;

    mrn_energies energy;
    mrn_ledger ledger;
} mrn_report;

MRN_API mrn_status mrn_measure(const mrn_scene *scene, const mrn_state *s,
                               const mrn_contacts *contacts, mrn_report *out, mrn_message *msg);

/* ---- bulk ---- */

/* The part of the world in which solid fraction and stress are measured: the whole cell in periodic
   directions (infinite bounds here); from 10 % to 90 % of the height of the bed; the middle two
   thirds between the outermost grains elsewhere. */
typedef struct mrn_bulk {
    int dimension;
    double lo[3], hi[3];
    double volume;
} mrn_bulk;
MRN_API mrn_bulk mrn_measure_bulk(const mrn_scene *scene, const mrn_state *s);

/* ---- profile along an axis ---- */

typedef struct mrn_profile {
    int axis, n;
    double lo, hi, area; /* area: the cross-section, m2 (m in 2D) */
    double *solid_fraction;
    double *mass;        /* kg in the slab; grains cut by faces in parts  */
    double *velocity;    /* 3 each: mean of the parts, by volume; 0 in an empty slab */
    double *temperature; /* m2/s2, about that mean */
} mrn_profile;
/* n slabs of equal thickness between the ends of the grains (the whole cell when the axis is
   periodic). Volumes of spheres between planes are exact; grains with corners count as spheres of
   equal volume. `area` 0: the product of the cell's sizes
   in periodic directions and of the distances between outermost grains elsewhere. */
MRN_API mrn_status mrn_profile_make(const mrn_scene *scene, const mrn_state *s, int axis, int n,
                                    double area, mrn_profile *out, mrn_message *msg);
MRN_API void mrn_profile_destroy(mrn_profile *p);

/* ---- forces ---- */

/* Probability densities of f_n/<f_n> and f_t/<f_n>, contacts with f_n > 0. */
#define MRN_FORCE_BINS 60
typedef struct mrn_force_table {
    int64_t n;           /* contacts                                          */
    double mean, mean_t; /* N                                                 */
    double width;        /* of a bin, in units of <f_n>; the last takes the rest */
    double normal[MRN_FORCE_BINS], tangential[MRN_FORCE_BINS];
} mrn_force_table;
MRN_API mrn_status mrn_force_table_make(const mrn_scene *scene, const mrn_state *s,
                                        const mrn_contacts *contacts, mrn_force_table *out,
                                        mrn_message *msg);

/* ---- mixing ---- */

/* Two kinds of grains: groups a and b; or, with a = b, the smaller and the larger half of one group
   (by radius; a = -1: of all grains). Counted on a grid of cells with 20 grains of both kinds on
   average, in the cell or between the outermost grains. */
typedef struct mrn_mixing {
    double lacey; /* (S0^2 - S^2) / (S0^2 - Sr^2): 0 apart, 1 mixed at random (Lacey 1954)     */
    double intensity;  /* S^2 / S0^2: 1 apart (Danckwerts 1952)  */
    double separation; /* m: how much higher the centre of a is than that of b, against gravity */
    int64_t count[2];
} mrn_mixing;
MRN_API mrn_status mrn_mixing_of(const mrn_scene *scene, const mrn_state *s, int a, int b,
                                 mrn_mixing *out, mrn_message *msg);

/* ---- angle of repose ---- */

typedef struct mrn_repose {
    double angle;   /* degrees; NAN: no flank                                        */
    double apex[3]; /* of the fitted lines: above the axis                           */
    double height;  /* of the heap above its base, m                                 */
    int points;     /* of the profile that entered                                   */
    bool ridge;     /* distance counts along one axis (2D, or a heap like a roof)    */
} mrn_repose;
/* The free surface is the highest grain in each column of a grid as wide as the mean diameter; its
   height against the distance from the axis (or ridge) is the median over the columns of a ring.
   The angle is that of the median of all slopes between two rings (Theil-Sen) whose height lies
   between 20 % and 80 % of that of the heap. The axis goes through the centre of the upper fifth.
 */
MRN_API mrn_status mrn_repose_of(const mrn_scene *scene, const mrn_state *s, mrn_repose *out,
                                 mrn_message *msg);

/* Angle in degrees between the free surface of a bed and the plane across gravity, whichever way it
   falls; NAN: too few grains. The surface is that of mrn_repose_of; along each axis across gravity
   its slope is the median of all slopes between two places (Theil-Sen) in the middle two thirds,
   medians over the columns across the axis. Axes with fewer than 4 such places (a cell one grain
   deep) do not count. A heap falls to both sides: its slopes cancel. */
MRN_API mrn_status mrn_surface_angle(const mrn_scene *scene, const mrn_state *s, double *angle,
                                     mrn_message *msg);

/* Sizes of the deposit along x, y and z, m: between the outermost points of the largest set of free
   grains that hang together, neighbours being those less than a tenth of the mean diameter apart
   (of polytopes: their round hulls). Along a periodic axis it is as long as the cell at most. 0
   without grains, and along z in 2D. */
MRN_API mrn_status mrn_deposit_of(const mrn_scene *scene, const mrn_state *s, double size[3],
                                  mrn_message *msg);

/* ---- coarse-grained fields ---- */

/* Fields of continuum mechanics on a grid, smoothed with Lucy's function of range 2 `width`
   (Goldhirsch, Granular Matter 12, 239 (2010)): they obey the balance of mass and momentum exactly,
   whatever the width. Values belong to the centres of n[0] n[1] n[2] boxes, x fastest. */
typedef struct mrn_fields {
    int dimension;
    int n[3];
    double origin[3], spacing[3]; /* of the grid of boxes; in 2D one box of 1 m in z  */
    double width, time;
    bool has_contacts;
    double *density;        /* kg/m3                                                 */
    double *solid_fraction; /* 1                                                     */
    double *velocity;       /* m/s, 3: momentum over density                         */
    double *temperature;    /* m2/s2                                                 */
    double *contact_stress; /* Pa, 6                                                 */
    double *kinetic_stress; /* Pa, 6                                                 */
} mrn_fields;
/* Whether the grid of mrn_fields_compute would be one that memory holds; computes nothing. */
MRN_API mrn_status mrn_fields_check(const mrn_scene *scene, const mrn_state *s, double width,
                                    double spacing, mrn_message *msg);
/* width 0: the mean diameter; spacing 0: the width. The grid covers the periodic cell, and
   elsewhere all that the grains reach. */
MRN_API mrn_status mrn_fields_compute(const mrn_scene *scene, const mrn_state *s,
                                      const mrn_contacts *contacts, double width, double spacing,
                                      mrn_fields *out, mrn_message *msg);
MRN_API void mrn_fields_destroy(mrn_fields *f);
/* A VTK image (.vti), for ParaView (export/fields.c). Appears only when it is whole. */
MRN_API mrn_status mrn_fields_write(const char *path, const mrn_fields *f, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
