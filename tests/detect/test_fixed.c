/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains that do not move: glued to a floor and to each other in any overlap, they are no contacts
   among themselves nor with walls that go as imposed; with all that moves, and with a wall that a
   load drives, they are. */
#include "detect/kit.h"

#include "detect/detect.h"

static mrn_body glued(world *w, double r, mrn_vec3 x)
{
    mrn_body b = world_grain(w, r, x, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    w->state.body.flags[mrn_body_index(&w->state, b)] |= MRN_BODY_FIXED;
    return b;
}

/* The list holds every pair within reach but those of two fixed grains: by brute force, on all
   levels of size, periodic or not. */
static void list_leaves_them_out(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        world w;
        kit_begin(&w, k % 2 == 0 ? 3 : 2);
        mrn_rng rng = mrn_rng_seed(11, (uint64_t)k);
        for (int d = 0; d < (k < 2 ? 0 : w.scene.dimension); d++)
            world_periodic(&w, d, 0, 0.012);
        for (int i = 0; i < 300; i++) {
            double a = uniform(&rng, 0, 1), x = uniform(&rng, 0, 0.012),
                   y = uniform(&rng, 0, 0.012);
            double z = uniform(&rng, 0, 0.012), pick = uniform(&rng, 0, 1);
            mrn_vec3 at = mrn_v3(x, y, w.scene.dimension == 3 ? z : 0);
            double r = 2e-3 * pow(8, -a);
            if (pick < 0.5)
                glued(&w, r, at);
            else
                world_grain(&w, r, at, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        }
        ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
        for (int d = 0; d < 3; d++)
            w.state.cell_size[d] = w.scene.cell.size[d];
        ok(mrn_pairs_build(&w.scene, &w.state, false, &w.msg), &w.msg);
        const mrn_pairs *p = &w.state.pair;
        const uint16_t *flags = w.state.body.flags;
        lattice l = lattice_of(&w);
        int64_t listed = 0, left_out = 0;
        for (int32_t i = 0; i < w.state.body.n; i++)
            for (int32_t j = i + 1; j < w.state.body.n; j++) {
                bool near = brute_gap(&w, &l, i, j, 1) < p->skin;
                bool both = (flags[i] & MRN_BODY_FIXED) && (flags[j] & MRN_BODY_FIXED);
                assert_int_equal(is_listed(p, i, j), near && !both);
                listed += near && !both;
                left_out += near && both;
            }
        assert_int_equal(p->n_grain, listed);
        assert_true(listed > 100 && left_out > 50);
        world_end(&w);
    }
}

/* A rough floor: three grains sunk into a plane and into each other, one that lies on them. It
   counts as one contact with each; nothing else stores energy or pushes the floor. */
static void rough_floor(void **state)
{
    (void)state;
    world w;
    double r = 1e-3;
    kit_begin(&w, 3);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    for (int k = 0; k < 3; k++)
        glued(&w, r, mrn_v3(1.5e-3 * (k - 1), 0, 0.2e-3));
    mrn_body top = world_grain(&w, r, mrn_v3(0, 0, 2.19e-3), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_grain(&w, r, mrn_v3(0.1, 0, 0.99e-3), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 1e-9);
    world_steps(&w, 1);
    assert_int_equal(w.state.contacts, 2); /* top on the middle one, the last one on the plane */
    assert_close(w.state.max_overlap, 0.01e-3 / (0.5 * r), 1e-6);
    assert_close(w.state.elastic, 2 * 0.5 * 1e4 * 1e-10, 1e-12);
    assert_close(w.state.body.f[2], -1e4 * 1e-5, 1e-5); /* the plane bears the free grain alone */
    assert_true(world_v(&w, top).z > 0);
    world_end(&w);
}

/* A lid under a load comes to rest on a fixed grain; a lid that goes as imposed passes by. */
static void lids(void **state)
{
    (void)state;
    for (int servo = 0; servo < 2; servo++) {
        world w;
        kit_begin(&w, 3);
        world_plane(&w, mrn_v3(0, 0, 0.999e-3), mrn_v3(0, 0, -1));
        mrn_motion *m = &w.scene.wall[0].motion;
        if (servo) {
            m->kind = MRN_MOTION_SERVO;
            m->servo_direction = mrn_v3(0, 0, -1);
            m->servo_target = mrn_signal_constant(5);
        } else {
            m->kind = MRN_MOTION_STEADY;
            m->velocity = mrn_v3(0, 0, -0.1);
        }
        glued(&w, 1e-3, mrn_v3(0, 0, 0));
        world_start(&w, 1e-5);
        world_steps(&w, 2000);
        assert_int_equal(w.state.contacts, servo);
        if (servo) /* 5 N on a spring of 1e4 N/m */
            assert_close(w.state.body.x[2], 1e-3 - 5e-4, 1e-5);
        else
            assert_close(w.state.body.x[2], 0.999e-3 - 2e-3, 1e-9);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_leaves_them_out),
        cmocka_unit_test(rough_floor),
        cmocka_unit_test(lids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
