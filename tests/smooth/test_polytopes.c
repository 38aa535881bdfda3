/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains with corners in the smooth engine: free tops, bounces, rest, friction, stacks, walls. */
/* ctest-labels: slow */
#include <stdlib.h>
#include <unistd.h>

#include "smooth/polytope_world.h"

static mrn_vec3 up(int dimension)
{
    return dimension == 3 ? mrn_v3(0, 0, 1) : mrn_v3(0, 1, 0);
}

/* A world with gravity and a floor. */
static void floor_world(world *w, int dimension, mrn_polytope polytope, double stiffness)
{
    polytope_world(w, dimension, 1, &polytope);
    world_law(w, "normal-stiffness", stiffness);
    w->scene.gravity = mrn_scale(-9.81, up(dimension));
    world_plane(w, mrn_v3(0, 0, 0), up(dimension));
}

static double advised(world *w)
{
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    w->scene.accuracy = MRN_FINE; /* what tolerances below are argued for */
    return mrn_smooth_step_limit(&w->scene, &w->state).advised;
}

static double lost(const world *w)
{
    return w->state.ledger.lost_normal + w->state.ledger.lost_tangential;
}

/* The turn that puts a face, an edge or a corner of a cube (a face or corner of a square) down. */
static mrn_quat lowest(const world *w, int feature)
{
    const mrn_convex *c = &w->scene.polytope[0].part[0];
    mrn_vec3 down = mrn_scale(-1, up(w->scene.dimension)), to = mrn_load3(c->plane);
    if (feature == 1)
        to = mrn_unit(
            mrn_add(mrn_load3(c->point + 3 * c->edge[0]), mrn_load3(c->point + 3 * c->edge[1])));
    if (feature == 2)
        to = mrn_unit(mrn_load3(c->point));
    return turn_between(to, down);
}

/* ---- free ---- */

/* A box spinning about its middle axis tips over and over; angular momentum gathers only rounding,
   the energy swings by O((w h)^2) and does not drift. */
static void free_top(void **state)
{
    (void)state;
    world w;
    mrn_polytope box = box_polytope(3, 1, 2, 3);
    polytope_world(&w, 3, 1, &box);
    mrn_body b = polytope_add(&w, 0, 0.01, mrn_v3(0, 0, 0), mrn_quat_identity());
    const mrn_bodies *a = &w.state.body;
    mrn_vec3 m = mrn_principal_moments(&w.scene, a, 0), spin = {3, 3, 3};
    double middle = m.x + m.y + m.z - fmin(m.x, fmin(m.y, m.z)) - fmax(m.x, fmax(m.y, m.z));
    *(m.x == middle ? &spin.x : m.y == middle ? &spin.y : &spin.z) = 100;
    polytope_move(&w, b, mrn_v3(0, 0, 0), spin);
    world_start(&w, 2e-5);
    double e0 = mrn_rotational_energy(&w.scene, a, 0), begin = 0, end = 0, worst = 0;
    mrn_vec3 l0 = mrn_angular_momentum(m, mrn_load_quat(a->q), mrn_load3(a->w));
    int turns = 0;
    double side = 1;
    for (int k = 0; k < 500; k++) {
        world_steps(&w, 100);
        double e = mrn_rotational_energy(&w.scene, a, 0) / e0 - 1;
        worst = fmax(worst, fabs(e));
        begin += k < 50 ? e / 50 : 0;
        end += k >= 450 ? e / 50 : 0;
        mrn_vec3 body = mrn_rotate(mrn_quat_conj(mrn_load_quat(a->q)), mrn_load3(a->w));
        if (mrn_dot(body, spin) * side < -0.5 * mrn_dot(spin, spin))
            side = -side, turns++;
    }
    mrn_vec3 l1 = mrn_angular_momentum(m, mrn_load_quat(a->q), mrn_load3(a->w));
    assert_true(turns >= 2);
    assert_close(mrn_norm(mrn_sub(l1, l0)) / mrn_norm(l0), 0, 1e-10);
    assert_true(worst < 4e-6); /* (w h)^2 */
    assert_close(end, begin, 4e-7);
    world_end(&w);
}

/* ---- bounces ---- */

static void take_back(world *w, const char *name)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&w->scene.interaction[0].model, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, name) == 0)
            w->scene.interaction[0].value[i].given = false;
}

