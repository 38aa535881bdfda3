/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Jacobian of Newton's method on the whole problem, and plain steps that finish what another
   solver began. */
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"
#include "solve/newton.h"

enum { PARALLEL = 2048 };

/* ---- memory ---- */

/* Largest eigenvalue of the symmetric part of the tangential block. */
static double largest_tangential(int b, const double *w)
{
    if (b == 2)
        return w[3];
    double mean = (w[4] + w[8]) / 2, half = (w[4] - w[8]) / 2, cross = (w[5] + w[7]) / 2;
    return mean + sqrt(half * half + cross * cross);
}

static double inverse_or_one(double x)
{
    return x > 0 && isfinite(1 / x) ? 1 / x : 1;
}

static void describe_contacts(const mrn_system *s, mrn_newton_contact *contact)
{
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        const double *w = s->diag + i * b * b;
        contact[i] = (mrn_newton_contact){.b = b,
                                          .law = (mrn_contact_law)s->law[i],
                                          .mu = s->mu[i * MRN_FRICTION_GROUPS],
                                          .rho_n = inverse_or_one(w[0]),
                                          .rho_t = inverse_or_one(largest_tangential(b, w))};
    }
}

mrn_status mrn_newton_make(mrn_system *s, mrn_newton_memory *out, mrn_message *msg)
{
    mrn_newton_memory m = {0};
    int64_t n = s->n, b = s->b;
    double **vectors[] = {&m.u, &m.f, &m.step};
    double **blocks[] = {&m.own, &m.left};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if ((*vectors[k] = mrn_work(s->work, n * b + MRN_BSR_PADDING, sizeof(double))) == NULL)
            return mrn_fail_memory(msg);
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        if ((*blocks[k] = mrn_work(s->work, n * b * b + MRN_BSR_PADDING, sizeof(double))) == NULL)
            return mrn_fail_memory(msg);
    if ((m.contact = mrn_work(s->work, n, sizeof *m.contact)) == NULL)
        return mrn_fail_memory(msg);
    describe_contacts(s, m.contact);
    *out = m;
    return MRN_OK;
}

/* ---- the Jacobian ---- */

void mrn_newton_linearise(const mrn_system *s, mrn_newton_memory *m, mrn_newton_map map,
                          double alpha, const double *r)
{
    int b = s->b;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double *a = m->own + i * b * b, *c = m->left + i * b * b;
        mrn_newton_evaluate(map, m->contact + i, r + i * b, m->u + i * b, m->f + i * b, a, c);
        for (int k = 0; k < b * b; k++)
            a[k] += alpha * c[k];
    }
}
