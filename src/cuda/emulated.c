/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device that is this processor: the items of kernels.h in loops. It is there in every build, so
   that the logic of a device and its bits are tested where there is none. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static int32_t add_one(int32_t *p)
{
    int32_t was;
#pragma omp atomic capture
    was = (*p)++;
    return was;
}
#define MRN_GPU_ADD(p) add_one(p)
#include "cuda/kept.h"
#include "cuda/kernels.h"

/* ---- faults, for tests ---- */

/* worlds may run side by side, each in a thread of its own: they count together */
static _Atomic int64_t calls[MRN_GPU_FAULTS], fault_at[MRN_GPU_FAULTS];
static _Atomic bool lost;

void mrn_gpu_emulated_fail_at(mrn_gpu_fault what, int64_t k)
{
    fault_at[what] = k > 0 ? calls[what] + k : 0;
    lost = false;
}

int64_t mrn_gpu_emulated_calls(mrn_gpu_fault what)
{
    return calls[what];
}

/* Counts a call; false from the one on at which the device is lost. */
static bool answers(void)
{
    if (++calls[MRN_GPU_FAULT_LOST] == fault_at[MRN_GPU_FAULT_LOST])
        lost = true;
    return !lost;
}

/* ---- open, memory ---- */

static mrn_status start(mrn_gpu_about *about, void **self, mrn_message *msg)
{
    (void)msg;
    *self = NULL;
    *about = (mrn_gpu_about){.name = "this processor, in place of a device"};
    return MRN_OK;
}

static void leave(void *self)
{
    (void)self;
}

static void *take(void *self, size_t bytes)
{
    (void)self;
    bool none = ++calls[MRN_GPU_FAULT_MEMORY] == fault_at[MRN_GPU_FAULT_MEMORY];
    return none || lost ? NULL : mrn_alloc(bytes > 0 ? bytes : 1);
}

static void give(void *self, void *at)
{
    (void)self;
    mrn_free(at);
}

static bool copy(void *self, void *to, const void *from, size_t bytes)
{
    (void)self;
    if (!answers())
        return false;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return true;
}

static bool fetch(void *self, int n, const mrn_gpu_copy *of)
{
    bool ok = true;
    for (int k = 0; k < n && ok; k++)
        ok = copy(self, of[k].to, of[k].from, of[k].bytes);
    return ok;
}

static bool clear(void *self, void *at, size_t bytes)
{
    (void)self;
    if (!answers())
        return false;
    if (bytes > 0)
        memset(at, 0, bytes);
    return true;
}

static bool wait_for_it(void *self)
{
    (void)self;
    return answers();
}

static const char *error(void *self)
{
    (void)self;
    return lost ? "it was lost" : NULL;
}

static bool scan(void *self, int32_t *count, int64_t n)
{
    (void)self;
    if (!answers())
        return false;
    int64_t at = 0;
    for (int64_t k = 0; k < n; k++) {
        int32_t here = count[k];
        count[k] = (int32_t)at;
        at += here;
    }
    count[n] = (int32_t)at;
    return true;
}

static bool gather(void *self, void *to, const void *from, const int32_t *map, int64_t n, int size)
{
    (void)self;
    if (!answers())
        return false;
    for (int64_t k = 0; k < n; k++)
        memcpy((char *)to + k * size, (const char *)from + (int64_t)map[k] * size, (size_t)size);
    return true;
}

/* ---- passes that only write ---- */

#define MRN_GPU_LOOP(name)                                                                         \
    case MRN_GPU_KERNEL_##name:                                                                    \
        _Pragma("omp parallel for schedule(static) if (n > 4096)") for (int64_t k = 0; k < n; k++) \
            mrn_gpu_do_##name(g, s, k);                                                            \
        break;

static bool run(void *self, mrn_gpu_kernel kernel, const mrn_gpu *g, const mrn_gpu_step *s,
                int64_t n)
{
    (void)self;
    if (!answers())
        return false;
    switch (kernel) {
        MRN_GPU_KERNELS(MRN_GPU_LOOP)
    default:
        break;
    }
    return true;
}

/* ---- totals ---- */

static void add_term(mrn_gpu_sum *sum, double x)
{
    int64_t count[MRN_SUM_FOLDS];
    int32_t top = mrn_gpu_top(x);
    if (top < 0)
        sum->lost = 1;
    if (top <= 0)
        return;
    mrn_gpu_cut(x, top, count);
    sum->top = top > sum->top ? top : sum->top;
    for (int f = 0; f < MRN_SUM_FOLDS && top - 1 - f >= 0; f++) {
        sum->low[top - 1 - f] += count[f] & INT64_C(0xffffffff);
        sum->high[top - 1 - f] += count[f] >> 32;
    }
}

