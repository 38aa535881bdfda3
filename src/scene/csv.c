/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables: a header line with column names, then one grain, or one time of a signal, per line, SI
   units. Lines that begin with # and empty lines are skipped. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

#define CSV_BYTES_MAX ((size_t)1 << 30)
#define COLUMNS       32
#define CELL          64

enum { X, Y, Z, RADIUS, DIAMETER, VX, VY, VZ, WX, WY, WZ, QW, QX, QY, QZ, ANGLE, KINDS };
static const char *const kinds[KINDS] = {"x",  "y",  "z",  "radius", "diameter", "vx",
                                         "vy", "vz", "wx", "wy",     "wz",       "qw",
                                         "qx", "qy", "qz", "angle"};

typedef struct cell cell;
typedef struct table table;
struct table {
    const mrn_check *check;
    const char *file;
    int line, n; /* n: columns of the header, 0 before it */
    mrn_status (*header)(table *t, const cell *cells, int n);
    mrn_status (*row)(table *t, const cell *cells, int n);
    int64_t rows, capacity;
    /* grains */
    int column[COLUMNS]; /* kind of each */
    bool has[KINDS];
    mrn_group *group;
    /* a signal */
    const mrn_node *wanted; /* name of the column of values; NULL: the second */
    int value_column;
    double (*series)[2];
};

/* A piece of a line without the blanks around it, and where it stands. */
struct cell {
    char text[CELL];
    int column;
};

MRN_PRINTF(4, 5)
static mrn_status fail(const table *t, int column, const char *expected, const char *fmt, ...)
{
    mrn_message *msg = t->check->msg;
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
    return kind != Z && kind != VZ && kind != WX && kind != WY && !(kind >= QW && kind <= QZ);
}

static mrn_status read_column(table *t, const cell *c)
{
    const char *names[KINDS];
    int n = 0, kind = -1;
    for (int k = 0; k < KINDS; k++) {
        if (t->check->dimension == 2 ? !known_in_2d(k) : k == ANGLE)
            continue;
        names[n++] = kinds[k];
        if (strcmp(kinds[k], c->text) == 0)
            kind = k;
    }
    char list[160] = "";
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
    for (int i = 0; i < n && s == MRN_OK; i++)
        s = read_column(t, &cells[i]);
    if (s != MRN_OK)
        return s;
    int last = t->check->dimension == 2 ? Y : Z;
    for (int k = X; k <= last; k++)
        if (!t->has[k])
            return fail(t, 1, "a header line such as x,y,z,radius",
                        "the header lacks the column '%s'", kinds[k]);
    if (t->has[RADIUS] && t->has[DIAMETER])
        return fail(t, 1, "one of them", "both radius and diameter");
    int turned = t->has[QW] + t->has[QX] + t->has[QY] + t->has[QZ];
    if (turned != 0 && turned != 4)
        return fail(t, 1, "all of qw, qx, qy, qz", "a part of a quaternion");
    return MRN_OK;
}

static mrn_status read_number(const table *t, const cell *c, double *out)
{
    if (mrn_units_number(t->check->units, c->text, out))
        return MRN_OK;
    return fail(t, c->column, "a number in SI units", "not a number: '%s'", c->text);
}

/* The orientation that a row gives; all zero when it gives none. */
static mrn_status read_turn(const table *t, const double *v, mrn_quat *out)
{
    if (t->has[ANGLE])
        *out = mrn_quat_from_rotation(mrn_v3(0, 0, v[ANGLE]));
    if (!t->has[QW])
        return MRN_OK;
    double norm = sqrt(v[QW] * v[QW] + v[QX] * v[QX] + v[QY] * v[QY] + v[QZ] * v[QZ]);
    if (!(fabs(norm - 1) < 1e-3))
        return fail(t, 1, "a quaternion of length 1", "qw, qx, qy, qz have length %g", norm);
    *out = mrn_quat_unit((mrn_quat){v[QW], v[QX], v[QY], v[QZ]});
    return MRN_OK;
}

static mrn_status read_row(table *t, const cell *cells, mrn_grain *out)
{
    double v[KINDS] = {0};
    mrn_status s = MRN_OK;
    for (int i = 0; i < t->n && s == MRN_OK; i++) {
        int kind = t->column[i];
        s = read_number(t, &cells[i], &v[kind]);
        if (s == MRN_OK && (kind == RADIUS || kind == DIAMETER) && v[kind] <= 0)
            s = fail(t, cells[i].column, "more than 0", "not a size: '%s'", cells[i].text);
    }
    if (s != MRN_OK)
        return s;
    out->x = mrn_load3(&v[X]);
    if (t->has[VX] || t->has[VY] || t->has[VZ])
        out->v = mrn_load3(&v[VX]);
    if (t->has[WX] || t->has[WY] || t->has[WZ])
        out->w = mrn_load3(&v[WX]);
    if (t->has[RADIUS] || t->has[DIAMETER])
        out->radius = t->has[RADIUS] ? v[RADIUS] : 0.5 * v[DIAMETER];
    return read_turn(t, v, &out->q);
}

static mrn_status add_grain(table *t, const cell *cells, int n)
{
    (void)n;
    mrn_group *g = t->group;
    if (mrn_grow(&g->grain, &t->capacity, g->n_grains + 1, sizeof *g->grain) != MRN_OK)
        return mrn_fail_memory(t->check->msg);
    mrn_grain *grain = &g->grain[g->n_grains];
    *grain = (mrn_grain){.v = g->velocity, .w = g->spin, .radius = NAN};
    mrn_status s = read_row(t, cells, grain);
    g->n_grains += s == MRN_OK;
    t->rows = g->n_grains;
    return s;
}

