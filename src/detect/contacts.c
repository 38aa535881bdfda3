/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network as plain arrays, from the neighbour list and the positions now (contacts that
   have lost touch but live on within the range of their law are part of it), or from the contact
   points of the non-smooth engine. */
#include <math.h>

#include "base/base.h"
#include "detect/detect.h"
#include "detect/polytope_contact.h"

static mrn_status reserve(mrn_contacts *c, int64_t n, mrn_message *msg)
{
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SNAPSHOT), .n = n};
    return mrn_contacts_make(c, &def, msg);
}

static void put(mrn_contacts *o, int32_t c, int32_t a, int64_t feature, mrn_vec3 point,
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

/* Up to which gap pair k is reach_of_pair of: the alert distance, or as far as its law keeps it
 * alive. */
static double reach_of_pair(const mrn_scene *scene, const mrn_state *s, int64_t k, int32_t i,
                            int32_t j, double alert)
{
    if (!scene->range || !mrn_contact_alive(&s->contact, k))
        return alert;
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
    double ri = s->body.radius[i], rj = s->body.radius[j];
    return fmax(alert, mrn_pair_range(scene, ia, ri * rj / (ri + rj)));
}

/* A pair with a polytope: in touch where the last step found it so. Apart it is not reach_of_pair
 * of. */
static void collect_polytope(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                             int32_t i, int64_t k, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    int32_t other = p->other[k];
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    if (!mrn_contact_alive(&s->contact, k))
        return;
    mrn_contact_point m = mrn_polytope_contact(scene, s, im, i, k);
    bool wall = k >= p->n_grain;
    mrn_vec3 from = wall ? m.point : mrn_load3(s->body.x + 3 * (size_t)other);
    put(out, i, other, wall ? p->feature[k - p->n_grain] : 0, m.point, m.normal, m.gap,
        s->contact.force + 3 * k, mrn_images_nearest(im, mrn_sub(x, from)));
}

static void collect_grains(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                           int32_t i, double alert, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
        int32_t j = p->other[k];
        if (scene->polytopes && (mrn_has_corners(s, i) || mrn_has_corners(s, j))) {
            collect_polytope(scene, s, im, i, k, out);
            continue;
        }
        mrn_vec3 d = mrn_images_nearest(im, mrn_sub(x, mrn_load3(s->body.x + 3 * (size_t)j)));
        double dist = mrn_norm(d), sum = s->body.radius[i] + s->body.radius[j];
        if (dist - sum >= reach_of_pair(scene, s, k, i, j, alert))
            continue;
        mrn_vec3 n = mrn_unit(d);
        put(out, i, j, 0, mrn_axpy(-s->body.radius[i] * dist / sum, n, x), n, dist - sum,
            s->contact.force + 3 * (int64_t)k, d);
    }
}

static void collect_walls(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                          int32_t i, double alert, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
        mrn_contact_point c;
        int32_t w = p->other[k];
        if (mrn_has_corners(s, i)) {
            collect_polytope(scene, s, im, i, k, out);
            continue;
        }
        if (mrn_contact_alive(&s->contact, k) &&
            mrn_wall_group(scene, s, im, i, k, k + 1, &c) > 0) {
            put(out, i, w, p->feature[k - p->n_grain], c.point, c.normal, c.gap,
                s->contact.force + 3 * (int64_t)k, mrn_sub(x, c.point));
            continue;
        }
        if (mrn_contact_alive(&s->contact, k) || !(alert > 0))
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
        put(out, i, w, p->feature[k - p->n_grain], point, n, gap, s->contact.force + 3 * (int64_t)k,
            mrn_sub(x, point));
    }
}

/* ---- of the non-smooth engine: the points of its last step ---- */

/* Rigid grains touch at gap 0; one that bears may stand a little apart, for gaps are those of the
   middle of the step. Points of bodies that have left are no contacts any more. */
static bool is_listed(const mrn_state *s, int64_t k, double alert)
{
    const mrn_contacts *t = &s->contact;
    bool bears = t->gap[k] <= alert;
    for (int i = 0; i < t->impulse_width && !bears; i++)
        bears = t->impulse[k * t->impulse_width + i] != 0;
    return bears && mrn_place_of_id(s, t->id_c[k]) >= 0 && mrn_place_of_id(s, t->id_a[k]) >= 0;
}

mrn_vec3 mrn_contact_point_force(const mrn_scene *scene, const mrn_state *s, int64_t k)
{
    const mrn_contacts *t = &s->contact;
    const double *r = t->impulse + k * t->impulse_width;
    mrn_vec3 n = mrn_load3(t->normal + 3 * k), u = mrn_load3(t->tangent + 3 * k);
    mrn_vec3 f = mrn_axpy(r[1], u, mrn_scale(r[0], n));
    if (scene->dimension == 3)
        f = mrn_axpy(r[2], mrn_cross(n, u), f);
    return mrn_scale(mrn_impulse_rate(s), f);
}

