/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies that are near in space are near in memory, and in the sweeps of solvers: a Morton curve
   through cells a few grains wide. */
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

/* Cells are counted from the middle of the range: places may be negative. */
static uint64_t morton(mrn_vec3 x, double inv)
{
    const double at[3] = {x.x, x.y, x.z};
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        double f = at[k] * inv + 1048576;
        uint64_t c = f > 0 ? f < 2097151 ? (uint64_t)f : 2097151 : 0;
        key |= spread(c) << k;
    }
    return key;
}

/* Where body i is, along the edges of the cell and put back into it. */
static mrn_vec3 place_of(const mrn_images *im, const mrn_state *s, int32_t i)
{
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)mrn_body_leader(s, i));
    x = mrn_sub(x, mrn_load3(s->cell_origin));
    if (im->inv[0] == 0 && im->inv[1] == 0 && im->inv[2] == 0)
        return x;
    mrn_vec3 f = mrn_images_fraction(im, x);
    return mrn_v3(im->inv[0] != 0 ? im->size[0] * (f.x - floor(f.x)) : f.x,
                  im->inv[1] != 0 ? im->size[1] * (f.y - floor(f.y)) : f.y,
                  im->inv[2] != 0 ? im->size[2] * (f.z - floor(f.z)) : f.z);
}

void mrn_ranking_release(mrn_ranking *r)
{
    mrn_free(r->item);
    mrn_free(r->item2);
    mrn_free(r->key);
    mrn_free(r->key2);
    *r = (mrn_ranking){0};
}

size_t mrn_ranking_bytes(const mrn_ranking *r)
{
    return (size_t)(r->room[0] + r->room[1]) * sizeof *r->item +
           (size_t)(r->room[2] + r->room[3]) * sizeof *r->key;
}

/* The sort keeps the order of equal keys: by numbers, as they are put in. */
mrn_status mrn_rank_bodies(const mrn_scene *scene, const mrn_state *s, double cell, mrn_ranking *r,
                           mrn_message *msg)
{
    const mrn_bodies *b = &s->body;
    const mrn_images im = mrn_images_of(scene, s);
    int64_t n = b->n - b->n_walls;
    if (mrn_grow(&r->item, &r->room[0], n, sizeof *r->item) != MRN_OK ||
        mrn_grow(&r->item2, &r->room[1], n, sizeof *r->item2) != MRN_OK ||
        mrn_grow(&r->key, &r->room[2], n, sizeof *r->key) != MRN_OK ||
        mrn_grow(&r->key2, &r->room[3], n, sizeof *r->key2) != MRN_OK)
        return mrn_fail_memory(msg);
    r->n = 0;
    for (int32_t id = 0; id < b->n_ids; id++)
        if (b->index_of[id] >= b->n_walls)
            r->item[r->n++] = b->index_of[id];
#pragma omp parallel for schedule(static) if (n > 4096)
    for (int32_t k = 0; k < r->n; k++)
        r->key[k] = morton(place_of(&im, s, r->item[k]), cell > 0 ? 1 / cell : 0);
    mrn_sort_keys_in(r->key, r->item, r->n, r->key2, r->item2);
    return MRN_OK;
}

mrn_status mrn_order_bodies(const mrn_scene *scene, mrn_state *s, double cell, int32_t **to,
                            mrn_message *msg)
{
    int32_t n = s->body.n, walls = s->body.n_walls, *perm = NULL;
    mrn_ranking r = {0};
    *to = NULL;
    mrn_status st = mrn_rank_bodies(scene, s, cell, &r, msg);
    if (st == MRN_OK)
        st = mrn_array(&perm, n, sizeof *perm, msg);
    if (st == MRN_OK)
        st = mrn_array(to, n, sizeof **to, msg);
    for (int32_t k = 0; st == MRN_OK && k < n; k++)
        perm[k] = k < walls ? k : r.item[k - walls];
    if (st == MRN_OK)
        st = mrn_bodies_permute(s, perm, msg);
    for (int32_t k = 0; st == MRN_OK && k < n; k++)
        (*to)[perm[k]] = k;
    mrn_ranking_release(&r);
    mrn_free(perm);
    if (st != MRN_OK) {
        mrn_free(*to);
        *to = NULL;
    }
    return st;
}
