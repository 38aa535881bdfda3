/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the neighbour list to contact points. Rows of the list are done in chunks, each into its own
   store, which are then joined in their order: the result does not depend on threads. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/touches.h"
#include "geom/cluster.h"

#define ROWS 128 /* of the list per chunk */

typedef struct search {
    const mrn_scene *scene;
    const mrn_state *s;
    mrn_images im;
    double alert, h;
    mrn_touch_finder *f;
} search;

static bool has_form(const search *e, int32_t i)
{
    return (e->s->body.flags[i] & MRN_BODY_FORM) != 0;
}

/* How near two bodies must be to count: nearer than the alert distance, or so near that they could
   meet within the next step at the speeds they have. What the list does not hold is not seen, so
   that only bodies that go farther than its skin in one step overlap before they are noticed. */
static double alert_of(const search *e, int32_t i, int32_t j)
{
    if (e->h == 0)
        return e->alert;
    const mrn_bodies *b = &e->s->body;
    mrn_vec3 v = mrn_sub(mrn_load3(b->v + 3 * (size_t)i), mrn_load3(b->v + 3 * (size_t)j));
    double speed = mrn_norm(v);
    mrn_vec3 spin = mrn_load3(b->w + 3 * (size_t)j);
    if (j < b->n_walls && mrn_dot(spin, spin) > 0) { /* a paddle comes as fast as it is there */
        mrn_vec3 arm = mrn_sub(mrn_load3(b->x + 3 * (size_t)i), mrn_load3(b->x + 3 * (size_t)j));
        speed = mrn_norm(mrn_sub(v, mrn_cross(spin, arm))) + b->bound[i] * mrn_norm(spin);
    }
    if (has_form(e, i))
        speed += b->bound[i] * mrn_norm(mrn_load3(b->w + 3 * (size_t)i));
    if (has_form(e, j))
        speed += b->bound[j] * mrn_norm(mrn_load3(b->w + 3 * (size_t)j));
    return fmax(e->alert, e->h * speed);
}

/* ---- what all kinds share ---- */

static mrn_vec3 centre(const mrn_state *s, int32_t i)
{
    return mrn_load3(s->body.x + 3 * (size_t)i);
}

static mrn_quat turn(const mrn_state *s, int32_t i)
{
    return mrn_load_quat(s->body.q + 4 * (size_t)i);
}

/* A new entry of the chunk, bodies and interaction filled; NULL: out of memory. */
static mrn_touch *add(const search *e, mrn_touch_chunk *k, int32_t c, int32_t a)
{
    if (mrn_grow(&k->touch, &k->capacity, k->n + 1, sizeof *k->touch) != MRN_OK) {
        k->failed = true;
        return NULL;
    }
    const mrn_bodies *b = &e->s->body;
    mrn_touch *t = &k->touch[k->n++];
    *t = (mrn_touch){.c = c, .a = a};
    t->of_c = mrn_body_leader(e->s, c);
    t->of_a = mrn_body_leader(e->s, a);
    t->interaction = e->scene->pair_of[b->material[c] * e->scene->n_materials + b->material[a]];
    double rc = b->radius[c], ra = b->radius[a];
    t->r_eff = a < b->n_walls ? rc : rc * ra / (rc + ra);
    return t;
}

/* From the centre of the moving body to a point: the centre nearest to it in a periodic cell. */
static mrn_vec3 arm_to(const search *e, int32_t body, mrn_vec3 point)
{
    mrn_vec3 d = mrn_sub(point, centre(e->s, body));
    return body < e->s->body.n_walls ? d : mrn_images_nearest(&e->im, d);
}

/* A meeting found with C where it is and A at x_a (an image of it). */
static void add_meeting(const search *e, mrn_touch_chunk *k, int32_t c, int32_t a, int64_t parts,
                        const mrn_contact_point *m)
{
    mrn_touch *t = add(e, k, c, a);
    if (t == NULL)
        return;
    t->feature = parts << 32 | m->feature;
    t->n = m->normal;
    t->gap = m->gap;
    t->point = m->point;
    t->arm_c = arm_to(e, t->of_c, m->point);
    t->arm_a = arm_to(e, t->of_a, m->point);
}

static mrn_posed pose(const search *e, int32_t i, int part, mrn_vec3 x)
{
    const mrn_bodies *b = &e->s->body;
    return mrn_posed_make(&e->scene->form[b->part[i]].part[part], x, turn(e->s, i), b->radius[i]);
}

