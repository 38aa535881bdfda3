/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device does, item by item: one contact, one grain, one cell. The text is C17 and C++
   alike; device.cu runs the items side by side, emulated.c one after another (or by threads): same
   items, same bits. Formulas stand in laws/, smooth/, detect/ and geom/; sums over the contacts of
   a grain go in the order of the host (smooth/bodies.c), totals are counts of integers.

   MRN_GPU_ADD(p): adds 1 to an int32_t and gives what it was, for all items at once. */
#ifndef MRN_CUDA_KERNELS_H
#define MRN_CUDA_KERNELS_H

/* One thread alone needs nothing special. */
#ifndef MRN_GPU_ADD
#define MRN_GPU_ADD(p) ((*(p))++)
#endif

#ifdef __CUDACC__
#define MRN_GPU_UNROLL _Pragma("unroll 2")
#define MRN_GPU_ALL    _Pragma("unroll")
#else
#define MRN_GPU_UNROLL
#define MRN_GPU_ALL
#endif

#define MRN_BLOCK 1 /* laws see one contact at a time */
#include <float.h>

#include "cuda/gpu.h"
#include "cuda/laws.h"
#include "cuda/numbers.h"
#include "geom/ball_measure.h"
#include "geom/wall_rules.h"
#include "smooth/carried.h"
#include "smooth/extra.h"
#include "smooth/motion.h"

/* ---- sums without an order ---- */

/* Where the counts of a term x go that is cut from level top - 1 downwards: `count[f]` are units of
   level top - 1 - f. */
MRN_INLINE void mrn_gpu_cut(double x, int32_t top, int64_t count[MRN_SUM_FOLDS])
{
    for (int f = 0; f < MRN_SUM_FOLDS; f++) {
        double rounder = mrn_sum_rounder(top - f), t = x + rounder;
        count[f] = top - f > 0 ? (int64_t)(mrn_bits_of(t) - mrn_bits_of(rounder)) : 0;
        x -= t - rounder;
    }
}

/* 1 + level of a term; 0 for zero; -1: it cannot be summed. */
MRN_INLINE int32_t mrn_gpu_top(double x)
{
    uint64_t bits = mrn_bits_of(x) & (UINT64_MAX >> 1);
    return bits == 0 ? 0 : bits >= UINT64_C(2016) << 52 ? -1 : mrn_sum_top(bits);
}

/* ---- bodies ---- */

/* Centre and radius; velocity, mass, spin, inertia. */
typedef struct mrn_gpu_ball {
    mrn_vec3 x;
    double r;
} mrn_gpu_ball;
typedef struct mrn_gpu_motion {
    mrn_vec3 v, w;
    double mass, inertia;
} mrn_gpu_motion;

MRN_INLINE mrn_gpu_ball mrn_gpu_load_ball(const mrn_gpu *g, int32_t i)
{
    mrn_gpu_four p = mrn_gpu_load4(g->place, 4 * (int64_t)i, false);
    mrn_gpu_ball r = {{p.a.a, p.a.b, p.b.a}, p.b.b};
    return r;
}

/* Mass and moment of inertia in double precision: balls of one density tell them by their radius.
 */
MRN_INLINE mrn_gpu_two mrn_gpu_heft(const mrn_gpu *g, int32_t i)
{
    if (g->heft != NULL)
        return mrn_gpu_load2(g->heft, 2 * (int64_t)i, false);
    const double r = g->place[4 * (size_t)i + 3], mass = g->density * mrn_ball_volume(r);
    mrn_gpu_two heft = {mass, mass * mrn_ball_inertia(r)};
    return heft;
}

MRN_INLINE mrn_gpu_motion mrn_gpu_load_motion(const mrn_gpu *g, int32_t i, bool mixed)
{
    const int64_t at = mrn_gpu_motion_row(mixed) * (int64_t)i;
    if (mixed) {
        mrn_gpu_four a = mrn_gpu_load4(g->motion, at, mixed);
        mrn_gpu_four b = mrn_gpu_load4(g->motion, at + 4, mixed);
        mrn_gpu_motion r = {{a.a.a, a.a.b, a.b.a}, {b.a.a, b.a.b, b.b.a}, a.b.b, b.b.b};
        return r;
    }
    mrn_gpu_six a = mrn_gpu_load6(g->motion, at, false);
    mrn_gpu_two heft = mrn_gpu_heft(g, i);
    mrn_gpu_motion r = {a.a, a.b, heft.a, heft.b};
    return r;
}

MRN_INLINE void mrn_gpu_store_motion(const mrn_gpu *g, int32_t i, mrn_gpu_motion m, bool mixed)
{
    const int64_t at = mrn_gpu_motion_row(mixed) * (int64_t)i;
    if (mixed) {
        mrn_gpu_store4(g->motion, at, m.v.x, m.v.y, m.v.z, m.mass, mixed);
        mrn_gpu_store4(g->motion, at + 4, m.w.x, m.w.y, m.w.z, m.inertia, mixed);
    } else {
        mrn_gpu_store6(g->motion, at, m.v, m.w, false);
    }
}

MRN_INLINE double mrn_gpu_mass(const mrn_gpu *g, int32_t i)
{
    return g->mixed ? mrn_gpu_number(g->motion, mrn_gpu_motion_row(true) * (int64_t)i + 3, true)
                    : mrn_gpu_heft(g, i).a;
}

MRN_INLINE mrn_vec3 mrn_gpu_place(const mrn_gpu *g, int32_t i)
{
    return mrn_load3(g->place + 4 * (size_t)i);
}

MRN_INLINE int32_t mrn_gpu_material(const mrn_gpu *g, int32_t i)
{
    return g->material != NULL ? g->material[i] : g->one_material;
}

MRN_INLINE bool mrn_gpu_still(const mrn_gpu *g, int32_t i)
{
    return g->still != NULL && g->still[i] != 0;
}

/* Nearest image. Most differences are that already: whole edges are none then, and less none is
   what stands here (of two zeros the one without a sign). */
MRN_INLINE mrn_vec3 mrn_gpu_nearest(const mrn_images *im, mrn_vec3 d)
{
    const double x = d.x * im->inv[0], y = d.y * im->inv[1], z = d.z * im->inv[2];
    if (mrn_gpu_below_half(x) && mrn_gpu_below_half(y) && mrn_gpu_below_half(z))
        return mrn_v3(d.x + 0.0, d.y + 0.0, d.z + 0.0);
    return mrn_images_nearest(im, d);
}

MRN_INLINE mrn_vec3 mrn_gpu_branch(const mrn_gpu *g, mrn_vec3 xc, mrn_vec3 xa)
{
    mrn_vec3 d = mrn_sub(xc, xa);
    return g->periodic ? mrn_gpu_nearest(&g->images, d) : d;
}

/* In a cell that strains; NULL: in one that does not. */
MRN_INLINE mrn_vec3 mrn_gpu_branch_in(const mrn_gpu_cell *in, const mrn_gpu *g, mrn_vec3 xc,
                                      mrn_vec3 xa)
{
    return in != NULL ? mrn_gpu_nearest(&in->images, mrn_sub(xc, xa)) : mrn_gpu_branch(g, xc, xa);
}

/* ---- spheres of clusters ---- */

MRN_INLINE bool mrn_gpu_is_cluster(const mrn_gpu *g, int32_t i)
{
    return g->carried != NULL && g->carried[i] < -1;
}

MRN_INLINE bool mrn_gpu_is_carried(const mrn_gpu *g, int32_t i)
{
    return g->carried != NULL && g->carried[i] >= 0;
}

