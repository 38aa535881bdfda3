/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine: the order of a step, and the energy ledger. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "drive/drive.h"
#include "smooth/smooth.h"

static mrn_status take_scratch(mrn_smooth *e, mrn_message *msg)
{
    mrn_status st = mrn_array(&e->scratch, e->threads, sizeof *e->scratch, msg);
    for (int t = 0; st == MRN_OK && t < e->threads; t++)
        st = mrn_array(&e->scratch[t], 1, sizeof **e->scratch, msg);
    return st;
}

/* Power that walls put into grains. */
static double wall_power(const mrn_state *s)
{
    double power = 0;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        size_t k = 3 * (size_t)w;
        power -= mrn_dot(mrn_load3(s->body.f + k), mrn_load3(s->body.v + k)) +
                 mrn_dot(mrn_load3(s->body.t + k), mrn_load3(s->body.w + k));
    }
    return power;
}

/* Trapezoidal sums. What the tangential springs took and do not hold any more is lost. */
static void book(mrn_state *s, const mrn_tally *t, double h)
{
    mrn_ledger *l = &s->ledger;
    double power = wall_power(s);
    l->lost_normal += 0.5 * h * (l->last_loss + t->loss_n);
    l->lost_tangential +=
        0.5 * h * (l->last_power_t + t->power_t) - (t->energy_t - l->last_energy_t);
    l->wall_work += 0.5 * h * (l->last_wall_power + power);
    l->cell_work += 0.5 * h * (l->last_cell_power + t->cell_power);
    l->last_loss = t->loss_n;
    l->last_power_t = t->power_t;
    l->last_energy_t = t->energy_t;
    l->last_wall_power = power;
    l->last_cell_power = t->cell_power;
}

static void note(mrn_state *s, const mrn_tally *t)
{
    s->elastic = t->energy_n + t->energy_t;
    s->contacts = t->contacts;
    s->sliding = t->sliding;
    s->max_overlap = t->max_overlap;
}

/* Forces for the state as it is, outside of a step. What the change of scene did to the stored
 * energy is the drive's. */
static void evaluate_now(mrn_smooth *e)
{
    mrn_state *s = e->state;
    double before = s->elastic;
    mrn_tally t = mrn_forces_contacts(e, 0);
    mrn_forces_walls(e);
    mrn_bodies_kick(e, 0);
    note(s, &t);
    s->ledger.drive_work += s->elastic - before;
    s->ledger.last_energy_t = t.energy_t;
    book(s, &t, 0);
}

static void look_for_fixed(mrn_smooth *e)
{
    const mrn_bodies *b = &e->state->body;
    e->any_fixed = false;
    for (int32_t i = b->n_walls; i < b->n; i++)
        e->any_fixed |= (b->flags[i] & MRN_BODY_FIXED) != 0;
}

static mrn_status rebuild(mrn_smooth *e, mrn_message *msg)
{
    mrn_status st = mrn_pairs_build(e->scene, e->state, false, msg);
    return st == MRN_OK ? mrn_forces_plan(e, msg) : st;
}

mrn_status mrn_smooth_refresh(mrn_smooth *e, mrn_message *msg)
{
    look_for_fixed(e);
    mrn_status st = rebuild(e, msg);
    if (st == MRN_OK)
        evaluate_now(e);
    return st;
}

mrn_status mrn_smooth_create(const mrn_scene *scene, mrn_state *s, mrn_smooth **out,
                             mrn_message *msg)
{
    mrn_smooth *e = mrn_alloc(sizeof *e);
    *out = e;
    if (e == NULL)
        return mrn_fail_memory(msg);
    e->scene = scene;
    e->state = s;
    e->threads = mrn_threads();
    mrn_status st = take_scratch(e, msg);
    look_for_fixed(e);
    /* a list that fits came with a checkpoint: forces and history are as the last step left them */
    bool resumed = s->pair.row != NULL && s->pair.rows == s->body.n && s->pair.builds > 0;
    if (st == MRN_OK)
        st = resumed ? mrn_forces_plan(e, msg) : rebuild(e, msg);
    if (st == MRN_OK && !resumed)
        evaluate_now(e);
    if (st != MRN_OK)
        mrn_smooth_destroy(out);
    return st;
}

void mrn_smooth_destroy(mrn_smooth **out)
{
    mrn_smooth *e = *out;
    if (e == NULL)
        return;
    for (int t = 0; e->scratch != NULL && t < e->threads; t++) {
        if (e->scratch[t] != NULL)
            mrn_free(e->scratch[t]->wall);
        mrn_free(e->scratch[t]);
    }
    mrn_free(e->scratch);
    mrn_free(e->tally);
    mrn_free(e->chunk_row);
    mrn_free(e->far);
    mrn_free(e->reach);
    mrn_free(e);
    *out = NULL;
}

