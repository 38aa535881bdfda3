/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the generators share: size distributions, regions, the search grid, the gap to walls, and
   the list of grains made so far. */
#ifndef MRN_GENERATE_GENERATE_H
#define MRN_GENERATE_GENERATE_H

#include "moraine/engine.h"

/* Two grains do not overlap when distance^2 >= (r + r')^2 (1 + this): enough above 1 that no other
   way of computing the gap (other image, other order) finds a negative one. */
#define MRN_CLEAR 1e-12

/* All grains made so far; those of group k are first[k] … first[k + 1] - 1. */
typedef struct mrn_crop {
    int64_t n, capacity;
    mrn_grain *grain;
    int64_t *first;
    int64_t bound_capacity, polytope_capacity;
    double *bound;     /* radius of the ball that holds the grain: its own of spheres and disks */
    int32_t *polytope; /* of a polygon or polyhedron: which polytope of the scene; else -1        */
} mrn_crop;

/* What one group needs to become grains. */
typedef struct mrn_maker {
    const mrn_scene *scene;
    const mrn_group *group;
    int index;      /* of the group */
    mrn_crop *crop; /* earlier groups are in it; new grains go to its end */
    double reach;   /* bounding radius of a grain over its radius, at most */
} mrn_maker;

/* Random numbers for one purpose of one group: more draws for one leave the others as they were. */
typedef enum mrn_purpose {
    MRN_FOR_SIZES,
    MRN_FOR_PLACES,
    MRN_FOR_VELOCITIES,
    MRN_FOR_TURNS
} mrn_purpose;
static inline mrn_rng mrn_maker_rng(const mrn_maker *m, mrn_purpose purpose)
{
    return mrn_rng_seed(m->scene->seed, 4 * (uint64_t)m->index + purpose + 1);
}

/* Forms have their own, far from those of all groups: a group that draws them leaves the others as
   they were. */
static inline mrn_rng mrn_maker_polytope_rng(const mrn_maker *m)
{
    return mrn_rng_seed(m->scene->seed, ((uint64_t)1 << 40) + (uint64_t)m->index);
}

/* Volume of a grain of the group: of a disk 1 m thick in 2D. */
double mrn_maker_volume(const mrn_maker *m, double radius);
/* `polytope` as mrn_generate_polytope gave it. */
mrn_status mrn_maker_add(mrn_maker *m, mrn_grain g, int polytope, mrn_message *msg);
/* Room for as many more. */
mrn_status mrn_maker_reserve(mrn_maker *m, int64_t more, mrn_message *msg);
/* One function per place kind: adds the grains of the group (position and radius) to the crop. */
mrn_status mrn_make_fill(mrn_maker *m, mrn_message *msg);
mrn_status mrn_make_lattice(mrn_maker *m, mrn_message *msg);
mrn_status mrn_make_list(mrn_maker *m, mrn_message *msg);

/* Puts x into the periodic cell, faces lo <= x < hi. */
mrn_vec3 mrn_cell_wrap(const mrn_cell *cell, mrn_vec3 x);
/* The shortest of d and its periodic copies; d between two points of the cell. */
static inline double mrn_shortest(double d, bool periodic, double size)
{
    if (periodic)
        d += d > 0.5 * size ? -size : d < -0.5 * size ? size : 0;
    return d;
}

/* ---- single grains ---- */

/* Grains of the group are polygons or polyhedra. */
static inline bool mrn_group_has_polytopes(const mrn_group *g)
{
    return g->n_polytopes > 0;
}
/* Grains of the group have an orientation that counts. */
bool mrn_group_is_turned(const mrn_scene *scene, const mrn_group *g);
/* Adds one grain of a group to the state: a sphere or disk, a polygon or polyhedron, or a cluster
   with its members. Listed velocity and spin are taken as they are. A grain with corners or a
   cluster whose q is {0,0,0,0} is turned at random, and one of several polytopes is chosen: by the
   seed and the number of bodies there are. */
mrn_status mrn_generate_add_grain(const mrn_scene *scene, int group, const mrn_grain *g,
                                  mrn_state *s, mrn_message *msg);
/* The same with the polytope chosen (index into the scene's; -1 where the group has none). */
mrn_status mrn_generate_add_polytope(const mrn_scene *scene, int group, int polytope,
                                     const mrn_grain *g, mrn_state *s, mrn_message *msg);
/* One of the polytopes of the group, all equally likely; -1 where it has none. Groups with one
   polytope draw no number. */
int mrn_generate_polytope(const mrn_group *g, mrn_rng *rng);
/* Radius of the ball (disk) that holds a grain of the group, over its radius: 1 for spheres and
   disks, of several polytopes the largest. */
double mrn_generate_reach(const mrn_scene *scene, int group);
/* The same of one grain, with its polytope. */
double mrn_generate_reach_of(const mrn_scene *scene, int group, int polytope);
/* An orientation, all equally likely; about z in 2D. */
mrn_quat mrn_generate_turn(int dimension, mrn_rng *rng);

/* ---- sizes ---- */

/* A size distribution ready to draw from. */
typedef struct mrn_sizer {
    const mrn_size *size;
    int power;     /* volume goes with radius^power: the dimension             */
    double lo, hi; /* cuts in force                                            */
    double *share; /* sieve: share BY NUMBER of grains below each sieve; owned */
    int dimension; /* of the scene                                             */
    double mean;   /* sieve: mean of radius^dimension by number                */
} mrn_sizer;
mrn_status mrn_sizer_create(const mrn_maker *m, mrn_sizer *out, mrn_message *msg);
void mrn_sizer_destroy(mrn_sizer *s);
/* One radius; NAN when the cuts leave practically nothing of the distribution. */
double mrn_sizer_draw(const mrn_sizer *s, mrn_rng *rng);
/* Sieve only: the radius below which the share u of the grains lies, by number. */
double mrn_sizer_quantile(const mrn_sizer *s, double u);
/* Radii of a fill: the count asked for, or as many as come nearest to the solid fraction. */
mrn_status mrn_sizer_fill(const mrn_maker *m, const mrn_sizer *s, double region_volume,
                          double **radius, int64_t *n, mrn_message *msg);

