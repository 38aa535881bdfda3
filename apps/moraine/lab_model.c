/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions of an experiment's conditions: rows of a table, curves between them, sweeps that the
   command line adds. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_parts.h"

/* Collisions handed over at once: they are large. */
#define BATCH 1024

static mrn_status no_memory(mrn_message *msg)
{
    return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
}

/* ---- rows ---- */

mrn_status mrn_cli_place(const mrn_collision *base, const mrn_conditions *at, const double *value,
                         mrn_collision *out, mrn_message *msg)
{
    *out = *base;
    for (int k = 0; k < at->n_conditions; k++) {
        mrn_factor f;
        mrn_status status = mrn_factor_find(out, at->factor[k].name, &f, msg);
        if (status != MRN_OK)
            return status;
        mrn_factor_set(out, &f, value[k]);
    }
    return MRN_OK;
}

/* Which of the rows a failure is about. */
static void name_row(const mrn_conditions *at, int row, mrn_message *msg)
{
    char what[900];
    if (msg == NULL || at->n < 2)
        return;
    snprintf(what, sizeof what, "%.880s", msg->text);
    snprintf(msg->text, sizeof msg->text, "at %s: %s", mrn_cli_row_name(at, row).s, what);
}

static mrn_status run_batch(const mrn_collision *base, const mrn_conditions *at, int from, int n,
                            double accuracy, mrn_collision *c, mrn_rebound *rebound,
                            mrn_status *status, mrn_message *msg)
{
    for (int i = 0; i < n; i++) {
        const double *value = at->value + (size_t)(from + i) * (size_t)at->n_conditions;
        mrn_status s = mrn_cli_place(base, at, value, &c[i], msg);
        if (s == MRN_OK)
            s = mrn_collision_check(&c[i], msg);
        if (s != MRN_OK) {
            name_row(at, from + i, msg);
            return s;
        }
    }
    return mrn_collide(c, n, accuracy, rebound + from, status != NULL ? status + from : NULL, msg);
}

mrn_status mrn_cli_run(const mrn_collision *base, const mrn_conditions *at, double accuracy,
                       mrn_rebound *rebound, mrn_status *status, mrn_message *msg)
{
    int most = at->n < BATCH ? at->n : BATCH;
    mrn_collision *c = mrn_alloc((size_t)most * sizeof *c);
    mrn_status worst = c != NULL ? MRN_OK : no_memory(msg);
    for (int from = 0; worst >= 0 && from < at->n; from += most) {
        int n = at->n - from < most ? at->n - from : most;
        mrn_message said = {0};
        mrn_status s = run_batch(base, at, from, n, accuracy, c, rebound, status, &said);
        if (s < 0 || (s > 0 && worst == MRN_OK)) {
            worst = s;
            *msg = said;
        }
    }
    mrn_free(c);
    return worst;
}

mrn_status mrn_cli_curve(const mrn_collision *base, const mrn_conditions *at, int row, int k,
                         double lo, double hi, int n, double accuracy, double *x,
                         mrn_rebound *rebound, mrn_message *msg)
{
    mrn_conditions fine = *at;
    int m = at->n_conditions;
    fine.n = n;
    fine.value = mrn_alloc((size_t)n * (size_t)m * sizeof *fine.value);
    if (fine.value == NULL)
        return no_memory(msg);
    for (int i = 0; i < n; i++) {
        memcpy(fine.value + i * m, at->value + (size_t)row * (size_t)m, (size_t)m * sizeof(double));
        x[i] = i + 1 == n ? hi : lo + (hi - lo) * i / (n - 1);
        fine.value[i * m + k] = x[i];
    }
    mrn_status status = mrn_cli_run(base, &fine, accuracy, rebound, NULL, msg);
    mrn_free(fine.value);
    return status;
}

mrn_collision mrn_cli_optimum(const mrn_candidate *c, const double *x)
{
    mrn_collision out = c->collision;
    for (int k = 0; k < c->n_free; k++)
        mrn_factor_set(&out, &c->factor[k], x[k]);
    return out;
}

/* ---- the shape of the table ---- */

static double value_at(const mrn_conditions *at, int row, int k)
{
    return at->value[(size_t)row * (size_t)at->n_conditions + (size_t)k];
}

static int distinct(const mrn_conditions *at, int k)
{
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        bool seen = false;
        for (int j = 0; j < i && !seen; j++)
            seen = value_at(at, i, k) == value_at(at, j, k);
        n += !seen;
    }
    return n;
}

int mrn_cli_axis(const mrn_conditions *at)
{
    int best = -1, most = 1;
    for (int k = 0; k < at->n_conditions; k++) {
        int n = distinct(at, k);
        if (n > 1 && n >= most) {
            most = n;
            best = k;
        }
    }
    return best;
}

static bool same_but(const mrn_conditions *at, int i, int j, int k)
{
    for (int c = 0; c < at->n_conditions; c++)
        if (c != k && value_at(at, i, c) != value_at(at, j, c))
            return false;
    return true;
}

