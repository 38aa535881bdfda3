/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fill a region at random without overlaps: largest grains first, each where it is free (random
   sequential insertion); what finds no free place goes to the least bad one and is pushed apart
   (relax.c). */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"

/* A grain to be placed, with its place in the order of drawing. */
typedef struct sorted {
    double radius, bound; /* bound: of the ball that holds it, which is what is placed */
    int polytope;
    int64_t drawn;
} sorted;

static int larger_first(const void *pa, const void *pb)
{
    const sorted *a = pa, *b = pb;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    if (a->radius != b->radius)
        return a->radius > b->radius ? -1 : 1;
    return a->drawn < b->drawn ? -1 : a->drawn > b->drawn;
}

/* Where sizes are sieve sizes (`deviation` of a sieve curve is then the sieve size, over the
   radius, that they were drawn for), variants differ in volume at the same sieve: what each is to
   be scaled by. NULL: nothing is scaled. */
static mrn_status size_factors(const mrn_maker *m, double **out, mrn_message *msg)
{
    const mrn_group *g = m->group;
    *out = NULL;
    if (g->size.kind != MRN_SIZE_SIEVE || !(g->size.deviation > 0) || g->n_polytopes < 2)
        return MRN_OK;
    mrn_status st = mrn_array(out, g->n_polytopes, sizeof **out, msg);
    for (int k = 0; k < g->n_polytopes && st == MRN_OK; k++)
        (*out)[k] = g->size.deviation / mrn_polytope_sieve(&m->scene->polytope[g->polytope + k]);
    return st;
}

static mrn_status sort_grains(const mrn_maker *m, const double *radius, int64_t n, sorted **out,
                              mrn_message *msg)
{
    mrn_rng rng = mrn_maker_polytope_rng(m);
    double *factor;
    if (mrn_array(out, n, sizeof **out, msg) != MRN_OK || size_factors(m, &factor, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        int polytope = mrn_generate_polytope(m->group, &rng);
        double reach = mrn_generate_reach_of(m->scene, m->index, polytope);
        double r = factor != NULL ? factor[polytope - m->group->polytope] * radius[i] : radius[i];
        (*out)[i] = (sorted){r, reach * r, polytope, i};
    }
    mrn_free(factor);
    qsort(*out, (size_t)n, sizeof **out, larger_first);
    return MRN_OK;
}

/* ---- checks that need no trial ---- */

static mrn_status bad_fill(const mrn_maker *m, mrn_message *msg)
{
    const mrn_group *g = m->group;
    if (g->count < 0 || (g->count == 0 && !(g->solid_fraction > 0))) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': how many grains?", g->name);
        mrn_fail_expected(msg, "count: a positive number, or solid-fraction: between 0 and 1");
        return MRN_ERR_INPUT;
    }
    if (g->count == 0 && !(g->solid_fraction < 1)) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': solid fraction %g", g->name, g->solid_fraction);
        mrn_fail_expected(msg, "below 1; a random packing of equal %s reaches %s",
                          m->scene->dimension == 2 ? "disks" : "spheres",
                          m->scene->dimension == 2 ? "0.8" : "0.6");
        return MRN_ERR_INPUT;
    }
    if (g->count > INT32_MAX / 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': %lld grains are too many", g->name,
                        (long long)g->count);
    return MRN_OK;
}

static mrn_status impossible(const mrn_maker *m, const mrn_space *p, int64_t n, double volume,
                             const char *limit, int64_t most, double most_volume, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT,
             "bodies '%s': %lld grains (solid fraction %.3f) do not fit into the region without "
             "overlap; %s %lld (%.3f)",
             m->group->name, (long long)n, volume / p->volume, limit, (long long)most,
             most_volume / p->volume);
    double least = m->reach, d = m->scene->dimension;
    for (int k = 0; k < m->group->n_polytopes; k++)
        least = fmin(least, m->scene->polytope[m->group->polytope + k].bound);
    if (m->reach > 1)
        mrn_fail_hint(msg,
                      "these grains are placed by the %s that hold them, of which at most %.2f of "
                      "the region can be: solid fractions up to about %.2f; give them a higher "
                      "region and let them settle",
                      d == 2 ? "disks" : "balls", d == 2 ? 0.8 : 0.6,
                      (d == 2 ? 0.8 : 0.6) / pow(least, d));
    else
        mrn_fail_hint(msg, "a larger region, fewer grains or a lower solid fraction; walls and "
                           "earlier bodies inside the region take room too");
    return MRN_ERR_INPUT;
}

