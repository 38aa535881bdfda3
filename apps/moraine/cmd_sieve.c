/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine sieve: the stones of a scene on a set of sieves, and what shape they have; of scanned
   stones the shape. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "ballast.h"
#include "moraine/ballast.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "sieve (SCENE | MESH…) [options]",
    .doc = "Makes the grains of a scene, as `run` would, and sieves them: percent by mass that\n"
           "passes square holes (2D: slits), with the number of grains, and the means and\n"
           "standard deviations of elongation I/L, flatness S/I, sphericity and angularity, by\n"
           "number. Stones as STL or OBJ files, such as scans, are measured by their convex\n"
           "hulls: what comes out may be given to `random` or `crushed` of a scene.\n"
           "--category compares with a category of EN 13450 (limits as recalled from the\n"
           "standard); without a scene it prints the limits. Exit code 1: outside of them.",
    .examples = "moraine sieve bed.yaml --category E\n"
                "moraine sieve bed.yaml --sieves 22.4,31.5,40,50,63 --group ballast\n"
                "moraine sieve --category E\n"
                "moraine sieve scans/stone-1.stl scans/stone-2.stl",
};

enum { MOST_FILES = 1024, MOST_SIEVES = 64 };

typedef struct stone {
    double mass, size; /* kg, m */
    double shape[4];   /* elongation, flatness, sphericity, angularity; NAN: not known */
} stone;

typedef struct request {
    const char *file[MOST_FILES];
    int n_files;
    const char *category, *group, *sieves;
    mrn_app_list set;
    bool json;
    int n_sieves;
    double sieve[MOST_SIEVES]; /* m */
    int64_t n;
    stone *stone;
    bool meshes;
} request;

static int parse(int argc, char **argv, request *r)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
    const mrn_app_option table[] = {
        {.name = "category",
         .letter = 'c',
         .kind = MRN_OPT_CHOICE,
         .target = &r->category,
         .arg = "X",
         .choices = names,
         .n_choices = 6,
         .doc = "Category of EN 13450 to compare with."},
        {.name = "sieves",
         .kind = MRN_OPT_TEXT,
         .target = &r->sieves,
         .arg = "LIST",
         .doc = "Holes in mm, rising: 22.4,31.5,40; else those of railway ballast, or five that "
                "span the sizes."},
        {.name = "group",
         .letter = 'g',
         .kind = MRN_OPT_TEXT,
         .target = &r->group,
         .arg = "NAME",
         .doc = "Only grains of this group; else all whose shape is not listed one by one."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &r->set,
         .arg = "PATH=VALUE",
         .doc = "Change a value of the scene before it is read; may be given many times."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &r->json,
         .doc = "Print JSON instead of text, in SI units."},
    };
    int code = mrn_app_parse(&page, table, sizeof table / sizeof *table, argc, argv, r->file,
                             MOST_FILES, &r->n_files);
    if (code < 0 && r->n_files == 0 && r->category == NULL)
        return mrn_app_usage("sieve", "what? Name a scene, or meshes of stones");
    return code;
}

static int read_sieves(request *r)
{
    for (const char *p = r->sieves; p != NULL && *p != '\0'; p += *p == ',') {
        char *end;
        double v = strtod(p, &end) * 1e-3;
        if (end == p || (*end != ',' && *end != '\0') || !(v > 0) || !isfinite(v) ||
            r->n_sieves == MOST_SIEVES || (r->n_sieves > 0 && v <= r->sieve[r->n_sieves - 1]))
            return mrn_app_usage("sieve", "--sieves %s: numbers above 0 that rise, at most %d",
                                 r->sieves, MOST_SIEVES);
        r->sieve[r->n_sieves++] = v;
        p = end;
    }
    return -1;
}

/* ---- stones ---- */

static mrn_status add(request *r, int64_t *room, stone s, mrn_message *msg)
{
    if (r->n == *room) {
        int64_t more = *room > 0 ? 2 * *room : 256;
        stone *list = mrn_alloc((size_t)more * sizeof *list);
        if (list == NULL)
            return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
        if (r->n > 0)
            memcpy(list, r->stone, (size_t)r->n * sizeof *list);
        mrn_free(r->stone);
        r->stone = list;
        *room = more;
    }
    r->stone[r->n++] = s;
    return MRN_OK;
}

static stone of_polytope(const mrn_polytope *f, double sieve, double radius, double mass)
{
    return (stone){
        mass,
        radius * sieve,
        {f->elongation, f->dimension == 3 ? f->flatness : NAN, f->sphericity, f->angularity}};
}

static bool is_mesh(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".stl") == 0 || strcmp(dot, ".obj") == 0 ||
                           strcmp(dot, ".STL") == 0 || strcmp(dot, ".OBJ") == 0);
}

