/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of law models, and what is done with a model as a whole: parameters, history,
 * preparation, evaluation. */
#include <stdio.h>
#include <string.h>

#include "base/dispatch.h"
#include "laws/models.h"

#define NONE NULL
#define MRN_MODEL(id, name, n, t, r, w, c, summary, doc)                                           \
    {name,                                                                                         \
     summary,                                                                                      \
     doc,                                                                                          \
     {[MRN_LAW_NORMAL] = n,                                                                        \
      [MRN_LAW_TANGENTIAL] = t,                                                                    \
      [MRN_LAW_ROLLING] = r,                                                                       \
      [MRN_LAW_TWISTING] = w,                                                                      \
      [MRN_LAW_COHESION] = c}},
static const mrn_law_model models[] = {
#include "laws/models.def"
};
#undef MRN_MODEL

#define MRN_PART(id) &mrn_law_##id,
static const mrn_law *const parts[] = {
#include "laws/parts.def"
};
#undef MRN_PART

int mrn_law_count(void)
{
    return (int)(sizeof parts / sizeof *parts);
}

const mrn_law *mrn_law_at(int i)
{
    return i >= 0 && i < mrn_law_count() ? parts[i] : NULL;
}

const mrn_law *mrn_law_find(mrn_law_kind kind, const char *name)
{
    for (int i = 0; name != NULL && i < mrn_law_count(); i++)
        if (parts[i]->kind == kind && strcmp(parts[i]->name, name) == 0)
            return parts[i];
    return NULL;
}

const char *mrn_law_kind_name(mrn_law_kind kind)
{
    static const char *const names[MRN_LAW_KINDS] = {[MRN_LAW_NORMAL] = "normal",
                                                     [MRN_LAW_TANGENTIAL] = "tangential",
                                                     [MRN_LAW_ROLLING] = "rolling",
                                                     [MRN_LAW_COHESION] = "cohesion",
                                                     [MRN_LAW_TWISTING] = "twisting"};
    return kind >= 0 && kind < MRN_LAW_KINDS ? names[kind] : "";
}

/* Whether a part accepts the normal law it would join. */
static bool goes_with(const mrn_law *law, const mrn_law *normal)
{
    const char *const *name = law->with_normal;
    while (name != NULL && *name != NULL && strcmp(*name, normal->name) != 0)
        name++;
    return name == NULL || *name != NULL;
}

static mrn_status fail_pairing(const mrn_law *law, const mrn_law *normal, mrn_message *msg)
{
    char list[256] = "";
    for (const char *const *name = law->with_normal; *name != NULL; name++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", at > 0 ? ", " : "", *name);
    }
    mrn_fail(msg, MRN_ERR_INPUT, "%s law '%s' cannot join normal law '%s'",
             mrn_law_kind_name(law->kind), law->name, normal->name);
    mrn_fail_expected(msg, "a normal law among: %s", list);
    return MRN_ERR_INPUT;
}

/* A law for rigid grains is the whole law. */
static mrn_status fail_complete(const mrn_law *law, const mrn_law *normal, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "%s law '%s' cannot join normal law '%s'",
             mrn_law_kind_name(law->kind), law->name, normal->name);
    mrn_fail_expected(msg, "%s alone", normal->name);
    return mrn_fail_hint(msg, "'%s' has friction, rolling and cohesion of its own", normal->name);
}

mrn_status mrn_law_mix(const mrn_law *const part[MRN_LAW_KINDS], mrn_law_model *out,
                       mrn_message *msg)
{
    *out = (mrn_law_model){.summary = "laws mixed by the scene",
                           .doc = "Each part is documented under its own name."};
    const mrn_law *normal = part[MRN_LAW_NORMAL];
    if (normal == NULL) {
        mrn_fail(msg, MRN_ERR_INPUT, "a mixture of laws without a normal law");
        return mrn_fail_hint(msg, "add  normal: tsuji  or another normal law");
    }
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = part[kind];
        if (law == NULL)
            continue;
        if (!goes_with(law, normal))
            return fail_pairing(law, normal, msg);
        if (law != normal && normal->rigid_only)
            return fail_complete(law, normal, msg);
        out->part[kind] = law;
        size_t at = strlen(out->name);
        snprintf(out->name + at, sizeof out->name - at, "%s%s", at > 0 ? "+" : "", law->name);
    }
    return MRN_OK;
}

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

