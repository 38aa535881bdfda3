/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small value types and the operations on them. All quantities are SI. */
#ifndef MORAINE_TYPES_H
#define MORAINE_TYPES_H

#include <math.h>

#include "moraine/base.h"

#define MRN_NAME 64 /* longest name of a material, wall, group, … with its final zero */
#define MRN_PI   3.14159265358979323846

/* Functions small enough to be compiled wherever they are used. The text is C17 and C++ alike; a
   compiler for another device says here what it needs before them. */
#ifndef MRN_INLINE
#define MRN_INLINE static inline
#endif

typedef struct mrn_vec3 {
    double x, y, z;
} mrn_vec3;

/* Unit quaternion, scalar part FIRST. Writers to tools with another order convert at the border. */
typedef struct mrn_quat {
    double w, x, y, z;
} mrn_quat;

/* A handle to a body. {0,0} is the null handle; a handle to a removed body is detected. */
typedef struct mrn_body {
    uint32_t id; /* 1 + persistent number of the body */
    uint32_t generation;
} mrn_body;

MRN_INLINE mrn_vec3 mrn_v3(double x, double y, double z)
{
    mrn_vec3 r = {x, y, z};
    return r;
}
MRN_INLINE mrn_vec3 mrn_load3(const double *a)
{
    mrn_vec3 r = {a[0], a[1], a[2]};
    return r;
}
MRN_INLINE void mrn_store3(double *a, mrn_vec3 v)
{
    a[0] = v.x, a[1] = v.y, a[2] = v.z;
}
MRN_INLINE mrn_vec3 mrn_add(mrn_vec3 a, mrn_vec3 b)
{
    return mrn_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
MRN_INLINE mrn_vec3 mrn_sub(mrn_vec3 a, mrn_vec3 b)
{
    return mrn_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
MRN_INLINE mrn_vec3 mrn_scale(double s, mrn_vec3 a)
{
    return mrn_v3(s * a.x, s * a.y, s * a.z);
}
MRN_INLINE mrn_vec3 mrn_axpy(double s, mrn_vec3 a, mrn_vec3 b)
{
    return mrn_v3(s * a.x + b.x, s * a.y + b.y, s * a.z + b.z);
}
MRN_INLINE double mrn_dot(mrn_vec3 a, mrn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
MRN_INLINE mrn_vec3 mrn_cross(mrn_vec3 a, mrn_vec3 b)
{
    return mrn_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
MRN_INLINE double mrn_norm(mrn_vec3 a)
{
    return sqrt(mrn_dot(a, a));
}
/* Unit vector along a; {0,0,1} for the zero vector. */
MRN_INLINE mrn_vec3 mrn_unit(mrn_vec3 a)
{
    double l = mrn_norm(a);
    return l > 0 ? mrn_scale(1 / l, a) : mrn_v3(0, 0, 1);
}

MRN_INLINE mrn_quat mrn_quat_identity(void)
{
    mrn_quat r = {1, 0, 0, 0};
    return r;
}
MRN_INLINE mrn_quat mrn_quat_mul(mrn_quat a, mrn_quat b)
{
    mrn_quat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return r;
}
MRN_INLINE mrn_quat mrn_quat_conj(mrn_quat q)
{
    mrn_quat r = {q.w, -q.x, -q.y, -q.z};
    return r;
}
MRN_INLINE mrn_quat mrn_quat_unit(mrn_quat q)
{
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    mrn_quat r = {s * q.w, s * q.x, s * q.y, s * q.z};
    return r;
}
/* q v q*: from the body's frame to the world's. */
MRN_INLINE mrn_vec3 mrn_rotate(mrn_quat q, mrn_vec3 v)
{
    mrn_vec3 u = {q.x, q.y, q.z};
    mrn_vec3 t = mrn_scale(2, mrn_cross(u, v));
    return mrn_add(mrn_axpy(q.w, t, v), mrn_cross(u, t));
}
/* The rotation by the vector `a` (axis times angle). */
MRN_INLINE mrn_quat mrn_quat_from_rotation(mrn_vec3 a)
{
    double angle = mrn_norm(a);
    double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    mrn_quat r = {cos(0.5 * angle), s * a.x, s * a.y, s * a.z};
    return r;
}

#endif
