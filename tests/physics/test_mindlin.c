/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential laws in imposed motion: no closed path of displacements gives energy, Coulomb's limit
   holds as a vector, and the spring follows the load as Mindlin's theory without micro-slip has it.
 */
#include "world.h"
#include <stdlib.h>

/* A grain that does not move, and a second one that the test moves along any path (by its velocity,
   with its force taken away before each step): contact at the origin, normal along z. */
typedef struct rig {
    world w;
    mrn_body still, moved;
    mrn_vec3 x; /* of the moved one */
    double r;
} rig;

static void rig_begin(rig *g, const char *law, double mu, double e, double over)
{
    g->r = 5e-3;
    world_begin(&g->w, 3, law, 2500, 1e9, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(&g->w, "normal-stiffness", 1e5);
    world_law(&g->w, "restitution", e);
    world_law(&g->w, "friction", mu);
    g->w.scene.gravity = mrn_v3(0, 0, 0);
    mrn_vec3 zero = {0, 0, 0};
    g->x = mrn_v3(0, 0, g->r - over);
    g->still = world_grain(&g->w, g->r, mrn_v3(0, 0, -g->r), zero, zero);
    g->w.state.body.flags[0] |= MRN_BODY_FIXED;
    g->moved = world_grain(&g->w, g->r, g->x, zero, zero);
    world_start(&g->w, 1e-6);
}

/* One step of the second grain that ends at `to` with displacement `d` per step there. Paths have
   to be smooth: spring and velocity are staggered by half a step, as they may be for bodies with
   mass, and a jump of the velocity leaves half a step of it behind. */
static mrn_vec3 rig_step(rig *g, mrn_vec3 to, mrn_vec3 d)
{
    mrn_state *s = &g->w.state;
    int32_t i = mrn_body_index(s, g->moved);
    mrn_store3(s->body.x + 3 * i, mrn_sub(to, d));
    mrn_store3(s->body.v + 3 * i, mrn_scale(1 / s->h, d));
    memset(s->body.w + 3 * i, 0, 3 * sizeof(double));
    memset(s->body.f + 3 * i, 0, 3 * sizeof(double));
    memset(s->body.t + 3 * i, 0, 3 * sizeof(double));
    world_steps(&g->w, 1);
    g->x = to;
    return mrn_load3(s->body.f + 3 * mrn_body_index(s, g->moved));
}

/* At uniform speed. */
static mrn_vec3 rig_move(rig *g, mrn_vec3 to)
{
    return rig_step(g, to, mrn_sub(to, g->x));
}

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

/* Random closed polygons in displacement space, from contact at rest and back to it, elastic in the
   normal direction: the work done on the contact over the cycle must not be negative. Work by the
   trapezoidal rule: its error is of second order in the step of the path, 1/500 of an edge: 1e-6 of
   the largest stored energy. A spring rescaled with the load in both directions fails this by some
   percent of it. */
static void closed_paths(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    double least = INFINITY, most = -INFINITY;
    for (int l = 0; l < 2; l++)
        for (uint64_t seed = 0; seed < 30; seed++) {
            mrn_rng rng = mrn_rng_seed(seed, 2);
            double mu = seed % 3 == 0 ? 100 : uniform(&rng, 0.1, 1);
            rig g;
            rig_begin(&g, laws[l], mu, 1, 1e-5);
            mrn_vec3 start = g.x, corner[6];
            mrn_vec3 before = mrn_load3(g.w.state.body.f + 3 * mrn_body_index(&g.w.state, g.moved));
            for (int k = 0; k < 5; k++)
                corner[k] = mrn_v3(start.x + uniform(&rng, -3e-6, 3e-6),
                                   start.y + uniform(&rng, -3e-6, 3e-6),
                                   start.z + uniform(&rng, -2e-5, 8e-6));
            corner[5] = start;
            double work = 0, stored = g.w.state.elastic;
            mrn_vec3 from = start;
            for (int k = 0; k < 6; k++) {
                for (int n = 1; n <= 500; n++) {
                    double p = n / 500.0; /* speeds up from rest and comes to rest */
                    mrn_vec3 at = g.x, edge = mrn_sub(corner[k], from);
                    mrn_vec3 to = mrn_axpy(p * p * (3 - 2 * p), edge, from);
                    mrn_vec3 f = rig_step(&g, to, mrn_scale(6 * p * (1 - p) / 500, edge));
                    work -= 0.5 * mrn_dot(mrn_add(f, before), mrn_sub(to, at));
                    before = f;
                    stored = fmax(stored, g.w.state.elastic);
                }
                from = corner[k];
            }
            least = fmin(least, work / stored), most = fmax(most, work / stored);
            assert_true(work > -1e-6 * stored);
            world_end(&g.w);
        }
    print_message("work of closed paths / largest energy: %.1e ... %.1e\n", least, most);
    assert_true(most > 1e-2); /* some of them do slide or lose with the load */
}

static double tangential(mrn_vec3 f, mrn_vec3 n)
{
    return mrn_norm(mrn_axpy(-mrn_dot(f, n), n, f));
}

/* A path that turns all the time in the contact plane while the load swings: |F_t| <= mu F_n at
   every step, as a vector, to rounding; and F_t points against the sliding once it slides steadily.
 */
static void coulomb_vector(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++)
        for (int damped = 0; damped < 2; damped++) {
            double mu = 0.3, a = 2e-5;
            rig g;
            rig_begin(&g, laws[l], mu, damped ? 0.5 : 1, 1e-5);
            mrn_vec3 start = g.x;
            int slid = 0, stuck = 0;
            for (int n = 1; n <= 4000; n++) {
                double p = 2 * MRN_PI * n / 2000.0;
                mrn_vec3 at = g.x;
                mrn_vec3 to = mrn_v3(start.x + a * sin(p), start.y + a * (1 - cos(p)),
                                     start.z + 6e-6 * sin(3.7 * p));
                mrn_vec3 f = rig_move(&g, to), normal = mrn_unit(mrn_sub(to, mrn_v3(0, 0, -g.r)));
                double fn = mrn_dot(f, normal), ft = tangential(f, normal);
                assert_true(ft <= mu * fabs(fn) * (1 + 1e-12));
                if (g.w.state.sliding == 0) {
                    stuck++;
                    continue;
                }
                slid++;
                assert_close(ft / (mu * fn), 1, 1e-9);
                if (n < 1000)
                    continue;
                /* the spring lags behind the turning direction by the angle it takes to slide
                   through its own length: elongation mu F_n / k_t ~ 3e-6 over the radius 2e-5 of
                   the path */
                mrn_vec3 v = mrn_sub(to, at);
                v = mrn_axpy(-mrn_dot(v, normal), normal, v);
                mrn_vec3 t = mrn_axpy(-fn, normal, f);
                assert_true(-mrn_dot(t, v) > 0.9 * mrn_norm(t) * mrn_norm(v));
            }
            assert_true(slid > 2000 && (damped || stuck > 10));
            world_end(&g.w);
        }
}

