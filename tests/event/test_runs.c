/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs of the event-driven method: stopped and resumed, with other outputs, through stages:
   the same bits; walls bear the pressure of the gas; the summary tells of collisions. */
#include <ftw.h>
#include <unistd.h>

#include "event/gas.h"

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

#define SCENE                                                                                      \
    HEAD "interactions: [{between: any, law: rigid, restitution: 0.95, friction: 0.2}]\n"          \
         "bodies: [{name: g, shape: {sphere: {radius: 1 mm}}, count: 300, velocity-spread: 0.5 "   \
         "m/s,\n"                                                                                  \
         "  place: {fill: {box: [[0, 0, 1 mm], [2 cm, 2 cm, 4 cm]]}}}]\n"                          \
         "cell: {periodic: [x, y], size: [2 cm, 2 cm, 0]}\n"                                       \
         "gravity: [0, 0, -9.81]\n"                                                                \
         "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"                   \
         "  motion: {shake: {amplitude: [0, 0, 1 mm], frequency: 40 Hz}}}]\n"                      \
         "stages:\n"                                                                               \
         "  - {name: shake, at-most: 0.2 s}\n"                                                     \
         "  - {name: still, at-most: 0.1 s, walls: {floor: {motion: none}}, gravity: [0, 0, "      \
         "-5]}\n"

static mrn_run_result run(const char *out, const char *set, int64_t ticks, bool resume)
{
    mrn_scene scene;
    mrn_message msg = {0};
    mrn_run_result result = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    opt.resume = resume;
    opt.overwrite = !resume;
    opt.max_steps = ticks;
    assert_int_equal(mrn_scene_read_text(SCENE, "test", &set, set != NULL, &scene, &msg), MRN_OK);
    mrn_status st = mrn_run(&scene, &opt, &result, &msg);
    if (st != MRN_OK && st != MRN_INTERRUPTED)
        fail_msg("%s", msg.text);
    mrn_scene_destroy(&scene);
    return result;
}

