/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Non-linear Gauss-Seidel: every order, relaxation, local method and criterion; both forms;
 * threads.
 */
/* ctest-labels: threads */
#include "solve/problems.h"

static const char *const both[] = {"nlgs", "nlgs-exchange"};

static mrn_solve_control to(double tolerance)
{
    mrn_solve_control c = mrn_solve_control_default();
    c.tolerance = tolerance;
    return c;
}

/* W of these problems has eigenvalues from 1 on: velocities and impulses are as exact as the
   residual, times a condition number of a few and |q| of about 10. */
static void check_answer(const mrn_problem *p, const char *solver, const char *words,
                         const double *want)
{
    int64_t size = (int64_t)p->n * block_of(p);
    double *r = vector_of(p);
    mrn_solve_control c = to(1e-10);
    mrn_solve_result result;
    assert_int_equal(solve_with(p, solver, words, &c, r, &result), MRN_OK);
    assert_true(result.converged && result.measures.natural <= 1e-10);
    assert_true(distance(size, r, want) <= 1e-7);
    assert_true(result.updates == result.iterations * p->n && result.seconds >= 0);
    assert_true(result.memory > 0 && result.words[0] != '\0');
    mrn_free(r);
}

static void every_order_and_relaxation(void **state)
{
    (void)state;
    const char *const words[] = {
        "order=given",    "order=alternate",
        "order=random",   "order=random seed=7",
        "order=coloured", "relaxation=0.5",
        "relaxation=0.8", "relaxation=1.2",
        "relaxation=1.5", "order=alternate relaxation=1.3",
    };
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        double want[12 * 6];
        mrn_problem p = backwards((mrn_contact_kind)kind, 12, 2, 0, want, NULL);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            check_answer(&p, "nlgs", words[k], want);
        mrn_problem_release(&p);
    }
}

static void every_local_method(void **state)
{
    (void)state;
    const char *const words[] = {"local=auto", "local=newton", "local=quartic", "local=projection",
                                 "local=one-projection"};
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        double want[12 * 6];
        mrn_problem p = backwards((mrn_contact_kind)kind, 12, 3, 0, want, NULL);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            check_answer(&p, "nlgs", words[k], want);
        mrn_problem_release(&p);
    }
}

/* A skew part of 2.5e-3 of the largest entry has its own answer, met as exactly. */
static void asymmetric_operators(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++) {
        double want[15 * 6];
        mrn_problem p = backwards((mrn_contact_kind)kind, 15, 5, 3e-3, want, NULL);
        check_answer(&p, "nlgs", "", want);
        check_answer(&p, "nlgs", "order=coloured", want);
        mrn_problem_release(&p);
    }
}

/* Cohesion and joints: known answers built by shifting, and a column of rods. */
static void cohesion_and_joints(void **state)
{
    (void)state;
    double want[36];
    mrn_problem p = backwards(MRN_CONTACT_3D, 12, 8, 0, want, NULL);
    p.cohesion = mrn_alloc(12 * sizeof *p.cohesion);
    for (int i = 0; i < 12; i++) /* r = r' - c needs q = q' + W c */
        p.cohesion[i] = 0.1 * i, want[3 * i] -= 0.1 * i;
    double shift[36] = {0};
    for (int i = 0; i < 12; i++)
        shift[3 * i] = p.cohesion[i];
    mrn_bsr_times(&p.W, shift, true, p.q);
    check_answer(&p, "nlgs", "", want);
    mrn_problem_release(&p);
    p = family("joints", "rods=5", 1);
    double *r = family_answer("joints", "rods=5", 1, &p);
    assert_non_null(r);
    for (int k = 0; k < 2; k++) {
        double *x = vector_of(&p);
        mrn_solve_result result;
        mrn_solve_control c = to(1e-9);
        assert_int_equal(solve_with(&p, both[k], "", &c, x, &result), MRN_OK);
        int64_t size = (int64_t)p.n * block_of(&p);
        /* hinges fix all, impulses are unique; W is conditioned like n² */
        assert_true(distance(size, x, r) <= 1e-6 * norm_of(size, r));
        mrn_free(x);
    }
    mrn_free(r);
    mrn_problem_release(&p);
}

/* ---- criteria ---- */

typedef struct history {
    int64_t calls, stop_at, last;
    double natural, mean, max, energy, seconds;
    bool guess;
} history;

