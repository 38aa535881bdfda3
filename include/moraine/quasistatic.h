/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings without inertia: the contact network as matrices. What it can bear and how it can move
   (rigidity), how stiff it is (stiffness, elastic moduli), whether it is stable, and where it goes
   under a slowly changing load (paths). After J.-N. Roux and G. Combe (2010), chapter 3 of
   Modelisation numerique discrete des materiaux granulaires, hal-00531709.

   Signs are those of the rest of the library: n points from A to C, forces are those on C, stress
   is positive in compression, strain of the cell is positive when it grows. U = u_C + w_C x r_C -
   u_A - w_A x r_A is the displacement of C relative to A at the contact point, U_n > 0 opens it.
   G takes displacements of bodies to U; the forces of contacts on the bodies are Gᵀ f, so that
   equilibrium reads Gᵀ f + F = 0, F the load. An elastic contact answers f = -k U, hence
   K = Gᵀ k G and K dU = dF. */
#ifndef MORAINE_QUASISTATIC_H
#define MORAINE_QUASISTATIC_H

#include "moraine/measure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the network ---- */

/* A degree of freedom that is not a grain's: a wall that moves along a line, a strain of the cell.
   Its unknown is a length: `scale` times the displacement (1) or the strain. */
typedef enum mrn_global_kind { MRN_GLOBAL_WALL, MRN_GLOBAL_CELL } mrn_global_kind;
typedef struct mrn_global {
    mrn_global_kind kind;
    char name[MRN_NAME]; /* "cell.xx", or the wall's name                                      */
    int wall;            /* WALL: body index                                                   */
    mrn_vec3 direction;  /* WALL: unit vector along which it moves                             */
    int component;       /* CELL: MRN_XX … MRN_YZ; xy is d(u_x)/dy                             */
    double scale;
    double load; /* N, conjugate to the unknown: WALL: force from outside along `direction`;
                    CELL: -V stress / scale                                                    */
} mrn_global;

typedef enum mrn_net_status {
    MRN_NET_STICKS, /* below Coulomb's limit                                                   */
    MRN_NET_SLIDES, /* at it                                                                   */
    MRN_NET_OPEN,   /* carries nothing                                                         */
} mrn_net_status;

/* How the normal turns when the bodies move (geometric stiffness). */
typedef enum mrn_net_shape {
    MRN_NET_ROUND,  /* spheres, disks, spheres on curved walls: by the curvatures below        */
    MRN_NET_FACE_A, /* normal of a face of A, turns with A                                     */
    MRN_NET_FACE_C, /* normal of a face of C, turns with C                                     */
    MRN_NET_EDGES,  /* of two edges: normal to both, turns with both                           */
} mrn_net_shape;

/* What a contact is as an element of the structure, beside its place in the contact network: the
   nodes it joins, its rows of G, and coefficients of its laws. None of these has a meaning for
   other methods: nodes are numbers of unknowns, stiffnesses are tangents at the state the network
   was made from, and forces by components follow the order of the rows (as a vector they are
   columns of the contact network). */
typedef struct mrn_net_element {
    int32_t c, a;     /* nodes; -1: a body that does not move by itself (fixed, wall)           */
    int32_t global;   /* the global of a wall that moves (as A); -1: none                       */
    int rows;         /* of G: 1 (frictionless), D, and 1 or 3 more with moments (2D: rolling;
                         3D: two rolling and one pivoting)                                      */
    int64_t row;      /* the first of them                                                      */
    double force[3];  /* on C along n, t, n x t, N: what the structure is asked about           */
    double moment[3]; /* on C along n (pivoting), t, n x t (rolling), N m                       */
    double friction;  /* mu                                                                     */
    double pull;      /* N: cohesion, added to N in Coulomb's limit; N > -pull                  */
    double roll_limit[2]; /* m: |rolling moment|, |pivoting moment| <= this (N + pull)          */
    double kn, kt; /* N/m                                                                    */
    double kr[2];  /* N m/rad: rolling, pivoting                                             */
    mrn_net_shape shape;
    double curve_c, curve_a; /* 1/m: curvatures at the contact point, convex positive (1/R)     */
    mrn_vec3 edge_c, edge_a; /* EDGES: unit vectors along the edges                             */
    mrn_net_status status;
} mrn_net_element;

