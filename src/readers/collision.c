/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What collides, the candidate laws, and the values that numbers take without data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "readers/read.h"

/* ---- bodies ---- */

static mrn_status find_material(mrn_lab_reader *r, const mrn_node *n, int *out)
{
    const mrn_scene *s = r->in.scene;
    *out = mrn_scene_find_material(s, n->text);
    if (*out >= 0)
        return MRN_OK;
    const char *names[128];
    int count = s->n_materials < 128 ? s->n_materials : 128;
    for (int i = 0; i < count; i++)
        names[i] = s->material[i].name;
    return mrn_check_fail_word(&r->in.check, n, "material", n->text, names, count);
}

static void set_material(mrn_lab_reader *r, int material, int which, mrn_collision *c)
{
    const mrn_material *m = &r->in.scene->material[material];
    c->young[which] = m->young > 0 ? m->young : NAN; /* a scene's 0: not given */
    c->poisson[which] = m->poisson;
    c->density[which] = m->density;
}

static mrn_status read_ball(mrn_lab_reader *r, const mrn_node *n, int which, mrn_collision *c)
{
    const mrn_node *radius = mrn_node_get(n, "radius"), *spin = mrn_node_get(n, "spin");
    double size = 0;
    int material = 0;
    mrn_vec3 w = mrn_v3(0, 0, 0);
    mrn_status s = mrn_build_material_of(&r->in, n, &material);
    if (s == MRN_OK)
        s = mrn_read_quantity(&r->in.check, radius != NULL ? radius : mrn_node_get(n, "diameter"),
                              "m", &size);
    if (s == MRN_OK && spin != NULL)
        s = mrn_read_vector(&r->in.check, spin, "rad/s", &w);
    if (s != MRN_OK)
        return s;
    set_material(r, material, which, c);
    c->radius[which] = radius != NULL ? size : 0.5 * size;
    memcpy(c->spin[which], (double[]){w.x, w.y, w.z}, sizeof c->spin[which]);
    return MRN_OK;
}

static mrn_status read_bodies(mrn_lab_reader *r, mrn_collision *c)
{
    const mrn_node *target = mrn_node_get(r->collision, "target");
    const mrn_node *plane = mrn_node_get(target, "plane");
    int material = 0;
    mrn_status s = read_ball(r, mrn_node_get(r->collision, "ball"), 0, c);
    const mrn_node *fixed = mrn_node_get(target, "fixed"),
                   *normal = mrn_node_get(r->collision, "normal");
    c->fixed = fixed != NULL && mrn_read_flag(fixed);
    c->about_end = normal != NULL && strcmp(normal->text, "end") == 0;
    if (s != MRN_OK || plane == NULL)
        return s == MRN_OK ? read_ball(r, mrn_node_get(target, "sphere"), 1, c) : s;
    s = find_material(r, plane, &material);
    if (s != MRN_OK)
        return s;
    set_material(r, material, 1, c);
    c->radius[1] = INFINITY;
    return MRN_OK;
}

/* ---- laws ---- */

static mrn_status read_law(mrn_lab_reader *r, const mrn_node *n, const char *name,
                           const mrn_collision *bodies, mrn_candidate *out)
{
    mrn_interaction x = {0};
    bool named;
    mrn_status s = mrn_check_law(&r->in.check, n, &x.model, &named);
    if (s == MRN_OK)
        s = mrn_build_law_values(&r->in, n, false, &x);
    if (s != MRN_OK)
        return s;
    snprintf(out->name, sizeof out->name, "%.*s", MRN_LAB_NAME - 1,
             name != NULL ? name : x.model.name);
    out->collision = *bodies;
    out->collision.model = x.model;
    memcpy(out->collision.value, x.value, sizeof x.value);
    return MRN_OK;
}

mrn_status mrn_lab_read_laws(mrn_lab_reader *r)
{
    const mrn_node *laws = mrn_node_get(r->in.root, "laws");
    const mrn_node *law = mrn_node_get(r->collision, "law");
    mrn_experiment *e = r->e;
    mrn_collision bodies = {.speed = 1};
    mrn_status s = MRN_OK;
    if (laws != NULL && law != NULL) {
        mrn_check_fail(&r->in.check, law->key, "one of them",
                       "a law stands in 'collision', and there is a list of 'laws' too");
        return mrn_fail_hint(r->in.check.msg, "move it into 'laws'");
    }
    if (laws == NULL && law == NULL)
        return mrn_check_fail(&r->in.check, r->in.root, "laws: {NAME: {law: hertz-mindlin, …}}",
                              "there is no law: neither 'laws' nor 'law' in 'collision'");
    s = read_bodies(r, &bodies);
    if (s == MRN_OK)
        s = mrn_array(&e->candidate, laws != NULL ? laws->n : 1, sizeof *e->candidate,
                      r->in.check.msg);
    if (s == MRN_OK && law != NULL)
        s = read_law(r, r->collision, NULL, &bodies, &e->candidate[e->n_candidates++]);
    for (const mrn_node *n = laws != NULL ? laws->first : NULL; n != NULL && s == MRN_OK;
         n = n->next)
        s = read_law(r, n, n->key->text, &bodies, &e->candidate[e->n_candidates++]);
    return s;
}

