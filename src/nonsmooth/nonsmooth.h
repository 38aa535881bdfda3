/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the non-smooth engine. One step (theta scheme): bodies go to the middle configuration,
   contact points are found there, the frictional-contact problem of the step is filled and solved,
   bodies go on with the velocities found. Velocities of bodies stand in `dofs` numbers each: 2D x,
   y, spin; 3D x, y, z and three spins, world frame. */
#ifndef MRN_NONSMOOTH_NONSMOOTH_H
#define MRN_NONSMOOTH_NONSMOOTH_H

#include "base/sum.h"
#include "detect/contact_points.h"
#include "drive/drive.h"
#include "moraine/engine.h"
#include "nonsmooth/joints.h"
#include "nonsmooth/project.h"
#include "nonsmooth/sleep.h"

/* What the solver needs of a contact point that takes part in the step, besides what stands in the
   network: scratch of this room. */
typedef struct mrn_row {
    int64_t contact; /* its place in the network of the step                                 */
    double u0[MRN_CONTACT_BLOCK_MAX];    /* relative velocity when the step began                */
    double shift[MRN_CONTACT_BLOCK_MAX]; /* q less the free velocity: gap over h, restitution */
    double compliance; /* normal, 1/kg; 0: rigid                                           */
    double stiffness;  /* what of it stores energy, N/m                                    */
    double drag;       /* tangential compliance, 1/kg; 0: Coulomb's law                    */
    double spring_t;   /* what of that stores energy, N/m                                  */
    double held;       /* what it stored when the step began, J                            */
    bool lasted;       /* pressed in the last step already: no shock                       */
    bool imposed_a, imposed_c; /* that body is moved from outside (wall, fixed, held): its share of
                            the work is the drive's                                          */
} mrn_row;

/* What a contact bears, world frame. */
typedef struct mrn_ns_impulse {
    mrn_vec3 force, moment; /* N s, N m s */
} mrn_ns_impulse;

/* What happens to bodies besides contacts; one per body of the state. */
typedef struct mrn_ns_bodies {
    int64_t capacity;
    int32_t *column; /* of the problem, by rank; -1: nothing of it is free                  */
    double *u0;      /* dofs each: velocity when the step began (free turning done)         */
    double *free;    /* velocity at its end without contacts                                */
    double *end;     /* velocity at its end                                                 */
    double *push;    /* impulse from outside: gravity, loads, damping                       */
    double *pushed;  /* impulse of contacts and joints                                      */
    uint8_t *held;   /* degrees of freedom that are imposed, bit by bit                        */
} mrn_ns_bodies;

/* Where bodies were when the step began, by persistent number: for a step taken back. */
typedef struct mrn_ns_past {
    int64_t capacity;
    double *x, *q, *v, *w;
    int32_t *image;
    int64_t builds; /* of the list, and the way of walls since */
    double wall_travel;
} mrn_ns_past;

/* Arrays of the contact problem that are kept from step to step and only grow. */
enum {
    MRN_NS_MINV,           /* M⁻¹                                                  */
    MRN_NS_BODY_OF_COLUMN, /* bodies of the columns of H                             */
    MRN_NS_HASH,           /* contact points of the last step by their key …         */
    MRN_NS_CYCLE_HASH,     /* … and of the same step of the last cycle               */
    MRN_NS_HT_START,       /* Ht: begins of its rows, …                              */
    MRN_NS_HT_COL,         /* … columns …                                            */
    MRN_NS_HT_VALUE,       /* … and blocks                                           */
    MRN_NS_Q,              /* free velocities                                        */
    MRN_NS_MU,             /* coefficients: sliding, rolling, pivoting               */
    MRN_NS_COHESION = MRN_NS_MU + MRN_FRICTION_GROUPS,
    MRN_NS_LAW,
    MRN_NS_R,          /* impulses                                               */
    MRN_NS_R_CYCLE,    /* another guess of them                                  */
    MRN_NS_U,          /* velocities                                             */
    MRN_NS_COLUMN_ROW, /* rows of each column: begins …                          */
    MRN_NS_ROWS_OF,    /* … and lists                                            */
    MRN_NS_W_START,    /* W, where it is stored: begins of its rows, …           */
    MRN_NS_W_COL,      /* … columns …                                            */
    MRN_NS_W_VALUE,    /* … and blocks                                           */
    MRN_NS_MH,         /* M⁻¹ H                                                  */
    MRN_NS_ARRAYS
};

