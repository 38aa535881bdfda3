/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements as a table, from a file or from the lab's file itself: its columns as conditions,
   responses and errors. */
#include "readers/columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/table.h"

static int slot(const mrn_lab_table *t, const mrn_lab_column *c)
{
    return c->kind == MRN_LAB_CONDITION  ? c->of
           : c->kind == MRN_LAB_RESPONSE ? t->n_conditions + c->of
                                         : t->n_conditions + t->n_responses + c->of;
}

mrn_status mrn_lab_table_fail(const mrn_lab_table *t, const mrn_lab_cell *p, const char *expected,
                              const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (p->node != NULL)
        return mrn_check_fail(&t->r->in.check, p->node, expected, "%s", text);
    mrn_message *msg = t->r->in.check.msg;
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    mrn_fail_at(msg, t->path, p->line, p->column);
    mrn_fail_expected(msg, "%s", expected);
    return MRN_ERR_INPUT;
}

/* ---- columns ---- */

static mrn_status add_column(mrn_lab_table *t, mrn_lab_role kind, int of, const mrn_node *spec,
                             const mrn_node *name, const mrn_node *unit, const char *si)
{
    if (t->n == MRN_LAB_COLUMNS_MAX)
        return mrn_check_fail(&t->r->in.check, spec, "fewer columns", "too many columns");
    t->column[t->n++] = (mrn_lab_column){.kind = kind,
                                         .of = of,
                                         .spec = spec,
                                         .name = name->text,
                                         .unit = unit != NULL ? unit->text : NULL,
                                         .si = si,
                                         .at = -1};
    return MRN_OK;
}

/* The unit of a column, before any number: it must convert, and must be there in files. */
static mrn_status check_unit(mrn_lab_table *t, const mrn_node *spec, const char *si)
{
    const mrn_check *c = &t->r->in.check;
    const mrn_node *unit = mrn_node_get(spec, "unit");
    bool pure = strcmp(si, "1") == 0, file = mrn_node_get(t->data, "file") != NULL;
    if (unit == NULL && (pure || !file))
        return MRN_OK;
    if (unit == NULL) {
        mrn_check_fail(c, spec->key, NULL, "the unit of '%s' is missing", spec->key->text);
        return mrn_fail_expected(c->msg, "unit: %s", strcmp(si, "rad") == 0 ? "deg" : si);
    }
    char text[64];
    mrn_reading x;
    snprintf(text, sizeof text, "1 %.50s", unit->text);
    if (strcmp(unit->text, "1") == 0 && pure)
        return MRN_OK;
    if (strlen(unit->text) < 24 && mrn_units_read(c->units, text, si, &x, c->msg) == MRN_OK)
        return MRN_OK;
    mrn_check_fail(c, unit, NULL, "'%.60s' is no unit for '%s'", unit->text, spec->key->text);
    return mrn_fail_expected(c->msg, "one that converts to %s", si);
}

static mrn_status add_conditions(mrn_lab_table *t, const mrn_node *list)
{
    mrn_lab_reader *r = t->r;
    mrn_conditions *at = &r->e->at;
    int n = list != NULL ? list->n : 0;
    mrn_status s = mrn_array(&at->factor, n, sizeof *at->factor, r->in.check.msg);
    if (s == MRN_OK)
        s = mrn_array(&at->unit, n, sizeof *at->unit, r->in.check.msg);
    for (const mrn_node *x = n > 0 ? list->first : NULL; x != NULL && s == MRN_OK; x = x->next) {
        const mrn_node *name = mrn_node_get(x, "column"), *unit = mrn_node_get(x, "unit");
        mrn_factor *f = &at->factor[at->n_conditions];
        s = mrn_lab_factor_of_all(r, x->key->text, x->key, f);
        if (s == MRN_OK)
            s = check_unit(t, x, f->unit);
        if (s == MRN_OK)
            s = add_column(t, MRN_LAB_CONDITION, at->n_conditions, x, name != NULL ? name : x->key,
                           unit, f->unit);
        snprintf(at->unit[at->n_conditions++], sizeof *at->unit, "%.23s",
                 unit != NULL  ? unit->text
                 : s == MRN_OK ? f->unit
                               : "");
    }
    t->n_conditions = at->n_conditions;
    return s;
}