static void add_sum(mrn_gpu_sum *to, const mrn_gpu_sum *from)
{
    to->top = from->top > to->top ? from->top : to->top;
    to->lost |= from->lost;
    for (int l = 0; l < MRN_GPU_LEVELS; l++)
        to->low[l] += from->low[l], to->high[l] += from->high[l];
}

static void add_terms(mrn_gpu_record *r, const mrn_gpu_terms *t)
{
    if (!t->touch)
        return;
    uint64_t bits = mrn_bits_of(t->overlap);
    for (int k = 0; k < MRN_GPU_TERMS; k++)
        add_term(&r->sum[k], t->term[k]);
    r->overlap = bits > r->overlap ? bits : r->overlap;
    r->contacts++;
    r->sliding += t->slip;
}

static void add_record(mrn_gpu_record *to, const mrn_gpu_record *from)
{
    for (int k = 0; k < MRN_GPU_TERMS; k++)
        add_sum(&to->sum[k], &from->sum[k]);
    to->overlap = from->overlap > to->overlap ? from->overlap : to->overlap;
    to->contacts += from->contacts;
    to->sliding += from->sliding;
}

static void kept_contacts(const mrn_gpu *g, const mrn_gpu_step *s)
{
#pragma omp parallel if (g->list.n > 4096)
    {
        mrn_gpu_record own = {0};
        mrn_gpu_sum more[MRN_GPU_MORE] = {{0}};
#pragma omp for schedule(static)
        for (int64_t k = 0; k < g->list.n; k++) {
            mrn_gpu_pair p = mrn_gpu_load_pair(g, k);
            if (!mrn_gpu_kept_touches(g, k, p))
                continue;
            mrn_gpu_kept_terms t = mrn_gpu_kept_contact(g, k, p);
            add_terms(&own, &t.usual);
            for (int m = 0; m < MRN_GPU_MORE; m++)
                add_term(&more[m], t.more[m]);
        }
#pragma omp critical
        {
            add_record(&g->record[s->slot], &own);
            for (int m = 0; m < MRN_GPU_MORE; m++)
                add_sum(&g->more[MRN_GPU_MORE * s->slot + m], &more[m]);
        }
    }
}

static bool contacts(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model,
                     bool sparse)
{
    (void)self;
    if (!answers())
        return false;
    (void)sparse;
    const bool mixed = g->mixed != 0;
    if (mrn_gpu_is_old(g, s))
        return true;
    if (model == MRN_GPU_KEPT) {
        kept_contacts(g, s);
        return true;
    }
#pragma omp parallel if (g->list.n > 4096)
    {
        mrn_gpu_record own = {0};
        const mrn_gpu_cell *in = g->strains ? &g->cells[s->slot] : NULL;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < g->list.n; k++) {
            mrn_gpu_pair p = mrn_gpu_load_pair(g, k);
            const mrn_gpu_standing how = mrn_gpu_stand(g, p, in);
            if (!mrn_gpu_touches(g, k, p, &how, mixed))
                continue;
            mrn_gpu_terms t =
                mrn_gpu_contact(g, k, p, &how, model, mixed, mrn_of_bits(own.overlap), in);
            add_terms(&own, &t);
        }
#pragma omp critical
        add_record(&g->record[s->slot], &own);
    }
    return true;
}

static bool walls(void *self, const mrn_gpu *g, const mrn_gpu_step *s, mrn_gpu_model model)
{
    (void)self;
    if (!answers())
        return false;
    if (mrn_gpu_is_old(g, s))
        return true;
#pragma omp parallel for schedule(static) if (g->n_wall_grains > 4096)
    for (int64_t k = 0; k < g->n_wall_grains; k++)
        if (model == MRN_GPU_KEPT)
            mrn_gpu_kept_wall_grain(g, s, k);
        else
            mrn_gpu_wall_grain(g, s, k, model, g->strains || g->points != NULL);
    for (int64_t k = 0; k < g->list.n_wall && model == MRN_GPU_KEPT; k++)
        for (int m = 0; m < MRN_GPU_MORE; m++)
            add_term(&g->more[MRN_GPU_MORE * s->slot + m], mrn_gpu_wall_more(g, k, m));
    for (int64_t k = 0; k < g->list.n_wall; k++) {
        mrn_gpu_terms t = mrn_gpu_wall_terms(g, k);
        if (!t.touch)
            continue;
        double load[6];
        add_terms(&g->record[s->slot], &t);
        mrn_gpu_wall_load(g, s, k, load);
        size_t wall = (size_t)s->slot * (size_t)g->n_walls + (size_t)g->list.wall[k];
        for (int c = 0; c < 6; c++)
            add_term(&g->wall_sum[6 * wall + (size_t)c], load[c]);
    }
    return true;
}

/* ---- bodies ---- */

