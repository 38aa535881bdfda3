/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a run: the rows of probes.csv, whether they are written or not, and the ends of stages
   before the next one begins. */
#include "run/helper.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {steel: {density: 7800 kg/m3}}\n"
    "interactions: [{between: any, law: linear, contact-time: 5 ms, restitution: 0.5, friction: "
    "0.3}]\n"
    "bodies: [{name: ball, shape: {sphere: {radius: 1 cm}}, place: {list: [[0, 0, 10 cm]]}}]\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages:\n"
    "  - {name: one, until: {time: 33 ms}}\n"
    "  - {name: two, gravity: [0, 0, 0], until: {time: 20 ms}, output: {every: 20 ms, "
    "probes-every: 4 ms}}\n"
    "  - {name: three, until: {steps: 7}}\n"
    "output: {every: 20 ms, probes-every: 10 ms}\n";

enum { MOST = 64 };
typedef struct samples {
    int n, ends;
    double time[MOST], gravity[8];
    int64_t step[MOST];
    int stage[MOST], ended[8];
    int64_t last_row;
} samples;

static void take(const mrn_progress *p, void *user)
{
    samples *s = user;
    assert_true(p->row != p->ended); /* a row that ends a stage comes twice */
    assert_int_equal(p->state->stage, p->stage);
    if (p->row)
        s->last_row = p->state->step;
    if (p->ended) {
        s->gravity[s->ends] = p->state->gravity[2];
        s->ended[s->ends++] = p->stage;
    }
    /* the table ends with the last instant */
    bool last = p->ended && p->stage == p->scene->n_stages - 1 && s->last_row != p->state->step;
    if (!p->row && !last)
        return;
    s->time[s->n] = p->state->time;
    s->stage[s->n] = p->stage;
    s->step[s->n++] = p->state->step;
}

static samples run_once(const char *out, uint64_t *hash)
{
    samples s = {.last_row = -1};
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = out;
    opt.sample = take;
    opt.user = &s;
    ok(run_text(scene_text, &opt, &r, &msg), &msg);
    *hash = r.hash;
    return s;
}

static void test_rows_are_those_of_the_table(void **unused)
{
    (void)unused;
    folder f = make_folder();
    uint64_t hash[3];
    samples with = run_once(f.path, &hash[0]), without = run_once(NULL, &hash[1]);
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    ok(run_text(scene_text, &opt, &r, &msg), &msg);
    assert_true(hash[0] == hash[1] && hash[1] == r.hash); /* looking changes no bit */
    assert_memory_equal(&with, &without, sizeof with);
    char *text = slurp(f.path, "probes.csv"), *line = strchr(text, '\n') + 1;
    static const char *const names[] = {"one", "two", "three"};
    for (int i = 0; i < with.n; i++, line = strchr(line, '\n') + 1) {
        double time;
        long step;
        char stage[16];
        assert_int_equal(sscanf(line, "%lf,%ld,%15[a-z],", &time, &step, stage), 3);
        assert_true(time == with.time[i] && step == with.step[i]);
        assert_string_equal(stage, names[with.stage[i]]);
    }
    assert_int_equal(*line, '\0');
    assert_true(with.n >= 4 + 5); /* at 0, 10, 20, 30 ms, then every 4 ms */
    free(text);
    remove_tree(f.path);
}

static void test_ends_come_before_the_next_stage(void **unused)
{
    (void)unused;
    uint64_t hash;
    samples s = run_once(NULL, &hash);
    assert_int_equal(s.ends, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(s.ended[k], k);
    assert_true(s.gravity[0] == -9.81 && s.gravity[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_of_the_table),
        cmocka_unit_test(test_ends_come_before_the_next_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
