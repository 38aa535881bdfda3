/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a calibration as a file: every bit and back, broken files refused with their place, and
   the hash that tells whose they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "calibrate_models.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/moraine-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/runs.csv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* ---- a calibration and some runs ---- */

static char paths[2][160], sets[1][256];
static int tests_of[2] = {-1, 1};
static char scene_text[64];

static fake_lab sample(void)
{
    const double none[3] = {0, 0, 0};
    fake_lab f = fake_beads(80, none, 1);
    snprintf(paths[0], sizeof paths[0], "interactions.0.friction");
    snprintf(paths[1], sizeof paths[1], "interactions.0.rolling");
    snprintf(sets[0], sizeof sets[0], "bodies.beads.count=600");
    snprintf(scene_text, sizeof scene_text, "moraine: 1\n");
    for (int j = 0; j < 2; j++) {
        f.tuned[j].n_paths = 1;
        f.tuned[j].path = &paths[j];
        f.tuned[j].test = &tests_of[j];
    }
    f.test[0].text = f.test[1].text = scene_text;
    f.test[1].n_set = 1;
    f.test[1].set = sets;
    snprintf(f.target[1].name, sizeof f.target[1].name, "heap, \"the wide\"");
    return f;
}

enum { RUNS = 5 };
typedef struct runs {
    mrn_virtual_run run[RUNS];
    double x[RUNS][2], y[RUNS][3];
} runs;

static void fill(runs *r)
{
    static const mrn_status status[RUNS] = {MRN_OK, MRN_AT_MOST, MRN_EXPLODED, MRN_ERR_INPUT,
                                            MRN_NOT_CONVERGED};
    static const char *const words[RUNS] = {"", "plain", "with, comma and \"quotes\"", " # odd",
                                            "ends \"\""};
    mrn_rng rng = mrn_rng_seed(3, 0);
    for (int i = 0; i < RUNS; i++) {
        r->run[i] = (mrn_virtual_run){.test = i % 2,
                                      .seed = UINT64_MAX - (uint64_t)i,
                                      .x = r->x[i],
                                      .y = r->y[i],
                                      .status = status[i],
                                      .steps = INT64_C(1) << (10 * i)};
        for (int j = 0; j < 2; j++)
            r->x[i][j] = mrn_rng_uniform(&rng);
        for (int t = 0; t < 3; t++)
            r->y[i][t] = (t == 2) == (i % 2) && i < 3 ? 1e5 * mrn_rng_normal(&rng) : NAN;
        r->run[i].seconds = mrn_rng_uniform(&rng);
        snprintf(r->run[i].words, sizeof r->run[i].words, "%s", words[i]);
    }
    r->y[0][0] = 5e-324; /* the smallest there is */
    r->y[0][1] = -0.0;
}

static void test_round_trip(void **state)
{
    fake_lab f = sample();
    runs r;
    mrn_virtual_run *back;
    mrn_message msg = {0};
    int64_t n;
    (void)state;
    fake_settle(&f);
    fill(&r);
    assert_int_equal(mrn_virtual_runs_write(path, &f.c, r.run, RUNS, &msg), MRN_OK);
    if (mrn_virtual_runs_read(path, &f.c, &back, &n, &msg) != MRN_OK)
        fail_msg("%d:%d %s", msg.line, msg.column, msg.text);
    assert_int_equal(n, RUNS);
    for (int i = 0; i < RUNS; i++) {
        assert_memory_equal(back[i].x, r.x[i], sizeof r.x[i]);
        for (int t = 0; t < 3; t++)
            assert_true(isnan(r.y[i][t]) ? isnan(back[i].y[t])
                                         : memcmp(&r.y[i][t], &back[i].y[t], 8) == 0);
        assert_true(back[i].seed == r.run[i].seed && back[i].steps == r.run[i].steps);
        assert_true(back[i].seconds == r.run[i].seconds && back[i].test == r.run[i].test);
        assert_int_equal(back[i].status, r.run[i].status);
        assert_string_equal(back[i].words, r.run[i].words);
    }
    mrn_virtual_runs_free(back, n);
    /* none at all */
    assert_int_equal(mrn_virtual_runs_write(path, &f.c, NULL, 0, &msg), MRN_OK);
    assert_int_equal(mrn_virtual_runs_read(path, &f.c, &back, &n, &msg), MRN_OK);
    assert_int_equal(n, 0);
    mrn_virtual_runs_free(back, n);
    mrn_virtual_runs_free(NULL, 0);
    r.run[1].test = 2;
    assert_int_equal(mrn_virtual_runs_write(path, &f.c, r.run, RUNS, &msg), MRN_ERR_RANGE);
}

