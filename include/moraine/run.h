/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run: stages, outputs, checkpoint, progress. */
#ifndef MORAINE_RUN_H
#define MORAINE_RUN_H

#include "moraine/engine.h"
#include "moraine/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a run tells while it goes; called between steps from the calling thread. */
typedef struct mrn_progress {
    const mrn_scene *scene;
    const mrn_state *state;
    int stage;
    double fraction; /* of the stage's time limit or nearest end condition, 0…1; NAN unknown */
    double wall_seconds; /* since the run began                                              */
    double remaining;    /* estimate, s; NAN unknown                                         */
    bool row;            /* time for a row of the table (an output instant)                  */
    bool ended;          /* the stage is over: of `sample` alone                             */
} mrn_progress;

typedef struct mrn_run_options {
    const char *out; /* folder; created; NULL: nothing is written                  */
    bool resume;     /* go on from out/checkpoint.h5                               */
    bool overwrite;  /* a folder with an earlier run may be replaced               */
    /* With `resume`: what the scene may have changed since the checkpoint, of the names that
       mrn_checkpoint_change_at lists; all else must be the same. */
    const char *const *change;
    int n_change;
    volatile const int *stop; /* set to non-zero (by a signal) to end cleanly; may be NULL  */
    void (*progress)(const mrn_progress *p, void *user);
    void *user;
    int64_t max_steps;  /* 0: no limit (for trials and tests)                         */
    bool adapt_threads; /* few grains may use fewer threads than mrn_threads()        */
    /* Steps whose contact problems are written, as the files of FCLIB (non-smooth engine only, else
       MRN_ERR_INPUT): to problem_path, which holds one, or (NULL) to out/problems/step-N.hdf5. */
    const int64_t *problem_at;
    int n_problems;
    const char *problem_path;
    /* Called with the state of every row of probes.csv (`row`), whether that is written or not, and
       when a stage is over (`ended`), before the next one changes anything. Gets `user`; may be
       NULL. */
    void (*sample)(const mrn_progress *p, void *user);
    /* NULL, or the scene that is run: its lists of grains, which may be as large as the state, are
       given back as soon as they are placed. It cannot be run again then. */
    mrn_scene *spent;
} mrn_run_options;

/* Something a user should know. Each kind is stated once, as it first came up, and counted. */
typedef struct mrn_warning {
    char kind[24]; /* "time-step", "restitution", "overlap", … */
    int key;       /* tells apart what comes in several: stage, interaction; else 0 */
    char text[256];
    int64_t step; /* when first seen */
    double time;
    int64_t count;
} mrn_warning;
#define MRN_WARNING_MAX 24

#define MRN_UNSOLVED_MAX 10

/* What a method has to say of its steps, for people. */
typedef struct mrn_run_line {
    char label[16], text[240];
} mrn_run_line;
#define MRN_RUN_LINES 8

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
    mrn_warning warning[MRN_WARNING_MAX];
    char postmortem[1024]; /* folder, when the run exploded and one was written; else "" */
    /* Contact problems that were not solved and are kept in out/unsolved (non-smooth engine). */
    int n_unsolved_files;
    char unsolved_file[MRN_UNSOLVED_MAX][48];
    int n_lines; /* of the methods that had a part in the run */
    mrn_run_line line[MRN_RUN_LINES];
} mrn_run_result;

/* How the steps of the methods went that had a part in a run, as JSON: an object with a section per
   method, as in summary.json. To be given to mrn_free; NULL: out of memory. */
MRN_API char *mrn_run_report(const mrn_scene *scene, const mrn_state *s);

/* The world of a scene at its start: built, first stage entered, time step chosen (in s->h), ready
   for mrn_engine_create. *limit tells why. `s` must be empty ({0}). MRN_TOO_STIFF: the given step
   cannot work. */
MRN_API mrn_status mrn_run_prepare(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit,
                                   mrn_message *msg);

/* mrn_engine_step_limit of what is there and of the smallest grains that inlets may bring. */
MRN_API mrn_status mrn_run_step_limit(const mrn_scene *scene, const mrn_state *s,
                                      mrn_step_limit *limit, mrn_message *msg);

/* Threads that suit so many grains: at most mrn_threads(), fewer when there is too little to share.
 */
MRN_API int mrn_run_threads(const mrn_scene *scene, const mrn_state *s);

/* Makes one step of the non-smooth engine on a copy of the state, from the impulses it holds, and
   writes the contact problem of that step to `path` (with its impulses as a guess). The scene must
   be prepared with method nonsmooth; s->h is the step. `facts` may be NULL. */
typedef struct mrn_problem_file {
    int contacts, bodies;
    int64_t step;    /* number of the step made */
    double residual; /* natural map of its impulses */
} mrn_problem_file;
MRN_API mrn_status mrn_run_write_problem(const mrn_scene *scene, const mrn_state *s,
                                         const char *path, bool overwrite, mrn_problem_file *facts,
                                         mrn_message *msg);

/* Overlap, of the effective radius, beyond which grains are hardly grains any more: 15 % of the
   radius of like spheres. Runs and checks warn. */
#define MRN_SOFT_CONTACT 0.3

