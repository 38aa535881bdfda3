/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of states: of both engines, of frames; the residual of a node is the total force on it,
   whoever computed the forces; rattlers, stiffness, walls and cells. */
#include "by_hand.h"
#include "quasistatic/net.h"
#include "world.h"

typedef struct run {
    mrn_scene scene;
    mrn_state state;
    mrn_smooth *engine;
    mrn_message msg;
} run;

static void start(run *r, const char *text, int64_t steps)
{
    memset(r, 0, sizeof *r);
    ok(mrn_scene_read_text(text, "scene", NULL, 0, &r->scene, &r->msg), &r->msg);
    ok(mrn_world_build(&r->scene, &r->state, &r->msg), &r->msg);
    mrn_state_set_step(&r->state, mrn_smooth_step_limit(&r->scene, &r->state).advised);
    ok(mrn_smooth_create(&r->scene, &r->state, &r->engine, &r->msg), &r->msg);
    ok(mrn_smooth_step(r->engine, steps, &r->msg), &r->msg);
}

static void end(run *r)
{
    mrn_smooth_destroy(&r->engine);
    mrn_state_destroy(&r->state);
    mrn_scene_destroy(&r->scene);
}

static mrn_net net_of(run *r, const mrn_contacts *contacts, const mrn_net_options *opt)
{
    mrn_net net;
    ok(mrn_net_of(&r->scene, &r->state, contacts, opt, &net, &r->msg), &r->msg);
    return net;
}

static double *vector(int64_t n)
{
    return mrn_alloc((size_t)(n > 0 ? n : 1) * sizeof(double));
}

static double *residual_of(const mrn_net *net)
{
    double *f = vector(net->n_rows), *res = vector(net->n_unknowns);
    mrn_net_forces(net, f);
    mrn_net_residual(net, f, res);
    mrn_free(f);
    return res;
}

/* ---- forces and torques are the engine's ---- */

/* Whatever moves, Gᵀ f + F of a node is the force on it: sums of some ten forces in another order,
   so 1e-12 of the mean force. Torques of grains with corners go through the line of action of
   forces that may be small: `torques` is their tolerance. */
static void same_forces(const run *r, const mrn_net *net, double torques)
{
    double *res = residual_of(net);
    assert_true(net->n > 0);
    for (int32_t k = 0; k < net->n; k++) {
        const double *at = res + mrn_net_unknown(net, k, 0);
        const double *f = r->state.body.f + 3 * (size_t)net->body[k];
        const double *t = r->state.body.t + 3 * (size_t)net->body[k];
        for (int d = 0; d < net->dimension; d++)
            assert_close(at[d], f[d], 1e-12 * (net->mean_force + fabs(f[d])));
        if (!net->rotations)
            continue;
        for (int d = net->dimension; d < net->dofs; d++) {
            double turn = t[net->dimension == 2 ? 2 : d - 3] / net->length;
            assert_close(at[d], turn, (torques > 0 ? torques : 1e-12) * net->mean_force);
        }
    }
    mrn_free(res);
}

static void check_scene(const char *text, int64_t steps, double torques)
{
    run r;
    start(&r, text, steps);
    for (int way = 0; way < 2; way++) {
        mrn_net_options opt = mrn_net_default();
        opt.keep_rattlers = way;
        mrn_net net = net_of(&r, NULL, &opt);
        same_forces(&r, &net, torques);
        mrn_net_release(&net);
    }
    end(&r);
}

#define STAGES "stages: [{name: go, until: {time: 1 s}}]\n"
#define MATTER STAGES "materials: {m: {density: 2500 kg/m3, young: 0.2 MPa, poisson: 0.3}}\n"

static void test_spheres(void **state)
{
    (void)state;
    check_scene("moraine: 1\nseed: 5\ngravity: [0, 0, -30]\n" MATTER
                "interactions: [{between: any, law: {model: hertz-mindlin, rolling: "
                "elastic-plastic, twisting: elastic-plastic}, restitution: 0.3, friction: 0.4, "
                "rolling-friction: 0.1, twisting-friction: 0.1}]\n"
                "bodies: [{name: g, material: m, shape: {sphere: {diameter: {uniform: [3 mm, 5 "
                "mm]}}}, count: 60, velocity-spread: 0.2, place: {fill: {box: [[0, 0, 0], [2 cm, 2 "
                "cm, 2.2 cm]]}}}]\n"
                "walls: [{name: drum, material: m, cylinder: {from: [1 cm, 1 cm, 0], to: [1 cm, 1 "
                "cm, 5 cm], radius: 1.5 cm}}]\n",
                6000, 0);
}

