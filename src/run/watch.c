/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is watched while a run goes: the time step against what the contacts allow now, the ledger,
   overlaps, inlets. All of it is a function of the state, so that a resumed run decides the same;
   none of it changes a bit of a run that is well. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "detect/list.h"
#include "drive/drive.h"
#include "run/job.h"

/* A computed step shrinks when it is longer than the advised one by a quarter, and then to a little
   less than advised, so that a slowly growing load does not shrink it at every look. */
#define SHRINK_BELOW 0.8
#define SHRINK_TO    0.9
/* It never becomes shorter than this part of the step the stage began with: what asks for less is
   an explosion, and should end as one. */
#define LEAST_STEP 0.01
/* Part of the stability limit from which a given step is reported. */
#define CLOSE_TO_LIMIT 0.7

/* Part of the smallest radius that a rigid grain may go in a step. */
#define FAR_IN_A_STEP 0.5

/* Bodies that are worth threads. */
enum { MANY = 8192 };

/* Overlap of rigid grains, of the mean radius, that is reported; and one that looks ill. */
#define RIGID_OVERLAP 0.01
#define RIGID_ILL     0.2

/* Energy out of nothing, as part of all energy that is there or went through: worth a warning, and
   an explosion when it also grew tenfold since the check before. Integration of a resolved contact
   errs by less than a thousandth; an unstable step grows by orders of magnitude within one check.
 */
#define CREATED_REPORTED 0.05
/* Of elastic grains either sign counts, from four times what a settling bed lacks with the longest
   step of `accuracy` on (0.25 %, model/accuracy.c): more comes of contacts that stiffen between two
   looks at the step. */
#define UNEXPLAINED    0.01
#define CREATED_MOST   0.9
#define CREATED_GROWTH 10

/* A copy of the state is kept every so many steps: copying takes about as long as a step or two. */
#define KEEP_EVERY 2000
#define KEEP_BYTES ((size_t)64 << 20)
/* A state that looks ill is not kept as a good one, unless the kept one is as old as this. */
#define KEEP_OLDEST (10 * KEEP_EVERY)

static mrn_warning *find_warning(mrn_run_result *r, const char *kind, int key)
{
    for (int i = 0; i < r->n_warnings; i++)
        if (r->warning[i].key == key && strcmp(r->warning[i].kind, kind) == 0)
            return &r->warning[i];
    return NULL;
}

/* A warning with its kind and instant; NULL: there is no room for more. */
static mrn_warning *new_warning(mrn_job *j, const char *kind, int key)
{
    mrn_run_result *r = j->out;
    if (r->n_warnings == MRN_WARNING_MAX)
        return NULL;
    mrn_warning *w = &r->warning[r->n_warnings++];
    *w = (mrn_warning){.key = key, .step = j->s.step, .time = j->s.time, .count = 1};
    snprintf(w->kind, sizeof w->kind, "%s", kind);
    return w;
}

/* Once, with the numbers of the last time: for what grows while a run goes. */
MRN_PRINTF(3, 4) static void tell_latest(mrn_job *j, const char *kind, const char *fmt, ...)
{
    mrn_warning *w = find_warning(j->out, kind, 0);
    w = w != NULL ? w : new_warning(j, kind, 0);
    if (w == NULL)
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(w->text, sizeof w->text, fmt, args);
    va_end(args);
}

void mrn_job_warn(mrn_job *j, const char *kind, int key, const char *fmt, ...)
{
    mrn_warning *w = find_warning(j->out, kind, key);
    if (w != NULL) {
        w->count++;
        return;
    }
    w = new_warning(j, kind, key);
    if (w == NULL)
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(w->text, sizeof w->text, fmt, args);
    va_end(args);
}

/* ---- time step ---- */

