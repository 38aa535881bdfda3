/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed precision on a device (emulated, or the GPU with MRN_TEST_DEVICE=cuda): its results have
   the same bits however the run is cut, and differ from those in double by the rounding of what is
   kept. */
/* ctest-labels: threads */
#include <stdlib.h>

#include "../world.h"

static mrn_device device_asked(void)
{
    const char *word = getenv("MRN_TEST_DEVICE");
    return word != NULL && strcmp(word, "cuda") == 0 ? MRN_DEVICE_CUDA : MRN_DEVICE_EMULATED;
}

static void start(world *w, mrn_precision precision, double h, mrn_engine *e)
{
    w->scene.device = device_asked();
    w->scene.precision = precision;
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    for (int k = 0; k < 3; k++) {
        w->state.cell_origin[k] = w->scene.cell.origin[k];
        w->state.cell_size[k] = w->scene.cell.size[k];
    }
    w->state.h = h;
    ok(mrn_engine_create(&w->scene, &w->state, NULL, e, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

/* 6 x 6 x 6 spheres that fall on a floor with periodic sides. */
static void make_bed(world *w, const char *law)
{
    const int side = 6;
    const double a = 1.9e-3, box = side * a;
    world_begin(w, 3, law, 2500, 1e7, 0.25);
    world_law(w, "restitution", 0.6);
    world_law(w, "friction", 0.5);
    if (strcmp(law, "linear") == 0)
        world_law(w, "contact-time", 2e-4);
    w->scene.gravity = mrn_v3(1, 0, -9.81);
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_periodic(w, 0, 0, box), world_periodic(w, 1, 0, box);
    mrn_rng rng = mrn_rng_seed(7, 0);
    for (int k = 0; k < side * side * side; k++) {
        double r[4];
        for (int m = 0; m < 4; m++)
            r[m] = mrn_rng_uniform(&rng);
        mrn_vec3 v = {r[0] - 0.5, r[1] - 0.5, r[2] - 0.5};
        world_grain(
            w, 1e-3 * (0.8 + 0.2 * r[3]),
            mrn_v3((k % side + 0.5) * a, (k / side % side + 0.5) * a, (k / side / side + 0.5) * a),
            v, mrn_scale(200, v));
    }
}

/* Steps by `call`; the engine is made anew after every `life` of them, as a resumed run does. */
static uint64_t hash_of_run(mrn_precision precision, const char *law, int64_t call, int64_t life,
                            mrn_energies *energy)
{
    const int64_t steps = 600;
    world w;
    mrn_engine e;
    make_bed(&w, law);
    start(&w, precision, 5e-6, &e);
    for (int64_t k = 0; k < steps; k += call) {
        ok(mrn_engine_step(&e, call < steps - k ? call : steps - k, &w.msg), &w.msg);
        if ((k + call) % life == 0) {
            mrn_engine_destroy(&e);
            ok(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg), &w.msg);
        }
    }
    uint64_t hash = mrn_state_hash(&w.state);
    assert_true(w.state.contacts > 20 && w.state.pair.builds > 3);
    if (energy != NULL)
        *energy = mrn_measure_energies(&w.scene, &w.state);
    mrn_engine_destroy(&e);
    world_end(&w);
    return hash;
}

/* What is kept is rounded where a step ends, not where a call, a batch or a run does. */
static void same_bits_however_cut(void **state)
{
    (void)state;
    const char *const law[] = {"hertz-mindlin", "linear"};
    for (int k = 0; k < 2; k++) {
        uint64_t whole = hash_of_run(MRN_PRECISION_MIXED, law[k], 600, 600, NULL);
        assert_true(hash_of_run(MRN_PRECISION_MIXED, law[k], 600, 600, NULL) == whole);
        assert_true(hash_of_run(MRN_PRECISION_MIXED, law[k], 1, 600, NULL) == whole);
        assert_true(hash_of_run(MRN_PRECISION_MIXED, law[k], 50, 100, NULL) == whole);
    }
}

/* The ledger lacks what the step makes it lack in double, and what rounding adds: numbers kept to
   6e-8, in 600 steps, by chance 1.5e-6, at worst 4e-5 of the energies. */
static void ledger_closes_as_in_double(void **state)
{
    (void)state;
    mrn_energies a, b;
    hash_of_run(MRN_PRECISION_DOUBLE, "hertz-mindlin", 600, 600, &a);
    hash_of_run(MRN_PRECISION_MIXED, "hertz-mindlin", 600, 600, &b);
    printf("of the dissipated, the ledger lacks %.3g in double, %.3g in mixed precision\n",
           a.residual / a.dissipated, b.residual / b.dissipated);
    assert_true(b.residual != a.residual);
    assert_true(fabs(b.residual - a.residual) < 4e-5 * a.dissipated);
}

typedef struct rebound {
    mrn_vec3 v, w;
} rebound;

/* A sphere that meets a resting one off its centre, 0.3 m/s; far from the origin, where a place in
   single precision would be worth nothing. */
static rebound impact(mrn_precision precision)
{
    world w;
    mrn_engine e;
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e8, 0.25);
    world_law(&w, "restitution", 0.7);
    world_law(&w, "friction", 0.3);
    world_grain(&w, 1e-3, mrn_v3(10, 10, 10), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_grain(&w, 1.2e-3, mrn_v3(10.00215, 10.0007, 10.0001), mrn_v3(-0.3, 0, 0.01),
                mrn_v3(0, 50, 20));
    start(&w, precision, 4e-7, &e);
    ok(mrn_engine_step(&e, 1500, &w.msg), &w.msg);
    assert_int_equal(w.state.contacts, 0);
    size_t at = 3 * (size_t)w.state.body.index_of[1];
    rebound r = {mrn_load3(w.state.body.v + at), mrn_load3(w.state.body.w + at)};
    mrn_engine_destroy(&e);
    world_end(&w);
    return r;
}

/* A contact of some 150 steps, each of which rounds velocity and force by at most 6e-8 of them: by
   chance 7e-7, at worst 1e-5 of the change. */
static void impacts_as_in_double(void **state)
{
    (void)state;
    rebound a = impact(MRN_PRECISION_DOUBLE), b = impact(MRN_PRECISION_MIXED);
    assert_true(a.v.x > -0.25); /* it has met the other */
    double dv = mrn_norm(mrn_sub(a.v, b.v)), dw = mrn_norm(mrn_sub(a.w, b.w));
    assert_true(dv > 0); /* it is another precision */
    assert_true(dv < 1e-5 * 0.3);
    assert_true(dw < 1e-5 * mrn_norm(a.w));
}

static void processor_refuses(void **state)
{
    (void)state;
    world w;
    mrn_engine e = {0};
    char text[4096];
    make_bed(&w, "linear");
    w.scene.precision = MRN_PRECISION_MIXED;
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    w.state.h = 1e-6;
    assert_true(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg) == MRN_ERR_INPUT);
    mrn_message_format(&w.msg, text, sizeof text);
    assert_non_null(strstr(text, "double precision"));
    world_end(&w);
}

/* Grains so small that their moments of inertia are no numbers in single precision. */
static void dust_is_refused(void **state)
{
    (void)state;
    world w;
    mrn_engine e = {0};
    char text[4096];
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e7, 0.25);
    world_law(&w, "restitution", 0.6);
    world_law(&w, "friction", 0.5);
    world_grain(&w, 1e-7, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    w.scene.device = device_asked();
    w.scene.precision = MRN_PRECISION_MIXED;
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    w.state.h = 1e-12;
    assert_true(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg) == MRN_ERR_INPUT);
    mrn_message_format(&w.msg, text, sizeof text);
    assert_non_null(strstr(text, "moment of inertia"));
    mrn_engine_destroy(&e);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_however_cut), cmocka_unit_test(ledger_closes_as_in_double),
        cmocka_unit_test(impacts_as_in_double),  cmocka_unit_test(processor_refuses),
        cmocka_unit_test(dust_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
