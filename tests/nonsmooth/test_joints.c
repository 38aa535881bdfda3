/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints: rows against differences of their errors, conservation, closed forms of machines. */
#include "nonsmooth/joint_fixture.h"

static const int widths[][2] = {{2, 2}, {2, 3}, {3, 3}, {3, 5}, {3, 6}}; /* dimension, rows */
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* Two balls joined by one joint of any kind, turned and placed at random. */
static void pair_of_balls(fixture *y, int dimension, int rows, mrn_joint_kind kind, bool motor,
                          double limit, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 1);
    fixture_begin(y, dimension, rows);
    for (int k = 0; k < 2; k++) {
        double a[3], b[3];
        for (int i = 0; i < 3; i++)
            a[i] = mrn_rng_normal(&rng), b[i] = mrn_rng_normal(&rng);
        if (dimension == 2)
            a[2] = b[0] = b[1] = 0;
        fixture_ball(y, 2 + k, 0.3 + 0.1 * k, mrn_load3(a));
        mrn_store_quat(y->state.body.q + 4 * (size_t)k, mrn_quat_from_rotation(mrn_load3(b)));
    }
    double p[3], n[3];
    for (int i = 0; i < 3; i++)
        p[i] = mrn_rng_normal(&rng), n[i] = mrn_rng_normal(&rng);
    if (dimension == 2)
        p[2] = n[2] = 0;
    mrn_vec3 axis = mrn_unit(mrn_load3(n));
    mrn_joint *d = fixture_joint(y, kind, grain(0), grain(1), mrn_load3(p), axis);
    d->point2 = mrn_add(mrn_load3(p), mrn_scale(2, axis));
    d->stiffness = 50, d->damping = 3;
    if (motor)
        fixture_motor(d, 0.7, limit);
    fixture_start(y);
}

/* Number of rows that act, with and without the motor. */
static int expected_rows(int dimension, mrn_joint_kind kind, bool motor)
{
    static const int plane[MRN_JOINT_KINDS] = {3, 2, 2, 2, 1};
    static const int space[MRN_JOINT_KINDS] = {6, 5, 3, 5, 1};
    bool drives = motor && (kind == MRN_JOINT_HINGE || kind == MRN_JOINT_SLIDER);
    return (dimension == 2 ? plane : space)[kind] + drives;
}

/* Rows that are not needed touch no body and have a compliance; no row is without one. */
static void check_pads(const fixture *y, int expected)
{
    int acting = 0;
    for (int k = 0; k < mrn_joints_count(y->joints); k++)
        for (int row = 0; row < y->rows; row++) {
            double size = 0;
            for (int c = 0; c < fixture_dofs(y); c++)
                size += fabs(y->block[k].h[0][c * y->rows + row]) +
                        fabs(y->block[k].h[1][c * y->rows + row]);
            assert_true(y->block[k].compliance[row] > 0);
            assert_int_equal(size > 0, y->block[k].role[row] != MRN_ROW_PAD);
            if (size == 0)
                assert_true(y->block[k].q[row] == 0);
            if (row >= y->scene.dimension)
                assert_int_equal(y->block[k].role[row], MRN_ROW_PAD);
            acting += size > 0;
        }
    assert_int_equal(acting, expected);
}

static void test_pads(void **state)
{
    (void)state;
    for (int w = 0; w < WIDTHS; w++)
        for (int kind = 0; kind < MRN_JOINT_KINDS; kind++)
            for (int motor = 0; motor < 3; motor++) {
                fixture y;
                pair_of_balls(&y, widths[w][0], widths[w][1], (mrn_joint_kind)kind, motor > 0,
                              motor == 2 ? 5 : INFINITY, 7);
                fixture_write(&y, 0, 1e-3);
                check_pads(&y, expected_rows(widths[w][0], (mrn_joint_kind)kind, motor > 0));
                fixture_end(&y);
            }
}

/* ---- kinematics ---- */

static void random_velocity(mrn_rng *rng, const fixture *y, double *v)
{
    for (int c = 0; c < fixture_dofs(y); c++)
        v[c] = mrn_rng_normal(rng);
}

