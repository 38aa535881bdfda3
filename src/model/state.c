/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state as a store: bodies come, go and change places, handles stay true. Every loop over
   arrays reads the tables of fields.def, so a new field needs no line here. */
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "model/model.h"

/* Bodies that are worth threads. */
enum { MANY = 8192 };

/* The pointer that a field stands for, to be set. */
static void **slot(void *owner, const mrn_field *f)
{
    return (void **)((char *)owner + f->offset);
}

static void *entry(const mrn_bodies *b, const mrn_field *f, int32_t i)
{
    return (char *)mrn_field_data(b, f) + (size_t)i * mrn_field_size(f);
}

static void destroy_pairs(mrn_pairs *p)
{
    mrn_free(p->row);
    mrn_free(p->wall_row);
    mrn_free(p->back_row);
    mrn_free(p->back);
    for (int k = 0; k < mrn_pair_field_count(); k++)
        mrn_free(mrn_field_data(p, mrn_pair_field(k)));
    mrn_free(p->ids);
    mrn_free(p->generation);
    mrn_free(p->feature);
}

void mrn_cycle_forget(mrn_nonsmooth_memory *m)
{
    for (int32_t k = 0; k < m->n_cycle; k++)
        mrn_contacts_destroy(&m->cycle[k]);
    mrn_free(m->cycle);
    m->cycle = NULL;
    m->n_cycle = 0;
}

void mrn_state_destroy(mrn_state *s)
{
    if (s == NULL)
        return;
    for (int k = 0; k < mrn_body_field_count(); k++)
        mrn_free(mrn_field_data(&s->body, mrn_body_field(k)));
    mrn_free(s->body.index_of);
    mrn_free(s->body.generation);
    destroy_pairs(&s->pair);
    mrn_contacts_destroy(&s->contact);
    mrn_contacts_destroy(&s->began);
    mrn_free(s->memory.joint);
    mrn_free(s->memory.rest_steps);
    mrn_cycle_forget(&s->memory);
    mrn_free(s->flights.flight);
    mrn_free(s->flights.way);
    *s = (mrn_state){0};
}

/* ---- room ---- */

/* Makes *p larger; the content stays. When it fails *p is what it was. */
static mrn_status enlarge(void **p, int64_t n, size_t size, mrn_message *msg)
{
    void *bigger = mrn_realloc(*p, (size_t)n * size);
    if (bigger == NULL)
        return mrn_fail_memory(msg);
    *p = bigger;
    return MRN_OK;
}

/* Some fields are there only when an integrator needs them. */
static bool present(const mrn_bodies *b, const mrn_field *f)
{
    return f->saved != 2 || b->with_derivs;
}

/* Room for n bodies in all fields. The capacity rises only when every field has its room, so a
   failure half-way leaves some arrays longer than needed and nothing else. */
static mrn_status room_for_bodies(mrn_bodies *b, int32_t n, mrn_message *msg)
{
    if (n <= b->capacity)
        return MRN_OK;
    for (int k = 0; k < mrn_body_field_count(); k++) {
        const mrn_field *f = mrn_body_field(k);
        if (present(b, f) && enlarge(slot(b, f), n, mrn_field_size(f), msg) != MRN_OK)
            return MRN_ERR_MEMORY;
    }
    b->capacity = n;
    return MRN_OK;
}

static mrn_status room_for_ids(mrn_bodies *b, int32_t n, mrn_message *msg)
{
    if (n <= b->ids_capacity)
        return MRN_OK;
    void *index_of = b->index_of, *generation = b->generation;
    mrn_status st = enlarge(&index_of, n, sizeof *b->index_of, msg);
    b->index_of = index_of;
    if (st == MRN_OK)
        st = enlarge(&generation, n, sizeof *b->generation, msg);
    b->generation = generation;
    if (st == MRN_OK)
        b->ids_capacity = n;
    return st;
}

