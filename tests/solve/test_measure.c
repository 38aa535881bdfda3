/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measures of an answer against their formulas, written here once more from the definitions. */
#include "solve/problems.h"

/* ---- the formulas again: dense, Coulomb's cone by its three cases ---- */

typedef struct again {
    double u[64], natural, siconos, paper, fclib, energy, penetration, complementarity;
} again;

static void project(double mu, int width, const double *y, double *p)
{
    double t = width == 1 ? fabs(y[1]) : hypot(y[1], y[2]), a = (mu * t + y[0]) / (1 + mu * mu);
    bool polar = mu * t <= -y[0], in = t <= mu * y[0];
    for (int c = 0; c <= width; c++)
        p[c] = polar ? 0 : in ? y[c] : c == 0 ? a : mu * a * y[c] / t;
}

static double map_norm(const mrn_problem *p, const double *r, const double *u, double rho)
{
    int b = block_of(p);
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        double y[3], z[3], x[3], mu = p->mu[0][i];
        double slip = b == 2 ? fabs(u[i * b + 1]) : hypot(u[i * b + 1], u[i * b + 2]);
        for (int c = 0; c < b; c++) {
            x[c] = r[i * b + c] + (c == 0 && p->cohesion != NULL ? p->cohesion[i] : 0);
            y[c] = x[c] - rho * (u[i * b + c] + (c == 0 ? mu * slip : 0));
        }
        project(mu, b - 1, y, z);
        for (int c = 0; c < b; c++)
            sum += p->law != NULL && p->law[i] == MRN_BILATERAL ? pow(rho * u[i * b + c], 2)
                                                                : (x[c] - z[c]) * (x[c] - z[c]);
    }
    return sqrt(sum);
}

static void compute(const mrn_problem *p, const double *r, again *x)
{
    int b = block_of(p), m = p->n * b;
    double *W = dense_of(&p->W), mean = 0, power = 0, inner = 0;
    *x = (again){0};
    for (int i = 0; i < m; i++) {
        x->u[i] = p->q[i];
        mean += W[i * m + i] / m;
        for (int j = 0; j < m; j++) {
            x->u[i] += W[i * m + j] * r[j];
            x->energy += 0.5 * r[i] * W[i * m + j] * r[j];
        }
        x->energy += p->q[i] * r[i];
    }
    double q = norm_of(m, p->q), f1 = map_norm(p, r, x->u, 1);
    x->natural = map_norm(p, r, x->u, 1 / mean) * mean / q;
    x->siconos = f1 / fmax(q, fmax(norm_of(m, r), norm_of(m, x->u)));
    x->paper = f1 / q;
    x->fclib = f1 / (1 + sqrt(q));
    for (int i = 0; i < p->n; i++) {
        const double *u = x->u + i * b;
        double s = b == 2 ? fabs(u[1]) : hypot(u[1], u[2]), dot = p->mu[0][i] * s, form = 0,
               y[3] = {0};
        for (int c = 0; c < b; c++)
            y[c] = r[i * b + c] + (c == 0 && p->cohesion != NULL ? p->cohesion[i] : 0);
        dot *= y[0];
        for (int c = 0; c < b; c++) {
            dot += y[c] * u[c];
            for (int a = 0; a < b; a++)
                form += y[a] * W[(i * b + a) * m + i * b + c] * y[c];
        }
        inner += fabs(form);
        if (p->law != NULL && p->law[i] == MRN_BILATERAL)
            continue;
        power += fabs(dot);
        x->penetration = fmax(x->penetration, -u[0]);
    }
    x->complementarity = power / inner;
    mrn_free(W);
}

static void near(double x, double y)
{
    assert_true(fabs(x - y) <= 1e-12 * (fabs(x) + fabs(y))); /* sums of 60 terms in other order */
}

static void measures_are_their_formulas(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        mrn_rng rng = mrn_rng_seed(seed, 3);
        mrn_contact_kind kind = seed % 2 ? MRN_CONTACT_2D : MRN_CONTACT_3D;
        double r[60] = {0}, u[60];
        mrn_problem p = backwards(kind, 20, seed, seed % 3 == 0 ? 1e-3 : 0, r, NULL);
        int m = 20 * block_of(&p);
        double unit = pow(10, (double)(seed % 7) - 3); /* W far from 1: rho matters */
        for (int64_t k = 0; k < p.W.start[20] * p.W.br * p.W.br; k++)
            p.W.value[k] *= unit;
        if (seed % 4 == 0) {
            p.cohesion = mrn_alloc(20 * sizeof *p.cohesion);
            for (int i = 0; i < 20; i++)
                p.cohesion[i] = mrn_rng_uniform(&rng);
        }
        if (seed % 5 == 0) {
            p.law = mrn_alloc(20);
            p.law[3] = p.law[7] = MRN_BILATERAL;
        }
        for (int k = 0; k < m; k++)
            r[k] += 0.1 * mrn_rng_normal(&rng); /* laws broken everywhere */
        mrn_measures got;
        mrn_message msg = {0};
        again want;
        compute(&p, r, &want);
        ok(mrn_measure_answer(&p, r, u, &got, &msg), &msg);
        for (int k = 0; k < m; k++)
            assert_true(fabs(u[k] - want.u[k]) <= 1e-13 * (1 + unit) * 60);
        near(got.natural, want.natural);
        near(got.siconos, want.siconos);
        near(got.paper, want.paper);
        near(got.fclib, want.fclib);
        near(got.complementarity, want.complementarity);
        near(got.penetration, want.penetration);
        assert_true(fabs(got.energy - want.energy) <= 1e-12 * (1 + unit) * 60);
        assert_int_equal(got.open + got.sticking + got.sliding, 20);
        mrn_problem_release(&p);
    }
}

