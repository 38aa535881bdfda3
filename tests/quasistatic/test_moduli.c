/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastic moduli: lattices whose tensor is known in closed form, bounds, what cannot be strained.
 */
/* ctest-labels: threads */
#include "by_hand.h"
#include "moraine/quasistatic.h"
#include "world.h"

#include <stdlib.h>

#define KN 1000.0
#define KT 700.0

typedef struct lattice {
    int32_t n;
    double *x, *radius;
    int64_t n_contacts;
    hand_contact *contact;
    double cell[3];
} lattice;

static void lattice_end(lattice *l)
{
    free(l->x);
    free(l->radius);
    free(l->contact);
}

/* Contacts between all that are one diameter apart across the periodic cell, each pressed by 1 N.
 */
static void join(lattice *l, int dimension, double d, double kt, double friction)
{
    l->contact = calloc((size_t)l->n * 12, sizeof *l->contact);
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t j = 0; j < i; j++) {
            double b[3] = {0}, r2 = 0;
            for (int k = 0; k < dimension; k++) {
                b[k] = l->x[3 * i + k] - l->x[3 * j + k];
                b[k] -= l->cell[k] * round(b[k] / l->cell[k]);
                r2 += b[k] * b[k];
            }
            if (fabs(sqrt(r2) - d) > 1e-6 * d)
                continue;
            hand_contact *c = &l->contact[l->n_contacts++];
            *c = (hand_contact){.c = i, .a = j, .kn = KN, .kt = kt, .friction = friction};
            c->n = mrn_v3(b[0] / d, b[1] / d, b[2] / d);
            c->force[0] = 1;
        }
}

static lattice triangular(int m, double d, double kt, double friction)
{
    lattice l = {.n = m * m};
    l.x = calloc(3 * (size_t)l.n, sizeof *l.x);
    l.radius = calloc((size_t)l.n, sizeof *l.radius);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int k = i * m + j;
            l.x[3 * k] = d * (j + 0.5 * (i % 2));
            l.x[3 * k + 1] = d * sqrt(0.75) * i;
            l.radius[k] = d / 2;
        }
    l.cell[0] = m * d;
    l.cell[1] = m * d * sqrt(0.75);
    join(&l, 2, d, kt, friction);
    return l;
}

