/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs: same bits whatever the outputs, interruptions and threads; stages end as imposed;
   folders are treated with care; what goes wrong is said. */
/* ctest-labels: slow */
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>

#include "helper.h"

/* Disks in a shaken tray under changing gravity: contacts with friction, a moving wall, three
 * stages. */
#define TRAY(count, output)                                                                        \
    "moraine: 1\n"                                                                                 \
    "title: Disks in a tray\n"                                                                     \
    "dimension: 2\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 3 MPa, poisson: 0.25}}\n"                     \
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "    \
    "0.5}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - name: stones\n"                                                                           \
    "    material: stone\n"                                                                        \
    "    shape: {sphere: {diameter: {uniform: [8 mm, 12 mm]}}}\n"                                  \
    "    count: " count "\n"                                                                       \
    "    velocity: [0, -1 m/s]\n"                                                                  \
    "    place: {fill: {box: [[0, 0], [10 cm, 12 cm]]}}\n"                                         \
    "walls:\n"                                                                                     \
    "  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}, material: stone}\n"                 \
    "cell: {periodic: [x], size: [10 cm, 0]}\n"                                                    \
    "gravity: [0, -9.81]\n"                                                                        \
    "stages:\n"                                                                                    \
    "  - {name: fall, until: {steps: 400}}\n"                                                      \
    "  - {name: shake, until: {steps: 300}, walls: {floor: {motion: {shake: {amplitude: [0, 1 "    \
    "mm], "                                                                                        \
    "frequency: 100 Hz}}}}}\n"                                                                     \
    "  - {name: tilt, until: {steps: 211}, gravity: [3, -9]}\n"                                    \
    "output: {" output "}\n"

static uint64_t hash_of(const char *scene, int threads)
{
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_threads_set(threads);
    ok(run_text(scene, &opt, &r, &msg), &msg);
    mrn_threads_set(1);
    assert_int_equal(r.steps, 911);
    assert_true(r.hash != 0);
    return r.hash;
}

static void test_twice_in_a_row(void **unused)
{
    (void)unused;
    assert_int_equal(hash_of(TRAY("60", ""), 1), hash_of(TRAY("60", ""), 1));
    /* the hash can tell: another gravity at the end, another hash */
    assert_true(hash_of(TRAY("60", ""), 1) != hash_of(TRAY("61", ""), 1));
}

static void test_output_changes_no_bit(void **unused)
{
    (void)unused;
    uint64_t bare = hash_of(TRAY("60", ""), 1);
    assert_int_equal(hash_of(TRAY("60", "every: 1 ms"), 1), bare);
    folder f = make_folder();
    char out[128];
    snprintf(out, sizeof out, "%s/deep/er", f.path);
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    mrn_run_result r;
    mrn_message msg = {0};
    ok(run_text(
           TRAY("60",
                "every: 0.37 ms, probes-every: 0.11 ms, checkpoint-every: 1 ms, contacts: true"),
           &opt, &r, &msg),
       &msg);
    assert_int_equal(r.hash, bare);
    remove_tree(f.path);
}

/* 2000 grains make eight blocks of work for the engine, so that threads really share. */
#define LAYER                                                                                      \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 500 MPa, poisson: 0.25}}\n"                   \
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "    \
    "0.5}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - name: stones\n"                                                                           \
    "    material: stone\n"                                                                        \
    "    shape: {sphere: {diameter: 1 cm}}\n"                                                      \
    "    velocity: [0, 0, -2 m/s]\n"                                                               \
    "    velocity-spread: 1 m/s\n"                                                                 \
    "    place: {lattice: {kind: cubic, box: [[0, 0, 0], [20 cm, 20 cm, 5 cm]]}}\n"                \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"      \
    "cell: {periodic: [x, y], size: [20 cm, 20 cm, 0]}\n"                                          \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "stages: [{name: hit, until: {steps: 60}}]\n"

static void test_threads_change_no_bit(void **unused)
{
    (void)unused;
    const int threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int i = 0; i < 4; i++) {
        mrn_run_options opt = mrn_run_default();
        mrn_run_result r;
        mrn_message msg = {0};
        mrn_threads_set(threads[i]);
        ok(run_text(LAYER, &opt, &r, &msg), &msg);
        assert_int_equal(mrn_threads(), threads[i]);
        first = i == 0 ? r.hash : first;
        assert_int_equal(r.hash, first);
    }
    mrn_threads_set(1);
}

/* Grains that never touch fall in a cell that strains: carried by its flow they gain and lose
   height, which the cell pays for and is booked as its work. Nothing else acts: what is left over
   is the trapezoidal rule on a cell that strains by 1 + h L, rate times step over 2 of the work. */
