/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interior points for frictional contact. With x = (r_N, r_T / mu) and y = (u_N + mu |u_T|, mu u_T)
   the problem is: x and y in the second-order cone L, x . y = 0, y = W x + q + |(W x + q)_T| e_N.
   The central path x o y = gap e is followed by Newton steps in the scaling of Nesterov and Todd,
   with Mehrotra's predictor and corrector, then some of Gondzio's, and a damping alpha on the
   diagonal of W in the matrix alone. The last term is what makes Coulomb's law
   non-associated; its derivative is kept, as a change of the diagonal blocks of the matrix alone:
   with E = e_N d_T, d the direction of sliding, (I + E) W + P becomes W + (I - E) P. */
#include "solve/interior.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"
#include "solve/newton.h"
#include "solve/solvers.h"

enum { B = 3 }; /* largest block here */

bool mrn_interior_knows(mrn_contact_kind kind)
{
    return kind == MRN_CONTACT_2D || kind == MRN_CONTACT_3D;
}

/* ---- algebra of the cone L: vectors of b numbers, the first along the axis ---- */

static double tail_dot(int b, const double *x, const double *y)
{
    double sum = 0;
    for (int c = 1; c < b; c++)
        sum += x[c] * y[c];
    return sum;
}

/* x_N² - |x_T|², without the cancellation that squares would bring near the boundary */
static double determinant(int b, const double *x)
{
    double t = sqrt(tail_dot(b, x, x));
    return (x[0] - t) * (x[0] + t);
}

/* z = x o y */
static void jordan(int b, const double *x, const double *y, double *z)
{
    double first = x[0] * y[0] + tail_dot(b, x, y);
    for (int c = 1; c < b; c++)
        z[c] = x[0] * y[c] + y[0] * x[c];
    z[0] = first;
}

/* z with l o z = y */
static void jordan_solve(int b, const double *l, const double *y, double *z)
{
    double first = (l[0] * y[0] - tail_dot(b, l, y)) / determinant(b, l);
    for (int c = 1; c < b; c++)
        z[c] = (y[c] - first * l[c]) / l[0];
    z[0] = first;
}

/* The symmetric V with V x = V⁻¹ y (Nesterov and Todd), and its inverse. */
static void scaling(int b, const double *x, const double *y, double *v, double *inverse)
{
    double gx = sqrt(determinant(b, x)), gy = sqrt(determinant(b, y)), dot = 0, w[B];
    for (int c = 0; c < b; c++)
        dot += x[c] * y[c];
    double g = 2 * sqrt((1 + dot / (gx * gy)) / 2), size = sqrt(gy / gx);
    w[0] = (x[0] / gx + y[0] / gy) / g;
    for (int c = 1; c < b; c++)
        w[c] = (y[c] / gy - x[c] / gx) / g;
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) {
            double k = r == 0   ? w[c]
                       : c == 0 ? w[r]
                                : (r == c ? 1.0 : 0.0) + w[r] * w[c] / (1 + w[0]);
            v[c * b + r] = size * k;
            inverse[c * b + r] = (r == 0) != (c == 0) ? -k / size : k / size;
        }
}

/* How far x may go along d and stay in L. */
static double reach(int b, const double *x, const double *d)
{
    double dt = sqrt(tail_dot(b, d, d));
    double a = (d[0] - dt) * (d[0] + dt), m = x[0] * d[0] - tail_dot(b, x, d);
    double c = determinant(b, x), disc = m * m - a * c, far = INFINITY;
    if (d[0] < 0)
        far = -x[0] / d[0];
    if (disc >= 0) {
        double k = -(m + (m < 0 ? -sqrt(disc) : sqrt(disc)));
        double t1 = k / a, t2 = c / k;
        far = t1 > 0 && t1 < far ? t1 : far;
        far = t2 > 0 && t2 < far ? t2 : far;
    }
    return far;
}

/* ---- set up ---- */

static bool in_cone(const mrn_system *s, int64_t i)
{
    return s->law[i] == MRN_UNILATERAL;
}

