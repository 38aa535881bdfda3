/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vibrations of regular networks against their dispersion relations, over all wave vectors of the
   cell; modes, participation, density of states, trouble. */
/* ctest-labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "by_hand.h"
#include "moraine/quasistatic.h"

enum { MOST = 1200 };

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

static mrn_spectrum found(const mrn_net *net, bool geometric, int want, int modes)
{
    mrn_spectrum s;
    mrn_message msg = {0};
    mrn_status st = mrn_spectrum_of(net, geometric, want, modes, &s, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    return s;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* omega^2 against an analytical list, to 1e-10 of the largest: the dense method is good to some
   1e-15, the closed forms and the positions in the cell to 1e-14. */
static void assert_squares(const mrn_spectrum *s, int n, double *square)
{
    assert_int_equal(s->n, n);
    assert_true(s->full);
    qsort(square, (size_t)n, sizeof *square, ascending);
    for (int k = 0; k < n; k++)
        assert_near(s->omega[k] * fabs(s->omega[k]), square[k], 1e-10 * square[n - 1]);
}

/* ---- chains ---- */

static mrn_net chain(int dimension, int n, double r, double kn, bool ring)
{
    static double x[3 * MOST], radius[MOST];
    static hand_contact c[MOST + 1];
    const double cell[3] = {2 * r * n, 0, 0};
    for (int i = 0; i < n; i++) {
        x[3 * i] = 2 * r * i, x[3 * i + 1] = x[3 * i + 2] = 0, radius[i] = r;
        c[i] = touch(i, ring ? (i + n - 1) % n : i - 1, 1, 0, kn, 1);
    }
    c[n] = touch(n - 1, -1, -1, 0, kn, 1);
    return made(dimension, n, x, radius, n + !ring, c, ring ? cell : NULL);
}

/* omega = 2 sqrt(k/m) |sin(q/2)|, q = 2 pi j / n, and motions across that cost nothing. */
static void a_ring_has_the_waves_of_a_chain(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int n = 3; n <= 50; n += 47) {
            const double r = 0.01, kn = 3e5;
            mrn_net net = chain(dimension, n, r, kn, true);
            double m = net.mass[0], square[3 * 50] = {0};
            for (int j = 0; j < n; j++)
                square[j] = 4 * kn / m * pow(sin(MRN_PI * j / n), 2);
            mrn_spectrum s = found(&net, false, 0, 0);
            assert_squares(&s, dimension * n, square);
            for (int j = 0; j < (dimension - 1) * n + 1; j++)
                assert_true(s.omega[j] == 0); /* exactly, not a rounding's square root */
            assert_near(s.scale, sqrt(kn / m), 1e-9 * s.scale);
            assert_null(s.mode);
            mrn_spectrum_release(&s);
            mrn_net_release(&net);
        }
}

/* Between fixed ends: standing waves sin(pi k i / (n + 1)). Each of its own frequency, so that the
   participation is known: sums of sin^2 and sin^4 over the chain are (n + 1)/2 and 3(n + 1)/8; the
   wave with 2k = n + 1 is at rest in every other grain and has 1/2 of them at full swing. */
static void modes_of_a_held_chain(void **state)
{
    (void)state;
    const int n = 12;
    const double kn = 2e4;
    mrn_net net = chain(2, n, 0.1, kn, false);
    mrn_spectrum s = found(&net, false, 0, 2 * n);
    assert_int_equal(s.n_modes, 2 * n);
    for (int k = 1; k <= n; k++) {
        const double *u = s.mode + (n + k - 1) * net.n_unknowns;
        double omega = 2 * sqrt(kn / net.mass[0]) * sin(MRN_PI * k / (2.0 * (n + 1))), along = 0;
        assert_near(s.omega[n + k - 1], omega, 1e-12 * s.omega[2 * n - 1]);
        assert_near(s.participation[n + k - 1], 2.0 * (n + 1) / (3.0 * n), 1e-9);
        for (int i = 0; i < n; i++)
            along += u[2 * i] * sin(MRN_PI * k * (i + 1) / (n + 1)) * sqrt(2.0 / (n + 1));
        assert_near(fabs(along), 1, 1e-9);
    }
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* ---- lattices ---- */

static mrn_net square_lattice(int nx, int ny, double kn)
{
    static double x[3 * MOST], radius[MOST];
    static hand_contact c[2 * MOST];
    const double cell[3] = {nx, ny, 0};
    int m = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int at = j * nx + i;
            x[3 * at] = i, x[3 * at + 1] = j, x[3 * at + 2] = 0, radius[at] = 0.5;
            c[m++] = touch(j * nx + (i + 1) % nx, at, 1, 0, kn, 1);
            c[m++] = touch((j + 1) % ny * nx + i, at, 0, 1, kn, 1);
        }
    return made(2, nx * ny, x, radius, m, c, cell);
}

