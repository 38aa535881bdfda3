/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctest-timeout: 300 */
/* ctest-labels: slow */
/* Many bodies under the event-driven method: energy and momentum to round-off, the ledger of each
   channel, the same bits whatever was asked for in between, and what is refused. */
#include "event/gas.h"

#define ELASTIC "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
#define ROUGH                                                                                      \
    "interactions: [{between: any, law: rigid, restitution: 0.9, friction: 0.3,\n"                 \
    "  tangential-restitution: 0.2}]\n"
#define CELL "cell: {periodic: [x, y, z], size: [20, 20, 20]}\n"
#define GAS                                                                                        \
    "bodies: [{name: g, shape: {sphere: {radius: {uniform: [0.6 m, 1 m]}}}, count: 400,\n"         \
    "  velocity-spread: 1 m/s, place: {fill: {box: [[0, 0, 0], [20, 20, 20]]}}}]\n"
#define LAYER                                                                                      \
    "gravity: [0, 0, -10]\n"                                                                       \
    "cell: {periodic: [x], size: [20, 0, 0]}\n"                                                    \
    "walls:\n"                                                                                     \
    "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"                            \
    "     motion: {shake: {amplitude: [0, 0, 0.3], frequency: 3 Hz}}}\n"                           \
    "  - {name: left, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"                             \
    "  - {name: right, plane: {point: [0, 20, 0], normal: [0, -1, 0]}}\n"

static mrn_vec3 momentum(const mrn_state *s)
{
    mrn_vec3 p = {0, 0, 0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        p = mrn_axpy(s->body.mass[i], mrn_load3(s->body.v + 3 * (size_t)i), p);
    return p;
}

/* Of n collisions each errs by rounding: the sum grows as their root. */
static void energy_is_kept(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD FOR_EVER ELASTIC CELL GAS, NULL);
    mrn_vec3 before = momentum(&r.s);
    fly(&r, 240);
    assert_true(r.s.event.collisions > 20000);
    mrn_energies e = mrn_measure_energies(&r.scene, &r.s);
    near(e.residual / e.kinetic, 0, 1e-13);
    double size = 400 * r.s.body.mass[0];
    near(mrn_norm(mrn_sub(momentum(&r.s), before)) / size, 0, 1e-12);
    near(e.dissipated, 0, 0);
    rig_close(&r);
}

/* Friction, spin, a floor that shakes and gravity: what is lost and given is booked. */
static void ledger_is_closed(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD FOR_EVER ROUGH LAYER GAS, NULL);
    fly(&r, 5);
    assert_true(r.s.event.collisions > 3000 && r.s.event.at_walls > 500);
    assert_true(r.s.event.sliding > 100);
    const mrn_ledger *l = &r.s.ledger;
    assert_true(l->lost_normal > 0 && l->lost_tangential > 0 && l->wall_work > 0);
    mrn_energies e = mrn_measure_energies(&r.scene, &r.s);
    near(e.residual / e.dissipated, 0, 1e-11);
    rig_close(&r);
}

/* Rates and free times are of the free grains, and a request to stop that was not made ends
   nothing: some 1e5 events, which is looked at every 16384. */
static void rates(void **state)
{
    (void)state;
    rig r;
    volatile int stop = 0;
    rig_open(&r, HEAD FOR_EVER ROUGH LAYER GAS, NULL);
    mrn_engine_destroy(&r.e);
    need(&r, mrn_engine_create(&r.scene, &r.s, &stop, &r.e, &r.msg));
    fly(&r, 40);
    assert_true(r.s.time == 40);
    const mrn_event_report *e = &r.s.event;
    double n = r.s.body.n - r.s.body.n_walls, ends = 2 * e->collisions + e->at_walls;
    assert_true(ends > 2e5);
    near(mrn_probe_value(&r.scene, &r.s, "collision-rate") * 40 * n / ends, 1, 1e-14);
    near(mrn_probe_value(&r.scene, &r.s, "mean-free-time") * ends / (40 * n), 1, 1e-14);
    stop = 1;
    need(&r, mrn_engine_advance(&r.e, 1e3, INT64_MAX / 2, &r.msg));
    assert_true(r.s.time < 100);
    rig_close(&r);
}