/* ---- values ---- */

static mrn_status read_list(mrn_lab_reader *r, const mrn_node *list, mrn_lab_sweep *w)
{
    mrn_status s = mrn_array(&w->value, list->n, sizeof *w->value, r->in.check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next, w->n++)
        s = mrn_lab_quantity(r, n, &w->factor, &w->value[w->n], w->n == 0 ? w->unit : NULL);
    return s;
}

/* In the unit that both ends have, so that 0, 5, 10 deg are what they seem. */
static mrn_status read_range(mrn_lab_reader *r, const mrn_node *n, mrn_lab_sweep *w)
{
    const mrn_node *from = mrn_node_get(n, "from"), *to = mrn_node_get(n, "to");
    double a = 0, b = 0;
    int count = (int)mrn_read_integer(&r->in.check, mrn_node_get(n, "steps"));
    mrn_status s = mrn_lab_quantity(r, from, &w->factor, &a, w->unit);
    if (s == MRN_OK)
        s = mrn_lab_quantity(r, to, &w->factor, &b, NULL);
    if (s == MRN_OK && a == b)
        s = mrn_check_fail(&r->in.check, to, "another value", "'to' is the same as 'from'");
    if (s == MRN_OK)
        s = mrn_array(&w->value, count, sizeof *w->value, r->in.check.msg);
    if (s != MRN_OK)
        return s;
    for (w->n = 0; w->n < count; w->n++) {
        double t = (double)w->n / (count - 1);
        w->value[w->n] = w->n == count - 1 ? b : a + (b - a) * t;
    }
    return MRN_OK;
}

static mrn_status fail_again(mrn_lab_reader *r, const mrn_node *n, const mrn_node *first)
{
    mrn_check_fail(&r->in.check, n->key, NULL, "'%s' is given a second time", n->key->text);
    return mrn_fail_hint(r->in.check.msg, "line %d has it already: keep one", first->line);
}

static mrn_status add_sweep(mrn_lab_reader *r, const mrn_node *n, const mrn_factor *f)
{
    if (r->n_sweeps == MRN_LAB_SWEEP_MAX)
        return mrn_check_fail(&r->in.check, n->key, "fewer of them", "too many numbers vary");
    mrn_lab_sweep *w = &r->sweep[r->n_sweeps++];
    *w = (mrn_lab_sweep){.factor = *f, .at = n, .with = r->n_sweeps - 1};
    return n->kind == MRN_NODE_LIST ? read_list(r, n, w) : read_range(r, n, w);
}

/* A single value is set once and for all, several are a sweep. */
static mrn_status take(mrn_lab_reader *r, const mrn_node *n)
{
    const char *name = n->key->text;
    mrn_factor f;
    double value = 0;
    for (int i = 0; i < r->n_sweeps; i++)
        if (strcmp(r->sweep[i].factor.name, name) == 0)
            return fail_again(r, n, r->sweep[i].at);
    mrn_status s = mrn_lab_factor_of_all(r, name, n->key, &f);
    if (s != MRN_OK)
        return s;
    if (n->kind != MRN_NODE_SCALAR)
        return add_sweep(r, n, &f);
    s = mrn_lab_quantity(r, n, &f, &value, NULL);
    return s == MRN_OK ? mrn_lab_set(r, name, value, n->key) : s;
}

/* [a, b, c] could be a vector or three values. */
static mrn_status check_spin(mrn_lab_reader *r, const mrn_node *n)
{
    if (n->kind != MRN_NODE_LIST || n->n != 3)
        return MRN_OK;
    mrn_check_fail(&r->in.check, n,
                   "one value, {from: …, to: …, steps: …}, or another count of them",
                   "three values of 'spin' could be a vector, or a sweep");
    return mrn_fail_hint(r->in.check.msg,
                         "a vector stands with the ball, ball: {spin: [x, y, z]}; a "
                         "sweep of three in vary: {spin: [a, b, c]}");
}

enum { SPEED, ANGLE, SPIN, NORMAL_SPEED, OWN };
static const char *const own[OWN] = {"speed", "angle", "spin", "normal-speed"};

