/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text of numbers line by line, every cell with its place in the file. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "import/import.h"
#include "scene/build.h"

#define BYTES_MAX ((size_t)1 << 33)

static const char blanks[] = " \t\r";

mrn_status mrn_text_open(const char *path, mrn_import_text *t, mrn_message *msg)
{
    *t = (mrn_import_text){.file = path, .msg = msg};
    mrn_status st = mrn_file_load(path, BYTES_MAX, &t->text, &t->n, msg);
    if (st == MRN_ERR_IO)
        mrn_fail_hint(msg, "check the spelling of the path");
    /* a file that is not there is bad input, like any other */
    if (st == MRN_ERR_IO)
        st = msg != NULL ? (msg->status = MRN_ERR_INPUT) : MRN_ERR_INPUT;
    if (st == MRN_OK)
        st = mrn_units_open(&t->units, msg);
    if (st != MRN_OK)
        return st;
    mrn_text_go(t, 0, 0);
    if (memchr(t->text, '\0', t->n) != NULL) {
        t->line = 1;
        return mrn_text_fail(t, NULL, "a text file: a LAMMPS dump, a YADE export or a CSV table",
                             "binary dumps must be written as text",
                             "a zero byte: is this a binary file?");
    }
    bool marked = t->n >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0;
    mrn_text_go(t, marked ? 3 : 0, 0);
    while (mrn_text_next(t) && mrn_text_is_blank(t))
        ;
    bool empty = mrn_text_is_blank(t);
    mrn_text_go(t, marked ? 3 : 0, 0);
    if (!empty)
        return MRN_OK;
    t->line = 1;
    return mrn_text_fail(t, NULL, "grains or contacts, one per line", NULL, "the file is empty");
}

void mrn_text_close(mrn_import_text *t)
{
    mrn_free(t->text);
    mrn_units_close(&t->units);
    *t = (mrn_import_text){0};
}

void mrn_text_go(mrn_import_text *t, size_t at, int line)
{
    t->at = at;
    t->line = line;
    t->now = (mrn_cell_text){t->text, 0};
}

bool mrn_text_next(mrn_import_text *t)
{
    if (t->at >= t->n)
        return false;
    const char *from = t->text + t->at, *end = memchr(from, '\n', t->n - t->at);
    size_t length = end != NULL ? (size_t)(end - from) : t->n - t->at;
    t->at += length + 1;
    t->line++;
    if (length > 0 && from[length - 1] == '\r')
        length--;
    t->now = (mrn_cell_text){from, length < (size_t)1 << 30 ? (int)length : 1 << 30};
    return true;
}

mrn_status mrn_text_fail(const mrn_import_text *t, const char *where, const char *expected,
                         const char *hint, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(t->msg, MRN_ERR_INPUT, "%s", text);
    mrn_fail_at(t->msg, t->file, t->line, where != NULL ? (int)(where - t->now.s) + 1 : 1);
    if (expected != NULL)
        mrn_fail_expected(t->msg, "%s", expected);
    if (hint != NULL)
        mrn_fail_hint(t->msg, "%s", hint);
    return MRN_ERR_INPUT;
}

static mrn_cell_text trimmed(const char *from, const char *to)
{
    while (from < to && strchr(blanks, *from) != NULL)
        from++;
    while (to > from && strchr(blanks, to[-1]) != NULL)
        to--;
    if (to - from >= 2 && *from == '"' && to[-1] == '"')
        from++, to--;
    return (mrn_cell_text){from, (int)(to - from)};
}

static const char *cell_end(const char *p, const char *end, char separator)
{
    bool quoted = false;
    for (; p < end; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && (separator == ' ' ? strchr(blanks, *p) != NULL : *p == separator))
            break;
    }
    return p;
}

int mrn_text_split(const mrn_import_text *t, char separator, mrn_cell_text *out)
{
    const char *p = t->now.s, *end = p + t->now.n;
    int n = 0;
    for (;;) {
        while (separator == ' ' && p < end && strchr(blanks, *p) != NULL)
            p++;
        if (separator == ' ' && p >= end)
            return n;
        const char *to = cell_end(p, end, separator);
        out[n++] = trimmed(p, to);
        if (to >= end || n > MRN_CELLS_MAX)
            return n;
        p = to + 1;
    }
}

