/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes as virtual tests: what is taken of a run against closed forms, stages, seeds, threads,
   runs that go wrong, interruption. */
/* ctest-labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define SCENES MRN_TEST_SOURCE "/tests/lab/good-calibration/scenes"

enum { MOST = 16 };

/* A calibration from a text: its scenes by their full paths. */
static mrn_calibration calibration_of(const char *text)
{
    char path[] = "/tmp/moraine-XXXXXX";
    int f = mkstemp(path);
    assert_true(f >= 0);
    assert_int_equal(write(f, text, strlen(text)), strlen(text));
    close(f);
    mrn_calibration c;
    mrn_message msg = {0};
    mrn_status s = mrn_calibration_read(path, NULL, 0, &c, &msg);
    unlink(path);
    if (s != MRN_OK)
        fail_msg("%d:%d: %s (%s; %s)", msg.line, msg.column, msg.text, msg.expected, msg.hint);
    return c;
}

typedef struct runs {
    mrn_virtual_run run[MOST];
    double x[MOST][4], y[MOST][9];
} runs;

static void lay_out(runs *r)
{
    memset(r, 0, sizeof *r);
    for (int i = 0; i < MOST; i++) {
        r->run[i].x = r->x[i];
        r->run[i].y = r->y[i];
        r->run[i].seed = (uint64_t)i + 1;
    }
}

static void close_to(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g, not %.17g", a, b);
}

/* ---- closed forms ---- */

static const char ball[] =
    "moraine: 1\n"
    "parameters:\n"
    "  speed: {sets: bodies.ball.velocity.2, bounds: [0 cm/s, 300 cm/s]}\n"
    "tests:\n"
    "  throw:\n"
    "    scene: " SCENES "/ball.yaml\n"
    "    targets:\n"
    "      end: {probe: groups.ball.mean-z, stage: fall, value: 1, error: {value: 1, kind: sd}}\n"
    "      mean: {probe: groups.ball.mean-z, take: mean, stage: fall, after: 50 ms, last: 0.1 s,\n"
    "             value: 1, error: {value: 1, kind: sd}}\n"
    "      max: {probe: groups.ball.mean-z, take: max, stage: fall, value: 1, error: {value: 1, "
    "kind: sd}}\n"
    "      min: {probe: groups.ball.mean-z, take: min, stage: fall, after: 0.1 s, value: 1, error: "
    "{value: 1, kind: sd}}\n"
    "      slope: {probe: groups.ball.mean-z, take: slope, value: 1, error: {value: 1, kind: sd}}\n"
    "      decay: {probe: groups.ball.mean-z, take: slope, stage: fall, last: 60 ms, value: 1, "
    "error: {value: 1, kind: sd}}\n"
    "      angle: {probe: repose-angle, take: mean, value: 1, error: {value: 1, kind: sd}}\n"
    "      gravity: {probe: gravity-energy, stage: fall, value: 1, error: {value: 1, kind: sd}}\n"
    "      change: {probe: groups.ball.mean-z, take: change, stage: fall, after: 0.1 s, value: 1, "
    "error: {value: 1, kind: sd}}\n";

/* Height of the ball while gravity, 10 m/s2, acts. */
static double height(double v, double t)
{
    return 1 + v * t - 5 * t * t;
}

/* The step is 0.1 ms, rows are 10 ms apart and the scheme is exact for a parabola: what is left is
   rounding, some 2000 steps of it. */
