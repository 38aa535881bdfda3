/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What solvers that live on products with W and projections share. */
#include "solve/first_order.h"

enum { CHUNK = 512 };

double *mrn_work_vector(const mrn_system *s)
{
    return mrn_work(s->work, (int64_t)s->n * s->b + MRN_BSR_PADDING, sizeof(double));
}

void mrn_contact_means(const mrn_system *s, double *mean)
{
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int c = 0; c < b; c++)
            sum += s->diag[(i * b + c) * b + c];
        mean[i] = sum > 0 ? sum / b : 1;
    }
}

void mrn_contact_shifts(const mrn_system *s, const double *u, double *shift)
{
    for (int64_t i = 0; i < s->n; i++)
        shift[i] = s->law[i] == MRN_BILATERAL
                       ? 0
                       : mrn_cone_g(s->lay, s->mu + i * MRN_FRICTION_GROUPS, u + i * s->b);
}

double mrn_contact_dot(const mrn_system *s, const double *weight, const double *x, const double *y)
{
    int b = s->b;
    double total = 0;
    for (int64_t at = 0; at < s->n; at += CHUNK) {
        double part = 0;
        for (int64_t i = at; i < s->n && i < at + CHUNK; i++) {
            double own = 0;
            for (int c = 0; c < b; c++)
                own += x[i * b + c] * y[i * b + c];
            part += weight[i] * own;
        }
        total += part;
    }
    return total;
}

double mrn_frozen_residual(const mrn_system *s, const double *shift, const double *r,
                           const double *u)
{
    int b = s->b;
    double total = 0, y[MRN_CONTACT_BLOCK_MAX];
    for (int64_t at = 0; at < s->n; at += CHUNK) {
        double part = 0;
        for (int64_t i = at; i < s->n && i < at + CHUNK; i++) {
            for (int c = 0; c < b; c++)
                y[c] = r[i * b + c] - u[i * b + c];
            y[0] -= shift[i];
            if (s->law[i] != MRN_BILATERAL)
                mrn_cone_project(s->lay, s->mu + i * MRN_FRICTION_GROUPS, y, y);
            for (int c = 0; c < b; c++)
                part += (r[i * b + c] - y[c]) * (r[i * b + c] - y[c]);
        }
        total += part;
    }
    return sqrt(total);
}

bool mrn_log_residual(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                      const double *u, double *natural)
{
    *natural = mrn_system_residual(s, r, u, NULL);
    log->energy = NAN;
    if (s->control->watch != NULL) /* the energy is for histories alone */
        log->energy = mrn_system_energy(s, r, u);
    return mrn_log_known(s, log, phase, r, *natural, NULL, false);
}
