/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts at Coulomb's limit. Where a motion would take the tangential force beyond it, the
   tangential force follows the normal one (f_t = mu f_n); else the contact stays elastic. With f =
   -k U a contact slides when -kt U_t + mu kn U_n > 0: the form depends on the sense of the
   motion, and what slides along u sticks along -u. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/jacobi.h"
#include "quasistatic/stability.h"

/* ---- which ones ---- */

static bool is_critical(const mrn_net *net, int64_t k)
{
    const mrn_net_element *c = &net->element[k];
    return c->status == MRN_NET_SLIDES && mrn_net_tangential(net, c) > 0;
}

mrn_status mrn_critical_of(const mrn_net *net, mrn_critical *out, mrn_message *msg)
{
    int64_t n = 0;
    *out = (mrn_critical){0};
    for (int64_t k = 0; k < net->n_contacts; k++)
        n += is_critical(net, k);
    mrn_status st = mrn_array(&out->contact, n, sizeof *out->contact, msg);
    for (int64_t k = 0; st == MRN_OK && k < net->n_contacts; k++)
        if (is_critical(net, k))
            out->contact[out->n++] = k;
    return st;
}

void mrn_critical_release(mrn_critical *c)
{
    mrn_free(c->contact);
    *c = (mrn_critical){0};
}

mrn_status mrn_net_sticking(const mrn_net *net, mrn_net_status **out, mrn_message *msg)
{
    mrn_status st = mrn_array(out, net->n_contacts, sizeof **out, msg);
    for (int64_t k = 0; st == MRN_OK && k < net->n_contacts; k++)
        (*out)[k] = net->element[k].status == MRN_NET_OPEN ? MRN_NET_OPEN : MRN_NET_STICKS;
    return st;
}

double mrn_net_mean_kn(const mrn_net *net)
{
    double sum = 0, n = 0;
    for (int64_t k = 0; k < net->n_contacts; k++)
        if (net->element[k].status != MRN_NET_OPEN)
            sum += net->element[k].kn, n++;
    return n > 0 ? sum / n : 0;
}

/* ---- along a motion ---- */

typedef double local_form[MRN_NET_ROWS][MRN_NET_ROWS];

static void relative_at(const mrn_net *net, int64_t k, const double *u, double *rel)
{
    const mrn_net_element *c = &net->element[k];
    mrn_net_block b;
    mrn_net_rows(net, k, &b);
    for (int r = 0; r < b.rows; r++) {
        rel[r] = 0;
        for (int d = 0; c->c >= 0 && d < net->dofs; d++)
            rel[r] += b.c[r][d] * u[mrn_net_unknown(net, c->c, d)];
        for (int d = 0; c->a >= 0 && d < net->dofs; d++)
            rel[r] += b.a[r][d] * u[mrn_net_unknown(net, c->a, d)];
        for (int g = 0; g < b.n_globals; g++)
            rel[r] += b.g[r][g] * u[mrn_net_global_unknown(net, b.global[g])];
    }
}

/* Symmetric part of sliding less elastic. */
static void difference(const mrn_net *net, int64_t k, local_form out)
{
    local_form slides, sticks;
    int rows = net->element[k].rows;
    mrn_net_local(net, k, MRN_NET_SLIDES, slides);
    mrn_net_local(net, k, MRN_NET_STICKS, sticks);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++)
            out[r][c] = 0.5 * (slides[r][c] + slides[c][r]) - 0.5 * (sticks[r][c] + sticks[c][r]);
}

/* A contact that hardly moves (u has unit length) counts as sticking: its work is the same to
   rounding, and statuses do not depend on noise. */
static bool slides_along(const mrn_net *net, int64_t k, const double *rel, double sign)
{
    const mrn_net_element *c = &net->element[k];
    return sign * (c->friction * c->kn * rel[0] - c->kt * rel[1]) > 1e-10 * c->kn;
}

static double work_of(int rows, local_form d, const double *rel)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < rows; s++)
            sum += rel[r] * d[r][s] * rel[s];
    return sum;
}

double mrn_critical_work(const mrn_net *net, const mrn_critical *c, const double *u, double sign,
                         bool *slides)
{
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t k = c->contact[i];
        double rel[MRN_NET_ROWS];
        relative_at(net, k, u, rel);
        bool on = slides_along(net, k, rel, sign);
        if (slides != NULL)
            slides[i] = on;
        if (!on)
            continue;
        local_form d;
        difference(net, k, d);
        sum += work_of(net->element[k].rows, d, rel);
    }
    return sum;
}

/* ---- below all of them ---- */

