/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Islands at rest: who falls asleep when, and what wakes whom. */
#include "nonsmooth/nonsmooth.h"
#include "world.h"

enum { FLOOR, SIDE, LOW, HIGH, ALONE, FLIER, BODIES };

/* Disks: LOW on the floor with HIGH on it, ALONE on the floor beside the wall SIDE, FLIER above
   HIGH. Contacts as the engine finds them, impulses as it would. */
typedef struct fixture {
    mrn_nonsmooth e;
    mrn_scene scene;
    mrn_state state;
    mrn_wall wall[2];
    mrn_group group[1];
    mrn_body body[BODIES];
    mrn_row row[8];
    double r[16];
    int32_t column[BODIES];
    mrn_message msg;
} fixture;

enum { LOW_FLOOR, HIGH_LOW, ALONE_FLOOR, ALONE_SIDE, FLIER_HIGH, TOUCHES };

static const double speed = 1e-4, h = 1e-3; /* asleep below |g| h / 10 = 1e-3 */

static void put(fixture *y, int k, int c, int a, mrn_vec3 n, double gap)
{
    mrn_contacts *t = &y->e.found;
    t->id_c[k] = t->c[k] = t->body_c[k] = c;
    t->id_a[k] = t->a[k] = t->body_a[k] = a;
    t->feature[k] = 7 + k;
    t->gap[k] = gap, t->r_eff[k] = 1;
    mrn_store3(t->arm_c + 3 * k, mrn_scale(-1, n));
    mrn_store3(t->arm_a + 3 * k, n);
    mrn_store3(t->normal + 3 * k, n);
    mrn_store3(t->tangent + 3 * k, mrn_contact_tangent(2, n));
    mrn_store3(t->point + 3 * k, mrn_v3(1, 0, 0));
}

/* Rows are the contacts that do not stand between bodies that cannot move. */
static void find_rows(fixture *y)
{
    mrn_nonsmooth *e = &y->e;
    e->n_contacts = 0;
    for (int32_t i = 0; i < y->state.body.n; i++)
        y->column[i] = i >= 2 && !(y->state.body.flags[i] & MRN_BODY_ASLEEP) ? i : -1;
    for (int64_t k = 0; k < e->found.n; k++)
        if (y->column[e->found.body_c[k]] >= 0 || y->column[e->found.body_a[k]] >= 0) {
            int64_t at = e->n_contacts++;
            y->row[at].contact = k;
            y->r[2 * at] = k == FLIER_HIGH || k == ALONE_SIDE ? 0 : 0.01;
        }
    e->n_rows = e->n_contacts;
}

static void fixture_begin(fixture *y)
{
    memset(y, 0, sizeof *y);
    y->scene = mrn_scene_default();
    y->scene.dimension = 2;
    y->scene.nonsmooth.sleep = true;
    y->scene.n_walls = 2, y->scene.wall = y->wall;
    y->scene.n_groups = 1, y->scene.group = y->group;
    const mrn_vec3 x[BODIES] = {
        [LOW] = {0, 1, 0}, [HIGH] = {0, 3, 0}, [ALONE] = {9, 1, 0}, [FLIER] = {0, 5.05, 0}};
    for (int i = 0; i < BODIES; i++) {
        mrn_body_def d = mrn_body_default();
        d.x = x[i], d.radius = 1, d.mass = 2, d.inertia = 1;
        d.flags = i < LOW ? MRN_BODY_WALL : 0;
        ok(mrn_body_add(&y->state, &d, &y->body[i], &y->msg), &y->msg);
        if (i >= LOW)
            y->state.body.v[3 * i] = 0.5 * speed;
    }
    y->state.gravity[1] = -10;
    y->state.body.v[3 * FLIER + 1] = 1;
    y->e = (mrn_nonsmooth){.scene = &y->scene,
                           .state = &y->state,
                           .dofs = 3,
                           .width = 2,
                           .row = y->row,
                           .r = y->r,
                           .body = {.column = y->column}};
    mrn_contacts_def def = {
        .columns = mrn_contacts_columns(MRN_CONTACTS_POINTS), .n = 8, .impulse_width = 2};
    ok(mrn_contacts_make(&y->e.found, &def, &y->msg), &y->msg);
    y->e.found.n = TOUCHES;
    put(y, LOW_FLOOR, LOW, FLOOR, mrn_v3(0, 1, 0), 0);
    put(y, HIGH_LOW, HIGH, LOW, mrn_v3(0, 1, 0), 0);
    put(y, ALONE_FLOOR, ALONE, FLOOR, mrn_v3(0, 1, 0), 0);
    put(y, ALONE_SIDE, ALONE, SIDE, mrn_v3(-1, 0, 0), 0.01);
    put(y, FLIER_HIGH, FLIER, HIGH, mrn_v3(0, 1, 0), 0.05);
    y->state.stage_step = -1;
    find_rows(y);
}

