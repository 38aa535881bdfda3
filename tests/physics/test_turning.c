/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts that stick and turn, without any loss: springs are carried from step to step by a map
   that is its own inverse backwards in time, so the energy swings and does not drift. */
/* ctest-labels: slow */
#include "smooth/cluster_world.h"

#define R 1e-3

static mrn_law_model mixed(const char *normal, const char *tangential, const char *rolling,
                           const char *twisting)
{
    const mrn_law *part[MRN_LAW_KINDS] = {0};
    part[MRN_LAW_NORMAL] = mrn_law_find(MRN_LAW_NORMAL, normal);
    part[MRN_LAW_TANGENTIAL] = mrn_law_find(MRN_LAW_TANGENTIAL, tangential);
    part[MRN_LAW_ROLLING] = rolling ? mrn_law_find(MRN_LAW_ROLLING, rolling) : NULL;
    part[MRN_LAW_TWISTING] = twisting ? mrn_law_find(MRN_LAW_TWISTING, twisting) : NULL;
    mrn_law_model m;
    mrn_message msg = {0};
    ok(mrn_law_mix(part, &m, &msg), &msg);
    return m;
}

/* 32 spheres in a crystal, four to a cell of 2 x 2 x 2 periodic ones, pressed together by 2 % of
   their size, with friction without end. */
static void crystal(world *w, const mrn_law_model *law)
{
    memset(w, 0, sizeof *w);
    w->scene = mrn_scene_default();
    mrn_group none = mrn_group_empty();
    ok(mrn_scene_add_material(&w->scene, "stuff", 2500, 0, 0.25, &w->msg), &w->msg);
    ok(mrn_scene_add_law_model(&w->scene, "stuff", "stuff", law, &w->msg), &w->msg);
    ok(mrn_scene_add_grains(&w->scene, "grains", "stuff", NULL, &none, &w->msg), &w->msg);
    world_law(w, "friction", 100);
    w->scene.gravity = mrn_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        world_periodic(w, k, 0, 2 * 2 * R * sqrt(2) * 0.98);
}

/* Every sphere with a velocity and a spin of its own, some 10 cm/s. */
static void fill(world *w)
{
    const double base[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    mrn_rng r = mrn_rng_seed(3, 1);
    for (int c = 0; c < 32; c++) {
        double x[9];
        for (int d = 0; d < 3; d++)
            x[d] = 2 * R * sqrt(2) * 0.98 * (base[c % 4][d] + (c / 4 >> d & 1) + 0.25);
        for (int d = 3; d < 9; d++)
            x[d] = 2 * mrn_rng_uniform(&r) - 1;
        world_grain(w, R, mrn_v3(x[0], x[1], x[2]), mrn_v3(0.1 * x[3], 0.1 * x[4], 0.1 * x[5]),
                    mrn_v3(100 * x[6], 100 * x[7], 100 * x[8]));
    }
}

/* What the energy has gained after `steps` over that of motion at the beginning: the mean of the
   last tenth less that of the first (it swings). */
static double gain(world *w, double h, int steps)
{
    world_start(w, h);
    mrn_energies e = mrn_measure_energies(&w->scene, &w->state);
    double motion = e.kinetic + e.rotational, early = 0, late = 0;
    int64_t contacts = w->state.contacts;
    for (int k = 0; k < 100; k++) {
        world_steps(w, steps / 100);
        e = mrn_measure_energies(&w->scene, &w->state);
        double now = (e.kinetic + e.rotational + e.elastic - e.input) / motion;
        early += k < 10 ? now / 10 : 0;
        late += k >= 90 ? now / 10 : 0;
    }
    assert_int_equal(w->state.contacts, contacts); /* none has opened: nothing was lost with it */
    return late - early;
}

/* Law values where the law has them. */
static void give(world *w, const mrn_law_model *law, const char *name, double value)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(law, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, name) == 0)
            world_law(w, name, value);
}

/* Springs fed with predicted velocities, turned by those of the end of the step and projected, made
   the energy of motion grow by what stands behind each case. What is left is the scatter of a
   finite sample of the swings, whose size is (h w)^2/4. */
static void crystal_keeps(const char *name, const mrn_law_model *law, const char *shear)
{
    world w;
    crystal(&w, law);
    give(&w, law, "normal-stiffness", 1e4);
    give(&w, law, "rolling-friction", 10), give(&w, law, "twisting-friction", 10);
    give(&w, law, "rolling-stiffness-ratio", 0.2), give(&w, law, "twisting-stiffness-ratio", 0.2);
    give(&w, law, "rolling-damping", 0), give(&w, law, "twisting-damping", 0);
    fill(&w);
    if (shear != NULL) {
        w.scene.cell.control.kind[MRN_XY] = MRN_CONTROL_RATE;
        ok(mrn_signal_expression(shear, &w.scene.cell.control.target[MRN_XY], &w.msg), &w.msg);
    }
    double m = 4. / 3 * MRN_PI * R * R * R * 2500;
    double g = gain(&w, 0.1 * sqrt(m / 1e4), 40000);
    print_message("%s: %+.2e of the energy of motion\n", name, g);
    assert_close(g, 0, 5e-3);
    world_end(&w);
}

static void crystals(void **state)
{
    (void)state;
    mrn_law_model linear = mixed("elastic", "linear-friction", NULL, NULL);
    mrn_law_model turning =
        mixed("elastic", "linear-friction", "elastic-plastic", "elastic-plastic");
    crystal_keeps("crystal", &linear, NULL);
    crystal_keeps("crystal with rolling and twisting", &turning, NULL);
    crystal_keeps("crystal in a straining cell", &linear, "2*cos(2000*t)");
}

/* Eight pairs of spheres that are one body each, in a periodic cell as before: centres of a cubic
   lattice, the bells along x and nearly in touch along it, pressed together along all axes. */
static void clusters(void **state)
{
    (void)state;
    static const double centre[] = {-1, 0, 0, 1, 0, 0}, radius[] = {1, 1};
    world w;
    cluster_world(&w, 3, 2, centre, radius);
    world_law(&w, "friction", 100);
    w.scene.gravity = mrn_v3(0, 0, 0);
    double r = R * cbrt(2.), lx = 0.98 * 4 * R, l = 0.98 * 2 * R; /* r: sphere of equal volume */
    world_periodic(&w, 0, 0, 2 * lx);
    world_periodic(&w, 1, 0, 4 * l);
    world_periodic(&w, 2, 0, 4 * l);
    mrn_rng g = mrn_rng_seed(4, 1);
    for (int c = 0; c < 32; c++) {
        double x[6];
        for (int d = 0; d < 6; d++)
            x[d] = 2 * mrn_rng_uniform(&g) - 1;
        cluster_add(&w, r, mrn_v3(lx * (c % 2 + 0.5), l * (c / 2 % 4 + 0.5), l * (c / 8 + 0.5)),
                    mrn_v3(0.03 * x[0], 0.03 * x[1], 0.03 * x[2]),
                    mrn_v3(20 * x[3], 20 * x[4], 20 * x[5]), (mrn_quat){1, 0, 0, 0});
    }
    double m = 4. / 3 * MRN_PI * R * R * R * 2500, drift = gain(&w, 0.1 * sqrt(m / 2e4), 20000);
    print_message("clusters: %+.2e of the energy of motion\n", drift);
    assert_close(drift, 0, 5e-3);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crystals), cmocka_unit_test(clusters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
