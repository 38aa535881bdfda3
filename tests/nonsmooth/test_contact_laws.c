/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of rigid contacts beside Signorini and Coulomb: cohesion, rolling and pivoting friction,
   elastic repulsion, tangential restitution; walls under load, imposed degrees of freedom. */
#include "nonsmooth/kit.h"

#define HEAD_TO(tolerance, options, law)                                                           \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "method: nonsmooth\n"                                                                          \
    "materials: {m: {density: 2500 kg/m3}}\n"                                                      \
    "nonsmooth: {tolerance: " tolerance options "}\n"                                              \
    "interactions: [{between: [m, m], law: rigid, " law "}]\n"                                     \
    "stages: [{name: run, at-most: 10 s}]\n"
#define HEAD_WITH(options, law) HEAD_TO("1e-12", options, law)
#define HEAD(law)               HEAD_WITH("", law)

#define FLOOR "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: m}]\n"
#define CEILING                                                                                    \
    "walls: [{name: roof, plane: {point: [0, 0, 0], normal: [0, 0, -1]}, material: m}]\n"
#define BALL(place)                                                                                \
    "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: [" place    \
    "]}}]\n"

static const double mass = 2500 * 4.0 / 3 * MRN_PI * 1e-6; /* of the ball, kg */

/* A ball hangs from the ceiling while its weight is less than the pull-off force, and comes off
   when it is more. Told apart at a thousandth. The pull acts as far as the slop (1e-5 m here),
   which a ball with a thousandth of its weight left crosses in sqrt(2e-5/0.01) = 45 ms. */
static void test_cohesion(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool strong = k & 1, by_radius = k & 2;
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0.5, %s: %.17g") CEILING
                 "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, -0.01]}"),
                 by_radius ? "cohesion-per-radius" : "cohesion-force",
                 (strong ? 1.001 : 0.999) * mass * 10 / (by_radius ? 0.01 : 1));
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 100);
        double fall = -0.01 - rig_x(&w, 0).z;
        if (strong) {
            assert_true(fabs(fall) < 1e-12);
            assert_true(fabs(w.state.body.f[2] + mass * 10) < 1e-9); /* it pulls the roof down */
        } else {
            /* free fall for 100 ms less the 45 */
            assert_true(fabs(fall - 0.5 * 10 * 0.055 * 0.055) < 0.1 * 0.015);
        }
        assert_true(fabs(rig_residual(&w)) < 1e-12);
        rig_end(&w);
    }
}

/* What opens is held by the pull, and stands still: Newton's law is for what is pushed together,
   and would send it back with e times the speed it opened with. */
static void test_cohesion_and_restitution(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD_WITH(", theta: 1", "friction: 0, restitution: 0.5, cohesion-force: 1 N") FLOOR
              "gravity: [0, 0, 0]\n" BALL("{position: [0, 0, 0.01], velocity: [0, 0, 0.01]}"),
              1e-3); /* m v = 1.05e-4 N s of the 1e-3 N s that the pull can do in a step */
    rig_step(&w, 1);
    assert_close(rig_v(&w, 0).z, 0, 1e-12);
    assert_close(rig_residual(&w), 0, 1e-15);
    rig_end(&w);
}

/* Cohesion per radius goes by 1/(1/R_C + 1/R_A): under a fixed ball of three times its size a ball
   of 1 cm is held with 0.75 cm times it. */
static void test_cohesion_of_unlike(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            HEAD("friction: 0.5, cohesion-per-radius: %.17g") "gravity: [0, 0, -10]\n"
                                                              "bodies: [{name: peg, material: m, "
                                                              "fixed: true, shape: {sphere: "
                                                              "{radius: 3 cm}}, "
                                                              "place: {list: [{position: [0, 0, "
                                                              "0.04]}]}}, {name: ball, material: "
                                                              "m, shape: "
                                                              "{sphere: {radius: 1 cm}}, place: "
                                                              "{list: [{position: [0, 0, 0]}]}}]\n",
            (strong ? 1.01 : 0.99) * mass * 10 / 0.0075);
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 100);
        double fall = -rig_x(&w, 1).z;
        assert_true(strong ? fabs(fall) < 1e-12 : fall > 0.01);
        assert_true(rig_x(&w, 0).z == 0.04); /* a fixed one stays, whatever its mass */
        rig_end(&w);
    }
}

