/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the non-smooth engine can work with its choices in a scene. */
#include <stdio.h>
#include <string.h>

#include "model/owner.h"
#include "nonsmooth/nonsmooth.h"

/* ---- choices ---- */

/* What the solver must be able to do for the other choices and the joints. */
static mrn_status check_abilities(const mrn_owner *o, const mrn_nonsmooth_options *n)
{
    const mrn_solver *solver = mrn_solver_find(n->solver);
    char text[200];
    if (n->criterion != MRN_STOP_NATURAL && !solver->sweeps) {
        snprintf(text, sizeof text,
                 "its 'criterion' %s needs a solver that sweeps, which %s is not",
                 mrn_criterion_name(n->criterion), n->solver);
        return mrn_owner_fail(o, "criterion", text, "criterion: natural, or solver: nlgs");
    }
    if (!n->stored && solver->wants_W && strcmp(n->solver, "nlgs") != 0) {
        snprintf(text, sizeof text, "its solver %s needs blocks that 'storage' exchange leaves out",
                 n->solver);
        return mrn_owner_fail(o, "storage", text,
                              "storage: stored, or solver nlgs, nlgs-exchange, apgd or cpg");
    }
    if (o->scene->n_joints > 0 && !solver->bilateral) {
        snprintf(text, sizeof text, "its 'solver' %s cannot solve joints", n->solver);
        return mrn_owner_fail(o, "solver", text, "solver: nlgs");
    }
    return MRN_OK;
}

/* Whether the solver can solve contacts of the kind that the laws make. */
static mrn_status check_kind(const mrn_owner *o, const mrn_nonsmooth_options *n)
{
    const mrn_solver *solver = mrn_solver_find(n->solver);
    if ((solver->kinds & 1u << o->scene->contact_kind) != 0)
        return MRN_OK;
    char text[200];
    snprintf(text, sizeof text, "its 'solver' %s cannot solve rolling or pivoting friction",
             n->solver);
    return mrn_owner_fail(o, "solver", text, "solver: nlgs or hybrid");
}

/* The scene's choices and those of its stages. */
static mrn_status check_choices(const mrn_scene *s, mrn_message *msg,
                                mrn_status (*check)(const mrn_owner *,
                                                    const mrn_nonsmooth_options *))
{
    mrn_owner all = mrn_owner_of(s, msg, "'nonsmooth'", NULL, "nonsmooth");
    MRN_CHECK(check(&all, &s->nonsmooth));
    for (int i = 0; i < s->n_stages; i++) {
        mrn_owner one = mrn_owner_of(s, msg, "stage", s->stage[i].name, "stages.%d.nonsmooth", i);
        if (s->stage[i].has_nonsmooth)
            MRN_CHECK(check(&one, &s->stage[i].nonsmooth));
    }
    return MRN_OK;
}

/* ---- what the engine cannot do ---- */

static mrn_status check_control(const mrn_owner *o, const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return mrn_owner_fail(o, NULL,
                                  o->name != NULL
                                      ? "the 'cell' cannot be driven under method nonsmooth"
                                      : "it cannot be driven under method nonsmooth",
                                  "walls that move or bear a load, or method: smooth");
    return MRN_OK;
}

static mrn_status check_damping(const mrn_owner *o, const mrn_damping *d)
{
    if (d->local == 0)
        return MRN_OK;
    return mrn_owner_fail(
        o, "local", "damping 'local' works on contact forces, of which method nonsmooth has none",
        "global: 5 1/s, or method: smooth");
}

static mrn_status check_limits(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(s, msg, "the 'integrator'", NULL, "integrator");
    mrn_owner damping = mrn_owner_of(s, msg, "'damping'", NULL, "damping");
    mrn_owner cell = mrn_owner_of(s, msg, "the 'cell'", NULL, "cell");
    if (s->integrator != MRN_VERLET)
        return mrn_owner_fail(
            &o, NULL, "euler and gear belong to method smooth",
            "no integrator: under method nonsmooth, theta says how steps are made");
    MRN_CHECK(check_damping(&damping, &s->damping));
    MRN_CHECK(check_control(&cell, &s->cell.control));
    for (int i = 0; i < s->n_stages; i++) {
        const mrn_stage *g = &s->stage[i];
        mrn_owner its_damping = mrn_owner_of(s, msg, "stage", g->name, "stages.%d.damping", i);
        mrn_owner its_cell = mrn_owner_of(s, msg, "stage", g->name, "stages.%d.cell", i);
        if (g->has_damping)
            MRN_CHECK(check_damping(&its_damping, &g->damping));
        if (g->has_control)
            MRN_CHECK(check_control(&its_cell, &g->control));
    }
    return MRN_OK;
}

mrn_status mrn_nonsmooth_check(const mrn_scene *s, mrn_message *msg)
{
    MRN_CHECK(check_choices(s, msg, check_abilities));
    MRN_CHECK(check_limits(s, msg));
    return check_choices(s, msg, check_kind);
}
