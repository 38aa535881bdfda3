/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a run: its folder, its calendar, its files, its account at the end. */
#ifndef MRN_RUN_PARTS_H
#define MRN_RUN_PARTS_H

#include "moraine/run.h"

#define MRN_RUN_PATH 1024

/* ---- calendar (schedule.c): everything is a function of state and scene, nothing is remembered,
   so that a resumed run meets the same instants ---- */

/* The step nearest to simulated time t, counted in steps of the stage under way. */
int64_t mrn_schedule_step(const mrn_state *s, double t);
/* The time at the end of a step, counted likewise. */
double mrn_schedule_time(const mrn_state *s, int64_t step);
/* The first step after the present one on which a multiple of `every` falls; INT64_MAX when every
 * is 0. */
int64_t mrn_schedule_next(const mrn_state *s, double every);
/* Whether a multiple of `every` falls on the present step. */
bool mrn_schedule_due(const mrn_state *s, double every);
/* Whether the present step is one on which end conditions are looked at. */
bool mrn_schedule_check_due(const mrn_scene *scene, const mrn_state *s);
int64_t mrn_schedule_next_check(const mrn_scene *scene, const mrn_state *s);
/* Whether the present step is one on which the time step is looked at. */
bool mrn_schedule_recheck_due(const mrn_scene *scene, const mrn_state *s);

/* When a stage ends. `last`: the step it cannot pass (INT64_MAX: none), because of `at-most` or
   because all its conditions are times and step counts (`exact`). */
typedef struct mrn_stage_end {
    int64_t last;
    bool exact;
} mrn_stage_end;
mrn_stage_end mrn_schedule_end(const mrn_stage *stage, const mrn_state *s);
/* Whether all `until` conditions hold now; `why` gets them in words. */
bool mrn_conditions_hold(const mrn_scene *scene, const mrn_stage *stage, const mrn_state *s,
                         char *why, size_t size);
/* Whether one that time, steps or energies alone tell does not hold. */
bool mrn_conditions_forbid(const mrn_scene *scene, const mrn_stage *stage, const mrn_state *s,
                           const mrn_energies *e);

/* ---- folder (folder.c) ---- */

void mrn_folder_path(const char *dir, const char *name, char out[MRN_RUN_PATH]);
/* While `*lock` (-1: none yet) is held no other run writes there; MRN_ERR_INPUT when one does. A
   folder that is not there yet cannot be locked, which is no error. */
mrn_status mrn_folder_lock(const char *dir, int *lock, mrn_message *msg);
void mrn_folder_unlock(int *lock);
/* Looks, touches nothing: may this run use the folder? */
mrn_status mrn_folder_check(const mrn_scene *scene, const mrn_run_options *opt, mrn_message *msg);
/* Makes the folder with its parents, locks it, and removes an earlier run when that is allowed. */
mrn_status mrn_folder_open(const mrn_scene *scene, const mrn_run_options *opt, int *lock,
                           mrn_message *msg);
/* Puts the scene's text beside the results, for repeating the run. */
mrn_status mrn_folder_keep_scene(const mrn_scene *scene, const char *dir, int64_t step,
                                 mrn_message *msg); /* as scene-until-STEP.yaml */
mrn_status mrn_folder_save_scene(const mrn_scene *scene, const char *dir, mrn_message *msg);

/* ---- probes.csv (probes.c) ---- */

typedef struct mrn_probe_file {
    FILE *f;
    int n;
    char (*name)[128];
    double *value;    /* of a row                                             */
    double *before;   /* of the row before; NAN: there was none               */
    int32_t *rate_of; /* of which column it is the rate; -1: it is a probe   */
    double before_time;
    int64_t room;
    bool full;              /* memory ended                                  */
    const mrn_scene *scene; /* while columns are listed                      */
} mrn_probe_file;
/* Columns: time, step, stage, and those that the scene and its stages ask for; the usual ones where
   the scene asks for none. Call before a stage is entered, so that they are the same for a resumed
   run. */
mrn_status mrn_probe_file_columns(const mrn_scene *scene, mrn_probe_file *out, mrn_message *msg);
/* Starts the file; `resume_step` >= 0 keeps the rows up to that step and goes on. */
mrn_status mrn_probe_file_open(const char *dir, const mrn_scene *scene, int64_t resume_step,
                               mrn_probe_file *p, mrn_message *msg);
