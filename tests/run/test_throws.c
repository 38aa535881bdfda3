/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons and polyhedra thrown at the ends, edges and corners of plates and open meshes, under
   both methods that know them, at several steps: none gets through. Looked at from outside: the
   largest separation of grain and wall over all directions that can have it. MRN_FUZZ=N throws N
   of each. */
/* ctest-labels: slow long */
#include "geom/cluster.h"
#include "run/helper.h"

#define RADIUS 2.5e-3

typedef struct throw_case {
    const char *method, *law;
    int dimension;
    bool mesh;
    double step[3], most; /* s; overlap, radii */
} throw_case;

static double between(mrn_rng *r, double a, double b)
{
    return a + (b - a) * mrn_rng_uniform(r);
}

/* A plate of 24 x 24 mm about the origin, its normal along the last axis. */
static int corners(int dimension, mrn_vec3 *p)
{
    static const double at[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 4; k++)
        p[k] = mrn_v3(12e-3 * at[k][0], dimension == 2 ? 0 : 12e-3 * at[k][1], 0);
    return dimension == 2 ? 2 : 4;
}

static void write_mesh(const char *path)
{
    mrn_vec3 p[4];
    corners(3, p);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    static const int corner[6] = {0, 1, 2, 0, 2, 3};
    fputs("solid plate\n", f);
    for (int k = 0; k < 6; k++) {
        mrn_vec3 v = p[corner[k]];
        fprintf(f, "%svertex %.17g %.17g %.17g\n%s",
                k % 3 == 0 ? "facet normal 0 0 1\nouter loop\n" : "", v.x, v.y, v.z,
                k % 3 == 2 ? "endloop\nendfacet\n" : "");
    }
    fputs("endsolid\n", f);
    assert_int_equal(fclose(f), 0);
}

/* ---- scenes ---- */

static void shape_text(const throw_case *t, mrn_rng *r, char *out, size_t size)
{
    int sides = 3 + (int)(5 * mrn_rng_uniform(r));
    if (t->dimension == 2)
        snprintf(out, size, "polygon: {sides: %d, diameter: 5 mm}", sides);
    else if (sides < 5)
        snprintf(out, size, "polyhedron: {regular: %s, diameter: 5 mm}",
                 sides == 3 ? "cube" : "tetrahedron");
    else
        snprintf(out, size,
                 "polyhedron: {random: {elongation: 0.%d, flatness: 0.6}, diameter: 5 mm}", sides);
}

/* From above, at a place of the rim or beside it. */
static void place_text(const throw_case *t, mrn_rng *r, char *out, size_t size)
{
    double x = between(r, 8e-3, 15e-3), y = between(r, -1, 1) < 0 ? x : between(r, -12e-3, 12e-3);
    double v[6];
    for (int k = 0; k < 6; k++)
        v[k] = between(r, -1, 1);
    if (t->dimension == 2)
        snprintf(out, size,
                 "position: [%.17g, 4 mm], velocity: [%.17g, -0.3], rotation: %.17g rad, "
                 "spin: %.17g rad/s",
                 x, 0.1 * v[0], 3.14 * v[1], 60 * v[2]);
    else
        snprintf(out, size,
                 "position: [%.17g, %.17g, 5 mm], velocity: [%.17g, %.17g, -0.3], "
                 "rotation: {axis: [%.17g, %.17g, 0.3], angle: %.17g rad}, spin: [%.17g, %.17g, 9]",
                 x, y, 0.1 * v[0], 0.1 * v[1], v[2], v[3], 3.14 * v[4], 60 * v[5], 60 * v[2]);
}

static void throw_scene(const throw_case *t, mrn_rng *r, double step, const char *mesh, char *out,
                        size_t size)
{
    char shape[200], place[400], wall[300];
    shape_text(t, r, shape, sizeof shape);
    place_text(t, r, place, sizeof place);
    if (t->mesh)
        snprintf(wall, sizeof wall, "mesh: {file: %s}", mesh);
    else
        snprintf(wall, sizeof wall, "plane: {point: %s, normal: %s, length: 24 mm}",
                 t->dimension == 2 ? "[0, 0]" : "[0, 0, 0]",
                 t->dimension == 2 ? "[0, 1]" : "[0, 0, 1]");
    snprintf(out, size,
             "moraine: 1\ndimension: %d\nmethod: %s\n"
             "materials: {g: {density: 2500 kg/m3, young: 20 MPa, poisson: 0.25}}\n"
             "interactions: [{between: any, law: %s, restitution: 0.3, friction: 0.4}]\n"
             "bodies: [{name: p, shape: {%s}, place: {list: [{%s}]}}]\n"
             "walls: [{name: w, %s}]\n"
             "gravity: %s\ntime-step: %.17g s\nstages: [{until: {time: 30 ms}}]\n",
             t->dimension, t->method, t->law, shape, place, wall,
             t->dimension == 2 ? "[0, -9.81]" : "[0, 0, -9.81]", step);
}

