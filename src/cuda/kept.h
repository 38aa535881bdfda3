/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts that ask for more than most: springs that are kept at the step itself (without a dashpot
   beside them, or reset when they slide), contacts that live on at a distance, and laws with more
   history than others. Kernels of their own (MRN_GPU_KEPT), so that the commonest worlds do not pay
   for them. Formulas stand in laws/, smooth/half_way.h and detect/apart.h. */
#ifndef MRN_CUDA_KEPT_H
#define MRN_CUDA_KEPT_H

#include "cuda/kernels.h"
#include "detect/apart.h"
#include "laws/cohesion_jkr.h"
#include "laws/cohesion_liquid_bridge.h"
#include "laws/tangential_microslip.h"
#include "smooth/half_way.h"

/* What such a contact adds to the totals. */
typedef struct mrn_gpu_kept_terms {
    mrn_gpu_terms usual;
    double more[MRN_GPU_MORE];
} mrn_gpu_kept_terms;

MRN_INLINE mrn_gpu_kept_terms mrn_gpu_no_kept_terms(void)
{
    mrn_gpu_kept_terms t;
    t.usual = mrn_gpu_no_terms();
    for (int k = 0; k < MRN_GPU_MORE; k++)
        t.more[k] = 0;
    return t;
}

/* ---- laws ---- */

/* Gap up to which a contact lives on (detect/history.c, mrn_pair_range). */
MRN_INLINE double mrn_gpu_range(const mrn_gpu_law *law, double r)
{
    double range = 0;
    if (law->part[MRN_LAW_COHESION] == MRN_GPU_cohesion_jkr)
        range = mrn_jkr_range(MRN_GPU_COEF(mrn_cohesion_jkr, MRN_LAW_COHESION), r);
    if (law->part[MRN_LAW_COHESION] == MRN_GPU_cohesion_liquid_bridge)
        range =
            mrn_liquid_bridge_range(MRN_GPU_COEF(mrn_cohesion_liquid_bridge, MRN_LAW_COHESION), r);
    return range > 0 ? range : 0;
}

/* Cohesion; b->width: the overlap of a Hertz contact as wide. */
MRN_INLINE void mrn_gpu_kept_cohesion(const mrn_gpu_law *law, mrn_law_block *b)
{
    b->width[0] = b->delta[0];
    b->jump[0] = 0;
    if (law->part[MRN_LAW_COHESION] == MRN_GPU_cohesion_jkr) {
        mrn_cohesion_jkr c = MRN_GPU_COEF(mrn_cohesion_jkr, MRN_LAW_COHESION);
        mrn_jkr j =
            mrn_cohesion_jkr_step(c, mrn_jkr_least(c, b->r_eff[0]), b->r_eff[0], b->delta[0],
                                  b->gap[0], b->closing[0], b->fresh[0], b->h, b->fn[0]);
        b->fn[0] = j.fn, b->energy_n[0] = j.energy;
        b->jump[0] = j.jump, b->press[0] = j.press, b->width[0] = j.wide;
    } else if (law->part[MRN_LAW_COHESION] == MRN_GPU_cohesion_liquid_bridge) {
        mrn_cohesion f = mrn_cohesion_liquid_bridge_step(
            MRN_GPU_COEF(mrn_cohesion_liquid_bridge, MRN_LAW_COHESION), b->r_eff[0], b->gap[0],
            b->closing[0], b->fresh[0], b->h);
        b->fn[0] += f.fn;
        b->energy_n[0] += f.energy;
        b->loss_n[0] += f.loss;
        b->jump[0] = f.jump;
    } else {
        mrn_gpu_cohesion(law, b);
    }
}

MRN_INLINE mrn_tangential mrn_gpu_kept_linear(const mrn_gpu_law *law, const mrn_law_block *b,
                                              mrn_vec3 s)
{
    mrn_tangential_linear c = MRN_GPU_COEF(mrn_tangential_linear, MRN_LAW_TANGENTIAL);
    mrn_passage at = mrn_block_passage(b, 0);
    if ((int)c.rule != MRN_SLIP_SERIES)
        return mrn_tangential_linear_reset(c, at, mrn_v3(b->ux[0], b->uy[0], b->uz[0]), b->k_n[0],
                                           b->gamma_n[0], b->press[0], s);
    return mrn_tangential_linear_kept(c, at, b->k_n[0], b->press[0], s);
}

