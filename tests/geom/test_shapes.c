/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every shape: the list, grain measures, placement, closest points against brute force, features,
   bounds, drawable triangles, refused input. */
#include "geom/helper.h"

/* ---- the list ---- */

static void list_is_sound(void **state)
{
    (void)state;
    int n = mrn_shape_type_count();
    assert_true(n > 1);
    assert_null(mrn_shape_type_at(-1));
    assert_null(mrn_shape_type_at(n));
    assert_null(mrn_shape_type_find("no such shape"));
    for (int i = 0; i < n; i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        assert_ptr_equal(mrn_shape_type_find(t->name), t); /* also: no name twice */
        assert_true(t->summary[0] != '\0' && t->doc[0] != '\0');
        assert_true(t->in_2d || t->in_3d);
        assert_true(t->n_params <= MRN_PARAM_MAX);
        assert_true(t->grain == (t->measure != NULL) && t->grain == (t->build == NULL));
        assert_true(t->grain ||
                    (t->triangles != NULL && mrn_wall_lacks(t, MRN_GRAIN_POLYTOPE) == NULL));
        for (int k = 0; k < t->n_params; k++) {
            const mrn_param *p = &t->params[k];
            assert_true(p->name[0] != '\0' && p->unit[0] != '\0' && p->doc[0] != '\0');
            assert_true(p->min <= p->max);
            assert_true((p->kind == MRN_P_CHOICE) == (p->choices != NULL));
            int words = 0;
            while (p->choices != NULL && p->choices[words] != NULL)
                words++;
            assert_true(p->choices == NULL || p->max == words - 1);
        }
    }
    mrn_shape empty = {0};
    mrn_shape_release(&empty);
}

static void grains_have_volume_and_inertia(void **state)
{
    (void)state;
    double volume, inertia;
    /* round-off of a few products */
    mrn_shape_type_find("sphere")->measure(0.3, &volume, &inertia);
    assert_near(volume, 0.113097335529232557, 1e-16);
    assert_near(inertia, 0.036, 1e-17);
    mrn_shape_type_find("disk")->measure(0.3, &volume, &inertia);
    assert_near(volume, 0.282743338823081391, 1e-16);
    assert_near(inertia, 0.045, 1e-17);
    /* polygons, polyhedra and clusters count as the sphere or disk of equal volume */
    double as_sphere, as_disk;
    mrn_shape_measure(mrn_shape_type_find("polyhedron"), 3, 0.3, &as_sphere, &inertia);
    mrn_shape_measure(mrn_shape_type_find("polygon"), 2, 0.3, &as_disk, &inertia);
    assert_near(as_sphere, 0.113097335529232557, 1e-16);
    assert_near(as_disk, volume, 1e-16);
    mrn_shape_measure(mrn_shape_type_find("cluster"), 3, 0.3, &as_sphere, &inertia);
    mrn_shape_measure(mrn_shape_type_find("cluster"), 2, 0.3, &as_disk, &inertia);
    assert_near(as_sphere, 0.113097335529232557, 1e-16);
    assert_near(as_disk, volume, 1e-16);
}

/* ---- surfaces to compare with: one point for u, v in [0, 1], per feature, in the body frame ----
 */

typedef mrn_vec3 (*surface)(const wall *w, int feature, double u, double v);

