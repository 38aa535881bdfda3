/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar against a search through all items: times that come closer and move away, ties, many
   at once and pauses a thousand times longer than a day. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#include "event/calendar.h"
#include "moraine/moraine.h"

enum { N = 300 };

typedef struct thing { /* items are parts of something larger */
    int32_t name;
    mrn_calendar_item due;
    double more[3];
} thing;

static bool lower_name(const void *user, int32_t a, int32_t b)
{
    const thing *t = user;
    return t[a].name < t[b].name;
}

static int32_t search(const thing *t, const double *time)
{
    int32_t first = -1;
    for (int32_t k = 0; k < N; k++)
        if (time[k] < INFINITY && (first < 0 || time[k] < time[first] ||
                                   (time[k] == time[first] && t[k].name < t[first].name)))
            first = k;
    return first;
}

/* A time after `now`: soon, at once, at a whole number (ties), late, very late or never. */
static double draw(mrn_rng *g, double now)
{
    double u = mrn_rng_uniform(g), v = mrn_rng_uniform(g);
    return u < 0.6    ? now + v
           : u < 0.65 ? now
           : u < 0.8  ? ceil(now + 3 * v)
           : u < 0.95 ? now + 100 * v
           : u < 0.99 ? now + 1e5 * v
                      : INFINITY;
}

static bool left(const mrn_calendar *c, int32_t item)
{
    bool is_noted = false;
    for (int k = 0; k < MRN_CALENDAR_NOTES; k++)
        is_noted = is_noted || (c->note[k].item == item && c->note[k].leaves);
    return is_noted;
}

static void in_order(double day, double idle)
{
    static thing t[N];
    double time[N], now = 0;
    mrn_calendar c;
    mrn_message msg = {0};
    mrn_rng g = mrn_rng_seed(7, 0);
    for (int32_t k = 0; k < N; k++)
        t[k].name = (k * 77) % N; /* 77 and 300 have no common factor */
    assert_int_equal(mrn_calendar_make(&c, &t[0].due, sizeof *t, N, 0, lower_name, t, &msg),
                     MRN_OK);
    mrn_calendar_clear(&c, 0, day);
    assert_int_equal(mrn_calendar_first(&c), -1);
    for (int32_t k = 0; k < N; k++)
        mrn_calendar_set(&c, k, time[k] = draw(&g, 0));
    for (int step = 0; step < 20000; step++) {
        int32_t first = mrn_calendar_first(&c);
        assert_int_equal(first, search(t, time));
        if (first < 0)
            break;
        now = time[first];
        mrn_calendar_set(&c, first, time[first] = draw(&g, step % 997 == 0 ? now + idle : now));
        for (int other = 0; other < 2; other++) {
            int32_t k = (int32_t)(N * mrn_rng_uniform(&g));
            mrn_calendar_set(&c, k, time[k] = draw(&g, now));
        }
    }
    /* tomorrow's line holds those of tomorrow, and such as have left it since this morning */
    const mrn_calendar_day *tomorrow = mrn_calendar_ahead(&c, 1);
    for (int k = 0; k < tomorrow->n; k++)
        assert_true(left(&c, tomorrow->item[k]) ||
                    floor((time[tomorrow->item[k]] - c.origin) * c.per_second) == c.today + 1);
    assert_true(mrn_calendar_bytes(&c) > 0);
    mrn_calendar_release(&c);
}

static void orders(void **state)
{
    (void)state;
    in_order(0.01, 0);
    in_order(1e-6, 0); /* days that are much too short, and too long */
    in_order(50, 1e7);
}

/* After a pause days are as long as the next event asks for, not as the last one does. */
static void days_after_a_pause(void **state)
{
    (void)state;
    static thing t[N];
    mrn_calendar c;
    mrn_message msg = {0};
    assert_int_equal(mrn_calendar_make(&c, &t[0].due, sizeof *t, N, 0, lower_name, t, &msg),
                     MRN_OK);
    mrn_calendar_clear(&c, 0, 1);
    for (int32_t k = 0; k < N; k++) {
        t[k].name = k;
        mrn_calendar_set(&c, k, k == 0 ? 1e6 : 1e12 + k);
    }
    assert_int_equal(mrn_calendar_first(&c), 0);
    assert_true(1 / c.per_second > 0.9e3 && 1 / c.per_second < 1.1e3);
    mrn_calendar_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(days_after_a_pause),
                                       cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
