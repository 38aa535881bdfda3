/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pushes overlapping grains apart: the energy of slightly enlarged, linearly elastic grains is
   minimised by FIRE (Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201, 2006)
   until the true grains, which are smaller, are free of each other. Each grain sums over all its
   neighbours: same bits for any number of threads. */
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"

#define CHUNK  1024 /* grains per partial sum: fixed, so that sums do not depend on the threads */
#define SERIAL 8192 /* fewer grains than this are not worth starting threads */

enum { BAD, ENERGY, POWER, FORCE2, SPEED2, SUMS };

/* Neighbours of the grains of one chunk, one after another. */
typedef struct chunk {
    int64_t n, capacity;
    int32_t *near;
    bool failed; /* no memory */
    double sum[SUMS];
} chunk;

typedef struct relaxation {
    mrn_pack *p;
    int32_t n, first; /* all; first that moves */
    double grown;     /* factor of the radii */
    double skin;
    int64_t n_chunks;
    chunk *chunk;
    int64_t *row;   /* where a grain's neighbours begin in its chunk */
    int32_t *count; /* how many it has                               */
    int64_t *face_row;
    mrn_wall_faces faces;
    double *f, *v, *x_list, *mobility;
    int32_t *order; /* grain k of the relaxation was grain order[k] of the pack */
    /* FIRE */
    double dt, alpha;
    int uphill_free;
} relaxation;

static void destroy(relaxation *a)
{
    for (int64_t c = 0; a->chunk != NULL && c < a->n_chunks; c++)
        mrn_free(a->chunk[c].near);
    mrn_free(a->chunk);
    mrn_free(a->row);
    mrn_free(a->count);
    mrn_free(a->face_row);
    mrn_wall_faces_destroy(&a->faces);
    mrn_free(a->f);
    mrn_free(a->v);
    mrn_free(a->x_list);
    mrn_free(a->mobility);
    mrn_free(a->order);
}

static mrn_status create(mrn_pack *p, relaxation *a, mrn_message *msg)
{
    int64_t n = p->n, moving = p->n - p->n_still;
    *a = (relaxation){.p = p, .n = p->n, .first = p->n_still};
    a->n_chunks = (moving + CHUNK - 1) / CHUNK;
    /* wide enough for a list to live through some ten sweeps, narrow enough to hold few strangers
     */
    double small = INFINITY;
    for (int32_t i = a->first; i < a->n; i++)
        small = fmin(small, p->radius[i]);
    a->skin = 0.7 * small;
    mrn_status st = mrn_array(&a->chunk, a->n_chunks, sizeof *a->chunk, msg);
    st = st == MRN_OK ? mrn_array(&a->row, n, sizeof *a->row, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->count, n, sizeof *a->count, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->face_row, n + 1, sizeof *a->face_row, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->f, 3 * n, sizeof *a->f, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->v, 3 * n, sizeof *a->v, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->x_list, 3 * n, sizeof *a->x_list, msg) : st;
    st = st == MRN_OK ? mrn_array(&a->mobility, n, sizeof *a->mobility, msg) : st;
    return st == MRN_OK ? mrn_array(&a->order, n, sizeof *a->order, msg) : st;
}

static int32_t chunk_begin(const relaxation *a, int64_t c)
{
    int64_t i = a->first + c * CHUNK;
    return i < a->n ? (int32_t)i : a->n;
}

/* ---- order in space ---- */

/* Cell of a moving grain on a plain grid of some grains per cell, row by row. */
static int32_t place_key(const relaxation *a, int side, const double *x)
{
    const mrn_levels *g = &a->p->grid;
    int32_t key = 0;
    for (int k = g->dimension - 1; k >= 0; k--) {
        int i = (int)((x[k] - g->lo[k]) / g->size[k] * side);
        key = key * side + (i < 0 ? 0 : i >= side ? side - 1 : i);
    }
    return key;
}

