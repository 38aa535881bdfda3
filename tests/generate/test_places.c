/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lattices and explicit lists: counts, distances, neighbours, and what is refused. */
#include "generate/kit.h"

static mrn_group *lattice(kit *k, mrn_lattice_kind kind, double r, mrn_vec3 size)
{
    mrn_group *g = kit_fill_box(k, "crystal", r, mrn_v3(0, 0, 0), size);
    g->place = MRN_PLACE_LATTICE;
    g->lattice = kind;
    return g;
}

/* Grains within 1e-9 of touching grain i. */
static int neighbours(const kit *k, const mrn_state *s, int i, double distance)
{
    int n = 0;
    for (int j = s->body.n_walls; j < s->body.n; j++) {
        double dx = kit_component(s, i, j, 0, &k->scene), dy = kit_component(s, i, j, 1, &k->scene);
        double dz = kit_component(s, i, j, 2, &k->scene);
        n += j != i && fabs(sqrt(dx * dx + dy * dy + dz * dz) / distance - 1) < 1e-9;
    }
    return n;
}

static void cubic_fills_its_box(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    kit_plane(&k, "floor", mrn_v3(0, 0, 0), mrn_v3(0, 0, 1)); /* touches: no site is lost */
    mrn_group *g = lattice(&k, MRN_LATTICE_CUBIC, 0.05, mrn_v3(0.5, 0.4, 0.3));
    kit_build(&k, &s);
    assert_int_equal(s.body.n - 1, 5 * 4 * 3);
    assert_true(kit_smallest_gap(&k, &s) >= -1e-9 * 0.05);
    assert_true(fabs(s.body.x[3] - 0.05) < 1e-15);
    mrn_state_destroy(&s);
    g->count = 17;
    kit_build(&k, &s);
    assert_int_equal(s.body.n - 1, 17);
    mrn_state_destroy(&s);
    g->count = 1000; /* at most */
    g->spacing = 0.2;
    kit_build(&k, &s);
    assert_int_equal(s.body.n - 1, 3 * 2 * 2);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* Periodic crystals: every grain has all its neighbours at the spacing asked for. */
static void check_crystal(int dimension, mrn_lattice_kind kind, mrn_vec3 unit, int n, int sites,
                          int coordination)
{
    kit k;
    mrn_state s;
    double r = 0.01;
    kit_begin(&k, dimension);
    mrn_vec3 size = mrn_scale(2 * r * n, unit);
    kit_periodic(&k, 0, 0, size.x);
    kit_periodic(&k, 1, 0, size.y);
    if (dimension == 3)
        kit_periodic(&k, 2, 0, size.z);
    lattice(&k, kind, r, size);
    kit_build(&k, &s);
    assert_int_equal(s.body.n, sites * (dimension == 3 ? n * n * n : n * n));
    assert_true(kit_smallest_gap(&k, &s) >= -1e-9 * r);
    for (int i = 0; i < s.body.n; i++)
        assert_int_equal(neighbours(&k, &s, i, 2 * r), coordination);
    mrn_state_destroy(&s);
}

static void crystals_have_their_coordination(void **state)
{
    (void)state;
    check_crystal(2, MRN_LATTICE_CUBIC, mrn_v3(1, 1, 0), 5, 1, 4);
    check_crystal(2, MRN_LATTICE_HEX, mrn_v3(1, sqrt(3), 0), 4, 2, 6);
    check_crystal(3, MRN_LATTICE_CUBIC, mrn_v3(1, 1, 1), 4, 1, 6);
    check_crystal(3, MRN_LATTICE_HEX, mrn_v3(1, sqrt(3), sqrt(8.0 / 3)), 3, 4, 12);
    check_crystal(3, MRN_LATTICE_FCC, mrn_v3(sqrt(2), sqrt(2), sqrt(2)), 3, 4, 12);
}

/* A period that is no multiple of the spacing: stretched, never squeezed. */
static void stretched_lattice(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 2);
    kit_periodic(&k, 0, 0, 0.057);
    lattice(&k, MRN_LATTICE_CUBIC, 0.005, mrn_v3(0.057, 0.031, 0));
    kit_build(&k, &s);
    assert_int_equal(s.body.n, 5 * 3);
    for (int i = 0; i < s.body.n; i++)
        assert_true(s.body.x[3 * i + 1] + 0.005 <= 0.031 && s.body.x[3 * i + 2] == 0);
    assert_true(kit_smallest_gap(&k, &s) >= -1e-12);
    mrn_state_destroy(&s);
}

