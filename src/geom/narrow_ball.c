/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ball or disk on a convex polyhedron or polygon. The closest point of a convex body to a point
   outside lies on a face that the point sees, and a face whose plane is farther away than the
   closest point found so far need not be looked at: begun with the farthest plane, one face is
   often enough. The ball has one point of contact at most, so its key is 0: it stays when the ball
   rolls from a face over an edge. */
#include "geom/narrow.h"

static mrn_vec3 corner(const mrn_convex *s, int32_t k)
{
    return mrn_load3(s->point + 3 * (size_t)s->corner[k]);
}

static mrn_vec3 closest_on_segment(mrn_vec3 a, mrn_vec3 b, mrn_vec3 y)
{
    mrn_vec3 ab = mrn_sub(b, a);
    double l2 = mrn_dot(ab, ab), t = l2 > 0 ? mrn_dot(mrn_sub(y, a), ab) / l2 : 0;
    return t <= 0 ? a : t >= 1 ? b : mrn_axpy(t, ab, a);
}

/* The point of a face closest to y; `height` is y's distance from its plane. */
static mrn_vec3 closest_on_face(const mrn_convex *s, int face, mrn_vec3 y, double height,
                                bool *inside)
{
    mrn_vec3 n = mrn_load3(s->plane + 4 * (size_t)face), best = {0};
    double least = INFINITY;
    int32_t first = s->face_start[face], last = s->face_start[face + 1];
    if (s->dimension == 2)
        last = first + 1;
    for (int32_t k = first; k < last; k++) {
        mrn_vec3 a = corner(s, k);
        mrn_vec3 b = corner(s, s->dimension == 2 || k + 1 < last ? k + 1 : first);
        if (s->dimension == 3 && mrn_dot(mrn_cross(n, mrn_sub(b, a)), mrn_sub(y, a)) >= 0) /* on the
                                                                                              inner
                                                                                              side
                                                                                            */
            continue;
        mrn_vec3 p = closest_on_segment(a, b, y), d = mrn_sub(y, p);
        if (mrn_dot(d, d) < least) {
            least = mrn_dot(d, d);
            best = p;
        }
    }
    *inside = !(least < INFINITY);
    return *inside ? mrn_axpy(-height, n, y) : best;
}

static int farthest_plane(const mrn_convex *s, mrn_vec3 y, double *height)
{
    int best = 0;
    *height = -INFINITY;
    for (int f = 0; f < s->n_faces; f++) {
        const double *p = s->plane + 4 * (size_t)f;
        double h = p[0] * y.x + p[1] * y.y + p[2] * y.z - p[3];
        if (h > *height) {
            *height = h;
            best = f;
        }
    }
    return best;
}

/* The closest point of the surface to y outside; `first` is the face to begin with. */
static mrn_vec3 closest_outside(const mrn_convex *s, mrn_vec3 y, int first, double height)
{
    bool inside;
    mrn_vec3 best = closest_on_face(s, first, y, height, &inside), d = mrn_sub(y, best);
    double least = mrn_dot(d, d);
    for (int f = 0; f < s->n_faces && !inside; f++) {
        const double *p = s->plane + 4 * (size_t)f;
        double h = p[0] * y.x + p[1] * y.y + p[2] * y.z - p[3];
        if (f == first || h <= 0 || h * h >= least)
            continue;
        mrn_vec3 q = closest_on_face(s, f, y, h, &inside);
        d = mrn_sub(y, q);
        if (mrn_dot(d, d) < least) {
            least = mrn_dot(d, d);
            best = q;
        }
    }
    return best;
}

int mrn_narrow_ball(mrn_vec3 x, double r, const mrn_posed *a, double alert, mrn_contact_point *out)
{
    const mrn_convex *s = a->shape;
    mrn_vec3 y = mrn_scale(1 / a->scale, mrn_posed_unturn(a, mrn_sub(x, a->x)));
    double height;
    int face = farthest_plane(s, y, &height);
    if (a->scale * height - r >= alert)
        return 0;
    mrn_vec3 n = mrn_load3(s->plane + 4 * (size_t)face);
    double distance = height;
    if (height > 0) {
        mrn_vec3 d = mrn_sub(y, closest_outside(s, y, face, height));
        double length = mrn_norm(d);
        /* on the surface itself the difference is noise: the face's normal is as good */
        if (length > 1e-12 * s->bound) {
            n = mrn_scale(1 / length, d);
            distance = length;
        }
    }
    double gap = a->scale * distance - r;
    if (gap >= alert)
        return 0;
    mrn_vec3 normal = mrn_unit(mrn_posed_turn(a, n));
    *out = (mrn_contact_point){.normal = normal, .gap = gap, .touch = true};
    out->point = mrn_axpy(-(r + 0.5 * gap), normal, x);
    return 1;
}
