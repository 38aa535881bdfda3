/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elastic network: closed forms, imposed against loaded, what is held, and loads that nothing
   can bear. Tolerances are some hundred times the residual of 1e-10 (1e-13 where asked for) that
   solutions are made to; closed forms of well-conditioned networks are met to 1e-12. */
/* ctest-labels: threads */
#include "by_hand.h"
#include "world.h"

#include "quasistatic/net.h"

enum { MOST = 512 };
typedef struct sketch {
    int32_t n;
    double x[3 * MOST], radius[MOST];
    int64_t contacts;
    hand_contact c[8 * MOST];
} sketch;

static void grain(sketch *s, double x, double y, double z, double r)
{
    mrn_store3(s->x + 3 * s->n, mrn_v3(x, y, z));
    s->radius[s->n++] = r;
}

static hand_contact *touch(sketch *s, int c, int a, mrn_vec3 n, double kn, double kt)
{
    hand_contact *t = &s->c[s->contacts++];
    *t = (hand_contact){.c = c, .a = a, .n = n, .kn = kn, .kt = kt};
    t->friction = kt > 0 ? 0.5 : 0;
    return t;
}

static mrn_net net_of(const sketch *s, int dimension, const double *cell, bool frictionless)
{
    mrn_net net;
    mrn_message msg = {0};
    ok(hand_make(dimension, s->n, s->x, s->radius, s->contacts, s->c, cell, NULL, frictionless,
                 &net, &msg),
       &msg);
    return net;
}

static mrn_elastic *elastic_of(const mrn_net *net, bool cg, double tolerance)
{
    mrn_elastic *e;
    mrn_message msg = {0};
    mrn_elastic_options opt = {.cg = cg, .tolerance = tolerance};
    ok(mrn_elastic_make(net, &opt, &e, &msg), &msg);
    return e;
}

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

/* ---- closed forms ---- */

/* Springs in a row from the ground to a pushed end; sideways nothing resists. */
static void chain(void **state)
{
    (void)state;
    sketch *s = mrn_alloc(sizeof *s);
    enum { N = 7 };
    touch(s, 0, -1, mrn_v3(1, 0, 0), 100, 0);
    for (int i = 0; i < N; i++) {
        grain(s, 2.0 * i, 0, 0, 1);
        if (i > 0)
            touch(s, i, i - 1, mrn_v3(1, 0, 0), 100.0 * (i + 1), 0);
    }
    mrn_net net = net_of(s, 3, NULL, true);
    assert_int_equal(net.dofs, 3);
    for (int cg = 0; cg < 2; cg++) {
        mrn_elastic *e = elastic_of(&net, cg, 1e-13);
        assert_int_equal(mrn_elastic_facts_of(e).held >= 2 * N, 1);
        double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns), at = 0;
        mrn_message msg = {0};
        f[3 * (N - 1)] = -2.5;
        ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
        for (int i = 0; i < N; i++) {
            at -= 2.5 / (100.0 * (i + 1));
            assert_close(u[3 * i], at, 1e-12 * 0.025);
            assert_close(u[3 * i + 1], 0, 0);
            assert_close(u[3 * i + 2], 0, 0);
        }
        /* sideways there is nothing to bear a load: told, and the rest solved all the same */
        f[3 * 2 + 1] = 1;
        assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
        assert_non_null(strstr(msg.text, "body 2"));
        assert_close(u[3 * (N - 1)], at, 1e-10 * 0.025);
        mrn_free(f), mrn_free(u);
        mrn_elastic_release(&e);
    }
    mrn_net_release(&net);
    mrn_free(s);
}

/* Disks of radius r in a periodic triangular lattice, six neighbours each. */
static mrn_net triangular(int nx, int ny, double r, double kn, double kt)
{
    sketch *s = mrn_alloc(sizeof *s);
    double high = sqrt(3) * r, cell[3] = {2 * r * nx, high * ny, 0};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            grain(s, 2 * r * i + r * (j % 2), high * j, 0, r);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int here = j * nx + i, up = (j + 1) % ny, left = (i + nx - 1 + j % 2) % nx;
            touch(s, j * nx + (i + 1) % nx, here, mrn_v3(1, 0, 0), kn, kt);
            touch(s, up * nx + (left + 1) % nx, here, mrn_v3(0.5, sqrt(0.75), 0), kn, kt);
            touch(s, up * nx + left, here, mrn_v3(-0.5, sqrt(0.75), 0), kn, kt);
        }
    mrn_net net = net_of(s, 2, cell, false);
    mrn_free(s);
    return net;
}

