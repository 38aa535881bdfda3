/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes that start from another run's grains: every shape, moved, cut, of new materials, from a
   checkpoint and from a frame; what stages impose on bodies; probes of groups and single grains;
   what may change when a run is resumed. */
#include "helper.h"

#define METHOD_LAW(method)                                                                         \
    "moraine: 1\nmethod: " method "\n"                                                             \
    "materials:\n"                                                                                 \
    "  glass: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}\n"                                \
    "  steel: {density: 7800 kg/m3, young: 5 MPa, poisson: 0.25}\n"                                \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.4, friction: 0.4}]\n"        \
    "gravity: [0, 0, -9.81]\n"
#define BOX                                                                                        \
    "walls: [{name: box, material: glass, box: {inside: true, corners: [[0, 0, 0], [3 cm, 3 cm, "  \
    "40 cm]]}}]\n"
#define GRAINS                                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: beads, material: glass, shape: {sphere: {diameter: 6 mm}}, count: 20,\n"           \
    "     place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}, velocity: [0, 0, -1]}\n"          \
    "  - {name: stones, material: steel,\n"                                                        \
    "     shape: {polyhedron: {crushed: {variants: 3}, diameter: 7 mm}}, count: 6,\n"              \
    "     place: {fill: {box: [[0, 0, 3 cm], [3 cm, 3 cm, 9 cm]]}}, spin: [0, 9, 0]}\n"            \
    "  - {name: rods, material: steel, shape: {cluster: {of: rod, diameter: 6 mm}}, count: 4,\n"   \
    "     place: {fill: {box: [[0, 0, 9 cm], [3 cm, 3 cm, 16 cm]]}}}\n"
#define ROUND                                                                                      \
    "bodies: [{name: beads, material: glass, shape: {sphere: {diameter: 6 mm}}, count: 20,\n"      \
    "          place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}, velocity: [0, 0, -1]}]\n"
#define STAGE(steps) "stages: [{name: go, until: {steps: " #steps "}}]\noutput: {every: 2 ms}\n"

static folder run_folder(const char *text)
{
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(text, &opt, &r, &msg), &msg);
    return f;
}

/* The world of a scene that goes on from a folder; %s in `text` is the folder. */
typedef struct started {
    mrn_scene scene;
    mrn_state s;
} started;

static void start(const char *format, const char *dir, started *w)
{
    char text[4000];
    mrn_message msg = {0};
    assert_true(snprintf(text, sizeof text, format, dir) < (int)sizeof text);
    memset(w, 0, sizeof *w);
    ok(mrn_scene_read_text(text, "test.yaml", NULL, 0, &w->scene, &msg), &msg);
    ok(mrn_world_build(&w->scene, &w->s, &msg), &msg);
}

static void finish(started *w)
{
    mrn_state_destroy(&w->s);
    mrn_scene_destroy(&w->scene);
}

