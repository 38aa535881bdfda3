/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where polygons meet: closed forms, then random pairs against distances and overlaps by brute
   force. MRN_FUZZ=N tries N pairs. */
#include "part_kit.h"

static mrn_posed at(const hand *h, double x, double y, double angle)
{
    return mrn_posed_make(&h->c, mrn_v3(x, y, 0), about_z(angle), 1);
}

/* ---- closed forms ---- */

static void a_block_on_a_block(void **state)
{
    (void)state;
    hand small, large;
    hand_rectangle(&small, 0.5, 0.5);
    hand_rectangle(&large, 2, 1);
    for (int overlap = 0; overlap < 2; overlap++) {
        double gap = overlap ? -0.01 : 0.02;
        mrn_posed a = at(&large, 0, 0, 0), c = at(&small, 0.3, 1.5 + gap, 0);
        mrn_contact_point m[MRN_NARROW_MAX];
        assert_int_equal(mrn_narrow_polygons(&c, &a, 0.05, m), 2);
        assert_true(m[0].feature != m[1].feature);
        for (int k = 0; k < 2; k++) {
            assert_float_equal(m[k].gap, gap, 1e-15);
            assert_float_equal(m[k].normal.y, 1, 1e-15);
            assert_float_equal(m[k].point.y, 1 + 0.5 * gap, 1e-15);
            assert_float_equal(fabs(m[k].point.x - 0.3), 0.5, 1e-15);
        }
        /* the other way round: the same points, the normal turned */
        mrn_contact_point w[MRN_NARROW_MAX];
        assert_int_equal(mrn_narrow_polygons(&a, &c, 0.05, w), 2);
        for (int k = 0; k < 2; k++) {
            assert_float_equal(w[k].normal.y, -1, 1e-15);
            assert_float_equal(w[k].gap, gap, 1e-15);
        }
    }
}

/* Overhanging: one point is the block's corner, the other the corner of what it lies on. */
static void an_overhanging_block(void **state)
{
    (void)state;
    hand b;
    hand_rectangle(&b, 0.5, 0.5);
    mrn_posed a = at(&b, 0, 0, 0), c = at(&b, 0.4, 0.999, 0);
    mrn_contact_point m[MRN_NARROW_MAX];
    assert_int_equal(mrn_narrow_polygons(&c, &a, 0.05, m), 2);
    double lo = fmin(m[0].point.x, m[1].point.x), hi = fmax(m[0].point.x, m[1].point.x);
    assert_float_equal(lo, -0.1, 1e-12);
    assert_float_equal(hi, 0.5, 1e-12);
}

static void corner_on_side_and_on_corner(void **state)
{
    (void)state;
    hand b;
    hand_rectangle(&b, 0.5, 0.5);
    double half = sqrt(0.5);
    mrn_posed a = at(&b, 0, 0, 0), c = at(&b, 0.2, 0.5 + half + 0.01, 0.25 * MRN_PI);
    mrn_contact_point m[MRN_NARROW_MAX];
    assert_int_equal(mrn_narrow_polygons(&c, &a, 0.05, m), 1);
    assert_float_equal(m[0].gap, 0.01, 1e-14);
    assert_float_equal(m[0].point.x, 0.2, 1e-14);
    /* corner and corner, along the diagonal */
    c = at(&b, 1.03, 1.04, 0);
    assert_int_equal(mrn_narrow_polygons(&c, &a, 0.06, m), 1);
    assert_float_equal(m[0].gap, 0.05, 1e-14);
    assert_float_equal(m[0].normal.x, 0.6, 1e-12);
    assert_float_equal(m[0].point.x, 0.515, 1e-14);
    assert_int_equal(mrn_narrow_polygons(&c, &a, 0.049, m), 0);
}

/* Flush ends: the joint's normal, whatever the last digits say. */
static void flush_ends_keep_the_joint(void **state)
{
    (void)state;
    hand b;
    hand_rectangle(&b, 0.5, 0.5);
    for (int k = -3; k <= 3; k++)
        for (int j = -3; j <= 3; j++) {
            mrn_posed a = at(&b, 0, 0, 0), c = at(&b, 1e-4 * k, 1 + 1e-6, 1e-7 * j);
            mrn_contact_point m[MRN_NARROW_MAX];
            assert_int_equal(mrn_narrow_polygons(&c, &a, 0.05, m), 2);
            assert_float_equal(m[0].normal.y, 1, 1e-12);
        }
}

