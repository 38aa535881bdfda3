/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of a group and of one grain of it: where it is, how it moves and has turned, and what
   presses on it, by whom. Sums have no order, so that threads and places in memory change no bit.
 */
#include "measure/probes.h"

/* The rows of MRN_OF_BODIES. */
enum { POSITION = MRN_BODY_LOADS, VELOCITY = 9, SPIN = 12, TURN = MRN_BODY_TURNS, TILT = 18 };

/* ---- who ---- */

typedef struct selection {
    const mrn_scene *scene;
    mrn_some some;
    int32_t body; /* the one grain; -1: the whole group */
    mrn_vec3 centre;
} selection;

/* Grains of a group are counted in the order of their persistent numbers. */
static int32_t find_grain(const mrn_state *s, int group, int number)
{
    const mrn_bodies *b = &s->body;
    for (int32_t id = 0, seen = 0; id < b->n_ids; id++) {
        int32_t i = b->index_of[id];
        if (i >= b->n_walls && b->group[i] == group && mrn_is_grain(s, i) && seen++ == number)
            return i;
    }
    return -1;
}

static bool is_one(const selection *w, const mrn_state *s, int32_t i)
{
    return w->some.grain >= 0 ? i == w->body
                              : i >= s->body.n_walls && s->body.group[i] == w->some.group;
}

/* ---- motion ---- */

enum { COUNT, MASS, AT, GO = AT + 3, TURNING = GO + 3, MOTIONS = TURNING + 3 };

static void add_motion(const void *what, const mrn_state *s, int32_t i, double *sum)
{
    const selection *w = what;
    if (!is_one(w, s, i) || !mrn_is_grain(s, i))
        return;
    double m = s->body.mass[i];
    mrn_vec3 x = mrn_unwrapped(w->scene, s, i), v = mrn_load3(s->body.v + 3 * (size_t)i);
    sum[COUNT] = 1;
    sum[MASS] = m;
    mrn_store3(sum + AT, mrn_scale(m, x));
    mrn_store3(sum + GO, mrn_scale(m, v));
    mrn_store3(sum + TURNING, mrn_load3(s->body.w + 3 * (size_t)i));
}

static const double *motion_of(mrn_gauge *g, const selection *w)
{
    if (!g->some_motion)
        mrn_sum_bodies(w, g->s, MOTIONS, add_motion, g->motion);
    g->some_motion = true;
    return g->motion;
}

/* ---- what presses ---- */

static bool is_partner(const selection *w, const mrn_state *s, int32_t i)
{
    const mrn_some *x = &w->some;
    bool wall = i < s->body.n_walls;
    if (x->partner == MRN_ANYBODY)
        return true;
    return x->wall ? wall && i == x->partner : !wall && s->body.group[i] == x->partner;
}

static void add_load(const selection *w, const mrn_contact_view *v, const mrn_contact_entry *t,
                     bool on_c, double *sum)
{
    int32_t grain = on_c ? t->grain_c : t->grain_a;
    mrn_vec3 force = mrn_scale(on_c ? 1 : -1, t->force), turn = mrn_contact_turn(v, t, on_c);
    mrn_vec3 arm = mrn_sub(mrn_unwrapped(w->scene, v->s, grain), w->centre);
    turn = mrn_add(turn, mrn_cross(arm, force));
    mrn_store3(sum, mrn_add(mrn_load3(sum), force));
    mrn_store3(sum + 3, mrn_add(mrn_load3(sum + 3), turn));
}

/* What grains of the group do to each other is left out, but where the group itself is named. */
static void add_contact(const void *what, const mrn_contact_view *v, const mrn_contact_entry *t,
                        double *sum)
{
    const selection *w = what;
    bool c = is_one(w, v->s, t->grain_c), a = !t->wall && is_one(w, v->s, t->grain_a);
    if (c && !a && is_partner(w, v->s, t->grain_a))
        add_load(w, v, t, true, sum);
    if (a && !c && is_partner(w, v->s, t->grain_c))
        add_load(w, v, t, false, sum);
}

static const double *load_of(mrn_gauge *g, selection *w)
{
    const double *m = motion_of(g, w);
    if (!g->some_load) {
        w->centre = mrn_scale(m[MASS] > 0 ? 1 / m[MASS] : 0, mrn_load3(m + AT));
        mrn_sum_contacts(&g->view, w, 6, add_contact, g->load);
    }
    g->some_load = true;
    return g->load;
}

