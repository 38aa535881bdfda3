/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Islands of grains at rest: when they fall asleep, and what wakes them. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geom/cluster.h"
#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/sleep.h"

/* Marks of islands, by their root. */
enum {
    RESTLESS = 1, /* a grain of it is not rest_steps, or it must wake */
    ANCHORED = 2, /* it rests on something                      */
};

void mrn_sleeper_release(mrn_sleeper *p)
{
    mrn_free(p->root);
    mrn_free(p->touched);
    mrn_free(p->mark);
    *p = (mrn_sleeper){0};
}

size_t mrn_sleeper_bytes(const mrn_sleeper *p)
{
    return (size_t)p->root_room * sizeof *p->root + (size_t)p->touched_room * sizeof *p->touched +
           (size_t)p->mark_room * sizeof *p->mark;
}

double mrn_ns_sleep_speed(const mrn_scene *scene, const mrn_state *s, double h)
{
    double given = scene->nonsmooth.sleep_speed;
    return given > 0 ? given : 0.1 * h * mrn_norm(mrn_load3(s->gravity));
}

/* ---- bodies ---- */

static bool is_asleep(const mrn_state *s, int32_t i)
{
    return i >= 0 && (s->body.flags[i] & MRN_BODY_ASLEEP);
}

/* Moved from outside or not at all: walls, fixed grains, grains whose every degree is held. */
static bool is_listed(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    unsigned all = scene->dimension == 2 ? MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ : 63u;
    if (i < s->body.n_walls || (s->body.flags[i] & MRN_BODY_FIXED))
        return true;
    int group = s->body.group[i];
    return group < scene->n_groups && (scene->group[group].held & all) == all;
}

static bool is_awake(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    return i >= 0 && !is_asleep(s, i) && !is_listed(scene, s, i);
}

/* Of the degrees of freedom some are imposed: such a grain is part of a machine. */
static bool is_driven(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    int group = s->body.group[i];
    if (i < s->body.n_walls || group >= scene->n_groups)
        return false;
    for (int k = 0; k < 6; k++)
        if ((scene->group[group].held >> k & 1) &&
            !mrn_signal_is_zero(&scene->group[group].drive[k]))
            return true;
    return false;
}

static mrn_vec3 velocity_at(const mrn_state *s, int32_t i, mrn_vec3 arm)
{
    mrn_vec3 v = mrn_load3(s->body.v + 3 * (size_t)i), w = mrn_load3(s->body.w + 3 * (size_t)i);
    return mrn_add(v, mrn_cross(w, arm));
}

/* Something imposed that disturbs what it touches. */
static bool imposed_moves(const mrn_scene *scene, const mrn_state *s, int32_t i, mrn_vec3 arm)
{
    if (i < s->body.n_walls && i < scene->n_walls && scene->wall[i].motion.kind == MRN_MOTION_SERVO)
        return true;
    mrn_vec3 v = velocity_at(s, i, arm);
    return mrn_dot(v, v) > 0 || is_driven(scene, s, i);
}

/* ---- what may sleep at all ---- */

static bool is_constant(const mrn_signal *s)
{
    return s->kind == MRN_SIGNAL_CONSTANT;
}

static bool nothing_may(const mrn_scene *scene)
{
    for (int k = 0; k < 3; k++)
        if (!is_constant(&scene->gravity_of[k]))
            return true;
    return !scene->nonsmooth.sleep || mrn_drive_strains_cell(scene);
}

/* Some force on bodies of this group changes. */
static bool group_is_shaken(const mrn_scene *scene, int group)
{
    for (int f = 0; f < scene->n_forces; f++)
        for (int k = 0; k < 3; k++) {
            const mrn_body_force *o = &scene->force[f];
            if ((o->group < 0 || o->group == group) &&
                !(is_constant(&o->force[k]) && is_constant(&o->torque[k])))
                return true;
        }
    return false;
}

/* ---- islands ---- */

static mrn_status begin_islands(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_sleeper *p = &e->sleeper;
    int32_t n = e->state->body.n;
    mrn_status st = mrn_ns_room(&p->root, &p->root_room, n, sizeof *p->root, msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&p->touched, &p->touched_room, n, sizeof *p->touched, msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&p->mark, &p->mark_room, n, sizeof *p->mark, msg);
    for (int32_t i = 0; st == MRN_OK && i < n; i++)
        p->root[i] = i, p->touched[i] = 0, p->mark[i] = 0;
    return st;
}