/* root, old: of the width now and at the last step. */
MRN_INLINE mrn_tangential mrn_gpu_kept_mindlin(const mrn_gpu_law *law, const mrn_law_block *b,
                                               mrn_vec3 s, double root, double old)
{
    mrn_tangential_mindlin c = MRN_GPU_COEF(mrn_tangential_mindlin, MRN_LAW_TANGENTIAL);
    if (!(law->whole >> MRN_LAW_TANGENTIAL & 1))
        return mrn_tangential_mindlin_step(c, mrn_block_sliding(b, 0), b->r_eff[0], root,
                                           b->gamma_n[0], b->press[0], s, old);
    mrn_passage at = mrn_block_passage(b, 0);
    if ((int)c.rule != MRN_SLIP_SERIES)
        return mrn_tangential_mindlin_reset(c, at, mrn_v3(b->ux[0], b->uy[0], b->uz[0]),
                                            b->r_eff[0], root, b->gamma_n[0], b->press[0], s, old);
    return mrn_tangential_mindlin_kept(c, at, b->r_eff[0], root, b->press[0], s, old);
}

MRN_INLINE void mrn_gpu_rings(const mrn_gpu_law *law, mrn_law_block *b, double *s)
{
    double(*hist)[MRN_BLOCK] = (double(*)[MRN_BLOCK])s;
    mrn_tangential_microslip c = MRN_GPU_COEF(mrn_tangential_microslip, MRN_LAW_TANGENTIAL);
    bool whole = law->whole >> MRN_LAW_TANGENTIAL & 1;
    mrn_rings_now now = mrn_rings_begin(b, hist, 0);
    double stuck = 0, old = s[MRN_RINGS_RADIUS];
    for (int j = 0; j < MRN_RINGS; j++) {
        mrn_ring_now of = mrn_ring_of(c, mrn_ring_edge(j - 1), mrn_ring_edge(j), now.reach,
                                      now.radius, old, b->press[0]);
        mrn_vec3 spring = mrn_load3(s + 3 * j);
        mrn_ring t = whole ? mrn_ring_kept(c, mrn_block_passage(b, 0), of, spring)
                           : mrn_ring_step(c, mrn_block_sliding(b, 0), of, spring);
        mrn_rings_add(b, 0, t, &stuck);
        mrn_store3(s + 3 * j, t.ahead);
    }
    mrn_rings_finish(c, b, 0, now.radius, stuck, whole ? 0 : 1);
    s[MRN_RINGS_RADIUS] = now.radius;
}

MRN_INLINE void mrn_gpu_kept_tangential(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_TANGENTIAL];
    int32_t part = law->part[MRN_LAW_TANGENTIAL];
    bool whole = law->whole >> MRN_LAW_TANGENTIAL & 1;
    mrn_tangential t;
    if (part == MRN_GPU_tangential_microslip) {
        mrn_gpu_rings(law, b, s);
        return;
    }
    if (part == MRN_GPU_tangential_mindlin) {
        double root = sqrt(b->width[0]);
        t = mrn_gpu_kept_mindlin(law, b, mrn_load3(s), root, s[3]);
        s[3] = root;
    } else if (part == MRN_GPU_tangential_linear && whole) {
        t = mrn_gpu_kept_linear(law, b, mrn_load3(s));
    } else if (part == MRN_GPU_tangential_microslip_simple && whole) {
        t = mrn_tangential_microslip_simple_kept(
            MRN_GPU_COEF(mrn_tangential_microslip_simple, MRN_LAW_TANGENTIAL),
            mrn_block_sliding(b, 0), mrn_block_passage(b, 0), b->press[0], mrn_load3(s));
    } else {
        b->work_t[0] = 0; /* of no law at all */
        mrn_gpu_tangential(law, b, kept);
        return;
    }
    mrn_block_tangential(b, 0, t);
    mrn_store3(s, t.ahead);
}

MRN_INLINE void mrn_gpu_kept_rolling(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_ROLLING];
    if (law->part[MRN_LAW_ROLLING] != MRN_GPU_rolling_elastic_plastic ||
        !(law->whole >> MRN_LAW_ROLLING & 1)) {
        mrn_gpu_rolling(law, b, kept);
        return;
    }
    mrn_rolling_spring t = mrn_rolling_elastic_plastic_kept(
        MRN_GPU_COEF(mrn_rolling_elastic_plastic, MRN_LAW_ROLLING), mrn_block_turning(b, 0),
        mrn_block_rolling(b, 0), mrn_load3(s), s[3]);
    mrn_block_moment_kept(b, 0, t.moment, t.work);
    mrn_store3(s, t.ahead);
    s[3] = t.k;
}

