/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stiffness matrix against the forces that the smooth engine really gives. Grains of enormous
   mass are carried through small displacements by velocities of their own: the laws see the motion,
   the motion does not see the forces. Differences of the forces on both sides of a state are -K u
   plus terms of third order, (eps / overlap)² = 1e-8 of it at the eps of 1e-4 of the overlap used;
   rounding gives 1e-16 overlap / eps = 1e-12. The bound asked for is 1e-6. */
#include "by_hand.h"
#include "smooth/cluster_world.h"

#include "quasistatic/net.h"

#define HEAVY 1e30 /* kg/m3 */

static double *numbers(int64_t n)
{
    double *x = mrn_alloc((size_t)(n + 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

static double size_of(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double apart(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static mrn_vec3 any(mrn_rng *rng, int dimension)
{
    double x = mrn_rng_uniform(rng), y = mrn_rng_uniform(rng), z = mrn_rng_uniform(rng);
    return mrn_v3(2 * x - 1, 2 * y - 1, dimension == 2 ? 0 : 2 * z - 1);
}

/* ---- stands: a packing with forces in its contacts ---- */

typedef struct stand {
    world w;
    mrn_net net;
    bool walls;   /* wall 0 is a global */
    bool at_once; /* forces are read in the step that moves: springs that slide by the laws are kept
                     beyond what they were read at */
} stand;

static void law_linear(world *w, int dimension, double friction)
{
    world_begin(w, dimension, "linear", HEAVY, 0, 0.25);
    world_law(w, "normal-stiffness", 1e5);
    world_law(w, "restitution", 1);
    world_law(w, "stiffness-ratio", 0.7);
    world_law(w, "friction", friction);
    w->scene.gravity = mrn_v3(0, 0, 0);
}

/* The tangential force of Mindlin's law depends on the sense in which the load changes, unless it
   is stated to leave it alone: a derivative is asked for here. */
static void law_hertz(world *w, int dimension, double friction)
{
    world_begin(w, dimension, "hertz-mindlin", HEAVY, 1e8, 0.3);
    world_law(w, "restitution", 1);
    world_law(w, "load-coupling", 2);
    world_law(w, "friction", friction);
    w->scene.gravity = mrn_v3(0, 0, 0);
}

/* Linear springs against sliding, rolling and twisting. */
static void law_moments(world *w, int dimension, double friction)
{
    law_linear(w, dimension, friction);
    mrn_interaction *x = &w->scene.interaction[0];
    const mrn_law *part[MRN_LAW_KINDS] = {
        [MRN_LAW_NORMAL] = mrn_law_find(MRN_LAW_NORMAL, "linear"),
        [MRN_LAW_TANGENTIAL] = mrn_law_find(MRN_LAW_TANGENTIAL, "linear-friction"),
        [MRN_LAW_ROLLING] = mrn_law_find(MRN_LAW_ROLLING, "elastic-plastic"),
        [MRN_LAW_TWISTING] = mrn_law_find(MRN_LAW_TWISTING, "elastic-plastic")};
    if (dimension == 2)
        part[MRN_LAW_TWISTING] = NULL;
    ok(mrn_law_mix(part, &x->model, &w->msg), &w->msg);
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, p);
    for (int i = 0; i < n; i++)
        x->value[i] = (mrn_value){.number = p[i]->fallback};
    world_law(w, "normal-stiffness", 1e5);
    world_law(w, "restitution", 1);
    world_law(w, "friction", friction);
    world_law(w, "rolling-friction", 5);
    world_law(w, "rolling-stiffness-ratio", 0.3);
    world_law(w, "rolling-damping", 0);
    if (dimension == 3) {
        world_law(w, "twisting-friction", 5);
        world_law(w, "twisting-stiffness-ratio", 0.2);
        world_law(w, "twisting-damping", 0);
    }
}

/* Velocities of all grains, and rates of what else moves. The step is 1 s. */
static void still(world *w)
{
    mrn_bodies *b = &w->state.body;
    memset(b->v, 0, 3 * (size_t)b->n * sizeof *b->v);
    memset(b->w, 0, 3 * (size_t)b->n * sizeof *b->w);
}

/* Starts and works the contacts: some steps of random motion fill the tangential springs. */
static void stand_start(stand *s, double way, bool walls)
{
    world *w = &s->w;
    mrn_bodies *b = &w->state.body;
    mrn_rng rng = mrn_rng_seed(3, 1);
    world_start(w, 1);
    for (int k = 0; k < 6; k++) {
        for (int32_t i = b->n_walls; i < b->n; i++) {
            mrn_vec3 v = mrn_scale(way, any(&rng, w->scene.dimension));
            mrn_vec3 turn = mrn_scale(way / b->radius[i], any(&rng, 3));
            if (w->scene.dimension == 2)
                turn.x = turn.y = 0;
            mrn_store3(b->v + 3 * (size_t)i, v);
            mrn_store3(b->w + 3 * (size_t)i, turn);
        }
        world_steps(w, 1);
    }
    still(w);
    world_steps(w, 2);
    mrn_net_options opt = mrn_net_default();
    opt.keep_rattlers = true;
    if (walls) {
        w->scene.wall[0].motion.kind = MRN_MOTION_SERVO;
        w->scene.wall[0].motion.servo_direction = mrn_unit(mrn_v3(0.3, -0.2, 1));
    }
    ok(mrn_net_of(&w->scene, &w->state, NULL, &opt, &s->net, &w->msg), &w->msg);
    if (walls)
        w->scene.wall[0].motion.kind = MRN_MOTION_NONE;
    int32_t grains = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        grains += !(b->flags[i] & MRN_BODY_MEMBER);
    assert_int_equal(s->net.n, grains);
    s->walls = walls;
    mrn_smooth_destroy(&w->engine);
}

static void stand_end(stand *s)
{
    mrn_net_release(&s->net);
    world_end(&s->w);
}

/* ---- forces after a displacement ---- */

static const int row_of[6] = {0, 1, 2, 0, 0, 1}, col_of[6] = {0, 1, 2, 1, 2, 2};

/* Force on body i (a sphere of a cluster: on the cluster) and moment about its centre. */
static void add_force(const stand *s, const mrn_state *now, int32_t i, mrn_vec3 force,
                      mrn_vec3 moment, double *f)
{
    const mrn_net *net = &s->net;
    if (now->body.flags[i] & MRN_BODY_MEMBER) {
        int32_t centre = now->body.index_of[now->body.parent[i]];
        mrn_vec3 arm = mrn_sub(mrn_load3(now->body.x + 3 * (size_t)i),
                               mrn_load3(now->body.x + 3 * (size_t)centre));
        moment = mrn_add(moment, mrn_cross(arm, force));
        i = centre;
    }
    int32_t node = net->node[i];
    if (node < 0)
        return;
    const double v[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    double *to = f + mrn_net_unknown(net, node, 0);
    for (int d = 0; d < net->dimension; d++)
        to[d] += v[d];
    for (int d = net->dimension; d < net->dofs; d++)
        to[d] += v[net->dimension == 2 ? 5 : d] / net->length;
}

static void add_pair(const stand *s, const mrn_state *now, int32_t c, int64_t k, double *f)
{
    const mrn_pairs *p = &now->pair;
    int32_t a = p->other[k];
    const mrn_contacts *slot = &now->contact;
    mrn_vec3 force = mrn_load3(slot->force + 3 * k), lever = mrn_load3(slot->lever + 3 * k);
    mrn_vec3 moment = slot->moment ? mrn_load3(slot->moment + 3 * k) : mrn_v3(0, 0, 0);
    add_force(s, now, c, force, mrn_axpy(-now->body.radius[c], lever, moment), f);
    if (a >= now->body.n_walls)
        add_force(s, now, a, mrn_scale(-1, force),
                  mrn_axpy(-now->body.radius[a], lever, mrn_scale(-1, moment)), f);
    else if (s->walls && a == 0)
        f[mrn_net_global_unknown(&s->net, 0)] -=
            mrn_dot(force, s->net.global[0].direction) / s->net.global[0].scale;
}

/* Forces of the contacts on all unknowns, from what the engine stored pair by pair. */
static void forces_of(const stand *s, const mrn_state *now, double *f)
{
    const mrn_net *net = &s->net;
    const mrn_pairs *p = &now->pair;
    memset(f, 0, (size_t)net->n_unknowns * sizeof *f);
    for (int32_t i = now->body.n_walls; i < now->body.n; i++) {
        for (int64_t k = p->row[i]; k < p->row[i + 1]; k++)
            add_pair(s, now, i, k, f);
        for (int64_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++)
            add_pair(s, now, i, k, f);
    }
    mrn_contacts c = {0};
    mrn_message msg = {0};
    ok(mrn_contacts_collect(&s->w.scene, now, 0, &c, &msg), &msg);
    for (int g = 0; g < net->n_globals; g++)
        for (int64_t k = 0; net->global[g].kind == MRN_GLOBAL_CELL && k < c.n; k++) {
            int m = net->global[g].component;
            f[mrn_net_global_unknown(net, g)] +=
                c.force[3 * k + row_of[m]] * c.branch[3 * k + col_of[m]] / net->global[g].scale;
        }
    mrn_contacts_destroy(&c);
}

/* Carries a copy of the state by eps u in one step; forces there into f. */
static void carry(stand *s, const double *u, double eps, double *f)
{
    mrn_scene *scene = &s->w.scene;
    mrn_state now = {0};
    mrn_message *msg = &s->w.msg;
    mrn_smooth *engine;
    const mrn_net *net = &s->net;
    bool cell = false;
    ok(mrn_state_copy(&s->w.state, &now, msg), msg);
    for (int32_t k = 0; k < net->n; k++) {
        const double *q = u + mrn_net_unknown(net, k, 0);
        double *v = now.body.v + 3 * (size_t)net->body[k],
               *w = now.body.w + 3 * (size_t)net->body[k];
        for (int d = 0; d < net->dimension; d++)
            v[d] = eps * q[d];
        for (int d = net->dimension; d < net->dofs; d++)
            w[net->dimension == 2 ? 2 : d - 3] = eps * q[d] / net->length;
    }
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *at = &net->global[g];
        double rate = eps * u[mrn_net_global_unknown(net, g)] / at->scale;
        if (at->kind == MRN_GLOBAL_WALL) {
            scene->wall[at->wall].motion.kind = MRN_MOTION_STEADY;
            scene->wall[at->wall].motion.velocity = mrn_scale(rate, at->direction);
        } else {
            scene->cell.control.target[at->component] = mrn_signal_constant(rate);
            now.cell_rate[at->component] = rate;
            cell = true;
        }
    }
    ok(mrn_smooth_create(scene, &now, &engine, msg), msg);
    ok(mrn_smooth_step(engine, 1, msg), msg);
    if (!cell && !s->at_once) { /* springs that are kept half a step ahead are read at rest */
        memset(now.body.v, 0, 3 * (size_t)now.body.n * sizeof *now.body.v);
        memset(now.body.w, 0, 3 * (size_t)now.body.n * sizeof *now.body.w);
        if (scene->n_walls > 0)
            scene->wall[0].motion.velocity = mrn_v3(0, 0, 0);
        ok(mrn_smooth_step(engine, 1, msg), msg);
    }
    forces_of(s, &now, f);
    mrn_smooth_destroy(&engine);
    mrn_state_destroy(&now);
    for (int g = 0; g < 6; g++)
        scene->cell.control.target[g] = mrn_signal_constant(0);
    for (int g = 0; g < scene->n_walls; g++)
        scene->wall[g].motion = (mrn_motion){0};
}

typedef struct errors {
    double all, first; /* of K and of K1 alone, relative, worst over directions */
} errors;

/* Random directions of all unknowns together, and of each kind alone. */
static errors compare(stand *s, double eps)
{
    int64_t n = s->net.n_unknowns;
    double *u = numbers(n), *plus = numbers(n), *minus = numbers(n), *y = numbers(n);
    double *y1 = numbers(n);
    mrn_rng rng = mrn_rng_seed(17, 4);
    errors out = {0, 0};
    for (int k = 0; k < 6; k++) {
        for (int64_t i = 0; i < n; i++) {
            double x = mrn_rng_normal(&rng);
            bool global = i >= n - s->net.n_globals, turns = i % s->net.dofs >= s->net.dimension;
            u[i] = k == 0   ? x
                   : k == 1 ? x * global
                   : k == 2 ? x * (turns && !global)
                   : k == 3 ? x * (!turns && !global)
                            : x;
        }
        if (k == 1 && s->net.n_globals == 0)
            continue;
        carry(s, u, eps, plus);
        carry(s, u, -eps, minus);
        for (int64_t i = 0; i < n; i++)
            plus[i] = -(plus[i] - minus[i]) / (2 * eps);
        mrn_net_stiffness(&s->net, &(mrn_stiffness_options){.geometric = true}, u, y);
        mrn_net_stiffness(&s->net, &(mrn_stiffness_options){.geometric = false}, u, y1);
        out.all = fmax(out.all, apart(n, plus, y) / size_of(n, y));
        out.first = fmax(out.first, apart(n, plus, y1) / size_of(n, y));
    }
    mrn_free(u), mrn_free(plus), mrn_free(minus), mrn_free(y), mrn_free(y1);
    return out;
}

/* K passes, K1 alone is off by about overlap over radius. */
static void check(stand *s, double eps, const char *what)
{
    /* the forces there are are the network's own, to the last digits: same points, same arms */
    int64_t n = s->net.n_unknowns;
    double *f = numbers(n), *g = numbers(n), *rows = numbers(s->net.n_rows);
    forces_of(s, &s->w.state, f);
    mrn_net_forces(&s->net, rows);
    mrn_net_resultant(&s->net, rows, g);
    if (!(apart(n, f, g) < 1e-12 * size_of(s->net.n_rows, rows)))
        fail_msg("%s: forces of the network are off by %.3g", what,
                 apart(n, f, g) / size_of(s->net.n_rows, rows));
    errors e = compare(s, eps);
    if (!(e.all < 1e-6) || !(e.first > 1e-3))
        fail_msg("%s: K is off by %.3g, K1 alone by %.3g", what, e.all, e.first);
    mrn_free(f), mrn_free(g), mrn_free(rows);
}

/* ---- the stands ---- */

typedef void (*law_fn)(world *w, int dimension, double friction);

/* Moves centres until the listed pairs overlap by about 3 % of their distance. */
static void settle(int n, const int (*pair)[2], const double *radius, mrn_vec3 *x)
{
    for (int sweep = 0; sweep < 500; sweep++)
        for (int k = 0; k < n; k++) {
            int i = pair[k][0], j = pair[k][1];
            mrn_vec3 d = mrn_sub(x[i], x[j]);
            double off = mrn_norm(d) - (0.965 + 0.002 * k) * (radius[i] + radius[j]);
            mrn_vec3 step = mrn_scale(-0.5 * off / mrn_norm(d), d);
            x[i] = mrn_add(x[i], step), x[j] = mrn_sub(x[j], step);
        }
}

/* Balls of unlike sizes in a heap of their own. */
static void cluster(law_fn law, int dimension, const char *what)
{
    stand s = {0};
    law(&s.w, dimension, 20);
    static const double radius[5] = {1.0, 0.8, 0.7, 0.75, 0.85};
    static const int pair[9][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 1}, {3, 2},
                                   {4, 0}, {4, 2}, {4, 1}, {3, 4}};
    mrn_vec3 x[5] = {{0, 0, 0}, {1.7, 0, 0}, {0.9, 1.4, 0}, {2.4, 1.4, 0}, {-0.7, 1.6, 0}};
    if (dimension == 3)
        x[4] = mrn_v3(1, 0.5, 1.4), x[3] = mrn_v3(2.2, 1.3, 0.9);
    settle(dimension == 2 ? 7 : 9, pair, radius, x);
    for (int i = 0; i < 5; i++)
        world_grain(&s.w, radius[i] * 0.01, mrn_scale(0.01, x[i]), mrn_v3(0, 0, 0),
                    mrn_v3(0, 0, 0));
    stand_start(&s, 2e-5, false);
    assert_int_equal(s.net.n_contacts, dimension == 2 ? 7 : 9);
    check(&s, 1e-8, what);
    stand_end(&s);
}

static void linear_cluster(void **state)
{
    (void)state;
    cluster(law_linear, 3, "linear, 3D");
    cluster(law_linear, 2, "linear, 2D");
}

static void hertz_cluster(void **state)
{
    (void)state;
    cluster(law_hertz, 3, "Hertz-Mindlin, 3D");
    cluster(law_hertz, 2, "Hertz-Mindlin, 2D");
}

static void moments_cluster(void **state)
{
    (void)state;
    cluster(law_moments, 3, "rolling and twisting, 3D");
    cluster(law_moments, 2, "rolling, 2D");
}

/* In a periodic cell: strains are unknowns too, and stresses forces. */
static void cell(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int hertz = 0; hertz < 2; hertz++) {
            stand s = {0};
            (hertz ? law_hertz : law_linear)(&s.w, dimension, 20);
            mrn_rng rng = mrn_rng_seed(5, 5);
            int m = 4, layers = dimension == 2 ? 1 : m;
            for (int k = 0; k < dimension; k++)
                world_periodic(&s.w, k, 0, 0.0192 * m);
            for (int i = 0; i < m * m * layers; i++) {
                mrn_vec3 x = mrn_scale(0.0192, mrn_v3(i % m, i / m % m, i / m / m));
                x = mrn_axpy(2e-4, any(&rng, dimension), x);
                double r = 0.01 * (1 + 0.02 * mrn_rng_uniform(&rng));
                world_grain(&s.w, r, x, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
            }
            stand_start(&s, 2e-5, false);
            assert_int_equal(s.net.n_globals, dimension == 2 ? 3 : 6);
            check(&s, 1e-8, hertz ? "Hertz-Mindlin in a cell" : "linear in a cell");
            stand_end(&s);
        }
}

/* Spheres on a plane that moves as a whole, one of them on two planes. */
static void on_planes(void **state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; hertz++) {
        stand s = {0};
        (hertz ? law_hertz : law_linear)(&s.w, 3, 20);
        world_plane(&s.w, mrn_v3(0, 0, 0), mrn_unit(mrn_v3(0.1, 0.05, 1)));
        world_plane(&s.w, mrn_v3(-0.0097, 0, 0), mrn_v3(1, 0, 0));
        mrn_vec3 none = {0, 0, 0};
        world_grain(&s.w, 0.01, mrn_v3(0, 0, 0.0097), none, none);
        world_grain(&s.w, 0.012, mrn_v3(0.0213, 0, 0.0095), none, none);
        world_grain(&s.w, 0.009, mrn_v3(0.011, 0.001, 0.0235), none, none);
        stand_start(&s, 2e-5, true);
        assert_int_equal(s.net.n_globals, 1);
        assert_int_equal(s.net.n_contacts, 6);
        check(&s, 1e-8, "on planes");
        stand_end(&s);
    }
}

/* Clusters of spheres: where they touch is not on the line of their centres. */
static void clusters(void **state)
{
    (void)state;
    stand s = {0};
    cluster_world(&s.w, 3, 4, cross_centre, cross_radius);
    world_law(&s.w, "friction", 20);
    s.w.scene.material[0].density = HEAVY;
    s.w.scene.gravity = mrn_v3(0, 0, 0);
    world_plane(&s.w, mrn_v3(0, 0, -0.0096), mrn_v3(0, 0, 1));
    mrn_vec3 none = {0, 0, 0};
    /* the arm of the first against the middle of the second, and both on the plane */
    cluster_add(&s.w, 0.01, none, none, none, mrn_quat_identity());
    cluster_add(&s.w, 0.01, mrn_v3(0.025, 0.001, 0), none, none,
                mrn_quat_from_rotation(mrn_v3(0, 0, 0.4)));
    stand_start(&s, 2e-5, true);
    assert_int_equal(s.net.n_contacts, 3);
    check(&s, 1e-8, "clusters");
    stand_end(&s);
}

/* ---- sliding ---- */

/* A sphere that has slid over another for long enough that its spring is at the limit: as it slides
   on, forces follow the sliding form. Only the way on counts, so that differences are
   one-sided; two of them cancel the first error. */
static void sliding(void **state)
{
    (void)state;
    stand s = {.at_once = true};
    law_linear(&s.w, 3, 0.3);
    mrn_vec3 none = {0, 0, 0};
    world_grain(&s.w, 0.01, none, none, none);
    world_grain(&s.w, 0.008, mrn_v3(0.011, 0.012, 0.006), none, none);
    stand_start(&s, 0, false);
    assert_int_equal(s.net.n_contacts, 1);
    mrn_bodies *b = &s.w.state.body;
    mrn_vec3 n = hand_of(&s.net, 0).n;
    mrn_vec3 along = mrn_unit(mrn_cross(n, mrn_v3(0.2, 0.5, 0.9)));
    mrn_net_release(&s.net);
    ok(mrn_smooth_create(&s.w.scene, &s.w.state, &s.w.engine, &s.w.msg), &s.w.msg);
    /* both turn about the same axis: the surfaces slide, the centres stay */
    mrn_vec3 spin = mrn_scale(1e-2, mrn_cross(n, along));
    for (int i = 0; i < 2; i++)
        mrn_store3(b->w + 3 * (size_t)i, spin);
    world_steps(&s.w, 60);
    still(&s.w);
    mrn_smooth_destroy(&s.w.engine);
    mrn_net_options opt = mrn_net_default();
    opt.keep_rattlers = true;
    ok(mrn_net_of(&s.w.scene, &s.w.state, NULL, &opt, &s.net, &s.w.msg), &s.w.msg);
    const mrn_net_element *c = &s.net.element[0];
    assert_int_equal(c->status, MRN_NET_SLIDES);
    int64_t size = s.net.n_unknowns;
    double *u = numbers(size), *f0 = numbers(size), *f1 = numbers(size), *f2 = numbers(size);
    double *y = numbers(size);
    mrn_rng rng = mrn_rng_seed(9, 9);
    forces_of(&s, &s.w.state, f0);
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < size; i++)
            u[i] = mrn_rng_normal(&rng);
        for (int i = 0; i < 2; i++) { /* more than enough of sliding on */
            double *q = u + mrn_net_unknown(&s.net, i, 3);
            mrn_store3(q, mrn_axpy(2000, spin, mrn_load3(q)));
        }
        double eps = 1e-9;
        carry(&s, u, eps, f1);
        carry(&s, u, 0.5 * eps, f2);
        for (int64_t i = 0; i < size; i++)
            f1[i] = -(4 * (f2[i] - f0[i]) - (f1[i] - f0[i])) / eps;
        mrn_stiffness_options sl = {.geometric = true, .sliding = true};
        mrn_net_stiffness(&s.net, &sl, u, y);
        double error = apart(size, f1, y) / size_of(size, y);
        if (!(error < 1e-6))
            fail_msg("sliding form is off by %.3g", error);
        sl.sliding = false;
        mrn_net_stiffness(&s.net, &sl, u, y);
        assert_true(apart(size, f1, y) > 0.1 * size_of(size, y));
    }
    mrn_free(u), mrn_free(f0), mrn_free(f1), mrn_free(f2), mrn_free(y);
    stand_end(&s);
}

