/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields averaged over frames: nothing is lost between bins, motions that are known come out, in
   every system of coordinates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/packing_kit.h"
#include "moraine/average.h"

#define GRAINS 400

/* A frame of spheres without walls; arrays live in it. */
typedef struct bed {
    mrn_frame f;
    double x[3 * GRAINS], v[3 * GRAINS], radius[GRAINS], mass[GRAINS];
    uint16_t flags[GRAINS];
    int32_t c[1], a[1];
    double force[3], branch[3];
} bed;

static bed *make_bed(int n)
{
    bed *b = calloc(1, sizeof *b);
    b->f = (mrn_frame){.n = n,
                       .x = b->x,
                       .v = b->v,
                       .radius = b->radius,
                       .mass = b->mass,
                       .flags = b->flags,
                       .time = 1};
    b->f.contacts.c = b->c, b->f.contacts.a = b->a;
    b->f.contacts.force = b->force, b->f.contacts.branch = b->branch;
    for (int i = 0; i < n; i++) {
        b->radius[i] = 0.05 + 0.01 * (i % 3);
        b->mass[i] = 2 + i % 5;
    }
    return b;
}

static double random_of(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0;
}

static mrn_average average_of(const mrn_average_def *d, int dimension, const mrn_frame *f)
{
    mrn_average a;
    mrn_message msg = {0};
    mrn_average_def whole = *d;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    mrn_average_reach(d, dimension, f, lo, hi);
    for (int k = 0; k < 3; k++) {
        whole.lo[k] = isnan(d->lo[k]) ? lo[k] : d->lo[k];
        whole.hi[k] = isnan(d->hi[k]) ? hi[k] : d->hi[k];
    }
    assert_int_equal(mrn_average_begin(&whole, dimension, &a, &msg), MRN_OK);
    assert_int_equal(mrn_average_add(&a, f, &msg), MRN_OK);
    assert_int_equal(mrn_average_add(&a, f, &msg), MRN_OK);
    mrn_average_end(&a);
    return a;
}

static mrn_average_def anywhere(mrn_coordinates c)
{
    return (mrn_average_def){
        .coordinates = c, .lo = {NAN, NAN, NAN}, .hi = {NAN, NAN, NAN}, .vertical = 2};
}

/* Mass, volume and momentum of all bins are those of the grains, to rounding of sums of 20,000
   points; whatever the system, the bins and the period. */
static void expect_whole(const mrn_average *a, const bed *b)
{
    double mass = 0, solid = 0, count = 0, want = 0, volume = 0;
    for (int64_t i = 0; i < a->n; i++) {
        mass += a->volume[i] > 0 ? a->density[i] * a->volume[i] : 0;
        solid += a->volume[i] > 0 ? a->solid_fraction[i] * a->volume[i] : 0;
        count += a->count[i];
    }
    for (int i = 0; i < b->f.n; i++) {
        double r = b->radius[i];
        want += b->mass[i];
        volume += a->dimension == 2 ? M_PI * r * r : 4.0 / 3 * M_PI * r * r * r;
    }
    assert_true(fabs(mass / want - 1) < 1e-12);
    assert_true(fabs(solid / volume - 1) < 1e-12);
    assert_true(fabs(count / b->f.n - 1) < 1e-12);
}

static void test_nothing_is_lost(void **unused)
{
    (void)unused;
    for (int turn = 0; turn < 10; turn++) {
        bed *b = make_bed(GRAINS);
        unsigned seed = 7u + (unsigned)turn;
        int dimension = turn % 2 == 0 ? 3 : 2;
        for (int i = 0; i < GRAINS; i++)
            for (int k = 0; k < dimension; k++)
                b->x[3 * i + k] = random_of(&seed);
        mrn_average_def d = anywhere(turn < 4 ? MRN_COORDINATES_BOX : MRN_COORDINATES_AXIS);
        d.vertical = dimension - 1;
        d.n[0] = 7, d.n[1] = 5, d.n[2] = 3;
        d.direction = mrn_v3(0.3, -0.2, 1);
        d.point = mrn_v3(0.4, 0.5, 0.1);
        if (turn >= 8) {
            d = anywhere(MRN_COORDINATES_LINE);
            d.direction = mrn_v3(1, 0.5, dimension == 3 ? 0.2 : 0);
            d.n[0] = 9;
        }
        if (turn == 2 || turn == 3) { /* a sheared cell: grains across its faces are put back */
            for (int k = 0; k < dimension; k++)
                b->f.periodic[k] = true, b->f.cell_size[k] = 1;
            b->f.cell_tilt[0] = 0.3;
            d.cell[0] = d.cell[1] = d.cell[2] = true;
        }
        mrn_average a = average_of(&d, dimension, &b->f);
        expect_whole(&a, b);
        mrn_average_destroy(&a);
        free(b);
    }
}

/* A body that turns about an axis: velocity.angle is omega r. A grain has one velocity, that of its
   centre, so a bin mixes centres up to a radius away: omega times 0.07 is the bound. */
