/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion laws by themselves: force curves against their closed forms, pull-off, wells, energy
   over a cycle of approach and retreat, and impacts that stick or bounce. */
#include "laws/block.h"

#define R 2e-3
#define M 1e-5
#define W 0.1

static mrn_prepared with_hertz(const char *cohesion, const given *g)
{
    mrn_material_pair mat = glass();
    return prepared_parts((parts){.normal = "hertz", .cohesion = cohesion}, &mat, g);
}

static mrn_prepared jkr(void)
{
    given g[] = {{"work-of-adhesion", W}, {NULL, 0}};
    return with_hertz("jkr", g);
}

static mrn_prepared bridge(double angle, double viscosity)
{
    given g[] = {{"surface-tension", 0.072},
                 {"liquid-volume", 1e-11},
                 {"contact-angle", angle},
                 {"liquid-viscosity", viscosity},
                 {NULL, 0}};
    return with_hertz("liquid-bridge", g);
}

static double range_of(const mrn_prepared *p)
{
    assert_true(p->range);
    return p->part[MRN_LAW_COHESION]->range(p->coef[MRN_LAW_COHESION], R);
}

/* Force of a contact that is neither new nor about to end. */
static double force_at(const mrn_prepared *p, mrn_law_block *b, double delta)
{
    b->fresh[0] = 0;
    overlap(b, delta, 0);
    ask(p, b);
    return b->fn[0];
}

/* ---- JKR ---- */

/* F and delta as functions of the contact radius, as printed: from the parting to 1e4 times its
   radius (far into Hertz). Round-off only: 1e-13 of the larger of the two terms. */
static void jkr_curve(void **state)
{
    (void)state;
    mrn_prepared p = jkr();
    mrn_law_block *b = one_contact(R, M, 1e-9);
    double e = glass().e_star, least = cbrt(MRN_PI * W * R * R / (8 * e)), top = 0;
    assert_close(range_of(&p), 0.75 * cbrt(MRN_PI * MRN_PI * W * W * R / (e * e)),
                 1e-13 * range_of(&p));
    for (double a = 1.0005 * least; a < 1e4 * least; a *= 1.003) {
        double press = 4 * e * a * a * a / (3 * R), pull = sqrt(8 * MRN_PI * W * e * a * a * a);
        double delta = a * a / R - sqrt(2 * MRN_PI * W * a / e);
        double f = force_at(&p, b, delta);
        /* near the parting the force turns infinitely fast: delta has round-off of a^2/R */
        double steep = a < 1.1 * least ? 1e-6 : 1e-11;
        assert_close(f, press - pull, steep * (press + pull));
        top = fmin(top, f);
    }
    double pull_off = 1.5 * MRN_PI * W * R;
    print_message("JKR pull-off %.9f of 3/2 pi W R\n", -top / pull_off);
    assert_close(-top / pull_off, 1, 1e-5); /* the curve is flat there: 0.3 % in a, 1e-5 in F */
    free(b);
}

/* Three points of the curve, the equilibrium and the limit of friction. */
static void jkr_points(void **state)
{
    (void)state;
    mrn_prepared p = jkr();
    mrn_law_block *b = one_contact(R, M, 1e-9);
    double e = glass().e_star, fc = 1.5 * MRN_PI * W * R;
    assert_close(force_at(&p, b, 0) / fc, -8.0 / 9, 1e-12);
    assert_close(b->press[0] / fc, 2 - 8.0 / 9, 1e-12);
    double a = cbrt(9 * MRN_PI * W * R * R / (8 * e));
    assert_close(force_at(&p, b, -a * a / (3 * R)) / fc, -1, 1e-12);
    assert_close(b->press[0] / fc, 1, 1e-12);
    assert_close(force_at(&p, b, -range_of(&p) * (1 - 1e-12)) / fc, -5.0 / 9, 1e-5);
    a = cbrt(9 * MRN_PI * W * R * R / (2 * e));
    double rest = a * a / (3 * R), lo = 0, hi = 10 * rest;
    for (int i = 0; i < 80; i++) {
        double mid = 0.5 * (lo + hi);
        if (force_at(&p, b, mid) < 0)
            lo = mid;
        else
            hi = mid;
    }
    assert_close(lo / rest, 1, 1e-11);
    assert_close(b->press[0] / fc, 2, 1e-9);
    /* beyond the range there is nothing */
    assert_true(force_at(&p, b, -1.001 * range_of(&p)) == 0 && b->energy_n[0] == 0);
    /* a surface energy is half a work of adhesion */
    given g[] = {{"surface-energy", 0.5 * W}, {NULL, 0}};
    mrn_prepared q = with_hertz("jkr", g);
    assert_true(force_at(&q, b, 1e-6) == force_at(&p, b, 1e-6));
    free(b);
}