static void test_gravity_in_a_straining_cell(void **unused)
{
    (void)unused;
    static const char *const text =
        "moraine: 1\n"
        "materials: {stone: {density: 2600 kg/m3}}\n"
        "interactions: [{between: any, law: linear, normal-stiffness: 10 N/m, restitution: 0.5, "
        "friction: 0}]\n"
        "bodies: [{name: few, shape: {sphere: {radius: 1 mm}}, place: {list: [{position: [1 cm, 2 "
        "cm, 5 cm]}, {position: [4 cm, 3 cm, 1 cm], velocity: [0.1, 0, 0.2]}]}}]\n"
        "cell: {periodic: [x, y, z], size: [6 cm, 6 cm, 6 cm], rate: [0.5, 0, -2]}\n"
        "gravity: [1, 0, -5]\n"
        "time-step: 20 us\n"
        "stages: [{name: fall, until: {steps: 1000}}]\n";
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    ok(run_text(text, &opt, &r, &msg), &msg);
    assert_true(fabs(r.energies.input) > 1e-8 && r.energies.dissipated == 0);
    assert_true(fabs(r.energies.residual) < 4e-5 * fabs(r.energies.input));
}

/* ---- resume ---- */

#define FILES                                                                                      \
    TRAY("60", "every: 0.5 ms, probes-every: 0.2 ms, contacts: true, "                             \
               "fields: {every: 2 ms, width: 1 cm}, "                                              \
               "probes: [usual, mean-y.rate, kinetic-energy.rate]")

static void same_frames(const char *a, const char *b)
{
    mrn_message msg = {0};
    mrn_trajectory *s = NULL, *t = NULL;
    ok(mrn_trajectory_open(a, &s, &msg), &msg);
    ok(mrn_trajectory_open(b, &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_frames(s), mrn_trajectory_frames(t));
    assert_true(mrn_trajectory_frames(s) > 5);
    for (int64_t k = 0; k < mrn_trajectory_frames(s); k++) {
        mrn_frame f = {0}, g = {0};
        ok(mrn_trajectory_read(s, k, &f, &msg), &msg);
        ok(mrn_trajectory_read(t, k, &g, &msg), &msg);
        assert_int_equal(f.step, g.step);
        assert_int_equal(f.n, g.n);
        assert_memory_equal(f.x, g.x, (size_t)f.n * 3 * sizeof(double));
        assert_int_equal(f.contacts.n, g.contacts.n);
        mrn_frame_destroy(&f);
        mrn_frame_destroy(&g);
    }
    mrn_trajectory_close(&s, &msg);
    mrn_trajectory_close(&t, &msg);
}

static void same_file(const char *a, const char *b, const char *name)
{
    char *s = slurp(a, name), *t = slurp(b, name);
    assert_string_equal(s, t);
    free(s);
    free(t);
}

/* Coarse-grained fields: a file per instant, of the same name and bytes. Returns how many. */
static int same_fields(const char *a, const char *b)
{
    char from[200], to[200];
    int n = 0;
    snprintf(from, sizeof from, "%s/fields", a);
    snprintf(to, sizeof to, "%s/fields", b);
    DIR *d = opendir(from);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".vti") != NULL) {
            same_file(from, to, e->d_name);
            n++;
        }
    closedir(d);
    return n;
}

/* In pieces of n steps; the pieces cut in the middle of stages, on their ends and on output
 * instants. */
static uint64_t run_in_pieces(const char *out, const int64_t *piece, int n)
{
    mrn_run_result r = {0};
    for (int i = 0; i <= n; i++) {
        mrn_run_options opt = mrn_run_default();
        opt.out = out;
        opt.resume = i > 0;
        opt.max_steps = i < n ? piece[i] : 0;
        mrn_message msg = {0};
        mrn_status status = run_text(FILES, &opt, &r, &msg);
        if (i < n) {
            assert_int_equal(status, MRN_INTERRUPTED);
            assert_int_equal(r.steps, piece[i]);
        } else {
            ok(status, &msg);
        }
    }
    return r.hash;
}

static void test_resume_is_bit_exact(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char whole[128], pieces[128];
    snprintf(whole, sizeof whole, "%s/whole", f.path);
    snprintf(pieces, sizeof pieces, "%s/pieces", f.path);
    uint64_t expected = run_in_pieces(whole, NULL, 0);
    assert_int_equal(hash_of(TRAY("60", ""), 1), expected);
    const int64_t piece[] = {137, 1, 262, 250, 50, 73};
    assert_int_equal(run_in_pieces(pieces, piece, 6), expected);
    same_file(whole, pieces, "probes.csv");
    same_file(whole, pieces, "scene.yaml");
    same_frames(whole, pieces);
    int fields = same_fields(whole, pieces);
    assert_true(fields > 2 && fields == same_fields(pieces, whole));
    remove_tree(f.path);
}

