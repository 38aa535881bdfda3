/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network of a state: contacts from whatever source measures see them in, grains that bear
   nothing taken away, laws, loads.

   Contact points. Balls of the smooth engine touch where its torques take hold: the point divides
   the line of centres as the radii do, on a wall it is the point the list keeps; Gᵀ f is then the
   engine's force and torque. Grains with corners share a region there: the point is its centre,
   shifted to the line of action that gives the engine's torque; a moment along the force, which no
   line gives (normal and tangential forces take hold at different places of a face), is part of the
   load. The non-smooth engine keeps points; so do frames of grains with corners.

   What is taken away (rattlers, contacts that do not bear) still presses on what remains: its
   forces are part of the load, so that the residual of a node is the total force on it. */
#include <string.h>

#include "base/base.h"
#include "detect/polytope_contact.h"
#include "drive/drive.h"
#include "measure/measure.h"
#include "quasistatic/net_law.h"
#include "quasistatic/net_parts.h"

/* ---- contacts of the state ---- */

/* What is asked of a contact beside its element, before it is known who takes part. */
typedef struct item {
    mrn_vec3 free_moment; /* moment on C that its rows do not hold */
    bool bears;
} item;

typedef struct gathering {
    const mrn_contact_view *view;
    const mrn_net_laws *laws;
    mrn_contacts all; /* contacts of the state, … */
    mrn_net_element *element;
    item *item; /* … with these */
    int64_t capacity[2];
    mrn_status status;
    mrn_message *msg;
} gathering;

/* From the centre of its grain to the sphere that touches. */
static mrn_vec3 place_in_grain(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    return mrn_sub(mrn_load3(v->s->body.x + 3 * (size_t)t->c), t->to);
}

/* Arm of a ball on another. */
static mrn_vec3 ball_arm(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    const double *r = v->s->body.radius;
    double between = r[t->c] + r[t->a] + t->gap;
    double s = between / (r[t->c] + r[t->a]);
    return mrn_scale(-r[t->c] * s, t->normal);
}

/* Near edges of walls contacts count with part of their overlap, and the arm of the engine with
   them: the lever it keeps tells. */
static mrn_vec3 wall_arm(const mrn_contact_view *v, const mrn_contact_entry *t, int64_t k)
{
    double r = v->s->body.radius[t->c], arm = r + t->gap;
    mrn_vec3 turn = mrn_cross(t->normal, t->force);
    double size = mrn_norm(turn);
    if (size > 1e-6 * mrn_norm(t->force))
        arm = r * mrn_dot(mrn_load3(v->s->contact.lever + 3 * k), turn) / (size * size);
    return mrn_scale(-arm, t->normal);
}

/* The point moves to the line along the force on which it has the torque there is; what is left is
   along the force (none in 2D). A point that would lie outside of the grain stays. */
static mrn_vec3 on_line_of_action(mrn_vec3 arm, mrn_vec3 force, mrn_vec3 torque, double reach)
{
    double f2 = mrn_dot(force, force);
    if (!(f2 > 0))
        return arm;
    mrn_vec3 left = mrn_sub(torque, mrn_cross(arm, force));
    mrn_vec3 shift = mrn_scale(1 / f2, mrn_cross(force, left));
    return mrn_norm(shift) <= reach ? mrn_add(arm, shift) : arm;
}

static mrn_vec3 polytope_arm(const mrn_contact_view *v, const mrn_contact_entry *t, int64_t k,
                             mrn_vec3 *free_moment)
{
    const mrn_state *s = v->s;
    mrn_contact_point m = mrn_polytope_contact(v->scene, s, &v->images, t->c, k);
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)t->c);
    mrn_vec3 arm = mrn_images_nearest(&v->images, mrn_sub(m.point, x));
    mrn_vec3 torque = mrn_scale(-s->body.radius[t->c], mrn_load3(s->contact.lever + 3 * k));
    if (s->contact.moment != NULL)
        torque = mrn_add(torque, mrn_load3(s->contact.moment + 3 * k));
    arm = on_line_of_action(arm, t->force, torque, s->body.bound[t->c]);
    *free_moment = mrn_sub(torque, mrn_cross(arm, t->force));
    return arm;
}

