/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastoplastic paths: closed-form cases of one disk, then disordered disks in a cell. */
/* ctest-labels: slow */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "by_hand.h"
#include "packing.h"
#include "quasistatic/path.h"

static void near(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance)) {
        print_error("line %d: %.12g, not %.12g +- %.3g\n", line, got, want, tolerance);
        fail();
    }
}
#define NEAR(got, want, tolerance) near(got, want, tolerance, __LINE__)

/* One disk of radius 1 at the origin, touching the ground at `n` places. */
typedef struct rig {
    mrn_net net;
    mrn_path *path;
    mrn_message msg;
} rig;

static void rig_make(rig *r, int n, const hand_contact *contact, bool frictionless,
                     const mrn_path_options *opt)
{
    double x[3] = {0}, radius = 1;
    memset(r, 0, sizeof *r);
    assert_int_equal(
        hand_make(2, 1, x, &radius, n, contact, NULL, NULL, frictionless, &r->net, &r->msg),
        MRN_OK);
    assert_int_equal(mrn_path_create(&r->net, opt, &r->path, &r->msg), MRN_OK);
}

static void rig_free(rig *r)
{
    mrn_path_destroy(&r->path);
    mrn_net_release(&r->net);
}

static hand_contact ground(double nx, double ny, double kn, double kt, double mu, double force)
{
    return (hand_contact){.c = 0,
                          .a = -1,
                          .n = {nx, ny, 0},
                          .kn = kn,
                          .kt = kt,
                          .friction = mu,
                          .force = {force, 0, 0}};
}

/* The load that presses on the first contact point along x, so that the disk does not roll. */
static void push(const rig *r, double force, double load[3])
{
    load[0] = force;
    load[1] = 0;
    load[2] = force * hand_of(&r->net, 0).rc.y * -1; /* rc x F about z, over length = 1 */
}

static mrn_status step(rig *r, double fx, double fy, double m, double *reached)
{
    double load[3] = {fx, fy, m};
    return mrn_path_step(r->path, load, NULL, reached, &r->msg);
}

/* Along x on the disk, of all contacts together. */
static double pull_x(const rig *r)
{
    double out[3];
    mrn_net_resultant(&r->net, mrn_path_facts_of(r->path).force, out);
    return out[0];
}

/* A disk of weight 2 pushed at its foot sticks up to mu N = 0.6 and no further. */
static void a_pushed_disk_slides_at_the_limit(void **unused)
{
    (void)unused;
    for (int rule = 0; rule < 2; rule++) {
        rig r;
        hand_contact c = ground(0, 1, 100, 50, 0.3, 2);
        mrn_path_options opt = mrn_path_default();
        opt.rule = rule ? MRN_FLOW_ASSOCIATED : MRN_FLOW_COULOMB;
        rig_make(&r, 1, &c, false, &opt);
        double load[3], reached = 0, total = 0;
        push(&r, 0.25, load);
        assert_int_equal(mrn_path_step(r.path, load, NULL, &reached, &r.msg), MRN_OK);
        NEAR(reached, 1, 0);
        mrn_path_facts f = mrn_path_facts_of(r.path);
        assert_int_equal(f.sliding, 0);
        /* displacement of the foot, elastic: F / kt */
        NEAR(f.u[0] + f.u[2], 0.25 / 50, 1e-8); /* tolerance of forces 2e-6, over kt */
        mrn_status s;
        total = 0.25;
        do {
            s = mrn_path_step(r.path, load, NULL, &reached, &r.msg);
            total += 0.25 * reached;
        } while (s == MRN_OK);
        assert_int_equal(s, MRN_NOT_CONVERGED);
        f = mrn_path_facts_of(r.path);
        assert_int_equal(f.end, MRN_PATH_UNSUPPORTED);
        assert_true(total <= 0.6 + 1e-6 && total > 0.6 - 0.25 / 256 - 1e-6);
        NEAR(pull_x(&r), -total, 1e-5);
        /* what fails is the sliding of the foot; the mode is of unit length */
        double size = 0;
        for (int i = 0; i < 3; i++)
            size += f.mode[i] * f.mode[i];
        NEAR(size, 1, 1e-12);
        assert_true(fabs(f.mode[0] + f.mode[2]) > 0.5);
        rig_free(&r);
    }
}

/* Two contacts at one place, of different stiffness and friction: the stiff and weak one slides
   first. Loading, unloading and loading again against the closed form of two sliders in parallel;
   the loop of one slider is 2 mu N / kt wide. */
