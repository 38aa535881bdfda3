/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stability of networks whose second-order work is known in closed form: chains that buckle, disks
   in grooves and on tops, blocks that slide; bounds where contacts slide; trouble said in words. */
/* ctest-labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "by_hand.h"
#include "moraine/quasistatic.h"
#include "quasistatic/net.h"

/* ---- building ---- */

static hand_contact touch(int c, int a, double nx, double ny, double kn, double force)
{
    return (hand_contact){.c = c, .a = a, .n = {nx, ny, 0}, .kn = kn, .force = {force, 0, 0}};
}

static mrn_net made(int dimension, int32_t n, const double *x, const double *radius,
                    int64_t n_contacts, const hand_contact *contact, const double *cell)
{
    mrn_net net;
    mrn_message msg = {0};
    mrn_status st =
        hand_make(dimension, n, x, radius, n_contacts, contact, cell, NULL, false, &net, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    return net;
}

static mrn_stability judged(const mrn_net *net, bool geometric, int want)
{
    mrn_stability s;
    mrn_message msg = {0};
    const mrn_stability_options opt = {.geometric = geometric, .want = want};
    mrn_status st = mrn_stability_of(net, &opt, &s, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    return s;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void assert_begins(const char *text, const char *with)
{
    if (strncmp(text, with, strlen(with)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, with);
}

static void assert_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' does not say '%s'", text, part);
}

/* n frictionless disks in a row between two fixed disks of their size, all under the force N. */
enum { MOST = 600 };
static mrn_net chain(int n, double r, double kn, double force)
{
    static double x[3 * MOST], radius[MOST];
    static hand_contact c[MOST + 1];
    for (int i = 0; i < n; i++) {
        x[3 * i] = 2 * r * i, x[3 * i + 1] = x[3 * i + 2] = 0, radius[i] = r;
        c[i] = touch(i, i - 1, 1, 0, kn, force);
    }
    c[n] = touch(n - 1, -1, -1, 0, kn, force);
    c[0].curve_a = c[n].curve_a = 1 / r;
    return made(2, n, x, radius, n + 1, c, NULL);
}

/* Eigenvalue k = 1 … n of the chain with fixed ends, per unit stiffness. */
static double wave(int n, int k)
{
    double s = sin(k * MRN_PI / (2.0 * (n + 1)));
    return 4 * s * s;
}

/* ---- one grain, few grains ---- */

/* Across the chain only the geometric part acts, -(N / 2R) times the stiffness of a chain: all n
   modes are unstable, the zigzag most. Eigenvalues are of order 1e-4 and come out of a matrix of
   order 1: 1e-13 is some hundred roundings. */
static void a_compressed_chain_buckles(void **state)
{
    (void)state;
    enum { N = 7 };
    const double r = 0.5, kn = 1e6, force = 300;
    mrn_net net = chain(N, r, kn, force);
    mrn_stability s = judged(&net, true, N);
    assert_int_equal(s.n, N);
    assert_int_equal(s.negative, N);
    assert_int_equal(s.zero, 0);
    assert_false(s.stable);
    for (int k = 0; k < N; k++)
        assert_near(s.value[k], -force / (2 * r * kn) * wave(N, N - k), 1e-13);
    double along = 0, size = 0;
    for (int i = 0; i < N; i++) {
        double u = sin((i + 1) * N * MRN_PI / (N + 1));
        along += u * s.mode[2 * i + 1], size += u * u;
    }
    assert_near(fabs(along) / sqrt(size), 1, 1e-10);
    assert_near(s.bound, s.value[0], 0);
    assert_begins(s.verdict, "unstable: negative second-order work along mode 0");
    assert_says(s.verdict, "7 of 7 grains move, body 3 most");
    mrn_stability_release(&s);

    s = judged(&net, false, 0); /* without it: free to move across */
    assert_int_equal(s.zero, N);
    assert_true(s.stable);
    assert_begins(s.verdict, "stable: no negative second-order work (without the geometric part)");
    assert_says(s.verdict, "; 5 mechanisms cost nothing"); /* and the whole: across, and turning */
    /* these two first, the others free of them */
    for (int k = 2; k < N; k++) {
        double across = 0, turning = 0;
        for (int i = 0; i < N; i++) {
            double y = s.mode[k * net.n_unknowns + 2 * i + 1];
            across += y, turning += (i - 3) * y;
        }
        assert_near(across, 0, 1e-12);
        assert_near(turning, 0, 1e-12);
    }
    mrn_stability_release(&s);
    s = judged(&net, false, 4);
    assert_int_equal(s.n, 4);
    assert_says(s.verdict, "; at least "); /* there may be more of them */
    mrn_stability_release(&s);
    s = judged(&net, false, 2 * N);
    for (int k = 0; k < N; k++)
        assert_near(s.value[N + k], wave(N, k + 1), 1e-13);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

/* The same with 1200 unknowns, by Lanczos: eigenvalues 1e-8 apart are distinguished. Residuals of
   up to 1e-12 |K| move eigenvalues by their square over the gap at most. */
static void a_long_chain_buckles(void **state)
{
    (void)state;
    const int n = MOST;
    const double r = 0.5, kn = 1e6, force = 300;
    mrn_net net = chain(n, r, kn, force);
    mrn_stability s = judged(&net, true, 0);
    assert_true(s.n >= 6);
    assert_int_equal(s.negative, s.n);
    for (int k = 0; k < 6; k++)
        assert_near(s.value[k], -force / (2 * r * kn) * wave(n, n - k), 1e-12);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

static void a_disk_in_a_groove_is_stable(void **state)
{
    (void)state;
    const double x[3] = {0}, r = 0.3;
    for (double a = 0.2; a < 1.5; a += 0.3) {
        const hand_contact c[2] = {touch(0, -1, sin(a), cos(a), 5e4, 10),
                                   touch(0, -1, -sin(a), cos(a), 5e4, 10)};
        mrn_net net = made(2, 1, x, &r, 2, c, NULL);
        mrn_stability s = judged(&net, true, 0);
        double sn = 2 * sin(a) * sin(a), cs = 2 * cos(a) * cos(a);
        assert_int_equal(s.n, 2);
        assert_near(s.value[0], fmin(sn, cs), 1e-14);
        assert_near(s.value[1], fmax(sn, cs), 1e-14);
        assert_true(s.stable && s.zero == 0 && s.critical == 0);
        assert_begins(s.verdict, "stable: no negative second-order work; the smallest is");
        mrn_stability_release(&s);
        mrn_net_release(&net);
    }
}

/* Frictionless it slips off: -N / (R1 + R2). With friction it rolls off: in x and s = R theta the
   stiffness is [kt - q, kt; kt, kt], q = N / (R1 + R2). */
static void a_disk_on_a_top_falls(void **state)
{
    (void)state;
    const double x[3] = {0, 1, 0}, r = 0.4, top = 0.6, kn = 1e5, kt = 4e4, force = 50;
    const double q = force / (r + top);
    hand_contact c = touch(0, -1, 0, 1, kn, force);
    c.curve_a = 1 / top;
    mrn_net net = made(2, 1, x, &r, 1, &c, NULL);
    mrn_stability s = judged(&net, true, 0);
    assert_near(s.value[0], -q / kn, 1e-15);
    assert_int_equal(s.negative, 1);
    assert_says(s.verdict, "the whole moves (translation along x)");
    mrn_stability_release(&s);
    mrn_net_release(&net);

    c.friction = 0.5, c.kt = kt;
    net = made(2, 1, x, &r, 1, &c, NULL);
    s = judged(&net, true, 0);
    assert_int_equal(s.n, 3);
    assert_near(s.value[0], (kt - q / 2 - sqrt(kt * kt + q * q / 4)) / kn, 1e-14);
    assert_true(s.value[0] < 0 && !s.stable);
    assert_near(s.value[1], (kt - q / 2 + sqrt(kt * kt + q * q / 4)) / kn, 1e-14);
    mrn_stability_release(&s);
    s = judged(&net, false, 0); /* rolling costs nothing at constant geometry */
    assert_int_equal(s.zero, 1);
    assert_true(s.stable);
    mrn_stability_release(&s);
    mrn_net_release(&net);

    c.curve_a = 0; /* on a plane rolling stays neutral */
    net = made(2, 1, x, &r, 1, &c, NULL);
    s = judged(&net, true, 0);
    assert_int_equal(s.zero, 1);
    assert_true(s.stable);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

/* A hollow holds the disk: the curvature of the ground is negative, and larger than the disk. */
static void a_disk_in_a_hollow_is_stable(void **state)
{
    (void)state;
    const double x[3] = {0, 1, 0}, r = 0.4, hollow = 1.5, kn = 1e5, force = 50;
    hand_contact c = touch(0, -1, 0, 1, kn, force);
    c.curve_a = -1 / hollow;
    mrn_net net = made(2, 1, x, &r, 1, &c, NULL);
    mrn_stability s = judged(&net, true, 0);
    assert_near(s.value[0], force / (hollow - r) / kn, 1e-15);
    assert_true(s.stable && s.negative == 0 && s.zero == 0);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

/* Two contacts, three rows each, six unknowns, and one motion left: the turn about the line through
   the contact points. */
static void a_sphere_between_two_contacts_turns(void **state)
{
    (void)state;
    const double x[3] = {0}, r = 0.7;
    hand_contact c[2] = {touch(0, -1, 1, 0, 1e5, 20), touch(0, -1, -1, 0, 1e5, 20)};
    for (int k = 0; k < 2; k++)
        c[k].friction = 0.4, c[k].kt = 8e4;
    mrn_net net = made(3, 1, x, &r, 2, c, NULL);
    for (int geometric = 0; geometric < 2; geometric++) {
        mrn_stability s = judged(&net, geometric, 0);
        assert_int_equal(s.n, 6);
        assert_int_equal(s.zero, 1);
        assert_int_equal(s.negative, 0);
        assert_near(fabs(s.mode[3]), 1, 1e-9); /* about x */
        assert_true(s.stable);
        mrn_stability_release(&s);
    }
    mrn_net_release(&net);
}

/* ---- motions of the whole ---- */

/* Pressed together by loads that keep their direction: it turns over, -N / R. With the loads taken
   away the forces do not balance, and the same number says nothing about stability. */
static void a_pair_under_dead_loads_turns_over(void **state)
{
    (void)state;
    const double x[6] = {0, 0, 0, 1, 0, 0}, radius[2] = {0.5, 0.5}, kn = 1e5, force = 10;
    const hand_contact c = touch(1, 0, 1, 0, kn, force);
    mrn_net net = made(2, 2, x, radius, 1, &c, NULL);
    mrn_stability s = judged(&net, true, 0);
    assert_near(s.value[0], -force / 0.5 / kn, 1e-15);
    assert_int_equal(s.negative, 1);
    assert_int_equal(s.zero, 2);
    assert_says(s.verdict, "the whole moves (rotation about z)");
    mrn_stability_release(&s);

    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    s = judged(&net, true, 0);
    assert_int_equal(s.negative, 0);
    assert_int_equal(s.zero, 3);
    assert_true(s.stable);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

/* Rows of a triangular lattice in its periodic cell, one force in all contacts. */
static mrn_net lattice(int nx, int ny, double kn, double kt, double force)
{
    static double x[3 * MOST], radius[MOST];
    static hand_contact c[3 * MOST];
    const double h = sqrt(0.75), cell[3] = {nx, ny * h, 0};
    int n_contacts = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int at = j * nx + i, up = (j + 1) % ny * nx, side = j % 2;
            int right = up + (i + side) % nx, left = up + (i + side + nx - 1) % nx;
            x[3 * at] = i + 0.5 * side, x[3 * at + 1] = h * j, x[3 * at + 2] = 0;
            radius[at] = 0.5;
            c[n_contacts++] = touch(j * nx + (i + 1) % nx, at, 1, 0, kn, force);
            c[n_contacts++] = touch(right, at, 0.5, h, kn, force);
            c[n_contacts++] = touch(left, at, -0.5, h, kn, force);
        }
    for (int k = 0; k < n_contacts; k++)
        c[k].kt = kt, c[k].friction = kt > 0 ? 0.3 : 0;
    return made(2, nx * ny, x, radius, n_contacts, c, cell);
}

/* Under a pressure far below kn it holds, and only its two translations cost nothing. */
static void a_compressed_lattice_is_stable(void **state)
{
    (void)state;
    for (int geometric = 0; geometric < 2; geometric++)
        for (int nx = 4; nx <= 20; nx += 16) { /* dense, and Lanczos */
            mrn_net net = lattice(nx, nx, 1e6, 5e5, 100);
            mrn_stability s = judged(&net, geometric, 0);
            assert_int_equal(s.zero, 2);
            assert_int_equal(s.negative, 0);
            assert_true(s.stable);
            assert_int_equal(s.n, 8);
            assert_true(s.value[2] > 1e-4);
            /* the two are the translations and nothing else */
            for (int k = 0; k < 2; k++)
                for (int32_t i = 1; i < net.n; i++)
                    for (int d = 0; d < 3; d++)
                        assert_near(s.mode[k * net.n_unknowns + 3 * i + d],
                                    d < 2 ? s.mode[k * net.n_unknowns + d] : 0, 1e-7);
            mrn_stability_release(&s);
            mrn_net_release(&net);
        }
}

/* The same bits for any number of threads. */
static void threads_change_nothing(void **state)
{
    (void)state;
    mrn_net net = lattice(12, 12, 1e6, 5e5, 100);
    int before = mrn_threads();
    mrn_threads_set(1);
    mrn_stability a = judged(&net, true, 0);
    mrn_threads_set(2);
    mrn_stability b = judged(&net, true, 0);
    mrn_threads_set(before);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.value, b.value, (size_t)a.n * sizeof *a.value);
    assert_memory_equal(a.mode, b.mode, (size_t)(a.n * net.n_unknowns) * sizeof *a.mode);
    mrn_stability_release(&a);
    mrn_stability_release(&b);
    mrn_net_release(&net);
}

/* ---- contacts at the limit ---- */

typedef struct block {
    double mu, kn, kt, side, above, stick;
} block;

/* A disk on the ground at Coulomb's limit, the force on it along x; a smooth spring beside it and a
   sticking contact above. */
static mrn_net block_net(const block *b)
{
    const double x[3] = {0}, r = 1, force = 10;
    hand_contact c[3] = {touch(0, -1, 0, 1, b->kn, force), touch(0, -1, 0, -1, b->above, force),
                         touch(0, -1, -1, 0, b->side, force)};
    c[0].t = mrn_v3(1, 0, 0);
    c[0].force[1] = b->mu * force;
    c[0].friction = b->mu, c[0].kt = b->kt;
    c[1].friction = 0.9, c[1].kt = b->stick;
    return made(2, 1, x, &r, b->side > 0 ? 3 : 2, c, NULL);
}

static double block_work(const block *b, double x, double y, double s)
{
    bool slides = b->mu * b->kn * y - b->kt * (x + s) > 0;
    double below = slides ? b->mu * b->kn * y * (x + s) : b->kt * (x + s) * (x + s);
    return b->kn * y * y + below + b->above * y * y + b->stick * (x - s) * (x - s) +
           b->side * x * x;
}

/* The smallest work over all directions by trying them; the step of a hundredth of a degree at the
   end leaves an error of order 1e-8. */
static double by_trying(const block *b)
{
    double best = INFINITY, at[2] = {0}, step = 0.02;
    for (double a = 0; a < MRN_PI; a += step)
        for (double c = 0; c < 2 * MRN_PI; c += step) {
            double w = block_work(b, sin(a) * cos(c), sin(a) * sin(c), cos(a));
            if (w < best)
                best = w, at[0] = a, at[1] = c;
        }
    for (; step > 1e-5; step /= 2)
        for (int k = 0; k < 81; k++) {
            double a = at[0] + step * (k / 9 - 4), c = at[1] + step * (k % 9 - 4);
            double w = block_work(b, sin(a) * cos(c), sin(a) * sin(c), cos(a));
            if (w < best)
                best = w, at[0] = a, at[1] = c;
        }
    return best;
}

/* Held by the sliding contact alone: with a = (x + s) / sqrt 2 the form is (kn + above) y^2 +
   sqrt 2 mu kn y a, negative for a small lift while it slides on. */
static void a_block_that_only_slides_is_unstable(void **state)
{
    (void)state;
    const block b = {.mu = 0.4, .kn = 1e5, .kt = 7e4, .above = 2e4, .stick = 5e4};
    mrn_net net = block_net(&b);
    double k = b.kn + b.above, mean = k / 2;
    double value = k / 2 - sqrt(k * k / 4 + b.mu * b.mu * b.kn * b.kn / 2);
    mrn_stability s = judged(&net, false, 0);
    assert_int_equal(s.critical, 1);
    assert_near(s.value[0], value / mean, 1e-13);
    assert_near(by_trying(&b) / mean, value / mean, 1e-7);
    assert_true(s.worst && !s.stable && s.negative == 1);
    assert_true(s.bound <= s.value[0] + 1e-14);
    assert_begins(s.verdict, "unstable");
    /* the mode is along the motion that does it: up, and on along what pulls */
    assert_true(s.mode[1] > 0 && s.mode[0] + s.mode[2] < 0);
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

/* With a spring beside it: the work found is one that can be achieved, the smallest; from below it
   is bounded, and the verdict follows from both. */
static void a_block_on_a_spring_is_enclosed(void **state)
{
    (void)state;
    int said[3] = {0};
    for (double mu = 0.1; mu < 1.3; mu += 0.2)
        for (double side = 1e3; side < 1e6; side *= 3) {
            const block b = {
                .mu = mu, .kn = 1e5, .kt = 3e4, .side = side, .above = 1e4, .stick = 2e4};
            mrn_net net = block_net(&b);
            double mean = (b.kn + b.side + b.above) / 3, least = by_trying(&b) / mean;
            mrn_stability s = judged(&net, false, 0);
            assert_true(s.bound <= least + 1e-9);
            assert_true(s.value[0] >= least - 1e-7);
            if (s.worst)
                assert_near(s.value[0], least, 1e-6);
            int what = s.stable ? 0 : s.negative > 0 ? 1 : 2;
            static const char *const words[3] = {"stable", "unstable",
                                                 "cannot tell: 1 contact slides"};
            said[what]++;
            assert_begins(s.verdict, words[what]);
            assert_true(what == 1 ? least < 0 : least > -1e-9);
            mrn_stability_release(&s);
            mrn_net_release(&net);
        }
    assert_true(said[0] > 0 && said[1] > 0);
}

/* A heap of nine disks with a few contacts at the limit: the bound is below the smallest eigenvalue
   of each of the 2^n choices, what is reported not below the smallest of all. With so few it is
   exact where it matters: stable is said when all choices are, and where nothing can be said the
   bound is the smallest of all. */
static mrn_net heap(int sliding, uint64_t seed)
{
    static double x[27], radius[9];
    static hand_contact c[64];
    const double h = sqrt(0.75);
    mrn_rng rng = mrn_rng_seed(seed, 0);
    int m = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int at = 3 * j + i;
            x[3 * at] = i + 0.5 * (j % 2), x[3 * at + 1] = h * j, x[3 * at + 2] = 0;
            radius[at] = 0.5;
            if (j == 0)
                c[m++] = touch(at, -1, 0, 1, 1e5, 10);
            for (int b = 0; b < at; b++) {
                double dx = x[3 * at] - x[3 * b], dy = x[3 * at + 1] - x[3 * b + 1];
                if (hypot(dx, dy) < 1.01)
                    c[m++] = touch(at, b, dx, dy, 1e5, 10);
            }
        }
    for (int k = 0; k < m; k++)
        c[k].friction = 0.5, c[k].kt = 4e4, c[k].t = mrn_v3(-c[k].n.y, c[k].n.x, 0);
    for (int k = 0; k < sliding; k++) {
        int at = (int)(mrn_rng_uniform(&rng) * m);
        double sense = mrn_rng_uniform(&rng) < 0.5 ? -1 : 1;
        c[at].force[1] = sense * 5;
    }
    return made(2, 9, x, radius, m, c, NULL);
}

static double least_of_all_choices(const mrn_net *net)
{
    mrn_net_status status[64];
    int critical[8], n = 0;
    double least = INFINITY;
    const mrn_stiffness_options opt = {.geometric = true, .sliding = true};
    for (int k = 0; k < net->n_contacts; k++)
        if (net->element[k].status == MRN_NET_SLIDES)
            critical[n++] = k;
    for (int choice = 0; choice < 1 << n; choice++) {
        mrn_sparse k;
        mrn_eigen e;
        memset(status, 0, sizeof status);
        for (int i = 0; i < n; i++)
            status[critical[i]] = choice >> i & 1 ? MRN_NET_SLIDES : MRN_NET_STICKS;
        assert_int_equal(mrn_net_stiffness_matrix(net, &opt, status, &k, NULL), MRN_OK);
        assert_int_equal(mrn_eigen_all(&k, NULL, false, &e, NULL), MRN_OK);
        least = fmin(least, e.value[0]);
        mrn_eigen_release(&e);
        mrn_sparse_release(&k);
    }
    return least / 1e5;
}

static void bounds_enclose_all_choices(void **state)
{
    (void)state;
    int fixed = 0, said[3] = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        mrn_net net = heap(4, seed);
        double least = least_of_all_choices(&net);
        mrn_stability s = judged(&net, true, 0);
        assert_true(s.critical >= 1 && s.critical <= 4);
        assert_true(s.bound <= least + 1e-12);
        assert_true(s.bound > least - 0.2); /* and not idle */
        assert_int_equal(s.stable, least > 0);
        if (!s.stable && s.negative == 0)
            assert_near(s.bound, least, 1e-10);
        assert_true(s.value[0] >= least - 1e-12);
        said[s.stable ? 0 : s.negative > 0 ? 1 : 2]++;
        fixed += s.worst && fabs(s.value[0] - least) < 1e-9;
        for (int k = 1; k < s.n; k++)
            assert_true(s.value[k] >= s.value[k - 1]);
        mrn_stability_release(&s);
        mrn_net_release(&net);
    }
    assert_true(fixed > 0); /* the worst of all is found, in some at least */
    for (int k = 0; k < 3; k++)
        assert_true(said[k] > 0);
}

/* A sphere on three contacts at the limit, whose tangential forces point anywhere, with and without
   moments at the contacts (six rows each then): 2^3 choices. */
static void bounds_in_three_dimensions(void **state)
{
    (void)state;
    const double x[3] = {0}, r = 0.8;
    mrn_rng rng = mrn_rng_seed(5, 0);
    for (int round = 0; round < 20; round++) {
        hand_contact c[3];
        for (int k = 0; k < 3; k++) {
            double a = 2 * MRN_PI * k / 3, turn = 2 * MRN_PI * mrn_rng_uniform(&rng);
            c[k] = touch(0, -1, cos(a), sin(a), 1e5, 10);
            c[k].n.z = 0.7;
            c[k].friction = 0.3, c[k].kt = 6e4;
            c[k].force[1] = 3 * cos(turn), c[k].force[2] = 3 * sin(turn);
            c[k].kr[0] = round % 2 ? 2e3 : 0, c[k].kr[1] = round % 2 ? 1e3 : 0;
        }
        mrn_net net = made(3, 1, x, &r, 3, c, NULL);
        assert_int_equal(net.element[0].rows, round % 2 ? 6 : 3);
        double least = least_of_all_choices(&net);
        mrn_stability s = judged(&net, true, 0);
        assert_int_equal(s.critical, 3);
        assert_true(s.bound <= least + 1e-12 && s.value[0] >= least - 1e-12);
        assert_int_equal(s.stable, least > 0);
        assert_int_equal(s.n, 6);
        mrn_stability_release(&s);
        mrn_net_release(&net);
    }
}

/* ---- trouble ---- */

static void nothing_to_judge(void **state)
{
    (void)state;
    mrn_net net = {.dimension = 2};
    mrn_stability s = judged(&net, true, 0);
    assert_int_equal(s.n, 0);
    assert_true(s.stable);
    assert_begins(s.verdict, "nothing to judge");
    mrn_stability_release(&s);
    mrn_stability_release(&s);
    mrn_stability_release(NULL);

    const double x[3] = {0}, r = 1;
    net = made(2, 1, x, &r, 0, NULL, NULL); /* a floating grain */
    s = judged(&net, false, 0);
    assert_begins(s.verdict, "nothing to judge");
    mrn_stability_release(&s);
    mrn_net_release(&net);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_stability s;
    const mrn_stability_options opt = {.geometric = true};
    mrn_net net = chain(3, 1, 1e5, 0);
    assert_int_equal(mrn_stability_of(&net, &opt, &s, &msg), MRN_ERR_INPUT);
    assert_says(msg.text, "needs contact forces");
    assert_int_equal(mrn_stability_of(&net, NULL, &s, &msg), MRN_OK);
    mrn_stability_release(&s);
    mrn_net_release(&net);
    net = chain(3, 1, 0, 10);
    assert_int_equal(mrn_stability_of(&net, NULL, &s, &msg), MRN_ERR_INPUT);
    assert_says(msg.text, "mean normal stiffness");
    mrn_net_release(&net);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    mrn_net net = heap(4, 3);
    const mrn_stability_options opt = {.geometric = true};
    size_t before = mrn_bytes_in_use();
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        mrn_stability s;
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_stability_of(&net, &opt, &s, NULL);
        mrn_alloc_fail_at(0);
        done = st == MRN_OK;
        assert_true(done || st == MRN_ERR_MEMORY);
        mrn_stability_release(&s);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compressed_chain_buckles),
        cmocka_unit_test(a_long_chain_buckles),
        cmocka_unit_test(a_disk_in_a_groove_is_stable),
        cmocka_unit_test(a_disk_on_a_top_falls),
        cmocka_unit_test(a_disk_in_a_hollow_is_stable),
        cmocka_unit_test(a_sphere_between_two_contacts_turns),
        cmocka_unit_test(a_pair_under_dead_loads_turns_over),
        cmocka_unit_test(a_compressed_lattice_is_stable),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_block_that_only_slides_is_unstable),
        cmocka_unit_test(a_block_on_a_spring_is_enclosed),
        cmocka_unit_test(bounds_enclose_all_choices),
        cmocka_unit_test(bounds_in_three_dimensions),
        cmocka_unit_test(nothing_to_judge),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
