/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the integrators share: the flow of a straining cell, and the parts of a step that belong to
   one of them. */
#ifndef MRN_SMOOTH_MOTION_H
#define MRN_SMOOTH_MOTION_H

#include "smooth/rotation.h"
#include "smooth/smooth.h"

/* The velocity gradient of the cell. Velocities of the state are relative to its flow. */
typedef struct mrn_cell_flow {
    bool on;
    mrn_vec3 origin;
    double rate[MRN_STRAINS];
} mrn_cell_flow;

static inline mrn_cell_flow mrn_cell_flow_of(const mrn_state *s)
{
    mrn_cell_flow o = {.origin = mrn_load3(s->cell_origin)};
    for (int k = 0; k < MRN_STRAINS; k++) {
        o.rate[k] = s->cell_rate[k];
        o.on |= o.rate[k] != 0;
    }
    return o;
}

/* Gradient times a vector. */
MRN_INLINE mrn_vec3 mrn_cell_flow_times(const mrn_cell_flow *o, mrn_vec3 a)
{
    const double *l = o->rate;
    return mrn_v3(l[MRN_XX] * a.x + l[MRN_XY] * a.y + l[MRN_XZ] * a.z,
                  l[MRN_YY] * a.y + l[MRN_YZ] * a.z, l[MRN_ZZ] * a.z);
}

/* x after a step in which the body moves by d relative to the flow. The body is carried as the
   corners of the cell are, by 1 + h L, from half-way of its own path. */
MRN_INLINE mrn_vec3 mrn_cell_flow_carry(const mrn_cell_flow *o, mrn_vec3 x, mrn_vec3 d, double h)
{
    mrn_vec3 middle = mrn_axpy(0.5, d, mrn_sub(x, o->origin));
    return mrn_add(x, mrn_axpy(h, mrn_cell_flow_times(o, middle), d));
}

/* Power of the flow that carries a body at x (without the cell's jumps) against gravity. */
MRN_INLINE double mrn_flow_lift(const mrn_cell_flow *o, mrn_vec3 gravity, double mass, mrn_vec3 x)
{
    return -mass * mrn_dot(gravity, mrn_cell_flow_times(o, mrn_sub(x, o->origin)));
}

/* What a body adds to the kinetic stress, times the volume. */
MRN_INLINE void mrn_flow_kinetic(double mass, mrn_vec3 v, double to[MRN_STRAINS])
{
    to[MRN_XX] = mass * (v.x * v.x), to[MRN_YY] = mass * (v.y * v.y);
    to[MRN_ZZ] = mass * (v.z * v.z), to[MRN_XY] = mass * (v.x * v.y);
    to[MRN_XZ] = mass * (v.x * v.z), to[MRN_YZ] = mass * (v.y * v.z);
}

/* ---- bodies (bodies.c) ---- */

/* What acts on all bodies alike in a kick. */
typedef struct mrn_surroundings {
    double h;
    mrn_vec3 gravity;
    mrn_cell_flow flow;
    bool damped; /* global or local damping is on                          */
    bool plain;  /* velocity Verlet, and nothing acts but contacts and gravity */
} mrn_surroundings;

/* Adds to the contact force and torque on body i all other forces, corrects its motion and books
   their powers: at most MRN_CHUNK_ROWS times before mrn_body_part_add. */
void mrn_body_kick(mrn_smooth *e, const mrn_surroundings *o, int32_t i, mrn_vec3 f, mrn_vec3 t,
                   mrn_body_part *sum);
/* Adds the terms that were booked to the sums of the part. */
void mrn_body_part_add(mrn_body_part *p);

/* ---- clusters (clusters.c) ---- */

/* Kicks all clusters and takes their spheres along. */
void mrn_clusters_kick(mrn_smooth *e, const mrn_surroundings *o);

/* ---- Gear (gear.c) ---- */

/* Predicts position, velocity, orientation and spin at the end of the step, and force and torque
   there, which stand in b->f and b->t until the true ones are known. */
void mrn_gear_predict(const mrn_scene *scene, mrn_bodies *b, int32_t i, double h,
                      const mrn_cell_flow *flow);
/* Corrects everything by what the true force and torque differ from the predicted ones. */
void mrn_gear_correct(const mrn_scene *scene, mrn_bodies *b, int32_t i, double h, mrn_vec3 f,
                      mrn_vec3 t);

#endif