static void test_closed_forms(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(ball);
    runs r;
    lay_out(&r);
    r.x[1][0] = 150;    /* cm/s, as the file has it */
    r.run[2].test = 99; /* not one of the two: of no concern */
    assert_int_equal(mrn_virtual_runs(&c, r.run, 2, NULL, NULL), MRN_OK);
    for (int i = 0; i < 2; i++) {
        double v = i * 1.5, max = 0, mean = 0, min = 9, tt = 0, ty = 0;
        const double *y = r.y[i];
        assert_int_equal(r.run[i].status, MRN_OK);
        assert_string_equal(r.run[i].words, "");
        assert_int_equal(r.run[i].steps, 3000);
        assert_true(r.run[i].seconds > 0);
        for (int k = 0; k <= 20; k++) {
            double z = height(v, 0.01 * k);
            max = fmax(max, z);
            if (k >= 10)
                min = fmin(min, z);
            if (k >= 10)
                mean += z / 11;
        }
        for (int k = 14; k <= 20; k++) {
            tt += (k - 17) * (k - 17) * 1e-4;
            ty += (k - 17) * 1e-2 * height(v, 0.01 * k);
        }
        close_to(y[0], height(v, 0.2), 1e-11);
        close_to(y[1], mean, 1e-11); /* the later of `after` and `last` counts */
        close_to(y[2], max, 1e-11);
        close_to(y[3], min, 1e-11);
        close_to(y[4], v - 2, 1e-9); /* no gravity in the last stage */
        close_to(y[5], ty / tt, 1e-9);
        assert_true(isnan(y[6])); /* one grain is no heap */
        /* taken before the next stage takes gravity away */
        double mass = 7800 * 4.0 / 3 * 3.14159265358979323846 * 1e-6;
        close_to(y[7], mass * 10 * height(v, 0.2), 1e-9);
        close_to(y[8], height(v, 0.2) - height(v, 0.1), 1e-11);
    }
    mrn_calibration_destroy(&c);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* ---- seeds and threads ---- */

static const char both[] =
    "moraine: 1\n"
    "parameters:\n"
    "  friction: {sets: {grains: interactions.0.friction}, bounds: [0.1, 0.8]}\n"
    "  speed: {sets: {throw: bodies.ball.velocity.2}, bounds: [0 cm/s, 300 cm/s]}\n"
    "tests:\n"
    "  throw:\n"
    "    scene: " SCENES "/ball.yaml\n"
    "    targets: {end: {probe: height, value: 1, error: {value: 1, kind: sd}}}\n"
    "  grains:\n"
    "    scene: " SCENES "/heap.yaml\n"
    "    set: {bodies.beads.count: 10}\n"
    "    targets:\n"
    "      top: {probe: height, take: mean, last: 0.05 s, value: 1, error: {value: 1, kind: sd}}\n"
    "      count: {probe: bodies, value: 1, error: {value: 1, kind: sd}}\n";

static void ask_both(runs *r)
{
    lay_out(r);
    for (int i = 0; i < 8; i++) {
        r->run[i].test = i % 2;
        r->run[i].seed = (uint64_t)(i / 4);
        r->x[i][0] = 0.1 + 0.1 * (i / 2 % 2);
        r->x[i][1] = 10 * i;
    }
}

static void test_threads(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(both);
    runs one, four;
    int before = mrn_threads();
    ask_both(&one);
    ask_both(&four);
    mrn_threads_set(1);
    assert_int_equal(mrn_virtual_runs(&c, one.run, 8, NULL, NULL), MRN_OK);
    assert_int_equal(mrn_threads(), 1);
    mrn_threads_set(4);
    assert_int_equal(mrn_virtual_runs(&c, four.run, 8, NULL, NULL), MRN_OK);
    assert_int_equal(mrn_threads(), 4);
    mrn_threads_set(before);
    for (int i = 0; i < 8; i++) {
        assert_true(one.run[i].status == MRN_OK || one.run[i].status == MRN_AT_MOST);
        assert_int_equal(one.run[i].status, four.run[i].status);
        assert_int_equal(one.run[i].steps, four.run[i].steps);
        assert_memory_equal(one.y[i], four.y[i], 3 * sizeof(double));
        assert_true(isnan(one.y[i][0]) == (i % 2 == 1)); /* of the other test */
        assert_true(isnan(one.y[i][1]) == (i % 2 == 0));
    }
    assert_true(one.y[1][1] != one.y[5][1]); /* another seed: other places and sizes */
    assert_true(one.y[1][1] != one.y[3][1]); /* another friction */
    assert_true(one.y[1][2] == 10);          /* `set` of the test */
    mrn_calibration_destroy(&c);
}

/* The other engines: what their solvers and libraries hold is the run's own. */
static const char engines[] =
    "moraine: 1\n"
    "parameters:\n"
    "  friction: {sets: interactions.0.friction, bounds: [0.2, 0.6]}\n"
    "tests:\n"
    "  rods:\n"
    "    scene: " SCENES "/rods.yaml\n"
    "    targets: {strain: {probe: strain.yy, take: slope, value: 1, error: {value: 1, kind: "
    "sd}}}\n"
    "  bricks:\n"
    "    scene: " SCENES "/bricks.yaml\n"
    "    targets: {height: {probe: mean-y, take: min, value: 1, error: {value: 1, kind: sd}}}\n";

static void test_engines(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(engines);
    runs one, three;
    int before = mrn_threads();
    for (int k = 0; k < 2; k++) {
        runs *r = k == 0 ? &one : &three;
        lay_out(r);
        for (int i = 0; i < 4; i++) {
            r->run[i].test = i / 2;
            r->x[i][0] = 0.2 + 0.1 * (i % 2);
        }
        mrn_threads_set(k == 0 ? 1 : 3);
        assert_int_equal(mrn_virtual_runs(&c, r->run, 4, NULL, NULL), MRN_OK);
    }
    mrn_threads_set(before);
    for (int i = 0; i < 4; i++) {
        if (one.run[i].status != MRN_OK)
            fail_msg("run %d: %s", i, one.run[i].words);
        assert_int_equal(one.run[i].status, three.run[i].status);
        assert_true(isfinite(one.y[i][i / 2]));
        assert_memory_equal(one.y[i], three.y[i], 2 * sizeof(double));
    }
    assert_true(one.y[0][0] != one.y[1][0] && one.y[2][1] != one.y[3][1]);
    mrn_calibration_destroy(&c);
}

/* ---- what is predicted ---- */

typedef struct witness {
    int done, predicted, stop_after;
    int stop;
    double last;
    bool fell; /* progress went back */
} witness;

static void on_done(void *user, const mrn_virtual_run *r)
{
    witness *w = user;
    assert_true(r->status == MRN_OK || r->status == MRN_AT_MOST);
    w->done++;
    if (w->done == w->stop_after)
        w->stop = 1;
}

static void on_progress(void *user, double fraction)
{
    witness *w = user;
    w->fell = w->fell || fraction < w->last || fraction > 1 + 1e-12;
    w->last = fraction;
    w->predicted++;
}

static void test_watch(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(both);
    runs r;
    witness w = {0};
    mrn_virtual_watch watch = {.done = on_done, .progress = on_progress, .user = &w};
    ask_both(&r);
    assert_int_equal(mrn_virtual_runs(&c, r.run, 8, &watch, NULL), MRN_OK);
    assert_int_equal(w.done, 8);
    assert_true(w.predicted >= 8 && !w.fell && w.last == 1);
    assert_int_equal(mrn_virtual_runs(&c, r.run, 0, &watch, NULL), MRN_OK);
    mrn_calibration_destroy(&c);
}

static void test_interruption(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(both);
    runs r;
    int before = mrn_threads();
    mrn_threads_set(1);
    for (int after = 0; after < 3; after += 2) {
        witness w = {.stop_after = after, .stop = after == 0};
        mrn_virtual_watch watch = {.stop = &w.stop, .done = on_done, .user = &w};
        mrn_message msg = {0};
        ask_both(&r);
        assert_int_equal(mrn_virtual_runs(&c, r.run, 8, &watch, &msg), MRN_INTERRUPTED);
        assert_int_equal(msg.status, MRN_INTERRUPTED);
        assert_int_equal(w.done, after);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(r.run[i].status == MRN_INTERRUPTED, i >= after);
            if (i >= after)
                assert_true(isnan(r.y[i][0]) && isnan(r.y[i][1]) && isnan(r.y[i][2]));
        }
    }
    mrn_threads_set(before);
    mrn_calibration_destroy(&c);
}

