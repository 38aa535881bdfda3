/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a scene, in SI units: one grain, or one time of a signal, per line. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"
#include "scene/table.h"

enum { X, Y, Z, RADIUS, DIAMETER, VX, VY, VZ, WX, WY, WZ, QW, QX, QY, QZ, ANGLE, KINDS };
static const char *const kinds[KINDS] = {"x",  "y",  "z",  "radius", "diameter", "vx",
                                         "vy", "vz", "wx", "wy",     "wz",       "qw",
                                         "qx", "qy", "qz", "angle"};

typedef struct table table;
struct table {
    const mrn_check *check;
    mrn_text text;
    mrn_status (*header)(table *t, const mrn_cell_text *cells, int n);
    mrn_status (*row)(table *t, const mrn_cell_text *cells);
    int n; /* columns */
    int64_t rows, capacity;
    /* grains */
    int column[KINDS]; /* kind of each */
    bool has[KINDS];
    mrn_group *group;
    /* a signal */
    const mrn_node *wanted; /* name of the column of values; NULL: the second */
    int value_column;
    double (*series)[2];
};

static mrn_status fail_at_start(table *t, const char *expected, const char *what)
{
    mrn_text_go(&t->text, 0, 1);
    return mrn_text_fail(&t->text, NULL, expected, NULL, "%s", what);
}

/* ---- grains ---- */

static bool known_in_2d(int kind)
{
    return kind != Z && kind != VZ && kind != WX && kind != WY && !(kind >= QW && kind <= QZ);
}

static mrn_status read_column(table *t, mrn_cell_text c)
{
    char list[160] = "";
    int kind = -1;
    for (int k = 0, n = 0; k < KINDS; k++) {
        if (t->check->dimension == 2 ? !known_in_2d(k) : k == ANGLE)
            continue;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", n++ ? ", " : "",
                 kinds[k]);
        if (mrn_cell_same(c, kinds[k]))
            kind = k;
    }
    if (kind < 0 || t->has[kind])
        return mrn_text_fail(&t->text, c.s, list, NULL, "%s column '%.*s'",
                             kind < 0 ? "unknown" : "a second", mrn_cell_shown(c), c.s);
    t->has[kind] = true;
    t->column[t->n++] = kind;
    return MRN_OK;
}

static mrn_status read_header(table *t, const mrn_cell_text *cells, int n)
{
    const mrn_text *text = &t->text;
    mrn_status s = MRN_OK;
    for (int i = 0; i < n && s == MRN_OK; i++)
        s = read_column(t, cells[i]);
    if (s != MRN_OK)
        return s;
    int last = t->check->dimension == 2 ? Y : Z;
    for (int k = X; k <= last; k++)
        if (!t->has[k])
            return mrn_text_fail(text, NULL, "a header line such as x,y,z,radius", NULL,
                                 "the header lacks the column '%s'", kinds[k]);
    if (t->has[RADIUS] && t->has[DIAMETER])
        return mrn_text_fail(text, NULL, "one of them", NULL, "both radius and diameter");
    int turned = t->has[QW] + t->has[QX] + t->has[QY] + t->has[QZ];
    if (turned != 0 && turned != 4)
        return mrn_text_fail(text, NULL, "all of qw, qx, qy, qz", NULL, "a part of a quaternion");
    return MRN_OK;
}

static mrn_status read_number(const table *t, mrn_cell_text c, double *out)
{
    return mrn_cell_read(&t->text, c, "a number in SI units", out);
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
        return mrn_text_fail(&t->text, NULL, "a quaternion of length 1", NULL,
                             "qw, qx, qy, qz have length %g", norm);
    *out = mrn_quat_unit((mrn_quat){v[QW], v[QX], v[QY], v[QZ]});
    return MRN_OK;
}

