/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Siconos: which of its solvers are compared, and how a problem is handed to it. W goes in its
   sparse-block storage, the fast path of its Gauss-Seidel family. */
#include <stdlib.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include "compare.h"

const method siconos_methods[] = {
    {.name = "NSGS",
     .about = "Gauss-Seidel as it comes (local solver NSN_GP_HYBRID)",
     .id = SICONOS_FRICTION_3D_NSGS},
    {.name = "NSGS-NSN",
     .about = "Gauss-Seidel with Newton local solver (ONECONTACT_NSN), options as they come",
     .id = SICONOS_FRICTION_3D_NSGS,
     .local = SICONOS_FRICTION_3D_ONECONTACT_NSN},
    {.name = "NSGS-NSN/10",
     .about = "the same with the full error at every tenth sweep instead of the test on the change "
              "of a sweep, which stops late: the fastest variant found at low accuracy",
     .id = SICONOS_FRICTION_3D_NSGS,
     .local = SICONOS_FRICTION_3D_ONECONTACT_NSN,
     .full_every = 10},
    {.name = "PROX",
     .about = "proximal point with Newton inside (NSN_AC)",
     .id = SICONOS_FRICTION_3D_PROX},
    {.name = "NSN_AC",
     .about = "non-smooth Newton, Alart-Curnier",
     .id = SICONOS_FRICTION_3D_NSN_AC},
    {.name = "NSN_FB",
     .about = "non-smooth Newton, Fischer-Burmeister",
     .id = SICONOS_FRICTION_3D_NSN_FB},
    {.name = "ADMM", .about = "as it comes", .id = SICONOS_FRICTION_3D_ADMM},
    {.name = "ADMM-RB",
     .about = "with the penalty from balanced residuals",
     .id = SICONOS_FRICTION_3D_ADMM,
     .balancing = true},
    {.name = "VI_EG", .about = "extragradient", .id = SICONOS_FRICTION_3D_VI_EG},
};
const int n_siconos_methods = sizeof siconos_methods / sizeof *siconos_methods;

static void *need(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size);
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static void *copy(const void *from, size_t bytes)
{
    return memcpy(need(bytes, 1), from, bytes);
}

/* Every block in memory of its own: Siconos frees them one by one. */
static NumericsMatrix *matrix_of(const mrn_bsr *w)
{
    size_t n = (size_t)w->rows, blocks = (size_t)w->start[w->rows], entries = 9;
    SparseBlockStructuredMatrix *m = SBM_new();
    m->nbblocks = (unsigned)blocks;
    m->blocknumber0 = m->blocknumber1 = (unsigned)n;
    m->blocksize0 = need(n, sizeof *m->blocksize0);
    m->blocksize1 = need(n, sizeof *m->blocksize1);
    m->filled1 = n + 1, m->filled2 = blocks;
    m->index1_data = need(n + 1, sizeof *m->index1_data);
    m->index2_data = need(blocks, sizeof *m->index2_data);
    m->block = need(blocks, sizeof *m->block);
    for (size_t i = 0; i < n; i++)
        m->blocksize0[i] = m->blocksize1[i] = (unsigned)(3 * (i + 1));
    for (size_t i = 0; i <= n; i++)
        m->index1_data[i] = (size_t)w->start[i];
    for (size_t k = 0; k < blocks; k++) {
        m->index2_data[k] = (size_t)w->col[k];
        m->block[k] = copy(w->value + entries * k, entries * sizeof(double));
    }
    return NM_new_SBM((int)(3 * n), (int)(3 * n), m);
}

static SolverOptions *options_of(const method *m, double tolerance)
{
    SolverOptions *o = solver_options_create(m->id);
    if (m->local != 0)
        solver_options_update_internal(o, 0, m->local);
    o->dparam[SICONOS_DPARAM_TOL] = tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000000; /* the clock is the limit */
    if (m->full_every > 0) {
        o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
        o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = m->full_every;
    }
    if (m->balancing)
        o->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
    return o;
}

double solve_theirs(const mrn_problem *p, const method *m, double tolerance, double *r,
                    int64_t *iterations)
{
    size_t numbers = 3 * (size_t)p->n;
    /* built anew for every solve: some solvers keep conversions of W in it */
    FrictionContactProblem *f = frictionContactProblem_new_with_data(
        3, p->n, matrix_of(&p->W), copy(p->q, numbers * sizeof *p->q),
        copy(p->mu[MRN_SLIDING], (size_t)p->n * sizeof *p->q));
    SolverOptions *o = options_of(m, tolerance);
    double *u = need(numbers, sizeof *u);
    memset(r, 0, numbers * sizeof *r);
    double t = processor_seconds();
    fc3d_driver(f, r, u, o);
    t = processor_seconds() - t;
    *iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
    free(u);
    solver_options_delete(o);
    free(o);
    frictionContactProblem_free(f);
    return t;
}