static void resumed(void **state)
{
    (void)state;
    char a[] = "/tmp/moraine-XXXXXX", b[] = "/tmp/moraine-XXXXXX";
    assert_true(mkdtemp(a) != NULL && mkdtemp(b) != NULL);
    uint64_t whole = run(a, "output={every: 0.05 s}", 0, false).hash;
    assert_true(run(b, "output={every: 0.01 s, probes-every: 0.003 s}", 0, false).hash == whole);
    for (int k = 0; k < 4; k++) { /* within the first stage, at its end, within the second */
        const int64_t stop[] = {36550001, 100000000, 150000000, 200000000}; /* 1e8 per stage */
        run(b, "output={every: 0.05 s}", stop[k], false);
        assert_true(run(b, "output={every: 0.05 s}", 0, true).hash == whole);
    }
    nftw(a, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    nftw(b, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The mean force on a lid above a gas in a box is the pressure: kinetic part and collisions at the
   walls together are what Carnahan and Starling say, to the noise of 4e4 wall collisions and the
   depletion of a box of 20 diameters: 5 %. */
static void walls_bear(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
             "walls: [{name: lid, plane: {point: [0, 0, 21], normal: [0, 0, -1]}},\n"
             "  {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
             "cell: {periodic: [x, y], size: [20, 20, 0]}\n"
             "bodies: [{name: g, shape: {sphere: {radius: 0.5 m}}, count: 1000, velocity-spread: 1 "
             "m/s,\n"
             "  place: {fill: {box: [[0, 0, 0], [20, 20, 21]]}}}]\n",
             NULL);
    fly(&r, 100);
    double m = r.s.body.mass[2], T = 2 * mrn_measure_energies(&r.scene, &r.s).kinetic / (3000 * m);
    double phi = 1000 * MRN_PI / 6 / (20 * 20 * 20); /* centres have 20 m of the height */
    double z = (1 + phi + phi * phi - phi * phi * phi) / pow(1 - phi, 3);
    double expected = 1000 / 8000.0 * m * T * z;
    near(r.s.body.f[2] / 400 / expected, 1, 0.05);
    near(-r.s.body.f[5] / 400 / expected, 1, 0.05);
    near(mrn_probe_value(&r.scene, &r.s, "walls.lid.force.z"), r.s.body.f[2], 0);
    rig_close(&r);
}

/* Disks stay in their plane, and none enters another, whatever walls do to the last bit of a
   normal: a layer on a shaking floor, some 1e4 collisions, each of which would double what leads
   out. Gaps: the rounding of places. */
static void disks_stay_in_their_plane(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        HEAD FOR_EVER
        "dimension: 2\n"
        "interactions: [{between: any, law: rigid, restitution: 0.8, friction: 0.2}]\n"
        "bodies: [{name: d, shape: {disk: {diameter: {uniform: [1.8 mm, 2.2 mm]}}}, count: 40,\n"
        "  place: {fill: {box: [[0, 1 mm], [2 cm, 2 cm]]}}}]\n"
        "cell: {periodic: [x], size: [2 cm, 0]}\n"
        "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]},\n"
        "  motion: {shake: {amplitude: [0, 1 mm], frequency: 40 Hz}}}]\n"
        "gravity: [0, -9.81]\n",
        NULL);
    for (int k = 1; k <= 100; k++) {
        fly(&r, 0.01 * k);
        for (int i = 0; i < 40; i++) {
            assert_true(place_of(&r, i).z == 0 && speed_of(&r, i).z == 0);
            assert_true(spin_of(&r, i).x == 0 && spin_of(&r, i).y == 0);
            for (int j = 0; j < i; j++) {
                mrn_vec3 d = mrn_sub(place_of(&r, i), place_of(&r, j));
                d.x -= 0.02 * rint(d.x / 0.02);
                const double *radius = r.s.body.radius + r.s.body.n_walls;
                assert_true(mrn_norm(d) - radius[i] - radius[j] > -1e-12);
            }
        }
    }
    assert_true(r.s.event.collisions > 3000);
    rig_close(&r);
}

/* Grains that come to rest on the floor and on each other: pushed from above while they have sunk
   in by what the collapse time lets them, they still stand on it. */
static void grains_come_to_rest(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 0.3, friction: 0.5}]\n"
             "bodies:\n"
             "  - {name: s, shape: {sphere: {diameter: 1.8 mm}}, count: 100,\n"
             "     place: {fill: {box: [[0, 0, 0], [1 cm, 1 cm, 3.5 cm]]}}}\n"
             "  - {name: l, shape: {sphere: {diameter: 2.2 mm}}, count: 100,\n"
             "     place: {fill: {box: [[0, 0, 0], [1 cm, 1 cm, 3.5 cm]]}}}\n"
             "cell: {periodic: [x, y], size: [1 cm, 1 cm, 0]}\n"
             "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
             "gravity: [0, 0, -9.81]\n",
             NULL);
    for (int k = 1; k <= 30; k++) {
        fly(&r, 0.001 * k);
        for (int i = 0; i < 200; i++)
            assert_true(place_of(&r, i).z - r.s.body.radius[r.s.body.n_walls + i] > -1e-9);
    }
    assert_true(r.s.event.at_walls > 100);
    rig_close(&r);
}

/* A bed of disks that rests in a box for some 10^5 collapse times: none sinks
   deeper into the floor than two collapse times let it, and what the floor gives is booked. The
   engine begins anew in between, as it does after many events. */
static void beds_do_not_sink(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "dimension: 2\nseed: 1\n"
             "interactions: [{between: any, law: rigid, restitution: 0.5, friction: 0.3}]\n"
             "walls: [{name: room, box: {corners: [[0, 0], [8 mm, 8 cm]], inside: true}}]\n"
             "bodies: [{name: g, shape: {disk: {diameter: {uniform: [1 mm, 2 mm]}}}, count: 12,\n"
             "  velocity-spread: 0.1 m/s, place: {fill: {box: [[1 mm, 1 mm], [7 mm, 75 mm]]}}}]\n"
             "gravity: [0, -9.81]\n",
             NULL);
    double t = r.s.event.collapse_time, most = 4 * 9.81 * t * t;
    for (int k = 1; k <= 25; k++) {
        fly(&r, 0.01 * k);
        need(&r, mrn_engine_refresh(&r.e, &r.msg));
        for (int i = 0; i < 12; i++)
            assert_true(place_of(&r, i).y - r.s.body.radius[r.s.body.n_walls + i] > -most);
    }
    assert_true(r.s.event.elastic > 1e5);
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / r.s.ledger.start, 0, 1e-11);
    assert_true(r.s.ledger.wall_work < 1e-6 * r.s.ledger.start);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(resumed), cmocka_unit_test(walls_bear),
                                       cmocka_unit_test(disks_stay_in_their_plane),
                                       cmocka_unit_test(grains_come_to_rest),
                                       cmocka_unit_test(beds_do_not_sink)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