/* ---- other shapes: against the geometry itself ---- */

/* Two bodies that touch in one point, as a program would draw them. */
typedef struct touch {
    mrn_net_shape shape;
    bool wall;
    mrn_vec3 to_c, to_a; /* ROUND: to the centre of curvature; else to the corner or a point of the
                            edge, of the face: nothing                                         */
    mrn_vec3 edge_c, edge_a; /* EDGES */
    double r_c, r_a; /* ROUND: radii; negative: hollow; 0: flat                            */
    mrn_vec3 n, t;   /* normal, tangential force                                           */
    double normal;   /* N                                                                  */
} touch;

typedef struct place {
    mrn_vec3 x, turn;
} place;

static mrn_vec3 turned(const place *p, mrn_vec3 a)
{
    return mrn_rotate(mrn_quat_from_rotation(p->turn), a);
}

/* The normal and the contact point. */
static mrn_vec3 where(const touch *t, const place *c, const place *a, mrn_vec3 *n)
{
    mrn_vec3 pc = mrn_add(c->x, turned(c, t->to_c)), pa = mrn_add(a->x, turned(a, t->to_a));
    if (t->shape == MRN_NET_FACE_A || t->shape == MRN_NET_FACE_C) {
        *n = turned(t->shape == MRN_NET_FACE_A ? a : c, t->n);
        return t->shape == MRN_NET_FACE_A ? pc : pa;
    }
    if (t->shape == MRN_NET_EDGES) {
        mrn_vec3 ec = turned(c, t->edge_c), ea = turned(a, t->edge_a);
        mrn_vec3 both = mrn_cross(ec, ea), side;
        *n = mrn_unit(mrn_scale(mrn_dot(both, t->n) < 0 ? -1 : 1, both));
        side = mrn_cross(ea, *n); /* the point of C's edge in the plane of A's and n */
        return mrn_axpy(mrn_dot(mrn_sub(pa, pc), side) / mrn_dot(ec, side), ec, pc);
    }
    double sum = t->r_c + t->r_a;
    mrn_vec3 d = mrn_sub(pc, pa);
    double far = sum < 0 ? -mrn_norm(d) : mrn_norm(d);
    *n = mrn_scale(1 / far, d);
    return mrn_axpy(t->wall ? -(far - t->r_a) : -t->r_c * far / sum, *n, pc);
}

