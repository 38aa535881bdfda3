/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of one kind in the place of those of another, so that methods that need them can run the
   same scene.

   To `rigid`: restitution, friction, rolling and pivoting friction and pull-off force are those
   that the law has; one whose restitution depends on the speed gives that of two grains of mean
   size which meet at the speed to be expected. To `linear`: restitution and friction are kept; the
   stiffness is such that grains overlap by a hundredth of their radius in an impact at the speed to
   be expected, and by a thousandth under the pressures that the scene asks for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"
#include "export/export.h"

#define IMPACT_OVERLAP 0.01
#define LOAD_OVERLAP   0.001

/* What a typical grain is, and what it meets. */
typedef struct typical {
    double radius, mass, speed, pressure;
} typical;

/* ---- the typical grain ---- */

static void mean_grain(const mrn_state *s, typical *g)
{
    int64_t n = 0;
    for (int32_t i = 0; i < s->body.n; i++) {
        if (!(s->body.radius[i] > 0) || !(s->body.mass[i] > 0))
            continue;
        g->radius += s->body.radius[i];
        g->mass += s->body.mass[i];
        n++;
    }
    g->radius /= n > 0 ? (double)n : NAN;
    g->mass /= n > 0 ? (double)n : NAN;
}

static void meet(typical *g, const mrn_signal *target)
{
    double p = fabs(mrn_signal_value(target, (mrn_instant){0, 0}, NULL));
    g->pressure = isfinite(p) ? fmax(g->pressure, p) : g->pressure;
}

static void meet_cell(typical *g, const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS)
            meet(g, &c->target[k]);
}

static void meet_motion(typical *g, const mrn_motion *m)
{
    if (m->kind == MRN_MOTION_SERVO && m->servo_pressure)
        meet(g, &m->servo_target);
}

static void pressures(const mrn_scene *s, typical *g)
{
    meet_cell(g, &s->cell.control);
    for (int w = 0; w < s->n_walls; w++)
        meet_motion(g, &s->wall[w].motion);
    for (int k = 0; k < s->n_stages; k++) {
        if (s->stage[k].has_control)
            meet_cell(g, &s->stage[k].control);
        for (int i = 0; i < s->stage[k].n_motions; i++)
            meet_motion(g, &s->stage[k].motion[i]);
    }
}

static mrn_status find_typical(const mrn_scene *scene, typical *g, mrn_message *msg)
{
    mrn_scene copy;
    mrn_state state = {0};
    mrn_step_limit limit;
    *g = (typical){0};
    mrn_status s = mrn_scene_copy(scene, &copy, msg);
    if (s != MRN_OK)
        return s;
    s = mrn_run_prepare(&copy, &state, &limit, msg);
    if (s == MRN_OK) {
        mean_grain(&state, g);
        pressures(scene, g);
        g->speed = limit.speed;
    }
    mrn_state_destroy(&state);
    mrn_scene_destroy(&copy);
    return s;
}

/* ---- what a law says ---- */

/* A number of the law by its name; NAN: it has none, or none is given. */
static double number(const mrn_interaction *x, const char *name)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, name) == 0 && (x->value[i].given || !isnan(p[i]->fallback)))
            return x->value[i].number;
    return NAN;
}

static double or_zero(double v)
{
    return isnan(v) ? 0 : v;
}

static mrn_material_pair materials(const mrn_scene *s, const mrn_interaction *x)
{
    const mrn_material *a = &s->material[x->a], *b = &s->material[x->b];
    return mrn_material_pair_mix(a->young, a->poisson, a->density, b->young, b->poisson,
                                 b->density);
}

/* Restitution of two mean grains at the speed to be expected. The lab knows balls: a disk is one of
   its mass. */
static double restitution_at(const mrn_scene *s, const mrn_interaction *x, const typical *g)
{
    const mrn_material *m[2] = {&s->material[x->a], &s->material[x->b]};
    mrn_collision c = {.radius = {g->radius, g->radius}, .model = x->model, .speed = g->speed};
    mrn_rebound out;
    mrn_message unread;
    memcpy(c.value, x->value, sizeof c.value);
    for (int k = 0; k < 2; k++) {
        c.young[k] = m[k]->young;
        c.poisson[k] = m[k]->poisson;
        c.density[k] = g->mass / (4. / 3 * MRN_PI * g->radius * g->radius * g->radius);
    }
    mrn_status st = mrn_collide(&c, 1, 1e-6, &out, NULL, &unread);
    return (st == MRN_OK || st == MRN_NOT_CONVERGED) && !out.stuck ? out.en : NAN;
}