/* Nobody gets into anybody. */
static void nobody_overlaps(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD FOR_EVER ROUGH LAYER GAS, NULL);
    for (int k = 1; k <= 20; k++) {
        fly(&r, 0.1 * k);
        const mrn_bodies *b = &r.s.body;
        for (int32_t i = b->n_walls; i < b->n; i++)
            for (int32_t m = i + 1; m < b->n; m++) {
                mrn_vec3 d = mrn_sub(mrn_load3(b->x + 3 * i), mrn_load3(b->x + 3 * m));
                d.x -= 20 * round(d.x / 20);
                assert_true(mrn_norm(d) > (b->radius[i] + b->radius[m]) * (1 - 1e-9));
            }
    }
    rig_close(&r);
}

/* Nor in a small crowd, where a cell about a grain is entered by another between the moment its
   neighbours are looked up and the moment they are needed: some 1e5 collisions in 216 cells. */
static void small_crowd(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER ELASTIC
             "cell: {periodic: [x, y, z], size: [6, 6, 6]}\n"
             "bodies: [{name: g, shape: {sphere: {radius: 0.5 m}}, count: 120, velocity-spread: 1 "
             "m/s,\n  place: {fill: {box: [[0, 0, 0], [6, 6, 6]]}}}]\n",
             NULL);
    for (int k = 1; k <= 400; k++) {
        fly(&r, k);
        const mrn_bodies *b = &r.s.body;
        for (int32_t i = b->n_walls; i < b->n; i++)
            for (int32_t m = i + 1; m < b->n; m++) {
                mrn_vec3 d = mrn_sub(mrn_load3(b->x + 3 * i), mrn_load3(b->x + 3 * m));
                d.x -= 6 * round(d.x / 6), d.y -= 6 * round(d.y / 6), d.z -= 6 * round(d.z / 6);
                assert_true(mrn_norm(d) > 1 - 1e-9);
            }
    }
    assert_true(r.s.event.collisions > 5e4);
    rig_close(&r);
}

/* ---- the same bits ---- */

static void shuffle(rig *r, uint64_t seed)
{
    int32_t n = r->s.body.n, walls = r->s.body.n_walls;
    int32_t *perm = malloc(sizeof *perm * (size_t)n);
    mrn_rng g = mrn_rng_seed(seed, 0);
    for (int32_t k = 0; k < n; k++)
        perm[k] = k;
    for (int32_t k = n - 1; k > walls; k--) {
        int32_t m = walls + (int32_t)((double)(k + 1 - walls) * mrn_rng_uniform(&g)), t = perm[k];
        perm[k] = perm[m], perm[m] = t;
    }
    need(r, mrn_bodies_permute(&r->s, perm, &r->msg));
    free(perm);
}

/* Parts of the way, bodies shuffled between them, the engine made anew. */
static uint64_t hash_of(const char *text, int parts, bool shuffled, bool anew)
{
    rig r;
    rig_open(&r, text, NULL);
    for (int k = 1; k <= parts; k++) {
        fly(&r, 12.0 * k / parts);
        if (shuffled)
            shuffle(&r, (uint64_t)k);
        if (anew) {
            mrn_engine_destroy(&r.e);
            need(&r, mrn_engine_create(&r.scene, &r.s, NULL, &r.e, &r.msg));
        }
    }
    assert_true(r.s.event.collisions > 800);
    uint64_t h = mrn_state_hash(&r.s);
    rig_close(&r);
    return h;
}

static void same_bits(void **state)
{
    (void)state;
    static const char *const text[] = {HEAD FOR_EVER ELASTIC CELL GAS,
                                       HEAD FOR_EVER ROUGH LAYER GAS, HEAD FOR_EVER ROUGH CELL GAS};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        uint64_t once = hash_of(text[k], 1, false, false);
        for (int way = 0; way < 4; way++)
            if (hash_of(text[k], way == 0 ? 12 : 4 + way, way & 1, way & 2) != once)
                fail_msg("scene %d, way %d: other bits", (int)k, way);
    }
}

