/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call that runs any solver: registry, refusals, results, memory. Contracts are put to every
   solver of the list. */
/* ctest-labels: slow */
#include "solve/problems.h"

static void registry(void **state)
{
    (void)state;
    assert_true(mrn_solver_count() >= 2);
    assert_null(mrn_solver_at(-1));
    assert_null(mrn_solver_at(mrn_solver_count()));
    assert_null(mrn_solver_find("no such"));
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        assert_ptr_equal(mrn_solver_find(s->name), s);
        assert_true(strlen(s->summary) > 10 && strlen(s->doc) > 50 && strlen(s->advice) > 20);
        assert_true(s->n_params <= MRN_PARAM_MAX && s->max_iterations > 0 && s->kinds != 0);
        mrn_value option[MRN_PARAM_MAX] = {0};
        mrn_message msg = {0};
        mrn_solver_defaults(s, option);
        for (int k = 0; k < s->n_params; k++) {
            const mrn_param *p = s->params + k;
            assert_true(strlen(p->doc) > 5);
            if (p->kind == MRN_P_NUMBER && isfinite(p->fallback))
                assert_true(option[k].number >= p->min && option[k].number <= p->max);
        }
        assert_true(mrn_solver_set(s, option, "no such", "1", &msg) < 0);
        assert_true(msg.text[0] != '\0');
    }
    for (int c = 0; c < MRN_CRITERIA; c++)
        assert_true(strlen(mrn_criterion_name((mrn_criterion)c)) > 2);
    assert_string_equal(mrn_criterion_name(MRN_CRITERIA), "");
    assert_string_equal(mrn_criterion_name((mrn_criterion)-1), "");
}

/* Refused with a reason, and r as it was. */
static void misfits_are_refused(void **state)
{
    (void)state;
    double r[90], guess[90];
    mrn_problem p = backwards(MRN_CONTACT_3D, 6, 1, 0, NULL, NULL);
    for (int k = 0; k < 18; k++)
        r[k] = guess[k] = k;
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        mrn_solve_control c = mrn_solve_control_default();
        mrn_message msg = {0};
        const double bad[] = {0, -1, NAN};
        for (int k = 0; k < 3; k++) {
            c.tolerance = bad[k];
            mrn_status st = mrn_solve(&p, s, NULL, &c, r, NULL, NULL, &msg);
            assert_true(st == (s->wants_bodies ? MRN_ERR_INPUT : MRN_ERR_RANGE));
        }
        c = mrn_solve_control_default();
        c.criterion = MRN_STOP_MEAN;
        if (!s->sweeps) {
            assert_int_equal(mrn_solve(&p, s, NULL, &c, r, NULL, NULL, &msg), MRN_ERR_INPUT);
            assert_true(s->wants_bodies || strstr(msg.text, "mean") != NULL);
        }
        if (s->wants_bodies)
            assert_int_equal(mrn_solve(&p, s, NULL, NULL, r, NULL, NULL, &msg), MRN_ERR_INPUT);
        double q = p.q[5]; /* sweeps would go on to their limit */
        p.q[5] = NAN;
        assert_int_equal(mrn_solve(&p, s, NULL, NULL, r, NULL, NULL, &msg), MRN_ERR_INPUT);
        assert_true(s->wants_bodies || strstr(msg.text, "q of contact 1 is not finite") != NULL);
        p.q[5] = q;
        if (!s->bilateral) {
            p.law = mrn_alloc(6);
            p.law[2] = MRN_BILATERAL;
            assert_int_equal(mrn_solve(&p, s, NULL, NULL, r, NULL, NULL, &msg), MRN_ERR_INPUT);
            mrn_free(p.law);
            p.law = NULL;
        }
        for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
            if ((s->kinds >> kind & 1) == 0) {
                mrn_problem o = backwards((mrn_contact_kind)kind, 2, 1, 0, NULL, NULL);
                assert_int_equal(mrn_solve(&o, s, NULL, NULL, r, NULL, NULL, &msg), MRN_ERR_INPUT);
                assert_non_null(strstr(msg.text, s->name));
                mrn_problem_release(&o);
            }
        assert_memory_equal(r, guess, 18 * sizeof *r);
    }
    mrn_problem_release(&p);
}

