/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Narrow phase between grains and walls: the wall's own frame, several features, one contact each
 * at most. */
#include "detect/apart.h"
#include "detect/detect.h"

static mrn_quat wall_q(const mrn_state *s, int32_t w)
{
    const double *q = s->body.q + 4 * (size_t)w;
    return (mrn_quat){q[0], q[1], q[2], q[3]};
}

mrn_vec3 mrn_wall_middle(const mrn_shape *shape)
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
    bool periodic = im->inv[0] != 0 || im->inv[1] != 0 || im->inv[2] != 0;
    return mrn_wall_frame(im, mrn_load3(s->body.x + 3 * (size_t)w), wall_q(s, w),
                          periodic ? mrn_wall_middle(&scene->shape[s->body.shape[w]])
                                   : mrn_v3(0, 0, 0),
                          mrn_load3(x_i));
}

static double range_of(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t w)
{
    if (!scene->range)
        return 0;
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[w]];
    return mrn_pair_range(scene, ia, s->body.radius[i]);
}

int mrn_wall_group(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                   int64_t p0, int64_t p1, mrn_contact_point *out)
{
    return mrn_wall_group_at(scene, s, im, i, s->body.x + 3 * (size_t)i, p0, p1, out);
}

int mrn_wall_group_at(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                      const double *x, int64_t p0, int64_t p1, mrn_contact_point *out)
{
    int32_t w = s->pair.other[p0];
    double r = s->body.radius[i], range = range_of(scene, s, i, w);
    mrn_vec3 c = mrn_wall_local(scene, s, im, w, x);
    const mrn_shape *shape = &scene->shape[s->body.shape[w]];
    const int32_t *feature = s->pair.feature + (p0 - s->pair.n_grain);
    int m = (int)(p1 - p0);
    mrn_apart far;
    far.n = 0;
    if (range > 0 && mrn_wall_contacts(shape, c, r + range, feature, m, out) > 0)
        mrn_apart_note(out, m, range, &far);
    int n = mrn_wall_contacts(shape, c, r, feature, m, out);
    mrn_quat q = wall_q(s, w);
    for (int k = 0; n > 0 && k < m; k++)
        if (out[k].touch)
            mrn_wall_to_world(q, mrn_load3(x), r, out[k].gap, &out[k]);
    if (far.n == 0)
        return n;
    const mrn_wall_past_pairs was = {m, s->contact.flags + p0, mrn_contacts_point(&s->contact, p0)};
    return n + mrn_apart_add(&was, im, mrn_load3(x), r, q, range, &far, out);
}