/* Of clusters the spheres touch, but not each other. */
MRN_INLINE bool mrn_gpu_may_meet(const mrn_gpu *g, int32_t i, int32_t j)
{
    const int32_t a = g->carried[i], b = g->carried[j];
    return a >= -1 && b >= -1 && !(a >= 0 && b >= 0 && g->carrier[a] == g->carrier[b]);
}

/* Where the body stands that the cell carries: the cluster of a sphere of one. */
MRN_INLINE int32_t mrn_gpu_leader(const mrn_gpu *g, int32_t i)
{
    return mrn_gpu_is_carried(g, i) ? g->cluster[g->carrier[g->carried[i]]].at : i;
}

/* From body i to its centre (smooth/forces.c, arm_of). */
MRN_INLINE mrn_vec3 mrn_gpu_to_leader(const mrn_gpu *g, const mrn_images *im, int32_t i)
{
    const mrn_vec3 none = {0, 0, 0};
    if (!mrn_gpu_is_carried(g, i))
        return none;
    const int32_t at = mrn_gpu_leader(g, i);
    return mrn_images_nearest(im, mrn_sub(mrn_gpu_place(g, at), mrn_gpu_place(g, i)));
}

MRN_INLINE mrn_gpu_terms mrn_gpu_no_terms(void)
{
    mrn_gpu_terms t;
    for (int k = 0; k < MRN_GPU_TERMS; k++)
        t.term[k] = 0;
    t.overlap = 0;
    t.touch = t.slip = 0;
    return t;
}

MRN_INLINE mrn_gpu_terms mrn_gpu_terms_of(const mrn_gpu_answer *a, double overlap)
{
    mrn_gpu_terms t;
    t.term[MRN_GPU_ENERGY_N] = a->energy_n, t.term[MRN_GPU_ENERGY_T] = a->energy_t;
    t.term[MRN_GPU_LOSS_N] = a->loss_n, t.term[MRN_GPU_POWER_T] = a->power_t;
    t.overlap = overlap > 0 ? overlap : 0; /* what is no number is found by its place */
    t.touch = 1;
    t.slip = a->slip > 0;
    return t;
}

/* ---- contacts of grains ---- */

/* Who meets whom, and whether they touched. */
typedef struct mrn_gpu_pair {
    int32_t c, a, alive;
} mrn_gpu_pair;

MRN_INLINE mrn_gpu_pair mrn_gpu_load_pair(const mrn_gpu *g, int64_t k)
{
    mrn_gpu_pair p = {g->owner[k], g->list.other[k], g->list.alive[k]};
    return p;
}

/* How they stand: from the centre of A to that of C, and radii. */
typedef struct mrn_gpu_standing {
    mrn_vec3 d;
    double rc, ra;
} mrn_gpu_standing;

MRN_INLINE mrn_gpu_standing mrn_gpu_stand(const mrn_gpu *g, mrn_gpu_pair p, const mrn_gpu_cell *in)
{
    mrn_gpu_ball c = mrn_gpu_load_ball(g, p.c), a = mrn_gpu_load_ball(g, p.a);
    mrn_gpu_standing r = {mrn_gpu_branch_in(in, g, c.x, a.x), c.r, a.r};
    return r;
}

/* Whether the pair k touches; a contact that does not any more ends: forces of all others are zero.
 */
MRN_INLINE bool mrn_gpu_touches(const mrn_gpu *g, int64_t k, mrn_gpu_pair p,
                                const mrn_gpu_standing *how, bool mixed)
{
    const double sum = how->rc + how->ra;
    const mrn_vec3 d = how->d, none = {0, 0, 0};
    if (d.x * d.x + d.y * d.y + d.z * d.z < sum * sum)
        return true;
    if (p.alive) {
        g->list.alive[k] = 0;
        mrn_gpu_store6(g->force, MRN_GPU_FORCE * k, none, none, mixed);
        if (g->moments)
            mrn_store3(g->moment + 3 * k, none);
    }
    return false;
}

/* Numbers that a contact remembers. */
MRN_INLINE int mrn_gpu_width(const mrn_gpu *g, mrn_gpu_model model)
{
    return model == MRN_GPU_ANY ? g->width : model == MRN_GPU_LINEAR ? 3 : 4;
}

/* What pair k remembers is asked for soon. */
MRN_INLINE void mrn_gpu_kept_soon(const mrn_gpu *g, int64_t k, mrn_gpu_model model, bool mixed)
{
    const int width = mrn_gpu_width(g, model);
    for (int m = 0; m < width; m++)
        mrn_gpu_soon(g->list.kept, m * g->list.room + k, mixed);
}

/* The contact of pair k, which touches. Its overlap over the effective radius is told where it may
   be above `deepest`, with room for the rounding of product and quotient. */
MRN_INLINE mrn_gpu_terms mrn_gpu_contact(const mrn_gpu *g, int64_t k, mrn_gpu_pair pair,
                                         const mrn_gpu_standing *how, mrn_gpu_model model,
                                         bool mixed, double deepest, const mrn_gpu_cell *in)
{
    int32_t c = pair.c, a = pair.a;
    mrn_gpu_motion mc = mrn_gpu_load_motion(g, c, mixed), ma = mrn_gpu_load_motion(g, a, mixed);
    bool alive = pair.alive != 0;
    double kept[MRN_GPU_HISTORY];
    const int width = mrn_gpu_width(g, model);
    for (int m = 0; m < width; m++) {
        /* does not wait for `alive` */
        double was = mrn_gpu_number(g->list.kept, m * g->list.room + k, mixed);
        kept[m] = alive ? was : 0;
    }
    mrn_sphere_pair p = {how->d, mc.v, ma.v, mc.w, ma.w, how->rc, how->ra, mc.mass, ma.mass};
    const double none[6] = {0, 0, 0, 0, 0, 0};
    mrn_sphere_contact s =
        mrn_sphere_contact_of(p, mrn_cell_rates_of(in != NULL ? in->flow.rate : none));
    if (g->fixed && (mrn_gpu_still(g, c) || mrn_gpu_still(g, a))) /* as heavy as a wall */
        s.m = mrn_gpu_still(g, c) ? p.ma : p.mc;
    const mrn_gpu_law *law = &g->grains;
    if (model == MRN_GPU_ANY)
        law = &g->law[g->pair_of[mrn_gpu_material(g, c) * g->n_materials + mrn_gpu_material(g, a)]];
    mrn_gpu_answer o = model == MRN_GPU_ANY
                           ? mrn_gpu_any_law(law, s, alive ? 0 : 1, g->h, kept)
                           : mrn_gpu_common_law(law, model, s, alive ? 0 : 1, g->h, kept);
    for (int m = 0; m < width; m++)
        mrn_gpu_set_number(g->list.kept, m * g->list.room + k, kept[m], mixed);
    mrn_gpu_store6(g->force, MRN_GPU_FORCE * k, o.force, o.lever, mixed);
    if (model == MRN_GPU_ANY && g->moments)
        mrn_store3(g->moment + 3 * k, o.moment);
    if (!alive)
        g->list.alive[k] = 1;
    bool above = !(s.delta < (1 - 8 * DBL_EPSILON) * deepest * s.r);
    return mrn_gpu_terms_of(&o, above ? s.delta / s.r : 0);
}

/* ---- contacts with walls ---- */

