/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.csv: one row per instant, one column per probe, numbers with all their digits. The first
   line names the columns with their units, "kinetic-energy [J]". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "run/parts.h"

/* time, step and stage stand in front of every row already */
static bool is_lead(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "step") == 0 || strcmp(name, "stage") == 0;
}

static bool listed(const mrn_probe_file *p, const char *name)
{
    for (int i = 0; i < p->n; i++) {
        if (strcmp(p->name[i], name) == 0)
            return true;
    }
    return is_lead(name);
}

static void list(mrn_probe_file *p, const char *name)
{
    if (!listed(p, name))
        snprintf(p->name[p->n++], sizeof p->name[0], "%s", name);
}

/* The columns of the whole run: those of all stages, so that they never change under way. */
mrn_status mrn_probe_file_columns(const mrn_scene *scene, mrn_probe_file *p, mrn_message *msg)
{
    int most = mrn_probe_count() + scene->output.n_probes;
    for (int k = 0; k < scene->n_stages; k++)
        most += scene->stage[k].output.n_probes;
    mrn_status status = mrn_array(&p->name, most, sizeof p->name[0], msg);
    if (status == MRN_OK)
        status = mrn_array(&p->value, most, sizeof *p->value, msg);
    if (status != MRN_OK)
        return status;
    for (int i = 0; i < mrn_probe_count(); i++)
        if (mrn_probe_method(i) == NULL || mrn_method_is_used(mrn_probe_method(i), scene))
            list(p, mrn_probe_at(i)->name);
    for (int i = 0; i < scene->output.n_probes; i++)
        list(p, scene->output.probe[i]);
    for (int k = 0; k < scene->n_stages; k++) {
        for (int i = 0; i < scene->stage[k].output.n_probes; i++)
            list(p, scene->stage[k].output.probe[i]);
    }
    return MRN_OK;
}

/* Longest line: names and units in the head are longer than any number. */
static size_t line_room(const mrn_probe_file *p)
{
    return 256 * (size_t)(p->n + 1);
}

/* The first line of the file. */
static void make_head(const mrn_probe_file *p, const mrn_scene *scene, char *head)
{
    size_t room = line_room(p), used = (size_t)snprintf(head, room, "time [s],step,stage");
    for (int i = 0; i < p->n; i++) {
        const char *unit = "1";
        mrn_probe_check(scene, p->name[i], &unit, NULL);
        bool pure = strcmp(unit, "1") == 0;
        used += (size_t)snprintf(head + used, room - used, pure ? ",%s" : ",%s [%.60s]", p->name[i],
                                 unit);
    }
    snprintf(head + used, room - used, "\n");
}

static mrn_status file_error(const char *path, const char *what, mrn_message *msg)
{
    return mrn_fail(msg, MRN_ERR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

/* Copies the rows up to a step from an earlier file; its head must be the one of this run. */
static mrn_status copy_rows(FILE *from, FILE *to, const char *path, const char *head, char *line,
                            size_t room, int64_t last_step, mrn_message *msg)
{
    bool whole = true; /* the line before ended */
    if (fgets(line, (int)room, from) != NULL && strcmp(line, head) != 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has other columns than this run", path);
        return mrn_fail_hint(msg, "keep output.probes as it was, or move the file away");
    }
    while (fgets(line, (int)room, from) != NULL) {
        int64_t step;
        bool begins = whole;
        whole = line[strlen(line) - 1] == '\n';
        /* a line without its end was cut by a crash; rows beyond the checkpoint come again */
        if (begins && whole && sscanf(line, "%*[^,],%" SCNd64, &step) == 1 && step <= last_step)
            fputs(line, to);
    }
    return MRN_OK;
}

/* Writes head and kept rows beside the file and puts them in its place. */
static mrn_status start_file(const char *path, const char *head, char *line, size_t room,
                             int64_t resume_step, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    fputs(head, file.f);
    FILE *old = resume_step >= 0 ? fopen(path, "r") : NULL;
    if (old != NULL) {
        status = copy_rows(old, file.f, path, head, line, room, resume_step, msg);
        fclose(old);
    }
    if (status == MRN_OK)
        return mrn_atomic_commit(&file, msg);
    mrn_atomic_abandon(&file);
    return status;
}

mrn_status mrn_probe_file_open(const char *dir, const mrn_scene *scene, int64_t resume_step,
                               mrn_probe_file *p, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(dir, "probes.csv", path);
    char *head;
    size_t room = line_room(p);
    mrn_status status = mrn_array(&head, 2 * (int64_t)room, 1, msg);
    if (status != MRN_OK)
        return status;
    make_head(p, scene, head);
    status = start_file(path, head, head + room, room, resume_step, msg);
    mrn_free(head);
    if (status == MRN_OK && (p->f = fopen(path, "a")) == NULL)
        status = file_error(path, "append to", msg);
    return status;
}

mrn_status mrn_probe_file_row(mrn_probe_file *p, const mrn_scene *scene, const mrn_state *s,
                              mrn_message *msg)
{
    int stage = s->stage < scene->n_stages ? s->stage : scene->n_stages - 1;
    mrn_status status = mrn_probe_values(scene, s, p->n, p->name, p->value, msg);
    if (status != MRN_OK)
        return status;
    fprintf(p->f, "%.17g,%" PRId64 ",%s", s->time, s->step, scene->stage[stage].name);
    for (int i = 0; i < p->n; i++) {
        if (p->value[i] == p->value[i])
            fprintf(p->f, ",%.17g", p->value[i]);
        else
            fputc(',', p->f); /* not known: an empty cell, which every reader takes as missing */
    }
    fputc('\n', p->f);
    if (fflush(p->f) != 0)
        return file_error("probes.csv", "write", msg);
    return MRN_OK;
}

mrn_status mrn_probe_file_close(mrn_probe_file *p, mrn_message *msg)
{
    mrn_status status = MRN_OK;
    struct stat info;
    if (p->f != NULL && fstat(fileno(p->f), &info) == 0 && info.st_nlink == 0) {
        status = mrn_fail(msg, MRN_ERR_IO, "probes.csv was removed while the run wrote it");
        mrn_fail_hint(msg, "leave the files of a run alone until it ends");
    }
    if (p->f != NULL && fclose(p->f) != 0)
        status = file_error("probes.csv", "close", msg);
    mrn_free(p->name);
    mrn_free(p->value);
    *p = (mrn_probe_file){0};
    return status;
}
