/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile likelihood: intervals of one parameter and regions of two, where the deviance, the other
   parameters always at their best, has risen by what belongs to the confidence.

   Both are found along rays from the optimum in which one or two coordinates are held and the rest
   is searched again. sqrt(D - D_min) is close to a straight line along a ray, so the secant needs a
   handful of steps; all rays take them together. A region is drawn by its first crossing of every
   ray: parts of it that cannot be seen from the optimum are not shown. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

enum { MOST_STEPS = 40, POINTS = 48, POINTS_MANY = 24 };

typedef struct ray {
    int held[2], n_held;
    double along[MRN_FIT_MOST]; /* d u / d rho: held ones exactly, the rest as a guess */
    double rise;                /* to be reached                                       */
    double rho, most;           /* where it is; where the box ends                     */
    double lo, s_lo, hi, s_hi;  /* bracket: rho and sqrt of the rise; hi < 0: none yet */
    int side;                   /* the end of the bracket that moved last              */
    bool done, open;            /* open: the box ended before                          */
} ray;

/* The others move with those held as the linearised model says: du = C_oh C_hh⁻¹ du_h. */
static void guess_others(const mrn_fitting *p, ray *r)
{
    int n = p->n, a = r->held[0], b = r->held[1];
    double da = r->along[a], za, zb = 0;
    if (r->n_held == 1) {
        za = da / p->cov[a * n + a];
    } else {
        double db = r->along[b], caa = p->cov[a * n + a], cab = p->cov[a * n + b];
        double cbb = p->cov[b * n + b], det = caa * cbb - cab * cab;
        bool regular = det > 1e-10 * caa * cbb;
        za = regular ? (cbb * da - cab * db) / det : 0;
        zb = regular ? (caa * db - cab * da) / det : 0;
    }
    for (int j = 0; j < n; j++)
        if (j != a && (r->n_held == 1 || j != b)) {
            double s = za * p->cov[j * n + a] + (r->n_held == 2 ? zb * p->cov[j * n + b] : 0);
            r->along[j] = isfinite(s) ? s : 0;
        }
}

/* From the optimum; first try where the linearised model sees the end. */
static void ray_begin(const mrn_fitting *p, ray *r, double rho)
{
    r->most = INFINITY;
    for (int h = 0; h < r->n_held; h++) {
        int j = r->held[h];
        if (r->along[j] > 0)
            r->most = fmin(r->most, (1 - p->u[j]) / r->along[j]);
        else if (r->along[j] < 0)
            r->most = fmin(r->most, p->u[j] / -r->along[j]);
    }
    guess_others(p, r);
    r->lo = r->s_lo = 0;
    r->hi = -1;
    r->side = 0;
    r->rho = fmin(rho, r->most);
    r->open = r->done = !(r->most > 1e-12);
    if (r->done)
        r->rho = 0;
}

/* After the deviance at r->rho is known: the next rho. The side of the bracket that stays twice is
   halved (Illinois), so that both close in. */
static void ray_next(ray *r, double s, double noise)
{
    double goal = sqrt(r->rise);
    if (fabs(s - goal) < 1e-7 * goal + 0.5 * noise / goal) {
        r->done = true;
        return;
    }
    if (s < goal) {
        if (r->rho >= r->most) {
            r->done = r->open = true;
            return;
        }
        if (r->side == 1 && r->hi >= 0)
            r->s_hi = goal + 0.5 * (r->s_hi - goal);
        r->lo = r->rho;
        r->s_lo = s;
        r->side = 1;
    } else {
        if (r->side == 2)
            r->s_lo = goal + 0.5 * (r->s_lo - goal);
        r->hi = r->rho;
        r->s_hi = s;
        r->side = 2;
    }
    if (r->hi < 0) {
        double factor = s > 0 ? fmin(3, fmax(1.1, goal / s)) : 3;
        r->rho = fmin(r->most, factor * r->rho);
        return;
    }
    if (r->hi - r->lo < 1e-9 * r->hi) {
        r->rho = r->hi;
        r->done = true;
        return;
    }
    double t = (goal - r->s_lo) / (r->s_hi - r->s_lo);
    r->rho = r->lo + fmin(0.98, fmax(0.02, t)) * (r->hi - r->lo);
}

