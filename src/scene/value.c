/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single values, vectors and boxes: checked against their schema (kind, unit, range), and read. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "scene/check.h"
#include "store/grains.h"

/* ---- paths ---- */

void mrn_input_copy_name(const char *written, char *out, size_t size)
{
    const char *slash = strrchr(written, '/'), *name = slash != NULL ? slash + 1 : written;
    uint64_t h = mrn_hash(MRN_HASH_START, written, strlen(written));
    snprintf(out, size, "inputs/%08x-%.100s", (unsigned)(h ^ h >> 32), name);
}

/* Notes a file that the scene names, once: a run keeps a copy of it. */
static mrn_status note_input(const mrn_check *c, const char *written, const char *path)
{
    if (c->inputs == NULL || strchr(written, '\n') != NULL || strchr(path, '\n') != NULL)
        return MRN_OK;
    char line[2200];
    int n = snprintf(line, sizeof line, "%s\n%s\n", written, path);
    if (n >= (int)sizeof line || (*c->inputs != NULL && strstr(*c->inputs, line) != NULL))
        return MRN_OK;
    size_t had = *c->inputs != NULL ? strlen(*c->inputs) : 0;
    char *longer;
    if (mrn_array(&longer, (int64_t)had + n + 1, 1, c->msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    memcpy(longer, had > 0 ? *c->inputs : "", had);
    memcpy(longer + had, line, (size_t)n + 1);
    mrn_free(*c->inputs);
    *c->inputs = longer;
    return MRN_OK;
}

/* In the folder of the scene; in that of a run the copy that the run made comes first. */
mrn_status mrn_check_path(const mrn_check *c, const mrn_node *n, char *out, size_t size)
{
    const char *file = c->tree->file, *slash = strrchr(file, '/');
    int base = slash != NULL ? (int)(slash - file) + 1 : 0;
    char copy[160];
    mrn_input_copy_name(n->text, copy, sizeof copy);
    int length = snprintf(out, size, "%.*s%s", base, file, copy);
    if (length >= (int)size || access(out, R_OK) != 0)
        length = snprintf(out, size, "%.*s%s", n->text[0] != '/' ? base : 0, file, n->text);
    if (length < 0 || (size_t)length >= size)
        return mrn_check_fail(c, n, "a shorter path", "the path is longer than %d bytes",
                              (int)size - 1);
    return note_input(c, n->text, out);
}

/* The copy that a run made of WRITTEN/NAME (NAME NULL: of WRITTEN itself); false: there is none. */
static bool find_copy(const mrn_check *c, const char *written, const char *name, char *out,
                      size_t size)
{
    const char *file = c->tree->file, *slash = strrchr(file, '/');
    char whole[1100], copy[160];
    snprintf(whole, sizeof whole, "%s%s%s", written, name != NULL ? "/" : "",
             name != NULL ? name : "");
    mrn_input_copy_name(whole, copy, sizeof copy);
    int length =
        snprintf(out, size, "%.*s%s", slash != NULL ? (int)(slash - file) + 1 : 0, file, copy);
    return length < (int)size && access(out, R_OK) == 0;
}

/* Of a folder the file in it is the input: that is what a run copies. */
mrn_status mrn_check_run_path(const mrn_check *c, const mrn_node *n, bool frame, char *out,
                              size_t size)
{
    if (find_copy(c, n->text, NULL, out, size) ||
        (!frame && find_copy(c, n->text, "checkpoint.h5", out, size)) ||
        find_copy(c, n->text, "trajectory.h5", out, size))
        return MRN_OK;
    char file[1024], written[1100];
    const char *scene = c->tree->file, *slash = strrchr(scene, '/');
    int base = slash != NULL && n->text[0] != '/' ? (int)(slash - scene) + 1 : 0;
    int length = snprintf(out, size, "%.*s%s", base, scene, n->text);
    if (length < 0 || (size_t)length >= size)
        return mrn_check_fail(c, n, "a shorter path", "the path is longer than %d bytes",
                              (int)size - 1);
    if (!mrn_left_file(out, frame, file, sizeof file))
        return MRN_OK; /* who reads it says what is wrong */
    bool folder = strlen(file) > strlen(out);
    snprintf(written, sizeof written, "%s%s", n->text, folder ? strrchr(file, '/') : "");
    return note_input(c, written, file);
}

/* ---- single values ---- */

/* A bound in the unit the user wrote, rounded for reading. */
static void bound_text(double bound, const mrn_schema *f, const mrn_reading *r, char *buf,
                       size_t size)
{
    const char *unit = r->unit[0] != '\0' ? r->unit : strcmp(f->unit, "1") == 0 ? "" : f->unit;
    snprintf(buf, size, "%.6g%s%s", bound == 0 ? 0 : bound / r->factor, unit[0] ? " " : "", unit);
}

static mrn_status fail_range(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const mrn_reading *r, const char *what)
{
    char lo[80], hi[80], expected[300];
    bound_text(f->min, f, r, lo, sizeof lo);
    bound_text(f->max, f, r, hi, sizeof hi);
    bool has_lo = isfinite(f->min), has_hi = isfinite(f->max);
    const char *above = f->min_open ? "more than" : "at least";
    if (has_lo && has_hi && !f->min_open)
        snprintf(expected, sizeof expected, "between %s and %s", lo, hi);
    else if (has_lo && has_hi)
        snprintf(expected, sizeof expected, "more than %s, at most %s", lo, hi);
    else if (has_lo)
        snprintf(expected, sizeof expected, "%s %s", above, lo);
    else
        snprintf(expected, sizeof expected, "at most %s", hi);
    return mrn_check_fail(c, n, expected, "%s is out of range: %.80s is too %s", what, n->text,
                          r->value > f->max ? "large" : "small");
}

static mrn_status check_range(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                              const mrn_reading *r, const char *what)
{
    if (r->value < f->min || r->value > f->max || (f->min_open && r->value <= f->min))
        return fail_range(c, f, n, r, what);
    return MRN_OK;
}

static mrn_status read_reading(const mrn_check *c, const mrn_node *n, const char *unit,
                               mrn_reading *out)
{
    mrn_status s = mrn_units_read(c->units, n->text, unit, out, c->msg);
    if (s != MRN_OK)
        mrn_tree_place(c->tree, n, c->msg);
    return s;
}

static mrn_status check_quantity(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                 const char *what)
{
    mrn_reading r;
    mrn_status s = read_reading(c, n, f->unit, &r);
    if (s == MRN_OK)
        return check_range(c, f, n, &r, what);
    char text[sizeof c->msg->text];
    snprintf(text, sizeof text, "%s: %.900s", what, c->msg->text);
    memcpy(c->msg->text, text, sizeof text);
    if (strcmp(what, "'friction'") == 0 && strstr(n->text, "deg") != NULL)
        mrn_fail_hint(c->msg, "for an angle write `friction-angle: %.60s`", n->text);
    return s;
}

/* Digits alone are exact up to 64 bits; "1e4" is welcome too. */
static bool whole_number(const mrn_check *c, const char *text, uint64_t *out, double *value)
{
    bool digits = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    *out = digits ? strtoull(text, NULL, 10) : 0;
    if (digits && errno == 0) {
        *value = (double)*out;
        return true;
    }
    if (digits || !mrn_units_number(c->units, text, value) || *value != nearbyint(*value))
        return false;
    *out = *value >= 0 && *value < 18446744073709551616.0 ? (uint64_t)*value : 0;
    return fabs(*value) < 18446744073709551616.0;
}

static mrn_status check_integer(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                const char *what)
{
    uint64_t whole;
    mrn_reading r = {.factor = 1};
    if (!whole_number(c, n->text, &whole, &r.value))
        return mrn_check_fail(c, n, "a whole number below 2^64",
                              "%s: '%.80s' is not a whole number, or too large", what, n->text);
    mrn_schema range = *f;
    range.unit = "1";
    return check_range(c, &range, n, &r, what);
}

static mrn_status check_flag(const mrn_check *c, const mrn_node *n, const char *what)
{
    if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0)
        return MRN_OK;
    return mrn_check_fail(c, n, "true or false", "%s: '%.80s' is neither true nor false", what,
                          n->text);
}

mrn_status mrn_check_name(const mrn_check *c, const mrn_node *n, const char *what)
{
    const char *expected = "letters, digits, '-' and '_', at most 63, not digits alone";
    size_t length = strlen(n->text);
    bool good = length > 0 && length < MRN_NAME && n->text[strspn(n->text, "0123456789")] != '\0';
    for (const char *p = n->text; *p != '\0'; p++)
        good = good && (isalnum((unsigned char)*p) || *p == '-' || *p == '_' || (*p & 0x80));
    return good ? MRN_OK
                : mrn_check_fail(c, n, expected, "%s: '%.80s' is not a name", what, n->text);
}

static mrn_status check_word(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what)
{
    int count = 0;
    while (f->words[count] != NULL)
        count++;
    if (mrn_read_word(n, f->words) >= 0)
        return MRN_OK;
    char kind[160];
    snprintf(kind, sizeof kind, "value of %s:", what);
    return mrn_check_fail_word(c, n, kind, n->text, f->words, count);
}

static mrn_status check_law_name(const mrn_check *c, const mrn_node *n)
{
    if (mrn_law_model_find(n->text) != NULL)
        return MRN_OK;
    const char *names[64];
    int count = 0;
    for (; count < mrn_law_model_count() && count < 64; count++)
        names[count] = mrn_law_model_at(count)->name;
    return mrn_check_fail_word(c, n, "law", n->text, names, count);
}

static mrn_status check_solver_name(const mrn_check *c, const mrn_node *n)
{
    if (mrn_solver_find(n->text) != NULL)
        return MRN_OK;
    const char *names[64];
    int count = 0;
    for (; count < mrn_solver_count() && count < 64; count++)
        names[count] = mrn_solver_at(count)->name;
    return mrn_check_fail_word(c, n, "solver", n->text, names, count);
}

static mrn_status check_part(const mrn_check *c, const mrn_schema *f, const mrn_node *n)
{
    if (strcmp(n->text, "none") == 0 || mrn_law_find(f->part, n->text) != NULL)
        return MRN_OK;
    const char *names[65];
    int count = 0;
    for (int i = 0; i < mrn_law_count() && count < 64; i++)
        if (mrn_law_at(i)->kind == f->part)
            names[count++] = mrn_law_at(i)->name;
    if (f->part != MRN_LAW_NORMAL)
        names[count++] = "none";
    char what[40];
    snprintf(what, sizeof what, "%s law", mrn_law_kind_name(f->part));
    return mrn_check_fail_word(c, n, what, n->text, names, count);
}

static mrn_status check_text(const mrn_check *c, const mrn_node *n, const char *what, size_t limit)
{
    if (strlen(n->text) < limit)
        return MRN_OK;
    return mrn_check_fail(c, n, "a shorter text", "%s is longer than %d bytes", what,
                          (int)limit - 1);
}

mrn_status mrn_check_scalar(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    if (n->kind != MRN_NODE_SCALAR || mrn_node_is_null(n))
        return mrn_check_fail_kind(c, f, n, what);
    switch (f->kind) {
    case MRN_SCHEMA_QUANTITY:
        return check_quantity(c, f, n, what);
    case MRN_SCHEMA_INTEGER:
        return check_integer(c, f, n, what);
    case MRN_SCHEMA_FLAG:
        return check_flag(c, n, what);
    case MRN_SCHEMA_NAME:
        return mrn_check_name(c, n, what);
    case MRN_SCHEMA_WORD:
        return check_word(c, f, n, what);
    case MRN_SCHEMA_LAW:
        return check_law_name(c, n);
    case MRN_SCHEMA_SOLVER:
        return check_solver_name(c, n);
    case MRN_SCHEMA_PART:
        return check_part(c, f, n);
    case MRN_SCHEMA_PROBE:
        return check_text(c, n, what, 128);
    default: /* TEXT, FILE: any that fits; MEASURE: its reader knows the unit */
        return check_text(c, n, what, f->max > 256 ? (size_t)f->max : 256);
    }
}

/* ---- vectors and boxes ---- */

mrn_status mrn_check_vector(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    if (n->kind != MRN_NODE_LIST)
        return mrn_check_fail_kind(c, f, n, what);
    if (n->n != c->dimension)
        return mrn_check_fail_components(c, f, n, what);
    mrn_schema component = *f;
    component.kind = MRN_SCHEMA_QUANTITY;
    mrn_status s = MRN_OK;
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next)
        s = mrn_check_scalar(c, &component, x, what);
    mrn_vec3 v;
    if (s != MRN_OK || !f->direction || (s = mrn_read_vector(c, n, f->unit, &v)) != MRN_OK)
        return s;
    return mrn_norm(v) > 0 ? MRN_OK
                           : mrn_check_fail(c, n, "a direction such as [0, 0, 1]",
                                            "%s has no direction: it is 0", what);
}

