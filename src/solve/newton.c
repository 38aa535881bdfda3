/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver that Newton's steps with proximal points make. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/newton.h"
#include "solve/solvers.h"

static const char *const functions[] = {"alart-curnier", "natural-map", "fischer-burmeister", NULL};
static const char *const linears[] = {"direct", "iterative", NULL};
enum { DIRECT, ITERATIVE };
static const char *const searches[] = {"none", "armijo", "non-monotone", NULL};

enum { OPT_FUNCTION, OPT_LINEAR, OPT_REGULARISATION, OPT_SEARCH, OPT_SWEEPS };
static const mrn_param params[] = {
    [OPT_FUNCTION] = {.name = "function",
                      .kind = MRN_P_CHOICE,
                      .unit = "1",
                      .choices = functions,
                      .fallback = MRN_MAP_ALART_CURNIER,
                      .doc = "Function whose zeros are the contact laws: Alart and Curnier's, the "
                             "natural map of De Saxce's form, or Fischer and Burmeister's on the "
                             "second-order cone."},
    [OPT_LINEAR] = {.name = "linear",
                    .kind = MRN_P_CHOICE,
                    .unit = "1",
                    .choices = linears,
                    .fallback = DIRECT,
                    .doc = "Linear solver: a sparse block LU factorisation, or GMRES with the "
                           "diagonal blocks as preconditioner, which needs less memory."},
    [OPT_REGULARISATION] = {.name = "regularisation",
                            .symbol = "c",
                            .kind = MRN_P_NUMBER,
                            .unit = "1",
                            .min = 0,
                            .min_open = true,
                            .max = 1e6,
                            .fallback = 1,
                            .doc = "The first alpha, and every one near the answer, is c times the "
                                   "residual (in units of the mean diagonal of W): a singular W is "
                                   "then no obstacle. Around 1 is robust, 0.01 quicker near the "
                                   "answer."},
    [OPT_SEARCH] = {.name = "line-search",
                    .kind = MRN_P_CHOICE,
                    .unit = "1",
                    .choices = searches,
                    .fallback = MRN_SEARCH_NONE,
                    .doc = "Steps are taken whole, or halved until |F|^2 falls as Armijo demands: "
                           "below its value at the last iterate, or below the largest of the last "
                           "eight (non-monotone). A search makes the function fall and the whole "
                           "usually slower."},
    [OPT_SWEEPS] = {.name = "sweeps",
                    .kind = MRN_P_NUMBER,
                    .unit = "count",
                    .min = 0,
                    .max = 1e6,
                    .fallback = 10,
                    .doc = "Gauss-Seidel sweeps before the first step, and whenever the steps did "
                           "not find their way."},
};

/* ---- the solver ---- */

static void give_up(mrn_progress_log *log)
{
    log->stop = MRN_STOP_STALLED;
    snprintf(log->words, sizeof log->words,
             "no further progress after %lld iterations: neither Newton's steps nor sweeps lead on",
             (long long)log->iterations);
}

static void iterate(mrn_proximal *g, double *r, mrn_progress_log *log)
{
    if (mrn_proximal_sweep(g, r, log))
        return;
    /* sweeps can only be worse than the guess where it was nearly the answer */
    memcpy(r, log->best_r, (size_t)g->s->n * (size_t)g->s->b * sizeof *r);
    mrn_proximal_start(g, r);
    if (!mrn_proximal_run(g, INT32_MAX, r, log))
        give_up(log);
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    bool direct = option[OPT_LINEAR].number == DIRECT;
    mrn_step_matrix matrix = {0};
    mrn_newton_memory memory;
    mrn_proximal g;
    mrn_status st = mrn_newton_make(s, &memory, msg);
    if (st == MRN_OK && direct)
        st = mrn_step_matrix_plan(s, MRN_SPACE_AUTO, INT64_MAX, &matrix, msg);
    if (st == MRN_OK && direct)
        st = mrn_step_matrix_take_room(&matrix, msg);
    log->matrices += st == MRN_OK && direct ? mrn_step_matrix_bytes(&matrix) : 0;
    if (st == MRN_OK)
        st = mrn_proximal_make(s, direct ? &matrix : NULL, &memory, &g, msg);
    if (st == MRN_OK) {
        g.map = (mrn_newton_map)option[OPT_FUNCTION].number;
        g.search = (mrn_newton_search)option[OPT_SEARCH].number;
        g.regularisation = option[OPT_REGULARISATION].number;
        g.sweeps = (int64_t)option[OPT_SWEEPS].number;
        iterate(&g, r, log);
    }
    mrn_step_matrix_release(&matrix);
    return st;
}

const mrn_solver mrn_solver_newton = {
    .name = "newton",
    .summary = "Generalised Newton on the whole problem with proximal points.",
    .doc = "Every contact gets an equation F(r, u) = 0 that is equivalent to its laws and has a "
           "derivative almost everywhere (Alart and Curnier 1991; natural map; Fischer and "
           "Burmeister on the second-order cone, Fukushima, Luo and Tseng 2002). With A = dF/dr "
           "and C = dF/du a step is -(A + C (W + alpha 1))^-1 F: one sparse block LU "
           "factorisation, or a GMRES iteration. The velocity is u = W r + q + alpha (r - centre), "
           "whose last term vanishes in the end: steps for one centre give the next (proximal "
           "points). alpha shrinks as long as the steps find their way and grows, after some "
           "Gauss-Seidel sweeps, when they do not.",
    .advice = "For high accuracy, hyperstatic problems among them, and from a good guess: near the "
              "answer the residual squares with every step. The cost of a step grows faster than "
              "linearly with the contacts. From far it needs many steps where many contacts "
              "change between open, sticking and sliding (walls of blocks that slide); nlgs is "
              "quicker to low accuracy there. A problem without an answer ends with `no further "
              "progress`.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_KIND(MRN_CONTACT_2D) | MRN_KIND(MRN_CONTACT_3D),
    .wants_W = true,
    .bodies_do = true,
    .bilateral = true,
    .max_iterations = 10000,
    .solve = solve,
};
