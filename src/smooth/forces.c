/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the neighbour list to contact forces. Work is cut into blocks that do not depend on the
   number of threads: each block finds its pairs in touch, computes their kinematics, lets the law
   answer and stores force and history in the contact slot of the pair. Nothing is summed across
   blocks here but totals, in sums whose value does not depend on the order of their terms
   (base/sum.h): the bits never depend on threads, nor on places in memory. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/dispatch.h"
#include "geom/cluster.h"
#include "laws/tangent.h"
#include "smooth/half_way.h"
#include "smooth/polytopes.h"
#include "smooth/stream.h"

/* ---- plan ---- */

static mrn_status size_scratch(mrn_smooth *e, mrn_message *msg)
{
    const mrn_pairs *p = &e->state->pair;
    int64_t largest = 1;
    for (int32_t i = e->state->body.n_walls; i < p->rows; i++) {
        int64_t n = p->wall_row[i + 1] - p->wall_row[i];
        largest = n > largest ? n : largest;
    }
    for (int t = 0; t < e->threads; t++)
        if (mrn_grow(&e->scratch[t]->wall, &e->scratch[t]->wall_room, largest,
                     sizeof(mrn_contact_point)) != MRN_OK)
            return mrn_fail_memory(msg);
    mrn_status st = MRN_OK;
    for (int t = 0; t < e->threads && e->scene->polytopes && st == MRN_OK; t++)
        st = mrn_polytopes_reserve(e->scratch[t]->polytopes, e->scene, largest, msg);
    return st;
}

/* How far from the axis of each wall the grains are: bounds the way of a rotating wall. */
static void measure_reach(mrn_smooth *e)
{
    const mrn_bodies *b = &e->state->body;
    for (int32_t w = 0; w < b->n_walls; w++) {
        const mrn_motion *m = &e->scene->wall[w].motion; /* the body may not turn yet */
        bool turns =
            mrn_norm(m->spin) > 0 || (m->kind == MRN_MOTION_PATH && !mrn_signal_is_zero(&m->angle));
        turns = turns && m->kind != MRN_MOTION_NONE;
        e->reach[w] =
            turns ? mrn_drive_wall_reach(e->state, w, b->x_list, mrn_drive_wall_axis(m)) : 0;
    }
}

/* Pairs with walls, wall by wall, and cut into spans. */
static mrn_status plan_walls(mrn_smooth *e, mrn_message *msg)
{
    const mrn_pairs *p = &e->state->pair;
    int64_t n = p->n - p->n_grain, walls = e->state->body.n_walls, *at = NULL;
    e->n_spans = 0;
    mrn_status st = mrn_array(&at, walls + 1, sizeof *at, msg);
    if (st != MRN_OK || mrn_grow(&e->wall_pair, &e->wall_pair_room, n, sizeof *e->wall_pair) ||
        mrn_grow(&e->span, &e->span_room, walls + n / MRN_BLOCK, sizeof *e->span)) {
        mrn_free(at);
        return mrn_fail_memory(msg);
    }
    for (int64_t k = p->n_grain; k < p->n; k++)
        at[p->other[k] + 1]++;
    for (int64_t w = 0; w < walls; w++) {
        for (int64_t from = at[w]; from < at[w] + at[w + 1]; from += MRN_BLOCK) {
            int64_t left = at[w] + at[w + 1] - from;
            e->span[e->n_spans++] =
                (mrn_wall_span){.wall = (int32_t)w,
                                .begin = from,
                                .end = from + (left < MRN_BLOCK ? left : MRN_BLOCK)};
        }
        at[w + 1] += at[w];
    }
    for (int64_t k = p->n_grain; k < p->n; k++)
        e->wall_pair[at[p->other[k]]++] = (int32_t)k;
    mrn_free(at);
    return MRN_OK;
}