/* In place of stiffness and damping: the time that a face has with this stiffness, and e. */
static void law_by_time(world *w, mrn_body b, double stiffness, double e)
{
    double m = w->state.body.mass[mrn_body_index(&w->state, b)];
    double le = log(e), w2 = MRN_PI * MRN_PI + le * le; /* of the damped half period */
    take_back(w, "normal-stiffness"), take_back(w, "normal-damping");
    world_law(w, "contact-time", sqrt(w2 * m / stiffness));
    world_law(w, "restitution", e);
}

/* Without damping and friction nothing is lost, whatever touches whatever: some thirty impacts on
   faces, edges and corners. At the advised step the error swings by some 1e-4 of the energy, and
   falls with the square of the step until the kinks of the force at begin and end of contacts
   show. With a contact time the stiffness is that of the mass, not of the mass felt at a corner,
   which changes while it is touched: the same bounds hold. (Before, the error of the cube was 16
   times as large at the fine step, and did not fall with the step.) */
static double worst_energy(int dimension, double part, bool by_time)
{
    world w;
    floor_world(&w, dimension, dimension == 3 ? regular_polytope("cube") : polygon_polytope(4),
                dimension == 3 ? 2e4 : 1e6);
    mrn_vec3 x = mrn_scale(0.03, up(dimension));
    mrn_quat q = mrn_quat_from_rotation(dimension == 3 ? mrn_v3(0.3, 0.5, 0.2) : mrn_v3(0, 0, 0.3));
    mrn_body b = polytope_add(&w, 0, 1e-2, x, q);
    polytope_move(&w, b, mrn_v3(0.1, 0, 0), dimension == 3 ? mrn_v3(1, 2, 3) : mrn_v3(0, 0, 5));
    if (by_time)
        law_by_time(&w, b, dimension == 3 ? 2e4 : 1e6, 1);
    double h = part * advised(&w);
    world_start(&w, h);
    double e0 = mechanical(&w), worst = 0;
    int64_t touched = 0;
    for (int k = 0; k < 500; k++) {
        world_steps(&w, (int64_t)(0.5 / (500 * h)));
        worst = fmax(worst, fabs(mechanical(&w) / e0 - 1));
        touched += w.state.contacts;
    }
    assert_true(touched > 0);
    world_end(&w);
    return worst;
}

static void elastic(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dimension = 2 + k % 2;
        double coarse = worst_energy(dimension, 2, k > 1),
               fine = worst_energy(dimension, 0.5, k > 1);
        assert_true(coarse < 4e-3);
        assert_true(fine < 4e-4);
        assert_true(fine < 0.3 * coarse);
    }
}

/* A grain that falls on its face, edge or corner with its centre above rebounds with the law's
   restitution: the gradient of the contact changes stiffness and mass alike, and damping follows
   the mass that is felt, with a contact time as well. (A face is not quite without gradient change;
   the damped step is of second order: 1 %.) */
static void restitution(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        int what = k % 5;
        int dimension = what < 3 ? 3 : 2, feature = what < 3 ? what : what == 3 ? 0 : 2;
        world w;
        mrn_polytope polytope = dimension == 3 ? regular_polytope("cube") : polygon_polytope(4);
        polytope_world(&w, dimension, 1, &polytope);
        world_plane(&w, mrn_v3(0, 0, 0), up(dimension));
        world_law(&w, "normal-stiffness", dimension == 3 ? 2e5 : 1e8);
        take_back(&w, "normal-damping");
        world_law(&w, "restitution", 0.5);
        double bound = 0.01 * w.scene.polytope[0].bound;
        mrn_body b =
            polytope_add(&w, 0, 0.01, mrn_scale(1.01 * bound, up(dimension)), lowest(&w, feature));
        polytope_move(&w, b, mrn_scale(-0.1, up(dimension)), mrn_v3(0, 0, 0));
        if (k >= 5)
            law_by_time(&w, b, dimension == 3 ? 2e5 : 1e8, 0.5);
        double h = advised(&w);
        world_start(&w, h);
        for (int n = 0;
             n < 1000 && !(mrn_dot(world_v(&w, b), up(dimension)) > 0 && w.state.contacts == 0);
             n++)
            world_steps(&w, 20);
        assert_close(mrn_dot(world_v(&w, b), up(dimension)) / 0.1, 0.5, 0.005);
        world_end(&w);
    }
}

