/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What drives a scene: gravity, motions of walls, forces on bodies, inlets and outlets. The control
 * of the cell stands in scene_cell.c. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

static const char *const axes[] = {"x", "y", "z", NULL};

/* ---- gravity ---- */

/* The text of a signal as a factor of a larger expression. */
static void factor_of(const mrn_signal *x, char *buf, size_t size)
{
    if (x->kind == MRN_SIGNAL_EXPRESSION)
        snprintf(buf, size, "(%s)", x->text);
    else
        mrn_factor_text(x->constant, buf, size);
}

/* sign * magnitude * sin or cos of the tilt. */
static mrn_status tilted(mrn_reader *r, const mrn_signal *size, const mrn_signal *tilt, int sign,
                         bool sine, mrn_signal *out)
{
    if (size->kind == MRN_SIGNAL_CONSTANT && tilt->kind == MRN_SIGNAL_CONSTANT) {
        double part = sine ? sin(tilt->constant) : cos(tilt->constant);
        *out = mrn_signal_constant(sign * size->constant * part);
        return MRN_OK;
    }
    char a[512], b[512], text[1100];
    factor_of(size, a, sizeof a);
    factor_of(tilt, b, sizeof b);
    snprintf(text, sizeof text, "%s%s*%s(%s)", sign < 0 ? "-" : "", a, sine ? "sin" : "cos", b);
    return mrn_signal_expression(text, out, r->check.msg);
}

static mrn_status tilt_axis(mrn_reader *r, const mrn_node *about, int *axis)
{
    bool flat = r->check.dimension == 2;
    *axis = about != NULL ? mrn_read_word(about, axes) : flat ? 2 : 1;
    if (about == NULL || (*axis == 2) == flat)
        return MRN_OK;
    return mrn_check_fail(&r->check, about, flat ? "z" : "x, y",
                          flat ? "a 2D scene tilts about z" : "a tilt about z changes nothing");
}

static mrn_status no_table(mrn_reader *r, const mrn_node *n, const mrn_signal *x)
{
    if (x->kind != MRN_SIGNAL_TABLE)
        return MRN_OK;
    mrn_check_fail(&r->check, n, "a quantity or an expression",
                   "a table cannot be turned into components");
    return mrn_fail_hint(r->check.msg, "give tables for the components: gravity: [{table: …}, …]");
}

static mrn_status tilted_gravity(mrn_reader *r, const mrn_node *n, mrn_signal out[3])
{
    const mrn_node *size = mrn_node_get(n, "magnitude"), *angle = mrn_node_get(n, "tilt");
    mrn_signal g = mrn_signal_constant(9.81), tilt = mrn_signal_constant(0);
    int axis, last = r->check.dimension - 1;
    mrn_status s = tilt_axis(r, mrn_node_get(n, "about"), &axis);
    if (s == MRN_OK && size != NULL)
        s = mrn_read_signal(&r->check, size, "m/s2", &g);
    if (s == MRN_OK && angle != NULL)
        s = mrn_read_signal(&r->check, angle, "rad", &tilt);
    if (s == MRN_OK)
        s = no_table(r, size, &g);
    if (s == MRN_OK)
        s = no_table(r, angle, &tilt);
    /* what a turn of the scene by +tilt does to a vector that points down in space */
    if (s == MRN_OK)
        s = tilted(r, &g, &tilt, axis == 1 ? 1 : -1, true, &out[axis == 0 ? 1 : 0]);
    if (s == MRN_OK)
        s = tilted(r, &g, &tilt, -1, false, &out[last]);
    mrn_signal_release(&g);
    mrn_signal_release(&tilt);
    return s;
}

mrn_status mrn_build_gravity(mrn_reader *r, const mrn_node *n, mrn_signal out[3])
{
    if (n == NULL)
        return MRN_OK;
    return n->kind == MRN_NODE_MAP ? tilted_gravity(r, n, out)
                                   : mrn_read_signals(&r->check, n, "m/s2", out);
}

/* ---- motion of walls ---- */

/* What cannot stand together or alone, where it moves along a path. */
static mrn_status check_path(mrn_reader *r, const mrn_node *n)
{
    const mrn_node *path = mrn_node_get(n, "path"), *angle = mrn_node_get(n, "angle");
    const mrn_node *axis = mrn_node_get(n, "axis"), *shake = mrn_node_get(n, "shake");
    bool flat = r->check.dimension == 2;
    if (shake != NULL) {
        mrn_check_fail(&r->check, shake->key, NULL, "'shake' cannot stand together with '%s'",
                       path != NULL ? "path" : "angle");
        return mrn_fail_hint(r->check.msg, "write it as a path: [0, 0, \"1e-3*sin(2*pi*50*t)\"]");
    }
    if (angle != NULL && axis == NULL && !flat)
        return mrn_check_fail(&r->check, angle->key, "axis: [0, 1, 0]",
                              "'angle' needs an axis to turn about");
    if (axis != NULL && flat)
        return mrn_check_fail(&r->check, axis->key, "no axis: a 2D scene turns about z",
                              "'axis' has no meaning in 2 dimensions");
    return MRN_OK;
}

