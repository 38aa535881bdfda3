/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its first stage to its last file. The loop goes from event to event (outputs, checks
   of end conditions, end of the stage); what happens at a step depends on the state alone, so that
   neither outputs nor interruptions nor threads change a bit of the result. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "drive/drive.h"
#include "engine/fingerprint.h"
#include "run/job.h"

/* Longest time without looking at the stop flag, and between checkpoints by the clock (a run that
   is killed loses no more than this; one whose next stage cannot begin loses no more than
   STAGE_CLOCK), s. A call that heeds the flag itself ends for news. */
#define RESPONSE_TIME    0.1
#define NEWS_TIME        1.0
#define CHECKPOINT_CLOCK 600.0
#define STAGE_CLOCK      1.0
#define LOOK_CLOCK       0.25

/* Difference of restitution asked for and obtained that is worth a warning. */
#define RESTITUTION_ERROR 0.02

/* Overlap at the start, of the effective radius, that is worth a warning: beyond what stacked
 * grains at rest have. */
#define START_OVERLAP 0.05

mrn_run_options mrn_run_default(void)
{
    return (mrn_run_options){0};
}

/* ---- the step against its limit ---- */

static void warn_of_step(mrn_job *j)
{
    if (!(j->scene->time_step > 0) || !(j->s.h > j->limit.advised))
        return;
    if (isfinite(j->limit.critical))
        mrn_job_warn(j, "time-step-advised", j->s.stage,
                     "the time step %.3g s is above the advised %.3g s (stability limit %.3g s)",
                     j->s.h, j->limit.advised, j->limit.critical);
    else
        /* nothing becomes unstable: what a long step spoils, overlaps and problems that are not
           solved, is watched and warned of */
        mrn_job_warn(j, "time-step-long", j->s.stage,
                     "the time step %.3g s is above the advised %.3g s: %.150s", j->s.h,
                     j->limit.advised, j->limit.reason);
}

/* Restitution that the chosen step does not deliver: the law is right, the step too long. */
static mrn_status try_impacts(mrn_job *j)
{
    const mrn_scene *scene = j->scene;
    mrn_status status =
        mrn_run_impacts(scene, &j->s, j->limit.speed, &j->impact, &j->n_impacts, j->msg);
    for (int k = 0; status == MRN_OK && k < j->n_impacts; k++) {
        const mrn_impact_row *row = &j->impact[k];
        const mrn_impact *i = &row->impact;
        const mrn_interaction *x = &scene->interaction[row->interaction];
        if (i->stuck && i->asked > RESTITUTION_ERROR)
            mrn_job_warn(
                j, "sticking", row->interaction,
                "%s and %s stick together at %.3g m/s, restitution %.3g was asked for (%s)",
                scene->material[x->a].name, scene->material[x->b].name, i->speed, i->asked,
                mrn_impact_kind_name(row->kind));
        else if (fabs(i->restitution - i->asked) > RESTITUTION_ERROR)
            mrn_job_warn(j, "restitution", row->interaction,
                         "restitution of %s and %s: %.3g asked for, %.3g obtained at %.3g m/s (%s)",
                         scene->material[x->a].name, scene->material[x->b].name, i->asked,
                         i->restitution, i->speed, mrn_impact_kind_name(row->kind));
    }
    return status;
}

/* ---- stages ---- */

static mrn_stage_record *record_now(mrn_job *j)
{
    return &j->record[j->s.stage];
}

static void open_record(mrn_job *j)
{
    *record_now(j) = (mrn_stage_record){.begun = true,
                                        .time_begin = j->s.stage_time,
                                        .time_end = j->s.time,
                                        .step_begin = j->s.stage_step,
                                        .step_end = j->s.step,
                                        .h = j->s.stage_h,
                                        .h_end = j->s.h};
}

/* Sets the clockwork of a stage that is under way: also the entry point of a resumed run. */
static void take_up_stage(mrn_job *j)
{
    mrn_stage_record *r = record_now(j);
    j->end = mrn_schedule_end(&j->scene->stage[j->s.stage], &j->s);
    j->step_given = j->scene->time_step > 0;
    if (!r->begun || r->step_begin != j->s.stage_step)
        open_record(j);
    r->ended = false;
}

/* Without inertia a stage begins in equilibrium: dynamics may have had to find it. */
static void warn_of_dynamics(mrn_job *j, double steps_before)
{
    double steps = j->s.quasistatic.smooth_steps - steps_before;
    int stage = j->s.stage < j->scene->n_stages ? j->s.stage : 0;
    if (steps > 0)
        mrn_job_warn(j, "balanced", stage,
                     "stage '%.60s' began out of balance: %.0f steps of dynamics found an "
                     "equilibrium first",
                     j->scene->stage[stage].name, steps);
}

