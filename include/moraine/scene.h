/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene: all that does not change while a stage runs. Read from a file (io.h) or filled by a
   program. Plain data; freed by mrn_scene_destroy, which accepts a half-filled one. */
#ifndef MORAINE_SCENE_H
#define MORAINE_SCENE_H

#include "moraine/law.h"
#include "moraine/polytope.h"
#include "moraine/shape.h"
#include "moraine/signal.h"
#include "moraine/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrn_method mrn_method; /* method.h */

typedef struct mrn_material {
    char name[MRN_NAME];
    double density; /* of the grain, kg/m3 (2D: of a disk 1 m thick) */
    double young;   /* Pa */
    double poisson;
} mrn_material;

/* Law and parameters between two materials. */
typedef struct mrn_interaction {
    int a, b; /* materials; a <= b */
    mrn_law_model model;
    mrn_value value[MRN_PARAM_MAX]; /* in the order of mrn_law_model_params */
    mrn_prepared ready;             /* filled by mrn_scene_prepare */
    mrn_rigid rigid;                /* likewise, for the non-smooth engine */
} mrn_interaction;

typedef enum mrn_motion_kind {
    MRN_MOTION_NONE,
    MRN_MOTION_STEADY, /* velocity and spin, constant */
    MRN_MOTION_SHAKE,  /* x = amplitude sin(2 pi frequency t + phase), added to the steady part */
    MRN_MOTION_PATH,   /* displacement and angle given by signals, added to the steady part     */
    MRN_MOTION_SERVO,  /* moved along `servo_direction` until the grains bear the force asked for */
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
    /* PATH: the wall moves by the difference of these between two instants. Owned by the scene. */
    mrn_signal path[3]; /* m                                                                   */
    mrn_signal angle;   /* rad, about `axis` through `about` (or the wall's own centre)        */
    mrn_vec3 axis;      /* unit vector; z in 2D                                                */
    /* SERVO. The speed is target error over the measured stiffness of the wall's contacts. */
    mrn_vec3 servo_direction; /* unit vector along which the wall pushes the grains              */
    bool servo_pressure;      /* target is a pressure (Pa) on servo_area, else a force (N)       */
    mrn_signal servo_target;
    double servo_area;      /* m2 (2D: m x 1 m); 0: the cross-section of the periodic cell       */
    double servo_max_speed; /* m/s; 0: chosen from grain size and stiffness                      */
} mrn_motion;
/* Gravity of its three signals at an instant. */
static inline mrn_vec3 mrn_gravity_at(const mrn_signal g[3], mrn_instant at)
{
    return mrn_v3(mrn_signal_value(&g[0], at, NULL), mrn_signal_value(&g[1], at, NULL),
                  mrn_signal_value(&g[2], at, NULL));
}
MRN_API void mrn_motion_release(mrn_motion *m);
MRN_API mrn_status mrn_motion_copy(const mrn_motion *from, mrn_motion *to, mrn_message *msg);

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
    MRN_PLACE_INLET,   /* nothing at the start; grains enter in `region` while running */
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
    mrn_quat q;   /* orientation; {0,0,0,0}: drawn at random for clusters, none for spheres */
    int polytope; /* of a group with several: 1 + which of them; 0: drawn at random */
} mrn_grain;

/* A rigid cluster of overlapping spheres (disks in 2D), at unit size: the sphere (disk) of equal
   volume has radius 1. Axes are the principal axes of inertia, the origin is the centre of mass. */
typedef struct mrn_cluster {
    char name[MRN_NAME];
    int n;             /* spheres                                                              */
    double *centre;    /* 3 per sphere; owned                                                  */
    double *radius;    /* owned                                                                */
    double inertia[3]; /* principal moments over mass, for unit size (2D: only [2] counts)     */
    double bound;      /* radius of the smallest sphere about the origin that holds all        */
    bool exact;        /* volume and inertia in closed form, else by Monte Carlo               */
    double error;      /* relative standard error of the volume (Monte Carlo)                  */
} mrn_cluster;
/* Fills `out` from n spheres given in any frame and scale (3 coordinates and a radius each): moves
   to the centre of mass, turns to principal axes, scales to unit size. Exact when no three spheres
   (disks) share a point; else Monte Carlo (deterministic, at least `samples` points; 0: 4e6).
   `turn` (may be NULL) gets the rotation from the given frame to the body's. */
MRN_API mrn_status mrn_cluster_make(const char *name, int dimension, int n, const double *centre,
                                    const double *radius, int64_t samples, mrn_cluster *out,
                                    mrn_quat *turn, mrn_message *msg);
