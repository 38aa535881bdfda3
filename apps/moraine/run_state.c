/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene and the state of a run's folder: for `export --fclib` and `bench`. */
#include "run_state.h"

mrn_status mrn_cli_run_scene(const char *dir, const char *set, mrn_scene *scene, mrn_message *msg)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/scene.yaml", dir);
    return mrn_scene_read(path, &set, set != NULL ? 1 : 0, scene, msg);
}

mrn_status mrn_cli_run_state(const char *dir, mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/checkpoint.h5", dir);
    mrn_status status = mrn_checkpoint_read(path, scene, s, msg);
    for (int k = 0; status == MRN_OK && k <= s->stage && k < scene->n_stages; k++)
        status = mrn_scene_enter_stage(scene, k, msg);
    if (status == MRN_OK)
        status = mrn_pairs_build(scene, s, true, msg);
    return status;
}