/* Mindlin's stiffness is that of the adhesive contact radius, which is wider than Hertz's and not 0
   in the neck: 8 G* a for a from the parting to far into Hertz. */
static void jkr_holds_sideways(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    given g[] = {{"work-of-adhesion", W}, {"friction", 50}, {NULL, 0}};
    mrn_prepared p = prepared_parts(
        (parts){.normal = "hertz", .tangential = "mindlin", .cohesion = "jkr"}, &mat, g);
    mrn_law_block *b = one_contact(R, M, 0);
    double least = cbrt(MRN_PI * W * R * R / (8 * mat.e_star)), xi = 1e-12;
    for (double a = 1.001 * least; a < 30 * least; a *= 1.3) {
        double delta = a * a / R - sqrt(2 * MRN_PI * W * a / mat.e_star);
        double *spring = &b->history[p.offset[MRN_LAW_TANGENTIAL]][0];
        spring[0] = 0, spring[MRN_BLOCK] = xi, spring[2 * MRN_BLOCK] = 0;
        spring[3 * MRN_BLOCK] = a / sqrt(R);
        (void)force_at(&p, b, delta);
        assert_close(-b->ty[0] / (8 * mat.g_star * a * xi), 1, 1e-6);
        double k = p.part[MRN_LAW_TANGENTIAL]->stiffness(p.coef[MRN_LAW_TANGENTIAL], R, M,
                                                         mrn_law_wide(&p, R, delta), 0);
        assert_close(k / (8 * mat.g_star * a), 1, 1e-6);
    }
    free(b);
}

/* The damping of the normal law stays: force with and without adhesion differ by the same at any
   rate. */
static void jkr_damping(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    given g[] = {{"restitution", 0.6}, {"work-of-adhesion", W}, {NULL, 0}};
    given n[] = {{"restitution", 0.6}, {NULL, 0}};
    mrn_prepared p = prepared_parts((parts){.normal = "tsuji", .cohesion = "jkr"}, &mat, g);
    mrn_prepared plain = prepared_parts((parts){.normal = "tsuji"}, &mat, n);
    mrn_law_block *b = one_contact(R, M, 1e-9);
    double elastic = force_at(&p, b, 1e-5), hertz = force_at(&plain, b, 1e-5);
    for (double rate = -0.1; rate < 0.11; rate += 0.05) {
        overlap(b, 1e-5, rate);
        ask(&plain, b);
        double damped = b->fn[0] - hertz, loss = b->loss_n[0];
        ask(&p, b);
        assert_close(b->fn[0] - elastic, damped, 1e-12 * hertz);
        assert_true(b->loss_n[0] == loss && loss >= 0);
    }
    free(b);
}

/* ---- energy ---- */

/* The force is minus the derivative of the energy (rate 0: no weights); it vanishes at the
   parting. */
static void energy_is_a_potential(const mrn_prepared *p, double lo, double hi)
{
    mrn_law_block *b = one_contact(R, M, 1e-9);
    double step = 1e-4 * (hi - lo), size = 0;
    for (double d = lo + step; d < hi; d += 0.0371 * (hi - lo))
        size = fmax(size, fabs(force_at(p, b, d)));
    for (double d = lo + 100 * step; d < hi; d += 0.0371 * (hi - lo)) {
        if (fabs(d) < 2 * step)
            continue;
        double f = force_at(p, b, d);
        force_at(p, b, d + 0.5 * step);
        double up = b->energy_n[0];
        force_at(p, b, d - 0.5 * step);
        /* central difference: (1e-4)^2 times curvature, which near the parting is large */
        assert_close((up - b->energy_n[0]) / step, f, 2e-4 * size);
    }
    free(b);
}