static mrn_vec3 plate_surface(const wall *w, int feature, double u, double v)
{
    (void)feature;
    double b = w->shape.dimension == 2 ? 0 : 0.3; /* in 2D local y is across the scene */
    return mrn_v3(0.7 * (2 * u - 1), b * (2 * v - 1), 0);
}
/* half sizes of all boxes below: 1, 0.8, 0.6 */
static mrn_vec3 box_surface(const wall *w, int feature, double u, double v)
{
    const double h[3] = {1, 0.8, w->shape.dimension == 2 ? 0 : 0.6};
    double x[3];
    int axis = feature / 2;
    x[axis] = feature % 2 ? h[axis] : -h[axis];
    x[(axis + 1) % 3] = h[(axis + 1) % 3] * (2 * u - 1);
    x[(axis + 2) % 3] = h[(axis + 2) % 3] * (2 * v - 1);
    return mrn_load3(x);
}
/* radius 0.5, half length 0.9 */
static mrn_vec3 cylinder_surface(const wall *w, int feature, double u, double v)
{
    double a = 2 * MRN_PI * u, z = w->shape.dimension == 2 ? 0 : 0.9;
    if (feature == 0)
        return mrn_v3(0.5 * cos(a), 0.5 * sin(a), z * (2 * v - 1));
    return mrn_v3(0.5 * v * cos(a), 0.5 * v * sin(a), feature == 1 ? -z : z);
}
/* radii 0.2 and 0.8, half length 0.5 */
static mrn_vec3 cone_surface(const wall *w, int feature, double u, double v)
{
    (void)w, (void)feature;
    double a = 2 * MRN_PI * u, rho = 0.2 + 0.6 * v;
    return mrn_v3(rho * cos(a), rho * sin(a), v - 0.5);
}

enum { GRID = 160 };
/* Any point of the surface is within this of a sample: half a cell along u (at most pi wide in all:
   the circle of radius 1/2, or 1.6 pi for the cone) and along v (at most 2 wide). */
#define SPACING (hypot(0.5 * 1.6 * MRN_PI, 0.5 * 2.0) / GRID * 1.01)

static double sampled_distance(const wall *w, surface f, int feature, mrn_vec3 c)
{
    double least = INFINITY;
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++)
            least = fmin(least, apart(c, f(w, feature, (double)i / GRID, (double)j / GRID)));
    return least;
}

/* What must hold for any feature: unit normal, c = point + distance normal, and the point is on the
 * surface. */
static void check_consistent(const wall *w, int feature, mrn_vec3 c)
{
    mrn_vec3 p, n, p2, n2;
    const mrn_shape_type *t = w->type;
    double d = t->closest(&w->shape, feature, c, &p, &n);
    assert_near(mrn_norm(n), 1, 1e-14);
    assert_true(apart(mrn_axpy(d, n, p), c) < 1e-14); /* sizes about 1: a few rounding errors */
    assert_true(fabs(t->closest(&w->shape, feature, p, &p2, &n2)) < 1e-14);
}

/* |distance| is the least distance to the surfaces of `features` (all that make up the wall's skin,
   from `first` on), from below by the spacing of the samples. */
static void check_distance(wall *w, surface f, int feature, int first, int n)
{
    mrn_rng r = mrn_rng_seed(7, (uint64_t)feature);
    for (int k = 0; k < 25; k++) {
        mrn_vec3 c = point_in(&r, -1.6, 1.6), p, normal;
        if (w->shape.dimension == 2)
            *(strcmp(w->type->name, "plane") == 0 ? &c.y : &c.z) = 0;
        double d = fabs(w->type->closest(&w->shape, feature, c, &p, &normal));
        double sampled = INFINITY;
        for (int s = first; s < first + n; s++)
            sampled = fmin(sampled, sampled_distance(w, f, s, c));
        assert_true(d <= sampled + 1e-12);
        assert_true(d >= sampled - SPACING);
        check_consistent(w, feature, c);
    }
}

static wall make_box(int dimension, bool inside, const char *open)
{
    wall w = wall_of("box");
    set_box(&w, "corners", mrn_v3(3, 1.6, 1.2), mrn_v3(1, 0, 0));
    set_flag(&w, "inside", inside);
    set_choice(&w, "open", open);
    assert_int_equal(build(&w, dimension), MRN_OK);
    assert_true(apart(w.x, mrn_v3(2, 0.8, dimension == 2 ? 0 : 0.6)) < 1e-15);
    return w;
}