/* Sites inside a wall or an earlier grain stay empty. */
static void sites_taken(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    kit_plane(&k, "floor", mrn_v3(0, 0, 0.1), mrn_v3(0, 0, 1));
    mrn_grain first = {.x = {0.25, 0.25, 0.25}, .radius = 0.04};
    mrn_group *g = kit_group(&k, "first", 0.04);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = &first;
    lattice(&k, MRN_LATTICE_CUBIC, 0.05, mrn_v3(0.5, 0.5, 0.5));
    kit_build(&k, &s);
    /* 125 sites: 25 below the floor, one taken by the first grain */
    assert_int_equal(s.body.n, 1 + 1 + 125 - 25 - 1);
    assert_true(kit_smallest_gap(&k, &s) >= -1e-9 * 0.05);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void refused(kit *k, const char *word)
{
    mrn_state s = {0};
    size_t bytes = mrn_bytes_in_use();
    assert_int_equal(mrn_world_build(&k->scene, &s, &k->msg), MRN_ERR_INPUT);
    if (strstr(k->msg.text, word) == NULL)
        fail_msg("%s", k->msg.text);
    assert_true(k->msg.hint[0] != '\0' || k->msg.expected[0] != '\0');
    assert_int_equal(mrn_bytes_in_use(), bytes);
}

static void bad_lattices(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2);
    mrn_group *g = lattice(&k, MRN_LATTICE_FCC, 0.05, mrn_v3(1, 1, 0));
    refused(&k, "fcc");
    g->lattice = MRN_LATTICE_HEX;
    g->spacing = 0.09;
    refused(&k, "spacing");
    g->spacing = 0;
    g->region.hi = mrn_v3(0.05, 0.05, 0);
    refused(&k, "no free lattice site");
    g->region.kind = MRN_REGION_SPHERE;
    refused(&k, "box");
}

static void lists_are_taken_as_they_are(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    kit_periodic(&k, 0, -1, 2);
    mrn_grain grain[] = {{.x = {0, 0, 0}, .v = {1, 2, 3}, .w = {4, 5, 6}, .radius = 0.1},
                         {.x = {3.25, 0, 0}, .radius = NAN},
                         {.x = {0, 0, 0.19}, .radius = 0.1}}; /* overlaps the first a little */
    mrn_group *g = kit_group(&k, "three", 0.07);
    g->place = MRN_PLACE_CSV;
    g->n_grains = 3;
    g->grain = grain;
    g->velocity = mrn_v3(10, 0, 0);
    kit_build(&k, &s);
    assert_int_equal(s.body.n, 3);
    /* their own velocity, the group's is not added */
    assert_true(s.body.v[0] == 1 && s.body.v[1] == 2 && s.body.v[2] == 3 && s.body.w[2] == 6);
    assert_true(s.body.radius[1] == 0.07);
    assert_true(fabs(s.body.x[3] - -0.75) < 1e-15 && s.body.image[3] == 0); /* wrapped */
    mrn_state_destroy(&s);
}

static void bad_lists(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3);
    mrn_grain grain[] = {{.x = {0, 0, 0}, .radius = 0.1}, {.x = {0, 0, 0.05}, .radius = 0.1}};
    mrn_group *g = kit_group(&k, "two", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 2;
    g->grain = grain;
    refused(&k, "grain 1 overlaps grain 2");
    grain[1].x = grain[0].x;
    refused(&k, "overlaps");
    grain[1].x.z = 1;
    grain[1].radius = 0;
    refused(&k, "grain 2 has no radius");
    grain[1].radius = 0.1;
    grain[1].v.x = NAN;
    refused(&k, "not finite");
    grain[1].v.x = 1;
    g->fixed = true;
    refused(&k, "fixed");
    g->fixed = false;
    /* through the period as well */
    grain[0].x = mrn_v3(0.01, 0, 0);
    grain[1].x = mrn_v3(0.99, 0, 0);
    kit_periodic(&k, 0, 0, 1);
    refused(&k, "overlaps");
    kit_begin(&k, 2);
    g = kit_group(&k, "flat", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 2;
    g->grain = grain;
    grain[1].x.z = 0.5;
    refused(&k, "plane");
    grain[1].x.z = 0;
    grain[1].w.x = 1;
    refused(&k, "turns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubic_fills_its_box), cmocka_unit_test(crystals_have_their_coordination),
        cmocka_unit_test(stretched_lattice),   cmocka_unit_test(sites_taken),
        cmocka_unit_test(bad_lattices),        cmocka_unit_test(lists_are_taken_as_they_are),
        cmocka_unit_test(bad_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