void mrn_forces_name_owners(mrn_smooth *e)
{
    const mrn_pairs *p = &e->state->pair;
    for (int32_t i = e->state->body.n_walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
            e->owner[k] = i;
}

/* Room for what is written anew: nothing is kept, little is spare. */
static mrn_status room_for_pairs(int32_t **p, int64_t *room, int64_t need)
{
    if (need > *room) {
        mrn_free(*p);
        *room = need + need / 32;
        *p = mrn_realloc(NULL, (size_t)*room * sizeof **p);
    }
    *room = *p != NULL ? *room : 0;
    return *p != NULL || need == 0 ? MRN_OK : MRN_ERR_MEMORY;
}

mrn_status mrn_forces_plan(mrn_smooth *e, mrn_message *msg)
{
    const mrn_pairs *p = &e->state->pair;
    e->grain_chunks = (p->n_grain + MRN_CHUNK_PAIRS - 1) / MRN_CHUNK_PAIRS;
    int32_t grains = p->rows - e->state->body.n_walls;
    e->wall_chunks = p->n > p->n_grain ? (grains + MRN_CHUNK_ROWS - 1) / MRN_CHUNK_ROWS : 0;
    int64_t row_chunks = (grains + MRN_CHUNK_ROWS - 1) / MRN_CHUNK_ROWS;
    if (room_for_pairs(&e->owner, &e->owner_room, p->n_grain) ||
        mrn_grow(&e->far, &e->far_room, row_chunks, sizeof *e->far) ||
        mrn_grow(&e->reach, &e->reach_room, e->state->body.n_walls, sizeof *e->reach) ||
        mrn_grow(&e->wall_from, &e->wall_from_room, e->state->body.n_walls, sizeof *e->wall_from))
        return mrn_fail_memory(msg);
    measure_reach(e);
    mrn_forces_name_owners(e);
    mrn_status st = mrn_clusters_plan(e, msg);
    if (st == MRN_OK)
        st = plan_walls(e, msg);
    return st == MRN_OK ? size_scratch(e, msg) : st;
}

/* ---- kinematics of a block ---- */

/* A grain that does not move is as heavy as a wall. */
static void fixed_masses(const mrn_state *s, mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++) {
        bool fc = s->body.flags[w->c[k]] & MRN_BODY_FIXED,
             fa = s->body.flags[w->a[k]] & MRN_BODY_FIXED;
        if (fc || fa)
            w->block.m_eff[k] = fc ? s->body.mass[w->a[k]] : s->body.mass[w->c[k]];
    }
}

/* Forces and branches: the stress that the cell's strain does work against. */
static void add_virial(mrn_scratch *w, mrn_tally_part *t)
{
    const mrn_law_block *b = &w->block;
    for (int k = 0; k < b->n; k++) {
        double fx = b->fn[k] * b->nx[k] + b->tx[k], fy = b->fn[k] * b->ny[k] + b->ty[k];
        double fz = b->fn[k] * b->nz[k] + b->tz[k];
        w->product[MRN_XX][k] = fx * w->bx[k], w->product[MRN_YY][k] = fy * w->by[k];
        w->product[MRN_ZZ][k] = fz * w->bz[k], w->product[MRN_XY][k] = fx * w->by[k];
        w->product[MRN_XZ][k] = fx * w->bz[k], w->product[MRN_YZ][k] = fy * w->bz[k];
    }
    for (int c = 0; c < 6; c++)
        mrn_sum_block(&t->virial[c], w->product[c], b->n);
}

/* From a sphere of a cluster to the centre that moves with the cell. */
static mrn_vec3 arm_of(const mrn_state *s, const mrn_images *im, int32_t i)
{
    if (!(s->body.flags[i] & MRN_BODY_MEMBER))
        return mrn_v3(0, 0, 0);
    size_t centre = (size_t)s->body.index_of[s->body.parent[i]];
    return mrn_images_nearest(
        im, mrn_sub(mrn_load3(s->body.x + 3 * centre), mrn_load3(s->body.x + 3 * (size_t)i)));
}

/* The branch of a contact joins the centres of the bodies that the cell carries. */
static void cluster_branches(const mrn_state *s, const mrn_images *im, mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++) {
        bool wall = w->a[k] < s->body.n_walls;
        mrn_vec3 c = wall ? mrn_v3(0, 0, 0) : arm_of(s, im, w->c[k]);
        mrn_vec3 a = wall ? mrn_v3(0, 0, 0) : arm_of(s, im, w->a[k]);
        w->bx[k] += c.x - a.x, w->by[k] += c.y - a.y, w->bz[k] += c.z - a.z;
    }
}

static void add_terms(mrn_tally_part *t)
{
    for (int k = 0; k < MRN_TALLY_TERMS; k++)
        mrn_sum_block(&t->sum[k], t->term[k], t->n);
    t->n = 0;
}

/* The largest overlap over the effective radius, eight maxima side by side: one running maximum is
   a chain that not every compiler may cut (a NaN would show which way it was cut). */