/* A corner keeps its key from side to side, and both ways of taking the normal give the same keys.
 */
static void keys_stay(void **state)
{
    (void)state;
    hand b, g;
    hand_rectangle(&b, 0.5, 0.5);
    hand_rectangle(&g, 3, 0.5);
    mrn_posed a = at(&g, 0, 0, 0);
    uint32_t first[2] = {0};
    for (int k = 0; k < 200; k++) {
        mrn_posed c = at(&b, -1.5 + 0.0151 * k, 0.9999, (k % 2 ? 1 : -1) * 1e-9);
        mrn_contact_point m[MRN_NARROW_MAX];
        assert_int_equal(mrn_narrow_polygons(&c, &a, 0.05, m), 2);
        uint32_t lo = m[0].feature < m[1].feature ? m[0].feature : m[1].feature;
        uint32_t hi = m[0].feature < m[1].feature ? m[1].feature : m[0].feature;
        if (k == 0)
            first[0] = lo, first[1] = hi;
        assert_int_equal(lo, first[0]);
        assert_int_equal(hi, first[1]);
    }
}

static void same_place(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int k = 3; k < 40; k++) {
        hand b;
        hand_random(&b, &r, k);
        mrn_posed a = at(&b, 0.3, 0.1, 0.4), c = a;
        mrn_contact_point m[MRN_NARROW_MAX];
        int n = mrn_narrow_polygons(&c, &a, 0.01, m);
        assert_true(n >= 1 && n <= 2);
        for (int i = 0; i < n; i++)
            check_contact_point(&m[i]);
        assert_true(least_gap(m, n) < 0);
    }
}

/* ---- brute force ---- */

/* Largest separation over all sides of `ref`. */
static double brute_sides(const mrn_posed *ref, const mrn_posed *inc)
{
    double most = -INFINITY;
    for (int f = 0; f < ref->shape->n_faces; f++) {
        mrn_vec3 n = mrn_posed_turn(ref, mrn_load3(ref->shape->plane + 4 * f));
        mrn_vec3 p = mrn_posed_point(ref, ref->shape->corner[2 * f]);
        most = fmax(most, brute_lowest(inc, n) - mrn_dot(n, p));
    }
    return most;
}

static double point_segment(mrn_vec3 p, mrn_vec3 a, mrn_vec3 b)
{
    mrn_vec3 d = mrn_sub(b, a);
    double t = mrn_clamp(mrn_dot(mrn_sub(p, a), d) / mrn_dot(d, d), 0, 1);
    return mrn_norm(mrn_sub(p, mrn_axpy(t, d, a)));
}

static double brute_corners(const mrn_posed *p, const mrn_posed *q)
{
    double least = INFINITY;
    for (int k = 0; k < p->shape->n_points; k++)
        for (int f = 0; f < q->shape->n_faces; f++)
            least = fmin(least, point_segment(mrn_posed_point(p, k),
                                              mrn_posed_point(q, q->shape->corner[2 * f]),
                                              mrn_posed_point(q, q->shape->corner[2 * f + 1])));
    return least;
}

/* Distance, or minus the least overlap. */
static double brute_distance(const mrn_posed *c, const mrn_posed *a)
{
    double s = fmax(brute_sides(a, c), brute_sides(c, a));
    return s < 0 ? s : fmin(brute_corners(c, a), brute_corners(a, c));
}

static double random_poses(mrn_rng *r, const hand *h, const hand *g, mrn_posed *c, mrn_posed *a,
                           int kind)
{
    double angle = uniform(r, 0, 7), turn = uniform(r, 0, 7), far = uniform(r, 0, 2.2);
    double way = uniform(r, 0, 7), sc = uniform(r, 0.3, 2), sa = uniform(r, 0.3, 2);
    double alert = kind % 3 == 0 ? 0.3 : 0.02;
    if (kind % 4 == 1) /* multiples of a right angle: sides lie along sides */
        angle = turn + 0.5 * MRN_PI * (int)uniform(r, 0, 4);
    double d = far * (kind % 5 == 0 ? sc + sa : 0.7 * (sc + sa));
    mrn_vec3 x = mrn_v3(3, -2, 0);
    *a = mrn_posed_make(&g->c, x, about_z(turn), sa);
    *c = mrn_posed_make(&h->c, mrn_add(x, mrn_v3(d * cos(way), d * sin(way), 0)), about_z(angle),
                        sc);
    return alert;
}