/* Replaces a symmetric matrix by its negative part: negative eigenvalues kept, others 0. */
static void negative_part(int n, local_form form)
{
    double a[MRN_NET_ROWS * MRN_NET_ROWS], v[MRN_NET_ROWS * MRN_NET_ROWS];
    for (int r = 0; r < n; r++)
        memcpy(a + r * n, form[r], (size_t)n * sizeof *a);
    mrn_jacobi_eigen(n, a, v);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            form[r][c] = 0;
            for (int k = 0; k < n; k++)
                form[r][c] += fmin(a[k * n + k], 0) * v[r * n + k] * v[c * n + k];
        }
}

#define MOST_COLUMNS (2 * MRN_NET_DOFS + MRN_NET_GLOBALS)

/* The rows of a contact as a dense matrix, with the unknowns of its columns; returns how many. */
static int columns_of(const mrn_net *net, int64_t k, int64_t *unknown,
                      double g[MRN_NET_ROWS][MOST_COLUMNS])
{
    const mrn_net_element *c = &net->element[k];
    int n = 0;
    mrn_net_block b;
    mrn_net_rows(net, k, &b);
    for (int d = 0; c->c >= 0 && d < net->dofs; d++, n++) {
        unknown[n] = mrn_net_unknown(net, c->c, d);
        for (int r = 0; r < b.rows; r++)
            g[r][n] = b.c[r][d];
    }
    for (int d = 0; c->a >= 0 && d < net->dofs; d++, n++) {
        unknown[n] = mrn_net_unknown(net, c->a, d);
        for (int r = 0; r < b.rows; r++)
            g[r][n] = b.a[r][d];
    }
    for (int d = 0; d < b.n_globals; d++, n++) {
        unknown[n] = mrn_net_global_unknown(net, b.global[d]);
        for (int r = 0; r < b.rows; r++)
            g[r][n] = b.g[r][d];
    }
    return n;
}

/* Gᵀ d G of one contact. Where C and A are one grain and its image, columns come twice: every pair
   of columns is gone through, and those that fall on the upper triangle have their mirror below. */
static void add_contact(const mrn_net *net, int64_t k, local_form d, mrn_triplets *t)
{
    int64_t unknown[MOST_COLUMNS];
    double g[MRN_NET_ROWS][MOST_COLUMNS];
    int n = columns_of(net, k, unknown, g), rows = net->element[k].rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (unknown[i] < unknown[j])
                continue;
            double sum = 0;
            for (int r = 0; r < rows; r++)
                for (int s = 0; s < rows; s++)
                    sum += g[r][i] * d[r][s] * g[s][j];
            mrn_triplets_add(t, unknown[i], unknown[j], sum);
        }
}

/* What the form of a contact adds to the elastic one. With E the elastic form, S the
   symmetric part of the sliding one and D = S - E = D+ + D- (positive and negative part), M = E +
   D- = S - D+ is below both in every direction. The sum over all contacts of such forms is then
   below the stiffness of each of the 2^n choices, and so is its smallest eigenvalue. As a quadratic
   form is the same along U and -U, and one of these slides while the other sticks, nothing
   larger would do for a contact by itself. */
static void added(const mrn_net *net, int64_t k, mrn_choice choice, local_form d)
{
    memset(d, 0, sizeof(local_form));
    if (choice == MRN_CHOSEN_STICKS)
        return;
    difference(net, k, d);
    if (choice == MRN_EITHER)
        negative_part(net->element[k].rows, d);
}

mrn_status mrn_critical_minorant(const mrn_net *net, const mrn_critical *c,
                                 const signed char *choice, const mrn_sparse *sticking,
                                 mrn_sparse *out, mrn_message *msg)
{
    mrn_triplets t = {0};
    int64_t entries = sticking->start[sticking->cols];
    mrn_status st = mrn_triplets_reserve(&t, entries + c->n * MOST_COLUMNS * MOST_COLUMNS, msg);
    if (st == MRN_OK)
        mrn_triplets_add_matrix(&t, sticking);
    for (int64_t i = 0; st == MRN_OK && i < c->n; i++) {
        local_form d;
        added(net, c->contact[i], (mrn_choice)choice[i], d);
        add_contact(net, c->contact[i], d, &t);
    }
    if (st == MRN_OK)
        st = mrn_triplets_make(&t, sticking->rows, sticking->cols, out, msg);
    mrn_triplets_release(&t);
    return st;
}

int64_t mrn_critical_split(const mrn_net *net, const mrn_critical *c, const signed char *choice,
                           const double *u, double least)
{
    int64_t pick = -1;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t k = c->contact[i];
        int rows = net->element[k].rows;
        double rel[MRN_NET_ROWS];
        local_form d, low;
        if (choice[i] != MRN_EITHER)
            continue;
        relative_at(net, k, u, rel);
        added(net, k, MRN_CHOSEN_SLIDES, d);
        added(net, k, MRN_EITHER, low);
        double gain = fmin(work_of(rows, d, rel), 0) - work_of(rows, low, rel);
        if (gain > least)
            least = gain, pick = i;
    }
    return pick;
}
