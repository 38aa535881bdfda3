/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second-order cone programme of limit analysis by a primal-dual interior-point method:
   predictor and corrector after Mehrotra (1992), scaling of Nesterov and Todd (1997), in the
   homogeneous self-dual embedding of Ye, Todd and Mizuno (1994):

       Gᵀ f + C lambda + F tau = 0           s = H f in the cones
       Hᵀ w - G y = 0                         w in the cones
       omega tau - C y = 0
       omega lambda + F y = kappa             tau, kappa >= 0

   y is a motion, G y = Hᵀ w says that contacts allow it with the associated rule (U_n >= mu |U_t|).
   tau > 0 at the end: lambda / tau is the largest factor and y / tau proves it. kappa > 0: there is
   a direction f, lambda > 0 without bound, or a motion on which F works and C does not. Forces and
   loads are in units that make them about 1 per contact. Every Newton step comes down to M = Gᵀ D G
   (limit_matrix.c) bordered by C and F. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/limit.h"

/* One point of the embedding, or a step between two. */
typedef struct point {
    double *f, *y, *s, *w; /* s = H f                                                          */
    double lambda, tau, kappa;
} point;

typedef struct solver {
    mrn_limit_work *work;
    int64_t rows, n, size;
    double natural;  /* length of C and of F in the units of the programme                      */
    double omega;    /* weight of lambda in the objective: y is about 1 per contact             */
    const double *c; /* load that changes */
    const double *load;
    point now, step, best;
    double best_merit, enough; /* of the best iterate; what it has to be                        */
    mrn_limit_end best_end;
    double *on; /* rows: 1 where a cone has the row, else 0                                    */
    /* residuals: what is missing in the four lines above */
    double *rf, *rp, r_change, r_kappa;
    /* of a Newton step */
    double *q, *p_change, *p_rest, *rest, share, *p, *left, *rel, *pushed, *correction;
    double *scaled_s, *scaled_w; /* W⁻¹ ds, W dw                                                */
    double *try_s, *try_w;
} solver;

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double norm(int64_t n, const double *a)
{
    return sqrt(dot(n, a, a));
}

/* ---- room ---- */

enum { ROWS_VECTORS = 7, UNKNOWN_VECTORS = 12, CONE_VECTORS = 8 };

mrn_status mrn_limit_work_make(const mrn_net *net, mrn_limit_work *w, mrn_message *msg)
{
    *w = (mrn_limit_work){.net = net};
    mrn_status s = mrn_limit_cones_make(net, &w->cones, msg);
    if (s == MRN_OK)
        s = mrn_limit_matrix_make(net, &w->matrix, msg);
    if (s == MRN_OK)
        s = mrn_array(&w->numbers,
                      ROWS_VECTORS * net->n_rows + UNKNOWN_VECTORS * net->n_unknowns +
                          CONE_VECTORS * w->cones.size,
                      sizeof *w->numbers, msg);
    return s;
}

void mrn_limit_work_release(mrn_limit_work *w)
{
    mrn_limit_cones_release(&w->cones);
    mrn_limit_matrix_release(&w->matrix);
    mrn_free(w->numbers);
    *w = (mrn_limit_work){0};
}

static void give_room(solver *v, double **c, double **load)
{
    double *p = v->work->numbers;
    double **rows[ROWS_VECTORS] = {&v->now.f, &v->step.f, &v->best.f, &v->on,
                                   &v->rf,    &v->pushed, &v->rel};
    double **unknowns[UNKNOWN_VECTORS] = {
        &v->now.y, &v->step.y, &v->best.y, &v->rp,         &v->p_change, &v->p_rest,
        &v->p,     &v->left,   c,          &v->correction, load,         &v->rest};
    double **cones[CONE_VECTORS] = {&v->now.s, &v->now.w, &v->step.w,   &v->q,
                                    &v->try_s, &v->try_w, &v->scaled_s, &v->scaled_w};
    for (int i = 0; i < ROWS_VECTORS; i++, p += v->rows)
        *rows[i] = p;
    for (int i = 0; i < UNKNOWN_VECTORS; i++, p += v->n)
        *unknowns[i] = p;
    for (int i = 0; i < CONE_VECTORS; i++, p += v->size)
        *cones[i] = p;
}

static void keep(solver *v, mrn_limit_end end, double merit)
{
    v->best_end = end;
    v->best_merit = merit;
    v->best.lambda = v->now.lambda;
    v->best.tau = v->now.tau;
    v->best.kappa = v->now.kappa;
    memcpy(v->best.f, v->now.f, (size_t)v->rows * sizeof *v->best.f);
    memcpy(v->best.y, v->now.y, (size_t)v->n * sizeof *v->best.y);
}

