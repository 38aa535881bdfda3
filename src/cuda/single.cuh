/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts under the commonest models, and plain bodies, computed in single precision: the headers of
   their formulas read once more, with a class of float in place of double (so that constants do not
   make products double). What is a small difference of large numbers stays double: places and the
   overlap. Included by device.cu. */
#ifndef MRN_CUDA_SINGLE_CUH
#define MRN_CUDA_SINGLE_CUH

namespace single {

struct number {
    float x;
    number() = default;
    __host__ __device__ __forceinline__ constexpr number(float a) : x(a) {}
    __host__ __device__ __forceinline__ constexpr number(double a) : x((float)a) {}
    __host__ __device__ __forceinline__ constexpr number(int a) : x((float)a) {}
    __host__ __device__ __forceinline__ constexpr number(long double a) : x((float)a) {}
#define MRN_SINGLE static __device__ __forceinline__
#define MRN_SINGLE_OPERATOR(op)                                                                    \
    friend __device__ __forceinline__ number operator op(number a, number b)                      \
    {                                                                                              \
        return number(a.x op b.x);                                                                 \
    }
#define MRN_SINGLE_COMPARE(op)                                                                     \
    friend __device__ __forceinline__ bool operator op(number a, number b)                        \
    {                                                                                              \
        return a.x op b.x;                                                                         \
    }
#define MRN_SINGLE_FUNCTION(name)                                                                  \
    friend __device__ __forceinline__ number name(number a)                                        \
    {                                                                                              \
        return number(name##f(a.x));                                                               \
    }
    MRN_SINGLE_OPERATOR(+)
    MRN_SINGLE_OPERATOR(-)
    MRN_SINGLE_OPERATOR(*)
    MRN_SINGLE_COMPARE(<)
    MRN_SINGLE_COMPARE(>)
    MRN_SINGLE_COMPARE(<=)
    MRN_SINGLE_COMPARE(==)
    friend __device__ __forceinline__ number operator-(number a)
    {
        return number(-a.x);
    }
    /* the chip's own quotient and root, good to two units of the last place: a third of the time */
    friend __device__ __forceinline__ number operator/(number a, number b)
    {
        return number(__fdividef(a.x, b.x));
    }
    friend __device__ __forceinline__ number sqrt(number a)
    {
        float r;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a.x));
        return number(r);
    }
    MRN_SINGLE_FUNCTION(fabs)
    MRN_SINGLE_FUNCTION(rint)
    MRN_SINGLE_FUNCTION(sin)
    MRN_SINGLE_FUNCTION(cos)
#undef MRN_SINGLE_OPERATOR
#undef MRN_SINGLE_COMPARE
#undef MRN_SINGLE_FUNCTION
};

/* Coefficients of a law, as its formulas ask for them. */
struct mrn_gpu_law {
    number coef[MRN_LAW_KINDS][MRN_COEF_MAX];
};

/* What a formula takes that stays double. */
MRN_SINGLE number mrn_power_004(number a)
{
    return number(::mrn_power_004((double)a.x));
}

#pragma push_macro("MRN_INLINE")
#undef MRN_INLINE
#define MRN_INLINE static __device__ __forceinline__
#define double     number
#undef MORAINE_TYPES_H
#undef MRN_DETECT_KINEMATICS_H
#undef MRN_LAWS_BEGIN_H
#undef MRN_LAWS_NORMAL_H
#undef MRN_LAWS_TANGENT_H
#undef MRN_LAWS_NORMAL_LINEAR_H
#undef MRN_LAWS_NORMAL_TSUJI_H
#undef MRN_LAWS_NORMAL_VISCOELASTIC_H
#undef MRN_LAWS_TANGENTIAL_LINEAR_H
#undef MRN_LAWS_TANGENTIAL_MINDLIN_H
#undef MRN_SMOOTH_SPHERE_PAIR_H
#undef MRN_SMOOTH_TURN_H
#undef MRN_CUDA_COMMON_LAW_H
#include "moraine/types.h"
#include "cuda/common_law.h"
#undef double
#pragma pop_macro("MRN_INLINE")