/* q of all rows after both bodies have moved by dt with velocities v; then they go back. */
static void q_moved(fixture *y, double v[2][6], double dt, double h, double *q)
{
    double x[6], turned[8];
    memcpy(x, y->state.body.x, sizeof x);
    memcpy(turned, y->state.body.q, sizeof turned);
    for (int e = 0; e < 2; e++)
        fixture_carry(y, e, v[e], dt);
    fixture_write(y, 0, h);
    for (int k = 0; k < mrn_joints_count(y->joints); k++)
        memcpy(q + k * y->rows, y->block[k].q, (size_t)y->rows * sizeof *q);
    memcpy(y->state.body.x, x, sizeof x);
    memcpy(y->state.body.q, turned, sizeof turned);
}

/* Rows of turns do not feel translations. */
static bool is_turn(const fixture *y, int k, int row)
{
    double sum = 0;
    for (int c = 0; c < y->scene.dimension; c++)
        sum += fabs(y->block[k].h[1][c * y->rows + row]);
    return sum == 0;
}

/* Locks have q = 0.2 g / h and springs k (l - l0) / (k h + c): their rates are h v times that.
   Central differences over 2e-5: error (2e-5)^2 of third derivatives of order 10, and rounding
   1e-16 / 1e-5 times h / 0.2; 1e-7 holds both. */
static void check_rates(fixture *y, uint64_t seed, double slack)
{
    double v[2][6] = {{0}}, ahead[48], behind[48], h = 0.01, dt = 1e-5;
    mrn_rng rng = mrn_rng_seed(seed, 2);
    random_velocity(&rng, y, v[0]);
    random_velocity(&rng, y, v[1]);
    q_moved(y, v, dt, h, ahead);
    q_moved(y, v, -dt, h, behind);
    fixture_write(y, 0, h);
    const mrn_joint *d = &y->scene.joint[0];
    for (int k = 0; k < mrn_joints_count(y->joints); k++) {
        double u[6] = {0};
        fixture_times(y, k, 0, v[0], u);
        fixture_times(y, k, 1, v[1], u);
        for (int row = 0; row < y->rows; row++) {
            int role = y->block[k].role[row];
            double gain =
                role == MRN_ROW_SPRING ? d->stiffness / (d->stiffness * h + d->damping) : 0.2 / h;
            double rate = (ahead[k * y->rows + row] - behind[k * y->rows + row]) / (2 * dt * gain);
            if (role == MRN_ROW_LOCK || role == MRN_ROW_SPRING)
                assert_close(rate, u[row], 1e-7 + (is_turn(y, k, row) ? slack : 0));
        }
    }
}

static void test_rates(void **state)
{
    (void)state;
    for (int w = 0; w < WIDTHS; w++)
        for (int kind = 0; kind < MRN_JOINT_KINDS; kind++)
            for (uint64_t seed = 1; seed <= 5; seed++) {
                fixture y;
                pair_of_balls(&y, widths[w][0], widths[w][1], (mrn_joint_kind)kind, true, INFINITY,
                              seed);
                check_rates(&y, seed, 0);
                fixture_end(&y);
            }
}

/* With anchors apart the rows of shifts stay the rates of their errors; turns alone change rates,
   by the part of a radian they are off: 0.03 times spins of some 1/s times a length of 0.3 m. */
static void test_rates_apart(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_JOINT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            for (int dimension = 2; dimension <= 3; dimension++) {
                fixture y;
                pair_of_balls(&y, dimension, dimension, (mrn_joint_kind)kind, false, 0, seed);
                mrn_store3(y.state.body.x,
                           mrn_add(mrn_load3(y.state.body.x), mrn_v3(0.3, -0.2, 0)));
                check_rates(&y, seed, 0);
                double v[6] = {0, 0, 0.02, 0.01, 0.02, -0.02};
                fixture_carry(&y, 1, v, 1); /* 2D: turns by 0.02; 3D: by 0.03 and 0.02 along */
                check_rates(&y, seed, dimension == 2 ? 0 : 0.05);
                fixture_end(&y);
            }
}

/* Any impulses leave momentum and angular momentum as they are, to rounding, also with anchors
   apart. */
