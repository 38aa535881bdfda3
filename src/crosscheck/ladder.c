/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ladders: variants of a scene of which one thing goes to its limit: the time step, the softness of
   contacts, the tolerance of a solver, one over the size. Every level is a list of changes as
   `--set` has them, so that each can be repeated by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/virtual_test.h"
#include "crosscheck/crosscheck.h"
#include "export/export.h"
#include "inference/fit.h"

static const struct {
    const char *name, *axis, *unit;
    double ratio;
} varies[MRN_VARIES] = {
    [MRN_VARY_STEP] = {"step", "time step", "s", 2},
    [MRN_VARY_STIFFNESS] = {"stiffness", "1 / stiffness, relative", "", 4},
    [MRN_VARY_TOLERANCE] = {"tolerance", "tolerance", "", 10},
    [MRN_VARY_SIZE] = {"size", "1 / length of the cell, relative", "", 2},
    [MRN_VARY_THREADS] = {"threads", "1 / threads", "", 2},
};

const char *mrn_vary_name(mrn_vary v)
{
    return varies[v].name;
}

const char *mrn_vary_axis(mrn_vary v, const char **unit)
{
    *unit = varies[v].unit;
    return varies[v].axis;
}

enum { MOST_THREADS = 4096 }; /* as --threads has it: each takes a stack */

/* The work. */
typedef struct ladder {
    mrn_trials *t;
    mrn_scene scene; /* as it is */
    const mrn_ladder_options *opt;
    double ratio;
    mrn_message *msg;
} ladder;

static mrn_status set_number(ladder *a, mrn_variant *v, const char *path, double value)
{
    char text[32], change[MRN_CHANGE_TEXT];
    snprintf(change, sizeof change, "%s=%s", path, mrn_number_text(value, text));
    for (int i = 0; i < v->n_set; i++)
        if (strcmp(v->set[i], change) == 0)
            return MRN_OK;
    return mrn_variant_set(v, a->msg, "%s", change);
}

/* ---- step ---- */

/* The step that the scene begins with; of a computed one the part of the first stage's time that
   divides it, so that every level ends at the same instant. */
static mrn_status first_step(ladder *a, double *h)
{
    mrn_scene copy;
    mrn_state state = {0};
    mrn_step_limit limit;
    mrn_status s = mrn_scene_copy(&a->scene, &copy, a->msg);
    if (s != MRN_OK)
        return s;
    s = mrn_run_prepare(&copy, &state, &limit, a->msg);
    *h = state.h;
    double longest = copy.n_stages > 0 ? mrn_stage_longest(&copy.stage[0]) : INFINITY;
    if (s == MRN_OK && a->scene.time_step == 0 && isfinite(longest) && *h > 0)
        *h = longest / ceil(longest / *h * (1 - 1e-12));
    mrn_state_destroy(&state);
    mrn_scene_destroy(&copy);
    return s;
}

static mrn_status step_level(ladder *a, mrn_variant *v, double h, double factor)
{
    char path[64];
    v->x = h / factor;
    snprintf(v->label, sizeof v->label, "%.4g s", v->x);
    mrn_status s = set_number(a, v, "time-step", v->x);
    for (int k = 0; k < a->scene.n_stages && s == MRN_OK; k++)
        if (a->scene.stage[k].time_step > 0) {
            snprintf(path, sizeof path, "stages.%d.time-step", k);
            s = set_number(a, v, path, a->scene.stage[k].time_step / factor);
        }
    return s;
}

static mrn_status make_steps(ladder *a)
{
    double h = a->opt->from;
    if (mrn_method_of(&a->scene)->continuous) {
        mrn_fail(a->msg, MRN_ERR_INPUT, "method %s has no step", a->scene.method->name);
        mrn_fail_path(a->msg, "method");
        return mrn_fail_hint(a->msg, "vary it under another method: --method smooth");
    }
    mrn_status s = h > 0 ? MRN_OK : first_step(a, &h);
    for (int i = 0; i < a->t->n_variants && s == MRN_OK; i++)
        s = step_level(a, &a->t->variant[i], h, pow(a->ratio, i));
    return s;
}

/* ---- stiffness ---- */

/* How a parameter follows a factor on the stiffness of contacts: its power. Dashpots follow such
   that restitution stays. */
static const struct {
    const char *name;
    double power;
} stiff[] = {
    {"normal-stiffness", 1}, {"stiffness", 1},        {"unloading-stiffness", 1},
    {"contact-time", -0.5},  {"normal-damping", 0.5},
};

