/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlaps taken out by displacements: smallest ones, bounded ones, and what they cost. */
#include "nonsmooth/nonsmooth.h"
#include "world.h"

enum { MOST = 64 };

/* Disks in the plane, and contacts between them or with the line y = 0. */
typedef struct heap {
    int n;
    double x[MOST], y[MOST], r[MOST], minv[MOST * 9], reach[MOST], d[MOST * 3];
    mrn_project_contact contact[MOST * MOST];
    double scratch[3 * MOST * MOST];
    mrn_project_task task;
    mrn_project_result result;
} heap;

static void heap_begin(heap *h, double slop, double most)
{
    memset(h, 0, sizeof *h);
    h->task = (mrn_project_task){.dofs = 3,
                                 .contact = h->contact,
                                 .minv = h->minv,
                                 .reach = h->reach,
                                 .slop = slop,
                                 .most = most,
                                 .tolerance = 1e-9,
                                 .max_sweeps = 100000};
}

static void heap_disk(heap *h, double x, double y, double r, double mass)
{
    int i = h->n++;
    h->x[i] = x, h->y[i] = y, h->r[i] = h->reach[i] = r;
    h->minv[9 * i] = h->minv[9 * i + 4] = 1 / mass;
    h->minv[9 * i + 8] = 2 / (mass * r * r);
    h->task.n_bodies = h->n;
}

/* A contact of disk i with something it leaves along n; a: disk or -1. */
static void heap_contact(heap *h, int i, int a, double nx, double ny, double gap)
{
    mrn_project_contact *c = &h->contact[h->task.n++];
    *c = (mrn_project_contact){.body = {i, a}, .gap = gap};
    c->h[0][0] = nx, c->h[0][1] = ny; /* arms are along n: no turn */
    c->h[1][0] = -nx, c->h[1][1] = -ny;
}

/* All contacts nearer than `alert`. */
static void heap_find(heap *h, double alert, bool floor)
{
    h->task.n = 0;
    for (int i = 0; i < h->n; i++) {
        if (floor && h->y[i] - h->r[i] < alert)
            heap_contact(h, i, -1, 0, 1, h->y[i] - h->r[i]);
        for (int j = i + 1; j < h->n; j++) {
            double dx = h->x[i] - h->x[j], dy = h->y[i] - h->y[j], l = hypot(dx, dy);
            if (l - h->r[i] - h->r[j] < alert)
                heap_contact(h, i, j, dx / l, dy / l, l - h->r[i] - h->r[j]);
        }
    }
}

static void heap_project(heap *h)
{
    h->result = mrn_project(&h->task, h->scratch, h->d);
}

static void heap_move(heap *h)
{
    for (int i = 0; i < h->n; i++)
        h->x[i] += h->d[3 * i], h->y[i] += h->d[3 * i + 1];
}

static double rise_of(const heap *h, int64_t k)
{
    const mrn_project_contact *c = &h->contact[k];
    double sum = 0;
    for (int e = 0; e < 2; e++)
        for (int m = 0; c->body[e] >= 0 && m < 3; m++)
            sum += c->h[e][m] * h->d[3 * c->body[e] + m];
    return sum;
}

/* Two disks share what is to be moved as their inverse masses tell. */
static void test_pair(void **state)
{
    (void)state;
    heap h;
    heap_begin(&h, 0.001, 1);
    heap_disk(&h, 0, 0, 1, 1);
    heap_disk(&h, 1.9, 0, 1, 3);
    heap_find(&h, 0.1, false);
    heap_project(&h);
    double way = (0.1 - 0.001) / 3;
    assert_true(h.result.moved && h.result.factor == 1);
    assert_close(h.d[0], -0.75 * way, 1e-12);
    assert_close(h.d[3], 0.25 * way, 1e-12);
    assert_close(h.d[1] * h.d[2] * h.d[4] * h.d[5], 0, 0);
    assert_close(h.result.overlap, 0.1 - way, 1e-12);
    /* at most `most` in one call, both ways together */
    h.task.most = 0.01;
    heap_project(&h);
    assert_close(h.d[3] - h.d[0], 0.01, 1e-12);
    h.task.most = 1;
    /* within the slop nothing moves */
    h.x[1] = 1.9995;
    heap_find(&h, 0.1, false);
    heap_project(&h);
    assert_false(h.result.moved);
    assert_int_equal(h.result.sweeps, 0);
    for (int k = 0; k < 6; k++)
        assert_true(h.d[k] == 0);
}