mrn_status mrn_bodies_reserve(mrn_state *s, int64_t n, mrn_message *msg)
{
    if (n < 0 || n > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "room for %lld bodies: between 0 and %d are possible",
                        (long long)n, INT32_MAX);
    s->body.revision++;
    mrn_status st = room_for_bodies(&s->body, (int32_t)n, msg);
    return st == MRN_OK ? room_for_ids(&s->body, (int32_t)n, msg) : st;
}

mrn_status mrn_bodies_want_derivs(mrn_state *s, mrn_message *msg)
{
    mrn_bodies *b = &s->body;
    for (int k = 0; k < mrn_body_field_count() && !b->with_derivs; k++) {
        const mrn_field *f = mrn_body_field(k);
        if (f->saved != 2)
            continue;
        mrn_free(*slot(b, f));
        b->revision++;
        if (mrn_array(slot(b, f), b->capacity, mrn_field_size(f), msg) != MRN_OK)
            return MRN_ERR_MEMORY;
    }
    b->with_derivs = true;
    return MRN_OK;
}

/* The next capacity when `need` is more than there is: half as much again, so that adding is O(1).
 */
static int32_t next_capacity(int32_t capacity, int32_t need)
{
    if (need <= capacity)
        return capacity;
    int64_t more = (int64_t)capacity + capacity / 2;
    more = more < 16 ? 16 : more;
    more = more < need ? need : more;
    return more > INT32_MAX ? INT32_MAX : (int32_t)more;
}

/* ---- bodies ---- */

mrn_body_def mrn_body_default(void)
{
    return (mrn_body_def){.q = mrn_quat_identity(), .parent = -1};
}

static bool finite3(mrn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static mrn_status check_number(const char *what, double v, const char *unit, mrn_message *msg)
{
    if (isfinite(v) && v >= 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_RANGE, "%s %g %s of a new body", what, v, unit);
    mrn_fail_expected(msg, "a finite number that is not negative");
    return MRN_ERR_RANGE;
}

static mrn_status check_index(const char *what, int v, mrn_message *msg)
{
    if (v >= 0 && v <= UINT16_MAX)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_RANGE, "%s %d of a new body: between 0 and %d are possible", what,
                    v, UINT16_MAX);
}

static mrn_status check_def(const mrn_body_def *d, mrn_message *msg)
{
    double qq = d->q.w * d->q.w + d->q.x * d->q.x + d->q.y * d->q.y + d->q.z * d->q.z;
    if (!finite3(d->x) || !finite3(d->v) || !finite3(d->w))
        return mrn_fail(msg, MRN_ERR_RANGE, "position, velocity or spin of a new body not finite");
    if (!isfinite(qq) || qq <= 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "orientation of a new body is not a rotation");
    mrn_status st = check_number("radius", d->radius, "m", msg);
    st = st == MRN_OK ? check_number("bounding radius", d->bound, "m", msg) : st;
    st = st == MRN_OK ? check_number("mass", d->mass, "kg", msg) : st;
    st = st == MRN_OK ? check_number("moment of inertia", d->inertia, "kg m2", msg) : st;
    st = st == MRN_OK ? check_index("shape", d->shape, msg) : st;
    st = st == MRN_OK ? check_index("material", d->material, msg) : st;
    st = st == MRN_OK ? check_index("group", d->group, msg) : st;
    st = st == MRN_OK ? check_index("part", d->part, msg) : st;
    if (st == MRN_OK && d->flags > UINT16_MAX)
        st = mrn_fail(msg, MRN_ERR_RANGE, "flags %#x of a new body: unknown bits", d->flags);
    return st;
}

/* The lowest free number: ids depend on what is there and not on the way there, so that a run that
   goes on from a file gives the same ids. n_ids: all are taken. */
