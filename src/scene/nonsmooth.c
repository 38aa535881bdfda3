/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choices of the non-smooth engine, and degrees of freedom of grains that are imposed. */
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

/* ---- choices ---- */

/* A solver by name, or {name: {option: value}}. */
mrn_status mrn_build_solver(mrn_reader *r, const mrn_node *n, void *options)
{
    mrn_nonsmooth_options *out = options;
    const char *name = n->kind == MRN_NODE_MAP ? n->first->key->text : n->text;
    const mrn_solver *solver = mrn_solver_find(name);
    snprintf(out->solver, sizeof out->solver, "%s", name);
    memset(out->option, 0, sizeof out->option);
    mrn_solver_defaults(solver, out->option);
    mrn_status s = MRN_OK;
    for (int i = 0; n->kind == MRN_NODE_MAP && i < solver->n_params && s == MRN_OK; i++) {
        const mrn_node *x = mrn_node_get(n->first, solver->params[i].name);
        if (x != NULL)
            s = mrn_build_value(r, &solver->params[i], x, &out->option[i]);
    }
    return s;
}

/* ---- degrees of freedom ---- */

static const char *const freedoms[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

static mrn_status read_freedom(mrn_reader *r, const mrn_node *n, int *out)
{
    *out = mrn_read_word(n, freedoms);
    bool flat = *out == 0 || *out == 1 || *out == 5;
    if (r->check.dimension == 3 || flat)
        return MRN_OK;
    return mrn_check_fail(&r->check, n, "x, y, rz", "'%s' has no meaning in 2 dimensions", n->text);
}

static mrn_status read_hold(mrn_reader *r, const mrn_node *list, mrn_imposed *g)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next) {
        int k = 0;
        s = read_freedom(r, n, &k);
        if (s == MRN_OK && (g->held & 1u << k) != 0)
            return mrn_check_fail(&r->check, n, "each degree of freedom once",
                                  "'hold' names '%s' twice", n->text);
        g->held |= 1u << k;
    }
    return s;
}

static mrn_status read_drive(mrn_reader *r, const mrn_node *map, mrn_imposed *g)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = map->first; n != NULL && s == MRN_OK; n = n->next) {
        int k = 0;
        s = read_freedom(r, n->key, &k);
        if (s == MRN_OK && (g->held & 1u << k) != 0)
            return mrn_check_fail(&r->check, n->key, "hold or drive, not both",
                                  "'%s' is held and driven at once", n->key->text);
        if (s == MRN_OK)
            s = mrn_read_signal(&r->check, n, k < 3 ? "m/s" : "rad/s", &g->drive[k]);
        g->held |= 1u << k;
    }
    return s;
}

/* The word `none` has no children. */
mrn_status mrn_build_imposed(mrn_reader *r, const mrn_node *n, mrn_imposed *out)
{
    const mrn_node *hold = mrn_node_get(n, "hold"), *drive = mrn_node_get(n, "drive");
    mrn_status s = hold != NULL ? read_hold(r, hold, out) : MRN_OK;
    return s == MRN_OK && drive != NULL ? read_drive(r, drive, out) : s;
}

mrn_status mrn_build_held(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    mrn_imposed x = {0};
    mrn_status s = mrn_build_imposed(r, n, &x);
    g->held = x.held;
    memcpy(g->drive, x.drive, sizeof g->drive);
    return s;
}
