/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device holds of a world, and what it can be asked: data and a table of functions that the
   host's code (C) and the device's (kernels.h, compiled by its own compiler or, emulated, by the
   host's) share.

   Bodies on the device are grains alone, numbered from 0; walls are poses, given anew for each
   step. Rows, sums and keys are those of the host's list: of two grains the one with the lower
   persistent number owns the pair, rows are sorted by the partner's number, and a grain sums walls
   first, then pairs in which it is the other, then its own row. */
#ifndef MRN_CUDA_GPU_H
#define MRN_CUDA_GPU_H

#include <math.h>

#include "base/bits.h"
#include "detect/detect.h"
#include "drive/drive.h"
#include "geom/mesh_rules.h"
#include "moraine/law.h"
#include "smooth/motion.h"

enum {
    MRN_GPU_SLOTS = 64,     /* steps that are sent off together                             */
    MRN_GPU_LEVELS = 50,    /* levels of sums without an order (base/sum.h)                  */
    MRN_GPU_MATERIALS = 12, /* materials at most                                             */
    MRN_GPU_LAWS = 32,      /* interactions at most                                          */
    MRN_GPU_FEATURES = 8,   /* features of one wall that a grain is near to, at most         */
    MRN_GPU_FORCE = 6,      /* numbers of a contact: force and lever                         */
    MRN_GPU_AHEAD = 4,      /* grains that a search asks for at once                         */
    MRN_GPU_FEW = 24,       /* partners of a grain that are searched for but once            */
};

/* A sum without an order, as counts of units of all levels, each in two halves that cannot
   overflow; only integers are added, in any order. */
typedef struct mrn_gpu_sum {
    int32_t top, lost;
    int64_t low[MRN_GPU_LEVELS], high[MRN_GPU_LEVELS];
} mrn_gpu_sum;

/* Powers of what acts on bodies besides contacts and gravity. */
enum { MRN_GPU_DAMPING, MRN_GPU_DRIVE, MRN_GPU_POWERS };

enum { MRN_GPU_ENERGY_N, MRN_GPU_ENERGY_T, MRN_GPU_LOSS_N, MRN_GPU_POWER_T, MRN_GPU_TERMS };
/* Levels of these sums (base/sum.h) in mixed precision: terms have 24 bits there, and two levels
   hold 44 bits below the largest of them at least. */
enum { MRN_GPU_MIXED_FOLDS = 2 };

/* What contacts of MRN_GPU_KEPT add besides: work of springs that are kept at the step, energy lost
   at once. */
enum { MRN_GPU_WORK_T, MRN_GPU_JUMP, MRN_GPU_MORE };

/* Steps in which haste is counted. */
#define MRN_GPU_HASTE 0.125

/* First moments of mass: at the end of a step, and as the next one begins. */
enum { MRN_GPU_MOMENTS = 6 };

/* What is found when a list is made: least and most places as ordered bits, whether one is not
   finite, the square of the largest velocity as bits; pairs of grains, as owners and as others,
   with walls, and grains that have such; and for each wall the farthest point of a grain from its
   centre.
 */
enum {
    MRN_GPU_LEAST,
    MRN_GPU_MOST = 3,
    MRN_GPU_NOWHERE = 6,
    MRN_GPU_FASTEST,
    MRN_GPU_FOUND_OWN,
    MRN_GPU_FOUND_BACK,
    MRN_GPU_FOUND_WALLS,
    MRN_GPU_FOUND_WALL_GRAINS,
    MRN_GPU_BOUNDS
};

/* What a step tells. */
typedef struct mrn_gpu_record {
    double way;       /* sum of the longest ways of the steps since the list was made …   */
    uint64_t far;     /* … and the square of that of the step last begun, as bits         */
    uint64_t overlap; /* bits of the largest overlap over the effective radius            */
    int64_t contacts, sliding;
    mrn_gpu_sum sum[MRN_GPU_TERMS];
    mrn_gpu_sum power[MRN_GPU_POWERS];
} mrn_gpu_record;

/* A straining cell through one step: before it, turned back by whole edges where bodies are put
   back into the cell, and at its end; the flow that carries bodies on their way, and that at the
   end. */
typedef struct mrn_gpu_cell {
    mrn_images from, images;
    mrn_leaning turning;
    mrn_cell_flow carry, flow;
    double size[3], tilt[3]; /* at the end */
} mrn_gpu_cell;

/* What its step tells beside the record: sums over contacts and bodies (smooth/smooth.h), and the
   ends of the grains as ordered bits, those of the lower ends inverted: largest numbers both. */
enum { MRN_GPU_LIFT, MRN_GPU_KINETIC, MRN_GPU_CARRIED = MRN_GPU_KINETIC + MRN_STRAINS };
typedef struct mrn_gpu_strain {
    mrn_gpu_sum virial[MRN_STRAINS], body[MRN_GPU_CARRIED];
    uint64_t least[3], most[3];
} mrn_gpu_strain;

/* How far a body may have gone since the list was made, at most; a little more than rounding. */
MRN_INLINE double mrn_gpu_way(const mrn_gpu_record *r)
{
    return r->way + (1 + 1e-9) * sqrt(mrn_of_bits(r->far));
}

/* What one contact adds to that. */
typedef struct mrn_gpu_terms {
    double term[MRN_GPU_TERMS], overlap;
    int touch, slip;
} mrn_gpu_terms;

/* A law of each kind by its number in parts.def; -1: none. */
#define MRN_PART(id) MRN_GPU_##id,
enum {
#include "laws/parts.def"
    MRN_GPU_PARTS
};
#undef MRN_PART

typedef struct mrn_gpu_law {
    int32_t part[MRN_LAW_KINDS], offset[MRN_LAW_KINDS];
    int32_t moments;
    int32_t whole; /* bits by kind: springs that are kept at the step, see mrn_prepared */
    int32_t range; /* contacts live on at a distance                                    */
    double coef[MRN_LAW_KINDS][MRN_COEF_MAX];
} mrn_gpu_law;

/* The commonest models, compiled for themselves. */
typedef enum mrn_gpu_model {
    MRN_GPU_ANY,
    MRN_GPU_TSUJI_MINDLIN,
    MRN_GPU_VISCOELASTIC_MINDLIN,
    MRN_GPU_LINEAR,
    MRN_GPU_KEPT /* any law, and all that kept.h is for */
} mrn_gpu_model;

typedef enum mrn_gpu_shape {
    MRN_GPU_PLANE,
    MRN_GPU_BOX,
    MRN_GPU_CYLINDER,
    MRN_GPU_CONE,
    MRN_GPU_BALL,
    MRN_GPU_MESH
} mrn_gpu_shape;

typedef struct mrn_gpu_wall {
    int32_t shape, inside, material, met, met_by_fixed, features, open;
    int32_t servo; /* it bears a load along `direction` */
    double p[8], middle[3], direction[3];
    mrn_mesh_view mesh; /* arrays on the device */
} mrn_gpu_wall;

typedef struct mrn_gpu_pose {
    double x[3], q[4], v[3], w[3];
} mrn_gpu_pose;

/* The list of pairs of grains and what contacts remember: one in use, one that is being made. */
typedef struct mrn_gpu_list {
    int64_t n;      /* pairs of grains */
    int32_t *row;   /* n_bodies + 1    */
    int32_t *other; /* per pair: A     */
    uint8_t *alive; /* per pair        */
    double *kept;   /* history, columns of `room` */
    int64_t room;
    /* pairs with features of walls */
    int64_t n_wall;
    int32_t *wall_row, *wall, *feature;
    uint8_t *wall_alive;
    double *wall_kept, *point;
    int64_t wall_room;
} mrn_gpu_list;

/* A rigid cluster: a body that touches nothing itself. */
typedef struct mrn_gpu_cluster {
    int32_t at;    /* where it stands among the bodies               */
    int32_t first; /* of its spheres, in the order of its template … */
    int32_t form;  /* … which is this                                */
} mrn_gpu_cluster;

typedef struct mrn_gpu_form {
    double inertia[3];
    int64_t n, first; /* spheres, and the first of their centres */
} mrn_gpu_form;

/* The grid of a build. */
typedef struct mrn_gpu_grid {
    double low[3], inv[3]; /* of cells; along a period fractions of the cell are counted */
    int32_t n[3];
    /* cells are numbered brick by brick, what is near in space being near in memory: bits of a
       brick's width, what one brick more counts, and where a place within it stands in the number
     */
    int32_t bits[3], brick[3], shift[3], inner; /* the axis that counts first */
    int32_t unique;     /* a grain meets no other twice: three cells at least along each period */
    double skin, range; /* the list reaches so far; contacts live on up to this gap */
} mrn_gpu_grid;

/* One step, or the pass that begins a batch of them. */
typedef struct mrn_gpu_step {
    int32_t at;          /* in the batch                  */
    int32_t slot, posed; /* record and poses of this step */
    double allowance;    /* beyond this way the list is old: nothing is done */
    double way;          /* the first pass of a batch: gone since the list was made */
    int32_t kick, drift, wrap;
} mrn_gpu_step;

typedef struct mrn_gpu {
    int32_t n, n_walls;
    /* of the scene */
    double h;
    mrn_vec3 gravity, origin;
    mrn_images images;
    int32_t periodic, flat, fixed; /* fixed: there are grains that do not move */
    int32_t mixed; /* precision: motion, pull, q, force and kept are rows of float */
    int32_t extra, damped, n_groups; /* more than contacts and gravity acts; damping; of loads */
    double damp_global, damp_local;
    int32_t n_materials, width, moments;
    int32_t one_material, grain_law; /* of all grains, where `material` is NULL; of their pairs */
    float single[MRN_LAW_KINDS][MRN_COEF_MAX]; /* coefficients of grain_law */
    int32_t pair_of[MRN_GPU_MATERIALS * MRN_GPU_MATERIALS];
    mrn_gpu_law grains;     /* of pairs of grains, where they have but one */
    const mrn_gpu_law *law; /* of all interactions                          */
    /* bodies; what is of float in mixed precision is read and written by mrn_gpu_numbers … */
    double *place;  /* 4: x, radius                  */
    double *motion; /* 6: v, w; mixed 8: v, mass, w, inertia */
    double *heft;   /* 2: mass, inertia; NULL: mixed, or balls of one density */
    double density;
    double *pull;   /* 6: f, t                       */
    double *q;      /* 4                             */
    int32_t *image; /* 3; NULL without periods       */
    int32_t *id;
    uint8_t *material, *still; /* NULL where there is but one, where none is fixed */
    uint16_t *group;           /* NULL without loads            */
    /* rigid clusters; NULL without */
    int32_t n_clusters;
    int32_t *carried; /* per body: of a cluster's sphere its place in `sphere`; -1: it stands for
                         itself; of cluster c: -2 - c */
    int32_t *sphere;  /* where spheres of clusters stand, cluster by cluster … */
    int32_t *carrier; /* … and of which cluster each is                        */
    mrn_gpu_cluster *cluster;
    mrn_gpu_form *form;
    double *centre; /* of the spheres of templates, 3 each                                    */
    double *turned; /* quaternions: how clusters turned in this step; NULL: nobody asks       */
    /* pairs */
    mrn_gpu_list list, old;   /* what `old` has lies in the room of forces, but for walls   */
    int64_t pair_room;        /* pairs of grains that there is room for                     */
    int32_t *owner;           /* per pair: C                                             */
    int32_t *back_row, *back; /* per body: pairs in which it is A                        */
    double *force;            /* per pair 6: force, lever                                */
    double *moment;           /* per pair 3; NULL where no law has one                   */
    int32_t *wall_grain;      /* grains with pairs at walls                              */
    int64_t n_wall_grains;
    double *wall_force, *wall_moment; /* per wall pair 6, 3                              */
    double *wall_term;                /* per wall pair 6: terms, overlap, 1 + slip or 0  */
    mrn_gpu_wall *walls;
    mrn_gpu_pose *pose; /* slots of n_walls */
    /* sums */
    mrn_load *load;     /* slots of n_groups */
    mrn_gpu_step *step; /* of the batch, MRN_GPU_SLOTS + 1: the last is the pass that begins it */
    mrn_gpu_record *record;
    mrn_gpu_sum *wall_sum; /* slots of n_walls of 6 */
    /* making a list */
    mrn_gpu_grid grid;
    int32_t *cell, *rank, *cell_row; /* cell of each body, place in it; first of each cell */
    int32_t *from;  /* bodies in the order of their cells …                                */
    int32_t *order; /* … where they do not stand in it; else NULL …                        */
    int32_t *stood; /* … and where the body that is now here stood before; NULL: here      */
    float *sieve;   /* 4 per body, by cells: where it stands, rounded, and how far it reaches */
    uint8_t *haste; /* per body, MRN_GPU_HASTE each; NULL: the list reaches as far for all */
    double hurry;   /* haste for a velocity of 1 m/s                                       */
    int32_t most_haste;
    uint64_t *bounds; /* MRN_GPU_BOUNDS and a reach per wall */
    uint64_t *parts;  /* sums over parts of the bodies, on their way        */
    void *spare;      /* room for the widest array of bodies                */
    int64_t n_cells;
    /* contacts of MRN_GPU_KEPT; gravity that changes */
    int32_t ranged;        /* contacts live on at a distance                              */
    double *past;          /* slots of n_walls of 6: place and spin when the step began   */
    double *wall_more;     /* per wall pair MRN_GPU_MORE                                  */
    mrn_gpu_sum *more;     /* slots of MRN_GPU_MORE                                       */
    double *gravities;     /* slots of 3; NULL: it does not change                        */
    mrn_gpu_sum *mass_sum; /* MRN_GPU_SLOTS + 1 of MRN_GPU_MOMENTS                        */
    double drift_share; /* of the change of velocity that counts for the way: 0 by Euler's rule */
    /* a cell that strains, walls that bear a load; NULL without */
    int32_t strains;           /* the cell does                                       */
    int32_t absolute;          /* ways count with the flow: walls or fixed grains stand in it */
    mrn_gpu_cell *cells;       /* slots and one more                                  */
    mrn_gpu_strain *strain;    /* slots                                               */
    double *resist;            /* 2 per pair with a wall: stiffness, damping          */
    mrn_gpu_sum *total;        /* of sums outside of steps                            */
    mrn_contact_point *points; /* per pair with a wall, of a step; NULL without meshes   */
    double size[3], tilt[3];   /* of a cell that does not strain                     */
} mrn_gpu;

/* Passes over the world that only write: run(kernel, world, n). */
#define MRN_GPU_KERNELS(KERNEL)                                                                    \
    KERNEL(into_cells)   /* which cell, and the how manieth there         */                       \
    KERNEL(sort_bodies)  /* from: by cells                                */                       \
    KERNEL(lay_aside)    /* the list, for the next one                    */                       \
    KERNEL(sieve)        /* haste by velocities; who stands where, coarse */                       \
    KERNEL(write_back)   /* pairs in which a grain is the other           */                       \
    KERNEL(carry_pairs)  /* history from the old list                     */                       \
    KERNEL(put_back)     /* bodies that have left the cell                */                       \
    KERNEL(find_spheres) /* where clusters and their spheres stand       */                        \
    KERNEL(resist)       /* what contacts set against servo walls         */

typedef enum mrn_gpu_kernel {
#define MRN_GPU_NAME(name) MRN_GPU_KERNEL_##name,
    MRN_GPU_KERNELS(MRN_GPU_NAME) MRN_GPU_KERNEL_COUNT
#undef MRN_GPU_NAME
} mrn_gpu_kernel;

/* Sums without an order of terms of n items, so many each: total(sum, world, step, n, to). */
#define MRN_GPU_SUMS(SUM)                                                                          \
    SUM(virial, 6)     /* force times branch of pairs, MRN_XX …         */                       \
    SUM(stiffness, 12) /* of pairs against strains; damping             */                         \
    SUM(resistance, 2) /* of pairs with wall number `at`; damping       */                         \
    SUM(energies, 3)   /* of bodies (measure/body_energy.h)             */

typedef enum mrn_gpu_totals {
#define MRN_GPU_NAME(name, terms) MRN_GPU_TOTAL_##name,
    MRN_GPU_SUMS(MRN_GPU_NAME) MRN_GPU_TOTAL_COUNT
#undef MRN_GPU_NAME
} mrn_gpu_totals;

typedef struct mrn_gpu_about {
    char name[128];
    int64_t bytes, free_bytes;
    double bandwidth; /* bytes/s; 0: not known */
} mrn_gpu_about;

/* One of some copies to the host. */
typedef struct mrn_gpu_copy {
    void *to;
    const void *from;
    size_t bytes;
} mrn_gpu_copy;

/* A device. Functions that return a bool say false when the device has failed; `error` then has the
   words (NULL: it has not). */
typedef struct mrn_gpu_ops {
    const char *name;
    bool built; /* this build has it */
    bool timed; /* what lists and steps cost is measured, else taken for usual: each run is the same
                 */
    /* *self: one world's share of it, with a queue of work of its own; several worlds may have one
       each, and threads. */
    mrn_status (*open)(mrn_gpu_about *about, void **self, mrn_message *msg);
    void (*leave)(void *self);               /* all that was taken has been given back */
    void *(*take)(void *self, size_t bytes); /* NULL: no memory, or it has failed */
    void (*give)(void *self, void *at);
    bool (*put)(void *self, void *to, const void *from, size_t bytes);
    bool (*get)(void *self, void *to, const void *from, size_t bytes);
    bool (*fetch)(void *self, int n, const mrn_gpu_copy *copy); /* as `get` each */
    /* The host's memory from `at` on stays where it is until it is unlocked: `fetch` writes it
       without a detour. May be missing, and may fail without harm. */
    void (*lock)(void *self, void *at, size_t bytes);
    void (*unlock)(void *self, void *at);
    bool (*copy)(void *self, void *to, const void *from, size_t bytes);
    bool (*clear)(void *self, void *at, size_t bytes);
    bool (*wait)(void *self);
    const char *(*error)(void *self);
    /* n + 1 numbers: n counts, and a zero, become where each begins. */
    bool (*scan)(void *self, int32_t *count, int64_t n);
    /* rows of `size` bytes: to[k] = from[map[k]] */
    bool (*gather)(void *self, void *to, const void *from, const int32_t *map, int64_t n, int size);
    bool (*run)(void *self, mrn_gpu_kernel kernel, const mrn_gpu *g, const mrn_gpu_step *s,
                int64_t n);
    /* Contacts of pairs of grains, all under one model; `sparse`: many pairs do not touch. */
    bool (*contacts)(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model,
                     bool sparse);
    /* Contacts of grains with walls, all under one model, their totals, and loads on walls. */
    bool (*walls)(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model);
    bool (*bodies)(void *self, const mrn_gpu *g, const mrn_gpu_step *s);
    /* Clusters, and the spheres that they carry: after `bodies`. */
    bool (*clusters)(void *self, const mrn_gpu *g, const mrn_gpu_step *s);
    /* How they turned in the step that ends now: before its contacts. */
    bool (*turns)(void *self, const mrn_gpu *g, const mrn_gpu_step *s);
    /* First moments of mass, before `bodies`: where gravity changes. */
    bool (*moments)(void *self, const mrn_gpu *g, const mrn_gpu_step *s);
    /* A batch of steps, which differ in `g->step` alone from those of the last batch of this form:
       true where they have been sent off again as they were. Otherwise the caller asks for them one
       by one, between `replay` and `close`. Without these two functions always so. */
    bool (*replay)(void *self, const mrn_gpu *g, int form);
    bool (*close)(void *self);
    /* Places and velocities of the bodies: bounds. */
    bool (*bounds)(void *self, const mrn_gpu *g);
    /* Partners of all grains, and behind that features of walls near them, with what contacts with
       walls remember; as far as there is room. How many there are: bounds. */
    bool (*pairs)(void *self, const mrn_gpu *g);
    bool (*wall_pairs)(void *self, const mrn_gpu *g, const mrn_gpu_step *s, bool special);
    /* Sums are added to those in `to`. `within`: of a step of a batch, and not if its list is old;
       else `s` counts as it stands here. */
    bool (*total)(void *self, mrn_gpu_totals sum, const mrn_gpu *g, const mrn_gpu_step *s,
                  bool within, int64_t n, mrn_gpu_sum *to);
    /* The ends of the grains in a step of a batch. */
    bool (*ends)(void *self, const mrn_gpu *g, const mrn_gpu_step *s);
    /* Bits of the farthest point of a grain from a wall's axis: bounds. */
    bool (*reach)(void *self, const mrn_gpu *g, mrn_vec3 from, mrn_vec3 axis, int32_t wall);
} mrn_gpu_ops;

#ifdef __cplusplus
extern "C" {
#endif
extern const mrn_gpu_ops mrn_gpu_cuda;     /* device.cu, device_without_cuda.c */
extern const mrn_gpu_ops mrn_gpu_emulated; /* emulated.c                       */

/* Tests ask the emulated device to fail as true ones do: it has no more memory at the k-th
   allocation from now on, or is lost at the k-th of all other calls, and stays lost. */
typedef enum mrn_gpu_fault {
    MRN_GPU_FAULT_MEMORY,
    MRN_GPU_FAULT_LOST,
    MRN_GPU_FAULTS
} mrn_gpu_fault;
void mrn_gpu_emulated_fail_at(mrn_gpu_fault what, int64_t k); /* 0: nothing fails, it is found */
int64_t mrn_gpu_emulated_calls(mrn_gpu_fault what);           /* so far                        */
#ifdef __cplusplus
}
#endif

#endif