static int32_t lowest_free_id(const mrn_bodies *b)
{
    if (b->n == b->n_ids)
        return b->n_ids;
    int32_t id = b->first_free;
    while (id < b->n_ids && b->index_of[id] >= 0)
        id++;
    return id;
}

static void fill(mrn_bodies *b, int32_t i, int32_t id, const mrn_body_def *d)
{
    for (int k = 0; k < mrn_body_field_count(); k++)
        if (present(b, mrn_body_field(k)))
            memset(entry(b, mrn_body_field(k), i), 0, mrn_field_size(mrn_body_field(k)));
    b->parent[i] = d->parent;
    b->part[i] = (uint16_t)d->part;
    mrn_store3(b->x + 3 * (size_t)i, d->x);
    mrn_store3(b->x_list + 3 * (size_t)i, d->x);
    mrn_store3(b->v + 3 * (size_t)i, d->v);
    mrn_store3(b->w + 3 * (size_t)i, d->w);
    /* a quaternion that is unit but for rounding keeps its bits */
    mrn_quat q = d->q;
    if (fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) > 1e-12)
        q = mrn_quat_unit(q);
    memcpy(b->q + 4 * (size_t)i, (double[4]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    b->radius[i] = d->radius;
    b->bound[i] = d->bound > 0 ? d->bound : d->radius;
    b->mass[i] = d->mass;
    b->inertia[i] = d->inertia;
    b->id[i] = id;
    b->shape[i] = (uint16_t)d->shape;
    b->material[i] = (uint16_t)d->material;
    b->group[i] = (uint16_t)d->group;
    b->flags[i] = (uint16_t)d->flags;
}

mrn_status mrn_body_add(mrn_state *s, const mrn_body_def *d, mrn_body *out, mrn_message *msg)
{
    mrn_bodies *b = &s->body;
    bool wall = d->flags & MRN_BODY_WALL;
    if (wall && b->n > b->n_walls)
        return mrn_fail(msg, MRN_ERR_RANGE, "a wall after the first grain: walls come first");
    if (b->n == INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than %d bodies", INT32_MAX);
    mrn_status st = check_def(d, msg);
    int32_t id = lowest_free_id(b);
    if (st == MRN_OK)
        st = room_for_bodies(b, next_capacity(b->capacity, b->n + 1), msg);
    if (st == MRN_OK)
        st = room_for_ids(b, next_capacity(b->ids_capacity, id + 1), msg);
    if (st != MRN_OK)
        return st;

    if (id == b->n_ids)
        b->generation[b->n_ids++] = 0;
    int32_t i = b->n++;
    b->n_walls += wall;
    b->changes++;
    b->revision++;
    b->index_of[id] = i;
    b->first_free = id + 1;
    fill(b, i, id, d);
    if (out != NULL)
        *out = mrn_body_handle(s, i);
    return MRN_OK;
}

/* Takes out the body at place i; the last one comes there. */
static void take_out(mrn_bodies *b, int32_t i)
{
    int32_t id = b->id[i], last = b->n - 1;
    if (b->n == b->n_ids || id < b->first_free) /* the only free number, or the lowest */
        b->first_free = id;
    if (i != last) {
        for (int k = 0; k < mrn_body_field_count(); k++) {
            const mrn_field *f = mrn_body_field(k);
            if (present(b, f))
                memcpy(entry(b, f, i), entry(b, f, last), mrn_field_size(f));
        }
        b->index_of[b->id[i]] = i;
    }
    b->n = last;
    b->changes++;
    b->revision++;
    b->index_of[id] = -1;
    b->generation[id]++;
}

/* From the last to the first: what comes to a free place has been looked at. */
static void take_out_members(mrn_bodies *b, int32_t cluster)
{
    for (int32_t i = b->n - 1; i >= b->n_walls; i--)
        if ((b->flags[i] & MRN_BODY_MEMBER) && b->parent[i] == cluster)
            take_out(b, i);
}

mrn_status mrn_body_remove(mrn_state *s, mrn_body h, mrn_message *msg)
{
    mrn_bodies *b = &s->body;
    int32_t i = mrn_body_index(s, h);
    if (i < 0)
        return mrn_fail(msg, MRN_ERR_STALE, "no such body: it was removed, or the handle is null");
    if (i < b->n_walls)
        return mrn_fail(msg, MRN_ERR_RANGE, "body %d is a wall: walls stay, see MRN_BODY_ABSENT",
                        (int)i);
    int32_t id = b->id[i];
    if (b->flags[i] & MRN_BODY_MEMBER)
        return mrn_fail(msg, MRN_ERR_RANGE, "body %d is a sphere of cluster %d: remove that",
                        (int)id, (int)b->parent[i]);
    if (b->flags[i] & MRN_BODY_CLUSTER)
        take_out_members(b, id);
    take_out(b, b->index_of[id]);
    return MRN_OK;
}

int32_t mrn_body_index(const mrn_state *s, mrn_body h)
{
    const mrn_bodies *b = &s->body;
    if (h.id == 0 || h.id > (uint32_t)b->n_ids || b->generation[h.id - 1] != h.generation)
        return -1;
    return b->index_of[h.id - 1];
}

mrn_body mrn_body_handle(const mrn_state *s, int32_t index)
{
    const mrn_bodies *b = &s->body;
    if (index < 0 || index >= b->n)
        return (mrn_body){0};
    int32_t id = b->id[index];
    return (mrn_body){.id = (uint32_t)id + 1, .generation = b->generation[id]};
}

/* ---- change of places ---- */

static mrn_status check_permutation(const mrn_bodies *b, const int32_t *perm, uint8_t *seen,
                                    mrn_message *msg)
{
    memset(seen, 0, (size_t)b->n);
    for (int32_t k = 0; k < b->n; k++) {
        if (perm[k] < 0 || perm[k] >= b->n || seen[perm[k]]++)
            return mrn_fail(msg, MRN_ERR_RANGE, "not a permutation: place %d gets body %d", (int)k,
                            (int)perm[k]);
        if (k < b->n_walls && perm[k] != k)
            return mrn_fail(msg, MRN_ERR_RANGE, "the permutation moves wall %d", (int)k);
    }
    return MRN_OK;
}

static inline void gather_entries(char *to, const char *from, const int32_t *perm, int32_t n,
                                  size_t size)
{
#pragma omp parallel for schedule(static) if (n > MANY)
    for (int32_t k = 0; k < n; k++)
        memcpy(to + (size_t)k * size, from + (size_t)perm[k] * size, size);
}

/* One loop per entry size: a copy of known length is a move or two, of unknown length a call.
   Threads where bodies are many: a device that is asked often gives them back in its own order. */
static void gather(char *to, const char *from, const int32_t *perm, int32_t n, size_t size)
{
    switch (size) {
    case 2:
        gather_entries(to, from, perm, n, 2);
        break;
    case 4:
        gather_entries(to, from, perm, n, 4);
        break;
    case 8:
        gather_entries(to, from, perm, n, 8);
        break;
    case 24:
        gather_entries(to, from, perm, n, 24);
        break;
    default:
        gather_entries(to, from, perm, n, size);
    }
}

/* By threads where bodies are many. */
static void copy_entries(char *to, const char *from, int32_t n, size_t size)
{
    const int32_t parts = n / MANY + 1;
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int32_t k = 0; k < parts; k++) {
        size_t begin = (size_t)n * (size_t)k / (size_t)parts;
        size_t end = (size_t)n * (size_t)(k + 1) / (size_t)parts;
        memcpy(to + begin * size, from + begin * size, (end - begin) * size);
    }
}

static bool is_among(const void *data, const void *const *some)
{
    while (*some != NULL && *some != data)
        some++;
    return *some != NULL;
}

mrn_status mrn_bodies_permute(mrn_state *s, const int32_t *perm, mrn_message *msg)
{
    const void *const none[] = {NULL};
    return mrn_bodies_permute_but(s, perm, none, msg);
}

mrn_status mrn_bodies_permute_but(mrn_state *s, const int32_t *perm, const void *const *left,
                                  mrn_message *msg)
{
    mrn_bodies *b = &s->body;
    size_t widest = 1;
    for (int k = 0; k < mrn_body_field_count(); k++) {
        size_t size = mrn_field_size(mrn_body_field(k));
        widest = size > widest ? size : widest;
    }
    char *scratch;
    if (mrn_array(&scratch, b->n, widest, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    mrn_status st = check_permutation(b, perm, (uint8_t *)scratch, msg);
    for (int k = 0; st == MRN_OK && k < mrn_body_field_count(); k++) {
        const mrn_field *f = mrn_body_field(k);
        char *data = mrn_field_data(b, f);
        if (b->n > 0 && present(b, f) && !is_among(data, left)) {
            gather(scratch, data, perm, b->n, mrn_field_size(f));
            copy_entries(data, scratch, b->n, mrn_field_size(f));
        }
    }
    for (int32_t k = 0; st == MRN_OK && k < b->n; k++)
        b->index_of[b->id[k]] = k;
    b->changes += st == MRN_OK;
    b->revision++;
    mrn_free(scratch);
    return st;
}

/* ---- whole states ---- */

/* Sets all arrays to NULL and leaves the plain numbers: a copy starts so, and a number that the
   struct gets one day is copied without a line here. */
static void forget_bodies(mrn_bodies *b)
{
    for (int k = 0; k < mrn_body_field_count(); k++)
        *slot(b, mrn_body_field(k)) = NULL;
    b->index_of = NULL;
    b->generation = NULL;
}

static void forget_pairs(mrn_pairs *p)
{
    for (int k = 0; k < mrn_pair_field_count(); k++)
        *slot(p, mrn_pair_field(k)) = NULL;
    p->row = p->wall_row = p->back_row = p->back = p->feature = NULL;
    p->ids = NULL;
    p->generation = NULL;
}

static mrn_status copy_bodies(const mrn_bodies *from, mrn_bodies *to, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; st == MRN_OK && k < mrn_body_field_count(); k++) {
        const mrn_field *f = mrn_body_field(k);
        st = mrn_duplicate(slot(to, f), mrn_field_data(from, f), from->n, mrn_field_size(f), msg);
    }
    if (st == MRN_OK)
        st = mrn_duplicate(&to->index_of, from->index_of, from->n_ids, sizeof *from->index_of, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->generation, from->generation, from->n_ids, sizeof *from->generation,
                           msg);
    to->capacity = from->n;
    to->ids_capacity = from->n_ids;
    return st;
}

static mrn_status copy_rows(const mrn_pairs *from, mrn_pairs *to, mrn_message *msg)
{
    int64_t rows = (int64_t)from->rows + 1;
    mrn_status st = mrn_duplicate(&to->row, from->row, rows, sizeof *from->row, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->wall_row, from->wall_row, rows, sizeof *from->wall_row, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->back_row, from->back_row, rows, sizeof *from->back_row, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->ids, from->ids, from->rows, sizeof *from->ids, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->generation, from->generation, from->rows, sizeof *from->generation,
                           msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->back, from->back, from->n_grain, sizeof *from->back, msg);
    return st;
}

static mrn_status copy_pairs(const mrn_pairs *from, mrn_pairs *to, mrn_message *msg)
{
    mrn_status st = copy_rows(from, to, msg);
    for (int k = 0; st == MRN_OK && k < mrn_pair_field_count(); k++) {
        const mrn_field *f = mrn_pair_field(k);
        st = mrn_duplicate(slot(to, f), mrn_field_data(from, f), from->n, mrn_field_size(f), msg);
    }
    int64_t at_walls = from->n - from->n_grain;
    if (st == MRN_OK)
        st = mrn_duplicate(&to->feature, from->feature, at_walls, sizeof *from->feature, msg);
    to->capacity = from->n;
    return st;
}

static mrn_status copy_memory(const mrn_nonsmooth_memory *from, mrn_nonsmooth_memory *to,
                              mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&to->joint, from->joint, from->n_joint, sizeof *from->joint, msg);
    if (st == MRN_OK && from->n_cycle > 0)
        st = mrn_array(&to->cycle, from->n_cycle, sizeof *to->cycle, msg);
    to->n_cycle = st == MRN_OK ? from->n_cycle : 0;
    for (int32_t k = 0; st == MRN_OK && k < from->n_cycle; k++)
        st = mrn_contacts_copy(&from->cycle[k], &to->cycle[k], msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->rest_steps, from->rest_steps, from->n_rest_steps,
                           sizeof *from->rest_steps, msg);
    return st;
}

static mrn_status copy_flights(const mrn_event_memory *from, mrn_event_memory *to, mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&to->flight, from->flight, from->n_flights,
                                  MRN_FLIGHT_WIDTH * sizeof *from->flight, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->way, from->way, from->n_ways, MRN_WAY_WIDTH * sizeof *from->way,
                           msg);
    return st;
}

