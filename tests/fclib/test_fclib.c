/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FCLIB files: what is written comes back, every storage is understood, constraints are eliminated
   as a dense computation does it, text files of Siconos, failing memory. */
#include "fclib/fclib_helper.h"

static mrn_message msg;

static void read_back(const char *path, mrn_problem *p, mrn_fclib_notes *notes)
{
    ok(mrn_fclib_read(path, p, notes, &msg), &msg);
}

static void refused(const char *path, mrn_status status, const char *part)
{
    mrn_problem p;
    mrn_fclib_notes notes;
    size_t before = mrn_bytes_in_use();
    assert_int_equal(mrn_fclib_read(path, &p, &notes, &msg), status);
    expect_text(msg.text, part);
    assert_string_equal(msg.file, path);
    assert_true(mrn_bytes_in_use() == before);
    assert_null(p.q);
    assert_null(notes.guess);
}

/* ---- what is written comes back ---- */

static void test_local_round_trip(void **state)
{
    (void)state;
    const char *form[] = {"local", "local", "local rolling", "local rolling"};
    for (int kind = 0; kind < 4; kind++) {
        mrn_problem p = local_problem((mrn_contact_kind)kind, 7, 11 + (uint64_t)kind), back;
        mrn_fclib_notes notes;
        int m = p.n * block_of(&p);
        mrn_rng g = mrn_rng_seed(5, 5);
        double *guess = random_matrix(&g, m, 1, 1), *answer = random_matrix(&g, m, 1, 1);
        mrn_fclib_save save = {
            .guess = guess, .answer = answer, .math_info = "definite", .overwrite = true};
        ok(mrn_fclib_write(in_dir("a.hdf5"), &p, &save, &msg), &msg);
        read_back(in_dir("a.hdf5"), &back, &notes);
        same_problem(&p, &back);
        same_numbers(m, guess, notes.guess);
        same_numbers(m, answer, notes.answer);
        assert_string_equal(notes.form, form[kind]);
        assert_string_equal(notes.math_info, "definite");
        assert_string_equal(back.title, p.title);
        assert_string_equal(back.description, p.description);
        assert_string_equal(notes.remark, "");
        assert_false(notes.condensed || notes.dense_mass);
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
        free(guess);
        free(answer);
    }
    no_parts(test_dir);
}

static void test_global_round_trip(void **state)
{
    (void)state;
    const char *form[] = {"global", "global", "global rolling", "global rolling"};
    for (int kind = 0; kind < 4; kind++) {
        mrn_problem p = global_problem((mrn_contact_kind)kind, 6, 21 + (uint64_t)kind), back;
        mrn_fclib_notes notes;
        mrn_fclib_save save = {.global = true, .overwrite = true};
        ok(mrn_fclib_write(in_dir("a.hdf5"), &p, &save, &msg), &msg);
        read_back(in_dir("a.hdf5"), &back, &notes);
        same_problem(&p, &back);
        /* inverted twice, condition below 10: some ten roundings of 1.1e-16 */
        int area = p.Ht.bc * p.Ht.bc;
        assert_true(distance((int64_t)p.Ht.cols * area, back.minv, p.minv) < 1e-14);
        assert_string_equal(notes.form, form[kind]);
        assert_false(notes.condensed || notes.dense_mass);
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
    }
}

/* The local form of a problem that has only bodies is that of the assembled one; neither is changed
 */
static void test_bodies_as_local(void **state)
{
    (void)state;
    mrn_problem p = global_problem(MRN_CONTACT_3D, 6, 3), back;
    ok(mrn_fclib_write(in_dir("l.hdf5"), &p, NULL, &msg), &msg);
    assert_int_equal(p.W.rows, 0);
    read_back(in_dir("l.hdf5"), &back, NULL);
    ok(mrn_problem_assemble(&p, &msg), &msg);
    same_blocks(&p.W, &back.W);
    mrn_problem_release(&p);
    mrn_problem_release(&back);
}

static void test_same_bytes(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_3D, 5, 8);
    mrn_fclib_save save = {.overwrite = true};
    size_t size[2];
    ok(mrn_fclib_write(in_dir("a.hdf5"), &p, &save, &msg), &msg);
    ok(mrn_fclib_write(in_dir("b.hdf5"), &p, &save, &msg), &msg);
    char *a = slurp(in_dir("a.hdf5"), &size[0]), *b = slurp(in_dir("b.hdf5"), &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(a, b, size[0]);
    free(a);
    free(b);
    mrn_problem_release(&p);
}

