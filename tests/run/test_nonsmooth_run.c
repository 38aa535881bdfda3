/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs of the non-smooth engine: pieces make the same bits as the whole, whatever the shapes,
   stages and drives; summary, probes and warnings tell how the problems went; problems come out as
   files that can be solved again. */
/* ctest-labels: slow */
#include <jansson.h>

#include "helper.h"

#define HEAD                                                                                       \
    "moraine: 1\n"                                                                                 \
    "title: Disks in a tray\n"                                                                     \
    "dimension: 2\n"                                                                               \
    "method: nonsmooth\nnonsmooth: {tolerance: 1e-4}\n"                                            \
    "materials: {stone: {density: 2600 kg/m3, young: 500 MPa, poisson: 0.25}}\n"                   \
    "interactions: [{between: any, law: linear, contact-time: 1 ms, restitution: 0.4, friction: "  \
    "0.5}]\n"

/* Many sizes, a servo, a shaken floor, another gravity: sums over bodies whose places in memory
   change, walls that move, stages. */
#define TRAY                                                                                       \
    HEAD                                                                                           \
        "bodies:\n"                                                                                \
        "  - name: stones\n"                                                                       \
        "    shape: {disk: {diameter: {uniform: [8 mm, 12 mm]}}}\n"                                \
        "    count: 40\n"                                                                          \
        "    velocity: [0, -1 m/s]\n"                                                              \
        "    place: {fill: {box: [[0, 0], [8 cm, 9 cm]]}}\n"                                       \
        "walls:\n"                                                                                 \
        "  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}\n"                              \
        "  - {name: lid, plane: {point: [0, 9 cm], normal: [0, -1]},\n"                            \
        "     motion: {servo: {direction: [0, -1], force: 1 kN}}}\n"                               \
        "cell: {periodic: [x], size: [8 cm, 0]}\n"                                                 \
        "gravity: [0, -9.81]\n"                                                                    \
        "stages:\n"                                                                                \
        "  - {name: fall, until: {steps: 90}}\n"                                                   \
        "  - {name: shake, until: {steps: 60}, walls: {floor: {motion: {shake: {amplitude: [0, 1 " \
        "mm], frequency: 100 Hz}}}}}\n"                                                            \
        "  - {name: tilt, until: {steps: 50}, gravity: [3, -9]}\n"                                 \
        "output: {every: 5 ms, probes-every: 2 ms, contacts: true}\n"

/* Polygons that enter and leave, and one on a hinge. */
#define GONS                                                                                       \
    HEAD "bodies:\n"                                                                               \
         "  - {name: gons, shape: {polygon: {sides: 5, diameter: {uniform: [8 mm, 12 mm]}}},\n"    \
         "     count: 12, place: {fill: {box: [[0, 0], [8 cm, 5 cm]]}}}\n"                         \
         "  - {name: new, shape: {polygon: {random: {variants: 3}, diameter: 8 mm}}, count: 9,\n"  \
         "     place: {inlet: {box: [[0, 6 cm], [8 cm, 8 cm]], rate: 200 1/s}}}\n"                 \
         "  - {name: arm, shape: {polygon: {box: [6, 1], diameter: 16 mm}},\n"                     \
         "     place: {list: [[12 cm, 3 cm]]}}\n"                                                  \
         "joints: [{name: pin, hinge: {between: [ground, arm], point: [13 cm, 3 cm]}}]\n"          \
         "outlets: [{name: out, box: [[0, -1 cm], [2 cm, 5 mm]]}]\n"                               \
         "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"                        \
         "gravity: [0, -9.81]\n"                                                                   \
         "stages: [{name: fall, until: {steps: 200}}]\n"                                           \
         "output: {every: 10 ms, contacts: true}\n"

/* ---- resume ---- */