/* Two grains that meet in space: momentum and angular momentum to rounding, energy to 1e-4. */
static void free_pair(world *w, mrn_body a, mrn_body b)
{
    polytope_move(w, a, mrn_v3(0.2, 0.02, 0), mrn_v3(0, 0, 3));
    polytope_move(w, b, mrn_v3(-0.1, 0, 0), mrn_v3(0, 0, -2));
    double h = 0.5 * advised(w);
    world_start(w, h);
    mrn_body body[2] = {a, b};
    mrn_vec3 p[2], l[2];
    double e[2];
    int64_t met = 0;
    for (int when = 0; when < 2; when++) {
        p[when] = l[when] = mrn_v3(0, 0, 0);
        for (int k = 0; k < 2; k++) {
            const mrn_bodies *s = &w->state.body;
            int32_t i = mrn_body_index(&w->state, body[k]);
            mrn_vec3 push = mrn_scale(s->mass[i], world_v(w, body[k]));
            p[when] = mrn_add(p[when], push);
            l[when] = mrn_add(l[when], mrn_cross(world_x(w, body[k]), push));
            l[when] = mrn_add(l[when], mrn_angular_momentum(mrn_principal_moments(&w->scene, s, i),
                                                            mrn_load_quat(s->q + 4 * (size_t)i),
                                                            world_w(w, body[k])));
        }
        e[when] = mechanical(w) + lost(w);
        for (int k = 0; k < 400 && when == 0; k++) {
            world_steps(w, (int64_t)(0.15 / (400 * h)) + 1);
            met += w->state.contacts;
        }
    }
    assert_true(met > 0);
    assert_int_equal(w->state.contacts, 0);
    assert_close(mrn_norm(mrn_sub(p[1], p[0])) / mrn_norm(p[0]), 0, 1e-11);
    assert_close(mrn_norm(mrn_sub(l[1], l[0])) / mrn_norm(l[0]), 0, 1e-9);
    assert_close(e[1] / e[0], 1, 1e-4);
}

static void collisions(void **state)
{
    (void)state;
    for (int what = 0; what < 6; what++) {
        int dimension = what < 3 ? 2 : 3;
        world w;
        mrn_polytope polytope[2] = {
            dimension == 2 ? polygon_polytope(5) : box_polytope(3, 1, 1.5, 2),
            dimension == 2 ? polygon_polytope(3) : regular_polytope("icosahedron")};
        polytope_world(&w, dimension, 2, polytope);
        world_law(&w, "normal-stiffness", dimension == 2 ? 1e6 : 2e4);
        if (what % 3 == 1)
            world_law(&w, "friction", 0.5);
        mrn_quat q = mrn_quat_from_rotation(mrn_v3(0, 0, 0.4));
        mrn_quat t = mrn_quat_from_rotation(dimension == 2 ? mrn_v3(0, 0, 1) : mrn_v3(1, 2, 3));
        mrn_body a = polytope_add(&w, 0, 0.01, mrn_v3(0, 0, 0), q);
        mrn_body b = what % 3 == 2 ? ball_add(&w, 0.008, mrn_v3(0.03, 0.004, 0))
                                   : polytope_add(&w, 1, 0.008, mrn_v3(0.03, 0.004, 0), t);
        free_pair(&w, a, b);
        world_end(&w);
    }
}

/* ---- rest ---- */

/* Dropped on a face, an edge, a corner: comes to rest on a face, its weight on the floor, its
   centre half a side up less what it sinks. The account is closed to 0.3 % of the energy lost: the
   work of dashpots is summed by trapezes. */
static void dropped(void **state)
{
    (void)state;
    for (int what = 0; what < 5; what++) {
        int dimension = what < 3 ? 3 : 2, feature = what < 3 ? what : what == 3 ? 0 : 2;
        double k = dimension == 3 ? 2e4 : 1e6, r = 0.01;
        world w;
        floor_world(&w, dimension, dimension == 3 ? regular_polytope("cube") : polygon_polytope(4),
                    k);
        world_law(&w, "normal-damping", dimension == 3 ? 10 : 600);
        world_law(&w, "friction", 0.5);
        mrn_quat tip =
            mrn_quat_from_rotation(dimension == 3 ? mrn_v3(0.02, 0.01, 0) : mrn_v3(0, 0, 0.02));
        mrn_quat q = mrn_quat_mul(feature == 0 ? mrn_quat_identity() : tip, lowest(&w, feature));
        mrn_body b = polytope_add(&w, 0, r, mrn_scale(0.02, up(dimension)), q);
        double h = 2 * advised(&w);
        world_start(&w, h);
        double e0 = mechanical(&w);
        world_steps(&w, (int64_t)(1.0 / h));
        double mass = w.state.body.mass[mrn_body_index(&w.state, b)], weight = 9.81 * mass;
        double half = r * w.scene.polytope[0].part[0].plane[3];
        assert_close(-mrn_dot(mrn_load3(w.state.body.f), up(dimension)) / weight, 1, 1e-4);
        mrn_vec3 spin = world_w(&w, b); /* about the normal only twisting laws would stop it */
        assert_close(mrn_norm(world_v(&w, b)), 0, 1e-6);
        assert_close(mrn_norm(mrn_cross(spin, up(3))) + (dimension == 2 ? fabs(spin.z) : 0), 0,
                     1e-4);
        assert_close(mrn_dot(world_x(&w, b), up(dimension)), half - weight / k, 1e-4 * half);
        assert_close((mechanical(&w) + lost(&w)) / e0, 1, 3e-3);
        world_end(&w);
    }
}

