/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default solver and the interior-point method it leans on: answers on paper, families with
   known answers to high accuracy, the choice of method, limits, threads, memory. */
/* ctest-labels: slow */
#include "solve/first_order_cases.h"
#include "solve/problems.h"

static const char *const both[] = {"hybrid", "interior-point"};

static void answers_on_paper(void **state)
{
    (void)state;
    fo_check_sphere("hybrid");
    fo_check_random("hybrid");
    fo_check_asymmetric("hybrid");
    fo_check_hyperstatic("hybrid");
    fo_check_bilateral("hybrid");
    fo_check_kinds("hybrid");
}

static void limits(void **state)
{
    (void)state;
    fo_check_limit("hybrid");
    for (int k = 0; k < 2; k++)
        fo_check_unsolvable(both[k]);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        fo_check_threads(both[k]);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        fo_check_memory(both[k]);
}

/* Residual reached by a solver on a family. */
static mrn_solve_result reach(const char *solver, const char *name, const char *words,
                              double tolerance, mrn_status wanted)
{
    mrn_problem p = family(name, words, 1);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    control.tolerance = tolerance;
    double *r = vector_of(&p);
    mrn_status st = solve_with(&p, solver, "", &control, r, &result);
    if (st != wanted)
        fail_msg("%s on %s %s: %s", solver, name, words, result.words);
    mrn_problem_release(&p);
    mrn_free(r);
    return result;
}

/* Badly conditioned and hyperstatic problems, to 1e-10: far beyond what sweeps alone reach. */
static void high_accuracy(void **state)
{
    (void)state;
    static const char *const hard[][2] = {
        {"chain", "spheres=120"},
        {"chain", "spheres=80 dimension=2"},
        {"chain", "spheres=20 mass-ratio=1e4"},
        {"wall", "bricks=4 courses=5"},
        {"wall", "bricks=4 courses=4 pull=3"},
        {"wall", "bricks=5 courses=6 dimension=2"},
        {"tower", "boxes=12"},
        {"tower", "boxes=10 angle=40"}, /* all slide */
        {"tower", "boxes=10 dimension=2 mass-ratio=100"},
        {"plate", "contacts=60 push=0.7"},
        {"lattice", "across=4 layers=4 agitation=0.1"},
        {"lattice", "across=8 dimension=2 agitation=0.5"},
        {"packing", "spheres=60"},
        {"random", "contacts=150 bodies=100"},
        {"random", "contacts=100 bodies=80 condition=1e4"},
        {"random", "contacts=80 bodies=8"},
        {"random", "contacts=150 bodies=100 dimension=2"},
        {"joints", "rods=8"},
        {"jammed", "case=wedge"},
    };
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++)
        assert_true(reach("hybrid", hard[k][0], hard[k][1], 1e-10, MRN_OK).measures.natural <=
                    1.001e-10);
}

/* Rolling and pivoting, which interior points do not know. */
static void rolling(void **state)
{
    (void)state;
    reach("hybrid", "random", "contacts=40 bodies=30 rolling=rolling", 1e-6, MRN_OK);
    reach("hybrid", "random", "contacts=40 bodies=30 rolling=pivoting", 1e-6, MRN_OK);
    reach("hybrid", "random", "contacts=40 bodies=30 rolling=rolling dimension=2", 1e-6, MRN_OK);
}

/* An easy problem is left to sweeps, one with a long way for forces to travel is not; and then it
   takes far fewer iterations than sweeps alone, which need about n² of them in a chain. */
static void choice_of_method(void **state)
{
    (void)state;
    mrn_solve_result easy = reach("hybrid", "packing", "spheres=40 agitation=1", 1e-3, MRN_OK);
    mrn_solve_result hard = reach("hybrid", "chain", "spheres=150", 1e-8, MRN_OK);
    assert_int_equal(easy.factorisations, 0);
    assert_in_range(hard.factorisations, 1, 60);
    assert_true(hard.iterations < 1000);
}

