/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All solvers of the list against each other, against known answers, and on problems that have no
   answer. */
/* ctest-labels: slow */
#include "solve/problems.h"

typedef struct recipe {
    const char *family, *words;
} recipe;

/* (Normal and tangential impulses in turns need not meet: solve/uncondensed.) */
static bool can(const mrn_solver *s, const mrn_problem *p)
{
    if (strcmp(s->name, "alternating") == 0)
        return false;
    bool bilateral = false;
    for (int i = 0; p->law != NULL && i < p->n; i++)
        bilateral = bilateral || p->law[i] == MRN_BILATERAL;
    return (s->kinds >> p->kind & 1) != 0 && (s->bilateral || !bilateral);
}

/* ---- answers known without solving ---- */

static const recipe known[] = {
    {"chain", "spheres=40"},
    {"chain", "spheres=30 dimension=2 mass-ratio=1e3"},
    {"chain", "spheres=9 layout=row"},
    {"wall", "bricks=4 courses=5"},
    {"wall", "bricks=4 courses=5 dimension=2"},
    {"tower", "boxes=6"},
    {"tower", "boxes=6 angle=30"},
    {"tower", "boxes=6 angle=10 dimension=2"},
    {"plate", "contacts=40"},
    {"plate", "contacts=40 push=0.8"},
    {"random", "contacts=60 bodies=50"},
    {"random", "contacts=60 bodies=50 dimension=2 rolling=rolling"},
    {"random", "contacts=60 bodies=50 rolling=rolling"},
    {"random", "contacts=60 bodies=10 rolling=pivoting"},
    {"random", "contacts=60 bodies=50 condition=1e6"},
    {"joints", "rods=8"},
    {"jammed", "case=wedge"},
};
enum { N_KNOWN = sizeof known / sizeof *known };

/* Velocities are sums of up to some hundred terms W r: a hundred eps times |r| in the units of the
   residual, which for a heavy chain on light balls is much more than eps. */
static double rounding(const mrn_problem *p, const double *r)
{
    int b = block_of(p);
    double mean = 0;
    int64_t size = (int64_t)p->n * b;
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < b; c++)
            mean += p->W.value[(mrn_bsr_find(&p->W, i, i) * b + c) * b + c] / (double)size;
    return 2e-14 * (1 + mean * norm_of(size, r) / norm_of(size, p->q));
}

static void known_answers_have_no_residual(void **state)
{
    (void)state;
    for (int k = 0; k < N_KNOWN; k++) {
        mrn_problem p = family(known[k].family, known[k].words, 3);
        double *r = family_answer(known[k].family, known[k].words, 3, &p);
        mrn_measures m;
        mrn_message msg = {0};
        assert_non_null(r);
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        if (!(m.natural <= rounding(&p, r)))
            fail_msg("%s %s: residual %g", known[k].family, known[k].words, m.natural);
        mrn_free(r);
        mrn_problem_release(&p);
    }
}

/* ---- one against all ---- */

/* Velocities of every solver against `want`. Each reaches the tolerance, but those that sweep may
   stop short where `sweeps_may_stop`. A residual of `tolerance` is an error of velocities of
   `factor` times that, relative to |q|. */
static void compare(const mrn_problem *p, const recipe *of, bool sweeps_may_stop, double tolerance,
                    double factor, const double *want)
{
    char name[128];
    snprintf(name, sizeof name, "%s %s", of->family, of->words);
    int64_t size = (int64_t)p->n * block_of(p);
    double *r = vector_of(p), *u = vector_of(p), q = norm_of(size, p->q);
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        mrn_solve_control c = mrn_solve_control_default();
        mrn_solve_result x;
        mrn_measures m;
        mrn_message msg = {0};
        if (!can(s, p))
            continue;
        c.tolerance = tolerance, c.max_iterations = 4000;
        memset(r, 0, (size_t)size * sizeof *r);
        mrn_status st = mrn_solve(p, s, NULL, &c, r, NULL, &x, &msg);
        if (st < 0 || (st != MRN_OK && !(sweeps_may_stop && s->sweeps)))
            fail_msg("%s on %s: %s", s->name, name, st < 0 ? msg.text : x.words);
        if (st != MRN_OK)
            continue;
        ok(mrn_measure_answer(p, r, u, &m, &msg), &msg);
        double error = distance(size, u, want) / q;
        if (!(error <= factor * tolerance))
            fail_msg("%s on %s: velocities off by %g", s->name, name, error);
    }
    mrn_free(r), mrn_free(u);
}

