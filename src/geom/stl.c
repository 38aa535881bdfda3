/* SPDX-License-Identifier: GPL-3.0-or-later */
/* STL reader. The format has no written standard beyond 3D Systems' StereoLithography Interface
   Specification (1989); this reader takes what exporters write (any case and white space, several
   solids, no `endsolid`, binary files that begin with "solid") and refuses what would silently give
   another shape. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"
#include "geom/stl.h"

#include <math.h>

#define HEADER 84 /* bytes before the facets of a binary file: 80 of text, 4 of count */
#define FACET  50 /* bytes per facet: normal, three corners, 2 unused */

typedef struct text {
    const char *path;
    const char *at, *end, *line_start;
    int line;
    const char *word; /* the word read last, its length and column */
    int length, column;
    locale_t c_locale; /* numbers have a point whatever the user's language */
    mrn_message *msg;
} text;

typedef struct soup {
    double *x;
    int64_t n, capacity; /* triangles */
} soup;

/* ---- ASCII ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether a line ends here: LF, CR LF (at its LF) or a lone CR. */
static bool ends_line(const text *t)
{
    return *t->at == '\n' || (*t->at == '\r' && !(t->at + 1 < t->end && t->at[1] == '\n'));
}

static void step(text *t)
{
    if (ends_line(t)) {
        t->line++;
        t->line_start = t->at + 1;
    }
    t->at++;
}

/* The next word; length 0 at the end of the file. */
static void next_word(text *t)
{
    while (t->at < t->end && is_space(*t->at))
        step(t);
    t->word = t->at;
    t->column = (int)(t->at - t->line_start) + 1;
    while (t->at < t->end && !is_space(*t->at))
        t->at++;
    size_t length = (size_t)(t->at - t->word);
    t->length = length < 1000000 ? (int)length : 1000000;
}

static bool is_word(const text *t, const char *word)
{
    return t->length == (int)strlen(word) && strncasecmp(t->word, word, (size_t)t->length) == 0;
}

static mrn_status unexpected(text *t, const char *expected)
{
    if (t->length == 0)
        mrn_fail(t->msg, MRN_ERR_INPUT, "the STL file ends within a facet");
    else
        mrn_fail(t->msg, MRN_ERR_INPUT, "'%.*s' is not what an STL file has here",
                 t->length < 40 ? t->length : 40, t->word);
    mrn_fail_expected(t->msg, "%s", expected);
    mrn_fail_at(t->msg, t->path, t->line, t->column);
    return MRN_ERR_INPUT;
}

static mrn_status expect(text *t, const char *word)
{
    next_word(t);
    return is_word(t, word) ? MRN_OK : unexpected(t, word);
}

static mrn_status read_number(text *t, double *x)
{
    next_word(t);
    char *stop = NULL;
    *x = t->length > 0 ? strtod_l(t->word, &stop, t->c_locale) : 0;
    if (stop == NULL || stop != t->word + t->length)
        return unexpected(t, "a number");
    if (isfinite(*x))
        return MRN_OK;
    mrn_fail(t->msg, MRN_ERR_INPUT, "the coordinate '%.*s' is not a finite number",
             t->length < 40 ? t->length : 40, t->word);
    mrn_fail_at(t->msg, t->path, t->line, t->column);
    return MRN_ERR_INPUT;
}

/* The rest of the line after `solid` and `endsolid` is a name; files written in one line go on with
 * a facet. */
static void skip_name(text *t)
{
    while (t->at < t->end) {
        while (t->at < t->end && is_space(*t->at) && !ends_line(t))
            t->at++;
        if (t->at >= t->end || ends_line(t))
            return;
        text ahead = *t;
        next_word(&ahead);
        if (is_word(&ahead, "facet")) {
            next_word(&ahead);
            if (is_word(&ahead, "normal"))
                return;
        }
        next_word(t);
    }
}

/* The normal is not used (exporters write zeros or nan there): any words up to `outer`. */
static mrn_status skip_normal(text *t)
{
    for (int k = 0; k < 5; k++) {
        next_word(t);
        if (is_word(t, "outer"))
            return expect(t, "loop");
    }
    return unexpected(t, "outer loop");
}

static mrn_status read_facet(text *t, soup *s)
{
    mrn_status st = skip_normal(t);
    if (st == MRN_OK && mrn_grow(&s->x, &s->capacity, s->n + 1, 9 * sizeof *s->x) != MRN_OK)
        st = mrn_fail_memory(t->msg);
    for (int k = 0; k < 9 && st == MRN_OK; k++) {
        if (k % 3 == 0)
            st = expect(t, "vertex");
        if (st == MRN_OK)
            st = read_number(t, &s->x[9 * s->n + k]);
    }
    if (st == MRN_OK)
        st = expect(t, "endloop");
    if (st == MRN_OK)
        st = expect(t, "endfacet");
    if (st == MRN_OK)
        s->n++;
    return st;
}

static mrn_status read_facets(text *t, soup *s)
{
    mrn_status st = MRN_OK;
    while (st == MRN_OK) {
        next_word(t);
        if (t->length == 0)
            return MRN_OK;
        if (is_word(t, "facet"))
            st = read_facet(t, s);
        else if (is_word(t, "solid") || is_word(t, "endsolid"))
            skip_name(t);
        else
            st = unexpected(t, "facet, endsolid or solid");
    }
    return st;
}

