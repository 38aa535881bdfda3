/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cones of contact forces and what an interior-point method asks of them: the scaling of Nesterov
   and Todd (1997), products and quotients of the Jordan algebra, longest steps. */
#include <math.h>

#include "base/base.h"
#include "quasistatic/limit.h"

/* ---- which cones ---- */

static void add_cone(mrn_limit_cones *c, int64_t normal, int64_t first, int dim, double ratio)
{
    c->cone[c->n++] = (mrn_limit_cone){.normal = normal,
                                       .first = first,
                                       .at = c->size,
                                       .dim = dim,
                                       .scale = dim > 1 ? 1 / ratio : 1};
    c->size += dim;
}

/* Rows: normal, tangential, then pivoting (3D) and rolling. */
static void cones_of_contact(mrn_limit_cones *c, const mrn_net_element *k)
{
    int64_t before = c->n;
    int tangential = mrn_net_tangential(c->net, k);
    int moments = k->rows - 1 - tangential;
    int64_t row = k->row + 1;
    if (tangential > 0 && k->friction > 0)
        add_cone(c, k->row, row, 1 + tangential, k->friction);
    row += tangential;
    if (moments == 3 && k->roll_limit[1] > 0)
        add_cone(c, k->row, row, 2, k->roll_limit[1] / c->net->length);
    row += moments == 3;
    int rolling = moments == 3 ? 2 : moments;
    if (rolling > 0 && k->roll_limit[0] > 0)
        add_cone(c, k->row, row, 1 + rolling, k->roll_limit[0] / c->net->length);
    if (c->n == before)
        add_cone(c, k->row, k->row, 1, 1);
}

mrn_status mrn_limit_cones_make(const mrn_net *net, mrn_limit_cones *out, mrn_message *msg)
{
    *out = (mrn_limit_cones){.net = net};
    mrn_status s = mrn_array(&out->start, net->n_contacts + 1, sizeof *out->start, msg);
    if (s == MRN_OK)
        s = mrn_array(&out->cone, 3 * net->n_contacts, sizeof *out->cone, msg);
    if (s != MRN_OK)
        return s;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        out->start[k] = out->n;
        cones_of_contact(out, &net->element[k]);
    }
    out->start[net->n_contacts] = out->n;
    return MRN_OK;
}

void mrn_limit_cones_release(mrn_limit_cones *c)
{
    mrn_free(c->cone);
    mrn_free(c->start);
    *c = (mrn_limit_cones){0};
}

void mrn_limit_spread(const mrn_limit_cones *c, const double *f, double *s)
{
    for (int64_t j = 0; j < c->n; j++) {
        const mrn_limit_cone *k = &c->cone[j];
        s[k->at] = f[k->normal];
        for (int i = 1; i < k->dim; i++)
            s[k->at + i] = k->scale * f[k->first + i - 1];
    }
}

void mrn_limit_gather(const mrn_limit_cones *c, const double *w, double *f)
{
    for (int64_t i = 0; i < c->net->n_rows; i++)
        f[i] = 0;
    for (int64_t j = 0; j < c->n; j++) {
        const mrn_limit_cone *k = &c->cone[j];
        f[k->normal] += w[k->at];
        for (int i = 1; i < k->dim; i++)
            f[k->first + i - 1] = k->scale * w[k->at + i];
    }
}

/* ---- inside ---- */