/* Where the entry of a law stands in the file: its first value that has a place. */
static int64_t place_of(const mrn_interaction *x)
{
    int64_t first = INT64_MAX;
    for (int i = 0; i < MRN_PARAM_MAX; i++)
        if (x->value[i].given && x->value[i].line > 0) {
            int64_t at = ((int64_t)x->value[i].line << 32) + x->value[i].column;
            first = at < first ? at : first;
        }
    return first;
}

/* The number of its entry in the list of the file: one that speaks of `any` material stands for
   several pairs. */
static int entry_of(const mrn_interaction *x, int n, int i)
{
    int64_t here = place_of(&x[i]);
    int entry = 0;
    if (here == INT64_MAX)
        return i;
    for (int k = 0; k < n; k++) {
        bool first = place_of(&x[k]) < here;
        for (int m = 0; m < k && first; m++)
            first = place_of(&x[m]) != place_of(&x[k]);
        entry += first;
    }
    return entry;
}

static mrn_status stiffen_law(ladder *a, mrn_variant *v, const mrn_interaction *x, const char *path,
                              double factor, int *count)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, p);
    mrn_status s = MRN_OK;
    for (int i = 0; i < n && s == MRN_OK; i++)
        for (size_t k = 0; k < sizeof stiff / sizeof *stiff && s == MRN_OK; k++) {
            char key[160];
            if (!x->value[i].given || strcmp(p[i]->name, stiff[k].name) != 0)
                continue;
            snprintf(key, sizeof key, "%s.%s", path, p[i]->name);
            s = set_number(a, v, key, x->value[i].number * pow(factor, stiff[k].power));
            *count += stiff[k].power != 0.5;
        }
    return s;
}

/* Parts whose stiffness is that of the materials. */
static bool asks_materials(const mrn_scene *s)
{
    for (int i = 0; i < s->n_interactions; i++) {
        const mrn_law *law = s->interaction[i].model.part[MRN_LAW_NORMAL];
        bool own = law == NULL || law->rigid_only;
        for (int k = 0; law != NULL && k < law->n_params; k++)
            own |= strcmp(law->params[k].name, "normal-stiffness") == 0;
        if (!own)
            return true;
    }
    return false;
}

static mrn_status stiffen_materials(ladder *a, mrn_variant *v, double factor, int *count)
{
    mrn_status s = MRN_OK;
    for (int i = 0; i < a->scene.n_materials && s == MRN_OK && asks_materials(&a->scene); i++) {
        const mrn_material *m = &a->scene.material[i];
        char path[128];
        if (!isfinite(m->young))
            continue;
        snprintf(path, sizeof path, "materials.%s.young", m->name);
        s = set_number(a, v, path, m->young * factor);
        ++*count;
    }
    return s;
}

static mrn_status stiffness_level(ladder *a, mrn_variant *v, double factor)
{
    const mrn_scene *scene = &a->scene;
    char path[64];
    int count = 0;
    v->x = 1 / factor;
    snprintf(v->label, sizeof v->label, "x %g", factor);
    mrn_status s = stiffen_materials(a, v, factor, &count);
    for (int i = 0; i < scene->n_interactions && s == MRN_OK; i++) {
        snprintf(path, sizeof path, "interactions.%d",
                 entry_of(scene->interaction, scene->n_interactions, i));
        s = stiffen_law(a, v, &scene->interaction[i], path, factor, &count);
    }
    for (int k = 0; k < scene->n_stages; k++)
        for (int i = 0; i < scene->stage[k].n_interactions && s == MRN_OK; i++) {
            snprintf(path, sizeof path, "stages.%d.interactions.%d", k,
                     entry_of(scene->stage[k].interaction, scene->stage[k].n_interactions, i));
            s = stiffen_law(a, v, &scene->stage[k].interaction[i], path, factor, &count);
        }
    if (s == MRN_OK && scene->time_step > 0)
        s = set_number(a, v, "time-step", scene->time_step / sqrt(factor));
    if (s != MRN_OK || count > 0)
        return s;
    mrn_fail(a->msg, MRN_ERR_INPUT, "no law of the scene has a stiffness that could be varied");
    mrn_fail_path(a->msg, "interactions");
    return mrn_fail_hint(a->msg, "give normal-stiffness, contact-time, or a Young's modulus");
}