static double largest_of(const mrn_law_block *b, double top)
{
    enum { LANES = 8 };
    double most[LANES] = {0};
    int whole = b->n - b->n % LANES;
    for (int k = 0; k < whole; k += LANES)
        for (int l = 0; l < LANES; l++) {
            double o = b->delta[k + l] / b->r_eff[k + l];
            most[l] = o > most[l] ? o : most[l];
        }
    for (int k = whole; k < b->n; k++) {
        double o = b->delta[k] / b->r_eff[k];
        most[0] = o > most[0] ? o : most[0];
    }
    for (int l = 0; l < LANES; l++)
        top = most[l] > top ? most[l] : top;
    return top;
}

/* Few blocks have a larger one than those before: most are spared the quotients. */
MRN_DISPATCHED static bool may_be_larger(const mrn_law_block *b, double top)
{
    double bound = (1 - 8 * DBL_EPSILON) * top; /* room for the rounding of product and quotient */
    int n = b->n, over = 0;
#pragma omp simd reduction(| : over)
    for (int k = 0; k < n; k++)
        over |= b->delta[k] >= bound * b->r_eff[k];
    return over != 0;
}

void mrn_tally_room(mrn_tally_part *t, int n)
{
    if (t->n + n > MRN_TALLY_ROOM)
        add_terms(t);
}

/* The rest of a block whose terms are there. */
static void count_contacts(const mrn_law_block *b, mrn_tally_part *t)
{
    int64_t sliding = 0;
    for (int k = 0; k < b->n; k++)
        sliding += b->slip[k] > 0;
    if (may_be_larger(b, t->max_overlap))
        t->max_overlap = largest_of(b, t->max_overlap);
    t->n += b->n;
    t->contacts += b->n;
    t->sliding += sliding;
}

static void add_tally(const mrn_law_block *b, mrn_tally_part *t)
{
    size_t bytes = (size_t)b->n * sizeof(double);
    mrn_tally_room(t, b->n);
    memcpy(t->term[MRN_TERM_ENERGY_N] + t->n, b->energy_n, bytes);
    memcpy(t->term[MRN_TERM_ENERGY_T] + t->n, b->energy_t, bytes);
    memcpy(t->term[MRN_TERM_LOSS_N] + t->n, b->loss_n, bytes);
    memcpy(t->term[MRN_TERM_POWER_T] + t->n, b->power_t, bytes);
    count_contacts(b, t);
}

static void split_gap(mrn_law_block *b)
{
    int n = b->n;
    for (int k = 0; k < n; k++)
        mrn_split_gap(b, k);
}

static void clear_moments(mrn_law_block *b)
{
    size_t bytes = (size_t)b->n * sizeof(double);
    memset(b->mx, 0, bytes), memset(b->my, 0, bytes), memset(b->mz, 0, bytes);
}

/* ---- half-way through the step: springs without a dashpot ---- */

static mrn_half_way member_half_way(const mrn_smooth *e, int32_t i, double h)
{
    const mrn_bodies *b = &e->state->body;
    size_t c = (size_t)b->index_of[b->parent[i]];
    return mrn_half_way_carried(mrn_load3(b->v + 3 * c), mrn_load3(b->f + 3 * c), b->mass[c],
                                !(b->flags[c] & MRN_BODY_FIXED), mrn_load_quat(e->turned + 4 * c),
                                mrn_scale(-1, arm_of(e->state, &e->images, i)), h);
}

static mrn_half_way body_half_way(const mrn_smooth *e, int32_t i, double h)
{
    const mrn_bodies *b = &e->state->body;
    size_t k = 3 * (size_t)i;
    if (b->flags[i] & MRN_BODY_MEMBER)
        return member_half_way(e, i, h);
    mrn_vec3 v = mrn_load3(b->v + k), w = mrn_load3(b->w + k);
    if (b->flags[i] & MRN_BODY_FIXED)
        return mrn_half_way_still(v, w);
    return mrn_half_way_of(v, w, mrn_load3(b->f + k), mrn_load3(b->t + k), b->mass[i],
                           b->inertia[i], h);
}

static const double *rate_of(const mrn_smooth *e)
{
    return e->drive.strains ? e->rate_used : NULL;
}

static void grains_half_way(const mrn_smooth *e, double h, int k, mrn_scratch *w)
{
    const double *radius = e->state->body.radius;
    mrn_grains_half_way(&w->block, k, h, rate_of(e), body_half_way(e, w->c[k], h),
                        body_half_way(e, w->a[k], h), mrn_v3(w->bx[k], w->by[k], w->bz[k]),
                        radius[w->c[k]], radius[w->a[k]]);
}