/* Interior points: few steps whatever the conditioning; a known answer's velocities. */
static void interior_steps(void **state)
{
    (void)state;
    static const char *const spread[] = {"condition=1", "condition=1e2", "condition=1e4"};
    for (int k = 0; k < 3; k++) {
        char words[80];
        snprintf(words, sizeof words, "contacts=60 bodies=50 %s", spread[k]);
        mrn_solve_result x = reach("interior-point", "random", words, 1e-6, MRN_OK);
        assert_in_range(x.iterations, 5, 60);
        assert_int_equal(x.factorisations, x.iterations);
    }
    reach("interior-point", "tower", "boxes=15", 1e-7, MRN_OK);
    reach("interior-point", "wall", "bricks=4 courses=5 dimension=2", 1e-7, MRN_OK);
}

/* Every energy of a history is that of its own iterate: it starts at 0 with no impulses and the
   last one is that of the answer. */
typedef struct energies {
    int told, zero;
    double last;
} energies;

static bool note_energy(const mrn_iterate *it, void *user)
{
    energies *e = user;
    e->told += isfinite(it->energy);
    e->zero += it->energy == 0;
    e->last = it->energy;
    return false;
}

static void energies_of_a_history(void **state)
{
    (void)state;
    static const char *const words[] = {"spheres=40", "spheres=150"};
    for (int k = 0; k < 2; k++) {
        mrn_problem p = family("chain", words[k], 1);
        mrn_solve_control control = mrn_solve_control_default();
        mrn_solve_result result;
        energies e = {0};
        double *r = vector_of(&p);
        control.tolerance = k == 0 ? 1e-2 : 1e-8;
        control.watch = note_energy, control.user = &e;
        assert_int_equal(solve_with(&p, "hybrid", "", &control, r, &result), MRN_OK);
        assert_true(e.told > 1);
        assert_int_equal(e.zero, 1);
        assert_true(fabs(e.last - result.measures.energy) <= 1e-9 * fabs(e.last));
        mrn_problem_release(&p);
        mrn_free(r);
    }
}

/* Frictionless contacts among others, a guess that is the answer. */
static void friction_of_zero_and_a_guess(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=60 bodies=50", 3);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    double *r = vector_of(&p);
    control.tolerance = 1e-7;
    for (int i = 0; i < p.n; i += 2)
        p.mu[0][i] = 0;
    for (int k = 0; k < 2; k++) {
        memset(r, 0, (size_t)p.n * 3 * sizeof *r);
        assert_int_equal(solve_with(&p, both[k], "", &control, r, &result), MRN_OK);
        for (int i = 0; i < p.n; i += 2) /* inside the cone to the tolerance */
            assert_true(hypot(r[3 * i + 1], r[3 * i + 2]) <= 1e-5 * norm_of(3 * p.n, r));
    }
    assert_int_equal(solve_with(&p, "hybrid", "", &control, r, &result), MRN_OK);
    assert_int_equal(result.iterations, 0);
    mrn_problem_release(&p);
    mrn_free(r);
}

/* No answer exists: none may be claimed, however long the solver tries. */
static void without_an_answer(void **state)
{
    (void)state;
    mrn_problem p = family("jammed", "balls=6", 1);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    double *r = vector_of(&p);
    control.max_iterations = 20000;
    assert_int_equal(solve_with(&p, "hybrid", "", &control, r, &result), MRN_NOT_CONVERGED);
    /* the walls approach with V whatever the impulses: some contact closes with V/7 or more */
    assert_true(result.measures.natural > 0.1);
    assert_true(strstr(result.words, "limit") != NULL);
    mrn_problem_release(&p);
    mrn_free(r);
}

/* Steps with matrices that lead nowhere are not repeated until turns have cost as much as they did;
   and a step costs more than a sweep, so that there are fewer of them. (696 of 1000 before.) */
static void matrices_wait_for_turns(void **state)
{
    (void)state;
    mrn_problem p = family("jammed", "balls=10", 1);
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    double *r = vector_of(&p);
    control.max_iterations = 1000;
    assert_int_equal(solve_with(&p, "hybrid", "", &control, r, &result), MRN_NOT_CONVERGED);
    assert_true(result.factorisations > 0);
    assert_true(2 * result.factorisations < result.iterations);
    mrn_problem_release(&p);
    mrn_free(r);
}

