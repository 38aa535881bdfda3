/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run: stages, outputs, checkpoint, progress. */
#ifndef MORAINE_RUN_H
#define MORAINE_RUN_H

#include "moraine/engine.h"
#include "moraine/io.h"

/* What a run tells while it goes; called between steps from the calling thread. */
typedef struct mrn_progress {
    const mrn_scene *scene;
    const mrn_state *state;
    int stage;
    double fraction; /* of the stage's time limit or nearest end condition, 0…1; NAN unknown */
    double wall_seconds; /* since the run began                                              */
    double remaining;    /* estimate, s; NAN unknown                                         */
    bool row;            /* time for a row of the table (an output instant)                  */
} mrn_progress;

typedef struct mrn_run_options {
    const char *out;          /* folder; created; NULL: nothing is written                  */
    bool resume;              /* go on from out/checkpoint.h5                               */
    bool overwrite;           /* a folder with an earlier run may be replaced               */
    volatile const int *stop; /* set to non-zero (by a signal) to end cleanly; may be NULL  */
    void (*progress)(const mrn_progress *p, void *user);
    void *user;
    int64_t max_steps;  /* 0: no limit (for trials and tests)                         */
    bool spare_threads; /* few grains may use fewer threads than mrn_threads()        */
} mrn_run_options;

typedef struct mrn_run_result {
    mrn_status status; /* worst outcome                                              */
    int64_t steps, body_steps, frames;
    double time; /* simulated, s */
    double wall_seconds;
    double body_steps_per_second;
    mrn_step_times times;  /* per stage of the step                                      */
    double output_seconds; /* writing files                                              */
    size_t bytes_peak;
    uint64_t hash; /* of the final state                                         */
    mrn_energies energies;
    int n_warnings;
    char warning[16][256];
} mrn_run_result;

/* The world of a scene at its start: built, first stage entered, time step chosen (in s->h), ready
   for mrn_smooth_create. *limit tells why. `s` must be empty ({0}). MRN_TOO_STIFF: the given step
   cannot work. */
MRN_API mrn_status mrn_run_prepare(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit,
                                   mrn_message *msg);

/* Threads that suit so many grains: at most mrn_threads(), fewer when there is too little to share.
 */
MRN_API int mrn_run_threads(const mrn_state *s);

/* What a head-on collision of the lightest grains of an interaction's two materials comes to, with
   the engine and the step s->h: asked for and obtained. */
typedef struct mrn_impact {
    bool tried;   /* false: no grains of both materials, or they did not part          */
    double asked; /* restitution in the scene; NAN: the law has none or it is not given */
    double restitution, contact_time, overlap; /* overlap over the effective radius, largest */
    double speed; /* m/s, of approach                                                   */
} mrn_impact;
MRN_API mrn_status mrn_run_impact(const mrn_scene *scene, const mrn_state *s, int interaction,
                                  double speed, mrn_impact *out, mrn_message *msg);

MRN_API mrn_run_options mrn_run_default(void);
/* Runs all stages. The scene is changed by the stages it enters: read it anew for another run.
   MRN_OK: all stages ended as they should. MRN_AT_MOST: one met its time limit first.
   MRN_INTERRUPTED: stopped by opt->stop or opt->max_steps, and a checkpoint is there. MRN_EXPLODED:
   the state is the bad one, checkpoint.h5 an earlier good one if one was due. Errors and
   MRN_TOO_STIFF at the begin leave the folder untouched.
 */
MRN_API mrn_status mrn_run(mrn_scene *scene, const mrn_run_options *opt, mrn_run_result *out,
                           mrn_message *msg);

#endif