static bool with_corners(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    return mrn_has_corners(v->s, t->c) || (!t->wall && mrn_has_corners(v->s, t->a));
}

/* From the centre of body_c to the contact point; moment and free_moment are zero before. */
static mrn_vec3 from_list(const mrn_contact_view *v, const mrn_contact_entry *t, mrn_vec3 *moment,
                          mrn_vec3 *free_moment)
{
    int64_t k = t->k;
    bool polytope = with_corners(v, t);
    mrn_vec3 arm = polytope  ? polytope_arm(v, t, k, free_moment)
                   : t->wall ? wall_arm(v, t, k)
                             : ball_arm(v, t);
    /* of grains with corners the moment is part of where the force acts */
    if (v->s->contact.moment != NULL && v->scene->moments && !polytope)
        *moment = mrn_load3(v->s->contact.moment + 3 * k);
    return mrn_add(place_in_grain(v, t), arm);
}

static mrn_vec3 from_touches(const mrn_contact_view *v, const mrn_contact_entry *t,
                             mrn_vec3 *moment)
{
    const mrn_contacts *p = &v->s->contact;
    int64_t k = t->k;
    const double *r = p->impulse + k * p->impulse_width;
    mrn_vec3 n = t->normal, u = mrn_load3(p->tangent + 3 * k), w = mrn_cross(n, u);
    if (v->scene->dimension == 2 && p->impulse_width > 2)
        *moment = mrn_v3(0, 0, r[2]);
    if (v->scene->dimension == 3 && p->impulse_width > 3)
        *moment = mrn_axpy(r[4], w, mrn_scale(r[3], u));
    if (v->scene->dimension == 3 && p->impulse_width > 5)
        *moment = mrn_axpy(r[5], n, *moment);
    *moment = mrn_scale(mrn_impulse_rate(v->s), *moment);
    return mrn_images_nearest(&v->images, mrn_sub(mrn_load3(p->point + 3 * k), t->to));
}

static mrn_vec3 from_arrays(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    if (with_corners(v, t) && v->network->point != NULL)
        return mrn_images_nearest(&v->images,
                                  mrn_sub(mrn_load3(v->network->point + 3 * t->k), t->to));
    if (t->wall)
        return mrn_add(place_in_grain(v, t),
                       mrn_scale(-(v->s->body.radius[t->c] + t->gap), t->normal));
    return mrn_add(place_in_grain(v, t), ball_arm(v, t));
}

/* ---- how normals turn ---- */

/* Of a curved wall where the grain touches it; hollow: negative. */
static double wall_curvature(const mrn_contact_view *v, const mrn_contact_entry *t, mrn_vec3 point)
{
    const mrn_state *s = v->s;
    const mrn_shape *shape = &v->scene->shape[s->body.shape[t->a]];
    const double *q = s->body.q + 4 * (size_t)t->a;
    if (shape->type->curvature == NULL)
        return 0;
    mrn_quat back = mrn_quat_conj((mrn_quat){q[0], q[1], q[2], q[3]});
    mrn_vec3 d = mrn_sub(point, mrn_load3(s->body.x + 3 * (size_t)t->a));
    mrn_vec3 at = mrn_rotate(back, mrn_images_nearest(&v->images, d));
    return shape->type->curvature(shape, at, mrn_rotate(back, t->normal));
}

static void set_shape(const mrn_contact_view *v, const mrn_contact_entry *t, mrn_vec3 arm,
                      mrn_net_element *c)
{
    const mrn_state *s = v->s;
    bool corners_c = mrn_has_corners(s, t->c), corners_a = !t->wall && mrn_has_corners(s, t->a);
    c->curve_c = corners_c ? 0 : 1 / s->body.radius[t->c];
    if (t->wall)
        c->curve_a = wall_curvature(v, t, mrn_add(t->to, arm));
    else
        c->curve_a = corners_a ? 0 : 1 / s->body.radius[t->a];
    /* which features of two grains with corners meet is not kept: the face of A stands for it */
    c->shape = corners_a || (corners_c && t->wall) ? MRN_NET_FACE_A
               : corners_c                         ? MRN_NET_FACE_C
                                                   : MRN_NET_ROUND;
}

/* ---- gathering ---- */

