/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What many grains conserve: momentum, angular momentum, energy, and the energy ledger with
 * friction, walls and a straining cell. */
/* ctest-labels: slow long */
#include "world.h"
#include <stdlib.h>

static double u(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static mrn_vec3 u3(mrn_rng *r, double a)
{
    double x = u(r, -a, a), y = u(r, -a, a);
    return mrn_v3(x, y, u(r, -a, a));
}

/* Grains on a cubic lattice of side `pitch`, displaced a little, with random velocity and spin. */
static void gas(world *w, int side, double pitch, double r, double spread, double v, double spin,
                uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 1);
    for (int k = 0; k < side * side * side; k++) {
        mrn_vec3 at = mrn_v3((k % side + 0.5) * pitch, (k / side % side + 0.5) * pitch,
                             (k / side / side + 0.5) * pitch);
        double size = r * u(&rng, 1 - spread, 1);
        world_grain(w, size, mrn_add(at, u3(&rng, 0.5 * pitch - r)), u3(&rng, v), u3(&rng, spin));
    }
}

static mrn_vec3 momentum(const mrn_state *s)
{
    mrn_vec3 p = {0, 0, 0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        p = mrn_axpy(s->body.mass[i], mrn_load3(s->body.v + 3 * i), p);
    return p;
}

static mrn_vec3 angular_momentum(const mrn_state *s)
{
    mrn_vec3 l = {0, 0, 0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        mrn_vec3 p = mrn_scale(s->body.mass[i], mrn_load3(s->body.v + 3 * i));
        l = mrn_add(l, mrn_cross(mrn_load3(s->body.x + 3 * i), p));
        l = mrn_axpy(s->body.inertia[i], mrn_load3(s->body.w + 3 * i), l);
    }
    return l;
}

/* Action and reaction are the same number with two signs, so momentum changes only by rounding of
   the velocities: per step and grain half a unit of the last place of m v at most, with random
   sign: sqrt(n steps) eps m v. Asked: a hundred times that. A force that lacks its reaction for one
   step of one contact would show 1e9 times larger. */
static void momentum_of_a_gas(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        world w;
        world_begin(&w, 3, laws[l], 2500, 1e8, 0.25);
        if (l == 0)
            world_law(&w, "normal-stiffness", 1e4);
        world_law(&w, "restitution", 0.7);
        world_law(&w, "friction", 0.5);
        w.scene.gravity = mrn_v3(0, 0, 0);
        double r = 1e-3, pitch = 2.05e-3, v = 1;
        for (int k = 0; k < 3; k++)
            world_periodic(&w, k, 0, 6 * pitch);
        gas(&w, 6, pitch, r, 0.2, v, 300, 7 + (uint64_t)l);
        world_start(&w, 1e-6);
        mrn_vec3 before = momentum(&w.state);
        double scale = 216 * w.state.body.mass[0] * v;
        int64_t contacts = 0;
        for (int k = 0; k < 80; k++) {
            world_steps(&w, 25);
            contacts += w.state.contacts;
        }
        assert_true(contacts > 200);
        mrn_vec3 change = mrn_sub(momentum(&w.state), before);
        assert_close(mrn_norm(change) / scale, 0, 100 * sqrt(216 * 2000.0) / 216 * 2.2e-16);
        world_end(&w);
    }
}

/* A cloud falls together and flies apart in free space: angular momentum, orbital and spin. The
   contact point divides the line of centres for both grains, so torques match forces exactly;
   rounding as above, with positions of order 10 r. The drift x += h v is exact for orbital momentum
   but for the force's change within a step, which acts along and across the branch at the end of
   the step while the kick uses both ends: pairwise cancellation is exact for each evaluation, so
   only rounding is left. */
static void angular_momentum_of_a_cloud(void **state)
{
    (void)state;
    world w;
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e8, 0.25);
    world_law(&w, "restitution", 0.8);
    world_law(&w, "friction", 0.6);
    w.scene.gravity = mrn_v3(0, 0, 0);
    double r = 1e-3, pitch = 2.05e-3;
    gas(&w, 5, pitch, r, 0.3, 0.5, 500, 3);
    /* all towards the middle, with a swirl */
    mrn_vec3 c = mrn_v3(2.5 * pitch, 2.5 * pitch, 2.5 * pitch);
    for (int32_t i = 0; i < w.state.body.n; i++) {
        mrn_vec3 d = mrn_sub(mrn_load3(w.state.body.x + 3 * i), c);
        mrn_vec3 v = mrn_axpy(-100, d, mrn_cross(mrn_v3(20, -30, 60), d));
        mrn_store3(w.state.body.v + 3 * i, mrn_add(v, mrn_load3(w.state.body.v + 3 * i)));
    }
    world_start(&w, 1e-6);
    mrn_vec3 l0 = angular_momentum(&w.state), p0 = momentum(&w.state);
    double most = 0, scale = mrn_norm(l0);
    int64_t contacts = 0;
    for (int k = 0; k < 100; k++) {
        world_steps(&w, 25);
        contacts += w.state.contacts;
        most = fmax(most, mrn_norm(mrn_sub(angular_momentum(&w.state), l0)));
    }
    assert_true(contacts > 500);
    assert_close(most / scale, 0, 1e-12);
    assert_close(mrn_norm(mrn_sub(momentum(&w.state), p0)), 0, 1e-12 * scale / (5 * pitch));
    world_end(&w);
}

static double energy(world *w)
{
    return mrn_measure_energies(&w->scene, &w->state).total;
}