/* Where sweeps see the end no factorisation is made, and none has memory: beyond what sweeps take
   there are some vectors of gradients. (With the pattern and room for numbers it was 20 times.) */
static void easy_problems_take_little_memory(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=8 layers=8", 1);
    double *r = vector_of(&p), *s = vector_of(&p);
    mrn_solve_control c = mrn_solve_control_default();
    mrn_solve_result sweeps, all;
    c.tolerance = 1e-4;
    assert_int_equal(solve_with(&p, "nlgs", "", &c, r, &sweeps), MRN_OK);
    assert_int_equal(solve_with(&p, "hybrid", "", &c, s, &all), MRN_OK);
    assert_int_equal(all.factorisations, 0);
    assert_true(all.memory < 2 * sweeps.memory);
    mrn_free(r), mrn_free(s);
    mrn_problem_release(&p);
}

typedef struct residuals {
    double seen[4000];
    int n, again;
} residuals;

static bool keep_newton(const mrn_iterate *it, void *user)
{
    residuals *k = user;
    if (strcmp(it->phase, "newton") != 0 || k->n == 4000)
        return false;
    for (int i = 0; i < k->n; i++)
        if (k->seen[i] == it->natural) {
            k->again++;
            break;
        }
    k->seen[k->n++] = it->natural;
    return false;
}

/* What is tried elsewhere goes on where the try before ended: iterates do not come twice, to the
   last bit. (Where each try began at the same place a third of them did.) */
static void tries_elsewhere_go_on(void **state)
{
    (void)state;
    static residuals k;
    mrn_problem p = family("packing", "spheres=150 friction=0.6", 1);
    mrn_solve_control c = mrn_solve_control_default();
    mrn_solve_result result;
    double *r = vector_of(&p);
    c.tolerance = 1e-9, c.max_iterations = 60000;
    c.watch = keep_newton, c.user = &k;
    solve_with(&p, "hybrid", "", &c, r, &result); /* whether it is solved is another matter */
    assert_true(k.n > 300);
    if (10 * k.again > k.n)
        fail_msg("%d of %d iterates come again", k.again, k.n);
    mrn_problem_release(&p);
    mrn_free(r);
}

static bool count_looks(const mrn_iterate *it, void *user)
{
    *(int *)user += strcmp(it->phase, "nlgs") == 0;
    return false;
}

/* A look at the residual costs as much as a sweep: where many sweeps are made it is looked at ever
   more rarely, whatever turns they are made in. Some thirty looks go with hundreds of sweeps. (With
   looks counted anew in each turn it was every second sweep.) */
static void looks_become_rare(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=12 layers=12 agitation=0.01", 1);
    double *r = vector_of(&p);
    int looks = 0;
    mrn_solve_control c = mrn_solve_control_default();
    mrn_solve_result result;
    c.tolerance = 1e-4;
    c.watch = count_looks, c.user = &looks;
    assert_int_equal(solve_with(&p, "hybrid", "", &c, r, &result), MRN_OK);
    assert_int_equal(result.factorisations, 0);
    assert_true(result.updates > 150 * (int64_t)p.n); /* that many sweeps and more */
    if (!(looks > 5 && looks < 60))
        fail_msg("%d looks in %lld iterations", looks, (long long)result.iterations);
    mrn_problem_release(&p);
    mrn_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_on_paper),
        cmocka_unit_test(limits),
        cmocka_unit_test(high_accuracy),
        cmocka_unit_test(rolling),
        cmocka_unit_test(choice_of_method),
        cmocka_unit_test(interior_steps),
        cmocka_unit_test(energies_of_a_history),
        cmocka_unit_test(without_an_answer),
        cmocka_unit_test(matrices_wait_for_turns),
        cmocka_unit_test(friction_of_zero_and_a_guess),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(easy_problems_take_little_memory),
        cmocka_unit_test(looks_become_rare),
        cmocka_unit_test(tries_elsewhere_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
