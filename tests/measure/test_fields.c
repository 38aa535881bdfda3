/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coarse-grained fields: what is smeared is kept, and the balance of momentum holds. */
/* ctest-labels: threads */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/packing_kit.h"

static double box(const mrn_fields *f)
{
    return f->spacing[0] * f->spacing[1] * f->spacing[2];
}
static int64_t boxes(const mrn_fields *f)
{
    return (int64_t)f->n[0] * f->n[1] * f->n[2];
}

static mrn_fields fields(kit *k, const mrn_state *s, const mrn_contacts *c, double w, double h)
{
    mrn_fields f;
    if (mrn_fields_compute(&k->scene, s, c, w, h, &f, &k->msg) != MRN_OK)
        fail_msg("%s", k->msg.text);
    return f;
}

/* Random grains, free and periodic, 2D and 3D, also in a sheared cell: mass, volume and momentum of
   the fields are those of the grains. Lucy's function on a grid of half its width is summed to
   about 1e-3 for one grain in the worst place, and far better on average. */
static void kept(void **state)
{
    (void)state;
    for (int c = 0; c < 6; c++) {
        kit k;
        mrn_state s = {0};
        int dimension = c % 2 ? 2 : 3;
        mrn_rng rng = mrn_rng_seed(5, (uint64_t)c);
        kit_begin(&k, dimension);
        for (int i = 0; i < dimension && c >= 2; i++)
            kit_periodic(&k, i, -0.5, 1);
        put_cell(&k, &s);
        if (c >= 4)
            s.cell_tilt[0] = 0.37;
        double mass = 0, volume = 0, momentum = 0;
        for (int i = 0; i < 40; i++) {
            mrn_vec3 x = {mrn_rng_uniform(&rng) - 0.5, mrn_rng_uniform(&rng) - 0.5,
                          dimension == 3 ? mrn_rng_uniform(&rng) - 0.5 : 0};
            double r = 0.02 + 0.03 * mrn_rng_uniform(&rng);
            put_grain(&k, &s, x, r, 0);
            s.body.v[3 * i + 1] = mrn_rng_normal(&rng);
            mass += s.body.mass[i];
            volume += s.body.mass[i] / 1000;
            momentum += s.body.mass[i] * s.body.v[3 * i + 1];
        }
        mrn_fields f = fields(&k, &s, NULL, 0.1, 0.05);
        assert_false(f.has_contacts);
        double m = 0, v = 0, p = 0, trace = 0;
        for (int64_t i = 0; i < boxes(&f); i++) {
            m += f.density[i] * box(&f);
            v += f.solid_fraction[i] * box(&f);
            p += f.density[i] * f.velocity[3 * i + 1] * box(&f);
            trace += (f.kinetic_stress[6 * i + MRN_YY] +
                      f.density[i] * f.velocity[3 * i + 1] * f.velocity[3 * i + 1]) *
                     box(&f);
            assert_true(f.temperature[i] >= 0);
        }
        NEAR(m / mass, 1, 1e-3);
        NEAR(v / volume, 1, 1e-3);
        NEAR(p, momentum, 1e-3 * mass);
        double energy = 0; /* fluctuation and mean flow together are all of it */
        for (int i = 0; i < 40; i++)
            energy += s.body.mass[i] * s.body.v[3 * i + 1] * s.body.v[3 * i + 1];
        NEAR(trace / energy, 1, 1e-3);
        mrn_fields_destroy(&f);
        mrn_state_destroy(&s);
    }
}

/* A column of layers at rest, periodic in x and y, each layer bearing those above. Goldhirsch's
   fields obey d(sigma_zz)/dz = -rho g exactly; what is left is the quadrature (4 points per branch)
   and the central difference, (h/c)^2 of the field's own scale. */
