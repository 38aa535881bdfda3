/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of ellipses: where two touch, the stiffness against the energy of springs, and what
   pre-stress does to mechanisms, where it is known by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/quasistatic.h"

static void near_at(int line, double value, double expected, double off)
{
    if (!(fabs(value - expected) <= off))
        fail_msg("line %d: %.15g, expected %.15g to %g", line, value, expected, off);
}
#define near(...) near_at(__LINE__, __VA_ARGS__)

/* Circles: distance of the centres. Ellipses end to end and side by side: half axes; curvatures
   a/b² and b/a². Rounding. */
static void test_touch(void **unused)
{
    (void)unused;
    mrn_ellipse c = {1.2, 0.9, 0.3, 0.5, 0.5}, a = {0, 0, 1, 0.7, 0.7};
    mrn_ellipse_touch t = mrn_ellipse_touch_of(&c, &a);
    near(t.gap, 1.5 - 1.2, 1e-14);
    near(t.n.x, 0.8, 1e-14);
    near(t.curve_c, 2, 1e-13);
    c = (mrn_ellipse){2.9, 0, 0, 2, 1};
    a = (mrn_ellipse){0, 0, MRN_PI / 2, 3, 1}; /* stands upright */
    t = mrn_ellipse_touch_of(&c, &a);
    near(t.gap, -0.1, 1e-13);
    near(t.n.x, 1, 1e-13);
    near(t.curve_c, 2, 1e-12);       /* a/b² at the end of the long axis */
    near(t.curve_a, 1.0 / 9, 1e-12); /* b/a² at the flat side           */
    near(t.arm_c.x + t.arm_a.x, -2 + 1 + (t.curve_a - t.curve_c) / (t.curve_a + t.curve_c) * 0.1,
         1e-12);
}

/* Tangents: points of both lie at the gap's ends, and the normal is that of both surfaces. */
static void test_common_normal(void **unused)
{
    (void)unused;
    for (int k = 0; k < 40; k++) {
        mrn_ellipse c = {2.3 * cos(k), 2.3 * sin(k), 0.7 * k, 1.5, 0.6};
        mrn_ellipse a = {0, 0, 1.3 * k * k, 0.8, 1.1};
        mrn_ellipse_touch t = mrn_ellipse_touch_of(&c, &a);
        const mrn_ellipse *e[2] = {&c, &a};
        for (int i = 0; i < 2; i++) {
            double share = (i == 0 ? t.curve_a : t.curve_c) / (t.curve_a + t.curve_c) * t.gap;
            mrn_vec3 arm = i == 0 ? mrn_axpy(share, t.n, t.arm_c) : mrn_axpy(-share, t.n, t.arm_a);
            double co = cos(e[i]->angle), si = sin(e[i]->angle);
            double u = arm.x * co + arm.y * si, v = -arm.x * si + arm.y * co;
            near(u * u / (e[i]->a * e[i]->a) + v * v / (e[i]->b * e[i]->b), 1, 1e-12);
            double gu = u / (e[i]->a * e[i]->a), gv = v / (e[i]->b * e[i]->b), g = hypot(gu, gv);
            double nx = (gu * co - gv * si) / g, ny = (gu * si + gv * co) / g;
            near(nx * t.n.x + ny * t.n.y, i == 0 ? -1 : 1, 1e-12);
        }
    }
}

