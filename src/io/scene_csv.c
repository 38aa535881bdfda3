/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains from a table: a header line with column names, then one grain per line, SI units. Lines
   that begin with # and empty lines are skipped. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "io/scene_build.h"

#define CSV_BYTES_MAX ((size_t)1 << 30)
#define COLUMNS       16
#define CELL          64

enum { X, Y, Z, RADIUS, DIAMETER, VX, VY, VZ, WX, WY, WZ, KINDS };
static const char *const kinds[KINDS] = {"x",  "y",  "z",  "radius", "diameter", "vx",
                                         "vy", "vz", "wx", "wy",     "wz"};

typedef struct table {
    mrn_reader *reader;
    const char *file;
    int line, n;
    int column[COLUMNS]; /* kind of each */
    bool has[KINDS];
} table;

/* A piece of a line without the blanks around it, and where it stands. */
typedef struct cell {
    char text[CELL];
    int column;
} cell;

MRN_PRINTF(4, 5)
static mrn_status fail(const table *t, int column, const char *expected, const char *fmt, ...)
{
    mrn_message *msg = t->reader->check.msg;
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    mrn_fail_at(msg, t->file, t->line, column);
    mrn_fail_expected(msg, "%s", expected);
    return MRN_ERR_INPUT;
}

/* Splits a line; returns the number of cells, at most COLUMNS + 1. */
static int split(const char *line, size_t length, cell *out)
{
    int n = 0;
    size_t at = 0;
    for (;;) {
        size_t end = at;
        while (end < length && line[end] != ',')
            end++;
        size_t from = at, to = end;
        while (from < to && strchr(" \t\r", line[from]) != NULL)
            from++;
        while (to > from && strchr(" \t\r", line[to - 1]) != NULL)
            to--;
        size_t size = to - from < CELL - 1 ? to - from : CELL - 1;
        memcpy(out[n].text, line + from, size);
        out[n].text[size] = '\0';
        out[n++].column = (int)from + 1;
        if (end >= length || n > COLUMNS)
            return n;
        at = end + 1;
    }
}

static bool known_in_2d(int kind)
{
    return kind != Z && kind != VZ && kind != WX && kind != WY;
}

static mrn_status read_column(table *t, const cell *c)
{
    const char *names[KINDS];
    int n = 0, kind = -1;
    for (int k = 0; k < KINDS; k++) {
        if (t->reader->check.dimension == 2 && !known_in_2d(k))
            continue;
        names[n++] = kinds[k];
        if (strcmp(kinds[k], c->text) == 0)
            kind = k;
    }
    char list[120] = "";
    for (int i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    if (kind < 0)
        return fail(t, c->column, list, "unknown column '%s'", c->text);
    if (t->has[kind])
        return fail(t, c->column, list, "a second column '%s'", c->text);
    t->has[kind] = true;
    t->column[t->n++] = kind;
    return MRN_OK;
}

static mrn_status read_header(table *t, const cell *cells, int n)
{
    mrn_status s = MRN_OK;
    if (n > COLUMNS)
        return fail(t, 1, "at most 16 columns", "too many columns");
    for (int i = 0; i < n && s == MRN_OK; i++)
        s = read_column(t, &cells[i]);
    if (s != MRN_OK)
        return s;
    int last = t->reader->check.dimension == 2 ? Y : Z;
    for (int k = X; k <= last; k++)
        if (!t->has[k])
            return fail(t, 1, "a header line such as x,y,z,radius",
                        "the header lacks the column '%s'", kinds[k]);
    if (t->has[RADIUS] && t->has[DIAMETER])
        return fail(t, 1, "one of them", "both radius and diameter");
    return MRN_OK;
}

static mrn_status read_row(table *t, const cell *cells, int n, mrn_grain *out)
{
    double v[KINDS] = {0};
    if (n != t->n)
        return fail(t, cells[n - 1].column, "as many numbers as the header has columns",
                    "too %s numbers", n < t->n ? "few" : "many");
    for (int i = 0; i < n; i++) {
        int kind = t->column[i];
        if (!mrn_units_number(t->reader->check.units, cells[i].text, &v[kind]))
            return fail(t, cells[i].column, "a number in SI units", "not a number: '%s'",
                        cells[i].text);
        if ((kind == RADIUS || kind == DIAMETER) && v[kind] <= 0)
            return fail(t, cells[i].column, "more than 0", "not a size: '%s'", cells[i].text);
    }
    out->x = mrn_load3(&v[X]);
    if (t->has[VX] || t->has[VY] || t->has[VZ])
        out->v = mrn_load3(&v[VX]);
    if (t->has[WX] || t->has[WY] || t->has[WZ])
        out->w = mrn_load3(&v[WX]);
    if (t->has[RADIUS] || t->has[DIAMETER])
        out->radius = t->has[RADIUS] ? v[RADIUS] : 0.5 * v[DIAMETER];
    return MRN_OK;
}

static mrn_status read_line(table *t, const char *line, size_t length, mrn_group *g,
                            int64_t *capacity)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\r", line[blank]) != NULL)
        blank++;
    if (blank == length || line[blank] == '#')
        return MRN_OK;
    cell cells[COLUMNS + 1];
    int n = split(line, length, cells);
    if (t->n == 0)
        return read_header(t, cells, n);
    if (mrn_grow(&g->grain, capacity, g->n_grains + 1, sizeof *g->grain) != MRN_OK)
        return mrn_fail_memory(t->reader->check.msg);
    mrn_grain *grain = &g->grain[g->n_grains];
    *grain = (mrn_grain){.v = g->velocity, .w = g->spin, .radius = NAN};
    mrn_status s = read_row(t, cells, n, grain);
    g->n_grains += s == MRN_OK;
    return s;
}

static mrn_status read_text(table *t, const char *text, size_t n, mrn_group *g)
{
    int64_t capacity = 0;
    mrn_status s = MRN_OK;
    size_t at = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (t->line = 1; at < n && s == MRN_OK; t->line++) {
        const char *newline = memchr(text + at, '\n', n - at);
        size_t end = newline != NULL ? (size_t)(newline - text) : n;
        if (memchr(text + at, '\0', end - at) != NULL)
            return fail(t, 1, "a text file", "a zero byte: is this a binary file?");
        s = read_line(t, text + at, end - at, g, &capacity);
        at = end + 1;
    }
    if (s == MRN_OK && g->n_grains == 0) {
        t->line = 1;
        return fail(t, 1, "a header line and one line per grain", "the table holds no grain");
    }
    return s;
}

mrn_status mrn_build_csv(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    char path[1024];
    char *text = NULL;
    size_t length = 0;
    mrn_status s = mrn_build_path(r, n, path, sizeof path);
    if (s == MRN_OK)
        s = mrn_file_load(path, CSV_BYTES_MAX, &text, &length, r->check.msg);
    if (s == MRN_ERR_IO || s == MRN_ERR_INPUT) {
        /* the place is where the scene names the file */
        r->check.msg->status = s = MRN_ERR_INPUT;
        r->check.msg->file[0] = '\0';
        mrn_tree_place(r->check.tree, n, r->check.msg);
        return mrn_fail_hint(r->check.msg, "files are sought in the folder of the scene");
    }
    if (s != MRN_OK)
        return s;
    table t = {.reader = r, .file = path};
    s = read_text(&t, text, length, g);
    mrn_free(text);
    return s;
}