static mrn_status enter_stage(mrn_job *j, int stage)
{
    double dynamics = j->s.quasistatic.smooth_steps;
    mrn_status status = mrn_run_enter_stage(j->scene, &j->s, &j->engine, stage, &j->limit, j->msg);
    j->last_residual = NAN;
    if (status != MRN_OK)
        return status;
    warn_of_dynamics(j, dynamics);
    warn_of_step(j);
    take_up_stage(j);
    return mrn_watch_keep(j, true);
}

static void close_record(mrn_job *j, bool ended, const char *reason)
{
    int k = j->s.stage < j->scene->n_stages ? j->s.stage : j->scene->n_stages - 1;
    mrn_stage_record *r = &j->record[k];
    r->time_end = j->s.time;
    r->step_end = j->s.step;
    r->h_end = j->s.h;
    r->ended = ended;
    mrn_servo_look(j->scene, &j->s, r);
    snprintf(r->reason, sizeof r->reason, "%s", reason);
}

static void warn_of_servos(mrn_job *j, int stage)
{
    const mrn_stage_record *r = &j->record[stage];
    const mrn_stage *next = stage + 1 < j->scene->n_stages ? &j->scene->stage[stage + 1] : NULL;
    for (int i = 0; i < r->n_servos; i++) {
        const mrn_servo_record *s = &r->servo[i];
        if (mrn_servo_missed(r, &j->s.servos, i) && !(next != NULL && mrn_servo_goes_on(s, next)))
            mrn_job_warn(j, "servo", MRN_SERVO_MAX * stage + i,
                         "stage '%.60s' ended with %.60s at %.4g %s, %.4g asked for",
                         j->scene->stage[stage].name, s->name, s->obtained, s->unit, s->asked);
    }
}

/* Tolerance above which grains at rest creep: a balance of forces then tells little. */
#define LOOSE 1e-4

static void warn_of_creep(mrn_job *j, int stage)
{
    const mrn_stage *g = &j->scene->stage[stage];
    double tolerance = mrn_solving_of(j->scene, &j->s).tolerance;
    bool balance = false;
    for (int i = 0; i < g->n_until; i++)
        balance |= strcmp(g->until[i].probe, "unbalanced-force-ratio") == 0;
    if (balance && tolerance > LOOSE)
        mrn_job_warn(j, "creep", stage,
                     "stage '%.60s' waits for a balance of forces with a tolerance of %.2g: grains "
                     "at rest creep on at more than %.2g, and go on settling",
                     g->name, tolerance, LOOSE);
}

/* Whether the stage is over at this step, and why. */
static bool stage_over(mrn_job *j, char *why, size_t size)
{
    const mrn_stage *g = &j->scene->stage[j->s.stage];
    bool last = j->s.step >= j->end.last;
    if ((last || (j->may_end && mrn_schedule_check_due(j->scene, &j->s))) &&
        mrn_conditions_hold(j->scene, g, &j->s, why, size))
        return true;
    if (!last)
        return false;
    snprintf(why, size, g->n_until > 0 ? "time limit: at-most %.6g s" : "duration %.6g s",
             g->at_most);
    return true;
}

/* A stage that met its limit first: done, but the user has to know. */
static void tell_limit(mrn_job *j, int stage)
{
    const mrn_stage *g = &j->scene->stage[stage];
    j->record[stage].outcome = j->out->status = MRN_AT_MOST;
    mrn_fail(j->msg, MRN_AT_MOST,
             "stage '%s' met its limit at-most %.6g s before its end condition (%s)", g->name,
             g->at_most, g->until[0].probe);
    mrn_fail_hint(j->msg, "give it more time, or a condition it can meet");
    mrn_job_warn(j, "at-most", stage, "%.200s", j->msg->text);
}

static void note_limit(mrn_job *j)
{
    const mrn_stage *g = &j->scene->stage[j->s.stage];
    char why[256];
    if (g->n_until > 0 && !mrn_conditions_hold(j->scene, g, &j->s, why, sizeof why))
        tell_limit(j, j->s.stage);
}

/* What is looked at every so many steps: the ledger, and more seldom the step. The end of a stage
   is always looked at: what is written then must be numbers. */
