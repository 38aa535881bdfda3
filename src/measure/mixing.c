/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well two kinds of grains are mixed: variance of the local share on a grid.

   With n_i grains in cell i of K occupied cells, N in all, share p of the first kind and q = 1 - p:
   S^2 = sum n_i (p_i - p)^2 / N, S0^2 = p q when the kinds are apart, and Sr^2 = p q (K-1)/(N-1)
   when N grains are dealt to the cells at random (the hypergeometric variance, exact for any n_i).
   Lacey, J. Appl. Chem. 4, 257 (1954); Danckwerts, Appl. Sci. Res. A 3, 279 (1952). */
#include <string.h>

#include "base/base.h"
#include "measure/measure.h"

#define PER_CELL 20 /* grains in a cell on average */

typedef struct sorting {
    const mrn_scene *scene;
    const mrn_state *s;
    int a, b;
    double middle; /* a = b: radius between small and large; 0: all are alike */
    int n[3];
    double lo[3], size[3];
    mrn_images images;
    int32_t *count; /* two per cell */
} sorting;

/* ---- kinds ---- */

static bool in_group(const sorting *m, int32_t i)
{
    return mrn_is_grain(m->s, i) && (m->a < 0 || m->s->body.group[i] == m->a);
}

/* 0, 1, or -1: neither. */
static int kind_of(const sorting *m, int32_t i)
{
    if (m->a == m->b) /* 0: small */
        return !in_group(m, i) || m->middle <= 0 ? -1 : m->s->body.radius[i] > m->middle;
    if (!mrn_is_grain(m->s, i))
        return -1;
    int group = m->s->body.group[i];
    return group == m->a ? 0 : group == m->b ? 1 : -1;
}

/* The radius between the smaller and the larger half: positive doubles sort as their bits do. */
static mrn_status find_middle(sorting *m, mrn_message *msg)
{
    uint64_t *key = NULL;
    int32_t *item = NULL;
    int64_t n = 0;
    mrn_status st = mrn_array(&key, m->s->body.n, sizeof *key, msg);
    if (st == MRN_OK)
        st = mrn_array(&item, m->s->body.n, sizeof *item, msg);
    for (int32_t i = m->s->body.n_walls; st == MRN_OK && i < m->s->body.n; i++)
        if (in_group(m, i))
            memcpy(&key[n++], &m->s->body.radius[i], sizeof *key);
    if (st == MRN_OK)
        st = mrn_sort_keys(key, item, n, msg);
    /* where radii change next to the middle: equal grains stay on one side */
    double best = INFINITY;
    for (int64_t k = 1; st == MRN_OK && k < n; k++)
        if (key[k] != key[k - 1] && fabs((double)k - 0.5 * (double)n) < best) {
            double low, high;
            memcpy(&low, &key[k - 1], sizeof low);
            memcpy(&high, &key[k], sizeof high);
            m->middle = 0.5 * (low + high);
            best = fabs((double)k - 0.5 * (double)n);
        }
    mrn_free(key);
    mrn_free(item);
    return st;
}

/* ---- grid ---- */

static void bounds(sorting *m)
{
    for (int k = 0; k < m->scene->dimension; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t i = m->s->body.n_walls; i < m->s->body.n; i++)
            if (kind_of(m, i) >= 0) {
                double x = m->s->body.x[3 * (size_t)i + k];
                lo = fmin(lo, x - mrn_reach_axis(m->scene, m->s, i, k, -1));
                hi = fmax(hi, x + mrn_reach_axis(m->scene, m->s, i, k, 1));
            }
        bool periodic = m->scene->cell.periodic[k];
        m->lo[k] = periodic ? m->s->cell_origin[k] : lo;
        m->size[k] = periodic ? m->s->cell_size[k] : hi - lo;
    }
}