static uint64_t run_in_pieces(const char *text, const char *out, const int64_t *piece, int n)
{
    mrn_run_result r = {0};
    for (int i = 0; i <= n; i++) {
        mrn_run_options opt = mrn_run_default();
        opt.out = out;
        opt.resume = i > 0;
        opt.max_steps = i < n ? piece[i] : 0;
        mrn_message msg = {0};
        mrn_status status = run_text(text, &opt, &r, &msg);
        if (i == n)
            ok(status, &msg);
        else
            assert_int_equal(status, MRN_INTERRUPTED);
    }
    return r.hash;
}

static void same_file(const char *a, const char *b, const char *name)
{
    char *s = slurp(a, name), *t = slurp(b, name);
    assert_string_equal(s, t);
    free(s);
    free(t);
}

static json_t *summary_of(const char *dir)
{
    char path[256];
    snprintf(path, sizeof path, "%s/summary.json", dir);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

/* How the problems went is part of the state: the whole report must come back too. */
static void same_report(const char *a, const char *b)
{
    json_t *s = summary_of(a), *t = summary_of(b);
    assert_non_null(json_object_get(s, "nonsmooth"));
    assert_true(json_equal(json_object_get(s, "nonsmooth"), json_object_get(t, "nonsmooth")));
    json_decref(s);
    json_decref(t);
}

static void compare_pieces(const char *text, const int64_t *piece, int n)
{
    folder f = make_folder();
    char whole[128], pieces[128];
    snprintf(whole, sizeof whole, "%s/whole", f.path);
    snprintf(pieces, sizeof pieces, "%s/pieces", f.path);
    uint64_t expected = run_in_pieces(text, whole, NULL, 0);
    assert_int_equal(run_in_pieces(text, pieces, piece, n), expected);
    same_file(whole, pieces, "probes.csv");
    same_report(whole, pieces);
    remove_tree(f.path);
}

static void test_resume_is_bit_exact(void **unused)
{
    (void)unused;
    /* N and N of 2 N; then in the middle of stages, on their ends, one step alone */
    compare_pieces(TRAY, (int64_t[]){100}, 1);
    compare_pieces(TRAY, (int64_t[]){37, 1, 52, 60, 13}, 5);
}

static void test_resume_with_polytopes_and_joints(void **unused)
{
    (void)unused;
    compare_pieces(GONS, (int64_t[]){100}, 1);
    compare_pieces(GONS, (int64_t[]){10, 83, 1}, 3);
}

static void test_threads_change_no_bit(void **unused)
{
    (void)unused;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        mrn_run_options opt = mrn_run_default();
        mrn_run_result r;
        mrn_message msg = {0};
        mrn_threads_set(1 + i);
        ok(run_text(TRAY, &opt, &r, &msg), &msg);
        hash[i] = r.hash;
    }
    mrn_threads_set(1);
    assert_int_equal(hash[1], hash[0]);
    assert_int_equal(hash[2], hash[0]);
}

/* ---- what is stated ---- */

static bool has_column(const char *dir, const char *name)
{
    char *text = slurp(dir, "probes.csv");
    text[strcspn(text, "\n")] = '\0';
    char first[4096], comma[64];
    snprintf(first, sizeof first, "%s,", text);
    snprintf(comma, sizeof comma, ",%s,", name);
    bool found = strstr(first, comma) != NULL;
    free(text);
    return found;
}