/* Sizes against the region: one grain must fit, and equal grains cannot be denser in a box than in
   a crystal (boxes tile space, so the bound of Kepler and Hales, of Thue in 2D, holds for each). */
static mrn_status check_room(const mrn_maker *m, const mrn_space *p, const sorted *s, int64_t n,
                             double volume, mrn_message *msg)
{
    if (n == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': solid fraction %g is less than half a grain",
                 m->group->name, m->group->solid_fraction);
        mrn_fail_hint(msg, "a larger region, smaller grains or a higher solid fraction");
        return MRN_ERR_INPUT;
    }
    if (s[0].bound > mrn_space_largest(p)) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "bodies '%s': a grain of radius %g m does not fit into the region", m->group->name,
                 s[0].radius);
        mrn_fail_expected(msg, "a radius of at most %g m",
                          mrn_space_largest(p) * s[0].radius / s[0].bound);
        mrn_fail_hint(msg, "a larger region or smaller grains; is a diameter given as a radius?");
        return MRN_ERR_INPUT;
    }
    /* grains that are not round are placed with the balls that hold them: these must fit, with less
       material */
    double densest = (m->scene->dimension == 2 ? MRN_PI / sqrt(12) : MRN_PI / sqrt(18)) /
                     pow(s[0].bound / s[0].radius, m->scene->dimension);
    bool equal =
        s[0].bound == s[n - 1].bound && s[0].radius == s[n - 1].radius && p->kind == MRN_REGION_BOX;
    if ((equal && volume > densest * p->volume * (1 + 1e-9)) || volume > p->volume * (1 + 1e-9)) {
        int64_t most = (int64_t)floor((equal ? densest : 1) * p->volume / (volume / (double)n));
        return impossible(m, p, n, volume, "not even a crystal holds more than", most,
                          volume * (double)most / (double)n, msg);
    }
    return MRN_OK;
}

/* ---- the pack ---- */

/* Can an earlier grain touch one inside the region? */
static bool near_region(const mrn_space *p, const mrn_crop *crop, int64_t i)
{
    double x[3], bound = crop->bound[i];
    mrn_store3(x, crop->grain[i].x);
    for (int k = 0; k < p->dimension; k++) {
        double d = x[k] - 0.5 * (p->lo[k] + p->hi[k]);
        if (p->scene->cell.periodic[k])
            d -= p->scene->cell.size[k] * rint(d / p->scene->cell.size[k]);
        if (!p->open[k] && fabs(d) > 0.5 * (p->hi[k] - p->lo[k]) + bound)
            return false;
    }
    return true;
}

