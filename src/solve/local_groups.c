/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact with any groups of friction: sliding, rolling, pivoting. Newton on Alart and
   Curnier's function from several guesses. When all fail: every group resists by u_g = -kappa_g
   r_g with kappa_g >= 0, zero where it holds. (W + diag kappa) r = -q has an answer for every
   kappa, and kappa_g grows until |r_g| <= mu_g r_N: one bracketed scalar equation per group, one
   inside the other. */
#include "solve/local_parts.h"

typedef struct nest {
    const mrn_contact_layout *lay;
    const mrn_local_balanced *b;
    int order[MRN_FRICTION_GROUPS]; /* innermost first */
    int left;                       /* linear systems that may still be solved */
    double kappa[MRN_FRICTION_GROUPS];
    double r[MRN_CONTACT_BLOCK_MAX];
} nest;

/* Component c has no friction at all: r_c = 0 takes the place of its equation. */
static void remove_component(int n, int c, double *a, double *q)
{
    for (int k = 0; k < n; k++)
        a[c * n + k] = a[k * n + c] = 0;
    a[c * n + c] = 1;
    q[c] = 0;
}

static void nest_impulse(nest *s)
{
    int n = s->lay->block;
    s->left--;
    double a[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX], q[MRN_CONTACT_BLOCK_MAX];
    for (int k = 0; k < n * n; k++)
        a[k] = s->b->W[k];
    for (int k = 0; k < n; k++)
        q[k] = s->b->q[k];
    for (int g = 0; g < s->lay->groups; g++)
        for (int c = s->lay->first[g]; c < s->lay->first[g] + s->lay->width[g]; c++) {
            a[c * n + c] += s->kappa[g];
            if (!(s->b->mu[g] > 0))
                remove_component(n, c, a, q);
        }
    mrn_local_zero_velocity(n, a, q, s->r);
}

/* mu r_N / |r_g| - 1: not negative inside of the cone, nearly linear in kappa_g. */
static double nest_room(const nest *s, int g)
{
    double size = mrn_cone_norm(s->r + s->lay->first[g], s->lay->width[g]);
    return s->b->mu[g] * s->r[0] >= size ? fmax(0, s->b->mu[g] * s->r[0] / size - 1)
                                         : s->b->mu[g] * s->r[0] / size - 1;
}

static double nest_groups(nest *s, int depth);

/* kappa_g with the groups inside solved: secants between bounds (Illinois' rule), and a bisection
   in the logarithm now and then for where they crawl. */
static void nest_root(nest *s, int depth, double at_zero)
{
    double low = 0, high = 1, f = at_zero, h, *kappa = &s->kappa[s->order[depth]];
    double close = depth ? 1e-12 : 1e-15; /* the inner ones are not exact either */
    int side = 0;
    for (*kappa = high; (h = nest_groups(s, depth)) < 0 && high < 1e20; *kappa = high *= 64)
        low = high, f = h;
    for (int k = 1; k < 60 && s->left > 0; k++) {
        double next = low + (high - low) * (f / (f - h));
        if (k % 5 == 0 || !(next > low && next < high))
            next = low > 0 ? sqrt(low) * sqrt(high) : 1e-3 * high;
        if (!(next > low && next < high))
            return;
        *kappa = next;
        double x = nest_groups(s, depth);
        if (fabs(x) <= close || high - low <= close * high)
            return;
        if (x < 0) {
            h *= side < 0 ? 0.5 : 1;
            low = next, f = x, side = -1;
        } else {
            f *= side > 0 ? 0.5 : 1;
            high = next, h = x, side = 1;
        }
    }
}

/* Solves the `depth` innermost groups for the kappa of the others, and tells the room of group
   order[depth] (0 at the outermost). */
static double nest_groups(nest *s, int depth)
{
    if (depth == 0) {
        nest_impulse(s);
    } else {
        int g = s->order[depth - 1];
        s->kappa[g] = 0;
        double room = nest_groups(s, depth - 1);
        if (s->b->mu[g] > 0 && room < 0)
            nest_root(s, depth - 1, room);
    }
    return depth < s->lay->groups ? nest_room(s, s->order[depth]) : 0;
}

