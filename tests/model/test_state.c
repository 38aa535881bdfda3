/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of bodies: handles stay true through removal, reuse and change of places; copies are
   equal and independent; no lack of memory, wherever it strikes, does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

/* A body that can be distinguished from every other by each of its fields. */
static mrn_body_def body(int k, unsigned flags)
{
    mrn_body_def d = mrn_body_default();
    d.x = mrn_v3(k, k + 0.25, k + 0.5);
    d.v = mrn_v3(-k, 2 * k, 3 * k);
    d.w = mrn_v3(5 * k, 7 * k, 11 * k);
    d.q = mrn_quat_from_rotation(mrn_v3(0.1 * k, 0, 0.2));
    d.radius = 1 + k;
    d.mass = 2 + k;
    d.inertia = 3 + k;
    d.shape = k + 1;
    d.material = k + 2;
    d.group = k + 3;
    d.flags = flags;
    return d;
}

static mrn_status fill(mrn_state *s, int walls, int grains, mrn_body *handle)
{
    for (int k = 0; k < walls + grains; k++) {
        mrn_body_def d = body(k, k < walls ? MRN_BODY_WALL : 0);
        mrn_status st = mrn_body_add(s, &d, handle != NULL ? &handle[k] : NULL, NULL);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

/* Body i of the state is the k-th that `fill` made, in every field. */
static void assert_body(const mrn_state *s, int32_t i, int k)
{
    const mrn_bodies *b = &s->body;
    mrn_body_def d = body(k, 0);
    assert_memory_equal(b->x + 3 * i, &d.x, sizeof d.x);
    assert_memory_equal(b->x_list + 3 * i, &d.x, sizeof d.x);
    assert_memory_equal(b->v + 3 * i, &d.v, sizeof d.v);
    assert_memory_equal(b->w + 3 * i, &d.w, sizeof d.w);
    assert_memory_equal(b->q + 4 * i, &d.q, sizeof d.q);
    assert_true(b->radius[i] == d.radius && b->mass[i] == d.mass && b->inertia[i] == d.inertia);
    assert_int_equal(b->shape[i], d.shape);
    assert_int_equal(b->material[i], d.material);
    assert_int_equal(b->group[i], d.group);
    for (int c = 0; c < 3; c++) {
        assert_true(b->f[3 * i + c] == 0 && b->t[3 * i + c] == 0);
        assert_int_equal(b->image[3 * i + c], 0);
    }
}

/* ids, places and generations agree with each other. */
static void assert_consistent(const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    int living = 0;
    for (int32_t id = 0; id < b->n_ids; id++) {
        living += b->index_of[id] >= 0;
        if (b->index_of[id] >= 0)
            assert_int_equal(b->id[b->index_of[id]], id);
    }
    assert_int_equal(living, b->n);
    for (int32_t i = 0; i < b->n; i++) {
        assert_int_equal(mrn_body_index(s, mrn_body_handle(s, i)), i);
        assert_int_equal(!!(b->flags[i] & MRN_BODY_WALL), i < b->n_walls);
    }
}

static void bodies_are_what_was_asked(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_body h[40];
    assert_int_equal(fill(&s, 3, 37, h), MRN_OK);
    assert_int_equal(s.body.n, 40);
    assert_int_equal(s.body.n_walls, 3);
    for (int k = 0; k < 40; k++) {
        assert_int_equal(mrn_body_index(&s, h[k]), k);
        assert_body(&s, k, k);
    }
    assert_consistent(&s);
    mrn_state_destroy(&s);
    mrn_state_destroy(&s); /* an empty one */
    mrn_state_destroy(NULL);
}

static void bad_bodies_are_refused(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_message msg;
    assert_int_equal(fill(&s, 1, 1, NULL), MRN_OK);
    mrn_body_def late_wall = body(5, MRN_BODY_WALL);
    assert_int_equal(mrn_body_add(&s, &late_wall, NULL, &msg), MRN_ERR_RANGE);
    double bad[] = {-1, NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        mrn_body_def d[7];
        for (int i = 0; i < 7; i++)
            d[i] = body(2, 0);
        d[0].radius = d[1].mass = d[2].inertia = bad[k];
        double not_finite = bad[k] == -1 ? NAN : bad[k];
        d[3].x.y = d[4].v.z = d[5].w.x = d[6].q.y = not_finite;
        for (int i = 0; i < 7; i++)
            assert_int_equal(mrn_body_add(&s, &d[i], NULL, &msg), MRN_ERR_RANGE);
    }
    mrn_body_def d[4] = {body(2, 0), body(2, 0), body(2, 0), body(2, 0)};
    d[0].q = (mrn_quat){0};
    d[1].shape = -1;
    d[2].material = 65536;
    d[3].group = 1000000;
    for (int i = 0; i < 4; i++)
        assert_int_equal(mrn_body_add(&s, &d[i], NULL, NULL), MRN_ERR_RANGE);
    assert_int_equal(s.body.n, 2);
    assert_consistent(&s);
    mrn_state_destroy(&s);
}

/* Close to unit: the bits stay (a resumed run needs them); far from it: made unit. */
static void orientations_become_unit(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_body_def d = body(1, 0);
    d.q = (mrn_quat){2, 0, 0, 0};
    assert_int_equal(mrn_body_add(&s, &d, NULL, NULL), MRN_OK);
    assert_true(s.body.q[0] == 1 && s.body.q[1] == 0);
    d.q = (mrn_quat){1 + 1e-15, 0, 0, 0};
    assert_int_equal(mrn_body_add(&s, &d, NULL, NULL), MRN_OK);
    assert_true(s.body.q[4] == d.q.w);
    mrn_state_destroy(&s);
}

static void stale_handles_are_noticed(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_body h[6], again;
    assert_int_equal(mrn_body_index(&s, (mrn_body){0}), -1);
    assert_int_equal(mrn_body_index(&s, (mrn_body){1, 0}), -1);
    assert_int_equal(fill(&s, 2, 4, h), MRN_OK);
    assert_int_equal(mrn_body_index(&s, (mrn_body){0}), -1);
    assert_int_equal(mrn_body_index(&s, (mrn_body){7, 0}), -1);
    assert_int_equal(mrn_body_handle(&s, -1).id, 0);
    assert_int_equal(mrn_body_handle(&s, 6).id, 0);

    assert_int_equal(mrn_body_remove(&s, h[3], NULL), MRN_OK);
    assert_int_equal(mrn_body_index(&s, h[3]), -1);
    assert_int_equal(mrn_body_remove(&s, h[3], NULL), MRN_ERR_STALE);
    assert_int_equal(mrn_body_remove(&s, (mrn_body){0}, NULL), MRN_ERR_STALE);
    assert_int_equal(mrn_body_index(&s, h[5]), 3); /* the last took its place */
    assert_body(&s, 3, 5);

    mrn_body_def d = body(9, 0);
    assert_int_equal(mrn_body_add(&s, &d, &again, NULL), MRN_OK);
    assert_int_equal(again.id, h[3].id); /* the number is used again, its generation is not */
    assert_int_equal(again.generation, h[3].generation + 1);
    assert_int_equal(mrn_body_index(&s, h[3]), -1);
    assert_body(&s, mrn_body_index(&s, again), 9);
    assert_consistent(&s);
    mrn_state_destroy(&s);
}

static void walls_cannot_be_removed(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_body h[2];
    assert_int_equal(fill(&s, 2, 0, h), MRN_OK);
    assert_int_equal(mrn_body_remove(&s, h[0], NULL), MRN_ERR_RANGE);
    assert_int_equal(s.body.n, 2);
    assert_consistent(&s);
    mrn_state_destroy(&s);
}

/* Coming and going at random against the plain truth in a table. */
static void many_come_and_go(void **unused)
{
    (void)unused;
    enum { MOST = 200 };
    mrn_state s = {0};
    mrn_rng r = mrn_rng_seed(3, 0);
    mrn_body held[MOST], gone[MOST];
    int which[MOST], n = 0, n_gone = 0;
    assert_int_equal(fill(&s, 2, 0, NULL), MRN_OK);
    for (int step = 0; step < 5000; step++) {
        if (n < MOST && (n == 0 || mrn_rng_next(&r) % 2)) {
            mrn_body_def d = body(step, 0);
            assert_int_equal(mrn_body_add(&s, &d, &held[n], NULL), MRN_OK);
            which[n++] = step;
        } else {
            int k = (int)(mrn_rng_next(&r) % (uint64_t)n);
            assert_int_equal(mrn_body_remove(&s, held[k], NULL), MRN_OK);
            gone[n_gone++ % MOST] = held[k];
            held[k] = held[--n];
            which[k] = which[n];
        }
    }
    for (int k = 0; k < n; k++)
        assert_body(&s, mrn_body_index(&s, held[k]), which[k]);
    for (int k = 0; k < MOST && k < n_gone; k++)
        assert_int_equal(mrn_body_index(&s, gone[k]), -1);
    assert_true(s.body.n_ids <= MOST + 2); /* numbers are used again */
    assert_consistent(&s);
    mrn_state_destroy(&s);
}

static void reserve_takes_no_more_than_asked(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    assert_int_equal(mrn_bodies_reserve(&s, 1000, NULL), MRN_OK);
    assert_int_equal(s.body.capacity, 1000);
    size_t bytes = mrn_state_bytes(&s);
    int64_t calls = mrn_alloc_count();
    assert_int_equal(fill(&s, 2, 998, NULL), MRN_OK);
    assert_int_equal(mrn_alloc_count(), calls); /* all the room was there */
    assert_int_equal(mrn_bodies_reserve(&s, 10, NULL), MRN_OK);
    assert_int_equal(mrn_state_bytes(&s), bytes);
    assert_int_equal(mrn_bodies_reserve(&s, -1, NULL), MRN_ERR_RANGE);
    assert_int_equal(mrn_bodies_reserve(&s, (int64_t)1 << 31, NULL), MRN_ERR_RANGE);
    for (int k = 0; k < 1000; k++)
        assert_body(&s, k, k);
    mrn_state_destroy(&s);
}

static void permuting_keeps_ids_and_hash(void **unused)
{
    (void)unused;
    enum { N = 300 };
    mrn_state s = {0};
    mrn_body h[N];
    int32_t perm[N];
    assert_int_equal(fill(&s, 4, N - 4, h), MRN_OK);
    uint64_t hash = mrn_state_hash(&s);
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int32_t k = 0; k < N; k++)
        perm[k] = k;
    for (int32_t k = N - 1; k > 4; k--) { /* a fair shuffle of the grains */
        int32_t j = 4 + (int32_t)(mrn_rng_next(&r) % (uint64_t)(k - 3)), swap = perm[k];
        perm[k] = perm[j];
        perm[j] = swap;
    }
    assert_int_equal(mrn_bodies_permute(&s, perm, NULL), MRN_OK);
    for (int32_t k = 0; k < N; k++) {
        assert_body(&s, k, perm[k]);
        assert_int_equal(mrn_body_index(&s, h[perm[k]]), k);
    }
    assert_consistent(&s);
    assert_true(mrn_state_hash(&s) == hash);
    mrn_state_destroy(&s);
}

/* Bodies that are worth threads; places are to come from elsewhere and stay as they stand. */
static void permuting_many_leaves_what_it_is_told_to(void **unused)
{
    (void)unused;
    enum { N = 30000 };
    mrn_state s = {0};
    int32_t *perm = malloc(N * sizeof *perm);
    assert_non_null(perm);
    assert_int_equal(fill(&s, 2, N - 2, NULL), MRN_OK);
    for (int32_t k = 0; k < N; k++)
        perm[k] = k < 2 ? k : N + 1 - k;
    assert_int_equal(mrn_bodies_permute(&s, perm, NULL), MRN_OK);
    for (int32_t k = 0; k < N; k++)
        assert_body(&s, k, perm[k]);
    const void *const left[] = {s.body.x, s.body.q, NULL};
    assert_int_equal(mrn_bodies_permute_but(&s, perm, left, NULL), MRN_OK);
    for (int32_t k = 0; k < N; k++) { /* turned back, but for these two */
        mrn_body_def was = body(perm[k], 0), now = body(k, 0);
        assert_true(s.body.x[3 * k] == was.x.x && s.body.x[3 * k + 2] == was.x.z);
        assert_true(s.body.q[4 * k] == was.q.w);
        assert_true(s.body.v[3 * k + 1] == now.v.y && s.body.radius[k] == now.radius);
        assert_true(s.body.index_of[s.body.id[k]] == k);
    }
    mrn_state_destroy(&s);
    free(perm);
}

static void what_is_no_permutation_is_refused(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_message msg;
    assert_int_equal(mrn_bodies_permute(&s, NULL, NULL), MRN_OK); /* of nothing */
    assert_int_equal(fill(&s, 2, 3, NULL), MRN_OK);
    uint64_t hash = mrn_state_hash(&s);
    static const int32_t bad[][5] = {
        {0, 1, 2, 3, 3}, {0, 1, 2, 3, 5}, {0, 1, -1, 3, 4}, {1, 0, 2, 3, 4}, {0, 2, 1, 3, 4}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mrn_bodies_permute(&s, bad[i], &msg), MRN_ERR_RANGE);
        assert_true(mrn_state_hash(&s) == hash);
    }
    for (int k = 0; k < 5; k++)
        assert_body(&s, k, k);
    mrn_state_destroy(&s);
}