/* ---- how deep ---- */

typedef struct body {
    const mrn_convex *shape;
    mrn_vec3 x;
    mrn_quat q;
    double scale;
} body;

static mrn_vec3 corner_of(const body *b, int k)
{
    return mrn_axpy(b->scale, mrn_rotate(b->q, mrn_load3(b->shape->point + 3 * (size_t)k)), b->x);
}

static double separation_along(const body *b, const mrn_vec3 *p, int n, mrn_vec3 w)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < b->shape->n_points; k++)
        low = fmin(low, mrn_dot(w, corner_of(b, k)));
    for (int k = 0; k < n; k++)
        high = fmax(high, mrn_dot(w, p[k]));
    return low - high;
}

static double separation(const body *b, int dimension)
{
    mrn_vec3 p[4], up = dimension == 2 ? mrn_v3(0, 1, 0) : mrn_v3(0, 0, 1);
    int n = corners(dimension, p);
    double most = fmax(separation_along(b, p, n, up), separation_along(b, p, n, mrn_scale(-1, up)));
    for (int f = 0; f < b->shape->n_faces; f++) {
        mrn_vec3 w = mrn_rotate(b->q, mrn_load3(b->shape->plane + 4 * (size_t)f));
        most = fmax(most, separation_along(b, p, n, mrn_scale(-1, w)));
    }
    for (int e = 0; e < b->shape->n_edges; e++) {
        const int32_t *k = b->shape->edge + 4 * (size_t)e;
        mrn_vec3 d = mrn_sub(corner_of(b, k[1]), corner_of(b, k[0]));
        for (int i = 0; i < 2; i++) {
            mrn_vec3 w = mrn_cross(d, mrn_sub(p[i + 1], p[i]));
            if (mrn_norm(w) < 1e-12)
                continue;
            w = mrn_unit(w);
            most = fmax(most, separation_along(b, p, n, w));
            most = fmax(most, separation_along(b, p, n, mrn_scale(-1, w)));
        }
    }
    return most;
}

/* The deepest overlap of a run, in radii. */
static double deepest(const char *text, int dimension)
{
    mrn_scene scene;
    mrn_message msg = {0};
    ok(mrn_scene_read_text(text, "throw", NULL, 0, &scene, &msg), &msg);
    mrn_world *w = NULL;
    ok(mrn_world_create(&scene, &w, &msg), &msg);
    double most = 0;
    while (mrn_world_time(w) < 0.03) {
        ok(mrn_world_step(w, 1, &msg), &msg);
        const mrn_state *s = mrn_world_state(w);
        const mrn_bodies *b = &s->body;
        size_t i = (size_t)b->n_walls;
        body g = {&mrn_world_scene(w)->polytope[b->part[i]].part[0], mrn_load3(b->x + 3 * i),
                  mrn_load_quat(b->q + 4 * i), b->radius[i]};
        most = fmax(most, -separation(&g, dimension) / RADIUS);
    }
    mrn_world_destroy(&w);
    mrn_scene_destroy(&scene);
    return most;
}

static void throw_all(void **state)
{
    (void)state;
    static const throw_case cases[] = {
        {"nonsmooth", "rigid", 2, false, {3e-4, 1e-4, 3e-5}, 0.12},
        {"nonsmooth", "rigid", 3, false, {3e-4, 1e-4, 3e-5}, 0.12},
        {"nonsmooth", "rigid", 3, true, {3e-4, 1e-4, 3e-5}, 0.12},
        {"smooth", "linear, normal-stiffness: 2e6 N/m", 2, false, {3e-6, 2e-6, 1e-6}, 0.12},
        {"smooth", "linear, normal-stiffness: 1e5 N/m", 3, false, {3e-6, 2e-6, 1e-6}, 0.12},
        {"smooth", "linear, normal-stiffness: 1e5 N/m", 3, true, {3e-6, 2e-6, 1e-6}, 0.12},
    };
    const char *many = getenv("MRN_FUZZ");
    folder dir = make_folder();
    char mesh[200], text[4096];
    snprintf(mesh, sizeof mesh, "%s/plate.stl", dir.path);
    write_mesh(mesh);
    int bad = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const throw_case *t = &cases[c];
        double worst = 0;
        int n = many != NULL ? atoi(many) : *t->method == 'n' ? 30 : 2;
        for (int i = 0; i < n; i++) {
            mrn_rng r = mrn_rng_seed(101 + (uint64_t)i, c);
            throw_scene(t, &r, t->step[i % 3], mesh, text, sizeof text);
            double d = deepest(text, t->dimension);
            worst = fmax(worst, d);
            if (d > t->most) {
                bad++;
                printf("%.3f radii deep:\n%s", d, text);
            }
        }
        printf("%s, %dD%s: %d thrown, %.3f radii deep at most\n", t->method, t->dimension,
               t->mesh ? ", mesh" : "", n, worst);
    }
    remove_tree(dir.path);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(throw_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
