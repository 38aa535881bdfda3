/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A processor that lacks what the library was built with is told so in words; answers injected. */
#include "world.h"

#include "base/base.h"

#define BIT(x) (1u << (x))

static void this_one(void **state)
{
    (void)state;
    mrn_message msg = {0};
    assert_int_equal(mrn_cpu_check(&msg), MRN_OK); /* or we would not be here */
    assert_int_equal(mrn_cpu_check(NULL), MRN_OK);
    /* the build that people install: no fused multiply-add, no AVX-512 */
    assert_false(mrn_cpu_built_with() & (BIT(MRN_CPU_FMA) | BIT(MRN_CPU_AVX512F)));
}

static void older_ones(void **state)
{
    (void)state;
    mrn_message msg = {0};
    unsigned v3 = BIT(MRN_CPU_SSE4_2) | BIT(MRN_CPU_POPCNT) | BIT(MRN_CPU_AVX) | BIT(MRN_CPU_AVX2) |
                  BIT(MRN_CPU_BMI) | BIT(MRN_CPU_BMI2);
    unsigned sandy_bridge = BIT(MRN_CPU_SSE4_2) | BIT(MRN_CPU_POPCNT) | BIT(MRN_CPU_AVX);
    assert_int_equal(mrn_cpu_judge(v3, v3, &msg), MRN_OK);
    assert_int_equal(mrn_cpu_judge(v3, ~0u, &msg), MRN_OK);
    assert_int_equal(mrn_cpu_judge(0, 0, &msg), MRN_OK);
    assert_int_equal(mrn_cpu_judge(v3, sandy_bridge, &msg), MRN_ERR_MACHINE);
    assert_int_equal(msg.status, MRN_ERR_MACHINE);
    assert_non_null(strstr(msg.text, "no AVX2, BMI, BMI2"));
    assert_null(strstr(msg.text, "POPCNT"));
    assert_non_null(strstr(msg.expected, "x86-64-v3"));
    assert_non_null(strstr(msg.hint, "MRN_ARCH=baseline"));
    /* all that there is, at once */
    assert_int_equal(mrn_cpu_judge(~0u, 0, &msg), MRN_ERR_MACHINE);
    assert_non_null(strstr(msg.text, "SSE4.2"));
    assert_non_null(strstr(msg.text, "AVX-512F"));
    assert_int_equal(mrn_cpu_judge(v3, 0, NULL), MRN_ERR_MACHINE);
    assert_string_equal(mrn_status_text(MRN_ERR_MACHINE), "machine cannot go on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(this_one), cmocka_unit_test(older_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