typedef struct mrn_net {
    int dimension;
    int32_t n;     /* nodes: grains that take part                                             */
    int32_t *body; /* their bodies                                                             */
    int32_t *id;   /* and their persistent numbers                                             */
    int32_t *node; /* per body of the state: its node; -1: none (wall, fixed, rattler)         */
    int32_t n_bodies;
    double *x;      /* 3 per node                                                               */
    double *radius; /* of the sphere (disk) of equal volume                                     */
    double *mass;
    double *inertia; /* 3 per node: principal moments (2D: the third counts), world axes are
                        enough for spheres; of other shapes the mean of the three is used       */
    bool *ball;      /* sphere or disk of its own: its rotations matter only through friction   */
    bool rotations;  /* grains have rotations as unknowns                                       */
    int dofs;        /* per node: D, with rotations 3 (2D) or 6 (3D): x, y, z, then rotations,
                        which are counted as `length` times the angle                           */
    double length;   /* m: mean radius                                                          */
    int n_globals;
    mrn_global *global;
    int64_t n_unknowns; /* n dofs + n_globals: N_l. Those of node i begin at i dofs, globals are
                           the last                                                             */
    int64_t n_contacts, n_rows;
    /* the contacts that bear, C a node always: bodies (a -1: the ground), frame with t along the
       tangential force where there is one, arms, branch, gap, force; slot: the number among the
       contacts of the state, as measures visit them. Columns MRN_NET_COLUMNS */
    mrn_contacts contact;
    mrn_net_element *element; /* of each contact                                                 */
    double *load;      /* n_unknowns: from outside (weight, forces on bodies, globals); moments
                          over length */
    double total_mass; /* kg, of all grains, rattlers too */
    double volume;  /* m3 (2D: m2), of the cell; 0: no periodic cell                             */
    double cell[3]; /* its sizes                                                                */
    bool periodic[3];
    /* left out */
    int64_t rattlers;  /* free grains that bear nothing                                         */
    int64_t dropped;   /* contacts that touch but do not bear                                   */
    double mean_force; /* N, mean normal force of the contacts                                  */
    bool forces_known;
} mrn_net;

#define MRN_NET_COLUMNS                                                                            \
    (MRN_COLUMN(c) | MRN_COLUMN(a) | MRN_COLUMN(body_c) | MRN_COLUMN(body_a) |                     \
     MRN_COLUMN(interaction) | MRN_COLUMN(normal) | MRN_COLUMN(tangent) | MRN_COLUMN(gap) |        \
     MRN_COLUMN(branch) | MRN_COLUMN(arm_c) | MRN_COLUMN(arm_a) | MRN_COLUMN(force) |              \
     MRN_COLUMN(moment) | MRN_COLUMN(slot))

typedef struct mrn_net_options {
    bool cell;           /* all strains of a periodic cell are unknowns (periodic directions)    */
    bool walls;          /* servo walls are                                                      */
    bool frictionless;   /* normal rows only, whatever the laws say; no rotations of balls       */
    bool keep_rattlers;  /* every free grain is a node, every touch a contact                    */
    double bearing;      /* contacts below this part of the mean force bear nothing; 0: 1e-4 (as
                            MRN_BEARING); with forces not known rattlers are those with too few
                            contacts                                                             */
    double kn, kt_ratio; /* stiffness of contacts where the law has none (rigid grains); 0: from
                            the law, else an error                                              */
    bool bare; /* contacts left out do nothing to the nodes, as if rattlers were not there; else
                  their forces are part of the load, so that residuals are total forces          */
} mrn_net_options;
MRN_API mrn_net_options mrn_net_default(void); /* cell and walls, all else as it is */

/* The network of a state. `contacts` may be NULL (see measure.h). A packing with nothing that bears
   gives a net of no nodes, and MRN_OK. */
MRN_API mrn_status mrn_net_of(const mrn_scene *scene, const mrn_state *s,
                              const mrn_contacts *contacts, const mrn_net_options *opt,
                              mrn_net *out, mrn_message *msg);
