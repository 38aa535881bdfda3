/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms by name: regular polygons and solids, boxes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geom/geom.h"
#include "moraine/polytope.h"

static mrn_status from_points(const char *name, int dimension, int n, const double *point,
                              mrn_polytope *out, mrn_message *msg)
{
    mrn_corners c = {n, point};
    return mrn_polytope_make(name, dimension, 1, &c, out, NULL, NULL, NULL, msg);
}

/* Above this many sides a disk or cylinder is meant. */
#define SIDES_MAX 1000

static mrn_status check_sides(int n, const char *what, mrn_message *msg)
{
    if (n >= 3 && n <= SIDES_MAX)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "a %s with %d sides", what, n);
    mrn_fail_expected(msg, "3 sides or more, at most %d", SIDES_MAX);
    return MRN_ERR_INPUT;
}

/* Corners of a regular polygon with sides of length 1 at height z. */
static void ring(int n, double z, double *point)
{
    double r = 0.5 / sin(MRN_PI / n);
    for (int k = 0; k < n; k++) {
        double a = 2 * MRN_PI * (k + 0.5) / n - 0.5 * MRN_PI;
        mrn_store3(point + 3 * (size_t)k, mrn_v3(r * cos(a), r * sin(a), z));
    }
}

/* It stands on a side. */
mrn_status mrn_polytope_polygon(int n, mrn_polytope *out, mrn_message *msg)
{
    *out = (mrn_polytope){0};
    double *point = NULL;
    char name[MRN_NAME];
    snprintf(name, sizeof name, "polygon-%d", n);
    mrn_status st = check_sides(n, "polygon", msg);
    if (st == MRN_OK)
        st = mrn_array(&point, 3 * (int64_t)n, sizeof *point, msg);
    if (st == MRN_OK) {
        ring(n, 0, point);
        st = from_points(name, 2, n, point, out, msg);
    }
    mrn_free(point);
    return st;
}

mrn_status mrn_polytope_box(int dimension, double a, double b, double c, mrn_polytope *out,
                            mrn_message *msg)
{
    *out = (mrn_polytope){0};
    if (dimension == 2)
        c = 1;
    if (!(a > 0 && b > 0 && c > 0) || !isfinite(a) || !isfinite(b) || !isfinite(c)) {
        mrn_fail(msg, MRN_ERR_INPUT, "a box of %g x %g x %g", a, b, c);
        mrn_fail_expected(msg, "lengths above 0");
        return MRN_ERR_INPUT;
    }
    double point[24];
    int n = dimension == 2 ? 4 : 8;
    for (int k = 0; k < n; k++)
        mrn_store3(point + 3 * k, mrn_v3(k & 1 ? 0.5 * a : -0.5 * a, k & 2 ? 0.5 * b : -0.5 * b,
                                         dimension == 2 ? 0
                                         : k & 4        ? 0.5 * c
                                                        : -0.5 * c));
    return from_points("box", dimension, n, point, out, msg);
}

/* ---- regular solids ---- */

#define G 1.61803398874989484820 /* the golden section, (1 + sqrt 5) / 2 */

/* The corners are the seeds with all signs and their coordinates in all cyclic orders. */
typedef struct solid {
    const char *name;
    int n_seeds;
    double seed[3][3];
    bool even; /* only those with an even number of minus signs */
    bool odd;  /* the orders that are not cyclic too */
} solid;

static const solid SOLIDS[] = {
    {"tetrahedron", 1, {{1, 1, 1}}, .even = true},
    {"cube", 1, {{1, 1, 1}}, .even = false},
    {"octahedron", 1, {{0, 0, 1}}, .even = false},
    {"dodecahedron", 2, {{1, 1, 1}, {0, G - 1, G}}, .even = false},
    {"icosahedron", 1, {{0, 1, G}}, .even = false},
    {"truncated-octahedron", 1, {{0, 1, 2}}, .odd = true},
    {"truncated-icosahedron",
     3,
     {{0, 1, 3 * G}, {1, 2 + G, 2 * G}, {G, 2, 2 * G + 1}},
     .even = false},
};

/* Some corners come several times, with 0 and -0 or equal coordinates: the hull takes one. */
static int list_corners(const solid *s, double *point)
{
    int n = 0;
    for (int k = 0; k < s->n_seeds; k++)
        for (int order = 0; order < (s->odd ? 6 : 3); order++)
            for (int signs = 0; signs < 8; signs++) {
                int minus = (signs & 1) + (signs >> 1 & 1) + (signs >> 2);
                if (s->even && minus % 2 != 0)
                    continue;
                for (int d = 0; d < 3; d++) {
                    int from = order < 3 ? (d + order) % 3 : (5 - d + order) % 3;
                    double v = s->seed[k][from];
                    point[3 * n + d] = signs >> d & 1 ? -v : v;
                }
                n++;
            }
    return n;
}

static mrn_status prism(const char *name, mrn_polytope *out, mrn_message *msg)
{
    char *end;
    double *point = NULL;
    long n = strtol(name + strlen("prism-"), &end, 10);
    n = *end != '\0' || end == name + strlen("prism-") ? 0
        : n > INT32_MAX                                ? INT32_MAX
        : n < -1                                       ? -1
                                                       : n;
    mrn_status st = check_sides((int)n, "prism", msg);
    if (st == MRN_OK)
        st = mrn_array(&point, 6 * (int64_t)n, sizeof *point, msg);
    if (st == MRN_OK) {
        ring((int)n, -0.5, point);
        ring((int)n, 0.5, point + 3 * n);
        st = from_points(name, 3, 2 * (int)n, point, out, msg);
    }
    mrn_free(point);
    return st;
}

static mrn_status unknown(const char *name, mrn_message *msg)
{
    const char *word[MRN_COUNT(SOLIDS)];
    char list[300] = "";
    for (int k = 0; k < MRN_COUNT(SOLIDS); k++) {
        word[k] = SOLIDS[k].name;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s, ", word[k]);
    }
    mrn_fail(msg, MRN_ERR_INPUT, "there is no regular solid '%s'", name);
    mrn_fail_expected(msg, "%sprism-N (N sides)", list);
    const char *close = mrn_closest_word(name, word, MRN_COUNT(SOLIDS));
    if (close != NULL)
        mrn_fail_hint(msg, "did you mean %s?", close);
    return MRN_ERR_INPUT;
}

mrn_status mrn_polytope_regular(const char *name, mrn_polytope *out, mrn_message *msg)
{
    *out = (mrn_polytope){0};
    for (int k = 0; k < MRN_COUNT(SOLIDS); k++)
        if (strcmp(name, SOLIDS[k].name) == 0) {
            double point[3 * 3 * 6 * 8];
            int n = list_corners(&SOLIDS[k], point);
            return from_points(name, 3, n, point, out, msg);
        }
    return strncmp(name, "prism-", strlen("prism-")) == 0 ? prism(name, out, msg)
                                                          : unknown(name, msg);
}