/* Neighbours in space become neighbours in memory: order[k] is found by counting. */
static mrn_status find_order(relaxation *a, mrn_message *msg)
{
    int d = a->p->grid.dimension;
    int side = (int)fmax(floor(pow((a->n - a->first) / 4.0, 1.0 / d)), 1);
    int32_t cells = d == 2 ? side * side : side * side * side, *at;
    if (mrn_array(&at, (int64_t)cells + 1, sizeof *at, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int32_t i = a->first; i < a->n; i++)
        at[place_key(a, side, a->p->x + 3 * (size_t)i) + 1]++;
    for (int32_t c = 0; c < cells; c++)
        at[c + 1] += at[c];
    for (int32_t i = 0; i < a->first; i++)
        a->order[i] = i;
    for (int32_t i = a->first; i < a->n; i++)
        a->order[a->first + at[place_key(a, side, a->p->x + 3 * (size_t)i)]++] = i;
    mrn_free(at);
    return MRN_OK;
}

/* Moves positions and radii into the new order, or back. `scratch` holds four numbers per grain. */
static void reorder(relaxation *a, bool back, double *scratch)
{
    double *x = a->p->x, *r = a->p->radius;
    for (int32_t k = 0; k < a->n; k++) {
        int32_t from = back ? k : a->order[k], to = back ? a->order[k] : k;
        memcpy(scratch + 4 * (size_t)to, x + 3 * (size_t)from, 3 * sizeof *x);
        scratch[4 * (size_t)to + 3] = r[from];
    }
    for (int32_t k = 0; k < a->n; k++) {
        memcpy(x + 3 * (size_t)k, scratch + 4 * (size_t)k, 3 * sizeof *x);
        r[k] = scratch[4 * (size_t)k + 3];
    }
}

/* ---- neighbours ---- */

static double reach_of(const relaxation *a, int32_t i)
{
    /* both grains of a pair are enlarged; the other one is at most grid.top */
    double largest = a->p->grid.top;
    return (a->grown - 1) * (a->p->radius[i] + largest) + a->skin;
}

static void list_chunk(const relaxation *a, int64_t c)
{
    chunk *k = &a->chunk[c];
    k->n = 0;
    for (int32_t i = chunk_begin(a, c); i < chunk_begin(a, c + 1) && !k->failed; i++) {
        double reach = reach_of(a, i);
        int64_t room = k->capacity - k->n;
        int64_t n = mrn_levels_near(&a->p->grid, i, reach, k->near + k->n, room);
        if (n > room) {
            k->failed = mrn_grow(&k->near, &k->capacity, k->n + n, sizeof *k->near) != MRN_OK;
            if (k->failed)
                return;
            mrn_levels_near(&a->p->grid, i, reach, k->near + k->n, n);
        }
        a->row[i] = k->n;
        a->count[i] = (int32_t)n;
        k->n += n;
    }
}

static mrn_status list_neighbours(relaxation *a, mrn_message *msg)
{
    mrn_levels_clear(&a->p->grid);
    for (int32_t i = 0; i < a->n; i++)
        mrn_levels_put(&a->p->grid, i);
#pragma omp parallel for schedule(dynamic, 1) if (a->n > SERIAL)
    for (int64_t c = 0; c < a->n_chunks; c++)
        list_chunk(a, c);
    for (int64_t c = 0; c < a->n_chunks; c++)
        if (a->chunk[c].failed)
            return mrn_fail_memory(msg);
    return MRN_OK;
}

static mrn_status list_faces(relaxation *a, mrn_message *msg)
{
    a->faces.n = 0;
    a->face_row[a->first] = 0;
    for (int32_t i = a->first; i < a->n; i++) {
        mrn_vec3 x = mrn_load3(a->p->x + 3 * (size_t)i);
        double reach = a->p->radius[i] * a->grown + a->skin;
        mrn_status st = mrn_wall_faces_near(a->p->scene, x, reach, &a->faces, msg);
        if (st != MRN_OK)
            return st;
        a->face_row[i + 1] = a->faces.n;
    }
    return MRN_OK;
}

static mrn_status list(relaxation *a, mrn_message *msg)
{
    memcpy(a->x_list, a->p->x, 3 * (size_t)a->n * sizeof *a->x_list);
    mrn_status st = list_neighbours(a, msg);
    if (st == MRN_OK)
        st = list_faces(a, msg);
    /* a large grain among many small ones is pushed by all of them: heavier, so that the step stays
     * stable */
    for (int32_t i = a->first; st == MRN_OK && i < a->n; i++)
        a->mobility[i] = fmin(1, 16.0 / (a->count[i] + 1.0));
    return st;
}

static bool list_is_old(const relaxation *a)
{
    const mrn_levels *g = &a->p->grid;
    double limit = 0.25 * a->skin * a->skin; /* half the skin, squared */
    int old = 0;
#pragma omp parallel for schedule(static) reduction(| : old) if (a->n > SERIAL)
    for (int32_t i = a->first; i < a->n; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) {
            double d = mrn_shortest(a->p->x[3 * (size_t)i + k] - a->x_list[3 * (size_t)i + k],
                                    g->periodic[k], g->size[k]);
            d2 += d * d;
        }
        old |= d2 > limit;
    }
    return old;
}

