/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact of two bodies with corners from the regions they share.

   Found anew for every report, though the smooth engine met the same region in its step. Its
   overlap (smooth/polytopes.h) is another quantity, a thickness whose gradient gives the force;
   what is told here is geometry, centre, normal and mean thickness of the region, and must be told
   of states without a step behind them too (checkpoints, packings of other codes). Kept in the
   network it would be seven numbers more to find and to write for every slot in every step, where
   reports ask once in hundreds of them. */
#include "detect/polytope_contact.h"

#include "geom/cluster.h"

/* Overlaps of parts, weighted by the area they meet on. */
typedef struct gathering {
    double area, volume;
    mrn_vec3 normal, centre; /* by area; by volume */
} gathering;

static void gather(gathering *g, const mrn_overlap *o)
{
    g->area += o->area;
    g->volume += o->volume;
    g->normal = mrn_axpy(o->area, o->normal, g->normal);
    g->centre = mrn_axpy(o->volume, o->centre, g->centre);
}

static mrn_posed pose(const mrn_scene *scene, const mrn_state *s, int32_t i, int part, mrn_vec3 x)
{
    return mrn_posed_make(&scene->polytope[s->body.part[i]].part[part], x,
                          mrn_load_quat(s->body.q + 4 * (size_t)i), s->body.radius[i]);
}

static int parts_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    return mrn_has_corners(s, i) ? scene->polytope[s->body.part[i]].n_parts : 0;
}

/* A region about as wide as it is deep, for a ball that is `depth` deep at a point. */
static void gather_ball(gathering *g, const mrn_contact_point *m, double sign)
{
    double depth = -m->gap;
    if (depth > 0)
        gather(g, &(mrn_overlap){.volume = depth * depth * depth,
                                 .area = depth * depth,
                                 .normal = mrn_scale(sign, m->normal),
                                 .centre = m->point});
}

static void gather_grains(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                          mrn_vec3 xi, mrn_vec3 xj, gathering *g)
{
    int ni = parts_of(scene, s, i), nj = parts_of(scene, s, j);
    mrn_contact_point m;
    mrn_overlap o;
    for (int a = 0; a < ni; a++) {
        mrn_posed c = pose(scene, s, i, a, xi);
        if (nj == 0 && mrn_narrow_ball(xj, s->body.radius[j], &c, 0, &m) > 0)
            gather_ball(g, &m, -1);
        for (int b = 0; b < nj; b++) {
            mrn_posed d = pose(scene, s, j, b, xj);
            if (mrn_overlap_convex(&c, &d, &o))
                gather(g, &o);
        }
    }
    for (int b = 0; ni == 0 && b < nj; b++) {
        mrn_posed d = pose(scene, s, j, b, xj);
        if (mrn_narrow_ball(xi, s->body.radius[i], &d, 0, &m) > 0)
            gather_ball(g, &m, 1);
    }
}

static void gather_wall(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t w,
                        int32_t feature, mrn_vec3 x, gathering *g)
{
    const mrn_shape *shape = &scene->shape[s->body.shape[w]];
    mrn_overlap o;
    for (int a = 0; a < parts_of(scene, s, i); a++) {
        mrn_posed c = pose(scene, s, i, a, x);
        if (mrn_overlap_wall(&c, shape, mrn_load3(s->body.x + 3 * (size_t)w),
                             mrn_load_quat(s->body.q + 4 * (size_t)w), feature, &o))
            gather(g, &o);
    }
}

mrn_contact_point mrn_polytope_contact(const mrn_scene *scene, const mrn_state *s,
                                       const mrn_images *im, int32_t i, int64_t k)
{
    const mrn_pairs *p = &s->pair;
    int32_t other = p->other[k];
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i), seen = x;
    gathering g = {0};
    if (k < p->n_grain) {
        mrn_vec3 d = mrn_images_nearest(im, mrn_sub(x, mrn_load3(s->body.x + 3 * (size_t)other)));
        gather_grains(scene, s, i, other, x, mrn_sub(x, d), &g);
    } else { /* at the image that the wall sees */
        mrn_vec3 local = mrn_wall_local(scene, s, im, other, s->body.x + 3 * (size_t)i);
        seen = mrn_add(mrn_load3(s->body.x + 3 * (size_t)other),
                       mrn_rotate(mrn_load_quat(s->body.q + 4 * (size_t)other), local));
        gather_wall(scene, s, i, other, p->feature[k - p->n_grain], seen, &g);
    }
    mrn_vec3 force = mrn_load3(s->contact.force + 3 * k);
    mrn_contact_point out = {.point = x, .normal = force, .touch = true};
    if (g.area > 0 && g.volume > 0) {
        out.point = mrn_add(mrn_scale(1 / g.volume, g.centre), mrn_sub(x, seen));
        out.gap = -g.volume / g.area;
        if (mrn_norm(g.normal) > 1e-6 * g.area)
            out.normal = g.normal;
    }
    if (!(mrn_norm(out.normal) > 0))
        out.normal = mrn_v3(0, 0, 1);
    out.normal = mrn_unit(out.normal);
    return out;
}
