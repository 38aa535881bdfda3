/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The non-smooth engine: the order of a step, and what happens when a problem is not solved. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "nonsmooth/nonsmooth.h"

enum {
    HALVINGS = 4, /* a step is cut into 2^4 parts at most                                      */
    /* Sweeps that are made in any case. Impulses of the last step are good enough for the next one
       as long as what they leave, step after step, does not add up to the tolerance: a bed at rest
       would creep at that speed. Ten more sweeps take most of it out each time. */
    LEAST_SWEEPS = 10,
    SWEEPS_BEFORE_SWITCH = 500, /* sweeps before the other solver tries: sweeps carry an impulse one
                       contact further each, so that tall stacks and arches need thousands of them,
                       which Newton's steps of the other do in some ten */
    LEAST_OF_OTHER = 10000, /* iterations that the other may take, sweeps among them, when the scene
                       gives no more */
};

/* ---- making and ending ---- */

static mrn_status find_solver(const char *name, const mrn_solver **out, mrn_message *msg)
{
    *out = mrn_solver_find(name);
    if (*out != NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "no solver is called \"%s\"", name);
    return mrn_fail_hint(msg, "`moraine solvers` lists them");
}

/* What the scene asks of every step. */
static mrn_status survey(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_scene *scene = e->scene;
    const mrn_nonsmooth_options *o = &scene->nonsmooth;
    e->alert = mrn_alert_distance(scene, e->state);
    e->slop = mrn_slop(scene, e->state);
    e->wall_mass = mrn_ns_wall_mass(scene, e->state);
    /* sweeps are as quick or quicker without W for spheres and polyhedra, whose contacts have
       thirteen and more neighbours, and take a third of the memory, with moments less; with disks
       blocks are quicker */
    bool sweeps = strcmp(o->solver, "nlgs") == 0;
    bool exchange = sweeps && (!o->stored || e->kind != MRN_CONTACT_2D); /* the same without W */
    mrn_status st = find_solver(exchange ? "nlgs-exchange" : o->solver, &e->solver, msg);
    e->stored = o->stored && !exchange;
    if (st == MRN_OK)
        st = find_solver(o->fallback, &e->fallback, msg);
    if (st != MRN_OK)
        return st;
    mrn_solver_defaults(e->fallback, e->fallback_option);
    return mrn_drive_survey_make(scene, e->state, &e->drive, msg);
}

/* A contact of another kind remembers nothing that could be used. */
static void begin_contacts(mrn_nonsmooth *e)
{
    mrn_contacts *c = &e->state->contact;
    if (c->impulse_width == e->width)
        return;
    mrn_contacts_destroy(c);
    c->impulse_width = e->width;
}

static mrn_status begin(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_status st = survey(e, msg);
    begin_contacts(e);
    /* a list that fits came with a checkpoint */
    bool resumed = mrn_pairs_current(s) && s->pair.builds > 0;
    if (st == MRN_OK && !resumed) {
        mrn_drive_gravity(e->scene, s, s->time);
        st = mrn_pairs_build(e->scene, s, false, msg);
    }
    if (st == MRN_OK && e->scene->n_joints > 0)
        st = mrn_joints_create(e->scene, s, e->width, &e->joints, msg);
    if (st == MRN_OK && e->scene->n_joints > 0)
        st = mrn_array(&e->tie, 2 * e->scene->n_joints, sizeof *e->tie, msg);
    if (st == MRN_OK && e->joints != NULL)
        e->springs = mrn_joints_energy(e->joints, s);
    if (st == MRN_OK && !resumed)
        s->elastic = e->springs;
    return st;
}

mrn_status mrn_nonsmooth_create(const mrn_scene *scene, mrn_state *s, mrn_nonsmooth **out,
                                mrn_message *msg)
{
    mrn_nonsmooth *e = mrn_alloc(sizeof *e);
    *out = e;
    if (e == NULL)
        return mrn_fail_memory(msg);
    e->scene = scene;
    e->state = s;
    e->kind = scene->contact_kind;
    e->width = mrn_contact_layout_of(e->kind)->block;
    e->dofs = scene->dimension == 2 ? 3 : 6;
    mrn_status st = begin(e, msg);
    if (st != MRN_OK)
        mrn_nonsmooth_destroy(out);
    return st;
}

