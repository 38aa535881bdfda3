/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls of every kind: a flat mesh is a plane, an edge gives no kick, forces on walls answer those
 * on grains, containers hold. */
#include "world.h"
#include <stdlib.h>
#include <unistd.h>

#define G 9.81

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/moraine-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void begin(world *w, const char *law, double mu, double e)
{
    world_begin(w, 3, law, 2500, 1e8, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(w, "normal-stiffness", 1e5);
    world_law(w, "restitution", e);
    world_law(w, "friction", mu);
    w->scene.gravity = mrn_v3(0, 0, -G);
}

static void facet(FILE *f, const double *a, const double *b, const double *c)
{
    fprintf(f, "facet normal 0 0 0\nouter loop\n");
    fprintf(f, "vertex %.17g %.17g %.17g\nvertex %.17g %.17g %.17g\nvertex %.17g %.17g %.17g\n",
            a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]);
    fprintf(f, "endloop\nendfacet\n");
}

/* A sheet z = height(x) over [x0, x0 + nx d] x [y0, y0 + ny d], two triangles per square, diagonals
 * alternating. */
static int sheet(world *w, double x0, double y0, double d, int nx, int ny, double (*height)(double),
                 mrn_vec3 shift)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sheet.stl", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "solid sheet\n");
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            double xa = x0 + i * d, xb = x0 + (i + 1) * d, ya = y0 + j * d, yb = y0 + (j + 1) * d;
            double p[4][3] = {{xa, ya, height(xa)},
                              {xb, ya, height(xb)},
                              {xb, yb, height(xb)},
                              {xa, yb, height(xa)}};
            int k = (i + j) % 2;
            facet(f, p[k], p[k + 1], p[k + 2]);
            facet(f, p[k], p[k + 2], p[(k + 3) % 4]);
        }
    fprintf(f, "endsolid sheet\n");
    fclose(f);
    mrn_wall_def mesh = mrn_wall_default("mesh");
    mrn_wall_set_word(&mesh, "file", path, &w->msg);
    mrn_wall_set_vector(&mesh, "translate", shift, &w->msg);
    int wall = world_wall(w, &mesh);
    unlink(path);
    return wall;
}

static double flat(double x)
{
    (void)x;
    return 0;
}

/* A ridge along y at x = 0, falling by 1 in 4 on both sides: convex seen from above. */
static double ridge(double x)
{
    return -0.25 * fabs(x);
}

static double valley(double x)
{
    return 0.5 * fabs(x);
}

/* The same ball on an infinite plane and on a mesh of 800 triangles: it bounces, slides, rolls
   across edges, diagonals and corners. The contact is one throughout with the same normal; only the
   closest point is computed otherwise, with rounding: 1e-9. If an edge gave a kick or the
   tangential spring were lost at one, the difference would be of order 1e-3. */
static void mesh_is_plane(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        mrn_vec3 x[2][200], spin[2][200];
        for (int k = 0; k < 2; k++) {
            world w;
            double r = 5e-3;
            begin(&w, laws[l], 0.3, 0.6);
            w.scene.gravity = mrn_v3(1.5, 0.3, -G);
            if (k == 0)
                world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
            else
                sheet(&w, -0.02, -0.02, 3e-3, 20, 20, flat, mrn_v3(0, 0, 0));
            mrn_body b = world_grain(&w, r, mrn_v3(-1e-2, -1.1e-2, 1.02 * r), mrn_v3(0.12, 0.05, 0),
                                     mrn_v3(20, -10, 30));
            world_start(&w, 5e-6);
            for (int n = 0; n < 200; n++) {
                world_steps(&w, 100);
                x[k][n] = world_x(&w, b), spin[k][n] = world_w(&w, b);
            }
            assert_true(x[k][199].x > 2e-3 && x[k][199].x < 0.03); /* across 4 squares at least */
            world_end(&w);
        }
        for (int n = 0; n < 200; n++) {
            assert_close(mrn_norm(mrn_sub(x[0][n], x[1][n])), 0, 1e-9 * 5e-3);
            assert_close(mrn_norm(mrn_sub(spin[0][n], spin[1][n])), 0, 1e-9 * 50);
        }
    }
}

/* Over a convex edge: energy, with what is dissipated taken off, never grows. Elastic and without
   friction first, where any kick shows as a change of total energy: the integration's own swing is
   below 1e-5 of the kinetic energy at this step. */
static void convex_edge(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        world w;
        double r = 5e-3;
        begin(&w, "hertz-mindlin", k == 0 ? 0 : 0.4, k == 0 ? 1 : 0.5);
        sheet(&w, -0.03, -0.02, 5e-3, 12, 8, ridge, mrn_v3(0, 0, 0));
        double z = r * sqrt(1 + 0.0625) - 0.25 * 0.012 + (k == 0 ? 1e-6 : 1e-5);
        mrn_body b =
            world_grain(&w, r, mrn_v3(-0.012, 0, z), mrn_v3(0.4, 0.02, 0.1), mrn_v3(0, 0, 0));
        world_start(&w, 1e-6);
        double start = mrn_measure_energies(&w.scene, &w.state).total, top = start,
               kinetic = 0.5 * w.state.body.mass[1] * 0.17;
        for (int n = 0; n < 600; n++) {
            world_steps(&w, 100);
            double e = mrn_measure_energies(&w.scene, &w.state).total;
            assert_true(e < top + 2e-5 * kinetic);
            if (k == 0)
                assert_close(e / kinetic, start / kinetic, 2e-5);
            top = fmin(top, e);
        }
        assert_true(world_x(&w, b).x > 3e-3); /* and the ridge is behind */
        world_end(&w);
    }
}