static void test_disks(void **state)
{
    (void)state;
    check_scene("moraine: 1\ndimension: 2\nseed: 5\ngravity: [0, -10]\n" MATTER
                "interactions: [{between: any, law: linear, normal-stiffness: 1e5 N/m, "
                "restitution: 0.3, friction: 0.4}]\n"
                "bodies: [{name: g, material: m, shape: {disk: {diameter: {uniform: [3 mm, 5 "
                "mm]}}}, count: 30, velocity-spread: 0.1, place: {fill: {box: [[0, 0], [2 cm, 4 "
                "cm]]}}}]\n"
                "cell: {periodic: [x], size: [2 cm, 4 cm]}\n"
                "walls: [{name: floor, material: m, plane: {point: [0, 0], normal: [0, 1]}}]\n",
                8000, 0);
}

static void test_clusters_and_bridges(void **state)
{
    (void)state;
    check_scene("moraine: 1\nseed: 5\ngravity: [0, 0, -30]\n" MATTER
                "interactions: [{between: any, law: {model: hertz-mindlin, cohesion: jkr}, "
                "restitution: 0.3, friction: 0.4, surface-energy: 0.05 J/m2}]\n"
                "clusters: {pair: {form: dimer, aspect: 1.8}}\n"
                "bodies: [{name: g, material: m, shape: {cluster: {of: pair, diameter: 4 mm}}, "
                "count: 40, velocity-spread: 0.2, place: {fill: {box: [[0, 0, 0], [2 cm, 2 cm, 2.5 "
                "cm]]}}}]\n"
                "cell: {periodic: [x, y], size: [2 cm, 2 cm, 3 cm]}\n"
                "forces: [{name: wind, force: [0.1 mN, 0, 0]}]\n"
                "walls: [{name: floor, material: m, plane: {point: [0, 0, 0], normal: [0, 0, "
                "1]}}]\n",
                6000, 0);
}

/* Forces of the smooth engine on grains with corners, with the torques of areas. */
static void test_corners(void **state)
{
    (void)state;
    check_scene("moraine: 1\ndimension: 2\nseed: 5\ngravity: [0, -30]\n" MATTER
                "interactions: [{between: any, law: linear, normal-stiffness: 3e5 N/m, "
                "restitution: 0.3, friction: 0.4}]\n"
                "bodies: [{name: g, material: m, shape: {polygon: {sides: 5, radius: 2 mm}}, "
                "count: 12, place: {fill: {box: [[0, 0], [2 cm, 2.5 cm]]}}}, "
                "{name: d, material: m, shape: {disk: {radius: 2 mm}}, count: 6, place: {fill: "
                "{box: [[0, 2.5 cm], [2 cm, 4 cm]]}}}]\n"
                "cell: {periodic: [x], size: [2 cm, 4 cm]}\n"
                "walls: [{name: floor, material: m, plane: {point: [0, 0], normal: [0, 1]}}]\n",
                6000, 1e-9);
    check_scene("moraine: 1\nseed: 5\ngravity: [0, 0, -30]\n" MATTER
                "interactions: [{between: any, law: linear, normal-stiffness: 3e3 N/m, "
                "restitution: 0.3, friction: 0.4}]\n"
                "bodies: [{name: g, material: m, shape: {polyhedron: {regular: cube, radius: 2 "
                "mm}}, count: 12, velocity: [0, 0, -0.3], place: {fill: {box: [[0, 0, 0], [1.2 cm, "
                "1.2 cm, 1.8 cm]]}}}]\n"
                "cell: {periodic: [x, y], size: [1.2 cm, 1.2 cm, 3 cm]}\n"
                "walls: [{name: floor, material: m, plane: {point: [0, 0, 0], normal: [0, 0, "
                "1]}}]\n",
                4000, 1e-9);
}

