/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.csv for the page: an array per column. What is not known is not a number; stages are
   numbers into a list of names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

#define MOST_BYTES   (512LL << 20)
#define MOST_COLUMNS 4096
#define MOST_STAGES  256

typedef struct column {
    char name[160], unit[64];
    bool stage;
} column;

typedef struct table {
    char *text;
    int n_columns, n_stages;
    column *column;
    int64_t n_rows, rows_room;
    char **row;
    char stage[MOST_STAGES][MRN_NAME];
} table;

/* "kinetic-energy [J]" */
static void read_name(const char *text, size_t n, column *c)
{
    const char *open = memchr(text, '[', n);
    size_t name = open != NULL ? (size_t)(open - text) : n;
    while (name > 0 && text[name - 1] == ' ')
        name--;
    snprintf(c->name, sizeof c->name, "%.*s", (int)name, text);
    snprintf(c->unit, sizeof c->unit, "1");
    if (open != NULL && text[n - 1] == ']' && n - (size_t)(open - text) > 2)
        snprintf(c->unit, sizeof c->unit, "%.*s", (int)(n - (size_t)(open - text) - 2), open + 1);
    c->stage = strcmp(c->name, "stage") == 0;
}

static mrn_status read_head(table *t, char *line, mrn_message *msg)
{
    int n = 1;
    for (const char *s = line; *s != '\0'; s++)
        n += *s == ',';
    if (n > MOST_COLUMNS)
        return mrn_fail(msg, MRN_ERR_INPUT, "probes.csv has more than %d columns", MOST_COLUMNS);
    if (mrn_array(&t->column, n, sizeof *t->column, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    t->n_columns = n;
    for (int i = 0; i < n; i++) {
        size_t length = strcspn(line, ",");
        read_name(line, length, &t->column[i]);
        line += length + (line[length] == ',');
    }
    return MRN_OK;
}

/* Lines that end; one that a run writes just now does not. */
static mrn_status split(table *t, mrn_message *msg)
{
    char *line = t->text, *end = strchr(line, '\n');
    if (end == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "probes.csv is empty");
    *end = '\0';
    mrn_status st = read_head(t, line, msg);
    for (line = end + 1; st == MRN_OK && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        st = mrn_grow(&t->row, &t->rows_room, t->n_rows + 1, sizeof *t->row);
        if (st == MRN_OK)
            t->row[t->n_rows++] = line;
    }
    return st;
}

static double stage_number(table *t, const char *text, size_t n)
{
    char name[MRN_NAME];
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    for (int i = 0; i < t->n_stages; i++)
        if (strcmp(t->stage[i], name) == 0)
            return i;
    if (t->n_stages == MOST_STAGES)
        return NAN;
    memcpy(t->stage[t->n_stages], name, sizeof name);
    return t->n_stages++;
}

/* Takes the next cell of a row and moves on. */
static double next_cell(table *t, const column *c, char **at)
{
    size_t n = strcspn(*at, ",");
    char *end = NULL, *text = *at;
    *at += n + (text[n] == ',');
    if (c->stage)
        return stage_number(t, text, n);
    double v = n > 0 ? strtod(text, &end) : NAN;
    return end == text + n ? v : NAN;
}

static void put_head(table *t, int64_t rows, mrn_buffer *head)
{
    mrn_buffer_put(head, "{\"rows\":%lld,\"columns\":[", (long long)rows);
    int listed = 0;
    for (int i = 0; i < t->n_columns; i++) {
        const column *c = &t->column[i];
        if (c->stage || strcmp(c->name, "time") == 0 || strcmp(c->name, "step") == 0)
            continue;
        mrn_buffer_raw(head, listed++ > 0 ? ",{\"name\":" : "{\"name\":");
        mrn_view_quote(head, c->name);
        mrn_buffer_raw(head, ",\"unit\":");
        mrn_view_quote(head, c->unit);
        mrn_buffer_raw(head, "}");
    }
    mrn_buffer_raw(head, "],\"stages\":[");
    for (int i = 0; i < t->n_stages; i++) {
        mrn_buffer_raw(head, i > 0 ? "," : "");
        mrn_view_quote(head, t->stage[i]);
    }
    mrn_buffer_raw(head, "],\"arrays\":[");
    for (int i = 0; i < t->n_columns; i++) {
        mrn_buffer_raw(head, i > 0 ? ",[" : "[");
        mrn_view_quote(head, t->column[i].name);
        mrn_buffer_put(head, ",\"f8\",1,%lld]", (long long)rows);
    }
    mrn_buffer_raw(head, "]}");
}

static mrn_status put_table(table *t, int64_t most, mrn_buffer *out, mrn_message *msg)
{
    int64_t stride = t->n_rows > most ? (t->n_rows + most - 1) / most : 1;
    int64_t rows = (t->n_rows + stride - 1) / stride;
    double *value = NULL;
    mrn_buffer head = {0}, arrays = {0};
    mrn_status st = mrn_array(&value, rows * t->n_columns, sizeof *value, msg);
    for (int64_t r = 0; st == MRN_OK && r < rows; r++) {
        char *at = t->row[r * stride];
        for (int i = 0; i < t->n_columns; i++)
            value[i * rows + r] = next_cell(t, &t->column[i], &at);
    }
    if (st == MRN_OK) {
        put_head(t, rows, &head);
        mrn_buffer_bytes(&arrays, value, sizeof *value * (size_t)(rows * t->n_columns));
        mrn_view_pack(out, &head, &arrays);
        st = out->failed ? mrn_fail_memory(msg) : MRN_OK;
    }
    mrn_free(value);
    mrn_free(head.s);
    mrn_free(arrays.s);
    return st;
}

mrn_status mrn_view_probes(mrn_viewer *v, int64_t most, mrn_buffer *out, mrn_message *msg)
{
    table *t = NULL;
    mrn_status st = mrn_array(&t, 1, sizeof *t, msg);
    if (st != MRN_OK)
        return st;
    t->text = mrn_view_file(v, "probes.csv", MOST_BYTES);
    if (t->text == NULL)
        st = mrn_fail(msg, MRN_ERR_INPUT, "there is no probes.csv");
    if (st == MRN_OK)
        st = split(t, msg);
    if (st == MRN_OK)
        st = put_table(t, most, out, msg);
    mrn_free(t->text);
    mrn_free(t->column);
    mrn_free(t->row);
    mrn_free(t);
    return st;
}
