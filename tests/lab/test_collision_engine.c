/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab against the smooth engine: two bodies in an empty scene, small steps. */
#include "lab/collisions.h"

/* The collision in the engine with `steps` per expected contact time. */
static void in_engine(const mrn_collision *c, double h, mrn_rebound *out)
{
    world w;
    bool plane = isinf(c->radius[1]);
    world_begin(&w, 3, c->model.name, c->density[0], c->young[0], c->poisson[0]);
    memcpy(w.scene.interaction[0].value, c->value, sizeof c->value);
    w.scene.gravity = mrn_v3(0, 0, 0);
    double r = c->radius[0], gap = 0.37 * h * c->speed * cos(c->angle);
    mrn_vec3 v = {c->speed * sin(c->angle), 0, -c->speed * cos(c->angle)};
    mrn_body other = {0};
    if (plane)
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    else
        other = world_grain(&w, c->radius[1], mrn_v3(0, 0, -c->radius[1]), mrn_v3(0, 0, 0),
                            mrn_load3(c->spin[1]));
    /* such that they touch on the axis */
    mrn_vec3 x = {-gap * tan(c->angle), 0, r + gap};
    mrn_body ball_ = world_grain(&w, r, x, v, mrn_load3(c->spin[0]));
    world_start(&w, h);
    int64_t met = 0;
    for (int k = 0; k < 200000 && (met == 0 || w.state.contacts > 0); k++) {
        world_steps(&w, 1);
        met += w.state.contacts > 0;
    }
    mrn_vec3 a = world_v(&w, ball_), b = plane ? mrn_v3(0, 0, 0) : world_v(&w, other);
    out->en = (a.z - b.z) / (c->speed * cos(c->angle));
    out->et = (a.x - b.x) / (c->speed * sin(c->angle));
    mrn_store3(out->spin[0], world_w(&w, ball_));
    out->omega = out->spin[0][1];
    world_end(&w);
}

/* Laws whose steps are of second order all through: 4,000 steps leave 1e-5 at most. */
static void agree(const char *law, double angle, double spin, double size, double tolerance)
{
    mrn_collision c;
    mrn_rebound e;
    ball(&c, law);
    complete(&c);
    c.angle = angle * DEG;
    c.radius[1] = size;
    c.spin[0][1] = spin;
    mrn_rebound r = collide_one(&c, 1e-7);
    in_engine(&c, r.contact_time / 4000, &e);
    assert_close(r.en, e.en, tolerance);
    assert_close(r.et, e.et, tolerance);
    assert_close(r.omega * c.radius[0], e.omega * c.radius[0], tolerance);
}

static void second_order(void **state)
{
    (void)state;
    agree("linear", 20, 0, INFINITY, 1e-5);
    agree("linear", 50, 40, INFINITY, 1e-5);
    agree("linear", 30, -60, 7e-3, 1e-5);
    agree("hertz-mindlin", 20, 0, INFINITY, 1e-5);
    agree("hertz-mindlin", 35, 30, 7e-3, 1e-5);
    agree("hertz-mindlin", 60, 0, INFINITY, 1e-5);
    agree("viscoelastic", 25, 0, INFINITY, 1e-5);
    agree("dmt", 25, 0, INFINITY, 1e-5);
}

/* Micro-slip in steps of half a step ahead is of first order: 1/4000 of a part of et. */
static void first_order(void **state)
{
    (void)state;
    agree("zheng", 25, 0, INFINITY, 3e-4);
    agree("zheng", 60, 0, INFINITY, 3e-4);
}

/* Springs without a dashpot follow a falling limit to the end: a contact sticks again when its
   surface is slower than d(limit/k)/dt, as the law has it. A spring that lagged behind by a part of
   a step stuck early, at any length of the step, and et was 3e-3 off. */
static void undamped(void **state)
{
    (void)state;
    agree("walton-braun", 25, 0, INFINITY, 1e-5);
    agree("hertz", 25, 0, INFINITY, 1e-5);
    agree("elastic", 40, 0, 7e-3, 1e-5);
    agree("walton-braun", 78, 0, INFINITY, 1e-5);
    agree("hertz", 78, 0, INFINITY, 1e-5);
    agree("elastic", 78, 0, 7e-3, 1e-5);
}

/* Rolling resistance and spins out of the plane: the lab steps as the engine does. */
static void out_of_plane(void **state)
{
    (void)state;
    mrn_collision c;
    mrn_rebound e;
    ball(&c, "linear-rolling");
    complete(&c);
    c.angle = 25 * DEG;
    c.radius[1] = 7e-3;
    c.spin[0][0] = 50, c.spin[1][2] = 30, c.spin[1][1] = 10;
    mrn_rebound r = collide_one(&c, 1e-5);
    in_engine(&c, r.contact_time / 4000, &e);
    assert_close(r.en, e.en, 3e-5);
    assert_close(r.et, e.et, 3e-5);
    for (int i = 0; i < 3; i++)
        assert_close(r.spin[0][i] * c.radius[0], e.spin[0][i] * c.radius[0], 3e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_order),
                                       cmocka_unit_test(first_order), cmocka_unit_test(undamped),
                                       cmocka_unit_test(out_of_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
