/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants of a cross-check: which methods can do a scene, and what has to be changed for each.
   Nothing here knows a method by name: the scene is read with each, as it is; where that is
   refused, with laws for rigid grains, then with springs; what is still refused is left out, and
   the words of the first refusal say why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"

typedef struct planner {
    mrn_trials *t;
    const mrn_scene *scene; /* as it is                                    */
    const mrn_crosscheck_options *opt;
    mrn_crosscheck_plan *plan;
    int stage; /* from which on; -1: all                                   */
    mrn_message *msg;
} planner;

/* ---- which methods ---- */

static bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p != NULL; p = strchr(p, ',') != NULL ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

static mrn_status unknown(const char *name, mrn_message *msg)
{
    const char *words[MRN_CROSSCHECK_METHODS];
    char list[300] = "";
    int n = 0;
    for (; n < mrn_method_count() && n < MRN_CROSSCHECK_METHODS; n++) {
        size_t at = strlen(list);
        words[n] = mrn_method_at(n)->name;
        snprintf(list + at, sizeof list - at, "%s%s", n > 0 ? ", " : "", words[n]);
    }
    const char *meant = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "there is no method '%s'", name);
    mrn_fail_expected(msg, "%s", list);
    return meant != NULL ? mrn_fail_hint(msg, "did you mean '%s'?", meant) : MRN_ERR_INPUT;
}

/* Names of methods that are none: in --methods, and before the colon of changes. */
static mrn_status check_names(const mrn_crosscheck_options *opt, mrn_message *msg)
{
    for (const char *p = opt->methods; p != NULL;) {
        char name[64];
        size_t n = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), p);
        if (mrn_method_find(name) == NULL)
            return unknown(name, msg);
        p = p[n] == ',' ? p + n + 1 : NULL;
    }
    for (int i = 0; i < opt->n_only; i++) {
        char name[64];
        size_t n = strcspn(opt->only[i], ":");
        snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), opt->only[i]);
        if (opt->only[i][n] != ':' || strchr(opt->only[i] + n, '=') == NULL) {
            mrn_fail(msg, MRN_ERR_INPUT, "'%s' is no change for one method", opt->only[i]);
            return mrn_fail_expected(msg, "METHOD:PATH=VALUE");
        }
        if (mrn_method_find(name) == NULL)
            return unknown(name, msg);
    }
    return MRN_OK;
}

static mrn_status find_stage(planner *p)
{
    const char *name = p->opt->stage, *words[64];
    p->stage = -1;
    if (name == NULL)
        return MRN_OK;
    for (int k = 0; k < p->scene->n_stages; k++) {
        if (strcmp(p->scene->stage[k].name, name) == 0)
            p->stage = k;
        if (k < 64)
            words[k] = p->scene->stage[k].name;
    }
    if (p->stage >= 0)
        return MRN_OK;
    int n = p->scene->n_stages < 64 ? p->scene->n_stages : 64;
    const char *meant = mrn_closest_word(name, words, n);
    mrn_fail(p->msg, MRN_ERR_INPUT, "the scene has no stage '%s'", name);
    mrn_fail_path(p->msg, "stages");
    return meant != NULL ? mrn_fail_hint(p->msg, "did you mean '%s'?", meant) : MRN_ERR_INPUT;
}

/* The method with which the scene ends. */
static const mrn_method *last_method(const mrn_scene *s)
{
    const mrn_method *m = mrn_method_of(s);
    for (int k = 0; k < s->n_stages; k++)
        m = s->stage[k].method != NULL ? s->stage[k].method : m;
    return m;
}

/* ---- the changes for one ---- */

/* Where the method stands: from a stage on, or in the whole run and wherever a stage names one. */
static mrn_status set_method(planner *p, mrn_variant *v, bool from_stage)
{
    const char *name = v->method->name;
    mrn_status s = MRN_OK;
    if (from_stage)
        s = mrn_variant_set(v, p->msg, "stages.%d.method=%s", p->stage, name);
    else
        s = mrn_variant_set(v, p->msg, "method=%s", name);
    for (int k = from_stage ? p->stage + 1 : 0; k < p->scene->n_stages && s == MRN_OK; k++)
        if (p->scene->stage[k].method != NULL)
            s = mrn_variant_set(v, p->msg, "stages.%d.method=%s", k, name);
    return s;
}

