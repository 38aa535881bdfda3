/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polyhedra of the 3D picture: rays against the planes of their convex parts, and their shadows,
   which are the outlines of the parts seen from the lamp. Both exact. */
#include "draw/light.h"

#define BEVEL 0.045 /* of the unit size: edges are rounded this far, to the eye only */

mrn_body_shape mrn_body_shape_make(const mrn_view *view, const mrn_polytope *polytope,
                                   const double *q, double radius)
{
    mrn_body_shape s = {.polytope = polytope, .scale = radius / view->extent};
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    for (int k = 0; k < 3; k++) {
        mrn_vec3 e = mrn_rotate(turn, mrn_v3(k == 0, k == 1, k == 2));
        s.m[k] = mrn_dot(e, view->right);
        s.m[3 + k] = mrn_dot(e, view->up);
        s.m[6 + k] = -mrn_dot(e, view->toward);
    }
    return s;
}

static mrn_vec3 turn(const mrn_body_shape *s, mrn_vec3 a)
{
    const double *m = s->m;
    return mrn_v3(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                  m[6] * a.x + m[7] * a.y + m[8] * a.z);
}

/* A vector of camera space in the polytope's frame and size. */
static mrn_vec3 unturn(const mrn_body_shape *s, mrn_vec3 a)
{
    const double *m = s->m, k = 1 / s->scale;
    return mrn_v3(k * (m[0] * a.x + m[3] * a.y + m[6] * a.z),
                  k * (m[1] * a.x + m[4] * a.y + m[7] * a.z),
                  k * (m[2] * a.x + m[5] * a.y + m[8] * a.z));
}

/* Where the line o + t u runs in a convex part, and the face it comes in by; false: nowhere. */
static bool cross(const mrn_convex *c, mrn_vec3 o, mrn_vec3 u, double *in, double *out, int *face)
{
    *in = -INFINITY, *out = INFINITY;
    *face = 0;
    for (int k = 0; k < c->n_faces; k++) {
        const double *n = c->plane + 4 * k;
        double gap = n[3] - n[0] * o.x - n[1] * o.y - n[2] * o.z;
        double rate = n[0] * u.x + n[1] * u.y + n[2] * u.z;
        if (rate == 0) {
            if (gap < 0)
                return false;
        } else if (rate > 0) {
            *out = fmin(*out, gap / rate);
        } else if (gap / rate > *in) {
            *in = gap / rate;
            *face = k;
        }
        if (*in >= *out)
            return false;
    }
    return true;
}

double mrn_body_shape_meet(const mrn_body_shape *s, mrn_vec3 centre, mrn_vec3 d, double cut,
                           double nearest, mrn_shape_hit *hit)
{
    mrn_vec3 o = unturn(s, mrn_scale(-1, centre)), u = unturn(s, d);
    double best = INFINITY;
    for (int i = 0; i < s->polytope->n_parts; i++) {
        double in, out;
        int face;
        if (!cross(&s->polytope->part[i], o, u, &in, &out, &face))
            continue;
        bool flat = in < cut;
        if (flat)
            in = cut;
        if (in < out && in > nearest && in < best) {
            best = in;
            *hit = (mrn_shape_hit){i, face, flat};
        }
    }
    return best;
}

mrn_vec3 mrn_body_shape_normal(const mrn_body_shape *s, mrn_vec3 centre, mrn_shape_hit hit,
                               mrn_vec3 p, double pixel, double *edge)
{
    const mrn_convex *c = &s->polytope->part[hit.part];
    const double *n = c->plane + 4 * hit.face;
    mrn_vec3 at = unturn(s, mrn_sub(p, centre)), normal = mrn_load3(n), other = normal;
    double least = INFINITY;
    for (int k = 0; k < c->n_faces; k++) {
        mrn_vec3 m = mrn_load3(c->plane + 4 * k);
        double along = mrn_dot(normal, m), across = 1 - along * along;
        if (k == hit.face || across < 1e-12)
            continue;
        double away = fmax(c->plane[4 * k + 3] - mrn_dot(m, at), 0) / sqrt(across);
        if (away < least)
            least = away, other = m;
    }
    *edge = least * s->scale;
    double wide = fmax(BEVEL, 1.2 * pixel / s->scale), t = 1 - least / wide;
    return turn(s, t > 0 ? mrn_unit(mrn_axpy(t * t, other, normal)) : normal);
}

double mrn_body_shape_rim(const mrn_body_shape *s, mrn_vec3 centre, mrn_vec3 p)
{
    mrn_vec3 at = unturn(s, mrn_sub(p, centre));
    double most = -INFINITY;
    for (int i = 0; i < s->polytope->n_parts; i++) {
        const mrn_convex *c = &s->polytope->part[i];
        double least = INFINITY;
        for (int k = 0; k < c->n_faces; k++)
            least = fmin(least, c->plane[4 * k + 3] - mrn_dot(mrn_load3(c->plane + 4 * k), at));
        most = fmax(most, least);
    }
    return most * s->scale;
}

