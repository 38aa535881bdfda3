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
    double fraction;      /* of the stage's time limit or nearest end condition, 0…1; NAN unknown */
    double wall_seconds;  /* since the run began                                              */
    double remaining;     /* estimate, s; NAN unknown                                         */
    bool row;             /* time for a row of the table (an output instant)                  */
} mrn_progress;

typedef struct mrn_run_options {
    const char *out;            /* folder; created; NULL: nothing is written                  */
    bool resume;                /* go on from out/checkpoint.h5                               */
    bool overwrite;             /* a folder with an earlier run may be replaced               */
    volatile const int *stop;   /* set to non-zero (by a signal) to end cleanly; may be NULL  */
    void (*progress)(const mrn_progress *p, void *user);
    void *user;
    int64_t max_steps;          /* 0: no limit (for trials and tests)                         */
} mrn_run_options;

typedef struct mrn_run_result {
    mrn_status status;          /* worst outcome                                              */
    int64_t steps, body_steps, frames;
    double time;                /* simulated, s */
    double wall_seconds;
    double body_steps_per_second;
    mrn_step_times times;       /* per stage of the step                                      */
    double output_seconds;      /* writing files                                              */
    size_t bytes_peak;
    uint64_t hash;              /* of the final state                                         */
    mrn_energies energies;
    int n_warnings;
    char warning[16][256];
} mrn_run_result;

MRN_API mrn_run_options mrn_run_default(void);
MRN_API mrn_status mrn_run(mrn_scene *scene, const mrn_run_options *opt, mrn_run_result *out,
                           mrn_message *msg);

#endif
