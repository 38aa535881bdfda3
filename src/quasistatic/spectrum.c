/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vibrations about the state: omega^2 are the eigenvalues of K u = omega^2 M u, with M the masses
   and, as rotations are counted as length times the angle, inertia / length^2. Contacts are elastic
   (small vibrations about a contact at the limit are not linear); globals are held: a cell or a
   wall that keeps its shape and place. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/stability.h"

/* Unknowns whose vibrations can all be found: three matrices of that order take 0.9 GB. */
#define MOST_DENSE 6000

/* ---- matrices ---- */

/* Keeps the first n rows and columns of a lower triangle. */
static void cut(mrn_sparse *a, int64_t n)
{
    int64_t kept = 0, from = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t to = a->start[j + 1];
        for (int64_t e = from; e < to; e++)
            if (a->row[e] < n) {
                a->row[kept] = a->row[e];
                a->value[kept++] = a->value[e];
            }
        from = to;
        a->start[j + 1] = kept;
    }
    a->rows = a->cols = n;
}

static mrn_status stiffness_of(const mrn_net *net, bool geometric, mrn_sparse *out,
                               mrn_message *msg)
{
    const mrn_stiffness_options opt = {.geometric = geometric};
    mrn_net_status *status = NULL;
    mrn_status st = mrn_net_sticking(net, &status, msg);
    if (st == MRN_OK)
        st = mrn_net_stiffness_matrix(net, &opt, status, out, msg);
    if (st == MRN_OK)
        cut(out, (int64_t)net->n * net->dofs);
    mrn_free(status);
    return st;
}

static mrn_status masses_of(const mrn_net *net, double **out, mrn_message *msg)
{
    mrn_status st = mrn_array(out, (int64_t)net->n * net->dofs, sizeof **out, msg);
    int dim = net->dimension;
    for (int32_t i = 0; st == MRN_OK && i < net->n; i++)
        for (int k = 0; k < net->dofs; k++) {
            int axis = dim == 2 ? 2 : k - dim;
            double m =
                k < dim ? net->mass[i]
                        : net->inertia[3 * (size_t)i + (size_t)axis] / (net->length * net->length);
            if (!(m > 0) || !isfinite(m)) {
                mrn_free(*out);
                *out = NULL;
                return mrn_fail(msg, MRN_ERR_INPUT,
                                "body %d has %s %g: vibrations need positive ones",
                                (int)net->body[i], k < dim ? "mass" : "moment of inertia",
                                k < dim ? m : m * net->length * net->length);
            }
            (*out)[mrn_net_unknown(net, i, k)] = m;
        }
    return st;
}

/* ---- from eigenvalues to frequencies ---- */

/* Row sums bound the largest omega^2. */
static double largest_square(const mrn_sparse *k, const double *mass, double *room)
{
    double most = 0;
    memset(room, 0, (size_t)k->cols * sizeof *room);
    for (int64_t j = 0; j < k->cols; j++)
        for (int64_t e = k->start[j]; e < k->start[j + 1]; e++) {
            int64_t i = k->row[e];
            double x = fabs(k->value[e]) / sqrt(mass[i] * mass[j]);
            room[i] += x;
            room[j] += i != j ? x : 0;
        }
    for (int64_t j = 0; j < k->cols; j++)
        most = fmax(most, room[j]);
    return most;
}

/* How far omega^2 may be off: |M^-1/2 (K v - omega^2 M v)|, v of length 1 in M; 0: no vector. */
static double doubt(const mrn_sparse *k, const double *mass, const double *v, double square,
                    double *room)
{
    double sum = 0;
    if (v == NULL)
        return 0;
    mrn_sparse_times_symmetric(k, v, room);
    for (int64_t i = 0; i < k->cols; i++) {
        double r = room[i] - square * mass[i] * v[i];
        sum += r * r / mass[i];
    }
    return sqrt(sum);
}

/* Zero is what rounding leaves of it: 1e-12 of the largest omega^2 (the dense method is good to
   some 1e-15), or the measured doubt (Lanczos is asked for 1e-10). Modes that grow instead of
   oscillating, which only the geometric part makes, are written as -|omega|. */
static double frequency(double square, double noise)
{
    if (fabs(square) <= noise)
        return 0;
    return square > 0 ? sqrt(square) : -sqrt(-square);
}

/* (sum u2)^2 / (N sum u4) over the displacements of grains; where none moves from its place, over
   their rotations. */
static double participation(const mrn_net *net, const double *u)
{
    double sum[2][2] = {{0}};
    for (int32_t i = 0; i < net->n; i++) {
        double square[2] = {0, 0};
        for (int k = 0; k < net->dofs; k++) {
            double x = u[mrn_net_unknown(net, i, k)];
            square[k >= net->dimension] += x * x;
        }
        for (int part = 0; part < 2; part++)
            sum[part][0] += square[part], sum[part][1] += square[part] * square[part];
    }
    int part = sum[0][0] > 1e-16 * sum[1][0] ? 0 : 1;
    return sum[part][1] > 0 ? sum[part][0] * sum[part][0] / (net->n * sum[part][1]) : 0;
}

/* A mode of unit length in all unknowns, globals at rest. */
static void write_mode(const mrn_net *net, const double *v, double *to)
{
    int64_t n = (int64_t)net->n * net->dofs;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    for (int64_t i = 0; i < n; i++)
        to[i] = v[i] / sqrt(sum);
}

