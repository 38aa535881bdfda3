/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network as matrices: G against finite differences of real geometry, its transpose, frames and
   rows, cells, rigid motions, equilibrium; networks made by hand. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "by_hand.h"
#include "quasistatic/net.h"
#include "world.h"

/* ---- networks to test with ---- */

typedef struct cast {
    int32_t n;
    int64_t n_contacts;
    double x[3 * 64], radius[64];
    hand_contact contact[512];
} cast;

static void draw_contact(cast *k, mrn_rng *rng, int32_t c, int32_t a, mrn_vec3 n)
{
    hand_contact *o = &k->contact[k->n_contacts++];
    memset(o, 0, sizeof *o);
    o->c = c, o->a = a, o->n = n;
    o->force[0] = 1 + mrn_rng_uniform(rng);
    o->force[1] = 0.1 * mrn_rng_normal(rng);
    o->force[2] = 0.1 * mrn_rng_normal(rng);
    o->kn = 1e3, o->kt = 8e2, o->friction = 0.5;
}

/* Grains at random and contacts between any two closer than a limit; some with the ground. */
static void draw(cast *k, int dimension, int32_t n, bool rolling, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 1);
    memset(k, 0, sizeof *k);
    k->n = n;
    for (int32_t i = 0; i < n; i++) {
        for (int d = 0; d < dimension; d++)
            k->x[3 * i + d] = 3 * mrn_rng_uniform(&rng);
        k->radius[i] = 0.4 + 0.4 * mrn_rng_uniform(&rng);
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i && k->n_contacts < 500; j++) {
            mrn_vec3 d = mrn_sub(mrn_load3(k->x + 3 * i), mrn_load3(k->x + 3 * j));
            if (mrn_norm(d) < 1.6)
                draw_contact(k, &rng, i, j, mrn_v3(0, 0, 0));
        }
    draw_contact(k, &rng, 0, -1, mrn_v3(0, 1, 0));
    draw_contact(k, &rng, 1, -1, mrn_v3(0.6, 0.8, 0));
    for (int64_t c = 0; rolling && c < k->n_contacts; c += 3) {
        k->contact[c].kr[0] = 2, k->contact[c].kr[1] = 1;
        for (int d = dimension == 2 ? 2 : 0; d < 3; d++)
            k->contact[c].moment[d] = 0.01 * mrn_rng_normal(&rng);
    }
}

static mrn_net make(int dimension, const cast *k, const double *cell, bool frictionless)
{
    mrn_net net;
    mrn_message msg = {0};
    ok(hand_make(dimension, k->n, k->x, k->radius, k->n_contacts, k->contact, cell, NULL,
                 frictionless, &net, &msg),
       &msg);
    return net;
}

static double *vector(int64_t n)
{
    return mrn_alloc((size_t)(n > 0 ? n : 1) * sizeof(double));
}

static double *drawn(int64_t n, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 7);
    double *v = vector(n);
    for (int64_t i = 0; i < n; i++)
        v[i] = mrn_rng_normal(&rng);
    return v;
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- G and its transpose ---- */

/* f . (G u) = (Gᵀ f) . u for any f, u: sums of some thousand products of order one, so that 1e-12
   of the sum of their sizes is rounding. The matrix gives the same. */
static void transposes(const mrn_net *net)
{
    double *u = drawn(net->n_unknowns, 3), *f = drawn(net->n_rows, 4);
    double *rel = vector(net->n_rows), *res = vector(net->n_unknowns);
    double *rel2 = vector(net->n_rows), *res2 = vector(net->n_unknowns);
    mrn_net_relative(net, u, rel);
    mrn_net_resultant(net, f, res);
    double size = sqrt(dot(net->n_rows, rel, rel) * dot(net->n_rows, f, f));
    assert_close(dot(net->n_rows, f, rel), dot(net->n_unknowns, u, res), 1e-12 * size);
    mrn_sparse g;
    mrn_message msg = {0};
    ok(mrn_net_matrix(net, &g, &msg), &msg);
    mrn_sparse_times(&g, u, rel2);
    mrn_sparse_times_t(&g, f, res2);
    for (int64_t i = 0; i < net->n_rows; i++)
        assert_close(rel2[i], rel[i], 1e-12 * size);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        assert_close(res2[i], res[i], 1e-12 * size);
    mrn_sparse_release(&g);
    mrn_free(u), mrn_free(f), mrn_free(rel), mrn_free(res), mrn_free(rel2), mrn_free(res2);
}

