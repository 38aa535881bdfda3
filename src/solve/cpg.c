/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projected conjugate gradient for frictional contact: discs of friction are frozen, the energy is
   made least on the product of half-lines and discs, the discs are renewed. */
#include <string.h>

#include "base/base.h"
#include "solve/first_order.h"
#include "solve/solvers.h"

enum { OPT_INNER };
static const mrn_param params[] = {
    {.name = "inner-accuracy",
     .symbol = "eta",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 0,
     .max = 1,
     .min_open = true,
     .fallback = 0.5,
     .doc = "The discs are renewed when the residual of the problem with frozen discs is below "
            "this share of the residual."},
};

enum { CHECK_EVERY = 3, REFRESH_EVERY = 48, MOST_TRIALS = 60, MOST_RESCUES = 5 };

/* Status of a contact: bits of what its tangent cone forbids. */
enum {
    OPEN = 1,
    EDGE = 2,
    POINT = 16
}; /* EDGE << g: at the edge of disc g, pushed outwards;
      POINT << g: a disc of radius 0 */

typedef struct cpg {
    mrn_system *s;
    mrn_progress_log *log;
    int64_t m;
    double *weight; /* diagonal preconditioner, one number for all of a group */
    double *radius; /* of the discs, MRN_FRICTION_GROUPS per contact          */
    double *bend;   /* curvature of the energy along the edges, likewise      */
    uint8_t *status, *status_old;
    double *r, *u; /* iterate and its velocity                               */
    double *next, *u_next;
    double *w, *w_old; /* -u on the tangent cone: steepest descent               */
    double *z;         /* preconditioned                                         */
    double *d, *Wd;    /* direction and its product                              */
    double wz_old;     /* w . z of the iteration before; 0: begin anew           */
    double L;          /* curvature of safe gradient steps                       */
    double inner;
    int rescues;
} cpg;

static mrn_status prepare(cpg *a, mrn_message *msg)
{
    mrn_system *s = a->s;
    double **vector[] = {&a->weight, &a->r, &a->u,     &a->next, &a->u_next,
                         &a->w,      &a->z, &a->w_old, &a->d,    &a->Wd};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if ((*vector[k] = mrn_work_vector(s)) == NULL)
            return mrn_fail_memory(msg);
    int64_t groups = (int64_t)s->n * MRN_FRICTION_GROUPS;
    a->radius = mrn_work(s->work, groups, sizeof *a->radius);
    a->bend = mrn_work(s->work, groups, sizeof *a->bend);
    a->status = mrn_work(s->work, s->n, sizeof *a->status);
    a->status_old = mrn_work(s->work, s->n, sizeof *a->status_old);
    if (a->radius == NULL || a->bend == NULL || a->status == NULL || a->status_old == NULL)
        return mrn_fail_memory(msg);
    return MRN_OK;
}

/* One weight for the normal and one for each group: half-lines and discs keep their shape. */
static void set_weights(cpg *a)
{
    const mrn_system *s = a->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        const double *diag = s->diag + i * b * b;
        double *weight = a->weight + i * b;
        weight[0] = diag[0] > 0 ? diag[0] : 1;
        for (int g = 0; g < s->lay->groups; g++) {
            int first = s->lay->first[g], width = s->lay->width[g];
            double sum = 0;
            for (int c = first; c < first + width; c++)
                sum += diag[c * b + c];
            for (int c = first; c < first + width; c++)
                weight[c] = sum > 0 ? sum / width : 1;
        }
    }
}