/* ---- forces ---- */

static mrn_vec3 direction(const mrn_levels *g, const double *x, const double *y)
{
    return mrn_v3(mrn_shortest(x[0] - y[0], g->periodic[0], g->size[0]),
                  mrn_shortest(x[1] - y[1], g->periodic[1], g->size[1]),
                  mrn_shortest(x[2] - y[2], g->periodic[2], g->size[2]));
}

/* Grains at one point part along a direction of their own; opposite for the two. */
static mrn_vec3 any_direction(const mrn_pack *p, int32_t i, int32_t j)
{
    mrn_rng rng = mrn_rng_seed((uint64_t)(i < j ? i : j), (uint64_t)(i < j ? j : i));
    double a = 2 * MRN_PI * mrn_rng_uniform(&rng), sign = i < j ? 1 : -1;
    double z = p->scene->dimension == 3 ? 2 * mrn_rng_uniform(&rng) - 1 : 0;
    double h = sqrt(1 - z * z);
    return mrn_v3(sign * h * cos(a), sign * h * sin(a), sign * z);
}

static mrn_vec3 push_of_grains(const relaxation *a, const chunk *c, int32_t i, double *sum)
{
    const mrn_pack *p = a->p;
    const double *x = p->x + 3 * (size_t)i;
    mrn_vec3 f = {0, 0, 0};
    for (int64_t e = a->row[i]; e < a->row[i] + a->count[i]; e++) {
        int32_t j = c->near[e];
        double s = p->radius[i] + p->radius[j], wide = a->grown * s;
        mrn_vec3 d = direction(&p->grid, x, p->x + 3 * (size_t)j);
        double d2 = mrn_dot(d, d);
        if (d2 >= wide * wide)
            continue;
        sum[BAD] += d2 < s * s * (1 + MRN_CLEAR);
        double l = sqrt(d2);
        mrn_vec3 n = l > 1e-9 * s ? mrn_scale(1 / l, d) : any_direction(p, i, j);
        f = mrn_axpy(wide - l, n, f);
        sum[ENERGY] += (wide - l) * (wide - l);
    }
    return f;
}

static mrn_vec3 push_of_walls(const relaxation *a, int32_t i, double *sum)
{
    double r = a->p->radius[i], wide = a->grown * r;
    mrn_vec3 f = {0, 0, 0}, x = mrn_load3(a->p->x + 3 * (size_t)i);
    for (int64_t e = a->face_row[i]; e < a->face_row[i + 1]; e++) {
        mrn_vec3 n;
        double d = mrn_wall_face_distance(a->p->scene, &a->faces.face[e], x, &n);
        if (d >= wide)
            continue;
        sum[BAD] += d < r * (1 - MRN_CLEAR);
        f = mrn_axpy(2 * (wide - d), n, f);
        sum[ENERGY] += 2 * (wide - d) * (wide - d);
    }
    return f;
}

static void chunk_forces(const relaxation *a, int64_t c)
{
    double *sum = a->chunk[c].sum;
    memset(sum, 0, SUMS * sizeof *sum);
    for (int32_t i = chunk_begin(a, c); i < chunk_begin(a, c + 1); i++) {
        mrn_vec3 f = push_of_grains(a, &a->chunk[c], i, sum);
        mrn_vec3 v = mrn_load3(a->v + 3 * (size_t)i);
        f = mrn_scale(a->mobility[i], mrn_add(f, push_of_walls(a, i, sum)));
        mrn_store3(a->f + 3 * (size_t)i, f);
        sum[POWER] += mrn_dot(f, v);
        sum[FORCE2] += mrn_dot(f, f);
        sum[SPEED2] += mrn_dot(v, v);
    }
}