/* ---- outlines seen from the lamp ---- */

/* The edges between a face that sees the lamp and one that does not, as lines across the light. */
static int outline_part(const mrn_lamp *l, const mrn_body_shape *s, const mrn_convex *c,
                        mrn_lamp_side *out)
{
    mrn_vec3 light = unturn(s, l->toward), middle = {0, 0, 0};
    int n = 0;
    for (int k = 0; k < c->n_points; k++)
        middle = mrn_add(middle, mrn_load3(c->point + 3 * k));
    middle = turn(s, mrn_scale(s->scale / c->n_points, middle));
    double ms = mrn_dot(middle, l->across), mt = mrn_dot(middle, l->along);
    for (int k = 0; k < c->n_edges; k++) {
        const int32_t *e = c->edge + 4 * k;
        bool left = mrn_dot(mrn_load3(c->plane + 4 * e[2]), light) > 0;
        bool right = mrn_dot(mrn_load3(c->plane + 4 * e[3]), light) > 0;
        if (left == right)
            continue;
        mrn_vec3 a = turn(s, mrn_scale(s->scale, mrn_load3(c->point + 3 * e[0])));
        mrn_vec3 b = turn(s, mrn_scale(s->scale, mrn_load3(c->point + 3 * e[1])));
        double as = mrn_dot(a, l->across), at = mrn_dot(a, l->along);
        double ns = mrn_dot(b, l->along) - at, nt = as - mrn_dot(b, l->across);
        double size = hypot(ns, nt);
        if (!(size > 0))
            continue;
        ns /= size, nt /= size;
        double d = ns * as + nt * at, sign = ns * ms + nt * mt > d ? -1 : 1;
        out[n++] = (mrn_lamp_side){sign * ns, sign * nt, sign * d};
    }
    return n;
}

mrn_status mrn_lamp_outline(mrn_lamp *l, mrn_message *msg)
{
    int64_t parts = 0, sides = 0;
    for (int32_t k = 0; k < l->n_shapes; k++) {
        l->shape[k].first_part = parts;
        parts += l->shape[k].polytope->n_parts;
        for (int i = 0; i < l->shape[k].polytope->n_parts; i++)
            sides += l->shape[k].polytope->part[i].n_edges;
    }
    if (parts == 0)
        return MRN_OK;
    mrn_status st = mrn_array(&l->side_start, parts + 1, sizeof *l->side_start, msg);
    if (!st)
        st = mrn_array(&l->side, sides, sizeof *l->side, msg);
    if (st)
        return st;
    sides = 0;
    for (int32_t k = 0; k < l->n_shapes; k++)
        for (int i = 0; i < l->shape[k].polytope->n_parts; i++) {
            l->side_start[l->shape[k].first_part + i] = sides;
            sides += outline_part(l, &l->shape[k], &l->shape[k].polytope->part[i], l->side + sides);
        }
    l->side_start[parts] = sides;
    return MRN_OK;
}

/* How far p (from the centre of the shape) is outside the outline of a part across the light, and
   by which side. */
static double outside(const mrn_lamp *l, int64_t part, mrn_vec3 p, const mrn_lamp_side **by)
{
    double s = mrn_dot(p, l->across), t = mrn_dot(p, l->along), most = -INFINITY;
    for (int64_t k = l->side_start[part]; k < l->side_start[part + 1]; k++) {
        const mrn_lamp_side *e = &l->side[k];
        double away = e->s * s + e->t * t - e->d;
        if (away > most)
            most = away, *by = e;
    }
    return most;
}

double mrn_lamp_behind(const mrn_lamp *l, const mrn_ball *b, mrn_vec3 p, int not_part,
                       const double soft[3])
{
    const mrn_body_shape *s = &l->shape[b->shape];
    mrn_vec3 from = mrn_sub(p, b->c);
    double visible = 1;
    for (int i = 0; i < s->polytope->n_parts; i++) {
        const mrn_lamp_side *side = NULL;
        double away = outside(l, s->first_part + i, from, &side), in, out;
        int face;
        if (i == not_part || !side || away >= soft[2] * b->r)
            continue;
        /* just beside the outline the ray a little within it tells how far the shape is */
        mrn_vec3 q = from;
        double inset = away + 0.02 * b->r;
        if (inset > 0)
            q = mrn_sub(from, mrn_add(mrn_scale(inset * side->s, l->across),
                                      mrn_scale(inset * side->t, l->along)));
        if (!cross(&s->polytope->part[i], unturn(s, q), unturn(s, l->toward), &in, &out, &face) ||
            out < 1e-3 * s->scale)
            continue;
        double w = fmin(fmax(soft[0] * in, soft[1] * b->r), soft[2] * b->r);
        double t = (away + w) / (2 * w);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        visible *= t * t * (3 - 2 * t);
    }
    return visible;
}
