/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastic moduli of a packing: every strain of the cell imposed in turn on one factorisation, the
   forces that hold it read off. Between servo walls likewise, for what the walls can strain. Bounds
   beside: Voigt's, in which every grain goes with the mean strain, and Reuss' for the bulk modulus,
   in which all forces grow in proportion (I. Agnolin and J.-N. Roux, Phys. Rev. E 76, 061304). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/jacobi.h"
#include "quasistatic/elastic.h"

/* Rows and columns of the tensor for each component MRN_XX … MRN_YZ. */
static const int first_of[6] = {0, 1, 2, 0, 0, 1}, second_of[6] = {0, 1, 2, 1, 2, 2};

/* ---- which strains can be imposed ---- */

/* One of the strains: unknown `global` moves by `unit` metres per unit of strain, and the force on
   it, times `stress`, is minus the stress. */
typedef struct handle {
    int global; /* -1: this strain cannot be imposed */
    double unit, stress;
} handle;

typedef struct probe_set {
    handle of[6];
    double volume, size[3];
    bool walls;
} probe_set;

/* Box about the grains of the net: the sample between walls. */
static void box_of(const mrn_net *net, double size[3])
{
    for (int k = 0; k < net->dimension; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t i = 0; i < net->n; i++) {
            lo = fmin(lo, net->x[3 * (size_t)i + k] - net->radius[i]);
            hi = fmax(hi, net->x[3 * (size_t)i + k] + net->radius[i]);
        }
        size[k] = net->periodic[k] ? net->cell[k] : hi - lo;
    }
}

/* The axis a direction lies along, -1: none. */
static int axis_of(mrn_vec3 d)
{
    const double v[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
    for (int k = 0; k < 3; k++)
        if (v[k] > 1 - 1e-9)
            return k;
    return -1;
}

/* Strains of the cell; else those of the first servo wall of every axis. A wall that goes along its
   direction by q presses: the strain is -q/L, and the stress its load over the area. */
static probe_set find_handles(const mrn_net *net)
{
    probe_set p = {.volume = net->volume};
    for (int c = 0; c < 6; c++)
        p.of[c].global = -1;
    box_of(net, p.size);
    if (!(net->volume > 0)) {
        p.volume = 1;
        for (int k = 0; k < net->dimension; k++)
            p.volume *= p.size[k];
    }
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *x = &net->global[g];
        if (x->kind == MRN_GLOBAL_CELL) {
            p.of[x->component] = (handle){g, x->scale, x->scale / p.volume};
            continue;
        }
        int k = axis_of(x->direction);
        if (k < 0 || p.of[k].global >= 0)
            continue;
        p.of[k] = (handle){g, -p.size[k] * x->scale, -p.size[k] * x->scale / p.volume};
        p.walls = true;
    }
    return p;
}

/* ---- the tensor ---- */

/* Column c: strain c is 1, all other globals stay. */
static mrn_status strain_once(const mrn_net *net, const probe_set *p, mrn_elastic *e, int c,
                              bool *held, double *force, double *u, double *reaction,
                              mrn_moduli *out, mrn_message *msg)
{
    memset(force, 0, (size_t)net->n_unknowns * sizeof *force);
    memset(u, 0, (size_t)net->n_unknowns * sizeof *u);
    for (int g = 0; g < net->n_globals; g++)
        held[g] = true;
    u[mrn_net_global_unknown(net, p->of[c].global)] = p->of[c].unit;
    mrn_status st = mrn_elastic_solve(e, force, held, u, reaction, msg);
    for (int r = 0; st == MRN_OK && r < 6; r++)
        if (p->of[r].global >= 0)
            out->c[r][c] = reaction[p->of[r].global] * p->of[r].stress;
    return st;
}

static mrn_status strain_all(const mrn_net *net, const probe_set *p, const mrn_elastic_options *opt,
                             mrn_moduli *out, mrn_message *msg)
{
    mrn_elastic *e = NULL;
    size_t n = (size_t)net->n_unknowns;
    double *force = mrn_alloc(n * sizeof *force), *u = mrn_alloc(n * sizeof *u);
    double *reaction = mrn_alloc((size_t)net->n_globals * sizeof *reaction);
    bool *held = mrn_alloc((size_t)net->n_globals * sizeof *held);
    mrn_status st = MRN_OK;
    if (force == NULL || u == NULL || reaction == NULL || held == NULL)
        st = mrn_fail(msg, MRN_ERR_MEMORY, "no memory for the elastic moduli");
    if (st == MRN_OK)
        st = mrn_elastic_make(net, opt, &e, msg);
    for (int c = 0; st == MRN_OK && c < 6; c++)
        if (p->of[c].global >= 0)
            st = strain_once(net, p, e, c, held, force, u, reaction, out, msg);
    if (st == MRN_OK)
        out->facts = mrn_elastic_facts_of(e);
    mrn_elastic_release(&e);
    mrn_free(force);
    mrn_free(u);
    mrn_free(reaction);
    mrn_free(held);
    return st;
}