static mrn_status watch_given(mrn_job *j, const mrn_step_limit *now)
{
    double h = j->s.h;
    if (h > now->critical) {
        mrn_fail(j->msg, MRN_TOO_STIFF,
                 "at %.6g s the given time step %.4g s came above the stability limit %.4g s (%s)",
                 j->s.time, h, now->critical, now->reason);
        mrn_fail_expected(j->msg, "at most %.4g s; advised: %.4g s", now->critical, now->advised);
        mrn_fail_hint(j->msg,
                      "resume with a shorter time step, or leave it out and it is computed");
        return MRN_TOO_STIFF;
    }
    if (h > CLOSE_TO_LIMIT * now->critical)
        mrn_job_warn(j, "time-step-limit", j->s.stage,
                     "at %.4g s the given time step %.3g s came to %.0f %% of the stability limit "
                     "%.3g s: %.120s",
                     j->s.time, h, 100 * h / now->critical, now->critical, now->reason);
    return MRN_OK;
}

static void shrink(mrn_job *j, const mrn_step_limit *now)
{
    mrn_state *s = &j->s;
    double floor = LEAST_STEP * s->stage_h, h = fmax(SHRINK_TO * now->advised, floor);
    if (h == floor)
        mrn_job_warn(
            j, "time-step-floor", s->stage,
            "at %.4g s the contacts ask for a time step of %.3g s, less than %g of the one "
            "the stage began with: it stays at %.3g s",
            s->time, now->advised, LEAST_STEP, floor);
    if (!(h < s->h))
        return;
    mrn_job_warn(j, "time-step-shrunk", s->stage,
                 "at %.4g s the time step shrank from %.3g s to %.3g s: %.140s", s->time, s->h, h,
                 now->reason);
    mrn_state_set_step(s, h);
}

mrn_status mrn_watch_step(mrn_job *j, bool *changed)
{
    mrn_step_limit now = mrn_engine_step_limit(j->scene, &j->s);
    double before = j->s.h;
    if (j->scene->method->continuous)
        return MRN_OK;
    if (j->step_given)
        return watch_given(j, &now); /* without a stability limit there is nothing to say */
    if (now.advised < SHRINK_BELOW * before)
        shrink(j, &now);
    if (j->s.h != before) {
        *changed = true;
        j->limit = now;
    }
    return MRN_OK;
}

/* ---- ledger ---- */

/* All energy there is and all that went through: what errors are measured by. */
static double turnover(const mrn_energies *e, const mrn_ledger *l, double peak)
{
    return e->kinetic + e->rotational + fabs(e->elastic) + fabs(e->dissipated) +
           fabs(l->wall_work) + fabs(l->cell_work) + fabs(l->drive_work) + peak +
           1e-9 * (fabs(e->gravity) + fabs(l->start));
}

static mrn_status fail_energy(mrn_job *j, const mrn_energies *e)
{
    mrn_fail(j->msg, MRN_EXPLODED,
             "%.3g J came out of nothing up to step %lld (t = %g s): kinetic energy %.3g J",
             e->residual, (long long)j->s.step, j->s.time, e->kinetic + e->rotational);
    mrn_fail_expected(j->msg, "an energy residual near 0");
    mrn_fail_hint(j->msg, "use a smaller time step");
    return MRN_EXPLODED;
}

/* Engines of rigid grains book what their scheme takes; what it gives came out of nothing. Overlaps
   taken out lift grains, so a little is no reason to stop. */
static void watch_scheme(mrn_job *j, const mrn_energies *e, double all)
{
    double given = e->residual + fmax(0, -j->s.ledger.lost_scheme);
    if (given > CREATED_REPORTED * all)
        mrn_job_warn(j, "energy", 0,
                     "at %.4g s the time scheme has given %.3g J to the grains (%.3g J by taking "
                     "out overlaps), %.0f %% of the energy that is there or went through: use a "
                     "shorter time step",
                     j->s.time, given, mrn_solving_of(j->scene, &j->s).taken_out,
                     100 * given / all);
}

static mrn_status fail_finite(const mrn_job *j, bool moves)
{
    mrn_fail(j->msg, MRN_EXPLODED, "a %s is not finite at step %lld (t = %g s)",
             moves ? "position" : "velocity", (long long)j->s.step, j->s.time);
    return mrn_fail_hint(j->msg, "use a smaller time step");
}

mrn_status mrn_watch_finite(mrn_job *j, const mrn_energies *e)
{
    bool moves = isfinite(e->kinetic + e->rotational);
    return moves && isfinite(e->gravity) ? MRN_OK : fail_finite(j, moves);
}