/* What was chosen for the scene's own method. */
static mrn_status reset_choices(planner *p, mrn_variant *v)
{
    const mrn_scene *scene = p->scene;
    mrn_status s = MRN_OK;
    if (v->method == last_method(scene))
        return s;
    if (scene->time_step > 0) {
        s = mrn_variant_set(v, p->msg, "time-step={fraction: 0.05}");
        if (s == MRN_OK)
            s = mrn_variant_say(v, p->msg,
                                "the time step is its own: that of the scene is for "
                                "method %s",
                                mrn_method_of(scene)->name);
    }
    if (s == MRN_OK && scene->integrator != MRN_VERLET &&
        !mrn_method_can(v->method, MRN_CAN_INTEGRATORS)) {
        s = mrn_variant_set(v, p->msg, "integrator=verlet");
        if (s == MRN_OK)
            s = mrn_variant_say(v, p->msg, "the choice of an integrator is left out");
    }
    return s;
}

static mrn_status set_own(planner *p, mrn_variant *v)
{
    size_t n = strlen(v->method->name);
    mrn_status s = MRN_OK;
    for (int i = 0; i < p->opt->n_only && s == MRN_OK; i++) {
        const char *only = p->opt->only[i];
        if (strncmp(only, v->method->name, n) != 0 || only[n] != ':')
            continue;
        s = mrn_variant_set(v, p->msg, "%s", only + n + 1);
        if (s == MRN_OK)
            s = mrn_variant_say(v, p->msg, "changed as asked for: %s", only + n + 1);
    }
    return s;
}

static mrn_status make(planner *p, mrn_variant *v, bool from_stage, mrn_law_target laws)
{
    mrn_status s = set_method(p, v, from_stage);
    if (s == MRN_OK)
        s = reset_choices(p, v);
    if (s == MRN_OK && laws != MRN_LAWS_AS_THEY_ARE)
        s = mrn_translate_laws(p->scene, laws, v, p->msg);
    else if (s == MRN_OK && v->method->rigid_contacts)
        s = mrn_translate_tell(p->scene, v, p->msg);
    return s == MRN_OK ? set_own(p, v) : s;
}

/* ---- does it work ---- */

/* A method without inertia begins at an equilibrium. MRN_ERR_INPUT: this is none. */
static mrn_status begins_at_rest(planner *p, const mrn_scene *scene, bool from_stage)
{
    mrn_scene copy;
    mrn_state state = {0};
    mrn_step_limit limit;
    mrn_engine e = {0};
    if (mrn_physical_time(scene) || from_stage)
        return MRN_OK;
    mrn_status s = mrn_scene_copy(scene, &copy, p->msg);
    if (s != MRN_OK)
        return s;
    double z = NAN;
    s = mrn_run_prepare(&copy, &state, &limit, p->msg);
    if (s == MRN_OK && (s = mrn_engine_create_still(&copy, &state, &e, p->msg)) == MRN_OK)
        z = mrn_probe_value(&copy, &state, "coordination");
    mrn_engine_destroy(&e);
    mrn_state_destroy(&state);
    mrn_scene_destroy(&copy);
    if (s != MRN_OK || z >= scene->dimension)
        return s;
    return mrn_fail(p->msg, MRN_ERR_INPUT,
                    "it has no inertia and begins at an equilibrium, and this scene does not: %.2g "
                    "contacts per grain at the start (--stage NAME compares from a later stage on)",
                    z);
}

/* A name in a change of the user's is not a reason to leave out a method: it is wrong for all. */
static bool is_mistake(const planner *p)
{
    for (int i = 0; i < p->opt->n_only; i++) {
        const char *change = strchr(p->opt->only[i], ':');
        if (change != NULL && strncmp(p->msg->file, "--set ", 6) == 0 &&
            strcmp(p->msg->file + 6, change + 1) == 0)
            return true;
    }
    return false;
}

/* Reads the scene as the variant has it, and looks at its start. */
static mrn_status try(planner *p, mrn_variant *v, bool from_stage)
{
    mrn_scene scene = {0};
    mrn_status s = mrn_trials_scene(p->t, v, p->t->seed, &scene, p->msg);
    if (s == MRN_OK)
        s = begins_at_rest(p, &scene, from_stage);
    if (s == MRN_OK)
        v->method = last_method(&scene);
    mrn_scene_destroy(&scene);
    return s;
}

