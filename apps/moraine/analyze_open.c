/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding a state for `moraine analyze`: a checkpoint with all its history, or a frame of a
   trajectory, with the scene of the run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze.h"

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The folder a file lies in. */
static void folder_of(const char *path, char *out, size_t room)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(out, room, ".");
    else
        snprintf(out, room, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* ---- the scene ---- */

static mrn_status read_scene(const char *folder, const char *scene_path, mrn_sample *s,
                             mrn_message *msg)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    if (scene_path == NULL && !is_file(path)) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has no scene.yaml: the scene of the run is not known",
                 folder);
        return mrn_fail_hint(msg, "name the scene with --scene FILE");
    }
    mrn_status st = mrn_scene_read(scene_path != NULL ? scene_path : path, NULL, 0, &s->scene, msg);
    if (st != MRN_OK && scene_path == NULL && msg->hint[0] == '\0')
        mrn_fail_hint(msg, "if it names files beside the original scene, give that with --scene");
    return st;
}

static mrn_status enter_stages(mrn_sample *s, int last, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; st == MRN_OK && k <= last && k < s->scene.n_stages; k++)
        st = mrn_scene_enter_stage(&s->scene, k, msg);
    return st;
}

/* ---- checkpoint ---- */

/* The forces are those of the last step, evaluated anew: they are not stored. Impulses of contact
   points are. */
static mrn_status read_checkpoint(mrn_sample *s, mrn_message *msg)
{
    mrn_engine engine = {0};
    mrn_status st = mrn_checkpoint_read(s->file, &s->scene, &s->state, msg);
    if (st == MRN_OK)
        st = enter_stages(s, s->state.stage, msg);
    if (st == MRN_OK)
        st = mrn_pairs_build(&s->scene, &s->state, true, msg);
    if (st == MRN_OK && !mrn_contact_points(&s->scene))
        st = mrn_engine_create_still(&s->scene, &s->state, &engine, msg);
    if (st == MRN_OK && engine.self != NULL)
        st = engine.method->refresh(engine.self, msg);
    mrn_engine_destroy(&engine);
    s->has_contacts = st == MRN_OK;
    return st;
}

/* ---- frame ---- */

static mrn_status which_frame(const char *text, mrn_sample *s, mrn_message *msg)
{
    char *end;
    s->index = s->frames - 1;
    if (text == NULL || strcmp(text, "last") == 0)
        return MRN_OK;
    if (strcmp(text, "first") == 0) {
        s->index = 0;
        return MRN_OK;
    }
    errno = 0;
    s->index = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "--frame: \"%s\" is not first, last or a number", text);
    if (s->index < 0)
        s->index += s->frames;
    if (s->index < 0 || s->index >= s->frames)
        return mrn_fail(msg, MRN_ERR_INPUT, "--frame %s: the run has frames 0 to %lld", text,
                        (long long)s->frames - 1);
    return MRN_OK;
}

/* The stage under way at a step, as summary.json tells; the first when there is none. */
static int stage_at(const char *folder, int64_t step)
{
    char path[1200];
    int stage = 0;
    size_t i;
    json_t *entry, *begin;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    json_t *root = mrn_app_read_json(path), *list = json_object_get(root, "stages");
    json_array_foreach(list, i, entry)
    {
        begin = json_object_get(entry, "step-begin");
        if (json_is_integer(begin) && json_integer_value(begin) < step)
            stage = (int)json_integer_value(json_object_get(entry, "index"));
    }
    json_decref(root);
    return stage;
}

static int shape_of(const mrn_scene *scene, const mrn_frame *f, int32_t i)
{
    int k = f->group[i];
    if (i < f->n_walls)
        return k < scene->n_walls ? scene->wall[k].shape : 0;
    return k < scene->n_groups ? scene->group[k].shape : 0;
}

static mrn_status add_body(const mrn_frame *f, int32_t i, mrn_sample *s, mrn_message *msg)
{
    const double *q = f->q + 4 * (size_t)i, r = f->radius[i];
    mrn_body_def d = mrn_body_default();
    d.x = mrn_load3(f->x + 3 * (size_t)i);
    d.v = mrn_load3(f->v + 3 * (size_t)i);
    d.w = mrn_load3(f->w + 3 * (size_t)i);
    d.q = (mrn_quat){q[0], q[1], q[2], q[3]};
    d.radius = r;
    d.mass = f->mass[i];
    d.inertia = (s->scene.dimension == 2 ? 0.5 : 0.4) * d.mass * r * r;
    d.shape = shape_of(&s->scene, f, i);
    d.material = f->material[i];
    d.group = f->group[i];
    d.flags = f->flags[i];
    if (d.flags & MRN_BODY_POLYTOPE) {
        if (f->part[i] >= s->scene.n_polytopes)
            return mrn_fail(msg, MRN_ERR_INPUT, "%s: grain %d has form %d, the scene has %d forms",
                            s->file, (int)f->id[i], (int)f->part[i], s->scene.n_polytopes);
        const mrn_polytope *polytope = &s->scene.polytope[f->part[i]];
        const double *I = polytope->inertia;
        d.part = f->part[i];
        d.bound = r * polytope->bound;
        d.inertia = d.mass * r * r * (s->scene.dimension == 2 ? I[2] : (I[0] + I[1] + I[2]) / 3);
    }
    mrn_status st = mrn_body_add(&s->state, &d, NULL, msg);
    if (st != MRN_OK)
        return st;
    memcpy(s->state.body.image + 3 * (size_t)i, f->image + 3 * (size_t)i, 3 * sizeof *f->image);
    memcpy(s->state.body.f + 3 * (size_t)i, f->f + 3 * (size_t)i, 3 * sizeof *f->f);
    memcpy(s->state.body.t + 3 * (size_t)i, f->t + 3 * (size_t)i, 3 * sizeof *f->t);
    return MRN_OK;
}

