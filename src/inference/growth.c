/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of slow growth with the number of cycles: settlements of railway tracks and densities of
   tapped beds. Each is a formula with bounds made from the data; the estimation is that of the lab
   (fit.c), with one unknown variance, so that intervals come from the scatter about the law.

   Successive cycles of one run are not independent: what a cycle left is where the next begins.
   Intervals from all of a thousand cycles would be far too narrow. The law is therefore fitted to
   points that are spread evenly in log N, mrn_growth_thin of them at most. That is also how the
   settlement laws of the literature are judged, over decades. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"
#include "moraine/growth.h"

/* What bounds are made of. */
typedef struct span {
    double last;      /* largest N             */
    double lo, hi, d; /* of y; d = hi - lo > 0 */
} span;

static mrn_parameter bounds(const char *name, double lo, double hi, bool log)
{
    mrn_parameter p = {.lo = lo, .hi = hi, .start = NAN, .log = log};
    snprintf(p.name, sizeof p.name, "%s", name);
    return p;
}

/* ---- formulas: x are parameters in the order of their names ---- */

static double logarithm(const double *x, double n)
{
    return x[0] + x[1] * log10(n);
}

static double power(const double *x, double n)
{
    return x[0] * pow(n, x[1]);
}

static double shenton(const double *x, double n)
{
    return x[0] * pow(n, 0.2) + x[1] * n;
}

static double thom_oakley(const double *x, double n)
{
    double above = fmax(0, log10(n) - x[1]);
    return x[0] * above * above;
}

static double sato(const double *x, double n)
{
    return x[0] * -expm1(-x[1] * n) + x[2] * n;
}

static double inverse_log(const double *x, double n)
{
    return x[1] - (x[1] - x[0]) / (1 + x[2] * log(1 + n / x[3]));
}

static double stretched(const double *x, double n)
{
    return x[1] - (x[1] - x[0]) * exp(-pow(n / x[2], x[3]));
}

/* ---- bounds ---- */

static void bound_log(const span *s, mrn_parameter *p)
{
    p[0] = bounds("a", s->lo - 10 * s->d, s->hi + 10 * s->d, false);
    p[1] = bounds("b", -10 * s->d, 10 * s->d, false);
}

static void bound_power(const span *s, mrn_parameter *p)
{
    p[0] = bounds("a", 1e-6 * s->hi, 10 * s->hi, true);
    p[1] = bounds("b", -1, 2, false);
}

static void bound_shenton(const span *s, mrn_parameter *p)
{
    p[0] = bounds("a", 0, 10 * s->hi, false);
    p[1] = bounds("b", 0, 10 * s->hi / s->last, false);
}

static void bound_thom(const span *s, mrn_parameter *p)
{
    p[0] = bounds("a", 0, 100 * s->hi, false);
    p[1] = bounds("c", -20, log10(s->last), false);
}

static void bound_sato(const span *s, mrn_parameter *p)
{
    p[0] = bounds("gamma", 0, 10 * s->hi, false);
    p[1] = bounds("alpha", 0.01 / s->last, 20, true);
    p[2] = bounds("beta", 0, 10 * s->hi / s->last, false);
}

static void bound_inverse(const span *s, mrn_parameter *p)
{
    p[0] = bounds("start", s->lo - s->d, s->hi, false);
    p[1] = bounds("end", s->lo, s->hi + 5 * s->d, false);
    p[2] = bounds("B", 1e-2, 1e2, true);
    p[3] = bounds("tau", 1e-2, 10 * s->last, true);
}

static void bound_stretched(const span *s, mrn_parameter *p)
{
    p[0] = bounds("start", s->lo - s->d, s->hi, false);
    p[1] = bounds("end", s->lo, s->hi + 5 * s->d, false);
    p[2] = bounds("tau", 1e-2, 100 * s->last, true);
    p[3] = bounds("beta", 0.05, 2, true);
}

typedef struct law {
    mrn_growth_law told;
    double (*value)(const double *x, double n);
    void (*bounds)(const span *s, mrn_parameter *p);
} law;

