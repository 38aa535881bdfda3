/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many collisions at once: each as if alone, for any number of threads; every law of the registry;
   what is wrong is said; memory that fails. */
/* ctest-labels: slow */
#include "lab/collisions.h"

#define MANY 60

static void mixed(mrn_collision *c, int n)
{
    static const char *const law[] = {"linear", "hertz-mindlin", "zheng", "rigid", "dmt"};
    for (int i = 0; i < n; i++) {
        ball(&c[i], law[(i / 9) % 5]);
        complete(&c[i]);
        c[i].angle = 7 * DEG * (i % 9);
        c[i].speed = 0.3 + 0.1 * (i % 5);
        if (i % 4 == 0)
            c[i].radius[1] = 1e-3 * (3 + i % 7);
    }
}

static void assert_same(const mrn_rebound *a, const mrn_rebound *b)
{
    for (int f = 0; f < mrn_rebound_field_count(); f++) {
        double x = mrn_rebound_value(a, mrn_rebound_field_at(f));
        double y = mrn_rebound_value(b, mrn_rebound_field_at(f));
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
    assert_memory_equal(a->spin, b->spin, sizeof a->spin);
    assert_true(a->steps == b->steps && a->error == b->error);
}

static void alone(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_collision *c = calloc(MANY, sizeof *c);
    mrn_rebound out[MANY], again[MANY];
    assert_non_null(c);
    mixed(c, MANY);
    mrn_threads_set(1);
    ok(mrn_collide(c, MANY, 1e-6, out, NULL, &msg), &msg);
    mrn_threads_set(3);
    ok(mrn_collide(c, MANY, 1e-6, again, NULL, &msg), &msg);
    mrn_threads_set(0);
    for (int i = 0; i < MANY; i++) {
        mrn_rebound one;
        ok(mrn_collide(&c[i], 1, 1e-6, &one, NULL, &msg), &msg);
        assert_same(&out[i], &one);
        assert_same(&out[i], &again[i]);
    }
    free(c);
}

/* In steps too: a spin about x takes the collision out of its plane. */
static void alone_in_steps(void **state)
{
    (void)state;
    enum { N = 12 };
    mrn_message msg = {0};
    mrn_collision *c = calloc(N, sizeof *c);
    mrn_rebound out[N];
    assert_non_null(c);
    for (int i = 0; i < N; i++) {
        ball(&c[i], "linear");
        complete(&c[i]);
        c[i].angle = 5 * DEG * i;
        c[i].spin[0][0] = 30;
        c[i].radius[0] = 1e-3 * (1 + i % 4);
    }
    ok(mrn_collide(c, N, 1e-4, out, NULL, &msg), &msg);
    for (int i = 0; i < N; i++) {
        mrn_rebound one = collide_one(&c[i], 1e-4);
        assert_same(&out[i], &one);
    }
    free(c);
}

/* Every model runs and reaches the accuracy; the slowest a lower one, to be quick. */
static void every_law(void **state)
{
    (void)state;
    for (int k = 0; k < mrn_law_model_count(); k++) {
        const char *name = mrn_law_model_at(k)->name;
        bool steps = strstr(name, "deresiewicz") != NULL; /* rings: 0.1 s and more to 1e-6 */
        for (int i = 0; i < 3; i++) {
            mrn_collision c;
            ball(&c, name);
            complete(&c);
            c.angle = (5 + 25 * i) * DEG;
            mrn_rebound r = collide_one(&c, steps ? 1e-4 : 1e-6);
            assert_true(r.en > 0.2 && r.en <= 1 + 1e-6);
            assert_true(r.et > 0 && r.et < 1.01);
            assert_true(r.energy_lost > -1e-6 && r.energy_lost < 1);
            assert_false(r.stuck);
        }
    }
}

/* A slow sticky ball stays; the same without adhesion leaves. */
static void stuck(void **state)
{
    (void)state;
    static const char *const law[] = {"jkr", "dmt", "liquid-bridge"};
    for (int k = 0; k < 3; k++) {
        mrn_collision c;
        ball(&c, law[k]);
        complete(&c);
        c.radius[0] = 50e-6;
        c.speed = 1e-3;
        mrn_rebound r = collide_one(&c, 1e-6);
        assert_true(r.stuck);
        c.speed = 20;
        r = collide_one(&c, 1e-6);
        assert_false(r.stuck);
    }
}

static void refuse(mrn_collision *c, const char *word)
{
    mrn_message msg = {0};
    mrn_rebound r;
    mrn_status s;
    assert_int_equal(mrn_collide(c, 1, 1e-6, &r, &s, &msg), MRN_ERR_INPUT);
    assert_int_equal(s, MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, word));
    assert_true(isnan(r.en));
    assert_int_equal(mrn_collision_check(c, &msg), MRN_ERR_INPUT);
}

