/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quasi-static method: from equilibrium to equilibrium by increments of the load. The state is
   all there is: every increment takes the network from it, with the forces that the laws give at
   rest, finds the displacements that balance the load of the next instant (path.c), moves the
   grains, and leaves forces in the history of the contacts such that the laws give them again. What
   small displacements neglect within an increment shows as a residual in the next one and is taken
   out there. A run may stop and go on anywhere, with inertia or without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "detect/detect.h"
#include "drive/drive.h"
#include "laws/models.h"
#include "measure/measure.h"
#include "quasistatic/method.h"
#include "quasistatic/net.h"
#include "smooth/smooth.h"

/* Steps of the smooth engine between two looks at the balance. */
enum { LOOK_EVERY = 200 };
/* What small displacements may leave unbalanced, over the mean contact force, and the shortest part
   of an increment tried before the network is said to give way. */
static const double most_turned = 0.01, least_part = 1.0 / 256;
/* Of rattlers out of what they touch, at most. */
enum { PUSHES = 300 };
/* Grains that come to touch within an increment, and turning contacts, push others off their
   balance: as often, at most, it is found again under the same load. */
enum { CORRECTIONS = 8 };

struct mrn_quasistatic {
    const mrn_scene *scene;
    mrn_state *state;
    mrn_smooth *smooth; /* list and forces of the state as it stands */
    int64_t *pair_of;   /* pair of the list for each touch, in the order of measures */
    int32_t *owner_of;  /* its body C                                                */
    int64_t n_touches, room, owner_room;
    double *kept; /* history of the pairs, while forces are worked out */
    int64_t kept_room;
    int32_t *network; /* ids of the pairs that may touch, sorted; without new contacts only */
    int64_t n_network, network_room;
    mrn_state good;  /* the last equilibrium, while the next one is sought */
    mrn_state first; /* the one that an increment began with               */
    bool has_good, has_first;
    volatile const int *stop; /* set while dynamics works: the increment is given up; may be NULL */
    mrn_step_times times;
};

/* ---- what has no meaning here ---- */

/* What scenes ask for is checked by the list of methods; a state may have been filled otherwise. */
static mrn_status check_state(const mrn_state *s, mrn_message *msg)
{
    for (int32_t i = 0; i < s->body.n; i++)
        if (s->body.flags[i] & (MRN_BODY_MEMBER | MRN_BODY_POLYTOPE)) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "the state has clusters, polygons or polyhedra, which method quasistatic "
                     "cannot move");
            return mrn_fail_hint(msg, "disks and spheres can; `moraine analyze` takes every shape");
        }
    return MRN_OK;
}

/* ---- the state at rest ---- */

static void stop_all(mrn_state *s)
{
    memset(s->cell_rate, 0, sizeof s->cell_rate);
    for (int32_t i = 0; i < s->body.n; i++) {
        mrn_store3(s->body.v + 3 * (size_t)i, mrn_v3(0, 0, 0));
        mrn_store3(s->body.w + 3 * (size_t)i, mrn_v3(0, 0, 0));
    }
}

static mrn_net_options options_of(const mrn_quasistatic *e)
{
    mrn_net_options o = mrn_net_default();
    o.cell = mrn_drive_strains_cell(e->scene);
    o.bearing = 1e-9; /* contacts that bear little may bear more in a moment */
    o.bare = true;    /* a rattler that leans on the network would push it without end */
    return o;
}

/* Was the list built with the bodies where they are? */
static bool list_is_of_now(const mrn_state *s)
{
    size_t n = 3 * (size_t)s->body.n * sizeof *s->body.x;
    return s->pair.builds > 0 && mrn_pairs_current(s) && memcmp(s->body.x, s->body.x_list, n) == 0;
}

/* Forces by the history as it stands. Laws turn their springs into the contact plane whenever they
   are asked, with a rounding of its own each time; that is taken back, so that a state gives the
   same forces however often they are asked for, before and after a resume. */
static mrn_status forces_of_now(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    int64_t width = e->scene->history;
    size_t size = (size_t)(s->pair.n * width) * sizeof *e->kept;
    mrn_status st = s->pair.n * width > e->kept_room
                        ? mrn_grow(&e->kept, &e->kept_room, s->pair.n * width, sizeof *e->kept)
                        : MRN_OK;
    if (st != MRN_OK)
        return mrn_fail_memory(msg);
    if (size > 0)
        memcpy(e->kept, s->contact.history, size);
    st = mrn_smooth_evaluate(e->smooth, msg);
    if (st == MRN_OK && size > 0)
        memcpy(s->contact.history, e->kept, size);
    return st;
}

