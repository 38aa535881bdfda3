/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts one by one, with clusters in place of the spheres that touch. One way of reading serves
   every network: a column that is there is taken, what it lacks follows from the bodies. A network
   that follows the neighbour list (one slot per pair, most of them empty) is walked by grains,
   others by contacts. */
#include "detect/polytope_contact.h"
#include "measure/measure.h"

enum { MANY = 8192 };

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
    bool own = contacts == NULL, points = own && mrn_contact_points(scene);
    mrn_contact_view v = {.scene = scene,
                          .s = s,
                          .network = own ? &s->contact : contacts,
                          .given = !own,
                          .follows_list = own && !points,
                          .known =
                              points ? s->pair.row != NULL : !own || mrn_contacts_follow_list(s),
                          .images = mrn_images_of(scene, s)};
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

/* In touch: alive where slots follow the list; else overlapping, or pressed on each other (rigid
   grains are so without overlap). */
static bool in_touch(const mrn_contact_view *v, int64_t k)
{
    const mrn_contacts *c = v->network;
    if (v->follows_list)
        return mrn_contact_alive(c, k);
    if (c->gap[k] < 0)
        return true;
    if (!v->given)
        return c->impulse[k * c->impulse_width] > 0;
    return mrn_dot(mrn_load3(c->force + 3 * k), mrn_load3(c->normal + 3 * k)) > 0;
}

/* False: a body has left. `owner`: the grain in whose row slot k stands. */
static bool find_bodies(const mrn_contact_view *v, int32_t owner, mrn_contact_entry *t)
{
    const mrn_contacts *c = v->network;
    if (v->follows_list) {
        t->c = owner, t->a = v->s->pair.other[t->k];
    } else if (v->given) {
        t->c = c->c[t->k], t->a = c->a[t->k];
    } else { /* points of the last step: numbers last, places do not */
        t->c = mrn_place_of_id(v->s, c->id_c[t->k]), t->a = mrn_place_of_id(v->s, c->id_a[t->k]);
    }
    t->wall = t->a < v->s->body.n_walls;
    return t->c >= 0 && t->a >= 0;
}

static mrn_vec3 branch_of(const mrn_contact_view *v, const mrn_contact_entry *t)
{
    const double *x = v->s->body.x;
    if (v->network->branch != NULL)
        return mrn_load3(v->network->branch + 3 * t->k);
    mrn_vec3 from =
        t->wall ? mrn_load3(mrn_contacts_point(v->network, t->k)) : mrn_load3(x + 3 * (size_t)t->a);
    return mrn_images_nearest(&v->images, mrn_sub(mrn_load3(x + 3 * (size_t)t->c), from));
}

/* Normal and gap of a slot that keeps neither: of spheres from the branch, of grains with corners
   from what they share. */
static void compute_frame(const mrn_contact_view *v, mrn_contact_entry *t)
{
    const mrn_state *s = v->s;
    t->normal = mrn_unit(t->branch);
    t->gap = mrn_norm(t->branch) - s->body.radius[t->c] - s->body.radius[t->a];
    if (!v->scene->polytopes || !(mrn_has_corners(s, t->c) || mrn_has_corners(s, t->a)))
        return;
    mrn_contact_point m = mrn_polytope_contact(v->scene, s, &v->images, t->c, t->k);
    t->normal = m.normal;
    t->gap = m.gap;
    if (t->wall)
        t->branch = mrn_images_nearest(&v->images,
                                       mrn_sub(mrn_load3(s->body.x + 3 * (size_t)t->c), m.point));
}

/* Contact k of the network; false: not in touch, or a body has left. */
static bool read_contact(const mrn_contact_view *v, int32_t owner, int64_t k,
                         mrn_contact_entry *out)
{
    const mrn_contacts *c = v->network;
    mrn_contact_entry t = {.k = k};
    if (!in_touch(v, k) || !find_bodies(v, owner, &t))
        return false;
    t.branch = branch_of(v, &t);
    if (c->gap != NULL) {
        t.gap = c->gap[k];
        t.normal = mrn_load3(c->normal + 3 * k);
    } else {
        compute_frame(v, &t);
    }
    t.force =
        c->force != NULL ? mrn_load3(c->force + 3 * k) : mrn_contact_point_force(v->scene, v->s, k);
    complete(v, &t);
    *out = t;
    return true;
}

/* Slots of the list keep what each of the two bodies gets; points of rigid contacts where they
   touch, and what a network that is given has is its points. */
mrn_vec3 mrn_contact_turn(const mrn_contact_view *v, const mrn_contact_entry *t, bool on_c)
{
    const mrn_contacts *c = v->network;
    const mrn_bodies *b = &v->s->body;
    int32_t body = on_c ? t->c : t->a, grain = on_c ? t->grain_c : t->grain_a;
    double sign = on_c ? 1 : -1;
    mrn_vec3 force = mrn_scale(sign, t->force), turn, away = offset(v, body, grain);
    if (v->follows_list) {
        turn = mrn_scale(-b->radius[body], mrn_load3(c->lever + 3 * t->k));
        if (c->moment != NULL)
            turn = mrn_axpy(sign, mrn_load3(c->moment + 3 * t->k), turn);
    } else {
        mrn_vec3 arm = mrn_sub(mrn_load3(c->point + 3 * t->k), mrn_load3(b->x + 3 * (size_t)body));
        turn = mrn_cross(mrn_images_nearest(&v->images, arm), force);
        if (!v->given)
            turn = mrn_axpy(sign, mrn_contact_point_moment(v->scene, v->s, t->k), turn);
    }
    return mrn_sub(turn, mrn_cross(away, force)); /* arms begin at the centre of the whole grain */
}

/* ---- all of them ---- */

static void visit_slots(const mrn_contact_view *v, int32_t owner, int64_t begin, int64_t end,
                        mrn_contact_visit visit, void *user)
{
    mrn_contact_entry t;
    for (int64_t k = begin; k < end; k++)
        if (read_contact(v, owner, k, &t))
            visit(v, &t, user);
}

/* Items: grains with their rows of the list, or contacts. */
static void visit_items(const mrn_contact_view *v, int64_t begin, int64_t end,
                        mrn_contact_visit visit, void *user)
{
    const mrn_pairs *p = &v->s->pair;
    if (!v->follows_list)
        visit_slots(v, -1, begin, end, visit, user);
    for (int64_t i = begin; v->follows_list && i < end; i++) {
        visit_slots(v, (int32_t)i, p->row[i], p->row[i + 1], visit, user);
        visit_slots(v, (int32_t)i, p->wall_row[i], p->wall_row[i + 1], visit, user);
    }
}

static int64_t first_item(const mrn_contact_view *v)
{
    return v->follows_list ? v->s->body.n_walls : 0;
}
static int64_t end_item(const mrn_contact_view *v)
{
    if (!v->known)
        return first_item(v);
    return v->follows_list ? v->s->body.n : v->network->n;
}

void mrn_contacts_each(const mrn_contact_view *v, mrn_contact_visit visit, void *user)
{
    const mrn_bodies *b = &v->s->body;
    if (!v->follows_list) {
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
