/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration with closed-form stand-ins for scenes: truth found, what cannot be predicted
   predicted so, runs that fail, runs remembered, budgets, bits, memory. */
/* ctest-labels: slow threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "calibrate/calibrate.h"
#include "calibrate_models.h"

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", a, b, tolerance);
}

static mrn_status calibrate(fake_lab *f, mrn_calibrated *out, mrn_message *msg)
{
    mrn_calibrate_options o = fake_options(f);
    return mrn_calibrate(&f->c, &o, out, msg);
}

static mrn_calibrated must_calibrate(fake_lab *f)
{
    mrn_calibrated r;
    mrn_message msg = {0};
    mrn_status s = calibrate(f, &r, &msg);
    if (s != MRN_OK)
        fail_msg("%s: %s", mrn_status_text(s), msg.text);
    return r;
}

static void release(fake_lab *f, mrn_calibrated *r)
{
    mrn_calibrated_release(r);
    fake_release(f);
}

static uint64_t bits_of(const mrn_calibrated *r)
{
    uint64_t h = MRN_HASH_START;
    size_t n = (size_t)r->n, m = (size_t)r->m, points = (size_t)r->n_points;
    h = mrn_hash(h, r->x, points * n * sizeof(double));
    h = mrn_hash(h, r->y, points * m * sizeof(double));
    h = mrn_hash(h, r->variance, points * m * sizeof(double));
    h = mrn_hash(h, r->noise, m * sizeof(double));
    h = mrn_hash(h, r->check, m * sizeof(double));
    h = mrn_hash(h, r->model_variance, m * sizeof(double));
    h = mrn_hash(h, r->direction, n * n * sizeof(double));
    h = mrn_hash(h, &r->next.gain, sizeof(double));
    h = mrn_hash(h, r->words, strlen(r->words));
    for (int64_t i = 0; i < r->n_runs; i++) {
        h = mrn_hash(h, &r->run[i].seed, sizeof(uint64_t));
        h = mrn_hash(h, r->run[i].y, m * sizeof(double));
    }
    for (size_t j = 0; j < n && r->fit.n > 0; j++) {
        h = mrn_hash(h, &r->fit.x[j], sizeof(double));
        h = mrn_hash(h, r->fit.at[j].profile, sizeof r->fit.at[j].profile);
        h = mrn_hash(h, r->fit.at[j].bootstrap, sizeof r->fit.at[j].bootstrap);
    }
    return h;
}

/* ---- two parameters, three targets, two tests ---- */

static const double no_error[3] = {0, 0, 0};

static void check_runs(const fake_lab *f, const mrn_calibrated *r)
{
    assert_true(r->n_runs <= f->c.runs && r->n_runs == f->made && r->n_runs == f->n_kept);
    for (int64_t i = 0; i < r->n_runs; i++)
        for (int64_t k = 0; k < i; k++)
            assert_true(r->run[i].seed != r->run[k].seed);
    for (int64_t i = 0; i < r->n_runs; i++) /* of other tests there are no values */
        for (int t = 0; t < r->m; t++)
            assert_true(isnan(r->run[i].y[t]) == (f->target[t].test != r->run[i].test));
}