/* `value:` of an error, in the unit of the response or in its own. */
static mrn_status read_constant(mrn_lab_table *t, int k, const mrn_node *error,
                                const mrn_node *unit, const char *si)
{
    const mrn_check *c = &t->r->in.check;
    const mrn_node *value = mrn_node_get(error, "value");
    bool variance = strcmp(mrn_node_get(error, "kind")->text, "variance") == 0;
    char text[160], square[64];
    double bare;
    mrn_reading x = {.value = 1};
    bool number = mrn_units_number(c->units, value->text, &bare);
    mrn_status s = MRN_OK;
    if (number && unit != NULL && strcmp(unit->text, "1") != 0) {
        snprintf(text, sizeof text, "1 %.50s", unit->text);
        s = mrn_units_read(c->units, text, si, &x, c->msg);
        t->constant[k] = bare * x.value * (variance ? x.value : 1);
    } else {
        snprintf(square, sizeof square, "(%s)^2", si);
        s = mrn_units_read(c->units, value->text, variance && strcmp(si, "1") != 0 ? square : si,
                           &x, c->msg);
        t->constant[k] = x.value;
    }
    if (s != MRN_OK)
        return mrn_tree_place(c->tree, value, c->msg);
    if (!(t->constant[k] > 0))
        return mrn_check_fail(c, value, "more than 0", "the error of '%s' is not positive: %.60s",
                              error->key->text, value->text);
    return MRN_OK;
}

static mrn_status add_error(mrn_lab_table *t, int k, const mrn_node *response,
                            const mrn_rebound_field *field)
{
    const mrn_check *c = &t->r->in.check;
    const mrn_node *error = mrn_node_get(response, "error"), *unit = mrn_node_get(response, "unit");
    bool replicates = mrn_read_flag(mrn_node_get(t->data, "replicates"));
    if (replicates && error != NULL) {
        mrn_check_fail(c, error->key, "one of them",
                       "'error' stands beside `replicates: true`, which tells the errors");
        return mrn_fail_hint(c->msg, "take one of the two out");
    }
    if (replicates)
        return MRN_OK;
    if (error == NULL) {
        mrn_check_fail(c, response, "error: {column: NAME, kind: sd}", "how uncertain is '%s'?",
                       field->name);
        return mrn_fail_hint(c->msg, "or error: unknown, or replicates: true where rows repeat");
    }
    t->error[k] = error;
    if (error->kind != MRN_NODE_MAP)
        return MRN_OK;
    const mrn_node *name = mrn_node_get(error, "column");
    if (name == NULL)
        return read_constant(t, k, error, unit, field->unit);
    mrn_status s = add_column(t, MRN_LAB_ERROR, k, error, name, unit, field->unit);
    if (s == MRN_OK)
        t->column[t->n - 1].variance = strcmp(mrn_node_get(error, "kind")->text, "variance") == 0;
    return s;
}

static mrn_status find_response(mrn_lab_table *t, const mrn_node *n, const mrn_rebound_field **out)
{
    const char *names[MRN_LAB_COLUMNS_MAX];
    int count = 0;
    for (; count < mrn_rebound_field_count() && count < MRN_LAB_COLUMNS_MAX; count++)
        names[count] = mrn_rebound_field_at(count)->name;
    *out = mrn_rebound_field_find(n->key->text);
    if (*out != NULL)
        return MRN_OK;
    return mrn_check_fail_word(&t->r->in.check, n->key, "response", n->key->text, names, count);
}