/* `special`, here and below: there are meshes, or the cell strains; what others need not know. */
MRN_INLINE double mrn_gpu_closest(const mrn_gpu_wall *w, int32_t feature, mrn_vec3 c,
                                  mrn_vec3 *point, mrn_vec3 *normal, bool special)
{
    if (special && w->shape == MRN_GPU_MESH)
        return mrn_mesh_closest_of(&w->mesh, feature, c, point, normal);
    switch (w->shape) {
    case MRN_GPU_BOX:
        return mrn_box_closest(w->p, w->inside != 0, feature, c, point, normal);
    case MRN_GPU_CYLINDER:
        return mrn_cylinder_closest(w->p, w->inside != 0, feature, c, point, normal);
    case MRN_GPU_CONE:
        return mrn_cone_closest(w->p, c, point, normal);
    case MRN_GPU_BALL:
        return mrn_ball_closest(w->p, w->inside != 0, c, point, normal);
    default:
        return mrn_plane_closest(w->p, c, point, normal);
    }
}

MRN_INLINE mrn_vec3 mrn_gpu_wall_local(const mrn_images *im, const mrn_gpu_wall *w,
                                       const mrn_gpu_pose *at, mrn_vec3 x)
{
    mrn_quat q = {at->q[0], at->q[1], at->q[2], at->q[3]};
    return mrn_wall_frame(im, mrn_load3(at->x), q, mrn_load3(w->middle), x);
}

/* Contacts of grain i with one wall, for its pairs p0 … p1-1, in world frame. */
MRN_INLINE int mrn_gpu_wall_points(const mrn_gpu *g, const mrn_images *im, int32_t i, int32_t wall,
                                   const mrn_gpu_pose *at, int64_t p0, int n,
                                   mrn_contact_point *out, bool special)
{
    const mrn_gpu_wall *w = &g->walls[wall];
    const int32_t *feature = g->list.feature + p0;
    double r = g->place[4 * (size_t)i + 3];
    mrn_vec3 x = mrn_gpu_place(g, i), c = mrn_gpu_wall_local(im, w, at, x);
    int touching = 0;
    for (int k = 0; k < n; k++) {
        double distance = mrn_gpu_closest(w, feature[k], c, &out[k].point, &out[k].normal, special);
        out[k].gap = distance - r;
        out[k].touch = out[k].gap < 0;
        touching += out[k].touch;
    }
    for (int k = 0; special && touching > 1 && w->shape == MRN_GPU_MESH && k < n; k++)
        if (out[k].touch && !mrn_mesh_foot_of(&w->mesh, feature[k], out[k].normal))
            mrn_wall_drop_rim(r, feature, n, k, out);
    if (touching > 1)
        touching = mrn_wall_accept(r, feature, n, out);
    mrn_quat q = {at->q[0], at->q[1], at->q[2], at->q[3]};
    for (int k = 0; touching > 0 && k < n; k++)
        if (out[k].touch) {
            out[k].normal = mrn_rotate(q, out[k].normal);
            out[k].point = mrn_wall_point(x, r, out[k].gap, out[k].normal);
        }
    return touching;
}

/* A contact that passes from one feature to the next keeps its memory (smooth/forces.c). */
MRN_INLINE void mrn_gpu_hand_over(const mrn_gpu *g, const mrn_images *im, int64_t p0, int n,
                                  const mrn_contact_point *now, double radius)
{
    const mrn_gpu_list *l = &g->list;
    for (int k = 0; k < n; k++) {
        if (!now[k].touch || l->wall_alive[p0 + k])
            continue;
        for (int m = 0; m < n; m++) {
            if (now[m].touch || !l->wall_alive[p0 + m])
                continue;
            mrn_vec3 d = mrn_sub(now[k].point, mrn_load3(l->point + 3 * (p0 + m)));
            d = mrn_images_nearest(im, d);
            if (mrn_dot(d, d) > 0.01 * radius * radius)
                continue;
            for (int h = 0; h < g->width; h++)
                l->wall_kept[h * l->wall_room + p0 + k] = l->wall_kept[h * l->wall_room + p0 + m];
            mrn_store3(l->point + 3 * (p0 + k), mrn_load3(l->point + 3 * (p0 + m)));
            l->wall_alive[p0 + k] = 1;
            l->wall_alive[p0 + m] = 0;
            break;
        }
    }
}

MRN_INLINE void mrn_gpu_wall_contact(const mrn_gpu *g, int32_t i, int32_t wall,
                                     const mrn_gpu_pose *at, int64_t k, const mrn_contact_point *p,
                                     mrn_gpu_model model)
{
    const mrn_gpu_list *l = &g->list;
    mrn_gpu_motion m = mrn_gpu_load_motion(g, i, g->mixed != 0);
    mrn_sphere_contact s =
        mrn_wall_contact_of(g->place[4 * (size_t)i + 3], m.mass, m.v, m.w, mrn_load3(at->x),
                            mrn_load3(at->v), mrn_load3(at->w), p);
    const mrn_gpu_law *law =
        &g->law[g->pair_of[mrn_gpu_material(g, i) * g->n_materials + g->walls[wall].material]];
    bool alive = l->wall_alive[k] != 0;
    double kept[MRN_GPU_HISTORY];
    const int width = mrn_gpu_width(g, model);
    for (int h = 0; h < width; h++)
        kept[h] = alive ? l->wall_kept[h * l->wall_room + k] : 0;
    mrn_gpu_answer o = model == MRN_GPU_ANY
                           ? mrn_gpu_any_law(law, s, alive ? 0 : 1, g->h, kept)
                           : mrn_gpu_common_law(law, model, s, alive ? 0 : 1, g->h, kept);
    for (int h = 0; h < width; h++)
        l->wall_kept[h * l->wall_room + k] = kept[h];
    l->wall_alive[k] = 1;
    mrn_store3(l->point + 3 * k, p->point);
    mrn_store3(g->wall_force + 6 * k, o.force);
    mrn_store3(g->wall_force + 6 * k + 3, o.lever);
    if (g->moments)
        mrn_store3(g->wall_moment + 3 * k, o.moment);
    mrn_gpu_terms t = mrn_gpu_terms_of(&o, s.delta / s.r);
    double *to = g->wall_term + 6 * k;
    for (int h = 0; h < MRN_GPU_TERMS; h++)
        to[h] = t.term[h];
    to[4] = t.overlap;
    to[5] = 1 + t.slip;
}

/* Pair p, which is that of grain i at the point, or no contact. */
MRN_INLINE void mrn_gpu_wall_pair(const mrn_gpu *g, int32_t i, int32_t wall, const mrn_gpu_pose *at,
                                  int64_t p, const mrn_contact_point *point, mrn_gpu_model model)
{
    if (point->touch)
        mrn_gpu_wall_contact(g, i, wall, at, p, point, model);
    else
        g->list.wall_alive[p] = 0;
}

/* Pairs p0 … p0+n-1 of grain i, with n features of one wall. */
MRN_INLINE void mrn_gpu_wall_pairs(const mrn_gpu *g, const mrn_images *im, int32_t i, int32_t wall,
                                   const mrn_gpu_pose *at, int64_t p0, int n, mrn_gpu_model model,
                                   bool special)
{
    mrn_contact_point few[MRN_GPU_FEATURES];
    mrn_contact_point *out = special && g->points != NULL ? g->points + p0 : few;
    int touching = mrn_gpu_wall_points(g, im, i, wall, at, p0, n, out, special);
    if (touching > 0)
        mrn_gpu_hand_over(g, im, p0, n, out, g->place[4 * (size_t)i + 3]);
    for (int k = 0; k < n; k++)
        mrn_gpu_wall_pair(g, i, wall, at, p0 + k, &out[k], model);
}