/* A pressure needs an area: given, or the section of the cell across an axis. */
static mrn_status check_section(mrn_reader *r, const mrn_node *n, const mrn_motion *m)
{
    const double d[3] = {m->servo_direction.x, m->servo_direction.y, m->servo_direction.z};
    bool along = false;
    for (int k = 0; k < r->check.dimension; k++) {
        bool across = true;
        for (int i = 0; i < r->check.dimension; i++)
            across = across && (i == k || r->scene->cell.periodic[i]);
        along = along || (across && fabs(d[k]) == 1);
    }
    if (along)
        return MRN_OK;
    mrn_check_fail(&r->check, mrn_node_get(n, "pressure")->key, "area: 4 cm2",
                   "a servo with a pressure needs the area it acts on");
    return mrn_fail_hint(r->check.msg, "it may be left out only when the cell is periodic in all "
                                       "directions across the wall's own");
}

static mrn_status check_servo(mrn_reader *r, const mrn_node *motion, const mrn_node *n)
{
    const mrn_node *area = mrn_node_get(n, "area"), *other = motion->first;
    other = other == n ? other->next : other;
    if (other != NULL)
        return mrn_check_fail(&r->check, other->key, "servo alone",
                              "'%s' cannot stand together with 'servo'", other->key->text);
    if (area != NULL && mrn_node_get(n, "pressure") == NULL)
        return mrn_check_fail(&r->check, area->key, "pressure and area, or force",
                              "'area' has no meaning with 'force'");
    return MRN_OK;
}

/* A key that speaks of another one, which is missing. */
static mrn_status fail_alone(mrn_reader *r, const mrn_node *n, const char *needs, const char *why)
{
    mrn_check_fail(&r->check, n->key, NULL, "'%s' %s, which is missing", n->key->text, why);
    return mrn_fail_hint(r->check.msg, "add %s: …, or remove '%s'", needs, n->key->text);
}

static mrn_status check_motion(mrn_reader *r, const mrn_node *n, mrn_motion_kind kind)
{
    const mrn_node *about = mrn_node_get(n, "about"), *angle = mrn_node_get(n, "angle");
    const mrn_node *axis = mrn_node_get(n, "axis");
    if (kind == MRN_MOTION_SERVO)
        return check_servo(r, n, mrn_node_get(n, "servo"));
    if (about != NULL && mrn_node_get(n, "spin") == NULL && angle == NULL)
        return fail_alone(r, about, "spin", "is a point of the axis of 'spin' or 'angle'");
    if (axis != NULL && angle == NULL)
        return fail_alone(r, axis, "angle", "is the axis of 'angle'");
    return kind == MRN_MOTION_PATH ? check_path(r, n) : MRN_OK;
}

static mrn_motion_kind motion_kind(const mrn_node *n)
{
    if (mrn_node_get(n, "servo") != NULL)
        return MRN_MOTION_SERVO;
    if (mrn_node_get(n, "path") != NULL || mrn_node_get(n, "angle") != NULL)
        return MRN_MOTION_PATH;
    return mrn_node_get(n, "shake") != NULL ? MRN_MOTION_SHAKE : MRN_MOTION_STEADY;
}

mrn_status mrn_build_motion(mrn_reader *r, const mrn_node *n, mrn_motion *out)
{
    *out = (mrn_motion){.kind = MRN_MOTION_NONE};
    if (n->kind == MRN_NODE_SCALAR || n->n == 0)
        return MRN_OK;
    out->kind = motion_kind(n);
    if (out->kind == MRN_MOTION_PATH)
        out->axis = mrn_v3(0, 0, 1);
    mrn_status s = check_motion(r, n, out->kind);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_motion_map, n, out);
    bool sought = out->kind == MRN_MOTION_SERVO && out->servo_pressure && out->servo_area == 0;
    return s == MRN_OK && sought ? check_section(r, mrn_node_get(n, "servo"), out) : s;
}

/* ---- groups by name ---- */

