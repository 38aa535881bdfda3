/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the table of measurements to conditions and data; replicates become means. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"
#include "readers/columns.h"

static bool same_conditions(const mrn_lab_table *t, int64_t a, int64_t b)
{
    int w = mrn_lab_table_width(t);
    for (int k = 0; k < t->n_conditions; k++)
        if (t->value[a * w + k] != t->value[b * w + k])
            return false;
    return true;
}

/* Rows that repeat one measurement: rows of group g are member[start[g]] … member[start[g + 1] -
   1], the first of them first. */
typedef struct grouping {
    int n;
    int64_t *start, *member;
} grouping;

static int by_conditions(const void *a, const void *b, void *user)
{
    const mrn_lab_table *t = user;
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const double *x = t->value + i * mrn_lab_table_width(t),
                 *y = t->value + j * mrn_lab_table_width(t);
    for (int k = 0; k < t->n_conditions; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Groups are numbered as their first rows come. Each row's group is that of the first of its like
   until those have numbers. */
static void number_groups(mrn_lab_table *t, bool replicates, grouping *g)
{
    int64_t n = t->n_rows, leader = 0;
    for (int64_t i = 0; i < n; i++)
        g->member[i] = i;
    if (replicates)
        qsort_r(g->member, (size_t)n, sizeof *g->member, by_conditions, t);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = g->member[k];
        bool like = replicates && k > 0 && same_conditions(t, g->member[k - 1], i);
        leader = like ? leader : i;
        t->row[i].group = (int)leader;
    }
    for (int64_t i = 0; i < n; i++) {
        int first = t->row[i].group;
        t->row[i].group = first == i ? g->n++ : t->row[first].group;
        g->start[t->row[i].group + 1]++;
    }
    for (int k = 0; k < g->n; k++)
        g->start[k + 1] += g->start[k];
    for (int64_t i = n - 1; i >= 0; i--) /* from the end: start[k + 1] walks to the begin of k */
        g->member[--g->start[t->row[i].group + 1]] = i;
    for (int k = 0; k < g->n; k++)
        g->start[k] = g->start[k + 1];
    g->start[g->n] = n;
}

static void label(mrn_lab_table *t, const double *v, char out[48])
{
    const mrn_conditions *at = &t->r->e->at;
    char all[1024] = "";
    size_t used = 0;
    for (int k = 0; k < t->n_conditions && used + 64 < sizeof all; k++) {
        char text[48];
        mrn_lab_text(t->r, v[k], at->unit[k], at->factor[k].unit, text, sizeof text);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "", text);
    }
    snprintf(out, 48, "%.47s", all);
}

/* The variance of the mean from what the file gives. Student's half width is proportional to its
   root, and known for 1. */
static void spread(const mrn_lab_table *t, int k, double error, mrn_datum *d)
{
    const mrn_node *n = t->error[k];
    if (n->kind != MRN_NODE_MAP) {
        d->spread = MRN_SPREAD_COMMON;
        d->variance = NAN;
        return;
    }
    const mrn_node *many = mrn_node_get(n, "replicates");
    const char *kind = mrn_node_get(n, "kind")->text;
    double count = many != NULL ? (double)mrn_read_integer(&t->r->in.check, many) : 1;
    d->spread = many != NULL ? MRN_SPREAD_REPLICATES : MRN_SPREAD_GIVEN;
    d->freedom = many != NULL ? (int)count - 1 : 0;
    d->variance = 1;
    if (strcmp(kind, "sd") == 0)
        d->variance = error * error / count;
    else if (strcmp(kind, "variance") == 0)
        d->variance = error / count;
    else if (strcmp(kind, "standard-error") == 0)
        d->variance = error * error;
    else {
        double half = error / mrn_datum_half_width(d, 0.95);
        d->variance = half * half;
    }
}

/* Restitution along a direction in which nothing came. */
static mrn_status check_defined(const mrn_lab_table *t, int k, const mrn_collision *c,
                                const mrn_lab_cell *p)
{
    if (strcmp(t->r->e->measured.response[k]->name, "et") != 0 || sin(c->angle) != 0)
        return MRN_OK;
    mrn_lab_table_fail(t, p, "an oblique impact",
                       "'et' is not defined at normal incidence: it divides by zero");
    return mrn_fail_hint(t->r->in.check.msg,
                         "missing: \"-\" in `data`, and - in this cell; or leave the row out");
}