/* Contacts of one grain with walls. A single feature, the commonest case, needs no arrays. */
MRN_INLINE void mrn_gpu_wall_grain(const mrn_gpu *g, const mrn_gpu_step *s, int64_t item,
                                   mrn_gpu_model model, bool special)
{
    int32_t i = g->wall_grain[item];
    const mrn_images *im = special && g->strains ? &g->cells[s->slot].images : &g->images;
    const mrn_gpu_list *l = &g->list;
    for (int64_t p0 = l->wall_row[i], p1; p0 < l->wall_row[i + 1]; p0 = p1) {
        int32_t wall = l->wall[p0];
        for (p1 = p0 + 1; p1 < l->wall_row[i + 1] && l->wall[p1] == wall;)
            p1++;
        const mrn_gpu_pose *at = &g->pose[(size_t)s->posed * (size_t)g->n_walls + (size_t)wall];
        if (p1 - p0 == 1) {
            mrn_contact_point one;
            mrn_gpu_wall_points(g, im, i, wall, at, p0, 1, &one, special);
            mrn_gpu_wall_pair(g, i, wall, at, p0, &one, model);
        } else {
            mrn_gpu_wall_pairs(g, im, i, wall, at, p0, (int)(p1 - p0), model, special);
        }
    }
}

/* What wall pair k adds to the totals of its step, and to the load on its wall. */
MRN_INLINE mrn_gpu_terms mrn_gpu_wall_terms(const mrn_gpu *g, int64_t k)
{
    const double *from = g->wall_term + 6 * k;
    mrn_gpu_terms t = mrn_gpu_no_terms();
    if (!g->list.wall_alive[k])
        return t;
    for (int h = 0; h < MRN_GPU_TERMS; h++)
        t.term[h] = from[h];
    t.overlap = from[4];
    t.touch = 1;
    t.slip = from[5] > 1;
    return t;
}

MRN_INLINE void mrn_gpu_wall_load(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k,
                                  double load[6])
{
    const mrn_gpu_pose *at =
        &g->pose[(size_t)s->posed * (size_t)g->n_walls + (size_t)g->list.wall[k]];
    mrn_vec3 f = mrn_scale(-1, mrn_load3(g->wall_force + 6 * k));
    mrn_vec3 arm = mrn_sub(mrn_load3(g->list.point + 3 * k), mrn_load3(at->x));
    mrn_vec3 turn = mrn_contact_torque(arm, f);
    if (g->moments)
        turn = mrn_sub(turn, mrn_load3(g->wall_moment + 3 * k));
    mrn_store3(load, f);
    mrn_store3(load + 3, turn);
}

/* ---- motion ---- */

/* Whether the list is old for a step, which then does nothing. */
MRN_INLINE bool mrn_gpu_is_old(const mrn_gpu *g, const mrn_gpu_step *s)
{
    return !(mrn_gpu_way(&g->record[s->slot]) < s->allowance);
}

typedef struct mrn_gpu_total {
    mrn_vec3 force, lever, moment;
} mrn_gpu_total;

/* Sum over the contacts of grain i by the persistent number of the partner. */
MRN_INLINE mrn_gpu_total mrn_gpu_gather(const mrn_gpu *g, int32_t i, bool mixed)
{
    const mrn_gpu_list *l = &g->list;
    mrn_gpu_total t = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int32_t k = l->wall_row[i]; k < l->wall_row[i + 1]; k++) {
        if (!l->wall_alive[k])
            continue;
        t.force = mrn_add(t.force, mrn_load3(g->wall_force + 6 * (size_t)k));
        t.lever = mrn_add(t.lever, mrn_load3(g->wall_force + 6 * (size_t)k + 3));
        if (g->moments)
            t.moment = mrn_add(t.moment, mrn_load3(g->wall_moment + 3 * (size_t)k));
    }
    /* a zero more changes no sum: none is a negative zero */
    const int32_t back = g->back_row[i + 1], own = l->row[i + 1];
    MRN_GPU_UNROLL for (int32_t m = g->back_row[i]; m < back; m++)
    {
        int64_t k = g->back[m];
        mrn_gpu_six f = mrn_gpu_load6(g->force, MRN_GPU_FORCE * k, mixed);
        t.force = mrn_sub(t.force, f.a);
        t.lever = mrn_add(t.lever, f.b);
        if (g->moments)
            t.moment = mrn_sub(t.moment, mrn_load3(g->moment + 3 * k));
    }
    MRN_GPU_UNROLL for (int32_t m = l->row[i]; m < own; m++)
    {
        int64_t k = m;
        mrn_gpu_six f = mrn_gpu_load6(g->force, MRN_GPU_FORCE * k, mixed);
        t.force = mrn_add(t.force, f.a);
        t.lever = mrn_add(t.lever, f.b);
        if (g->moments)
            t.moment = mrn_add(t.moment, mrn_load3(g->moment + 3 * k));
    }
    return t;
}

/* A body at x whose centre has left the cell comes back into it (detect/cell.c). */
MRN_INLINE mrn_vec3 mrn_gpu_wrap_with(const mrn_gpu *g, const mrn_images *im, int32_t i, mrn_vec3 x,
                                      mrn_vec3 centre)
{
    int32_t *image = g->image + 3 * (size_t)i;
    double to[3];
    mrn_vec3 n = mrn_images_turns(im, mrn_sub(centre, g->origin), image);
    if (n.x == 0 && n.y == 0 && n.z == 0)
        return x;
    mrn_store3(to, x);
    mrn_images_go_back(im, n, to);
    image[0] += (int32_t)n.x;
    image[1] += (int32_t)n.y;
    image[2] += (int32_t)n.z;
    return mrn_load3(to);
}

MRN_INLINE mrn_vec3 mrn_gpu_wrap_in(const mrn_gpu *g, const mrn_images *im, int32_t i, mrn_vec3 x)
{
    return mrn_gpu_wrap_with(g, im, i, x, x);
}

MRN_INLINE mrn_vec3 mrn_gpu_wrap(const mrn_gpu *g, int32_t i, mrn_vec3 x)
{
    return mrn_gpu_wrap_in(g, &g->images, i, x);
}

/* Loads and damping of grain i with angular momentum l; f and t act so far. */
MRN_INLINE mrn_extra mrn_gpu_add_extra(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                                       const mrn_gpu_motion *m, mrn_vec3 l, mrn_vec3 *f,
                                       mrn_vec3 *t)
{
    mrn_extra x = mrn_extra_none();
    if (g->group != NULL) {
        mrn_load load = g->load[(size_t)s->slot * (size_t)g->n_groups + (size_t)g->group[i]];
        mrn_extra_load(&x, &load, m->mass, g->flat != 0);
        *f = mrn_add(*f, x.load);
        *t = mrn_add(*t, x.load_torque);
    }
    if (g->damped && !mrn_gpu_still(g, i)) {
        mrn_extra_damp(&x, g->damp_global, g->damp_local, m->mass, m->v, m->w, l, *f, *t);
        *f = mrn_add(*f, x.damping);
        *t = mrn_add(*t, x.damping_torque);
    }
    return x;
}

#include "cuda/cells.h"

/* How far a list reaches for grain i, over how far it does for slow ones: those that were fast when
   it was made may go farther before it is old. */
MRN_INLINE double mrn_gpu_haste(const mrn_gpu *g, int32_t i)
{
    return g->haste != NULL ? 1 + MRN_GPU_HASTE * g->haste[i] : 1;
}

/* The square of the way that grain i went, over how far the list reaches for it. */
MRN_INLINE double mrn_gpu_far(const mrn_gpu *g, int32_t i, mrn_vec3 d)
{
    double far = d.x * d.x + d.y * d.y + d.z * d.z;
    if (g->haste == NULL)
        return far;
    double k = mrn_gpu_haste(g, i);
    return far / (k * k);
}