MRN_INLINE void mrn_gpu_kept_twisting(const mrn_gpu_law *law, mrn_law_block *b, double *kept)
{
    double *s = kept + law->offset[MRN_LAW_TWISTING];
    if (law->part[MRN_LAW_TWISTING] != MRN_GPU_twisting_elastic_plastic ||
        !(law->whole >> MRN_LAW_TWISTING & 1)) {
        mrn_gpu_twisting(law, b, kept);
        return;
    }
    mrn_twisting_spring t = mrn_twisting_elastic_plastic_kept(
        MRN_GPU_COEF(mrn_twisting_elastic_plastic, MRN_LAW_TWISTING), mrn_block_turning(b, 0),
        mrn_block_twist(b, 0), s[0], s[1]);
    mrn_block_moment_kept(b, 0, t.moment, t.work);
    s[0] = t.ahead;
    s[1] = t.k;
}

/* A contact as a block of one. */
MRN_INLINE void mrn_gpu_kept_begin(const mrn_gpu_law *law, mrn_sphere_contact c, double fresh,
                                   double h, mrn_law_block *b)
{
    b->n = 1, b->h = h, b->mean = law->whole != 0, b->whole = false;
    b->delta[0] = c.delta, b->rate[0] = c.rate;
    b->nx[0] = c.n.x, b->ny[0] = c.n.y, b->nz[0] = c.n.z;
    b->ux[0] = c.u.x, b->uy[0] = c.u.y, b->uz[0] = c.u.z;
    b->wx[0] = c.w.x, b->wy[0] = c.w.y, b->wz[0] = c.w.z;
    b->spin[0] = c.spin, b->r_eff[0] = c.r, b->m_eff[0] = c.m, b->fresh[0] = fresh;
    b->mx[0] = b->my[0] = b->mz[0] = 0;
    if (law->range)
        mrn_split_gap(b, 0);
}

/* Its laws; the half-way rows are there where they are needed. */
MRN_INLINE mrn_gpu_answer mrn_gpu_kept_law(const mrn_gpu_law *law, mrn_sphere_contact c,
                                           mrn_law_block *b, double *kept, double *more)
{
    mrn_gpu_normal(law, b, kept);
    mrn_gpu_kept_cohesion(law, b);
    mrn_gpu_kept_tangential(law, b, kept);
    mrn_gpu_kept_rolling(law, b, kept);
    mrn_gpu_kept_twisting(law, b, kept);
    mrn_gpu_answer a;
    mrn_vec3 t = {b->tx[0], b->ty[0], b->tz[0]};
    a.force = mrn_axpy(b->fn[0], c.n, t);
    a.lever = mrn_sphere_lever(c.lever, c.n, t);
    a.moment = mrn_v3(b->mx[0], b->my[0], b->mz[0]);
    a.energy_n = b->energy_n[0], a.energy_t = b->energy_t[0];
    a.loss_n = b->loss_n[0], a.power_t = b->power_t[0], a.slip = b->slip[0];
    more[MRN_GPU_WORK_T] = law->whole ? b->work_t[0] : 0;
    more[MRN_GPU_JUMP] = b->jump[0];
    return a;
}

MRN_INLINE mrn_half_way mrn_gpu_half_way(const mrn_gpu *g, int32_t i, mrn_gpu_motion m)
{
    if (mrn_gpu_is_carried(g, i)) {
        const int32_t c = g->carrier[g->carried[i]], at = g->cluster[c].at;
        const mrn_vec3 f = mrn_gpu_load6(g->pull, MRN_GPU_FORCE * (int64_t)at, false).a;
        const mrn_gpu_motion of = mrn_gpu_load_motion(g, at, false);
        return mrn_half_way_carried(of.v, f, of.mass, !mrn_gpu_still(g, at),
                                    mrn_load_quat(g->turned + 4 * (size_t)c),
                                    mrn_scale(-1, mrn_gpu_to_leader(g, &g->images, i)), g->h);
    }
    if (g->fixed && mrn_gpu_still(g, i))
        return mrn_half_way_still(m.v, m.w);
    mrn_gpu_six pull = mrn_gpu_load6(g->pull, MRN_GPU_FORCE * (int64_t)i, g->mixed != 0);
    return mrn_half_way_of(m.v, m.w, pull.a, pull.b, m.mass, m.inertia, g->h);
}