/* The forces of the laws now, and which pairs touch in the order in which measures visit them. */
static mrn_status evaluate(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    const mrn_pairs *p = &s->pair;
    mrn_status st = list_is_of_now(s) ? MRN_OK : mrn_smooth_refresh(e->smooth, msg);
    if (st == MRN_OK)
        st = forces_of_now(e, msg);
    if (st != MRN_OK)
        return st;
    if (p->n > e->room)
        st = mrn_grow(&e->pair_of, &e->room, p->n, sizeof *e->pair_of);
    if (st == MRN_OK && p->n > e->owner_room)
        st = mrn_grow(&e->owner_of, &e->owner_room, p->n, sizeof *e->owner_of);
    if (st != MRN_OK)
        return mrn_fail_memory(msg);
    e->n_touches = 0;
    for (int32_t id = 0; id < s->body.n_ids; id++) {
        int32_t i = s->body.index_of[id];
        for (int part = 0; i >= s->body.n_walls && part < 2; part++) {
            const int32_t *row = part == 0 ? p->row : p->wall_row;
            for (int64_t k = row[i]; k < row[i + 1]; k++)
                if (mrn_contact_alive(&s->contact, k)) {
                    e->owner_of[e->n_touches] = i;
                    e->pair_of[e->n_touches++] = k;
                }
        }
    }
    return st;
}

/* ---- back to the last equilibrium ---- */

static void drop(mrn_state *kept, bool *has)
{
    if (*has)
        mrn_state_destroy(kept);
    *has = false;
}

static mrn_status keep(const mrn_quasistatic *e, mrn_state *kept, bool *has, mrn_message *msg)
{
    drop(kept, has);
    *kept = (mrn_state){0};
    mrn_status st = mrn_state_copy(e->state, kept, msg);
    *has = st == MRN_OK;
    return st;
}

/* How much work it was stays known; all else, to the bit, is as it was kept: an engine made for a
   state with its list, as for a resume, changes nothing in it. */
static mrn_status go_back(mrn_quasistatic *e, mrn_state *kept, bool *has, mrn_message *msg)
{
    mrn_state *s = e->state;
    double iterations = s->quasistatic.iterations;
    mrn_state_destroy(s);
    *s = *kept;
    *has = false;
    s->quasistatic.iterations = iterations;
    mrn_smooth_destroy(&e->smooth);
    mrn_status st = mrn_smooth_create(e->scene, s, &e->smooth, msg);
    return st == MRN_OK ? evaluate(e, msg) : st;
}

/* ---- equilibrium by dynamics ---- */

typedef struct clock_kept {
    double time, h, base_time;
    int64_t step, base_step;
} clock_kept;

static clock_kept keep_clock(const mrn_state *s)
{
    return (clock_kept){s->time, s->h, s->base_time, s->step, s->base_step};
}

static void set_clock(mrn_state *s, const clock_kept *c)
{
    s->time = c->time;
    s->h = c->h;
    s->base_time = c->base_time;
    s->step = c->step;
    s->base_step = c->base_step;
    if (s->pair.built_at > s->step)
        s->pair.built_at = s->step;
}

static mrn_status balance_of(const mrn_quasistatic *e, const mrn_scene *scene, mrn_equilibrium *out,
                             mrn_message *msg)
{
    mrn_net net = {0};
    mrn_net_options o = mrn_net_default();
    o.cell = mrn_drive_strains_cell(scene);
    mrn_status st = mrn_net_of(scene, e->state, NULL, &o, &net, msg);
    *out = (mrn_equilibrium){.force = INFINITY, .moment = INFINITY, .global = INFINITY};
    if (st == MRN_OK && net.n > 0)
        st = mrn_net_judge(&net, out, msg);
    mrn_net_release(&net);
    return st;
}

static bool balanced(const mrn_quasistatic *e, const mrn_equilibrium *q)
{
    const mrn_bodies *b = &e->state->body;
    if (b->n == b->n_walls) /* no force to measure by, and nothing that could move */
        return true;
    double limit = e->scene->quasistatic.balanced;
    return q->force <= limit && q->moment <= limit && q->global <= 10 * limit;
}

/* The scene with everything that goes on with time at a halt: strains and walls stay, loads act as
   they do now. A shallow copy. */
static mrn_scene halted(const mrn_scene *scene, mrn_wall *wall)
{
    mrn_scene c = *scene;
    c.method = &mrn_method_smooth;
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c.cell.control.kind[k] == MRN_CONTROL_RATE)
            c.cell.control.target[k] = mrn_signal_constant(0);
    for (int w = 0; w < scene->n_walls; w++) {
        wall[w] = scene->wall[w];
        if (wall[w].motion.kind != MRN_MOTION_SERVO)
            wall[w].motion.kind = MRN_MOTION_NONE;
    }
    c.wall = wall;
    return c;
}

/* Somebody may look, or have set an end. */
static mrn_status tell(const mrn_quasistatic *e, int64_t n, mrn_message *msg)
{
    int64_t most = mrn_long_work_get().max_steps;
    if (most > 0 && n >= most)
        return mrn_fail(msg, MRN_INTERRUPTED,
                        "stopped while dynamics was on its way to an equilibrium, after the %lld "
                        "steps allowed",
                        (long long)n);
    if (n % LOOK_EVERY != 0)
        return MRN_OK;
    return mrn_long_work_tell("dynamics is on its way to an equilibrium",
                              (double)n / (double)e->scene->quasistatic.max_steps, msg);
}

