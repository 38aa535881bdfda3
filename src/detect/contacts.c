/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network as plain arrays, from the neighbour list and the positions now. Contacts that
   have lost touch but live on within the range of their law are part of it. */
#include <math.h>

#include "base/base.h"
#include "detect/detect.h"

static mrn_status reserve(mrn_contacts *c, int64_t n, mrn_message *msg)
{
    mrn_contacts_destroy(c);
    mrn_status st = mrn_array(&c->c, n, sizeof *c->c, msg);
    if (st == MRN_OK)
        st = mrn_array(&c->a, n, sizeof *c->a, msg);
    if (st == MRN_OK)
        st = mrn_array(&c->feature, n, sizeof *c->feature, msg);
    double **wide[] = {&c->point, &c->normal, &c->force, &c->branch};
    for (int k = 0; k < 4 && st == MRN_OK; k++)
        st = mrn_array(wide[k], 3 * n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&c->gap, n, sizeof *c->gap, msg);
    c->capacity = st == MRN_OK ? n : 0;
    return st;
}

static void put(mrn_contacts *o, int32_t c, int32_t a, int32_t feature, mrn_vec3 point,
                mrn_vec3 normal, double gap, const double *force, mrn_vec3 branch)
{
    int64_t k = o->n++;
    o->c[k] = c;
    o->a[k] = a;
    o->feature[k] = feature;
    o->gap[k] = gap;
    mrn_store3(o->point + 3 * k, point);
    mrn_store3(o->normal + 3 * k, normal);
    mrn_store3(o->force + 3 * k, mrn_load3(force));
    mrn_store3(o->branch + 3 * k, branch);
}

/* Up to which gap pair k is told of: the alert distance, or as far as its law keeps it alive. */
static double told(const mrn_scene *scene, const mrn_state *s, int64_t k, int32_t i, int32_t j,
                   double alert)
{
    if (!scene->range || !s->pair.touch[k])
        return alert;
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
    double ri = s->body.radius[i], rj = s->body.radius[j];
    return fmax(alert, mrn_pair_range(scene, ia, ri * rj / (ri + rj)));
}

static void collect_grains(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                           int32_t i, double alert, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
        int32_t j = p->other[k];
        mrn_vec3 d = mrn_images_nearest(im, mrn_sub(x, mrn_load3(s->body.x + 3 * (size_t)j)));
        double dist = mrn_norm(d), sum = s->body.radius[i] + s->body.radius[j];
        if (dist - sum >= told(scene, s, k, i, j, alert))
            continue;
        mrn_vec3 n = mrn_unit(d);
        put(out, i, j, 0, mrn_axpy(-s->body.radius[i] * dist / sum, n, x), n, dist - sum,
            p->force + 3 * (int64_t)k, d);
    }
}

static void collect_walls(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                          int32_t i, double alert, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
        mrn_wall_contact c;
        int32_t w = p->other[k];
        if (p->touch[k] && mrn_wall_group(scene, s, im, i, k, k + 1, &c) > 0) {
            put(out, i, w, p->feature[k - p->n_grain], c.point, c.normal, c.gap,
                p->force + 3 * (int64_t)k, mrn_sub(x, c.point));
            continue;
        }
        if (p->touch[k] || !(alert > 0))
            continue;
        /* apart, within the alert distance */
        const mrn_shape *shape = &scene->shape[s->body.shape[w]];
        const double *q = s->body.q + 4 * (size_t)w;
        mrn_vec3 point, n;
        double d = shape->type->closest(shape, p->feature[k - p->n_grain],
                                        mrn_wall_local(scene, s, im, w, s->body.x + 3 * (size_t)i),
                                        &point, &n);
        double gap = d - s->body.radius[i];
        if (gap < 0 || gap >= alert)
            continue;
        n = mrn_rotate((mrn_quat){q[0], q[1], q[2], q[3]}, n);
        point = mrn_axpy(-d, n, x);
        put(out, i, w, p->feature[k - p->n_grain], point, n, gap, p->force + 3 * (int64_t)k,
            mrn_sub(x, point));
    }
}

mrn_status mrn_contacts_collect(const mrn_scene *scene, const mrn_state *s, double alert,
                                mrn_contacts *out, mrn_message *msg)
{
    const mrn_pairs *p = &s->pair;
    if (p->row == NULL)
        return mrn_fail(msg, MRN_ERR_RANGE, "the neighbour list has not been built");
    if (alert > p->skin)
        return mrn_fail(msg, MRN_ERR_RANGE, "alert distance %g m is larger than the skin %g m",
                        alert, p->skin);
    mrn_status st = reserve(out, p->n, msg);
    if (st != MRN_OK)
        return st;
    mrn_images im = mrn_images_of(scene, s);
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        collect_grains(scene, s, &im, i, alert, out);
        collect_walls(scene, s, &im, i, alert, out);
    }
    return MRN_OK;
}