/* NULL everywhere it may stand; W assembled when only H and M are there; the problem untouched. */
static void little_is_needed(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=25 bodies=40 stored=no", 4);
    double *r = vector_of(&p), *u = vector_of(&p);
    for (int i = 0; i < mrn_solver_count(); i++) {
        mrn_measures m;
        memset(r, 0, 25 * 24);
        assert_int_equal(mrn_solve(&p, mrn_solver_at(i), NULL, NULL, r, NULL, NULL, NULL), MRN_OK);
        assert_int_equal(mrn_measure_answer(&p, r, u, &m, NULL), MRN_OK);
        assert_true(m.natural <= 1e-4 * (1 + 1e-9));
        assert_int_equal(p.W.rows, 0);
    }
    mrn_free(r), mrn_free(u);
    mrn_problem_release(&p);
}

/* What a result says is so: measured again, told residual, never better than it is. */
static void results_are_true(void **state)
{
    (void)state;
    const double tolerance[] = {1e-2, 1e-4, 1e-8};
    mrn_problem p = family("random", "contacts=30 bodies=25", 6);
    double *r = vector_of(&p);
    for (int i = 0; i < mrn_solver_count(); i++)
        for (int k = 0; k < 3; k++) {
            mrn_solve_control c = mrn_solve_control_default();
            mrn_solve_result x;
            mrn_measures m;
            mrn_message msg = {0};
            c.tolerance = tolerance[k];
            c.max_iterations = 2000;
            memset(r, 0, 30 * 24);
            mrn_status st = mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, &x, &msg);
            assert_true(st == MRN_OK || st == MRN_NOT_CONVERGED);
            ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
            assert_true(fabs(m.natural - x.measures.natural) <= 1e-9 * m.natural + 1e-14);
            assert_true((st == MRN_OK) == x.converged);
            assert_true(x.converged == (x.measures.natural <= c.tolerance * (1 + 1e-9) + 1e-15));
            assert_true(x.iterations <= 2000 && x.seconds >= 0 && strlen(x.words) > 10);
            assert_null(strstr(x.words, " 1 iterations"));
        }
    mrn_free(r);
    mrn_problem_release(&p);
}

/* The same call twice: the same bits, whatever was in the work space. */
static void same_input_same_bits(void **state)
{
    (void)state;
    mrn_problem p = family("packing", "spheres=60 agitation=0.1", 6);
    mrn_problem other = family("wall", "bricks=3 courses=3", 1);
    double *r = vector_of(&p), *s = vector_of(&p), *o = vector_of(&other);
    mrn_workspace work = {0};
    for (int i = 0; i < mrn_solver_count(); i++) {
        mrn_solve_control c = mrn_solve_control_default();
        c.max_iterations = 30;
        memset(r, 0, (size_t)p.n * 24), memset(s, 0, (size_t)p.n * 24);
        assert_true(mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, NULL, NULL) >= 0);
        assert_true(mrn_solve(&other, mrn_solver_at(i), NULL, &c, o, &work, NULL, NULL) >= 0);
        assert_true(mrn_solve(&p, mrn_solver_at(i), NULL, &c, s, &work, NULL, NULL) >= 0);
        assert_memory_equal(r, s, (size_t)p.n * 24);
    }
    mrn_workspace_release(&work);
    mrn_free(r), mrn_free(s), mrn_free(o);
    mrn_problem_release(&p), mrn_problem_release(&other);
}