/* Every disk is a centre of symmetry: displacements are affine. With n = (cos a, sin a) a strain e
   stretches a contact by 2r n.e.n and shears it by 2r t.e.n (the disks turn with the mean rotation
   of the strain). The sum over the three directions gives, per disk and unit strain,
       xx + yy, both 1: 12 r² kn;  simple shear: 3/2 r² (kn + kt). */
static void lattice(void **state)
{
    (void)state;
    double r = 0.5, kn = 1e4, kt = 4e3;
    mrn_net net = triangular(6, 4, r, kn, kt);
    assert_int_equal(net.n_globals, 3);
    double scale = net.global[0].scale;
    for (int cg = 0; cg < 2; cg++) {
        mrn_elastic *e = elastic_of(&net, cg, 1e-13);
        assert_int_equal(mrn_elastic_facts_of(e).held, 2); /* translations */
        double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns), reaction[3];
        double *q = u + mrn_net_global_unknown(&net, 0);
        bool all[3] = {true, true, true};
        mrn_message msg = {0};
        q[0] = q[1] = -1e-3 * scale, q[2] = 0;
        ok(mrn_elastic_solve(e, f, all, u, reaction, &msg), &msg);
        double exact = -1e-3 * 24 * 6 * r * r * kn / scale;
        assert_close(reaction[0], exact, 1e-12 * fabs(exact));
        assert_close(reaction[1], exact, 1e-12 * fabs(exact));
        assert_close(reaction[2], 0, 1e-12 * fabs(exact));
        assert_true(size_of(mrn_net_global_unknown(&net, 0), u) < 1e-13 * fabs(q[0]));
        q[0] = q[1] = 0, q[2] = 1e-3 * scale;
        ok(mrn_elastic_solve(e, f, all, u, reaction, &msg), &msg);
        exact = 1e-3 * 24 * 1.5 * r * r * (kn + kt) / scale;
        assert_close(reaction[2], exact, 1e-12 * fabs(exact));
        /* du_x/dy turns the disks by minus half of it */
        for (int32_t i = 0; i < net.n; i++)
            assert_close(u[3 * i + 2], -0.5e-3 * net.length, 1e-12 * 1e-3 * net.length);
        mrn_free(f), mrn_free(u);
        mrn_elastic_release(&e);
    }
    mrn_net_release(&net);
}

/* ---- a disordered network ---- */

/* Spheres near the points of a face-centred lattice, contacts with all near neighbours, of random
   stiffness and radius: over-connected, with no symmetry left. */
static mrn_net disordered(int m, bool frictionless, uint64_t seed)
{
    sketch *s = mrn_alloc(sizeof *s);
    mrn_rng rng = mrn_rng_seed(seed, 0);
    static const double base[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    double cell[3] = {m, 1.1 * m, 0.95 * m};
    for (int k = 0; k < 4 * m * m * m; k++) {
        int i = k / 4;
        double p[3] = {i % m + base[k % 4][0], (i / m) % m + base[k % 4][1],
                       i / m / m + base[k % 4][2]};
        for (int d = 0; d < 3; d++)
            p[d] = (p[d] + 0.15 * (mrn_rng_uniform(&rng) - 0.5)) * cell[d] / m;
        double r = 0.32 + 0.08 * mrn_rng_uniform(&rng);
        grain(s, p[0], p[1], p[2], r);
    }
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j < s->n; j++) {
            double d2 = 0;
            for (int d = 0; d < 3; d++) {
                double x = s->x[3 * i + d] - s->x[3 * j + d];
                x -= cell[d] * rint(x / cell[d]);
                d2 += x * x;
            }
            if (d2 < 0.85 * 0.85 && s->contacts < 8 * MOST) {
                double kn = 1 + mrn_rng_uniform(&rng), kt = 0.5 + 0.5 * mrn_rng_uniform(&rng);
                hand_contact *c = touch(s, i, j, mrn_v3(0, 0, 0), kn, kt);
                c->friction = 1;
                c->force[0] = 0.02 * mrn_rng_uniform(&rng);
            }
        }
    mrn_net net = net_of(s, 3, cell, frictionless);
    mrn_free(s);
    return net;
}