MRN_API void mrn_cluster_release(mrn_cluster *c);
MRN_API mrn_status mrn_cluster_copy(const mrn_cluster *from, mrn_cluster *to, mrn_message *msg);

/* How grains enter: MRN_PLACE_INLET. */
typedef struct mrn_inlet {
    mrn_signal rate; /* grains per second, or kg/s                                           */
    bool by_mass;
    double begin, end; /* s, of the run; end may be INFINITY                                   */
    int64_t limit;     /* grains in all; 0: no limit                                           */
} mrn_inlet;

/* An entry of `bodies:`, from which grains are made. */
typedef struct mrn_group {
    char name[MRN_NAME];
    int material;
    int shape;                 /* index into shapes: disk, sphere, cluster, polygon or polyhedron */
    int cluster;               /* index into clusters when the shape is one               */
    int polytope, n_polytopes; /* polygon, polyhedron: its grains draw from these polytopes of the
                                  scene */
    mrn_size size; /* of all but spheres and disks: of the sphere (disk) of equal volume */
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
    mrn_inlet inlet;         /* INLET */
    /* Degrees of freedom that are imposed instead of free, MRN_DOF_* bits; non-smooth engine only.
       drive[k] is the velocity (m/s, rad/s) along degree k, world axes: x, y, z, then spins. */
    unsigned held;
    mrn_signal drive[6]; /* owned */
} mrn_group;
enum {
    MRN_DOF_X = 1,
    MRN_DOF_Y = 2,
    MRN_DOF_Z = 4,
    MRN_DOF_RX = 8,
    MRN_DOF_RY = 16,
    MRN_DOF_RZ = 32
};

/* ---- joints (non-smooth engine) ---- */

typedef enum mrn_joint_kind {
    MRN_JOINT_FIXED,  /* no relative motion                                               */
    MRN_JOINT_HINGE,  /* turning about `axis` through `point` (2D: about z)               */
    MRN_JOINT_BALL,   /* turning about `point` (3D; in 2D a hinge)                        */
    MRN_JOINT_SLIDER, /* sliding along `axis`                                             */
    MRN_JOINT_SPRING, /* spring and dashpot between two points, implicit                  */
    MRN_JOINT_KINDS
} mrn_joint_kind;

/* One end of a joint: a grain of a group, a wall, or the ground. */
typedef struct mrn_joint_end {
    int group; /* -1: not a grain                                                          */
    int grain; /* its number in the group, from 0                                          */
    int wall;  /* -1: not a wall; both -1: the ground                                      */
} mrn_joint_end;

typedef struct mrn_joint {
    char name[MRN_NAME];
    mrn_joint_kind kind;
    mrn_joint_end end[2]; /* the second moves relative to the first                        */
    mrn_vec3 point, axis; /* world frame at the start (unit vector)                        */
    /* A motor on a hinge (rad/s, N m) or slider (m/s, N): the speed it keeps while the moment or
       force it needs is below `limit` (INFINITY: whatever it takes). */
    bool motor;
    mrn_signal speed; /* owned */
    double limit;
    /* SPRING: from `point` on end[0] to `point2` on end[1] */
    mrn_vec3 point2;
    double stiffness, damping; /* N/m, N s/m                                               */
    double rest;               /* m; NAN: the distance at the start                        */
} mrn_joint;

/* ---- the non-smooth engine's choices (scene key `nonsmooth:`) ---- */

typedef enum mrn_gap_rule {
    MRN_GAP_MIXED,    /* contacts that will rebound (approach faster than the threshold, restitution
                         above 0) do so in the step in which they close, all others close without
                         overlap                                                             */
    MRN_GAP_VELOCITY, /* contacts take part when gap <= 0: restitution on velocities          */
    MRN_GAP_CLOSING,  /* contacts within the alert distance: 0 <= U_N + max(0, gap)/h; no rebound
                         of contacts that close within a step (inelastic quasi-shock)        */
} mrn_gap_rule;

typedef enum mrn_unsolved {
    MRN_UNSOLVED_GO_ON,  /* with the best impulses found; counted and reported                    */
    MRN_UNSOLVED_HALVE,  /* the step is taken back and made in two halves (up to 1/16)        */
    MRN_UNSOLVED_SWITCH, /* the fallback solver tries                                         */
    MRN_UNSOLVED_STOP,   /* the run stops: MRN_NOT_CONVERGED                                  */
} mrn_unsolved;