static mrn_status look(mrn_job *j)
{
    bool due = mrn_schedule_check_due(j->scene, &j->s);
    if ((!due && j->s.step < j->end.last) || !j->scene->method->physical_time)
        return MRN_OK;
    mrn_energies e;
    mrn_status status = mrn_engine_energies(&j->engine, &e, j->msg);
    if (status != MRN_OK)
        return status;
    if (!due)
        return mrn_watch_finite(j, &e);
    j->s.kinetic_peak = fmax(j->s.kinetic_peak, e.kinetic + e.rotational);
    mrn_servo_follow(j->scene, &j->s, &j->record[j->s.stage]);
    status = mrn_watch_energy(j, &e);
    mrn_message later = {0};
    if (status != MRN_OK) /* what is told of the end is told of the state of now */
        mrn_engine_sync(&j->engine, &later);
    bool changed = false;
    if (status == MRN_OK && mrn_schedule_recheck_due(j->scene, &j->s))
        status = mrn_watch_step(j, &changed);
    if (changed)
        j->end = mrn_schedule_end(&j->scene->stage[j->s.stage], &j->s);
    return status;
}

/* ---- progress ---- */

/* Steps that a stage to come takes at most, with the step of now; NAN when nothing bounds it. */
static double stage_steps(const mrn_stage *g, double h)
{
    mrn_state fresh = {.h = h};
    mrn_stage_end end = mrn_schedule_end(g, &fresh);
    return end.last < INT64_MAX ? (double)end.last : NAN;
}

static double remaining_seconds(const mrn_job *j)
{
    const mrn_state *s = &j->s;
    if (s->stage >= j->scene->n_stages)
        return 0;
    double steps = j->end.last < INT64_MAX ? (double)(j->end.last - s->step) : NAN;
    for (int k = s->stage + 1; k < j->scene->n_stages; k++)
        steps += stage_steps(&j->scene->stage[k], s->h);
    if (j->stop_step < INT64_MAX) /* fmin passes over a bound that is not known */
        steps = fmin(steps, (double)(j->stop_step - s->step));
    return steps * j->seconds_per_step;
}

static mrn_progress progress_now(const mrn_job *j)
{
    const mrn_state *s = &j->s;
    bool done = s->stage >= j->scene->n_stages;
    double fraction = NAN;
    if (done)
        fraction = 1;
    else if (j->end.last < INT64_MAX)
        fraction = (double)(s->step - s->stage_step) / (double)(j->end.last - s->stage_step);
    return (mrn_progress){.scene = j->scene,
                          .state = s,
                          .stage = done ? j->scene->n_stages - 1 : s->stage,
                          .fraction = fraction,
                          .wall_seconds = mrn_clock() - j->clock_begin,
                          .remaining = remaining_seconds(j)};
}

/* Whoever is told may look at the bodies. From a device they come back when there is news, and else
   some times a second. */
static mrn_status tell(mrn_job *j, bool row)
{
    const mrn_method *at_work = j->engine.method;
    bool far = at_work->sync != NULL && !at_work->prompt;
    if (j->opt->progress == NULL || (far && !row && mrn_clock() - j->clock_told < LOOK_CLOCK))
        return MRN_OK;
    mrn_status status = mrn_engine_look(&j->engine, j->msg);
    if (status != MRN_OK)
        return status;
    j->clock_told = mrn_clock();
    mrn_progress p = progress_now(j);
    p.row = row;
    j->opt->progress(&p, j->opt->user);
    return MRN_OK;
}

static void give_sample(const mrn_job *j, bool row, bool ended)
{
    if (j->opt->sample == NULL || !(row || ended))
        return;
    mrn_progress p = progress_now(j);
    p.row = row;
    p.ended = ended;
    j->opt->sample(&p, j->opt->user);
}

/* ---- from stage to stage ---- */

/* Ends the stage if it is over; enters the next or finishes (s.stage = n_stages). */
static mrn_status change_stage(mrn_job *j)
{
    char why[256];
    mrn_status status = look(j);
    if (status != MRN_OK || !stage_over(j, why, sizeof why))
        return status;
    note_limit(j);
    close_record(j, true, why);
    warn_of_servos(j, j->s.stage);
    warn_of_creep(j, j->s.stage);
    give_sample(j, false, true);
    if (j->s.stage + 1 == j->scene->n_stages) {
        j->s.stage++;
        return MRN_OK;
    }
    /* a step given for the next stage may be refused: another can go on from here */
    bool risky = j->scene->stage[j->s.stage + 1].time_step > 0;
    status = mrn_outputs_checkpoint_after(j, risky ? 0 : STAGE_CLOCK);
    j->entering = true;
    if (status == MRN_OK)
        status = enter_stage(j, j->s.stage + 1);
    j->entering = status != MRN_OK;
    return status;
}

/* ---- the loop ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Steps to the next event, but no more than fit into the time that somebody waits pressing Ctrl-C,
   or for news where that is heeded within a call. */