/* Forces on a sphere that a cluster carries: contacts alone, for the cluster to gather. */
MRN_INLINE void mrn_gpu_gather_carried(const mrn_gpu *g, int32_t i, bool mixed)
{
    mrn_gpu_total all = mrn_gpu_gather(g, i, mixed);
    mrn_vec3 torque = mrn_scale(-g->place[4 * (size_t)i + 3], all.lever);
    if (g->moments)
        torque = mrn_add(torque, all.moment);
    mrn_gpu_store6(g->pull, MRN_GPU_FORCE * (int64_t)i, all.force, torque, mixed);
}

/* Kick and drift of grain i, as told; the squared way that it goes (0 without a drift). `power`
   gets what loads and damping do, where there are such (extra), and what the flow of a cell does
   that strains. A drift begins with what is kept of the kick, so that it does not matter whether
   one pass makes both. */
MRN_INLINE double mrn_gpu_body(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i, int drift,
                               bool extra, bool mixed, bool strained, double *power)
{
    const mrn_gpu_cell *now = strained ? &g->cells[s->slot] : NULL;
    const mrn_gpu_cell *next = strained ? now + (s->kick ? 1 : 0) : NULL;
    const int64_t at = MRN_GPU_FORCE * (int64_t)i;
    double h = g->h;
    mrn_gpu_total all = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (extra && g->carried != NULL && g->carried[i] != -1) { /* clusters.h has the rest */
        if (s->kick && g->carried[i] >= 0)
            mrn_gpu_gather_carried(g, i, mixed);
        return 0;
    }
    if (s->kick) /* before all else: it asks for the most memory and the most registers */
        all = mrn_gpu_gather(g, i, mixed);
    mrn_gpu_motion m = mrn_gpu_load_motion(g, i, mixed);
    mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    mrn_gpu_six pull = mrn_gpu_load6_once(g->pull, at, mixed);
    const double mass = m.mass;
    double per_mass, per_inertia;
    mrn_vec3 v = m.v, w = m.w, f = pull.a, t = pull.b;
    bool still = g->fixed && mrn_gpu_still(g, i);
    if (s->kick) {
        mrn_vec3 gravity = g->gravity;
        if (extra && g->gravities != NULL)
            gravity = mrn_load3(g->gravities + 3 * (size_t)s->slot);
        mrn_vec3 force = mrn_axpy(mass, gravity, all.force);
        mrn_vec3 torque = mrn_scale(-ball.r, all.lever);
        if (g->moments)
            torque = mrn_add(torque, all.moment);
        if (g->flat)
            force.z = 0, torque.x = 0, torque.y = 0;
        mrn_extra x;
        if (extra)
            x = mrn_gpu_add_extra(g, s, i, &m, mrn_scale(m.inertia, m.w), &force, &torque);
        if (strained && now->flow.on)
            force = mrn_axpy(-mass, mrn_cell_flow_times(&now->flow, v), force);
        per_mass = h / mass, per_inertia = h / m.inertia;
        if (!still) {
            if (!(extra && g->drift_share == 0)) { /* Euler's rule corrects nothing */
                v = mrn_gpu_kick(v, f, force, per_mass);
                w = mrn_gpu_kick(w, t, torque, per_inertia);
            }
            if (extra) {
                power[MRN_GPU_DAMPING] = mrn_extra_damping_power(&x, v, w);
                power[MRN_GPU_DRIVE] = mrn_extra_load_power(&x, v, w);
            }
            if (strained)
                mrn_gpu_flow_powers(g, now, i, mass, ball.x, v, power + MRN_GPU_POWERS);
        }
        f = mrn_gpu_kept3(force, mixed), t = mrn_gpu_kept3(torque, mixed);
        v = mrn_gpu_kept3(v, mixed), w = mrn_gpu_kept3(w, mixed);
        mrn_gpu_store6_once(g->pull, at, f, t, mixed);
    } else {
        per_mass = h / mass, per_inertia = h / m.inertia;
    }
    if (strained && still && drift && s->wrap && g->periodic)
        mrn_store3(g->place + 4 * (size_t)i, mrn_gpu_wrap_carried(g, next, i, ball.x));
    if (still)
        return 0;
    double far = 0;
    if (drift) {
        mrn_vec3 x = ball.x;
        mrn_gpu_four q = mrn_gpu_load4_once(g->q, 4 * (int64_t)i, mixed);
        if (s->wrap && g->periodic)
            x = strained ? mrn_gpu_wrap_carried(g, next, i, x) : mrn_gpu_wrap(g, i, x);
        const double share = extra ? g->drift_share : 0.5;
        mrn_quat of = {q.a.a, q.a.b, q.b.a, q.b.b};
        mrn_gpu_drifted go = mrn_gpu_drift(v, w, f, t, of, per_mass, per_inertia, h, share);
        mrn_vec3 from = x, d = go.way;
        mrn_quat to = go.q;
        v = go.v, w = go.w;
        x = strained && next->carry.on ? mrn_cell_flow_carry(&next->carry, x, d, h) : mrn_add(x, d);
        if (strained && g->absolute)
            d = mrn_sub(x, from);
        mrn_gpu_store4_once(g->q, 4 * (int64_t)i, to.w, to.x, to.y, to.z, mixed);
        mrn_gpu_store4(g->place, 4 * (int64_t)i, x.x, x.y, x.z, ball.r, false);
        far = mrn_gpu_far(g, i, d);
    }
    m.v = v, m.w = w;
    mrn_gpu_store_motion(g, i, m, mixed);
    return far;
}

#include "cuda/clusters.h"

/* ---- the list ---- */

