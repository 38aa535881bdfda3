/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the non-smooth engine can work with its choices in a scene. */
#include <stdio.h>
#include <string.h>

#include "model/owner.h"
#include "nonsmooth/nonsmooth.h"

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

mrn_status mrn_nonsmooth_check(const mrn_scene *s, mrn_message *msg)
{
    MRN_CHECK(check_choices(s, msg, check_abilities));
    return check_choices(s, msg, check_kind);
}
