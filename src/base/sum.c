/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums that do not depend on the order of their terms: the idea stands in sum.h. */
#include "base/sum.h"

#include <math.h>

#include "base/dispatch.h"

void mrn_sum_raise(mrn_sum *s, int32_t top)
{
    int32_t up = s->top > 0 ? top - s->top : MRN_SUM_FOLDS;
    for (int f = MRN_SUM_FOLDS - 1; f >= 0; f--)
        s->count[f] = f >= up ? s->count[f - up] : 0;
    s->top = top;
}

/* Counts of n terms with the rounders of a sum, and the bits of the largest, whose level may be
   above theirs. Sums of bits wrap around; what they are more than those of the rounders does not.
 */
MRN_DISPATCHED static uint64_t cut(const double *x, int64_t n, const double m[MRN_SUM_FOLDS],
                                   uint64_t count[MRN_SUM_FOLDS])
{
    const double m0 = m[0], m1 = m[1], m2 = m[2];
    uint64_t c0 = 0, c1 = 0, c2 = 0, most = 0;
    for (int64_t k = 0; k < n; k++) {
        uint64_t bits = mrn_bits_of(x[k]) & (UINT64_MAX >> 1);
        most = bits > most ? bits : most;
        double t0 = x[k] + m0, r1 = x[k] - (t0 - m0);
        double t1 = r1 + m1, r2 = r1 - (t1 - m1), t2 = r2 + m2;
        c0 += mrn_bits_of(t0);
        c1 += mrn_bits_of(t1);
        c2 += mrn_bits_of(t2);
    }
    count[0] = c0, count[1] = c1, count[2] = c2;
    return most;
}

static uint64_t cut_for(const mrn_sum *s, const double *x, int64_t n, double rounder[MRN_SUM_FOLDS],
                        uint64_t count[MRN_SUM_FOLDS])
{
    for (int f = 0; f < MRN_SUM_FOLDS; f++)
        rounder[f] = mrn_sum_rounder(s->top - f);
    return cut(x, n, rounder, count);
}

void mrn_sum_block(mrn_sum *s, const double *x, int64_t n)
{
    double rounder[MRN_SUM_FOLDS];
    uint64_t count[MRN_SUM_FOLDS], most = cut_for(s, x, n, rounder, count);
    if (most == 0)
        return;
    if (most >= UINT64_C(2016) << 52) {
        s->lost = true;
        return;
    }
    if (mrn_sum_top(most) > s->top) { /* seldom but for the first terms */
        mrn_sum_raise(s, mrn_sum_top(most));
        cut_for(s, x, n, rounder, count);
    }
    for (int f = 0; f < MRN_SUM_FOLDS; f++)
        s->count[f] += (int64_t)(count[f] - (uint64_t)n * mrn_bits_of(rounder[f]));
}

void mrn_sum_merge(mrn_sum *s, const mrn_sum *part)
{
    s->lost |= part->lost;
    if (part->top > s->top)
        mrn_sum_raise(s, part->top);
    int32_t down = s->top - part->top;
    for (int f = down; part->top > 0 && f < MRN_SUM_FOLDS; f++)
        s->count[f] += part->count[f - down];
}

/* Moves whole units of the next level up, to the nearest: what stays is half a unit at most, so
   that terms which cancel leave their difference with all its bits. */
static void carry(mrn_int128 *from, mrn_int128 *to)
{
    const mrn_int128 unit = (mrn_int128)1 << MRN_SUM_BITS;
    mrn_int128 whole = (*from + unit / 2) >> MRN_SUM_BITS;
    *from -= whole * unit;
    *to += whole;
}

double mrn_sum_value(const mrn_sum *s)
{
    if (s->lost)
        return NAN;
    if (s->top == 0)
        return 0;
    mrn_int128 c[MRN_SUM_FOLDS];
    memcpy(c, s->count, sizeof c);
    carry(&c[2], &c[1]);
    carry(&c[1], &c[0]);
    int unit = MRN_SUM_BITS * (s->top - 1) - 1074;
    double low = (double)(c[1] * ((mrn_int128)1 << MRN_SUM_BITS) + c[2]);
    return ldexp((double)c[0], unit) + ldexp(low, unit - 2 * MRN_SUM_BITS);
}