MRN_SINGLE mrn_vec3 of(::mrn_vec3 a)
{
    mrn_vec3 r = {a.x, a.y, a.z};
    return r;
}

struct motion {
    mrn_vec3 v, w;
    number mass, inertia;
};

MRN_SINGLE motion load_motion(const mrn_gpu *g, int32_t i)
{
    const float4 *row = (const float4 *)(const void *)g->motion + 2 * (size_t)i;
    float4 a = row[0], b = row[1];
    motion m = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, a.w, b.w};
    return m;
}

/* Three pairs of floats. */
struct six {
    mrn_vec3 a, b;
};

MRN_SINGLE six load6(const void *of, int64_t row)
{
    const float2 *p = (const float2 *)of + 3 * row;
    float2 x = p[0], y = p[1], z = p[2];
    six r = {{x.x, x.y, y.x}, {y.y, z.x, z.y}};
    return r;
}

MRN_SINGLE void store6(void *to, int64_t row, mrn_vec3 a, mrn_vec3 b)
{
    float2 *p = (float2 *)to + 3 * row;
    p[0] = make_float2(a.x.x, a.y.x);
    p[1] = make_float2(a.z.x, b.x.x);
    p[2] = make_float2(b.y.x, b.z.x);
}

/* As mrn_gpu_contact. The overlap is R - d = (R^2 - d^2) / (R + d), the difference in double. */
template <mrn_gpu_model model>
MRN_SINGLE mrn_gpu_terms contact(const mrn_gpu *g, int64_t k, mrn_gpu_pair pair,
                                 const mrn_gpu_standing &how, double deepest)
{
    motion mc = load_motion(g, pair.c), ma = load_motion(g, pair.a);
    float *memory = (float *)(void *)g->list.kept;
    const int width = model == MRN_GPU_LINEAR ? 3 : 4;
    const bool alive = pair.alive != 0;
    number kept[4];
    for (int m = 0; m < width; m++)
        kept[m] = alive ? memory[m * g->list.room + k] : 0.0f;
    const ::mrn_vec3 d = how.d;
    const double sum = how.rc + how.ra;
    mrn_sphere_pair p = {of(d), mc.v, ma.v, mc.w, ma.w, how.rc, how.ra, mc.mass, ma.mass};
    const mrn_cell_rates none = {0, 0, 0, 0, 0, 0};
    mrn_sphere_contact s = mrn_sphere_contact_of(p, none);
    s.delta = number(sum * sum - ::mrn_dot(d, d)) / (number(sum) * (1 + s.lever));
    if (g->fixed && (mrn_gpu_still(g, pair.c) || mrn_gpu_still(g, pair.a)))
        s.m = mrn_gpu_still(g, pair.c) ? p.ma : p.mc; /* as heavy as a wall */
    const mrn_gpu_law *law = (const mrn_gpu_law *)(const void *)g->single;
    mrn_gpu_answer o = mrn_gpu_common_law(law, model, s, alive ? 0 : 1, g->h, kept);
    for (int m = 0; m < width; m++)
        memory[m * g->list.room + k] = kept[m].x;
    store6(g->force, k, o.force, o.lever);
    if (!alive)
        g->list.alive[k] = 1;
    mrn_gpu_terms t;
    t.term[MRN_GPU_ENERGY_N] = o.energy_n.x, t.term[MRN_GPU_ENERGY_T] = o.energy_t.x;
    t.term[MRN_GPU_LOSS_N] = o.loss_n.x, t.term[MRN_GPU_POWER_T] = o.power_t.x;
    bool above = !(s.delta.x < (1 - 8 * FLT_EPSILON) * (float)deepest * s.r.x);
    t.overlap = above && s.delta.x > 0 ? (double)(s.delta.x / s.r.x) : 0;
    t.touch = 1;
    t.slip = o.slip.x > 0;
    return t;
}

