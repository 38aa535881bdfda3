/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damped generalised Newton on Alart and Curnier's function of one contact,

       F_N = r_N - max(0, tau_N),             tau_N = r_N - rho_N u_N,
       F_g = r_g - P_disc(mu_g max(0, tau_N))(tau_g),   tau_g = r_g - rho_g u_g,

   on every group g of friction, rho_N = 1 / W_NN, rho_g = 1 / the largest eigenvalue of W_gg. */
#include "solve/local_parts.h"

typedef struct curnier {
    const mrn_contact_layout *lay;
    const double *W, *q, *mu;
    double rho[MRN_CONTACT_BLOCK_MAX]; /* per component */
} curnier;

static double over_largest(const double *W, int n, int first, int width)
{
    double a = W[first * n + first];
    if (width == 1)
        return 1 / a;
    double d = W[(first + 1) * n + first + 1];
    double c = 0.5 * (W[first * n + first + 1] + W[(first + 1) * n + first]);
    return 2 / (a + d + sqrt((a - d) * (a - d) + 4 * c * c));
}

static curnier curnier_of(const mrn_contact_layout *lay, const double *W, const double *q,
                          const double *mu)
{
    curnier k = {.lay = lay, .W = W, .q = q, .mu = mu, .rho = {1 / W[0]}};
    for (int g = 0; g < lay->groups; g++)
        for (int c = 0; c < lay->width[g]; c++)
            k.rho[lay->first[g] + c] = over_largest(W, lay->block, lay->first[g], lay->width[g]);
    return k;
}

/* F at r, weighted to velocities (F / rho), and its norm squared; tau as a by-product. */
static double curnier_value(const curnier *k, const double *r, double *tau, double *f)
{
    const mrn_contact_layout *lay = k->lay;
    double u[MRN_CONTACT_BLOCK_MAX], sum = 0;
    mrn_local_velocity(lay->block, k->W, k->q, r, u);
    for (int a = 0; a < lay->block; a++)
        tau[a] = r[a] - k->rho[a] * u[a];
    double n = tau[0] > 0 ? tau[0] : 0;
    f[0] = tau[0] > 0 ? k->rho[0] * u[0] : r[0];
    for (int g = 0; g < lay->groups; g++) {
        int i = lay->first[g], w = lay->width[g];
        double size = mrn_cone_norm(tau + i, w), room = k->mu[g] * n;
        for (int c = i; c < i + w; c++)
            f[c] = size <= room ? k->rho[c] * u[c] : r[c] - room / size * tau[c];
    }
    for (int a = 0; a < lay->block; a++)
        sum += f[a] / k->rho[a] * (f[a] / k->rho[a]);
    return sum;
}

/* Rows of the generalised Jacobian that belong to a sliding group. */
static void slide_rows(const curnier *k, int g, const double *tau, double *J)
{
    int n = k->lay->block, i = k->lay->first[g], w = k->lay->width[g];
    double size = mrn_cone_norm(tau + i, w), over = 1 / size;
    double part = tau[0] > 0 ? k->mu[g] * tau[0] * over : 0, mu = tau[0] > 0 ? k->mu[g] : 0;
    for (int c = 0; c < n; c++) {
        /* derivatives of tau by component c */
        double dn = (c == 0) - k->rho[0] * k->W[c * n], d[2] = {0, 0}, along = 0;
        for (int e = 0; e < w; e++) {
            d[e] = (c == i + e) - k->rho[i + e] * k->W[c * n + i + e];
            along += d[e] * tau[i + e] * over;
        }
        for (int e = 0; e < w; e++) {
            double t = tau[i + e] * over;
            J[c * n + i + e] = (c == i + e) - mu * dn * t - part * (d[e] - along * t);
        }
    }
}

static void curnier_jacobian(const curnier *k, const double *tau, double *J)
{
    int n = k->lay->block;
    bool closed = tau[0] > 0;
    for (int c = 0; c < n; c++)
        for (int a = 0; a < n; a++)
            J[c * n + a] = closed ? k->rho[a] * k->W[c * n + a] : (double)(a == c);
    for (int g = 0; g < k->lay->groups; g++) {
        double room = closed ? k->mu[g] * tau[0] : 0;
        if (mrn_cone_norm(tau + k->lay->first[g], k->lay->width[g]) > room)
            slide_rows(k, g, tau, J);
    }
}

/* One damped step; false when no length along it makes |F| smaller. *size: |F|². */
static bool curnier_step(const curnier *k, double *r, double *tau, double *f, double *size)
{
    int n = k->lay->block;
    double J[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX], d[MRN_CONTACT_BLOCK_MAX];
    double s[MRN_CONTACT_BLOCK_MAX], old = *size;
    mrn_local_lu lu;
    curnier_jacobian(k, tau, J);
    if (!mrn_local_factor(n, J, &lu))
        return false;
    for (int a = 0; a < n; a++)
        d[a] = f[a];
    mrn_local_back(&lu, d);
    for (double length = 1; length > 1e-4; length *= 0.5) {
        for (int a = 0; a < n; a++)
            s[a] = r[a] - length * d[a];
        *size = curnier_value(k, s, tau, f);
        if (*size < old * (1 - 1e-4 * length)) {
            for (int a = 0; a < n; a++)
                r[a] = s[a];
            return true;
        }
    }
    *size = curnier_value(k, r, tau, f);
    return false;
}

double mrn_local_alart_curnier(const mrn_contact_layout *lay, const double *W, const double *q,
                               const double *mu, int most, double *r)
{
    curnier k = curnier_of(lay, W, q, mu);
    double tau[MRN_CONTACT_BLOCK_MAX], f[MRN_CONTACT_BLOCK_MAX];
    double size = curnier_value(&k, r, tau, f), top = 0;
    for (int a = 0; a < lay->block; a++)
        top = fmax(top, fabs(q[a]));
    for (int i = 0; i < most && size > 0x1p-104 * top * top; i++)
        if (!curnier_step(&k, r, tau, f, &size))
            break;
    /* a step may end a rounding unit outside of the cone: no attraction, however small */
    if (r[0] < 0)
        mrn_cone_project(lay, mu, r, r);
    return mrn_local_defect(lay, W, q, mu, r);
}

bool mrn_local_3d_newton(const double *W, const double *q, double mu, double *r)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    mrn_local_balanced b;
    if (q[0] >= 0 || !(mu > 0) || !mrn_local_balance(lay, W, q, &mu, &b))
        return mrn_local_frictionless(3, W, q, r);
    double s[3];
    for (int a = 0; a < 3; a++)
        s[a] = r[a] / b.r_scale[a];
    mrn_local_alart_curnier(lay, b.W, b.q, b.mu, 30, s);
    for (int a = 0; a < 3; a++)
        r[a] = s[a] * b.r_scale[a];
    if (mrn_local_3d_defect(W, q, mu, r) <= MRN_LOCAL_ROUNDING)
        return true;
    return mrn_local_3d_quartic(W, q, mu, r) || mrn_local_3d(W, NULL, q, mu, r);
}