/* ---- stiffness, friction, limits ---- */

/* Two spheres pressed together by hand, and one of them on a floor. */
static void pressed(world *w, double friction, double overlap)
{
    world_begin(w, 3, "hertz-mindlin", 2500, 1e7, 0.3);
    world_law(w, "friction", friction);
    world_law(w, "restitution", 0.5);
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    mrn_vec3 none = {0, 0, 0};
    world_grain(w, 1e-3, mrn_v3(0, 0, 1e-3 - overlap), none, none);
    world_grain(w, 2e-3, mrn_v3(0, 0, 4e-3 - 2 * overlap), none, none);
    world_start(w, 1e-7);
}

/* Hertz: N = 4/3 E* sqrt(R) d^(3/2), k_n = 2 E* sqrt(R d); 1/E* = 2 (1 - nu^2) / E. */
static void test_stiffness(void **state)
{
    (void)state;
    world w;
    double d = 1e-5, young = 1e7 / (2 * (1 - 0.09));
    pressed(&w, 0.3, d);
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    opt.keep_rattlers = true;
    ok(mrn_net_of(&w.scene, &w.state, NULL, &opt, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 2);
    assert_int_equal(net.n_contacts, 2);
    for (int64_t k = 0; k < 2; k++) {
        const hand_contact c_of = hand_of(&net, k), *c = &c_of;
        double r = c->a < 0 ? 1e-3 : 1e-3 * 2e-3 / 3e-3;
        assert_close(c->gap, -d, 1e-12);
        assert_close(c->force[0], 4.0 / 3 * young * sqrt(r) * pow(d, 1.5), 1e-6 * c->force[0]);
        assert_close(c->kn, 2 * young * sqrt(r * d), 1e-6 * c->kn);
        /* Mindlin: k_t / k_n = 2 (1 - nu) / (2 - nu) for equal materials */
        assert_close(c->kt / c->kn, 2 * 0.7 / 1.7, 1e-6);
        assert_close(c->friction, 0.3, 0);
        assert_int_equal(c->rows, 3);
        assert_int_equal(net.contact.interaction[k], 0);
        assert_int_equal(c->shape, MRN_NET_ROUND);
        if (c->a < 0) {
            assert_close(c->curve_a, 0, 0);
            assert_close(c->rc.z, -(1e-3 - d), 1e-12);
        }
    }
    assert_close(net.length, 1.5e-3, 1e-15);
    mrn_net_release(&net);
    opt.frictionless = true;
    ok(mrn_net_of(&w.scene, &w.state, NULL, &opt, &net, &w.msg), &w.msg);
    assert_int_equal(net.dofs, 3);
    assert_int_equal(net.n_rows, 2);
    mrn_net_release(&net);
    world_end(&w);
}

/* Inside a circle of radius R its curvature is -1/R, outside of a rod 1/R. */
static void test_round_walls(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        world w;
        mrn_wall_def ring = mrn_wall_default("cylinder");
        mrn_vec3 none = {0, 0, 0};
        world_begin(&w, 2, "linear", 2500, 1e7, 0.3);
        world_law(&w, "normal-stiffness", 1e4);
        world_law(&w, "restitution", 0.5);
        world_law(&w, "friction", 0.5);
        mrn_wall_set(&ring, "radius", 5e-3, &w.msg);
        mrn_wall_set(&ring, "inside", inside, &w.msg);
        mrn_wall_set_vector(&ring, "point", none, &w.msg);
        world_wall(&w, &ring);
        world_grain(&w, 1e-3, mrn_v3(inside ? 4.01e-3 : 5.99e-3, 0, 0), none, none);
        world_start(&w, 1e-7);
        mrn_net_options opt = mrn_net_default();
        opt.keep_rattlers = true;
        mrn_net net;
        ok(mrn_net_of(&w.scene, &w.state, NULL, &opt, &net, &w.msg), &w.msg);
        assert_int_equal(net.n_contacts, 1);
        assert_close(net.element[0].curve_a, inside ? -200 : 200, 1e-6);
        assert_close(net.element[0].curve_c, 1000, 1e-9);
        mrn_net_release(&net);
        world_end(&w);
    }
}

/* ---- rattlers ---- */

