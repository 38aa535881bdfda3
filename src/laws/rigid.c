/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a law is to rigid grains. Laws are asked by the names of their parameters: `restitution`,
   `friction`, `rolling-friction`, `twisting-friction`; those that need a formula of their own bring
   it in their descriptor. */
#include <string.h>

#include "laws/params.h"

/* A parameter of the law by its name; NULL: it has none, or none is given and there is no default.
 */
static const mrn_value *find(const mrn_law *law, const mrn_value *own, const char *name)
{
    for (int i = 0; i < law->n_params; i++)
        if (strcmp(law->params[i].name, name) == 0)
            return own[i].given || !isnan(law->params[i].fallback) ? &own[i] : NULL;
    return NULL;
}

static double number(const mrn_law *law, const mrn_value *own, const char *name)
{
    const mrn_value *v = find(law, own, name);
    return v != NULL ? v->number : 0;
}

/* Asked of one contact of usual size: a dashpot is there at every size or at none. */
static bool has_dashpot(const mrn_law *law, const mrn_material_pair *mat, const mrn_value *own)
{
    const double r = 1e-3, m = 1e-6, delta = 1e-6;
    double coef[MRN_COEF_MAX] = {0};
    mrn_message unread;
    return law->damping != NULL && law->prepare(mat, own, coef, &unread) == MRN_OK &&
           law->damping(coef, r, m, delta, 0) != 0;
}

/* The last number that stands in the scene: dampings come after stiffnesses. */
static mrn_status place(const mrn_law *law, const mrn_value *own, mrn_message *msg)
{
    for (int i = law->n_params - 1; i >= 0; i--)
        if (own[i].given && own[i].line > 0 && law->params[i].kind == MRN_P_NUMBER) {
            mrn_fail_at(msg, "", own[i].line, own[i].column);
            break;
        }
    return MRN_ERR_INPUT;
}

mrn_status mrn_no_restitution(const mrn_law *law, const mrn_value *own, const char *on,
                              mrn_message *msg)
{
    bool knows = false;
    for (int i = 0; i < law->n_params; i++)
        knows |= strcmp(law->params[i].name, "restitution") == 0;
    mrn_fail(msg, MRN_ERR_INPUT,
             "normal law '%s' has no restitution for rigid grains: as given it depends on %s",
             law->name, on);
    place(law, own, msg);
    mrn_fail_expected(msg, "%s under method nonsmooth",
                      knows ? "restitution" : "a law with restitution");
    return mrn_fail_hint(msg, knows ? "give restitution instead, or use law rigid"
                                    : "use law rigid or hertz-mindlin");
}

static mrn_status normal(const mrn_law *law, const mrn_material_pair *mat, const mrn_value *own,
                         mrn_rigid *out, mrn_message *msg)
{
    const mrn_value *e = find(law, own, "restitution");
    if (law->rigid != NULL)
        return law->rigid(mat, own, out, msg);
    out->restitution = e != NULL ? e->number : 1;
    return e != NULL || !has_dashpot(law, mat, own)
               ? MRN_OK
               : mrn_no_restitution(law, own, "mass and speed", msg);
}

static mrn_status cohesion(const mrn_law *law, const mrn_material_pair *mat, const mrn_value *own,
                           mrn_rigid *out, mrn_message *msg)
{
    if (law->rigid != NULL)
        return law->rigid(mat, own, out, msg);
    mrn_fail(msg, MRN_ERR_INPUT, "cohesion law '%s' has no meaning for rigid grains", law->name);
    place(law, own, msg);
    mrn_fail_expected(msg, "a cohesion law with a pull-off force, under method nonsmooth");
    return mrn_fail_hint(msg, "use dmt, jkr or liquid-bridge, or law rigid with cohesion-force");
}

static mrn_status ask(const mrn_law *law, const mrn_material_pair *mat, const mrn_value *own,
                      mrn_rigid *out, mrn_message *msg)
{
    switch (law->kind) {
    case MRN_LAW_NORMAL:
        return normal(law, mat, own, out, msg);
    case MRN_LAW_COHESION:
        return cohesion(law, mat, own, out, msg);
    case MRN_LAW_TANGENTIAL:
        out->friction = number(law, own, "friction");
        break;
    case MRN_LAW_ROLLING:
        out->rolling = number(law, own, "rolling-friction");
        break;
    case MRN_LAW_TWISTING:
        out->pivoting = number(law, own, "twisting-friction");
        break;
    case MRN_LAW_KINDS:
        break;
    }
    return law->rigid != NULL ? law->rigid(mat, own, out, msg) : MRN_OK;
}

static mrn_status ask_all(const mrn_law_model *m, const mrn_material_pair *mat,
                          const mrn_value *value, bool varying, mrn_rigid *out, mrn_message *msg)
{
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    *out = (mrn_rigid){0};
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        mrn_value own[MRN_PARAM_MAX];
        for (int i = 0; law != NULL && i < law->n_params; i++)
            for (int k = 0; k < n; k++)
                if (strcmp(all[k]->name, law->params[i].name) == 0)
                    own[i] = value[k];
        bool varies = varying && law != NULL && law->impact_number != NULL;
        if (varies) {
            out->restitution = 1;
            out->varies = true;
        }
        mrn_status s = law != NULL && !varies ? ask(law, mat, own, out, msg) : MRN_OK;
        if (s != MRN_OK)
            return s;
    }
    return MRN_OK;
}

mrn_status mrn_law_rigid(const mrn_law_model *m, const mrn_material_pair *mat,
                         const mrn_value *value, mrn_rigid *out, mrn_message *msg)
{
    return ask_all(m, mat, value, false, out, msg);
}

mrn_status mrn_law_rigid_varying(const mrn_law_model *m, const mrn_material_pair *mat,
                                 const mrn_value *value, mrn_rigid *out, mrn_message *msg)
{
    return ask_all(m, mat, value, true, out, msg);
}