/* The words of a refusal. */
static void refused(const char *format, const char *dir, const char *words)
{
    char text[4000], told[4096];
    mrn_scene scene;
    mrn_message msg = {0};
    assert_true(snprintf(text, sizeof text, format, dir) < (int)sizeof text);
    assert_int_equal(mrn_scene_read_text(text, "test.yaml", NULL, 0, &scene, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, told, sizeof told);
    if (strstr(told, words) == NULL)
        fail_msg("'%s' is not in: %s", words, told);
}

/* The state that a run left, for comparison. */
static void left_by(const char *text, const char *dir, mrn_scene *scene, mrn_state *s)
{
    char path[200];
    mrn_message msg = {0};
    read_scene(text, scene);
    memset(s, 0, sizeof *s);
    snprintf(path, sizeof path, "%s/checkpoint.h5", dir);
    ok(mrn_checkpoint_read(path, scene, s, &msg), &msg);
}

static int32_t by_number(const mrn_state *s, int32_t id)
{
    return s->body.index_of[id];
}

/* Persistent numbers go on as they were: walls first, then grains in their order. */
static void same_bodies(const mrn_state *a, const mrn_state *b)
{
    assert_int_equal(a->body.n, b->body.n);
    for (int32_t id = a->body.n_walls; id < a->body.n; id++) {
        size_t i = (size_t)by_number(a, id), k = (size_t)by_number(b, id);
        bool member = (a->body.flags[i] & MRN_BODY_MEMBER) != 0;
        assert_int_equal(a->body.group[i], b->body.group[k]);
        /* where a cluster carries its spheres is computed anew: the last digit may differ */
        for (int c = 0; c < 3; c++)
            assert_true(fabs(a->body.x[3 * i + c] - b->body.x[3 * k + c]) <= (member ? 1e-15 : 0));
        if (member)
            continue;
        assert_memory_equal(a->body.v + 3 * i, b->body.v + 3 * k, 3 * sizeof(double));
        assert_memory_equal(a->body.w + 3 * i, b->body.w + 3 * k, 3 * sizeof(double));
        /* a quaternion is brought to length 1 again */
        for (int c = 0; c < 4; c++)
            assert_true(fabs(a->body.q[4 * i + c] - b->body.q[4 * k + c]) < 1e-15);
        assert_true(a->body.radius[i] == b->body.radius[k] && a->body.mass[i] == b->body.mass[k]);
        assert_true(a->body.inertia[i] == b->body.inertia[k]);
    }
}

#define SOFT_PACK    METHOD_LAW("smooth") GRAINS BOX STAGE(300)
#define FROM(method) METHOD_LAW(method) "bodies: {from: %s}\n" BOX STAGE(60)

static void test_all_shapes_from_a_checkpoint(void **unused)
{
    (void)unused;
    folder f = run_folder(SOFT_PACK);
    mrn_scene scene;
    mrn_state s;
    started w;
    left_by(SOFT_PACK, f.path, &scene, &s);
    start(FROM("smooth"), f.path, &w);
    assert_int_equal(w.scene.n_groups, 3);
    assert_string_equal(w.scene.group[1].name, "stones");
    same_bodies(&s, &w.s);
    assert_true(w.scene.n_polytopes <= scene.n_polytopes); /* grains of one form share it */
    for (int32_t i = w.s.body.n_walls; i < w.s.body.n; i++)
        if (w.s.body.flags[i] & MRN_BODY_POLYTOPE) {
            int32_t k = by_number(&s, w.s.body.id[i]);
            const mrn_convex *a = &scene.polytope[s.body.part[k]].part[0];
            const mrn_convex *b = &w.scene.polytope[w.s.body.part[i]].part[0];
            assert_int_equal(a->n_points, b->n_points);
            assert_memory_equal(a->point, b->point, 3 * (size_t)a->n_points * sizeof(double));
        }
    finish(&w);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    remove_tree(f.path);
}

static void test_turned_moved_cut_and_renamed(void **unused)
{
    (void)unused;
    folder f = run_folder(SOFT_PACK);
    mrn_scene scene;
    mrn_state s;
    started w;
    left_by(SOFT_PACK, f.path, &scene, &s);
    start(METHOD_LAW("smooth") "bodies:\n"
                               "  - name: pile\n"
                               "    material: steel\n"
                               "    from: {run: %s, groups: beads, rotation: {axis: [0, 0, 1], "
                               "angle: 90 deg},\n"
                               "           about: [1.5 cm, 1.5 cm, 0], move: [1 cm, 0, 2 cm], "
                               "at-rest: true,\n"
                               "           inside: {box: [[1 cm, 0, 0], [2.5 cm, 3 cm, 40 cm]]},\n"
                               "           outside: {sphere: {centre: [1 cm, 0, 2 cm], radius: 4 "
                               "mm}}}\n" STAGE(1),
          f.path, &w);
    int kept = 0, n = 0;
    for (int32_t id = s.body.n_walls; id < s.body.n_ids; id++) {
        int32_t i = by_number(&s, id);
        if (s.body.group[i] != 0)
            continue;
        const double *x = s.body.x + 3 * (size_t)i;
        /* a quarter turn about (1.5, 1.5) cm: x' = 1.5 - (y - 1.5), y' = x */
        double to[3] = {0.03 - x[1] + 0.01, x[0], x[2] + 0.02};
        double d = hypot(hypot(to[0] - 0.01, to[1]), to[2] - 0.02);
        n++;
        if (to[0] < 0.01 || to[0] > 0.025 || d < 0.004)
            continue;
        size_t k = (size_t)by_number(&w.s, kept++);
        const double *y = w.s.body.x + 3 * k, *q = s.body.q + 4 * (size_t)i;
        mrn_quat turn = mrn_quat_from_rotation(mrn_v3(0, 0, acos(-1.0) / 2));
        mrn_quat r = mrn_quat_mul(turn, (mrn_quat){q[0], q[1], q[2], q[3]});
        assert_true(fabs(w.s.body.q[4 * k + 1] - r.x) + fabs(w.s.body.q[4 * k + 3] - r.z) < 1e-15);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(y[c] - to[c]) < 1e-15);
    }
    assert_true(kept > 2 && kept < n);
    assert_int_equal(w.s.body.n, kept);
    assert_string_equal(w.scene.group[0].name, "pile");
    double volume = 4.0 / 3.0 * acos(-1.0) * 27e-9;
    for (int32_t i = 0; i < w.s.body.n; i++) {
        assert_true(w.s.body.v[3 * i + 2] == 0);
        assert_true(fabs(w.s.body.mass[i] - 7800 * volume) < 1e-12 * 7800 * volume);
    }
    finish(&w);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    remove_tree(f.path);
}