/* In a valley two facets carry the ball: each with m g / (2 cos a) along its normal. */
static void wedge(void **state)
{
    (void)state;
    world w;
    double r = 5e-3, c = 1 / sqrt(1.25);
    begin(&w, "hertz-mindlin", 0, 0.3);
    sheet(&w, -0.02, -0.02, 5e-3, 8, 8, valley, mrn_v3(0, 0, 0));
    mrn_body b =
        world_grain(&w, r, mrn_v3(1e-4, 1e-4, 1.02 * r / c), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 5e-6);
    world_steps(&w, 60000);
    assert_int_equal(w.state.contacts, 2);
    double weight = w.state.body.mass[1] * G;
    mrn_contacts net = {0};
    ok(mrn_contacts_collect(&w.scene, &w.state, 0, &net, &w.msg), &w.msg);
    assert_int_equal(net.n, 2);
    for (int k = 0; k < 2; k++) {
        assert_close(mrn_norm(mrn_load3(net.force + 3 * k)) / (weight / (2 * c)), 1, 1e-4);
        assert_close(fabs(net.normal[3 * k]), 0.5 * c, 1e-9);
        assert_close(net.normal[3 * k + 2], c, 1e-9);
    }
    mrn_contacts_destroy(&net);
    assert_close(world_x(&w, b).x, 0, 1e-7);
    world_end(&w);
}

static void container(world *w, int kind)
{
    static const char *const type[] = {"box", "cylinder", "cone"};
    double a = 0.02;
    if (kind > 2)
        return;
    mrn_wall_def wall = mrn_wall_default(type[kind]);
    if (kind == 0) {
        mrn_wall_set_box(&wall, "corners", mrn_v3(-a, -a, -a), mrn_v3(a, a, a), &w->msg);
    } else if (kind == 1) {
        mrn_wall_set_vector(&wall, "from", mrn_v3(-a, 0, 0), &w->msg);
        mrn_wall_set_vector(&wall, "to", mrn_v3(a, 0, 0), &w->msg);
        mrn_wall_set(&wall, "radius", a, &w->msg);
    } else {
        mrn_wall_set_vector(&wall, "from", mrn_v3(0, 0, -a), &w->msg);
        mrn_wall_set(&wall, "from-radius", 0.5 * a, &w->msg);
        mrn_wall_set_vector(&wall, "to", mrn_v3(0, 0, 2 * a), &w->msg);
        mrn_wall_set(&wall, "to-radius", 2 * a, &w->msg);
    }
    world_wall(w, &wall);
    if (kind == 2)
        world_plane(w, mrn_v3(0, 0, -a), mrn_v3(0, 0, 1));
}

static bool held(int kind, mrn_vec3 x)
{
    double a = 0.02, rho = hypot(x.x, x.y);
    if (kind == 0)
        return fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) < a;
    if (kind == 1)
        return fabs(x.x) < a && hypot(x.y, x.z) < a;
    return x.z > -a && rho < 0.5 * a + (x.z + a) * 0.5 + 1e-9;
}

/* Containers keep their grains, in motion too: turned (the drum), moved or at rest. The forces on
   the walls and on the grains, less gravity, sum to zero; so do the torques about the origin, wall
   torques being about each wall's centre. Rounding of sums of some dozens of contacts. */
static void containers_hold(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        world w;
        double r = 2e-3;
        begin(&w, "hertz-mindlin", 0.5, 0.6);
        container(&w, kind);
        mrn_motion *m = &w.scene.wall[0].motion;
        m->kind = MRN_MOTION_STEADY;
        m->spin = kind == 0 ? mrn_v3(0, 0, 2) : kind == 1 ? mrn_v3(10, 0, 0) : mrn_v3(0, 0, 5);
        for (int k = 0; k < 75; k++)
            world_grain(
                &w, r * (1 - 0.003 * k),
                mrn_v3((k % 5 - 2) * 2.1 * r, (k / 5 % 5 - 2) * 2.1 * r, (k / 25) * 2.1 * r),
                mrn_v3(0.1 * sin(k), 0.1 * cos(k), 0), mrn_v3(0, 0, 0));
        world_start(&w, 1e-5);
        const mrn_bodies *b = &w.state.body;
        for (int n = 0; n < 100; n++) {
            world_steps(&w, 100);
            mrn_vec3 f = {0, 0, 0}, t = {0, 0, 0};
            double size = 0;
            for (int32_t i = 0; i < b->n; i++) {
                mrn_vec3 x = mrn_load3(b->x + 3 * i), fi = mrn_load3(b->f + 3 * i);
                if (i >= b->n_walls) {
                    fi = mrn_axpy(-b->mass[i], w.scene.gravity, fi);
                    mrn_vec3 seen =
                        kind == 0
                            ? mrn_rotate(
                                  mrn_quat_conj((mrn_quat){b->q[0], b->q[1], b->q[2], b->q[3]}), x)
                            : x;
                    assert_true(held(kind, seen));
                }
                f = mrn_add(f, fi);
                t = mrn_add(t, mrn_add(mrn_load3(b->t + 3 * i), mrn_cross(x, fi)));
                size += mrn_norm(fi) + b->mass[i] * G;
            }
            assert_close(mrn_norm(f) / size, 0, 1e-13);
            assert_close(mrn_norm(t) / (size * 0.02), 0, 1e-13);
        }
        assert_true(w.state.contacts > 10);
        world_end(&w);
    }
}