static mrn_status take_vary(mrn_lab_reader *r, const mrn_node *vary)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = vary->first; n != NULL && s == MRN_OK; n = n->next) {
        for (int k = 0; k < OWN; k++)
            if (strcmp(n->key->text, own[k]) == 0) {
                if (mrn_node_get(r->collision, own[k]) != NULL)
                    return fail_again(r, n, mrn_node_get(r->collision, own[k]));
                r->given[k] = n;
            }
        s = take(r, n);
    }
    return s;
}

/* What varies together: several values each, and equally many. */
static mrn_status take_together(mrn_lab_reader *r, const mrn_node *together)
{
    int first = r->n_sweeps;
    for (const mrn_node *n = together->first; n != NULL; n = n->next)
        if (n->kind == MRN_NODE_SCALAR)
            return mrn_check_fail(&r->in.check, n, "a list, or {from: …, to: …, steps: …}",
                                  "'%s' is to vary together with others, and has one value",
                                  n->key->text);
    mrn_status s = take_vary(r, together);
    for (int i = first; i < r->n_sweeps && s == MRN_OK; i++) {
        mrn_lab_sweep *w = &r->sweep[i];
        w->with = first;
        if (w->n == r->sweep[first].n)
            continue;
        s = mrn_check_fail(&r->in.check, w->at->key, "equally many values of each",
                           "'%s' has %d values and '%s', with which it goes together, %d",
                           w->factor.name, w->n, r->sweep[first].factor.name, r->sweep[first].n);
    }
    return s;
}

static mrn_status check_speeds(mrn_lab_reader *r)
{
    if (r->given[SPEED] == NULL || r->given[NORMAL_SPEED] == NULL)
        return MRN_OK;
    mrn_check_fail(&r->in.check, r->given[NORMAL_SPEED]->key, "one of them",
                   "both 'speed' and 'normal-speed' are given");
    return mrn_fail_hint(r->in.check.msg, "normal-speed: the speed follows the angle");
}

mrn_status mrn_lab_read_collision(mrn_lab_reader *r)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = r->collision->first; n != NULL && s == MRN_OK; n = n->next) {
        const char *name = n->key->text;
        if (strcmp(name, "vary") == 0)
            s = take_vary(r, n);
        if (strcmp(name, "together") == 0)
            s = take_together(r, n);
        for (int k = 0; k < OWN && s == MRN_OK; k++)
            if (strcmp(name, own[k]) == 0) {
                r->given[k] = n;
                s = k == SPIN ? check_spin(r, n) : MRN_OK;
                s = s == MRN_OK ? take(r, n) : s;
            }
    }
    return s == MRN_OK ? check_speeds(r) : s;
}

/* ---- all combinations ---- */

static mrn_status count_rows(mrn_lab_reader *r, int *rows)
{
    int64_t n = 1;
    for (int i = 0; i < r->n_sweeps; i++) {
        n *= r->sweep[i].with == i ? r->sweep[i].n : 1;
        if (n > MRN_LAB_ROWS_MAX) {
            mrn_check_fail(&r->in.check, r->sweep[i].at->key, "at most 1000000 collisions",
                           "the sweep makes more than a million collisions");
            return mrn_fail_hint(r->in.check.msg, "fewer values, or several files");
        }
    }
    *rows = (int)n;
    return MRN_OK;
}

static mrn_status make_conditions(mrn_lab_reader *r, int rows)
{
    mrn_conditions *at = &r->e->at;
    mrn_message *msg = r->in.check.msg;
    int n = r->n_sweeps;
    mrn_status s = mrn_array(&at->factor, n, sizeof *at->factor, msg);
    if (s == MRN_OK)
        s = mrn_array(&at->unit, n, sizeof *at->unit, msg);
    if (s == MRN_OK)
        s = mrn_array(&at->value, (int64_t)rows * n, sizeof *at->value, msg);
    if (s != MRN_OK)
        return s;
    at->n = rows;
    at->n_conditions = n;
    for (int k = 0; k < n; k++) {
        at->factor[k] = r->sweep[k].factor;
        memcpy(at->unit[k], r->sweep[k].unit, sizeof at->unit[k]);
    }
    return MRN_OK;
}

/* The last key of the file is the fastest; those that go together have one place. */
static void fill_row(const mrn_lab_reader *r, int row, double *out)
{
    int place[MRN_LAB_SWEEP_MAX] = {0};
    for (int k = r->n_sweeps - 1; k >= 0; k--)
        if (r->sweep[k].with == k) {
            place[k] = row % r->sweep[k].n;
            row /= r->sweep[k].n;
        }
    for (int k = 0; k < r->n_sweeps; k++)
        out[k] = r->sweep[k].value[place[r->sweep[k].with]];
}

