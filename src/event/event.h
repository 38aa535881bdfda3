/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event-driven hard spheres: what the files of the room share.

   A body is known where and when it last collided (its flight) and moves freely from there. When
   two of them meet is a function of their flights alone: neither the grid, nor the calendar, nor
   the order of bodies, nor an output in between has a part in it. Each body has the earliest
   collision that is known to it and the next crossing of a cell of the grid; the earlier of the two
   stands in the calendar. Of two bodies that are to collide both have that collision, but in the
   calendar it stands with one of them. Whoever loses it to a third one looks again for the next at
   the time of the lost one, before which it cannot collide. */
#ifndef MRN_EVENT_EVENT_H
#define MRN_EVENT_EVENT_H

#include "event/calendar.h"
#include "event/glance.h"
#include "moraine/engine.h"

/* One cache line: all that predicting a collision reads of a partner. */
typedef struct mrn_flight {
    double x[3], v[3];
    double t;     /* s: when it was there                                              */
    double meets; /* s: its next collision, or (MRN_MEETS_UNKNOWN) when to look        */
} mrn_flight;

/* Another one: what comes next for a body. */
typedef struct mrn_flyer {
    mrn_calendar_item due;
    double crosses; /* s: into the next cell                                       */
    double radius;
    double inverse_mass; /* 0: held                                                     */
    int32_t partner;     /* body, surface (MRN_MEETS_SURFACE - number) or …             */
    int32_t cell, id;    /* id: persistent number                                       */
    int8_t hit;          /* what it last met                                            */
    uint8_t side;        /* through which face of its cell it goes next                 */
    uint16_t material;
} mrn_flyer;
_Static_assert(sizeof(mrn_flight) == 64 && sizeof(mrn_flyer) == 64, "a cache line each");
enum { MRN_MEETS_NOTHING = -1, MRN_MEETS_UNKNOWN = -2, MRN_MEETS_SURFACE = -3 };

/* The two side by side: who reads one will read the other. */
typedef struct mrn_event_grain {
    mrn_flight flight;
    mrn_flyer flyer;
} mrn_event_grain;

/* And one for its rotation, since its flight began. */
typedef struct mrn_turn {
    double w[3], q[4];
    double inverse_inertia;
} mrn_turn;

/* Bodies that collide are in touch to rounding; by how much they may miss it, of a radius. */
#define MRN_EVENT_TOUCH 1e-6

/* What a body last met, beside surfaces from 0 on. */
enum { MRN_HIT_NOTHING = -2, MRN_HIT_GRAIN = -1 };

/* A face of a wall without rim, where the wall was when its motion began to count. */
typedef struct mrn_event_surface {
    mrn_rimless shape; /* world frame                                                  */
    int32_t wall;
    int material;
    bool shakes;     /* along the normal                                              */
    mrn_vec3 drifts; /* m/s: steady velocity                                          */
    double bound;    /* m/s2: how fast the gap may bend towards the wall, planes that shake */
} mrn_event_surface;
#define MRN_EVENT_SURFACES 64

/* How a wall moves, counted from its reference. */
typedef struct mrn_event_way {
    mrn_vec3 x, velocity, spin, about, amplitude;
    mrn_quat q;
    double t, omega, phase, sine; /* sine: of the phase at t                            */
    bool shakes;
} mrn_event_way;

/* An interaction as a jump. */
typedef struct mrn_event_law {
    mrn_rigid rigid;
    const mrn_interaction *of;
    double *table; /* restitution over the impact number; NULL: constant                */
} mrn_event_law;

/* The grid. Cells at the border of a direction without a period reach to infinity. With a cell
   stand the bodies of the two next to it along the last direction too: whoever looks around reads a
   third as many places, three by three beside each other. Across the other directions there are
   cells beyond the border: images of those within where there is a period, else empty. The first
   bodies stand side by side with their number, so that all of them are taken at once; the others
   are in a list. */
enum { MRN_EVENT_SLOTS = 7, MRN_EVENT_MORE = 8, MRN_EVENT_IMAGES = 16, MRN_EVENT_BORDER = 32 };
typedef struct mrn_event_cell {
    int32_t body[MRN_EVENT_SLOTS];
    int32_t held; /* how many of them there are; with MRN_EVENT_MORE: and a list; MRN_EVENT_BORDER:
                     next to the border of a period, MRN_EVENT_IMAGES: has images beyond it       */
} mrn_event_cell;
_Static_assert(sizeof(mrn_event_cell) == 32, "two in a cache line");
/* The cells before, at and after one, as far as there are any. */
typedef struct mrn_event_beside {
    int32_t at[3], n;
} mrn_event_beside;
typedef struct mrn_event_grid {
    int32_t n[3];
    int32_t stride[3], beyond[3];      /* to the next cell; cells beyond each border            */
    double lo[3], width[3], period[3]; /* period: 0 none                               */
    double inverse[3];                 /* 1/stride                                     */
    double *edge[3];                   /* n + 1 each; -/+ INFINITY at an open border    */
    mrn_event_beside *beside;          /* n along the last direction                     */
    mrn_event_cell *cell;
    int32_t *more;  /* first of the list of each cell: three links for each body          */
    uint64_t *near; /* surfaces within reach, per cell              */
    int64_t cells;
    int last;    /* direction along which bodies stand with three cells                   */
    bool narrow; /* so few cells in a period that two may have several images next to each other:
                    then bodies stand with their own cell alone                           */
} mrn_event_grid;