/* ---- regions ---- */

/* The point lies in the region, its border included. */
bool mrn_region_holds(const mrn_region *r, int dimension, mrn_vec3 x);

typedef struct mrn_space {
    const mrn_scene *scene;
    mrn_region_kind kind;
    int dimension;
    mrn_vec3 centre, axis; /* axis: of a cylinder                                      */
    double half[3];        /* box: half widths; cylinder: half length in [0]           */
    bool open[3];          /* box: spans the periodic cell, so that nothing ends there */
    bool open_axis;        /* cylinder likewise                                        */
    double radius, volume;
    double lo[3], hi[3]; /* bounds                                                   */
} mrn_space;
mrn_status mrn_space_create(const mrn_maker *m, mrn_space *out, mrn_message *msg);
/* Largest radius that fits at all. */
double mrn_space_largest(const mrn_space *p);
/* A random place for the centre of a grain, wrapped into the cell. */
mrn_vec3 mrn_space_draw(const mrn_space *p, double r, mrn_rng *rng);
/* The nearest place to x (wrapped) where a grain of radius r is wholly inside. */
mrn_vec3 mrn_space_clamp(const mrn_space *p, mrn_vec3 x, double r);
/* How far the grain's surface is from leaving; negative: sticks out. */
double mrn_space_margin(const mrn_space *p, mrn_vec3 x, double r);

/* ---- walls ---- */

/* A face of a wall near a grain. */
typedef struct mrn_wall_face {
    int32_t wall, feature;
} mrn_wall_face;
typedef struct mrn_wall_faces {
    int64_t n, capacity;
    mrn_wall_face *face;
    int64_t buffer_capacity;
    int32_t *buffer;
} mrn_wall_faces;
void mrn_wall_faces_destroy(mrn_wall_faces *f);
/* Adds all faces within `reach` of x. */
mrn_status mrn_wall_faces_near(const mrn_scene *scene, mrn_vec3 x, double reach, mrn_wall_faces *f,
                               mrn_message *msg);
/* Distance of x from a face and the direction away from it. */
double mrn_wall_face_distance(const mrn_scene *scene, const mrn_wall_face *f, mrn_vec3 x,
                              mrn_vec3 *normal);
/* *clear: a grain at x touches no wall. `f` is scratch. */
mrn_status mrn_walls_clear(const mrn_scene *scene, mrn_vec3 x, double r, mrn_wall_faces *f,
                           bool *clear, mrn_message *msg);

/* ---- grid ---- */

/* Search grid of several levels: a grain lies in the level whose cells are one to two of its
   diameters wide, so that a size ratio of 1:20 or 1:1000 costs no more than 1:1. Bounded in
   directions that are not periodic; what lies outside is kept in the outermost cells, which stays
   correct. */
#define MRN_LEVELS_MAX 24
typedef struct mrn_level_cells {
    int32_t n[3];
    double per_metre[3]; /* cells per metre                     */
    double largest;      /* radius of the largest grain in it   */
    int64_t first;       /* its first cell in `head`            */
    int64_t used;        /* grains in it now                    */
} mrn_level_cells;
typedef struct mrn_levels {
    int dimension;
    bool periodic[3];
    double lo[3], size[3];
    double top; /* radius of the coarsest level */
    int levels;
    mrn_level_cells level[MRN_LEVELS_MAX];
    int64_t cells;
    int32_t *head, *next;
    const double *x, *radius; /* of the grains, 3 and 1 each; not owned */
} mrn_levels;
/* A grid for the n grains of `radius`, all of which may be put in later. Positions x may still
   change, but not of a grain that is in. */
mrn_status mrn_levels_create(const mrn_scene *scene, const double lo[3], const double hi[3],
                             int64_t n, const double *x, const double *radius, mrn_levels *out,
                             mrn_message *msg);
void mrn_levels_destroy(mrn_levels *g);
void mrn_levels_clear(mrn_levels *g);
void mrn_levels_put(mrn_levels *g, int32_t i);
/* Does a grain (x, r) overlap one in the grid? */
bool mrn_levels_clash(const mrn_levels *g, const double *x, double r);
/* Smallest gap to a grain in the grid, over the sum of the radii; INFINITY when none is near. */
double mrn_levels_gap(const mrn_levels *g, const double *x, double r);
/* Lists the grains with gap < reach to grain i (itself left out): writes at most `max`, returns how
 * many there are. */
int64_t mrn_levels_near(const mrn_levels *g, int32_t i, double reach, int32_t *out, int64_t max);

/* ---- relaxation ---- */

/* Grains of a fill with those that were there before. The first n_still do not move. */
typedef struct mrn_pack {
    const mrn_scene *scene;
    const mrn_space *space;
    int32_t n, n_still;
    double *x, *radius;
    mrn_levels grid;
    mrn_wall_faces scratch;
    int64_t work; /* grains times sweeps of relaxations so far */
    bool walled;  /* no place tried was clear of walls         */
} mrn_pack;
/* Pushes overlapping grains apart until none overlaps. *done: it worked. */
mrn_status mrn_pack_relax(mrn_pack *p, bool *done, mrn_message *msg);

#endif