/* u of an answer is W r + q, whatever is absorbed in q. */
static void test_cohesion_and_velocities(void **state)
{
    (void)state;
    for (int global = 0; global < 2; global++) {
        mrn_problem p = global_problem(MRN_CONTACT_3D, 5, 17), back;
        mrn_fclib_notes notes;
        mrn_rng g = mrn_rng_seed(9, 1);
        int m = p.n * 3;
        double *r = random_matrix(&g, m, 1, 1), *c = numbers(m), *u = numbers(m), *w = numbers(m);
        p.cohesion = mrn_alloc((size_t)p.n * sizeof *p.cohesion);
        for (int k = 0; k < p.n; k++)
            c[3 * k] = p.cohesion[k] = 0.1 * (k + 1);
        ok(mrn_problem_assemble(&p, &msg), &msg);
        mrn_fclib_save save = {.answer = r, .global = global == 1, .overwrite = true};
        ok(mrn_fclib_write(in_dir("c.hdf5"), &p, &save, &msg), &msg);
        read_back(in_dir("c.hdf5"), &back, &notes);
        expect_text(back.description, "cohesion");
        expect_text(back.description, p.description);
        assert_null(back.cohesion);
        /* q' = q - W c; r' = r + c: products of some ten terms of order 1 to 10 */
        mrn_bsr_times(&p.W, c, false, w);
        for (int k = 0; k < m; k++) {
            assert_true(fabs(back.q[k] - (p.q[k] - w[k])) < 1e-13);
            assert_true(fabs(notes.answer[k] - (r[k] + c[k])) < 1e-15);
            u[k] = p.q[k];
        }
        mrn_bsr_times(&p.W, r, true, u);
        hid_t f = open_file(in_dir("c.hdf5"), false), d = H5Dopen2(f, "/solution/u", H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, w) >= 0);
        H5Dclose(d);
        H5Fclose(f);
        assert_true(distance(m, w, u) < 1e-13);
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
        free(r), free(c), free(u), free(w);
    }
}

/* Bilateral contacts become constraints; read back they are eliminated. For any r whose bilateral
   velocities vanish, the problem without them must give the same velocities to the others. */
static void test_bilateral_contacts(void **state)
{
    (void)state;
    for (int cohesive = 0; cohesive < 2; cohesive++) {
        mrn_problem p = local_problem(MRN_CONTACT_3D, 5, 31), back;
        mrn_fclib_notes notes;
        mrn_rng g = mrn_rng_seed(5, 2);
        int m = p.n * 3, left[] = {0, 2, 4};
        double *r = random_matrix(&g, m, 1, 1), *u = numbers(m), got[9], l[6];
        p.law = mrn_alloc((size_t)p.n);
        p.law[1] = p.law[3] = MRN_BILATERAL;
        mrn_bsr_times(&p.W, r, false, u);
        for (int k = 0; k < m; k++) {
            if (p.law[k / 3] == MRN_BILATERAL)
                p.q[k] = -u[k];
            u[k] += p.q[k];
        }
        if (cohesive) {
            p.cohesion = mrn_alloc((size_t)p.n * sizeof *p.cohesion);
            for (int k = 0; k < p.n; k++)
                p.cohesion[k] = p.law[k] == MRN_BILATERAL ? 0 : 0.1 * (k + 1);
        }
        mrn_fclib_save save = {.answer = r, .overwrite = true};
        ok(mrn_fclib_write(in_dir("b.hdf5"), &p, &save, &msg), &msg);
        read_back(in_dir("b.hdf5"), &back, &notes);
        assert_int_equal(back.n, 3);
        assert_true(notes.condensed);
        mrn_bsr_times(&back.W, notes.answer, false, got);
        for (int k = 0; k < 9; k++) {
            int of = 3 * left[k / 3] + k % 3;
            /* an elimination of 6 unknowns with numbers of order 1 to 10: some hundred roundings */
            assert_true(fabs(got[k] + back.q[k] - u[of]) < 1e-11);
            assert_true(back.mu[MRN_SLIDING][k / 3] == p.mu[MRN_SLIDING][left[k / 3]]);
        }
        hid_t f = open_file(in_dir("b.hdf5"), false), d = H5Dopen2(f, "/solution/l", H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, l) >= 0);
        H5Dclose(d);
        H5Fclose(f);
        for (int k = 0; k < 6; k++)
            assert_true(l[k] == r[(k < 3 ? 3 : 6) + k]);
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
        mrn_problem_release(&back);
        free(r), free(u);
    }
}

static void unwritten(const mrn_problem *p, const mrn_fclib_save *save, const char *part)
{
    assert_int_equal(mrn_fclib_write(in_dir("no.hdf5"), p, save, &msg), MRN_ERR_INPUT);
    expect_text(msg.text, part);
    assert_int_equal(access(in_dir("no.hdf5"), F_OK), -1);
}

