/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Datasets of contact problems, checked before they are believed: rank, type, size, that the bytes
   are really in the file, indices in range, numbers finite. Nothing is allocated on the word of a
   number alone. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fclib/fclib.h"

/* Deflate cannot shrink by more than about 1030; what claims more than this was never written. */
#define SQUEEZE_MOST 4096

static bool working(const mrn_h5 *h)
{
    return h->status == MRN_OK;
}

mrn_fclib_name mrn_fclib_join(const char *group, const char *name)
{
    mrn_fclib_name n;
    size_t a = strlen(group), b = strlen(name);
    if (a + b + 2 > sizeof n.text) /* names are those of the format, all short */
        a = b = 0;
    memcpy(n.text, group, a);
    n.text[a] = '/';
    memcpy(n.text + a + 1, name, b);
    n.text[a + 1 + b] = '\0';
    return n;
}

void mrn_fclib_refuse(mrn_h5 *h, const char *name, const char *expected, const char *fmt, ...)
{
    if (!working(h))
        return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    h->status = mrn_fail(h->msg, MRN_ERR_INPUT, "%s: %s", name, text);
    mrn_fail_at(h->msg, h->path, 0, 0);
    if (expected != NULL)
        mrn_fail_expected(h->msg, "%s", expected);
}

/* H5Lexists wants every group on the way to be there. */
bool mrn_fclib_has(mrn_h5 *h, const char *name)
{
    char part[MRN_FCLIB_NAME];
    if (!working(h) || strlen(name) >= sizeof part)
        return false;
    for (const char *c = name + 1;; c++)
        if (*c == '/' || *c == '\0') {
            memcpy(part, name, (size_t)(c - name));
            part[c - name] = '\0';
            if (H5Lexists(h->file, part, H5P_DEFAULT) <= 0)
                return false;
            if (*c == '\0')
                return true;
        }
}

/* ---- lists ---- */

/* Space and type of an open dataset against what is wanted. NULL: as wanted. */
static const char *wrong_list(hid_t d, H5T_class_t kind, int64_t *n)
{
    hid_t space = H5Dget_space(d), type = H5Dget_type(d), dcpl = H5Dget_create_plist(d);
    H5T_class_t found = H5Tget_class(type);
    int rank = H5Sget_simple_extent_ndims(space);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    hsize_t stored = H5Dget_storage_size(d), size = H5Tget_size(type);
    hsize_t most = H5Pget_nfilters(dcpl) > 0 ? SQUEEZE_MOST : 1;
    const char *wrong = NULL;
    if (found != kind)
        wrong = kind == H5T_INTEGER ? "not whole numbers" : "not real numbers";
    else if (rank != 1 && !(rank == 0 && points == 1))
        wrong = "not a list (rank 1)";
    else if (points < 0 || points > INT32_MAX + INT64_C(1))
        wrong = "longer than 32-bit indices can count";
    else if (points > 0 && (hsize_t)points * size / most > stored)
        wrong = "its numbers are not in the file";
    *n = points;
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    return wrong;
}

static hid_t open_list(mrn_h5 *h, const char *name, H5T_class_t kind, int64_t *n)
{
    const char *expected =
        kind == H5T_INTEGER ? "a list of 32-bit whole numbers" : "a list of 64-bit real numbers";
    if (!working(h))
        return -1;
    if (!mrn_fclib_has(h, name)) {
        mrn_fclib_refuse(h, name, expected, "missing");
        return -1;
    }
    hid_t d = H5Dopen2(h->file, name, H5P_DEFAULT);
    const char *wrong = d < 0 ? "not a dataset" : wrong_list(d, kind, n);
    if (wrong == NULL)
        return d;
    mrn_fclib_refuse(h, name, expected, "%s", wrong);
    if (d >= 0)
        H5Dclose(d);
    return -1;
}

int64_t mrn_fclib_count(mrn_h5 *h, const char *name, H5T_class_t kind)
{
    int64_t n = -1;
    hid_t d = open_list(h, name, kind, &n);
    if (d < 0)
        return -1;
    H5Dclose(d);
    return n;
}

