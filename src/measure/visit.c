/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts one by one, from the neighbour list (where `touch` marks those of the last step), from
   the contact points of the non-smooth engine, or from the plain arrays of a frame; clusters in
   place of the spheres that touch. */
#include "detect/polytope_contact.h"
#include "measure/measure.h"

enum { MANY = 8192 };

/* Is there a list, and does it speak of the bodies there are? */
static bool has_list(const mrn_state *s)
{
    return mrn_contacts_follow_list(s);
}

/* ---- friction ---- */

static double friction_of(const mrn_interaction *x)
{
    const mrn_param *param[MRN_PARAM_MAX];
    if (x->model.part[MRN_LAW_COHESION] != NULL)
        return NAN;
    int n = mrn_law_model_params(&x->model, param);
    for (int i = 0; i < n; i++)
        if (strcmp(param[i]->name, "friction") == 0)
            return x->value[i].number;
    return 0;
}

mrn_contact_view mrn_view_of(const mrn_scene *scene, const mrn_state *s,
                             const mrn_contacts *contacts)
{
    mrn_contact_source source = contacts != NULL            ? MRN_FROM_ARRAYS
                                : mrn_contact_points(scene) ? MRN_FROM_POINTS
                                                            : MRN_FROM_LIST;
    mrn_contact_view v = {.source = source,
                          .scene = scene,
                          .s = s,
                          .contacts = contacts,
                          .images = mrn_images_of(scene, s),
                          .known = contacts != NULL ||
                                   (mrn_contact_points(scene) ? s->pair.row != NULL : has_list(s))};
    for (int k = 0; k < scene->n_interactions && k < MRN_VIEW_FRICTIONS; k++)
        v.friction[k] = friction_of(&scene->interaction[k]);
    return v;
}

/* ---- one contact ---- */

static int32_t grain_of(const mrn_state *s, int32_t i)
{
    if (!(s->body.flags[i] & MRN_BODY_MEMBER))
        return i;
    int32_t id = s->body.parent[i];
    return id >= 0 && id < s->body.n_ids && s->body.index_of[id] >= 0 ? s->body.index_of[id] : i;
}

/* From the sphere that touches to the centre of its cluster. */
static mrn_vec3 offset(const mrn_contact_view *v, int32_t sphere, int32_t grain)
{
    if (sphere == grain)
        return mrn_v3(0, 0, 0);
    const double *x = v->s->body.x;
    return mrn_images_nearest(
        &v->images, mrn_sub(mrn_load3(x + 3 * (size_t)grain), mrn_load3(x + 3 * (size_t)sphere)));
}

/* With the bodies, branch (between the spheres) and force known. */
static void complete(const mrn_contact_view *v, mrn_contact_entry *t)
{
    const mrn_state *s = v->s;
    t->grain_c = grain_of(s, t->c);
    t->grain_a = t->wall ? t->a : grain_of(s, t->a);
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)t->c), to_c = offset(v, t->c, t->grain_c);
    t->to = mrn_add(x, to_c);
    t->branch = mrn_add(t->branch, to_c);
    if (!t->wall)
        t->branch = mrn_sub(t->branch, offset(v, t->a, t->grain_a));
}

static mrn_contact_entry from_list(const mrn_contact_view *v, int32_t i, int64_t k)
{
    const mrn_state *s = v->s;
    const mrn_pairs *p = &s->pair;
    mrn_contact_entry t = {.c = i, .a = p->other[k], .wall = k >= p->n_grain};
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i), d = {0, 0, 0};
    if (!t.wall)
        d = mrn_sub(x, mrn_load3(s->body.x + 3 * (size_t)t.a));
    else
        d = mrn_sub(x, mrn_load3(mrn_contacts_point(&s->contact, k)));
    t.branch = mrn_images_nearest(&v->images, d);
    t.normal = mrn_unit(t.branch);
    t.gap = mrn_norm(t.branch) - s->body.radius[i] - s->body.radius[t.a];
    t.force = mrn_load3(s->contact.force + 3 * k);
    if (v->scene->polytopes && (mrn_has_corners(s, i) || mrn_has_corners(s, t.a))) {
        mrn_contact_point m = mrn_polytope_contact(v->scene, s, &v->images, i, k);
        t.normal = m.normal;
        t.gap = m.gap;
        if (t.wall)
            t.branch = mrn_images_nearest(&v->images, mrn_sub(x, m.point));
    }
    complete(v, &t);
    return t;
}

static mrn_contact_entry from_arrays(const mrn_contact_view *v, int64_t k)
{
    const mrn_contacts *c = v->contacts;
    mrn_contact_entry t = {.c = c->c[k],
                           .a = c->a[k],
                           .wall = c->a[k] < v->s->body.n_walls,
                           .gap = c->gap[k],
                           .branch = mrn_load3(c->branch + 3 * k),
                           .normal = mrn_load3(c->normal + 3 * k),
                           .force = mrn_load3(c->force + 3 * k)};
    complete(v, &t);
    return t;
}

static int32_t place_of(const mrn_state *s, int32_t id)
{
    return id >= 0 && id < s->body.n_ids ? s->body.index_of[id] : -1;
}