static mrn_status add_datum(mrn_lab_table *t, int64_t i, int k, double y, mrn_datum **out)
{
    mrn_measurements *m = &t->r->e->measured;
    const double *v = t->value + i * mrn_lab_table_width(t);
    mrn_collision c = t->r->e->candidate[0].collision;
    for (int f = 0; f < t->n_conditions; f++)
        mrn_factor_set(&c, &t->r->e->at.factor[f], v[f]);
    mrn_status s =
        check_defined(t, k, &c, &t->where[i * mrn_lab_table_width(t) + t->n_conditions + k]);
    if (s != MRN_OK)
        return s;
    m->row[m->n] = t->row[i].group;
    *out = &m->datum[m->n++];
    **out = (mrn_datum){.y = y, .response = k};
    label(t, v, (*out)->label);
    return MRN_OK;
}

static mrn_status single_data(mrn_lab_table *t)
{
    int w = mrn_lab_table_width(t);
    mrn_status s = MRN_OK;
    for (int64_t i = 0; i < t->n_rows && s == MRN_OK; i++)
        for (int k = 0; k < t->n_responses && s == MRN_OK; k++) {
            const double *v = t->value + i * w + t->n_conditions;
            const mrn_node *error = t->error[k];
            mrn_datum *d = NULL;
            if (isnan(v[k]))
                continue;
            s = add_datum(t, i, k, v[k], &d);
            bool constant = error->kind == MRN_NODE_MAP && mrn_node_get(error, "value") != NULL;
            if (s == MRN_OK)
                spread(t, k, constant ? t->constant[k] : v[t->n_responses + k], d);
        }
    return s;
}

static mrn_status fail_replicates(const mrn_lab_table *t, const mrn_lab_cell *p, int k,
                                  const double *y, int n)
{
    mrn_message *msg = t->r->in.check.msg;
    const char *name = t->r->e->measured.response[k]->name;
    if (n == 1) {
        mrn_lab_table_fail(t, p, "two rows at least with the same conditions",
                           "'%s' is measured once under these conditions: there is no variance",
                           name);
        return mrn_fail_hint(msg, "equal means equal to the last digit; or give errors instead");
    }
    mrn_lab_table_fail(t, p, "values that differ",
                       "the %d replicates of '%s' are all %g: their variance is zero", n, name,
                       y[0]);
    return mrn_fail_hint(msg, "more digits, or errors from elsewhere");
}

static mrn_status replicated_datum(mrn_lab_table *t, const int64_t *row, int64_t rows, int k,
                                   double *y)
{
    int w = mrn_lab_table_width(t), at = t->n_conditions + k, n = 0, freedom = 0;
    int64_t first = -1;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < rows; i++)
        if (!isnan(t->value[row[i] * w + at])) {
            y[n++] = t->value[row[i] * w + at];
            first = first < 0 ? row[i] : first;
        }
    if (n == 0)
        return MRN_OK;
    mrn_datum *d = NULL;
    mrn_status s = mrn_replicates(y, n, &mean, &variance, &freedom, t->r->in.check.msg);
    if (s == MRN_ERR_INPUT)
        return fail_replicates(t, &t->where[first * w + at], k, y, n);
    if (s == MRN_OK)
        s = add_datum(t, first, k, mean, &d);
    if (s != MRN_OK)
        return s;
    d->variance = variance;
    d->freedom = freedom;
    d->spread = MRN_SPREAD_REPLICATES;
    return MRN_OK;
}

static mrn_status replicated_data(mrn_lab_table *t, const grouping *g)
{
    double *y = NULL;
    mrn_status s = mrn_array(&y, t->n_rows, sizeof *y, t->r->in.check.msg);
    for (int i = 0; i < g->n && s == MRN_OK; i++)
        for (int k = 0; k < t->n_responses && s == MRN_OK; k++)
            s = replicated_datum(t, g->member + g->start[i], g->start[i + 1] - g->start[i], k, y);
    mrn_free(y);
    return s;
}