static mrn_status make_room(gathering *g, int64_t n)
{
    if (mrn_grow(&g->element, &g->capacity[0], n, sizeof *g->element) != MRN_OK ||
        mrn_grow(&g->item, &g->capacity[1], n, sizeof *g->item) != MRN_OK)
        return mrn_fail_memory(g->msg);
    return mrn_contacts_reserve(&g->all, n, g->msg);
}

static void put_touch(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    gathering *g = user;
    mrn_contacts *all = &g->all;
    int64_t k = all->n;
    if (g->status == MRN_OK)
        g->status = make_room(g, k + 1);
    if (g->status != MRN_OK)
        return;
    all->n++;
    mrn_vec3 arm, moment = {0, 0, 0}, free_moment = {0, 0, 0};
    if (v->follows_list)
        arm = from_list(v, t, &moment, &free_moment);
    else if (!v->given)
        arm = from_touches(v, t, &moment);
    else
        arm = from_arrays(v, t);
    mrn_vec3 on_wall = mrn_sub(mrn_add(t->to, arm), mrn_load3(v->s->body.x + 3 * (size_t)t->a));
    all->c[k] = t->c, all->a[k] = t->a;
    all->body_c[k] = t->grain_c, all->body_a[k] = t->grain_a;
    all->slot[k] = k, all->gap[k] = t->gap;
    mrn_store3(all->normal + 3 * k, t->normal);
    mrn_store3(all->arm_c + 3 * k, arm);
    mrn_store3(all->arm_a + 3 * k, t->wall ? on_wall : mrn_add(arm, t->branch));
    mrn_store3(all->branch + 3 * k, t->wall ? mrn_scale(-1, arm) : t->branch);
    mrn_store3(all->force + 3 * k, t->force);
    mrn_store3(all->moment + 3 * k, moment);
    g->item[k] = (item){.free_moment = free_moment};
    g->element[k] = (mrn_net_element){.c = -1, .a = -1, .global = -1};
    set_shape(v, t, arm, &g->element[k]);
    g->status = mrn_net_laws_fill(g->laws, all, k, &g->element[k], g->msg);
}

/* ---- who takes part ---- */

typedef struct pruning {
    const mrn_scene *scene;
    const mrn_state *s;
    const mrn_net_options *opt;
    const mrn_contacts *all;
    const mrn_net_element *element;
    item *item;
    int64_t n;
    uint8_t *gone;  /* per body                                                  */
    int32_t *held;  /* bearing contacts                                          */
    uint8_t *rough; /* one of them has friction, cohesion or moments             */
    bool known;     /* forces are                                                */
} pruning;

/* Grains of a group whose degrees of freedom are all imposed do not move by forces. */
static bool is_node(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    const unsigned all = scene->dimension == 2 ? MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ : 63U;
    int group = s->body.group[i];
    if (i < s->body.n_walls || !mrn_is_free(s, i))
        return false;
    return group >= scene->n_groups || (scene->group[group].held & all) != all;
}

static bool stays(const pruning *p, int32_t i)
{
    return !p->gone[i];
}

/* Mean normal force between those that stay. */
static double mean_force(const pruning *p)
{
    double sum = 0, n = 0;
    for (int64_t k = 0; k < p->n; k++) {
        double f = mrn_dot(mrn_load3(p->all->force + 3 * k), mrn_load3(p->all->normal + 3 * k));
        if (f > 0 && stays(p, p->all->body_c[k]) && stays(p, p->all->body_a[k]))
            sum += f, n++;
    }
    return n > 0 ? sum / n : 0;
}

static double force_on(const pruning *p, int64_t k)
{
    return mrn_norm(mrn_load3(p->all->force + 3 * k));
}

static void count_held(pruning *p)
{
    double part = p->opt->bearing > 0 ? p->opt->bearing : MRN_BEARING;
    double least = p->known ? part * mean_force(p) : -1;
    memset(p->held, 0, (size_t)p->s->body.n * sizeof *p->held);
    memset(p->rough, 0, (size_t)p->s->body.n * sizeof *p->rough);
    for (int64_t k = 0; k < p->n; k++) {
        const mrn_net_element *e = &p->element[k];
        item *x = &p->item[k];
        int32_t c = p->all->body_c[k], a = p->all->body_a[k];
        x->bears = stays(p, c) && stays(p, a) && force_on(p, k) > least;
        if (!x->bears)
            continue;
        p->held[c]++, p->held[a]++;
        bool rough = (!p->opt->frictionless && e->friction > 0) || e->pull > 0;
        p->rough[c] |= rough, p->rough[a] |= rough;
    }
}

