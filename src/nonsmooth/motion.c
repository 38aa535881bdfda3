/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies of the non-smooth engine: which of their degrees of freedom are free, their inverse
   masses, their motion without contacts, and the two halves of the way of a step. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geom/cluster.h"
#include "nonsmooth/nonsmooth.h"

enum { BODIES_CHUNK = 512 };

/* ---- degrees of freedom ---- */

/* Bits of the degrees of freedom that exist: 2D x, y, rz; 3D all. As in the scene, MRN_DOF_*. */
static unsigned existing(const mrn_nonsmooth *e)
{
    return e->dofs == 3 ? MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ : 63u;
}

static bool is_servo(const mrn_nonsmooth *e, int32_t i)
{
    const mrn_state *s = e->state;
    return i < s->body.n_walls && !(s->body.flags[i] & MRN_BODY_ABSENT) &&
           e->scene->wall[i].motion.kind == MRN_MOTION_SERVO;
}

/* Which degrees of freedom of body i are imposed. A servo wall has one free direction, which need
   not be an axis: it is marked as wholly held and gets its column apart. */
static unsigned held_of(const mrn_nonsmooth *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    unsigned all = existing(e);
    if (i < b->n_walls || b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER | MRN_BODY_ASLEEP))
        return all;
    return e->scene->group[b->group[i]].held & all;
}

/* Position of MRN_DOF_ bit k among the numbers of a body, -1: not there. */
static int slot(int dofs, int k)
{
    static const int flat[6] = {0, 1, -1, -1, -1, 2};
    return dofs == 3 ? flat[k] : k;
}

static mrn_vec3 spin_of(const mrn_nonsmooth *e, const double *u)
{
    return e->dofs == 3 ? mrn_v3(0, 0, u[2]) : mrn_load3(u + 3);
}

static void set_velocity(const mrn_nonsmooth *e, double *u, mrn_vec3 v, mrn_vec3 w)
{
    u[0] = v.x, u[1] = v.y;
    if (e->dofs == 3) {
        u[2] = w.z;
        return;
    }
    u[2] = v.z, u[3] = w.x, u[4] = w.y, u[5] = w.z;
}

/* ---- inverse masses ---- */

/* The inverse of a symmetric 3 x 3 matrix among the rows and columns marked free; 0 elsewhere. */
static void invert_part(const double a[3][3], const bool is_free[3], double out[3][3])
{
    int at[3], n = 0;
    for (int k = 0; k < 3; k++) {
        if (is_free[k])
            at[n++] = k;
        for (int l = 0; l < 3; l++)
            out[k][l] = 0;
    }
    if (n == 1)
        out[at[0]][at[0]] = 1 / a[at[0]][at[0]];
    if (n == 2) {
        int p = at[0], q = at[1];
        double det = a[p][p] * a[q][q] - a[p][q] * a[q][p];
        out[p][p] = a[q][q] / det, out[q][q] = a[p][p] / det;
        out[p][q] = out[q][p] = -a[p][q] / det;
    }
    if (n < 3)
        return;
    double c[3][3];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3, l1 = (l + 1) % 3, l2 = (l + 2) % 3;
            c[k][l] = a[k1][l1] * a[k2][l2] - a[k1][l2] * a[k2][l1];
        }
    double det = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            out[k][l] = c[l][k] / det;
}

/* Inverse inertia in the world's frame of a body with three moments. */
static void inverse_inertia(mrn_vec3 moments, mrn_quat q, const bool is_free[3], double out[3][3])
{
    mrn_vec3 ax = mrn_rotate(q, mrn_v3(1, 0, 0)), ay = mrn_rotate(q, mrn_v3(0, 1, 0));
    mrn_vec3 az = mrn_rotate(q, mrn_v3(0, 0, 1));
    double axis[3][3] = {{ax.x, ax.y, ax.z}, {ay.x, ay.y, ay.z}, {az.x, az.y, az.z}};
    double m[3] = {moments.x, moments.y, moments.z}, inertia[3][3] = {{0}};
    bool whole = is_free[0] && is_free[1] && is_free[2];
    for (int p = 0; p < 3; p++) {
        double f = whole ? 1 / m[p] : m[p];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                inertia[k][l] += f * axis[p][k] * axis[p][l];
    }
    if (whole)
        memcpy(out, inertia, sizeof inertia);
    else
        invert_part(inertia, is_free, out);
}

