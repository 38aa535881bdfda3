/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time step of a stage and the world a run starts from. */
#include <math.h>
#include <stdio.h>

#include "drive/drive.h"
#include "moraine/run.h"
#include "run/parts.h"

/* With fewer grains than this per thread, waiting for each other costs more than sharing saves. */
#define GRAINS_PER_THREAD 3000

int mrn_run_threads(const mrn_state *s)
{
    int enough = 1 + (s->body.n - s->body.n_walls) / GRAINS_PER_THREAD;
    return enough < mrn_threads() ? enough : mrn_threads();
}

/* Without contacts nothing limits the step: a thousand steps per stage and ten between outputs keep
   free flight and conditions well resolved. */
static double step_without_limit(const mrn_scene *scene, int stage)
{
    double h = 1e-3;
    double at_most = scene->stage[stage].at_most, every = scene->output.every;
    if (isfinite(at_most))
        h = fmin(h, at_most / 1000);
    return every > 0 ? fmin(h, every / 10) : h;
}

mrn_status mrn_run_choose_step(const mrn_scene *scene, mrn_state *s, mrn_step_limit *limit,
                               mrn_message *msg)
{
    *limit = mrn_smooth_step_limit(scene, s);
    double h = scene->time_step;
    if (h > limit->critical) {
        mrn_fail(msg, MRN_TOO_STIFF,
                 "the time step %.4g s is above the stability limit %.4g s (%s)", h,
                 limit->critical, limit->reason);
        mrn_fail_expected(msg, "at most %.4g s; advised: %.4g s", limit->critical, limit->advised);
        mrn_fail_hint(msg, "leave the time step out and it is computed, or soften the grains");
        return MRN_TOO_STIFF;
    }
    if (!(h > 0))
        h = limit->advised;
    if (!(h > 0) || !isfinite(h)) {
        h = step_without_limit(scene, s->stage);
        snprintf(limit->reason, sizeof limit->reason, "no contact is possible that limits it");
    }
    s->h = h;
    return MRN_OK;
}

mrn_status mrn_run_prepare(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit, mrn_message *msg)
{
    if (scene->n_stages < 1) {
        mrn_fail(msg, MRN_ERR_INPUT, "the scene has no stage: there is nothing to run");
        return mrn_fail_hint(msg, "add  stages: [{name: run, at-most: 1 s}]");
    }
    mrn_status status = mrn_world_build(scene, s, msg);
    if (status == MRN_OK)
        status = mrn_scene_enter_stage(scene, 0, msg);
    if (status == MRN_OK)
        status = mrn_drive_enter_stage(scene, 0, s);
    if (status != MRN_OK)
        return status;
    mrn_ledger_open(scene, s); /* with the gravity of the first stage */
    return mrn_run_choose_step(scene, s, limit, msg);
}