static void fixture_end(fixture *y)
{
    mrn_sleeper_release(&y->e.sleeper);
    mrn_contacts_destroy(&y->e.found);
    mrn_free(y->e.kept);
    mrn_state_destroy(&y->state);
}

static bool asleep(const fixture *y, int who)
{
    return y->state.body.flags[mrn_body_index(&y->state, y->body[who])] & MRN_BODY_ASLEEP;
}

static void wake(fixture *y)
{
    ok(mrn_ns_wake(&y->e, h, &y->msg), &y->msg);
    find_rows(y);
}

static void steps(fixture *y, int n)
{
    for (int k = 0; k < n; k++) {
        wake(y);
        ok(mrn_ns_fall_asleep(&y->e, h, &y->msg), &y->msg);
        y->state.step++;
    }
}

static void expect(const fixture *y, bool low, bool high, bool alone)
{
    assert_int_equal(asleep(y, LOW), low);
    assert_int_equal(asleep(y, HIGH), high);
    assert_int_equal(asleep(y, ALONE), alone);
    assert_false(asleep(y, FLIER));
    assert_true(y->state.nonsmooth.asleep == low + high + alone);
}

/* Asleep after 60 rest_steps steps, not 59; what they still moved with is booked, velocities are 0.
 */
static void test_fall_asleep(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    steps(&y, 59);
    expect(&y, false, false, false);
    steps(&y, 1);
    expect(&y, true, true, true);
    for (int i = LOW; i <= ALONE; i++)
        assert_true(y.state.body.v[3 * i] == 0);
    assert_close(y.state.ledger.lost_scheme, 3 * 0.5 * 2 * 0.25 * speed * speed, 1e-20);
    steps(&y, 200);
    expect(&y, true, true, true);
    fixture_end(&y);
}

/* One that sinks as it falls asleep does not go the rest of its way: the part theta of a step,
   whose work of gravity it keeps. */
static void test_unmade_fall(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    y.scene.nonsmooth.theta = 0.8;
    y.state.body.v[3 * ALONE + 1] = -0.3 * speed;
    steps(&y, 60);
    expect(&y, true, true, true);
    double kinetic = 3 * 0.5 * 2 * 0.25 * speed * speed + 0.5 * 2 * 0.09 * speed * speed;
    double fall = 0.8 * h * 0.3 * speed;
    assert_close(y.state.ledger.lost_scheme, kinetic - 2 * 10 * fall, 1e-18);
    fixture_end(&y);
}

/* One that is too fast, by its velocity or its spin, keeps its island awake and no other. */
static void test_restless(void **state)
{
    (void)state;
    for (int spin = 0; spin < 2; spin++) {
        fixture y;
        fixture_begin(&y);
        double *fast = spin ? &y.state.body.w[3 * HIGH + 2] : &y.state.body.v[3 * HIGH];
        *fast = 1.1e-3;
        steps(&y, 100);
        expect(&y, false, false, true);
        *fast = 0.9e-3; /* HIGH begins to count, LOW has counted */
        steps(&y, 59);
        expect(&y, false, false, true);
        steps(&y, 1);
        expect(&y, true, true, true);
        fixture_end(&y);
    }
}

/* Walls do not join islands, contacts without impulse neither. */
static void test_islands(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    y.state.body.v[3 * ALONE] = 1; /* shares the floor with LOW */
    steps(&y, 60);
    expect(&y, true, true, false); /* FLIER is near HIGH and does not press */
    fixture_end(&y);
}

/* What disturbs one grain of an island counts for all, in whatever order contacts come. */
static void test_order(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        fixture y;
        fixture_begin(&y);
        put(&y, order == 0 ? TOUCHES : LOW_FLOOR, HIGH, SIDE, mrn_v3(-1, 0, 0), 0);
        if (order == 1)
            put(&y, TOUCHES, LOW, FLOOR, mrn_v3(0, 1, 0), 0);
        y.e.found.n = TOUCHES + 1;
        y.state.body.v[3 * SIDE + 1] = 1;
        steps(&y, 100);
        expect(&y, false, false, false);
        fixture_end(&y);
    }
}