/* How far the matrix is from the symmetry that its energy gives it; then it is made symmetric. */
static void symmetrise(mrn_moduli *m)
{
    double most = 0, off = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            off = fmax(off, fabs(m->c[i][j] - m->c[j][i]));
            m->c[i][j] = m->c[j][i] = 0.5 * (m->c[i][j] + m->c[j][i]);
        }
    for (int i = 0; i < 6; i++)
        most = fmax(most, fabs(m->c[i][i]));
    m->symmetry = most > 0 ? off / most : 0;
}

/* ---- bounds ---- */

/* Displacement at a contact when every grain goes with strain c (shear: gamma = 1, without turning)
   and none turns. Walls go with it. */
static mrn_vec3 affine(int c, mrn_vec3 b)
{
    const double v[3] = {b.x, b.y, b.z};
    double u[3] = {0, 0, 0};
    int i = first_of[c], j = second_of[c];
    u[i] += 0.5 * v[j];
    u[j] += 0.5 * v[i];
    return mrn_v3(u[0], u[1], u[2]);
}

/* A contact with a wall or the ground counts from the centre of the grain to the wall: the wall is
   where the strain puts it. */
static void voigt(const mrn_net *net, double volume, mrn_moduli *m)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *x = &net->element[k];
        mrn_vec3 axis[3], branch = mrn_load3(net->contact.branch + 3 * k);
        double s[6][3];
        mrn_net_axes(net, k, axis);
        for (int c = 0; c < 6; c++) {
            mrn_vec3 u = affine(c, branch);
            for (int d = 0; d < 3; d++)
                s[c][d] = mrn_dot(u, axis[d]);
        }
        double kt = x->rows > 1 ? x->kt : 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                m->voigt[i][j] +=
                    (x->kn * s[i][0] * s[j][0] + kt * (s[i][1] * s[j][1] + s[i][2] * s[j][2])) /
                    volume;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (!m->known[i] || !m->known[j])
                m->voigt[i][j] = 0;
}

/* Forces that grow in proportion balance a stress that does: energy of the pressure P dP/P in the
   springs bounds the bulk modulus from below, B >= V P^2 / sum f.k^-1.f. Only where the stress is a
   pressure, to a tenth. */
static double reuss(const mrn_net *net)
{
    double stress[6], sum = 0, *f = mrn_alloc((size_t)net->n_rows * sizeof *f);
    if (f == NULL || !(net->volume > 0) || !net->forces_known) {
        mrn_free(f);
        return NAN;
    }
    mrn_net_forces(net, f);
    mrn_net_stress(net, f, stress);
    mrn_free(f);
    double pressure = mrn_tensor_mean(stress, net->dimension);
    if (!(pressure > 0) || mrn_tensor_deviator(stress, net->dimension) > 0.1 * pressure)
        return NAN;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *x = &net->element[k];
        double t2 = x->force[1] * x->force[1] + x->force[2] * x->force[2];
        if (!(x->kn > 0) || (t2 > 0 && !(x->kt > 0)))
            return NAN;
        sum += x->force[0] * x->force[0] / x->kn + (t2 > 0 ? t2 / x->kt : 0);
    }
    return sum > 0 ? net->volume * pressure * pressure / sum : NAN;
}

/* ---- what people ask of a tensor ---- */

/* Lame's constants of the isotropic tensor closest to C, over the components that are known: least
   squares in the norm of the fourth-order tensor, where a shear component stands four times. NAN
   where they are not determined. */
static void isotropic(const bool known[6], const double c[6][6], double *lambda, double *mu)
{
    double a[3] = {0}, b[2] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            bool shear = i >= 3 && i == j;
            if (!known[i] || !known[j] || (!shear && (i >= 3 || j >= 3)))
                continue;
            double l = shear ? 0 : 1, m = shear ? 1 : i == j ? 2 : 0, weight = shear ? 4 : 1;
            a[0] += weight * l * l;
            a[1] += weight * l * m;
            a[2] += weight * m * m;
            b[0] += weight * l * c[i][j];
            b[1] += weight * m * c[i][j];
        }
    double det = a[0] * a[2] - a[1] * a[1];
    *lambda = det > 0 ? (b[0] * a[2] - b[1] * a[1]) / det : NAN;
    *mu = det > 0 ? (a[0] * b[1] - a[1] * b[0]) / det : NAN;
}