char mrn_text_separator(const mrn_import_text *t)
{
    static const char known[] = ",;\t";
    for (const char *k = known; *k != '\0'; k++)
        if (memchr(t->now.s, *k, (size_t)t->now.n) != NULL)
            return *k;
    return ' ';
}

bool mrn_text_is_blank(const mrn_import_text *t)
{
    mrn_cell_text c = trimmed(t->now.s, t->now.s + t->now.n);
    return c.n == 0;
}

bool mrn_text_begins(const mrn_import_text *t, const char *word)
{
    size_t n = strlen(word);
    return (size_t)t->now.n >= n && memcmp(t->now.s, word, n) == 0;
}

/* Takes the sign of a comment off the first cell. */
static int uncomment(mrn_cell_text *cell, int n)
{
    while (n > 0 && cell[0].n > 0 && (*cell[0].s == '#' || strchr(blanks, *cell[0].s) != NULL))
        cell[0].s++, cell[0].n--;
    if (n > 0 && cell[0].n == 0)
        memmove(cell, cell + 1, (size_t)--n * sizeof *cell);
    return n;
}

mrn_status mrn_text_header(mrn_import_text *t, const char *example, mrn_cell_text *cell, int *n,
                           char *separator)
{
    size_t at = 0;
    int line = -1; /* of the last comment */
    double number;
    bool data = false;
    while (!data && mrn_text_next(t)) {
        data = !mrn_text_is_blank(t) && t->now.s[0] != '#';
        if (!mrn_text_is_blank(t) && !data) {
            at = (size_t)(t->now.s - t->text);
            line = t->line - 1;
        }
    }
    *separator = mrn_text_separator(t);
    *n = data ? mrn_text_split(t, *separator, cell) : 0;
    if (data && *n > 0 && !mrn_cell_number(t, cell[0], &number))
        return MRN_OK;
    bool bare = data && line < 0;
    if (line >= 0) {
        mrn_text_go(t, at, line);
        mrn_text_next(t);
        *separator = mrn_text_separator(t);
        *n = uncomment(cell, mrn_text_split(t, *separator, cell));
    }
    bool words = line >= 0 && *n > 1 && !mrn_cell_number(t, cell[0], &number);
    if (words)
        return MRN_OK;
    return mrn_text_fail(t, NULL, example, "put the names of the columns into the first line",
                         bare || line >= 0 ? "the table has no header line"
                                           : "the table holds no line");
}

bool mrn_cell_number(const mrn_import_text *t, mrn_cell_text c, double *out)
{
    char text[80];
    if (c.n <= 0 || c.n >= (int)sizeof text)
        return false;
    memcpy(text, c.s, (size_t)c.n);
    text[c.n] = '\0';
    return mrn_units_number(t->units, text, out);
}

bool mrn_cell_integer(const mrn_import_text *t, mrn_cell_text c, int64_t *out)
{
    double v;
    int64_t whole = 0;
    int i = 0;
    for (; i < c.n && i < 18 && isdigit((unsigned char)c.s[i]); i++)
        whole = 10 * whole + (c.s[i] - '0');
    *out = whole;
    if (i == c.n && i > 0)
        return true;
    if (!mrn_cell_number(t, c, &v) || v != floor(v) || fabs(v) > 9007199254740992.0)
        return false;
    *out = (int64_t)v;
    return true;
}

bool mrn_cell_is(mrn_cell_text c, const char *word)
{
    return (size_t)c.n == strlen(word) && strncasecmp(c.s, word, (size_t)c.n) == 0;
}

double mrn_import_scaled(double v, double factor)
{
    double parts = rint(1 / factor);
    return factor < 1 && fabs(parts * factor - 1) < 1e-15 ? v / parts : v * factor;
}

int mrn_import_numbers(const mrn_import_text *t, const char *text, double *out, int most)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_import_text line = {.now = {text, (int)strlen(text)}};
    int n = mrn_text_split(&line, ',', cell);
    for (int i = 0; i < n && n <= most; i++)
        if (!mrn_cell_number(t, cell[i], &out[i]))
            return -1;
    return n <= most ? n : -1;
}