/* What moves goes on moving, turned as the grains are; at rest nothing moves or turns, nor does
   what is fixed. */
static void test_motion_is_turned(void **unused)
{
    (void)unused;
    const char *pack = METHOD_LAW(
        "smooth") "bodies:\n"
                  "  - {name: stones, material: steel, velocity: [1, 0.5, 0], spin: [0, "
                  "9, 4],\n"
                  "     shape: {polyhedron: {crushed: {variants: 2}, diameter: {uniform: "
                  "[5 mm, 7 mm]}}},\n"
                  "     count: 5, place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 9 "
                  "cm]]}}}\n" BOX STAGE(1);
    folder f = run_folder(pack);
    mrn_scene scene;
    mrn_state s;
    left_by(pack, f.path, &scene, &s);
    for (int k = 0; k < 3; k++) {
        char text[2000];
        started w;
        double largest = 0;
        bool still = k > 0;
        snprintf(text, sizeof text,
                 METHOD_LAW("smooth") "bodies:\n  - material: glass\n%s"
                                      "    from: {run: %%s, materials: {steel: steel}, rotation: "
                                      "{axis: [0, 0, 1], angle: 90 deg}%s}\n" STAGE(1),
                 k == 2 ? "    fixed: true\n" : "", k == 1 ? ", at-rest: true" : "");
        start(text, f.path, &w);
        for (int32_t id = 0; id < w.s.body.n_ids; id++) {
            int32_t i = by_number(&s, s.body.n_walls + id), j = by_number(&w.s, id);
            const double *v = s.body.v + 3 * i, *u = w.s.body.v + 3 * j;
            const double *a = s.body.w + 3 * i, *b = w.s.body.w + 3 * j;
            double to[2][3] = {{-v[1], v[0], v[2]}, {-a[1], a[0], a[2]}};
            assert_true(v[0] > 0.9 && a[1] > 8);
            for (int c = 0; c < 3; c++) {
                assert_true(fabs(u[c] - (still ? 0 : to[0][c])) < 1e-15);
                assert_true(fabs(b[c] - (still ? 0 : to[1][c])) < 1e-14);
            }
            /* the material said of all comes before that of a table */
            assert_string_equal(w.scene.material[w.s.body.material[j]].name, "glass");
            largest = fmax(largest, w.s.body.radius[j]);
        }
        assert_true(w.scene.group[0].size.mean == largest);
        finish(&w);
    }
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    remove_tree(f.path);
}