static void sliders_in_parallel(void **unused)
{
    (void)unused;
    const double k[2] = {60, 20}, limit[2] = {0.2, 0.5};
    for (int fine = 0; fine < 2; fine++)
        for (int quick = 0; quick < 2; quick++) {
            rig r;
            hand_contact c[2] = {ground(0, 1, 100, k[0], 0.2, 1), ground(0, 1, 100, k[1], 0.5, 1)};
            mrn_path_options opt = mrn_path_default();
            opt.tolerance = 1e-10;
            opt.accelerate = quick;
            rig_make(&r, 2, c, false, &opt);
            const double turn[4] = {0.6, -0.6, 0.6, 0};
            double slip[2] = {0}, load = 0;
            for (int leg = 0; leg < 4; leg++) {
                int parts = fine ? 12 : 3;
                double d = (turn[leg] - load) / parts;
                for (int l = 0; l < parts; l++) {
                    double v[3], t[2] = {0}, reached;
                    push(&r, d, v);
                    assert_int_equal(mrn_path_step(r.path, v, NULL, &reached, &r.msg), MRN_OK);
                    mrn_path_facts f = mrn_path_facts_of(r.path);
                    double u = f.u[0] + f.u[2];
                    load += d;
                    for (int j = 0; j < 2; j++) {
                        t[j] = fmax(-limit[j], fmin(limit[j], k[j] * (u - slip[j])));
                        slip[j] = u - t[j] / k[j];
                        const hand_contact at_of = hand_of(&r.net, j), *at = &at_of;
                        NEAR(-f.force[at->row + 1] * at->t.x, t[j], 1e-8);
                        assert_int_equal(f.status[j] == MRN_NET_SLIDES,
                                         fabs(t[j]) > limit[j] * (1 - 1e-9));
                    }
                    NEAR(t[0] + t[1], load, 1e-8); /* and so u is that of the closed form */
                }
                double u = mrn_path_facts_of(r.path).u[0] + mrn_path_facts_of(r.path).u[2];
                /* ends of the legs: 0.2 + 20 u = 0.6; back to 0: 0.4 / 60 until the first slides
                   the other way, then (0.6 - 80 * 0.4 / 60) / 20 */
                double back[4] = {0.02, -0.02, 0.02, 0.01};
                NEAR(u, back[leg], 1e-9);
            }
            rig_free(&r);
        }
}

/* A V of 90 degrees, loaded from nothing: kt / kn above mu makes both contacts slide at once,
   N = W / (sqrt 2 (1 + mu)). Unloading is elastic at first, then they slide the other way:
   N = W / (sqrt 2 (1 - mu)). */
static void a_disk_in_a_groove(void **unused)
{
    (void)unused;
    const double mu = 0.3, s = sqrt(0.5), kn = 100, kt = 80;
    rig r;
    hand_contact c[2] = {ground(s, s, kn, kt, mu, 0), ground(-s, s, kn, kt, mu, 0)};
    rig_make(&r, 2, c, false, NULL);
    double reached;
    assert_int_equal(step(&r, 0, -1, 0, &reached), MRN_OK);
    mrn_path_facts f = mrn_path_facts_of(r.path);
    double n = 1 / (sqrt(2) * (1 + mu)), t = mu * n;
    for (int j = 0; j < 2; j++) {
        NEAR(f.force[2 * j], n, 1e-5);
        NEAR(fabs(f.force[2 * j + 1]), t, 1e-5);
        assert_int_equal(f.status[j], MRN_NET_SLIDES);
    }
    double dn = 0.1 * kn / (sqrt(2) * (kn + kt)), dt = 0.1 * kt / (sqrt(2) * (kn + kt));
    assert_int_equal(step(&r, 0, 0.1, 0, &reached), MRN_OK);
    f = mrn_path_facts_of(r.path);
    for (int j = 0; j < 2; j++) {
        NEAR(f.force[2 * j], n - dn, 1e-5);
        NEAR(fabs(f.force[2 * j + 1]), t - dt, 1e-5);
        assert_int_equal(f.status[j], MRN_NET_STICKS);
    }
    /* T = -mu N at W = 0.245 */
    assert_int_equal(step(&r, 0, 0.8, 0, &reached), MRN_OK);
    f = mrn_path_facts_of(r.path);
    NEAR(f.force[0], 0.1 / (sqrt(2) * (1 - mu)), 1e-5);
    assert_int_equal(f.sliding, 2);
    /* lifted out: both contacts open, and nothing holds the disk */
    assert_int_equal(step(&r, 0, 0.2, 0, &reached), MRN_NOT_CONVERGED);
    NEAR(reached, 0.5, 1.0 / 256 + 1e-6);
    assert_int_equal(mrn_path_facts_of(r.path).end, MRN_PATH_UNSUPPORTED);
    rig_free(&r);
}

/* A disk clamped between floor and ceiling with N = 1 each, moved up and down: the floor opens at
   F = 2, then the ceiling bears all. It closes where it opened, and the gap is F / kn - 2 N / kn.
 */
