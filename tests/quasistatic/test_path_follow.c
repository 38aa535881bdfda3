/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight paths by increments, the elastic answer beside them, and networks made ready for them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "by_hand.h"
#include "packing.h"

static void near(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance)) {
        print_error("line %d: %.12g, not %.12g +- %.3g\n", line, got, want, tolerance);
        fail();
    }
}
#define NEAR(got, want, tolerance) near(got, want, tolerance, __LINE__)

/* A disk of weight 2 on the ground, pushed at its foot: kt = 50, mu N = 0.6. */
typedef struct rig {
    mrn_net net;
    mrn_path *path;
    double change[3]; /* a force of 1 along x at the foot */
    mrn_message msg;
} rig;

static void rig_make(rig *r)
{
    double x[3] = {0}, radius = 1;
    hand_contact c = {
        .c = 0, .a = -1, .n = {0, 1, 0}, .kn = 100, .kt = 50, .friction = 0.3, .force = {2, 0, 0}};
    memset(r, 0, sizeof *r);
    assert_int_equal(hand_make(2, 1, x, &radius, 1, &c, NULL, NULL, false, &r->net, &r->msg),
                     MRN_OK);
    assert_int_equal(mrn_path_create(&r->net, NULL, &r->path, &r->msg), MRN_OK);
    r->change[0] = 1;
    r->change[2] = -hand_of(&r->net, 0).rc.y;
}

static void rig_free(rig *r)
{
    mrn_path_destroy(&r->path);
    mrn_net_release(&r->net);
}

typedef struct watch {
    int n, most; /* looks; enough after as many */
    double q[64], foot[64];
} watch;

static bool look(void *user, double q, const mrn_path_facts *f)
{
    watch *w = user;
    assert_true(w->n < 64);
    w->q[w->n] = q;
    w->foot[w->n++] = f->u[0] + f->u[2];
    return w->n < w->most;
}

/* Sticks: the foot moves by q/50; at 0.6 it slides, and that is the end. */
static void to_the_end(void **unused)
{
    (void)unused;
    rig r;
    watch w = {.most = 64};
    double q = -1, u[3];
    rig_make(&r);
    mrn_follow way = {r.change, NULL, 0.25, 5, look, &w};
    assert_int_equal(mrn_path_elastic(r.path, &way, u, NULL, &r.msg), MRN_OK);
    NEAR(u[0] + u[2], 1.0 / 50, 1e-6 / 50); /* solutions of a path are good to 1e-6 */
    assert_int_equal(mrn_path_follow(r.path, &way, &q, &r.msg), MRN_NOT_CONVERGED);
    assert_int_equal(mrn_path_facts_of(r.path).end, MRN_PATH_UNSUPPORTED);
    assert_true(q <= 0.6 + 1e-6 && q > 0.6 - 0.25 / 256 - 1e-6);
    assert_int_equal(w.n, 4); /* 0, 0.25, 0.5 and the part of the third that was made */
    for (int k = 0; k < 3; k++) {
        NEAR(w.q[k], 0.25 * k, 0);
        NEAR(w.foot[k], 0.25 * k / 50, 1e-8); /* forces to 2e-6, over kt */
    }
    NEAR(w.q[3], q, 0);
    rig_free(&r);
}

/* Ends at up_to, with a last increment as long as is left; nothing is made of rounding. */
static void up_to(void **unused)
{
    (void)unused;
    static const struct {
        double increment, up_to;
        int looks;
    } c[] = {{0.1, 0.25, 4}, {0.1, 0.3, 4}, {0.1, 0.3 + 1e-12, 4}, {1, 0.2, 2}, {0.15, 0.45, 4}};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
        rig r;
        watch w = {.most = 64};
        double q = -1;
        rig_make(&r);
        mrn_follow way = {r.change, NULL, c[k].increment, c[k].up_to, look, &w};
        assert_int_equal(mrn_path_follow(r.path, &way, &q, &r.msg), MRN_OK);
        NEAR(q, c[k].up_to, 0);
        assert_int_equal(w.n, c[k].looks);
        NEAR(w.foot[w.n - 1], c[k].up_to / 50, 1e-7);
        rig_free(&r);
    }
}