static void column(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    mrn_contacts c;
    double a = 0.01, r = 0.5 * a * 1.0001, g = 9.81;
    int across = 4, layers = 12;
    kit_begin(&k, 3);
    kit_periodic(&k, 0, 0, across * a);
    kit_periodic(&k, 1, 0, across * a);
    put_cell(&k, &s);
    for (int i = 0; i < across * across * layers; i++)
        put_grain(&k, &s,
                  mrn_v3(a * (i % across), a * (i / across % across), a * (i / across / across)), r,
                  0);
    find_contacts(&k, &s, 1, &c);
    double weight = s.body.mass[0] * g;
    for (int64_t i = 0; i < c.n; i++) { /* C above A: A bears what is above it */
        mrn_vec3 n = mrn_load3(c.normal + 3 * i);
        double above = layers - 1 - rint(s.body.x[3 * c.a[i] + 2] / a);
        mrn_store3(c.force + 3 * i, mrn_scale(fabs(n.z) > 0.5 ? above * weight : 0, n));
    }
    mrn_fields f = fields(&k, &s, &c, 1.5 * a, 0.25 * a);
    size_t plane = (size_t)f.n[0] * (size_t)f.n[1];
    double worst = 0, most = 0;
    for (int z = 1; z + 1 < f.n[2]; z++) {
        double at = f.origin[2] + (z + 0.5) * f.spacing[2];
        if (at < 4 * a || at > (layers - 1) * a) /* clear of the floor, whose force is not there */
            continue;
        for (size_t i = 0; i < plane; i++) {
            size_t here = (size_t)z * plane + i;
            double slope = (f.contact_stress[6 * (here + plane) + MRN_ZZ] -
                            f.contact_stress[6 * (here - plane) + MRN_ZZ]) /
                           (2 * f.spacing[2]);
            double rho_g = f.density[here] * g;
            worst = fmax(worst, fabs(slope + rho_g));
            most = fmax(most, rho_g);
        }
    }
    NEAR(worst / most, 0, 0.01);
    assert_true(most > 0.45 * 1000 * g); /* there was something to balance */
    mrn_fields_destroy(&f);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* The mean of the stress field over a periodic cell is the stress of the cell. */
static void mean_stress(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    mrn_report r;
    crystal(&k, &s, 3, 0.01, 0.0036, true);
    find_contacts(&k, &s, 1e4, &c);
    assert_int_equal(mrn_measure(&k.scene, &s, &c, &r, &k.msg), MRN_OK);
    mrn_fields f = fields(&k, &s, &c, 0.01, 0.005);
    double mean = 0;
    for (int64_t i = 0; i < boxes(&f); i++)
        mean += f.contact_stress[6 * i + MRN_XX] / (double)boxes(&f);
    NEAR(mean / r.stress.total[MRN_XX], 1, 1e-3);
    mrn_fields_destroy(&f);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

static void same_for_any_threads(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    crystal(&k, &s, 4, 0.01, 0.0036, true);
    find_contacts(&k, &s, 1e4, &c);
    int before = mrn_threads();
    mrn_threads_set(1);
    mrn_fields one = fields(&k, &s, &c, 0, 0);
    mrn_threads_set(3);
    mrn_fields three = fields(&k, &s, &c, 0, 0);
    mrn_threads_set(before);
    NEAR(one.width, 2 * 0.0036, 1e-15);
    assert_memory_equal(one.density, three.density, (size_t)boxes(&one) * sizeof(double));
    assert_memory_equal(one.contact_stress, three.contact_stress,
                        6 * (size_t)boxes(&one) * sizeof(double));
    mrn_fields_destroy(&one);
    mrn_fields_destroy(&three);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* The file: an image of the right extent; nothing is left when it cannot be written. */
static void file(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    char folder[] = "/tmp/moraine-XXXXXX", path[64], text[4096] = "";
    assert_non_null(mkdtemp(folder));
    crystal(&k, &s, 2, 0.01, 0.005, true);
    mrn_fields f = fields(&k, &s, NULL, 0.01, 0.005);
    snprintf(path, sizeof path, "%s/fields.vti", folder);
    assert_int_equal(mrn_fields_write(path, &f, &k.msg), MRN_OK);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) > 500);
    fclose(in);
    assert_non_null(strstr(text, "WholeExtent=\"0 4 0 4 0 4\""));
    assert_non_null(strstr(text, "<CellData"));
    assert_non_null(strstr(text, "Name=\"density\""));
    assert_null(strstr(text, "contact stress")); /* not known */
    for (int64_t i = 1; i <= 3; i++) {
        char other[80];
        snprintf(other, sizeof other, "%s/other.vti", folder);
        mrn_alloc_fail_at(i);
        assert_int_equal(mrn_fields_write(other, &f, &k.msg), MRN_ERR_MEMORY);
        mrn_alloc_fail_at(0);
        struct stat st;
        assert_int_not_equal(stat(other, &st), 0);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mrn_fields_write("/nowhere/at/all.vti", &f, &k.msg), MRN_ERR_IO);
    mrn_fields_destroy(&f);
    size_t before = mrn_bytes_in_use();
    for (int64_t i = 1; i <= 10; i++) {
        mrn_alloc_fail_at(i);
        mrn_status st = mrn_fields_compute(&k.scene, &s, NULL, 0.01, 0.005, &f, &k.msg);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK) {
            assert_true(i > 6);
            mrn_fields_destroy(&f);
        }
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(mrn_fields_compute(&k.scene, &s, NULL, 0.01, 1e-7, &f, &k.msg), MRN_ERR_RANGE);
    mrn_state_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept),        cmocka_unit_test(column),
        cmocka_unit_test(mean_stress), cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