static void check_conserved(const fixture *y, mrn_rng *rng)
{
    bool plane = y->scene.dimension == 2;
    for (int k = 0; k < mrn_joints_count(y->joints); k++) {
        double r[6], p[2][6] = {{0}};
        mrn_vec3 sum = mrn_v3(0, 0, 0), spin = sum;
        for (int row = 0; row < y->rows; row++)
            r[row] = mrn_rng_normal(rng);
        for (int e = 0; e < 2; e++) {
            fixture_transposed(y, k, e, r, p[e]);
            mrn_vec3 f = mrn_v3(p[e][0], p[e][1], plane ? 0 : p[e][2]);
            mrn_vec3 t = plane ? mrn_v3(0, 0, p[e][2]) : mrn_load3(p[e] + 3);
            mrn_vec3 x = mrn_load3(y->state.body.x + 3 * e);
            sum = mrn_add(sum, f);
            spin = mrn_add(spin, mrn_add(t, mrn_cross(x, f)));
        }
        assert_close(mrn_norm(sum), 0, 1e-14);
        assert_close(mrn_norm(spin), 0, 1e-13);
    }
}

static void test_conserved(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(3, 3);
    for (int w = 0; w < WIDTHS; w++)
        for (int kind = 0; kind < MRN_JOINT_KINDS; kind++)
            for (uint64_t seed = 1; seed <= 5; seed++) {
                fixture y;
                pair_of_balls(&y, widths[w][0], widths[w][1], (mrn_joint_kind)kind, true, 5, seed);
                y.state.body.x[0] += 0.3;
                fixture_write(&y, 0, 1e-3);
                check_conserved(&y, &rng);
                fixture_end(&y);
            }
}

/* ---- machines ---- */

/* The step of an oscillator m, k, c written down: u' = (m u - h k (l - l0)) / (m + h (k h + c)), l
   at middles of steps. Solved to 1e-12 of the speeds of each step, over 1000 steps. */
