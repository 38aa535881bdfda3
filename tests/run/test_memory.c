/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The k-th allocation fails, for every k of a whole small run: each time the run says "out of
   memory" or does without, to the same bits, nothing leaks, nothing crashes, and a run afterwards
   is as if nothing had been. */
/* ctest-labels: slow */
#include "helper.h"

static const char smooth_text[] =
    "moraine: 1\n"
    "dimension: 3\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "
    "0.5}]\n"
    "bodies:\n"
    "  - {name: stones, material: stone, shape: {sphere: {diameter: 1 cm}}, velocity: [0, 0, -5 "
    "m/s],\n"
    "     count: 6, place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"
    "cell: {periodic: [x, y], size: [3 cm, 3 cm, 0]}\n"
    "stages:\n"
    "  - {name: a, until: {steps: 20}}\n"
    "  - {name: b, until: {steps: 20}, gravity: [0, 0, -1], output: {every: 1 ms},\n"
    "     interactions: [{between: [stone, stone], friction: 0.1}]}\n"
    "output: {every: 0.5 ms, contacts: true, probes: [walls.floor.force.z]}\n";

static const char nonsmooth_text[] =
    "moraine: 1\nmethod: nonsmooth\ntime-step: 1 ms\n"
    "materials: {stone: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: rigid, restitution: 0.3, friction: 0.5}]\n"
    "bodies: [{name: cubes, shape: {polyhedron: {regular: cube, diameter: 1 cm}}, velocity: [0, 0, "
    "-2 m/s],\n  count: 5, place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 5 cm]]}}}]\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\nstages: [{until: {steps: 12}}]\n"
    "output: {every: 4 ms, contacts: true, probes: [walls.floor.force.z]}\n";

static const char event_text[] =
    "moraine: 1\nmethod: event\n"
    "materials: {stone: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: rigid, restitution: 0.9, friction: 0.2}]\n"
    "bodies: [{name: balls, shape: {sphere: {diameter: 1 cm}}, velocity-spread: 1 m/s,\n"
    "  count: 8, place: {fill: {box: [[0, 0, 0], [4 cm, 4 cm, 4 cm]]}}}]\n"
    "walls: [{name: box, box: {corners: [[0, 0, 0], [4 cm, 4 cm, 4 cm]]}}]\n"
    "stages: [{until: {time: 100 ms}}]\noutput: {every: 50 ms, probes: [kinetic-energy]}\n";

/* Sixteen disks side by side in a cell, pressed harder: 4 rows of 4, 1e4 N/m at 10 N/m. */
static const char quasistatic_text[] =
    "moraine: 1\ndimension: 2\nmethod: quasistatic\n"
    "materials: {disk: {density: 2500 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e4 N/m, stiffness-ratio: 0.5,\n"
    "  restitution: 0.5, friction: 1}]\n"
    "cell: {periodic: [x, y], size: [39.9 mm, 34.555 mm], control: {isotropic: 45 Pa}}\n"
    "stages: [{at-most: 1 s, quasistatic: {increments: 3}}]\n"
    "bodies: [{name: disks, shape: {disk: {diameter: 1 cm}}, place: {list: [[2.5 mm, 4.3 mm],\n"
    "  [12.475 mm, 4.3 mm], [22.45 mm, 4.3 mm], [32.425 mm, 4.3 mm], [7.4875 mm, 12.93875 mm],\n"
    "  [17.4625 mm, 12.93875 mm], [27.4375 mm, 12.93875 mm], [37.4125 mm, 12.93875 mm],\n"
    "  [2.5 mm, 21.5775 mm], [12.475 mm, 21.5775 mm], [22.45 mm, 21.5775 mm],\n"
    "  [32.425 mm, 21.5775 mm], [7.4875 mm, 30.21625 mm], [17.4625 mm, 30.21625 mm],\n"
    "  [27.4375 mm, 30.21625 mm], [37.4125 mm, 30.21625 mm]]}}]\n"
    "output: {every: 0.5 s}\n";

static const char *scene_text = smooth_text;

/* Reads, runs, cleans up; everything counted by the allocator. */
static mrn_status whole(const char *out, bool resume, int64_t max_steps, uint64_t *hash)
{
    mrn_message msg = {0};
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    opt.resume = resume;
    opt.overwrite = !resume;
    opt.max_steps = max_steps;
    mrn_run_result r = {0};
    mrn_status status = mrn_scene_read_text(scene_text, "test.yaml", NULL, 0, &scene, &msg);
    if (status == MRN_OK)
        status = mrn_run(&scene, &opt, &r, &msg);
    mrn_scene_destroy(&scene);
    if (status < 0 && status != msg.status)
        fail_msg("the message does not say what the status says: %s", msg.text);
    *hash = r.hash;
    return status;
}

static int64_t allocations_of(const char *out, bool resume, uint64_t *hash)
{
    int64_t before = mrn_alloc_count();
    assert_int_equal(whole(out, resume, 0, hash), MRN_OK);
    return mrn_alloc_count() - before;
}

/* Every k for runs without files; with files (each run writes HDF5, a hundred times slower) every
 * `stride`-th. */
