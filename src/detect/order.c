/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies that are near in space are put near in memory: a Morton curve through cells a few grains
 * wide. */
#include <math.h>

#include "base/base.h"
#include "detect/order.h"

/* The low 21 bits of v spread to every third bit. */
static uint64_t spread(uint64_t v)
{
    v &= 0x1fffff;
    v = (v | v << 32) & UINT64_C(0x1f00000000ffff);
    v = (v | v << 16) & UINT64_C(0x1f0000ff0000ff);
    v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
    v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (v | v << 2) & UINT64_C(0x1249249249249249);
}

static uint64_t morton(const double *x, const double *lo, double inv)
{
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        double f = (x[k] - lo[k]) * inv;
        uint64_t c = f < 2097151 ? (uint64_t)f : 2097151;
        key |= spread(c) << k;
    }
    return key;
}

static void lowest(const mrn_state *s, double lo[3])
{
    lo[0] = lo[1] = lo[2] = INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        for (int k = 0; k < 3; k++)
            lo[k] = fmin(lo[k], s->body.x[3 * (size_t)i + (size_t)k]);
}

mrn_status mrn_order_bodies(mrn_state *s, double cell, int32_t **to, mrn_message *msg)
{
    int32_t n = s->body.n, walls = s->body.n_walls;
    uint64_t *key = NULL;
    int32_t *perm = NULL;
    *to = NULL;
    mrn_status st = mrn_array(&key, n, sizeof *key, msg);
    if (st == MRN_OK)
        st = mrn_array(&perm, n, sizeof *perm, msg);
    if (st == MRN_OK)
        st = mrn_array(to, n, sizeof **to, msg);
    if (st == MRN_OK) {
        double lo[3];
        lowest(s, lo);
        for (int32_t i = 0; i < n; i++) {
            perm[i] = i;
            /* spheres of a cluster beside it: all of them are read and written together */
            const double *x = s->body.x + 3 * (size_t)mrn_body_leader(s, i);
            key[i] = i < walls ? 0 : morton(x, lo, 1 / cell);
        }
        st = mrn_sort_keys(key + walls, perm + walls, n - walls, msg);
    }
    if (st == MRN_OK)
        st = mrn_bodies_permute(s, perm, msg);
    if (st == MRN_OK)
        for (int32_t k = 0; k < n; k++)
            (*to)[perm[k]] = k;
    mrn_free(key);
    mrn_free(perm);
    if (st != MRN_OK) {
        mrn_free(*to);
        *to = NULL;
    }
    return st;
}