static wall make_cylinder(bool inside, const char *open)
{
    wall w = wall_of("cylinder");
    set_vector(&w, "from", 1, 2, 3);
    set_vector(&w, "to", 1 + 1.8 * 0.6, 2, 3 + 1.8 * 0.8);
    set_number(&w, "radius", 0.5);
    set_flag(&w, "inside", inside);
    set_choice(&w, "open", open);
    assert_int_equal(build(&w, 3), MRN_OK);
    return w;
}

static wall make_cone(void)
{
    wall w = wall_of("cone");
    set_vector(&w, "from", 0, 0, 1);
    set_vector(&w, "to", 0, 0, 2);
    set_number(&w, "from-radius", 0.2);
    set_number(&w, "to-radius", 0.8);
    assert_int_equal(build(&w, 3), MRN_OK);
    return w;
}

static wall make_plate(int dimension)
{
    wall w = wall_of("plane");
    set_vector(&w, "point", 1, 2, 0);
    set_vector(&w, "normal", 3, 4, 0);
    set_number(&w, "length", 1.4);
    if (dimension == 3)
        set_number(&w, "width", 0.6);
    assert_int_equal(build(&w, dimension), MRN_OK);
    return w;
}

static void thin_shells_against_samples(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        wall plate = make_plate(dimension);
        check_distance(&plate, plate_surface, 0, 0, 1);
        wall box = make_box(dimension, true, "top");
        for (int f = 0; f < 2 * dimension; f++)
            check_distance(&box, box_surface, f, f, 1);
    }
    wall tube = make_cylinder(true, "to");
    for (int f = 0; f < 3; f++)
        check_distance(&tube, cylinder_surface, f, f, 1);
    wall cone = make_cone();
    check_distance(&cone, cone_surface, 0, 0, 1);
}

static void solids_against_samples(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        wall block = make_box(dimension, false, "none");
        check_distance(&block, box_surface, 0, 0, 2 * dimension);
        mrn_vec3 p, n;
        /* nearest face is +y (0.1 away); and out of the edge towards (1, 1) */
        double d = block.type->closest(&block.shape, 0, mrn_v3(0.5, 0.7, 0), &p, &n);
        assert_near(d, -0.1, 1e-15);
        assert_true(apart(n, mrn_v3(0, 1, 0)) == 0);
        d = block.type->closest(&block.shape, 0, mrn_v3(1.3, 1.2, 0), &p, &n);
        assert_near(d, 0.5, 1e-15);
        assert_true(apart(n, mrn_v3(0.6, 0.8, 0)) < 1e-15);
    }
    wall rod = make_cylinder(false, "none");
    check_distance(&rod, cylinder_surface, 0, 0, 3);
    mrn_vec3 p, n;
    assert_near(rod.type->closest(&rod.shape, 0, mrn_v3(0, 0.1, 0.8), &p, &n), -0.1, 1e-15);
    assert_true(n.z == 1);
    assert_near(rod.type->closest(&rod.shape, 0, mrn_v3(0, 0.45, 0), &p, &n), -0.05, 1e-15);
    assert_true(n.y == 1);
}

static void closed_containers_push_inwards(void **state)
{
    (void)state;
    mrn_vec3 p, n;
    for (int dimension = 2; dimension <= 3; dimension++) {
        wall box = make_box(dimension, true, "none");
        const double h[3] = {1, 0.8, 0.6};
        mrn_rng r = mrn_rng_seed(3, 0);
        for (int k = 0; k < 100; k++) {
            mrn_vec3 c = point_in(&r, -2, 2); /* inside and outside */
            double x[3] = {c.x, c.y, c.z};
            for (int f = 0; f < 2 * dimension; f++) {
                double d = box.type->closest(&box.shape, f, c, &p, &n);
                double side = f % 2 ? -1 : 1;
                assert_near(d, h[f / 2] + side * x[f / 2], 1e-15);
                assert_near((&n.x)[f / 2], side, 0);
                check_consistent(&box, f, c);
            }
        }
    }
    wall drum = make_cylinder(true, "none");
    assert_near(drum.type->closest(&drum.shape, 0, mrn_v3(0.7, 0, 5), &p, &n), -0.2, 1e-15);
    assert_true(n.x == -1 && p.x == 0.5 && p.z == 5);
    assert_near(drum.type->closest(&drum.shape, 1, mrn_v3(0, 0, -0.8), &p, &n), 0.1, 1e-15);
    assert_true(n.z == 1);
    assert_near(drum.type->closest(&drum.shape, 2, mrn_v3(0, 0, 1), &p, &n), -0.1, 1e-15);
    assert_true(n.z == -1);
    check_consistent(&drum, 0, mrn_v3(0, 0, 0)); /* on the axis any direction will do, but one */
}

