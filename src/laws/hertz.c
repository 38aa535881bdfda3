/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damping of Hertz contacts (Tsuji): restitution from alpha by its closed form (end at zero
   overlap, e = exp(-pi alpha / sqrt(5 - alpha^2))) or by integrating one scaled impact (end at zero
   force), and the inverse. */
#include "laws/hertz.h"

#include "laws/coef.h"

MRN_COEFS_READ(mrn_hertz)

/* x'' = -x^(3/2) - alpha x^(1/4) x', x(0) = 0, x'(0) = 1. With the variable s = x^(5/4) the
   equation is linear: ds/dt = 5/4 x^(1/4) x', so with dp = x^(1/4) dt: x' as a function of p obeys
   x'_p = -s - alpha x', s_p = 5/4 x': a damped oscillator with frequency^2 5/4. Its force is zero
   when s + alpha x' = 0. */
double mrn_hertz_restitution(double alpha, bool ends_at_force)
{
    double a2 = alpha * alpha, w2 = 1.25 - 0.25 * a2; /* frequency^2 of the oscillator */
    if (!ends_at_force)
        return w2 > 0 ? exp(-0.5 * alpha * MRN_PI / sqrt(w2)) : 0;
    /* solution with y(0) = 1, y'(0) = -alpha: y = exp(-a p/2) (cos wp - a/(2w) sin wp); the force
       is -dy/dp: dy/dp = exp(-a p/2) (-a cos wp + (a^2/4w - w) sin wp) = 0 at tan wp = a / (a^2/4w
       - w) */
    if (w2 > 0) {
        double w = sqrt(w2);
        double p = atan2(alpha * w, 0.25 * a2 - w2) / w;
        return -exp(-0.5 * alpha * p) * (cos(w * p) - 0.5 * alpha / w * sin(w * p));
    }
    double w = sqrt(-w2);
    if (w < 1e-9 * alpha) {
        double p = 4 / alpha; /* critical: y = exp(-ap/2)(1 - ap/2), y' = 0 at p = 4/a */
        return exp(-0.5 * alpha * p) * (0.5 * alpha * p - 1);
    }
    double t = alpha / (0.25 * a2 / w + w); /* tanh wp */
    double p = atanh(t) / w;
    return -exp(-0.5 * alpha * p) * (cosh(w * p) - 0.5 * alpha / w * sinh(w * p));
}

double mrn_hertz_alpha(double e, bool ends_at_force)
{
    e = e < 1e-3 ? 1e-3 : e;
    if (e >= 1)
        return 0;
    if (!ends_at_force)
        return -sqrt(5) * log(e) / sqrt(MRN_PI * MRN_PI + log(e) * log(e));
    double lo = 0, hi = 100;
    for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (mrn_hertz_restitution(mid, true) > e)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

double mrn_hertz_stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return mrn_hertz_slope(read_coef(coef), r, delta);
}

/* The constant is 4/5 sqrt(pi) Gamma(2/5) / Gamma(9/10). */
double mrn_hertz_contact_time(const double *coef, double r, double m, double v)
{
    double k = mrn_hertz_k(read_coef(coef), r);
    return v > 0 ? 2.943275 * pow(1.25 * m * v * v / k, 0.4) / v : INFINITY;
}