/* Forces of the contact on C and A, 6 numbers each; moments over `length`. */
static void push(const touch *t, const place *c, const place *a, double length, double *f)
{
    mrn_vec3 n, p = where(t, c, a, &n);
    double spin = 0.5 * mrn_dot(mrn_add(c->turn, a->turn), t->n);
    mrn_vec3 side = mrn_axpy(spin, mrn_cross(t->n, t->t), t->t);
    mrn_vec3 force = mrn_axpy(t->normal - mrn_dot(side, n), n, side);
    mrn_store3(f, force);
    mrn_store3(f + 3, mrn_scale(1 / length, mrn_cross(mrn_sub(p, c->x), force)));
    mrn_store3(f + 6, mrn_scale(-1, force));
    mrn_store3(f + 9, mrn_scale(-1 / length, mrn_cross(mrn_sub(p, a->x), force)));
}

/* A network of the two, its one contact as drawn; without stiffness, so that K is K2. */
static mrn_net drawn(const touch *t, const place *c, const place *a)
{
    double x[6], radius[2] = {1, 1.4};
    mrn_net net;
    mrn_message msg = {0};
    mrn_store3(x, c->x), mrn_store3(x + 3, a->x);
    hand_contact one = {.c = 0, .a = 1, .n = t->n, .kt = 1, .friction = 1};
    ok(hand_make(3, 2, x, radius, 1, &one, NULL, NULL, false, &net, &msg), &msg);
    mrn_net_element *to = &net.element[0];
    const mrn_contacts *at = &net.contact;
    mrn_vec3 n, p = where(t, c, a, &n);
    assert_true(mrn_norm(mrn_sub(n, t->n)) < 1e-14);
    mrn_store3(at->normal, n);
    mrn_store3(at->tangent, mrn_unit(t->t));
    to->force[0] = t->normal, to->force[1] = mrn_norm(t->t), to->force[2] = 0;
    to->kt = to->kn = 0;
    mrn_store3(at->arm_c, mrn_sub(p, c->x));
    mrn_store3(at->arm_a, mrn_sub(p, a->x));
    to->shape = t->shape;
    to->curve_c = t->r_c != 0 ? 1 / t->r_c : 0, to->curve_a = t->r_a != 0 ? 1 / t->r_a : 0;
    to->edge_c = t->edge_c, to->edge_a = t->edge_a;
    mrn_vec3 d = mrn_sub(mrn_add(c->x, t->to_c), mrn_add(a->x, t->to_a));
    at->gap[0] = t->shape == MRN_NET_ROUND ? mrn_dot(d, n) - t->r_c - t->r_a : 0;
    mrn_store3(at->branch, mrn_sub(c->x, a->x));
    return net;
}