/* A network of disks or spheres given by hand, for programs and tests: contacts need c, a (-1: the
   ground), normal (zero: along the line of centres) and, where there is that column, tangent (zero:
   any); elements kn, kt, friction and force; the ground's contact point is at the surface of C.
   Everything else follows (branch by nearest image, arms, rows, loads that balance the forces where
   `load` is NULL). `cell` NULL: not periodic; else its three sizes (0: not periodic along that
   axis). */
MRN_API mrn_status mrn_net_make(int dimension, int32_t n, const double *x, const double *radius,
                                const mrn_contacts *contact, const mrn_net_element *element,
                                const double *cell, const double *load, bool frictionless,
                                mrn_net *out, mrn_message *msg);
/* An ellipse in the plane: half axes, and the angle of the first to x, counterclockwise. */
typedef struct mrn_ellipse {
    double x, y, angle, a, b;
} mrn_ellipse;
/* Where two of them touch: common normal from A to C, gap along it (negative: overlap), contact
   point seen from both centres, curvatures there. */
typedef struct mrn_ellipse_touch {
    mrn_vec3 n, arm_c, arm_a;
    double gap, curve_c, curve_a; /* m; 1/m */
} mrn_ellipse_touch;
MRN_API mrn_ellipse_touch mrn_ellipse_touch_of(const mrn_ellipse *c, const mrn_ellipse *a);
/* A network of ellipses given by hand: contacts need c, a (-1: the ground, flat, with a normal) and
   where there is that column the gap of those with the ground; elements kn, kt, friction and force.
   Points, normals and curvatures follow from the shapes; else as mrn_net_make. Ellipses have a
   rotation with friction or without: normals do not go through their centres. */
MRN_API mrn_status mrn_net_make_ellipses(int32_t n, const mrn_ellipse *ellipse,
                                         const mrn_contacts *contact,
                                         const mrn_net_element *element, const double *cell,
                                         const double *load, bool frictionless, mrn_net *out,
                                         mrn_message *msg);
MRN_API void mrn_net_release(mrn_net *net);
/* Contact forces as one vector of n_rows, in the order of the rows (N; moments over `length`). */
MRN_API void mrn_net_forces(const mrn_net *net, double *f);
/* Residual Gᵀ f + F, n_unknowns. */
MRN_API void mrn_net_residual(const mrn_net *net, const double *f, double *out);
/* U = G u; F = Gᵀ f, without making G. */
MRN_API void mrn_net_relative(const mrn_net *net, const double *u, double *rel);
MRN_API void mrn_net_resultant(const mrn_net *net, const double *f, double *out);
/* Stress of contact forces in the periodic cell: sum of f (x) branch over the volume, Pa. */
MRN_API void mrn_net_stress(const mrn_net *net, const double *f, double stress[6]);

/* Quality of an equilibrium, against the criterion of 1e-4. */
typedef struct mrn_equilibrium {
    double force, moment;           /* largest net force over the mean normal force; largest net
                                       moment over that force times the diameter              */
    double mean_force, mean_moment; /* means over the grains                                  */
    double global;                  /* largest residual of a wall or of the cell, relative    */
    int32_t worst;                  /* body with the largest                                  */
    int64_t beyond;                 /* contacts beyond Coulomb's limit by more than 1e-6      */
    double worst_coulomb;           /* largest |T| / (mu (N + pull)); 0 without friction      */
    int64_t sliding;                /* contacts at the limit, to 1e-3                         */
    int64_t pulling;                /* contacts with N < -pull                                */
    bool good;                      /* all within 1e-4 and nothing beyond                     */
} mrn_equilibrium;
MRN_API void mrn_net_equilibrium(const mrn_net *net, mrn_equilibrium *out);

/* ---- rigidity ---- */

typedef struct mrn_mechanism {
    char what[64];   /* "translation along x", "rotation about z", "grain 17 turns between its two
                        contacts", "grain 17 is not held along y", "grain 17 alone", "several
                        grains: 3, 8", "several grains: 40 of them with cell.xx"               */
    bool trivial;    /* of the whole as a rigid body                                           */
    double share;    /* of its grains that move by more than a hundredth of the largest         */
    double second;   /* second-order work of K2 along it, over mean force / length; sign says
                        whether it is stable; NAN: forces are not known                        */
    const double *u; /* unknowns, unit length; inside mrn_rigidity.modes                       */
} mrn_mechanism;

