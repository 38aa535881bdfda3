/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work space: aligned, zeroed, without overlap, and after a while without allocations. */
#include "solve/problems.h"

#include "solve/system.h"

static void memory_is_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    mrn_workspace w = {0};
    const int64_t sizes[] = {1, 7, 0, 64, 5000, 3, 100000, 1};
    unsigned char *p[8];
    for (int round = 0; round < 3; round++) {
        mrn_workspace_reset(&w);
        for (int k = 0; k < 8; k++) {
            p[k] = mrn_work(&w, sizes[k], sizeof(double));
            assert_non_null(p[k]);
            assert_int_equal((uintptr_t)p[k] % 64, 0);
            for (int64_t i = 0; i < sizes[k] * 8; i++)
                assert_int_equal(p[k][i], 0);
            memset(p[k], 0xa0 + k, (size_t)sizes[k] * 8); /* dirt for the next round */
        }
        for (int k = 0; k < 8; k++)
            for (int64_t i = 0; i < sizes[k] * 8; i++)
                assert_int_equal(p[k][i], 0xa0 + k);
    }
    mrn_workspace_release(&w);
    assert_true(w.slab == NULL && w.total == 0 && w.used == 0);
    mrn_workspace_release(&w);
}

/* What is taken after a mark is given up; what stood before keeps its content. The peak remembers
   the most that was in use at once, not the sum of what came and went. */
static void marks_give_back(void **state)
{
    (void)state;
    mrn_workspace w = {0};
    double *kept = mrn_work(&w, 100, sizeof *kept), *first = NULL;
    kept[99] = 7;
    mrn_workspace_mark mark = mrn_workspace_here(&w);
    for (int round = 0; round < 4; round++) {
        double *small = mrn_work(&w, 64, sizeof *small);
        double *large = mrn_work(&w, 100000, sizeof *large); /* a slab of its own */
        assert_true(small != NULL && large != NULL && small[63] == 0 && large[99999] == 0);
        first = round == 0 ? small : first;
        assert_ptr_equal(small, first);                    /* the same place again */
        assert_int_equal(w.now, (13 * 64) + 512 + 800000); /* 800 bytes take 13 lines of 64 */
        small[63] = large[99999] = 1;
        mrn_workspace_back(&w, mark);
        assert_int_equal(w.now, 13 * 64);
    }
    assert_int_equal(w.peak, (13 * 64) + 512 + 800000);
    assert_true(kept[99] == 7);
    mrn_workspace_release(&w);
}

/* Round one takes slabs as it goes, round two begins by joining them, from then on nothing. */
static void later_rounds_allocate_nothing(void **state)
{
    (void)state;
    mrn_workspace w = {0};
    int64_t count = 0;
    size_t peak = 0;
    for (int round = 0; round < 6; round++) {
        count = mrn_alloc_count();
        mrn_workspace_reset(&w);
        for (int k = 1; k < 200; k++)
            assert_non_null(mrn_work(&w, 40 * k, sizeof(double)));
        int64_t used = mrn_alloc_count() - count;
        assert_true(round == 0 ? used > 1 : used == (round == 1));
        peak = round == 0 ? w.peak : peak;
        assert_int_equal(w.peak, peak);
        assert_true(w.total >= w.peak);
    }
    mrn_workspace_release(&w);
}

static void growth_keeps_what_was_given(void **state)
{
    (void)state;
    mrn_workspace w = {0};
    double *first = mrn_work(&w, 100, sizeof *first);
    for (int i = 0; i < 100; i++)
        first[i] = i;
    for (int k = 0; k < 20; k++)
        assert_non_null(mrn_work(&w, INT64_C(1) << k, sizeof(double)));
    for (int i = 0; i < 100; i++)
        assert_true(first[i] == i);
    mrn_workspace_release(&w);
}

static void what_cannot_be_had_is_refused(void **state)
{
    (void)state;
    mrn_workspace w = {0};
    assert_null(mrn_work(&w, -1, 8));
    assert_null(mrn_work(&w, INT64_MAX, 8));
    assert_null(mrn_work(&w, INT64_MAX, SIZE_MAX));
    size_t before = mrn_bytes_in_use();
    assert_non_null(mrn_work(&w, 10, 8));
    mrn_alloc_fail_at(1);
    assert_null(mrn_work(&w, 1000000, 8));
    mrn_alloc_fail_at(0);
    assert_non_null(mrn_work(&w, 1000000, 8)); /* two slabs now */
    mrn_alloc_fail_at(1);
    mrn_workspace_reset(&w); /* cannot join them: begins anew */
    mrn_alloc_fail_at(0);
    assert_non_null(mrn_work(&w, 1000000, 8));
    mrn_workspace_release(&w);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* A time step: the same problem solved again and again with one work space. */
static void steps_allocate_nothing(void **state)
{
    (void)state;
    mrn_problem p = family("lattice", "across=3 layers=3 agitation=0.1", 1);
    double *r = vector_of(&p);
    mrn_workspace w = {0};
    mrn_message msg = {0};
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        mrn_solve_control control = mrn_solve_control_default();
        control.max_iterations = 50;
        for (int step = 0; step < 4; step++) {
            int64_t count = mrn_alloc_count();
            memset(r, 0, (size_t)(p.n * 3) * sizeof *r);
            mrn_status st = mrn_solve(&p, s, NULL, &control, r, &w, NULL, &msg);
            assert_true(st >= 0);
            /* factorising solvers own their factors; sweeps and products own nothing */
            if (step >= 2 && (s->sweeps || strcmp(s->name, "apgd") == 0))
                assert_int_equal(mrn_alloc_count(), count);
        }
    }
    mrn_workspace_release(&w);
    mrn_free(r);
    mrn_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_zeroed_and_apart),
        cmocka_unit_test(marks_give_back),
        cmocka_unit_test(later_rounds_allocate_nothing),
        cmocka_unit_test(growth_keeps_what_was_given),
        cmocka_unit_test(what_cannot_be_had_is_refused),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