static void test_write_refusals(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_3D, 4, 1), empty = {.kind = MRN_CONTACT_3D};
    mrn_fclib_save global = {.global = true}, over = {.overwrite = true};
    unwritten(&p, &global, "needs H and M");
    unwritten(&empty, NULL, "without contacts");
    p.law = mrn_alloc(4);
    memset(p.law, MRN_BILATERAL, 4);
    unwritten(&p, NULL, "all contacts are bilateral");
    memset(p.law, MRN_UNILATERAL, 4);
    p.q[1] = NAN;
    unwritten(&p, NULL, "q has numbers");
    p.q[1] = 0;
    ok(mrn_fclib_write(in_dir("e.hdf5"), &p, NULL, &msg), &msg);
    assert_int_equal(mrn_fclib_write(in_dir("e.hdf5"), &p, NULL, &msg), MRN_ERR_IO);
    expect_text(msg.text, "not overwritten");
    ok(mrn_fclib_write(in_dir("e.hdf5"), &p, &over, &msg), &msg);
    assert_int_equal(mrn_fclib_write(in_dir("none/e.hdf5"), &p, NULL, &msg), MRN_ERR_IO);
    assert_int_equal(mrn_fclib_write("/dev/full", &p, &over, &msg), MRN_ERR_IO);
    p.kind = MRN_CONTACT_3D_PIVOTING;
    p.W.br = p.W.bc = 6;
    unwritten(&p, NULL, "pivoting");
    p.kind = MRN_CONTACT_3D;
    p.W.br = p.W.bc = 3;
    mrn_problem_release(&p);
    no_parts(test_dir);
}

static void test_body_without_mass(void **state)
{
    (void)state;
    mrn_problem p = global_problem(MRN_CONTACT_2D, 3, 2);
    mrn_fclib_save global = {.global = true};
    memset(p.minv + 9, 0, 9 * sizeof *p.minv);
    unwritten(&p, &global, "body 1 has no finite mass");
    no_parts(test_dir);
    mrn_problem_release(&p);
}

/* ---- storages ---- */

/* The vectors of a local problem of n contacts in three dimensions. */
static void put_local(hid_t f, int n, const double *W, int storage, bool rough, const double *q,
                      const double *mu)
{
    put_int(f, "/fclib_local/spacedim", 3);
    put_matrix(f, "/fclib_local/W", 3 * n, 3 * n, W, storage, rough);
    put_reals(f, "/fclib_local/vectors/q", 3 * n, q);
    put_reals(f, "/fclib_local/vectors/mu", n, mu);
}

static void test_storages(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_3D, 6, 30), back;
    mrn_fclib_notes notes;
    double *W = dense_of(&p.W);
    for (int storage = BY_ROWS; storage <= TRIPLETS; storage++)
        for (int rough = 0; rough < 2; rough++) {
            hid_t f = open_file(in_dir("s.hdf5"), true);
            put_local(f, p.n, W, storage, rough == 1, p.q, p.mu[0]);
            H5Fclose(f);
            read_back(in_dir("s.hdf5"), &back, &notes);
            same_problem(&p, &back);
            assert_int_equal(strstr(notes.remark, "triplets") != NULL, storage == TRIPLETS);
            mrn_problem_release(&back);
            mrn_fclib_notes_release(&notes);
        }
    free(W);
    mrn_problem_release(&p);
}

/* Blocks of zeros go, together with their mirrors alone; a missing mirror comes. */
static void test_pattern(void **state)
{
    (void)state;
    mrn_problem p;
    /* 4 contacts in the plane: (0,1) stored as zeros both ways, (0,2) zeros with a mirror that is
       not, (1,3) without a mirror */
    const int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 0, 4, 3}, //
        col[] = {0, 1, 2, 3, 4, 5, 6, 7, 2, 0, 4, 1, 6};
    const double x[] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0.5, 0.25}, q[8] = {0}, mu[4] = {0};
    hid_t f = open_file(in_dir("p.hdf5"), true);
    put_int(f, "/fclib_local/spacedim", 2);
    put_int(f, "/fclib_local/W/m", 8);
    put_int(f, "/fclib_local/W/n", 8);
    put_int(f, "/fclib_local/W/nz", 13);
    put_int(f, "/fclib_local/W/nzmax", 13);
    put_ints(f, "/fclib_local/W/i", 13, row);
    put_ints(f, "/fclib_local/W/p", 13, col);
    put_reals(f, "/fclib_local/W/x", 13, x);
    put_reals(f, "/fclib_local/vectors/q", 8, q);
    put_reals(f, "/fclib_local/vectors/mu", 4, mu);
    H5Fclose(f);
    read_back(in_dir("p.hdf5"), &p, NULL);
    const int64_t start[] = {0, 2, 4, 6, 8};
    const int32_t blocks[] = {0, 2, 1, 3, 0, 2, 1, 3};
    assert_memory_equal(p.W.start, start, sizeof start);
    assert_memory_equal(p.W.col, blocks, sizeof blocks);
    double *W = dense_of(&p.W);
    for (int k = 0; k < 13; k++)
        assert_true(W[row[k] * 8 + col[k]] == x[k]);
    free(W);
    mrn_problem_release(&p);
}

static void test_zero_guess(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_2D, 4, 6), back;
    mrn_fclib_notes notes;
    double zero[8] = {0};
    mrn_fclib_save save = {.guess = zero, .answer = zero};
    ok(mrn_fclib_write(in_dir("z.hdf5"), &p, &save, &msg), &msg);
    read_back(in_dir("z.hdf5"), &back, &notes);
    assert_null(notes.guess);
    assert_null(notes.answer);
    expect_text(notes.remark, "/guesses/1/r is all zero");
    expect_text(notes.remark, "/solution/r is all zero");
    mrn_problem_release(&p);
    mrn_problem_release(&back);
    mrn_fclib_notes_release(&notes);
}