/* p = y on half-line and discs; true when that changed anything. */
static bool project(const cpg *a, const double *y, double *p)
{
    const mrn_system *s = a->s;
    const mrn_contact_layout *lay = s->lay;
    bool changed = false;
    for (int64_t i = 0; i < s->n; i++) {
        const double *from = y + i * s->b;
        double *to = p + i * s->b;
        if (s->law[i] == MRN_BILATERAL) {
            memmove(to, from, (size_t)s->b * sizeof *to);
            continue;
        }
        changed = changed || !(from[0] >= 0);
        to[0] = from[0] > 0 ? from[0] : 0;
        for (int g = 0; g < lay->groups; g++) {
            double t = mrn_cone_norm(from + lay->first[g], lay->width[g]);
            double room = a->radius[i * MRN_FRICTION_GROUPS + g];
            double cut = t > room ? room / t : 1;
            changed = changed || t > room * (1 + 1e-14);
            for (int c = lay->first[g]; c < lay->first[g] + lay->width[g]; c++)
                to[c] = cut * from[c];
        }
    }
    return changed;
}

/* |r - P(r - u)| on the frozen discs. */
static double inner_residual(const cpg *a)
{
    for (int64_t k = 0; k < a->m; k++)
        a->z[k] = a->r[k] - a->u[k];
    project(a, a->z, a->z);
    for (int64_t k = 0; k < a->m; k++)
        a->z[k] -= a->r[k];
    return sqrt(mrn_dot_long(a->m, a->z, a->z));
}

/* ---- the face of the constraints at r ---- */

static uint8_t status_of_group(cpg *a, int64_t i, int g)
{
    const mrn_contact_layout *lay = a->s->lay;
    const double *r = a->r + i * a->s->b + lay->first[g], *u = a->u + i * a->s->b + lay->first[g];
    double radius = a->radius[i * MRN_FRICTION_GROUPS + g];
    double *bend = a->bend + i * MRN_FRICTION_GROUPS + g;
    *bend = 0;
    if (!(radius > 0))
        return (uint8_t)(POINT << g);
    double t = mrn_cone_norm(r, lay->width[g]), push = 0;
    if (t < radius * (1 - 1e-12))
        return 0;
    for (int c = 0; c < lay->width[g]; c++)
        push -= u[c] * r[c] / t;
    if (push < 0)
        return 0;
    if (lay->width[g] > 1)
        *bend = push / radius;
    return (uint8_t)(EDGE << g);
}

static bool find_status(cpg *a)
{
    const mrn_system *s = a->s;
    uint8_t *old = a->status_old;
    a->status_old = a->status, a->status = old;
    for (int64_t i = 0; i < s->n; i++) {
        uint8_t status = 0;
        if (s->law[i] != MRN_BILATERAL) {
            status = a->r[i * s->b] <= 0 && a->u[i * s->b] >= 0 ? OPEN : 0;
            for (int g = 0; g < s->lay->groups; g++)
                status |= status_of_group(a, i, g);
        }
        a->status[i] = status;
    }
    return memcmp(a->status, a->status_old, (size_t)s->n) != 0;
}

/* v without what the tangent cone at r forbids. */
static void to_tangent(const cpg *a, double *v)
{
    const mrn_contact_layout *lay = a->s->lay;
    for (int64_t i = 0; i < a->s->n; i++) {
        uint8_t status = a->status[i];
        if (status & OPEN)
            v[i * a->s->b] = 0;
        for (int g = 0; g < lay->groups; g++) {
            const double *r = a->r + i * a->s->b + lay->first[g];
            double *x = v + i * a->s->b + lay->first[g], out = 0, square = 0;
            if (!(status & ((EDGE | POINT) << g)))
                continue;
            for (int c = 0; c < lay->width[g]; c++)
                out += x[c] * r[c], square += r[c] * r[c];
            bool all = lay->width[g] == 1 || (status & (POINT << g)) || !(square > 0);
            for (int c = 0; c < lay->width[g]; c++)
                x[c] = all ? 0 : x[c] - out / square * r[c];
        }
    }
}

/* ---- directions ---- */