/* On a slope less steep than friction bears a box stays where it is: in 0.2 s it creeps less than a
   billionth of its size; on a steeper one it slides with g (sin a - mu cos a). */
static void slope(void **state)
{
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        world w;
        double a = 0.3, mu = steep ? 0.2 : 0.5;
        floor_world(&w, 3, box_polytope(3, 1, 1, 0.5), 2e4);
        w.scene.gravity = mrn_v3(9.81 * sin(a), 0, -9.81 * cos(a));
        world_law(&w, "normal-damping", 10);
        world_law(&w, "friction", mu);
        const mrn_convex *c = &w.scene.polytope[0].part[0];
        int flat = 0;
        for (int f = 0; f < c->n_faces; f++)
            flat = c->plane[4 * f + 3] < c->plane[4 * flat + 3] ? f : flat;
        mrn_quat q = turn_between(mrn_load3(c->plane + 4 * flat), mrn_v3(0, 0, -1));
        mrn_body b = polytope_add(&w, 0, 0.01, mrn_v3(0, 0, 0.01 * c->plane[4 * flat + 3]), q);
        double h = 2 * advised(&w);
        world_start(&w, h);
        world_steps(&w, (int64_t)(0.2 / h));
        mrn_vec3 x = world_x(&w, b), v = world_v(&w, b);
        double t = w.state.time;
        world_steps(&w, (int64_t)(0.2 / h));
        double gain = world_v(&w, b).x - v.x;
        if (steep)
            assert_close(gain / (w.state.time - t), 9.81 * (sin(a) - mu * cos(a)), 5e-3);
        else
            assert_close(mrn_norm(mrn_sub(world_x(&w, b), x)), 0, 1e-11);
        world_end(&w);
    }
}

/* Three boxes, each a little aside of the one below, stand; so does a ball on top. */
static void stack(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w;
        double k = dimension == 3 ? 1e5 : 1e7, r = 0.01;
        floor_world(&w, dimension, dimension == 3 ? regular_polytope("cube") : polygon_polytope(4),
                    k);
        world_law(&w, "normal-damping", dimension == 3 ? 50 : 5000);
        world_law(&w, "friction", 0.5);
        double side = 2 * r * w.scene.polytope[0].part[0].plane[3];
        mrn_quat q = lowest(&w, 0);
        mrn_body box[3];
        for (int n = 0; n < 3; n++)
            box[n] = polytope_add(
                &w, 0, r,
                mrn_axpy(side * (n + 0.5), up(dimension), mrn_v3(n == 1 ? 0.1 * side : 0, 0, 0)),
                q);
        mrn_body ball = ball_add(&w, 0.5 * r, mrn_scale(3 * side + 0.5 * r, up(dimension)));
        double h = 2 * advised(&w), weight = 0;
        world_start(&w, h);
        for (int32_t i = 1; i < w.state.body.n; i++)
            weight += 9.81 * w.state.body.mass[i];
        world_steps(&w, (int64_t)(0.3 / h));
        mrn_vec3 x = world_x(&w, box[2]), y = world_x(&w, ball);
        world_steps(&w, (int64_t)(0.2 / h));
        assert_close(-mrn_dot(mrn_load3(w.state.body.f), up(dimension)) / weight, 1, 1e-3);
        assert_close(mrn_dot(x, up(dimension)), 2.5 * side, 2e-3 * side);
        assert_close(x.x, 0, 2e-3 * side);
        /* the slowest mode, the tower's sway, is still dying away */
        assert_close(mrn_norm(mrn_sub(world_x(&w, box[2]), x)), 0, 1e-5 * side);
        assert_close(mrn_dot(y, up(dimension)), 3 * side + 0.5 * r, 2e-3 * side);
        world_end(&w);
    }
}

