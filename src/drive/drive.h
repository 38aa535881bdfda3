/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What acts on the world from outside: walls that move as told, walls that are taken away. */
#ifndef MRN_DRIVE_DRIVE_H
#define MRN_DRIVE_DRIVE_H

#include "moraine/state.h"

/* Carries every wall from its place at time_begin to its place at time_end and gives it the exact
   velocity at time_end. Depends on the scene, the state and the two times only, so that a resumed
   run has the same bits. */
void mrn_drive_walls(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end);

/* The walls at the begin of a stage, after mrn_scene_enter_stage: those the stage takes away are
   marked MRN_BODY_ABSENT, the others get their velocity at s->time. */
mrn_status mrn_drive_enter_stage(const mrn_scene *scene, int stage, mrn_state *s);

#endif