static void potentials(void **state)
{
    (void)state;
    mrn_prepared p = jkr();
    energy_is_a_potential(&p, -range_of(&p), 4 * range_of(&p));
    mrn_law_block *b = one_contact(R, M, 1e-9);
    force_at(&p, b, -range_of(&p) * (1 - 1e-9));
    assert_close(b->energy_n[0], 0, 1e-8 * W * R * range_of(&p));
    p = bridge(0.3, 0);
    energy_is_a_potential(&p, -range_of(&p), 0.02 * range_of(&p));
    force_at(&p, b, -range_of(&p) * (1 - 1e-9));
    assert_close(b->energy_n[0], 0, 1e-8 * 0.072 * R * range_of(&p));
    free(b);
    given d[] = {{"work-of-adhesion", W}, {NULL, 0}};
    p = with_hertz("dmt", d);
    energy_is_a_potential(&p, 0, 1e-6);
    given c[] = {{"cohesion-energy-density", 1e6}, {NULL, 0}};
    p = with_hertz("linear", c);
    energy_is_a_potential(&p, 0, 1e-6);
}

/* Slowly into contact and out again: the work done is what was lost at the beginning, whatever
   fraction of a step the touching falls on. The sum is of second order but for the end of JKR,
   where the force falls as a square root. */
static void cycle(const mrn_prepared *p, double deepest, double tolerance)
{
    double range = range_of(p), v = 1e-3, h = (deepest + range) / v / 4000;
    for (double phase = 0.1; phase < 1; phase += 0.2) {
        mrn_law_block *b = one_contact(R, M, h);
        double work = 0, jump = 0, last = -(1 - phase) * h * v, d = phase * h * v;
        bool in = true;
        while (d > -range) {
            in = in && d < deepest;
            double next = d + (in ? h * v : -h * v);
            overlap(b, d, in == (next > d) ? (next - last) / (2 * h) : 0);
            ask(p, b);
            work += b->fn[0] * 0.5 * (next - last);
            jump += b->jump[0];
            last = d, d = next;
        }
        assert_true(jump > 0);
        assert_close(work / jump, 1, tolerance);
        free(b);
    }
}

static void cycles(void **state)
{
    (void)state;
    mrn_prepared p = jkr();
    cycle(&p, 5 * range_of(&p), 2e-3);
    p = bridge(0.3, 0);
    cycle(&p, 0.01 * range_of(&p), 2e-3);
}

/* ---- impacts ---- */

/* A mass flies at a wall and back: leap-frog as the engine does it. Returns the speed after, or -1
   when it stays. `ledger`: sum of kinetic and stored energy and losses at the end, over the first
   kinetic energy. */
static double impact(const mrn_prepared *p, double v, double h, double phase, double *ledger)
{
    mrn_law_block *b = one_contact(R, M, h);
    double x = -phase * h * v, u = v, jump = 0, loss = 0, f = 0, range = p->range ? range_of(p) : 0;
    bool touched = false;
    int left = 200000;
    for (; left > 0; left--) {
        double mid = u - 0.5 * h * f / M;
        x += h * mid;
        if (touched ? x < -range : x <= 0) {
            if (touched)
                break;
            u = mid;
            continue;
        }
        touched = true;
        overlap(b, x, mid - 0.5 * h * f / M); /* predicted, as the engine does */
        b->jump[0] = 0;
        ask(p, b);
        f = b->fn[0];
        u = mid - 0.5 * h * f / M;
        jump += b->jump[0];
        loss += h * b->loss_n[0];
        if (!(u * u < 1e3))
            fail_msg("the impact explodes");
    }
    u = left > 0 ? u - 0.5 * h * f / M : u;
    double stored = left > 0 ? 0 : b->energy_n[0];
    *ledger = (0.5 * M * u * u + stored + jump + loss) / (0.5 * M * v * v);
    free(b);
    return left > 0 ? -u : -1;
}

/* Elastic but for the well: 1/2 m (v^2 - v'^2) is what a new contact loses; below the speed of the
   well it sticks. */
static void wells(const mrn_prepared *p, double well, double h)
{
    double stick = sqrt(2 * well / M), ledger;
    for (double ratio = 1.3; ratio < 4; ratio *= 1.5)
        for (double phase = 0; phase < 1; phase += 0.3) {
            double out = impact(p, ratio * stick, h, phase, &ledger);
            assert_close(out / stick, sqrt(ratio * ratio - 1), 5e-3 * ratio);
            assert_close(ledger, 1, 5e-3);
        }
    assert_true(impact(p, 0.9 * stick, h, 0.5, &ledger) < 0);
    assert_close(ledger, 1, 5e-3);
}

