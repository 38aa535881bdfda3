/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single collisions of the event-driven method against closed forms: jumps of two spheres and of
   two disks, Foerster's curve, restitution that depends on speed, times of bounces under gravity,
   round and moving walls, images in a periodic cell. Tolerances are rounding, some ten operations
   on numbers near 1. */
#include "event/gas.h"
#include "laws/viscoelastic.h"

#define EPS 1e-14

/* Sphere 1 (radius 1) flies at 1 m/s along x at sphere 2 (radius 2, at rest), b beside its centre.
 */
static void two_spheres(void **state)
{
    (void)state;
    const double e = 0.7, et = 0.3, mu = 0.2, b = 1.5;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 0.7, friction: 0.2,\n"
             "  tangential-restitution: 0.3}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [0, 0, 0], velocity: [1, 0, 0], spin: [0, 0, 0.4]},\n"
             "  {position: [6, 1.5, 0], velocity: [0, 0, 0], radius: 2 m}]}}]\n",
             NULL);
    fly(&r, 8);
    assert_int_equal((int)r.s.event.collisions, 1);
    /* at the contact: centres 3 apart, branch from A (2) to C (1) */
    double nx = -sqrt(9 - b * b) / 3, ny = -b / 3, m1 = 4 * MRN_PI / 3 * 1000, m2 = 8 * m1;
    double m = m1 * m2 / (m1 + m2), vn = -nx; /* approach */
    double ux = 1 - 0, uy = 0, w1 = 0.4;
    ux += w1 * ny, uy -= w1 * nx; /* less r w x n */
    double tx = ux + vn * nx - (ux * nx + uy * ny + vn) * nx, ty;
    double un = ux * nx + uy * ny;
    tx = ux - un * nx, ty = uy - un * ny;
    double ut = hypot(tx, ty), jn = (1 + e) * m * -un, stick = 2.0 / 7 * (1 + et) * m * ut;
    double jt = mu * jn < stick ? mu * jn : stick;
    double jx = jn * nx - jt * tx / ut, jy = jn * ny - jt * ty / ut, lever = nx * jy - ny * jx;
    near(speed_of(&r, 0).x, 1 + jx / m1, EPS);
    near(speed_of(&r, 0).y, jy / m1, EPS);
    near(speed_of(&r, 1).x, -jx / m2, EPS);
    near(speed_of(&r, 1).y, -jy / m2, EPS);
    near(spin_of(&r, 0).z, w1 - lever / (0.4 * m1), EPS);
    near(spin_of(&r, 1).z, -2 * lever / (0.4 * m2 * 4), EPS);
    near(6 - sqrt(9 - b * b) + (8 - (6 - sqrt(9 - b * b))) * (1 + jx / m1), place_of(&r, 0).x,
         1e-13);
    rig_close(&r);
}

/* Psi_2 over psi_1: sticking -e_t psi_1, sliding psi_1 - (1 + e) mu / share. */
static void foerster(int dimension, double share)
{
    const double e = 0.83, et = 0.44, mu = 0.125;
    int slid = 0, stuck = 0;
    for (double psi = 0.1; psi < 2.5; psi += 0.1) {
        char text[1200];
        rig r;
        snprintf(text, sizeof text,
                 HEAD FOR_EVER
                 "dimension: %d\n"
                 "interactions: [{between: any, law: rigid, restitution: 0.83, friction: 0.125,\n"
                 "  tangential-restitution: 0.44}]\n"
                 "walls: [{name: floor, plane: {point: [0, 0%s], normal: [0, 1%s]}}]\n"
                 "bodies: [{name: g, shape: {%s: {radius: 1 m}}, place: {list: [\n"
                 "  {position: [0, 2%s], velocity: [%.17g, -1%s]}]}}]\n",
                 dimension, dimension == 3 ? ", 0" : "", dimension == 3 ? ", 0" : "",
                 dimension == 3 ? "sphere" : "disk", dimension == 3 ? ", 0" : "", psi,
                 dimension == 3 ? ", 0" : "");
        rig_open(&r, text, NULL);
        fly(&r, 2);
        double after = speed_of(&r, 0).x + spin_of(&r, 0).z; /* at the lowest point */
        bool slides = mu * (1 + e) < share * (1 + et) * psi;
        near(after, slides ? psi - (1 + e) * mu / share : -et * psi, EPS);
        near(speed_of(&r, 0).y, e, EPS);
        near(r.s.event.sliding, slides, 0);
        slid += slides, stuck += !slides;
        rig_close(&r);
    }
    assert_true(slid > 3 && stuck > 3);
}