static mrn_status add_responses(mrn_lab_table *t, const mrn_node *list)
{
    mrn_measurements *m = &t->r->e->measured;
    mrn_message *msg = t->r->in.check.msg;
    mrn_status s = mrn_array(&m->response, list->n, sizeof *m->response, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->unit, list->n, sizeof *m->unit, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->fitted, list->n, sizeof *m->fitted, msg);
    for (const mrn_node *x = list->first; x != NULL && s == MRN_OK; x = x->next) {
        const mrn_node *name = mrn_node_get(x, "column"), *unit = mrn_node_get(x, "unit");
        const mrn_rebound_field *field = NULL;
        int k = m->n_responses;
        s = find_response(t, x, &field);
        if (s == MRN_OK)
            s = check_unit(t, x, field->unit);
        if (s == MRN_OK)
            s = add_column(t, MRN_LAB_RESPONSE, k, x, name != NULL ? name : x->key, unit,
                           field->unit);
        if (s == MRN_OK)
            s = add_error(t, k, x, field);
        if (s != MRN_OK)
            return s;
        m->response[k] = field;
        m->fitted[k] = true;
        snprintf(m->unit[k], sizeof *m->unit, "%.23s", unit != NULL ? unit->text : field->unit);
        m->n_responses++;
    }
    t->n_responses = m->n_responses;
    return s;
}

/* ---- numbers ---- */

/* A cell: its number in SI. Files have plain numbers; inline rows may have units. */
static mrn_status read_number(mrn_lab_table *t, mrn_lab_column *c, const char *text,
                              const mrn_lab_cell *p, double *out)
{
    const mrn_check *check = &t->r->in.check;
    double bare;
    char full[MRN_LAB_CELL + MRN_UNIT_TEXT + 2];
    mrn_reading x;
    bool number = mrn_units_number(check->units, text, &bare), pure = strcmp(c->si, "1") == 0;
    bool own = !number && p->node != NULL && !c->variance;
    if (!number && !own && text[0] == '\0')
        return mrn_lab_table_fail(t, p, "a number", "an empty cell in column '%.60s'", c->name);
    if (!number && !own)
        return mrn_lab_table_fail(t, p, "a number", "not a number in column '%.60s': '%.60s'",
                                  c->name, text);
    if (number && c->unit == NULL && !pure) {
        mrn_lab_table_fail(t, p, "a number with a unit", "'%.60s' has no unit", c->name);
        return mrn_fail_hint(check->msg, "write the unit here, or unit: %s for the whole column",
                             c->si);
    }
    bool scaled = number && c->unit != NULL && strcmp(c->unit, "1") != 0;
    if (c->variance) { /* numbers alone: the square of the unit's factor */
        snprintf(full, sizeof full, "1 %.40s", scaled ? c->unit : "");
        mrn_status s = scaled ? mrn_units_read(check->units, full, c->si, &x, check->msg) : MRN_OK;
        *out = scaled && s == MRN_OK ? bare * x.value * x.value : bare;
        return s;
    }
    snprintf(full, sizeof full, "%s%s%.40s", text, scaled ? " " : "", scaled ? c->unit : "");
    if (mrn_units_read(check->units, full, c->si, &x, check->msg) == MRN_OK) {
        if (c->unit == NULL && c->own[0] == '\0')
            snprintf(c->own, sizeof c->own, "%.23s", x.unit);
        *out = x.value;
        return MRN_OK;
    }
    char why[300], expected[300];
    snprintf(why, sizeof why, "%.290s", check->msg->text);
    snprintf(expected, sizeof expected, "%.290s", check->msg->expected);
    return mrn_lab_table_fail(t, p, expected, "column '%.60s': %s", c->name, why);
}