static const law laws[] = {
    {{"log",
      "a + b log10 N",
      2,
      {"a", "b"},
      false,
      true,
      "Straight in log N, as Hettler's r F^1.6 (1 + C ln N), and as the triaxial laws of ORE and "
      "of "
      "Alva-Hurtado and Selig, eps_1 (1 + C log10 N): C is b/a."},
     logarithm,
     bound_log},
    {{"power", "a N^b", 2, {"a", "b"}, false, true, "Selig and Waters, with b = 0.17."},
     power,
     bound_power},
    {{"shenton",
      "a N^0.2 + b N",
      2,
      {"a", "b"},
      false,
      true,
      "Shenton: quick at first, then in proportion to the traffic."},
     shenton,
     bound_shenton},
    {{"thom-oakley",
      "a (log10 N - c)^2, 0 before 10^c",
      2,
      {"a", "c"},
      false,
      true,
      "Thom and Oakley, with a = 1 mm and c = 2.4."},
     thom_oakley,
     bound_thom},
    {{"sato",
      "gamma (1 - exp(-alpha N)) + beta N",
      3,
      {"gamma", "alpha", "beta"},
      false,
      true,
      "Sato: compaction that ends, and a steady part."},
     sato,
     bound_sato},
    {{"inverse-log",
      "end - (end - start)/(1 + B ln(1 + N/tau))",
      4,
      {"start", "end", "B", "tau"},
      true,
      false,
      "Density of a tapped column (Knight, Fandrich, Lau, Jaeger and Nagel 1995)."},
     inverse_log,
     bound_inverse},
    {{"stretched",
      "end - (end - start) exp(-(N/tau)^beta)",
      4,
      {"start", "end", "tau", "beta"},
      true,
      false,
      "Density relaxing as a stretched exponential (Philippe and Bideau 2002)."},
     stretched,
     bound_stretched},
};
enum { N_LAWS = sizeof laws / sizeof *laws };

int mrn_growth_law_count(void)
{
    return N_LAWS;
}

const mrn_growth_law *mrn_growth_law_at(int i)
{
    return i >= 0 && i < N_LAWS ? &laws[i].told : NULL;
}

static const law *find(const char *name)
{
    for (int i = 0; i < N_LAWS; i++)
        if (strcmp(laws[i].told.name, name) == 0)
            return &laws[i];
    return NULL;
}

const mrn_growth_law *mrn_growth_law_find(const char *name)
{
    const law *l = find(name);
    return l != NULL ? &l->told : NULL;
}

double mrn_growth_value(const mrn_growth_law *g, const double *x, double n)
{
    const law *l = find(g->name);
    return l != NULL ? l->value(x, n) : NAN;
}

/* ---- points ---- */

int mrn_growth_thin(int64_t n, const double *at, int most, int64_t *kept)
{
    int count = 0;
    for (int64_t i = 0; i < n; i++) {
        double share = n > 1 && at[n - 1] > at[0] ? log(at[i] / at[0]) / log(at[n - 1] / at[0]) : 0;
        if (count < most && (i == n - 1 || share * (most - 1) >= count))
            kept[count++] = i;
    }
    return count;
}

/* ---- the fit ---- */

typedef struct task {
    const law *law;
    const double *at;
    int n, m;
} task;

static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    const task *t = user;
    (void)msg;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < t->m; i++) {
            double v = t->law->value(x + k * t->n, t->at[i]);
            y[k * t->m + i] = v;
            bad[k] = bad[k] || !isfinite(v);
        }
    return MRN_OK;
}

