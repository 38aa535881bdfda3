/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of chance in a library built without GSL: the incomplete gamma function by its
   series and its continued fraction, the incomplete beta function by its continued fraction
   (Abramowitz & Stegun 6.5.29, 6.5.31, 26.5.8), to about twelve digits. There is no table of Sobol'
   numbers: what needs the sequence (sensitivity, designs) says so. */
#include <math.h>

#include "inference/chance.h"
#include "moraine/types.h"

enum { MOST_TERMS = 10000 };
#define TINY   1e-300
#define ENOUGH 1e-15

double mrn_chance_normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}
double mrn_chance_normal_above(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

/* By halves, then Newton: the tail that is small is computed as such. */
double mrn_chance_normal_quantile(double p)
{
    if (!(p > 0) || !(p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    bool upper = p > 0.5;
    double tail = upper ? 1 - p : p, lo = 0, hi = 40; /* of the distance below the mean */
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi);
        *(mrn_chance_normal_above(mid) > tail ? &lo : &hi) = mid;
    }
    return upper ? 0.5 * (lo + hi) : -0.5 * (lo + hi);
}

/* Lower incomplete gamma function over the whole, for x < a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int n = 1; n < MOST_TERMS && fabs(term) > ENOUGH * sum; n++)
        sum += term *= x / (a + n);
    return sum * exp(a * log(x) - x - lgamma(a));
}

/* The upper one, for x >= a + 1, by Lentz' method. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / TINY, d = 1 / b, h = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = fabs(c) < TINY ? TINY : c;
        h *= d * c;
        if (fabs(d * c - 1) < ENOUGH)
            break;
    }
    return h * exp(a * log(x) - x - lgamma(a));
}

double mrn_chance_chi2_below(double x, double freedom)
{
    double a = 0.5 * freedom, y = 0.5 * x;
    return x <= 0 ? 0 : y < a + 1 ? gamma_series(a, y) : 1 - gamma_fraction(a, y);
}
double mrn_chance_chi2_above(double x, double freedom)
{
    double a = 0.5 * freedom, y = 0.5 * x;
    return x <= 0 ? 1 : y < a + 1 ? 1 - gamma_series(a, y) : gamma_fraction(a, y);
}

static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    d = 1 / (fabs(d) < TINY ? TINY : d);
    h = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        double before = h;
        for (int odd = 0; odd < 2; odd++) {
            double t = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                           : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + t * d;
            c = 1 + t / c;
            d = 1 / (fabs(d) < TINY ? TINY : d);
            c = fabs(c) < TINY ? TINY : c;
            h *= d * c;
        }
        if (fabs(h - before) < ENOUGH * fabs(h))
            break;
    }
    return h;
}

/* Incomplete beta function over the whole: I_x(a, b), with y = 1 - x. */
static double beta_share(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, y) / b;
}

double mrn_chance_student_above(double t, double freedom)
{
    double s = freedom + t * t;
    double tail = 0.5 * beta_share(0.5 * freedom, 0.5, freedom / s, t * t / s);
    return t >= 0 ? tail : 1 - tail;
}
double mrn_chance_student_below(double t, double freedom)
{
    return mrn_chance_student_above(-t, freedom);
}
double mrn_chance_fisher_below(double x, double freedom_1, double freedom_2)
{
    double s = freedom_1 * x + freedom_2;
    return x <= 0 ? 0
                  : beta_share(0.5 * freedom_1, 0.5 * freedom_2, freedom_1 * x / s, freedom_2 / s);
}

/* Moved above 12 by recurrence, then the asymptotic series. */
double mrn_chance_digamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}
double mrn_chance_trigamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum += 1 / (x * x);
    double y = 1 / (x * x);
    return sum + 1 / x + 0.5 * y +
           y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * 5 / 66))));
}

size_t mrn_sobol_bytes(unsigned n)
{
    (void)n;
    return 0;
}
void mrn_sobol_begin(void *state, unsigned n)
{
    (void)state, (void)n;
}
void mrn_sobol_next(void *state, unsigned n, double *x)
{
    (void)state;
    for (unsigned k = 0; k < n; k++)
        x[k] = NAN;
}
