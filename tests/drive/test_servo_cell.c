/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The servo of the cell at work: isotropic compression and simple shear at constant pressure; the
   energy it puts in is booked. */
/* ctest-labels: slow */
#include "crowd.h"

/* Bounded steps until the three stresses are at the target, then 1000 more at which they stay. */
static void compress(world *w, double pressure)
{
    for (int k = 0; k < 3; k++)
        w->scene.cell.control.target[k] = mrn_signal_constant(pressure);
    const double *s = w->state.drive.stress;
    int steady = 0;
    for (int n = 0; n < 400 && steady < 20; n++) {
        world_steps(w, 50);
        double off = 0;
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs(s[k] / pressure - 1));
            assert_true(s[k] < 1.1 * pressure);
        }
        steady = off < 1e-3 ? steady + 1 : 0;
    }
    assert_int_equal(steady, 20);
    assert_booked(w);
}

/* Spheres without friction from a gas to 10 kPa and on to 100 kPa. */
static void test_isotropic_compression(void **state)
{
    (void)state;
    world w;
    int n[3] = {6, 6, 6};
    double pitch = 2.02 * RADIUS;
    begin(&w);
    for (int k = 0; k < 3; k++) {
        world_periodic(&w, k, 0, n[k] * pitch);
        w.scene.cell.control.kind[k] = MRN_CONTROL_STRESS;
    }
    crowd(&w, n, pitch, 0.02);
    world_start(&w, 8e-6);
    compress(&w, 1e4);
    double loose = w.state.cell_size[0] * w.state.cell_size[1] * w.state.cell_size[2];
    compress(&w, 1e5);
    assert_true(w.state.cell_size[0] * w.state.cell_size[1] * w.state.cell_size[2] < loose);
    world_end(&w);
}

/* Grains with friction: compressed, then sheared as imposed at constant pressure, then held by a
   shear stress. Forward shear makes the stress xy negative. */
static void test_shear_at_constant_pressure(void **state)
{
    (void)state;
    world w;
    int n[3] = {5, 5, 5};
    double pitch = 2.02 * RADIUS;
    begin(&w);
    world_law(&w, "restitution", 0.6);
    world_law(&w, "friction", 0.5);
    mrn_cell_control *c = &w.scene.cell.control;
    for (int k = 0; k < 3; k++) {
        world_periodic(&w, k, 0, n[k] * pitch);
        c->kind[k] = MRN_CONTROL_STRESS;
        c->target[k] = mrn_signal_constant(1e4);
    }
    crowd(&w, n, pitch, 0.02);
    world_start(&w, 3e-6);
    world_steps(&w, 15000);
    c->target[MRN_XY] = mrn_signal_constant(1);
    world_steps(&w, 2000); /* the servo learns */
    double mean[MRN_STRAINS] = {0};
    for (int k = 0; k < 60; k++) {
        world_steps(&w, 100);
        for (int a = 0; a < MRN_STRAINS; a++)
            mean[a] += w.state.drive.stress[a] / 60;
    }
    for (int k = 0; k < 3; k++) /* 125 grains that rearrange now and then */
        assert_close(mean[k], 1e4, 30);
    assert_true(mean[MRN_XY] < -500);
    c->kind[MRN_XY] = MRN_CONTROL_STRESS;
    c->target[MRN_XY] = mrn_signal_constant(-500);
    world_steps(&w, 8000);
    for (int k = 0; k < 3; k++)
        assert_close(w.state.drive.stress[k], 1e4, 10);
    assert_close(w.state.drive.stress[MRN_XY], -500, 5);
    assert_booked(&w);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isotropic_compression),
        cmocka_unit_test(test_shear_at_constant_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