/* ---- contacts of grains ---- */

MRN_INLINE const mrn_gpu_law *mrn_gpu_law_of(const mrn_gpu *g, int32_t material, int32_t other)
{
    return &g->law[g->pair_of[material * g->n_materials + other]];
}

/* Whether the pair k is a contact: it touches, or lives on. */
MRN_INLINE bool mrn_gpu_kept_touches(const mrn_gpu *g, int64_t k, mrn_gpu_pair p)
{
    if (g->ranged && p.alive) {
        mrn_gpu_ball c = mrn_gpu_load_ball(g, p.c), a = mrn_gpu_load_ball(g, p.a);
        mrn_vec3 d = mrn_gpu_branch(g, c.x, a.x);
        double sum = c.r + a.r;
        double reach = sum + mrn_gpu_range(mrn_gpu_law_of(g, mrn_gpu_material(g, p.c),
                                                          mrn_gpu_material(g, p.a)),
                                           c.r * a.r / sum);
        if (mrn_dot(d, d) < reach * reach)
            return true;
    }
    const mrn_gpu_standing how = mrn_gpu_stand(g, p, NULL);
    return mrn_gpu_touches(g, k, p, &how, g->mixed != 0);
}

/* The contact of pair k. */
MRN_INLINE mrn_gpu_kept_terms mrn_gpu_kept_contact(const mrn_gpu *g, int64_t k, mrn_gpu_pair pair)
{
    int32_t c = pair.c, a = pair.a;
    mrn_gpu_ball bc = mrn_gpu_load_ball(g, c), ba = mrn_gpu_load_ball(g, a);
    const bool mixed = g->mixed != 0;
    mrn_gpu_motion mc = mrn_gpu_load_motion(g, c, mixed), ma = mrn_gpu_load_motion(g, a, mixed);
    bool alive = pair.alive != 0;
    double kept[MRN_GPU_LONG];
    for (int m = 0; m < g->width; m++)
        kept[m] = alive ? mrn_gpu_number(g->list.kept, m * g->list.room + k, mixed) : 0;
    mrn_sphere_pair p = {
        mrn_gpu_branch(g, bc.x, ba.x), mc.v, ma.v, mc.w, ma.w, bc.r, ba.r, mc.mass, ma.mass};
    const double none[6] = {0, 0, 0, 0, 0, 0};
    mrn_sphere_contact s = mrn_sphere_contact_of(p, mrn_cell_rates_of(none));
    if (g->fixed && (mrn_gpu_still(g, c) || mrn_gpu_still(g, a))) /* as heavy as a wall */
        s.m = mrn_gpu_still(g, c) ? p.ma : p.mc;
    const mrn_gpu_law *law = mrn_gpu_law_of(g, mrn_gpu_material(g, c), mrn_gpu_material(g, a));
    mrn_law_block b;
    mrn_gpu_kept_terms t;
    mrn_gpu_kept_begin(law, s, alive ? 0 : 1, g->h, &b);
    if (law->whole)
        mrn_grains_half_way(&b, 0, g->h, NULL, mrn_gpu_half_way(g, c, mc),
                            mrn_gpu_half_way(g, a, ma), p.d, bc.r, ba.r);
    mrn_gpu_answer o = mrn_gpu_kept_law(law, s, &b, kept, t.more);
    for (int m = 0; m < g->width; m++)
        mrn_gpu_set_number(g->list.kept, m * g->list.room + k, kept[m], mixed);
    mrn_gpu_store6(g->force, MRN_GPU_FORCE * k, o.force, o.lever, mixed);
    if (g->moments)
        mrn_store3(g->moment + 3 * k, o.moment);
    g->list.alive[k] = 1;
    t.usual = mrn_gpu_terms_of(&o, b.delta[0] / s.r);
    return t;
}

/* ---- contacts with walls ---- */

/* Where a sphere of radius r meets n features of a wall, in its frame (geom/wall_contacts.c). */
MRN_INLINE int mrn_gpu_kept_points(const mrn_gpu_wall *w, const int32_t *feature, mrn_vec3 c,
                                   double r, int n, mrn_contact_point *out)
{
    int touching = 0;
    for (int k = 0; k < n; k++) {
        out[k].gap = mrn_gpu_closest(w, feature[k], c, &out[k].point, &out[k].normal, false) - r;
        out[k].touch = out[k].gap < 0;
        touching += out[k].touch;
    }
    return touching > 1 ? mrn_wall_accept(r, feature, n, out) : touching;
}

