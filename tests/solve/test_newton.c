/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generalised Newton: derivatives, convergence, answers on paper, options, joints, problems without
   answer, steps for other solvers, threads, memory. */
/* ctest-labels: threads */
#include "solve/first_order_cases.h"

#include "solve/newton.h"

/* ---- the functions of one contact ---- */

enum { MAPS = MRN_MAP_FISCHER_BURMEISTER + 1 };

typedef struct point {
    mrn_newton_contact contact;
    double r[3], u[3];
} point;

static void draw_point(mrn_rng *rng, int b, point *p)
{
    *p = (point){.contact = {.b = b}};
    p->contact.mu = 0.1 + mrn_rng_uniform(rng);
    p->contact.rho_n = 0.5 + mrn_rng_uniform(rng);
    p->contact.rho_t = 0.5 + mrn_rng_uniform(rng);
    for (int k = 0; k < b; k++)
        p->r[k] = mrn_rng_normal(rng);
    for (int k = 0; k < b; k++)
        p->u[k] = mrn_rng_normal(rng);
}

static void evaluate(int map, const point *p, double *f, double *a, double *c)
{
    mrn_newton_evaluate((mrn_newton_map)map, &p->contact, p->r, p->u, f, a, c);
}

/* Column k of dF/dr (k < b) or dF/du, by central differences. */
static void difference(int map, point p, int k, double h, double *column)
{
    int b = p.contact.b;
    double *x = k < b ? &p.r[k] : &p.u[k - b], at = *x, up[3], down[3];
    *x = at + h, evaluate(map, &p, up, NULL, NULL);
    *x = at - h, evaluate(map, &p, down, NULL, NULL);
    for (int i = 0; i < b; i++)
        column[i] = (up[i] - down[i]) / (2 * h);
}

/* Whether the derivative is nearly the same a little way off in every direction: no kink is near
   and the second derivative is below 100. */
static bool is_smooth(int map, const point *p)
{
    int b = p->contact.b;
    double f[3], here[18], there[18];
    evaluate(map, p, f, here, here + 9);
    for (int k = 0; k < 4 * b; k++) {
        point q = *p;
        double h = k % 2 == 0 ? 1e-3 : -1e-3;
        *(k / 2 < b ? &q.r[k / 2] : &q.u[k / 2 - b]) += h;
        evaluate(map, &q, f, there, there + 9);
        for (int i = 0; i < b * b; i++)
            if (fabs(there[i] - here[i]) > 0.1 || fabs(there[9 + i] - here[9 + i]) > 0.1)
                return false;
    }
    return true;
}

/* Differences with h = 1e-5 have errors of h² F''' / 6, F''' up to some 1e4 where F'' is up to 100,
   and of rounding, 1e-16 / h: together below 1e-6. */
static void derivatives(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(17, 0);
    for (int map = 0; map < MAPS; map++)
        for (int b = 2; b <= 3; b++) {
            int looked_at = 0;
            for (int trial = 0; trial < 400; trial++) {
                point p;
                double f[3], a[18], column[3];
                draw_point(&rng, b, &p);
                if (!is_smooth(map, &p))
                    continue;
                looked_at++;
                evaluate(map, &p, f, a, a + 9);
                for (int k = 0; k < 2 * b; k++) {
                    difference(map, p, k, 1e-5, column);
                    fo_near(k < b ? a + k * b : a + 9 + (k - b) * b, column, b, 1e-6);
                }
            }
            assert_true(looked_at > 200);
        }
}

/* Without friction and for joints too. */
static void derivatives_of_other_laws(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(3, 0);
    for (int map = 0; map < MAPS; map++)
        for (int trial = 0; trial < 100; trial++) {
            point p;
            double f[3], a[18], column[3];
            draw_point(&rng, 3, &p);
            p.contact.law = trial % 2 ? MRN_BILATERAL : MRN_UNILATERAL;
            p.contact.mu = 0;
            if (!is_smooth(map, &p))
                continue;
            evaluate(map, &p, f, a, a + 9);
            for (int k = 0; k < 6; k++) {
                difference(map, p, k, 1e-5, column);
                fo_near(k < 3 ? a + k * 3 : a + 9 + (k - 3) * 3, column, 3, 1e-6);
            }
        }
}

