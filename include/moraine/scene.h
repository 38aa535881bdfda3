/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene: all that does not change while a stage runs. Read from a file (io.h) or filled by a
   program. Plain data; freed by mrn_scene_destroy, which accepts a half-filled one. */
#ifndef MORAINE_SCENE_H
#define MORAINE_SCENE_H

#include "moraine/law.h"
#include "moraine/shape.h"

typedef struct mrn_material {
    char name[MRN_NAME];
    double density; /* of the grain, kg/m3 (2D: of a disk 1 m thick) */
    double young;   /* Pa */
    double poisson;
} mrn_material;

/* Law and parameters between two materials. */
typedef struct mrn_interaction {
    int a, b; /* materials; a <= b */
    const mrn_law_model *model;
    mrn_value value[MRN_PARAM_MAX]; /* in the order of mrn_law_model_params */
    mrn_prepared ready;             /* filled by mrn_scene_prepare */
} mrn_interaction;

typedef enum mrn_motion_kind {
    MRN_MOTION_NONE,
    MRN_MOTION_STEADY, /* velocity and spin, constant */
    MRN_MOTION_SHAKE,  /* x = amplitude sin(2 pi frequency t + phase), added to the steady part */
} mrn_motion_kind;

/* Imposed motion of a wall. */
typedef struct mrn_motion {
    mrn_motion_kind kind;
    mrn_vec3 velocity;       /* m/s                                   */
    mrn_vec3 spin;           /* rad/s, about `about`                  */
    mrn_vec3 about;          /* m, point of the spin axis (fixed)     */
    bool has_about;          /* else: about the wall's own centre     */
    mrn_vec3 amplitude;      /* m                                     */
    double frequency, phase; /* Hz, rad                               */
} mrn_motion;

typedef struct mrn_wall {
    char name[MRN_NAME]; /* given, or made: "plane-1"             */
    int shape;           /* index into shapes                     */
    int material;
    mrn_vec3 x; /* placement of its body at the start    */
    mrn_quat q;
    mrn_motion motion;
} mrn_wall;

typedef enum mrn_size_kind {
    MRN_SIZE_CONSTANT,
    MRN_SIZE_UNIFORM,   /* between lo and hi, by number          */
    MRN_SIZE_NORMAL,    /* mean, deviation; cut at [lo, hi]      */
    MRN_SIZE_LOGNORMAL, /* median, sigma of ln; cut at [lo, hi]  */
    MRN_SIZE_SIEVE,     /* percent passing by MASS at given sizes */
} mrn_size_kind;

/* A size distribution, stored as radii whatever the scene used. */
typedef struct mrn_size {
    mrn_size_kind kind;
    double mean;           /* CONSTANT: the radius; NORMAL: mean; LOGNORMAL: median */
    double deviation;      /* NORMAL: of the radius, m; LOGNORMAL: sigma of ln      */
    double lo, hi;         /* UNIFORM ends; cuts of NORMAL and LOGNORMAL            */
    int n;                 /* SIEVE: points                                         */
    double *sieve_radius;  /* ascending                                             */
    double *sieve_passing; /* 0…1 by mass, ascending, first 0, last 1               */
} mrn_size;

typedef enum mrn_place_kind {
    MRN_PLACE_FILL,    /* random, no overlaps, in a region     */
    MRN_PLACE_LATTICE, /* regular                              */
    MRN_PLACE_LIST,    /* explicit positions                   */
    MRN_PLACE_CSV,     /* x,y,z,radius[,vx,vy,vz] from a file  */
} mrn_place_kind;

typedef enum mrn_region_kind {
    MRN_REGION_BOX,
    MRN_REGION_CYLINDER,
    MRN_REGION_SPHERE
} mrn_region_kind;

/* Where to fill. The whole grain stays inside, except across periodic faces. */
typedef struct mrn_region {
    mrn_region_kind kind;
    mrn_vec3 lo, hi; /* BOX: corners. CYLINDER: ends of the axis. SPHERE: lo = centre */
    double radius;   /* CYLINDER, SPHERE (a disk region in 2D) */
} mrn_region;

typedef enum mrn_lattice_kind {
    MRN_LATTICE_CUBIC, /* square in 2D      */
    MRN_LATTICE_HEX,   /* triangular in 2D, hexagonal close packed in 3D */
    MRN_LATTICE_FCC,   /* 3D only           */
} mrn_lattice_kind;

/* One explicit grain, with its own velocity and spin (those of its group are not added). NAN in
   radius: drawn from the size distribution. */
typedef struct mrn_grain {
    mrn_vec3 x, v, w;
    double radius;
} mrn_grain;

