/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time step: from the contacts that are there and the impacts to be expected. */
#include <math.h>
#include <stdio.h>

#include "smooth/smooth.h"

/* The part of the stability limit that an advised step may use. */
#define SAFE 0.7
/* Grains that are worth threads. */
enum { MANY = 8192 };

/* Lightest and smallest grain and highest modulus use per material. */
typedef struct kind {
    double r, m;      /* lightest grain; INFINITY: none                          */
    double softening; /* how much easier it yields where a force turns it, or 1  */
    bool wall;        /* a wall is made of it                                    */
} kind;

/* A force off the centre turns a grain too: the place where it acts yields as if the mass were
   smaller by 1 + m a^2 / I, a the arm about the axis of I. For a solid sphere that is 7/2, in the
   tangential directions only (counted in stiffness_of); on a cluster a force along the normal has
   an arm too, at most as long as the cluster is wide about that axis. */
static double cluster_yielding(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    const mrn_cluster *c = &scene->cluster[scene->group[s->body.group[i]].cluster];
    double most = 0;
    for (int k = scene->dimension == 2 ? 2 : 0; k < 3; k++)
        for (int part = 0; part < c->n; part++) {
            const double *x = c->centre + 3 * part;
            double a = hypot(x[(k + 1) % 3], x[(k + 2) % 3]) + c->radius[part];
            most = fmax(most, a * a / c->inertia[k]);
        }
    return 1 + most;
}

/* The same of a grain with corners. A face that tilts on another resists as springs at its rim do
   (overlap_region.h): again the arm is that of the farthest corner. Linear springs of several
   places where parts touch add up. */
static double polytope_yielding(const mrn_polytope *f)
{
    double most = 0;
    for (int k = f->dimension == 2 ? 2 : 0; k < 3; k++)
        for (int part = 0; part < f->n_parts; part++)
            for (int n = 0; n < f->part[part].n_points; n++) {
                const double *x = f->part[part].point + 3 * n;
                double a = hypot(x[(k + 1) % 3], x[(k + 2) % 3]);
                most = fmax(most, a * a / f->inertia[k]);
            }
    return (1 + most) * (f->n_parts < 4 ? f->n_parts : 4);
}

static double yielding(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    if (s->body.flags[i] & MRN_BODY_MEMBER)
        return cluster_yielding(scene, s, i);
    return s->body.flags[i] & MRN_BODY_POLYTOPE
               ? polytope_yielding(&scene->polytope[s->body.part[i]])
               : 1;
}

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

/* Speed at which a straining cell brings two of the largest grains together, one diameter apart:
   velocities of bodies are relative to its flow and do not show it. Rates as imposed at this time,
   those of servos as they are. */
static double strain_speed(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_cell_control *c = &scene->cell.control;
    mrn_instant now = {s->time, s->time - s->stage_time};
    double sum = 0, r = 0;
    for (int k = 0; k < MRN_STRAINS; k++) {
        double imposed =
            c->kind[k] == MRN_CONTROL_RATE ? mrn_signal_value(&c->target[k], now, NULL) : 0;
        double rate = fmax(fabs(s->cell_rate[k]), fabs(imposed));
        sum += isfinite(rate) ? rate * rate : 0;
    }
    for (int32_t i = s->body.n_walls; i < s->body.n && sum > 0; i++)
        if (!(s->body.flags[i] & MRN_BODY_CLUSTER))
            r = fmax(r, s->body.radius[i]);
    return sqrt(sum) * 2 * r;
}

/* Inside curved walls every corner is a spring of its own, and a side stands on its ends. */
static double round_springs(const mrn_scene *scene)
{
    for (int w = 0; scene->polytopes && w < scene->n_walls; w++) {
        const mrn_shape *shape = &scene->shape[scene->wall[w].shape];
        if (shape->inside && shape->type->contact_points != NULL)
            return scene->dimension == 2 ? 2 : 4;
    }
    return 1;
}

