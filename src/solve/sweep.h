/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sweep of non-linear Gauss-Seidel: every contact is solved once with the others frozen at
   their newest impulses. What several solvers and the violations of mrn_measure_answer share. */
#ifndef MRN_SOLVE_SWEEP_H
#define MRN_SOLVE_SWEEP_H

#include "solve/system.h"

/* What one sweep changed. Terms are summed in chunks of the order, so that the sums do not depend
   on threads. */
typedef struct mrn_sweep_sums {
    double change;    /* sum |r - r_e|²                          */
    double violation; /* sum (r - r_e) . W_ii (r - r_e)          */
    double worst;     /* largest term of it                      */
    double reference; /* 1/2 sum (r . W_ii r + r_e . W_ii r_e)   */
    double gain;      /* 1/2 sum (r . W_ii r - r_e . W_ii r_e)   */
    int64_t active;   /* contacts that bear, before or after     */
    int64_t failed;   /* contacts whose local solver gave up     */
} mrn_sweep_sums;

typedef struct mrn_sweeper {
    mrn_system *s;
    bool exchange; /* through body velocities, not through blocks of W */
    mrn_local_method method;
    double relaxation; /* r = r_e + relaxation (solved - r_e)              */
    double *v;         /* exchange: body velocities due to r, kept current */
    int32_t *order;    /* n: contacts in the order of sweeps               */
    int colours;       /* 0: one after another                             */
    int64_t *colour; /* colours + 2: where each begins in `order`; contacts of the last part (after
                        all colours) go one after another                */
    int slabs, even_slabs; /* slabs > 0: those below even_slabs go side by side, then the others */
    int64_t *slab;         /* slabs + 1: where each begins in `order` */
    bool through_bodies;   /* 3D, plain Coulomb: bodies as sweep_bodies.c has them … */
    double *body;          /* … MRN_SWEEP_BODY numbers each … */
    bool *moves;           /* … and whether anything moves them */
    int64_t stride;        /* numbers of a record */
    double *record;        /* what a sweep reads of a contact, in the order of sweeps, or … */
    bool by_contact;       /* … of contacts, where the order changes from sweep to sweep  */
    bool energies;         /* fill all sums; else `change` alone, which costs less */
    uint8_t *verified;     /* per contact: W_NN |change of r_N| <= threshold; NULL: not wanted */
    double threshold;
    double *partial; /* sums per chunk */
} mrn_sweeper;

/* Which contact after which. Colours and slabs give the same bits for any number of threads. */
typedef enum mrn_sweep_order {
    MRN_ORDER_GIVEN,
    MRN_ORDER_COLOURS,
    MRN_ORDER_SLABS
} mrn_sweep_order;
/* From this many contacts on slabs are the better choice: sharing them pays, see sweep_slabs.c. */
enum { MRN_SLABS_FROM = 1500 };

/* Memory and order. */
mrn_status mrn_sweeper_make(mrn_system *s, bool exchange, mrn_sweep_order order, mrn_sweeper *out,
                            mrn_message *msg);
/* To be called after r was changed by something else than sweeps (exchange needs it). */
void mrn_sweeper_refresh(mrn_sweeper *w, const double *r);
/* One sweep; `reverse` goes through the order backwards (never with colours). */
void mrn_sweep(mrn_sweeper *w, bool reverse, double *r, mrn_sweep_sums *sums);
/* u = W r + q of the impulses of the last sweep, where the sweeper has the velocities of bodies;
   else by the system. They carry the rounding of all sweeps since mrn_sweeper_refresh. */
void mrn_sweeper_velocity(const mrn_sweeper *w, const double *r, double *u);
/* mean, quadratic, maximum and signed violation from the sums of a sweep */
void mrn_sweep_violations(const mrn_sweep_sums *sums, double violation[MRN_VIOLATIONS]);

#endif
