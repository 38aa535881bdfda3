/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its first stage to its last file. The loop goes from event to event (outputs, checks
   of end conditions, end of the stage); what happens at a step depends on the state alone, so that
   neither outputs nor interruptions nor threads change a bit of the result. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "drive/drive.h"
#include "run/parts.h"

/* Longest time without looking at the stop flag, and between checkpoints by the clock (a run that
   is killed loses no more than this; one whose next stage cannot begin loses no more than
   STAGE_CLOCK), s. */
#define PATIENCE         0.1
#define CHECKPOINT_CLOCK 600.0
#define STAGE_CLOCK      1.0

/* Difference of restitution asked for and obtained that is worth a warning. */
#define RESTITUTION_ERROR 0.02

/* Overlap seen at an output, of the effective radius, beyond which grains are hardly grains any
   more: 15 % of the radius of like spheres. */
#define SOFT_CONTACT 0.3

/* Overlap at the start, of the effective radius, that is worth a warning: beyond what stacked
 * grains at rest have. */
#define START_OVERLAP 0.05

typedef struct job {
    mrn_scene *scene;
    const mrn_run_options *opt;
    mrn_run_result *out;
    mrn_message *msg;
    mrn_state s;
    mrn_smooth *engine;
    mrn_step_limit limit;
    bool step_given;
    mrn_stage_record *record;
    mrn_stage_end end; /* of the stage under way                              */
    mrn_trajectory *trajectory;
    mrn_probe_file probes;
    int64_t resumed_at;           /* -1: from the start                                  */
    int64_t first_step;           /* of this session                                     */
    int64_t frame_step, row_step; /* steps of the last frame and probe row, -1: none */
    double clock_begin, clock_checkpoint;
    double seconds_per_step; /* running mean; NAN: not yet known                    */
    bool outputs_open;
    int threads; /* in force before the run                             */
    bool soft;   /* overlaps were told */
} job;

mrn_run_options mrn_run_default(void)
{
    return (mrn_run_options){0};
}

/* ---- warnings ---- */

static void warn(job *j, const char *fmt, ...) MRN_PRINTF(2, 3);
static void warn(job *j, const char *fmt, ...)
{
    mrn_run_result *r = j->out;
    if (r->n_warnings == (int)(sizeof r->warning / sizeof r->warning[0]))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->warning[r->n_warnings], sizeof r->warning[0], fmt, args);
    va_end(args);
    r->n_warnings++;
}

/* ---- the step against its limit ---- */

static void warn_of_step(job *j)
{
    if (j->scene->time_step > 0 && j->s.h > j->limit.advised)
        warn(j, "the time step %.3g s is above the advised %.3g s (stability limit %.3g s)", j->s.h,
             j->limit.advised, j->limit.critical);
}

/* At outputs, told once: grains too soft for what happens to them. */
static void watch_overlap(job *j)
{
    if (j->soft || !(j->s.max_overlap > SOFT_CONTACT))
        return;
    j->soft = true;
    warn(j, "at %.4g s grains overlap by %.0f %% of the effective radius: use a stiffer law",
         j->s.time, 100 * j->s.max_overlap);
}

/* At outputs: faster or nearer grains than foreseen lower the limit. Told once per stage. */
static void watch_limit(job *j)
{
    mrn_step_limit now = mrn_smooth_step_limit(j->scene, &j->s);
    if (!(j->s.h > now.critical) || j->limit.critical < j->s.h)
        return;
    warn(j, "at %.4g s the time step %.3g s came above the stability limit %.3g s: %.120s",
         j->s.time, j->s.h, now.critical, now.reason);
    j->limit.critical = now.critical;
}

/* Restitution that the chosen step does not deliver: the law is right, the step too long. */
static mrn_status try_impacts(job *j)
{
    for (int k = 0; k < j->scene->n_interactions; k++) {
        const mrn_interaction *x = &j->scene->interaction[k];
        mrn_impact impact;
        mrn_status status = mrn_run_impact(j->scene, &j->s, k, j->limit.speed, &impact, j->msg);
        if (status != MRN_OK)
            return status;
        if (impact.tried && fabs(impact.restitution - impact.asked) > RESTITUTION_ERROR)
            warn(j, "restitution of %s and %s: %.3g asked for, %.3g obtained at %.3g m/s",
                 j->scene->material[x->a].name, j->scene->material[x->b].name, impact.asked,
                 impact.restitution, impact.speed);
    }
    return MRN_OK;
}

