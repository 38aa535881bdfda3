/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws of M1, M2 and M3 lane by lane. With a time step of zero nothing turns, begins or ends
   within the step, and in a plane a tangential vector is a number: what is left of a law is a line
   or two. tests/lab/test_collision_force.c holds them to the bits of the laws. */
#include "collide/collision_force.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "laws/hertz.h"
#include "laws/linear.h"
#include "laws/models.h"
#include "laws/tangent.h"

/* What never pulls (tension = 0) lets go. */
static inline double no_pull(double f, double tension)
{
    return f < 0 ? tension * f : f;
}

/* A force no larger than the limit. */
static inline double cut(double f, double limit)
{
    double size = fabs(f);
    return (size > limit ? limit / size : 1) * f;
}

/* ---- normal linear ---- */

enum { LINEAR_K, LINEAR_G, LINEAR_TENSION };

static void load_linear(const double *c, double r, double m, double *out)
{
    (void)r;
    out[LINEAR_K] = mrn_linear_k(c, m);
    out[LINEAR_G] = mrn_linear_gamma(c, m, out[LINEAR_K]);
    out[LINEAR_TENSION] = c[MRN_LIN_TENSION];
}

static void answer_linear(mrn_lanes *f, int from, int to)
{
    const double *restrict k = f->normal[LINEAR_K], *restrict g = f->normal[LINEAR_G];
    const double *restrict tension = f->normal[LINEAR_TENSION];
#pragma omp simd
    for (int i = from; i < to; i++) {
        double force = no_pull(k[i] * f->delta[i] + g[i] * f->rate[i], tension[i]);
        f->fn[i] = force;
        f->press[i] = fabs(force);
        f->k_n[i] = k[i];
        f->gamma_n[i] = g[i];
    }
}

/* ---- normal tsuji ---- */

enum { TSUJI_K, TSUJI_K15, TSUJI_G, TSUJI_TENSION };

static void load_tsuji(const double *c, double r, double m, double *out)
{
    double k = mrn_hertz_k(c, r);
    out[TSUJI_K] = k;
    out[TSUJI_K15] = 1.5 * k;
    out[TSUJI_G] = c[MRN_HZ_ALPHA] * sqrt(m * k);
    out[TSUJI_TENSION] = c[MRN_HZ_TENSION];
}

static void answer_tsuji(mrn_lanes *f, int from, int to)
{
    const double *restrict k = f->normal[TSUJI_K], *restrict k15 = f->normal[TSUJI_K15];
    const double *restrict g = f->normal[TSUJI_G], *restrict tension = f->normal[TSUJI_TENSION];
#pragma omp simd
    for (int i = from; i < to; i++) {
        double root = f->root[i], dashpot = g[i] * sqrt(root);
        double force = no_pull(k[i] * f->delta[i] * root + dashpot * f->rate[i], tension[i]);
        f->fn[i] = force;
        f->press[i] = fabs(force);
        f->k_n[i] = k15[i] * root;
        f->gamma_n[i] = dashpot;
    }
}

/* ---- normal zheng ---- */

enum { ZHENG_K, ZHENG_K15, ZHENG_G, ZHENG_TENSION, ZHENG_POWER };
enum { OF_ZHENG_G = MRN_HZ_K + 1, OF_ZHENG_TENSION, OF_ZHENG_POWER }; /* as normal_zheng.c has it */

static void load_zheng(const double *c, double r, double m, double *out)
{
    (void)m;
    double k = mrn_hertz_k(c, r);
    out[ZHENG_K] = k;
    out[ZHENG_K15] = 1.5 * k;
    out[ZHENG_G] = c[OF_ZHENG_G] * sqrt(r);
    out[ZHENG_TENSION] = c[OF_ZHENG_TENSION];
    out[ZHENG_POWER] = c[OF_ZHENG_POWER];
}

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* x^0.04 to round-off for x > 0, something finite at 0: the power of the library, in a form that
   vectorises. With x = 2^e m, m about 1, it is exp(0.04 (e ln 2 + ln m)); so small a power forgives
   the logarithm its last digits. */