/* ---- lines ---- */

static mrn_status read_line(table *t, const char *line, size_t length)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\r", line[blank]) != NULL)
        blank++;
    if (blank == length || line[blank] == '#')
        return MRN_OK;
    cell cells[COLUMNS + 1];
    int n = split(line, length, cells);
    if (n > COLUMNS)
        return fail(t, 1, "at most 32 columns", "too many columns");
    if (t->n == 0) {
        mrn_status s = t->header(t, cells, n);
        t->n = n;
        return s;
    }
    if (n != t->n)
        return fail(t, cells[n - 1].column, "as many numbers as the header has columns",
                    "too %s numbers", n < t->n ? "few" : "many");
    return t->row(t, cells, n);
}

static mrn_status read_text(table *t, const char *text, size_t n)
{
    mrn_status s = MRN_OK;
    size_t at = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (t->line = 1; at < n && s == MRN_OK; t->line++) {
        const char *newline = memchr(text + at, '\n', n - at);
        size_t end = newline != NULL ? (size_t)(newline - text) : n;
        if (memchr(text + at, '\0', end - at) != NULL)
            return fail(t, 1, "a text file", "a zero byte: is this a binary file?");
        s = read_line(t, text + at, end - at);
        at = end + 1;
    }
    return s;
}

static mrn_status read_file(table *t, const mrn_node *n, char *path, size_t size)
{
    const mrn_check *c = t->check;
    char *text = NULL;
    size_t length = 0;
    mrn_status s = mrn_check_path(c, n, path, size);
    if (s == MRN_OK)
        s = mrn_file_load(path, CSV_BYTES_MAX, &text, &length, c->msg);
    if (s == MRN_ERR_IO || s == MRN_ERR_INPUT) {
        /* the place is where the scene names the file */
        c->msg->status = s = MRN_ERR_INPUT;
        c->msg->file[0] = '\0';
        mrn_tree_place(c->tree, n, c->msg);
        return mrn_fail_hint(c->msg, "files are sought in the folder of the scene");
    }
    if (s != MRN_OK)
        return s;
    t->file = path;
    s = read_text(t, text, length);
    mrn_free(text);
    return s;
}

mrn_status mrn_build_csv(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    char path[1024];
    table t = {.check = &r->check, .group = g, .header = read_header, .row = add_grain};
    mrn_status s = read_file(&t, n, path, sizeof path);
    if (s != MRN_OK || t.rows > 0)
        return s;
    t.line = 1;
    return fail(&t, 1, "a header line and one line per grain", "the table holds no grain");
}

/* ---- signals ---- */

static mrn_status fail_column(table *t, const cell *cells, int n)
{
    const char *names[COLUMNS];
    for (int i = 1; i < n; i++)
        names[i - 1] = cells[i].text;
    return mrn_check_fail_word(t->check, t->wanted, "column", t->wanted->text, names, n - 1);
}

static mrn_status series_header(table *t, const cell *cells, int n)
{
    double number;
    if (mrn_units_number(t->check->units, cells[0].text, &number))
        return fail(t, 1, "a header line such as time,value", "the table has no header line");
    if (n < 2)
        return fail(t, 1, "a header line such as time,value", "the table has one column only");
    t->value_column = t->wanted == NULL ? 1 : -1;
    for (int i = 1; i < n && t->wanted != NULL; i++)
        if (strcmp(cells[i].text, t->wanted->text) == 0)
            t->value_column = i;
    return t->value_column > 0 ? MRN_OK : fail_column(t, cells, n);
}

static mrn_status series_row(table *t, const cell *cells, int n)
{
    (void)n;
    double row[2];
    mrn_status s = read_number(t, &cells[0], &row[0]);
    if (s == MRN_OK)
        s = read_number(t, &cells[t->value_column], &row[1]);
    if (s != MRN_OK)
        return s;
    if (t->rows > 0 && !(row[0] > t->series[t->rows - 1][0]))
        return fail(t, cells[0].column, "times that rise from row to row",
                    "time %s does not come after the one before", cells[0].text);
    if (mrn_grow(&t->series, &t->capacity, t->rows + 1, sizeof *t->series) != MRN_OK)
        return mrn_fail_memory(t->check->msg);
    memcpy(t->series[t->rows++], row, sizeof row);
    return MRN_OK;
}

/* Two arrays side by side, as a signal takes them. */
static mrn_status make_signal(const table *t, double factor, mrn_signal *out)
{
    double *column = NULL;
    mrn_status s = mrn_array(&column, 2 * t->rows, sizeof *column, t->check->msg);
    for (int64_t i = 0; i < t->rows && s == MRN_OK; i++) {
        column[i] = t->series[i][0];
        column[t->rows + i] = factor * t->series[i][1];
    }
    if (s == MRN_OK)
        s = mrn_signal_table(column, column + t->rows, (int)t->rows, out, t->check->msg);
    mrn_free(column);
    return s;
}

mrn_status mrn_read_series(const mrn_check *c, const mrn_node *file, const mrn_node *column,
                           double factor, mrn_signal *out)
{
    char path[1024];
    table t = {.check = c, .wanted = column, .header = series_header, .row = series_row};
    mrn_status s = read_file(&t, file, path, sizeof path);
    if (s == MRN_OK && (t.rows == 0 || t.rows > MRN_SERIES_MAX)) {
        t.line = 1;
        s = fail(&t, 1, "a header line, then lines with a time and a value",
                 t.rows == 0 ? "the table holds no row" : "the table holds too many rows");
    }
    if (s == MRN_OK)
        s = make_signal(&t, factor, out);
    mrn_free(t.series);
    return s;
}