/* ---- stages ---- */

static mrn_stage_record *record_now(job *j)
{
    return &j->record[j->s.stage];
}

static void open_record(job *j)
{
    *record_now(j) = (mrn_stage_record){.begun = true,
                                        .time_begin = j->s.stage_time,
                                        .time_end = j->s.time,
                                        .step_begin = j->s.stage_step,
                                        .step_end = j->s.step,
                                        .h = j->s.h};
}

/* Sets the clockwork of a stage that is under way: also the entry point of a resumed run. */
static void take_up_stage(job *j)
{
    mrn_stage_record *r = record_now(j);
    j->end = mrn_schedule_end(&j->scene->stage[j->s.stage], &j->s);
    j->step_given = j->scene->time_step > 0;
    if (!r->begun || r->step_begin != j->s.stage_step)
        open_record(j);
    r->ended = false;
}

/* The next stage: its changes, its step, forces anew. What another gravity does to the potential
   energy is work of the drive; what other laws and missing walls do to the stored energy the engine
   books likewise. */
static mrn_status enter_stage(job *j, int stage)
{
    mrn_state *s = &j->s;
    double before = mrn_measure_energies(j->scene, s).gravity;
    mrn_status status = mrn_scene_enter_stage(j->scene, stage, j->msg);
    if (status != MRN_OK)
        return status;
    s->ledger.drive_work += mrn_measure_energies(j->scene, s).gravity - before;
    s->stage = stage;
    s->stage_time = s->time;
    s->stage_step = s->step;
    s->kinetic_peak = 0;
    status = mrn_drive_enter_stage(j->scene, stage, s);
    if (status == MRN_OK)
        status = mrn_run_choose_step(j->scene, s, &j->limit, j->msg);
    if (status == MRN_OK)
        status = mrn_smooth_refresh(j->engine, j->msg);
    if (status != MRN_OK)
        return status;
    warn_of_step(j);
    take_up_stage(j);
    return MRN_OK;
}

static void close_record(job *j, bool ended, const char *reason)
{
    int k = j->s.stage < j->scene->n_stages ? j->s.stage : j->scene->n_stages - 1;
    mrn_stage_record *r = &j->record[k];
    r->time_end = j->s.time;
    r->step_end = j->s.step;
    r->ended = ended;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
}

/* Whether the stage is over at this step, and why. */
static bool stage_over(job *j, char *why, size_t size)
{
    const mrn_stage *g = &j->scene->stage[j->s.stage];
    bool last = j->s.step >= j->end.last;
    if ((last || mrn_schedule_check_due(&j->s)) &&
        mrn_conditions_hold(j->scene, g, &j->s, why, size))
        return true;
    if (!last)
        return false;
    snprintf(why, size, g->n_until > 0 ? "time limit: at-most %.6g s" : "duration %.6g s",
             g->at_most);
    return true;
}

/* A stage that met its limit first: done, but the user has to know. */
static void tell_limit(job *j, int stage)
{
    const mrn_stage *g = &j->scene->stage[stage];
    j->record[stage].outcome = j->out->status = MRN_AT_MOST;
    mrn_fail(j->msg, MRN_AT_MOST,
             "stage '%s' met its limit at-most %.6g s before its end condition (%s)", g->name,
             g->at_most, g->until[0].probe);
    mrn_fail_hint(j->msg, "give it more time, or a condition it can meet");
    warn(j, "%.200s", j->msg->text);
}

static void note_limit(job *j)
{
    const mrn_stage *g = &j->scene->stage[j->s.stage];
    char why[256];
    if (g->n_until > 0 && !mrn_conditions_hold(j->scene, g, &j->s, why, sizeof why))
        tell_limit(j, j->s.stage);
}

/* ---- files ---- */

static mrn_status write_frame(job *j)
{
    mrn_contacts contacts = {0};
    mrn_frame frame = {0};
    mrn_status status = MRN_OK;
    if (j->scene->output.contacts)
        status = mrn_contacts_collect(j->scene, &j->s, 0, &contacts, j->msg);
    if (status == MRN_OK)
        status = mrn_frame_from_state(j->scene, &j->s, j->scene->output.contacts ? &contacts : NULL,
                                      &frame, j->msg);
    if (status == MRN_OK)
        status = mrn_trajectory_append(j->trajectory, &frame, j->msg);
    mrn_frame_destroy(&frame);
    mrn_contacts_destroy(&contacts);
    j->frame_step = j->s.step;
    return status;
}