int mrn_cli_groups(const mrn_conditions *at, int k, int *group)
{
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        group[i] = -1;
        for (int j = 0; j < i && group[i] < 0; j++)
            if (same_but(at, i, j, k))
                group[i] = group[j];
        if (group[i] < 0)
            group[i] = n++;
    }
    return n;
}

/* ---- sweeps ---- */

typedef struct sweep {
    mrn_factor factor;
    char unit[24];
    int n;
    double *value;
} sweep;

/* What follows the number: "deg" of "30 deg". */
static const char *unit_of(const char *text)
{
    char *end;
    strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    return end;
}

/* A bare number has the unit that stands elsewhere in the list. */
static mrn_status read_number(sweep *s, const char *text, double *out, mrn_message *msg)
{
    bool bare = unit_of(text)[0] == '\0';
    size_t size = strlen(text) + sizeof s->unit + 2; /* nobody knows how many digits a number has */
    char *full = mrn_alloc(size);
    if (full == NULL)
        return no_memory(msg);
    snprintf(full, size, "%s%s%s", text, bare && s->unit[0] != '\0' ? " " : "",
             bare ? s->unit : "");
    mrn_status status = mrn_quantity(full, s->factor.unit, out, msg);
    mrn_free(full);
    if (status != MRN_OK)
        mrn_fail_hint(msg, "in --sweep %s", s->factor.name);
    return status;
}

static mrn_status make_values(sweep *s, int n, mrn_message *msg)
{
    s->value = mrn_alloc((size_t)n * sizeof *s->value);
    s->n = n;
    return s->value != NULL ? MRN_OK : no_memory(msg);
}

static mrn_status bad_sweep(const char *text, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "--sweep %s: this is no sweep", text);
    return mrn_fail_expected(msg, "name=from:to:count, name=from:to:count:log or name=a,b,c, as in "
                                  "\"angle=0 deg:60 deg:13\" or friction=0.1,0.2");
}

static mrn_status read_range(sweep *s, char *const *part, int n, const char *text, mrn_message *msg)
{
    char *end;
    double lo, hi;
    bool log = n == 4 && strcmp(part[3], "log") == 0;
    long count = strtol(part[2], &end, 10);
    if (end == part[2] || *end != '\0' || count < 2 || count > 1000000 || (n == 4 && !log))
        return bad_sweep(text, msg);
    mrn_status status = read_number(s, part[0], &lo, msg);
    if (status == MRN_OK)
        status = read_number(s, part[1], &hi, msg);
    if (status == MRN_OK && log && !(lo > 0 && hi > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "--sweep %s: a log sweep needs ends above zero", text);
    if (status == MRN_OK)
        status = make_values(s, (int)count, msg);
    for (int i = 0; status == MRN_OK && i < count; i++) {
        double share = (double)i / (double)(count - 1);
        s->value[i] = i == 0           ? lo
                      : i + 1 == count ? hi
                      : log            ? lo * pow(hi / lo, share)
                                       : lo + (hi - lo) * share;
    }
    return status;
}

/* Cuts at `mark`; returns the number of parts, or 0: there are more. */
static int split(char *text, char mark, char **part, int most)
{
    int n = 0;
    for (char *p = text; p != NULL && n < most; n++) {
        part[n] = p;
        p = strchr(p, mark);
        if (p != NULL)
            *p++ = '\0';
        while (p != NULL && isspace((unsigned char)*p))
            p++;
        if (p != NULL && n + 1 == most)
            return 0;
    }
    return n;
}

static bool find_unit(sweep *s, char *const *part, int n)
{
    for (int i = 0; i < n; i++) {
        const char *unit = unit_of(part[i]);
        if (strlen(unit) >= sizeof s->unit)
            return false;
        if (unit[0] != '\0')
            snprintf(s->unit, sizeof s->unit, "%s", unit);
    }
    return true;
}

static mrn_status read_sweep(const mrn_collision *base, const char *text, sweep *s,
                             mrn_message *msg)
{
    enum { MOST = 4096 };
    char name[64], *copy = mrn_strdup(text), **part = mrn_alloc(MOST * sizeof *part);
    mrn_status status = copy != NULL && part != NULL ? MRN_OK : no_memory(msg);
    char *equals = copy != NULL ? strchr(copy, '=') : NULL;
    if (status == MRN_OK && (equals == NULL || equals == copy || equals[1] == '\0'))
        status = bad_sweep(text, msg);
    if (status == MRN_OK) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - copy), copy);
        status = mrn_factor_find(base, name, &s->factor, msg);
    }
    if (status == MRN_OK) {
        bool range = strchr(equals, ':') != NULL;
        int n = split(equals + 1, range ? ':' : ',', part, MOST);
        if (!find_unit(s, part, range && n > 2 ? 2 : n) || n == 0 || (range && n != 3 && n != 4))
            status = bad_sweep(text, msg);
        else if (range)
            status = read_range(s, part, n, text, msg);
        else
            status = make_values(s, n, msg);
        for (int i = 0; status == MRN_OK && !range && i < n; i++)
            status = read_number(s, part[i], &s->value[i], msg);
    }
    mrn_free(part);
    mrn_free(copy);
    return status;
}