/* The hash depends on each field of each body, on time and step, and on nothing else. */
static void hash_depends_on_what_it_should(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    s.body.with_derivs = true; /* all fields are there */
    assert_int_equal(fill(&s, 1, 3, NULL), MRN_OK);
    s.body.parent[3] = 1; /* what a sphere belongs to counts */
    uint64_t hash = mrn_state_hash(&s);
    for (int k = 0; k < mrn_body_field_count(); k++) {
        const mrn_field *f = mrn_body_field(k);
        if (strcmp(f->name, "id") == 0)
            continue; /* changed alone it would contradict index_of */
        unsigned char *last = (unsigned char *)mrn_field_data(&s.body, f) + 4 * mrn_field_size(f);
        last[-1] ^= 1;
        bool seen = mrn_state_hash(&s) != hash;
        assert_int_equal(seen, f->saved && strcmp(f->name, "x_list") != 0);
        last[-1] ^= 1;
    }
    s.time = 1e-300;
    assert_true(mrn_state_hash(&s) != hash);
    s.time = 0;
    s.step = 1;
    assert_true(mrn_state_hash(&s) != hash);
    s.step = 0;
    assert_int_equal(mrn_bodies_reserve(&s, 500, NULL), MRN_OK);
    assert_true(mrn_state_hash(&s) == hash);
    mrn_state_destroy(&s);
}