static void contacts_open_and_close(void **unused)
{
    (void)unused;
    for (int quick = 0; quick < 2; quick++) {
        rig r;
        hand_contact c[2] = {ground(0, 1, 100, 50, 0.3, 1), ground(0, -1, 100, 50, 0.3, 1)};
        mrn_path_options opt = mrn_path_default();
        opt.tolerance = 1e-10;
        opt.accelerate = quick;
        rig_make(&r, 2, c, false, &opt);
        const double way[9] = {1, 1.8, 3, 4, 2.2, 1.9, -3, 3, 0};
        double at = 0, reached;
        int64_t opened = 0;
        for (int l = 0; l < 9; l++) {
            assert_int_equal(step(&r, 0, way[l] - at, 0, &reached), MRN_OK);
            bool was_open = fabs(at) > 2, open = fabs(way[l]) > 2;
            bool crossed = at * way[l] < 0;
            opened += was_open && (!open || crossed);
            at = way[l];
            mrn_path_facts f = mrn_path_facts_of(r.path);
            double floor_n = at > 2 ? 0 : at < -2 ? -at : 1 - at / 2;
            double u = at > 2 ? (at - 1) / 100 : at < -2 ? (at + 1) / 100 : at / 200;
            NEAR(f.force[0], floor_n, 1e-8);
            NEAR(f.force[2], floor_n + at, 1e-8);
            NEAR(f.u[1], u, 1e-10);
            assert_int_equal(f.open, open);
            assert_int_equal(f.reopened, opened);
        }
        rig_free(&r);
    }
}

/* A contact open at the start bears from where its gap is closed, and slides it has made while open
   leave no force. */
static void a_gap_closes(void **unused)
{
    (void)unused;
    rig r;
    hand_contact c[3] = {ground(0, 1, 100, 50, 0.5, 2), ground(-1, 0, 100, 50, 0.5, 0),
                         ground(0, 1, 100, 50, 0.5, 2)};
    double x[3] = {0}, radius = 1, reached;
    memset(&r, 0, sizeof r);
    assert_int_equal(hand_make(2, 1, x, &radius, 3, c, NULL, NULL, false, &r.net, &r.msg), MRN_OK);
    r.net.contact.gap[1] = 0.004;
    assert_int_equal(mrn_path_create(&r.net, NULL, &r.path, &r.msg), MRN_OK);
    assert_int_equal(mrn_path_facts_of(r.path).open, 0); /* not lost: never there */
    double load[3];
    push(&r, 0.3, load);
    assert_int_equal(mrn_path_step(r.path, load, NULL, &reached, &r.msg), MRN_OK);
    mrn_path_facts f = mrn_path_facts_of(r.path);
    assert_int_equal(f.status[1], MRN_NET_OPEN);
    NEAR(f.force[2], 0, 0);
    assert_int_equal(step(&r, 1, 0, 0, &reached), MRN_OK);
    f = mrn_path_facts_of(r.path);
    assert_int_equal(f.reopened, 1);
    assert_true(f.force[2] > 0.1);
    NEAR(f.force[2], 100 * (f.u[0] - 0.004), 1e-12);
    assert_true(fabs(f.force[3]) <= 0.5 * f.force[2] * (1 + 1e-12));
    rig_free(&r);
}

/* Cohesion: a contact pulled by more than `pull` breaks and bears nothing; closed again it only
   pushes. */
static void cohesion_breaks(void **unused)
{
    (void)unused;
    rig r;
    hand_contact c[2] = {ground(0, 1, 100, 50, 0.3, 0), ground(0, 1, 300, 50, 0.3, 0)};
    double reached;
    c[0].pull = 1;
    c[0].force[0] = 0.5;
    c[1].pull = 10;
    c[1].force[0] = 0.5;
    rig_make(&r, 2, c, true, NULL);
    assert_int_equal(step(&r, 0, 5, 0, &reached), MRN_OK); /* N_0 = 0.5 - 5 / 4 > -1 */
    mrn_path_facts f = mrn_path_facts_of(r.path);
    NEAR(f.force[0], -0.75, 1e-5);
    assert_int_equal(f.open, 0);
    assert_int_equal(step(&r, 0, 2, 0, &reached), MRN_OK); /* would be -1.25: all on the other */
    f = mrn_path_facts_of(r.path);
    NEAR(f.force[0], 0, 0);
    NEAR(f.force[1], -6, 1e-5);
    assert_int_equal(f.open, 1);
    assert_int_equal(step(&r, 0, -15, 0, &reached), MRN_OK);
    f = mrn_path_facts_of(r.path);
    /* both springs from where they are: 100 (d0 - u) and 0.5 - 300 u, d0 = 1.5 / 100 */
    double u = (1.5 + 0.5 - 9) / 400;
    NEAR(f.u[1], u, 1e-6);
    NEAR(f.force[0], 1.5 - 100 * u, 1e-4);
    assert_int_equal(f.reopened, 1);
    assert_int_equal(step(&r, 0, 30, 0, &reached), MRN_NOT_CONVERGED);
    rig_free(&r);
}