/* Few large grains among many small ones: cells as wide as the large ones hold more than they have
   room for at once. The first cell has three of them along a direction, so that each is next to
   all; the other has five, and images beyond its border. Nobody overlaps, energy is kept, and the
   bits are those of any order. */
#define MIXED(size, large, small)                                                                  \
    HEAD FOR_EVER ELASTIC                                                                          \
        "cell: {periodic: [x, y, z], size: " size "}\n"                                            \
        "bodies:\n"                                                                                \
        "  - {name: large, shape: {sphere: {radius: 1 m}}, count: " large ",\n"                    \
        "     velocity-spread: 1 m/s, place: {fill: {box: [[0, 0, 0], " size "]}}}\n"              \
        "  - {name: small, shape: {sphere: {radius: 0.2 m}}, count: " small ",\n"                  \
        "     velocity-spread: 1 m/s, place: {fill: {box: [[0, 0, 0], " size "]}}}\n"
#define NARROW MIXED("[6, 6.5, 7]", "5", "500")
#define WIDER  MIXED("[10.5, 11, 11.5]", "20", "2000")

static void all_are_apart(const mrn_bodies *b, const double size[3])
{
    for (int32_t i = 0; i < b->n; i++)
        for (int32_t m = i + 1; m < b->n; m++) {
            double d2 = 0;
            for (int d = 0; d < 3; d++) {
                double x = b->x[3 * i + d] - b->x[3 * m + d];
                x -= size[d] * round(x / size[d]);
                d2 += x * x;
            }
            assert_true(sqrt(d2) > (b->radius[i] + b->radius[m]) * (1 - 1e-9));
        }
}

static void small_among_large(void **state)
{
    (void)state;
    static const char *const text[] = {NARROW, WIDER};
    static const double size[2][3] = {{6, 6.5, 7}, {10.5, 11, 11.5}};
    for (int k = 0; k < 2; k++) {
        rig r;
        rig_open(&r, text[k], NULL);
        for (int step = 1; step <= 4; step++) {
            fly(&r, 0.5 * step);
            all_are_apart(&r.s.body, size[k]);
        }
        assert_true(r.s.event.collisions > 1000);
        mrn_energies e = mrn_measure_energies(&r.scene, &r.s);
        near(e.residual / e.kinetic, 0, 1e-13);
        rig_close(&r);
        uint64_t once = hash_of(text[k], 1, false, false);
        assert_true(hash_of(text[k], 5, true, true) == once);
    }
}

/* Without friction no spin changes, not even by rounding. */
static void smooth_grains_do_not_turn(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD FOR_EVER ELASTIC CELL GAS, NULL);
    fly(&r, 5);
    for (int32_t i = 0; i < 3 * r.s.body.n; i++)
        assert_true(r.s.body.w[i] == 0);
    rig_close(&r);
}

/* A program that changes a velocity is heard. */
static void disturbed(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER ELASTIC
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [0, 0, 0], velocity: [1, 0, 0]}, [10, 0, 0]]}}]\n",
             NULL);
    fly(&r, 2);
    mrn_store3(r.s.body.v, mrn_v3(0, 1, 0));
    fly(&r, 20);
    assert_int_equal((int)r.s.event.collisions, 0);
    near(place_of(&r, 0).x, 2, 1e-14);
    near(place_of(&r, 0).y, 18, 1e-13);
    rig_close(&r);
}

