/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinematic map as vectors and as rows: one map, and its transpose does the same work. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#include "base/base.h"
#include "detect/kinematics.h"

static double draw(mrn_rng *r)
{
    return 2 * mrn_rng_uniform(r) - 1;
}

static mrn_vec3 vector(mrn_rng *r, int dofs)
{
    double x = draw(r), y = draw(r), z = draw(r);
    return mrn_v3(x, y, dofs == 3 ? 0 : z);
}

static double along(int dofs, const double *h, int stride, const double *u)
{
    double sum = 0;
    for (int k = 0; k < dofs; k++)
        sum += h[k * stride] * u[k];
    return sum;
}

/* Rows times degrees of freedom is the velocity along each axis; the force of an impulse along it,
   through the same rows, has the torque of the transpose. */
static void rows_are_the_map(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(5, 1);
    for (int dofs = 3; dofs <= 6; dofs += 3)
        for (int n = 0; n < 200; n++) {
            int dimension = dofs == 3 ? 2 : 3;
            mrn_vec3 axis[3] = {mrn_unit(vector(&r, dofs))};
            axis[1] = mrn_contact_tangent(dimension, axis[0]);
            axis[2] = mrn_contact_second(dimension, axis[0], axis[1]);
            mrn_vec3 arm_c = vector(&r, dofs), arm_a = vector(&r, dofs);
            double u[2][6], h[2][6 * 3];
            for (int k = 0; k < 6; k++)
                u[0][k] = draw(&r), u[1][k] = draw(&r);
            mrn_vec3 v = mrn_contact_velocity(
                mrn_dofs_velocity(dimension, u[0]), mrn_dofs_spin(dimension, u[0]), arm_c,
                mrn_dofs_velocity(dimension, u[1]), mrn_dofs_spin(dimension, u[1]), arm_a);
            for (int k = 0; k < (dofs == 3 ? 2 : 3); k++) {
                mrn_row_store(mrn_row_slide(1, axis[k], arm_c), dimension, dofs, h[0] + k, 3);
                mrn_row_store(mrn_row_slide(-1, axis[k], arm_a), dimension, dofs, h[1] + k, 3);
                double by_rows = along(dofs, h[0] + k, 3, u[0]) + along(dofs, h[1] + k, 3, u[1]);
                assert_true(fabs(by_rows - mrn_dot(v, axis[k])) < 1e-14);
                /* power of a unit force along the axis on the turning of C */
                mrn_vec3 torque = mrn_contact_torque(arm_c, axis[k]);
                double power = mrn_dot(axis[k], mrn_dofs_velocity(dimension, u[0])) +
                               mrn_dot(torque, mrn_dofs_spin(dimension, u[0]));
                assert_true(fabs(along(dofs, h[0] + k, 3, u[0]) - power) < 1e-14);
            }
            double spin[6];
            mrn_row_store(mrn_row_spin(-1, axis[2]), dimension, dofs, spin, 1);
            assert_true(fabs(along(dofs, spin, 1, u[0]) +
                             mrn_dot(axis[2], mrn_dofs_spin(dimension, u[0]))) < 1e-14);
        }
}

/* Direct, square, of unit length; for every normal, the axes too. */
static void frames_are_frames(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(6, 1);
    for (int n = 0; n < 1000; n++) {
        mrn_vec3 axes[3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
        mrn_vec3 a = n < 3 ? axes[n] : mrn_unit(vector(&r, 6));
        mrn_vec3 t = mrn_contact_tangent(3, a), s = mrn_contact_second(3, a, t);
        assert_true(fabs(mrn_norm(t) - 1) < 1e-14 && fabs(mrn_dot(a, t)) < 1e-14);
        assert_true(fabs(mrn_norm(s) - 1) < 1e-14 && mrn_dot(mrn_cross(a, t), s) > 0.99);
        if (n >= 2 && n < 3)
            continue; /* no normal in the plane */
        mrn_vec3 flat = mrn_unit(mrn_v3(a.x, a.y, 0)), u = mrn_contact_tangent(2, flat);
        assert_true(u.z == 0 && mrn_dot(flat, u) == 0 && mrn_contact_second(2, flat, u).z == 1);
        assert_true(mrn_cross(flat, u).z > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_map),
        cmocka_unit_test(frames_are_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