enum { ALL_POWERS = MRN_GPU_POWERS + MRN_GPU_CARRIED };

static void add_powers(const mrn_gpu *g, const mrn_gpu_step *s, int counted, const mrn_gpu_sum *own)
{
    for (int k = 0; k < counted; k++)
        add_sum(k < MRN_GPU_POWERS ? &g->record[s->slot].power[k]
                                   : &g->strain[s->slot].body[k - MRN_GPU_POWERS],
                &own[k]);
}

static bool bodies(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    (void)self;
    if (!answers())
        return false;
    mrn_gpu_record *now = &g->record[s->slot], *next = now + (s->kick ? 1 : 0);
    const uint64_t infinite = UINT64_C(0x7ff) << 52;
    bool halt = s->kick && mrn_gpu_is_old(g, s), deep = s->kick && !(mrn_of_bits(now->overlap) < 1);
    next->way = s->kick ? mrn_gpu_way(now) : s->way;
    if (halt || deep)
        next->far = infinite;
    if (halt)
        return true;
    uint64_t far = 0;
#pragma omp parallel if (g->n > 4096)
    {
        mrn_gpu_sum own[ALL_POWERS] = {{0}};
        int counted = g->strains ? ALL_POWERS : g->extra ? MRN_GPU_POWERS : 0;
#pragma omp for schedule(static) reduction(max : far)
        for (int32_t i = 0; i < g->n; i++) {
            double power[ALL_POWERS] = {0};
            double way = mrn_gpu_body(g, s, i, s->drift && !deep, g->extra != 0, g->mixed != 0,
                                      g->strains != 0, power);
            uint64_t bits = mrn_bits_of(way) & (UINT64_MAX >> 1);
            far = bits > far ? bits : far;
            for (int k = 0; k < counted; k++)
                add_term(&own[k], power[k]);
        }
#pragma omp critical
        add_powers(g, s, counted, own);
    }
    if (!deep)
        next->far = far > next->far ? far : next->far;
    return true;
}

static bool clusters(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    (void)self;
    if (!answers())
        return false;
    const mrn_gpu_record *now = &g->record[s->slot];
    mrn_gpu_record *next = &g->record[s->slot + (s->kick ? 1 : 0)];
    bool deep = s->kick && !(mrn_of_bits(now->overlap) < 1);
    if (s->kick && mrn_gpu_is_old(g, s))
        return true;
    uint64_t far = 0;
#pragma omp parallel if (g->n_clusters > 1024)
    {
        mrn_gpu_sum own[ALL_POWERS] = {{0}};
        int counted = g->strains ? ALL_POWERS : MRN_GPU_POWERS;
#pragma omp for schedule(static) reduction(max : far)
        for (int32_t c = 0; c < g->n_clusters; c++) {
            double power[ALL_POWERS] = {0};
            double way = mrn_gpu_carry_cluster(g, s, c, s->drift && !deep, g->strains != 0, power);
            uint64_t bits = mrn_bits_of(way) & (UINT64_MAX >> 1);
            far = bits > far ? bits : far;
            for (int k = 0; k < counted; k++)
                add_term(&own[k], power[k]);
        }
#pragma omp critical
        add_powers(g, s, counted, own);
    }
    if (!deep)
        next->far = far > next->far ? far : next->far;
    return true;
}

static bool turns(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    (void)self;
    if (!answers())
        return false;
    for (int32_t c = 0; c < g->n_clusters && !mrn_gpu_is_old(g, s); c++)
        mrn_gpu_turn(g, c);
    return true;
}

static bool moments(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    (void)self;
    if (!answers())
        return false;
    mrn_gpu_sum *sum = g->mass_sum + MRN_GPU_MOMENTS * s->at;
    if (s->kick && mrn_gpu_is_old(g, s))
        return true;
    for (int32_t i = 0; i < g->n; i++) {
        double moment[MRN_GPU_MOMENTS];
        mrn_gpu_moment(g, s, i, moment);
        for (int k = 0; k < MRN_GPU_MOMENTS; k++)
            add_term(&sum[k], moment[k]);
    }
    return true;
}

static bool bounds(void *self, const mrn_gpu *g)
{
    (void)self;
    if (!answers())
        return false;
    for (int k = 0; k < MRN_GPU_FOUND_OWN; k++)
        g->bounds[k] = k < MRN_GPU_MOST ? UINT64_MAX : 0;
    for (int32_t i = 0; i < g->n; i++) {
        mrn_vec3 f = mrn_gpu_along(g, i);
        const double at[3] = {f.x, f.y, f.z};
        for (int k = 0; k < 3; k++) {
            uint64_t u = mrn_gpu_ordered(at[k]);
            g->bounds[k] = u < g->bounds[k] ? u : g->bounds[k];
            g->bounds[3 + k] = u > g->bounds[3 + k] ? u : g->bounds[3 + k];
            g->bounds[MRN_GPU_NOWHERE] |= !(fabs(at[k]) < 1e9);
        }
        mrn_vec3 v = mrn_gpu_load_motion(g, i, g->mixed != 0).v;
        uint64_t square = mrn_bits_of(mrn_dot(v, v));
        if (square > g->bounds[MRN_GPU_FASTEST])
            g->bounds[MRN_GPU_FASTEST] = square;
    }
    return true;
}

