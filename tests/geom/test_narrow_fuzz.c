/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of polyhedra of many kinds, at random and on purpose badly placed, against two independent
   methods: distances and overlaps by trying all features and all directions (hulls.h), and overlap
   yes or no by libccd. MRN_FUZZ=1000000 in the environment: that many pairs. */
/* ctest-labels: slow */
/* ctest-needs: ccd */
/* ctest-timeout: 600 */
#include "geom/hulls.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>

enum { POOL = 120 };

/* Grains of all sorts, about 1 in size. */
static void make_hull(hull *h, int k, mrn_rng *r)
{
    double a = hull_uniform(r, 0.3, 1), b = hull_uniform(r, 0.3, 1), t = hull_uniform(r, 0, 1);
    switch (k % 12) {
    case 0:
        hull_box(h, 1, 1, 1);
        break;
    case 1:
    case 2:
        hull_box(h, 1, a, b);
        break;
    case 3:
        hull_random(h, 4, mrn_v3(1, 1, 1), r);
        break;
    case 4:
        hull_random(h, 6 + (int)(6 * t), mrn_v3(1, a, b), r);
        break;
    case 5:
    case 6:
        hull_random(h, 8 + (int)(8 * t), mrn_v3(1, a, b), r);
        break;
    case 7:
        hull_random(h, 10, mrn_v3(1, 1, 0.03), r); /* flat */
        break;
    case 8:
        hull_random(h, 10, mrn_v3(1, 0.04, 0.04), r); /* a needle */
        break;
    case 9: /* a box whose faces are not quite flat */
        do {
            hull_box(h, 1, 1, a);
            double by = pow(10, hull_uniform(r, -7, -3));
            for (int i = 0; i < 24; i++)
                h->point[i] += by * hull_uniform(r, -1, 1);
        } while (!hull_close(h, 8));
        break;
    case 10: /* a prism */
        for (int i = 0; i < 6; i++)
            for (int z = 0; z < 2; z++)
                mrn_store3(h->point + 3 * (2 * i + z),
                           mrn_v3(cos(i * MRN_PI / 3), sin(i * MRN_PI / 3), z == 1 ? a : -a));
        assert_true(hull_close(h, 12));
        break;
    default:
        hull_random(h, k < POOL / 2 ? 20 : 40, mrn_v3(1, a, b), r);
    }
}

/* ---- places ---- */

static mrn_quat turn_between(mrn_vec3 from, mrn_vec3 to)
{
    mrn_vec3 axis = mrn_cross(from, to);
    double s = mrn_norm(axis), c = mrn_dot(from, to);
    if (s < 1e-12)
        axis = mrn_cross(from, fabs(from.x) < 0.5 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0));
    return mrn_quat_from_rotation(mrn_scale(atan2(s, c), mrn_unit(axis)));
}

static double pick(mrn_rng *r, const double *of, int n)
{
    int k = (int)(n * mrn_rng_uniform(r));
    return of[k < n ? k : n - 1];
}

/* Moves C so that its gap over A along n is `gap`. */
static void put_over(mrn_posed *c, const mrn_posed *a, mrn_vec3 n, double gap)
{
    brute_body bc, ba;
    brute_place(c, &bc);
    brute_place(a, &ba);
    c->x = mrn_axpy(gap - brute_gap(&bc, &ba, n), n, c->x);
}

typedef struct pair_case {
    mrn_posed c, a;
    mrn_quat qc, qa;
    double alert;
    bool hard; /* placed on purpose where something degenerates */
} pair_case;

static void turn_body(mrn_posed *p, mrn_quat *q, mrn_quat by)
{
    *q = mrn_quat_unit(mrn_quat_mul(by, *q));
    *p = mrn_posed_make(p->shape, p->x, *q, p->scale);
}

