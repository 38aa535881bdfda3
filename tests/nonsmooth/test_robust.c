/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The non-smooth engine where things are odd: bearings of bodies with three moments, drives that
   are damped or joined to, steps that cannot be made, numbers that are none. */
#include "nonsmooth/kit.h"

#define HEAD                                                                                       \
    "moraine: 1\nmethod: nonsmooth\nnonsmooth: {tolerance: 1e-9, max-iterations: 5000}\n"          \
    "materials: {m: {density: 2500 kg/m3}}\n"                                                      \
    "interactions: [{between: any, law: rigid, restitution: 0.3, friction: 0.5}]\n"                \
    "stages: [{name: run, at-most: 10 s}]\n"
#define FLOOR  "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
#define FALLS  "gravity: [0, 0, -9.81]\n"
#define FLOATS "gravity: [0, 0, 0]\n"
/* a brick whose principal axes are none of space */
#define BRICK                                                                                      \
    "shape: {polyhedron: {box: [4 cm, 2 cm, 1 cm]}}, rotation: {axis: [1, 1, 0], angle: 35 deg}"

/* All that was ever booked, J: what a residual is measured with. */
static double turnover(const rig *w)
{
    const mrn_ledger *l = &w->state.ledger;
    mrn_energies e = mrn_measure_energies(&w->scene, &w->state);
    return fabs(e.kinetic) + fabs(e.rotational) + fabs(e.gravity) + fabs(e.elastic) +
           fabs(l->lost_normal) + fabs(l->lost_tangential) + fabs(l->lost_damping) +
           fabs(l->lost_scheme) + fabs(l->wall_work) + fabs(l->drive_work) + fabs(l->start);
}

/* Sums of some hundred steps: rounding is far below 1e-12 of what went through. */
static void expect_closed(const rig *w)
{
    assert_true(fabs(rig_residual(w)) <= 1e-12 * turnover(w));
}

/* ---- bearings ---- */

/* A body that can turn about one axis of space alone goes on turning at its speed, wherever its
   principal axes are: moments across the axis are the bearing's. */
static void test_one_axis(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD FLOATS
              "bodies: [{name: b, " BRICK
              ", spin: [0, 0, 10 rad/s], hold: [rx, ry], place: {list: [[0, 0, 0]]}}]\n",
              1e-3);
    rig_step(&w, 500);
    mrn_vec3 spin = rig_w(&w, 0);
    assert_true(fabs(spin.z - 10) < 1e-12 && spin.x == 0 && spin.y == 0);
    expect_closed(&w);
    assert_true(fabs(w.state.ledger.drive_work) < 1e-15);
    rig_end(&w);
}

/* Two free axes: the bearing at rest does no work, the energy stays; and the third spin stays 0. */
static void test_two_axes(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD FLOATS
              "bodies: [{name: b, " BRICK
              ", spin: [7 rad/s, 3 rad/s, 0], hold: [rz], place: {list: [[0, 0, 0]]}}]\n",
              1e-3);
    double before = mrn_measure_energies(&w.scene, &w.state).rotational;
    rig_step(&w, 500);
    double after = mrn_measure_energies(&w.scene, &w.state).rotational;
    assert_true(fabs(after - before) < 1e-12 * before);
    assert_true(rig_w(&w, 0).z == 0);
    expect_closed(&w);
    rig_end(&w);
}

/* A told spin drags the free ones with it through the moments of inertia across the axes; motion of
   half the step is the reference, the scheme of second order but for the first step, where the told
   spin jumps: the difference falls with the step. */
static mrn_vec3 spin_of(double h, int64_t steps)
{
    rig w;
    rig_begin(&w,
              HEAD FLOATS "bodies: [{name: b, " BRICK
                          ", drive: {rz: 5 rad/s}, place: {list: [[0, 0, 0]]}}]\n",
              h);
    rig_step(&w, steps);
    mrn_vec3 spin = rig_w(&w, 0);
    expect_closed(&w);
    rig_end(&w);
    return spin;
}

static void test_told_axis(void **state)
{
    (void)state;
    mrn_vec3 a = spin_of(4e-3, 50), b = spin_of(2e-3, 100), c = spin_of(1e-3, 200);
    double coarse = mrn_norm(mrn_sub(a, c)), fine = mrn_norm(mrn_sub(b, c));
    assert_true(mrn_norm(c) > 5.01); /* the free ones do turn */
    assert_true(fine < 0.5 * coarse && coarse < 0.1);
}

/* ---- the account ---- */

static void run_and_close(const char *text)
{
    rig w;
    rig_begin(&w, text, 1e-3);
    for (int k = 0; k < 15; k++) {
        rig_step(&w, 20);
        expect_closed(&w);
    }
    rig_end(&w);
}