void mrn_bodies_set_bounds(const mrn_scene *scene, mrn_bodies *b)
{
    for (int32_t i = 0; i < b->n; i++)
        b->bound[i] =
            b->radius[i] * ((b->flags[i] & MRN_BODY_POLYTOPE) && b->part[i] < scene->n_polytopes
                                ? scene->polytope[b->part[i]].bound
                                : 1);
}

mrn_status mrn_state_copy(const mrn_state *from, mrn_state *to, mrn_message *msg)
{
    mrn_state copy = *from;
    forget_bodies(&copy.body);
    forget_pairs(&copy.pair);
    copy.contact = copy.began = (mrn_contacts){0};
    copy.memory.joint = NULL;
    copy.memory.rest_steps = NULL;
    copy.memory.cycle = NULL;
    copy.memory.n_cycle = 0;
    copy.flights.flight = copy.flights.way = NULL;
    mrn_status st = copy_bodies(&from->body, &copy.body, msg);
    if (st == MRN_OK)
        st = copy_pairs(&from->pair, &copy.pair, msg);
    if (st == MRN_OK)
        st = mrn_contacts_copy(&from->contact, &copy.contact, msg);
    if (st == MRN_OK)
        st = mrn_contacts_copy(&from->began, &copy.began, msg);
    if (st == MRN_OK)
        st = copy_memory(&from->memory, &copy.memory, msg);
    if (st == MRN_OK)
        st = copy_flights(&from->flights, &copy.flights, msg);
    if (st != MRN_OK)
        mrn_state_destroy(&copy);
    *to = copy;
    return st;
}

