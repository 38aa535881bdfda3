/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps of non-linear Gauss-Seidel, with blocks of W or through body velocities. */
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"
#include "solve/sweep_parts.h"

enum { CHUNK = 256, MOST_COLOURS = 64 };

enum { PARTIAL = 7 }; /* sums per chunk of a sweep */

/* ---- colours: contacts of one colour share no body, their order does not matter ---- */

/* The lowest colour not in `used`; MOST_COLOURS when there is none. */
static int free_colour(uint64_t used)
{
    return ~used == 0 ? MOST_COLOURS : __builtin_ctzll(~used);
}

static void colour_by_blocks(const mrn_system *s, uint8_t *colour)
{
    memset(colour, MOST_COLOURS, (size_t)s->n);
    for (int i = 0; i < s->n; i++) {
        uint64_t used = 0;
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->col[k] < i && colour[s->col[k]] < MOST_COLOURS)
                used |= UINT64_C(1) << colour[s->col[k]];
        colour[i] = (uint8_t)free_colour(used);
    }
}

static void colour_by_bodies(const mrn_system *s, uint64_t *of_body, uint8_t *colour)
{
    for (int i = 0; i < s->n; i++) {
        uint64_t used = 0;
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            used |= of_body[s->body[k]];
        int c = free_colour(used);
        colour[i] = (uint8_t)c;
        for (int64_t k = s->body_start[i]; c < MOST_COLOURS && k < s->body_start[i + 1]; k++)
            of_body[s->body[k]] |= UINT64_C(1) << c;
    }
}

/* The order by colours; what found no colour (a body with more contacts than there are colours)
   stands at the end. */
static void order_by_colour(mrn_sweeper *w, const uint8_t *colour)
{
    int64_t count[MOST_COLOURS + 2] = {0};
    for (int i = 0; i < w->s->n; i++)
        count[colour[i] + 1]++;
    for (int c = 0; c <= MOST_COLOURS; c++)
        count[c + 1] += count[c];
    w->colours = 0;
    while (w->colours < MOST_COLOURS && count[w->colours + 1] > count[w->colours])
        w->colours++;
    for (int c = 0; c <= w->colours; c++)
        w->colour[c] = count[c];
    w->colour[w->colours + 1] = w->s->n;
    for (int i = 0; i < w->s->n; i++)
        w->order[count[colour[i]]++] = i;
}

/* A W whose pattern is not symmetric would hide a neighbour of higher number from the one of lower:
   contacts then go one after another. */
static bool pattern_is_symmetric(const mrn_system *s)
{
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            int j = s->col[k];
            if (j > i)
                continue;
            int64_t lo = s->start[j], hi = s->start[j + 1];
            while (lo < hi) {
                int64_t mid = lo + (hi - lo) / 2;
                if (s->col[mid] < i)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            if (lo == s->start[j + 1] || s->col[lo] != i)
                return false;
        }
    return true;
}

/* Whether no block of W joins two contacts of a colour: bodies say so only where W really is that
   of H and M. */
static bool colours_are_apart(const mrn_system *s, const uint8_t *colour)
{
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->start[i]; colour[i] < MOST_COLOURS && k < s->start[i + 1]; k++)
            if (colour[s->col[k]] == colour[i])
                return false;
    return true;
}

static mrn_status make_colours(mrn_sweeper *w)
{
    mrn_system *s = w->s;
    uint8_t *colour = mrn_work(s->work, s->n, sizeof *colour);
    w->colour = mrn_work(s->work, MOST_COLOURS + 2, sizeof *w->colour);
    if (colour == NULL || w->colour == NULL)
        return MRN_ERR_MEMORY;
    if (s->has_bodies) {
        uint64_t *of_body = mrn_work(s->work, s->n_bodies, sizeof *of_body);
        if (of_body == NULL)
            return MRN_ERR_MEMORY;
        colour_by_bodies(s, of_body, colour);
    }
    if (!s->has_bodies || (!w->exchange && !colours_are_apart(s, colour))) {
        if (pattern_is_symmetric(s))
            colour_by_blocks(s, colour);
        else
            memset(colour, MOST_COLOURS, (size_t)s->n); /* all one after another */
    }
    order_by_colour(w, colour);
    return MRN_OK;
}