/* Bodies that are driven in part, or wholly, hit the floor and others, with and without damping:
   the drive bears what acts on what it tells, and damping does not act there. */
static void test_told_energy(void **state)
{
    (void)state;
    run_and_close(HEAD FLOOR FALLS "bodies: [{name: b, " BRICK
                                   ", drive: {rz: 5 rad/s}, place: {list: [[0, 0, 2.5 cm]]}}]\n");
    run_and_close(HEAD FLOOR FALLS "damping: {global: 3 1/s}\nbodies: [{name: b, " BRICK
                                   ", drive: {x: 0.5 m/s}, place: {list: [[0, 0, 2.5 cm]]}}]\n");
    run_and_close(HEAD FLOOR FALLS
                  "damping: {global: 3 1/s}\n"
                  "bodies: [{name: b, " BRICK ", hold: [y, z, rx, ry], drive: {x: 0.5 m/s, rz: "
                  "'4*cos(9*t)'}, place: {list: [[0, 0, 2.5 cm]]}}, {name: c, shape: {sphere: "
                  "{radius: 5 mm}}, place: {list: [[5 cm, 0, 2.5 cm]]}}]\n");
}

/* Joints to what is driven: its drive does the work, not the time scheme. A bob of mass m hangs
   from a wall that speeds up from rest; what locks do in all is small beside what the wall does. */
static void test_told_joint(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD FLOATS
              "walls: [{name: lift, plane: {point: [0, 0, -9], normal: [0, 0, 1]}, motion: {path: "
              "[0, 0, '2*t*t']}}]\n"
              "bodies: [{name: b, " BRICK ", place: {list: [[0, 0, 0.4]]}}]\n"
              "joints: [{ball: {between: [lift, b], point: [0, 0, 0.5]}}]\n",
              1e-3);
    rig_step(&w, 300);
    const mrn_ledger *l = &w.state.ledger;
    expect_closed(&w);
    assert_true(l->wall_work > 0.5 * mrn_measure_energies(&w.scene, &w.state).kinetic);
    assert_true(fabs(l->lost_scheme) < 0.05 * l->wall_work);
    rig_end(&w);
}

/* A spring whose wall is taken away holds nothing any more: what it held is lost. */
static void test_loose_spring(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD FLOOR FLOATS
              "bodies: [{name: b, " BRICK ", place: {list: [[0, 0, 0.4]]}}]\n"
              "joints: [{spring: {between: [floor, b], from: [0, 0, 0.5], to: [0, 0, 0.4], "
              "stiffness: 100 N/m, rest: 0}}]\n",
              1e-3);
    rig_step(&w, 5);
    assert_true(w.state.elastic > 0.1);
    w.state.body.flags[0] |= MRN_BODY_ABSENT;
    rig_step(&w, 5);
    assert_true(w.state.elastic == 0 && w.state.ledger.lost_damping > 0.1);
    expect_closed(&w);
    rig_end(&w);
}

/* ---- what cannot be ---- */

/* A step that ends in an error leaves the state as it was. */
static void expect_stop(const char *text, const char *word)
{
    rig w;
    rig_begin(&w, text, 1e-3);
    mrn_status st = MRN_OK;
    uint64_t hash = 0;
    for (int k = 0; st == MRN_OK && k < 20; k++) {
        hash = mrn_state_hash(&w.state);
        st = mrn_nonsmooth_step(w.engine, 1, &w.msg);
    }
    assert_int_equal(st, MRN_EXPLODED);
    assert_non_null(strstr(w.msg.text, word));
    assert_int_equal(mrn_state_hash(&w.state), hash);
    assert_true(isfinite(mrn_measure_energies(&w.scene, &w.state).total));
    rig_end(&w);
}

static void test_no_number(void **state)
{
    (void)state;
    const char *const ball = "shape: {sphere: {radius: 1 cm}}, place: {list: [[0, 0, 1 cm]]}";
    char text[2048];
    snprintf(text, sizeof text,
             HEAD FLOOR FALLS "bodies: [{name: b, %s, drive: {x: "
                              "'sqrt(0.005-t)'}}]\n",
             ball);
    expect_stop(text, "bodies 'b'");
    snprintf(text, sizeof text,
             HEAD FLOOR FALLS "bodies: [{name: b, %s}]\njoints: [{name: arm, hinge: {between: "
                              "[ground, b], point: [0, 0, 1], axis: [0, 1, 0], motor: {speed: "
                              "'sqrt(0.005-t)'}}}]\n",
             ball);
    expect_stop(text, "joint 'arm'");
    snprintf(text, sizeof text,
             HEAD FLOOR "gravity: [0, 0, 'sqrt(0.005-t)']\nbodies: [{name: b, %s}]\n", ball);
    expect_stop(text, "gravity");
    snprintf(text, sizeof text,
             HEAD FALLS
             "walls: [{name: lid, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: "
             "{servo: {direction: [0, 0, 1], force: 'sqrt(0.005-t)'}}}]\nbodies: [{name: "
             "b, %s}]\n",
             ball);
    expect_stop(text, "wall 'lid'");
}