/* Time stands still for loads: every step begins at the instant kept. */
static mrn_status settle(mrn_quasistatic *e, const mrn_scene *scene, mrn_smooth *engine,
                         const clock_kept *kept, bool *found, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_status st = MRN_OK;
    mrn_equilibrium q;
    *found = false;
    for (int64_t n = 0; st == MRN_OK && !*found && n < e->scene->quasistatic.max_steps; n++) {
        if (e->stop != NULL && *e->stop != 0)
            return mrn_fail(msg, MRN_INTERRUPTED,
                            "stopped while dynamics was on its way to an equilibrium");
        st = tell(e, n, msg);
        if (st != MRN_OK)
            return st;
        s->base_time = s->time = kept->time;
        s->base_step = s->step;
        st = mrn_smooth_step(engine, 1, msg);
        s->quasistatic.smooth_steps++;
        if (st != MRN_OK || n % LOOK_EVERY != LOOK_EVERY - 1)
            continue;
        st = balance_of(e, scene, &q, msg);
        *found = st == MRN_OK && balanced(e, &q);
    }
    return st;
}

static mrn_status relax(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_smooth *engine = NULL;
    mrn_wall *wall = NULL;
    bool found = false;
    clock_kept kept = keep_clock(s);
    mrn_status st = mrn_array(&wall, e->scene->n_walls, sizeof *wall, msg);
    if (st != MRN_OK)
        return st;
    mrn_scene still = halted(e->scene, wall);
    still.accuracy = MRN_FINE; /* balances are compared to 1e-3: a matter of this method alone */
    mrn_state_set_step(s, mrn_smooth_step_limit(&still, s).advised);
    st = mrn_smooth_create(&still, s, &engine, msg);
    if (st == MRN_OK)
        st = settle(e, &still, engine, &kept, &found, msg);
    mrn_smooth_destroy(&engine);
    mrn_free(wall);
    set_clock(s, &kept);
    stop_all(s);
    if (st != MRN_OK)
        return st;
    if (!found) {
        mrn_fail(msg, MRN_NOT_CONVERGED, "no equilibrium was found in %lld steps of dynamics",
                 (long long)e->scene->quasistatic.max_steps);
        return mrn_fail_hint(msg, "prepare the packing with more damping or for longer, or allow "
                                  "more: quasistatic: {max-steps: …}");
    }
    return evaluate(e, msg);
}

/* ---- the network ---- */

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static bool makes_contacts(const mrn_quasistatic *e)
{
    return e->scene->quasistatic.new_contacts && !e->scene->fixed_contacts;
}

static void ids_of(const mrn_state *s, int32_t c, int32_t a, int32_t out[2])
{
    int32_t i = s->body.id[c], j = s->body.id[a];
    out[0] = i < j ? i : j;
    out[1] = i < j ? j : i;
}

/* Which pairs touch as the stage begins. They stand in the state, so that a run that is taken up
   again has the same ones. */
static mrn_status list_network(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_contacts *t = &s->began;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_NAMES), .n = e->n_touches};
    mrn_contacts_destroy(t);
    if (makes_contacts(e))
        return MRN_OK;
    mrn_status st = mrn_contacts_make(t, &def, msg);
    for (int64_t k = 0; st == MRN_OK && k < e->n_touches; k++) {
        int32_t ids[2];
        ids_of(s, e->owner_of[k], s->pair.other[e->pair_of[k]], ids);
        t->id_c[k] = ids[1], t->id_a[k] = ids[0]; /* walls have the lowest numbers */
    }
    t->n = st == MRN_OK ? e->n_touches : 0;
    return st;
}

/* Without new contacts only those listed may be. */
static mrn_status note_network(mrn_quasistatic *e, bool begins, mrn_message *msg)
{
    const mrn_contacts *t = &e->state->began;
    mrn_status st = begins ? list_network(e, msg) : MRN_OK;
    e->n_network = 0;
    if (st != MRN_OK || makes_contacts(e))
        return st;
    if (2 * t->n > e->network_room)
        st = mrn_grow(&e->network, &e->network_room, 2 * t->n, sizeof *e->network);
    if (st != MRN_OK)
        return mrn_fail_memory(msg);
    for (int64_t k = 0; k < t->n; k++) {
        e->network[2 * k] = t->id_a[k];
        e->network[2 * k + 1] = t->id_c[k];
    }
    e->n_network = t->n;
    if (t->n > 0)
        qsort(e->network, (size_t)t->n, 2 * sizeof *e->network, compare_pairs);
    return MRN_OK;
}

/* Contacts that are not of the network are as if the grains passed through each other: open, and
   too far apart ever to close. */
static void drop_new(const mrn_quasistatic *e, mrn_net *net)
{
    if (makes_contacts(e))
        return;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_element *x = &net->element[k];
        int32_t ids[2];
        ids_of(e->state, net->contact.body_c[k], net->contact.body_a[k], ids);
        if (bsearch(ids, e->network, (size_t)e->n_network, 2 * sizeof *ids, compare_pairs) != NULL)
            continue;
        net->contact.gap[k] = 1e6 * net->length;
        memset(x->force, 0, sizeof x->force);
        memset(x->moment, 0, sizeof x->moment);
        x->status = MRN_NET_OPEN;
    }
}

/* ---- one increment ---- */

typedef struct increment {
    mrn_net net;
    mrn_path *path;
    double *dload, *dglobal, *f;
    double reached;
    double left_out; /* by small displacements, over the mean force */
} increment;

static void end_increment(increment *x)
{
    mrn_path_destroy(&x->path);
    mrn_net_release(&x->net);
    mrn_free(x->dload);
    mrn_free(x->dglobal);
    mrn_free(x->f);
    *x = (increment){0};
}