static mrn_status read_meshes(request *r, mrn_message *msg)
{
    int64_t room = 0;
    mrn_status s = MRN_OK;
    for (int i = 0; i < r->n_files && s == MRN_OK; i++) {
        mrn_polytope f = {0};
        if (!is_mesh(r->file[i])) {
            mrn_fail(msg, MRN_ERR_INPUT, "%s is no STL or OBJ file", r->file[i]);
            return mrn_fail_expected(msg, "one scene, or meshes alone");
        }
        s = mrn_polytope_read(r->file[i], &f, msg);
        if (s == MRN_OK)
            s = add(r, &room, of_polytope(&f, NAN, 1, 1), msg);
        mrn_polytope_release(&f);
    }
    return s;
}

static bool counts(const request *r, const mrn_scene *scene, int group)
{
    const mrn_group *g = &scene->group[group];
    return r->group != NULL ? strcmp(g->name, r->group) == 0
                            : g->place != MRN_PLACE_LIST || scene->n_groups == 1;
}

static mrn_status collect(request *r, const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    int64_t room = 0;
    double *sieve = mrn_alloc(((size_t)scene->n_polytopes + 1) * sizeof *sieve);
    mrn_status st = sieve != NULL ? MRN_OK : mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int k = 0; k < scene->n_polytopes && st == MRN_OK; k++)
        sieve[k] = mrn_polytope_sieve(&scene->polytope[k]);
    for (int64_t i = s->body.n_walls; i < s->body.n && st == MRN_OK; i++) {
        if ((s->body.flags[i] & MRN_BODY_MEMBER) || !counts(r, scene, s->body.group[i]))
            continue;
        double radius = s->body.radius[i], mass = s->body.mass[i];
        int k = s->body.part[i];
        if (s->body.flags[i] & MRN_BODY_POLYTOPE)
            st = add(r, &room, of_polytope(&scene->polytope[k], sieve[k], radius, mass), msg);
        else
            st = add(r, &room, (stone){mass, 2 * radius, {NAN, NAN, NAN, NAN}}, msg);
    }
    mrn_free(sieve);
    if (st == MRN_OK && r->n == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "no grains to sieve at the start of the run%s%s",
                 r->group != NULL ? " in group " : "", r->group != NULL ? r->group : "");
        return mrn_fail_hint(msg, "grains that enter through inlets are not there yet; --group "
                                  "names a group");
    }
    return st;
}

static mrn_status read_scene(request *r, mrn_message *msg)
{
    mrn_scene scene = {0};
    mrn_world *w = NULL;
    if (r->n_files > 1) {
        mrn_fail(msg, MRN_ERR_INPUT, "%d files, and not all of them are meshes", r->n_files);
        return mrn_fail_expected(msg, "one scene, or meshes alone");
    }
    mrn_status s = mrn_scene_read(r->file[0], r->set.item, r->set.n, &scene, msg);
    if (s == MRN_OK)
        s = mrn_world_create(&scene, &w, msg);
    if (s == MRN_OK)
        s = collect(r, mrn_world_scene(w), mrn_world_state(w), msg);
    mrn_world_destroy(&w);
    mrn_scene_destroy(&scene);
    return s;
}

/* ---- curve ---- */

static void default_sieves(request *r)
{
    const mrn_ballast_category *b = mrn_ballast_category_at(0);
    double lo = INFINITY, hi = 0;
    for (int64_t i = 0; i < r->n; i++) {
        lo = fmin(lo, r->stone[i].size);
        hi = fmax(hi, r->stone[i].size);
    }
    bool ballast = r->category != NULL || r->n == 0 ||
                   (hi > b->sieve[1] && lo < b->sieve[MRN_BALLAST_SIEVES - 1]);
    r->n_sieves = ballast ? MRN_BALLAST_SIEVES : 5;
    for (int k = 0; k < r->n_sieves; k++)
        r->sieve[k] = ballast ? b->sieve[k] : lo + (hi - lo) * k / 4;
}

static double passing(const request *r, double hole)
{
    double below = 0, all = 0;
    for (int64_t i = 0; i < r->n; i++) {
        all += r->stone[i].mass;
        below += r->stone[i].size <= hole ? r->stone[i].mass : 0;
    }
    return all > 0 ? below / all : NAN;
}

/* Index of the category's sieve of this hole; -1: none. */
static int limit_at(const mrn_ballast_category *b, double hole)
{
    for (int k = 0; b != NULL && k < MRN_BALLAST_SIEVES; k++)
        if (fabs(b->sieve[k] - hole) < 1e-6)
            return k;
    return -1;
}

/* Half a percent: what is stated as whole percents in the standard. */
static bool within(const mrn_ballast_category *b, int k, double p)
{
    return p >= b->least[k] - 0.005 && p <= b->most[k] + 0.005;
}