static int64_t choose_cells(sorting *m, int64_t grains)
{
    int d = m->scene->dimension;
    double volume = 1, cells = 1;
    for (int k = 0; k < d; k++)
        volume *= m->size[k];
    double edge = pow(volume * PER_CELL / (double)grains, 1.0 / d);
    for (int k = 0; k < 3; k++) {
        m->n[k] = k < d && edge > 0 ? (int)fmax(rint(fmin(m->size[k] / edge, 1e4)), 1) : 1;
        cells *= m->n[k];
    }
    return cells <= 1e8 ? (int64_t)cells : 0;
}

static int64_t cell_of(const sorting *m, int32_t i)
{
    mrn_vec3 x = mrn_sub(mrn_load3(m->s->body.x + 3 * (size_t)i), mrn_load3(m->lo));
    mrn_vec3 part = mrn_images_fraction(&m->images, x);
    double f[3] = {part.x, part.y, part.z};
    int64_t at = 0;
    for (int k = m->scene->dimension - 1; k >= 0; k--) {
        f[k] = m->scene->cell.periodic[k] ? f[k] - floor(f[k]) : f[k] / m->size[k];
        int c = (int)(f[k] * m->n[k]);
        c = c < 0 ? 0 : c >= m->n[k] ? m->n[k] - 1 : c;
        at = at * m->n[k] + c;
    }
    return at;
}

static void indices(const sorting *m, int64_t cells, mrn_mixing *out)
{
    double n = (double)(out->count[0] + out->count[1]), p = (double)out->count[0] / n, sum = 0;
    int64_t occupied = 0;
    for (int64_t c = 0; c < cells; c++) {
        double here = m->count[2 * c] + m->count[2 * c + 1];
        if (here == 0)
            continue;
        double share = m->count[2 * c] / here;
        sum += here * (share - p) * (share - p);
        occupied++;
    }
    double apart = p * (1 - p), random = apart * (double)(occupied - 1) / (n - 1);
    out->intensity = sum / n / apart;
    out->lacey = occupied > 1 ? (apart - sum / n) / (apart - random) : NAN;
}

/* ---- all ---- */

static void count_kinds(const sorting *m, mrn_mixing *out)
{
    mrn_sum sum[2] = {{0}};
    mrn_vec3 up = mrn_up(m->scene, m->s);
    for (int32_t i = m->s->body.n_walls; i < m->s->body.n; i++) {
        int kind = kind_of(m, i);
        if (kind < 0)
            continue;
        out->count[kind]++;
        mrn_sum_add(&sum[kind], mrn_dot(up, mrn_load3(m->s->body.x + 3 * (size_t)i)));
    }
    double height[2] = {mrn_sum_value(&sum[0]), mrn_sum_value(&sum[1])};
    out->separation = height[0] / (double)out->count[0] - height[1] / (double)out->count[1]; /* NAN:
                                                                                                0/0
                                                                                              */
}

mrn_status mrn_mixing_of(const mrn_scene *scene, const mrn_state *s, int a, int b, mrn_mixing *out,
                         mrn_message *msg)
{
    sorting m = {.scene = scene, .s = s, .a = a, .b = b, .images = mrn_images_of(scene, s)};
    *out = (mrn_mixing){.lacey = NAN, .intensity = NAN, .separation = NAN};
    mrn_status st = a == b ? find_middle(&m, msg) : MRN_OK;
    if (st != MRN_OK)
        return st;
    count_kinds(&m, out);
    if (out->count[0] == 0 || out->count[1] == 0)
        return MRN_OK;
    bounds(&m);
    int64_t cells = choose_cells(&m, out->count[0] + out->count[1]);
    st = mrn_array(&m.count, 2 * cells, sizeof *m.count, msg);
    if (st != MRN_OK)
        return st;
    for (int32_t i = s->body.n_walls; cells > 0 && i < s->body.n; i++) {
        int kind = kind_of(&m, i);
        if (kind >= 0)
            m.count[2 * cell_of(&m, i) + kind]++;
    }
    if (cells > 0)
        indices(&m, cells, out);
    mrn_free(m.count);
    return MRN_OK;
}
