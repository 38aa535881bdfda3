/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of an estimation: which parameters the data tell, which measurement would tell more,
   what was assumed about errors. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

enum { SCAN = 9 }; /* values of a parameter over its range */

const char *mrn_identifiable_name(mrn_identifiable v)
{
    static const char *const name[] = {"identified", "at a bound", "not significant",
                                       "not identified", "tied"};
    return v >= MRN_IDENTIFIED && v <= MRN_TIED ? name[v] : "unknown";
}

/* Adds to a text of `size` bytes; cut at its end. */
static void MRN_PRINTF(3, 4) add(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

/* ---- how far the deviance rises over the range of each parameter, the others left ---- */

static mrn_status scan(mrn_fitting *p, double *rise)
{
    double *u = NULL, *y = NULL, *sum = NULL;
    bool *bad = NULL;
    int64_t count = (int64_t)SCAN * p->n;
    mrn_status s = mrn_array(&u, count * p->n, sizeof *u, p->msg);
    if (s == MRN_OK)
        s = mrn_array(&y, count * p->m, sizeof *y, p->msg);
    if (s == MRN_OK)
        s = mrn_array(&sum, p->n_responses, sizeof *sum, p->msg);
    if (s == MRN_OK)
        s = mrn_array(&bad, count, sizeof *bad, p->msg);
    for (int64_t k = 0; s == MRN_OK && k < count; k++) {
        memcpy(&u[k * p->n], p->u, (size_t)p->n * sizeof *u);
        u[k * p->n + k / SCAN] = (double)(k % SCAN) / (SCAN - 1);
    }
    if (s == MRN_OK)
        s = mrn_fitting_predict(p, count, u, y, bad);
    for (int j = 0; s == MRN_OK && j < p->n; j++)
        rise[j] = 0;
    for (int64_t k = 0; s == MRN_OK && k < count; k++) {
        double d = bad[k] ? MRN_FIT_FAR : mrn_fitting_deviance(p, p->y, p->v, &y[k * p->m], sum);
        rise[k / SCAN] = fmax(rise[k / SCAN], d - p->deviance);
    }
    mrn_free(u);
    mrn_free(y);
    mrn_free(sum);
    mrn_free(bad);
    return s;
}

/* ---- agreement of the three intervals ---- */

/* Within the bounds, in the coordinate intervals are made in; false: not made. */
static bool in_box(const mrn_fitting *p, int j, const double *interval, double *to)
{
    const mrn_parameter *q = &p->parameter[j];
    for (int k = 0; k < 2; k++) {
        if (isnan(interval[k]))
            return false;
        double x = fmin(q->hi, fmax(q->lo, interval[k]));
        to[k] = mrn_fitting_u(p, j, x);
    }
    return true;
}

static bool disagree(const mrn_fitting *p, int j, const mrn_estimate *e)
{
    const double *all[3] = {e->linear, e->profile, e->bootstrap};
    double a[3][2], width = INFINITY;
    bool made[3], apart = false;
    for (int k = 0; k < 3; k++) {
        made[k] = in_box(p, j, all[k], a[k]);
        if (made[k])
            width = fmin(width, a[k][1] - a[k][0]);
    }
    for (int k = 0; k < 3; k++)
        for (int l = k + 1; l < 3; l++)
            for (int side = 0; side < 2; side++)
                if (made[k] && made[l] && fabs(a[k][side] - a[l][side]) > width / 3)
                    apart = true;
    return apart;
}

/* ---- what one more measurement would tell ---- */

/* Variance of u_j with datum i measured once more, over what it is: one row more in B. */
static double repeated(const mrn_fitting *p, int i, int j)
{
    int n = p->n;
    const double *b = &p->b[(int64_t)i * n];
    double cb = 0, bcb = 0, w = p->weight[i];
    for (int k = 0; k < n; k++) {
        double row = 0;
        for (int l = 0; l < n; l++)
            row += p->nil[l] || p->nil[k] ? 0 : p->cov[k * n + l] * b[l];
        cb = k == j ? row : cb;
        bcb += b[k] * row;
    }
    return 1 - w * cb * cb / (1 + w * bcb) / p->cov[j * n + j];
}

/* The datum whose repetition narrows the interval of u_j most; -1: none does. */
static int best_datum(const mrn_fitting *p, int j, double *factor)
{
    int best = -1;
    *factor = 1;
    for (int i = 0; i < p->m && !p->nil[j]; i++) {
        double r = repeated(p, i, j);
        if (r < *factor) {
            *factor = r;
            best = i;
        }
    }
    *factor = sqrt(fmax(0, *factor));
    return best;
}

/* ---- verdicts ---- */

/* A unit after a number, or nothing. */
typedef struct unit {
    char text[32];
} unit;

static unit unit_of(const mrn_parameter *q)
{
    unit u = {""};
    if (q->unit[0] != '\0' && strcmp(q->unit, "1") != 0 && strcmp(q->unit, "-") != 0)
        snprintf(u.text, sizeof u.text, " %s", q->unit);
    return u;
}

typedef struct facts {
    const mrn_parameter *q;
    double lo, hi; /* the interval that decides; infinite where open */
    double null;
    int partner; /* most correlated with it; -1: none */
    double correlation;
    bool at_lo, at_hi, open_lo, open_hi;
} facts;

static facts gather(const mrn_fitting *p, const mrn_fit *out, int j)
{
    const mrn_estimate *e = &out->at[j];
    const double *i = isnan(e->profile[0]) ? e->linear : e->profile;
    facts f = {.q = &p->parameter[j], .lo = i[0], .hi = i[1], .partner = -1};
    f.null = mrn_fitting_null(p, j);
    f.at_lo = p->u[j] < 1e-6;
    f.at_hi = p->u[j] > 1 - 1e-6;
    f.open_lo = i[0] < f.q->lo;
    f.open_hi = i[1] > f.q->hi;
    for (int k = 0; k < p->n; k++) {
        double c = out->correlation[j * p->n + k];
        if (k != j && fabs(c) > fabs(f.correlation)) {
            f.correlation = c;
            f.partner = k;
        }
    }
    return f;
}

/* The parameter that moves most with j along the directions the data do not see; -1: none does. By
   the projection onto all of them, which does not depend on how they were chosen among themselves.
 */
static int loose_partner(const mrn_fitting *p, int j)
{
    int best = -1;
    double along[MRN_FIT_MOST] = {0};
    for (int l = 0; l < p->n_loose; l++)
        for (int k = 0; k < p->n; k++)
            along[k] += p->loose[l * p->n + j] * p->loose[l * p->n + k];
    if (!(along[j] > 0.01)) /* a part of 0.1 in a unit vector */
        return -1;
    double most = 0.1 * sqrt(along[j]);
    for (int k = 0; k < p->n; k++)
        if (k != j && fabs(along[k]) > most) {
            most = fabs(along[k]);
            best = k;
        }
    return best;
}

/* Exponents of the product the data see, from the changes relative parameters make: the mean of
   d f / d ln x_k over that of d f / d ln x_j. NAN: a value is zero. */
static double exponent(const mrn_fitting *p, const mrn_fit *out, int j, int k)
{
    double jj = 0, jk = 0;
    for (int i = 0; i < p->m; i++) {
        double bj = out->sensitivity[(int64_t)i * p->n + j] * out->x[j];
        double bk = out->sensitivity[(int64_t)i * p->n + k] * out->x[k];
        jj += p->weight[i] * bj * bj;
        jk += p->weight[i] * bj * bk;
    }
    return jj > 0 ? jk / jj : NAN;
}

static void say_tied(const mrn_fitting *p, const mrn_fit *out, int j, int k, bool exactly,
                     mrn_estimate *e)
{
    const mrn_parameter *q = p->parameter;
    double power = exactly ? exponent(p, out, j, k) : NAN, c = out->correlation[j * p->n + k];
    e->verdict = MRN_TIED;
    e->tied_to = k;
    add(e->words, sizeof e->words,
        "%s cannot be distinguished from %s by these data (correlation %.4f): only a combination "
        "of "
        "them is known",
        q[j].name, q[k].name, c);
    if (isfinite(power) && power != 0)
        add(e->words, sizeof e->words, ", about %s × %s^%.2g", q[j].name, q[k].name, power);
    add(e->words, sizeof e->words,
        "; fix one of the two, or measure under conditions that move them apart");
}

static void say_where(const mrn_fitting *p, int j, mrn_estimate *e)
{
    double factor;
    int i = best_datum(p, j, &factor);
    if (i >= 0)
        add(e->words, sizeof e->words, ": %s tells most about it", mrn_fitting_datum(p, i).s);
}

static void say_nil(const facts *f, mrn_estimate *e)
{
    e->verdict = MRN_NOT_IDENTIFIED;
    add(e->words, sizeof e->words,
        "%s cannot be determined from these data: over its whole range, %.4g to %.4g%s, the "
        "model stays within the errors; fix it, or measure something that depends on it",
        f->q->name, f->q->lo, f->q->hi, unit_of(f->q).text);
}

static void say_insignificant(const facts *f, const mrn_fitting *p, int j, mrn_estimate *e)
{
    e->verdict = MRN_NOT_SIGNIFICANT;
    add(e->words, sizeof e->words,
        "%s cannot be determined from these data: its interval holds zero%s", f->q->name,
        f->at_lo || f->at_hi ? " (the optimum is there)" : "");
    if (!f->open_hi)
        add(e->words, sizeof e->words, "; it is below %.4g%s", f->hi, unit_of(f->q).text);
    add(e->words, sizeof e->words, "; drop it, or measure more");
    say_where(p, j, e);
}

/* Its profile is then the shape of a misfit. */
static void say_misfit(const facts *f, mrn_estimate *e)
{
    e->verdict = MRN_NOT_IDENTIFIED;
    add(e->words, sizeof e->words,
        "%s is not determined: the model does not come to the data, and where it comes nearest it "
        "hardly depends on it",
        f->q->name);
}

static void say_bound(const facts *f, mrn_estimate *e)
{
    e->verdict = MRN_AT_BOUND;
    add(e->words, sizeof e->words,
        "the optimum of %s is at its %s bound %.4g%s: its interval means nothing there; widen "
        "the bounds if larger or smaller values make sense, or ask whether the model fits",
        f->q->name, f->at_lo ? "lower" : "upper", f->at_lo ? f->q->lo : f->q->hi,
        unit_of(f->q).text);
}

static void say_one_sided(const facts *f, const mrn_fitting *p, int j, mrn_estimate *e)
{
    e->verdict = MRN_NOT_IDENTIFIED;
    if (f->open_hi && f->open_lo)
        add(e->words, sizeof e->words,
            "%s is not determined by these data: any value within its "
            "bounds does, if the others follow; fix it, or measure more",
            f->q->name);
    else
        add(e->words, sizeof e->words,
            "%s is bounded by these data on one side only: %s %.4g%s; fix it, or measure more",
            f->q->name, f->open_hi ? "above" : "below", f->open_hi ? f->lo : f->hi,
            unit_of(f->q).text);
    say_where(p, j, e);
}

static void say_identified(const facts *f, const mrn_fitting *p, mrn_estimate *e)
{
    e->verdict = MRN_IDENTIFIED;
    add(e->words, sizeof e->words, "%s is determined: %.4g, %.4g to %.4g%s at %g %%", f->q->name,
        e->value, f->lo, f->hi, unit_of(f->q).text, 100 * p->opt->confidence);
    if (fabs(f->correlation) > 0.99)
        add(e->words, sizeof e->words,
            "; its correlation with %s is %.4f: a combination of the two is known far better",
            p->parameter[f->partner].name, f->correlation);
}

/* Fewer data than parameters, and this one is known all the same: what it is tied to moves the
   model so little between its own bounds that the profile, which keeps to them, is closed and
   narrower than half the range. */
static bool held_by_bounds(const mrn_fitting *p, int j, const facts *f, const mrn_estimate *e)
{
    if (!p->opt->few || isnan(e->profile[0]) || f->open_lo || f->open_hi)
        return false;
    return mrn_fitting_u(p, j, f->hi) - mrn_fitting_u(p, j, f->lo) < 0.5;
}

static void say_held(const facts *f, const mrn_fitting *p, int other, mrn_estimate *e)
{
    say_identified(f, p, e);
    add(e->words, sizeof e->words,
        "; that rests on the bounds of %s, from which these data cannot tell it apart",
        p->parameter[other].name);
}

/* More than half of the value to either side. Correlated parameters may be known well all the same,
   by data that are better still. */
static bool wide(const facts *f, const mrn_estimate *e)
{
    double width = f->q->log ? log(f->hi / f->lo) : (f->hi - f->lo) / fabs(e->value);
    return !(width < 1);
}

/* In order: nothing depends on it; only a combination is seen; the optimum at a bound that does not
   mean "not there"; interval holds what does; interval open; close to a combination. */
static void judge(const mrn_fitting *p, const mrn_fit *out, int j, double rise, mrn_estimate *e)
{
    facts f = gather(p, out, j);
    int loose = loose_partner(p, j);
    bool null_bound = f.null == 0 && ((f.at_lo && f.q->lo == 0) || (f.at_hi && f.q->hi == 0));
    e->words[0] = '\0';
    e->tied_to = -1;
    if (p->nil[j] ? rise < mrn_chi2_quantile(p->opt->confidence, 1)
                  : rise < mrn_fitting_rise(p, j, -1))
        say_nil(&f, e);
    else if (p->nil[j] && !out->fits)
        say_misfit(&f, e);
    else if (loose >= 0 && out->fits && held_by_bounds(p, j, &f, e))
        say_held(&f, p, loose, e);
    else if (loose >= 0)
        say_tied(p, out, j, loose, true, e);
    else if (f.open_lo && f.open_hi && fabs(f.correlation) > 0.9)
        say_tied(p, out, j, f.partner, false, e);
    else if ((f.at_lo || f.at_hi) && !null_bound)
        say_bound(&f, e);
    else if (f.lo <= f.null && f.hi >= f.null)
        say_insignificant(&f, p, j, e);
    else if (f.open_lo || f.open_hi)
        say_one_sided(&f, p, j, e);
    else if (fabs(f.correlation) > 0.99 && wide(&f, e))
        say_tied(p, out, j, f.partner, false, e);
    else
        say_identified(&f, p, e);
    bool stated = e->disagree && loose < 0 &&
                  (e->verdict == MRN_IDENTIFIED || e->verdict == MRN_NOT_SIGNIFICANT);
    if (stated && p->redraw != NULL && isfinite(e->bootstrap[0]) && isfinite(e->bootstrap[1]))
        add(e->words, sizeof e->words,
            ". The intervals differ: trust the bootstrap, %.4g to %.4g%s, which alone knows that "
            "the slopes of the model are uncertain too",
            e->bootstrap[0], e->bootstrap[1], unit_of(f.q).text);
    else if (stated)
        add(e->words, sizeof e->words,
            ". The linearised, profile and bootstrap intervals differ: %s not straight over them; "
            "trust the profile",
            p->any_students ? "model or likelihood (of few replicates) is" : "the model is");
}

mrn_status mrn_fitting_verdicts(mrn_fitting *p, mrn_fit *out)
{
    double rise[MRN_FIT_MOST];
    mrn_fitting_phase(p, "verdict");
    MRN_FIT_TRY(scan(p, rise));
    for (int j = 0; j < p->n; j++) {
        out->at[j].disagree = disagree(p, j, &out->at[j]);
        judge(p, out, j, rise[j], &out->at[j]);
    }
    return MRN_OK;
}

/* ---- which measurement to repeat ---- */

/* Spread relative to the parameter; of log ones that of their natural logarithm. */
static double relative(const mrn_fitting *p, const mrn_fit *out, int j)
{
    double sd = out->at[j].sd;
    if (p->parameter[j].log)
        return sd * M_LN10;
    double size = fmax(fabs(out->x[j]), 1e-3 * mrn_fitting_range(p, j));
    return sd / size;
}

void mrn_fitting_advice(const mrn_fitting *p, mrn_fit *out)
{
    int widest = -1;
    out->best = -1;
    out->gain = 1;
    out->advice[0] = '\0';
    for (int j = 0; j < p->n; j++)
        if (!mrn_fitting_loose(p, j) &&
            (widest < 0 || relative(p, out, j) > relative(p, out, widest)))
            widest = j;
    if (widest >= 0)
        out->best = best_datum(p, widest, &out->gain);
    if (out->best < 0) {
        add(out->advice, sizeof out->advice,
            "repeating one of these measurements would not help: other conditions are needed");
        return;
    }
    add(out->advice, sizeof out->advice,
        "the widest interval, relative to its value, is that of %s; one more measurement of %s "
        "would narrow it most, by %.2g %%",
        p->parameter[widest].name, mrn_fitting_datum(p, out->best).s, 100 * (1 - out->gain));
    bool any = false;
    for (int j = 0; j < p->n; j++)
        any = any || mrn_fitting_loose(p, j);
    if (any)
        add(out->advice, sizeof out->advice,
            "; parameters that are not identified need other conditions, not more of the same");
}

/* ---- what was assumed ---- */

void mrn_fitting_assumed(const mrn_fitting *p, mrn_fit *out)
{
    int known = 0, students = 0, common = 0, least = 0;
    char *t = out->assumed;
    size_t size = sizeof out->assumed;
    for (int i = 0; i < p->m; i++) {
        known += p->a[i] == 0;
        common += p->a[i] < 0;
        students += p->a[i] > 0;
        if (p->a[i] > 0 && (least == 0 || p->data[i].freedom < least))
            least = p->data[i].freedom;
    }
    t[0] = '\0';
    add(t, size, "Errors independent and normal.");
    if (p->m < p->n)
        add(t, size,
            " %d data for %d parameters: the values given are one choice of many that fit alike.",
            p->m, p->n);
    if (known > 0)
        add(t, size, " %d variance%s taken as known exactly.", known, known == 1 ? "" : "s");
    if (students > 0)
        add(t, size,
            " %d variance%s estimated from replicates (%d at least), each on its own: Student's "
            "likelihood, weighted for having one unknown variance per datum; F and its interval "
            "are those of the estimated variances.%s",
            students, students == 1 ? "" : "s", least + 1,
            p->n_responses == p->m ? ""
                                   : " If errors of a response are alike, say that they are "
                                     "common: intervals get narrower.");
    if (least == 1)
        add(t, size, " With two replicates only the profile intervals are right.");
    if (common > 0)
        add(t, size,
            " %d data with one unknown variance per response, found from the residuals: the size "
            "of F then says nothing about the model.",
            common);
    if (p->redraw != NULL && out->n_bootstrap > 0)
        add(t, size,
            " The bootstrap draws with every replica another model that the runs allow, and the "
            "measurements with their own errors: where intervals differ, it is the one to trust.");
    if (p->noise > 0.01)
        add(t, size,
            " The model is noisy: it moves F by %.1g without reason; ask it for more accuracy if "
            "the linearised interval matters.",
            p->noise);
}