static int64_t chunk(const mrn_job *j)
{
    const mrn_state *s = &j->s;
    const mrn_output *o = &j->scene->output;
    int64_t next = least(mrn_schedule_next_check(j->scene, s), j->end.last);
    next = least(next, mrn_schedule_next(s, o->every));
    next = least(next, mrn_schedule_next(s, mrn_outputs_probes_every(j)));
    next = least(next, mrn_schedule_next(s, mrn_outputs_fields_every(j)));
    next = least(next, mrn_schedule_next(s, o->checkpoint_every));
    next = least(next, j->stop_step);
    next = least(next, mrn_problems_next(j));
    int64_t n = next - s->step;
    if (!(j->seconds_per_step > 0))
        return 1;
    double wait = j->engine.method->prompt ? NEWS_TIME : RESPONSE_TIME;
    double fit = wait / j->seconds_per_step;
    return fit < 1 ? 1 : fit < (double)n ? (int64_t)fit : n;
}

static mrn_status step_chunk(mrn_job *j)
{
    int64_t n = chunk(j), before = j->s.step;
    double begin = mrn_clock(), until = mrn_schedule_time(&j->s, before + n);
    mrn_status status = mrn_engine_advance(&j->engine, until, n, j->msg);
    int64_t made = j->s.step - before;
    double each = made > 0 ? (mrn_clock() - begin) / (double)made : NAN;
    /* a tick of a method without steps costs nothing by itself: the last cost is the best guess */
    if (isnan(j->seconds_per_step) || (j->scene->method->continuous && !isnan(each)))
        j->seconds_per_step = each;
    else if (!isnan(each))
        j->seconds_per_step += 0.1 * (each - j->seconds_per_step);
    return status;
}

static bool asked_to_stop(const mrn_job *j)
{
    return j->s.step >= j->stop_step || (j->opt->stop != NULL && *j->opt->stop != 0);
}

static mrn_status interrupt(mrn_job *j)
{
    mrn_status synced = mrn_engine_sync(&j->engine, j->msg);
    if (synced != MRN_OK)
        return synced;
    close_record(j, false, "interrupted");
    mrn_fail(j->msg, MRN_INTERRUPTED, "stopped at step %" PRId64 ", %.6g s", j->s.step, j->s.time);
    if (j->opt->out != NULL)
        mrn_fail_hint(j->msg, "--resume goes on from here");
    return MRN_INTERRUPTED;
}

/* Whether the stage may be over now. Conditions on time and energies tell most often that it is
   not, without a look at contacts, for which the engine would have to put back all that it holds.
 */
static mrn_status ask_for_end(mrn_job *j)
{
    const mrn_method *at_work = j->engine.method;
    bool due = !j->end.exact && mrn_schedule_check_due(j->scene, &j->s);
    mrn_energies e;
    j->may_end = true;
    if (!due || at_work->energies == NULL)
        return MRN_OK;
    mrn_status status = mrn_engine_energies(&j->engine, &e, j->msg);
    if (status == MRN_OK)
        j->may_end = !mrn_conditions_forbid(j->scene, &j->scene->stage[j->s.stage], &j->s, &e);
    return status;
}

/* Whether more of the state is looked at now than places and velocities of bodies. */
static bool is_looked_at(const mrn_job *j)
{
    const mrn_state *s = &j->s;
    const mrn_output *o = &j->scene->output;
    return mrn_schedule_due(s, o->every) || mrn_schedule_due(s, o->checkpoint_every) ||
           mrn_schedule_due(s, mrn_outputs_probes_every(j)) ||
           mrn_schedule_due(s, mrn_outputs_fields_every(j)) ||
           mrn_schedule_recheck_due(j->scene, s) || s->step >= j->end.last ||
           (!j->end.exact && j->may_end && mrn_schedule_check_due(j->scene, s)) || asked_to_stop(j);
}

/* All that belongs to one event, after its steps. */
static mrn_status after_chunk(mrn_job *j)
{
    bool row = mrn_schedule_due(&j->s, j->scene->output.every);
    bool due = mrn_schedule_due(&j->s, j->scene->output.checkpoint_every);
    mrn_status status = ask_for_end(j);
    bool looked_at = is_looked_at(j);
    if (status == MRN_OK && looked_at)
        status = mrn_engine_sync(&j->engine, j->msg);
    if (status == MRN_OK && looked_at)
        status = mrn_watch_bodies(j);
    if (status == MRN_OK)
        status = mrn_problems_write(j);
    if (status == MRN_OK)
        status = mrn_outputs_write(j, false);
    if (status != MRN_OK)
        return status;
    if (row || mrn_schedule_recheck_due(j->scene, &j->s))
        mrn_watch_state(j);
    give_sample(j, mrn_schedule_due(&j->s, mrn_outputs_probes_every(j)), false);
    status = change_stage(j);
    if (status == MRN_OK && j->s.stage < j->scene->n_stages)
        status = mrn_watch_keep(j, false);
    if (status == MRN_OK)
        status = mrn_outputs_checkpoint_after(j, due ? 0 : CHECKPOINT_CLOCK);
    if (status == MRN_OK)
        status = tell(j, row || j->s.stage == j->scene->n_stages);
    return status;
}