/* Nothing sleeps in the air; without gravity a cloud at rest may. */
static void test_in_the_air(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    y.scene.nonsmooth.sleep_speed = 1e-3;
    y.e.found.n = 0;
    find_rows(&y);
    steps(&y, 100);
    expect(&y, false, false, false);
    y.state.gravity[1] = 0;
    steps(&y, 1);
    expect(&y, true, true, true);
    fixture_end(&y);
}

static void test_not_asked(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    y.scene.nonsmooth.sleep = false;
    steps(&y, 100);
    expect(&y, false, false, false);
    y.scene.nonsmooth.sleep = true;
    y.scene.gravity_of[0].kind = MRN_SIGNAL_EXPRESSION; /* gravity that may change */
    steps(&y, 100);
    expect(&y, false, false, false);
    y.scene.gravity_of[0].kind = MRN_SIGNAL_CONSTANT;
    mrn_body_force shaking = {.group = 0, .force[1].kind = MRN_SIGNAL_EXPRESSION};
    y.scene.n_forces = 1, y.scene.force = &shaking;
    steps(&y, 100);
    expect(&y, false, false, false);
    shaking.group = 1;
    steps(&y, 60);
    expect(&y, true, true, true);
    fixture_end(&y);
}

/* An awake grain that comes: fast enough and near enough to touch within the step, it wakes the
   island, and that alone. */
static void test_wake_by_approach(void **state)
{
    (void)state;
    static const struct {
        double v, gap;
        bool wakes;
    } c[] = {{-1, 0.0009, true},
             {-1, 0.0011, false},
             {1, -0.1, false},
             {-0.9e-3, 0, false},
             {-1.1e-3, 0, true}};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
        fixture y;
        fixture_begin(&y);
        steps(&y, 60);
        y.state.body.v[3 * FLIER + 1] = c[k].v;
        y.e.found.gap[FLIER_HIGH] = c[k].gap;
        wake(&y);
        expect(&y, !c[k].wakes, !c[k].wakes, true);
        fixture_end(&y);
    }
}

/* An impulse that would move a sleeper (2 kg) faster than 1e-3 m/s wakes it at the next step. */
static void test_wake_by_impulse(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        fixture y;
        fixture_begin(&y);
        steps(&y, 60);
        wake(&y);
        for (int64_t k = 0; k < y.e.n_contacts; k++)
            if (y.row[k].contact == FLIER_HIGH)
                y.r[2 * k] = strong ? 2.1e-3 : 1.9e-3;
        ok(mrn_ns_fall_asleep(&y.e, h, &y.msg), &y.msg);
        expect(&y, true, true, true);
        wake(&y);
        expect(&y, !strong, !strong, true);
        fixture_end(&y);
    }
}

/* A wall that moves or turns where it touches; a servo wall; a stage. */
static void test_wake_by_walls(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        fixture y;
        fixture_begin(&y);
        steps(&y, 60);
        if (kind == 0)
            y.state.body.v[3 * SIDE] = 1e-9;
        if (kind == 1)
            y.state.body.w[3 * SIDE + 2] = 1e-9;
        if (kind == 2)
            y.wall[SIDE].motion.kind = MRN_MOTION_SERVO;
        if (kind == 3)
            y.state.stage_step = y.state.step;
        if (kind == 4)
            y.scene.nonsmooth.sleep = false; /* as a stage may say */
        wake(&y);
        expect(&y, kind < 3, kind < 3, false);
        if (kind < 3) { /* and while it does so nothing that touches it falls asleep */
            steps(&y, 100);
            expect(&y, true, true, false);
        }
        fixture_end(&y);
    }
}

/* A body is removed, or a wall goes away: who touched it wakes, with its island. Another body that
   gets the free number elsewhere does not hide that. */
static void test_wake_by_removal(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    steps(&y, 60);
    ok(mrn_body_remove(&y.state, y.body[HIGH], &y.msg), &y.msg);
    mrn_body_def d = mrn_body_default();
    d.x = mrn_v3(50, 50, 0), d.radius = 1, d.mass = 2, d.inertia = 1, d.v = mrn_v3(1, 0, 0);
    ok(mrn_body_add(&y.state, &d, NULL, &y.msg), &y.msg);
    put(&y, 1, ALONE, FLOOR, mrn_v3(0, 1, 0), 0); /* the contacts that are left */
    put(&y, 2, ALONE, SIDE, mrn_v3(-1, 0, 0), 0.01);
    y.e.found.n = 3;
    wake(&y);
    assert_false(asleep(&y, LOW));
    assert_true(asleep(&y, ALONE));
    y.e.found.n = 2; /* SIDE is taken away */
    wake(&y);
    assert_false(asleep(&y, ALONE));
    assert_true(y.state.nonsmooth.asleep == 0);
    fixture_end(&y);
}