static void check_drawn(const touch *t, const place *c, const place *a, const char *what)
{
    mrn_net net = drawn(t, c, a);
    mrn_rng rng = mrn_rng_seed(2, 2);
    mrn_stiffness_options opt = {.geometric = true};
    for (int k = 0; k < 8; k++) {
        double u[12], y[12], plus[12], minus[12], eps = 1e-5;
        for (int i = 0; i < 12; i++)
            u[i] = mrn_rng_normal(&rng);
        for (int sign = -1; sign < 2; sign += 2) {
            place to[2] = {*c, *a};
            for (int e = 0; e < 2; e++) {
                to[e].x = mrn_axpy(sign * eps, mrn_load3(u + 6 * e), to[e].x);
                to[e].turn = mrn_scale(sign * eps / net.length, mrn_load3(u + 6 * e + 3));
            }
            push(t, &to[0], &to[1], net.length, sign > 0 ? plus : minus);
        }
        mrn_net_stiffness(&net, &opt, u, y);
        for (int i = 0; i < 12; i++)
            plus[i] = -(plus[i] - minus[i]) / (2 * eps);
        /* eps² of truncation, 1e-16 / eps of rounding */
        if (!(apart(12, plus, y) < 1e-8 * size_of(12, y)))
            fail_msg("%s: off by %.3g", what, apart(12, plus, y) / size_of(12, y));
    }
    mrn_net_release(&net);
}