/* Rows of the old table that differ in anything but condition `k` (-1: all of them). */
static int kept_rows(const mrn_conditions *at, int k, int *kept)
{
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        bool seen = false;
        for (int j = 0; k >= 0 && j < n && !seen; j++)
            seen = same_but(at, i, kept[j], k);
        if (!seen)
            kept[n++] = i;
    }
    return n;
}

static void fill_table(const mrn_conditions *old, int k, const int *kept, int n_kept,
                       const sweep *s, mrn_conditions *out)
{
    for (int c = 0, to = 0; c < old->n_conditions; c++) {
        if (c == k)
            continue;
        out->factor[to] = old->factor[c];
        memcpy(out->unit[to], old->unit[c], sizeof out->unit[to]);
        to++;
    }
    int last = out->n_conditions - 1;
    out->factor[last] = s->factor;
    snprintf(out->unit[last], sizeof out->unit[last], "%s",
             s->unit[0] != '\0' ? s->unit : s->factor.unit);
    for (int i = 0; i < n_kept; i++)
        for (int j = 0; j < s->n; j++) {
            double *row =
                out->value + ((size_t)i * (size_t)s->n + (size_t)j) * (size_t)out->n_conditions;
            for (int c = 0, to = 0; c < old->n_conditions; c++)
                if (c != k)
                    row[to++] = value_at(old, kept[i], c);
            row[last] = s->value[j];
        }
}

static void conditions_free(mrn_conditions *at)
{
    mrn_free(at->factor);
    mrn_free(at->unit);
    mrn_free(at->value);
}

static mrn_status put_sweep(mrn_experiment *e, const sweep *s, mrn_message *msg)
{
    mrn_conditions *old = &e->at, at = {0};
    int k = -1;
    for (int c = 0; c < old->n_conditions; c++)
        if (strcmp(old->factor[c].name, s->factor.name) == 0)
            k = c;
    int *kept = mrn_alloc((size_t)(old->n + 1) * sizeof *kept);
    if (kept == NULL)
        return no_memory(msg);
    int n = kept_rows(old, k, kept);
    at.n_conditions = old->n_conditions + (k < 0);
    at.n = n * s->n;
    at.factor = mrn_alloc((size_t)at.n_conditions * sizeof *at.factor);
    at.unit = mrn_alloc((size_t)at.n_conditions * sizeof *at.unit);
    at.value = mrn_alloc((size_t)at.n * (size_t)at.n_conditions * sizeof *at.value);
    bool good = at.factor != NULL && at.unit != NULL && at.value != NULL;
    if (good) {
        fill_table(old, k, kept, n, s, &at);
        conditions_free(old);
        *old = at;
    } else {
        conditions_free(&at);
    }
    mrn_free(kept);
    return good ? MRN_OK : no_memory(msg);
}

/* What goes together: the first is swept; the others, put into the table with one value before,
   take theirs row by row. */
static mrn_status put_together(mrn_experiment *e, const sweep *s, int n, mrn_message *msg)
{
    mrn_status status = MRN_OK;
    for (int k = 1; k < n && status == MRN_OK; k++) {
        sweep one = s[k];
        one.n = 1;
        status = put_sweep(e, &one, msg);
    }
    if (status == MRN_OK)
        status = put_sweep(e, &s[0], msg);
    const mrn_conditions *at = &e->at;
    for (int c = 0; c < at->n_conditions && status == MRN_OK; c++)
        for (int k = 1; k < n; k++)
            for (int i = 0; strcmp(at->factor[c].name, s[k].factor.name) == 0 && i < at->n; i++)
                at->value[(size_t)i * (size_t)at->n_conditions + (size_t)c] =
                    s[k].value[i % s[0].n];
    return status;
}

mrn_status mrn_cli_sweep(mrn_experiment *e, const mrn_collision *base, const char *text,
                         mrn_message *msg)
{
    enum { MOST = 16 };
    sweep s[MOST] = {0};
    char *copy = mrn_strdup(text), *part[MOST];
    mrn_status status = copy != NULL ? MRN_OK : no_memory(msg);
    int n = copy != NULL ? split(copy, ';', part, MOST) : 0;
    for (int k = 0; k < n && status == MRN_OK; k++) {
        status = read_sweep(base, part[k], &s[k], msg);
        if (status == MRN_OK && s[k].n != s[0].n) {
            mrn_fail(msg, MRN_ERR_INPUT, "--sweep %s: %s has %d values, %s has %d", text,
                     s[0].factor.name, s[0].n, s[k].factor.name, s[k].n);
            status = mrn_fail_expected(msg, "equally many of what varies together");
        }
    }
    if (status == MRN_OK && (int64_t)s[0].n * e->at.n > 10000000)
        status = mrn_fail(msg, MRN_ERR_INPUT, "--sweep %s: more than ten million collisions", text);
    if (status == MRN_OK)
        status = put_together(e, s, n, msg);
    for (int k = 0; k < n; k++)
        mrn_free(s[k].value);
    mrn_free(copy);
    return status;
}
