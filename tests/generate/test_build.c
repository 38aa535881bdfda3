/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole world: walls as bodies, masses, velocities, cell; and every allocation failing once. */
#include "generate/kit.h"

static void walls_are_bodies(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    kit_plane(&k, "floor", mrn_v3(1, 2, 3), mrn_v3(0, 0, 1));
    mrn_wall *w = kit_plane(&k, "drum", mrn_v3(2, 0, 0), mrn_v3(1, 0, 0));
    w->motion = (mrn_motion){.kind = MRN_MOTION_SHAKE,
                             .velocity = {1, 0, 0},
                             .spin = {0, 0, 3},
                             .has_about = true,
                             .amplitude = {0, 0.5, 0},
                             .frequency = 2,
                             .phase = MRN_PI / 3};
    kit_build(&k, &s);
    assert_int_equal(s.body.n, 2);
    assert_int_equal(s.body.n_walls, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.body.flags[i], MRN_BODY_WALL);
        assert_int_equal(s.body.group[i], i);
        assert_int_equal(s.body.shape[i], i + 1);
        assert_true(s.body.radius[i] == 0 && s.body.mass[i] == 0 && s.body.inertia[i] == 0);
        assert_true(s.body.q[4 * i] == k.wall[i].q.w);
    }
    assert_true(s.body.x[0] == 1 && s.body.x[1] == 2 && s.body.x[2] == 3);
    assert_true(s.body.v[0] == 0 && s.body.w[2] == 0);
    /* steady 1 along x; turning 3 about z at distance 2: 6 along y; shaking 0.5 2 pi 2 cos(60 deg)
     * along y */
    assert_true(s.body.v[3] == 1 && s.body.w[5] == 3);
    assert_true(fabs(s.body.v[4] - (6 + 0.5 * 2 * MRN_PI * 2 * 0.5)) < 1e-12);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void masses_of_grains(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        kit k;
        mrn_state s;
        kit_begin(&k, dimension);
        mrn_group *g = kit_fill_box(&k, "a", 0.1, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        g->count = 5;
        g = kit_fill_box(&k, "b", 0.05, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        g->count = 3;
        g->fixed = true;
        kit_periodic(&k, 0, 0, 1);
        kit_build(&k, &s);
        assert_int_equal(s.body.n, 8);
        assert_int_equal(s.body.capacity, 8); /* exactly what is needed */
        double m = dimension == 3 ? 1000 * 4.0 / 3 * MRN_PI * 1e-3 : 1000 * MRN_PI * 1e-2;
        for (int i = 0; i < 8; i++) {
            bool b = i >= 5;
            double part = !b ? 1 : dimension == 3 ? 0.125 : 0.25, r = b ? 0.05 : 0.1;
            assert_int_equal(s.body.group[i], b);
            assert_int_equal(s.body.flags[i], b ? MRN_BODY_FIXED : 0);
            assert_true(fabs(s.body.mass[i] / (m * part) - 1) < 1e-14);
            double inertia = (dimension == 3 ? 0.4 : 0.5) * s.body.mass[i] * r * r;
            assert_true(fabs(s.body.inertia[i] / inertia - 1) < 1e-14);
        }
        assert_true(s.cell_size[0] == 1 && s.time == 0 && s.step == 0);
        mrn_state_destroy(&s);
    }
}

/* Mean of n normal numbers: deviation 1/sqrt(n); their variance: sqrt(2/n). Four of each. */
static void velocities(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        kit k;
        mrn_state s;
        kit_begin(&k, dimension);
        mrn_group *g = kit_fill_box(&k, "gas", 0.002, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        g->count = 3000;
        g->velocity = mrn_v3(5, -1, 0);
        g->spin = mrn_v3(0, 0, 7);
        g->velocity_spread = 0.5;
        kit_build(&k, &s);
        double sum[3] = {0}, squares[3] = {0}, mean[3] = {5, -1, 0};
        for (int i = 0; i < 3000; i++) {
            for (int c = 0; c < 3; c++) {
                double v = (s.body.v[3 * i + c] - mean[c]) / 0.5;
                sum[c] += v / 3000;
                squares[c] += v * v / 3000;
            }
            assert_true(s.body.w[3 * i] == 0 && s.body.w[3 * i + 2] == 7);
            if (dimension == 2)
                assert_true(s.body.v[3 * i + 2] == 0 && s.body.x[3 * i + 2] == 0);
        }
        for (int c = 0; c < dimension; c++) {
            assert_true(fabs(sum[c]) < 4 / sqrt(3000));
            assert_true(fabs(squares[c] - 1) < 4 * sqrt(2.0 / 3000));
        }
        mrn_state_destroy(&s);
    }
}

static void refused(kit *k, const char *word)
{
    mrn_state s = {0};
    assert_int_equal(mrn_world_build(&k->scene, &s, &k->msg), MRN_ERR_INPUT);
    if (strstr(k->msg.text, word) == NULL)
        fail_msg("%s", k->msg.text);
}

static void bad_motions(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2);
    mrn_group *g = kit_fill_box(&k, "a", 0.1, mrn_v3(0, 0, 0), mrn_v3(1, 1, 0));
    g->count = 2;
    g->velocity.z = 1;
    refused(&k, "plane");
    g->velocity.z = 0;
    g->velocity_spread = -1;
    refused(&k, "spread");
    g->velocity_spread = 1;
    g->fixed = true;
    refused(&k, "fixed");
    g->fixed = false;
    k.scene.cell.periodic[1] = true;
    refused(&k, "periodic in y");
}