mrn_status mrn_watch_bodies(mrn_job *j)
{
    const mrn_bodies *b = &j->s.body;
    bool placed = true, moves = true;
#pragma omp parallel for schedule(static) reduction(&& : placed, moves) if (b->n > MANY)
    for (size_t i = 3 * (size_t)b->n_walls; i < 3 * (size_t)b->n; i++) {
        placed = placed && isfinite(b->x[i]);
        moves = moves && isfinite(b->v[i]) && isfinite(b->w[i]);
    }
    return placed && moves ? MRN_OK : fail_finite(j, moves);
}

mrn_status mrn_watch_energy(mrn_job *j, const mrn_energies *e)
{
    double all = turnover(e, &j->s.ledger, j->s.kinetic_peak), created = e->residual;
    double before = j->last_residual;
    j->last_residual = created;
    mrn_status status = mrn_watch_finite(j, e);
    if (status != MRN_OK)
        return status;
    if (mrn_rigid_contacts(j->scene)) {
        watch_scheme(j, e, all);
        return MRN_OK;
    }
    /* a method of first order is known to make energy: a warning, no stop */
    bool runaway = created > CREATED_MOST * all && created > CREATED_GROWTH * fabs(before);
    if (runaway && j->scene->integrator == MRN_VERLET)
        return fail_energy(j, e);
    if (fabs(created) > UNEXPLAINED * all)
        mrn_job_warn(j, "energy", 0,
                     "at %.4g s the ledger misses %.3g J that %s, %.2g %% of the energy that is "
                     "there or went through: halve the time step (of critical it is %.2g)",
                     j->s.time, fabs(created), created > 0 ? "came out of nothing" : "went nowhere",
                     100 * fabs(created) / all, j->s.h / j->limit.critical);
    return MRN_OK;
}

/* ---- overlaps and inlets ---- */

/* One grain, as the rate of its inlet counts: a debt below is only waiting for its turn. By mass
   the largest, for it may be its turn. */
static double one_grain(const mrn_scene *scene, const mrn_group *g)
{
    double volume, inertia;
    if (!g->inlet.by_mass)
        return 1;
    mrn_shape_measure(scene->shape[g->shape].type, scene->dimension, mrn_size_most(&g->size),
                      &volume, &inertia);
    return scene->material[g->material].density * volume;
}

static void watch_inlets(mrn_job *j)
{
    for (int g = 0; g < j->scene->n_groups; g++) {
        const mrn_group *group = &j->scene->group[g];
        double debt =
            group->place == MRN_PLACE_INLET ? mrn_drive_inlet_debt(j->scene, &j->s, g) : 0;
        if (debt > 0 && debt >= one_grain(j->scene, group))
            mrn_job_warn(j, "inlet", g,
                         "at %.4g s inlet '%.40s' is %.3g %s behind its rate: its region has no "
                         "room; make it larger, the rate smaller, or the grains leave faster",
                         j->s.time, group->name, debt, group->inlet.by_mass ? "kg" : "grains");
    }
}

/* ---- solvers of contact problems, and overlaps of rigid grains ---- */

double mrn_watch_overlap(const mrn_job *j, double overlap)
{
    double radius = mrn_list_mean_radius(&j->s);
    return radius > 0 ? overlap / radius : 0;
}

/* The way of the fastest free grain in a step over the smallest radius: rigid grains that go
   farther than half of it may pass through each other, or through a wall. */
static void watch_travel(mrn_job *j)
{
    const mrn_bodies *b = &j->s.body;
    double fastest = 0, least = INFINITY;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        if (b->flags[i] & MRN_BODY_CLUSTER)
            continue;
        fastest = fmax(fastest, mrn_norm(mrn_load3(b->v + 3 * (size_t)i)));
        least = fmin(least, b->radius[i]);
    }
    if (fastest * j->s.h > FAR_IN_A_STEP * least)
        mrn_job_warn(j, "fast", 0,
                     "at %.4g s a grain goes %.2g of the smallest radius in one time step of %.3g "
                     "s: it may pass through another; use a shorter one",
                     j->s.time, fastest * j->s.h / least, j->s.h);
}

