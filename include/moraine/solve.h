/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frictional-contact problems as mathematics, without grains. At every contact a relative velocity
   u and an impulse r are wanted with

       u = W r + q,      K* ∋ u + g(u)  ⊥  r ∈ K                        (De Saxcé's form)

   K is Coulomb's cone |r_T| <= mu r_N, K* its dual, g(u) = (mu |u_T|, 0, 0): Signorini's condition
   in velocity and Coulomb's law in one line. W is the Delassus operator, given as blocks or as W =
   Hᵀ M⁻¹ H; q is the velocity without contact, restitution already inside. Components of a contact
   stand together, normal first.

   The way to a solution: fill a mrn_problem (or read one, moraine/io.h, or generate one), have it
   checked, choose a solver by name and call mrn_solve. Whatever the solver, the answer is judged by
   one residual: mrn_measure. */
#ifndef MORAINE_SOLVE_H
#define MORAINE_SOLVE_H

#include "moraine/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of equal blocks, compressed by rows. Each block is stored column after column; `value`
   has MRN_BSR_PADDING unused numbers at its end, so that vector loads may run past the last block.
 */
#define MRN_BSR_PADDING 8
typedef struct mrn_bsr {
    int rows, cols; /* in blocks                               */
    int br, bc;     /* rows and columns of one block           */
    int64_t *start; /* rows + 1: where each row of blocks begins */
    int32_t *col;   /* block column of each block, ascending in a row */
    double *value;  /* br * bc per block                       */
} mrn_bsr;

/* From entries (row, column, value) in any order, duplicates summed; blocks that hold an entry are
   stored whole. rows, cols are in blocks. */
MRN_API mrn_status mrn_bsr_from_entries(int rows, int cols, int br, int bc, int64_t n,
                                        const int32_t *row, const int32_t *col, const double *value,
                                        mrn_bsr *out, mrn_message *msg);
MRN_API mrn_status mrn_bsr_copy(const mrn_bsr *a, mrn_bsr *out, mrn_message *msg);
MRN_API void mrn_bsr_release(mrn_bsr *a);
/* y = A x (+ y when `add`). Same bits for any number of threads. */
MRN_API void mrn_bsr_times(const mrn_bsr *a, const double *x, bool add, double *y);
/* Position of block (row, col) in `value` / (br*bc); -1: not stored. */
MRN_API int64_t mrn_bsr_find(const mrn_bsr *a, int row, int col);

/* ---- the problem ---- */

/* What the numbers of one contact are. */
typedef enum mrn_contact_kind {
    MRN_CONTACT_2D,          /* N, T                                                   */
    MRN_CONTACT_3D,          /* N, T, S                                                */
    MRN_CONTACT_2D_ROLLING,  /* N, T, M: a moment with |M| <= mu_roll r_N              */
    MRN_CONTACT_3D_ROLLING,  /* N, T, S, M_T, M_S                                      */
    MRN_CONTACT_3D_PIVOTING, /* N, T, S, M_T, M_S, M_N with |M_N| <= mu_pivot r_N      */
    MRN_CONTACT_KINDS
} mrn_contact_kind;

/* Friction comes in groups: components that together are bounded by mu r_N. */
enum { MRN_SLIDING, MRN_ROLLING, MRN_PIVOTING, MRN_FRICTION_GROUPS };
typedef struct mrn_contact_layout {
    const char *name;               /* "2D", "3D rolling", …              */
    int dimension;                  /* of space, 2 or 3                   */
    int block;                      /* numbers per contact: 2, 3, 5 or 6  */
    int groups;                     /* used groups, 1 to 3                */
    int first[MRN_FRICTION_GROUPS]; /* component at which a group begins  */
    int width[MRN_FRICTION_GROUPS]; /* components of a group, 1 or 2      */
} mrn_contact_layout;
MRN_API const mrn_contact_layout *mrn_contact_layout_of(mrn_contact_kind kind);
#define MRN_CONTACT_BLOCK_MAX 6

typedef enum mrn_contact_law {
    MRN_UNILATERAL = 0, /* Signorini and Coulomb (frictionless: mu = 0)      */
    MRN_BILATERAL = 1,  /* u = 0 in all components, r free: a joint, a glue  */
} mrn_contact_law;

typedef struct mrn_problem {
    mrn_contact_kind kind;
    int n;        /* contacts                                             */
    mrn_bsr W;    /* n x n blocks; rows 0: not given, use H and M         */
    mrn_bsr Ht;   /* Hᵀ: one row per contact, one column per body; u = Hᵀ v */
    double *minv; /* M⁻¹: per body a block of Ht.bc², column after column */
    double *q;    /* velocity without contact impulses, n * block         */
    double *mu[MRN_FRICTION_GROUPS]; /* n each; groups that the kind lacks are NULL          */
    double *cohesion;                /* n: impulse c >= 0 with r_N + c >= 0 and |r_T| <=
                                        mu (r_N + c); NULL: none                             */
    uint8_t *law;                    /* n of mrn_contact_law; NULL: all unilateral           */
    char title[128], description[512];
} mrn_problem;

/* Arrays for n contacts, zeroed: q, mu of the kind's groups. W, Ht, minv, cohesion and law stay
   empty. */
MRN_API mrn_status mrn_problem_create(mrn_contact_kind kind, int n, mrn_problem *out,
                                      mrn_message *msg);
MRN_API mrn_status mrn_problem_copy(const mrn_problem *p, mrn_problem *out, mrn_message *msg);
MRN_API void mrn_problem_release(mrn_problem *p);
/* W = Hᵀ M⁻¹ H when only H and M⁻¹ are given; nothing to do when W is there. */
MRN_API mrn_status mrn_problem_assemble(mrn_problem *p, mrn_message *msg);

/* What a look at a problem finds, before it is solved. */
typedef struct mrn_problem_facts {
    int contacts, bodies; /* bodies: 0 when H is not given                                  */
    int64_t blocks;       /* stored blocks of W                                             */
    double asymmetry;     /* max |W - Wᵀ| / max |W|: 0 for a symmetric operator             */
    double eigen_min, eigen_max; /* extremes of the symmetric part of W, estimated (Lanczos)  */
    double diagonal_mean; /* its inverse is the rho of the residual                         */
    double friction_min, friction_max;
    int frictionless, bilateral; /* contacts of that kind                                     */
    int64_t redundant; /* eigenvalues of W's symmetric part that are 0 (below 1e-10 of the mean
                          diagonal), by counting pivots; -1: not counted, too large            */
    bool hyperstatic;  /* impulses are not unique: redundant > 0, or more than bodies can feel  */
} mrn_problem_facts;
/* Refuses what cannot be a contact problem: sizes that do not fit, numbers that are not finite,
   negative friction, a diagonal block that is not positive, an indefinite W. MRN_ERR_INPUT with the
   contact and the reason. `facts` may be NULL. An asymmetric W is fine and reported. */
MRN_API mrn_status mrn_problem_check(const mrn_problem *p, mrn_problem_facts *facts,
                                     mrn_message *msg);

/* ---- how good is an answer ---- */

typedef struct mrn_measures {
    double natural; /* err_v: |F_rho| / (rho |q|), F_rho = r - P_K(r - rho (u + g(u))),
                       rho = 1 / mean diagonal of W: unit-consistent. The one that decides.
                       What rounding of W r leaves unknown, eps |r| / (rho |q|), counts too.
                       Where mu > 10 an approach counts as for mu = 10: the map hardly sees it. */
    double siconos; /* |F_1| / max(|q|, |r|, |u|): what the tolerance of Siconos means        */
    double paper;   /* |F_1| / |q|: Acary, Brémond, Huber 2018                                */
    double fclib;   /* |F_1| / (1 + sqrt |q|): MERIT_1 of fclib                                */
    double complementarity; /* sum |r . (u + g(u))| / sum |r . W_diag r|, dimensionless        */
    double cone;            /* largest distance of r from K over the largest |r|               */
    double dual_cone;       /* largest distance of u + g(u) from K* over the largest |u|, |q|  */
    double penetration;     /* most negative u_N, as a positive velocity, m/s (0: none)        */
    double energy;          /* 1/2 r . W r + q . r, J when r is an impulse in N s              */
    double violation_mean, violation_quadratic, violation_max; /* of one Gauss-Seidel sweep,
                        over the reference energy (the criteria of contact dynamics)           */
    double violation_signed;     /* likewise, either sign                                      */
    int open, sticking, sliding; /* contacts by status                                         */
} mrn_measures;
/* All measures of an answer r (n * block), velocities recomputed. `u` (may be NULL) receives W r +
   q. Never refuses a finite r. */
MRN_API mrn_status mrn_measure_answer(const mrn_problem *p, const double *r, double *u,
                                      mrn_measures *out, mrn_message *msg);

/* ---- solving ---- */

/* Which quantity is compared with the tolerance. Whatever is chosen, all are reported. */
typedef enum mrn_criterion {
    MRN_STOP_NATURAL, /* the natural-map residual                                             */
    MRN_STOP_CONTACT, /* per contact: W_NN |change of r_N| <= tolerance * |q|_rms, in 2 n
                         consecutive updates (Gauss-Seidel solvers)                           */
    MRN_STOP_MEAN,    /* mean violation over the reference energy (Gauss-Seidel solvers)      */
    MRN_STOP_QUADRATIC,
    MRN_STOP_MAX,    /* the worst contact, over the mean energy of those that bear              */
    MRN_STOP_SIGNED, /* the change of the energy, without what goes to and fro; its absolute   */
    MRN_CRITERIA
} mrn_criterion;
enum { MRN_VIOLATIONS = MRN_CRITERIA - MRN_STOP_MEAN };
MRN_API const char *mrn_criterion_name(mrn_criterion c); /* "natural", "contact", "mean", … */

/* One line of an iteration history. */
typedef struct mrn_iterate {
    const char *phase;                    /* "nlgs", "newton", …                              */
    int64_t iteration;                    /* sweeps or iterations so far                      */
    double seconds;                       /* since the start                                  */
    double natural;                       /* residual; NAN where it was not evaluated         */
    double violation_mean, violation_max; /* NAN likewise                   */
    double energy;                        /* NAN likewise                                     */
} mrn_iterate;

typedef struct mrn_solve_control {
    double tolerance;       /* default 1e-4                                                    */
    int64_t max_iterations; /* 0: the solver's own limit                                       */
    int64_t min_iterations; /* made in any case, also from a guess that is good enough         */
    double max_seconds; /* 0: none. The one thing that can make results differ from run to run */
    mrn_criterion criterion;
    int check_every;   /* sweeps between evaluations of the criterion; 0: the solver decides */
    bool violations;   /* Gauss-Seidel: tell them at every evaluation; costs a third of a sweep */
    bool few_measures; /* of the measures of the answer `natural` and the violations alone */
    const double *other_guess; /* n * block, or NULL: begun from where its residual is smaller
                                  than that of the guess in r                                   */
    /* Called at every evaluation; returning true stops (MRN_INTERRUPTED). May be NULL. */
    bool (*watch)(const mrn_iterate *it, void *user);
    void *user;
} mrn_solve_control;
MRN_API mrn_solve_control mrn_solve_control_default(void);

/* Memory that solvers keep from call to call, so that a time step allocates nothing: zero it, pass
   it to any number of solves, release it. */
typedef struct mrn_workspace {
    struct mrn_slab *slab; /* newest first */
    size_t used;           /* bytes of the newest in use */
    size_t total;          /* bytes of all slabs */
    size_t now, peak;      /* bytes in use; most since the last solve began */
} mrn_workspace;
MRN_API void mrn_workspace_release(mrn_workspace *w);

typedef struct mrn_solve_result {
    bool converged;
    int64_t iterations; /* sweeps, or iterations of the solver's own kind      */
    int64_t updates;    /* contact updates, for cost per contact               */
    int factorisations; /* of Newton-type solvers                              */
    double seconds;
    size_t memory;         /* bytes of work space and factorisations              */
    double asymmetry;      /* NAN: not looked at                                  */
    mrn_measures measures; /* of the impulses returned                            */
    char words[256];       /* one sentence: why it ended                          */
} mrn_solve_result;

typedef struct mrn_solver mrn_solver;
struct mrn_system; /* solve/system.h: the problem as solvers see it */
struct mrn_progress_log;
struct mrn_solver {
    const char *name;    /* "nlgs"                                                    */
    const char *summary; /* one line                                                  */
    const char *doc;     /* the method, formulas, source                              */
    const char *advice;  /* when to use it, when not                                  */
    const mrn_param *params;
    int n_params;
    unsigned kinds;         /* bit k: can solve contact kind k                              */
    bool wants_W;           /* needs the blocks of W (they are assembled when missing)      */
    bool bodies_do;         /* … unless it finds H and a symmetric M⁻¹ instead              */
    bool wants_bodies;      /* needs H and M⁻¹                                              */
    bool bilateral;         /* can solve contacts with MRN_BILATERAL                        */
    bool sweeps;            /* Gauss-Seidel: all criteria; else MRN_STOP_NATURAL alone      */
    int64_t max_iterations; /* limit when the control gives none                       */
    /* Improves r of a system; see solve/system.h. */
    mrn_status (*solve)(struct mrn_system *s, const mrn_value *option, double *r,
                        struct mrn_progress_log *log, mrn_message *msg);
};

/* All solvers (see solve/solvers.def); the first is the default. */
MRN_API int mrn_solver_count(void);
MRN_API const mrn_solver *mrn_solver_at(int i);
MRN_API const mrn_solver *mrn_solver_find(const char *name);

/* Options of a solver by name, in the order of its params; start from the defaults. */
MRN_API void mrn_solver_defaults(const mrn_solver *s, mrn_value *option);
/* One option from text, "relaxation" "1.2"; MRN_ERR_INPUT with the known names or the range. */
MRN_API mrn_status mrn_solver_set(const mrn_solver *s, mrn_value *option, const char *name,
                                  const char *text, mrn_message *msg);

/* Solves p. `r` (n * block): in, a guess (zeros if there is none); out, the answer, or the best
   iterate when it did not converge. `option`: NULL for defaults. `control`, `work`, `result` may be
   NULL. MRN_OK: converged. MRN_NOT_CONVERGED: the best iterate is in r, the residual in `result`.
   Negative: refused, r as it was. Wrong problems are not looked for: mrn_problem_check does that.
 */
MRN_API mrn_status mrn_solve(const mrn_problem *p, const mrn_solver *s, const mrn_value *option,
                             const mrn_solve_control *control, double *r, mrn_workspace *work,
                             mrn_solve_result *result, mrn_message *msg);

/* ---- problems of our own ---- */

/* A family of problems, documented as solvers are. */
typedef struct mrn_problem_family {
    const char *name, *summary, *doc;
    const mrn_param *params;
    int n_params;
    mrn_status (*make)(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
    /* Impulses r (n * block) known without solving, for the problem p made with the same options
       and seed; one answer of many where r is not unique. NULL: never known; MRN_ERR_RANGE: not
       for these options. */
    mrn_status (*answer)(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);
} mrn_problem_family;
MRN_API int mrn_problem_family_count(void);
MRN_API const mrn_problem_family *mrn_problem_family_at(int i);
MRN_API const mrn_problem_family *mrn_problem_family_find(const char *name);
/* As mrn_solver_defaults and mrn_solver_set, for any parameter table. */
MRN_API void mrn_params_defaults(const mrn_param *params, int n, mrn_value *option);
MRN_API mrn_status mrn_params_set(const mrn_param *params, int n, mrn_value *option,
                                  const char *owner, const char *name, const char *text,
                                  mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
