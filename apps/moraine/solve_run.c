/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solve, the work: files in, solvers called, progress shown, answers written. */
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "solving.h"

/* A line of progress: not before this long, and not more often than this. */
#define PROGRESS_AFTER 1.0
#define PROGRESS_EVERY 0.1

/* ---- watching a solver ---- */

typedef struct watcher {
    const mrn_solve_run *run;
    mrn_solve_history *history; /* NULL: not wanted */
    const volatile sig_atomic_t *stop;
    bool show, shown; /* stderr is a terminal; a line stands there */
    double drawn;     /* seconds at the last line                  */
} watcher;

static void remember(mrn_solve_history *h, const mrn_iterate *it)
{
    if (mrn_grow(&h->line, &h->capacity, h->n + 1, sizeof *h->line) != MRN_OK)
        h->lost = true;
    else
        h->line[h->n++] = *it;
}

static void draw_progress(watcher *w, const mrn_iterate *it)
{
    char stem[64], line[256], residual[32] = "";
    mrn_solve_stem(w->run->file->path, stem, sizeof stem);
    if (isfinite(it->natural))
        snprintf(residual, sizeof residual, ", residual %.1e", it->natural);
    bool own = strcmp(it->phase, w->run->solver->name) == 0;
    snprintf(line, sizeof line, "  %s by %s%s%s: iteration %s%s, %s", stem, w->run->solver->name,
             own ? "" : ", ", own ? "" : it->phase, mrn_readable_count(it->iteration).s, residual,
             mrn_app_duration(it->seconds).s);
    int room = mrn_app_columns(stderr) - 1;
    fprintf(stderr, "\r\033[K%.*s", room < (int)strlen(line) ? room : (int)strlen(line), line);
    fflush(stderr);
    w->shown = true;
    w->drawn = it->seconds;
}

static void clear_progress(watcher *w)
{
    if (w->shown)
        fputs("\r\033[K", stderr);
    w->shown = false;
}

static bool watch(const mrn_iterate *it, void *user)
{
    watcher *w = user;
    if (w->history != NULL)
        remember(w->history, it);
    if (w->show && it->seconds > PROGRESS_AFTER && it->seconds - w->drawn > PROGRESS_EVERY)
        draw_progress(w, it);
    return *w->stop != 0;
}

/* ---- files ---- */

typedef struct problem_file {
    mrn_problem p;
    mrn_fclib_notes notes;
    double *start, *r; /* where solvers begin; where they end */
    size_t size;       /* bytes of r */
} problem_file;

static void unload(problem_file *l)
{
    mrn_problem_release(&l->p);
    mrn_fclib_notes_release(&l->notes);
    mrn_free(l->start);
    mrn_free(l->r);
    *l = (problem_file){0};
}

static bool wants_W(const mrn_solve_request *q)
{
    for (int s = 0; s < q->n_solvers; s++)
        if (q->solver[s]->wants_W)
            return true;
    return false;
}

static mrn_status make_vectors(const mrn_solve_request *q, problem_file *l, mrn_solve_file *file)
{
    const double *guess = l->notes.guess != NULL ? l->notes.guess : l->notes.answer;
    l->size = (size_t)l->p.n * (size_t)mrn_contact_layout_of(l->p.kind)->block * sizeof *l->r;
    l->start = mrn_alloc(l->size);
    l->r = mrn_alloc(l->size);
    if (l->start == NULL || l->r == NULL)
        return mrn_fail(&file->msg, MRN_ERR_MEMORY, "out of memory");
    if (q->guess && guess != NULL) {
        memcpy(l->start, guess, l->size);
        file->started = true;
    }
    return MRN_OK;
}

/* W is assembled here, once, and not in the time of each solver. */
static mrn_status load(const mrn_solve_request *q, problem_file *l, mrn_solve_file *file)
{
    mrn_message *msg = &file->msg;
    mrn_status st = mrn_fclib_read(file->path, &l->p, &l->notes, msg);
    if (st == MRN_OK && wants_W(q))
        st = mrn_problem_assemble(&l->p, msg);
    if (st == MRN_OK)
        st = mrn_problem_check(&l->p, &file->facts, msg);
    if (st == MRN_OK)
        st = make_vectors(q, l, file);
    if (st != MRN_OK) {
        msg->status = st;
        if (msg->file[0] == '\0')
            mrn_fail_at(msg, file->path, 0, 0);
        return st;
    }
    file->kind = l->p.kind;
    file->form = l->notes.form;
    snprintf(file->title, sizeof file->title, "%s", l->p.title);
    snprintf(file->remark, sizeof file->remark, "%s", l->notes.remark);
    return MRN_OK;
}