/* Few measures: the answer, its residual and violations to the last bit, and nothing else. */
static void few_measures_are_the_same(void **state)
{
    (void)state;
    mrn_problem p = family("packing", "spheres=60 agitation=0.1", 6);
    double *r = vector_of(&p), *s = vector_of(&p);
    mrn_solve_control c = mrn_solve_control_default();
    mrn_solve_result all, few;
    c.max_iterations = 30;
    memset(r, 0, (size_t)p.n * 24), memset(s, 0, (size_t)p.n * 24);
    assert_true(mrn_solve(&p, mrn_solver_at(0), NULL, &c, r, NULL, &all, NULL) >= 0);
    c.few_measures = true;
    assert_true(mrn_solve(&p, mrn_solver_at(0), NULL, &c, s, NULL, &few, NULL) >= 0);
    assert_memory_equal(r, s, (size_t)p.n * 24);
    mrn_measures left = {.natural = all.measures.natural,
                         .violation_mean = all.measures.violation_mean,
                         .violation_quadratic = all.measures.violation_quadratic,
                         .violation_max = all.measures.violation_max,
                         .violation_signed = all.measures.violation_signed};
    assert_memory_equal(&few.measures, &left, sizeof left);
    assert_true(all.measures.siconos > 0 && all.measures.energy < 0);
    mrn_free(r), mrn_free(s);
    mrn_problem_release(&p);
}

/* Enough contacts that loops run in parallel: same bits for any number of threads, whatever the
   solver. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    mrn_problem p = family("packing", "spheres=760 agitation=0.1", 6);
    double *r = vector_of(&p);
    int before = mrn_threads();
    assert_true(p.n > 2048);
    for (int i = 0; i < mrn_solver_count(); i++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            mrn_solve_control c = mrn_solve_control_default();
            mrn_solve_result x;
            c.max_iterations = 4, c.tolerance = 1e-9;
            memset(r, 0, (size_t)p.n * 24);
            mrn_threads_set(threads);
            assert_true(mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, &x, NULL) >= 0);
            uint64_t h = mrn_hash(MRN_HASH_START, r, (size_t)p.n * 24);
            h = mrn_hash(h, &x.measures, sizeof x.measures);
            first = threads == 1 ? h : first;
            if (h != first)
                fail_msg("%s with %d threads", mrn_solver_at(i)->name, threads);
        }
    }
    mrn_threads_set(before);
    mrn_free(r);
    mrn_problem_release(&p);
}

/* Every allocation fails once: nothing leaks, r is as it was, and the next call works. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_solver_count(); i++) {
        mrn_problem p = family("random", "contacts=20 bodies=30 stored=no", 2);
        double *r = vector_of(&p), *guess = vector_of(&p);
        for (int k = 0; k < 60; k++)
            guess[k] = 1e-3 * k;
        size_t before = mrn_bytes_in_use();
        mrn_status st = MRN_ERR_MEMORY;
        for (int k = 1; st == MRN_ERR_MEMORY; k++) {
            mrn_solve_control c = mrn_solve_control_default();
            mrn_solve_result x;
            c.max_iterations = 20;
            memcpy(r, guess, 60 * sizeof *r);
            mrn_alloc_fail_at(k);
            st = mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, &x, NULL);
            mrn_alloc_fail_at(0);
            assert_int_equal(mrn_bytes_in_use(), before);
            if (st == MRN_ERR_MEMORY)
                assert_memory_equal(r, guess, 60 * sizeof *r);
            assert_true(k < 2000);
        }
        assert_true(st >= 0);
        mrn_free(r), mrn_free(guess);
        mrn_problem_release(&p);
    }
}

/* Anyone may stop any solver, and gets the best so far. */
static bool stop_soon(const mrn_iterate *it, void *user)
{
    (void)it;
    return ++*(int *)user >= 3;
}

static void anyone_may_stop(void **state)
{
    (void)state;
    mrn_problem p = family("wall", "bricks=4 courses=6", 1);
    double *r = vector_of(&p);
    for (int i = 0; i < mrn_solver_count(); i++) {
        mrn_solve_control c = mrn_solve_control_default();
        mrn_solve_result x;
        int calls = 0;
        c.tolerance = 1e-15, c.watch = stop_soon, c.user = &calls, c.check_every = 1;
        memset(r, 0, (size_t)p.n * 24);
        mrn_status st = mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, &x, NULL);
        assert_int_equal(st, MRN_INTERRUPTED);
        assert_int_equal(calls, 3);
        assert_false(x.converged);
        assert_true(x.measures.natural <= 1);
    }
    mrn_free(r);
    mrn_problem_release(&p);
}

