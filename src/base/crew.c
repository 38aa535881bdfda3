/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task is a loop that the lead shares. Each member has a range of its parts, the same share of
   every loop, so that what it has in its caches is what it works on; it goes through them from the
   front, and when it is through takes from the back of others'. A range is one word, and a part is
   taken by exchanging it. Waiting is a bounded spin, about as long as falling asleep and being
   woken takes, then sleep in the kernel: a thread that waits does not hold the core that the others
   of a busy machine need. All that orders memory are C11 atomics. */
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/crew.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#endif

enum { SPINS = 2000, LINE = 64, MEMBERS = 64, ALONE = 8 };
#define MOST_PARTS INT32_MAX

/* Parts next … end: next + end << 32. */
typedef struct range {
    _Alignas(LINE) _Atomic uint64_t parts;
} range;

struct mrn_crew {
    range range[MEMBERS]; /* members beyond that many help the others */
    int members;
    _Alignas(LINE) _Atomic uint32_t bell; /* rung for every task, and at the end */
    _Atomic bool over;
    _Alignas(LINE) _Atomic uint32_t done; /* parts of the task */
    _Atomic uint32_t asleep;              /* threads that want to be woken       */
    _Atomic bool lead_asleep;
    double together; /* clock when members last began to work undisturbed …                  */
    double alone;    /* … and until when the lead works by itself                            */
    mrn_crew_part *part; /* of the task: written before its ranges, read after a part was taken */
    void *of;
};

/* ---- waiting ---- */

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Until somebody wakes, or at once when *word is not `seen`; may end for no reason. */
static void sleep_on(_Atomic uint32_t *word, uint32_t seen)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
    (void)word, (void)seen;
    sched_yield();
#endif
}

static void wake(_Atomic uint32_t *word)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}

/* ---- a task ---- */

/* Takes a part of a range, the first or the last; -1: none is left. */
static int64_t take(range *r, bool first)
{
    uint64_t parts = atomic_load(&r->parts);
    for (;;) {
        uint32_t next = (uint32_t)parts, end = (uint32_t)(parts >> 32);
        if (next >= end)
            return -1;
        uint64_t left = first ? parts + 1 : parts - (UINT64_C(1) << 32);
        if (atomic_compare_exchange_weak(&r->parts, &parts, left))
            return first ? next : end - 1;
    }
}

/* Does parts until none is left that nobody has begun. */
static void work(mrn_crew *c, int me)
{
    for (int k = 0; k < c->members; k++) {
        range *r = &c->range[(me + k) % c->members];
        for (int64_t part; (part = take(r, k == 0)) >= 0;) {
            c->part(c->of, part);
            atomic_fetch_add(&c->done, 1);
            if (atomic_load(&c->lead_asleep))
                wake(&c->done);
        }
    }
}

/* Until the bell has rung since it was `heard`. */
static void wait_for_task(mrn_crew *c, uint32_t heard)
{
    for (int k = 0; k < SPINS; k++, pause_a_little())
        if (atomic_load_explicit(&c->bell, memory_order_relaxed) != heard)
            return;
    atomic_fetch_add(&c->asleep, 1);
    if (atomic_load(&c->bell) == heard)
        sleep_on(&c->bell, heard);
    atomic_fetch_sub(&c->asleep, 1);
}

/* Where other programs hold a core, whoever has begun a part and lost the core is waited for. That
   pays as long as it takes less time than was worked together before; else the lead goes on alone
   for ALONE times as long as it has waited: a crew is never much slower than one thread. */
static void judge_wait(mrn_crew *c, double from)
{
    double now = mrn_clock();
    c->alone = now - from > from - c->together ? now + ALONE * (now - from) : 0;
    c->together = c->alone > now ? c->alone : now;
}

/* Until parts that others have begun are done. */
static void wait_for_parts(mrn_crew *c, uint32_t parts)
{
    for (int k = 0; k < SPINS; k++, pause_a_little())
        if (atomic_load(&c->done) == parts)
            return;
    double from = mrn_clock();
    atomic_store(&c->lead_asleep, true);
    for (uint32_t done = atomic_load(&c->done); done != parts; done = atomic_load(&c->done))
        sleep_on(&c->done, done);
    atomic_store(&c->lead_asleep, false);
    judge_wait(c, from);
}

static void ring(mrn_crew *c)
{
    atomic_fetch_add(&c->bell, 1);
    if (atomic_load(&c->asleep) > 0)
        wake(&c->bell);
}

static bool is_alone(mrn_crew *c)
{
    if (c->alone > 0 && mrn_clock() > c->alone)
        c->alone = 0;
    return c->alone > 0;
}

static void share(mrn_crew *c, int64_t parts, mrn_crew_part *part, void *of)
{
    c->part = part;
    c->of = of;
    atomic_store(&c->done, 0);
    for (int k = 0; k < c->members; k++) {
        uint64_t next = (uint64_t)(parts * k / c->members);
        uint64_t end = (uint64_t)(parts * (k + 1) / c->members);
        atomic_store(&c->range[k].parts, next | end << 32);
    }
    ring(c);
    work(c, 0);
    wait_for_parts(c, (uint32_t)parts);
}

typedef struct shifted {
    mrn_crew_part *part;
    void *of;
    int64_t by;
} shifted;

static void part_of_shifted(void *of, int64_t k)
{
    const shifted *s = of;
    s->part(s->of, s->by + k);
}

void mrn_crew_share(mrn_crew *c, int64_t parts, mrn_crew_part *part, void *of)
{
    if (c == NULL) {
#pragma omp parallel for schedule(static) if (parts > 1)
        for (int64_t k = 0; k < parts; k++)
            part(of, k);
        return;
    }
    for (int64_t from = 0; from < parts; from += MOST_PARTS) {
        shifted s = {part, of, from};
        int64_t some = parts - from < MOST_PARTS ? parts - from : MOST_PARTS;
        if (some > 1 && !is_alone(c))
            share(c, some, part_of_shifted, &s);
        else
            for (int64_t k = 0; k < some; k++)
                part(of, from + k);
    }
}

/* ---- the crew ---- */

static void serve(mrn_crew *c, int me)
{
    for (;;) {
        uint32_t heard = atomic_load(&c->bell);
        if (atomic_load(&c->over))
            return;
        work(c, me);
        wait_for_task(c, heard);
    }
}

void mrn_crew_gather(mrn_crew_lead *lead, void *of)
{
    mrn_crew crew = {.members = omp_get_max_threads()};
    if (crew.members < 2 || omp_in_parallel()) {
        lead(of, NULL);
        return;
    }
    crew.members = crew.members < MEMBERS ? crew.members : MEMBERS;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        if (me > 0) {
            serve(&crew, me % MEMBERS);
        } else {
            crew.together = mrn_clock();
            lead(of, omp_get_num_threads() > 1 ? &crew : NULL);
            atomic_store(&crew.over, true);
            ring(&crew);
        }
    }
}
