/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limit analysis: loads and factors known on paper, and for random networks the proof of optimality
   that forces and motion give together: forces in their cones and in equilibrium show that the
   factor can be had, a motion that the contacts allow and on which no more power is spent than the
   cohesion takes shows that no larger one can. */
/* ctest-labels: slow */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "by_hand.h"
#include "moraine/quasistatic.h"

static const double ROOT3 = 1.7320508075688772;

/* ---- networks ---- */

typedef struct draft {
    int dimension, n, n_contacts;
    double x[3 * 64], radius[64];
    hand_contact contact[512];
    double cell[3];
    bool periodic, frictionless;
} draft;

static int grain(draft *d, double x, double y, double z)
{
    d->x[3 * d->n] = x, d->x[3 * d->n + 1] = y, d->x[3 * d->n + 2] = z;
    d->radius[d->n] = 1;
    return d->n++;
}

/* n (NULL: along the line of centres) points to c; a -1: the ground. */
static hand_contact *touch(draft *d, int c, int a, const double *n, double friction)
{
    hand_contact *k = &d->contact[d->n_contacts++];
    *k = (hand_contact){.c = c, .a = a, .global = -1, .kn = 1, .kt = 1, .friction = friction};
    if (n != NULL) {
        k->n = mrn_unit(mrn_v3(n[0], n[1], n[2]));
    } else {
        k->n = mrn_unit(mrn_sub(mrn_load3(d->x + 3 * c), mrn_load3(d->x + 3 * a)));
    }
    return k;
}

static mrn_net net_of(const draft *d)
{
    mrn_net net;
    mrn_message msg;
    mrn_status s = hand_make(d->dimension, d->n, d->x, d->radius, d->n_contacts, d->contact,
                             d->periodic ? d->cell : NULL, NULL, d->frictionless, &net, &msg);
    if (s != MRN_OK)
        print_error("%s\n", msg.text);
    assert_int_equal(s, MRN_OK);
    return net;
}

static void set_load(mrn_net *net, int node, int component, double value)
{
    net->load[(int64_t)node * net->dofs + component] = value;
}

static mrn_limit solve(const mrn_net *net, const mrn_limit_options *opt)
{
    mrn_limit l;
    mrn_message msg = {0};
    mrn_status s = mrn_limit_of(net, opt, &l, &msg);
    if (s != MRN_OK)
        print_error("%s\n", msg.text);
    assert_int_equal(s, MRN_OK);
    assert_true(l.converged);
    return l;
}

static double length(int64_t n, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static double product(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- the proof ---- */

/* Sizes of the tangential part, the pivoting and the rolling part of rows of a contact. */
static void parts(const mrn_net *net, const hand_contact *c, const double *f, double out[3])
{
    int d = net->dimension;
    const double *r = f + c->row;
    out[0] = c->rows == 1 ? 0 : d == 2 ? fabs(r[1]) : hypot(r[1], r[2]);
    out[1] = c->rows == 6 ? fabs(r[3]) : 0;
    out[2] = c->rows == 6 ? hypot(r[4], r[5]) : d == 2 && c->rows == 3 ? fabs(r[2]) : 0;
}

static void ratios(const mrn_net *net, const hand_contact *c, double out[3])
{
    out[0] = c->friction;
    out[1] = c->roll_limit[1] / net->length;
    out[2] = c->roll_limit[0] / net->length;
}

/* Largest way of forces out of their cones, with cohesion times `pull`. */
static double outside(const mrn_net *net, const double *f, double pull)
{
    double worst = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const hand_contact c_of = hand_of(net, k), *c = &c_of;
        double part[3], ratio[3], normal = f[c->row] + pull * c->pull;
        parts(net, c, f, part);
        ratios(net, c, ratio);
        worst = fmax(worst, -normal);
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, part[i] - ratio[i] * normal);
    }
    return worst;
}

/* Largest lack of U_n >= mu |U_t| + moments' parts, and the power that cohesion takes. */
static double forbidden(const mrn_net *net, const double *v, double *taken)
{
    double *rel = malloc((size_t)net->n_rows * sizeof *rel), worst = 0;
    mrn_net_relative(net, v, rel);
    *taken = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const hand_contact c_of = hand_of(net, k), *c = &c_of;
        double part[3], ratio[3], lack = -rel[c->row];
        parts(net, c, rel, part);
        ratios(net, c, ratio);
        for (int i = 0; i < 3; i++)
            lack += ratio[i] * part[i];
        worst = fmax(worst, lack);
        *taken += c->pull * rel[c->row];
    }
    free(rel);
    return worst;
}