static bool turns_alike(const mrn_bodies *b, int32_t i)
{
    return !(b->flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE));
}

static void inverse_mass(const mrn_nonsmooth *e, int32_t i, unsigned held, double *out)
{
    const mrn_bodies *b = &e->state->body;
    int d = e->dofs, lin = d == 3 ? 2 : 3;
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int k = 0; k < lin; k++)
        out[k * d + k] = held >> k & 1 ? 0 : 1 / b->mass[i];
    if (d == 3) {
        double inertia = mrn_principal_moments(e->scene, b, i).z;
        out[8] = held & MRN_DOF_RZ ? 0 : 1 / inertia;
        return;
    }
    bool is_free[3] = {!(held & MRN_DOF_RX), !(held & MRN_DOF_RY), !(held & MRN_DOF_RZ)};
    double part[3][3] = {{0}};
    if (turns_alike(b, i))
        for (int k = 0; k < 3; k++)
            part[k][k] = is_free[k] ? 1 / b->inertia[i] : 0;
    else
        inverse_inertia(mrn_principal_moments(e->scene, b, i), mrn_load_quat(b->q + 4 * (size_t)i),
                        is_free, part);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            out[(3 + l) * d + 3 + k] = part[k][l];
}

/* A servo wall moves along one direction. */
static void inverse_mass_servo(const mrn_nonsmooth *e, int32_t i, double *out)
{
    mrn_vec3 n = e->scene->wall[i].motion.servo_direction;
    double a[3] = {n.x, n.y, n.z};
    int d = e->dofs, lin = d == 3 ? 2 : 3;
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int k = 0; k < lin; k++)
        for (int l = 0; l < lin; l++)
            out[l * d + k] = a[k] * a[l] / e->wall_mass;
}

double mrn_ns_wall_mass(const mrn_scene *scene, const mrn_state *s)
{
    mrn_sum sum = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER)))
            mrn_sum_add(&sum, s->body.mass[i]);
    (void)scene;
    double mass = mrn_sum_value(&sum);
    return mass > 0 ? mass : 1;
}

/* ---- columns ---- */

static mrn_status make_room(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_ns_bodies *b = &e->body;
    int64_t n = e->state->body.n, had = b->capacity;
    if (n <= had)
        return MRN_OK;
    int64_t room = n + n / 4 + 16;
    size_t numbers = (size_t)(room * e->dofs) * sizeof(double);
    void **field[] = {(void **)&b->u0, (void **)&b->free, (void **)&b->end, (void **)&b->push,
                      (void **)&b->pushed};
    for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
        void *more = mrn_realloc(*field[k], numbers);
        if (more == NULL)
            return mrn_fail_memory(msg);
        *field[k] = more;
    }
    int32_t *column = mrn_realloc(b->column, (size_t)room * sizeof *column);
    if (column == NULL)
        return mrn_fail_memory(msg);
    b->column = column;
    uint8_t *held = mrn_realloc(b->held, (size_t)room);
    if (held == NULL)
        return mrn_fail_memory(msg);
    b->held = held;
    b->capacity = room;
    return MRN_OK;
}

/* Global damping acts on the mean of the velocities at begin and end, a M (u0 + u) with a = damping
   h/2: seen by impulses, those of contacts too, the body is heavier by 1 + a. */
static double damping_of(const mrn_nonsmooth *e, double h)
{
    return 0.5 * h * e->scene->damping.global;
}

mrn_status mrn_ns_columns(mrn_nonsmooth *e, double h, mrn_message *msg)
{
    const mrn_bodies *b = &e->state->body;
    mrn_status st = make_room(e, msg);
    if (st != MRN_OK)
        return st;
    int32_t columns = 0;
    unsigned all = existing(e);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k < b->n_walls ? k : e->finder.rank.item[k - b->n_walls];
        unsigned held = held_of(e, i);
        e->body.held[i] = (uint8_t)held;
        e->body.column[i] = held != all || is_servo(e, i) ? columns++ : -1;
    }
    st = mrn_ns_room(&e->problem.minv, &e->capacity[MRN_NS_MINV],
                     (int64_t)columns * e->dofs * e->dofs, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&e->body_of_column, &e->capacity[MRN_NS_BODY_OF_COLUMN], columns,
                         sizeof *e->body_of_column, msg);
    if (st != MRN_OK)
        return st;
    e->problem.Ht.cols = columns;
