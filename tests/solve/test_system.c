/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A problem without units: scales, there and back, cohesion, rolling, products in both forms. */
/* ctest-labels: threads */
#include "solve/problems.h"

#include "solve/system.h"

typedef struct made {
    mrn_solve_control control;
    mrn_workspace work;
    mrn_system s;
} made;

static void make(made *m, const mrn_problem *p)
{
    mrn_message msg = {0};
    *m = (made){.control = mrn_solve_control_default()};
    ok(mrn_system_make(p, &m->control, false, &m->work, &m->s, &msg), &msg);
}

static void draw(mrn_rng *rng, int64_t n, double *x)
{
    for (int64_t k = 0; k < n; k++)
        x[k] = mrn_rng_normal(rng);
}

/* Problems of all kinds, with bodies. */
typedef struct recipe {
    const char *family, *words;
} recipe;
static const recipe kinds[] = {
    {"random", "contacts=30 bodies=20 dimension=2"},
    {"random", "contacts=30 bodies=20"},
    {"random", "contacts=30 bodies=20 dimension=2 rolling=rolling"},
    {"random", "contacts=30 bodies=20 rolling=rolling"},
    {"random", "contacts=30 bodies=20 rolling=pivoting"},
    {"wall", "bricks=3 courses=3"},
    {"joints", "rods=6"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Mean diagonal 1 for forces and for moments, |q'| = 1: to the rounding of some hundred terms. */
static void scales_are_one(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        mrn_problem p = family(kinds[k].family, kinds[k].words, 3);
        made m;
        make(&m, &p);
        double sum[2] = {0};
        int64_t count[2] = {0};
        for (int64_t i = 0; i < m.s.n; i++)
            for (int c = 0; c < m.s.b; c++) {
                int moment = c >= m.s.lay->dimension;
                sum[moment] += m.s.diag[(i * m.s.b + c) * m.s.b + c];
                count[moment]++;
            }
        assert_true(fabs(sum[0] / (double)count[0] - 1) <= 1e-13);
        if (count[1] > 0)
            assert_true(fabs(sum[1] / (double)count[1] - 1) <= 1e-13);
        assert_true(fabs(norm_of((int64_t)m.s.n * m.s.b, m.s.q) - 1) <= 1e-13);
        mrn_workspace_release(&m.work);
        mrn_problem_release(&p);
    }
}

/* The scaled operator and its inverse blocks: S_u⁻¹ W S_r from the dense W, with blocks and through
   bodies alone; 1e-12 of sums of some hundred terms. */
static void products_are_those_of_W(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(4, 0);
    for (int k = 0; k < N_KINDS; k++) {
        mrn_problem p = family(kinds[k].family, kinds[k].words, 5);
        made whole, bodies;
        make(&whole, &p);
        assert_true(whole.s.has_W && whole.s.has_bodies);
        int b = whole.s.b;
        int64_t size = (int64_t)p.n * b;
        double *dense = dense_of(&p.W), *x = vector_of(&p), *y = vector_of(&p), *z = vector_of(&p);
        mrn_bsr W = p.W;
        p.W = (mrn_bsr){0};
        make(&bodies, &p);
        assert_true(!bodies.s.has_W && bodies.s.has_bodies);
        draw(&rng, size, x);
        mrn_system_times(&whole.s, x, y);
        mrn_system_times(&bodies.s, x, z);
        double top = 0;
        for (int64_t i = 0; i < size; i++) {
            double sum = 0;
            for (int64_t j = 0; j < size; j++)
                sum += dense[i * size + j] * whole.s.r_scale[j % b] * x[j];
            sum /= whole.s.u_scale[i % b];
            top = fmax(top, fabs(sum));
            assert_true(fabs(y[i] - sum) <= 1e-12 * (1 + top));
        }
        assert_true(distance(size, y, z) <= 1e-12 * norm_of(size, y));
        for (int64_t i = 0; i < p.n; i++) /* blocks times their inverses */
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) {
                    double sum = 0, want = 0;
                    for (int a = 0; a < b; a++) {
                        sum += whole.s.diag[(i * b + a) * b + r] *
                               whole.s.inverse[(i * b + c) * b + a];
                        want += bodies.s.diag[(i * b + a) * b + r] *
                                bodies.s.inverse[(i * b + c) * b + a];
                    }
                    assert_true(fabs(sum - (r == c)) <= 1e-9 && fabs(want - (r == c)) <= 1e-9);
                }
        p.W = W;
        mrn_workspace_release(&whole.work), mrn_workspace_release(&bodies.work);
        mrn_free(dense), mrn_free(x), mrn_free(y), mrn_free(z);
        mrn_problem_release(&p);
    }
}

