/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact in 3D, fast: this is the inner loop of everything. Open and sticking are straight
   code. Sliding has one unknown, the direction t of r_T = mu r_N t: u_N = 0 gives

       r_N = -q_N / D(t),   D(t) = W_NN + mu W_NT . t,   D u_T = b + A t,
       b = W_NN q_T - q_N W_TN,   A = mu (q_T W_NTᵀ - q_N W_TT),

   and u_T must be opposite to t: the component of b + A t across t vanishes, the one along t is not
   positive. Newton on the angle turns t by small rotations; begun at the direction of the last
   sweep it needs one to three. When it fails, a scalar equation with a bracketed root does not. */
#include "solve/local_parts.h"

typedef struct slide_system {
    double a[4], b[2]; /* A column after column, b */
} slide_system;

static inline slide_system slide_of(const double *W, const double *q, double mu)
{
    double n = -mu * q[0], x = mu * q[1], y = mu * q[2];
    return (slide_system){
        .a = {x * W[3] + n * W[4], y * W[3] + n * W[5], x * W[6] + n * W[7], y * W[6] + n * W[8]},
        .b = {W[0] * q[1] - q[0] * W[1], W[0] * q[2] - q[0] * W[2]},
    };
}

/* Rotations below this are the last: the next one would be of its square. */
#define LAST_TURN 1e-8
/* A D below this times W_NN magnifies what was rounded away in b + A t: to be looked at. */
#define SMALL_BOTTOM 0.125

/* Newton on the angle, at most `most` turns. *along: component of b + A t along t. */
static inline bool turn(const slide_system *s, int most, double *t, double *along)
{
    double x = t[0], y = t[1];
    const double *a = s->a;
    for (int k = 0; k < most; k++) {
        double vx = s->b[0] + a[0] * x + a[2] * y, vy = s->b[1] + a[1] * x + a[3] * y;
        double h = x * vx + y * vy, f = x * vy - y * vx;
        /* derivative by the angle: t turns towards (-y, x), which turns towards -t */
        double px = a[2] * x - a[0] * y, py = a[3] * x - a[1] * y, slope = x * py - y * px - h;
        if (!(slope > 0))
            return false;
        double d = f / slope, e = d * d;
        /* 1 / sqrt(1 + e); the series is exact to rounding where it is used */
        double over = e < 1e-6 ? 1 - e * (0.5 - 0.375 * e) : 1 / sqrt(1 + e);
        double nx = (x + d * y) * over;
        y = (y - d * x) * over;
        x = nx;
        if (fabs(d) < LAST_TURN) {
            /* the last turn changes `along` too: its sign may hang on that */
            *along = h - d * (f + t[0] * px + t[1] * py);
            t[0] = x, t[1] = y;
            return true;
        }
        t[0] = x, t[1] = y;
    }
    return false;
}

bool mrn_local_slide_newton(const double *W, const double *q, double mu, double *t)
{
    slide_system s = slide_of(W, q, mu);
    double along, d[2] = {t[0], t[1]};
    if (!turn(&s, 12, d, &along) || !(along <= 0) || !(W[0] + mu * (W[3] * d[0] + W[6] * d[1]) > 0))
        return false;
    t[0] = d[0], t[1] = d[1];
    return true;
}

bool mrn_local_slide_impulse(const double *W, const double *q, double mu, const double *t,
                             double *r)
{
    double bottom = W[0] + mu * (W[3] * t[0] + W[6] * t[1]);
    if (!(bottom > 0))
        return false;
    r[0] = -q[0] / bottom;
    r[1] = mu * r[0] * t[0];
    r[2] = mu * r[0] * t[1];
    return true;
}

/* ---- the slow ways, out of line ---- */

/* Newton has no good direction: bracket, quartic, projections, the first that satisfies the laws;
   else the best of them. */
static __attribute__((noinline)) bool last_resorts(const double *W, const double *q, double mu,
                                                   double *r)
{
    double best = INFINITY, s[3], found[3] = {0, 0, 0};
    for (int way = 0; way < 3 && best > MRN_LOCAL_ROUNDING; way++) {
        s[0] = s[1] = s[2] = 0;
        if (way == 0)
            mrn_local_slide_bracket(W, q, mu, s);
        else if (way == 1)
            mrn_local_3d_quartic(W, q, mu, s);
        else {
            s[0] = found[0], s[1] = found[1], s[2] = found[2];
            mrn_local_3d_projection(W, q, mu, MRN_LOCAL_ROUNDING, 1000, s);
        }
        double defect = mrn_local_3d_defect(W, q, mu, s);
        if (defect < best)
            best = defect, found[0] = s[0], found[1] = s[1], found[2] = s[2];
    }
    r[0] = found[0], r[1] = found[1], r[2] = found[2];
    return best <= MRN_LOCAL_ROUNDING;
}