#pragma omp parallel for schedule(static) if (b->n > 2048)
    for (int32_t i = 0; i < b->n; i++) {
        int32_t c = e->body.column[i];
        if (c < 0)
            continue;
        e->body_of_column[c] = i;
        double *to = e->problem.minv + (int64_t)c * e->dofs * e->dofs;
        if (i < b->n_walls)
            inverse_mass_servo(e, i, to);
        else
            inverse_mass(e, i, e->body.held[i], to);
        double lighter = 1 / (1 + damping_of(e, h));
        for (int k = 0; i >= b->n_walls && lighter != 1 && k < e->dofs * e->dofs; k++)
            to[k] *= lighter;
    }
    return MRN_OK;
}

/* ---- motion without contacts ---- */

/* Free turning of a body with three moments, in its own frame: the implicit midpoint rule keeps the
   energy W.IW/2 and |IW| exactly. Newton's iteration from W; converges in a few steps as long as
   h |W| is below about 1, else the best iterate is scaled to the right energy. */
static mrn_vec3 turn_freely(mrn_vec3 moments, mrn_vec3 w, double h)
{
    double i[3] = {moments.x, moments.y, moments.z};
    double d[3] = {i[2] - i[1], i[0] - i[2], i[1] - i[0]}; /* (w x Iw)_k = d_k w_l w_m */
    double a[3] = {w.x, w.y, w.z}, m[3] = {w.x, w.y, w.z};
    for (int step = 0; step < 12; step++) {
        /* 2 I (m - a) + h (m x I m) = 0 for the middle m */
        double f[3], j[3][3], size = 0, change = 0;
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, n = (k + 2) % 3;
            f[k] = 2 * i[k] * (m[k] - a[k]) + h * d[k] * m[l] * m[n];
            j[k][k] = 2 * i[k];
            j[k][l] = h * d[k] * m[n];
            j[k][n] = h * d[k] * m[l];
        }
        double c0 = j[1][1] * j[2][2] - j[1][2] * j[2][1];
        double c1 = j[1][2] * j[2][0] - j[1][0] * j[2][2];
        double c2 = j[1][0] * j[2][1] - j[1][1] * j[2][0];
        double det = j[0][0] * c0 + j[0][1] * c1 + j[0][2] * c2;
        if (!(det > 0))
            break;
        double dx = (f[0] * c0 + f[1] * (j[0][2] * j[2][1] - j[0][1] * j[2][2]) +
                     f[2] * (j[0][1] * j[1][2] - j[0][2] * j[1][1])) /
                    det;
        double dy = (f[0] * c1 + f[1] * (j[0][0] * j[2][2] - j[0][2] * j[2][0]) +
                     f[2] * (j[0][2] * j[1][0] - j[0][0] * j[1][2])) /
                    det;
        double dz = (f[0] * c2 + f[1] * (j[0][1] * j[2][0] - j[0][0] * j[2][1]) +
                     f[2] * (j[0][0] * j[1][1] - j[0][1] * j[1][0])) /
                    det;
        m[0] -= dx, m[1] -= dy, m[2] -= dz;
        size = fabs(m[0]) + fabs(m[1]) + fabs(m[2]);
        change = fabs(dx) + fabs(dy) + fabs(dz);
        if (!(change > 1e-15 * size))
            break;
    }
    double end[3], before = 0, after = 0;
    for (int k = 0; k < 3; k++) {
        end[k] = 2 * m[k] - a[k];
        before += i[k] * a[k] * a[k];
        after += i[k] * end[k] * end[k];
    }
    double scale = after > 0 ? sqrt(before / after) : 0;
    /* an iteration that has ended is right to rounding, which is even; that of factors next to 1 is
       not, and would add up over the steps */
    if (fabs(scale - 1) < 1e-13)
        scale = 1;
    return mrn_v3(scale * end[0], scale * end[1], scale * end[2]);
}

/* y = M⁻¹ x of a body's column. */
static void times_minv(const mrn_nonsmooth *e, int32_t column, const double *x, double *y)
{
    const double *m = e->problem.minv + (int64_t)column * e->dofs * e->dofs;
    for (int k = 0; k < e->dofs; k++) {
        double sum = 0;
        for (int l = 0; l < e->dofs; l++)
            sum += m[l * e->dofs + k] * x[l];
        y[k] = sum;
    }
}

