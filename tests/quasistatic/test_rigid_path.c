/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid disks without friction from network to network, where the answer is known by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quasistatic/by_hand.h"

static void near_at(int line, double value, double expected, double off)
{
    if (!(fabs(value - expected) <= off))
        fail_msg("line %d: %.15g, expected %.15g to %g", line, value, expected, off);
}
#define near(...) near_at(__LINE__, __VA_ARGS__)

/* What `each` saw. */
enum { ROWS = 32 };
typedef struct seen {
    int n, nodes, contacts, globals;
    double q[ROWS], x[ROWS][12], force[ROWS][8], moved[ROWS][2];
} seen;

static bool look(void *user, const mrn_rigid_facts *f)
{
    seen *s = user;
    assert_true(s->n < ROWS && f->contacts == s->contacts);
    s->q[s->n] = f->q;
    memcpy(s->x[s->n], f->x, 3 * (size_t)s->nodes * sizeof(double));
    memcpy(s->force[s->n], f->force, (size_t)s->contacts * sizeof(double));
    if (s->globals > 0)
        memcpy(s->moved[s->n], f->moved, (size_t)s->globals * sizeof(double));
    s->n++;
    return true;
}

/* A contact with a fixed disk of radius r at (x, y), of a disk of radius `own` at `at`. */
static hand_contact on_disk(int32_t c, const double *at, double own, double x, double y, double r,
                            bool open)
{
    double dx = at[0] - x, dy = at[1] - y, d = sqrt(dx * dx + dy * dy);
    return (hand_contact){.c = c,
                          .a = -1,
                          .global = -1,
                          .n = {dx / d, dy / d, 0},
                          .gap = d - own - r,
                          .force = {open ? 0 : 1, 0, 0},
                          .kn = 1,
                          .curve_a = 1 / r,
                          .status = open ? MRN_NET_OPEN : MRN_NET_STICKS};
}

static hand_contact on_plane(int32_t c, double nx, double ny)
{
    return (hand_contact){
        .c = c, .a = -1, .global = -1, .n = {nx, ny, 0}, .force = {1, 0, 0}, .kn = 1};
}