static bool watch(const mrn_iterate *it, void *user)
{
    history *h = user;
    assert_true(it->iteration >= h->last && it->seconds >= h->seconds);
    h->guess = h->guess || strcmp(it->phase, "guess") == 0;
    h->calls++, h->last = it->iteration, h->seconds = it->seconds;
    h->natural = it->natural, h->mean = it->violation_mean, h->max = it->violation_max;
    h->energy = it->energy;
    assert_true(!(it->violation_max < it->violation_mean * (1 - 1e-12)));
    return h->stop_at > 0 && it->iteration >= h->stop_at;
}

/* In the end, how strict they are at one tolerance: the worst contact is never below the mean, and
   what changes in the energy never above the root of the mean. */
static void every_criterion_stops(void **state)
{
    (void)state;
    int64_t sweeps[MRN_CRITERIA] = {0};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < MRN_CRITERIA; k++)
            for (int every = 0; every <= 7; every += 7) {
                mrn_problem p = family("lattice", "across=4 layers=4 agitation=0.1", 3);
                double *r = vector_of(&p);
                history h = {0};
                mrn_solve_control c = to(1e-4);
                mrn_solve_result result;
                mrn_measures m;
                mrn_message msg = {0};
                c.criterion = (mrn_criterion)k, c.check_every = every, c.watch = watch, c.user = &h;
                assert_int_equal(solve_with(&p, both[f], "", &c, r, &result), MRN_OK);
                assert_true(result.converged && result.iterations > 1);
                if (every > 0 && k != MRN_STOP_CONTACT)
                    assert_int_equal(result.iterations % every, 0);
                /* what was stated is what is returned: scaling there and back, at most */
                ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
                assert_true(fabs(h.natural - m.natural) <= 1e-9 * m.natural);
                assert_true(fabs(result.measures.natural - m.natural) <= 1e-9 * m.natural);
                assert_true(fabs(h.energy - m.energy) <= 1e-10 * fabs(m.energy) && m.energy < 0);
                double told[] = {h.natural, 0, h.mean, sqrt(h.mean), h.max, 0};
                assert_true(told[k] <= 1e-4);
                sweeps[k] = every == 0 && f == 0 ? result.iterations : sweeps[k];
                assert_int_equal(h.last, result.iterations);
                mrn_free(r);
                mrn_problem_release(&p);
            }
    print_message("sweeps to 1e-4:");
    for (int k = 0; k < MRN_CRITERIA; k++)
        print_message(" %s %lld", mrn_criterion_name((mrn_criterion)k), (long long)sweeps[k]);
    print_message("\n");
    assert_true(sweeps[MRN_STOP_MAX] > sweeps[MRN_STOP_MEAN]);
    assert_true(sweeps[MRN_STOP_SIGNED] <= sweeps[MRN_STOP_QUADRATIC]);
}

/* The criterion per contact pays neither for energies nor for a residual after every sweep, unless
   somebody asks for them: then they are told, and the answer has the same bits. */
static void contacts_alone_pay_for_no_sums(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=4 layers=4 agitation=0.1", 3);
    for (int f = 0; f < 2; f++) {
        double *r[2] = {vector_of(&p), vector_of(&p)};
        mrn_solve_result result[2];
        history h[2] = {0};
        for (int asked = 0; asked < 2; asked++) {
            mrn_solve_control c = to(1e-6);
            c.criterion = MRN_STOP_CONTACT, c.violations = asked == 1;
            c.watch = watch, c.user = &h[asked];
            assert_int_equal(solve_with(&p, both[f], "", &c, r[asked], &result[asked]), MRN_OK);
            assert_true(result[asked].converged);
        }
        assert_true(isnan(h[0].mean) && isnan(h[0].max) && h[1].mean <= h[1].max);
        assert_true(h[0].calls < result[0].iterations);
        assert_int_equal(result[0].iterations, result[1].iterations);
        size_t bytes = (size_t)p.n * (size_t)block_of(&p) * sizeof(double);
        assert_memory_equal(r[0], r[1], bytes);
        mrn_free(r[0]);
        mrn_free(r[1]);
    }
    mrn_problem_release(&p);
}

/* The energy falls from check to check: a symmetric W and no friction, so a descent. */
static double last_energy;
static bool falls(const mrn_iterate *it, void *user)
{
    (void)user;
    assert_true(it->energy <= last_energy + 1e-15 * fabs(it->energy) * 100);
    last_energy = it->energy;
    return false;
}