/* Cohesion adds to what friction can bear, mu (r + c): a ball that may not turn is held where
   gravity pulls it along with 0.7 of its weight, and with 0.8 slides down by the tenth that the
   limit of 0.75 leaves; it is counted as sliding then, and not before. */
static void test_cohesion_and_friction(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0.5, cohesion-force: %.17g") FLOOR
                 "gravity: [%g, 0, -10]\n"
                 "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, hold: [rx, "
                 "ry, rz], place: {list: [[0, 0, 0.01]]}}]\n",
                 0.5 * mass * 10, k == 0 ? 7.0 : 8.0);
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 20);
        assert_int_equal(w.state.sliding, k);
        assert_close(rig_v(&w, 0).x, k == 0 ? 0 : 0.5 * 0.02, 1e-9);
        assert_close(rig_residual(&w), 0, 1e-12);
        rig_end(&w);
    }
}

/* A ball that rolls against a moment mu_r R N slows down by 5/7 mu_r g: m a = -F, I alpha = F R - M
   with a = R alpha. */
static void test_rolling_friction(void **state)
{
    (void)state;
    const double mu_r = 0.05, g = 10, h = 1e-3;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.5, rolling-friction: 0.05") FLOOR "gravity: [0, 0, -10]\n" BALL(
                  "{position: [0, 0, 0.01], velocity: [1, 0, 0], spin: [0, 100, 0]}"),
              h);
    assert_int_equal(w.scene.contact_kind, MRN_CONTACT_3D_ROLLING);
    rig_step(&w, 500);
    double want = 1 - 5.0 / 7 * mu_r * g * 0.5;
    assert_true(fabs(rig_v(&w, 0).x - want) < 1e-8);
    assert_true(fabs(0.01 * rig_w(&w, 0).y - want) < 1e-8);
    rig_step(&w, 3000); /* and it stops, for good */
    assert_true(mrn_norm(rig_v(&w, 0)) < 1e-9);
    rig_end(&w);
}

/* A ball that gravity would roll along is held by the moment R m g_x, and the floor has the
   opposite: it is turned by what holds the ball. */
static void test_rolling_moment_on_a_wall(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.5, rolling-friction: 0.05") FLOOR
              "gravity: [0.2, 0, -10]\n" BALL("{position: [0, 0, 0.01]}"),
              1e-3);
    rig_step(&w, 20);
    assert_close(rig_v(&w, 0).x, 0, 1e-9);
    assert_close(w.state.body.f[0], mass * 0.2, 1e-9);
    assert_close(w.state.body.t[1], 0.01 * mass * 0.2, 1e-11);
    rig_end(&w);
}

/* A ball that spins about the vertical slows down by mu_p R N / I. */
static void test_pivoting_friction(void **state)
{
    (void)state;
    const double mu_p = 0.01, g = 10, h = 1e-3;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.5, pivoting-friction: 0.01") FLOOR
              "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 0.01], spin: [0, 0, 50]}"),
              h);
    assert_int_equal(w.scene.contact_kind, MRN_CONTACT_3D_PIVOTING);
    rig_step(&w, 500);
    double want = 50 - mu_p * 0.01 * g / (0.4 * 1e-4) * 0.5;
    assert_true(fabs(rig_w(&w, 0).z - want) < 1e-6);
    rig_end(&w);
}

/* On an elastic contact of stiffness k a ball at rest sinks in by m g / k; the implicit scheme
   damps it there. */
static void test_compliance(void **state)
{
    (void)state;
    const double k = 1e4, g = 10;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0, stiffness: 1e4 N/m") FLOOR
              "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 0.01]}"),
              1e-3);
    rig_step(&w, 3000);
    double sink = 0.01 - rig_x(&w, 0).z;
    assert_true(fabs(sink - mass * g / k) < 1e-9);
    /* half k x^2 is in the contact */
    assert_true(fabs(w.state.elastic - 0.5 * mass * g * mass * g / k) < 1e-12);
    assert_true(fabs(rig_residual(&w)) < 1e-12);
    rig_end(&w);
}

/* A viscous contact, R = max(0, k delta + v ddelta/dt): the impact of a ball ends where the force
   does, with e = exp(-beta/sqrt(1 - beta^2) (pi - phi)) as Zhang and Whiten have it, beta =
   v/2 sqrt(m k): 0.45098 for beta = 0.3. The scheme is implicit, of first order and damps by
   itself: w h/2 to (1 - e) at most, w h = 1/1000 here; half the step, half the error. */