static void test_truth(void **state)
{
    fake_lab f = fake_beads(80, no_error, 1);
    const double truth[2] = {0.45, 0.08};
    (void)state;
    fake_settle(&f);
    mrn_calibrated r = must_calibrate(&f);
    /* nothing was chosen: the last point is the check */
    assert_true(r.settled && r.checked && r.n_points == r.n_design + 1 && r.n_runs == 54);
    assert_int_equal(r.n_known, 2);
    check_runs(&f, &r);
    for (int j = 0; j < 2; j++) {
        const mrn_estimate *e = &r.fit.at[j];
        assert_int_equal(e->verdict, MRN_IDENTIFIED);
        assert_true(e->profile[0] < truth[j] && truth[j] < e->profile[1]);
        near(f.tuned[j].p.log ? log10(e->value / truth[j]) : e->value - truth[j], 0,
             f.tuned[j].p.log ? 0.2 : 0.04); /* two of its standard deviations without noise */
    }
    for (int t = 0; t < 3; t++) {
        /* 12 degrees of freedom and more: chi² is within 0.17 and 2.8 of its mean at 99.9 % */
        assert_true(r.freedom[t] >= r.n_design);
        assert_true(r.noise[t] > 0.4 * f.noise[t] && r.noise[t] < 1.7 * f.noise[t]);
        near(r.variance[t], r.noise[t] * r.noise[t] / 2, 1e-12 * r.variance[t]);
        near(r.datum[t].variance, f.target[t].datum.variance + r.model_variance[t], 1e-12);
        assert_true(r.model_variance[t] > 0 && r.quality[t] < 0.5);
        near(r.variance[(r.n_points - 1) * 3 + t], r.noise[t] * r.noise[t] / 3,
             1e-12 * r.variance[t]);
        near(r.check[t], r.y[(r.n_points - 1) * 3 + t], 0);
        /* with the noise as it was before: two degrees of freedom of twelve and more came in */
        near(r.check_sd[t], r.noise[t] / sqrt(3), 0.5 * r.check_sd[t]);
        assert_true(r.predicted_sd[t] > 0 && fabs(r.predicted[t] - r.check[t]) <=
                                                 3 * hypot(r.predicted_sd[t], r.check_sd[t]));
        assert_string_equal(r.datum[t].label, f.target[t].name);
    }
    assert_string_equal(f.phases, "design search fit check ");
    assert_true(f.reports > 20 && !f.backwards);
    near(r.x[0], 0.45, 1e-12); /* the first point is the middle */
    near(r.x[1], sqrt(0.01 * 0.5), 1e-12);
    release(&f, &r);
}

/* Without noise: values are exact, and what is left is the measurement's error alone. */
static void test_deterministic(void **state)
{
    fake_lab f = fake_beads(80, no_error, 0);
    (void)state;
    fake_settle(&f);
    f.tuned[0].p.start = 0.3;
    mrn_calibrated r = must_calibrate(&f);
    near(r.x[0], 0.3, 0);
    assert_true(r.settled && r.checked);
    for (int t = 0; t < 3; t++) {
        /* two runs of each point, three of the check */
        assert_true(r.noise[t] == 0 && r.variance[t] == 0 && r.freedom[t] == r.n_points + 1);
        /* a smooth function from twelve points: far below the error that matters */
        assert_true(r.model_variance[t] < 0.01 * f.target[t].datum.variance);
    }
    near(r.fit.x[0], 0.45, 0.003); /* a tenth of its error */
    near(r.fit.objective, 0, 0.01);
    release(&f, &r);
}

/* Noise above the errors of measurement: points are added until the simulation is known well enough
   where it matters, twice as well as the measurements. */
static void test_noise(void **state)
{
    fake_lab f = fake_beads(240, no_error, 2);
    (void)state;
    fake_settle(&f);
    mrn_calibrated r = must_calibrate(&f);
    for (int t = 0; t < 3; t++) /* between the last two fits the optimum may move a little */
        assert_true(r.model_variance[t] < 0.26 * f.target[t].datum.variance);
    assert_true(r.n_points > r.n_design + 1 && r.n_runs < 240);
    release(&f, &r);
}

/* Uniform in -1…1, of the place alone: seeds make no difference, neighbours do. */
static double scatter(double x, uint64_t salt)
{
    mrn_rng r = mrn_rng_seed(mrn_hash(MRN_HASH_START, &x, sizeof x), salt);
    return 2 * mrn_rng_uniform(&r) - 1;
}

static mrn_status rough_pair(const double *x, double *y)
{
    y[0] = 20 + 10 * x[0] + scatter(x[0], 1);
    y[1] = 5 - 3 * x[0] + 0.02 * scatter(x[0], 2);
    return MRN_OK;
}