static void energy_falls(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=4 layers=4 friction=0 agitation=0.1", 3);
    double *r = vector_of(&p);
    mrn_solve_control c = to(1e-8);
    c.check_every = 1, c.watch = falls;
    last_energy = INFINITY;
    assert_int_equal(solve_with(&p, "nlgs", "", &c, r, NULL), MRN_OK);
    assert_true(last_energy < 0);
    mrn_free(r);
    mrn_problem_release(&p);
}

static void limits_and_requests(void **state)
{
    (void)state;
    mrn_problem p = family("wall", "bricks=5 courses=8", 1);
    double *r = vector_of(&p);
    mrn_solve_control c = to(1e-14);
    mrn_solve_result result;
    history h = {.stop_at = 5};
    for (int64_t limit = 1; limit <= 37; limit += 9) {
        memset(r, 0, (size_t)p.n * 24);
        c.max_iterations = limit;
        assert_int_equal(solve_with(&p, "nlgs", "", &c, r, &result), MRN_NOT_CONVERGED);
        assert_int_equal(result.iterations, limit);
        assert_false(result.converged);
        assert_true(strstr(result.words, limit == 1 ? "1 iteration;" : "iterations;") != NULL);
    }
    memset(r, 0, (size_t)p.n * 24);
    c.max_iterations = 0, c.watch = watch, c.user = &h, c.check_every = 1;
    assert_int_equal(solve_with(&p, "nlgs", "", &c, r, &result), MRN_INTERRUPTED);
    assert_int_equal(result.iterations, 5);
    assert_true(h.guess && h.calls == 6 && !result.converged);
    assert_true(result.measures.natural < 1); /* better than nothing, which is 1 */
    memset(r, 0, (size_t)p.n * 24);
    c.watch = NULL, c.check_every = 0, c.max_seconds = 0.02;
    assert_int_equal(solve_with(&p, "nlgs", "", &c, r, &result), MRN_NOT_CONVERGED);
    assert_non_null(strstr(result.words, "time"));
    assert_true(result.seconds >= 0.02);
    mrn_free(r);
    mrn_problem_release(&p);
}

static void guesses_are_used(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=4 layers=4 agitation=0.1", 3);
    double *r = vector_of(&p), *s = vector_of(&p);
    mrn_solve_control c = to(1e-8);
    mrn_solve_result first, result;
    assert_int_equal(solve_with(&p, "nlgs", "", &c, r, &first), MRN_OK);
    memcpy(s, r, (size_t)p.n * 24);
    c.tolerance = first.measures.natural * (1 + 1e-6);
    for (int k = 0; k < mrn_solver_count(); k++) { /* any solver: the answer needs no iteration */
        assert_int_equal(solve_with(&p, mrn_solver_at(k)->name, "", &c, s, &result), MRN_OK);
        assert_int_equal(result.iterations, 0);
        assert_true(distance((int64_t)p.n * 3, r, s) <= 1e-14 * norm_of((int64_t)p.n * 3, r));
    }
    c.tolerance = 1e-8;
    for (int k = 0; k < p.n * 3; k++)
        s[k] *= 1 + 1e-6; /* near it: fewer sweeps than from nothing */
    assert_int_equal(solve_with(&p, "nlgs", "", &c, s, &result), MRN_OK);
    assert_true(result.iterations < first.iterations);
    s[0] = NAN, s[5] = INFINITY; /* a guess that is no guess */
    assert_int_equal(solve_with(&p, "nlgs", "", &c, s, &result), MRN_OK);
    mrn_free(r), mrn_free(s);
    mrn_problem_release(&p);
}

/* ---- both forms, threads ---- */

