/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine of a scene: its method, found in the list, and what the method keeps. */
#include "moraine/engine.h"
#include "base/base.h"
#include "cuda/cuda.h"
#include "engine/abilities.h"
#include "measure/measure.h"

/* The method of the scene as its device has it. */
static const mrn_method *method_at_work(const mrn_scene *scene)
{
    const mrn_method *m = mrn_method_of(scene);
    return m == &mrn_method_smooth && scene->device != MRN_DEVICE_CPU ? &mrn_method_cuda : m;
}

/* Work is not done elsewhere than it was asked for without a word. */
static mrn_status check_device(const mrn_scene *scene, mrn_message *msg)
{
    const mrn_method *m = mrn_method_of(scene);
    if (scene->device == MRN_DEVICE_CPU && scene->precision != MRN_PRECISION_DOUBLE) {
        mrn_fail(msg, MRN_ERR_INPUT, "the processor computes in double precision");
        mrn_fail_expected(msg, "precision: double, or a device (device: cuda)");
        return mrn_fail_path(msg, "precision");
    }
    if (scene->device == MRN_DEVICE_CPU || method_at_work(scene) != m)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "method '%s' is not on the device yet", m->name);
    mrn_fail_expected(msg, "method: smooth, or device: cpu");
    return mrn_fail_path(msg, "device");
}

static mrn_status create(const mrn_method *method, const mrn_scene *scene, mrn_state *s,
                         volatile const int *stop, mrn_engine *out, mrn_message *msg)
{
    *out = (mrn_engine){.method = method, .scene = scene, .state = s, .stop = stop};
    mrn_status st = mrn_abilities_check(method, scene, msg);
    return st == MRN_OK ? method->create(scene, s, stop, &out->self, msg) : st;
}

mrn_status mrn_engine_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                             mrn_engine *out, mrn_message *msg)
{
    *out = (mrn_engine){.method = method_at_work(scene), .scene = scene, .state = s, .stop = stop};
    mrn_status st = check_device(scene, msg);
    return st == MRN_OK ? create(out->method, scene, s, stop, out, msg) : st;
}

mrn_status mrn_engine_create_still(const mrn_scene *scene, mrn_state *s, mrn_engine *out,
                                   mrn_message *msg)
{
    return create(mrn_method_family(mrn_method_of(scene)), scene, s, NULL, out, msg);
}

void mrn_engine_destroy(mrn_engine *e)
{
    if (e->self != NULL)
        e->method->destroy(e->self);
    e->self = NULL;
}

/* A stage brought another method. There is no account of energy over both: it begins anew. */
static mrn_status change(mrn_engine *e, mrn_message *msg)
{
    mrn_step_times before = mrn_engine_times(e);
    bool lazy = e->lazy;
    mrn_engine_destroy(e);
    mrn_status st = mrn_engine_create(e->scene, e->state, e->stop, e, msg);
    e->before = before;
    e->lazy = lazy;
    if (st == MRN_OK) /* a state that goes on is taken as it is, but the scene has changed */
        st = e->method->refresh(e->self, msg);
    if (st == MRN_OK)
        mrn_ledger_open(e->scene, e->state);
    return st;
}

/* One that could not be made, or was ended by a failed change of method. */
static mrn_status check_made(const mrn_engine *e, mrn_message *msg)
{
    if (e->self != NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "there is no engine: it was not made, or it was ended");
    return mrn_fail_hint(msg, "look at what mrn_engine_create or the last stage returned");
}

mrn_status mrn_engine_refresh(mrn_engine *e, mrn_message *msg)
{
    mrn_status made = check_made(e, msg);
    if (made != MRN_OK)
        return made;
    if (method_at_work(e->scene) != e->method)
        return change(e, msg);
    mrn_status st = mrn_abilities_check(e->method, e->scene, msg);
    return st == MRN_OK ? e->method->refresh(e->self, msg) : st;
}

mrn_status mrn_engine_advance(mrn_engine *e, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_status st = check_made(e, msg);
    if (st == MRN_OK)
        st = e->method->advance(e->self, until, max_steps, msg);
    if (st == MRN_OK && e->method->sync != NULL && !e->lazy)
        st = e->method->sync(e->self, true, false, msg);
    return st;
}

mrn_status mrn_engine_sync(mrn_engine *e, mrn_message *msg)
{
    bool needed = e->self != NULL && e->method->sync != NULL;
    return needed ? e->method->sync(e->self, true, e->lazy, msg) : MRN_OK;
}

mrn_status mrn_engine_look(mrn_engine *e, mrn_message *msg)
{
    bool needed = e->self != NULL && e->method->sync != NULL;
    return needed ? e->method->sync(e->self, false, e->lazy, msg) : MRN_OK;
}

mrn_status mrn_engine_energies(mrn_engine *e, mrn_energies *out, mrn_message *msg)
{
    double sum[3];
    bool known = false;
    mrn_status st = MRN_OK;
    if (e->self != NULL && e->method->energies != NULL)
        st = e->method->energies(e->self, sum, &known, msg);
    if (st == MRN_OK)
        *out =
            known ? mrn_account_energies(e->state, sum) : mrn_measure_energies(e->scene, e->state);
    return st;
}

mrn_status mrn_engine_step(mrn_engine *e, int64_t n, mrn_message *msg)
{
    return mrn_engine_advance(e, INFINITY, n, msg);
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
    return e->self != NULL ? added(e->before, e->method->times(e->self)) : e->before;
}

mrn_step_limit mrn_engine_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    return mrn_method_of(scene)->step_limit(scene, s);
}

size_t mrn_engine_bytes(const mrn_engine *e)
{
    return e->self != NULL && e->method->bytes != NULL ? e->method->bytes(e->self) : 0;
}

const mrn_problem *mrn_engine_problem(const mrn_engine *e, const double **r)
{
    return e->self != NULL && e->method->problem != NULL ? e->method->problem(e->self, r) : NULL;
}

void mrn_engine_keep_unsolved(mrn_engine *e, mrn_keep_problem *write, void *user, int max)
{
    if (e->self != NULL && e->method->keep_unsolved != NULL)
        e->method->keep_unsolved(e->self, write, user, max);
}
