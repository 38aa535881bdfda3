/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact points of a convex part with one feature of a wall. What is flat or solid is data of the
   wall (mrn_surface) and dealt with here; a curved wall finds the points itself. All is done in the
   wall's frame but planes, which need few enough steps in the world's.

   A plane is met by corners: the distance from it is linear, so its smallest values on a convex
   body are at corners. So is a hollow surface, whose distance is a concave function. A solid is
   itself a convex part, and so is a plate. Thin pieces that others join are in narrow_flat.c, tubes
   in narrow_round.c. */
#include "geom/narrow_wall.h"
#include "geom/narrow_parts.h"

bool mrn_surface_of(const mrn_shape *wall, int32_t feature, mrn_surface *out)
{
    return wall->type->surface != NULL && wall->type->surface(wall, feature, out);
}

/* ---- tools ---- */

void mrn_narrow_half_space(const mrn_posed *c, mrn_vec3 at, mrn_vec3 n, mrn_point_list *out)
{
    const mrn_convex *s = c->shape;
    mrn_vec3 local = mrn_scale(c->scale, mrn_posed_unturn(c, n));
    double h = mrn_dot(n, mrn_sub(c->x, at));
    for (int k = 0; k < s->n_points; k++) {
        double gap = h + mrn_dot(local, mrn_load3(s->point + 3 * (size_t)k));
        if (gap < out->alert)
            mrn_point_list_add(out, mrn_posed_point(c, k), n, gap, MRN_POINT_CORNER | (uint32_t)k);
    }
}

void mrn_narrow_hollow(const mrn_shape *wall, int32_t feature, const mrn_posed *c,
                       mrn_point_list *out)
{
    for (int k = 0; k < c->shape->n_points; k++) {
        mrn_vec3 p = mrn_posed_point(c, k), on, n;
        double gap = wall->type->closest(wall, feature, p, &on, &n);
        mrn_point_list_add(out, p, n, gap, MRN_POINT_CORNER | (uint32_t)k);
    }
}

/* As the part meets a grain that is a ball. */
void mrn_narrow_solid_ball(const mrn_posed *c, mrn_vec3 centre, double radius, mrn_point_list *out)
{
    mrn_contact_point m;
    if (mrn_narrow_ball(centre, radius, c, out->alert, &m) == 0)
        return;
    mrn_vec3 n = mrn_scale(-1, m.normal);
    mrn_point_list_add(out, mrn_axpy(0.5 * m.gap, n, m.point), n, m.gap, 0);
}

/* ---- plates ---- */

/* A piece that stands alone is itself a convex part without a thickness, and what is known of two
   convex parts holds at its ends, edges and corners too: no direction is better than the one that
   is found. */
static bool is_plate(const mrn_flat *f)
{
    bool alone = f->mesh == NULL;
    for (int k = 0; k < f->n; k++)
        alone = alone && !f->joined[k];
    return alone;
}

/* A plate where its wall stands: along x, in 3D across y, `normal` along z (2D: y). */
static mrn_posed pose_plate(const mrn_flat *f, mrn_vec3 x_w, mrn_quat q_w, mrn_block *b)
{
    mrn_vec3 a = mrn_sub(f->p[1], f->p[0]), far = f->p[f->n == 2 ? 1 : 2], n = f->normal;
    double half[3] = {0.5 * mrn_norm(a), 0, 0};
    if (f->dimension == 3) {
        half[1] = 0.5 * mrn_norm(mrn_sub(f->p[2], f->p[1]));
        mrn_block_make(b, 3, half);
    } else {
        mrn_block_line(b, half[0]);
    }
    mrn_vec3 u = mrn_rotate(q_w, mrn_scale(0.5 / half[0], a));
    n = mrn_rotate(q_w, n);
    mrn_vec3 v = f->dimension == 3 ? mrn_cross(n, u) : n, w = mrn_cross(u, v);
    mrn_vec3 x = mrn_add(x_w, mrn_rotate(q_w, mrn_scale(0.5, mrn_add(f->p[0], far))));
    return (mrn_posed){&b->shape, x, {u.x, v.x, w.x, u.y, v.y, w.y, u.z, v.z, w.z}, 1};
}

/* ---- all walls ---- */

mrn_posed mrn_posed_in_wall(const mrn_posed *c, mrn_vec3 x_w, mrn_quat q_w)
{
    mrn_quat back = mrn_quat_conj(q_w);
    mrn_posed p = {.shape = c->shape, .scale = c->scale};
    p.x = mrn_rotate(back, mrn_sub(c->x, x_w));
    for (int k = 0; k < 3; k++) {
        mrn_vec3 column = mrn_rotate(back, mrn_v3(c->m[k], c->m[3 + k], c->m[6 + k]));
        p.m[k] = column.x;
        p.m[3 + k] = column.y;
        p.m[6 + k] = column.z;
    }
    return p;
}

static int take(mrn_point_list *list, mrn_contact_point *out)
{
    mrn_point_list_reduce(list);
    for (int k = 0; k < list->n; k++)
        out[k] = list->s[k];
    return list->n;
}

static int on_solid(const mrn_posed *c, const mrn_convex *solid, double alert,
                    mrn_contact_point *out)
{
    mrn_posed a = {solid, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1};
    if (solid->dimension == 2)
        return mrn_narrow_polygons(c, &a, alert, out);
    return mrn_narrow_convex(c, &a, alert, NULL, out);
}

int mrn_narrow_wall(const mrn_posed *c, const mrn_shape *wall, mrn_vec3 x_w, mrn_quat q_w,
                    int32_t feature, double alert, mrn_contact_point *out)
{
    mrn_surface s;
    mrn_point_list list;
    list.n = 0;
    list.alert = alert;
    list.size = c->scale * c->shape->bound;
    bool curved = !mrn_surface_of(wall, feature, &s);
    if (!curved && s.kind == MRN_SURFACE_PLANE) {
        mrn_vec3 at = mrn_add(mrn_rotate(q_w, s.at), x_w);
        mrn_narrow_half_space(c, at, mrn_unit(mrn_rotate(q_w, s.normal)), &list);
        return take(&list, out);
    }
    if (!curved && s.kind == MRN_SURFACE_PIECE && is_plate(&s.flat)) {
        mrn_posed a = pose_plate(&s.flat, x_w, q_w, &s.block);
        return mrn_narrow_convex(c, &a, alert, NULL, out);
    }
    mrn_posed local = mrn_posed_in_wall(c, x_w, q_w);
    int n;
    if (!curved && s.kind == MRN_SURFACE_SOLID) {
        n = on_solid(&local, s.solid, alert, out);
    } else {
        if (curved)
            wall->type->contact_points(wall, feature, &local, &list);
        else
            mrn_narrow_flat(&local, &s.flat, &list);
        n = take(&list, out);
    }
    for (int k = 0; k < n; k++) {
        out[k].point = mrn_add(mrn_rotate(q_w, out[k].point), x_w);
        out[k].normal = mrn_unit(mrn_rotate(q_w, out[k].normal));
    }
    return n;
}
