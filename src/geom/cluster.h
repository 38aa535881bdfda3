/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid clusters: from the template at unit size to the cluster a body is, and the parts of making
   a template. */
#ifndef MRN_GEOM_CLUSTER_H
#define MRN_GEOM_CLUSTER_H

#include "moraine/state.h"

/* ---- clusters in a state ---- */

/* The template of a cluster body or of a member. */
static inline const mrn_cluster *mrn_cluster_of(const mrn_scene *scene, const mrn_bodies *b,
                                                int32_t i)
{
    return &scene->cluster[scene->group[b->group[i]].cluster];
}

/* Principal moments of a body of that mass and radius from those of its template. */
MRN_INLINE mrn_vec3 mrn_moments_of(const double *inertia, double mass, double r)
{
    return mrn_scale(mass * r * r, mrn_load3(inertia));
}

/* Principal moments of inertia of body i; of a sphere three times the same. */
static inline mrn_vec3 mrn_principal_moments(const mrn_scene *scene, const mrn_bodies *b, int32_t i)
{
    if (!(b->flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE)))
        return mrn_v3(b->inertia[i], b->inertia[i], b->inertia[i]);
    double r = b->radius[i];
    if (b->flags[i] & MRN_BODY_POLYTOPE)
        return mrn_moments_of(scene->polytope[b->part[i]].inertia, b->mass[i], r);
    return mrn_moments_of(mrn_cluster_of(scene, b, i)->inertia, b->mass[i], r);
}

MRN_INLINE mrn_quat mrn_load_quat(const double *q)
{
    mrn_quat r = {q[0], q[1], q[2], q[3]};
    return r;
}
MRN_INLINE void mrn_store_quat(double *to, mrn_quat q)
{
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

/* From the centre of a cluster (orientation q, radius r) to a sphere of it, world frame: `centre`
   of the template, or of its sphere `part`. */
MRN_INLINE mrn_vec3 mrn_arm_of(const double *centre, mrn_quat q, double r)
{
    return mrn_rotate(q, mrn_scale(r, mrn_load3(centre)));
}
static inline mrn_vec3 mrn_cluster_arm(const mrn_cluster *c, int part, mrn_quat q, double r)
{
    return mrn_arm_of(c->centre + 3 * part, q, r);
}

/* Angular momentum about the centre of a body with principal moments `i`. */
MRN_INLINE mrn_vec3 mrn_angular_momentum(mrn_vec3 i, mrn_quat q, mrn_vec3 w)
{
    mrn_vec3 b = mrn_rotate(mrn_quat_conj(q), w);
    return mrn_rotate(q, mrn_v3(i.x * b.x, i.y * b.y, i.z * b.z));
}

/* Energy of rotation of body i; members have none of their own. */
static inline double mrn_rotational_energy(const mrn_scene *scene, const mrn_bodies *b, int32_t i)
{
    mrn_vec3 w = mrn_load3(b->w + 3 * (size_t)i);
    if (b->flags[i] & MRN_BODY_MEMBER)
        return 0;
    if (!(b->flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE)))
        return 0.5 * b->inertia[i] * mrn_dot(w, w);
    mrn_vec3 l = mrn_angular_momentum(mrn_principal_moments(scene, b, i),
                                      mrn_load_quat(b->q + 4 * (size_t)i), w);
    return 0.5 * mrn_dot(w, l);
}

/* ---- making a template ---- */

/* Volume and its first and second moments about the origin. */
typedef struct mrn_moments {
    double volume;
    mrn_vec3 first;
    double second[3][3];
    double error; /* relative standard error of the volume */
} mrn_moments;

/* Moments of inertia about `centre` (of mass), over the volume. */
void mrn_inertia_tensor(const mrn_moments *m, mrn_vec3 centre, double out[3][3]);
/* Axes (columns of v) and moments (the diagonal of a) of an inertia tensor; entries off the
   diagonal below `noise` times the trace are zero. Axes stay near those given, in order and
   right-handed. */
void mrn_principal_axes(double a[3][3], double noise, double v[3][3]);

/* A union of balls (disks when dimension is 2: volume is area). No ball lies inside another. */
typedef struct mrn_balls {
    int dimension, n;
    const double *centre, *radius;
} mrn_balls;

/* Do three of them share more than a point? */
bool mrn_balls_triple(const mrn_balls *b);
/* Closed polytope; right when no three share a point. */
mrn_moments mrn_balls_exact(const mrn_balls *b);
/* By points of an evenly spread sequence, at least `samples` of them (0: 4e6, fewer for very many
   balls): the same for any number of threads. */
mrn_status mrn_balls_sample(const mrn_balls *b, int64_t samples, mrn_moments *out,
                            mrn_message *msg);

#endif