static void enough_is_enough(void **unused)
{
    (void)unused;
    for (int most = 1; most < 4; most++) {
        rig r;
        watch w = {.most = most};
        double q = -1;
        rig_make(&r);
        mrn_follow way = {r.change, NULL, 0.1, 0.5, look, &w};
        assert_int_equal(mrn_path_follow(r.path, &way, &q, &r.msg), MRN_OK);
        assert_int_equal(w.n, most);
        NEAR(q, 0.1 * (most - 1), 1e-15);
        way.each = NULL; /* goes on from where it is: 0.5 more is too much after 0.2 */
        mrn_status s = mrn_path_follow(r.path, &way, &q, &r.msg);
        assert_int_equal(s, most < 3 ? MRN_OK : MRN_NOT_CONVERGED);
        rig_free(&r);
    }
}

static void bad_ways(void **unused)
{
    (void)unused;
    rig r;
    double q;
    rig_make(&r);
    const double bad[][2] = {{0, 1},   {-0.1, 1},  {NAN, 1},        {INFINITY, 1},
                             {0.1, 0}, {0.1, NAN}, {0.1, INFINITY}, {1e-12, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mrn_follow way = {r.change, NULL, bad[k][0], bad[k][1], NULL, NULL};
        assert_int_equal(mrn_path_follow(r.path, &way, &q, &r.msg), MRN_ERR_RANGE);
        NEAR(q, 0, 0);
    }
    r.change[0] = NAN;
    mrn_follow way = {r.change, NULL, 0.1, 1, NULL, NULL};
    assert_int_equal(mrn_path_follow(r.path, &way, &q, &r.msg), MRN_ERR_RANGE);
    NEAR(q, 0, 0);
    rig_free(&r);
}

/* ---- networks in a cell ---- */

static void cell_make(mrn_net *net)
{
    packing p;
    mrn_message msg;
    assert_int_equal(packing_make(6, 6, 10, 0.25, 1000, 800, 7, &p, &msg), MRN_OK);
    assert_int_equal(
        hand_make(2, p.n, p.x, p.radius, p.n_contacts, p.contact, p.cell, NULL, false, net, &msg),
        MRN_OK);
    packing_release(&p);
}

/* Strain imposed: elastic reaction and path agree while hardly anything slides; a global that is
   taken away is one that is imposed to stand still. */
static void held_is_imposed_at_rest(void **unused)
{
    (void)unused;
    mrn_net net, less;
    mrn_path *a = NULL, *b = NULL;
    mrn_message msg;
    cell_make(&net);
    cell_make(&less);
    const bool hold[3] = {true, false, true};
    int64_t n = net.n_unknowns;
    assert_int_equal(mrn_net_hold(&less, hold, &msg), MRN_OK);
    assert_int_equal(less.n_globals, 1);
    assert_int_equal(less.n_unknowns, n - 2);
    assert_int_equal(less.global[0].component, MRN_YY);
    NEAR(less.load[n - 3], net.load[n - 2], 0);
    assert_int_equal(mrn_path_create(&net, NULL, &a, &msg), MRN_OK);
    assert_int_equal(mrn_path_create(&less, NULL, &b, &msg), MRN_OK);
    double strain = 1e-5, q;
    double all[3] = {0, -strain * net.global[1].scale, 0}, one[1] = {all[1]};
    mrn_follow wide = {NULL, all, 0.5, 2, NULL, NULL}, narrow = {NULL, one, 0.5, 2, NULL, NULL};
    double *u = calloc((size_t)n, sizeof *u), ra[3], rb[1], sa[6], sb[6];
    size_t before = mrn_bytes_in_use();
    assert_int_equal(mrn_path_elastic(a, &wide, u, ra, &msg), MRN_OK);
    assert_int_equal(mrn_bytes_in_use(), before);
    NEAR(u[n - 2], all[1], 0);
    NEAR(u[n - 1], 0, 0);
    assert_int_equal(mrn_path_elastic(b, &narrow, u, rb, &msg), MRN_OK);
    NEAR(rb[0], ra[1], 1e-5 * fabs(ra[1])); /* twice what solutions are good to, and more */
    assert_int_equal(mrn_path_follow(a, &wide, &q, &msg), MRN_OK);
    assert_int_equal(mrn_path_follow(b, &narrow, &q, &msg), MRN_OK);
    mrn_net_stress(&net, mrn_path_facts_of(a).force, sa);
    mrn_net_stress(&less, mrn_path_facts_of(b).force, sb);
    for (int k = 0; k < 4; k++)
        if (k != MRN_ZZ)
            NEAR(sb[k], sa[k], 1e-5); /* of a pressure of 1; forces are good to 1e-6 */
    double elastic = -2 * ra[1] * net.global[1].scale / net.volume;
    assert_true(elastic > 1e-4);
    NEAR(sa[MRN_YY] - 1, elastic, 0.2 * elastic);
    free(u);
    mrn_path_destroy(&a);
    mrn_path_destroy(&b);
    mrn_net_release(&net);
    mrn_net_release(&less);
}

/* Walls keep the contacts that are theirs when a global before them is taken away. */
static void walls_are_renumbered(void **unused)
{
    (void)unused;
    mrn_net net;
    mrn_message msg;
    cell_make(&net);
    net.global[0].kind = MRN_GLOBAL_WALL, net.global[1].kind = MRN_GLOBAL_WALL;
    net.element[0].global = 0, net.element[1].global = 1, net.element[2].global = -1;
    const bool hold[3] = {true, false, false};
    assert_int_equal(mrn_net_hold(&net, hold, &msg), MRN_OK);
    assert_int_equal(net.element[0].global, -1); /* stands */
    assert_int_equal(net.element[1].global, 0);
    assert_int_equal(net.element[2].global, -1);
    assert_int_equal(net.n_globals, 2);
    mrn_net_release(&net);
}

/* Whatever the load was, it becomes that of the forces. */
static void settled_is_balanced(void **unused)
{
    (void)unused;
    mrn_net net;
    mrn_message msg;
    mrn_equilibrium q;
    cell_make(&net);
    int64_t n = net.n_unknowns;
    net.load[3] += 0.3;
    net.load[n - 1] *= 1.5;
    mrn_net_equilibrium(&net, &q);
    assert_true(q.force > 0.01);
    assert_int_equal(mrn_net_settle(&net, &msg), MRN_OK);
    mrn_net_equilibrium(&net, &q);
    /* sums of a dozen terms of size 1, in another order */
    assert_true(q.force < 1e-14 && q.moment < 1e-14 && q.global < 1e-14);
    NEAR(net.global[2].load, net.load[n - 1], 0);
    mrn_net_release(&net);
}

/* ---- memory ---- */

static mrn_status live(rig *r)
{
    double u[3], q;
    const bool none = false;
    mrn_follow way = {r->change, NULL, 0.1, 0.2, NULL, NULL};
    mrn_status s = mrn_path_follow(r->path, &way, &q, &r->msg);
    if (s == MRN_OK)
        s = mrn_path_elastic(r->path, &way, u, NULL, &r->msg);
    if (s == MRN_OK)
        s = mrn_net_settle(&r->net, &r->msg);
    if (s == MRN_OK)
        s = mrn_net_hold(&r->net, &none, &r->msg);
    return s;
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    mrn_status s = MRN_ERR_MEMORY;
    int64_t k = 1;
    for (; s == MRN_ERR_MEMORY; k++) {
        rig r;
        rig_make(&r);
        size_t before = mrn_bytes_in_use();
        mrn_alloc_fail_at(k);
        s = live(&r);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
        rig_free(&r);
    }
    assert_int_equal(s, MRN_OK);
    assert_true(k > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_the_end),
        cmocka_unit_test(up_to),
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(bad_ways),
        cmocka_unit_test(held_is_imposed_at_rest),
        cmocka_unit_test(walls_are_renumbered),
        cmocka_unit_test(settled_is_balanced),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