/* As measures count them: two contacts hold a grain where one has friction, D + 1 where none has;
   one may hold a grain with corners where the engine sees areas. */
static int needed(const pruning *p, int32_t i)
{
    bool area = !mrn_contact_points(p->scene) && mrn_has_corners(p->s, i);
    return area ? 1 : p->rough[i] ? 2 : p->scene->dimension + 1;
}

/* Again and again, each time with the mean force of what is left. Every round takes one grain away
   at least. */
static void prune(pruning *p)
{
    for (bool again = true; again;) {
        again = false;
        count_held(p);
        for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
            if (!p->gone[i] && is_node(p->scene, p->s, i) && p->held[i] < needed(p, i)) {
                p->gone[i] = 1;
                again = true;
            }
    }
}

static mrn_status find_rattlers(pruning *p, mrn_message *msg)
{
    int64_t n = p->s->body.n;
    mrn_status st = mrn_array(&p->gone, n, sizeof *p->gone, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->held, n, sizeof *p->held, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->rough, n, sizeof *p->rough, msg);
    for (int64_t k = 0; st == MRN_OK && k < p->n; k++) {
        p->known = p->known || force_on(p, k) > 0;
        p->item[k].bears = true;
    }
    if (st == MRN_OK && !p->opt->keep_rattlers)
        prune(p);
    return st;
}

/* ---- the network ---- */

/* Contacts of the network are those that bear between bodies of which one is a node at least. */
static bool takes_part(const pruning *p, const mrn_net *net, int64_t k)
{
    return p->item[k].bears &&
           (net->node[p->all->body_c[k]] >= 0 || net->node[p->all->body_a[k]] >= 0);
}

static void exchange(void *x, void *y, size_t size)
{
    char hold[3 * sizeof(double)];
    memcpy(hold, x, size);
    memcpy(x, y, size);
    memcpy(y, hold, size);
}

static void reverse(double *v)
{
    mrn_store3(v, mrn_scale(-1, mrn_load3(v)));
}

/* C is a node always: the two change places where it is not. */
static void orient(mrn_net *net, int64_t k)
{
    mrn_contacts *o = &net->contact;
    mrn_net_element *e = &net->element[k];
    if (e->c >= 0)
        return;
    exchange(&e->c, &e->a, sizeof e->c);
    exchange(&e->curve_c, &e->curve_a, sizeof e->curve_c);
    e->shape = e->shape == MRN_NET_FACE_A   ? MRN_NET_FACE_C
               : e->shape == MRN_NET_FACE_C ? MRN_NET_FACE_A
                                            : e->shape;
    exchange(&o->c[k], &o->a[k], sizeof o->c[k]);
    exchange(&o->body_c[k], &o->body_a[k], sizeof o->body_c[k]);
    exchange(o->arm_c + 3 * k, o->arm_a + 3 * k, 3 * sizeof(double));
    reverse(o->normal + 3 * k);
    reverse(o->branch + 3 * k);
    reverse(o->force + 3 * k);
    reverse(o->moment + 3 * k);
}

static void put_nodes(const mrn_state *s, mrn_net *net)
{
    for (int32_t i = 0; i < s->body.n; i++) {
        int32_t k = net->node[i];
        if (k < 0)
            continue;
        net->body[k] = i;
        net->id[k] = s->body.id[i];
        mrn_store3(net->x + 3 * (size_t)k, mrn_load3(s->body.x + 3 * (size_t)i));
        net->radius[k] = s->body.radius[i];
        net->mass[k] = s->body.mass[i];
        for (int d = 0; d < 3; d++)
            net->inertia[3 * (size_t)k + (size_t)d] = s->body.inertia[i];
        net->ball[k] = !(s->body.flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE));
    }
}