static void wall_half_way(const mrn_smooth *e, double h, int k, mrn_scratch *w)
{
    const mrn_bodies *body = &e->state->body;
    size_t at = 3 * (size_t)w->a[k], i = (size_t)w->c[k];
    const mrn_wall_past *past = &e->wall_from[w->a[k]];
    const mrn_wall_way wall = {mrn_load3(body->x + at),
                               mrn_load3(body->w + at),
                               past->x,
                               past->w,
                               {w->past[0][k], w->past[1][k], w->past[2][k]}};
    mrn_wall_half_way(&w->block, k, h, rate_of(e), &e->images, mrn_load3(e->state->cell_origin),
                      body_half_way(e, w->c[k], h), mrn_load3(body->x + 3 * i), body->radius[i],
                      w->lever[k], wall);
}

/* Nothing moves: springs stay. */
static void no_way(mrn_law_block *b, int k)
{
    mrn_vec3 n = {b->nx[k], b->ny[k], b->nz[k]}, none = {0, 0, 0};
    mrn_store_half_way(b, k, 0, n, none, none, none);
}

static void passages(const mrn_smooth *e, double h, mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++)
        if (!(h > 0))
            no_way(&w->block, k);
        else if (w->a[k] < e->state->body.n_walls)
            wall_half_way(e, h, k, w);
        else
            grains_half_way(e, h, k, w);
}

/* What is different for the grains with corners in a block. */
static void polytope_passages(const mrn_smooth *e, const mrn_prepared *law, double h,
                              mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++)
        if (w->polytopes->block[k].gradient > 0)
            mrn_polytope_passage(e, &w->polytopes->block[k], law, h, k, w);
}

/* What is felt through the gear of a corner; stiffness goes on following the bodies' own mass. */
static void polytope_masses(mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    b->geared = true;
    for (int k = 0; k < b->n; k++) {
        double gear = w->polytopes->block[k].gradient;
        b->m_own[k] = b->m_eff[k];
        if (gear > 0)
            b->m_eff[k] /= gear * gear;
    }
}

static void polytope_answers(mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++)
        if (w->polytopes->block[k].gradient > 0)
            mrn_polytope_answer(&w->polytopes->block[k], k, &w->block);
}

static void polytope_torques(mrn_state *s, const mrn_scratch *w)
{
    for (int k = 0; k < w->block.n; k++)
        if (w->polytopes->block[k].gradient > 0)
            mrn_polytope_torques(s, &w->polytopes->block[k], k, w);
}

/* Law, storing and tally of a block whose kinematics are there. */
static void resolve(mrn_smooth *e, int interaction, double h, mrn_scratch *w, mrn_tally_part *t)
{
    const mrn_prepared *law = &e->scene->interaction[interaction].ready;
    w->block.h = h;
    mrn_slots_load(&e->state->contact, e->scene->history, w);
    if (law->range)
        split_gap(&w->block);
    w->block.mean = law->undamped;
    if (w->block.mean)
        passages(e, h, w);
    if (w->block.mean && w->polytopes != NULL)
        polytope_passages(e, law, h, w);
    if (w->polytopes != NULL)
        polytope_masses(w);
    mrn_law_evaluate(law, &w->block);
    bool moments = e->scene->moments || w->polytopes != NULL;
    if (moments && !law->moments)
        clear_moments(&w->block);
    if (w->polytopes != NULL)
        polytope_answers(w);
    mrn_spheres_answers(w);
    mrn_slots_store(&e->state->contact, e->scene->history, moments, w);
    if (w->polytopes != NULL)
        polytope_torques(e->state, w);
    add_tally(&w->block, t);
    if (w->block.mean)
        mrn_sum_block(&t->work_t, w->block.work_t, w->block.n);
    if (law->jumps && h > 0)
        mrn_sum_block(&t->jump, w->block.jump, w->block.n);
    if (e->drive.strains) {
        if (e->n_clusters > 0)
            cluster_branches(e->state, &e->images, w);
        add_virial(w, t);
    }
}

/* ---- grain against grain ---- */

static int interaction_of(const mrn_scene *scene, const mrn_state *s, int32_t c, int32_t a)
{
    return scene->pair_of[s->body.material[c] * scene->n_materials + s->body.material[a]];
}

