/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of a run: probes.csv read at whole numbers of periods, and laws of growth fitted. */
#include "cycles.h"

#include <math.h>
#include <string.h>

#include "plotting.h"

static bool is_level(const char *name)
{
    size_t n = strlen(name);
    static const char *const ends[] = {".mean-z", ".mean-y", ".position.z", ".position.y"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* "sleeper" before "plate" before any level. */
static const mrn_probe_column *likely(const mrn_probe_table *t)
{
    static const char *const words[] = {"sleeper", "plate", "lid", ""};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (int i = 0; i < t->n_columns; i++)
            if (is_level(t->column[i].name) && strstr(t->column[i].name, words[k]) != NULL)
                return &t->column[i];
    return NULL;
}

static mrn_status find(const mrn_probe_table *t, const char *dir, const char *name,
                       const mrn_probe_column **out, mrn_message *msg)
{
    *out = name != NULL ? mrn_probe_table_find(t, name) : likely(t);
    if (*out != NULL)
        return MRN_OK;
    if (name == NULL) {
        mrn_fail(msg, MRN_ERR_INPUT, "probes.csv of %s tells no level of a sleeper or plate", dir);
        return mrn_fail_hint(msg, "name a column with --probe; output.probes of a scene adds one, "
                                  "such as groups.sleeper.mean-z");
    }
    const char *words[512];
    int n = 0;
    for (; n < t->n_columns && n < 512; n++)
        words[n] = t->column[n].name;
    const char *close = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "probes.csv of %s has no column %s", dir, name);
    return close != NULL ? mrn_fail_hint(msg, "did you mean %s?", close)
                         : mrn_fail_hint(msg, "`moraine plot %s` lists them", dir);
}

/* ---- rows of the stage ---- */

typedef struct rows {
    int64_t first, last; /* the row at which the stage begins, and its last one */
    const double *time;
} rows;

static mrn_status find_stage(const mrn_probe_table *t, const char *name, char *out, rows *r,
                             mrn_message *msg)
{
    const mrn_probe_column *stage = mrn_probe_table_find(t, "stage");
    const mrn_probe_column *time = mrn_probe_table_find(t, "time");
    if (stage == NULL || time == NULL || t->n < 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "probes.csv has no column %s, or less than two rows",
                        time == NULL ? "time" : "stage");
    int which = (int)stage->value[t->n - 1];
    for (int k = 0; k < t->n_stages && name != NULL; k++)
        if (strcmp(t->stage[k], name) == 0)
            which = k, name = NULL;
    if (name != NULL || which < 0 || which >= t->n_stages)
        return mrn_fail(msg, MRN_ERR_INPUT, "the run has no stage '%s'", name != NULL ? name : "");
    snprintf(out, MRN_NAME, "%s", t->stage[which]);
    r->time = time->value;
    r->first = r->last = -1;
    for (int64_t i = 0; i < t->n; i++)
        if ((int)stage->value[i] == which) {
            r->first = r->first < 0 ? i : r->first;
            r->last = i;
        }
    if (r->first > 0)
        r->first--; /* the end of the stage before is the begin of this one */
    return MRN_OK;
}

/* A column at time x, linear between rows; *from is where the last search ended. */
static double read_at(const rows *r, const double *y, double x, int64_t *from)
{
    int64_t i = *from > r->first ? *from : r->first;
    while (i + 1 < r->last && r->time[i + 1] < x)
        i++;
    *from = i;
    double a = r->time[i], b = r->time[i + 1];
    return b > a ? y[i] + (y[i + 1] - y[i]) * fmin(1, fmax(0, (x - a) / (b - a))) : y[i];
}

/* ---- columns of a cycle ---- */

typedef struct sources {
    const mrn_probe_column *value, *load, *normal, *tangential, *all;
} sources;

/* Secant between the rows of least and largest load of the cycle from row i to j. */
static double stiffness(const sources *s, int64_t i, int64_t j)
{
    if (s->load == NULL || j - i < 2)
        return NAN;
    int64_t lo = i, hi = i;
    for (int64_t k = i; k <= j; k++) {
        double f = fabs(s->load->value[k]);
        lo = f < fabs(s->load->value[lo]) ? k : lo;
        hi = f > fabs(s->load->value[hi]) ? k : hi;
    }
    double df = fabs(s->load->value[hi]) - fabs(s->load->value[lo]);
    double dz = s->value->value[lo] - s->value->value[hi];
    return dz > 0 ? df / dz : INFINITY;
}

static double lost(const rows *r, const mrn_probe_column *c, double a, double b, int64_t at)
{
    if (c == NULL)
        return NAN;
    double before = read_at(r, c->value, a, &at); /* the search goes on from there */
    return read_at(r, c->value, b, &at) - before;
}

static void fill(const rows *r, const sources *s, mrn_cycles *c, double skip)
{
    int64_t at = r->first;
    double start = read_at(r, s->value->value, c->begin, &at);
    for (int64_t k = 0; k < c->n; k++) {
        mrn_cycle *x = &c->cycle[k];
        double a = c->begin + (double)k * c->period, b = a + c->period;
        int64_t from = at;
        double y = read_at(r, s->value->value, b, &at);
        x->at = (double)(k + 1) + skip;
        x->value = c->settlement ? start - y : y;
        x->normal = lost(r, s->normal, a, b, from);
        x->tangential = lost(r, s->tangential, a, b, from);
        x->other = lost(r, s->all, a, b, from) - x->normal - x->tangential;
        x->stiffness = stiffness(s, from, at);
    }
}

/* groups.NAME.force.z for groups.NAME.mean-z: what its contacts bear; NULL: no such column. */
static const mrn_probe_column *load_of(const mrn_probe_table *t, const char *level)
{
    char name[200];
    const char *dot = strncmp(level, "groups.", 7) == 0 ? strchr(level + 7, '.') : NULL;
    if (dot == NULL || !is_level(level))
        return NULL;
    snprintf(name, sizeof name, "%.*s.force.%c", (int)(dot - level), level,
             level[strlen(level) - 1]);
    return mrn_probe_table_find(t, name);
}

static mrn_status cut(const char *dir, const mrn_probe_table *t, const mrn_cycle_request *q,
                      mrn_cycles *out, mrn_message *msg)
{
    sources s = {.normal = mrn_probe_table_find(t, "energy-lost-normal"),
                 .tangential = mrn_probe_table_find(t, "energy-lost-tangential"),
                 .all = mrn_probe_table_find(t, "dissipated-energy")};
    rows r = {0};
    mrn_status st = find(t, dir, q->probe, &s.value, msg);
    if (st == MRN_OK && q->load != NULL)
        st = find(t, dir, q->load, &s.load, msg);
    if (st == MRN_OK && q->load == NULL)
        s.load = load_of(t, s.value->name);
    if (st == MRN_OK)
        st = find_stage(t, q->stage, out->stage, &r, msg);
    if (st != MRN_OK)
        return st;
    snprintf(out->probe, sizeof out->probe, "%s", s.value->name);
    snprintf(out->unit, sizeof out->unit, "%s", s.value->unit);
    out->settlement = q->as != NULL ? strcmp(q->as, "settlement") == 0 : is_level(out->probe);
    out->period = q->period;
    out->begin = r.time[r.first] + q->skip * q->period;
    /* a thousandth of a cycle that rounding took from the last one is no cycle missed */
    double whole = (r.time[r.last] - out->begin) / q->period;
    out->n = (int64_t)floor(whole + 1e-3);
    if (out->n < 1) {
        mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' holds %.3g cycles of %g s", out->stage,
                 fmax(0, whole), q->period);
        return mrn_fail_hint(msg, "--frequency or --period is that of the load; --stage names the "
                                  "stage of the cycles");
    }
    if ((double)(r.last - r.first) < 2 * whole) {
        mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' has %lld rows for %.4g cycles", out->stage,
                 (long long)(r.last - r.first), whole);
        return mrn_fail_hint(msg, "output.probes-every must be a part of the period");
    }
    out->cycle = mrn_alloc((size_t)out->n * sizeof *out->cycle);
    if (out->cycle == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    fill(&r, &s, out, q->skip);
    return MRN_OK;
}

