/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same bits from every compiler and option level: a small collapse whose every operation is
   exactly rounded (no function of the mathematical library but sqrt), compared with a stored hash.
   When the scheme or the order of a sum is changed on purpose, the test prints the new hash. */
/* ctest-labels: threads */
#include "world.h"

#define GOLDEN UINT64_C(0x88abed960a552265)

static uint64_t collapse(int threads)
{
    mrn_threads_set(threads);
    world w;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", 2e4);
    world_law(&w, "normal-damping", 0.3);
    world_law(&w, "friction", 0.4);
    world_law(&w, "stiffness-ratio", 0.75);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    mrn_rng r = mrn_rng_seed(7, 1);
    for (int k = 0; k < 10; k++)
        for (int j = 0; j < 10; j++)
            for (int i = 0; i < 10; i++) {
                double u[4]; /* one by one: the order of arguments is the compiler's choice */
                for (int d = 0; d < 4; d++)
                    u[d] = mrn_rng_uniform(&r);
                world_grain(&w, 1e-3 * (0.8 + 0.2 * u[0]),
                            mrn_v3(2.1e-3 * i, 2.1e-3 * j, 1.05e-3 + 2.1e-3 * k),
                            mrn_v3(0.2 * u[1] - 0.1, 0.2 * u[2] - 0.1, -0.5),
                            mrn_v3(0, 0, 100 * u[3]));
            }
    world_start(&w, 4e-6);
    world_steps(&w, 2500);
    assert_true(w.state.contacts > 20);
    uint64_t h = mrn_state_hash(&w.state);
    world_end(&w);
    return h;
}

static void golden(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        uint64_t h = collapse(threads);
        if (h != GOLDEN)
            fail_msg("hash %016llx with %d threads, stored %016llx", (unsigned long long)h, threads,
                     (unsigned long long)GOLDEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
