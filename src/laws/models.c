/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of law models, and what is done with a model as a whole: parameters, history,
 * preparation, evaluation. */
#include <string.h>

#include "laws/models.h"

#define NONE                                          NULL
#define MRN_MODEL(id, name, n, t, r, c, summary, doc) {name, summary, doc, {n, t, r, c}},
static const mrn_law_model models[] = {
#include "laws/models.def"
};
#undef MRN_MODEL

int mrn_law_model_count(void)
{
    return (int)(sizeof models / sizeof *models);
}

const mrn_law_model *mrn_law_model_at(int i)
{
    return i >= 0 && i < mrn_law_model_count() ? &models[i] : NULL;
}

const mrn_law_model *mrn_law_model_find(const char *name)
{
    for (int i = 0; name != NULL && i < mrn_law_model_count(); i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

static int find(const mrn_param *const *list, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, name) == 0)
            return i;
    return -1;
}

int mrn_law_model_params(const mrn_law_model *m, const mrn_param **out)
{
    int n = 0;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        for (int i = 0; law != NULL && i < law->n_params && n < MRN_PARAM_MAX; i++)
            if (find(out, n, law->params[i].name) < 0)
                out[n++] = &law->params[i];
    }
    return n;
}

int mrn_law_model_history(const mrn_law_model *m, int offset[MRN_LAW_KINDS])
{
    int n = 0;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        offset[kind] = n;
        for (int i = 0; law != NULL && i < law->n_history; i++)
            n += law->history[i].vector ? 3 : 1;
    }
    return n;
}

int mrn_law_model_odd(const mrn_law_model *m, bool odd[MRN_HISTORY_MAX])
{
    int n = 0;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        for (int i = 0; law != NULL && i < law->n_history; i++)
            for (int k = 0; k < (law->history[i].vector ? 3 : 1); k++)
                odd[n++] = law->history[i].odd;
    }
    return n;
}

mrn_material_pair mrn_material_pair_mix(double ea, double na, double da, double eb, double nb,
                                        double db)
{
    double ga = ea / (2 * (1 + na)), gb = eb / (2 * (1 + nb));
    mrn_material_pair p = {{ea, eb}, {na, nb}, {da, db}, 0, 0, 2.0 / 3.0};
    if (ea > 0 && eb > 0) {
        p.e_star = 1 / ((1 - na * na) / ea + (1 - nb * nb) / eb);
        p.g_star = 1 / ((2 - na) / ga + (2 - nb) / gb);
        p.kappa = ((1 - na) / ga + (1 - nb) / gb) / ((1 - 0.5 * na) / ga + (1 - 0.5 * nb) / gb);
    }
    return p;
}

mrn_status mrn_law_prepare(const mrn_law_model *m, const mrn_material_pair *mat,
                           const mrn_value *value, mrn_prepared *out, mrn_message *msg)
{
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    memset(out, 0, sizeof *out);
    out->model = m;
    out->history = mrn_law_model_history(m, out->offset);
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        if (law == NULL)
            continue;
        mrn_value own[MRN_PARAM_MAX];
        for (int i = 0; i < law->n_params; i++)
            own[i] = value[find(all, n, law->params[i].name)];
        mrn_status s = law->prepare(mat, own, out->coef[kind], msg);
        if (s != MRN_OK)
            return s;
    }
    return MRN_OK;
}

static void clear(mrn_law_block *b)
{
    size_t bytes = (size_t)b->n * sizeof(double);
    memset(b->tx, 0, bytes), memset(b->ty, 0, bytes), memset(b->tz, 0, bytes);
    memset(b->energy_t, 0, bytes), memset(b->power_t, 0, bytes), memset(b->slip, 0, bytes);
}

void mrn_law_evaluate(const mrn_prepared *p, mrn_law_block *b)
{
    static const mrn_law_kind order[] = {MRN_LAW_NORMAL, MRN_LAW_COHESION, MRN_LAW_TANGENTIAL,
                                         MRN_LAW_ROLLING};
    const mrn_law *rolling = p->model->part[MRN_LAW_ROLLING];
    if (p->model->part[MRN_LAW_TANGENTIAL] == NULL)
        clear(b);
    if (rolling != NULL) {
        size_t bytes = (size_t)b->n * sizeof(double);
        memset(b->mx, 0, bytes), memset(b->my, 0, bytes), memset(b->mz, 0, bytes);
    }
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        const mrn_law *law = p->model->part[order[k]];
        if (law != NULL)
            law->evaluate(p->coef[order[k]], b, b->history + p->offset[order[k]]);
    }
}
