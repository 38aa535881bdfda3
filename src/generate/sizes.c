/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size distributions. A sieve curve gives percent passing by mass, linear in the size between two
   sieves; drawing grains needs the distribution by number, which follows exactly (see
   create_sieve). */
#include "base/base.h"
#include "generate/generate.h"

/* Cuts when the scene gives none: three deviations, and never below a twentieth of the middle. */
static void default_cuts(mrn_sizer *s)
{
    const mrn_size *d = s->size;
    bool given = d->hi > 0 && isfinite(d->hi) && d->hi >= d->lo;
    bool normal = d->kind == MRN_SIZE_NORMAL;
    double lo = normal ? d->mean - 3 * d->deviation : d->mean * exp(-3 * d->deviation);
    double hi = normal ? d->mean + 3 * d->deviation : d->mean * exp(3 * d->deviation);
    s->lo = d->lo > 0 ? d->lo : fmax(lo, 0.05 * d->mean);
    s->hi = given ? d->hi : hi;
}

/* Share by number of the grains between sieves a < b that hold the mass m, up to a common factor:
   mass per size is m / (b - a), number per size that over r^power; integrated from a to b. */
static double number_between(double a, double b, double m, int power)
{
    return power == 3 ? m * 0.5 * (a + b) / (a * a * b * b) : m / (a * b);
}

/* The mass m between two sieves times the mean of r^(dimension - power) by mass: 1, but of balls in
   a plane, whose masses go with the cube and whose sections with the square. */
static double section_between(double a, double b, double m, int missing)
{
    return missing == 0 ? m : m * log(b / a) / (b - a);
}

/* With the number share N = sum of number_between, the mean of r^power by number is 1/N: all mass
   is 1. Regions are filled by r^dimension. */
static mrn_status create_sieve(mrn_sizer *s, mrn_message *msg)
{
    const mrn_size *d = s->size;
    if (mrn_array(&s->share, d->n, sizeof *s->share, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    const double *r = d->sieve_radius, *p = d->sieve_passing;
    double section = 0;
    for (int i = 1; i < d->n; i++) {
        s->share[i] = s->share[i - 1] + number_between(r[i - 1], r[i], p[i] - p[i - 1], s->power);
        section += section_between(r[i - 1], r[i], p[i] - p[i - 1], s->power - s->dimension);
    }
    double all = s->share[d->n - 1];
    s->mean = (s->power == s->dimension ? 1 : section) / all;
    for (int i = 1; i < d->n; i++)
        s->share[i] /= all;
    s->lo = r[0];
    s->hi = r[d->n - 1];
    return MRN_OK;
}

mrn_status mrn_sizer_create(const mrn_maker *m, mrn_sizer *out, mrn_message *msg)
{
    const mrn_size *d = &m->group->size;
    int power = m->scene->shape[m->group->shape].type->power;
    *out = (mrn_sizer){.size = d, .dimension = m->scene->dimension};
    out->power = power > 0 ? power : out->dimension;
    switch (d->kind) {
    case MRN_SIZE_CONSTANT:
        out->lo = out->hi = d->mean;
        return MRN_OK;
    case MRN_SIZE_UNIFORM:
        out->lo = d->lo;
        out->hi = d->hi;
        return MRN_OK;
    case MRN_SIZE_NORMAL:
    case MRN_SIZE_LOGNORMAL:
        default_cuts(out);
        return MRN_OK;
    case MRN_SIZE_SIEVE:
        return create_sieve(out, msg);
    }
    return mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': unknown size distribution", m->group->name);
}

void mrn_sizer_destroy(mrn_sizer *s)
{
    mrn_free(s->share);
    *s = (mrn_sizer){0};
}

/* Within a pair of sieves a < b the number below r goes with a^-k - r^-k, k = power - 1: solved for
 * r. */
double mrn_sizer_quantile(const mrn_sizer *s, double u)
{
    int lo = 0, hi = s->size->n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (s->share[mid] <= u)
            lo = mid;
        else
            hi = mid;
    }
    double a = s->size->sieve_radius[lo], b = s->size->sieve_radius[hi];
    double width = s->share[hi] - s->share[lo];
    double t = width > 0 ? (u - s->share[lo]) / width : 0;
    double r;
    if (s->power == 3) {
        double p = 1 / (a * a), q = 1 / (b * b);
        r = 1 / sqrt(p - t * (p - q));
    } else {
        double p = 1 / a, q = 1 / b;
        r = 1 / (p - t * (p - q));
    }
    return fmin(fmax(r, a), b);
}

double mrn_sizer_draw(const mrn_sizer *s, mrn_rng *rng)
{
    const mrn_size *d = s->size;
    if (d->kind == MRN_SIZE_CONSTANT)
        return d->mean;
    if (d->kind == MRN_SIZE_UNIFORM)
        return d->lo + (d->hi - d->lo) * mrn_rng_uniform(rng);
    if (d->kind == MRN_SIZE_SIEVE)
        return mrn_sizer_quantile(s, mrn_rng_uniform(rng));
    for (int tries = 0; tries < 100000; tries++) {
        double z = d->deviation * mrn_rng_normal(rng);
        double r = d->kind == MRN_SIZE_NORMAL ? d->mean + z : d->mean * exp(z);
        if (r >= s->lo && r <= s->hi)
            return r;
    }
    return NAN;
}

/* ---- all radii of a fill ---- */

typedef struct radii {
    int64_t n, capacity;
    double *r;
    double volume;
} radii;

static mrn_status add(const mrn_maker *m, radii *list, double r, mrn_message *msg)
{
    if (!(r > 0) || !isfinite(r)) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': the cuts of the size distribution leave nothing",
                 m->group->name);
        mrn_fail_hint(msg, "move the cuts closer to the mean, or make the deviation larger");
        return MRN_ERR_INPUT;
    }
    if (mrn_grow(&list->r, &list->capacity, list->n + 1, sizeof *list->r) != MRN_OK)
        return mrn_fail_memory(msg);
    list->r[list->n++] = r;
    list->volume += mrn_maker_volume(m, r);
    return MRN_OK;
}