static inline double power_004(double x)
{
    const uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
    const double ln2 = 0.693147180559945309, shift = 0x1.8p52;
    uint64_t u = bits_of(x) + (one - root_half);
    double e = of_bits(u >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
    double m = of_bits((u & 0x000fffffffffffff) + root_half), t = (m - 1) / (m + 1), q = t * t;
    double q2 = q * q, q4 = q2 * q2;
    double a = 1.0 / 3 + q * (1.0 / 5) + q2 * (1.0 / 7 + q * (1.0 / 9));
    double b = 1.0 / 11 + q * (1.0 / 13) + q2 * (1.0 / 15 + q * (1.0 / 17));
    double c = 1.0 / 19 + q * (1.0 / 21), ln_m = 2 * t + 2 * t * q * (a + q4 * (b + q4 * c));
    double y = 0.04 * (e * ln2 + ln_m), near = y * 1.44269504088896341 + shift;
    double f = y - (near - shift) * ln2, f2 = f * f, f4 = f2 * f2; /* y = k ln 2 + f */
    double low = 0.5 + f * (1.0 / 6) + f2 * (1.0 / 24 + f * (1.0 / 120));
    double mid = 1.0 / 720 + f * (1.0 / 5040) + f2 * (1.0 / 40320 + f * (1.0 / 362880));
    double top = 1.0 / 3628800 + f * (1.0 / 39916800) + f2 * (1.0 / 479001600);
    double exp_f = 1 + (f + f2 * (low + f4 * (mid + f4 * top)));
    return exp_f * of_bits((bits_of(near) + 1023) << 52);
}

static void answer_zheng(mrn_lanes *f, int from, int to)
{
    const double *restrict k = f->normal[ZHENG_K], *restrict k15 = f->normal[ZHENG_K15];
    const double *restrict g = f->normal[ZHENG_G], *restrict tension = f->normal[ZHENG_TENSION];
    const double *restrict power = f->normal[ZHENG_POWER];
    double any = 0;
    for (int i = from; i < to; i++)
        any += power[i];
    if (any > 0)
#pragma omp simd
        for (int i = from; i < to; i++) {
            double grown = f->root[i] * power_004(f->delta[i] / f->r_eff[i]);
            f->gamma_n[i] = power[i] > 0 ? grown : f->root[i];
        }
    else
        memcpy(&f->gamma_n[from], &f->root[from], (size_t)(to - from) * sizeof(double));
#pragma omp simd
    for (int i = from; i < to; i++) {
        double root = f->root[i], dashpot = g[i] * f->gamma_n[i];
        double force = no_pull(k[i] * f->delta[i] * root + dashpot * f->rate[i], tension[i]);
        f->fn[i] = force;
        f->press[i] = fabs(force);
        f->k_n[i] = k15[i] * root;
        f->gamma_n[i] = dashpot;
    }
}

/* ---- tangential linear and mindlin: a spring, a dashpot and Coulomb's limit ---- */

enum { SPRING_K, SPRING_RATIO, SPRING_MU, SPRING_ALL };

static void load_tangential_linear(const double *c, double r, double m, double *out)
{
    (void)r, (void)m;
    for (int i = 0; i < 3; i++) /* as tangential_linear.c has them */
        out[i] = c[i];
}

static void hold_tangential_linear(const mrn_lanes *f, int from, int to, double *restrict k,
                                   double *restrict g)
{
    const double *restrict kappa = f->tangential[SPRING_K];
    const double *restrict ratio = f->tangential[SPRING_RATIO];
#pragma omp simd
    for (int i = from; i < to; i++) {
        k[i] = kappa[i] * f->k_n[i];
        g[i] = ratio[i] * f->gamma_n[i];
    }
}

static double keeps_all(const double *c, double delta, double s, double old)
{
    (void)c, (void)delta, (void)old;
    return s;
}

static void answer_tangential_linear(mrn_lanes *f, int from, int to)
{
    const double *restrict kappa = f->tangential[SPRING_K], *restrict mu = f->tangential[SPRING_MU];
    const double *restrict ratio = f->tangential[SPRING_RATIO];
#pragma omp simd
    for (int i = from; i < to; i++) {
        double force = kappa[i] * f->k_n[i] * f->spring[i] + ratio[i] * f->gamma_n[i] * f->ut[i];
        f->tx[i] = -cut(force, mu[i] * f->press[i]);
    }
}

/* As tangential_mindlin.c has them. */
enum { OF_MINDLIN_KT, OF_MINDLIN_MU, OF_MINDLIN_DAMPING, OF_MINDLIN_GROWING, OF_MINDLIN_FALLING };

static void load_mindlin(const double *c, double r, double m, double *out)
{
    (void)m;
    out[SPRING_K] = c[OF_MINDLIN_KT] * sqrt(r);
    out[SPRING_RATIO] = c[OF_MINDLIN_DAMPING];
    out[SPRING_MU] = c[OF_MINDLIN_MU];
    out[SPRING_ALL] = c[OF_MINDLIN_KT];
}

static void hold_mindlin(const mrn_lanes *f, int from, int to, double *restrict k,
                         double *restrict g)
{
    const double *restrict kt = f->tangential[SPRING_ALL];
    const double *restrict ratio = f->tangential[SPRING_RATIO];
#pragma omp simd
    for (int i = from; i < to; i++) {
        k[i] = kt[i] * sqrt(f->r_eff[i] * f->delta[i]);
        g[i] = ratio[i] * f->gamma_n[i];
    }
}

static double keeps_mindlin(const double *c, double delta, double s, double old)
{
    double root = sqrt(delta), keep = c[old < root ? OF_MINDLIN_GROWING : OF_MINDLIN_FALLING];
    return keep > 0 ? old / root * s : s;
}

static void answer_mindlin(mrn_lanes *f, int from, int to)
{
    const double *restrict k = f->tangential[SPRING_K], *restrict mu = f->tangential[SPRING_MU];
    const double *restrict ratio = f->tangential[SPRING_RATIO];
#pragma omp simd
    for (int i = from; i < to; i++) {
        double force = k[i] * f->root[i] * f->spring[i] + ratio[i] * f->gamma_n[i] * f->ut[i];
        f->tx[i] = -cut(force, mu[i] * f->press[i]);
    }
}

/* ---- tangential zheng ---- */

enum { SLIP_REACH, SLIP_MU, SLIP_TIME, SLIP_FALL };

static void load_tangential_zheng(const double *c, double r, double m, double *out)
{
    (void)r, (void)m;
    for (int i = 0; i < 4; i++) /* as tangential_zheng.c has them */
        out[i] = c[i];
}

static double keeps_zheng(const double *c, double delta, double s, double old)
{
    (void)old;
    double most = c[SLIP_REACH] * delta;
    return cut(cut(s, most), most);
}

static void answer_tangential_zheng(mrn_lanes *f, int from, int to)
{
    const double *restrict reach = f->tangential[SLIP_REACH], *restrict mu = f->tangential[SLIP_MU];
    const double *restrict time = f->tangential[SLIP_TIME], *restrict fall =
                                                                f->tangential[SLIP_FALL];
#pragma omp simd
    for (int i = from; i < to; i++) {
        double most = reach[i] * f->delta[i], limit = mu[i] * f->press[i], u = f->ut[i];
        double inv = most > 0 ? 1 / most : 0, now = cut(f->spring[i], most), size = fabs(now);
        double x = most > 0 ? size * inv : 1;
        double pull = size > 0 ? limit * mrn_microslip(x) / size : 0;
        double q = time[i] * fabs(u) * inv, left = 1 - fall[i] * q, rest = 1 - x;
        double factor = left > 0 ? left : 0, open = sqrt(rest > 0 ? rest : 0);
        double drag = 1.5 * limit * factor * time[i] * inv * open;
        f->tx[i] = -cut(drag * u + pull * now, limit);
    }
}

/* ---- all of them ---- */

const mrn_lane_law *mrn_lane_law_of(const mrn_law *law)
{
    static const mrn_lane_law all[] = {
        {&mrn_law_normal_linear, load_linear, answer_linear, NULL, NULL},
        {&mrn_law_normal_tsuji, load_tsuji, answer_tsuji, NULL, NULL},
        {&mrn_law_normal_zheng, load_zheng, answer_zheng, NULL, NULL},
        {&mrn_law_tangential_linear, load_tangential_linear, answer_tangential_linear,
         hold_tangential_linear, keeps_all},
        {&mrn_law_tangential_mindlin, load_mindlin, answer_mindlin, hold_mindlin, keeps_mindlin},
        {&mrn_law_tangential_zheng, load_tangential_zheng, answer_tangential_zheng, NULL,
         keeps_zheng},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].law == law)
            return &all[i];
    return NULL;
}