static void shapes(void **state)
{
    (void)state;
    mrn_vec3 n = mrn_unit(mrn_v3(0.3, -0.4, 0.7)), side = mrn_unit(mrn_cross(n, mrn_v3(1, 2, 0)));
    place a = {mrn_v3(0.2, 0.1, -0.3), {0, 0, 0}}, c = a;
    touch t = {.n = n, .t = mrn_scale(0.6, side), .normal = 2};
    mrn_vec3 arm_c = mrn_v3(-0.2, 0.35, 0.1), arm_a = mrn_v3(0.1, -0.25, 0.2);
    /* round parts of clusters: centres of curvature apart from centres of bodies; a ball in a bowl
     */
    static const double radius[3][3] = {{0.8, 1.1, -0.1}, {0.7, -1.9, 0.05}, {1.2, 0.4, -0.02}};
    for (int k = 0; k < 3; k++) {
        t.shape = MRN_NET_ROUND;
        t.r_c = radius[k][0], t.r_a = radius[k][1];
        t.to_c = arm_c, t.to_a = arm_a;
        c.x = mrn_sub(mrn_axpy(t.r_c + t.r_a + radius[k][2], n, mrn_add(a.x, arm_a)), arm_c);
        check_drawn(&t, &c, &a, k == 1 ? "a ball in a bowl" : "round parts");
    }
    /* corners on faces, either way */
    t.r_c = t.r_a = 0;
    c.x = mrn_axpy(1.7, n, mrn_axpy(0.3, side, a.x));
    t.shape = MRN_NET_FACE_A;
    t.to_c = mrn_v3(-0.3, 0.5, -0.6);
    check_drawn(&t, &c, &a, "a corner of C on a face of A");
    t.shape = MRN_NET_FACE_C;
    t.to_a = mrn_v3(0.3, -0.5, 0.5);
    check_drawn(&t, &c, &a, "a corner of A on a face of C");
    /* edges across each other */
    mrn_vec3 w = mrn_cross(n, side), p = mrn_axpy(0.8, n, a.x);
    t.shape = MRN_NET_EDGES;
    t.edge_c = mrn_unit(mrn_axpy(0.4, w, side)), t.edge_a = mrn_unit(mrn_axpy(-0.9, side, w));
    t.to_c = mrn_axpy(0.2, t.edge_c, mrn_sub(p, c.x));
    t.to_a = mrn_axpy(-0.3, t.edge_a, mrn_sub(p, a.x));
    check_drawn(&t, &c, &a, "edges");
    t.edge_a = mrn_scale(-1, t.edge_a);
    check_drawn(&t, &c, &a, "edges, one reversed");
}