static void test_viscous_contact(void **state)
{
    (void)state;
    const double k = 1e4, beta = 0.3, want = 0.45098;
    double v = 2 * beta * sqrt(mass * k), off[2];
    for (int fine = 0; fine < 2; fine++) {
        double h = (fine ? 5e-4 : 1e-3) * sqrt(mass / k);
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0, stiffness: 1e4 N/m, viscosity: %.17g N s/m")
                     FLOOR BALL("{position: [0, 0, 0.01], velocity: [0, 0, -0.2]}"),
                 v);
        rig w;
        rig_begin(&w, text, h);
        rig_step(&w, fine ? 8000 : 4000); /* 4 / w: a contact lasts 2.2 / w */
        off[fine] = rig_v(&w, 0).z / 0.2 - want;
        assert_true(w.state.elastic == 0 && w.state.contacts == 0); /* nothing pulls */
        assert_true(fabs(rig_residual(&w)) < 1e-12);
        rig_end(&w);
    }
    assert_true(fabs(off[0]) < 1e-3 && fabs(off[1]) < 0.6 * fabs(off[0]) + 5e-6);
}

/* A gap that closes within the step: spring and dashpot act on the part of the way behind it, r =
   (h k + v) d with d = -(g + h u) the overlap at the end of the step, so that m (u - u0) = r. */
static void test_viscous_gap(void **state)
{
    (void)state;
    const double h = 1e-3, gap = 1e-4, soft = h * 1e4 + 5;
    rig w;
    rig_begin(&w,
              HEAD_WITH(", theta: 1", "friction: 0, stiffness: 1e4 N/m, viscosity: 5 N s/m") FLOOR
              "gravity: [0, 0, 0]\n" BALL("{position: [0, 0, 0.0101], velocity: [0, 0, -1]}"),
              h);
    rig_step(&w, 1);
    double want = -(mass + soft * gap) / (mass + h * soft);
    assert_close(rig_v(&w, 0).z, want, 1e-10);
    assert_close(rig_x(&w, 0).z, 0.0101 + h * want, 1e-12);
    rig_end(&w);
}

/* At rest a viscous contact is an elastic one. */
static void test_viscous_rest(void **state)
{
    (void)state;
    const double k = 1e4, g = 10;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0, stiffness: 1e4 N/m, viscosity: 5 N s/m") FLOOR
              "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 0.01]}"),
              1e-3);
    rig_step(&w, 3000);
    assert_true(fabs(0.01 - rig_x(&w, 0).z - mass * g / k) < 1e-9);
    assert_true(fabs(w.state.elastic - 0.5 * mass * g * mass * g / k) < 1e-12);
    assert_true(fabs(rig_residual(&w)) < 1e-12);
    rig_end(&w);
}

/* Friction that is regularised creeps under a pull: a ball that does not turn slides with u =
   m g_x/v_t below Coulomb's limit, and as Coulomb has it above. Along both tangents. */
static void test_regularised_friction(void **state)
{
    (void)state;
    for (int along = 0; along < 3; along++)
        for (int fast = 0; fast < 2; fast++) {
            double pull = fast ? 8 : 3, x = along == 1 ? 0 : along == 2 ? 0.6 : 1;
            double y = sqrt(1 - x * x), h = 1e-3;
            char text[1024];
            snprintf(text, sizeof text,
                     HEAD("friction: 0.5, tangential-viscosity: 2 N s/m") FLOOR
                     "gravity: [%.17g, %.17g, -10]\n"
                     "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, hold: "
                     "[rx, ry, rz], place: {list: [[0, 0, 0.01]]}}]\n",
                     pull * x, pull * y);
            rig w;
            rig_begin(&w, text, h);
            rig_step(&w, 300);
            mrn_vec3 u = rig_v(&w, 0);
            double speed = u.x * x + u.y * y, across = u.x * y - u.y * x;
            double want = fast ? (8 - 0.5 * 10) * 0.3 : mass * 3 / 2; /* m/v_t = 5 ms: steady */
            assert_true(fabs(speed - want) < (fast ? 0.03 : 1e-9) && fabs(across) < 1e-9);
            assert_true(fabs(rig_residual(&w)) < 1e-12);
            rig_end(&w);
        }
}