static mrn_status write_row(job *j)
{
    j->row_step = j->s.step;
    return mrn_probe_file_row(&j->probes, j->scene, &j->s, j->msg);
}

static mrn_status write_checkpoint(job *j)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(j->opt->out, "checkpoint.h5", path);
    j->clock_checkpoint = mrn_clock();
    /* a finished run is kept as one at the end of its last stage: it can be given a later end, or
     * more stages */
    int stage = j->s.stage;
    j->s.stage = stage < j->scene->n_stages ? stage : j->scene->n_stages - 1;
    mrn_status status = mrn_checkpoint_write(path, j->scene, &j->s, j->msg);
    j->s.stage = stage;
    return status;
}

static double probes_every(const job *j)
{
    const mrn_output *o = &j->scene->output;
    return o->probes_every > 0 ? o->probes_every : o->every;
}

/* All that is due at the present step; `all`: at the first and last instant in any case. */
static mrn_status write_outputs(job *j, bool all)
{
    if (!j->outputs_open)
        return MRN_OK;
    double begin = mrn_clock();
    mrn_status status = MRN_OK;
    bool frame = all || mrn_schedule_due(&j->s, j->scene->output.every);
    bool row = all || mrn_schedule_due(&j->s, probes_every(j));
    if (frame && j->frame_step != j->s.step)
        status = write_frame(j);
    if (status == MRN_OK && row && j->row_step != j->s.step)
        status = write_row(j);
    j->out->output_seconds += mrn_clock() - begin;
    return status;
}

/* Writes a checkpoint when the last is older than so many seconds of the clock. */
static mrn_status checkpoint_after(job *j, double seconds)
{
    if (!j->outputs_open || mrn_clock() - j->clock_checkpoint < seconds)
        return MRN_OK;
    double begin = mrn_clock();
    mrn_status status = write_checkpoint(j);
    j->out->output_seconds += mrn_clock() - begin;
    return status;
}

/* The diagonal of the box around grains and cell: infinite walls are cut there. */
static double cast_extent(const job *j)
{
    const mrn_bodies *b = &j->s.body;
    double far = 0, lo[3] = {INFINITY, INFINITY, INFINITY},
           hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], b->x[3 * (int64_t)i + k] - b->radius[i]);
            hi[k] = fmax(hi[k], b->x[3 * (int64_t)i + k] + b->radius[i]);
        }
    }
    for (int k = 0; k < 3; k++) {
        double size = hi[k] - lo[k];
        if (j->scene->cell.periodic[k])
            size = fmax(size, j->s.cell_size[k]);
        far += isfinite(size) ? size * size : 0;
    }
    return far > 0 ? sqrt(far) : 1;
}

static mrn_status open_trajectory(job *j)
{
    mrn_cast cast = {0};
    mrn_status status = mrn_cast_from_scene(j->scene, cast_extent(j), &cast, j->msg);
    if (status == MRN_OK)
        status = mrn_trajectory_create(j->opt->out, &cast, j->resumed_at >= 0 ? j->s.time : NAN,
                                       &j->trajectory, j->msg);
    mrn_cast_destroy(&cast);
    return status;
}

static mrn_status open_outputs(job *j)
{
    if (j->opt->out == NULL)
        return MRN_OK;
    mrn_status status = mrn_folder_open(j->scene, j->opt, j->msg);
    if (status == MRN_OK)
        status = mrn_probe_file_open(j->opt->out, j->scene, j->resumed_at, &j->probes, j->msg);
    if (status == MRN_OK)
        status = open_trajectory(j);
    if (status == MRN_OK) /* last: a refused resume leaves the scene that ran */
        status = mrn_folder_save_scene(j->scene, j->opt->out, j->msg);
    j->outputs_open = status == MRN_OK;
    if (j->outputs_open && j->resumed_at < 0)
        status = write_outputs(j, true);
    return status;
}

/* Ends the stage if it is over; enters the next or finishes (s.stage = n_stages). */
static mrn_status turn_page(job *j)
{
    char why[256];
    if (mrn_schedule_check_due(&j->s)) {
        mrn_energies e = mrn_measure_energies(j->scene, &j->s);
        j->s.kinetic_peak = fmax(j->s.kinetic_peak, e.kinetic + e.rotational);
    }
    if (!stage_over(j, why, sizeof why))
        return MRN_OK;
    note_limit(j);
    close_record(j, true, why);
    if (j->s.stage + 1 == j->scene->n_stages) {
        j->s.stage++;
        return MRN_OK;
    }
    /* a step given for the next stage may be refused: another can go on from here */
    bool risky = j->scene->stage[j->s.stage + 1].time_step > 0;
    mrn_status status = checkpoint_after(j, risky ? 0 : STAGE_CLOCK);
    return status == MRN_OK ? enter_stage(j, j->s.stage + 1) : status;
}