static void release_problem(mrn_nonsmooth *e)
{
    mrn_problem *p = &e->problem;
    mrn_bsr_release(&p->W);
    mrn_bsr_release(&p->Ht);
    mrn_free(p->minv);
    mrn_free(p->q);
    for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
        mrn_free(e->mu[g]);
    mrn_free(e->cohesion);
    mrn_free(e->law);
    mrn_free(e->r);
    mrn_free(e->r_cycle);
    mrn_free(e->u);
    mrn_free(e->row);
    mrn_free(e->joint_block);
    mrn_free(e->tie);
    mrn_free(e->body_of_column);
    mrn_free(e->column_row);
    mrn_free(e->rows_of);
    mrn_free(e->mh);
    mrn_free(e->hash);
    mrn_free(e->cycle_hash);
    mrn_free(e->kept);
    mrn_free(e->taken);
}

void mrn_nonsmooth_destroy(mrn_nonsmooth **out)
{
    mrn_nonsmooth *e = *out;
    if (e == NULL)
        return;
    release_problem(e);
    mrn_contact_finder_release(&e->finder);
    mrn_contacts_destroy(&e->found);
    mrn_ns_bodies *b = &e->body;
    mrn_free(b->column);
    mrn_free(b->u0);
    mrn_free(b->free);
    mrn_free(b->end);
    mrn_free(b->push);
    mrn_free(b->pushed);
    mrn_free(b->held);
    mrn_free(e->past.x);
    mrn_free(e->past.q);
    mrn_free(e->past.v);
    mrn_free(e->past.w);
    mrn_free(e->past.image);
    mrn_drive_survey_release(&e->drive);
    mrn_free(e->press);
    mrn_joints_destroy(&e->joints);
    mrn_sleeper_release(&e->sleeper);
    mrn_workspace_release(&e->work);
    mrn_free(e);
    *out = NULL;
}

mrn_status mrn_nonsmooth_refresh(mrn_nonsmooth *e, mrn_message *msg)
{
    if (!e->scene->nonsmooth.sleep)
        mrn_ns_wake_all(e->state); /* a stage that ends sleep; other changes wake by themselves */
    mrn_status st = survey(e, msg);
    return st == MRN_OK ? mrn_pairs_build(e->scene, e->state, false, msg) : st;
}

/* ---- one step ---- */

/* Gravity and loads through the step are those at its end. */
static void set_fields(mrn_nonsmooth *e, double end)
{
    mrn_state *s = e->state;
    if (e->drive.varying_gravity)
        mrn_drive_change_gravity(e->scene, s, mrn_drive_mass_moment(e->scene, s), end);
    if (e->drive.load != NULL)
        mrn_drive_loads(e->scene, s, end, e->drive.load);
}

/* How far walls may go in the step with the velocities they have, for the list. */
static double wall_travel(const mrn_nonsmooth *e, double h)
{
    const mrn_state *s = e->state;
    const mrn_bodies *b = &s->body;
    double most = 0;
    for (int32_t w = 0; w < b->n_walls; w++) {
        mrn_vec3 way = mrn_scale(h, mrn_load3(b->v + 3 * (size_t)w));
        mrn_vec3 spin = mrn_load3(b->w + 3 * (size_t)w);
        double turns = mrn_norm(spin);
        double reach = turns > 0 ? mrn_drive_wall_reach(s, w, b->x, mrn_scale(1 / turns, spin)) : 0;
        most = fmax(most, mrn_drive_wall_travel(s, w, way, reach, h));
    }
    return most;
}

/* Walls at the middle of the step, with the velocity they have at its end: that of the middle of
   the interval over which contacts are followed when theta is 1/2. */
static void walls_to_middle(mrn_nonsmooth *e, double begin, double middle, double end)
{
    mrn_state *s = e->state;
    mrn_drive_walls(e->scene, s, begin, middle);
    s->pair.wall_travel += wall_travel(e, end - begin);
    mrn_drive_walls(e->scene, s, end, end); /* velocities only */
}

