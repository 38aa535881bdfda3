/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds of a few grains open no parallel region in a step, on one thread or with many to be had: a
   region of one thread still costs a call of the system. Large ones do, where there are threads. */
#include "world.h"

#if defined __GNUC__ && !defined __clang__
#include <dlfcn.h>

/* What gcc makes of every parallel region; counted, and passed on to the library. */
static int regions;
void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags)
{
    void (*real)(void (*)(void *), void *, unsigned, unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "GOMP_parallel");
    regions++;
    real(work, data, threads, flags);
}
enum { COUNTED = 1 };
#else
/* clang's regions call another library: what is asked is the same code, counted under gcc. */
static int regions;
enum { COUNTED = 0 };
#endif

/* What 12 steps more in a call open (the call itself may open some: records are made for it).
   side^3 grains on a floor stay within the reach of their first list; with `damped` steps go the
   general way, else through the stream. */
static int regions_in_steps(int side, bool damped, int threads)
{
    world w;
    mrn_threads_set(threads);
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e7, 0.25);
    world_law(&w, "restitution", 0.6);
    world_law(&w, "friction", 0.5);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    w.scene.damping.global = damped ? 1 : 0;
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    for (int k = 0; k < side * side * side; k++)
        world_grain(&w, 1e-3,
                    mrn_v3(k % side * 2e-3, k / side % side * 2e-3, (k / side / side + 0.5) * 2e-3),
                    mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 1e-6);
    world_steps(&w, 4);
    int64_t lists = w.state.pair.builds;
    regions = 0;
    world_steps(&w, 24);
    int n = regions;
    regions = 0;
    world_steps(&w, 12);
    n -= regions;
    assert_true(w.state.pair.builds == lists && w.state.contacts > 0);
    world_end(&w);
    mrn_threads_set(0);
    return n;
}

static void few_grains_wake_nobody(void **state)
{
    (void)state;
    if (!COUNTED)
        skip();
    for (int damped = 0; damped < 2; damped++)
        for (int threads = 1; threads <= 3; threads++)
            assert_int_equal(regions_in_steps(2, damped != 0, threads), 0);
}

/* That there is something to count. */
static void many_are_shared(void **state)
{
    (void)state;
    if (!COUNTED)
        skip();
    for (int damped = 0; damped < 2; damped++) {
        assert_true(regions_in_steps(12, damped != 0, 2) >= 12);
        assert_int_equal(regions_in_steps(12, damped != 0, 1), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_grains_wake_nobody),
        cmocka_unit_test(many_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