/* Scale of component c of contact i: r = scale x, y = scale u. */
static double scale_of(const mrn_system *s, int64_t i, int c)
{
    return c == 0 || !in_cone(s, i) ? 1 : s->mu[i * MRN_FRICTION_GROUPS];
}

mrn_status mrn_interior_make(mrn_system *s, mrn_step_matrix *matrix, mrn_interior *out,
                             mrn_message *msg)
{
    mrn_interior m = {.s = s, .matrix = matrix};
    int64_t n = s->n, b = s->b;
    double **vectors[] = {&m.x, &m.y, &m.z, &m.dx, &m.dy, &m.rp, &m.rhs, &m.lambda, &m.scale};
    double **matrices[] = {&m.v, &m.p, &m.a};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if ((*vectors[k] = mrn_work(s->work, n * b + MRN_BSR_PADDING, sizeof(double))) == NULL)
            return mrn_fail_memory(msg);
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        if ((*matrices[k] = mrn_work(s->work, n * b * b, sizeof(double))) == NULL)
            return mrn_fail_memory(msg);
    if ((m.kept = mrn_work(s->work, 3 * n * b, sizeof(double))) == NULL)
        return mrn_fail_memory(msg);
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < b; c++)
            m.scale[i * b + c] = scale_of(s, i, c);
    *out = m;
    return MRN_OK;
}

void mrn_interior_start(mrn_interior *m, double impulse, double velocity)
{
    int b = m->s->b;
    for (int64_t i = 0; i < m->s->n; i++)
        for (int c = 0; c < b; c++) {
            bool axis = c == 0 && in_cone(m->s, i);
            m->x[i * b + c] = axis ? impulse : 0;
            m->y[i * b + c] = axis ? velocity : 0;
        }
    m->step = 1;
    m->alpha = 0;
}

/* x and y of one contact from its impulse r and velocity u, moved into the cones so far that each
   product of theirs is about `gap`: a contact that is open has y and gets x = gap / y, one that
   sticks the other way round. */
static void enter_cones(const mrn_system *s, int64_t i, const double *r, const double *u,
                        double gap, double *x, double *y)
{
    int b = s->b;
    double mu = s->mu[i * MRN_FRICTION_GROUPS], slip = sqrt(tail_dot(b, u, u));
    for (int c = 1; c < b; c++) {
        x[c] = mu > 0 ? r[c] / mu : 0;
        y[c] = mu * u[c];
    }
    x[0] = fmax(r[0], sqrt(tail_dot(b, x, x)));
    y[0] = fmax(u[0] + mu * slip, sqrt(tail_dot(b, y, y)));
    double impulse = x[0], velocity = y[0];
    x[0] += gap / (velocity + sqrt(gap));
    y[0] += gap / (impulse + sqrt(gap));
}

void mrn_interior_start_at(mrn_interior *m, const double *r, double residual, double *u)
{
    const mrn_system *s = m->s;
    int b = s->b;
    double gap = sqrt(residual) / s->n; /* from the middle of the cones it would be 1 / n */
    mrn_system_velocity(s, r, u);
    for (int64_t i = 0; i < s->n; i++) {
        double *x = m->x + i * b, *y = m->y + i * b;
        memcpy(x, r + i * b, (size_t)b * sizeof *x);
        memset(y, 0, (size_t)b * sizeof *y);
        if (in_cone(s, i))
            enter_cones(s, i, r + i * b, u + i * b, gap, x, y);
    }
    m->step = 1;
    m->alpha = 0;
}

/* ---- one step ---- */

/* What is added to W of a bilateral contact at least: its impulse has no other bound, and is
   eliminated through it. */
static const double ALPHA_BILATERAL = 1e-10;

/* z = W x + q in the variables of the cone, and the mean of x . y over the contacts in cones */
static void evaluate(mrn_interior *m, double *r, double *u)
{
    const mrn_system *s = m->s;
    int b = s->b;
    int64_t count = 0;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < b; c++)
            r[i * b + c] = scale_of(s, i, c) * m->x[i * b + c];
    mrn_system_velocity(s, r, u);
    for (int64_t i = 0; i < s->n; i++) {
        for (int c = 0; c < b; c++)
            m->z[i * b + c] = scale_of(s, i, c) * u[i * b + c];
        for (int c = 0; in_cone(s, i) && c < b; c++)
            sum += m->x[i * b + c] * m->y[i * b + c];
        count += in_cone(s, i);
    }
    m->gap = count > 0 ? sum / (double)count : 0;
}