typedef struct mrn_rigidity {
    int64_t unknowns, rows, rank; /* N_l, D N_c (and moments), rank of G                       */
    int64_t hypostatic;           /* k = N_l - rank: mechanisms                                */
    int64_t hyperstatic;          /* h = rows - rank: self-stress                              */
    int64_t trivial;              /* of the mechanisms: of the whole as a rigid body           */
    int64_t divalent;             /* of them: spheres that turn between two contacts           */
    bool by_eigenvalues;          /* rank from eigenvalues of GᵀG: too large for QR            */
    double tolerance, smallest_in, largest_out; /* the gap of the decision, see linalg         */
    int n_modes;                                /* mechanisms stored (at most asked for)       */
    double *modes;                              /* n_unknowns x n_modes, non-trivial first     */
    mrn_mechanism *mechanism;
    int n_self;   /* self-stresses stored                                                       */
    double *self; /* n_rows x n_self, orthonormal                                              */
    /* the forces there are, in the norm of the rows: equilibrate the load (closest such to the
       present ones), the rest */
    double admissible, residual; /* |f_admissible|, |f - f_admissible| over |f|; NAN: not asked,
                                    or no forces                                               */
    double self_part;            /* part of |f| in the space of self-stress; NAN likewise      */
    double unsupported;          /* part of |F| that no contact forces can bear, because it works
                                    on mechanisms                                              */
} mrn_rigidity;
typedef struct mrn_rigidity_options {
    int64_t most_modes, most_self; /* bases with more columns are not made                     */
    bool decompose;                /* the forces                                               */
    double tolerance;              /* 0: chosen                                                */
    int64_t qr_limit;              /* unknowns above which eigenvalues decide; 0: chosen       */
} mrn_rigidity_options;
MRN_API mrn_rigidity_options mrn_rigidity_default(void);
MRN_API mrn_status mrn_rigidity_of(const mrn_net *net, const mrn_rigidity_options *opt,
                                   mrn_rigidity *out, mrn_message *msg);
MRN_API void mrn_rigidity_release(mrn_rigidity *r);

/* ---- limit analysis ---- */

/* Can the contacts bear the load at all, with any forces within Coulomb's cones (second-order
   cones, not linearised)? And how much more of it: the largest factor on `change` (n_unknowns;
   NULL: the load itself) such that fixed + factor * change is supportable. */
typedef struct mrn_limit {
    bool supportable; /* the load as it is                                                    */
    double factor;    /* safety factor; INFINITY: no bound; -INFINITY: no factor will do. Where
                         nothing is fixed and nothing sticks, it can only be 0 or INFINITY      */
    double gap;       /* duality gap and residuals, relative: how sure                        */
    int iterations;   /* in all: of `supportable`, of the factor                              */
    bool converged;
    double *force;     /* n_rows: forces at the limit; factor INFINITY: at factor 1 (0 where that
                          is not supportable); -INFINITY: 0                                     */
    double *mechanism; /* n_unknowns: motion at the limit, from the dual, of length 1: contacts
                          open by mu times what they slide. -INFINITY: a motion that the load
                          drives and `change` does not; INFINITY: 0                             */
} mrn_limit;
typedef struct mrn_limit_options {
    const double *change; /* NULL: the load                                                    */
    bool fixed;           /* with `change`: the load stays on as it is, `change` is added       */
    double tolerance;     /* 0: 1e-6                                                           */
    int max_iterations;   /* 0: 200                                                            */
} mrn_limit_options;
MRN_API mrn_status mrn_limit_of(const mrn_net *net, const mrn_limit_options *opt, mrn_limit *out,
                                mrn_message *msg);
MRN_API void mrn_limit_release(mrn_limit *l);

/* ---- stiffness ---- */

typedef struct mrn_stiffness_options {
    bool geometric; /* add K2                                                                  */
    bool sliding;   /* contacts at the limit in their sliding form (not symmetric), else elastic */
} mrn_stiffness_options;
/* y = K u, all unknowns. */
MRN_API void mrn_net_stiffness(const mrn_net *net, const mrn_stiffness_options *opt,
                               const double *u, double *y);

/* An elastic network with its matrix factorised once: any load, any imposed global. Motions that
   cost nothing are held: translations of a network that nothing holds, divalent spheres and other
   mechanisms (by springs that no load in equilibrium feels). */
