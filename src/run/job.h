/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run under way: what its parts share. */
#ifndef MRN_RUN_JOB_H
#define MRN_RUN_JOB_H

#include "run/parts.h"

typedef struct mrn_job {
    mrn_scene own;    /* copy of the scene given, changed by the stages it enters           */
    mrn_scene *scene; /* &own: a job does not move; NULL: never begun                       */
    const mrn_run_options *opt;
    mrn_run_result *out;
    mrn_message *msg;
    mrn_state s;
    mrn_engine engine;
    mrn_step_limit limit;
    bool step_given;
    mrn_stage_record *record;
    mrn_stage_end end;      /* of the stage under way                              */
    bool may_end;           /* the stage, at this step: energies and time do not forbid it */
    const mrn_scene *given; /* it has lent `own` its lists of grains; NULL: no  */
    mrn_trajectory *trajectory;
    struct mrn_writer *writer; /* of its frames; NULL: none is open              */
    mrn_probe_file probes;
    int64_t resumed_at;                       /* -1: from the start                   */
    int64_t first_step;                       /* of this session                      */
    int64_t stop_step;                        /* where to stop; INT64_MAX: nowhere    */
    int64_t frame_step, row_step, field_step; /* steps of the last of each, -1: none  */
    double clock_begin, clock_checkpoint, clock_told;
    double seconds_per_step; /* running mean; NAN: not yet known                    */
    int lock;                /* on the output folder; -1: none                                    */
    bool outputs_open;
    bool new_trajectory; /* a resumed run found none                           */
    int threads;         /* in force before the run                             */
    mrn_impact_row *impact;
    int n_impacts;
    /* for the post-mortem: an earlier state of this stage */
    mrn_state good;
    bool has_good;
    /* watch of the ledger */
    double last_residual; /* at the check before; NAN: none */
    bool entering;        /* a stage whose begin was refused: the checkpoint is before it */
} mrn_job;

/* ---- run.c: the loop in pieces, for runs side by side ---- */

/* Takes a copy of the scene; on failure there is nothing to destroy. */
mrn_status mrn_job_init(mrn_job *j, const mrn_scene *scene, const mrn_run_options *opt,
                        mrn_run_result *out, mrn_message *msg);
mrn_status mrn_job_begin(mrn_job *j);
/* Goes on until the end (MRN_OK) or j->stop_step (MRN_INTERRUPTED). */
mrn_status mrn_job_advance(mrn_job *j);
void mrn_job_destroy(mrn_job *j);

/* ---- watch.c: what a user should know, and what must stop a run ---- */

void mrn_job_warn(mrn_job *j, const char *kind, int key, const char *fmt, ...) MRN_PRINTF(4, 5);
/* The step against the limit of what is there now: shrinks a computed step; a given one above the
   limit is MRN_TOO_STIFF. *changed: the calendar must be read anew. */
mrn_status mrn_watch_step(mrn_job *j, bool *changed);
/* MRN_EXPLODED when a body is nowhere or infinitely fast. */
mrn_status mrn_watch_finite(mrn_job *j, const mrn_energies *e);
/* The same by the numbers of every grain: what is written to a file are numbers. */
mrn_status mrn_watch_bodies(mrn_job *j);
/* The ledger: energy out of nothing. MRN_EXPLODED when it runs away. */
mrn_status mrn_watch_energy(mrn_job *j, const mrn_energies *e);
/* Grains too soft for what happens to them; inlets that find no room. */
void mrn_watch_state(mrn_job *j);
/* The non-smooth engine: problems not solved, grains that leap or overlap, with the numbers of now.
 */
void mrn_watch_solver(mrn_job *j);
/* An overlap in m over the mean radius of the grains; 0 without grains. */
double mrn_watch_overlap(const mrn_job *j, double overlap);
/* Keeps a copy of the state now and then, for the post-mortem. `now`: in any case. */
mrn_status mrn_watch_keep(mrn_job *j, bool now);
/* After MRN_EXPLODED: writes the post-mortem and completes the message. */
void mrn_watch_explain(mrn_job *j);

/* ---- problems.c: contact problems of the non-smooth engine, as files ---- */

/* Steps asked for that cannot be had are refused before anything is done. */
mrn_status mrn_problems_check(const mrn_job *j);
/* The next step whose problem is asked for; INT64_MAX: none. */
int64_t mrn_problems_next(const mrn_job *j);
/* Writes the problem of the step just made if it was asked for. */
mrn_status mrn_problems_write(mrn_job *j);
/* From now on problems that are not solved are kept in the run's folder. */
void mrn_problems_keep(mrn_job *j);

/* ---- writer.c: frames on their way to the trajectory ---- */

typedef struct mrn_writer mrn_writer;
/* `beside`: frames are written while steps go on. The trajectory is the writer's until it is
   destroyed, but for whoever has waited. */
mrn_status mrn_writer_create(mrn_trajectory *to, bool beside, mrn_writer **out, mrn_message *msg);
/* Takes the frame over. An error is of this frame, or of the one before. */
mrn_status mrn_writer_put(mrn_writer *w, mrn_frame *frame, mrn_message *msg);
/* Until the last frame is in the file; its error. NULL: nothing to wait for. */
mrn_status mrn_writer_wait(mrn_writer *w, mrn_message *msg);
mrn_status mrn_writer_destroy(mrn_writer **slot, mrn_message *msg);

/* ---- outputs.c ---- */

mrn_status mrn_outputs_open(mrn_job *j);
/* All that is due at the present step; `all`: at the first and last instant in any case. */
mrn_status mrn_outputs_write(mrn_job *j, bool all);
mrn_status mrn_outputs_checkpoint(mrn_job *j);
/* Writes a checkpoint when the last is older than so many seconds of the clock. */
mrn_status mrn_outputs_checkpoint_after(mrn_job *j, double seconds);
/* Closes the files; returns the first error. */
mrn_status mrn_outputs_close(mrn_job *j, mrn_message *msg);
double mrn_outputs_probes_every(const mrn_job *j);
double mrn_outputs_fields_every(const mrn_job *j);
/* State and neighbour list of a checkpoint, for a scene whose stages are entered or will be. */
mrn_status mrn_outputs_read_checkpoint(const mrn_run_options *opt, const mrn_scene *scene,
                                       mrn_state *s, mrn_message *msg);

#endif
