/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Narrow phase between grains and walls: the wall's own frame, several features, one contact each
 * at most. */
#include "detect/detect.h"

static mrn_quat wall_q(const mrn_state *s, int32_t w)
{
    const double *q = s->body.q + 4 * (size_t)w;
    return (mrn_quat){q[0], q[1], q[2], q[3]};
}

/* Middle of a wall in its own frame; 0 along directions in which it has no end. The body's centre
   may be anywhere: the origin of a mesh often is a corner. */
static mrn_vec3 middle(const mrn_shape *shape)
{
    mrn_vec3 lo, hi;
    shape->type->bounds(shape, &lo, &hi);
    return mrn_v3(isfinite(lo.x + hi.x) ? 0.5 * (lo.x + hi.x) : 0,
                  isfinite(lo.y + hi.y) ? 0.5 * (lo.y + hi.y) : 0,
                  isfinite(lo.z + hi.z) ? 0.5 * (lo.z + hi.z) : 0);
}

mrn_vec3 mrn_wall_local(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t w,
                        const double *x_i)
{
    mrn_vec3 d = mrn_sub(mrn_load3(x_i), mrn_load3(s->body.x + 3 * (size_t)w));
    mrn_quat q = wall_q(s, w);
    if (im->inv[0] != 0 || im->inv[1] != 0 || im->inv[2] != 0) {
        mrn_vec3 c = mrn_rotate(q, middle(&scene->shape[s->body.shape[w]])), from = mrn_sub(d, c);
        /* only whole periods are added: d itself keeps its bits when it is the nearest */
        d = mrn_add(d, mrn_sub(mrn_images_nearest(im, from), from));
    }
    return mrn_rotate(mrn_quat_conj(q), d);
}

int mrn_wall_group(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                   int64_t p0, int64_t p1, mrn_wall_contact *out)
{
    int32_t w = s->pair.other[p0];
    const double *x = s->body.x + 3 * (size_t)i;
    mrn_vec3 c = mrn_wall_local(scene, s, im, w, x);
    const mrn_shape *shape = &scene->shape[s->body.shape[w]];
    int n = mrn_wall_contacts(shape, c, s->body.radius[i], s->pair.feature + (p0 - s->pair.n_grain),
                              (int)(p1 - p0), out);
    mrn_quat q = wall_q(s, w);
    for (int64_t k = 0; n > 0 && k < p1 - p0; k++) {
        if (!out[k].touch)
            continue;
        out[k].normal = mrn_rotate(q, out[k].normal);
        /* seen from the grain, so that it stands beside the grain's own image */
        out[k].point = mrn_axpy(-(s->body.radius[i] + out[k].gap), out[k].normal, mrn_load3(x));
    }
    return n;
}