/* x_list says when the neighbour list was built, not where bodies are; a body of its own has
   nothing to say about its cluster, so that a world without clusters hashes as if there were none.
 */
static bool hashed(const mrn_bodies *b, const mrn_field *f, int32_t i)
{
    bool of_cluster =
        f->offset == offsetof(mrn_bodies, parent) || f->offset == offsetof(mrn_bodies, part);
    return f->saved && present(b, f) && f->offset != offsetof(mrn_bodies, x_list) &&
           (!of_cluster || b->parent[i] >= 0);
}

/* Totals: sums over bodies and contacts that the next step or a probe goes on from. */
static uint64_t hash_totals(uint64_t h, const mrn_state *s)
{
    h = mrn_hash(h, s->cell_size, sizeof s->cell_size);
    h = mrn_hash(h, s->cell_tilt, sizeof s->cell_tilt);
    h = mrn_hash(h, s->cell_rate, sizeof s->cell_rate);
    h = mrn_hash(h, s->gravity, sizeof s->gravity);
    h = mrn_hash(h, &s->ledger, sizeof s->ledger);
    h = mrn_hash(h, &s->drive, sizeof s->drive);
    return mrn_hash(h, &s->elastic, sizeof s->elastic);
}

/* What the next event depends on beside bodies; nothing under other methods. */
static uint64_t hash_flights(uint64_t h, const mrn_state *s)
{
    const mrn_event_memory *m = &s->flights;
    if (m->flight == NULL)
        return h;
    h = mrn_hash(h, &s->event, offsetof(mrn_event_report, crossings));
    for (int32_t id = 0; id < s->body.n_ids && id < m->n_flights; id++)
        if (s->body.index_of[id] >= s->body.n_walls)
            h = mrn_hash(h, m->flight + id * MRN_FLIGHT_WIDTH,
                         MRN_FLIGHT_WIDTH * sizeof *m->flight);
    return mrn_hash(h, m->way, (size_t)m->n_ways * MRN_WAY_WIDTH * sizeof *m->way);
}