static mrn_status read_ascii(const char *path, const char *data, size_t size, soup *s,
                             mrn_message *msg)
{
    text t = {.path = path, .at = data, .end = data + size, .line = 1, .msg = msg};
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
        t.at += 3;
    t.line_start = t.at;
    t.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (t.c_locale == (locale_t)0)
        return mrn_fail_memory(msg);
    mrn_status st = read_facets(&t, s);
    freelocale(t.c_locale);
    return st;
}

/* ---- binary ---- */

static uint32_t little32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float little_float(const char *p)
{
    uint32_t bits = little32(p);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static mrn_status fail_binary(const char *path, mrn_message *msg)
{
    mrn_fail_hint(msg, "the file is damaged or not complete: export it again");
    mrn_fail_at(msg, path, 0, 0);
    return MRN_ERR_INPUT;
}

static mrn_status read_binary(const char *path, const char *data, size_t size, soup *s,
                              mrn_message *msg)
{
    if (size < HEADER) {
        mrn_fail(msg, MRN_ERR_INPUT, "not an STL file: %zu bytes that do not begin with 'solid'",
                 size);
        return fail_binary(path, msg);
    }
    uint64_t n = little32(data + 80), need = HEADER + FACET * n;
    if (need != size) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the header of the binary STL file (byte 80) counts %llu triangles, which take "
                 "%llu bytes, "
                 "but the file has %zu",
                 (unsigned long long)n, (unsigned long long)need, size);
        return fail_binary(path, msg);
    }
    if (mrn_grow(&s->x, &s->capacity, (int64_t)n, 9 * sizeof *s->x) != MRN_OK)
        return mrn_fail_memory(msg);
    s->n = (int64_t)n;
    for (uint64_t i = 0; i < 9 * n; i++) {
        uint64_t offset = HEADER + FACET * (i / 9) + 12 + 4 * (i % 9);
        s->x[i] = (double)little_float(data + offset);
        if (!isfinite(s->x[i])) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "triangle %llu (byte %llu) has a coordinate that is not finite",
                     (unsigned long long)(i / 9 + 1), (unsigned long long)offset);
            return fail_binary(path, msg);
        }
    }
    return MRN_OK;
}

/* ---- which of the two ---- */

/* A binary file may begin with "solid" too: its length tells, and failing that, bytes no text has.
 */
static bool is_ascii(const char *data, size_t size)
{
    if (size >= HEADER && size == HEADER + FACET * (uint64_t)little32(data + 80))
        return false;
    size_t k = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (k < size && is_space(data[k]))
        k++;
    if (size - k < 5 || strncasecmp(data + k, "solid", 5) != 0)
        return false;
    for (; k < size && k < 512; k++)
        if ((unsigned char)data[k] < 32 && !is_space(data[k]))
            return false;
    return true;
}

static mrn_status fail_file(const char *path, const char *what, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_IO, "cannot read the STL file '%s': %s", path, what);
    return MRN_ERR_IO;
}

/* The whole file, with a zero behind it so that number parsing ends. */
static mrn_status load(const char *path, FILE *f, char **data, size_t *size, mrn_message *msg)
{
    struct stat info;
    if (fstat(fileno(f), &info) != 0)
        return fail_file(path, strerror(errno), msg);
    if (!S_ISREG(info.st_mode))
        return fail_file(path, S_ISDIR(info.st_mode) ? "it is a folder" : "not a plain file", msg);
    if (info.st_size == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "the STL file is empty");
        mrn_fail_at(msg, path, 0, 0);
        return MRN_ERR_INPUT;
    }
    *size = (size_t)info.st_size;
    *data = mrn_alloc(*size + 1);
    if (*data == NULL)
        return mrn_fail_memory(msg);
    if (fread(*data, 1, *size, f) != *size)
        return fail_file(path, ferror(f) ? strerror(errno) : "it became shorter while read", msg);
    return MRN_OK;
}

static mrn_status parse(const char *path, const char *data, size_t size, soup *s, mrn_message *msg)
{
    mrn_status st = is_ascii(data, size) ? read_ascii(path, data, size, s, msg)
                                         : read_binary(path, data, size, s, msg);
    if (st == MRN_OK && s->n == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "the STL file has no triangles");
        mrn_fail_at(msg, path, 0, 0);
        st = MRN_ERR_INPUT;
    }
    return st;
}

mrn_status mrn_stl_read(const char *path, double **out, int64_t *n, mrn_message *msg)
{
    *out = NULL;
    *n = 0;
    FILE *f = mrn_open_input(path);
    if (f == NULL)
        return fail_file(path, strerror(errno), msg);
    char *data = NULL;
    size_t size = 0;
    soup s = {0};
    mrn_status st = load(path, f, &data, &size, msg);
    if (st == MRN_OK)
        st = parse(path, data, size, &s, msg);
    fclose(f);
    mrn_free(data);
    if (st != MRN_OK) {
        mrn_free(s.x);
        return st;
    }
    *out = s.x;
    *n = s.n;
    return MRN_OK;
}