/* At rest already, or opening everywhere: no impulse, no iteration. */
static void nothing_to_do(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=25 bodies=30", 4);
    double *r = vector_of(&p);
    for (int rest = 0; rest < 2; rest++) {
        for (int k = 0; k < 75; k++)
            p.q[k] = rest ? 0 : k % 3 == 0 ? 1 : 0.1;
        for (int i = 0; i < mrn_solver_count(); i++) {
            mrn_solve_result x;
            memset(r, 0, 75 * sizeof *r);
            assert_int_equal(mrn_solve(&p, mrn_solver_at(i), NULL, NULL, r, NULL, &x, NULL),
                             MRN_OK);
            assert_true(x.iterations == 0 && norm_of(75, r) == 0 && x.measures.natural == 0);
        }
    }
    mrn_free(r);
    mrn_problem_release(&p);
}

/* Of two guesses the better one is begun from, whichever it is. */
static void the_better_guess(void **state)
{
    (void)state;
    mrn_problem p = family("packing", "spheres=60", 2);
    const mrn_solver *s = mrn_solver_find("nlgs");
    int64_t size = (int64_t)p.n * block_of(&p);
    double *answer = vector_of(&p), *bad = vector_of(&p), *r = vector_of(&p);
    mrn_solve_control c = {.tolerance = 1e-5};
    mrn_solve_result from_nothing, x;
    assert_int_equal(mrn_solve(&p, s, NULL, &c, answer, NULL, &from_nothing, NULL), MRN_OK);
    assert_true(from_nothing.iterations > 10);
    for (int64_t k = 0; k < size; k++)
        bad[k] = 1e3 * (1 + (double)(k % 5));
    c.tolerance = 1e-4; /* an answer to 1e-5 is one */
    c.other_guess = answer;
    memcpy(r, bad, (size_t)size * sizeof *r);
    assert_int_equal(mrn_solve(&p, s, NULL, &c, r, NULL, &x, NULL), MRN_OK);
    assert_int_equal(x.iterations, 0);
    c.other_guess = bad;
    memcpy(r, answer, (size_t)size * sizeof *r);
    assert_int_equal(mrn_solve(&p, s, NULL, &c, r, NULL, &x, NULL), MRN_OK);
    assert_int_equal(x.iterations, 0);
    mrn_free(answer), mrn_free(bad), mrn_free(r);
    mrn_problem_release(&p);
}

static bool keep_first(const mrn_iterate *it, void *user)
{
    if (strcmp(it->phase, "guess") == 0)
        *(double *)user = it->natural;
    return false;
}

/* The residual of the guess is that of the guess, of no impulse too, whose velocities are not
   computed, and of no impulse where cohesion makes another one of it. */
static void residual_of_the_guess(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        mrn_problem p = backwards(MRN_CONTACT_3D, 8, 5, 0, NULL, NULL);
        double *r = vector_of(&p), first = NAN;
        mrn_solve_control c = mrn_solve_control_default();
        mrn_measures m;
        if (k == 2) {
            p.cohesion = mrn_alloc((size_t)p.n * sizeof *p.cohesion);
            for (int i = 0; i < p.n; i++)
                p.cohesion[i] = 0.3 + 0.1 * i;
        }
        for (int i = 0; k == 1 && i < p.n; i++)
            r[3 * i] = 0.2 * i;
        assert_int_equal(mrn_measure_answer(&p, r, NULL, &m, NULL), MRN_OK);
        c.watch = keep_first, c.user = &first;
        c.max_iterations = 1;
        mrn_solve(&p, mrn_solver_find("nlgs"), NULL, &c, r, NULL, NULL, NULL);
        assert_true(fabs(first - m.natural) <= 1e-14 * m.natural);
        mrn_problem_release(&p);
        mrn_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry),
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(little_is_needed),
        cmocka_unit_test(results_are_true),
        cmocka_unit_test(same_input_same_bits),
        cmocka_unit_test(few_measures_are_the_same),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(anyone_may_stop),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(the_better_guess),
        cmocka_unit_test(residual_of_the_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