typedef struct mrn_elastic mrn_elastic;
typedef struct mrn_elastic_options {
    bool geometric;   /* symmetric part of K2 added                                              */
    bool cg;          /* conjugate gradients instead of a factorisation: less memory             */
    double tolerance; /* of solutions, relative; 0: 1e-10                                      */
} mrn_elastic_options;
MRN_API mrn_status mrn_elastic_make(const mrn_net *net, const mrn_elastic_options *opt,
                                    mrn_elastic **out, mrn_message *msg);
MRN_API void mrn_elastic_release(mrn_elastic **e);
/* K u = force where free; `imposed` (n_globals, may be NULL: none) marks globals whose unknown is
   given in u on entry. On return u is complete and `reaction` (n_globals, may be NULL) has the
   force that each imposed global needs. MRN_NOT_CONVERGED: the load works on a mechanism; the
   message says on which. */
MRN_API mrn_status mrn_elastic_solve(mrn_elastic *e, const double *force, const bool *imposed,
                                     double *u, double *reaction, mrn_message *msg);
typedef struct mrn_elastic_facts {
    int64_t unknowns, fill;
    double bytes, flops;
    double seconds_assembly, seconds_factor, seconds_solve;
    int64_t held;   /* motions held                                                            */
    int iterations; /* of the last solution: refinement or conjugate gradients                 */
    double residual;
} mrn_elastic_facts;
MRN_API mrn_elastic_facts mrn_elastic_facts_of(const mrn_elastic *e);

/* ---- elastic moduli ---- */

typedef struct mrn_moduli {
    int n;          /* components: 3 (2D: xx yy xy) or 6 (xx yy zz xy xz yz)                   */
    bool known[6];  /* of the six: whether the cell (or walls) can strain so                   */
    double c[6][6]; /* Pa: d(stress) = -C d(strain), compression positive stress, shear strain
                       gamma = 2 eps; the order MRN_XX … MRN_YZ                                */
    double voigt[6][6]; /* upper bound: every grain moves with the mean strain, none turns     */
    double reuss_bulk;  /* lower bound of the bulk modulus, as in Agnolin & Roux 2007; NAN      */
    double bulk, shear; /* of the isotropic tensor closest to C                                */
    double voigt_bulk, voigt_shear;
    double young, poisson;
    double anisotropy;         /* |C - isotropic| / |C|                                         */
    double principal_shear[3]; /* xy, xz, yz                                                   */
    double density;            /* kg/m3 of the packing                                          */
    double wave_p, wave_s;     /* m/s, of the isotropic tensor                                  */
    double wave[3][3];         /* m/s along x, y, z: the speeds of Christoffel's matrix, largest
                                  first                                                        */
    double symmetry;           /* largest |C - Cᵀ| / |C|: how well it was solved                */
    mrn_elastic_facts facts;
} mrn_moduli;
/* Of a network in a periodic cell, or between servo walls that face each other (then only what the
   walls can strain). MRN_ERR_INPUT with the reason where there is neither. */
MRN_API mrn_status mrn_moduli_of(const mrn_net *net, const mrn_elastic_options *opt,
                                 mrn_moduli *out, mrn_message *msg);

/* ---- stability ---- */

typedef struct mrn_stability {
    bool geometric;   /* K2 was in                                                          */
    int n;            /* smallest eigenvalues of the symmetric part, over mean kn           */
    double *value;    /* ascending; with contacts at the limit: the work each mode costs with
                         the statuses it asks for itself                                     */
    double *mode;     /* n_unknowns x n                                                     */
    int64_t critical; /* contacts at the limit                                              */
    bool worst;       /* these took the status that is worst along the mode, to a fixed point */
    double bound;     /* lower bound of the smallest eigenvalue over all statuses; equals
                         value[0] where none is critical                                    */
    int64_t negative; /* eigenvalues below -tolerance (of those found)                      */
    int64_t zero;     /* within tolerance: mechanisms                                       */
    double tolerance;
    bool stable; /* nothing negative, the bound neither                                */
    char verdict[256];
} mrn_stability;
typedef struct mrn_stability_options {
    bool geometric;
    int want;         /* eigenvalues; 0: 6 more than there are trivial motions                 */
    double tolerance; /* 0: 1e-9                                                               */
} mrn_stability_options;
MRN_API mrn_status mrn_stability_of(const mrn_net *net, const mrn_stability_options *opt,
                                    mrn_stability *out, mrn_message *msg);
