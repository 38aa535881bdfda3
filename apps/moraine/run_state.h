/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene and the state of a run's folder, to go on from. */
#ifndef MORAINE_RUN_STATE_H
#define MORAINE_RUN_STATE_H

#include "app.h"

/* scene.yaml of the folder, with one change ("path=value") or none (NULL). */
mrn_status mrn_cli_run_scene(const char *dir, const char *set, mrn_scene *scene, mrn_message *msg);
/* The state of its checkpoint, with stages entered and the neighbour list as it was. */
mrn_status mrn_cli_run_state(const char *dir, mrn_scene *scene, mrn_state *s, mrn_message *msg);

#endif