mrn_status mrn_sweeper_make(mrn_system *s, bool exchange, mrn_sweep_order order, mrn_sweeper *out,
                            mrn_message *msg)
{
    mrn_sweeper w = {.s = s, .exchange = exchange, .relaxation = 1};
    int64_t chunks = s->n / CHUNK + MOST_COLOURS + 2;
    w.order = mrn_work(s->work, s->n, sizeof *w.order);
    if (w.order == NULL)
        return mrn_fail_memory(msg);
    for (int i = 0; i < s->n; i++)
        w.order[i] = i;
    mrn_status st = order == MRN_ORDER_COLOURS ? make_colours(&w)
                    : order == MRN_ORDER_SLABS ? mrn_sweep_cut_slabs(&w)
                                               : MRN_OK;
    w.partial = mrn_work(s->work, PARTIAL * (chunks + w.slabs), sizeof *w.partial);
    w.through_bodies = exchange && mrn_sweep_bodies_fit(s);
    if (st == MRN_OK && w.through_bodies)
        st = mrn_sweep_bodies_make(&w);
    if (st != MRN_OK || w.partial == NULL)
        return mrn_fail_memory(msg);
    if (exchange && !w.through_bodies) {
        w.v = mrn_work(s->work, (int64_t)s->n_bodies * s->dof, sizeof *w.v);
        if (w.v == NULL)
            return mrn_fail_memory(msg);
    }
    *out = w;
    return MRN_OK;
}

void mrn_sweeper_refresh(mrn_sweeper *w, const double *r)
{
    if (!w->exchange)
        return;
    mrn_system_push(w->s, r, w->through_bodies ? w->s->body_v : w->v);
    if (w->through_bodies)
        mrn_sweep_bodies_load(w, w->s->body_v);
}

void mrn_sweeper_velocity(const mrn_sweeper *w, const double *r, double *u)
{
    if (w->through_bodies)
        mrn_sweep_bodies_velocity(w, r, u);
    else
        mrn_system_velocity(w->s, r, u);
}

/* ---- one contact ---- */

/* v += velocity by the bodies less that of its own impulse. */
static inline void others_exchanged(const mrn_sweeper *w, int b, int dof, int64_t i,
                                    const double *r, double *v)
{
    const mrn_system *s = w->s;
    double own[MRN_CONTACT_BLOCK_MAX] = {0}, given[MRN_CONTACT_BLOCK_MAX] = {0};
    double *u = s->ht_as_given ? given : v;
    for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
        mrn_body_relative(b, dof, s->ht + k * b * dof, w->v + (int64_t)s->body[k] * dof, u);
    for (int c = 0; s->ht_as_given && c < b; c++)
        v[c] += s->ht_factor[c] * given[c];
    mrn_block_times(b, s->diag + i * b * b, r + i * b, own);
    for (int c = 0; c < b; c++)
        v[c] -= own[c];
    for (int c = 0; s->compliance != NULL && c < b; c++)
        v[c] += s->compliance[i * b + c] * r[i * b + c];
}

/* Velocity of contact i without its own impulse. */
static inline void others(const mrn_sweeper *w, int64_t i, const double *r, double *v)
{
    const mrn_system *s = w->s;
    int b = s->b;
    const double *q = s->q + i * b;
    if (!w->exchange && b == 3) {
        v[0] = q[0], v[1] = q[1], v[2] = q[2];
        mrn_row_times_3(s, (int)i, r, v);
        return;
    }
    for (int c = 0; c < b; c++)
        v[c] = q[c];
    if (!w->exchange) {
        mrn_row_times(s, (int)i, r, v);
        return;
    }
    if (b == 3 && s->dof == 6) /* sizes known when compiled: loops are unrolled */
        others_exchanged(w, 3, 6, i, r, v);
    else if (b == 2 && s->dof == 3)
        others_exchanged(w, 2, 3, i, r, v);
    else if (b == 3 && s->dof == 3)
        others_exchanged(w, 3, 3, i, r, v);
    else if (b == 5 && s->dof == 6)
        others_exchanged(w, 5, 6, i, r, v);
    else
        others_exchanged(w, b, s->dof, i, r, v);
}