/* The loads in their units, and the point on the axes of all cones to start from. */
static void begin(solver *v, const double *load, const double *change, double load_size,
                  double change_size)
{
    const mrn_limit_cones *cones = &v->work->cones;
    double *c, *f;
    give_room(v, &c, &f);
    for (int64_t i = 0; i < v->n; i++) {
        c[i] = change[i] * (v->natural / change_size);
        f[i] = load_size > 0 ? load[i] * (v->natural / load_size) : 0;
        v->now.y[i] = 0;
    }
    v->c = c;
    v->load = f;
    for (int64_t i = 0; i < v->size; i++)
        v->now.w[i] = 1;
    mrn_limit_gather(cones, v->now.w, v->on);
    for (int64_t i = 0; i < v->rows; i++) {
        v->on[i] = v->on[i] > 0 ? 1 : 0;
        v->now.f[i] = v->step.f[i] = v->pushed[i] = 0;
    }
    for (int64_t j = 0; j < cones->n; j++) {
        v->now.f[cones->cone[j].normal] = 1;
        for (int i = 1; i < cones->cone[j].dim; i++)
            v->now.w[cones->cone[j].at + i] = 0;
    }
    mrn_limit_spread(cones, v->now.f, v->now.s);
    v->now.lambda = 0;
    v->now.tau = v->now.kappa = 1;
    keep(v, MRN_LIMIT_UNDECIDED, INFINITY);
}

/* ---- where the iteration stands ---- */

static void residuals(solver *v)
{
    const mrn_net *net = v->work->net;
    const point *x = &v->now;
    mrn_net_resultant(net, x->f, v->rp);
    for (int64_t i = 0; i < v->n; i++)
        v->rp[i] = -(v->rp[i] + v->c[i] * x->lambda + v->load[i] * x->tau);
    mrn_net_relative(net, x->y, v->rel);
    mrn_limit_gather(&v->work->cones, x->w, v->rf);
    for (int64_t i = 0; i < v->rows; i++)
        v->rf[i] -= v->on[i] * v->rel[i];
    v->r_change = v->omega * x->tau - dot(v->n, v->c, x->y);
    v->r_kappa = v->omega * x->lambda + dot(v->n, v->load, x->y) - x->kappa;
}

typedef struct marks {
    double optimum;    /* largest of relative residuals and relative gap                       */
    double unbounded;  /* part of the load left in a direction of the cones                    */
    double impossible; /* what contacts and `change` take of the work of the load              */
} marks;

/* Measures without units. A factor counts as small, and its gap as a part of that, below a
   thousandth of |F| / |C|. A motion that proves impossibility is weighed against forces and factors
   of the natural size: solutions would have to be larger than these by the inverse of the mark. */
static marks marks_of(const solver *v)
{
    const point *x = &v->now;
    marks m = {INFINITY, INFINITY, INFINITY};
    double y = norm(v->n, x->y), work = dot(v->n, v->load, x->y);
    double equilibrium = norm(v->n, v->rp) / (v->natural * fmax(x->tau, fabs(x->lambda)));
    double motion = y > 0 ? norm(v->rows, v->rf) / y : INFINITY;
    double unit = fabs(v->r_change) / (v->omega * x->tau);
    double gap =
        fabs(x->lambda + work / v->omega) / fmax(fabs(x->lambda), 1e-3 * fmax(x->tau, 1e-300));
    m.optimum = fmax(fmax(equilibrium, motion), fmax(unit, gap));
    if (x->lambda > 0) {
        double sum = 0;
        for (int64_t i = 0; i < v->n; i++) {
            double r = v->rp[i] + v->load[i] * x->tau;
            sum += r * r;
        }
        m.unbounded = sqrt(sum) / (v->natural * x->lambda);
    }
    if (work > 0)
        m.impossible = (v->natural * norm(v->rows, v->rf) + fabs(dot(v->n, v->c, x->y))) / work;
    return m;
}

/* Certificates have to be better than optima by this much: a factor that is finite but very large
   is not to be called infinite. By that much worse they may be where nothing else is left. */
static const double certain = 1e-2, doubtful = 100;

