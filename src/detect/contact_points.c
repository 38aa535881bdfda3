/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the neighbour list to contact points. Rows of the list are done in chunks, each into a
   network of its own, which are then joined in their order: the result does not depend on threads.
   Rows are taken along a curve through space, not as bodies stand in memory: solvers that sweep
   over contacts go through neighbours one after another, and in an order that places and names
   alone decide. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/contact_points.h"
#include "detect/list.h"
#include "geom/cluster.h"

#define ROWS 128 /* of the list per chunk */

typedef struct search {
    const mrn_scene *scene;
    const mrn_state *s;
    mrn_images im;
    double alert, h;
    mrn_contact_finder *f;
} search;

static bool has_polytope(const search *e, int32_t i)
{
    return (e->s->body.flags[i] & MRN_BODY_POLYTOPE) != 0;
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
    if (has_polytope(e, i))
        speed += b->bound[i] * mrn_norm(mrn_load3(b->w + 3 * (size_t)i));
    if (has_polytope(e, j))
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

/* A new contact of the chunk with its bodies; its place, -1: out of memory. */
static int64_t add(mrn_contact_chunk *k, int32_t c, int32_t a)
{
    mrn_contacts *t = &k->found;
    if (t->n == t->capacity && mrn_contacts_reserve(t, t->n + t->n / 8 + 1, NULL) != MRN_OK) {
        k->failed = true;
        return -1;
    }
    t->c[t->n] = c, t->a[t->n] = a;
    return t->n++;
}

/* Where contact `at` is. */
static void place(mrn_contacts *t, int64_t at, int64_t feature, mrn_vec3 point, mrn_vec3 normal,
                  double gap)
{
    t->feature[at] = feature;
    t->gap[at] = gap;
    mrn_store3(t->point + 3 * at, point);
    mrn_store3(t->normal + 3 * at, normal);
}

static void set_arms(mrn_contacts *t, int64_t at, mrn_vec3 arm_c, mrn_vec3 arm_a)
{
    mrn_store3(t->arm_c + 3 * at, arm_c);
    mrn_store3(t->arm_a + 3 * at, arm_a);
}

/* From the centre of the moving body to a point: the centre nearest to it in a periodic cell. */
static mrn_vec3 arm_to(const search *e, int32_t body, mrn_vec3 point)
{
    mrn_vec3 d = mrn_sub(point, centre(e->s, body));
    return body < e->s->body.n_walls ? d : mrn_images_nearest(&e->im, d);
}

/* A point found with C where it is and A at x_a (an image of it). */
static void add_point(const search *e, mrn_contact_chunk *k, int32_t c, int32_t a, int64_t parts,
                      const mrn_contact_point *m)
{
    mrn_contacts *t = &k->found;
    int64_t at = add(k, c, a);
    if (at < 0)
        return;
    place(t, at, parts << 32 | m->feature, m->point, m->normal, m->gap);
    set_arms(t, at, arm_to(e, mrn_body_leader(e->s, c), m->point),
             arm_to(e, mrn_body_leader(e->s, a), m->point));
}

static mrn_posed pose(const search *e, int32_t i, int part, mrn_vec3 x)
{
    const mrn_bodies *b = &e->s->body;
    return mrn_posed_make(&e->scene->polytope[b->part[i]].part[part], x, turn(e->s, i),
                          b->radius[i]);
}

static int parts_of(const search *e, int32_t i)
{
    return e->scene->polytope[e->s->body.part[i]].n_parts;
}

/* ---- grain on grain ---- */

/* Two spheres or disks: the point divides the line of centres as the radii do, so that the arms of
   both lie on it and no angular momentum is made. */
static void meet_balls(const search *e, mrn_contact_chunk *k, int32_t c, int32_t a)
{
    const mrn_bodies *b = &e->s->body;
    mrn_vec3 d = mrn_images_nearest(&e->im, mrn_sub(centre(e->s, c), centre(e->s, a)));
    double dist = mrn_norm(d), rc = b->radius[c], ra = b->radius[a];
    if (dist - rc - ra >= alert_of(e, c, a))
        return;
    mrn_contacts *t = &k->found;
    int64_t at = add(k, c, a);
    if (at < 0)
        return;
    int32_t body_c = mrn_body_leader(e->s, c), body_a = mrn_body_leader(e->s, a);
    mrn_vec3 n = dist > 0 ? mrn_unit(d) : mrn_v3(1, 0, 0); /* in the plane when there is one */
    double s = dist / (rc + ra);
    mrn_vec3 arm_c = mrn_scale(-rc * s, n), arm_a = mrn_scale(ra * s, n);
    mrn_vec3 point = mrn_add(centre(e->s, c), arm_c);
    place(t, at, 0, point, n, dist - rc - ra);
    set_arms(t, at, body_c == c ? arm_c : arm_to(e, body_c, point),
             body_a == a ? arm_a : arm_to(e, body_a, point));
}

static void meet_ball_and_polytope(const search *e, mrn_contact_chunk *k, int32_t c, int32_t a)
{
    bool ball_is_c = !has_polytope(e, c);
    int32_t ball = ball_is_c ? c : a, polytope = ball_is_c ? a : c;
    mrn_vec3 x_c = centre(e->s, c);
    mrn_vec3 x_a = mrn_sub(x_c, mrn_images_nearest(&e->im, mrn_sub(x_c, centre(e->s, a))));
    double alert = alert_of(e, c, a);
    for (int part = 0; part < parts_of(e, polytope); part++) {
        mrn_posed p = pose(e, polytope, part, ball_is_c ? x_a : x_c);
        mrn_contact_point m;
        if (mrn_narrow_ball(ball_is_c ? x_c : x_a, e->s->body.radius[ball], &p, alert, &m) == 0)
            continue;
        if (!ball_is_c)
            m.normal = mrn_scale(-1, m.normal);
        add_point(e, k, c, a, part, &m);
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

static void meet_polytopes(const search *e, mrn_contact_chunk *k, int32_t c, int32_t a,
                           int64_t pair)
{
    mrn_vec3 x_c = centre(e->s, c);
    mrn_vec3 x_a = mrn_sub(x_c, mrn_images_nearest(&e->im, mrn_sub(x_c, centre(e->s, a))));
    int n_c = parts_of(e, c), n_a = parts_of(e, a);
    double alert = alert_of(e, c, a);
    mrn_narrow_memory *memory = n_c == 1 && n_a == 1 ? &e->f->memory[pair] : NULL;
    for (int i = 0; i < n_c; i++) {
        mrn_posed p = pose(e, c, i, x_c);
        for (int j = 0; j < n_a; j++) {
            mrn_posed o = pose(e, a, j, x_a);
            mrn_contact_point m[MRN_NARROW_MAX];
            if (!near_enough(&p, &o, alert))
                continue;
            int n = mrn_narrow_convex(&p, &o, alert, memory, m);
            for (int q = 0; q < n; q++)
                add_point(e, k, c, a, (int64_t)i * n_a + j, &m[q]);
        }
    }
}

static void meet_grains(const search *e, mrn_contact_chunk *k, int32_t c, int32_t a, int64_t pair)
{
    if (has_polytope(e, c) && has_polytope(e, a))
        meet_polytopes(e, k, c, a, pair);
    else if (has_polytope(e, c) || has_polytope(e, a))
        meet_ball_and_polytope(e, k, c, a);
    else
        meet_balls(e, k, c, a);
}

/* ---- grain on wall ---- */

static mrn_contact_point *wall_scratch(mrn_contact_chunk *k, int64_t n)
{
    if (mrn_grow(&k->wall, &k->wall_room, n, sizeof *k->wall) == MRN_OK)
        return k->wall;
    k->failed = true;
    return NULL;
}

/* A ball, all features of one wall near it. The rule that makes one contact of an edge seen from
   two faces (mrn_wall_contacts) is applied to a ball larger by the alert distance. */
static void ball_on_wall(const search *e, mrn_contact_chunk *k, int32_t i, int64_t p0, int64_t p1)
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
        mrn_contacts *t = &k->found;
        int64_t new = add(k, i, w);
        if (new < 0)
            return;
        int32_t body = mrn_body_leader(s, i);
        mrn_vec3 n = mrn_rotate(turn(s, w), out[m].normal);
        double gap = out[m].gap + alert;
        mrn_vec3 point = mrn_axpy(-(s->body.radius[i] + gap), n, x);
        place(t, new, (int64_t)feature[m] << 32, point, n, gap);
        set_arms(t, new, body == i ? mrn_sub(point, x) : arm_to(e, body, point),
                 mrn_rotate(turn(s, w), mrn_axpy(-(r + out[m].gap), out[m].normal, at)));
    }
}

static void polytope_on_wall(const search *e, mrn_contact_chunk *k, int32_t i, int64_t p0,
                             int64_t p1)
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
            mrn_contact_point m[MRN_NARROW_MAX];
            int n = mrn_narrow_wall(&c, shape, x_w, turn(s, w), feature, alert, m);
            for (int q = 0; q < n; q++) {
                int64_t before = k->found.n;
                /* a corner of the grain that slides from one triangle to the next is the same */
                bool corner = shape->type->is_foot != NULL && m[q].feature >> 28 == 0;
                add_point(e, k, i, w, (int64_t)(corner ? 0 : feature) << 8 | part, &m[q]);
                if (k->found.n > before)
                    mrn_store3(k->found.arm_a + 3 * before, mrn_sub(m[q].point, x_w));
            }
        }
    }
}