/* Tells the bodies of contact i that its impulse changed by d. */
static inline void pass_on_sized(const mrn_sweeper *w, int b, int dof, int64_t i, const double *d)
{
    const mrn_system *s = w->s;
    double given[MRN_CONTACT_BLOCK_MAX];
    for (int c = 0; s->ht_as_given && c < b; c++)
        given[c] = s->ht_factor[c] * d[c];
    d = s->ht_as_given ? given : d;
    for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
        double p[6] = {0}, *v = w->v + (int64_t)s->body[k] * dof;
        mrn_body_push(b, dof, s->ht + k * b * dof, d, p);
        mrn_body_velocity(dof, s->minv + (int64_t)s->body[k] * dof * dof, p);
        for (int c = 0; c < dof; c++)
            v[c] += p[c];
    }
}

static inline void pass_on(const mrn_sweeper *w, int64_t i, const double *d)
{
    int b = w->s->b, dof = w->s->dof;
    if (b == 3 && dof == 6)
        pass_on_sized(w, 3, 6, i, d);
    else if (b == 2 && dof == 3)
        pass_on_sized(w, 2, 3, i, d);
    else if (b == 3 && dof == 3)
        pass_on_sized(w, 3, 3, i, d);
    else if (b == 5 && dof == 6)
        pass_on_sized(w, 5, 6, i, d);
    else
        pass_on_sized(w, b, dof, i, d);
}

static inline bool solve_one(const mrn_sweeper *w, int64_t i, const double *v, double *x)
{
    const mrn_system *s = w->s;
    int size = s->b * s->b;
    const double *mu = s->mu + i * MRN_FRICTION_GROUPS;
    if (s->kind == MRN_CONTACT_3D && w->method == MRN_LOCAL_AUTO && s->law[i] == MRN_UNILATERAL)
        return mrn_local_3d(s->diag + i * size, s->inverse + i * size, v, mu[0], x);
    return mrn_local_solve(w->method, s->lay, (mrn_contact_law)s->law[i], s->diag + i * size,
                           s->inverse + i * size, v, mu, 0, x);
}

/* a . W b of one block */
static inline double form(int b, const double *w, const double *x, const double *y)
{
    double sum = 0;
    for (int c = 0; c < b; c++)
        for (int a = 0; a < b; a++)
            sum += x[a] * w[c * b + a] * y[c];
    return sum;
}

void mrn_sweep_count(mrn_sweep_sums *sums, int b, const double *w, const double *old,
                     const double *new, const double *d)
{
    double term = form(b, w, d, d), after = form(b, w, new, new), before = form(b, w, old, old);
    sums->violation += term;
    sums->worst = term > sums->worst ? term : sums->worst;
    sums->reference += 0.5 * (after + before);
    sums->gain += 0.5 * (after - before);
    sums->active += after + before > 0;
}

/* The common case, without what options ask for: stored blocks, Coulomb's law in 3D. */
static inline void update_plain_3d(const mrn_system *s, int64_t i, double *r, mrn_sweep_sums *sums)
{
    const double *q = s->q + i * 3;
    double *ri = r + i * 3, x[3] = {ri[0], ri[1], ri[2]}, v[3] = {q[0], q[1], q[2]};
    mrn_row_times_3(s, (int)i, r, v);
    sums->failed +=
        !mrn_local_3d(s->diag + i * 9, s->inverse + i * 9, v, s->mu[i * MRN_FRICTION_GROUPS], x);
    double d0 = x[0] - ri[0], d1 = x[1] - ri[1], d2 = x[2] - ri[2];
    sums->change += d0 * d0 + d1 * d1 + d2 * d2;
    ri[0] = x[0], ri[1] = x[1], ri[2] = x[2];
}

/* The same in 2D. */
static inline void update_plain_2d(const mrn_system *s, int64_t i, double *r, mrn_sweep_sums *sums)
{
    const double *q = s->q + i * 2;
    double *ri = r + i * 2, x[2] = {ri[0], ri[1]}, v[2] = {q[0], q[1]};
    mrn_row_times_2(s, (int)i, r, v);
    sums->failed += !mrn_local_2d(s->diag + i * 4, v, s->mu[i * MRN_FRICTION_GROUPS], x);
    double d0 = x[0] - ri[0], d1 = x[1] - ri[1];
    sums->change += d0 * d0 + d1 * d1;
    ri[0] = x[0], ri[1] = x[1];
}