/* ---- walls ---- */

static void add_wall(world *w, const char *type, const char *const *name, const mrn_value *given,
                     int n)
{
    mrn_wall_def wall = mrn_wall_default(type);
    const mrn_shape_type *t = mrn_shape_type_find(type);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < t->n_params; k++)
            if (strcmp(t->params[k].name, name[i]) == 0) {
                wall.value[k] = given[i];
                wall.value[k].given = true;
            }
    world_wall(w, &wall);
}

/* A grain thrown about inside of every kind of container, and at obstacles, for some bounces: it
   stays in, and keeps its energy to 1 %. (Round obstacles push along the normal of the deepest
   place, which is a gradient only nearly.) */
static void containers(void **state)
{
    (void)state;
    for (int what = 0; what < 8; what++) {
        int dimension = what % 2 == 0 ? 3 : 2;
        double l = 0.05, deep = dimension == 3 ? l : 0;
        world w;
        mrn_polytope polytope = dimension == 3 ? box_polytope(3, 1, 1.3, 0.8) : polygon_polytope(5);
        polytope_world(&w, dimension, 1, &polytope);
        world_law(&w, "normal-stiffness", dimension == 3 ? 1e5 : 2e7);
        mrn_value box = {.a = mrn_v3(-l, -l, -deep), .b = mrn_v3(l, l, deep)};
        mrn_value small = {.a = mrn_v3(-0.01, -0.01, dimension == 3 ? -0.01 : 0),
                           .b = mrn_v3(0.01, 0.01, dimension == 3 ? 0.01 : 0)};
        mrn_value flag = {.flag = false, .number = 0}, radius = {.number = l};
        if (what < 4 || what >= 6)
            add_wall(&w, "box", (const char *[]){"corners"}, &box, 1);
        if (what >= 2 && what < 4)
            add_wall(&w, "box", (const char *[]){"corners", "inside"}, (mrn_value[]){small, flag},
                     2);
        if (what == 6)
            add_wall(
                &w, "cylinder", (const char *[]){"from", "to", "radius", "inside"},
                (mrn_value[]){
                    {.a = mrn_v3(0, 0, -0.01)}, {.a = mrn_v3(0, 0, 0.01)}, {.number = 0.01}, flag},
                4);
        if (what == 7)
            add_wall(&w, "cylinder", (const char *[]){"point", "radius", "inside"},
                     (mrn_value[]){{.a = mrn_v3(0, 0, 0)}, {.number = 0.01}, flag}, 3);
        if (what == 4)
            add_wall(&w, "cylinder", (const char *[]){"from", "to", "radius"},
                     (mrn_value[]){{.a = mrn_v3(0, 0, -l)}, {.a = mrn_v3(0, 0, l)}, radius}, 3);
        if (what == 5)
            add_wall(&w, "cylinder", (const char *[]){"point", "radius"},
                     (mrn_value[]){{.a = mrn_v3(0, 0, 0)}, radius}, 2);
        mrn_body b = polytope_add(&w, 0, 0.008, mrn_v3(0.03, 0.02, 0), mrn_quat_identity());
        polytope_move(&w, b, mrn_v3(-0.5, 0.4, dimension == 3 ? 0.3 : 0),
                      dimension == 3 ? mrn_v3(10, 20, -10) : mrn_v3(0, 0, 20));
        double h = advised(&w);
        world_start(&w, h);
        double e0 = mechanical(&w);
        int64_t met = 0;
        for (int k = 0; k < 200; k++) {
            mrn_vec3 v = world_v(&w, b);
            world_steps(&w, (int64_t)(0.6 / (200 * h)));
            met += mrn_norm(mrn_sub(world_v(&w, b), v)) > 1e-3;
            mrn_vec3 x = world_x(&w, b);
            assert_true(fabs(x.x) < l && fabs(x.y) < l && fabs(x.z) < l);
        }
        assert_true(met > 5);
        assert_close(mechanical(&w) / e0, 1, 1e-2);
        world_end(&w);
    }
}

/* The first thing that a pentagonal bar, alone in its world, meets is a block with six faces: it
   comes back as fast as it came. */
