/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The friction cone: projection against brute force, Moreau's decomposition, the natural map on
   states whose laws hold and on states whose laws do not. */
#include "solve/problems.h"

#include "solve/cone.h"

static void draw_mu(mrn_rng *rng, const mrn_contact_layout *lay, double *mu)
{
    for (int g = 0; g < lay->groups; g++) {
        double x = mrn_rng_uniform(rng);
        mu[g] = x < 0.15 ? 0 : 2 * x; /* some groups without friction */
    }
}

static void draw_vector(mrn_rng *rng, int n, double *x)
{
    for (int c = 0; c < n; c++)
        x[c] = mrn_rng_normal(rng);
}

static bool inside(const mrn_contact_layout *lay, const double *mu, const double *p, double slack)
{
    for (int g = 0; g < lay->groups; g++)
        if (mrn_cone_norm(p + lay->first[g], lay->width[g]) > mu[g] * p[0] + slack)
            return false;
    return p[0] >= 0;
}

/* Squared distance of y from the slice p_N = x of the cone: each group goes to its own disc. */
static double slice(const mrn_contact_layout *lay, const double *mu, const double *y, double x)
{
    double sum = (y[0] - x) * (y[0] - x);
    for (int g = 0; g < lay->groups; g++) {
        double over = mrn_cone_norm(y + lay->first[g], lay->width[g]) - mu[g] * x;
        sum += over > 0 ? over * over : 0;
    }
    return sum;
}

/* The projection as the passes of the general way give it. */
static void project_by_passes(double mu, const double *y, double *p)
{
    double t = mrn_cone_norm(y + 1, 2), x = mrn_cone_normal(1, &mu, y[0], &t);
    double room = mu * x, s = t > room ? room / t : 1;
    p[0] = x, p[1] = s * y[1], p[2] = s * y[2];
}

/* Coulomb's cone in 3D is projected on and mapped by lines of its own: the same bits. */
static void unrolled_with_the_same_bits(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(3, 0);
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    for (int k = 0; k < 20000; k++) {
        double r[3], u[3], y[3], p[3], f[3], mu[3], rho = 0.1 + mrn_rng_uniform(&rng), sum = 0;
        draw_mu(&rng, lay, mu);
        draw_vector(&rng, 3, r), draw_vector(&rng, 3, u);
        if (k % 7 == 0)
            u[1] = u[2] = r[1] = r[2] = 0; /* the axis, and with k % 14 the apex */
        if (k % 14 == 0)
            r[0] = 0;
        project_by_passes(mu[0], r, p);
        mrn_cone_project(lay, mu, r, y);
        assert_memory_equal(y, p, sizeof p);
        double square = mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f), expected[3];
        for (int c = 0; c < 3; c++) {
            expected[c] = rho * (c == 0 ? u[0] + mrn_cone_g(lay, mu, u) : u[c]);
            y[c] = r[c] - expected[c];
        }
        project_by_passes(mu[0], y, p);
        for (int c = 0; c < 3; c++) {
            expected[c] += y[c] - p[c];
            sum += expected[c] * expected[c];
        }
        assert_memory_equal(f, expected, sizeof f);
        assert_true(square == sum);
    }
}

/* The distance is a convex function of the slice: a ternary search finds its least value. Values
   near a minimum are flat: 1e-12 in the squared distance is what 100 steps of a search give. */
static void projection_is_the_nearest_point(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int k = 0; k < 2000; k++) {
            const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
            double y[6], p[6], mu[3], lo = 0, hi = 20;
            draw_mu(&rng, lay, mu);
            draw_vector(&rng, lay->block, y);
            mrn_cone_project(lay, mu, y, p);
            assert_true(inside(lay, mu, p, 1e-15));
            for (int step = 0; step < 100; step++) {
                double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
                if (slice(lay, mu, y, a) < slice(lay, mu, y, b))
                    hi = b;
                else
                    lo = a;
            }
            double got = distance(lay->block, y, p);
            assert_true(fabs(got * got - slice(lay, mu, y, lo)) <= 1e-12);
            mrn_cone_project(lay, mu, y, y); /* in place */
            assert_memory_equal(y, p, (size_t)lay->block * sizeof *p);
        }
}

/* y = P_K(y) + P_polar(y), orthogonal; -P_polar lies in K*: x . z >= 0 for every z of K. Idempotent
   and without effect inside. All to some eps of numbers of order 1. */
static void moreau_decomposition(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(2, 0);
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int k = 0; k < 2000; k++) {
            const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
            double y[6], p[6], again[6], z[6], mu[3], dot = 0, dual = 0;
            draw_mu(&rng, lay, mu);
            draw_vector(&rng, lay->block, y);
            draw_vector(&rng, lay->block, z);
            mrn_cone_project(lay, mu, y, p);
            mrn_cone_project(lay, mu, p, again);
            mrn_cone_project(lay, mu, z, z);
            for (int c = 0; c < lay->block; c++) {
                dot += p[c] * (y[c] - p[c]);
                dual += (p[c] - y[c]) * z[c];
            }
            assert_true(fabs(dot) <= 1e-14);
            assert_true(dual >= -1e-14);
            assert_true(distance(lay->block, p, again) <= 4e-15);
            y[0] = 1; /* well inside: not a bit changes */
            for (int g = 0; g < lay->groups; g++)
                for (int c = 0; c < lay->width[g]; c++)
                    y[lay->first[g] + c] *= 0.1 * mu[g];
            mrn_cone_project(lay, mu, y, p);
            if (inside(lay, mu, y, -1e-9))
                assert_memory_equal(y, p, (size_t)lay->block * sizeof *p);
        }
}