/* Friction that gives: a ball that does not turn goes m g_x/k_t along its pull below Coulomb's
   limit and stays there, with the energy of a spring stored; above the limit it slides as Coulomb
   has it. The scheme damps what a sudden pull sets swinging, by some w w h/2 = 170/s. */
static void test_elastic_friction(void **state)
{
    (void)state;
    const double k = 1e5;
    for (int along = 0; along < 3; along++)
        for (int fast = 0; fast < 2; fast++) {
            double pull = fast ? 8 : 3, x = along == 1 ? 0 : along == 2 ? 0.6 : 1;
            double y = sqrt(1 - x * x);
            char text[1024];
            snprintf(text, sizeof text,
                     HEAD("friction: 0.5, tangential-stiffness: 1e5 N/m") FLOOR
                     "gravity: [%.17g, %.17g, -10]\n"
                     "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, hold: "
                     "[rx, ry, rz], place: {list: [[0, 0, 0.01]]}}]\n",
                     pull * x, pull * y);
            rig w;
            rig_begin(&w, text, 1e-3);
            rig_step(&w, 300);
            mrn_vec3 at = rig_x(&w, 0), u = rig_v(&w, 0);
            double way = at.x * x + at.y * y, speed = u.x * x + u.y * y;
            double force = fast ? 0.5 * mass * 10 : mass * pull;
            if (fast)
                assert_true(fabs(speed - (8 - 0.5 * 10) * 0.3) < 0.03);
            else
                assert_true(fabs(way - force / k) < 1e-9 * way && fabs(speed) < 1e-12);
            assert_true(fabs(at.x * y - at.y * x) < 1e-12);
            assert_true(fabs(w.state.elastic - 0.5 * force * force / k) < 1e-9 * w.state.elastic);
            assert_true(fabs(rig_residual(&w)) < 1e-12);
            rig_end(&w);
        }
}

/* Below the limit it comes back: nothing creeps and, but for the damping of the scheme, nothing is
   lost by friction in ten slow cycles of the pull. Beyond it each cycle slips and rubs. */
static void test_elastic_friction_returns(void **state)
{
    (void)state;
    double lost[2];
    for (int far = 0; far < 2; far++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0.5, tangential-stiffness: 1e5 N/m") FLOOR
                 "gravity: [{sine: {mean: 0, amplitude: %g, frequency: 2 Hz}}, 0, -10]\n"
                 "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, hold: "
                 "[rx, ry, rz], place: {list: [[0, 0, 0.01]]}}]\n",
                 far ? 5.5 : 4.5);
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 5000);
        lost[far] = w.state.ledger.lost_tangential;
        /* the pull ends at nothing, but for its phase within a step */
        if (!far)
            assert_true(fabs(rig_x(&w, 0).x) < 6.3 * 2 * 1e-3 * mass * 4.5 / 1e5);
        assert_true(fabs(rig_residual(&w)) < 1e-12);
        rig_end(&w);
    }
    /* in a cycle a spring of this amplitude takes up and gives back 2 (m g_x)^2/(2 k) */
    assert_true(fabs(lost[0]) < 0.05 * 10 * mass * 4.5 * mass * 4.5 / 1e5);
    assert_true(lost[1] > 100 * fabs(lost[0]));
}

/* An impact at an angle with tangential restitution that sticks leaves with -e_T times the
   tangential velocity of the contact point, along either tangent and between them. The point lies
   up to v h = 1 % of the radius inside, and so much off is its velocity. */
static void test_tangential_restitution(void **state)
{
    (void)state;
    const double way[3][2] = {{0.3, 0}, {0, 0.3}, {-0.2, 0.25}};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 2, restitution: 0.9, tangential-restitution: 0.4")
                     FLOOR BALL("{position: [0, 0, 0.0105], velocity: [%g, %g, -1]}"),
                 way[k][0], way[k][1]);
        rig w;
        rig_begin(&w, text, 1e-4);
        rig_step(&w, 50);
        mrn_vec3 v = rig_v(&w, 0), spin = rig_w(&w, 0);
        double off = 0.01 * 0.01 * mrn_norm(spin);
        assert_true(fabs(v.z - 0.9) < 1e-9);
        assert_true(fabs(v.x - 0.01 * spin.y + 0.4 * way[k][0]) < off);
        assert_true(fabs(v.y + 0.01 * spin.x + 0.4 * way[k][1]) < off);
        rig_end(&w);
    }
}