/* What it is to rigid grains; *speed: that at which the restitution holds, NAN: at every one. */
static mrn_status as_rigid(const mrn_scene *s, const mrn_interaction *x, const typical *g,
                           mrn_rigid *out, double *speed, mrn_message *msg)
{
    mrn_material_pair pair = materials(s, x);
    mrn_status st = mrn_law_rigid(&x->model, &pair, x->value, out, msg);
    *speed = NAN;
    if (st == MRN_OK || g == NULL)
        return st;
    mrn_interaction plain = *x;
    plain.model.part[MRN_LAW_COHESION] = NULL;
    double e = restitution_at(s, &plain, g);
    if (x->model.part[MRN_LAW_COHESION] != NULL || !isfinite(e))
        return st;
    *speed = g->speed;
    *out = (mrn_rigid){.restitution = fmin(fmax(e, 0), 1),
                       .friction = or_zero(number(x, "friction")),
                       .rolling = or_zero(number(x, "rolling-friction")),
                       .pivoting = or_zero(number(x, "twisting-friction"))};
    return MRN_OK;
}

/* ---- in the words of a scene ---- */

typedef struct writer {
    char *text;
    size_t n, size;
} writer;

static void put_always(writer *w, const char *key, double value)
{
    char text[32];
    if (w->n < w->size)
        w->n += (size_t)snprintf(w->text + w->n, w->size - w->n, ", %s: %s", key,
                                 mrn_number_text(value, text));
}

static void put(writer *w, const char *key, double value)
{
    if (value != 0)
        put_always(w, key, value);
}

/* Four digits are more than anyone knows of it. */
static double rounded(double v)
{
    double unit = v != 0 ? pow(10, floor(log10(fabs(v))) - 3) : 1;
    return round(v / unit) * unit;
}

static void open_law(writer *w, const mrn_scene *s, const mrn_interaction *x, const char *law)
{
    if (w->n < w->size)
        w->n += (size_t)snprintf(w->text + w->n, w->size - w->n, "%s{between: [%s, %s], law: %s",
                                 w->n > 1 ? ", " : "", s->material[x->a].name,
                                 s->material[x->b].name, law);
}

static void close_law(writer *w)
{
    if (w->n < w->size)
        w->n += (size_t)snprintf(w->text + w->n, w->size - w->n, "}");
}

static mrn_status write_rigid(const mrn_scene *s, const mrn_interaction *x, const typical *g,
                              writer *w, mrn_variant *v, mrn_message *msg)
{
    mrn_rigid r;
    double speed;
    char at[64] = "";
    mrn_status st = as_rigid(s, x, g, &r, &speed, msg);
    if (st != MRN_OK)
        return st;
    r.restitution = rounded(r.restitution);
    open_law(w, s, x, "rigid");
    put(w, "restitution", r.restitution);
    w->n += w->n < w->size
                ? (size_t)snprintf(w->text + w->n, w->size - w->n, ", friction: %.9g", r.friction)
                : 0;
    put(w, "tangential-restitution", r.restitution_t);
    put(w, "rolling-friction", r.rolling);
    put(w, "pivoting-friction", r.pivoting);
    put(w, "cohesion-force", r.pull_force);
    put(w, "cohesion-per-radius", r.pull_per_radius);
    put(w, "stiffness", r.compliance > 0 ? 1 / r.compliance : 0);
    put(w, "tangential-stiffness", r.compliance_t > 0 ? 1 / r.compliance_t : 0);
    close_law(w);
    if (isfinite(speed))
        snprintf(at, sizeof at, " (of two mean grains that meet at %.3g m/s)", speed);
    return mrn_variant_say(v, msg,
                           "law %s between %s and %s becomes rigid: restitution %.4g%s, "
                           "friction %.4g",
                           x->model.name, s->material[x->a].name, s->material[x->b].name,
                           r.restitution, at, r.friction);
}

static double linear_stiffness(const mrn_interaction *x, const mrn_rigid *r, const typical *g,
                               int dimension)
{
    double own = r->compliance > 0 ? 1 / r->compliance : number(x, "normal-stiffness");
    double impact = 0.5 * g->mass * pow(g->speed / (IMPACT_OVERLAP * g->radius), 2);
    double load = g->pressure * (dimension == 2 ? 2 * g->radius : 4 * g->radius * g->radius) /
                  (LOAD_OVERLAP * g->radius);
    return isfinite(own) && own > 0 ? own : rounded(fmax(impact, load));
}