/* ---- states at which the laws hold: open, sticking, sliding and rolling in all mixtures ---- */

/* Bit g of `moving`: group g is at its limit and moves against its impulse. */
static void lawful(mrn_rng *rng, const mrn_contact_layout *lay, const double *mu, bool open,
                   unsigned moving, double *r, double *u)
{
    double size = 0.5 + mrn_rng_uniform(rng);
    memset(r, 0, 6 * sizeof *r), memset(u, 0, 6 * sizeof *u);
    (open ? u : r)[0] = size;
    for (int g = 0; g < lay->groups; g++) {
        double t[2] = {1, 0}, part = 0.9 * mrn_rng_uniform(rng), a = 6.3 * mrn_rng_uniform(rng);
        double slip = mrn_rng_uniform(rng);
        bool moves = moving >> g & 1;
        if (lay->width[g] == 2)
            t[0] = cos(a), t[1] = sin(a);
        for (int c = 0; c < lay->width[g]; c++) {
            int k = lay->first[g] + c;
            r[k] = open ? 0 : mu[g] * size * t[c] * (moves ? 1 : part);
            u[k] = open ? slip * t[c] : moves ? -slip * t[c] : 0;
        }
    }
}

/* Zero to rounding of numbers of order rho and 1; and clearly not zero once a law is broken by
   0.01. */
static void natural_map_is_zero_where_laws_hold(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(3, 0);
    const double rhos[] = {1e-3, 1, 1e3};
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int k = 0; k < 600; k++) {
            const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
            double r[6], u[6], f[6], mu[3], rho = rhos[k % 3];
            double tiny = 1e-14 * (1 + rho), least = 1e-3 * fmin(1, rho);
            draw_mu(&rng, lay, mu);
            mu[0] = 0.1 + mu[0];
            lawful(&rng, lay, mu, k % 4 == 0, (unsigned)k / 4, r, u);
            assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) <= tiny);
            if (k % 4 == 0) {
                u[0] = -0.01; /* penetrates: rho 0.01 / sqrt(1 + sum mu²) away from K*, mu <= 2.1 */
                assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > least);
                u[0] = 1, r[0] = 0.01; /* pushes at a distance */
                assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > least);
                continue;
            }
            u[0] = 0.01; /* pushes while it opens */
            assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > least);
            lawful(&rng, lay, mu, false, 1, r, u); /* sliding, from here on */
            double slip = mrn_cone_norm(u + 1, lay->width[0]);
            for (int c = 0; c < lay->width[0]; c++)
                r[1 + c] *= 1.1; /* outside the cone, by a tenth of mu r_N >= 0.05 */
            assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > 1e-3);
            for (int c = 0; c < lay->width[0]; c++)
                r[1 + c] *= 0.9 / 1.1; /* slides below its limit */
            if (slip > 0.02)
                assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > least);
            for (int c = 0; c < lay->width[0]; c++)
                r[1 + c] /= 0.9, u[1 + c] *= -1; /* slides along its impulse, not against */
            if (slip > 0.02)
                assert_true(sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) > least);
        }
}

static void bilateral_contacts_want_no_velocity(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    const double mu[3] = {0.3}, r[6] = {-5, 7, 9}, still[6] = {0}, u[6] = {3, 4};
    double f[6];
    assert_true(mrn_natural_map(lay, mu, MRN_BILATERAL, 2, r, still, f) == 0);
    assert_true(mrn_natural_map(lay, mu, MRN_BILATERAL, 2, r, u, f) == 100);
    assert_true(f[0] == 6 && f[1] == 8 && f[2] == 0);
}

/* However large the impulse: a velocity of a contact that presses is not lost beside it. */
static void no_velocity_is_lost_beside_a_large_impulse(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (double size = 1; size < 1e30; size *= 1e3) {
            const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)kind);
            const double mu[3] = {0.5, 0.5, 0.5};
            double r[6] = {size}, u[6] = {-0.3, 0.2}, f[6];
            double sum = mrn_natural_map(lay, mu, MRN_UNILATERAL, 1, r, u, f);
            /* u + g(u) = (-0.3 + 0.5 * 0.2, 0.2): inside the cone f is exactly that */
            assert_true(fabs(sqrt(sum) - sqrt(0.08)) <= (size == 1 ? 0.2 : 1e-15));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_the_nearest_point),
        cmocka_unit_test(unrolled_with_the_same_bits),
        cmocka_unit_test(moreau_decomposition),
        cmocka_unit_test(natural_map_is_zero_where_laws_hold),
        cmocka_unit_test(bilateral_contacts_want_no_velocity),
        cmocka_unit_test(no_velocity_is_lost_beside_a_large_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
