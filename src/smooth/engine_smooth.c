/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine: the order of a step, and the energy ledger. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/base.h"
#include "drive/drive.h"
#include "smooth/polytopes.h"
#include "smooth/stream.h"

static mrn_status take_scratch(mrn_smooth *e, mrn_message *msg)
{
    mrn_status st = mrn_array(&e->scratch, e->threads, sizeof *e->scratch, msg);
    for (int t = 0; st == MRN_OK && t < e->threads; t++)
        st = mrn_array(&e->scratch[t], 1, sizeof **e->scratch, msg);
    for (int t = 0; st == MRN_OK && t < e->threads; t++)
        st = mrn_array(&e->scratch[t]->stream, 1, sizeof *e->scratch[t]->stream, msg);
    if (st == MRN_OK)
        st = mrn_array(&e->stream, 1, sizeof *e->stream, msg);
    if (st == MRN_OK)
        e->stream->stayed = INT64_MAX;
    for (int t = 0; st == MRN_OK && e->scene->polytopes && t < e->threads; t++)
        st = mrn_array(&e->scratch[t]->polytopes, 1, sizeof(mrn_polytope_scratch), msg);
    return st;
}

/* Where walls were, and what acted on them, when the step began. */
static void remember_walls(mrn_smooth *e)
{
    const mrn_bodies *b = &e->state->body;
    for (int32_t w = 0; w < b->n_walls; w++) {
        size_t k = 3 * (size_t)w;
        e->wall_from[w] = (mrn_wall_past){mrn_load3(b->x + k), mrn_load3(b->f + k),
                                          mrn_load3(b->t + k), mrn_load3(b->w + k)};
    }
}

/* Work that walls did on grains in this step: mean force times the way they really went, for their
   speed may change from step to step at the will of a servo. */
static double wall_work(const mrn_smooth *e, double h)
{
    const mrn_bodies *b = &e->state->body;
    double work = 0;
    for (int32_t w = 0; w < b->n_walls; w++) {
        size_t k = 3 * (size_t)w;
        const mrn_wall_past *p = &e->wall_from[w];
        mrn_vec3 way = mrn_sub(mrn_load3(b->x + k), p->x);
        mrn_vec3 turn = mrn_scale(0.5 * h, mrn_add(mrn_load3(b->w + k), p->w));
        work -= 0.5 * (mrn_dot(mrn_add(mrn_load3(b->f + k), p->f), way) +
                       mrn_dot(mrn_add(mrn_load3(b->t + k), p->t), turn));
    }
    return work;
}

/* Work of the straining cell: mean stress times volume times the strain of this step. */
static double cell_work(const mrn_smooth *e, double h)
{
    const mrn_state *s = e->state;
    double work = 0;
    for (int c = 0; c < 6; c++)
        work -= 0.5 * h * e->rate_used[c] * (e->virial_from[c] + e->volume * s->drive.stress[c]);
    return work;
}

/* Trapezoidal sums. What the tangential springs took and do not hold any more is lost. */
static void book(mrn_state *s, const mrn_tally *t, const mrn_body_tally *b, double h)
{
    mrn_ledger *l = &s->ledger;
    l->lost_normal += 0.5 * h * (l->last_loss + t->loss_n) + t->jump;
    l->lost_damping += 0.5 * h * (l->last_damping + b->damping);
    l->drive_work += 0.5 * h * (l->last_drive_power + b->drive);
    l->cell_work += 0.5 * h * (l->last_lift + b->lift);
    l->lost_tangential +=
        0.5 * h * (l->last_power_t + t->power_t) + t->work_t - (t->energy_t - l->last_energy_t);
    l->last_loss = t->loss_n;
    l->last_power_t = t->power_t;
    l->last_energy_t = t->energy_t;
    l->last_damping = b->damping;
    l->last_drive_power = b->drive;
    l->last_lift = b->lift;
}

/* Stress of the cell, for its servo: contacts and motion of the grains. The volume counts until the
   grains move again: it may take a pass over all of them. */
static void note_stress(mrn_smooth *e, const mrn_tally *t, const mrn_body_tally *b)
{
    mrn_state *s = e->state;
    e->volume = mrn_drive_volume_by(e->scene, s, e->sums);
    for (int c = 0; c < 6; c++)
        s->drive.stress[c] = (t->virial[c] + b->kinetic[c]) / e->volume;
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
    mrn_body_tally b = mrn_bodies_kick(e, 0, NULL);
    note(s, &t);
    if (e->drive.strains)
        note_stress(e, &t, &b);
    s->ledger.drive_work += s->elastic - before;
    s->ledger.last_energy_t = t.energy_t;
    book(s, &t, &b, 0);
}

