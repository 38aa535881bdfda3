/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems as data: layouts, memory, copies, W from H and M, and the check. */
#include "solve/problems.h"

static void layouts(void **state)
{
    (void)state;
    for (int k = 0; k < MRN_CONTACT_KINDS; k++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)k);
        int next = 1;
        assert_true(lay->block <= MRN_CONTACT_BLOCK_MAX && lay->groups <= MRN_FRICTION_GROUPS);
        for (int g = 0; g < lay->groups; g++) { /* groups follow each other and fill the block */
            assert_int_equal(lay->first[g], next);
            next += lay->width[g];
        }
        assert_int_equal(next, lay->block);
        assert_true(strlen(lay->name) > 1);
    }
}

static void create_and_release(void **state)
{
    (void)state;
    size_t before = mrn_bytes_in_use();
    for (int k = 0; k < MRN_CONTACT_KINDS; k++) {
        const mrn_contact_layout *lay = mrn_contact_layout_of((mrn_contact_kind)k);
        mrn_problem p;
        mrn_message msg = {0};
        ok(mrn_problem_create((mrn_contact_kind)k, 5, &p, &msg), &msg);
        for (int c = 0; c < 5 * lay->block; c++)
            assert_true(p.q[c] == 0);
        for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
            assert_true((p.mu[g] != NULL) == (g < lay->groups));
        assert_true(p.W.rows == 0 && p.Ht.rows == 0 && p.minv == NULL && p.law == NULL);
        mrn_problem_release(&p);
        mrn_problem_release(&p);
    }
    mrn_problem p = {0};
    mrn_message msg = {0};
    mrn_problem_release(&p);
    assert_int_equal(mrn_problem_create((mrn_contact_kind)99, 1, &p, &msg), MRN_ERR_RANGE);
    mrn_problem_release(&p);
    assert_int_equal(mrn_problem_create(MRN_CONTACT_2D, -1, &p, &msg), MRN_ERR_RANGE);
    mrn_problem_release(&p);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* W = Hᵀ M⁻¹ H with dense matrices: sums of at most 6 * 6 terms in another order. Bodies here have
   full inverse masses (not symmetric either: nothing says they are), contacts join up to three. */
static void assembled_as_dense(void **state)
{
    (void)state;
    enum { N = 15, BODIES = 6 };
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int dof = 1; dof <= 6; dof++) {
            mrn_rng rng = mrn_rng_seed((uint64_t)(kind * 10 + dof), 0);
            int b = mrn_contact_layout_of((mrn_contact_kind)kind)->block, m = N * b,
                d = BODIES * dof;
            double *H = mrn_alloc(sizeof *H * (size_t)(m * d)),
                   *M = mrn_alloc(sizeof *M * (size_t)(d * d));
            double *T = mrn_alloc(sizeof *T * (size_t)(m * d));
            mrn_problem p;
            mrn_message msg = {0};
            ok(mrn_problem_create((mrn_contact_kind)kind, N, &p, &msg), &msg);
            for (int i = 0; i < N; i++)
                for (int k = 0; k < i % 4; k++) { /* none, one, two, three bodies */
                    int body = (int)(mrn_rng_next(&rng) % BODIES);
                    for (int e = 0; e < b * dof; e++)
                        H[(i * b + e % b) * d + body * dof + e / b] = mrn_rng_normal(&rng);
                }
            p.Ht = blocks_of(H, N, BODIES, b, dof, false);
            p.minv = mrn_alloc(sizeof *p.minv * (size_t)(BODIES * dof * dof));
            for (int i = 0; i < BODIES; i++)
                for (int e = 0; e < dof * dof; e++) {
                    double x = mrn_rng_normal(&rng);
                    p.minv[i * dof * dof + e] = M[(i * dof + e % dof) * d + i * dof + e / dof] = x;
                }
            ok(mrn_problem_assemble(&p, &msg), &msg);
            double *W = dense_of(&p.W);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < d; j++)
                    for (int k = 0; k < d; k++)
                        T[i * d + j] += H[i * d + k] * M[k * d + j];
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    double sum = 0;
                    for (int k = 0; k < d; k++)
                        sum += T[i * d + k] * H[j * d + k];
                    assert_true(fabs(W[i * m + j] - sum) <= 1e-13 * (1 + fabs(sum)) * dof);
                }
            for (int i = 0; i < N; i++)
                for (int64_t k = p.W.start[i] + 1; k < p.W.start[i + 1]; k++)
                    assert_true(p.W.col[k] > p.W.col[k - 1]);
            mrn_free(H), mrn_free(M), mrn_free(T), mrn_free(W);
            mrn_problem_release(&p);
        }
}

/* One body with many contacts: rows longer than what is sorted by insertion. */
static void long_rows_are_sorted(void **state)
{
    (void)state;
    mrn_problem p = family("plate", "contacts=150 stored=no", 1);
    mrn_message msg = {0};
    assert_int_equal(p.W.rows, 0);
    ok(mrn_problem_assemble(&p, &msg), &msg);
    assert_int_equal(p.W.start[150], 150 * 150);
    for (int i = 0; i < 150; i++)
        for (int j = 0; j < 150; j++)
            assert_int_equal(p.W.col[i * 150 + j], j);
    const double *value = p.W.value;
    ok(mrn_problem_assemble(&p, &msg), &msg); /* it is there: nothing to do */
    assert_ptr_equal(p.W.value, value);
    mrn_problem_release(&p);
}