mrn_status mrn_job_advance(mrn_job *j)
{
    mrn_status status = MRN_OK;
    while (status == MRN_OK && j->s.stage < j->scene->n_stages) {
        if (asked_to_stop(j))
            return interrupt(j);
        status = step_chunk(j);
        if (status == MRN_OK)
            status = after_chunk(j);
    }
    if (status == MRN_INTERRUPTED) /* within an increment, or as a stage began */
        return interrupt(j);
    return status;
}

static mrn_status loop(mrn_job *j)
{
    mrn_status status = mrn_watch_keep(j, true);
    if (status == MRN_OK)
        status = tell(j, j->resumed_at < 0);
    give_sample(j, j->resumed_at < 0, false);
    /* the checkpoint may stand at the end of a stage, or be resumed with a nearer end */
    j->may_end = true;
    if (status == MRN_OK && j->resumed_at >= 0 && j->s.stage < j->scene->n_stages)
        status = change_stage(j);
    return status == MRN_OK ? mrn_job_advance(j) : status;
}

/* ---- begin ---- */

static void adapt_threads(const mrn_job *j)
{
    if (j->opt->adapt_threads)
        mrn_threads_set(mrn_run_threads(j->scene, &j->s));
}

/* What was lent goes back. */
static void return_lists(mrn_job *j)
{
    for (int k = 0; j->given != NULL && k < j->own.n_groups && j->own.group != NULL; k++)
        j->own.group[k].grain = NULL;
    j->given = NULL;
}

/* The size of a group is that of its largest grain: later stages check their cell against it. */
static void note_largest(mrn_group *g)
{
    double most = 0;
    for (int64_t i = 0; i < g->n_grains; i++)
        most = fmax(most, g->grain[i].radius);
    if (g->n_grains == 0)
        return;
    mrn_free(g->size.sieve_radius);
    mrn_free(g->size.sieve_passing);
    g->size = (mrn_size){.kind = MRN_SIZE_CONSTANT, .mean = most};
}

/* Nobody places grains again: what checkpoints know of long lists is noted, and they go. */
static mrn_status forget_lists(mrn_job *j)
{
    mrn_scene *spent = j->opt->spent;
    if (j->given == NULL)
        return MRN_OK;
    mrn_status status = mrn_fingerprint_keep_groups(&j->own, j->msg);
    for (int k = 0; k < j->own.n_groups; k++)
        note_largest(&j->own.group[k]);
    return_lists(j);
    for (int k = 0; spent != NULL && k < spent->n_groups; k++) {
        mrn_free(spent->group[k].grain);
        spent->group[k].grain = NULL;
    }
    return status;
}

static mrn_status restore(mrn_job *j)
{
    mrn_state *s = &j->s;
    mrn_status status = mrn_outputs_read_checkpoint(j->opt, j->scene, s, j->msg);
    if (status == MRN_OK)
        status = forget_lists(j);
    adapt_threads(j);
    for (int k = 0; status == MRN_OK && k <= s->stage && k < j->scene->n_stages; k++)
        status = mrn_scene_enter_stage(j->scene, k, j->msg);
    if (status == MRN_OK && !j->scene->method->continuous)
        status = mrn_pairs_build(j->scene, s, true, j->msg);
    if (status == MRN_OK)
        status = mrn_engine_create(j->scene, s, j->opt->stop, &j->engine, j->msg);
    j->engine.lazy = true;
    return status;
}

/* What is different from here on, by the user's wish: forces of now, the work it takes, the step,
   and a word about it. */
static mrn_status change_on_resume(mrn_job *j)
{
    mrn_state *s = &j->s;
    double before = mrn_measure_energies(j->scene, s).gravity;
    mrn_drive_walls(j->scene, s, s->time, s->time);
    mrn_drive_gravity(j->scene, s, s->time);
    s->ledger.drive_work += mrn_measure_energies(j->scene, s).gravity - before;
    mrn_status status = mrn_run_choose_step(j->scene, s, &j->limit, j->msg);
    if (status == MRN_OK)
        status = mrn_engine_refresh(&j->engine, j->msg);
    char list[160] = "";
    for (int i = 0; i < j->opt->n_change; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", j->opt->change[i]);
    }
    mrn_job_warn(j, "changed", (int)(s->step & 0x7fffffff),
                 "resumed with other %s from step %lld on: the run is no longer one scene (the one "
                 "before: scene-until-%lld.yaml)",
                 list, (long long)s->step, (long long)s->step);
    return status;
}

