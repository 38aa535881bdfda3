/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbour list: built from the grid, kept until a body has travelled half the skin, history
   carried over by body pair and feature. The skin adapts to how often the list must be built. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/order.h"

enum { ORDER_EVERY = 16, FEW_STEPS = 20, MANY_STEPS = 200 };

static double mean_radius(const mrn_state *s)
{
    double sum = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        sum += s->body.radius[i];
    int32_t n = s->body.n - s->body.n_walls;
    return n > 0 ? sum / n : 0;
}

static double max_radius(const mrn_state *s)
{
    double r = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        r = fmax(r, s->body.radius[i]);
    return r;
}

double mrn_pairs_default_skin(const mrn_state *s)
{
    return 0.1 * mean_radius(s);
}

static double next_skin(const mrn_state *s)
{
    double base = mrn_pairs_default_skin(s);
    if (s->pair.builds == 0 || s->pair.skin == 0)
        return base;
    int64_t lasted = s->step - s->pair.built_at;
    double skin = s->pair.skin;
    skin = lasted < FEW_STEPS ? 1.5 * skin : lasted > MANY_STEPS ? 0.7 * skin : skin;
    return fmax(base, fmin(skin, 8 * base));
}

/* The nearest image is unique only while a cell is at least twice as wide as two grains can be
 * apart. */
static mrn_status fit_cell(const mrn_scene *scene, const mrn_state *s, double *skin,
                           mrn_message *msg)
{
    double r = max_radius(s);
    for (int k = 0; k < 3; k++) {
        double room = 0.5 * s->cell_size[k] - 2 * r;
        if (!scene->cell.periodic[k] || room > 1.0001 * *skin)
            continue;
        if (room > 0.02 * r) {
            *skin = 0.99 * room;
            continue;
        }
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the periodic cell is %g m long in %c, the largest grain has a diameter of %g m",
                 s->cell_size[k], "xyz"[k], 2 * r);
        mrn_fail_expected(msg, "a cell at least 2.1 diameters long in every periodic direction");
        return mrn_fail_hint(msg, "enlarge cell.size or use smaller grains");
    }
    return MRN_OK;
}

/* Told from where it is that a body has left all bounds: no number, or so many cells away that they
 * cannot be counted. */
static mrn_status fail_exploded(const mrn_state *s, int32_t i, mrn_message *msg)
{
    const double *x = s->body.x + 3 * (size_t)i;
    mrn_fail(msg, MRN_EXPLODED,
             "body %d has no finite position at step %lld (t = %g s): %g, %g, %g m",
             (int)s->body.id[i], (long long)s->step, s->time, x[0], x[1], x[2]);
    mrn_fail_hint(msg, "use a smaller time step; see the last checkpoint for the state before");
    return MRN_EXPLODED;
}

static mrn_status check_finite(const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    const mrn_images im = mrn_images_of(scene, s);
    for (int32_t i = 0; i < s->body.n; i++)
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            double x = s->body.x[at], cells = (x - s->cell_origin[k]) * im.inv[k];
            if (!isfinite(x) || !(fabs(cells + s->body.image[at]) < 2e9))
                return fail_exploded(s, i, msg);
        }
    return MRN_OK;
}

/* Positions leave the cell freely between builds; here they come back into it. */
static void wrap(const mrn_scene *scene, mrn_state *s)
{
    for (int k = 0; k < 3; k++) {
        if (!scene->cell.periodic[k])
            continue;
        double lo = s->cell_origin[k], size = s->cell_size[k];
        for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            double turns = floor((s->body.x[at] - lo) / size);
            s->body.x[at] -= turns * size;
            s->body.image[at] += (int32_t)turns;
        }
    }
}

static void release(mrn_pairs *p)
{
    mrn_free(p->row);
    mrn_free(p->wall_row);
    mrn_free(p->back_row);
    mrn_free(p->back);
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc) mrn_free(p->name);
#include "moraine/fields.def"
    mrn_free(p->history);
    mrn_free(p->feature);
    mrn_free(p->point);
    memset(p, 0, sizeof *p);
}