static mrn_status detect(mrn_nonsmooth *e, double h, mrn_message *msg)
{
    double t0 = mrn_clock();
    mrn_status st = MRN_OK;
    if (mrn_pairs_stale(e->scene, e->state))
        st = mrn_pairs_build(e->scene, e->state, false, msg);
    double t1 = mrn_clock();
    if (st == MRN_OK)
        st = mrn_contacts_find(e->scene, e->state, e->alert, h, e->width, &e->finder, &e->found,
                               msg);
    e->times.list += t1 - t0;
    e->times.contacts += mrn_clock() - t1;
    return st;
}

static mrn_status assemble(mrn_nonsmooth *e, double end, double h, mrn_message *msg)
{
    double t0 = mrn_clock(), given = e->scene->nonsmooth.threshold;
    double g = mrn_norm(mrn_load3(e->state->gravity));
    e->threshold = given >= 0 ? given : 2 * g * h;
    mrn_status st = mrn_ns_columns(e, h, msg);
    if (st == MRN_OK) {
        mrn_ns_free_motion(e, end, h);
        st = mrn_ns_rows(e, end, h, msg);
    }
    if (st == MRN_OK)
        st = mrn_ns_delassus(e, msg);
    e->times.assembly += mrn_clock() - t0;
    return st;
}

static mrn_solve_control control_of(const mrn_nonsmooth *e)
{
    const mrn_nonsmooth_options *o = &e->scene->nonsmooth;
    mrn_solve_control c = mrn_solve_control_default();
    c.tolerance = o->tolerance;
    c.max_iterations = o->max_iterations;
    if (c.max_iterations == 0 && o->unsolved == MRN_UNSOLVED_SWITCH && e->solver != e->fallback)
        c.max_iterations = SWEEPS_BEFORE_SWITCH;
    c.criterion = o->criterion;
    c.check_every = o->check_every;
    c.min_iterations = e->solver->sweeps ? LEAST_SWEEPS : 0;
    c.few_measures = true; /* the report tells no more */
    c.other_guess = e->cyclic ? e->r_cycle : NULL;
    return c;
}

/* The problem with its first solver, then the other where the scene says so. */
static mrn_status solve(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_nonsmooth_options *o = &e->scene->nonsmooth;
    mrn_solve_control c = control_of(e);
    double t0 = mrn_clock();
    e->state->nonsmooth.solves++;
    mrn_status st =
        mrn_solve(&e->problem, e->solver, o->option, &c, e->r, &e->work, &e->result, msg);
    e->times.contact_sweeps += e->result.updates;
    if (st == MRN_NOT_CONVERGED && o->unsolved == MRN_UNSOLVED_SWITCH) {
        mrn_solve_control other = c;
        other.criterion = e->fallback->sweeps ? c.criterion : MRN_STOP_NATURAL;
        other.max_iterations =
            o->max_iterations > LEAST_OF_OTHER ? o->max_iterations : LEAST_OF_OTHER;
        other.min_iterations = 0;
        other.other_guess = NULL; /* the first solver has improved on both */
        e->state->nonsmooth.switched++;
        st = mrn_solve(&e->problem, e->fallback, e->fallback_option, &other, e->r, &e->work,
                       &e->result, msg);
    }
    e->has_problem = st >= 0;
    if (st >= 0)
        mrn_ns_velocities(e);
    e->times.solve += mrn_clock() - t0;
    e->times.sweeps += e->result.iterations;
    return st;
}

static mrn_status keep_problem(mrn_nonsmooth *e, mrn_message *msg)
{
    if (e->keep == NULL || e->n_unsolved >= e->keep_max)
        return MRN_OK;
    e->n_unsolved++;
    return e->keep(&e->problem, e->r, e->state, e->keep_user, msg);
}

static mrn_status check_end(const mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_state *s = e->state;
    for (int64_t k = 0; k < (int64_t)s->body.n * e->dofs; k++) {
        int32_t i = (int32_t)(k / e->dofs);
        if (isfinite(e->body.end[k]) || s->body.flags[i] & MRN_BODY_MEMBER)
            continue;
        mrn_fail(msg, MRN_EXPLODED, "the velocity of body %d is not finite at step %lld (t = %g s)",
                 (int)s->body.id[i], (long long)s->step, s->time);
        mrn_fail_hint(msg, "look at forces and drives; a smaller time step may help");
        return MRN_EXPLODED;
    }
    return MRN_OK;
}

