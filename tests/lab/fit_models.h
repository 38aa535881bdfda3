/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed-form models for tests of the estimation, and synthetic data around them. */
#ifndef TEST_LAB_FIT_MODELS_H
#define TEST_LAB_FIT_MODELS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inference/fit.h"

#define MOST_DATA 64

/* f(x, t) at places t[m]; a bad value of x is predicted by NAN. */
typedef struct test_model {
    double (*f)(const double *x, double t);
    double t[MOST_DATA];
    int n, m;
    int64_t calls;
} test_model;

static inline mrn_status test_predict(void *user, int64_t count, const double *x, double *y,
                                      bool *bad, mrn_message *msg)
{
    test_model *s = user;
    (void)msg;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < s->m; i++) {
            y[k * s->m + i] = s->f(&x[k * s->n], s->t[i]);
            bad[k] = bad[k] || isnan(y[k * s->m + i]);
        }
    s->calls += count;
    return MRN_OK;
}

static inline mrn_predictor test_predictor(test_model *s)
{
    return (mrn_predictor){.n = s->n, .m = s->m, .predict = test_predict, .user = s};
}

static inline mrn_parameter test_parameter(const char *name, double lo, double hi, bool log)
{
    mrn_parameter p = {.lo = lo, .hi = hi, .start = NAN, .log = log};
    snprintf(p.name, sizeof p.name, "%s", name);
    return p;
}

/* places evenly from a to b */
static inline test_model test_places(double (*f)(const double *, double), int n, int m, double a,
                                     double b)
{
    test_model s = {.f = f, .n = n, .m = m};
    for (int i = 0; i < m; i++)
        s.t[i] = a + (b - a) * i / (m - 1.0);
    return s;
}

static inline double line(const double *x, double t)
{
    return x[0] + x[1] * t;
}

static inline double decay(const double *x, double t)
{
    return x[0] * exp(-x[1] * t);
}

static inline double michaelis(const double *x, double t)
{
    return x[0] * t / (x[1] + t);
}

/* One set of data around the truth, errors sd[i]; replicates: mean and variance of freedom + 1
   drawings. */
static inline void test_draw(const test_model *s, const double *truth, const double *sd,
                             mrn_spread spread, int freedom, mrn_rng *rng, mrn_datum *d)
{
    for (int i = 0; i < s->m; i++) {
        d[i] = (mrn_datum){.spread = spread, .freedom = freedom, .variance = sd[i] * sd[i]};
        snprintf(d[i].label, sizeof d[i].label, "t = %g", s->t[i]);
        double z = mrn_rng_normal(rng);
        d[i].y = s->f(truth, s->t[i]) + sd[i] * z;
        if (spread == MRN_SPREAD_REPLICATES) {
            double chi2 = 0;
            for (int k = 0; k < freedom; k++) {
                double e = mrn_rng_normal(rng);
                chi2 += e * e;
            }
            d[i].variance *= chi2 / freedom;
        } else if (spread == MRN_SPREAD_COMMON) {
            d[i].variance = NAN;
        }
    }
}

#endif