static double rest_of(int dim, const double *x)
{
    if (dim == 1)
        return 0;
    return dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

/* x_0² - |x_1|², positive inside the cone. */
static double determinant(int dim, const double *x)
{
    double rest = rest_of(dim, x);
    return (x[0] - rest) * (x[0] + rest);
}

bool mrn_limit_inside(const mrn_limit_cones *c, const double *s)
{
    for (int64_t j = 0; j < c->n; j++) {
        const mrn_limit_cone *k = &c->cone[j];
        const double *x = &s[k->at];
        if (!(x[0] > 0 && determinant(k->dim, x) > 0))
            return false;
    }
    return true;
}

/* ---- scaling ---- */

static void apply(const mrn_limit_cone *k, const double *x, double *y)
{
    double qx = 0, x0 = x[0];
    for (int i = 1; i < k->dim; i++)
        qx += k->q[i - 1] * x[i];
    double along = x0 + qx / (1 + k->a);
    for (int i = 1; i < k->dim; i++)
        y[i] = k->eta * (x[i] + k->q[i - 1] * along);
    y[0] = k->eta * (k->a * x0 + qx);
}

static void scale_cone(mrn_limit_cone *k, const double *s, const double *w)
{
    double ds = sqrt(determinant(k->dim, s)), dw = sqrt(determinant(k->dim, w)), dot = 0;
    for (int i = 0; i < k->dim; i++)
        dot += s[i] / ds * (w[i] / dw);
    double twice = 2 * sqrt(0.5 * (1 + dot)), square = 0;
    for (int i = 1; i < k->dim; i++) {
        k->q[i - 1] = (s[i] / ds - w[i] / dw) / twice;
        square += k->q[i - 1] * k->q[i - 1];
    }
    k->a = sqrt(1 + square);
    k->eta = sqrt(ds / dw);
    apply(k, w, k->l);
}

void mrn_limit_scaling(mrn_limit_cones *c, const double *s, const double *w)
{
    for (int64_t j = 0; j < c->n; j++)
        scale_cone(&c->cone[j], &s[c->cone[j].at], &w[c->cone[j].at]);
}

void mrn_limit_scale(const mrn_limit_cones *c, const double *x, double *out)
{
    for (int64_t j = 0; j < c->n; j++)
        apply(&c->cone[j], &x[c->cone[j].at], &out[c->cone[j].at]);
}

static void centre_cone(const mrn_limit_cone *k, double target, const double *ds, const double *dw,
                        double *x)
{
    const double *l = k->l;
    double r[3] = {target, 0, 0};
    for (int i = 0; i < k->dim; i++)
        r[0] -= l[i] * l[i] + (ds != NULL ? ds[i] * dw[i] : 0);
    for (int i = 1; i < k->dim; i++)
        r[i] = -2 * l[0] * l[i] - (ds != NULL ? ds[0] * dw[i] + dw[0] * ds[i] : 0);
    double x0 = l[0] * r[0];
    for (int i = 1; i < k->dim; i++)
        x0 -= l[i] * r[i];
    x[0] = x0 / determinant(k->dim, l);
    for (int i = 1; i < k->dim; i++)
        x[i] = (r[i] - x[0] * l[i]) / l[0];
}

void mrn_limit_centre(const mrn_limit_cones *c, double target, const double *ds, const double *dw,
                      double *x)
{
    for (int64_t j = 0; j < c->n; j++) {
        const mrn_limit_cone *k = &c->cone[j];
        bool with = ds != NULL && dw != NULL;
        centre_cone(k, target, with ? &ds[k->at] : NULL, with ? &dw[k->at] : NULL, &x[k->at]);
    }
}

/* The direction seen from l: the cone's automorphism that takes l to the axis keeps the cone, and
   from the axis the step is the inverse of |rho_1| - rho_0. */
static double inverse_step(const mrn_limit_cone *k, const double *d)
{
    double size = sqrt(determinant(k->dim, k->l)), rho = k->l[0] * d[0], rest[3] = {0};
    for (int i = 1; i < k->dim; i++)
        rho -= k->l[i] * d[i];
    rho /= size;
    double along = (rho + d[0]) / (k->l[0] / size + 1);
    for (int i = 1; i < k->dim; i++)
        rest[i] = d[i] - along * k->l[i] / size;
    return (rest_of(k->dim, rest) - rho) / size;
}

double mrn_limit_longest(const mrn_limit_cones *c, const double *d)
{
    double most = 1e-30;
    for (int64_t j = 0; j < c->n; j++)
        most = fmax(most, inverse_step(&c->cone[j], &d[c->cone[j].at]));
    return 1 / most;
}

/* ---- D = (Hᵀ W⁻² H)⁻¹ ---- */

/* Cones share the normal row and nothing else: Hᵀ W⁻² H is an arrow. With W² = eta² (2 v vᵀ - J), v
   = (a, q), its inverse has d = 1 / sum of 1 / (W²)_00 in the corner, columns d u with u =
   (W²)_10 / (W²)_00, and blocks u d uᵀ + eta² (1 - 2 q qᵀ / (2 a² - 1)): nothing is inverted that
   could be singular. */
void mrn_limit_block(const mrn_limit_cones *c, int64_t k, double d[MRN_NET_ROWS][MRN_NET_ROWS])
{
    int rows = c->net->element[k].rows;
    int64_t row = c->net->element[k].row;
    double u[MRN_NET_ROWS] = {1}, sum = 0;
    for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
        const mrn_limit_cone *cone = &c->cone[j];
        double corner = 2 * cone->a * cone->a - 1;
        sum += 1 / (cone->eta * cone->eta * corner);
        for (int i = 1; i < cone->dim; i++)
            u[cone->first - row + i - 1] = 2 * cone->a * cone->q[i - 1] / (corner * cone->scale);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            d[i][j] = u[i] * u[j] / sum;
    for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
        const mrn_limit_cone *cone = &c->cone[j];
        double corner = 2 * cone->a * cone->a - 1, size = cone->eta / cone->scale;
        int64_t first = cone->first - row;
        for (int i = 0; i < cone->dim - 1; i++)
            for (int l = 0; l < cone->dim - 1; l++)
                d[first + i][first + l] +=
                    size * size * ((i == l) - 2 * cone->q[i] * cone->q[l] / corner);
    }
}