/* What an impact takes, by channel. Normal: m v2 (1 - e2)/2. Friction slides all the time with the
   impulse mu (1 + e) m v, by which the slip s falls by 7/2 of its share of the mass: loss mu (1 +
   e) m v times the mean slip. The point lies up to v h = 1 % of the radius inside. */
static void test_losses_by_channel(void **state)
{
    (void)state;
    const double mu = 0.1, e = 0.6, slip = 2, push = mu * (1 + e) * mass;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.1, restitution: 0.6")
                  FLOOR BALL("{position: [0, 0, 0.0105], velocity: [1.2, -1.6, -1]}"),
              1e-4);
    rig_step(&w, 50);
    const mrn_ledger *l = &w.state.ledger;
    double normal = 0.5 * mass * (1 - e * e), rubbed = push * (slip - 0.5 * 3.5 * push / mass);
    assert_true(fabs(l->lost_normal - normal) < 1e-9 * normal);
    assert_true(fabs(l->lost_tangential - rubbed) < 0.01 * rubbed);
    assert_true(fabs(l->lost_damping) + fabs(l->lost_scheme) + fabs(l->wall_work) < 1e-15);
    assert_true(fabs(rig_residual(&w)) < 1e-14);
    rig_end(&w);
}

/* Contacts are looked for where bodies and walls are at 1 - theta of the step: a ball that rides on
   a wall at 1 m/s neither leaves it nor sinks in, whatever theta. A wall taken to another instant
   would be up to 1 mm off. */
static void test_theta_on_a_moving_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double theta[3] = {0.5, 0.75, 1};
        char text[1024];
        snprintf(
            text, sizeof text,
            HEAD_WITH(", theta: %g, projection: false",
                      "friction: 0.5") "gravity: [0, 0, "
                                       "-10]\nwalls: [{name: lift, plane: {point: [0, 0, 0], "
                                       "normal: [0, 0, 1]}, "
                                       "material: m, motion: {velocity: [0, 0, 1 m/s]}}]\n" BALL(
                                           "{position: [0, 0, 0.01], velocity: [0, 0, 1]}"),
            theta[k]);
        rig w;
        rig_begin(&w, text, 1e-3);
        for (int n = 0; n < 20; n++) {
            rig_step(&w, 1);
            assert_true(w.state.nonsmooth.overlap_max < 1e-12);
            assert_int_equal(w.state.contacts, 1);
            assert_true(fabs(w.state.body.f[2] + mass * 10) < 1e-9);
        }
        assert_true(fabs(rig_x(&w, 0).z - 0.03) < 1e-12 && fabs(rig_v(&w, 0).z - 1) < 1e-12);
        assert_true(fabs(w.state.ledger.wall_work - mass * 10 * 0.02) < 1e-12);
        assert_true(fabs(rig_residual(&w)) < 1e-12);
        rig_end(&w);
    }
}

/* A ball that meets a floor within a step, under the three forms of the gap, without projection:
   with `velocity` it first sinks in, by the part of the step's way that is left; with `mixed` it
   rebounds in the step in which it closes, with `closing` it first comes to rest on the floor and
   sinks in no more than mixed. */