mrn_status mrn_cycles_read(const char *dir, const mrn_cycle_request *q, mrn_cycles *out,
                           mrn_message *msg)
{
    mrn_probe_table t;
    *out = (mrn_cycles){0};
    mrn_status st = mrn_curve_open(dir, &t, msg);
    if (st != MRN_OK)
        return st;
    st = cut(dir, &t, q, out, msg);
    mrn_probe_table_release(&t);
    return st;
}

void mrn_cycles_release(mrn_cycles *c)
{
    mrn_free(c->cycle);
    *c = (mrn_cycles){0};
}

/* ---- laws ---- */

static bool wanted(const mrn_cycles *c, const mrn_app_list *laws, const mrn_growth_law *g)
{
    for (int i = 0; i < laws->n; i++)
        if (strcmp(laws->item[i], g->name) == 0)
            return true;
    return laws->n == 0 && (g->settlement == c->settlement || strcmp(g->name, "log") == 0);
}

static mrn_status check_names(const mrn_app_list *laws, mrn_message *msg)
{
    const char *words[16];
    int n = mrn_growth_law_count();
    for (int k = 0; k < n && k < 16; k++)
        words[k] = mrn_growth_law_at(k)->name;
    for (int i = 0; i < laws->n; i++)
        if (mrn_growth_law_find(laws->item[i]) == NULL) {
            const char *meant = mrn_closest_word(laws->item[i], words, n);
            mrn_fail(msg, MRN_ERR_INPUT, "there is no law of growth '%s'", laws->item[i]);
            mrn_fail_expected(msg,
                              "log, power, shenton, thom-oakley, sato, inverse-log, stretched");
            return meant != NULL ? mrn_fail_hint(msg, "did you mean %s?", meant) : MRN_ERR_INPUT;
        }
    return MRN_OK;
}