static void circle_in_2d(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        wall w = wall_of("cylinder");
        set_vector(&w, "point", 2, 1, 0);
        set_number(&w, "radius", 0.5);
        set_flag(&w, "inside", inside);
        assert_int_equal(build(&w, 2), MRN_OK);
        assert_true(apart(w.x, mrn_v3(2, 1, 0)) == 0);
        check_distance(&w, cylinder_surface, 0, 0, 1);
        mrn_vec3 p, n;
        double d = w.type->closest(&w.shape, 0, mrn_v3(0.3, 0.4 + 0.25, 0), &p, &n);
        assert_true((d < 0) == inside);
        int32_t f[4];
        assert_int_equal(w.type->features(&w.shape, mrn_v3(0, 0.4, 0), 0.2, f, 4), 1);
    }
}

static void infinite_walls(void **state)
{
    (void)state;
    wall w = wall_of("plane");
    set_vector(&w, "point", 1, 2, 3);
    set_vector(&w, "normal", 1, -2, 2);
    assert_int_equal(build(&w, 3), MRN_OK);
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int k = 0; k < 100; k++) {
        mrn_vec3 world = point_in(&r, -3, 3), p, n;
        mrn_vec3 c = mrn_rotate(mrn_quat_conj(w.q), mrn_sub(world, w.x));
        double d = w.type->closest(&w.shape, 0, c, &p, &n);
        /* the formula n . (x - point) in the world frame; rotation costs a few rounding errors of
         * size 5 */
        double expected = (world.x - 1 - 2 * (world.y - 2) + 2 * (world.z - 3)) / 3;
        assert_near(d, expected, 1e-14);
        assert_true(apart(mrn_rotate(w.q, n), mrn_v3(1.0 / 3, -2.0 / 3, 2.0 / 3)) < 1e-14);
    }
    wall tube = wall_of("cylinder");
    set_vector(&tube, "point", 0, 1, 0);
    set_vector(&tube, "axis", 0, 2, 0);
    set_number(&tube, "radius", 2);
    assert_int_equal(build(&tube, 3), MRN_OK);
    mrn_vec3 p, n, c = mrn_rotate(mrn_quat_conj(tube.q), mrn_sub(mrn_v3(0.6, 77, 0.8), tube.x));
    /* coordinates of 76 m carry rounding errors of 1e-14 */
    assert_near(tube.type->closest(&tube.shape, 0, c, &p, &n), 1, 1e-13);
    assert_true(apart(mrn_rotate(tube.q, n), mrn_v3(-0.6, 0, -0.8)) < 1e-13);
    mrn_vec3 lo, hi;
    tube.type->bounds(&tube.shape, &lo, &hi);
    assert_true(isinf(lo.z) && isinf(hi.z) && hi.x == 2);
}

/* ---- placement ---- */