static void nothing_to_assemble_from(void **state)
{
    (void)state;
    mrn_problem p;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 2, &p, &msg), &msg);
    assert_int_equal(mrn_problem_assemble(&p, &msg), MRN_ERR_INPUT);
    assert_int_equal(p.W.rows, 0);
    mrn_problem_release(&p);
    ok(mrn_problem_create(MRN_CONTACT_3D, 0, &p, &msg), &msg);
    ok(mrn_problem_assemble(&p, &msg), &msg);
    mrn_problem_release(&p);
}

static void copies_are_their_own(void **state)
{
    (void)state;
    mrn_problem p = family("joints", "rods=5", 1), c;
    mrn_message msg = {0};
    p.cohesion = mrn_alloc((size_t)p.n * sizeof *p.cohesion);
    p.cohesion[1] = 3;
    ok(mrn_problem_copy(&p, &c, &msg), &msg);
    size_t b = (size_t)block_of(&p), n = (size_t)p.n, dof = (size_t)p.Ht.bc;
    assert_true(c.kind == p.kind && c.n == p.n && c.q != p.q && c.law != p.law);
    assert_memory_equal(c.q, p.q, n * b * sizeof *p.q);
    assert_memory_equal(c.law, p.law, n);
    assert_memory_equal(c.cohesion, p.cohesion, n * sizeof *p.cohesion);
    assert_memory_equal(c.mu[0], p.mu[0], n * sizeof *p.q);
    assert_memory_equal(c.minv, p.minv, (size_t)p.Ht.cols * dof * dof * sizeof *p.minv);
    assert_memory_equal(c.W.value, p.W.value, (size_t)p.W.start[n] * b * b * sizeof *p.q);
    assert_memory_equal(c.Ht.value, p.Ht.value, (size_t)p.Ht.start[n] * b * dof * sizeof *p.q);
    assert_string_equal(c.title, p.title);
    assert_string_equal(c.description, p.description);
    assert_true(c.mu[1] == NULL);
    mrn_problem_release(&p);
    assert_true(c.cohesion[1] == 3);
    mrn_problem_release(&c);
}

/* ---- the check ---- */

static void sound_problems_pass(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"chain", ""},
        {"wall", "bricks=3 courses=3"},
        {"tower", ""},
        {"plate", ""},
        {"lattice", "across=3 layers=3"},
        {"packing", "spheres=40 rolling=0.1"},
        {"joints", ""},
        {"random", "rolling=pivoting condition=1e6"},
        {"jammed", ""},
        {"jammed", "case=wedge"},
        {"random", "stored=no"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mrn_problem p = family(cases[k][0], cases[k][1], 1);
        mrn_problem_facts f;
        mrn_message msg = {0};
        ok(mrn_problem_check(&p, &f, &msg), &msg);
        ok(mrn_problem_check(&p, NULL, &msg), &msg);
        assert_true(f.contacts == p.n && f.bodies == p.Ht.cols);
        assert_true(p.W.rows == 0 || (f.blocks == p.W.start[p.n] && f.asymmetry <= 1e-12));
        assert_true(p.W.rows == 0 || (f.eigen_max > 0 && f.eigen_min >= -1e-9 * f.eigen_max));
        mrn_problem_release(&p);
    }
    mrn_problem p;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 0, &p, &msg), &msg);
    ok(mrn_problem_check(&p, NULL, &msg), &msg);
    mrn_problem_release(&p);
}

/* A diagonal W with entries 1 to 36: Lanczos with as many steps is exact to its rounding. */
static void facts_are_right(void **state)
{
    (void)state;
    double W[36 * 36] = {0};
    mrn_problem p;
    mrn_problem_facts f;
    mrn_message msg = {0};
    ok(mrn_problem_create(MRN_CONTACT_3D, 12, &p, &msg), &msg);
    for (int k = 0; k < 36; k++)
        W[k * 37] = k + 1;
    W[3] = 0.036, W[3 * 36] = -0.036; /* skew: the symmetric part is as before */
    p.W = blocks_of(W, 12, 12, 3, 3, false);
    for (int i = 0; i < 12; i++)
        p.mu[0][i] = 0.1 * (i / 2);
    p.law = mrn_alloc(12);
    p.law[0] = p.law[5] = MRN_BILATERAL;
    ok(mrn_problem_check(&p, &f, &msg), &msg);
    assert_true(fabs(f.eigen_min - 1) <= 1e-8 && fabs(f.eigen_max - 36) <= 1e-8);
    assert_true(fabs(f.asymmetry - 0.002) <= 1e-15 && fabs(f.diagonal_mean - 18.5) <= 1e-12);
    assert_true(f.friction_min == 0 && fabs(f.friction_max - 0.5) <= 1e-15);
    assert_true(f.bilateral == 2 && f.frictionless == 1 && f.contacts == 12 && f.bodies == 0);
    assert_true(f.blocks == 14 && !f.hyperstatic && f.redundant == 0);
    mrn_problem_release(&p);
    p = family("plate", "contacts=20", 1); /* 60 impulses on a body of six degrees of freedom */
    ok(mrn_problem_check(&p, &f, &msg), &msg);
    assert_true(f.hyperstatic && f.redundant == 54 && f.bodies == 1);
    mrn_bsr_release(&p.Ht);
    ok(mrn_problem_check(&p, &f, &msg), &msg); /* found from W alone too */
    assert_true(f.hyperstatic && f.redundant == 54 && f.bodies == 0);
    mrn_problem_release(&p);
}

