/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A problem as solvers see it: without units and without cohesion. Impulses r' and velocities u'
   are scaled so that the mean diagonal of W' is 1 and |q'| = 1; moments and angular velocities are
   scaled so that their diagonal has mean 1 too; cohesion is absorbed in the unknown. The residual
   of theory is then simply |F'| with rho = 1.

   A solver improves r', tells the log of its iterates, and stops when the log says so. */
#ifndef MRN_SOLVE_SYSTEM_H
#define MRN_SOLVE_SYSTEM_H

#include "base/crew.h"
#include "linalg/sums.h"
#include "solve/cone.h"
#include "solve/local.h"

typedef struct mrn_system {
    const mrn_contact_layout *lay;
    mrn_contact_kind kind;
    int n, b; /* contacts, numbers per contact */
    /* W': diagonal blocks and the others, row by row, column after column in a block. With
       has_W = false only `diag` is filled. */
    bool has_W;
    double *diag;    /* b*b per contact                                     */
    double *inverse; /* of the diagonal blocks                              */
    int64_t *start;  /* n + 1                                               */
    int32_t *col;    /* ascending in a row, the row itself left out         */
    double *off;     /* b*b each, MRN_BSR_PADDING numbers to spare at the end */
    double *q;       /* n*b */
    double *mu;      /* MRN_FRICTION_GROUPS per contact, contact after contact */
    uint8_t *law;    /* mrn_contact_law; never NULL                         */
    bool any_bilateral;
    /* bodies, when the problem has them: W' = Ht' M'⁻¹ Ht'ᵀ */
    bool has_bodies;
    int n_bodies, dof;
    const int64_t *body_start; /* of the problem's Ht */
    const int32_t *body;
    const double *ht; /* b*dof per (contact, body), column after column, scaled, … */
    double ht_factor[MRN_CONTACT_BLOCK_MAX]; /* … or to be multiplied with these …       */
    bool ht_as_given;       /* … for sweeps, which then need no copy of it               */
    const double *minv;     /* dof*dof per body, scaled                               */
    int64_t *of_body_start; /* n_bodies + 1: the other way round, places in `body` … */
    int32_t *of_body;       /* … ascending … */
    int32_t *contact_of;    /* … and the contact of each place */
    double *body_v;         /* n_bodies*dof: scratch of products through the bodies */
    double *compliance;     /* b per contact, part of the diagonal of W' that no body has; NULL */
    /* back to the user's units: u = u_scale[c] u', r = r_scale[c] r' - c n */
    double u_scale[MRN_CONTACT_BLOCK_MAX], r_scale[MRN_CONTACT_BLOCK_MAX];
    double energy_shift; /* J: what the absorbed cohesion takes out of 1/2 r.Wr + q.r */
    double *partial;     /* sums of chunks of contacts */
    double rho, length;  /* 1/mean diagonal; the length that makes moments forces (1 without) */
    const mrn_solve_control *control;
    mrn_workspace *work;
    mrn_crew *crew; /* threads that share loops; NULL: loops open parallel regions of their own */
} mrn_system;

/* Memory of the work space: `n` elements of `size` bytes, zeroed, 64-byte aligned, valid until the
   next mrn_solve with it. NULL: out of memory (return mrn_fail_memory). */
void *mrn_work(mrn_workspace *w, int64_t n, size_t size);
/* The same, not zeroed. */
void *mrn_work_raw(mrn_workspace *w, int64_t n, size_t size);
void mrn_workspace_reset(mrn_workspace *w);
/* A place to come back to: all that was taken after it is given up. */
typedef struct mrn_workspace_mark {
    struct mrn_slab *slab;
    size_t used, now;
} mrn_workspace_mark;
mrn_workspace_mark mrn_workspace_here(const mrn_workspace *w);
void mrn_workspace_back(mrn_workspace *w, mrn_workspace_mark mark);

/* q is finite, or it is told where it is not. */
mrn_status mrn_problem_check_velocities(const mrn_problem *p, mrn_message *msg);
/* Fills `s` from p with memory of `work`. `fold`: columns of H that are nothing but a compliance of
   one contact become numbers of that contact (for solvers that know s->compliance). Guesses r are
   converted by mrn_system_enter and answers by mrn_system_leave. */
mrn_status mrn_system_make(const mrn_problem *p, const mrn_solve_control *control, bool fold,
                           mrn_workspace *work, mrn_system *s, mrn_message *msg);
void mrn_system_enter(const mrn_system *s, const mrn_problem *p, const double *r, double *scaled);
void mrn_system_leave(const mrn_system *s, const mrn_problem *p, const double *scaled, double *r);

/* y = W x; all same bits for any number of threads. */
void mrn_system_times(const mrn_system *s, const double *x, double *y);
/* Velocities of the bodies (n_bodies*dof) from impulses x; needs has_bodies. */
void mrn_system_push(const mrn_system *s, const double *x, double *v);
/* u = W r + q */
void mrn_system_velocity(const mrn_system *s, const double *r, double *u);
/* |F|: the natural map of r with velocities u; f (n*b) may be NULL. Velocities W r + q are known to
   the rounding of W r only: eps |r| is added (in squares), so that no violation hides in the
   rounding of impulses that grow without bound. With friction above 10 an approach counts as with
   10, else the map would overlook it. */
double mrn_system_residual(const mrn_system *s, const double *r, const double *u, double *f);
/* 1/2 r . W r + q . r of the user's impulses, J */
double mrn_system_energy(const mrn_system *s, const double *r, const double *u);
double mrn_system_dot(const mrn_system *s, const double *x, const double *y);
/* Projection of all contacts on their cones (bilateral: as they are); p may be y. */
void mrn_system_project(const mrn_system *s, const double *y, double *p);
/* Row products and the like: solve/kernel.h. */

/* The measures of an answer r in the user's units, with memory of the system's work space; `u` (may
   be NULL) receives velocities. */
mrn_status mrn_measure_system(const mrn_problem *p, mrn_system *s, const double *r, double *u,
                              mrn_measures *out, mrn_message *msg);

/* ---- the log of a solve: best iterate, criterion, time, history ---- */

typedef enum mrn_stop {
    MRN_GO_ON,
    MRN_STOP_CONVERGED,
    MRN_STOP_LIMIT,   /* iterations    */
    MRN_STOP_TIME,    /* max_seconds   */
    MRN_STOP_ASKED,   /* watch said so */
    MRN_STOP_STALLED, /* the solver knows no way on: it sets this itself and returns */
} mrn_stop;

typedef struct mrn_progress_log {
    mrn_stop stop;
    int64_t iterations, updates, limit;
    int factorisations;
    size_t matrices; /* bytes of factorisations, beside the work space; the solver adds them */
    double started;  /* mrn_clock */
    double best;     /* residual of best_r; INFINITY at first */
    double *best_r;  /* n*b, scaled */
    double energy;   /* of the iterate last logged, J; NAN: not evaluated */
    double *scratch; /* n*b: velocities of an iterate that came without */
    char words[256]; /* why it ended, when the solver has more to say */
} mrn_progress_log;

/* Tells the log that iterate r is reached (log->iterations set by the solver). `u`: W r + q, or
   NULL: computed. Evaluates the residual, keeps the best iterate, calls the watcher, looks at the
   clock. Returns true when the solver is to stop, log->stop says why. */
bool mrn_log_iterate(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                     const double *u);
/* The same for an iterate whose residual is known, with violations (NAN: not evaluated) that decide
   when the control's criterion is one of them; `done`: the per-contact criterion is met. */
bool mrn_log_known(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                   double natural, const double violation[MRN_VIOLATIONS], bool done);

#endif