/* Grains that are fixed: a rough bottom under gravity. */
static void fixed_grains(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER ELASTIC
             "gravity: [0, 0, -10]\n"
             "bodies:\n"
             "  - {name: b, fixed: true, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, "
             "0]]}}\n"
             "  - {name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 7]]}}\n",
             NULL);
    fly(&r, 1.5); /* falls 5 m in 1 s, and is 0.5 s on its way back */
    assert_int_equal((int)r.s.event.collisions, 1);
    near(place_of(&r, 1).z, 2 + 0.5 * (10 - 2.5), 1e-12);
    near(speed_of(&r, 1).z, 5, 1e-12);
    near(place_of(&r, 0).z, 0, 0);
    rig_close(&r);
}

/* ---- refusals ---- */

static void refused(const char *text, mrn_status want, const char *words)
{
    rig r = {0};
    mrn_status st = mrn_scene_read_text(text, "test", NULL, 0, &r.scene, &r.msg);
    if (st == MRN_OK)
        st = mrn_world_build(&r.scene, &r.s, &r.msg);
    mrn_state_set_step(&r.s, 1e-9);
    if (st == MRN_OK)
        st = mrn_engine_create(&r.scene, &r.s, NULL, &r.e, &r.msg);
    if (st == MRN_OK)
        st = mrn_engine_advance(&r.e, 100, INT64_MAX / 2, &r.msg);
    if (st != want || strstr(r.msg.text, words) == NULL)
        fail_msg("status %d, \"%s\" instead of \"%s\"", (int)st, r.msg.text, words);
    rig_close(&r);
}

#define ONE "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 3]]}}]\n"

static void refusals(void **state)
{
    (void)state;
    refused(HEAD FOR_EVER ELASTIC
            "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 3], [1.5, 0, "
            "3]]}}]\n",
            MRN_ERR_INPUT, "grains 0 and 1 overlap by 0.5 m");
    refused(HEAD FOR_EVER ELASTIC ONE
            "walls: [{name: lid, plane: {point: [0, 0, 3.5], normal: [0, 0, -1]}}]\n",
            MRN_ERR_INPUT, "overlaps with wall 'lid'");
    refused(HEAD FOR_EVER ELASTIC ONE
            "walls: [{name: p, plane: {point: [0, 0, 0], normal: [0, 0, 1], length: 3 m}}]\n",
            MRN_ERR_INPUT, "meets no edges");
    refused(HEAD FOR_EVER ELASTIC ONE
            "walls: [{name: p, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {spin: [1, 0, "
            "0]}}]\n",
            MRN_ERR_INPUT, "turns about its normal alone");
    refused(HEAD FOR_EVER ELASTIC ONE
            "walls: [{name: p, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {path: [0, 0, "
            "\"0.1*sin(t)\"]}}]\n",
            MRN_ERR_INPUT, "along a given path");
    refused(HEAD FOR_EVER ONE "interactions: [{between: any, law: rigid, restitution: 1, friction: "
                              "0, rolling-friction: 0.1}]\n",
            MRN_ERR_INPUT, "rolling-friction has no part");
    refused(HEAD FOR_EVER ONE "gravity: [0, 0, -10]\nevent: {collapse-time: 0 s}\n"
                              "interactions: [{between: any, law: rigid, restitution: 0.5, "
                              "friction: 0}]\n"
                              "walls: [{name: p, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n",
            MRN_EXPLODED, "inelastic collapse");
    /* time goes on by its rounding with every hop: such a run did not end, nor heard a signal */
    refused(HEAD FOR_EVER
            "bodies: [{name: g, shape: {sphere: {diameter: 5 mm}}, place: {list: [[0, "
            "0, 1 cm]]}}]\n"
            "gravity: [0, 0, -10]\nevent: {collapse-time: 0 s}\n"
            "interactions: [{between: any, law: rigid, restitution: 0.5, friction: "
            "0}]\n"
            "walls: [{name: p, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n",
            MRN_EXPLODED, "inelastic collapse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(ledger_is_closed),
        cmocka_unit_test(rates),
        cmocka_unit_test(nobody_overlaps),
        cmocka_unit_test(small_crowd),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(small_among_large),
        cmocka_unit_test(smooth_grains_do_not_turn),
        cmocka_unit_test(disturbed),
        cmocka_unit_test(fixed_grains),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