/* ---- guesses ---- */

typedef struct search {
    const mrn_contact_layout *lay;
    mrn_local_balanced b;
    double best, r[MRN_CONTACT_BLOCK_MAX]; /* defect in balanced units, and what has it */
} search;

static bool offer(search *s, const double *r)
{
    double defect = mrn_local_defect(s->lay, s->b.W, s->b.q, s->b.mu, r);
    if (defect < s->best) {
        s->best = defect;
        for (int a = 0; a < s->lay->block; a++)
            s->r[a] = r[a];
    }
    return s->best <= MRN_LOCAL_ROUNDING;
}

static bool offer_newton(search *s, double *r)
{
    mrn_local_alart_curnier(s->lay, s->b.W, s->b.q, s->b.mu, 30, r);
    return offer(s, r);
}

/* One group after the other, with Newton from where that leads: most often enough, and cheap. */
static bool offer_in_turn(search *s)
{
    nest n = {.lay = s->lay, .b = &s->b, .left = 3000};
    for (int round = 0; round < 20; round++) {
        for (int g = 0; g < s->lay->groups; g++) {
            n.order[0] = g;
            nest_groups(&n, 1);
        }
        double r[MRN_CONTACT_BLOCK_MAX];
        for (int a = 0; a < s->lay->block; a++)
            r[a] = n.r[a];
        if (offer(s, r) || offer_newton(s, r))
            return true;
    }
    return false;
}

/* One group inside the other, in every order (an inner equation with several roots may hide the
   answer from one order and show it to another). */
static bool offer_nested(search *s)
{
    static const int orders[][MRN_FRICTION_GROUPS] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                                      {0, 2, 1}, {1, 2, 0}, {2, 1, 0}};
    static const int first[] = {0, 1, 2, 6}; /* how many orders keep the outer groups in place */
    for (int k = 0; k < first[s->lay->groups]; k++) {
        nest n = {.lay = s->lay, .b = &s->b, .left = 20000};
        for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
            n.order[g] = orders[k][g];
        nest_groups(&n, s->lay->groups);
        if (offer(s, n.r) || offer_newton(s, n.r))
            return true;
    }
    return false;
}

static bool offer_all(search *s, const double *guess)
{
    int n = s->lay->block;
    double r[MRN_CONTACT_BLOCK_MAX] = {0};
    for (int a = 0; a < n; a++)
        r[a] = guess[a] / s->b.r_scale[a];
    if (offer_newton(s, r))
        return true;
    mrn_local_zero_velocity(n, s->b.W, s->b.q, r);
    if (offer_newton(s, r))
        return true;
    for (int a = 0; a < n; a++)
        r[a] = 0;
    if (offer_newton(s, r))
        return true;
    mrn_cone_project(s->lay, s->b.mu, s->r, r);
    return offer_newton(s, r) || offer_in_turn(s) || offer_nested(s);
}

bool mrn_local_groups(const mrn_contact_layout *lay, const double *W, const double *q,
                      const double *mu, double *r)
{
    search s = {.lay = lay, .best = INFINITY};
    if (q[0] >= 0 || !mrn_local_balance(lay, W, q, mu, &s.b))
        return mrn_local_frictionless(lay->block, W, q, r) && q[0] >= 0;
    bool done = offer_all(&s, r);
    for (int a = 0; a < lay->block; a++)
        r[a] = s.r[a] * s.b.r_scale[a];
    if (done || mrn_local_project(lay, W, q, mu, MRN_LOCAL_ROUNDING, 5000, r))
        return true;
    double p[MRN_CONTACT_BLOCK_MAX]; /* not an answer, but perhaps nearer to one than before */
    for (int a = 0; a < lay->block; a++)
        p[a] = r[a] / s.b.r_scale[a];
    offer(&s, p);
    for (int a = 0; a < lay->block; a++)
        r[a] = s.r[a] * s.b.r_scale[a];
    return false;
}