static mrn_status make_rows(mrn_lab_table *t, const grouping *g)
{
    mrn_conditions *at = &t->r->e->at;
    mrn_measurements *m = &t->r->e->measured;
    mrn_message *msg = t->r->in.check.msg;
    int w = mrn_lab_table_width(t), nc = t->n_conditions;
    mrn_status s = mrn_array(&at->value, (int64_t)g->n * nc, sizeof *at->value, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->row, t->n_rows * t->n_responses, sizeof *m->row, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->datum, t->n_rows * t->n_responses, sizeof *m->datum, msg);
    if (s != MRN_OK)
        return s;
    at->n = g->n;
    for (int i = 0; i < g->n; i++)
        memcpy(at->value + (int64_t)i * nc, t->value + g->member[g->start[i]] * w,
               (size_t)nc * sizeof(double));
    for (int k = 0; k < nc && s == MRN_OK; k++)
        s = mrn_lab_set(t->r, at->factor[k].name, at->value[k], t->column[k].spec->key);
    return s;
}

/* Sizes, speeds and angles of each row; what the law says to them is known only later. */
static mrn_status check_rows(mrn_lab_table *t, const grouping *of)
{
    const mrn_experiment *e = t->r->e;
    mrn_message *msg = t->r->in.check.msg;
    mrn_collision c = e->candidate[0].collision;
    for (int g = 0; g < e->at.n; g++) {
        for (int k = 0; k < t->n_conditions; k++)
            mrn_factor_set(&c, &e->at.factor[k], e->at.value[(int64_t)g * t->n_conditions + k]);
        *msg = (mrn_message){0};
        if (mrn_collision_check_motion(&c, msg) == MRN_OK)
            continue;
        char text[300], expected[300];
        snprintf(text, sizeof text, "%.290s", msg->text);
        snprintf(expected, sizeof expected, "%.290s",
                 msg->expected[0] != '\0' ? msg->expected : "conditions under which bodies meet");
        return mrn_lab_table_fail(t, &t->row[of->member[of->start[g]]].place, expected, "%s", text);
    }
    return MRN_OK;
}

static mrn_status make_all(mrn_lab_table *t, grouping *g)
{
    bool replicates = mrn_read_flag(mrn_node_get(t->data, "replicates"));
    number_groups(t, replicates, g);
    mrn_status s = make_rows(t, g);
    if (s == MRN_OK)
        s = check_rows(t, g);
    if (s == MRN_OK)
        s = replicates ? replicated_data(t, g) : single_data(t);
    if (s == MRN_OK && t->r->e->measured.n == 0)
        return mrn_check_fail(&t->r->in.check, t->data, "measurements",
                              "nothing is measured: every response is missing in every row");
    return s;
}

static mrn_status make(mrn_lab_table *t)
{
    grouping g = {0};
    mrn_message *msg = t->r->in.check.msg;
    mrn_status s = mrn_array(&g.member, t->n_rows, sizeof *g.member, msg);
    if (s == MRN_OK)
        s = mrn_array(&g.start, t->n_rows + 1, sizeof *g.start, msg);
    if (s == MRN_OK)
        s = make_all(t, &g);
    mrn_free(g.member);
    mrn_free(g.start);
    return s;
}

/* With data the rows say what varies. */
static mrn_status check_collision(mrn_lab_reader *r, const mrn_node *conditions)
{
    if (r->n_sweeps > 0) {
        const mrn_node *n = r->sweep[0].at;
        mrn_check_fail(&r->in.check, n, "one value, or a column of `data`",
                       "'%s' takes several values, but with data the rows say what varies",
                       n->key->text);
        return mrn_fail_hint(r->in.check.msg, "conditions: {%s: {column: NAME, unit: …}} in `data`",
                             n->key->text);
    }
    if (r->given[0] != NULL || r->given[3] != NULL || mrn_node_get(conditions, "speed") != NULL ||
        mrn_node_get(conditions, "normal-speed") != NULL)
        return MRN_OK;
    mrn_check_fail(&r->in.check, r->collision, "speed: 4.2 m/s, or a column of `data`",
                   "this collision lacks the key 'speed'");
    return mrn_fail_hint(r->in.check.msg, "speed of the ball before the impact");
}

mrn_status mrn_lab_read_data(mrn_lab_reader *r, const mrn_node *data)
{
    mrn_lab_table *t = NULL;
    mrn_status s = check_collision(r, mrn_node_get(data, "conditions"));
    if (s == MRN_OK)
        s = mrn_array(&t, 1, sizeof *t, r->in.check.msg);
    if (s != MRN_OK)
        return s;
    t->r = r;
    t->data = data;
    s = mrn_lab_table_read(t);
    if (s == MRN_OK)
        s = make(t);
    mrn_lab_table_release(t);
    mrn_free(t);
    return s;
}
