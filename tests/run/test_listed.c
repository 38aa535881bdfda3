/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long lists of plain grains go as soon as they are placed: later stages, checkpoints and resumed
   runs do without, and end in the same bits; the scene that lent its list is spent if it says so.
 */
#include "run/helper.h"

enum { SIDE = 40 };

/* Disks in a loose lattice. */
static char *scene_text(void)
{
    size_t room = SIDE * SIDE * 100 + 2000, n = 0;
    char *text = calloc(1, room);
    assert_non_null(text);
    n += (size_t)snprintf(text, room,
                          "moraine: 1\ndimension: 2\n"
                          "materials: {rods: {density: 2600 kg/m3}}\n"
                          "interactions: [{between: any, law: linear, normal-stiffness: 1e8 N/m, "
                          "restitution: 0.3, friction: 0.4}]\n"
                          "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"
                          "cell: {periodic: [x], size: [0.4, 1]}\ngravity: [1, -9.81]\n"
                          "output: {every: 1 ms}\n"
                          "stages: [{name: fall, until: {time: 2 ms}}, {name: slide, gravity: [4, "
                          "-9.81], until: {time: 2 ms}}]\n"
                          "bodies: [{name: rods, shape: {disk: {}}, place: {list: [\n");
    for (int k = 0; k < SIDE * SIDE; k++)
        n += (size_t)snprintf(text + n, room - n, "{position: [%g, %g], radius: %g mm}%s\n",
                              0.01 * (k % SIDE + 0.5), 0.0099 * (k / SIDE + 0.5),
                              4.9 - 0.01 * (k % 7), k + 1 < SIDE * SIDE ? "," : "]}}]");
    return text;
}

static mrn_status go(const char *text, const char *out, bool resume, int64_t most, bool spend,
                     uint64_t *hash)
{
    mrn_scene scene = {0};
    mrn_message msg = {0};
    mrn_run_result r = {0};
    mrn_run_options opt = mrn_run_default();
    read_scene(text, &scene);
    opt.out = out, opt.resume = resume, opt.max_steps = most;
    opt.spent = spend ? &scene : NULL;
    mrn_status status = mrn_run(&scene, &opt, &r, &msg);
    if (status != MRN_INTERRUPTED)
        ok(status, &msg);
    *hash = r.hash;
    assert_true((scene.group[0].grain == NULL) == spend);
    if (spend) {
        opt.out = NULL, opt.resume = false;
        assert_int_equal(mrn_run(&scene, &opt, &r, &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, "given back"));
    }
    mrn_scene_destroy(&scene);
    return status;
}

static void same_bits(void **unused)
{
    (void)unused;
    char *plain = scene_text();
    folder f = make_folder();
    char whole[128], pieces[128];
    uint64_t all, kept, end;
    snprintf(whole, sizeof whole, "%s/whole", f.path);
    snprintf(pieces, sizeof pieces, "%s/pieces", f.path);
    size_t before = mrn_bytes_in_use();
    assert_int_equal(go(plain, whole, false, 0, true, &all), MRN_OK);
    assert_int_equal(go(plain, NULL, false, 0, false, &kept), MRN_OK);
    assert_int_equal(all, kept);
    assert_int_equal(go(plain, pieces, false, 40, true, &end), MRN_INTERRUPTED);
    for (bool spend = true; go(plain, pieces, true, 100, spend, &end) == MRN_INTERRUPTED;)
        spend = !spend;
    assert_int_equal(end, all);
    assert_int_equal(mrn_bytes_in_use(), before);
    free(plain);
    remove_tree(f.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