/* Mindlin: shear a contact, then change the load with the surfaces at rest. Loading keeps the
   tangential force; unloading shrinks it with the contact radius sqrt(delta). The grains do not
   rotate and the second moves along the normal only, so the direction of the normal changes by the
   shear over the distance: 2e-7 / 1e-2 = 2e-5 relative. */
static void load_and_unload(void **state)
{
    (void)state;
    rig g;
    double over = 1e-5;
    rig_begin(&g, "hertz-mindlin", 10, 1, over);
    mrn_vec3 f = {0, 0, 0}, x = g.x;
    for (int n = 1; n <= 200; n++)
        f = rig_move(&g, mrn_v3(x.x + 1e-9 * n, x.y, x.z));
    mrn_vec3 n = mrn_unit(mrn_sub(g.x, mrn_v3(0, 0, -g.r)));
    double k_t = 8 * (1 / (2 * (2 - 0.25) / (1e9 / 2.5))) * sqrt(0.5 * g.r * over);
    /* half a step of the motion is ahead of the spring: 1/400 */
    f = rig_move(&g, g.x);
    double ft = tangential(f, n);
    assert_close(ft / (k_t * 2e-7), 1, 1e-3);
    mrn_vec3 here = g.x;
    for (int k = 1; k <= 500; k++)
        f = rig_move(&g, mrn_axpy(-2e-8 * k, n, here));
    assert_close(tangential(f, n) / ft, 1, 1e-4);
    /* back to the first load: shrinks by sqrt(delta_0 / delta_1) = sqrt(1/2) */
    for (int k = 499; k >= 0; k--)
        f = rig_move(&g, mrn_axpy(-2e-8 * k, n, here));
    assert_close(tangential(f, n) / ft, sqrt(0.5), 1e-3);
    /* and further down to a quarter: half of that */
    for (int k = 1; k <= 500; k++)
        f = rig_move(&g, mrn_axpy(1.5e-8 * k, n, here));
    assert_close(tangential(f, n) / ft, sqrt(0.5) * 0.5, 1e-3);
    world_end(&g.w);
}

/* A contact that ends takes its spring with it: touching again it starts from nothing. */
static void ended_contact(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        rig g;
        rig_begin(&g, laws[l], 10, 1, 1e-5);
        mrn_vec3 x = g.x, f = {0, 0, 0};
        for (int n = 1; n <= 100; n++)
            f = rig_move(&g, mrn_v3(x.x + 1e-9 * n, x.y, x.z));
        mrn_vec3 n = mrn_unit(mrn_sub(g.x, mrn_v3(0, 0, -g.r))), here = g.x;
        assert_true(tangential(f, n) > 1e-3);
        double held = g.w.state.elastic;
        for (int k = 1; k <= 120; k++)
            f = rig_move(&g, mrn_axpy(1e-7 * k, n, here));
        assert_true(mrn_norm(f) == 0 && g.w.state.contacts == 0 && g.w.state.elastic == 0 &&
                    held > 0);
        for (int k = 119; k >= 0; k--)
            f = rig_move(&g, mrn_axpy(1e-7 * k, n, here));
        assert_close(tangential(f, n) / mrn_norm(f), 0, 1e-6);
        world_end(&g.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_paths),
        cmocka_unit_test(coulomb_vector),
        cmocka_unit_test(load_and_unload),
        cmocka_unit_test(ended_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