/* What was to be stated about the stages before holds for the whole run. */
static void recall_stages(mrn_job *j)
{
    mrn_summary_recall(j->opt->out, j->scene, j->s.step, j->record, j->out);
    for (int k = 0; k < j->scene->n_stages; k++) {
        if (k < j->s.stage && j->record[k].outcome == MRN_AT_MOST)
            tell_limit(j, k);
    }
}

static mrn_status resume(mrn_job *j)
{
    mrn_status status = restore(j);
    if (status != MRN_OK)
        return status;
    mrn_state *s = &j->s;
    j->limit = mrn_engine_step_limit(j->scene, s);
    j->resumed_at = s->step;
    /* a step given anew, after the old one was refused */
    if (j->scene->time_step > 0 && j->scene->time_step != s->h)
        status = mrn_run_set_step(s, j->scene->time_step, j->msg);
    if (status != MRN_OK)
        return status;
    recall_stages(j);
    s->stage = s->stage < j->scene->n_stages ? s->stage : j->scene->n_stages - 1;
    if (j->opt->n_change > 0)
        status = change_on_resume(j);
    if (status != MRN_OK)
        return status;
    take_up_stage(j);
    /* what was due was written before the checkpoint; a finished run ended with frame and row */
    char why[256];
    bool over = stage_over(j, why, sizeof why);
    if (over || s->step == 0 || mrn_schedule_due(s, j->scene->output.every))
        j->frame_step = s->step;
    if (over || s->step == 0 || mrn_schedule_due(s, mrn_outputs_probes_every(j)))
        j->row_step = s->step;
    if (over || s->step == 0 || mrn_schedule_due(s, mrn_outputs_fields_every(j)))
        j->field_step = s->step;
    return MRN_OK;
}

/* Grains placed in overlap are shot apart: seldom what was meant. Rigid ones are moved apart, or
   stay as they are. */
static void warn_of_overlap(mrn_job *j)
{
    const mrn_solving n = mrn_solving_of(j->scene, &j->s);
    double rigid = mrn_watch_overlap(j, n.overlap);
    if (j->scene->method->rigid_contacts && fmax(rigid, j->s.max_overlap) > START_OVERLAP)
        mrn_job_warn(j, "start-overlap", 0,
                     "grains overlap at the start, by up to %.0f %% of the radius: %s",
                     100 * fmax(rigid, j->s.max_overlap),
                     n.takes_out ? "they will be moved apart, which lifts some"
                                 : "rigid grains stay in overlap until they part");
    else if (j->s.max_overlap > START_OVERLAP)
        mrn_job_warn(j, "start-overlap", 0,
                     "grains overlap at the start, by up to %.0f %% of the effective radius: the "
                     "%.3g J stored there will drive them apart",
                     100 * j->s.max_overlap, j->s.elastic);
}

static mrn_status start(mrn_job *j)
{
    mrn_status status = mrn_run_prepare(j->scene, &j->s, &j->limit, j->msg);
    if (status == MRN_OK)
        status = forget_lists(j);
    adapt_threads(j);
    if (status == MRN_OK)
        status = mrn_engine_create(j->scene, &j->s, j->opt->stop, &j->engine, j->msg);
    j->engine.lazy = true;
    if (status == MRN_OK)
        status = try_impacts(j);
    if (status != MRN_OK)
        return status;
    mrn_ledger_open(j->scene, &j->s); /* what contacts store at the start was there, not put in */
    warn_of_dynamics(j, 0);
    warn_of_overlap(j);
    warn_of_step(j);
    take_up_stage(j);
    return MRN_OK;
}

mrn_status mrn_job_begin(mrn_job *j)
{
    mrn_status status = mrn_folder_lock(j->opt->out, &j->lock, j->msg);
    if (status == MRN_OK)
        status = mrn_folder_check(j->scene, j->opt, j->msg);
    if (status == MRN_OK)
        status = mrn_problems_check(j);
    if (status == MRN_OK)
        status = mrn_array(&j->record, j->scene->n_stages, sizeof *j->record, j->msg);
    /* before the first stage may replace the list of probes */
    if (status == MRN_OK && j->opt->out != NULL)
        status = mrn_probe_file_columns(j->scene, &j->probes, j->msg);
    if (status != MRN_OK)
        return status;
    mrn_bytes_peak_reset();
    status = j->opt->resume && j->opt->out != NULL ? resume(j) : start(j);
    j->first_step = j->s.step;
    j->stop_step = j->opt->max_steps > 0 ? j->s.step + j->opt->max_steps : INT64_MAX;
    j->clock_checkpoint = mrn_clock();
    return status;
}