static void fail_each(const char *out, int64_t stride)
{
    uint64_t expected, hash;
    int64_t n = allocations_of(out, false, &expected);
    size_t before = mrn_bytes_in_use();
    assert_true(n > 20);
    for (int64_t k = 1; k <= n; k += stride) {
        mrn_alloc_fail_at(k);
        mrn_status status = whole(out, false, 0, &hash);
        mrn_alloc_fail_at(0);
        /* where a quicker way lacks memory the plain one may go on, with the same bits */
        if (status != MRN_ERR_MEMORY && !(status == MRN_OK && hash == expected))
            fail_msg("allocation %lld of %lld failed and the run said: %s", (long long)k,
                     (long long)n, mrn_status_text(status));
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(whole(out, false, 0, &hash), MRN_OK);
    assert_int_equal(hash, expected);
}

static void test_without_files(void **unused)
{
    (void)unused;
    fail_each(NULL, 1);
}

/* A whole run of each of the other methods; of many allocations some hundred and sixty, all of them
   with MRN_FUZZ set. */
static void test_methods(void **unused)
{
    (void)unused;
    static const char *const text[] = {nonsmooth_text, event_text, quasistatic_text};
    for (int m = 0; m < 3; m++) {
        uint64_t hash;
        scene_text = text[m];
        int64_t n = allocations_of(NULL, false, &hash);
        printf("%lld allocations\n", (long long)n);
        fail_each(NULL, getenv("MRN_FUZZ") != NULL ? 1 : n / 160 + 1);
    }
    scene_text = smooth_text;
}

static void test_with_files(void **unused)
{
    (void)unused;
    folder f = make_folder();
    fail_each(f.path, 11);
    remove_tree(f.path);
}

/* A resume that lacks memory leaves the checkpoint for the next try. */
static void test_resume(void **unused)
{
    (void)unused;
    folder f = make_folder(), g = make_folder();
    uint64_t expected, hash;
    assert_int_equal(whole(g.path, false, 0, &expected), MRN_OK);
    assert_int_equal(whole(f.path, false, 17, &hash), MRN_INTERRUPTED);
    size_t before = mrn_bytes_in_use();
    for (int64_t k = 1; k <= 150; k += 7) {
        mrn_alloc_fail_at(k);
        mrn_status status = whole(f.path, true, 0, &hash);
        mrn_alloc_fail_at(0);
        assert_int_equal(status, MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(whole(f.path, true, 0, &hash), MRN_OK);
    assert_int_equal(hash, expected);
    remove_tree(f.path);
    remove_tree(g.path);
}

static mrn_status both(mrn_parting *p)
{
    mrn_message msg = {0};
    mrn_scene a = {0}, b = {0};
    const char *set[] = {"interactions.0.friction=0.4"};
    mrn_diff_options opt = mrn_diff_default();
    mrn_status status = mrn_scene_read_text(scene_text, "a.yaml", NULL, 0, &a, &msg);
    if (status == MRN_OK)
        status = mrn_scene_read_text(scene_text, "b.yaml", set, 1, &b, &msg);
    if (status == MRN_OK)
        status = mrn_run_diff(&a, &b, &opt, p, &msg);
    mrn_scene_destroy(&a);
    mrn_scene_destroy(&b);
    return status;
}

/* Two runs beside each other; every eleventh allocation. */
static void test_diff(void **unused)
{
    (void)unused;
    mrn_parting p;
    int64_t before = mrn_alloc_count();
    assert_int_equal(both(&p), MRN_OK);
    int64_t n = mrn_alloc_count() - before;
    size_t bytes = mrn_bytes_in_use();
    for (int64_t k = 1; k <= n; k += 11) {
        mrn_alloc_fail_at(k);
        mrn_status status = both(&p);
        mrn_alloc_fail_at(0);
        assert_int_equal(status, MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), bytes);
    }
}

/* A run that explodes while memory lacks: it says one or the other, and leaves nothing behind. */
static void test_postmortem(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_message msg = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = f.path;
    opt.overwrite = true;
    const char *set[] = {"materials.stone.young=10 Pa", "accuracy=fine"};
    size_t bytes = mrn_bytes_in_use();
    int64_t n = 0;
    for (int64_t k = 0; k <= n; k += k == 0 ? 1 : 47) {
        int64_t before = mrn_alloc_count();
        mrn_scene scene = {0};
        mrn_run_result r;
        mrn_alloc_fail_at(k);
        mrn_status status = mrn_scene_read_text(scene_text, "a.yaml", set, 2, &scene, &msg);
        if (status == MRN_OK)
            status = mrn_run(&scene, &opt, &r, &msg);
        mrn_alloc_fail_at(0);
        mrn_scene_destroy(&scene);
        n = k == 0 ? mrn_alloc_count() - before : n;
        assert_true(status == MRN_EXPLODED || (k > 0 && status == MRN_ERR_MEMORY));
        assert_true(k > 0 || r.postmortem[0] != '\0');
        assert_int_equal(mrn_bytes_in_use(), bytes);
    }
    remove_tree(f.path);
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_files), cmocka_unit_test(test_with_files),
        cmocka_unit_test(test_resume),        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_postmortem),    cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