static void meet_walls(const search *e, mrn_contact_chunk *k, int32_t i)
{
    const mrn_pairs *p = &e->s->pair;
    for (int64_t p0 = p->wall_row[i], p1; p0 < p->wall_row[i + 1]; p0 = p1) {
        for (p1 = p0 + 1; p1 < p->wall_row[i + 1] && p->other[p1] == p->other[p0];)
            p1++;
        if (has_polytope(e, i))
            polytope_on_wall(e, k, i, p0, p1);
        else
            ball_on_wall(e, k, i, p0, p1);
    }
}

/* ---- all ---- */

static void search_chunk(const search *e, int64_t n)
{
    const mrn_state *s = e->s;
    const mrn_pairs *p = &s->pair;
    mrn_contact_chunk *k = &e->f->chunk[n];
    const mrn_ranking *rank = &e->f->rank;
    int64_t r0 = n * ROWS, r1 = r0 + ROWS < rank->n ? r0 + ROWS : rank->n;
    k->found.n = 0;
    k->failed = false;
    for (int64_t r = r0; r < r1; r++) {
        int32_t i = rank->item[r];
        if (s->body.flags[i] & MRN_BODY_CLUSTER)
            continue;
        for (int64_t m = p->row[i]; m < p->row[i + 1]; m++)
            meet_grains(e, k, i, p->other[m], m);
        meet_walls(e, k, i);
    }
}

