/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Either engine behind one face: the scene's method decides. */
#include <string.h>

#include "base/base.h"
#include "moraine/engine.h"

static bool is(const mrn_scene *scene, const char *method)
{
    return strcmp(scene->method, method) == 0;
}

static bool is_nonsmooth(const mrn_scene *scene)
{
    return is(scene, "nonsmooth");
}

static bool is_quasistatic(const mrn_scene *scene)
{
    return is(scene, "quasistatic");
}

mrn_status mrn_engine_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                             mrn_engine *out, mrn_message *msg)
{
    *out = (mrn_engine){.scene = scene, .state = s, .stop = stop};
    s->quasistatic.active = is_quasistatic(scene);
    if (is_quasistatic(scene))
        return mrn_quasistatic_create(scene, s, stop, &out->quasistatic, msg);
    return is_nonsmooth(scene) ? mrn_nonsmooth_create(scene, s, &out->nonsmooth, msg)
                               : mrn_smooth_create(scene, s, &out->smooth, msg);
}

void mrn_engine_destroy(mrn_engine *e)
{
    mrn_smooth_destroy(&e->smooth);
    mrn_nonsmooth_destroy(&e->nonsmooth);
    mrn_quasistatic_destroy(&e->quasistatic);
}

/* A stage brought another method. There is no account of energy without motion: it begins anew. */
static mrn_status change(mrn_engine *e, mrn_message *msg)
{
    const mrn_scene *scene = e->scene;
    mrn_state *s = e->state;
    mrn_step_times before = mrn_engine_times(e);
    mrn_engine_destroy(e);
    mrn_status st = mrn_engine_create(scene, s, e->stop, e, msg);
    e->before = before;
    if (st == MRN_OK && e->smooth != NULL)
        st = mrn_smooth_refresh(e->smooth, msg);
    if (st == MRN_OK)
        mrn_ledger_open(scene, s);
    return st;
}

mrn_status mrn_engine_refresh(mrn_engine *e, mrn_message *msg)
{
    if (e->nonsmooth != NULL)
        return mrn_nonsmooth_refresh(e->nonsmooth, msg);
    if ((e->quasistatic != NULL) != is_quasistatic(e->scene))
        return change(e, msg);
    return e->quasistatic != NULL ? mrn_quasistatic_refresh(e->quasistatic, msg)
                                  : mrn_smooth_refresh(e->smooth, msg);
}

mrn_status mrn_engine_step(mrn_engine *e, int64_t n, mrn_message *msg)
{
    if (e->quasistatic != NULL)
        return mrn_quasistatic_step(e->quasistatic, n, msg);
    return e->nonsmooth != NULL ? mrn_nonsmooth_step(e->nonsmooth, n, msg)
                                : mrn_smooth_step(e->smooth, n, msg);
}

static mrn_step_times added(mrn_step_times a, mrn_step_times b)
{
    return (mrn_step_times){.list = a.list + b.list,
                            .forces = a.forces + b.forces,
                            .bodies = a.bodies + b.bodies,
                            .walls = a.walls + b.walls,
                            .contacts = a.contacts + b.contacts,
                            .assembly = a.assembly + b.assembly,
                            .solve = a.solve + b.solve,
                            .steps = a.steps + b.steps,
                            .body_steps = a.body_steps + b.body_steps,
                            .sweeps = a.sweeps + b.sweeps,
                            .contact_sweeps = a.contact_sweeps + b.contact_sweeps};
}

mrn_step_times mrn_engine_times(const mrn_engine *e)
{
    mrn_step_times now = {0};
    if (e->quasistatic != NULL)
        now = mrn_quasistatic_times(e->quasistatic);
    else if (e->nonsmooth != NULL)
        now = mrn_nonsmooth_times(e->nonsmooth);
    else if (e->smooth != NULL)
        now = mrn_smooth_times(e->smooth);
    return added(e->before, now);
}

mrn_step_limit mrn_engine_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    if (is_quasistatic(scene))
        return mrn_quasistatic_step_limit(scene, s);
    return is_nonsmooth(scene) ? mrn_nonsmooth_step_limit(scene, s)
                               : mrn_smooth_step_limit(scene, s);
}

const char *mrn_gap_form_name(mrn_gap_form f)
{
    static const char *const name[] = {"mixed", "velocity", "closing"};
    return f >= MRN_GAP_MIXED && f <= MRN_GAP_CLOSING ? name[f] : "?";
}

const char *mrn_unsolved_name(mrn_unsolved u)
{
    static const char *const name[] = {"go-on", "halve", "switch", "stop"};
    return u >= MRN_UNSOLVED_GO_ON && u <= MRN_UNSOLVED_STOP ? name[u] : "?";
}