/* Optimal: targets met, multipliers not negative, and only where the target is met exactly (the
   conditions of Kuhn and Tucker; the problem is convex). To the tolerance, 1e-9. */
static void check_optimal(const heap *h)
{
    double sum[3 * MOST] = {0};
    assert_true(h->result.factor == 1);
    for (int64_t k = 0; k < h->task.n; k++) {
        const mrn_project_contact *c = &h->contact[k];
        double lack = -h->task.slop - c->gap, wanted = lack > 0 ? lack / 3 : lack;
        double l = h->scratch[k], over = rise_of(h, k) - wanted;
        assert_true(over > -1e-7 && l >= 0);
        assert_true(l == 0 || fabs(over) < 1e-7);
        for (int e = 0; e < 2; e++)
            for (int m = 0; c->body[e] >= 0 && m < 3; m++)
                sum[3 * c->body[e] + m] += h->minv[9 * c->body[e] + 4 * m] * c->h[e][m] * l;
    }
    for (int k = 0; k < 3 * h->n; k++)
        assert_close(h->d[k], sum[k], 1e-9);
}

/* Heaps of disks thrown together: some overlap, others are near and must not be driven into. */
static void test_optimal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        mrn_rng rng = mrn_rng_seed(seed, 4);
        heap h;
        heap_begin(&h, 0.002, 10);
        for (int i = 0; i < 24; i++) {
            double x = 1.97 * (i % 6), y = 1 + 1.97 * (i / 6), m = 1 + mrn_rng_uniform(&rng);
            double dx = 0.05 * mrn_rng_normal(&rng), dy = 0.05 * mrn_rng_normal(&rng);
            heap_disk(&h, x + dx, y + dy, 1, m);
        }
        heap_find(&h, 0.3, true);
        heap_project(&h);
        assert_true(h.result.moved);
        check_optimal(&h);
    }
}

/* Disks dropped on one spot: in every step no point goes farther than `most`, the deepest overlap
   falls, and after some steps all is within the slop. The limit is for N disks on an area of one:
   they have to spread over about 2 sqrt(N) radii, and go 0.02 a step. */
static void test_deep(void **state)
{
    (void)state;
    heap h;
    mrn_rng rng = mrn_rng_seed(9, 5);
    heap_begin(&h, 0.002, 0.02);
    h.task.max_sweeps = MRN_PROJECT_SWEEPS, h.task.tolerance = 2e-4;
    for (int i = 0; i < 40; i++) {
        double x = 0.3 * mrn_rng_normal(&rng), y = 1.5 + 0.2 * mrn_rng_uniform(&rng);
        heap_disk(&h, x, y, 1, 1);
    }
    int steps = 0;
    double overlap = INFINITY;
    for (; steps < 3000 && overlap > 0.0021; steps++) {
        heap_find(&h, 0.05, true);
        heap_project(&h);
        for (int i = 0; i < h.n; i++)
            assert_true(hypot(h.d[3 * i], h.d[3 * i + 1]) <= 0.02 * (1 + 1e-12));
        heap_move(&h);
        overlap = 0;
        for (int64_t k = 0; k < h.task.n; k++)
            overlap = fmax(overlap, -h.contact[k].gap);
    }
    assert_in_range(steps, 10, 2500);
    /* and they have not flown apart: 40 disks of radius 1 side by side are 80 wide */
    for (int i = 0; i < h.n; i++)
        assert_true(fabs(h.x[i]) < 40 && h.y[i] < 40);
}