static void test_frames(void **unused)
{
    (void)unused;
    const char *pack = METHOD_LAW("smooth") ROUND BOX STAGE(300);
    folder f = run_folder(pack), g = run_folder(SOFT_PACK);
    const char *last = METHOD_LAW("smooth") "bodies: {from: {run: %s, frame: -1}}\n" BOX STAGE(1);
    const char *first = METHOD_LAW("smooth") "bodies: {from: {run: %s, frame: 0}}\n" BOX STAGE(1);
    mrn_scene scene;
    mrn_state s;
    started w;
    left_by(pack, f.path, &scene, &s);
    start(last, f.path, &w);
    same_bodies(&s, &w.s);
    finish(&w);
    start(first, f.path, &w);
    assert_true(w.s.body.v[3 * w.s.body.n_walls + 2] == -1);
    finish(&w);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    refused(last, g.path, "spheres of clusters");
    refused(METHOD_LAW("smooth") "bodies: {from: {run: %s, frame: 900}}\n" BOX STAGE(1), f.path,
            "no frame 900");
    remove_tree(f.path);
    remove_tree(g.path);
}

static void test_refusals(void **unused)
{
    (void)unused;
    folder f = run_folder(SOFT_PACK);
#define ASK(bodies) METHOD_LAW("smooth") "bodies: " bodies "\n" BOX STAGE(1)
    refused(ASK("{from: %s/nothing}"), f.path, "no run to start from");
    refused(ASK("{from: {run: %s, groups: [stone]}}"), f.path, "did you mean 'stones'?");
    refused(ASK("{from: {run: %s, materials: {stel: glass}}}"), f.path, "did you mean 'steel'?");
    refused(ASK("{material: glass, from: {run: %s, materials: {steel: gold}}}"), f.path,
            "unknown material 'gold'");
    refused(ASK("{from: %s, count: 3}"), f.path, "'count' has no meaning with 'from'");
    refused(ASK("{from: %s, velocity: [0, 0, 1]}"), f.path, "'velocity' has no meaning");
    refused(ASK("{from: %s, name: all-of-them}"), f.path, "several groups, and one name");
    refused(ASK("{from: {run: %s, inside: {box: [[1, 1, 1], [2, 2, 2]]}}}"), f.path,
            "no grain is left");
    refused(ASK("[{from: %1$s}, {from: {run: %1$s, move: [0, 0, 1]}}]"), f.path,
            "the name 'beads' is taken");
    refused(ASK("{name: x%s}"), "", "lacks the key 'shape'");
    refused("moraine: 1\nmaterials: {clay: {density: 2000 kg/m3, young: 5 MPa}}\n"
            "interactions: [{between: any, law: hertz-mindlin, restitution: 0.4, friction: 0.4}]\n"
            "bodies: {from: %s}\n" STAGE(1),
            f.path, "materials: {glass: clay}");
    refused("moraine: 1\ndimension: 2\nmaterials: {glass: {density: 2000 kg/m3, young: 5 MPa}}\n"
            "interactions: [{between: any, law: hertz-mindlin, restitution: 0.4, friction: 0.4}]\n"
            "bodies: {from: %s, material: glass}\n" STAGE(1),
            f.path, "that run is 3D");
    char path[200];
    snprintf(path, sizeof path, "%s/checkpoint.h5", f.path);
    FILE *file = fopen(path, "r+b");
    fseek(file, -100, SEEK_END);
    fputc('x', file);
    fclose(file);
    refused(ASK("{from: %s}"), f.path, "damaged");
    remove_tree(f.path);
}

/* The folder keeps what it started from; resumed in pieces it makes the same bits. */
static uint64_t run_pieces(const char *text, const char *out, int64_t piece)
{
    mrn_run_result r = {0};
    mrn_status status = MRN_INTERRUPTED;
    for (int i = 0; status == MRN_INTERRUPTED; i++) {
        mrn_run_options opt = mrn_run_default();
        mrn_message msg = {0};
        opt.out = out;
        opt.resume = i > 0;
        opt.max_steps = piece;
        status = run_text(text, &opt, &r, &msg);
        if (status < 0)
            ok(status, &msg);
    }
    assert_int_equal(status, MRN_OK);
    return r.hash;
}

