/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No contact with a thin wall is lost: polygons and polyhedra of all sorts at the ends, edges and
   corners of plates and of open meshes, against the largest separation over all directions that
   can have it (faces of either, edge by edge), found by trying them all. MRN_FUZZ=N tries N
   poses of each. */
#include "geom/mesh.h"
#include "part_kit.h"

enum { MOST_FOUND = 512 };

/* A thin wall, and the convex piece that it covers. */
typedef struct thin {
    mrn_shape shape;
    mrn_vec3 x;
    mrn_quat q;
    int n_features, n; /* corners */
    mrn_vec3 p[4], normal;
} thin;

static mrn_value vector(double x, double y, double z)
{
    return (mrn_value){.a = {x, y, z}, .given = true};
}

static thin plate(int dimension, mrn_rng *r)
{
    double turn = uniform(r, 0, 7), length = uniform(r, 0.5, 3), width = uniform(r, 0.5, 3);
    mrn_vec3 n = dimension == 2 ? mrn_v3(cos(turn), sin(turn), 0) : mrn_unit(random_in(r, 1));
    mrn_vec3 at = random_in(r, 1);
    mrn_value v[5] = {vector(at.x, at.y, dimension == 2 ? 0 : at.z),
                      vector(n.x, n.y, n.z),
                      {.number = length, .given = true},
                      {.number = width, .given = dimension == 3}};
    thin w = {.n_features = 1, .n = dimension == 2 ? 2 : 4, .normal = n};
    w.shape = wall_make("plane", dimension, v, &w.x, &w.q);
    for (int k = 0; k < w.n; k++) {
        mrn_vec3 c = mrn_v3((k == 1 || k == 2 ? 0.5 : -0.5) * length,
                            w.n == 2 ? 0 : (k >= 2 ? 0.5 : -0.5) * width, 0);
        w.p[k] = mrn_add(w.x, mrn_rotate(w.q, c));
    }
    return w;
}

enum { CELLS = 4 };

/* The same plate as an open mesh of 2 or of 2 CELLS^2 triangles. */
static thin mesh_plate(mrn_rng *r)
{
    thin w = plate(3, r);
    static double soup[2 * CELLS * CELLS * 9];
    int cells = mrn_rng_uniform(r) < 0.5 ? 1 : CELLS, at = 0;
    mrn_vec3 a = mrn_sub(w.p[1], w.p[0]), b = mrn_sub(w.p[3], w.p[0]);
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++)
            for (int k = 0; k < 6; k++, at += 3)
                mrn_store3(soup + at,
                           mrn_axpy((double)(i + corner[k][0]) / cells, a,
                                    mrn_axpy((double)(j + corner[k][1]) / cells, b, w.p[0])));
    mrn_message msg = {0};
    w.shape = (mrn_shape){.type = mrn_shape_type_find("mesh"), .dimension = 3};
    w.x = mrn_v3(0, 0, 0);
    w.q = mrn_quat_identity();
    ok(mrn_mesh_create(soup, at / 9, &w.shape.mesh, &msg), &msg);
    w.n_features = w.shape.mesh->n_triangles;
    return w;
}

/* ---- the largest separation ---- */

typedef struct axis {
    mrn_vec3 n; /* from the wall to the part */
    double gap;
} axis;

static void try_axis(const thin *w, const mrn_posed *c, mrn_vec3 n, axis *best)
{
    double high = -INFINITY;
    for (int k = 0; k < w->n; k++)
        high = fmax(high, mrn_dot(n, w->p[k]));
    double gap = brute_lowest(c, n) - high;
    if (gap > best->gap)
        *best = (axis){n, gap};
}

static void try_edges(const thin *w, const mrn_posed *c, axis *best)
{
    for (int e = 0; e < c->shape->n_edges; e++) {
        const int32_t *k = c->shape->edge + 4 * (size_t)e;
        mrn_vec3 d = mrn_sub(mrn_posed_point(c, k[1]), mrn_posed_point(c, k[0]));
        for (int i = 0; i < 2; i++) { /* a rectangle has two directions */
            mrn_vec3 n = mrn_cross(d, mrn_sub(w->p[i + 1], w->p[i]));
            if (mrn_norm(n) < 1e-9 * mrn_norm(d))
                continue;
            try_axis(w, c, mrn_unit(n), best);
            try_axis(w, c, mrn_scale(-1, mrn_unit(n)), best);
        }
    }
}

static axis separation(const thin *w, const mrn_posed *c)
{
    axis best = {.gap = -INFINITY};
    try_axis(w, c, w->normal, &best);
    try_axis(w, c, mrn_scale(-1, w->normal), &best);
    for (int f = 0; f < c->shape->n_faces; f++) {
        mrn_vec3 n = mrn_load3(c->shape->plane + 4 * (size_t)f);
        try_axis(w, c, mrn_scale(-1, mrn_posed_turn(c, n)), &best);
    }
    if (w->n == 4)
        try_edges(w, c, &best);
    return best;
}

/* Near an end of the wall, an edge, a corner or the middle; then moved along the best direction
   until it is as deep as wanted. Overlapping the largest separation is exact; moved apart from
   there they stay over each other, and the gap is the distance. False: the wall cuts the part in
   two, and directions change as it is moved. */
