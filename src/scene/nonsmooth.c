/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choices of the non-smooth engine, and degrees of freedom of grains that are stated. */
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

/* ---- choices ---- */

/* A solver by name, or {name: {option: value}}. */
static mrn_status read_solver(mrn_reader *r, const mrn_node *n, mrn_nonsmooth_options *out)
{
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

static int word(const mrn_node *map, const char *key, const char *const *words, int now)
{
    const mrn_node *n = mrn_node_get(map, key);
    return n != NULL ? mrn_read_word(n, words) : now;
}

static void read_words(const mrn_node *n, mrn_nonsmooth_options *io)
{
    static const char *const forms[] = {[MRN_GAP_MIXED] = "mixed",
                                        [MRN_GAP_VELOCITY] = "velocity",
                                        [MRN_GAP_CLOSING] = "closing",
                                        NULL};
    static const char *const answers[] = {[MRN_UNSOLVED_GO_ON] = "go-on",
                                          [MRN_UNSOLVED_HALVE] = "halve",
                                          [MRN_UNSOLVED_SWITCH] = "switch",
                                          [MRN_UNSOLVED_STOP] = "stop",
                                          NULL};
    static const char *const storages[] = {"exchange", "stored", NULL};
    const char *criteria[MRN_CRITERIA + 1] = {0};
    for (int k = 0; k < MRN_CRITERIA; k++)
        criteria[k] = mrn_criterion_name((mrn_criterion)k);
    io->gap_rule = (mrn_gap_rule)word(n, "form", forms, io->gap_rule);
    io->unsolved = (mrn_unsolved)word(n, "unsolved", answers, io->unsolved);
    io->criterion = (mrn_criterion)word(n, "criterion", criteria, io->criterion);
    io->stored = word(n, "storage", storages, io->stored) == 1;
}

static mrn_status read_numbers(mrn_reader *r, const mrn_node *n, mrn_nonsmooth_options *io)
{
    const struct {
        const char *key, *unit;
        double *value;
    } number[] = {{"theta", "1", &io->theta},           {"tolerance", "1", &io->tolerance},
                  {"alert", "m", &io->alert},           {"slop", "m", &io->slop},
                  {"threshold", "m/s", &io->threshold}, {"sleep-speed", "m/s", &io->sleep_speed}};
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof number / sizeof *number && s == MRN_OK; i++) {
        const mrn_node *x = mrn_node_get(n, number[i].key);
        if (x != NULL)
            s = mrn_read_quantity(&r->check, x, number[i].unit, number[i].value);
    }
    return s;
}

mrn_status mrn_build_nonsmooth(mrn_reader *r, const mrn_node *n, mrn_nonsmooth_options *io)
{
    if (n == NULL)
        return MRN_OK;
    const mrn_node *solver = mrn_node_get(n, "solver"), *fallback = mrn_node_get(n, "fallback");
    const mrn_node *most = mrn_node_get(n, "max-iterations"),
                   *look = mrn_node_get(n, "check-every");
    const mrn_node *project = mrn_node_get(n, "projection"), *sleep = mrn_node_get(n, "sleep");
    read_words(n, io);
    if (fallback != NULL)
        snprintf(io->fallback, sizeof io->fallback, "%s", fallback->text);
    if (most != NULL)
        io->max_iterations = (int64_t)mrn_read_integer(&r->check, most);
    if (look != NULL)
        io->check_every = (int)mrn_read_integer(&r->check, look);
    if (project != NULL)
        io->project = mrn_read_flag(project);
    if (sleep != NULL)
        io->sleep = mrn_read_flag(sleep);
    mrn_status s = read_numbers(r, n, io);
    return s == MRN_OK && solver != NULL ? read_solver(r, solver, io) : s;
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

static mrn_status read_hold(mrn_reader *r, const mrn_node *list, mrn_group *g)
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

static mrn_status read_drive(mrn_reader *r, const mrn_node *map, mrn_group *g)
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

mrn_status mrn_build_held(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    const mrn_node *hold = mrn_node_get(n, "hold"), *drive = mrn_node_get(n, "drive");
    mrn_status s = hold != NULL ? read_hold(r, hold, g) : MRN_OK;
    return s == MRN_OK && drive != NULL ? read_drive(r, drive, g) : s;
}