/* Rolling: a disk with rolling resistance under weight and a moment turns by M / kr up to the limit
   of the moment. */
static void rolling_has_its_limit(void **unused)
{
    (void)unused;
    rig r;
    hand_contact c = ground(0, 1, 100, 50, 0.3, 2);
    double reached;
    c.kr[0] = 10;
    c.roll_limit[0] = 0.05;
    rig_make(&r, 1, &c, false, NULL);
    assert_int_equal(step(&r, 0, 0, 0.08, &reached), MRN_OK);
    NEAR(mrn_path_facts_of(r.path).u[2], 0.008, 1e-8);
    assert_int_equal(step(&r, 0, 0, 0.08, &reached), MRN_NOT_CONVERGED);
    NEAR(reached, 0.25, 1.0 / 256 + 1e-5);
    assert_int_equal(mrn_path_facts_of(r.path).end, MRN_PATH_UNSUPPORTED);
    rig_free(&r);
}

/* A sphere pushed round in the plane: the force keeps within the circle, and follows. */
static void friction_in_space_is_round(void **unused)
{
    (void)unused;
    double x[3] = {0}, radius = 1;
    mrn_net net = {0};
    mrn_path *path = NULL;
    mrn_message msg;
    hand_contact c[2] = {ground(0, 0, 100, 50, 0.3, 1), ground(0, 0, 100, 5, 10, 1)};
    c[0].n = c[1].n = mrn_v3(0, 0, 1);
    assert_int_equal(hand_make(3, 1, x, &radius, 2, c, NULL, NULL, false, &net, &msg), MRN_OK);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_OK);
    double tx = 0, ty = 0, ux = 0, uy = 0, load_x = 0, load_y = 0;
    for (int l = 0; l <= 40; l++) {
        double angle = l * 0.1, gx = cos(angle), gy = sin(angle);
        double dx = gx - load_x, dy = gy - load_y;
        /* at the foot: force (dx, dy, 0) at (0, 0, -1) has the moment (dy, -dx, 0) */
        double load[6] = {dx, dy, 0, dy, -dx, 0}, reached;
        load_x = gx, load_y = gy;
        assert_int_equal(mrn_path_step(path, load, NULL, &reached, &msg), MRN_OK);
        mrn_path_facts f = mrn_path_facts_of(path);
        /* the foot moves by u - w x ..: U = u + w x (0, 0, -1) */
        double vx = f.u[0] - f.u[4], vy = f.u[1] + f.u[3];
        tx += 50 * (vx - ux), ty += 50 * (vy - uy);
        ux = vx, uy = vy;
        double size = hypot(tx, ty);
        if (size > 0.3)
            tx *= 0.3 / size, ty *= 0.3 / size;
        NEAR(5 * ux + tx, gx, 1e-4);
        NEAR(5 * uy + ty, gy, 1e-4);
        assert_int_equal(f.sliding, size > 0.3);
    }
    mrn_path_destroy(&path);
    mrn_net_release(&net);
}

/* ---- the law by itself ---- */

/* A sphere on 40 contacts of all kinds: with moments, cohesion, gaps. */
static void many_contacts(mrn_rng *rng, mrn_net *net, mrn_message *msg)
{
    double x[3] = {0}, radius = 2;
    hand_contact c[40] = {0};
    for (int k = 0; k < 40; k++) {
        double v[3];
        for (int i = 0; i < 3; i++)
            v[i] = mrn_rng_uniform(rng) - 0.5;
        c[k] = (hand_contact){.c = 0, .a = -1, .n = {v[0], v[1], v[2]}};
        c[k].kn = 50 + 100 * mrn_rng_uniform(rng);
        c[k].kt = 50 + 100 * mrn_rng_uniform(rng);
        c[k].friction = 0.1 + 0.4 * mrn_rng_uniform(rng);
        c[k].pull = k % 4 == 1 ? 0.2 : 0;
        c[k].kr[0] = k % 3 == 0 ? 20 : 0;
        c[k].kr[1] = k % 3 == 0 ? 10 : 0;
        c[k].roll_limit[0] = k % 3 == 0 ? 0.1 : 0;
        c[k].roll_limit[1] = k % 3 == 0 ? 0.05 : 0;
        c[k].force[0] = k % 5 ? 0.1 + mrn_rng_uniform(rng) : 0;
        c[k].force[1] = 0.5 * c[k].friction * c[k].force[0];
    }
    assert_int_equal(hand_make(3, 1, x, &radius, 40, c, NULL, NULL, false, net, msg), MRN_OK);
    for (int k = 0; k < 40; k += 5)
        net->contact.gap[k] = 1e-3 * mrn_rng_uniform(rng);
}