mrn_status mrn_check_spin(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                          const char *what)
{
    if (c->dimension == 3)
        return mrn_check_vector(c, f, n, what);
    if (n->kind != MRN_NODE_SCALAR)
        return mrn_check_fail_kind(c, f, n, what);
    mrn_schema one = *f;
    one.kind = MRN_SCHEMA_QUANTITY;
    return mrn_check_scalar(c, &one, n, what);
}

mrn_status mrn_check_box(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                         const char *what)
{
    if (n->kind != MRN_NODE_LIST)
        return mrn_check_fail_kind(c, f, n, what);
    if (n->n != 2) {
        char expected[200];
        mrn_describe(c, f, expected, sizeof expected);
        return mrn_check_fail(c, n, expected, "%s has %d item%s", what, n->n, n->n == 1 ? "" : "s");
    }
    mrn_schema corner = *f;
    corner.kind = MRN_SCHEMA_VECTOR;
    mrn_status s = mrn_check_vector(c, &corner, n->first, what);
    if (s == MRN_OK)
        s = mrn_check_vector(c, &corner, n->last, what);
    mrn_vec3 lo, hi;
    if (s != MRN_OK || (s = mrn_read_box(c, n, &lo, &hi)) != MRN_OK)
        return s;
    bool flat = c->dimension == 3 && hi.z <= lo.z;
    if (hi.x > lo.x && hi.y > lo.y && !flat)
        return MRN_OK;
    return mrn_check_fail(c, n->last, "the lower corner first, the upper corner second",
                          "%s: the second corner must be larger than the first in every direction",
                          what);
}