static void put_point(const mrn_fitting *p, const ray *r, double *u, bool *fixed)
{
    for (int j = 0; j < p->n; j++) {
        u[j] = fmin(1, fmax(0, p->u[j] + r->rho * r->along[j]));
        fixed[j] = false;
    }
    for (int h = 0; h < r->n_held; h++)
        fixed[r->held[h]] = true;
}

static mrn_status follow(mrn_fitting *p, ray *ray_, int count, mrn_descent *d)
{
    int n = p->n;
    mrn_descent_reset(p, d, count);
    for (int step = 0; step < MOST_STEPS; step++) {
        bool any = false;
        for (int k = 0; k < count; k++) {
            d->active[k] = !ray_[k].done;
            any = any || d->active[k];
            if (d->active[k])
                put_point(p, &ray_[k], &d->u[(int64_t)k * n], &d->fixed[(int64_t)k * n]);
        }
        if (!any)
            break;
        MRN_FIT_TRY(mrn_descend(p, d, 1e-7, false));
        for (int k = 0; k < count; k++) {
            ray *r = &ray_[k];
            const double *u = &d->u[(int64_t)k * n];
            if (r->done)
                continue;
            mrn_fitting_meet(p, u, d->deviance[k]);
            for (int j = 0; j < n; j++)
                if (!d->fixed[(int64_t)k * n + j] && d->deviance[k] < MRN_FIT_FAR)
                    r->along[j] = (u[j] - p->u[j]) / r->rho;
            ray_next(r, sqrt(fmax(0, d->deviance[k] - p->deviance)), p->noise);
        }
    }
    return MRN_OK;
}

/* ---- intervals ---- */

/* Spread of u_j, no more than the box: steps of that size are taken first. */
static double spread_of(const mrn_fitting *p, int j)
{
    return fmin(1, sqrt(p->cov[j * p->n + j]));
}

static mrn_status profile(mrn_fitting *p, mrn_fit *out, ray *r, mrn_descent *d)
{
    for (int k = 0; k < 2 * p->n; k++) {
        int j = k / 2;
        r[k] = (ray){.held = {j, j}, .n_held = 1, .rise = mrn_fitting_rise(p, j, -1)};
        r[k].along[j] = (k % 2 ? 1 : -1) * spread_of(p, j);
        ray_begin(p, &r[k], sqrt(r[k].rise));
    }
    MRN_FIT_TRY(follow(p, r, 2 * p->n, d));
    for (int k = 0; k < 2 * p->n; k++) {
        int j = k / 2;
        double end = mrn_fitting_x(p, j, p->u[j] + r[k].rho * r[k].along[j]);
        out->at[j].profile[k % 2] = !r[k].open ? end : k % 2 ? INFINITY : -INFINITY;
    }
    return MRN_OK;
}

mrn_status mrn_fitting_profile(mrn_fitting *p, mrn_fit *out)
{
    ray *r = NULL;
    mrn_descent d = {0};
    mrn_fitting_phase(p, "profile");
    mrn_status s = mrn_array(&r, 2 * p->n, sizeof *r, p->msg);
    if (s == MRN_OK)
        s = mrn_descent_make(p, 2 * p->n, &d);
    if (s == MRN_OK)
        s = profile(p, out, r, &d);
    mrn_descent_release(&d);
    mrn_free(r);
    return s;
}

/* ---- regions ---- */

/* Coordinate of a linearised region; beyond the bounds too, but not without end. */
static double beyond(const mrn_fitting *p, int j, double u)
{
    const mrn_parameter *q = &p->parameter[j];
    u = fmin(11, fmax(-10, u));
    return q->log ? q->lo * pow(q->hi / q->lo, u) : q->lo + u * (q->hi - q->lo);
}

/* Fewer data than parameters, and the pair is tied: one axis along the valley, over the whole range
   of what moves most, the other across it, by as much as moves the model by its errors. */
static void valley_axes(const mrn_fitting *p, int a, int b, double *l)
{
    double along = p->cov[a * p->n + b] / p->cov[a * p->n + a], square = 0;
    double size = 1 / fmax(1, fabs(along));
    for (int i = 0; i < p->m; i++) {
        double slope = p->b[(int64_t)i * p->n + b];
        square += p->weight[i] * slope * slope;
    }
    l[0] = size;
    l[1] = size * along;
    l[2] = 1 / sqrt(square);
}