/* The derivative against central differences; kinks are avoided by asking that the differences of
   two step lengths agree. Errors of these are of order h, values of order kn = 100. */
static void the_tangent_is_the_derivative(void **unused)
{
    (void)unused;
    for (int rule = 0; rule < 2; rule++) {
        mrn_rng rng = mrn_rng_seed(3, (uint64_t)rule);
        mrn_net net = {0};
        mrn_path *p = NULL;
        mrn_message msg;
        mrn_path_options opt = mrn_path_default();
        opt.rule = rule ? MRN_FLOW_ASSOCIATED : MRN_FLOW_COULOMB;
        many_contacts(&rng, &net, &msg);
        assert_int_equal(mrn_path_create(&net, &opt, &p, &msg), MRN_OK);
        double *fa = calloc((size_t)net.n_rows, sizeof *fa), *fb = calloc((size_t)net.n_rows, 8);
        double *f2 = calloc((size_t)net.n_rows, sizeof *f2), *rel = calloc((size_t)net.n_rows, 8);
        int64_t checked = 0, all = 0, cut = 0, open = 0;
        for (int l = 0; l < 30; l++) {
            double d[6], v[6], e[6];
            for (int i = 0; i < 6; i++) {
                d[i] = 0.02 * (mrn_rng_uniform(&rng) - 0.5);
                v[i] = mrn_rng_uniform(&rng) - 0.5;
            }
            double h[2] = {1e-7, 5e-8};
            for (int half = 0; half < 2; half++) {
                double *to = half ? f2 : fa;
                for (int i = 0; i < 6; i++)
                    e[i] = d[i] - h[half] * v[i];
                mrn_path_forces(p, e, false);
                memcpy(fb, p->f_try, (size_t)net.n_rows * sizeof *fb);
                for (int i = 0; i < 6; i++)
                    e[i] = d[i] + h[half] * v[i];
                mrn_path_forces(p, e, false);
                for (int64_t i = 0; i < net.n_rows; i++)
                    to[i] = (p->f_try[i] - fb[i]) / (2 * h[half]);
            }
            mrn_path_forces(p, d, true);
            mrn_net_relative(&net, v, rel);
            for (int64_t k = 0; k < net.n_contacts; k++) {
                const hand_contact c_of = hand_of(&net, k), *c = &c_of;
                cut += p->status_try[k] == MRN_NET_SLIDES;
                open += p->status_try[k] == MRN_NET_OPEN;
                for (int i = 0; i < c->rows; i++, all++) {
                    double sum = 0;
                    for (int j = 0; j < c->rows; j++)
                        sum -= p->tangent[(k * p->widest + i) * p->widest + j] * rel[c->row + j];
                    if (fabs(fa[c->row + i] - f2[c->row + i]) > 1e-4)
                        continue;
                    checked++;
                    NEAR(sum, fa[c->row + i], 1e-3);
                }
            }
        }
        assert_true(checked > 0.98 * (double)all);
        assert_true(cut > 100 && open > 100);
        free(fa);
        free(fb);
        free(f2);
        free(rel);
        mrn_path_destroy(&p);
        mrn_net_release(&net);
    }
}

/* Associated: (trial - f).k⁻¹.(g - f) <= 0 for every g in the cone, which makes f the nearest
   point; Coulomb: N as in the trial. Contacts without gaps or cohesion. */
static void projections_are_what_they_should_be(void **unused)
{
    (void)unused;
    mrn_rng rng = mrn_rng_seed(11, 0);
    mrn_net net = {0};
    mrn_path *p = NULL;
    mrn_message msg;
    mrn_path_options opt = mrn_path_default();
    opt.rule = MRN_FLOW_ASSOCIATED;
    many_contacts(&rng, &net, &msg);
    assert_int_equal(mrn_path_create(&net, &opt, &p, &msg), MRN_OK);
    int64_t apex = 0;
    for (int l = 0; l < 30; l++) {
        double d[6], rel[240];
        for (int i = 0; i < 6; i++)
            d[i] = 0.02 * (mrn_rng_uniform(&rng) - 0.5);
        assert_true(net.n_rows <= 240);
        mrn_path_forces(p, d, false);
        mrn_net_relative(&net, d, rel);
        for (int64_t k = 0; k < net.n_contacts; k++) {
            const hand_contact c_of = hand_of(&net, k), *c = &c_of;
            const double *f = p->f_try + c->row, *stiff = p->k + c->row;
            if (k % 5 == 0 || c->pull > 0)
                continue;
            apex += f[0] == 0;
            assert_true(hypot(f[1], f[2]) <= c->friction * f[0] * (1 + 1e-12));
            for (int many = 0; many < 20; many++) {
                double g[6] = {mrn_rng_uniform(&rng)}, angle = 6.3 * mrn_rng_uniform(&rng), sum = 0;
                double limit[3] = {c->friction, c->roll_limit[1] / net.length,
                                   c->roll_limit[0] / net.length};
                for (int i = 0; i < 3; i++)
                    limit[i] *= g[0] * mrn_rng_uniform(&rng);
                g[1] = limit[0] * cos(angle), g[2] = limit[0] * sin(angle);
                g[3] = limit[1];
                g[4] = limit[2] * cos(angle), g[5] = limit[2] * sin(angle);
                for (int i = 0; i < c->rows; i++)
                    sum += (p->now.f[c->row + i] - stiff[i] * rel[c->row + i] - f[i]) *
                           (g[i] - f[i]) / stiff[i];
                assert_true(sum <= 1e-12);
            }
        }
    }
    assert_true(apex > 10);
    mrn_path_destroy(&p);
    mrn_net_release(&net);
}