/* The deepest contact, for the message. */
static mrn_status explain_overlap(const mrn_smooth *e, mrn_message *msg)
{
    const mrn_state *s = e->state;
    mrn_images im = mrn_images_of(e->scene, s);
    int32_t worst_c = -1, worst_a = -1;
    double worst = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        for (int32_t k = s->pair.row[i]; k < s->pair.row[i + 1]; k++) {
            int32_t j = s->pair.other[k];
            mrn_vec3 d = mrn_images_nearest(&im, mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i),
                                                         mrn_load3(s->body.x + 3 * (size_t)j)));
            double ri = s->body.radius[i], rj = s->body.radius[j];
            double o = (ri + rj - mrn_norm(d)) * (ri + rj) / (ri * rj);
            if (o > worst)
                worst = o, worst_c = i, worst_a = j;
        }
    if (worst_c < 0 || worst < 0.999 * s->max_overlap)
        mrn_fail(msg, MRN_EXPLODED,
                 "a grain went %.0f %% of its radius into a wall at step %lld (t = %g s)",
                 100 * s->max_overlap, (long long)s->step, s->time);
    else
        mrn_fail(
            msg, MRN_EXPLODED,
            "grains %d and %d overlap by %.0f %% of their effective radius at step %lld (t = %g s)",
            (int)s->body.id[worst_c], (int)s->body.id[worst_a], 100 * worst, (long long)s->step,
            s->time);
    mrn_step_limit limit = mrn_smooth_step_limit(e->scene, s);
    mrn_fail_expected(msg,
                      "overlaps of a few percent; the step is %.3g s, the critical one now %.3g s",
                      s->h, limit.critical);
    mrn_fail_hint(msg, "%s",
                  s->h > 0.3 * limit.critical
                      ? "use a smaller time step"
                      : "the grains are too soft for this load or speed: use a stiffer law");
    return MRN_EXPLODED;
}

static void strain_cell(const mrn_scene *scene, mrn_state *s, double h)
{
    for (int k = 0; k < 3; k++)
        if (scene->cell.periodic[k])
            s->cell_size[k] *= 1 + h * scene->cell.rate[k];
}

/* A bound for how far any point of a wall near the grains moves in a step. */
static double wall_travel(const mrn_smooth *e, double h)
{
    const mrn_state *s = e->state;
    double most = 0;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        size_t k = 3 * (size_t)w;
        double spin = mrn_norm(mrn_load3(s->body.w + k)), v = mrn_norm(mrn_load3(s->body.v + k));
        double now = h * (v + spin * e->reach[w]);
        most = now > most ? now : most;
    }
    return most;
}

static bool list_is_stale(const mrn_scene *scene, const mrn_state *s, double far)
{
    const mrn_pairs *p = &s->pair;
    if (p->row == NULL || p->rows != s->body.n)
        return true;
    double way = 0.5 * (p->skin - mrn_pairs_cell_travel(scene, s, s->step + 1 - p->built_at));
    double limit = way > 0 ? way * way : 0;
    /* a bed come to rest gets a thinner list; asked once, the mean radius costs a pass over the
     * grains */
    bool thick = s->step - p->built_at == 2000 && p->skin > 1.01 * mrn_pairs_default_skin(s);
    return !(far < limit) || 2 * p->wall_travel >= p->skin || thick;
}

/* All that moves goes to the end of the step. */
static void move(mrn_smooth *e, double end)
{
    mrn_state *s = e->state;
    mrn_drive_walls(e->scene, s, s->time, end);
    s->pair.wall_travel += wall_travel(e, s->h);
    double far = mrn_bodies_drift(e, s->h);
    strain_cell(e->scene, s, s->h);
    e->stale = list_is_stale(e->scene, s, far);
    e->moved = true;
}

/* Bodies may have been added or removed since the last step. */
static mrn_status meet_newcomers(mrn_smooth *e, mrn_message *msg)
{
    if (e->moved || (e->state->pair.row != NULL && e->state->pair.rows == e->state->body.n))
        return MRN_OK;
    look_for_fixed(e);
    return rebuild(e, msg);
}

/* A step that could not build its list (out of memory) has moved the bodies already; the next call
   takes it up there. */
static mrn_status one_step(mrn_smooth *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    double h = s->h, t0 = mrn_clock();
    double end = s->stage_time + (double)(s->step + 1 - s->stage_step) * h;
    mrn_status st = meet_newcomers(e, msg);
    if (st == MRN_OK && !e->moved)
        move(e, end);
    double t1 = mrn_clock();
    if (st == MRN_OK && e->stale)
        st = rebuild(e, msg);
    if (st != MRN_OK)
        return st;
    double t2 = mrn_clock();
    mrn_tally t = mrn_forces_contacts(e, h);
    double t3 = mrn_clock();
    mrn_forces_walls(e);
    double t4 = mrn_clock();
    mrn_bodies_kick(e, h);
    e->moved = e->stale = false;
    s->time = end;
    s->step++;
    note(s, &t);
    book(s, &t, h);
    e->times.bodies += t1 - t0 + mrn_clock() - t4;
    e->times.list += t2 - t1;
    e->times.forces += t3 - t2;
    e->times.walls += t4 - t3;
    e->times.steps++;
    e->times.body_steps += s->body.n - s->body.n_walls;
    return t.max_overlap < 1 ? MRN_OK : explain_overlap(e, msg);
}

mrn_status mrn_smooth_step(mrn_smooth *e, int64_t n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t k = 0; k < n && st == MRN_OK; k++)
        st = one_step(e, msg);
    return st;
}

mrn_step_times mrn_smooth_times(const mrn_smooth *e)
{
    return e->times;
}
