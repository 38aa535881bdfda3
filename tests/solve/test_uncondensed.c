/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solvers for comparison: normal and tangential impulses in turns, and the problem uncondensed. */
#include "solve/problems.h"

static mrn_solve_control to(double tolerance)
{
    mrn_solve_control c = mrn_solve_control_default();
    c.tolerance = tolerance;
    return c;
}

/* Known answers of every kind of contact. Friction couples the halves: 1e-9 is asked of the
   residual, and what that leaves of the impulses is a condition number of a few times |q|, about
   10. */
static void turns_find_known_answers(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (uint64_t seed = 2; seed < 6; seed++) {
            double want[12 * 6];
            mrn_problem p = backwards((mrn_contact_kind)kind, 12, seed, 0, want, NULL);
            double *r = vector_of(&p);
            mrn_solve_control c = to(1e-9);
            mrn_solve_result result;
            assert_int_equal(solve_with(&p, "alternating", "", &c, r, &result), MRN_OK);
            assert_true(result.converged);
            assert_true(distance((int64_t)p.n * block_of(&p), r, want) <= 1e-6);
            mrn_free(r);
            mrn_problem_release(&p);
        }
}

/* Joints are no cones: impulses of hinges have any sign. */
static void joints(void **state)
{
    (void)state;
    static const char *const solvers[] = {"alternating", "global"};
    for (int k = 0; k < 2; k++) {
        mrn_problem p = family("joints", "rods=5", 1);
        double *want = family_answer("joints", "rods=5", 1, &p);
        double *r = vector_of(&p);
        int64_t size = (int64_t)p.n * block_of(&p);
        mrn_solve_control c = to(1e-9);
        mrn_solve_result result;
        assert_int_equal(solve_with(&p, solvers[k], "", &c, r, &result), MRN_OK);
        assert_true(distance(size, r, want) <= 1e-6 * norm_of(size, want));
        mrn_free(r);
        mrn_free(want);
        mrn_problem_release(&p);
    }
}

/* Velocities are unique where W is definite: those of Gauss-Seidel on W are those of the bodies.
   Twenty contacts among thirty bodies; with a residual of 1e-10 and a condition of W below 1e3
   velocities are known to 1e-7 of q. Two ways of weighting, one answer. */
static void uncondensed_is_condensed(void **state)
{
    (void)state;
    static const char *const words[] = {"", "penalty=1", "penalty=10"};
    for (uint64_t seed = 1; seed < 4; seed++)
        for (int flat = 0; flat < 2; flat++) {
            char of[80];
            snprintf(of, sizeof of, "dimension=%d contacts=20 bodies=30 friction=0.4", 3 - flat);
            mrn_problem p = family("random", of, seed);
            int64_t size = (int64_t)p.n * block_of(&p);
            mrn_solve_control c = to(1e-10);
            mrn_message msg = {0};
            mrn_measures m;
            double *r = vector_of(&p), *u = vector_of(&p), *v = vector_of(&p);
            assert_int_equal(solve_with(&p, "nlgs", "", &c, r, NULL), MRN_OK);
            assert_int_equal(mrn_measure_answer(&p, r, u, &m, &msg), MRN_OK);
            for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
                memset(r, 0, (size_t)size * sizeof *r);
                assert_int_equal(solve_with(&p, "global", words[k], &c, r, NULL), MRN_OK);
                assert_int_equal(mrn_measure_answer(&p, r, v, &m, &msg), MRN_OK);
                assert_true(m.natural <= 1e-10 * (1 + 1e-9));
                assert_true(distance(size, u, v) <= 1e-7 * norm_of(size, p.q));
            }
            mrn_free(r);
            mrn_free(u);
            mrn_free(v);
            mrn_problem_release(&p);
        }
}

/* A packing of disks with more contacts than its bodies feel: only the residual is asked. */
static void hyperstatic(void **state)
{
    (void)state;
    static const char *const solvers[] = {"global", "alternating"};
    for (int k = 0; k < 2; k++) {
        mrn_problem p = family("packing", "spheres=60", 1);
        double *r = vector_of(&p);
        /* multipliers and turns are slow where contacts share their bodies so: little is asked */
        mrn_solve_control c = to(k == 0 ? 1e-4 : 1e-2);
        mrn_solve_result result;
        assert_int_equal(solve_with(&p, solvers[k], "", &c, r, &result), MRN_OK);
        assert_true(result.measures.natural <= c.tolerance);
        mrn_free(r);
        mrn_problem_release(&p);
    }
}

/* Limits are kept, and said. */
static void limits(void **state)
{
    (void)state;
    static const char *const solvers[] = {"global", "alternating"};
    for (int k = 0; k < 2; k++) {
        mrn_problem p = family("packing", "spheres=60", 1);
        double *r = vector_of(&p);
        mrn_solve_control c = to(1e-12);
        mrn_solve_result result;
        c.max_iterations = 4;
        assert_int_equal(solve_with(&p, solvers[k], "", &c, r, &result), MRN_NOT_CONVERGED);
        assert_true(result.iterations <= 4);
        mrn_free(r);
        mrn_problem_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_find_known_answers),
        cmocka_unit_test(joints),
        cmocka_unit_test(uncondensed_is_condensed),
        cmocka_unit_test(hyperstatic),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
