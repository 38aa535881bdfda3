/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What memory gives one core, the roof that the engines work under: nanoseconds per line of the
   cache (64 bytes) that is followed as a chain, read anywhere, read in order, or read, changed and
   written in order and shuffled within neighbourhoods, from sets of 1 MiB to 256 MiB. Lines of a
   set that fits no cache come several times as fast in order as here and there, asked for early or
   not. */
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "need.h"

enum { LINE = 8, AHEAD = 32 }; /* numbers of a line; lines asked for early */

static uint64_t state = UINT64_C(88172645463325252);

static uint64_t draw(void) /* xorshift */
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Lines 0 to n - 1, shuffled within neighbourhoods of `width`. */
static void shuffle(int32_t *at, int64_t n, int64_t width)
{
    for (int64_t k = 0; k < n + AHEAD; k++)
        at[k] = (int32_t)(k % n);
    for (int64_t first = 0; first < n; first += width) {
        int64_t many = first + width < n ? width : n - first;
        for (int64_t k = many; k > 1; k--) {
            int64_t other = first + (int64_t)(draw() % (uint64_t)k), last = first + k - 1;
            int32_t moved = at[last];
            at[last] = at[other], at[other] = moved;
        }
    }
}

/* Lines are followed from one to the next: each read waits for the one before. */
static double chain(double *a, const int32_t *at, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        a[LINE * (int64_t)at[k]] = at[(k + 1) % n];
    double t = mrn_clock();
    int64_t line = at[0];
    for (int64_t k = 0; k < n; k++)
        line = (int64_t)a[LINE * line];
    t = mrn_clock() - t;
    return line >= 0 ? t : 0;
}

static double read_lines(const double *a, const int32_t *at, int64_t n)
{
    double sum = 0, t = mrn_clock();
    for (int64_t k = 0; k < n; k++) {
        __builtin_prefetch(a + LINE * (int64_t)at[k + AHEAD]);
        sum += a[LINE * (int64_t)at[k]];
    }
    t = mrn_clock() - t;
    return sum >= 0 ? t : 0;
}

static double change_lines(double *a, const int32_t *at, int64_t n)
{
    double t = mrn_clock();
    for (int64_t k = 0; k < n; k++) {
        double *line = a + LINE * (int64_t)at[k];
        __builtin_prefetch(a + LINE * (int64_t)at[k + AHEAD], 1);
        for (int c = 0; c < LINE; c++)
            line[c] = 0.5 * line[c] + 1;
    }
    return mrn_clock() - t;
}

typedef struct row {
    double chain, anywhere, in_order, change, change_near, change_anywhere; /* s per line */
} row;

static row measure(double *a, int32_t *at, int64_t n)
{
    row r = {0};
    int64_t rounds = ((int64_t)1 << 22) / n + 1;
    for (int64_t k = 0; k < rounds; k++) {
        shuffle(at, n, n);
        r.chain += chain(a, at, n);
        r.anywhere += read_lines(a, at, n);
        r.change_anywhere += change_lines(a, at, n);
        shuffle(at, n, 64);
        r.change_near += change_lines(a, at, n);
        shuffle(at, n, 1);
        r.in_order += read_lines(a, at, n);
        r.change += change_lines(a, at, n);
    }
    double each = 1 / (double)(rounds * n);
    return (row){each * r.chain,  each * r.anywhere,    each * r.in_order,
                 each * r.change, each * r.change_near, each * r.change_anywhere};
}

int main(void)
{
    int64_t most = (int64_t)256 << 14; /* lines of 256 MiB */
    double *a = NULL;
    int32_t *at = NULL;
    need(mrn_array(&a, LINE * most, sizeof *a, &msg));
    need(mrn_array(&at, most + AHEAD, sizeof *at, &msg));
    printf("ns per line of 64 bytes, one core\n%6s %8s %10s %10s %12s %14s %12s\n", "MiB", "chain",
           "any order", "in order", "changed: any", "within 64", "in order");
    for (int64_t mib = 1; mib <= 256; mib *= 4) {
        row r = measure(a, at, mib << 14);
        printf("%6lld %8.1f %10.2f %10.2f %12.2f %14.2f %12.2f\n", (long long)mib, 1e9 * r.chain,
               1e9 * r.anywhere, 1e9 * r.in_order, 1e9 * r.change_anywhere, 1e9 * r.change_near,
               1e9 * r.change);
        fflush(stdout);
    }
    mrn_free(a);
    mrn_free(at);
    return 0;
}