static void block_in_the_way(void **state)
{
    (void)state;
    double bar[30];
    for (int k = 0; k < 10; k++)
        mrn_store3(bar + 3 * k, mrn_v3(cos(0.4 * MRN_PI * (k / 2)), sin(0.4 * MRN_PI * (k / 2)),
                                       k % 2 ? 1 : -1));
    const mrn_corners part = {10, bar};
    world w;
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_make("bar", 3, 1, &part, &f, NULL, NULL, NULL, &msg), &msg);
    polytope_world(&w, 3, 1, &f);
    world_law(&w, "normal-stiffness", 1e5);
    mrn_value block = {.a = mrn_v3(-0.01, -0.03, -0.03), .b = mrn_v3(0.01, 0.03, 0.03)};
    mrn_value flag = {.flag = false, .number = 0};
    add_wall(&w, "box", (const char *[]){"corners", "inside"}, (mrn_value[]){block, flag}, 2);
    mrn_body b = polytope_add(&w, 0, 0.008, mrn_v3(0.03, 0, 0), mrn_quat_identity());
    polytope_move(&w, b, mrn_v3(-0.5, 0, 0), mrn_v3(0, 0, 0));
    double h = advised(&w), e0 = mechanical(&w);
    world_start(&w, h);
    world_steps(&w, (int64_t)(0.06 / h));
    assert_true(world_v(&w, b).x > 0.1 && world_x(&w, b).x > 0.01); /* some of it spins */
    assert_close(mechanical(&w) / e0, 1, 1e-2);
    world_end(&w);
}

/* A wall that is one plane cut into four triangles, by hand: STL files come through io. */
static void write_floor(const char *path)
{
    static const double at[5][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0.01, 0, 0}};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("solid floor\n", f);
    for (int k = 0; k < 4; k++) {
        const double *p[3] = {at[k], at[(k + 1) % 4], at[4]};
        fputs("facet normal 0 0 1\nouter loop\n", f);
        for (int n = 0; n < 3; n++)
            fprintf(f, "vertex %.17g %.17g %.17g\n", p[n][0], p[n][1], p[n][2]);
        fputs("endloop\nendfacet\n", f);
    }
    fputs("endsolid floor\n", f);
    fclose(f);
}

/* A box pushed over the seams of a flat mesh without friction keeps its speed, height and attitude:
   faces in one plane are one contact. */
static void mesh_floor(void **state)
{
    (void)state;
    char dir[] = "/tmp/moraine-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/floor.stl", dir);
    write_floor(path);
    world w;
    mrn_polytope cube = regular_polytope("cube");
    polytope_world(&w, 3, 1, &cube);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    world_law(&w, "normal-damping", 10);
    mrn_value file = {.given = true};
    snprintf(file.text, sizeof file.text, "%s", path);
    add_wall(&w, "mesh", (const char *[]){"file"}, &file, 1);
    double half = 0.01 * w.scene.polytope[0].part[0].plane[3];
    mrn_body b = polytope_add(&w, 0, 0.01, mrn_v3(-0.03, 0.002, half), lowest(&w, 0));
    polytope_move(&w, b, mrn_v3(0.2, 0, 0), mrn_v3(0, 0, 0));
    double h = 2 * advised(&w);
    world_start(&w, h);
    world_steps(&w, (int64_t)(0.4 / h)); /* over the seams that meet at x = 0.01 */
    mrn_vec3 x = world_x(&w, b), v = world_v(&w, b);
    assert_close(v.x, 0.2, 1e-6);
    assert_close(mrn_norm(mrn_v3(0, v.y, v.z)), 0, 1e-6);
    assert_close(x.z, half - 9.81 * w.state.body.mass[1] / FORM_WORLD_K, 1e-3 * half);
    assert_close(mrn_norm(world_w(&w, b)), 0, 1e-4);
    world_end(&w);
    remove(path);
    remove(dir);
}

/* An L of two boxes, which is not convex, falls on a second one and on the floor: the account of an
   undamped run is closed to 1e-3, that of a damped one too. */