/* One word switches; what only one engine has stands in its files alone. */
static void test_files_of_both_methods(void **unused)
{
    (void)unused;
    static const char *const own[] = {"contact-points",
                                      "sweeps",
                                      "residual",
                                      "violation-mean",
                                      "violation-max",
                                      "unsolved",
                                      "overlap-max [m]",
                                      "overlap-mean [m]",
                                      "asleep",
                                      "projected-energy [J]",
                                      "energy-lost-scheme [J]"};
    for (int smooth = 0; smooth < 2; smooth++) {
        folder f = make_folder();
        mrn_scene scene = {0};
        mrn_message msg = {0};
        const char *set[] = {smooth ? "method=smooth" : "method=nonsmooth"};
        ok(mrn_scene_read_text(TRAY, "t.yaml", set, 1, &scene, &msg), &msg);
        mrn_run_options opt = mrn_run_default();
        mrn_run_result r;
        opt.out = f.path;
        ok(mrn_run(&scene, &opt, &r, &msg), &msg);
        mrn_scene_destroy(&scene);
        assert_int_equal(r.n_lines, smooth ? 0 : 2);
        assert_true(smooth || strcmp(r.line[0].label, "problems") == 0);
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            assert_int_equal(has_column(f.path, own[k]), !smooth);
        assert_true(has_column(f.path, "max-overlap"));
        json_t *s = summary_of(f.path), *n = json_object_get(s, "nonsmooth");
        assert_int_equal(n != NULL, !smooth);
        assert_true(smooth || json_number_value(json_object_get(n, "solves")) >= 200);
        assert_true(smooth || json_number_value(json_object_get(n, "sweeps-mean")) > 0);
        assert_non_null(json_object_get(json_object_get(s, "ledger"), "lost-scheme"));
        /* every part of the energy is booked: what is missing is rounding */
        double left =
            json_number_value(json_object_get(json_object_get(s, "energies"), "residual"));
        double lost =
            json_number_value(json_object_get(json_object_get(s, "energies"), "dissipated"));
        assert_true(lost > 0 && (smooth || fabs(left) < 1e-9 * lost));
        json_decref(s);
        remove_tree(f.path);
    }
}

static const mrn_warning *warning_of(const mrn_run_result *r, const char *kind)
{
    for (int i = 0; i < r->n_warnings; i++)
        if (strcmp(r->warning[i].kind, kind) == 0)
            return &r->warning[i];
    return NULL;
}

static mrn_status run_with(const char *out, bool resume, const char *const *set, int n,
                           mrn_run_result *r, mrn_message *msg)
{
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    opt.resume = resume;
    ok(mrn_scene_read_text(TRAY, "t.yaml", set, n, &scene, msg), msg);
    mrn_status status = mrn_run(&scene, &opt, r, msg);
    mrn_scene_destroy(&scene);
    return status;
}

/* Steps that are not solved are counted, told once with the last numbers, and the first ten are
   kept as files that can be read. */
static void test_unsolved_are_kept(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_result r;
    mrn_message msg = {0};
    const char *set[] = {"nonsmooth.max-iterations=1", "nonsmooth.tolerance=1e-13",
                         "nonsmooth.unsolved=go-on"};
    ok(run_with(f.path, false, set, 3, &r, &msg), &msg);
    const mrn_warning *w = warning_of(&r, "unsolved");
    assert_non_null(w);
    assert_int_equal(w->count, 1);
    json_t *s = summary_of(f.path), *n = json_object_get(s, "nonsmooth");
    double unsolved = json_number_value(json_object_get(n, "unsolved"));
    char begin[32];
    snprintf(begin, sizeof begin, "%.0f of ", unsolved);
    assert_true(unsolved > 10 && strncmp(w->text, begin, strlen(begin)) == 0);
    assert_int_equal(r.n_unsolved_files, MRN_UNSOLVED_MAX);
    assert_int_equal(json_array_size(json_object_get(n, "unsolved-files")), MRN_UNSOLVED_MAX);
    assert_non_null(strstr(w->text, r.unsolved_file[0]));
    for (int k = 0; k < r.n_unsolved_files; k++) {
        char path[256];
        mrn_problem p = {0};
        snprintf(path, sizeof path, "%s/unsolved/%s", f.path, r.unsolved_file[k]);
        ok(mrn_fclib_read(path, &p, NULL, &msg), &msg);
        assert_true(p.n > 0);
        mrn_problem_release(&p);
    }
    json_decref(s);
    /* another run in the same folder clears them away */
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    opt.overwrite = true;
    read_scene(TRAY, &scene);
    ok(mrn_run(&scene, &opt, &r, &msg), &msg);
    mrn_scene_destroy(&scene);
    assert_false(there_is(f.path, "unsolved"));
    remove_tree(f.path);
}

/* A run that is to stop does so before the step, with a checkpoint; with a solver that is given
   more time it goes on from there. */