static mrn_status take_rows(mrn_pairs *p, int32_t n, mrn_message *msg)
{
    p->rows = n;
    mrn_status st = mrn_array(&p->row, (int64_t)n + 1, sizeof *p->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->wall_row, (int64_t)n + 1, sizeof *p->wall_row, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->back_row, (int64_t)n + 1, sizeof *p->back_row, msg);
    return st;
}

static mrn_status take_pairs(mrn_pairs *p, int history, mrn_message *msg)
{
    p->capacity = p->n;
    mrn_status st = mrn_array(&p->back, p->n_grain, sizeof *p->back, msg);
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc)                                        \
    if (st == MRN_OK)                                                                              \
        st = mrn_array(&p->name, (width)*p->n, sizeof *p->name, msg);
#include "moraine/fields.def"
    if (st == MRN_OK)
        st = mrn_array(&p->history, p->n * history, sizeof *p->history, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->feature, p->n - p->n_grain, sizeof *p->feature, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->point, 3 * (p->n - p->n_grain), sizeof *p->point, msg);
    return st;
}

/* Features of all walls near grain i: counts them, and writes them when the list has room. */
static int32_t wall_pairs(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                          const double *x, int32_t i, double reach, mrn_pairs *p, int32_t at)
{
    int32_t total = 0;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        if (s->body.flags[w] & MRN_BODY_ABSENT)
            continue;
        const mrn_shape *shape = &scene->shape[s->body.shape[w]];
        mrn_vec3 c = mrn_wall_local(scene, s, im, w, x + 3 * (size_t)i);
        double r = s->body.radius[i] + reach;
        int32_t *to = p != NULL ? p->feature + (at - p->n_grain) + total : NULL;
        int room = p != NULL ? (int)(p->wall_row[i + 1] - at - total) : 0;
        int n = shape->type->features(shape, c, r, to, room);
        for (int k = 0; p != NULL && k < n; k++)
            p->other[at + total + k] = w;
        total += n;
    }
    return total;
}

static mrn_status sum_rows(int32_t *row, int32_t n, int64_t start, int64_t *end, mrn_message *msg)
{
    int64_t at = start;
    for (int32_t i = 0; i < n; i++) {
        int32_t count = row[i];
        row[i] = (int32_t)at;
        at += count;
        if (at > INT32_MAX)
            return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
    }
    row[n] = (int32_t)at;
    *end = at;
    return MRN_OK;
}

/* For each grain, the pairs in which it is the antagonist. */
static void list_back(mrn_pairs *p)
{
    for (int64_t k = 0; k < p->n_grain; k++)
        p->back_row[p->other[k] + 1]++;
    for (int32_t i = 0; i < p->rows; i++)
        p->back_row[i + 1] += p->back_row[i];
    for (int64_t k = 0; k < p->n_grain; k++)
        p->back[p->back_row[p->other[k]]++] = (int32_t)k;
    for (int32_t i = p->rows; i > 0; i--)
        p->back_row[i] = p->back_row[i - 1];
    p->back_row[0] = 0;
}

/* Partners in ascending order: sums over a row must not depend on how the grid was cut, which a
   resumed run in a straining cell cuts otherwise. Rows are short. */
static void sort_row(int32_t *other, int32_t n)
{
    for (int32_t k = 1; k < n; k++) {
        int32_t j = other[k], at = k;
        for (; at > 0 && other[at - 1] > j; at--)
            other[at] = other[at - 1];
        other[at] = j;
    }
}

static mrn_status find_pairs(const mrn_scene *scene, const mrn_state *s, const double *x,
                             const mrn_grid *g, double skin, mrn_pairs *p, mrn_message *msg)
{
    int32_t n = s->body.n, first = s->body.n_walls;
    mrn_images im = mrn_images_of(scene, s);
    /* walls move too, and a resumed run lists them where they stand then: half a skin more */
    double reach = 1.5 * skin;
    mrn_status st = take_rows(p, n, msg);
    if (st != MRN_OK)
        return st;
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = first; i < n; i++) {
        p->row[i] = mrn_grid_partners(g, i, NULL, 0);
        p->wall_row[i] = wall_pairs(scene, s, &im, x, i, reach, NULL, 0);
    }
    st = sum_rows(p->row, n, 0, &p->n_grain, msg);
    if (st == MRN_OK)
        st = sum_rows(p->wall_row, n, p->n_grain, &p->n, msg);
    if (st == MRN_OK)
        st = take_pairs(p, scene->history, msg);
    if (st != MRN_OK)
        return st;
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = first; i < n; i++) {
        mrn_grid_partners(g, i, p->other + p->row[i], p->row[i + 1] - p->row[i]);
        sort_row(p->other + p->row[i], p->row[i + 1] - p->row[i]);
        wall_pairs(scene, s, &im, x, i, reach, p, p->wall_row[i]);
    }
    list_back(p);
    return MRN_OK;
}

