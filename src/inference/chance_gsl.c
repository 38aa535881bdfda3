/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of chance by GSL. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_sf_psi.h>

#include "inference/chance.h"

double mrn_chance_normal_below(double z)
{
    return gsl_cdf_ugaussian_P(z);
}
double mrn_chance_normal_above(double z)
{
    return gsl_cdf_ugaussian_Q(z);
}
double mrn_chance_normal_quantile(double p)
{
    return gsl_cdf_ugaussian_Pinv(p);
}
double mrn_chance_chi2_below(double x, double freedom)
{
    return gsl_cdf_chisq_P(x, freedom);
}
double mrn_chance_chi2_above(double x, double freedom)
{
    return gsl_cdf_chisq_Q(x, freedom);
}
double mrn_chance_student_below(double t, double freedom)
{
    return gsl_cdf_tdist_P(t, freedom);
}
double mrn_chance_student_above(double t, double freedom)
{
    return gsl_cdf_tdist_Q(t, freedom);
}
double mrn_chance_fisher_below(double x, double freedom_1, double freedom_2)
{
    return gsl_cdf_fdist_P(x, freedom_1, freedom_2);
}
double mrn_chance_digamma(double x)
{
    return gsl_sf_psi(x);
}
double mrn_chance_trigamma(double x)
{
    return gsl_sf_psi_1(x);
}

size_t mrn_sobol_bytes(unsigned n)
{
    return gsl_qrng_sobol->state_size(n);
}
void mrn_sobol_begin(void *state, unsigned n)
{
    gsl_qrng_sobol->init_state(state, n);
}
void mrn_sobol_next(void *state, unsigned n, double *x)
{
    gsl_qrng_sobol->get(state, n, x);
}