/* Where a cell is in the grid, and the other way round; divisions of integers would cost more. */
static inline void mrn_event_cell_at(const mrn_event_grid *g, int32_t c, int32_t at[3])
{
    at[2] = (int32_t)((c + 0.5) * g->inverse[2]);
    c -= at[2] * g->stride[2];
    at[1] = (int32_t)((c + 0.5) * g->inverse[1]);
    at[0] = c - at[1] * g->stride[1] - g->beyond[0];
    at[1] -= g->beyond[1];
}
static inline int32_t mrn_event_cell_of(const mrn_event_grid *g, const int32_t at[3])
{
    return at[2] * g->stride[2] + (at[1] + g->beyond[1]) * g->stride[1] + at[0] + g->beyond[0];
}

typedef struct mrn_event {
    const mrn_scene *scene;
    mrn_state *state;
    volatile const int *stop;
    int32_t n; /* grains                                                              */
    int32_t room;
    char *block; /* in which the arrays of grains lie                                  */
    mrn_event_grain *grain;
    mrn_turn *turn;
    mrn_glances glance;
    int32_t *next;  /* 3 each: links of those that a cell has no room for             */
    int32_t *place; /* where it stands in the state                                   */
    int32_t *image; /* 3 each                                                         */
    mrn_event_grid grid;
    mrn_calendar calendar;
    mrn_event_surface surface[MRN_EVENT_SURFACES];
    int n_surfaces;
    mrn_event_way *way; /* per wall                                                    */
    mrn_event_law *law; /* per interaction                                             */
    int n_laws;
    mrn_vec3 g;
    bool falls;     /* gravity acts                                               */
    bool holds_any; /* some grains are fixed                                      */
    bool ignores;   /* some materials do not act on each other                    */
    bool spins;     /* some grains do, or there is friction                       */
    bool goes_on;   /* flights were remembered: what there is, collisions have left */
    double collapse_time;
    double now;
    double sinks; /* m: how far bodies may sink into walls within the collapse time */
    double scale; /* m: of coordinates, for rounding                                   */
    double largest, smallest;   /* m: radius                                              */
    int32_t promised, promiser; /* a body and its partner to be (predict.c)                 */
    int64_t revision, changes;
    int64_t same_time; /* collisions without time going on                             */
    mrn_step_times times;
    double fetched; /* day for which memory was asked last                               */
    int64_t events; /* so far                                                          */
    int64_t begun;  /* … when bodies were last put in the order of space                */
} mrn_event;

/* ---- predict.c: when flights meet ---- */

/* Acceleration of body i. */
static inline mrn_vec3 mrn_event_pull(const mrn_event *e, int32_t i)
{
    return e->falls && e->grain[i].flyer.inverse_mass > 0 ? e->g : mrn_v3(0, 0, 0);
}
static inline mrn_vec3 mrn_event_position(const mrn_event *e, int32_t i, double t)
{
    const mrn_flight *f = &e->grain[i].flight;
    double s = t - f->t;
    mrn_vec3 x = mrn_axpy(s, mrn_load3(f->v), mrn_load3(f->x));
    return e->falls ? mrn_axpy(0.5 * s * s, mrn_event_pull(e, i), x) : x;
}
static inline mrn_vec3 mrn_event_velocity(const mrn_event *e, int32_t i, double t)
{
    const mrn_flight *f = &e->grain[i].flight;
    mrn_vec3 v = mrn_load3(f->v);
    return e->falls ? mrn_axpy(t - f->t, mrn_event_pull(e, i), v) : v;
}
/* Rounding of a gap: that of the coordinates where the flight began. Nothing else, for the time of
   a collision is a function of flights alone. */
static inline double mrn_event_rounding(const mrn_event *e, int32_t i)
{
    const double *x = e->grain[i].flight.x;
    return 1e-15 * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + e->grain[i].flyer.radius);
}
/* Orientation at time t. */
mrn_quat mrn_event_orientation(const mrn_event *e, int32_t i, double t);
/* Forgets the collision that body i was to have; its partner will look again. */
void mrn_event_part(mrn_event *e, int32_t i);
/* … and of two that were to have it with each other. */
void mrn_event_part_both(mrn_event *e, int32_t i, int32_t k);
/* Finds when body i leaves its cell, and its next collision among all that it can meet in and
   around it. */
