/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact forces do not depend on the observer: rigid rotation of a loaded contact, the order of
   the two bodies, translation and rotation of the whole set-up. */
#include "world.h"
#include <stdlib.h>

static void begin(world *w, const char *law, double mu, double e)
{
    world_begin(w, 3, law, 2500, 1e9, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(w, "normal-stiffness", 1e5);
    world_law(w, "restitution", e);
    world_law(w, "friction", mu);
    w->scene.gravity = mrn_v3(0, 0, 0);
}

typedef struct pair {
    mrn_body a, b;
    mrn_vec3 centre;
} pair;

/* Two grains whose motion the test imposes: position, velocity and spin are set before each step,
   so that forces are those of that motion; the list and the history are the engine's. */
static void impose(world *w, mrn_body b, mrn_vec3 x, mrn_vec3 v, mrn_vec3 spin)
{
    int32_t i = mrn_body_index(&w->state, b);
    /* the step moves by h v (+ h^2 a / 2) and predicts v + h a: with f = t = 0 the motion is the
     * imposed one */
    mrn_store3(w->state.body.x + 3 * i, x);
    mrn_store3(w->state.body.v + 3 * i, v);
    mrn_store3(w->state.body.w + 3 * i, spin);
    memset(w->state.body.f + 3 * i, 0, 3 * sizeof(double));
    memset(w->state.body.t + 3 * i, 0, 3 * sizeof(double));
}

static mrn_vec3 force_on(const world *w, mrn_body b)
{
    return mrn_load3(w->state.body.f + 3 * mrn_body_index(&w->state, b));
}

/* A contact loaded in shear along (0, cos, sin), then rotated rigidly by `turn` (axis times angle)
   in n steps about the origin. Returns the contact force on b at the end, turned back, against that
   at the start: relative difference. Springs beside a dashpot (e < 1) see velocities at the end of
   the step, which are imposed there; those without one see how the step went, along the chord. */
static double rotated(const char *law, double e, mrn_vec3 turn, int n, double shear_angle,
                      bool b_first)
{
    world w;
    double r = 5e-3, h = 1e-7, over = 1e-5, along = 2e-7;
    begin(&w, law, 1.0, e);
    mrn_vec3 xa = {-r + 0.5 * over, 0, 0}, xb = {r - 0.5 * over, 0, 0}, zero = {0, 0, 0};
    mrn_vec3 t = {0, cos(shear_angle), sin(shear_angle)};
    pair p;
    if (b_first)
        p.b = world_grain(&w, r, xb, zero, zero), p.a = world_grain(&w, r, xa, zero, zero);
    else
        p.a = world_grain(&w, r, xa, zero, zero), p.b = world_grain(&w, r, xb, zero, zero);
    world_start(&w, h);
    /* shear: both spin so that the surfaces slide by `along` in 100 steps, centres at rest */
    mrn_vec3 spin = mrn_scale(0.5 * along / (100 * h) / r, mrn_cross(mrn_v3(1, 0, 0), t));
    for (int k = 0; k < 100; k++) {
        impose(&w, p.a, xa, zero, mrn_scale(-1, spin));
        impose(&w, p.b, xb, zero, mrn_scale(-1, spin));
        world_steps(&w, 1);
    }
    impose(&w, p.a, xa, zero, zero), impose(&w, p.b, xb, zero, zero);
    world_steps(&w, 1); /* at rest: elastic spring alone */
    mrn_vec3 f0 = force_on(&w, p.b);
    mrn_vec3 w_turn = mrn_scale(1 / (n * h), turn);
    mrn_quat q = mrn_quat_identity();
    for (int k = 0; k < n; k++) {
        /* place so that the drift ends on the circle with the velocity of that point */
        q = mrn_quat_from_rotation(mrn_scale((k + 1.0) / n, turn));
        mrn_vec3 ya = mrn_rotate(q, xa), yb = mrn_rotate(q, xb);
        mrn_vec3 va = mrn_cross(w_turn, ya), vb = mrn_cross(w_turn, yb), at = w_turn;
        if (e == 1) {
            mrn_quat last = mrn_quat_from_rotation(mrn_scale((double)k / n, turn));
            double half = 0.5 * mrn_norm(turn) / n;
            va = mrn_scale(1 / h, mrn_sub(ya, mrn_rotate(last, xa)));
            vb = mrn_scale(1 / h, mrn_sub(yb, mrn_rotate(last, xb)));
            at = mrn_scale(sin(half) / half, w_turn);
        }
        impose(&w, p.a, mrn_axpy(-h, va, ya), va, at);
        impose(&w, p.b, mrn_axpy(-h, vb, yb), vb, at);
        world_steps(&w, 1);
    }
    mrn_vec3 f1 = mrn_rotate(mrn_quat_conj(q), force_on(&w, p.b));
    mrn_vec3 ft = mrn_sub(f0, mrn_scale(f0.x, mrn_v3(1, 0, 0)));
    assert_true(mrn_norm(ft) > 1e-3 * fabs(f0.x));
    assert_int_equal(w.state.sliding, 0);
    double off = mrn_norm(mrn_sub(f1, f0)) / mrn_norm(ft);
    world_end(&w);
    return off;
}

/* Beside a dashpot the spring is brought into the new contact plane by projection with its length
   kept, and turned about the normal by the mean spin. About the normal: each step turns by
   atan(theta) instead of theta = angle / n, sum angle^3 / 3 n^2. About axes across: exact when the
   spring lies along or across the axis, otherwise its direction is off by theta^2 / 4 per step at
   most, angle^2 / 4 n in all. Rounding: n eps. A spring that is not turned with the pair would be
   off by 1. */
static void rigid_rotation(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    int n = 4000;
    double angle = 2.0, round = 1e-9; /* the force of normal: over = 1e-5 of 5e-3, eps / 2e-3
                                         relative per step */
    for (int l = 0; l < 2; l++)
        for (int swap = 0; swap < 2; swap++)
            for (double shear = 0; shear < 1.6; shear += 0.7) {
                mrn_vec3 skewed = mrn_scale(angle / sqrt(3), mrn_v3(1, -1, 1));
                double normal = rotated(laws[l], 0.9, mrn_v3(angle, 0, 0), n, shear, swap);
                double across = rotated(laws[l], 0.9, mrn_v3(0, angle, 0), n, shear, swap);
                double skew = rotated(laws[l], 0.9, skewed, n, shear, swap);
                assert_close(normal, 0, 1.01 * pow(angle, 3) / (3.0 * n * n) + round);
                assert_close(across, 0, 1.01 * angle * angle / (4.0 * n) + round);
                assert_close(skew, 0, 1.01 * angle * angle / (4.0 * n) + round);
            }
}

/* Without a dashpot the turn from normal to normal is exact, so about axes across nothing is left;
   about the normal each step turns by 2 atan(sin(theta/2)), theta^3 / 8 too little. About a skew
   axis the chord of a cone is shorter than the spin times the arms, by theta^3 / 24 of 2 r at most,
   which is 5e4 times the elongation. */
static void rigid_rotation_undamped(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    int n = 4000;
    double angle = 2.0, round = 1e-9, third = pow(angle, 3) / (n * n);
    for (int l = 0; l < 2; l++)
        for (int swap = 0; swap < 2; swap++)
            for (double shear = 0; shear < 1.6; shear += 0.7) {
                mrn_vec3 skewed = mrn_scale(angle / sqrt(3), mrn_v3(1, -1, 1));
                double normal = rotated(laws[l], 1, mrn_v3(angle, 0, 0), n, shear, swap);
                double across = rotated(laws[l], 1, mrn_v3(0, angle, 0), n, shear, swap);
                double skew = rotated(laws[l], 1, skewed, n, shear, swap);
                assert_close(normal, 0, 1.01 * third / 8 + round);
                assert_close(across, 0, round);
                assert_close(skew, 0, 5e4 * third / 24);
            }
}

/* Forces do not care which of the two owns the pair: the result above is the same with the bodies
   made in the other order. The sums of the kinematics change sign throughout, so not one bit
   differs. */
static void either_order(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        mrn_vec3 v[2], spin[2];
        for (int order = 0; order < 2; order++) {
            world w;
            double r = 5e-3;
            begin(&w, laws[l], 0.4, 0.7);
            mrn_vec3 x[2] = {{-r, 1e-3, 0}, {r, 0, 5e-4}}, vel[2] = {{0.3, 0.1, 0}, {-0.2, 0, 0.1}};
            mrn_vec3 s[2] = {{10, 40, 0}, {0, -30, 20}};
            mrn_body b[2];
            for (int k = 0; k < 2; k++) {
                int i = order == 0 ? k : 1 - k;
                b[i] = world_grain(&w, i == 0 ? r : 1.2 * r, mrn_scale(1.2, x[i]), vel[i], s[i]);
            }
            world_start(&w, 1e-6);
            world_steps(&w, 15000);
            assert_int_equal(w.state.contacts, 0);
            if (order == 0)
                v[0] = world_v(&w, b[0]), v[1] = world_v(&w, b[1]);
            if (order == 0)
                spin[0] = world_w(&w, b[0]), spin[1] = world_w(&w, b[1]);
            assert_true(fabs(v[0].x - 0.3) > 0.05);
            for (int k = 0; k < 2; k++) {
                assert_close(mrn_norm(mrn_sub(world_v(&w, b[k]), v[k])), 0, 0);
                assert_close(mrn_norm(mrn_sub(world_w(&w, b[k]), spin[k])), 0, 0);
            }
            world_end(&w);
        }
    }
}