/* ---- progress ---- */

/* Steps that a stage to come takes at most, with the step of now; NAN when nothing bounds it. */
static double stage_steps(const mrn_stage *g, double h)
{
    mrn_state fresh = {.h = h};
    mrn_stage_end end = mrn_schedule_end(g, &fresh);
    return end.last < INT64_MAX ? (double)end.last : NAN;
}

static double remaining_seconds(const job *j)
{
    const mrn_state *s = &j->s;
    if (s->stage >= j->scene->n_stages)
        return 0;
    double steps = j->end.last < INT64_MAX ? (double)(j->end.last - s->step) : NAN;
    for (int k = s->stage + 1; k < j->scene->n_stages; k++)
        steps += stage_steps(&j->scene->stage[k], s->h);
    if (j->opt->max_steps > 0) /* fmin passes over a bound that is not known */
        steps = fmin(steps, (double)(j->first_step + j->opt->max_steps - s->step));
    return steps * j->seconds_per_step;
}

static void tell(job *j, bool row)
{
    if (j->opt->progress == NULL)
        return;
    const mrn_state *s = &j->s;
    bool done = s->stage >= j->scene->n_stages;
    double fraction = NAN;
    if (done)
        fraction = 1;
    else if (j->end.last < INT64_MAX)
        fraction = (double)(s->step - s->stage_step) / (double)(j->end.last - s->stage_step);
    mrn_progress p = {.scene = j->scene,
                      .state = s,
                      .stage = done ? j->scene->n_stages - 1 : s->stage,
                      .fraction = fraction,
                      .wall_seconds = mrn_clock() - j->clock_begin,
                      .remaining = remaining_seconds(j),
                      .row = row};
    j->opt->progress(&p, j->opt->user);
}

/* ---- the loop ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Steps to the next event, but no more than fit into the patience of somebody pressing Ctrl-C. */
static int64_t chunk(const job *j)
{
    const mrn_state *s = &j->s;
    const mrn_output *o = &j->scene->output;
    int64_t next = least(mrn_schedule_next_check(s), j->end.last);
    next = least(next, mrn_schedule_next(s, o->every));
    next = least(next, mrn_schedule_next(s, probes_every(j)));
    next = least(next, mrn_schedule_next(s, o->checkpoint_every));
    if (j->opt->max_steps > 0)
        next = least(next, j->first_step + j->opt->max_steps);
    int64_t n = next - s->step;
    if (!(j->seconds_per_step > 0))
        return 1;
    double patient = PATIENCE / j->seconds_per_step;
    return patient < 1 ? 1 : patient < (double)n ? (int64_t)patient : n;
}

static mrn_status step_chunk(job *j)
{
    int64_t n = chunk(j), before = j->s.step;
    double begin = mrn_clock();
    mrn_status status = mrn_smooth_step(j->engine, n, j->msg);
    int64_t made = j->s.step - before;
    double each = made > 0 ? (mrn_clock() - begin) / (double)made : NAN;
    if (isnan(j->seconds_per_step))
        j->seconds_per_step = each;
    else if (!isnan(each))
        j->seconds_per_step += 0.1 * (each - j->seconds_per_step);
    return status;
}

static bool asked_to_stop(const job *j)
{
    bool enough = j->opt->max_steps > 0 && j->s.step - j->first_step >= j->opt->max_steps;
    return enough || (j->opt->stop != NULL && *j->opt->stop != 0);
}

static mrn_status interrupt(job *j)
{
    close_record(j, false, "interrupted");
    mrn_fail(j->msg, MRN_INTERRUPTED, "stopped at step %" PRId64 ", %.6g s", j->s.step, j->s.time);
    if (j->opt->out != NULL)
        mrn_fail_hint(j->msg, "--resume goes on from here");
    return MRN_INTERRUPTED;
}