/* z = w over weight and curvature */
static void precondition(cpg *a)
{
    const mrn_contact_layout *lay = a->s->lay;
    for (int64_t i = 0; i < a->s->n; i++) {
        int64_t at = i * a->s->b;
        a->z[at] = a->w[at] / a->weight[at];
        for (int g = 0; g < lay->groups; g++)
            for (int c = lay->first[g]; c < lay->first[g] + lay->width[g]; c++)
                a->z[at + c] =
                    a->w[at + c] / (a->weight[at + c] + a->bend[i * MRN_FRICTION_GROUPS + g]);
    }
}

/* d = z + beta d_old on the tangent cone, beta of Polak and Ribière; d = z when that is no way
   down. Returns the slope w . d. */
static double direction(cpg *a)
{
    find_status(a);
    for (int64_t k = 0; k < a->m; k++)
        a->w[k] = -a->u[k];
    to_tangent(a, a->w);
    precondition(a);
    double wz = mrn_dot_long(a->m, a->w, a->z), beta = 0;
    if (a->wz_old > 0)
        beta = fmax(0, (wz - mrn_dot_long(a->m, a->w_old, a->z)) / a->wz_old);
    to_tangent(a, a->d);
    for (int64_t k = 0; k < a->m; k++)
        a->d[k] = a->z[k] + beta * a->d[k];
    double slope = mrn_dot_long(a->m, a->w, a->d);
    if (!(slope > 0)) {
        memcpy(a->d, a->z, (size_t)a->m * sizeof *a->d);
        slope = wz;
    }
    memcpy(a->w_old, a->w, (size_t)a->m * sizeof *a->w);
    a->wz_old = wz;
    return slope;
}

/* Second derivative of the energy along d, with the bending of the discs under it. */
static double bend_along(cpg *a)
{
    const mrn_contact_layout *lay = a->s->lay;
    double total = mrn_system_dot(a->s, a->d, a->Wd), bend = 0;
    for (int64_t i = 0; i < a->s->n; i++)
        for (int g = 0; g < lay->groups; g++) {
            double t = mrn_cone_norm(a->d + i * a->s->b + lay->first[g], lay->width[g]);
            bend += a->bend[i * MRN_FRICTION_GROUPS + g] * t * t;
        }
    return total + bend;
}

/* ---- steps ---- */

static void accept(cpg *a)
{
    double *r = a->r, *u = a->u;
    a->r = a->next, a->u = a->u_next;
    a->next = r, a->u_next = u;
}

/* next = P(r - u / (L weight)), L raised until the energy lies below its parabola: always down. */
static void gradient_step(cpg *a)
{
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double size = 0, bend = 0;
        for (int64_t k = 0; k < a->m; k++)
            a->next[k] = a->r[k] - a->u[k] / (a->L * a->weight[k]);
        project(a, a->next, a->next);
        mrn_system_velocity(a->s, a->next, a->u_next);
        for (int64_t k = 0; k < a->m; k++) {
            double d = a->next[k] - a->r[k];
            size += a->weight[k] * d * d;
            bend += d * (a->u_next[k] - a->u[k]);
        }
        if (!(bend > a->L * size * (1 + 1e-9)))
            break;
        a->L *= 1.5;
    }
    a->wz_old = 0;
}

/* Change of the energy from r to next: their mean velocity times the difference. */
static double energy_change(const cpg *a)
{
    double total = 0;
    for (int64_t k = 0; k < a->m; k++)
        total += 0.5 * (a->next[k] - a->r[k]) * (a->u[k] + a->u_next[k]);
    return total;
}

static void step(cpg *a)
{
    double slope = direction(a);
    mrn_system_times(a->s, a->d, a->Wd);
    double bend = bend_along(a), t = slope / bend;
    if (!(slope > 0) || !(bend > 0) || !isfinite(t)) {
        gradient_step(a);
        accept(a);
        return;
    }
    for (int64_t k = 0; k < a->m; k++)
        a->next[k] = a->r[k] + t * a->d[k];
    if (project(a, a->next, a->next)) {
        mrn_system_velocity(a->s, a->next, a->u_next);
        if (!(energy_change(a) <= 0))
            gradient_step(a);
    } else {
        for (int64_t k = 0; k < a->m; k++)
            a->u_next[k] = a->u[k] + t * a->Wd[k];
    }
    accept(a);
}