static void test_runs_resume_and_keep_their_start(void **unused)
{
    (void)unused;
    static const char *const format[] = {FROM("smooth"), FROM("nonsmooth")};
    folder f = run_folder(SOFT_PACK), a = make_folder(), b = make_folder();
    char text[4000], copy[200], moved[100];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, format[k], f.path);
        remove_tree(a.path);
        remove_tree(b.path);
        assert_true(run_pieces(text, a.path, 0) == run_pieces(text, b.path, 25));
    }
    snprintf(moved, sizeof moved, "%s-gone", f.path);
    assert_int_equal(rename(f.path, moved), 0);
    mrn_scene scene;
    mrn_message msg = {0};
    snprintf(copy, sizeof copy, "%s/scene.yaml", a.path);
    ok(mrn_scene_read(copy, NULL, 0, &scene, &msg), &msg);
    assert_int_equal(scene.n_groups, 3);
    mrn_scene_destroy(&scene);
    remove_tree(moved);
    remove_tree(a.path);
    remove_tree(b.path);
}

/* ---- the cell ---- */

#define CELL(rest) "cell: {periodic: [x, y], " rest "}\n"
#define FLOOR                                                                                      \
    "walls: [{name: floor, material: glass, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"

static void test_the_cell_comes_along(void **unused)
{
    (void)unused;
    folder f = run_folder(METHOD_LAW("smooth") ROUND FLOOR CELL(
        "size: [3 cm, 3 cm, 0], rate: [0.5 1/s, 0, 0]") STAGE(300));
    started w;
    start(METHOD_LAW("smooth") "bodies: {from: {run: %s, move: [1 cm, 0, 0]}}\n" FLOOR CELL(
              "origin: [1 cm, 0, 0]") STAGE(1),
          f.path, &w);
    assert_true(w.scene.cell.size[0] > 0.03001);
    assert_true(w.scene.cell.size[1] == 0.03);
    finish(&w);
    /* moved with the grains; a part of them, or turned, they have no cell of their own */
    start(METHOD_LAW("smooth") "bodies: {from: {run: %s, move: [1 cm, 0, 0]}}\n" FLOOR
                               "cell: {periodic: [x, y]}\n" STAGE(1),
          f.path, &w);
    assert_true(fabs(w.scene.cell.origin[0] - 0.01) < 1e-15);
    finish(&w);
    refused(METHOD_LAW("smooth") "bodies: {from: {run: %s, inside: {box: [[0, 0, 0], [2 cm, 3 cm, "
                                 "40 cm]]}}}\n" FLOOR "cell: {periodic: [x, y]}\n" STAGE(1),
            f.path, "lacks the key 'size'");
    refused(METHOD_LAW("smooth") "bodies: {from: {run: %s, rotation: {axis: [0, 0, 1], angle: 90 "
                                 "deg}}}\n" FLOOR "cell: {periodic: [x, y]}\n" STAGE(1),
            f.path, "lacks the key 'size'");
    refused(METHOD_LAW("smooth") "bodies: {from: %s}\n" FLOOR CELL("size: [3 cm, 3 cm, 0]")
                STAGE(1),
            f.path, "come from a cell of");
    refused(METHOD_LAW("smooth") ROUND FLOOR CELL("origin: [0, 0, 0]") STAGE(1) "%s", "",
            "lacks the key 'size'");
    remove_tree(f.path);
}

/* ---- what stages impose ---- */

#define PLATE                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: plate, material: steel, shape: {polyhedron: {box: [2 cm, 2 cm, 4 mm]}},\n"         \
    "     place: {list: [[1.5 cm, 1.5 cm, 20 cm]]}, hold: [x, y, z, rx, ry, rz]}\n"                \
    "  - {name: bead, material: glass, shape: {sphere: {diameter: 6 mm}},\n"                       \
    "     place: {list: [[1.5 cm, 1.5 cm, 3 mm]]}}\n"
#define HOLDS                                                                                      \
    "stages:\n"                                                                                    \
    "  - {name: wait, until: {time: 10 ms}}\n"                                                     \
    "  - {name: push, until: {time: 20 ms}, bodies: {plate: {hold: [x, y, rx, ry, rz], drive: "    \
    "{z: 0.5 m/s}}}}\n"                                                                            \
    "  - {name: free, until: {time: 10 ms}, bodies: {plate: {hold: none}}}\n"                      \
    "time-step: 0.1 ms\noutput: {every: 5 ms}\n"