/* Texts longer than there is room for end at a whole character; texts of variable length too. */
static void test_texts(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_2D, 2, 6), back;
    char text[400] = "xy";
    for (int k = 2; k + 2 < (int)sizeof text; k += 2)
        memcpy(text + k, "ü", 3);
    const char *pointer = text;
    ok(mrn_fclib_write(in_dir("t.hdf5"), &p, NULL, &msg), &msg);
    for (int variable = 0; variable < 2; variable++) {
        hid_t f = open_file(in_dir("t.hdf5"), false), type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text) + 1);
        H5Tset_cset(type, variable ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
        put(f, "/fclib_local/info/title", type, 0, NULL,
            variable ? (const void *)&pointer : (const void *)text);
        put_int(f, "/fclib_local/info/description", 4); /* not a text: as if it were not there */
        H5Tclose(type);
        H5Fclose(f);
        read_back(in_dir("t.hdf5"), &back, NULL);
        assert_int_equal(strlen(back.title), sizeof back.title - 2); /* half a letter is left out */
        assert_memory_equal(back.title, text, sizeof back.title - 2);
        assert_string_equal(back.description, "");
        mrn_problem_release(&back);
    }
    mrn_problem_release(&p);
}

/* ---- elimination ---- */

/* Both matrices have conditions below 100 and some tens of rows. */
#define ELIMINATED 1e-13

static void test_local_constraints(void **state)
{
    (void)state;
    int n = 5, m = 15, c = 4;
    mrn_rng g = mrn_rng_seed(40, 0);
    mrn_problem p;
    mrn_fclib_notes notes;
    double *W = random_definite(&g, m), *V = random_matrix(&g, m, c, 0.4),
           *R = random_definite(&g, c), *q = random_matrix(&g, m, 1, 1),
           *s = random_matrix(&g, c, 1, 1), *mu = numbers(n), *Vt = transposed(m, c, V);
    R[1] += 0.1; /* any invertible R will do */
    hid_t f = open_file(in_dir("v.hdf5"), true);
    put_local(f, n, W, BY_ROWS, false, q, mu);
    put_matrix(f, "/fclib_local/V", m, c, V, TRIPLETS, true);
    put_matrix(f, "/fclib_local/R", c, c, R, BY_COLUMNS, false);
    put_reals(f, "/fclib_local/vectors/s", c, s);
    H5Fclose(f);
    read_back(in_dir("v.hdf5"), &p, &notes);
    assert_true(notes.condensed);
    /* λ = -R⁻¹ (Vᵀ r + s) */
    double *RV = solved(c, m, R, Vt), *Rs = solved(c, 1, R, s), *VRV = product(m, c, m, V, RV),
           *VRs = product(m, c, 1, V, Rs), *got = dense_of(&p.W);
    for (int k = 0; k < m * m; k++)
        W[k] -= VRV[k];
    for (int k = 0; k < m; k++)
        q[k] -= VRs[k];
    assert_true(distance((int64_t)m * m, got, W) < ELIMINATED);
    assert_true(distance(m, p.q, q) < ELIMINATED);
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
    free(W), free(V), free(R), free(q), free(s), free(mu), free(Vt);
    free(RV), free(Rs), free(VRV), free(VRs), free(got);
}

/* A global problem as dense matrices. */
typedef struct global {
    int n, m, c; /* motion, contact numbers, constraints */
    double *M, *H, *G, *f, *w, *b, *mu;
} global;

/* `side`: of the blocks of M; 0: all of M */
static global make_global(int bodies, int side, int contacts, int constraints, uint64_t seed)
{
    global g = {.n = bodies * 6, .m = contacts * 3, .c = constraints};
    mrn_rng r = mrn_rng_seed(seed, 0);
    g.M = random_definite(&r, g.n);
    g.H = random_matrix(&r, g.n, g.m, 0.5);
    g.G = random_matrix(&r, g.n, g.c, 0.5);
    g.f = random_matrix(&r, g.n, 1, 1);
    g.w = random_matrix(&r, g.m, 1, 1);
    g.b = random_matrix(&r, g.c, 1, 1);
    g.mu = numbers(contacts);
    for (int i = 0; side > 0 && i < g.n; i++)
        for (int j = 0; j < g.n; j++)
            if (i / side != j / side)
                g.M[i * g.n + j] = 0;
    return g;
}

static void free_global(global *g)
{
    free(g->M), free(g->H), free(g->G), free(g->f), free(g->w), free(g->b), free(g->mu);
}