static bool pairs(void *self, const mrn_gpu *g)
{
    (void)self;
    int32_t own = 0, back = 0, n_own, n_back;
    if (!answers())
        return false;
    for (int32_t i = 0; i < g->n; i++, own += n_own, back += n_back) {
        mrn_gpu_few few;
        mrn_gpu_search(g, i, &few, &n_own, &n_back);
        mrn_gpu_write_rows(g, i, &few, own, back, n_own, n_back);
    }
    g->list.row[g->n] = own, g->back_row[g->n] = back;
    g->bounds[MRN_GPU_FOUND_OWN] = (uint64_t)own, g->bounds[MRN_GPU_FOUND_BACK] = (uint64_t)back;
    return true;
}

static bool wall_pairs(void *self, const mrn_gpu *g, const mrn_gpu_step *s, bool special)
{
    (void)self;
    int32_t at = 0, grains = 0, n;
    if (!answers())
        return false;
    for (int32_t i = 0; i<g->n; i++, at += n, grains += n> 0) {
        mrn_gpu_few_walls few;
        n = mrn_gpu_near_walls(g, s, i, few.wall, few.feature, MRN_GPU_FEATURES, special);
        mrn_gpu_write_walls(g, s, i, &few, at, grains, n, special);
    }
    g->list.wall_row[g->n] = at;
    g->bounds[MRN_GPU_FOUND_WALLS] = (uint64_t)at;
    g->bounds[MRN_GPU_FOUND_WALL_GRAINS] = (uint64_t)grains;
    return true;
}

#define MRN_GPU_ADD_UP(name, terms)                                                                \
    case MRN_GPU_TOTAL_##name:                                                                     \
        for (int64_t k = 0; k < n; k++) {                                                          \
            double x[terms] = {0};                                                                 \
            mrn_gpu_sum_##name(g, s, k, x);                                                        \
            for (int m = 0; m < terms; m++)                                                        \
                add_term(&to[m], x[m]);                                                            \
        }                                                                                          \
        break;

static bool total(void *self, mrn_gpu_totals sum, const mrn_gpu *g, const mrn_gpu_step *s,
                  bool within, int64_t n, mrn_gpu_sum *to)
{
    (void)self;
    if (within && mrn_gpu_is_old(g, s))
        return true;
    switch (sum) {
        MRN_GPU_SUMS(MRN_GPU_ADD_UP)
    default:
        break;
    }
    return true;
}

static bool ends(void *self, const mrn_gpu *g, const mrn_gpu_step *s)
{
    (void)self;
    mrn_gpu_strain *to = &g->strain[s->slot];
    if (mrn_gpu_is_old(g, s))
        return true;
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < 3; k++) {
            double x = g->place[4 * (size_t)i + (size_t)k], r = g->place[4 * (size_t)i + 3];
            uint64_t low = ~mrn_gpu_ordered(x - r), high = mrn_gpu_ordered(x + r);
            to->least[k] = low > to->least[k] ? low : to->least[k];
            to->most[k] = high > to->most[k] ? high : to->most[k];
        }
    return true;
}

static bool reach(void *self, const mrn_gpu *g, mrn_vec3 from, mrn_vec3 axis, int32_t wall)
{
    (void)self;
    uint64_t most = 0;
    if (!answers())
        return false;
    for (int32_t i = 0; i < g->n; i++) {
        uint64_t u = mrn_bits_of(mrn_gpu_reach_of(g, i, from, axis));
        most = u > most ? u : most;
    }
    g->bounds[MRN_GPU_BOUNDS + wall] = most;
    return true;
}

const mrn_gpu_ops mrn_gpu_emulated = {
    .name = "emulated",
    .built = true,
    .open = start,
    .leave = leave,
    .take = take,
    .give = give,
    .put = copy,
    .get = copy,
    .fetch = fetch,
    .copy = copy,
    .clear = clear,
    .wait = wait_for_it,
    .error = error,
    .scan = scan,
    .gather = gather,
    .run = run,
    .contacts = contacts,
    .walls = walls,
    .bodies = bodies,
    .clusters = clusters,
    .turns = turns,
    .moments = moments,
    .bounds = bounds,
    .pairs = pairs,
    .wall_pairs = wall_pairs,
    .total = total,
    .ends = ends,
    .reach = reach,
};
