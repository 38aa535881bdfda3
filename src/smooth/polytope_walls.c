/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of grains with corners with walls. A flat face of a wall is the half-space behind it, of
   thin plates and meshes what of it lies under the face; faces in one plane count together, so that
   the seams of a flat mesh are not felt. A solid block is a grain with corners. In a round
   container only corners can touch: each is a spring. A round obstacle is the half-space behind its
   tangent plane where the grain is deepest. */
#include <string.h>

#include "geom/cluster.h"
#include "geom/geom.h"
#include "geom/mesh.h"
#include "smooth/polytopes.h"

/* Two faces of a wall lie in one plane: angle, and offset over the size of the grain. */
#define SAME_ANGLE  1e-6
#define SAME_OFFSET 1e-6

/* A face as the grain sees it: from its own centre, axes of the world. */
typedef struct face {
    mrn_vec3 n, on; /* towards the grain; a point of the plane */
    int n_outline;  /* 0: no end                               */
    mrn_vec3 outline[4];
} face;

typedef struct view {
    const mrn_scene *scene;
    const mrn_state *s;
    const mrn_shape *shape;
    mrn_quat q;      /* of the wall                       */
    mrn_vec3 centre; /* of the grain, frame of the wall   */
    int32_t grain;
    const mrn_polytope *polytope;
} view;

static mrn_vec3 from_grain(const view *v, mrn_vec3 p)
{
    return mrn_rotate(v->q, mrn_sub(p, v->centre));
}

static mrn_posed pose_part(const view *v, int k)
{
    const mrn_bodies *b = &v->s->body;
    return mrn_posed_make(&v->polytope->part[k], mrn_v3(0, 0, 0),
                          mrn_load_quat(b->q + 4 * (size_t)v->grain), b->radius[v->grain]);
}

/* ---- flat faces ---- */

/* The plane of an outline given in the wall's frame, counter-clockwise about +n. */
static face thin_face(const view *v, mrn_vec3 n, const mrn_vec3 *outline, int count)
{
    double side = mrn_dot(n, mrn_sub(v->centre, outline[0])) < 0 ? -1 : 1;
    face f = {.n = mrn_rotate(v->q, mrn_scale(side, n)), .n_outline = count};
    for (int k = 0; k < count; k++)
        f.outline[side > 0 ? k : count - 1 - k] = from_grain(v, outline[k]);
    f.on = f.outline[0];
    return f;
}

static face triangle(const view *v, int32_t feature)
{
    const mrn_mesh *m = v->shape->mesh;
    mrn_vec3 corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = mrn_load3(m->point + 3 * (size_t)m->corner[3 * (size_t)feature + (size_t)k]);
    return thin_face(v, mrn_load3(m->normal + 3 * (size_t)feature), corner, 3);
}

/* A rectangle in the wall's frame; in 2D a line along u. */
static face rectangle(const view *v, mrn_vec3 middle, mrn_vec3 n, mrn_vec3 u, mrn_vec3 w)
{
    if (v->scene->dimension == 2) {
        mrn_vec3 end[2] = {mrn_sub(middle, u), mrn_add(middle, u)};
        return thin_face(v, n, end, 2);
    }
    mrn_vec3 corner[4] = {mrn_sub(mrn_sub(middle, u), w), mrn_sub(mrn_add(middle, u), w),
                          mrn_add(mrn_add(middle, u), w), mrn_add(mrn_sub(middle, u), w)};
    return thin_face(v, n, corner, 4);
}

static face plate(const view *v)
{
    double b = v->scene->dimension == 2 ? 0 : v->shape->p[1];
    return rectangle(v, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1), mrn_v3(v->shape->p[0], 0, 0),
                     mrn_v3(0, b, 0));
}

/* Faces of an open box: 0 -x, 1 +x, 2 -y … */
static face panel(const view *v, int32_t feature)
{
    const double *p = v->shape->p;
    bool flat = v->scene->dimension == 2;
    int axis = feature / 2, a = flat ? 1 - axis : (axis + 1) % 3, b = (axis + 2) % 3;
    double n[3] = {0}, at[3] = {0}, u[3] = {0}, w[3] = {0};
    n[axis] = 1;
    at[axis] = feature % 2 == 0 ? -p[axis] : p[axis];
    u[a] = p[a];
    if (!flat)
        w[b] = p[b];
    return rectangle(v, mrn_load3(at), mrn_load3(n), mrn_load3(u), mrn_load3(w));
}

static face half_space(const view *v, int32_t feature)
{
    mrn_vec3 point, n;
    v->shape->type->closest(v->shape, feature, v->centre, &point, &n);
    return (face){.n = mrn_rotate(v->q, n), .on = from_grain(v, point)};
}

typedef enum wall_kind { FLAT, BLOCK, HOLLOW, ROUND } wall_kind;

