/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the network's forces do: G and its transpose applied contact by contact, stress, and how
   good the equilibrium is. */
#include <string.h>

#include "base/base.h"
#include "quasistatic/net.h"

void mrn_net_forces(const mrn_net *net, double *f)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        int sliding = 1 + mrn_net_tangential(net, c), first = net->dimension == 2 ? 2 : 0;
        for (int r = 0; r < sliding; r++)
            f[c->row + r] = c->force[r];
        for (int r = sliding; r < c->rows; r++)
            f[c->row + r] = c->moment[first + r - sliding] / net->length;
    }
}

void mrn_net_relative(const mrn_net *net, const double *u, double *rel)
{
#pragma omp parallel for schedule(static) if (net->n_contacts > 4096)
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        mrn_net_block b;
        mrn_net_rows(net, k, &b);
        for (int r = 0; r < b.rows; r++) {
            double sum = 0;
            for (int d = 0; c->c >= 0 && d < net->dofs; d++)
                sum += b.c[r][d] * u[mrn_net_unknown(net, c->c, d)];
            for (int d = 0; c->a >= 0 && d < net->dofs; d++)
                sum += b.a[r][d] * u[mrn_net_unknown(net, c->a, d)];
            for (int g = 0; g < b.n_globals; g++)
                sum += b.g[r][g] * u[mrn_net_global_unknown(net, b.global[g])];
            rel[c->row + r] = sum;
        }
    }
}

/* In the order of the contacts, by one thread: each node's sum has one order. */
static void add_resultant(const mrn_net *net, const double *f, double *out)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        mrn_net_block b;
        mrn_net_rows(net, k, &b);
        for (int r = 0; r < b.rows; r++) {
            double x = f[c->row + r];
            for (int d = 0; c->c >= 0 && d < net->dofs; d++)
                out[mrn_net_unknown(net, c->c, d)] += b.c[r][d] * x;
            for (int d = 0; c->a >= 0 && d < net->dofs; d++)
                out[mrn_net_unknown(net, c->a, d)] += b.a[r][d] * x;
            for (int g = 0; g < b.n_globals; g++)
                out[mrn_net_global_unknown(net, b.global[g])] += b.g[r][g] * x;
        }
    }
}

void mrn_net_resultant(const mrn_net *net, const double *f, double *out)
{
    for (int64_t i = 0; i < net->n_unknowns; i++)
        out[i] = 0;
    add_resultant(net, f, out);
}

void mrn_net_residual(const mrn_net *net, const double *f, double *out)
{
    for (int64_t i = 0; i < net->n_unknowns; i++)
        out[i] = net->load[i];
    add_resultant(net, f, out);
}

void mrn_net_stress(const mrn_net *net, const double *f, double stress[6])
{
    double sum[6] = {0};
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        mrn_vec3 axis[3], force = {0, 0, 0}, l = mrn_load3(net->contact.branch + 3 * k);
        mrn_net_axes(net, k, axis);
        for (int r = 0; r < 1 + mrn_net_tangential(net, c); r++)
            force = mrn_axpy(f[c->row + r], axis[r], force);
        sum[MRN_XX] += force.x * l.x, sum[MRN_YY] += force.y * l.y, sum[MRN_ZZ] += force.z * l.z;
        sum[MRN_XY] += force.x * l.y, sum[MRN_XZ] += force.x * l.z, sum[MRN_YZ] += force.y * l.z;
    }
    /* without a cell there is no volume to speak of */
    for (int k = 0; k < 6; k++)
        stress[k] = net->volume > 0 ? sum[k] / net->volume : NAN;
}

/* ---- quality of an equilibrium ---- */

/* Forces that balance to this part of the mean force are a good equilibrium, as in the source; the
   others tell rounding from a limit that is broken. */
#define BALANCED 1e-4
#define BEYOND   1e-6
#define AT_LIMIT 1e-3
#define NOTHING  1e-9

static double over(double part, double whole)
{
    return part == 0 ? 0 : whole > 0 ? part / whole : INFINITY;
}