/* Two targets that scatter from point to point by 1/sqrt(3) and 0.02/sqrt(3): each point of each is
   given its own scatter, not that of the other, nor none. */
static void test_rough_targets(void **state)
{
    fake_lab f = fake_make(rough_pair, 120);
    (void)state;
    fake_tuned(&f, "a", 0, 1, false);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", 25, 0.3, 0);
    fake_target(&f, "heap.width", 3.5, 0.01, 0);
    fake_settle(&f);
    mrn_calibrated r = must_calibrate(&f);
    const double sd[2] = {1 / sqrt(3), 0.02 / sqrt(3)};
    for (int t = 0; t < 2; t++) {
        double noise;
        mrn_surrogate_scales(r.surrogate, t, NULL, &noise);
        assert_true(r.noise[t] == 0);
        /* some ten points tell a standard deviation to a factor of two; the two are 50 apart */
        assert_true(noise > sd[t] / 3 && noise < 3 * sd[t]);
        int64_t through = 0;
        for (int64_t i = 0; i < r.n_points; i++) {
            double mean[2];
            mrn_surrogate_at(r.surrogate, &r.x[i], mean, NULL);
            through += fabs(mean[t] - r.y[2 * i + t]) < 1e-3 * sd[t];
        }
        /* what is taken for exact is gone through; a smooth curve meets one in a hundred by chance
         */
        assert_true(through <= 2);
    }
    release(&f, &r);
}

/* ---- what cannot be predicted ---- */

static mrn_status sum_of_two(const double *x, double *y)
{
    y[0] = 20 + 10 * x[0] + 12 * log10(x[1]);
    return MRN_OK;
}

static fake_lab fake_sum(void)
{
    fake_lab f = fake_make(sum_of_two, 60);
    fake_tuned(&f, "a", 0, 1, false);
    fake_tuned(&f, "b", 1, 10, true);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", 31, 0.3, 0.2);
    return f;
}

static void test_tied(void **state)
{
    fake_lab f = fake_sum();
    (void)state;
    fake_settle(&f);
    f.c.fit.regions = f.c.fit.nested = true;
    f.c.fit.bootstrap = 20;
    mrn_calibrated r = must_calibrate(&f);
    assert_int_equal(r.n_known, 1);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(r.fit.at[j].verdict, MRN_TIED);
        assert_int_equal(r.fit.at[j].tied_to, 1 - j);
        assert_true(isinf(r.fit.at[j].linear[0]) && isinf(r.fit.at[j].linear[1]));
    }
    /* slopes over the ranges are 10 and 12: each is known to a few hundredths, by ten points with
       noise 0.2 / sqrt(2) over a spread of 3 */
    double length = hypot(10, 12);
    near(r.direction[0], 10 / length, 0.05);
    near(r.direction[1], 12 / length, 0.05);
    near(fabs(r.direction[2] * r.direction[0] + r.direction[3] * r.direction[1]), 0, 1e-12);
    near(r.strength[0], length / sqrt(r.datum[0].variance), 0.1 * length / 0.3);
    near(r.strength[1], 0, 1e-5 * r.strength[0]);
    release(&f, &r);
}

static mrn_status one_of_two(const double *x, double *y)
{
    y[0] = 20 + 10 * x[0];
    return MRN_OK;
}

static void test_without_influence(void **state)
{
    fake_lab f = fake_sum();
    (void)state;
    fake_settle(&f);
    f.scene = one_of_two;
    f.target[0].datum.y = 25;
    mrn_calibrated r = must_calibrate(&f);
    assert_int_equal(r.n_known, 1);
    assert_int_equal(r.fit.at[0].verdict, MRN_IDENTIFIED);
    assert_int_equal(r.fit.at[1].verdict, MRN_NOT_IDENTIFIED);
    assert_true(isinf(r.fit.at[1].profile[0]) && isinf(r.fit.at[1].profile[1]));
    assert_true(r.fit.at[0].profile[0] < 0.5 && r.fit.at[0].profile[1] > 0.5);
    assert_true(fabs(r.direction[0]) > 0.99);
    release(&f, &r);
}

