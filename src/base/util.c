/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, clock, hash and random numbers. Generator: xoshiro256** of Blackman and Vigna (2018),
   written from its published recurrence; seeded by splitmix64. */
#include <math.h>
#include <omp.h>
#include <time.h>

#include "base/base.h"
#include "moraine/types.h"

int mrn_threads_set(int n)
{
    omp_set_num_threads(n > 0 ? n : omp_get_num_procs());
    return omp_get_max_threads();
}

int mrn_threads(void)
{
    return omp_get_max_threads();
}

static _Thread_local mrn_long_work long_work;

mrn_long_work mrn_long_work_set(mrn_long_work w)
{
    mrn_long_work before = long_work;
    long_work = w;
    return before;
}

mrn_long_work mrn_long_work_get(void)
{
    return long_work;
}

mrn_status mrn_long_work_tell(const char *what, double done, mrn_message *msg)
{
    if (long_work.tell == NULL || !long_work.tell(long_work.user, what, done))
        return MRN_OK;
    return mrn_fail(msg, MRN_INTERRUPTED, "stopped while %s", what);
}

double mrn_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t mrn_hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

mrn_rng mrn_rng_seed(uint64_t seed, uint64_t stream)
{
    uint64_t x = seed ^ (stream * UINT64_C(0xd1342543de82ef95));
    mrn_rng r;
    for (int i = 0; i < 4; i++)
        r.s[i] = splitmix(&x);
    return r;
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t mrn_rng_next(mrn_rng *r)
{
    uint64_t *s = r->s, result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double mrn_rng_uniform(mrn_rng *r)
{
    return (double)(mrn_rng_next(r) >> 11) * 0x1p-53;
}

double mrn_rng_normal(mrn_rng *r)
{
    double u = 1 - mrn_rng_uniform(r); /* in (0, 1] */
    double a = mrn_rng_uniform(r);
    return sqrt(-2 * log(u)) * cos(2 * MRN_PI * a);
}