/* Numbers in the order of their bits. */
MRN_INLINE uint64_t mrn_gpu_ordered(double x)
{
    uint64_t u = mrn_bits_of(x);
    return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

/* Coordinates that cells are counted along. */
MRN_INLINE mrn_vec3 mrn_gpu_along(const mrn_gpu *g, int32_t i)
{
    mrn_vec3 x = mrn_sub(mrn_gpu_place(g, i), g->origin);
    return g->periodic ? mrn_images_fraction(&g->images, x) : x;
}

MRN_INLINE int32_t mrn_gpu_cell_along(const mrn_gpu *g, int k, double f)
{
    double period = g->images.inv[k] != 0 ? 1 : 0, at = f - period * floor(f);
    double c = floor((at - g->grid.low[k]) * g->grid.inv[k]);
    int32_t n = g->grid.n[k];
    return c < 0 ? 0 : c < n ? (int32_t)c : n - 1;
}

MRN_INLINE void mrn_gpu_cell_of(const mrn_gpu *g, int32_t i, int32_t at[3])
{
    mrn_vec3 f = mrn_gpu_along(g, i);
    at[0] = mrn_gpu_cell_along(g, 0, f.x);
    at[1] = mrn_gpu_cell_along(g, 1, f.y);
    at[2] = mrn_gpu_cell_along(g, 2, f.z);
}

/* Cells are numbered brick by brick: the number is the sum of a part for each axis. */
MRN_INLINE int32_t mrn_gpu_cell_part(const mrn_gpu *g, int k, int32_t c)
{
    int32_t bits = g->grid.bits[k], within = c & ((1 << bits) - 1);
    return (c >> bits) * g->grid.brick[k] + (within << g->grid.shift[k]);
}

MRN_INLINE void mrn_gpu_do_into_cells(const mrn_gpu *g, const mrn_gpu_step *s, int64_t i)
{
    (void)s;
    int32_t at[3];
    mrn_gpu_cell_of(g, (int32_t)i, at);
    int32_t c = 0;
    for (int k = 0; k < 3; k++)
        c += mrn_gpu_cell_part(g, k, at[k]);
    g->cell[i] = c;
    g->rank[i] = MRN_GPU_ADD(&g->cell_row[c]);
}

MRN_INLINE void mrn_gpu_do_sort_bodies(const mrn_gpu *g, const mrn_gpu_step *s, int64_t i)
{
    (void)s;
    g->from[g->cell_row[g->cell[i]] + g->rank[i]] = (int32_t)i;
}

/* The list goes aside: rows, partners, who touched, and what contacts remember. */
MRN_INLINE void mrn_gpu_do_lay_aside(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k)
{
    (void)s;
    const mrn_gpu_list *l = &g->list, *o = &g->old;
    if (k <= g->n)
        o->row[k] = l->row[k], o->wall_row[k] = l->wall_row[k];
    if (k >= l->n)
        return;
    o->other[k] = l->other[k];
    o->alive[k] = l->alive[k];
    for (int h = 0; h < g->width; h++)
        mrn_gpu_set_number(o->kept, h * o->room + k,
                           mrn_gpu_number(l->kept, h * l->room + k, g->mixed != 0), g->mixed != 0);
}

MRN_INLINE void mrn_gpu_set_haste(const mrn_gpu *g, int32_t i)
{
    mrn_vec3 v = mrn_gpu_load_motion(g, i, g->mixed != 0).v;
    double more = (g->hurry * mrn_norm(v) - 1) / MRN_GPU_HASTE;
    g->haste[i] = more < g->most_haste ? (uint8_t)(more > 0 ? more : 0) : (uint8_t)g->most_haste;
}

/* How far the list reaches from the centre of grain i with radius r towards others. */
MRN_INLINE double mrn_gpu_reach(const mrn_gpu *g, int32_t i, double r)
{
    return r + 0.5 * g->grid.skin * mrn_gpu_haste(g, i);
}

/* More than what single precision may take from or add to the distance between grain i, at x, and
   another, for the share of this one: differences of places, also beyond a period, and squares. */
MRN_INLINE double mrn_gpu_coarse(const mrn_gpu *g, mrn_vec3 x, double reach)
{
    const double *size = g->images.size, *tilt = g->images.tilt;
    double all = fabs(x.x) + fabs(x.y) + fabs(x.z) + 2 * reach;
    for (int k = 0; k < 3; k++)
        all += size[k] + fabs(tilt[k]);
    return 8 * FLT_EPSILON * all;
}

/* The place of body i from the origin of the cell, and put back into it. */
MRN_INLINE mrn_vec3 mrn_gpu_within(const mrn_gpu *g, mrn_vec3 x)
{
    const int32_t none[3] = {0, 0, 0};
    mrn_vec3 d = mrn_sub(x, g->origin);
    if (!g->periodic)
        return d;
    double to[3] = {d.x, d.y, d.z};
    mrn_images_go_back(&g->images, mrn_images_turns(&g->images, d, none), to);
    return mrn_load3(to);
}

/* Grains in the order of cells, as a search looks at them first: in single precision, in the cell,
   so that few bytes tell who may be near. */
MRN_INLINE void mrn_gpu_do_sieve(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k)
{
    (void)s;
    const int32_t i = g->order != NULL ? g->order[k] : (int32_t)k;
    if (g->haste != NULL)
        mrn_gpu_set_haste(g, i);
    const mrn_gpu_ball b = mrn_gpu_load_ball(g, i);
    const mrn_vec3 x = mrn_gpu_within(g, b.x);
    const double reach = mrn_gpu_reach(g, i, b.r);
    mrn_gpu_set_sieve(g->sieve, k, (float)x.x, (float)x.y, (float)x.z,
                      (float)(reach + mrn_gpu_coarse(g, x, reach)));
}

/* Parts of the numbers of the cells that a grain in cell `at` looks through along k: those next to
   it, each once. */
MRN_INLINE int mrn_gpu_cells_near(const mrn_gpu *g, int k, int32_t at, int32_t out[3])
{
    int32_t n = g->grid.n[k];
    int found = 0;
    for (int32_t c = at - 1; c <= at + 1; c++) {
        int32_t to = c;
        if (g->images.inv[k] != 0)
            to = c < 0 ? c + n : c >= n ? c - n : c;
        bool there = to >= 0 && to < n;
        for (int m = 0; m < found; m++)
            there = there && out[m] != to;
        if (there)
            out[found++] = to;
    }
    for (int m = 0; m < found; m++)
        out[m] = mrn_gpu_cell_part(g, k, out[m]);
    return found;
}

/* Partners of a grain while they are few, in the end by their numbers. */
typedef struct mrn_gpu_few {
    int32_t who[MRN_GPU_FEW], id[MRN_GPU_FEW];
} mrn_gpu_few;

/* n of them, once all have been found: threads that sort together wait for each other less. */
MRN_INLINE void mrn_gpu_sort_few(const mrn_gpu *g, mrn_gpu_few *few, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        few->id[k] = g->id[few->who[k]];
    for (int32_t k = 1; k < n; k++) {
        int32_t moved = few->who[k], key = few->id[k], at = k;
        for (; at > 0 && few->id[at - 1] > key; at--)
            few->id[at] = few->id[at - 1], few->who[at] = few->who[at - 1];
        few->id[at] = key, few->who[at] = moved;
    }
}

/* Whether grain j, whose ball is `b`, is a partner of grain i. */
MRN_INLINE bool mrn_gpu_partners(const mrn_gpu *g, int32_t i, const mrn_gpu_ball *ball, int32_t j,
                                 mrn_gpu_ball b)
{
    /* the same number for either of the two */
    const double reach = mrn_gpu_reach(g, i, ball->r) + mrn_gpu_reach(g, j, b.r) + g->grid.range;
    mrn_vec3 d = mrn_gpu_branch(g, ball->x, b.x);
    return j != i && mrn_dot(d, d) < reach * reach &&
           !(g->fixed && mrn_gpu_still(g, i) && mrn_gpu_still(g, j)) &&
           (g->carried == NULL || mrn_gpu_may_meet(g, i, j));
}

/* Cells that follow each other in number, along the axis that counts first, are one run: the places
 *p … (returned) of the run that begins with cell m of those near, none where one goes on. */
MRN_INLINE int32_t mrn_gpu_run_of_cells(const mrn_gpu *g, int32_t near[3][3], const int32_t n[3],
                                        int in, int o, int q, int m, int32_t *p)
{
    const int x = m % n[in], other = m / n[in];
    *p = 0;
    if (x > 0 && near[in][x] == near[in][x - 1] + 1)
        return 0;
    int32_t c = near[o][other % n[o]] + near[q][other / n[o]] + near[in][x], last = c + 1;
    for (int y = x + 1; y < n[in] && near[in][y] == near[in][y - 1] + 1; y++)
        last++;
    *p = g->cell_row[c];
    return g->cell_row[last];
}

/* Grains near grain i; the first MRN_GPU_FEW of them go to `few`, or (few NULL) those with higher
   numbers, which it owns, to `own` and with lower ones to `back`. How many these are is told, but
   for the ones in `few`. */
MRN_INLINE int32_t mrn_gpu_look_around(const mrn_gpu *g, int32_t i, mrn_gpu_few *few, int32_t *own,
                                       int32_t *back, int32_t *n_own, int32_t *n_back)
{
    int32_t at[3], near[3][3], n[3], found = 0, a = 0, b = 0;
    const mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    mrn_gpu_cell_of(g, i, at);
    for (int k = 0; k < 3; k++)
        n[k] = mrn_gpu_cells_near(g, k, at[k], near[k]);
    const int in = g->grid.inner, o = in == 0 ? 1 : 0, q = in == 2 ? 1 : 2;
    for (int m = 0; m < n[o] * n[q] * n[in]; m++) {
        int32_t p, end = mrn_gpu_run_of_cells(g, near, n, in, o, q, m, &p);
        for (; p < end; p++) {
            const int32_t j = g->order != NULL ? g->order[p] : p;
            if (!mrn_gpu_partners(g, i, &ball, j, mrn_gpu_load_ball(g, j)))
                continue;
            if (few != NULL && found < MRN_GPU_FEW) {
                few->who[found++] = j;
                continue;
            }
            bool owned = g->id[j] > g->id[i];
            if (few == NULL && owned)
                own[a] = j;
            if (few == NULL && !owned)
                back[b] = j;
            a += owned, b += !owned, found++;
        }
    }
    *n_own = a, *n_back = b;
    return found;
}

/* What a grain looks through its neighbourhood with: its place in the cell, and how far it looks.
 */
typedef struct mrn_gpu_glance {
    float x, y, z, far;
} mrn_gpu_glance;

MRN_INLINE mrn_gpu_glance mrn_gpu_glance_of(const mrn_gpu *g, int32_t i)
{
    const mrn_gpu_ball b = mrn_gpu_load_ball(g, i);
    const mrn_vec3 x = mrn_gpu_within(g, b.x);
    const double far = mrn_gpu_reach(g, i, b.r) + g->grid.range;
    mrn_gpu_glance o = {(float)x.x, (float)x.y, (float)x.z,
                        (float)(far + mrn_gpu_coarse(g, x, far))};
    return o;
}

/* As seen by those who stand whole edges away: by n[k] of them. */
MRN_INLINE mrn_gpu_glance mrn_gpu_glance_back(const mrn_gpu *g, mrn_gpu_glance o,
                                              const int32_t n[3])
{
    const double *size = g->images.size, *tilt = g->images.tilt;
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
        return o;
    const float a = (float)n[0], b = (float)n[1], c = (float)n[2];
    o.x -= a * (float)size[0] + b * (float)tilt[0] + c * (float)tilt[1];
    o.y -= b * (float)size[1] + c * (float)tilt[2];
    o.z -= c * (float)size[2];
    return o;
}

/* Whether the grain of row `k` of the sieve may be a partner; no: it is none. */
MRN_INLINE bool mrn_gpu_may_be_near(const mrn_gpu_glance *o, const float row[4])
{
    const float x = o->x - row[0], y = o->y - row[1], z = o->z - row[2];
    const float reach = o->far + row[3];
    return x * x + y * y + z * z < reach * reach;
}

/* Cell c along k, which may stand beyond an end: put back by *turn edges; false: there is none. */
MRN_INLINE bool mrn_gpu_cell_there(const mrn_gpu *g, int k, int32_t *c, int32_t *turn)
{
    const int32_t n = g->grid.n[k];
    *turn = *c < 0 ? -1 : *c >= n ? 1 : 0;
    if (*turn != 0 && g->images.inv[k] == 0)
        return false;
    *c -= *turn * n;
    return true;
}

/* Cells next to cell `at` along the axis that counts first, and it: runs of those that follow each
   other in number, and by how many edges each was put back. */
typedef struct mrn_gpu_runs {
    int32_t first[3], last[3], turn[3];
    int n;
} mrn_gpu_runs;

MRN_INLINE void mrn_gpu_find_runs(const mrn_gpu *g, int32_t at, mrn_gpu_runs *r)
{
    const int k = g->grid.inner;
    r->n = 0;
    for (int32_t d = -1; d <= 1; d++) {
        int32_t c = at + d, turn;
        if (!mrn_gpu_cell_there(g, k, &c, &turn))
            continue;
        c = mrn_gpu_cell_part(g, k, c);
        if (r->n > 0 && c == r->last[r->n - 1] + 1 && turn == r->turn[r->n - 1]) {
            r->last[r->n - 1] = c;
            continue;
        }
        r->first[r->n] = r->last[r->n] = c;
        r->turn[r->n++] = turn;
    }
}

/* Who of the places p … end-1 may be near: as mrn_gpu_glance_around. */
MRN_INLINE int32_t mrn_gpu_glance_along(const mrn_gpu *g, const mrn_gpu_glance *glance, int32_t p,
                                        int32_t end, int32_t *who, int32_t found)
{
    for (; p < end; p += MRN_GPU_AHEAD) {
        float row[MRN_GPU_AHEAD][4];
        MRN_GPU_ALL for (int u = 0; u < MRN_GPU_AHEAD; u++)
            mrn_gpu_get_sieve(g->sieve, p + u < end ? p + u : p, row[u]);
        MRN_GPU_ALL for (int u = 0; u < MRN_GPU_AHEAD; u++)
        {
            if (p + u >= end || !mrn_gpu_may_be_near(glance, row[u]))
                continue;
            if (found < MRN_GPU_FEW)
                who[found] = p + u;
            found++;
        }
    }
    return found;
}

/* Who may be a partner of grain i; the first MRN_GPU_FEW of them go to `who`, and how many there
   are is told. */
MRN_INLINE int32_t mrn_gpu_glance_around(const mrn_gpu *g, int32_t i, int32_t *who)
{
    const mrn_gpu_glance glance = mrn_gpu_glance_of(g, i);
    const int in = g->grid.inner, o = in == 0 ? 1 : 0, q = in == 2 ? 1 : 2;
    int32_t at[3], turn[3], found = 0;
    mrn_gpu_runs runs;
    mrn_gpu_cell_of(g, i, at);
    mrn_gpu_find_runs(g, at[in], &runs);
    for (int32_t m = 0; m < 9; m++) {
        int32_t a = at[o] + m % 3 - 1, b = at[q] + m / 3 - 1;
        if (!mrn_gpu_cell_there(g, o, &a, &turn[o]) || !mrn_gpu_cell_there(g, q, &b, &turn[q]))
            continue;
        const int32_t *row = g->cell_row + mrn_gpu_cell_part(g, o, a) + mrn_gpu_cell_part(g, q, b);
        for (int k = 0; k < runs.n; k++) {
            turn[in] = runs.turn[k];
            const mrn_gpu_glance from = mrn_gpu_glance_back(g, glance, turn);
            found = mrn_gpu_glance_along(g, &from, row[runs.first[k]], row[runs.last[k] + 1], who,
                                         found);
        }
    }
    return found;
}

/* Those of the n that are partners stay, by their names. */
MRN_INLINE int32_t mrn_gpu_sift(const mrn_gpu *g, int32_t i, int32_t *who, int32_t n)
{
    const mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    int32_t left = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t j = g->order != NULL ? g->order[who[k]] : who[k];
        if (mrn_gpu_partners(g, i, &ball, j, mrn_gpu_load_ball(g, j)))
            who[left++] = j;
    }
    return left;
}