static void test_stop_and_go_on(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_result r;
    mrn_message msg = {0};
    const char *stop[] = {"nonsmooth.max-iterations=1", "nonsmooth.tolerance=1e-13",
                          "nonsmooth.unsolved=stop"};
    assert_int_equal(run_with(f.path, false, stop, 3, &r, &msg), MRN_NOT_CONVERGED);
    assert_true(r.steps < 200);
    assert_true(there_is(f.path, "checkpoint.h5"));
    assert_int_equal(r.n_unsolved_files, 1);
    ok(run_with(f.path, true, NULL, 0, &r, &msg), &msg);
    assert_true(r.steps > 0);
    /* what it computes must stay */
    const char *other[] = {"nonsmooth.theta=0.8"};
    assert_int_equal(run_with(f.path, true, other, 1, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "another nonsmooth.theta"));
    remove_tree(f.path);
}

/* A given step is never changed; one with which grains leap is stated, also where they leap through
   the floor. */
static void test_long_step(void **unused)
{
    (void)unused;
    mrn_run_result r;
    mrn_message msg = {0};
    const char *set[] = {"time-step=4 ms", "stages.0.until.steps=60", "nonsmooth.theta=1"};
    mrn_status status = run_with(NULL, false, set, 3, &r, &msg);
    assert_int_equal(status, MRN_EXPLODED);
    assert_non_null(warning_of(&r, "time-step-long"));
    assert_non_null(warning_of(&r, "fast"));
    assert_null(warning_of(&r, "time-step-shrunk"));
    assert_null(warning_of(&r, "restitution"));
}

/* A balance of forces tells little where grains creep: that is stated, and only there. */
static void test_creep(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static const char *const tolerance[] = {
            "nonsmooth.tolerance=1e-3", "nonsmooth.tolerance=1e-4", "nonsmooth.tolerance=1e-3"};
        const char *until =
            k < 2 ? "stages.0.until={unbalanced-force-ratio: 1000}" : "stages.0.until={steps: 20}";
        mrn_run_result r;
        mrn_message msg = {0};
        const char *set[] = {tolerance[k], until, "stages.0.at-most=50 ms"};
        mrn_status status = run_with(NULL, false, set, k < 2 ? 3 : 2, &r, &msg);
        if (status != MRN_OK && status != MRN_AT_MOST)
            ok(status, &msg);
        assert_true((warning_of(&r, "creep") != NULL) == (k == 0));
    }
}

/* ---- problems as files ---- */

