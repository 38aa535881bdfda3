/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run from the command line: scene in, signals watched, outcome reported. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "moraine/view.h"
#include "session.h"
#include "viewing.h"

/* Set by the handler; the run looks at it between steps. */
static volatile sig_atomic_t stop;
static volatile sig_atomic_t stopped_at; /* s, of the clock that is never set */

static sig_atomic_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (sig_atomic_t)t.tv_sec;
}

/* `timeout` asks the program and its process group, a shell too: one request may come several times
   at once. Only one that comes later is a second one. */
static void on_signal(int number)
{
    int error = errno;
    if (!stop) {
        stopped_at = seconds();
        stop = 1;
    } else if (seconds() - stopped_at >= 2) {
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = error;
}

/* The first Ctrl-C (or request of the system, closed terminal, end of the time allowed) ends the
   run with a checkpoint; another one two seconds later, should it not come to that, kills. What was
   ignored before (nohup) stays so. A reader of our output who goes away does not end the run. */
const volatile sig_atomic_t *mrn_session_watch_signals(void)
{
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    return &stop;
}

/* ---- work before the first step ---- */

/* On a terminal a line that is written over, else a line now and then. */
#define WORK_LINE_AFTER 0.5
#define WORK_TEXT_AFTER 10
#define WORK_TEXT_EVERY 60

static struct {
    bool quiet, shown;
    double begin, last;
} work;

static bool tell_long_work(void *user, const char *what, double done)
{
    (void)user;
    bool terminal = mrn_app_is_terminal(stderr);
    double now = mrn_clock() - work.begin;
    char share[16] = "";
    if (isfinite(done))
        snprintf(share, sizeof share, ", %.0f %%", 100 * fmin(fmax(done, 0), 1));
    if (work.quiet || stop)
        return stop != 0;
    if (terminal && now > WORK_LINE_AFTER && now - work.last > 0.1) {
        fprintf(stderr, "\r\033[K%s%s", what, share);
        work.shown = true;
        work.last = now;
    } else if (!terminal && now > WORK_TEXT_AFTER &&
               (work.last == 0 || now - work.last > WORK_TEXT_EVERY)) {
        fprintf(stderr, "%s%s, after %.0f s\n", what, share, now);
        work.last = now;
    }
    return false;
}

void mrn_session_tell_long_work(bool quiet)
{
    work.quiet = quiet;
    work.shown = false;
    work.begin = mrn_clock();
    work.last = 0;
    mrn_long_work_set((mrn_long_work){.tell = tell_long_work});
}

void mrn_session_clear_long_work(void)
{
    if (work.shown)
        fputs("\r\033[K", stderr);
    work.shown = false;
}

json_t *mrn_session_message_json(const mrn_message *m)
{
    json_t *o = json_pack("{s:s, s:s}", "status", mrn_status_text(m->status), "message", m->text);
    if (m->file[0] != '\0')
        json_object_set_new(o, "file", json_string(m->file));
    if (m->line > 0) {
        json_object_set_new(o, "line", json_integer(m->line));
        json_object_set_new(o, "column", json_integer(m->column));
    }
    if (m->expected[0] != '\0')
        json_object_set_new(o, "expected", json_string(m->expected));
    if (m->hint[0] != '\0')
        json_object_set_new(o, "hint", json_string(m->hint));
    return o;
}

int mrn_session_fail(const mrn_message *msg, bool json)
{
    if (json)
        mrn_app_json(mrn_session_message_json(msg));
    return mrn_app_report(msg);
}

static json_t *load_summary(const char *dir)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/summary.json", dir);
    return mrn_app_read_json(path);
}