/* ---- broken files ---- */

static const char columns[] = "test,seed,friction,rolling,heap.angle,\"heap, \"\"the wide\"\"\","
                              "silo.rate,status,steps,seconds,words\n";

static void write_text(const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* A file of head, columns and a row. */
static void write_row(const mrn_calibration *c, const char *row)
{
    char text[1024];
    snprintf(text, sizeof text, "# runs of a calibration, hash %016llx\n%s%s",
             (unsigned long long)mrn_calibration_hash(c), columns, row);
    write_text(text);
}

static void must_refuse(const mrn_calibration *c, int line, int column, const char *word)
{
    mrn_virtual_run *back;
    mrn_message msg = {0};
    int64_t n;
    assert_int_equal(mrn_virtual_runs_read(path, c, &back, &n, &msg), MRN_ERR_INPUT);
    if (msg.line != line || msg.column != column || strstr(msg.text, word) == NULL)
        fail_msg("%d:%d: %s; not %d:%d: %s", msg.line, msg.column, msg.text, line, column, word);
    assert_string_equal(msg.file, path);
    assert_true(back == NULL && n == 0);
}

static void test_broken(void **state)
{
    static const struct {
        const char *row;
        int column;
        const char *word;
    } rows[] = {
        {"heap,1,0.2,0.3,1,2,,ok,7,0.5\n", 26, "too few cells"},
        {"heap,1,0.2,0.3,1,2,,ok,7,0.5,,\n", 31, "too many cells"},
        {"heap,1,0.2,0.3,1,2,,ok,7,0.5,", 30, "within a line"},
        {"pile,1,0.2,0.3,1,2,,ok,7,0.5,\n", 1, "no test"},
        {"heap,-1,0.2,0.3,1,2,,ok,7,0.5,\n", 6, "whole number"},
        {"heap,99999999999999999999,0.2,0.3,1,2,,ok,7,0.5,\n", 6, "whole number"},
        {"heap,1,,0.3,1,2,,ok,7,0.5,\n", 8, "no number"},
        {"heap,1,0.2x,0.3,1,2,,ok,7,0.5,\n", 8, "no number"},
        {"heap,1,0.2,inf,1,2,,ok,7,0.5,\n", 12, "rolling"},
        {"heap,1,0.2,0.3,1,nan,,ok,7,0.5,\n", 18, "no number"},
        {"heap,1,0.2,0.3,1,2,,fine,7,0.5,\n", 21, "no run ends"},
        {"heap,1,0.2,0.3,1,2,,ok,7.5,0.5,\n", 24, "whole number"},
        {"heap,1,0.2,0.3,1,2,,ok,7,0.5,\"open\n", 30, "not closed"},
        {"heap,1,0.2,0.3,1,2,,ok,7,0.5,\"a\"b\n", 33, "after a quoted"},
    };
    fake_lab f = sample();
    mrn_virtual_run *back;
    int64_t n;
    (void)state;
    fake_settle(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_row(&f.c, rows[i].row);
        must_refuse(&f.c, 3, rows[i].column, rows[i].word);
    }
    write_row(&f.c, "heap,1,0.2,0.3,1,2,,ok,7,0.5,\r\nsilo,2,0.2,0.3,,,4,ok,7,0.5,\n");
    assert_int_equal(mrn_virtual_runs_read(path, &f.c, &back, &n, NULL), MRN_OK);
    assert_true(n == 2 && back[1].y[2] == 4 && back[0].words[0] == '\0');
    mrn_virtual_runs_free(back, n);
    write_text("test,seed\n");
    must_refuse(&f.c, 1, 1, "no table of runs");
    write_text("");
    must_refuse(&f.c, 1, 1, "is empty");
    write_text("# runs of a calibration, hash 12\n");
    must_refuse(&f.c, 1, 31, "no table of runs");
    unlink(path);
    assert_int_equal(mrn_virtual_runs_read(path, &f.c, &back, &n, NULL), MRN_ERR_INPUT);
}

/* Columns of other names, though the hash be right. */
static void test_columns(void **state)
{
    fake_lab f = sample();
    char text[256];
    (void)state;
    fake_settle(&f);
    snprintf(text, sizeof text,
             "# runs of a calibration, hash %016llx\n"
             "test,seed,rolling,friction,a,b,c,status,steps,seconds,words\n",
             (unsigned long long)mrn_calibration_hash(&f.c));
    write_text(text);
    must_refuse(&f.c, 2, 11, "column");
}

/* ---- hash ---- */

static void test_hash(void **state)
{
    const fake_lab good = sample();
    fake_lab f = good;
    runs r;
    (void)state;
    fake_settle(&f);
    const uint64_t hash = mrn_calibration_hash(&f.c);
    fill(&r);
    assert_int_equal(mrn_virtual_runs_write(path, &f.c, r.run, RUNS, NULL), MRN_OK);
    /* what runs do not depend on */
    f.target[0].datum.y = 1, f.target[1].datum.variance = 7, f.tuned[0].p.hi = 3;
    f.tuned[1].p.log = false, f.c.runs = 7, f.c.seeds = 5, f.c.seed = 9, f.c.points = 3;
    assert_true(mrn_calibration_hash(&f.c) == hash);
    /* what they do */
    for (int what = 0; what < 8; what++) {
        f = good;
        fake_settle(&f);
        char other_path[1][160] = {"interactions.1.friction"}, other_set[1][256] = {"seed=3"};
        char text[] = "moraine: 1\n#";
        switch (what) {
        case 0:
            f.test[0].text = text;
            break;
        case 1:
            f.test[1].set = other_set;
            break;
        case 2:
            f.tuned[0].path = other_path;
            break;
        case 3:
            f.target[1].take = MRN_TAKE_MEAN;
            break;
        case 4:
            f.target[1].after = 0.5;
            break;
        case 5:
            f.target[2].probe[0] = 'q';
            break;
        case 6:
            f.target[0].stage = 1;
            break;
        default:
            snprintf(f.tuned[0].p.unit, sizeof f.tuned[0].p.unit, "deg");
            break;
        }
        assert_true(mrn_calibration_hash(&f.c) != hash);
        must_refuse(&f.c, 1, 31, "another calibration");
    }
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    fake_lab f = sample();
    runs r;
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int64_t k, n;
    (void)state;
    fake_settle(&f);
    fill(&r);
    assert_int_equal(mrn_virtual_runs_write(path, &f.c, r.run, RUNS, NULL), MRN_OK);
    for (k = 1; k < 100 && s != MRN_OK; k++) {
        mrn_virtual_run *back;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        s = mrn_virtual_runs_read(path, &f.c, &back, &n, &msg);
        mrn_alloc_fail_at(0);
        assert_true(s == MRN_OK || (s == MRN_ERR_MEMORY && back == NULL));
        mrn_virtual_runs_free(back, n);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 2 * RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_columns),    cmocka_unit_test(test_hash),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