/* Disks without friction in a box: two in the lower corners, one on both of them under the lid; a
   small one touches a wall alone. Forces are those of overlaps, far above 1e-4 of their mean. */
static void test_rattlers(void **state)
{
    (void)state;
    world w;
    double r = 1e-3, o = 1e-6, s = sqrt(3.0);
    mrn_vec3 none = {0, 0, 0};
    world_begin(&w, 2, "linear", 2500, 1e7, 0.3);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 1, 0));                    /* floor */
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(1, 0, 0));                    /* left  */
    world_plane(&w, mrn_v3(4 * r - 3 * o, 0, 0), mrn_v3(-1, 0, 0));       /* right */
    world_plane(&w, mrn_v3(0, (2 + s) * r - 2 * o, 0), mrn_v3(0, -1, 0)); /* lid   */
    world_grain(&w, r, mrn_v3(r - o, r - o, 0), none, none);              /* in the left corner  */
    world_grain(&w, r, mrn_v3(3 * r - 2 * o, r - o, 0), none, none);      /* in the right corner */
    world_grain(&w, r, mrn_v3(2 * r - o, (1 + s) * r - 1.5 * o, 0), none, none); /* on both */
    world_grain(&w, 0.2 * r, mrn_v3(0.2 * r - o, 2.5 * r, 0), none, none); /* on the left wall */
    world_start(&w, 1e-7);
    mrn_net net;
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 3);
    assert_int_equal(net.rattlers, 1);
    assert_int_equal(net.dropped, 1);
    assert_int_equal(net.n_contacts, 8);
    assert_int_equal(net.dofs, 2);
    assert_true(net.forces_known);
    for (int32_t k = 0; k < net.n; k++)
        assert_int_equal(net.node[net.body[k]], k);
    mrn_net_release(&net);
    /* without the lid the third is held by two: it goes, then the corners by two walls and each
       other remain */
    w.state.body.flags[3] |= MRN_BODY_ABSENT;
    ok(mrn_smooth_refresh(w.engine, &w.msg), &w.msg);
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 2);
    assert_int_equal(net.rattlers, 2);
    assert_int_equal(net.n_contacts, 5);
    /* what the third pressed with is a load now */
    double *res = residual_of(&net);
    for (int32_t k = 0; k < net.n; k++)
        for (int d = 0; d < 2; d++)
            assert_close(res[2 * k + d], w.state.body.f[3 * net.body[k] + d],
                         1e-12 * net.mean_force);
    mrn_free(res);
    mrn_net_release(&net);
    mrn_net_options opt = mrn_net_default();
    opt.keep_rattlers = true;
    ok(mrn_net_of(&w.scene, &w.state, NULL, &opt, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 4);
    assert_int_equal(net.n_contacts, 8);
    assert_int_equal(net.rattlers, 0);
    mrn_net_release(&net);
    world_end(&w);
}

static void test_nothing_bears(void **state)
{
    (void)state;
    world w;
    mrn_vec3 none = {0, 0, 0};
    world_begin(&w, 3, "hertz-mindlin", 2500, 1e7, 0.3);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0.5);
    world_grain(&w, 1e-3, mrn_v3(0, 0, 0), none, none);
    world_grain(&w, 1e-3, mrn_v3(1, 0, 0), none, none);
    world_start(&w, 1e-7);
    mrn_net net;
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 0);
    assert_int_equal(net.rattlers, 2);
    assert_int_equal(net.n_unknowns, 0);
    mrn_equilibrium e;
    mrn_net_equilibrium(&net, &e);
    assert_true(e.good);
    mrn_net_release(&net);
    mrn_state bare = {0};
    assert_int_equal(mrn_net_of(&w.scene, &bare, NULL, NULL, &net, &w.msg), MRN_ERR_INPUT);
    mrn_net_release(&net);
    world_end(&w);
}

/* ---- globals ---- */