static void frames_take_local_axes_to_the_world(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(11, 0);
    for (int k = 0; k < 200; k++) {
        mrn_vec3 n = k < 6 ? mrn_v3(k == 0   ? 1
                                    : k == 1 ? -1
                                             : 0,
                                    k == 2   ? 1
                                    : k == 3 ? -1
                                             : 0,
                                    k == 4   ? 1
                                    : k == 5 ? -1
                                             : 0)
                           : point_in(&r, -1, 1);
        int dimension = k % 2 == 0 || n.z * n.z > 0.9 ? 3 : 2;
        wall w = wall_of("plane");
        set_vector(&w, "point", 0, 0, 0);
        set_vector(&w, "normal", n.x, n.y, n.z);
        assert_int_equal(build(&w, dimension), MRN_OK);
        n.z = dimension == 2 ? 0 : n.z;
        assert_true(apart(mrn_rotate(w.q, mrn_v3(0, 0, 1)), mrn_unit(n)) < 1e-14);
        mrn_vec3 y = mrn_rotate(w.q, mrn_v3(0, 1, 0));
        if (dimension == 2) /* the plate's length lies in the scene, its width does not */
            assert_true(apart(y, mrn_v3(0, 0, -1)) < 1e-14);
    }
}

static void plate_length_follows_along(void **state)
{
    (void)state;
    wall w = make_plate(3);
    memset(&w.shape, 0, sizeof w.shape);
    set_vector(&w, "along", 1, 1, 5);
    assert_int_equal(build(&w, 3), MRN_OK);
    mrn_vec3 n = mrn_v3(0.6, 0.8, 0), a = mrn_v3(1, 1, 5);
    mrn_vec3 expected = mrn_unit(mrn_axpy(-mrn_dot(a, n), n, a));
    assert_true(apart(mrn_rotate(w.q, mrn_v3(1, 0, 0)), expected) < 1e-14);
    /* without it the x axis gives the direction: upright plate facing z has its length along x */
    wall flat = wall_of("plane");
    set_vector(&flat, "point", 0, 0, 0);
    set_vector(&flat, "normal", 0, 0, 1);
    set_number(&flat, "length", 2);
    assert_int_equal(build(&flat, 3), MRN_OK);
    assert_true(flat.q.w == 1);
    assert_near(flat.shape.p[1], 1, 0); /* square when no width is given */
}

/* ---- features, bounds, triangles: for a list of walls ---- */

typedef wall (*maker)(void);
static wall plate3(void)
{
    return make_plate(3);
}
static wall plate2(void)
{
    return make_plate(2);
}
static wall plane3(void)
{
    wall w = wall_of("plane");
    set_vector(&w, "point", 0, 0, 0);
    set_vector(&w, "normal", 0, 0, 1);
    assert_int_equal(build(&w, 3), MRN_OK);
    return w;
}
static wall plane2(void)
{
    wall w = wall_of("plane");
    set_vector(&w, "point", 0, 0, 0);
    set_vector(&w, "normal", 1, 1, 0);
    assert_int_equal(build(&w, 2), MRN_OK);
    return w;
}
static wall box3(void)
{
    return make_box(3, true, "none");
}
static wall box2(void)
{
    return make_box(2, true, "none");
}
static wall open3(void)
{
    return make_box(3, true, "top");
}
static wall open2(void)
{
    return make_box(2, true, "x");
}
static wall block3(void)
{
    return make_box(3, false, "none");
}
static wall block2(void)
{
    return make_box(2, false, "none");
}
static wall drum(void)
{
    return make_cylinder(true, "none");
}
static wall cup(void)
{
    return make_cylinder(true, "to");
}
static wall tube(void)
{
    return make_cylinder(true, "both");
}
static wall rod(void)
{
    return make_cylinder(false, "none");
}
static wall circle(void)
{
    wall w = wall_of("cylinder");
    set_vector(&w, "point", 0, 0, 0);
    set_number(&w, "radius", 0.5);
    assert_int_equal(build(&w, 2), MRN_OK);
    return w;
}
/* wall, features in all as a mask, triangles drawn */
static const struct {
    maker make;
    int mask, triangles;
} walls[] = {
    {plate3, 1, 2},    {plate2, 1, 2},   {plane3, 1, 2},      {plane2, 1, 2},
    {box3, 0x3f, 12},  {box2, 0xf, 8},   {open3, 0x1f, 10},   {open2, 0xc, 4},
    {block3, 1, 12},   {block2, 1, 8},   {drum, 7, 4 * 64},   {cup, 3, 3 * 64},
    {tube, 1, 2 * 64}, {rod, 1, 4 * 64}, {circle, 1, 2 * 64}, {make_cone, 1, 2 * 64},
};
enum { N_WALLS = sizeof walls / sizeof walls[0] };