/* ---- copies ---- */

static mrn_status array(void *p, int64_t n, size_t size)
{
    unsigned char *a = mrn_alloc((size_t)n * size);
    *(void **)p = a;
    for (size_t i = 0; a != NULL && i < (size_t)n * size; i++)
        a[i] = (unsigned char)(i * 37 + 11);
    return a != NULL ? MRN_OK : MRN_ERR_MEMORY;
}

enum { GRAIN_PAIRS = 7, WALL_PAIRS = 3, ROOM = 16 };

/* Pairs as detection would leave them: more room than pairs. Content: any bytes. */
static mrn_status fill_pairs(mrn_state *s, int history)
{
    mrn_pairs *p = &s->pair;
    p->n = GRAIN_PAIRS + WALL_PAIRS;
    p->n_grain = GRAIN_PAIRS;
    p->capacity = ROOM;
    p->rows = s->body.n;
    p->skin = 0.125;
    p->builds = 4;
    p->built_at = 28;
    mrn_status st = array(&p->row, p->rows + 1, sizeof *p->row);
    st = st == MRN_OK ? array(&p->wall_row, p->rows + 1, sizeof *p->wall_row) : st;
    st = st == MRN_OK ? array(&p->back_row, p->rows + 1, sizeof *p->back_row) : st;
    st = st == MRN_OK ? array(&p->back, GRAIN_PAIRS, sizeof *p->back) : st;
    for (int k = 0; st == MRN_OK && k < mrn_pair_field_count(); k++) {
        const mrn_field *f = mrn_pair_field(k);
        st = array((char *)p + f->offset, ROOM, mrn_field_size(f));
    }
    st = st == MRN_OK ? array(&p->feature, WALL_PAIRS, sizeof *p->feature) : st;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SLOTS),
                            .tail = MRN_COLUMN(point),
                            .n = p->n,
                            .first = GRAIN_PAIRS,
                            .history_width = history};
    st = st == MRN_OK ? mrn_contacts_make(&s->contact, &def, NULL) : st;
    s->contact.n = st == MRN_OK ? p->n : 0;
    for (int k = 0; st == MRN_OK && k < 3 * WALL_PAIRS; k++)
        s->contact.point[k] = 1.0 / (k + 1);
    for (int k = 0; st == MRN_OK && k < history * (int)p->n; k++)
        s->contact.history[k] = 1.0 / (k + 2);
    return st;
}