/* As mrn_gpu_gather. */
struct total {
    mrn_vec3 force, lever;
};

MRN_SINGLE total gather(const mrn_gpu *g, int32_t i)
{
    const mrn_gpu_list *l = &g->list;
    total t = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = l->wall_row[i]; k < l->wall_row[i + 1]; k++) {
        if (!l->wall_alive[k])
            continue;
        t.force = mrn_add(t.force, of(::mrn_load3(g->wall_force + 6 * (size_t)k)));
        t.lever = mrn_add(t.lever, of(::mrn_load3(g->wall_force + 6 * (size_t)k + 3)));
    }
    const int32_t back = g->back_row[i + 1], own = l->row[i + 1];
    MRN_GPU_UNROLL for (int32_t m = g->back_row[i]; m < back; m++)
    {
        six f = load6(g->force, g->back[m]);
        t.force = mrn_sub(t.force, f.a);
        t.lever = mrn_add(t.lever, f.b);
    }
    MRN_GPU_UNROLL for (int32_t m = l->row[i]; m < own; m++)
    {
        six f = load6(g->force, m);
        t.force = mrn_add(t.force, f.a);
        t.lever = mrn_add(t.lever, f.b);
    }
    return t;
}

/* As mrn_gpu_body, where nothing acts but contacts without moments and gravity. */
MRN_SINGLE double body(const mrn_gpu *g, const mrn_gpu_step *s, int32_t i, int drift)
{
    total all = {{0, 0, 0}, {0, 0, 0}};
    if (s->kick)
        all = gather(g, i);
    motion m = load_motion(g, i);
    mrn_gpu_ball ball = mrn_gpu_load_ball(g, i);
    six pull = load6(g->pull, i);
    const number h = g->h, per_mass = h / m.mass, per_inertia = h / m.inertia;
    bool still = g->fixed && mrn_gpu_still(g, i);
    if (s->kick) {
        mrn_vec3 force = mrn_axpy(m.mass, of(g->gravity), all.force);
        mrn_vec3 torque = mrn_scale(-number(ball.r), all.lever);
        if (g->flat)
            force.z = 0, torque.x = 0, torque.y = 0;
        if (!still) {
            m.v = mrn_gpu_kick(m.v, pull.a, force, per_mass);
            m.w = mrn_gpu_kick(m.w, pull.b, torque, per_inertia);
        }
        pull.a = force, pull.b = torque;
        store6(g->pull, i, force, torque);
    }
    if (still)
        return 0;
    double far = 0;
    if (drift) {
        float4 *q = (float4 *)(void *)g->q + i, was = *q;
        ::mrn_vec3 x = ball.x;
        if (s->wrap && g->periodic)
            x = mrn_gpu_wrap(g, i, x);
        mrn_quat turned = {was.x, was.y, was.z, was.w};
        mrn_gpu_drifted go =
            mrn_gpu_drift(m.v, m.w, pull.a, pull.b, turned, per_mass, per_inertia, h, 0.5);
        ::mrn_vec3 d = {go.way.x.x, go.way.y.x, go.way.z.x};
        x = ::mrn_add(x, d);
        m.v = go.v, m.w = go.w;
        *q = make_float4(go.q.w.x, go.q.x.x, go.q.y.x, go.q.z.x);
        mrn_gpu_store4(g->place, 4 * (int64_t)i, x.x, x.y, x.z, ball.r, false);
        far = mrn_gpu_far(g, i, d);
    }
    float4 *row = (float4 *)(void *)g->motion + 2 * (size_t)i;
    row[0] = make_float4(m.v.x.x, m.v.y.x, m.v.z.x, m.mass.x);
    row[1] = make_float4(m.w.x.x, m.w.y.x, m.w.z.x, m.inertia.x);
    return far;
}

} // namespace single

#endif