static void put_global(const char *path, const global *g, int storage)
{
    hid_t f = open_file(path, true);
    put_int(f, "/fclib_global/spacedim", 3);
    put_matrix(f, "/fclib_global/M", g->n, g->n, g->M, storage, false);
    put_matrix(f, "/fclib_global/H", g->n, g->m, g->H, storage, storage == TRIPLETS);
    if (g->c > 0) {
        put_matrix(f, "/fclib_global/G", g->n, g->c, g->G, storage, false);
        put_reals(f, "/fclib_global/vectors/b", g->c, g->b);
    }
    put_reals(f, "/fclib_global/vectors/f", g->n, g->f);
    put_reals(f, "/fclib_global/vectors/w", g->m, g->w);
    put_reals(f, "/fclib_global/vectors/mu", g->m / 3, g->mu);
    H5Fclose(f);
}

/* W and q by way of S = Gᵀ M⁻¹ G, which the reader does not use:
   v = A (H r + f) - M⁻¹ G S⁻¹ b with A = M⁻¹ - M⁻¹ G S⁻¹ Gᵀ M⁻¹ */
static void dense_answer(const global *g, double **W, double **q)
{
    int n = g->n, c = g->c;
    double *one = numbers((int64_t)n * n), *Gt = transposed(n, c, g->G),
           *Ht = transposed(n, g->m, g->H);
    for (int k = 0; k < n; k++)
        one[k * n + k] = 1;
    double *A = solved(n, n, g->M, one), *MG = product(n, n, c, A, g->G),
           *GM = product(c, n, n, Gt, A), *S = product(c, n, c, Gt, MG), *SGM = solved(c, n, S, GM),
           *Sb = solved(c, 1, S, g->b), *part = product(n, c, n, MG, SGM),
           *vb = product(n, c, 1, MG, Sb);
    for (int k = 0; k < n * n; k++)
        A[k] -= part[k];
    double *AH = product(n, n, g->m, A, g->H), *v = product(n, n, 1, A, g->f);
    for (int k = 0; k < n; k++)
        v[k] -= vb[k];
    *W = product(g->m, n, g->m, Ht, AH);
    *q = product(g->m, n, 1, Ht, v);
    for (int k = 0; k < g->m; k++)
        (*q)[k] += g->w[k];
    free(one), free(Gt), free(Ht), free(A), free(MG), free(GM), free(S), free(SGM), free(Sb);
    free(part), free(vb), free(AH), free(v);
}

static void test_global_forms(void **state)
{
    (void)state;
    const struct {
        int side, constraints;
        bool dense, condensed;
    } way[] = {{6, 0, false, false}, {0, 0, true, false}, {6, 3, false, true}, {0, 3, true, true}};
    for (int k = 0; k < 4; k++)
        for (int storage = BY_ROWS; storage <= TRIPLETS; storage++) {
            global g = make_global(4, way[k].side, 6, way[k].constraints, 50);
            mrn_problem p;
            mrn_fclib_notes notes;
            double *W, *q;
            put_global(in_dir("g.hdf5"), &g, storage);
            read_back(in_dir("g.hdf5"), &p, &notes);
            assert_int_equal(notes.dense_mass, way[k].dense);
            assert_int_equal(notes.condensed, way[k].condensed);
            assert_int_equal(p.Ht.rows, way[k].dense || way[k].condensed ? 0 : 6);
            ok(mrn_problem_assemble(&p, &msg), &msg);
            dense_answer(&g, &W, &q);
            double *got = dense_of(&p.W);
            assert_true(distance((int64_t)g.m * g.m, got, W) < ELIMINATED);
            assert_true(distance(g.m, p.q, q) < ELIMINATED);
            mrn_problem_release(&p);
            mrn_fclib_notes_release(&notes);
            free(W), free(q), free(got);
            free_global(&g);
        }
}

/* M of pairs of bodies that are not coupled: W keeps only the blocks that are there. */
static void test_sparse_w_of_dense_mass(void **state)
{
    (void)state;
    global g = make_global(4, 12, 4, 0, 51);
    mrn_problem p;
    for (int i = 0; i < g.n; i++) /* contacts 0, 1 touch the first pair, 2, 3 the second */
        for (int j = 0; j < g.m; j++)
            if (i / 12 != j / 6)
                g.H[i * g.m + j] = 0;
    put_global(in_dir("g.hdf5"), &g, BY_COLUMNS);
    read_back(in_dir("g.hdf5"), &p, NULL);
    assert_int_equal(p.W.start[4], 8);
    assert_int_equal(mrn_bsr_find(&p.W, 0, 2), -1);
    mrn_problem_release(&p);
    free_global(&g);
}

static void test_singular(void **state)
{
    (void)state;
    global g = make_global(3, 6, 4, 2, 52);
    for (int k = 0; k < g.n; k++)
        g.G[2 * k + 1] = 2 * g.G[2 * k]; /* the same constraint twice */
    put_global(in_dir("x.hdf5"), &g, TRIPLETS);
    refused(in_dir("x.hdf5"), MRN_ERR_INPUT, "/fclib_global/M with G: singular");
    g.c = 0;
    g.M[7 * g.n + 7] = -1;
    put_global(in_dir("x.hdf5"), &g, TRIPLETS);
    refused(in_dir("x.hdf5"), MRN_ERR_INPUT, "/fclib_global/M: the block of body 1");
    free_global(&g);
    g = make_global(3, 0, 4, 0, 53);
    for (int k = 0; k < g.n; k++)
        g.M[5 * g.n + k] = 0;
    put_global(in_dir("x.hdf5"), &g, BY_ROWS);
    refused(in_dir("x.hdf5"), MRN_ERR_INPUT, "/fclib_global/M: singular");
    free_global(&g);
}