void mrn_event_predict(mrn_event *e, int32_t i);
/* The same of two that have just collided, the first of them first. */
void mrn_event_predict_both(mrn_event *e, int32_t i, int32_t k);
/* The same after it has come into its cell through face `side`, with what is new there. */
void mrn_event_predict_new(mrn_event *e, int32_t i, int side);
/* Asks memory for what the events of the next days will read. */
void mrn_event_fetch(mrn_event *e);
/* Enters the earlier of collision and crossing into the calendar. */
void mrn_event_enter(mrn_event *e, int32_t i);

/* ---- glance.c: bounds of meeting times ---- */

/* Glances of all bodies from now on, good for `span` seconds; again, with a span that fits. */
void mrn_event_show_all(mrn_event *e, double span);
void mrn_event_show_again(mrn_event *e);
/* Of one whose flight has begun anew, or whose next collision is another one. */
void mrn_event_show(mrn_event *e, int32_t i);
static inline void mrn_event_show_meets(mrn_event *e, int32_t i)
{
    const mrn_glances *g = &e->glance;
    double t = (e->grain[i].flight.meets - g->from) * g->per_time;
    g->of[i].meets = (float)(t * (1 + 1e-6) + 1e-6);
}
/* How soon body i may meet each of a crowd, and the least of it. */
void mrn_event_glance(const mrn_event *e, int32_t i, mrn_crowd *c);
int32_t mrn_crowd_soonest(const mrn_crowd *c);

/* ---- surfaces.c: walls ---- */

mrn_status mrn_event_surfaces(mrn_event *e, mrn_message *msg);
/* What no wall of a scene can have here; without a state. */
mrn_status mrn_event_check_walls(const mrn_scene *scene, mrn_message *msg);
/* When body i meets surface k, not after `until`; INFINITY: it does not. */
double mrn_event_meets_surface(const mrn_event *e, int32_t i, int k, double until);
/* Distance from the surface to the body at x, less its radius, and the normal there. */
double mrn_event_gap(const mrn_event *e, int k, mrn_vec3 x, double r, double t, mrn_vec3 *normal);
/* How far a body with velocity v may have sunk into it within the collapse time. */
double mrn_event_sunk(const mrn_event *e, int k, mrn_vec3 v);
/* Where a wall is, and the velocity of its point p. */
mrn_vec3 mrn_event_wall_place(const mrn_event_way *w, double t);
mrn_vec3 mrn_event_wall_velocity(const mrn_event_way *w, mrn_vec3 p, double t);

/* ---- grid.c ---- */

mrn_status mrn_event_grid_make(mrn_event *e, mrn_message *msg);
void mrn_event_grid_release(mrn_event_grid *g);
size_t mrn_event_grid_bytes(const mrn_event_grid *g);
/* Into the list of its cell at the time of now, and out of it. */
void mrn_event_settle(mrn_event *e, int32_t i);
/* The bodies that stand with a cell one by one; body < 0: no more. */
typedef struct mrn_event_dweller {
    int32_t cell, body, link;
    int at;
} mrn_event_dweller;
mrn_event_dweller mrn_event_first_in(const mrn_event *e, int32_t cell);
void mrn_event_next_in(const mrn_event *e, mrn_event_dweller *d);
/* Finds when and through which face body i leaves its cell. */
void mrn_event_predict_crossing(mrn_event *e, int32_t i);
/* Takes it into the next cell; true: it came back on the other side of the period. */
bool mrn_event_cross(mrn_event *e, int32_t i);
/* More of the grains than the grid was made for are beyond its border. */
bool mrn_event_grid_is_narrow(const mrn_event *e);

/* ---- collide.c: jumps ---- */

mrn_status mrn_event_laws(mrn_event *e, mrn_message *msg);
void mrn_event_laws_release(mrn_event *e);
/* Bodies that meet now: velocities jump, the ledger is booked. MRN_EXPLODED: they are not in touch.
 */
mrn_status mrn_event_collide(mrn_event *e, int32_t i, int32_t k, mrn_message *msg);
mrn_status mrn_event_collide_surface(mrn_event *e, int32_t i, int k, mrn_message *msg);

/* ---- flights.c: between engine and state ---- */

/* Bodies of the state, with the flights that it remembers where these lead to where bodies are. */
mrn_status mrn_event_adopt(mrn_event *e, mrn_message *msg);
/* A flight of the state at time t: position, velocity. */
void mrn_event_store(mrn_event *e);
/* Somebody has moved a body, or changed its velocity, since it was stored. */
bool mrn_event_is_disturbed(const mrn_event *e);

/* ---- engine_event.c ---- */

mrn_status mrn_event_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                            mrn_event **out, mrn_message *msg);
void mrn_event_destroy(mrn_event **out);
mrn_status mrn_event_refresh(mrn_event *e, mrn_message *msg);
mrn_status mrn_event_advance(mrn_event *e, double until, int64_t max_steps, mrn_message *msg);
mrn_step_limit mrn_event_step_limit(const mrn_scene *scene, const mrn_state *s);
mrn_status mrn_event_check(const mrn_scene *scene, mrn_message *msg);
size_t mrn_event_bytes(const mrn_event *e);

#endif