/* Keeps the iterate if it is the best so far; true: it is good enough. */
static bool judge(solver *v, double tolerance)
{
    marks m = marks_of(v);
    mrn_limit_end end = MRN_LIMIT_FINITE;
    double merit = m.optimum;
    if (m.unbounded / certain < merit) {
        merit = m.unbounded / certain;
        end = MRN_LIMIT_UNBOUNDED;
    }
    if (m.impossible / certain < merit) {
        merit = m.impossible / certain;
        end = MRN_LIMIT_IMPOSSIBLE;
    }
    if (merit < v->best_merit)
        keep(v, end, merit);
    return v->best_merit <= tolerance;
}

/* ---- a Newton step ---- */

/* dy, dlambda, dtau of one solution of the bordered system. */
typedef struct triple {
    double *y, lambda, tau;
} triple;

/* The columns of the border, by M as factorised. F is taken as a multiple of C and a rest that is
   orthogonal to it in the measure of M⁻¹: loads that are parallel, as a weight and a pull against
   it, would else make the small system a difference of large numbers. */
static mrn_status border(solver *v, mrn_message *msg)
{
    mrn_limit_matrix *m = &v->work->matrix;
    mrn_status s = mrn_limit_matrix_solve(m, v->c, v->p_change, msg);
    if (s != MRN_OK)
        return s;
    v->share = dot(v->n, v->load, v->p_change) / dot(v->n, v->c, v->p_change);
    for (int64_t i = 0; i < v->n; i++)
        v->rest[i] = v->load[i] - v->share * v->c[i];
    return mrn_limit_matrix_solve(m, v->rest, v->p_rest, msg);
}

/* (M -C -F; C 0 -omega; F omega kappa/tau) with M as factorised, that is, with its shift; solved
   for lambda + share tau. */
static mrn_status solve_bordered(solver *v, const double *right, double r2, double r3, triple *out,
                                 mrn_message *msg)
{
    mrn_status s = mrn_limit_matrix_solve(&v->work->matrix, right, out->y, msg);
    if (s != MRN_OK)
        return s;
    int64_t n = v->n;
    double a = dot(n, v->c, v->p_change), b = dot(n, v->c, v->p_rest) - v->omega;
    double c = dot(n, v->rest, v->p_change) + v->omega;
    double d = dot(n, v->rest, v->p_rest) + v->now.kappa / v->now.tau;
    r3 -= v->share * r2 + dot(n, v->rest, out->y);
    r2 -= dot(n, v->c, out->y);
    double det = a * d - b * c, both = (r2 * d - b * r3) / det;
    out->tau = (a * r3 - c * r2) / det;
    out->lambda = both - v->share * out->tau;
    for (int64_t i = 0; i < n; i++)
        out->y[i] += v->p_change[i] * both + v->p_rest[i] * out->tau;
    return MRN_OK;
}

/* left = right - (M dy - C dlambda - F dtau), M as it is; returns its length in the measure of the
   scaled matrix, in which all unknowns count alike. */
static double what_is_left(solver *v, const double *right, const triple *x)
{
    const mrn_limit_matrix *m = &v->work->matrix;
    mrn_net_relative(v->work->net, x->y, v->rel);
    mrn_limit_respond(&v->work->cones, v->rel, NULL, v->pushed, NULL);
    mrn_net_resultant(v->work->net, v->pushed, v->left);
    double sum = 0;
    for (int64_t i = 0; i < v->n; i++) {
        v->left[i] = right[i] + v->left[i] + v->c[i] * x->lambda + v->load[i] * x->tau;
        sum += v->left[i] * v->left[i] * m->scale[i] * m->scale[i];
    }
    return sqrt(sum);
}

enum { MOST_REFINEMENTS = 8 };

/* The bordered system with the true M: refinement takes out the shift, except along motions that no
   contact and no load resists. */
static mrn_status solve_refined(solver *v, const double *right, double r2, double r3, triple *out,
                                mrn_message *msg)
{
    mrn_status s = solve_bordered(v, right, r2, r3, out, msg);
    double before = INFINITY;
    for (int k = 0; s == MRN_OK && k < MOST_REFINEMENTS; k++) {
        double now = what_is_left(v, right, out);
        double more2 = r2 - dot(v->n, v->c, out->y) + v->omega * out->tau;
        double more3 = r3 - dot(v->n, v->load, out->y) - v->omega * out->lambda -
                       v->now.kappa / v->now.tau * out->tau;
        if (!(now < 0.5 * before))
            break;
        before = now;
        triple more = {v->correction, 0, 0};
        s = solve_bordered(v, v->left, more2, more3, &more, msg);
        if (s != MRN_OK)
            break;
        out->lambda += more.lambda;
        out->tau += more.tau;
        for (int64_t i = 0; i < v->n; i++)
            out->y[i] += more.y[i];
    }
    return s;
}