/* The network with the load of the instant `end`; the load that the forces of now bear is set as
   its own, what is missing as the change. */
static mrn_status begin_increment(mrn_quasistatic *e, double end, increment *x, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_net_options o = options_of(e);
    double now = s->time;
    mrn_drive_gravity(e->scene, s, end);
    s->time = end;
    mrn_status st = mrn_net_of(e->scene, s, NULL, &o, &x->net, msg);
    s->time = now;
    if (st != MRN_OK)
        return st;
    mrn_net *net = &x->net;
    if (net->n == 0)
        return mrn_fail(msg, MRN_NOT_CONVERGED, "at %.6g s no grain bears a force any more", now);
    drop_new(e, net);
    st = mrn_array(&x->dload, net->n_unknowns, sizeof *x->dload, msg);
    st = st == MRN_OK ? mrn_array(&x->f, net->n_rows, sizeof *x->f, msg) : st;
    st = st == MRN_OK ? mrn_array(&x->dglobal, net->n_globals + 1, sizeof *x->dglobal, msg) : st;
    if (st != MRN_OK)
        return st;
    mrn_net_forces(net, x->f);
    mrn_net_resultant(net, x->f, x->dload);
    for (int64_t k = 0; k < net->n_unknowns; k++) {
        double borne = -x->dload[k];
        x->dload[k] = net->load[k] - borne;
        net->load[k] = borne;
    }
    mrn_instant at = {end, end - s->stage_time};
    const mrn_cell_control *c = &e->scene->cell.control;
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *m = &net->global[g];
        bool imposed = m->kind == MRN_GLOBAL_CELL && c->kind[m->component] == MRN_CONTROL_RATE;
        double rate = imposed ? mrn_signal_value(&c->target[m->component], at, NULL) : 0;
        x->dglobal[g] = imposed ? rate * (end - now) * m->scale : NAN;
    }
    return MRN_OK;
}

/* ---- what an increment leaves behind ---- */

static mrn_vec3 carry(const double e[6], mrn_vec3 a)
{
    return mrn_v3(e[MRN_XX] * a.x + e[MRN_XY] * a.y + e[MRN_XZ] * a.z,
                  e[MRN_YY] * a.y + e[MRN_YZ] * a.z, e[MRN_ZZ] * a.z);
}

static mrn_quat turned(const double *q, mrn_vec3 angle)
{
    mrn_quat by = mrn_quat_from_rotation(angle), now = {q[0], q[1], q[2], q[3]};
    return mrn_quat_mul(by, now);
}

/* Grains of the network as found, all others with the mean strain, walls along their lines. */
static void move_bodies(const mrn_scene *scene, mrn_state *s, const mrn_net *net, const double *u)
{
    double strain[6] = {0};
    mrn_vec3 origin = mrn_load3(s->cell_origin);
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *m = &net->global[g];
        double way = u[mrn_net_global_unknown(net, g)] / m->scale;
        if (m->kind == MRN_GLOBAL_CELL)
            strain[m->component] = way;
        else
            mrn_store3(s->body.x + 3 * (size_t)m->wall,
                       mrn_axpy(way, m->direction, mrn_load3(s->body.x + 3 * (size_t)m->wall)));
    }
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        size_t k = 3 * (size_t)i;
        if (s->body.flags[i] & MRN_BODY_FIXED)
            continue;
        mrn_vec3 x = mrn_load3(s->body.x + k), go = carry(strain, mrn_sub(x, origin));
        int32_t node = net->node[i];
        if (node >= 0) {
            const double *d = u + mrn_net_unknown(net, node, 0);
            int D = net->dimension;
            go = mrn_add(go, mrn_v3(d[0], d[1], D == 3 ? d[2] : 0));
            if (net->rotations) {
                mrn_vec3 a = D == 3 ? mrn_v3(d[3], d[4], d[5]) : mrn_v3(0, 0, d[2]);
                mrn_quat q = turned(s->body.q + 4 * (size_t)i, mrn_scale(1 / net->length, a));
                double *to = s->body.q + 4 * (size_t)i;
                to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
            }
        }
        mrn_store3(s->body.x + k, mrn_add(x, go));
    }
    mrn_drive_strain(scene, s, strain, 1);
}

