/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal and tangential impulses in turns (Panagiotopoulos 1975): with the tangential ones frozen
   the normal ones are a problem of Signorini, with the normal ones frozen the bounds of friction
   are known numbers and the tangential ones a problem of Tresca; each is convex, their sequence is
   a fixed point that need not attract. Both halves are projected Gauss-Seidel sweeps. */
#include "base/base.h"
#include "solve/kernel.h"
#include "solve/solvers.h"

enum { OPT_SWEEPS };
static const mrn_param params[] = {
    [OPT_SWEEPS] = {.name = "sweeps",
                    .kind = MRN_P_NUMBER,
                    .unit = "count",
                    .min = 1,
                    .max = 1e6,
                    .fallback = 5,
                    .doc = "Gauss-Seidel sweeps over all contacts for each half before the other "
                           "has its turn."},
};

/* u of contact i with the newest impulses. */
static void velocity_of(const mrn_system *s, int i, const double *r, double *u)
{
    int b = s->b;
    for (int c = 0; c < b; c++)
        u[c] = s->q[(int64_t)i * b + c];
    mrn_row_times(s, i, r, u);
    mrn_block_times(b, s->diag + (int64_t)i * b * b, r + (int64_t)i * b, u);
}

static void update_normal(const mrn_system *s, int i, double *r)
{
    double u[MRN_CONTACT_BLOCK_MAX], *ri = r + (int64_t)i * s->b;
    velocity_of(s, i, r, u);
    double y = ri[0] - u[0] / s->diag[(int64_t)i * s->b * s->b];
    ri[0] = s->law[i] == MRN_BILATERAL || y > 0 ? y : 0;
}

/* The largest eigenvalue of the block of a group: of one number, or of two. */
static double stiffest(int b, const double *w, int first, int width)
{
    double a = w[first * b + first];
    if (width == 1)
        return a;
    double c = w[(first + 1) * b + first + 1];
    double d = 0.5 * (w[(first + 1) * b + first] + w[first * b + first + 1]);
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + d * d);
}

/* A projected step of one group of friction: exact for one number, a contraction for two. */
static void update_group(const mrn_system *s, int i, int group, double *r)
{
    double u[MRN_CONTACT_BLOCK_MAX], *ri = r + (int64_t)i * s->b;
    int first = s->lay->first[group], width = s->lay->width[group];
    double size = stiffest(s->b, s->diag + (int64_t)i * s->b * s->b, first, width), length = 0;
    double bound = s->mu[(int64_t)i * MRN_FRICTION_GROUPS + group] * ri[0];
    if (!(size > 0))
        return;
    velocity_of(s, i, r, u);
    for (int c = first; c < first + width; c++) {
        ri[c] -= u[c] / size;
        length += ri[c] * ri[c];
    }
    length = sqrt(length);
    for (int c = first; s->law[i] != MRN_BILATERAL && length > bound && c < first + width; c++)
        ri[c] *= bound / length;
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    (void)msg;
    do {
        /* an iteration is a sweep of one half; the limit is kept to two */
        int64_t left = (log->limit - log->iterations + 1) / 2;
        int sweeps = (int)fmax(1, fmin(option[OPT_SWEEPS].number, (double)left));
        for (int k = 0; k < sweeps; k++)
            for (int i = 0; i < s->n; i++)
                update_normal(s, i, r);
        for (int k = 0; k < sweeps; k++)
            for (int i = 0; i < s->n; i++)
                for (int g = 0; g < s->lay->groups; g++)
                    update_group(s, i, g, r);
        mrn_system_project(s, r, r); /* bounds of the last half are those of its normal impulses */
        log->iterations += (int64_t)2 * sweeps;
        log->updates += (int64_t)2 * sweeps * s->n;
    } while (!mrn_log_iterate(s, log, "alternating", r, NULL));
    return MRN_OK;
}

const mrn_solver mrn_solver_alternating = {
    .name = "alternating",
    .summary = "Normal and tangential impulses in turns.",
    .doc = "The normal impulses with frozen tangential ones (Signorini), then the tangential ones "
           "with bounds mu r_N of frozen normal ones (Tresca), each by some projected Gauss-Seidel "
           "sweeps, and so on (Panagiotopoulos 1975; Haslinger, Hlavacek and Necas 1996).",
    .advice = "For comparison with nlgs, which solves the two together at each contact. Where "
              "normal and tangential impulses depend on each other strongly (large friction, "
              "jammed bodies) the turns may circle or stand still: it then ends at its limit.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bilateral = true,
    .max_iterations = 100000,
    .solve = solve,
};
