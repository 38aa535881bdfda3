/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validation: rigid bodies of method nonsmooth whose motion is known. The runs are those of the
   tests in tests/nonsmooth, longer and with finer steps; here their numbers stand beside the
   theory. */
#include "nonsmooth/rigid_blocks.h"
#include "nonsmooth/rigid_piles.h"
#include "validate/validate.h"

#define EXACT "tolerance: 1e-7, solver: hybrid"

/* A row of the table of closed forms: ours beside the exact value, checked to `most`. */
static void row(report *r, const char *what, const char *unit, double exact, double ours,
                double most)
{
    check(r, what, fabs(ours - exact), 0, most);
    say(r, "| %s | %.6g%s | %.6g%s | %.1e |\n", what, exact, unit, ours, unit, fabs(ours - exact));
}

/* ---- balls ---- */

static void balls(report *r)
{
    say(r, "### Balls\n\nSteps of 1 ms, g = 10 m/s² unless told. A bounce (e = 0.8, from 10 cm) is "
           "found half a step early or late, which is why it is "
           "right to first order; impacts themselves are exact.\n\n"
           "| case | exact | ours | off |\n|---|--:|--:|--:|\n");
    bounces b = bounce(0.1, 1e-3);
    /* an impact is up to a step of fall late: v h = 1.4 mm */
    for (int k = 0; k < 4; k++) {
        char what[64];
        snprintf(what, sizeof what, "height of bounce %d", k + 1);
        row(r, what, " m", 0.1 * pow(0.64, k + 1), b.top[k], 1.4e-3);
    }
    row(r, "end of the bounces (infinitely many)", " s", 9 * sqrt(0.02), b.end, 0.03);
    rolling s = slide_and_roll(1e-3);
    row(r, "sliding ball (μ = 0.2), speed half-way to rolling", " m/s", 1 - 2 * s.t_half, s.v_half,
        1e-9);
    row(r, "the same, when it rolls: 5/7", "", 5.0 / 7, s.v, 1e-9);
    row(r, "the same, spin times radius", "", 5.0 / 7, s.w, 1e-9);
    for (int n = 3; n <= 5; n += 2) {
        double v[CRADLE_MAX], want[CRADLE_MAX], apart[CRADLE_MAX];
        cradle(n, 1, 0, v);
        cradle_exact(n, 1, want);
        cradle(n, 1, 0.02, apart);
        for (int i = 0; i < n; i++) {
            char what[80];
            snprintf(what, sizeof what, "cradle of %d that touch, e = 1: ball %d", n, i + 1);
            row(r, what, "", want[i], v[i], 1e-11);
        }
        row(r, n == 3 ? "cradle of 3 apart: the last" : "cradle of 5 apart: the last", "", 1,
            apart[n - 1], 1e-11);
    }
    say(r, "\nA cradle whose balls touch is not the one on a desk: Newton's law acts on all "
           "contacts at once, (−1, 2, 2)/3 for three balls; the "
           "numbers for five are from trying every set of acting contacts. With gaps between them "
           "impacts come one after the other and the last "
           "ball takes all.\n\n"
           "| step | mean error, first bounce (8 heights) | mean error, end |\n|--:|--:|--:|\n");
    double top[4], end[4];
    for (int k = 0; k < 4; k++) {
        double h = 2e-3 / (1 << k);
        bounce_errors(h, &top[k], &end[k]);
        say(r, "| %g ms | %.3f mm | %.1f ms |\n", 1e3 * h, 1e3 * top[k], 1e3 * end[k]);
    }
    double order = log2(end[0] / end[3]) / 3;
    check(r, "bounce: order of the end time", order, 0.7, 1.3);
    check(r, "bounce: order of the first height", log2(top[0] / top[3]) / 3, 0.6, 1.4);
    say(r, "\nOrder of the end: %.2f.\n\n", order);
}

/* ---- one block ---- */

static void slopes(report *r)
{
    say(r, "### A block on a slope\n\nμ = 0.5, speed after 1 s. Stick and slip are told apart at a "
           "millionth of tan α = μ.\n\n| tan α / μ | exact | 2D | 3D |\n|--:|--:|--:|--:|\n");
    const double ratio[] = {0.9, 1 - 1e-6, 1 + 1e-6, 1.001, 1.6};
    for (int k = 0; k < 5; k++) {
        double want = slope_exact(ratio[k]), v2 = slope(ratio[k], 2), v3 = slope(ratio[k], 3);
        char what[80];
        snprintf(what, sizeof what, "slope, tan alpha = %.7g mu: worst error of the speed",
                 ratio[k]);
        check(r, what, fmax(fabs(v2 - want), fabs(v3 - want)), 0, fmax(1e-9, 1e-2 * want));
        say(r, "| %.7g | %.6g m/s | %.6g m/s | %.6g m/s |\n", ratio[k], want, v2, v3);
    }
}

