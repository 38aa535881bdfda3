/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the words of `moraine profile` to averages over the frames of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiling.h"

/* ---- reading the options ---- */

static mrn_status read_vector(const char *option, const char *text, size_t n, mrn_vec3 *out,
                              mrn_message *msg)
{
    char *copy = mrn_strdup(text), *part = NULL, *rest = copy;
    double v[3] = {0};
    int k = 0;
    if (copy == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    copy[n] = '\0';
    while ((part = strtok_r(rest, ",", &rest)) != NULL && k < 3)
        if (mrn_quantity(part, "m", &v[k++], msg) != MRN_OK)
            k = 9;
    bool more = part != NULL;
    mrn_free(copy);
    if (k < 2 || k > 3 || more) {
        mrn_fail(msg, MRN_ERR_INPUT, "--%s: \"%.*s\" is not X,Y,Z", option, (int)n, text);
        return mrn_fail_hint(msg, "as 0,0.01,0 or 0,1cm,0");
    }
    *out = mrn_v3(v[0], v[1], v[2]);
    return MRN_OK;
}

static mrn_status read_axis(const char *text, mrn_average_def *d, mrn_message *msg)
{
    const char *at = strchr(text, '@');
    size_t n = at != NULL ? (size_t)(at - text) : strlen(text);
    mrn_status st = MRN_OK;
    d->coordinates = MRN_COORDINATES_AXIS;
    if (n == 1 && text[0] >= 'x' && text[0] <= 'z')
        d->direction = mrn_v3(text[0] == 'x', text[0] == 'y', text[0] == 'z');
    else
        st = read_vector("about", text, n, &d->direction, msg);
    if (st == MRN_OK && at != NULL)
        st = read_vector("about", at + 1, strlen(at + 1), &d->point, msg);
    if (st == MRN_OK && !(mrn_norm(d->direction) > 0))
        st = mrn_fail(msg, MRN_ERR_INPUT, "--about: \"%s\" has no direction", text);
    return st;
}

static mrn_status read_line(const char *text, double wide, mrn_average_def *d, mrn_message *msg)
{
    const char *colon = strchr(text, ':');
    mrn_vec3 to = {0, 0, 0};
    if (colon == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "--line: \"%s\" is not X,Y,Z:X,Y,Z", text);
    mrn_status st = read_vector("line", text, (size_t)(colon - text), &d->point, msg);
    if (st == MRN_OK)
        st = read_vector("line", colon + 1, strlen(colon + 1), &to, msg);
    d->coordinates = MRN_COORDINATES_LINE;
    d->direction = mrn_sub(to, d->point);
    d->lo[0] = 0, d->hi[0] = mrn_norm(d->direction);
    d->lo[1] = 0, d->hi[1] = wide;
    if (st == MRN_OK && !(d->hi[0] > 0))
        st = mrn_fail(msg, MRN_ERR_INPUT, "--line: \"%s\" has no length", text);
    return st;
}

/* The coordinate of a name; `depth` makes the vertical one that. */
static int coordinate(mrn_average_def *d, const char *name, size_t n, int dimension)
{
    if (n == 5 && strncmp(name, "depth", n) == 0 && d->coordinates == MRN_COORDINATES_BOX)
        d->coordinates = MRN_COORDINATES_DEPTH;
    for (int k = 0; k < 3; k++) {
        const char *known = mrn_average_name(d, k);
        bool real = k < dimension && known[0] != '\0';
        if (real && strlen(known) == n && strncmp(known, name, n) == 0)
            return k;
    }
    return -1;
}

static mrn_status no_coordinate(const mrn_average_def *d, const char *option, const char *name,
                                int dimension, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "--%s: there is no coordinate in \"%s\"", option, name);
    char text[100] = "";
    for (int k = 0; k < dimension && mrn_average_name(d, k)[0] != '\0'; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k > 0 ? ", " : "",
                 mrn_average_name(d, k));
    if (d->coordinates == MRN_COORDINATES_BOX)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", depth");
    mrn_fail_expected(msg, "%s", text);
    return MRN_ERR_INPUT;
}