static void test_gap_forms(void **state)
{
    (void)state;
    static const char *const form[] = {"mixed", "velocity", "closing"};
    double deep[3][2], after[3][2];
    for (int k = 0; k < 3; k++)
        for (int bounces = 0; bounces < 2; bounces++) {
            char text[1024];
            snprintf(
                text, sizeof text,
                HEAD_WITH(", projection: false, form: %s, alert: 2 mm",
                          "friction: 0, restitution: %g") FLOOR
                "gravity: [0, 0, 0]\n" BALL("{position: [0, 0, 0.0137], velocity: [0, 0, -1]}"),
                form[k], bounces ? 0.5 : 0.0);
            rig w;
            rig_begin(&w, text, 1e-3);
            deep[k][bounces] = 0;
            for (int n = 0; n < 20; n++) {
                rig_step(&w, 1);
                deep[k][bounces] = fmax(deep[k][bounces], 0.01 - rig_x(&w, 0).z);
            }
            after[k][bounces] = rig_v(&w, 0).z;
            rig_end(&w);
        }
    for (int k = 0; k < 3; k += 2) {
        assert_close(deep[k][0], 0, 1e-12);
        assert_close(deep[k][1], 0, 1e-12);
        assert_close(after[k][0], 0, 1e-12);
    }
    assert_close(after[MRN_GAP_MIXED][1], 0.5, 1e-12);
    assert_close(after[MRN_GAP_CLOSING][1], 0, 1e-12);
    /* 0.3 mm too far when it is found, then half of the old and half of the new velocity */
    assert_close(deep[MRN_GAP_VELOCITY][0], 0.8e-3, 1e-12);
    assert_close(deep[MRN_GAP_VELOCITY][1], 0.55e-3, 1e-12);
    assert_close(after[MRN_GAP_VELOCITY][0], 0, 1e-12);
    assert_close(after[MRN_GAP_VELOCITY][1], 0.5, 1e-12);
}

/* Three balls in a row, two on top of them, one on those. */
#define PILE                                                                                       \
    "bodies: [{name: pile, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: ["          \
    "{position: [-0.0205, 0, 0.01]}, {position: [0, 0, 0.01]}, {position: [0.0205, 0, 0.01]}, "    \
    "{position: [-0.0102, 0.0001, 0.0275]}, {position: [0.0102, 0, 0.0275]}, "                     \
    "{position: [0.0001, 0, 0.045]}]}}]\n"

static void run_pile_to(const char *tolerance, const char *options, rig *w)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD_TO("%s", "%s", "friction: 0.4") FLOOR "gravity: [0, 0, -10]\n" PILE, tolerance,
             options);
    rig_begin(w, text, 1e-3);
    rig_step(w, 60);
}

static void run_pile(const char *options, rig *w)
{
    run_pile_to("1e-12", options, w);
}

/* A pile falls apart in the same way whether blocks of W are stored or velocities exchanged. */
static void test_storage(void **state)
{
    (void)state;
    rig stored, exchanged;
    run_pile(", storage: stored", &stored);
    run_pile(", storage: exchange", &exchanged);
    assert_true(stored.scene.nonsmooth.stored && !exchanged.scene.nonsmooth.stored);
    for (int k = 0; k < 6; k++) {
        assert_true(mrn_norm(mrn_sub(rig_x(&stored, k), rig_x(&exchanged, k))) < 1e-9);
        assert_true(mrn_norm(rig_v(&stored, k)) > 1e-4);
    }
    rig_end(&stored);
    rig_end(&exchanged);
}

/* Every criterion, at a tolerance near rounding, ends at the same motion; the weaker ones ask only
   for means and squares, hence 1e-5 of a way of 2 cm. */
static void test_criteria(void **state)
{
    (void)state;
    rig natural;
    run_pile("", &natural);
    for (int c = 0; c < MRN_CRITERIA; c++) {
        char words[64];
        snprintf(words, sizeof words, ", criterion: %s", mrn_criterion_name((mrn_criterion)c));
        rig w;
        run_pile(words, &w);
        assert_int_equal(w.scene.nonsmooth.criterion, c);
        assert_int_equal(w.state.nonsmooth.unsolved, 0);
        for (int k = 0; k < 6; k++)
            assert_true(mrn_norm(mrn_sub(rig_x(&natural, k), rig_x(&w, k))) < 1e-5 * 0.02);
        rig_end(&w);
    }
    rig_end(&natural);
}

/* The criterion that is asked for is the one that ends the sweeps: to a loose tolerance no two of
   them take the same number. */
static void test_criteria_differ(void **state)
{
    (void)state;
    double sweeps[MRN_CRITERIA];
    for (int c = 0; c < MRN_CRITERIA; c++) {
        char words[64];
        snprintf(words, sizeof words, ", solver: nlgs, criterion: %s",
                 mrn_criterion_name((mrn_criterion)c));
        rig w;
        run_pile_to("1e-3", words, &w);
        sweeps[c] = w.state.nonsmooth.sweeps;
        print_message("%s: %g sweeps\n", mrn_criterion_name((mrn_criterion)c), sweeps[c]);
        for (int d = 0; d < c; d++)
            assert_true(sweeps[c] != sweeps[d]);
        rig_end(&w);
    }
}