/* Scaling matrices, residual of y = W x + q + |..| e_N, and the blocks
   alpha + (I - E) P that are added to W. */
static void linearise(mrn_interior *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        const double *z = m->z + i * b;
        double *v = m->v + i * b * b, *d = m->a + i * b * b, p[B * B], inverse[B * B];
        double slip = sqrt(tail_dot(b, z, z)), turn[B] = {0};
        double alpha = in_cone(s, i) ? m->alpha : fmax(m->alpha, ALPHA_BILATERAL);
        for (int c = 0; c < b; c++)
            for (int r = 0; r < b; r++)
                d[c * b + r] = r == c ? alpha * scale_of(s, i, c) * scale_of(s, i, c) : 0;
        for (int c = 0; c < b; c++)
            m->rp[i * b + c] = z[c] - m->y[i * b + c];
        if (!in_cone(s, i))
            continue;
        m->rp[i * b] += slip;
        for (int c = 1; slip > 0 && c < b; c++)
            turn[c] = z[c] / slip;
        scaling(b, m->x + i * b, m->y + i * b, v, inverse);
        for (int c = 0; c < b; c++)
            for (int r = 0; r < b; r++) {
                p[c * b + r] = 0;
                for (int k = 0; k < b; k++)
                    p[c * b + r] += v[k * b + r] * v[c * b + k];
            }
        memcpy(m->p + i * b * b, p, (size_t)(b * b) * sizeof *p);
        for (int c = 0; c < b; c++) {
            double pushed = 0;
            for (int r = 1; r < b; r++)
                pushed += turn[r] * p[c * b + r];
            for (int r = 0; r < b; r++)
                d[c * b + r] += p[c * b + r] - (r == 0 ? pushed : 0);
        }
        for (int r = 0; r < b; r++) {
            m->lambda[i * b + r] = 0;
            for (int c = 0; c < b; c++)
                m->lambda[i * b + r] += v[c * b + r] * m->x[i * b + c];
        }
    }
}

/* (I - E)(rc - rp), the right-hand side that goes with the matrix above; rc per contact in m->rhs
 */
static void solve_direction(mrn_interior *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        const double *z = m->z + i * b;
        double *f = m->dy + i * b, slip = sqrt(tail_dot(b, z, z)), pushed = 0;
        for (int c = 0; c < b; c++)
            f[c] = (in_cone(s, i) ? m->rhs[i * b + c] : 0) - m->rp[i * b + c];
        for (int c = 1; in_cone(s, i) && slip > 0 && c < b; c++)
            pushed += z[c] / slip * f[c];
        f[0] -= pushed;
    }
    mrn_step_matrix_solve(m->matrix, m->dy, m->dx);
    for (int64_t i = 0; i < s->n; i++)
        for (int r = 0; r < b; r++) {
            double sum = m->rhs[i * b + r];
            for (int c = 0; c < b; c++)
                sum -= m->p[(i * b + c) * b + r] * m->dx[i * b + c];
            m->dy[i * b + r] = in_cone(s, i) ? sum : 0;
        }
}

/* Predictor: straight to x o y = 0. */
static void aim_at_zero(mrn_interior *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++)
        for (int r = 0; r < b; r++) {
            m->rhs[i * b + r] = 0;
            for (int c = 0; in_cone(s, i) && c < b; c++)
                m->rhs[i * b + r] -= m->v[(i * b + c) * b + r] * m->lambda[i * b + c];
        }
}