static wall_kind kind_of(const mrn_shape *w)
{
    if (w->type == &mrn_wall_plane || w->type == &mrn_wall_mesh)
        return FLAT;
    if (w->type == &mrn_wall_box)
        return w->inside ? FLAT : BLOCK;
    return w->inside ? HOLLOW : ROUND;
}

static face flat_face(const view *v, int32_t feature)
{
    const mrn_shape *w = v->shape;
    if (w->type == &mrn_wall_mesh)
        return triangle(v, feature);
    if (w->type == &mrn_wall_plane && isfinite(w->p[0]))
        return plate(v);
    if (w->type == &mrn_wall_box && w->p[3] != 0)
        return panel(v, feature);
    return half_space(v, feature);
}

static bool same_plane(const face *f, const face *g, double size)
{
    return mrn_dot(f->n, g->n) > 1 - 0.5 * SAME_ANGLE * SAME_ANGLE &&
           fabs(mrn_dot(f->n, mrn_sub(g->on, f->on))) < SAME_OFFSET * size;
}

static void add_face(const view *v, const face *f, mrn_lens *lens)
{
    double d = mrn_dot(f->n, f->on);
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        mrn_blocky_pose(&lens->c, &c, mrn_v3(0, 0, 0));
        mrn_lens_add_slab(lens, f->n, d, f->outline, f->n_outline);
    }
}

/* ---- other walls ---- */

static void box_points(const view *v, mrn_blocky *s)
{
    bool flat = v->scene->dimension == 2;
    s->n_points = flat ? 4 : 8;
    for (int k = 0; k < s->n_points; k++) {
        const double *p = v->shape->p;
        double z = flat ? 0 : (k & 4 ? p[2] : -p[2]);
        s->point[k] = from_grain(v, mrn_v3(k & 1 ? p[0] : -p[0], k & 2 ? p[1] : -p[1], z));
    }
}

/* The solid block as a body with faces, from its corners x + 2 y + 4 z. */
static void pose_block(const view *v, mrn_blocky *s)
{
    static const int side[4][2] = {{2, 0}, {1, 3}, {0, 1}, {3, 2}};
    static const int quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    bool flat = v->scene->dimension == 2;
    int per = flat ? 2 : 4;
    box_points(v, s);
    s->n_faces = flat ? 4 : 6;
    for (int f = 0; f < s->n_faces; f++) {
        double n[3] = {0, 0, 0};
        n[f / 2] = f % 2 == 0 ? -1 : 1;
        s->start[f] = per * f;
        for (int k = 0; k < per; k++)
            s->corner[per * f + k] = s->point[flat ? side[f][k] : quad[f][k]];
        mrn_vec3 normal = mrn_rotate(v->q, mrn_load3(n));
        mrn_store3(s->plane + 4 * f, normal);
        s->plane[4 * f + 3] = mrn_dot(normal, s->corner[per * f]);
    }
    s->start[s->n_faces] = per * s->n_faces;
}

static bool touch_block(const view *v, mrn_lens *lens, mrn_thickness *out)
{
    mrn_lens_begin(lens, v->scene->dimension);
    pose_block(v, &lens->a);
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        mrn_blocky_pose(&lens->c, &c, mrn_v3(0, 0, 0));
        mrn_lens_add_pair(lens);
    }
    return mrn_lens_end(lens, NULL, NULL, out);
}

/* Depth of one corner behind a round face. Thin shells are met from the side on which the grain's
   centre is. */
static double corner_depth(const view *v, int32_t feature, mrn_vec3 towards, mrn_vec3 at,
                           mrn_vec3 *n)
{
    mrn_vec3 local = mrn_add(v->centre, mrn_rotate(mrn_quat_conj(v->q), at)), point;
    double d = v->shape->type->closest(v->shape, feature, local, &point, n);
    if (d > 0 && mrn_dot(*n, towards) < 0) {
        *n = mrn_scale(-1, *n);
        d = -d;
    }
    *n = mrn_rotate(v->q, *n);
    return -d;
}

static bool touch_hollow(const view *v, int32_t feature, mrn_thickness *out)
{
    mrn_vec3 foot, towards, n;
    double square = 0;
    *out = (mrn_thickness){0};
    v->shape->type->closest(v->shape, feature, v->centre, &foot, &towards);
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        for (int i = 0; i < c.shape->n_points; i++) {
            mrn_vec3 at = mrn_posed_point(&c, i);
            double d = corner_depth(v, feature, towards, at, &n);
            if (!(d > 0))
                continue;
            square += d * d;
            out->push = mrn_axpy(d, n, out->push);
            out->twist = mrn_axpy(d, mrn_cross(at, n), out->twist);
            out->centre = mrn_axpy(d * d, at, out->centre);
            mrn_spread_add(out->spread, d * d, at);
        }
    }
    if (!(square > 0))
        return false;
    out->delta = sqrt(square);
    out->push = mrn_scale(1 / out->delta, out->push);
    out->twist = mrn_scale(1 / out->delta, out->twist);
    out->centre = mrn_scale(1 / square, out->centre);
    for (int k = 0; k < 6; k++)
        out->spread[k] /= square;
    mrn_spread_add(out->spread, -1, out->centre);
    return true;
}