static void survey(const mrn_scene *scene, const mrn_state *s, kind *k)
{
    double springs = round_springs(scene);
    for (int m = 0; m < scene->n_materials && m < 64; m++)
        k[m] = (kind){INFINITY, INFINITY, 1, false};
    for (int32_t i = 0; i < s->body.n; i++) {
        int m = s->body.material[i] < 64 ? s->body.material[i] : 63;
        if (s->body.flags[i] & MRN_BODY_CLUSTER)
            continue;
        if (i < s->body.n_walls)
            k[m].wall = true;
        else if (s->body.mass[i] < k[m].m)
            k[m].m = s->body.mass[i], k[m].r = s->body.radius[i];
        bool polytope = (s->body.flags[i] & MRN_BODY_POLYTOPE) != 0;
        if (i >= s->body.n_walls)
            k[m].softening = fmax(k[m].softening, yielding(scene, s, i) * (polytope ? springs : 1));
    }
}

/* Overlap at which an impact at speed v comes to rest: half m v^2 = stored energy, from a secant of
 * the stiffness. */
static double impact_overlap(const mrn_law *law, const double *coef, double r, double m, double v)
{
    double d = 1e-3 * r;
    for (int i = 0; i < 60; i++) {
        double k = law->stiffness(coef, r, m, d, 0);
        double next = v * sqrt(m / fmax(k, 1e-300)) * 1.1;
        d = fmin(sqrt(d * next), r); /* mean in logarithm: converges for any power law */
    }
    return d;
}

/* What a contact is to the stability of a step: stiffness and damping of its stiffest direction. A
   spring at the rim of a solid sphere feels 2/7 of the mass, hence the tangential ones count 7/2
   times. */
typedef struct stiffness {
    double k, c;     /* N/m, N s/m                                   */
    double k_damped; /* normal stiffness as the damping stiffens it */
} stiffness;

static double ask(double (*f)(const double *, double, double, double, double), const double *coef,
                  double r, double m, double delta, double of_normal)
{
    return f != NULL ? f(coef, r, m, delta, of_normal) : 0;
}

static double moment_stiffness(const mrn_prepared *law, mrn_law_kind what, double r, double m,
                               double delta, double kn)
{
    const mrn_law *part = law->part[what];
    return part != NULL ? ask(part->stiffness, law->coef[what], r, m, delta, kn) : 0;
}

static stiffness stiffness_of(const mrn_prepared *law, double r, double m, double delta,
                              double softening)
{
    const mrn_law *n = law->part[MRN_LAW_NORMAL], *t = law->part[MRN_LAW_TANGENTIAL];
    const double *cn = law->coef[MRN_LAW_NORMAL], *ct = law->coef[MRN_LAW_TANGENTIAL];
    double kn = ask(n->stiffness, cn, r, m, delta, 0);
    double gn = ask(n->damping, cn, r, m, delta, 0);
    double kt = t != NULL ? ask(t->stiffness, ct, r, m, mrn_law_wide(law, r, delta), kn) : 0;
    double gt = t != NULL ? ask(t->damping, ct, r, m, delta, gn) : 0;
    /* moments: k_r r^2 turns I = 2/5 m r^2 */
    kt += 2.5 / 3.5 *
          (moment_stiffness(law, MRN_LAW_ROLLING, r, m, delta, kn) +
           moment_stiffness(law, MRN_LAW_TWISTING, r, m, delta, kn));
    const mrn_law *co = law->part[MRN_LAW_COHESION]; /* what it adds: JKR, viscous bridges */
    double kc = co != NULL ? ask(co->stiffness, law->coef[MRN_LAW_COHESION], r, m, delta, kn) : 0;
    double gc = co != NULL ? ask(co->damping, law->coef[MRN_LAW_COHESION], r, m, delta, gn) : 0;
    kn += kc, gn += gc;
    double zeta = kn > 0 ? gn / (2 * sqrt(m * kn)) : 0, s = sqrt(1 + zeta * zeta) + zeta;
    double rim = fmax(3.5, softening);
    return (stiffness){fmax(softening * kn, rim * kt), fmax(softening * gn, rim * gt),
                       fmax(softening * kn * s * s, rim * kt)};
}

/* The scheme (positions by Verlet, forces from velocities predicted as v + h a) is stable on
   x'' = -w2 x - d x' below the root of w2 h^2 + 4 d h - 4 = 0: 2/w without damping, 1/d without
   spring. */
static double stable_step(double w2, double d)
{
    double sum = sqrt(d * d + w2) + d;
    return sum > 0 ? 2 / sum : INFINITY;
}

/* Speeds to be expected, m/s. */
typedef struct speeds {
    double own;    /* of the bodies; 0: all is at rest, then a small overlap stands for it */
    double strain; /* of the cell */
} speeds;