/* What contacts bore a cycle ago: where the solver of the next step may begin from. */
static uint64_t hash_cycle(uint64_t h, const mrn_state *s)
{
    for (int32_t k = 0; k < s->memory.n_cycle; k++)
        h = mrn_contacts_hash(h, &s->memory.cycle[k]);
    return h;
}

uint64_t mrn_state_hash(const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    uint64_t h = mrn_hash(MRN_HASH_START, &s->time, sizeof s->time);
    h = mrn_hash(h, &s->step, sizeof s->step);
    h = hash_flights(hash_totals(h, s), s);
    for (int32_t id = 0; id < b->n_ids; id++) {
        int32_t i = b->index_of[id];
        for (int k = 0; i >= 0 && k < mrn_body_field_count(); k++) {
            const mrn_field *f = mrn_body_field(k);
            if (hashed(b, f, i))
                h = mrn_hash(h, entry(b, f, i), mrn_field_size(f));
        }
    }
    return hash_cycle(mrn_state_contacts_hash(h, s), s);
}

size_t mrn_state_bytes(const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    const mrn_pairs *p = &s->pair;
    size_t bytes = (size_t)b->ids_capacity * (sizeof *b->index_of + sizeof *b->generation);
    for (int k = 0; k < mrn_body_field_count(); k++)
        bytes += present(b, mrn_body_field(k))
                     ? (size_t)b->capacity * mrn_field_size(mrn_body_field(k))
                     : 0;
    for (int k = 0; k < mrn_pair_field_count(); k++)
        bytes += (size_t)p->capacity * mrn_field_size(mrn_pair_field(k));
    if (p->row != NULL)
        bytes +=
            ((size_t)p->rows + 1) * (sizeof *p->row + sizeof *p->wall_row + sizeof *p->back_row);
    if (p->ids != NULL)
        bytes += (size_t)p->rows * (sizeof *p->ids + sizeof *p->generation);
    const mrn_nonsmooth_memory *m = &s->memory;
    bytes += mrn_contacts_bytes(&s->contact) + mrn_contacts_bytes(&s->began);
    bytes += (size_t)m->n_joint * sizeof *m->joint;
    for (int32_t k = 0; k < m->n_cycle; k++)
        bytes += sizeof *m->cycle + mrn_contacts_bytes(&m->cycle[k]);
    bytes += (size_t)m->n_rest_steps * sizeof *m->rest_steps;
    bytes += (size_t)s->flights.n_flights * MRN_FLIGHT_WIDTH * sizeof *s->flights.flight;
    bytes += (size_t)s->flights.n_ways * MRN_WAY_WIDTH * sizeof *s->flights.way;
    bytes += (size_t)p->n_grain * sizeof *p->back;
    return bytes + (size_t)(p->n - p->n_grain) * sizeof *p->feature;
}