/* A wall that bears a load rests on a ball: the ball's floor feels both weights. */
static void test_servo_wall(void **state)
{
    (void)state;
    rig w;
    rig_begin(
        &w,
        HEAD("friction: 0.5") "gravity: [0, 0, -10]\n"
                              "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, "
                              "1]}, material: m}, {name: lid, plane: {point: [0, 0, 2.2 cm], "
                              "normal: [0, 0, -1]}, material: m, motion: {servo: {force: 3 "
                              "N, direction: [0, 0, -1]}}}]\n" BALL("{position: [0, 0, 0.01]}"),
        1e-3);
    rig_step(&w, 500);
    assert_true(fabs(w.state.body.f[2] + 3 + mass * 10) < 1e-6); /* on the floor */
    assert_true(fabs(w.state.body.f[5] - 3) < 1e-6);             /* on the lid   */
    assert_true(fabs(w.state.body.x[5] - 0.02) < 1e-6);
    assert_true(fabs(rig_residual(&w)) < 1e-9);
    rig_end(&w);
}

/* A block told to go along x at 0.5 m/s pushes a ball over a floor: the ball goes ahead with it,
   the block neither falls nor turns. */
static void test_held(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.3") FLOOR
              "gravity: [0, 0, -10]\n"
              "bodies: [{name: block, material: m, shape: {polyhedron: {box: [2 cm, 2 cm, 2 cm]}}, "
              "hold: [y, z, rx, ry, rz], drive: {x: 0.5 m/s}, place: {list: [{position: [0, 0, "
              "0.03]}]}}, {name: ball, material: m, shape: {sphere: {radius: 2 cm}}, place: {list: "
              "[{position: [0.05, 0, 0.02]}]}}]\n",
              1e-3);
    rig_step(&w, 400);
    assert_true(fabs(rig_v(&w, 0).x - 0.5) < 1e-12 && rig_x(&w, 0).z == 0.03);
    assert_true(fabs(rig_v(&w, 1).x - 0.5) < 0.05);
    assert_true(fabs(rig_residual(&w)) < 1e-10);
    rig_end(&w);
}

/* What drives give, to the joule. A ball told to go at 1 m/s hits a free one, either of them made
   first, and they go on as fast: m v2 from the drive, half of it lost. A turning floor drags a ball
   5 cm from its axis: friction times the way of the floor there. */
static void test_work_of_drives(void **state)
{
    (void)state;
    static const char *const told = "{name: told, material: m, shape: {sphere: {radius: 1 cm}}, "
                                    "hold: [y, z, rx, ry, rz], drive: {x: 1 m/s}, "
                                    "place: {list: [{position: [0, 0, 0], velocity: [1, 0, 0]}]}}";
    static const char *const idle = "{name: free, material: m, shape: {sphere: {radius: 1 cm}}, "
                                    "place: {list: [[0.021, 0, 0]]}}";
    rig w;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0, restitution: 0") "gravity: [0, 0, 0]\nbodies: [%s, %s]\n",
                 k == 0 ? told : idle, k == 0 ? idle : told);
        rig_begin(&w, text, 1e-4);
        rig_step(&w, 100);
        assert_close(rig_v(&w, 1 - k).x, 1, 1e-9);
        assert_close(w.state.ledger.drive_work, mass, 1e-9 * mass);
        assert_close(w.state.ledger.lost_normal, 0.5 * mass, 1e-9 * mass);
        assert_close(rig_residual(&w), 0, 1e-12);
        rig_end(&w);
    }
    rig_begin(&w,
              HEAD("friction: 0.5") "walls: [{name: disc, plane: {point: [0, 0, 0], normal: [0, 0, "
                                    "1]}, material: m, "
                                    "motion: {spin: [0, 0, 20 rad/s], about: [0, 0, 0]}}]\n"
                                    "gravity: [0, 0, -10]\n" BALL("{position: [0.05, 0, 0.01]}"),
              1e-4);
    rig_step(&w, 100);
    /* it has moved by mu g t2/2 = 0.25 mm in these 10 ms, 0.5 % of its distance */
    double dragged = 0.5 * mass * 10 * (20 * 0.05) * 0.01;
    assert_close(w.state.ledger.wall_work, dragged, 0.01 * dragged);
    assert_close(rig_residual(&w), 0, 1e-6 * dragged);
    rig_end(&w);
}