/* What a head-on collision comes to, with the engine and the step s->h: asked for and obtained. The
   non-smooth engine gives what is asked for: there nothing is tried. */
typedef struct mrn_impact {
    bool tried;   /* false: there are no such grains                                    */
    bool stuck;   /* they touched and did not part again: adhesion, or no bounce at all */
    double asked; /* restitution in the scene; NAN: the law has none or it is not given */
    double restitution, contact_time, overlap; /* overlap over the effective radius, largest */
    double speed; /* m/s, of approach                                                   */
} mrn_impact;
/* Of the lightest grains of an interaction's two materials. */
MRN_API mrn_status mrn_run_impact(const mrn_scene *scene, const mrn_state *s, int interaction,
                                  double speed, mrn_impact *out, mrn_message *msg);

/* The same for the ends of the size distribution: every interaction that grains of the world, or
   those that will enter, can have. */
typedef enum mrn_impact_kind {
    MRN_IMPACT_SMALLEST, /* smallest grain of one material on smallest of the other */
    MRN_IMPACT_LARGEST,  /* largest on largest                                      */
    MRN_IMPACT_MIXED,    /* smallest on largest                                     */
    MRN_IMPACT_SMALL_WALL,
    MRN_IMPACT_LARGE_WALL,
} mrn_impact_kind;
typedef struct mrn_impact_row {
    int interaction;
    mrn_impact_kind kind;
    double radius[2]; /* m; [1] is INFINITY for a wall */
    mrn_impact impact;
} mrn_impact_row;
MRN_API const char *mrn_impact_kind_name(mrn_impact_kind k); /* "smallest on smallest", … */
/* Fills *rows (freed by mrn_free) and *n. */
MRN_API mrn_status mrn_run_impacts(const mrn_scene *scene, const mrn_state *s, double speed,
                                   mrn_impact_row **rows, int *n, mrn_message *msg);

MRN_API mrn_run_options mrn_run_default(void);
/* Runs all stages, on a copy of the scene (prepared there if it was not): the scene itself stays as
   it is and may be run again. MRN_OK: all stages ended as they should. MRN_AT_MOST: one met its
   time limit first. MRN_INTERRUPTED: stopped by opt->stop or opt->max_steps, and a checkpoint is
   there. MRN_EXPLODED: the state is the bad one, checkpoint.h5 an earlier good one if one was due,
   OUT/postmortem tells what happened first and to whom. MRN_TOO_STIFF while running: a given step
   came above the stability limit; a checkpoint is there, resume with a shorter one.
   MRN_NOT_CONVERGED: a contact problem was not solved and the scene says stop; the checkpoint is
   before that step. Errors and MRN_TOO_STIFF at the begin leave the folder untouched. */
MRN_API mrn_status mrn_run(const mrn_scene *scene, const mrn_run_options *opt, mrn_run_result *out,
                           mrn_message *msg);

/* ---- where two runs part ---- */

/* One number of one body that differs. */
typedef struct mrn_difference {
    int32_t id;     /* persistent number of the body       */
    int group;      /* of scene A; -1 for a wall           */
    char field[24]; /* "x", "v", …                         */
    int component;  /* 0, 1, …                             */
    double a, b;    /* the two values                      */
} mrn_difference;
#define MRN_DIFFERENCES 8

/* How far apart at a later instant. */
typedef struct mrn_gap {
    int64_t step;
    double time;
    double position, velocity; /* largest distances of any body, m and m/s */
    int64_t bodies;            /* that differ in some bit                   */
} mrn_gap;
#define MRN_GAPS 40

typedef struct mrn_parting {
    bool apart;
    bool counts;  /* they have not the same bodies            */
    int64_t step; /* first step (stored frame) that differs   */
    double time;
    int64_t last_same; /* last step (stored frame) that does not; -1: none */
    int64_t compared;  /* steps (frames) looked at                 */
    int64_t bodies;    /* that differ then                         */
    int n;             /* of them listed, largest difference first */
    mrn_difference difference[MRN_DIFFERENCES];
    int n_gaps;
    mrn_gap gap[MRN_GAPS];
    double step_size[2]; /* time steps then, s */
    char why[256];       /* in words: what differs that is not a body, contacts of the first one */
} mrn_parting;

typedef struct mrn_diff_options {
    int64_t max_steps;        /* 0: to the end                                        */
    int64_t after;            /* steps to go on after they part, to see how the gap grows */
    int threads[2];           /* 0: as mrn_threads()                                  */
    volatile const int *stop; /* may be NULL                                     */
} mrn_diff_options;
MRN_API mrn_diff_options mrn_diff_default(void);
/* Runs two scenes step by step beside each other, in memory, and finds the first step and body with
   different bits, on copies of the scenes. MRN_INTERRUPTED: stopped. */
MRN_API mrn_status mrn_run_diff(const mrn_scene *a, const mrn_scene *b, const mrn_diff_options *opt,
                                mrn_parting *out, mrn_message *msg);
/* The same for the stored frames of two runs (folders or trajectory.h5). */
MRN_API mrn_status mrn_trajectory_diff(const char *a, const char *b, mrn_parting *out,
                                       mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