static void test_stages_hold_drive_and_free(void **unused)
{
    (void)unused;
    const char *text = METHOD_LAW("nonsmooth") PLATE BOX HOLDS;
    folder a = make_folder(), b = make_folder();
    remove_tree(a.path);
    remove_tree(b.path);
    assert_true(run_pieces(text, a.path, 0) == run_pieces(text, b.path, 130));
    mrn_scene scene;
    mrn_state s;
    left_by(text, a.path, &scene, &s);
    int32_t i = by_number(&s, 1);
    /* held, then 0.5 m/s for 20 ms, then a throw of 10 ms: steps of 0.1 ms, first order in h */
    double z = 0.2 + 0.01 + 0.5 * 0.01 - 0.5 * 9.81 * 1e-4;
    assert_true(fabs(s.body.x[3 * (size_t)i + 2] - z) < 2 * 0.5 * 1e-4);
    assert_true(fabs(s.body.v[3 * (size_t)i + 2] - (0.5 - 0.0981)) < 2 * 9.81 * 1e-4);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    refused(METHOD_LAW("smooth") "bodies: [{name: plate, material: steel, shape: {sphere: "
                                 "{diameter: 1 cm}}, place: {list: [[0, 0, 0]]}}]\n"
                                 "stages: [{until: {steps: 1}}, {until: {steps: 1}, bodies: "
                                 "{plate: {hold: [x]}}}]\n%s",
            "", "method smooth has no grains with degrees of freedom held or driven");
    refused(METHOD_LAW("nonsmooth") PLATE
            "stages: [{until: {steps: 1}, bodies: {plat: {hold: [x]}}}]\n%s",
            "", "did you mean 'plate'?");
    remove_tree(a.path);
    remove_tree(b.path);
}

/* ---- probes ---- */

static double probe(const mrn_scene *scene, const mrn_state *s, const char *name)
{
    mrn_message msg = {0};
    ok(mrn_probe_check(scene, name, NULL, &msg), &msg);
    return mrn_probe_value(scene, s, name);
}

