/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small engine for tests of joints: balls, joints, the theta scheme with theta = 1/2 and no
   contacts. Compliances enter the problem as extra bodies: one per block, felt by it alone, whose
   inverse masses are the compliances. */
#ifndef MRN_TESTS_NONSMOOTH_JOINT_FIXTURE_H
#define MRN_TESTS_NONSMOOTH_JOINT_FIXTURE_H

#include "geom/cluster.h"
#include "nonsmooth/joints.h"
#include "world.h"

enum { FIXTURE_BODIES = 8, FIXTURE_BLOCKS = 16 };

typedef struct fixture {
    mrn_scene scene;
    mrn_state state;
    mrn_joints *joints;
    mrn_message msg;
    mrn_vec3 gravity;
    mrn_joint_block block[FIXTURE_BLOCKS];
    double r[FIXTURE_BLOCKS * MRN_CONTACT_BLOCK_MAX];
    int rows;
    double typical_w;
} fixture;

static inline void fixture_begin(fixture *y, int dimension, int rows)
{
    *y = (fixture){.rows = rows, .typical_w = 1};
    y->scene = mrn_scene_default();
    y->scene.dimension = dimension;
    y->scene.n_groups = 1;
    y->scene.group = mrn_alloc(sizeof *y->scene.group);
    snprintf(y->scene.group[0].name, MRN_NAME, "parts");
    y->scene.joint = mrn_alloc(4 * sizeof *y->scene.joint);
}

static inline mrn_body fixture_ball(fixture *y, double mass, double inertia, mrn_vec3 x)
{
    mrn_body_def d = mrn_body_default();
    mrn_body b;
    d.x = x, d.radius = 0.3, d.mass = mass, d.inertia = inertia;
    ok(mrn_body_add(&y->state, &d, &b, &y->msg), &y->msg);
    return b;
}

static inline mrn_joint_end ground(void)
{
    return (mrn_joint_end){.group = -1, .wall = -1};
}
static inline mrn_joint_end grain(int k)
{
    return (mrn_joint_end){.group = 0, .grain = k, .wall = -1};
}

static inline mrn_joint *fixture_joint(fixture *y, mrn_joint_kind kind, mrn_joint_end a,
                                       mrn_joint_end b, mrn_vec3 point, mrn_vec3 axis)
{
    mrn_joint *d = &y->scene.joint[y->scene.n_joints++];
    *d = (mrn_joint){
        .kind = kind, .end = {a, b}, .point = point, .axis = axis, .limit = INFINITY, .rest = NAN};
    snprintf(d->name, MRN_NAME, "joint-%d", y->scene.n_joints);
    return d;
}

static inline void fixture_motor(mrn_joint *d, double speed, double limit)
{
    d->motor = true;
    d->speed = mrn_signal_constant(speed);
    d->limit = limit;
}

static inline void fixture_start(fixture *y)
{
    ok(mrn_joints_create(&y->scene, &y->state, y->rows, &y->joints, &y->msg), &y->msg);
    assert_in_range(mrn_joints_count(y->joints), 0, FIXTURE_BLOCKS);
}

static inline void fixture_end(fixture *y)
{
    mrn_joints_destroy(&y->joints);
    mrn_state_destroy(&y->state);
    mrn_scene_destroy(&y->scene);
}

static inline int fixture_dofs(const fixture *y)
{
    return y->scene.dimension == 2 ? 3 : 6;
}

/* Velocity of body i as degrees of freedom. */
static inline void fixture_velocity(const fixture *y, int32_t i, double *v)
{
    const double *a = y->state.body.v + 3 * (size_t)i, *w = y->state.body.w + 3 * (size_t)i;
    v[0] = a[0], v[1] = a[1];
    if (y->scene.dimension == 2) {
        v[2] = w[2];
        return;
    }
    v[2] = a[2];
    memcpy(v + 3, w, 3 * sizeof *w);
}