/* Turning of a body some of whose rotations are imposed: u has what is imposed, and what was where
   it is free; `was` is the spin before. The free rotations feel the gyroscopic moment and the
   change of the imposed ones; the bearings bear the rest. The implicit midpoint rule keeps the
   energy where the imposed ones are 0. */
static void turn_held(const mrn_nonsmooth *e, int32_t i, mrn_vec3 was, double h, double *u)
{
    const mrn_bodies *b = &e->state->body;
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_vec3 moments = mrn_principal_moments(e->scene, b, i), imposed = mrn_load3(u + 3),
             w = imposed;
    mrn_vec3 jerk = mrn_angular_momentum(moments, q, mrn_sub(imposed, was));
    for (int step = 0; step < 30; step++) {
        mrn_vec3 mid = mrn_scale(0.5, mrn_add(imposed, w));
        mrn_vec3 gyro = mrn_cross(mid, mrn_angular_momentum(moments, q, mid));
        double x[MRN_DOFS_MAX] = {0}, y[MRN_DOFS_MAX];
        mrn_store3(x + 3, mrn_sub(mrn_scale(-h, gyro), jerk));
        times_minv(e, e->body.column[i], x, y);
        mrn_vec3 next = mrn_add(imposed, mrn_load3(y + 3));
        double change = mrn_norm(mrn_sub(next, w));
        w = next;
        if (!(change > 1e-15 * mrn_norm(w)))
            break;
    }
    mrn_store3(u + 3, w);
}

/* Velocity of body i when contacts begin to act: what is free has turned freely, what is imposed
   moves as imposed. */
static void begin_velocity(mrn_nonsmooth *e, int32_t i, double time, double h)
{
    mrn_state *s = e->state;
    const mrn_bodies *b = &s->body;
    double *u = e->body.u0 + (int64_t)i * e->dofs;
    const unsigned turns = MRN_DOF_RX | MRN_DOF_RY | MRN_DOF_RZ;
    unsigned held = i >= b->n_walls && !(b->flags[i] & MRN_BODY_FIXED)
                        ? e->scene->group[b->group[i]].held & existing(e)
                        : 0;
    bool gyro = i >= b->n_walls && !turns_alike(b, i) && e->dofs == 6;
    mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i), w = mrn_load3(b->w + 3 * (size_t)i);
    if (i >= b->n_walls && b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_ASLEEP))
        v = w = mrn_v3(0, 0, 0);
    else if (gyro && !(held & turns)) {
        mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
        mrn_vec3 own = mrn_rotate(mrn_quat_conj(q), w);
        /* only the change is turned back: rounding of the quaternion's length, which is not even,
           would else add up over the steps */
        mrn_vec3 end = turn_freely(mrn_principal_moments(e->scene, b, i), own, h);
        w = mrn_add(w, mrn_rotate(q, mrn_sub(end, own)));
    }
    set_velocity(e, u, v, w);
    mrn_instant at = {time, time - s->stage_time};
    for (int k = 0; held != 0 && k < 6; k++)
        if (held >> k & 1)
            u[slot(e->dofs, k)] =
                mrn_signal_value(&e->scene->group[b->group[i]].drive[k], at, NULL);
    if (gyro && held & turns && e->body.column[i] >= 0)
        turn_held(e, i, w, h, u);
}

/* Impulse from outside. Global damping is taken at the mean of begin and end: v' = v (1 - a)/(1 +
   a) with a = damping h/2, whatever the damping. */
static void push(mrn_nonsmooth *e, int32_t i, double time, double h)
{
    const mrn_state *s = e->state;
    const mrn_bodies *b = &s->body;
    double *to = e->body.push + (int64_t)i * e->dofs;
    if (i < b->n_walls) {
        mrn_vec3 n = e->scene->wall[i].motion.servo_direction;
        double load = h * mrn_drive_servo_load(e->scene, s, i, time);
        set_velocity(e, to, mrn_scale(load, n), mrn_v3(0, 0, 0));
        return;
    }
    mrn_vec3 f = mrn_scale(b->mass[i], mrn_load3(s->gravity)), t = {0, 0, 0};
    if (e->drive.load != NULL) {
        const mrn_load *l = &e->drive.load[b->group[i]];
        f = mrn_add(f, mrn_axpy(b->mass[i], l->acceleration, l->force));
        t = l->torque;
    }
    set_velocity(e, to, mrn_scale(h, f), mrn_scale(h, t));
}