/* What has no counterpart. */
static mrn_status can_be_linear(const mrn_rigid *r, double k, mrn_message *msg)
{
    if (r->pull_force > 0 || r->pull_per_radius > 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "its cohesion has no counterpart in a linear law");
    if (!(k > 0))
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "nothing in the scene tells how stiff grains must be: "
                        "no speed, no load");
    return MRN_OK;
}

static mrn_status write_linear(const mrn_scene *s, const mrn_interaction *x, const typical *g,
                               writer *w, mrn_variant *v, mrn_message *msg)
{
    mrn_rigid r;
    double speed;
    char law[160];
    mrn_status st = as_rigid(s, x, g, &r, &speed, msg);
    double k = st == MRN_OK ? linear_stiffness(x, &r, g, s->dimension) : NAN;
    if (st == MRN_OK)
        st = can_be_linear(&r, k, msg);
    if (st != MRN_OK)
        return st;
    snprintf(law, sizeof law, r.rolling > 0 || r.pivoting > 0 ? "{model: linear%s%s}" : "linear",
             r.rolling > 0 ? ", rolling: elastic-plastic" : "",
             r.pivoting > 0 ? ", twisting: elastic-plastic" : "");
    open_law(w, s, x, law);
    put(w, "normal-stiffness", k);
    put(w, "restitution", fmax(rounded(r.restitution), 1e-3));
    put(w, "stiffness-ratio",
        r.compliance > 0 && r.compliance_t > 0 ? fmin(10, r.compliance / r.compliance_t) : 0);
    put_always(w, "friction", r.friction);
    put(w, "rolling-friction", r.rolling);
    put(w, "twisting-friction", r.pivoting);
    close_law(w);
    return mrn_variant_say(v, msg,
                           "law %s between %s and %s becomes linear: normal-stiffness %.4g N/m "
                           "(impacts at %.3g m/s overlap by %.2g of the radius), restitution %.4g "
                           "and friction %.4g kept%s",
                           x->model.name, s->material[x->a].name, s->material[x->b].name, k,
                           g->speed, g->speed * sqrt(0.5 * g->mass / k) / g->radius, r.restitution,
                           r.friction,
                           r.restitution_t != 0 ? "; its tangential restitution is not" : "");
}

/* ---- lists ---- */

static mrn_status write_list(const mrn_scene *s, const mrn_interaction *x, int n, mrn_law_target to,
                             const typical *g, const char *path, mrn_variant *v, mrn_message *msg)
{
    char text[MRN_CHANGE_TEXT] = "[";
    writer w = {.text = text, .n = 1, .size = sizeof text};
    mrn_status st = MRN_OK;
    for (int i = 0; i < n && st == MRN_OK; i++)
        st = to == MRN_LAWS_RIGID ? write_rigid(s, &x[i], g, &w, v, msg)
                                  : write_linear(s, &x[i], g, &w, v, msg);
    if (st == MRN_OK && w.n + strlen(path) + 4 > w.size)
        return mrn_fail(msg, MRN_ERR_INPUT, "too many interactions to translate");
    return st == MRN_OK ? mrn_variant_set(v, msg, "%s=%s]", path, text) : st;
}

mrn_status mrn_translate_laws(const mrn_scene *scene, mrn_law_target to, mrn_variant *v,
                              mrn_message *msg)
{
    typical g;
    char path[64];
    mrn_status s = find_typical(scene, &g, msg);
    if (s == MRN_OK)
        s = write_list(scene, scene->interaction, scene->n_interactions, to, &g, "interactions", v,
                       msg);
    for (int k = 0; k < scene->n_stages && s == MRN_OK; k++) {
        const mrn_stage *stage = &scene->stage[k];
        snprintf(path, sizeof path, "stages.%d.interactions", k);
        if (stage->n_interactions > 0)
            s = write_list(scene, stage->interaction, stage->n_interactions, to, &g, path, v, msg);
    }
    return s;
}

mrn_status mrn_translate_tell(const mrn_scene *scene, mrn_variant *v, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    for (int i = 0; i < scene->n_interactions && s == MRN_OK; i++) {
        const mrn_interaction *x = &scene->interaction[i];
        const mrn_law *normal = x->model.part[MRN_LAW_NORMAL];
        mrn_message unread;
        mrn_rigid r;
        double speed;
        if (normal == NULL || normal->rigid_only ||
            as_rigid(scene, x, NULL, &r, &speed, &unread) != MRN_OK)
            continue;
        s = mrn_variant_say(v, msg,
                            "law %s between %s and %s counts as restitution %.4g, friction "
                            "%.4g; its stiffness does not",
                            x->model.name, scene->material[x->a].name, scene->material[x->b].name,
                            r.restitution, r.friction);
    }
    return s;
}
