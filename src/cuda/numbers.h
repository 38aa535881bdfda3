/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of numbers of bodies and contacts as a device keeps them: doubles, or, in mixed precision,
   floats. Computed is in double in either case, so that there is one text of each formula, and what
   single precision costs is the rounding of what is kept: places stay double, since overlaps are
   small differences of them. `mixed` is known when a pass is compiled. Rows begin at multiples of
   16 bytes (doubles) or of 8 (floats): two numbers are one access. */
#ifndef MRN_CUDA_NUMBERS_H
#define MRN_CUDA_NUMBERS_H

#include "moraine/types.h"

/* The bytes of a number that is kept. */
MRN_INLINE int64_t mrn_gpu_bytes_of_number(bool mixed)
{
    return mixed ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
}

/* Numbers of a body's motion: velocity and spin; floats also have mass and inertia behind each. */
MRN_INLINE int64_t mrn_gpu_motion_row(bool mixed)
{
    return mixed ? 8 : 6;
}

/* What is left of a number when it is kept. */
MRN_INLINE double mrn_gpu_kept(double x, bool mixed)
{
    return mixed ? (double)(float)x : x;
}

MRN_INLINE mrn_vec3 mrn_gpu_kept3(mrn_vec3 a, bool mixed)
{
    mrn_vec3 r = {mrn_gpu_kept(a.x, mixed), mrn_gpu_kept(a.y, mixed), mrn_gpu_kept(a.z, mixed)};
    return r;
}

MRN_INLINE double mrn_gpu_number(const double *row, int64_t at, bool mixed)
{
    return mixed ? (double)((const float *)(const void *)row)[at] : row[at];
}

MRN_INLINE void mrn_gpu_set_number(double *row, int64_t at, double x, bool mixed)
{
    if (mixed)
        ((float *)(void *)row)[at] = (float)x;
    else
        row[at] = x;
}

/* |x| < 1/2, without a unit that is short of time. */
MRN_INLINE bool mrn_gpu_below_half(double x)
{
#ifdef __CUDA_ARCH__
    return (__double2hiint(x) & INT32_MAX) < 0x3fe00000;
#else
    return fabs(x) < 0.5;
#endif
}

/* The line of memory in which number `at` of a row stands is on its way to the cache from here on,
   while something else is computed; no register holds it. */
MRN_INLINE void mrn_gpu_soon(const double *row, int64_t at, bool mixed)
{
#ifdef __CUDA_ARCH__
    const char *p = (const char *)row + at * mrn_gpu_bytes_of_number(mixed);
    asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
#else
    (void)row, (void)at, (void)mixed;
#endif
}

/* Two numbers side by side. */
typedef struct mrn_gpu_two {
    double a, b;
} mrn_gpu_two;

MRN_INLINE mrn_gpu_two mrn_gpu_load2(const double *row, int64_t at, bool mixed)
{
#ifdef __CUDACC__
    if (mixed) {
        float2 f = *(const float2 *)((const float *)(const void *)row + at);
        mrn_gpu_two r = {(double)f.x, (double)f.y};
        return r;
    }
    double2 v = *(const double2 *)(row + at);
    mrn_gpu_two r = {v.x, v.y};
#else
    mrn_gpu_two r = {mrn_gpu_number(row, at, mixed), mrn_gpu_number(row, at + 1, mixed)};
#endif
    return r;
}

MRN_INLINE void mrn_gpu_store2(double *row, int64_t at, double a, double b, bool mixed)
{
#ifdef __CUDACC__
    if (mixed)
        *(float2 *)((float *)(void *)row + at) = make_float2((float)a, (float)b);
    else
        *(double2 *)(row + at) = make_double2(a, b);
#else
    mrn_gpu_set_number(row, at, a, mixed);
    mrn_gpu_set_number(row, at + 1, b, mixed);
#endif
}

/* Four, where the row is a multiple of four long. */
typedef struct mrn_gpu_four {
    mrn_gpu_two a, b;
} mrn_gpu_four;

MRN_INLINE mrn_gpu_four mrn_gpu_load4(const double *row, int64_t at, bool mixed)
{
#ifdef __CUDACC__
    if (mixed) {
        float4 f = *(const float4 *)((const float *)(const void *)row + at);
        mrn_gpu_four r = {{(double)f.x, (double)f.y}, {(double)f.z, (double)f.w}};
        return r;
    }
#endif
    mrn_gpu_four r = {mrn_gpu_load2(row, at, mixed), mrn_gpu_load2(row, at + 2, mixed)};
    return r;
}