static pair_case place(const hull *hc, const hull *ha, mrn_rng *r)
{
    static const double gaps[] = {0, 0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.02};
    static const double tilts[] = {0, 0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.015, 0.03};
    static const double alerts[] = {0.05, 0.05, 0.01, 0.2, 0};
    pair_case t = {0};
    double scale = pow(10, hull_uniform(r, -1, 0)), kind = mrn_rng_uniform(r);
    mrn_vec3 n = hull_direction(r), side = hull_direction(r), axis = hull_direction(r);
    double far = hull_uniform(r, 0, 1), slide = hull_uniform(r, 0, 1), g = pick(r, gaps, 11);
    double tilt = pick(r, tilts, 10), face_c = mrn_rng_uniform(r), face_a = mrn_rng_uniform(r);
    t.alert = pick(r, alerts, 5) * scale;
    t.qc = hull_rotation(r);
    t.qa = hull_rotation(r);
    mrn_vec3 towards = hull_direction(r);
    mrn_vec3 x = mrn_scale(hull_uniform(r, -10, 10), towards);
    t.c = mrn_posed_make(&hc->shape, x, t.qc, scale);
    t.a = mrn_posed_make(&ha->shape, x, t.qa, 1);
    if (kind < 0.35) { /* anywhere between deep inside and beyond the alert distance */
        put_over(&t.c, &t.a, n, hull_uniform(r, -0.4, 1.3 * 0.05) * scale);
        t.c.x = mrn_axpy(0.3 * slide * scale, mrn_cross(n, side), t.c.x);
        return t;
    }
    t.hard = true;
    if (kind < 0.4) { /* the same place and the same axes */
        t.c.x = t.a.x;
        turn_body(&t.c, &t.qc, mrn_quat_mul(t.qa, mrn_quat_conj(t.qc)));
        t.c.x = mrn_axpy(g, n, t.c.x);
        return t;
    }
    mrn_vec3 out =
        mrn_posed_turn(&t.a, mrn_load3(ha->plane + 4 * (int)(face_a * ha->shape.n_faces)));
    if (kind < 0.75) /* face on face, turned away by a little */
        turn_body(
            &t.c, &t.qc,
            turn_between(
                mrn_posed_turn(&t.c, mrn_load3(hc->plane + 4 * (int)(face_c * hc->shape.n_faces))),
                mrn_scale(-1, out)));
    else if (kind < 0.85) /* an edge along an edge */ {
        const int32_t *e = hc->edge + 4 * (int)(face_c * hc->shape.n_edges),
                      *f = ha->edge + 4 * (int)(face_a * ha->shape.n_edges);
        mrn_vec3 ec = mrn_unit(mrn_sub(mrn_posed_point(&t.c, e[1]), mrn_posed_point(&t.c, e[0])));
        mrn_vec3 ea = mrn_unit(mrn_sub(mrn_posed_point(&t.a, f[1]), mrn_posed_point(&t.a, f[0])));
        turn_body(&t.c, &t.qc, turn_between(ec, ea));
        out = mrn_unit(mrn_add(mrn_posed_turn(&t.a, mrn_load3(ha->plane + 4 * f[2])),
                               mrn_posed_turn(&t.a, mrn_load3(ha->plane + 4 * f[3]))));
    } else if (kind < 0.92) { /* a corner on a corner, or next to it */
        int pc = (int)(face_c * hc->shape.n_points), pa = (int)(face_a * ha->shape.n_points);
        t.c.x = mrn_add(t.c.x, mrn_sub(mrn_posed_point(&t.a, pa), mrn_posed_point(&t.c, pc)));
        t.c.x = mrn_axpy(g * scale, n, t.c.x);
        return t;
    }
    turn_body(&t.c, &t.qc, mrn_quat_from_rotation(mrn_scale(tilt, axis)));
    put_over(&t.c, &t.a, out, g * scale);
    mrn_vec3 by = mrn_cross(out, side);
    if (far < 0.5) { /* not straight above: half over the rim and the like */
        t.c.x = mrn_axpy(0.9 * slide * scale, by, t.c.x);
    }
    return t;
}