/* Corrector: x o y = sigma gap e, with the product of the predictor's changes. */
static void aim_at_path(mrn_interior *m, double sigma, double length)
{
    const mrn_system *s = m->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        double v[B * B], inverse[B * B], dx[B] = {0}, dy[B] = {0}, both[B], aim[B];
        const double *l = m->lambda + i * b;
        if (!in_cone(s, i))
            continue;
        scaling(b, m->x + i * b, m->y + i * b, v, inverse);
        for (int c = 0; c < b; c++)
            for (int r = 0; r < b; r++) {
                dx[r] += v[c * b + r] * m->dx[i * b + c];
                dy[r] += inverse[c * b + r] * m->dy[i * b + c];
            }
        jordan(b, dx, dy, both);
        jordan(b, l, l, aim);
        for (int c = 0; c < b; c++)
            aim[c] = -aim[c] - length * both[c];
        aim[0] += sigma * m->gap;
        jordan_solve(b, l, aim, both);
        for (int r = 0; r < b; r++) {
            m->rhs[i * b + r] = 0;
            for (int c = 0; c < b; c++)
                m->rhs[i * b + r] += v[c * b + r] * both[c];
        }
    }
}

static double longest_step(const mrn_interior *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    double t = 1 / 0.99;
    for (int64_t i = 0; i < s->n; i++) {
        if (!in_cone(s, i))
            continue;
        double tx = reach(b, m->x + i * b, m->dx + i * b);
        double ty = reach(b, m->y + i * b, m->dy + i * b);
        t = tx < t ? tx : t;
        t = ty < t ? ty : t;
    }
    return 0.99 * t;
}

/* Mean of x . y after a step of length t. */
static double gap_after(const mrn_interior *m, double t)
{
    const mrn_system *s = m->s;
    int64_t b = s->b, count = 0;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = i * b; in_cone(s, i) && k < (i + 1) * b; k++)
            sum += (m->x[k] + t * m->dx[k]) * (m->y[k] + t * m->dy[k]);
        count += in_cone(s, i);
    }
    return count > 0 ? sum / (double)count : 0;
}

/* Rounding must not put a vector on the boundary: its scaling would be infinite. */
static void keep_inside(int b, double *x)
{
    const double nearest = 1e-13;
    double t = sqrt(tail_dot(b, x, x)), most = (1 - nearest) * x[0];
    for (int c = 1; t > most && c < b; c++)
        x[c] *= most / t;
}

static void move(mrn_interior *m, double t)
{
    int64_t size = (int64_t)m->s->n * m->s->b;
    for (int64_t k = 0; k < size; k++) {
        m->x[k] += t * m->dx[k];
        m->y[k] += t * m->dy[k];
    }
    for (int64_t i = 0; i < m->s->n; i++)
        if (in_cone(m->s, i)) {
            keep_inside(m->s->b, m->x + i * m->s->b);
            keep_inside(m->s->b, m->y + i * m->s->b);
        }
}

/* ---- damping, the size of the gap, correctors ---- */

enum { CORRECTORS = 8, WINDOW = 10, POLISH = 15 };
static const double ALPHA_FIRST = 1e-3, ALPHA_LEAST = 1e-12, ALPHA_MOST = 1;
static const double ALPHA_OF_GAP = 0.005; /* least damping, times the root of the gap          */
static const double SHORT_STEP = 0.1, LONG_STEP = 0.2; /* more damping below, less above   */
static const double MORE = 6, LESS = 0.3;
static const double KEEP_GAP = 0.05;      /* the gap stays above this part of mean |rp| x_N   */
static const double AHEAD = 0.3;          /* correctors look so much beyond the present step  */
static const double LOW = 0.1, HIGH = 10; /* products they aim at, parts of the target      */

static void adapt_damping(mrn_interior *m)
{
    if (m->alpha == 0)
        m->alpha = ALPHA_FIRST;
    else if (m->step < SHORT_STEP)
        m->alpha *= MORE;
    else if (m->step > LONG_STEP)
        m->alpha *= LESS;
    m->alpha = fmin(ALPHA_MOST, fmax(ALPHA_LEAST + ALPHA_OF_GAP * sqrt(m->gap), m->alpha));
}

/* mean of |rp| x_N: the gap that would come from the residual alone; |rp| on the way */
static double gap_of_residual(mrn_interior *m)
{
    const mrn_system *s = m->s;
    int b = s->b;
    double sum = 0, all = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double q = 0;
        for (int c = 0; c < b; c++)
            q += m->rp[i * b + c] * m->rp[i * b + c];
        all += q;
        sum += in_cone(s, i) ? sqrt(q) * m->x[i * b] : 0;
    }
    m->infeasible = sqrt(all);
    return sum / s->n;
}

