/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Anderson's mixing (Anderson 1965; Walker and Ni 2011): of all combinations of the last steps, the
   one whose step is least. */
#include "solve/mixing.h"

#include <string.h>

#include "base/base.h"
#include "solve/first_order.h"

mrn_status mrn_mixing_make(const mrn_system *s, int depth, mrn_anderson *out, mrn_message *msg)
{
    int64_t m = (int64_t)s->n * s->b;
    *out = (mrn_anderson){.depth = depth, .m = m};
    if (depth == 0)
        return MRN_OK;
    out->dx = mrn_work(s->work, m * depth, sizeof *out->dx);
    out->df = mrn_work(s->work, m * depth, sizeof *out->df);
    out->gram = mrn_work(s->work, (int64_t)depth * depth, sizeof *out->gram);
    out->x = mrn_work_vector(s);
    out->f = mrn_work_vector(s);
    if (out->dx == NULL || out->df == NULL || out->gram == NULL || out->x == NULL || out->f == NULL)
        return mrn_fail_memory(msg);
    return MRN_OK;
}

void mrn_mixing_forget(mrn_anderson *a)
{
    a->held = a->next = 0;
    a->begun = false;
}

void mrn_mixing_learn(mrn_anderson *a, const double *x, const double *f)
{
    if (!a->begun)
        return;
    double *dx = a->dx + a->next * a->m, *df = a->df + a->next * a->m;
    for (int64_t k = 0; k < a->m; k++) {
        dx[k] = x[k] - a->x[k];
        df[k] = f[k] - a->f[k];
    }
    if (a->held < a->depth)
        a->held++;
    for (int j = 0; j < a->held; j++) {
        double g = mrn_dot_long(a->m, df, a->df + j * a->m);
        a->gram[a->next * a->depth + j] = a->gram[j * a->depth + a->next] = g;
    }
    a->next = (a->next + 1) % a->depth;
}

void mrn_mixing_stand(mrn_anderson *a, const double *x, const double *f)
{
    memcpy(a->x, x, (size_t)a->m * sizeof *x);
    memcpy(a->f, f, (size_t)a->m * sizeof *f);
    a->begun = true;
}

/* Solves (gram + a little) c = b by Cholesky; b becomes c. The little, 1e-10 of the mean diagonal,
   keeps steps that are nearly parallel from large cancelling coefficients. */
static bool coefficients(const mrn_anderson *a, double *b)
{
    double L[MRN_MIXING_DEPTH_MAX][MRN_MIXING_DEPTH_MAX], trace = 0;
    int n = a->held;
    for (int i = 0; i < n; i++)
        trace += a->gram[i * a->depth + i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a->gram[i * a->depth + j] + (i == j ? 1e-10 * trace / n : 0);
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0))
                return false;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[i][k] * b[k];
        b[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= L[k][i] * b[k];
        b[i] /= L[i][i];
    }
    return true;
}

bool mrn_mixing_propose(mrn_anderson *a, double *out)
{
    double c[MRN_MIXING_DEPTH_MAX];
    if (!a->begun || a->held < 2)
        return false;
    for (int j = 0; j < a->held; j++)
        c[j] = mrn_dot_long(a->m, a->df + j * a->m, a->f);
    if (!coefficients(a, c))
        return false;
    for (int64_t k = 0; k < a->m; k++)
        out[k] = a->x[k] + a->f[k];
    for (int j = 0; j < a->held; j++) {
        const double *dx = a->dx + j * a->m, *df = a->df + j * a->m;
        for (int64_t k = 0; k < a->m; k++)
            out[k] -= c[j] * (dx[k] + df[k]);
    }
    return true;
}