/* A column of two spheres without weight between a floor and a lid that presses with a force. */
static void test_servo_wall(void **state)
{
    (void)state;
    world w;
    mrn_vec3 none = {0, 0, 0};
    world_begin(&w, 3, "linear", 2500, 1e7, 0.3);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0.3);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_plane(&w, mrn_v3(0, 0, 4e-3 - 3e-6), mrn_v3(0, 0, -1));
    mrn_motion *m = &w.scene.wall[1].motion;
    m->kind = MRN_MOTION_SERVO;
    m->servo_direction = mrn_v3(0, 0, -1);
    m->servo_target = mrn_signal_constant(0.01);
    world_grain(&w, 1e-3, mrn_v3(0, 0, 1e-3 - 1e-6), none, none);
    world_grain(&w, 1e-3, mrn_v3(0, 0, 3e-3 - 2e-6), none, none);
    world_start(&w, 1e-7);
    mrn_net net;
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    assert_int_equal(net.n_globals, 1);
    assert_string_equal(net.global[0].name, "plane-2");
    assert_int_equal(net.global[0].wall, 1);
    assert_close(net.global[0].load, 0.01, 1e-15);
    assert_int_equal(net.n, 2);
    mrn_equilibrium e;
    mrn_net_equilibrium(&net, &e); /* springs of 1e4 N/m at 1e-6 m: 0.01 N each */
    assert_true(e.good);
    assert_true(e.global < 1e-9);
    mrn_net_release(&net);
    w.scene.wall[1].motion.servo_target = mrn_signal_constant(0.02);
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    mrn_net_equilibrium(&net, &e);
    assert_close(e.global, 0.5, 1e-6); /* half of the load is missing */
    mrn_net_release(&net);
    mrn_net_options opt = {0};
    ok(mrn_net_of(&w.scene, &w.state, NULL, &opt, &net, &w.msg), &w.msg);
    assert_int_equal(net.n_globals, 0);
    mrn_net_release(&net);
    world_end(&w);
}

/* A cubic crystal of 27 spheres in a periodic cell: stress of its contacts N / (4 R^2). */
static void crystal(world *w, mrn_control_kind kind, double target)
{
    mrn_vec3 none = {0, 0, 0};
    double a = 2e-3 - 1e-6;
    world_begin(w, 3, "linear", 2500, 1e7, 0.3);
    world_law(w, "normal-stiffness", 1e4);
    world_law(w, "restitution", 1); /* a servo that acts at once finds no dashpots */
    world_law(w, "friction", 0.3);
    for (int k = 0; k < 3; k++) {
        world_periodic(w, k, 0, 3 * a);
        w->scene.cell.control.kind[k] = kind;
        w->scene.cell.control.target[k] = mrn_signal_constant(target);
    }
    for (int k = 0; k < 27; k++)
        world_grain(w, 1e-3, mrn_v3(a * (k % 3), a * (k / 3 % 3), a * (k / 9)), none, none);
    world_start(w, 1e-7);
}

static void test_cell(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        world w;
        double a = 2e-3 - 1e-6, p = 0.01 / (a * a);
        crystal(&w, way ? MRN_CONTROL_STRESS : MRN_CONTROL_RATE, way ? p : 0);
        mrn_net net;
        ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
        assert_int_equal(net.n_globals, 6);
        assert_int_equal(net.n, 27);
        assert_int_equal(net.n_contacts, 81);
        assert_int_equal(net.n_unknowns, 27 * 6 + 6);
        double *f = vector(net.n_rows), stress[6];
        mrn_net_forces(&net, f);
        mrn_net_stress(&net, f, stress);
        for (int k = 0; k < 6; k++)
            assert_close(stress[k], k < 3 ? p : 0, 1e-6 * p); /* an overlap of 1e-6 m in 2e-3 */
        for (int k = 0; k < 6; k++)
            assert_close(net.global[k].load, k < 3 ? -27 * a * a * a * p / net.global[k].scale : 0,
                         1e-6 * fabs(net.global[0].load));
        mrn_equilibrium e;
        mrn_net_equilibrium(&net, &e);
        assert_true(e.good);
        mrn_free(f);
        mrn_net_release(&net);
        world_end(&w);
    }
}

/* ---- other sources ---- */