/* Pressed between two walls that are too near to each other: no displacement helps, none is made
   but to the middle, and it is reported. */
static void test_wedged(void **state)
{
    (void)state;
    heap h;
    heap_begin(&h, 0.001, 0.1);
    h.task.max_sweeps = MRN_PROJECT_SWEEPS;
    heap_disk(&h, 0, 0, 1, 1);
    heap_contact(&h, 0, -1, 0, 1, -0.3);
    heap_contact(&h, 0, -1, 0, -1, -0.2);
    heap_project(&h);
    assert_int_equal(h.result.sweeps, MRN_PROJECT_SWEEPS);
    assert_true(fabs(h.d[1]) <= 0.1);
    assert_true(h.result.missed > 0.05 && h.result.overlap > 0.2);
    /* nothing that can move */
    heap_begin(&h, 0.001, 0.1);
    heap_contact(&h, -1, -1, 0, 1, -0.3);
    heap_project(&h);
    assert_false(h.result.moved);
    h.task.n = 0;
    heap_project(&h);
    assert_false(h.result.moved);
}

/* A point beside the centre: the body turns, and the turn counts for the way of its rim. */
static void test_turn(void **state)
{
    (void)state;
    heap h;
    heap_begin(&h, 0, 0.01);
    heap_disk(&h, 0, 0, 1, 1);
    heap_contact(&h, 0, -1, 0, 1, -0.03);
    h.contact[0].h[0][2] = 1; /* arm (1, 0) x (0, 1) */
    heap_project(&h);
    /* W = 1 + 2: of the way 0.01 a third is made by the centre, two thirds by the turn; together
       they are the limit */
    assert_close(h.d[1], 0.01 / 3, 1e-12);
    assert_close(h.d[2], 0.02 / 3, 1e-12);
    h.contact[0].gap = -3; /* target cut to 0.01 as well */
    heap_project(&h);
    assert_close(h.d[2], 0.02 / 3, 1e-12);
}

/* ---- the stage of the engine ---- */

/* One ball 0.01 deep in a floor and one 0.02 above, in 3D; g downwards. */
typedef struct floor_world {
    mrn_nonsmooth e;
    mrn_scene scene;
    mrn_state state;
    mrn_interaction law;
    int32_t column[3];
    double end[18], minv[72];
    mrn_message msg;
} floor_world;

static void floor_begin(floor_world *f)
{
    memset(f, 0, sizeof *f);
    f->scene = mrn_scene_default();
    f->scene.interaction = &f->law;
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&f->state, &d, NULL, &f->msg), &f->msg);
    for (int k = 0; k < 2; k++) {
        d = mrn_body_default();
        d.x = mrn_v3(0, 0, k == 0 ? 0.99 : 3.01), d.radius = 1, d.mass = 2, d.inertia = 0.8;
        ok(mrn_body_add(&f->state, &d, NULL, &f->msg), &f->msg);
        for (int m = 0; m < 6; m++)
            f->minv[36 * k + 7 * m] = m < 3 ? 1 / 2.0 : 1 / 0.8;
    }
    f->state.gravity[2] = -10;
    f->column[0] = -1, f->column[1] = 0, f->column[2] = 1;
    f->e = (mrn_nonsmooth){.scene = &f->scene,
                           .state = &f->state,
                           .dofs = 6,
                           .alert = 0.05,
                           .slop = 0.001,
                           .body = {.column = f->column, .end = f->end},
                           .problem = {.minv = f->minv, .Ht = {.cols = 2}}};
    mrn_contacts *t = &f->e.found;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_POINTS), .n = 2};
    ok(mrn_contacts_make(t, &def, &f->msg), &f->msg);
    t->n = 2;
    for (int k = 0; k < 2; k++) {
        t->body_c[k] = 1, t->body_a[k] = k == 0 ? 0 : 2;
        mrn_store3(t->arm_c + 3 * k, mrn_v3(0, 0, k == 0 ? -1 : 1));
        mrn_store3(t->arm_a + 3 * k, mrn_v3(0, 0, k == 0 ? 0 : -1));
        mrn_store3(t->normal + 3 * k, mrn_v3(0, 0, k == 0 ? 1 : -1));
        t->gap[k] = k == 0 ? -0.01 : 0.02;
        t->r_eff[k] = k == 0 ? 1 : 0.5;
    }
}