static void test_transpose(void **state)
{
    (void)state;
    const double cell[3] = {3, 3, 3}, strip[3] = {3, 0, 0};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int way = 0; way < 8; way++) {
            cast k;
            draw(&k, dimension, 20, way & 1, 10 + (uint64_t)way);
            mrn_net net = make(dimension, &k, way & 2 ? cell : way == 4 ? strip : NULL, way == 5);
            transposes(&net);
            mrn_net_release(&net);
        }
}

/* The gap of a pair after the centres have moved by u, in a cell that strained by e. */
static double moved_gap(const cast *k, const mrn_net *net, int64_t c, const double *u, double s)
{
    const hand_contact o_of = hand_of(net, c), *o = &o_of;
    mrn_vec3 b = o->branch, e = b;
    for (int g = 0; g < net->n_globals; g++) {
        double strain = s * u[mrn_net_global_unknown(net, g)] / net->global[g].scale;
        const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
        const double at[3] = {b.x, b.y, b.z};
        double add[3] = {0};
        add[first[net->global[g].component]] = strain * at[second[net->global[g].component]];
        e = mrn_add(e, mrn_load3(add));
    }
    double move[3] = {0};
    for (int d = 0; d < net->dimension; d++) {
        move[d] = s * u[mrn_net_unknown(net, o->c, d)];
        if (o->a >= 0)
            move[d] -= s * u[mrn_net_unknown(net, o->a, d)];
    }
    e = mrn_add(e, mrn_load3(move));
    /* the ground is a plane through the contact point, which stands still */
    return o->a < 0 ? mrn_dot(e, o->n) - k->radius[o->c]
                    : mrn_norm(e) - k->radius[o->c] - k->radius[o->a];
}

/* Central differences with a step of 1e-5: the error of second order is 1e-10, rounding 1e-11. */
static void test_normal_rows(void **state)
{
    (void)state;
    const double cell[3] = {7, 8, 9};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int way = 0; way < 2; way++) {
            cast k;
            draw(&k, dimension, 20, false, 30);
            mrn_net net = make(dimension, &k, way ? cell : NULL, false);
            double *u = drawn(net.n_unknowns, 5), *rel = vector(net.n_rows), s = 1e-5;
            mrn_net_relative(&net, u, rel);
            for (int64_t c = 0; c < net.n_contacts; c++) {
                if (way && net.element[c].a < 0)
                    continue; /* the ground's plane strains with the cell */
                double slope =
                    (moved_gap(&k, &net, c, u, s) - moved_gap(&k, &net, c, u, -s)) / (2 * s);
                assert_close(slope, rel[net.element[c].row], 1e-7);
            }
            mrn_free(u), mrn_free(rel);
            mrn_net_release(&net);
        }
}

/* Material points of both bodies that are at the contact point, carried by finite rotations: their
   relative displacement along t and w, and the relative turn for the rows of moments. */