/* Clusters under a servo wall, fed through an inlet, by either integrator: all that a step reads
   is in the checkpoint, the derivatives of Gear's method too. */
#define FED(integrator)                                                                            \
    "moraine: 1\n"                                                                                 \
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"                     \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"        \
    "clusters: {rod: {spheres: [[0, 0, 0, 1], [1.5, 0, 0, 1]]}}\n"                                 \
    "bodies:\n"                                                                                    \
    "  - {name: rods, shape: {cluster: {of: rod, diameter: 2 mm}}, count: 40, velocity: [0.3, 0, " \
    "-1],\n"                                                                                       \
    "     place: {fill: {box: [[0, 0, 0], [12 mm, 12 mm, 8 mm]]}}}\n"                              \
    "  - {name: feed, shape: {sphere: {diameter: {uniform: [1 mm, 2 mm]}}}, velocity: [0, 0, "     \
    "-1],\n"                                                                                       \
    "     place: {inlet: {box: [[2 mm, 2 mm, 14 mm], [10 mm, 10 mm, 17 mm]], rate: 20000 1/s}}}\n" \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}},\n"                       \
    "        {name: press, plane: {point: [12 mm, 0, 0], normal: [-1, 0, 0]},\n"                   \
    "         motion: {servo: {force: 0.1 N, direction: [-1, 0, 0]}}},\n"                          \
    "        {name: side, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]\n"                        \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "integrator: " integrator "\n"                                                                 \
    "stages: [{name: feed, until: {steps: 600}}]\n"

/* A cell that shears while servos hold its normal stresses and learn how fast that has to be. */
#define SHEARED                                                                                    \
    "moraine: 1\n"                                                                                 \
    "materials: {glass: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"                     \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"        \
    "bodies: [{name: beads, shape: {sphere: {diameter: {uniform: [1 mm, 1.5 mm]}}}, count: 60,\n"  \
    "          place: {fill: {box: [[0, 0, 0], [5.2 mm, 5.2 mm, 5.2 mm]]}}}]\n"                    \
    "cell: {periodic: [x, y, z], size: [5.2 mm, 5.2 mm, 5.2 mm],\n"                                \
    "       control: {xy: {rate: 50}, xx: {stress: 2 kPa}, yy: {stress: 2 kPa}}}\n"                \
    "stages: [{name: shear, until: {steps: 600}}]\n"

static void test_resume_of_what_is_driven(void **unused)
{
    (void)unused;
    static const char *const text[3] = {FED("verlet"), FED("gear"), SHEARED};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        folder f = make_folder();
        mrn_run_options opt = mrn_run_default();
        mrn_run_result whole, r;
        mrn_message msg = {0};
        ok(run_text(text[k], &opt, &whole, &msg), &msg);
        opt.out = f.path;
        for (int i = 0; i < 3; i++) {
            opt.resume = i > 0;
            opt.max_steps = i < 2 ? 177 : 0;
            assert_int_equal(run_text(text[k], &opt, &r, &msg), i < 2 ? MRN_INTERRUPTED : MRN_OK);
        }
        assert_int_equal(r.hash, whole.hash);
        assert_memory_equal(&r.energies, &whole.energies, sizeof r.energies);
        assert_true(whole.energies.dissipated > 0);
        hash[k] = r.hash;
        remove_tree(f.path);
    }
    assert_true(hash[0] != hash[1] && hash[1] != hash[2]);
}

/* A run that is done stays done; given a later end it goes on. */
static void test_resume_of_a_finished_run(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r, again;
    mrn_message msg = {0};
    ok(run_text(FILES, &opt, &r, &msg), &msg);
    char *before = slurp(f.path, "probes.csv");
    opt.resume = true;
    ok(run_text(FILES, &opt, &again, &msg), &msg);
    assert_int_equal(again.hash, r.hash);
    assert_int_equal(again.steps, 0);
    char *after = slurp(f.path, "probes.csv");
    assert_string_equal(before, after);
    free(before);
    free(after);
    mrn_scene scene = {0};
    const char *set[] = {"stages.2.until.steps=300"};
    ok(mrn_scene_read_text(FILES, "test.yaml", set, 1, &scene, &msg), &msg);
    ok(mrn_run(&scene, &opt, &again, &msg), &msg);
    assert_int_equal(again.steps, 300 - 211);
    mrn_scene_destroy(&scene);
    remove_tree(f.path);
}