static void stored_and_exchanged_iterate_alike(void **state)
{
    (void)state;
    const char *const words[] = {"order=given", "order=alternate", "order=random", "order=coloured",
                                 "order=slabs"};
    for (int k = 0; k < 5; k++) {
        mrn_problem p = family("packing", "spheres=100 rolling=0.1 agitation=0.1", 3);
        int64_t size = (int64_t)p.n * block_of(&p);
        double *r = vector_of(&p), *s = vector_of(&p);
        mrn_solve_control c = to(1e-13);
        mrn_solve_result a, e;
        c.max_iterations = 15;
        solve_with(&p, "nlgs", words[k], &c, r, &a);
        solve_with(&p, "nlgs-exchange", words[k], &c, s, &e);
        /* rounding, grown by 15 sweeps and by Newton iterations that end at 1e-13 */
        assert_true(distance(size, r, s) <= 1e-9 * norm_of(size, r));
        assert_true(fabs(a.measures.natural - e.measures.natural) <= 1e-8 * a.measures.natural);
        mrn_free(r), mrn_free(s);
        mrn_problem_release(&p);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"lattice", "across=12 layers=9 agitation=0.05"},
        {"packing", "spheres=1500 agitation=0.05"},
        {"wall", "bricks=12 courses=24"},
    };
    int before = mrn_threads();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mrn_problem p = family(cases[k][0], cases[k][1], 1);
        double *r = vector_of(&p);
        size_t bytes = (size_t)p.n * 24;
        assert_true(p.n > 3000);
        for (int f = 0; f < 4; f++) {
            uint64_t first = 0;
            for (int threads = 1; threads <= 4; threads *= 2) {
                mrn_solve_control c = to(1e-12);
                mrn_solve_result result;
                c.max_iterations = 10;
                memset(r, 0, bytes);
                mrn_threads_set(threads);
                solve_with(&p, both[f / 2], f % 2 ? "order=slabs" : "order=coloured", &c, r,
                           &result);
                uint64_t h = mrn_hash(MRN_HASH_START, r, bytes);
                h = mrn_hash(h, &result.measures, sizeof result.measures);
                first = threads == 1 ? h : first;
                assert_true(h == first);
            }
        }
        mrn_free(r);
        mrn_problem_release(&p);
    }
    mrn_threads_set(before);
}

/* Somebody who looks (and makes sweeps count what they need not) changes no bit. */
static void watching_changes_no_bit(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=4 layers=4 agitation=0.1", 3);
    double *r = vector_of(&p), *s = vector_of(&p);
    mrn_solve_control c = to(1e-4);
    history h = {0};
    solve_with(&p, "nlgs", "", &c, r, NULL);
    c.watch = watch, c.user = &h;
    solve_with(&p, "nlgs", "", &c, s, NULL);
    assert_memory_equal(r, s, (size_t)p.n * 24);
    mrn_free(r), mrn_free(s);
    mrn_problem_release(&p);
}

/* ---- the small ones ---- */

static void no_contact_one_contact_and_strangers(void **state)
{
    (void)state;
    mrn_problem p;
    mrn_message msg = {0};
    mrn_solve_result result;
    double none = 5;
    ok(mrn_problem_create(MRN_CONTACT_3D, 0, &p, &msg), &msg);
    for (int k = 0; k < mrn_solver_count(); k++) {
        mrn_status st = mrn_solve(&p, mrn_solver_at(k), NULL, NULL, &none, NULL, &result, &msg);
        if (!mrn_solver_at(k)->wants_bodies)
            assert_true(st == MRN_OK && result.converged && none == 5);
    }
    mrn_problem_release(&p);
    double want[6];
    p = backwards(MRN_CONTACT_3D_PIVOTING, 1, 1, 0, want, NULL);
    check_answer(&p, "nlgs", "", want);
    check_answer(&p, "nlgs", "order=coloured", want);
    mrn_problem_release(&p);
    p = family("jammed", "case=wedge balls=1", 1); /* one ball, two contacts */
    double *r = vector_of(&p);
    mrn_solve_control c = to(1e-8);
    assert_int_equal(solve_with(&p, "nlgs-exchange", "", &c, r, &result), MRN_OK);
    mrn_free(r);
    mrn_problem_release(&p);
    /* nothing in common: one sweep is the answer, and coloured there is one colour */
    double W[18 * 18] = {0}, x[18] = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 6, &p, &msg), &msg);
    for (int k = 0; k < 18; k++)
        W[k * 19] = 1 + k, p.q[k] = k % 3 == 0 ? -1 : 0.1 * k;
    p.W = blocks_of(W, 6, 6, 3, 3, false);
    for (int i = 0; i < 6; i++)
        p.mu[0][i] = 0.4;
    c.tolerance = 1e-11;
    assert_int_equal(solve_with(&p, "nlgs", "order=coloured", &c, x, &result), MRN_OK);
    assert_int_equal(result.iterations, 1);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_and_relaxation),
        cmocka_unit_test(every_local_method),
        cmocka_unit_test(asymmetric_operators),
        cmocka_unit_test(cohesion_and_joints),
        cmocka_unit_test(every_criterion_stops),
        cmocka_unit_test(contacts_alone_pay_for_no_sums),
        cmocka_unit_test(energy_falls),
        cmocka_unit_test(limits_and_requests),
        cmocka_unit_test(guesses_are_used),
        cmocka_unit_test(stored_and_exchanged_iterate_alike),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(watching_changes_no_bit),
        cmocka_unit_test(no_contact_one_contact_and_strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