/* All ways in turn. The message that stays is that of the last way that could be gone: a refusal
   which no translation cures. */
static mrn_status try_all(planner *p, const mrn_method *m, mrn_variant *v)
{
    mrn_message why = {0};
    for (int way = p->stage > 0 ? 0 : 1; way < 2; way++)
        for (int laws = MRN_LAWS_AS_THEY_ARE; laws <= MRN_LAWS_LINEAR; laws++) {
            mrn_variant_release(v);
            v->method = m;
            snprintf(v->name, sizeof v->name, "%s", m->name);
            memset(p->msg, 0, sizeof *p->msg);
            mrn_status s = make(p, v, way == 0, (mrn_law_target)laws);
            bool made = s == MRN_OK;
            if (made)
                s = try(p, v, way == 0);
            if (s == MRN_OK || s == MRN_ERR_MEMORY || is_mistake(p))
                return s;
            if (made || why.status == MRN_OK)
                why = *p->msg;
        }
    mrn_variant_release(v);
    *p->msg = why;
    return MRN_ERR_INPUT;
}

static void leave_out(planner *p, const mrn_method *m)
{
    mrn_left_out *l = &p->plan->left_out[p->plan->n_left_out++];
    const mrn_message *msg = p->msg;
    l->method = m;
    snprintf(l->words, sizeof l->words, "%.400s%s%.200s", msg->text,
             msg->hint[0] != '\0' ? "; " : "", msg->hint);
}

static mrn_status add(planner *p, const mrn_method *m)
{
    mrn_variant *v = &p->t->variant[p->t->n_variants];
    if (p->opt->methods != NULL && !in_list(p->opt->methods, m->name))
        return MRN_OK;
    mrn_status s = try_all(p, m, v);
    if (s == MRN_OK) {
        p->t->n_variants++;
        return MRN_OK;
    }
    mrn_variant_release(v); /* it does not count: nobody else does */
    if (s == MRN_ERR_MEMORY || is_mistake(p))
        return s;
    leave_out(p, m);
    return MRN_OK;
}

static mrn_status enough(const planner *p)
{
    char why[500] = "";
    if (p->t->n_variants >= 2)
        return MRN_OK;
    const mrn_crosscheck_plan *plan = p->plan;
    for (int i = 0; i < plan->n_left_out; i++) {
        size_t at = strlen(why);
        snprintf(why + at, sizeof why - at, "%s%s: %.150s", i > 0 ? "; " : "",
                 plan->left_out[i].method->name, plan->left_out[i].words);
    }
    if (p->t->n_variants == 0)
        mrn_fail(p->msg, MRN_ERR_INPUT, "no method can do this scene");
    else
        mrn_fail(p->msg, MRN_ERR_INPUT,
                 "only method %s can do this scene: there is nothing to "
                 "compare it with",
                 p->t->variant[0].method->name);
    mrn_fail_expected(p->msg, "a scene that two methods can do");
    return why[0] != '\0' ? mrn_fail_hint(p->msg, "%s", why) : MRN_ERR_INPUT;
}

mrn_status mrn_crosscheck_variants(mrn_trials *t, const mrn_crosscheck_options *opt,
                                   mrn_crosscheck_plan *plan, mrn_message *msg)
{
    mrn_scene scene = {0};
    planner p = {.t = t, .scene = &scene, .opt = opt, .plan = plan, .msg = msg};
    *plan = (mrn_crosscheck_plan){0};
    int n =
        mrn_method_count() < MRN_CROSSCHECK_METHODS ? mrn_method_count() : MRN_CROSSCHECK_METHODS;
    mrn_status s = check_names(opt, msg);
    if (s == MRN_OK)
        s = mrn_trials_scene(t, NULL, t->seed, &scene, msg);
    if (s == MRN_OK)
        s = find_stage(&p);
    if (s == MRN_OK)
        s = mrn_array(&t->variant, n + 1, sizeof *t->variant, msg);
    const mrn_method *own = s == MRN_OK ? last_method(&scene) : NULL;
    if (s == MRN_OK)
        s = add(&p, own);
    for (int i = 0; i < n && s == MRN_OK; i++)
        if (mrn_method_at(i) != own)
            s = add(&p, mrn_method_at(i));
    if (s == MRN_OK)
        s = enough(&p);
    mrn_scene_destroy(&scene);
    return s;
}