/* Memories belong to the pairs of one list. */
static mrn_status begin_memories(mrn_contact_finder *f, const mrn_scene *scene, const mrn_pairs *p,
                                 mrn_message *msg)
{
    if (!scene->polytopes || (f->builds == p->builds && f->memories == p->n_grain))
        return MRN_OK;
    if (mrn_grow(&f->memory, &f->memories_room, p->n_grain, sizeof *f->memory) != MRN_OK)
        return mrn_fail_memory(msg);
    if (p->n_grain > 0)
        memset(f->memory, 0, (size_t)p->n_grain * sizeof *f->memory);
    f->memories = p->n_grain;
    f->builds = p->builds;
    return MRN_OK;
}

/* What a chunk writes: what only the search knows. */
static uint32_t found_columns(void)
{
    return MRN_COLUMN(c) | MRN_COLUMN(a) | MRN_COLUMN(feature) | MRN_COLUMN(point) |
           MRN_COLUMN(normal) | MRN_COLUMN(gap) | MRN_COLUMN(arm_c) | MRN_COLUMN(arm_a);
}

/* The other columns of contact `at`, but those of the solver. */
static void complete(const mrn_scene *scene, const mrn_state *s, mrn_contacts *t, int64_t at)
{
    const mrn_bodies *b = &s->body;
    int32_t c = t->c[at], a = t->a[at];
    double rc = b->radius[c], ra = b->radius[a];
    t->id_c[at] = b->id[c], t->id_a[at] = b->id[a];
    t->body_c[at] = mrn_body_leader(s, c);
    t->body_a[at] = mrn_body_leader(s, a);
    t->interaction[at] = scene->pair_of[b->material[c] * scene->n_materials + b->material[a]];
    t->r_eff[at] = a < b->n_walls ? rc : rc * ra / (rc + ra);
    mrn_store3(t->tangent + 3 * at,
               mrn_contact_tangent(scene->dimension, mrn_load3(t->normal + 3 * at)));
}

