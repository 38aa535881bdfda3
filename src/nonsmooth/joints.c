/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints as blocks of the contact problem, and what they remember from step to step. */
#include <string.h>

#include "base/base.h"
#include "nonsmooth/joints_parts.h"

/* Part of a drift that a step takes back; see the head of joints.h. */
#define DRIFT_RATE 0.2
/* Compliance of locks, over the typical diagonal of W. Bodies that cannot move along a row (held,
   asleep) would leave it without any; a joint gives way by this part of the speeds it prevents. */
#define LOCK_COMPLIANCE 1e-10

struct mrn_joints {
    const mrn_scene *scene;
    int rows;     /* of a block                                  */
    int used;     /* of them by joints: those that are forces    */
    int n_blocks; /* of all joints                               */
};

/* The rows of a joint, and how they are dealt to blocks: row k is row k % used of block k / used,
   but the motor's with a limit has a block of its own, where it is the first tangential row. */
typedef struct deal {
    mrn_joint_row row[MRN_JOINT_ROWS];
    int n;       /* rows                                    */
    int limited; /* the row with a block of its own; -1     */
    int blocks;
} deal;

static deal deal_of(const mrn_joints *j, const mrn_joint *d)
{
    deal a = {.limited = -1};
    a.n = mrn_joint_plan(j->scene->dimension, d, a.row);
    if (a.row[a.n - 1].role == MRN_ROW_MOTOR && isfinite(d->limit))
        a.limited = a.n - 1;
    int plain = a.n - (a.limited >= 0);
    a.blocks = (plain + j->used - 1) / j->used + (a.limited >= 0);
    return a;
}

/* Place of row k among the rows of the joint's blocks. */
static int slot_of(const mrn_joints *j, const deal *a, int k)
{
    return k == a->limited ? (a->blocks - 1) * j->rows + 1 : k / j->used * j->rows + k % j->used;
}

/* ---- life ---- */

