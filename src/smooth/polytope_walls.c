/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of grains with corners with walls. A flat face of a wall is the half-space behind it, of
   thin plates and meshes what of it lies under the face; faces in one plane count together, so that
   the seams of a flat mesh are not felt. A solid wall is a grain with corners. In a curved
   container only corners can touch: each is a spring. A curved obstacle is the half-space behind
   its tangent plane where the grain is deepest. */
#include <string.h>

#include "geom/cluster.h"
#include "geom/geom.h"
#include "geom/narrow_wall.h"
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

/* A thin piece from the side where the grain is; its outline counter-clockwise about the normal. In
   2D corners run along +x or +y, whatever the normal is. */
static face thin_face(const view *v, const mrn_flat *piece)
{
    int count = piece->n;
    mrn_vec3 n = piece->normal;
    if (mrn_dot(n, mrn_sub(v->centre, piece->p[0])) < 0)
        n = mrn_scale(-1, n);
    bool back = count == 2 ? n.x + n.y + n.z < 0 : mrn_dot(n, piece->normal) < 0;
    face f = {.n = mrn_rotate(v->q, n), .n_outline = count};
    for (int k = 0; k < count; k++)
        f.outline[back ? count - 1 - k : k] = from_grain(v, piece->p[k]);
    f.on = f.outline[0];
    return f;
}

static face half_space(const view *v, int32_t feature)
{
    mrn_vec3 point, n;
    v->shape->type->closest(v->shape, feature, v->centre, &point, &n);
    return (face){.n = mrn_rotate(v->q, n), .on = from_grain(v, point)};
}

/* False: the feature is curved or solid, and has no plane. */
static bool flat_face(const view *v, int32_t feature, const mrn_surface *surface, face *out)
{
    if (surface == NULL || surface->kind == MRN_SURFACE_SOLID)
        return false;
    *out =
        surface->kind == MRN_SURFACE_PIECE ? thin_face(v, &surface->flat) : half_space(v, feature);
    return true;
}

static bool same_plane(const face *f, const face *g, double size)
{
    return mrn_dot(f->n, g->n) > 1 - 0.5 * SAME_ANGLE * SAME_ANGLE &&
           fabs(mrn_dot(f->n, mrn_sub(g->on, f->on))) < SAME_OFFSET * size;
}

static void add_face(const view *v, const face *f, mrn_overlap_region *region)
{
    double d = mrn_dot(f->n, f->on);
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        mrn_posed_faces_make(&region->c, &c, mrn_v3(0, 0, 0));
        mrn_overlap_region_add_slab(region, f->n, d, f->outline, f->n_outline);
    }
}

/* ---- other walls ---- */

/* A solid wall as a body with faces. */
static void pose_solid(const view *v, const mrn_convex *solid, mrn_posed_faces *s)
{
    s->n_points = solid->n_points;
    s->n_faces = solid->n_faces;
    for (int k = 0; k < s->n_points; k++)
        s->point[k] = from_grain(v, mrn_load3(solid->point + 3 * (size_t)k));
    for (int f = 0; f <= s->n_faces; f++)
        s->start[f] = solid->face_start[f];
    for (int k = 0; k < s->start[s->n_faces]; k++)
        s->corner[k] = s->point[solid->corner[k]];
    for (int f = 0; f < s->n_faces; f++) {
        mrn_vec3 normal = mrn_rotate(v->q, mrn_load3(solid->plane + 4 * (size_t)f));
        mrn_store3(s->plane + 4 * f, normal);
        s->plane[4 * f + 3] = mrn_dot(normal, s->corner[s->start[f]]);
    }
}

static bool touch_solid(const view *v, const mrn_convex *solid, mrn_overlap_region *region,
                        mrn_thickness *out)
{
    mrn_overlap_region_begin(region, v->scene->dimension);
    pose_solid(v, solid, &region->a);
    for (int k = 0; k < v->polytope->n_parts; k++) {
        mrn_posed c = pose_part(v, k);
        mrn_posed_faces_make(&region->c, &c, mrn_v3(0, 0, 0));
        mrn_overlap_region_add_pair(region);
    }
    return mrn_overlap_thickness(region, NULL, NULL, out);
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

static bool touch_round(const view *v, int32_t feature, mrn_overlap_region *region,
                        mrn_thickness *out)
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
    mrn_overlap_region_begin(region, v->scene->dimension);
    add_face(v, &f, region);
    return mrn_overlap_thickness(region, &f.on, &f.n, out);
}

static bool touch_other(const view *v, int32_t feature, const mrn_surface *surface,
                        mrn_overlap_region *region, mrn_thickness *out)
{
    if (surface != NULL)
        return touch_solid(v, surface->solid, region, out);
    return v->shape->inside ? touch_hollow(v, feature, out) : touch_round(v, feature, region, out);
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
static int touch_plane(const view *v, const face *first, int64_t p0, int64_t p1, int64_t k,
                       mrn_polytope_scratch *f, mrn_contact_point *contact)
{
    const mrn_pairs *p = &v->s->pair;
    const int32_t *feature = p->feature - p->n_grain;
    double size = v->s->body.bound[v->grain];
    int64_t owner = k;
    mrn_thickness t;
    mrn_overlap_region_begin(&f->region, v->scene->dimension);
    add_face(v, first, &f->region);
    for (int64_t m = k + 1; m < p1; m++) {
        if (f->wall[m - p0].gradient != 0)
            continue;
        face other;
        mrn_surface surface;
        bool known = mrn_surface_of(v->shape, feature[m], &surface);
        if (!flat_face(v, feature[m], known ? &surface : NULL, &other) ||
            !same_plane(first, &other, size))
            continue;
        f->wall[m - p0].gradient = -1;
        add_face(v, &other, &f->region);
        if (mrn_contact_alive(&v->s->contact, m) && !mrn_contact_alive(&v->s->contact, owner))
            owner = m;
    }
    return mrn_overlap_thickness(&f->region, &first->on, &first->n, &t) &&
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
    int n = 0;
    for (int64_t k = 0; k < p1 - p0; k++) {
        f->wall[k] = (mrn_polytope_contact){.gradient = 0};
        contact[k].touch = false;
    }
    for (int64_t k = p0; k < p1; k++) {
        face flat;
        mrn_surface surface;
        mrn_thickness t;
        int32_t feature = s->pair.feature[k - s->pair.n_grain];
        if (f->wall[k - p0].gradient != 0) /* counted with another face of its plane */
            continue;
        const mrn_surface *known = mrn_surface_of(v.shape, feature, &surface) ? &surface : NULL;
        if (flat_face(&v, feature, known, &flat))
            n += touch_plane(&v, &flat, p0, p1, k, f, contact);
        else if (touch_other(&v, feature, known, &f->region, &t))
            n += keep(&v, &t, &f->wall[k - p0], &contact[k - p0]);
    }
    return n;
}
