/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of tables: a text line by line, every cell with its place in the file. */
#include "scene/table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scene/build.h"

#define BYTES_MAX ((size_t)1 << 33)

mrn_status mrn_text_open(const char *path, mrn_text *t, mrn_message *msg)
{
    *t = (mrn_text){.file = path, .msg = msg};
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
        return mrn_text_fail(t, NULL, "a text file: numbers in rows", "write the table as text",
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
    return mrn_text_fail(t, NULL, "one row per line", NULL, "the file is empty");
}

void mrn_text_close(mrn_text *t)
{
    mrn_free(t->text);
    mrn_units_close(&t->units);
    *t = (mrn_text){0};
}

void mrn_text_go(mrn_text *t, size_t at, int line)
{
    t->at = at;
    t->line = line;
    t->now = (mrn_cell_text){.s = t->text};
}

bool mrn_text_next_row(mrn_text *t)
{
    while (mrn_text_next(t))
        if (!mrn_text_is_blank(t) && t->now.s[0] != '#')
            return true;
    return false;
}

bool mrn_text_next(mrn_text *t)
{
    if (t->at >= t->n)
        return false;
    const char *from = t->text + t->at, *end = memchr(from, '\n', t->n - t->at);
    size_t length = end != NULL ? (size_t)(end - from) : t->n - t->at;
    t->at += length + 1;
    t->line++;
    if (length > 0 && from[length - 1] == '\r')
        length--;
    t->now = (mrn_cell_text){from, length < (size_t)1 << 30 ? (int)length : 1 << 30, false};
    return true;
}

mrn_status mrn_text_fail(const mrn_text *t, const char *where, const char *expected,
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_cell(char c, char separator)
{
    return separator == ' ' ? is_blank(c) : c == separator;
}

typedef enum quotes { QUOTES_FINE, QUOTES_OPEN, QUOTES_FOLLOWED } quotes;

/* From the quote at p to where its cell ends. */
static quotes take_quoted(const char **p, const char *end, char separator, mrn_cell_text *out)
{
    const char *from = *p + 1, *to = from;
    while (to < end && (*to != '"' || (to + 1 < end && to[1] == '"')))
        to += *to == '"' ? 2 : 1;
    *out = (mrn_cell_text){from, (int)(to - from), true};
    *p = to < end ? to + 1 : end;
    if (to >= end)
        return QUOTES_OPEN;
    while (*p < end && is_blank(**p) && !ends_cell(**p, separator))
        ++*p;
    if (*p >= end || ends_cell(**p, separator))
        return QUOTES_FINE;
    out->s = *p; /* what should not be there */
    while (*p < end && !ends_cell(**p, separator))
        ++*p;
    return QUOTES_FOLLOWED;
}

/* The cell that begins at p, without the blanks around it; p goes to where it ends. */
static quotes take_cell(const char **p, const char *end, char separator, mrn_cell_text *out)
{
    while (*p < end && is_blank(**p) && !(separator == '\t' && **p == '\t'))
        ++*p;
    if (*p < end && **p == '"')
        return take_quoted(p, end, separator, out);
    const char *from = *p;
    while (*p < end && !ends_cell(**p, separator))
        ++*p;
    const char *to = *p;
    while (to > from && is_blank(to[-1]))
        to--;
    *out = (mrn_cell_text){from, (int)(to - from), false};
    return QUOTES_FINE;
}

/* Ends at the first cell whose quotes are not fine. */
static int split(const mrn_text *t, char separator, mrn_cell_text *out, quotes *how)
{
    const char *p = t->now.s, *end = p + t->now.n;
    int n = 0;
    for (*how = QUOTES_FINE;;) {
        while (separator == ' ' && p < end && is_blank(*p))
            p++;
        if (separator == ' ' && p >= end)
            return n;
        *how = take_cell(&p, end, separator, &out[n++]);
        if (p >= end || n > MRN_CELLS_MAX || *how != QUOTES_FINE)
            return n;
        p++;
    }
}

int mrn_text_split(const mrn_text *t, char separator, mrn_cell_text *out)
{
    quotes how;
    return split(t, separator, out, &how);
}

mrn_status mrn_text_row(const mrn_text *t, char separator, int wanted, mrn_cell_text *out, int *n)
{
    quotes how;
    *n = split(t, separator, out, &how);
    const char *last = *n > 0 ? out[*n - 1].s : NULL;
    if (how == QUOTES_OPEN)
        return mrn_text_fail(t, last - 1, "a closing \"", NULL,
                             "a quote that is not closed in its line");
    if (how == QUOTES_FOLLOWED)
        return mrn_text_fail(t, last, "the end of the cell", NULL, "something after a quoted cell");
    if (wanted != 0 && *n != wanted)
        return mrn_text_fail(t, last, "as many cells as there are columns", NULL,
                             "too %s cells: %d, the header has %d columns",
                             *n < wanted ? "few" : "many", *n, wanted);
    if (*n > MRN_CELLS_MAX)
        return mrn_text_fail(t, NULL, "at most 256 columns", NULL, "too many columns");
    return MRN_OK;
}

char mrn_text_separator(const mrn_text *t)
{
    static const char known[] = ",;\t";
    for (const char *k = known; *k != '\0'; k++)
        if (memchr(t->now.s, *k, (size_t)t->now.n) != NULL)
            return *k;
    return ' ';
}

bool mrn_text_is_blank(const mrn_text *t)
{
    int i = 0;
    while (i < t->now.n && is_blank(t->now.s[i]))
        i++;
    return i == t->now.n;
}

bool mrn_text_begins(const mrn_text *t, const char *word)
{
    size_t n = strlen(word);
    return (size_t)t->now.n >= n && memcmp(t->now.s, word, n) == 0;
}

/* Takes the sign of a comment off the first cell. */
static int uncomment(mrn_cell_text *cell, int n)
{
    while (n > 0 && cell[0].n > 0 && (*cell[0].s == '#' || is_blank(*cell[0].s)))
        cell[0].s++, cell[0].n--;
    if (n > 0 && cell[0].n == 0)
        memmove(cell, cell + 1, (size_t)--n * sizeof *cell);
    return n;
}

/* Names of columns are words: messages may quote them. Of another file (a list of passwords that a
   scene calls a table) they show nothing. */
static bool look_like_names(const mrn_cell_text *cell, int n)
{
    for (int i = 0; i < n; i++) {
        if (cell[i].n > 64)
            return false;
        for (int k = 0; k < cell[i].n; k++) {
            unsigned char c = (unsigned char)cell[i].s[k];
            bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
            if (!word && (k == 0 ? strchr("_\"[#", c) == NULL
                                 : strchr(" 0123456789_-./()[]^*%\"#", c) == NULL))
                return false;
        }
    }
    return true;
}

mrn_status mrn_text_header(mrn_text *t, const char *example, mrn_cell_text *cell, int *n,
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
        return look_like_names(cell, *n)
                   ? MRN_OK
                   : mrn_text_fail(t, NULL, example, NULL, "the first line is no line of names");
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

/* What follows a cell, a separator, a quote or the end of the text, is no part of a number. */
bool mrn_cell_number(const mrn_text *t, mrn_cell_text c, double *out)
{
    return c.n > 0 && mrn_units_number_of(t->units, c.s, (size_t)c.n, out);
}

mrn_status mrn_cell_read(const mrn_text *t, mrn_cell_text c, const char *expected, double *out)
{
    if (mrn_cell_number(t, c, out))
        return MRN_OK;
    return mrn_text_fail(t, c.s, expected, NULL, "not a number: '%.*s'", mrn_cell_shown(c), c.s);
}

bool mrn_cell_integer(const mrn_text *t, mrn_cell_text c, int64_t *out)
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

bool mrn_cell_same(mrn_cell_text c, const char *word)
{
    return (size_t)c.n == strlen(word) && memcmp(c.s, word, (size_t)c.n) == 0;
}

bool mrn_cell_copy(mrn_cell_text c, char *to, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < c.n && at < size; i++) {
        to[at++] = c.s[i];
        i += c.quoted && c.s[i] == '"';
    }
    if (at >= size)
        return false;
    to[at] = '\0';
    return true;
}