/* What the user gets to know after the run, and the exit code. */
static int conclude(const mrn_session *session, mrn_console *c, mrn_status status,
                    const mrn_run_result *r, const mrn_message *msg)
{
    if (!c->begun) {
        int code = mrn_session_fail(msg, session->json);
        return status == MRN_TOO_STIFF ? MRN_EXIT_USAGE : code;
    }
    json_t *summary = load_summary(session->out);
    mrn_console_close(c, r, summary);
    /* a limit met or a stop asked for stands in the closing block; what failed is said aloud */
    if (status < 0 || status >= MRN_EXPLODED)
        mrn_app_report(msg);
    if (session->json) {
        json_object_set_new(summary, "out", json_string(session->out));
        mrn_app_json(summary);
    } else {
        json_decref(summary);
    }
    if (status == MRN_INTERRUPTED)
        return stop ? MRN_EXIT_FAILED : MRN_EXIT_OK; /* --max-steps ends as asked */
    return status == MRN_OK || status == MRN_AT_MOST ? MRN_EXIT_OK : MRN_EXIT_FAILED;
}

/* ---- in the browser while it goes ---- */

typedef struct onlooker {
    mrn_console *console;
    const mrn_session *session;
    mrn_viewer *viewer;
    bool failed;
} onlooker;

/* The world is there only when the run has begun. */
static void begin_view(onlooker *o, const mrn_progress *p)
{
    mrn_message msg = {0};
    if (mrn_viewer_live(p->scene, p->state, o->session->out, &o->viewer, &msg) != MRN_OK ||
        mrn_viewer_serve(o->viewer, 0, &msg) != MRN_OK) {
        o->failed = true; /* the run goes on */
        mrn_app_report(&msg);
        return;
    }
    mrn_viewing_say(o->console->f, mrn_viewer_address(o->viewer));
    if (!o->session->no_browser)
        mrn_viewing_browser(mrn_viewer_address(o->viewer));
}

static void progress_seen(const mrn_progress *p, void *user)
{
    onlooker *o = user;
    mrn_console_progress(p, o->console);
    if (o->viewer == NULL && !o->failed)
        begin_view(o, p);
    else if (o->viewer != NULL)
        mrn_viewer_publish(o->viewer, p->scene, p->state);
}

#define GONE_AFTER 5 /* s without a request: nobody looks any more */

/* The page shows the files of the run as long as somebody looks. */
static void end_view(onlooker *o)
{
    mrn_message msg = {0};
    if (o->viewer == NULL)
        return;
    if (mrn_viewer_idle(o->viewer) < GONE_AFTER && mrn_viewer_settle(o->viewer, &msg) == MRN_OK &&
        !stop) {
        fprintf(o->console->f, "The page stays until it is closed, or Ctrl-C.\n");
        fflush(o->console->f);
        while (!stop && mrn_viewer_idle(o->viewer) < GONE_AFTER)
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    mrn_viewer_close(&o->viewer);
}

int mrn_session_run(const mrn_session *session)
{
    mrn_message msg = {0};
    mrn_scene scene = {0};
    if (session->view && mrn_viewer_able(true, true, &msg) != MRN_OK)
        return mrn_session_fail(&msg, session->json);
    if (mrn_scene_read(session->scene_path, session->set, session->n_set, &scene, &msg) != MRN_OK)
        return mrn_session_fail(&msg, session->json);
    FILE *f = session->json ? stderr : stdout;
    mrn_console console = {.f = f,
                           .session = session,
                           .quiet = session->quiet || (session->json && !mrn_app_is_terminal(f)),
                           .bar = mrn_app_is_terminal(f),
                           .stage = -1};
    mrn_session_watch_signals();
    mrn_run_options opt = mrn_run_default();
    opt.out = session->out;
    opt.resume = session->resume;
    opt.overwrite = session->overwrite;
    opt.change = session->change;
    opt.n_change = session->n_change;
    opt.stop = &stop;
    onlooker looking = {.console = &console, .session = session};
    opt.progress = session->view ? progress_seen : mrn_console_progress;
    opt.user = session->view ? (void *)&looking : &console;
    opt.max_steps = session->max_steps;
    opt.adapt_threads = !session->all_threads;
    opt.problem_at = session->problem_at;
    opt.n_problems = session->n_problems;
    opt.spent = &scene;
    mrn_run_result result;
    mrn_session_tell_long_work(console.quiet);
    mrn_status status = mrn_run(&scene, &opt, &result, &msg);
    mrn_session_clear_long_work();
    int code = conclude(session, &console, status, &result, &msg);
    end_view(&looking);
    mrn_scene_destroy(&scene);
    return code;
}