/* Lays the forces found into the history of the contacts, so that the laws give them at rest. */
static void hold_forces(const mrn_quasistatic *e, const mrn_net *net, const mrn_path_facts *found,
                        const double *rel)
{
    const mrn_scene *scene = e->scene;
    const mrn_contacts *at = &net->contact;
    mrn_state *s = e->state;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *x = &net->element[k];
        const int interaction = at->interaction[k];
        const int32_t body_c = at->body_c[k], body_a = at->body_a[k];
        if (x->rows == 1 || interaction < 0 || found->status[k] == MRN_NET_OPEN)
            continue;
        const mrn_prepared *p = &scene->interaction[interaction].ready;
        double *hist = s->contact.history + e->pair_of[at->slot[k]] * scene->history;
        double delta = -(at->gap[k] + rel[x->row]); /* after the move */
        if (!(delta > 0))
            continue;
        mrn_vec3 axis[3];
        mrn_net_axes(net, k, axis);
        double rc = s->body.radius[body_c], ra = s->body.radius[body_a];
        double r = ra > 0 ? rc * ra / (rc + ra) : rc;
        double mc = s->body.mass[body_c], ma = s->body.mass[body_a];
        double m = ra > 0 ? mc * ma / (mc + ma) : mc;
        const mrn_law *normal = p->part[MRN_LAW_NORMAL];
        double kn = normal->stiffness(p->coef[MRN_LAW_NORMAL], r, m, delta, 0);
        const double *f = found->force + x->row;
        int tangential = mrn_net_tangential(net, x);
        /* networks put a body that moves first; the list need not */
        double sign = body_c == e->owner_of[at->slot[k]] ? 1 : -1;
        mrn_vec3 t = mrn_scale(sign * f[1], axis[1]);
        if (tangential == 2)
            t = mrn_axpy(sign * f[2], axis[2], t);
        const mrn_law *law = p->part[MRN_LAW_TANGENTIAL];
        if (law != NULL && law->hold != NULL)
            law->hold(p->coef[MRN_LAW_TANGENTIAL], r, mrn_law_wide(p, r, delta), kn, t,
                      hist + p->offset[MRN_LAW_TANGENTIAL]);
        if (x->rows <= 1 + tangential)
            continue;
        const double *moment = f + 1 + tangential;
        double L = sign * net->length;
        const mrn_law *roll = p->part[MRN_LAW_ROLLING], *twist = p->part[MRN_LAW_TWISTING];
        mrn_vec3 rolling = net->dimension == 2 ? mrn_scale(L * moment[0], axis[2])
                                               : mrn_axpy(L * moment[2], axis[2],
                                                          mrn_scale(L * moment[1], axis[1]));
        if (roll != NULL && roll->hold != NULL)
            roll->hold(p->coef[MRN_LAW_ROLLING], r, delta, kn, rolling,
                       hist + p->offset[MRN_LAW_ROLLING]);
        if (twist != NULL && twist->hold != NULL && net->dimension == 3)
            twist->hold(p->coef[MRN_LAW_TWISTING], r, delta, kn,
                        mrn_v3(net->length * moment[0], 0, 0), hist + p->offset[MRN_LAW_TWISTING]);
    }
}

/* Adds to the push on each rattler among two grains that overlap: 3 components, and how stiffly it
   is held. */
static void push_apart(const mrn_state *s, const mrn_images *images, const mrn_net *net, int32_t i,
                       int32_t j, double *push)
{
    bool free_i = net->node[i] < 0 && mrn_is_free(s, i);
    bool free_j = net->node[j] < 0 && mrn_is_free(s, j);
    if (!free_i && !free_j)
        return;
    const double *xi = s->body.x + 3 * (size_t)i, *xj = s->body.x + 3 * (size_t)j;
    mrn_vec3 d = mrn_images_nearest(images, mrn_sub(mrn_load3(xi), mrn_load3(xj)));
    double distance = mrn_norm(d), overlap = s->body.radius[i] + s->body.radius[j] - distance;
    if (!(overlap > 0 && distance > 0))
        return;
    double stiff = free_i && free_j ? 2 : 1;
    double *to[2] = {push + 4 * (size_t)i, push + 4 * (size_t)j};
    for (int side = 0; side < 2; side++) {
        mrn_vec3 way = mrn_scale((side == 0 ? overlap : -overlap) / distance, d);
        mrn_store3(to[side], mrn_add(way, mrn_load3(to[side])));
        to[side][3] += stiff;
    }
}

/* Likewise of walls, by the gaps that `all` had, as if they were flat. */
static void push_off_walls(const mrn_state *s, const mrn_net *net, const mrn_net *all, double *push)
{
    for (int64_t k = 0; k < all->n_contacts; k++) {
        int32_t i = all->contact.body_c[k], node = all->element[k].c;
        if (all->contact.body_a[k] >= s->body.n_walls || node < 0 || net->node[i] >= 0)
            continue;
        mrn_vec3 start = mrn_load3(all->x + 3 * (size_t)node);
        mrn_vec3 n = mrn_load3(all->contact.normal + 3 * k);
        mrn_vec3 gone = mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i), start);
        double overlap = -(all->contact.gap[k] + mrn_dot(n, gone)), *to = push + 4 * (size_t)i;
        if (!(overlap > 0))
            continue;
        mrn_store3(to, mrn_axpy(overlap, n, mrn_load3(to)));
        to[3] += 1;
    }
}

/* One step of all rattlers down the energy of their overlaps; the longest. */
static double one_push(const mrn_quasistatic *e, const mrn_images *images, const mrn_net *net,
                       const mrn_net *all, double *push)
{
    mrn_state *s = e->state;
    const mrn_pairs *p = &s->pair;
    double longest = 0;
    memset(push, 0, 4 * (size_t)s->body.n * sizeof *push);
    for (int32_t id = 0; id < s->body.n_ids; id++) {
        int32_t i = s->body.index_of[id];
        for (int64_t k = i >= s->body.n_walls ? p->row[i] : 0;
             i >= s->body.n_walls && k < p->row[i + 1]; k++)
            push_apart(s, images, net, i, p->other[k], push);
    }
    push_off_walls(s, net, all, push);
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        const double *to = push + 4 * (size_t)i;
        if (net->node[i] >= 0 || !mrn_is_free(s, i) || to[3] == 0)
            continue;
        mrn_vec3 way = mrn_scale(1 / to[3], mrn_load3(to));
        double *x = s->body.x + 3 * (size_t)i;
        mrn_store3(x, mrn_add(mrn_load3(x), way));
        longest = fmax(longest, mrn_norm(way));
    }
    return longest;
}

