/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear systems of Newton's steps and interior points in both spaces: each solves its
   equation, both agree, whichever is cheaper is chosen, memory may run out; solvers that need no W
   where bodies are given. */
#include "solve/first_order_cases.h"
#include "solve/problems.h"

#include "solve/step_matrix.h"

typedef struct made {
    mrn_solve_control control;
    mrn_workspace work;
    mrn_system s;
    mrn_step_matrix m;
} made;

static void make(made *t, const mrn_problem *p, mrn_step_space space)
{
    mrn_message msg = {0};
    *t = (made){.control = mrn_solve_control_default()};
    ok(mrn_system_make(p, &t->control, false, &t->work, &t->s, &msg), &msg);
    ok(mrn_step_matrix_plan(&t->s, space, INT64_MAX, &t->m, &msg), &msg);
    ok(mrn_step_matrix_take_room(&t->m, &msg), &msg);
}

static void unmake(made *t)
{
    mrn_step_matrix_release(&t->m);
    mrn_workspace_release(&t->work);
}

typedef struct recipe {
    const char *family, *words;
} recipe;
static const recipe kinds[] = {
    {"random", "contacts=30 bodies=20 dimension=2"},
    {"random", "contacts=60 bodies=20"},
    {"wall", "bricks=3 courses=3"}, /* faces on faces, a ground that does not move */
    {"plate", ""},                  /* many contacts of one body                   */
    {"packing", "spheres=40"},
    {"tower", ""},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Blocks as the methods have them: A with a symmetric part of at least `least` and a skew part, C
   near the unit matrix, or zero as for a contact that is open. */
static void draw_blocks(mrn_rng *rng, int64_t n, int b, double least, double *a, double *c,
                        double *scale)
{
    for (int64_t i = 0; i < n; i++) {
        bool open = i % 5 == 4;
        for (int k = 0; k < b * b; k++) {
            bool own = k % (b + 1) == 0;
            a[i * b * b + k] = 0.2 * least * mrn_rng_normal(rng) + (own ? open ? 1 : least : 0);
            c[i * b * b + k] = open ? 0 : 0.2 * mrn_rng_normal(rng) + (own ? 1 : 0);
        }
        for (int k = 0; k < b; k++)
            scale[i * b + k] = k == 0 ? 1 : i % 7 == 3 ? 0 : 0.1 + 0.9 * mrn_rng_uniform(rng);
    }
}

/* |f - A x - C S W S x| */
static double left_of(const mrn_system *s, const double *a, const double *c, const double *scale,
                      const double *f, const double *x)
{
    int64_t size = (int64_t)s->n * s->b, b = s->b;
    double *y = calloc((size_t)size + 8, sizeof *y), *z = calloc((size_t)size + 8, sizeof *z);
    for (int64_t k = 0; k < size; k++)
        y[k] = scale != NULL ? scale[k] * x[k] : x[k];
    mrn_system_times(s, y, z);
    double sum = 0;
    for (int64_t k = 0; k < size; k++) {
        int64_t i = k / b, r = k % b;
        double v = f[k];
        for (int64_t l = 0; l < b; l++) {
            double w = z[i * b + l] * (scale != NULL ? scale[i * b + l] : 1);
            v -= a[(i * b + l) * b + r] * x[i * b + l];
            v -= (c != NULL ? c[(i * b + l) * b + r] : r == l) * w;
        }
        sum += v * v;
    }
    free(y), free(z);
    return sqrt(sum);
}

/* Both spaces, with and without C and S, for blocks down to 1e-6 of W. The condition number grows
   with their inverse: 1e-9 of the right-hand side (of what x brings, where that is more) is far
   above rounding and far below what a wrong block would leave. */
static void both_spaces_solve_their_equation(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(8, 0);
    for (int k = 0; k < N_KINDS; k++)
        for (int variant = 0; variant < 8; variant++) {
            mrn_problem p = family(kinds[k].family, kinds[k].words, 3);
            made t[2];
            make(&t[0], &p, MRN_SPACE_CONTACTS);
            make(&t[1], &p, MRN_SPACE_BODIES);
            assert_true(!t[0].m.bodies && t[1].m.bodies);
            int b = t[0].s.b;
            int64_t size = (int64_t)p.n * b;
            double *a = calloc((size_t)(size * b), sizeof *a), *x[2] = {NULL};
            double *c = calloc((size_t)(size * b), sizeof *c), *f = vector_of(&p);
            double *scale = vector_of(&p), least = variant & 4 ? 1e-6 : 1;
            draw_blocks(&rng, p.n, b, least, a, c, scale);
            for (int64_t j = 0; j < size; j++)
                f[j] = mrn_rng_normal(&rng);
            for (int way = 0; way < 2; way++) {
                const double *with_c = variant & 1 ? c : NULL, *with_s = variant & 2 ? scale : NULL;
                x[way] = vector_of(&p);
                assert_int_equal(mrn_step_matrix_factor(&t[way].m, a, with_c, with_s), 0);
                mrn_step_matrix_solve(&t[way].m, f, x[way]);
                double most = norm_of(size, f) + norm_of(size, x[way]);
                assert_true(left_of(&t[way].s, a, with_c, with_s, f, x[way]) <= 1e-9 * most);
            }
            if (least == 1)
                assert_true(distance(size, x[0], x[1]) <= 1e-9 * norm_of(size, x[0]));
            for (int way = 0; way < 2; way++)
                unmake(&t[way]), mrn_free(x[way]);
            free(a), free(c), mrn_free(f), mrn_free(scale);
            mrn_problem_release(&p);
        }
}

/* A plate on many points has six unknowns, its contacts hundreds; loose contacts of many bodies the
   other way round; gyroscopic masses have no root. */
static void the_cheaper_space_is_chosen(void **state)
{
    (void)state;
    mrn_problem p = family("plate", "", 1);
    made t;
    make(&t, &p, MRN_SPACE_AUTO);
    assert_true(t.m.bodies && t.m.flops == t.m.body.lu.flops);
    unmake(&t);
    int dof = p.Ht.bc;
    p.minv[1] += 0.01 * p.minv[0]; /* M⁻¹ of a body is no longer symmetric */
    assert_false(mrn_masses_have_roots(p.Ht.cols, dof, p.minv));
    make(&t, &p, MRN_SPACE_AUTO);
    assert_false(t.m.bodies);
    unmake(&t);
    mrn_problem_release(&p);
    p = family("random", "contacts=20 bodies=60", 1);
    make(&t, &p, MRN_SPACE_AUTO);
    assert_false(t.m.bodies);
    unmake(&t);
    mrn_problem_release(&p);
}

/* Without W the default, Newton's steps and interior points go through the bodies alone and reach
   what they reach with it. Velocities are those of an answer to 1e-8. */
static void solvers_do_without_W(void **state)
{
    (void)state;
    static const char *const solvers[] = {"hybrid", "newton", "interior-point"};
    static const recipe easy[] = {{"wall", "bricks=3 courses=3"}, {"packing", "spheres=30"}};
    for (int k = 0; k < 6; k++) {
        mrn_problem p = family(easy[k % 2].family, easy[k % 2].words, 2);
        mrn_solve_control control = mrn_solve_control_default();
        mrn_solve_result result[2];
        mrn_measures measures;
        control.tolerance = 1e-8;
        double *u[2] = {vector_of(&p), vector_of(&p)};
        for (int without = 0; without < 2; without++) {
            mrn_bsr W = p.W;
            double *r = vector_of(&p);
            if (without)
                p.W = (mrn_bsr){0};
            assert_int_equal(solve_with(&p, solvers[k / 2], "", &control, r, &result[without]),
                             MRN_OK);
            p.W = W;
            assert_int_equal(mrn_measure_answer(&p, r, u[without], &measures, NULL), MRN_OK);
            assert_true(measures.natural <= 1.001e-8);
            mrn_free(r);
        }
        mrn_free(u[0]), mrn_free(u[1]);
        mrn_problem_release(&p);
    }
}

/* Every allocation of the way through bodies may fail. */
static void memory_runs_out(void **state)
{
    (void)state;
    mrn_problem p = family("wall", "bricks=3 courses=3", 1);
    mrn_bsr_release(&p.W);
    p.W = (mrn_bsr){0};
    double *r = vector_of(&p);
    mrn_status st = MRN_ERR_MEMORY;
    int failed = 0;
    for (int64_t k = 1; st == MRN_ERR_MEMORY; k++) {
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        st = mrn_solve(&p, mrn_solver_find("interior-point"), NULL, NULL, r, NULL, NULL, &msg);
        mrn_alloc_fail_at(0);
        failed += st == MRN_ERR_MEMORY;
    }
    assert_int_equal(st, MRN_OK);
    assert_true(failed > 5);
    mrn_free(r);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_spaces_solve_their_equation),
        cmocka_unit_test(the_cheaper_space_is_chosen),
        cmocka_unit_test(solvers_do_without_W),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