struct mrn_nonsmooth {
    const mrn_scene *scene;
    mrn_state *state;
    const mrn_solver *solver, *fallback;
    bool stored; /* W is made in every step */
    mrn_value fallback_option[MRN_PARAM_MAX];
    int dofs, width; /* numbers per body, per contact */
    mrn_contact_kind kind;
    mrn_contact_finder finder;
    mrn_contacts found; /* the points of this step; when it is done those that took part change
                           places with the state's network                                   */
    int64_t n_kept, kept_room;
    int64_t *kept; /* contacts of the state's network between sleepers: they stay           */
    int64_t taken_room;
    int64_t *taken; /* places in `found` of the contacts that took part, ascending           */
    mrn_ns_bodies body;
    mrn_ns_past past;
    mrn_drive_survey drive;
    double alert, threshold, slop;
    double wall_mass; /* of servo walls */
    mrn_sum *press;   /* per wall: force and torque on it, 6 sums */
    int64_t press_room;
    /* rows of the problem: contacts, then joints */
    int64_t n_rows, n_contacts, rows_room;
    mrn_row *row;
    mrn_joints *joints;
    mrn_joint_block *joint_block;
    int32_t *tie; /* pairs of bodies that joints hold together, the lower place first */
    int n_ties;
    int64_t joint_room;
    mrn_problem problem; /* arrays kept from step to step, larger than needed */
    double *mu[MRN_FRICTION_GROUPS], *cohesion;
    uint8_t *law;
    double *r, *u;                   /* impulses and velocities of all rows */
    double *r_cycle;                 /* another guess: the impulses of one cycle ago, … */
    bool cyclic;                     /* … where they are known */
    int64_t capacity[MRN_NS_ARRAYS]; /* of the arrays of the problem */
    int32_t *body_of_column;
    int32_t *column_row; /* rows of each column: begins */
    int32_t *rows_of;    /* … and lists, side in the lowest bit */
    double *mh;          /* H M⁻¹ of each block of Ht */
    int64_t *hash;       /* places of the last contacts, by key */
    int64_t *cycle_hash; /* … and of those of the same step of the last cycle */
    double springs;      /* J, in joints at the end of the last step */
    mrn_projector projector;
    mrn_sleeper sleeper;
    mrn_workspace work;
    mrn_solve_result result;
    bool has_problem;
    mrn_keep_problem *keep;
    void *keep_user;
    int keep_max, n_unsolved;
    mrn_step_times times;
};

extern const mrn_method mrn_method_nonsmooth; /* method_nonsmooth.c */
/* Whether its choices can be had, in a prepared scene and all its stages (choices.c). */
mrn_status mrn_nonsmooth_check(const mrn_scene *scene, mrn_message *msg);

/* ---- motion.c ---- */

/* Room for the bodies and their columns; masses, held degrees of freedom, M⁻¹ of the problem at the
   orientations of now. */
mrn_status mrn_ns_columns(mrn_nonsmooth *e, double h, mrn_message *msg);
/* u0, push and free velocities for a step h that ends at `time`. */
void mrn_ns_free_motion(mrn_nonsmooth *e, double time, double h);
/* Carries grains and servo walls for a time h with the state's velocities, spheres of clusters too.
 */
void mrn_ns_drift(mrn_nonsmooth *e, double h);
/* Velocities at the end become the state's, forces are noted. */
void mrn_ns_adopt(mrn_nonsmooth *e, double h);
mrn_status mrn_ns_remember(mrn_nonsmooth *e, mrn_message *msg);
void mrn_ns_restore(mrn_nonsmooth *e);
/* The mass that servo walls move with. */
double mrn_ns_wall_mass(const mrn_scene *scene, const mrn_state *s);

/* ---- rows.c ---- */

/* Chooses the contact points that take part and fills rows, Ht, q, friction, cohesion, laws and the
   impulses to start from. */
mrn_status mrn_ns_rows(mrn_nonsmooth *e, double time, double h, mrn_message *msg);
/* A joint holds the two bodies of a contact: it does not act. */
bool mrn_ns_are_tied(const mrn_nonsmooth *e, int64_t contact);
/* All the memory that storing will ask for. */
mrn_status mrn_ns_store_room(mrn_nonsmooth *e, mrn_message *msg);
/* The points that took part, with their impulses, become the state's network. */
void mrn_ns_store(mrn_nonsmooth *e, double h);

/* ---- cycle.c ---- */

/* The memory that keeping will ask for. */
mrn_status mrn_ns_cycle_room(mrn_nonsmooth *e, mrn_message *msg);
/* What contacts bore in the step that is done, for the same step of the next cycle. */
void mrn_ns_cycle_keep(mrn_nonsmooth *e);
/* The network of the same step of the last cycle; NULL: none is known. */
const mrn_contacts *mrn_ns_cycle_last(const mrn_nonsmooth *e);

/* ---- delassus.c ---- */

/* Rows of each body, and W where it is stored. */
mrn_status mrn_ns_delassus(mrn_nonsmooth *e, mrn_message *msg);
/* end = free + M⁻¹ H r; u of all rows. */
void mrn_ns_velocities(mrn_nonsmooth *e);

/* ---- book.c ---- */

/* The ledger and the report of a step; begins the sums of what presses on walls. */
void mrn_ns_book(mrn_nonsmooth *e, double h);
/* Adds to what presses on a wall. */
void mrn_ns_press(mrn_nonsmooth *e, int32_t wall, mrn_vec3 force, mrn_vec3 torque);

/* Makes *p hold n elements, and an eighth more where it has to grow; `room` is its capacity. */
static inline mrn_status mrn_ns_room(void *p, int64_t *room, int64_t n, size_t size,
                                     mrn_message *msg)
{
    int64_t held = 0;
    if (n <= *room)
        return MRN_OK;
    if (mrn_grow(p, &held, n + n / 8, size) != MRN_OK)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    *room = held;
    return MRN_OK;
}

#endif