static mrn_status read_over(const mrn_profile_wish *w, int dimension, mrn_average_def *d,
                            int order[3], int *n_order, mrn_message *msg)
{
    static const char *const usual[] = {"", "r", "s"};
    const char *text = w->over != NULL ? w->over
                       : d->coordinates == MRN_COORDINATES_BOX
                           ? (const char *const[]){"x", "y", "z"}[d->vertical]
                           : usual[d->coordinates];
    int given[3] = {0};
    *n_order = 0;
    for (const char *s = text; *s != '\0';) {
        size_t n = strcspn(s, ","), name = strcspn(s, ",:");
        int k = coordinate(d, s, name, dimension);
        if (k < 0)
            return no_coordinate(d, "over", s, dimension, msg);
        if (name < n) {
            char *end;
            long count = strtol(s + name + 1, &end, 10);
            if (end != s + n || count < 1 || count > 1000000)
                return mrn_fail(msg, MRN_ERR_INPUT, "--over: \"%.*s\" is no number of bins",
                                (int)(n - name - 1), s + name + 1);
            given[k] = (int)count;
        }
        for (int i = 0; i < *n_order; i++)
            if (order[i] == k)
                return mrn_fail(msg, MRN_ERR_INPUT, "--over: %s stands there twice",
                                mrn_average_name(d, k));
        order[(*n_order)++] = k;
        s += n + (s[n] == ',');
    }
    for (int i = 0; i < *n_order; i++)
        d->n[order[i]] = given[order[i]] > 0 ? given[order[i]]
                         : w->bins > 0       ? w->bins
                                             : (*n_order == 1 ? 40 : 20);
    return MRN_OK;
}

static mrn_status read_where(const char *text, int dimension, mrn_average_def *d, mrn_message *msg)
{
    size_t n = strcspn(text, "=");
    int k = coordinate(d, text, n, dimension);
    const char *colon = strchr(text + n, ':');
    if (k < 0)
        return no_coordinate(d, "where", text, dimension, msg);
    if (text[n] != '=' || colon == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "--where: \"%s\" is not COORDINATE=LO:HI", text);
    const char *unit = strcmp(mrn_average_name(d, k), "angle") == 0 ? "1" : "m";
    char *lo = mrn_strdup(text + n + 1);
    if (lo == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    lo[colon - (text + n + 1)] = '\0';
    mrn_status st = lo[0] != '\0' ? mrn_quantity(lo, unit, &d->lo[k], msg) : MRN_OK;
    mrn_free(lo);
    if (st == MRN_OK && colon[1] != '\0')
        st = mrn_quantity(colon + 1, unit, &d->hi[k], msg);
    if (st == MRN_OK && d->hi[k] <= d->lo[k])
        st = mrn_fail(msg, MRN_ERR_INPUT, "--where: \"%s\" is empty", text);
    return st;
}

/* ---- frames ---- */

typedef struct span {
    double from, to;
    int64_t first, last; /* frames */
} span;

/* From summary.json; a frame at the instant in which a stage begins belongs to the one before. */
static mrn_status find_stage(const mrn_profile_wish *w, span *s, mrn_message *msg)
{
    char path[1200];
    size_t i;
    json_t *stage;
    if (w->stage == NULL)
        return MRN_OK;
    snprintf(path, sizeof path, "%.1100s/summary.json", w->dir);
    json_t *root = mrn_app_read_json(path);
    bool found = false;
    json_array_foreach(json_object_get(root, "stages"), i, stage)
    {
        const char *name = json_string_value(json_object_get(stage, "name"));
        json_t *begin = json_object_get(stage, "time-begin"),
               *end = json_object_get(stage, "time-end");
        if (name == NULL || strcmp(name, w->stage) != 0 || !json_is_number(begin))
            continue;
        found = true;
        s->from = fmax(s->from, nextafter(json_number_value(begin), INFINITY));
        s->to = fmin(s->to, json_is_number(end) ? json_number_value(end) : INFINITY);
    }
    json_decref(root);
    if (!found) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has no stage %s that began", w->dir, w->stage);
        return mrn_fail_hint(msg, "summary.json lists them; --from and --to take times");
    }
    return MRN_OK;
}

static mrn_status find_frames(mrn_trajectory *t, const mrn_profile_wish *w, span *s,
                              mrn_message *msg)
{
    int64_t n = mrn_trajectory_frames(t);
    *s = (span){.from = w->from, .to = w->to, .first = n, .last = -1};
    mrn_status st = find_stage(w, s, msg);
    for (int64_t k = 0; st == MRN_OK && k < n; k++) {
        double time = mrn_trajectory_time(t, k);
        if (time < s->from || time > s->to)
            continue;
        s->first = k < s->first ? k : s->first;
        s->last = k;
    }
    if (st == MRN_OK && s->last < 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "no frame of %s lies in that stage and span of time", w->dir);
        mrn_fail_hint(msg, "output.every says how often frames are stored");
        return MRN_ERR_INPUT;
    }
    return st;
}

static double mean_diameter(const mrn_frame *f)
{
    double sum = 0, n = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        sum += 2 * f->radius[i], n += 1;
    return n > 0 ? sum / n : NAN;
}