/* What may fail comes first: a step that cannot be ended is taken back. */
static mrn_status get_ready(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_nonsmooth_options *o = &e->scene->nonsmooth;
    mrn_status st = check_end(e, msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&e->press, &e->press_room, 6 * (int64_t)e->state->body.n_walls,
                         sizeof *e->press, msg);
    if (st == MRN_OK && o->sleep)
        st = mrn_ns_sleep_room(e, msg);
    if (st == MRN_OK && o->project)
        st = mrn_ns_project_room(e, msg);
    if (st == MRN_OK)
        st = mrn_ns_store_room(e, msg);
    return st == MRN_OK ? mrn_ns_cycle_room(e, msg) : st;
}

static mrn_status finish(mrn_nonsmooth *e, double middle, double end, double h, mrn_message *msg)
{
    mrn_status st = get_ready(e, msg);
    if (st != MRN_OK)
        return st;
    int64_t first = e->n_contacts * e->width;
    double last_h = e->state->nonsmooth.last_h;
    if (e->joints != NULL)
        mrn_joints_take(e->joints, e->state, h, e->r + first);
    mrn_ns_book(e, h);
    mrn_ns_press_kept(e, last_h > 0 ? h / last_h : 1, h);
    mrn_ns_adopt(e, h);
    if (e->scene->nonsmooth.sleep)
        st = mrn_ns_fall_asleep(e, h, msg);
    if (st != MRN_OK)
        return st;
    if (e->scene->nonsmooth.project)
        mrn_ns_project(e, h);
    mrn_ns_store(e, h);
    mrn_ns_drift(e, e->scene->nonsmooth.theta * h);
    mrn_drive_walls(e->scene, e->state, middle, end);
    if (e->joints != NULL) {
        /* what springs took and do not hold, their dashpots have lost */
        double springs = mrn_joints_energy(e->joints, e->state);
        e->state->ledger.lost_damping -= springs - e->springs;
        e->state->elastic += springs - e->springs;
        e->springs = springs;
    }
    return MRN_OK;
}

/* From `begin` on for a time h; cut in halves where the scene says so and it is not solved. */
static mrn_status advance(mrn_nonsmooth *e, double begin, double h, int depth, mrn_message *msg)
{
    const mrn_nonsmooth_options *o = &e->scene->nonsmooth;
    mrn_state *s = e->state;
    double theta = o->theta, middle = begin + (1 - theta) * h, end = begin + h;
    bool may_go_back =
        o->unsolved == MRN_UNSOLVED_STOP || (o->unsolved == MRN_UNSOLVED_HALVE && depth < HALVINGS);
    mrn_status st = mrn_ns_remember(e, msg);
    if (st != MRN_OK)
        return st;
    double t0 = mrn_clock();
    walls_to_middle(e, begin, middle, end);
    mrn_ns_drift(e, (1 - theta) * h);
    e->times.bodies += mrn_clock() - t0;
    st = detect(e, h, msg);
    if (st == MRN_OK && o->sleep)
        st = mrn_ns_wake(e, h, msg);
    if (st == MRN_OK)
        st = assemble(e, end, h, msg);
    if (st == MRN_OK)
        st = solve(e, msg);
    if (st == MRN_NOT_CONVERGED) {
        mrn_message unread;
        /* one that is made again in halves is not left unsolved */
        s->nonsmooth.unsolved += !(may_go_back && o->unsolved == MRN_UNSOLVED_HALVE);
        mrn_status kept = keep_problem(e, msg != NULL ? msg : &unread);
        st = kept < 0 ? kept : st;
    }
    bool failed = st != MRN_OK && st != MRN_NOT_CONVERGED; /* outcomes are above 0 */
    if (failed || (st == MRN_NOT_CONVERGED && may_go_back))
        mrn_ns_restore(e);
    if (failed)
        return st;
    if (st == MRN_NOT_CONVERGED) {
        if (o->unsolved == MRN_UNSOLVED_STOP)
            return mrn_fail(msg, MRN_NOT_CONVERGED, "step %lld (t = %g s): %s", (long long)s->step,
                            s->time, e->result.words);
        if (may_go_back) {
            s->nonsmooth.halved++;
            st = advance(e, begin, 0.5 * h, depth + 1, msg);
            return st == MRN_OK ? advance(e, begin + 0.5 * h, 0.5 * h, depth + 1, msg) : st;
        }
    }
    t0 = mrn_clock();
    st = finish(e, middle, end, h, msg);
    if (st != MRN_OK)
        mrn_ns_restore(e);
    e->times.bodies += mrn_clock() - t0;
    return st;
}