static mrn_status write_out(const mrn_net *net, const mrn_sparse *k, const double *mass,
                            const mrn_eigen *e, int modes, mrn_spectrum *out, mrn_message *msg)
{
    double *room = NULL;
    int64_t n = k->cols;
    mrn_status st = mrn_array(&room, n, sizeof *room, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->omega, e->n, sizeof *out->omega, msg);
    if (st == MRN_OK && modes > 0)
        st = mrn_array(&out->mode, modes * net->n_unknowns, sizeof *out->mode, msg);
    if (st == MRN_OK && modes > 0)
        st = mrn_array(&out->participation, modes, sizeof *out->participation, msg);
    double noise = st == MRN_OK ? 1e-12 * largest_square(k, mass, room) : 0;
    for (int j = 0; st == MRN_OK && j < e->n; j++) {
        const double *v = e->vector != NULL ? e->vector + j * n : NULL;
        out->omega[j] = frequency(e->value[j], fmax(noise, doubt(k, mass, v, e->value[j], room)));
        if (j >= modes || v == NULL)
            continue;
        write_mode(net, v, out->mode + j * net->n_unknowns);
        out->participation[j] = participation(net, out->mode + j * net->n_unknowns);
    }
    mrn_free(room);
    out->n = e->n, out->n_modes = modes;
    out->full = e->n == n;
    return st;
}

/* ---- the public face ---- */

static mrn_status check(const mrn_net *net, bool geometric, int want, int modes, mrn_message *msg)
{
    int64_t n = (int64_t)net->n * net->dofs;
    if (want < 0 || modes < 0 || (want > 0 && modes > want))
        return mrn_fail(msg, MRN_ERR_RANGE, "%d frequencies and %d modes were asked for", want,
                        modes);
    if (geometric && !net->forces_known) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the geometric stiffness needs contact forces, which are not "
                 "known in this network");
        return mrn_fail_hint(msg, "leave the geometric part out");
    }
    if ((want == 0 || want >= n) && n > MOST_DENSE) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "all vibrations of %d grains are %lld; at most %d can be found together",
                 (int)net->n, (long long)n, MOST_DENSE);
        return mrn_fail_hint(msg, "ask for the smallest ones, some hundreds say");
    }
    return MRN_OK;
}

/* Vectors are not made for a full spectrum without modes: they would take most of the time. */
static mrn_status solve(const mrn_sparse *k, const double *mass, int want, int modes,
                        mrn_eigen *out, mrn_message *msg)
{
    if (modes == 0 && want == k->cols)
        return mrn_eigen_all(k, mass, false, out, msg);
    return mrn_eigen_smallest(k, mass, want, 1e-10, out, msg);
}

static double scale_of(const mrn_net *net)
{
    double sum = 0;
    for (int32_t i = 0; i < net->n; i++)
        sum += net->mass[i];
    return sum > 0 ? sqrt(mrn_net_mean_kn(net) * net->n / sum) : 0;
}

mrn_status mrn_spectrum_of(const mrn_net *net, bool geometric, int want, int modes,
                           mrn_spectrum *out, mrn_message *msg)
{
    int64_t n = (int64_t)net->n * net->dofs;
    double *mass = NULL;
    mrn_sparse k = {0};
    mrn_eigen e = {0};
    memset(out, 0, sizeof *out);
    out->full = n == 0;
    if (n == 0)
        return MRN_OK;
    mrn_status found = MRN_OK, st = check(net, geometric, want, modes, msg);
    if (st == MRN_OK)
        st = masses_of(net, &mass, msg);
    if (st == MRN_OK)
        st = stiffness_of(net, geometric, &k, msg);
    want = want == 0 || want > n ? (int)n : want;
    if (st == MRN_OK)
        st = found = solve(&k, mass, want, modes, &e, msg);
    if (st >= 0) {
        out->scale = scale_of(net);
        st = write_out(net, &k, mass, &e, modes < e.n ? modes : e.n, out, msg);
    }
    mrn_free(mass);
    mrn_sparse_release(&k);
    mrn_eigen_release(&e);
    if (st != MRN_OK)
        mrn_spectrum_release(out);
    return st == MRN_OK ? found : st;
}

void mrn_spectrum_release(mrn_spectrum *s)
{
    if (s == NULL)
        return;
    mrn_free(s->omega);
    mrn_free(s->mode);
    mrn_free(s->participation);
    memset(s, 0, sizeof *s);
}

/* Frequencies of growing modes (negative) have no place in it. */
void mrn_spectrum_density(const mrn_spectrum *s, int bins, double *omega, double *density)
{
    double most = s->n > 0 ? s->omega[s->n - 1] : 0, width = most / (bins > 0 ? bins : 1);
    double counted = 0;
    for (int b = 0; b < bins; b++)
        omega[b] = (b + 0.5) * width, density[b] = 0;
    if (!(most > 0) || bins < 1)
        return;
    for (int k = 0; k < s->n; k++) {
        if (s->omega[k] < 0)
            continue;
        int b = (int)(s->omega[k] / width);
        density[b < bins ? b : bins - 1]++;
        counted++;
    }
    for (int b = 0; b < bins; b++)
        density[b] /= counted * width;
}
