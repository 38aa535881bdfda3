/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages by name: when they end and what they change; columns of the table of probes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "compose/compose.h"

static mrn_names stages(const mrn_scene *s)
{
    return MRN_NAMES("stage", s->stage, s->n_stages);
}

mrn_status mrn_scene_add_stage(mrn_scene *s, const char *name, double at_most, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_stage g = mrn_stage_default();
    mrn_status st = mrn_compose_check_new(stages(s), name, msg);
    if (st == MRN_OK && !(at_most > 0))
        st = mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' lasts %g s at most", name, at_most);
    if (st != MRN_OK)
        return st;
    mrn_compose_name(g.name, name);
    g.at_most = at_most;
    st = mrn_compose_append(&s->stage, &s->n_stages, sizeof g, &g, msg);
    if (st == MRN_OK)
        mrn_compose_changed(s);
    return st;
}

/* The stage that a setter speaks of, unless there is an error already. */
static mrn_status begin(mrn_scene *s, const char *stage, mrn_stage **g, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    int k = mrn_compose_find(stages(s), stage, msg);
    if (k < 0)
        return MRN_ERR_INPUT;
    *g = &s->stage[k];
    mrn_compose_changed(s);
    return MRN_OK;
}

mrn_status mrn_stage_until(mrn_scene *s, const char *stage, const char *probe, bool above,
                           double value, mrn_message *msg)
{
    mrn_stage *g;
    mrn_status st = begin(s, stage, &g, msg);
    if (st == MRN_OK)
        st = mrn_probe_check(s, probe != NULL ? probe : "", NULL, msg);
    if (st != MRN_OK)
        return st;
    if (!isfinite(value))
        return mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' would wait for %s %s %g", stage, probe,
                        above ? "above" : "below", value);
    if (g->n_until == MRN_CONDITION_MAX)
        return mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' has %d conditions already", stage,
                        MRN_CONDITION_MAX);
    mrn_condition c = {.above = above, .value = value};
    snprintf(c.probe, sizeof c.probe, "%s", probe);
    g->until[g->n_until++] = c;
    return MRN_OK;
}

mrn_status mrn_stage_set_gravity(mrn_scene *s, const char *stage, mrn_vec3 v, mrn_message *msg)
{
    mrn_stage *g;
    mrn_status st = begin(s, stage, &g, msg);
    if (st != MRN_OK)
        return st;
    const double of[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        mrn_signal_release(&g->gravity[k]);
        g->gravity[k] = mrn_signal_constant(of[k]);
    }
    g->has_gravity = true;
    return MRN_OK;
}

/* ---- walls ---- */

static int find_wall(const mrn_scene *s, const char *wall, mrn_message *msg)
{
    return mrn_compose_find(MRN_NAMES("wall", s->wall, s->n_walls), wall, msg);
}

/* Two lists that grow together; a wall that has a motion in this stage gets another. */
static mrn_status put_motion(mrn_stage *g, int wall, const mrn_motion *m, mrn_message *msg)
{
    for (int k = 0; k < g->n_motions; k++)
        if (g->motion_wall[k] == wall) {
            mrn_motion_release(&g->motion[k]);
            g->motion[k] = *m;
            return MRN_OK;
        }
    int n = g->n_motions;
    mrn_status st = mrn_compose_append(&g->motion_wall, &n, sizeof wall, &wall, msg);
    return st == MRN_OK ? mrn_compose_append(&g->motion, &g->n_motions, sizeof *m, m, msg) : st;
}

mrn_status mrn_stage_set_motion(mrn_scene *s, const char *stage, const char *wall,
                                mrn_motion *motion, mrn_message *msg)
{
    mrn_motion own = *motion;
    *motion = (mrn_motion){0};
    mrn_stage *g;
    mrn_status st = begin(s, stage, &g, msg);
    int k = st == MRN_OK ? find_wall(s, wall, msg) : -1;
    if (st == MRN_OK)
        st = k < 0 ? MRN_ERR_INPUT : put_motion(g, k, &own, msg);
    if (st != MRN_OK)
        mrn_motion_release(&own);
    return st;
}