/* F vanishes where the laws hold, and only there. */
static void zeros_are_the_laws(void **state)
{
    (void)state;
    const point lawful[] = {
        {.r = {0, 0, 0}, .u = {1, 5, -2}},          {.r = {2, 0.3, -0.4}, .u = {0, 0, 0}},
        {.r = {2, 0.6, 0.8}, .u = {0, -1.8, -2.4}}, {.r = {0, 0, 0}, .u = {0, 0, 0}},
        {.r = {0, 0, 0}, .u = {0, 3, 4}},           {.r = {2, 0.6, 0.8}, .u = {0, 0, 0}},
    };
    const point unlawful[] = {
        {.r = {0, 0, 0}, .u = {-1, 0, 0}},        {.r = {1, 0, 0}, .u = {0.5, 0, 0}},
        {.r = {2, 0.6, 0.8}, .u = {0, 1.8, 2.4}}, {.r = {2, 1.2, 1.6}, .u = {0, 0, 0}},
        {.r = {2, 0.3, 0.4}, .u = {0, -0.3, 0}},  {.r = {-1, 0, 0}, .u = {0, 0, 0}},
    };
    for (int map = 0; map < MAPS; map++)
        for (int k = 0; k < 6; k++) {
            double f[3], none[3] = {0}, a[9], c[9];
            point p = lawful[k], q = unlawful[k];
            p.contact = q.contact =
                (mrn_newton_contact){.b = 3, .mu = 0.5, .rho_n = 0.8, .rho_t = 1.3};
            evaluate(map, &p, f, a, c);
            fo_near(f, none, 3, 1e-14); /* sizes are some units, of the rounding of 1e-16 */
            for (int i = 0; i < 9; i++) /* also where there is no derivative */
                assert_true(isfinite(a[i]) && isfinite(c[i]));
            evaluate(map, &q, f, NULL, NULL);
            assert_true(fabs(f[0]) + fabs(f[1]) + fabs(f[2]) > 0.05);
        }
}

/* ---- the solver with options ---- */

static const char *const every_function[] = {"alart-curnier", "natural-map", "fischer-burmeister"};
static const char *const every_linear[] = {"direct", "iterative"};
static const char *const every_search[] = {"none", "armijo", "non-monotone"};

typedef struct history {
    double natural[400];
    int count;
} history;

static bool remember(const mrn_iterate *it, void *user)
{
    history *h = user;
    if (strcmp(it->phase, "newton") == 0 && h->count < 400)
        h->natural[h->count++] = it->natural;
    return false;
}

/* Options are "name", "value" in turn, up to NULL. */
static mrn_status solve_with(fo_case *c, double tolerance, const char *const *set, history *h)
{
    const mrn_solver *s = mrn_solver_find("newton");
    mrn_value option[MRN_PARAM_MAX];
    mrn_solve_control control = mrn_solve_control_default();
    mrn_measures measures;
    control.tolerance = tolerance;
    if (h != NULL)
        h->count = 0, control.watch = remember, control.user = h;
    mrn_solver_defaults(s, option);
    for (; set != NULL && set[0] != NULL; set += 2)
        assert_int_equal(mrn_solver_set(s, option, set[0], set[1], NULL), MRN_OK);
    mrn_status st = mrn_solve(&c->p, s, option, &control, c->r, NULL, &c->result, NULL);
    assert_int_equal(mrn_measure_answer(&c->p, c->r, c->u, &measures, NULL), MRN_OK);
    return st;
}