/* One thing broken at a time: refused, and the message names the contact where one is to blame. */
static void unsound_problems_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        mrn_problem p = family("random", "contacts=9 bodies=8 rolling=rolling", 1);
        mrn_message msg = {0};
        const char *word = "contact 3";
        int64_t at = mrn_bsr_find(&p.W, 3, 3) * 25, ht = p.Ht.start[3] * 5 * p.Ht.bc;
        p.cohesion = mrn_alloc(9 * sizeof *p.cohesion);
        p.law = mrn_alloc(9);
        switch (k) {
        case 0:
            p.q[15] = NAN;
            break;
        case 1:
            p.q[19] = -INFINITY;
            break;
        case 2:
            p.mu[0][3] = -0.1;
            break;
        case 3:
            p.mu[1][3] = NAN;
            break;
        case 4:
            p.mu[0][3] = INFINITY;
            break;
        case 5:
            p.cohesion[3] = -1;
            break;
        case 6:
            p.law[3] = 7;
            break;
        case 7:
            p.W.value[at] = NAN;
            break;
        case 8:
            p.W.value[at] = 0;
            break;
        case 9:
            p.W.value[at] *= -1;
            break;
        case 10:
            p.W.value[at + 6] *= -1;
            break;
        case 11:
            p.Ht.value[ht] = INFINITY;
            break;
        case 12:
            p.minv[2] = NAN, word = "body 0";
            break;
        case 13:
            p.minv[0] = -p.minv[0], word = "body 0";
            break;
        case 14:
            p.W.col[p.W.start[4] - 1] = 9, word = "column 9";
            break;
        case 15:
            p.W.br = 3, word = "3 x 5";
            break;
        case 16:
            mrn_free(p.minv), p.minv = NULL, word = "inverse masses";
            break;
        case 17:
            mrn_free(p.mu[1]), p.mu[1] = NULL, word = "rolling";
            break;
        case 18:
            p.n = 8, word = "W has 9 x 9";
            break;
        default:
            mrn_bsr_release(&p.W), mrn_bsr_release(&p.Ht), word = "neither";
            break;
        }
        assert_int_equal(mrn_problem_check(&p, NULL, &msg), MRN_ERR_INPUT);
        if (strstr(msg.text, word) == NULL)
            fail_msg("case %d: %s", k, msg.text);
        p.W.br = p.W.bc;
        mrn_problem_release(&p);
    }
}

/* Diagonal blocks that are fine and a coupling stronger than both: also one among very many. */
static void indefinite_operators_are_refused(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=8 layers=8", 1);
    mrn_message msg = {0};
    assert_true(p.n > 1000);
    mrn_bsr_release(&p.Ht);
    int i = p.n / 2, j = p.W.col[p.W.start[i]];
    int64_t a = mrn_bsr_find(&p.W, i, j) * 9, b = mrn_bsr_find(&p.W, j, i) * 9;
    double top = p.W.value[mrn_bsr_find(&p.W, i, i) * 9];
    p.W.value[a] = p.W.value[b] = 3 * top;
    assert_int_equal(mrn_problem_check(&p, NULL, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "indefinite"));
    mrn_problem_release(&p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    mrn_problem p = family("random", "contacts=12 bodies=9 stored=no rolling=pivoting", 1);
    mrn_message msg = {0};
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    int k = 0;
    while (st == MRN_ERR_MEMORY) {
        mrn_problem c = {0}, d = {0};
        mrn_alloc_fail_at(++k);
        st = mrn_problem_copy(&p, &c, &msg);
        if (st == MRN_OK)
            st = mrn_problem_assemble(&c, &msg);
        if (st == MRN_OK)
            st = mrn_problem_check(&c, NULL, &msg);
        if (st == MRN_OK)
            st = mrn_problem_create(p.kind, 4, &d, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || d.q == NULL);
        mrn_problem_release(&c);
        mrn_problem_release(&d);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(st, MRN_OK);
    assert_true(k > 15);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(create_and_release),
        cmocka_unit_test(assembled_as_dense),
        cmocka_unit_test(long_rows_are_sorted),
        cmocka_unit_test(nothing_to_assemble_from),
        cmocka_unit_test(copies_are_their_own),
        cmocka_unit_test(sound_problems_pass),
        cmocka_unit_test(facts_are_right),
        cmocka_unit_test(unsound_problems_are_refused),
        cmocka_unit_test(indefinite_operators_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