static void there_and_back(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(6, 0);
    for (int k = 0; k < N_KINDS; k++) {
        mrn_problem p = family(kinds[k].family, kinds[k].words, 7);
        int64_t size = (int64_t)p.n * block_of(&p);
        p.cohesion = mrn_alloc((size_t)p.n * sizeof *p.cohesion);
        for (int i = 0; i < p.n; i++)
            p.cohesion[i] = mrn_rng_uniform(&rng);
        made m;
        make(&m, &p);
        double *x = vector_of(&p), *y = vector_of(&p), *z = vector_of(&p);
        draw(&rng, size, x);
        mrn_system_enter(&m.s, &p, x, y);
        mrn_system_leave(&m.s, &p, y, z);
        for (int64_t i = 0; i < size; i++)
            assert_true(fabs(x[i] - z[i]) <= 4e-16 * (fabs(x[i]) + 1)); /* c <= 1 */
        mrn_workspace_release(&m.work);
        mrn_free(x), mrn_free(y), mrn_free(z);
        mrn_problem_release(&p);
    }
}

/* In the unknown r + c the velocities are the same: u_scale (W' r' + q') = W r + q. */
static void cohesion_shifts_the_unknown(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(8, 0);
    double known[60];
    mrn_problem p = backwards(MRN_CONTACT_3D, 20, 3, 0, known, NULL);
    p.cohesion = mrn_alloc(20 * sizeof *p.cohesion);
    for (int i = 0; i < 20; i++)
        p.cohesion[i] = mrn_rng_uniform(&rng);
    made m;
    make(&m, &p);
    double r[60], u[60], x[68] = {0}, v[68] = {0}, energy = 0;
    draw(&rng, 60, r);
    memcpy(u, p.q, sizeof u);
    mrn_bsr_times(&p.W, r, true, u);
    mrn_system_enter(&m.s, &p, r, x);
    mrn_system_velocity(&m.s, x, v);
    for (int k = 0; k < 60; k++) {
        assert_true(fabs(v[k] * m.s.u_scale[k % 3] - u[k]) <= 1e-13 * 60);
        energy += 0.5 * r[k] * (u[k] + p.q[k]);
    }
    /* the energy is that of the user's impulses */
    assert_true(fabs(mrn_system_energy(&m.s, x, v) - energy) <= 1e-12 * 60);
    mrn_workspace_release(&m.work);
    mrn_problem_release(&p);
}

/* The same problem in other units of length, mass and time: the system is the same to rounding (mu
   of rolling is a length), and so is the residual of an impulse. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double units[][3] = {{1e3, 1, 1}, {1, 1e-4, 1}, {1, 1, 1e5}, {1e-3, 1e6, 1e-2}};
    for (int k = 0; k < 5; k++)
        for (int e = 0; e < 4; e++) {
            double L = units[e][0], M = units[e][1], T = units[e][2];
            mrn_problem p = family(kinds[k].family, kinds[k].words, 9), o;
            mrn_message msg = {0};
            const mrn_contact_layout *lay = mrn_contact_layout_of(p.kind);
            int b = lay->block, dim = lay->dimension;
            int64_t size = (int64_t)p.n * b;
            mrn_rng rng = mrn_rng_seed(2, 2);
            ok(mrn_problem_copy(&p, &o, &msg), &msg);
            double *r = vector_of(&p), *ro = vector_of(&p), x[6], y[6];
            for (int c = 0; c < b; c++) { /* of velocities and of impulses, moments last */
                x[c] = c < dim ? L / T : 1 / T;
                y[c] = c < dim ? M * L / T : M * L * L / T;
            }
            draw(&rng, size, r);
            for (int64_t i = 0; i < size; i++) {
                r[i] *= 1e-3;
                o.q[i] *= x[i % b], ro[i] = r[i] * y[i % b];
            }
            for (int64_t i = 0; i < p.W.start[p.n]; i++)
                for (int c = 0; c < b * b; c++)
                    o.W.value[i * b * b + c] *= x[c % b] / y[c / b];
            for (int g = 1; g < lay->groups; g++)
                for (int i = 0; i < p.n; i++)
                    o.mu[g][i] *= L;
            mrn_bsr_release(&o.Ht);
            mrn_measures mp, mo;
            ok(mrn_measure_answer(&p, r, NULL, &mp, &msg), &msg);
            ok(mrn_measure_answer(&o, ro, NULL, &mo, &msg), &msg);
            assert_true(mp.natural > 0 && fabs(mp.natural - mo.natural) <= 1e-12 * mp.natural);
            assert_true(fabs(mp.cone - mo.cone) <= 1e-12 && mp.open == mo.open);
            assert_true(fabs(mp.complementarity - mo.complementarity) <=
                        1e-10 * mp.complementarity);
            assert_true(fabs(mp.energy * M * L * L / T / T - mo.energy) <= 1e-11 * fabs(mo.energy));
            made a, c;
            make(&a, &p), make(&c, &o);
            assert_true(distance(size, a.s.q, c.s.q) <= 1e-13);
            assert_true(distance(size * b, a.s.diag, c.s.diag) <=
                        1e-13 * norm_of(size * b, a.s.diag));
            assert_true(distance(p.n * 3, a.s.mu, c.s.mu) <= 1e-13 * norm_of(p.n * 3, a.s.mu));
            assert_true(fabs(a.s.length * L - c.s.length) <= 1e-13 * c.s.length || b == dim);
            mrn_workspace_release(&a.work), mrn_workspace_release(&c.work);
            mrn_free(r), mrn_free(ro);
            mrn_problem_release(&p), mrn_problem_release(&o);
        }
}