/* |Gᵀ f + fixed + factor change|; fixed may be NULL. */
static double unbalanced(const mrn_net *net, const double *f, const double *fixed, double factor,
                         const double *change)
{
    double *r = malloc((size_t)net->n_unknowns * sizeof *r);
    mrn_net_resultant(net, f, r);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        r[i] += (fixed != NULL ? fixed[i] : 0) + factor * change[i];
    double size = length(net->n_unknowns, r);
    free(r);
    return size;
}

/* Tolerance of the programmes is 1e-8 (of loads, motions and gap); forces and factors can be larger
   than loads, and the factor's error is relative to a thousandth of |F|/|C| at least: 1e-6. */
static void prove(const mrn_net *net, const mrn_limit_options *opt, const mrn_limit *l)
{
    int64_t n = net->n_unknowns;
    const double *change = opt->change != NULL ? opt->change : net->load;
    const double *fixed = opt->change != NULL && opt->fixed ? net->load : NULL;
    double load = (fixed != NULL ? length(n, fixed) : 0), taken;
    for (int64_t k = 0; k < net->n_contacts; k++)
        load = fmax(load, net->element[k].pull);
    double size = fmax(load, length(n, change));
    if (l->factor == INFINITY) {
        assert_true(fixed != NULL || outside(net, l->force, 0) <= 1e-6 * size);
        assert_true(outside(net, l->force, 1) <= 1e-6 * size);
        if (fixed == NULL || length(net->n_rows, l->force) > 0)
            assert_true(unbalanced(net, l->force, fixed, 1, change) <= 1e-6 * size);
        assert_true(length(n, l->mechanism) == 0);
        return;
    }
    assert_true(fabs(length(n, l->mechanism) - 1) < 1e-12);
    double lack = forbidden(net, l->mechanism, &taken);
    double power = product(n, change, l->mechanism);
    double other = (fixed != NULL ? product(n, fixed, l->mechanism) : 0) - taken;
    assert_true(lack <= 1e-6);
    if (l->factor == -INFINITY) {
        assert_true(other > 0 && fabs(power) * load <= 1e-6 * other * length(n, change));
        return;
    }
    /* without a load that stays and cohesion, factors are 0 or infinite: 1 is the measure */
    size = fmax(load, fmax(fabs(l->factor), load > 0 ? 0 : 1) * length(n, change));
    assert_true(outside(net, l->force, 1) <= 1e-6 * size);
    assert_true(unbalanced(net, l->force, fixed, l->factor, change) <= 1e-6 * size);
    assert_true(power > 0);
    assert_true(fabs(l->factor + other / power) <= 1e-6 * size / length(n, change));
}

/* ---- on paper ---- */

/* A box of width 2 b with its centre at height h, on two contact points with the ground, which is
   turned by an angle: it slides at tan = mu and topples at tan = b/h. */
static mrn_net box(double half, double high, double slope, double friction)
{
    draft d = {.dimension = 2};
    grain(&d, 0, 0, 0);
    const double n[3] = {-sin(slope), cos(slope), 0};
    touch(&d, 0, -1, n, friction);
    touch(&d, 0, -1, n, friction);
    mrn_net net = net_of(&d);
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? -half : half;
        mrn_store3(net.contact.arm_c + 3 * k, mrn_v3(side * cos(slope) + high * sin(slope),
                                                     side * sin(slope) - high * cos(slope), 0));
    }
    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    set_load(&net, 0, 1, -10);
    return net;
}

static bool box_stands(double half, double high, double slope, double friction)
{
    mrn_net net = box(half, high, slope, friction);
    mrn_limit_options opt = {0};
    mrn_limit l = solve(&net, &opt);
    bool yes = l.supportable;
    assert_true(l.factor == (yes ? INFINITY : 0) || (!yes && fabs(l.factor) < 1e-6));
    prove(&net, &opt, &l);
    mrn_limit_release(&l);
    mrn_net_release(&net);
    return yes;
}