mrn_status mrn_lab_read_sweeps(mrn_lab_reader *r)
{
    int rows = 1, n = r->n_sweeps;
    mrn_status s = count_rows(r, &rows);
    if (s == MRN_OK && r->given[SPEED] == NULL && r->given[NORMAL_SPEED] == NULL) {
        mrn_check_fail(&r->in.check, r->collision, "speed: 4.2 m/s",
                       "this collision lacks the key 'speed'");
        return mrn_fail_hint(r->in.check.msg, "speed of the ball before the impact");
    }
    if (s == MRN_OK)
        s = make_conditions(r, rows);
    for (int i = 0; i < rows && s == MRN_OK; i++)
        fill_row(r, i, r->e->at.value + (int64_t)i * n);
    for (int k = 0; k < n && s == MRN_OK; k++)
        s = mrn_lab_set(r, r->sweep[k].factor.name, r->sweep[k].value[0], r->sweep[k].at);
    return s;
}

/* ---- does the law take it ---- */

static const mrn_node *law_node(const mrn_lab_reader *r, int k)
{
    const mrn_node *laws = mrn_node_get(r->in.root, "laws");
    const mrn_node *n = laws != NULL ? laws->first : r->collision;
    while (laws != NULL && k-- > 0)
        n = n->next;
    return n;
}

/* What a collision says to changed numbers: at the place of `n`, which asked for them. */
static mrn_status check_changed(mrn_lab_reader *r, const mrn_collision *c, const mrn_node *n)
{
    mrn_message *msg = r->in.check.msg;
    *msg = (mrn_message){0};
    mrn_status s = mrn_collision_check(c, msg);
    if (s == MRN_OK || s == MRN_ERR_MEMORY)
        return s;
    msg->line = msg->column = 0;
    msg->file[0] = '\0';
    return mrn_tree_place(r->in.check.tree, n, msg);
}

/* Each value of a list, both ends of a range, with all others at the first of theirs. */
static mrn_status check_sweep(mrn_lab_reader *r, int k, const mrn_lab_sweep *w)
{
    mrn_collision c = r->e->candidate[k].collision;
    bool list = w->at->kind == MRN_NODE_LIST;
    const mrn_node *at = list ? w->at->first : w->at;
    mrn_factor f;
    mrn_status s = mrn_lab_factor(r, k, w->factor.name, w->at->key, &f);
    for (int i = 0; i < w->n && s == MRN_OK; i += list ? 1 : w->n - 1) {
        mrn_factor_set(&c, &f, w->value[i]);
        s = check_changed(r, &c, at);
        at = list ? at->next : at;
    }
    return s;
}

/* All free parameters at once, at both ends. */
static mrn_status check_free(mrn_lab_reader *r, int k)
{
    const mrn_candidate *it = &r->e->candidate[k];
    const mrn_node *fit = mrn_node_get(mrn_node_get(r->in.root, "fit"), "parameters");
    mrn_status s = MRN_OK;
    for (int end = 0; end < 2 && s == MRN_OK && it->n_free > 0; end++) {
        mrn_collision c = it->collision;
        for (int i = 0; i < it->n_free; i++)
            mrn_factor_set(&c, &it->factor[i], end == 0 ? it->free[i].lo : it->free[i].hi);
        s = check_changed(r, &c, fit->first->key);
    }
    return s;
}

static mrn_status check_factors(mrn_lab_reader *r)
{
    const mrn_experiment *e = r->e;
    const mrn_node *n = mrn_node_get(mrn_node_get(r->in.root, "sensitivity"), "parameters");
    mrn_status s = MRN_OK;
    n = n != NULL ? n->first : NULL;
    for (int i = 0; i < e->n_factors && n != NULL && s == MRN_OK; i++, n = n->next)
        for (int end = 0; end < 2 && s == MRN_OK; end++) {
            mrn_collision c = e->candidate[e->studied].collision;
            mrn_factor_set(&c, &e->of[i], end == 0 ? e->factor[i].lo : e->factor[i].hi);
            s = check_changed(r, &c, n->key);
        }
    return s;
}

mrn_status mrn_lab_check(mrn_lab_reader *r)
{
    mrn_message *msg = r->in.check.msg;
    mrn_status s = MRN_OK;
    for (int k = 0; k < r->e->n_candidates && s == MRN_OK; k++) {
        *msg = (mrn_message){0};
        if ((s = mrn_collision_check(&r->e->candidate[k].collision, msg)) != MRN_OK)
            return mrn_lab_place(r, law_node(r, k));
        s = check_free(r, k);
        for (int i = 0; i < r->n_sweeps && s == MRN_OK; i++)
            s = check_sweep(r, k, &r->sweep[i]);
    }
    return s == MRN_OK ? check_factors(r) : s;
}