/* ---- disordered disks ---- */

typedef struct biaxial {
    double q, strain; /* at the end                              */
    double early;     /* strain at q = 0.5                       */
    mrn_path_facts facts;
} biaxial;

static void load_biaxially(const packing *p, mrn_path_options opt, double dq, double most,
                           double scale, biaxial *out)
{
    mrn_net net = {0};
    mrn_path *path = NULL;
    mrn_message msg;
    assert_int_equal(hand_make(2, p->n, p->x, p->radius, p->n_contacts, p->contact, p->cell, NULL,
                               false, &net, &msg),
                     MRN_OK);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        net.element[k].kn *= scale;
        net.element[k].kt *= scale;
    }
    assert_int_equal(mrn_path_create(&net, &opt, &path, &msg), MRN_OK);
    double *load = packing_load(&net, 0, dq), reached;
    mrn_status s = MRN_OK;
    memset(out, 0, sizeof *out);
    while (s == MRN_OK && out->q < most - 1e-9) {
        s = mrn_path_step(path, load, NULL, &reached, &msg);
        out->q += reached * dq;
        out->facts = mrn_path_facts_of(path);
        out->strain = out->facts.u[net.n_unknowns - 2] / net.global[1].scale;
        double stress[6];
        mrn_net_stress(&net, out->facts.force, stress);
        NEAR(stress[MRN_YY], 1 + out->q, 1e-4);
        NEAR(stress[MRN_XX], 1, 1e-4);
        NEAR(stress[MRN_XY], 0, 1e-4);
        if (fabs(out->q - 0.5) < 1e-9)
            out->early = out->strain;
    }
    free(load);
    mrn_path_destroy(&path);
    mrn_net_release(&net);
}

static packing packing_of(int n, double friction)
{
    packing p;
    mrn_message msg;
    assert_int_equal(packing_make(n, n, 10, friction, 1000, 800, 7, &p, &msg), MRN_OK);
    return p;
}

/* The end of the path is a matter of geometry and friction: ten times the stiffness, smaller
   increments and the plain iteration change it by no more than the parts of increments that were
   tried (and what increments do to the order in which contacts slide: 2 %). */
static void the_end_of_regime_one(void **unused)
{
    (void)unused;
    packing p = packing_of(8, 0.25);
    mrn_path_options opt = mrn_path_default();
    biaxial base, other;
    opt.min_increment = 1.0 / 16;
    load_biaxially(&p, opt, 0.1, 10, 1, &base);
    assert_true(base.q > 0.5 && base.q < 5);
    assert_true(base.facts.end != MRN_PATH_OK);
    assert_true(base.facts.sliding > 0 && base.facts.open > 0);
    load_biaxially(&p, opt, 0.1, 10, 10, &other);
    NEAR(other.q, base.q, 0.1 / 16 + 1e-9);
    NEAR(10 * other.early, base.early, 1e-6 * fabs(base.early));
    load_biaxially(&p, opt, 0.05, 10, 1, &other);
    NEAR(other.q, base.q, 0.02 * base.q);
    NEAR(other.early, base.early, 0.01 * fabs(base.early));
    packing_release(&p);
}

static void both_iterations_agree(void **unused)
{
    (void)unused;
    packing p = packing_of(8, 0.25);
    mrn_path_options opt = mrn_path_default();
    biaxial quick, slow;
    opt.tolerance = 1e-8;
    load_biaxially(&p, opt, 0.1, 0.8, 1, &quick);
    opt.accelerate = false;
    opt.max_iterations = 100000;
    load_biaxially(&p, opt, 0.1, 0.8, 1, &slow);
    NEAR(quick.q, 0.8, 1e-9);
    NEAR(slow.q, 0.8, 1e-9);
    assert_true(quick.facts.sliding > 0);
    assert_int_equal(quick.facts.sliding, slow.facts.sliding);
    assert_int_equal(quick.facts.open, slow.facts.open);
    NEAR(quick.strain, slow.strain, 1e-5 * fabs(slow.strain));
    packing_release(&p);
}

