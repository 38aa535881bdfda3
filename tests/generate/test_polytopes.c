/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generators with polygons and polyhedra: mass and inertia, no overlap, polytopes drawn, places. */
#include "generate/kit.h"

#include "generate/generate.h"
#include "geom/narrow.h"

/* A scene whose groups may be grains with corners (shape 0) of these polytopes. */
typedef struct stock {
    kit k;
    mrn_polytope polytope[4];
} stock;

static void good(mrn_status st, const mrn_message *msg)
{
    if (st != MRN_OK)
        fail_msg("%s", msg->text);
}

static void near(double value, double target, double tolerance)
{
    if (!(fabs(value - target) <= tolerance))
        fail_msg("%.12g, expected %.12g within %g", value, target, tolerance);
}

static void stock_begin(stock *s, int dimension)
{
    kit_begin(&s->k, dimension);
    mrn_message *msg = &s->k.msg;
    s->k.shape[0].type = mrn_shape_type_find(dimension == 2 ? "polygon" : "polyhedron");
    assert_non_null(s->k.shape[0].type);
    if (dimension == 2) {
        for (int n = 0; n < 3; n++)
            good(mrn_polytope_polygon(3 + n, &s->polytope[n], msg), msg);
    } else {
        good(mrn_polytope_regular("cube", &s->polytope[0], msg), msg);
        good(mrn_polytope_regular("tetrahedron", &s->polytope[1], msg), msg);
        good(mrn_polytope_box(3, 1, 2, 3, &s->polytope[2], msg), msg);
    }
    s->k.scene.polytope = s->polytope;
    s->k.scene.n_polytopes = 3;
}

static void stock_end(stock *s)
{
    for (int n = 0; n < 3; n++)
        mrn_polytope_release(&s->polytope[n]);
    kit_end(&s->k);
}

static mrn_group *fill_with_polytopes(stock *s, double radius, double width, int64_t count)
{
    double z = s->k.scene.dimension == 3 ? width : 0;
    mrn_group *g = kit_fill_box(&s->k, "stones", radius, mrn_v3(0, 0, 0), mrn_v3(width, width, z));
    g->count = count;
    g->polytope = 0;
    g->n_polytopes = 3;
    return g;
}

/* Every body is what its polytope and radius say; the account of mass is exact. */
static void check_bodies(const stock *s, const mrn_state *st)
{
    const mrn_bodies *b = &st->body;
    double mass = 0, volume = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        const mrn_polytope *f = &s->polytope[b->part[i]];
        double r = b->radius[i];
        double v = s->k.scene.dimension == 2 ? MRN_PI * r * r : 4.0 / 3 * MRN_PI * r * r * r;
        double mean = (f->inertia[0] + f->inertia[1] + f->inertia[2]) / 3;
        double i_over_m = s->k.scene.dimension == 2 ? f->inertia[2] : mean;
        assert_true(b->flags[i] & MRN_BODY_POLYTOPE);
        near(b->bound[i], r * f->bound, 1e-12 * r);
        near(b->inertia[i], i_over_m * b->mass[i] * r * r, 1e-12 * b->inertia[i]);
        mass += b->mass[i];
        volume += 1000 * v;
    }
    near(mass, volume, 1e-9 * volume);
}

static mrn_posed posed(const stock *s, const mrn_state *st, int32_t i, mrn_vec3 x)
{
    const double *q = st->body.q + 4 * (size_t)i;
    return mrn_posed_make(&s->polytope[st->body.part[i]].part[0], x,
                          (mrn_quat){q[0], q[1], q[2], q[3]}, st->body.radius[i]);
}

static void check_apart(const stock *s, const mrn_state *st)
{
    mrn_contact_point m[MRN_NARROW_MAX];
    for (int32_t i = st->body.n_walls; i < st->body.n; i++)
        for (int32_t j = st->body.n_walls; j < i; j++) {
            mrn_vec3 d = {kit_component(st, i, j, 0, &s->k.scene),
                          kit_component(st, i, j, 1, &s->k.scene),
                          kit_component(st, i, j, 2, &s->k.scene)};
            mrn_posed c = posed(s, st, i, d), a = posed(s, st, j, mrn_v3(0, 0, 0));
            assert_int_equal(mrn_narrow_convex(&c, &a, 0, NULL, m), 0);
        }
}

