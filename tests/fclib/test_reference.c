/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FCLIB files between this library and libfclib, the reference of the format: what one writes the
   other reads, in the local and the global form. */
/* ctest-needs: fclib */
#include "fclib/fclib_helper.h"

#include <fclib.h>

static mrn_message msg;

/* A matrix of libfclib as a dense one, by the rule of CSparse: triplets have i rows, p columns. */
static double *dense_of_theirs(const struct fclib_matrix *a)
{
    double *d = numbers((int64_t)a->m * a->n);
    int lines = a->nz == -2 ? a->m : a->n;
    for (int k = 0; a->nz >= 0 && k < a->nz; k++)
        d[a->i[k] * a->n + a->p[k]] += a->x[k];
    for (int l = 0; a->nz < 0 && l < lines; l++)
        for (int k = a->p[l]; k < a->p[l + 1]; k++)
            d[a->nz == -2 ? l * a->n + a->i[k] : a->i[k] * a->n + l] += a->x[k];
    return d;
}

/* Dense as a matrix of theirs; storage as in the helper. */
static struct fclib_matrix their_matrix(int m, int n, const double *a, int storage)
{
    struct fclib_matrix t = {.m = m, .n = n};
    int lines = storage == BY_ROWS ? m : n, length = storage == BY_ROWS ? n : m;
    t.p = calloc((size_t)(m * n + lines + 1), sizeof *t.p);
    t.i = calloc((size_t)(m * n), sizeof *t.i);
    t.x = numbers((int64_t)m * n);
    for (int l = 0; l < lines; l++) {
        for (int k = 0; k < length; k++) {
            double x = storage == BY_ROWS ? a[l * n + k] : a[k * n + l];
            if (x == 0)
                continue;
            t.x[t.nzmax] = x;
            t.i[t.nzmax] = k;
            if (storage == TRIPLETS)
                t.p[t.nzmax] = l;
            t.nzmax++;
        }
        if (storage != TRIPLETS)
            t.p[l + 1] = t.nzmax;
    }
    t.nz = storage == TRIPLETS ? t.nzmax : storage;
    return t;
}

static void free_matrix(struct fclib_matrix *t)
{
    free(t->p), free(t->i), free(t->x);
}

/* MERIT_1 of their library. It reads matrices by columns alone and takes others for zero; R is left
   out, which only leaves out the residual of the constraints (and the matrix that it leaks). */
static double their_merit(const struct fclib_local *t, struct fclib_solution *answer)
{
    double *W = dense_of_theirs(t->W), *V = t->V != NULL ? dense_of_theirs(t->V) : NULL;
    struct fclib_local columns = *t;
    struct fclib_matrix cW = their_matrix(t->W->m, t->W->n, W, BY_COLUMNS), cV = {0};
    if (V != NULL)
        cV = their_matrix(t->V->m, t->V->n, V, BY_COLUMNS);
    columns.W = &cW;
    columns.V = V != NULL ? &cV : NULL;
    columns.R = NULL;
    double merit = fclib_merit_local(&columns, MERIT_1, answer);
    free_matrix(&cW), free_matrix(&cV);
    free(W), free(V);
    return merit;
}

/* ---- ours, read by theirs ---- */

static void test_local_read_by_theirs(void **state)
{
    (void)state;
    for (int kind = MRN_CONTACT_2D; kind <= MRN_CONTACT_3D; kind++) {
        mrn_problem p = local_problem((mrn_contact_kind)kind, 6, 80 + (uint64_t)kind);
        int m = p.n * block_of(&p), guesses = 0;
        mrn_rng g = mrn_rng_seed(3, 3);
        double *r = random_matrix(&g, m, 1, 1), *z = random_matrix(&g, m, 1, 1), *u = numbers(m);
        mrn_fclib_save save = {.answer = r, .guess = z, .math_info = "definite", .overwrite = true};
        ok(mrn_fclib_write(in_dir("l.hdf5"), &p, &save, &msg), &msg);
        struct fclib_local *t = fclib_read_local(in_dir("l.hdf5"));
        assert_non_null(t);
        assert_int_equal(t->spacedim, block_of(&p));
        double *ours = dense_of(&p.W), *theirs = dense_of_theirs(t->W);
        assert_int_equal(t->W->m, m);
        same_numbers((int64_t)m * m, ours, theirs);
        same_numbers(m, t->q, p.q);
        same_numbers(p.n, t->mu, p.mu[0]);
        assert_null(t->R);
        assert_null(t->V);
        assert_string_equal(t->info->title, p.title);
        assert_string_equal(t->info->description, p.description);
        assert_string_equal(t->info->math_info, "definite");
        struct fclib_solution *s = fclib_read_solution(in_dir("l.hdf5"));
        same_numbers(m, s->r, r);
        memcpy(u, p.q, (size_t)m * sizeof *u);
        mrn_bsr_times(&p.W, r, true, u);
        assert_true(distance(m, s->u, u) < 1e-14); /* sums of at most 15 terms of order 1 */
        /* one residual: theirs of our answer, ours of the same */
        mrn_measures ms;
        if (kind == MRN_CONTACT_3D) {
            ok(mrn_measure_answer(&p, r, NULL, &ms, &msg), &msg);
            double merit = their_merit(t, s);
            assert_true(fabs(merit - ms.fclib) < 1e-12 * merit);
        }
        struct fclib_solution *gs = fclib_read_guesses(in_dir("l.hdf5"), &guesses);
        assert_int_equal(guesses, 1);
        same_numbers(m, gs->r, z);
        fclib_delete_solutions(s, 1);
        fclib_delete_solutions(gs, 1);
        fclib_delete_local(t);
        free(t), free(r), free(z), free(u), free(ours), free(theirs);
        mrn_problem_release(&p);
    }
}