/* A mesh whose file begins at a corner of the periodic cell is solid all over the cell, not just
   over the half near that corner; and what rolls through the cell's face rolls on as on a plane. */
static void mesh_in_a_cell(void **state)
{
    (void)state;
    mrn_vec3 v[2];
    for (int k = 0; k < 2; k++) {
        world w;
        double r = 2e-3;
        begin(&w, "hertz-mindlin", 0.4, 0.5);
        if (k == 0)
            world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        else
            sheet(&w, 0, 0, 4e-3, 5, 5, flat, mrn_v3(0, 0, 0));
        world_periodic(&w, 0, 0, 0.02), world_periodic(&w, 1, 0, 0.02);
        mrn_body b[4];
        for (int m = 0; m < 4; m++)
            b[m] = world_grain(&w, r, mrn_v3(2.5e-3 + 5e-3 * m, 3e-3 + 4.7e-3 * m, 1.1 * r),
                               mrn_v3(0.2, 0.1, 0), mrn_v3(0, 0, 0));
        world_start(&w, 5e-6);
        world_steps(&w, 30000);
        for (int m = 0; m < 4; m++)
            assert_true(fabs(world_x(&w, b[m]).z / r - 1) < 0.01);
        mrn_vec3 last = world_v(&w, b[3]);
        v[k] = last;
        assert_true(w.state.body.image[3 * mrn_body_index(&w.state, b[3])] > 0);
        world_end(&w);
    }
    assert_close(mrn_norm(mrn_sub(v[0], v[1])), 0, 1e-9);
}

/* A wall that moves under a ball carries it: conveyor, by friction; the work is the wall's and the
   ledger closes. The ball starts with slip u: it ends at 2/7 of the belt's speed (the belt gives it
   velocity and backspin). */
static void conveyor(void **state)
{
    (void)state;
    world w;
    double r = 5e-3, k = 1e5;
    begin(&w, "linear", 0.3, 0.5);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    w.scene.wall[0].motion.kind = MRN_MOTION_STEADY;
    w.scene.wall[0].motion.velocity = mrn_v3(0.1, 0, 0);
    double m = 2500 * 4.0 / 3 * MRN_PI * r * r * r;
    mrn_body b = world_grain(&w, r, mrn_v3(0, 0, r - m * G / k), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 4e-6);
    world_steps(&w, 20000);
    assert_close(world_v(&w, b).x / 0.1, 2.0 / 7, 1e-3);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_true(w.state.ledger.wall_work > 0);
    /* booked from the first step on; second order in the step: (h / 1e-3 s)^2 and the beginning
     * with its first-order start */
    assert_close(e.residual / e.input, 0, 1e-3);
    world_end(&w);
}

/* A floor that turns drags a ball that rests 5 cm from its axis: as long as it slides, the work is
   friction times the way of the floor there, mu m g w d t. The ball gets away by mu g t2/2, 0.05
   mm, and the rim of the contact is where it is to as much. */
static void turntable(void **state)
{
    (void)state;
    world w;
    double r = 5e-3, k = 1e5, mu = 0.1, t = 0.01, spin = 20, d = 0.05;
    begin(&w, "linear", mu, 0.5);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    w.scene.wall[0].motion.kind = MRN_MOTION_STEADY;
    w.scene.wall[0].motion.spin = mrn_v3(0, 0, spin);
    double m = 2500 * 4.0 / 3 * MRN_PI * r * r * r;
    world_grain(&w, r, mrn_v3(d, 0, r - m * G / k), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 4e-6);
    world_steps(&w, 2500);
    double dragged = mu * m * G * spin * d * t;
    assert_close(w.state.ledger.wall_work / dragged, 1, 0.01);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_close(e.residual / e.input, 0, 5e-3);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_plane),  cmocka_unit_test(convex_edge),
        cmocka_unit_test(wedge),          cmocka_unit_test(containers_hold),
        cmocka_unit_test(mesh_in_a_cell), cmocka_unit_test(conveyor),
        cmocka_unit_test(turntable),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