/* ---- what cannot be had ---- */

static mrn_status line_late(const double *x, double *y)
{
    y[0] = 3 + x[0];
    return MRN_AT_MOST;
}

/* Between 3 and 4 nothing comes to 40: it is said, and no runs are spent on what noise makes of an
   F in the hundreds of thousands. Runs that met a time limit count, and are counted. */
static void test_out_of_reach(void **state)
{
    fake_lab f = fake_make(line_late, 100);
    (void)state;
    fake_tuned(&f, "a", 0, 1, false);
    fake_test(&f, "heap");
    fake_target(&f, "heap.height", 40, 0.05, 0.3);
    fake_settle(&f);
    mrn_calibrated r;
    mrn_message msg = {0};
    mrn_calibrate_options o = fake_options(&f);
    mrn_status s = mrn_calibrate(&f.c, &o, &r, &msg);
    assert_true(s == MRN_OK || s == MRN_NOT_CONVERGED);
    assert_true(r.settled && r.n_runs < 60);
    assert_false(r.fit.fits);
    assert_non_null(strstr(r.words, "heap.height is out of reach: the runs give"));
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < r.n_points; i++)
        lo = fmin(lo, r.y[i]), hi = fmax(hi, r.y[i]);
    char range[120];
    snprintf(range, sizeof range, "the runs give %.4g to %.4g, 40 was measured", lo, hi);
    assert_non_null(strstr(r.words, range));
    char late[80];
    snprintf(late, sizeof late, "%d of %d runs met the time limit", (int)r.n_runs, (int)r.n_runs);
    assert_non_null(strstr(r.words, late));
    assert_true(r.fit.x[0] > 0.9 && r.check_x[0] > 0.9); /* as near as it can come */
    release(&f, &r);
}

/* ---- runs that fail ---- */

static mrn_status beads_with_corner(const double *x, double *y)
{
    beads(x, y);
    return x[0] > 0.6 && x[1] > 0.05 ? MRN_EXPLODED : MRN_OK;
}

static void test_corner(void **state)
{
    fake_lab f = fake_beads(100, no_error, 1);
    int64_t in_design = 0, later = 0;
    (void)state;
    fake_settle(&f);
    f.scene = beads_with_corner;
    mrn_calibrated r = must_calibrate(&f);
    for (int64_t i = 0; i < r.n_points; i++) {
        bool corner = r.x[2 * i] > 0.6 && r.x[2 * i + 1] > 0.05;
        for (int t = 0; t < 3; t++)
            assert_true(isnan(r.y[3 * i + t]) == corner && isnan(r.variance[3 * i + t]) == corner);
        *(i < r.n_design ? &in_design : &later) += corner;
    }
    /* a seventh of the box; points that failed are not tried again, nor what is nearest to them */
    assert_true(in_design >= 1 && later <= 1);
    assert_non_null(strstr(r.words, "runs failed (it exploded"));
    for (int j = 0; j < 2; j++)
        assert_true(r.fit.at[j].profile[0] < (j ? 0.08 : 0.45) &&
                    r.fit.at[j].profile[1] > (j ? 0.08 : 0.45));
    release(&f, &r);
}

static mrn_status cliff(const double *x, double *y)
{
    y[0] = x[0] * (1 + 0.2 * x[0]);
    return x[0] > 0.62 ? MRN_EXPLODED : MRN_OK;
}

/* What was measured lies where nothing runs: predicted, and not tried for ever. */
static void test_cliff(void **state)
{
    fake_lab f = fake_make(cliff, 60);
    mrn_calibrated r;
    int64_t failed = 0;
    (void)state;
    fake_tuned(&f, "a", 0, 1, false);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", 0.95, 0.02, 0.005);
    fake_settle(&f);
    assert_true(calibrate(&f, &r, NULL) >= 0);
    for (int64_t i = r.n_design; i < r.n_points; i++)
        failed += isnan(r.y[i]);
    assert_true(failed <= 2); /* one on the way to the edge, and a check that became a point */
    /* halfway between the last that runs and the first that does not, at most */
    assert_true(r.fit.x[0] > 0.5 && r.fit.x[0] < 0.7);
    assert_false(r.fit.fits);
    assert_non_null(strstr(r.words, "left out"));
    release(&f, &r);
}