/* The answer a problem was built from: every measure at rounding, every contact by its status. */
static void right_answers_have_no_defect(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        double r[21 * 6];
        mrn_measures m;
        mrn_message msg = {0};
        mrn_problem p = backwards((mrn_contact_kind)kind, 21, 5, 0, r, NULL);
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        assert_true(m.natural <= 1e-14 && m.siconos <= 1e-14 && m.paper <= 1e-14);
        assert_true(m.fclib <= 1e-13 && m.complementarity <= 1e-13 && m.cone <= 1e-15);
        assert_true(m.dual_cone <= 1e-14 && m.penetration <= 1e-13);
        /* energies are squares; a sweep changes impulses by rounding, local solvers by 1e-13 */
        assert_true(m.violation_mean <= 1e-20 && m.violation_max <= 1e-20);
        assert_true(m.violation_quadratic <= 1e-10);
        assert_int_equal(m.open, 7);
        assert_int_equal(m.sticking, 7);
        assert_int_equal(m.sliding, 7);
        mrn_problem_release(&p);
    }
}

/* One contact, W = w: r = 2, the law wants 1. Change 1, so violation w 1², reference w (4 + 1)/2.
 */
static void violations_are_those_of_a_sweep(void **state)
{
    (void)state;
    const double W[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4}, r[3] = {2, 0, 0};
    mrn_problem p;
    mrn_measures m;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 1, &p, &msg), &msg);
    p.W = blocks_of(W, 1, 1, 3, 3, true);
    p.q[0] = -4, p.mu[0][0] = 0.3;
    ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
    near(m.violation_mean, 1 / 2.5);
    near(m.violation_max, 1 / 2.5);
    near(m.violation_quadratic, sqrt(1 / 2.5));
    near(m.violation_signed, 0.5 * (4 - 16) / 10);
    near(m.energy, 0.5 * 16 - 8);
    near(m.natural, 1); /* u_N = 4 with r_N = 2: F = min(r, rho u) = 1 over rho |q| = 1 */
    mrn_problem_release(&p);
}

/* Distances from the cones, by hand: mu = 1, so a tangent t outside is t / sqrt 2 away. */
static void distances_from_the_cones(void **state)
{
    (void)state;
    const double W[4] = {1, 0, 0, 1}, r[2] = {0, 2};
    mrn_problem p;
    mrn_measures m;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_2D, 1, &p, &msg), &msg);
    p.W = blocks_of(W, 1, 1, 2, 2, true);
    p.q[0] = -5, p.q[1] = -2, p.mu[0][0] = 1;
    ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
    near(m.cone, sqrt(2) / 2);       /* over |r| = 2 */
    near(m.dual_cone, 5 / sqrt(29)); /* u = (-5, 0), K* = the half line's quadrant: 5 over |q| */
    near(m.penetration, 5);
    mrn_problem_release(&p);
}

static void through_bodies_as_through_blocks(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=40 bodies=30", 2), bodies;
    mrn_message msg = {0};
    mrn_measures a, c;
    double *r = vector_of(&p);
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int k = 0; k < 120; k++)
        r[k] = mrn_rng_normal(&rng);
    ok(mrn_problem_copy(&p, &bodies, &msg), &msg);
    mrn_bsr_release(&bodies.W);
    ok(mrn_measure_answer(&p, r, NULL, &a, &msg), &msg);
    ok(mrn_measure_answer(&bodies, r, NULL, &c, &msg), &msg);
    near(a.natural, c.natural), near(a.siconos, c.siconos), near(a.penetration, c.penetration);
    near(a.energy, c.energy), near(a.cone, c.cone), near(a.complementarity, c.complementarity);
    /* a sweep goes through local solvers, exact to 1e-13 */
    assert_true(fabs(a.violation_mean - c.violation_mean) <= 1e-9 * a.violation_mean);
    assert_true(a.open == c.open && a.sticking == c.sticking);
    mrn_free(r);
    mrn_problem_release(&p), mrn_problem_release(&bodies);
}