/* ---- the matrix ---- */

/* A network with all there is: moments, a cell, the ground, a grain that touches its own image and
   one that touches another twice, contacts that slide and one that is open. */
static mrn_net medley(int dimension)
{
    double cell[3] = {2.0, 8, 8}, x[15], radius[5];
    hand_contact c[10];
    mrn_rng rng = mrn_rng_seed(8, 8);
    static const int pair[10][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 1}, {1, 3},
                                    {3, 4}, {4, 2}, {2, 2}, {3, 0}, {4, -1}};
    mrn_net net;
    mrn_message msg = {0};
    for (int i = 0; i < 5; i++) {
        mrn_store3(x + 3 * i, any(&rng, dimension));
        x[3 * i + 1] += 1.5 * i;
        radius[i] = 0.8 + 0.1 * i;
    }
    for (int k = 0; k < 10; k++) {
        bool own = pair[k][0] == pair[k][1];
        c[k] = (hand_contact){.c = pair[k][0], .a = pair[k][1], .friction = 0.5};
        c[k].n = own || pair[k][1] < 0 ? mrn_v3(1, 0, 0)
                 : k == 2              ? mrn_unit(mrn_v3(1, -1, 0))
                                       : mrn_v3(0, 0, 0);
        c[k].kn = 1 + mrn_rng_uniform(&rng), c[k].kt = 0.7;
        c[k].force[0] = mrn_rng_uniform(&rng);
        c[k].force[1] = (k % 3 == 0 ? 0.5 : 0.2) * c[k].force[0];
        if (k < 7)
            c[k].kr[0] = 0.1, c[k].kr[1] = 0.2;
        if (k < 6)
            c[k].moment[2] = 0.05, c[k].moment[0] = dimension == 3 ? 0.02 : 0;
        c[k].status = k == 8 ? MRN_NET_OPEN : MRN_NET_STICKS;
    }
    ok(hand_make(dimension, 5, x, radius, 10, c, cell, NULL, false, &net, &msg), &msg);
    return net;
}

