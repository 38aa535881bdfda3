/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients of the linear spring-dashpot, and its restitution both ways. End at zero force:
   Schwager & Poeschel, Granular Matter 9 (2007) 465. */
#include "laws/linear.h"

#include "laws/coef.h"

MRN_COEFS_READ(mrn_linear)

/* With w = sqrt(1 - z^2): the contact ends when x = 0 (phase pi) or when the force is zero
 * (earlier). */
double mrn_linear_restitution(double z, bool ends_at_force)
{
    if (!ends_at_force)
        return z < 1 ? exp(-MRN_PI * z / sqrt(1 - z * z)) : 0;
    if (z < 1) {
        double w = sqrt(1 - z * z);
        return exp(-z / w * (MRN_PI - atan2(2 * z * w, 1 - 2 * z * z)));
    }
    if (z == 1)
        return exp(-2);
    double w = sqrt(z * z - 1);
    return exp(-z / w * log((z + w) / (z - w)));
}

double mrn_linear_zeta(double e, bool ends_at_force)
{
    e = e < 1e-3 ? 1e-3 : e;
    if (e >= 1)
        return 0;
    if (!ends_at_force)
        return -log(e) / sqrt(MRN_PI * MRN_PI + log(e) * log(e));
    double lo = 0, hi = 64;
    for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (mrn_linear_restitution(mid, true) > e)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

mrn_status mrn_linear_prepare(const mrn_value *v, mrn_linear *out, mrn_message *msg)
{
    const mrn_value *k = &v[0], *tc = &v[1], *e = &v[2], *g = &v[3];
    mrn_status s = mrn_one_of(k, "normal-stiffness", tc, "contact-time", msg);
    if (s == MRN_OK)
        s = mrn_one_of(e, "restitution", g, "normal-damping", msg);
    if (s != MRN_OK)
        return s;
    bool ends_at_force = v[4].number == 0;
    double zeta = e->given ? mrn_linear_zeta(e->number, ends_at_force) : 0;
    if (tc->given && (g->given || zeta >= 1)) {
        mrn_fail(msg, MRN_ERR_INPUT, "a contact-time needs a damping below the critical one");
        mrn_fail_at(msg, "", tc->line, tc->column);
        mrn_fail_expected(msg, "contact-time with a restitution above %.3f",
                          mrn_linear_restitution(1, ends_at_force));
        return mrn_fail_hint(msg, "give normal-stiffness instead");
    }
    double w = tc->given ? MRN_PI / tc->number : 0;
    *out = (mrn_linear){.k = k->given ? k->number : 0,
                        .k_m = tc->given ? w * w / (1 - zeta * zeta) : 0,
                        .g = g->given ? g->number : 0,
                        .zeta2 = 2 * zeta,
                        .tension = ends_at_force ? 0 : 1};
    return MRN_OK;
}

double mrn_linear_stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)delta, (void)of_normal;
    return mrn_linear_k(read_coef(coef), m);
}

double mrn_linear_damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)delta, (void)of_normal;
    mrn_linear c = read_coef(coef);
    return mrn_linear_gamma(c, m, mrn_linear_k(c, m));
}

/* The restitution above is exp(-zeta w0 t) with this t. */
double mrn_linear_time_to_zero_force(const double *coef, double r, double m, double v)
{
    (void)r, (void)v;
    mrn_linear c = read_coef(coef);
    double k = mrn_linear_k(c, m), w0 = sqrt(k / m), z = 0.5 * mrn_linear_gamma(c, m, k) / (m * w0);
    if (z < 1e-9)
        return MRN_PI / w0;
    return -log(mrn_linear_restitution(z, true)) / (z * w0);
}