/* Bodies may have been added or removed since the last step, and enter and leave by themselves. */
static mrn_status update_bodies(mrn_nonsmooth *e, mrn_message *msg)
{
    bool changed = false;
    mrn_status st = mrn_drive_update_sources(e->scene, e->state, &e->drive, &changed, msg);
    return st == MRN_OK && changed ? mrn_nonsmooth_refresh(e, msg) : st;
}

/* What this engine asks of signals besides mrn_drive_check: degrees of freedom that are imposed,
   motors, servo walls. */
static mrn_status check_imposed(const mrn_nonsmooth *e, double end, mrn_message *msg)
{
    const mrn_scene *scene = e->scene;
    const char *what = NULL, *name = "";
    mrn_instant at = {end, end - e->state->stage_time};
    for (int g = 0; g < scene->n_groups; g++)
        for (int k = 0; k < 6; k++)
            if ((scene->group[g].held >> k & 1) &&
                !isfinite(mrn_signal_value(&scene->group[g].drive[k], at, NULL)))
                what = "the drive of bodies", name = scene->group[g].name;
    for (int k = 0; k < scene->n_joints; k++)
        if (scene->joint[k].motor && !isfinite(mrn_signal_value(&scene->joint[k].speed, at, NULL)))
            what = "the motor of joint", name = scene->joint[k].name;
    for (int32_t w = 0; w < e->state->body.n_walls; w++)
        if (scene->wall[w].motion.kind == MRN_MOTION_SERVO &&
            !isfinite(mrn_drive_servo_load(scene, e->state, w, end)))
            what = "the load of wall", name = scene->wall[w].name;
    if (what == NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_EXPLODED, "%s '%s' is not a finite number at t = %g s", what, name, end);
    mrn_fail_hint(msg, "its expression has no value from then on: end the stage before, or hold it "
                       "with min, max or step");
    return MRN_EXPLODED;
}

/* Grains placed in each other are moved apart bit by bit: an overlap that could be built (a radius
   of like spheres) and shrinks is no explosion. */
static bool is_deep(const mrn_nonsmooth *e, double before)
{
    const mrn_state *s = e->state;
    bool shrinks = e->scene->nonsmooth.project && (s->step == 1 || s->max_overlap < before);
    return !(s->max_overlap < (shrinks ? 2 : 1));
}

static const char *name_of(const mrn_nonsmooth *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    return i < b->n_walls ? e->scene->wall[b->group[i]].name : e->scene->group[b->group[i]].name;
}

/* Before anything has moved it is the scene that says so. */
static mrn_status refuse_places(const mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_contacts *t = &e->state->contact;
    int64_t deepest = 0;
    for (int64_t i = 1; i < t->n; i++)
        if (t->gap[i] / t->r_eff[i] < t->gap[deepest] / t->r_eff[deepest])
            deepest = i;
    mrn_fail(msg, MRN_ERR_INPUT, "a body of '%s' is placed %.3g m deep inside one of '%s'",
             name_of(e, t->body_c[deepest]), -t->gap[deepest], name_of(e, t->body_a[deepest]));
    mrn_fail_expected(msg, "overlaps far below the size of the grains");
    return mrn_fail_hint(msg, "move one of them: no grain begins inside another, or behind a wall");
}