static void assert_same_pairs(const mrn_pairs *a, const mrn_pairs *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_grain, b->n_grain);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->builds, b->builds);
    assert_int_equal(a->built_at, b->built_at);
    assert_true(a->skin == b->skin && b->capacity >= b->n);
    size_t rows = ((size_t)a->rows + 1) * sizeof *a->row, n = (size_t)a->n;
    assert_memory_equal(a->row, b->row, rows);
    assert_memory_equal(a->wall_row, b->wall_row, rows);
    assert_memory_equal(a->back_row, b->back_row, rows);
    assert_memory_equal(a->back, b->back, GRAIN_PAIRS * sizeof *a->back);
    for (int k = 0; k < mrn_pair_field_count(); k++) {
        const mrn_field *f = mrn_pair_field(k);
        assert_memory_equal(mrn_field_data(a, f), mrn_field_data(b, f), n * mrn_field_size(f));
    }
    assert_memory_equal(a->feature, b->feature, WALL_PAIRS * sizeof *a->feature);
}

static void assert_same_slots(const mrn_contacts *a, const mrn_contacts *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->first, b->first);
    assert_memory_equal(a->history, b->history, (size_t)(a->n * a->history_width) * sizeof(double));
    assert_memory_equal(a->point, b->point, 3 * WALL_PAIRS * sizeof(double));
}