/* What grows without bound cannot hide a velocity: two contacts face each other on one body, the
   impulses cancel, the velocities do not get better. */
static void large_impulses_do_not_look_good(void **state)
{
    (void)state;
    const double W[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
    mrn_problem p;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_2D, 2, &p, &msg), &msg);
    p.W = blocks_of(W, 2, 2, 2, 2, true);
    p.q[0] = p.q[2] = -1;
    p.mu[0][0] = p.mu[0][1] = 0.5;
    for (double size = 1; size < 1e40; size *= 10) {
        double r[4] = {size, 0, size, 0};
        mrn_measures m;
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        assert_true(m.natural > 0.9);
        r[0] *= 1 + 1e-16, r[1] = 0.5 * size, r[3] = 0.5 * size;
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        assert_true(m.natural > 0.5);
    }
    mrn_problem_release(&p);
}

/* Bodies between two contacts each, with levers a and b: impulses (b, a) s cancel, velocities stay
   at q = -1 (two such bodies: 4 contacts, so that -1 / |q| is -1/2, a number rounding can hit).
   Where s is about 1/eps, rounding of W r is of the size of q and now and then just makes up for it
   at all contacts. That must not count as an answer. */
static void rounding_is_no_answer(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(12, 0);
    mrn_problem p;
    mrn_message msg = {0};
    double dense[64] = {0};
    for (int k = 0; k < 8; k++) /* ones where blocks couple: normals within a body */
        dense[k * 9] = dense[k * 8 + (k ^ 2)] = 1;
    ok(mrn_problem_create(MRN_CONTACT_2D, 4, &p, &msg), &msg);
    p.W = blocks_of(dense, 4, 4, 2, 2, false);
    assert_int_equal(p.W.start[4], 8);
    for (int i = 0; i < 4; i++)
        p.q[2 * i] = -1, p.mu[0][i] = 0.5;
    for (int k = 0; k < 5000; k++) {
        double a = 0.5 + mrn_rng_uniform(&rng), b = 0.5 + mrn_rng_uniform(&rng);
        double s = pow(10, 15 + 2 * mrn_rng_uniform(&rng));
        double r[8] = {b * s, 0, a * s, 0, b * s, 0, a * s, 0};
        mrn_measures m;
        for (int e = 0; e < 2; e++) { /* four blocks of each body, row by row */
            double *w = p.W.value + 16 * e;
            memset(w, 0, 16 * sizeof *w);
            w[0] = a * a, w[4] = w[8] = -a * b, w[12] = b * b;
            w[3] = w[15] = 1;
        }
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        assert_true(m.natural > 0.05);
    }
    mrn_problem_release(&p);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=11 layers=8", 1);
    made m;
    make(&m, &p);
    assert_true(p.n > 2048);
    double *x = vector_of(&p), *y = vector_of(&p);
    mrn_rng rng = mrn_rng_seed(1, 1);
    draw(&rng, (int64_t)p.n * 3, x);
    uint64_t first = 0;
    int before = mrn_threads();
    for (int threads = 1; threads <= 4; threads *= 2) {
        mrn_threads_set(threads);
        mrn_system_velocity(&m.s, x, y);
        double f = mrn_system_residual(&m.s, x, y, NULL);
        uint64_t h = mrn_hash(mrn_hash(MRN_HASH_START, y, (size_t)p.n * 24), &f, sizeof f);
        first = threads == 1 ? h : first;
        assert_true(h == first);
    }
    mrn_threads_set(before);
    mrn_workspace_release(&m.work);
    mrn_free(x), mrn_free(y);
    mrn_problem_release(&p);
}

static void nothing_to_multiply_with_is_refused(void **state)
{
    (void)state;
    mrn_problem p;
    mrn_message msg = {0};
    double r[6] = {0};
    mrn_measures m;
    ok(mrn_problem_create(MRN_CONTACT_3D, 2, &p, &msg), &msg);
    assert_int_equal(mrn_measure_answer(&p, r, NULL, &m, &msg), MRN_ERR_INPUT);
    for (int i = 0; i < mrn_solver_count(); i++)
        assert_int_equal(mrn_solve(&p, mrn_solver_at(i), NULL, NULL, r, NULL, NULL, &msg),
                         MRN_ERR_INPUT);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_one),
        cmocka_unit_test(products_are_those_of_W),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(cohesion_shifts_the_unknown),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(large_impulses_do_not_look_good),
        cmocka_unit_test(rounding_is_no_answer),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(nothing_to_multiply_with_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