typedef struct mrn_nonsmooth_options {
    double theta; /* 1/2 … 1                                                               */
    mrn_gap_rule gap_rule;
    char solver[MRN_NAME];           /* "nlgs"                                           */
    mrn_value option[MRN_PARAM_MAX]; /* of the solver, in its order                      */
    char fallback[MRN_NAME];         /* solver for MRN_UNSOLVED_SWITCH: "hybrid"         */
    double tolerance;
    mrn_criterion criterion;
    int64_t max_iterations; /* per step; 0: the solver's own                               */
    int check_every;        /* sweeps; 0: the solver decides                               */
    mrn_unsolved unsolved;
    double alert;     /* m; 0: 0.05 of the mean radius                                     */
    double threshold; /* m/s, approach below which nothing rebounds; NAN: 2 |g| h          */
    bool project;     /* overlaps beyond `slop` are taken out by moving bodies, not by velocities */
    double slop;      /* m; 0: 0.001 of the mean radius                                    */
    bool sleep;       /* groups of grains at rest are left out until something disturbs them */
    double sleep_speed; /* m/s (for spins: over the radius); 0: |g| h / 10 */
    bool stored;        /* blocks of W in memory (faster); else body velocities are exchanged */
    double cycle;       /* s, after which the load comes back; 0: nothing is kept of a cycle */
} mrn_nonsmooth_options;
MRN_API mrn_nonsmooth_options mrn_nonsmooth_default(void);

/* ---- the quasi-static method's choices (scene key `quasistatic:`) ---- */

typedef enum mrn_unstable {
    MRN_UNSTABLE_STOP,   /* the run ends where no equilibrium is near: MRN_NOT_CONVERGED          */
    MRN_UNSTABLE_SMOOTH, /* the smooth engine moves the grains, under the load reached, until they
                            are in equilibrium again; then increments go on                       */
} mrn_unstable;

typedef struct mrn_quasistatic_options {
    int64_t increments;     /* of a stage whose duration is known and whose step is not given  */
    double tolerance;       /* of forces, over the mean contact force                          */
    int64_t max_iterations; /* of an increment; 0: chosen                                      */
    bool new_contacts;      /* grains that come to touch are contacts from then on             */
    mrn_unstable unstable;
    double balanced; /* unbalanced force over the mean contact force at which the smooth engine has
                        found an equilibrium                                                   */
    int64_t max_steps; /* of the smooth engine for one of them                                 */
} mrn_quasistatic_options;
MRN_API mrn_quasistatic_options mrn_quasistatic_default(void);

/* ---- the event-driven method's choices (scene key `event:`) ---- */

typedef struct mrn_event_options {
    double collapse_time; /* s: a collision sooner than this after the last one of a partner is
                             elastic; NAN: chosen                                              */
} mrn_event_options;
MRN_API mrn_event_options mrn_event_default(void);

/* Components of the cell's velocity gradient and of its stress, in this order. Off the diagonal,
   xy is d(v_x)/dy: the cell shears like a pack of cards, with its faces across x staying put. */
enum { MRN_XX, MRN_YY, MRN_ZZ, MRN_XY, MRN_XZ, MRN_YZ, MRN_STRAINS };
typedef enum mrn_control_kind {
    MRN_CONTROL_RATE,   /* target: rate of strain, 1/s, positive = growing                 */
    MRN_CONTROL_STRESS, /* target: stress, Pa, compression positive                        */
} mrn_control_kind;
/* How the periodic cell is driven, component by component: mixed stress and strain control. */
typedef struct mrn_cell_control {
    mrn_control_kind kind[MRN_STRAINS];
    mrn_signal target[MRN_STRAINS]; /* owned */
    double max_rate;                /* 1/s, bound of a servo; 0: chosen                    */
    double response;                /* s in which a servo takes out an error; 0: chosen    */
} mrn_cell_control;
MRN_API void mrn_cell_control_release(mrn_cell_control *c);
MRN_API mrn_status mrn_cell_control_copy(const mrn_cell_control *from, mrn_cell_control *to,
                                         mrn_message *msg);

/* Periodic cell: a box, sheared when driven so. */
typedef struct mrn_cell {
    bool periodic[3];
    double origin[3], size[3];
    mrn_cell_control control;
} mrn_cell;

/* Damping that is not physics, for preparing a state; booked apart in the ledger. */
typedef struct mrn_damping {
    double global; /* 1/s: force -global m v (and -global I w)             */
    double local;  /* Cundall: each component of the force less local times itself when it drives */
} mrn_damping;

/* Where steps of method smooth are made. */
typedef enum mrn_device {
    MRN_DEVICE_CPU,
    MRN_DEVICE_CUDA,
    MRN_DEVICE_EMULATED /* the work of a GPU done by the processor: to test it */
} mrn_device;

