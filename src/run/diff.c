/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two runs part: both are stepped beside each other and compared bit by bit, body by body, at
   every step; or their stored frames are. Bodies are matched by their persistent number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "run/job.h"

/* What is compared: where a body is and how it moves, then what acts on it. */
typedef struct column {
    const char *name;
    int width;
} column;
static const column columns[] = {{"x", 3}, {"v", 3},      {"w", 3},   {"q", 4},
                                 {"f", 3}, {"radius", 1}, {"mass", 1}};
enum { X, V, N_COLUMNS = sizeof columns / sizeof columns[0] };

/* The bodies of a state or a frame, seen alike. */
typedef struct view {
    double time, h;
    int64_t step;
    int32_t n, n_walls;
    const int32_t *id;
    const uint16_t *group;
    const double *data[N_COLUMNS];
} view;

static view view_state(const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    return (view){.time = s->time,
                  .h = s->h,
                  .step = s->step,
                  .n = b->n,
                  .n_walls = b->n_walls,
                  .id = b->id,
                  .group = b->group,
                  .data = {b->x, b->v, b->w, b->q, b->f, b->radius, b->mass}};
}

static view view_frame(const mrn_frame *f)
{
    return (view){.time = f->time,
                  .step = f->step,
                  .n = f->n,
                  .n_walls = f->n_walls,
                  .id = f->id,
                  .group = f->group,
                  .data = {f->x, f->v, f->w, f->q, f->f, f->radius, f->mass}};
}

/* ---- matching ---- */

/* index[id] of every body of a view, -1 where there is none. */
typedef struct match {
    int32_t *index;
    int64_t capacity;
    int32_t n;
} match;

static mrn_status match_view(match *m, const view *v, mrn_message *msg)
{
    int32_t n = 0;
    for (int32_t i = 0; i < v->n; i++)
        n = v->id[i] >= n ? v->id[i] + 1 : n;
    if (mrn_grow(&m->index, &m->capacity, n, sizeof *m->index) != MRN_OK)
        return mrn_fail_memory(msg);
    m->n = n;
    for (int32_t k = 0; k < n; k++)
        m->index[k] = -1;
    for (int32_t i = 0; i < v->n; i++)
        m->index[v->id[i]] = i;
    return MRN_OK;
}

/* The quick answer: same bodies in the same places, all bits equal. */
static bool identical(const view *a, const view *b)
{
    if (a->n != b->n || a->step != b->step || a->time != b->time || a->h != b->h)
        return false;
    if (a->n > 0 && memcmp(a->id, b->id, (size_t)a->n * sizeof *a->id) != 0)
        return false;
    for (int k = 0; k < N_COLUMNS; k++) {
        size_t bytes = (size_t)a->n * (size_t)columns[k].width * sizeof(double);
        if (bytes > 0 && memcmp(a->data[k], b->data[k], bytes) != 0)
            return false;
    }
    return true;
}

static double distance(const view *a, int32_t i, const view *b, int32_t j, int which)
{
    return mrn_norm(mrn_sub(mrn_load3(a->data[which] + 3 * (size_t)i),
                            mrn_load3(b->data[which] + 3 * (size_t)j)));
}

/* The first number of a body that differs; false: none. Zeros of either sign are the same. */
static bool differs(const view *a, int32_t i, const view *b, int32_t j, mrn_difference *out)
{
    for (int k = 0; k < N_COLUMNS; k++) {
        int width = columns[k].width;
        const double *p = a->data[k] + (size_t)width * (size_t)i;
        const double *q = b->data[k] + (size_t)width * (size_t)j;
        for (int c = 0; c < width; c++) {
            if (p[c] == q[c] || (isnan(p[c]) && isnan(q[c])))
                continue;
            *out = (mrn_difference){.id = a->id[i],
                                    .group = i < a->n_walls ? -1 : a->group[i],
                                    .component = c,
                                    .a = p[c],
                                    .b = q[c]};
            snprintf(out->field, sizeof out->field, "%s", columns[k].name);
            return true;
        }
    }
    return false;
}