static void two_parts(void **state)
{
    (void)state;
    double long_one[24], short_one[24];
    for (int k = 0; k < 8; k++) {
        mrn_store3(long_one + 3 * k, mrn_v3(k & 1 ? 3 : 0, k & 2 ? 1 : 0, k & 4 ? 1 : 0));
        mrn_store3(short_one + 3 * k, mrn_v3(k & 1 ? 1 : 0, k & 2 ? 1 : 0, k & 4 ? 3 : 1));
    }
    const mrn_corners part[2] = {{8, long_one}, {8, short_one}};
    for (int damped = 0; damped < 2; damped++) {
        world w;
        mrn_polytope l;
        mrn_message msg = {0};
        ok(mrn_polytope_make("L", 3, 2, part, &l, NULL, NULL, NULL, &msg), &msg);
        floor_world(&w, 3, l, 2e4);
        world_law(&w, "normal-damping", damped ? 10 : 0);
        world_law(&w, "friction", damped ? 0.5 : 0);
        polytope_add(&w, 0, 0.01, mrn_v3(0, 0, 0.03),
                     mrn_quat_from_rotation(mrn_v3(0.3, 0.2, 0.1)));
        polytope_add(&w, 0, 0.01, mrn_v3(0.005, 0, 0.07),
                     mrn_quat_from_rotation(mrn_v3(1.3, 0.2, 0.1)));
        double h = advised(&w);
        world_start(&w, h);
        double e0 = mechanical(&w);
        for (int k = 0; k < 5; k++) {
            world_steps(&w, (int64_t)(0.1 / h));
            assert_close((mechanical(&w) + lost(&w)) / e0, 1, 1e-3);
        }
        assert_int_equal(lost(&w) > 0.2 * e0, damped);
        world_end(&w);
    }
}

/* A ball in the inner corner of an L is held by both of its arms: pushed along the diagonal. */
static void inner_corner(void **state)
{
    (void)state;
    double flat[24], tall[24], scale, s = 0.01;
    for (int k = 0; k < 8; k++) {
        mrn_store3(flat + 3 * k, mrn_v3(k & 1 ? 3 : 0, k & 2 ? 1 : 0, k & 4 ? 1 : 0));
        mrn_store3(tall + 3 * k, mrn_v3(k & 1 ? 1 : 0, k & 2 ? 1 : 0, k & 4 ? 3 : 1));
    }
    const mrn_corners part[2] = {{8, flat}, {8, tall}};
    world w;
    mrn_polytope l;
    mrn_quat turn;
    mrn_vec3 shift;
    mrn_message msg = {0};
    ok(mrn_polytope_make("L", 3, 2, part, &l, &turn, &shift, &scale, &msg), &msg);
    polytope_world(&w, 3, 1, &l);
    mrn_quat back = {turn.w, -turn.x, -turn.y, -turn.z};
    polytope_add(&w, 0, s * scale, mrn_scale(s, shift), back);
    mrn_body ball = ball_add(&w, 0.4 * s, mrn_v3(1.39 * s, 0.5 * s, 1.39 * s));
    world_start(&w, 1e-7);
    world_steps(&w, 10);
    mrn_vec3 v = world_v(&w, ball);
    assert_true(v.x > 0);
    assert_close(v.z / v.x, 1, 1e-6); /* the L begins to turn about its centre */
    assert_close(v.y / v.x, 0, 1e-9);
    world_end(&w);
}

/* A tight block in a cell that shears: momentum relative to the flow stays, and the work of the
   cell is what the grains hold or have lost, to 2 %. */
static void sheared(void **state)
{
    (void)state;
    world w;
    mrn_polytope square = polygon_polytope(4);
    polytope_world(&w, 2, 1, &square);
    world_law(&w, "normal-stiffness", 1e6);
    world_law(&w, "normal-damping", 300);
    world_law(&w, "friction", 0.3);
    world_periodic(&w, 0, 0, 0.1);
    world_periodic(&w, 1, 0, 0.1);
    w.scene.cell.control.kind[MRN_XY] = MRN_CONTROL_RATE;
    w.scene.cell.control.target[MRN_XY] = (mrn_signal){.kind = MRN_SIGNAL_CONSTANT, .constant = 5};
    for (int n = 0; n < 25; n++)
        polytope_add(&w, 0, 0.0105, mrn_v3(0.01 + 0.02 * (n % 5), 0.01 + 0.02 * (n / 5), 0),
                     mrn_quat_from_rotation(mrn_v3(0, 0, 0.1 * n)));
    double h = advised(&w);
    world_start(&w, h);
    world_steps(&w, (int64_t)(0.1 / h));
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_true(w.state.contacts > 10);
    assert_true(e.dissipated > 0);
    assert_close(e.residual / e.input, 0, 0.02);
    world_end(&w);
}

/* Grains with corners that enter while the run goes on: as many as imposed, of all polytopes,
   turned at random, never into each other. */
