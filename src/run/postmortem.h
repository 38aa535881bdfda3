/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a post-mortem finds out (postmortem.c) and how it is stated (postmortem_files.c). */
#ifndef MRN_RUN_POSTMORTEM_H
#define MRN_RUN_POSTMORTEM_H

#include "run/parts.h"

#define MRN_WITNESSES 24
#define MRN_FACES     16

/* How the first bad step was recognised. */
typedef enum mrn_sign {
    MRN_SIGN_NOT_FINITE, /* a number that is none                            */
    MRN_SIGN_OVERLAP,    /* deeper than half the effective radius            */
    MRN_SIGN_ENERGY,     /* energy out of nothing                            */
    MRN_SIGN_EVENTS,     /* collisions without time going on                 */
    MRN_SIGN_NONE,       /* nothing until the end of the run: its last state */
} mrn_sign;

typedef enum mrn_cause {
    MRN_CAUSE_STEP,     /* the step is above what these contacts allow              */
    MRN_CAUSE_FAST,     /* a grain crosses a good part of itself in one step        */
    MRN_CAUSE_START,    /* they overlapped before they had moved                    */
    MRN_CAUSE_SOFT,     /* the law cannot stop what happens within half a radius    */
    MRN_CAUSE_UNSOLVED, /* contact problems were not solved (non-smooth engine)          */
    MRN_CAUSE_SIGNAL,   /* gravity is not a finite number                             */
    MRN_CAUSE_EVENTS,   /* collisions without end, or below the rounding of time (method event) */
    MRN_CAUSE_LEDGER,   /* neither: a law or a drive puts in what it does not book  */
} mrn_cause;

/* A grain that took part, as it was when the minimal scene begins. */
typedef struct mrn_witness {
    int32_t id;
    int group, material;
    double radius, mass;
    bool fixed, member;
    mrn_vec3 x, v, w; /* x: the image nearest to the first witness */
    double speed;     /* at the first bad step                     */
} mrn_witness;

/* A piece of wall that a witness touched: its tangent plane. */
typedef struct mrn_suspect {
    int wall;
    int32_t grain; /* id */
    mrn_vec3 point, normal, velocity;
} mrn_suspect;

typedef struct mrn_story {
    const mrn_scene *scene;
    int64_t good_step; /* of the state the search began from */
    double good_time;
    int64_t step; /* first bad one */
    double time, h;
    mrn_sign sign;
    mrn_cause cause;
    int32_t grain, other; /* ids of the worst contact; other: a wall's index when `wall` */
    bool wall;
    double overlap;          /* of the worst contact over its effective radius */
    double closing;          /* m/s, when the scene begins */
    double critical, travel; /* local stability limit, s; farthest way in a step over radius */
    double start_overlap;    /* at the begin of the search */
    double largest_overlap;  /* in the run when it ended */
    mrn_solving solver;      /* at the first bad step */
    mrn_energies before, after;
    mrn_ledger ledger_before, ledger_after;
    const char *channel; /* of the ledger that moved most */
    int64_t begin_step;  /* where the minimal scene begins */
    double begin_time;
    mrn_vec3 gravity;
    int n_witnesses;
    mrn_witness witness[MRN_WITNESSES];
    int n_faces;
    mrn_suspect face[MRN_FACES];
} mrn_story;

/* One sentence each. */
void mrn_story_sign(const mrn_story *t, char *buf, size_t size);
void mrn_story_cause(const mrn_story *t, char *buf, size_t size);
void mrn_story_cure(const mrn_story *t, char *buf, size_t size);

/* The files, in an existing folder. */
mrn_status mrn_story_write_report(const mrn_story *t, const char *dir, mrn_message *msg);
mrn_status mrn_story_write_json(const mrn_story *t, const char *dir, mrn_message *msg);
mrn_status mrn_story_write_scene(const mrn_story *t, const char *dir, mrn_message *msg);

#endif