/* What the scene asks of every step. */
static mrn_status survey(mrn_smooth *e, mrn_message *msg)
{
    const mrn_bodies *b = &e->state->body;
    e->any_fixed = e->undamped = false;
    for (int k = 0; k < e->scene->n_interactions; k++)
        e->undamped |= e->scene->interaction[k].ready.undamped;
    for (int32_t i = b->n_walls; i < b->n; i++)
        e->any_fixed |= (b->flags[i] & MRN_BODY_FIXED) != 0;
    return mrn_drive_survey_make(e->scene, e->state, &e->drive, msg);
}

static mrn_status rebuild(mrn_smooth *e, mrn_message *msg)
{
    size_t asleep = mrn_stream_leave_for_list(e);
    mrn_status st = mrn_pairs_build(e->scene, e->state, false, msg);
    mrn_waken(asleep);
    e->far_now = 0;
    return st == MRN_OK ? mrn_forces_plan(e, msg) : st;
}

mrn_status mrn_smooth_refresh(mrn_smooth *e, mrn_message *msg)
{
    e->unrefreshed = true;
    mrn_stream_leave(e);
    mrn_status st = survey(e, msg);
    if (st == MRN_OK)
        st = rebuild(e, msg);
    if (st != MRN_OK)
        return st;
    e->unrefreshed = false;
    evaluate_now(e);
    return MRN_OK;
}

mrn_status mrn_smooth_evaluate(mrn_smooth *e, mrn_message *msg)
{
    mrn_stream_leave(e);
    mrn_status st = survey(e, msg);
    if (st == MRN_OK)
        evaluate_now(e);
    return st;
}

void mrn_smooth_share(mrn_smooth *e, int64_t n, bool shared, mrn_smooth_piece *piece,
                      const void *with)
{
    if (!shared || e->threads == 1) {
        for (int64_t k = 0; k < n; k++)
            piece(e, with, k, e->scratch[0]);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(e->threads)
    for (int64_t k = 0; k < n; k++)
        piece(e, with, k, e->scratch[omp_get_thread_num()]);
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
    if (st == MRN_OK)
        st = survey(e, msg);
    /* a list that fits came with a checkpoint: forces and history are as the last step left them */
    bool resumed = mrn_pairs_current(s) && s->pair.builds > 0;
    bool gear = scene->integrator == MRN_GEAR && !s->body.with_derivs;
    if (st == MRN_OK && gear)
        st = mrn_bodies_want_derivs(s, msg);
    if (st == MRN_OK)
        st = resumed ? mrn_forces_plan(e, msg) : rebuild(e, msg);
    if (st == MRN_OK && !resumed) {
        mrn_drive_gravity(scene, s, s->time);
        mrn_drive_cell(scene, s, s->time);
        evaluate_now(e);
    }
    if (st == MRN_OK && gear)
        st = mrn_gear_start(e, msg);
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
        if (e->scratch[t] != NULL) {
            mrn_free(e->scratch[t]->wall);
            mrn_polytopes_release(e->scratch[t]->polytopes);
            mrn_free(e->scratch[t]->stream);
        }
        mrn_free(e->scratch[t]);
    }
    mrn_free(e->scratch);
    if (e->stream != NULL) {
        mrn_stream_leave(e);
        mrn_stream_release(e->stream);
    }
    mrn_free(e->stream);
    mrn_free(e->wall_pair);
    mrn_free(e->span);
    mrn_free(e->owner);
    mrn_free(e->far);
    mrn_free(e->reach);
    mrn_clusters_release(e);
    mrn_free(e->wall_from);
    mrn_drive_survey_release(&e->drive);
    mrn_free(e);
    *out = NULL;
}

/* The deepest contact, for the message. */
mrn_status mrn_smooth_explain_overlap(const mrn_smooth *e, mrn_message *msg)
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
    if (e->scene->polytopes) /* radii do not tell the overlap of grains with corners */
        mrn_fail(msg, MRN_EXPLODED,
                 "a contact is %.3g %% of its effective radius deep at step %lld (t = %g s)",
                 100 * s->max_overlap, (long long)s->step, s->time);
    else if (worst_c < 0 || worst < 0.999 * s->max_overlap)
        mrn_fail(msg, MRN_EXPLODED,
                 "a grain went %.3g %% of its radius into a wall at step %lld (t = %g s)",
                 100 * s->max_overlap, (long long)s->step, s->time);
    else
        mrn_fail(
            msg, MRN_EXPLODED,
            "grains %d and %d overlap by %.3g %% of their effective radius at step %lld (t = %g s)",
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

/* How far walls went in this step, for the list. */
static double wall_travel(const mrn_smooth *e, double h)
{
    const mrn_state *s = e->state;
    double most = 0;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        mrn_vec3 way = mrn_sub(mrn_load3(s->body.x + 3 * (size_t)w), e->wall_from[w].x);
        double now = mrn_drive_wall_travel(s, w, way, e->reach[w], h);
        most = now > most ? now : most;
    }
    return most;
}