/* Discs from the normal impulses as they are now. */
static void renew_discs(cpg *a)
{
    const mrn_system *s = a->s;
    for (int64_t i = 0; i < s->n; i++)
        for (int g = 0; g < s->lay->groups; g++)
            a->radius[i * MRN_FRICTION_GROUPS + g] =
                s->mu[i * MRN_FRICTION_GROUPS + g] * fmax(a->r[i * s->b], 0);
    project(a, a->r, a->r);
    mrn_system_velocity(s, a->r, a->u);
    a->wz_old = 0;
}

/* An iterate that is no number: from the best on, with short steps. */
static bool rescue(cpg *a)
{
    if (a->rescues++ >= MOST_RESCUES || !isfinite(a->log->best)) {
        a->log->stop = MRN_STOP_STALLED;
        return false;
    }
    memcpy(a->r, a->log->best_r, (size_t)a->m * sizeof *a->r);
    memset(a->d, 0, (size_t)a->m * sizeof *a->d);
    a->L *= 10;
    renew_discs(a);
    return true;
}

/* Tells the log, renews the discs when their problem is solved well enough. True: the end. */
static bool check(cpg *a)
{
    double residual;
    if (mrn_log_residual(a->s, a->log, "cpg", a->r, a->u, &residual))
        return true;
    if (!isfinite(residual))
        return !rescue(a);
    if (inner_residual(a) <= a->inner * residual)
        renew_discs(a);
    return false;
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    cpg a = {
        .s = s, .log = log, .m = (int64_t)s->n * s->b, .L = 2, .inner = option[OPT_INNER].number};
    int every = s->control->check_every > 0 ? s->control->check_every : CHECK_EVERY;
    mrn_status st = prepare(&a, msg);
    if (st != MRN_OK)
        return st;
    set_weights(&a);
    memcpy(a.r, r, (size_t)a.m * sizeof *r);
    renew_discs(&a);
    for (;;) {
        step(&a);
        log->iterations++;
        log->updates += s->n;
        if (log->iterations % REFRESH_EVERY == 0) /* u was carried along: rounding adds up */
            mrn_system_velocity(s, a.r, a.u);
        bool due = log->iterations % every == 0 || log->iterations >= log->limit;
        if (due && check(&a))
            return MRN_OK;
    }
}

const mrn_solver mrn_solver_cpg = {
    .name = "cpg",
    .summary = "Projected conjugate gradient on frozen friction discs.",
    .doc =
        "With discs of radius mu r_N frozen, the contact problem is that of least energy 1/2 r.W r "
        "+ q.r over half-lines r_N >= 0 and discs |r_T| <= mu r_N (Tresca's friction). It is "
        "solved by conjugate gradients projected on the tangent cone of the constraints at r "
        "(Renouf and Alart 2005): w = -u without what would leave an open contact or a disc, z = w "
        "over a diagonal preconditioner with one weight for the normal and one for each group, d = "
        "z + beta d_old with Polak and Ribière's beta, r⁺ = P(r + t d) with the exact t. Sliding "
        "contacts move along the edge of a disc; its curvature adds |u_T|/(mu r_N) to the second "
        "derivative there, in t and in the preconditioner, without which most steps go astray. A "
        "step that does not lower the energy is replaced by a projected gradient step with a "
        "checked length. When the frozen problem is solved well enough, discs are renewed: a fixed "
        "point of that is a solution.",
    .advice =
        "Mostly sticking problems with few changes of status, as stacks at rest: there it is "
        "quicker than sweeps. With much sliding or a large coefficient of friction the loop over "
        "discs is slow; apgd is then the better one of the methods without factorisation. Works "
        "without W, through bodies.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .bilateral = true,
    .max_iterations = 100000,
    .solve = solve,
};