static inline void fixture_set_velocity(fixture *y, int32_t i, const double *v)
{
    double *a = y->state.body.v + 3 * (size_t)i, *w = y->state.body.w + 3 * (size_t)i;
    a[0] = v[0], a[1] = v[1];
    if (y->scene.dimension == 2) {
        w[2] = v[2];
        return;
    }
    a[2] = v[2];
    memcpy(w, v + 3, 3 * sizeof *w);
}

/* Bodies go on for a time h with velocities as degrees of freedom. */
static inline void fixture_carry(fixture *y, int32_t i, const double *v, double h)
{
    bool plane = y->scene.dimension == 2;
    mrn_vec3 dx = mrn_v3(h * v[0], h * v[1], plane ? 0 : h * v[2]);
    mrn_vec3 turn = plane ? mrn_v3(0, 0, h * v[2]) : mrn_v3(h * v[3], h * v[4], h * v[5]);
    double *x = y->state.body.x + 3 * (size_t)i, *q = y->state.body.q + 4 * (size_t)i;
    mrn_store3(x, mrn_add(mrn_load3(x), dx));
    mrn_quat to = mrn_quat_mul(mrn_quat_from_rotation(turn), mrn_load_quat(q));
    mrn_store_quat(q, mrn_quat_unit(to));
}

static inline void fixture_drift(fixture *y, double h)
{
    for (int32_t i = y->state.body.n_walls; i < y->state.body.n; i++) {
        double v[6];
        fixture_velocity(y, i, v);
        fixture_carry(y, i, v, h);
    }
}

static inline void fixture_write(fixture *y, double time, double h)
{
    mrn_joints_write(y->joints, &y->state, time, h, y->typical_w, y->block, y->r);
}

static inline mrn_contact_kind fixture_kind(const fixture *y)
{
    if (y->scene.dimension == 2)
        return y->rows == 2 ? MRN_CONTACT_2D : MRN_CONTACT_2D_ROLLING;
    return y->rows == 3   ? MRN_CONTACT_3D
           : y->rows == 5 ? MRN_CONTACT_3D_ROLLING
                          : MRN_CONTACT_3D_PIVOTING;
}

/* What body e of block k adds to u for velocities v. */
static inline void fixture_times(const fixture *y, int k, int e, const double *v, double *u)
{
    for (int c = 0; c < fixture_dofs(y); c++)
        for (int row = 0; row < y->rows; row++)
            u[row] += y->block[k].h[e][c * y->rows + row] * v[c];
}
static inline void fixture_transposed(const fixture *y, int k, int e, const double *r, double *p)
{
    for (int c = 0; c < fixture_dofs(y); c++)
        for (int row = 0; row < y->rows; row++)
            p[c] += y->block[k].h[e][c * y->rows + row] * r[row];
}

/* Entries of Ht as triples; columns are bodies, then one per block. */
typedef struct fixture_entries {
    int64_t n;
    int32_t row[4096], col[4096];
    double value[4096];
} fixture_entries;
static inline void fixture_entry(fixture_entries *t, int row, int col, double value)
{
    assert_true(t->n < 4096);
    t->row[t->n] = row, t->col[t->n] = col, t->value[t->n++] = value;
}

static inline void fixture_fill_ht(const fixture *y, int n, mrn_problem *p)
{
    int dofs = fixture_dofs(y), rows = y->rows, bodies = y->state.body.n;
    fixture_entries *t = mrn_alloc(sizeof *t);
    for (int k = 0; k < n; k++) {
        for (int e = 0; e < 2; e++)
            for (int c = 0; c < dofs && y->block[k].body[e] >= y->state.body.n_walls; c++)
                for (int row = 0; row < rows; row++)
                    fixture_entry(t, k * rows + row, y->block[k].body[e] * dofs + c,
                                  y->block[k].h[e][c * rows + row]);
        for (int row = 0; row < rows; row++)
            fixture_entry(t, k * rows + row, (bodies + k) * dofs + row, 1);
    }
    mrn_message msg = {0};
    ok(mrn_bsr_from_entries(n, bodies + n, rows, dofs, t->n, t->row, t->col, t->value, &p->Ht,
                            &msg),
       &msg);
    mrn_free(t);
}