/* Squared way that grains may go before the list is old. */
static double allowance(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    /* a bed come to rest gets a thinner list; asked once, the mean radius costs a pass over the
     * grains */
    bool thick = s->step - p->built_at == 2000 && p->skin > 1.01 * mrn_pairs_default_skin(s);
    return thick ? 0 : mrn_pairs_allowance(scene, s);
}

/* Rates of the cell through this step: the mean of those at its begin and its end (next), as servo
   walls move, see drive/walls.c. */
static void begin_strain(mrn_smooth *e, double end, double next[6])
{
    mrn_state *s = e->state;
    double last[6];
    if (!(e->volume > 0)) /* resumed: no stress noted yet */
        e->volume = mrn_drive_volume_by(e->scene, s, e->sums);
    memcpy(last, s->cell_rate, sizeof last);
    mrn_drive_cell_by(e->scene, s, end, e->sums);
    memcpy(next, s->cell_rate, sizeof last);
    for (int c = 0; c < 6; c++) {
        e->virial_from[c] = e->volume * s->drive.stress[c];
        s->cell_rate[c] = e->rate_used[c] = 0.5 * (last[c] + next[c]);
    }
}

/* Bodies go to the end of the step; how far they are then from where the list was made, squared. */
static double move_bodies(mrn_smooth *e)
{
    mrn_state *s = e->state;
    bool there = e->ahead;
    e->ahead = false;
    if (!e->stream->on)
        return there ? e->far_ahead : mrn_bodies_drift(e, s->h);
    if (!there)
        mrn_stream_drift(e, s->h);
    return mrn_stream_far(e, mrn_pairs_allowance(e->scene, s));
}

void mrn_smooth_move_walls(mrn_smooth *e, double end)
{
    mrn_state *s = e->state;
    remember_walls(e);
    mrn_drive_walls_by(e->scene, s, s->time, end, e->sums);
    e->wall_way = wall_travel(e, s->h);
    s->pair.wall_travel += e->wall_way;
}

void mrn_smooth_strain_cell(mrn_smooth *e, double end)
{
    mrn_state *s = e->state;
    double next[6];
    begin_strain(e, end, next);
    mrn_drive_strain(e->scene, s, s->cell_rate, s->h);
    memcpy(s->cell_rate, next, sizeof next);
}

/* All that moves goes to the end of the step. */
static void move(mrn_smooth *e, double end)
{
    mrn_state *s = e->state;
    double next[6];
    mrn_smooth_move_walls(e, end);
    if (e->drive.strains)
        begin_strain(e, end, next);
    double far = move_bodies(e);
    if (e->drive.strains) {
        mrn_drive_strain(e->scene, s, s->cell_rate, s->h);
        memcpy(s->cell_rate, next, sizeof next);
    }
    far = mrn_clusters_place(e, far);
    e->stale = !(far < allowance(e->scene, s));
    e->far_now = far;
    e->moved = true;
}

/* Bodies may have been added or removed since the last step, and enter and leave by themselves. */
static mrn_status update_bodies(mrn_smooth *e, mrn_message *msg)
{
    bool changed = false;
    if (e->moved)
        return MRN_OK;
    mrn_status st = mrn_drive_update_sources(e->scene, e->state, &e->drive, &changed, msg);
    changed = changed || e->unrefreshed; /* the list may be of now, the plan for it is not */
    return st == MRN_OK && changed ? mrn_smooth_refresh(e, msg) : st;
}

/* Bodies, gravity and loads go to the end of the step. Gravity works on the mean of where the mass
   was and where it is. */
static void move_under_drives(mrn_smooth *e, double end)
{
    mrn_state *s = e->state;
    bool varies = e->drive.varying_gravity;
    mrn_vec3 before = varies ? mrn_drive_mass_moment(e->scene, s) : mrn_v3(0, 0, 0);
    move(e, end);
    if (varies) {
        mrn_vec3 both = mrn_add(before, mrn_drive_mass_moment(e->scene, s));
        mrn_drive_change_gravity(e->scene, s, mrn_scale(0.5, both), end);
    }
    if (e->drive.load != NULL)
        mrn_drive_loads(e->scene, s, end, e->drive.load);
}

/* Whether bodies can begin the step after this one as soon as their velocities are known, one pass
   over them instead of two: nothing looks at them or moves them in between. */
static bool can_go_ahead(const mrn_smooth *e, const mrn_tally *t)
{
    const mrn_state *s = e->state;
    return t->max_overlap < 1 && (s->step + 1) % MRN_WRAP_EVERY != 0 && e->n_clusters == 0 &&
           !e->drive.strains && !e->drive.varying_gravity && !e->drive.sources &&
           !e->drive.servo_walls;
}

