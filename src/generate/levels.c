/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search grid of the generators: linked cells on several levels, one per factor two of the
   radius. Grains are put one at a time between tries at random places, so that a cell is a chain
   that a grain joins in one step, and cells are an array over the region that is filled. The grid
   of detection (detect/grid.c) is sorted in one go, hashed because grains may fly anywhere, and
   gives each pair once, by numbers. The two have no line of code in common but the walk over
   neighbouring cells, whose bounds and wrapping differ: one for both would be longer than they are.
 */
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"

static int level_of(const mrn_levels *g, double r)
{
    int k = (int)floor(log2(g->top / r));
    return k < 0 ? 0 : k >= MRN_LEVELS_MAX ? MRN_LEVELS_MAX - 1 : k;
}

/* Cells one diameter wide, or wider where that would make far more cells than grains. */
static void size_level(mrn_levels *g, mrn_level_cells *v, int64_t grains)
{
    double volume = 1, width = 2 * v->largest;
    for (int k = 0; k < g->dimension; k++)
        volume *= g->size[k];
    double most = 4.0 * (double)grains + 64;
    double least_width = pow(volume / most, 1.0 / g->dimension);
    width = fmax(width, least_width);
    for (int k = 0; k < 3; k++) {
        double n = k < g->dimension ? floor(g->size[k] / width) : 1;
        v->n[k] = (int32_t)fmin(fmax(n, 1), most);
        v->per_metre[k] = v->n[k] / g->size[k];
    }
    v->first = g->cells;
    g->cells += (int64_t)v->n[0] * v->n[1] * v->n[2];
}

static void size_levels(mrn_levels *g, int64_t n)
{
    int64_t count[MRN_LEVELS_MAX] = {0};
    for (int64_t i = 0; i < n; i++)
        g->top = fmax(g->top, g->radius[i]);
    for (int64_t i = 0; i < n; i++) {
        int k = level_of(g, g->radius[i]);
        count[k]++;
        g->level[k].largest = fmax(g->level[k].largest, g->radius[i]);
        g->levels = k + 1 > g->levels ? k + 1 : g->levels;
    }
    for (int k = 0; k < g->levels; k++)
        size_level(g, &g->level[k], count[k]);
}

mrn_status mrn_levels_create(const mrn_scene *scene, const double lo[3], const double hi[3],
                             int64_t n, const double *x, const double *radius, mrn_levels *out,
                             mrn_message *msg)
{
    *out = (mrn_levels){.dimension = scene->dimension, .x = x, .radius = radius};
    for (int k = 0; k < 3; k++) {
        bool flat = k >= scene->dimension;
        out->periodic[k] = scene->cell.periodic[k] && !flat;
        out->lo[k] = flat ? 0 : out->periodic[k] ? scene->cell.origin[k] : lo[k];
        out->size[k] = flat ? 1 : out->periodic[k] ? scene->cell.size[k] : hi[k] - lo[k];
        if (!(out->size[k] > 0))
            out->size[k] = 1;
    }
    size_levels(out, n);
    if (mrn_array(&out->head, out->cells, sizeof *out->head, msg) != MRN_OK ||
        mrn_array(&out->next, n, sizeof *out->next, msg) != MRN_OK) {
        mrn_levels_destroy(out);
        return MRN_ERR_MEMORY;
    }
    mrn_levels_clear(out);
    return MRN_OK;
}

void mrn_levels_destroy(mrn_levels *g)
{
    mrn_free(g->head);
    mrn_free(g->next);
    *g = (mrn_levels){0};
}

void mrn_levels_clear(mrn_levels *g)
{
    memset(g->head, 0xff, (size_t)g->cells * sizeof *g->head); /* -1: empty */
    for (int k = 0; k < g->levels; k++)
        g->level[k].used = 0;
}

static int64_t cell_index(const mrn_level_cells *v, int64_t i, int64_t j, int64_t k)
{
    return v->first + (k * v->n[1] + j) * v->n[0] + i;
}

/* Cell along one direction of a place inside the cell or bounds; outside: the outermost. */
static int32_t cell_along(const mrn_levels *g, const mrn_level_cells *v, int k, double x)
{
    double c = (x - g->lo[k]) * v->per_metre[k];
    return c >= v->n[k] ? v->n[k] - 1 : c > 0 ? (int32_t)c : 0;
}

static int64_t cell_of(const mrn_levels *g, const mrn_level_cells *v, const double *x)
{
    return cell_index(v, cell_along(g, v, 0, x[0]), cell_along(g, v, 1, x[1]),
                      g->dimension == 3 ? cell_along(g, v, 2, x[2]) : 0);
}

void mrn_levels_put(mrn_levels *g, int32_t i)
{
    mrn_level_cells *v = &g->level[level_of(g, g->radius[i])];
    int64_t c = cell_of(g, v, g->x + 3 * (size_t)i);
    g->next[i] = g->head[c];
    g->head[c] = i;
    v->used++;
}