static mrn_status loop(job *j)
{
    mrn_status status = MRN_OK;
    tell(j, j->resumed_at < 0);
    /* the checkpoint may stand at the end of a stage, or be resumed with a nearer end */
    if (j->resumed_at >= 0 && j->s.stage < j->scene->n_stages)
        status = turn_page(j);
    while (status == MRN_OK && j->s.stage < j->scene->n_stages) {
        if (asked_to_stop(j))
            return interrupt(j);
        status = step_chunk(j);
        if (status != MRN_OK)
            return status;
        bool row = mrn_schedule_due(&j->s, j->scene->output.every);
        bool due = mrn_schedule_due(&j->s, j->scene->output.checkpoint_every);
        status = write_outputs(j, false);
        if (status != MRN_OK)
            return status;
        if (row) {
            watch_limit(j);
            watch_overlap(j);
        }
        status = turn_page(j);
        if (status == MRN_OK)
            status = checkpoint_after(j, due ? 0 : CHECKPOINT_CLOCK);
        if (status == MRN_OK)
            tell(j, row || j->s.stage == j->scene->n_stages);
    }
    return status;
}

/* ---- begin ---- */

static void spare_threads(const job *j)
{
    if (j->opt->spare_threads)
        mrn_threads_set(mrn_run_threads(&j->s));
}

static mrn_status restore(job *j, mrn_saved_pairs *saved)
{
    mrn_state *s = &j->s;
    char path[MRN_RUN_PATH];
    mrn_folder_path(j->opt->out, "checkpoint.h5", path);
    mrn_status status = mrn_checkpoint_read(path, j->scene, s, saved, j->msg);
    spare_threads(j);
    for (int k = 0; status == MRN_OK && k <= s->stage && k < j->scene->n_stages; k++)
        status = mrn_scene_enter_stage(j->scene, k, j->msg);
    if (status == MRN_OK)
        status = mrn_pairs_build(j->scene, s, true, j->msg);
    if (status == MRN_OK)
        status = mrn_pairs_restore(j->scene, s, saved->n, saved->width, saved->c, saved->a,
                                   saved->feature, saved->history, j->msg);
    if (status == MRN_OK)
        status = mrn_smooth_create(j->scene, s, &j->engine, j->msg);
    return status;
}

/* What was to be told about the stages before holds for the whole run. */
static void recall_stages(job *j)
{
    mrn_summary_read_stages(j->opt->out, j->scene, j->record);
    for (int k = 0; k < j->scene->n_stages; k++) {
        if (k < j->s.stage && j->record[k].outcome == MRN_AT_MOST)
            tell_limit(j, k);
    }
}

static mrn_status resume(job *j)
{
    mrn_saved_pairs saved = {0};
    mrn_status status = restore(j, &saved);
    mrn_saved_pairs_destroy(&saved);
    if (status != MRN_OK)
        return status;
    mrn_state *s = &j->s;
    j->limit = mrn_smooth_step_limit(j->scene, s);
    j->resumed_at = s->step;
    recall_stages(j);
    s->stage = s->stage < j->scene->n_stages ? s->stage : j->scene->n_stages - 1;
    take_up_stage(j);
    /* what was due was written before the checkpoint; a finished run ended with frame and row */
    char why[256];
    bool over = stage_over(j, why, sizeof why);
    if (over || s->step == 0 || mrn_schedule_due(s, j->scene->output.every))
        j->frame_step = s->step;
    if (over || s->step == 0 || mrn_schedule_due(s, probes_every(j)))
        j->row_step = s->step;
    return MRN_OK;
}

/* Grains placed in overlap are shot apart: seldom what was meant. */
static void warn_of_overlap(job *j)
{
    if (j->s.max_overlap > START_OVERLAP)
        warn(j,
             "grains overlap at the start, by up to %.0f %% of the effective radius: the %.3g J "
             "stored there will drive them apart",
             100 * j->s.max_overlap, j->s.elastic);
}

static mrn_status start(job *j)
{
    mrn_status status = mrn_run_prepare(j->scene, &j->s, &j->limit, j->msg);
    spare_threads(j);
    if (status == MRN_OK)
        status = mrn_smooth_create(j->scene, &j->s, &j->engine, j->msg);
    if (status == MRN_OK)
        status = try_impacts(j);
    if (status != MRN_OK)
        return status;
    mrn_ledger_open(j->scene, &j->s); /* what contacts store at the start was there, not put in */
    warn_of_overlap(j);
    warn_of_step(j);
    take_up_stage(j);
    return MRN_OK;
}

static mrn_status begin(job *j)
{
    if (strcmp(j->scene->method, "smooth") != 0) {
        mrn_fail(j->msg, MRN_ERR_INPUT, "there is no method '%s'", j->scene->method);
        return mrn_fail_expected(j->msg, "smooth");
    }
    mrn_status status = mrn_folder_check(j->scene, j->opt, j->msg);
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
    j->clock_checkpoint = mrn_clock();
    return status;
}