/* A run that is done goes on with a stage added after it, as if it had been there from the
 * beginning. */
static void test_resume_with_another_stage(void **unused)
{
    (void)unused;
    static const char *const ONE =
        "moraine: 1\n"
        "materials: {glass: {density: 2500 kg/m3, young: 10 MPa, poisson: 0.25}}\n"
        "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"
        "bodies: [{name: beads, shape: {sphere: {diameter: 2 mm}}, count: 40,\n"
        "          place: {fill: {box: [[0, 0, 0], [8 mm, 8 mm, 12 mm]]}}}]\n"
        "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}},\n"
        "        {name: gate, plane: {point: [8 mm, 0, 0], normal: [-1, 0, 0]}}]\n"
        "gravity: [0, 0, -9.81]\n"
        "stages:\n"
        "  - {name: fall, until: {time: 20 ms}}\n";
    char two[2048];
    snprintf(two, sizeof two, "%s  - {name: spill, remove: gate, until: {steps: 500}}\n", ONE);
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result first, added, whole;
    mrn_message msg = {0};
    ok(run_text(two, &opt, &whole, &msg), &msg);
    opt.out = f.path;
    ok(run_text(ONE, &opt, &first, &msg), &msg);
    opt.resume = true;
    ok(run_text(two, &opt, &added, &msg), &msg);
    assert_int_equal(added.steps, 500);
    assert_int_equal(added.hash, whole.hash);
    remove_tree(f.path);
}

/* Grains placed in overlap, and grains far too soft for their impact, are stated; what contacts
   store at the start is not counted as put in. */
static void test_overlaps_are_told(void **unused)
{
    (void)unused;
    static const char *const PAIR =
        "moraine: 1\n"
        "materials: {glass: {density: 2500 kg/m3, young: %s, poisson: 0.25}}\n"
        "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"
        "bodies:\n"
        "  - {name: a, shape: {sphere: {diameter: 2 mm}}, place: {list: [[0, 0, 0]]}}\n"
        "  - {name: b, shape: {sphere: {diameter: 2 mm}}, velocity: [%s, 0, 0],\n"
        "     place: {list: [[%s, 0, 0]]}}\n"
        "stages: [{until: {time: %s}}]\n"
        "output: {every: %s}\n";
    const char *const value[2][5] = {{"10 MPa", "0", "1.9 mm", "1 ms", "1 ms"},
                                     {"0.5 MPa", "-2 m/s", "2.01 mm", "0.5 ms", "0.02 ms"}};
    const char *const told[2] = {"overlap at the start", "use a stiffer law"};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text, PAIR, value[k][0], value[k][1], value[k][2], value[k][3],
                 value[k][4]);
        mrn_run_options opt = mrn_run_default();
        mrn_run_result r;
        mrn_message msg = {0};
        ok(run_text(text, &opt, &r, &msg), &msg);
        bool seen = false;
        for (int i = 0; i < r.n_warnings; i++)
            seen |= strstr(r.warning[i].text, told[k]) != NULL;
        assert_true(seen);
        assert_true(r.energies.input == 0);
    }
}

/* Other columns cannot go on in the same table: refused, and nothing of the run is touched. */
static void test_resume_with_other_probes(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    opt.max_steps = 100;
    mrn_run_result r;
    mrn_message msg = {0};
    assert_int_equal(run_text(FILES, &opt, &r, &msg), MRN_INTERRUPTED);
    char *rows = slurp(f.path, "probes.csv"), *scene = slurp(f.path, "scene.yaml");
    opt.resume = true;
    mrn_status status =
        run_text(TRAY("60", "every: 0.5 ms, probes: [walls.floor.force.y]"), &opt, &r, &msg);
    assert_int_equal(status, MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "columns"));
    char *rows_now = slurp(f.path, "probes.csv"), *scene_now = slurp(f.path, "scene.yaml");
    assert_string_equal(rows, rows_now);
    assert_string_equal(scene, scene_now);
    free(rows);
    free(rows_now);
    free(scene);
    free(scene_now);
    remove_tree(f.path);
}

/* ---- interruption ---- */

typedef struct button {
    volatile int stop;
    int64_t at;
} button;

static void press(const mrn_progress *p, void *user)
{
    button *b = user;
    if (p->state->step >= b->at)
        b->stop = 1;
}

