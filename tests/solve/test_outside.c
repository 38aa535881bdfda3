/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems of other codes, where they are at hand (../shared/data/fclib beside the sources: twelve
   files of the FCLIB format from published collections; not part of the project). Without them
   nothing is tested here. */
/* ctest-labels: slow */
#include "solve/problems.h"

#include <sys/stat.h>

#include "moraine/fclib.h"

typedef struct file {
    const char *name;
    int contacts;
    double asymmetry_least, asymmetry_most; /* max |W - Wᵀ| / max |W| */
} file;

static const file files[] = {
    {"OneObject-i1028-138", 23, 0, 1e-2},
    {"Box_Stacks-i0035-31-0", 31, 0, 1e-13},
    {"BoxesStack1-i100000-32", 52, 0, 1e-2},
    {"Confeti-ex03-Fc3D-SBM", 54, 0, 1e-13},
    {"LMGC_100_PR_PerioBox-i00361-60-03000", 60, 0, 1e-13},
    {"spheres-in-a-box-98-i10000-256-10", 256, 0, 1e-13},
    {"Capsules-i125-1213", 286, 1e-4, 1e-2},
    {"KaplasTower-i1061-4", 570, 0, 1e-2},
};
enum { N_FILES = sizeof files / sizeof *files };

static bool load(const file *f, mrn_problem *p)
{
    char path[1024];
    mrn_message msg = {0};
    struct stat st;
    snprintf(path, sizeof path, "%s/../shared/data/fclib/%s.hdf5", MRN_TEST_SOURCE, f->name);
    if (stat(path, &st) != 0)
        return false;
    ok(mrn_fclib_read(path, p, NULL, &msg), &msg);
    ok(mrn_problem_assemble(p, &msg), &msg);
    return true;
}

static double asymmetry(const mrn_bsr *w)
{
    double top = 0, skew = 0;
    for (int i = 0; i < w->rows; i++)
        for (int64_t k = w->start[i]; k < w->start[i + 1]; k++) {
            int64_t o = mrn_bsr_find(w, w->col[k], i);
            for (int c = 0; c < w->bc; c++)
                for (int r = 0; r < w->br; r++) {
                    double a = w->value[(k * w->bc + c) * w->br + r];
                    double b = o < 0 ? 0 : w->value[(o * w->bc + r) * w->br + c];
                    top = fmax(top, fabs(a)), skew = fmax(skew, fabs(a - b));
                }
        }
    return skew / top;
}

/* Sizes and asymmetries as published with the files; r = 0 has the residual that its definition
   gives: velocities q, so |F| = |P_{-K}(...)|, at most |q| times the factor of g. */
static void files_are_what_they_are_said_to_be(void **state)
{
    (void)state;
    int there = 0;
    for (int k = 0; k < N_FILES; k++) {
        mrn_problem p;
        mrn_measures m;
        mrn_message msg = {0};
        if (!load(files + k, &p))
            continue;
        there++;
        assert_int_equal(p.n, files[k].contacts);
        assert_int_equal(p.kind, MRN_CONTACT_3D);
        double a = asymmetry(&p.W);
        if (!(a >= files[k].asymmetry_least && a <= files[k].asymmetry_most))
            fail_msg("%s: asymmetry %g", files[k].name, a);
        double *r = vector_of(&p);
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        assert_true(m.natural > 0 && m.natural <= 3 && m.open == p.n && m.energy == 0);
        mrn_free(r);
        mrn_problem_release(&p);
    }
    if (there == 0)
        skip();
}

/* The default solver at 1e-8, below 300 contacts, in at most a second each. */
static void small_ones_are_solved(void **state)
{
    (void)state;
    int there = 0, failed = 0;
    for (int k = 0; k < N_FILES; k++) {
        mrn_problem p;
        mrn_solve_control c = mrn_solve_control_default();
        mrn_solve_result x;
        mrn_measures m;
        mrn_message msg = {0};
        if (files[k].contacts >= 300 || !load(files + k, &p))
            continue;
        there++;
        double *r = vector_of(&p);
        c.tolerance = 1e-8;
        mrn_status st = mrn_solve(&p, mrn_solver_at(0), NULL, &c, r, NULL, &x, &msg);
        ok(mrn_measure_answer(&p, r, NULL, &m, &msg), &msg);
        if (st != MRN_OK || !(m.natural <= 1.001e-8)) {
            failed++;
            print_error("%s: %s\n", files[k].name, st < 0 ? msg.text : x.words);
        }
        /* the same to rounding in other units: Siconos' residual on the scaled problem */
        assert_true(m.cone <= 1e-8 && m.open + m.sticking + m.sliding == p.n);
        mrn_free(r);
        mrn_problem_release(&p);
    }
    assert_int_equal(failed, 0);
    if (there == 0)
        skip();
}

/* Gauss-Seidel reaches 1e-4 on all of them, also the larger one, as published for its kind. */
static void gauss_seidel_reaches_low_accuracy(void **state)
{
    (void)state;
    int there = 0;
    for (int k = 0; k < N_FILES; k++) {
        mrn_problem p;
        mrn_solve_control c = mrn_solve_control_default();
        mrn_solve_result x;
        if (!load(files + k, &p))
            continue;
        there++;
        double *r = vector_of(&p);
        if (mrn_solve(&p, mrn_solver_find("nlgs"), NULL, &c, r, NULL, &x, NULL) != MRN_OK)
            fail_msg("%s: %s", files[k].name, x.words);
        mrn_free(r);
        mrn_problem_release(&p);
    }
    if (there == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_what_they_are_said_to_be),
        cmocka_unit_test(small_ones_are_solved),
        cmocka_unit_test(gauss_seidel_reaches_low_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