/* All of a list of n numbers. Whole numbers too large for 32 bits come as INT32_MAX: out of range
   for any index. */
static void read_list(mrn_h5 *h, const char *name, hid_t memory, int64_t n, void *out)
{
    int64_t found = 0;
    hid_t d = open_list(h, name, memory == H5T_NATIVE_DOUBLE ? H5T_FLOAT : H5T_INTEGER, &found);
    if (d < 0)
        return;
    if (found != n)
        mrn_fclib_refuse(h, name, NULL, "has %lld entries instead of %lld", (long long)found,
                         (long long)n);
    else if (n > 0 && H5Dread(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        mrn_fclib_refuse(h, name, NULL, "cannot be read: damaged");
    H5Dclose(d);
}

bool mrn_fclib_expect(mrn_h5 *h, const char *name, int64_t n)
{
    int64_t found = mrn_fclib_count(h, name, H5T_FLOAT);
    if (working(h) && found != n)
        mrn_fclib_refuse(h, name, NULL, "has %lld entries instead of %lld", (long long)found,
                         (long long)n);
    return working(h);
}

int32_t mrn_fclib_int(mrn_h5 *h, const char *name)
{
    int64_t v = 0;
    read_list(h, name, H5T_NATIVE_INT64, 1, &v);
    if (working(h) && (v < INT32_MIN || v > INT32_MAX))
        mrn_fclib_refuse(h, name, "a number of 32 bits", "is %lld", (long long)v);
    return working(h) ? (int32_t)v : 0;
}

static void check_finite(mrn_h5 *h, const char *name, int64_t n, const double *x)
{
    for (int64_t k = 0; working(h) && k < n; k++)
        if (!isfinite(x[k]))
            mrn_fclib_refuse(h, name, "finite numbers", "entry %lld is %g", (long long)k, x[k]);
}

void mrn_fclib_reals(mrn_h5 *h, const char *name, int64_t n, double *out)
{
    read_list(h, name, H5T_NATIVE_DOUBLE, n, out);
    check_finite(h, name, n, out);
}

/* ---- texts ---- */

/* No half character (UTF-8) at the end of a text that was cut. */
static void end_whole(char *text, size_t size)
{
    text[size - 1] = '\0';
    size_t n = strlen(text), k = n;
    while (k > 0 && ((unsigned char)text[k - 1] & 0xC0) == 0x80)
        k--;
    if (k == 0 || (unsigned char)text[k - 1] < 0xC0)
        return;
    unsigned char lead = (unsigned char)text[k - 1];
    size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (n - (k - 1) < wanted)
        text[k - 1] = '\0';
}

static void read_text(hid_t d, hid_t type, char *out, size_t size)
{
    hid_t memory = H5Tcopy(type);
    if (H5Tis_variable_str(type) > 0) {
        char *s = NULL;
        if (H5Dread(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &s) >= 0 && s != NULL)
            snprintf(out, size, "%s", s);
        H5free_memory(s);
    } else if (H5Tset_size(memory, size) < 0 || H5Tset_strpad(memory, H5T_STR_NULLTERM) < 0 ||
               H5Dread(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
        out[0] = '\0';
    }
    end_whole(out, size);
    H5Tclose(memory);
}

void mrn_fclib_text(mrn_h5 *h, const char *name, char *out, size_t size)
{
    memset(out, 0, size);
    if (!mrn_fclib_has(h, name))
        return;
    hid_t d = H5Dopen2(h->file, name, H5P_DEFAULT);
    if (d < 0)
        return;
    hid_t type = H5Dget_type(d), space = H5Dget_space(d);
    if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1)
        read_text(d, type, out, size);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(d);
}

/* ---- sparse matrices ---- */

void mrn_fclib_matrix_release(mrn_fclib_matrix *a)
{
    mrn_free(a->row);
    mrn_free(a->col);
    mrn_free(a->x);
    *a = (mrn_fclib_matrix){0};
}

mrn_status mrn_fclib_matrix_room(mrn_fclib_matrix *a, int64_t nnz, mrn_message *msg)
{
    int64_t row = a->capacity, col = a->capacity, x = a->capacity;
    if (nnz <= a->capacity)
        return MRN_OK;
    if (mrn_grow(&a->row, &row, nnz, sizeof *a->row) != MRN_OK ||
        mrn_grow(&a->col, &col, nnz, sizeof *a->col) != MRN_OK ||
        mrn_grow(&a->x, &x, nnz, sizeof *a->x) != MRN_OK)
        return mrn_fail_memory(msg);
    a->capacity = row < col ? (row < x ? row : x) : (col < x ? col : x);
    return MRN_OK;
}

mrn_status mrn_fclib_matrix_add(mrn_fclib_matrix *a, int32_t row, int32_t col, double x,
                                mrn_message *msg)
{
    mrn_status st = mrn_fclib_matrix_room(a, a->nnz + 1, msg);
    if (st != MRN_OK)
        return st;
    a->row[a->nnz] = row;
    a->col[a->nnz] = col;
    a->x[a->nnz++] = x;
    return MRN_OK;
}

/* The numbers of a matrix as the file has them. */
typedef struct stored {
    const char *group;
    int32_t nzmax, m, n, nz;
    int64_t n_p, n_i; /* entries of p and of i, x */
    int32_t *p, *i;
    double *x;
} stored;

static void check_sizes(mrn_h5 *h, const stored *s)
{
    const struct {
        const char *name;
        int32_t value, least;
    } size[] = {{"m", s->m, 0}, {"n", s->n, 0}, {"nzmax", s->nzmax, 0}, {"nz", s->nz, -2}};
    for (int k = 0; k < 4; k++)
        if (size[k].value < size[k].least)
            mrn_fclib_refuse(h, mrn_fclib_join(s->group, size[k].name).text,
                             k == 3 ? "-2 (rows), -1 (columns) or a number of triplets" : ">= 0",
                             "is %d", (int)size[k].value);
    if (s->nz > s->nzmax)
        mrn_fclib_refuse(h, mrn_fclib_join(s->group, "nz").text, NULL,
                         "%d triplets, but nzmax is %d", (int)s->nz, (int)s->nzmax);
}

/* Reads p, i, x. Their lengths are looked at before anything is allocated. */
static void read_arrays(mrn_h5 *h, stored *s)
{
    mrn_fclib_name p = mrn_fclib_join(s->group, "p"), i = mrn_fclib_join(s->group, "i"),
                   x = mrn_fclib_join(s->group, "x");
    s->n_p = mrn_fclib_count(h, p.text, H5T_INTEGER);
    s->n_i = mrn_fclib_count(h, i.text, H5T_INTEGER);
    int64_t n_x = mrn_fclib_count(h, x.text, H5T_FLOAT);
    int64_t lines = s->nz == -2 ? s->m : s->n, n_p = s->nz >= 0 ? s->nz : lines + 1;
    if (working(h) && s->n_p != n_p)
        mrn_fclib_refuse(h, p.text, NULL, "has %lld entries instead of %lld", (long long)s->n_p,
                         (long long)n_p);
    if (working(h) && s->n_i > s->nzmax)
        mrn_fclib_refuse(h, i.text, NULL, "has %lld entries, but nzmax is %d", (long long)s->n_i,
                         (int)s->nzmax);
    if (working(h) && s->nz >= 0 && s->n_i != s->nz)
        mrn_fclib_refuse(h, i.text, NULL, "has %lld entries instead of %d", (long long)s->n_i,
                         (int)s->nz);
    if (working(h) && n_x != s->n_i)
        mrn_fclib_refuse(h, x.text, NULL, "has %lld entries, but i has %lld", (long long)n_x,
                         (long long)s->n_i);
    mrn_h5_room(h, &s->p, s->n_p, sizeof *s->p);
    mrn_h5_room(h, &s->i, s->n_i, sizeof *s->i);
    mrn_h5_room(h, &s->x, s->n_i, sizeof *s->x);
    read_list(h, p.text, H5T_NATIVE_INT32, s->n_p, s->p);
    read_list(h, i.text, H5T_NATIVE_INT32, s->n_i, s->i);
    read_list(h, x.text, H5T_NATIVE_DOUBLE, s->n_i, s->x);
}

static void check_pointers(mrn_h5 *h, const stored *s, int64_t lines)
{
    mrn_fclib_name name = mrn_fclib_join(s->group, "p");
    if (working(h) && s->p[0] != 0)
        mrn_fclib_refuse(h, name.text, "0", "begins with %d", (int)s->p[0]);
    for (int64_t k = 0; working(h) && k < lines; k++)
        if (s->p[k + 1] < s->p[k])
            mrn_fclib_refuse(h, name.text, "pointers that never decrease",
                             "entry %lld is %d after %d", (long long)k + 1, (int)s->p[k + 1],
                             (int)s->p[k]);
    if (working(h) && s->p[lines] > s->n_i)
        mrn_fclib_refuse(h, name.text, NULL, "points to %d entries, but there are %lld",
                         (int)s->p[lines], (long long)s->n_i);
}

static void check_indices(mrn_h5 *h, const stored *s, const char *array, int64_t n,
                          const int32_t *index, int32_t limit)
{
    for (int64_t k = 0; working(h) && k < n; k++)
        if (index[k] < 0 || index[k] >= limit) {
            char range[64];
            snprintf(range, sizeof range, "0 to %d", (int)limit - 1);
            mrn_fclib_refuse(h, mrn_fclib_join(s->group, array).text, range, "entry %lld is %d",
                             (long long)k, (int)index[k]);
        }
}

/* Compressed rows or columns as entries: the arrays of `s` that can be kept go over to `a`. */
static void expand(mrn_h5 *h, stored *s, mrn_fclib_matrix *a)
{
    bool rows = s->nz == -2;
    int64_t lines = rows ? s->m : s->n;
    check_pointers(h, s, lines);
    if (!working(h))
        return;
    a->nnz = s->p[lines];
    check_indices(h, s, "i", a->nnz, s->i, rows ? s->n : s->m);
    int32_t *line = NULL;
    mrn_h5_room(h, &line, s->n_i, sizeof *line);
    for (int64_t l = 0; working(h) && l < lines; l++)
        for (int64_t k = s->p[l]; k < s->p[l + 1]; k++)
            line[k] = (int32_t)l;
    a->row = rows ? line : s->i;
    a->col = rows ? s->i : line;
    s->i = NULL;
}

/* Triplets follow CSparse: i are rows and p columns, whatever the header of fclib says. */
static void take_triplets(mrn_h5 *h, stored *s, mrn_fclib_matrix *a)
{
    a->nnz = s->nz;
    a->triplet = true;
    check_indices(h, s, "i", s->nz, s->i, s->m);
    check_indices(h, s, "p", s->nz, s->p, s->n);
    a->row = s->i;
    a->col = s->p;
    s->i = s->p = NULL;
}

void mrn_fclib_read_matrix(mrn_h5 *h, const char *group, mrn_fclib_matrix *out)
{
    stored s = {.group = group};
    *out = (mrn_fclib_matrix){0};
    s.nzmax = mrn_fclib_int(h, mrn_fclib_join(group, "nzmax").text);
    s.m = mrn_fclib_int(h, mrn_fclib_join(group, "m").text);
    s.n = mrn_fclib_int(h, mrn_fclib_join(group, "n").text);
    s.nz = mrn_fclib_int(h, mrn_fclib_join(group, "nz").text);
    check_sizes(h, &s);
    read_arrays(h, &s);
    out->m = s.m;
    out->n = s.n;
    if (working(h) && s.nz < 0)
        expand(h, &s, out);
    else if (working(h))
        take_triplets(h, &s, out);
    if (working(h)) {
        check_finite(h, mrn_fclib_join(group, "x").text, out->nnz, s.x);
        out->capacity = s.n_i;
        out->x = s.x;
        s.x = NULL;
    }
    mrn_free(s.p);
    mrn_free(s.i);
    mrn_free(s.x);
    if (!working(h))
        mrn_fclib_matrix_release(out);
}