static void nothing_at_all(void **state)
{
    (void)state;
    const double W[4] = {1, 0, 0, 1}, r[2] = {0, 0}, push[2] = {1, 0};
    mrn_problem p;
    mrn_measures m;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_2D, 0, &p, &msg), &msg);
    ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
    assert_true(m.natural == 0 && m.open == 0);
    mrn_problem_release(&p);
    ok(mrn_problem_create(MRN_CONTACT_2D, 1, &p, &msg), &msg); /* at rest: q = 0 */
    p.W = blocks_of(W, 1, 1, 2, 2, true);
    ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
    assert_true(m.natural == 0 && m.siconos == 0 && m.complementarity == 0 && m.open == 1);
    ok(mrn_measure_answer(&p, push, NULL, &m, &msg), &msg);
    assert_true(m.natural > 0.9 && isfinite(m.natural));
    mrn_problem_release(&p);
}

/* A contact with W = 1 that approaches with 1 and slides: r = 0 is no answer, however large the
   friction. The map alone would say 1 / mu; the approach counts at least 1 / sqrt(101) of itself.
 */
static void enormous_friction(void **state)
{
    (void)state;
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[3] = {0};
    static const double mu[] = {10, 11, 1e4, 1e8, 1e100, 1e308};
    mrn_problem p;
    mrn_measures m;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 1, &p, &msg), &msg);
    p.W = blocks_of(W, 1, 1, 3, 3, true);
    p.q[0] = -0.8, p.q[1] = 0.6;
    for (int k = 0; k < 6; k++) {
        mrn_solve_result result;
        double r[3] = {0};
        p.mu[0][0] = mu[k];
        ok(mrn_measure_answer(&p, none, NULL, &m, &msg), &msg);
        near(m.natural, 0.8 / sqrt(101));
        if (mu[k] < 1e10) { /* beyond, mu |u_T| of rounding alone spoils any residual */
            assert_int_equal(solve_with(&p, "hybrid", "", NULL, r, &result), MRN_OK);
            near(r[0], 0.8), near(r[1], -0.6);
        }
    }
    mrn_problem_release(&p);
}

/* Interior points leave a trace of impulse at contacts that open. */
static void traces_of_impulse(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=40 bodies=30", 1);
    double *r = vector_of(&p);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result sweeps, inside;
    control.tolerance = 1e-8;
    assert_int_equal(solve_with(&p, "nlgs", "", &control, r, &sweeps), MRN_OK);
    memset(r, 0, (size_t)p.n * 3 * sizeof *r);
    assert_int_equal(solve_with(&p, "interior-point", "", &control, r, &inside), MRN_OK);
    assert_true(sweeps.measures.open > 0);
    assert_int_equal(inside.measures.open, sweeps.measures.open);
    mrn_free(r);
    mrn_problem_release(&p);
}

/* Velocities whose squares are no numbers: the same problem in other units. */
static void tiny_and_huge_velocities(void **state)
{
    (void)state;
    static const double unit[] = {1e-300, 1e-200, 1e-120, 1e120, 1e200};
    mrn_problem p = family("random", "contacts=12 bodies=10", 1);
    double *r = vector_of(&p), *q = vector_of(&p);
    mrn_measures plain, m;
    mrn_message msg = {0};
    mrn_rng rng = mrn_rng_seed(1, 0);
    memcpy(q, p.q, (size_t)p.n * 3 * sizeof *q);
    for (int k = 0; k < 3 * p.n; k++)
        r[k] = mrn_rng_normal(&rng);
    ok(mrn_measure_answer(&p, r, NULL, &plain, &msg), &msg);
    for (int i = 0; i < 5; i++) {
        double *scaled = vector_of(&p);
        for (int k = 0; k < 3 * p.n; k++)
            p.q[k] = q[k] * unit[i], scaled[k] = r[k] * unit[i];
        ok(mrn_measure_answer(&p, scaled, NULL, &m, &msg), &msg);
        assert_true(fabs(m.natural - plain.natural) <= 1e-12 * plain.natural);
        mrn_free(scaled);
    }
    mrn_free(r), mrn_free(q);
    mrn_problem_release(&p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=400 bodies=300", 2);
    double *r = vector_of(&p);
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    int k = 0;
    while (st == MRN_ERR_MEMORY) {
        mrn_measures m;
        mrn_message msg = {0};
        mrn_alloc_fail_at(++k);
        st = mrn_measure_answer(&p, r, NULL, &m, &msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(st, MRN_OK);
    assert_true(k > 2);
    mrn_free(r);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_their_formulas),
        cmocka_unit_test(right_answers_have_no_defect),
        cmocka_unit_test(violations_are_those_of_a_sweep),
        cmocka_unit_test(distances_from_the_cones),
        cmocka_unit_test(through_bodies_as_through_blocks),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(enormous_friction),
        cmocka_unit_test(traces_of_impulse),
        cmocka_unit_test(tiny_and_huge_velocities),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