static void floor_end(floor_world *f)
{
    mrn_workspace_release(&f->e.work);
    mrn_contacts_destroy(&f->e.found);
    mrn_state_destroy(&f->state);
}

static mrn_status floor_project(floor_world *f)
{
    mrn_status st = mrn_ns_project_room(&f->e, &f->msg);
    if (st == MRN_OK)
        mrn_ns_project(&f->e, 1e-3);
    return st;
}

/* The lower ball is lifted by a third of what is beyond the slop; its work is booked, velocities
   are left alone. */
static void test_stage(void **state)
{
    (void)state;
    floor_world f;
    floor_begin(&f);
    ok(floor_project(&f), &f.msg);
    double lift = 0.009 / 3;
    assert_close(f.state.body.x[5], 0.99 + lift, 1e-12);
    assert_close(f.state.body.x[8], 3.01, 0);
    assert_close(f.state.nonsmooth.projected, 2 * 10 * lift, 1e-12);
    assert_close(f.state.ledger.lost_scheme, -2 * 10 * lift, 1e-12);
    assert_true(f.state.body.v[5] == 0);
    floor_end(&f);
}

/* A contact that leaves fast enough by itself is left alone; so is one that is about to close at
   speed, one that gives by its law, and one between bodies that do not act on each other or are
   joined. */
static void test_left_alone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        floor_world f;
        floor_begin(&f);
        if (kind == 0)
            f.end[6 + 2] = 9.5;
        if (kind == 1)
            f.e.found.gap[0] = 0.001, f.end[6 + 2] = -100;
        if (kind == 2)
            f.law.rigid.compliance = 1e-6;
        if (kind == 3)
            f.e.found.interaction[0] = -1;
        int32_t tie[2] = {0, 1};
        if (kind == 4)
            f.e.n_ties = 1, f.e.tie = tie;
        ok(floor_project(&f), &f.msg);
        assert_close(f.state.body.x[5], 0.99, 0);
        assert_true(f.state.nonsmooth.projected == 0);
        floor_end(&f);
    }
}

/* A ball that will be in contact at the next step, at a speed to rebound from, is not stopped by
   the displacement of another. */
static void test_comer(void **state)
{
    (void)state;
    floor_world f;
    floor_begin(&f);
    f.end[12 + 2] = -100;
    ok(floor_project(&f), &f.msg);
    assert_close(f.state.body.x[5], 0.99 + 0.009 / 3, 1e-12);
    assert_close(f.state.body.x[8], 3.01, 0);
    floor_end(&f);
}

static void test_memory(void **state)
{
    (void)state;
    bool done = false;
    size_t before = mrn_bytes_in_use();
    for (int k = 1; !done; k++) {
        floor_world f;
        floor_begin(&f);
        mrn_alloc_fail_at(k);
        mrn_status st = floor_project(&f);
        mrn_alloc_fail_at(0);
        done = st == MRN_OK;
        assert_true(done || (st == MRN_ERR_MEMORY && k < 10));
        assert_true(done || f.state.body.x[5] == 0.99);
        floor_end(&f);
    }
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),       cmocka_unit_test(test_optimal),
        cmocka_unit_test(test_deep),       cmocka_unit_test(test_wedged),
        cmocka_unit_test(test_turn),       cmocka_unit_test(test_stage),
        cmocka_unit_test(test_left_alone), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_comer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
