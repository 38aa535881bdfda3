/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms from files: the hull of the points of a Wavefront OBJ or an STL file. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"
#include "geom/convex.h"
#include "geom/hull.h"
#include "geom/stl.h"

typedef struct reader {
    const char *path;
    char *data, *end; /* the whole file, with a zero behind it */
    char *at, *line_start;
    int line;
    locale_t c_locale; /* numbers have a point whatever the user's language */
    double *point;
    int64_t n, capacity;
    mrn_message *msg;
} reader;

/* ---- OBJ ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_end(const reader *r, const char *at)
{
    return at >= r->end || *at == '\n' || *at == '\r';
}

/* Over blanks, and over the end of a line that a backslash continues. */
static void skip_blanks(reader *r)
{
    for (;;) {
        if (!is_end(r, r->at) && is_blank(*r->at)) {
            r->at++;
        } else if (*r->at == '\\' && is_end(r, r->at + 1) && r->at + 1 < r->end) {
            r->at += r->at[1] == '\r' && r->at[2] == '\n' ? 3 : 2;
            r->line_start = r->at;
            r->line++;
        } else {
            return;
        }
    }
}

static mrn_status fail_line(reader *r, const char *what, const char *expected)
{
    int length = 0;
    while (!is_end(r, r->at + length) && !is_blank(r->at[length]) && length < 40)
        length++;
    if (length > 0)
        mrn_fail(r->msg, MRN_ERR_INPUT, "%s: '%.*s'", what, length, r->at);
    else
        mrn_fail(r->msg, MRN_ERR_INPUT, "%s: the line ends", what);
    mrn_fail_expected(r->msg, "%s", expected);
    mrn_fail_at(r->msg, r->path, r->line, (int)(r->at - r->line_start) + 1);
    return MRN_ERR_INPUT;
}

static mrn_status read_vertex(reader *r)
{
    if (mrn_grow(&r->point, &r->capacity, r->n + 1, 3 * sizeof *r->point) != MRN_OK)
        return mrn_fail_memory(r->msg);
    for (int k = 0; k < 3; k++) {
        skip_blanks(r);
        char *stop = r->at;
        double v = is_end(r, r->at) ? 0 : strtod_l(r->at, &stop, r->c_locale);
        if (stop == r->at || !(is_end(r, stop) || is_blank(*stop) || *stop == '\\'))
            return fail_line(r, "not a coordinate", "v and three numbers");
        if (!isfinite(v))
            return fail_line(r, "a coordinate is not a finite number", "v and three numbers");
        r->point[3 * r->n + k] = v;
        r->at = stop;
    }
    r->n++;
    return MRN_OK;
}

/* Only corners count; faces, normals, names and comments are passed over. */
static mrn_status read_lines(reader *r)
{
    mrn_status st = MRN_OK;
    while (st == MRN_OK && r->at < r->end) {
        r->line_start = r->at;
        skip_blanks(r);
        if (r->at < r->end && (*r->at == 'v' || *r->at == 'V') &&
            (is_blank(r->at[1]) || is_end(r, r->at + 1))) {
            r->at++;
            st = read_vertex(r);
        }
        while (!is_end(r, r->at))
            r->at++;
        if (r->at < r->end)
            r->at += *r->at == '\r' && r->at[1] == '\n' ? 2 : 1;
        r->line++;
    }
    return st;
}

static mrn_status fail_file(const reader *r, const char *what)
{
    mrn_fail(r->msg, MRN_ERR_IO, "cannot read the file '%s': %s", r->path, what);
    return MRN_ERR_IO;
}

static mrn_status load(reader *r, FILE *f)
{
    struct stat info;
    if (fstat(fileno(f), &info) != 0)
        return fail_file(r, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return fail_file(r, S_ISDIR(info.st_mode) ? "it is a folder" : "not a plain file");
    size_t size = (size_t)info.st_size;
    r->data = mrn_alloc(size + 1);
    if (r->data == NULL)
        return mrn_fail_memory(r->msg);
    r->at = r->data, r->end = r->data + size, r->line = 1;
    if (fread(r->data, 1, size, f) != size)
        return fail_file(r, ferror(f) ? strerror(errno) : "it became shorter while read");
    if (size >= 3 && memcmp(r->data, "\xEF\xBB\xBF", 3) == 0)
        r->at += 3;
    return MRN_OK;
}

static mrn_status read_obj(reader *r)
{
    FILE *f = mrn_open_input(r->path);
    if (f == NULL)
        return fail_file(r, strerror(errno));
    mrn_status st = load(r, f);
    fclose(f);
    if (st != MRN_OK)
        return st;
    r->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r->c_locale == (locale_t)0)
        return mrn_fail_memory(r->msg);
    st = read_lines(r);
    freelocale(r->c_locale);
    return st;
}

/* ---- either ---- */

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcasecmp(path + n - m, end) == 0;
}

static mrn_status read_points(reader *r)
{
    if (ends_with(r->path, ".obj"))
        return read_obj(r);
    if (ends_with(r->path, ".stl")) {
        mrn_status st = mrn_stl_read(r->path, &r->point, &r->n, r->msg);
        r->n *= 3;
        return st;
    }
    mrn_fail(r->msg, MRN_ERR_INPUT, "cannot tell what kind of file '%s' is", r->path);
    mrn_fail_expected(r->msg, "a name that ends in .obj or .stl");
    return MRN_ERR_INPUT;
}

/* The file's name without folder and ending. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *base = strrchr(path, '/');
    base = base != NULL ? base + 1 : path;
    snprintf(name, size, "%s", base);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
}

mrn_status mrn_polytope_read(const char *path, mrn_polytope *out, mrn_message *msg)
{
    *out = (mrn_polytope){0};
    reader r = {.path = path, .msg = msg};
    char name[MRN_NAME];
    name_of(path, name, sizeof name);
    mrn_status st = read_points(&r);
    if (st == MRN_OK && r.n > INT_MAX / 8)
        st = mrn_fail(msg, MRN_ERR_INPUT, "%lld points are too many for a grain", (long long)r.n);
    if (st == MRN_OK) {
        mrn_corners c = {(int)r.n, r.point};
        st = mrn_polytope_build(name, 3, 1, &c, MRN_HULL_FILE, out, NULL, NULL, NULL, msg);
        if (st == MRN_ERR_INPUT)
            mrn_fail_at(msg, path, 0, 0);
    }
    mrn_free(r.data);
    mrn_free(r.point);
    return st;
}