/* A scene's reader has seen to this already; programs that call the library meet it here. */
static mrn_status in_range(const mrn_param *p, const mrn_value *v, mrn_message *msg)
{
    double x = v->number;
    if (!v->given || (p->kind != MRN_P_NUMBER && p->kind != MRN_P_CHOICE))
        return MRN_OK;
    if (isfinite(x) && x <= p->max && (p->min_open ? x > p->min : x >= p->min))
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s is %g", p->name, x);
    mrn_fail_at(msg, "", v->line, v->column);
    return mrn_fail_expected(msg, "a finite number %s %g and not above %g",
                             p->min_open ? "above" : "not below", p->min, p->max);
}

/* Asked of one contact of usual size: a dashpot is there at every size or at none. */
static void find_undamped(mrn_prepared *p)
{
    const double r = 1e-3, m = 1e-6, delta = 1e-6;
    const mrn_law *n = p->part[MRN_LAW_NORMAL];
    double gamma = n->damping != NULL ? n->damping(p->coef[MRN_LAW_NORMAL], r, m, delta, 0) : 0;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = p->part[kind];
        p->whole[kind] =
            law != NULL && law->undamped != NULL && law->undamped(p->coef[kind], gamma);
        p->undamped |= p->whole[kind];
    }
}

mrn_status mrn_law_prepare(const mrn_law_model *m, const mrn_material_pair *mat,
                           const mrn_value *value, mrn_prepared *out, mrn_message *msg)
{
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < n; i++)
        if (in_range(all[i], &value[i], msg) != MRN_OK)
            return MRN_ERR_INPUT;
    out->history = mrn_law_model_history(m, out->offset);
    out->moments = m->part[MRN_LAW_ROLLING] != NULL || m->part[MRN_LAW_TWISTING] != NULL;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = out->part[kind] = m->part[kind];
        if (law == NULL)
            continue;
        out->range |= law->range != NULL;
        out->jumps |= law->jumps;
        mrn_value own[MRN_PARAM_MAX];
        for (int i = 0; i < law->n_params; i++)
            own[i] = value[find(all, n, law->params[i].name)];
        mrn_status s = law->prepare(mat, own, out->coef[kind], msg);
        if (s != MRN_OK)
            return s;
    }
    find_undamped(out);
    return MRN_OK;
}

static void clear(mrn_law_block *b)
{
    size_t bytes = (size_t)b->n * sizeof(double);
    memset(b->tx, 0, bytes), memset(b->ty, 0, bytes), memset(b->tz, 0, bytes);
    memset(b->energy_t, 0, bytes), memset(b->power_t, 0, bytes), memset(b->slip, 0, bytes);
    memset(b->work_t, 0, bytes);
}

/* Coulomb's limit before any cohesion: what the normal law presses (or, at the end of a damped
   contact that may pull, pulls) with. */
MRN_DISPATCHED static void press(mrn_law_block *b)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        b->press[i] = fabs(b->fn[i]);
}

double mrn_law_wide(const mrn_prepared *p, double r, double delta)
{
    const mrn_law *c = p->part[MRN_LAW_COHESION];
    return c != NULL && c->wide != NULL ? c->wide(p->coef[MRN_LAW_COHESION], r, delta) : delta;
}

void mrn_law_evaluate(const mrn_prepared *p, mrn_law_block *b)
{
    static const mrn_law_kind order[] = {MRN_LAW_NORMAL, MRN_LAW_COHESION, MRN_LAW_TANGENTIAL,
                                         MRN_LAW_ROLLING, MRN_LAW_TWISTING};
    size_t bytes = (size_t)b->n * sizeof(double);
    b->wide = b->delta;
    if (p->part[MRN_LAW_TANGENTIAL] == NULL)
        clear(b);
    if (p->moments)
        memset(b->mx, 0, bytes), memset(b->my, 0, bytes), memset(b->mz, 0, bytes);
    if (p->jumps)
        memset(b->jump, 0, bytes);
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        const mrn_law *law = p->part[order[k]];
        b->whole = b->mean && p->whole[order[k]];
        if (law != NULL && law->evaluate != NULL)
            law->evaluate(p->coef[order[k]], b, b->history + p->offset[order[k]]);
        if (order[k] == MRN_LAW_NORMAL)
            press(b);
    }
}