static mrn_status always_explodes(const double *x, double *y)
{
    beads(x, y);
    return MRN_EXPLODED;
}

/* Well ended, but of one target there is never a value. */
static mrn_status no_rate(const double *x, double *y)
{
    beads(x, y);
    y[2] = NAN;
    return MRN_AT_MOST;
}

static void test_nothing(void **state)
{
    fake_lab f = fake_beads(80, no_error, 1);
    size_t before = mrn_bytes_in_use();
    mrn_calibrated r;
    mrn_message msg = {0};
    (void)state;
    fake_settle(&f);
    f.scene = always_explodes;
    assert_int_equal(calibrate(&f, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "heap.angle: no point"));
    assert_non_null(strstr(msg.text, "bang"));
    assert_null(r.run);
    f.scene = no_rate;
    assert_int_equal(calibrate(&f, &r, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "silo.rate: no point"));
    fake_release(&f);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* Where runs are to be expected to fail is told by the nearest of the points there are; what lies
   in memory behind them is none. */
static void test_barred(void **state)
{
    (void)state;
    mrn_parameter p = {.lo = 0, .hi = 1, .start = NAN};
    double x[3] = {0.9, 0.1, 0.5}, y[3] = {NAN, 2, 1}, at[3] = {0.5001, 0.2, 0.8};
    mrn_calibrated out = {.n_points = 2, .x = x, .y = y};
    mrn_calibrating k = {.out = &out, .n = 1, .m = 1, .p = &p, .failed = 1};
    assert_true(mrn_calibrating_barred(&k, &at[0]));
    assert_false(mrn_calibrating_barred(&k, &at[1]));
    assert_true(mrn_calibrating_barred(&k, &at[2]));
    k.failed = 0;
    assert_false(mrn_calibrating_barred(&k, &at[2]));
}

/* ---- a surrogate that is wrong where it matters ---- */

/* A line but for a dent, so narrow that a design of four does not see it. */
static mrn_status dented(const double *x, double *y)
{
    double d = (x[0] - 0.8) / 0.04;
    y[0] = x[0] - 0.2 * exp(-d * d);
    return MRN_OK;
}

static fake_lab fake_dent(int64_t runs)
{
    fake_lab f = fake_make(dented, runs);
    fake_tuned(&f, "a", 0, 1, false);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", 0.8, 0.05, 0);
    f.c.points = 4;
    return f;
}

static void test_check(void **state)
{
    fake_lab f = fake_dent(11);
    mrn_calibrated r;
    mrn_message msg = {0};
    (void)state;
    fake_settle(&f);
    assert_int_equal(calibrate(&f, &r, &msg), MRN_NOT_CONVERGED);
    assert_false(r.checked);
    assert_true(r.fit.n == 1 && r.n_runs == 11 && r.n_points == 4 && r.settled);
    near(r.predicted[0], r.fit.y[0], 1e-6);
    assert_non_null(strstr(r.words, "do not trust"));
    near(r.check[0], r.fit.x[0] - 0.2 * exp(-pow((r.fit.x[0] - 0.8) / 0.04, 2)), 1e-12);
    release(&f, &r);
    /* with runs left, what the check found is used */
    f = fake_dent(120);
    fake_settle(&f);
    r = must_calibrate(&f);
    assert_true(r.checked && r.n_points > r.n_design + 1);
    double y;
    dented(r.fit.x, &y);
    near(y, 0.8, 0.025); /* half the measurement's error */
    for (int64_t i = 0; i < r.n_points; i++)
        assert_false(isnan(r.y[i]));
    release(&f, &r);
}

/* ---- stopped, and gone on with ---- */

static void test_resume(void **state)
{
    static const int64_t stops[] = {17, 53};
    fake_lab f = fake_beads(80, no_error, 2);
    (void)state;
    fake_settle(&f);
    f.c.fit.bootstrap = 20;
    mrn_calibrated whole = must_calibrate(&f);
    uint64_t bits = bits_of(&whole);
    int64_t total = whole.n_runs;
    assert_true(total > 55 && whole.n_points > whole.n_design + 1);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        fake_lab g = fake_beads(80, no_error, 2);
        mrn_calibrated r;
        mrn_message msg = {0};
        fake_settle(&g);
        g.c.fit.bootstrap = 20;
        g.stop_after = stops[i];
        assert_int_equal(calibrate(&g, &r, &msg), MRN_INTERRUPTED);
        assert_int_equal(r.n_runs, stops[i]);
        assert_int_equal(r.fit.n, 0);
        assert_non_null(r.y);
        assert_false(r.settled || r.checked);
        mrn_calibrated_release(&r);
        mrn_calibrate_options o = fake_options(&g);
        fake_lab h = g;
        fake_settle(&h);
        h.kept = NULL;
        h.n_kept = h.room = h.made = h.stop_after = 0;
        h.stop = 0;
        o.user = &h;
        o.stop = &h.stop;
        o.known = g.kept;
        o.n_known = g.n_kept;
        assert_int_equal(mrn_calibrate(&h.c, &o, &r, &msg), MRN_OK);
        assert_int_equal(h.made, total - stops[i]);
        assert_true(bits_of(&r) == bits);
        release(&h, &r);
        fake_release(&g);
    }
    release(&f, &whole);
}