/* ---- turns ---- */

bool mrn_orientation_listed(const mrn_scene *scene, int group, int grain, mrn_quat *out)
{
    const mrn_group *g = &scene->group[group];
    bool listed = g->place == MRN_PLACE_LIST || g->place == MRN_PLACE_CSV;
    if (!listed || grain < 0 || grain >= g->n_grains)
        return false;
    *out = g->grain != NULL ? g->grain[grain].q : (mrn_quat){0, 0, 0, 0}; /* given back: plain */
    bool none = out->w == 0 && out->x == 0 && out->y == 0 && out->z == 0;
    bool round = scene->shape[g->shape].type->kind == MRN_GRAIN_BALL;
    if (none && round)
        *out = mrn_quat_identity();
    return !none || round;
}

/* Rotation since the start as a vector, degrees. */
static mrn_vec3 turn_since(mrn_quat now, mrn_quat then)
{
    mrn_quat d = mrn_quat_mul(now, mrn_quat_conj(mrn_quat_unit(then)));
    double sign = d.w < 0 ? -1 : 1, sine = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    double angle = 2 * atan2(sine, sign * d.w) * (180 / MRN_PI);
    return sine > 0 ? mrn_scale(sign * angle / sine, mrn_v3(d.x, d.y, d.z)) : mrn_v3(0, 0, 0);
}

/* How far what pointed up at the start leans now. */
static double lean_since(const mrn_scene *scene, const mrn_state *s, mrn_quat now, mrn_quat then)
{
    mrn_vec3 up = mrn_up(scene, s);
    mrn_quat d = mrn_quat_mul(now, mrn_quat_conj(mrn_quat_unit(then)));
    mrn_vec3 leans = mrn_rotate(d, up);
    return atan2(mrn_norm(mrn_cross(up, leans)), mrn_dot(up, leans)) * (180 / MRN_PI);
}

/* Of a group the mean over its grains, as long as none has left. */
static double turned(const mrn_gauge *g, const mrn_some *some, int k)
{
    const mrn_state *s = g->s;
    const mrn_bodies *b = &s->body;
    double sum = 0;
    int64_t seen = 0, used = 0;
    for (int32_t id = 0; id < b->n_ids; id++) {
        int32_t i = b->index_of[id];
        mrn_quat then;
        if (i < b->n_walls || b->group[i] != some->group || !mrn_is_grain(s, i))
            continue;
        int number = (int)seen++;
        if (some->grain >= 0 && number != some->grain)
            continue;
        if (!mrn_orientation_listed(g->scene, some->group, number, &then))
            return NAN;
        const double *q = b->q + 4 * (size_t)i;
        mrn_quat now = {q[0], q[1], q[2], q[3]};
        double v[3];
        mrn_store3(v, turn_since(now, then));
        sum += k == TILT ? lean_since(g->scene, s, now, then) : v[k - TURN];
        used++;
    }
    return seen == g->scene->group[some->group].n_grains && used > 0 ? sum / (double)used : NAN;
}

/* ---- values ---- */

double mrn_body_value(mrn_gauge *g, const mrn_some *some, int k)
{
    if (k >= TURN)
        return turned(g, some, k);
    const mrn_some *last = &g->some;
    bool again = last->group == some->group && last->grain == some->grain;
    g->some_motion = g->some_motion && again;
    g->some_load =
        g->some_load && again && last->partner == some->partner && last->wall == some->wall;
    g->some = *some;
    selection w = {.scene = g->scene, .some = *some, .body = -1};
    if (some->grain >= 0 && !(g->some_motion && (k >= POSITION || g->some_load)))
        w.body = find_grain(g->s, some->group, some->grain);
    const double *m = motion_of(g, &w);
    bool bounces = g->scene->method != NULL && g->scene->method->continuous; /* no forces there */
    if (!(m[COUNT] > 0) || (bounces && k < POSITION))
        return NAN;
    if (k < POSITION)
        return load_of(g, &w)[k];
    if (k >= SPIN)
        return m[TURNING + k - SPIN] / m[COUNT];
    return m[(k < VELOCITY ? AT - POSITION : GO - VELOCITY) + k] / m[MASS];
}
