/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Narrow phase between grains and walls: the wall's own frame, several features, one contact each
 * at most. */
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

/* A contact in the frame of its wall as the world sees it. */
static void to_world(mrn_quat q, mrn_vec3 x, double r, double gap, mrn_contact_point *c)
{
    c->gap = gap;
    c->normal = mrn_rotate(q, c->normal);
    c->point = mrn_wall_point(x, r, gap, c->normal);
}

/* ---- contacts that live on when apart ---- */

enum { APART_MAX = 16 }; /* as many as one sphere can have with one wall */

typedef struct apart {
    int n, at[APART_MAX];
    mrn_contact_point contact[APART_MAX];
} apart;

/* What the sphere would touch were it larger by the range. Kept apart from the true contacts: the
   larger caps join sides of edges that the true ones tell apart. Contacts at least as deep as the
   true surface are left to the true sphere. */
static void find_apart(const mrn_shape *shape, mrn_vec3 c, double r, double range,
                       const int32_t *feature, int n, mrn_contact_point *scratch, apart *out)
{
    out->n = 0;
    if (mrn_wall_contacts(shape, c, r + range, feature, n, scratch) == 0)
        return;
    for (int k = 0; k < n && out->n < APART_MAX; k++)
        if (scratch[k].touch && scratch[k].gap + range >= 0) {
            out->at[out->n] = k;
            out->contact[out->n++] = scratch[k];
        }
}

/* The contact that has lost touch was made at pair k itself, or it comes from a pair of the same
   wall that ends here and now: it has crossed an edge. */
static bool was_made(const mrn_contacts *p, const mrn_images *im, double r, int64_t p0, int64_t p1,
                     int64_t k, const mrn_contact_point *out, const mrn_contact_point *now)
{
    if (mrn_contact_alive(p, k))
        return true;
    for (int64_t m = p0; m < p1; m++) {
        if (!mrn_contact_alive(p, m) || out[m - p0].touch)
            continue;
        mrn_vec3 d = mrn_sub(now->point, mrn_load3(mrn_contacts_point(p, m)));
        d = mrn_images_nearest(im, d);
        if (mrn_dot(d, d) <= 0.01 * r * r)
            return true;
    }
    return false;
}

/* Adds those that are still contacts to `out`, in world frame; pairs that go on before pairs that
   take over, so that none is taken over twice. Returns how many. */
static int add_apart(const mrn_state *s, const mrn_images *im, int32_t i, int64_t p0, int64_t p1,
                     mrn_quat q, double range, const apart *a, mrn_contact_point *out)
{
    const mrn_contacts *p = &s->contact;
    double r = s->body.radius[i];
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int m = 0; m < a->n; m++) {
            int k = a->at[m];
            if (out[k].touch || mrn_contact_alive(p, p0 + k) != (pass == 0))
                continue;
            mrn_contact_point c = a->contact[m];
            to_world(q, mrn_load3(s->body.x + 3 * (size_t)i), r, c.gap + range, &c);
            if (!was_made(p, im, r, p0, p1, p0 + k, out, &c))
                continue;
            out[k] = c;
            n++;
        }
    return n;
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
    int32_t w = s->pair.other[p0];
    const double *x = s->body.x + 3 * (size_t)i;
    double r = s->body.radius[i], range = range_of(scene, s, i, w);
    mrn_vec3 c = mrn_wall_local(scene, s, im, w, x);
    const mrn_shape *shape = &scene->shape[s->body.shape[w]];
    const int32_t *feature = s->pair.feature + (p0 - s->pair.n_grain);
    apart far = {0};
    if (range > 0)
        find_apart(shape, c, r, range, feature, (int)(p1 - p0), out, &far);
    int n = mrn_wall_contacts(shape, c, r, feature, (int)(p1 - p0), out);
    mrn_quat q = wall_q(s, w);
    for (int64_t k = 0; n > 0 && k < p1 - p0; k++)
        if (out[k].touch)
            to_world(q, mrn_load3(x), r, out[k].gap, &out[k]);
    return far.n > 0 ? n + add_apart(s, im, i, p0, p1, q, range, &far, out) : n;
}