static void test_tangential_rows(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        cast k;
        draw(&k, dimension, 20, true, 40);
        mrn_net net = make(dimension, &k, NULL, false);
        double *u = drawn(net.n_unknowns, 6), *rel = vector(net.n_rows), s = 1e-5;
        mrn_net_relative(&net, u, rel);
        for (int64_t c = 0; c < net.n_contacts; c++) {
            const hand_contact o_of = hand_of(&net, c), *o = &o_of;
            mrn_vec3 slope = {0, 0, 0}, turn = {0, 0, 0};
            for (int end = 0; end < 2; end++) {
                int32_t i = end ? o->a : o->c;
                if (i < 0)
                    continue;
                const double *v = u + mrn_net_unknown(&net, i, 0);
                bool flat = dimension == 2;
                mrn_vec3 x = mrn_v3(v[0], v[1], flat ? 0 : v[2]), r = end ? o->ra : o->rc;
                mrn_vec3 w = flat ? mrn_v3(0, 0, v[2]) : mrn_load3(v + 3);
                w = mrn_scale(1 / net.length, w);
                mrn_vec3 up = mrn_rotate(mrn_quat_from_rotation(mrn_scale(s, w)), r);
                mrn_vec3 down = mrn_rotate(mrn_quat_from_rotation(mrn_scale(-s, w)), r);
                mrn_vec3 way = mrn_axpy(1 / (2 * s), mrn_sub(up, down), x);
                slope = mrn_axpy(end ? -1 : 1, way, slope);
                turn = mrn_axpy(end ? -net.length : net.length, w, turn);
            }
            const mrn_vec3 axis[3] = {o->n, o->t, o->w};
            for (int r = 0; r < dimension; r++)
                assert_close(mrn_dot(slope, axis[r]), rel[o->row + r], 1e-7);
            for (int r = dimension; r < o->rows; r++)
                assert_close(mrn_dot(turn, axis[dimension == 2 ? 2 : r - dimension]),
                             rel[o->row + r], 1e-12);
        }
        mrn_free(u), mrn_free(rel);
        mrn_net_release(&net);
    }
}

/* A wall that moves is A: U = u_C - q direction. */
static void test_wall_rows(void **state)
{
    (void)state;
    cast k;
    draw(&k, 3, 5, false, 3);
    mrn_net net = make(3, &k, NULL, false);
    int64_t c = net.n_contacts - 1;
    net.n_globals = 1, net.n_unknowns++;
    net.global[0] = (mrn_global){.kind = MRN_GLOBAL_WALL, .direction = {0.6, 0, 0.8}, .scale = 1};
    net.element[c].global = 0;
    double *u = vector(net.n_unknowns), *rel = vector(net.n_rows);
    u[net.n_unknowns - 1] = 2;
    mrn_net_relative(&net, u, rel);
    const mrn_vec3 axis[3] = {hand_of(&net, c).n, hand_of(&net, c).t, hand_of(&net, c).w};
    for (int r = 0; r < 3; r++)
        assert_close(rel[net.element[c].row + r], -2 * mrn_dot(axis[r], net.global[0].direction),
                     1e-14);
    assert_close(rel[net.element[c - 1].row], 0, 0);
    mrn_free(u), mrn_free(rel);
    mrn_net_release(&net);
}

/* ---- frames, rows, counts ---- */

static void test_frames(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        cast k;
        draw(&k, dimension, 20, true, 50);
        for (int64_t c = 0; c < k.n_contacts; c++)
            if (dimension == 2)
                k.contact[c].force[2] = 0;
        mrn_net net = make(dimension, &k, NULL, false);
        for (int64_t c = 0; c < net.n_contacts; c++) {
            const hand_contact here = hand_of(&net, c), *o = &here, *from = &k.contact[c];
            assert_close(mrn_norm(o->n), 1, 1e-14);
            assert_close(mrn_norm(o->t), 1, 1e-14);
            assert_close(mrn_dot(o->n, o->t), 0, 1e-14);
            assert_close(mrn_norm(mrn_sub(o->w, mrn_cross(o->n, o->t))), 0, 1e-14);
            assert_close(o->force[0], from->force[0], 1e-14);
            assert_close(o->force[1], hypot(from->force[1], from->force[2]), 1e-14);
            assert_true(o->force[2] == 0);
            /* the column of the contact network is the same force as a vector */
            mrn_vec3 f = mrn_axpy(o->force[0], o->n, mrn_scale(o->force[1], o->t));
            f = mrn_sub(f, mrn_load3(net.contact.force + 3 * c));
            assert_close(mrn_norm(f), 0, 1e-14 * (1 + o->force[0]));
            double m = 0, m_from = 0;
            for (int d = 0; d < 3; d++)
                m += o->moment[d] * o->moment[d], m_from += from->moment[d] * from->moment[d];
            assert_close(m, m_from, 1e-14);
            if (dimension == 2)
                assert_close(fabs(o->w.z), 1, 1e-15);
            if (o->a >= 0) /* both arms end at one point */
                assert_close(mrn_norm(mrn_add(o->branch, mrn_sub(o->rc, o->ra))), 0, 1e-14);
        }
        mrn_net_release(&net);
    }
}