/* A problem of a family, its velocities on paper in c->want (when `answer`). */
static void make_family(fo_case *c, const char *family, const char *const *set, bool answer)
{
    const mrn_problem_family *f = mrn_problem_family_find(family);
    mrn_value option[MRN_PARAM_MAX];
    mrn_problem p;
    mrn_measures measures;
    assert_non_null(f);
    mrn_params_defaults(f->params, f->n_params, option);
    for (; set[0] != NULL; set += 2)
        assert_int_equal(
            mrn_params_set(f->params, f->n_params, option, family, set[0], set[1], NULL), MRN_OK);
    assert_int_equal(f->make(option, 1, &p, NULL), MRN_OK);
    fo_make(c, p.kind, p.n);
    mrn_problem_release(&c->p);
    c->p = p;
    if (answer) {
        assert_int_equal(f->answer(option, 1, &p, c->r, NULL), MRN_OK);
        assert_int_equal(mrn_measure_answer(&p, c->r, c->want, &measures, NULL), MRN_OK);
        assert_true(measures.natural < 1e-10);
        memset(c->r, 0, (size_t)p.n * MRN_CONTACT_BLOCK_MAX * sizeof *c->r);
    }
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Velocities differ from those on paper by the residual, which is over |q|, times a condition
   number: that of these problems is below 1e4. */
static void expect_velocities(const fo_case *c, double tolerance)
{
    int size = c->p.n * mrn_contact_layout_of(c->p.kind)->block;
    fo_near(c->u, c->want, size, 1e4 * tolerance * norm(c->p.q, size));
}

typedef struct recipe {
    const char *family;
    const char *set[10];
} recipe;

static void families(void **state)
{
    (void)state;
    const recipe cases[] = {
        {"tower", {"boxes", "6"}},
        {"tower", {"boxes", "6", "angle", "30"}},
        {"tower", {"boxes", "5", "dimension", "2", "mass-ratio", "100"}},
        {"wall", {"bricks", "4", "courses", "4"}},
        {"wall", {"bricks", "5", "courses", "4", "dimension", "2"}},
        {"plate", {"contacts", "30"}},
        {"plate", {"contacts", "30", "push", "0.7"}},
        {"plate", {"contacts", "9", "dimension", "2", "push", "0.8"}},
        {"random", {"contacts", "60", "bodies", "50", "friction", "0.2"}},
        {"random", {"contacts", "60", "bodies", "50", "friction", "0.3", "dimension", "2"}},
        {"random", {"contacts", "40", "bodies", "30", "friction", "0"}},
        {"joints", {"rods", "10"}},
        {"joints", {"rods", "1", "layout", "bridge"}},
        {"joints", {"rods", "8", "dimension", "2"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fo_case c;
        make_family(&c, cases[k].family, cases[k].set, true);
        assert_int_equal(solve_with(&c, 1e-10, NULL, NULL), MRN_OK);
        expect_velocities(&c, 1e-10);
        fo_release(&c);
    }
}

/* Functions, linear solvers and searches change the way, not the velocities. */
static void every_combination(void **state)
{
    (void)state;
    const recipe cases[] = {
        {"tower", {"boxes", "4", "angle", "30"}},
        {"wall", {"bricks", "3", "courses", "3", "dimension", "2"}},
        {"plate", {"contacts", "12", "push", "0.7"}},
        {"random", {"contacts", "30", "bodies", "25", "friction", "0.2"}},
        {"joints", {"rods", "4", "layout", "bridge", "agitation", "0.1"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int way = 0; way < 18; way++) {
            const char *set[] = {
                "function",    every_function[way % 3], "linear", every_linear[way / 3 % 2],
                "line-search", every_search[way / 6],   NULL};
            fo_case c;
            bool known = strcmp(cases[k].family, "joints") != 0;
            make_family(&c, cases[k].family, cases[k].set, known);
            if (!known) { /* what Gauss-Seidel says */
                assert_int_equal(fo_solve(&c, "nlgs", 1e-11, 0), MRN_OK);
                memcpy(c.want, c.u, (size_t)c.p.n * 3 * sizeof *c.u);
                memset(c.r, 0, (size_t)c.p.n * 3 * sizeof *c.r);
            }
            assert_int_equal(solve_with(&c, 1e-9, set, NULL), MRN_OK);
            expect_velocities(&c, 1e-9);
            fo_release(&c);
        }
}

static void other_options(void **state)
{
    (void)state;
    const char *const sets[][5] = {{"regularisation", "0.01", NULL},
                                   {"regularisation", "10", NULL},
                                   {"sweeps", "0", NULL},
                                   {"sweeps", "3", "regularisation", "0.1", NULL}};
    for (size_t k = 0; k < 4; k++) {
        fo_case c;
        fo_random(&c, 15, 9, 0);
        assert_int_equal(solve_with(&c, 1e-10, sets[k], NULL), MRN_OK);
        fo_near(c.u, c.want, 45, 1e-8); /* as in fo_check_random */
        if (k == 2)
            assert_int_equal(c.result.updates, 0);
        fo_release(&c);
    }
}

/* Near a regular answer the residual squares: with F'' of some units (curvature of the cone over
   impulses of about 1/10 here) and |J⁻¹| of about 1, the factor is below 100. */
static void quadratic_convergence(void **state)
{
    (void)state;
    for (int map = 0; map < MAPS; map++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            const char *set[] = {"function", every_function[map], "sweeps", "0", NULL};
            history h;
            fo_case c;
            int squares = 0;
            fo_random(&c, 12, seed, 0);
            assert_int_equal(solve_with(&c, 1e-13, set, &h), MRN_OK);
            assert_true(h.count >= 2 && h.count < 60);
            for (int k = 1; k < h.count; k++)
                if (h.natural[k - 1] < 1e-4) {
                    assert_true(h.natural[k] <= 100 * h.natural[k - 1] * h.natural[k - 1] + 1e-14);
                    squares++;
                }
            assert_true(squares >= 1);
            fo_release(&c);
        }
}

/* Walls that approach: no answer exists, which is found out and said. */
static void without_answer(void **state)
{
    (void)state;
    const recipe squeeze = {"jammed", {"balls", "6", "case", "squeeze"}};
    for (int way = 0; way < 6; way++) {
        const char *set[] = {"function", every_function[way % 3], "linear", every_linear[way / 3],
                             NULL};
        fo_case c;
        make_family(&c, squeeze.family, squeeze.set, false);
        assert_int_equal(solve_with(&c, 1e-6, set, NULL), MRN_NOT_CONVERGED);
        assert_false(c.result.converged);
        assert_true(c.result.iterations < 10000); /* the limit: it gave up before */
        assert_non_null(strstr(c.result.words, "no further progress"));
        for (int k = 0; k < 3 * c.p.n; k++)
            assert_true(isfinite(c.r[k]));
        fo_release(&c);
    }
}

/* Two glued contacts of one body that cannot both stop: every easier problem has an answer, the
   whole has none. Impulses that grow for ever are noticed. */
static void without_progress(void **state)
{
    (void)state;
    const double W[16] = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1};
    fo_case c;
    fo_make(&c, MRN_CONTACT_2D, 2);
    fo_set_W(&c, W);
    c.p.law = mrn_alloc(2 * sizeof *c.p.law);
    assert_non_null(c.p.law);
    c.p.law[0] = c.p.law[1] = MRN_BILATERAL;
    c.p.q[0] = 1, c.p.q[2] = -1;
    assert_int_equal(solve_with(&c, 1e-6, NULL, NULL), MRN_NOT_CONVERGED);
    assert_non_null(strstr(c.result.words, "no further progress"));
    assert_true(c.result.measures.natural > 0.5);
    for (int k = 0; k < 4; k++)
        assert_true(isfinite(c.r[k]));
    fo_release(&c);
}

/* A groove that holds a ball with any force: one of the answers is found. */
static void too_many_answers(void **state)
{
    (void)state;
    const recipe wedge = {"jammed", {"balls", "4", "case", "wedge"}};
    fo_case c;
    make_family(&c, wedge.family, wedge.set, true);
    assert_int_equal(solve_with(&c, 1e-10, NULL, NULL), MRN_OK);
    expect_velocities(&c, 1e-10);
    fo_release(&c);
}

/* ---- cases that all solvers share ---- */

static void sphere_on_a_plane(void **state)
{
    (void)state;
    fo_check_sphere("newton");
}

static void random_with_known_answer(void **state)
{
    (void)state;
    fo_check_random("newton");
    fo_check_asymmetric("newton");
}

static void hyperstatic_and_bilateral(void **state)
{
    (void)state;
    fo_check_hyperstatic("newton");
    fo_check_bilateral("newton");
}

static void limit_reached(void **state)
{
    (void)state;
    fo_check_limit("newton");
    fo_check_unsolvable("newton");
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    const char *const set[2][3] = {{NULL}, {"linear", "iterative", NULL}};
    int before = mrn_threads();
    fo_check_threads("newton");
    for (int way = 0; way < 2; way++) {
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            fo_case c;
            fo_chain(&c, 2600);
            mrn_threads_set(1 << k);
            assert_int_equal(solve_with(&c, 1e-9, set[way], NULL), MRN_OK);
            assert_true(way == 1 || c.result.factorisations > 0);
            hash[k] = mrn_hash(MRN_HASH_START, c.r, 3 * 2600 * sizeof *c.r);
            fo_release(&c);
        }
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    }
    mrn_threads_set(before);
}

static void memory_runs_out(void **state)
{
    (void)state;
    const mrn_solver *s = mrn_solver_find("newton");
    for (int linear = 0; linear < 2; linear++) {
        mrn_value option[MRN_PARAM_MAX];
        mrn_status st = MRN_ERR_MEMORY;
        int64_t k = 0;
        mrn_solver_defaults(s, option);
        assert_int_equal(mrn_solver_set(s, option, "linear", every_linear[linear], NULL), MRN_OK);
        while (st == MRN_ERR_MEMORY) {
            fo_case c;
            fo_random(&c, 50, 2, 0); /* more than the first slab of work space holds */
            size_t before = mrn_bytes_in_use();
            mrn_alloc_fail_at(++k);
            st = mrn_solve(&c.p, s, option, NULL, c.r, NULL, &c.result, NULL);
            mrn_alloc_fail_at(0);
            assert_int_equal(mrn_bytes_in_use(), before);
            fo_release(&c);
            assert_true(k < 1000);
        }
        assert_int_equal(st, MRN_OK);
        assert_true(k > (linear == 0 ? 15 : 3));
    }
}

/* ---- steps for other solvers ---- */

typedef struct newton_setup {
    mrn_workspace work;
    mrn_solve_control control;
    mrn_system s;
    mrn_step_matrix matrix;
    mrn_newton_memory memory;
    mrn_progress_log log;
    double *r;
} newton_setup;

static void set_up(newton_setup *t, const mrn_problem *p, double tolerance)
{
    *t = (newton_setup){.control = mrn_solve_control_default()};
    t->control.tolerance = tolerance;
    assert_int_equal(mrn_system_make(p, &t->control, false, &t->work, &t->s, NULL), MRN_OK);
    assert_int_equal(mrn_step_matrix_plan(&t->s, MRN_SPACE_AUTO, INT64_MAX, &t->matrix, NULL),
                     MRN_OK);
    assert_int_equal(mrn_step_matrix_take_room(&t->matrix, NULL), MRN_OK);
    assert_int_equal(mrn_newton_make(&t->s, &t->memory, NULL), MRN_OK);
    int64_t size = (int64_t)t->s.n * t->s.b + MRN_BSR_PADDING;
    t->log = (mrn_progress_log){.limit = 1000, .best = INFINITY};
    t->log.best_r = mrn_work(&t->work, size, sizeof(double));
    t->log.scratch = mrn_work(&t->work, size, sizeof(double));
    t->r = mrn_work(&t->work, size, sizeof(double));
    assert_true(t->log.best_r != NULL && t->log.scratch != NULL && t->r != NULL);
}

static void tear_down(newton_setup *t)
{
    mrn_step_matrix_release(&t->matrix);
    mrn_workspace_release(&t->work);
}

/* In small portions the way is the same, to the last bit. */
static void proximal_goes_on(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int way = 0; way < 2; way++) {
        fo_case c;
        newton_setup t;
        mrn_proximal g;
        bool stop = false;
        fo_random(&c, 20, 6, 0);
        set_up(&t, &c.p, 1e-12);
        assert_int_equal(mrn_proximal_make(&t.s, &t.matrix, &t.memory, &g, NULL), MRN_OK);
        mrn_proximal_start(&g, t.r);
        assert_false(mrn_proximal_run(&g, 0, t.r, &t.log));
        for (int k = 0; k < 100 && !stop; k++)
            stop = mrn_proximal_run(&g, way == 0 ? 1 : 1000, t.r, &t.log);
        assert_int_equal(t.log.stop, MRN_STOP_CONVERGED);
        assert_true(t.log.best <= 1e-12 && g.steps == t.log.factorisations);
        hash[way] = mrn_hash(MRN_HASH_START, t.log.best_r, 60 * sizeof *t.r);
        tear_down(&t);
        fo_release(&c);
    }
    assert_true(hash[0] == hash[1]);
}

static void proximal_knows_no_way(void **state)
{
    (void)state;
    const recipe squeeze = {"jammed", {"balls", "5", "case", "squeeze"}};
    fo_case c;
    newton_setup t;
    mrn_proximal g;
    make_family(&c, squeeze.family, squeeze.set, false);
    assert_int_equal(mrn_problem_assemble(&c.p, NULL), MRN_OK);
    set_up(&t, &c.p, 1e-6);
    t.log.limit = 100000;
    assert_int_equal(mrn_proximal_make(&t.s, &t.matrix, &t.memory, &g, NULL), MRN_OK);
    mrn_proximal_start(&g, t.r);
    assert_false(mrn_proximal_stalled(&g));
    assert_false(mrn_proximal_run(&g, 100000, t.r, &t.log));
    assert_true(mrn_proximal_stalled(&g));
    assert_int_equal(t.log.stop, MRN_GO_ON); /* what then is up to the caller */
    tear_down(&t);
    fo_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(derivatives_of_other_laws),
        cmocka_unit_test(zeros_are_the_laws),
        cmocka_unit_test(families),
        cmocka_unit_test(every_combination),
        cmocka_unit_test(other_options),
        cmocka_unit_test(quadratic_convergence),
        cmocka_unit_test(without_answer),
        cmocka_unit_test(without_progress),
        cmocka_unit_test(too_many_answers),
        cmocka_unit_test(sphere_on_a_plane),
        cmocka_unit_test(random_with_known_answer),
        cmocka_unit_test(hyperstatic_and_bilateral),
        cmocka_unit_test(limit_reached),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(proximal_goes_on),
        cmocka_unit_test(proximal_knows_no_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