static void a_copy_is_equal_and_independent(void **unused)
{
    (void)unused;
    mrn_scene scene = {.history = 5};
    mrn_state s = {.time = 1.5, .step = 30, .h = 0.05, .stage = 2, .elastic = 7, .contacts = 9};
    s.ledger.wall_work = 3;
    s.cell_size[1] = 4;
    mrn_body h[20];
    assert_int_equal(fill(&s, 2, 18, h), MRN_OK);
    assert_int_equal(mrn_body_remove(&s, h[6], NULL), MRN_OK);
    assert_int_equal(fill_pairs(&s, scene.history), MRN_OK);
    mrn_state copy = {0};
    assert_int_equal(mrn_state_copy(&s, &copy, NULL), MRN_OK);

    assert_true(mrn_state_hash(&copy) == mrn_state_hash(&s));
    assert_same_pairs(&s.pair, &copy.pair);
    assert_same_slots(&s.contact, &copy.contact);
    assert_true(copy.h == s.h && copy.stage == 2 && copy.elastic == 7 && copy.contacts == 9);
    assert_true(copy.ledger.wall_work == 3 && copy.cell_size[1] == 4);
    assert_consistent(&copy);

    /* both go on alike: the same body gets the same handle, and neither disturbs the other */
    uint64_t hash = mrn_state_hash(&s);
    mrn_body_def d = body(33, 0);
    mrn_body in_copy, in_s;
    assert_int_equal(mrn_body_add(&copy, &d, &in_copy, NULL), MRN_OK);
    copy.body.x[0] = 99;
    assert_true(mrn_state_hash(&s) == hash);
    assert_int_equal(mrn_body_index(&copy, h[6]), -1);
    assert_int_equal(mrn_body_add(&s, &d, &in_s, NULL), MRN_OK);
    assert_memory_equal(&in_s, &in_copy, sizeof in_s);
    mrn_state_destroy(&s);
    assert_body(&copy, mrn_body_index(&copy, in_copy), 33);
    mrn_state_destroy(&copy);
}