/* A t that is given tells what the force means; 2D without t: z x n. */
static void test_given_tangent(void **state)
{
    (void)state;
    const double x[6] = {0, 0, 0, 2, 0, 0}, r[2] = {1, 1};
    hand_contact c = {.c = 1, .a = 0, .n = {1, 0, 0}, .friction = 0.5};
    c.force[0] = 1, c.force[1] = -0.2;
    mrn_net net;
    mrn_message msg = {0};
    ok(hand_make(2, 2, x, r, 1, &c, NULL, NULL, false, &net, &msg), &msg);
    assert_close(hand_of(&net, 0).t.y, -1, 0); /* z x n is y, and the force is against it */
    assert_close(hand_of(&net, 0).w.z, -1, 0);
    assert_close(net.element[0].force[1], 0.2, 0);
    /* on C at its left: force -y there, moment about z: (-1, 0) x (0, -0.2) = 0.2; balanced by load
     */
    assert_close(net.load[3 + 1], 0.2, 1e-15);
    assert_close(net.load[3 + 2], -0.2, 1e-15);
    mrn_net_release(&net);
    c.t = mrn_v3(0, 0, 1);
    c.force[1] = 0, c.force[2] = 0.3; /* w = x x z = -y */
    ok(hand_make(3, 2, x, r, 1, &c, NULL, NULL, false, &net, &msg), &msg);
    assert_close(hand_of(&net, 0).t.y, -1, 0);
    assert_int_equal(net.element[0].status, MRN_NET_STICKS);
    mrn_net_release(&net);
    c.force[2] = 0.5;
    ok(hand_make(3, 2, x, r, 1, &c, NULL, NULL, false, &net, &msg), &msg);
    assert_int_equal(net.element[0].status, MRN_NET_SLIDES);
    mrn_net_release(&net);
    c.force[2] = 0, c.t = mrn_v3(0, 0.6, 0.8); /* no tangential force: the t given stays */
    ok(hand_make(3, 2, x, r, 1, &c, NULL, NULL, false, &net, &msg), &msg);
    assert_close(hand_of(&net, 0).t.y, 0.6, 1e-15);
    mrn_net_release(&net);
}