static double weight(const mrn_difference *d)
{
    double size = fmax(fabs(d->a), fabs(d->b));
    double w = fabs(d->a - d->b) / (size > 0 ? size : 1);
    return isfinite(w) ? w : INFINITY;
}

/* Keeps the largest differences, those of position before those of force. */
static int rank(const mrn_difference *d)
{
    for (int k = 0; k < N_COLUMNS; k++)
        if (strcmp(columns[k].name, d->field) == 0)
            return k;
    return N_COLUMNS;
}

static bool before(const mrn_difference *p, const mrn_difference *q)
{
    int a = rank(p), b = rank(q);
    return a != b ? a < b : weight(p) != weight(q) ? weight(p) > weight(q) : p->id < q->id;
}

static void list(mrn_parting *out, const mrn_difference *d)
{
    int k = out->n < MRN_DIFFERENCES ? out->n++ : MRN_DIFFERENCES - 1;
    if (k == MRN_DIFFERENCES - 1 && out->n == MRN_DIFFERENCES && out->bodies > MRN_DIFFERENCES &&
        !before(d, &out->difference[k]))
        return;
    for (; k > 0 && before(d, &out->difference[k - 1]); k--)
        out->difference[k] = out->difference[k - 1];
    out->difference[k] = *d;
}

/* Body by body. `first`: the instant at which they part; the differences are listed. */
static mrn_gap compare(const view *a, const view *b, const match *m, bool first, mrn_parting *out)
{
    mrn_gap g = {.step = a->step, .time = a->time};
    for (int32_t i = 0; i < a->n; i++) {
        int32_t j = a->id[i] < m->n ? m->index[a->id[i]] : -1;
        mrn_difference d;
        if (j < 0 || !differs(a, i, b, j, &d))
            continue;
        g.bodies++;
        g.position = fmax(g.position, distance(a, i, b, j, X));
        g.velocity = fmax(g.velocity, distance(a, i, b, j, V));
        if (first) {
            out->bodies = g.bodies;
            list(out, &d);
        }
    }
    return g;
}

static bool same_bodies(const view *a, const view *b, const match *m)
{
    if (a->n != b->n)
        return false;
    for (int32_t i = 0; i < a->n; i++)
        if (a->id[i] >= m->n || m->index[a->id[i]] < 0)
            return false;
    return true;
}

/* Looks at one instant; `m` is scratch. */
static mrn_status look(const view *a, const view *b, match *m, mrn_parting *out, mrn_message *msg)
{
    if (identical(a, b)) {
        if (!out->apart)
            out->last_same = a->step;
        return MRN_OK;
    }
    mrn_status status = match_view(m, b, msg);
    if (status != MRN_OK)
        return status;
    bool first = !out->apart;
    mrn_parting found = *out;
    mrn_gap g = compare(a, b, m, first, &found);
    bool counts = !same_bodies(a, b, m), clock = a->time != b->time || a->h != b->h;
    if (first && g.bodies == 0 && !counts && !clock) { /* the order in memory alone */
        out->last_same = a->step;
        return MRN_OK;
    }
    *out = found;
    if (first) {
        out->apart = true;
        out->step = a->step;
        out->time = a->time;
        out->counts = counts;
        out->step_size[0] = a->h;
        out->step_size[1] = b->h;
        if (counts)
            snprintf(out->why, sizeof out->why, "%d bodies in one, %d in the other", (int)a->n,
                     (int)b->n);
        else if (clock && a->h != b->h)
            snprintf(out->why, sizeof out->why, "time steps of %.17g s and %.17g s", a->h, b->h);
    }
    if (out->n_gaps < MRN_GAPS)
        out->gap[out->n_gaps++] = g;
    return MRN_OK;
}

/* ---- side by side ---- */

typedef struct runner {
    mrn_job job;
    mrn_run_options opt;
    mrn_run_result result;
    int threads;
    mrn_status status; /* MRN_INTERRUPTED: can go on */
} runner;

static void engage(const runner *r)
{
    mrn_threads_set(r->threads);
}

