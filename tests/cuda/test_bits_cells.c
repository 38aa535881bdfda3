/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that strain and servos on a device: the bits of the processor, as in test_bits.c, and lists
   that last. MRN_TEST_DEVICE=cuda and MRN_TEST_STEPS as there. */
/* ctest-labels: slow */
/* ctest-timeout: 120 */
#include <unistd.h>

#include "bits.h"
#include "clusters.h"

typedef struct scene_def {
    const char *name, *normal, *tangential;
    bool flat;         /* disks in the plane                           */
    bool walls;        /* floor and lid across the last direction       */
    bool mesh;         /* the floor is hills of triangles, fine and coarse */
    bool shaken;       /* it moves and turns                            */
    double load;       /* Pa that the lid bears; 0: it stands           */
    bool aslant;       /* not along its normal                          */
    bool stress;       /* the diagonal is held by stress                */
    double rate[6];    /* other components                              */
    const char *swing; /* rate xy as an expression                      */
    bool pulled, fixed, second, euler;
    bool rigid; /* every other grain is a cluster */
} scene_def;

static const scene_def scenes[] = {
    {.name = "sheared and squeezed, turned back, gravity",
     .normal = "linear",
     .tangential = "linear-friction",
     .rate = {-20, 0, 0, 450, 150, -300}},
    {.name = "a shear that swings, hertz-mindlin, pulled, some fixed, two materials",
     .normal = "tsuji",
     .tangential = "mindlin",
     .rate = {0, 0, -10},
     .swing = "500*cos(4000*t)",
     .pulled = true,
     .fixed = true,
     .second = true},
    {.name = "disks sheared in the plane",
     .normal = "linear",
     .tangential = "linear-friction",
     .flat = true,
     .rate = {-10, -10, 0, 400}},
    {.name = "sheared between floor and lid",
     .normal = "viscoelastic",
     .tangential = "mindlin",
     .walls = true,
     .rate = {-20, 0, 0, 450}},
    {.name = "held by stress, hertz-mindlin",
     .normal = "tsuji",
     .tangential = "mindlin",
     .stress = true},
    {.name = "sheared under stress, linear",
     .normal = "linear",
     .tangential = "linear-friction",
     .stress = true,
     .rate = {0, 0, 0, 100}},
    {.name = "disks under stress, sheared",
     .normal = "linear",
     .tangential = "linear-friction",
     .flat = true,
     .stress = true,
     .rate = {0, 0, 0, 200}},
    {.name = "held by stress between floor and lid",
     .normal = "zheng",
     .tangential = "zheng",
     .walls = true,
     .stress = true},
    {.name = "a lid that bears a load aslant, hertz-mindlin",
     .normal = "tsuji",
     .tangential = "mindlin",
     .walls = true,
     .load = 400,
     .aslant = true},
    {.name = "a lid that bears a load on a sheared cell, elastic-viscous",
     .normal = "elastic-viscous",
     .tangential = "linear-friction",
     .walls = true,
     .load = 400,
     .rate = {-10, 0, 0, 300}},
    {.name = "a lid that bears a load, walton-braun",
     .normal = "walton-braun",
     .walls = true,
     .load = 400,
     .second = true,
     .fixed = true},
    {.name = "lid and cell under load, simple micro-slip",
     .normal = "viscoelastic",
     .tangential = "micro-slip-simple",
     .walls = true,
     .load = 400,
     .stress = true},
    {.name = "hills of triangles, hertz-mindlin",
     .normal = "tsuji",
     .tangential = "mindlin",
     .mesh = true},
    {.name = "hills of triangles that are shaken and turn, linear",
     .normal = "linear",
     .tangential = "linear-friction",
     .mesh = true,
     .shaken = true},
    {.name = "hills of triangles under a lid that bears a load, periodic",
     .normal = "tsuji",
     .tangential = "mindlin",
     .mesh = true,
     .walls = true,
     .load = 400},
    {.name = "lid and cell under load",
     .normal = "hertz",
     .tangential = NULL,
     .walls = true,
     .load = 400,
     .stress = true},
    {.name = "sheared by Euler's rule",
     .normal = "linear",
     .tangential = "linear-friction",
     .euler = true,
     .rate = {-20, 0, 0, 450, 150, -300}},
    {.name = "under stress by Euler's rule, between floor and lid",
     .normal = "tsuji",
     .tangential = "mindlin",
     .walls = true,
     .stress = true,
     .euler = true},
    {.name = "clusters, sheared and squeezed, turned back, gravity",
     .normal = "linear",
     .tangential = "linear-friction",
     .rigid = true,
     .rate = {-20, 0, 0, 450, 150, -300}},
    {.name = "clusters, a shear that swings, pulled, some fixed, two materials",
     .normal = "tsuji",
     .tangential = "mindlin",
     .rate = {0, 0, -10},
     .swing = "150*cos(4000*t)",
     .pulled = true,
     .fixed = true,
     .second = true,
     .rigid = true},
    {.name = "clusters of disks sheared in the plane",
     .normal = "linear",
     .tangential = "linear-friction",
     .flat = true,
     .rigid = true,
     .rate = {-10, -10, 0, 400}},
    {.name = "clusters sheared between floor and lid",
     .normal = "viscoelastic",
     .tangential = "mindlin",
     .walls = true,
     .rigid = true,
     .rate = {-20, 0, 0, 450}},
    {.name = "clusters sheared under stress, linear",
     .normal = "linear",
     .tangential = "linear-friction",
     .stress = true,
     .rigid = true,
     .rate = {0, 0, 0, 100}},
    {.name = "clusters under lid and cell that bear loads, some fixed",
     .normal = "hertz",
     .tangential = NULL,
     .walls = true,
     .load = 400,
     .stress = true,
     .fixed = true,
     .rigid = true},
    {.name = "clusters under a lid that bears a load aslant, hertz-mindlin",
     .normal = "tsuji",
     .tangential = "mindlin",
     .walls = true,
     .load = 400,
     .aslant = true,
     .rigid = true},
    {.name = "clusters on hills of triangles that are shaken and turn",
     .normal = "linear",
     .tangential = "linear-friction",
     .mesh = true,
     .shaken = true,
     .rigid = true},
    {.name = "clusters sheared by Euler's rule",
     .normal = "linear",
     .tangential = "linear-friction",
     .euler = true,
     .rigid = true,
     .rate = {-20, 0, 0, 450, 150, -300}},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- worlds ---- */

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static void set_law(world *w, const scene_def *d)
{
    const mrn_law *of[MRN_LAW_KINDS] = {0};
    mrn_law_model model;
    of[MRN_LAW_NORMAL] = mrn_law_find(MRN_LAW_NORMAL, d->normal);
    assert_non_null(of[MRN_LAW_NORMAL]);
    if (d->tangential != NULL)
        of[MRN_LAW_TANGENTIAL] = mrn_law_find(MRN_LAW_TANGENTIAL, d->tangential);
    ok(mrn_law_mix(of, &model, &w->msg), &w->msg);
    ok(mrn_scene_add_law_model(&w->scene, "stuff", "stuff", &model, &w->msg), &w->msg);
    bool linear = strstr("linear elastic-viscous walton-braun", d->normal) != NULL;
    bool viscoelastic = strcmp(d->normal, "viscoelastic") == 0,
         hertz = strcmp(d->normal, "hertz") == 0;
    if (linear)
        world_law(w, "normal-stiffness", d->flat ? 2e5 : 2e3);
    if (strcmp(d->normal, "zheng") == 0)
        world_law(w, "eta1-over-young", 1e-6);
    else if (viscoelastic)
        world_law(w, "relaxation-time", 1e-5);
    else if (!hertz)
        world_law(w, "restitution", 0.6);
    if (d->tangential != NULL)
        world_law(w, "friction", 0.5);
}

static void set_cell(world *w, const scene_def *d, double box)
{
    mrn_cell_control *c = &w->scene.cell.control;
    int last = d->flat ? 1 : 2;
    for (int k = 0; k <= last; k++)
        if (!(d->walls && k == last) && !(d->mesh && (k == last || !d->walls)))
            world_periodic(w, k, 0.85e-3, box);
    for (int k = 0; k < 6; k++)
        c->target[k] = mrn_signal_constant(d->rate[k]);
    for (int k = 0; d->stress && k <= last; k++)
        if (w->scene.cell.periodic[k]) {
            c->kind[k] = MRN_CONTROL_STRESS;
            c->target[k] = mrn_signal_constant(d->flat ? 500 : 400);
        }
    if (d->swing != NULL)
        ok(mrn_signal_expression(d->swing, &c->target[MRN_XY], &w->msg), &w->msg);
}

/* Hills and valleys below the grains, n by n squares of two triangles; some are far smaller than a
   grain. */
enum { SQUARES = 24 };

static double hill(double u, double v)
{
    return -0.4e-3 + 0.5e-3 * cos(9 * u) * cos(7 * v);
}

static void add_mesh(world *w, const scene_def *d, double box)
{
    char path[] = "/tmp/mrn-hills-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fprintf(f, "solid hills\n");
    for (int k = 0; k < 2 * SQUARES * SQUARES; k++) {
        fprintf(f, "facet normal 0 0 1\nouter loop\n");
        for (int c = 0; c < 3; c++) {
            int i = k / 2 % SQUARES + (c == 1 || (k % 2 == 0 && c == 2)), n = SQUARES;
            int j = k / 2 / SQUARES + (c == 2 || (k % 2 == 1 && c == 1));
            i = k % 2 == 1 && c == 1 ? k / 2 % SQUARES + 1 : i;
            double u = 1.0 * i * i / n / n, v = 1.0 * j / n;
            fprintf(f, "vertex %.17g %.17g %.17g\n", (1.2 * u - 0.1) * box, (1.2 * v - 0.1) * box,
                    hill(u, v));
        }
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid hills\n");
    fclose(f);
    mrn_wall_def mesh = mrn_wall_default("mesh");
    ok(mrn_wall_set_word(&mesh, "file", path, &w->msg), &w->msg);
    world_wall(w, &mesh);
    remove(path);
    mrn_motion m = mrn_motion_shake(mrn_v3(0, 0, 2e-4), 200, 0);
    m.spin = mrn_v3(5, 0, 30);
    if (d->shaken)
        ok(mrn_scene_set_motion(&w->scene, "mesh-1", &m, &w->msg), &w->msg);
}

static void set_walls(world *w, const scene_def *d, double box)
{
    if (d->mesh)
        add_mesh(w, d, box);
    if (!d->walls)
        return;
    if (!d->mesh)
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_plane(w, mrn_v3(0, 0, 1.02 * box), mrn_v3(0, 0, -1));
    mrn_motion m = {.kind = MRN_MOTION_SERVO,
                    .servo_direction = {0, 0, -1},
                    .servo_pressure = true,
                    .servo_target = mrn_signal_constant(d->load)};
    if (d->aslant)
        m.servo_direction = mrn_v3(0.6, 0, -0.8), m.servo_area = box * box;
    if (d->load > 0)
        ok(mrn_scene_set_motion(&w->scene, "plane-2", &m, &w->msg), &w->msg);
}

static void add_forces(world *w)
{
    mrn_body_force push = {.per_mass = false};
    ok(mrn_signal_expression("2e-5*sin(3000*t)", &push.force[0], &w->msg), &w->msg);
    ok(mrn_scene_add_force(&w->scene, "push", NULL, &push, &w->msg), &w->msg);
    w->scene.damping.global = 5, w->scene.damping.local = 0.2;
}

static void add_grains(world *w, const scene_def *d, int side, double a)
{
    int n = d->flat ? side * side : side * side * side;
    mrn_rng rng = mrn_rng_seed(4, 0);
    for (int k = 0; k < n; k++) {
        mrn_vec3 x = {(k % side + 0.5) * a, (k / side % side + 0.5) * a,
                      d->flat ? 0 : (k / side / side + 0.5) * a};
        mrn_vec3 v = {uniform(&rng, -0.5, 0.5), uniform(&rng, -0.5, 0.5),
                      d->flat ? 0 : uniform(&rng, -0.5, 0.5)};
        mrn_vec3 spin = mrn_scale(200, d->flat ? mrn_v3(0, 0, v.x) : v);
        bool still = d->fixed && k % 11 == 0;
        if (d->rigid && k % 2 == 1) {
            clusters_add(w, k / 2 % 2, 0.95e-3 * uniform(&rng, 0.85, 1), x,
                         still ? mrn_v3(0, 0, 0) : v, still ? mrn_v3(0, 0, 0) : spin,
                         d->second && k % 4 == 1, still ? MRN_BODY_FIXED : 0);
            continue;
        }
        world_grain(w, 1e-3 * uniform(&rng, 0.85, 1), x, still ? mrn_v3(0, 0, 0) : v,
                    still ? mrn_v3(0, 0, 0) : spin);
        size_t at = (size_t)w->state.body.n - 1;
        if (d->second && k % 2 == 0)
            w->state.body.material[at] = 1;
        if (still)
            w->state.body.flags[at] |= MRN_BODY_FIXED;
    }
}

static void make(world *w, const scene_def *d)
{
    int side = d->flat ? 20 : 7;
    double a = 1.9e-3;
    mrn_group none = mrn_group_empty();
    memset(w, 0, sizeof *w);
    w->scene = mrn_scene_default();
    w->scene.dimension = d->flat ? 2 : 3;
    ok(mrn_scene_add_material(&w->scene, "stuff", 2500, 1e7, 0.25, &w->msg), &w->msg);
    set_law(w, d);
    ok(mrn_scene_add_grains(&w->scene, "grains", "stuff", d->flat ? NULL : "sphere", &none,
                            &w->msg),
       &w->msg);
    if (d->second)
        world_second_material(w, 4000, 2e7, 0.3);
    w->scene.gravity = d->flat ? mrn_v3(1, -9.81, 0) : mrn_v3(1, 2, -9.81);
    if (d->pulled)
        add_forces(w);
    if (d->euler)
        w->scene.integrator = MRN_EULER;
    set_cell(w, d, side * a);
    set_walls(w, d, side * a);
    if (d->rigid)
        clusters_forms(w);
    add_grains(w, d, side, a);
}

/* ---- bits ---- */

static uint64_t run(const scene_def *d, mrn_device device, int64_t steps, int64_t call, world *w)
{
    mrn_engine e;
    make(w, d);
    bits_start(w, device, d->euler ? 5e-7 : 5e-6, &e); /* Euler's rule feeds springs */
    for (int64_t k = 0; k < steps; k += call)
        ok(mrn_engine_step(&e, call < steps - k ? call : steps - k, &w->msg), &w->msg);
    uint64_t h = bits_of(&w->state);
    mrn_engine_destroy(&e);
    return h;
}

static void same_bits(void **state)
{
    (void)state;
    int64_t steps = bits_steps(300);
    int bad = 0;
    for (int k = 0; k < SCENES; k++) {
        if (!bits_mine(k))
            continue;
        world c, g;
        uint64_t cpu = run(&scenes[k], MRN_DEVICE_CPU, steps, steps, &c);
        uint64_t gpu = run(&scenes[k], bits_device(), steps, steps, &g);
        printf("%-72s %016llx %016llx %s, %lld contacts, %lld lists (%lld)\n", scenes[k].name,
               (unsigned long long)cpu, (unsigned long long)gpu, cpu == gpu ? "same" : "DIFFERENT",
               (long long)g.state.contacts, (long long)g.state.pair.builds,
               (long long)c.state.pair.builds);
        assert_true(g.state.pair.builds > 1 || steps < 300); /* a list may last */
        assert_true(g.state.contacts > (scenes[k].rigid ? 10 : 20) || steps != 300);
        bad += cpu != gpu;
        world_end(&c);
        world_end(&g);
    }
    assert_int_equal(bad, 0);
}

/* Calls of any length; the state goes back and forth between them. */
static void calls_of_any_length(void **state)
{
    (void)state;
    static const int some[] = {0, 3, 5, 8, 10, 13, SCENES - 9, SCENES - 4};
    for (int k = 0; k < 8; k++) {
        world w;
        uint64_t whole = run(&scenes[some[k]], MRN_DEVICE_CPU, 240, 240, &w);
        world_end(&w);
        assert_true(run(&scenes[some[k]], MRN_DEVICE_CPU, 240, 7, &w) == whole);
        world_end(&w);
        for (int64_t call = 1; call < 240; call += 6 + 3 * call) {
            assert_true(run(&scenes[some[k]], bits_device(), 240, call, &w) == whole);
            world_end(&w);
        }
    }
}

/* A run that changes between processor and device stays the same. */
static void back_and_forth(void **state)
{
    (void)state;
    static const int some[] = {0, 6, 9, SCENES - 8, SCENES - 3};
    for (int k = 0; k < 5; k++) {
        world w;
        mrn_engine e;
        uint64_t whole = run(&scenes[some[k]], MRN_DEVICE_CPU, 240, 240, &w);
        world_end(&w);
        make(&w, &scenes[some[k]]);
        bits_start(&w, MRN_DEVICE_CPU, 5e-6, &e);
        for (int part = 0; part < 4; part++) {
            mrn_engine_destroy(&e);
            w.scene.device = part % 2 ? MRN_DEVICE_CPU : bits_device();
            ok(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg), &w.msg);
            ok(mrn_engine_step(&e, 60, &w.msg), &w.msg);
        }
        assert_true(bits_of(&w.state) == whole);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
}

/* Energies of bodies that stay on the device have the bits of those on the processor. */
static void energies(void **state)
{
    (void)state;
    static const int some[] = {0, 1, 2, 8, SCENES - 9, SCENES - 8, SCENES - 7};
    for (int k = 0; k < 7; k++) {
        world w;
        mrn_engine e;
        mrn_energies now[2];
        for (int device = 0; device < 2; device++) {
            make(&w, &scenes[some[k]]);
            bits_start(&w, device ? bits_device() : MRN_DEVICE_CPU, 5e-6, &e);
            e.lazy = true;
            int32_t at = w.state.body.n - 1;
            mrn_vec3 before = mrn_load3(w.state.body.x + 3 * (size_t)at);
            ok(mrn_engine_step(&e, 77, &w.msg), &w.msg);
            ok(mrn_engine_energies(&e, &now[device], &w.msg), &w.msg);
            mrn_vec3 after = mrn_load3(w.state.body.x + 3 * (size_t)at);
            assert_true((mrn_norm(mrn_sub(after, before)) == 0) == (device == 1));
            mrn_engine_destroy(&e);
            world_end(&w);
        }
        assert_true(now[0].kinetic > 0 && now[0].rotational > 0 && now[0].gravity != 0);
        assert_memory_equal(&now[0], &now[1], sizeof now[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(calls_of_any_length),
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(energies),
    };
    bits_parted();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