static mrn_status explain_overlap(const mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_state *s = e->state;
    if (s->step == 1 && s->contact.n > 0)
        return refuse_places(e, msg);
    mrn_fail(msg, MRN_EXPLODED,
             "a contact is %.3g m deep, %.3g of its effective radius, at step %lld (t = %g s)",
             s->nonsmooth.overlap_max, s->max_overlap, (long long)s->step, s->time);
    mrn_fail_expected(msg, "overlaps far below the size of the grains");
    mrn_fail_hint(msg, "use a smaller time step, or a smaller tolerance of the solver");
    return MRN_EXPLODED;
}

static mrn_status one_step(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    double h = s->h, end = s->base_time + (double)(s->step + 1 - s->base_step) * h;
    double overlap = s->max_overlap;
    mrn_status st = update_bodies(e, msg);
    if (st != MRN_OK)
        return st;
    if (s->step % MRN_WRAP_EVERY == 0)
        mrn_bodies_wrap(e->scene, s);
    mrn_vec3 gravity = mrn_load3(s->gravity);
    double drive_work = s->ledger.drive_work;
    set_fields(e, end);
    st = mrn_drive_check(e->scene, s, end, e->drive.load, msg);
    if (st == MRN_OK)
        st = check_imposed(e, end, msg);
    if (st != MRN_OK) {
        mrn_store3(s->gravity, gravity);
        s->ledger.drive_work = drive_work;
    } else
        st = advance(e, s->time, h, 0, msg);
    if (st != MRN_OK)
        return st;
    mrn_ns_cycle_keep(e);
    s->time = end;
    s->step++;
    e->times.steps++;
    e->times.body_steps += s->body.n - s->body.n_walls;
    return is_deep(e, overlap) ? explain_overlap(e, msg) : MRN_OK;
}

mrn_status mrn_nonsmooth_step(mrn_nonsmooth *e, int64_t n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t k = 0; k < n && st == MRN_OK; k++)
        st = one_step(e, msg);
    return st;
}

/* ---- what others may ask ---- */

mrn_step_times mrn_nonsmooth_times(const mrn_nonsmooth *e)
{
    return e->times;
}

const mrn_problem *mrn_nonsmooth_problem(const mrn_nonsmooth *e, const double **r)
{
    if (!e->has_problem)
        return NULL;
    if (r != NULL)
        *r = e->r;
    return &e->problem;
}

void mrn_nonsmooth_keep_unsolved(mrn_nonsmooth *e, mrn_keep_problem *write, void *user, int max)
{
    e->keep = write;
    e->keep_user = user;
    e->keep_max = max;
}

/* Bytes per entry of an array of the problem. */
static size_t entry_bytes(const mrn_nonsmooth *e, int array)
{
    switch (array) {
    case MRN_NS_HASH:
    case MRN_NS_CYCLE_HASH:
        return sizeof *e->hash;
    case MRN_NS_LAW:
        return sizeof *e->law;
    case MRN_NS_HT_VALUE:
        return (size_t)(e->width * e->dofs) * sizeof(double);
    case MRN_NS_BODY_OF_COLUMN:
    case MRN_NS_COLUMN_ROW:
    case MRN_NS_ROWS_OF:
    case MRN_NS_HT_COL:
    case MRN_NS_W_COL:
        return sizeof(int32_t);
    default: /* numbers, and begins of rows, which are as wide */
        return sizeof(double);
    }
}

size_t mrn_nonsmooth_bytes(const mrn_nonsmooth *e)
{
    size_t number = sizeof(double);
    size_t bytes =
        mrn_contact_finder_bytes(&e->finder) + mrn_contacts_bytes(&e->found) + e->work.total;
    bytes += (size_t)(e->kept_room + e->taken_room) * sizeof *e->kept;
    bytes += mrn_sleeper_bytes(&e->sleeper);
    bytes += (size_t)e->body.capacity * (5 * (size_t)e->dofs * number + 5);
    bytes += (size_t)e->press_room * sizeof *e->press;
    bytes += (size_t)e->past.capacity * (13 * number + 12);
    bytes += (size_t)e->rows_room * sizeof *e->row;
    for (int k = 0; k < MRN_NS_ARRAYS; k++)
        bytes += (size_t)e->capacity[k] * entry_bytes(e, k);
    return bytes;
}