static bool touch_round(const view *v, int32_t feature, mrn_lens *lens, mrn_thickness *out)
{
    mrn_vec3 x_w = from_grain(v, mrn_v3(0, 0, 0));
    mrn_contact_point m[MRN_NARROW_MAX], deepest = {.gap = 0};
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        int n = mrn_narrow_wall(&c, v->shape, x_w, v->q, feature, 0, m);
        for (int i = 0; i < n; i++)
            if (m[i].gap < deepest.gap)
                deepest = m[i];
    }
    if (!(deepest.gap < 0))
        return false;
    face f = {.n = deepest.normal,
              .on = mrn_axpy(-0.5 * deepest.gap, deepest.normal, deepest.point)};
    mrn_lens_begin(lens, v->scene->dimension);
    add_face(v, &f, lens);
    return mrn_lens_end(lens, &f.on, &f.n, out);
}

/* ---- pairs of the list ---- */

static bool keep(const view *v, const mrn_thickness *t, mrn_polytope_contact *g,
                 mrn_contact_point *c)
{
    double gradient = mrn_norm(t->push);
    if (!(t->delta > 0) || !(gradient > 1e-6))
        return false;
    mrn_vec3 x = mrn_load3(v->s->body.x + 3 * (size_t)v->grain);
    *g = (mrn_polytope_contact){.delta = t->delta,
                                .gradient = gradient,
                                .n = mrn_scale(1 / gradient, t->push),
                                .point = t->centre,
                                .apart = mrn_rotate(v->q, v->centre),
                                .twist = mrn_scale(1 / gradient, t->twist)};
    memcpy(g->spread, t->spread, sizeof g->spread);
    *c = (mrn_contact_point){
        .point = mrn_add(x, t->centre), .normal = g->n, .gap = -t->delta, .touch = true};
    return true;
}

/* All faces in the plane of pair k that come after it, as one contact; it belongs to the pair that
   has had it, else to the first. Those taken get gradient -1. */
static int touch_plane(const view *v, int64_t p0, int64_t p1, int64_t k, mrn_polytope_scratch *f,
                       mrn_contact_point *contact)
{
    const mrn_pairs *p = &v->s->pair;
    const int32_t *feature = p->feature - p->n_grain;
    double size = v->s->body.bound[v->grain];
    face first = flat_face(v, feature[k]);
    int64_t owner = k;
    mrn_thickness t;
    mrn_lens_begin(&f->lens, v->scene->dimension);
    add_face(v, &first, &f->lens);
    for (int64_t m = k + 1; m < p1; m++) {
        if (f->wall[m - p0].gradient != 0)
            continue;
        face other = flat_face(v, feature[m]);
        if (!same_plane(&first, &other, size))
            continue;
        f->wall[m - p0].gradient = -1;
        add_face(v, &other, &f->lens);
        if (p->touch[m] && !p->touch[owner])
            owner = m;
    }
    return mrn_lens_end(&f->lens, &first.on, &first.n, &t) &&
           keep(v, &t, &f->wall[owner - p0], &contact[owner - p0]);
}

int mrn_overlap_of_wall(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                        int64_t p0, int64_t p1, mrn_polytope_scratch *f, mrn_contact_point *contact)
{
    int32_t w = s->pair.other[p0];
    view v = {.scene = scene,
              .s = s,
              .shape = &scene->shape[s->body.shape[w]],
              .q = mrn_load_quat(s->body.q + 4 * (size_t)w),
              .centre = mrn_wall_local(scene, s, im, w, s->body.x + 3 * (size_t)i),
              .grain = i,
              .polytope = &scene->polytope[s->body.part[i]]};
    wall_kind kind = kind_of(v.shape);
    int n = 0;
    for (int64_t k = 0; k < p1 - p0; k++) {
        f->wall[k] = (mrn_polytope_contact){.gradient = 0};
        contact[k].touch = false;
    }
    for (int64_t k = p0; k < p1; k++) {
        int32_t feature = s->pair.feature[k - s->pair.n_grain];
        mrn_thickness t;
        if (kind == FLAT) {
            n += f->wall[k - p0].gradient != 0 ? 0 : touch_plane(&v, p0, p1, k, f, contact);
            continue;
        }
        bool touch = kind == BLOCK    ? touch_block(&v, &f->lens, &t)
                     : kind == HOLLOW ? touch_hollow(&v, feature, &t)
                                      : touch_round(&v, feature, &f->lens, &t);
        n += touch && keep(&v, &t, &f->wall[k - p0], &contact[k - p0]);
    }
    return n;
}