/* The largest q that any forces within the cones balance. */
static double limit_of(const packing *p)
{
    mrn_net net = {0};
    mrn_message msg;
    mrn_limit limit = {0};
    assert_int_equal(hand_make(2, p->n, p->x, p->radius, p->n_contacts, p->contact, p->cell, NULL,
                               false, &net, &msg),
                     MRN_OK);
    double *change = packing_load(&net, 0, 1);
    mrn_limit_options opt = {.change = change, .fixed = true};
    assert_int_equal(mrn_limit_of(&net, &opt, &limit, &msg), MRN_OK);
    double factor = limit.factor;
    free(change);
    mrn_limit_release(&limit);
    mrn_net_release(&net);
    return factor;
}

/* With associated sliding the path goes as far as limit analysis says, but for the gaps of contacts
   that have opened (they must close again before they bear) and the last slow part: 5 %. */
static void associated_sliding_bears_more(void **unused)
{
    (void)unused;
    packing p = packing_of(8, 0.25);
    mrn_path_options opt = mrn_path_default();
    biaxial coulomb, associated;
    opt.min_increment = 1.0 / 8;
    load_biaxially(&p, opt, 0.2, 10, 1, &coulomb);
    opt.rule = MRN_FLOW_ASSOCIATED;
    load_biaxially(&p, opt, 0.2, 10, 1, &associated);
    assert_true(associated.q > coulomb.q);
    double most = limit_of(&p);
    assert_true(associated.q <= most * (1 + 1e-5));
    assert_true(associated.q > 0.95 * most);
    packing_release(&p);
}

/* Strain imposed: the same curve as by stress. */
static void imposed_strain(void **unused)
{
    (void)unused;
    packing p = packing_of(8, 0.25);
    biaxial base;
    load_biaxially(&p, mrn_path_default(), 0.05, 0.5, 1, &base);
    mrn_net net = {0};
    mrn_path *path = NULL;
    mrn_message msg;
    assert_int_equal(
        hand_make(2, p.n, p.x, p.radius, p.n_contacts, p.contact, p.cell, NULL, false, &net, &msg),
        MRN_OK);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_OK);
    double move[3] = {NAN, base.strain * net.global[1].scale / 10, NAN}, reached, stress[6];
    for (int l = 0; l < 10; l++)
        assert_int_equal(mrn_path_step(path, NULL, move, &reached, &msg), MRN_OK);
    mrn_path_facts f = mrn_path_facts_of(path);
    mrn_net_stress(&net, f.force, stress);
    NEAR(f.u[net.n_unknowns - 2], 10 * move[1], 1e-12);
    /* other increments: contacts slide in another order */
    NEAR(stress[MRN_YY], 1.5, 5e-3);
    NEAR(stress[MRN_XX], 1, 1e-4);
    /* let go: the load on the cell is what the contacts bear, nothing moves */
    assert_int_equal(mrn_path_step(path, NULL, NULL, &reached, &msg), MRN_OK);
    NEAR(mrn_path_facts_of(path).u[net.n_unknowns - 2], 10 * move[1], 1e-9);
    mrn_path_destroy(&path);
    mrn_net_release(&net);
    packing_release(&p);
}

/* The pushed disk again, in a cell whose strain is held and has nothing to do with it: the end is
   still known for one that no forces bear. */
static void end_with_a_strain_held(void **unused)
{
    (void)unused;
    double x[3] = {0}, radius = 1, cell[3] = {10, 0, 0}, reached = 0, held = 0;
    mrn_net net = {0};
    mrn_path *path = NULL;
    mrn_message msg;
    hand_contact c = ground(0, 1, 100, 50, 0.3, 2);
    assert_int_equal(hand_make(2, 1, x, &radius, 1, &c, cell, NULL, false, &net, &msg), MRN_OK);
    assert_int_equal(net.n_globals, 1);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_OK);
    double load[4] = {0.7, 0, -0.7 * hand_of(&net, 0).rc.y, 0};
    assert_int_equal(mrn_path_step(path, load, &held, &reached, &msg), MRN_NOT_CONVERGED);
    assert_int_equal(mrn_path_facts_of(path).end, MRN_PATH_UNSUPPORTED);
    mrn_path_destroy(&path);
    mrn_net_release(&net);
}

/* ---- what goes wrong ---- */