static inline void fixture_fill_minv(const fixture *y, int n, mrn_problem *p)
{
    int dofs = fixture_dofs(y), bodies = y->state.body.n, plane = y->scene.dimension == 2;
    p->minv = mrn_alloc((size_t)((bodies + n) * dofs * dofs) * sizeof *p->minv);
    for (int i = y->state.body.n_walls; i < bodies; i++)
        for (int c = 0; c < dofs; c++)
            p->minv[(i * dofs + c) * dofs + c] =
                1 / (c < (plane ? 2 : 3) ? y->state.body.mass[i] : y->state.body.inertia[i]);
    for (int k = 0; k < n; k++)
        for (int row = 0; row < y->rows; row++)
            p->minv[((bodies + k) * dofs + row) * dofs + row] = y->block[k].compliance[row];
}

/* The problem of the blocks as they stand, with velocities as they stand. */
static inline mrn_problem fixture_problem(const fixture *y)
{
    int n = mrn_joints_count(y->joints);
    mrn_message msg = {0};
    mrn_problem p;
    ok(mrn_problem_create(fixture_kind(y), n, &p, &msg), &msg);
    fixture_fill_ht(y, n, &p);
    fixture_fill_minv(y, n, &p);
    p.law = mrn_alloc((size_t)n);
    p.cohesion = mrn_alloc((size_t)n * sizeof *p.cohesion);
    for (int k = 0; k < n; k++) {
        p.law[k] = y->block[k].law;
        p.mu[MRN_SLIDING][k] = y->block[k].mu;
        p.cohesion[k] = y->block[k].cohesion;
        memcpy(p.q + k * y->rows, y->block[k].q, (size_t)y->rows * sizeof *p.q);
        for (int e = 0; e < 2; e++) {
            double v[6];
            if (y->block[k].body[e] < 0)
                continue;
            fixture_velocity(y, y->block[k].body[e], v);
            fixture_times(y, k, e, v, p.q + k * y->rows);
        }
    }
    return p;
}

/* To 1e-12 of the speeds to be stopped, or 1e-12 m/s where they are less: a machine that runs
   evenly asks for nothing but rounding. */
static inline void fixture_solve(fixture *y)
{
    mrn_problem p = fixture_problem(y);
    mrn_solve_control control = mrn_solve_control_default();
    double size = 0;
    for (int i = 0; i < p.n * y->rows; i++)
        size = fmax(size, fabs(p.q[i]));
    control.tolerance = fmin(1e-12 / fmin(size + 1e-300, 1), 0.1), control.max_iterations = 100000;
    ok(mrn_problem_check(&p, NULL, &y->msg), &y->msg);
    ok(mrn_solve(&p, mrn_solver_find("nlgs"), NULL, &control, y->r, NULL, NULL, &y->msg), &y->msg);
    mrn_problem_release(&p);
}

static inline void fixture_push(fixture *y)
{
    int n = mrn_joints_count(y->joints), dofs = fixture_dofs(y);
    for (int k = 0; k < n; k++)
        for (int e = 0; e < 2; e++) {
            int32_t i = y->block[k].body[e];
            double impulse[6] = {0}, v[6];
            if (i < y->state.body.n_walls)
                continue;
            fixture_transposed(y, k, e, y->r + k * y->rows, impulse);
            fixture_velocity(y, i, v);
            for (int c = 0; c < dofs; c++)
                v[c] += impulse[c] /
                        (c < y->scene.dimension ? y->state.body.mass[i] : y->state.body.inertia[i]);
            fixture_set_velocity(y, i, v);
        }
}

static inline void fixture_step(fixture *y, double h)
{
    fixture_drift(y, h / 2);
    for (int32_t i = y->state.body.n_walls; i < y->state.body.n; i++) {
        double *v = y->state.body.v + 3 * (size_t)i;
        mrn_store3(v, mrn_axpy(h, y->gravity, mrn_load3(v)));
    }
    fixture_write(y, y->state.time + h, h);
    if (mrn_joints_count(y->joints) > 0)
        fixture_solve(y);
    fixture_push(y);
    mrn_joints_take(y->joints, &y->state, h, y->r);
    fixture_drift(y, h / 2);
    y->state.time += h;
}

#endif