/* With halving of the way. Which body is the root does not count: marks belong to the island. */
static int32_t root_of(int32_t *root, int32_t i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

static void join(mrn_sleeper *p, int32_t i, int32_t j)
{
    int32_t a = root_of(p->root, i), b = root_of(p->root, j), low = a < b ? a : b;
    uint8_t mark = p->mark[a] | p->mark[b];
    p->root[a] = p->root[b] = low;
    p->mark[low] = mark;
}

static void mark(mrn_sleeper *p, int32_t i, unsigned what)
{
    p->mark[root_of(p->root, i)] |= (uint8_t)what;
}

/* Room for the counters of all persistent numbers; new ones are 0. */
static mrn_status count_room(mrn_state *s, mrn_message *msg)
{
    mrn_nonsmooth_memory *m = &s->memory;
    int32_t n = s->body.n_ids;
    if (n <= m->n_rest_steps)
        return MRN_OK;
    uint16_t *more = mrn_realloc(m->rest_steps, (size_t)n * sizeof *more);
    if (more == NULL)
        return mrn_fail_memory(msg);
    memset(more + m->n_rest_steps, 0, (size_t)(n - m->n_rest_steps) * sizeof *more);
    m->rest_steps = more;
    m->n_rest_steps = n;
    return MRN_OK;
}

static uint16_t *rest_steps_of(mrn_state *s, int32_t i)
{
    return &s->memory.rest_steps[s->body.id[i]];
}

/* ---- waking ---- */

static void wake_one(mrn_state *s, int32_t i)
{
    s->body.flags[i] &= (uint16_t)~MRN_BODY_ASLEEP;
    if (s->body.id[i] < s->memory.n_rest_steps)
        *rest_steps_of(s, i) = 0;
}

void mrn_ns_wake_all(mrn_state *s)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (is_asleep(s, i))
            wake_one(s, i);
    s->nonsmooth.asleep = 0;
}

/* Velocity at which C leaves A along the normal, as the step begins. */
static double leaving(const mrn_state *s, const mrn_contacts *t, int64_t k)
{
    mrn_vec3 c = velocity_at(s, t->body_c[k], mrn_load3(t->arm_c + 3 * k));
    mrn_vec3 a = velocity_at(s, t->body_a[k], mrn_load3(t->arm_a + 3 * k));
    return mrn_dot(mrn_load3(t->normal + 3 * k), mrn_sub(c, a));
}

/* What contact k means for i, asleep, which touches j. */
static void look_at_contact(mrn_nonsmooth *e, int64_t k, int32_t i, int32_t j, const double *arm_j,
                            double speed, double h)
{
    const mrn_state *s = e->state;
    mrn_sleeper *p = &e->sleeper;
    if (is_asleep(s, j)) {
        join(p, i, j);
        p->touched[i]++;
    } else if (is_listed(e->scene, s, j)) {
        p->touched[i]++;
        if (imposed_moves(e->scene, s, j, mrn_load3(arm_j)))
            mark(p, i, RESTLESS);
    } else {
        double u = leaving(s, &e->found, k);
        if (-u > speed && e->found.gap[k] + h * u < 0)
            mark(p, i, RESTLESS);
    }
}

static void look_at_contacts(mrn_nonsmooth *e, double speed, double h)
{
    const mrn_contacts *t = &e->found;
    for (int64_t k = 0; k < t->n; k++) {
        int32_t c = t->body_c[k], a = t->body_a[k];
        if (t->interaction[k] < 0)
            continue;
        if (is_asleep(e->state, c))
            look_at_contact(e, k, c, a, t->arm_a + 3 * k, speed, h);
        if (is_asleep(e->state, a))
            look_at_contact(e, k, a, c, t->arm_c + 3 * k, speed, h);
    }
}

/* Joined bodies sleep together or not at all. */
static void look_at_joints(mrn_nonsmooth *e)
{
    const mrn_state *s = e->state;
    for (int k = 0; e->joints != NULL && k < e->scene->n_joints; k++) {
        int32_t body[2];
        bool driven;
        if (!mrn_joints_link(e->joints, s, k, body, &driven))
            continue;
        if (is_asleep(s, body[0]) && is_asleep(s, body[1]))
            join(&e->sleeper, body[0], body[1]);
        for (int m = 0; m < 2; m++) {
            int32_t other = body[1 - m];
            bool pulled = other >= 0 && is_listed(e->scene, s, other) &&
                          imposed_moves(e->scene, s, other, mrn_v3(0, 0, 0));
            if (is_asleep(s, body[m]) && (driven || pulled || is_awake(e->scene, s, other)))
                mark(&e->sleeper, body[m], RESTLESS);
        }
    }
}