static double anisotropy_of(const mrn_moduli *m, double lambda, double mu)
{
    double off = 0, all = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double iso = i < 3 && j < 3 ? lambda + (i == j ? 2 * mu : 0) : i == j ? mu : 0;
            double weight = (i >= 3 ? 2 : 1) * (j >= 3 ? 2 : 1);
            if (!m->known[i] || !m->known[j])
                continue;
            off += weight * (m->c[i][j] - iso) * (m->c[i][j] - iso);
            all += weight * m->c[i][j] * m->c[i][j];
        }
    return all > 0 ? sqrt(off / all) : NAN;
}

/* Christoffel's matrix of a plane wave along axis k, rho c^2 its principal values: rows and columns
   of C for the strains that the wave makes. */
static void waves_along(const mrn_moduli *m, int dimension, int k, double speed[3])
{
    static const int made[3][3] = {
        {MRN_XX, MRN_XY, MRN_XZ}, {MRN_XY, MRN_YY, MRN_YZ}, {MRN_XZ, MRN_YZ, MRN_ZZ}};
    double a[9] = {0}, turn[9];
    bool known = k < dimension && m->density > 0;
    for (int i = 0; k < dimension && i < dimension; i++)
        for (int j = 0; j < dimension; j++) {
            known = known && m->known[made[k][i]] && m->known[made[k][j]];
            a[i * dimension + j] = m->c[made[k][i]][made[k][j]];
        }
    mrn_jacobi_eigen(dimension, a, turn);
    for (int i = 0; i < 3; i++)
        speed[i] = NAN;
    for (int i = 0; known && i < dimension; i++)
        speed[i] = sqrt(fmax(0, a[i * dimension + i]) / m->density);
    for (int i = 0; i < dimension; i++) /* largest first */
        for (int j = i + 1; known && j < dimension; j++)
            if (speed[j] > speed[i]) {
                double keep = speed[i];
                speed[i] = speed[j];
                speed[j] = keep;
            }
}

static void summarise(const mrn_net *net, const probe_set *p, mrn_moduli *m)
{
    double lambda, mu, lv, mv, D = net->dimension;
    isotropic(m->known, m->c, &lambda, &mu);
    isotropic(m->known, m->voigt, &lv, &mv);
    m->bulk = lambda + 2 * mu / D;
    m->shear = mu;
    m->voigt_bulk = lv + 2 * mv / D;
    m->voigt_shear = mv;
    double B = m->bulk, G = m->shear;
    m->young = D == 2 ? 4 * B * G / (B + G) : 9 * B * G / (3 * B + G);
    m->poisson = D == 2 ? (B - G) / (B + G) : (3 * B - 2 * G) / (2 * (3 * B + G));
    m->anisotropy = anisotropy_of(m, lambda, mu);
    for (int k = 0; k < 3; k++)
        m->principal_shear[k] = m->known[3 + k] ? m->c[3 + k][3 + k] : NAN;
    m->density = net->total_mass / p->volume;
    bool moves = m->density > 0 && mu >= 0 && lambda + 2 * mu >= 0;
    m->wave_p = moves ? sqrt((lambda + 2 * mu) / m->density) : NAN;
    m->wave_s = moves ? sqrt(mu / m->density) : NAN;
    for (int k = 0; k < 3; k++)
        waves_along(m, net->dimension, k, m->wave[k]);
}

mrn_status mrn_moduli_of(const mrn_net *net, const mrn_elastic_options *opt, mrn_moduli *out,
                         mrn_message *msg)
{
    *out = (mrn_moduli){.n = net->dimension == 2 ? 3 : 6};
    if (net->n == 0)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "no grain bears a force: a packing without contacts has no moduli");
    probe_set p = find_handles(net);
    int strains = 0;
    for (int c = 0; c < 6; c++)
        strains += out->known[c] = p.of[c].global >= 0;
    if (strains == 0) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "elastic moduli need a periodic cell or servo walls to strain the packing by");
        return mrn_fail_hint(msg,
                             "fixed walls hold it: give one wall of every axis a servo motion");
    }
    mrn_status st = strain_all(net, &p, opt, out, msg);
    if (st != MRN_OK)
        return st;
    symmetrise(out);
    voigt(net, p.volume, out);
    out->reuss_bulk = reuss(net);
    summarise(net, &p, out);
    return MRN_OK;
}