static lattice fcc(int m, double d, double kt)
{
    static const double base[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    double a = d * sqrt(2.0);
    lattice l = {.n = 4 * m * m * m};
    l.x = calloc(3 * (size_t)l.n, sizeof *l.x);
    l.radius = calloc((size_t)l.n, sizeof *l.radius);
    for (int k = 0; k < l.n; k++) {
        int c = k / 4, i[3] = {c % m, c / m % m, c / m / m};
        for (int j = 0; j < 3; j++)
            l.x[3 * k + j] = a * (i[j] + base[k % 4][j]);
        l.radius[k] = d / 2;
    }
    l.cell[0] = l.cell[1] = l.cell[2] = m * a;
    join(&l, 3, d, kt, 0.5);
    return l;
}

static mrn_moduli measure(const lattice *l, int dimension, bool cg)
{
    mrn_net net;
    mrn_moduli m;
    mrn_message msg = {0};
    mrn_elastic_options opt = {.cg = cg, .tolerance = 1e-12};
    ok(hand_make(dimension, l->n, l->x, l->radius, l->n_contacts, l->contact, l->cell, NULL, false,
                 &net, &msg),
       &msg);
    ok(mrn_moduli_of(&net, &opt, &m, &msg), &msg);
    mrn_net_release(&net);
    return m;
}

static void near(double got, double want, double scale)
{
    if (!(fabs(got - want) <= 1e-10 * scale))
        fail_msg("%.15g instead of %.15g", got, want);
}

/* Disks on a triangular lattice are isotropic: lambda = sqrt(3)/4 (kn - kt), mu = sqrt(3)/4 (kn +
   kt), whatever their size; every grain goes with the mean strain, so that Voigt's bound is met,
   and under a pressure Reuss' too. 1e-10: the solver's tolerance with some to spare. */
static void test_triangular(void **state)
{
    (void)state;
    const double kts[] = {0, KT}, c = sqrt(3.0) / 4;
    for (int i = 0; i < 2; i++) {
        lattice l = triangular(6, 0.02, kts[i], i == 0 ? 0 : 0.5);
        assert_int_equal(l.n_contacts, 3 * l.n);
        mrn_moduli m = measure(&l, 2, false);
        double lambda = c * (KN - kts[i]), mu = c * (KN + kts[i]);
        near(m.c[MRN_XX][MRN_XX], lambda + 2 * mu, KN);
        near(m.c[MRN_YY][MRN_YY], lambda + 2 * mu, KN);
        near(m.c[MRN_XX][MRN_YY], lambda, KN);
        near(m.c[MRN_XY][MRN_XY], mu, KN);
        near(m.c[MRN_XX][MRN_XY], 0, KN);
        near(m.bulk, lambda + mu, KN);
        near(m.shear, mu, KN);
        near(m.voigt_bulk, m.bulk, KN);
        near(m.voigt_shear, m.shear, KN);
        near(m.reuss_bulk, m.bulk, KN);
        near(m.young, 4 * mu * (lambda + mu) / (lambda + 2 * mu), KN);
        near(m.poisson, lambda / (lambda + 2 * mu), 1);
        assert_true(m.anisotropy < 1e-10 && m.symmetry < 1e-10);
        assert_false(m.known[MRN_ZZ] || m.known[MRN_XZ] || m.known[MRN_YZ]);
        lattice_end(&l);
    }
}

/* Spheres on the face-centred cubic lattice, along its axes: C11 = sqrt(2)/d (kn + kt), C12 =
   sqrt(2)/d (kn - kt)/2, C44 = sqrt(2)/d (kn + kt)/2. Sums over the six bonds of a sphere of n_x^4
   = 1, n_x^2 n_y^2 = 1/2. By factorisation and by conjugate gradients. */
static void test_fcc(void **state)
{
    (void)state;
    const double d = 0.01, c = sqrt(2.0) / d;
    for (int cg = 0; cg < 2; cg++) {
        lattice l = fcc(3, d, KT);
        assert_int_equal(l.n_contacts, 6 * l.n);
        mrn_moduli m = measure(&l, 3, cg);
        for (int i = 0; i < 3; i++) {
            near(m.c[i][i], c * (KN + KT), c * KN);
            near(m.c[3 + i][3 + i], c * (KN + KT) / 2, c * KN);
            near(m.c[i][(i + 1) % 3], c * (KN - KT) / 2, c * KN);
        }
        near(m.bulk, c * (2 * KN) / 3, c * KN);
        /* three shears of weight 4 each way and the difference of the diagonal block */
        assert_true(m.anisotropy > 0.01);
        /* along an axis: one pressure wave, two equal shear waves */
        for (int k = 0; k < 3; k++) {
            near(m.wave[k][0] * m.wave[k][0] * m.density, c * (KN + KT), c * KN);
            near(m.wave[k][1] * m.wave[k][1] * m.density, c * (KN + KT) / 2, c * KN);
            near(m.wave[k][2] * m.wave[k][2] * m.density, c * (KN + KT) / 2, c * KN);
        }
        lattice_end(&l);
    }
}

/* Stiffnesses drawn at random: the moduli stay between the bounds, softer than Voigt's, stiffer
   than Reuss', and strictly so. */
static void test_bounds(void **state)
{
    (void)state;
    lattice l = triangular(8, 0.02, KT, 0.5);
    uint64_t seed = 7;
    for (int64_t k = 0; k < l.n_contacts; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double r = (double)(seed >> 11) / 9007199254740992.0;
        l.contact[k].kn = KN * (0.2 + 2 * r);
        l.contact[k].kt = 0.7 * l.contact[k].kn;
    }
    mrn_moduli m = measure(&l, 2, false);
    assert_true(m.bulk < 0.99 * m.voigt_bulk && m.bulk > 1.01 * m.reuss_bulk);
    assert_true(m.shear < 0.99 * m.voigt_shear && m.shear > 0);
    assert_true(m.anisotropy > 1e-4);
    lattice_end(&l);
}

/* Nothing to strain by: said in words. */
static void test_refused(void **state)
{
    (void)state;
    mrn_net net;
    mrn_moduli m;
    mrn_message msg = {0};
    mrn_elastic_options opt = {0};
    const double x[6] = {0, 0, 0, 1, 0, 0}, radius[2] = {0.5, 0.5};
    hand_contact c = {.c = 1, .a = 0, .n = {1, 0, 0}, .kn = KN, .kt = KT, .friction = 1};
    ok(hand_make(2, 2, x, radius, 1, &c, NULL, NULL, false, &net, &msg), &msg);
    assert_int_equal(mrn_moduli_of(&net, &opt, &m, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "periodic cell or servo walls"));
    mrn_net_release(&net);
    ok(hand_make(2, 0, NULL, NULL, 0, NULL, NULL, NULL, false, &net, &msg), &msg);
    assert_int_equal(mrn_moduli_of(&net, &opt, &m, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "bears a force"));
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangular),
        cmocka_unit_test(test_fcc),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