/* Force on C: the impulse over the step. False: a body has left, or the two do not touch. */
static bool from_touches(const mrn_contact_view *v, int64_t k, mrn_contact_entry *out)
{
    const mrn_state *s = v->s;
    const mrn_contacts *p = &s->contact;
    const double *r = p->impulse + k * p->impulse_width;
    mrn_contact_entry t = {
        .c = place_of(s, p->id_c[k]), .a = place_of(s, p->id_a[k]), .gap = p->gap[k]};
    if (t.c < 0 || t.a < 0 || !(t.gap < 0 || r[0] > 0))
        return false;
    t.wall = t.a < s->body.n_walls;
    t.normal = mrn_load3(p->normal + 3 * k);
    mrn_vec3 u = mrn_load3(p->tangent + 3 * k), from = mrn_load3(p->point + 3 * k);
    mrn_vec3 f = mrn_axpy(r[1], u, mrn_scale(r[0], t.normal));
    if (v->scene->dimension == 3)
        f = mrn_axpy(r[2], mrn_cross(t.normal, u), f);
    double h = s->nonsmooth.last_h > 0 ? s->nonsmooth.last_h : s->h;
    t.force = h > 0 ? mrn_scale(1 / h, f) : mrn_v3(0, 0, 0);
    if (!t.wall)
        from = mrn_load3(s->body.x + 3 * (size_t)t.a);
    t.branch =
        mrn_images_nearest(&v->images, mrn_sub(mrn_load3(s->body.x + 3 * (size_t)t.c), from));
    complete(v, &t);
    *out = t;
    return true;
}

/* In touch: overlapping, or pressed on each other (rigid grains are so without overlap). */
static bool in_touch(const mrn_contacts *c, int64_t k)
{
    return c->gap[k] < 0 || mrn_dot(mrn_load3(c->force + 3 * k), mrn_load3(c->normal + 3 * k)) > 0;
}

/* ---- all of them ---- */

static void visit_pairs(const mrn_contact_view *v, int32_t i, int64_t begin, int64_t end,
                        mrn_contact_visit visit, void *user)
{
    for (int64_t k = begin; k < end; k++)
        if (mrn_contact_alive(&v->s->contact, k)) {
            mrn_contact_entry t = from_list(v, i, k);
            visit(v, &t, user);
        }
}

/* Items: grains with their rows of the list, or contacts. */
static void visit_items(const mrn_contact_view *v, int64_t begin, int64_t end,
                        mrn_contact_visit visit, void *user)
{
    const mrn_pairs *p = &v->s->pair;
    for (int64_t i = begin; i < end; i++) {
        mrn_contact_entry t;
        if (v->source == MRN_FROM_LIST) {
            visit_pairs(v, (int32_t)i, p->row[i], p->row[i + 1], visit, user);
            visit_pairs(v, (int32_t)i, p->wall_row[i], p->wall_row[i + 1], visit, user);
        } else if (v->source == MRN_FROM_POINTS) {
            if (from_touches(v, i, &t))
                visit(v, &t, user);
        } else if (in_touch(v->contacts, i)) {
            t = from_arrays(v, i);
            visit(v, &t, user);
        }
    }
}

static int64_t first_item(const mrn_contact_view *v)
{
    return v->source == MRN_FROM_LIST ? v->s->body.n_walls : 0;
}
static int64_t end_item(const mrn_contact_view *v)
{
    if (!v->known)
        return first_item(v);
    return v->source == MRN_FROM_LIST     ? v->s->body.n
           : v->source == MRN_FROM_POINTS ? v->s->contact.n
                                          : v->contacts->n;
}

void mrn_contacts_each(const mrn_contact_view *v, mrn_contact_visit visit, void *user)
{
    const mrn_bodies *b = &v->s->body;
    if (v->source != MRN_FROM_LIST) {
        visit_items(v, first_item(v), end_item(v), visit, user);
        return;
    }
    for (int32_t id = 0; v->known && id < b->n_ids; id++)
        if (b->index_of[id] >= b->n_walls)
            visit_items(v, b->index_of[id], b->index_of[id] + 1, visit, user);
}

typedef struct summing {
    const void *what;
    mrn_contact_term term;
    int width;
    mrn_sum *sum;
} summing;

static void add_term(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    const summing *x = user;
    double of[MRN_TERMS] = {0};
    x->term(x->what, v, t, of);
    mrn_terms_add(x->sum, of, x->width);
}

void mrn_sum_contacts(const mrn_contact_view *v, const void *what, int width, mrn_contact_term term,
                      double *sum)
{
    mrn_sum all[MRN_TERMS] = {{0}};
    int64_t first = first_item(v), end = end_item(v);
#pragma omp parallel if (end - first > MANY)
    {
        mrn_sum part[MRN_TERMS] = {{0}};
        summing x = {what, term, width, part};
#pragma omp for schedule(static)
        for (int64_t i = first; i < end; i++)
            visit_items(v, i, i + 1, add_term, &x);
#pragma omp critical
        for (int k = 0; k < width; k++)
            mrn_sum_merge(&all[k], &part[k]);
    }
    for (int k = 0; k < width; k++)
        sum[k] = mrn_sum_value(&all[k]);
}

double mrn_contact_friction(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    const mrn_scene *scene = v->scene;
    const uint16_t *material = v->s->body.material;
    if (scene->pair_of == NULL)
        return 0;
    int k = scene->pair_of[material[t->c] * scene->n_materials + material[t->a]];
    if (k < 0)
        return 0;
    return k < MRN_VIEW_FRICTIONS ? v->friction[k] : friction_of(&scene->interaction[k]);
}