static void limit_of_pair(const mrn_interaction *ia, double r, double m, double softening,
                          const speeds *u, mrn_step_limit *l, double *resolved)
{
    const mrn_law *normal = ia->ready.part[MRN_LAW_NORMAL];
    const double *c = ia->ready.coef[MRN_LAW_NORMAL];
    double v = l->speed, d = u->own > 0 ? impact_overlap(normal, c, r, m, u->own) : 1e-3 * r;
    if (u->strain > 0)
        d = fmax(d, impact_overlap(normal, c, r, m, u->strain));
    stiffness g = stiffness_of(&ia->ready, r, m, d, softening);
    l->critical = fmin(l->critical, stable_step(g.k / m, g.c / m));
    l->contact_time = fmin(l->contact_time, v > 0 ? normal->contact_time(c, r, m, v) : INFINITY);
    double own = 2 * sqrt(m / g.k_damped);
    if (own < *resolved) {
        *resolved = own;
        snprintf(l->reason, sizeof l->reason,
                 "stiffest contact %.3g N/m on an effective mass of %.3g kg, at %.3g m/s",
                 g.k_damped, m, v);
    }
}

/* Each material pair that can meet: lightest on lightest, and lightest on a wall. */
static void limits_of_kinds(const mrn_scene *scene, const kind *k, const speeds *u,
                            mrn_step_limit *l, double *resolved)
{
    for (int i = 0; i < scene->n_interactions; i++) {
        const mrn_interaction *ia = &scene->interaction[i];
        const kind *a = &k[ia->a < 64 ? ia->a : 63], *b = &k[ia->b < 64 ? ia->b : 63];
        if (isfinite(a->m) && isfinite(b->m))
            limit_of_pair(ia, a->r * b->r / (a->r + b->r), a->m * b->m / (a->m + b->m),
                          fmax(a->softening, b->softening), u, l, resolved);
        if (isfinite(a->m) && b->wall)
            limit_of_pair(ia, a->r, a->m, a->softening, u, l, resolved);
        if (isfinite(b->m) && a->wall)
            limit_of_pair(ia, b->r, b->m, b->softening, u, l, resolved);
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

/* ---- the contact network as it is: a grain held by several contacts is stiffer than in one impact
 * ---- */

/* What holds one grain. Its contacts add up when their other ends rest, and a single one is faster
   when its other end swings against it; the highest mode of a bed lies near the faster of the two.
   (Letting all other ends swing against the grain, Gershgorin's bound, is safer than needed: in a
   bed of 1000 spheres with restitution 0.1 a step of 2.5 times it was stable, one of 3.8 times not.
   The estimate here is twice that bound there.) */
typedef struct hold {
    double w2, d; /* sums: squared frequency, damping rate    */
    double step;  /* stable step of the fastest single contact */
} hold;

static void add_stiffness(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                          double delta, hold *b)
{
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
    double ri = s->body.radius[i], rj = s->body.radius[j];
    double mi = s->body.mass[i], mj = s->body.mass[j];
    bool held = j < s->body.n_walls || (s->body.flags[j] & MRN_BODY_FIXED);
    double r = j < s->body.n_walls ? ri : ri * rj / (ri + rj), m = held ? mi : mi * mj / (mi + mj);
    stiffness g = stiffness_of(&scene->interaction[ia].ready, r, m, delta, yielding(scene, s, i));
    b->w2 += g.k / mi;
    b->d += g.c / mi;
    b->step = fmin(b->step, stable_step(g.k / m, g.c / m));
}

/* The grain whose row holds pair k. */
static int32_t owner_of(const mrn_pairs *p, int64_t k)
{
    int32_t lo = 0, hi = p->rows;
    for (;;) {
        int32_t mid = lo + (hi - lo) / 2;
        if (p->row[mid] > k)
            hi = mid;
        else if (p->row[mid + 1] <= k)
            lo = mid + 1;
        else
            return mid;
    }
}

static double overlap_of(const mrn_state *s, const mrn_images *im, int32_t i, int32_t j)
{
    mrn_vec3 d = mrn_images_nearest(
        im, mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i), mrn_load3(s->body.x + 3 * (size_t)j)));
    return fmax(0, s->body.radius[i] + s->body.radius[j] - mrn_norm(d));
}

/* The overlap at which the normal law bears a force: for grains with corners, whose overlap is not
   to be had from their places alone. The mean in logarithm converges for any power law. */