static mrn_status check(const law *l, int n, const double *at, const double *y, span *s,
                        mrn_message *msg)
{
    *s = (span){.lo = INFINITY, .hi = -INFINITY};
    if (n < l->told.n + 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "%d points for law '%s', which has %d parameters", n,
                        l->told.name, l->told.n);
    for (int i = 0; i < n; i++) {
        if (!isfinite(at[i]) || !isfinite(y[i]) || at[i] <= (i > 0 ? at[i - 1] : 0))
            return mrn_fail(msg, MRN_ERR_INPUT, "point %d of a growth law: N = %g, y = %g", i + 1,
                            at[i], y[i]);
        s->lo = fmin(s->lo, y[i]), s->hi = fmax(s->hi, y[i]);
    }
    s->d = s->hi - s->lo, s->last = at[n - 1];
    if (!(s->d > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "nothing grows: all %d points are %g", n, s->lo);
    if (!l->told.starts && !(s->hi > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "law '%s' is for settlements; these are negative",
                        l->told.name);
    return MRN_OK;
}

static double r_squared(int n, const double *y, const double *f)
{
    double mean = 0, total = 0, left = 0;
    for (int i = 0; i < n; i++)
        mean += y[i] / n;
    for (int i = 0; i < n; i++) {
        total += (y[i] - mean) * (y[i] - mean);
        left += (y[i] - f[i]) * (y[i] - f[i]);
    }
    return 1 - left / total;
}

static mrn_status fit(task *t, const span *s, const double *y, mrn_datum *data, mrn_growth *out,
                      mrn_message *msg)
{
    mrn_parameter p[MRN_GROWTH_PARAMETERS];
    mrn_fit_options opt = mrn_fit_default();
    mrn_fit f;
    opt.bootstrap = 0;
    opt.regions = opt.nested = false;
    t->law->bounds(s, p);
    for (int i = 0; i < t->m; i++)
        data[i] = (mrn_datum){.y = y[i], .spread = MRN_SPREAD_COMMON};
    mrn_predictor model = {.n = t->n, .m = t->m, .predict = predict, .user = t};
    mrn_status st = mrn_fit_model(&model, p, data, 1, &opt, &f, msg);
    if (st != MRN_OK && st != MRN_NOT_CONVERGED)
        return st;
    *out = (mrn_growth){.law = &t->law->told, .n = t->m, .converged = st == MRN_OK};
    for (int k = 0; k < t->n; k++) {
        out->x[k] = f.at[k].value;
        out->verdict[k] = f.at[k].verdict;
        memcpy(out->interval[k], f.at[k].profile, sizeof out->interval[k]);
    }
    out->r2 = r_squared(t->m, y, f.y);
    out->aic = f.aic;
    out->deviation = sqrt(f.variance[0]);
    mrn_fit_release(&f);
    return MRN_OK;
}

mrn_status mrn_growth_fit(const char *name, int n, const double *at, const double *y,
                          mrn_growth *out, mrn_message *msg)
{
    const law *l = find(name);
    span s;
    *out = (mrn_growth){0};
    if (l == NULL) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is no law of growth '%s'", name);
        return mrn_fail_expected(msg, "log, power, shenton, thom-oakley, sato, inverse-log or "
                                      "stretched");
    }
    mrn_status st = check(l, n, at, y, &s, msg);
    if (st != MRN_OK)
        return st;
    task t = {.law = l, .at = at, .n = l->told.n, .m = n};
    mrn_datum *data = NULL;
    st = mrn_array(&data, n, sizeof *data, msg);
    if (st == MRN_OK)
        st = fit(&t, &s, y, data, out, msg);
    mrn_free(data);
    return st;
}

/* ---- beyond the points ---- */

typedef struct normal_matrix {
    double a[MRN_GROWTH_PARAMETERS][MRN_GROWTH_PARAMETERS];
} normal_matrix;

/* d value / d x at N, each parameter in units of its own size. */
static void slopes(const law *l, const double *x, double n, double *out)
{
    for (int k = 0; k < l->told.n; k++) {
        double y[MRN_GROWTH_PARAMETERS], size = x[k] != 0 ? fabs(x[k]) : 1, d = 1e-5;
        memcpy(y, x, sizeof y);
        y[k] = x[k] + d * size;
        double up = l->value(y, n);
        y[k] = x[k] - d * size;
        out[k] = (up - l->value(y, n)) / (2 * d);
    }
}

/* v.(A^-1 v) by Cholesky's factor of A, made in place; INFINITY where A is singular. */
static double quadratic(int n, normal_matrix *m, double *v)
{
    double sum = 0, largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, m->a[i][i]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                m->a[i][j] -= m->a[i][k] * m->a[j][k];
            m->a[i][j] /= m->a[j][j];
            m->a[i][i] -= m->a[i][j] * m->a[i][j];
            v[i] -= m->a[i][j] * v[j];
        }
        if (!(m->a[i][i] > 1e-13 * largest))
            return INFINITY;
        m->a[i][i] = sqrt(m->a[i][i]);
        v[i] /= m->a[i][i];
        sum += v[i] * v[i];
    }
    return sum;
}

double mrn_growth_extrapolate(const mrn_growth *g, int n, const double *at, double to,
                              double interval[2])
{
    const law *l = find(g->law->name);
    normal_matrix m = {{{0}}};
    double s[MRN_GROWTH_PARAMETERS];
    int p = g->law->n;
    if (l == NULL) /* of no fit of ours */
        return interval[0] = interval[1] = NAN;
    for (int i = 0; i < n; i++) {
        slopes(l, g->x, at[i], s);
        for (int j = 0; j < p; j++)
            for (int k = 0; k < p; k++)
                m.a[j][k] += s[j] * s[k];
    }
    slopes(l, g->x, to, s);
    double value = l->value(g->x, to);
    double half =
        mrn_student_quantile(0.975, fmax(1, n - p)) * g->deviation * sqrt(1 + quadratic(p, &m, s));
    interval[0] = value - half;
    interval[1] = value + half;
    return value;
}