static mrn_status make_stiffnesses(ladder *a)
{
    bool compliant = false;
    for (int i = 0; i < a->scene.n_interactions; i++)
        compliant |= a->scene.interaction[i].rigid.compliance > 0;
    if (mrn_rigid_contacts(&a->scene) && !compliant) {
        mrn_fail(a->msg, MRN_ERR_INPUT,
                 "method %s takes grains as rigid: stiffness does not count there",
                 a->scene.method->name);
        mrn_fail_path(a->msg, "method");
        return mrn_fail_hint(a->msg, "vary it under --method smooth; its limit is what rigid "
                                     "grains do");
    }
    mrn_status s = MRN_OK;
    for (int i = 0; i < a->t->n_variants && s == MRN_OK; i++)
        s = stiffness_level(a, &a->t->variant[i], pow(a->ratio, i));
    return s;
}

/* ---- tolerance ---- */

typedef struct search {
    char path[160], value[64];
    bool found;
} search;

static void look(void *context, const char *path, const char *value, bool usual)
{
    search *k = context;
    (void)usual;
    if (strcmp(path, k->path) != 0)
        return;
    k->found = true;
    snprintf(k->value, sizeof k->value, "%s", value);
}

static mrn_status make_tolerances(ladder *a)
{
    const mrn_method *m = mrn_method_of(&a->scene);
    search k = {0};
    snprintf(k.path, sizeof k.path, "%s.tolerance", m->options != NULL ? m->options : m->name);
    mrn_scene_values(&a->scene, look, &k);
    double first = a->opt->from > 0 ? a->opt->from : strtod(k.value, NULL);
    if (!k.found || !(first > 0)) {
        mrn_fail(a->msg, MRN_ERR_INPUT, "method %s has no tolerance", m->name);
        mrn_fail_expected(a->msg, "a method that solves systems of equations, as nonsmooth or "
                                  "quasistatic");
        return mrn_fail_hint(a->msg, "its accuracy is that of its step: --vary step");
    }
    mrn_status s = MRN_OK;
    for (int i = 0; i < a->t->n_variants && s == MRN_OK; i++) {
        mrn_variant *v = &a->t->variant[i];
        v->x = first / pow(a->ratio, i);
        snprintf(v->label, sizeof v->label, "%.3g", v->x);
        s = set_number(a, v, k.path, v->x);
    }
    return s;
}

/* ---- size ---- */

/* Why a scene cannot grow along its periodic directions; NULL: it can. */
static const char *cannot_grow(const mrn_scene *s, int *group)
{
    *group = -1;
    for (int i = 0; i < s->n_walls; i++)
        if (strcmp(s->shape[s->wall[i].shape].type->name, "plane") != 0)
            return "walls other than planes do not grow with the cell";
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        *group = i;
        if (g->place != MRN_PLACE_FILL && g->place != MRN_PLACE_LATTICE)
            return "grains that are listed do not become more";
        if (g->region.kind != MRN_REGION_BOX)
            return "only a box can grow with the cell";
    }
    return s->n_groups > 0 ? NULL : "there are no grains";
}

/* "[[0, 0, 0], [0.02, 0.02, 0.1]]" of a box that grows about the origin of the cell. */
static void grown_box(const mrn_scene *s, const mrn_region *r, double factor, char *out,
                      size_t size)
{
    const double lo[3] = {r->lo.x, r->lo.y, r->lo.z}, hi[3] = {r->hi.x, r->hi.y, r->hi.z};
    char text[6][32];
    for (int k = 0; k < 3; k++) {
        double o = s->cell.origin[k], f = s->cell.periodic[k] ? factor : 1;
        mrn_number_text(o + f * (lo[k] - o), text[k]);
        mrn_number_text(o + f * (hi[k] - o), text[3 + k]);
    }
    if (s->dimension == 2)
        snprintf(out, size, "[[%s, %s], [%s, %s]]", text[0], text[1], text[3], text[4]);
    else
        snprintf(out, size, "[[%s, %s, %s], [%s, %s, %s]]", text[0], text[1], text[2], text[3],
                 text[4], text[5]);
}

static mrn_status grow_cell(ladder *a, mrn_variant *v, double factor)
{
    const mrn_cell *c = &a->scene.cell;
    char text[3][32];
    for (int k = 0; k < 3; k++)
        mrn_number_text(c->size[k] * (c->periodic[k] ? factor : 1), text[k]);
    if (a->scene.dimension == 2)
        return mrn_variant_set(v, a->msg, "cell.size=[%s, %s]", text[0], text[1]);
    return mrn_variant_set(v, a->msg, "cell.size=[%s, %s, %s]", text[0], text[1], text[2]);
}

