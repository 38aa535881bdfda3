/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions, replicates and the test of normality of the estimation. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "inference/chance.h"
#include "inference/fit.h"

/* ---- distributions ---- */

/* GSL ends the program where its series do not converge: far out in the tails, and with very many
   degrees of freedom. There the answer is 0 or 1 to all digits, or Wilson and Hilferty's cube root
   is right to more than anyone needs. */
static double chi2_tail(double x, double df, bool above)
{
    double z = (cbrt(x / df) - (1 - 2 / (9 * df))) / sqrt(2 / (9 * df));
    if (x > 10 * df + 1500 || (df > 1000 && z > 38))
        return above ? 0 : 1;
    if (df > 1e5)
        return above ? mrn_chance_normal_above(z) : mrn_chance_normal_below(z);
    return above ? mrn_chance_chi2_above(x, df) : mrn_chance_chi2_below(x, df);
}

typedef double (*tail)(double x, const double *df);

static double student_below(double x, const double *df)
{
    return isinf(df[0]) ? mrn_chance_normal_below(x) : mrn_chance_student_below(x, df[0]);
}

static double chi2_below(double x, const double *df)
{
    return chi2_tail(x, df[0], false);
}

static double fisher_below(double x, const double *df)
{
    return isinf(df[1]) ? chi2_tail(x * df[0], df[0], false)
                        : mrn_chance_fisher_below(x, df[0], df[1]);
}

/* x >= 0 with below(x) = p, to the last digits. */
static double invert(tail below, double p, const double *df)
{
    double lo = 0, hi = 1;
    while (below(hi, df) < p && hi < 1e150)
        hi *= 2;
    for (int i = 0; i < 200 && hi - lo > 4e-16 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        *(below(mid, df) < p ? &lo : &hi) = mid;
    }
    return 0.5 * (lo + hi);
}

double mrn_student_quantile(double p, double df)
{
    if (p == 0.5)
        return 0;
    return p < 0.5 ? -invert(student_below, 1 - p, &df) : invert(student_below, p, &df);
}

double mrn_student_two_sided(double t, double df)
{
    if (!isfinite(t))
        return isnan(t) ? NAN : 0;
    return 2 *
           (isinf(df) ? mrn_chance_normal_above(fabs(t)) : mrn_chance_student_above(fabs(t), df));
}

double mrn_chi2_quantile(double p, double df)
{
    return df > 0 ? invert(chi2_below, p, &df) : 0;
}

double mrn_chi2_above(double x, double df)
{
    if (!(df > 0))
        return NAN;
    return x > 0 ? chi2_tail(x, df, true) : 1;
}

double mrn_fisher_quantile(double p, double df1, double df2)
{
    const double df[2] = {df1, df2};
    return invert(fisher_below, p, df);
}

/* Gamma(df/2) by Marsaglia & Tsang (2000); below one by the power of a uniform number. */
double mrn_rng_chi2(mrn_rng *r, double df)
{
    double shape = 0.5 * df, less = 1;
    if (shape < 1) {
        less = pow(1 - mrn_rng_uniform(r), 1 / shape);
        shape += 1;
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double z = mrn_rng_normal(r), v = 1 + c * z;
        if (v <= 0)
            continue;
        v = v * v * v;
        double w = 1 - mrn_rng_uniform(r);
        if (log(w) < 0.5 * z * z + d - d * v + d * log(v))
            return 2 * d * v * less;
    }
}

/* ---- measurements ---- */