static mrn_status note_all(const mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    double *numbers;
    int64_t n = (int64_t)scene->n_joints * MRN_JOINT_NUMBERS;
    if (mrn_array(&numbers, n, sizeof *numbers, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    mrn_status st = MRN_OK;
    for (int k = 0; k < scene->n_joints && st == MRN_OK; k++) {
        mrn_joint_memory m;
        st = mrn_joint_note(scene, s, &scene->joint[k], &m, msg);
        if (st == MRN_OK)
            memcpy(numbers + (int64_t)k * MRN_JOINT_NUMBERS, &m, sizeof m);
    }
    if (st != MRN_OK) {
        mrn_free(numbers);
        return st;
    }
    mrn_free(s->memory.joint);
    s->memory.joint = numbers;
    s->memory.n_joint = n;
    return MRN_OK;
}

static mrn_status remember(const mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    int64_t n = (int64_t)scene->n_joints * MRN_JOINT_NUMBERS;
    if (scene->n_joints > 0 && s->memory.n_joint == 0)
        return note_all(scene, s, msg);
    if (s->memory.n_joint == n)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT,
             "the state remembers %lld numbers of joints, the scene's have %lld",
             (long long)s->memory.n_joint, (long long)n);
    return mrn_fail_hint(msg, "go on with the scene the run began with: joints come at its start");
}

mrn_status mrn_joints_create(const mrn_scene *scene, mrn_state *s, int rows, mrn_joints **out,
                             mrn_message *msg)
{
    *out = NULL;
    if (rows < scene->dimension || rows > MRN_CONTACT_BLOCK_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "joints in blocks of %d rows: between %d and %d fit",
                        rows, scene->dimension, MRN_CONTACT_BLOCK_MAX);
    mrn_joints *j = mrn_alloc(sizeof *j);
    if (j == NULL)
        return mrn_fail_memory(msg);
    *j = (mrn_joints){.scene = scene, .rows = rows, .used = scene->dimension};
    for (int k = 0; k < scene->n_joints; k++)
        j->n_blocks += deal_of(j, &scene->joint[k]).blocks;
    mrn_status st = remember(scene, s, msg);
    if (st != MRN_OK) {
        mrn_free(j);
        return st;
    }
    *out = j;
    return MRN_OK;
}

void mrn_joints_destroy(mrn_joints **j)
{
    mrn_free(*j);
    *j = NULL;
}

int mrn_joints_count(const mrn_joints *j)
{
    return j->n_blocks;
}

/* ---- writing ---- */

/* One step of one joint. */
typedef struct writing {
    const mrn_joint *joint;
    mrn_joint_memory *memory;
    mrn_joint_pose pose;
    double h, typical_w;
    double speed; /* of the motor */
} writing;

/* The row of one body: what it adds to u per unit of each of its velocities. */
static void fill_half(double *h, int rows, int row, bool plane, mrn_vec3 v, mrn_vec3 w)
{
    double value[MRN_DOFS_MAX] = {v.x, v.y, v.z, w.x, w.y, w.z};
    if (plane)
        value[2] = w.z;
    for (int c = 0; c < (plane ? 3 : 6); c++)
        h[c * rows + row] = value[c];
}

static void fill_kinematics(const mrn_joints *j, const writing *w, const mrn_joint_row *d,
                            mrn_joint_block *b, int row)
{
    const mrn_joint_pose *p = &w->pose;
    mrn_vec3 n = mrn_joint_direction(p, d);
    for (int e = 0; e < 2; e++) {
        double sign = e == 0 ? -1 : 1;
        mrn_vec3 turn = d->turn ? mrn_scale(w->memory->length, n) : mrn_cross(p->arm[e], n);
        fill_half(b->h[e], j->rows, row, j->scene->dimension == 2, mrn_scale(d->turn ? 0 : sign, n),
                  mrn_scale(sign, turn));
    }
    b->q[row] = d->turn ? 0 : mrn_dot(n, p->flow);
}

static double component(mrn_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* The row times a, its impulse divided by a: with a^2 times its diagonal of typical size a soft
   spring does not outweigh all other rows where the residual is taken. */
static void scale_row(const mrn_joints *j, mrn_joint_block *b, int row, double a)
{
    for (int e = 0; e < 2; e++)
        for (int c = 0; c < MRN_DOFS_MAX; c++)
            b->h[e][c * j->rows + row] *= a;
    b->q[row] *= a;
    b->compliance[row] *= a * a;
}

/* A spring without stiffness and damping does nothing and stays a pad. */
static void fill_spring(const mrn_joints *j, const writing *w, const mrn_joint_row *d,
                        mrn_joint_block *b, int row)
{
    double k = w->joint->stiffness, drag = k * w->h + w->joint->damping;
    double stretch = mrn_norm(w->pose.apart) - w->memory->rest;
    if (!(w->h * drag > 0))
        return;
    fill_kinematics(j, w, d, b, row);
    b->role[row] = MRN_ROW_SPRING;
    b->q[row] += k * stretch / drag;
    b->compliance[row] = 1 / (w->h * drag);
    w->memory->scale = sqrt(w->typical_w / (w->typical_w + b->compliance[row]));
    scale_row(j, b, row, w->memory->scale);
}

static void fill_row(const mrn_joints *j, const writing *w, const mrn_joint_row *d,
                     mrn_joint_block *b, int row)
{
    if (d->role == MRN_ROW_SPRING) {
        fill_spring(j, w, d, b, row);
        return;
    }
    double length = d->turn ? w->memory->length : 1;
    fill_kinematics(j, w, d, b, row);
    b->role[row] = d->role;
    b->compliance[row] = LOCK_COMPLIANCE * w->typical_w;
    if (d->role == MRN_ROW_MOTOR) {
        b->q[row] -= length * w->speed;
        return;
    }
    double error = d->turn ? component(w->pose.error, d->axis)
                           : mrn_dot(w->pose.apart, w->pose.frame[d->axis]);
    b->q[row] += DRIFT_RATE * length * error / w->h;
}

static void fill_pads(const mrn_joints *j, mrn_joint_block *b, double typical_w, double length)
{
    *b = (mrn_joint_block){.body = {-1, -1}, .law = MRN_BILATERAL};
    for (int row = 0; row < j->rows; row++)
        b->compliance[row] = row < j->used ? typical_w : typical_w / (length * length);
}

/* Does the solver move this body? */
static bool moves(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    unsigned all = scene->dimension == 2 ? MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ : 63u;
    if (i < s->body.n_walls || (s->body.flags[i] & (MRN_BODY_FIXED | MRN_BODY_ASLEEP)))
        return false;
    int group = s->body.group[i];
    return group >= scene->n_groups || (scene->group[group].held & all) != all;
}

/* Its wall is taken away. */
static bool hangs_loose(const mrn_state *s, const int32_t body[2])
{
    for (int e = 0; e < 2; e++)
        if (body[e] >= 0 && (s->body.flags[body[e]] & MRN_BODY_ABSENT))
            return true;
    return false;
}

static bool acts(const mrn_scene *scene, const mrn_state *s, const int32_t body[2])
{
    if (hangs_loose(s, body))
        return false;
    return moves(scene, s, body[0]) || moves(scene, s, body[1]);
}

/* Impulse over the number that stands for it in the problem. */
static double scale_of(const mrn_joint_memory *m, const mrn_joint_row *row)
{
    return row->role == MRN_ROW_SPRING ? m->scale : 1;
}

static void write_joint(const mrn_joints *j, const writing *w, const deal *a, mrn_joint_block *out,
                        double *r)
{
    for (int k = 0; k < a->blocks; k++)
        memcpy(out[k].body, w->pose.body, sizeof out[k].body);
    for (int k = 0; k < a->n; k++) {
        int slot = slot_of(j, a, k);
        fill_row(j, w, &a->row[k], &out[slot / j->rows], slot % j->rows);
        if (r != NULL && out[slot / j->rows].role[slot % j->rows] != MRN_ROW_PAD)
            r[slot] = w->memory->load[k] * w->h / scale_of(w->memory, &a->row[k]);
    }
    if (a->limited < 0)
        return;
    mrn_joint_block *b = &out[a->blocks - 1];
    double arm = a->row[a->limited].turn ? w->memory->length : 1;
    b->law = MRN_UNILATERAL;
    b->mu = 1;
    b->cohesion = w->joint->limit * w->h / arm;
}

void mrn_joints_write(mrn_joints *j, mrn_state *s, double time, double h, double typical_w,
                      mrn_joint_block *out, double *r)
{
    const mrn_scene *scene = j->scene;
    mrn_instant at = {.t = time, .s = time - s->stage_time};
    if (r != NULL)
        memset(r, 0, (size_t)j->n_blocks * (size_t)j->rows * sizeof *r);
    for (int k = 0; k < scene->n_joints; k++) {
        mrn_joint_memory *m = mrn_joint_memory_at(s, k);
        writing w = {.joint = &scene->joint[k], .memory = m, .h = h, .typical_w = typical_w};
        deal a = deal_of(j, w.joint);
        for (int i = 0; i < a.blocks; i++)
            fill_pads(j, &out[i], typical_w, m->length);
        if (!mrn_joint_pose_now(scene, s, k, &w.pose)) {
            m->live = 0;
        } else {
            mrn_store3(m->apart, w.pose.apart);
            w.speed = w.joint->motor ? mrn_signal_value(&w.joint->speed, at, NULL) : 0;
            if (acts(scene, s, w.pose.body))
                write_joint(j, &w, &a, out, r);
        }
        out += a.blocks;
        r = r != NULL ? r + a.blocks * j->rows : NULL;
    }
}

/* ---- after the solve ---- */

void mrn_joints_take(const mrn_joints *j, mrn_state *s, double h, const double *r)
{
    for (int k = 0; k < j->scene->n_joints; k++) {
        mrn_joint_memory *m = mrn_joint_memory_at(s, k);
        deal a = deal_of(j, &j->scene->joint[k]);
        for (int i = 0; i < a.n; i++)
            m->load[i] = m->live != 0 ? r[slot_of(j, &a, i)] * scale_of(m, &a.row[i]) / h : 0;
        r += a.blocks * j->rows;
    }
}

bool mrn_joints_link(const mrn_joints *j, const mrn_state *s, int k, int32_t body[2], bool *driven)
{
    *driven = j->scene->joint[k].motor;
    return mrn_joint_bodies(s, mrn_joint_memory_at(s, k), body);
}

double mrn_joints_drift(const mrn_joints *j, const mrn_state *s)
{
    double worst = 0;
    for (int k = 0; k < j->scene->n_joints; k++) {
        deal a = deal_of(j, &j->scene->joint[k]);
        mrn_joint_pose p;
        double sum = 0;
        if (!mrn_joint_pose_now(j->scene, s, k, &p))
            continue;
        for (int i = 0; i < a.n; i++)
            if (a.row[i].role == MRN_ROW_LOCK && !a.row[i].turn)
                sum += pow(mrn_dot(p.apart, p.frame[a.row[i].axis]), 2);
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

double mrn_joints_energy(const mrn_joints *j, const mrn_state *s)
{
    double sum = 0;
    for (int k = 0; k < j->scene->n_joints; k++) {
        mrn_joint_pose p;
        if (j->scene->joint[k].kind != MRN_JOINT_SPRING ||
            !mrn_joint_pose_now(j->scene, s, k, &p) || hangs_loose(s, p.body))
            continue;
        double stretch = mrn_norm(p.apart) - mrn_joint_memory_at(s, k)->rest;
        sum += 0.5 * j->scene->joint[k].stiffness * stretch * stretch;
    }
    return sum;
}

void mrn_joints_load(const mrn_joints *j, const mrn_state *s, int k, mrn_vec3 *force,
                     mrn_vec3 *moment)
{
    const mrn_joint_memory *m = mrn_joint_memory_at(s, k);
    deal a = deal_of(j, &j->scene->joint[k]);
    mrn_joint_pose p;
    *force = *moment = mrn_v3(0, 0, 0);
    if (!mrn_joint_pose_now(j->scene, s, k, &p))
        return;
    for (int i = 0; i < a.n; i++) {
        mrn_vec3 n = mrn_joint_direction(&p, &a.row[i]);
        if (a.row[i].turn)
            *moment = mrn_axpy(m->length * m->load[i], n, *moment);
        else
            *force = mrn_axpy(m->load[i], n, *force);
    }
}
