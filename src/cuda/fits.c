/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device cannot do yet, beside what the table of abilities refuses (method_cuda.c): laws,
   walls and sizes, each with the place of the key. */
#include "base/base.h"
#include "cuda/cuda.h"
#include "cuda/limits.h"

static mrn_status check_integrator(const mrn_scene *scene, mrn_message *msg)
{
    if (scene->integrator != MRN_GEAR)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "integrator 'gear' is not on the device yet");
    mrn_fail_expected(msg, "verlet or euler, or device: cpu");
    return mrn_fail_path(msg, "integrator");
}

/* Single precision ends at 1e-38, and formulas multiply what they are given. */
static mrn_status check_precision(const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    const double least = 1e-30;
    if (scene->precision != MRN_PRECISION_MIXED)
        return MRN_OK;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (s->body.inertia[i] > least)
            continue;
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the moment of inertia of grain %d, %.3g kg m2, is too small for single precision",
                 s->body.id[i], s->body.inertia[i]);
        mrn_fail_expected(msg, "moments above %.0e kg m2, or precision: double", least);
        return mrn_fail_path(msg, "precision");
    }
    return MRN_OK;
}

mrn_status mrn_cuda_fits(const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    if (scene->n_materials > MRN_GPU_MATERIALS || scene->n_interactions > MRN_GPU_LAWS)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "a device takes at most %d materials and %d interactions",
                        MRN_GPU_MATERIALS, MRN_GPU_LAWS);
    if (scene->history > MRN_GPU_LONG)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "contacts remember %d numbers under these laws, %d at most on a device",
                        scene->history, MRN_GPU_LONG);
    mrn_status st = check_integrator(scene, msg);
    return st == MRN_OK ? check_precision(scene, s, msg) : st;
}