/* Strain imposed, reactions read; loaded with these, the strain comes back, whichever of the
   globals are imposed and which loaded. */
static void imposed_and_loaded(void **state)
{
    (void)state;
    mrn_net net = disordered(3, false, 1);
    int64_t n = net.n_unknowns, first = mrn_net_global_unknown(&net, 0);
    assert_int_equal(net.n_globals, 6);
    double *f = numbers(n), *u = numbers(n), *back = numbers(n), reaction[6], again[6];
    mrn_elastic *e = elastic_of(&net, false, 1e-12);
    mrn_message msg = {0};
    bool imposed[6] = {true, true, true, true, true, true};
    for (int g = 0; g < 6; g++)
        u[first + g] = 0.1 * (g + 1) * (g % 2 ? -1 : 1);
    ok(mrn_elastic_solve(e, f, imposed, u, reaction, &msg), &msg);
    for (int mask = 0; mask < 64; mask += 7) { /* also all free (0) and all imposed (63) */
        for (int g = 0; g < 6; g++) {
            imposed[g] = mask >> g & 1;
            f[first + g] = imposed[g] ? 12345 : reaction[g]; /* not looked at where imposed */
            back[first + g] = imposed[g] ? u[first + g] : 54321;
        }
        ok(mrn_elastic_solve(e, f, imposed, back, again, &msg), &msg);
        assert_true(apart(n, u, back) < 1e-10 * size_of(n, u));
        assert_true(apart(6, reaction, again) < 1e-10 * size_of(6, reaction));
    }
    mrn_elastic_release(&e);
    mrn_free(f), mrn_free(u), mrn_free(back);
    mrn_net_release(&net);
}

/* A load drawn at random and balanced. */
static void balanced_load(const mrn_net *net, uint64_t seed, double *f)
{
    mrn_rng rng = mrn_rng_seed(seed, 1);
    double sum[3] = {0};
    for (int64_t i = 0; i < net->n_unknowns; i++)
        f[i] = mrn_rng_normal(&rng);
    for (int32_t i = 0; i < net->n; i++)
        for (int d = 0; d < net->dimension; d++)
            sum[d] += f[mrn_net_unknown(net, i, d)] / net->n;
    for (int32_t i = 0; i < net->n; i++)
        for (int d = 0; d < net->dimension; d++)
            f[mrn_net_unknown(net, i, d)] -= sum[d];
}

/* Conjugate gradients and the factorisation agree, both solve K u = f as the network itself
   multiplies, and the mean displacement is nothing. */
static void conjugate_gradients(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        mrn_net net = disordered(3, kind == 1, 7);
        int64_t n = net.n_unknowns;
        double *f = numbers(n), *u[2] = {numbers(n), numbers(n)}, *y = numbers(n);
        balanced_load(&net, 3, f);
        mrn_message msg = {0};
        for (int cg = 0; cg < 2; cg++) {
            mrn_elastic *e;
            mrn_elastic_options opt = {.cg = cg, .tolerance = 1e-11, .geometric = kind == 2};
            ok(mrn_elastic_make(&net, &opt, &e, &msg), &msg);
            ok(mrn_elastic_solve(e, f, NULL, u[cg], NULL, &msg), &msg);
            mrn_elastic_facts facts = mrn_elastic_facts_of(e);
            assert_true(facts.residual <= 1e-11);
            assert_int_equal(facts.held, 3);
            assert_int_equal(facts.unknowns, n);
            mrn_elastic_release(&e);
            if (kind < 2) {
                mrn_net_stiffness(&net, &(mrn_stiffness_options){0}, u[cg], y);
                assert_true(apart(n, y, f) < 2e-11 * size_of(n, f));
            }
            for (int d = 0; d < 3; d++) {
                double sum = 0;
                for (int32_t i = 0; i < net.n; i++)
                    sum += u[cg][mrn_net_unknown(&net, i, d)];
                assert_close(sum, 0, 1e-10 * size_of(n, u[cg]));
            }
        }
        assert_true(apart(n, u[0], u[1]) < 1e-8 * size_of(n, u[0]));
        /* the same load in a cell that may not strain gives other displacements: the border works
         */
        mrn_free(f), mrn_free(u[0]), mrn_free(u[1]), mrn_free(y);
        mrn_net_release(&net);
    }
}