static mrn_net triangular_lattice(int nx, int ny, double kn, double kt, double force)
{
    static double x[3 * MOST], radius[MOST];
    static hand_contact c[3 * MOST];
    const double h = sqrt(0.75), cell[3] = {nx, ny * h, 0};
    int m = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int at = j * nx + i, up = (j + 1) % ny * nx, side = j % 2;
            x[3 * at] = i + 0.5 * side, x[3 * at + 1] = h * j, x[3 * at + 2] = 0;
            radius[at] = 0.5;
            c[m++] = touch(j * nx + (i + 1) % nx, at, 1, 0, kn, force);
            c[m++] = touch(up + (i + side) % nx, at, 0.5, h, kn, force);
            c[m++] = touch(up + (i + side + nx - 1) % nx, at, -0.5, h, kn, force);
        }
    for (int k = 0; k < m; k++)
        c[k].kt = kt, c[k].friction = kt > 0 ? 0.3 : 0;
    return made(2, nx * ny, x, radius, m, c, cell);
}

/* Rows and columns are chains of their own. */
static void a_square_lattice_has_its_dispersion(void **state)
{
    (void)state;
    enum { NX = 9, NY = 6 };
    const double kn = 7;
    mrn_net net = square_lattice(NX, NY, kn);
    double square[2 * NX * NY];
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            square[2 * (j * NX + i)] = 4 * kn / net.mass[0] * pow(sin(MRN_PI * i / NX), 2);
            square[2 * (j * NX + i) + 1] = 4 * kn / net.mass[0] * pow(sin(MRN_PI * j / NY), 2);
        }
    assert_true(net.n_globals > 0); /* strains of the cell are unknowns, and held here */
    mrn_spectrum s = found(&net, false, 0, 0);
    assert_squares(&s, 2 * NX * NY, square);
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* D(q) = sum over the three bonds d of 2 (1 - cos q.d) [kn d d + transverse (1 - d d)]; under the
   force N the geometric part is transverse = -N / d. */
static void squares_of_triangular(int nx, int ny, double kn, double transverse, double *square)
{
    const double h = sqrt(0.75), bond[3][2] = {{1, 0}, {0.5, h}, {-0.5, h}};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            double qx = 2 * MRN_PI * i / nx, qy = 2 * MRN_PI * j / (ny * h);
            double xx = 0, yy = 0, xy = 0;
            for (int b = 0; b < 3; b++) {
                double dx = bond[b][0], dy = bond[b][1], w = 2 * (1 - cos(qx * dx + qy * dy));
                xx += w * (kn * dx * dx + transverse * dy * dy);
                yy += w * (kn * dy * dy + transverse * dx * dx);
                xy += w * (kn - transverse) * dx * dy;
            }
            double mean = (xx + yy) / 2, root = hypot((xx - yy) / 2, xy);
            square[2 * (j * nx + i)] = mean - root;
            square[2 * (j * nx + i) + 1] = mean + root;
        }
}

static void a_triangular_lattice_has_its_dispersion(void **state)
{
    (void)state;
    enum { NX = 7, NY = 8, N = 2 * NX * NY };
    const double kn = 7, force = 0.05;
    mrn_net net = triangular_lattice(NX, NY, kn, 0, force);
    for (int geometric = 0; geometric < 2; geometric++) {
        double square[N];
        squares_of_triangular(NX, NY, kn, geometric ? -force : 0, square);
        for (int k = 0; k < N; k++)
            square[k] /= net.mass[0];
        mrn_spectrum s = found(&net, geometric, 0, 0);
        assert_squares(&s, N, square);
        mrn_spectrum_release(&s);
    }
    mrn_net_release(&net);
}