mrn_vec3 mrn_contact_point_moment(const mrn_scene *scene, const mrn_state *s, int64_t k)
{
    const mrn_contacts *t = &s->contact;
    const double *r = t->impulse + k * t->impulse_width;
    double rate = mrn_impulse_rate(s);
    if (scene->dimension == 2)
        return mrn_v3(0, 0, t->impulse_width == 3 ? rate * r[2] : 0);
    if (t->impulse_width < 5)
        return mrn_v3(0, 0, 0);
    mrn_vec3 n = mrn_load3(t->normal + 3 * k), u = mrn_load3(t->tangent + 3 * k);
    mrn_vec3 m = mrn_axpy(r[3], u, mrn_scale(r[4], mrn_cross(n, u)));
    return mrn_scale(rate, t->impulse_width == 6 ? mrn_axpy(r[5], n, m) : m);
}

static void put_touch(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int64_t k,
                      mrn_contacts *out)
{
    const mrn_contacts *t = &s->contact;
    int32_t c = mrn_place_of_id(s, t->id_c[k]), a = mrn_place_of_id(s, t->id_a[k]);
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)c), point = mrn_load3(t->point + 3 * k);
    mrn_vec3 from = a < s->body.n_walls ? point : mrn_load3(s->body.x + 3 * (size_t)a);
    int64_t last = out->n - 1;
    bool same = last >= 0 && out->c[last] == c && out->a[last] == a;
    double force[3];
    mrn_store3(force, mrn_contact_point_force(scene, s, k));
    put(out, c, a, same ? out->feature[last] + 1 : 0, point, mrn_load3(t->normal + 3 * k),
        t->gap[k], force, mrn_images_nearest(im, mrn_sub(x, from)));
}

/* Pair by pair: all points of two bodies stand together, numbered from 0. */
static mrn_status collect_touches(const mrn_scene *scene, const mrn_state *s, double alert,
                                  mrn_contacts *out, mrn_message *msg)
{
    const mrn_contacts *t = &s->contact;
    uint64_t *key = NULL;
    int32_t *item = NULL;
    int64_t n = 0;
    if (t->n > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than %d contact points", INT32_MAX);
    mrn_status st = mrn_array(&key, t->n, sizeof *key, msg);
    if (st == MRN_OK)
        st = mrn_array(&item, t->n, sizeof *item, msg);
    for (int64_t k = 0; st == MRN_OK && k < t->n; k++)
        if (is_listed(s, k, alert)) {
            key[n] = (uint64_t)t->id_c[k] << 32 | (uint64_t)t->id_a[k];
            item[n++] = (int32_t)k;
        }
    if (st == MRN_OK)
        st = mrn_sort_keys(key, item, n, msg);
    if (st == MRN_OK)
        st = reserve(out, n, msg);
    mrn_images im = mrn_images_of(scene, s);
    for (int64_t k = 0; st == MRN_OK && k < n; k++)
        put_touch(scene, s, &im, item[k], out);
    mrn_free(key);
    mrn_free(item);
    return st;
}

mrn_status mrn_contacts_collect(const mrn_scene *scene, const mrn_state *s, double alert,
                                mrn_contacts *out, mrn_message *msg)
{
    if (mrn_contact_points(scene) && alert > mrn_alert_distance(scene, s))
        return mrn_fail(msg, MRN_ERR_RANGE, "alert distance %g m is larger than the engine's, %g m",
                        alert, mrn_alert_distance(scene, s));
    if (mrn_contact_points(scene))
        return collect_touches(scene, s, alert, out, msg);
    const mrn_pairs *p = &s->pair;
    if (!mrn_contacts_follow_list(s))
        return mrn_fail(msg, MRN_ERR_RANGE,
                        p->row == NULL ? "the neighbour list has not been built"
                                       : "bodies were added, removed or moved in memory and the "
                                         "neighbour list was not rebuilt");
    if (alert > p->skin)
        return mrn_fail(msg, MRN_ERR_RANGE, "alert distance %g m is larger than the skin %g m",
                        alert, p->skin);
    mrn_status st = reserve(out, p->n, msg);
    if (st != MRN_OK)
        return st;
    mrn_images im = mrn_images_of(scene, s);
    for (int32_t id = 0; id < s->body.n_ids; id++) {
        int32_t i = s->body.index_of[id];
        if (i < s->body.n_walls)
            continue;
        collect_grains(scene, s, &im, i, alert, out);
        collect_walls(scene, s, &im, i, alert, out);
    }
    return MRN_OK;
}