/* A grain that joins sleepers later counts for them as well: when it is gone, they wake. */
static void test_joined_later(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    steps(&y, 60);
    y.state.body.v[3 * FLIER + 1] = 0; /* lands, softly */
    y.e.found.gap[FLIER_HIGH] = 0;
    for (int k = 0; k < 60; k++) {
        wake(&y);
        for (int64_t i = 0; i < y.e.n_contacts; i++)
            if (y.row[i].contact == FLIER_HIGH)
                y.r[2 * i] = 1e-3;
        ok(mrn_ns_fall_asleep(&y.e, h, &y.msg), &y.msg);
    }
    assert_true(asleep(&y, FLIER) && asleep(&y, HIGH) && asleep(&y, LOW));
    wake(&y);
    assert_true(asleep(&y, FLIER) && asleep(&y, HIGH) && asleep(&y, LOW));
    y.e.found.n = FLIER_HIGH;
    wake(&y);
    assert_false(asleep(&y, FLIER) || asleep(&y, HIGH) || asleep(&y, LOW));
    assert_true(asleep(&y, ALONE));
    fixture_end(&y);
}

/* Contacts of sleepers stay in the list with their impulses, and bear on walls. */
static void test_kept_contacts(void **state)
{
    (void)state;
    fixture y;
    fixture_begin(&y);
    mrn_contacts *next = &y.e.found, *t = &y.state.contact;
    mrn_sum press[6 * 8] = {{0}}; /* nothing presses yet; more than there are walls */
    assert_true(y.state.body.n_walls <= 8);
    y.e.press = press;
    ok(mrn_contacts_copy(next, t, &y.msg), &y.msg);
    for (int k = 0; k < TOUCHES; k++)
        t->gap[k] = -0.1, t->impulse[2 * k] = 0.02, t->impulse[2 * k + 1] = -0.01;
    ok(mrn_ns_list_kept(&y.e, &y.msg), &y.msg);
    assert_int_equal(y.e.n_kept, 0);
    steps(&y, 60);
    find_rows(&y);
    ok(mrn_ns_list_kept(&y.e, &y.msg), &y.msg);
    assert_int_equal(y.e.n_kept, 4); /* all but that of FLIER */
    mrn_ns_press_kept(&y.e, 1, h);
    /* LOW and ALONE press the floor with 20 N each, and drag it by their tangential impulse: minus
       -10 N along (-1, 0); moment of both about its centre: arm (1, 0) x (.., -20) */
    assert_close(y.state.body.f[3 * FLOOR + 1], -40, 1e-12);
    assert_close(y.state.body.f[3 * FLOOR], -20, 1e-12);
    assert_close(y.state.body.t[3 * FLOOR + 2], -40, 1e-12);
    assert_int_equal(y.state.contacts, 4);
    mrn_ns_press_kept(&y.e, 0.5, h); /* of a step half as long */
    assert_close(y.state.body.f[3 * FLOOR + 1], -60, 1e-12);
    next->n = 0;
    mrn_ns_append_kept(&y.e, 0.5);
    assert_int_equal(next->n, 4);
    assert_int_equal(next->feature[1], 7 + HIGH_LOW);
    assert_int_equal(next->id_a[3], SIDE);
    assert_close(next->impulse[2], 0.01, 0);
    assert_close(next->gap[2], -0.1, 0);
    y.e.press = NULL;
    fixture_end(&y);
}

/* Memory that fails leaves all awake and as it was. */
static void test_memory(void **state)
{
    (void)state;
    bool done = false;
    size_t before = mrn_bytes_in_use();
    for (int k = 1; !done; k++) {
        fixture y;
        fixture_begin(&y);
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_ns_fall_asleep(&y.e, h, &y.msg);
        mrn_alloc_fail_at(0);
        done = st == MRN_OK;
        assert_true(done || (st == MRN_ERR_MEMORY && k < 10));
        steps(&y, 60);
        expect(&y, true, true, true);
        fixture_end(&y);
    }
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fall_asleep),     cmocka_unit_test(test_restless),
        cmocka_unit_test(test_islands),         cmocka_unit_test(test_in_the_air),
        cmocka_unit_test(test_not_asked),       cmocka_unit_test(test_wake_by_approach),
        cmocka_unit_test(test_wake_by_impulse), cmocka_unit_test(test_wake_by_walls),
        cmocka_unit_test(test_wake_by_removal), cmocka_unit_test(test_joined_later),
        cmocka_unit_test(test_kept_contacts),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_order),           cmocka_unit_test(test_unmade_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