/* ---- end ---- */

static void keep_line(void *user, const mrn_report_item *item)
{
    mrn_run_result *r = user;
    if (item->kind != MRN_REPORT_LINE || r->n_lines == MRN_RUN_LINES)
        return;
    mrn_run_line *l = &r->line[r->n_lines++];
    snprintf(l->label, sizeof l->label, "%s", item->key);
    snprintf(l->text, sizeof l->text, "%s", item->text);
}

static void fill_lines(mrn_job *j)
{
    const mrn_report_sink to = {keep_line, j->out};
    j->out->n_lines = 0;
    for (int m = 0; m < mrn_method_count(); m++)
        if (mrn_method_at(m)->report != NULL)
            mrn_method_at(m)->report(j->scene, &j->s, &to);
}

static void fill_result(mrn_job *j, mrn_status status)
{
    mrn_run_result *r = j->out;
    r->status = status != MRN_OK ? status : r->status;
    r->time = j->s.time;
    r->steps = j->s.step - j->first_step;
    r->wall_seconds = mrn_clock() - j->clock_begin;
    r->times = mrn_engine_times(&j->engine);
    r->body_steps = r->times.body_steps;
    double stepping = 0;
    for (int k = 0; k < MRN_STEP_PARTS; k++)
        stepping += mrn_step_part_seconds(&r->times, (mrn_step_part)k);
    r->body_steps_per_second = stepping > 0 ? (double)r->body_steps / stepping : 0;
    r->bytes_peak = mrn_bytes_peak();
    r->hash = mrn_state_hash(&j->s);
    r->energies = mrn_measure_energies(j->scene, &j->s);
    fill_lines(j);
}

/* The first error of the way out is stated unless there was one on the way. */
static void worsen(mrn_status *status, mrn_status more)
{
    if (more < 0 && *status >= 0)
        *status = more;
}

/* Last frame and row, closing of files, checkpoint, summary. After an error or an explosion the
   checkpoint that is there stays: it is the last good one. */
static mrn_status close_outputs(mrn_job *j, mrn_status status)
{
    mrn_message late = {0}, *keep = j->msg;
    /* stopped with a state that is good */
    bool stiff = (status == MRN_TOO_STIFF || status == MRN_NOT_CONVERGED) && !j->entering;
    bool stopped_here = status == MRN_OK || status == MRN_EXPLODED || stiff;
    if (status == MRN_EXPLODED)
        mrn_watch_explain(j);
    if (status == MRN_EXPLODED || stiff || status < 0)
        close_record(j, false, mrn_status_text(status));
    j->msg = &late;
    if (stopped_here && mrn_watch_bodies(j) == MRN_OK)
        worsen(&status, mrn_outputs_write(j, true));
    if (status == MRN_OK || status == MRN_INTERRUPTED || stiff)
        worsen(&status, mrn_outputs_checkpoint(j));
    worsen(&status, mrn_writer_wait(j->writer, &late));
    j->out->frames = mrn_trajectory_frames(j->trajectory);
    worsen(&status, mrn_outputs_close(j, &late));
    j->msg = keep;
    if (status < 0 && late.status == status)
        *j->msg = late;
    return status;
}

static mrn_status write_summary(mrn_job *j, mrn_status status)
{
    mrn_account a = {.scene = j->scene,
                     .state = &j->s,
                     .result = j->out,
                     .msg = j->msg,
                     .stage = j->record,
                     .limit = &j->limit,
                     .step_given = j->step_given,
                     .resumed_at = j->resumed_at,
                     .dir = j->opt->out,
                     .impact = j->impact,
                     .n_impacts = j->n_impacts};
    mrn_message late = {0};
    mrn_status written = mrn_summary_write(&a, &late);
    if (written < 0 && status >= 0) {
        *j->msg = late;
        return written;
    }
    return status;
}

static mrn_status finish(mrn_job *j, mrn_status status)
{
    bool wrote = j->outputs_open;
    mrn_watch_solver(j);
    if (wrote) {
        double begin_clock = mrn_clock();
        status = close_outputs(j, status);
        j->out->output_seconds += mrn_clock() - begin_clock;
    }
    if (j->engine.self != NULL)
        fill_result(j, status);
    j->out->status = status != MRN_OK ? status : j->out->status;
    return wrote ? write_summary(j, status) : status;
}

