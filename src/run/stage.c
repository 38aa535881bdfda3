/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin of a stage, in a run and in a world that a program steps. */
#include <string.h>

#include "drive/drive.h"
#include "run/parts.h"

/* A contact whose law is replaced begins anew: what it remembers means nothing to another law. The
   same law with other numbers goes on with its history. Rigid contacts remember impulses alone,
   which are a guess under any law. */
static bool forget_changed_laws(const mrn_scene *scene, mrn_state *s, const mrn_stage *g)
{
    bool forgot = false;
    if (scene->method->rigid_contacts)
        return false;
    for (int i = 0; i < g->n_interactions; i++) {
        const mrn_interaction *x = &g->interaction[i];
        int k = scene->pair_of[x->a * scene->n_materials + x->b];
        if (k >= 0 &&
            memcmp(scene->interaction[k].model.part, x->model.part, sizeof x->model.part) != 0) {
            mrn_pairs_forget(scene, s, k);
            forgot = true;
        }
    }
    return forgot;
}

/* What another gravity does to the potential energy is work of the drive; what other laws and
   missing walls do to the stored energy the engine books likewise. */
mrn_status mrn_run_enter_stage(mrn_scene *scene, mrn_state *s, mrn_engine *e, int stage,
                               mrn_step_limit *limit, mrn_message *msg)
{
    double before = mrn_measure_energies(scene, s).gravity;
    bool forgot = forget_changed_laws(scene, s, &scene->stage[stage]);
    mrn_status status = mrn_scene_enter_stage(scene, stage, msg);
    if (status != MRN_OK)
        return status;
    s->stage = stage;
    s->stage_time = s->time;
    s->stage_step = s->step;
    s->kinetic_peak = 0;
    s->servos = (mrn_servo_memory){0};
    status = mrn_drive_enter_stage(scene, stage, s);
    s->ledger.drive_work += mrn_measure_energies(scene, s).gravity - before;
    /* contacts that begin anew count in the limit of the step: they must be found first */
    if (status == MRN_OK && forgot && e->method->physical_time)
        status = e->method->refresh(e->self, msg);
    if (status == MRN_OK)
        status = mrn_run_choose_step(scene, s, limit, msg);
    return status == MRN_OK ? mrn_engine_refresh(e, msg) : status;
}