/* The pair of c and a in the list: its index, *swapped when a owns it, or -1. */
static int64_t find_pair(const mrn_pairs *p, int32_t c, int32_t a, int32_t feature, int32_t n_walls,
                         bool *swapped)
{
    *swapped = false;
    if (a < n_walls) {
        for (int32_t k = p->wall_row[c]; k < p->wall_row[c + 1]; k++)
            if (p->other[k] == a && p->feature[k - p->n_grain] == feature)
                return k;
        return -1;
    }
    for (int32_t k = p->row[c]; k < p->row[c + 1]; k++)
        if (p->other[k] == a)
            return k;
    *swapped = true;
    for (int32_t k = p->row[a]; k < p->row[a + 1]; k++)
        if (p->other[k] == c)
            return k;
    return -1;
}

static void put_history(const mrn_scene *scene, const mrn_state *s, mrn_pairs *p, int64_t k,
                        int32_t c, int32_t a, bool swapped, const double *history)
{
    bool odd[MRN_HISTORY_MAX] = {false};
    int width = scene->history;
    if (swapped) {
        int ia = scene->pair_of[s->body.material[c] * scene->n_materials + s->body.material[a]];
        if (ia >= 0)
            mrn_law_model_odd(scene->interaction[ia].model, odd);
    }
    for (int h = 0; h < width; h++)
        p->history[k * width + h] = swapped && odd[h] ? -history[h] : history[h];
    p->touch[k] = 1;
}

/* History, forces and contact points of the old list's pairs go to the same pairs of the new one.
 */
static void carry(const mrn_scene *scene, const mrn_state *s, const mrn_pairs *old, mrn_pairs *p,
                  const int32_t *to)
{
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < old->rows; i++) {
        int32_t range[2][2] = {{old->row[i], old->row[i + 1]},
                               {old->wall_row[i], old->wall_row[i + 1]}};
        for (int part = 0; part < 2; part++)
            for (int32_t k = range[part][0]; k < range[part][1]; k++) {
                if (!old->touch[k])
                    continue;
                int32_t c = to != NULL ? to[i] : i, a = old->other[k];
                a = to != NULL ? to[a] : a;
                bool swapped;
                int32_t feature = part == 1 ? old->feature[k - old->n_grain] : 0;
                int64_t at = find_pair(p, c, a, feature, s->body.n_walls, &swapped);
                if (at < 0)
                    continue;
                put_history(scene, s, p, at, c, a, swapped,
                            old->history + (int64_t)k * scene->history);
                double sign = swapped ? -1 : 1;
                for (int d = 0; d < 3; d++) {
                    p->force[3 * at + d] = sign * old->force[3 * (int64_t)k + d];
                    p->lever[3 * at + d] = old->lever[3 * (int64_t)k + d];
                    if (part == 1)
                        p->point[3 * (at - p->n_grain) + d] =
                            old->point[3 * (int64_t)(k - old->n_grain) + d];
                }
            }
    }
}

static mrn_status build(const mrn_scene *scene, mrn_state *s, const double *x, double skin,
                        const int32_t *to, mrn_message *msg)
{
    mrn_pairs fresh = {0};
    mrn_grid *g = NULL;
    mrn_status st = mrn_grid_build(scene, s, x, skin, &g, msg);
    if (st == MRN_OK)
        st = find_pairs(scene, s, x, g, skin, &fresh, msg);
    mrn_grid_destroy(&g);
    if (st != MRN_OK) {
        release(&fresh);
        return st;
    }
    mrn_pairs *old = &s->pair;
    /* fewer bodies than the list knows: some were removed and others took their places; which, it
     * cannot tell */
    if (old->row != NULL && old->rows <= s->body.n)
        carry(scene, s, old, &fresh, to);
    fresh.skin = skin;
    fresh.builds = old->builds;
    fresh.built_at = old->built_at;
    fresh.wall_travel = old->wall_travel;
    release(old);
    *old = fresh;
    return MRN_OK;
}