/* Per contact, from the tangential parts of w, which are given, through the shared normal force,
   which makes the normal parts of w add up, to s = W z - W² w: products with W and W² only. */
static void respond_contact(const mrn_limit_cones *c, int64_t k, const double *g, const double *z,
                            double *f, double *w)
{
    double right[3][3] = {{0}}, part[3][3], base[3], corner[3], missing = 0, sum = 0;
    int n = (int)(c->start[k + 1] - c->start[k]);
    const mrn_limit_cone *cone = &c->cone[c->start[k]];
    for (int j = 0; j < n; j++) {
        const double *q = cone[j].q, eta2 = cone[j].eta * cone[j].eta;
        double along = 0;
        if (z != NULL)
            apply(&cone[j], &z[cone[j].at], right[j]);
        for (int i = 1; i < cone[j].dim; i++) {
            part[j][i] = g[cone[j].first + i - 1] / cone[j].scale;
            along += q[i - 1] * part[j][i];
        }
        corner[j] = eta2 * (2 * cone[j].a * cone[j].a - 1);
        base[j] = (right[j][0] - 2 * eta2 * cone[j].a * along) / corner[j];
        missing -= base[j];
        sum += 1 / corner[j];
    }
    missing += g[cone->normal];
    for (int j = 0; j < n; j++) {
        const double *q = cone[j].q, eta2 = cone[j].eta * cone[j].eta;
        part[j][0] = n == 1 ? g[cone->normal] : base[j] + missing / (sum * corner[j]);
        double along = cone[j].a * part[j][0];
        for (int i = 1; i < cone[j].dim; i++)
            along += q[i - 1] * part[j][i];
        for (int i = 1; i < cone[j].dim; i++)
            f[cone[j].first + i - 1] =
                (right[j][i] - eta2 * (part[j][i] + 2 * q[i - 1] * along)) / cone[j].scale;
        for (int i = 0; w != NULL && i < cone[j].dim; i++)
            w[cone[j].at + i] = part[j][i];
    }
    f[cone->normal] = -missing / sum;
}

void mrn_limit_respond(const mrn_limit_cones *c, const double *g, const double *z, double *f,
                       double *w)
{
    for (int64_t k = 0; k < c->net->n_contacts; k++)
        respond_contact(c, k, g, z, f, w);
}
