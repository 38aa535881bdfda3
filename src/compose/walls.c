/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls by the names of their types and parameters, and how they move. */
#include <stdio.h>
#include <string.h>

#include "compose/compose.h"

static mrn_names walls(const mrn_scene *s)
{
    return MRN_NAMES("wall", s->wall, s->n_walls);
}

/* ---- defs ---- */

static const mrn_shape_type *wall_type(const char *name)
{
    const mrn_shape_type *t = mrn_shape_type_find(name);
    return t != NULL && !t->grain ? t : NULL;
}

static mrn_param_list params_of(const mrn_shape_type *t)
{
    mrn_param_list l = {.n = t->n_params};
    for (int i = 0; i < t->n_params; i++)
        l.param[i] = &t->params[i];
    snprintf(l.owner, sizeof l.owner, "wall type '%s'", t->name);
    return l;
}

mrn_wall_def mrn_wall_default(const char *type)
{
    mrn_wall_def w = {.name = ""};
    snprintf(w.type, sizeof w.type, "%s", type != NULL ? type : "");
    const mrn_shape_type *t = wall_type(w.type);
    if (t != NULL) {
        mrn_param_list l = params_of(t);
        mrn_compose_defaults(&l, w.value);
    }
    return w;
}

static mrn_status unknown_type(const char *name, mrn_message *msg)
{
    const char *word[64];
    int n = 0;
    for (int i = 0; i < mrn_shape_type_count() && n < 64; i++)
        if (!mrn_shape_type_at(i)->grain)
            word[n++] = mrn_shape_type_at(i)->name;
    return mrn_compose_unknown("type of walls", name, word, n, msg);
}

/* The parameters of a def's type, unless there is an error already. */
static mrn_status begin(const mrn_wall_def *w, mrn_param_list *l, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    const mrn_shape_type *t = wall_type(w->type);
    if (t == NULL)
        return unknown_type(w->type, msg);
    *l = params_of(t);
    return MRN_OK;
}

mrn_status mrn_wall_set(mrn_wall_def *w, const char *param, double value, mrn_message *msg)
{
    mrn_param_list l;
    mrn_status st = begin(w, &l, msg);
    return st == MRN_OK ? mrn_compose_number(&l, w->value, param, value, msg) : st;
}

mrn_status mrn_wall_set_vector(mrn_wall_def *w, const char *param, mrn_vec3 value, mrn_message *msg)
{
    mrn_param_list l;
    mrn_status st = begin(w, &l, msg);
    return st == MRN_OK
               ? mrn_compose_vectors(&l, w->value, MRN_P_VECTOR, param, value, mrn_v3(0, 0, 0), msg)
               : st;
}

mrn_status mrn_wall_set_box(mrn_wall_def *w, const char *param, mrn_vec3 lo, mrn_vec3 hi,
                            mrn_message *msg)
{
    mrn_param_list l;
    mrn_status st = begin(w, &l, msg);
    return st == MRN_OK ? mrn_compose_vectors(&l, w->value, MRN_P_BOX, param, lo, hi, msg) : st;
}

mrn_status mrn_wall_set_word(mrn_wall_def *w, const char *param, const char *word, mrn_message *msg)
{
    mrn_param_list l;
    mrn_status st = begin(w, &l, msg);
    return st == MRN_OK ? mrn_compose_word(&l, w->value, param, word, msg) : st;
}

/* ---- into the scene ---- */

/* "plane-1": the number of the wall, or the next one that is free. */
static void make_name(const mrn_scene *s, const char *type, char out[MRN_NAME])
{
    for (int k = s->n_walls + 1; out[0] == '\0'; k++) {
        snprintf(out, MRN_NAME, "%.48s-%d", type, k);
        if (mrn_scene_find_wall(s, out) >= 0)
            out[0] = '\0';
    }
}