/* Turns the axes: x -> y -> z -> x, `times` times: a rotation by 120 degrees that only moves
 * numbers to other places. */
static mrn_vec3 cycle(mrn_vec3 a, int times)
{
    for (int k = 0; k < times; k++)
        a = mrn_v3(a.z, a.x, a.y);
    return a;
}

/* A quarter turn about z. */
static mrn_vec3 quarter(mrn_vec3 a)
{
    return mrn_v3(-a.y, a.x, a.z);
}

/* Eight grains between two planes under gravity: velocities of all after a while, brought back to
 * the first frame. */
static void frame(const char *law, int times, bool turned, mrn_vec3 shift, mrn_vec3 v[8],
                  mrn_vec3 spin[8])
{
    world w;
    double r = 5e-3;
    begin(&w, law, 0.4, 0.7);
    mrn_rng rng = mrn_rng_seed(11, 0);
#define TO(a) (turned ? quarter(cycle((a), times)) : cycle((a), times))
    w.scene.gravity = TO(mrn_v3(2, 0, -9.81));
    world_plane(&w, mrn_add(shift, TO(mrn_v3(0, 0, 0))), TO(mrn_v3(0, 0, 1)));
    world_plane(&w, mrn_add(shift, TO(mrn_v3(5 * r, 0, 0))), TO(mrn_v3(-1, 0, 0)));
    mrn_body b[8];
    for (int k = 0; k < 8; k++) {
        mrn_vec3 x =
            mrn_v3((k & 1) * 2.05 * r, (k >> 1 & 1) * 2.05 * r, 1.01 * r + (k >> 2) * 2.05 * r);
        mrn_vec3 u = {mrn_rng_uniform(&rng) - 0.5, mrn_rng_uniform(&rng) - 0.5,
                      mrn_rng_uniform(&rng) - 0.8};
        b[k] =
            world_grain(&w, r, mrn_add(shift, TO(x)), TO(mrn_scale(0.3, u)), TO(mrn_scale(50, u)));
    }
    world_start(&w, 2e-6);
    world_steps(&w, 3000);
    for (int k = 0; k < 8; k++) {
        v[k] = world_v(&w, b[k]), spin[k] = world_w(&w, b[k]);
        for (int m = 0; m < 3 && turned; m++) /* three quarters more */
            v[k] = quarter(v[k]), spin[k] = quarter(spin[k]);
        v[k] = cycle(v[k], 3 - times), spin[k] = cycle(spin[k], 3 - times);
    }
    world_end(&w);
}

