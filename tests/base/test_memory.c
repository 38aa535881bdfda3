/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator: aligned, zeroed, counted to the byte, failing on demand and harmlessly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/base.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED
#endif
#ifdef WATCHED
#include <sanitizer/asan_interface.h>
#endif

static void blocks_are_aligned_and_zero(void **unused)
{
    (void)unused;
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        unsigned char *p = mrn_alloc(bytes);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, bytes); /* so that the next block would show a missing clean-up */
        mrn_free(p);
    }
    mrn_free(NULL);
}

static void every_byte_is_counted(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    int64_t calls = mrn_alloc_count();
    void *a = mrn_alloc(1000), *b = mrn_alloc(24);
    assert_int_equal(mrn_bytes_in_use() - before, 1024);
    b = mrn_realloc(b, 4000);
    assert_int_equal(mrn_bytes_in_use() - before, 5000);
    b = mrn_realloc(b, 8);
    assert_int_equal(mrn_bytes_in_use() - before, 1008);
    assert_int_equal(mrn_alloc_count() - calls, 4);
    mrn_free(a);
    mrn_free(b);
    assert_int_equal(mrn_bytes_in_use(), before);
}

static void the_peak_is_remembered(void **unused)
{
    (void)unused;
    mrn_bytes_peak_reset();
    size_t base = mrn_bytes_peak();
    assert_int_equal(base, mrn_bytes_in_use());
    void *a = mrn_alloc(5000);
    mrn_free(a);
    a = mrn_alloc(100);
    assert_int_equal(mrn_bytes_peak() - base, 5000);
    mrn_bytes_peak_reset();
    assert_int_equal(mrn_bytes_peak() - base, 100);
    mrn_free(a);
}

static void realloc_keeps_the_content(void **unused)
{
    (void)unused;
    unsigned char *p = mrn_realloc(NULL, 100);
    assert_non_null(p);
    for (int i = 0; i < 100; i++)
        p[i] = (unsigned char)i;
    p = mrn_realloc(p, 10000);
    assert_int_equal((uintptr_t)p % 64, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], i);
    p = mrn_realloc(p, 50);
    for (int i = 0; i < 50; i++)
        assert_int_equal(p[i], i);
    mrn_free(p);
}

static void the_kth_allocation_fails_once(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    for (int k = 1; k <= 3; k++) {
        mrn_alloc_fail_at(k);
        void *p[4];
        for (int i = 0; i < 4; i++) {
            p[i] = mrn_alloc(10);
            assert_true((p[i] == NULL) == (i + 1 == k));
        }
        for (int i = 0; i < 4; i++)
            mrn_free(p[i]);
    }
    mrn_alloc_fail_at(1);
    mrn_alloc_fail_at(0); /* called off */
    void *p = mrn_alloc(10);
    assert_non_null(p);
    mrn_free(p);
    assert_int_equal(mrn_bytes_in_use(), before);
}

static void a_failed_realloc_leaves_the_block(void **unused)
{
    (void)unused;
    char *p = mrn_strdup("grains");
    size_t held = mrn_bytes_in_use();
    mrn_alloc_fail_at(1);
    assert_null(mrn_realloc(p, 1000));
    assert_string_equal(p, "grains");
    assert_int_equal(mrn_bytes_in_use(), held);
    mrn_free(p);
    mrn_alloc_fail_at(1);
    assert_null(mrn_strdup("grains"));
}

static void sizes_beyond_memory_are_refused(void **unused)
{
    (void)unused;
    assert_null(mrn_alloc(SIZE_MAX));
    assert_null(mrn_alloc(SIZE_MAX - 64));
}

static void grow_keeps_content_and_adds_room(void **unused)
{
    (void)unused;
    int64_t *a = NULL, capacity = 0;
    int64_t calls = mrn_alloc_count();
    for (int64_t n = 0; n < 10000; n++) {
        assert_int_equal(mrn_grow(&a, &capacity, n + 1, sizeof *a), MRN_OK);
        assert_true(capacity > n);
        a[n] = n * n;
    }
    for (int64_t n = 0; n < 10000; n++)
        assert_int_equal(a[n], n * n);
    /* growing by half from 16: log(10000 / 16) / log(1.5) = 15.9 steps, and the first */
    assert_true(mrn_alloc_count() - calls <= 18);
    int64_t enough = capacity;
    assert_int_equal(mrn_grow(&a, &capacity, 5, sizeof *a), MRN_OK);
    assert_int_equal(capacity, enough);
    mrn_free(a);
}

static void a_failed_grow_changes_nothing(void **unused)
{
    (void)unused;
    double *a = NULL;
    int64_t capacity = 0;
    assert_int_equal(mrn_grow(&a, &capacity, 20, sizeof *a), MRN_OK);
    a[19] = 3.5;
    double *old = a;
    int64_t room = capacity;
    mrn_alloc_fail_at(1);
    assert_int_equal(mrn_grow(&a, &capacity, 1000, sizeof *a), MRN_ERR_MEMORY);
    assert_ptr_equal(a, old);
    assert_int_equal(capacity, room);
    assert_true(a[19] == 3.5);
    mrn_free(a);
}

#ifdef WATCHED
/* Alignment leaves up to 63 bytes (large blocks: 2 MiB) around a block. The address sanitizer must
   see a touch of the first of them, on either side, or one number behind an array goes unseen. */
static void the_byte_behind_a_block_is_watched(void **unused)
{
    (void)unused;
    for (size_t bytes = 0; bytes < 8000000; bytes += bytes < 300 ? 1 : 1999993) {
        char *p = mrn_alloc(bytes);
        assert_non_null(p);
        assert_null(__asan_region_is_poisoned(p, bytes));
        assert_true(__asan_address_is_poisoned(p + bytes));
        assert_true(__asan_address_is_poisoned(p - 1));
        p = mrn_realloc(p, bytes + 3);
        assert_null(__asan_region_is_poisoned(p, bytes + 3));
        assert_true(__asan_address_is_poisoned(p + bytes + 3));
        mrn_free(p);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_zero),
        cmocka_unit_test(every_byte_is_counted),
        cmocka_unit_test(the_peak_is_remembered),
        cmocka_unit_test(realloc_keeps_the_content),
        cmocka_unit_test(the_kth_allocation_fails_once),
        cmocka_unit_test(a_failed_realloc_leaves_the_block),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
        cmocka_unit_test(grow_keeps_content_and_adds_room),
        cmocka_unit_test(a_failed_grow_changes_nothing),
#ifdef WATCHED
        cmocka_unit_test(the_byte_behind_a_block_is_watched),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