static void test_counts(void **state)
{
    (void)state;
    const double x[6] = {0, 0, 0, 2, 0, 0}, r[2] = {1, 3}, cell[3] = {4, 5, 6}, slab[3] = {4, 0, 6};
    mrn_message msg = {0};
    mrn_net net;
    hand_contact c[2] = {{.c = 1, .a = 0}, {.c = 0, .a = -1, .n = {0, 1, 0}}};
    const struct {
        int dimension, rows0, rows1, dofs;
        double friction, kr;
        bool frictionless;
    } want[] = {{2, 1, 1, 2, 0, 0, false}, {2, 2, 1, 3, 0.3, 0, false}, {2, 3, 1, 3, 0, 1, false},
                {3, 1, 1, 3, 0, 0, false}, {3, 3, 1, 6, 0.3, 0, false}, {3, 6, 1, 6, 0, 1, false},
                {3, 1, 1, 3, 0.3, 1, true}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        c[0].friction = want[k].friction, c[0].kr[1] = want[k].kr;
        ok(hand_make(want[k].dimension, 2, x, r, 2, c, cell, NULL, want[k].frictionless, &net,
                     &msg),
           &msg);
        assert_int_equal(net.element[0].rows, want[k].rows0);
        assert_int_equal(net.element[1].rows, want[k].rows1);
        assert_int_equal(net.element[1].row, want[k].rows0);
        assert_int_equal(net.n_rows, want[k].rows0 + want[k].rows1);
        assert_int_equal(net.dofs, want[k].dofs);
        int strains = want[k].dimension == 2 ? 3 : 6;
        assert_int_equal(net.n_globals, strains);
        assert_int_equal(net.n_unknowns, 2 * want[k].dofs + strains);
        assert_close(net.length, 2, 0);
        assert_close(net.global[0].scale, 2 * sqrt(2), 1e-15);
        assert_close(net.volume, want[k].dimension == 2 ? 20 : 120, 0);
        assert_false(net.forces_known);
        for (int i = 0; i < 2; i++) { /* disks, balls of unit density */
            bool disk = want[k].dimension == 2;
            double m = MRN_PI * r[i] * r[i] * (disk ? 1 : 4 * r[i] / 3);
            assert_close(net.mass[i] / m, 1, 1e-15);
            for (int d = 0; d < 3; d++)
                assert_close(net.inertia[3 * i + d] / (m * r[i] * r[i]), disk ? 0.5 : 0.4, 1e-15);
        }
        mrn_net_release(&net);
    }
    ok(hand_make(3, 2, x, r, 2, c, slab, NULL, false, &net, &msg), &msg);
    assert_int_equal(net.n_globals, 3);
    assert_string_equal(net.global[0].name, "cell.xx");
    assert_string_equal(net.global[1].name, "cell.zz");
    assert_string_equal(net.global[2].name, "cell.xz");
    assert_close(net.volume, 4 * 6 * 6, 1e-12); /* grains reach from -3 to 3 along y */
    mrn_net_release(&net);
    mrn_net_release(&net);
}

static void test_bad_input(void **state)
{
    (void)state;
    const double x[3] = {0, 0, 0}, r[1] = {1}, none[1] = {0};
    hand_contact c = {.c = 0, .a = -1, .n = {0, 1, 0}};
    mrn_net net;
    mrn_message msg = {0};
    assert_int_equal(hand_make(4, 1, x, r, 1, &c, NULL, NULL, false, &net, &msg), MRN_ERR_RANGE);
    assert_int_equal(hand_make(3, 1, x, none, 1, &c, NULL, NULL, false, &net, &msg), MRN_ERR_RANGE);
    c.a = 1;
    assert_int_equal(hand_make(3, 1, x, r, 1, &c, NULL, NULL, false, &net, &msg), MRN_ERR_RANGE);
    c.a = -1, c.n = mrn_v3(0, 0, 0);
    assert_int_equal(hand_make(3, 1, x, r, 1, &c, NULL, NULL, false, &net, &msg), MRN_ERR_RANGE);
    assert_non_null(strstr(msg.text, "no normal"));
    ok(hand_make(2, 0, NULL, NULL, 0, NULL, NULL, NULL, false, &net, &msg), &msg);
    assert_int_equal(net.n_unknowns, 0);
    mrn_equilibrium e;
    mrn_net_equilibrium(&net, &e);
    assert_true(e.good);
    mrn_net_release(&net);
}

/* ---- periodic cells ---- */

/* A triangular lattice, 4 x 4 disks of diameter 1 in a cell of 4 x 2 sqrt(3), normal forces N along
   its three directions: the textbook sum gives the pressure P = sqrt(3) N / a, here with a = 1. */