/* Rattlers that the network ran into give way, as they bear nothing. One that finds no way out is
   squeezed evenly, and a grain of the network from the next increment on. */
static mrn_status free_rattlers(mrn_quasistatic *e, const mrn_net *net, mrn_message *msg)
{
    double *push = NULL, way = INFINITY;
    mrn_images images = mrn_images_of(e->scene, e->state);
    mrn_net all = {0};
    mrn_net_options o = options_of(e);
    if (net->rattlers == 0)
        return MRN_OK;
    o.keep_rattlers = true;
    mrn_status st = mrn_array(&push, 4 * (int64_t)e->state->body.n, sizeof *push, msg);
    if (st == MRN_OK && e->scene->n_walls > 0)
        st = mrn_net_of(e->scene, e->state, NULL, &o, &all, msg);
    for (int k = 0; st == MRN_OK && k < PUSHES && way > 1e-10 * net->length; k++)
        way = one_push(e, &images, net, &all, push);
    mrn_net_release(&all);
    mrn_free(push);
    return st == MRN_OK ? evaluate(e, msg) : st;
}

static mrn_status take_over(mrn_quasistatic *e, increment *x, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_path_facts found = mrn_path_facts_of(x->path);
    mrn_net_relative(&x->net, found.u, x->f);
    hold_forces(e, &x->net, &found, x->f);
    move_bodies(e->scene, s, &x->net, found.u);
    s->quasistatic.last_iterations = (double)found.iterations;
    s->quasistatic.iterations += (double)found.iterations;
    s->quasistatic.residual = found.residual;
    s->quasistatic.sliding = (double)found.sliding;
    s->quasistatic.open += (double)found.open;
    mrn_status st = evaluate(e, msg);
    return st == MRN_OK ? free_rattlers(e, &x->net, msg) : st;
}

/* ---- the end of a regime ---- */

static void say_load(const mrn_net *net, const double *f, char *out, size_t size)
{
    double stress[6];
    out[0] = '\0';
    if (!(net->volume > 0))
        return;
    mrn_net_stress(net, f, stress);
    double p = mrn_tensor_mean(stress, net->dimension);
    double q = mrn_tensor_deviator(stress, net->dimension) * (net->dimension == 2 ? 2 : 1);
    snprintf(out, size, ", mean stress %.5g Pa, largest less smallest %.5g Pa", p, q);
}

static mrn_status unstable(mrn_quasistatic *e, const increment *x, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_path_facts found = mrn_path_facts_of(x->path);
    char load[160];
    say_load(&x->net, found.force, load, sizeof load);
    s->quasistatic.instabilities++;
    s->quasistatic.last_time = s->time;
    s->quasistatic.supportable = found.end == MRN_PATH_UNSTABLE      ? 1
                                 : found.end == MRN_PATH_UNSUPPORTED ? 0
                                                                     : -1;
    mrn_fail(
        msg, MRN_NOT_CONVERGED,
        "the contact network gives way at %.6g s%s: %lld of %lld contacts slide%s", s->time, load,
        (long long)found.sliding, (long long)x->net.n_contacts,
        found.end == MRN_PATH_UNSUPPORTED ? ", and no forces within Coulomb's cones would bear more"
        : found.end == MRN_PATH_UNSTABLE
            ? ", though forces within Coulomb's cones exist that would bear more"
        : found.end == MRN_PATH_OK ? ", and grains would go too far to be followed by increments"
                                   : "");
    mrn_fail_hint(msg, "quasistatic: {unstable: smooth} lets dynamics find the next equilibrium");
    return MRN_NOT_CONVERGED;
}

static void advance(mrn_state *s, double end)
{
    s->time = end;
    s->step++;
    s->quasistatic.increments++;
}

/* Way of C past A, across the normal. */
static double way_across(const mrn_net *net, int64_t k, const double *u)
{
    const mrn_net_element *x = &net->element[k];
    mrn_vec3 n = mrn_load3(net->contact.normal + 3 * k);
    double strain[6] = {0};
    mrn_vec3 go = mrn_v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        int32_t node = side == 0 ? x->c : x->a;
        if (node < 0)
            continue;
        const double *d = u + mrn_net_unknown(net, node, 0);
        go = mrn_axpy(side == 0 ? 1 : -1, mrn_v3(d[0], d[1], net->dimension == 3 ? d[2] : 0), go);
    }
    for (int g = 0; g < net->n_globals; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL)
            strain[net->global[g].component] =
                u[mrn_net_global_unknown(net, g)] / net->global[g].scale;
    go = mrn_add(go, carry(strain, mrn_load3(net->contact.branch + 3 * k)));
    return mrn_norm(mrn_axpy(-mrn_dot(go, n), n, go));
}

/* What small displacements leave out, as a force over the mean one: a contact turns by an angle and
   its force with it, and it closes by half the square of the way across. */