/* Partners of grain i: how many it owns, and in how many pairs it is the other; in `few` as far as
   they have room there. */
MRN_INLINE void mrn_gpu_search(const mrn_gpu *g, int32_t i, mrn_gpu_few *few, int32_t *n_own,
                               int32_t *n_back)
{
    const int32_t id = g->id[i];
    int32_t n = mrn_gpu_is_cluster(g, i) ? 0
                : g->grid.unique         ? mrn_gpu_glance_around(g, i, few->who)
                                         : MRN_GPU_FEW + 1;
    *n_own = *n_back = 0;
    if (n <= MRN_GPU_FEW)
        n = mrn_gpu_sift(g, i, few->who, n);
    else
        n = mrn_gpu_look_around(g, i, few, NULL, NULL, n_own, n_back);
    n = n < MRN_GPU_FEW ? n : MRN_GPU_FEW;
    mrn_gpu_sort_few(g, few, n);
    for (int32_t k = 0; k < n; k++)
        *n_own += few->id[k] > id, *n_back += few->id[k] < id;
}

/* Rows are short. */
MRN_INLINE void mrn_gpu_sort_by_id(const mrn_gpu *g, int32_t *item, int32_t n)
{
    for (int32_t k = 1; k < n; k++) {
        int32_t moved = item[k], key = g->id[moved], at = k;
        for (; at > 0 && g->id[item[at - 1]] > key; at--)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

/* The rows of grain i, from `own` and `back` on, as mrn_gpu_search has found them; without room for
   them only where they would begin. */
MRN_INLINE void mrn_gpu_write_rows(const mrn_gpu *g, int32_t i, const mrn_gpu_few *few, int32_t own,
                                   int32_t back, int32_t n_own, int32_t n_back)
{
    g->list.row[i] = own, g->back_row[i] = back;
    if (own + n_own > g->pair_room || back + n_back > g->pair_room)
        return;
    if (n_own + n_back > MRN_GPU_FEW) {
        mrn_gpu_look_around(g, i, NULL, g->list.other + own, g->back + back, &n_own, &n_back);
        mrn_gpu_sort_by_id(g, g->list.other + own, n_own);
        mrn_gpu_sort_by_id(g, g->back + back, n_back);
    } else {
        for (int32_t k = 0; k < n_back; k++)
            g->back[back + k] = few->who[k];
        for (int32_t k = 0; k < n_own; k++)
            g->list.other[own + k] = few->who[n_back + k];
    }
    for (int32_t k = 0; k < n_own; k++)
        g->owner[own + k] = i;
}

/* In place of the owner of a pair, the pair itself. */
MRN_INLINE void mrn_gpu_do_write_back(const mrn_gpu *g, const mrn_gpu_step *s, int64_t i)
{
    (void)s;
    for (int32_t m = g->back_row[i]; m < g->back_row[i + 1]; m++) {
        int32_t j = g->back[m], k = g->list.row[j];
        while (g->list.other[k] != i)
            k++;
        g->back[m] = k;
    }
}

/* History of the pair k, if the old list has it in touch. */
MRN_INLINE void mrn_gpu_do_carry_pairs(const mrn_gpu *g, const mrn_gpu_step *s, int64_t k)
{
    (void)s;
    int32_t c = g->owner[k], a = g->list.other[k];
    if (g->stood != NULL)
        c = g->stood[c], a = g->stood[a];
    int32_t m = g->old.row[c], end = g->old.row[c + 1];
    while (m < end && g->old.other[m] != a)
        m++;
    bool alive = m < end && g->old.alive[m];
    g->list.alive[k] = alive;
    for (int h = 0; alive && h < g->width; h++)
        mrn_gpu_set_number(g->list.kept, h * g->list.room + k,
                           mrn_gpu_number(g->old.kept, h * g->old.room + m, g->mixed != 0),
                           g->mixed != 0);
}

/* Features of walls near grain i: counted, and the first `most` of them written. */
MRN_INLINE int32_t mrn_gpu_near_walls(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                                      int32_t *wall, int32_t *feature, int32_t most, bool special)
{
    int32_t n = 0;
    const mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    /* half a skin for the grain, half for the wall, and half as in detect/build.c */
    double reach = ball.r + g->grid.range + g->grid.skin * (0.5 * mrn_gpu_haste(g, i) + 1);
    if (mrn_gpu_is_cluster(g, i))
        return 0;
    for (int32_t w = 0; w < g->n_walls; w++) {
        const mrn_gpu_wall *of = &g->walls[w];
        if (!of->met || (g->fixed && mrn_gpu_still(g, i) && !of->met_by_fixed))
            continue;
        mrn_vec3 c = mrn_gpu_wall_local(
            &g->images, of, &g->pose[(size_t)s->posed * (size_t)g->n_walls + (size_t)w], ball.x);
        if (special && of->shape == MRN_GPU_MESH) {
            int32_t room = most > n ? most - n : 0;
            int found = mrn_mesh_near_of(&of->mesh, c, reach, room > 0 ? feature + n : NULL, room);
            for (int k = 0; k < found && k < room; k++)
                wall[n + k] = w;
            n += found;
        }
        for (int32_t f = 0; f < of->features; f++) {
            mrn_vec3 point, normal;
            if ((of->open >> f & 1) || mrn_gpu_closest(of, f, c, &point, &normal, false) > reach)
                continue;
            if (n < most)
                wall[n] = w, feature[n] = f;
            n++;
        }
    }
    return n;
}

/* What contacts with walls remember: of the pairs k … end-1 of grain i. */
MRN_INLINE void mrn_gpu_carry_walls(const mrn_gpu *g, int32_t i, int32_t k, int32_t end_k)
{
    const mrn_gpu_list *l = &g->list, *o = &g->old;
    int32_t was = g->stood != NULL ? g->stood[i] : i;
    for (; k < end_k; k++) {
        int32_t m = o->wall_row[was], end = o->wall_row[was + 1];
        while (m < end && (o->wall[m] != l->wall[k] || o->feature[m] != l->feature[k]))
            m++;
        bool alive = m < end && o->wall_alive[m];
        l->wall_alive[k] = alive;
        for (int h = 0; alive && h < g->width; h++)
            l->wall_kept[h * l->wall_room + k] = o->wall_kept[h * o->wall_room + m];
        for (int c = 0; c < 3; c++)
            l->point[3 * (size_t)k + (size_t)c] = alive ? o->point[3 * (size_t)m + (size_t)c] : 0;
    }
}

/* Features near a grain while they are few. */
typedef struct mrn_gpu_few_walls {
    int32_t wall[MRN_GPU_FEATURES], feature[MRN_GPU_FEATURES];
} mrn_gpu_few_walls;

/* The n pairs of grain i with walls, from `at` on; it is number `grain` of those that have some. */
MRN_INLINE void mrn_gpu_write_walls(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i,
                                    const mrn_gpu_few_walls *few, int32_t at, int32_t grain,
                                    int32_t n, bool special)
{
    const mrn_gpu_list *l = &g->list;
    l->wall_row[i] = at;
    if (n == 0 || at + n > l->wall_room)
        return;
    g->wall_grain[grain] = i;
    if (n > MRN_GPU_FEATURES)
        mrn_gpu_near_walls(g, s, i, l->wall + at, l->feature + at, n, special);
    for (int32_t k = 0; k < n && n <= MRN_GPU_FEATURES; k++)
        l->wall[at + k] = few->wall[k], l->feature[at + k] = few->feature[k];
    mrn_gpu_carry_walls(g, i, at, at + n);
}

/* Distance of the farthest point of grain i from a wall's axis (mrn_drive_wall_reach). */
MRN_INLINE double mrn_gpu_reach_of(const mrn_gpu *g, int32_t i, mrn_vec3 from, mrn_vec3 axis)
{
    mrn_gpu_ball b = mrn_gpu_load_ball(g, i);
    mrn_vec3 d = mrn_sub(b.x, from);
    return mrn_norm(mrn_axpy(-mrn_dot(d, axis), axis, d)) + b.r;
}

#endif