/* An entry of `bodies:`, from which grains are made. */
typedef struct mrn_group {
    char name[MRN_NAME];
    int material;
    int shape; /* index into shapes: disk or sphere                       */
    mrn_size size;
    mrn_place_kind place;
    mrn_region region;     /* FILL and LATTICE */
    int64_t count;         /* FILL: this many (0: use solid_fraction); LATTICE: at most (0: all) */
    double solid_fraction; /* FILL: of the region                                     */
    mrn_lattice_kind lattice;
    double spacing;   /* LATTICE: distance of neighbours, m; 0: touching (largest diameter)  */
    int64_t n_grains; /* LIST, CSV */
    mrn_grain *grain;
    mrn_vec3 velocity, spin; /* of all but listed grains, at the start */
    double velocity_spread;  /* m/s, deviation of a random part per component           */
    bool fixed;              /* grains that do not move (a rough bottom)                */
} mrn_group;

/* Orthogonal periodic cell. */
typedef struct mrn_cell {
    bool periodic[3];
    double origin[3], size[3];
    double rate[3]; /* 1/s: dL/dt / L, positive = growing                      */
} mrn_cell;

/* `until:` of a stage: a probe and a comparison. Several: the stage ends when ALL hold. */
typedef struct mrn_condition {
    char probe[128]; /* any probe: "time-in-stage", "steps", "kinetic-energy-ratio",
                        "walls.floor.force.z", … */
    bool above;      /* ends when probe >= value, else when probe <= value */
    double value;
} mrn_condition;
#define MRN_CONDITION_MAX 8

typedef struct mrn_output {
    double every;            /* s of simulated time between trajectory frames; 0: none       */
    double probes_every;     /* s between rows of probes.csv; 0: as `every`                  */
    double checkpoint_every; /* s of simulated time; 0: only at the end (and on Ctrl-C)      */
    int n_probes;
    char (*probe)[128]; /* extra columns of probes.csv; owned                           */
    bool contacts;      /* trajectory holds the contact network too (force chains)      */
} mrn_output;

/* Changes a stage makes when it begins. They stay in force afterwards. */
typedef struct mrn_stage {
    char name[MRN_NAME];
    int n_until;
    mrn_condition until[MRN_CONDITION_MAX];
    double at_most; /* s of simulated time in the stage; INFINITY: no limit */
    bool has_gravity;
    mrn_vec3 gravity;
    bool has_cell_rate;
    double cell_rate[3];
    int n_interactions;
    mrn_interaction *interaction; /* replace those of the same materials; owned           */
    int n_motions;
    int *motion_wall;   /* wall index per motion; owned                         */
    mrn_motion *motion; /* owned                                                */
    int n_remove;
    int *remove_wall; /* walls taken away; owned                              */
    bool has_output;
    mrn_output output;
    double time_step;          /* 0: unchanged                                         */
    double time_step_fraction; /* 0: unchanged                                         */
} mrn_stage;

typedef struct mrn_scene {
    char *path;   /* file it came from, or NULL; owned                    */
    char *source; /* its text as read, after --set; owned; for repeating the run */
    char title[256];
    int dimension;         /* 2 or 3                                               */
    char method[MRN_NAME]; /* "smooth"                                             */
    uint64_t seed;
    mrn_vec3 gravity;
    mrn_cell cell;
    int n_materials, n_interactions, n_shapes, n_walls, n_groups, n_stages;
    mrn_material *material;
    mrn_interaction *interaction;
    mrn_shape *shape;
    mrn_wall *wall;
    mrn_group *group;
    mrn_stage *stage;
    mrn_output output;
    double time_step;          /* s; 0: computed                                       */
    double time_step_fraction; /* of 2 sqrt(m/k) of the stiffest contact when computed */
    int *pair_of; /* n_materials^2: interaction of two materials, -1 none; by prepare; owned */
    int history;  /* doubles of history per contact, all interactions; by prepare */
} mrn_scene;

/* A scene with every default set and nothing in it. */
MRN_API mrn_scene mrn_scene_default(void);
/* A stage that changes nothing and has no time limit. */
MRN_API mrn_stage mrn_stage_default(void);
MRN_API void mrn_scene_destroy(mrn_scene *s);
/* Checks what a reader cannot (a law between every two materials that may meet, cell large enough,
   …), mixes materials, prepares laws. Call after filling or changing a scene. */
MRN_API mrn_status mrn_scene_prepare(mrn_scene *s, mrn_message *msg);
/* Puts a stage's changes into the scene (its begin). The caller updates the state's walls (drive/).
 */
MRN_API mrn_status mrn_scene_enter_stage(mrn_scene *s, int stage, mrn_message *msg);
MRN_API int mrn_scene_find_material(const mrn_scene *s, const char *name); /* -1: none */
MRN_API int mrn_scene_find_wall(const mrn_scene *s, const char *name);
MRN_API int mrn_scene_find_group(const mrn_scene *s, const char *name);
/* Deep copy, for a stage-local scene or a program. */
MRN_API void mrn_output_release(mrn_output *o);
MRN_API mrn_status mrn_output_copy(const mrn_output *from, mrn_output *to);

#endif