static double left_out(const mrn_net *net, const mrn_path_facts *found)
{
    double worst = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *x = &net->element[k];
        double curve = x->curve_c > 0 && x->curve_a > 0 ? 1 / (1 / x->curve_c + 1 / x->curve_a)
                                                        : fmax(x->curve_a, 0);
        if (found->status[k] == MRN_NET_OPEN || curve == 0)
            continue;
        double across = way_across(net, k, found->u), turn = across * curve;
        worst = fmax(worst, fabs(found->force[x->row]) * turn + 0.5 * x->kn * turn * across);
    }
    return net->mean_force > 0 ? worst / net->mean_force : 0;
}

/* The equilibrium at the instant `end`, or as near to it as there is one; nothing moves yet. */
static mrn_status find(mrn_quasistatic *e, double end, increment *x, mrn_message *msg)
{
    const mrn_quasistatic_options *q = &e->scene->quasistatic;
    mrn_path_options o = mrn_path_default();
    o.tolerance = q->tolerance;
    o.max_iterations = (int)q->max_iterations;
    double begin = mrn_clock();
    mrn_status st = begin_increment(e, end, x, msg);
    double filled = mrn_clock();
    if (st == MRN_OK)
        st = mrn_path_create(&x->net, &o, &x->path, msg);
    if (st == MRN_OK)
        st = mrn_path_step(x->path, x->dload, x->dglobal, &x->reached, msg);
    e->times.assembly += filled - begin;
    e->times.solve += mrn_clock() - filled;
    if (x->path != NULL && st >= 0) {
        mrn_path_facts found = mrn_path_facts_of(x->path);
        x->left_out = left_out(&x->net, &found);
    }
    return st;
}

/* Largest net force under the load of now, over the mean contact force. */
static mrn_status off_balance(mrn_quasistatic *e, double *out, mrn_message *msg)
{
    increment x = {0};
    mrn_status st = begin_increment(e, e->state->time, &x, msg);
    *out = 0;
    for (int64_t k = 0; st == MRN_OK && k < x.net.n_unknowns; k++) {
        int64_t g = k - mrn_net_global_unknown(&x.net, 0);
        if ((g < 0 || isnan(x.dglobal[g])) && x.net.mean_force > 0)
            *out = fmax(*out, fabs(x.dload[k]) / x.net.mean_force);
    }
    end_increment(&x);
    return st;
}

/* Balance to the criterion of the scene; MRN_NOT_CONVERGED where it is not to be had. */
static mrn_status correct(mrn_quasistatic *e, increment *x, mrn_message *msg)
{
    double off = 0, limit = e->scene->quasistatic.balanced;
    mrn_status st = off_balance(e, &off, msg);
    for (int k = 0; st == MRN_OK && off > limit && k < CORRECTIONS; k++) {
        end_increment(x);
        st = find(e, e->state->time, x, msg);
        if (x->path == NULL || st != MRN_OK)
            return st;
        if (x->left_out > 10 * most_turned)
            return MRN_NOT_CONVERGED;
        st = take_over(e, x, msg);
        if (st == MRN_OK)
            st = off_balance(e, &off, msg);
    }
    return st != MRN_OK || off <= 10 * limit ? st : MRN_NOT_CONVERGED;
}

/* To the instant `to`. MRN_NOT_CONVERGED: it cannot be had in one go, and the state is the one
   before; *share of the way might do. */
static mrn_status one_part(mrn_quasistatic *e, double to, bool least, increment *x, double *share,
                           mrn_message *msg)
{
    end_increment(x);
    mrn_status st = find(e, to, x, msg);
    if (x->path == NULL || st < 0)
        return st;
    if (st == MRN_NOT_CONVERGED) {
        *share = 0.9 * x->reached;
        return st;
    }
    if (x->left_out > (least ? 10 : 1) * most_turned) {
        *share = fmin(fmax(0.7 * sqrt(most_turned / x->left_out), 0.1), 0.5);
        return MRN_NOT_CONVERGED;
    }
    double turned = x->left_out;
    *share = 0.5;
    st = keep(e, &e->good, &e->has_good, msg);
    if (st == MRN_OK)
        st = take_over(e, x, msg);
    if (st == MRN_OK) {
        e->state->time = to;
        st = correct(e, x, msg);
    }
    x->left_out = turned;
    if (st != MRN_NOT_CONVERGED)
        return st;
    mrn_status back = go_back(e, &e->good, &e->has_good, msg);
    return back == MRN_OK ? st : back;
}

/* An increment, in parts where it cannot be had in one go. On return MRN_NOT_CONVERGED the network
   gives way before `end`: the state is the last equilibrium, and x what was tried from there. */
static mrn_status in_parts(mrn_quasistatic *e, double end, increment *x, mrn_message *msg)
{
    mrn_state *s = e->state;
    double whole = end - s->time, part = 1;
    while (s->time < end) {
        bool last = s->time + part * whole >= end - 1e-9 * whole;
        double to = last ? end : s->time + part * whole, share = 1;
        mrn_status st = one_part(e, to, part <= least_part, x, &share, msg);
        if (st == MRN_NOT_CONVERGED && part > least_part) {
            part = fmax(fmin((to - s->time) / whole, part) * share, least_part);
            continue;
        }
        if (st != MRN_OK)
            return st;
        part *= x->left_out < 0.25 * most_turned ? 2 : 1;
    }
    return MRN_OK;
}