/* Gravity points along the axis nearest to it; without a scene z, y in 2D. */
static void find_vertical(const mrn_profile_wish *w, int dimension, mrn_average_def *d)
{
    char path[1200];
    mrn_scene scene;
    snprintf(path, sizeof path, "%.1100s/scene.yaml", w->dir);
    d->vertical = dimension - 1;
    if (access(path, R_OK) != 0 || mrn_scene_read(path, NULL, 0, &scene, NULL) != MRN_OK)
        return;
    mrn_instant start = {0, 0};
    mrn_vec3 down = mrn_gravity_at(scene.gravity_of, start);
    const double g[3] = {down.x, down.y, down.z};
    for (int k = 0; k < dimension; k++)
        if (fabs(g[k]) > fabs(g[d->vertical]))
            d->vertical = k;
    d->down = g[d->vertical] > 0;
    mrn_scene_destroy(&scene);
}

/* Limits that were not given: what grains reach in up to twenty of the frames. */
static mrn_status find_limits(mrn_trajectory *t, const span *s, int dimension, mrn_average_def *d,
                              mrn_message *msg)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t n = s->last - s->first + 1, m = n < 20 ? n : 20;
    for (int64_t i = 0; i < m; i++) {
        mrn_frame f = {0};
        mrn_status st =
            mrn_trajectory_read(t, s->first + (m > 1 ? i * (n - 1) / (m - 1) : 0), &f, msg);
        if (st != MRN_OK)
            return st;
        mrn_average_reach(d, dimension, &f, lo, hi);
        for (int k = 0; k < 3; k++)
            d->cell[k] = f.periodic[k] && isnan(d->lo[k]) && isnan(d->hi[k]) &&
                         (d->coordinates == MRN_COORDINATES_BOX ||
                          (d->coordinates == MRN_COORDINATES_DEPTH && k != d->vertical));
        mrn_frame_destroy(&f);
    }
    for (int k = 0; k < 3; k++) {
        d->lo[k] = isnan(d->lo[k]) ? lo[k] : d->lo[k];
        d->hi[k] = isnan(d->hi[k]) ? hi[k] : d->hi[k];
    }
    return MRN_OK;
}

static mrn_status sum_frames(mrn_trajectory *t, const span *s, mrn_average *a, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t k = s->first; st == MRN_OK && k <= s->last; k++) {
        mrn_frame f = {0};
        double time = mrn_trajectory_time(t, k);
        if (time < s->from || time > s->to)
            continue;
        st = mrn_trajectory_read(t, k, &f, msg);
        if (st == MRN_OK)
            st = mrn_average_add(a, &f, msg);
        mrn_frame_destroy(&f);
    }
    if (st == MRN_OK)
        mrn_average_end(a);
    return st;
}

/* ---- columns ---- */

static void column(mrn_profile_table *t, const char *name, const char *unit, mrn_profile_kind kind,
                   int k)
{
    snprintf(t->name[t->n_columns], sizeof t->name[0], "%s", name);
    t->unit[t->n_columns] = unit;
    t->kind[t->n_columns] = kind;
    t->k[t->n_columns++] = k;
}

static void make_columns(const mrn_average *a, const int order[3], int n_order,
                         mrn_profile_table *t)
{
    static const char *const letters[] = {"x", "y", "z"}, *const round[] = {"r", "angle", "axial"};
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    bool about = a->def.coordinates == MRN_COORDINATES_AXIS;
    const char *const *axis = about ? round : letters;
    char name[40];
    *t = (mrn_profile_table){0};
    for (int i = 0; i < n_order; i++) {
        const char *of = mrn_average_name(&a->def, order[i]);
        column(t, of, strcmp(of, "angle") == 0 ? "degree" : "m", MRN_COLUMN_COORDINATE, order[i]);
    }
    t->n_coordinates = n_order;
    column(t, "volume", a->dimension == 2 ? "m2" : "m3", MRN_COLUMN_VOLUME, 0);
    column(t, "grains", "1", MRN_COLUMN_COUNT, 0);
    column(t, "solid-fraction", "1", MRN_COLUMN_SOLID, 0);
    column(t, "density", "kg/m3", MRN_COLUMN_DENSITY, 0);
    for (int k = 0; k < a->dimension; k++) {
        snprintf(name, sizeof name, "velocity.%s", axis[k]);
        column(t, name, "m/s", MRN_COLUMN_VELOCITY, k);
    }
    if (a->def.coordinates == MRN_COORDINATES_LINE)
        column(t, "velocity.along", "m/s", MRN_COLUMN_ALONG, 0);
    column(t, "speed", "m/s", MRN_COLUMN_SPEED, 0);
    column(t, "granular-temperature", "m2/s2", MRN_COLUMN_TEMPERATURE, 0);
    if (!a->has_contacts)
        return;
    column(t, "pressure", "Pa", MRN_COLUMN_PRESSURE, 0);
    for (int k = 0; k < 6; k++) {
        if (a->dimension == 2 && second[k] == 2)
            continue;
        snprintf(name, sizeof name, about ? "stress.%s.%s" : "stress.%s%s", axis[first[k]],
                 axis[second[k]]);
        column(t, name, "Pa", MRN_COLUMN_STRESS, k);
    }
}