static bool is_plain(const mrn_sweeper *w)
{
    return !w->s->any_bilateral && !w->exchange && !w->energies && w->method == MRN_LOCAL_AUTO &&
           w->relaxation == 1 && w->verified == NULL;
}

static void update(mrn_sweeper *w, int64_t i, double *r, mrn_sweep_sums *sums)
{
    const mrn_system *s = w->s;
    int b = s->b;
    double v[MRN_CONTACT_BLOCK_MAX + 2], x[MRN_CONTACT_BLOCK_MAX], d[MRN_CONTACT_BLOCK_MAX];
    double *ri = r + i * b;
    others(w, i, r, v);
    for (int c = 0; c < b; c++)
        x[c] = ri[c];
    sums->failed += !solve_one(w, i, v, x);
    for (int c = 0; c < b; c++) {
        x[c] = w->relaxation == 1 ? x[c] : ri[c] + w->relaxation * (x[c] - ri[c]);
        d[c] = x[c] - ri[c];
    }
    /* over-relaxed impulses may leave the cone; the law holds for what is kept */
    if (w->relaxation > 1 && s->law[i] == MRN_UNILATERAL) {
        mrn_cone_project(s->lay, s->mu + i * MRN_FRICTION_GROUPS, x, x);
        for (int c = 0; c < b; c++)
            d[c] = x[c] - ri[c];
    }
    for (int c = 0; c < b; c++)
        sums->change += d[c] * d[c];
    if (w->energies)
        mrn_sweep_count(sums, b, s->diag + i * b * b, ri, x, d);
    if (w->verified != NULL)
        w->verified[i] = s->diag[i * b * b] * fabs(d[0]) <= w->threshold;
    for (int c = 0; c < b; c++)
        ri[c] = x[c];
    if (w->exchange)
        pass_on(w, i, d);
}

/* ---- a sweep ---- */

static void put_partial(double *p, const mrn_sweep_sums *x)
{
    p[0] = x->change, p[1] = x->violation, p[2] = x->worst, p[3] = x->reference;
    p[4] = (double)x->failed, p[5] = x->gain, p[6] = (double)x->active;
}

/* Contacts order[at .. end), or with `top` > 0 those from top - 1 - at downwards. */
static void stretch(mrn_sweeper *w, int64_t at, int64_t end, int64_t top, double *r,
                    double *partial)
{
    mrn_sweep_sums sums = {0};
    bool plain_3d = is_plain(w) && w->s->kind == MRN_CONTACT_3D;
    bool plain_2d = is_plain(w) && w->s->kind == MRN_CONTACT_2D;
    if (w->through_bodies)
        mrn_sweep_bodies_stretch(w, at, end, top, r, &sums);
    for (int64_t k = at; !w->through_bodies && k < end; k++) {
        int64_t i = w->order[top > 0 ? top - 1 - k : k];
        if (plain_3d)
            update_plain_3d(w->s, i, r, &sums);
        else if (plain_2d)
            update_plain_2d(w->s, i, r, &sums);
        else
            update(w, i, r, &sums);
    }
    put_partial(partial, &sums);
}

/* Chunk c of the contacts order[from .. to). */
static void chunk(mrn_sweeper *w, int64_t from, int64_t to, int64_t c, bool reverse, double *r,
                  double *partial)
{
    int64_t at = from + c * CHUNK, end = at + CHUNK < to ? at + CHUNK : to;
    stretch(w, at, end, reverse ? from + to : 0, r, partial + PARTIAL * c);
}

/* Contacts order[from .. to), in chunks; returns the number of chunks. */
static int64_t range(mrn_sweeper *w, int64_t from, int64_t to, bool reverse, bool threads,
                     double *r, double *partial)
{
    int64_t chunks = (to - from + CHUNK - 1) / CHUNK;
    if (!threads || chunks <= 1) {
        for (int64_t c = 0; c < chunks; c++)
            chunk(w, from, to, c, reverse, r, partial);
        return chunks;
    }
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < chunks; c++)
        chunk(w, from, to, c, reverse, r, partial);
    return chunks;
}