/* The matrix is the symmetric part of the product, entry by entry, and in order. */
static void matrix(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 4; k++) {
            mrn_net net = medley(dimension);
            int64_t n = net.n_unknowns;
            mrn_stiffness_options opt = {.geometric = k & 1, .sliding = k >> 1};
            mrn_message msg = {0};
            mrn_sparse lower;
            double *full = numbers(n * n), *u = numbers(n), top = 0;
            int slides = 0;
            for (int64_t i = 0; i < net.n_contacts; i++)
                slides += net.element[i].status == MRN_NET_SLIDES;
            assert_int_equal(slides, 4);
            ok(mrn_net_stiffness_matrix(&net, &opt, NULL, &lower, &msg), &msg);
            assert_int_equal(lower.cols, n);
            for (int64_t j = 0; j < n; j++) {
                memset(u, 0, (size_t)n * sizeof *u);
                u[j] = 1;
                mrn_net_stiffness(&net, &opt, u, full + j * n);
            }
            for (int64_t i = 0; i < n * n; i++)
                top = fmax(top, fabs(full[i]));
            for (int64_t j = 0; j < n; j++) {
                assert_int_equal(lower.row[lower.start[j]], j);
                for (int64_t at = lower.start[j]; at < lower.start[j + 1]; at++) {
                    int64_t i = lower.row[at];
                    assert_true(at == lower.start[j] || i > lower.row[at - 1]);
                    double half = 0.5 * (full[j * n + i] + full[i * n + j]);
                    assert_close(lower.value[at], half, 1e-14 * top);
                    full[j * n + i] = full[i * n + j] = 0;
                }
            }
            for (int64_t i = 0; i < n; i++) /* nothing is left out */
                for (int64_t j = 0; j <= i; j++)
                    assert_close(full[j * n + i] + full[i * n + j], 0, 1e-14 * top);
            mrn_sparse_release(&lower);
            mrn_free(full), mrn_free(u);
            mrn_net_release(&net);
        }
}

/* Statuses given take the place of the network's own. */
static void statuses(void **state)
{
    (void)state;
    mrn_net net = medley(3);
    mrn_net_status given[10];
    mrn_message msg = {0};
    mrn_sparse a, b;
    mrn_stiffness_options own = {.sliding = true}, none = {.sliding = false};
    for (int k = 0; k < 10; k++)
        given[k] = net.element[k].status;
    ok(mrn_net_stiffness_matrix(&net, &own, NULL, &a, &msg), &msg);
    ok(mrn_net_stiffness_matrix(&net, &none, given, &b, &msg), &msg);
    assert_memory_equal(a.value, b.value, (size_t)a.start[a.cols] * sizeof *a.value);
    mrn_sparse_release(&b);
    for (int k = 0; k < 10; k++)
        given[k] = MRN_NET_OPEN;
    ok(mrn_net_stiffness_matrix(&net, &none, given, &b, &msg), &msg);
    for (int64_t i = 0; i < b.start[b.cols]; i++)
        assert_true(b.value[i] == 0);
    mrn_sparse_release(&a), mrn_sparse_release(&b);
    mrn_net_release(&net);
}