static void test_stop_flag(void **unused)
{
    (void)unused;
    folder f = make_folder();
    button b = {.at = 333};
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    opt.stop = &b.stop;
    opt.progress = press;
    opt.user = &b;
    mrn_run_result r;
    mrn_message msg = {0};
    assert_int_equal(run_text(FILES, &opt, &r, &msg), MRN_INTERRUPTED);
    assert_true(r.steps >= 333 && r.steps < 911);
    opt.resume = true;
    opt.stop = NULL;
    ok(run_text(FILES, &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, hash_of(TRAY("60", ""), 1));
    remove_tree(f.path);
}

/* Killed without warning between two checkpoints: rows and frames beyond the checkpoint come again
 * once. */
static void die(const mrn_progress *p, void *user)
{
    (void)user;
    if (p->state->step >= 700)
        _exit(7);
}

static void test_killed(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char killed[128], whole[128];
    snprintf(killed, sizeof killed, "%s/killed", f.path);
    snprintf(whole, sizeof whole, "%s/whole", f.path);
#define OFTEN TRAY("60", "every: 0.5 ms, probes-every: 0.2 ms, checkpoint-every: 3 ms")
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r, s;
    mrn_message msg = {0};
    opt.out = whole;
    ok(run_text(OFTEN, &opt, &s, &msg), &msg);
    opt.out = killed;
    pid_t child = fork();
    if (child == 0) {
        opt.progress = die;
        run_text(OFTEN, &opt, &r, &msg);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 7);
    opt.resume = true;
    ok(run_text(OFTEN, &opt, &r, &msg), &msg);
    assert_true(r.steps > 211 && r.steps < 911);
    assert_int_equal(r.hash, s.hash);
    same_file(whole, killed, "probes.csv");
    same_frames(whole, killed);
    remove_tree(f.path);
}

/* ---- stages ---- */

static json_t *summary_of(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/summary.json", dir);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    assert_non_null(root);
    return root;
}

#define BALL(stages)                                                                               \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {rubber: {density: 1000 kg/m3, young: 1 MPa, poisson: 0.4}}\n"                     \
    "interactions: [{between: [rubber, rubber], law: hertz-mindlin, restitution: 0.5, friction: "  \
    "0.3}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - name: ball\n"                                                                             \
    "    material: rubber\n"                                                                       \
    "    shape: {sphere: {radius: 1 cm}}\n"                                                        \
    "    place: {list: [{position: [0, 0, 5 cm]}]}\n"                                              \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: rubber}]\n"     \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "stages: [" stages "]\n"

static void test_conditions_end_stages(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r;
    mrn_message msg = {0};
    ok(run_text(BALL("{name: drop, until: {probe: {name: max-speed, above: 0.5 m/s}}}, "
                     "{name: wait, until: {time: 5 ms}}, "
                     "{name: rest, until: {kinetic-energy-ratio: 1e-3}, at-most: 5 s}"),
                &opt, &r, &msg),
       &msg);
    json_t *root = summary_of(f.path), *stages = json_object_get(root, "stages");
    assert_int_equal(json_array_size(stages), 3);
    json_t *drop = json_array_get(stages, 0), *wait = json_array_get(stages, 1);
    double h = json_number_value(json_object_get(drop, "time-step"));
    double end = json_number_value(json_object_get(drop, "time-end"));
    /* v = g t; looked at every 50 steps, so at most 50 steps late */
    assert_true(end >= 0.5 / 9.81 - h && end <= 0.5 / 9.81 + 51 * h);
    double lasted = json_number_value(json_object_get(wait, "time-end")) -
                    json_number_value(json_object_get(wait, "time-begin"));
    double h_wait = json_number_value(json_object_get(wait, "time-step"));
    assert_true(fabs(lasted - 5e-3) <= 0.5 * h_wait * (1 + 1e-9));
    assert_non_null(strstr(json_string_value(json_object_get(drop, "reason")), "max-speed"));
    assert_string_equal(json_string_value(json_object_get(root, "status")), "ok");
    json_decref(root);
    remove_tree(f.path);
}

static void test_time_limit_is_told(void **unused)
{
    (void)unused;
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_status status =
        run_text(BALL("{name: drop, until: {probe: {name: max-speed, above: 100 m/s}}, "
                      "at-most: 10 ms}, {name: more, at-most: 1 ms}"),
                 &opt, &r, &msg);
    assert_int_equal(status, MRN_AT_MOST);
    assert_int_equal(r.status, MRN_AT_MOST);
    assert_int_equal(r.n_warnings, 1);
    assert_non_null(strstr(msg.text, "drop"));
    assert_non_null(strstr(msg.text, "max-speed"));
    /* the second stage ran all the same; each stage ends within half a step of 1e-4 s */
    assert_float_equal(r.time, 0.011, 1e-4);
}