static mrn_status check_number(mrn_lab_table *t, const mrn_lab_column *c, const mrn_lab_cell *p,
                               double v)
{
    if (c->kind == MRN_LAB_ERROR && !(v > 0)) {
        mrn_lab_table_fail(t, p, "more than 0", "the error of '%.60s' is %s",
                           t->r->e->measured.response[c->of]->name,
                           v == 0 ? "zero here, but no measurement is exact" : "negative here");
        return mrn_fail_hint(t->r->in.check.msg,
                             "error: unknown finds it from the residuals; or one value for all");
    }
    const mrn_factor *f = c->kind == MRN_LAB_CONDITION ? &t->r->e->at.factor[c->of] : NULL;
    if (f == NULL || mrn_lab_within(f, v))
        return MRN_OK;
    char lo[60], hi[60], expected[160];
    const char *unit = t->r->e->at.unit[c->of];
    unit = c->own[0] != '\0' ? c->own : unit;
    mrn_lab_text(t->r, f->lo, unit, f->unit, lo, sizeof lo);
    mrn_lab_text(t->r, f->hi, unit, f->unit, hi, sizeof hi);
    snprintf(expected, sizeof expected, "from %s to %s", lo, hi);
    return mrn_lab_table_fail(t, p, expected, "'%s' is out of range", f->name);
}

static mrn_status too_long(mrn_lab_table *t, const mrn_lab_cell *p, int64_t n)
{
    return mrn_lab_table_fail(t, p, "a number and at most its unit", "a cell of %lld characters",
                              (long long)n);
}

/* One cell into the row at hand; `missing` where it says so. */
static mrn_status put(mrn_lab_table *t, mrn_lab_column *c, const char *text, const mrn_lab_cell *p)
{
    int64_t i = t->n_rows * mrn_lab_table_width(t) + slot(t, c);
    if (strlen(text) > MRN_LAB_CELL)
        return too_long(t, p, (int64_t)strlen(text));
    c->seen = true;
    t->where[i] = *p;
    if (c->kind != MRN_LAB_CONDITION && t->missing != NULL && strcmp(text, t->missing) == 0)
        return MRN_OK;
    mrn_status s = read_number(t, c, text, p, &t->value[i]);
    return s == MRN_OK ? check_number(t, c, p, t->value[i]) : s;
}

static mrn_status begin_row(mrn_lab_table *t, const mrn_lab_cell *p)
{
    int64_t n = t->n_rows, w = mrn_lab_table_width(t);
    if (n == MRN_LAB_ROWS_MAX)
        return mrn_lab_table_fail(t, p, "at most 1000000 rows",
                                  "the table has more than a million rows");
    if (mrn_grow(&t->value, &t->value_capacity, (n + 1) * w, sizeof *t->value) != MRN_OK ||
        mrn_grow(&t->where, &t->where_capacity, (n + 1) * w, sizeof *t->where) != MRN_OK ||
        mrn_grow(&t->row, &t->row_capacity, n + 1, sizeof *t->row) != MRN_OK)
        return mrn_fail_memory(t->r->in.check.msg);
    t->row[n] = (mrn_lab_line){.place = *p};
    for (int64_t k = 0; k < w; k++) {
        t->value[n * w + k] = NAN;
        t->where[n * w + k] = *p;
    }
    return MRN_OK;
}

/* A response needs its error, and an error its response. */
static mrn_status end_row(mrn_lab_table *t)
{
    const double *v = t->value + t->n_rows * mrn_lab_table_width(t);
    const mrn_lab_cell *p = t->where + t->n_rows * mrn_lab_table_width(t);
    for (int i = 0; i < t->n; i++) {
        const mrn_lab_column *c = &t->column[i];
        if (c->kind == MRN_LAB_ERROR && !isnan(v[t->n_conditions + c->of]) && isnan(v[slot(t, c)]))
            return mrn_lab_table_fail(t, &p[slot(t, c)], "a number",
                                      "'%s' is measured here, its error is not",
                                      t->r->e->measured.response[c->of]->name);
    }
    t->n_rows++;
    return MRN_OK;
}

/* ---- a file ---- */

