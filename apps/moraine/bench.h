/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine bench: worlds to be measured, and what is measured of them. */
#ifndef MORAINE_BENCH_H
#define MORAINE_BENCH_H

#include "app.h"

/* A scene and a state that an engine can go on from. */
typedef struct mrn_speed_world {
    mrn_scene scene;
    mrn_state s;
    size_t before; /* bytes in use before the state was there */
} mrn_speed_world;
void mrn_speed_world_close(mrn_speed_world *w);
/* An independent copy, so that every measurement begins at the same state. */
mrn_status mrn_speed_world_copy(const mrn_speed_world *from, mrn_speed_world *to, mrn_message *msg);

/* A standard world of one method (bench_sets.c). */
typedef struct mrn_speed_set {
    const char *method, *what; /* what it is, a line */
    const char *text;          /* scene of its tile  */
    double step, settle;       /* s: 0: the computed one; how long the tile comes to rest */
    bool lattice;              /* not a tile: a gas whose cell has any number of grains */
    bool single;               /* the tile itself, in its second stage, of one size     */
} mrn_speed_set;
int mrn_speed_sets(void);
const mrn_speed_set *mrn_speed_set_at(int i);
/* The tile, at rest. */
mrn_status mrn_speed_tile(const mrn_speed_set *set, mrn_speed_world *tile, mrn_message *msg);
/* About so many grains: copies of the tile side by side, or a lattice. */
mrn_status mrn_speed_build(const mrn_speed_set *set, const mrn_speed_world *tile, int64_t grains,
                           mrn_speed_world *w, mrn_message *msg);

/* What was found (bench_measure.c). */
enum { MRN_BENCH_STRETCHES = 5 };
typedef struct mrn_speed_row {
    const mrn_method *method;
    int64_t grains, steps; /* steps of all stretches                              */
    int threads;
    const char *unit;             /* what is counted: "body-steps", "collisions"  */
    double rate, lowest, highest; /* of it per second: median and ends            */
    double step;                  /* s per step, median; NAN: the method has none */
    double sweeps;                /* contact-sweeps per second of solving; NAN    */
    double bytes;                 /* per grain, state and engine, at most         */
    double contacts;              /* per grain                                    */
    double part[MRN_STEP_PARTS];  /* shares of the time that is booked by parts   */
} mrn_speed_row;
/* Steps for about so many seconds (of the processor with one thread, of the clock with several)
   after a short warm-up. The state goes on. */
mrn_status mrn_speed_measure(mrn_speed_world *w, int threads, double time, mrn_speed_row *row,
                             mrn_message *msg);

#endif