/* Free flight is exact for constant gravity, so the ledger closes to round-off when gravity
 * changes. */
static void test_change_of_gravity_is_booked(void **unused)
{
    (void)unused;
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    ok(run_text(BALL("{name: a, at-most: 20 ms}, {name: b, at-most: 20 ms, gravity: [1, 2, 3]}"),
                &opt, &r, &msg),
       &msg);
    assert_true(fabs(r.energies.input) > 1e-5); /* J: the change is not small */
    assert_float_equal(r.energies.residual, 0, 1e-12 * fabs(r.energies.input) + 1e-15);
}

/* Two grains of the scene collided: what is asked for is obtained. 66 steps in a contact and the
   end of contact cut to whole steps make an error of a few thousandths. */
static void test_impact(void **unused)
{
    (void)unused;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_impact impact;
    mrn_message msg = {0};
    read_scene(BALL("{name: drop, at-most: 1 s}"), &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    ok(mrn_run_impact(&scene, &s, 0, 1, &impact, &msg), &msg);
    assert_true(impact.tried);
    assert_float_equal(impact.asked, 0.5, 0);
    assert_float_equal(impact.restitution, 0.5, 0.01);
    const mrn_prepared *law = &scene.interaction[0].ready;
    double m = 0.5 * s.body.mass[1], r = 0.5 * s.body.radius[1];
    double expected = law->part[MRN_LAW_NORMAL]->contact_time(law->coef[MRN_LAW_NORMAL], r, m, 1);
    /* the law may give the elastic contact time; damping makes it longer */
    assert_in_range(llround(100 * impact.contact_time / expected), 90, 140);
    s.body.n = s.body.n_walls; /* no grains: nothing to try, no error */
    ok(mrn_run_impact(&scene, &s, 0, 1, &impact, &msg), &msg);
    assert_false(impact.tried);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* ---- what goes wrong ---- */

static void test_step_above_the_limit_is_refused(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char out[128];
    snprintf(out, sizeof out, "%s/out", f.path);
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_status status =
        run_text(BALL("{name: drop, at-most: 1 s, time-step: 10 ms}"), &opt, &r, &msg);
    assert_int_equal(status, MRN_TOO_STIFF);
    assert_non_null(strstr(msg.text, "stability limit"));
    assert_true(msg.hint[0] != '\0');
    assert_int_equal(access(out, F_OK), -1);
    remove_tree(f.path);
}

/* A later stage with a bad step: the stage before is kept, and the run goes on once the step is
 * mended. */
static void test_later_step_above_the_limit(void **unused)
{
    (void)unused;
    folder f = make_folder(), g = make_folder();
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r;
    mrn_message msg = {0};
#define TWO(step)                                                                                  \
    BALL("{name: drop, at-most: 20 ms}, {name: on, at-most: 5 ms, time-step: " step "}")
    assert_int_equal(run_text(TWO("10 ms"), &opt, &r, &msg), MRN_TOO_STIFF);
    json_t *root = summary_of(f.path);
    assert_string_equal(json_string_value(json_object_get(root, "status")),
                        mrn_status_text(MRN_TOO_STIFF));
    json_decref(root);
    opt.resume = true;
    ok(run_text(TWO("10 us"), &opt, &r, &msg), &msg);
    assert_int_equal(r.steps, 500);
    uint64_t mended = r.hash;
    opt.resume = false;
    opt.out = g.path;
    ok(run_text(TWO("10 us"), &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, mended);
    remove_tree(f.path);
    remove_tree(g.path);
}

/* A given step above the advised one but stable: runs, and says so. */
static void test_step_above_the_advised_is_told(void **unused)
{
    (void)unused;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_message msg = {0};
    read_scene(BALL("{name: drop, until: {steps: 3}}"), &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    assert_float_equal(s.h, limit.advised, 0);
    assert_true(limit.advised < limit.critical);
    mrn_state_destroy(&s);
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    scene.time_step = 1.1 * limit.advised;
    ok(mrn_run(&scene, &opt, &r, &msg), &msg);
    assert_int_equal(r.n_warnings, 1);
    assert_non_null(strstr(r.warning[0].text, "advised"));
    mrn_scene_destroy(&scene);
}

/* Grains that have not come yet count with the smallest that an inlet may bring: the finest sieve.
   The step goes with the radius (Hertz: the time of an impact at a speed). */
static void test_step_of_the_finest_sieve(void **unused)
{
    (void)unused;
    static const char *const size[] = {"{sieve: [[4 mm, 0], [6 mm, 50], [8 mm, 100]]}", "4 mm",
                                       "8 mm"};
    double h[3];
    for (int k = 0; k < 3; k++) {
        char text[1024];
        mrn_scene scene = {0};
        mrn_state s = {0};
        mrn_step_limit limit;
        mrn_message msg = {0};
        snprintf(text, sizeof text,
                 "moraine: 1\nmaterials: {g: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
                 "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: "
                 "0.4}]\n"
                 "bodies: [{name: g, shape: {sphere: {diameter: %s}}, count: 10, velocity: [0, 0, "
                 "-1], place: {inlet: {box: [[0, 0, 5 cm], [5 cm, 5 cm, 8 cm]], rate: 100 1/s}}}]\n"
                 "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
                 "stages: [{until: {steps: 3}}]\n",
                 size[k]);
        read_scene(text, &scene);
        ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
        h[k] = s.h;
        mrn_state_destroy(&s);
        mrn_scene_destroy(&scene);
    }
    assert_true(h[0] == h[1]);
    assert_true(h[2] > 1.5 * h[1]);
}

/* A ball so soft that its own fall squeezes it flat. */
static void test_explosion(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_scene scene = {0};
    const char *set[] = {"materials.rubber.young=5 Pa"};
    ok(mrn_scene_read_text(BALL("{name: drop, at-most: 1 s}"), "test.yaml", set, 1, &scene, &msg),
       &msg);
    mrn_status status = mrn_run(&scene, &opt, &r, &msg);
    mrn_scene_destroy(&scene);
    assert_int_equal(status, MRN_EXPLODED);
    assert_true(msg.text[0] != '\0' && msg.hint[0] != '\0');
    json_t *root = summary_of(f.path);
    assert_string_equal(json_string_value(json_object_get(root, "status")), "exploded");
    assert_non_null(json_object_get(root, "message"));
    json_decref(root);
    remove_tree(f.path);
}

static void test_folder_rules(void **unused)
{
    (void)unused;
    folder f = make_folder();
    const char *scene = BALL("{name: drop, at-most: 1 ms}");
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r;
    mrn_message msg = {0};
    opt.resume = true;
    assert_int_equal(run_text(scene, &opt, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "nothing to resume"));
    opt.resume = false;
    ok(run_text(scene, &opt, &r, &msg), &msg);
    const char *names[] = {"summary.json",    "probes.csv",    "trajectory.h5",
                           "trajectory.xdmf", "checkpoint.h5", "scene.yaml"};
    for (int i = 0; i < 6; i++)
        assert_true(there_is(f.path, names[i]));
    char *before = slurp(f.path, "summary.json");
    assert_int_equal(run_text(scene, &opt, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "--force"));
    char *after = slurp(f.path, "summary.json");
    assert_string_equal(before, after);
    free(before);
    free(after);
    opt.overwrite = true;
    ok(run_text(scene, &opt, &r, &msg), &msg);
    opt.overwrite = false;
    opt.resume = true; /* another world may not go on from this checkpoint */
    assert_int_equal(run_text(TRAY("20", ""), &opt, &r, &msg), MRN_ERR_INPUT);
    opt.resume = false;
    char path[200];
    snprintf(path, sizeof path, "%s/summary.json/sub", f.path);
    opt.out = path;
    assert_int_equal(run_text(scene, &opt, &r, &msg), MRN_ERR_IO);
    opt.out = "/proc/moraine/run";
    assert_int_equal(run_text(scene, &opt, &r, &msg), MRN_ERR_IO);
    remove_tree(f.path);
}

/* The scene in its own folder is the user's: the run does not replace it. */
static void test_own_scene_is_kept(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/scene.yaml", f.path);
    FILE *file = fopen(path, "w");
    fputs(BALL("{name: drop, at-most: 1 ms}") "# mine\n", file);
    fclose(file);
    mrn_scene scene = {0};
    mrn_message msg = {0};
    const char *set[] = {"stages.0.at-most=2 ms"};
    ok(mrn_scene_read(path, set, 1, &scene, &msg), &msg);
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    mrn_run_result r;
    ok(mrn_run(&scene, &opt, &r, &msg), &msg);
    mrn_scene_destroy(&scene);
    char *text = slurp(f.path, "scene.yaml");
    assert_string_equal(text, BALL("{name: drop, at-most: 1 ms}") "# mine\n");
    free(text);
    remove_tree(f.path);
}

/* ---- columns of probes.csv ---- */

static void head_of(const char *list, char head[4096])
{
    char scene[8192];
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    snprintf(scene, sizeof scene, TRAY("4", "%s"), list);
    opt.out = f.path;
    opt.overwrite = true;
    ok(run_text(scene, &opt, &r, &msg), &msg);
    char *text = slurp(f.path, "probes.csv");
    snprintf(head, 4096, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    remove_tree(f.path);
}

static void test_columns_are_what_is_asked_for(void **unused)
{
    (void)unused;
    char head[4096];
    head_of("probes: [height, walls.floor.force.y]", head);
    assert_string_equal(head, "time [s],step,stage,height [m],walls.floor.force.y [N]");
    /* a rate brings its probe along; families and words */
    head_of("probes: [mean-x.rate, height, height.rate, coordination.rate]", head);
    assert_string_equal(head,
                        "time [s],step,stage,mean-x [m],mean-x.rate [m/s],height [m],height.rate "
                        "[m/s],coordination,coordination.rate [1/s]");
    head_of("probes: [fabric.*]", head);
    assert_non_null(strstr(head, "stage,fabric.xx,fabric.yy,"));
    assert_null(strstr(head, "height"));
    /* none: the usual ones, of a cell in the plane; far fewer than there are */
    head_of("", head);
    int columns = 1;
    for (const char *c = head; *c != '\0'; c++)
        columns += *c == ',';
    assert_in_range(columns, 20, 45);
    assert_non_null(strstr(head, ",kinetic-energy [J]"));
    assert_non_null(strstr(head, ",stress.xy [Pa]"));
    assert_null(strstr(head, "stress.xz"));
    assert_null(strstr(head, "fabric"));
    head_of("probes: [all]", head);
    assert_non_null(strstr(head, "angular-momentum-z"));
}

/* d/dt of a bed that has been thrown down without touching anything: v = -1 - g t, exact to the
   half step by which rows and velocities are apart. */
static void test_rates(void **unused)
{
    (void)unused;
    static const char scene[] =
        "moraine: 1\ndimension: 2\nmaterials: {stone: {density: 2600 kg/m3, young: 500 MPa, "
        "poisson: 0.25}}\ninteractions: [{between: any, law: linear, contact-time: 5 ms, "
        "restitution: "
        "0.6, friction: 0.5}]\nbodies: [{name: stone, shape: {disk: {radius: 5 mm}}, place: {list: "
        "[[0, "
        "1 m]]}}]\ngravity: [0, -9.81]\ntime-step: 0.1 ms\nstages: [{until: {time: 0.1 s}}]\n"
        "output: {probes-every: 10 ms, probes: [mean-y.rate]}\n";
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    opt.overwrite = true;
    ok(run_text(scene, &opt, &r, &msg), &msg);
    char *text = slurp(f.path, "probes.csv"), *line = strchr(text, '\n') + 1;
    int rows = 0;
    for (; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
        double time, y, rate = NAN;
        char row[256];
        snprintf(row, sizeof row, "%.*s", (int)strcspn(line, "\n"), line);
        int got = sscanf(row, "%lf,%*[^,],%*[^,],%lf,%lf", &time, &y, &rate);
        assert_int_equal(got, rows == 0 ? 2 : 3); /* the first row has nothing to count from */
        /* mean of -g t over the 10 ms before */
        if (rows > 0)
            assert_true(fabs(rate + 9.81 * (time - 0.005)) < 1e-9);
    }
    assert_in_range(rows, 11, 11);
    free(text);
    remove_tree(f.path);
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_what_is_asked_for),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_twice_in_a_row),
        cmocka_unit_test(test_output_changes_no_bit),
        cmocka_unit_test(test_gravity_in_a_straining_cell),
        cmocka_unit_test(test_resume_is_bit_exact),
        cmocka_unit_test(test_resume_of_what_is_driven),
        cmocka_unit_test(test_resume_of_a_finished_run),
        cmocka_unit_test(test_resume_with_another_stage),
        cmocka_unit_test(test_overlaps_are_told),
        cmocka_unit_test(test_resume_with_other_probes),
        cmocka_unit_test(test_stop_flag),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_conditions_end_stages),
        cmocka_unit_test(test_time_limit_is_told),
        cmocka_unit_test(test_change_of_gravity_is_booked),
        cmocka_unit_test(test_impact),
        cmocka_unit_test(test_step_above_the_limit_is_refused),
        cmocka_unit_test(test_later_step_above_the_limit),
        cmocka_unit_test(test_step_above_the_advised_is_told),
        cmocka_unit_test(test_step_of_the_finest_sieve),
        cmocka_unit_test(test_explosion),
        cmocka_unit_test(test_folder_rules),
        cmocka_unit_test(test_own_scene_is_kept),
        /* last: no test that forks comes after threads were made */
        cmocka_unit_test(test_threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