static mrn_status start(runner *r, const mrn_scene *scene, int threads, mrn_message *msg)
{
    r->opt = mrn_run_default();
    r->threads = threads > 0 ? threads : mrn_threads();
    r->status = mrn_job_init(&r->job, scene, &r->opt, &r->result, msg);
    if (r->status != MRN_OK)
        return r->status;
    engage(r);
    r->status = mrn_job_begin(&r->job);
    return r->status;
}

/* One step; the end of the run and an explosion are both ends. */
static mrn_status go_on(runner *r)
{
    engage(r);
    r->job.stop_step = r->job.s.step + 1;
    r->status = mrn_job_advance(&r->job);
    return r->status < 0 ? r->status : MRN_OK;
}

/* Whom the body that parted first touched then: where to look. */
static mrn_status name_neighbours(const runner *r, mrn_parting *out, mrn_message *msg)
{
    const mrn_state *s = &r->job.s;
    mrn_contacts n = {0};
    if (out->n == 0 || out->why[0] != '\0')
        return MRN_OK;
    int32_t id = out->difference[0].id;
    int32_t body = id < s->body.n_ids ? s->body.index_of[id] : -1;
    mrn_status status = mrn_contacts_collect(r->job.scene, s, 0, &n, msg);
    size_t used = 0;
    int named = 0;
    for (int64_t k = 0; status == MRN_OK && k < n.n && named < 8; k++) {
        if (n.c[k] != body && n.a[k] != body)
            continue;
        int32_t other = n.c[k] == body ? n.a[k] : n.c[k];
        const char *lead = named++ > 0 ? ", " : "it touches ";
        int wrote = other < s->body.n_walls
                        ? snprintf(out->why + used, sizeof out->why - used, "%swall '%.60s'", lead,
                                   r->job.scene->wall[other].name)
                        : snprintf(out->why + used, sizeof out->why - used, "%sbody %d", lead,
                                   (int)s->body.id[other]);
        used = used + (size_t)wrote < sizeof out->why ? used + (size_t)wrote : sizeof out->why - 1;
    }
    if (status == MRN_OK && named == 0)
        snprintf(out->why, sizeof out->why, "it touches nothing");
    mrn_contacts_destroy(&n);
    return status;
}

/* After they part, instants double their distance: growth shows on a logarithmic scale. */
static bool worth_a_look(const mrn_parting *out, int64_t step)
{
    int64_t n = step - out->step;
    return !out->apart || (n > 0 && (n & (n - 1)) == 0);
}

static bool both_go_on(const runner *a, const runner *b)
{
    return a->status == MRN_INTERRUPTED && b->status == MRN_INTERRUPTED;
}

static mrn_status lockstep(runner *a, runner *b, const mrn_diff_options *opt, match *m,
                           mrn_parting *out, mrn_message *msg)
{
    a->status = b->status = MRN_INTERRUPTED;
    for (;;) {
        const mrn_state *s = &a->job.s;
        bool was_apart = out->apart;
        if (worth_a_look(out, s->step)) {
            view p = view_state(s), q = view_state(&b->job.s);
            mrn_status status = look(&p, &q, m, out, msg);
            if (status == MRN_OK && out->apart && !was_apart)
                status = name_neighbours(a, out, msg);
            if (status != MRN_OK)
                return status;
        }
        out->compared += !was_apart;
        bool over = out->apart ? s->step - out->step >= opt->after
                               : opt->max_steps > 0 && s->step >= opt->max_steps;
        if (over || !both_go_on(a, b))
            return MRN_OK;
        if (opt->stop != NULL && *opt->stop != 0)
            return mrn_fail(msg, MRN_INTERRUPTED, "stopped at step %lld", (long long)s->step);
        mrn_status status = go_on(a);
        status = status == MRN_OK ? go_on(b) : status;
        if (status < 0)
            return status;
    }
}

