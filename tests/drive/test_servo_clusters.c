/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters in a cell held by stress: the branch of a contact joins the centres of clusters, which
   the cell carries, not those of the spheres that touch. The servo, the probes and the ledger must
   all take it so. */
/* ctest-labels: slow */
#include "../smooth/cluster_world.h"

#define PRESSURE 1e3

/* Dumb-bells a little apart, each turned its own way. */
static void begin(world *w, int dimension, double friction)
{
    mrn_threads_set(1); /* a few dozen grains: two threads would mostly wait for each other */
    cluster_world(w, dimension, 2, bell_centre, bell_radius);
    world_law(w, "normal-stiffness", dimension == 3 ? 500 : 5e5);
    world_law(w, "normal-damping", dimension == 3 ? 0.05 : 30);
    world_law(w, "friction", friction);
    int side = dimension == 3 ? 4 : 6;
    double gap = 1e-3 * 2.01 * w->scene.cluster[0].bound;
    for (int k = 0; k < dimension; k++) {
        world_periodic(w, k, 0, side * gap);
        w->scene.cell.control.kind[k] = MRN_CONTROL_STRESS;
        w->scene.cell.control.target[k] = mrn_signal_constant(PRESSURE);
    }
    w->scene.cell.control.max_rate = 10;
    mrn_rng rng = mrn_rng_seed(5, 5);
    for (int k = 0; k < (dimension == 3 ? side : 1) * side * side; k++) {
        double a = mrn_rng_normal(&rng), b = mrn_rng_normal(&rng), c = mrn_rng_normal(&rng);
        double d = mrn_rng_normal(&rng);
        mrn_quat q = dimension == 3 ? mrn_quat_unit((mrn_quat){a, b, c, d})
                                    : mrn_quat_from_rotation(mrn_v3(0, 0, 7 * a));
        mrn_vec3 x = mrn_v3(gap * (k % side + 0.5), gap * (k / side % side + 0.5),
                            dimension == 3 ? gap * (k / side / side + 0.5) : 0);
        cluster_add(w, 1e-3, x, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), q);
    }
}

/* The stress of the servo less its kinetic part is the measured one of the contacts, to rounding:
   both sum the same forces over the same branches. Spheres' own branches lack their arms: a tenth
   of the stress and more. */
static void assert_measured(world *w)
{
    const mrn_state *s = &w->state;
    mrn_report r;
    ok(mrn_measure(&w->scene, s, NULL, &r, &w->msg), &w->msg);
    double volume = 1;
    for (int k = 0; k < w->scene.dimension; k++)
        volume *= s->cell_size[k];
    for (int c = 0; c < w->scene.dimension; c++) {
        double kinetic = 0;
        for (int32_t i = 0; i < s->body.n; i++)
            if (!(s->body.flags[i] & MRN_BODY_MEMBER))
                kinetic += s->body.mass[i] * s->body.v[3 * i + c] * s->body.v[3 * i + c] / volume;
        assert_close(s->drive.stress[c] - kinetic, r.stress.contact[c], 1e-9 * PRESSURE);
    }
}

/* At rest nothing is left of the motion: the probe shows what the servo holds. */
static void assert_probe_agrees(const world *w)
{
    static const char *const probe[] = {"stress.xx", "stress.yy", "stress.zz"};
    for (int c = 0; c < w->scene.dimension; c++)
        assert_close(mrn_probe_value(&w->scene, &w->state, probe[c]), w->state.drive.stress[c],
                     1e-3 * PRESSURE);
}

static void compress(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        world w;
        int dimension = k == 2 ? 2 : 3;
        begin(&w, dimension, k == 0 ? 0 : 0.5);
        world_start(&w, 4e-6);
        int steady = 0, n = 0;
        for (; n < 400 && steady < 10; n++) {
            world_steps(&w, 100);
            double off = 0;
            for (int c = 0; c < dimension; c++)
                off = fmax(off, fabs(w.state.drive.stress[c] / PRESSURE - 1));
            steady = off < 1e-2 ? steady + 1 : 0;
            if (n % 20 == 0)
                assert_measured(&w);
        }
        assert_measured(&w);
        assert_probe_agrees(&w);
        mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
        print_message("%dD: %d steps, %d contacts, residual %.2e of %.2e J\n", dimension,
                      (int)w.state.step, (int)w.state.contacts, e.residual, e.input);
        assert_int_equal(steady, 10);
        assert_true(w.state.contacts > (dimension == 3 ? 64 : 36));
        /* 0.2 % is missing at most; half the step leaves a quarter of it, twice the step 0.8 % */
        assert_true(e.input > 0);
        assert_close(e.residual, 0, 5e-3 * e.input);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