static int print_curve(const request *r, json_t *list)
{
    const mrn_ballast_category *b =
        r->category != NULL ? mrn_ballast_category_find(r->category) : NULL;
    static const char *const head[] = {">sieve, mm", ">passes, %", ">limits, %", ""};
    int outside = 0;
    mrn_app_table t;
    mrn_app_table_begin(&t, 4, head);
    for (int k = 0; k < r->n_sieves; k++) {
        double p = passing(r, r->sieve[k]);
        int at = limit_at(b, r->sieve[k]);
        bool bad = at >= 0 && isfinite(p) && !within(b, at, p);
        char hole[24], text[24] = "–", limit[40] = "";
        snprintf(hole, sizeof hole, "%.4g", 1e3 * r->sieve[k]);
        if (isfinite(p))
            snprintf(text, sizeof text, "%.1f", 100 * p);
        if (at >= 0)
            snprintf(limit, sizeof limit, "%.0f to %.0f", 100 * b->least[at], 100 * b->most[at]);
        const char *row[] = {hole, text, limit, bad ? "outside" : ""};
        mrn_app_table_row(&t, row);
        outside += bad;
        json_array_append_new(
            list, json_pack("{s:f, s:o, s:o, s:o, s:b}", "sieve", r->sieve[k], "passing",
                            isfinite(p) ? json_real(p) : json_null(), "least",
                            at >= 0 ? json_real(b->least[at]) : json_null(), "most",
                            at >= 0 ? json_real(b->most[at]) : json_null(), "outside", (int)bad));
    }
    mrn_app_table_print(&t, r->json ? NULL : stdout);
    return outside;
}

static void print_shape(const request *r, json_t *root)
{
    static const char *const names[] = {"elongation", "flatness", "sphericity", "angularity"};
    static const char *const head[] = {"shape", ">mean", ">deviation", ">least", ">most"};
    mrn_app_table t;
    mrn_app_table_begin(&t, 5, head);
    for (int k = 0; k < 4; k++) {
        double sum = 0, square = 0, lo = INFINITY, hi = -INFINITY;
        int64_t n = 0;
        for (int64_t i = 0; i < r->n; i++) {
            double v = r->stone[i].shape[k];
            if (!isfinite(v))
                continue;
            sum += v, square += v * v, n++;
            lo = fmin(lo, v), hi = fmax(hi, v);
        }
        if (n == 0)
            continue;
        double mean = sum / (double)n;
        double sd = n > 1 ? sqrt(fmax(0, square - (double)n * mean * mean) / (double)(n - 1)) : 0;
        char text[4][24];
        snprintf(text[0], sizeof text[0], "%.3f", mean);
        snprintf(text[1], sizeof text[1], "%.3f", sd);
        snprintf(text[2], sizeof text[2], "%.3f", lo);
        snprintf(text[3], sizeof text[3], "%.3f", hi);
        const char *row[] = {names[k], text[0], text[1], text[2], text[3]};
        mrn_app_table_row(&t, row);
        json_object_set_new(root, names[k],
                            json_pack("{s:f, s:f, s:f, s:f}", "mean", mean, "deviation", sd,
                                      "least", lo, "most", hi));
    }
    bool any = t.rows > 1;
    if (any && !r->json)
        putchar('\n');
    mrn_app_table_print(&t, r->json || !any ? NULL : stdout);
}

static int show(request *r)
{
    json_t *root = json_object(), *curve = json_array();
    int outside = 0;
    if (!r->json && r->n > 0) {
        double mass = 0;
        for (int64_t i = 0; i < r->n; i++)
            mass += r->stone[i].mass;
        if (r->meshes)
            printf("%lld stone%s, by their convex hulls\n", (long long)r->n, r->n == 1 ? "" : "s");
        else
            printf("%lld grains, %.4g kg\n\n", (long long)r->n, mass);
    }
    if (!r->meshes) {
        if (r->n_sieves == 0)
            default_sieves(r);
        outside = print_curve(r, curve);
    }
    json_object_set_new(root, "grains", json_integer((json_int_t)r->n));
    json_object_set_new(root, "curve", curve);
    if (r->n > 0)
        print_shape(r, root);
    if (r->category != NULL && r->n > 0) {
        json_object_set_new(root, "category", json_string(r->category));
        json_object_set_new(root, "within", json_boolean(outside == 0));
        if (!r->json)
            printf("\n%s category %s of EN 13450 (limits as recalled)\n",
                   outside == 0 ? "within" : "outside of", r->category);
    }
    int code = outside > 0 ? MRN_EXIT_FAILED : MRN_EXIT_OK;
    if (r->json) {
        int failed = mrn_app_json(root);
        return failed > code ? failed : code;
    }
    json_decref(root);
    return code;
}

int mrn_cmd_sieve(int argc, char **argv)
{
    request *r = mrn_alloc(sizeof *r);
    mrn_message msg = {0};
    mrn_status s = MRN_OK;
    if (r == NULL)
        return MRN_EXIT_FAILED;
    *r = (request){0};
    int code = parse(argc, argv, r);
    if (code < 0)
        code = read_sieves(r);
    if (code < 0) {
        r->meshes = r->n_files > 0 && is_mesh(r->file[0]);
        if (r->meshes)
            s = read_meshes(r, &msg);
        else if (r->n_files > 0)
            s = read_scene(r, &msg);
        code = s == MRN_OK ? show(r) : mrn_session_fail(&msg, r->json);
    }
    mrn_free(r->stone);
    mrn_free(r);
    return code;
}
