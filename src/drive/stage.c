/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin of a stage: what it takes away, opens and closes. */
#include "drive/drive.h"
#include "drive/sources.h"

static bool can_enter(const mrn_scene *scene, const mrn_stage *g, const mrn_state *s)
{
    for (int k = 0; k < g->n_remove; k++)
        if (g->remove_wall[k] < 0 || g->remove_wall[k] >= s->body.n_walls)
            return false;
    for (int k = 0; k < g->n_inlets; k++)
        if (mrn_inlet_order(scene, g->inlet_group[k]) < 0)
            return false;
    return true;
}

/* What is held or freed concerns all that leans on it: nobody sleeps through it. */
static void wake(mrn_state *s)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        s->body.flags[i] &= (uint16_t)~MRN_BODY_ASLEEP;
    for (int32_t i = 0; i < s->memory.n_rest_steps; i++)
        s->memory.rest_steps[i] = 0;
    s->nonsmooth.asleep = 0;
}

mrn_status mrn_drive_enter_stage(const mrn_scene *scene, int stage, mrn_state *s)
{
    if (stage < 0 || stage >= scene->n_stages || !can_enter(scene, &scene->stage[stage], s))
        return MRN_ERR_RANGE;
    const mrn_stage *g = &scene->stage[stage];
    for (int k = 0; k < g->n_remove; k++)
        s->body.flags[g->remove_wall[k]] |= MRN_BODY_ABSENT;
    for (int k = 0; k < g->n_inlets; k++)
        s->drive.inlet_open[mrn_inlet_order(scene, g->inlet_group[k])] = g->inlet_open[k] ? 1 : -1;
    if (g->n_imposed > 0)
        wake(s);
    mrn_drive_walls(scene, s, s->time, s->time);
    mrn_drive_gravity(scene, s, s->time);
    mrn_drive_cell(scene, s, s->time);
    return MRN_OK;
}