/* ---- checks ---- */

typedef struct tally {
    long pairs, touching, points, flat, ccd_differs, swapped_differs, exact;
    double worst_apart, worst_deep, worst_flat, worst_normal;
} tally;

static void support(const void *obj, const ccd_vec3_t *dir, ccd_vec3_t *v)
{
    const brute_body *b = obj;
    mrn_vec3 d = {dir->v[0], dir->v[1], dir->v[2]};
    int at = 0;
    double most = -INFINITY;
    for (int k = 0; k < b->s->n_points; k++)
        if (mrn_dot(d, b->point[k]) > most) {
            most = mrn_dot(d, b->point[k]);
            at = k;
        }
    ccdVec3Set(v, b->point[at].x, b->point[at].y, b->point[at].z);
}

static bool ccd_overlaps(const brute_body *c, const brute_body *a)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 200;
    return ccdGJKIntersect(c, a, &ccd) != 0;
}

static double least_gap(const mrn_contact_point *m, int n)
{
    double least = INFINITY;
    for (int k = 0; k < n; k++)
        least = fmin(least, m[k].gap);
    return least;
}

/* Farthest a point stands out of a body. */
static double outside(const brute_body *b, mrn_vec3 x)
{
    double most = -INFINITY;
    for (int f = 0; f < b->s->n_faces; f++)
        most = fmax(most,
                    mrn_dot(b->normal[f], mrn_sub(x, b->point[b->s->corner[b->s->face_start[f]]])));
    return most;
}

#define DEMAND(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("pair %ld: %s; truth %.17g, alert %g, n %d, least %.17g, along %.17g\n",        \
                   sum->pairs, #what, truth, t->alert, n, least, along);                           \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static void check_pair(const pair_case *t, tally *sum)
{
    brute_body c, a;
    brute_place(&t->c, &c);
    brute_place(&t->a, &a);
    double truth = brute_signed(&c, &a), least, along = 0;
    double size = fmin(t->c.scale * t->c.shape->bound, t->a.scale * t->a.shape->bound);
    /* Positions are up to 10 from the origin: rounding is about 1e-14 for a size of 0.1. */
    double tiny = 1e-9 * size;
    mrn_contact_point m[MRN_NARROW_MAX], again[MRN_NARROW_MAX];
    mrn_narrow_memory memory = {0};
    int n = mrn_narrow_convex(&t->c, &t->a, t->alert, NULL, m);
    least = least_gap(m, n);
    sum->pairs++;
    DEMAND(n >= 0 && n <= MRN_NARROW_MAX);
    DEMAND(truth >= t->alert - tiny || n > 0);
    DEMAND(truth <= t->alert + tiny || n == 0);
    /* memory changes nothing, whatever faces it names, there or not */
    for (int k = 0; k < 5; k++) {
        for (int side = 0; side < 2 && k >= 2; side++)
            memory.face[side] = (int32_t)((sum->pairs * 7 + k * 5 + side) % 40);
        DEMAND(mrn_narrow_convex(&t->c, &t->a, t->alert, &memory, again) == n);
        DEMAND(same_meetings(m, again, n));
    }
    if (fabs(truth) > 1e-6 * size) {
        bool other = ccd_overlaps(&c, &a);
        sum->ccd_differs += other != (truth < 0);
    }
    if (n == 0)
        return;
    sum->touching++;
    sum->points += n;
    along = brute_gap(&c, &a, m[0].normal);
    /* Exact, or a face within 0.02 (sine) of the exact direction, or (overlapping) a face that
       overlaps by at most 1e-3 more: the smallest gap is off by 1e-3 of it or of alert at most. */
    double loose = 1e-3 * fmax(fabs(truth), t->alert) + 1e-6 * size;
    loose = truth < 0 ? 2 * loose : loose;
    double off = fabs(least - truth);
    DEMAND(off <= loose + tiny);
    /* The bodies' gap along the normal is never more than the truth, and moving them apart by the
       least gap leaves at most what a face turned by 0.02 dips on the way across the smaller body.
     */
    DEMAND(along <= fmax(truth, 0) + tiny || truth < 0);
    bool exact = fabs(along - truth) <= tiny && off <= tiny;
    sum->exact += exact;
    if (!exact) {
        sum->flat++;
        sum->worst_flat = fmax(sum->worst_flat, off / fmax(size, 1e-300));
        DEMAND(along >=
               truth - loose -
                   0.02 * 2 * fmax(t->c.scale * t->c.shape->bound, t->a.scale * t->a.shape->bound));
    } else if (truth > 0)
        sum->worst_apart = fmax(sum->worst_apart, off / size);
    else
        sum->worst_deep = fmax(sum->worst_deep, off / size);
    /* one point is never an approximation when apart */
    DEMAND(n > 1 || truth < 0 || off <= tiny);
    for (int k = 0; k < n; k++) {
        sum->worst_normal = fmax(sum->worst_normal, fabs(mrn_norm(m[k].normal) - 1));
        DEMAND(fabs(mrn_norm(m[k].normal) - 1) < 1e-12);
        DEMAND(m[k].gap < t->alert);
        /* half-way between a point of C and one of A; edges side by side: within their angle */
        double by = tiny + (n == 2 ? 2e-6 * size : 0);
        DEMAND(outside(&c, m[k].point) <= 0.5 * fabs(m[k].gap) + by);
        DEMAND(outside(&a, m[k].point) <= 0.5 * fabs(m[k].gap) + by);
        for (int i = 0; i < k; i++)
            DEMAND(m[k].feature != m[i].feature);
    }
    /* exchanged: the same gap, the opposite normal where the direction is the only one */
    int swapped = mrn_narrow_convex(&t->a, &t->c, t->alert, NULL, again);
    if (truth < t->alert - tiny) {
        DEMAND(swapped > 0);
        DEMAND(fabs(least_gap(again, swapped) - truth) <= loose + tiny);
        sum->swapped_differs +=
            swapped != n || mrn_norm(mrn_add(again[0].normal, m[0].normal)) > 1e-6;
    }
}