static mrn_status create_pack(const mrn_maker *m, const mrn_space *space, const sorted *s,
                              int64_t n, mrn_pack *p, mrn_message *msg)
{
    *p = (mrn_pack){.scene = m->scene, .space = space};
    int64_t still = 0;
    for (int64_t i = 0; i < m->crop->n; i++)
        still += near_region(space, m->crop, i);
    if (still + n > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_INPUT, "more than %d grains", INT32_MAX);
    if (mrn_array(&p->x, 3 * (still + n), sizeof *p->x, msg) != MRN_OK ||
        mrn_array(&p->radius, still + n, sizeof *p->radius, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < m->crop->n; i++) {
        if (!near_region(space, m->crop, i))
            continue;
        mrn_store3(p->x + 3 * (size_t)p->n, m->crop->grain[i].x);
        p->radius[p->n++] = m->crop->bound[i];
    }
    p->n_still = p->n;
    for (int64_t i = 0; i < n; i++)
        p->radius[p->n++] = s[i].bound;
    mrn_status st =
        mrn_levels_create(m->scene, space->lo, space->hi, p->n, p->x, p->radius, &p->grid, msg);
    for (int32_t i = 0; st == MRN_OK && i < p->n_still; i++)
        mrn_levels_put(&p->grid, i);
    return st;
}

static void destroy_pack(mrn_pack *p)
{
    mrn_free(p->x);
    mrn_free(p->radius);
    mrn_levels_destroy(&p->grid);
    mrn_wall_faces_destroy(&p->scratch);
}

/* ---- insertion ---- */

/* Large fills go block by block of the region, so that the part of the grid in use stays in the
   processor's cache. Each grain has a home block, that of a random place clear of walls; sizes
   within a factor of two share a round. */
#define BLOCK_GRAINS 4096
typedef struct blocks {
    int n[3];
    double width[3];
    int32_t *home;  /* block of each moving grain                              */
    int32_t *order; /* moving grains: by octave of the radius, then by block   */
    uint8_t *out;   /* 1: no place found                                       */
    int32_t *count; /* scratch, one per block                                  */
} blocks;

static void destroy_blocks(blocks *b)
{
    mrn_free(b->home);
    mrn_free(b->order);
    mrn_free(b->out);
    mrn_free(b->count);
}

/* Block along one direction; of the periodic copies of x that in the region counts. */
static int block_along(const mrn_pack *p, const blocks *b, int k, double x)
{
    double half = 0.5 * (p->space->hi[k] - p->space->lo[k]), d = x - p->space->lo[k] - half;
    if (p->scene->cell.periodic[k])
        d -= p->scene->cell.size[k] * rint(d / p->scene->cell.size[k]);
    int i = (int)((d + half) / b->width[k]);
    return i < 0 ? 0 : i >= b->n[k] ? b->n[k] - 1 : i;
}

static int32_t block_of(const mrn_pack *p, const blocks *b, mrn_vec3 x)
{
    int k = p->space->dimension == 3 ? block_along(p, b, 2, x.z) : 0;
    return (k * b->n[1] + block_along(p, b, 1, x.y)) * b->n[0] + block_along(p, b, 0, x.x);
}

static mrn_status create_blocks(const mrn_pack *p, blocks *b, mrn_message *msg)
{
    int64_t n = p->n - p->n_still, all = 1;
    int dimension = p->space->dimension;
    int side = (int)ceil(pow((double)n / BLOCK_GRAINS, 1.0 / dimension));
    for (int k = 0; k < 3; k++) {
        b->n[k] = k < dimension && side > 1 ? side : 1;
        b->width[k] = (p->space->hi[k] - p->space->lo[k]) / b->n[k];
        all *= b->n[k];
    }
    if (mrn_array(&b->home, n, sizeof *b->home, msg) != MRN_OK ||
        mrn_array(&b->order, n, sizeof *b->order, msg) != MRN_OK ||
        mrn_array(&b->out, n, sizeof *b->out, msg) != MRN_OK ||
        mrn_array(&b->count, all + 1, sizeof *b->count, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    return MRN_OK;
}

/* Every so many grains: somebody may look, or want an end of it. */
static mrn_status tell(const char *what, int64_t k, int64_t n, mrn_message *msg)
{
    return k % 256 == 0 ? mrn_long_work_tell(what, (double)k / (double)n, msg) : MRN_OK;
}

static mrn_status find_homes(mrn_pack *p, blocks *b, mrn_rng *rng, mrn_message *msg)
{
    for (int32_t i = p->n_still; i < p->n; i++) {
        mrn_status told = tell("looking for places of grains", i - p->n_still, p->n, msg);
        if (told != MRN_OK)
            return told;
        mrn_vec3 x = {0, 0, 0};
        bool clear = false;
        for (int t = 0; t < 64 && !clear; t++) {
            x = mrn_space_draw(p->space, p->radius[i], rng);
            clear = true;
            mrn_status st = MRN_OK;
            if (p->scene->n_walls > 0)
                st = mrn_walls_clear(p->scene, x, p->radius[i], &p->scratch, &clear, msg);
            if (st != MRN_OK)
                return st;
        }
        b->home[i - p->n_still] = block_of(p, b, x);
    }
    return MRN_OK;
}

/* Sorts the grains begin … end - 1 (moving ones, from 0) by block; their order within a block
 * stays. */
static void sort_round(blocks *b, int32_t begin, int32_t end)
{
    int32_t all = b->n[0] * b->n[1] * b->n[2], *at = b->count;
    for (int32_t k = 0; k <= all; k++)
        at[k] = 0;
    for (int32_t i = begin; i < end; i++)
        at[b->home[i] + 1]++;
    for (int32_t k = 0; k < all; k++)
        at[k + 1] += at[k];
    for (int32_t i = begin; i < end; i++)
        b->order[begin + at[b->home[i]]++] = i;
}

static void order_blocks(const mrn_pack *p, blocks *b)
{
    const double *r = p->radius + p->n_still;
    int32_t n = p->n - p->n_still;
    for (int32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && r[end] > 0.5 * r[begin]; end++)
            ;
        sort_round(b, begin, end);
    }
}

/* A random place in the home block of grain i; anywhere when the region has but a small part in it.
 */
static mrn_vec3 draw_home(const mrn_pack *p, const blocks *b, int32_t i, mrn_rng *rng)
{
    int32_t home = b->home[i - p->n_still];
    if (b->n[0] == 1)
        return mrn_space_draw(p->space, p->radius[i], rng);
    const double *lo = p->space->lo;
    int at[3] = {home % b->n[0], home / b->n[0] % b->n[1], home / b->n[0] / b->n[1]};
    for (int t = 0; t < 64; t++) {
        double x[3] = {0, 0, 0};
        for (int k = 0; k < p->space->dimension; k++)
            x[k] = lo[k] + b->width[k] * (at[k] + mrn_rng_uniform(rng));
        mrn_vec3 c = mrn_cell_wrap(&p->scene->cell, mrn_load3(x));
        if (mrn_space_margin(p->space, c, p->radius[i]) >= MRN_CLEAR * p->radius[i])
            return c;
    }
    return mrn_space_draw(p->space, p->radius[i], rng);
}

/* One try to put grain i at a free place. */
static mrn_status try_place(mrn_pack *p, const blocks *b, int32_t i, mrn_rng *rng, bool *placed,
                            mrn_message *msg)
{
    double *x = p->x + 3 * (size_t)i;
    mrn_vec3 c = draw_home(p, b, i, rng);
    mrn_store3(x, c);
    *placed = !mrn_levels_clash(&p->grid, x, p->radius[i]);
    if (!*placed || p->scene->n_walls == 0)
        return MRN_OK;
    return mrn_walls_clear(p->scene, c, p->radius[i], &p->scratch, placed, msg);
}

/* Inserts where there is a free place, until it gets slow. *left: grains without a place. */
static mrn_status insert(mrn_pack *p, blocks *b, mrn_rng *rng, int32_t *left, mrn_message *msg)
{
    int32_t n = p->n - p->n_still;
    bool small = n <= BLOCK_GRAINS;
    int64_t budget = small ? 100 * (int64_t)n + 100000 : 10 * (int64_t)n;
    int64_t most_tries = small ? 100000 : 2000;
    *left = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t i = p->n_still + b->order[k];
        bool placed = false;
        mrn_status told = tell("placing grains", k, n, msg);
        if (told != MRN_OK)
            return told;
        /* what earlier grains did not use is for the later ones, which need more tries */
        int64_t tries = budget / (n - k) * 20;
        tries = tries < most_tries ? tries : most_tries;
        for (int64_t t = 0; t < tries && !placed; t++, budget--) {
            mrn_status st = try_place(p, b, i, rng, &placed, msg);
            if (st != MRN_OK)
                return st;
        }
        if (placed)
            mrn_levels_put(&p->grid, i);
        b->out[b->order[k]] = !placed;
        *left += !placed;
    }
    return MRN_OK;
}

/* Puts grain i at the best of some random places: clear of walls if it can be, then by the gap. */
static mrn_status squeeze_in(mrn_pack *p, const blocks *b, int32_t i, mrn_rng *rng, int64_t *clears,
                             mrn_message *msg)
{
    double *x = p->x + 3 * (size_t)i, r = p->radius[i], best = -INFINITY;
    mrn_vec3 place = {0, 0, 0};
    for (int t = 0, good = 0; t < 100 && good < 8; t++) {
        mrn_vec3 c = draw_home(p, b, i, rng);
        bool clear = true;
        mrn_status st = mrn_walls_clear(p->scene, c, r, &p->scratch, &clear, msg);
        if (st != MRN_OK)
            return st;
        mrn_store3(x, c);
        double gap = fmin(mrn_levels_gap(&p->grid, x, r), 1) - (clear ? 0 : 10);
        if (gap > best) {
            best = gap;
            place = c;
        }
        good += clear;
    }
    *clears += best > -9;
    mrn_store3(x, place);
    mrn_levels_put(&p->grid, i);
    return MRN_OK;
}

/* A place for every grain; *free: none overlaps another. */
static mrn_status scatter(mrn_pack *p, mrn_rng *rng, bool *free, mrn_message *msg)
{
    blocks b = {0};
    int32_t left = 0, n = p->n - p->n_still;
    mrn_status st = create_blocks(p, &b, msg);
    if (st == MRN_OK)
        st = find_homes(p, &b, rng, msg);
    if (st == MRN_OK) {
        order_blocks(p, &b);
        st = insert(p, &b, rng, &left, msg);
    }
    int64_t clears = 0;
    for (int32_t k = 0; st == MRN_OK && left > 0 && k < n; k++) {
        st = tell("squeezing grains in", k, n, msg);
        if (st == MRN_OK && b.out[b.order[k]])
            st = squeeze_in(p, &b, p->n_still + b.order[k], rng, &clears, msg);
    }
    p->walled = left == n && clears == 0;
    *free = left == 0;
    destroy_blocks(&b);
    return st;
}

/* How many grains can stay when every one that overlaps is taken out: what was reached. */
static mrn_status count_reached(const mrn_maker *m, mrn_pack *p, int64_t *n, double *volume,
                                mrn_message *msg)
{
    *n = 0;
    *volume = 0;
    mrn_levels_clear(&p->grid);
    for (int32_t i = 0; i < p->n; i++) {
        bool clear = true;
        if (i >= p->n_still) {
            mrn_vec3 c = mrn_load3(p->x + 3 * (size_t)i);
            mrn_status st = mrn_walls_clear(p->scene, c, p->radius[i], &p->scratch, &clear, msg);
            if (st != MRN_OK)
                return st;
            clear = clear && !mrn_levels_clash(&p->grid, p->x + 3 * (size_t)i, p->radius[i]);
            *n += clear;
            *volume += clear ? mrn_maker_volume(m, p->radius[i]) : 0;
        }
        if (clear)
            mrn_levels_put(&p->grid, i);
    }
    return MRN_OK;
}

/* Takes out every twentieth of the moving grains, all sizes alike. */
static void thin_out(mrn_pack *p)
{
    int32_t to = p->n_still;
    for (int32_t i = p->n_still; i < p->n; i++) {
        if ((i - p->n_still) % 20 == 19)
            continue;
        memmove(p->x + 3 * (size_t)to, p->x + 3 * (size_t)i, 3 * sizeof *p->x);
        p->radius[to++] = p->radius[i];
    }
    p->n = to;
}

/* For the message: with how many grains does it work? Five percent fewer each time, as long as that
   takes no more than the fill itself took (or ten million grains times sweeps: seconds). *volume is
   that of the balls placed. */
static mrn_status find_reach(const mrn_maker *m, mrn_pack *p, int64_t *n, double *volume,
                             mrn_message *msg)
{
    bool done = false;
    int64_t most = p->work + (p->work > 10000000 ? p->work : 10000000);
    for (int t = 0; t < 15 && !done && p->work < most; t++) {
        if (p->n - p->n_still < 20)
            break;
        thin_out(p);
        mrn_status st = mrn_pack_relax(p, &done, msg);
        if (st != MRN_OK)
            return st;
    }
    return count_reached(m, p, n, volume, msg);
}

/* A hundred random places for each grain, a wall in every one, and pushing did not help. */
static mrn_status no_room(const mrn_maker *m, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT,
             "bodies '%s': walls leave no place for a single grain in the region to be filled",
             m->group->name);
    mrn_fail_hint(msg, "does a wall lie in the region, or the region behind a wall? A plane keeps "
                       "grains on the side that its normal points to");
    return MRN_ERR_INPUT;
}