/* Another frame changes the order of sums and the last bits of positions; impacts amplify both.
   After 3000 steps with some impacts per grain 1e-9 of the speeds is asked; a force wrong in one
   component would show as order 1. */
static void any_frame(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        mrn_vec3 v0[8], s0[8], v[8], s[8];
        frame(laws[l], 0, false, mrn_v3(0, 0, 0), v0, s0);
        for (int k = 0; k < 4; k++) {
            mrn_vec3 shift = k == 3 ? mrn_v3(0.37, -1.1, 0.05) : mrn_v3(0, 0, 0);
            frame(laws[l], k % 3, k >= 2, shift, v, s);
            for (int i = 0; i < 8; i++) {
                assert_close(mrn_norm(mrn_sub(v[i], v0[i])), 0, 1e-9);
                assert_close(mrn_norm(mrn_sub(s[i], s0[i])), 0, 1e-9 * 200);
            }
        }
    }
}

/* Galilei: the same collision seen from a frame that moves with constant velocity. Rounding of x +
 * V t: 1e-12 of 0.05 m. */
static void moving_frame(void **state)
{
    (void)state;
    mrn_vec3 after[2][2];
    for (int k = 0; k < 2; k++) {
        world w;
        double r = 5e-3;
        begin(&w, "hertz-mindlin", 0.4, 0.7);
        mrn_vec3 drift = {k * 3.0, k * -2.0, k * 1.0};
        mrn_body a = world_grain(&w, r, mrn_v3(-r, 0, 0), mrn_add(drift, mrn_v3(0.3, 0.1, 0)),
                                 mrn_v3(10, 20, 30));
        mrn_body b = world_grain(&w, r, mrn_v3(r + 1e-6, 1e-3, 0),
                                 mrn_add(drift, mrn_v3(-0.3, 0, 0.2)), mrn_v3(0, -20, 5));
        world_start(&w, 1e-7);
        world_steps(&w, 3000);
        after[k][0] = mrn_sub(world_v(&w, a), drift);
        after[k][1] = mrn_sub(world_v(&w, b), drift);
        world_end(&w);
    }
    for (int i = 0; i < 2; i++)
        assert_close(mrn_norm(mrn_sub(after[0][i], after[1][i])), 0, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_rotation), cmocka_unit_test(rigid_rotation_undamped),
        cmocka_unit_test(either_order),   cmocka_unit_test(any_frame),
        cmocka_unit_test(moving_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