static void triangular(cast *k, double cell[3], double force)
{
    memset(k, 0, sizeof *k);
    cell[0] = 4, cell[1] = 4 * sqrt(0.75), cell[2] = 0;
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 4; i++, k->n++) {
            k->x[3 * k->n] = i + 0.5 * (row % 2), k->x[3 * k->n + 1] = row * sqrt(0.75);
            k->radius[k->n] = 0.5;
        }
    for (int32_t i = 0; i < 16; i++)
        for (int side = 0; side < 3; side++) {
            int row = i / 4, col = i % 4, odd = row % 2, up = (row + 1) % 4;
            double angle = side * MRN_PI / 3;
            int to = side == 0   ? row * 4 + (col + 1) % 4
                     : side == 1 ? up * 4 + (col + odd) % 4
                                 : up * 4 + (col + odd + 3) % 4;
            hand_contact *c = &k->contact[k->n_contacts++];
            *c = (hand_contact){.c = to, .a = i, .n = {cos(angle), sin(angle), 0}};
            c->kn = 1000, c->force[0] = force;
        }
}

static void test_lattice_stress(void **state)
{
    (void)state;
    cast k;
    double cell[3], stress[6], f[64];
    triangular(&k, cell, 2);
    mrn_net net = make(2, &k, cell, true);
    assert_int_equal(net.n_contacts, 48);
    for (int64_t c = 0; c < 48; c++)
        assert_close(net.contact.gap[c], 0, 1e-14);
    mrn_net_forces(&net, f);
    mrn_net_stress(&net, f, stress);
    assert_close(stress[MRN_XX], 2 * sqrt(3), 1e-13);
    assert_close(stress[MRN_YY], 2 * sqrt(3), 1e-13);
    assert_close(stress[MRN_XY], 0, 1e-13);
    /* nodes are in balance without load, globals carry -V stress / scale */
    for (int64_t i = 0; i < 32; i++)
        assert_close(net.load[i], 0, 1e-13);
    double scale = 0.5 * sqrt(48);
    assert_close(net.load[32], -16 * sqrt(0.75) * 2 * sqrt(3) / scale, 1e-12);
    assert_close(net.global[1].load, net.load[33], 0);
    mrn_equilibrium e;
    mrn_net_equilibrium(&net, &e);
    assert_true(e.good);
    assert_close(e.force, 0, 1e-13);
    assert_close(net.mean_force, 2, 1e-14);
    mrn_net_release(&net);
}

/* One grain in a cell of its own size touches its images: nearest images alone could not tell. */
static void test_own_images(void **state)
{
    (void)state;
    const double x[3] = {0.2, 0.3, 0}, r[1] = {0.5}, cell[3] = {1, 1, 0};
    hand_contact c[2] = {{.c = 0, .a = 0, .n = {1, 0, 0}}, {.c = 0, .a = 0, .n = {0, 1, 0}}};
    mrn_net net;
    mrn_message msg = {0};
    c[0].force[0] = 3, c[1].force[0] = 5;
    ok(hand_make(2, 1, x, r, 2, c, cell, NULL, true, &net, &msg), &msg);
    double f[2], stress[6];
    mrn_net_forces(&net, f);
    mrn_net_stress(&net, f, stress);
    assert_close(stress[MRN_XX], 3, 1e-15);
    assert_close(stress[MRN_YY], 5, 1e-15);
    transposes(&net);
    mrn_net_release(&net);
}

/* ---- equilibrium ---- */

