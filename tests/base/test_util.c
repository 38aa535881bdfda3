/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers (published test values, moments, streams), hash, clock, threads. Seeds are fixed:
   a test that passes once passes always; bounds of five deviations say that the seed was no lucky
   one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/types.h"

#define N 100000

/* xoshiro256** from the state {1, 2, 3, 4}: first outputs of the authors' reference program. */
static void generator_gives_the_published_numbers(void **unused)
{
    (void)unused;
    static const uint64_t known[] = {UINT64_C(11520),
                                     UINT64_C(0),
                                     UINT64_C(1509978240),
                                     UINT64_C(1215971899390074240),
                                     UINT64_C(1216172134540287360),
                                     UINT64_C(607988272756665600),
                                     UINT64_C(16172922978634559625),
                                     UINT64_C(8476171486693032832),
                                     UINT64_C(10595114339597558777),
                                     UINT64_C(2904607092377533576)};
    mrn_rng r = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(mrn_rng_next(&r) == known[i]);
}

/* splitmix64 from 1234567: its widely published first outputs are the state for stream 0. */
static void seeding_gives_the_published_numbers(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(1234567, 0);
    assert_true(r.s[0] == UINT64_C(6457827717110365317));
    assert_true(r.s[1] == UINT64_C(3203168211198807973));
    assert_true(r.s[2] == UINT64_C(9817491932198370423));
    assert_true(r.s[3] == UINT64_C(4593380528125082431));
}

static void same_seed_same_numbers(void **unused)
{
    (void)unused;
    mrn_rng a = mrn_rng_seed(7, 3), b = mrn_rng_seed(7, 3), c = mrn_rng_seed(7, 4),
            d = mrn_rng_seed(8, 3);
    int equal_c = 0, equal_d = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = mrn_rng_next(&a);
        assert_true(x == mrn_rng_next(&b));
        equal_c += x == mrn_rng_next(&c);
        equal_d += x == mrn_rng_next(&d);
    }
    assert_int_equal(equal_c, 0);
    assert_int_equal(equal_d, 0);
}

static void uniform_is_uniform(void **unused)
{
    (void)unused;
    enum { BINS = 64 };
    mrn_rng r = mrn_rng_seed(1, 0);
    int count[BINS] = {0};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double u = mrn_rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        sum += u;
        count[(int)(u * BINS)]++;
    }
    /* the mean of N numbers has deviation 1/sqrt(12 N) */
    assert_true(fabs(sum / N - 0.5) < 5 / sqrt(12.0 * N));
    /* chi squared with 63 degrees of freedom: mean 63, deviation sqrt(2 63) = 11.2 */
    double chi2 = 0, expected = (double)N / BINS;
    for (int k = 0; k < BINS; k++)
        chi2 += (count[k] - expected) * (count[k] - expected) / expected;
    assert_true(chi2 < 63 + 5 * sqrt(126.0) && chi2 > 63 - 5 * sqrt(126.0));
}

static void normal_has_the_moments_of_a_normal(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(1, 1);
    double m[5] = {0};
    int inside = 0;
    for (int i = 0; i < N; i++) {
        double x = mrn_rng_normal(&r), p = 1;
        assert_true(isfinite(x));
        inside += fabs(x) < 1;
        for (int k = 0; k < 5; k++, p *= x)
            m[k] += p / N;
    }
    /* variances of sample moments of a normal: E x^2k - (E x^k)^2 = 1, 2, 15, 96 over N */
    assert_true(fabs(m[1]) < 5 * sqrt(1.0 / N));
    assert_true(fabs(m[2] - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m[3]) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m[4] - 3) < 5 * sqrt(96.0 / N));
    /* erf(1/sqrt 2) = 0.6827 lie within one deviation; a count has deviation sqrt(N p (1-p)) */
    double p = erf(sqrt(0.5));
    assert_true(fabs(inside - N * p) < 5 * sqrt(N * p * (1 - p)));
}

/* Streams of one seed serve different groups and must not know of each other. */
static void streams_are_independent(void **unused)
{
    (void)unused;
    for (uint64_t stream = 1; stream <= 4; stream++) {
        mrn_rng a = mrn_rng_seed(1, 0), b = mrn_rng_seed(1, stream);
        double c = 0;
        for (int i = 0; i < N; i++)
            c += (mrn_rng_uniform(&a) - 0.5) * (mrn_rng_uniform(&b) - 0.5);
        /* each product has mean 0 and deviation 1/12 */
        assert_true(fabs(c) < 5 * sqrt((double)N) / 12);
    }
}

/* Values of the published FNV-1a test suite, 64 bits. */
static void hash_gives_the_published_numbers(void **unused)
{
    (void)unused;
    assert_true(mrn_hash(MRN_HASH_START, "", 0) == MRN_HASH_START);
    assert_true(mrn_hash(MRN_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(mrn_hash(MRN_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    uint64_t half = mrn_hash(MRN_HASH_START, "foo", 3);
    assert_true(mrn_hash(half, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void hash_sees_every_bit(void **unused)
{
    (void)unused;
    double x[3] = {1, 2, 3};
    uint64_t h = mrn_hash(MRN_HASH_START, x, sizeof x);
    for (size_t bit = 0; bit < 8 * sizeof x; bit++) {
        double y[3];
        memcpy(y, x, sizeof y);
        ((unsigned char *)y)[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_true(mrn_hash(MRN_HASH_START, y, sizeof y) != h);
    }
}

static void clock_does_not_go_back(void **unused)
{
    (void)unused;
    double last = mrn_clock();
    for (int i = 0; i < 1000; i++) {
        double now = mrn_clock();
        assert_true(now >= last);
        last = now;
    }
}

static void threads_are_those_asked_for(void **unused)
{
    (void)unused;
    assert_int_equal(mrn_threads_set(3), 3);
    assert_int_equal(mrn_threads(), 3);
    assert_int_equal(mrn_threads_set(1), 1);
    int all = mrn_threads_set(0);
    assert_true(all >= 1);
    assert_int_equal(mrn_threads(), all);
}

/* One version in words and numbers. */
static void version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", MRN_VERSION_MAJOR, MRN_VERSION_MINOR,
             MRN_VERSION_PATCH);
    assert_string_equal(text, MRN_VERSION);
}

/* Groups of three from the right, whatever the length. */
static void readable_counts(void **state)
{
    (void)state;
    assert_string_equal(mrn_readable_count(0).s, "0");
    assert_string_equal(mrn_readable_count(999).s, "999");
    assert_string_equal(mrn_readable_count(1000).s, "1 000");
    assert_string_equal(mrn_readable_count(12345).s, "12 345");
    assert_string_equal(mrn_readable_count(-1234567).s, "-1 234 567");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version),
        cmocka_unit_test(generator_gives_the_published_numbers),
        cmocka_unit_test(seeding_gives_the_published_numbers),
        cmocka_unit_test(same_seed_same_numbers),
        cmocka_unit_test(uniform_is_uniform),
        cmocka_unit_test(normal_has_the_moments_of_a_normal),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(hash_gives_the_published_numbers),
        cmocka_unit_test(hash_sees_every_bit),
        cmocka_unit_test(clock_does_not_go_back),
        cmocka_unit_test(threads_are_those_asked_for),
        cmocka_unit_test(readable_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