static mrn_status place_all(const mrn_maker *m, mrn_pack *p, double volume, mrn_message *msg)
{
    mrn_rng rng = mrn_maker_rng(m, MRN_FOR_PLACES);
    int64_t n = p->n - p->n_still, reached;
    double reached_volume, balls = 0;
    bool done = false;
    for (int32_t i = p->n_still; i < p->n; i++)
        balls += mrn_maker_volume(m, p->radius[i]);
    mrn_status st = scatter(p, &rng, &done, msg);
    if (st == MRN_OK && !done)
        st = mrn_pack_relax(p, &done, msg);
    if (st == MRN_OK && !done && p->walled)
        return no_room(m, msg);
    if (st == MRN_OK && !done) {
        st = find_reach(m, p, &reached, &reached_volume, msg);
        if (st == MRN_OK)
            st = impossible(m, p->space, n, volume, "reached", reached,
                            reached_volume * volume / balls, msg);
    }
    return st;
}

/* Into the crop in the order of drawing, so that a grain's number says nothing of its size. */
static mrn_status harvest(mrn_maker *m, const mrn_pack *p, const sorted *s, int64_t n,
                          mrn_message *msg)
{
    int64_t start = m->crop->n;
    for (int64_t i = 0; i < n; i++) {
        mrn_status st = mrn_maker_add(m, (mrn_grain){.radius = 0}, -1, msg);
        if (st != MRN_OK)
            return st;
    }
    for (int64_t i = 0; i < n; i++) {
        mrn_grain *g = &m->crop->grain[start + s[i].drawn];
        g->x = mrn_load3(p->x + 3 * (size_t)(p->n_still + i));
        g->radius = s[i].radius;
        m->crop->bound[start + s[i].drawn] = s[i].bound;
        m->crop->polytope[start + s[i].drawn] = s[i].polytope;
    }
    return MRN_OK;
}