static void test_global_read_by_theirs(void **state)
{
    (void)state;
    mrn_problem p = global_problem(MRN_CONTACT_3D, 5, 83);
    mrn_rng g = mrn_rng_seed(4, 3);
    int m = 15, n = p.Ht.cols * 6;
    double *r = random_matrix(&g, m, 1, 1);
    mrn_fclib_save save = {.answer = r, .global = true};
    ok(mrn_fclib_write(in_dir("g.hdf5"), &p, &save, &msg), &msg);
    struct fclib_global *t = fclib_read_global(in_dir("g.hdf5"));
    assert_non_null(t);
    assert_int_equal(t->H->m, n);
    assert_int_equal(t->H->n, m);
    double *H = dense_of_theirs(t->H), *M = dense_of_theirs(t->M), *ours = dense_of(&p.Ht);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            assert_true(H[i * m + j] == ours[j * n + i]);
    /* M v = H r + f and u = Hᵀ v + w with their matrices and our vectors */
    struct fclib_solution *s = fclib_read_solution(in_dir("g.hdf5"));
    double *Mv = product(n, n, 1, M, s->v), *Hr = product(n, m, 1, H, s->r),
           *u = product(m, n, 1, ours, s->v);
    for (int k = 0; k < n; k++)
        Hr[k] += t->f[k];
    for (int k = 0; k < m; k++)
        u[k] += t->w[k];
    assert_true(distance(n, Mv, Hr) < 1e-13); /* condition below 10, sums of some ten terms */
    assert_true(distance(m, s->u, u) < 1e-13);
    same_numbers(m, t->w, p.q);
    same_numbers(p.n, t->mu, p.mu[0]);
    assert_null(t->G);
    fclib_delete_solutions(s, 1);
    fclib_delete_global(t);
    free(t), free(r), free(H), free(M), free(ours), free(Mv), free(Hr), free(u);
    mrn_problem_release(&p);
}

/* ---- theirs, read by ours ---- */

static void test_local_written_by_theirs(void **state)
{
    (void)state;
    char title[] = "theirs", text[] = "by libfclib";
    struct fclib_info info = {title, text, text};
    for (int storage = BY_ROWS; storage <= TRIPLETS; storage++) {
        mrn_problem p = local_problem(MRN_CONTACT_3D, 6, 85), back;
        mrn_fclib_notes notes;
        mrn_rng g = mrn_rng_seed(2, 3);
        int m = 18;
        double *dense = dense_of(&p.W), *r = random_matrix(&g, m, 1, 1);
        struct fclib_matrix W = their_matrix(m, m, dense, storage);
        struct fclib_local t = {.W = &W, .mu = p.mu[0], .q = p.q, .spacedim = 3, .info = &info};
        struct fclib_solution s = {.u = r, .r = r};
        unlink(in_dir("t.hdf5"));
        assert_int_equal(fclib_write_local(&t, in_dir("t.hdf5")), 1);
        assert_int_equal(fclib_write_solution(&s, in_dir("t.hdf5")), 1);
        assert_int_equal(fclib_write_guesses(1, &s, in_dir("t.hdf5")), 1);
        assert_int_equal(
            fclib_create_int_attributes_in_info(in_dir("t.hdf5"), "numberOfDegreeOfFreedom", 6), 1);
        ok(mrn_fclib_read(in_dir("t.hdf5"), &back, &notes, &msg), &msg);
        same_problem(&p, &back);
        same_numbers(m, notes.answer, r);
        same_numbers(m, notes.guess, r);
        assert_string_equal(back.title, "theirs");
        assert_string_equal(back.description, "by libfclib");
        free_matrix(&W);
        free(dense), free(r);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
        mrn_fclib_notes_release(&notes);
    }
}

