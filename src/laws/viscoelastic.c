/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scaled viscoelastic impact by Taylor series, its inverse, and A from bulk viscosities. */
#include "laws/viscoelastic.h"

/* With y the overlap, y'' = -y^(3/2) - b d(y^(3/2))/dt. Put y = s^2, p = y' + b s^3 and a time tau
   with dt = 2 s dtau: ds/dtau = p - b s^3, dp/dtau = -2 s^4, dt/dtau = 2 s. Touch is no singular
   point any more: the right sides are polynomials, and Taylor's series of any order costs a few
   products. */
#define ORDER 24

typedef struct series {
    double b;
    double s[ORDER + 1], p[ORDER + 1], t[ORDER + 1];
} series;

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i <= n; i++)
        sum += a[i] * b[n - i];
    return sum;
}

static double value(const double *c, double tau)
{
    double sum = c[ORDER];
    for (int i = ORDER - 1; i >= 0; i--)
        sum = sum * tau + c[i];
    return sum;
}

static void expand(series *y)
{
    double s2[ORDER], s3[ORDER], s4[ORDER];
    for (int n = 0; n < ORDER; n++) {
        s2[n] = product(y->s, y->s, n);
        s3[n] = product(s2, y->s, n);
        s4[n] = product(s2, s2, n);
        y->s[n + 1] = (y->p[n] - y->b * s3[n]) / (n + 1);
        y->p[n + 1] = -2 * s4[n] / (n + 1);
        y->t[n + 1] = 2 * y->s[n] / (n + 1);
    }
}

/* The step at which the last terms fall below round-off; five of them, since others may vanish. */
static double step_of(const series *y)
{
    double h = 1;
    for (int n = ORDER - 4; n <= ORDER; n++) {
        double size = fmax(fabs(y->s[n]), fabs(y->p[n]));
        h = size > 0 ? fmin(h, pow(1e-17 / size, 1.0 / n)) : h;
    }
    return h;
}

static double velocity(const series *y, double tau)
{
    double s = value(y->s, tau);
    return value(y->p, tau) - y->b * s * s * s;
}

/* No overlap, or (if the contact ends so) no force: it is s (s^2 + 3/2 b y'). */
static bool over(const series *y, double tau, bool ends_at_force)
{
    double s = value(y->s, tau);
    return s <= 0 || (ends_at_force && s * s + 1.5 * y->b * velocity(y, tau) <= 0);
}

mrn_scaled_impact mrn_viscoelastic_impact(double x, bool ends_at_force)
{
    /* beyond, the bodies hardly part: creep to zero overlap would take ever more steps */
    double most = ends_at_force ? 200 : 10;
    series y = {.b = x < most ? x : most, .p = {1}};
    expand(&y);
    double h = step_of(&y);
    while (!over(&y, h, ends_at_force)) {
        y.s[0] = value(y.s, h), y.p[0] = value(y.p, h), y.t[0] = value(y.t, h);
        expand(&y);
        h = step_of(&y);
    }
    double lo = 0, hi = h;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi);
        if (over(&y, mid, ends_at_force))
            hi = mid;
        else
            lo = mid;
    }
    return (mrn_scaled_impact){fmax(-velocity(&y, hi), 0), value(y.t, hi)};
}

double mrn_viscoelastic_x(double e, bool ends_at_force)
{
    e = e < 1e-3 ? 1e-3 : e;
    if (e >= 1)
        return 0;
    double lo = 0, hi = 1;
    while (hi < 128 && mrn_viscoelastic_impact(hi, ends_at_force).restitution > e)
        lo = hi, hi *= 2;
    for (int i = 0; i < 100 && hi - lo > 1e-15 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (mrn_viscoelastic_impact(mid, ends_at_force).restitution > e)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

/* The fields are those of elastic bodies at every moment, so what is lost is the elastic energy of
   their rates with viscosities in the place of the moduli E_1 = E/(1 + nu) and E_2 = E/3(1 - 2 nu);
   and since that energy is least among all fields, only the moduli count:
       A E^ = eta1 dE^/dE_1 + eta2 dE^/dE_2,   E^ = E/(1 - nu^2) = E_1 (6 E_2 + E_1)/(3 E_2 + 2
   E_1). Unlike bodies bear the same force and share the overlap as their compliances 1/E^: so do
   the losses, to first order. */
double mrn_viscoelastic_time(const mrn_material_pair *mat, double eta1, double eta2)
{
    double time = 0;
    for (int i = 0; i < 2; i++) {
        double nu = mat->poisson[i], give = (1 - nu * nu) / mat->young[i], side = 1 - nu;
        double shear = 2.0 / 3 * (1 - nu + nu * nu), bulk = (1 - 2 * nu) * (1 - 2 * nu);
        time += give * mat->e_star * give * (shear * eta1 + bulk * eta2) / (side * side);
    }
    return time;
}
