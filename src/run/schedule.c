/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar of a run in whole steps. Instants are multiples k * every, never sums, so that
   nothing drifts; each falls on the nearest step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/measure.h"
#include "run/parts.h"

double mrn_schedule_time(const mrn_state *s, int64_t step)
{
    return s->base_time + (double)(step - s->base_step) * s->h;
}

static double time_now(const mrn_state *s)
{
    return mrn_schedule_time(s, s->step);
}

/* Steps nearest to a duration, bounded so that no infinity reaches the conversion. */
static int64_t whole_steps(double duration, double h)
{
    double n = round(duration / h);
    if (!(n < 9e18))
        return INT64_MAX / 2;
    return n > -9e18 ? (int64_t)n : -(INT64_MAX / 2);
}

int64_t mrn_schedule_step(const mrn_state *s, double t)
{
    return s->base_step + whole_steps(t - s->base_time, s->h);
}

/* The step nearest to a time counted from the begin of the stage. */
static int64_t step_in_stage(const mrn_state *s, double t)
{
    return s->base_step + whole_steps(t - (s->base_time - s->stage_time), s->h);
}

int64_t mrn_schedule_next(const mrn_state *s, double every)
{
    if (!(every > 0))
        return INT64_MAX;
    if (every <= s->h)
        return s->step + 1;
    double k = floor(time_now(s) / every);
    while (mrn_schedule_step(s, k * every) <= s->step)
        k += 1;
    return mrn_schedule_step(s, k * every);
}

bool mrn_schedule_due(const mrn_state *s, double every)
{
    if (!(every > 0))
        return false;
    if (every <= s->h)
        return true;
    return mrn_schedule_step(s, round(time_now(s) / every) * every) == s->step;
}

bool mrn_schedule_check_due(const mrn_scene *scene, const mrn_state *s)
{
    int64_t n = s->step - s->stage_step;
    return n > 0 && n % scene->method->check_every == 0;
}

int64_t mrn_schedule_next_check(const mrn_scene *scene, const mrn_state *s)
{
    int64_t n = s->step - s->stage_step, every = scene->method->check_every;
    return s->stage_step + (n / every + 1) * every;
}

bool mrn_schedule_recheck_due(const mrn_scene *scene, const mrn_state *s)
{
    int64_t n = s->step - s->stage_step, part = n / scene->method->check_every;
    int64_t recheck = scene->method->recheck_every;
    if (n <= 0 || n % scene->method->check_every != 0)
        return false;
    bool early = n < recheck && (part & (part - 1)) == 0;
    return early || n % recheck == 0;
}

/* The step from which a condition on time or steps holds; -1 when it is of another kind. */
static int64_t exact_step(const mrn_condition *c, const mrn_state *s)
{
    int64_t at = -1;
    if (!c->above)
        return -1;
    if (strcmp(c->probe, "time-in-stage") == 0)
        at = step_in_stage(s, c->value);
    else if (strcmp(c->probe, "time") == 0)
        at = mrn_schedule_step(s, c->value);
    else if (strcmp(c->probe, "steps") == 0)
        at = s->stage_step + whole_steps(ceil(c->value), 1);
    else
        return -1;
    return at > s->stage_step ? at : s->stage_step + 1; /* every stage makes a step */
}

mrn_stage_end mrn_schedule_end(const mrn_stage *stage, const mrn_state *s)
{
    mrn_stage_end end = {.last = INT64_MAX, .exact = stage->n_until > 0};
    int64_t latest = 0;
    for (int i = 0; i < stage->n_until; i++) {
        int64_t at = exact_step(&stage->until[i], s);
        end.exact = end.exact && at >= 0;
        latest = at > latest ? at : latest;
    }
    if (end.exact)
        end.last = latest;
    if (isfinite(stage->at_most)) {
        int64_t limit = step_in_stage(s, stage->at_most);
        limit = limit > s->stage_step ? limit : s->stage_step + 1;
        if (limit < end.last || (stage->n_until == 0 && limit == end.last)) {
            end.exact = stage->n_until == 0; /* a stage with nothing but a duration ends as it
                                                should */
            end.last = limit;
        }
    }
    return end;
}

/* False when not a number. */
static bool reached(const mrn_condition *c, double value)
{
    return c->above ? value >= c->value : value <= c->value;
}

/* One condition; `words` says how it was met. */
static bool holds(const mrn_scene *scene, const mrn_condition *c, const mrn_state *s, char *words,
                  size_t size)
{
    int64_t at = exact_step(c, s);
    if (at >= 0) {
        snprintf(words, size, "%s = %.6g reached", c->probe, c->value);
        return s->step >= at;
    }
    double value = mrn_probe_value(scene, s, c->probe);
    snprintf(words, size, "%s = %.4g %s %.4g", c->probe, value, c->above ? ">=" : "<=", c->value);
    return reached(c, value);
}

bool mrn_conditions_forbid(const mrn_scene *scene, const mrn_stage *stage, const mrn_state *s,
                           const mrn_energies *e)
{
    bool forbid = false;
    for (int i = 0; i < stage->n_until; i++) {
        const mrn_condition *c = &stage->until[i];
        int64_t at = exact_step(c, s);
        double value;
        if (at >= 0)
            forbid |= s->step < at;
        else if (mrn_probe_of_energies(scene, s, e, c->probe, &value))
            forbid |= !reached(c, value);
    }
    return forbid;
}

bool mrn_conditions_hold(const mrn_scene *scene, const mrn_stage *stage, const mrn_state *s,
                         char *why, size_t size)
{
    size_t used = 0;
    why[0] = '\0';
    for (int i = 0; i < stage->n_until; i++) {
        char words[200];
        if (!holds(scene, &stage->until[i], s, words, sizeof words))
            return false;
        int n = snprintf(why + used, size - used, "%s%s", i > 0 ? ", " : "", words);
        used = n > 0 && used + (size_t)n < size ? used + (size_t)n : size - 1;
    }
    return stage->n_until > 0;
}