/* The step for which the residuals fall by `part` and the products go where v->q and `dk` say. */
static mrn_status direction(solver *v, double part, double dk, mrn_message *msg)
{
    const mrn_limit_cones *cones = &v->work->cones;
    const mrn_net *net = v->work->net;
    point *d = &v->step;
    for (int64_t i = 0; i < v->rows; i++)
        v->rel[i] = -part * v->rf[i];
    mrn_limit_respond(cones, v->rel, v->q, v->pushed, NULL);
    mrn_net_resultant(net, v->pushed, v->p);
    for (int64_t i = 0; i < v->n; i++)
        v->p[i] -= part * v->rp[i];
    triple t = {d->y, 0, 0};
    mrn_status s =
        solve_refined(v, v->p, part * v->r_change, dk / v->now.tau - part * v->r_kappa, &t, msg);
    d->lambda = t.lambda;
    d->tau = t.tau;
    d->kappa = (dk - v->now.kappa * t.tau) / v->now.tau;
    mrn_net_relative(net, d->y, v->rel);
    for (int64_t i = 0; i < v->rows; i++)
        v->rel[i] -= part * v->rf[i];
    mrn_limit_respond(cones, v->rel, v->q, d->f, d->w);
    mrn_limit_scale(cones, d->w, v->scaled_w);
    for (int64_t i = 0; i < v->size; i++)
        v->scaled_s[i] = v->q[i] - v->scaled_w[i];
    return s;
}

static double longest_step(const solver *v)
{
    const mrn_limit_cones *cones = &v->work->cones;
    const point *d = &v->step;
    double most =
        fmin(mrn_limit_longest(cones, v->scaled_s), mrn_limit_longest(cones, v->scaled_w));
    if (d->tau < 0)
        most = fmin(most, -v->now.tau / d->tau);
    if (d->kappa < 0)
        most = fmin(most, -v->now.kappa / d->kappa);
    return most;
}

/* Moves by `part` of the step, by less where rounding would put a force outside its cone. */
static double move(solver *v, double part)
{
    const mrn_limit_cones *cones = &v->work->cones;
    point *x = &v->now, *d = &v->step;
    for (int k = 0; k < 20; k++, part *= 0.7) {
        for (int64_t i = 0; i < v->rows; i++)
            v->rel[i] = x->f[i] + part * d->f[i];
        mrn_limit_spread(cones, v->rel, v->try_s);
        for (int64_t i = 0; i < v->size; i++)
            v->try_w[i] = x->w[i] + part * d->w[i];
        if (!mrn_limit_inside(cones, v->try_s) || !mrn_limit_inside(cones, v->try_w))
            continue;
        memcpy(x->f, v->rel, (size_t)v->rows * sizeof *x->f);
        memcpy(x->s, v->try_s, (size_t)v->size * sizeof *x->s);
        memcpy(x->w, v->try_w, (size_t)v->size * sizeof *x->w);
        for (int64_t i = 0; i < v->n; i++)
            x->y[i] += part * d->y[i];
        x->lambda += part * d->lambda;
        x->tau += part * d->tau;
        x->kappa += part * d->kappa;
        return part;
    }
    return 0;
}

/* ---- the iteration ---- */

static double distance_to_centre(const solver *v)
{
    return (dot(v->size, v->now.s, v->now.w) + v->now.kappa * v->now.tau) /
           (double)(v->work->cones.n + 1);
}

/* One predictor and one corrector. *moved: the part of the step that was made. */
static mrn_status iterate(solver *v, double *moved, mrn_message *msg)
{
    mrn_limit_cones *cones = &v->work->cones;
    double product = v->now.kappa * v->now.tau, mu = distance_to_centre(v);
    *moved = 0;
    mrn_limit_scaling(cones, v->now.s, v->now.w);
    mrn_status s = mrn_limit_matrix_update(&v->work->matrix, cones, msg);
    if (s == MRN_OK)
        s = border(v, msg);
    mrn_limit_centre(cones, 0, NULL, NULL, v->q);
    if (s == MRN_OK)
        s = direction(v, 1, -product, msg);
    if (s != MRN_OK)
        return s;
    double sigma = pow(1 - fmin(1, longest_step(v)), 3);
    mrn_limit_centre(cones, sigma * mu, v->scaled_s, v->scaled_w, v->q);
    s = direction(v, 1 - sigma, sigma * mu - product - v->step.tau * v->step.kappa, msg);
    if (s != MRN_OK)
        return s;
    double part = fmin(1, 0.99 * longest_step(v));
    *moved = isfinite(part) ? move(v, part) : 0;
    return MRN_OK;
}