/* W with eigenvalues from 1 to about 5: every solver gets there, and velocities are within the
   condition number of the residual. All kinds; with a skew part too. */
static void definite_problems_have_one_answer(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int skew = 0; skew < 2; skew++) {
            double u[20 * 6];
            mrn_problem p = backwards((mrn_contact_kind)kind, 20, 9, skew ? 3e-3 : 0, NULL, u);
            int able = 0;
            for (int i = 0; i < mrn_solver_count(); i++)
                able += can(mrn_solver_at(i), &p) && !mrn_solver_at(i)->wants_bodies;
            const char *name = mrn_contact_layout_of(p.kind)->name;
            /* solvers that want bodies refuse a problem given by W alone: those are left out */
            double *r = vector_of(&p), *v = vector_of(&p);
            int reached = 0;
            for (int i = 0; i < mrn_solver_count(); i++) {
                const mrn_solver *s = mrn_solver_at(i);
                mrn_solve_control c = mrn_solve_control_default();
                mrn_measures m;
                if (!can(s, &p) || s->wants_bodies)
                    continue;
                /* interior points stop short of 1e-8 on most of these in 3D (36 of 40 seeds) */
                c.tolerance = strcmp(s->name, "interior-point") == 0 ? 1e-6 : 1e-8;
                memset(r, 0, (size_t)(p.n * p.W.br) * sizeof *r);
                mrn_status st = mrn_solve(&p, s, NULL, &c, r, NULL, NULL, NULL);
                if (st != MRN_OK)
                    fail_msg("%s did not reach %g on %s contacts", s->name, c.tolerance, name);
                assert_int_equal(mrn_measure_answer(&p, r, v, &m, NULL), MRN_OK);
                double q = norm_of(p.n * p.W.br, p.q);
                assert_true(distance(p.n * p.W.br, u, v) <= 20 * c.tolerance * q);
                reached++;
            }
            assert_int_equal(reached, able);
            mrn_free(r), mrn_free(v);
            mrn_problem_release(&p);
        }
}

/* More impulses than equations: the impulses may differ, their difference does nothing: W (r - r')
   = u - u', compared with the velocities of the known answer. Sticking contacts have |u| = |F|;
   others may be off by more: 37 times at most (newton on the leaning tower). */