/* A contact that has lost touch may still be held: a liquid bridge, adhesion. */
static bool lives_on(const mrn_smooth *e, int32_t i, int32_t j, double d2)
{
    int ia = interaction_of(e->scene, e->state, i, j);
    double ri = e->state->body.radius[i], rj = e->state->body.radius[j], sum = ri + rj;
    double reach = sum + mrn_pair_range(e->scene, ia, ri * rj / sum);
    return d2 < reach * reach;
}

void mrn_contact_end(mrn_contacts *c, int64_t k)
{
    c->flags[k] = 0;
    memset(c->force + 3 * k, 0, 3 * sizeof(double));
    memset(c->lever + 3 * k, 0, 3 * sizeof(double));
    if (c->moment != NULL)
        memset(c->moment + 3 * k, 0, 3 * sizeof(double));
}

/* Which pairs of a chunk touch where grains have corners or contacts live on at a distance; those
   that do not lose their history and force. */
static int touching(mrn_smooth *e, int64_t p0, int n, mrn_scratch *w)
{
    mrn_state *s = e->state;
    mrn_contacts *slots = &s->contact;
    const int32_t *a = s->pair.other + p0;
    int found = 0;
    for (int k = 0; k < n; k++) {
        int32_t i = e->owner[p0 + k], j = a[k];
        bool corners = w->polytopes != NULL && (mrn_is_polytope(s, i) || mrn_is_polytope(s, j));
        mrn_vec3 d = {w->dx[k], w->dy[k], w->dz[k]};
        bool touch = w->touch[k] != 0;
        if (corners) {
            double sum = s->body.bound[i] + s->body.bound[j];
            touch = mrn_dot(d, d) < sum * sum &&
                    mrn_overlap_of_grains(e->scene, s, i, j, d, w->polytopes,
                                          &w->polytopes->found[found]);
        } else if (w->polytopes != NULL) {
            w->polytopes->found[found].gradient = 0;
        }
        if (e->scene->range && !touch && !corners && mrn_contact_alive(slots, p0 + k))
            touch = lives_on(e, i, j, mrn_dot(d, d));
        w->entry[found] = (int16_t)k;
        found += touch;
        if (!touch && mrn_contact_alive(slots, p0 + k))
            mrn_contact_end(slots, p0 + k);
    }
    return found;
}

/* Contact m of those found, as entry n of the block. */
static inline void take(const mrn_smooth *e, int64_t p0, int m, int n, mrn_scratch *w)
{
    int k = w->entry[m];
    w->c[n] = e->owner[p0 + k], w->a[n] = e->state->pair.other[p0 + k], w->pair[n] = p0 + k;
    w->bx[n] = w->dx[k], w->by[n] = w->dy[k], w->bz[n] = w->dz[k];
}

/* The contacts of interaction `ia` among those found, as a block. */
static void block_of(const mrn_smooth *e, int ia, int64_t p0, int found, mrn_scratch *w)
{
    bool one = e->scene->n_interactions == 1;
    int n = 0;
    for (int m = 0; one && m < found; m++)
        take(e, p0, m, m, w);
    for (int m = 0; !one && m < found; m++) {
        take(e, p0, m, n, w);
        if (interaction_of(e->scene, e->state, w->c[n], w->a[n]) != ia)
            continue;
        if (w->polytopes != NULL)
            w->polytopes->block[n] = w->polytopes->found[m];
        n++;
    }
    if (one && w->polytopes != NULL)
        memcpy(w->polytopes->block, w->polytopes->found,
               (size_t)found * sizeof *w->polytopes->block);
    w->block.n = one ? found : n;
}

/* The block in one loop, if its laws have one and nothing in the scene asks for more than forces:
   whether it was done so. */
static bool resolve_fused(mrn_smooth *e, int interaction, double h, mrn_scratch *w,
                          mrn_tally_part *t)
{
    const mrn_prepared *law = &e->scene->interaction[interaction].ready;
    bool special = w->polytopes != NULL || e->any_fixed || e->drive.strains || e->scene->moments;
    mrn_fused *loop = special ? NULL : mrn_fused_of(law);
    if (loop == NULL)
        return false;
    mrn_slots_load(&e->state->contact, e->scene->history, w);
    mrn_tally_room(t, w->block.n);
    loop(law, e->state->cell_rate, h, w, t);
    mrn_slots_store(&e->state->contact, e->scene->history, false, w);
    count_contacts(&w->block, t);
    return true;
}

