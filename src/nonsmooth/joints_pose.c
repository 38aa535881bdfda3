/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where joints stand: anchors, frames and errors from the poses of their bodies. */
#include "detect/detect.h"
#include "geom/cluster.h"
#include "nonsmooth/joints_parts.h"
#include "smooth/motion.h"

static int lock(mrn_joint_row *row, int n, bool turn, int axis)
{
    row[n] = (mrn_joint_row){.role = MRN_ROW_LOCK, .turn = turn, .axis = axis};
    return n + 1;
}

int mrn_joint_plan(int dimension, const mrn_joint *d, mrn_joint_row row[MRN_JOINT_ROWS])
{
    bool plane = dimension == 2, hinge = d->kind == MRN_JOINT_HINGE;
    bool slider = d->kind == MRN_JOINT_SLIDER;
    int n = 0, about = plane ? 2 : 0; /* the axis a hinge leaves free */
    if (d->kind == MRN_JOINT_SPRING) {
        row[0] = (mrn_joint_row){.role = MRN_ROW_SPRING};
        return 1;
    }
    for (int k = slider ? 1 : 0; k < dimension; k++)
        n = lock(row, n, false, k);
    for (int k = plane ? 2 : 0; k < 3; k++)
        if (d->kind == MRN_JOINT_FIXED || slider || (hinge && k != about))
            n = lock(row, n, true, k);
    if (d->motor && (hinge || slider)) {
        row[n++] = (mrn_joint_row){.role = MRN_ROW_MOTOR, .turn = hinge, .axis = hinge ? about : 0};
    }
    return n;
}

static int32_t place_of(const mrn_state *s, double id, double generation)
{
    mrn_body b = {.id = (uint32_t)id + 1, .generation = (uint32_t)generation};
    return mrn_body_index(s, b);
}

bool mrn_joint_bodies(const mrn_state *s, const mrn_joint_memory *m, int32_t body[2])
{
    bool there = m->live != 0;
    for (int e = 0; e < 2; e++) {
        body[e] = there && m->id[e] >= 0 ? place_of(s, m->id[e], m->generation[e]) : -1;
        there = there && (m->id[e] < 0 || body[e] >= 0);
    }
    return there;
}

/* Pose of an end; the ground is a body at the origin. */
static mrn_vec3 centre_of(const mrn_state *s, int32_t body)
{
    return body < 0 ? mrn_v3(0, 0, 0) : mrn_load3(s->body.x + 3 * (size_t)body);
}

static mrn_quat orientation_of(const mrn_state *s, int32_t body)
{
    return body < 0 ? mrn_quat_identity() : mrn_load_quat(s->body.q + 4 * (size_t)body);
}

/* The rotation vector of q, the shorter way round. */
static mrn_vec3 rotation_vector(mrn_quat q)
{
    mrn_vec3 v = mrn_v3(q.x, q.y, q.z);
    double sine = mrn_norm(v), angle = 2 * atan2(sine, fabs(q.w));
    double s = sine > 1e-12 ? angle / sine : 2;
    return mrn_scale(q.w < 0 ? -s : s, v);
}

/* Of a hinge only what tilts its axis counts: a0 x a1 turns the one onto the other. Of the others
   the turn since the start, seen from the first body. */
static mrn_vec3 turn_error(const mrn_scene *scene, const mrn_joint *d, const mrn_joint_memory *m,
                           const mrn_joint_pose *p, mrn_quat q0, mrn_quat q1)
{
    mrn_vec3 a;
    if (d->kind == MRN_JOINT_HINGE && scene->dimension == 3) {
        a = mrn_cross(p->frame[0], mrn_rotate(q1, mrn_load3(m->axis)));
    } else {
        mrn_quat since = mrn_quat_mul(mrn_quat_mul(mrn_quat_conj(q0), q1),
                                      mrn_quat_conj(mrn_load_quat(m->turn)));
        a = mrn_rotate(q0, rotation_vector(since));
    }
    return mrn_v3(mrn_dot(a, p->frame[0]), mrn_dot(a, p->frame[1]), mrn_dot(a, p->frame[2]));
}

/* Velocities of grains are relative to the flow of the cell; walls and ground are not carried. */
static mrn_vec3 flow_velocity(const mrn_state *s, const mrn_joint_pose *p)
{
    mrn_cell_flow flow = mrn_cell_flow_of(s);
    mrn_vec3 x1 = centre_of(s, p->body[1]), from[2];
    if (!flow.on)
        return mrn_v3(0, 0, 0);
    from[1] = mrn_sub(x1, flow.origin);
    from[0] = mrn_sub(mrn_add(from[1], p->arm[1]), p->arm[0]);
    for (int e = 0; e < 2; e++)
        from[e] =
            p->body[e] < s->body.n_walls ? mrn_v3(0, 0, 0) : mrn_cell_flow_times(&flow, from[e]);
    return mrn_sub(from[1], from[0]);
}

/* The image of `raw` nearest to where the anchor was last seen: a slide longer than half a cell
   stays what it is. */
static mrn_vec3 apart_now(const mrn_images *im, mrn_vec3 raw, mrn_vec3 last)
{
    mrn_vec3 way = mrn_sub(raw, last);
    mrn_vec3 edges = mrn_sub(way, mrn_images_nearest(im, way));
    return mrn_sub(raw, edges);
}

bool mrn_joint_pose_now(const mrn_scene *scene, const mrn_state *s, int k, mrn_joint_pose *out)
{
    const mrn_joint_memory *m = mrn_joint_memory_at(s, k);
    mrn_joint_pose p = {.apart = {0, 0, 0}};
    if (!mrn_joint_bodies(s, m, p.body))
        return false;
    mrn_images im = mrn_images_of(scene, s);
    mrn_quat q0 = orientation_of(s, p.body[0]), q1 = orientation_of(s, p.body[1]);
    mrn_vec3 r0 = mrn_rotate(q0, mrn_load3(m->anchor[0]));
    mrn_vec3 r1 = mrn_rotate(q1, mrn_load3(m->anchor[1]));
    mrn_vec3 raw =
        mrn_sub(mrn_add(centre_of(s, p.body[1]), r1), mrn_add(centre_of(s, p.body[0]), r0));
    p.apart = apart_now(&im, raw, mrn_load3(m->apart));
    p.arm[0] = mrn_add(r0, p.apart);
    p.arm[1] = r1;
    for (int i = 0; i < 3; i++)
        p.frame[i] = mrn_rotate(q0, mrn_load3(m->frame[i]));
    double l = mrn_norm(p.apart);
    p.line = l > 0 ? mrn_scale(1 / l, p.apart) : p.frame[0];
    p.error = turn_error(scene, &scene->joint[k], m, &p, q0, q1);
    p.flow = flow_velocity(s, &p);
    *out = p;
    return true;
}

mrn_vec3 mrn_joint_direction(const mrn_joint_pose *p, const mrn_joint_row *row)
{
    return row->role == MRN_ROW_SPRING ? p->line : p->frame[row->axis];
}
