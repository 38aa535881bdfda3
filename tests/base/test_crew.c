/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crew: every part of every loop once, loops one after another, whoever sleeps or comes late. */
/* ctest-labels: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/crew.h"
#include "moraine/types.h"

enum { PARTS = 400 };

typedef struct chain {
    int64_t value[2][PARTS]; /* of the loop before and of this one, in turn */
    int64_t parts;
    int loops, now;
    int slow; /* each so many-th part sleeps; 0: none */
    bool with_crew;
    const int *lead; /* tells the lead's thread from others */
    atomic_int by_others;
} chain;

static _Thread_local int here;

/* Needs two parts of the loop before: one that began too early, was left out or was done twice
   leaves a wrong number. */
static void next_of(void *of, int64_t k)
{
    chain *c = of;
    const int64_t *before = c->value[!c->now];
    if (c->slow > 0 && k % c->slow == 1)
        usleep(500);
    if (&here != c->lead)
        atomic_fetch_add(&c->by_others, 1);
    c->value[c->now][k] += (before[k] + before[(k + 1) % c->parts]) / 2 + 1;
}

static void run_chain(void *of, mrn_crew *crew)
{
    chain *c = of;
    c->lead = &here;
    c->with_crew = crew != NULL;
    for (int loop = 0; loop < c->loops; loop++) {
        c->now = !c->now;
        for (int64_t k = 0; k < c->parts; k++) /* the lead's own work between two loops */
            c->value[c->now][k] = 0;
        mrn_crew_share(crew, c->parts, next_of, c);
        if (loop < 1000 && loop % 100 == 50)
            usleep(3000); /* longer than anybody spins: all fall asleep */
    }
}

static void check_chain(int threads, int64_t parts, int loops, int slow)
{
    static chain c;
    c = (chain){.parts = parts, .loops = loops, .slow = slow};
    mrn_threads_set(threads);
    mrn_crew_gather(run_chain, &c);
    for (int64_t k = 0; k < parts; k++)
        assert_int_equal(c.value[c.now][k], loops);
    assert_true(c.with_crew == (threads > 1));
    if (slow == 2 && threads > 1) /* time enough for others to come */
        assert_true(c.by_others > 0);
}

/* For any number of threads, more than cores among them, and of parts. */
static void every_part_is_done_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++)
        for (int64_t parts = 1; parts <= PARTS; parts = parts * 3 + 1)
            check_chain(threads, parts, 1000, 0);
}

/* Parts of which two threads take the same one, if taking were not one operation. */
static void no_part_is_taken_twice(void **state)
{
    (void)state;
    check_chain(2, 2, 100000, 0);
    check_chain(2, 64, 30000, 0);
}

/* Parts so long that whoever waits for them falls asleep, and that the lead goes on alone. */
static void sleepers_are_woken(void **state)
{
    (void)state;
    check_chain(2, 8, 60, 2);
    check_chain(3, 7, 60, 3);
    check_chain(5, 13, 60, 5);
}

static void not_to_be_called(void *of, int64_t k)
{
    (void)of, (void)k;
    fail();
}

static void note_crew(void *of, mrn_crew *crew)
{
    *(bool *)of = crew != NULL;
    mrn_crew_share(crew, 0, not_to_be_called, NULL);
}

/* Within a parallel region there is no crew, and loops go on without. */
static void no_crew_in_a_parallel_region(void **state)
{
    (void)state;
    static chain c[2];
    bool crew[2] = {false, false};
    mrn_threads_set(2);
    mrn_crew_gather(note_crew, crew);
    assert_true(crew[0]);
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 2; k++) {
        c[k] = (chain){.parts = 10, .loops = 20};
        mrn_crew_gather(note_crew, crew + k);
        mrn_crew_gather(run_chain, c + k);
    }
    for (int k = 0; k < 2; k++) {
        assert_false(crew[k] || c[k].with_crew);
        assert_int_equal(c[k].value[c[k].now][3], 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(no_part_is_taken_twice),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(no_crew_in_a_parallel_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