static void test_problems_of_steps(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r, bare;
    mrn_message msg = {0};
    const int64_t at[] = {160, 80};
    ok(run_text(TRAY "time-step: 0.5 ms\n", &opt, &bare, &msg), &msg);
    opt.out = f.path;
    opt.problem_at = at;
    opt.n_problems = 2;
    ok(run_text(TRAY "time-step: 0.5 ms\n", &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, bare.hash); /* looking changes nothing */
    for (int k = 0; k < 2; k++) {
        char path[128];
        mrn_problem p = {0};
        mrn_fclib_notes notes = {0};
        mrn_measures m;
        snprintf(path, sizeof path, "%s/problems/step-%d.hdf5", f.path, (int)at[k]);
        ok(mrn_fclib_read(path, &p, &notes, &msg), &msg);
        assert_non_null(notes.guess);
        /* the impulses of the step solve it: to the tolerance of the scene, 1e-4, and a little for
           the sums of W r taken in another order */
        ok(mrn_measure_answer(&p, notes.guess, NULL, &m, &msg), &msg);
        assert_true(m.natural < 1.01e-4);
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
    }
    remove_tree(f.path);
    opt.out = NULL;
    assert_int_equal(run_text(TRAY, &opt, &r, &msg), MRN_ERR_RANGE); /* where to? */
    mrn_scene scene = {0};
    const char *set[] = {"method=smooth"};
    opt.problem_path = "/nowhere/p.hdf5";
    ok(mrn_scene_read_text(TRAY, "t.yaml", set, 1, &scene, &msg), &msg);
    assert_int_equal(mrn_run(&scene, &opt, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.expected, "nonsmooth"));
    mrn_scene_destroy(&scene);
}

/* The step after a state is the step the run would make; the state stays as it is. */
static void test_problem_of_a_state(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_message msg = {0};
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_nonsmooth *e = NULL;
    mrn_problem p = {0};
    mrn_problem_file facts = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/p.hdf5", f.path);
    read_scene(TRAY, &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    ok(mrn_nonsmooth_create(&scene, &s, &e, &msg), &msg);
    ok(mrn_nonsmooth_step(e, 60, &msg), &msg);
    uint64_t before = mrn_state_hash(&s);
    ok(mrn_run_write_problem(&scene, &s, path, false, &facts, &msg), &msg);
    assert_int_equal(mrn_state_hash(&s), before);
    assert_int_equal(mrn_run_write_problem(&scene, &s, path, false, NULL, &msg), MRN_ERR_IO);
    ok(mrn_nonsmooth_step(e, 1, &msg), &msg);
    const mrn_problem *own = mrn_nonsmooth_problem(e, NULL);
    ok(mrn_fclib_read(path, &p, NULL, &msg), &msg);
    assert_int_equal(facts.step, 61);
    assert_int_equal(p.n, own->n);
    assert_int_equal(p.n, facts.contacts);
    assert_memory_equal(p.q, own->q, (size_t)p.n * 2 * sizeof(double));
    mrn_problem_release(&p);
    mrn_nonsmooth_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    remove_tree(f.path);
}

/* ---- beside the smooth engine, and without memory ---- */

static void test_diff_of_methods(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_scene a = {0}, b = {0};
    mrn_parting p;
    mrn_diff_options opt = mrn_diff_default();
    const char *set[] = {"method=smooth"};
    opt.after = 16;
    read_scene(TRAY, &a);
    ok(mrn_scene_read_text(TRAY, "t.yaml", set, 1, &b, &msg), &msg);
    ok(mrn_run_diff(&a, &b, &opt, &p, &msg), &msg);
    assert_true(p.apart && p.n_gaps > 1);
    mrn_scene_destroy(&a);
    mrn_scene_destroy(&b);
}

/* The k-th allocation fails: the run says so or does not notice, and nothing is left behind. */
static void test_without_memory(void **unused)
{
    (void)unused;
    size_t bytes = mrn_bytes_in_use();
    const char *set[] = {"stages.0.until.steps=4", "stages.1.until.steps=2",
                         "stages.2.until.steps=2", "bodies.0.count=12"};
    int64_t n = 0;
    for (int64_t k = 0; k <= n; k += k == 0 ? 1 : 3) {
        int64_t before = mrn_alloc_count();
        mrn_scene scene = {0};
        mrn_message msg = {0};
        mrn_run_result r;
        mrn_run_options opt = mrn_run_default();
        mrn_alloc_fail_at(k);
        mrn_status status = mrn_scene_read_text(TRAY, "t.yaml", set, 4, &scene, &msg);
        if (status == MRN_OK)
            status = mrn_run(&scene, &opt, &r, &msg);
        mrn_alloc_fail_at(0);
        mrn_scene_destroy(&scene);
        n = k == 0 ? mrn_alloc_count() - before : n;
        if (status != (k == 0 ? MRN_OK : MRN_ERR_MEMORY))
            fail_msg("allocation %lld of %lld: %s", (long long)k, (long long)n, msg.text);
        assert_int_equal(mrn_bytes_in_use(), bytes);
    }
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume_is_bit_exact),
        cmocka_unit_test(test_resume_with_polytopes_and_joints),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_files_of_both_methods),
        cmocka_unit_test(test_unsolved_are_kept),
        cmocka_unit_test(test_stop_and_go_on),
        cmocka_unit_test(test_long_step),
        cmocka_unit_test(test_creep),
        cmocka_unit_test(test_problems_of_steps),
        cmocka_unit_test(test_problem_of_a_state),
        cmocka_unit_test(test_diff_of_methods),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