static mrn_status fail_column(mrn_lab_table *t, const mrn_lab_column *c, const mrn_cell_text *cell,
                              int n)
{
    char store[MRN_LAB_COLUMNS_MAX][64];
    const char *names[MRN_LAB_COLUMNS_MAX];
    const mrn_node *name = mrn_node_get(c->spec, "column");
    int count = n < MRN_LAB_COLUMNS_MAX ? n : MRN_LAB_COLUMNS_MAX;
    for (int i = 0; i < count; i++) {
        snprintf(store[i], sizeof store[i], "%.*s", cell[i].n, cell[i].s);
        names[i] = store[i];
    }
    mrn_check_fail_word(&t->r->in.check, name != NULL ? name : c->spec->key, "column", c->name,
                        names, count);
    char text[200];
    snprintf(text, sizeof text, "the table '%.100s' has no column '%.60s'",
             mrn_node_get(t->data, "file")->text, c->name);
    memcpy(t->r->in.check.msg->text, text, sizeof text);
    return MRN_ERR_INPUT;
}

static mrn_status find_columns(mrn_lab_table *t, const mrn_cell_text *cell, int n)
{
    for (int k = 0; k < t->n; k++) {
        mrn_lab_column *c = &t->column[k];
        for (int i = 0; i < n; i++)
            if (mrn_cell_same(cell[i], c->name))
                c->at = i;
        if (c->at < 0)
            return fail_column(t, c, cell, n);
    }
    return MRN_OK;
}

static mrn_status file_row(mrn_lab_table *t, const mrn_text *file, const mrn_cell_text *cell)
{
    mrn_lab_cell p = {.line = file->line, .column = 1};
    mrn_status s = begin_row(t, &p);
    for (int k = 0; k < t->n && s == MRN_OK; k++) {
        const mrn_cell_text *x = &cell[t->column[k].at];
        char text[MRN_LAB_CELL + 1];
        p.column = (int)(x->s - file->now.s) + 1;
        s = mrn_cell_copy(*x, text, sizeof text) ? put(t, &t->column[k], text, &p)
                                                 : too_long(t, &p, x->n);
    }
    return s == MRN_OK ? end_row(t) : s;
}

static mrn_status file_rows(mrn_lab_table *t, mrn_text *file)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    char separator = ',';
    int n = 0;
    mrn_status s = mrn_text_header(file, "a header line such as angle,en,et", cell, &n, &separator);
    if (s == MRN_OK)
        s = find_columns(t, cell, n);
    while (s == MRN_OK && mrn_text_next_row(file)) {
        int cells;
        s = mrn_text_row(file, separator, n, cell, &cells);
        if (s == MRN_OK)
            s = file_row(t, file, cell);
    }
    return s;
}

/* The rows, and the table as it was read, to be handed on with results. */
static mrn_status keep_rows(mrn_lab_table *t, mrn_text *file)
{
    mrn_experiment *e = t->r->e;
    mrn_status s = file_rows(t, file);
    if (s != MRN_OK)
        return s;
    e->data_path = mrn_strdup(t->path);
    e->data_text = mrn_strdup(file->text);
    return e->data_path != NULL && e->data_text != NULL ? MRN_OK
                                                        : mrn_fail_memory(t->r->in.check.msg);
}

static mrn_status read_file(mrn_lab_table *t, const mrn_node *n)
{
    const mrn_check *c = &t->r->in.check;
    mrn_text file;
    mrn_status s = mrn_check_path(c, n, t->path, sizeof t->path);
    if (s != MRN_OK)
        return s;
    s = mrn_text_open(t->path, &file, c->msg);
    if (s == MRN_OK)
        s = keep_rows(t, &file);
    else if (s == MRN_ERR_INPUT && c->msg->line == 0) {
        /* not to be opened: the place is where the file is named */
        c->msg->file[0] = '\0';
        mrn_tree_place(c->tree, n, c->msg);
        mrn_fail_hint(c->msg, "files are sought in the folder of this one");
    } else if (s == MRN_ERR_INPUT)
        mrn_fail_expected(c->msg, "a table with a header line, then one row per line");
    mrn_text_close(&file);
    if (s == MRN_OK && t->n_rows == 0)
        return mrn_lab_table_fail(t, &(mrn_lab_cell){.line = 1, .column = 1},
                                  "a header line, then one row per line", "the table holds no row");
    return s;
}