static double overlap_under(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                            const double *force)
{
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
    const mrn_law *law = scene->interaction[ia].ready.part[MRN_LAW_NORMAL];
    const double *coef = scene->interaction[ia].ready.coef[MRN_LAW_NORMAL];
    bool wall = j < s->body.n_walls;
    double ri = s->body.radius[i], rj = s->body.radius[j], f = mrn_norm(mrn_load3(force));
    double mi = s->body.mass[i], mj = s->body.mass[j], r = wall ? ri : ri * rj / (ri + rj);
    double m = wall ? mi : mi * mj / (mi + mj), delta = 1e-3 * r;
    for (int n = 0; n < 40 && law->stiffness != NULL; n++) {
        double k = law->stiffness(coef, r, m, delta, 0);
        delta = k > 0 ? fmin(sqrt(delta * f / k), r) : delta;
    }
    return delta;
}

static bool has_polytope(const mrn_state *s, int32_t i, int32_t j)
{
    return ((s->body.flags[i] | s->body.flags[j]) & MRN_BODY_POLYTOPE) != 0;
}

/* Of pair k, between grains i and j. */
static double overlap_of_pair(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                              int64_t k, int32_t i, int32_t j)
{
    return has_polytope(s, i, j) ? overlap_under(scene, s, i, j, s->contact.force + 3 * k)
                                 : overlap_of(s, im, i, j);
}

static double stable_step_of_grain(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                                   int32_t i)
{
    const mrn_pairs *p = &s->pair;
    hold b = {0, 0, INFINITY};
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
        if (mrn_contact_alive(&s->contact, k))
            add_stiffness(scene, s, i, p->other[k],
                          overlap_of_pair(scene, s, im, k, i, p->other[k]), &b);
    for (int32_t n = p->back_row[i]; n < p->back_row[i + 1]; n++)
        if (mrn_contact_alive(&s->contact, p->back[n])) {
            int32_t j = owner_of(p, p->back[n]);
            add_stiffness(scene, s, i, j, overlap_of_pair(scene, s, im, p->back[n], i, j), &b);
        }
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
        mrn_contact_point c;
        if (mrn_contact_alive(&s->contact, k) && (s->body.flags[i] & MRN_BODY_POLYTOPE))
            add_stiffness(scene, s, i, p->other[k],
                          overlap_under(scene, s, i, p->other[k], s->contact.force + 3 * (size_t)k),
                          &b);
        else if (mrn_contact_alive(&s->contact, k) &&
                 mrn_wall_group(scene, s, im, i, k, k + 1, &c) > 0)
            add_stiffness(scene, s, i, p->other[k], -c.gap, &b);
    }
    return fmin(b.step, stable_step(b.w2, b.d));
}

static double network_limit(const mrn_scene *scene, const mrn_state *s)
{
    double least = INFINITY;
    mrn_images im = mrn_images_of(scene, s);
    if (!mrn_pairs_current(s))
        return INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) if (s->body.n > MANY)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_FIXED))
            least = fmin(least, stable_step_of_grain(scene, s, &im, i));
    return least;
}

/* Two demands: an impact is resolved when the step is a small fraction of what its normal spring
   would allow alone; and the step stays at a safe part of what the whole network allows, whatever
   fraction is asked for. */
mrn_step_limit mrn_smooth_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {INFINITY, INFINITY, INFINITY, 0, INFINITY, "no contact is possible"};
    kind k[64];
    double resolved = INFINITY;
    survey(scene, s, k);
    speeds u = {expected_speed(scene, s), strain_speed(scene, s)};
    l.speed = fmax(u.own, u.strain);
    limits_of_kinds(scene, k, &u, &l, &resolved);
    l.rayleigh = rayleigh(scene, k);
    l.critical = fmin(l.critical, network_limit(scene, s));
    if (scene->damping.global > 0) /* a dashpot on every grain: rates add up */
        l.critical = 1 / (1 / l.critical + scene->damping.global);
    double fraction = scene->time_step_fraction > 0 ? scene->time_step_fraction
                                                    : mrn_accuracy_of(scene->accuracy)->fraction;
    l.advised = fraction * resolved;
    if (l.advised > SAFE * l.critical) {
        l.advised = SAFE * l.critical;
        snprintf(l.reason, sizeof l.reason, "%g of the stability limit of the contacts", SAFE);
    }
    return l;
}