static void free_velocity(mrn_nonsmooth *e, int32_t i, double h)
{
    int d = e->dofs;
    const double *u0 = e->body.u0 + (int64_t)i * d, *p = e->body.push + (int64_t)i * d;
    double *u = e->body.free + (int64_t)i * d, kick[MRN_DOFS_MAX];
    double a = i < e->state->body.n_walls ? 0 : damping_of(e, h);
    times_minv(e, e->body.column[i], p, kick);
    for (int k = 0; k < d; k++)
        u[k] = u0[k] * ((1 - a) / (1 + a)) + kick[k];
    if (a == 0 || e->body.held[i] == 0)
        return;
    for (int k = 0; k < 6; k++)
        if (e->body.held[i] >> k & 1)
            u[slot(d, k)] = u0[slot(d, k)];
}

void mrn_ns_free_motion(mrn_nonsmooth *e, double time, double h)
{
    const mrn_bodies *b = &e->state->body;
    size_t bytes = (size_t)e->dofs * sizeof(double);
#pragma omp parallel for schedule(static) if (b->n > 2048)
    for (int32_t i = 0; i < b->n; i++) {
        if (b->flags[i] & MRN_BODY_MEMBER)
            continue;
        begin_velocity(e, i, time, h);
        int64_t at = (int64_t)i * e->dofs;
        memset(e->body.pushed + at, 0, bytes);
        if (e->body.column[i] < 0) {
            memset(e->body.push + at, 0, bytes);
            if (i >= b->n_walls && !(b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_ASLEEP)))
                push(e, i, time, h); /* borne by what tells it to move */
            memcpy(e->body.free + at, e->body.u0 + at, bytes);
            memcpy(e->body.end + at, e->body.u0 + at, bytes);
            continue;
        }
        push(e, i, time, h);
        free_velocity(e, i, h);
    }
}

/* ---- ways ---- */

/* Spheres of a cluster, each in the periodic image in which it was. */
static void place_member(const mrn_nonsmooth *e, const mrn_images *im, int32_t m)
{
    mrn_bodies *b = &e->state->body;
    int32_t i = mrn_body_leader(e->state, m);
    const mrn_cluster *c = mrn_cluster_of(e->scene, b, i);
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_vec3 arm = mrn_cluster_arm(c, b->part[m], q, b->radius[i]);
    mrn_vec3 was = mrn_load3(b->x + 3 * (size_t)m), w = mrn_load3(b->w + 3 * (size_t)i);
    mrn_vec3 to = mrn_add(mrn_load3(b->x + 3 * (size_t)i), arm);
    mrn_store3(b->x + 3 * (size_t)m, mrn_add(was, mrn_images_nearest(im, mrn_sub(to, was))));
    mrn_store3(b->v + 3 * (size_t)m, mrn_add(mrn_load3(b->v + 3 * (size_t)i), mrn_cross(w, arm)));
    mrn_store3(b->w + 3 * (size_t)m, w);
    mrn_store_quat(b->q + 4 * (size_t)m, q);
}

static void carry(mrn_bodies *b, int32_t i, double h)
{
    size_t k = 3 * (size_t)i;
    mrn_store3(b->x + k, mrn_axpy(h, mrn_load3(b->v + k), mrn_load3(b->x + k)));
    mrn_vec3 turn = mrn_scale(h, mrn_load3(b->w + k));
    if (turn.x == 0 && turn.y == 0 && turn.z == 0)
        return;
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_store_quat(b->q + 4 * (size_t)i,
                   mrn_quat_unit(mrn_quat_mul(mrn_quat_from_rotation(turn), q)));
}

void mrn_ns_drift(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    mrn_bodies *b = &s->body;
    for (int32_t i = 0; i < b->n_walls; i++)
        if (is_servo(e, i))
            carry(b, i, h);
    const unsigned still = MRN_BODY_FIXED | MRN_BODY_MEMBER | MRN_BODY_ASLEEP;
#pragma omp parallel for schedule(static) if (b->n > 2048)
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (!(b->flags[i] & still))
            carry(b, i, h);
    if (e->scene->n_clusters == 0)
        return;
    mrn_images im = mrn_images_of(e->scene, s);
#pragma omp parallel for schedule(static) if (b->n > 2048)
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (b->flags[i] & MRN_BODY_MEMBER)
            place_member(e, &im, i);
}