static mrn_net net_of(int n, const double *x, const double *radius, int contacts,
                      const hand_contact *c, const double *load)
{
    mrn_net net;
    mrn_message msg = {0};
    mrn_status st = hand_make(2, n, x, radius, contacts, c, NULL, load, true, &net, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    for (int k = 0; k < contacts; k++) { /* what networks by hand do not keep */
        net.contact.gap[k] = c[k].gap;
        net.element[k].status = c[k].status;
        net.element[k].curve_a = c[k].curve_a;
    }
    return net;
}

/* A disk of radius 1 between the first two of three fixed ones, the third 1/2 higher; weight 1, and
   q to the right. It leaves the first at q = tan 30 degrees, where the load points at the second;
   rolls over that one until it touches the third; and leaves that groove where the load points at
   the third. Rounding and 1e-13 of the gaps: 1e-10. */
static void test_grooves(void **unused)
{
    (void)unused;
    const double x[3] = {1, sqrt(3), 0}, radius[1] = {1}, load[2] = {0, -1}, change[2] = {1, 0};
    hand_contact c[3] = {on_disk(0, x, 1, 0, 0, 1, false), on_disk(0, x, 1, 2, 0, 1, false),
                         on_disk(0, x, 1, 4, 0.5, 1, true)};
    mrn_net net = net_of(1, x, radius, 3, c, load);
    mrn_message msg = {0};
    seen s = {.nodes = 1, .contacts = 2};
    mrn_rigid_facts f;
    mrn_rigid_options opt = mrn_rigid_default();
    opt.change = change, opt.up_to = 5, opt.most = 3, opt.each = look, opt.user = &s;
    mrn_status st = mrn_rigid_follow(&net, &opt, &f, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    double q1 = 1 / sqrt(3);
    assert_int_equal(s.n, 4);
    near(s.q[0], 0, 0);
    near(s.force[0][0], 1 / sqrt(3), 1e-10); /* N = W / (2 cos 30) each */
    near(s.force[0][1], 1 / sqrt(3), 1e-10);
    near(s.q[1], q1, 1e-10);
    near(s.force[1][0], 0, 1e-10);
    near(s.force[1][1], sqrt(1 + q1 * q1), 1e-10);
    /* 2 from (2, 0) and from (4, 1/2) */
    double dx = 2, dy = 0.5, d = sqrt(dx * dx + dy * dy), up = sqrt(4 - d * d / 4);
    double px = 2 + dx / 2 - up * dy / d, py = dy / 2 + up * dx / d;
    near(s.x[2][0], px, 1e-10);
    near(s.x[2][1], py, 1e-10);
    near(s.q[2], q1, 1e-10);
    /* the load along the line to the third: (4 - px, 0.5 - py) */
    near(s.q[3], (4 - px) / (py - 0.5), 1e-10);
    assert_int_equal(f.end, MRN_RIGID_FLOWS); /* over the third, and nothing stops it */
    assert_int_equal(f.networks, 2);
    assert_int_equal(f.events, 2);
    mrn_net_release(&net);
}

/* Two disks of radii 1 between walls 3 apart: A in the corner of floor and left wall, B on A and on
   the right wall; weight 1 each, q to the left on B. The line of centres has sin t = 1/2. B leaves
   the right wall at q = tan 30 degrees, rolls over A, meets the left wall above A: there nothing
   ends any more, for q presses on. */
static void test_stack(void **unused)
{
    (void)unused;
    const double x[6] = {1, 1, 0, 2, 1 + sqrt(3), 0}, radius[2] = {1, 1};
    const double load[4] = {0, -1, 0, -1}, change[4] = {0, 0, -1, 0};
    hand_contact c[4] = {on_plane(0, 0, 1),
                         on_plane(0, 1, 0),
                         {.c = 1, .a = 0, .global = -1, .force = {1, 0, 0}, .kn = 1},
                         on_plane(1, -1, 0)};
    mrn_net net = net_of(2, x, radius, 4, c, load);
    mrn_message msg = {0};
    seen s = {.nodes = 2, .contacts = 4};
    mrn_rigid_facts f;
    mrn_rigid_options opt = mrn_rigid_default();
    opt.change = change, opt.up_to = 2, opt.most = 3, opt.each = look, opt.user = &s;
    mrn_status st = mrn_rigid_follow(&net, &opt, &f, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    double q1 = tan(MRN_PI / 6);
    assert_int_equal(s.n, 4);
    near(s.force[0][0], 2, 1e-10);
    near(s.force[0][1], q1, 1e-10);
    near(s.force[0][2], 1 / cos(MRN_PI / 6), 1e-10);
    near(s.force[0][3], q1, 1e-10);
    near(s.q[1], q1, 1e-10);
    near(s.x[2][3], 1, 1e-10); /* B at the left wall, upright on A */
    near(s.x[2][4], 3, 1e-10);
    near(s.force[3][3], 2, 1e-10); /* what the left wall bears at q = 2 */
    near(s.q[3], 2, 0);
    assert_int_equal(f.end, MRN_RIGID_UP_TO);
    assert_int_equal(f.events, 1);
    mrn_net_release(&net);
}

/* Networks that are not isostatic, that rub, or that have no load are refused. */
static void test_refusals(void **unused)
{
    (void)unused;
    const double x[3] = {1, 1, 0}, radius[1] = {1}, load[2] = {0, -1}, change[2] = {1, 0};
    hand_contact c[3] = {on_plane(0, 0, 1), on_plane(0, 1, 0), on_plane(0, -1, 0)};
    mrn_net net = net_of(1, x, radius, 3, c, load);
    mrn_message msg = {0};
    mrn_rigid_facts f;
    mrn_rigid_options opt = mrn_rigid_default();
    opt.change = change;
    assert_int_equal(mrn_rigid_follow(&net, &opt, &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "not isostatic: 3 contacts, 2 unknowns"));
    opt.change = NULL;
    assert_int_equal(mrn_rigid_follow(&net, &opt, &f, &msg), MRN_ERR_RANGE);
    mrn_net_release(&net);
    hand_contact rubs = on_plane(0, 0, 1);
    rubs.friction = 0.3, rubs.kt = 1;
    assert_int_equal(hand_make(2, 1, x, radius, 1, &rubs, NULL, NULL, false, &net, &msg), MRN_OK);
    opt.change = change;
    assert_int_equal(mrn_rigid_follow(&net, &opt, &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "friction"));
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grooves),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