static void foerster_curve(void **state)
{
    (void)state;
    foerster(3, 2.0 / 7);
    foerster(2, 1.0 / 3);
}

/* The law's own restitution, which is integrated to round-off; the table is within 1e-9 of it. */
static void restitution_falls_with_speed(void **state)
{
    (void)state;
    for (double v = 1e-3; v < 30; v *= 3) {
        char text[1200];
        rig r;
        snprintf(text, sizeof text,
                 "moraine: 1\nmethod: event\n" FOR_EVER
                 "materials: {m: {density: 1000 kg/m3, young: 1 GPa, poisson: 0.3}}\n"
                 "interactions: [{between: any, law: {normal: viscoelastic}, relaxation-time: 1e-4 "
                 "s}]\n"
                 "bodies: [{name: g, shape: {sphere: {radius: 1 cm}}, place: {list: [\n"
                 "  {position: [0, 0, 0], velocity: [%.17g, 0, 0]}, [3 cm, 0, 0]]}}]\n",
                 v);
        rig_open(&r, text, NULL);
        fly(&r, 1e-9 * ceil(1e9 * 0.02 / v));
        double m = 0.5 * 1000 * 4 * MRN_PI / 3 * 1e-6, e_star = 1e9 / (2 * (1 - 0.09));
        double k = 4.0 / 3 * e_star * sqrt(0.005), x = 1e-4 * pow(k / m, 0.4) * pow(v, 0.2);
        double e = mrn_viscoelastic_impact(x, true).restitution;
        near((speed_of(&r, 1).x - speed_of(&r, 0).x) / v, e, 1e-9);
        assert_true(e > 0 && e < 1);
        rig_close(&r);
    }
}

/* A ball falls from h, bounces with e: the k-th bounce comes at t0 (1 + 2 (e + … + e^k)). */
static void bounces(void **state)
{
    (void)state;
    const double g = 10, h = 5, e = 0.8, t0 = sqrt(2 * h / g);
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\nevent: {collapse-time: 0 s}\n"
             "interactions: [{between: any, law: rigid, restitution: 0.8, friction: 0}]\n"
             "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 6]]}}]\n",
             NULL);
    double at = t0, v = g * t0;
    for (int k = 1; k < 20; k++) {
        double up = v * e, next = at + 2 * up / g, now = 1e-9 * round(1e9 * 0.5 * (at + next));
        fly(&r, now);
        double s = now - at, z = 1 + s * (up - 0.5 * g * s);
        assert_int_equal((int)r.s.event.at_walls, k);
        near(place_of(&r, 0).z, z, 1e-13);
        near(speed_of(&r, 0).z, up - g * s, 1e-13);
        at = next, v = up;
    }
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / r.s.ledger.start, 0, 1e-14);
    rig_close(&r);
}

/* The same to its end: infinitely many bounces in a finite time, were it not for the collapse time.
   The ball ends in hops that last as long, and loses nothing any more. */
static void bounces_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\nevent: {collapse-time: 1 ms}\n"
             "interactions: [{between: any, law: rigid, restitution: 0.5, friction: 0}]\n"
             "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 6]]}}]\n",
             NULL);
    fly(&r, 4); /* all bounces are over at 3 s */
    double rest = r.s.ledger.lost_normal, hops = r.s.event.at_walls;
    fly(&r, 5);
    assert_true(r.s.event.elastic > 900);
    near(r.s.ledger.lost_normal, rest, 0);
    assert_true(r.s.event.at_walls - hops <= 1001);
    assert_true(fabs(speed_of(&r, 0).z) <= 10 * 1e-3);
    near(place_of(&r, 0).z, 1, 10 * 1e-6);
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / r.s.ledger.start, 0, 1e-12);
    rig_close(&r);
}

/* A ball that lies on the floor from the start neither falls nor stops time. */
static void rests(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\n"
             "interactions: [{between: any, law: rigid, restitution: 0.5, friction: 0.5}]\n"
             "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 1]]}}]\n",
             NULL);
    fly(&r, 1);
    near(place_of(&r, 0).z, 1, 1e-7);
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / r.s.ledger.start, 0, 1e-12);
    rig_close(&r);
}

