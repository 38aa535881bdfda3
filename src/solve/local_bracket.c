/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sliding in 3D that cannot fail. Sliding is u_T = -kappa r_T with kappa >= 0; with u_N = 0
   eliminated,

       (S + kappa 1) r_T = -b,   S = W_TT - W_TN W_NTᵀ / W_NN,   b = q_T - W_TN q_N / W_NN,
       r_N = -(q_N + W_NT . r_T) / W_NN.

   The symmetric part of S is positive definite with W's, so r_T exists for every kappa >= 0 and
   |r_T| <= |b| / kappa. phi = |r_T| - mu r_N is positive at 0 (sticking is outside of the cone) and
   negative for large kappa: a root lies between, at any friction and any coupling. */
#include "solve/local_parts.h"

typedef struct pull {
    double W0, nx, ny, n, mu; /* W_NN, W_NT, -q_N */
    double s[4], b[2];
} pull;

static pull pull_of(const double *W, const double *q, double mu)
{
    pull p = {.W0 = W[0], .nx = W[3], .ny = W[6], .n = -q[0], .mu = mu};
    double ax = W[1] / W[0], ay = W[2] / W[0];
    p.s[0] = W[4] - ax * W[3], p.s[1] = W[5] - ay * W[3];
    p.s[2] = W[7] - ax * W[6], p.s[3] = W[8] - ay * W[6];
    p.b[0] = q[1] - ax * q[0], p.b[1] = q[2] - ay * q[0];
    return p;
}

/* x = -(S + kappa)⁻¹ y; false when rounding left no positive determinant. */
static bool pull_solve(const pull *p, double kappa, double yx, double yy, double *x)
{
    double a = p->s[0] + kappa, d = p->s[3] + kappa, det = a * d - p->s[1] * p->s[2];
    if (!(det > 0))
        return false;
    x[0] = (p->s[2] * yy - d * yx) / det;
    x[1] = (p->s[1] * yx - a * yy) / det;
    return true;
}

/* r(kappa), and psi = mu r_N / |r_T| - 1, which is nearly linear in kappa, with its derivative.
   False where r is not defined: far on the side of psi < 0. */
static bool pull_at(const pull *p, double kappa, double *r, double *psi, double *slope)
{
    double d[2] = {0, 0};
    if (!pull_solve(p, kappa, p->b[0], p->b[1], r + 1))
        return false;
    double x = sqrt(r[1] * r[1] + r[2] * r[2]);
    r[0] = (p->n - p->nx * r[1] - p->ny * r[2]) / p->W0;
    if (!(x > 0)) {
        *psi = *slope = INFINITY;
        return true;
    }
    pull_solve(p, kappa, r[1], r[2], d);
    double dn = -(p->nx * d[0] + p->ny * d[1]) / p->W0, dx = (r[1] * d[0] + r[2] * d[1]) / x;
    *psi = p->mu * r[0] / x - 1;
    *slope = p->mu * (dn - r[0] * dx / x) / x;
    return true;
}

/* Newton between bounds, halving (in the logarithm) where it would leave them. Returns kappa. */
static double pull_root(const pull *p, double high, double *r)
{
    double low = 0, kappa = high, psi, slope;
    for (int k = 0; k < 200; k++) {
        bool there = pull_at(p, kappa, r, &psi, &slope);
        if (there && fabs(psi) <= 0x1p-51)
            break;
        if (there && psi > 0)
            high = kappa;
        else
            low = kappa;
        double next = there && slope > 0 ? kappa - psi / slope : -1;
        if (!(next > low && next < high))
            next = low > 0 ? sqrt(low) * sqrt(high) : 1e-3 * high;
        /* neighbours: nothing left between; a bound lower than any number that matters: sticking */
        if (!(next > low && next < high) || high <= 1e-22 * p->W0)
            break;
        kappa = next;
    }
    return kappa;
}

typedef struct best {
    const double *W, *q;
    double mu, defect, *r;
} best;

static void offer(best *b, const double *s)
{
    double defect = mrn_local_3d_defect(b->W, b->q, b->mu, s);
    if (!(defect < b->defect))
        return;
    b->defect = defect;
    for (int a = 0; a < 3; a++)
        b->r[a] = s[a];
}

/* The root's r exactly on the cone with its direction, once more after a turn by Newton; and, for
   an ill-conditioned S, r from the whole block with kappa added: whichever has the least defect. */
static void polish(best *b, double kappa)
{
    double s[3], x = sqrt(b->r[1] * b->r[1] + b->r[2] * b->r[2]);
    double t[2] = {b->r[1] / x, b->r[2] / x}, V[9];
    for (int k = 0; k < 2 && x > 0; k++) {
        if (mrn_local_slide_impulse(b->W, b->q, b->mu, t, s))
            offer(b, s);
        if (b->defect <= 0x1p-50 || !mrn_local_slide_newton(b->W, b->q, b->mu, t))
            break;
    }
    if (b->defect <= 0.1 * MRN_LOCAL_ROUNDING)
        return;
    for (int k = 0; k < 9; k++)
        V[k] = b->W[k] + (k == 4 || k == 8 ? kappa : 0);
    if (mrn_local_zero_velocity(3, V, b->q, s))
        offer(b, s);
}

bool mrn_local_slide_bracket(const double *W, const double *q, double mu, double *r)
{
    if (!(W[0] > 0) || !(mu > 0) || !(q[0] < 0))
        return false;
    pull p = pull_of(W, q, mu);
    best b = {.W = W, .q = q, .mu = mu, .defect = INFINITY, .r = r};
    double psi, slope, s[3] = {0, 0, 0}, kappa = 0, size = sqrt(p.b[0] * p.b[0] + p.b[1] * p.b[1]);
    if (!pull_at(&p, 0, s, &psi, &slope) || psi < 0) {
        double coupling = sqrt(W[3] * W[3] + W[6] * W[6]);
        kappa = pull_root(&p, size * (W[0] + mu * coupling) / (mu * p.n), s);
    }
    offer(&b, s);
    polish(&b, kappa);
    return b.defect <= MRN_LOCAL_ROUNDING;
}