mrn_status mrn_probe_file_row(mrn_probe_file *p, const mrn_scene *scene, const mrn_state *s,
                              mrn_message *msg);
mrn_status mrn_probe_file_close(mrn_probe_file *p, mrn_message *msg);

/* ---- summary.json (summary.c) ---- */

/* A target of a servo and what was reached at the end of the stage. */
typedef struct mrn_servo_record {
    char name[MRN_NAME + 16]; /* "cell.xx", "walls.lid" */
    char unit[8];
    double asked, obtained;
    int wall; /* -1: the cell */
} mrn_servo_record;

typedef struct mrn_stage_record {
    bool begun, ended;
    double time_begin, time_end, h;
    double h_end; /* shorter when the step had to shrink */
    int64_t step_begin, step_end;
    char reason[256]; /* what ended it */
    mrn_status outcome;
    int n_servos;
    mrn_servo_record servo[MRN_SERVO_MAX];
} mrn_stage_record;
/* Targets of the stage in force and what is reached now. */
void mrn_servo_look(const mrn_scene *scene, const mrn_state *s, mrn_stage_record *r);
/* Takes this instant into the means, once: a resumed run may look at it again. */
void mrn_servo_follow(const mrn_scene *scene, mrn_state *s, mrn_stage_record *r);
/* Whether servo i missed its target: now, and lately by more than it fluctuates. The stress of a
   flow is off at almost any instant, and right on the mean. */
bool mrn_servo_missed(const mrn_stage_record *r, const mrn_servo_memory *m, int i);
/* Whether the next stage leaves this servo at its work: then it is judged there. */
bool mrn_servo_goes_on(const mrn_servo_record *s, const mrn_stage *next);

typedef struct mrn_account {
    const mrn_scene *scene;
    const mrn_state *state;
    const mrn_run_result *result;
    const mrn_message *msg;
    const mrn_stage_record *stage; /* scene->n_stages */
    const mrn_step_limit *limit;
    bool step_given;
    int64_t resumed_at; /* step; -1: from the start */
    const char *dir;
    const mrn_impact_row *impact; /* NULL: not known (resumed) */
    int n_impacts;
} mrn_account;
mrn_status mrn_summary_write(const mrn_account *a, mrn_message *msg);
/* The stage records and warnings of the run up to `step`, for one that goes on; a missing or odd
   file gives none. */
void mrn_summary_recall(const char *dir, const mrn_scene *scene, int64_t step,
                        mrn_stage_record *stage, mrn_run_result *result);

/* ---- stages (stage.c) ---- */

/* The changes of a stage, its time step, forces anew. */
mrn_status mrn_run_enter_stage(mrn_scene *scene, mrn_state *s, mrn_engine *e, int stage,
                               mrn_step_limit *limit, mrn_message *msg);

/* ---- step ---- */

/* mrn_run_prepare for a scene that need not have stages. */
mrn_status mrn_run_place(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit, mrn_message *msg);

/* Sets s->h; MRN_ERR_RANGE when time has no digits for it: a run would make no step for ever. */
mrn_status mrn_run_set_step(mrn_state *s, double h, mrn_message *msg);

/* Chooses s->h from the scene and what is there; MRN_TOO_STIFF when a given step cannot work. */
mrn_status mrn_run_choose_step(const mrn_scene *scene, mrn_state *s, mrn_step_limit *limit,
                               mrn_message *msg);
/* The smallest (largest) radius a group's sizes allow. */
double mrn_size_least(const mrn_size *z);
double mrn_size_most(const mrn_size *z);

/* The diagonal of the box around grains and cell: infinite walls are cut there (outputs.c). */
double mrn_outputs_extent(const mrn_scene *scene, const mrn_state *s);

/* ---- folder of the post-mortem (postmortem.c) ---- */

/* What is known when a run has exploded. `good` is an earlier state of the same stage (consumed:
   stepped on to the first bad step), `bad` where the run ended. */
typedef struct mrn_postmortem {
    const mrn_scene *scene;
    mrn_state *good;
    const mrn_state *bad;
    const mrn_step_limit *limit; /* when the stage began */
    const char *dir;             /* of the run */
} mrn_postmortem;
/* Writes DIR/postmortem; msg gets the story in short. MRN_OK, or an error of writing. */
mrn_status mrn_postmortem_write(mrn_postmortem *p, mrn_message *msg);

#endif
