/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time step: from the contacts that are there and the impacts to be expected. */
#include <math.h>
#include <stdio.h>

#include "smooth/smooth.h"

/* Lightest and smallest grain and highest modulus use per material. */
typedef struct kind {
    double r, m; /* lightest grain; INFINITY: none */
    bool wall;   /* a wall is made of it           */
} kind;

static double expected_speed(const mrn_scene *scene, const mrn_state *s)
{
    double fast = 0, lo = INFINITY, hi = -INFINITY, g = mrn_norm(scene->gravity);
    mrn_vec3 up = mrn_unit(scene->gravity);
    for (int32_t i = 0; i < s->body.n; i++) {
        size_t k = 3 * (size_t)i;
        fast = fmax(fast, mrn_norm(mrn_load3(s->body.v + k)));
        double z = mrn_dot(up, mrn_load3(s->body.x + k));
        if (!(s->body.flags[i] & MRN_BODY_ABSENT) && isfinite(z))
            lo = fmin(lo, z), hi = fmax(hi, z);
    }
    double fall = hi > lo ? sqrt(2 * g * (hi - lo)) : 0;
    return fmax(fast, fall);
}

static void survey(const mrn_scene *scene, const mrn_state *s, kind *k)
{
    for (int m = 0; m < scene->n_materials && m < 64; m++)
        k[m] = (kind){INFINITY, INFINITY, false};
    for (int32_t i = 0; i < s->body.n; i++) {
        int m = s->body.material[i] < 64 ? s->body.material[i] : 63;
        if (i < s->body.n_walls)
            k[m].wall = true;
        else if (s->body.mass[i] < k[m].m)
            k[m].m = s->body.mass[i], k[m].r = s->body.radius[i];
    }
}

/* Overlap at which an impact at speed v comes to rest: half m v^2 = stored energy, from a secant of
 * the stiffness. */
static double impact_overlap(const mrn_law *law, const double *coef, double r, double m, double v)
{
    double d = 1e-3 * r;
    for (int i = 0; i < 60; i++) {
        double k = law->stiffness(coef, r, m, d);
        double next = v * sqrt(m / fmax(k, 1e-300)) * 1.1;
        d = fmin(sqrt(d * next), r); /* mean in logarithm: converges for any power law */
    }
    return d;
}

static void limit_of_pair(const mrn_interaction *ia, double r, double m, double v,
                          mrn_step_limit *l)
{
    const mrn_law *normal = ia->ready.model->part[MRN_LAW_NORMAL];
    const mrn_law *tangential = ia->ready.model->part[MRN_LAW_TANGENTIAL];
    const double *c = ia->ready.coef[MRN_LAW_NORMAL];
    double d = v > 0 ? impact_overlap(normal, c, r, m, v) : 1e-3 * r;
    double k = normal->stiffness(c, r, m, d);
    if (tangential != NULL && tangential->stiffness != NULL)
        /* a spring at the rim of a solid sphere feels 2/7 of the mass */
        k = fmax(k, 3.5 * tangential->stiffness(ia->ready.coef[MRN_LAW_TANGENTIAL], r, m, d));
    double critical = 2 * sqrt(m / k);
    l->contact_time = fmin(l->contact_time, v > 0 ? normal->contact_time(c, r, m, v) : INFINITY);
    if (critical < l->critical) {
        l->critical = critical;
        snprintf(l->reason, sizeof l->reason,
                 "stiffest contact %.3g N/m on an effective mass of %.3g kg, at %.3g m/s", k, m, v);
    }
}

/* Each material pair that can meet: lightest on lightest, and lightest on a wall. */
static void limits_of_kinds(const mrn_scene *scene, const kind *k, mrn_step_limit *l)
{
    for (int i = 0; i < scene->n_interactions; i++) {
        const mrn_interaction *ia = &scene->interaction[i];
        const kind *a = &k[ia->a < 64 ? ia->a : 63], *b = &k[ia->b < 64 ? ia->b : 63];
        if (isfinite(a->m) && isfinite(b->m))
            limit_of_pair(ia, a->r * b->r / (a->r + b->r), a->m * b->m / (a->m + b->m), l->speed,
                          l);
        if (isfinite(a->m) && b->wall)
            limit_of_pair(ia, a->r, a->m, l->speed, l);
        if (isfinite(b->m) && a->wall)
            limit_of_pair(ia, b->r, b->m, l->speed, l);
    }
}

static double rayleigh(const mrn_scene *scene, const kind *k)
{
    double least = INFINITY;
    for (int m = 0; m < scene->n_materials && m < 64; m++) {
        const mrn_material *mat = &scene->material[m];
        if (!isfinite(k[m].m) || !(mat->young > 0))
            continue;
        double g = mat->young / (2 * (1 + mat->poisson));
        least = fmin(least,
                     MRN_PI * k[m].r * sqrt(mat->density / g) / (0.1631 * mat->poisson + 0.8766));
    }
    return least;
}

/* Contacts in touch now: a grain held by several is stiffer than in one impact. Gershgorin: the
   highest frequency squared is at most twice the sum of stiffnesses over the mass. */
static double network_limit(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    double worst = 0;
    mrn_images im = mrn_images_of(scene, s);
    if (p->row == NULL || p->rows != s->body.n)
        return INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double sum = 0;
        for (int32_t n = 0; n < p->row[i + 1] - p->row[i] + p->back_row[i + 1] - p->back_row[i];
             n++) {
            int32_t own = p->row[i + 1] - p->row[i];
            int64_t k = n < own ? p->row[i] + n : p->back[p->back_row[i] + n - own];
            if (!p->touch[k])
                continue;
            int32_t j = n < own ? p->other[k] : -1;
            for (int32_t lo = 0, hi = p->rows; j < 0;) { /* owner of a back pair: its row holds k */
                int32_t mid = lo + (hi - lo) / 2;
                if (p->row[mid] > k)
                    hi = mid;
                else if (p->row[mid + 1] <= k)
                    lo = mid + 1;
                else
                    j = mid;
            }
            int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
            const mrn_prepared *law = &scene->interaction[ia].ready;
            double ri = s->body.radius[i], rj = s->body.radius[j], mi = s->body.mass[i],
                   mj = s->body.mass[j];
            mrn_vec3 d = mrn_images_nearest(&im, mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i),
                                                         mrn_load3(s->body.x + 3 * (size_t)j)));
            double delta = fmax(0, ri + rj - mrn_norm(d));
            sum += law->model->part[MRN_LAW_NORMAL]->stiffness(
                law->coef[MRN_LAW_NORMAL], ri * rj / (ri + rj), mi * mj / (mi + mj), delta);
        }
        worst = fmax(worst, sum / s->body.mass[i]);
    }
    return worst > 0 ? 2 / sqrt(2 * worst) : INFINITY;
}

mrn_step_limit mrn_smooth_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {INFINITY, INFINITY, INFINITY, 0, INFINITY, "no contact is possible"};
    kind k[64];
    survey(scene, s, k);
    l.speed = expected_speed(scene, s);
    limits_of_kinds(scene, k, &l);
    l.rayleigh = rayleigh(scene, k);
    double network = network_limit(scene, s);
    if (network < l.critical) {
        l.critical = network;
        snprintf(l.reason, sizeof l.reason, "the most loaded grain of the contact network");
    }
    double fraction = scene->time_step_fraction > 0 ? scene->time_step_fraction : 0.05;
    l.advised = fraction * l.critical;
    return l;
}
