/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleep: groups of grains that have come to rest are left out of the problem, and stand as if
   fixed, until something disturbs them.

   An island is a set of grains that press on each other (contacts with an impulse) or are joined;
   walls and fixed grains end it. A grain is rest_steps in a step when it is slower than the sleep
   speed (velocity, and spin times its bounding radius) and touches nothing that is moved from
   outside. An island all of whose grains have been rest_steps for MRN_SLEEP_STEPS steps, and which
   rests on something (where there is gravity), falls asleep: velocities become 0, their kinetic
   energy is booked as taken by the scheme. Nothing sleeps while gravity is not constant or the cell
   strains, nor do grains under a force that is not constant or on a joint with a motor.

   An island asleep is woken, as a whole with all it touches that sleeps,
   - by a grain that is awake, comes nearer faster than the sleep speed and touches within the step;
   - by an impulse of grains awake that would give one of its grains more than the sleep speed;
   - by a wall, or a grain moved from outside, that moves where it touches, and by servo walls;
   - when a grain touches fewer sleeping or fixed bodies than when it fell asleep: one was removed,
     woke, or a wall went away;
   - at the begin of a stage, and when nothing may sleep any more.

   All of it depends on the state alone (flags and s->memory.rest_steps by persistent number: steps
   of rest_steps; asleep: MRN_SLEEP_STEPS plus the number of bodies touched then; less: disturbed),
   so that a resumed run has the same bits. One thread: the work is a pass over contacts. */
#ifndef MRN_NONSMOOTH_SLEEP_H
#define MRN_NONSMOOTH_SLEEP_H

#include "moraine/engine.h"

enum { MRN_SLEEP_STEPS = 60 };

/* Memory that is kept from step to step. Zero it first. */
typedef struct mrn_sleeper {
    int64_t root_room, touched_room, mark_room;
    int32_t *root;    /* per body: towards the one that stands for its island */
    int32_t *touched; /* bodies that it touches                               */
    uint8_t *mark;    /* per body, of islands by their root                   */
} mrn_sleeper;
void mrn_sleeper_release(mrn_sleeper *p);
size_t mrn_sleeper_bytes(const mrn_sleeper *p);

/* Speed below which grains may fall asleep: as the scene says, or |g| h / 10. A grain that starts
   to fall has ten times as much after one step, and one on a slope that does not quite hold it gets
   there within the MRN_SLEEP_STEPS when it is off by more than g / 600. */
double mrn_ns_sleep_speed(const mrn_scene *scene, const mrn_state *s, double h);
/* Wakes what is disturbed. To be called when the contact points of the step are known and before
   the problem is filled. */
mrn_status mrn_ns_wake(mrn_nonsmooth *e, double h, mrn_message *msg);
/* All the memory that falling asleep will ask for. */
mrn_status mrn_ns_sleep_room(mrn_nonsmooth *e, mrn_message *msg);
/* Counts rest_steps steps and sends islands to sleep. To be called when the velocities of the end
   are the state's and before bodies go on to the end of the step. */
mrn_status mrn_ns_fall_asleep(mrn_nonsmooth *e, double h, mrn_message *msg);
/* All awake, at rest where they are. */
void mrn_ns_wake_all(mrn_state *s);

/* Contacts of grains asleep are no rows of the problem, yet they are there: lists those of the
   state's network between bodies none of which can move and one of which is asleep (e->kept). */
mrn_status mrn_ns_list_kept(mrn_nonsmooth *e, mrn_message *msg);
/* Adds to forces and torques on walls (s->body.f, t), to s->contacts and to the largest overlap
   what these contacts bear and are. `scale`: this step over the last one. */
void mrn_ns_press_kept(mrn_nonsmooth *e, double scale, double h);
/* Appends them to the network of this step, with the impulses of a step `scale` times as long. */
void mrn_ns_append_kept(mrn_nonsmooth *e, double scale);

#endif