/* So many cells away that they cannot be counted, in the first step: nothing is there to end it
   with. */
static void test_far_away(void **state)
{
    (void)state;
    expect_stop(HEAD FLOOR FALLS
                "cell: {periodic: [x], size: [1, 0, 0]}\n"
                "bodies: [{name: b, shape: {sphere: {radius: 1 cm}}, velocity: [1e16, 0, 0], "
                "place: {list: [[0, 0, 1 cm]]}}]\n",
                "finite position");
}

/* Grains placed in each other by half are moved apart; the same behind a wall is stated. */
static void test_deep(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD FLOATS
              "bodies: [{name: b, shape: {sphere: {radius: 1 cm}}, place: {list: [[0, 0, "
              "0], [1.1 cm, 0, 0]]}}]\n",
              1e-3);
    rig_step(&w, 300);
    assert_true(w.state.nonsmooth.overlap_max < 1e-4);
    expect_closed(&w);
    rig_end(&w);
    rig_begin(&w,
              HEAD FLOOR FALLS "bodies: [{name: b, shape: {sphere: {radius: 1 cm}}, place: {list: "
                               "[[0, 0, -10 cm]]}}]\n",
              1e-3);
    assert_int_equal(mrn_nonsmooth_step(w.engine, 1, &w.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(w.msg.hint, "behind a wall"));
    rig_end(&w);
}

/* Two disks at one point have some normal in the plane, and part. */
static void test_one_place(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              "moraine: 1\ndimension: 2\nmethod: nonsmooth\ngravity: [0, 0]\n"
              "materials: {m: {density: 2500 kg/m3}}\n"
              "interactions: [{between: any, law: rigid, friction: 0.5}]\n"
              "stages: [{name: run, at-most: 10 s}]\n"
              "bodies: [{name: b, shape: {disk: {radius: 1 cm}}, place: {list: [[0, 0], [1.5 cm, "
              "0]]}}]\n",
              1e-3);
    w.state.body.x[3 * rig_grain(&w, 1)] = 0;
    (void)mrn_nonsmooth_step(w.engine, 1, &w.msg);
    for (int k = 0; k < 2; k++) {
        mrn_vec3 x = rig_x(&w, k), v = rig_v(&w, k);
        assert_true(isfinite(x.x) && isfinite(x.y) && x.z == 0 && isfinite(v.x) && isfinite(v.y));
    }
    assert_true(fabs(rig_x(&w, 0).x - rig_x(&w, 1).x) > 0);
    rig_end(&w);
}

/* A grain that slides at 100 m/s loosens the tolerance, relative to all contacts, far beyond the
   weight of three balls at rest (g h = 1 mm/s, tolerance 1e-3 of 100 m/s): the first guess would
   pass unlooked at. Sweeps are made all the same. Free from overlap the tower is let fall by g h
   once, and ten sweeps of three contacts in a row leave 1e-2 of a wrong impulse at most (the
   sweep's factor is below 0.65: cos^2 of pi/(n+1), n = 3, 0.5; 0.5^10 = 1e-3). */
static void test_fast_neighbour(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              "moraine: 1\ndimension: 3\nmethod: nonsmooth\n"
              "materials: {m: {density: 2500 kg/m3}}\n"
              "interactions: [{between: [m, m], law: rigid, restitution: 0, friction: 0.5}]\n"
              "gravity: [0, 0, -10]\nstages: [{name: run, at-most: 10 s}]\n"
              "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: m}]\n"
              "bodies: [{name: tower, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: "
              "[{position: [0, 0, 0.01]}, {position: [0, 0, 0.03]}, {position: [0, 0, 0.05]}]}},\n"
              " {name: fast, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: "
              "[{position: [1, 0, 0.01], velocity: [100, 0, 0]}]}}]\n",
              1e-4);
    rig_step(&w, 1);
    assert_true(w.state.nonsmooth.last_sweeps >= 10);
    rig_step(&w, 20);
    for (int32_t k = 0; k < 3; k++)
        assert_true(fabs(rig_v(&w, k).z) < 1e-2 * 1e-3);
    rig_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_axis),       cmocka_unit_test(test_two_axes),
        cmocka_unit_test(test_told_axis),      cmocka_unit_test(test_told_energy),
        cmocka_unit_test(test_told_joint),     cmocka_unit_test(test_loose_spring),
        cmocka_unit_test(test_no_number),      cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_deep),           cmocka_unit_test(test_one_place),
        cmocka_unit_test(test_fast_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