/* Stopped on the way to an equilibrium: the increment, or the stage, begins anew. */
static mrn_status stopped(mrn_quasistatic *e)
{
    mrn_status st = go_back(e, &e->first, &e->has_first, &(mrn_message){0});
    return st == MRN_OK ? MRN_INTERRUPTED : st;
}

/* The network gave way before `end`: dynamics finds what bears the load of then, or it is over. */
static mrn_status give_way(mrn_quasistatic *e, const increment *x, double end, mrn_message *msg)
{
    mrn_status st = unstable(e, x, msg);
    if (e->scene->quasistatic.unstable != MRN_UNSTABLE_SMOOTH)
        return st;
    e->state->time = end;
    st = relax(e, msg);
    if (st == MRN_OK)
        advance(e->state, end);
    return st == MRN_INTERRUPTED ? stopped(e) : st;
}

static mrn_status one_increment(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    double end = s->base_time + (double)(s->step + 1 - s->base_step) * s->h;
    mrn_long_work work = mrn_long_work_get();
    bool listens = (e->stop != NULL || work.tell != NULL || work.max_steps > 0) &&
                   e->scene->quasistatic.unstable == MRN_UNSTABLE_SMOOTH;
    increment x = {0};
    mrn_bodies_wrap(e->scene, s);
    mrn_status st = listens ? keep(e, &e->first, &e->has_first, msg) : MRN_OK;
    if (st == MRN_OK)
        st = in_parts(e, end, &x, msg);
    if (st == MRN_NOT_CONVERGED && x.path != NULL)
        st = give_way(e, &x, end, msg);
    else if (st == MRN_OK)
        advance(s, end);
    end_increment(&x);
    e->times.steps++;
    e->times.body_steps += s->body.n - s->body.n_walls;
    return st;
}

mrn_status mrn_quasistatic_step(mrn_quasistatic *e, int64_t n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t k = 0; k < n && st == MRN_OK; k++)
        st = one_increment(e, msg);
    return st;
}

/* ---- life ---- */

mrn_status mrn_quasistatic_refresh(mrn_quasistatic *e, mrn_message *msg)
{
    mrn_equilibrium q;
    mrn_status st = check_state(e->state, msg);
    if (st != MRN_OK)
        return st;
    stop_all(e->state);
    st = evaluate(e, msg);
    /* within a stage the residual of the last increment is taken out by the next */
    bool begins = e->state->step == e->state->stage_step;
    if (st == MRN_OK && begins)
        st = balance_of(e, e->scene, &q, msg);
    if (st == MRN_OK && begins && !balanced(e, &q)) {
        st = keep(e, &e->first, &e->has_first, msg);
        st = st == MRN_OK ? relax(e, msg) : st;
        st = st == MRN_INTERRUPTED ? stopped(e) : st;
    }
    return st == MRN_OK ? note_network(e, begins, msg) : st;
}

mrn_status mrn_quasistatic_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                                  mrn_quasistatic **out, mrn_message *msg)
{
    mrn_status st = check_state(s, msg);
    *out = NULL;
    if (st != MRN_OK)
        return st;
    mrn_quasistatic *e = mrn_alloc(sizeof *e);
    *out = e;
    if (e == NULL)
        return mrn_fail_memory(msg);
    e->scene = scene;
    e->state = s;
    e->stop = stop;
    stop_all(s);
    st = mrn_smooth_create(scene, s, &e->smooth, msg);
    if (st == MRN_OK)
        st = mrn_quasistatic_refresh(e, msg);
    if (st != MRN_OK)
        mrn_quasistatic_destroy(out);
    return st;
}

void mrn_quasistatic_destroy(mrn_quasistatic **e)
{
    if (*e == NULL)
        return;
    mrn_smooth_destroy(&(*e)->smooth);
    drop(&(*e)->good, &(*e)->has_good);
    drop(&(*e)->first, &(*e)->has_first);
    mrn_free((*e)->pair_of);
    mrn_free((*e)->owner_of);
    mrn_free((*e)->kept);
    mrn_free((*e)->network);
    mrn_free(*e);
    *e = NULL;
}

const mrn_state *mrn_quasistatic_state(const mrn_quasistatic *e)
{
    return e->state;
}

mrn_step_times mrn_quasistatic_times(const mrn_quasistatic *e)
{
    return e->times;
}

/* Time of a stage, where its end says it: INFINITY where not. */
static double duration_of(const mrn_stage *g)
{
    double most = g->at_most;
    for (int i = 0; i < g->n_until; i++)
        if (strcmp(g->until[i].probe, "time-in-stage") == 0 && g->until[i].above)
            most = fmin(most, g->until[i].value);
    return most;
}

mrn_step_limit mrn_quasistatic_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {.critical = INFINITY, .rayleigh = INFINITY, .contact_time = INFINITY};
    int stage = s->stage < scene->n_stages ? s->stage : scene->n_stages - 1;
    double span = stage >= 0 ? duration_of(&scene->stage[stage]) : INFINITY;
    l.advised = span / (double)scene->quasistatic.increments;
    snprintf(l.reason, sizeof l.reason, "%lld increments of the stage",
             (long long)scene->quasistatic.increments);
    return l;
}
