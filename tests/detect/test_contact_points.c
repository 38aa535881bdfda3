/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network of the non-smooth engine: its points, pair by pair, with forces from the
   impulses. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "moraine/moraine.h"

static void ok(mrn_status st, const mrn_message *msg)
{
    if (st != MRN_OK)
        fail_msg("%s", msg->text);
}

/* A wall (number 0) and three grains in a cell of 1 m; grain 2 is then taken away, so that the last
   one has its place in memory. */
static void make(mrn_scene *scene, mrn_state *s, int dimension, int width)
{
    static const double x[] = {0.05, 0.5, 0.95};
    mrn_message msg = {0};
    *scene = mrn_scene_default();
    scene->dimension = dimension;
    scene->method = mrn_method_find("nonsmooth");
    scene->nonsmooth.alert = 0.01;
    scene->cell.periodic[0] = true;
    *s = (mrn_state){.h = 0.5, .cell_size = {1, 0, 0}};
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(s, &d, NULL, &msg), &msg);
    d.flags = 0;
    d.radius = 0.05;
    d.mass = d.inertia = 1;
    for (int k = 0; k < 3; k++) {
        d.x = mrn_v3(x[k], 0.05, 0);
        ok(mrn_body_add(s, &d, NULL, &msg), &msg);
    }
    mrn_contacts_def def = {
        .columns = mrn_contacts_columns(MRN_CONTACTS_POINTS), .n = 8, .impulse_width = width};
    ok(mrn_contacts_make(&s->contact, &def, &msg), &msg);
}

static void add(mrn_state *s, int32_t c, int32_t a, mrn_vec3 point, mrn_vec3 n, mrn_vec3 t,
                double gap, const double *impulse)
{
    mrn_contacts *all = &s->contact;
    int64_t k = all->n++;
    all->id_c[k] = c;
    all->id_a[k] = a;
    all->feature[k] = 100 - k;
    all->gap[k] = gap;
    mrn_store3(all->point + 3 * k, point);
    mrn_store3(all->normal + 3 * k, n);
    mrn_store3(all->tangent + 3 * k, t);
    memcpy(all->impulse + k * all->impulse_width, impulse,
           (size_t)all->impulse_width * sizeof *impulse);
}

static void end(mrn_scene *scene, mrn_state *s, mrn_contacts *c)
{
    mrn_contacts_destroy(c);
    mrn_state_destroy(s);
    mrn_scene_destroy(scene);
}

static void near3(const double *got, double x, double y, double z)
{
    /* sums of a few products of numbers of order 1 */
    assert_true(fabs(got[0] - x) < 1e-14 && fabs(got[1] - y) < 1e-14 && fabs(got[2] - z) < 1e-14);
}

static void pairs_stand_together(void **unused)
{
    (void)unused;
    mrn_scene scene;
    mrn_state s;
    mrn_contacts c = {0};
    mrn_message msg = {0};
    const double press[] = {1, 0.5, -0.25}, none[] = {0, 0, 0}, pull[] = {-1, 0, 0};
    make(&scene, &s, 3, 3);
    mrn_vec3 up = mrn_v3(0, 1, 0), side = mrn_v3(1, 0, 0);
    /* across the period: grain 1 at 0.05 and grain 3 at 0.95; solved in no order of pairs */
    add(&s, 1, 3, mrn_v3(0, 0.06, 0), side, up, 1e-4, press);
    add(&s, 1, 0, mrn_v3(0.04, 0, 0), up, side, -1e-3, none);
    add(&s, 1, 3, mrn_v3(0, 0.04, 0), side, up, -1e-4, press);
    add(&s, 1, 0, mrn_v3(0.06, 0, 0), up, side, 0, press);
    add(&s, 1, 0, mrn_v3(0.07, 0, 0), up, side, 1e-3, none); /* near, bears nothing */
    add(&s, 2, 0, mrn_v3(0.5, 0, 0), up, side, -1e-3, press);
    add(&s, 3, 0, mrn_v3(0.95, 0, 0), up, side, 1e-3, pull);
    ok(mrn_body_remove(&s, mrn_body_handle(&s, 2), &msg), &msg); /* its point is no contact */
    ok(mrn_contacts_collect(&scene, &s, 0, &c, &msg), &msg);
    assert_int_equal(c.n, 5);
    int32_t one = s.body.index_of[1], three = s.body.index_of[3];
    const int32_t cs[] = {one, one, one, one, three}, as[] = {0, 0, three, three, 0};
    const int feature[] = {0, 1, 0, 1, 0};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(c.c[k], cs[k]);
        assert_int_equal(c.a[k], as[k]);
        assert_int_equal(c.feature[k], feature[k]);
    }
    /* n = y, t = x, n x t = -z; impulse over 0.5 s */
    near3(c.force + 0, 0, 0, 0);
    near3(c.force + 3, 1, 2, 0.5);
    near3(c.branch + 3, -0.01, 0.05, 0); /* of a wall: from the point */
    /* n = x, t = y, n x t = z */
    near3(c.force + 6, 2, 1, -0.5);
    near3(c.branch + 6, 0.1, 0, 0); /* the nearest image */
    assert_true(c.gap[2] == 1e-4 && c.gap[3] == -1e-4);
    near3(c.force + 12, 0, -2, 0); /* cohesion */
    /* with the step the impulses belong to */
    s.nonsmooth.last_h = 0.25;
    ok(mrn_contacts_collect(&scene, &s, 0, &c, &msg), &msg);
    near3(c.force + 3, 2, 4, 1);
    ok(mrn_contacts_collect(&scene, &s, 0.01, &c, &msg), &msg);
    assert_int_equal(c.n, 6);
    assert_int_equal(mrn_contacts_collect(&scene, &s, 0.02, &c, &msg), MRN_ERR_RANGE);
    end(&scene, &s, &c);
}

/* The third number of a rolling contact in 2D is a moment, not a force. */
static void rolling_in_2d(void **unused)
{
    (void)unused;
    mrn_scene scene;
    mrn_state s;
    mrn_contacts c = {0};
    mrn_message msg = {0};
    const double r[] = {1, 0.5, 7};
    make(&scene, &s, 2, 3);
    add(&s, 1, 0, mrn_v3(0.05, 0, 0), mrn_v3(0, 1, 0), mrn_v3(1, 0, 0), 0, r);
    ok(mrn_contacts_collect(&scene, &s, 0, &c, &msg), &msg);
    assert_int_equal(c.n, 1);
    near3(c.force, 1, 2, 0);
    end(&scene, &s, &c);
}

static void no_memory(void **unused)
{
    (void)unused;
    mrn_scene scene;
    mrn_state s;
    mrn_message msg = {0};
    const double r[] = {1, 0, 0};
    make(&scene, &s, 3, 3);
    add(&s, 1, 0, mrn_v3(0.05, 0, 0), mrn_v3(0, 1, 0), mrn_v3(1, 0, 0), 0, r);
    size_t before = mrn_bytes_in_use();
    int64_t k = 0;
    for (mrn_status st = MRN_ERR_MEMORY; st != MRN_OK;) {
        mrn_contacts c = {0};
        mrn_alloc_fail_at(++k);
        st = mrn_contacts_collect(&scene, &s, 0, &c, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        mrn_contacts_destroy(&c);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 8);
    mrn_contacts unused_contacts = {0};
    end(&scene, &s, &unused_contacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_stand_together),
                                       cmocka_unit_test(rolling_in_2d),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
