/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What acts on the world from outside: walls that move as imposed or until they bear a load, walls
   that are taken away, a periodic cell that strains, gravity and forces that change, grains that
   enter and leave. Everything depends on the scene, the state and the time only, so that a resumed
   run has the same bits. Engines call these stages in the order in which they stand here. */
#ifndef MRN_DRIVE_DRIVE_H
#define MRN_DRIVE_DRIVE_H

#include "moraine/state.h"

/* The begin of a stage, after mrn_scene_enter_stage: walls the stage takes away are marked
   MRN_BODY_ABSENT, the others get their velocity at s->time; inlets open or close; gravity and the
   rates of the cell are set. */
mrn_status mrn_drive_enter_stage(const mrn_scene *scene, int stage, mrn_state *s);

/* Grains that enter and leave; called by the engine at the begin of every MRN_SOURCE_EVERY-th step
   (s->step a multiple of it) of a scene with inlets or outlets. Adds and removes bodies, counts
   them in s->drive, books their energy (kinetic, rotational, gravity) in ledger.drive_work.
   *changed: the neighbour list must be built anew. */
#define MRN_SOURCE_EVERY 20
bool mrn_drive_has_sources(const mrn_scene *scene);
mrn_status mrn_drive_sources(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg);
/* Grains (or kg) that an inlet group owes because they found no place; below one grain: none. */
double mrn_drive_inlet_debt(const mrn_scene *scene, const mrn_state *s, int group);

/* Carries every wall from its place at time_begin to its place at time_end and gives it the exact
   velocity at time_end. A servo wall takes its speed from the force on it at the last step
   (s->body.f) and the stiffness of its contacts; in a rigid scene it is left to the engine. */
void mrn_drive_walls(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end);

/* What drives ask of grains and contacts where the state's arrays are not those of now: an engine
   whose bodies stand elsewhere tells it, with the same bits. Functions that end in _by take it,
   NULL: from the state. */
typedef struct mrn_drive_sums {
    double stiff[6], viscous[6]; /* of pairs of grains against each strain (drive/resist.h); asked
                                    for when mrn_drive_cell_measures                          */
    const double *wall;          /* 2 per wall: stiffness and damping of the contacts of servo walls
                                    along their directions                                    */
    double least[3], most[3];    /* ends of the grains in each direction                      */
} mrn_drive_sums;

void mrn_drive_walls_by(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end,
                        const mrn_drive_sums *sums);

/* Force (N) that a servo wall is to press on the grains with at `time`. */
double mrn_drive_servo_load(const mrn_scene *scene, const mrn_state *s, int32_t wall, double time);

/* Sets s->cell_rate for the step that ends at `time`: rates as imposed, servo components from the
   stress of the last step in s->drive.stress (kept by the engine, contacts and kinetic part) and
   the stiffness of the network. */
void mrn_drive_cell(const mrn_scene *scene, mrn_state *s, double time);
void mrn_drive_cell_by(const mrn_scene *scene, mrn_state *s, double time,
                       const mrn_drive_sums *sums);
/* Some component is held by stress; and whether its servo asks for the stiffness of the network in
   the step that begins now. */
bool mrn_drive_cell_servo(const mrn_scene *scene);
bool mrn_drive_cell_measures(const mrn_scene *scene, const mrn_state *s);
/* Some component of the cell may strain, or is held by stress. */
bool mrn_drive_strains_cell(const mrn_scene *scene);
/* Strains the cell by h times a velocity gradient, its edges as the grains are carried. */
void mrn_drive_strain(const mrn_scene *scene, mrn_state *s, const double rate[6], double h);
/* Volume of the cell (2D: area times 1 m); along directions without a period, of the space the
   grains take up. */
double mrn_drive_volume(const mrn_scene *scene, const mrn_state *s);
double mrn_drive_volume_by(const mrn_scene *scene, const mrn_state *s, const mrn_drive_sums *sums);

/* s->gravity at `time`. */
void mrn_drive_gravity(const mrn_scene *scene, mrn_state *s, double time);

/* Forces on the bodies of each group at `time`; out has scene->n_groups entries. Returns whether
   any is not zero. */
typedef struct mrn_load {
    mrn_vec3 force, torque; /* N, N m on each body              */
    mrn_vec3 acceleration;  /* m/s2                             */
} mrn_load;
bool mrn_drive_loads(const mrn_scene *scene, const mrn_state *s, double time, mrn_load *out);

/* ---- around a step: what engines have in common (survey.c) ---- */

/* Which drives act, as long as neither the scene nor the stage changes; {0} to begin with. */
typedef struct mrn_drive_survey {
    bool sources;         /* grains enter or leave                            */
    bool strains;         /* the cell strains or is held by stress            */
    bool varying_gravity; /* gravity changes with time                        */
    bool servo_walls;     /* walls bear a load: they look at grains and contacts before a step */
    mrn_load *load;       /* per group; NULL: no forces on bodies; owned      */
    int64_t updated;      /* step after which grains last came and went, + 1  */
} mrn_drive_survey;
/* Also after every change of the scene. */
mrn_status mrn_drive_survey_make(const mrn_scene *scene, const mrn_state *s, mrn_drive_survey *d,
                                 mrn_message *msg);
void mrn_drive_survey_release(mrn_drive_survey *d);
/* Before a step: lets in and out what is due, once per step however often it is asked. *changed:
   bodies have come or gone, by this or from outside, since the list was built. */
mrn_status mrn_drive_update_sources(const mrn_scene *scene, mrn_state *s, mrn_drive_survey *d,
                                    bool *changed, mrn_message *msg);
/* First moment of mass of the bodies that gravity pulls, where they are without the cell's jumps.
 */
mrn_vec3 mrn_drive_mass_moment(const mrn_scene *scene, const mrn_state *s);
/* Gravity at `time`. The potential energy -g.moment changes with g at no force's cost: the drive
   does that work. */
void mrn_drive_change_gravity(const mrn_scene *scene, mrn_state *s, mrn_vec3 moment, double time);
/* Unit vector along which a wall turns, whenever it does; zero: not always the same, or it never
   does. */
mrn_vec3 mrn_drive_wall_axis(const mrn_motion *m);
/* Distance of the farthest point of a grain from the axis through a wall's centre, with bodies at
   x; from the centre itself where the axis is zero. */
double mrn_drive_wall_reach(const mrn_state *s, int32_t wall, const double *x, mrn_vec3 axis);
/* A bound for how far any point of a wall within `reach` of that goes in time h, when its centre
   goes `way` and it turns with its spin. */
double mrn_drive_wall_travel(const mrn_state *s, int32_t wall, mrn_vec3 way, double reach,
                             double h);

/* After all the above: MRN_EXPLODED, with the name of the drive and its expression, when something
   they set is not finite. `load` as filled, or NULL. */
mrn_status mrn_drive_check(const mrn_scene *scene, const mrn_state *s, double time,
                           const mrn_load *load, mrn_message *msg);

#endif
