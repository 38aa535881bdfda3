/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that fill a box: the sequence of Sobol' (Bratley & Fox 1988, 40 dimensions, as GSL has it)
   with the nested uniform scrambling of Owen (1995). */
#include "inference/design.h"

#include <math.h>

#include "base/base.h"
#include "inference/chance.h"

enum {
    TABULATED = 40, /* dimensions                         */
    BITS = 30,      /* of a coordinate, as GSL draws them */
    FINE = 52       /* of one scrambled                   */
};

/* ---- the box ---- */

mrn_status mrn_box_check(const mrn_parameter *p, int n, mrn_message *msg)
{
    if (n < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "%d parameters; at least one", n);
    for (int k = 0; k < n; k++) {
        if (!isfinite(p[k].lo) || !isfinite(p[k].hi) || !(p[k].lo < p[k].hi)) {
            mrn_fail(msg, MRN_ERR_INPUT, "parameter %s: its range from %g to %g is none", p[k].name,
                     p[k].lo, p[k].hi);
            mrn_fail_expected(msg, "two different finite bounds, the smaller one first");
            return MRN_ERR_INPUT;
        }
        if (p[k].log && !(p[k].lo > 0)) {
            mrn_fail(msg, MRN_ERR_INPUT, "parameter %s: a log scale cannot begin at %g", p[k].name,
                     p[k].lo);
            mrn_fail_expected(msg, "a positive lower bound, or a scale that is not log");
            return MRN_ERR_INPUT;
        }
    }
    return MRN_OK;
}

double mrn_box_at(const mrn_parameter *p, double u)
{
    if (u <= 0 || u >= 1)
        return u <= 0 ? p->lo : p->hi;
    double x = p->lo + u * (p->hi - p->lo);
    if (p->log) {
        double a = log10(p->lo), b = log10(p->hi);
        x = pow(10, a + u * (b - a));
    }
    return fmin(fmax(x, p->lo), p->hi);
}

double mrn_box_place(const mrn_parameter *p, double x)
{
    if (p->log)
        return (log10(x) - log10(p->lo)) / (log10(p->hi) - log10(p->lo));
    return (x - p->lo) / (p->hi - p->lo);
}

/* ---- the sequence ---- */

/* Every bit of the result depends on every bit of x (the finaliser of splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The middle of its cell: never 0 nor 1. */
static double open_unit(uint64_t bits)
{
    return ((double)bits + 0.5) * 0x1p-52;
}

/* A bit is turned or not by a coin that belongs to the bits before it: equal beginnings stay equal,
   which keeps the net; what lies below the last bit of the sequence is uniform. */
static double scramble(uint32_t x, uint64_t key)
{
    uint64_t out = 0;
    for (int depth = 0; depth < BITS; depth++) {
        uint64_t before = x >> (BITS - depth), node = (UINT64_C(1) << depth) | before;
        uint64_t bit = (x >> (BITS - 1 - depth)) & 1;
        out = (out << 1) | (bit ^ (mix(key ^ node) >> 63));
    }
    uint64_t node = (UINT64_C(1) << BITS) | x;
    return open_unit((out << (FINE - BITS)) | (mix(key ^ node) >> (64 - (FINE - BITS))));
}

mrn_status mrn_sequence_make(int n, uint64_t seed, mrn_sequence *out, mrn_message *msg)
{
    unsigned tabulated = (unsigned)(n < TABULATED ? n : TABULATED);
    *out = (mrn_sequence){.n = n};
    mrn_status s = mrn_array(&out->key, n, sizeof *out->key, msg);
    if (s == MRN_OK && mrn_sobol_bytes(tabulated) == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "this library was built without GSL: it has no even designs");
        s = mrn_fail_hint(msg, "build it with -DMRN_GSL=ON");
    }
    if (s == MRN_OK) /* GSL's own allocation would end the program where memory does */
        s = mrn_array(&out->state, 1, mrn_sobol_bytes(tabulated), msg);
    if (s != MRN_OK) {
        mrn_sequence_release(out);
        return s;
    }
    mrn_sobol_begin(out->state, tabulated);
    for (int k = 0; k < n; k++) {
        mrn_rng r = mrn_rng_seed(seed, (uint64_t)k);
        out->key[k] = mrn_rng_next(&r);
    }
    return MRN_OK;
}

void mrn_sequence_next(mrn_sequence *s, double *u)
{
    int tabulated = s->n < TABULATED ? s->n : TABULATED;
    if (s->at > 0) /* GSL leaves out the origin, without which 2^k points are no net */
        mrn_sobol_next(s->state, (unsigned)tabulated, s->raw);
    for (int k = 0; k < tabulated; k++)
        u[k] = scramble((uint32_t)(s->raw[k] * (double)(1 << BITS)), s->key[k]);
    for (int k = tabulated; k < s->n; k++)
        u[k] = open_unit(mix(s->key[k] ^ (uint64_t)s->at) >> (64 - FINE));
    s->at++;
}

void mrn_sequence_release(mrn_sequence *s)
{
    mrn_free(s->key);
    mrn_free(s->state);
    *s = (mrn_sequence){0};
}

mrn_status mrn_design(const mrn_parameter *p, int n, int64_t count, uint64_t seed, double *x,
                      mrn_message *msg)
{
    mrn_status s = mrn_box_check(p, n, msg);
    if (s != MRN_OK)
        return s;
    if (count < 0 || count > 1 << BITS)
        return mrn_fail(msg, MRN_ERR_RANGE, "%lld points of a design; 0 to %d", (long long)count,
                        1 << BITS);
    mrn_sequence q;
    if ((s = mrn_sequence_make(n, seed, &q, msg)) != MRN_OK)
        return s;
    for (int64_t i = 0; i < count; i++) {
        mrn_sequence_next(&q, x + i * n);
        for (int k = 0; k < n; k++)
            x[i * n + k] = mrn_box_at(&p[k], x[i * n + k]);
    }
    mrn_sequence_release(&q);
    return MRN_OK;
}