/* ---- one run ---- */

/* Whether the solver may be asked; `why` completes "NAME …". */
static bool can_solve(const mrn_solve_request *q, const mrn_problem *p, const mrn_solver *s,
                      char *why, size_t size)
{
    bool bilateral = false, bodies = p->Ht.rows > 0 && p->minv != NULL;
    for (int i = 0; p->law != NULL && i < p->n; i++)
        bilateral = bilateral || p->law[i] == MRN_BILATERAL;
    if ((s->kinds >> p->kind & 1) == 0)
        snprintf(why, size, "cannot solve %s problems", mrn_contact_layout_of(p->kind)->name);
    else if (s->wants_bodies && !bodies)
        snprintf(why, size, "needs H and M (a global problem), not W alone");
    else if (bilateral && !s->bilateral)
        snprintf(why, size, "cannot solve bilateral contacts");
    else if (q->control.criterion != MRN_STOP_NATURAL && !s->sweeps)
        snprintf(why, size, "does not sweep: --criterion natural is the only one it knows");
    else
        return true;
    return false;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Solves `repeat` times from the same start; the answer of all is the same. Negative: refused. */
static mrn_status repeat(const mrn_solve_request *q, problem_file *l, mrn_solve_run *run,
                         watcher *w, mrn_message *msg)
{
    const mrn_value *option = NULL;
    for (int s = 0; s < q->n_solvers; s++)
        if (q->solver[s] == run->solver)
            option = q->option + (size_t)s * MRN_PARAM_MAX;
    mrn_solve_control control = q->control;
    control.watch = watch;
    control.user = w;
    control.violations = w->history != NULL;
    mrn_workspace work = {0};
    double seconds[1000];
    int n = 0;
    mrn_status st = MRN_OK;
    do {
        memcpy(l->r, l->start, l->size);
        st = mrn_solve(&l->p, run->solver, option, &control, l->r, &work, &run->result, msg);
        seconds[n++] = run->result.seconds;
        w->history = NULL; /* of the first time only */
        w->drawn = 0;
    } while (n < q->repeat && st >= 0 && *w->stop == 0);
    clear_progress(w);
    mrn_workspace_release(&work);
    qsort(seconds, (size_t)n, sizeof seconds[0], by_size);
    run->seconds = n % 2 == 1 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
    run->interrupted = *w->stop != 0;
    run->converged = st == MRN_OK && run->result.converged;
    return st;
}

static mrn_status write_answer(const mrn_solve_request *q, const problem_file *l,
                               mrn_solve_run *run, mrn_message *msg)
{
    if (q->out != NULL) {
        snprintf(run->out, sizeof run->out, "%s", q->out);
    } else {
        char stem[1024];
        mrn_solve_stem(run->file->path, stem, sizeof stem);
        snprintf(run->out, sizeof run->out, "%s-best.hdf5", stem);
    }
    char info[256];
    snprintf(info, sizeof info, "moraine %s, solver %s, residual err_v %.3e, %s", MRN_VERSION,
             run->solver->name, run->result.measures.natural,
             run->converged ? "converged" : "not converged: best iterate");
    const mrn_fclib_save save = {.answer = l->r,
                                 .math_info = info,
                                 .global = l->p.Ht.rows > 0 && l->p.minv != NULL,
                                 .overwrite = true};
    mrn_status st = mrn_fclib_write(run->out, &l->p, &save, msg);
    if (st != MRN_OK)
        run->out[0] = '\0';
    return st;
}

/* Told on stderr at once; the worst exit code is kept. */
static void complain(const mrn_solve_request *q, mrn_solve_outcome *o, const mrn_message *msg)
{
    int code = mrn_session_fail(msg, q->json && mrn_solve_single(q));
    o->code = code > o->code ? code : o->code;
}

static void not_able(const mrn_solve_request *q, mrn_solve_outcome *o, const mrn_problem *p,
                     const mrn_solve_run *run)
{
    char can[256] = "", unused[sizeof run->why_not];
    if (q->n_solvers > 1)
        return; /* a dash in the table, and a note */
    for (int i = 0; i < mrn_solver_count(); i++) {
        size_t at = strlen(can);
        if (can_solve(q, p, mrn_solver_at(i), unused, sizeof unused))
            snprintf(can + at, sizeof can - at, "%s%s", at > 0 ? ", " : "", mrn_solver_at(i)->name);
    }
    mrn_message msg = {0};
    mrn_fail(&msg, MRN_ERR_INPUT, "solver %s %s", run->solver->name, run->why_not);
    if (can[0] != '\0')
        mrn_fail_hint(&msg, "what can: %s", can);
    mrn_fail_at(&msg, run->file->path, 0, 0);
    complain(q, o, &msg);
}

static void run_one(const mrn_solve_request *q, problem_file *l, mrn_solve_run *run,
                    mrn_solve_outcome *o, const volatile sig_atomic_t *stop)
{
    mrn_message msg = {0};
    bool single = mrn_solve_single(q), wanted = q->history != NULL || q->plot != NULL;
    watcher w = {.run = run,
                 .history = single && wanted ? &o->history : NULL,
                 .stop = stop,
                 .show = !q->quiet && mrn_app_is_terminal(stderr)};
    run->able = can_solve(q, &l->p, run->solver, run->why_not, sizeof run->why_not);
    if (!run->able) {
        not_able(q, o, &l->p, run);
        return;
    }
    if (repeat(q, l, run, &w, &msg) < 0) {
        run->able = false;
        snprintf(run->why_not, sizeof run->why_not, "failed: %.180s", msg.text);
        mrn_fail_at(&msg, run->file->path, 0, 0);
        complain(q, o, &msg);
        return;
    }
    run->done = true;
    if (!run->converged && o->code == MRN_EXIT_OK)
        o->code = MRN_EXIT_FAILED;
    if (single && (q->out != NULL || !run->converged) && write_answer(q, l, run, &msg) != MRN_OK) {
        int code = mrn_app_report(&msg);
        o->code = code > o->code ? code : o->code;
    }
}

/* ---- all ---- */

static void one_file(const mrn_solve_request *q, int k, mrn_solve_outcome *o,
                     const volatile sig_atomic_t *stop)
{
    mrn_solve_file *file = &o->file[k];
    problem_file l = {0};
    int tried = 0;
    file->status = load(q, &l, file);
    if (file->status != MRN_OK)
        complain(q, o, &file->msg);
    for (int s = 0; s < q->n_solvers && file->status == MRN_OK && *stop == 0; s++) {
        run_one(q, &l, &o->run[k * q->n_solvers + s], o, stop);
        tried += o->run[k * q->n_solvers + s].done;
    }
    if ((*stop != 0 || tried == 0) && o->code == MRN_EXIT_OK)
        o->code = MRN_EXIT_FAILED;
    if (file->status == MRN_OK && q->guess && !file->started && !q->quiet)
        fprintf(stderr, "%s: no guess in the file: started from zero\n", file->path);
    unload(&l);
}

mrn_status mrn_solve_everything(const mrn_solve_request *q, mrn_solve_outcome *o, mrn_message *msg)
{
    const volatile sig_atomic_t *stop = mrn_session_watch_signals();
    o->file = mrn_alloc((size_t)q->n_paths * sizeof *o->file);
    o->run = mrn_alloc((size_t)q->n_paths * (size_t)q->n_solvers * sizeof *o->run);
    if (o->file == NULL || o->run == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int k = 0; k < q->n_paths; k++) {
        o->file[k].path = q->path[k];
        for (int s = 0; s < q->n_solvers; s++) {
            mrn_solve_run *run = &o->run[k * q->n_solvers + s];
            run->file = &o->file[k];
            run->solver = q->solver[s];
        }
    }
    for (int k = 0; k < q->n_paths && *stop == 0; k++)
        one_file(q, k, o, stop);
    return MRN_OK;
}

void mrn_solve_outcome_release(mrn_solve_outcome *o)
{
    mrn_free(o->file);
    mrn_free(o->run);
    mrn_free(o->history.line);
    *o = (mrn_solve_outcome){0};
}