static void fills(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        stock s;
        mrn_state a, b;
        stock_begin(&s, dimension);
        fill_with_polytopes(&s, 0.01, dimension == 2 ? 0.4 : 0.2, 150);
        kit_build(&s.k, &a);
        kit_build(&s.k, &b);
        assert_int_equal(a.body.n, 150);
        check_bodies(&s, &a);
        check_apart(&s, &a);
        int of[3] = {0}, same_turn = 0;
        for (int32_t i = 0; i < a.body.n; i++) {
            of[a.body.part[i]]++;
            same_turn += a.body.q[4 * i] == a.body.q[0];
        }
        /* 50 of each in the mean, deviation 6 */
        assert_true(of[0] > 25 && of[1] > 25 && of[2] > 25);
        assert_int_equal(same_turn, 1);
        assert_memory_equal(a.body.x, b.body.x, 3 * 150 * sizeof(double));
        assert_memory_equal(a.body.q, b.body.q, 4 * 150 * sizeof(double));
        assert_memory_equal(a.body.part, b.body.part, 150 * sizeof *a.body.part);
        mrn_state_destroy(&a);
        mrn_state_destroy(&b);
        stock_end(&s);
    }
}

/* Two groups, the first of which draws polytopes or has but one: the second is the same, grain by
   grain. (They are far apart: places cannot push each other.) */
static void streams(void **state)
{
    (void)state;
    mrn_state of[2];
    for (int n = 0; n < 2; n++) {
        stock s;
        stock_begin(&s, 3);
        mrn_group *g = fill_with_polytopes(&s, 0.01, 0.2, 40);
        g->n_polytopes = n == 0 ? 3 : 1;
        g = kit_fill_box(&s.k, "others", 0.01, mrn_v3(1, 1, 1), mrn_v3(1.2, 1.2, 1.2));
        g->size = (mrn_size){.kind = MRN_SIZE_UNIFORM, .lo = 0.008, .hi = 0.012};
        g->count = 40;
        g->n_polytopes = 1;
        kit_build(&s.k, &of[n]);
        stock_end(&s);
    }
    assert_int_equal(of[0].body.n, 80);
    assert_memory_equal(of[0].body.x + 3 * 40, of[1].body.x + 3 * 40, 3 * 40 * sizeof(double));
    assert_memory_equal(of[0].body.q + 4 * 40, of[1].body.q + 4 * 40, 4 * 40 * sizeof(double));
    assert_memory_equal(of[0].body.radius + 40, of[1].body.radius + 40, 40 * sizeof(double));
    for (int n = 0; n < 2; n++)
        mrn_state_destroy(&of[n]);
}

/* Listed grains keep their orientation, others get one; a lattice takes the bounding balls. */
static void places(void **state)
{
    (void)state;
    stock s;
    mrn_state st;
    stock_begin(&s, 3);
    mrn_group *g = kit_group(&s.k, "listed", 0.01);
    mrn_quat turn = mrn_quat_from_rotation(mrn_v3(0, 0, 0.5));
    mrn_grain grain[2] = {{.x = {-1, 0, 0}, .radius = 0.01, .q = turn},
                          {.x = {-1, 0.03, 0}, .radius = 0.01}};
    g->place = MRN_PLACE_LIST;
    g->grain = grain;
    g->n_grains = 2;
    g->n_polytopes = 1;
    g = kit_group(&s.k, "rows", 0.01);
    g->place = MRN_PLACE_LATTICE;
    g->region =
        (mrn_region){.kind = MRN_REGION_BOX, .lo = mrn_v3(0, 0, 0), .hi = mrn_v3(0.1, 0.1, 0.1)};
    g->polytope = 0;
    g->n_polytopes = 2;
    kit_build(&s.k, &st);
    near(st.body.q[0], turn.w, 1e-15);
    near(st.body.q[3], turn.z, 1e-15);
    assert_true(st.body.q[4] != 1);
    /* the largest bound, that of the tetrahedron, is 1.9 radii: two rows of 4 cm in 10 cm */
    assert_int_equal(st.body.n, 2 + 8);
    check_bodies(&s, &st);
    check_apart(&s, &st);
    mrn_state_destroy(&st);
    stock_end(&s);
}

/* Denser than bounding balls allow: the message says what is possible and why. */
static void too_dense(void **state)
{
    (void)state;
    stock s;
    mrn_state st = {0};
    stock_begin(&s, 3);
    mrn_group *g = fill_with_polytopes(&s, 0.01, 0.1, 0);
    g->solid_fraction = 0.5;
    g->n_polytopes = 1;
    assert_int_equal(mrn_world_build(&s.k.scene, &st, &s.k.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(s.k.msg.hint, "0.22")); /* 0.6 / 1.396^3, cubes */
    assert_non_null(strstr(s.k.msg.hint, "settle"));
    stock_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills),
        cmocka_unit_test(streams),
        cmocka_unit_test(places),
        cmocka_unit_test(too_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