static mrn_status join(const search *e, int64_t chunks, mrn_contacts *out, mrn_message *msg)
{
    const mrn_contact_finder *f = e->f;
    int64_t n = 0;
    for (int64_t k = 0; k < chunks; k++) {
        if (f->chunk[k].failed)
            return mrn_fail_memory(msg);
        n += f->chunk[k].found.n;
    }
    out->n = 0;
    mrn_status st = mrn_contacts_reserve(out, n, msg);
    for (int64_t k = 0; st == MRN_OK && k < chunks; k++)
        mrn_contacts_append(out, &f->chunk[k].found);
#pragma omp parallel for schedule(static) if (out->n > 2048)
    for (int64_t k = 0; k < out->n; k++)
        complete(e->scene, e->s, out, k);
    return st;
}

/* A network that was another's, or of another kind of contact, begins anew. */
static mrn_status begin_network(mrn_contacts *c, int width, mrn_message *msg)
{
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_POINTS),
                            .impulse_width = width};
    bool fits = c->columns == def.columns && c->impulse_width == width;
    return fits ? MRN_OK : mrn_contacts_make(c, &def, msg);
}

mrn_status mrn_contacts_find(const mrn_scene *scene, const mrn_state *s, double alert, double h,
                             int width, mrn_contact_finder *f, mrn_contacts *out, mrn_message *msg)
{
    int64_t chunks = ((int64_t)s->body.n - s->body.n_walls + ROWS - 1) / ROWS, had = f->n_chunks;
    mrn_status st = begin_memories(f, scene, &s->pair, msg);
    if (st == MRN_OK)
        st = begin_network(out, width, msg);
    if (st == MRN_OK)
        st = mrn_rank_bodies(scene, s, 4 * mrn_list_mean_radius(s), &f->rank, msg);
    if (st != MRN_OK)
        return st;
    if (mrn_grow(&f->chunk, &f->n_chunks, chunks, sizeof *f->chunk) != MRN_OK)
        return mrn_fail_memory(msg);
    if (f->n_chunks > had)
        memset(f->chunk + had, 0, (size_t)(f->n_chunks - had) * sizeof *f->chunk);
    for (int64_t k = had; k < f->n_chunks; k++)
        f->chunk[k].found.columns = found_columns();
    search e = {scene, s, mrn_images_of(scene, s), alert, h, f};
#pragma omp parallel for schedule(dynamic, 4) if (chunks > 2)
    for (int64_t k = 0; k < chunks; k++)
        search_chunk(&e, k);
    return join(&e, chunks, out, msg);
}

void mrn_contact_finder_release(mrn_contact_finder *f)
{
    for (int64_t k = 0; k < f->n_chunks; k++) {
        mrn_contacts_destroy(&f->chunk[k].found);
        mrn_free(f->chunk[k].wall);
    }
    mrn_free(f->chunk);
    mrn_free(f->memory);
    mrn_ranking_release(&f->rank);
    *f = (mrn_contact_finder){0};
}

size_t mrn_contact_finder_bytes(const mrn_contact_finder *f)
{
    size_t bytes = (size_t)f->n_chunks * sizeof *f->chunk +
                   (size_t)f->memories_room * sizeof *f->memory + mrn_ranking_bytes(&f->rank);
    for (int64_t k = 0; k < f->n_chunks; k++)
        bytes += mrn_contacts_bytes(&f->chunk[k].found) +
                 (size_t)f->chunk[k].wall_room * sizeof *f->chunk[k].wall;
    return bytes;
}