/* The arrays of a frame say the same as the list, but for moments, which they do not hold. */
static void test_frame(void **state)
{
    (void)state;
    run r;
    start(&r,
          "moraine: 1\ndimension: 2\nseed: 5\ngravity: [0, -10]\n" MATTER
          "interactions: [{between: any, law: linear, normal-stiffness: 1e5 N/m, restitution: 0.3, "
          "friction: 0.4}]\n"
          "bodies: [{name: g, material: m, shape: {disk: {diameter: {uniform: [3 mm, 5 mm]}}}, "
          "count: 30, place: {fill: {box: [[0, 0], [2 cm, 4 cm]]}}}]\n"
          "cell: {periodic: [x], size: [2 cm, 4 cm]}\n"
          "walls: [{name: floor, material: m, plane: {point: [0, 0], normal: [0, 1]}}]\n",
          8000);
    mrn_contacts contacts = {0};
    ok(mrn_contacts_collect(&r.scene, &r.state, 0, &contacts, &r.msg), &r.msg);
    mrn_net net = net_of(&r, NULL, NULL), same = net_of(&r, &contacts, NULL);
    same_forces(&r, &same, 0);
    assert_int_equal(same.n, net.n);
    assert_int_equal(same.n_contacts, net.n_contacts);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        assert_close(same.element[k].kn, net.element[k].kn, 1e-9 * net.element[k].kn);
        assert_int_equal(hand_of(&same, k).source, hand_of(&net, k).source);
        assert_int_equal(same.element[k].status, net.element[k].status);
    }
    mrn_net_release(&same);
    /* forces not known: grains are held by counting */
    memset(contacts.force, 0, 3 * (size_t)contacts.n * sizeof(double));
    same = net_of(&r, &contacts, NULL);
    assert_false(same.forces_known);
    assert_true(same.n >= net.n);
    mrn_net_release(&same);
    mrn_net_release(&net);
    mrn_contacts_destroy(&contacts);
    end(&r);
}

/* Rigid disks in a trough at rest: forces of impulses balance the weight. No stiffness: said. */
static void test_nonsmooth(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_nonsmooth *engine = NULL;
    ok(mrn_scene_read_text(
           "moraine: 1\ndimension: 2\nmethod: nonsmooth\ngravity: [0, -10]\n" STAGES
           "materials: {m: {density: 2500 kg/m3, young: 10 MPa, poisson: 0.3}}\n"
           "nonsmooth: {tolerance: 1e-12}\n"
           "interactions: [{between: any, law: rigid, friction: 0.5, rolling-friction: 0.1}]\n"
           "bodies: [{name: g, material: m, shape: {disk: {radius: 1 cm}}, place: {list: [[1 cm, 1 "
           "cm], [3 cm, 1 cm], [2 cm, 2.7320508075688772 cm]]}}]\n"
           "walls: [{name: floor, material: m, plane: {point: [0, 0], normal: [0, 1]}},"
           "{name: left, material: m, plane: {point: [0, 0], normal: [1, 0]}},"
           "{name: right, material: m, plane: {point: [4 cm, 0], normal: [-1, 0]}}]\n",
           "scene", NULL, 0, &scene, &msg),
       &msg);
    ok(mrn_world_build(&scene, &s, &msg), &msg);
    mrn_state_set_step(&s, 1e-3);
    ok(mrn_nonsmooth_create(&scene, &s, &engine, &msg), &msg);
    ok(mrn_nonsmooth_step(engine, 200, &msg), &msg);
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    assert_int_equal(mrn_net_of(&scene, &s, NULL, &opt, &net, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "no stiffness"));
    opt.kn = 1e6, opt.kt_ratio = 0.5;
    ok(mrn_net_of(&scene, &s, NULL, &opt, &net, &msg), &msg);
    assert_int_equal(net.n, 3);
    mrn_equilibrium e;
    mrn_net_equilibrium(&net, &e);
    assert_true(e.force < 1e-6);
    assert_true(e.moment < 1e-6);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        const hand_contact c_of = hand_of(&net, k), *c = &c_of;
        double reach = c->a < 0 ? 1e-2 : 5e-3;
        assert_int_equal(c->rows, 3);
        assert_close(c->kn, 1e6, 0);
        assert_close(c->kt, 5e5, 0);
        assert_close(c->roll_limit[0], 0.1 * reach, 1e-12);
        assert_close(mrn_norm(c->rc), 1e-2, 1e-5);
    }
    mrn_net_release(&net);
    mrn_nonsmooth_destroy(&engine);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* Rigid spheres with a law that has a stiffness: k_n at the force they carry. Hertz: N = 4/3 E*
   sqrt(R) d^(3/2) gives k_n = (6 E*^2 R N)^(1/3). */