/* A disk of weight 1 on a floor. */
static void test_equilibrium(void **state)
{
    (void)state;
    const double x[3] = {0, 0, 0}, r[1] = {0.5};
    double load[3] = {0, -1, 0};
    hand_contact c = {.c = 0, .a = -1, .n = {0, 1, 0}, .friction = 0.5};
    mrn_net net;
    mrn_message msg = {0};
    mrn_equilibrium e;
    c.force[0] = 1;
    ok(hand_make(2, 1, x, r, 1, &c, NULL, load, false, &net, &msg), &msg);
    mrn_net_equilibrium(&net, &e);
    assert_true(e.good);
    assert_int_equal(e.worst, 0);
    net.element[0].force[0] = 1.01; /* 0.01 too much */
    mrn_net_equilibrium(&net, &e);
    assert_false(e.good);
    assert_close(e.force, 0.01, 1e-14);
    net.element[0].force[0] = 1, net.load[2] = 0.1; /* a moment of 0.05 N m, over 1 N times 1 m */
    mrn_net_equilibrium(&net, &e);
    assert_close(e.moment, 0.05, 1e-14);
    net.load[2] = 0;
    net.element[0].force[1] = 0.6;
    mrn_net_equilibrium(&net, &e);
    assert_int_equal(e.beyond, 1);
    assert_int_equal(e.sliding, 1);
    assert_close(e.worst_coulomb, 1.2, 1e-14);
    net.element[0].force[1] = 0, net.element[0].force[0] = -0.5;
    mrn_net_equilibrium(&net, &e);
    assert_int_equal(e.pulling, 1);
    net.element[0].pull = 0.6;
    mrn_net_equilibrium(&net, &e);
    assert_int_equal(e.pulling, 0);
    mrn_net_release(&net);
}

/* ---- motions that nothing resists ---- */

static int motions(const mrn_net *net, char what[6][64])
{
    double *u = vector(6 * net->n_unknowns), *rel = vector(net->n_rows);
    int n = mrn_net_rigid_motions(net, u, what);
    for (int k = 0; k < n; k++) {
        const double *v = u + k * net->n_unknowns;
        mrn_net_relative(net, v, rel);
        assert_close(sqrt(dot(net->n_rows, rel, rel)), 0, 1e-11);
        for (int j = 0; j <= k; j++)
            assert_close(dot(net->n_unknowns, v, u + j * net->n_unknowns), j == k, 1e-12);
    }
    mrn_free(u), mrn_free(rel);
    return n;
}

static void test_rigid_motions(void **state)
{
    (void)state;
    char what[6][64];
    const double cell[3] = {9, 9, 9}, pipe[3] = {0, 0, 9};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int smooth = 0; smooth < 2; smooth++) {
            cast k;
            draw(&k, dimension, 20, false, 60);
            k.n_contacts -= 2; /* no ground */
            mrn_net net = make(dimension, &k, NULL, smooth);
            assert_int_equal(motions(&net, what), dimension == 2 ? 3 : 6);
            assert_string_equal(what[0], "translation along x");
            assert_string_equal(what[dimension],
                                dimension == 2 ? "rotation about z" : "rotation about x");
            mrn_net_release(&net);
            net = make(dimension, &k, cell, smooth);
            assert_int_equal(motions(&net, what), dimension);
            mrn_net_release(&net);
            net = make(dimension, &k, pipe, smooth);
            assert_int_equal(motions(&net, what), dimension == 2 ? 3 : 4);
            assert_string_equal(what[3 - (dimension == 2)], "rotation about z");
            mrn_net_release(&net);
            k.n_contacts += 2; /* two points on planes: held with friction, each one row without */
            net = make(dimension, &k, NULL, smooth);
            assert_int_equal(motions(&net, what), dimension == 2 ? smooth : smooth ? 4 : 1);
            mrn_net_release(&net);
        }
}

