/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pairs remember when bodies go and come and when laws change; contacts that live on at a
   distance; spheres of clusters. */
#include "detect/detect.h"
#include "geom/mesh.h"
#include "kit.h"

/* ---- removals ---- */

enum { MOST_BODIES = 128 };

/* A dense block of grains in a periodic cell on a floor: each touches many others. */
static void block(world *w)
{
    kit_begin(w, 3);
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_periodic(w, 0, 0, 8e-3);
    world_periodic(w, 1, 0, 8e-3);
    mrn_rng rng = mrn_rng_seed(21, 0);
    for (int k = 0; k < 64; k++) {
        double j = uniform(&rng, -1e-4, 1e-4);
        world_grain(w, uniform(&rng, 0.9e-3, 1.3e-3),
                    mrn_v3(2e-3 * (k % 4) + j, 2e-3 * (k / 4 % 4) - j, 0.9e-3 + 2e-3 * (k / 16)),
                    mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    }
    kit_ready(w);
    w->scene.moments = true;
    kit_build(w);
}

static bool overlap(const world *w, int32_t i, int32_t k)
{
    const mrn_pairs *p = &w->state.pair;
    int32_t j = p->other[k];
    if (j < w->state.body.n_walls)
        return w->state.body.x[3 * i + 2] < w->state.body.radius[i];
    lattice l = lattice_of(w);
    return brute_gap(w, &l, i, j, 1) < 0;
}

/* A number that tells a pair of handles, whoever owns it, with the sign of what is odd. */
static double mark(mrn_body c, mrn_body a)
{
    double sum = c.id + a.id + 1000.0 * c.id * a.id + 1e6 * (c.generation + a.generation);
    return c.id < a.id ? sum : -sum;
}

static void each_pair(world *w, void (*f)(world *, int32_t, int32_t))
{
    const mrn_pairs *p = &w->state.pair;
    for (int32_t i = w->state.body.n_walls; i < p->rows; i++) {
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
            f(w, i, k);
        for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++)
            f(w, i, k);
    }
}

static void write_mark(world *w, int32_t i, int32_t k)
{
    const mrn_pairs *p = &w->state.pair;
    mrn_contacts *to = &w->state.contact;
    int width = w->scene.history;
    bool odd[MRN_HISTORY_MAX];
    mrn_law_model_odd(&w->scene.interaction[0].model, odd);
    if (!overlap(w, i, k))
        return;
    double m = mark(mrn_body_handle(&w->state, i), mrn_body_handle(&w->state, p->other[k]));
    to->flags[k] = MRN_CONTACT_ALIVE;
    for (int h = 0; h < width; h++)
        to->history[k * width + h] = (odd[h] ? m : fabs(m)) + (odd[h] && m < 0 ? -h : h);
    for (int d = 0; d < 3; d++) {
        to->force[3 * k + d] = (d + 1) * m;
        to->lever[3 * k + d] = (d + 1) * fabs(m);
        to->moment[3 * k + d] = (d + 7) * m;
    }
}

static int carried, begun;

static void read_mark(world *w, int32_t i, int32_t k)
{
    const mrn_pairs *p = &w->state.pair;
    const mrn_contacts *slot = &w->state.contact;
    int width = w->scene.history;
    bool odd[MRN_HISTORY_MAX];
    mrn_law_model_odd(&w->scene.interaction[0].model, odd);
    mrn_body c = mrn_body_handle(&w->state, i), a = mrn_body_handle(&w->state, p->other[k]);
    double m = mark(c, a);
    bool old =
        overlap(w, i, k) && w->state.body.group[i] == 0 && w->state.body.group[p->other[k]] == 0;
    begun += overlap(w, i, k) && !old;
    carried += old;
    assert_int_equal(mrn_contact_alive(slot, k), old);
    for (int h = 0; h < width; h++) {
        double want = (odd[h] ? m : fabs(m)) + (odd[h] && m < 0 ? -h : h);
        assert_true(slot->history[k * width + h] == (old ? want : 0));
    }
    for (int d = 0; d < 3; d++) {
        assert_true(slot->force[3 * k + d] == (old ? (d + 1) * m : 0));
        assert_true(slot->lever[3 * k + d] == (old ? (d + 1) * fabs(m) : 0));
        assert_true(slot->moment[3 * k + d] == (old ? (d + 7) * m : 0));
    }
}

