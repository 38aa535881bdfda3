/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a run while it goes: frames, rows of probes, checkpoints. Looking at the state never
   changes it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "moraine/measure.h"
#include "run/job.h"
#include "store/files.h"

double mrn_outputs_probes_every(const mrn_job *j)
{
    const mrn_output *o = &j->scene->output;
    return o->probes_every > 0 ? o->probes_every : o->every;
}

double mrn_outputs_fields_every(const mrn_job *j)
{
    const mrn_output *o = &j->scene->output;
    if (!o->fields)
        return 0;
    return o->fields_every > 0 ? o->fields_every : o->every;
}

static mrn_status write_frame(mrn_job *j)
{
    mrn_contacts contacts = {0};
    mrn_frame frame = {0};
    mrn_status status = MRN_OK;
    if (j->scene->output.contacts)
        status = mrn_contacts_collect(j->scene, &j->s, 0, &contacts, j->msg);
    if (status == MRN_OK)
        status = mrn_frame_take(j->scene, &j->s, &contacts, &frame, j->msg);
    if (status == MRN_OK)
        status = mrn_writer_put(j->writer, &frame, j->msg);
    mrn_frame_destroy(&frame);
    mrn_contacts_destroy(&contacts);
    j->frame_step = j->s.step;
    return status;
}

static mrn_status write_row(mrn_job *j)
{
    j->row_step = j->s.step;
    return mrn_probe_file_row(&j->probes, j->scene, &j->s, j->msg);
}

/* Coarse-grained fields, a file per instant named after its step: the same after a resume. */
static mrn_status write_fields(mrn_job *j)
{
    char dir[MRN_RUN_PATH], name[32], path[MRN_RUN_PATH];
    const mrn_output *o = &j->scene->output;
    mrn_fields fields = {0};
    mrn_folder_path(j->opt->out, "fields", dir);
    snprintf(name, sizeof name, "%09" PRId64 ".vti", j->s.step);
    mrn_folder_path(dir, name, path);
    j->field_step = j->s.step;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return mrn_fail(j->msg, MRN_ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    mrn_status status = mrn_fields_compute(j->scene, &j->s, NULL, o->fields_width,
                                           o->fields_spacing, &fields, j->msg);
    if (status == MRN_OK)
        status = mrn_fields_write(path, &fields, j->msg);
    mrn_fields_destroy(&fields);
    return status;
}

mrn_status mrn_outputs_write(mrn_job *j, bool all)
{
    if (!j->outputs_open)
        return MRN_OK;
    double begin = mrn_clock();
    mrn_status status = MRN_OK;
    bool frame = all || mrn_schedule_due(&j->s, j->scene->output.every);
    bool row = all || mrn_schedule_due(&j->s, mrn_outputs_probes_every(j));
    bool fields = all || mrn_schedule_due(&j->s, mrn_outputs_fields_every(j));
    if (frame && j->frame_step != j->s.step)
        status = write_frame(j);
    if (status == MRN_OK && row && j->row_step != j->s.step)
        status = write_row(j);
    if (status == MRN_OK && fields && j->scene->output.fields && j->field_step != j->s.step &&
        j->s.body.n > j->s.body.n_walls && isfinite(j->s.max_overlap))
        status = write_fields(j);
    j->out->output_seconds += mrn_clock() - begin;
    return status;
}

mrn_status mrn_outputs_checkpoint(mrn_job *j)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(j->opt->out, "checkpoint.h5", path);
    mrn_status status = mrn_engine_sync(&j->engine, j->msg);
    if (status == MRN_OK)
        status = mrn_watch_bodies(j);
    if (status == MRN_OK) /* frames are not behind it */
        status = mrn_writer_wait(j->writer, j->msg);
    if (status != MRN_OK)
        return status;
    j->clock_checkpoint = mrn_clock();
    /* a finished run is kept as one at the end of its last stage: it can be given a later end, or
     * more stages */
    int stage = j->s.stage;
    j->s.stage = stage < j->scene->n_stages ? stage : j->scene->n_stages - 1;
    status = mrn_checkpoint_write(path, j->scene, &j->s, j->msg);
    j->s.stage = stage;
    return status;
}