/* A floor that shakes: the time of the impact from bisection, the velocity after it. */
static void shaken_floor(void **state)
{
    (void)state;
    const double a = 0.05, f = 3, w = 2 * MRN_PI * f, g = 10, e = 0.6;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\n"
             "interactions: [{between: any, law: rigid, restitution: 0.6, friction: 0}]\n"
             "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"
             "  motion: {shake: {amplitude: [0, 0, 5 cm], frequency: 3 Hz}}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 2]]}}]\n",
             NULL);
    double lo = 0.3, hi = 0.5; /* it falls 1 m, more or less */
    for (int k = 0; k < 100; k++) {
        double t = 0.5 * (lo + hi);
        if (1 - 0.5 * g * t * t - a * sin(w * t) > 0)
            lo = t;
        else
            hi = t;
    }
    double wall = a * w * cos(w * lo), before = -g * lo, after = wall - e * (before - wall);
    fly(&r, 0.5);
    assert_int_equal((int)r.s.event.at_walls, 1);
    near(speed_of(&r, 0).z, after - g * (0.5 - lo), 1e-12);
    near(place_of(&r, 0).z, 1 + a * sin(w * lo) + (0.5 - lo) * (after - 0.5 * g * (0.5 - lo)),
         1e-12);
    double m = 4 * MRN_PI / 3 * 1000;
    near(r.s.ledger.wall_work / (m * (after - before) * wall), 1, 1e-12);
    near(r.s.body.x[2], a * sin(w * 0.5), 1e-15);
    fly(&r, 60); /* for long: what the floor gives is booked */
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    assert_true(r.s.event.at_walls > 20);
    near(energy.residual / r.s.ledger.wall_work, 0, 1e-12);
    rig_close(&r);
}

/* A wall that comes with 0.5 m/s takes a ball of 1 m/s along: by e = 0.6 it leaves with
   w + e (v + w), and the wall has done the work m (v' + v) w. Its place is that of its motion. */
static void piston(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 0.6, friction: 0}]\n"
             "walls: [{name: lid, plane: {point: [0, 0, 10], normal: [0, 0, -1]},\n"
             "  motion: {velocity: [0, 0, -0.5]}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [0, 0, 0], velocity: [0, 0, 1]}]}}]\n",
             NULL);
    fly(&r, 8); /* 9 m between them close with 1.5 m/s: at 6 s, z = 6 */
    double m = 4 * MRN_PI / 3 * 1000, after = -0.5 - 0.6 * 1.5;
    assert_int_equal((int)r.s.event.at_walls, 1);
    near(speed_of(&r, 0).z, after, EPS);
    near(place_of(&r, 0).z, 6 + 2 * after, 1e-13);
    near(r.s.body.x[2], 10 - 0.5 * 8, 1e-14);
    near(r.s.ledger.wall_work / (m * (after - 1) * -0.5), 1, 1e-13);
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / r.s.ledger.start, 0, 1e-13);
    rig_close(&r);
}

/* A closed box: the way of a ball is a straight line folded at its six faces. */
static void box(void **state)
{
    (void)state;
    const double width[3] = {4, 5, 6}, v[3] = {0.7, -1.1, 1.9}; /* for the centre */
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
             "walls: [{name: box, box: {corners: [[0, 0, 0], [6, 7, 8]]}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [2, 3, 4], velocity: [0.7, -1.1, 1.9]}]}}]\n",
             NULL);
    for (int k = 1; k <= 20; k++) {
        fly(&r, 3 * k);
        double x[3];
        mrn_store3(x, place_of(&r, 0));
        for (int d = 0; d < 3; d++) {
            double way = d + 1 + v[d] * 3 * k, turn = 2 * width[d];
            way -= turn * floor(way / turn);
            near(x[d], 1 + (way < width[d] ? way : turn - way), 1e-12);
        }
    }
    assert_true(r.s.event.at_walls > 30);
    rig_close(&r);
}

