/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the room share about one collision: an encounter (all a collision needs, in
   numbers), its outcome, and the two ways to get from one to the other. */
#ifndef MRN_COLLIDE_ENCOUNTER_H
#define MRN_COLLIDE_ENCOUNTER_H

#include "moraine/lab.h"

/* A collision made ready: everything relative, C less A, A at rest before. */
typedef struct mrn_encounter {
    const mrn_prepared *law;
    double radius[2]; /* of C and A; A is a plane: 0, for it has no arm                       */
    double mass[2];   /* what does not move: INFINITY                                         */
    double inverse_inertia[2]; /* 1 / moment of inertia; what does not move: 0 */
    double curve;  /* 1 / (R_C + R_A); a plane: 0. The line of centres turns by it         */
    double shrink; /* arms are (1 - shrink delta) times the radii, detect/kinematics.h     */
    double m_eff, r_eff, range;
    double sin, cos; /* of the angle from the normal                                         */
    double speed;
    double spin[2][3];
    double time;    /* that the normal law expects of the impact: the scale of the steps       */
    bool plane;     /* A is one                                                             */
    bool reset;     /* the spring is set anew when it slides: the force jumps as slip ends  */
    bool about_end; /* mrn_collision                                                        */
} mrn_encounter;

/* How it ended. */
typedef struct mrn_outcome {
    double q[3];           /* way of C relative to A since touch  */
    double v[3];           /* velocity of C relative to A         */
    double w[2][3];        /* spins                               */
    double time;           /* of contact                          */
    double force, overlap; /* the largest                     */
    double error;
    int64_t steps;
    bool stuck;
} mrn_outcome;

/* Materials and parameters to coefficients; says what is missing. (collision_setup.c) */
mrn_status mrn_collision_prepare(const mrn_collision *c, mrn_prepared *out, mrn_message *msg);
/* Sizes, speeds, materials; not the law. */
mrn_status mrn_collision_check_motion(const mrn_collision *c, mrn_message *msg);
/* Whether the two have the same law, materials and parameters (n of them): one preparation serves
   both. */
bool mrn_collision_alike(const mrn_collision *a, const mrn_collision *b, int n);
void mrn_encounter_make(const mrn_collision *c, const mrn_prepared *law, mrn_encounter *out);

/* How far two outcomes of one encounter are apart: the largest of en, et, omega R / speed and
   contact time, relative. (rebound.c) */
double mrn_outcome_distance(const mrn_encounter *e, const mrn_outcome *a, const mrn_outcome *b);
/* Energy of relative motion and spin. */
double mrn_encounter_energy(const mrn_encounter *e, const double *v, const double (*w)[3]);
void mrn_rebound_fill(const mrn_encounter *e, const mrn_outcome *o, mrn_rebound *out);

/* The hard-sphere jump. (hard_sphere.c) */
mrn_status mrn_hard_sphere(const mrn_collision *c, mrn_outcome *out, mrn_message *msg);

/* Called with each instant of a collision, for its history. */
typedef struct mrn_watcher {
    void (*see)(void *user, const mrn_collision_row *row);
    void *user;
} mrn_watcher;

/* Steps as the smooth engine makes them. (collision_steps.c) */
typedef struct mrn_stepper mrn_stepper;
mrn_status mrn_stepper_create(mrn_stepper **out, mrn_message *msg);
void mrn_stepper_destroy(mrn_stepper **s);
/* n <= MRN_BLOCK encounters with one law, with step h. `watch` may be NULL. */
void mrn_stepper_run(mrn_stepper *s, const mrn_encounter *const *e, int n, double h,
                     mrn_outcome *const *out, const mrn_watcher *watch);

/* As the limit of small steps, for collisions in a plane under the laws that it knows how to
   follow. (collision_flow.c) */
typedef struct mrn_collision_path mrn_collision_path;
/* block: for laws whose forces cannot be asked lane by lane (mrn_collision_path_lanes). */
mrn_status mrn_collision_path_create(mrn_collision_path **out, bool block, mrn_message *msg);
void mrn_collision_path_destroy(mrn_collision_path **f);
bool mrn_collision_path_suits(const mrn_encounter *e);
bool mrn_collision_path_lanes(const mrn_law *const part[MRN_LAW_KINDS]);
/* Those of n encounters that suit, which are marked done; the others are left as they are. Outcomes
   say how large their errors are. Neighbours whose laws have the same parts go side by side. */
void mrn_collision_path_run(mrn_collision_path *f, const mrn_encounter *e, int64_t n,
                            double accuracy, bool *done, mrn_outcome *out);

#endif