mrn_status mrn_outputs_checkpoint_after(mrn_job *j, double seconds)
{
    if (!j->outputs_open || mrn_clock() - j->clock_checkpoint < seconds)
        return MRN_OK;
    double begin = mrn_clock();
    mrn_status status = mrn_outputs_checkpoint(j);
    j->out->output_seconds += mrn_clock() - begin;
    return status;
}

mrn_status mrn_outputs_read_checkpoint(const mrn_run_options *opt, const mrn_scene *scene,
                                       mrn_state *s, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(opt->out, "checkpoint.h5", path);
    return mrn_checkpoint_read_changed(path, scene, opt->change, opt->n_change, s, msg);
}

double mrn_outputs_extent(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    double far = 0, lo[3] = {INFINITY, INFINITY, INFINITY},
           hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], b->x[3 * (int64_t)i + k] - b->radius[i]);
            hi[k] = fmax(hi[k], b->x[3 * (int64_t)i + k] + b->radius[i]);
        }
    }
    for (int k = 0; k < 3; k++) {
        double size = hi[k] - lo[k];
        if (scene->cell.periodic[k])
            size = fmax(size, s->cell_size[k]);
        far += isfinite(size) ? size * size : 0;
    }
    return far > 0 ? sqrt(far) : 1;
}

/* A trajectory that was moved away does not keep a run from going on: it starts a new one. */
static double resume_time(mrn_job *j)
{
    char path[MRN_RUN_PATH];
    struct stat st;
    if (j->resumed_at < 0)
        return NAN;
    mrn_folder_path(j->opt->out, "trajectory.h5", path);
    if (stat(path, &st) == 0)
        return j->s.time;
    j->new_trajectory = true;
    mrn_job_warn(j, "trajectory", 0,
                 "trajectory.h5 is not there any more: the frames before %.6g s are missing",
                 j->s.time);
    return NAN;
}

static mrn_status open_trajectory(mrn_job *j)
{
    mrn_header header = {0};
    mrn_status status =
        mrn_header_from_scene(j->scene, mrn_outputs_extent(j->scene, &j->s), &header, j->msg);
    if (status == MRN_OK)
        status =
            mrn_trajectory_create(j->opt->out, &header, resume_time(j), &j->trajectory, j->msg);
    mrn_header_destroy(&header);
    if (status == MRN_OK) /* who asked for one thread has one core for this run */
        status = mrn_writer_create(j->trajectory, mrn_threads() > 1, &j->writer, j->msg);
    return status;
}

mrn_status mrn_outputs_open(mrn_job *j)
{
    if (j->opt->out == NULL)
        return MRN_OK;
    const mrn_output *o = &j->scene->output;
    mrn_status status = MRN_OK;
    if (o->fields) /* before there is a file */
        status = mrn_fields_check(j->scene, &j->s, o->fields_width, o->fields_spacing, j->msg);
    if (status == MRN_OK)
        status = mrn_folder_open(j->scene, j->opt, &j->lock, j->msg);
    if (status == MRN_OK)
        status = mrn_probe_file_open(j->opt->out, j->scene, j->resumed_at, &j->probes, j->msg);
    if (status == MRN_OK)
        status = open_trajectory(j);
    if (status == MRN_OK && j->resumed_at >= 0 && j->opt->n_change > 0)
        status = mrn_folder_keep_scene(j->scene, j->opt->out, j->resumed_at, j->msg);
    if (status == MRN_OK) /* last: a refused resume leaves the scene that ran */
        status = mrn_folder_save_scene(j->scene, j->opt->out, j->msg);
    j->outputs_open = status == MRN_OK;
    if (j->outputs_open)
        mrn_problems_keep(j);
    if (j->outputs_open && j->resumed_at < 0)
        status = mrn_outputs_write(j, true);
    else if (j->outputs_open && j->new_trajectory)
        status = write_frame(j);
    return status;
}

mrn_status mrn_outputs_close(mrn_job *j, mrn_message *msg)
{
    mrn_message later = {0};
    mrn_status status = mrn_writer_destroy(&j->writer, msg);
    for (int k = 0; k < 2; k++) {
        mrn_status more = k == 0 ? mrn_trajectory_close(&j->trajectory, &later)
                                 : mrn_probe_file_close(&j->probes, &later);
        if (status >= 0 && more < 0) {
            *msg = later;
            status = more;
        }
    }
    return status;
}