static void bad_input(void **state)
{
    (void)state;
    mrn_collision good, c;
    mrn_message msg = {0};
    mrn_rebound r;
    ball(&good, "hertz-mindlin");
    complete(&good);
    ok(mrn_collision_check(&good, &msg), &msg);
    c = good, c.radius[0] = 0, refuse(&c, "radius of the ball");
    c = good, c.radius[1] = NAN, refuse(&c, "radius of the target");
    c = good, c.density[0] = NAN, refuse(&c, "density of the ball");
    c = good, c.speed = 0, refuse(&c, "speed");
    c = good, c.angle = M_PI / 2, refuse(&c, "angle");
    c = good, c.angle = NAN, refuse(&c, "angle");
    c = good, c.spin[1][1] = 3, refuse(&c, "spin of the target");
    c = good, c.poisson[0] = NAN, refuse(&c, "Poisson");
    c = good, c.young[1] = NAN, refuse(&c, "Young");
    c = good, c.model.part[MRN_LAW_NORMAL] = NULL, refuse(&c, "no contact law");
    ball(&c, "hertz-mindlin");
    give(&c, "restitution", 0.9);
    refuse(&c, "needs friction");
    ball(&c, "rigid");
    give(&c, "rolling-friction", 0.1);
    give(&c, "friction", 0.1);
    refuse(&c, "rolling-friction");
    assert_int_equal(mrn_collide(&good, 1, 1e-15, &r, NULL, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_collide(&good, 1, NAN, &r, NULL, &msg), MRN_ERR_RANGE);
    /* one bad among good: the good are done */
    mrn_collision *two = calloc(2, sizeof *two);
    mrn_rebound out[2];
    mrn_status s[2];
    assert_non_null(two);
    two[0] = two[1] = good;
    two[0].speed = -1;
    assert_int_equal(mrn_collide(two, 2, 1e-6, out, s, &msg), MRN_ERR_INPUT);
    assert_int_equal(s[0], MRN_ERR_INPUT);
    assert_int_equal(s[1], MRN_OK);
    assert_close(out[1].en, 0.8, 1e-6);
    free(two);
}

/* Every allocation fails once: nothing leaks, the answer is MRN_ERR_MEMORY. */
static void memory(void **state)
{
    (void)state;
    mrn_collision c;
    mrn_message msg = {0};
    mrn_rebound r;
    mrn_collision_row *row;
    int n;
    ball(&c, "linear");
    complete(&c);
    c.spin[0][0] = 10; /* in steps: everything is taken */
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int tries = 0;
    for (int k = 1; s == MRN_ERR_MEMORY; k++, tries++) {
        mrn_alloc_fail_at(k);
        s = mrn_collide_history(&c, 1e-3, 10, &r, &row, &n, &msg);
        mrn_alloc_fail_at(0);
        if (s == MRN_ERR_MEMORY)
            assert_int_equal(mrn_bytes_in_use(), before);
    }
    ok(s, &msg);
    assert_true(tries > 10);
    mrn_free(row);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* One of a batch that is not known well enough is told, wherever it stands among good ones. */
static void not_known(void **state)
{
    (void)state;
    mrn_collision c[3];
    mrn_rebound out[3];
    mrn_status status[3];
    mrn_message msg = {0};
    for (int k = 0; k < 3; k++) {
        ball(&c[k], "rigid"); /* a jump: exact */
        complete(&c[k]);
    }
    ok(mrn_collide(c, 3, 1e-12, out, status, &msg), &msg);
    for (int at = 0; at < 3; at++) {
        mrn_collision d[3] = {c[0], c[1], c[2]};
        ball(&d[at], "jkr");
        complete(&d[at]);
        d[at].angle = 30 * DEG;
        assert_int_equal(mrn_collide(d, 3, 1e-12, out, status, &msg), MRN_NOT_CONVERGED);
        for (int k = 0; k < 3; k++)
            assert_int_equal(status[k], k == at ? MRN_NOT_CONVERGED : MRN_OK);
        char word[40];
        snprintf(word, sizeof word, "collision %d ", at + 1);
        assert_non_null(strstr(msg.text, word));
    }
}

/* Rows evenly in time, from touch to the end; energy is kept. */
static void history(void **state)
{
    (void)state;
    mrn_collision c;
    mrn_message msg = {0};
    mrn_rebound r;
    mrn_collision_row *row;
    int n;
    ball(&c, "hertz-mindlin");
    complete(&c);
    c.angle = 30 * DEG;
    ok(mrn_collide_history(&c, 1e-8, 100, &r, &row, &n, &msg), &msg);
    assert_in_range(n, 100, 103);
    assert_close(row[0].time, 0, 0);
    assert_close(row[0].overlap, 0, 0);
    assert_close(row[n - 1].time, r.contact_time, 1e-12);
    assert_close(row[n - 1].velocity[2], r.en * cos(c.angle), 1e-12);
    double top = 0, force = 0, energy = 0.5 * mass_of(&c);
    for (int i = 0; i < n; i++) {
        assert_true(i == 0 || row[i].time > row[i - 1].time);
        top = fmax(top, row[i].overlap);
        force = fmax(force, row[i].fn);
        if (i > 0 && i < n - 1) /* the ledger of a scheme of second order, 8,000 steps */
            assert_true(row[i].lost > row[i - 1].lost - 1e-5 * energy);
    }
    assert_close(top / r.max_overlap, 1, 2e-3); /* a hundred rows miss the top by (pi/200)^2 */
    assert_close(force / r.max_force, 1, 4e-3);
    mrn_free(row);
    /* two balls that turn: the surfaces slip by what both of them do */
    c.radius[1] = 8e-3;
    c.spin[0][1] = 40, c.spin[1][1] = -90;
    ok(mrn_collide_history(&c, 1e-8, 100, &r, &row, &n, &msg), &msg);
    double slip = r.velocity[0][0] - r.velocity[1][0] - c.radius[0] * r.spin[0][1] -
                  c.radius[1] * r.spin[1][1];
    assert_close(row[n - 1].slip[0], slip, 1e-15);
    assert_close(row[n - 1].slip[0], row[n - 2].slip[0], 0.05); /* and so do the rows before it */
    mrn_free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),     cmocka_unit_test(alone_in_steps), cmocka_unit_test(every_law),
        cmocka_unit_test(stuck),     cmocka_unit_test(bad_input),      cmocka_unit_test(memory),
        cmocka_unit_test(not_known), cmocka_unit_test(history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