static void a_box_on_a_slope(void **state)
{
    (void)state;
    /* 1e-3 on either side of the two angles */
    assert_true(box_stands(2, 1, atan(0.5) - 1e-3, 0.5));
    assert_false(box_stands(2, 1, atan(0.5) + 1e-3, 0.5));
    assert_true(box_stands(0.3, 1, atan(0.3) - 1e-3, 0.5));
    assert_false(box_stands(0.3, 1, atan(0.3) + 1e-3, 0.5));
    assert_true(box_stands(2, 1, 0, 0.5));
    assert_true(box_stands(2, 1, 0, 0));
    assert_false(box_stands(2, 1, 1e-3, 0));
}

static void a_box_that_is_pushed(void **state)
{
    (void)state;
    const double half[3] = {2, 0.3, 0.7}, friction[3] = {0.5, 0.5, 0};
    for (int i = 0; i < 3; i++) {
        mrn_net net = box(half[i], 1, 0, friction[i]);
        double change[3] = {1, 0, 0};
        mrn_limit_options opt = {.change = change, .fixed = true, .tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        double expected = 10 * fmin(half[i], friction[i]);
        assert_true(l.supportable);
        assert_true(fabs(l.factor - expected) < 1e-6 * 10);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* One disk on one point rolls away on any slope; a rolling limit of length b holds it while tan <=
   min(mu, b/R). */
static void a_disk_that_can_roll(void **state)
{
    (void)state;
    const double limit[4] = {0, 0.2, 0.2, 0.9}, slope[4] = {0.01, 0.199, 0.201, 0.501};
    const bool stands[4] = {false, true, false, false};
    for (int i = 0; i < 4; i++) {
        draft d = {.dimension = 2};
        grain(&d, 0, 0, 0);
        const double n[3] = {-slope[i], 1, 0};
        touch(&d, 0, -1, n, 0.5)->roll_limit[0] = limit[i];
        mrn_net net = net_of(&d);
        memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
        set_load(&net, 0, 1, -1);
        mrn_limit_options opt = {.tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        assert_int_equal(l.supportable, stands[i]);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* A disk of weight 1 in a groove whose sides rise by an angle. */
static mrn_net groove(double rise, double friction, bool frictionless)
{
    draft d = {.dimension = 2, .frictionless = frictionless};
    grain(&d, 0, 0, 0);
    const double left[3] = {sin(rise), cos(rise), 0}, right[3] = {-sin(rise), cos(rise), 0};
    touch(&d, 0, -1, left, friction);
    touch(&d, 0, -1, right, friction);
    mrn_net net = net_of(&d);
    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    set_load(&net, 0, 1, -1);
    return net;
}

static double groove_limit(double rise, double friction, bool frictionless, int component)
{
    mrn_net net = groove(rise, friction, frictionless);
    double change[3] = {0};
    change[component] = 1;
    mrn_limit_options opt = {.change = change, .fixed = true, .tolerance = 1e-8};
    mrn_limit l = solve(&net, &opt);
    assert_true(l.supportable);
    prove(&net, &opt, &l);
    double factor = l.factor;
    mrn_limit_release(&l);
    mrn_net_release(&net);
    return factor;
}

/* Pushed across, the disk leaves the other side at H = W tan(rise), friction or not: N_1 = 0 is the
   end as long as mu tan(rise) < 1; beyond, it wedges and bears any push. Turned, it slides on both
   sides: M/R = mu W / (cos(rise) (1 + mu²)), while mu < tan(rise) and < 1 / tan(rise). Pulled up:
   W, or wedged. */
static void a_disk_in_a_groove(void **state)
{
    (void)state;
    for (int i = 1; i < 9; i++) {
        double rise = i * M_PI / 20;
        assert_true(fabs(groove_limit(rise, 0, true, 0) / tan(rise) - 1) < 1e-6);
        assert_true(fabs(groove_limit(rise, 0.9 / tan(rise), false, 0) / tan(rise) - 1) < 1e-6);
        assert_true(groove_limit(rise, 1.1 / tan(rise), false, 0) == INFINITY);
        double mu = fmin(0.7 * tan(rise), 0.9 / tan(rise));
        double turn = mu / (cos(rise) * (1 + mu * mu));
        assert_true(fabs(groove_limit(rise, mu, false, 2) / turn - 1) < 1e-6);
        assert_true(fabs(groove_limit(rise, 0.9 / tan(rise), false, 1) - 1) < 1e-6);
        assert_true(groove_limit(rise, 1.1 / tan(rise), false, 1) == INFINITY);
    }
}

/* The left side of the groove is now a disk held between two walls by forces as large as one likes:
   it is as good as fixed, and the factor is the same although forces have no bound. */
static void a_wedge_below(void **state)
{
    (void)state;
    for (int i = 1; i < 5; i++) {
        double rise = i * M_PI / 16;
        draft d = {.dimension = 2};
        const double right[3] = {-sin(rise), cos(rise), 0}, east[3] = {1, 0, 0},
                     west[3] = {-1, 0, 0};
        grain(&d, 0, 0, 0), grain(&d, 2 * sin(rise), 2 * cos(rise), 0);
        touch(&d, 0, -1, east, 0.5), touch(&d, 0, -1, west, 0.5);
        touch(&d, 1, 0, NULL, 0.3), touch(&d, 1, -1, right, 0.3);
        mrn_net net = net_of(&d);
        memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
        set_load(&net, 1, 1, -1);
        double change[6] = {0, 0, 0, 1, 0, 0};
        mrn_limit_options opt = {.change = change, .fixed = true, .tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        assert_true(l.supportable);
        assert_true(fabs(l.factor / tan(rise) - 1) < 1e-6);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* At the limit itself, to rounding: whatever is said, it is said with a proof. */
static void on_the_edge(void **state)
{
    (void)state;
    for (int i = 1; i < 12; i++) {
        double mu = 0.1 * i;
        mrn_net net = box(3, 1, atan(mu), mu);
        mrn_limit_options opt = {0};
        mrn_limit l = solve(&net, &opt);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* Two base disks on the floor and one on top, which touches both 30 degrees off the vertical. The
   moments of a base disk make its two friction forces equal; without a force between the bases (it
   would only push them apart) T = N tan 15°, N = P/2 for a top load P. So contacts of disks need mu
   >= tan 15°, and the floor with mu_f less than that bears P = 2 mu_f w / (tan 15° - mu_f), w the
   weight of a base disk. Averages of forces and their mirror image are as good: nothing that is not
   symmetric is better. */
static mrn_net pyramid(int dimension, double floor, double disks, double weight)
{
    draft d = {.dimension = dimension};
    const double up[3] = {0, 1, 0};
    grain(&d, -1, 0, 0), grain(&d, 1, 0, 0), grain(&d, 0, ROOT3, 0);
    touch(&d, 0, -1, up, floor), touch(&d, 1, -1, up, floor);
    touch(&d, 2, 0, NULL, disks), touch(&d, 2, 1, NULL, disks), touch(&d, 1, 0, NULL, disks);
    mrn_net net = net_of(&d);
    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    for (int i = 0; i < 3; i++)
        set_load(&net, i, 1, i == 2 ? -0.01 * weight : -weight);
    return net;
}

static void three_disks(void **state)
{
    (void)state;
    double t = tan(M_PI / 12);
    const double floor[4] = {0.05, 0.2, 0.26, 0.3}, weight[4] = {1, 1e6, 1e-6, 1};
    for (int i = 0; i < 8; i++) {
        /* in 3D the same disks are spheres: the plane's answer stands */
        mrn_net net = pyramid(2 + i / 4, floor[i % 4], 0.5, weight[i % 4]);
        double change[18] = {0};
        change[2 * net.dofs + 1] = -1;
        mrn_limit_options opt = {.change = change, .fixed = true, .tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        double most =
            floor[i % 4] < t ? 2 * floor[i % 4] * weight[i % 4] / (t - floor[i % 4]) : INFINITY;
        assert_true(l.supportable);
        if (most < INFINITY)
            assert_true(fabs((l.factor + 0.01 * weight[i % 4]) / most - 1) < 1e-6);
        else
            assert_true(l.factor == INFINITY);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
    mrn_net slippery = pyramid(2, 0.5, t - 1e-3, 1), rough = pyramid(2, 0.5, t + 1e-3, 1);
    mrn_limit_options opt = {0};
    mrn_limit no = solve(&slippery, &opt), yes = solve(&rough, &opt);
    assert_false(no.supportable);
    assert_true(yes.supportable);
    mrn_limit_release(&no), mrn_limit_release(&yes);
    mrn_net_release(&slippery), mrn_net_release(&rough);
}

/* Between two walls that open downwards by an angle each the weight is borne by friction alone, and
   then any weight, where tan(angle) < mu. */
static void between_walls(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        double mu = 0.3, angle = atan(mu) + (i % 2 == 0 ? -1e-3 : 1e-3) * (1 + i);
        draft d = {.dimension = 2 + i / 3};
        grain(&d, 0, 0, 0);
        const double left[3] = {cos(angle), -sin(angle), 0},
                     right[3] = {-cos(angle), -sin(angle), 0};
        touch(&d, 0, -1, left, mu), touch(&d, 0, -1, right, mu);
        mrn_net net = net_of(&d);
        memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
        set_load(&net, 0, 1, -5);
        mrn_limit_options opt = {0};
        mrn_limit l = solve(&net, &opt);
        assert_int_equal(l.supportable, i % 2 == 0);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* Walls that open by the angle of friction to 1e-8 and nearer: what can be borne and what cannot
   are within rounding of each other, and the iteration ends at neither. It is an answer all the
   same, and where it is no, the words are those of contacts that slide. */
static void within_rounding(void **state)
{
    (void)state;
    static const double off[] = {1e-8, -1e-8, 1e-10, -1e-10, 1e-12, -1e-12, 1e-14, 0};
    int refused = 0;
    for (int i = 0; i < 16; i++) {
        double mu = 0.3, angle = atan(mu) + off[i % 8];
        draft d = {.dimension = 2 + i / 8};
        grain(&d, 0, 0, 0);
        const double left[3] = {cos(angle), -sin(angle), 0},
                     right[3] = {-cos(angle), -sin(angle), 0};
        touch(&d, 0, -1, left, mu), touch(&d, 0, -1, right, mu);
        mrn_net net = net_of(&d);
        memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
        set_load(&net, 0, 1, -5);
        mrn_limit_options opt = {0};
        mrn_limit l;
        mrn_message msg = {0};
        mrn_status st = mrn_limit_of(&net, &opt, &l, &msg);
        assert_int_equal(st, MRN_OK);
        assert_true(l.converged);
        refused += !l.supportable;
        assert_int_equal(!l.supportable, strstr(msg.text, "slide and open") != NULL);
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
    assert_true(refused > 0);
}

/* A sphere between two plates turns freely about the line through its contact points: a couple
   about it is borne by nothing, one across it up to mu N 2 R, here without bound. */
static void a_load_on_a_mechanism(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        draft d = {.dimension = 3};
        grain(&d, 0, 0, 0);
        const double left[3] = {1, 0, 0}, right[3] = {-1, 0, 0};
        touch(&d, 0, -1, left, 0.3), touch(&d, 0, -1, right, 0.3);
        mrn_net net = net_of(&d);
        memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
        set_load(&net, 0, 3 + axis, 1);
        set_load(&net, 0, 1, 1);
        mrn_limit l;
        mrn_message msg = {0};
        mrn_limit_options opt = {0};
        assert_int_equal(mrn_limit_of(&net, &opt, &l, &msg), MRN_OK);
        assert_int_equal(l.supportable, axis != 0);
        prove(&net, &opt, &l);
        if (axis == 0) {
            assert_non_null(strstr(msg.text, "no contact resists"));
            assert_true(fabs(l.mechanism[3] - 1) < 1e-6);
        }
        mrn_limit_release(&l);
        mrn_net_release(&net);
    }
}

/* A sphere that sticks to the ceiling by its cohesion: hangs up to a weight equal to it. */
static void cohesion(void **state)
{
    (void)state;
    draft d = {.dimension = 3};
    grain(&d, 0, 0, 0);
    const double down[3] = {0, 0, -1};
    touch(&d, 0, -1, down, 0.5)->pull = 3;
    mrn_net net = net_of(&d);
    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    for (int i = 0; i < 3; i++) {
        double weight = i == 0 ? 1 : i == 1 ? 2.9 : 3.1;
        set_load(&net, 0, 2, -weight);
        mrn_limit_options opt = {.tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        assert_int_equal(l.supportable, weight < 3);
        assert_true(fabs(l.factor * weight / 3 - 1) < 1e-6);
        prove(&net, &opt, &l);
        mrn_limit_release(&l);
    }
    mrn_net_release(&net);
}

/* ---- random networks ---- */

static mrn_vec3 random_direction(int dimension, mrn_rng *rng)
{
    double x = mrn_rng_normal(rng), y = mrn_rng_normal(rng), z = mrn_rng_normal(rng);
    return mrn_unit(mrn_v3(x, y, dimension == 3 ? z : 0));
}

static void random_contact(draft *d, int c, int a, int kind, mrn_rng *rng)
{
    mrn_vec3 n = random_direction(d->dimension, rng);
    double mu = 0.1 + mrn_rng_uniform(rng), u = mrn_rng_uniform(rng), v = mrn_rng_uniform(rng),
           p = mrn_rng_uniform(rng);
    const double ground[3] = {n.x, n.y, n.z};
    hand_contact *k = touch(d, c, a, a < 0 ? ground : NULL, u < 0.15 ? 0 : mu);
    if (kind & 1)
        k->pull = p;
    if (kind & 2 && v < 0.8) {
        k->roll_limit[0] = 0.2 * v;
        k->roll_limit[1] = v < 0.4 ? 0 : 0.1 * v;
    }
}

/* Kinds: 1 cohesion, 2 moments, 4 a periodic cell (whose strains are unknowns). */
static void random_draft(int dimension, int kind, mrn_rng *rng, draft *d)
{
    *d = (draft){.dimension = dimension, .periodic = (kind & 4) != 0, .cell = {6, 6, 6}};
    if (dimension == 2)
        d->cell[2] = 0;
    int n = 3 + (int)(6 * mrn_rng_uniform(rng));
    for (int i = 0; i < n; i++) {
        double x = 6 * mrn_rng_uniform(rng), y = 6 * mrn_rng_uniform(rng),
               z = 6 * mrn_rng_uniform(rng);
        grain(d, x, y, dimension == 3 ? z : 0);
    }
    double dense = 0.2 + 0.8 * mrn_rng_uniform(rng), held = mrn_rng_uniform(rng);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double u = mrn_rng_uniform(rng);
            if (u < dense)
                random_contact(d, i, j, kind, rng);
        }
    int ground = kind & 4 ? 0 : 1 + (int)(3 * n * held);
    for (int k = 0; k < ground; k++)
        random_contact(d, k % n, -1, kind, rng);
    for (int k = 0; d->periodic && k < d->n_contacts; k++)
        d->contact[k].n = mrn_v3(0, 0, 0); /* nearest image decides */
}

/* A load that forces within the cones bear: drawn ones at half of friction at most, and none in
   some contacts. */
static void bearable(mrn_net *net, mrn_rng *rng)
{
    double *f = calloc((size_t)net->n_rows, sizeof *f);
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const hand_contact c_of = hand_of(net, k), *c = &c_of;
        double ratio[3], size[6];
        ratios(net, c, ratio);
        for (int i = 0; i < 6; i++)
            size[i] = mrn_rng_uniform(rng) - 0.5;
        f[c->row] = size[0] > -0.2 ? size[0] + 0.5 : 0;
        for (int i = 1; i < c->rows; i++) {
            bool moment = i >= net->dimension;
            double r = !moment ? ratio[0] : c->rows == 6 && i == 3 ? ratio[1] : ratio[2];
            f[c->row + i] = r * size[i] * f[c->row];
        }
    }
    mrn_net_resultant(net, f, net->load);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        net->load[i] = -net->load[i];
    free(f);
}

typedef struct tally {
    int finite, infinite, impossible, iterations;
} tally;

static void count(const mrn_limit *l, tally *t)
{
    t->finite += isfinite(l->factor) != 0;
    t->infinite += l->factor == INFINITY;
    t->impossible += l->factor == -INFINITY;
    t->iterations += l->iterations;
}

static void one_random(int dimension, int kind, mrn_rng *rng, tally *t)
{
    draft d;
    random_draft(dimension, kind, rng, &d);
    mrn_net net = net_of(&d);
    bearable(&net, rng);
    double *change = malloc((size_t)net.n_unknowns * sizeof *change);
    for (int64_t i = 0; i < net.n_unknowns; i++)
        change[i] = mrn_rng_normal(rng);
    /* what moves the whole is borne by nothing in a cell */
    for (int64_t i = 0; kind & 4 && i < (int64_t)net.n * net.dofs; i++)
        change[i] = 0;
    for (int mode = 0; mode < 3; mode++) {
        mrn_limit_options opt = {
            .change = mode > 0 ? change : NULL, .fixed = mode == 2, .tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        assert_true(l.supportable);
        prove(&net, &opt, &l);
        count(&l, t);
        mrn_limit_release(&l);
    }
    /* and a load that may be borne or not, with another that is, and with a third */
    double *load = net.load;
    net.load = change;
    for (int other = 0; other < 2; other++) {
        mrn_limit_options opt = {.change = load, .fixed = true, .tolerance = 1e-8};
        mrn_limit l = solve(&net, &opt);
        prove(&net, &opt, &l);
        count(&l, t);
        mrn_limit_release(&l);
        for (int64_t i = 0; i < (int64_t)net.n * net.dofs; i++) {
            double x = mrn_rng_normal(rng);
            load[i] += kind & 4 ? 0 : x;
        }
    }
    net.load = load;
    free(change);
    mrn_net_release(&net);
}

static void random_networks(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(7, 1);
    tally t = {0};
    for (int i = 0; i < 240; i++)
        one_random(2 + i % 2, i / 2 % 8, &rng, &t);
    print_message("%d finite, %d infinite, %d impossible; %.1f iterations\n", t.finite, t.infinite,
                  t.impossible, t.iterations / 1200.);
    assert_true(t.finite > 100 && t.infinite > 100 && t.impossible > 10);
}

/* Units of force do not matter. */
static void units(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(11, 1);
    for (int i = 0; i < 20; i++) {
        draft d;
        random_draft(2 + i % 2, i / 2 % 4, &rng, &d);
        double change[64], factor[3];
        for (int k = 0; k < 64; k++)
            change[k] = mrn_rng_normal(&rng);
        mrn_rng copy = rng;
        for (int u = 0; u < 3; u++) {
            double unit = u == 0 ? 1 : u == 1 ? 1e-6 : 1e6;
            draft e = d;
            for (int k = 0; k < e.n_contacts; k++)
                e.contact[k].pull *= unit;
            mrn_net net = net_of(&e);
            assert_true(net.n_unknowns <= 64);
            rng = copy;
            bearable(&net, &rng);
            for (int64_t k = 0; k < net.n_unknowns; k++)
                net.load[k] *= unit;
            mrn_limit_options opt = {.change = change, .fixed = true, .tolerance = 1e-8};
            mrn_limit l = solve(&net, &opt);
            factor[u] = l.factor == INFINITY ? INFINITY : l.factor / unit;
            mrn_limit_release(&l);
            mrn_net_release(&net);
        }
        for (int u = 1; u < 3; u++)
            assert_true(factor[u] == factor[0] ||
                        fabs(factor[u] - factor[0]) <= 1e-6 * fmax(1, fabs(factor[0])));
    }
}

/* ---- edges ---- */

static void nothing_there(void **state)
{
    (void)state;
    mrn_net empty = {.dimension = 2, .length = 1, .dofs = 2};
    mrn_limit l = solve(&empty, NULL);
    assert_true(l.supportable && l.factor == INFINITY);
    mrn_limit_release(&l);
    /* a grain that nothing holds */
    draft d = {.dimension = 2, .frictionless = true};
    grain(&d, 0, 0, 0);
    mrn_net net = net_of(&d);
    double change[2] = {0, 2};
    mrn_limit_options opt = {.change = change, .fixed = true};
    assert_int_equal(net.n_unknowns, 2);
    l = solve(&net, NULL);
    assert_true(l.supportable && l.factor == INFINITY);
    mrn_limit_release(&l);
    set_load(&net, 0, 1, -1);
    l = solve(&net, NULL);
    assert_true(!l.supportable && l.factor == 0 && fabs(l.mechanism[1] + 1) < 1e-12);
    mrn_limit_release(&l);
    l = solve(&net, &opt);
    assert_true(!l.supportable && fabs(l.factor - 0.5) < 1e-12);
    mrn_limit_release(&l);
    set_load(&net, 0, 0, -1);
    l = solve(&net, &opt);
    assert_true(!l.supportable && l.factor == -INFINITY && fabs(l.mechanism[0] + 1) < 1e-12);
    mrn_limit_release(&l);
    mrn_net_release(&net);
}

static void no_load(void **state)
{
    (void)state;
    mrn_net net = groove(0.5, 0.3, false);
    double nothing[3] = {0};
    mrn_limit_options opt = {.change = nothing, .fixed = true};
    mrn_limit l = solve(&net, &opt);
    assert_true(l.supportable && l.factor == INFINITY);
    mrn_limit_release(&l);
    set_load(&net, 0, 1, 1); /* lifts */
    l = solve(&net, &opt);
    assert_true(!l.supportable && l.factor == -INFINITY);
    mrn_limit_release(&l);
    set_load(&net, 0, 1, 0);
    l = solve(&net, NULL);
    assert_true(l.supportable && l.factor == INFINITY && l.force[0] == 0);
    mrn_limit_release(&l);
    mrn_net_release(&net);
}

static void what_is_refused(void **state)
{
    (void)state;
    mrn_net net = groove(0.5, 0.3, false);
    mrn_limit l;
    mrn_message msg;
    mrn_limit_options opt = {.tolerance = -1};
    assert_int_equal(mrn_limit_of(&net, &opt, &l, &msg), MRN_ERR_RANGE);
    opt = (mrn_limit_options){.max_iterations = -1};
    assert_int_equal(mrn_limit_of(&net, &opt, &l, &msg), MRN_ERR_RANGE);
    net.element[1].friction = INFINITY;
    assert_int_equal(mrn_limit_of(&net, NULL, &l, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "friction coefficient of contact 1"));
    net.element[1].friction = 0.3;
    net.load[2] = NAN;
    assert_int_equal(mrn_limit_of(&net, NULL, &l, &msg), MRN_ERR_INPUT);
    net.load[2] = 0;
    assert_null(l.force);
    double change[3] = {1, 0, 0};
    opt = (mrn_limit_options){.change = change, .fixed = true, .max_iterations = 2};
    assert_int_equal(mrn_limit_of(&net, &opt, &l, &msg), MRN_NOT_CONVERGED);
    assert_true(!l.converged && l.gap > 1e-6 && l.force != NULL);
    mrn_limit_release(&l);
    mrn_limit_release(&l);
    mrn_net_release(&net);
}

static void memory_runs_out(void **state)
{
    (void)state;
    mrn_net net = groove(0.5, 0.3, false);
    double change[3] = {1, 0, 0};
    mrn_limit_options opt = {.change = change, .fixed = true};
    size_t before = mrn_bytes_in_use();
    mrn_status s = MRN_ERR_MEMORY;
    int tries = 0;
    for (int64_t k = 1; s == MRN_ERR_MEMORY; k++, tries++) {
        mrn_limit l;
        mrn_message msg;
        mrn_alloc_fail_at(k);
        s = mrn_limit_of(&net, &opt, &l, &msg);
        mrn_alloc_fail_at(0);
        assert_true(s == MRN_OK || s == MRN_ERR_MEMORY);
        assert_true(s == MRN_OK || l.force == NULL);
        mrn_limit_release(&l);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(tries > 10);
    mrn_net_release(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_slope),
        cmocka_unit_test(a_box_that_is_pushed),
        cmocka_unit_test(a_disk_that_can_roll),
        cmocka_unit_test(a_disk_in_a_groove),
        cmocka_unit_test(a_wedge_below),
        cmocka_unit_test(on_the_edge),
        cmocka_unit_test(three_disks),
        cmocka_unit_test(between_walls),
        cmocka_unit_test(within_rounding),
        cmocka_unit_test(a_load_on_a_mechanism),
        cmocka_unit_test(cohesion),
        cmocka_unit_test(random_networks),
        cmocka_unit_test(units),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(no_load),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