/* Frictionless spheres on a slope slide along it; one servo wall below goes along. */
static void test_slope_and_wall(void **state)
{
    (void)state;
    char what[6][64];
    const double x[9] = {0, 0, 0, 1, 0, 0, 0.5, 0.9, 0}, r[3] = {0.5, 0.5, 0.5};
    hand_contact c[5] = {{.c = 1, .a = 0}, {.c = 2, .a = 0}, {.c = 2, .a = 1}};
    for (int k = 0; k < 2; k++)
        c[3 + k] = (hand_contact){.c = k, .a = -1, .n = {-0.6, 0.8, 0}};
    mrn_net net;
    mrn_message msg = {0};
    ok(hand_make(2, 3, x, r, 5, c, NULL, NULL, true, &net, &msg), &msg);
    assert_int_equal(motions(&net, what), 1);
    assert_string_equal(what[0], "translation along (0.8 0.6 0)");
    net.n_globals = 1;
    net.n_unknowns++;
    net.global[0] = (mrn_global){.kind = MRN_GLOBAL_WALL, .direction = {-0.6, 0.8, 0}, .scale = 1};
    for (int k = 3; k < 5; k++)
        net.element[k].global = 0;
    assert_int_equal(motions(&net, what), 2);
    mrn_net_release(&net);
}

static void test_divalent(void **state)
{
    (void)state;
    const double x[9] = {0, 0, 0, 2, 0, 0, 1, 1.5, 0.3}, r[3] = {1, 0.9, 0.8};
    hand_contact c[3] = {{.c = 1, .a = 0}, {.c = 2, .a = 0}, {.c = 1, .a = 2}};
    mrn_net net;
    mrn_message msg = {0};
    for (int k = 0; k < 3; k++)
        c[k].friction = 0.3;
    ok(hand_make(3, 3, x, r, 3, c, NULL, NULL, false, &net, &msg), &msg);
    int64_t *start, *list;
    ok(mrn_net_incidence(&net, &start, &list, &msg), &msg);
    assert_int_equal(start[3], 6);
    assert_int_equal(list[start[2]], 1);
    assert_int_equal(list[start[2] + 1], 2);
    double u[18] = {0}, rel[9];
    assert_true(mrn_net_divalent(&net, 2, list + start[2], 2, u + 12));
    assert_close(dot(18, u, u), 1, 1e-15);
    mrn_net_relative(&net, u, rel);
    assert_close(dot(9, rel, rel), 0, 1e-30);
    assert_false(mrn_net_divalent(&net, 2, list + start[2], 1, u + 12));
    mrn_free(start), mrn_free(list);
    mrn_net_release(&net);
}

static void test_memory(void **state)
{
    (void)state;
    cast k;
    draw(&k, 3, 10, true, 70);
    const double cell[3] = {9, 9, 9};
    size_t before = mrn_bytes_in_use();
    for (int64_t fail = 1;; fail++) {
        mrn_net net;
        mrn_sparse g = {0};
        int64_t *start = NULL, *list = NULL;
        mrn_message msg = {0};
        mrn_alloc_fail_at(fail);
        mrn_status st = hand_make(3, k.n, k.x, k.radius, k.n_contacts, k.contact, cell, NULL, false,
                                  &net, &msg);
        if (st == MRN_OK)
            st = mrn_net_matrix(&net, &g, &msg);
        if (st == MRN_OK)
            st = mrn_net_incidence(&net, &start, &list, &msg);
        mrn_equilibrium e;
        if (st == MRN_OK) {
            mrn_net_equilibrium(&net, &e);
            assert_true(e.good || isnan(e.force));
            st = e.good ? MRN_OK : MRN_ERR_MEMORY;
        }
        mrn_alloc_fail_at(0);
        mrn_sparse_release(&g);
        mrn_free(start), mrn_free(list);
        mrn_net_release(&net);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_true(fail < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),       cmocka_unit_test(test_normal_rows),
        cmocka_unit_test(test_tangential_rows), cmocka_unit_test(test_wall_rows),
        cmocka_unit_test(test_frames),          cmocka_unit_test(test_given_tangent),
        cmocka_unit_test(test_counts),          cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_lattice_stress),  cmocka_unit_test(test_own_images),
        cmocka_unit_test(test_equilibrium),     cmocka_unit_test(test_rigid_motions),
        cmocka_unit_test(test_slope_and_wall),  cmocka_unit_test(test_divalent),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