/* One ended before the other and nothing differed until then. */
static void tell_ends(const runner *a, const runner *b, mrn_parting *out)
{
    bool a_on = a->status == MRN_INTERRUPTED, b_on = b->status == MRN_INTERRUPTED;
    if (out->apart || a_on == b_on)
        return;
    out->apart = true;
    out->step = a->job.s.step;
    out->time = a->job.s.time;
    snprintf(out->why, sizeof out->why, "%s ends here, %s goes on",
             a_on ? "the second" : "the first", a_on ? "the first" : "the second");
}

mrn_diff_options mrn_diff_default(void)
{
    return (mrn_diff_options){.after = 4096};
}

mrn_status mrn_run_diff(const mrn_scene *a, const mrn_scene *b, const mrn_diff_options *opt,
                        mrn_parting *out, mrn_message *msg)
{
    mrn_message own = {0};
    msg = msg != NULL ? msg : &own;
    *out = (mrn_parting){.last_same = -1};
    int threads = mrn_threads();
    match m = {0};
    runner *r = NULL;
    mrn_status status = mrn_array(&r, 2, sizeof *r, msg);
    if (status != MRN_OK)
        return status;
    status = start(&r[0], a, opt->threads[0], msg);
    mrn_threads_set(threads);
    if (status == MRN_OK)
        status = start(&r[1], b, opt->threads[1], msg);
    if (status == MRN_OK)
        status = lockstep(&r[0], &r[1], opt, &m, out, msg);
    if (status == MRN_OK)
        tell_ends(&r[0], &r[1], out);
    for (int k = 0; k < 2; k++)
        if (r[k].job.scene != NULL)
            mrn_job_destroy(&r[k].job);
    mrn_free(r);
    mrn_free(m.index);
    mrn_threads_set(threads);
    return status;
}

/* ---- stored frames ---- */

static mrn_status compare_frames(mrn_trajectory *a, int64_t i, mrn_trajectory *b, int64_t j,
                                 match *m, mrn_parting *out, mrn_message *msg)
{
    mrn_frame f = {0}, g = {0};
    mrn_status status = mrn_trajectory_read(a, i, &f, msg);
    if (status == MRN_OK)
        status = mrn_trajectory_read(b, j, &g, msg);
    if (status == MRN_OK) {
        view p = view_frame(&f), q = view_frame(&g);
        status = look(&p, &q, m, out, msg);
    }
    mrn_frame_destroy(&f);
    mrn_frame_destroy(&g);
    return status;
}

/* After the first difference some tens of frames show how it grows. */
static mrn_status compare_all(mrn_trajectory *a, mrn_trajectory *b, match *m, mrn_parting *out,
                              mrn_message *msg)
{
    int64_t na = mrn_trajectory_frames(a), nb = mrn_trajectory_frames(b), n = na < nb ? na : nb;
    mrn_status status = MRN_OK;
    int64_t stride = 1;
    for (int64_t k = 0; status == MRN_OK && k < n; k += stride) {
        bool was_apart = out->apart;
        status = compare_frames(a, k, b, k, m, out, msg);
        out->compared += !was_apart;
        if (out->apart && !was_apart)
            stride = 1 + (n - k) / (MRN_GAPS - 1);
    }
    if (status == MRN_OK && !out->apart && na != nb) {
        out->apart = true;
        out->time = mrn_trajectory_time(na < nb ? b : a, n);
        out->step = out->last_same;
        snprintf(out->why, sizeof out->why, "%lld frames in one, %lld in the other", (long long)na,
                 (long long)nb);
    }
    return status;
}

mrn_status mrn_trajectory_diff(const char *a, const char *b, mrn_parting *out, mrn_message *msg)
{
    mrn_trajectory *s = NULL, *t = NULL;
    mrn_message own = {0}, unread;
    match m = {0};
    msg = msg != NULL ? msg : &own;
    *out = (mrn_parting){.last_same = -1};
    mrn_status status = mrn_trajectory_open(a, &s, msg);
    if (status == MRN_OK)
        status = mrn_trajectory_open(b, &t, msg);
    if (status == MRN_OK)
        status = compare_all(s, t, &m, out, msg);
    mrn_trajectory_close(&s, &unread);
    mrn_trajectory_close(&t, &unread);
    mrn_free(m.index);
    return status;
}