/* What was stopped, or ended for want of memory, is run again; what failed is not. */
static void test_known(void **state)
{
    fake_lab f = fake_sum();
    (void)state;
    fake_settle(&f);
    mrn_calibrated first = must_calibrate(&f);
    int64_t total = f.made;
    mrn_calibrate_options o = fake_options(&f);
    mrn_calibrated r;
    o.known = f.kept;
    o.n_known = f.n_kept;
    o.ran = NULL;
    f.kept[3].status = MRN_INTERRUPTED;
    f.kept[4].status = MRN_ERR_MEMORY;
    f.made = 0;
    assert_int_equal(mrn_calibrate(&f.c, &o, &r, NULL), MRN_OK);
    assert_int_equal(f.made, 2);
    assert_true(bits_of(&r) == bits_of(&first));
    mrn_calibrated_release(&r);
    /* of other parameters, though test and seed be the same: another run */
    f.kept[3].status = f.kept[4].status = MRN_OK;
    f.kept[5].x[0] += 1e-15;
    f.made = 0;
    assert_int_equal(mrn_calibrate(&f.c, &o, &r, NULL), MRN_OK);
    assert_int_equal(f.made, 1);
    mrn_calibrated_release(&r);
    f.kept[5].x[0] = first.run[5].x[0];
    /* other measurements: the runs of the design serve */
    f.target[0].datum.y = 27;
    f.made = 0;
    assert_true(mrn_calibrate(&f.c, &o, &r, NULL) >= 0);
    assert_true(f.made <= r.n_runs - 2 * r.n_design + 2);
    assert_true(r.n_runs <= total + 10);
    mrn_calibrated_release(&r);
    release(&f, &first);
}

static void test_threads(void **state)
{
    uint64_t bits[2];
    int before = mrn_threads();
    (void)state;
    for (int i = 0; i < 2; i++) {
        fake_lab f = fake_beads(80, no_error, 2);
        fake_settle(&f);
        f.c.fit.bootstrap = 20;
        mrn_threads_set(i == 0 ? 1 : 4);
        mrn_calibrated r;
        assert_true(calibrate(&f, &r, NULL) >= 0);
        bits[i] = bits_of(&r);
        assert_true(r.n_points > r.n_design + 1); /* else nothing was chosen */
        release(&f, &r);
    }
    mrn_threads_set(before);
    assert_true(bits[0] == bits[1]);
}