static void an_empty_state_can_be_copied(void **unused)
{
    (void)unused;
    mrn_state s = {0}, copy = {0};
    assert_int_equal(mrn_state_copy(&s, &copy, NULL), MRN_OK);
    assert_int_equal(copy.body.n, 0);
    assert_true(mrn_state_hash(&copy) == mrn_state_hash(&s));
    mrn_state_destroy(&copy);
}

/* What the state says it holds is what the allocator counts. */
static void bytes_are_those_of_the_allocator(void **unused)
{
    (void)unused;
    mrn_scene scene = {.history = 5};
    size_t before = mrn_bytes_in_use();
    mrn_state s = {0}, copy = {0};
    assert_int_equal(mrn_state_bytes(&s), 0);
    assert_int_equal(fill(&s, 2, 50, NULL), MRN_OK);
    assert_int_equal(mrn_state_bytes(&s), mrn_bytes_in_use() - before);
    assert_int_equal(fill_pairs(&s, scene.history), MRN_OK);
    assert_int_equal(mrn_state_bytes(&s), mrn_bytes_in_use() - before);
    size_t both = mrn_bytes_in_use();
    assert_int_equal(mrn_state_copy(&s, &copy, NULL), MRN_OK);
    assert_int_equal(mrn_state_bytes(&copy), mrn_bytes_in_use() - both);
    mrn_state_destroy(&s);
    mrn_state_destroy(&copy);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* ---- lack of memory ---- */

/* A small life of a state: every function that takes memory. */
static mrn_status live(mrn_state *s, mrn_state *copy)
{
    mrn_scene scene = {.history = 5};
    int32_t perm[40];
    for (int32_t k = 0; k < 40; k++)
        perm[k] = k < 2 ? k : 41 - k;
    mrn_status st = mrn_bodies_reserve(s, 10, NULL);
    st = st == MRN_OK ? fill(s, 2, 38, NULL) : st;
    st = st == MRN_OK ? mrn_bodies_permute(s, perm, NULL) : st;
    st = st == MRN_OK ? fill_pairs(s, scene.history) : st;
    return st == MRN_OK ? mrn_state_copy(s, copy, NULL) : st;
}

static void the_kth_allocation_fails_for_every_k(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    int64_t k;
    for (k = 1; st != MRN_OK; k++) {
        mrn_state s = {0}, copy = {0};
        mrn_alloc_fail_at(k);
        st = live(&s, &copy);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        assert_consistent(&s);
        for (int32_t i = 0; i < s.body.n; i++)
            assert_body(&s, i, s.body.id[i]);
        if (st != MRN_OK)
            assert_null(copy.body.x);
        mrn_state_destroy(&s);
        mrn_state_destroy(&copy);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    /* each field: room for 10 reserved, grown to 16, 24, 36, 54, copied */
    assert_true(k > 6 * (mrn_body_field_count() - 1)); /* but for that of one integrator */
}

/* After a failed addition the state goes on as if nothing had been asked. */
static void a_failed_addition_can_be_repeated(void **unused)
{
    (void)unused;
    for (int64_t k = 1; k <= mrn_body_field_count() + 2; k++) {
        mrn_state s = {0};
        mrn_message msg;
        s.body.with_derivs = true;                       /* all fields are there */
        assert_int_equal(fill(&s, 1, 15, NULL), MRN_OK); /* full: the next one needs room */
        uint64_t hash = mrn_state_hash(&s);
        mrn_body_def d = body(16, 0);
        mrn_alloc_fail_at(k);
        assert_int_equal(mrn_body_add(&s, &d, NULL, &msg), MRN_ERR_MEMORY);
        assert_int_equal(msg.status, MRN_ERR_MEMORY);
        assert_int_equal(s.body.n, 16);
        assert_true(mrn_state_hash(&s) == hash);
        assert_int_equal(mrn_body_add(&s, &d, NULL, &msg), MRN_OK);
        for (int i = 0; i < 17; i++)
            assert_body(&s, i, i);
        assert_consistent(&s);
        mrn_state_destroy(&s);
    }
}

static void contacts_can_be_destroyed_at_any_time(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_contacts c = {0};
    mrn_contacts_destroy(&c);
    mrn_contacts_destroy(NULL);
    assert_int_equal(array(&c.c, 3, sizeof *c.c), MRN_OK);
    assert_int_equal(array(&c.normal, 9, sizeof *c.normal), MRN_OK);
    assert_int_equal(array(&c.branch, 9, sizeof *c.branch), MRN_OK);
    mrn_contacts_destroy(&c);
    assert_null(c.c);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* A cluster takes its spheres along when it goes, and only they know it. */
static void clusters_go_with_their_spheres(void **unused)
{
    (void)unused;
    mrn_state s = {0};
    mrn_body cluster[2], member[6], other;
    for (int c = 0; c < 2; c++) {
        mrn_body_def d = body(c, MRN_BODY_CLUSTER);
        assert_int_equal(mrn_body_add(&s, &d, &cluster[c], NULL), MRN_OK);
    }
    for (int k = 0; k < 6; k++) {
        mrn_body_def d = body(10 + k, MRN_BODY_MEMBER);
        d.parent = (int32_t)cluster[k % 2].id - 1;
        d.part = k / 2;
        assert_int_equal(mrn_body_add(&s, &d, &member[k], NULL), MRN_OK);
    }
    mrn_body_def d = body(20, 0);
    assert_int_equal(mrn_body_add(&s, &d, &other, NULL), MRN_OK);
    assert_int_equal(s.body.parent[mrn_body_index(&s, other)], -1);
    assert_int_equal(mrn_body_remove(&s, member[0], NULL), MRN_ERR_RANGE);
    uint64_t before = mrn_state_hash(&s);
    s.body.part[mrn_body_index(&s, member[0])] = 7;
    assert_true(mrn_state_hash(&s) != before);
    assert_int_equal(mrn_body_remove(&s, cluster[0], NULL), MRN_OK);
    assert_int_equal(s.body.n, 5);
    assert_consistent(&s);
    for (int k = 0; k < 6; k++)
        assert_true((mrn_body_index(&s, member[k]) >= 0) == (k % 2 == 1));
    assert_true(mrn_body_index(&s, cluster[1]) >= 0 && mrn_body_index(&s, other) >= 0);
    int32_t at = mrn_body_index(&s, member[3]);
    assert_true(s.body.parent[at] == (int32_t)cluster[1].id - 1 && s.body.part[at] == 1);
    d.part = 70000;
    assert_int_equal(mrn_body_add(&s, &d, NULL, NULL), MRN_ERR_RANGE);
    mrn_state_destroy(&s);
}

/* Fields that only some integrators need: not there until asked for, then like all others. */
static void derivatives_come_when_asked_for(void **unused)
{
    (void)unused;
    mrn_state s = {0}, copy = {0};
    mrn_body handle[6];
    assert_int_equal(fill(&s, 1, 5, handle), MRN_OK);
    assert_null(s.body.derivs);
    uint64_t plain = mrn_state_hash(&s);
    size_t bytes = mrn_state_bytes(&s);
    mrn_alloc_fail_at(1);
    assert_int_equal(mrn_bodies_want_derivs(&s, NULL), MRN_ERR_MEMORY);
    mrn_alloc_fail_at(0);
    assert_true(mrn_state_hash(&s) == plain && !s.body.with_derivs);
    assert_int_equal(mrn_bodies_want_derivs(&s, NULL), MRN_OK);
    assert_true(mrn_state_bytes(&s) > bytes);
    for (int k = 0; k < 12 * 6; k++) {
        assert_true(s.body.derivs[k] == 0);
        s.body.derivs[k] = k;
    }
    assert_int_equal(mrn_bodies_want_derivs(&s, NULL), MRN_OK); /* again: nothing */
    assert_true(s.body.derivs[71] == 71);
    uint64_t full = mrn_state_hash(&s);
    assert_true(full != plain);
    assert_int_equal(mrn_state_copy(&s, &copy, NULL), MRN_OK);
    assert_true(mrn_state_hash(&copy) == full);
    assert_int_equal(mrn_bodies_permute(&copy, (int32_t[]){0, 5, 4, 3, 2, 1}, NULL), MRN_OK);
    assert_true(copy.body.derivs[12] == 60 && mrn_state_hash(&copy) == full);
    assert_int_equal(mrn_body_remove(&copy, handle[5], NULL), MRN_OK); /* the first grain now */
    assert_true(copy.body.derivs[12] == 12);                           /* the last grain came */
    mrn_body_def d = body(30, 0);
    for (int k = 0; k < 40; k++)
        assert_int_equal(mrn_body_add(&copy, &d, NULL, NULL), MRN_OK);
    assert_true(copy.body.derivs[12 * 44] == 0);
    assert_int_equal(mrn_state_bytes(&copy) > 0, 1);
    mrn_state_destroy(&copy);
    mrn_state_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_what_was_asked),
        cmocka_unit_test(bad_bodies_are_refused),
        cmocka_unit_test(orientations_become_unit),
        cmocka_unit_test(stale_handles_are_noticed),
        cmocka_unit_test(walls_cannot_be_removed),
        cmocka_unit_test(many_come_and_go),
        cmocka_unit_test(reserve_takes_no_more_than_asked),
        cmocka_unit_test(permuting_keeps_ids_and_hash),
        cmocka_unit_test(permuting_many_leaves_what_it_is_told_to),
        cmocka_unit_test(what_is_no_permutation_is_refused),
        cmocka_unit_test(hash_depends_on_what_it_should),
        cmocka_unit_test(a_copy_is_equal_and_independent),
        cmocka_unit_test(an_empty_state_can_be_copied),
        cmocka_unit_test(bytes_are_those_of_the_allocator),
        cmocka_unit_test(the_kth_allocation_fails_for_every_k),
        cmocka_unit_test(a_failed_addition_can_be_repeated),
        cmocka_unit_test(contacts_can_be_destroyed_at_any_time),
        cmocka_unit_test(clusters_go_with_their_spheres),
        cmocka_unit_test(derivatives_come_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