/* Rounding of coordinates of size 10: 1e-13 is about a hundred units in the last place. */
#define ROUNDING 1e-13

static void check_pair(const mrn_posed *c, const mrn_posed *a, double alert)
{
    mrn_contact_point m[MRN_NARROW_MAX];
    int n = mrn_narrow_polygons(c, a, alert, m);
    double distance = brute_distance(c, a);
    /* corners may overhang sides by a hundredth of the alert distance */
    double spare = distance > 0 ? 0.01 * alert + 1e-8 : 0;
    if (n == 0) {
        assert_true(distance >= alert - ROUNDING);
        return;
    }
    double gap = least_gap(m, n);
    assert_true(gap <= distance + ROUNDING && gap >= distance - spare - ROUNDING);
    assert_true(n <= 2);
    for (int k = 0; k < n; k++) {
        check_contact_point(&m[k]);
        assert_true(m[k].gap < alert);
        assert_true(mrn_norm(mrn_sub(m[k].normal, m[0].normal)) == 0);
    }
    assert_true(n < 2 || m[0].feature != m[1].feature);
    /* the normal separates by what is stated */
    mrn_vec3 w = m[0].normal;
    double along = brute_lowest(c, w) + brute_lowest(a, mrn_scale(-1, w));
    assert_true(fabs(along - gap) <= spare + ROUNDING);
}

static void check_swapped(const mrn_posed *c, const mrn_posed *a, double alert)
{
    mrn_contact_point m[MRN_NARROW_MAX], w[MRN_NARROW_MAX];
    int n = mrn_narrow_polygons(c, a, alert, m), k = mrn_narrow_polygons(a, c, alert, w);
    assert_int_equal(n > 0, k > 0);
    if (n > 0)
        assert_true(fabs(least_gap(m, n) - least_gap(w, k)) <= ROUNDING);
}

/* Carried along by a turn and a shift, the answer comes along. */
static void check_carried(const mrn_posed *c, const mrn_posed *a, double alert, double by)
{
    mrn_quat q = about_z(by);
    mrn_vec3 shift = mrn_v3(-1.5, 4.25, 0);
    mrn_posed p = *c, o = *a, *both[2] = {&p, &o};
    for (int k = 0; k < 2; k++) {
        both[k]->x = mrn_add(mrn_rotate(q, both[k]->x), shift);
        mrn_posed turn = mrn_posed_make(NULL, shift, q, 1);
        for (int i = 0; i < 3; i++) {
            mrn_vec3 col = {both[k]->m[i], both[k]->m[3 + i], both[k]->m[6 + i]};
            col = mrn_posed_turn(&turn, col);
            both[k]->m[i] = col.x, both[k]->m[3 + i] = col.y, both[k]->m[6 + i] = col.z;
        }
    }
    mrn_contact_point m[MRN_NARROW_MAX], w[MRN_NARROW_MAX];
    int n = mrn_narrow_polygons(c, a, alert, m), k = mrn_narrow_polygons(&p, &o, alert, w);
    double tell = 1e-12; /* ties may be decided otherwise; the gap may not change */
    if (n > 0 && k > 0)
        assert_true(fabs(least_gap(m, n) - least_gap(w, k)) <= tell);
    else
        assert_true(n == k || fabs(brute_distance(c, a) - alert) < tell + 0.011 * alert);
}