static void impacts(void **state)
{
    (void)state;
    mrn_prepared p = jkr();
    double e = glass().e_star;
    wells(&p, 1.0524 * cbrt(pow(MRN_PI * W, 5) * pow(R, 4) / (e * e)), 2e-7);
    p = bridge(0, 0);
    double length = sqrt(1e-11 / (2 * R)), well = 0, x = cbrt(1e-11) / length;
    for (int i = 0; i < 1000; i++) {
        double s = (i + 0.5) / 1000 * x;
        well += 4 * MRN_PI * R * 0.072 / (1 + 1.05 * s + 2.5 * s * s) * length * x / 1000;
    }
    wells(&p, well, 2e-7);
    /* DMT loses nothing */
    given d[] = {{"work-of-adhesion", W}, {NULL, 0}};
    p = with_hertz("dmt", d);
    for (double phase = 0; phase < 1; phase += 0.19) {
        double ledger, out = impact(&p, 0.01, 2e-7, phase, &ledger);
        assert_close(out / 0.01, 1, 2e-3);
    }
}

/* ---- DMT, linear, bridge ---- */

static void dmt_and_linear(void **state)
{
    (void)state;
    given d[] = {{"work-of-adhesion", W}, {NULL, 0}};
    mrn_prepared p = with_hertz("dmt", d);
    mrn_law_block *b = one_contact(R, M, 1e-9);
    assert_true(!p.range && !p.jumps);
    assert_close(force_at(&p, b, 1e-15), -2 * MRN_PI * W * R, 1e-9 * W * R);
    double hertz = 4.0 / 3 * glass().e_star * sqrt(R) * pow(1e-6, 1.5);
    assert_close(force_at(&p, b, 1e-6), hertz - 2 * MRN_PI * W * R, 1e-13 * hertz);
    assert_close(b->press[0], hertz, 1e-13 * hertz); /* friction feels what the solids bear */
    for (int area = 0; area < 2; area++) {
        double kc = 2e6 / (1 + area), e = glass().e_star; /* twice the area at half the density */
        given c[] = {{"cohesion-energy-density", kc}, {"cohesion-area", area}, {NULL, 0}};
        p = with_hertz("linear", c);
        double k = kc * (1 + area), rest = 9 * pow(MRN_PI * k / e, 2) * R / 16;
        double part = pow(MRN_PI * k, 3) * R * R / (12 * e * e);
        assert_close(force_at(&p, b, rest), 0, 1e-12 * part);
        assert_close(force_at(&p, b, rest * 4 / 9) / part, -1, 1e-12);
        assert_true(force_at(&p, b, 0) == 0);
    }
    free(b);
}

static void bridge_forces(void **state)
{
    (void)state;
    double angle = 0.4, pull = 4 * MRN_PI * R * 0.072 * cos(angle);
    mrn_prepared p = bridge(angle, 0);
    mrn_law_block *b = one_contact(R, M, 1e-9);
    assert_close(force_at(&p, b, 0) / pull, -1, 1e-13);
    assert_close(range_of(&p), (1 + 0.5 * angle) * cbrt(1e-11), 1e-18);
    for (double s = 0.1; s < 1; s += 0.2) {
        double x = s * range_of(&p) * sqrt(2 * R / 1e-11);
        assert_close(force_at(&p, b, -s * range_of(&p)) / pull, -1 / (1 + 1.05 * x + 2.5 * x * x),
                     1e-13);
        assert_true(b->energy_n[0] < 0);
    }
    assert_true(force_at(&p, b, -1.0001 * range_of(&p)) == 0 && b->energy_n[0] == 0);
    /* in overlap: the solids, less the full pull; Coulomb feels the solids */
    double hertz = 4.0 / 3 * glass().e_star * sqrt(R) * pow(1e-6, 1.5);
    assert_close(force_at(&p, b, 1e-6), hertz - pull, 1e-12 * hertz);
    assert_close(b->press[0], hertz, 1e-12 * hertz);
    /* stored there: the solids' 2/5 F delta, less the pull's way */
    double deep = b->energy_n[0];
    force_at(&p, b, 0);
    double gained = 0.4 * hertz * 1e-6 - pull * 1e-6;
    assert_close(deep - b->energy_n[0], gained, 1e-9 * fabs(b->energy_n[0]));
    /* in the step in which it lets go the pull acts as long as it lasts, half a step and what is
       left of the way, at the strength of the end */
    double end = range_of(&p), left = 1e-3 * end, rate = -4e-3 * end / b->h;
    double x = (end - left) * sqrt(2 * R / 1e-11), last = end * sqrt(2 * R / 1e-11);
    double here = 1 / (1 + 1.05 * x + 2.5 * x * x);
    double there = 1 / (1 + 1.05 * last + 2.5 * last * last);
    overlap(b, left - end, rate);
    ask(&p, b);
    assert_close(b->fn[0] / pull, -here - (0.25 + 0.5 - 1) * there, 1e-9);
    /* volume as a share of a grain of radius 2 R */
    given g[] = {{"surface-tension", 0.072},
                 {"liquid-share", 1e-11 / (4.0 / 3 * MRN_PI * 8 * R * R * R)},
                 {"contact-angle", angle},
                 {NULL, 0}};
    mrn_prepared q = with_hertz("liquid-bridge", g);
    assert_close(range_of(&q) / range_of(&p), 1, 1e-13);
    double f = force_at(&p, b, -1e-4);
    assert_close(force_at(&q, b, -1e-4) / f, 1, 1e-13);
    free(b);
}