/* How far an eigenvalue of x o y is outside of what is aimed at. */
static double outside(double e, double target)
{
    double d = e < LOW * target ? LOW * target - e : e > HIGH * target ? HIGH * target - e : 0;
    return d < -HIGH * target ? -HIGH * target : d;
}

/* Gondzio's corrector: products x o y that would leave the neighbourhood of the path at step t are
   brought back into it; changes the right-hand side only. */
static void aim_inside(mrn_interior *m, double t, double target)
{
    const mrn_system *s = m->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        double v[B * B], inverse[B * B], x[B] = {0}, y[B] = {0}, both[B], z[B];
        const double *l = m->lambda + i * b;
        if (!in_cone(s, i))
            continue;
        scaling(b, m->x + i * b, m->y + i * b, v, inverse);
        for (int r = 0; r < b; r++) {
            x[r] = y[r] = l[r];
            for (int c = 0; c < b; c++) {
                x[r] += t * v[c * b + r] * m->dx[i * b + c];
                y[r] += t * inverse[c * b + r] * m->dy[i * b + c];
            }
        }
        jordan(b, x, y, both);
        double tail = sqrt(tail_dot(b, both, both));
        double up = outside(both[0] + tail, target), down = outside(both[0] - tail, target);
        if (up == 0 && down == 0)
            continue;
        for (int c = 1; c < b; c++)
            both[c] = tail > 0 ? 0.5 * (up - down) * both[c] / tail : 0;
        both[0] = 0.5 * (up + down);
        jordan_solve(b, l, both, z);
        for (int r = 0; r < b; r++)
            for (int c = 0; c < b; c++)
                m->rhs[i * b + r] += v[c * b + r] * z[c];
    }
}

/* Correctors with the same factorisation for as long as they make the step longer. */
static void lengthen(mrn_interior *m, double target)
{
    int64_t size = (int64_t)m->s->n * m->s->b;
    size_t bytes = (size_t)size * sizeof(double);
    for (int k = 0; k < CORRECTORS && m->step < 0.9; k++) {
        memcpy(m->kept, m->dx, bytes);
        memcpy(m->kept + size, m->dy, bytes);
        memcpy(m->kept + 2 * size, m->rhs, bytes);
        aim_inside(m, fmin(1, m->step + AHEAD), target);
        solve_direction(m);
        double t = longest_step(m);
        if (!(t > 1.01 * m->step)) {
            memcpy(m->dx, m->kept, bytes);
            memcpy(m->dy, m->kept + size, bytes);
            memcpy(m->rhs, m->kept + 2 * size, bytes);
            return;
        }
        m->step = t;
    }
}

bool mrn_interior_step(mrn_interior *m, double *r, double *u)
{
    const mrn_system *s = m->s;
    evaluate(m, r, u);
    adapt_damping(m);
    linearise(m);
    m->mended = mrn_step_matrix_factor(m->matrix, m->a, NULL, m->scale);
    aim_at_zero(m);
    solve_direction(m);
    double t = longest_step(m), ratio = m->gap > 0 ? gap_after(m, t) / m->gap : 0;
    ratio = ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
    double least = fmin(1, KEEP_GAP * gap_of_residual(m) / m->gap);
    double sigma = fmax(ratio * ratio * ratio, least);
    aim_at_path(m, sigma, t);
    solve_direction(m);
    m->step = longest_step(m);
    lengthen(m, sigma * m->gap);
    if (!isfinite(mrn_system_dot(s, m->dx, m->dx)) || !(m->step > 0)) {
        m->step = 0;
        return false;
    }
    move(m, m->step);
    evaluate(m, r, u);
    return isfinite(m->gap);
}

/* ---- the solver of this name ---- */