static void against_brute_force(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(20, 1);
    hand h, g;
    for (int64_t i = 0, n = fuzz_count(100000); i < n; i++) {
        if (i % 50 == 0) {
            int nh = 3 + (int)uniform(&r, 0, i % 100 == 0 ? 30 : 8),
                ng = 3 + (int)uniform(&r, 0, 8);
            hand_random(&h, &r, nh);
            hand_random(&g, &r, ng);
            if (i % 200 == 0) {
                hand_rectangle(&h, 1, 0.5);
                hand_rectangle(&g, 0.5, 1);
            }
        }
        mrn_posed c, a;
        double alert = random_poses(&r, &h, &g, &c, &a, (int)(i % 60));
        check_pair(&c, &a, alert);
        if (i % 16 == 0) {
            double by = uniform(&r, 0, 7);
            check_swapped(&c, &a, alert);
            check_carried(&c, &a, alert, by);
        }
    }
}

/* ---- overlap ---- */

static void overlap_of_blocks(void **state)
{
    (void)state;
    hand b;
    hand_rectangle(&b, 0.5, 0.5);
    mrn_posed a = at(&b, 0, 0, 0), c = at(&b, 0.2, 0.9, 0);
    mrn_overlap o;
    assert_true(mrn_overlap_convex(&c, &a, &o));
    assert_float_equal(o.volume, 0.8 * 0.1, 1e-15);
    /* the top of A over 0.8 and its right side over 0.1 */
    assert_float_equal(o.area, hypot(0.8, 0.1), 1e-15);
    assert_float_equal(o.normal.x, 0.1 / hypot(0.8, 0.1), 1e-14);
    assert_float_equal(o.centre.x, 0.1, 1e-14);
    assert_float_equal(o.centre.y, 0.45, 1e-14);
    /* flush sides, the commonest of degenerate positions */
    c = at(&b, 0, 0.9, 0);
    assert_true(mrn_overlap_convex(&c, &a, &o));
    assert_float_equal(o.volume, 0.1, 1e-15);
    c = at(&b, 0, 1.0001, 0);
    assert_false(mrn_overlap_convex(&c, &a, &o));
}

/* dV = -area n.dx when C moves by dx: the integral of A's normal is minus the gradient. */
static void overlap_and_its_gradient(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(21, 1);
    int tried = 0;
    for (int i = 0; i < 3000; i++) {
        hand h, g;
        int nh = 3 + (int)uniform(&r, 0, 9), ng = i % 10 == 0 ? 120 : 3 + (int)uniform(&r, 0, 9);
        hand_random(&h, &r, nh);
        hand_random(&g, &r, ng);
        mrn_posed c, a;
        random_poses(&r, &h, &g, &c, &a, 2);
        mrn_overlap o, lo, hi;
        bool any = mrn_overlap_convex(&c, &a, &o);
        assert_int_equal(any && o.volume > 1e-9,
                         brute_distance(&c, &a) < 0 && any && o.volume > 1e-9);
        if (!any || o.volume < 1e-3)
            continue;
        tried++;
        for (int k = 0; k < 2; k++) {
            double step = 1e-6;
            mrn_vec3 d = k == 0 ? mrn_v3(step, 0, 0) : mrn_v3(0, step, 0);
            mrn_posed p = c, q = c;
            p.x = mrn_sub(c.x, d);
            q.x = mrn_add(c.x, d);
            assert_true(mrn_overlap_convex(&p, &a, &lo) && mrn_overlap_convex(&q, &a, &hi));
            double slope = (hi.volume - lo.volume) / (2 * step);
            /* second differences: the area has a kink where a corner goes through a side */
            assert_float_equal(slope, -o.area * (k == 0 ? o.normal.x : o.normal.y), 1e-4);
        }
        /* the two ways round are one region */
        assert_true(mrn_overlap_convex(&a, &c, &lo));
        assert_float_equal(lo.volume, o.volume, 1e-12);
        assert_float_equal(mrn_norm(mrn_sub(lo.centre, o.centre)), 0, 1e-9);
        assert_float_equal(
            mrn_norm(mrn_add(mrn_scale(lo.area, lo.normal), mrn_scale(o.area, o.normal))), 0,
            1e-11);
    }
    assert_true(tried > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_block),
        cmocka_unit_test(an_overhanging_block),
        cmocka_unit_test(corner_on_side_and_on_corner),
        cmocka_unit_test(flush_ends_keep_the_joint),
        cmocka_unit_test(keys_stay),
        cmocka_unit_test(same_place),
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(overlap_of_blocks),
        cmocka_unit_test(overlap_and_its_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