/* Every grain: forces and moments of its contacts are those that the engine moved it by. */
static void test_loads_on_single_grains(void **unused)
{
    (void)unused;
    mrn_scene scene;
    mrn_message msg = {0};
    read_scene(METHOD_LAW("smooth") GRAINS BOX STAGE(1), &scene);
    mrn_world *world;
    ok(mrn_world_create(&scene, &world, &msg), &msg);
    ok(mrn_world_advance(world, 0.12, &msg), &msg);
    const mrn_state *s = mrn_world_state(world);
    int touched = 0, number[3] = {0};
    double moved = 0;
    for (int32_t id = s->body.n_walls; id < s->body.n_ids; id++) {
        int32_t i = by_number(s, id);
        if (s->body.flags[i] & MRN_BODY_MEMBER)
            continue;
        int g = s->body.group[i], k = number[g]++;
        mrn_vec3 f = mrn_load3(s->body.f + 3 * (size_t)i), t = mrn_load3(s->body.t + 3 * (size_t)i);
        f.z += 9.81 * s->body.mass[i]; /* the engine's sum has the weight in it */
        double have[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
        static const char *const row[] = {"force.x",  "force.y",  "force.z",
                                          "moment.x", "moment.y", "moment.z"};
        double size = mrn_norm(f) + 1e-6, lever = size * s->body.radius[i];
        for (int c = 0; c < 6; c++) {
            char name[80];
            snprintf(name, sizeof name, "bodies.%s/%d.%s", scene.group[g].name, k, row[c]);
            /* sums of a dozen forces in another order: 1e-13 of the largest is generous */
            double off = fabs(probe(&scene, s, name) - have[c]);
            if (off > 1e-12 * (c < 3 ? size : lever))
                fail_msg("%s: %g, the engine has %g", name, probe(&scene, s, name), have[c]);
        }
        touched += mrn_norm(f) > 1e-3;
        moved = fmax(moved, mrn_norm(t) / lever);
    }
    assert_true(touched > 5 && moved > 0.01);
    /* what the groups get from the box and what the box gets */
    double sum = probe(&scene, s, "groups.beads.from.box.force.z") +
                 probe(&scene, s, "groups.stones.from.box.force.z") +
                 probe(&scene, s, "groups.rods.from.box.force.z");
    assert_true(fabs(sum + probe(&scene, s, "walls.box.force.z")) < 1e-12 * fabs(sum));
    assert_true(fabs(sum) > 0.01);
    /* action and reaction */
    double on = probe(&scene, s, "groups.beads.from.stones.force.z");
    assert_true(fabs(on + probe(&scene, s, "groups.stones.from.beads.force.z")) <=
                1e-12 * fabs(on));
    double all = probe(&scene, s, "groups.beads.from.box.force.z") + on +
                 probe(&scene, s, "groups.beads.from.rods.force.z");
    assert_true(fabs(all - probe(&scene, s, "groups.beads.force.z")) < 1e-12 * fabs(all));
    mrn_world_destroy(&world);
    mrn_scene_destroy(&scene);
}

/* A block on the floor under contact dynamics: it bears its weight, and off its middle a moment. */
static void test_loads_and_turns_of_rigid_bodies(void **unused)
{
    (void)unused;
    mrn_scene scene;
    mrn_message msg = {0};
    read_scene(METHOD_LAW("nonsmooth") FLOOR
               "bodies: [{name: plate, material: steel, shape: {polyhedron: {box: [4 cm, 2 cm, 4 "
               "mm]}}, place: {list: [[0, 0, 2 mm]]}},\n"
               "  {name: bead, material: glass, shape: {sphere: {diameter: 6 mm}}, place: {list: "
               "[[1 cm, 0, 7 mm]]}},\n"
               "  {name: top, material: glass, shape: {polyhedron: {box: [1 cm, 1 cm, 1 cm]}},\n"
               "   place: {list: [{position: [1, 0, 5], spin: [0, 20, 0]}]}}]\n"
               "nonsmooth: {tolerance: 1e-10}\n" STAGE(1),
               &scene);
    mrn_world *world;
    ok(mrn_world_create(&scene, &world, &msg), &msg);
    ok(mrn_world_advance(world, 0.02, &msg), &msg);
    const mrn_state *s = mrn_world_state(world);
    double plate = 7800 * 0.04 * 0.02 * 0.004 * 9.81;
    double bead = 2500 * 4.0 / 3.0 * acos(-1.0) * 27e-9 * 9.81;
    /* solved to 1e-10 of the largest impulse */
    double on = probe(&scene, s, "bodies.plate/0.from.bead.force.z");
    assert_true(fabs(on + bead) < 1e-6 * bead);
    assert_true(fabs(probe(&scene, s, "groups.plate.from.floor.force.z") - plate - bead) <
                1e-6 * plate);
    /* a weight at x = 1 cm turns about y by + x F; the floor takes it up */
    double turn = probe(&scene, s, "groups.plate.from.bead.moment.y");
    assert_true(fabs(turn - 0.01 * bead) < 1e-6 * 0.01 * bead);
    assert_true(fabs(probe(&scene, s, "groups.plate.moment.y")) < 1e-6 * turn);
    assert_true(probe(&scene, s, "groups.plate.tilt") < 1e-3);
    assert_true(fabs(probe(&scene, s, "groups.plate.position.z") - 2e-3) < 1e-6);
    /* 20 rad/s about y; time-in-run may end a step late */
    double angle = 20 * s->time * 180 / acos(-1.0);
    assert_true(fabs(probe(&scene, s, "bodies.top/0.turn.y") - angle) < 1e-6 * angle);
    assert_true(fabs(probe(&scene, s, "bodies.top/0.tilt") - angle) < 1e-6 * angle);
    assert_true(fabs(probe(&scene, s, "groups.top.spin.y") - 20) < 1e-9);
    mrn_world_destroy(&world);
    mrn_scene_destroy(&scene);
}

static void test_probe_names_are_checked(void **unused)
{
    (void)unused;
    static const char *const wrong[][2] = {
        {"bodies.beads.force.x", "which grain"},
        {"bodies.beads/20.force.x", "bodies.beads/19"},
        {"bodies.bead/1.force.x", "did you mean 'bodies.beads"},
        {"groups.beads.from.bux.force.x", "did you mean 'groups.beads.from.box.force.x'"},
        {"groups.beads.from.box.position.x", "goes with forces and moments"},
        {"groups.beads.tild", "did you mean 'groups.beads.tilt'"},
        {"groups.stones.tilt", "not in the scene"},
    };
    mrn_scene scene;
    read_scene(METHOD_LAW("smooth") GRAINS BOX STAGE(1), &scene);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char told[4096];
        mrn_message msg = {0};
        assert_int_equal(mrn_probe_check(&scene, wrong[k][0], NULL, &msg), MRN_ERR_INPUT);
        mrn_message_format(&msg, told, sizeof told);
        if (strstr(told, wrong[k][1]) == NULL)
            fail_msg("%s: '%s' is not in: %s", wrong[k][0], wrong[k][1], told);
    }
    mrn_scene_destroy(&scene);
}

