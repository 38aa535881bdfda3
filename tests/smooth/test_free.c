/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spheres that touch nothing, as many as fill loops over rows wholly or not: each flies and turns
   by its own law, and one that is fixed among them stays. */
#include "smooth/cluster_world.h"

static void few(int n, int fixed)
{
    world w;
    mrn_body body[9];
    const double h = 1e-4, t = 50 * h, g = -9.81;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "normal-damping", 0);
    world_law(&w, "friction", 0);
    w.scene.gravity = mrn_v3(0, 0, g);
    for (int k = 0; k < n; k++)
        body[k] =
            world_grain(&w, 1e-3, mrn_v3(0.1 * k, 0, 0), mrn_v3(0, k == fixed ? 0 : 0.1 + k, 0),
                        mrn_v3(0, 0, k == fixed ? 0 : 10 + k));
    if (fixed >= 0)
        w.state.body.flags[mrn_body_index(&w.state, body[fixed])] |= MRN_BODY_FIXED;
    world_start(&w, h);
    world_steps(&w, 50);
    for (int k = 0; k < n; k++) {
        bool flies = k != fixed;
        mrn_vec3 x = world_x(&w, body[k]);
        const double *q = w.state.body.q + 4 * (size_t)mrn_body_index(&w.state, body[k]);
        /* Verlet is exact under a constant force: round-off of fifty steps */
        assert_true(fabs(x.y - (flies ? (0.1 + k) * t : 0)) < 1e-15);
        assert_true(fabs(x.z - (flies ? 0.5 * g * t * t : 0)) < 1e-15);
        /* the angle of a step is off by its cube over twelve: 2.4e-8 in fifty of 1.8e-3, and q has
           half of it */
        assert_true(fabs(q[3] - (flies ? sin(0.5 * (10 + k) * t) : 0)) < 2e-8);
    }
    world_end(&w);
}

static void any_number(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++)
        few(n, -1);
}

static void one_is_fixed(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++)
        few(n, n / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number),
                                       cmocka_unit_test(one_is_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