static mrn_status put_imposed(mrn_stage *g, int group, const mrn_imposed *x, mrn_message *msg)
{
    for (int k = 0; k < g->n_imposed; k++)
        if (g->imposed_group[k] == group) {
            mrn_imposed_release(&g->imposed[k]);
            g->imposed[k] = *x;
            return MRN_OK;
        }
    int n = g->n_imposed;
    mrn_status st = mrn_compose_append(&g->imposed_group, &n, sizeof group, &group, msg);
    return st == MRN_OK ? mrn_compose_append(&g->imposed, &g->n_imposed, sizeof *x, x, msg) : st;
}

mrn_status mrn_stage_set_imposed(mrn_scene *s, const char *stage, const char *group,
                                 mrn_imposed *imposed, mrn_message *msg)
{
    mrn_imposed own = *imposed;
    *imposed = (mrn_imposed){0};
    mrn_stage *g;
    mrn_status st = begin(s, stage, &g, msg);
    int k = st == MRN_OK ? mrn_scene_find_group(s, group != NULL ? group : "") : -1;
    if (st == MRN_OK && k < 0)
        st = mrn_fail(msg, MRN_ERR_INPUT, "there is no group '%s'", group != NULL ? group : "");
    if (st == MRN_OK)
        st = put_imposed(g, k, &own, msg);
    if (st != MRN_OK)
        mrn_imposed_release(&own);
    return st;
}

mrn_status mrn_stage_remove_wall(mrn_scene *s, const char *stage, const char *wall,
                                 mrn_message *msg)
{
    mrn_stage *g;
    mrn_status st = begin(s, stage, &g, msg);
    int k = st == MRN_OK ? find_wall(s, wall, msg) : -1;
    if (k < 0)
        return st != MRN_OK ? st : MRN_ERR_INPUT;
    return mrn_compose_append(&g->remove_wall, &g->n_remove, sizeof k, &k, msg);
}

/* ---- laws ---- */

/* What governs two materials when a stage begins: the latest stage before that changed it, or the
   scene. */
static const mrn_interaction *in_force(mrn_scene *s, const mrn_stage *g, int i, int j)
{
    const mrn_interaction *x = NULL;
    for (const mrn_stage *k = g; x == NULL && k >= s->stage; k--)
        x = mrn_compose_interaction(k->interaction, k->n_interactions, i, j);
    return x != NULL ? x : mrn_compose_interaction(s->interaction, s->n_interactions, i, j);
}

mrn_status mrn_stage_set_law(mrn_scene *s, const char *stage, const char *a, const char *b,
                             const char *param, double value, mrn_message *msg)
{
    mrn_stage *g;
    int i, j;
    mrn_status st = begin(s, stage, &g, msg);
    if (st == MRN_OK)
        st = mrn_compose_pair(s, a, b, &i, &j, msg);
    if (st != MRN_OK)
        return st;
    const mrn_interaction *x = in_force(s, g, i, j);
    if (x == NULL)
        return mrn_compose_no_law(s, i, j, msg);
    mrn_interaction fresh = *x;
    mrn_param_list l = mrn_compose_law_params(s, x);
    st = mrn_compose_number(&l, fresh.value, param, value, msg);
    if (st != MRN_OK)
        return st;
    mrn_interaction *own = mrn_compose_interaction(g->interaction, g->n_interactions, i, j);
    if (own == NULL)
        return mrn_compose_append(&g->interaction, &g->n_interactions, sizeof fresh, &fresh, msg);
    *own = fresh;
    return MRN_OK;
}

/* ---- output ---- */

mrn_status mrn_scene_add_probe(mrn_scene *s, const char *probe, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    char column[sizeof *s->output.probe] = "";
    mrn_status st = mrn_column_check(s, probe != NULL ? probe : "", NULL, msg);
    if (st != MRN_OK)
        return st;
    for (int i = 0; i < s->output.n_probes; i++)
        if (strcmp(s->output.probe[i], probe) == 0)
            return mrn_fail(msg, MRN_ERR_INPUT, "the probe '%s' is a column already", probe);
    snprintf(column, sizeof column, "%s", probe);
    return mrn_compose_append(&s->output.probe, &s->output.n_probes, sizeof column, column, msg);
}