static void same_bits(void **state)
{
    (void)state;
    mrn_net net = disordered(4, false, 5);
    int64_t n = net.n_unknowns;
    double *f = numbers(n), *u = numbers(n), *v = numbers(n);
    balanced_load(&net, 4, f);
    mrn_message msg = {0};
    int threads = mrn_threads();
    for (int t = 1; t <= 2; t++) {
        mrn_threads_set(t);
        mrn_elastic *e = elastic_of(&net, false, 0);
        ok(mrn_elastic_solve(e, f, NULL, t == 1 ? u : v, NULL, &msg), &msg);
        mrn_elastic_release(&e);
    }
    mrn_threads_set(threads);
    assert_memory_equal(u, v, (size_t)n * sizeof *u);
    mrn_free(f), mrn_free(u), mrn_free(v);
    mrn_net_release(&net);
}

/* ---- what is held ---- */

/* A cluster in free space: translations and rotations are held, loads that turn or push it are
   listed, balanced ones are borne. */
static void floating(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int smooth = 0; smooth < 2; smooth++) {
            sketch *s = mrn_alloc(sizeof *s);
            static const double at[4][3] = {{0, 0, 0}, {2, 0, 0}, {1, 1.7, 0}, {1, 0.6, 1.6}};
            int n = dimension + 1;
            for (int i = 0; i < n; i++) {
                grain(s, at[i][0], at[i][1], dimension == 3 ? at[i][2] : 0, 1);
                for (int j = 0; j < i; j++)
                    touch(s, i, j, mrn_v3(0, 0, 0), 10 + i, 5 + j);
            }
            mrn_net net = net_of(s, dimension, NULL, smooth);
            mrn_elastic *e = elastic_of(&net, false, 1e-12);
            assert_int_equal(mrn_elastic_facts_of(e).held, dimension == 2 ? 3 : 6);
            double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns);
            double *y = numbers(net.n_unknowns);
            mrn_message msg = {0};
            /* two grains pulled apart along the line of their centres */
            mrn_vec3 d = mrn_unit(mrn_sub(mrn_load3(net.x + 6), mrn_load3(net.x)));
            const double along[3] = {d.x, d.y, d.z};
            for (int k = 0; k < dimension; k++) {
                f[mrn_net_unknown(&net, 0, k)] = -along[k];
                f[mrn_net_unknown(&net, 2, k)] = along[k];
            }
            ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
            mrn_net_stiffness(&net, &(mrn_stiffness_options){0}, u, y);
            assert_true(apart(net.n_unknowns, y, f) < 1e-12 * size_of(net.n_unknowns, f));
            f[mrn_net_unknown(&net, 1, 0)] += 1;
            assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
            assert_non_null(strstr(msg.text, "as a whole"));
            assert_non_null(strstr(msg.text, "pushes it along (1, "));
            f[mrn_net_unknown(&net, 1, 0)] -= 1;
            /* a couple */
            f[mrn_net_unknown(&net, 1, 1)] += 1, f[mrn_net_unknown(&net, 0, 1)] -= 1;
            assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
            assert_non_null(strstr(msg.text, "turns it"));
            mrn_free(f), mrn_free(u), mrn_free(y), mrn_free(s);
            mrn_elastic_release(&e);
            mrn_net_release(&net);
        }
}

/* A sphere between two contacts turns about the line through them; one without any does all it
   likes. Neither disturbs what the others bear, nor the modulus of the cell. */