/* Spheres of clusters name their cluster by its number in the run; here bodies are numbered anew.
 */
static mrn_status link_clusters(mrn_sample *s, mrn_message *msg)
{
    const mrn_frame *f = &s->frame;
    int32_t most = -1;
    for (int32_t i = 0; i < f->n; i++)
        most = f->id[i] > most ? f->id[i] : most;
    int32_t *place = mrn_alloc((size_t)(most + 1) * sizeof *place);
    if (place == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int32_t i = 0; i < f->n; i++)
        if (f->id[i] >= 0)
            place[f->id[i]] = i;
    for (int32_t i = 0; i < f->n; i++) {
        int32_t whole = f->parent[i];
        bool known = whole >= 0 && whole <= most && f->id[place[whole]] == whole;
        s->state.body.parent[i] = known ? s->state.body.id[place[whole]] : -1;
    }
    mrn_free(place);
    return MRN_OK;
}

/* Bodies keep the places they have in the frame, so that its contacts speak of them. */
static mrn_status state_of_frame(mrn_sample *s, mrn_message *msg)
{
    const mrn_frame *f = &s->frame;
    mrn_state *to = &s->state;
    mrn_status st = mrn_bodies_reserve(to, f->n, msg);
    for (int32_t i = 0; st == MRN_OK && i < f->n; i++)
        st = add_body(f, i, s, msg);
    if (st == MRN_OK)
        st = link_clusters(s, msg);
    to->time = f->time;
    to->step = f->step;
    memcpy(to->cell_origin, f->cell_origin, sizeof to->cell_origin);
    memcpy(to->cell_size, f->cell_size, sizeof to->cell_size);
    memcpy(to->cell_tilt, f->cell_tilt, sizeof to->cell_tilt);
    for (int k = 0; k < 3; k++) { /* as far as the frame tells: less whole periods */
        double size = f->cell_size[k == 0 ? 1 : 2];
        to->drive.sheared[k] = size > 0 ? f->cell_tilt[k] / size : 0;
    }
    mrn_instant now = {f->time, f->time};
    mrn_store3(to->gravity, mrn_gravity_at(s->scene.gravity_of, now));
    return st;
}

static mrn_status read_frame(const char *folder, const char *frame, mrn_sample *s, mrn_message *msg)
{
    mrn_trajectory *t = NULL;
    mrn_status st = mrn_trajectory_open(s->file, &t, msg);
    if (st != MRN_OK)
        return st;
    s->frames = mrn_trajectory_frames(t);
    if (s->frames == 0)
        st = mrn_fail(msg, MRN_ERR_INPUT, "%s holds no frame", s->file);
    if (st == MRN_OK)
        st = which_frame(frame, s, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_read(t, s->index, &s->frame, msg);
    mrn_trajectory_close(&t, NULL);
    if (st == MRN_OK)
        st = enter_stages(s, stage_at(folder, s->frame.step), msg);
    if (st == MRN_OK)
        st = state_of_frame(s, msg);
    s->from_frame = true;
    s->has_contacts = s->frame.contacts.n > 0 || s->scene.output.contacts;
    s->at = s->has_contacts ? &s->frame.contacts : NULL;
    return st;
}

/* ---- all ---- */

static bool is_scene(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Which file of a run: the checkpoint, unless a frame is asked for. */
static mrn_status choose_file(const char *path, const char *frame, mrn_sample *s, bool *checkpoint,
                              mrn_message *msg)
{
    if (is_folder(path)) {
        snprintf(s->file, sizeof s->file, "%s/checkpoint.h5", path);
        *checkpoint = frame == NULL && is_file(s->file);
        if (!*checkpoint)
            snprintf(s->file, sizeof s->file, "%s/trajectory.h5", path);
        if (is_file(s->file))
            return MRN_OK;
        mrn_fail(msg, MRN_ERR_INPUT, "%s holds %s", path,
                 frame != NULL ? "no trajectory.h5" : "neither checkpoint.h5 nor trajectory.h5");
        return mrn_fail_hint(msg, "name the folder of a run");
    }
    if (!is_file(path)) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is no %s", path);
        return mrn_fail_hint(msg, "name the folder of a run, its checkpoint.h5 or trajectory.h5");
    }
    if (is_scene(path)) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s is a scene, not a state: there is nothing to measure yet",
                 path);
        mrn_fail_expected(msg, "the folder of a run, its checkpoint.h5 or trajectory.h5");
        return mrn_fail_hint(msg, "moraine run %s --out DIR, then moraine analyze DIR", path);
    }
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    snprintf(s->file, sizeof s->file, "%s", path);
    *checkpoint = strstr(name, "trajectory") == NULL;
    if (*checkpoint && frame != NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "--frame: %s is a checkpoint, which is one instant",
                        path);
    return MRN_OK;
}

mrn_status mrn_sample_open(const char *path, const char *scene_path, const char *frame,
                           mrn_sample *out, mrn_message *msg)
{
    char folder[1100];
    bool checkpoint = false;
    *out = (mrn_sample){.index = -1};
    mrn_status st = choose_file(path, frame, out, &checkpoint, msg);
    if (st != MRN_OK)
        return st;
    folder_of(out->file, folder, sizeof folder);
    st = read_scene(folder, scene_path, out, msg);
    if (st == MRN_OK)
        st = checkpoint ? read_checkpoint(out, msg) : read_frame(folder, frame, out, msg);
    if (st != MRN_OK)
        mrn_sample_close(out);
    return st;
}

void mrn_sample_close(mrn_sample *s)
{
    mrn_frame_destroy(&s->frame);
    mrn_state_destroy(&s->state);
    mrn_scene_destroy(&s->scene);
}
