/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as the user sees it: head, table, bar, closing block. Used by `run` and `demo`. */
#ifndef MORAINE_SESSION_H
#define MORAINE_SESSION_H

#include <signal.h>

#include "app.h"

typedef struct mrn_session {
    const char *scene_path;
    const char *out;
    const char *const *set; /* "path=value" */
    int n_set;
    bool resume, overwrite, quiet, json;
    const char *const *change; /* with resume: what may differ */
    int n_change;
    int64_t max_steps;         /* 0: no limit */
    bool all_threads;          /* the user chose their number: all are used */
    bool no_hints;             /* leave out "what to try next" */
    const int64_t *problem_at; /* steps whose contact problems are written */
    int n_problems;
    bool view;       /* in the browser while it goes */
    bool no_browser; /* its address alone            */
} mrn_session;

/* Reads the scene, runs it, tells about it; returns the exit code. */
int mrn_session_run(const mrn_session *session);
/* An error as JSON on stdout (for --json) or as text on stderr. */
int mrn_session_fail(const mrn_message *msg, bool json);
json_t *mrn_session_message_json(const mrn_message *msg);
/* From now on Ctrl-C and its like do not kill at once; what is returned tells that one came. */
const volatile sig_atomic_t *mrn_session_watch_signals(void);

/* From now on work before the first step (placing grains, looking for an equilibrium) tells on
   stderr how far it is, when it takes long, and ends at Ctrl-C where signals are watched. */
void mrn_session_tell_long_work(bool quiet);
/* Takes its line from the terminal. */
void mrn_session_clear_long_work(void);

/* ---- the parts, in console.c ---- */

typedef struct mrn_console {
    FILE *f;
    bool stepless;   /* the method has no time step */
    bool quiet, bar; /* bar: f is a terminal                              */
    const mrn_session *session;
    bool begun; /* the run made it to its first step                 */
    int stage;  /* of the last row; -1: none                         */
    double row_fraction, row_clock, bar_clock;
    int64_t row_step;
    int rows;
} mrn_console;
void mrn_console_progress(const mrn_progress *p, void *console);
void mrn_console_close(mrn_console *c, const mrn_run_result *r, const json_t *summary);

#endif