static void test_rotation(void **unused)
{
    (void)unused;
    bed *b = make_bed(GRAINS);
    unsigned seed = 3;
    mrn_vec3 w = mrn_v3(0, 3, 0), centre = mrn_v3(0.5, 0, 0.5);
    for (int i = 0; i < GRAINS; i++) {
        for (int k = 0; k < 3; k++)
            b->x[3 * i + k] = random_of(&seed);
        mrn_vec3 v = mrn_cross(w, mrn_sub(mrn_load3(b->x + 3 * i), centre));
        mrn_store3(b->v + 3 * i, v);
    }
    mrn_average_def d = anywhere(MRN_COORDINATES_AXIS);
    d.direction = mrn_v3(0, 2, 0), d.point = centre;
    d.lo[0] = 0, d.hi[0] = 0.5, d.n[0] = 5;
    mrn_average a = average_of(&d, 3, &b->f);
    for (int i = 1; i < 5; i++) {
        double r = mrn_average_middle(&a, i, 0);
        assert_true(fabs(r - (0.05 + 0.1 * i)) < 1e-12);
        assert_true(fabs(a.velocity[3 * i + 1] - 3 * r) < 3 * 0.07);
        assert_true(fabs(a.velocity[3 * i + 2]) < 1e-12);
        assert_true(fabs(a.velocity[3 * i]) < 3 * 0.07);
    }
    /* four sectors: the same in each, about three hundred grains, half of them of one side */
    mrn_average_destroy(&a);
    d.n[0] = 1, d.n[1] = 4, d.lo[0] = 0.2;
    a = average_of(&d, 3, &b->f);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(a.velocity[3 * i + 1] - 3 * 0.38) < 0.2);
    mrn_average_destroy(&a);
    free(b);
}

/* Layers of spheres on a slope that slide over each other, each faster by 1 m/s: depth counts from
   the slope, and the first layer is the first diameter. */
static void test_depth(void **unused)
{
    (void)unused;
    bed *b = make_bed(GRAINS);
    double r = 0.025, slope = 0.3;
    for (int i = 0; i < GRAINS; i++) {
        int column = i % 10, row = i / 10 % 10, layer = i / 100;
        b->radius[i] = r, b->mass[i] = 1;
        b->x[3 * i] = (column + 0.5) * 2 * r;
        b->x[3 * i + 1] = (row + 0.5) * 2 * r;
        b->x[3 * i + 2] = slope * b->x[3 * i] + (layer + 0.5) * 2 * r;
        b->v[3 * i] = layer;
    }
    mrn_average_def d = anywhere(MRN_COORDINATES_DEPTH);
    d.lo[2] = 0, d.hi[2] = 8 * r, d.n[2] = 4;
    mrn_average a = average_of(&d, 3, &b->f);
    assert_string_equal(mrn_average_name(&a.def, 2), "depth");
    /* columns are two grains wide: their highest lies slope times half a diameter above the mean,
       so a tenth of a layer, and the rim of the bed a little more, is counted one deeper */
    for (int layer = 0; layer < 4; layer++)
        assert_true(fabs(a.velocity[3 * layer] - (3 - layer)) < 0.3);
    assert_true(a.velocity[0] > 2.7 && a.velocity[9] < 0.3);
    /* simple cubic: pi/6 = 0.524 */
    assert_true(fabs(a.solid_fraction[1] - M_PI / 6) < 0.05);
    mrn_average_destroy(&a);
    free(b);
}

/* One contact: force times branch over the volume, whichever bins it crosses; about an axis its
   components turn. */
static void test_stress(void **unused)
{
    (void)unused;
    bed *b = make_bed(2);
    b->x[0] = 0.45, b->x[3] = 0.55;
    b->x[1] = b->x[4] = b->x[2] = b->x[5] = 0.5;
    b->f.contacts.n = 1;
    b->c[0] = 0, b->a[0] = 1;
    b->force[0] = -7, b->force[1] = 2, b->branch[0] = -0.1;
    mrn_average_def d = anywhere(MRN_COORDINATES_BOX);
    for (int k = 0; k < 3; k++)
        d.lo[k] = 0, d.hi[k] = 1, d.n[k] = k == 0 ? 20 : 1;
    mrn_average a = average_of(&d, 3, &b->f);
    double xx = 0, xy = 0;
    for (int i = 0; i < 20; i++) {
        xx += a.contact_stress[6 * i] / 20;
        xy += a.contact_stress[6 * i + MRN_XY] / 20;
        assert_true(a.contact_stress[6 * i] == 0 || (i >= 8 && i <= 11));
    }
    assert_true(a.has_contacts);
    assert_true(fabs(xx - 0.7) < 1e-12 && fabs(xy + 0.1) < 1e-12);
    mrn_average_destroy(&a);
    d = anywhere(MRN_COORDINATES_AXIS);
    d.direction = mrn_v3(0, 0, 1), d.point = mrn_v3(0.5, 0, 0); /* y is the way out there */
    d.lo[0] = 0, d.hi[0] = 1, d.lo[2] = 0, d.hi[2] = 1;
    a = average_of(&d, 3, &b->f);
    /* the force has a part across it that is nearly along r: 0.1 of 0.5 off it at most */
    assert_true(fabs(a.contact_stress[MRN_YY] - 0.7 / M_PI) < 0.1 * 0.7 / M_PI);
    mrn_average_destroy(&a);
    free(b);
}

static void test_refusals(void **unused)
{
    (void)unused;
    mrn_average a;
    mrn_message msg = {0};
    mrn_average_def d = anywhere(MRN_COORDINATES_BOX);
    assert_int_equal(mrn_average_begin(&d, 3, &a, &msg), MRN_ERR_RANGE);
    for (int k = 0; k < 3; k++)
        d.lo[k] = 0, d.hi[k] = 1, d.n[k] = 1000;
    assert_int_equal(mrn_average_begin(&d, 3, &a, &msg), MRN_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost), cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_depth),           cmocka_unit_test(test_stress),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