/* The sticking impulse of an ill-conditioned block, refined; then the cone is asked again. */
static __attribute__((noinline)) bool stick_refined(const double *W, const double *inverse,
                                                    const double *q, double mu, double *r)
{
    double u[3];
    for (int k = 0; k < 2; k++) {
        mrn_local_velocity(3, W, q, r, u);
        for (int a = 0; a < 3; a++)
            r[a] -= inverse[a] * u[0] + inverse[3 + a] * u[1] + inverse[6 + a] * u[2];
    }
    return r[0] >= 0 && mrn_local_3d_defect(W, q, mu, r) <= MRN_LOCAL_ROUNDING;
}

/* ---- the fast one ---- */

/* Sliding from direction (x, y), of any length. */
static inline bool slide_from(const double *W, const double *q, double mu, double x, double y,
                              double *r)
{
    slide_system s = slide_of(W, q, mu);
    double over = 1 / sqrt(x * x + y * y), t[2] = {over * x, over * y}, along;
    if (!turn(&s, 8, t, &along) || !(along <= 0))
        return false;
    double bottom = W[0] + mu * (W[3] * t[0] + W[6] * t[1]);
    if (!(bottom > SMALL_BOTTOM * fabs(W[0])))
        return false;
    r[0] = -q[0] / bottom;
    r[1] = mu * r[0] * t[0];
    r[2] = mu * r[0] * t[1];
    return true;
}

/* From the guess, else the way sticking would pull, else as a bracketed root. */
static bool slides(const double *W, const double *q, double mu, const double *stick, double *r)
{
    if (r[1] * r[1] + r[2] * r[2] > 1e-280 && slide_from(W, q, mu, r[1], r[2], r))
        return true;
    return slide_from(W, q, mu, stick[1], stick[2], r) || last_resorts(W, q, mu, r);
}

/* Without an inverse: cofactors. Rounding spoils them when W is ill-conditioned; what they are used
   for is checked afterwards. */
static void invert(const double *W, double *v)
{
    v[0] = W[4] * W[8] - W[7] * W[5];
    v[1] = W[7] * W[2] - W[1] * W[8];
    v[2] = W[1] * W[5] - W[4] * W[2];
    double over = 1 / (W[0] * v[0] + W[3] * v[1] + W[6] * v[2]);
    v[0] *= over, v[1] *= over, v[2] *= over;
    v[3] = over * (W[6] * W[5] - W[3] * W[8]);
    v[4] = over * (W[0] * W[8] - W[6] * W[2]);
    v[5] = over * (W[3] * W[2] - W[0] * W[5]);
    v[6] = over * (W[3] * W[7] - W[6] * W[4]);
    v[7] = over * (W[6] * W[1] - W[0] * W[7]);
    v[8] = over * (W[0] * W[4] - W[3] * W[1]);
}

bool mrn_local_3d(const double *W, const double *inverse, const double *q, double mu, double *r)
{
    if (q[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return true;
    }
    if (!(mu > 0))
        return mrn_local_frictionless(3, W, q, r);
    double own[9], s[3];
    if (!inverse) {
        invert(W, own);
        inverse = own;
    }
    for (int a = 0; a < 3; a++)
        s[a] = -(inverse[a] * q[0] + inverse[3 + a] * q[1] + inverse[6 + a] * q[2]);
    double room = mu * s[0];
    if (!(s[0] >= 0 && s[1] * s[1] + s[2] * s[2] <= room * room))
        return slides(W, q, mu, s, r);
    double u[3];
    for (int a = 0; a < 3; a++)
        u[a] = q[a] + W[a] * s[0] + W[3 + a] * s[1] + W[6 + a] * s[2];
    bool fine =
        fabs(u[0]) + fabs(u[1]) + fabs(u[2]) <= 0x1p-47 * (fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
    r[0] = s[0], r[1] = s[1], r[2] = s[2];
    if (fine || stick_refined(W, inverse, q, mu, r))
        return true;
    return last_resorts(W, q, mu, r);
}