/* Inside a circle without gravity a ball hits at equal angles: chords of equal length. */
static void chords(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
             "walls: [{name: drum, cylinder: {point: [0, 0, 0], axis: [0, 0, 1], radius: 5 m}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [4, 0, 0], velocity: [-0.6, 0.8, 0.1]}]}}]\n",
             NULL);
    double chord = 2 * 4 * 0.6; /* from the axis the centre keeps 4 m, it leaves at cos 0.6 */
    for (int k = 1; k < 40; k++) {
        fly(&r, 1e-9 * round(1e9 * chord * (k + 0.5)));
        assert_int_equal((int)r.s.event.at_walls, k);
        near(mrn_norm(speed_of(&r, 0)), sqrt(1.01), 1e-12);
        mrn_vec3 x = place_of(&r, 0);
        near(hypot(x.x, x.y), 4 * 0.8, 2e-9); /* half-way the chord is nearest to the axis */
    }
    rig_close(&r);
}

/* A drum with gravity: never out of it, energy kept. */
static void drum(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\n"
             "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
             "walls: [{name: drum, cylinder: {from: [0, -3, 0], to: [0, 3, 0], radius: 5 m}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [2, 0, 0], velocity: [1, 2, 3]}, [-2, 0, 0]]}}]\n",
             NULL);
    for (int k = 1; k <= 200; k++) {
        fly(&r, 0.25 * k);
        for (int i = 0; i < 2; i++) {
            mrn_vec3 x = place_of(&r, i);
            assert_true(hypot(x.x, x.z) < 4 + 1e-6 && fabs(x.y) < 2 + 1e-12);
        }
    }
    assert_true(r.s.event.at_walls > 50 && r.s.event.collisions > 3);
    mrn_energies energy = mrn_measure_energies(&r.scene, &r.s);
    near(energy.residual / energy.kinetic, 0, 1e-10);
    rig_close(&r);
}

/* Balls that lose energy come to rest at the bottom of it, where collisions follow each other
   without end but for the collapse time; time goes on all the same. */
static void rest_in_drum(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "gravity: [0, 0, -10]\n"
             "interactions: [{between: any, law: rigid, restitution: 0.5, friction: 0.3}]\n"
             "walls: [{name: drum, cylinder: {from: [0, -3, 0], to: [0, 3, 0], radius: 5 m}}]\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [[2, 0, 0]]}}]\n",
             NULL);
    double last = 0;
    for (int k = 1; k <= 40; k++) {
        fly(&r, 0.5 * k);
        assert_true(fabs(r.s.time - 0.5 * k) < 1e-9 && r.s.event.at_walls >= last);
        last = r.s.event.at_walls;
        mrn_vec3 x = place_of(&r, 0);
        assert_true(hypot(x.x, x.z) < 4 + 1e-3);
    }
    mrn_vec3 x = place_of(&r, 0);
    assert_true(x.z < -3.5 && r.s.event.at_walls > 100); /* it rolls to and fro */
    rig_close(&r);
}

/* Across the border of a period: they meet where their images do, and images are counted. */
static void images(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             HEAD FOR_EVER
             "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
             "cell: {periodic: [x, y, z], size: [10, 12, 14]}\n"
             "bodies: [{name: g, shape: {sphere: {radius: 1 m}}, place: {list: [\n"
             "  {position: [8, 1, 1], velocity: [1, 0, 0]}, [3, 1, 1]]}}]\n",
             NULL);
    fly(&r, 2.5); /* 3 m between the surfaces, by way of the border */
    near(place_of(&r, 0).x, 0.5, EPS);
    fly(&r, 4);
    assert_int_equal((int)r.s.event.collisions, 1);
    near(place_of(&r, 0).x, 1, EPS);
    near(speed_of(&r, 0).x, 0, EPS);
    near(place_of(&r, 1).x, 4, EPS);
    assert_int_equal(r.s.body.image[0], 1);
    fly(&r, 14); /* and on: it comes to the other from behind */
    near(place_of(&r, 1).x, 9, EPS);
    near(place_of(&r, 0).x, 1 + 5, 1e-13);
    assert_int_equal(r.s.body.image[3], 0);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_spheres),  cmocka_unit_test(foerster_curve),
        cmocka_unit_test(bounces),      cmocka_unit_test(restitution_falls_with_speed),
        cmocka_unit_test(bounces_end),  cmocka_unit_test(rests),
        cmocka_unit_test(shaken_floor), cmocka_unit_test(piston),
        cmocka_unit_test(box),          cmocka_unit_test(chords),
        cmocka_unit_test(drum),         cmocka_unit_test(rest_in_drum),
        cmocka_unit_test(images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