/* ---- search ---- */

/* What to do with a grain found at distance^2 d2; false ends the search. */
typedef bool (*visitor)(void *user, const mrn_levels *g, int32_t j, double d2);

static inline bool visit_cell(const mrn_levels *g, int64_t c, const double *x, visitor visit,
                              void *user)
{
    for (int32_t j = g->head[c]; j >= 0; j = g->next[j]) {
        const double *y = g->x + 3 * (size_t)j;
        double dx = mrn_shortest(x[0] - y[0], g->periodic[0], g->size[0]);
        double dy = mrn_shortest(x[1] - y[1], g->periodic[1], g->size[1]);
        double dz = mrn_shortest(x[2] - y[2], g->periodic[2], g->size[2]);
        if (!visit(user, g, j, dx * dx + dy * dy + dz * dz))
            return false;
    }
    return true;
}

/* First cell and number of cells to look at in direction k; every cell at most once. */
static inline void range(const mrn_levels *g, const mrn_level_cells *v, int k, double x,
                         double reach, int32_t *from, int32_t *count)
{
    int32_t n = v->n[k];
    double lo = floor((x - reach - g->lo[k]) * v->per_metre[k]);
    double hi = floor((x + reach - g->lo[k]) * v->per_metre[k]);
    if (!g->periodic[k]) {
        lo = fmin(fmax(lo, 0), n - 1);
        hi = fmin(fmax(hi, 0), n - 1);
    } else if (hi - lo + 1 >= n) {
        lo = 0;
        hi = n - 1;
    } else {
        double turns = floor(lo / n);
        lo -= turns * n;
        hi -= turns * n;
    }
    *from = (int32_t)lo;
    *count = (int32_t)(hi - lo) + 1;
}

/* Visits all grains whose surface may be within `reach` of x. */
static inline bool walk(const mrn_levels *g, const double *x, double reach, visitor visit,
                        void *user)
{
    for (int l = 0; l < g->levels; l++) {
        const mrn_level_cells *v = &g->level[l];
        int32_t from[3] = {0, 0, 0}, count[3] = {1, 1, 1};
        if (v->used == 0)
            continue;
        for (int k = 0; k < g->dimension; k++)
            range(g, v, k, x[k], reach + v->largest, &from[k], &count[k]);
        for (int32_t c = 0; c < count[2]; c++) {
            int32_t kk = from[2] + c >= v->n[2] ? from[2] + c - v->n[2] : from[2] + c;
            for (int32_t b = 0; b < count[1]; b++) {
                int32_t jj = from[1] + b >= v->n[1] ? from[1] + b - v->n[1] : from[1] + b;
                for (int32_t a = 0; a < count[0]; a++) {
                    int32_t ii = from[0] + a >= v->n[0] ? from[0] + a - v->n[0] : from[0] + a;
                    if (!visit_cell(g, cell_index(v, ii, jj, kk), x, visit, user))
                        return false;
                }
            }
        }
    }
    return true;
}

static bool apart(void *user, const mrn_levels *g, int32_t j, double d2)
{
    double s = *(const double *)user + g->radius[j];
    return d2 >= s * s * (1 + MRN_CLEAR);
}

bool mrn_levels_clash(const mrn_levels *g, const double *x, double r)
{
    /* the cell of x itself first: most refusals come from there */
    for (int l = 0; l < g->levels; l++)
        if (g->level[l].used > 0 && !visit_cell(g, cell_of(g, &g->level[l], x), x, apart, &r))
            return true;
    return !walk(g, x, r, apart, &r);
}

typedef struct smallest {
    double r, gap;
} smallest;

static bool keep_smallest(void *user, const mrn_levels *g, int32_t j, double d2)
{
    smallest *s = user;
    double sum = s->r + g->radius[j];
    s->gap = fmin(s->gap, sqrt(d2) / sum - 1);
    return true;
}

double mrn_levels_gap(const mrn_levels *g, const double *x, double r)
{
    smallest s = {r, INFINITY};
    walk(g, x, r, keep_smallest, &s);
    return s.gap;
}

typedef struct list {
    int32_t self, *out;
    double reach;
    int64_t n, max;
} list;

static bool collect(void *user, const mrn_levels *g, int32_t j, double d2)
{
    list *l = user;
    double s = g->radius[j] + l->reach;
    if (j != l->self && d2 < s * s) {
        if (l->n < l->max)
            l->out[l->n] = j;
        l->n++;
    }
    return true;
}

int64_t mrn_levels_near(const mrn_levels *g, int32_t i, double reach, int32_t *out, int64_t max)
{
    list l = {.self = i, .out = out, .reach = g->radius[i] + reach, .max = max};
    walk(g, g->x + 3 * (size_t)i, l.reach, collect, &l);
    return l.n;
}
