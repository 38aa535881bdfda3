/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structures of blocks: arches on both sides of their limits, a stack, a row of dominoes. The runs
   are in rigid_blocks.h; the validation page prints more of them. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "nonsmooth/rigid_blocks.h"

#define EXACT "tolerance: 1e-7, solver: hybrid"

/* Many joints: the limit of Milankovitch (1907) for a semicircle, t/R = 0.1075; fewer hinges to
   choose from make it thinner. */
static void test_limit_analysis(void **state)
{
    (void)state;
    assert_true(fabs(arch_thickness(45, 1) - 0.1075) < 3e-4);
    assert_true(arch_thickness(7, 1) < arch_thickness(15, 1));
}

/* Half the arch falls g t2/2 = 8 cm in 0.13 s if nothing holds it; 5 per cent below its limit an
   arch has 5 per cent of that for a start and grows from there. One that stands moves by what the
   solver leaves: 1e-7 of g h per step, undone by the next. */
static void test_arch(void **state)
{
    (void)state;
    double limit = arch_thickness(15, 1);
    arch thick = {15, 1.05 * limit, 1}, thin = {15, 0.95 * limit, 1};
    arch_run stands = arch_let_go(&thick, 0.15, 1e-3, EXACT);
    arch_run falls = arch_let_go(&thin, 0.15, 1e-3, EXACT);
    assert_true(stands.moved < 1e-7 && stands.unsolved == 0);
    assert_true(falls.moved > 2e-3 && falls.speed > 0.02);
}

/* The same for friction at a thickness where hinges do not matter. */
static void test_arch_slides(void **state)
{
    (void)state;
    double limit = arch_friction(15, 0.2);
    arch rough = {15, 0.2, 1.05 * limit}, smooth = {15, 0.2, 0.95 * limit};
    arch_run stands = arch_let_go(&rough, 0.15, 1e-3, EXACT);
    arch_run falls = arch_let_go(&smooth, 0.15, 1e-3, EXACT);
    assert_true(stands.moved < 1e-7 && stands.unsolved == 0);
    assert_true(falls.moved > 2e-3 && falls.speed > 0.02);
}

/* Velocities are left at 1e-6 of g h = 1e-2 m/s per box, and taken back in the next step; their
   sums over 20 boxes and 300 steps of 1 ms stay below 1e-6 m. */
static void test_stack(void **state)
{
    (void)state;
    stack_run r = stack(20, 300, 1e-3, "tolerance: 1e-6, solver: hybrid");
    assert_true(fabs(r.sunk) < 1e-7 && r.aside < 1e-6 && r.turned < 1e-6);
    assert_true(r.unsolved == 0 && r.energy < 1e-6);
}

/* Against the model of dominoes that lean on each other without friction, which has no free
   parameter: the engine finds an impact up to a step late, 19 of them of about 50 ms. With friction
   it is slower, and in the range of published measurements. */
static void test_dominoes(void **state)
{
    (void)state;
    dominoes d = {.thickness = 0.15, .gap = 0.25, .spin = 1.5};
    double t[DOMINOES];
    domino_model(&d, t);
    domino_run r = domino_fall(&d, 0, 2e-3);
    double model = domino_speed(&d, t, 8), v = domino_speed(&d, r.t, 8);
    assert_true(fabs(r.t[DOMINOES - 1] - t[DOMINOES - 1]) < DOMINOES * 2e-3);
    assert_true(fabs(v / model - 1) < 0.01);
    r = domino_fall(&d, 0.2, 2e-3);
    v = domino_speed(&d, r.t, 8);
    assert_true(v > 1 && v < 1.6 && r.unsolved == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit_analysis), cmocka_unit_test(test_arch),
        cmocka_unit_test(test_arch_slides),    cmocka_unit_test(test_stack),
        cmocka_unit_test(test_dominoes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