static void forces(const relaxation *a, double sum[SUMS])
{
    memset(sum, 0, SUMS * sizeof *sum);
#pragma omp parallel for schedule(dynamic, 1) if (a->n > SERIAL)
    for (int64_t c = 0; c < a->n_chunks; c++)
        chunk_forces(a, c);
    for (int64_t c = 0; c < a->n_chunks; c++)
        for (int k = 0; k < SUMS; k++)
            sum[k] += a->chunk[c].sum[k];
}

/* ---- motion ---- */

/* v := (1 - alpha) v + alpha |v| f/|f|, or stop when going uphill. */
static void steer(relaxation *a, const double sum[SUMS], double *keep, double *turn)
{
    if (sum[POWER] > 0) {
        *keep = 1 - a->alpha;
        *turn = sum[FORCE2] > 0 ? a->alpha * sqrt(sum[SPEED2] / sum[FORCE2]) : 0;
        if (++a->uphill_free > 5) {
            a->dt = fmin(1.1 * a->dt, 0.5);
            a->alpha *= 0.99;
        }
    } else {
        *keep = *turn = 0;
        a->dt = fmax(0.5 * a->dt, 0.02);
        a->alpha = 0.1;
        a->uphill_free = 0;
    }
}

static void move(const relaxation *a, double keep, double turn)
{
    mrn_pack *p = a->p;
#pragma omp parallel for schedule(static) if (a->n > SERIAL)
    for (int32_t i = a->first; i < a->n; i++) {
        double *x = p->x + 3 * (size_t)i, *v = a->v + 3 * (size_t)i, *f = a->f + 3 * (size_t)i;
        mrn_vec3 vel = mrn_scale(keep, mrn_load3(v));
        vel = mrn_axpy(turn + a->dt, mrn_load3(f), vel);
        /* no grain jumps over another: a fifth of its radius per step at most */
        double speed = mrn_norm(vel), most = 0.2 * p->radius[i] / a->dt;
        if (speed > most)
            vel = mrn_scale(most / speed, vel);
        mrn_store3(v, vel);
        mrn_vec3 to = mrn_axpy(a->dt, vel, mrn_load3(x));
        mrn_store3(x, mrn_space_clamp(p->space, to, p->radius[i]));
    }
}

/* Minimises with one enlargement. Ends when the true grains are free, or when the energy has come
   to rest above zero: jammed. */
static mrn_status minimise(relaxation *a, double grown, bool last, bool *done, mrn_message *msg)
{
    a->grown = grown;
    a->dt = 0.2;
    a->alpha = 0.1;
    a->uphill_free = 0;
    memset(a->v, 0, 3 * (size_t)a->n * sizeof *a->v);
    mrn_status st = list(a, msg);
    double sum[SUMS], keep, turn, before = INFINITY, needed = last ? 0.9 : 0.5;
    for (int sweep = 0; st == MRN_OK && sweep < 6000; sweep++) {
        forces(a, sum);
        a->p->work += a->n;
        st = sweep % 10 == 0 ? mrn_long_work_tell("pushing grains apart", NAN, msg) : MRN_OK;
        if (st != MRN_OK)
            return st;
        *done = sum[BAD] == 0;
        if (*done)
            return MRN_OK;
        if (sweep % 100 == 99) {
            if (sum[ENERGY] > needed * before)
                return MRN_OK;
            before = sum[ENERGY];
        }
        steer(a, sum, &keep, &turn);
        move(a, keep, turn);
        if (list_is_old(a))
            st = list(a, msg);
    }
    return st;
}

mrn_status mrn_pack_relax(mrn_pack *p, bool *done, mrn_message *msg)
{
    /* the larger the spare room, the faster; near the densest packings there is little of it */
    static const double slack[] = {0.02, 0.006, 0.0015, 0.0003};
    relaxation a;
    double *scratch = NULL;
    *done = false;
    mrn_status st = create(p, &a, msg);
    if (st == MRN_OK)
        st = find_order(&a, msg);
    if (st == MRN_OK)
        st = mrn_array(&scratch, 4 * (int64_t)p->n, sizeof *scratch, msg);
    if (st == MRN_OK) {
        reorder(&a, false, scratch);
        for (int k = 0; st == MRN_OK && !*done && k < 4; k++)
            st = minimise(&a, 1 + slack[k], k == 3, done, msg);
        reorder(&a, true, scratch);
    }
    mrn_free(scratch);
    destroy(&a);
    return st;
}