static void test_spring_recurrence(void **state)
{
    (void)state;
    fixture y;
    double m = 2, k = 300, c = 1.5, h = 2e-3, rest = 0.8, l = 1, u = 0;
    fixture_begin(&y, 2, 2);
    fixture_ball(&y, m, 1, mrn_v3(1, 0, 0));
    mrn_joint *d =
        fixture_joint(&y, MRN_JOINT_SPRING, ground(), grain(0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    d->point2 = mrn_v3(1, 0, 0), d->stiffness = k, d->damping = c, d->rest = rest;
    fixture_start(&y);
    for (int i = 0; i < 1000; i++) {
        fixture_step(&y, h);
        double before = u;
        u = (m * u - h * k * (l - rest)) / (m + h * (k * h + c));
        l += h * u;
        mrn_vec3 force, moment;
        mrn_joints_load(y.joints, &y.state, 0, &force, &moment);
        assert_close(force.x, m * (u - before) / h, 1e-6);
        assert_close(y.state.body.v[0], u, 1e-9);
        assert_close(y.state.body.x[0], l - 0.5 * h * u, 1e-9);
    }
    double stretch = y.state.body.x[0] - rest;
    assert_close(mrn_joints_energy(y.joints, &y.state), 0.5 * k * stretch * stretch, 1e-12);
    y.state.body.flags[0] |= MRN_BODY_ABSENT; /* as a wall that a stage takes away */
    assert_true(mrn_joints_energy(y.joints, &y.state) == 0);
    fixture_end(&y);
}

/* Period and decay of an undamped spring in 3D: the scheme takes the frequency w to first order as
   it is and damps as with a ratio w h / 2: after n periods the amplitude is exp(-pi w h n). The
   next terms are of relative size (w h)^2 = 4e-4 per radian in the phase and w h of the exponent.
 */
static void test_spring_period(void **state)
{
    (void)state;
    fixture y;
    double m = 1, k = 400, w = 20, h = 1e-3, before = 1.25, crossed = NAN, peak = 0;
    fixture_begin(&y, 3, 3);
    fixture_ball(&y, m, 1, mrn_v3(0, 1.25, 0));
    mrn_joint *d =
        fixture_joint(&y, MRN_JOINT_SPRING, ground(), grain(0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    d->point2 = mrn_v3(0, 1.25, 0), d->stiffness = k, d->rest = 1;
    fixture_start(&y);
    int turns = 0;
    for (int i = 0; i < 1700; i++) {
        fixture_step(&y, h);
        double now = y.state.body.x[1] - 1, last = i == 0 ? 0.25 : before;
        if (last > 0 && now <= 0 && ++turns == 5)
            crossed = y.state.time - h * now / (now - last);
        peak = i > 1500 ? fmax(peak, fabs(now)) : peak;
        before = now;
    }
    /* the fifth downward crossing is 4 1/4 periods after the start */
    assert_close(crossed, 4.25 * 2 * MRN_PI / w, 4.25 * 2 * MRN_PI / w * 2e-3);
    /* the last extreme in the window is after 5 periods, at 1.571 s */
    assert_close(peak / 0.25, exp(-5 * MRN_PI * w * h), 0.02);
    fixture_end(&y);
}

/* Complete elliptic integral K by the arithmetic-geometric mean. */
static double elliptic_k(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return MRN_PI / (2 * a);
}

/* A ball on a massless arm of length l, released from rest at the angle 1 to the vertical. Period 4
   sqrt(J / (m g l)) K(sin(1/2)), J = I + m l^2. The scheme is of second order: (w h)^2 = 1e-5; the
   take-back of drift acts at the same order; 2e-4 holds. */
static void check_pendulum(int dimension, int rows, mrn_joint_kind kind)
{
    fixture y;
    double m = 2, inertia = 0.1, l = 0.7, g = 9.81, h = 1e-3, last = 1, period = 0;
    mrn_vec3 start = mrn_v3(l * sin(1.0), -l * cos(1.0), 0);
    fixture_begin(&y, dimension, rows);
    y.gravity = mrn_v3(0, -g, 0);
    fixture_ball(&y, m, inertia, start);
    fixture_joint(&y, kind, ground(), grain(0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    fixture_start(&y);
    double t = 4 * sqrt((inertia + m * l * l) / (m * g * l)) * elliptic_k(sin(0.5));
    double energy = m * g * start.y, worst = 0;
    for (int i = 0; i < (int)(1.9 * t / h); i++) {
        fixture_step(&y, h);
        const double *x = y.state.body.x, *v = y.state.body.v, *w = y.state.body.w;
        double angle = atan2(x[0], -x[1]);
        if (last < 0 && angle >= 0)
            period = y.state.time - h * angle / (angle - last);
        last = angle;
        double now = 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia * w[2] * w[2];
        worst = fmax(worst, fabs(now + m * g * x[1] - energy));
    }
    /* the second rise through the lowest point is 1 3/4 periods after the start */
    assert_close(period, 1.75 * t, 1.75 * t * 2e-4);
    /* (w h)^2 l / (2 b) at the largest speed, w^2 = 2 m g l (1 - cos 1) / J = 11.8, off by < 2 */
    assert_true(mrn_joints_drift(y.joints, &y.state) < 2 * 11.8 * h * h * l / 0.4);
    assert_true(worst < 1e-3 * m * g * l);
    mrn_vec3 force, moment;
    mrn_joints_load(y.joints, &y.state, 0, &force, &moment);
    assert_true(force.y > 0 && mrn_norm(moment) == 0);
    fixture_end(&y);
}

static void test_pendulum(void **state)
{
    (void)state;
    check_pendulum(2, 2, MRN_JOINT_HINGE);
    check_pendulum(2, 3, MRN_JOINT_BALL);
    check_pendulum(3, 3, MRN_JOINT_HINGE);
    check_pendulum(3, 5, MRN_JOINT_BALL);
    check_pendulum(3, 6, MRN_JOINT_HINGE);
}

/* Two balls glued together fly freely and turn: the glue holds, momentum and angular momentum are
   kept. What the glue lets go is second order in the turn of a step. */
static void test_glue(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y, 3, 3);
    fixture_ball(&y, 1, 0.1, mrn_v3(-1, 0, 0));
    fixture_ball(&y, 3, 0.2, mrn_v3(1, 0, 0));
    fixture_joint(&y, MRN_JOINT_FIXED, grain(0), grain(1), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    fixture_start(&y);
    double v[6] = {0.2, 1, 0.5, 0.3, -0.4, 1};
    fixture_set_velocity(&y, 0, v);
    double h = 2e-3;
    mrn_vec3 momentum = mrn_v3(0.2, 1, 0.5);
    mrn_vec3 spin = mrn_add(mrn_cross(mrn_v3(-1, 0, 0), momentum), mrn_v3(0.03, -0.04, 0.1));
    for (int i = 0; i < 1000; i++)
        fixture_step(&y, h);
    mrn_vec3 p = mrn_v3(0, 0, 0), l = p;
    for (int k = 0; k < 2; k++) {
        mrn_vec3 u = mrn_scale(y.state.body.mass[k], mrn_load3(y.state.body.v + 3 * k));
        p = mrn_add(p, u);
        l = mrn_add(l, mrn_cross(mrn_load3(y.state.body.x + 3 * k), u));
        l = mrn_axpy(y.state.body.inertia[k], mrn_load3(y.state.body.w + 3 * k), l);
    }
    assert_close(mrn_norm(mrn_sub(p, momentum)), 0, 1e-11);
    assert_close(mrn_norm(mrn_sub(l, spin)), 0, 1e-10);
    /* impulses act at one point and positions move by half steps at equal speeds: exact */
    assert_true(mrn_joints_drift(y.joints, &y.state) < 1e-5);
    mrn_vec3 d = mrn_sub(mrn_load3(y.state.body.x + 3), mrn_load3(y.state.body.x));
    assert_close(mrn_norm(d), 2, 1e-5);
    mrn_quat q0 = mrn_load_quat(y.state.body.q), q1 = mrn_load_quat(y.state.body.q + 4);
    assert_close(fabs(mrn_quat_mul(mrn_quat_conj(q0), q1).w), 1, 1e-9);
    fixture_end(&y);
}

/* A wheel on a hinge with a motor: without a limit it has its speed after one step; with a limit it
   spins up at limit / I and then keeps the speed. */
static void check_wheel(int dimension, int rows)
{
    for (int limited = 0; limited < 2; limited++) {
        fixture y;
        double inertia = 0.5, limit = 2, speed = 3, h = 0.01;
        fixture_begin(&y, dimension, rows);
        fixture_ball(&y, 4, inertia, mrn_v3(0.2, 0.1, 0));
        mrn_joint *d = fixture_joint(&y, MRN_JOINT_HINGE, ground(), grain(0), mrn_v3(0.2, 0.1, 0),
                                     mrn_v3(0, 0, 1));
        fixture_motor(d, speed, limited ? limit : INFINITY);
        fixture_start(&y);
        for (int i = 1; i <= 120; i++) {
            fixture_step(&y, h);
            double w = limited ? fmin(limit * h * i / inertia, speed) : speed;
            assert_close(y.state.body.w[2], w, 1e-8);
        }
        assert_close(y.state.body.x[0], 0.2, 1e-9);
        fixture_end(&y);
    }
}

static void test_wheel(void **state)
{
    (void)state;
    for (int w = 0; w < WIDTHS; w++)
        check_wheel(widths[w][0], widths[w][1]);
}

/* A slider with a motor lifts a weight; when its limit is less than the weight the weight falls,
   slowed by the limit; when the limit is more it rises at its speed, and the motor bears the
   weight. The signal decides the speed in time. */
static void check_lift(int dimension, double limit)
{
    fixture y;
    double m = 2, g = 10, h = 1e-3, speed = 0.5;
    fixture_begin(&y, dimension, dimension);
    y.gravity = mrn_v3(0, -g, 0);
    fixture_ball(&y, m, 0.1, mrn_v3(1, 0, 0));
    mrn_joint *d =
        fixture_joint(&y, MRN_JOINT_SLIDER, ground(), grain(0), mrn_v3(0.3, 0, 0), mrn_v3(0, 1, 0));
    fixture_motor(d, speed, limit);
    fixture_start(&y);
    for (int i = 1; i <= 300; i++) {
        fixture_step(&y, h);
        double v = limit < m * g ? (limit / m - g) * h * i : fmin((limit / m - g) * h * i, speed);
        assert_close(y.state.body.v[1], v, 1e-8);
        assert_close(y.state.body.w[2], 0, 1e-8);
    }
    assert_close(y.state.body.x[0], 1, 1e-9);
    mrn_vec3 force, moment;
    mrn_joints_load(y.joints, &y.state, 0, &force, &moment);
    assert_close(force.y, fmin(limit, m * g), 1e-5);
    /* the weight hangs 0.7 m beside the rail, which holds it upright: moment about its anchor */
    assert_close(moment.z, 0.7 * fmin(limit, m * g), 1e-4);
    fixture_end(&y);
}

static void test_lift(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        check_lift(dimension, 12); /* stalls */
        check_lift(dimension, 25);
        check_lift(dimension, 0); /* off: falls freely along its rail */
    }
}

/* ---- walls, cell, leaving, going on ---- */

/* A hinge on a wall that moves as imposed: the ball goes along. */
static void test_wall(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y, 2, 2);
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&y.state, &d, NULL, &y.msg), &y.msg);
    fixture_ball(&y, 1, 0.1, mrn_v3(0, 0, 0));
    fixture_joint(&y, MRN_JOINT_FIXED, (mrn_joint_end){.group = -1, .wall = 0}, grain(0),
                  mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    fixture_start(&y);
    y.state.body.v[0] = y.state.body.v[3] = 0.4;
    for (int i = 0; i < 10; i++) {
        y.state.body.x[0] += 0.5 * 0.01 * 0.4; /* as the engine does: to the middle, to the end */
        fixture_step(&y, 0.01);
        y.state.body.x[0] += 0.5 * 0.01 * 0.4;
        assert_close(y.state.body.v[3], 0.4, 1e-9);
    }
    fixture_end(&y);
}

/* Across the border of a periodic cell anchors meet; a slide of several cells is one way. */
static void test_periodic(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y, 2, 2);
    y.scene.cell.periodic[0] = true;
    y.state.cell_size[0] = y.scene.cell.size[0] = 4;
    fixture_ball(&y, 1, 0.1, mrn_v3(0.1, 0, 0));
    fixture_ball(&y, 1, 0.1, mrn_v3(3.7, 0, 0));
    mrn_joint *d =
        fixture_joint(&y, MRN_JOINT_SLIDER, grain(0), grain(1), mrn_v3(3.9, 0, 0), mrn_v3(1, 0, 0));
    fixture_motor(d, 2, INFINITY);
    d = fixture_joint(&y, MRN_JOINT_SPRING, grain(0), grain(1), mrn_v3(0.1, 0, 0), mrn_v3(0, 0, 0));
    d->point2 = mrn_v3(3.7, 0, 0), d->stiffness = 1;
    fixture_start(&y);
    fixture_write(&y, 0, 0.01);
    assert_close(mrn_joints_drift(y.joints, &y.state), 0, 1e-14);
    assert_close(mrn_joints_energy(y.joints, &y.state), 0, 1e-14);
    for (int i = 0; i < 600; i++) {
        fixture_step(&y, 0.01);
        for (int k = 0; k < 2; k++)
            y.state.body.x[3 * k] -= 4 * floor(y.state.body.x[3 * k] / 4);
    }
    /* the first half step is made at rest, then 2 m/s: a way of 11.99 m from -0.4 m */
    assert_close(mrn_joints_energy(y.joints, &y.state), 0.5 * pow(11.99 - 0.4 - 0.4, 2), 1e-6);
    assert_true(mrn_joints_drift(y.joints, &y.state) < 1e-9);
    fixture_end(&y);
}

/* A body that leaves ends its joint, also when its number is given to another body. */
static void test_leaving(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        fixture y;
        fixture_begin(&y, 3, 3);
        fixture_ball(&y, 1, 0.1, mrn_v3(0, 0, 0));
        mrn_body b = fixture_ball(&y, 1, 0.1, mrn_v3(1, 0, 0));
        mrn_joint *d = fixture_joint(&y, MRN_JOINT_HINGE, grain(0), grain(1), mrn_v3(0.5, 0, 0),
                                     mrn_v3(0, 0, 1));
        fixture_motor(d, 1, 3);
        fixture_start(&y);
        fixture_step(&y, 0.01);
        ok(mrn_body_remove(&y.state, b, &y.msg), &y.msg);
        if (again)
            fixture_ball(&y, 1, 0.1, mrn_v3(9, 0, 0));
        for (int i = 0; i < 3; i++) {
            fixture_step(&y, 0.01);
            check_pads(&y, 0);
            int32_t body[2];
            bool driven;
            assert_false(mrn_joints_link(y.joints, &y.state, 0, body, &driven));
        }
        assert_true(mrn_joints_drift(y.joints, &y.state) == 0);
        mrn_vec3 force, moment;
        mrn_joints_load(y.joints, &y.state, 0, &force, &moment);
        assert_true(mrn_norm(force) == 0);
        fixture_end(&y);
    }
}

/* Bodies that cannot move leave their joint without rows: nothing is to be solved there. */
static void test_immovable(void **state)
{
    (void)state;
    fixture y;
    pair_of_balls(&y, 3, 3, MRN_JOINT_FIXED, false, 0, 1);
    y.state.body.flags[0] = MRN_BODY_FIXED;
    y.state.body.flags[1] = MRN_BODY_ASLEEP;
    fixture_write(&y, 0, 0.01);
    check_pads(&y, 0);
    y.state.body.flags[1] = 0;
    fixture_write(&y, 0, 0.01);
    check_pads(&y, 6);
    fixture_end(&y);
}

/* q and -q are one orientation. */
static void test_quaternion_sign(void **state)
{
    (void)state;
    fixture y;
    double v[6] = {0, 0, 0, 0.1, -0.2, 0.1}, q[6];
    pair_of_balls(&y, 3, 3, MRN_JOINT_FIXED, false, 0, 4);
    fixture_carry(&y, 1, v, 1);
    fixture_write(&y, 0, 0.01);
    memcpy(q, y.block[1].q, 3 * sizeof *q);
    for (int k = 4; k < 8; k++)
        y.state.body.q[k] = -y.state.body.q[k];
    fixture_write(&y, 0, 0.01);
    for (int k = 0; k < 3; k++) {
        assert_close(y.block[1].q[k], q[k], 1e-14);
        assert_true(fabs(q[k]) > 0.1);
    }
    fixture_end(&y);
}

/* The solver starts from the forces of the last step, times the new step. */
static void test_start_values(void **state)
{
    (void)state;
    fixture y;
    pair_of_balls(&y, 3, 3, MRN_JOINT_HINGE, true, 5, 4);
    y.state.body.v[0] = 1;
    fixture_step(&y, 0.01);
    int n = 3 * mrn_joints_count(y.joints);
    double last[48];
    memcpy(last, y.r, (size_t)n * sizeof *last);
    memset(y.r, 1, sizeof y.r);
    fixture_write(&y, 0, 0.02);
    for (int k = 0; k < n; k++)
        if (y.block[k / 3].role[k % 3] == MRN_ROW_PAD)
            assert_true(y.r[k] == 0);
        else
            assert_close(y.r[k], 2 * last[k], 1e-14);
    assert_true(fabs(last[0]) + fabs(last[1]) > 0.1);
    fixture_end(&y);
}

/* A copy of the state goes on with the same bits. */
static void test_resume(void **state)
{
    (void)state;
    fixture a, b;
    fixture_begin(&a, 3, 3);
    a.gravity = mrn_v3(0, -10, 0);
    fixture_ball(&a, 1, 0.1, mrn_v3(1, 0, 0));
    fixture_ball(&a, 2, 0.1, mrn_v3(2, 0, 0));
    mrn_joint *d =
        fixture_joint(&a, MRN_JOINT_HINGE, ground(), grain(0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    fixture_motor(d, 2, 8);
    fixture_joint(&a, MRN_JOINT_BALL, grain(0), grain(1), mrn_v3(1.4, 0, 0), mrn_v3(0, 0, 0));
    fixture_start(&a);
    for (int i = 0; i < 50; i++)
        fixture_step(&a, 5e-3);
    b = a;
    b.state = (mrn_state){0}, b.joints = NULL;
    memset(b.r, 0, sizeof b.r);
    ok(mrn_state_copy(&a.state, &b.state, &b.msg), &b.msg);
    ok(mrn_joints_create(&b.scene, &b.state, 3, &b.joints, &b.msg), &b.msg);
    for (int i = 0; i < 50; i++)
        fixture_step(&a, 5e-3), fixture_step(&b, 5e-3);
    assert_true(mrn_state_hash(&a.state) == mrn_state_hash(&b.state));
    assert_int_equal(a.state.memory.n_joint, b.state.memory.n_joint);
    assert_memory_equal(a.state.memory.joint, b.state.memory.joint,
                        (size_t)a.state.memory.n_joint * sizeof(double));
    mrn_joints_destroy(&b.joints);
    mrn_state_destroy(&b.state);
    fixture_end(&a);
}

/* ---- refusals ---- */

static void check_refused(fixture *y, mrn_joint_end a, mrn_joint_end b, mrn_joint_kind kind,
                          const char *word)
{
    y->scene.n_joints = 0;
    fixture_joint(y, kind, a, b, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    y->msg = (mrn_message){0};
    assert_int_equal(mrn_joints_create(&y->scene, &y->state, y->rows, &y->joints, &y->msg),
                     MRN_ERR_INPUT);
    assert_non_null(strstr(y->msg.text, "joint-1"));
    assert_non_null(strstr(y->msg.text, word));
    assert_null(y->joints);
    assert_null(y->state.memory.joint);
    assert_int_equal(y->state.memory.n_joint, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y, 3, 3);
    fixture_ball(&y, 1, 0.1, mrn_v3(0, 0, 0));
    fixture_ball(&y, 1, 0.1, mrn_v3(1, 0, 0));
    check_refused(&y, grain(0), grain(2), MRN_JOINT_BALL, "grain 2 of group 'parts', which has 2");
    check_refused(&y, grain(-1), grain(1), MRN_JOINT_BALL, "first end");
    check_refused(&y, grain(1), grain(1), MRN_JOINT_BALL, "same grain");
    check_refused(&y, ground(), ground(), MRN_JOINT_BALL, "neither");
    check_refused(&y, (mrn_joint_end){.group = 3, .wall = -1}, grain(1), MRN_JOINT_BALL, "group");
    check_refused(&y, (mrn_joint_end){.group = -1, .wall = 0}, grain(1), MRN_JOINT_BALL, "wall");
    check_refused(&y, ground(), grain(1), MRN_JOINT_HINGE, "axis");
    check_refused(&y, ground(), grain(1), MRN_JOINT_SLIDER, "axis");
    y.scene.n_joints = 0;
    fixture_joint(&y, MRN_JOINT_BALL, grain(0), grain(1), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    fixture_start(&y);
    mrn_joints_destroy(&y.joints);
    fixture_joint(&y, MRN_JOINT_BALL, ground(), grain(1), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    assert_int_equal(mrn_joints_create(&y.scene, &y.state, 3, &y.joints, &y.msg), MRN_ERR_INPUT);
    assert_int_equal(mrn_joints_create(&y.scene, &y.state, 2, &y.joints, &y.msg), MRN_ERR_RANGE);
    fixture_end(&y);
}

static void test_memory(void **state)
{
    (void)state;
    size_t before = mrn_bytes_in_use();
    bool done = false;
    for (int k = 1; !done; k++) {
        fixture y;
        fixture_begin(&y, 3, 3);
        fixture_ball(&y, 1, 0.1, mrn_v3(0, 0, 0));
        fixture_joint(&y, MRN_JOINT_BALL, ground(), grain(0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_joints_create(&y.scene, &y.state, 3, &y.joints, &y.msg);
        mrn_alloc_fail_at(0);
        done = st == MRN_OK;
        assert_true(done || (st == MRN_ERR_MEMORY && y.joints == NULL && k < 10));
        assert_int_equal(y.state.memory.n_joint > 0, done);
        fixture_end(&y);
    }
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pads),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rates_apart),
        cmocka_unit_test(test_conserved),
        cmocka_unit_test(test_spring_recurrence),
        cmocka_unit_test(test_spring_period),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_glue),
        cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_immovable),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_quaternion_sign),
        cmocka_unit_test(test_start_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
