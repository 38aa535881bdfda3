/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two samples of runs: do they agree? Welch's t with Satterthwaite's degrees of freedom for means,
   Kolmogorov and Smirnov's distance for distributions of forces.

   A difference that is certain may still be too small to matter, and one that is not certain may be
   large. So the verdict looks at the interval of the difference and at a margin below which
   differences count for nothing: within it, agree; without zero, differ; else nobody can tell. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"
#include "inference/fit.h"

const char *mrn_verdict_name(mrn_verdict v)
{
    static const char *const name[] = {"agree", "differ", "cannot tell"};
    return name[v];
}

/* From the first value on, so that equal values have exactly their mean, and no scatter. */
mrn_scatter mrn_scatter_of(const double *y, int n)
{
    mrn_scatter s = {.n = n, .mean = NAN, .sd = NAN};
    double sum = 0, square = 0;
    if (n == 0)
        return s;
    for (int i = 0; i < n; i++)
        sum += y[i] - y[0];
    s.mean = y[0] + sum / n;
    for (int i = 0; i < n; i++)
        square += (y[i] - s.mean) * (y[i] - s.mean);
    if (n > 1)
        s.sd = sqrt(square / (n - 1));
    return s;
}

static mrn_verdict judge(double difference, double half, double margin)
{
    if (fabs(difference) + half <= margin)
        return MRN_AGREE;
    return fabs(difference) > half ? MRN_DIFFER : MRN_CANNOT_TELL;
}

/* Seeds of each sample with which the interval, about the same difference, would lie within the
   margin or leave out zero; 0: more than anyone makes. */
static int seeds_for(double va, double vb, double confidence, double difference, double margin)
{
    double half = fmax(margin - fabs(difference), fabs(difference));
    for (int n = 3; n < 100000; n += 1 + n / 50) {
        double t = mrn_student_quantile(0.5 + 0.5 * confidence, 2 * n - 2);
        if (t * sqrt((va + vb) / n) <= half)
            return n;
    }
    return 0;
}

mrn_welch mrn_welch_of(const mrn_scatter *a, const mrn_scatter *b, double confidence, double margin)
{
    double va = a->sd * a->sd, vb = b->sd * b->sd, ea = va / a->n, eb = vb / b->n;
    mrn_welch w = {.difference = b->mean - a->mean,
                   .error = sqrt(ea + eb),
                   .t = NAN,
                   .freedom = NAN,
                   .p = NAN,
                   .half = NAN,
                   .margin = margin,
                   .verdict = MRN_CANNOT_TELL};
    if (!isfinite(w.difference) || !isfinite(w.error))
        return w;
    if (w.error == 0) {
        w.half = 0;
        w.p = w.difference == 0 ? 1 : 0;
    } else {
        w.t = w.difference / w.error;
        w.freedom = (ea + eb) * (ea + eb) / (ea * ea / (a->n - 1) + eb * eb / (b->n - 1));
        w.p = mrn_student_two_sided(w.t, w.freedom);
        w.half = mrn_student_quantile(0.5 + 0.5 * confidence, w.freedom) * w.error;
    }
    w.verdict = judge(w.difference, w.half, margin);
    if (w.verdict == MRN_CANNOT_TELL)
        w.seeds_needed = seeds_for(va, vb, confidence, w.difference, margin);
    return w;
}

/* ---- distributions ---- */

double mrn_ks_distance(const double *a, int n, const double *b, int m)
{
    double most = 0;
    int i = 0, j = 0;
    while (i < n && j < m) {
        double x = a[i] < b[j] ? a[i] : b[j];
        while (i < n && a[i] <= x)
            i++;
        while (j < m && b[j] <= x)
            j++;
        most = fmax(most, fabs((double)i / n - (double)j / m));
    }
    return n > 0 && m > 0 ? most : NAN;
}

/* Merges an ascending list into another; `into` has room. */
static void merge(double *into, int n, const double *from, int m)
{
    for (int at = n + m; m > 0;) {
        bool old = n > 0 && into[n - 1] > from[m - 1];
        into[--at] = old ? into[--n] : from[--m];
    }
}

/* All forces of a variant but those of one seed (-1: none is left out); returns how many. */
static int pool(const mrn_trials *t, int variant, int without, double *out)
{
    int n = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, variant, k);
        if (k == without || !mrn_trial_counts(r))
            continue;
        merge(out, n, r->force, r->n_forces);
        n += r->n_forces;
    }
    return n;
}

mrn_status mrn_ks_compare(const mrn_trials *t, int a, int b, double confidence, double margin,
                          mrn_scatter of[2], mrn_welch *out, mrn_message *msg)
{
    int64_t room = 1;
    double *all = NULL, *d = NULL;
    for (int k = 0; k < t->n_seeds; k++)
        room += mrn_trials_at(t, a, k)->n_forces;
    mrn_status s = mrn_array(&all, room, sizeof *all, msg);
    if (s == MRN_OK)
        s = mrn_array(&d, 2 * t->n_seeds, sizeof *d, msg);
    int n[2] = {0, 0};
    for (int which = 0; which < 2 && s == MRN_OK; which++)
        for (int k = 0; k < t->n_seeds; k++) {
            const mrn_trial *r = mrn_trials_at(t, which == 0 ? a : b, k);
            int m = pool(t, a, which == 0 ? k : -1, all);
            if (mrn_trial_counts(r) && r->n_forces > 0 && m > 0)
                d[which * t->n_seeds + n[which]++] = mrn_ks_distance(r->force, r->n_forces, all, m);
        }
    for (int which = 0; which < 2 && s == MRN_OK; which++)
        of[which] = mrn_scatter_of(d + which * t->n_seeds, n[which]);
    if (s == MRN_OK)
        *out = mrn_welch_of(&of[0], &of[1], confidence, margin);
    mrn_free(all);
    mrn_free(d);
    return s;
}