/* Nothing more comes of it: products of rounding's size beside the larger of tau and kappa. */
static bool spent(const solver *v, double mu)
{
    double size = fmax(v->now.tau, v->now.kappa);
    return !(mu > 1e-18 * size * size);
}

/* Where loads are within rounding of what can be borne, tau goes to 0, which is an answer, but the
   motion or the forces that prove it are only as good as rounding lets them be. */
static void last_word(solver *v, double tolerance)
{
    v->enough = tolerance;
    if (v->best_merit <= tolerance || v->now.tau > 1e-8 * v->now.kappa)
        return;
    marks m = marks_of(v);
    if (m.unbounded <= m.impossible && m.unbounded <= doubtful * tolerance)
        keep(v, MRN_LIMIT_UNBOUNDED, m.unbounded / certain);
    else if (m.impossible <= doubtful * tolerance)
        keep(v, MRN_LIMIT_IMPOSSIBLE, m.impossible / certain);
    else
        return;
    v->enough = v->best_merit;
}

/* Iterates until an iterate is good enough or nothing gets better: neither the best iterate nor the
   distance to the optimum, which goes on falling where loads are close to what can be borne at all
   and the iteration takes its time to tell. */
static mrn_status iterations(solver *v, double tolerance, int most, int *count, mrn_message *msg)
{
    int idle = 0;
    double least = INFINITY;
    for (*count = 0;; (*count)++) {
        double before = v->best_merit, moved, mu = distance_to_centre(v);
        residuals(v);
        if (judge(v, tolerance) || *count == most || spent(v, mu))
            return MRN_OK;
        idle = v->best_merit < 0.9 * before || mu < 0.9 * least ? 0 : idle + 1;
        least = fmin(least, mu);
        if (idle > 10)
            return MRN_OK;
        mrn_status s = iterate(v, &moved, msg);
        if (s == MRN_ERR_RANGE || (s == MRN_OK && moved < 1e-9))
            return MRN_OK;
        if (s != MRN_OK)
            return s;
    }
}

static void answer(const solver *v, double force_unit, double factor_unit, mrn_limit_answer *out)
{
    const point *b = &v->best;
    out->end = v->best_end;
    if (!(v->best_merit <= v->enough))
        out->end = MRN_LIMIT_UNDECIDED;
    bool certificate = out->end == MRN_LIMIT_UNBOUNDED || out->end == MRN_LIMIT_IMPOSSIBLE;
    out->gap = certificate ? v->best_merit * certain : v->best_merit;
    bool ray = out->end == MRN_LIMIT_UNBOUNDED;
    double over = ray ? b->lambda * factor_unit / force_unit : b->tau / force_unit;
    out->lambda = ray ? INFINITY : b->lambda / b->tau * factor_unit;
    if (out->end == MRN_LIMIT_IMPOSSIBLE)
        out->lambda = -INFINITY;
    for (int64_t i = 0; i < v->rows; i++)
        out->f[i] = out->end == MRN_LIMIT_IMPOSSIBLE ? 0 : b->f[i] / over;
    double length = norm(v->n, b->y);
    for (int64_t i = 0; i < v->n; i++)
        out->y[i] = ray || !(length > 0) ? 0 : b->y[i] / length;
}

mrn_status mrn_limit_programme(mrn_limit_work *w, const double *load, const double *change,
                               double tolerance, int most, mrn_limit_answer *out, mrn_message *msg)
{
    const mrn_net *net = w->net;
    double natural = sqrt((double)net->n_contacts);
    solver v = {.work = w,
                .rows = net->n_rows,
                .n = net->n_unknowns,
                .size = w->cones.size,
                .natural = natural,
                .omega = (double)net->n_contacts};
    double load_size = norm(v.n, load), change_size = norm(v.n, change);
    begin(&v, load, change, load_size, change_size);
    mrn_status s = iterations(&v, tolerance, most, &out->iterations, msg);
    if (s == MRN_OK)
        last_word(&v, tolerance);
    double unit = load_size > 0 ? load_size : change_size;
    if (s == MRN_OK)
        answer(&v, unit / natural, unit / change_size, out);
    return s;
}