static void rockers(report *r)
{
    say(r, "\n### A block that rocks\n\nHousner (1963), *The behavior of inverted pendulum "
           "structures during earthquakes*, Bull. Seismol. Soc. Am. 53, 403: no rebound, no slip. "
           "Half diagonal 0.5 m, let go at half the angle of toppling α. The "
           "quarter period is that of the full pendulum equation (Runge-Kutta).\n\n"
           "| α | step | quarter period, exact | ours | ω₊/ω₋ = 1 − ³⁄₂ sin² α | ours |\n"
           "|--:|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < 3; k++)
        for (double h = 1e-3; h > 2e-4; h /= 4) {
            rocker b = {.size = 0.5, .alpha = 0.15 * (k + 1), .tilt = 0.075 * (k + 1)};
            double spin, quarter = rocker_quarter(&b, &spin),
                         ratio = 1 - 1.5 * pow(sin(b.alpha), 2);
            rocking got = rock(&b, h);
            check(r, "rocking: quarter period, error in steps", fabs(got.quarter - quarter) / h, 0,
                  2);
            check(r, "rocking: error of the ratio over w h", fabs(got.ratio - ratio) / (-spin * h),
                  0, 1.5);
            say(r, "| %.2f | %g ms | %.4f s | %.4f s | %.5f | %.5f |\n", b.alpha, 1e3 * h, quarter,
                got.quarter, ratio, got.ratio);
        }
    say(r, "\nToppling: the spin at which a standing block (α = 0.3) just goes over, by bisection, "
           "beside the one that lifts its centre over the corner.\n\n"
           "| step | ω_c, energy | ours | ratio |\n|--:|--:|--:|--:|\n");
    rocker b = {.size = 0.5, .alpha = 0.3};
    for (double h = 4e-3; h > 5e-4; h /= 2) {
        double ratio = critical_ratio(b, h, 16), exact = critical_spin(&b);
        check(r, "toppling: critical spin, error over the step (per ms)",
              fabs(ratio - 1) / (1e3 * h), 0, 1e-4);
        say(r, "| %g ms | %.5f rad/s | %.5f rad/s | %.6f |\n", 1e3 * h, exact, ratio * exact,
            ratio);
    }
}

static void rods(report *r)
{
    say(r,
        "\n### A rod that jams\n\nThe paradox of Painlevé: a rod slides on its tip, at tan φ = 2 "
        "to the floor, where it begins at μ = ⁴⁄₃. Length 1 m, thickness 2 "
        "cm, tip at 1 m/s (−: tip ahead), step 1 ms. Margin: W_NN − μ|W_NT| over W_NN; below 0 "
        "no force of a sliding tip keeps it out of the floor.\n\n"
        "| μ | tip | spin | margin | tip after a step (u_N, u_T) | by hand | energy kept | largest "
        "rise of energy in a step | unsolved steps of 1000 "
        "|\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    const double mus[] = {1, 1.5, 2};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 4; k++) {
            double v = k % 2 ? -1 : 1, spin = k / 2 ? 8 : 0;
            rod_step s = rod(mus[m], atan(2), v, spin, 1e-3);
            if (spin == 0)
                check(r, "rod: tip after a step, error",
                      hypot(s.after[0] - s.want[0], s.after[1] - s.want[1]), 0, 1e-9);
            check(r, "rod: rise of the energy in any step, over it", s.ever, -1, 1e-6);
            check(r, "rod: unsolved steps", s.unsolved, 0, 5);
            char hand[64] = "—";
            if (spin == 0)
                snprintf(hand, sizeof hand, "%.3f, %.4f", fabs(s.want[0]), s.want[1]);
            say(r, "| %g | %+g | %g | %.2f | %.3f, %.4f | %s | %.4f | %.0e | %.0f |\n", mus[m], v,
                spin, s.margin, s.after[0], s.after[1], hand, s.kept, s.ever, s.unsolved);
        }
    say(r, "\nWhat happens: with the tip behind there is one solution and it is found. With the "
           "tip ahead and a margin below 0 there is none with "
           "finite forces; the scheme, which works with impulses, stops the tip in one step "
           "whatever its speed (tangential impact; the rod jams, then "
           "turns over its tip). Turning so fast that the tip would lift (8 rad/s), flight and "
           "jamming are both solutions; the solver starts a new "
           "contact from zero and finds flight. Nothing gains energy beyond the (g h)²/8 per "
           "mass of a contact that opens and closes within a step.\n");
}

/* ---- structures ---- */

static void arches(report *r)
{
    say(r, "\n### Semicircular arch\n\nVoussoirs with plane joints; no sliding: t/R = 0.1075 for "
           "many joints (Milankovitch 1907; Heyman 1969 "
           "found 0.106 with a simplified weight). Limit analysis with the real joints and weights "
           "of n blocks (line of thrust, by linear programming in the crown's thrust and "
           "moment), and the engine: blocks let go, 0.5 s, step 1 ms.\n\n"
           "| n | least t/R, no sliding | least μ at t/R = 0.2 |\n|--:|--:|--:|\n");
    for (int n = 7; n <= 45; n = n == 31 ? 45 : 2 * n + 1)
        say(r, "| %d | %.4f | %.4f |\n", n, arch_thickness(n, 1), arch_friction(n, 0.2));
    say(r,
        "\n<!-- published: milankovitch-1907 heyman-1969 -->\n"
        "| least t/R, no sliding, many joints | published | ours, 45 |\n|---|--:|--:|\n"
        "| Milankovitch 1907 | 0.1075 | %.4f |\n| Heyman 1969, simplified weight | 0.106 | %.4f "
        "|\n",
        arch_thickness(45, 1), arch_thickness(45, 1));
    check(r, "arch: limit analysis with 45 blocks / Milankovitch", arch_thickness(45, 1) / 0.1075,
          0.997, 1.003);
    say(r, "\n15 blocks, beside these limits:\n\n| case | t/R | μ | moved in 0.5 s | |\n"
           "|---|--:|--:|--:|---|\n");
    double least = arch_thickness(15, 1), mu = arch_friction(15, 0.2);
    const double part[] = {0.0, 0.97, 0.99, 1.01, 1.03, 0.0};
    for (int slides = 0; slides < 2; slides++)
        for (int k = slides; k < 6 - slides; k++) {
            arch a = {15, slides ? 0.2 : part[k] * least, slides ? part[k] * mu : 1};
            char name[80];
            snprintf(name, sizeof name, "%s, %.2f of the limit", slides ? "sliding" : "hinges",
                     part[k]);
            if (part[k] == 0) {
                a.t = k == 0 ? 0.09 : 0.13;
                snprintf(name, sizeof name, "hinges, t/R = %g", a.t);
            }
            bool stands = slides ? a.mu > mu : a.t > least;
            arch_run got = arch_let_go(&a, 0.5, 1e-3, EXACT);
            char what[120];
            snprintf(what, sizeof what, "arch, %s: moved, m", name);
            check(r, what, got.moved, stands ? 0 : 1e-3, stands ? 1e-6 : 10);
            say(r, "| %s | %.4f | %.3f | %.2g m | %s |\n", name, a.t, a.mu, got.moved,
                got.moved < 1e-3 ? "stands" : "falls");
        }
}

static void stacks(report *r)
{
    stack_run s = stack(20, 10000, 1e-3, "tolerance: 1e-6, solver: hybrid");
    check(r, "stack of 20: top sinks, m", fabs(s.sunk), 0, 1e-5);
    check(r, "stack of 20: top goes aside, m", s.aside, 0, 1e-5);
    check(r, "stack of 20: a box turns, rad", s.turned, 0, 1e-5);
    check(r, "stack of 20: unsolved steps", s.unsolved, 0, 0);
    say(r,
        "\n### Stack of 20 boxes\n\nCubes of 10 cm, friction 0.5, 3D, 10⁴ steps of 1 ms (solver "
        "`hybrid`, tolerance 10⁻⁶, %.0f iterations a step): the top has sunk by %.1e m and gone "
        "aside by %.1e m, no box has turned by more than %.1e rad; deepest overlap ever %.1e m, "
        "unsolved steps: %.0f.\n",
        s.sweeps, fabs(s.sunk), s.aside, s.turned, s.deepest, s.unsolved);
}

static void rows_of_dominoes(report *r)
{
    say(r,
        "\n### Dominoes\n\n%d dominoes, thickness 0.15 of the height, feet that do not slip, e = "
        "0. Speed over the last eleven, over √(g·height). Model: van "
        "Leeuwen, *The domino effect*, Am. J. Phys. 78, 721 (2010), without friction between "
        "dominoes (they lean on each other; energy kept between impacts, momentum at "
        "them), solved here for the same row and push. Measured rows (McLachlan et al., Phys. "
        "Teach. 21, 1983; Stronge & Shu, Proc. R. Soc. A 418, 1988) and theories (Efthimiou "
        "& Johnson, SIAM Rev. 49, 111, 2007) are about 1 to 1.6, with friction.\n\n"
        "| gap / height | model, μ = 0 | ours, 2 ms | ours, 1 ms | ours, 0.5 ms | ours, μ = 0.2 "
        "|\n|--:|--:|--:|--:|--:|--:|\n",
        DOMINOES);
    for (int k = 0; k < 4; k++) {
        dominoes d = {.thickness = 0.15, .gap = 0.1 * (k + 1), .spin = 1.5};
        double t[DOMINOES], v[3];
        domino_model(&d, t);
        double model = domino_speed(&d, t, 8);
        for (int m = 0; m < 3; m++) {
            domino_run got = domino_fall(&d, 0, 2e-3 / (1 << m));
            v[m] = domino_speed(&d, got.t, 8);
        }
        domino_run rough = domino_fall(&d, 0.2, 1e-3);
        double slow = domino_speed(&d, rough.t, 8);
        check(r, "dominoes: speed / model, 0.5 ms", v[2] / model, 0.99, 1.01);
        check(r, "dominoes: change of the speed from 2 ms to 0.5 ms", fabs(v[0] / v[2] - 1), 0,
              0.01);
        check(r, "dominoes: speed with friction / sqrt(g height)", slow, 1, 1.6);
        say(r, "| %.1f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", d.gap, model, v[0], v[1], v[2],
            slow);
    }
}

/* ---- what holds of every motion ---- */

static void free_bodies(report *r)
{
    say(r,
        "\n### Free turning\n\nA box 3 × 2 × 1 that spins about its middle axis, a thousandth off "
        "it, 10 rad/s, 10 s: it turns over again and again.\n\n"
        "| step | steps | turned over | energy, largest change | size of the angular momentum | "
        "its vector |\n|--:|--:|--:|--:|--:|--:|\n");
    double last = 0, order = 0;
    for (double h = 4e-3; h > 4e-4; h /= 2) {
        turning t = free_turning(h, 10, 0.01);
        check(r, "free turning: energy", t.energy, 0, 1e-12);
        say(r, "| %g ms | %.0f | %d times | %.0e | %.0e | %.2e |\n", 1e3 * h, 10 / h, t.flips,
            t.energy, t.size, t.momentum);
        order = last > 0 ? log2(last / t.momentum) : 0;
        last = t.momentum;
    }
    check(r, "free turning: order of the vector", order, 1.9, 2.1);
    say(r, "\n### θ\n\nFree fall from rest for 1 s, step 10 ms: exact for θ = ½; else the height "
           "is off by (θ − ½) g h t, and what that takes of the energy "
           "is booked.\n\n| θ | off, exact | ours | booked as lost by the scheme | ledger residual "
           "|\n|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < 3; k++) {
        double theta = 0.5 + 0.25 * k;
        fall f = free_fall(theta, 1e-2);
        check(r, "theta: error of the height less the exact one, m",
              fabs(f.off + (theta - 0.5) * 0.1), 0, 1e-12);
        check(r, "theta: ledger residual, J", fabs(f.residual), 0, 1e-12);
        say(r, "| %g | %.4f m | %.4f m | %.3g of the kinetic energy | %.0e J |\n", theta,
            -(theta - 0.5) * 0.1, f.off, f.share, fabs(f.residual));
    }
}

static void energy(report *r)
{
    say(r, "\n### Energy with e ≤ 1\n\n60 grains (spheres, cubes, random polyhedra), every step "
           "watched. Flying in a box without gravity, 1000 steps of 1 ms: rises as part of the "
           "energy at the start. "
           "Falling into it and coming to rest, 500 steps: as part of m(g h)² of all grains, "
           "without the work of taking overlaps out, which "
           "has its own column (part of the energy at the start) and account.\n\n"
           "| e | μ | | largest rise in a step | all rises | by taking overlaps out | energy lost "
           "| ledger residual "
           "|\n|--:|--:|---|--:|--:|--:|--:|--:|\n");
    for (int heavy = 0; heavy < 2; heavy++)
        for (int m = 0; m < 2; m++)
            for (int k = 0; k < 3; k++) {
                crowd c = {0.5 * k, 0.4 * m, heavy, 60, heavy ? 500 : 1000, 1e-3};
                crowd_run got = let_loose(&c, "tolerance: 1e-9, solver: hybrid");
                bool kane = c.e > 0 && c.mu > 0; /* Newton's law does not promise it */
                char what[100];
                snprintf(what, sizeof what, "energy, %s, e = %g, mu = %g: largest rise",
                         heavy ? "falling" : "flying", c.e, c.mu);
                if (!kane)
                    check(r, what, got.rise, -1,
                          heavy ? 0.125 * (1 - c.e) / (1 + c.e) + 1e-3 : 1e-8);
                check(r, "energy: lost in all", got.lost, c.e == 1 && c.mu == 0 ? -1e-3 : 0.05, 1);
                check(r, "energy: ledger residual over the energy", got.residual, 0, 1e-12);
                say(r, "| %g | %g | %s | %.1e | %.1e | %.1e | %.3f | %.0e |\n", c.e, c.mu,
                    heavy ? "falling" : "flying", fmax(0, got.rise), got.sum, got.lifted, got.lost,
                    got.residual);
            }
    say(r, "\nWithout friction, and with friction for e = 0, no step gains: with one e everywhere "
           "the work of the contacts is at most −(1−e)/(1+e) ½ r·Wr. (What e = 1 loses there is "
           "lost by contacts that open while others push them together: they close their gap, "
           "no faster.) Under gravity a contact that opens and is closed by the weight within one "
           "step may gain, all together up to (1−e)/(1+e) (g h)²/8 of the mass. With friction and "
           "e > 0 Newton's law of restitution itself can give energy in an impact that slides at "
           "an angle (Kane 1984; Glocker, Multibody Syst. Dyn. 29, 77, 2013). It promises nothing "
           "there: for e = 1 some impacts of polyhedra gain, while friction takes more than they "
           "give.\n");
}

static void bits(report *r)
{
    crowd c = {.e = 0.3, .mu = 0.5, .heavy = true, .n = 201, .steps = 600, .h = 1e-3};
    crowd many = {.e = 0.3, .mu = 0.5, .heavy = true, .n = 3000, .steps = 60, .h = 1e-3};
    const crowd *both[] = {&c, &many};
    bool same = true;
    for (int k = 0; k < 2; k++) {
        uint64_t one = crowd_bits(both[k], "tolerance: 1e-3", 1);
        for (int n = 2; n <= 3; n++)
            same &= crowd_bits(both[k], "tolerance: 1e-3", n) == one;
    }
    check(r, "same bits with 1, 2 and 3 threads (201 and 3000 mixed grains)", same, 1, 1);
    two_methods t = settle_both();
    say(r,
        "\n### Same bits, one scene\n\n201 mixed grains for 600 steps and 3000 for 60: same bits "
        "with 1, 2 and 3 threads: %s.\n\nFive beads in a "
        "box, law `hertz-mindlin` (50 MPa), run with `method: smooth` and `method: nonsmooth`: "
        "heights at rest of a lower bead %.4f and %.4f mm, of the one on top %.4f and "
        "%.4f mm (touching exactly: 10 and %.4f); the largest overlap of the smooth run is %.4f "
        "mm.\n",
        same ? "yes" : "NO", 1e3 * t.smooth[0], 1e3 * t.rigid[0], 1e3 * t.smooth[4],
        1e3 * t.rigid[4], 10 * (1 + sqrt(2)), 1e3 * t.overlap);
    check(r, "smooth and rigid: height of the top bead, m", fabs(t.smooth[4] - t.rigid[4]), 0,
          2 * t.overlap + 2e-5);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(report *);
    } piece[] = {{"balls", balls},
                 {"slopes", slopes},
                 {"rockers", rockers},
                 {"rods", rods},
                 {"arches", arches},
                 {"stacks", stacks},
                 {"dominoes", rows_of_dominoes},
                 {"free", free_bodies},
                 {"energy", energy},
                 {"bits", bits}};
    report r = report_open(argc, argv, "rigid");
    for (size_t k = 0; k < sizeof piece / sizeof *piece; k++) {
        double began = mrn_clock();
        if (argc > 2 && strcmp(argv[2], piece[k].name) != 0)
            continue;
        piece[k].run(&r);
        printf("  %s: %.1f s\n", piece[k].name, mrn_clock() - began);
    }
    return report_close(&r);
}