static int32_t global_of_wall(const mrn_net *net, int32_t wall)
{
    for (int g = 0; g < net->n_globals; g++)
        if (net->global[g].kind == MRN_GLOBAL_WALL && net->global[g].wall == wall)
            return g;
    return -1;
}

static void put_contacts(const pruning *p, mrn_net *net)
{
    mrn_contacts *o = &net->contact;
    o->n = 0;
    for (int64_t from = 0; from < p->n; from++) {
        if (!takes_part(p, net, from))
            continue;
        int64_t k = o->n;
        mrn_net_element *e = &net->element[k];
        mrn_contacts_append_one(o, p->all, from);
        *e = p->element[from];
        e->c = net->node[o->body_c[k]], e->a = net->node[o->body_a[k]];
        e->global = global_of_wall(net, o->body_a[k]);
        orient(net, k);
        mrn_vec3 force = mrn_load3(o->force + 3 * k);
        mrn_net_frame(net, k, force, mrn_load3(o->moment + 3 * k));
        mrn_net_count_rows(net, p->opt->frictionless, e);
        e->status = p->known && mrn_norm(force) == 0 ? MRN_NET_OPEN : mrn_net_status_of(e);
    }
}

/* ---- globals ---- */

static bool is_servo(const mrn_scene *scene, const mrn_state *s, int32_t w)
{
    return !(s->body.flags[w] & MRN_BODY_ABSENT) && scene->wall[w].motion.kind == MRN_MOTION_SERVO;
}

static mrn_status put_globals(const mrn_scene *scene, const mrn_state *s,
                              const mrn_net_options *opt, mrn_net *net, mrn_message *msg)
{
    int64_t most = MRN_NET_GLOBALS + s->body.n_walls;
    mrn_status st = mrn_array(&net->global, most, sizeof *net->global, msg);
    if (st != MRN_OK)
        return st;
    for (int32_t w = 0; opt->walls && w < s->body.n_walls && w < scene->n_walls; w++)
        if (is_servo(scene, s, w)) {
            mrn_global *g = &net->global[net->n_globals++];
            *g = (mrn_global){.kind = MRN_GLOBAL_WALL,
                              .wall = w,
                              .direction = scene->wall[w].motion.servo_direction};
            memcpy(g->name, scene->wall[w].name, sizeof g->name);
        }
    if (opt->cell)
        mrn_net_cell_globals(net);
    return MRN_OK;
}

/* ---- loads ---- */

static void add_force(mrn_net *net, int32_t node, mrn_vec3 force, mrn_vec3 torque)
{
    const double f[3] = {force.x, force.y, force.z};
    double *to = net->load + mrn_net_unknown(net, node, 0);
    for (int d = 0; d < net->dimension; d++)
        to[d] += f[d];
    if (net->rotations && net->dimension == 2)
        to[2] += torque.z / net->length;
    else if (net->rotations)
        mrn_store3(to + 3, mrn_axpy(1 / net->length, torque, mrn_load3(to + 3)));
}

static mrn_status load_nodes(const mrn_scene *scene, const mrn_state *s, mrn_net *net,
                             mrn_message *msg)
{
    mrn_load *load = NULL;
    mrn_status st = mrn_array(&load, scene->n_groups, sizeof *load, msg);
    if (st != MRN_OK)
        return st;
    mrn_drive_loads(scene, s, s->time, load);
    for (int32_t k = 0; k < net->n; k++) {
        int32_t i = net->body[k];
        int group = s->body.group[i];
        mrn_vec3 force = mrn_scale(net->mass[k], mrn_load3(s->gravity)), torque = {0, 0, 0};
        if (group < scene->n_groups) {
            force = mrn_add(force, load[group].force);
            force = mrn_axpy(net->mass[k], load[group].acceleration, force);
            torque = load[group].torque;
        }
        add_force(net, k, force, torque);
    }
    mrn_free(load);
    return MRN_OK;
}

/* A strain imposed on the cell: its load is what the forces give it. */
static bool cell_is_imposed(const mrn_scene *scene, const mrn_global *g)
{
    return g->kind == MRN_GLOBAL_CELL &&
           scene->cell.control.kind[g->component] != MRN_CONTROL_STRESS;
}

