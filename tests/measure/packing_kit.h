/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings made by hand for the tests of measures: grains where one puts them, and contacts found
   by looking at all pairs, with forces k delta n. Nothing of detection or engine is needed. */
#ifndef MRN_TESTS_MEASURE_PACKING_KIT_H
#define MRN_TESTS_MEASURE_PACKING_KIT_H

#include "generate/kit.h"
#include "moraine/measure.h"

static inline void near_value(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %.12g, expected %.12g within %.3g", what, value, expected, tolerance);
}
#define NEAR(value, expected, tolerance) near_value(value, expected, tolerance, #value)

static inline void put_grain(kit *k, mrn_state *s, mrn_vec3 x, double r, int group)
{
    mrn_body_def d = mrn_body_default();
    d.x = x;
    d.radius = r;
    d.group = group;
    d.mass = 1000 * (k->scene.dimension == 2 ? MRN_PI * r * r : 4.0 / 3 * MRN_PI * r * r * r);
    d.inertia = (k->scene.dimension == 2 ? 0.5 : 0.4) * d.mass * r * r;
    assert_int_equal(mrn_body_add(s, &d, NULL, &k->msg), MRN_OK);
}

/* Cell of the scene into the state. */
static inline void put_cell(const kit *k, mrn_state *s)
{
    memcpy(s->cell_origin, k->scene.cell.origin, sizeof s->cell_origin);
    memcpy(s->cell_size, k->scene.cell.size, sizeof s->cell_size);
}

/* Contacts must be freed with mrn_contacts_destroy. */
static inline void find_contacts(const kit *k, const mrn_state *s, double stiffness,
                                 mrn_contacts *c)
{
    int64_t most = 40 * (int64_t)s->body.n;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SNAPSHOT), .n = most};
    *c = (mrn_contacts){0};
    assert_int_equal(mrn_contacts_make(c, &def, NULL), MRN_OK);
    for (int i = s->body.n_walls; i < s->body.n; i++)
        for (int j = s->body.n_walls; j < i; j++) {
            mrn_vec3 d = {kit_component(s, i, j, 0, &k->scene),
                          kit_component(s, i, j, 1, &k->scene),
                          kit_component(s, i, j, 2, &k->scene)};
            double gap = mrn_norm(d) - s->body.radius[i] - s->body.radius[j];
            if (gap >= 0)
                continue;
            int64_t m = c->n++;
            assert_true(m < most);
            c->c[m] = i;
            c->a[m] = j;
            c->gap[m] = gap;
            mrn_store3(c->branch + 3 * m, d);
            mrn_store3(c->normal + 3 * m, mrn_unit(d));
            mrn_store3(c->force + 3 * m, mrn_scale(-stiffness * gap, mrn_unit(d)));
        }
}

/* A crystal of n^3 cubic cells of edge a, periodic: 1 grain per cell (simple cubic) or 4 (fcc). */
static inline void crystal(kit *k, mrn_state *s, int n, double a, double r, bool fcc)
{
    static const double at[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    kit_begin(k, 3);
    *s = (mrn_state){0};
    for (int axis = 0; axis < 3; axis++)
        kit_periodic(k, axis, 0, n * a);
    put_cell(k, s);
    for (int i = 0; i < n * n * n * (fcc ? 4 : 1); i++) {
        int cell = fcc ? i / 4 : i;
        const double *o = at[fcc ? i % 4 : 0];
        mrn_vec3 x = {a * (cell % n + o[0]), a * (cell / n % n + o[1]), a * (cell / n / n + o[2])};
        put_grain(k, s, x, r, 0);
    }
}

#endif