/* ---- rolling forms made by hand, other ways to store numbers ---- */

static void test_rolling_by_hand(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) { /* local and global, in the plane and in space */
        bool is_global = way % 2 == 1, space = way / 2 == 1;
        const char *group = is_global ? "/fclib_global_rolling" : "/fclib_local_rolling";
        int d = space ? 5 : 3, n = 3, m = n * d, dof = space ? 6 : 3;
        mrn_rng g = mrn_rng_seed(90, 0);
        mrn_problem p;
        mrn_fclib_notes notes;
        double *A = is_global ? numbers(4 * dof * dof) : random_definite(&g, m),
               *H = random_matrix(&g, 2 * dof, m, 1), *q = random_matrix(&g, m, 1, 1),
               *f0 = numbers(2 * dof);
        const double mu[3] = {0.1, 0.2, 0.3}, mu_r[3] = {0.01, 0.02, 0.03};
        for (int k = 0; is_global && k < 2 * dof; k++)
            A[k * 2 * dof + k] = 2;
        hid_t f = open_file(in_dir("r.hdf5"), true);
        put_int(f, joined(group, "spacedim").text, d);
        put_matrix(f, joined(group, is_global ? "M" : "W").text, is_global ? 2 * dof : m,
                   is_global ? 2 * dof : m, A, TRIPLETS, false);
        if (is_global)
            put_matrix(f, joined(group, "H").text, 2 * dof, m, H, TRIPLETS, false);
        if (is_global)
            put_reals(f, joined(group, "vectors/f").text, 2 * dof, f0);
        put_reals(f, joined(group, is_global ? "vectors/w" : "vectors/q").text, m, q);
        put_reals(f, joined(group, "vectors/mu").text, n, mu);
        put_reals(f, joined(group, "vectors/mu_r").text, n, mu_r);
        H5Fclose(f);
        read_back(in_dir("r.hdf5"), &p, &notes);
        assert_int_equal(p.kind, space ? MRN_CONTACT_3D_ROLLING : MRN_CONTACT_2D_ROLLING);
        assert_string_equal(notes.form, is_global ? "global rolling" : "local rolling");
        same_numbers(m, p.q, q);
        same_numbers(n, p.mu[MRN_SLIDING], mu);
        same_numbers(n, p.mu[MRN_ROLLING], mu_r);
        double *got = dense_of(is_global ? &p.Ht : &p.W), *Ht = transposed(2 * dof, m, H);
        same_numbers(is_global ? (int64_t)2 * dof * m : (int64_t)m * m, got, is_global ? Ht : A);
        if (is_global)
            assert_true(p.minv[0] == 0.5);
        mrn_problem_release(&p);
        mrn_fclib_notes_release(&notes);
        free(A), free(H), free(q), free(f0), free(got), free(Ht);
    }
}

/* Chunks, compression, numbers of other sizes and orders of bytes are read all the same. */
static void test_other_storage(void **state)
{
    (void)state;
    mrn_problem p = local_problem(MRN_CONTACT_3D, 6, 33), back;
    ok(mrn_fclib_write(in_dir("o.hdf5"), &p, NULL, &msg), &msg);
    hid_t f = open_file(in_dir("o.hdf5"), false), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t n = 18;
    int64_t wide[1] = {18};
    H5Pset_chunk(dcpl, 1, &n);
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, 9);
    hid_t space = H5Screate_simple(1, &n, NULL);
    H5Ldelete(f, "/fclib_local/vectors/q", H5P_DEFAULT);
    hid_t d = H5Dcreate2(f, "/fclib_local/vectors/q", H5T_IEEE_F64BE, space, H5P_DEFAULT, dcpl,
                         H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, p.q) >= 0);
    put(f, "/fclib_local/W/m", H5T_NATIVE_INT64, 0, NULL, wide);
    H5Dclose(d);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Fclose(f);
    read_back(in_dir("o.hdf5"), &back, NULL);
    same_problem(&p, &back);
    mrn_problem_release(&p);
    mrn_problem_release(&back);
}

/* ---- text of Siconos ---- */