/* Elastic Hertz gas without friction: velocity Verlet is symplectic, so the energy swings with
   (h/t_c)^2 during impacts and has no trend. The force is only once differentiable at touch: each
   impact leaves a small random change. A slope is fitted over 20000 steps (dozens of impacts per
   grain): the change along it must stay within the swing's size. */
static void elastic_gas(void **state)
{
    (void)state;
    world w;
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e8, 0.25);
    world_law(&w, "restitution", 1);
    world_law(&w, "friction", 0);
    w.scene.gravity = mrn_v3(0, 0, 0);
    double r = 1e-3, pitch = 2.2e-3;
    for (int k = 0; k < 3; k++)
        world_periodic(&w, k, 0, 4 * pitch);
    gas(&w, 4, pitch, r, 0.2, 1, 0, 5);
    world_start(&w, 5e-7);
    double start = energy(&w), worst = 0, st = 0, se = 0, stt = 0, ste = 0;
    int n = 200;
    for (int k = 0; k < n; k++) {
        world_steps(&w, 100);
        double e = energy(&w) / start - 1;
        worst = fmax(worst, fabs(e));
        st += k, se += e, stt += (double)k * k, ste += k * e;
    }
    double slope = (n * ste - st * se) / (n * stt - st * st);
    print_message("elastic gas: largest change %.1e, along the fitted line %.1e\n", worst,
                  slope * n);
    assert_true(worst < 2e-4);
    assert_true(fabs(slope * n) < 5e-5);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_true(e.dissipated == 0);
    world_end(&w);
}

/* About 100 grains fall into a pile on a plane between planes, damped and with friction. */
static double collapse(const char *law, double part, uint64_t seed, double *lost)
{
    world w;
    world_begin(&w, 3, law, 2500, 1e7, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(&w, "normal-stiffness", 2e3);
    world_law(&w, "restitution", 0.6);
    world_law(&w, "friction", 0.5);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    double r = 1e-3, pitch = 2.2e-3;
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(1, 0, 0));
    world_plane(&w, mrn_v3(4 * pitch, 0, 0), mrn_v3(-1, 0, 0));
    world_periodic(&w, 1, 0, 4 * pitch);
    gas(&w, 4, pitch, r, 0.3, 0.3, 100, seed);
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    w.scene.accuracy = MRN_FINE;
    double h = part * mrn_smooth_step_limit(&w.scene, &w.state).advised;
    world_start(&w, h);
    double kinetic = mrn_measure_energies(&w.scene, &w.state).kinetic;
    world_steps(&w, (int64_t)(0.04 / h + 0.5));
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_true(e.dissipated > 0.5 * kinetic); /* much has happened */
    *lost = e.dissipated;
    double residual = e.residual;
    world_end(&w);
    return residual;
}

/* The residual of the ledger is the error of the integration, of second order: a quarter for half
   the step. A many-body collapse is chaotic, so different steps see different impacts: the
   root-mean-square over seeds is compared, and a slope of at least 1.5 asked over a factor 4 in the
   step. At the step of `accuracy: fine`, the second of the three, 1e-3 of the loss;
   at that of `normal`, the first, four times that. */
static void ledger_closes(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        double rms[3] = {0}, lost;
        for (int k = 0; k < 3; k++) {
            for (uint64_t seed = 0; seed < 2; seed++)
                rms[k] += pow(collapse(laws[l], 2.0 / (1 << k), seed, &lost) / lost, 2) / 2;
            rms[k] = sqrt(rms[k]);
        }
        double order = log2(rms[0] / rms[2]) / 2;
        print_message("%-14s residual / loss: %.1e %.1e %.1e, order %.2f\n", laws[l], rms[0],
                      rms[1], rms[2], order);
        assert_true(rms[0] < 4e-3);
        assert_true(rms[1] < 1e-3);
        assert_true(order > 1.5);
    }
}

/* A cell that shrinks does work on the grains: booked, the ledger closes as above. */
static double squeeze(double h, uint64_t seed, double *work)
{
    world w;
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e7, 0.25);
    world_law(&w, "restitution", 0.6);
    world_law(&w, "friction", 0.5);
    w.scene.gravity = mrn_v3(0, 0, 0);
    double r = 1e-3, pitch = 2.02e-3;
    for (int k = 0; k < 3; k++) {
        world_periodic(&w, k, 0, 4 * pitch);
        w.scene.cell.control.target[k] = mrn_signal_constant(-20 + 5 * k);
    }
    gas(&w, 4, pitch, r, 0.1, 0.02, 10, seed);
    world_start(&w, h);
    world_steps(&w, (int64_t)(0.008 / h + 0.5));
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    *work = w.state.ledger.cell_work;
    assert_true(w.state.contacts > 100);
    assert_true(*work > 0);
    assert_close(w.state.ledger.cell_work, e.input, 0);
    double residual = e.residual;
    world_end(&w);
    return residual;
}

static void cell_work(void **state)
{
    (void)state;
    double rms[3] = {0}, work;
    for (int k = 0; k < 3; k++) {
        for (uint64_t seed = 0; seed < 2; seed++)
            rms[k] += pow(squeeze(4e-6 / (1 << k), seed, &work) / work, 2) / 2;
        rms[k] = sqrt(rms[k]);
    }
    double order = log2(rms[0] / rms[2]) / 2;
    print_message("straining cell residual / work: %.1e %.1e %.1e, order %.2f\n", rms[0], rms[1],
                  rms[2], order);
    assert_true(rms[0] < 1e-3);
    assert_true(order > 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_a_gas), cmocka_unit_test(angular_momentum_of_a_cloud),
        cmocka_unit_test(elastic_gas),       cmocka_unit_test(ledger_closes),
        cmocka_unit_test(cell_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