/* A servo wall that is imposed a largest speed keeps it. */
static mrn_vec3 within_speed(const mrn_nonsmooth *e, int32_t i, mrn_vec3 v)
{
    double most = e->scene->wall[i].motion.servo_max_speed, speed = mrn_norm(v);
    return most > 0 && speed > most ? mrn_scale(most / speed, v) : v;
}

void mrn_ns_adopt(mrn_nonsmooth *e, double h)
{
    mrn_bodies *b = &e->state->body;
    int d = e->dofs;
#pragma omp parallel for schedule(static) if (b->n > 2048)
    for (int32_t i = 0; i < b->n; i++) {
        bool wall = i < b->n_walls;
        if (b->flags[i] & MRN_BODY_MEMBER || (wall && !is_servo(e, i)))
            continue;
        const double *u = e->body.end + (int64_t)i * d;
        mrn_vec3 v = d == 3 ? mrn_v3(u[0], u[1], 0) : mrn_load3(u), w = spin_of(e, u);
        mrn_store3(b->v + 3 * (size_t)i, wall ? within_speed(e, i, v) : v);
        mrn_store3(b->w + 3 * (size_t)i, w);
        if (wall)
            continue;
        const double *p = e->body.push + (int64_t)i * d, *c = e->body.pushed + (int64_t)i * d;
        double sum[MRN_DOFS_MAX];
        for (int k = 0; k < d; k++)
            sum[k] = (p[k] + c[k]) / h;
        mrn_store3(b->f + 3 * (size_t)i, d == 3 ? mrn_v3(sum[0], sum[1], 0) : mrn_load3(sum));
        mrn_store3(b->t + 3 * (size_t)i, spin_of(e, sum));
    }
}

/* ---- a step taken back ---- */

mrn_status mrn_ns_remember(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_bodies *b = &e->state->body;
    mrn_ns_past *p = &e->past;
    if (b->n_ids > p->capacity) {
        int64_t room = (int64_t)b->n_ids + 16;
        void **field[] = {(void **)&p->x, (void **)&p->q, (void **)&p->v, (void **)&p->w,
                          (void **)&p->image};
        size_t size[] = {3 * sizeof(double), 4 * sizeof(double), 3 * sizeof(double),
                         3 * sizeof(double), 3 * sizeof(int32_t)};
        for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
            void *more = mrn_realloc(*field[k], (size_t)room * size[k]);
            if (more == NULL)
                return mrn_fail_memory(msg);
            *field[k] = more;
        }
        p->capacity = room;
    }
    p->builds = e->state->pair.builds;
    p->wall_travel = e->state->pair.wall_travel;
#pragma omp parallel for schedule(static) if (b->n > 8192)
    for (int32_t i = 0; i < b->n; i++) {
        size_t to = (size_t)b->id[i], from = (size_t)i;
        memcpy(p->x + 3 * to, b->x + 3 * from, 3 * sizeof(double));
        memcpy(p->q + 4 * to, b->q + 4 * from, 4 * sizeof(double));
        memcpy(p->v + 3 * to, b->v + 3 * from, 3 * sizeof(double));
        memcpy(p->w + 3 * to, b->w + 3 * from, 3 * sizeof(double));
        memcpy(p->image + 3 * to, b->image + 3 * from, 3 * sizeof(int32_t));
    }
    return MRN_OK;
}

void mrn_ns_restore(mrn_nonsmooth *e)
{
    mrn_bodies *b = &e->state->body;
    const mrn_ns_past *p = &e->past;
    /* a list built meanwhile stays: the next try adds the way of the walls once more */
    if (e->state->pair.builds == p->builds)
        e->state->pair.wall_travel = p->wall_travel;
    for (int32_t i = 0; i < b->n; i++) {
        size_t from = (size_t)b->id[i], to = (size_t)i;
        memcpy(b->x + 3 * to, p->x + 3 * from, 3 * sizeof(double));
        memcpy(b->q + 4 * to, p->q + 4 * from, 4 * sizeof(double));
        memcpy(b->v + 3 * to, p->v + 3 * from, 3 * sizeof(double));
        memcpy(b->w + 3 * to, p->w + 3 * from, 3 * sizeof(double));
        memcpy(b->image + 3 * to, p->image + 3 * from, 3 * sizeof(int32_t));
    }
}