/* ---- what may change on resume ---- */

static mrn_status resume_with(const char *text, const char *out, const char *change,
                              mrn_run_result *r, mrn_message *msg)
{
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    opt.resume = true;
    opt.change = &change;
    opt.n_change = change != NULL;
    return run_text(text, &opt, r, msg);
}

#define SLIDE(friction, stages)                                                                    \
    "moraine: 1\nmaterials: {glass: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"         \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.4, friction: " friction      \
    "}]\n"                                                                                         \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: [{name: bead, shape: {sphere: {diameter: 6 mm}}, place: {list: [{position: [0, 0, 3 " \
    "mm], velocity: [1, 0, 0]}]}}]\n"                                                              \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"                       \
    "time-step: 10 us\n" stages

static void test_friction_changes_on_resume(void **unused)
{
    (void)unused;
    const char *one = "stages: [{name: go, until: {steps: 200}}]\n";
    const char *two =
        "stages: [{name: go, until: {steps: 200}}, {name: on, until: {steps: 500}}]\n";
    char before[2000], same[2000], other[2000], told[4096];
    snprintf(before, sizeof before, SLIDE("0.1", "%s"), one);
    snprintf(same, sizeof same, SLIDE("0.1", "%s"), two);
    snprintf(other, sizeof other, SLIDE("0", "%s"), two);
    folder f = run_folder(before), g = run_folder(before);
    mrn_run_result r, s;
    mrn_message msg = {0};
    assert_int_equal(resume_with(other, f.path, NULL, &r, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, told, sizeof told);
    assert_non_null(strstr(told, "--change interactions"));
    ok(resume_with(other, f.path, "interactions", &r, &msg), &msg);
    ok(resume_with(same, g.path, NULL, &s, &msg), &msg);
    assert_true(there_is(f.path, "scene-until-200.yaml"));
    assert_int_equal(r.n_warnings, s.n_warnings + 1);
    /* without friction nothing is lost to it any more */
    assert_true(r.energies.kinetic > s.energies.kinetic);
    assert_int_equal(resume_with(other, f.path, "friction", &r, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, told, sizeof told);
    assert_non_null(strstr(told, "interactions, gravity"));
    /* another law remembers other things */
    char law[2000], *at = strstr(same, "law: ");
    snprintf(law, sizeof law,
             "%.*slaw: {model: hertz-mindlin, tangential: none}, restitution: 0.4}]%s",
             (int)(at - same), same, strchr(at, '\n'));
    assert_int_equal(resume_with(law, g.path, "interactions", &r, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, told, sizeof told);
    assert_non_null(strstr(told, "other laws"));
    remove_tree(f.path);
    remove_tree(g.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_shapes_from_a_checkpoint),
        cmocka_unit_test(test_turned_moved_cut_and_renamed),
        cmocka_unit_test(test_motion_is_turned),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_runs_resume_and_keep_their_start),
        cmocka_unit_test(test_the_cell_comes_along),
        cmocka_unit_test(test_stages_hold_drive_and_free),
        cmocka_unit_test(test_loads_on_single_grains),
        cmocka_unit_test(test_loads_and_turns_of_rigid_bodies),
        cmocka_unit_test(test_probe_names_are_checked),
        cmocka_unit_test(test_friction_changes_on_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