static mrn_status fill(mrn_maker *m, const mrn_space *space, const double *radius, int64_t n,
                       mrn_message *msg)
{
    sorted *s = NULL;
    mrn_pack pack = {0};
    double volume = 0;
    for (int64_t i = 0; i < n; i++)
        volume += mrn_maker_volume(m, radius[i]);
    mrn_status st = sort_grains(m, radius, n, &s, msg);
    if (st == MRN_OK)
        st = check_room(m, space, s, n, volume, msg);
    if (st == MRN_OK)
        st = create_pack(m, space, s, n, &pack, msg);
    if (st == MRN_OK)
        st = place_all(m, &pack, volume, msg);
    if (st == MRN_OK)
        st = harvest(m, &pack, s, n, msg);
    destroy_pack(&pack);
    mrn_free(s);
    return st;
}

mrn_status mrn_make_fill(mrn_maker *m, mrn_message *msg)
{
    mrn_sizer sizer = {0};
    mrn_space space;
    double *radius = NULL;
    int64_t n = 0;
    mrn_status st = bad_fill(m, msg);
    if (st == MRN_OK)
        st = mrn_space_create(m, &space, msg);
    if (st == MRN_OK)
        st = mrn_sizer_create(m, &sizer, msg);
    if (st == MRN_OK)
        st = mrn_sizer_fill(m, &sizer, space.volume, &radius, &n, msg);
    if (st == MRN_OK)
        st = fill(m, &space, radius, n, msg);
    mrn_free(radius);
    mrn_sizer_destroy(&sizer);
    return st;
}