static void grain_chunk(mrn_smooth *e, int64_t chunk, const mrn_images *im, double h,
                        mrn_scratch *w, mrn_tally_part *t)
{
    const mrn_pairs *p = &e->state->pair;
    int64_t p0 = chunk * MRN_CHUNK_PAIRS, left = p->n_grain - p0;
    int n = left < MRN_CHUNK_PAIRS ? (int)left : MRN_CHUNK_PAIRS;
    bool plain = w->polytopes == NULL && !e->scene->range;
    int found = mrn_spheres_touching(e->state, im, e->owner + p0, p0, n, plain, w);
    if (!plain)
        found = touching(e, p0, n, w);
    for (int ia = 0; found > 0 && ia < e->scene->n_interactions; ia++) {
        block_of(e, ia, p0, found, w);
        if (w->block.n == 0)
            continue;
        mrn_spheres_motions(e->state, w);
        if (resolve_fused(e, ia, h, w, t))
            continue;
        mrn_spheres_kinematics(e->state, w);
        if (e->any_fixed)
            fixed_masses(e->state, w);
        for (int k = 0; k < w->block.n && w->polytopes != NULL; k++)
            if (w->polytopes->block[k].gradient > 0)
                mrn_polytope_kinematics(e->state, &w->polytopes->block[k], k, w);
        resolve(e, ia, h, w, t);
    }
}

/* ---- grain against wall ---- */

/* A contact that passes from one facet to the next keeps its memory: it takes that of a pair of the
   same grain and wall which has just lost touch at nearly the same point. */
static void hand_over(mrn_contacts *c, int64_t p0, int64_t p1, const mrn_contact_point *now,
                      double radius, const mrn_images *im)
{
    int width = c->history_width;
    for (int64_t k = p0; k < p1; k++) {
        if (!now[k - p0].touch || mrn_contact_alive(c, k))
            continue;
        for (int64_t m = p0; m < p1; m++) {
            if (now[m - p0].touch || !mrn_contact_alive(c, m))
                continue;
            mrn_vec3 d = mrn_sub(now[k - p0].point, mrn_load3(mrn_contacts_point(c, m)));
            d = mrn_images_nearest(im, d); /* the grain may have been put back into the cell since
                                            */
            if (mrn_dot(d, d) > 0.01 * radius * radius)
                continue;
            memcpy(c->history + k * width, c->history + m * width, (size_t)width * sizeof(double));
            memcpy(mrn_contacts_point(c, k), mrn_contacts_point(c, m), 3 * sizeof(double));
            c->flags[k] = MRN_CONTACT_ALIVE;
            c->flags[m] = 0;
            break;
        }
    }
}

/* Where a grain's numbers of now stand. */
typedef struct grain_now {
    const double *x, *v, *w;
} grain_now;

static grain_now grain_at(const mrn_smooth *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    const mrn_stream *s = e->stream;
    size_t k = (size_t)i;
    if (s->on)
        return (grain_now){s->place + 4 * k, s->motion + 8 * k, s->motion + 8 * k + 4};
    return (grain_now){b->x + 3 * k, b->v + 3 * k, b->w + 3 * k};
}

static void wall_kinematics(const mrn_state *s, int32_t i, grain_now at, int32_t wall,
                            const mrn_contact_point *c, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    int k = b->n++;
    size_t wi = 3 * (size_t)wall;
    double r = s->body.radius[i], d = r + c->gap;
    mrn_vec3 n = c->normal, wc = mrn_load3(at.w), wa = mrn_load3(s->body.w + wi);
    /* arm of the wall: from its centre, nearest image not needed since only rotating walls use it
     */
    mrn_vec3 r_a = mrn_sub(c->point, mrn_load3(s->body.x + wi));
    mrn_vec3 u = mrn_contact_velocity(mrn_load3(at.v), wc, mrn_scale(-d, n),
                                      mrn_load3(s->body.v + wi), wa, r_a);
    double un = mrn_dot(u, n);
    b->delta[k] = -c->gap;
    b->rate[k] = -un;
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->ux[k] = u.x - un * n.x, b->uy[k] = u.y - un * n.y, b->uz[k] = u.z - un * n.z;
    b->wx[k] = wc.x - wa.x, b->wy[k] = wc.y - wa.y, b->wz[k] = wc.z - wa.z;
    b->spin[k] = 0.5 * mrn_dot(mrn_add(wc, wa), n);
    b->r_eff[k] = r;
    b->m_eff[k] = s->body.mass[i];
    w->lever[k] = d / r;
    w->bx[k] = w->by[k] = w->bz[k] = 0;
}