static void loose_grains(void **state)
{
    (void)state;
    mrn_net tight = disordered(3, false, 11);
    sketch *s = mrn_alloc(sizeof *s);
    s->n = tight.n, s->contacts = tight.n_contacts;
    memcpy(s->x, tight.x, 3 * (size_t)tight.n * sizeof *s->x);
    memcpy(s->radius, tight.radius, (size_t)tight.n * sizeof *s->radius);
    for (int64_t k = 0; k < tight.n_contacts; k++)
        s->c[k] = hand_of(&tight, k);
    int divalent = s->n, alone = s->n + 1;
    mrn_vec3 middle = mrn_scale(0.5, mrn_add(mrn_load3(s->x), mrn_load3(s->x + 3)));
    grain(s, middle.x + 0.1, middle.y + 0.3, middle.z, 0.3);
    grain(s, 0.1, 0.1, 0.1, 0.1);
    touch(s, divalent, 0, mrn_v3(0, 0, 0), 2, 1);
    touch(s, 1, divalent, mrn_v3(0, 0, 0), 2, 1);
    mrn_net net = net_of(s, 3, tight.cell, false);
    mrn_elastic *e = elastic_of(&net, false, 1e-12);
    /* three translations, one turn, six of the grain that is alone */
    assert_int_equal(mrn_elastic_facts_of(e).held, 3 + 1 + 6);
    int64_t n = net.n_unknowns;
    double *f = numbers(n), *u = numbers(n), *y = numbers(n);
    mrn_message msg = {0};
    f[mrn_net_global_unknown(&net, 0)] = 1;
    ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
    mrn_net_stiffness(&net, &(mrn_stiffness_options){0}, u, y);
    assert_true(apart(n, y, f) < 1e-12);
    for (int k = 0; k < 6; k++)
        assert_close(u[mrn_net_unknown(&net, alone, k)], 0, 1e-2 * size_of(n, u));
    /* what the held turn of the divalent sphere is, and that a moment along it is stated of */
    int64_t contact[2] = {tight.n_contacts, tight.n_contacts + 1};
    double turn[6];
    assert_true(mrn_net_divalent(&net, divalent, contact, 2, turn));
    for (int k = 0; k < 6; k++)
        f[mrn_net_unknown(&net, divalent, k)] = turn[k];
    assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
    char body[16];
    snprintf(body, sizeof body, "body %d ", divalent);
    assert_non_null(strstr(msg.text, body));
    /* told, and the rest solved as if that moment were not there */
    mrn_net_stiffness(&net, &(mrn_stiffness_options){0}, u, y);
    for (int k = 0; k < 6; k++)
        f[mrn_net_unknown(&net, divalent, k)] = 0;
    assert_true(apart(n, y, f) < 1e-10);
    mrn_free(f), mrn_free(u), mrn_free(y), mrn_free(s);
    mrn_elastic_release(&e);
    mrn_net_release(&net), mrn_net_release(&tight);
}

/* Spheres without tangential stiffness turn freely. */
static void free_rotations(void **state)
{
    (void)state;
    mrn_net net = disordered(3, false, 2);
    for (int64_t k = 0; k < net.n_contacts; k++)
        net.element[k].kt = 0;
    mrn_net plain = disordered(3, true, 2);
    mrn_elastic *e = elastic_of(&net, false, 0), *p = elastic_of(&plain, false, 0);
    assert_int_equal(mrn_elastic_facts_of(e).held, 3 + 3 * net.n);
    double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns);
    double *g = numbers(plain.n_unknowns), *v = numbers(plain.n_unknowns);
    mrn_message msg = {0};
    f[mrn_net_global_unknown(&net, 4)] = 1, g[mrn_net_global_unknown(&plain, 4)] = 1;
    ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
    ok(mrn_elastic_solve(p, g, NULL, v, NULL, &msg), &msg);
    for (int k = 0; k < 6; k++)
        assert_close(u[mrn_net_global_unknown(&net, k)], v[mrn_net_global_unknown(&plain, k)],
                     1e-8 * size_of(6, v + mrn_net_global_unknown(&plain, 0)));
    mrn_free(f), mrn_free(u), mrn_free(g), mrn_free(v);
    mrn_elastic_release(&e), mrn_elastic_release(&p);
    mrn_net_release(&net), mrn_net_release(&plain);
}

/* ---- mechanisms of several grains ---- */