static bool put(const thin *w, mrn_posed *c, mrn_rng *r, double want)
{
    int k = (int)(mrn_rng_uniform(r) * w->n), next = (k + 1) % w->n;
    double t = mrn_rng_uniform(r) < 0.5 ? 0 : mrn_rng_uniform(r);
    c->x = mrn_axpy(t, mrn_sub(w->p[next], w->p[k]), w->p[k]);
    mrn_vec3 aside = random_in(r, 1.2 * c->scale * c->shape->bound);
    c->x = mrn_add(c->x, w->n == 2 ? mrn_v3(aside.x, aside.y, 0) : aside);
    axis a = separation(w, c);
    if (a.gap > 0)
        return false;
    for (int i = 0; i < 4 && a.gap < -0.01; i++) {
        c->x = mrn_axpy(-0.01 - a.gap, a.n, c->x);
        a = separation(w, c);
    }
    if (a.gap > 0)
        return false;
    c->x = mrn_axpy(want - a.gap, a.n, c->x);
    return want > 0 || fabs(separation(w, c).gap - want) < 1e-9;
}

typedef struct tally {
    int64_t tried, met, lost, off;
} tally;

static void check(const thin *w, const mrn_posed *c, double want, double alert, tally *sum)
{
    static mrn_contact_point m[MOST_FOUND];
    int n = 0;
    for (int k = 0; k < w->n_features; k++) {
        assert_true(n + MRN_NARROW_MAX <= MOST_FOUND);
        n += mrn_narrow_wall(c, &w->shape, w->x, w->q, k, alert, m + n);
    }
    for (int k = 0; k < n; k++)
        check_contact_point(&m[k]);
    sum->met++;
    sum->lost += n == 0;
    /* of directions that differ by less either will do: a hundredth of the alert distance */
    bool good = false;
    for (int k = 0; k < n; k++)
        good = good || fabs(m[k].gap - want) < 0.02 * alert + 2e-3 * fabs(want);
    sum->off += n > 0 && !good;
}

static void check_all(const char *name, int dimension, thin (*make)(mrn_rng *), int64_t few,
                      tally *sum)
{
    mrn_rng r = mrn_rng_seed(77, (uint64_t)dimension);
    double alert = 0.02;
    mrn_polytope f = {0};
    mrn_message msg = {0};
    for (int64_t i = 0, n = fuzz_count(few); i < n; i++) {
        thin w = make(&r);
        hand h;
        if (dimension == 2) {
            hand_random(&h, &r, 3 + (int)(mrn_rng_uniform(&r) * 8));
        } else if (i % 20 == 0) {
            mrn_random_polytope p = {.elongation = uniform(&r, 0.3, 1),
                                     .flatness = uniform(&r, 0.3, 1),
                                     .angularity = mrn_rng_uniform(&r),
                                     .seed = (uint64_t)i};
            mrn_polytope_release(&f);
            ok(i % 40 == 0 ? mrn_polytope_random(3, &p, &f, &msg)
                           : mrn_polytope_regular(i % 80 == 20 ? "cube" : "tetrahedron", &f, &msg),
               &msg);
        }
        mrn_quat q = dimension == 2 ? about_z(uniform(&r, 0, 7)) : random_turn(&r);
        if (i % 5 == 0) /* along the wall */
            q = w.q;
        if (dimension == 2 && i % 5 == 0) {
            hand_rectangle(&h, 0.7, 0.4);
            q = about_z(atan2(w.normal.y, w.normal.x));
        }
        mrn_posed c = mrn_posed_make(dimension == 2 ? &h.c : &f.part[0], mrn_v3(0, 0, 0), q,
                                     uniform(&r, 0.2, 1));
        double want = uniform(&r, -0.02, 0.015);
        sum->tried++;
        if (put(&w, &c, &r, want))
            check(&w, &c, want, alert, sum);
        mrn_shape_release(&w.shape);
    }
    mrn_polytope_release(&f);
    printf("%s: %lld poses, %lld in reach, %lld lost, %lld at another depth\n", name,
           (long long)sum->tried, (long long)sum->met, (long long)sum->lost, (long long)sum->off);
}

static thin plate_2d(mrn_rng *r)
{
    return plate(2, r);
}

static thin plate_3d(mrn_rng *r)
{
    return plate(3, r);
}

static void plates_in_2d(void **state)
{
    (void)state;
    tally t = {0};
    check_all("polygons on plates", 2, plate_2d, 20000, &t);
    assert_true(t.met > t.tried / 10);
    assert_int_equal(t.lost, 0);
    assert_int_equal(t.off, 0);
}

static void plates_in_3d(void **state)
{
    (void)state;
    tally t = {0};
    check_all("polyhedra on plates", 3, plate_3d, 10000, &t);
    assert_true(t.met > t.tried / 10);
    assert_int_equal(t.lost, 0);
    assert_int_equal(t.off, 0);
}

static void open_meshes(void **state)
{
    (void)state;
    tally t = {0};
    check_all("polyhedra on open meshes", 3, mesh_plate, 5000, &t);
    assert_true(t.met > t.tried / 10);
    /* triangles know their neighbours only: of 34,000 poses in reach one is lost */
    assert_true(t.lost <= t.met / 20000);
    assert_true(t.off <= t.met / 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_in_2d),
        cmocka_unit_test(plates_in_3d),
        cmocka_unit_test(open_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
