/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex parts where their bodies stand: poses and searches over corners, edges and faces. */
#include "geom/narrow_parts.h"

mrn_posed mrn_posed_make(const mrn_convex *shape, mrn_vec3 x, mrn_quat q, double scale)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, ww = q.w * q.w;
    /* 2 / |q|^2: quaternions drift from unit length between normalisations */
    double s = ww + xx + yy + zz > 0 ? 2 / (ww + xx + yy + zz) : 0;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (mrn_posed){.shape = shape,
                       .x = x,
                       .m = {1 - s * (yy + zz), s * (xy - wz), s * (xz + wy), s * (xy + wz),
                             1 - s * (xx + zz), s * (yz - wx), s * (xz - wy), s * (yz + wx),
                             1 - s * (xx + yy)},
                       .scale = scale};
}

/* A plain search: polytopes have some tens of corners, and walking along edges gets stuck on faces
   that lie across n. */
int mrn_posed_lowest(const mrn_posed *p, mrn_vec3 n, double *value)
{
    mrn_vec3 u = mrn_posed_unturn(p, n);
    const double *x = p->shape->point;
    double least = INFINITY;
    int at = 0;
    for (int k = 0; k < p->shape->n_points; k++, x += 3) {
        double d = u.x * x[0] + u.y * x[1] + u.z * x[2];
        if (d < least) {
            least = d;
            at = k;
        }
    }
    *value = p->scale * least + mrn_dot(n, p->x);
    return at;
}

int mrn_convex_edge(const mrn_convex *s, int p, int q)
{
    int lo = p < q ? p : q, hi = p < q ? q : p;
    for (int e = 0; e < s->n_edges; e++)
        if (s->edge[4 * e] == lo && s->edge[4 * e + 1] == hi)
            return e;
    return -1;
}

int mrn_posed_face_along(const mrn_posed *p, mrn_vec3 n)
{
    mrn_vec3 u = mrn_posed_unturn(p, n);
    const double *plane = p->shape->plane;
    double most = -INFINITY;
    int at = 0;
    for (int f = 0; f < p->shape->n_faces; f++, plane += 4) {
        double d = u.x * plane[0] + u.y * plane[1] + u.z * plane[2];
        if (d > most) {
            most = d;
            at = f;
        }
    }
    return at;
}
