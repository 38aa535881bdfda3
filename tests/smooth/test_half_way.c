/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How contacts moved half-way through a step, by hand: a straining cell taken back, and walls whose
   spin changes. */
#include <stdlib.h>

#include "smooth/half_way.h"
#include "smooth/motion.h"
#include "world.h"

/* What the cell carried over a step, and what moved on top of it, are both taken back: to rounding,
   whatever the rates. */
static void step_back(void **state)
{
    (void)state;
    const double h = 1e-2;
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int k = 0; k < 1000; k++) {
        mrn_cell_flow flow = {.on = true};
        double x[3], d[3];
        for (int i = 0; i < MRN_STRAINS; i++)
            flow.rate[i] = 20 * mrn_rng_uniform(&r) - 10;
        for (int i = 0; i < 3; i++)
            x[i] = 2 * mrn_rng_uniform(&r) - 1, d[i] = 0.2 * mrn_rng_uniform(&r) - 0.1;
        mrn_vec3 from = mrn_load3(x), way = mrn_load3(d);
        mrn_vec3 to = mrn_cell_flow_carry(&flow, from, way, h);
        mrn_vec3 off = mrn_sub(mrn_step_back(flow.rate, to, way, h), from);
        assert_true(mrn_norm(off) < 8e-15);
        off = mrn_sub(mrn_step_back(NULL, mrn_add(from, way), way, h), from);
        assert_true(mrn_norm(off) < 1e-15);
    }
}

/* A sphere at rest on a plane that turns about its normal, faster and faster: the spin of the
   middle is the mean of those at both ends of the step, and the plane slips under the sphere by it.
 */
static void turning_wall(void **state)
{
    (void)state;
    const double h = 1e-9, r = 1e-3, arm = 0.02;
    mrn_images none = {0};
    mrn_law_block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->nz[0] = 1;
    mrn_half_way ball = mrn_half_way_still(mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    mrn_wall_way wall = {.w = {0, 0, 3}, .w_past = {0, 0, 1}, .point = {arm, 0, 0}};
    mrn_wall_half_way(b, 0, h, NULL, &none, mrn_v3(0, 0, 0), ball, mrn_v3(arm, 0, r), r, 1, wall);
    assert_close(b->az[0], -2, 1e-15);
    assert_close(b->pivot[0], 1, 1e-15);
    assert_close(b->vx[0], 0, 1e-9);
    assert_close(b->vy[0], -2 * arm, 1e-9);
    assert_close(b->pz[0], 1, 1e-15);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_back), cmocka_unit_test(turning_wall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
