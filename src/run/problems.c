/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact problems of the non-smooth engine as files: of steps that were asked for, and of steps
   that were not solved. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/abilities.h"
#include "moraine/fclib.h"
#include "run/job.h"

/* The polytope without bodies (W, q): every program that reads such files reads that one. Impulses
   stand there as a first guess. */
static mrn_status write_problem(const mrn_problem *p, const double *r, const mrn_scene *scene,
                                int64_t step, const char *path, bool overwrite, mrn_message *msg)
{
    char info[256];
    snprintf(info, sizeof info, "step %" PRId64 " of %.180s", step,
             scene->title[0] != '\0' ? scene->title : "a run");
    mrn_fclib_save save = {.guess = r, .math_info = info, .overwrite = overwrite};
    return mrn_fclib_write(path, p, &save, msg);
}

/* Joints are rows of the problem, not contacts. */
static int count_contacts(const mrn_problem *p)
{
    int n = 0;
    for (int k = 0; k < p->n; k++)
        n += p->law == NULL || p->law[k] == MRN_UNILATERAL;
    return n;
}

static mrn_status make_folder(const char *dir, mrn_message *msg)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    return MRN_OK;
}

/* ---- steps that were asked for ---- */

mrn_status mrn_problems_check(const mrn_job *j)
{
    const mrn_run_options *o = j->opt;
    if (o->n_problems == 0)
        return MRN_OK;
    if (!mrn_method_can(j->scene->method, MRN_CAN_CONTACT_PROBLEMS))
        return mrn_ability_refuse(j->scene->method, MRN_CAN_CONTACT_PROBLEMS, NULL, j->msg);
    for (int k = 0; k < o->n_problems; k++)
        if (o->problem_at[k] < 1)
            return mrn_fail(j->msg, MRN_ERR_RANGE,
                            "there is no step %" PRId64 ": the first one is 1", o->problem_at[k]);
    if (o->problem_path == NULL && o->out == NULL)
        return mrn_fail(j->msg, MRN_ERR_RANGE, "nothing says where contact problems should go");
    return MRN_OK;
}

int64_t mrn_problems_next(const mrn_job *j)
{
    int64_t next = INT64_MAX;
    for (int k = 0; k < j->opt->n_problems; k++) {
        int64_t at = j->opt->problem_at[k];
        next = at > j->s.step && at < next ? at : next;
    }
    return next;
}

static bool asked_for(const mrn_job *j)
{
    for (int k = 0; k < j->opt->n_problems; k++)
        if (j->opt->problem_at[k] == j->s.step)
            return true;
    return false;
}

mrn_status mrn_problems_write(mrn_job *j)
{
    char dir[MRN_RUN_PATH], path[MRN_RUN_PATH], name[40];
    if (!asked_for(j))
        return MRN_OK;
    const double *r = NULL;
    const mrn_problem *p = mrn_engine_problem(&j->engine, &r);
    if (p == NULL || count_contacts(p) == 0) {
        mrn_job_warn(j, "no-problem", 0, "step %" PRId64 " has no contact: nothing is written",
                     j->s.step);
        return MRN_OK;
    }
    if (j->opt->problem_path != NULL)
        return write_problem(p, r, j->scene, j->s.step, j->opt->problem_path, true, j->msg);
    mrn_folder_path(j->opt->out, "problems", dir);
    mrn_status status = make_folder(dir, j->msg);
    snprintf(name, sizeof name, "step-%" PRId64 ".hdf5", j->s.step);
    mrn_folder_path(dir, name, path);
    return status == MRN_OK ? write_problem(p, r, j->scene, j->s.step, path, true, j->msg) : status;
}

/* ---- steps that were not solved ---- */

/* A name of its own: a step that was halved has several problems. */
static void name_unsolved(const mrn_run_result *r, int64_t step, char name[48])
{
    snprintf(name, 48, "step-%" PRId64 ".hdf5", step);
    for (int again = 2, k = 0; k < r->n_unsolved_files; k++)
        if (strcmp(r->unsolved_file[k], name) == 0) {
            snprintf(name, 48, "step-%" PRId64 "-%d.hdf5", step, again++);
            k = -1;
        }
}

/* What cannot be written is stated, and the run goes on: it has its own way with such steps. */
static mrn_status keep_unsolved(const mrn_problem *p, const double *r, const mrn_state *s,
                                void *user, mrn_message *msg)
{
    mrn_job *j = user;
    mrn_run_result *out = j->out;
    char dir[MRN_RUN_PATH], path[MRN_RUN_PATH], name[48];
    mrn_message own = {0};
    (void)msg;
    if (out->n_unsolved_files == MRN_UNSOLVED_MAX)
        return MRN_OK;
    mrn_folder_path(j->opt->out, "unsolved", dir);
    name_unsolved(out, s->step + 1, name);
    mrn_folder_path(dir, name, path);
    mrn_status status = make_folder(dir, &own);
    if (status == MRN_OK)
        status = write_problem(p, r, j->scene, s->step + 1, path, true, &own);
    if (status == MRN_OK)
        memcpy(out->unsolved_file[out->n_unsolved_files++], name, sizeof name);
    else
        mrn_job_warn(j, "unsolved-file", 0, "the problem of step %" PRId64 " was not kept: %.180s",
                     s->step + 1, own.text);
    return MRN_OK;
}

void mrn_problems_keep(mrn_job *j)
{
    mrn_engine_keep_unsolved(&j->engine, keep_unsolved, j, MRN_UNSOLVED_MAX);
}

/* ---- of a state ---- */

static mrn_status step_and_write(const mrn_scene *scene, mrn_state *s, const char *path,
                                 bool overwrite, mrn_problem_file *facts, mrn_message *msg)
{
    mrn_engine e = {0};
    const double *r = NULL;
    mrn_status status = mrn_engine_create(scene, s, NULL, &e, msg);
    if (status == MRN_OK)
        status = mrn_engine_step(&e, 1, msg);
    /* one that is not solved is as good a problem */
    const mrn_problem *p = status >= 0 ? mrn_engine_problem(&e, &r) : NULL;
    if (status >= 0 && (p == NULL || count_contacts(p) == 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "no contact at %.6g s: there is no problem to write", s->time);
        status = mrn_fail_hint(msg, "choose a later instant");
    }
    if (status >= 0) {
        *facts = (mrn_problem_file){.contacts = count_contacts(p),
                                    .bodies = p->Ht.cols,
                                    .step = s->step,
                                    .residual = mrn_solving_of(scene, s).residual};
        status = write_problem(p, r, scene, s->step, path, overwrite, msg);
    }
    mrn_engine_destroy(&e);
    return status;
}

mrn_status mrn_run_write_problem(const mrn_scene *scene, const mrn_state *s, const char *path,
                                 bool overwrite, mrn_problem_file *facts, mrn_message *msg)
{
    mrn_problem_file unread;
    mrn_state copy = {0};
    if (!mrn_method_can(scene->method, MRN_CAN_CONTACT_PROBLEMS))
        return mrn_ability_refuse(scene->method, MRN_CAN_CONTACT_PROBLEMS, NULL, msg);
    mrn_status status = mrn_state_copy(s, &copy, msg);
    if (status == MRN_OK)
        status =
            step_and_write(scene, &copy, path, overwrite, facts != NULL ? facts : &unread, msg);
    mrn_state_destroy(&copy);
    return status;
}