static void of_nodes(const mrn_net *net, const double *residual, mrn_equilibrium *out)
{
    double force = 0, moment = 0, worst = -1, sum_f = 0, sum_m = 0;
    int dim = net->dimension;
    for (int32_t i = 0; i < net->n; i++) {
        const double *r = residual + (size_t)i * (size_t)net->dofs;
        double f = 0, m = 0;
        for (int d = 0; d < net->dofs; d++)
            *(d < dim ? &f : &m) += r[d] * r[d];
        /* unknowns of rotations are lengths: their residual is the moment over `length` */
        f = sqrt(f), m = sqrt(m) / 2;
        force = f > force ? f : force;
        moment = m > moment ? m : moment;
        sum_f += f, sum_m += m;
        if ((f > m ? f : m) > worst) {
            worst = f > m ? f : m;
            out->worst = net->body[i];
        }
    }
    double n = net->n > 0 ? net->n : 1;
    out->force = over(force, net->mean_force), out->mean_force = over(sum_f / n, net->mean_force);
    out->moment = over(moment, net->mean_force);
    out->mean_moment = over(sum_m / n, net->mean_force);
}

/* Against the sum of what each contact gives to the global, or its load where that is larger: a
   shear stress may be zero while large forces cancel in it. */
static double of_global(const mrn_net *net, int g, const double *f, double residual)
{
    double given = 0, load = fabs(net->load[mrn_net_global_unknown(net, g)]);
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_block b;
        mrn_net_rows(net, k, &b);
        double sum = 0;
        for (int j = 0; j < b.n_globals; j++)
            for (int r = 0; b.global[j] == g && r < b.rows; r++)
                sum += b.g[r][j] * f[net->element[k].row + r];
        given += fabs(sum);
    }
    return over(fabs(residual), given > load ? given : load);
}

static void of_contact(const mrn_net *net, const mrn_net_element *c, mrn_equilibrium *out)
{
    double nothing = NOTHING * net->mean_force, hold = c->force[0] + c->pull;
    if (hold < -BEYOND * net->mean_force)
        out->pulling++;
    if (c->rows == 1 || !(c->friction > 0))
        return;
    double t = hypot(c->force[1], c->force[2]), limit = c->friction * (hold > 0 ? hold : 0);
    if (t > (1 + BEYOND) * limit + nothing)
        out->beyond++;
    if (limit > nothing && t >= (1 - AT_LIMIT) * limit)
        out->sliding++;
    double ratio = limit > nothing ? t / limit : t > nothing ? INFINITY : 0;
    out->worst_coulomb = ratio > out->worst_coulomb ? ratio : out->worst_coulomb;
}

mrn_status mrn_net_judge(const mrn_net *net, mrn_equilibrium *out, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    memset(out, 0, sizeof *out);
    out->worst = -1;
    double *f = mrn_alloc((size_t)net->n_rows * sizeof *f);
    double *residual = mrn_alloc((size_t)net->n_unknowns * sizeof *residual);
    if (f != NULL && residual != NULL) {
        mrn_net_forces(net, f);
        mrn_net_residual(net, f, residual);
        of_nodes(net, residual, out);
        for (int g = 0; g < net->n_globals; g++) {
            double r = of_global(net, g, f, residual[mrn_net_global_unknown(net, g)]);
            out->global = r > out->global ? r : out->global;
        }
    } else { /* without memory nothing is known, and nothing is good */
        out->force = out->moment = out->mean_force = out->mean_moment = out->global = NAN;
        st = mrn_fail_memory(msg);
    }
    for (int64_t k = 0; k < net->n_contacts; k++)
        of_contact(net, &net->element[k], out);
    out->good = out->force <= BALANCED && out->moment <= BALANCED && out->global <= BALANCED &&
                out->beyond == 0 && out->pulling == 0;
    mrn_free(residual);
    mrn_free(f);
    return st;
}

void mrn_net_equilibrium(const mrn_net *net, mrn_equilibrium *out)
{
    mrn_message unread;
    mrn_net_judge(net, out, &unread);
}
