/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law micro-slip: Mindlin and Deresiewicz for any history of load. By the method of
   dimensionality reduction the contact of two spheres is a row of independent springs at distance x
   from the middle, each pressed with E* (delta - x^2/R) dx, of tangential stiffness 4 G* dx, each
   with its own Coulomb limit. That row has the same force as the contact for all histories
   (Jaeger's theorem), and cannot make energy. Here it is cut into rings, and each ring moves as
   one.

   Ring edges lie at overlaps R 2^(k/4), k whole, so they stay where they are while the contact
   grows and shrinks; a contact holds the 16 rings below the power of two next above its overlap
   (its level), the innermost reaching to the middle. When the level rises the rings that become too
   small join the innermost with their force (which only loses energy); when it falls the innermost
   is divided. */
#ifndef MRN_LAWS_TANGENTIAL_MICROSLIP_H
#define MRN_LAWS_TANGENTIAL_MICROSLIP_H

#include "laws/gather.h"
#include "laws/tangent.h"

#define MRN_RINGS            16
#define MRN_RINGS_PER_OCTAVE 4 /* rings while the overlap doubles */

/* Rows of history: three for each ring, then these. */
enum { MRN_RINGS_RADIUS = 3 * MRN_RINGS, MRN_RINGS_LEVEL };

typedef struct mrn_tangential_microslip {
    double kt; /* 8 G* */
    double mu, ratio;
} mrn_tangential_microslip;

/* Outer edge of ring j over that of the last, sqrt(R 2^level R): 2^(-(15 - j)/8); 0 for j = -1. */
MRN_FORMULA double mrn_ring_edge(int j)
{
    const double edge[MRN_RINGS] = {
        0.2726269331663144, 0.2973017787506803, 0.3242098886627524, 0.3535533905932738,
        0.3855527063519852, 0.4204482076268573, 0.4585020216023356, 0.5000000000000000,
        0.5452538663326288, 0.5946035575013605, 0.6484197773255048, 0.7071067811865476,
        0.7711054127039704, 0.8408964152537145, 0.9170040432046712, 1};
    return j < 0 ? 0 : edge[j];
}

/* Part of the Hertz force that presses within the share p of the contact radius. */
MRN_FORMULA double mrn_ring_within(double p)
{
    return 0.5 * p * (3 - p * p);
}

MRN_FORMULA double mrn_ring_least(double a, double b)
{
    return a < b ? a : b;
}

/* ---- levels ---- */

/* The last edge of a level. */
MRN_FORMULA double mrn_ring_reach(double r, double level)
{
    return r * sqrt(ldexp(1.0, (int)level));
}

/* Level of an overlap above 0. */
MRN_FORMULA int mrn_ring_level(double r, double delta)
{
    int level;
    (void)frexp(delta / r, &level);
    return level;
}

/* One component of all rings of a contact (the first at s, `stride` apart) whose level has risen by
   `up` rings (fallen, if negative). `reach` is the last edge before, `old` the contact radius then.
 */
MRN_FORMULA void mrn_rings_move(double *s, int stride, int up, double reach, double old)
{
    double was[MRN_RINGS], force = 0, width = 0;
    for (int j = 0; j < MRN_RINGS; j++)
        was[j] = s[j * stride];
    for (int j = 0; j < MRN_RINGS && j <= up; j++) { /* those that join: the force stays */
        double w = mrn_ring_least(reach * mrn_ring_edge(j), old) -
                   (j > 0 ? mrn_ring_least(reach * mrn_ring_edge(j - 1), old) : 0);
        force += w * was[j];
        width += w;
    }
    double inmost = up > 0 ? (width > 0 ? force / width : 0) : was[0];
    for (int j = 0; j < MRN_RINGS; j++) {
        int from = j + up;
        s[j * stride] = j == 0 || from <= 0 ? inmost : from < MRN_RINGS ? was[from] : 0;
    }
}

/* ---- the step ---- */

/* What one ring adds. */
typedef struct mrn_ring {
    mrn_vec3 force, ahead;
    double energy, work, stuck;
} mrn_ring;

/* Width, limit and share of the spring that is kept. */
typedef struct mrn_ring_now {
    double width, was, limit, keep;
} mrn_ring_now;

/* Ring from inner to outer edge (over `reach`, that of the last); radius and old: of the contact
   now and at the last step. */
MRN_FORMULA mrn_ring_now mrn_ring_of(mrn_tangential_microslip c, double inner, double outer,
                                     double reach, double radius, double old, double press)
{
    double from = reach * inner, to = reach * outer, inv = radius > 0 ? 1 / radius : 0;
    double hi = mrn_ring_least(to, radius), lo = mrn_ring_least(from, radius);
    mrn_ring_now r;
    r.width = hi - lo;
    r.was = mrn_ring_least(to, old) - mrn_ring_least(from, old);
    r.limit = c.mu * press * (mrn_ring_within(hi * inv) - mrn_ring_within(lo * inv));
    r.keep = mrn_stiffness_keep(r.was, r.width);
    return r;
}

/* A ring that is not covered holds nothing. */
MRN_FORMULA mrn_vec3 mrn_ring_covered(double width, mrn_vec3 s)
{
    mrn_vec3 r = {width > 0 ? s.x : 0, width > 0 ? s.y : 0, width > 0 ? s.z : 0};
    return r;
}

MRN_FORMULA mrn_ring mrn_ring_step(mrn_tangential_microslip c, mrn_sliding at, mrn_ring_now of,
                                   mrn_vec3 s)
{
    double k = c.kt * of.width;
    s = mrn_tangent_turn(at.n, at.turn, mrn_scale(of.keep, s));
    mrn_slider t = mrn_slider_step(s, mrn_scale(at.h, at.u), k, of.limit);
    mrn_ring r;
    r.force = t.force;
    r.energy = 0.5 * k * mrn_dot(t.spring, t.spring), r.work = 0;
    r.stuck = of.width > 0 ? 1 - t.slide : 0;
    r.ahead = mrn_ring_covered(of.width, t.ahead);
    return r;
}

/* Without a dashpot. The spring was kept with the wider of the two widths, as `keep` scales it. */
MRN_FORMULA mrn_ring mrn_ring_kept(mrn_tangential_microslip c, mrn_passage at, mrn_ring_now of,
                                   mrn_vec3 s)
{
    double before = c.kt * (of.was > of.width ? of.was : of.width);
    mrn_kept t = mrn_kept_spring(at, mrn_scale(of.keep, s), c.kt * of.width, of.limit, before);
    mrn_ring r;
    r.force = t.force, r.energy = t.energy, r.work = t.work;
    r.stuck = of.width > 0 ? 1 - t.slide : 0;
    r.ahead = mrn_ring_covered(of.width, t.spring);
    return r;
}

/* From the sum of the rings to the force taken from C: the dashpot joins, and the whole is cut. */
MRN_FORMULA mrn_vec3 mrn_rings_force(mrn_tangential_microslip c, mrn_vec3 sum, mrn_vec3 u,
                                     double gamma_n, double press)
{
    return mrn_cut(mrn_axpy(c.ratio * gamma_n, u, sum), c.mu * press);
}

/* ---- contact i of a block, whose history these are ---- */

/* Brings it to the level of its overlap. */
MRN_FORMULA void mrn_rings_relevel(double (*hist)[MRN_BLOCK], int i, double r, double delta)
{
    double *level = &hist[MRN_RINGS_LEVEL][i], old = hist[MRN_RINGS_RADIUS][i];
    int now = mrn_ring_level(r, delta);
    if (!(delta > 0) || now == *level)
        return;
    double rise = MRN_RINGS_PER_OCTAVE * (now - *level);
    int up = rise > MRN_RINGS ? MRN_RINGS : rise < -MRN_RINGS ? -MRN_RINGS : (int)rise;
    for (int k = 0; k < 3 && old > 0; k++)
        mrn_rings_move(&hist[k][i], 3 * MRN_BLOCK, up, mrn_ring_reach(r, *level), old);
    *level = now;
}

/* Radii of this step and the last edge. */
typedef struct mrn_rings_now {
    double reach, radius;
} mrn_rings_now;

/* Forces and energies are set to 0. */
MRN_FORMULA mrn_rings_now mrn_rings_begin(mrn_law_block *b, double (*hist)[MRN_BLOCK], int i)
{
    double r = b->r_eff[i];
    mrn_rings_now o;
    mrn_rings_relevel(hist, i, r, b->delta[i]);
    o.radius = sqrt(r * b->delta[i]);
    /* not within the contact, though round-off may say so */
    double last = mrn_ring_reach(r, hist[MRN_RINGS_LEVEL][i]);
    o.reach = last > o.radius ? last : o.radius;
    b->tx[i] = b->ty[i] = b->tz[i] = 0;
    b->energy_t[i] = b->work_t[i] = 0;
    return o;
}

/* What a ring answers is added; a dashpot has no work. */
MRN_FORMULA void mrn_rings_add(mrn_law_block *b, int i, mrn_ring t, double *stuck)
{
    b->tx[i] += t.force.x, b->ty[i] += t.force.y, b->tz[i] += t.force.z;
    b->energy_t[i] += t.energy;
    b->work_t[i] += t.work;
    *stuck += t.stuck;
}

/* From the sum of the rings to the force on C; power: 0 without a dashpot, else 1. */
MRN_FORMULA void mrn_rings_finish(mrn_tangential_microslip c, mrn_law_block *b, int i,
                                  double radius, double stuck, double power)
{
    mrn_vec3 u = {b->ux[i], b->uy[i], b->uz[i]}, sum = {b->tx[i], b->ty[i], b->tz[i]};
    mrn_vec3 f = mrn_rings_force(c, sum, u, b->gamma_n[i], b->press[i]);
    double slip = radius > 0 && stuck == 0 ? 1 : 0;
    mrn_tangential t = {f,   mrn_v3(0, 0, 0), b->energy_t[i], power * mrn_dot(f, u), b->work_t[i],
                        slip};
    mrn_block_tangential(b, i, t);
}

#endif