static mrn_status name_and_material(const mrn_scene *s, const mrn_wall_def *def, mrn_wall *w,
                                    mrn_message *msg)
{
    memcpy(w->name, def->name, sizeof w->name);
    make_name(s, def->type, w->name);
    mrn_status st = mrn_compose_check_new(walls(s), w->name, msg);
    if (st == MRN_OK && def->material[0] != '\0') {
        mrn_names materials = MRN_NAMES("material", s->material, s->n_materials);
        w->material = mrn_compose_find(materials, def->material, msg);
        st = w->material < 0 ? MRN_ERR_INPUT : MRN_OK;
    }
    return st;
}

mrn_status mrn_scene_add_wall(mrn_scene *s, const mrn_wall_def *def, mrn_message *msg)
{
    mrn_wall w = {.shape = s->n_shapes};
    mrn_shape shape = {0};
    mrn_param_list l;
    mrn_status st = begin(def, &l, msg);
    if (st == MRN_OK)
        st = name_and_material(s, def, &w, msg);
    if (st == MRN_OK)
        st = mrn_compose_check_given(&l, def->value, msg);
    if (st != MRN_OK)
        return st;
    st = wall_type(def->type)->build(def->value, s->dimension, &shape, &w.x, &w.q, msg);
    if (st == MRN_OK)
        st = mrn_compose_append(&s->shape, &s->n_shapes, sizeof shape, &shape, msg);
    if (st != MRN_OK) {
        mrn_shape_release(&shape);
        return st;
    }
    st = mrn_compose_append(&s->wall, &s->n_walls, sizeof w, &w, msg);
    if (st == MRN_OK)
        mrn_compose_changed(s);
    else
        mrn_shape_release(&s->shape[--s->n_shapes]);
    return st;
}

/* ---- motion ---- */

mrn_motion mrn_motion_steady(mrn_vec3 velocity, mrn_vec3 spin)
{
    return (mrn_motion){.kind = MRN_MOTION_STEADY, .velocity = velocity, .spin = spin};
}

mrn_motion mrn_motion_shake(mrn_vec3 amplitude, double frequency, double phase)
{
    return (mrn_motion){
        .kind = MRN_MOTION_SHAKE, .amplitude = amplitude, .frequency = frequency, .phase = phase};
}

mrn_status mrn_motion_path(const char *x, const char *y, const char *z, mrn_motion *out,
                           mrn_message *msg)
{
    const char *const text[3] = {x, y, z};
    *out = (mrn_motion){.kind = MRN_MOTION_PATH, .axis = {0, 0, 1}};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    for (int k = 0; k < 3 && st == MRN_OK; k++)
        if (text[k] != NULL)
            st = mrn_signal_expression(text[k], &out->path[k], msg);
    if (st != MRN_OK)
        mrn_motion_release(out);
    return st;
}

static mrn_motion servo(mrn_vec3 direction, mrn_signal *target, bool pressure, double area)
{
    double length = mrn_norm(direction);
    mrn_motion m = {.kind = MRN_MOTION_SERVO,
                    .servo_direction = length > 0 ? mrn_scale(1 / length, direction) : direction,
                    .servo_pressure = pressure,
                    .servo_area = area};
    m.servo_target = *target;
    *target = (mrn_signal){0};
    return m;
}

mrn_motion mrn_motion_press(mrn_vec3 direction, mrn_signal *pressure, double area)
{
    return servo(direction, pressure, true, area);
}

mrn_motion mrn_motion_push(mrn_vec3 direction, mrn_signal *force)
{
    return servo(direction, force, false, 0);
}

mrn_status mrn_scene_set_motion(mrn_scene *s, const char *wall, mrn_motion *motion,
                                mrn_message *msg)
{
    mrn_motion m = *motion;
    *motion = (mrn_motion){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    int k = st == MRN_OK ? mrn_compose_find(walls(s), wall, msg) : -1;
    if (k < 0) {
        mrn_motion_release(&m);
        return st != MRN_OK ? st : MRN_ERR_INPUT;
    }
    mrn_motion_release(&s->wall[k].motion);
    s->wall[k].motion = m;
    mrn_compose_changed(s);
    return MRN_OK;
}