/* Numbers that a device keeps. */
typedef enum mrn_precision {
    MRN_PRECISION_DOUBLE,
    MRN_PRECISION_MIXED /* places in double; velocities, forces, orientations and what contacts
                           remember in single precision; computed is in double */
} mrn_precision;

typedef enum mrn_integrator {
    MRN_VERLET, /* velocity Verlet with predicted velocities, second order             */
    MRN_EULER,  /* explicit Euler, first order: to repeat published runs made with it  */
    MRN_GEAR,   /* Gear's predictor-corrector with four derivatives, for studies       */
} mrn_integrator;

/* How finely method smooth resolves impacts where no time step is given: a part of 2 sqrt(m/k) of
   the stiffest single contact. What each costs and gives was measured on impacts of two spheres and
   on a bed that settles (docs/performance.md). */
typedef enum mrn_accuracy { MRN_QUICK, MRN_NORMAL, MRN_FINE, MRN_ACCURACIES } mrn_accuracy;

typedef struct mrn_accuracy_level {
    const char *name;
    double fraction;    /* of 2 sqrt(m/k)                                                  */
    double restitution; /* error of e_n, and of e_t, of an impact, root mean square        */
    double unexplained; /* of the energy dissipated, what the ledger of a settling bed lacks */
} mrn_accuracy_level;

MRN_API const mrn_accuracy_level *mrn_accuracy_of(mrn_accuracy a);

/* A force on every body of a group. */
typedef struct mrn_body_force {
    char name[MRN_NAME];
    int group;                      /* -1: all                                               */
    bool per_mass;                  /* force is an acceleration                              */
    mrn_signal force[3], torque[3]; /* N (m/s2), N m; owned                    */
} mrn_body_force;

/* A region in which grains vanish. */
typedef struct mrn_outlet {
    char name[MRN_NAME];
    int group; /* -1: all                                                      */
    mrn_region region;
    bool outside; /* grains vanish when their centre is OUTSIDE the region     */
} mrn_outlet;
#define MRN_OUTLET_MAX 16
#define MRN_INLET_MAX  16

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
    /* coarse-grained fields on a grid, one VTK file per frame in OUT/fields/ */
    bool fields;
    double fields_width;   /* m, of the smoothing function; 0: the mean diameter           */
    double fields_spacing; /* m, of the grid; 0: the width                                 */
    double fields_every;   /* s; 0: as `every`                                             */
} mrn_output;

/* Degrees of freedom that are imposed from a stage on: `held` and `drive` of a group. */
typedef struct mrn_imposed {
    unsigned held;       /* MRN_DOF_* bits; 0: all are free */
    mrn_signal drive[6]; /* owned */
} mrn_imposed;
MRN_API void mrn_imposed_release(mrn_imposed *x);
MRN_API mrn_status mrn_imposed_copy(const mrn_imposed *from, mrn_imposed *to, mrn_message *msg);

