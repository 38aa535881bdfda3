/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact with rolling and pivoting friction: random blocks of every layout, the solvers of one
   group where there is one, and a slow method that cannot go astray. */
/* ctest-labels: slow */
#include "local_blocks.h"

static bool groups(const mrn_contact_layout *lay, const block *b, double *r)
{
    return mrn_local_groups(lay, b->W, b->q, b->mu, r);
}

/* The solver judges itself in balanced units (unit diagonal of every group), 1e-13; in given units,
   where diagonals differ by up to five decades, that is less strict. */
static const double TOLERANCE = 1e-11;

static void many(mrn_contact_kind kind, int n, int n_hard)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(kind);
    crowd c = crowd_solve(lay, 0, n, 71, TOLERANCE, groups);
    assert_int_equal(c.converged, n);
    assert_true(c.open > n / 10 && c.stick > n / 20 && c.slide > n / 10);
    /* ill-conditioned, with friction up to 5: a few in ten thousand say no, none lies */
    c = crowd_solve(lay, 1, n_hard, 72, TOLERANCE, groups);
    assert_true(n_hard - c.converged <= 2 + n_hard / 2000);
}

static void test_2d_rolling(void **state)
{
    (void)state;
    many(MRN_CONTACT_2D_ROLLING, blocks_many(100000), blocks_many(50000));
}
static void test_3d_rolling(void **state)
{
    (void)state;
    many(MRN_CONTACT_3D_ROLLING, blocks_many(100000), blocks_many(20000));
}
static void test_3d_pivoting(void **state)
{
    (void)state;
    many(MRN_CONTACT_3D_PIVOTING, blocks_many(100000), blocks_many(5000));
}

/* One group: the same velocities as the solver of that dimension. Where several answers exist, both
   are answers: counted, and few (3D only; in 2D there is never more than one with q_N < 0). */
static void test_one_group(void **state)
{
    (void)state;
    for (int kind = MRN_CONTACT_2D; kind <= MRN_CONTACT_3D; kind++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
        mrn_rng g = mrn_rng_seed(73, (uint64_t)kind);
        int differ = 0, n = blocks_many(50000);
        for (int k = 0; k < n; k++) {
            block b = random_block(&g, lay, 0);
            b.mu[0] = fmin(b.mu[0], 1);
            double r[MOST], s[MOST], u[MOST], v[MOST];
            memcpy(r, b.guess, sizeof r);
            memcpy(s, b.guess, sizeof s);
            assert_true(groups(lay, &b, r));
            assert_true(kind == MRN_CONTACT_2D ? mrn_local_2d(b.W, b.q, b.mu[0], s)
                                               : mrn_local_3d(b.W, NULL, b.q, b.mu[0], s));
            velocity_of(&b, r, u);
            velocity_of(&b, s, v);
            for (int a = 0; a < b.n; a++)
                u[a] -= v[a];
            differ += size_of(b.n, u) > 1e-8 * speed_of(&b, r);
        }
        printf("  %s: %d of %d differ\n", lay->name, differ, n);
        assert_true(differ <= (kind == MRN_CONTACT_2D ? 0 : n / 500));
    }
}

/* Extragradient with a fixed short step. Returns the last move over the step. */
static double slowly(const mrn_contact_layout *lay, const block *b, int steps, double *r)
{
    double trace = 0, mu = 1, rho, u[MOST], p[MOST], moved = 0;
    for (int a = 0; a < b->n; a++)
        trace += b->W[a * b->n + a];
    for (int g = 0; g < lay->groups; g++)
        mu += b->mu[g];
    rho = 0.7 / (trace * mu); /* below the inverse of û's Lipschitz constant */
    for (int k = 0; k < steps; k++) {
        memcpy(p, r, sizeof p);
        for (int half = 0; half < 2; half++) {
            velocity_of(b, p, u);
            u[0] += mrn_cone_g(lay, b->mu, u);
            for (int a = 0; a < b->n; a++)
                p[a] = r[a] - rho * u[a];
            mrn_cone_project(lay, b->mu, p, p);
        }
        moved = 0;
        for (int a = 0; a < b->n; a++) {
            moved = fmax(moved, fabs(p[a] - r[a]) / rho);
            r[a] = p[a];
        }
        if (moved <= 1e-12 * size_of(b->n, b->q))
            break;
    }
    return moved;
}

/* Well-conditioned contacts of two bodies, friction up to 0.6: the answer is unique and the slow
   method arrives. It stops at 1e-12 |q| per step; the distance left is that times the condition (to
   1e3) times steps over time scale: 1e-7 is safe. */
static void test_slow(void **state)
{
    (void)state;
    for (int kind = MRN_CONTACT_2D_ROLLING; kind < MRN_CONTACT_KINDS; kind++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
        mrn_rng g = mrn_rng_seed(74, (uint64_t)kind);
        int compared = 0, n = blocks_many(3000), sliding = 0;
        double worst = 0;
        for (int k = 0; k < n; k++) {
            block b = {.n = lay->block};
            for (int c = 0; c < b.n; c++)
                b.W[c * b.n + c] = 1;
            double v[MOST], s[MOST] = {0}, r[MOST] = {0}, d[MOST];
            random_vector(&g, b.n, v);
            add_outer(b.n, 0.3, v, b.W);
            for (int j = 0; j < lay->groups; j++)
                b.mu[j] = uniform(&g, 0.01, 0.6);
            random_vector(&g, b.n, b.q);
            b.q[0] = -fabs(b.q[0]);
            assert_true(groups(lay, &b, r));
            if (slowly(lay, &b, 3000, s) > 1e-12 * size_of(b.n, b.q))
                continue;
            compared++;
            for (int a = 0; a < b.n; a++)
                d[a] = r[a] - s[a];
            worst = fmax(worst, size_of(b.n, d) / size_of(b.n, r));
            for (int j = 0; j < lay->groups; j++)
                sliding += mrn_cone_norm(r + lay->first[j], lay->width[j]) > 0.999 * b.mu[j] * r[0];
        }
        printf("  %s: %d of %d compared, farthest %.1e, %d groups slide\n", lay->name, compared, n,
               worst, sliding);
        assert_true(compared > 0.95 * n && worst <= 1e-7);
        assert_true(sliding > n / 10 && sliding < lay->groups * n - n / 100);
    }
}

/* A ball on a plane, at rest on it and pushed: by hand. The normal impulse is 1 / W_NN = 2; sliding
   holds, rolling gives way, pivoting holds. */
static void test_by_hand(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D_PIVOTING);
    double W[36] = {0}, r[6] = {0}, mu[3] = {0.5, 0.1, 0.2};
    const double d[6] = {0.5, 1, 1, 4, 4, 4}, q[6] = {-1, 0.3, 0.4, 3, -4, 0.8};
    for (int a = 0; a < 6; a++)
        W[a * 6 + a] = d[a];
    const double answer[6] = {2, -0.3, -0.4, -0.12, 0.16, -0.2}; /* rolls: mu r_N = 0.2 */
    assert_true(mrn_local_groups(lay, W, q, mu, r));
    for (int a = 0; a < 6; a++)
        assert_true(fabs(r[a] - answer[a]) <= 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_2d_rolling),  cmocka_unit_test(test_3d_rolling),
        cmocka_unit_test(test_3d_pivoting), cmocka_unit_test(test_one_group),
        cmocka_unit_test(test_slow),        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests_name("solve/local_groups", tests, NULL, NULL);
}