/* ---- runs that go wrong ---- */

static void test_failures(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(both);
    runs r;
    mrn_message msg = {0};
    ask_both(&r);
    r.x[0][1] = -1e4; /* cm/s: it is through the floor in a few steps */
    r.x[1][0] = -1;   /* no friction that the scene takes */
    assert_int_equal(mrn_virtual_runs(&c, r.run, 4, NULL, &msg), MRN_OK);
    assert_int_equal(r.run[0].status, MRN_EXPLODED);
    assert_true(isnan(r.y[0][0]));
    assert_true(r.run[0].words[0] != '\0');
    assert_int_equal(r.run[1].status, MRN_ERR_INPUT);
    assert_non_null(strstr(r.run[1].words, "out of range"));
    assert_true(isnan(r.y[1][1]));
    assert_int_equal(r.run[2].status, MRN_OK);
    assert_true(isfinite(r.y[2][0]));
    assert_true(isfinite(r.y[3][1]));
    r.run[2].test = 2;
    assert_int_equal(mrn_virtual_runs(&c, r.run, 4, NULL, &msg), MRN_ERR_RANGE);
    mrn_calibration_destroy(&c);
}

static void test_memory(void **state)
{
    (void)state;
    mrn_calibration c = calibration_of(ball);
    size_t held = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int before = mrn_threads();
    mrn_threads_set(1);
    for (int64_t k = 1; s != MRN_OK; k += 1 + k / 15) {
        runs r;
        mrn_message msg = {0};
        lay_out(&r);
        mrn_alloc_fail_at(k);
        s = mrn_virtual_runs(&c, r.run, 1, NULL, &msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), held);
        if (s != MRN_OK)
            assert_true(s == MRN_ERR_MEMORY && msg.status == s && isnan(r.y[0][0]));
    }
    mrn_threads_set(before);
    mrn_calibration_destroy(&c);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_engines),      cmocka_unit_test(test_watch),
        cmocka_unit_test(test_interruption), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