/* With constraints: an answer that satisfies their equations satisfies u = W r + q of ours. */
static void test_constraints_written_by_theirs(void **state)
{
    (void)state;
    mrn_rng g = mrn_rng_seed(90, 0);
    int m = 12, c = 3;
    mrn_problem p;
    double *dW = random_definite(&g, m), *dV = random_matrix(&g, m, c, 0.7),
           *dR = random_definite(&g, c), *q = random_matrix(&g, m, 1, 1),
           *s = random_matrix(&g, c, 1, 1), *mu = numbers(4), *r = random_matrix(&g, m, 1, 1);
    struct fclib_matrix W = their_matrix(m, m, dW, BY_ROWS), V = their_matrix(m, c, dV, TRIPLETS),
                        R = their_matrix(c, c, dR, BY_COLUMNS);
    struct fclib_local t = {&W, &V, &R, mu, q, s, 3, NULL};
    assert_int_equal(fclib_write_local(&t, in_dir("c.hdf5")), 1);
    ok(mrn_fclib_read(in_dir("c.hdf5"), &p, NULL, &msg), &msg);
    /* Vᵀ r + R λ + s = 0, u = W r + V λ + q */
    double *Vt = transposed(m, c, dV), *rhs = product(c, m, 1, Vt, r);
    for (int k = 0; k < c; k++)
        rhs[k] = -rhs[k] - s[k];
    double *l = solved(c, 1, dR, rhs), *u = product(m, m, 1, dW, r), *Vl = product(m, c, 1, dV, l),
           *ours = numbers(m);
    for (int k = 0; k < m; k++) {
        u[k] += Vl[k] + q[k];
        ours[k] = p.q[k];
    }
    mrn_bsr_times(&p.W, r, true, ours);
    assert_true(distance(m, ours, u) < 1e-13); /* conditions below 100 */
    /* and by their own residual, the velocities of which are W r + V λ + q */
    struct fclib_solution answer = {.u = u, .r = r, .l = l};
    mrn_measures ms;
    ok(mrn_measure_answer(&p, r, NULL, &ms, &msg), &msg);
    double merit = their_merit(&t, &answer);
    double nq = 0, nq_ours = 0;
    for (int k = 0; k < m; k++) {
        nq += q[k] * q[k];
        nq_ours += p.q[k] * p.q[k];
    }
    /* MERIT_1 divides by 1 + sqrt |q|, and condensing changes q */
    double scaled = ms.fclib * (1 + sqrt(sqrt(nq_ours))) / (1 + sqrt(sqrt(nq)));
    assert_true(fabs(merit - scaled) < 1e-12 * merit);
    free_matrix(&W), free_matrix(&V), free_matrix(&R);
    free(dW), free(dV), free(dR), free(q), free(s), free(mu), free(r), free(Vt), free(rhs);
    free(l), free(u), free(Vl), free(ours);
    mrn_problem_release(&p);
}

static void test_global_written_by_theirs(void **state)
{
    (void)state;
    for (int storage = BY_ROWS; storage <= TRIPLETS; storage++) {
        mrn_problem p = global_problem(MRN_CONTACT_3D, 4, 86), back;
        mrn_rng g = mrn_rng_seed(12, 3);
        int m = 12, n = p.Ht.cols * 6;
        double *ht = dense_of(&p.Ht), *dH = transposed(m, n, ht), *dM = numbers((int64_t)n * n),
               *f = random_matrix(&g, n, 1, 1), one[36] = {0};
        for (int k = 0; k < 6; k++)
            one[7 * k] = 1;
        for (int b = 0; b < p.Ht.cols; b++) {
            double *block = solved(6, 6, p.minv + 36 * b, one); /* symmetric: either order */
            for (int k = 0; k < 36; k++)
                dM[(6 * b + k / 6) * n + 6 * b + k % 6] = block[k];
            free(block);
        }
        struct fclib_matrix H = their_matrix(n, m, dH, storage),
                            M = their_matrix(n, n, dM, storage);
        struct fclib_global t = {.M = &M, .H = &H, .mu = p.mu[0], .f = f, .w = p.q, .spacedim = 3};
        unlink(in_dir("t.hdf5"));
        assert_int_equal(fclib_write_global(&t, in_dir("t.hdf5")), 1);
        ok(mrn_fclib_read(in_dir("t.hdf5"), &back, NULL, &msg), &msg);
        same_blocks(&p.Ht, &back.Ht);
        assert_true(distance((int64_t)p.Ht.cols * 36, back.minv, p.minv) < 1e-14);
        double *v = solved(n, 1, dM, f), *q = product(m, n, 1, ht, v);
        for (int k = 0; k < m; k++)
            q[k] += p.q[k];
        assert_true(distance(m, back.q, q) < 1e-13);
        free_matrix(&H), free_matrix(&M);
        free(ht), free(dH), free(dM), free(f), free(v), free(q);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_read_by_theirs),
        cmocka_unit_test(test_global_read_by_theirs),
        cmocka_unit_test(test_local_written_by_theirs),
        cmocka_unit_test(test_constraints_written_by_theirs),
        cmocka_unit_test(test_global_written_by_theirs),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