static void load_globals(const mrn_scene *scene, const mrn_state *s, mrn_net *net)
{
    mrn_instant now = {s->time, s->time - s->stage_time};
    for (int k = 0; k < net->n_globals; k++) {
        const mrn_global *g = &net->global[k];
        double *to = &net->load[mrn_net_global_unknown(net, k)];
        if (g->kind == MRN_GLOBAL_WALL)
            *to = mrn_drive_servo_load(scene, s, g->wall, s->time);
        else if (!cell_is_imposed(scene, g))
            *to = -net->volume / g->scale *
                  mrn_signal_value(&scene->cell.control.target[g->component], now, NULL);
    }
}

/* What rows do not hold of the moment of a contact that takes part. */
static void load_free_moment(const pruning *p, int64_t k, mrn_net *net)
{
    const mrn_vec3 none = {0, 0, 0}, free_moment = p->item[k].free_moment;
    int32_t c = net->node[p->all->body_c[k]], a = net->node[p->all->body_a[k]];
    if (c >= 0)
        add_force(net, c, none, free_moment);
    if (a >= 0)
        add_force(net, a, none, mrn_scale(-1, free_moment));
}

/* What a contact that was taken away does to what remains. */
static void load_dropped(const pruning *p, int64_t k, mrn_net *net)
{
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    const mrn_contacts *o = p->all;
    const double *f = o->force + 3 * k, *l = o->branch + 3 * k;
    int32_t c = net->node[o->body_c[k]], a = net->node[o->body_a[k]];
    mrn_vec3 force = mrn_load3(f), back = mrn_scale(-1, force);
    mrn_vec3 moment = mrn_add(mrn_load3(o->moment + 3 * k), p->item[k].free_moment);
    if (c >= 0)
        add_force(net, c, force, mrn_add(mrn_cross(mrn_load3(o->arm_c + 3 * k), force), moment));
    if (a >= 0)
        add_force(net, a, back, mrn_sub(mrn_cross(mrn_load3(o->arm_a + 3 * k), back), moment));
    for (int m = 0; m < net->n_globals; m++) {
        const mrn_global *g = &net->global[m];
        double *load = &net->load[mrn_net_global_unknown(net, m)];
        if (g->kind == MRN_GLOBAL_WALL && g->wall == o->body_a[k])
            *load += mrn_dot(back, g->direction) / g->scale;
        else if (g->kind == MRN_GLOBAL_CELL)
            *load += f[first[g->component]] * l[second[g->component]] / g->scale;
    }
}

/* Globals whose load is what the forces give. */
static mrn_status balance_imposed(const mrn_scene *scene, mrn_net *net, mrn_message *msg)
{
    double *f = NULL, *sum = NULL;
    mrn_status st = mrn_array(&f, net->n_rows, sizeof *f, msg);
    if (st == MRN_OK)
        st = mrn_array(&sum, net->n_unknowns, sizeof *sum, msg);
    if (st == MRN_OK) {
        mrn_net_forces(net, f);
        mrn_net_resultant(net, f, sum);
    }
    for (int k = 0; st == MRN_OK && k < net->n_globals; k++) {
        int64_t at = mrn_net_global_unknown(net, k);
        if (cell_is_imposed(scene, &net->global[k]))
            net->load[at] = -sum[at];
        net->global[k].load = net->load[at];
    }
    mrn_free(f);
    mrn_free(sum);
    return st;
}

static mrn_status put_loads(const pruning *p, mrn_net *net, mrn_message *msg)
{
    mrn_status st = mrn_array(&net->load, net->n_unknowns, sizeof *net->load, msg);
    if (st == MRN_OK)
        st = load_nodes(p->scene, p->s, net, msg);
    if (st != MRN_OK)
        return st;
    load_globals(p->scene, p->s, net);
    for (int64_t k = 0; k < p->n; k++)
        if (takes_part(p, net, k))
            load_free_moment(p, k, net);
        else if (!p->opt->bare)
            load_dropped(p, k, net);
    return balance_imposed(p->scene, net, msg);
}

/* ---- all together ---- */

/* Nodes go by persistent numbers, as contacts do: all that is summed over the network then has an
   order that places in memory do not change. */