/* A drive that lifts a ball gives what its weight takes, and a torque what the spin gains. */
static void test_work_against_weight(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0") "gravity: [0, 0, -10]\n"
                                  "bodies: [{name: lift, material: m, shape: {sphere: {radius: 1 "
                                  "cm}}, hold: [x, y], "
                                  "drive: {z: 0.5 m/s}, place: {list: [{position: [0, 0, 0], "
                                  "velocity: [0, 0, 0.5]}]}}"
                                  "]\n",
              1e-3);
    rig_step(&w, 100);
    assert_close(rig_x(&w, 0).z, 0.05, 1e-12);
    assert_close(w.state.ledger.drive_work, mass * 10 * 0.05, 1e-12);
    assert_close(rig_residual(&w), 0, 1e-12);
    rig_end(&w);
    rig_begin(&w,
              HEAD("friction: 0") "gravity: [0, 0, 0]\nforces: [{group: ball, torque: [0, 0, 1e-4 "
                                  "N m]}]\n" BALL("{position: [0, 0, 0], spin: [0, 0, 2]}"),
              1e-3);
    rig_step(&w, 100);
    double inertia = 0.4 * mass * 1e-4, spin = 2 + 1e-4 * 0.1 / inertia;
    assert_close(rig_w(&w, 0).z, spin, 1e-9 * spin);
    double gained = 0.5 * inertia * (spin * spin - 4);
    assert_close(w.state.ledger.drive_work, gained, 1e-9 * gained);
    assert_close(rig_residual(&w), 0, 1e-9 * gained);
    rig_end(&w);
}

/* Global damping takes nothing from what a floor bears: a ball at rest presses with its weight,
   whatever the damping; one that flies loses its speed as exp(-c t), by the mean rule right to
   (c h)^2/12 of the exponent. */
static void test_damping(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0") FLOOR "gravity: [0, 0, -10]\ndamping: {global: 200 1/s}\n" BALL(
                  "{position: [0, 0, 0.01], velocity: [1, 0, 0]}"),
              1e-3);
    rig_step(&w, 20);
    assert_true(fabs(w.state.body.f[2] + mass * 10) < 1e-9);
    assert_true(fabs(rig_v(&w, 0).x - exp(-4)) < exp(-4) * 4 * 0.04 / 12 * 1.1);
    assert_true(fabs(rig_residual(&w)) < 1e-13);
    rig_end(&w);
}

/* The slop is stated by the size of grains, whatever the alert distance: overlaps beyond a
   thousandth of the radius are taken out, down to that. */
static void test_slop(void **state)
{
    (void)state;
    const char *text[2] = {HEAD_WITH("", "friction: 0") FLOOR
                           "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 9.95 mm]}"),
                           HEAD_WITH(", alert: 5 mm", "friction: 0") FLOOR
                           "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 9.95 mm]}")};
    for (int k = 0; k < 2; k++) {
        rig w;
        rig_begin(&w, text[k], 1e-3);
        rig_step(&w, 200);
        /* 50 um deep at first; a third of what is beyond 10 um goes in each step */
        assert_true(fabs(rig_x(&w, 0).z - 9.99e-3) < 1e-8);
        rig_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cohesion),
        cmocka_unit_test(test_cohesion_and_restitution),
        cmocka_unit_test(test_cohesion_of_unlike),
        cmocka_unit_test(test_cohesion_and_friction),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_rolling_moment_on_a_wall),
        cmocka_unit_test(test_pivoting_friction),
        cmocka_unit_test(test_compliance),
        cmocka_unit_test(test_viscous_contact),
        cmocka_unit_test(test_viscous_gap),
        cmocka_unit_test(test_viscous_rest),
        cmocka_unit_test(test_regularised_friction),
        cmocka_unit_test(test_elastic_friction),
        cmocka_unit_test(test_elastic_friction_returns),
        cmocka_unit_test(test_tangential_restitution),
        cmocka_unit_test(test_losses_by_channel),
        cmocka_unit_test(test_theta_on_a_moving_wall),
        cmocka_unit_test(test_gap_forms),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_criteria),
        cmocka_unit_test(test_criteria_differ),
        cmocka_unit_test(test_servo_wall),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_work_of_drives),
        cmocka_unit_test(test_work_against_weight),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_slop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