/* Account: all energy there is at the start, nothing lost, residual zero. */
static void ledger_is_open(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    k.scene.gravity = mrn_v3(0, 0, -10);
    mrn_group *g = kit_fill_box(&k, "a", 0.1, mrn_v3(0, 0, 2), mrn_v3(1, 1, 3));
    g->count = 5;
    g->velocity = mrn_v3(0, 0, -1);
    kit_build(&k, &s);
    mrn_energies e = mrn_measure_energies(&k.scene, &s);
    assert_true(e.total > 0 && e.total == s.ledger.start && e.residual == 0);
    mrn_state_destroy(&s);
}

/* Everything at once, small and dense: every path takes memory. */
static void rich_scene(kit *k, mrn_grain *grain)
{
    static double sieve[] = {0.04, 0.05, 0.06}, passing[] = {0, 0.5, 1};
    kit_begin(k, 3);
    kit_plane(k, "floor", mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    kit_periodic(k, 0, 0, 0.5);
    kit_periodic(k, 1, 0, 0.5);
    mrn_group *g = kit_fill_box(k, "dense", 0.05, mrn_v3(0, 0, 0), mrn_v3(0.5, 0.5, 0.25));
    g->size =
        (mrn_size){.kind = MRN_SIZE_SIEVE, .n = 3, .sieve_radius = sieve, .sieve_passing = passing};
    g->solid_fraction = 0.45;
    g = kit_fill_box(k, "crystal", 0.05, mrn_v3(0, 0, 0.5), mrn_v3(0.5, 0.5, 1));
    g->place = MRN_PLACE_LATTICE;
    g = kit_group(k, "two", 0.05);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 2;
    g->grain = grain;
    grain[0] = (mrn_grain){.x = {0, 0, 2}, .radius = 0.1};
    grain[1] = (mrn_grain){.x = {0, 0, 3}, .radius = 0.1};
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kit k;
    mrn_grain grain[2];
    rich_scene(&k, grain);
    size_t bytes = mrn_bytes_in_use();
    int failures = 0;
    for (int64_t n = 1;; n++) {
        mrn_state s = {0};
        mrn_alloc_fail_at(n);
        mrn_status st = mrn_world_build(&k.scene, &s, &k.msg);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK) {
            mrn_state_destroy(&s);
            break;
        }
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_int_equal(s.body.n, 0);
        assert_int_equal(mrn_bytes_in_use(), bytes);
        failures++;
    }
    assert_true(failures > 20);
    assert_int_equal(mrn_bytes_in_use(), bytes);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_are_bodies), cmocka_unit_test(masses_of_grains),
        cmocka_unit_test(velocities),       cmocka_unit_test(bad_motions),
        cmocka_unit_test(ledger_is_open),   cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