static void features_are_complete_and_ascending(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(13, 0);
    for (int i = 0; i < N_WALLS; i++) {
        wall w = walls[i].make();
        for (int k = 0; k < 500; k++) {
            mrn_vec3 c = point_in(&r, -1.5, 1.5), p, n;
            double reach = between(&r, 0, 1);
            int32_t expected[8], got[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
            int m = 0;
            for (int f = 0; f < 6; f++)
                if (walls[i].mask & 1 << f && w.type->closest(&w.shape, f, c, &p, &n) <= reach)
                    expected[m++] = f;
            assert_int_equal(w.type->features(&w.shape, c, reach, got, 8), m);
            assert_memory_equal(got, expected, (size_t)m * sizeof *got);
            int32_t few[2] = {-1, -7};
            assert_int_equal(w.type->features(&w.shape, c, reach, few, 1), m);
            assert_true(few[1] == -7 && (m == 0 || few[0] == expected[0]));
        }
    }
}

/* Points of the drawn triangles are on the wall, within the bounds, and lie where the extent says.
 */
static void triangles_lie_on_the_wall(void **state)
{
    (void)state;
    for (int i = 0; i < N_WALLS; i++) {
        wall w = walls[i].make();
        mrn_triangles t;
        mrn_vec3 lo, hi;
        assert_int_equal(w.type->triangles(&w.shape, 5, 0.25, &t), MRN_OK);
        w.type->bounds(&w.shape, &lo, &hi);
        assert_int_equal(t.n_triangles, walls[i].triangles);
        for (int k = 0; k < t.n_points; k++) {
            mrn_vec3 c = mrn_load3(t.point + 3 * k), p, n;
            double least = INFINITY;
            for (int f = 0; f < 6; f++)
                if (walls[i].mask & 1 << f)
                    least = fmin(least, fabs(w.type->closest(&w.shape, f, c, &p, &n)));
            assert_true(least < 1e-14);
            for (int a = 0; a < 3; a++) { /* 1e-15: cos^2 + sin^2 of a ring */
                assert_true((&c.x)[a] >= (&lo.x)[a] - 1e-15 && (&c.x)[a] <= (&hi.x)[a] + 1e-15);
                assert_true(fabs((&c.x)[a]) <= 5);
            }
        }
        for (int k = 0; k < 3 * t.n_triangles; k++)
            assert_in_range(t.corner[k], 0, t.n_points - 1);
        for (int k = 0; k < t.n_triangles; k++) {
            mrn_vec3 a = mrn_load3(t.point + 3 * t.corner[3 * k]);
            mrn_vec3 b = mrn_load3(t.point + 3 * t.corner[3 * k + 1]);
            mrn_vec3 c = mrn_load3(t.point + 3 * t.corner[3 * k + 2]);
            assert_true(mrn_norm(mrn_cross(mrn_sub(b, a), mrn_sub(c, a))) > 1e-6);
        }
        mrn_free(t.point);
        mrn_free(t.corner);
    }
}

static void triangles_survive_failing_memory(void **state)
{
    (void)state;
    size_t before = mrn_bytes_in_use();
    for (int i = 0; i < N_WALLS; i++)
        for (int k = 1; k <= 2; k++) {
            wall w = walls[i].make();
            mrn_triangles t;
            mrn_alloc_fail_at(k);
            assert_int_equal(w.type->triangles(&w.shape, 5, 0.25, &t), MRN_ERR_MEMORY);
            mrn_alloc_fail_at(0);
            assert_true(t.point == NULL && t.corner == NULL);
        }
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* ---- refused input ---- */

static void refused(wall *w, int dimension, const char *name, const char *part)
{
    assert_int_equal(build(w, dimension), MRN_ERR_INPUT);
    assert_int_equal(w->type->build(w->value, dimension, &w->shape, &w->x, &w->q, NULL),
                     MRN_ERR_INPUT);
    if (strstr(w->msg.text, part) == NULL)
        fail_msg("'%s' does not mention '%s'", w->msg.text, part);
    assert_int_equal(w->msg.line, value_of(w, name)->line);
}

static void bad_planes_are_refused(void **state)
{
    (void)state;
    wall w = plane3();
    set_vector(&w, "normal", 0, 0, 0);
    refused(&w, 3, "normal", "length zero");
    w = plane3(); /* in 2D a normal along z has no direction in the scene */
    refused(&w, 2, "normal", "length zero");
    w = plane3();
    set_vector(&w, "point", NAN, 0, 0);
    refused(&w, 3, "point", "finite");
    w = plane3();
    set_number(&w, "length", -1);
    refused(&w, 3, "length", "above zero");
    w = plane3();
    set_number(&w, "width", 1);
    refused(&w, 3, "width", "`length` is missing");
    w = plate2();
    set_number(&w, "width", 1);
    refused(&w, 2, "width", "2D");
    w = plate3();
    set_vector(&w, "along", -6, -8, 0);
    refused(&w, 3, "along", "parallel");
}

static void bad_round_walls_are_refused(void **state)
{
    (void)state;
    wall w = drum();
    set_vector(&w, "to", 1, 2, 3);
    refused(&w, 3, "to", "same point");
    w = drum();
    set_vector(&w, "axis", 1, 0, 0);
    refused(&w, 3, "axis", "one too many");
    w = circle();
    refused(&w, 3, "radius", "`axis` is missing");
    w = drum();
    w.value[1].given = false; /* to */
    refused(&w, 3, "from", "`to` is missing");
    w = drum();
    set_number(&w, "radius", 0);
    refused(&w, 3, "radius", "above zero");
    w = drum();
    refused(&w, 2, "from", "circle");
    w = circle();
    w.value[2].given = false; /* point */
    refused(&w, 2, "radius", "`point` is missing");
    w = rod();
    set_choice(&w, "open", "both");
    refused(&w, 3, "open", "containers");
    w = make_cone();
    set_number(&w, "from-radius", 0);
    assert_int_equal(build(&w, 3), MRN_OK); /* pointed */
    set_number(&w, "to-radius", 0);
    refused(&w, 3, "to-radius", "zero");
    w = make_cone();
    refused(&w, 2, "from", "3D");
}

static void bad_boxes_are_refused(void **state)
{
    (void)state;
    wall w = box3();
    set_box(&w, "corners", mrn_v3(0, 0, 0), mrn_v3(1, 0, 1));
    refused(&w, 3, "corners", "no extent in y");
    set_box(&w, "corners", mrn_v3(0, 0, 0), mrn_v3(1, INFINITY, 1));
    refused(&w, 3, "corners", "finite");
    set_box(&w, "corners", mrn_v3(0, 0, 0), mrn_v3(1, 1, 0)); /* flat is right in 2D */
    assert_int_equal(build(&w, 2), MRN_OK);
    w = block3();
    set_choice(&w, "open", "top");
    refused(&w, 3, "open", "solid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_is_sound),
        cmocka_unit_test(grains_have_volume_and_inertia),
        cmocka_unit_test(thin_shells_against_samples),
        cmocka_unit_test(solids_against_samples),
        cmocka_unit_test(closed_containers_push_inwards),
        cmocka_unit_test(circle_in_2d),
        cmocka_unit_test(infinite_walls),
        cmocka_unit_test(frames_take_local_axes_to_the_world),
        cmocka_unit_test(plate_length_follows_along),
        cmocka_unit_test(features_are_complete_and_ascending),
        cmocka_unit_test(triangles_lie_on_the_wall),
        cmocka_unit_test(triangles_survive_failing_memory),
        cmocka_unit_test(bad_planes_are_refused),
        cmocka_unit_test(bad_round_walls_are_refused),
        cmocka_unit_test(bad_boxes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