/* ---- reading what passed ---- */

mrn_status mrn_read_quantity(const mrn_check *c, const mrn_node *n, const char *unit, double *out)
{
    mrn_reading r = {0};
    mrn_status s =
        n->kind == MRN_NODE_SCALAR
            ? read_reading(c, n, unit, &r)
            : mrn_check_fail(c, n, "a single value", "%s stands here", mrn_node_kind_text(n));
    if (s == MRN_OK)
        *out = r.value;
    return s;
}

mrn_status mrn_read_vector(const mrn_check *c, const mrn_node *n, const char *unit, mrn_vec3 *out)
{
    double x[3] = {0, 0, 0};
    mrn_status s = MRN_OK;
    int i = 0;
    for (const mrn_node *k = n->first; k != NULL && i < 3 && s == MRN_OK; k = k->next)
        s = mrn_read_quantity(c, k, unit, &x[i++]);
    *out = mrn_load3(x);
    return s;
}

mrn_status mrn_read_spin(const mrn_check *c, const mrn_node *n, mrn_vec3 *out)
{
    if (n->kind == MRN_NODE_LIST)
        return mrn_read_vector(c, n, "rad/s", out);
    *out = mrn_v3(0, 0, 0);
    return mrn_read_quantity(c, n, "rad/s", &out->z);
}

mrn_status mrn_read_box(const mrn_check *c, const mrn_node *n, mrn_vec3 *lo, mrn_vec3 *hi)
{
    mrn_status s = mrn_read_vector(c, n->first, "m", lo);
    return s == MRN_OK ? mrn_read_vector(c, n->last, "m", hi) : s;
}

bool mrn_read_flag(const mrn_node *n)
{
    return n != NULL && strcmp(n->text, "true") == 0;
}

uint64_t mrn_read_integer(const mrn_check *c, const mrn_node *n)
{
    uint64_t whole;
    double value;
    return whole_number(c, n->text, &whole, &value) ? whole : 0;
}

int mrn_read_word(const mrn_node *n, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(n->text, words[i]) == 0)
            return i;
    return -1;
}