/* ---- budgets and what is refused ---- */

static void refused(const fake_lab *f, const char *word)
{
    fake_lab g = *f;
    mrn_calibrated r;
    mrn_message msg = {0};
    fake_settle(&g);
    assert_int_equal(calibrate(&g, &r, &msg), MRN_ERR_INPUT);
    if (strstr(msg.text, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", msg.text, word);
    assert_int_equal(g.made, 0);
}

static void test_refused(void **state)
{
    const fake_lab good = fake_beads(80, no_error, 1);
    fake_lab f = good;
    (void)state;
    /* two tests: two seeds at four points, three at the optimum */
    f.c.runs = 21;
    refused(&f, "21 runs are not enough: 22 at least");
    f = good;
    f.c.seeds = 1;
    refused(&f, "seeds");
    f = good;
    f.target[1].datum.variance = 0;
    refused(&f, "heap.width");
    f.target[1].datum.spread = MRN_SPREAD_COMMON;
    refused(&f, "heap.width: the error of a single measurement");
    f = good;
    f.target[2].datum.y = NAN;
    refused(&f, "silo.rate");
    f = good;
    f.target[2].test = 0;
    refused(&f, "silo has no target");
    f = good;
    f.tuned[1].p.lo = 0;
    refused(&f, "rolling");
    f = good;
    f.c.n_tuned = 0;
    refused(&f, "parameters");
    f = good;
    f.c.tolerance = 0;
    refused(&f, "tolerance");
}

static void test_least_budget(void **state)
{
    fake_lab f = fake_beads(22, no_error, 0.1);
    mrn_calibrated r;
    (void)state;
    fake_settle(&f);
    assert_true(calibrate(&f, &r, NULL) >= 0);
    assert_true(r.n_runs == 22 && r.n_design == 4 && r.fit.n == 2);
    assert_true(r.n_points == 4 + r.checked);
    release(&f, &r);
}

/* Replicates of the measurement: more of its variance is known when the simulation's is added. */
static void test_replicates(void **state)
{
    fake_lab f = fake_beads(80, no_error, 1);
    (void)state;
    fake_settle(&f);
    f.target[0].datum.spread = MRN_SPREAD_REPLICATES;
    f.target[0].datum.freedom = 30;
    mrn_calibrated r = must_calibrate(&f);
    double ratio = r.datum[0].variance / f.target[0].datum.variance;
    assert_int_equal(r.datum[0].freedom, (int)(30 * ratio * ratio));
    assert_true(r.datum[0].freedom >= 30);
    release(&f, &r);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    fake_lab f = fake_make(one_of_two, 11);
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int64_t k;
    (void)state;
    fake_tuned(&f, "a", 0, 1, false);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", 25, 0.3, 0.2);
    fake_settle(&f);
    f.c.fit.doublings = 0;
    f.c.fit.profile = false;
    f.c.fit.bootstrap = 3;
    mrn_calibrate_options o = fake_options(&f);
    o.ran = NULL;
    for (k = 1; k < 4000 && s < 0; k++) {
        mrn_calibrated r;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        s = mrn_calibrate(&f.c, &o, &r, &msg);
        mrn_alloc_fail_at(0);
        assert_true(s >= 0 || (s == MRN_ERR_MEMORY && r.run == NULL));
        mrn_calibrated_release(&r);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 100 && k < 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),         cmocka_unit_test(test_noise),
        cmocka_unit_test(test_rough_targets), cmocka_unit_test(test_cliff),
        cmocka_unit_test(test_barred),        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_tied),          cmocka_unit_test(test_without_influence),
        cmocka_unit_test(test_out_of_reach),  cmocka_unit_test(test_corner),
        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_check),
        cmocka_unit_test(test_resume),        cmocka_unit_test(test_known),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_least_budget),  cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