static void test_nonsmooth_hertz(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_nonsmooth *engine = NULL;
    ok(mrn_scene_read_text(
           "moraine: 1\nmethod: nonsmooth\ngravity: [0, 0, -10]\n" STAGES
           "materials: {m: {density: 2500 kg/m3, young: 10 MPa, poisson: 0.3}}\n"
           "interactions: [{between: any, law: hertz-mindlin, restitution: 0, friction: 0.5}]\n"
           "bodies: [{name: g, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: [[0, 0, "
           "1 cm]]}}]\n"
           "walls: [{name: floor, material: m, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n",
           "scene", NULL, 0, &scene, &msg),
       &msg);
    ok(mrn_world_build(&scene, &s, &msg), &msg);
    mrn_state_set_step(&s, 1e-3);
    ok(mrn_nonsmooth_create(&scene, &s, &engine, &msg), &msg);
    ok(mrn_nonsmooth_step(engine, 20, &msg), &msg);
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    opt.keep_rattlers = true;
    ok(mrn_net_of(&scene, &s, NULL, &opt, &net, &msg), &msg);
    assert_int_equal(net.n_contacts, 1);
    double n = net.element[0].force[0], young = 1e7 / (2 * (1 - 0.09));
    assert_close(n, 2500 * 4.0 / 3 * MRN_PI * 1e-6 * 10, 1e-6 * n);
    assert_close(net.element[0].kn, cbrt(6 * young * young * 1e-2 * n), 1e-6 * net.element[0].kn);
    mrn_net_release(&net);
    mrn_nonsmooth_destroy(&engine);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* A fixed grain may be C of the list: in the network C is a node always. */
static void test_fixed_grains(void **state)
{
    (void)state;
    world w;
    mrn_vec3 none = {0, 0, 0};
    world_begin(&w, 2, "linear", 2500, 1e7, 0.3);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0.3);
    for (int k = 0; k < 5; k++) {
        mrn_body b =
            world_grain(&w, 1e-3, mrn_v3((2e-3 - 1e-6) * k, 1e-5 * (k % 2), 0), none, none);
        if (k % 2 == 0)
            w.state.body.flags[mrn_body_index(&w.state, b)] |= MRN_BODY_FIXED;
    }
    world_start(&w, 1e-7);
    mrn_net net;
    ok(mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 2);
    assert_int_equal(net.n_contacts, 4);
    double *res = residual_of(&net);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        assert_true(net.element[k].c >= 0);
        assert_int_equal(net.element[k].a, -1);
        assert_int_equal(hand_of(&net, k).body_c, net.body[net.element[k].c]);
        assert_true(net.element[k].force[0] > 0);
    }
    for (int32_t k = 0; k < net.n; k++)
        for (int d = 0; d < 2; d++)
            assert_close(res[3 * k + d], w.state.body.f[3 * net.body[k] + d],
                         1e-12 * net.mean_force);
    mrn_free(res);
    mrn_net_release(&net);
    world_end(&w);
}

static void test_memory(void **state)
{
    (void)state;
    world w;
    crystal(&w, MRN_CONTROL_RATE, 0);
    size_t before = mrn_bytes_in_use();
    for (int64_t fail = 1;; fail++) {
        mrn_net net;
        mrn_alloc_fail_at(fail);
        mrn_status st = mrn_net_of(&w.scene, &w.state, NULL, NULL, &net, &w.msg);
        mrn_alloc_fail_at(0);
        mrn_net_release(&net);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_true(fail < 200);
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_disks),
        cmocka_unit_test(test_clusters_and_bridges),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_stiffness),
        cmocka_unit_test(test_round_walls),
        cmocka_unit_test(test_rattlers),
        cmocka_unit_test(test_nothing_bears),
        cmocka_unit_test(test_servo_wall),
        cmocka_unit_test(test_cell),
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_nonsmooth),
        cmocka_unit_test(test_nonsmooth_hertz),
        cmocka_unit_test(test_fixed_grains),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