static mrn_status number_nodes(const pruning *p, mrn_net *net, mrn_message *msg)
{
    int32_t n = p->s->body.n;
    mrn_status st = mrn_array(&net->node, n, sizeof *net->node, msg);
    if (st != MRN_OK)
        return st;
    net->n_bodies = n;
    for (int32_t id = 0; id < p->s->body.n_ids; id++) {
        int32_t i = p->s->body.index_of[id];
        if (i < 0)
            continue;
        bool node = is_node(p->scene, p->s, i);
        net->node[i] = node && !p->gone[i] ? net->n++ : -1;
        net->rattlers += node && p->gone[i];
        net->total_mass += node ? p->s->body.mass[i] : 0;
    }
    for (int64_t k = 0; k < p->n; k++) {
        bool moves = is_node(p->scene, p->s, p->all->body_c[k]) ||
                     is_node(p->scene, p->s, p->all->body_a[k]);
        net->n_contacts += takes_part(p, net, k);
        net->dropped += moves && !takes_part(p, net, k);
    }
    return MRN_OK;
}

static mrn_status build(const pruning *p, mrn_net *net, mrn_message *msg)
{
    const mrn_scene *scene = p->scene;
    net->dimension = scene->dimension;
    net->forces_known = p->known;
    for (int k = 0; k < scene->dimension; k++) {
        net->periodic[k] = scene->cell.periodic[k];
        net->cell[k] = net->periodic[k] ? p->s->cell_size[k] : 0;
    }
    if (net->periodic[0] || net->periodic[1] || net->periodic[2])
        net->volume = mrn_drive_volume(scene, p->s);
    mrn_status st = number_nodes(p, net, msg);
    if (st == MRN_OK)
        st = mrn_net_reserve(net, msg);
    if (st == MRN_OK)
        st = put_globals(scene, p->s, p->opt, net, msg);
    if (st != MRN_OK)
        return st;
    put_nodes(p->s, net);
    put_contacts(p, net);
    mrn_net_number(net);
    mrn_net_scale_globals(net);
    return put_loads(p, net, msg);
}

static mrn_status check(const mrn_scene *scene, const mrn_contact_view *v, mrn_message *msg)
{
    if (!v->known) {
        mrn_fail(msg, MRN_ERR_INPUT, "the contacts of this state are not known");
        return mrn_fail_hint(msg, "compute forces (one step), or read a frame that has contacts");
    }
    if (scene->n_joints > 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': networks of contacts cannot hold joints",
                 scene->joint[0].name);
        return mrn_fail_hint(msg, "remove the joints, or replace them by clusters");
    }
    return MRN_OK;
}

mrn_status mrn_net_of(const mrn_scene *scene, const mrn_state *s, const mrn_contacts *contacts,
                      const mrn_net_options *opt, mrn_net *out, mrn_message *msg)
{
    mrn_net_options chosen = opt != NULL ? *opt : mrn_net_default();
    mrn_contact_view view = mrn_view_of(scene, s, contacts);
    mrn_net_laws laws = {0};
    memset(out, 0, sizeof *out);
    mrn_status st = check(scene, &view, msg);
    if (st == MRN_OK)
        st = mrn_net_laws_open(scene, s, &chosen, &laws, msg);
    gathering g = {.view = &view, .laws = &laws, .status = st, .msg = msg};
    if (st == MRN_OK)
        g.status = mrn_contacts_make(&g.all, &(mrn_contacts_def){.columns = MRN_NET_COLUMNS}, msg);
    if (g.status == MRN_OK)
        mrn_contacts_each(&view, put_touch, &g);
    pruning p = {.scene = scene,
                 .s = s,
                 .opt = &chosen,
                 .all = &g.all,
                 .element = g.element,
                 .item = g.item,
                 .n = g.all.n};
    st = g.status;
    if (st == MRN_OK)
        st = find_rattlers(&p, msg);
    if (st == MRN_OK)
        st = build(&p, out, msg);
    if (st != MRN_OK)
        mrn_net_release(out);
    mrn_net_laws_release(&laws);
    mrn_contacts_destroy(&g.all);
    mrn_free(g.element);
    mrn_free(g.item);
    mrn_free(p.gone);
    mrn_free(p.held);
    mrn_free(p.rough);
    return st;
}