/* ---- end ---- */

static void fill_result(job *j, mrn_status status)
{
    mrn_run_result *r = j->out;
    r->status = status != MRN_OK ? status : r->status;
    r->time = j->s.time;
    r->steps = j->s.step - j->first_step;
    r->wall_seconds = mrn_clock() - j->clock_begin;
    r->times = mrn_smooth_times(j->engine);
    r->body_steps = r->times.body_steps;
    double stepping = r->times.list + r->times.forces + r->times.bodies + r->times.walls;
    r->body_steps_per_second = stepping > 0 ? (double)r->body_steps / stepping : 0;
    r->bytes_peak = mrn_bytes_peak();
    r->hash = mrn_state_hash(&j->s);
    r->energies = mrn_measure_energies(j->scene, &j->s);
}

/* The first error of the way out is told unless there was one on the way. */
static void worsen(mrn_status *status, mrn_status more)
{
    if (more < 0 && *status >= 0)
        *status = more;
}

/* Last frame and row, closing of files, checkpoint, summary. After an error or an explosion the
   checkpoint that is there stays: it is the last good one. */
static mrn_status close_outputs(job *j, mrn_status status)
{
    mrn_message late = {0}, *keep = j->msg;
    bool stopped_here = status == MRN_OK || status == MRN_EXPLODED;
    if (status == MRN_EXPLODED)
        close_record(j, false, "exploded");
    else if (status < 0)
        close_record(j, false, mrn_status_text(status));
    j->msg = &late;
    if (stopped_here)
        worsen(&status, write_outputs(j, true));
    if (status == MRN_OK || status == MRN_INTERRUPTED)
        worsen(&status, write_checkpoint(j));
    j->out->frames = mrn_trajectory_frames(j->trajectory);
    worsen(&status, mrn_trajectory_close(&j->trajectory, &late));
    worsen(&status, mrn_probe_file_close(&j->probes, &late));
    j->msg = keep;
    if (status < 0 && late.status == status)
        *j->msg = late;
    return status;
}

static mrn_status write_summary(job *j, mrn_status status)
{
    mrn_account a = {.scene = j->scene,
                     .state = &j->s,
                     .result = j->out,
                     .msg = j->msg,
                     .stage = j->record,
                     .limit = &j->limit,
                     .step_given = j->step_given,
                     .resumed_at = j->resumed_at,
                     .dir = j->opt->out};
    mrn_message late = {0};
    mrn_status written = mrn_summary_write(&a, &late);
    if (written < 0 && status >= 0) {
        *j->msg = late;
        return written;
    }
    return status;
}

static mrn_status finish(job *j, mrn_status status)
{
    bool wrote = j->outputs_open;
    if (wrote) {
        double begin_clock = mrn_clock();
        status = close_outputs(j, status);
        j->out->output_seconds += mrn_clock() - begin_clock;
    }
    if (j->engine != NULL)
        fill_result(j, status);
    j->out->status = status != MRN_OK ? status : j->out->status;
    return wrote ? write_summary(j, status) : status;
}

static void destroy(job *j)
{
    mrn_message unread;
    mrn_trajectory_close(&j->trajectory, &unread);
    mrn_probe_file_close(&j->probes, &unread);
    mrn_smooth_destroy(&j->engine);
    mrn_state_destroy(&j->s);
    mrn_free(j->record);
    mrn_threads_set(j->threads);
}

mrn_status mrn_run(mrn_scene *scene, const mrn_run_options *opt, mrn_run_result *out,
                   mrn_message *msg)
{
    mrn_message own = {0};
    mrn_run_result unread;
    job j = {.scene = scene,
             .opt = opt,
             .out = out != NULL ? out : &unread,
             .msg = msg != NULL ? msg : &own,
             .resumed_at = -1,
             .frame_step = -1,
             .row_step = -1,
             .seconds_per_step = NAN,
             .clock_begin = mrn_clock(),
             .threads = mrn_threads()};
    *j.out = (mrn_run_result){0};
    mrn_status status = begin(&j);
    if (status == MRN_OK)
        status = open_outputs(&j);
    if (status == MRN_OK)
        status = loop(&j);
    status = finish(&j, status);
    destroy(&j);
    return status != MRN_OK ? status : j.out->status;
}