/* L with L Lᵀ the covariance of the pair: rays evenly spread in the coordinates in which the
   linearised region is a circle. */
static void pair_axes(const mrn_fitting *p, int a, int b, double *l)
{
    if (p->m < p->n && !p->nil[a] && !p->nil[b] && mrn_fitting_loose(p, a) &&
        mrn_fitting_loose(p, b)) {
        valley_axes(p, a, b, l);
        return;
    }
    double sa = sqrt(p->cov[a * p->n + a]), sb = sqrt(p->cov[b * p->n + b]);
    double c = isfinite(sa * sb) ? p->cov[a * p->n + b] / (sa * sb) : 0;
    c = fmin(1, fmax(-1, c));
    sa = fmin(sa, 10);
    sb = fmin(sb, 10);
    l[0] = sa;
    l[1] = c * sb;
    l[2] = sqrt(fmax(1e-8, 1 - c * c)) * sb;
}

static mrn_status region_arrays(mrn_fit_region *g, int points, mrn_message *msg)
{
    g->n = points + 1; /* the first again at the end */
    MRN_FIT_TRY(mrn_array(&g->x, g->n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&g->y, g->n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&g->linear_x, g->n, sizeof(double), msg));
    return mrn_array(&g->linear_y, g->n, sizeof(double), msg);
}

static mrn_status region(mrn_fitting *p, mrn_fit_region *g, ray *r, int points, mrn_descent *d)
{
    double l[3], rise = mrn_fitting_rise(p, g->a, g->b);
    double df = fmin(p->freedom[g->a], p->freedom[g->b]);
    double radius = sqrt(2 * mrn_fisher_quantile(p->opt->confidence, 2, df));
    MRN_FIT_TRY(region_arrays(g, points, p->msg));
    pair_axes(p, g->a, g->b, l);
    for (int k = 0; k < points; k++) {
        double angle = 2 * M_PI * k / points, c = cos(angle), s = sin(angle);
        r[k] = (ray){.held = {g->a, g->b}, .n_held = 2, .rise = rise};
        r[k].along[g->a] = l[0] * c;
        r[k].along[g->b] = l[1] * c + l[2] * s;
        g->linear_x[k] = beyond(p, g->a, p->u[g->a] + radius * r[k].along[g->a]);
        g->linear_y[k] = beyond(p, g->b, p->u[g->b] + radius * r[k].along[g->b]);
        ray_begin(p, &r[k], sqrt(rise));
    }
    MRN_FIT_TRY(follow(p, r, points, d));
    for (int k = 0; k < points; k++) {
        g->x[k] = mrn_fitting_x(p, g->a, p->u[g->a] + r[k].rho * r[k].along[g->a]);
        g->y[k] = mrn_fitting_x(p, g->b, p->u[g->b] + r[k].rho * r[k].along[g->b]);
    }
    g->x[points] = g->x[0];
    g->y[points] = g->y[0];
    g->linear_x[points] = g->linear_x[0];
    g->linear_y[points] = g->linear_y[0];
    return MRN_OK;
}

static mrn_status regions(mrn_fitting *p, mrn_fit *out, ray *r, int points, mrn_descent *d)
{
    int pairs = p->n * (p->n - 1) / 2;
    MRN_FIT_TRY(mrn_array(&out->region, pairs, sizeof *out->region, p->msg));
    out->n_regions = pairs;
    mrn_fit_region *g = out->region;
    for (int a = 0; a < p->n; a++)
        for (int b = a + 1; b < p->n; b++, g++) {
            g->a = a;
            g->b = b;
            p->done = (double)(g - out->region) / pairs;
            MRN_FIT_TRY(region(p, g, r, points, d));
        }
    return MRN_OK;
}

mrn_status mrn_fitting_regions(mrn_fitting *p, mrn_fit *out)
{
    ray *r = NULL;
    mrn_descent d = {0};
    int points = p->n <= 3 ? POINTS : POINTS_MANY;
    if (p->n < 2)
        return MRN_OK;
    mrn_fitting_phase(p, "regions");
    mrn_status s = mrn_array(&r, points, sizeof *r, p->msg);
    if (s == MRN_OK)
        s = mrn_descent_make(p, points, &d);
    if (s == MRN_OK)
        s = regions(p, out, r, points, &d);
    mrn_descent_release(&d);
    mrn_free(r);
    return s;
}