static void bad_starts_are_refused(void **unused)
{
    (void)unused;
    double x[3] = {0}, radius = 1, load[3] = {0, -1, 0};
    mrn_net net = {0};
    mrn_path *path = NULL;
    mrn_message msg = {0};
    hand_contact c = ground(0, 1, 100, 50, 0.3, 2);
    assert_int_equal(hand_make(2, 1, x, &radius, 1, &c, NULL, load, false, &net, &msg), MRN_OK);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "not in equilibrium"));
    assert_null(path);
    mrn_net_release(&net);
    c.kn = 0;
    assert_int_equal(hand_make(2, 1, x, &radius, 1, &c, NULL, NULL, false, &net, &msg), MRN_OK);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_ERR_INPUT);
    mrn_net_release(&net);
    assert_int_equal(hand_make(2, 0, x, &radius, 0, &c, NULL, NULL, false, &net, &msg), MRN_OK);
    assert_int_equal(mrn_path_create(&net, NULL, &path, &msg), MRN_ERR_INPUT);
    mrn_net_release(&net);
}

/* A disk that rolls freely, and a load that is no number. */
static void bad_loads_are_told(void **unused)
{
    (void)unused;
    rig r;
    hand_contact c = ground(0, 1, 100, 50, 0.3, 2);
    double reached = 1;
    rig_make(&r, 1, &c, false, NULL);
    assert_int_equal(step(&r, 0, 0, 0.1, &reached), MRN_NOT_CONVERGED);
    NEAR(reached, 0, 0);
    assert_int_equal(mrn_path_facts_of(r.path).end, MRN_PATH_UNSUPPORTED);
    assert_true(strlen(r.msg.text) > 0);
    assert_int_equal(step(&r, NAN, 0, 0, &reached), MRN_ERR_RANGE);
    assert_int_equal(step(&r, 0, -1, 0, &reached), MRN_OK); /* and goes on */
    NEAR(mrn_path_facts_of(r.path).force[0], 3, 1e-5);
    rig_free(&r);
}

static mrn_status live(const mrn_net *net, const double *load, double *left)
{
    mrn_path *path = NULL;
    mrn_message msg;
    double reached = 0;
    mrn_path_options opt = mrn_path_default();
    opt.min_increment = 0.5; /* few solutions: each of them allocates */
    opt.max_iterations = 100;
    mrn_status s = mrn_path_create(net, &opt, &path, &msg);
    if (s < 0) {
        assert_null(path);
        return s;
    }
    for (int l = 0; l < 3 && s == MRN_OK; l++)
        s = mrn_path_step(path, load, NULL, &reached, &msg);
    /* a step that failed for want of memory has changed nothing: the forces balance the load before
       it, which is a whole number of increments */
    double out[3];
    mrn_net_resultant(net, mrn_path_facts_of(path).force, out);
    *left = fabs(out[0] / load[0] - rint(out[0] / load[0]));
    mrn_path_destroy(&path);
    return s;
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    rig r;
    hand_contact c[2] = {ground(0, 1, 100, 50, 0.3, 1), ground(0, 1, 100, 20, 0.3, 1)};
    rig_make(&r, 2, c, false, NULL);
    double load[3], left = 0;
    push(&r, 0.25, load); /* the third one is beyond the limit: limit analysis allocates too */
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int64_t k = 1;
    for (; s == MRN_ERR_MEMORY; k++) {
        mrn_alloc_fail_at(k);
        s = live(&r.net, load, &left);
        mrn_alloc_fail_at(0);
        if (s == MRN_ERR_MEMORY)
            assert_true(left < 1e-5);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(s, MRN_NOT_CONVERGED);
    assert_true(k > 30);
    rig_free(&r);
}

/* The same bits for any number of threads. */
static void threads_do_not_matter(void **unused)
{
    (void)unused;
    packing p = packing_of(8, 0.25);
    biaxial a, b;
    int threads = mrn_threads();
    mrn_threads_set(1);
    load_biaxially(&p, mrn_path_default(), 0.1, 0.6, 1, &a);
    mrn_threads_set(4);
    load_biaxially(&p, mrn_path_default(), 0.1, 0.6, 1, &b);
    mrn_threads_set(threads);
    assert_true(a.strain == b.strain);
    assert_int_equal(a.facts.iterations, b.facts.iterations);
    packing_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_disk_slides_at_the_limit),
        cmocka_unit_test(sliders_in_parallel),
        cmocka_unit_test(a_disk_in_a_groove),
        cmocka_unit_test(contacts_open_and_close),
        cmocka_unit_test(a_gap_closes),
        cmocka_unit_test(cohesion_breaks),
        cmocka_unit_test(rolling_has_its_limit),
        cmocka_unit_test(friction_in_space_is_round),
        cmocka_unit_test(the_tangent_is_the_derivative),
        cmocka_unit_test(projections_are_what_they_should_be),
        cmocka_unit_test(the_end_of_regime_one),
        cmocka_unit_test(both_iterations_agree),
        cmocka_unit_test(associated_sliding_bears_more),
        cmocka_unit_test(imposed_strain),
        cmocka_unit_test(end_with_a_strain_held),
        cmocka_unit_test(bad_starts_are_refused),
        cmocka_unit_test(bad_loads_are_told),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