static void against_all(void **state)
{
    (void)state;
    const char *many = getenv("MRN_FUZZ");
    long n = many != NULL ? atol(many) : 20000;
    mrn_rng r = mrn_rng_seed(2024, 6);
    hull *pool = calloc(POOL, sizeof *pool);
    assert_non_null(pool);
    for (int k = 0; k < POOL; k++)
        make_hull(&pool[k], k, &r);
    tally sum = {0};
    for (long k = 0; k < n; k++) {
        int i = (int)(POOL * mrn_rng_uniform(&r)), j = (int)(POOL * mrn_rng_uniform(&r));
        /* trying everything on two of the largest takes most of the time: one in eight of those */
        double rare = mrn_rng_uniform(&r);
        while ((long)pool[i].shape.n_edges * pool[j].shape.n_edges > 2000 && rare > 0.125)
            i = (i + 1) % POOL;
        if (mrn_rng_uniform(&r) < 0.1)
            j = i;
        pair_case t = place(&pool[i], &pool[j], &r);
        check_pair(&t, &sum);
    }
    free(pool);
    printf("%ld pairs, %ld touching, %ld points, %ld exact, %ld by a near or equal face\n",
           sum.pairs, sum.touching, sum.points, sum.exact, sum.flat);
    printf("worst gap error over size: apart %.2g, overlapping %.2g, by a near face %.2g\n",
           sum.worst_apart, sum.worst_deep, sum.worst_flat);
    printf("libccd says otherwise about overlap: %ld; exchanged differently: %ld\n",
           sum.ccd_differs, sum.swapped_differs);
    assert_true(sum.touching > n / 2 && sum.exact > sum.touching / 2);
    /* only where several directions do equally well: a corner on a corner, equal bodies */
    assert_true(sum.swapped_differs < 0.01 * (double)sum.touching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