/* Contacts of grain i with one wall, those that live on among them, in world frame. */
MRN_INLINE int mrn_gpu_kept_wall_points(const mrn_gpu *g, int32_t i, int32_t wall,
                                        const mrn_gpu_pose *at, int64_t p0, int n,
                                        mrn_contact_point *out)
{
    const mrn_gpu_wall *w = &g->walls[wall];
    const int32_t *feature = g->list.feature + p0;
    mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    mrn_vec3 c = mrn_gpu_wall_local(&g->images, w, at, ball.x);
    double range = mrn_gpu_range(mrn_gpu_law_of(g, mrn_gpu_material(g, i), w->material), ball.r);
    mrn_apart far;
    far.n = 0;
    if (range > 0 && mrn_gpu_kept_points(w, feature, c, ball.r + range, n, out) > 0)
        mrn_apart_note(out, n, range, &far);
    int touching = mrn_gpu_kept_points(w, feature, c, ball.r, n, out);
    mrn_quat q = {at->q[0], at->q[1], at->q[2], at->q[3]};
    for (int k = 0; touching > 0 && k < n; k++)
        if (out[k].touch)
            mrn_wall_to_world(q, ball.x, ball.r, out[k].gap, &out[k]);
    if (far.n == 0)
        return touching;
    const mrn_wall_past_pairs was = {n, g->list.wall_alive + p0, g->list.point + 3 * p0};
    return touching + mrn_apart_add(&was, &g->images, ball.x, ball.r, q, range, &far, out);
}

MRN_INLINE void mrn_gpu_kept_wall_half_way(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                                           int32_t wall, const mrn_gpu_pose *at, int64_t k,
                                           double lever, mrn_law_block *b)
{
    mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    mrn_gpu_motion m = mrn_gpu_load_motion(g, i, g->mixed != 0);
    const double *past = g->past + 6 * ((size_t)s->posed * (size_t)g->n_walls + (size_t)wall);
    mrn_wall_way way;
    way.x = mrn_load3(at->x), way.w = mrn_load3(at->w);
    way.x_past = mrn_load3(past), way.w_past = mrn_load3(past + 3);
    way.point = mrn_load3(g->list.point + 3 * k);
    mrn_wall_half_way(b, 0, g->h, NULL, &g->images, g->origin, mrn_gpu_half_way(g, i, m), ball.x,
                      ball.r, lever, way);
}

MRN_INLINE void mrn_gpu_kept_wall_contact(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                                          int32_t wall, const mrn_gpu_pose *at, int64_t k,
                                          const mrn_contact_point *p)
{
    const mrn_gpu_list *l = &g->list;
    mrn_gpu_motion m = mrn_gpu_load_motion(g, i, g->mixed != 0);
    mrn_sphere_contact c =
        mrn_wall_contact_of(g->place[4 * (size_t)i + 3], m.mass, m.v, m.w, mrn_load3(at->x),
                            mrn_load3(at->v), mrn_load3(at->w), p);
    const mrn_gpu_law *law = mrn_gpu_law_of(g, mrn_gpu_material(g, i), g->walls[wall].material);
    bool alive = l->wall_alive[k] != 0;
    double kept[MRN_GPU_LONG], more[MRN_GPU_MORE];
    for (int h = 0; h < g->width; h++)
        kept[h] = alive ? l->wall_kept[h * l->wall_room + k] : 0;
    mrn_law_block b;
    mrn_gpu_kept_begin(law, c, alive ? 0 : 1, g->h, &b);
    if (law->whole)
        mrn_gpu_kept_wall_half_way(g, s, i, wall, at, k, c.lever, &b);
    mrn_gpu_answer o = mrn_gpu_kept_law(law, c, &b, kept, more);
    for (int h = 0; h < g->width; h++)
        l->wall_kept[h * l->wall_room + k] = kept[h];
    l->wall_alive[k] = 1;
    mrn_store3(l->point + 3 * k, p->point);
    mrn_store3(g->wall_force + 6 * k, o.force);
    mrn_store3(g->wall_force + 6 * k + 3, o.lever);
    if (g->moments)
        mrn_store3(g->wall_moment + 3 * k, o.moment);
    mrn_gpu_terms t = mrn_gpu_terms_of(&o, b.delta[0] / c.r);
    double *to = g->wall_term + 6 * k;
    for (int h = 0; h < MRN_GPU_TERMS; h++)
        to[h] = t.term[h];
    to[4] = t.overlap;
    to[5] = 1 + t.slip;
    for (int h = 0; h < MRN_GPU_MORE; h++)
        g->wall_more[MRN_GPU_MORE * k + h] = more[h];
}