/* Two contacts in the plane: W = [2 .5 0 0; .25 1 0 0; 0 0 3 0; 0 0 0 4] */
#define SPARSE_HEAD "CSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis\n"
static const char *const text_file[] = {
    "2\n2\n0\n4\n4\n4\t4\n2 0.25 0 0 0.5 1 0 0 0 0 3 0 0 0 0 4\n-1 0.5 -2 0\n0.3 0.4\n",
    "2 2 1 4 4\n2 2 2\n2 4\n2 4\n3\n2\n0 1 2\n0 1\n0\n2 0.25 0.5 1\n1\n3 0 0 4\n"
    "-1 0.5 -2 0 0.3 0.4 1\n",
    "2\n2\n2\n4\n4\n2\n" SPARSE_HEAD "4-by-4, nzmax: 6 nnz: 6, 1-norm: 4\n"
    "    col 0 : locations 0 to 1\n      0 : 2\n      1 : 0.25\n"
    "    col 1 : locations 2 to 3\n      0 : 0.5\n      1 : 1\n"
    "    col 2 : locations 4 to 4\n      2 : 3\n"
    "    col 3 : locations 5 to 5\n      3 : 4\n-1 0.5 -2 0\n0.3 0.4\n",
    "2\n2\n2\n4\n4\n1\n" SPARSE_HEAD "triplet: 4-by-4, nzmax: 8 nnz: 6\n"
    "    0 0 : 2\n    1 0 : 0.25\n    0 1 : 0.5\n    1 1 : 1\n    2 2 : 3\n    3 3 : 4\n"
    "-1 0.5 -2 0\n0.3 0.4\n",
};

static void test_text(void **state)
{
    (void)state;
    const double W[16] = {2, 0.5, 0, 0, 0.25, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4};
    for (int k = 0; k < 4; k++) {
        mrn_problem p;
        mrn_fclib_notes notes;
        spill(in_dir("t.dat"), text_file[k], strlen(text_file[k]));
        read_back(in_dir("t.dat"), &p, &notes);
        assert_int_equal(p.kind, MRN_CONTACT_2D);
        double *got = dense_of(&p.W);
        same_numbers(16, got, W);
        same_numbers(4, p.q, (double[]){-1, 0.5, -2, 0});
        same_numbers(2, p.mu[0], (double[]){0.3, 0.4});
        assert_string_equal(notes.form, "siconos text");
        free(got);
        mrn_problem_release(&p);
        mrn_fclib_notes_release(&notes);
    }
}