/* 6 pi eta R^2 v/s down to the cut-off R/1000, against the motion, booked as lost. */
static void bridge_viscosity(void **state)
{
    (void)state;
    mrn_prepared p = bridge(0, 0.01), q = bridge(0, 0);
    mrn_law_block *b = one_contact(R, M, 1e-9);
    double gaps[] = {1e-4, 1e-5, 1e-7, -1e-6};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign < 2; sign += 2) {
            double v = sign * 0.01, still = force_at(&q, b, -gaps[i]);
            overlap(b, -gaps[i], v);
            ask(&p, b);
            double s = fmax(gaps[i], 1e-3 * R), want = 6 * MRN_PI * 0.01 * R * R * v / s;
            assert_close(b->fn[0] - still, want, 1e-9 * fabs(still));
            assert_close(b->loss_n[0], want * v, 1e-12 * want * v);
        }
    double ledger, out = impact(&p, 0.5, 2e-7, 0.5, &ledger);
    assert_true(out < 0.5);
    assert_close(ledger, 1, 2e-2);
    free(b);
}

/* ---- what they refuse ---- */

static void refusals(void **state)
{
    (void)state;
    mrn_material_pair mat = glass(), soft = mrn_material_pair_mix(0, 0, 1, 0, 0, 1);
    mrn_prepared out;
    mrn_message msg = {0};
    given none[] = {{NULL, 0}},
          both[] = {{"work-of-adhesion", W}, {"surface-energy", W}, {NULL, 0}};
    const char *names[] = {"jkr", "dmt"};
    for (int k = 0; k < 2; k++) {
        mrn_law_model m = mixed((parts){.normal = "hertz", .cohesion = names[k]});
        assert_int_equal(prepare_status(&m, &mat, none, &out, &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, "work-of-adhesion"));
        assert_int_equal(prepare_status(&m, &mat, both, &out, NULL), MRN_ERR_INPUT);
    }
    mrn_law_model m = mixed((parts){.normal = "hertz", .cohesion = "jkr"});
    given one[] = {{"work-of-adhesion", W}, {NULL, 0}};
    assert_int_equal(prepare_status(&m, &soft, one, &out, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "Young"));
    m = mixed((parts){.normal = "hertz", .cohesion = "liquid-bridge"});
    given dry[] = {{"surface-tension", 0.07}, {NULL, 0}};
    assert_int_equal(prepare_status(&m, &mat, dry, &out, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "liquid-volume"));
    /* JKR needs a Hertz contact under it */
    const mrn_law *part[MRN_LAW_KINDS] = {
        [MRN_LAW_NORMAL] = mrn_law_find(MRN_LAW_NORMAL, "linear"),
        [MRN_LAW_COHESION] = mrn_law_find(MRN_LAW_COHESION, "jkr"),
    };
    assert_int_equal(mrn_law_mix(part, &m, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.expected, "tsuji"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jkr_curve),
        cmocka_unit_test(jkr_points),
        cmocka_unit_test(jkr_holds_sideways),
        cmocka_unit_test(jkr_damping),
        cmocka_unit_test(potentials),
        cmocka_unit_test(cycles),
        cmocka_unit_test(impacts),
        cmocka_unit_test(dmt_and_linear),
        cmocka_unit_test(bridge_forces),
        cmocka_unit_test(bridge_viscosity),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