MRN_INLINE void mrn_gpu_store4(double *row, int64_t at, double a, double b, double c, double d,
                               bool mixed)
{
#ifdef __CUDACC__
    if (mixed) {
        *(float4 *)((float *)(void *)row + at) =
            make_float4((float)a, (float)b, (float)c, (float)d);
        return;
    }
#endif
    mrn_gpu_store2(row, at, a, b, mixed);
    mrn_gpu_store2(row, at + 2, c, d, mixed);
}

/* Rows of four floats. */
MRN_INLINE void mrn_gpu_set_sieve(float *row, int64_t k, float x, float y, float z, float far)
{
#ifdef __CUDACC__
    *(float4 *)(row + 4 * k) = make_float4(x, y, z, far);
#else
    row[4 * k] = x, row[4 * k + 1] = y, row[4 * k + 2] = z, row[4 * k + 3] = far;
#endif
}

MRN_INLINE void mrn_gpu_get_sieve(const float *row, int64_t k, float to[4])
{
#ifdef __CUDACC__
    const float4 a = *(const float4 *)(row + 4 * k);
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
#else
    for (int m = 0; m < 4; m++)
        to[m] = row[4 * k + m];
#endif
}

/* Two vectors in a row. */
typedef struct mrn_gpu_six {
    mrn_vec3 a, b;
} mrn_gpu_six;

MRN_INLINE mrn_gpu_six mrn_gpu_load6(const double *row, int64_t at, bool mixed)
{
    mrn_gpu_two x = mrn_gpu_load2(row, at, mixed), y = mrn_gpu_load2(row, at + 2, mixed);
    mrn_gpu_two z = mrn_gpu_load2(row, at + 4, mixed);
    mrn_gpu_six r = {{x.a, x.b, y.a}, {y.b, z.a, z.b}};
    return r;
}

MRN_INLINE void mrn_gpu_store6(double *row, int64_t at, mrn_vec3 a, mrn_vec3 b, bool mixed)
{
    mrn_gpu_store2(row, at, a.x, a.y, mixed);
    mrn_gpu_store2(row, at + 2, a.z, b.x, mixed);
    mrn_gpu_store2(row, at + 4, b.y, b.z, mixed);
}

/* As load6, load4 and their stores, of what is read and written once in a step: in double it is the
   first to leave the caches, where forces of pairs are to stay. */
MRN_INLINE mrn_gpu_two mrn_gpu_load2_once(const double *row, int64_t at, bool mixed)
{
#ifdef __CUDA_ARCH__
    if (!mixed) {
        double2 v = __ldcs((const double2 *)(row + at));
        mrn_gpu_two r = {v.x, v.y};
        return r;
    }
#endif
    return mrn_gpu_load2(row, at, mixed);
}

MRN_INLINE void mrn_gpu_store2_once(double *row, int64_t at, double a, double b, bool mixed)
{
#ifdef __CUDA_ARCH__
    if (!mixed) {
        __stcs((double2 *)(row + at), make_double2(a, b));
        return;
    }
#endif
    mrn_gpu_store2(row, at, a, b, mixed);
}

MRN_INLINE mrn_gpu_six mrn_gpu_load6_once(const double *row, int64_t at, bool mixed)
{
    mrn_gpu_two x = mrn_gpu_load2_once(row, at, mixed), y = mrn_gpu_load2_once(row, at + 2, mixed);
    mrn_gpu_two z = mrn_gpu_load2_once(row, at + 4, mixed);
    mrn_gpu_six r = {{x.a, x.b, y.a}, {y.b, z.a, z.b}};
    return r;
}

MRN_INLINE void mrn_gpu_store6_once(double *row, int64_t at, mrn_vec3 a, mrn_vec3 b, bool mixed)
{
    mrn_gpu_store2_once(row, at, a.x, a.y, mixed);
    mrn_gpu_store2_once(row, at + 2, a.z, b.x, mixed);
    mrn_gpu_store2_once(row, at + 4, b.y, b.z, mixed);
}

MRN_INLINE mrn_gpu_four mrn_gpu_load4_once(const double *row, int64_t at, bool mixed)
{
    if (mixed)
        return mrn_gpu_load4(row, at, true);
    mrn_gpu_four r = {mrn_gpu_load2_once(row, at, false), mrn_gpu_load2_once(row, at + 2, false)};
    return r;
}

MRN_INLINE void mrn_gpu_store4_once(double *row, int64_t at, double a, double b, double c, double d,
                                    bool mixed)
{
    if (mixed) {
        mrn_gpu_store4(row, at, a, b, c, d, true);
        return;
    }
    mrn_gpu_store2_once(row, at, a, b, false);
    mrn_gpu_store2_once(row, at + 2, c, d, false);
}

#endif