static void wake_marked(mrn_nonsmooth *e)
{
    mrn_state *s = e->state;
    mrn_sleeper *p = &e->sleeper;
    double left = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        int then = is_asleep(s, i) ? *rest_steps_of(s, i) - MRN_SLEEP_STEPS : 0;
        if (then < 0 || then > p->touched[i])
            mark(p, i, RESTLESS);
    }
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (!is_asleep(s, i))
            continue;
        if (p->mark[root_of(p->root, i)] & RESTLESS)
            wake_one(s, i);
        else
            left++;
    }
    s->nonsmooth.asleep = left;
}

mrn_status mrn_ns_wake(mrn_nonsmooth *e, double h, mrn_message *msg)
{
    mrn_state *s = e->state;
    if (!(s->nonsmooth.asleep > 0))
        return MRN_OK;
    if (nothing_may(e->scene) || s->step == s->stage_step) {
        mrn_ns_wake_all(s);
        return MRN_OK;
    }
    mrn_status st = begin_islands(e, msg);
    if (st == MRN_OK)
        st = count_room(s, msg);
    if (st != MRN_OK)
        return st;
    look_at_contacts(e, mrn_ns_sleep_speed(e->scene, s, h), h);
    look_at_joints(e);
    wake_marked(e);
    return MRN_OK;
}

/* ---- falling asleep ---- */

static bool is_slow(const mrn_state *s, int32_t i, double speed)
{
    mrn_vec3 v = mrn_load3(s->body.v + 3 * (size_t)i), w = mrn_load3(s->body.w + 3 * (size_t)i);
    return mrn_norm(v) < speed && s->body.bound[i] * mrn_norm(w) < speed;
}

/* Contacts that press link grains; what presses on a sleeper disturbs it. Impulses of several
   contacts of one grain are looked at one by one: a sum below twice the limit may pass. */
static void link_contact(mrn_nonsmooth *e, int64_t k, double impulse, double speed)
{
    const mrn_state *s = e->state;
    const mrn_contacts *t = &e->found;
    mrn_sleeper *p = &e->sleeper;
    int32_t body[2] = {t->body_c[k], t->body_a[k]};
    mrn_vec3 arm[2] = {mrn_load3(t->arm_c + 3 * k), mrn_load3(t->arm_a + 3 * k)};
    bool awake[2] = {is_awake(e->scene, s, body[0]), is_awake(e->scene, s, body[1])};
    if (awake[0] && awake[1] && impulse != 0)
        join(p, body[0], body[1]);
    for (int m = 0; m < 2; m++) {
        int32_t other = body[1 - m];
        if (!awake[m] || awake[1 - m])
            continue;
        if (impulse != 0)
            mark(p, body[m], ANCHORED);
        if (is_listed(e->scene, s, other) && imposed_moves(e->scene, s, other, arm[1 - m]))
            mark(p, body[m], RESTLESS);
        if (is_asleep(s, other) && fabs(impulse) > s->body.mass[other] * speed)
            *rest_steps_of(e->state, other) = 0; /* wakes when the next step begins */
    }
}

static void link_joints(mrn_nonsmooth *e)
{
    const mrn_state *s = e->state;
    for (int k = 0; e->joints != NULL && k < e->scene->n_joints; k++) {
        int32_t body[2];
        bool driven;
        if (!mrn_joints_link(e->joints, s, k, body, &driven))
            continue;
        bool awake[2] = {is_awake(e->scene, s, body[0]), is_awake(e->scene, s, body[1])};
        if (awake[0] && awake[1])
            join(&e->sleeper, body[0], body[1]);
        for (int m = 0; m < 2; m++)
            if (awake[m])
                mark(&e->sleeper, body[m], (driven ? RESTLESS : 0) | (awake[1 - m] ? 0 : ANCHORED));
    }
}

/* Steps of rest_steps, one more or none. */
static void count_rest_steps(mrn_nonsmooth *e, double speed)
{
    mrn_state *s = e->state;
    mrn_sleeper *p = &e->sleeper;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if ((s->body.flags[i] & MRN_BODY_MEMBER) || !is_awake(e->scene, s, i))
            continue;
        uint16_t *rest_steps = rest_steps_of(s, i);
        bool shaken = group_is_shaken(e->scene, s->body.group[i]) || is_driven(e->scene, s, i);
        if (shaken || !is_slow(s, i, speed) || *rest_steps > MRN_SLEEP_STEPS)
            *rest_steps = 0; /* more: what another body of this number has left */
        else
            *rest_steps += *rest_steps < MRN_SLEEP_STEPS;
        if (*rest_steps < MRN_SLEEP_STEPS)
            mark(p, i, RESTLESS);
    }
}