/* One draw in each of n equal parts of the number distribution, in random order. The few large
   grains of a wide curve carry much of its mass: independent draws would miss their number by its
   square root. */
static mrn_status draw_sieve(const mrn_maker *m, const mrn_sizer *s, int64_t n, mrn_rng *rng,
                             radii *list, mrn_message *msg)
{
    for (int64_t i = 0; i < n; i++) {
        double u = ((double)i + mrn_rng_uniform(rng)) / (double)n;
        mrn_status st = add(m, list, mrn_sizer_quantile(s, fmin(u, 1 - 1e-16)), msg);
        if (st != MRN_OK)
            return st;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(mrn_rng_uniform(rng) * (double)(i + 1));
        double r = list->r[i];
        list->r[i] = list->r[j];
        list->r[j] = r;
    }
    return MRN_OK;
}

/* Draws on until one more grain would overshoot the target by more than it misses it now. */
static mrn_status draw_volume(const mrn_maker *m, const mrn_sizer *s, double target, mrn_rng *rng,
                              radii *list, mrn_message *msg)
{
    if (s->size->kind == MRN_SIZE_SIEVE) {
        double expected = target / (mrn_maker_volume(m, 1) * s->mean);
        if (expected < 2e9) {
            mrn_status st = draw_sieve(m, s, llround(expected), rng, list, msg);
            if (st != MRN_OK)
                return st;
        }
        while (list->n > 0 &&
               list->volume - 0.5 * mrn_maker_volume(m, list->r[list->n - 1]) > target)
            list->volume -= mrn_maker_volume(m, list->r[--list->n]);
    }
    while (list->n < INT32_MAX) {
        double r = mrn_sizer_draw(s, rng);
        if (list->volume + 0.5 * mrn_maker_volume(m, r) > target)
            return MRN_OK;
        mrn_status st = add(m, list, r, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

static mrn_status draw_count(const mrn_maker *m, const mrn_sizer *s, int64_t n, mrn_rng *rng,
                             radii *list, mrn_message *msg)
{
    if (s->size->kind == MRN_SIZE_SIEVE)
        return draw_sieve(m, s, n, rng, list, msg);
    for (int64_t i = 0; i < n; i++) {
        mrn_status st = add(m, list, mrn_sizer_draw(s, rng), msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

mrn_status mrn_sizer_fill(const mrn_maker *m, const mrn_sizer *s, double region_volume,
                          double **radius, int64_t *n, mrn_message *msg)
{
    const mrn_group *g = m->group;
    mrn_rng rng = mrn_maker_rng(m, MRN_FOR_SIZES);
    radii list = {0};
    mrn_status st;
    if (g->count > 0 &&
        (st = mrn_grow(&list.r, &list.capacity, g->count, sizeof *list.r)) != MRN_OK)
        return mrn_fail_memory(msg);
    if (g->count > 0)
        st = draw_count(m, s, g->count, &rng, &list, msg);
    else
        st = draw_volume(m, s, g->solid_fraction * region_volume, &rng, &list, msg);
    if (st != MRN_OK) {
        mrn_free(list.r);
        return st;
    }
    *radius = list.r;
    *n = list.n;
    return MRN_OK;
}