/* Grains are taken away, others put in the very places of some of them and given their numbers: all
   pairs of those that stayed remember, none of the newcomers inherits. Every list is built twice,
   so that bodies are sorted in memory too. */
static void removals(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(22, 0);
    for (int trial = 0; trial < 8; trial++) {
        world w;
        block(&w);
        w.state.pair.builds = trial % 2 ? 16 : 1; /* with and without sorting */
        each_pair(&w, write_mark);
        int go = trial < 2 ? 1 : 12, come = trial % 4 == 0 ? 0 : trial % 4 == 1 ? go : go / 2;
        mrn_vec3 hole[12];
        double radius[12];
        for (int k = 0; k < go; k++) {
            int32_t n = w.state.body.n - w.state.body.n_walls;
            int32_t i = w.state.body.n_walls + (int32_t)floor(uniform(&rng, 0, n));
            hole[k] = mrn_load3(w.state.body.x + 3 * i);
            radius[k] = w.state.body.radius[i];
            ok(mrn_body_remove(&w.state, mrn_body_handle(&w.state, i), &w.msg), &w.msg);
        }
        for (int k = 0; k < come; k++) {
            mrn_body b = world_grain(&w, radius[k], hole[k], mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
            w.state.body.group[mrn_body_index(&w.state, b)] = 1; /* marks newcomers */
        }
        assert_false(mrn_pairs_current(&w.state));
        assert_true(mrn_pairs_stale(&w.scene, &w.state));
        carried = begun = 0;
        kit_build(&w);
        assert_true(mrn_pairs_current(&w.state));
        each_pair(&w, read_mark);
        kit_build(&w);
        each_pair(&w, read_mark);
        assert_true(carried > 2 * 60 && (begun > 0) == (come > 0));
        world_end(&w);
    }
}

/* A list speaks of places in memory. After one body has gone and another has come there are as many
   rows as bodies, yet others: nobody reads the network by such a list, whatever its length. */
static void another_body_in_the_place(void **state)
{
    (void)state;
    world w;
    block(&w);
    each_pair(&w, write_mark);
    mrn_contacts c = {0};
    ok(mrn_contacts_name(&w.state, &c, &w.msg), &w.msg);
    assert_true(c.n > 50);
    mrn_contacts_destroy(&c);
    ok(mrn_body_remove(&w.state, mrn_body_handle(&w.state, 9), &w.msg), &w.msg);
    world_grain(&w, 1e-3, mrn_v3(4e-3, 4e-3, 3e-2), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    assert_int_equal(w.state.pair.rows, w.state.body.n);
    assert_int_equal(mrn_contacts_name(&w.state, &c, &w.msg), MRN_ERR_INTERNAL);
    assert_int_equal(mrn_contacts_collect(&w.scene, &w.state, 0, &c, &w.msg), MRN_ERR_RANGE);
    assert_non_null(strstr(w.msg.text, "not rebuilt"));
    kit_build(&w);
    ok(mrn_contacts_collect(&w.scene, &w.state, 0, &c, &w.msg), &w.msg);
    assert_true(c.n > 50);
    mrn_contacts_destroy(&c);
    world_end(&w);
}

/* The same for bodies that changed places: an engine that runs takes notice by itself and lists
   them anew. It asks for the forces once more then, which shifts damping by a part of a step (2e-9
   m in 50 steps); grains that push others than their neighbours are 1e-5 m away by then. */
static void bodies_exchanged_under_way(void **state)
{
    (void)state;
    double x[2][3 * MOST_BODIES];
    for (int way = 0; way < 2; way++) {
        world w;
        int32_t perm[MOST_BODIES];
        block(&w);
        w.state.h = 1e-6;
        ok(mrn_smooth_create(&w.scene, &w.state, &w.engine, &w.msg), &w.msg);
        world_steps(&w, 50);
        for (int32_t k = 0; k < w.state.body.n; k++)
            perm[k] = k < w.state.body.n_walls ? k : w.state.body.n - k;
        if (way == 1)
            ok(mrn_bodies_permute(&w.state, perm, &w.msg), &w.msg);
        world_steps(&w, 50);
        assert_true(w.state.contacts > 50);
        for (int32_t k = 0; k < w.state.body.n; k++)
            memcpy(x[way] + 3 * w.state.body.id[k], w.state.body.x + 3 * k, 3 * sizeof(double));
        world_end(&w);
    }
    for (int k = 0; k < 3 * 65; k++)
        assert_close(x[1][k], x[0][k], 1e-8);
}

/* A copy has all that the list needs, and memory that runs out anywhere leaves no half. */
static void copies_remember(void **state)
{
    (void)state;
    world w;
    block(&w);
    each_pair(&w, write_mark);
    world copy = w;
    memset(&copy.state, 0, sizeof copy.state);
    ok(mrn_state_copy(&w.state, &copy.state, &w.msg), &w.msg);
    mrn_body gone = mrn_body_handle(&copy.state, copy.state.body.n_walls + 5);
    ok(mrn_body_remove(&copy.state, gone, &w.msg), &w.msg);
    assert_true(mrn_pairs_current(&w.state));
    ok(mrn_pairs_build(&copy.scene, &copy.state, false, &w.msg), &w.msg);
    carried = 0;
    each_pair(&copy, read_mark);
    assert_true(carried > 60);
    mrn_state_destroy(&copy.state);
    world_end(&w);
}

/* ---- change of law ---- */

static void forgetting(void **state)
{
    (void)state;
    world w;
    block(&w);
    world_second_material(&w, 2500, 1e8, 0.25);
    for (int32_t i = 0; i < w.state.body.n; i++)
        w.state.body.material[i] = (uint16_t)(w.state.body.id[i] % 2);
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    w.scene.moments = true;
    kit_build(&w);
    each_pair(&w, write_mark);
    mrn_pairs_forget(&w.scene, &w.state, 1); /* between the two materials */
    const mrn_pairs *p = &w.state.pair;
    const mrn_contacts *slot = &w.state.contact;
    int width = w.scene.history, kept = 0, dropped = 0;
    for (int32_t i = w.state.body.n_walls; i < p->rows; i++)
        for (int part = 0; part < 2; part++)
            for (int32_t k = (part ? p->wall_row : p->row)[i];
                 k < (part ? p->wall_row : p->row)[i + 1]; k++) {
                bool mixed = w.state.body.material[i] != w.state.body.material[p->other[k]];
                bool live = overlap(&w, i, k) && !mixed;
                assert_int_equal(mrn_contact_alive(slot, k), live);
                for (int h = 0; h < width; h++)
                    assert_true((slot->history[k * width + h] != 0) == live);
                for (int d = 0; d < 3; d++)
                    assert_true((slot->force[3 * k + d] != 0) == live &&
                                (slot->moment[3 * k + d] != 0) == live);
                kept += live;
                dropped += overlap(&w, i, k) && mixed;
            }
    assert_true(kept > 20 && dropped > 20);
    mrn_state none = {0};
    mrn_pairs_forget(&w.scene, &none, 1); /* nothing there: nothing happens */
    world_end(&w);
}

/* ---- contacts at a distance ---- */

static double a_fifth(const double *coef, double r_eff)
{
    return coef[0] * r_eff;
}

static const mrn_law bridge = {.name = "bridge", .kind = MRN_LAW_COHESION, .range = a_fifth};

static void make_range(world *w, double factor)
{
    for (int k = 0; k < w->scene.n_interactions; k++) {
        mrn_prepared *law = &w->scene.interaction[k].ready;
        law->part[MRN_LAW_COHESION] = &bridge;
        law->coef[MRN_LAW_COHESION][0] = factor;
        law->range = true;
    }
    w->scene.range = true;
}

static void lists_with_range(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(23, 0);
    for (int trial = 0; trial < 6; trial++) {
        world w;
        kit_begin(&w, 3);
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        for (int k = 0; k < 2; k++)
            world_periodic(&w, k, 0, 9e-3);
        for (int k = 0; k < 80; k++)
            world_grain(
                &w, uniform(&rng, 0.2e-3, 1e-3),
                mrn_v3(uniform(&rng, 0, 9e-3), uniform(&rng, 0, 9e-3), uniform(&rng, 1e-3, 9e-3)),
                mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        kit_ready(&w);
        w.state.cell_tilt[0] = uniform(&rng, -4e-3, 4e-3);
        make_range(&w, 0.4);
        kit_build(&w);
        const mrn_pairs *p = &w.state.pair;
        lattice l = lattice_of(&w);
        double top = 0;
        for (int32_t i = 1; i < w.state.body.n; i++)
            top = fmax(top, w.state.body.radius[i]);
        int apart = 0;
        for (int32_t i = 1; i < w.state.body.n; i++) {
            for (int32_t j = i + 1; j < w.state.body.n; j++) {
                double gap = brute_gap(&w, &l, i, j, 2);
                double ri = w.state.body.radius[i], rj = w.state.body.radius[j];
                double range = mrn_pair_range(&w.scene, 0, ri * rj / (ri + rj));
                assert_close(range, 0.4 * ri * rj / (ri + rj), 1e-18);
                if (gap < p->skin + range)
                    assert_true(is_listed(p, i, j));
                if (gap > p->skin + 0.4 * top)
                    assert_false(is_listed(p, i, j));
                apart += gap > p->skin && gap < p->skin + range;
            }
            double gap = w.state.body.x[3 * i + 2] - w.state.body.radius[i];
            bool on_wall = p->wall_row[i + 1] > p->wall_row[i];
            assert_true(on_wall || gap > p->skin + 0.4 * w.state.body.radius[i]);
        }
        assert_true(apart > 0);
        assert_true(mrn_pair_range(&w.scene, -1, 1e-3) == 0);
        world_end(&w);
    }
}

/* A cell that has room for the grains but not for what acts between them is refused. */
static void range_needs_room(void **state)
{
    (void)state;
    world w;
    kit_begin(&w, 3);
    world_periodic(&w, 0, 0, 4.4e-3);
    world_grain(&w, 1e-3, mrn_v3(1e-3, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    kit_ready(&w);
    kit_build(&w);
    make_range(&w, 0.3);
    assert_int_equal(mrn_pairs_build(&w.scene, &w.state, false, &w.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(w.msg.expected, "distance"));
    world_end(&w);
}

/* The network: two grains and a wall apart, listed as long as they are alive and they are within
   the range. */
static void network_with_range(void **state)
{
    (void)state;
    world w;
    kit_begin(&w, 3);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    double r = 1e-3, gap = 0.05e-3;
    world_grain(&w, r, mrn_v3(0, 0, r + gap), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_grain(&w, r, mrn_v3(2 * r + gap, 0, 4 * r), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_grain(&w, r, mrn_v3(0, 0, 4 * r), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    kit_ready(&w);
    double factor[] = {0.2, 0.04}; /* of r/2 and r: within and beyond the gap */
    for (int far = 0; far < 2; far++)
        for (int alive = 0; alive < 2; alive++) {
            make_range(&w, factor[far]);
            kit_build(&w);
            assert_int_equal(w.state.pair.n, 2);
            memset(w.state.contact.flags, alive, 2);
            for (int k = 0; k < 6; k++)
                w.state.contact.force[k] = k + 1;
            mrn_contacts net = {0};
            ok(mrn_contacts_collect(&w.scene, &w.state, 0, &net, &w.msg), &w.msg);
            assert_int_equal(net.n, alive && !far ? 2 : 0);
            for (int64_t k = 0; k < net.n; k++) {
                /* roundings of a few millimetres */
                assert_close(net.gap[k], gap, 1e-17);
                bool wall = net.a[k] == 0;
                assert_true(net.force[3 * k] == (wall ? 4 : 1));
                assert_close(mrn_norm(mrn_load3(net.branch + 3 * k)), (wall ? r : 2 * r) + gap,
                             1e-17);
            }
            mrn_contacts_destroy(&net);
        }
    world_end(&w);
}

/* A drop of liquid that slides over the edge between two triangles stays one contact: the wall is a
   square of two triangles, the grain touches it once and then moves over its diagonal at a
   distance. */
static void bridge_over_an_edge(void **state)
{
    (void)state;
    world w;
    kit_begin(&w, 3);
    double s = 5e-3, r = 1e-3;
    double soup[] = {-s, -s, 0, s, -s, 0, s, s, 0, -s, -s, 0, s, s, 0, -s, s, 0};
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1)); /* to become the mesh, with its body */
    mrn_shape *shape = &w.scene.shape[w.scene.wall[0].shape];
    *shape = (mrn_shape){.type = mrn_shape_type_find("mesh"), .dimension = 3};
    ok(mrn_mesh_create(soup, 2, &shape->mesh, &w.msg), &w.msg);
    memcpy(w.state.body.q, (double[]){1, 0, 0, 0}, 4 * sizeof(double));
    world_grain(&w, r, mrn_v3(-5e-4, 5e-4, 0.98 * r), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    kit_ready(&w);
    make_range(&w, 0.3);
    mrn_images im = mrn_images_of(&w.scene, &w.state);
    const mrn_pairs *p = &w.state.pair;
    mrn_contacts *slot = &w.state.contact;
    mrn_contact_point c[2];
    int crossed = 0;
    for (int k = 0; k <= 60; k++) {
        double d = k == 0 ? 0.98 * r : 1.1 * r;
        mrn_store3(w.state.body.x + 3, mrn_v3(-5e-4 + 2e-5 * k, 5e-4 - 1.5e-5 * k, d));
        kit_build(&w);
        assert_int_equal(p->n, 2);
        assert_int_equal(mrn_wall_group(&w.scene, &w.state, &im, 1, 0, 2, c), 1);
        for (int m = 0; m < 2; m++) {
            crossed += c[m].touch && !mrn_contact_alive(slot, m) && k > 0;
            slot->flags[m] = c[m].touch;
            if (!c[m].touch)
                continue;
            assert_close(c[m].gap, d - r, 1e-17);
            assert_close(c[m].normal.z, 1, 1e-15);
            mrn_store3(mrn_contacts_point(slot, m), c[m].point);
        }
    }
    assert_int_equal(crossed, 1);
    /* beyond the range; and never made: no contact at the same place */
    w.state.body.x[5] = 1.31 * r;
    assert_int_equal(mrn_wall_group(&w.scene, &w.state, &im, 1, 0, 2, c), 0);
    w.state.body.x[5] = 1.1 * r;
    memset(slot->flags, 0, 2);
    assert_int_equal(mrn_wall_group(&w.scene, &w.state, &im, 1, 0, 2, c), 0);
    assert_false(c[0].touch || c[1].touch);
    world_end(&w);
}

/* ---- clusters ---- */

static mrn_body cluster_of(world *w, mrn_vec3 x, int n, double r)
{
    mrn_body_def d = mrn_body_default();
    d.x = x, d.radius = 10 * r, d.mass = 1, d.inertia = 1, d.flags = MRN_BODY_CLUSTER;
    mrn_body b;
    ok(mrn_body_add(&w->state, &d, &b, &w->msg), &w->msg);
    int32_t parent = w->state.body.id[mrn_body_index(&w->state, b)];
    for (int k = 0; k < n; k++) {
        d.x = mrn_add(x, mrn_v3(1.2 * r * (k - 0.5 * (n - 1)), 0, 0));
        d.radius = r, d.flags = MRN_BODY_MEMBER, d.parent = parent, d.part = k;
        ok(mrn_body_add(&w->state, &d, NULL, &w->msg), &w->msg);
    }
    return b;
}

static void clusters(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(24, 0);
    int64_t all = 0;
    for (int trial = 0; trial < 6; trial++) {
        world w;
        kit_begin(&w, 3);
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        for (int k = 0; k < 2; k++)
            world_periodic(&w, k, 0, 1e-2);
        for (int k = 0; k < 25; k++) {
            mrn_vec3 x = {uniform(&rng, -1e-2, 2e-2), uniform(&rng, -1e-2, 2e-2),
                          uniform(&rng, 0.5e-3, 5e-3)};
            if (k % 3 == 0)
                world_grain(&w, 0.8e-3, x, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
            else
                cluster_of(&w, x, 3, 0.7e-3);
        }
        kit_ready(&w);
        w.state.cell_tilt[0] = trial % 2 ? uniform(&rng, -2e-2, 2e-2) : 0;
        mrn_vec3 before[MOST_BODIES];
        for (int32_t i = 0; i < w.state.body.n; i++)
            before[w.state.body.id[i]] = mrn_load3(w.state.body.x + 3 * i);
        lattice l = lattice_of(&w);
        kit_build(&w);
        const mrn_bodies *b = &w.state.body;
        const mrn_pairs *p = &w.state.pair;
        assert_close(p->skin, 0.1 * (9 * 0.8e-3 + 48 * 0.7e-3) / 57, 1e-15);
        for (int32_t i = 1; i < b->n; i++) {
            bool is_cluster = b->flags[i] & MRN_BODY_CLUSTER;
            assert_true(!is_cluster || (p->wall_row[i] == p->wall_row[i + 1]));
            for (int32_t j = i + 1; j < b->n; j++) {
                bool never = ((b->flags[i] | b->flags[j]) & MRN_BODY_CLUSTER) ||
                             (b->parent[i] >= 0 && b->parent[i] == b->parent[j]);
                bool near = brute_gap(&w, &l, i, j, 5) < p->skin;
                assert_int_equal(near && !never, is_listed(p, i, j));
                all += near && !never;
            }
            /* spheres keep their places about the centre: they cross faces together */
            int32_t lead = mrn_body_leader(&w.state, i);
            mrn_vec3 arm = mrn_sub(mrn_load3(b->x + 3 * i), mrn_load3(b->x + 3 * lead));
            mrn_vec3 was = mrn_sub(before[b->id[i]], before[b->id[lead]]);
            assert_close(mrn_norm(mrn_sub(arm, was)), 0, 1e-16);
            assert_memory_equal(b->image + 3 * i, b->image + 3 * lead, 3 * sizeof(int32_t));
            mrn_vec3 way = mrn_sub(mrn_unwrapped(&w.scene, &w.state, i), before[b->id[i]]);
            assert_close(mrn_norm(way), 0, 1e-16);
        }
        world_end(&w);
    }
    assert_true(all > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removals),
        cmocka_unit_test(another_body_in_the_place),
        cmocka_unit_test(bodies_exchanged_under_way),
        cmocka_unit_test(copies_remember),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(lists_with_range),
        cmocka_unit_test(range_needs_room),
        cmocka_unit_test(network_with_range),
        cmocka_unit_test(bridge_over_an_edge),
        cmocka_unit_test(clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
