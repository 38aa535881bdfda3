/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run whose ledger misses more than a hundredth says so, with the advice to halve the step: a
   packing pressed from 100 to 1000 kPa, whose contacts stiffen between two looks at the step,
   misses 1.4 % at first with 0.2 of critical and 0.01 % at its end with 0.1. */
#include "app/lab_files.h"

static const char *press(const char *fraction, const char *out)
{
    return moraine(0, "run", MRN_TEST_SOURCE "/tests/scenes/good/compression.yaml", "--set",
                   fraction, "--out", out, NULL)
        ->out;
}

static void test_warns(void **unused)
{
    (void)unused;
    const char *text = press("time-step.fraction=0.2", "long");
    assert_non_null(strstr(text, "the ledger misses"));
    assert_non_null(strstr(text, "halve the time step"));
    assert_null(strstr(press("time-step.fraction=0.1", "short"), "the ledger misses"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warns)};
    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
