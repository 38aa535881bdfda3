/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One solve after another in a process of its own: Siconos knows no limit of time, and now and then
   it ends the process. Ours are treated the same way, so that both start from equal memory. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 == 1 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static double seconds_of_clock(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double processor_seconds(void)
{
    return seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static bool too_long(const mrn_iterate *it, void *user)
{
    (void)it;
    return processor_seconds() > *(const double *)user;
}

/* The whole call counts, preparation and measures included. */
static double solve_ours(const subject *s, const method *m, double tolerance, double *r,
                         int64_t *iterations)
{
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result = {0};
    double end = processor_seconds() + s->limit;
    control.tolerance = tolerance;
    control.watch = too_long, control.user = &end; /* the best iterate is kept then */
    control.max_iterations = INT64_C(1000000000);
    memset(r, 0, 3 * (size_t)s->p.n * sizeof *r);
    double t = processor_seconds();
    mrn_status st = mrn_solve(&s->p, m->ours, NULL, &control, r, NULL, &result, NULL);
    t = processor_seconds() - t;
    *iterations = result.iterations;
    if (st < 0)
        _exit(1);
    return t;
}

/* Short solves are repeated, so that a first touch of memory is not what is measured. */
static int worth_repeating(double seconds)
{
    return seconds < 2e-3 ? RUNS_MAX : seconds < 0.05 ? 5 : 1;
}

static void child(const subject *s, const method *m, double tolerance, int pipe_end)
{
    outcome o = {0};
    mrn_measures measures;
    int most = 1, quiet = open("/dev/null", O_WRONLY);
    double *r = malloc((3 * (size_t)s->p.n + 1) * sizeof *r);
    if (r == NULL || quiet < 0)
        _exit(1);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
    for (o.runs = 0; o.runs < most; o.runs++) {
        double t = m->ours != NULL ? solve_ours(s, m, tolerance, r, &o.iterations)
                                   : solve_theirs(&s->p, m, tolerance, r, &o.iterations);
        o.seconds[o.runs] = t;
        if (o.runs == 0)
            most = worth_repeating(t);
    }
    if (mrn_measure_answer(&s->p, r, NULL, &measures, NULL) != MRN_OK)
        _exit(1);
    o.natural = measures.natural, o.siconos = measures.siconos;
    _exit(write(pipe_end, &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1);
}

/* Waits for an answer until the child has used `limit` seconds of a processor. */
static bool hear(pid_t pid, int pipe_end, double limit, outcome *o)
{
    struct pollfd end = {.fd = pipe_end, .events = POLLIN};
    clockid_t clock;
    bool timed = clock_getcpuclockid(pid, &clock) == 0;
    while (poll(&end, 1, 20) == 0)
        if (timed && seconds_of_clock(clock) > limit) {
            kill(pid, SIGKILL);
            return false;
        }
    return read(pipe_end, o, sizeof *o) == (ssize_t)sizeof *o;
}

verdict solve_apart(const subject *s, const method *m, double tolerance, outcome *o)
{
    int ends[2], status = 0;
    memset(o, 0, sizeof *o);
    fflush(NULL);
    if (pipe(ends) != 0)
        return FAILED;
    pid_t pid = fork();
    if (pid == 0)
        child(s, m, tolerance, ends[1]);
    close(ends[1]);
    /* ours stops by itself at the limit */
    double limit = m->ours != NULL ? 2 * s->limit + 10 : s->limit;
    bool heard = pid > 0 && hear(pid, ends[0], limit, o);
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    if (heard)
        return SOLVED;
    return pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? TOO_LONG : FAILED;
}