static int parts_of(const search *e, int32_t i)
{
    return e->scene->form[e->s->body.part[i]].n_parts;
}

/* ---- grain on grain ---- */

/* Two spheres or disks: the point divides the line of centres as the radii do, so that the arms of
   both lie on it and no angular momentum is made. */
static void meet_balls(const search *e, mrn_touch_chunk *k, int32_t c, int32_t a)
{
    const mrn_bodies *b = &e->s->body;
    mrn_vec3 d = mrn_images_nearest(&e->im, mrn_sub(centre(e->s, c), centre(e->s, a)));
    double dist = mrn_norm(d), rc = b->radius[c], ra = b->radius[a];
    if (dist - rc - ra >= alert_of(e, c, a))
        return;
    mrn_touch *t = add(e, k, c, a);
    if (t == NULL)
        return;
    t->n = dist > 0 ? mrn_unit(d) : mrn_v3(1, 0, 0); /* in the plane when there is one */
    t->gap = dist - rc - ra;
    double s = dist / (rc + ra);
    t->arm_c = mrn_scale(-rc * s, t->n);
    t->arm_a = mrn_scale(ra * s, t->n);
    t->point = mrn_add(centre(e->s, c), t->arm_c);
    if (t->of_c != c)
        t->arm_c = arm_to(e, t->of_c, t->point);
    if (t->of_a != a)
        t->arm_a = arm_to(e, t->of_a, t->point);
}

static void meet_ball_and_form(const search *e, mrn_touch_chunk *k, int32_t c, int32_t a)
{
    bool ball_is_c = !has_form(e, c);
    int32_t ball = ball_is_c ? c : a, form = ball_is_c ? a : c;
    mrn_vec3 x_c = centre(e->s, c);
    mrn_vec3 x_a = mrn_sub(x_c, mrn_images_nearest(&e->im, mrn_sub(x_c, centre(e->s, a))));
    double alert = alert_of(e, c, a);
    for (int part = 0; part < parts_of(e, form); part++) {
        mrn_posed p = pose(e, form, part, ball_is_c ? x_a : x_c);
        mrn_contact_point m;
        if (mrn_meet_ball(ball_is_c ? x_c : x_a, e->s->body.radius[ball], &p, alert, &m) == 0)
            continue;
        if (!ball_is_c)
            m.normal = mrn_scale(-1, m.normal);
        add_meeting(e, k, c, a, part, &m);
    }
}

/* Do the balls around two parts come near enough? */
static bool near_enough(const mrn_posed *c, const mrn_posed *a, double alert)
{
    mrn_vec3 from = mrn_axpy(a->scale, mrn_posed_turn(a, a->shape->centre), a->x);
    mrn_vec3 to = mrn_axpy(c->scale, mrn_posed_turn(c, c->shape->centre), c->x);
    mrn_vec3 d = mrn_sub(to, from);
    double reach = c->scale * c->shape->bound + a->scale * a->shape->bound + alert;
    return mrn_dot(d, d) < reach * reach;
}

static void meet_forms(const search *e, mrn_touch_chunk *k, int32_t c, int32_t a, int64_t pair)
{
    mrn_vec3 x_c = centre(e->s, c);
    mrn_vec3 x_a = mrn_sub(x_c, mrn_images_nearest(&e->im, mrn_sub(x_c, centre(e->s, a))));
    int n_c = parts_of(e, c), n_a = parts_of(e, a);
    double alert = alert_of(e, c, a);
    mrn_meet_memory *memory = n_c == 1 && n_a == 1 ? &e->f->memory[pair] : NULL;
    for (int i = 0; i < n_c; i++) {
        mrn_posed p = pose(e, c, i, x_c);
        for (int j = 0; j < n_a; j++) {
            mrn_posed o = pose(e, a, j, x_a);
            mrn_contact_point m[MRN_MEET_MAX];
            if (!near_enough(&p, &o, alert))
                continue;
            int n = mrn_meet_convex(&p, &o, alert, memory, m);
            for (int q = 0; q < n; q++)
                add_meeting(e, k, c, a, (int64_t)i * n_a + j, &m[q]);
        }
    }
}

/* C is the grain with the lower number, whichever owns the pair: keys and frames stay the same when
   the list is built anew. */