/* One grain and one wall: contacts of interaction `ia` go to the block. */
static void wall_group(mrn_smooth *e, const mrn_images *im, int32_t i, int64_t p0, int64_t p1,
                       int ia, double h, mrn_scratch *w, mrn_tally_part *t)
{
    mrn_state *s = e->state;
    const mrn_pairs *p = &s->pair;
    mrn_contacts *slots = &s->contact;
    if (interaction_of(e->scene, s, i, p->other[p0]) != ia)
        return;
    grain_now grain = grain_at(e, i);
    bool polytope = w->polytopes != NULL && mrn_is_polytope(s, i);
    int n = polytope ? mrn_overlap_of_wall(e->scene, s, im, i, p0, p1, w->polytopes, w->wall)
                     : mrn_wall_group_at(e->scene, s, im, i, grain.x, p0, p1, w->wall);
    if (n > 0 && p1 - p0 > 1)
        hand_over(slots, p0, p1, w->wall, s->body.radius[i], im);
    for (int64_t k = p0; k < p1; k++) {
        const mrn_contact_point *c = &w->wall[k - p0];
        if (!c->touch) {
            mrn_contact_end(slots, k);
            continue;
        }
        if (w->block.n == MRN_BLOCK) {
            resolve(e, ia, h, w, t);
            w->block.n = 0;
        }
        w->c[w->block.n] = i, w->a[w->block.n] = p->other[k], w->pair[w->block.n] = k;
        for (int d = 0; d < 3; d++)
            w->past[d][w->block.n] = mrn_contacts_point(slots, k)[d];
        mrn_store3(mrn_contacts_point(slots, k), c->point);
        wall_kinematics(s, i, grain, p->other[k], c, w);
        int at = w->block.n - 1;
        if (w->polytopes != NULL)
            w->polytopes->block[at] =
                polytope ? w->polytopes->wall[k - p0] : (mrn_polytope_contact){.gradient = 0};
        if (polytope)
            mrn_polytope_kinematics(s, &w->polytopes->block[at], at, w);
    }
}

static void wall_chunk(mrn_smooth *e, int64_t chunk, const mrn_images *im, double h, mrn_scratch *w,
                       mrn_tally_part *t)
{
    const mrn_pairs *p = &e->state->pair;
    int32_t first = e->state->body.n_walls + (int32_t)chunk * MRN_CHUNK_ROWS;
    int32_t last = first + MRN_CHUNK_ROWS < p->rows ? first + MRN_CHUNK_ROWS : p->rows;
    if (p->wall_row[first] == p->wall_row[last])
        return;
    for (int ia = 0; ia < e->scene->n_interactions; ia++) {
        w->block.n = 0;
        for (int32_t i = first; i < last; i++)
            for (int64_t p0 = p->wall_row[i], p1; p0 < p->wall_row[i + 1]; p0 = p1) {
                for (p1 = p0 + 1; p1 < p->wall_row[i + 1] && p->other[p1] == p->other[p0];)
                    p1++;
                wall_group(e, im, i, p0, p1, ia, h, w, t);
            }
        if (w->block.n > 0)
            resolve(e, ia, h, w, t);
    }
}

/* ---- all ---- */

mrn_tally mrn_forces_total(mrn_smooth *e)
{
    mrn_tally_part *all = &e->scratch[0]->tally;
    add_terms(all);
    for (int t = 1; t < e->threads; t++) {
        mrn_tally_part *p = &e->scratch[t]->tally;
        add_terms(p);
        for (int k = 0; k < MRN_TALLY_TERMS; k++)
            mrn_sum_merge(&all->sum[k], &p->sum[k]);
        mrn_sum_merge(&all->jump, &p->jump), mrn_sum_merge(&all->work_t, &p->work_t);
        for (int c = 0; c < 6; c++)
            mrn_sum_merge(&all->virial[c], &p->virial[c]);
        all->contacts += p->contacts, all->sliding += p->sliding;
        all->max_overlap = p->max_overlap > all->max_overlap ? p->max_overlap : all->max_overlap;
    }
    mrn_tally sum = {.energy_n = mrn_sum_value(&all->sum[MRN_TERM_ENERGY_N]),
                     .energy_t = mrn_sum_value(&all->sum[MRN_TERM_ENERGY_T]),
                     .loss_n = mrn_sum_value(&all->sum[MRN_TERM_LOSS_N]),
                     .power_t = mrn_sum_value(&all->sum[MRN_TERM_POWER_T]),
                     .jump = mrn_sum_value(&all->jump),
                     .work_t = mrn_sum_value(&all->work_t),
                     .max_overlap = all->max_overlap,
                     .contacts = all->contacts,
                     .sliding = all->sliding};
    for (int c = 0; c < 6; c++)
        sum.virial[c] = mrn_sum_value(&all->virial[c]);
    return sum;
}