void mrn_job_destroy(mrn_job *j)
{
    mrn_message unread;
    mrn_outputs_close(j, &unread);
    mrn_folder_unlock(&j->lock);
    mrn_engine_destroy(&j->engine);
    mrn_state_destroy(&j->s);
    mrn_state_destroy(&j->good);
    mrn_free(j->record);
    mrn_free(j->impact);
    return_lists(j);
    mrn_scene_destroy(&j->own);
    mrn_threads_set(j->threads);
}

/* Spheres or disks with their radii, none of them turned: all that a list tells stands in the
   bodies once they are placed. */
static bool is_plain(const mrn_scene *scene, const mrn_group *g)
{
    bool plain = g->n_grains == 0 ||
                 (g->grain != NULL && scene->shape[g->shape].type->kind == MRN_GRAIN_BALL);
    for (int64_t i = 0; plain && i < g->n_grains; i++) {
        mrn_quat q = g->grain[i].q;
        plain = !isnan(g->grain[i].radius) && q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0;
    }
    return plain;
}

/* Long lists of plain grains, which are looked at once and may be most of a scene, are not copied
   but lent, until forget_lists. */
static bool are_lent(const mrn_scene *scene)
{
    enum { LONG = 1000, STAGES = 32 };
    int64_t listed = 0;
    for (int k = 0; k < scene->n_groups; k++) {
        if (!is_plain(scene, &scene->group[k]))
            return false;
        listed += scene->group[k].n_grains;
    }
    return listed > LONG && scene->n_stages <= STAGES;
}

static mrn_status copy_lending(mrn_job *j, const mrn_scene *scene)
{
    mrn_scene lean = *scene;
    lean.group = NULL;
    mrn_status status =
        mrn_duplicate(&lean.group, scene->group, scene->n_groups, sizeof *lean.group, j->msg);
    for (int k = 0; status == MRN_OK && k < scene->n_groups; k++)
        lean.group[k].grain = NULL;
    if (status == MRN_OK)
        status = mrn_scene_copy(&lean, &j->own, j->msg);
    for (int k = 0; status == MRN_OK && k < scene->n_groups; k++)
        j->own.group[k].grain = scene->group[k].grain;
    j->given = scene;
    mrn_free(lean.group);
    return status;
}

mrn_status mrn_job_init(mrn_job *j, const mrn_scene *scene, const mrn_run_options *opt,
                        mrn_run_result *out, mrn_message *msg)
{
    *out = (mrn_run_result){0};
    *j = (mrn_job){.opt = opt,
                   .out = out,
                   .msg = msg,
                   .lock = -1,
                   .resumed_at = -1,
                   .frame_step = -1,
                   .row_step = -1,
                   .field_step = -1,
                   .stop_step = INT64_MAX,
                   .seconds_per_step = NAN,
                   .last_residual = NAN,
                   .clock_begin = mrn_clock(),
                   .threads = mrn_threads()};
    mrn_status status =
        are_lent(scene) ? copy_lending(j, scene) : mrn_scene_copy(scene, &j->own, msg);
    if (status == MRN_OK && j->own.pair_of == NULL)
        status = mrn_scene_prepare(&j->own, msg);
    if (status == MRN_OK)
        j->scene = &j->own;
    else {
        return_lists(j);
        mrn_scene_destroy(&j->own);
    }
    return status;
}

/* Grains are placed, and equilibria looked for, under the limits of the run. */
typedef struct overseer {
    mrn_long_work before;
    volatile const int *stop;
} overseer;

static bool oversee(void *user, const char *what, double done)
{
    const overseer *o = user;
    return (o->stop != NULL && *o->stop != 0) ||
           (o->before.tell != NULL && o->before.tell(o->before.user, what, done));
}

mrn_status mrn_run(const mrn_scene *scene, const mrn_run_options *opt, mrn_run_result *out,
                   mrn_message *msg)
{
    mrn_message own = {0};
    mrn_run_result unread;
    mrn_job j;
    mrn_status status =
        mrn_job_init(&j, scene, opt, out != NULL ? out : &unread, msg != NULL ? msg : &own);
    if (status != MRN_OK)
        return j.out->status = status;
    overseer o = {.stop = opt->stop};
    o.before = mrn_long_work_set((mrn_long_work){oversee, &o, opt->max_steps});
    status = mrn_job_begin(&j);
    if (status == MRN_OK)
        status = mrn_outputs_open(&j);
    if (status == MRN_OK)
        status = loop(&j);
    status = finish(&j, status);
    mrn_long_work_set(o.before);
    mrn_job_destroy(&j);
    return status != MRN_OK ? status : j.out->status;
}