static mrn_net net_of(int n, const mrn_ellipse *e, int contacts, const int32_t (*pair)[2],
                      const mrn_vec3 *normal, const double *force, double kn)
{
    mrn_net net;
    mrn_message msg = {0};
    mrn_contacts at = {0};
    mrn_contacts_def def = {.columns = MRN_NET_COLUMNS, .n = contacts};
    mrn_net_element element[8] = {0};
    assert_int_equal(mrn_contacts_make(&at, &def, &msg), MRN_OK);
    at.n = contacts;
    for (int k = 0; k < contacts; k++) {
        at.c[k] = pair[k][0], at.a[k] = pair[k][1];
        mrn_store3(at.normal + 3 * k, normal != NULL ? normal[k] : mrn_v3(0, 0, 0));
        element[k].kn = kn, element[k].force[0] = force[k];
    }
    mrn_status st = mrn_net_make_ellipses(n, e, &at, element, NULL, NULL, true, &net, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    mrn_contacts_destroy(&at);
    return net;
}

static double energy(const mrn_ellipse *e, double kn)
{
    double gap = mrn_ellipse_touch_of(&e[0], &e[1]).gap;
    return gap < 0 ? 0.5 * kn * gap * gap : 0;
}

/* K of two ellipses that overlap is the second derivative of the energy of their spring: by central
   differences, whose error is some 1e-8 of kn for steps of 1e-3 with a fourth-order formula. */
static void test_second_derivative(void **unused)
{
    (void)unused;
    const double kn = 3, step = 1e-3;
    for (int k = 0; k < 10; k++) {
        mrn_ellipse e[2] = {{1.1 * cos(0.6 * k), 1.1 * sin(0.6 * k), 0.4 * k, 0.9, 0.5},
                            {0, 0, 1.1 - k, 0.6, 1.0}};
        double gap = mrn_ellipse_touch_of(&e[0], &e[1]).gap, force = -kn * gap;
        assert_true(gap < -0.05);
        const int32_t pair[1][2] = {{0, 1}};
        mrn_net net = net_of(2, e, 1, pair, NULL, &force, kn);
        mrn_stiffness_options opt = {.geometric = true};
        assert_int_equal(net.n_unknowns, 6);
        for (int j = 0; j < 6; j++) {
            double u[6] = {0}, y[6];
            u[j] = j % 3 == 2 ? net.length : 1; /* a unit of angle */
            mrn_net_stiffness(&net, &opt, u, y);
            for (int i = 0; i < 6; i++) {
                static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
                static const int at[4] = {-2, -1, 1, 2};
                double second = 0;
                for (int p = 0; p < 4; p++)
                    for (int q = 0; q < 4; q++) {
                        mrn_ellipse m[2] = {e[0], e[1]};
                        const int which[2] = {i, j}, by[2] = {at[p], at[q]};
                        for (int s = 0; s < 2; s++) {
                            mrn_ellipse *x = &m[which[s] / 3];
                            int d = which[s] % 3;
                            *(d == 0 ? &x->x : d == 1 ? &x->y : &x->angle) += step * by[s];
                        }
                        second += weight[p] * weight[q] * energy(m, kn) / (step * step);
                    }
                near(y[i] * (i % 3 == 2 ? net.length : 1), second, 1e-6 * kn);
            }
        }
        mrn_net_release(&net);
    }
}

/* An ellipse between two plates that press with N. On its flat side a turn lifts the plates: K of
   the turn is 2 N (a² - b²)/b, stable. Upright, -2 N (a² - b²)/a. Along the plates nothing holds
   it: k = 2 mechanisms, 2 contacts, 3 unknowns, h = 1. */
static void test_between_plates(void **unused)
{
    (void)unused;
    const double a = 2, b = 0.7, force[2] = {5, 5};
    const int32_t pair[2][2] = {{0, -1}, {0, -1}};
    const mrn_vec3 normal[2] = {{0, 1, 0}, {0, -1, 0}};
    for (int upright = 0; upright < 2; upright++) {
        mrn_ellipse e = {0, 0, upright ? MRN_PI / 2 : 0, a, b};
        mrn_net net = net_of(1, &e, 2, pair, normal, force, 1e6);
        mrn_message msg = {0};
        mrn_rigidity r;
        mrn_rigidity_options opt = mrn_rigidity_default();
        double u[3] = {0, 0, net.length}, y[3], axis = upright ? a : b;
        double known = (upright ? -1 : 1) * 2 * force[0] * (a * a - b * b) / axis;
        mrn_stiffness_options how = {.geometric = true};
        mrn_net_stiffness(&net, &how, u, y);
        near(y[2] * net.length, known, 1e-10 * fabs(known));
        near(y[0], 0, 1e-9);
        assert_int_equal(mrn_rigidity_of(&net, &opt, &r, &msg), MRN_OK);
        assert_int_equal(r.hypostatic, 2);
        assert_int_equal(r.hyperstatic, 1);
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
    }
}

/* An ellipse with a disk at the end of each axis, these held: four contacts through its centre, so
   that no contact feels a turn: k = 1 of the turn alone. Disks of radius R that press with N: the
   ends of the long axis (curvature a/b²) drive the turn on, the flat sides hold it. By the energy:
   2 N h'' of each pair with the distance d = axis + R,  K = 2 N (axis - other²/axis) d /
   (R + other²/axis): the gap of a disk at d off a turning ellipse. Hypostatic, and stable where the
   sum is positive. */
static void test_four_disks(void **unused)
{
    (void)unused;
    const double a = 1.5, b = 1, R = 0.8, N[2] = {1, 3};
    for (int k = 0; k < 2; k++) { /* k = 0: the ends press harder */
        double on_a = N[1 - k], on_b = N[k];
        mrn_ellipse e[5] = {{0, 0, 0, a, b},
                            {a + R, 0, 0, R, R},
                            {-a - R, 0, 0, R, R},
                            {0, b + R, 0, R, R},
                            {0, -b - R, 0, R, R}};
        const double force[4] = {on_a, on_a, on_b, on_b};
        const int32_t pair[4][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
        mrn_net net = net_of(5, e, 4, pair, NULL, force, 1e6);
        mrn_stiffness_options how = {.geometric = true};
        double u[15] = {0}, y[15];
        u[2] = net.length;
        mrn_net_stiffness(&net, &how, u, y);
        double ra = b * b / a, rb = a * a / b; /* radii of curvature at the ends of a and of b */
        double known =
            2 * on_b * (rb - b) * (b + R) / (R + rb) + 2 * on_a * (ra - a) * (a + R) / (R + ra);
        near(y[2] * net.length, known, 1e-9);
        /* the energy of the forces at work: h of the gap by differences */
        double step = 1e-3, second = 0;
        for (int j = 1; j < 5; j++)
            for (int s = -1; s < 2; s++) {
                mrn_ellipse turned = e[0];
                turned.angle += s * step;
                second -= (s == 0 ? -2 : 1) * force[j - 1] *
                          mrn_ellipse_touch_of(&turned, &e[j]).gap / (step * step);
            }
        near(second, known, 1e-4); /* step², and rounding over step² */
        mrn_net_release(&net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touch),
        cmocka_unit_test(test_common_normal),
        cmocka_unit_test(test_second_derivative),
        cmocka_unit_test(test_between_plates),
        cmocka_unit_test(test_four_disks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