static mrn_status size_level(ladder *a, mrn_variant *v, double grains, int directions)
{
    double factor = pow(grains, 1. / directions);
    mrn_status s = grow_cell(a, v, factor);
    v->x = 1 / factor;
    snprintf(v->label, sizeof v->label, "x %g grains", grains);
    for (int i = 0; i < a->scene.n_groups && s == MRN_OK; i++) {
        const mrn_group *g = &a->scene.group[i];
        char box[400];
        grown_box(&a->scene, &g->region, factor, box, sizeof box);
        s = mrn_variant_set(v, a->msg, "bodies.%d.place.%s.box=%s", i,
                            g->place == MRN_PLACE_FILL ? "fill" : "lattice", box);
        if (s == MRN_OK && g->count > 0)
            s = mrn_variant_set(v, a->msg, "bodies.%d.count=%.0f", i,
                                round((double)g->count * grains));
    }
    return s;
}

static mrn_status make_sizes(ladder *a)
{
    int directions = 0, group;
    const char *why = cannot_grow(&a->scene, &group);
    for (int k = 0; k < a->scene.dimension; k++)
        directions += a->scene.cell.periodic[k];
    if (directions == 0 || why != NULL) {
        mrn_fail(a->msg, MRN_ERR_INPUT, "the size of this scene cannot be varied: %s",
                 directions == 0 ? "it has no periodic direction to grow along" : why);
        if (directions == 0 || group < 0)
            mrn_fail_path(a->msg, directions == 0 ? "cell" : "walls");
        else
            mrn_fail_path(a->msg, "bodies.%d.place", group);
        return mrn_fail_hint(a->msg, "a periodic cell filled at random can: cell: {periodic: [x, "
                                     "y], …}, place: {fill: {box: …}}");
    }
    mrn_status s = MRN_OK;
    for (int i = 0; i < a->t->n_variants && s == MRN_OK; i++)
        s = size_level(a, &a->t->variant[i], pow(a->ratio, i), directions);
    return s;
}

/* ---- threads ---- */

static mrn_status make_threads(ladder *a)
{
    double most = pow(a->ratio, a->t->n_variants - 1);
    if (!(most <= MOST_THREADS)) {
        mrn_fail(a->msg, MRN_ERR_RANGE, "the last level would have %.4g threads", most);
        mrn_fail_expected(a->msg, "at most %d", MOST_THREADS);
        return mrn_fail_hint(a->msg, "fewer levels, or a smaller ratio between them");
    }
    for (int i = 0; i < a->t->n_variants; i++) {
        mrn_variant *v = &a->t->variant[i];
        v->threads = (int)round(pow(a->ratio, i));
        v->x = 1. / v->threads;
        snprintf(v->label, sizeof v->label, "%d", v->threads);
    }
    return MRN_OK;
}

/* ---- all ---- */

mrn_status mrn_ladder_variants(mrn_trials *t, const mrn_ladder_options *opt, mrn_message *msg)
{
    static mrn_status (*const make[MRN_VARIES])(ladder *) = {
        [MRN_VARY_STEP] = make_steps,           [MRN_VARY_STIFFNESS] = make_stiffnesses,
        [MRN_VARY_TOLERANCE] = make_tolerances, [MRN_VARY_SIZE] = make_sizes,
        [MRN_VARY_THREADS] = make_threads,
    };
    ladder a = {.t = t, .opt = opt, .msg = msg};
    a.ratio = opt->ratio > 0 ? opt->ratio : varies[opt->vary].ratio;
    int levels = opt->levels > 0 ? opt->levels : 4;
    if (levels < 2 || levels > MRN_LEVELS)
        return mrn_fail(msg, MRN_ERR_RANGE, "a ladder has 2 to %d levels, not %d", MRN_LEVELS,
                        levels);
    mrn_status s = mrn_trials_scene(t, NULL, t->seed, &a.scene, msg);
    if (s == MRN_OK)
        s = mrn_array(&t->variant, levels, sizeof *t->variant, msg);
    if (s == MRN_OK) {
        t->n_variants = levels;
        for (int i = 0; i < levels; i++) {
            snprintf(t->variant[i].name, sizeof t->variant[i].name, "%s-%d", varies[opt->vary].name,
                     i + 1);
            t->variant[i].method = mrn_method_of(&a.scene);
        }
        s = make[opt->vary](&a);
    }
    mrn_scene_destroy(&a.scene);
    return s;
}