static void tell_unsolved(mrn_job *j, const mrn_solving *n)
{
    const mrn_run_result *r = j->out;
    char kept[80] = "";
    if (!(n->unsolved > 0))
        return;
    if (r->n_unsolved_files > 0)
        snprintf(kept, sizeof kept, "; kept: unsolved/%s%s", r->unsolved_file[0],
                 r->n_unsolved_files > 1 ? " and more" : "");
    tell_latest(j, "unsolved",
                "%.0f of %.0f contact problems were not solved to the tolerance %.2g (worst "
                "residual %.2g)%s",
                n->unsolved, n->solves, n->tolerance, n->worst, kept);
}

void mrn_watch_solver(mrn_job *j)
{
    if (!mrn_rigid_contacts(j->scene) || j->scene->method->continuous)
        return;
    const mrn_solving n = mrn_solving_of(j->scene, &j->s);
    tell_unsolved(j, &n);
    watch_travel(j);
    double part = mrn_watch_overlap(j, n.deepest);
    if (part > RIGID_OVERLAP)
        tell_latest(j, "penetration",
                    "rigid grains overlap by up to %.3g m, %.2g %% of the mean radius: use a "
                    "shorter time step%s",
                    n.deepest, 100 * part, n.cure_overlap);
}

void mrn_watch_state(mrn_job *j)
{
    mrn_watch_solver(j);
    if (j->s.max_overlap > MRN_SOFT_CONTACT && !mrn_rigid_contacts(j->scene))
        mrn_job_warn(j, "overlap", 0,
                     "at %.4g s grains overlap by %.0f %% of the effective radius: use a stiffer "
                     "law",
                     j->s.time, 100 * j->s.max_overlap);
    if (mrn_drive_has_sources(j->scene))
        watch_inlets(j);
}

/* ---- the post-mortem ---- */

static bool looks_ill(const mrn_job *j)
{
    return mrn_rigid_contacts(j->scene)
               ? mrn_watch_overlap(j, mrn_solving_of(j->scene, &j->s).overlap) > RIGID_ILL
               : j->s.max_overlap > MRN_SOFT_CONTACT;
}

mrn_status mrn_watch_keep(mrn_job *j, bool now)
{
    int64_t age = j->has_good ? j->s.step - j->good.step : INT64_MAX;
    if (!j->outputs_open || (!now && age < KEEP_EVERY))
        return MRN_OK;
    if (!now && looks_ill(j) && age < KEEP_OLDEST)
        return MRN_OK;
    mrn_state_destroy(&j->good);
    j->has_good = false;
    if (mrn_state_bytes(&j->s) > KEEP_BYTES)
        return MRN_OK;
    mrn_status status = mrn_engine_sync(&j->engine, j->msg);
    if (status == MRN_OK)
        status = mrn_state_copy(&j->s, &j->good, j->msg);
    j->has_good = status == MRN_OK;
    return status;
}

/* Without a copy in memory the checkpoint must do, if it is of this stage. */
static mrn_status recall_good(mrn_job *j, mrn_message *msg)
{
    if (j->has_good)
        return MRN_OK;
    mrn_state *s = &j->good;
    mrn_status status = mrn_outputs_read_checkpoint(j->opt, j->scene, s, msg);
    if (status == MRN_OK && s->stage != j->s.stage)
        status = mrn_fail(msg, MRN_ERR_INPUT, "the checkpoint is of another stage");
    if (status == MRN_OK)
        status = mrn_pairs_build(j->scene, s, true, msg);
    j->has_good = status == MRN_OK;
    return status;
}

void mrn_watch_explain(mrn_job *j)
{
    mrn_message late = {0}, story = {0};
    if (!j->outputs_open || recall_good(j, &late) != MRN_OK)
        return;
    mrn_postmortem p = {
        .scene = j->scene, .good = &j->good, .bad = &j->s, .limit = &j->limit, .dir = j->opt->out};
    if (mrn_postmortem_write(&p, &story) != MRN_OK)
        return;
    mrn_folder_path(j->opt->out, "postmortem", j->out->postmortem);
    mrn_fail_hint(j->msg, "%.200s; %.230s/report.txt tells the story", story.hint,
                  j->out->postmortem);
    if (story.text[0] != '\0') {
        size_t used = strlen(j->msg->text);
        snprintf(j->msg->text + used, sizeof j->msg->text - used, "; first: %.400s", story.text);
    }
}