/* Moving all together costs nothing; turning all together turns the forces there are: the force on
   every body changes by w x F, its moment by w x M. */
static void rigid_motions(void **state)
{
    (void)state;
    mrn_stiffness_options opt = {.geometric = true};
    mrn_net net = medley(3);
    int64_t n = net.n_unknowns;
    double *u = numbers(n), *y = numbers(n), *f = numbers(net.n_rows), *g = numbers(n);
    /* without the ground, the cell, and what passes through its faces */
    net.n_globals = 0, net.n_unknowns = n = (int64_t)net.n * net.dofs;
    int64_t kept = 0, *index = calloc((size_t)net.n_contacts, sizeof *index);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        hand_contact c = hand_of(&net, k);
        mrn_vec3 d =
            mrn_sub(mrn_load3(net.x + 3 * c.c), mrn_load3(net.x + 3 * (c.a < 0 ? 0 : c.a)));
        if (c.a >= 0 && c.a != c.c && mrn_norm(mrn_sub(d, c.branch)) < 1e-12 &&
            c.status != MRN_NET_OPEN)
            net.element[kept] = net.element[k], index[kept++] = k;
    }
    mrn_contacts_keep(&net.contact, index, kept);
    free(index);
    assert_true(kept >= 3);
    net.n_contacts = kept;
    mrn_net_forces(&net, f);
    mrn_net_resultant(&net, f, g);
    mrn_vec3 w = mrn_v3(0.3, -0.8, 0.5), v = mrn_v3(0.2, 0.4, -0.1);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < net.n; i++) {
            double *q = u + mrn_net_unknown(&net, i, 0);
            mrn_store3(q, pass == 0 ? v : mrn_cross(w, mrn_load3(net.x + 3 * i)));
            mrn_store3(q + 3, pass == 0 ? mrn_v3(0, 0, 0) : mrn_scale(net.length, w));
        }
        mrn_net_stiffness(&net, &opt, u, y);
        for (int32_t i = 0; i < net.n; i++)
            for (int k = 0; k < 6; k += 3) {
                const double *was = g + mrn_net_unknown(&net, i, k);
                mrn_vec3 turn = mrn_cross(pass == 0 ? mrn_v3(0, 0, 0) : w, mrn_load3(was));
                mrn_vec3 sum = mrn_add(turn, mrn_load3(y + mrn_net_unknown(&net, i, k)));
                assert_true(mrn_norm(sum) < 1e-13);
            }
    }
    mrn_free(u), mrn_free(y), mrn_free(f), mrn_free(g);
    mrn_net_release(&net);
}

/* Two smooth disks: K2 is N / r across the line of centres, and destabilises. */
static void frictionless_pair(void **state)
{
    (void)state;
    double x[6] = {0, 0, 0, 1.9, 0, 0}, radius[2] = {1, 1};
    hand_contact c = {.c = 1, .a = 0, .kn = 10, .force = {0.4}};
    mrn_net net;
    mrn_message msg = {0};
    ok(hand_make(2, 2, x, radius, 1, &c, NULL, NULL, true, &net, &msg), &msg);
    double u[4] = {0, 0, 0, 1}, y[4];
    mrn_net_stiffness(&net, &(mrn_stiffness_options){.geometric = true}, u, y);
    assert_close(y[3], -0.4 / 1.9, 1e-15);
    assert_close(y[1], 0.4 / 1.9, 1e-15);
    assert_close(y[0], 0, 1e-15);
    u[3] = 0, u[2] = 1;
    mrn_net_stiffness(&net, &(mrn_stiffness_options){.geometric = true}, u, y);
    assert_close(y[2], 10, 1e-14);
    assert_close(y[0], -10, 1e-14);
    mrn_net_release(&net);
}

static void out_of_memory(void **state)
{
    (void)state;
    mrn_net net = medley(3);
    mrn_stiffness_options opt = {.geometric = true};
    mrn_status st = MRN_ERR_MEMORY;
    mrn_sparse lower;
    mrn_message msg = {0};
    size_t before = mrn_bytes_in_use();
    int k = 0;
    while (st == MRN_ERR_MEMORY) {
        assert_int_equal(mrn_bytes_in_use(), before);
        mrn_alloc_fail_at(++k);
        st = mrn_net_stiffness_matrix(&net, &opt, NULL, &lower, &msg);
        mrn_alloc_fail_at(0);
    }
    ok(st, &msg);
    assert_true(k > 4);
    mrn_sparse_release(&lower);
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_cluster),  cmocka_unit_test(hertz_cluster),
        cmocka_unit_test(moments_cluster), cmocka_unit_test(cell),
        cmocka_unit_test(on_planes),       cmocka_unit_test(clusters),
        cmocka_unit_test(sliding),         cmocka_unit_test(shapes),
        cmocka_unit_test(matrix),          cmocka_unit_test(statuses),
        cmocka_unit_test(rigid_motions),   cmocka_unit_test(frictionless_pair),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