MRN_API void mrn_stability_release(mrn_stability *s);

/* Vibrations about the state: omega of M^-1 K1, rad/s. */
typedef struct mrn_spectrum {
    bool full; /* all of them, else the smallest                                          */
    int n;
    double *omega; /* ascending; those of mechanisms are 0, of modes that grow -|omega|       */
    double *mode;  /* n_unknowns x n of the smallest ones asked for; may be NULL               */
    int n_modes;
    double scale; /* rad/s: sqrt(mean kn / mean mass)                                        */
    double *participation; /* n_modes: share of the grains that take part, (sum u2)^2/(N sum u4) */
} mrn_spectrum;
/* want 0: all (small networks only, else MRN_ERR_INPUT tells how many are possible). */
MRN_API mrn_status mrn_spectrum_of(const mrn_net *net, bool geometric, int want, int modes,
                                   mrn_spectrum *out, mrn_message *msg);
MRN_API void mrn_spectrum_release(mrn_spectrum *s);
/* Density of states: `bins` values over [0, omega_max], normalised to 1; n = count per bin. */
MRN_API void mrn_spectrum_density(const mrn_spectrum *s, int bins, double *omega, double *density);

/* ---- elastoplastic paths ---- */

typedef enum mrn_flow_rule { MRN_FLOW_COULOMB, MRN_FLOW_ASSOCIATED } mrn_flow_rule;
typedef struct mrn_path_options {
    mrn_flow_rule rule;
    double tolerance;     /* of forces, over the mean force; 0: 1e-6                           */
    int max_iterations;   /* elastic solutions per part of an increment; 0: 5000               */
    double min_increment; /* smallest part of an increment tried before giving up; 0: 1/256    */
    bool accelerate;      /* implicit steps (Newton, GMRES) instead of the plain iteration     */
} mrn_path_options;
MRN_API mrn_path_options mrn_path_default(void);

typedef enum mrn_path_end {
    MRN_PATH_OK,          /* equilibrium found                                                  */
    MRN_PATH_UNSTABLE,    /* none near, though limit analysis says that forces exist: the end of the
                             strictly quasi-static regime                                       */
    MRN_PATH_UNSUPPORTED, /* none near, and limit analysis says there is none at all with these
                             contacts; imposed globals bear whatever it takes                   */
    MRN_PATH_UNDECIDED,   /* none near; limit analysis did not tell                              */
} mrn_path_end;

typedef struct mrn_path mrn_path;
/* The network must stay as it is while the path lives; its forces are the start (in equilibrium
   with its load). */
MRN_API mrn_status mrn_path_create(const mrn_net *net, const mrn_path_options *opt, mrn_path **out,
                                   mrn_message *msg);
MRN_API void mrn_path_destroy(mrn_path **p);
/* One increment: the load changes by `dload` (n_unknowns), imposed globals move by `dglobal`
   (n_globals; NAN: not imposed). It is cut in parts where it does not converge. MRN_OK; or
   MRN_NOT_CONVERGED: the state is the last equilibrium found, `reached` (0…1) the part of the
   increment that was made; mrn_path_facts_of says why it ended. */
MRN_API mrn_status mrn_path_step(mrn_path *p, const double *dload, const double *dglobal,
                                 double *reached, mrn_message *msg);
typedef struct mrn_path_facts {
    mrn_path_end end;
    int64_t increments, iterations;  /* so far                                                  */
    int64_t sliding, open, reopened; /* contacts now at the limit; lost; closed again          */
    double residual;                 /* of the last equilibrium                                */
    const double *u;     /* n_unknowns: displacements since the start                         */
    const double *force; /* n_rows                                                            */
    const mrn_net_status *status; /* n_contacts                                                */
    const double *mode; /* n_unknowns: last correction of the iteration that failed, unit    */
} mrn_path_facts;
MRN_API mrn_path_facts mrn_path_facts_of(const mrn_path *p);

/* Straight paths by increments of one parameter q: the load changes by q `change`, imposed globals
   move by q `move`. */
