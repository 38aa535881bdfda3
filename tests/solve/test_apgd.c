/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerated projected gradient: answers on paper, options, limits, threads, memory. */
/* ctest-labels: threads */
#include "solve/first_order_tests.h"

/* Options change the way, not the answer. */
static void options(void **state)
{
    const char *const set[][2] = {{"shift", "always"},
                                  {"shift", "loop"},
                                  {"restart", "false"},
                                  {"scaling", "false"},
                                  {"inner-accuracy", "0.1"}};
    fo_check_options(*state, set, sizeof set / sizeof *set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FO_TESTS("apgd"),
        FO_TEST(options, "apgd"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