double mrn_profile_value(const mrn_average *a, const mrn_profile_table *t, int64_t b, int c)
{
    const double *v = a->velocity + 3 * b, *contact = a->contact_stress + 6 * b,
                 *kinetic = a->kinetic_stress + 6 * b;
    int k = t->k[c];
    double sum = 0;
    switch (t->kind[c]) {
    case MRN_COLUMN_COORDINATE:
        return mrn_average_middle(a, b, k);
    case MRN_COLUMN_VOLUME:
        return a->volume[b];
    case MRN_COLUMN_COUNT:
        return a->count[b];
    case MRN_COLUMN_SOLID:
        return a->solid_fraction[b];
    case MRN_COLUMN_DENSITY:
        return a->density[b];
    case MRN_COLUMN_VELOCITY:
        return v[k];
    case MRN_COLUMN_ALONG:
        return mrn_dot(mrn_load3(v), mrn_unit(a->def.direction));
    case MRN_COLUMN_SPEED:
        return mrn_norm(mrn_load3(v));
    case MRN_COLUMN_TEMPERATURE:
        return a->temperature[b];
    case MRN_COLUMN_PRESSURE:
        for (int i = 0; i < a->dimension; i++)
            sum += (contact[i] + kinetic[i]) / a->dimension;
        return sum;
    default:
        return contact[k] + kinetic[k];
    }
}

mrn_status mrn_profile_find(const mrn_profile_table *t, const char *name, int *out,
                            mrn_message *msg)
{
    const char *words[MRN_PROFILE_COLUMNS];
    for (int c = 0; c < t->n_columns; c++) {
        words[c] = t->name[c];
        if (strcmp(t->name[c], name) == 0) {
            *out = c;
            return MRN_OK;
        }
    }
    const char *close = mrn_closest_word(name, words, t->n_columns);
    mrn_fail(msg, MRN_ERR_INPUT, "--plot: the profile has no %s", name);
    if (close != NULL)
        return mrn_fail_hint(msg, "did you mean %s?", close);
    return mrn_fail_hint(msg, "stress is known where the run stored its contacts "
                              "(output: {contacts: true})");
}

/* ---- all ---- */

static mrn_status take(mrn_trajectory *t, const mrn_profile_wish *w, mrn_average *a,
                       mrn_profile_table *table, mrn_message *msg)
{
    mrn_average_def d = {.lo = {NAN, NAN, NAN}, .hi = {NAN, NAN, NAN}};
    mrn_header h = {0};
    mrn_frame f = {0};
    span s = {0};
    int order[3], n_order = 0, dimension = 3;
    mrn_status st = find_frames(t, w, &s, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_header(t, &h, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_read(t, s.first, &f, msg);
    if (st == MRN_OK) {
        dimension = h.dimension;
        find_vertical(w, dimension, &d);
        if (w->about != NULL)
            st = read_axis(w->about, &d, msg);
        else if (w->line != NULL)
            st = read_line(w->line, mean_diameter(&f), &d, msg);
    }
    mrn_frame_destroy(&f);
    mrn_header_destroy(&h);
    if (st == MRN_OK)
        st = read_over(w, dimension, &d, order, &n_order, msg);
    for (int i = 0; st == MRN_OK && i < w->n_where; i++)
        st = read_where(w->where[i], dimension, &d, msg);
    if (st == MRN_OK)
        st = find_limits(t, &s, dimension, &d, msg);
    if (st == MRN_OK)
        st = mrn_average_begin(&d, dimension, a, msg);
    if (st == MRN_OK)
        st = sum_frames(t, &s, a, msg);
    if (st == MRN_OK)
        make_columns(a, order, n_order, table);
    return st;
}

mrn_status mrn_profile_take(const mrn_profile_wish *w, mrn_average *out, mrn_profile_table *table,
                            mrn_message *msg)
{
    mrn_trajectory *t = NULL;
    *out = (mrn_average){0};
    mrn_status st = mrn_trajectory_open(w->dir, &t, msg);
    if (st != MRN_OK)
        return st;
    st = take(t, w, out, table, msg);
    mrn_trajectory_close(&t, NULL);
    return st;
}