mrn_status mrn_cycles_fit(const mrn_cycles *c, const mrn_app_list *laws, mrn_cycle_fits *out,
                          mrn_message *msg)
{
    /* at most so many points, evenly in log N (inference/growth.c says why) */
    int64_t kept[MRN_CYCLE_POINTS];
    *out = (mrn_cycle_fits){0};
    double *at = out->at, *y = out->y;
    mrn_status st = check_names(laws, msg);
    double *n = st == MRN_OK ? mrn_alloc((size_t)c->n * sizeof *n) : NULL;
    if (n == NULL)
        return st != MRN_OK ? st : mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < c->n; i++)
        n[i] = c->cycle[i].at;
    int points = mrn_growth_thin(c->n, n, MRN_CYCLE_POINTS, kept);
    out->points = points;
    mrn_free(n);
    for (int i = 0; i < points; i++) {
        at[i] = c->cycle[kept[i]].at;
        y[i] = c->cycle[kept[i]].value;
    }
    for (int k = 0; k < mrn_growth_law_count() && out->n < MRN_CYCLE_FITS; k++) {
        const mrn_growth_law *g = mrn_growth_law_at(k);
        mrn_message why = {0};
        if (!wanted(c, laws, g))
            continue;
        st = mrn_growth_fit(g->name, points, at, y, &out->fit[out->n], &why);
        if (st == MRN_ERR_MEMORY)
            return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
        out->fit[out->n].law = g;
        out->failed[out->n] = st != MRN_OK;
        snprintf(out->why[out->n++], sizeof out->why[0], "%.190s", why.text);
    }
    return MRN_OK;
}

static void add_rows(mrn_app_table *t, const mrn_growth *g)
{
    for (int k = 0; k < g->law->n; k++) {
        char value[40], interval[80], r2[20] = "", dev[20] = "", aic[20] = "";
        snprintf(value, sizeof value, "%.4g", g->x[k]);
        snprintf(interval, sizeof interval, "%.4g to %.4g", g->interval[k][0], g->interval[k][1]);
        if (k == 0) {
            snprintf(r2, sizeof r2, "%.4f", g->r2);
            snprintf(dev, sizeof dev, "%.2g", g->deviation);
            snprintf(aic, sizeof aic, "%.1f", g->aic);
        }
        const char *cell[] = {
            k == 0 ? g->law->name : "",
            k == 0 ? g->law->formula : "",
            g->law->parameter[k],
            value,
            interval,
            r2,
            dev,
            aic,
            g->verdict[k] == MRN_IDENTIFIED ? "" : mrn_identifiable_name(g->verdict[k])};
        mrn_app_table_row(t, cell);
    }
}

void mrn_cycles_show_fits(mrn_cli_out *o, const mrn_cycles *c, const mrn_cycle_fits *f)
{
    static const char *const head[] = {"law", "formula",    ">",    ">value", ">95 % interval",
                                       ">R2", ">deviation", ">AIC", "remark"};
    mrn_app_table t;
    mrn_cli_section(o, "Laws of growth");
    mrn_app_table_begin(&t, 9, head);
    for (int i = 0; i < f->n; i++)
        if (!f->failed[i])
            add_rows(&t, &f->fit[i]);
    mrn_cli_table(o, NULL, &t);
    for (int i = 0; i < f->n; i++)
        if (f->failed[i])
            mrn_cli_words(o, "%s: %s", f->fit[i].law->name, f->why[i]);
    if (f->n > 0 && !f->failed[0])
        mrn_cli_words(o,
                      "Values in %s, N from %lld to %lld. Fitted to %d cycles, evenly in log N; "
                      "intervals by profile likelihood, as if the scatter of these points about "
                      "the law were independent. Of laws on the same points the one with the "
                      "lowest AIC tells most.",
                      strcmp(c->unit, "1") == 0 ? "pure numbers" : c->unit,
                      (long long)c->cycle[0].at, (long long)c->cycle[c->n - 1].at, f->fit[0].n);
}

json_t *mrn_cycles_fits_json(const mrn_cycle_fits *f)
{
    json_t *list = json_array();
    for (int i = 0; i < f->n; i++) {
        const mrn_growth *g = &f->fit[i];
        json_t *one = json_pack("{s:s, s:s}", "law", g->law->name, "formula", g->law->formula);
        if (f->failed[i])
            json_object_set_new(one, "failed", json_string(f->why[i]));
        for (int k = 0; k < g->law->n && !f->failed[i]; k++)
            json_object_set_new(one, g->law->parameter[k],
                                json_pack("{s:o, s:[o,o], s:s}", "value", mrn_cli_real(g->x[k]),
                                          "interval", mrn_cli_real(g->interval[k][0]),
                                          mrn_cli_real(g->interval[k][1]), "verdict",
                                          mrn_identifiable_name(g->verdict[k])));
        if (!f->failed[i])
            json_object_update_new(one, json_pack("{s:o, s:o, s:o, s:i}", "r2", mrn_cli_real(g->r2),
                                                  "aic", mrn_cli_real(g->aic), "deviation",
                                                  mrn_cli_real(g->deviation), "points", g->n));
        json_array_append_new(list, one);
    }
    return list;
}