static void meet_grains(const search *e, mrn_touch_chunk *k, int32_t i, int32_t j, int64_t pair)
{
    const mrn_bodies *b = &e->s->body;
    bool keep = b->id[i] < b->id[j];
    int32_t c = keep ? i : j, a = keep ? j : i;
    if (has_form(e, c) && has_form(e, a))
        meet_forms(e, k, c, a, pair);
    else if (has_form(e, c) || has_form(e, a))
        meet_ball_and_form(e, k, c, a);
    else
        meet_balls(e, k, c, a);
}

/* ---- grain on wall ---- */

static mrn_contact_point *wall_scratch(mrn_touch_chunk *k, int64_t n)
{
    if (mrn_grow(&k->wall, &k->wall_room, n, sizeof *k->wall) == MRN_OK)
        return k->wall;
    k->failed = true;
    return NULL;
}

/* A ball, all features of one wall near it. The rule that makes one contact of an edge seen from
   two faces (mrn_wall_contacts) is applied to a ball larger by the alert distance. */
static void ball_on_wall(const search *e, mrn_touch_chunk *k, int32_t i, int64_t p0, int64_t p1)
{
    const mrn_state *s = e->s;
    int32_t w = s->pair.other[p0];
    const mrn_shape *shape = &e->scene->shape[s->body.shape[w]];
    mrn_vec3 x = centre(s, i),
             at = mrn_wall_local(e->scene, s, &e->im, w, s->body.x + 3 * (size_t)i);
    const int32_t *feature = s->pair.feature + (p0 - s->pair.n_grain);
    double alert = alert_of(e, i, w), r = s->body.radius[i] + alert;
    mrn_contact_point *out = wall_scratch(k, p1 - p0);
    if (out == NULL || mrn_wall_contacts(shape, at, r, feature, (int)(p1 - p0), out) == 0)
        return;
    for (int64_t m = 0; m < p1 - p0; m++) {
        if (!out[m].touch)
            continue;
        mrn_touch *t = add(e, k, i, w);
        if (t == NULL)
            return;
        t->feature = (int64_t)feature[m] << 32;
        t->n = mrn_rotate(turn(s, w), out[m].normal);
        t->gap = out[m].gap + alert;
        t->point = mrn_axpy(-(s->body.radius[i] + t->gap), t->n, x);
        t->arm_c = t->of_c == i ? mrn_sub(t->point, x) : arm_to(e, t->of_c, t->point);
        mrn_vec3 place = mrn_rotate(turn(s, w), mrn_axpy(-(r + out[m].gap), out[m].normal, at));
        t->arm_a = place;
    }
}

static void form_on_wall(const search *e, mrn_touch_chunk *k, int32_t i, int64_t p0, int64_t p1)
{
    const mrn_state *s = e->s;
    int32_t w = s->pair.other[p0];
    const mrn_shape *shape = &e->scene->shape[s->body.shape[w]];
    mrn_vec3 x = centre(s, i);
    /* the wall where it stands as seen from the grain: in a periodic cell an image of it */
    mrn_vec3 local = mrn_wall_local(e->scene, s, &e->im, w, s->body.x + 3 * (size_t)i);
    mrn_vec3 x_w = mrn_sub(x, mrn_rotate(turn(s, w), local));
    double alert = alert_of(e, i, w);
    for (int part = 0; part < parts_of(e, i); part++) {
        mrn_posed c = pose(e, i, part, x);
        for (int64_t p = p0; p < p1; p++) {
            int32_t feature = s->pair.feature[p - s->pair.n_grain];
            mrn_contact_point m[MRN_MEET_MAX];
            int n = mrn_meet_wall(&c, shape, x_w, turn(s, w), feature, alert, m);
            for (int q = 0; q < n; q++) {
                int64_t before = k->n;
                /* a corner of the grain that slides from one triangle to the next is the same */
                bool corner = shape->mesh != NULL && m[q].feature >> 28 == 0;
                add_meeting(e, k, i, w, (int64_t)(corner ? 0 : feature) << 8 | part, &m[q]);
                if (k->n > before)
                    k->touch[k->n - 1].arm_a = mrn_sub(m[q].point, x_w);
            }
        }
    }
}

static void meet_walls(const search *e, mrn_touch_chunk *k, int32_t i)
{
    const mrn_pairs *p = &e->s->pair;
    for (int64_t p0 = p->wall_row[i], p1; p0 < p->wall_row[i + 1]; p0 = p1) {
        for (p1 = p0 + 1; p1 < p->wall_row[i + 1] && p->other[p1] == p->other[p0];)
            p1++;
        if (has_form(e, i))
            form_on_wall(e, k, i, p0, p1);
        else
            ball_on_wall(e, k, i, p0, p1);
    }
}