mrn_status mrn_build_find_group(mrn_reader *r, const mrn_node *name, int *out)
{
    const mrn_scene *s = r->scene;
    *out = -1;
    if (name == NULL || strcmp(name->text, "all") == 0)
        return MRN_OK;
    *out = mrn_scene_find_group(s, name->text);
    if (*out >= 0)
        return MRN_OK;
    const char *names[129] = {"all"};
    int count = 1;
    for (int i = 0; i < s->n_groups && count < 129; i++)
        names[count++] = s->group[i].name;
    return mrn_check_fail_word(&r->check, name, "body group", name->text, names, count);
}

static mrn_status find_inlet(mrn_reader *r, const mrn_node *name, int *out)
{
    const mrn_scene *s = r->scene;
    *out = mrn_scene_find_group(s, name->text);
    if (*out >= 0 && s->group[*out].place == MRN_PLACE_INLET)
        return MRN_OK;
    const char *names[MRN_INLET_MAX];
    int count = 0;
    for (int i = 0; i < s->n_groups && count < MRN_INLET_MAX; i++)
        if (s->group[i].place == MRN_PLACE_INLET)
            names[count++] = s->group[i].name;
    mrn_check_fail_word(&r->check, name, "inlet", name->text, names, count);
    return count > 0 ? MRN_ERR_INPUT
                     : mrn_fail_hint(r->check.msg, "a body group with `place: {inlet: …}` is one");
}

mrn_status mrn_build_stage_inlets(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    if (n == NULL || n->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&st->inlet_group, n->n, sizeof *st->inlet_group, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&st->inlet_open, n->n, sizeof *st->inlet_open, r->check.msg);
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next) {
        s = find_inlet(r, x->key, &st->inlet_group[st->n_inlets]);
        st->inlet_open[st->n_inlets++] = strcmp(x->text, "open") == 0;
    }
    return s;
}

/* ---- forces on bodies ---- */

static mrn_status build_force(mrn_reader *r, const mrn_node *list, const mrn_node *n,
                              mrn_body_force *out)
{
    mrn_status s = mrn_build_name(r, list, n, "force", out->name);
    if (s == MRN_OK)
        s = mrn_build_find_group(r, mrn_node_get(n, "group"), &out->group);
    return s == MRN_OK ? mrn_read_keys(&r->check, &mrn_schema_force, n, out) : s;
}

mrn_status mrn_build_forces(mrn_reader *r, const mrn_node *list, mrn_body_force **out, int *n)
{
    if (list == NULL || list->kind != MRN_NODE_LIST || list->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(out, list->n, sizeof **out, r->check.msg);
    for (const mrn_node *x = list->first; x != NULL && s == MRN_OK; x = x->next)
        s = build_force(r, list, x, &(*out)[(*n)++]);
    return s;
}

/* ---- outlets ---- */

/* A half space: a box without ends in all other directions. */
static mrn_status build_level(mrn_reader *r, const mrn_node *n, bool below, mrn_region *out)
{
    const mrn_node *axis = mrn_node_get(n, "axis");
    int k = mrn_read_word(axis, axes);
    double lo[3] = {-INFINITY, -INFINITY, -INFINITY}, hi[3] = {INFINITY, INFINITY, INFINITY};
    if (k >= r->check.dimension)
        return mrn_check_fail(&r->check, axis, "x, y", "a 2D scene has no direction z");
    out->kind = MRN_REGION_BOX;
    mrn_status s =
        mrn_read_quantity(&r->check, mrn_node_get(n, "value"), "m", below ? &hi[k] : &lo[k]);
    out->lo = mrn_load3(lo);
    out->hi = mrn_load3(hi);
    return s;
}

static mrn_status build_outlet(mrn_reader *r, const mrn_node *list, const mrn_node *n,
                               mrn_outlet *out)
{
    const mrn_node *below = mrn_node_get(n, "below"), *above = mrn_node_get(n, "above");
    mrn_status s = mrn_build_name(r, list, n, "outlet", out->name);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_outlet, n, out);
    if (s == MRN_OK)
        s = mrn_build_find_group(r, mrn_node_get(n, "group"), &out->group);
    if (s != MRN_OK)
        return s;
    if (below != NULL || above != NULL)
        return build_level(r, below != NULL ? below : above, below != NULL, &out->region);
    return mrn_build_region(r, n, &out->region);
}

mrn_status mrn_build_outlets(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "outlets");
    mrn_scene *scene = r->scene;
    if (list == NULL || list->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&scene->outlet, list->n, sizeof *scene->outlet, r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_outlet(r, list, n, &scene->outlet[scene->n_outlets++]);
    return s;
}