static double kinetic_energy(const mrn_nonsmooth *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i);
    return 0.5 * b->mass[i] * mrn_dot(v, v) + mrn_rotational_energy(e->scene, b, i);
}

/* Work of gravity (over h) on the way to the end of the step, which a sleeper does not go. */
static double unmade_fall(const mrn_nonsmooth *e, int32_t i)
{
    mrn_vec3 v = mrn_load3(e->state->body.v + 3 * (size_t)i), g = mrn_load3(e->state->gravity);
    return e->scene->nonsmooth.theta * e->state->body.mass[i] * mrn_dot(g, v);
}

/* Sends rest_steps islands to sleep; returns how many grains. */
static int64_t send_to_sleep(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    mrn_sleeper *p = &e->sleeper;
    bool falls = mrn_norm(mrn_load3(s->gravity)) > 0;
    mrn_sum lost = {0};
    int64_t n = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if ((s->body.flags[i] & MRN_BODY_MEMBER) || !is_awake(e->scene, s, i))
            continue;
        unsigned m = p->mark[root_of(p->root, i)];
        if ((m & RESTLESS) || (falls && !(m & ANCHORED)))
            continue;
        mrn_sum_add(&lost, kinetic_energy(e, i) - h * unmade_fall(e, i));
        mrn_store3(s->body.v + 3 * (size_t)i, mrn_v3(0, 0, 0));
        mrn_store3(s->body.w + 3 * (size_t)i, mrn_v3(0, 0, 0));
        s->body.flags[i] |= MRN_BODY_ASLEEP;
        n++;
    }
    s->ledger.lost_scheme += mrn_sum_value(&lost);
    return n;
}

/* Spheres of clusters stand still with them. */
static void still_members(mrn_state *s)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if ((s->body.flags[i] & MRN_BODY_MEMBER) && is_asleep(s, mrn_body_leader(s, i))) {
            mrn_store3(s->body.v + 3 * (size_t)i, mrn_v3(0, 0, 0));
            mrn_store3(s->body.w + 3 * (size_t)i, mrn_v3(0, 0, 0));
        }
}

/* Notes how many bodies at rest every sleeper touches. The others' sleep may have begun before, but
   a sleeper more nearby is no loss, so they are counted anew as well. */
static void note_touched(mrn_nonsmooth *e)
{
    mrn_state *s = e->state;
    mrn_sleeper *p = &e->sleeper;
    const mrn_contacts *t = &e->found;
    for (int64_t k = 0; k < t->n; k++) {
        int32_t body[2] = {t->body_c[k], t->body_a[k]};
        for (int m = 0; m < 2 && t->interaction[k] >= 0; m++)
            if (is_asleep(s, body[m]) && !is_awake(e->scene, s, body[1 - m]))
                p->touched[body[m]]++;
    }
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (!is_asleep(s, i) || (*rest_steps_of(s, i) < MRN_SLEEP_STEPS))
            continue;
        int32_t most = UINT16_MAX - MRN_SLEEP_STEPS, n = p->touched[i];
        *rest_steps_of(s, i) = (uint16_t)(MRN_SLEEP_STEPS + (n < most ? n : most));
    }
}

mrn_status mrn_ns_sleep_room(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_status st = begin_islands(e, msg);
    return st == MRN_OK ? count_room(e->state, msg) : st;
}

mrn_status mrn_ns_fall_asleep(mrn_nonsmooth *e, double h, mrn_message *msg)
{
    mrn_state *s = e->state;
    if (nothing_may(e->scene))
        return MRN_OK;
    mrn_status st = mrn_ns_sleep_room(e, msg);
    if (st != MRN_OK)
        return st;
    double speed = mrn_ns_sleep_speed(e->scene, s, h);
    for (int64_t k = 0; k < e->n_contacts; k++)
        link_contact(e, e->row[k].contact, e->r[k * e->width], speed);
    link_joints(e);
    count_rest_steps(e, speed);
    int64_t n = send_to_sleep(e, h);
    if (n > 0) {
        s->nonsmooth.asleep += (double)n;
        still_members(s);
        note_touched(e);
    }
    return MRN_OK;
}