mrn_status mrn_pairs_build(const mrn_scene *scene, mrn_state *s, bool from_saved, mrn_message *msg)
{
    mrn_status st = check_finite(scene, s, msg);
    double skin = from_saved ? s->pair.skin : next_skin(s);
    if (st == MRN_OK)
        st = fit_cell(scene, s, &skin, msg);
    if (st != MRN_OK)
        return st;
    if (from_saved)
        return build(scene, s, s->body.x_list, skin, NULL, msg);
    wrap(scene, s);
    int32_t *to = NULL;
    if (s->pair.builds % ORDER_EVERY == 0 && s->body.n > s->body.n_walls)
        st = mrn_order_bodies(s, 4 * mean_radius(s), &to, msg);
    if (st == MRN_OK)
        st = build(scene, s, s->body.x, skin, to, msg);
    if (st == MRN_OK) {
        if (s->body.n > 0)
            memcpy(s->body.x_list, s->body.x, 3 * (size_t)s->body.n * sizeof(double));
        s->pair.builds++;
        s->pair.built_at = s->step;
        s->pair.wall_travel = 0;
    } else if (to != NULL && mrn_bodies_permute(s, to, NULL) != MRN_OK) {
        release(&s->pair); /* bodies moved in memory and cannot go back: the old list is no use */
    }
    mrn_free(to);
    return st;
}

double mrn_pairs_cell_travel(const mrn_scene *scene, const mrn_state *s, int64_t steps)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        if (scene->cell.periodic[k])
            most += fabs(scene->cell.rate[k]) * s->cell_size[k];
    return 1.01 * (double)steps * s->h * most;
}

bool mrn_pairs_stale(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    if (p->row == NULL || p->rows != s->body.n || 2 * p->wall_travel >= p->skin)
        return true;
    double way = 0.5 * (p->skin - mrn_pairs_cell_travel(scene, s, s->step - p->built_at));
    double limit = way > 0 ? way * way : 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        const double *x = s->body.x + 3 * (size_t)i, *o = s->body.x_list + 3 * (size_t)i;
        double dx = x[0] - o[0], dy = x[1] - o[1], dz = x[2] - o[2];
        if (!(dx * dx + dy * dy + dz * dz < limit))
            return true;
    }
    return false;
}

/* Contact points of wall pairs in touch: as the last step saw them. */
static void restore_points(const mrn_scene *scene, mrn_state *s)
{
    mrn_pairs *p = &s->pair;
    mrn_images im = mrn_images_of(scene, s);
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
            if (!p->touch[k])
                continue;
            mrn_wall_contact c;
            if (mrn_wall_group(scene, s, &im, i, k, k + 1, &c) > 0)
                mrn_store3(p->point + 3 * (k - p->n_grain), c.point);
        }
}

mrn_status mrn_pairs_restore(const mrn_scene *scene, mrn_state *s, int64_t n, int width,
                             const int32_t *c, const int32_t *a, const int32_t *feature,
                             const double *history, mrn_message *msg)
{
    if (s->pair.row == NULL)
        return mrn_fail(msg, MRN_ERR_RANGE, "the neighbour list has not been built");
    if (width != scene->history)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "saved contacts hold %d numbers of history, the scene's laws %d", width,
                        scene->history);
    for (int64_t k = 0; k < n; k++) {
        bool swapped, ok = c[k] >= 0 && c[k] < s->body.n_ids && a[k] >= 0 && a[k] < s->body.n_ids;
        int32_t ic = ok ? s->body.index_of[c[k]] : -1, ia = ok ? s->body.index_of[a[k]] : -1;
        int64_t at = ic >= s->body.n_walls && ia >= 0
                         ? find_pair(&s->pair, ic, ia, feature[k], s->body.n_walls, &swapped)
                         : -1;
        if (at < 0)
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "saved contact of bodies %d and %d is not in the neighbour list",
                            (int)c[k], (int)a[k]);
        put_history(scene, s, &s->pair, at, ic, ia, swapped, history + k * width);
    }
    restore_points(scene, s);
    return MRN_OK;
}