static mrn_status read_row(table *t, const mrn_cell_text *cells, mrn_grain *out)
{
    double v[KINDS] = {0};
    mrn_status s = MRN_OK;
    for (int i = 0; i < t->n && s == MRN_OK; i++) {
        int kind = t->column[i];
        s = read_number(t, cells[i], &v[kind]);
        if (s == MRN_OK && (kind == RADIUS || kind == DIAMETER) && v[kind] <= 0)
            s = mrn_text_fail(&t->text, cells[i].s, "more than 0", NULL, "not a size: '%.*s'",
                              mrn_cell_shown(cells[i]), cells[i].s);
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

static mrn_status add_grain(table *t, const mrn_cell_text *cells)
{
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

/* ---- files ---- */

static mrn_status read_rows(table *t)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    char separator;
    int n, columns;
    mrn_status s = mrn_text_header(&t->text, "a header line such as x,y,z,radius or time,value",
                                   cell, &columns, &separator);
    if (s == MRN_OK)
        s = t->header(t, cell, columns);
    while (s == MRN_OK && mrn_text_next_row(&t->text)) {
        s = mrn_text_row(&t->text, separator, columns, cell, &n);
        if (s == MRN_OK)
            s = t->row(t, cell);
    }
    return s;
}

/* `path` must last as long as the table's messages are made. */
static mrn_status read_file(table *t, const mrn_node *n, char *path, size_t size)
{
    const mrn_check *c = t->check;
    mrn_status s = mrn_check_path(c, n, path, size);
    if (s != MRN_OK)
        return s;
    s = mrn_text_open(path, &t->text, c->msg);
    if (s == MRN_ERR_INPUT && c->msg->line == 0) {
        /* not to be opened: the place is where the scene names the file */
        c->msg->file[0] = '\0';
        mrn_tree_place(c->tree, n, c->msg);
        return mrn_fail_hint(c->msg, "files are sought in the folder of the scene");
    }
    return s == MRN_OK ? read_rows(t) : s;
}

/* A long list takes no more room than it needs. */
static mrn_status trim(mrn_group *g, mrn_message *msg)
{
    mrn_grain *fit = mrn_realloc(g->grain, (size_t)g->n_grains * sizeof *fit);
    g->grain = fit != NULL ? fit : g->grain;
    return fit != NULL ? MRN_OK : mrn_fail_memory(msg);
}

mrn_status mrn_build_csv(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    char path[1024];
    table t = {.check = &r->check, .group = g, .header = read_header, .row = add_grain};
    mrn_status s = read_file(&t, n, path, sizeof path);
    if (s == MRN_OK && t.rows == 0)
        s = fail_at_start(&t, "a header line and one line per grain", "the table holds no grain");
    mrn_text_close(&t.text);
    return s == MRN_OK ? trim(g, r->check.msg) : s;
}

/* ---- signals ---- */

static mrn_status fail_column(table *t, const mrn_cell_text *cells, int n)
{
    char name[MRN_CELLS_MAX][MRN_NAME];
    const char *names[MRN_CELLS_MAX];
    for (int i = 1; i < n; i++) {
        snprintf(name[i], sizeof name[i], "%.*s", mrn_cell_shown(cells[i]), cells[i].s);
        names[i - 1] = name[i];
    }
    return mrn_check_fail_word(t->check, t->wanted, "column", t->wanted->text, names, n - 1);
}

static mrn_status series_header(table *t, const mrn_cell_text *cells, int n)
{
    if (n < 2)
        return mrn_text_fail(&t->text, NULL, "a header line such as time,value", NULL,
                             "the table has one column only");
    t->value_column = t->wanted == NULL ? 1 : -1;
    for (int i = 1; i < n && t->wanted != NULL; i++)
        if (mrn_cell_same(cells[i], t->wanted->text))
            t->value_column = i;
    return t->value_column > 0 ? MRN_OK : fail_column(t, cells, n);
}

static mrn_status series_row(table *t, const mrn_cell_text *cells)
{
    double row[2];
    mrn_status s = read_number(t, cells[0], &row[0]);
    if (s == MRN_OK)
        s = read_number(t, cells[t->value_column], &row[1]);
    if (s != MRN_OK)
        return s;
    if (t->rows > 0 && !(row[0] > t->series[t->rows - 1][0]))
        return mrn_text_fail(&t->text, cells[0].s, "times that rise from row to row", NULL,
                             "time %.*s does not come after the one before",
                             mrn_cell_shown(cells[0]), cells[0].s);
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
    if (s == MRN_OK && (t.rows == 0 || t.rows > MRN_SERIES_MAX))
        s = fail_at_start(&t, "a header line, then lines with a time and a value",
                          t.rows == 0 ? "the table holds no row" : "the table holds too many rows");
    if (s == MRN_OK)
        s = make_signal(&t, factor, out);
    mrn_text_close(&t.text);
    mrn_free(t.series);
    return s;
}