mrn_status mrn_replicates(const double *y, int n, double *mean, double *variance, int *freedom,
                          mrn_message *msg)
{
    *mean = *variance = NAN;
    *freedom = 0;
    if (n < 2) {
        mrn_fail(msg, MRN_ERR_INPUT, "%d replicate%s: a variance needs at least two", n,
                 n == 1 ? "" : "s");
        return mrn_fail_hint(msg, "give the error of this measurement, or measure it again");
    }
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(y[i]))
            return mrn_fail(msg, MRN_ERR_INPUT, "replicate %d is %g, not a number", i + 1, y[i]);
        sum += y[i];
    }
    double centre = sum / n, size = 0;
    for (int i = 0; i < n; i++) {
        square += (y[i] - centre) * (y[i] - centre);
        size = fmax(size, fabs(y[i]));
    }
    if (!(square > 1e-28 * size * size * n)) {
        mrn_fail(msg, MRN_ERR_INPUT, "all %d replicates are %g: their variance is zero", n, y[0]);
        return mrn_fail_hint(msg, "give the resolution of the instrument as the error");
    }
    *mean = centre;
    *variance = square / (n - 1.0) / n;
    *freedom = n - 1;
    return MRN_OK;
}

double mrn_datum_half_width(const mrn_datum *d, double confidence)
{
    if (!(d->variance > 0))
        return NAN;
    double df = d->freedom > 0 ? d->freedom : INFINITY;
    return mrn_student_quantile(0.5 + 0.5 * confidence, df) * sqrt(d->variance);
}

/* ---- Shapiro & Wilk's test, coefficients and p by Royston (Applied Statistics 44, 1995) ---- */

static double polynomial(const double *c, int n, double x)
{
    double s = 0;
    for (int i = n; i-- > 0;)
        s = s * x + c[i];
    return s;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Expected normal order statistics (Blom's), as unit-sum weights; a_i of the upper half follows
   from the antisymmetry. */
static double blom(int i, int n)
{
    return mrn_chance_normal_quantile((i + 1 - 0.375) / (n + 0.25));
}

static double royston_w(const double *x, int n)
{
    static const double last[] = {0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056};
    static const double next[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
    double norm = 0, mean = 0, ss = 0, s = 0, root = 1 / sqrt((double)n);
    for (int i = 0; i < n; i++) {
        double q = blom(i, n);
        norm += q * q;
        mean += x[i];
    }
    mean /= n;
    double q1 = blom(n - 1, n), q2 = blom(n - 2, n);
    double a1 = q1 / sqrt(norm) + polynomial(last, 6, root);
    double a2 = q2 / sqrt(norm) + polynomial(next, 6, root);
    bool two = n > 5;
    double rest = two ? (norm - 2 * q1 * q1 - 2 * q2 * q2) / (1 - 2 * a1 * a1 - 2 * a2 * a2)
                      : (norm - 2 * q1 * q1) / (1 - 2 * a1 * a1);
    for (int i = 0; i < n; i++) {
        int k = i < n - 1 - i ? i : n - 1 - i; /* from the nearer end */
        double a = k == 0 ? a1 : k == 1 && two ? a2 : fabs(blom(i, n)) / sqrt(rest);
        s += (2 * i < n - 1 ? -a : 2 * i > n - 1 ? a : 0) * x[i];
        ss += (x[i] - mean) * (x[i] - mean);
    }
    return ss > 0 ? fmin(1, s * s / ss) : NAN;
}

double mrn_shapiro_wilk(double *x, int n, double *p)
{
    static const double gamma[] = {-2.273, 0.459};
    static const double mean_few[] = {0.5440, -0.39978, 0.025054, -0.0006714};
    static const double sd_few[] = {1.3822, -0.77857, 0.062767, -0.0020322};
    static const double mean_many[] = {-1.5861, -0.31082, -0.083751, 0.0038915};
    static const double sd_many[] = {-0.4803, -0.082676, 0.0030302};
    qsort(x, (size_t)n, sizeof *x, ascending);
    double w = royston_w(x, n), z;
    *p = NAN;
    if (isnan(w))
        return w;
    double rest = log1p(-fmin(w, 1 - 1e-15));
    if (n <= 11) {
        double g = polynomial(gamma, 2, n);
        if (rest >= g) {
            *p = 0;
            return w;
        }
        z = (-log(g - rest) - polynomial(mean_few, 4, n)) / exp(polynomial(sd_few, 4, n));
    } else {
        double l = log((double)n);
        z = (rest - polynomial(mean_many, 4, l)) / exp(polynomial(sd_many, 3, l));
    }
    *p = mrn_chance_normal_above(z);
    return w;
}