/* Slabs from … to, which share no body, contact by contact in turns. A contact has to wait for the
   one before in its slab, which mostly has a body in common with it; not for those of the others:
   the processor works on several at a time. Each slab goes on as it would alone. */
enum { SIDE_BY_SIDE = 4 };

static void slabs_in_turns(mrn_sweeper *w, int from, int to, double *r)
{
    mrn_sweep_sums sums[SIDE_BY_SIDE] = {0};
    if (!w->through_bodies) {
        for (int c = from; c < to; c++)
            stretch(w, w->slab[c], w->slab[c + 1], 0, r, w->partial + PARTIAL * c);
        return;
    }
    mrn_sweep_bodies_turns(w, to - from, w->slab + from, r, sums);
    for (int c = from; c < to; c++)
        put_partial(w->partial + PARTIAL * c, sums + (c - from));
}

/* How many slabs a thread takes at a time: as many as leave some to everybody. No result hangs on
   it. */
static int slabs_at_a_time(const mrn_sweeper *w)
{
    int each = w->even_slabs / (3 * mrn_threads());
    return each < 1 ? 1 : each > SIDE_BY_SIDE ? SIDE_BY_SIDE : each;
}

/* Slabs from … to, some of them a part. */
typedef struct side_by_side {
    mrn_sweeper *w;
    int from, to, step;
    double *r;
} side_by_side;

static void some_slabs(void *of, int64_t part)
{
    const side_by_side *s = of;
    int at = s->from + (int)part * s->step;
    slabs_in_turns(s->w, at, at + s->step < s->to ? at + s->step : s->to, s->r);
}

/* Even slabs, then odd ones. */
static void all_slabs(void *of, mrn_crew *crew)
{
    side_by_side s = *(side_by_side *)of;
    const int from[] = {0, s.w->even_slabs}, to[] = {s.w->even_slabs, s.w->slabs};
    for (int odd = 0; odd < 2; odd++) {
        s.from = from[odd], s.to = to[odd];
        mrn_crew_share(crew, (s.to - s.from + s.step - 1) / s.step, some_slabs, &s);
    }
}

/* A crew for this sweep alone, where nobody has gathered one for many. */
static void sweep_slabs(mrn_sweeper *w, double *r)
{
    side_by_side s = {.w = w, .r = r, .step = slabs_at_a_time(w)};
    if (w->s->crew != NULL)
        all_slabs(&s, w->s->crew);
    else
        mrn_crew_gather(all_slabs, &s);
}

void mrn_sweep(mrn_sweeper *w, bool reverse, double *r, mrn_sweep_sums *sums)
{
    int64_t n = 0;
    for (int c = 0; c < w->colours; c++)
        n += range(w, w->colour[c], w->colour[c + 1], false, true, r, w->partial + PARTIAL * n);
    int64_t rest = w->colours > 0 ? w->colour[w->colours] : 0;
    if (w->slabs > 0) {
        sweep_slabs(w, r);
        n = w->slabs;
    } else {
        n += range(w, rest, w->s->n, reverse, false, r, w->partial + PARTIAL * n);
    }
    *sums = (mrn_sweep_sums){0};
    for (int64_t c = 0; c < n; c++) {
        const double *p = w->partial + PARTIAL * c;
        sums->change += p[0];
        sums->violation += p[1];
        sums->worst = p[2] > sums->worst ? p[2] : sums->worst;
        sums->reference += p[3];
        sums->failed += (int64_t)p[4];
        sums->gain += p[5];
        sums->active += (int64_t)p[6];
    }
}

/* The worst contact is measured by the energy of one contact, the mean over those that bear: so it
   is never less than the mean violation. */
void mrn_sweep_violations(const mrn_sweep_sums *sums, double violation[MRN_VIOLATIONS])
{
    double w = sums->reference;
    violation[0] = w > 0 ? sums->violation / w : 0;
    violation[1] = sqrt(violation[0] > 0 ? violation[0] : 0);
    violation[2] = w > 0 ? sums->worst / w * (double)sums->active : 0;
    violation[3] = w > 0 ? sums->gain / w : 0;
}
