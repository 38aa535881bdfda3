/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice among local solvers: law, method, cohesion, layouts; without friction; bilateral; and
   the residual itself. */
#include "local_blocks.h"

/* r + c n in place of r, q - c W n in place of q: the law without cohesion. */
static block shifted(const block *b, double c, double *r)
{
    block s = *b;
    for (int a = 0; a < b->n; a++)
        s.q[a] -= c * b->W[a];
    r[0] += c;
    return s;
}

/* Every method, every layout, with and without cohesion: what is called solved obeys the laws. */
static void test_methods(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int method = MRN_LOCAL_AUTO; method <= MRN_LOCAL_QUARTIC; method++) {
            const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
            mrn_rng g = mrn_rng_seed(81, (uint64_t)(10 * kind + method));
            for (int k = 0; k < blocks_many(4000); k++) {
                block b = random_block(&g, lay, 0);
                double r[MOST], size = size_of(b.n, b.q) / b.W[0];
                double c = pick(&g, 2) ? size * uniform(&g, 0, 2) : 0;
                memcpy(r, b.guess, sizeof r);
                assert_true(mrn_local_solve((mrn_local_method)method, lay, MRN_UNILATERAL, b.W,
                                            NULL, b.q, b.mu, c, r));
                block s = shifted(&b, c, r);
                /* the shift back and forth rounds r_N: some units of c in r, W c in u */
                double speed = speed_of(&s, r), room = 1e-15 * size_of(b.n * b.n, b.W) * c;
                if (!(speed * violation_of(lay, &s, r) <= 1e-11 * speed + 10 * room))
                    print_block("method", &s, r);
                assert_true(speed * violation_of(lay, &s, r) <= 1e-11 * speed + 10 * room);
            }
        }
}

/* One projection per call, many calls: the same answer as the exact solver. */
static void test_one_projection(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    const double W[9] = {2, 0.3, -0.1, 0.3, 1, 0.2, -0.1, 0.2, 1}, q[3] = {-1, 2, 0.5}, mu = 0.4;
    double r[3] = {0, 0, 0}, s[3] = {0, 0, 0}, before = INFINITY;
    for (int k = 0; k < 200; k++) {
        mrn_local_solve(MRN_LOCAL_ONE_PROJECTION, lay, MRN_UNILATERAL, W, NULL, q, &mu, 0, r);
        double now = mrn_local_residual(lay, W, q, &mu, r);
        assert_true(k % 20 || now < before || now <= 1e-15);
        before = k % 20 ? before : now;
    }
    assert_true(mrn_local_3d(W, NULL, q, mu, s));
    for (int a = 0; a < 3; a++)
        assert_true(fabs(r[a] - s[a]) <= 1e-12);
    r[0] = r[1] = r[2] = 0;
    assert_true(mrn_local_solve(MRN_LOCAL_PROJECTION, lay, MRN_UNILATERAL, W, NULL, q, &mu, 0, r));
    for (int a = 0; a < 3; a++)
        assert_true(fabs(r[a] - s[a]) <= 1e-12);
}

/* Cohesion by hand: pulled apart with u_N = 1 and W_NN = 2, a glue of c = 1 holds with r_N = -1/2
   and yields at r_N = -c when it is weaker than that. */
static void test_cohesion(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    const double W[4] = {2, 0, 0, 1}, q[2] = {1, 0.25}, mu = 0.5;
    double r[2] = {0, 0};
    assert_true(mrn_local_solve(MRN_LOCAL_AUTO, lay, MRN_UNILATERAL, W, NULL, q, &mu, 1, r));
    assert_true(fabs(r[0] + 0.5) <= 1e-15 && fabs(r[1] + 0.25) <= 1e-15); /* mu (r_N + c) = 1/4 */
    assert_true(mrn_local_solve(MRN_LOCAL_AUTO, lay, MRN_UNILATERAL, W, NULL, q, &mu, 0.25, r));
    assert_true(r[0] == -0.25 && r[1] == 0);
}

static void test_bilateral(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
        mrn_rng g = mrn_rng_seed(82, (uint64_t)kind);
        for (int k = 0; k < blocks_many(20000); k++) {
            block b = random_block(&g, lay, 1);
            double r[MOST], u[MOST];
            memcpy(r, b.guess, sizeof r);
            assert_true(
                mrn_local_solve(MRN_LOCAL_AUTO, lay, MRN_BILATERAL, b.W, NULL, b.q, b.mu, 0, r));
            velocity_of(&b, r, u);
            /* refined: backward error of a few rounding units at any condition */
            assert_true(size_of(b.n, u) <= 1e-13 * speed_of(&b, r));
        }
    }
    /* singular: answered when q is in the range of W, refused when not */
    double W[9] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, r[3] = {0, 0, 0};
    assert_true(mrn_local_bilateral(3, W, (double[]){-1, -1, 0}, r));
    assert_true(fabs(r[0] + r[1] - 1) <= 1e-13);
    assert_false(mrn_local_bilateral(3, W, (double[]){-1, 1, 0}, r));
    assert_false(mrn_local_bilateral(3, W, (double[]){0, 0, 1}, r));
}

static void test_frictionless(void **state)
{
    (void)state;
    double W[25] = {0}, q[5] = {-3, 1, 2, 3, 4}, r[5] = {9, 9, 9, 9, 9};
    W[0] = 1.5;
    assert_true(mrn_local_frictionless(5, W, q, r));
    assert_true(r[0] == 2 && r[1] == 0 && r[4] == 0);
    q[0] = 3;
    assert_true(mrn_local_frictionless(5, W, q, r));
    assert_true(r[0] == 0 && r[1] == 0 && r[4] == 0);
    q[0] = -3, W[0] = 0;
    assert_false(mrn_local_frictionless(5, W, q, r));
    assert_true(r[0] == 0);
}

/* |F| / (rho |q|): zero at an answer, 1-Lipschitz or so beside it, whatever the units. */
static void test_residual(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    for (double scale = 1e-12; scale < 1e13; scale *= 1e4) {
        double W[9] = {2 * scale, 0, 0, 0, 2 * scale, 0, 0, 0, 2 * scale}, mu = 0.5;
        double q[3] = {-4, 0, 0}, r[3] = {2 / scale, 0, 0};
        assert_true(mrn_local_residual(lay, W, q, &mu, r) <= 1e-15);
        r[0] *= 1.01; /* u_N = 0.04: F = rho u_N, so 0.04 / 4 */
        assert_true(fabs(mrn_local_residual(lay, W, q, &mu, r) - 0.01) <= 1e-12);
        r[0] = 0; /* F = -rho |q| */
        assert_true(fabs(mrn_local_residual(lay, W, q, &mu, r) - 1) <= 1e-12);
        q[0] = 0;
        assert_true(mrn_local_residual(lay, W, q, &mu, r) == 0);
        r[0] = 1;
        assert_true(mrn_local_residual(lay, W, q, &mu, r) == 1);
        q[0] = NAN;
        assert_false(mrn_local_residual(lay, W, q, &mu, r) <= 1e300);
        q[0] = -1, r[0] = 0, W[0] = NAN; /* 0 * NAN must not pass for 0 */
        assert_false(mrn_local_residual(lay, W, q, &mu, r) <= 1e300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),      cmocka_unit_test(test_one_projection),
        cmocka_unit_test(test_cohesion),     cmocka_unit_test(test_bilateral),
        cmocka_unit_test(test_frictionless), cmocka_unit_test(test_residual),
    };
    return cmocka_run_group_tests_name("solve/local", tests, NULL, NULL);
}