/* Changes a stage makes when it begins. They stay in force afterwards. */
typedef struct mrn_stage {
    char name[MRN_NAME];
    int n_until;
    mrn_condition until[MRN_CONDITION_MAX];
    double at_most; /* s of simulated time in the stage; INFINITY: no limit */
    bool has_gravity;
    mrn_signal gravity[3]; /* owned */
    bool has_control;
    mrn_cell_control control; /* owned */
    bool has_damping;
    mrn_damping damping;
    bool has_nonsmooth;
    mrn_nonsmooth_options nonsmooth;
    bool has_quasistatic;
    mrn_quasistatic_options quasistatic;
    bool has_event;
    mrn_event_options event;
    bool has_fixed_contacts, fixed_contacts;
    bool has_accuracy;
    mrn_accuracy accuracy;    /* from here on, in place of a step given before   */
    const mrn_method *method; /* from here on; NULL: unchanged                   */
    bool has_forces;          /* all body forces of the scene are replaced by these */
    int n_forces;
    mrn_body_force *force; /* owned */
    int n_inlets;          /* inlets that are opened or closed             */
    int *inlet_group;      /* group index per change; owned                */
    bool *inlet_open;      /* owned                                        */
    int n_interactions;
    mrn_interaction *interaction; /* replace those of the same materials; owned           */
    int n_motions;
    int *motion_wall;   /* wall index per motion; owned                         */
    mrn_motion *motion; /* owned                                                */
    int n_imposed;
    int *imposed_group;   /* group index per change; owned                        */
    mrn_imposed *imposed; /* in place of all that was imposed on it before; owned */
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
    char *inputs; /* files it names: as written and where it was found, a line each; owned, or NULL
                   */
    char title[256];
    int dimension;            /* 2 or 3                                               */
    const mrn_method *method; /* of moraine/method.h; NULL: the default, by prepare   */
    mrn_nonsmooth_options nonsmooth;
    mrn_quasistatic_options quasistatic;
    mrn_event_options event;
    bool fixed_contacts; /* no contact but those that were there when the stage began: state.began
                          */
    uint64_t seed;
    /* A program may set `gravity` alone: mrn_scene_prepare makes signals of it when these are 0. It
       is gravity at the start of the run or stage; what acts now is state.gravity. */
    mrn_vec3 gravity;
    mrn_signal gravity_of[3]; /* owned */
    mrn_integrator integrator;
    mrn_accuracy accuracy; /* unless time_step or time_step_fraction say otherwise */
    mrn_device device;
    mrn_precision precision;
    mrn_damping damping;
    mrn_cell cell;
    int n_materials, n_interactions, n_shapes, n_walls, n_groups, n_stages;
    mrn_material *material;
    mrn_interaction *interaction;
    mrn_shape *shape;
    mrn_wall *wall;
    mrn_group *group;
    mrn_stage *stage;
    int n_clusters, n_forces, n_outlets;
    mrn_cluster *cluster;
    mrn_body_force *force;
    mrn_outlet *outlet;
    int n_polytopes, n_joints;
    mrn_polytope *polytope;
    mrn_joint *joint;
    mrn_output output;
    double time_step;          /* s; 0: computed                                       */
    double time_step_fraction; /* of 2 sqrt(m/k) of the stiffest contact; 0: by accuracy */
    int *pair_of; /* n_materials^2: interaction of two materials, -1 none; by prepare; owned */
    uint64_t *group_mark; /* NULL, or by number of stages entered: what checkpoints know of groups
                             whose lists of grains have been given back; owned */
    int history;          /* doubles of history per contact, all interactions; by prepare */
    bool moments;         /* some interaction has a rolling or twisting law; by prepare   */
    bool range;           /* some interaction acts at a distance; by prepare              */
    bool polytopes;       /* some grains are polygons or polyhedra; by prepare            */
    mrn_contact_kind contact_kind; /* numbers per contact of the non-smooth engine: with rolling
                                      or pivoting where some interaction has it; by prepare */
} mrn_scene;

/* A scene with every default set and nothing in it. */
MRN_API mrn_scene mrn_scene_default(void);
/* A stage that changes nothing and has no time limit. */
MRN_API mrn_stage mrn_stage_default(void);
MRN_API void mrn_scene_destroy(mrn_scene *s);
/* An independent copy of everything, prepared if the scene was: either may be changed or destroyed
   without the other. `to` need not be initialised; on MRN_ERR_MEMORY it is empty. */
MRN_API mrn_status mrn_scene_copy(const mrn_scene *from, mrn_scene *to, mrn_message *msg);
/* The same of parts of a scene. */
MRN_API void mrn_group_release(mrn_group *g);
MRN_API mrn_status mrn_group_copy(const mrn_group *from, mrn_group *to, mrn_message *msg);
MRN_API void mrn_stage_release(mrn_stage *g);
MRN_API mrn_status mrn_stage_copy(const mrn_stage *from, mrn_stage *to, mrn_message *msg);
/* Checks what a reader cannot (a law between every two materials that may meet, cell large enough,
   …), mixes materials, prepares laws. Call after filling or changing a scene. */
MRN_API mrn_status mrn_scene_prepare(mrn_scene *s, mrn_message *msg);
/* Puts a stage's changes into the scene (its begin). The caller updates the state's walls (drive/).
 */
MRN_API mrn_status mrn_scene_enter_stage(mrn_scene *s, int stage, mrn_message *msg);
MRN_API int mrn_scene_find_material(const mrn_scene *s, const char *name); /* -1: none */
MRN_API int mrn_scene_find_wall(const mrn_scene *s, const char *name);
MRN_API int mrn_scene_find_group(const mrn_scene *s, const char *name);
/* What a scene says in single values, defaults included: one call for each, with its path as
   `--set` has it ("nonsmooth.theta") and the value as a file would have it, in SI. `usual`: it is
   the default, in words where it has no value of its own ("0.05 of the mean radius"). Choices of
   methods that do not run are left out. */
typedef void mrn_scene_tell(void *context, const char *path, const char *value, bool usual);
MRN_API void mrn_scene_values(const mrn_scene *s, mrn_scene_tell *tell, void *context);
MRN_API void mrn_output_release(mrn_output *o);
MRN_API mrn_status mrn_output_copy(const mrn_output *from, mrn_output *to);

#ifdef __cplusplus
}
#endif

#endif
