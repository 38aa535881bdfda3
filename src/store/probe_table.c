/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.csv read back: a column per probe. What is not known is not a number; stages are numbers
   into a list of names; a line that a run writes just now, and has not ended, is left out. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.h"

#define MOST_BYTES   (1LL << 30)
#define MOST_COLUMNS 4096
#define MOST_STAGES  1024

/* ---- the file ---- */

static char *whole_file(const char *path, mrn_message *msg)
{
    struct stat info = {0};
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (!good || info.st_size > MOST_BYTES) {
        mrn_fail_file(msg, path, "no table of probes here",
                      fd < 0 ? errno
                      : good ? EFBIG
                             : ENOTSUP);
    } else if ((text = mrn_alloc((size_t)info.st_size + 1)) == NULL) {
        mrn_fail_memory(msg);
    } else {
        int64_t got = 0, n = 1;
        while (got < info.st_size && n > 0) {
            n = read(fd, text + got, (size_t)(info.st_size - got));
            got += n > 0 ? n : 0;
        }
    }
    if (fd >= 0)
        close(fd);
    return text;
}

/* ---- the head ---- */

/* "kinetic-energy [J]" */
static void read_name(const char *text, size_t n, mrn_probe_column *c)
{
    const char *open = memchr(text, '[', n);
    size_t name = open != NULL ? (size_t)(open - text) : n;
    while (name > 0 && text[name - 1] == ' ')
        name--;
    snprintf(c->name, sizeof c->name, "%.*s", (int)name, text);
    snprintf(c->unit, sizeof c->unit, "1");
    size_t rest = open != NULL ? n - (size_t)(open - text) : 0;
    if (rest > 2 && text[n - 1] == ']')
        snprintf(c->unit, sizeof c->unit, "%.*s", (int)(rest - 2), open + 1);
    /* a run's folder may come from elsewhere, and names are printed */
    mrn_hide_controls(c->name, sizeof c->name);
    mrn_hide_controls(c->unit, sizeof c->unit);
}

static mrn_status read_head(mrn_probe_table *t, const char *line, mrn_message *msg)
{
    int n = 1;
    for (const char *s = line; *s != '\0'; s++)
        n += *s == ',';
    if (n > MOST_COLUMNS)
        return mrn_fail(msg, MRN_ERR_INPUT, "a table of probes with more than %d columns",
                        MOST_COLUMNS);
    mrn_status st = mrn_array(&t->column, n, sizeof *t->column, msg);
    for (int i = 0; st == MRN_OK && i < n; i++) {
        size_t length = strcspn(line, ",\r");
        read_name(line, length, &t->column[i]);
        line += length + (line[length] == ',');
        t->n_columns = i + 1;
    }
    return st;
}

/* ---- the rows ---- */

static double stage_number(mrn_probe_table *t, const char *text, size_t n)
{
    char name[MRN_NAME];
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    mrn_hide_controls(name, sizeof name);
    for (int i = 0; i < t->n_stages; i++)
        if (strcmp(t->stage[i], name) == 0)
            return i;
    if (t->n_stages == MOST_STAGES ||
        mrn_grow(&t->stage, &t->stage_room, t->n_stages + 1, sizeof *t->stage) != MRN_OK)
        return NAN;
    memcpy(t->stage[t->n_stages], name, sizeof name);
    return t->n_stages++;
}

/* Takes the next cell of a row and moves on. */
static double next_cell(mrn_probe_table *t, const mrn_probe_column *c, const char **at)
{
    size_t n = strcspn(*at, ",");
    const char *text = *at;
    char *end = NULL;
    *at += n + (text[n] == ',');
    if (strcmp(c->name, "stage") == 0)
        return stage_number(t, text, n);
    double v = n > 0 ? strtod(text, &end) : NAN;
    return end == text + n ? v : NAN;
}

/* Lines that end become rows. */
static mrn_status read_rows(mrn_probe_table *t, char *text, mrn_message *msg)
{
    int64_t n = 0, r = 0;
    for (const char *s = text; (s = strchr(s, '\n')) != NULL; s++)
        n++;
    for (int i = 0; i < t->n_columns; i++)
        if (mrn_array(&t->column[i].value, n, sizeof(double), msg) != MRN_OK)
            return MRN_ERR_MEMORY;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, r++) {
        const char *at = line;
        *end = '\0';
        for (int i = 0; i < t->n_columns; i++)
            t->column[i].value[r] = next_cell(t, &t->column[i], &at);
    }
    t->n = r;
    return MRN_OK;
}

mrn_status mrn_probe_table_read(const char *path, mrn_probe_table *t, mrn_message *msg)
{
    *t = (mrn_probe_table){0};
    char *text = whole_file(path, msg);
    if (text == NULL)
        return msg != NULL ? msg->status : MRN_ERR_IO;
    char *end = strchr(text, '\n');
    mrn_status st;
    if (end != NULL) {
        *end = '\0';
        st = read_head(t, text, msg);
        if (st == MRN_OK)
            st = read_rows(t, end + 1, msg);
    } else
        st = mrn_fail(msg, MRN_ERR_INPUT, "%s is empty", path);
    mrn_free(text);
    if (st != MRN_OK)
        mrn_probe_table_release(t);
    return st;
}

const mrn_probe_column *mrn_probe_table_find(const mrn_probe_table *t, const char *name)
{
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return &t->column[i];
    return NULL;
}

void mrn_probe_table_release(mrn_probe_table *t)
{
    for (int i = 0; t->column != NULL && i < t->n_columns; i++)
        mrn_free(t->column[i].value);
    mrn_free(t->column);
    mrn_free(t->stage);
    *t = (mrn_probe_table){0};
}
