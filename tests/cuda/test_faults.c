/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device has no more memory at its k-th allocation, or is lost at its k-th call, for every k of
   a small run with checkpoints, walls that turn, lists, contacts that live on and gravity that
   changes: each time the run ends with a message that says so, nothing leaks, and the last
   checkpoint, where there is one, is resumed on the processor to the bits of a run that went well.
 */
/* ctest-labels: slow */
/* ctest-timeout: 300 */
#include "cuda/gpu.h"
#include "moraine/moraine.h"
#include "run/helper.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: {normal: tsuji, tangential: mindlin, cohesion: "
    "liquid-bridge},\n"
    "  restitution: 0.6, friction: 0.5, damping-ratio: 0, surface-tension: 0.07 N/m,\n"
    "  liquid-volume: 1e-9 m3}]\n"
    "clusters: {pair: {form: dimer, aspect: 1.6}}\n"
    "bodies:\n"
    "  - {name: stones, material: stone, shape: {sphere: {diameter: 1 cm}},\n"
    "     velocity: [1 m/s, 0, -5 m/s], count: 8, place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 "
    "cm]]}}}\n"
    "  - {name: pairs, material: stone, shape: {cluster: {of: pair, diameter: 7 mm}},\n"
    "     velocity: [0, 1 m/s, -3 m/s], count: 4, place: {fill: {box: [[0, 0, 3 cm], [3 cm, 3 cm, "
    "5 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"
    "         motion: {spin: [0, 0, 50 rad/s]}}]\n"
    "cell: {periodic: [x, y], size: [3 cm, 3 cm, 0]}\n"
    "gravity: [\"3*sin(900*t)\", 0, -9.81]\n"
    "time-step: 40 us\n"
    "stages:\n"
    "  - {name: a, until: {steps: 14}}\n"
    "  - {name: b, until: {steps: 10}}\n"
    "output: {every: 0.5 ms, checkpoint-every: 0.25 ms, probes: [walls.floor.force.z]}\n";

/* In memory where there is such a place: a run makes sure that its files are on the disk. */
static folder quick_folder(void)
{
    folder f = {"/dev/shm/moraine-XXXXXX"};
    return mkdtemp(f.path) != NULL ? f : make_folder();
}

static bool many; /* so many grains that lists outgrow their room under way */

/* Reads, runs, cleans up. */
static mrn_status whole(const char *out, const char *device, bool resume, uint64_t *hash,
                        mrn_message *msg)
{
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    char set[32];
    const char *const word[] = {set, "bodies.0.shape.sphere.diameter=3 mm", "bodies.0.count=200"};
    snprintf(set, sizeof set, "device=%s", device);
    opt.out = out;
    opt.resume = resume;
    opt.overwrite = !resume;
    mrn_run_result r = {0};
    memset(msg, 0, sizeof *msg);
    mrn_status status =
        mrn_scene_read_text(scene_text, "test.yaml", word, many ? 3 : 1, &scene, msg);
    if (status == MRN_OK)
        status = mrn_run(&scene, &opt, &r, msg);
    mrn_scene_destroy(&scene);
    *hash = r.hash;
    return status;
}

static void has(const mrn_message *msg, const char *words)
{
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    if (strstr(text, words) == NULL)
        fail_msg("no \"%s\" in: %s", words, text);
}

/* What is left of a run that failed goes on elsewhere; one without a checkpoint begins anew. */
static void resumed(const char *out, uint64_t expected, int64_t *with)
{
    mrn_message msg;
    uint64_t hash;
    bool kept = there_is(out, "checkpoint.h5");
    *with += kept;
    ok(whole(out, "cpu", kept, &hash, &msg), &msg);
    assert_int_equal(hash, expected);
}

/* The k-th call fails: false where the run made fewer and went well. How far lists reach, and so
   how many calls a run makes, follows from what they cost by the clock: a busy machine makes it
   vary. */
static bool fail_one(mrn_gpu_fault what, int64_t k, mrn_status status, const char *words,
                     uint64_t expected, int64_t *with)
{
    folder f = quick_folder();
    mrn_message msg;
    uint64_t hash;
    size_t before = mrn_bytes_in_use();
    int64_t calls = mrn_gpu_emulated_calls(what);
    mrn_gpu_emulated_fail_at(what, k);
    mrn_status st = whole(f.path, "emulated", false, &hash, &msg);
    mrn_gpu_emulated_fail_at(what, 0);
    bool reached = mrn_gpu_emulated_calls(what) - calls >= k;
    if (st != (reached ? status : MRN_OK))
        fail_msg("call %lld %s and the run said: %s", (long long)k,
                 reached ? "failed" : "was not made", mrn_status_text(st));
    assert_int_equal(mrn_bytes_in_use(), before);
    if (reached) {
        assert_int_equal(msg.status, status);
        has(&msg, words);
        has(&msg, "--device cpu");
        resumed(f.path, expected, with);
        assert_int_equal(mrn_bytes_in_use(), before);
    } else {
        assert_int_equal(hash, expected);
    }
    remove_tree(f.path);
    return reached;
}

static void fail_each(mrn_gpu_fault what, mrn_status status, const char *words)
{
    folder good = quick_folder();
    mrn_message msg;
    uint64_t expected, hash;
    ok(whole(good.path, "cpu", false, &expected, &msg), &msg);
    int64_t n = mrn_gpu_emulated_calls(what), with = 0, failed = 0;
    ok(whole(good.path, "emulated", false, &hash, &msg), &msg);
    n = mrn_gpu_emulated_calls(what) - n;
    assert_int_equal(hash, expected);
    remove_tree(good.path);
    for (int64_t k = 1; k <= n; k++)
        failed += fail_one(what, k, status, words, expected, &with);
    printf("%lld calls that failed, %lld of them after a checkpoint\n", (long long)failed,
           (long long)with);
    assert_true(failed > 20 && failed > 3 * n / 4);
    assert_true(with > (what == MRN_GPU_FAULT_MEMORY ? 0 : failed / 2));
}

static void no_memory(void **state)
{
    (void)state;
    many = true;
    fail_each(MRN_GPU_FAULT_MEMORY, MRN_ERR_MEMORY, "too little memory");
    many = false;
}

static void lost(void **state)
{
    (void)state;
    fail_each(MRN_GPU_FAULT_LOST, MRN_ERR_MACHINE, "has failed: it was lost");
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