/* Two smooth disks side by side on the ground slide along together; a third, between two slopes,
   stands apart. */
static void mechanism(void **state)
{
    (void)state;
    sketch *s = mrn_alloc(sizeof *s);
    grain(s, 0, 0, 0, 1), grain(s, 2, 0, 0, 1), grain(s, 9, 0, 0, 1);
    touch(s, 0, -1, mrn_v3(0, 1, 0), 10, 0), touch(s, 1, -1, mrn_v3(0, 1, 0), 20, 0);
    touch(s, 1, 0, mrn_v3(1, 0, 0), 40, 0);
    touch(s, 2, -1, mrn_v3(0.8, 0.6, 0), 10, 0), touch(s, 2, -1, mrn_v3(-0.8, 0.6, 0), 10, 0);
    mrn_net net = net_of(s, 2, NULL, true);
    for (int cg = 0; cg < 2; cg++) {
        mrn_elastic *e = elastic_of(&net, cg, 0);
        double f[6] = {0}, u[6];
        mrn_message msg = {0};
        f[0] = 1, f[2] = -1, f[1] = -1, f[3] = -2, f[5] = -3.6;
        ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
        assert_close(u[1], -0.1, 1e-9);
        assert_close(u[3], -0.1, 1e-9);
        assert_close(u[2] - u[0], -1.0 / 40, 1e-9);
        assert_close(u[5], -3.6 / (20 * 0.36), 1e-9);
        f[0] = 1, f[2] = 0;
        assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
        assert_true(strstr(msg.text, "body 0") != NULL || strstr(msg.text, "body 1") != NULL);
        mrn_elastic_release(&e);
    }
    mrn_net_release(&net);
    mrn_free(s);
}

/* A row of disks across a periodic cell resists cell.xx and nothing else. */
static void soft_cell(void **state)
{
    (void)state;
    sketch *s = mrn_alloc(sizeof *s);
    enum { N = 5 };
    double cell[3] = {2 * N, 10, 0}, kn = 30;
    for (int i = 0; i < N; i++)
        grain(s, 2 * i, 0, 0, 1);
    for (int i = 0; i < N; i++)
        touch(s, (i + 1) % N, i, mrn_v3(1, 0, 0), kn, 0);
    mrn_net net = net_of(s, 2, cell, true);
    mrn_elastic *e = elastic_of(&net, false, 0);
    double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns);
    int64_t first = mrn_net_global_unknown(&net, 0);
    mrn_message msg = {0};
    f[first] = 3;
    ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
    double scale = net.global[0].scale;
    assert_close(u[first], 3 / (N * kn * 4) * scale * scale, 1e-9);
    f[first + 1] = 1;
    assert_int_equal(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), MRN_NOT_CONVERGED);
    assert_non_null(strstr(msg.text, "cell.yy"));
    mrn_free(f), mrn_free(u);
    mrn_elastic_release(&e);
    mrn_net_release(&net);
    mrn_free(s);
}

/* A row of spheres between the ground and a wall that moves: springs in a row, the wall at their
   end, loaded or imposed. */
static void wall(void **state)
{
    (void)state;
    sketch *s = mrn_alloc(sizeof *s);
    enum { N = 4 };
    double soft = 0;
    for (int i = 0; i <= N; i++) {
        double kn = 10.0 * (i + 1);
        if (i < N)
            grain(s, 2 * i, 0, 0, 1);
        if (i == N) /* the wall: it is A, its normal points to the sphere */
            touch(s, N - 1, -1, mrn_v3(-1, 0, 0), kn, 0);
        else
            touch(s, i, i - 1, mrn_v3(1, 0, 0), kn, 0);
        soft += 1 / kn;
    }
    mrn_net net = net_of(s, 3, NULL, true);
    net.global[0] = (mrn_global){.kind = MRN_GLOBAL_WALL, .name = "lid", .scale = 1};
    net.global[0].direction = mrn_v3(-1, 0, 0);
    net.n_globals = 1, net.n_unknowns++;
    net.element[N].global = 0;
    mrn_elastic *e = elastic_of(&net, false, 1e-13);
    double *f = numbers(net.n_unknowns), *u = numbers(net.n_unknowns), reaction;
    int64_t lid = mrn_net_global_unknown(&net, 0);
    bool imposed = true;
    mrn_message msg = {0};
    f[lid] = 5;
    ok(mrn_elastic_solve(e, f, NULL, u, NULL, &msg), &msg);
    assert_close(u[lid], 5 * soft, 1e-12);
    assert_close(u[0], -5 / 10.0, 1e-12);
    u[lid] = 0.1;
    ok(mrn_elastic_solve(e, f, &imposed, u, &reaction, &msg), &msg);
    assert_close(reaction, 0.1 / soft, 1e-12);
    mrn_free(f), mrn_free(u);
    mrn_elastic_release(&e);
    mrn_net_release(&net);
    mrn_free(s);
}