/* ---- inline ---- */

static mrn_lab_column *wanted_column(mrn_lab_table *t, const mrn_node *cell, int from)
{
    for (int k = from; k < t->n; k++)
        if (strcmp(t->column[k].name, cell->key->text) == 0)
            return &t->column[k];
    return NULL;
}

static mrn_status inline_row(mrn_lab_table *t, const mrn_node *row)
{
    const char *names[MRN_LAB_COLUMNS_MAX];
    for (int k = 0; k < t->n; k++)
        names[k] = t->column[k].name;
    mrn_status s = begin_row(t, &(mrn_lab_cell){.node = row});
    for (const mrn_node *x = row->first; x != NULL && s == MRN_OK; x = x->next) {
        mrn_lab_column *c = wanted_column(t, x, 0);
        if (c == NULL)
            return mrn_check_fail_word(&t->r->in.check, x->key, "column", x->key->text, names,
                                       t->n);
        for (; c != NULL && s == MRN_OK; c = wanted_column(t, x, (int)(c - t->column) + 1))
            s = put(t, c, x->text, &(mrn_lab_cell){.node = x});
    }
    const double *v = t->value + t->n_rows * mrn_lab_table_width(t);
    for (int k = 0; k < t->n && s == MRN_OK; k++)
        if (t->column[k].kind == MRN_LAB_CONDITION && isnan(v[t->column[k].of]))
            return mrn_check_fail(&t->r->in.check, row, "every condition in every row",
                                  "this row has no '%s'", t->column[k].name);
    return s == MRN_OK ? end_row(t) : s;
}

/* Tables show what the rows have. */
static void adopt_units(mrn_lab_table *t)
{
    for (int k = 0; k < t->n; k++) {
        const mrn_lab_column *c = &t->column[k];
        if (c->own[0] != '\0' && c->kind == MRN_LAB_CONDITION)
            memcpy(t->r->e->at.unit[c->of], c->own, sizeof c->own);
        if (c->own[0] != '\0' && c->kind == MRN_LAB_RESPONSE)
            memcpy(t->r->e->measured.unit[c->of], c->own, sizeof c->own);
    }
}

static mrn_status read_inline(mrn_lab_table *t, const mrn_node *rows)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = rows->first; n != NULL && s == MRN_OK; n = n->next)
        s = inline_row(t, n);
    for (int k = 0; k < t->n && s == MRN_OK; k++)
        if (!t->column[k].seen) {
            const mrn_lab_column *c = &t->column[k];
            const mrn_node *name = mrn_node_get(c->spec, "column");
            return mrn_check_fail(&t->r->in.check, name != NULL ? name : c->spec->key,
                                  "a column that rows have", "no row has a '%s'", c->name);
        }
    adopt_units(t);
    return s;
}

mrn_status mrn_lab_table_read(mrn_lab_table *t)
{
    const mrn_node *file = mrn_node_get(t->data, "file"),
                   *missing = mrn_node_get(t->data, "missing");
    t->missing = missing != NULL ? missing->text : NULL;
    mrn_status s = add_conditions(t, mrn_node_get(t->data, "conditions"));
    if (s == MRN_OK)
        s = add_responses(t, mrn_node_get(t->data, "responses"));
    if (s == MRN_OK)
        s = file != NULL ? read_file(t, file) : read_inline(t, mrn_node_get(t->data, "rows"));
    return s;
}

void mrn_lab_table_release(mrn_lab_table *t)
{
    mrn_free(t->value);
    mrn_free(t->where);
    mrn_free(t->row);
}