/* Terms that wait need not be cleared. */
static void begin_tally(mrn_tally_part *t)
{
    memset(t->sum, 0, sizeof t->sum);
    memset(t->virial, 0, sizeof t->virial);
    t->jump = t->work_t = (mrn_sum){0};
    t->n = 0;
    t->max_overlap = 0;
    t->contacts = t->sliding = 0;
}

void mrn_forces_begin(mrn_smooth *e)
{
    e->images = mrn_images_of(e->scene, e->state);
    for (int t = 0; t < e->threads; t++)
        begin_tally(&e->scratch[t]->tally);
}

void mrn_forces_wall_chunk(mrn_smooth *e, int64_t chunk, double h, mrn_scratch *w)
{
    wall_chunk(e, chunk, &e->images, h, w, &w->tally);
}

static void any_chunk(mrn_smooth *e, const void *step, int64_t k, mrn_scratch *w)
{
    const double h = *(const double *)step;
    if (k < e->grain_chunks)
        grain_chunk(e, k, &e->images, h, w, &w->tally);
    else
        mrn_forces_wall_chunk(e, k - e->grain_chunks, h, w);
}

mrn_tally mrn_forces_contacts(mrn_smooth *e, double h)
{
    int64_t n = e->grain_chunks + e->wall_chunks;
    mrn_forces_begin(e);
    mrn_clusters_turned(e, h);
    mrn_smooth_share(e, n, n > 8, any_chunk, &h);
    return mrn_forces_total(e);
}

/* ---- forces on walls ---- */

static void add_span(mrn_smooth *e, const void *with, int64_t which, mrn_scratch *w)
{
    (void)with;
    mrn_wall_span *span = &e->span[which];
    const mrn_state *s = e->state;
    const mrn_contacts *slots = &s->contact;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)span->wall);
    int n = 0;
    for (int64_t m = span->begin; m < span->end; m++) {
        int64_t k = e->wall_pair[m];
        if (!mrn_contact_alive(slots, k))
            continue;
        mrn_vec3 f = mrn_scale(-1, mrn_load3(slots->force + 3 * k));
        mrn_vec3 arm = mrn_sub(mrn_load3(mrn_contacts_point(slots, k)), x);
        mrn_vec3 turn = mrn_contact_torque(arm, f);
        if (slots->moment != NULL)
            turn = mrn_sub(turn, mrn_load3(slots->moment + 3 * k));
        w->load[0][n] = f.x, w->load[1][n] = f.y, w->load[2][n] = f.z;
        w->load[3][n] = turn.x, w->load[4][n] = turn.y, w->load[5][n] = turn.z;
        n++;
    }
    for (int c = 0; c < 6; c++) {
        span->sum[c] = (mrn_sum){0};
        mrn_sum_block(&span->sum[c], w->load[c], n);
    }
}

void mrn_forces_walls(mrn_smooth *e)
{
    mrn_bodies *b = &e->state->body;
    if (b->n_walls == 0)
        return;
    memset(b->f, 0, 3 * (size_t)b->n_walls * sizeof(double));
    memset(b->t, 0, 3 * (size_t)b->n_walls * sizeof(double));
    mrn_smooth_share(e, e->n_spans, e->n_spans > 8, add_span, NULL);
    for (int64_t k = 0, next; k < e->n_spans; k = next) {
        mrn_wall_span all = e->span[k];
        for (next = k + 1; next < e->n_spans && e->span[next].wall == all.wall; next++)
            for (int c = 0; c < 6; c++)
                mrn_sum_merge(&all.sum[c], &e->span[next].sum[c]);
        for (int c = 0; c < 3; c++) {
            b->f[3 * all.wall + c] = mrn_sum_value(&all.sum[c]);
            b->t[3 * all.wall + c] = mrn_sum_value(&all.sum[3 + c]);
        }
    }
}