/* Nothing there, and nothing asked. */
static void empty(void **state)
{
    (void)state;
    mrn_net net = {.dimension = 3, .dofs = 3, .length = 1};
    mrn_elastic *e = elastic_of(&net, false, 0);
    mrn_message msg = {0};
    double u = 0;
    ok(mrn_elastic_solve(e, &u, NULL, &u, NULL, &msg), &msg);
    mrn_elastic_release(&e);
    mrn_elastic_release(&e);
    mrn_net one = disordered(3, false, 1);
    e = elastic_of(&one, false, 0);
    double *f = numbers(one.n_unknowns), *v = numbers(one.n_unknowns);
    ok(mrn_elastic_solve(e, f, NULL, v, NULL, &msg), &msg);
    assert_true(size_of(one.n_unknowns, v) == 0);
    f[3] = NAN;
    assert_int_equal(mrn_elastic_solve(e, f, NULL, v, NULL, &msg), MRN_ERR_RANGE);
    mrn_free(f), mrn_free(v);
    mrn_elastic_release(&e);
    mrn_net_release(&one);
}

/* Two spheres pressed so hard that they buckle: with K2 the matrix is not positive definite. */
static void unstable(void **state)
{
    (void)state;
    sketch *s = mrn_alloc(sizeof *s);
    grain(s, 0, 0, 0, 1), grain(s, 2, 0, 0, 1);
    touch(s, 0, -1, mrn_v3(1, 0, 0), 10, 0)->force[0] = 1;
    touch(s, 1, 0, mrn_v3(1, 0, 0), 10, 0)->force[0] = 1;
    mrn_net net = net_of(s, 2, NULL, true);
    mrn_elastic *e = NULL;
    mrn_message msg = {0};
    mrn_elastic_options opt = {.geometric = true};
    assert_int_equal(mrn_elastic_make(&net, &opt, &e, &msg), MRN_NOT_CONVERGED);
    assert_null(e);
    assert_non_null(strstr(msg.text, "not stable"));
    mrn_net_release(&net);
    mrn_free(s);
}

static void out_of_memory(void **state)
{
    (void)state;
    mrn_net net = disordered(2, false, 1);
    net.element[0].kt = 0;
    for (int cg = 0; cg < 2; cg++) {
        mrn_elastic_options opt = {.cg = cg};
        mrn_status st = MRN_ERR_MEMORY;
        mrn_elastic *e;
        mrn_message msg = {0};
        size_t before = mrn_bytes_in_use();
        int k = 0;
        while (st == MRN_ERR_MEMORY) {
            assert_int_equal(mrn_bytes_in_use(), before);
            assert_true(k < 200);
            mrn_alloc_fail_at(++k);
            st = mrn_elastic_make(&net, &opt, &e, &msg);
            mrn_alloc_fail_at(0);
            if (st != MRN_OK)
                assert_null(e);
        }
        ok(st, &msg);
        assert_true(k > 10);
        mrn_elastic_release(&e);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain),
        cmocka_unit_test(lattice),
        cmocka_unit_test(imposed_and_loaded),
        cmocka_unit_test(conjugate_gradients),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(floating),
        cmocka_unit_test(loose_grains),
        cmocka_unit_test(free_rotations),
        cmocka_unit_test(mechanism),
        cmocka_unit_test(soft_cell),
        cmocka_unit_test(wall),
        cmocka_unit_test(empty),
        cmocka_unit_test(unstable),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