typedef struct mrn_follow {
    const double *change; /* n_unknowns, per unit of q; NULL: none                              */
    const double *move;   /* n_globals, per unit of q; NAN: not imposed; NULL: none             */
    double increment;     /* of q, positive                                                     */
    double up_to;         /* where it ends at the latest, positive                              */
    /* At the start (q = 0) and after every increment, made as a whole or in part; false: that is
       enough. NULL: nobody looks. */
    bool (*each)(void *user, double q, const mrn_path_facts *facts);
    void *user;
} mrn_follow;
/* MRN_OK: at up_to, or `each` had enough; MRN_NOT_CONVERGED: the network gives way at *q, and
   mrn_path_facts_of says why and how; an error leaves *q at the last equilibrium. */
MRN_API mrn_status mrn_path_follow(mrn_path *p, const mrn_follow *way, double *q, mrn_message *msg);
/* The answer per unit of q if no contact slid or opened, on the matrix that the path has anyway:
   u (n_unknowns), and the forces that imposed globals need (n_globals, may be NULL). */
MRN_API mrn_status mrn_path_elastic(mrn_path *p, const mrn_follow *way, double *u, double *reaction,
                                    mrn_message *msg);
/* Globals marked in `hold` (n_globals) do not move: they are no unknowns any more, and bear
   whatever it takes. */
MRN_API mrn_status mrn_net_hold(mrn_net *net, const bool *hold, mrn_message *msg);
/* The load becomes what the forces bear, so that they are in equilibrium to rounding. */
MRN_API mrn_status mrn_net_settle(mrn_net *net, mrn_message *msg);

/* ---- rigid grains without friction ---- */

/* Disks or spheres that neither deform nor rub, from one isostatic network to the next (Combe &
   Roux 2000): forces follow from equilibrium alone and are linear in the parameter q of the load;
   where one vanishes its contact opens, and the one mechanism that there is then is followed, with
   its finite motions, until a gap closes. */
typedef enum mrn_rigid_end {
    MRN_RIGID_UP_TO,  /* q has come to up_to, or `each` had enough                             */
    MRN_RIGID_FLOWS,  /* it moves farther than `most`, and no network holds                    */
    MRN_RIGID_EVENTS, /* max_events contacts have opened                                       */
} mrn_rigid_end;

typedef struct mrn_rigid_facts {
    mrn_rigid_end end;
    double q;
    int64_t events;   /* contacts that opened so far, each until another closed             */
    int64_t networks; /* of those in between: networks that held the load                   */
    int64_t steps;    /* of motions                                                         */
    int64_t contacts; /* as many as unknowns                                                */
    double cell[3];   /* m: its sizes now                                                   */
    /* seen by `each` alone */
    const double *x;     /* 3 per node: where grains are                                       */
    const double *moved; /* per global: m, or logarithmic strain                               */
    const double *force; /* N, per contact, in an order of its own                             */
} mrn_rigid_facts;

typedef struct mrn_rigid_options {
    const double *change; /* n_unknowns: load per unit of q; of strains of the cell at its size of
                             the start: the stress goes with it                                */
    double up_to;         /* largest q                                                         */
    double step;          /* of a motion, over the mean radius, at most                        */
    double most;          /* strain, or way of a wall (without either: of a grain) over the mean
                             radius, at which it is said to flow                               */
    int64_t max_events;
    /* Twice for every network that holds: at the q where it is found, and where its first force
       vanishes (or at up_to). false: that is enough. NULL: nobody looks. */
    bool (*each)(void *user, const mrn_rigid_facts *facts);
    void *user;
} mrn_rigid_options;
MRN_API mrn_rigid_options mrn_rigid_default(void);
/* The network: disks or spheres without friction, as many contacts as unknowns (rattlers are no
   part of it and stay away); gaps and overlaps of its contacts are closed first. Contacts given as
   open tell of fixed grains and walls that may be touched later. MRN_OK, and `end` says how;
   MRN_NOT_CONVERGED: where two contacts are lost at once or a motion turns back, which generic
   networks do not do. */
MRN_API mrn_status mrn_rigid_follow(const mrn_net *net, const mrn_rigid_options *opt,
                                    mrn_rigid_facts *out, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