/* ---- all ---- */

static void search_chunk(const search *e, int64_t n)
{
    const mrn_state *s = e->s;
    const mrn_pairs *p = &s->pair;
    mrn_touch_chunk *k = &e->f->chunk[n];
    int32_t i0 = s->body.n_walls + (int32_t)n * ROWS;
    int32_t i1 = i0 + ROWS < s->body.n ? i0 + ROWS : s->body.n;
    k->n = 0;
    k->failed = false;
    for (int32_t i = i0; i < i1; i++) {
        if (s->body.flags[i] & MRN_BODY_CLUSTER)
            continue;
        for (int64_t m = p->row[i]; m < p->row[i + 1]; m++)
            meet_grains(e, k, i, p->other[m], m);
        meet_walls(e, k, i);
    }
}

/* Memories belong to the pairs of one list. */
static mrn_status begin_memories(mrn_touch_finder *f, const mrn_scene *scene, const mrn_pairs *p,
                                 mrn_message *msg)
{
    if (!scene->forms || (f->builds == p->builds && f->memories == p->n_grain))
        return MRN_OK;
    if (mrn_grow(&f->memory, &f->memories_room, p->n_grain, sizeof *f->memory) != MRN_OK)
        return mrn_fail_memory(msg);
    if (p->n_grain > 0)
        memset(f->memory, 0, (size_t)p->n_grain * sizeof *f->memory);
    f->memories = p->n_grain;
    f->builds = p->builds;
    return MRN_OK;
}

static mrn_status join(mrn_touch_finder *f, int64_t chunks, mrn_message *msg)
{
    int64_t n = 0;
    for (int64_t k = 0; k < chunks; k++) {
        if (f->chunk[k].failed)
            return mrn_fail_memory(msg);
        n += f->chunk[k].n;
    }
    if (mrn_grow(&f->touch, &f->capacity, n, sizeof *f->touch) != MRN_OK)
        return mrn_fail_memory(msg);
    f->n = 0;
    for (int64_t k = 0; k < chunks; k++) {
        if (f->chunk[k].n > 0)
            memcpy(f->touch + f->n, f->chunk[k].touch, (size_t)f->chunk[k].n * sizeof *f->touch);
        f->n += f->chunk[k].n;
    }
    return MRN_OK;
}

mrn_status mrn_touches_find(const mrn_scene *scene, const mrn_state *s, double alert, double h,
                            mrn_touch_finder *f, mrn_message *msg)
{
    int64_t chunks = ((int64_t)s->body.n - s->body.n_walls + ROWS - 1) / ROWS, had = f->n_chunks;
    mrn_status st = begin_memories(f, scene, &s->pair, msg);
    if (st != MRN_OK)
        return st;
    if (mrn_grow(&f->chunk, &f->n_chunks, chunks, sizeof *f->chunk) != MRN_OK)
        return mrn_fail_memory(msg);
    if (f->n_chunks > had)
        memset(f->chunk + had, 0, (size_t)(f->n_chunks - had) * sizeof *f->chunk);
    search e = {scene, s, mrn_images_of(scene, s), alert, h, f};
#pragma omp parallel for schedule(dynamic, 4) if (chunks > 2)
    for (int64_t k = 0; k < chunks; k++)
        search_chunk(&e, k);
    return join(f, chunks, msg);
}

void mrn_touch_finder_release(mrn_touch_finder *f)
{
    for (int64_t k = 0; k < f->n_chunks; k++) {
        mrn_free(f->chunk[k].touch);
        mrn_free(f->chunk[k].wall);
    }
    mrn_free(f->chunk);
    mrn_free(f->touch);
    mrn_free(f->memory);
    *f = (mrn_touch_finder){0};
}

size_t mrn_touch_finder_bytes(const mrn_touch_finder *f)
{
    size_t bytes = (size_t)f->capacity * sizeof *f->touch + (size_t)f->n_chunks * sizeof *f->chunk +
                   (size_t)f->memories_room * sizeof *f->memory;
    for (int64_t k = 0; k < f->n_chunks; k++)
        bytes += (size_t)f->chunk[k].capacity * sizeof *f->touch +
                 (size_t)f->chunk[k].wall_room * sizeof *f->chunk[k].wall;
    return bytes;
}