static void entering(void **state)
{
    (void)state;
    world w;
    mrn_polytope polytope[2] = {regular_polytope("cube"), regular_polytope("octahedron")};
    polytope_world(&w, 3, 2, polytope);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    world_law(&w, "normal-damping", 10);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    mrn_group *g = &w.scene.group[0];
    g->place = MRN_PLACE_INLET;
    g->size.mean = 0.005;
    g->region = (mrn_region){
        .kind = MRN_REGION_BOX, .lo = mrn_v3(0, 0, 0.05), .hi = mrn_v3(0.03, 0.03, 0.08)};
    g->inlet = (mrn_inlet){
        .rate = {.kind = MRN_SIGNAL_CONSTANT, .constant = 200}, .end = INFINITY, .limit = 12};
    world_start(&w, 2e-5);
    double deepest = 0;
    for (int k = 0; k < 100; k++) {
        world_steps(&w, 100);
        deepest = fmax(deepest, w.state.max_overlap);
    }
    const mrn_bodies *b = &w.state.body;
    int of[2] = {0, 0};
    assert_int_equal(b->n - b->n_walls, 12);
    for (int32_t i = b->n_walls; i < b->n; i++) {
        assert_true(b->flags[i] & MRN_BODY_POLYTOPE);
        of[b->part[i]]++;
        for (int32_t j = b->n_walls; j < i; j++)
            assert_true(b->q[4 * i] != b->q[4 * j]);
    }
    assert_true(of[0] > 0 && of[1] > 0);
    assert_true(deepest < 0.1);
    world_end(&w);
}

/* ---- many ---- */

static void fill(world *w, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 1);
    for (int n = 0; n < 200; n++) {
        double u = mrn_rng_uniform(&rng), v = mrn_rng_uniform(&rng);
        mrn_vec3 x = {0.025 * (n % 5) + 0.002 * u, 0.025 * (n / 5 % 5) + 0.002 * v,
                      0.012 + 0.025 * (n / 25)};
        mrn_quat q = mrn_generate_turn(3, &rng);
        if (n % 4 == 0)
            ball_add(w, 0.008, x);
        else
            polytope_add(w, n % 3, 0.008, x, q);
    }
}

/* Cubes, tetrahedra, boxes and balls fall on each other: the same bits with one thread and four,
   and the account closed to 0.5 %. */
static uint64_t pile(int threads, bool check)
{
    world w;
    mrn_polytope polytope[3] = {regular_polytope("cube"), regular_polytope("octahedron"),
                                box_polytope(3, 1, 1.5, 2)};
    mrn_threads_set(threads);
    polytope_world(&w, 3, 3, polytope);
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    world_law(&w, "normal-damping", 3);
    world_law(&w, "friction", 0.5);
    mrn_value box = {.a = mrn_v3(-0.015, -0.015, 0), .b = mrn_v3(0.12, 0.12, 0.3)};
    add_wall(&w, "box", (const char *[]){"corners"}, &box, 1);
    fill(&w, 4);
    double h = 2 * advised(&w);
    world_start(&w, h);
    double e0 = mechanical(&w);
    world_steps(&w, check ? (int64_t)(0.1 / h) : 200);
    const mrn_bodies *b = &w.state.body;
    uint64_t hash = mrn_hash(MRN_HASH_START, b->x, 3 * (size_t)b->n * sizeof(double));
    hash = mrn_hash(hash, b->q, 4 * (size_t)b->n * sizeof(double));
    hash = mrn_hash(hash, b->w, 3 * (size_t)b->n * sizeof(double));
    if (check) {
        assert_true(w.state.contacts > 50);
        assert_close((mechanical(&w) + lost(&w)) / e0, 1, 5e-3);
    }
    world_end(&w);
    mrn_threads_set(0);
    return hash;
}

static void threads(void **state)
{
    (void)state;
    assert_true(pile(1, false) == pile(4, false));
}

static void account(void **state)
{
    (void)state;
    pile(2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_top),     cmocka_unit_test(elastic),
        cmocka_unit_test(restitution),  cmocka_unit_test(collisions),
        cmocka_unit_test(dropped),      cmocka_unit_test(slope),
        cmocka_unit_test(stack),        cmocka_unit_test(containers),
        cmocka_unit_test(threads),      cmocka_unit_test(account),
        cmocka_unit_test(mesh_floor),   cmocka_unit_test(two_parts),
        cmocka_unit_test(sheared),      cmocka_unit_test(entering),
        cmocka_unit_test(inner_corner), cmocka_unit_test(block_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