/* Under tension turned round: N > kn makes waves that grow; their omega is minus its size. */
static void what_grows_is_negative(void **state)
{
    (void)state;
    enum { NX = 4, NY = 4, N = 2 * NX * NY };
    const double kn = 7, force = 9;
    mrn_net net = triangular_lattice(NX, NY, kn, 0, force);
    double square[N];
    squares_of_triangular(NX, NY, kn, -force, square);
    for (int k = 0; k < N; k++)
        square[k] /= net.mass[0];
    mrn_spectrum s = found(&net, true, 0, 0);
    qsort(square, N, sizeof *square, ascending);
    assert_true(square[0] < 0 && s.omega[0] < 0);
    for (int k = 0; k < N; k++)
        assert_near(s.omega[k] * fabs(s.omega[k]), square[k], 1e-10 * -square[0]);
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* With friction, rotations vibrate too. At q = 0 the grains turn all alike against each other: six
   contacts, each with a slip of 2 R theta, omega^2 = 6 kt (2R)(R) ... / I = 12 kt R^2 / I. The sum
   of all omega^2 is the trace of K over M: each contact gives 2 (kn + kt)/m + 2 kt R^2/I. */
static void rotations_have_their_inertia(void **state)
{
    (void)state;
    const double kn = 7, kt = 3;
    mrn_net net = triangular_lattice(5, 6, kn, kt, 0.01);
    for (int32_t i = 0; i < net.n; i++)
        net.inertia[3 * i + 2] *= 1.7; /* not that of a disk, to see it used */
    double m = net.mass[0], turn = kt * 0.25 / net.inertia[2], sum = 0, nearest = INFINITY;
    mrn_spectrum s = found(&net, false, 0, 0);
    assert_int_equal(s.n, 3 * net.n);
    for (int k = 0; k < s.n; k++) {
        sum += s.omega[k] * s.omega[k];
        nearest = fmin(nearest, fabs(s.omega[k] * s.omega[k] - 12 * turn));
    }
    assert_near(sum, (double)net.n_contacts * 2 * ((kn + kt) / m + turn), 1e-11 * sum);
    assert_near(nearest, 0, 1e-11 * 12 * turn);
    assert_true(s.omega[0] == 0 && s.omega[1] == 0 && s.omega[2] > 0);
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* ---- some of them ---- */

/* 3072 unknowns, by Lanczos, against the dispersion relation: the thirty smallest in their groups
   of equal ones. Lanczos is asked for 1e-12 of the largest omega^2. */
static void the_smallest_of_many(void **state)
{
    (void)state;
    enum { NX = 32, NY = 32, N = 2 * NX * NY, WANT = 30 };
    static double square[N];
    const double kn = 7;
    mrn_net net = triangular_lattice(NX, NY, kn, 0, 0.05);
    squares_of_triangular(NX, NY, kn, 0, square);
    qsort(square, N, sizeof *square, ascending);
    mrn_spectrum s = found(&net, false, WANT, 4);
    assert_false(s.full);
    assert_int_equal(s.n, WANT);
    assert_int_equal(s.n_modes, 4);
    for (int k = 0; k < WANT; k++)
        assert_near(s.omega[k] * s.omega[k], square[k] / net.mass[0], 1e-11 * kn / net.mass[0]);
    /* translations of the whole: every grain takes part; plane waves: two thirds to all */
    for (int k = 0; k < 4; k++)
        assert_true(s.participation[k] > (k < 2 ? 1 - 1e-6 : 0.6) &&
                    s.participation[k] <= 1 + 1e-9);
    for (int64_t i = 2 * (int64_t)net.n; i < net.n_unknowns; i++)
        assert_true(s.mode[i] == 0); /* the cell is at rest */
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* One grain of ten is loose in a soft corner of its own: that mode is its alone. */
static void a_mode_of_one_grain(void **state)
{
    (void)state;
    enum { N = 10 };
    double x[3 * N] = {0}, radius[N];
    hand_contact c[2 * N];
    for (int i = 0; i < N; i++) {
        x[3 * i] = 5 * i, radius[i] = 1;
        c[2 * i] = touch(i, -1, 1, 0, i == 4 ? 1 : 10 + i, 1);
        c[2 * i + 1] = touch(i, -1, 0, 1, 100 + i, 1);
    }
    mrn_net net = made(2, N, x, radius, 2 * N, c, NULL);
    mrn_spectrum s = found(&net, false, 3, 3);
    assert_near(s.omega[0], sqrt(1 / net.mass[4]), 1e-12);
    assert_near(s.participation[0], 1.0 / N, 1e-12);
    assert_near(fabs(s.mode[8]), 1, 1e-12);
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* A sphere held against turning by friction alone, three frictional contacts at one height: its
   modes of rotation have a participation too. */
static void a_mode_that_only_turns(void **state)
{
    (void)state;
    const double x[3] = {0}, r = 1;
    hand_contact c[2] = {touch(0, -1, 1, 0, 100, 1), touch(0, -1, -1, 0, 100, 1)};
    for (int k = 0; k < 2; k++)
        c[k].kt = 1, c[k].friction = 0.5;
    mrn_net net = made(2, 1, x, &r, 2, c, NULL);
    mrn_spectrum s = found(&net, false, 0, 3);
    /* y: 2 kt / m; rotation: 2 kt R^2 / I = twice that squared, I = m R^2 / 2; x: 2 kn / m */
    assert_near(s.omega[0], sqrt(2 / net.mass[0]), 1e-12);
    assert_near(s.omega[1], sqrt(4 / net.mass[0]), 1e-12);
    assert_near(s.omega[2], sqrt(200 / net.mass[0]), 1e-12);
    for (int k = 0; k < 3; k++)
        assert_near(s.participation[k], 1, 1e-12);
    mrn_spectrum_release(&s);
    mrn_net_release(&net);
}

/* ---- density ---- */

static void the_density_is_that_of_the_frequencies(void **state)
{
    (void)state;
    double omega[8] = {-3, 0, 0, 1, 2.4, 2.6, 5, 10}, at[4], density[4], sum = 0;
    const mrn_spectrum s = {.n = 8, .omega = omega};
    mrn_spectrum_density(&s, 4, at, density);
    const double counts[4] = {4, 1, 1, 1}; /* of seven that do not grow, over bins of 2.5 */
    for (int b = 0; b < 4; b++) {
        assert_near(at[b], 2.5 * (b + 0.5), 1e-14);
        assert_near(density[b], counts[b] / 7 / 2.5, 1e-14);
        sum += density[b] * 2.5;
    }
    assert_near(sum, 1, 1e-14);
    mrn_spectrum none = {0};
    mrn_spectrum_density(&none, 4, at, density);
    assert_true(density[0] == 0 && density[3] == 0);
}

/* ---- trouble ---- */

static void an_empty_network_has_no_vibrations(void **state)
{
    (void)state;
    const mrn_net net = {.dimension = 3};
    mrn_spectrum s = found(&net, false, 0, 0);
    assert_int_equal(s.n, 0);
    mrn_spectrum_release(&s);
    mrn_spectrum_release(&s);
    mrn_spectrum_release(NULL);
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_spectrum s;
    mrn_net net = chain(2, 4, 1, 10, false);
    assert_int_equal(mrn_spectrum_of(&net, false, 2, 3, &s, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_spectrum_of(&net, false, -1, 0, &s, &msg), MRN_ERR_RANGE);
    net.mass[2] = 0;
    assert_int_equal(mrn_spectrum_of(&net, false, 0, 0, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "body 2 has mass 0"));
    net.mass[2] = 1;
    net.forces_known = false;
    assert_int_equal(mrn_spectrum_of(&net, true, 0, 0, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "needs contact forces"));
    mrn_net_release(&net);

    const mrn_net large = {.dimension = 3, .dofs = 6, .n = 2000, .n_unknowns = 12000};
    assert_int_equal(mrn_spectrum_of(&large, false, 0, 0, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "are 12000; at most 6000"));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    mrn_net net = triangular_lattice(4, 4, 7, 3, 0.01);
    size_t before = mrn_bytes_in_use();
    for (int modes = 0; modes < 4; modes += 3) {
        bool done = false;
        for (int64_t k = 1; !done; k++) {
            mrn_spectrum s;
            mrn_alloc_fail_at(k);
            mrn_status st = mrn_spectrum_of(&net, true, 0, modes, &s, NULL);
            mrn_alloc_fail_at(0);
            done = st == MRN_OK;
            assert_true(done || st == MRN_ERR_MEMORY);
            mrn_spectrum_release(&s);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
    }
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_has_the_waves_of_a_chain),
        cmocka_unit_test(modes_of_a_held_chain),
        cmocka_unit_test(a_square_lattice_has_its_dispersion),
        cmocka_unit_test(a_triangular_lattice_has_its_dispersion),
        cmocka_unit_test(what_grows_is_negative),
        cmocka_unit_test(rotations_have_their_inertia),
        cmocka_unit_test(the_smallest_of_many),
        cmocka_unit_test(a_mode_of_one_grain),
        cmocka_unit_test(a_mode_that_only_turns),
        cmocka_unit_test(the_density_is_that_of_the_frequencies),
        cmocka_unit_test(an_empty_network_has_no_vibrations),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