/* Newton's steps with proximal points from r, for a while; true when the log says stop. */
static bool polish(mrn_proximal *p, const double *r, double *trial, mrn_progress_log *log)
{
    mrn_proximal_start(p, r);
    return mrn_proximal_run(p, POLISH, trial, log);
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    (void)option;
    mrn_step_matrix matrix = {0};
    mrn_interior m;
    mrn_newton_memory memory;
    mrn_proximal p;
    int64_t size = (int64_t)s->n * s->b;
    double *u = mrn_work(s->work, 2 * size + MRN_BSR_PADDING, sizeof *u);
    mrn_status st = u == NULL ? mrn_fail_memory(msg)
                              : mrn_step_matrix_plan(s, MRN_SPACE_AUTO, INT64_MAX, &matrix, msg);
    if (st == MRN_OK)
        st = mrn_step_matrix_take_room(&matrix, msg);
    log->matrices += st == MRN_OK ? mrn_step_matrix_bytes(&matrix) : 0;
    if (st == MRN_OK)
        st = mrn_interior_make(s, &matrix, &m, msg);
    if (st == MRN_OK)
        st = mrn_newton_make(s, &memory, msg);
    if (st == MRN_OK)
        st = mrn_proximal_make(s, &matrix, &memory, &p, msg);
    if (st == MRN_OK) {
        int idle = 0, steps = 0;
        double past[WINDOW];
        for (int k = 0; k < WINDOW; k++)
            past[k] = INFINITY;
        double width = 1 / sqrt((double)s->n), last = INFINITY, tol = s->control->tolerance;
        mrn_interior_start(&m, width, width);
        for (;;) {
            bool moved = mrn_interior_step(&m, r, u);
            log->iterations++, log->factorisations++;
            if (mrn_log_iterate(s, log, "interior-point", r, u))
                break;
            double natural = mrn_system_residual(s, r, u, NULL);
            /* while the interior point converges well it needs no help */
            bool slow = natural > 0.4 * past[steps % WINDOW];
            past[steps++ % WINDOW] = natural;
            bool near = slow && natural < fmin(1000 * tol, 1e-2) && m.infeasible < 2 * tol &&
                        natural < 0.3 * last;
            if (near || idle == 5) {
                last = natural;
                if (polish(&p, r, u, log))
                    break;
            }
            idle = moved ? 0 : idle + 1; /* with more damping it may move */
            if (idle > 5) {
                log->stop = MRN_STOP_STALLED;
                snprintf(log->words, sizeof log->words, "steps became too short after %lld",
                         (long long)log->iterations);
                break;
            }
        }
    }
    mrn_step_matrix_release(&matrix);
    return st;
}

const mrn_solver mrn_solver_interior_point = {
    .name = "interior-point",
    .summary = "Interior points in the second-order cone, friction not associated.",
    .doc =
        "With x = (r_N, r_T/mu) and y = (u_N + mu |u_T|, mu u_T) the central path x o y = gap e of "
        "the second-order cone is followed with the scaling of Nesterov and Todd and Mehrotra's "
        "predictor-corrector; the term mu |u_T| of De Saxce, which makes Coulomb's law "
        "non-associated, is linearised with the rest. One block LU factorisation of W with "
        "changed diagonal blocks per iteration. Steps that become short are mended in two ways: "
        "alpha is added to the diagonal of W in the matrix, not in the residual, more of it after "
        "short steps and less after long ones; and up to five correctors after Gondzio (1996) "
        "bring products x o y that would leave the neighbourhood of the path back into it, with "
        "the same factorisation. An iterate that is near but slow is finished by Newton's steps "
        "with proximal points. Usually 5 to 40 iterations whatever the conditioning, hundreds in "
        "dense piles with much sliding (compare Acary, Armand, Nguyen and Shpakovych 2023).",
    .advice = "For badly conditioned or hyperstatic problems and high accuracy; cost per iteration "
              "grows faster than linearly with the contacts. Does not profit from a guess. Steps "
              "become short when the problem is strongly non-associated (much friction, much "
              "sliding).",
    .kinds = MRN_KIND(MRN_CONTACT_2D) | MRN_KIND(MRN_CONTACT_3D),
    .wants_W = true,
    .bodies_do = true,
    .bilateral = true,
    .max_iterations = 1000,
    .solve = solve,
};