/* Contacts of one grain with walls. */
MRN_INLINE void mrn_gpu_kept_wall_grain(const mrn_gpu *g, const mrn_gpu_step *s, int64_t item)
{
    int32_t i = g->wall_grain[item];
    const mrn_gpu_list *l = &g->list;
    for (int64_t p0 = l->wall_row[i], p1; p0 < l->wall_row[i + 1]; p0 = p1) {
        int32_t wall = l->wall[p0];
        for (p1 = p0 + 1; p1 < l->wall_row[i + 1] && l->wall[p1] == wall;)
            p1++;
        int n = (int)(p1 - p0);
        const mrn_gpu_pose *at = &g->pose[(size_t)s->posed * (size_t)g->n_walls + (size_t)wall];
        mrn_contact_point out[MRN_GPU_FEATURES];
        if (mrn_gpu_kept_wall_points(g, i, wall, at, p0, n, out) > 0 && n > 1)
            mrn_gpu_hand_over(g, &g->images, p0, n, out, g->place[4 * (size_t)i + 3]);
        for (int k = 0; k < n; k++)
            if (out[k].touch)
                mrn_gpu_kept_wall_contact(g, s, i, wall, at, p0 + k, &out[k]);
            else
                g->list.wall_alive[p0 + k] = 0;
    }
}

/* What wall pair k adds to the sums that only such contacts have. */
MRN_INLINE double mrn_gpu_wall_more(const mrn_gpu *g, int64_t k, int which)
{
    return g->list.wall_alive[k] ? g->wall_more[MRN_GPU_MORE * k + which] : 0;
}

/* ---- gravity that changes with time ---- */

/* x put back into the cell, as mrn_gpu_wrap will (`image` with it), without touching the body. */
MRN_INLINE mrn_vec3 mrn_gpu_wrapped(const mrn_gpu *g, mrn_vec3 x, int32_t image[3])
{
    double to[3];
    mrn_vec3 n = mrn_images_turns(&g->images, mrn_sub(x, g->origin), image);
    if (n.x == 0 && n.y == 0 && n.z == 0)
        return x;
    mrn_store3(to, x);
    mrn_images_go_back(&g->images, n, to);
    image[0] += (int32_t)n.x, image[1] += (int32_t)n.y, image[2] += (int32_t)n.z;
    return mrn_load3(to);
}

/* As if it had never been put back (mrn_unwrapped). */
MRN_INLINE mrn_vec3 mrn_gpu_unwrapped(const mrn_gpu *g, mrn_vec3 x, const int32_t image[3])
{
    const mrn_images *im = &g->images;
    return mrn_cells_beyond(x, im->inv[0] != 0 ? image[0] : 0, im->inv[1] != 0 ? image[1] : 0,
                            im->inv[2] != 0 ? image[2] : 0, im->size, im->tilt);
}

/* First moment of mass of grain i (mrn_drive_mass_moment), and, after that, what it is when the
   grain has been put back into the cell for the step to come. */
MRN_INLINE void mrn_gpu_moment(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                               double moment[MRN_GPU_MOMENTS])
{
    int32_t image[3] = {0, 0, 0};
    for (int k = 0; k < MRN_GPU_MOMENTS; k++)
        moment[k] = 0;
    if ((g->fixed && mrn_gpu_still(g, i)) || mrn_gpu_is_carried(g, i))
        return;
    mrn_vec3 x = mrn_gpu_place(g, i);
    double mass = mrn_gpu_mass(g, i);
    for (int k = 0; k < 3 && g->periodic; k++)
        image[k] = g->image[3 * (size_t)i + (size_t)k];
    mrn_store3(moment, mrn_scale(mass, mrn_gpu_unwrapped(g, x, image)));
    if (s->wrap && g->periodic)
        x = mrn_gpu_wrapped(g, x, image);
    mrn_store3(moment + 3, mrn_scale(mass, mrn_gpu_unwrapped(g, x, image)));
}

#endif