static void test_broken_text(void **state)
{
    (void)state;
    const struct {
        const char *text, *part;
        int line;
    } bad[] = {
        {"2\n2\n0\n4\n5\n", "columns of W is 5", 5},
        {"2\n2\n3\n4\n4\n", "storage of W is 3", 3},
        {"3\n-1\n0\n", "number of contacts is -1", 2},
        {"3\n2000000\n0\n6000000\n6000000\n6000000 6000000\n1\n", "more numbers than", 5},
        {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n0 0\n", "mu: the file ends here", 9},
        {"2\n1\n0\n2\n2\n2 2\n1 0 0 nan\n0 0\n1\n", "W: not a finite number", 7},
        {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n0 x\n1\n", "q: not a number", 8},
        {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n0 0\n-1\n", "mu is negative", 9},
        {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n0 0\n1\n0 0\n", "more numbers than a", 10},
        {"2\n1\n1\n2\n2\n1 1 1\n2\n2\n2\n1\n0 1\n1\n0\n1 0 0 1\n0 0\n1\n", "column of a block is 1",
         12},
        {"2\n1\n1\n2\n2\n1 1 1\n2\n2\n2\n1\n0 2\n0\n0\n1 0 0 1\n0 0\n1\n", "begin of a row", 11},
        {"2\n1\n1\n2\n2\n1 1 1\n3\n2\n2\n1\n0 1\n0\n0\n1 0 0 1\n0 0\n1\n", "end of a block", 7},
        {"2\n1\n2\n2\n2\n2\nnothing\n", "not printed as a sparse", 7},
        {"2\n1\n2\n2\n2\n2\n" SPARSE_HEAD "2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\n"
         "col 0 : locations 0 to 0\n2 : 1\ncol 1 : locations 1 to 0\n0 0\n0\n",
         "row of W is 2", 10},
        {"2\n1\n2\n2\n2\n2\n" SPARSE_HEAD "2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\n"
         "col 0 : locations 0 to 2000000000\n0 : 1\n0 0\n0\n",
         NULL, 0},
    };
    for (int k = 0; k < (int)(sizeof bad / sizeof *bad); k++) {
        spill(in_dir("b.dat"), bad[k].text, strlen(bad[k].text));
        refused(in_dir("b.dat"), MRN_ERR_INPUT, bad[k].part != NULL ? bad[k].part : "");
        if (bad[k].part != NULL)
            assert_int_equal(msg.line, bad[k].line);
    }
}

/* ---- failing memory ---- */

static void each_allocation(const char *path)
{
    mrn_problem p;
    mrn_fclib_notes notes;
    size_t before = mrn_bytes_in_use();
    for (int64_t k = 1;; k++) {
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_fclib_read(path, &p, &notes, &msg);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK) {
            assert_true(k > 5);
            break;
        }
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_true(mrn_bytes_in_use() == before);
        assert_true(k < 10000);
    }
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
    assert_true(mrn_bytes_in_use() == before);
}

static void each_allocation_of_writing(const mrn_problem *p, const mrn_fclib_save *save)
{
    size_t before = mrn_bytes_in_use();
    for (int64_t k = 1;; k++) {
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_fclib_write(in_dir("m.hdf5"), p, save, &msg);
        mrn_alloc_fail_at(0);
        assert_true(mrn_bytes_in_use() == before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_true(k < 10000);
        assert_int_equal(access(in_dir("m.hdf5"), F_OK), -1);
    }
    no_parts(test_dir);
    each_allocation(in_dir("m.hdf5"));
    unlink(in_dir("m.hdf5"));
}

static void test_memory(void **state)
{
    (void)state;
    mrn_rng g = mrn_rng_seed(1, 1);
    mrn_problem p = global_problem(MRN_CONTACT_3D, 3, 60), l = local_problem(MRN_CONTACT_2D, 3, 6);
    double *r = random_matrix(&g, 9, 1, 1);
    mrn_fclib_save save = {.guess = r, .answer = r};
    p.cohesion = mrn_alloc(3 * sizeof *p.cohesion);
    each_allocation_of_writing(&p, &save);
    save.global = true;
    each_allocation_of_writing(&p, &save);
    save.global = false;
    each_allocation_of_writing(&l, &save);
    global d = make_global(3, 0, 4, 2, 61);
    put_global(in_dir("d.hdf5"), &d, TRIPLETS);
    each_allocation(in_dir("d.hdf5"));
    for (int k = 0; k < 4; k++) {
        spill(in_dir("t.dat"), text_file[k], strlen(text_file[k]));
        each_allocation(in_dir("t.dat"));
    }
    free_global(&d);
    free(r);
    mrn_problem_release(&p);
    mrn_problem_release(&l);
}

/* ---- problems of other codes, where they are at hand ---- */

#define OUTSIDE MRN_TEST_SOURCE "/../shared/data/fclib/"

static double asymmetry(const mrn_bsr *W)
{
    double difference = 0, most = 0;
    int b = W->br;
    for (int i = 0; i < W->rows; i++)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) {
            int64_t mirror = mrn_bsr_find(W, W->col[k], i);
            for (int e = 0; e < b * b; e++) {
                double x = W->value[k * b * b + e];
                double y = mirror < 0 ? 0 : W->value[mirror * b * b + e % b * b + e / b];
                difference = fmax(difference, fabs(x - y));
                most = fmax(most, fabs(x));
            }
        }
    return difference / most;
}

static void test_outside_files(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int contacts;
        double least, most; /* of the asymmetry */
        bool guess;
    } file[] = {
        {"Box_Stacks-i0035-31-0", 31, 0, 1e-15, false},
        {"BoxesStack1-i100000-32", 52, 0, 1e-15, false},
        {"Capsules-i125-1213", 286, 6e-4, 2e-3, false},
        {"Confeti-ex03-Fc3D-SBM", 54, 0, 1e-15, false},
        {"KaplasTower-i1061-4", 570, 0, 1e-12, false},
        {"LMGC_100_PR_PerioBox-i00361-60-03000", 60, 0, 1e-15, false},
        {"OneObject-i1028-138", 23, 1e-5, 1e-3, false},
        {"gen_BoxWall-nc3109-s60", 3109, 1e-6, 1e-4, true},
        {"gen_Soup-nc986-s700", 986, 0, 1e-15, true},
        {"gen_SpheresBox-nc8863-s240", 8863, 0, 1e-15, true},
        {"gen_SpheresBoxMid-nc1810-s400", 1810, 0, 1e-15, true},
        {"spheres-in-a-box-98-i10000-256-10", 256, 0, 1e-15, false},
    };
    for (int k = 0; k < (int)(sizeof file / sizeof *file); k++) {
        char path[1024];
        snprintf(path, sizeof path, OUTSIDE "%s.hdf5", file[k].name);
        if (access(path, R_OK) != 0)
            continue;
        mrn_problem p;
        mrn_fclib_notes notes;
        read_back(path, &p, &notes);
        assert_int_equal(p.n, file[k].contacts);
        assert_string_equal(p.title, file[k].name);
        double a = asymmetry(&p.W);
        assert_true(a >= file[k].least && a <= file[k].most);
        assert_int_equal(notes.guess != NULL, file[k].guess);
        mrn_problem_release(&p);
        mrn_fclib_notes_release(&notes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_round_trip),
        cmocka_unit_test(test_global_round_trip),
        cmocka_unit_test(test_bodies_as_local),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_cohesion_and_velocities),
        cmocka_unit_test(test_bilateral_contacts),
        cmocka_unit_test(test_write_refusals),
        cmocka_unit_test(test_body_without_mass),
        cmocka_unit_test(test_storages),
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_zero_guess),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_local_constraints),
        cmocka_unit_test(test_global_forms),
        cmocka_unit_test(test_sparse_w_of_dense_mass),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_rolling_by_hand),
        cmocka_unit_test(test_other_storage),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_broken_text),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_outside_files),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