static void hyperstatic_problems_have_one_velocity(void **state)
{
    (void)state;
    const recipe cases[] = {
        {"plate", "contacts=40 push=0.8"},
        {"plate", "contacts=30 push=0.2"},
        {"wall", "bricks=3 courses=4"},
        {"wall", "bricks=3 courses=4 dimension=2"},
        {"tower", "boxes=5"},
        {"tower", "boxes=5 angle=30"},
        {"chain", "spheres=20"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mrn_problem p = family(cases[k].family, cases[k].words, 2);
        double *r = family_answer(cases[k].family, cases[k].words, 2, &p), *u = vector_of(&p);
        mrn_measures m;
        assert_non_null(r);
        assert_int_equal(mrn_measure_answer(&p, r, u, &m, NULL), MRN_OK);
        /* sweeps creep up the leaning tower: 4000 of them are not enough */
        bool leaning = strstr(cases[k].words, "angle") != NULL;
        compare(&p, &cases[k], leaning, 1e-6, 60, u);
        mrn_free(r), mrn_free(u);
        mrn_problem_release(&p);
    }
}

/* Without friction the problem is convex and velocities are unique, hyperstatic or not. (With
   friction they are not: solvers find different answers of "lattice across=4 layers=3
   agitation=0.1" whose velocities differ by some percent, all with residuals of 1e-12.) Against the
   default solver, much more exact than the rest, which are off by 16 times their residual at most.
 */
static void piles_have_one_velocity(void **state)
{
    (void)state;
    const recipe cases[] = {
        {"lattice", "friction=0 across=4 layers=3 agitation=0.1"},
        {"packing", "friction=0 spheres=60 agitation=0.1"},
        {"packing", "friction=0 spheres=60 dimension=2 agitation=0.1"},
        {"wall", "friction=0 bricks=3 courses=4 dimension=2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mrn_problem p = family(cases[k].family, cases[k].words, 2);
        double *r = vector_of(&p), *u = vector_of(&p);
        mrn_solve_control c = mrn_solve_control_default();
        mrn_measures m;
        c.tolerance = 1e-10;
        mrn_solve_result x;
        if (mrn_solve(&p, mrn_solver_at(0), NULL, &c, r, NULL, &x, NULL) != MRN_OK)
            fail_msg("%s on %s %s: %s", mrn_solver_at(0)->name, cases[k].family, cases[k].words,
                     x.words);
        assert_int_equal(mrn_measure_answer(&p, r, u, &m, NULL), MRN_OK);
        compare(&p, &cases[k], false, 1e-6, 30, u);
        mrn_free(r), mrn_free(u);
        mrn_problem_release(&p);
    }
}

/* ---- no answer ---- */

/* Walls that approach with rigid balls between them: velocities sum up to -V whatever the impulses.
   Impulses may grow without bound; nobody may call that solved, at any tolerance. The sum of normal
   velocities is -V, of n contacts that want u_N >= 0: |F| >= V / sqrt n where F sees them. */
static void what_has_no_answer_is_never_solved(void **state)
{
    (void)state;
    const recipe cases[] = {
        {"jammed", "balls=1"},
        {"jammed", "balls=10"},
        {"jammed", "balls=10 dimension=2"},
        {"jammed", "balls=10 friction=0"},
        {"jammed", "balls=40 speed=100 gravity=0"},
        {"jammed", "balls=5 friction=10"},
    };
    const double tolerance[] = {1e-2, 1e-4, 1e-8, 1e-14};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mrn_problem p = family(cases[k].family, cases[k].words, 1);
        int64_t size = (int64_t)p.n * block_of(&p);
        double *r = vector_of(&p);
        for (int i = 0; i < mrn_solver_count(); i++)
            for (int t = 0; t < 4; t++) {
                mrn_solve_control c = mrn_solve_control_default();
                mrn_solve_result x;
                mrn_message msg = {0};
                if (!can(mrn_solver_at(i), &p))
                    continue;
                c.tolerance = tolerance[t], c.max_iterations = 3000;
                memset(r, 0, (size_t)size * sizeof *r);
                mrn_status st = mrn_solve(&p, mrn_solver_at(i), NULL, &c, r, NULL, &x, &msg);
                if (st != MRN_NOT_CONVERGED || x.converged || !(x.measures.natural > 0.02))
                    fail_msg("%s on %s at %g: status %d, %s", mrn_solver_at(i)->name,
                             cases[k].words, tolerance[t], st, st < 0 ? msg.text : x.words);
                for (int64_t j = 0; j < size; j++)
                    assert_true(isfinite(r[j]));
            }
        mrn_free(r);
        mrn_problem_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_have_no_residual),
        cmocka_unit_test(definite_problems_have_one_answer),
        cmocka_unit_test(hyperstatic_problems_have_one_velocity),
        cmocka_unit_test(piles_have_one_velocity),
        cmocka_unit_test(what_has_no_answer_is_never_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