/* Contact forces of the step, forces on walls, and what they do to bodies, which may go on to the
   next step if there is one. */
static mrn_tally forces_and_kick(mrn_smooth *e, bool last, mrn_body_tally *b)
{
    double h = e->state->h, t0 = mrn_clock();
    mrn_tally t = mrn_forces_contacts(e, h);
    double t1 = mrn_clock();
    mrn_forces_walls(e);
    double t2 = mrn_clock();
    e->ahead = !last && can_go_ahead(e, &t);
    *b = mrn_bodies_kick(e, h, e->ahead ? &e->far_ahead : NULL);
    e->times.forces += t1 - t0;
    e->times.walls += t2 - t1;
    e->times.bodies += mrn_clock() - t2;
    return t;
}

/* The same in the stream. */
static mrn_tally stream_forces(mrn_smooth *e, bool last, mrn_body_tally *b)
{
    double h = e->state->h, t0 = mrn_clock();
    bool whole = (e->state->step + 1) % MRN_WRAP_EVERY != 0 || mrn_stream_inside(e);
    e->ahead = !last && whole && mrn_stream_safe(e);
    mrn_tally t = mrn_stream_step(e, h, e->ahead);
    double t1 = mrn_clock();
    mrn_forces_walls(e);
    *b = (mrn_body_tally){0};
    e->times.forces += t1 - t0;
    e->times.walls += mrn_clock() - t1;
    return t;
}

/* Whether this step goes in the stream; `left`: steps of the call, with this one. */
static bool in_stream(mrn_smooth *e, int64_t left)
{
    if (!e->stream->on && left >= MRN_STREAM_WORTH && mrn_stream_fits(e))
        mrn_stream_enter(e, e->far_now, left);
    return e->stream->on && mrn_stream_renew(e);
}

static void put_back(mrn_smooth *e)
{
    if (e->stream->on)
        mrn_stream_wrap(e);
    else
        mrn_bodies_wrap(e->scene, e->state);
}

void mrn_smooth_end_step(mrn_smooth *e, const mrn_tally *t, const mrn_body_tally *b, double end)
{
    mrn_state *s = e->state;
    double h = s->h;
    s->time = end;
    s->step++;
    note(s, t);
    s->ledger.wall_work += wall_work(e, h);
    if (e->drive.strains) {
        note_stress(e, t, b);
        s->ledger.cell_work += cell_work(e, h);
    }
    book(s, t, b, h);
}

/* A step that could not build its list (out of memory) has moved the bodies already; the next call
   takes it up there. */
static mrn_status one_step(mrn_smooth *e, int64_t left, mrn_message *msg)
{
    mrn_state *s = e->state;
    double h = s->h, t0 = mrn_clock();
    double end = s->base_time + (double)(s->step + 1 - s->base_step) * h;
    mrn_status st = update_bodies(e, msg);
    if (st == MRN_OK && !e->moved && !e->ahead && s->step % MRN_WRAP_EVERY == 0)
        put_back(e);
    if (st == MRN_OK && !e->moved)
        move_under_drives(e, end);
    if (st == MRN_OK) /* of a step taken up again too: what is wrong stays wrong */
        st = mrn_drive_check(e->scene, s, end, e->drive.load, msg);
    double t1 = mrn_clock();
    if (st == MRN_OK && e->stale)
        st = rebuild(e, msg);
    if (st != MRN_OK)
        return st;
    double t2 = mrn_clock();
    mrn_body_tally b;
    mrn_tally t =
        in_stream(e, left) ? stream_forces(e, left == 1, &b) : forces_and_kick(e, left == 1, &b);
    e->moved = e->stale = false;
    mrn_smooth_end_step(e, &t, &b, end);
    e->times.bodies += t1 - t0;
    e->times.list += t2 - t1;
    e->times.steps++;
    e->times.body_steps += s->body.n - s->body.n_walls;
    if (t.max_overlap < 1)
        return MRN_OK;
    mrn_stream_leave(e);
    return mrn_smooth_explain_overlap(e, msg);
}

/* Asked to stop, it makes the step that it is in the last one. */
mrn_status mrn_smooth_go(mrn_smooth *e, int64_t n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    mrn_stream_go_on(e);
    for (int64_t left = n; left > 0 && st == MRN_OK; left--) {
        left = e->stop != NULL && *e->stop != 0 ? 1 : left;
        st = one_step(e, left, msg);
    }
    if (st != MRN_OK)
        mrn_stream_leave(e);
    return st;
}

mrn_status mrn_smooth_step(mrn_smooth *e, int64_t n, mrn_message *msg)
{
    mrn_status st = mrn_smooth_go(e, n, msg);
    mrn_stream_leave(e); /* the state's arrays are those of now whenever others may look */
    return st;
}

mrn_step_times mrn_smooth_times(const mrn_smooth *e)
{
    return e->times;
}
