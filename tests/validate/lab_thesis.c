/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A published comparison of three laws done again: parameters from materials, rebounds,
   sensitivity, fits, and what its printed numbers say about its programs. L. F. de Oliveira Campos,
   doctoral thesis, COPPE/UFRJ, Rio de Janeiro 2016. The second argument picks a piece: parameters,
   curves, elements, glass, sensitivity, fits, objective. */
#include <time.h>

#include "base/base.h"
#include "moraine/lab.h"
#include "validate/lab_thesis.h"
#include "validate/validate.h"

/* ---- parameters from materials ---- */

typedef struct solid {
    double young, poisson;
} solid;

typedef struct pair {
    const char *name;
    solid ball, plate;
    double R, density;
    double kn, gamma, kt;           /* printed: M1 */
    double hertz, damping, mindlin; /* M2          */
    double eta1;                    /* M3          */
    double alpha, restitution;      /* of M2; what it was read off a curve for */
    double round_time;              /* s           */
} pair;

static const pair pairs[2] = {{"steel",
                               {210e9, 0.3},
                               {210e9, 0.3},
                               22.225e-3,
                               7766,
                               7.1863e6,
                               1.4188,
                               5.9181e6,
                               2.2935e10,
                               1.3575e3,
                               5.6664e10,
                               1.1538e5,
                               0.015,
                               0.95,
                               19e-6},
                              {"glass on aluminium",
                               {71e9, 0.22},
                               {69e9, 0.33},
                               1.59e-3,
                               2500,
                               3.6479e5,
                               0.6137,
                               3.0398e5,
                               2.0202e9,
                               29.1614,
                               4.9550e9,
                               3.7962e4,
                               0.1,
                               0.831,
                               45e-6}};

static double shear_of(solid s)
{
    return s.young / (2 * (1 + s.poisson));
}

static double effective(solid a, solid b)
{
    return 1 / ((1 - a.poisson * a.poisson) / a.young + (1 - b.poisson * b.poisson) / b.young);
}

static double mass_of(const pair *p)
{
    return 4 * PI / 3 * p->R * p->R * p->R * p->density;
}

/* Five digits are printed, and what goes into the formulas has as many: 2e-4. */
static void row(report *r, const char *table, const pair *p, const char *what, double ours,
                double printed)
{
    char name[160];
    say(r, "| %s | %s: %s | %.5g | %.5g | %+.3f %% |\n", table, p->name, what, ours, printed,
        100 * (ours / printed - 1));
    snprintf(name, sizeof name, "parameters: %s, %s, ours over printed", p->name, what);
    check(r, name, ours / printed, 1 - 2e-4, 1 + 2e-4);
}

static double stiffness_of(double m, double time, double e)
{
    return m * (PI * PI + log(e) * log(e)) / (time * time);
}

/* k_n and gamma_n were fitted elsewhere. With the restitution told beside them they make a contact
   time, t = (gamma/k) (pi^2 + ln^2 e)/(-2 ln e), and a mass. */
static void linear_rows(report *r, const pair *p, const char *table)
{
    double m = mass_of(p), L = -log(p->restitution);
    double mass = p->gamma * p->round_time / (2 * L);
    mrn_material_pair mix = mrn_material_pair_mix(p->ball.young, p->ball.poisson, p->density,
                                                  p->plate.young, p->plate.poisson, p->density);
    char what[120];
    snprintf(what, sizeof what, "M1, k_n of t_c = %.0f µs, e = %g, m = %.4g kg",
             1e6 * p->round_time, p->restitution, mass);
    row(r, table, p, what, stiffness_of(mass, p->round_time, p->restitution), p->kn);
    row(r, table, p, "M1, k_t = κ (k_n − γ²/4m)",
        mix.kappa * (p->kn - p->gamma * p->gamma / (4 * m)), p->kt);
}

static void parameter_words(report *r)
{
    double off = 0, e[2], mass[2], time[2];
    for (int k = 0; k < 2; k++) {
        const pair *p = &pairs[k];
        double m = mass_of(p), L = -log(p->restitution), g = p->gamma / (2 * m);
        e[k] = exp(-g * PI / sqrt(p->kn / m - g * g));
        time[k] = p->gamma / p->kn * (PI * PI + L * L) / (2 * L);
        mass[k] = p->gamma * time[k] / (2 * L);
        off = fmax(off, fabs(time[k] / p->round_time - 1));
    }
    /* printed to five digits, the restitution as a whole number of thousandths */
    check(r, "parameters: contact times of M1, off a round number", off, 0, 2e-4);
    const solid a = pairs[1].ball, b = pairs[1].plate;
    double kappa = mrn_material_pair_mix(a.young, a.poisson, 1, b.young, b.poisson, 1).kappa;
    say(r,
        "\n- **M1**: k_n and γ_n are not computed in the source but taken from the fits of "
        "Kruggel-Emden, Wirtz & Scherer (2008). What they are can be found all the same: "
        "with the restitutions told beside them, 0.95 and 0.831, they make contact times of %.3f "
        "and %.3f µs, round numbers, and masses of %.4g and %.4g kg (in the table k_n follows from "
        "γ_n and the round time). The balls here weigh %.4g and %.4g kg: "
        "the constants belong to other balls, and with these the restitution of M1 is %.4f and "
        "%.4f. γ_t = γ_n by choice.\n"
        "- **k_t/k_n** of glass on aluminium, %.4f printed where κ = %.4f, is explained: "
        "k_t = κ m π²/t_c² takes the time of the *damped* contact, so that γ²/4m is taken off "
        "k_n first (0.6 %% for glass, 2·10⁻⁷ for steel). Of law `linear` here k_t = κ k_n; "
        "`stiffness-ratio` sets the other.\n",
        1e6 * time[0], 1e6 * time[1], mass[0], mass[1], mass_of(&pairs[0]), mass_of(&pairs[1]),
        e[0], e[1], pairs[1].kt / pairs[1].kn, kappa);
    say(r,
        "- **M2**: k̃_t takes the shear modulus of one body alone, twice the two-body value of "
        "like materials (`shear-stiffness: particle`); for glass on aluminium the printed value is "
        "that "
        "of the plate, though the formula says particle. α was read off a printed curve: 0.015 for "
        "e = 0.95 and 0.1 for 0.831, where the law itself needs %.4f and %.4f; 0.015 and 0.1 make "
        "e = %.4f and %.4f.\n",
        -sqrt(5) * log(0.95) / hypot(PI, log(0.95)), -sqrt(5) * log(0.831) / hypot(PI, log(0.831)),
        exp(-PI * 0.015 / sqrt(5 - 0.015 * 0.015)), exp(-PI * 0.1 / sqrt(5 - 0.01)));
    say(r,
        "- **M3**: table 3.7 takes η₁ = 10⁻⁶ s · E*, table 3.8 10⁻⁶ s · E (2.1·10⁵ Pa s); its "
        "formula is the second. E* of glass on aluminium was made with the two Poisson's ratios "
        "exchanged; with each at its own it is %.5g Pa (+0.09 %%). A is not printed; at the value "
        "of table 3.7 it is %.4g s for steel.\n"
        "- **Radius**: table 3.1 has 2.225·10⁻² m, the stiffnesses printed need 22.225 mm (44.45 "
        "mm across): the former would make k̃_n 0.06 %% larger.\n\n",
        effective(a, b), (1 - 0.6) * 1.3 / effective(pairs[0].ball, pairs[0].plate) * 1.1538e5 / 3);
}

static void parameters(report *r)
{
    static const char *const table[2][3] = {{"3.5", "3.6", "3.7"}, {"3.3", "3.4", "3.7"}};
    say(r,
        "### A published comparison of laws: its parameters\n\nL. F. de Oliveira Campos (2016) "
        "compares laws M1 (`linear`), M2 (`hertz-mindlin`) and M3 (`zheng`) with collisions of a "
        "steel ball on a steel plate (Dong & Moys 2006, 4.2 m/s, μ = 0.091) and of a glass ball "
        "on aluminium (Foerster et al. 1994, 2 m/s, μ = 0.125), and fits M3. All numbers of its "
        "tables 3.3 to 3.8, from the materials (k_n of M1 are those of Kruggel-Emden, Wirtz & "
        "Scherer, 2008, as printed there):\n\n"
        "<!-- published: kruggel-emden-2008 campos-2016 campos-2016 campos-2016 campos-2016 "
        "campos-2016 kruggel-emden-2008 campos-2016 -->\n| table | | ours | printed | off "
        "|\n|---|---|--:|--:|--:|\n");
    for (int k = 0; k < 2; k++) {
        const pair *p = &pairs[k];
        double hertz = 4. / 3 * effective(p->ball, p->plate) * sqrt(p->R);
        solid a = p->ball, b = p->plate;
        double swapped = a.poisson;
        linear_rows(r, p, table[k][0]);
        row(r, table[k][1], p, "M2, k̃_n", hertz, p->hertz);
        row(r, table[k][1], p, "M2, γ̃_n = γ̃_t = α √(m k̃_n)", p->alpha * sqrt(mass_of(p) * hertz),
            p->damping);
        row(r, table[k][1], p, "M2, k̃_t of the plate alone",
            8 * sqrt(p->R) * shear_of(p->plate) / (2 - p->plate.poisson), p->mindlin);
        a.poisson = b.poisson;
        b.poisson = swapped;
        row(r, table[k][2], p, "M3, η₁ = 10⁻⁶ s · E*, ν exchanged", 1e-6 * effective(a, b),
            p->eta1);
    }
    row(r, "3.8", &pairs[0], "M3, base η₁ = 10⁻⁶ s · E", 1e-6 * pairs[0].ball.young, 2.1e5);
    row(r, "3.8", &pairs[0], "M3, least η₁ = 10⁻⁸ s · E", 1e-8 * pairs[0].ball.young, 2.1e3);
    row(r, "3.8", &pairs[0], "M3, largest η₁ = 10⁻⁵ s · E", 1e-5 * pairs[0].ball.young, 2.1e6);
    row(r, "3.8", &pairs[0], "M3, least η₂ = 0.1 of the base η₁", 0.1 * 2.1e5, 2.1e4);
    row(r, "3.8", &pairs[0], "M3, largest η₂ = 10 of the base η₁", 10 * 2.1e5, 2.1e6);
    parameter_words(r);
}

/* ---- rebounds of many laws ---- */

enum { MAX_ANGLES = 241, MAX_SETS = 8 };

typedef struct law_set {
    const char *name, *law;
} law_set;

typedef struct curves {
    int n, sets;
    double angle[MAX_ANGLES]; /* degrees */
    double y[MAX_SETS][RESPONSES][MAX_ANGLES], psi1[MAX_SETS][MAX_ANGLES],
        psi2[MAX_SETS][MAX_ANGLES];
} curves;

static const char steel_text[] =
    "moraine: 1\n"
    "materials: {steel: {density: 7766 kg/m3, young: 210 GPa, poisson: 0.3}}\n"
    "collision: {ball: {material: steel, diameter: 44.45 mm}, target: {plane: steel}, "
    "speed: 4.2 m/s, angle: {from: 0 deg, to: 60 deg, steps: 241}}\nlaws:\n";
static const char glass_text[] =
    "moraine: 1\n"
    "materials:\n  glass: {density: 2500 kg/m3, young: 71 GPa, poisson: 0.22}\n"
    "  aluminium: {density: 2700 kg/m3, young: 69 GPa, poisson: 0.33}\n"
    "collision: {ball: {material: glass, radius: 1.59 mm}, target: {plane: aluminium}, "
    "speed: 2 m/s, angle: {from: 0 deg, to: 60 deg, steps: 241}}\nlaws:\n";

static void collide_all(const char *head, const law_set *s, int n, const char *end, curves *c)
{
    char text[6000];
    mrn_experiment e = {0};
    mrn_message msg = {0};
    mrn_rebound rebound[MAX_ANGLES];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int k = 0; k < n; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "  L%d: {%s, end-of-contact: %s}\n", k,
                               s[k].law, end);
    if (mrn_experiment_read_text(text, "rebounds", NULL, 0, &e, &msg) != MRN_OK)
        give_up(text, &msg);
    c->n = e.at.n;
    c->sets = n;
    for (int k = 0; k < n; k++) {
        /* a last digit of 1e-8 may be missing: nothing here shows it */
        if (mrn_experiment_collide(&e, k, rebound, &msg) < 0)
            give_up(s[k].name, &msg);
        for (int i = 0; i < c->n; i++) {
            c->angle[i] = e.at.value[i] / DEGREE;
            c->y[k][0][i] = rebound[i].en;
            c->y[k][1][i] = rebound[i].et;
            c->y[k][2][i] = rebound[i].omega;
            c->psi1[k][i] = rebound[i].psi1;
            c->psi2[k][i] = rebound[i].psi2;
        }
    }
    mrn_experiment_destroy(&e);
}

static int at_degrees(const curves *c, double degrees)
{
    int best = 0;
    for (int i = 0; i < c->n; i++)
        if (fabs(c->angle[i] - degrees) < fabs(c->angle[best] - degrees))
            best = i;
    return best;
}

static void table_of(report *r, const curves *c, const law_set *s, int response, const char *what)
{
    say(r, "| %s | 0° | 10° | 20° | 30° | 40° | 50° | 60° |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
        what);
    for (int k = 0; k < c->sets; k++) {
        say(r, "| %s |", s[k].name);
        for (int d = 0; d <= 60; d += 10) {
            double y = c->y[k][response][at_degrees(c, d)];
            if (isnan(y))
                say(r, " – |");
            else
                say(r, response == 2 ? " %.2f |" : " %.4f |", y);
        }
        say(r, "\n");
    }
}

static const char *const response_key[RESPONSES] = {"en", "et", "omega"};
static const char *const response_label[RESPONSES] = {"normal restitution e_n",
                                                      "tangential restitution e_t", "spin, rad/s"};

/* ---- measured, reconstructed ---- */

/* The example's data: residuals added to the law at the published optimum. */
static void example_open(const char *const *set, int n, mrn_experiment *e)
{
    char path[512];
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/examples/lab-steel-dong-moys/experiment.yaml",
             MRN_VALIDATE_SOURCE);
    if (mrn_experiment_read(path, set, n, e, &msg) != MRN_OK)
        give_up(path, &msg);
}

typedef struct measured {
    double angle[ROWS], y[RESPONSES][ROWS], half[RESPONSES][ROWS]; /* half of 95 % */
} measured;

static measured example_data(void)
{
    mrn_experiment e = {0};
    measured d;
    example_open(NULL, 0, &e);
    for (int i = 0; i < e.measured.n; i++) {
        const mrn_datum *y = &e.measured.datum[i];
        int at = e.measured.row[i];
        d.angle[at] = e.at.value[at] / DEGREE;
        d.y[y->response][at] = y->y;
        d.half[y->response][at] = mrn_datum_half_width(y, 0.95);
    }
    mrn_experiment_destroy(&e);
    return d;
}

/* ---- steel ---- */

static const law_set steel_sets[] = {
    {"M1",
     "law: linear, normal-stiffness: 7.1863e6 N/m, normal-damping: 1.4188 N s/m, friction: 0.091"},
    {"M2", "law: hertz-mindlin, damping: 0.015, friction: 0.091, shear-stiffness: particle, "
           "load-coupling: total"},
    {"M3, η₁ = 1.1538·10⁵ Pa s (table 3.7)",
     "law: zheng, modulus: effective, eta1: 1.1538e5 Pa s, friction: 0.091"},
    {"M3, 2.1·10⁵ (table 3.8)",
     "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, friction: 0.091"},
    {"M3, 2.3·10⁵ (fit without spin)",
     "law: zheng, modulus: effective, eta1: 2.3e5 Pa s, friction: 0.091"},
    {"M3, 3.15769·10⁵ (fit)",
     "law: zheng, modulus: effective, eta1: 3.15769e5 Pa s, friction: 0.091"},
    {"M3, 5.4906·10⁵, η₂ = 9.22531·10⁴ (fit of two)",
     "law: zheng, modulus: effective, eta1: 5.4906e5 Pa s, eta2: 9.22531e4 Pa s, friction: 0.091"},
};
enum { STEEL_SETS = sizeof steel_sets / sizeof *steel_sets };

static const program as_programmed[3] = {
    {.law = 1, .nu = 0.3},
    {.law = 2, .nu = 0.3, .alpha = 0.015},
    {.law = 3, .nu = 0.3, .share = 0.5, .modulus = 1},
};

static void program_curves(const program p[3], double eta1, const curves *like, curves *out)
{
    *out = *like;
    out->sets = 3;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < like->n; i++) {
            double y[RESPONSES];
            program_collide(&p[k], eta1, 0, like->angle[i] * DEGREE, y);
            for (int q = 0; q < RESPONSES; q++)
                out->y[k][q][i] = y[q];
        }
}

static void steel_pictures(report *r, const curves *c, const curves *p, const measured *d)
{
    const int shown[4] = {0, 1, 2, 5};
    static const char *const label[4] = {"M1", "M2", "M3, table 3.7", "M3, fit"};
    static const char *const dashed[3] = {"M1, spring never shortened", "M2, never shortened",
                                          "M3, as programmed, table 3.7"};
    for (int q = 0; q < RESPONSES; q++) {
        mrn_series s[8] = {{"measured, reconstructed", MRN_SERIES_POINTS, -1, ROWS, d->angle,
                            d->y[q], d->half[q]}};
        char name[64];
        int n = 1;
        for (int k = 0; k < 4; k++)
            s[n++] =
                (mrn_series){label[k], MRN_SERIES_LINE, k, c->n, c->angle, c->y[shown[k]][q], NULL};
        for (int k = 0; k < 3 && q > 0; k++)
            s[n++] =
                (mrn_series){dashed[k], MRN_SERIES_DASHED, k, p->n, p->angle, p->y[k][q], NULL};
        mrn_plot plot = mrn_plot_default();
        plot.x_label = "angle of incidence, degrees";
        plot.y_label = response_label[q];
        plot.n = n;
        plot.series = s;
        if (q != 1)
            plot.y_lo = q == 0 ? 0.65 : -45; /* room for the legend */
        snprintf(name, sizeof name, "lab-steel-%s", response_key[q]);
        show(r, &plot, name, response_label[q]);
    }
}

/* Angle of the largest value, rad. */
static double top_of(const curves *c, int k, int response, double from, double to)
{
    int best = -1;
    for (int i = 0; i < c->n; i++)
        if (c->angle[i] >= from && c->angle[i] <= to &&
            (best < 0 || c->y[k][response][i] > c->y[k][response][best]))
            best = i;
    return c->angle[best] * DEGREE;
}

/* Angle of the least value, rad. */
static double bottom_of(const curves *c, int k, int response, double from, double to)
{
    int best = -1;
    for (int i = 0; i < c->n; i++)
        if (c->angle[i] >= from && c->angle[i] <= to &&
            (best < 0 || c->y[k][response][i] < c->y[k][response][best]))
            best = i;
    return c->angle[best] * DEGREE;
}

static double value_at(const curves *c, int k, int response, double degrees)
{
    return c->y[k][response][at_degrees(c, degrees)];
}

/* The range that the six measured e_n have at least, whatever the damping of M3: model e_n is 1 - D
   (cos angle)^(1/5) to leading order, D not known. */
static double least_range(void)
{
    double least = INFINITY;
    for (double D = 0; D <= 1; D += 0.001) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < ROWS; i++) {
            double y = 1 - D * pow(cos(10 * (i + 1) * DEGREE), 0.2) + printed_residual[i][0];
            lo = fmin(lo, y);
            hi = fmax(hi, y);
        }
        least = fmin(least, hi - lo);
    }
    return least;
}

static void normal_claims(report *r, const curves *c, const measured *d)
{
    double spread = 0, above = INFINITY;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->n; i++)
            spread = fmax(spread, fabs(c->y[k][0][i] - c->y[k][0][0]));
    for (int i = 0; i < ROWS; i++)
        above = fmin(above, value_at(c, 0, 0, 10) - d->y[0][i]);
    check(r, "curves: e_n of M1 and M2 over the angles, spread", spread, 0, 1e-6);
    check(r, "curves: e_n of M1 less the largest measured one", above, 0, 1);
    double gap = value_at(c, 0, 0, 10) - value_at(c, 1, 0, 10), least = least_range();
    say(r,
        "| e_n of M1 and M2 does not change with the angle | | spread %.0e | | agrees |\n"
        "| e_n of M1 lies above all measured, of M2 below all | | %.4f and %.4f; measured %.3f to "
        "%.3f | | M1 agrees; M2 does not: the two laws are %.4f apart, and the six measured e_n "
        "span at least %.4f whatever the damping of M3 (residuals of table 4.4 on 1 − D cos¹ᐟ⁵ of "
        "any D), so that they cannot all lie between. Not explained; it would take a restitution "
        "of M2 below %.3f |\n",
        fmax(spread, 1e-16), value_at(c, 0, 0, 10), value_at(c, 1, 0, 10), d->y[0][5], d->y[0][2],
        gap, least, value_at(c, 0, 0, 10) - least);
}

static void tangential_claims(report *r, const curves *c, const curves *p)
{
    check(r, "curves: e_t of M1, spring never shortened, at 0.5 deg", value_at(p, 0, 1, 0.5), 0.8,
          1);
    check(r, "curves: e_t of M3 at 0.5 deg", value_at(c, 2, 1, 0.5), 0.85, 0.95);
    say(r,
        "| what e_t of M1 and M3 tends to at small angles | 0.9 | %.3f, %.3f at 0.5° | %.3f, %.3f "
        "| agrees; of M1 the arm counts, which is R here less the overlap (4 %% of R) and R there "
        "|\n"
        "| and falls to a minimum, then grows | | least at %.2f, %.2f rad | %.2f, %.2f rad | "
        "agrees "
        "|\n"
        "| e_t of M2 is very low at small angles | | %.3f at 0.5° | %.3f | agrees |\n"
        "| e_t of M2 has a peak at, rad | 0.15 | %.3f rad | %.3f rad | peak there, angle differs; "
        "not explained |\n"
        "| where e_t of all ends | 0.9 | %.3f, %.3f, %.3f at 60° | %.3f, %.3f, %.3f | agrees: "
        "sliding, 1 − μ (1 + e_n)/tan 60° |\n",
        value_at(c, 0, 1, 0.5), value_at(c, 2, 1, 0.5), value_at(p, 0, 1, 0.5),
        value_at(p, 2, 1, 0.5), bottom_of(c, 0, 1, 1, 60), bottom_of(c, 2, 1, 1, 60),
        bottom_of(p, 0, 1, 1, 60), bottom_of(p, 2, 1, 1, 60), value_at(c, 1, 1, 0.5),
        value_at(p, 1, 1, 0.5), top_of(c, 1, 1, 1, 20), top_of(p, 1, 1, 1, 20),
        value_at(c, 0, 1, 60), value_at(c, 1, 1, 60), value_at(c, 2, 1, 60), value_at(p, 0, 1, 60),
        value_at(p, 1, 1, 60), value_at(p, 2, 1, 60));
}

static void spin_claims(report *r, const curves *c, const curves *p)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(top_of(p, k, 2, 1, 60) - 0.3));
    /* read off a figure: half of what separates its 0.3 from 0.2 or 0.4 */
    check(r, "curves: largest spins, springs never shortened, off 0.3 rad", most, 0, 0.05);
    say(r,
        "| spins of all are largest at, rad | 0.3 | %.2f, %.2f, %.2f rad | %.2f, %.2f, %.2f rad | "
        "explained: program C.2 keeps adding to the elongation while the contact slides (the "
        "lines that shorten it are commented out), and the force turns back later; formula A.10, "
        "and the laws here, shorten it |\n"
        "| they end at, rad/s | 45 | %.1f, %.1f, %.1f at 60° | %.1f, %.1f, %.1f | agrees: sliding, "
        "5/2 μ (1 + e_n) v_n/R, at most %.1f |\n"
        "| spin of M2 is largest among small angles at, rad | 0.05 | none: it hardly grows from "
        "%.1f (0.05 rad) to %.1f (0.1 rad) | %.3f rad | follows from the springs too |\n"
        "| and least after that at, rad | 0.15 | | %.3f rad | there, angle differs; not explained "
        "|\n"
        "| M2 has the highest spins | | largest %.1f, %.1f, %.1f | %.1f, %.1f, %.1f rad/s | "
        "differs: sliding, spins go as 1 + e_n, and M1 has the larger |\n",
        top_of(c, 0, 2, 1, 60), top_of(c, 1, 2, 1, 60), top_of(c, 2, 2, 1, 60),
        top_of(p, 0, 2, 1, 60), top_of(p, 1, 2, 1, 60), top_of(p, 2, 2, 1, 60),
        value_at(c, 0, 2, 60), value_at(c, 1, 2, 60), value_at(c, 2, 2, 60), value_at(p, 0, 2, 60),
        value_at(p, 1, 2, 60), value_at(p, 2, 2, 60), 2.5 * 0.091 * 2 * 2.1 / 22.225e-3,
        value_at(c, 1, 2, 0.05 / DEGREE), value_at(c, 1, 2, 0.1 / DEGREE), top_of(p, 1, 2, 0.5, 4),
        bottom_of(p, 1, 2, 3, 12), value_at(c, 0, 2, top_of(c, 0, 2, 1, 60) / DEGREE),
        value_at(c, 1, 2, top_of(c, 1, 2, 1, 60) / DEGREE),
        value_at(c, 2, 2, top_of(c, 2, 2, 1, 60) / DEGREE),
        value_at(p, 0, 2, top_of(p, 0, 2, 1, 60) / DEGREE),
        value_at(p, 1, 2, top_of(p, 1, 2, 1, 60) / DEGREE),
        value_at(p, 2, 2, top_of(p, 2, 2, 1, 60) / DEGREE));
}

/* Deviation indices of the three laws as first compared. */
enum { INDEX_LAWS = 6 };

typedef struct indices {
    const char *name[INDEX_LAWS];
    double mean[INDEX_LAWS][RESPONSES], largest[INDEX_LAWS][RESPONSES];
} indices;

/* The example's laws with M3 at its base values, and M3 at the three published optima. */
static void index_laws(indices *x)
{
#define M3_AT(name, eta)                                                                           \
    "laws." name "={law: zheng, modulus: effective, " eta ", friction: 0.091, end-of-contact: "    \
    "overlap}"
    static const char *const set[] = {M3_AT("M3", "eta1: 1.1538e5 Pa s"),
                                      M3_AT("two", "eta1: 5.4906e5 Pa s, eta2: 9.22531e4 Pa s"),
                                      M3_AT("one", "eta1: 3.15769e5 Pa s"),
                                      M3_AT("without", "eta1: 2.3e5 Pa s")};
#undef M3_AT
    static const char *const name[INDEX_LAWS] = {
        "M1", "M2", "M3, base", "M3*, fit of two", "M3**, fit of η₁", "M3***, without the spin"};
    mrn_experiment e = {0};
    mrn_message msg = {0};
    mrn_rebound rebound[ROWS];
    example_open(set, 4, &e);
    for (int k = 0; k < INDEX_LAWS; k++) {
        x->name[k] = name[k];
        if (e.n_candidates != INDEX_LAWS || mrn_experiment_collide(&e, k, rebound, &msg) < 0 ||
            mrn_experiment_deviation(&e, rebound, x->mean[k], x->largest[k], &msg) != MRN_OK)
            give_up("deviation", &msg);
    }
    mrn_experiment_destroy(&e);
}

static void index_picture(report *r, const indices *x, bool largest)
{
    static const char *const response[RESPONSES] = {"e_n", "e_t", "spin"};
    static const double at[RESPONSES] = {0, 1, 2}, line[2] = {-0.5, 2.5}, one[2] = {1, 1};
    mrn_series s[INDEX_LAWS + 1];
    for (int k = 0; k < INDEX_LAWS; k++)
        s[k] = (mrn_series){.label = x->name[k],
                            .style = MRN_SERIES_BARS,
                            .colour = k,
                            .n = RESPONSES,
                            .x = at,
                            .y = largest ? x->largest[k] : x->mean[k]};
    s[INDEX_LAWS] =
        (mrn_series){.style = MRN_SERIES_DASHED, .colour = -1, .n = 2, .x = line, .y = one};
    mrn_plot plot = mrn_plot_default();
    plot.y_label = largest ? "largest deviation index" : "mean deviation index";
    plot.n = INDEX_LAWS + 1, plot.series = s;
    plot.n_names = RESPONSES, plot.x_name = response;
    show(r, &plot, largest ? "lab-steel-deviation-largest" : "lab-steel-deviation-mean",
         plot.y_label);
}

static double least_spin(const indices *x)
{
    double least = INFINITY;
    for (int k = 0; k < INDEX_LAWS; k++)
        least = fmin(least, x->mean[k][2]);
    return least;
}

static void index_rows(report *r)
{
    indices x;
    index_laws(&x);
    say(r, "\nDeviation indices (figures 4.7, 4.8, 4.18, 4.19, 4.23, 4.24, 4.28, 4.29; "
           "`moraine compare` draws these):\n\n| mean, and largest | e_n | e_t | spin "
           "|\n|---|--:|--:|--:|\n");
    for (int k = 0; k < INDEX_LAWS; k++) {
        say(r, "| %s |", x.name[k]);
        for (int q = 0; q < RESPONSES; q++)
            say(r, " %.2f, %.2f |", x.mean[k][q], x.largest[k][q]);
        say(r, "\n");
    }
    index_picture(r, &x, false);
    index_picture(r, &x, true);
    check(r, "indices: mean of e_n of M3**, fit of eta1", x.mean[4][0], 0, 1);
    check(r, "indices: mean of e_t of M3**", x.mean[4][1], 0, 1);
    check(r, "indices: least mean of the spin of all laws", least_spin(&x), 1, INFINITY);
    say(r,
        "The source has these as bars without numbers. Its text on the laws as they stand: e_n of "
        "M3 alone below 1; e_t of all below 1; spin of none, M2 least, then M3, both above 3. With "
        "the reconstructed data and errors the order is the same for e_n and spin, and so is that "
        "no spin is below 1. Differs: e_n of M3 at the value of table 3.7 is above 1, as the data "
        "were reconstructed with the whole of the published η₁ (see below); e_t of M2 is above 1 "
        "for its values at 10° and 20°, where a spring that is never shortened makes another "
        "curve. On the optima: that with η₁ alone e_n and e_t are below 1 (here %.2f and %.2f, "
        "as residuals and data are those of that fit), and that the spin gains little (%.2f, %.2f; "
        "base %.2f). Differs: that with two parameters e_n gets worse than at the base, above 1 "
        "(here %.2f, base %.2f): from data made with the whole η₁ the base lies far off.\n\n",
        x.mean[4][0], x.mean[4][1], x.mean[3][2], x.mean[4][2], x.mean[2][2], x.mean[3][0],
        x.mean[2][0]);
}

static void steel_curves(report *r)
{
    static curves c, p;
    measured d = example_data();
    collide_all(steel_text, steel_sets, STEEL_SETS, "overlap", &c);
    program_curves(as_programmed, 1.1538e5, &c, &p);
    say(r, "### A published comparison of laws: rebounds\n\nSteel on steel with all parameter sets "
           "that the source uses. It prints no number of these curves (figures 4.4 to 4.6, 4.15 to "
           "4.17, 4.20 to 4.22, 4.25 to 4.27), only what was measured less what M3 gives at η₁ = "
           "3.15769·10⁵ Pa s; measured means are that plus our M3, so that they agree there by "
           "construction. Contacts end at zero overlap.\n\n");
    static const char *const what[RESPONSES] = {"e_n", "e_t", "spin, rad/s"};
    for (int q = 0; q < RESPONSES; q++) {
        say(r, "<!-- published: dong-moys-2006 -->\n");
        table_of(r, &c, steel_sets, q, what[q]);
        say(r, "| measured, reconstructed | |");
        for (int i = 0; i < ROWS; i++)
            say(r, q == 2 ? " %.2f |" : " %.4f |", d.y[q][i]);
        say(r, "\n\n");
    }
    steel_pictures(r, &c, &p, &d);
    say(r, "What the text says of the figures, beside the laws here (M3: table 3.7) and beside the "
           "same laws with a tangential elongation that is never shortened (dashed; M3 with half "
           "the viscosity, as found below); numbers are those of the text, \"about\" all of "
           "them:\n\n<!-- published: campos-2016 -->\n"
           "| figure and text | printed | law here | never shortened | |\n"
           "|---|--:|---|---|---|\n");
    normal_claims(r, &c, &d);
    tangential_claims(r, &c, &p);
    spin_claims(r, &c, &p);
    index_rows(r);
}

/* ---- the viscous force of M3 beside the theory of elasticity (figures 4.2 and 4.3) ---- */

enum { RATIOS = 8, POISSONS = 4, HISTORY = 200 };
static const double ratios[RATIOS] = {0, 0.01, 0.05, 1. / 6, 0.5, 1, 3, 10};
static const double poissons[POISSONS] = {0.1, 0.2, 0.3, 0.4};

/* The two brackets that eta1/E is multiplied by: as published, at an overlap of R/1000, and exact
   to first order in the rate. */
static double published_force(double nu, double x)
{
    double k = x > 0 ? (0.8 + 26 * nu * nu * nu) / sqrt(x) * pow(1e-3, 0.04) : 10;
    return k * (1 - 2 * nu) * (1 + nu) * (2 * x + 1. / 3);
}

static double exact_force(double nu, double x)
{
    return (1 + nu) / (1 - nu) * (2. / 3 * (1 - nu + nu * nu) + (1 - 2 * nu) * (1 - 2 * nu) * x);
}

static void force_table(report *r)
{
    double middle[2] = {INFINITY, 0}, reference[2] = {INFINITY, 0};
    say(r, "| η₂/η₁ | ν = 0.1 | 0.2 | 0.3 | 0.4 |\n|---|--:|--:|--:|--:|\n");
    for (int i = 0; i < RATIOS; i++) {
        if (i == 0)
            say(r, "| 0, factor 10 |");
        else
            say(r, "| %.3g |", ratios[i]);
        for (int k = 0; k < POISSONS; k++) {
            double q =
                published_force(poissons[k], ratios[i]) / exact_force(poissons[k], ratios[i]);
            double *range = i == 0 ? reference : middle;
            say(r, " %.2f |", q);
            if (i == 0 || ratios[i] == 0.5) {
                range[0] = fmin(range[0], q);
                range[1] = fmax(range[1], q);
            }
        }
        say(r, "\n");
    }
    /* the fit was made to finite elements of unstated accuracy; a quarter is half of what separates
       0.5 from the reference at nu = 0.3 */
    check(r, "elements: published over exact viscous force at 0.5, least", middle[0], 0.75, 1.25);
    check(r, "elements: published over exact viscous force at 0.5, most", middle[1], 0.75, 1.25);
    check(r, "elements: the same at the reference 0, most", reference[1], 1.25, INFINITY);
}

static const law_set element_sets[4] = {
    {"M3, η₂ = 0 (reference)", "law: zheng, eta1: 2.1e5 Pa s, friction: 0.091"},
    {"M3, η₂ = η₁/2", "law: zheng, eta1: 2.1e5 Pa s, eta2: 1.05e5 Pa s, friction: 0.091"},
    {"exact, η₂ = 0", "law: zheng, eta1: 2.1e5 Pa s, factor: rigorous, friction: 0.091"},
    {"exact, η₂ = η₁/2",
     "law: zheng, eta1: 2.1e5 Pa s, eta2: 1.05e5 Pa s, factor: rigorous, friction: 0.091"},
};

/* Normal force over time of the head-on impact under set k; returns the rows. */
static int force_history(int k, double *time, double *force)
{
    char text[3000];
    mrn_experiment e = {0};
    mrn_message msg = {0};
    mrn_rebound rebound;
    mrn_collision_row *row = NULL;
    int n = 0;
    snprintf(text, sizeof text, "%s  L: {%s}\n", steel_text, element_sets[k].law);
    if (mrn_experiment_read_text(text, "force", NULL, 0, &e, &msg) != MRN_OK)
        give_up(text, &msg);
    mrn_collision c = e.candidate[0].collision;
    c.angle = 0;
    if (mrn_collide_history(&c, 1e-8, HISTORY, &rebound, &row, &n, &msg) < 0)
        give_up("history", &msg);
    n = n < 2 * HISTORY ? n : 2 * HISTORY;
    for (int i = 0; i < n; i++) {
        time[i] = 1e6 * row[i].time;
        force[i] = 1e-3 * row[i].fn;
    }
    mrn_free(row);
    mrn_experiment_destroy(&e);
    return n;
}

static void element_pictures(report *r, const curves *c)
{
    static double time[4][2 * HISTORY], force[4][2 * HISTORY];
    mrn_series s[4], e[4];
    for (int k = 0; k < 4; k++) {
        mrn_series_style style = k < 2 ? MRN_SERIES_LINE : MRN_SERIES_DASHED;
        int n = force_history(k, time[k], force[k]);
        s[k] = (mrn_series){element_sets[k].name, style, k % 2, n, time[k], force[k], NULL};
        e[k] = (mrn_series){element_sets[k].name, style, k % 2, c->n, c->angle, c->y[k][0], NULL};
    }
    mrn_plot plot = mrn_plot_default();
    plot.x_label = "time, µs";
    plot.y_label = "normal force, kN";
    plot.n = 4;
    plot.series = s;
    show(r, &plot, "lab-elements-force", "normal force of a head-on impact");
    plot.x_label = "angle of incidence, degrees";
    plot.y_label = response_label[0];
    plot.series = e;
    show(r, &plot, "lab-elements-en", "normal restitution");
}

static void elements(report *r)
{
    static curves c;
    collide_all(steel_text, element_sets, 4, "force", &c);
    double off[2] = {(1 - value_at(&c, 0, 0, 0)) / (1 - value_at(&c, 2, 0, 0)),
                     (1 - value_at(&c, 1, 0, 0)) / (1 - value_at(&c, 3, 0, 0))};
    say(r,
        "### A published comparison of laws: the viscous force of M3\n\nFigures 4.2 and 4.3 set M3 "
        "beside Zheng's finite elements of a viscoelastic sphere, whose numbers, materials and "
        "speeds are printed in neither. What such elements compute has since been found in closed "
        "form (Brilliantov, Pimenova & Goldobin 2015; [theory.md](theory.md#viscoelastic), here "
        "`factor: rigorous`), to first order in the rate. The viscous force of M3 over it, at an "
        "overlap of R/1000:\n\n");
    force_table(r);
    say(r,
        "\nThe factor of M3 was fitted to elements without knowledge of this. Where η₂/η₁ is 0.5, "
        "the "
        "ratio which the source finds to agree best with the elements, it lies within a fifth of "
        "the exact force for every ν, at ν = 0.3 within a hundredth. At its reference, η₂ = 0, "
        "the factor has no value, the 10 of the source's program is far off (first row), and the "
        "source finds “considerable discrepancies”. (The bounds of these checks were written with "
        "the row of ν = 0.3 known.)\n\nSteel as above, η₁/E = 10⁻⁶ s, force at 0° and restitution; "
        "1 − e_n of M3 over the exact one at 0°: %.3f (η₂ = 0), %.3f (η₂ = η₁/2).\n",
        off[0], off[1]);
    check(r, "elements: 1 - e_n over the exact one, eta2 = eta1/2", off[1], 0.9, 1.1);
    check(r, "elements: 1 - e_n over the exact one, eta2 = 0", off[0], 1.25, INFINITY);
    element_pictures(r, &c);
}

/* ---- glass on aluminium ---- */

static const law_set glass_sets[] = {
    {"M1", "law: linear, normal-stiffness: 3.6479e5 N/m, normal-damping: 0.6137 N s/m, "
           "stiffness-ratio: 0.833301, friction: 0.125"},
    {"M2", "law: hertz-mindlin, damping: 0.1, friction: 0.125, shear-stiffness: particle, "
           "load-coupling: total"},
    {"M3, η₁ = 3.7962·10⁴ Pa s",
     "law: zheng, modulus: effective, eta1: 3.7962e4 Pa s, friction: 0.125"},
};

/* Gross sliding at 60 degrees is a closed form where contacts do not pull at their end. The arm is
   the radius less the overlap, some thousandths of it for M2 and M3; of M1, 1 %. */
static double off_sliding(const curves *c)
{
    double off = 0;
    int i = at_degrees(c, 60);
    for (int k = 1; k < 3; k++)
        off = fmax(off, fabs(c->psi2[k][i] - c->psi1[k][i] + 3.5 * (1 + c->y[k][0][i]) * 0.125));
    return off;
}

static void glass_picture(report *r, const curves *c)
{
    double x[2] = {0.5, 1.8}, y[2];
    for (int k = 0; k < 2; k++)
        y[k] = x[k] - 3.5 * 1.831 * 0.125;
    mrn_series s[4] = {{"rigid, sliding, e = 0.831", MRN_SERIES_DASHED, -1, 2, x, y, NULL}};
    for (int k = 0; k < 3; k++)
        s[k + 1] = (mrn_series){k == 2 ? "M3" : glass_sets[k].name,
                                MRN_SERIES_LINE,
                                k,
                                c->n,
                                c->psi1[k],
                                c->psi2[k],
                                NULL};
    mrn_plot plot = mrn_plot_default();
    plot.x_label = "ψ₁: tangential over normal velocity before";
    plot.y_label = "ψ₂: tangential velocity of the contact after";
    plot.n = 4;
    plot.series = s;
    show(r, &plot, "lab-glass-psi", "Glass on aluminium");
}

static void glass_curves(report *r)
{
    static curves c, parting;
    static const char *const what[RESPONSES] = {"e_n", "e_t", "spin, rad/s"};
    collide_all(glass_text, glass_sets, 3, "overlap", &c);
    collide_all(glass_text, glass_sets, 3, "force", &parting);
    say(r, "Glass on aluminium (2 m/s), the parameters of tables 3.3, 3.4 and 3.7:\n\n");
    for (int q = 0; q < RESPONSES; q++) {
        table_of(r, &c, glass_sets, q, what[q]);
        say(r, "\n");
    }
    glass_picture(r, &c);
    double off = off_sliding(&parting);
    check(r, "glass: psi2 of M2 and M3 at 60 deg, off sliding", off, 0, 5e-3);
    say(r,
        "Figure 4.1 has ψ₂ over ψ₁ and no numbers; its text: M1 and M2 near those of "
        "Kruggel-Emden et al. (2008), no data for M3. At 60° all slide: where contacts end at "
        "zero force, ψ₂ = ψ₁ − 7/2 (1 + e_n) μ within %.4f (M2, M3); ended at zero overlap, the "
        "pull at the end, with friction of its own, takes M3 %.3f off. Measured is e = 0.831; M1 "
        "has %.3f (its constants are those of another mass), M2 %.3f (α read off a curve), M3 "
        "%.3f at normal incidence: 10⁻⁶ s · E* is far too much for so small a ball.\n\n",
        off, off_sliding(&c), value_at(&c, 0, 0, 30), value_at(&c, 1, 0, 30),
        value_at(&c, 2, 0, 0));
}

/* ---- sensitivity ---- */

static const law_set eta1_sets[] = {
    {"η₁ = 2.1·10³ Pa s", "law: zheng, modulus: effective, eta1: 2.1e3 Pa s, friction: 0.091"},
    {"2.1·10⁴", "law: zheng, modulus: effective, eta1: 2.1e4 Pa s, friction: 0.091"},
    {"2.1·10⁵ (base)", "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, friction: 0.091"},
    {"6.6·10⁵", "law: zheng, modulus: effective, eta1: 6.6e5 Pa s, friction: 0.091"},
    {"2.1·10⁶", "law: zheng, modulus: effective, eta1: 2.1e6 Pa s, friction: 0.091"},
};
static const law_set eta2_sets[] = {
    {"η₂ = 0 (base)", "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, friction: 0.091"},
    {"2.1·10⁴ Pa s",
     "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, eta2: 2.1e4 Pa s, friction: 0.091"},
    {"3.5·10⁴",
     "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, eta2: 3.5e4 Pa s, friction: 0.091"},
    {"2.1·10⁵",
     "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, eta2: 2.1e5 Pa s, friction: 0.091"},
    {"2.1·10⁶",
     "law: zheng, modulus: effective, eta1: 2.1e5 Pa s, eta2: 2.1e6 Pa s, friction: 0.091"},
};

static void sweep_pictures(report *r, const curves *c, const law_set *s, const char *of)
{
    for (int q = 0; q < RESPONSES; q++) {
        mrn_series line[MAX_SETS];
        char name[64];
        for (int k = 0; k < c->sets; k++)
            line[k] = (mrn_series){s[k].name, MRN_SERIES_LINE, k, c->n, c->angle, c->y[k][q], NULL};
        mrn_plot plot = mrn_plot_default();
        plot.x_label = "angle of incidence, degrees";
        plot.y_label = response_label[q];
        plot.n = c->sets;
        plot.series = line;
        snprintf(name, sizeof name, "lab-%s-%s", of, response_key[q]);
        show(r, &plot, name, response_label[q]);
    }
}

/* Where two curves cross first beyond 0.5 degrees; NAN: nowhere. */
static double crossing(const curves *c, int a, int b, int response)
{
    for (int i = 3; i < c->n; i++) {
        double before = c->y[a][response][i - 1] - c->y[b][response][i - 1];
        double after = c->y[a][response][i] - c->y[b][response][i];
        if (before * after <= 0)
            return c->angle[i];
    }
    return NAN;
}

/* Largest less smallest over the sets, at worst over the angles. */
static double effect(const curves *c, int response, int first, int end)
{
    double most = 0;
    for (int i = 1; i < c->n; i++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = first; k < end; k++) {
            lo = fmin(lo, c->y[k][response][i]);
            hi = fmax(hi, c->y[k][response][i]);
        }
        most = fmax(most, hi - lo);
    }
    return most;
}

static void eta1_words(report *r, const curves *c)
{
    double elastic = value_at(c, 0, 0, 0), damped = value_at(c, 4, 0, 0);
    double cross = crossing(c, 0, 4, 1), worst = 0;
    for (int k = 0; k < c->sets; k++)
        for (int i = 1; i < c->n; i++) {
            double vt = 4.2 * sin(c->angle[i] * DEGREE);
            double spin = 2.5 * vt * (1 - c->y[k][1][i]) / 22.225e-3;
            worst = fmax(worst, fabs(c->y[k][2][i] / spin - 1));
        }
    check(r, "sensitivity: 1 - e_n at the least eta1", 1 - elastic, 0, 0.01);
    check(r, "sensitivity: energy lost at the largest eta1", 1 - damped * damped, 0.5, 1);
    /* the moment about the point of contact is kept but for the arm, radius less overlap */
    check(r, "sensitivity: spin over 5/2 v_t (1 - e_t)/R, off 1", worst, 0, 0.02);
    say(r,
        "| η₁: e_n falls with it; the least makes the contact nearly elastic | e_n = %.4f at 0° | "
        "agrees |\n"
        "| the largest takes more than half of the normal energy | e_n = %.3f: %.0f %% | agrees "
        "|\n"
        "| e_t falls with η₁ at small angles, the order turns round as the angle grows | at 0.5° "
        "%.3f, %.3f, %.3f; curves of the least and the largest cross at %.1f° | agrees |\n"
        "| e_t ends near 0.9 for all | %.3f to %.3f at 60° | agrees |\n"
        "| spins turn round likewise: at small angles they are smaller for larger η₁ | at 0.5° "
        "%.2f, %.2f, %.2f rad/s; at 15° %.1f, %.1f, %.1f | differs below the crossing, where the "
        "two statements exclude each other: the moment about the point of contact is kept, so "
        "that spin = 5/2 v_t (1 − e_t)/R (here within %.1f %%, the overlap over R), and what "
        "lowers e_t raises the spin |\n",
        elastic, damped, 100 * (1 - damped * damped), value_at(c, 0, 1, 0.5),
        value_at(c, 2, 1, 0.5), value_at(c, 4, 1, 0.5), cross, value_at(c, 0, 1, 60),
        value_at(c, 4, 1, 60), value_at(c, 0, 2, 0.5), value_at(c, 2, 2, 0.5),
        value_at(c, 4, 2, 0.5), value_at(c, 0, 2, 15), value_at(c, 2, 2, 15), value_at(c, 4, 2, 15),
        100 * worst);
}

static void eta2_words(report *r, const curves *one, const curves *two)
{
    double ratio[RESPONSES];
    for (int q = 0; q < RESPONSES; q++)
        ratio[q] = effect(two, q, 0, 5) / effect(one, q, 0, 5);
    check(r, "sensitivity: e_n, effect of eta2 over that of eta1", ratio[0], 0, 1);
    check(r, "sensitivity: e_t, effect of eta2 over that of eta1", ratio[1], 0, 1);
    say(r,
        "| η₂ changes e_t and spin slightly, e_n more; all far less than η₁ does | largest change "
        "over the range, η₂ beside η₁: e_n %.3f and %.3f, e_t %.3f and %.3f, spin %.1f and %.1f "
        "rad/s | agrees |\n"
        "| its effect on e_n is like that of η₁ | e_n at 0° for 0, 2.1·10⁴, 3.5·10⁴, 2.1·10⁵, "
        "2.1·10⁶: %.3f, %.3f, %.3f, %.3f, %.3f | differs at the low end: the factor goes as (2 x + "
        "1/3)/√x, x = η₂/η₁, least at x = 1/6, and jumps to 10 at 0, so that a little η₂ takes "
        "damping away |\n\n",
        effect(two, 0, 0, 5), effect(one, 0, 0, 5), effect(two, 1, 0, 5), effect(one, 1, 0, 5),
        effect(two, 2, 0, 5), effect(one, 2, 0, 5), value_at(two, 0, 0, 0), value_at(two, 1, 0, 0),
        value_at(two, 2, 0, 0), value_at(two, 3, 0, 0), value_at(two, 4, 0, 0));
}

static void sensitivity(report *r)
{
    static curves one, two;
    collide_all(steel_text, eta1_sets, 5, "overlap", &one);
    collide_all(steel_text, eta2_sets, 5, "overlap", &two);
    say(r,
        "### A published comparison of laws: sensitivity\n\nM3 over the ranges of table 3.8, one "
        "parameter at a time, the other at its base value (figures 4.9 to 4.14, no numbers). "
        "First η₁ with η₂ = 0:\n");
    sweep_pictures(r, &one, eta1_sets, "eta1");
    say(r, "Then η₂ with η₁ = 2.1·10⁵ Pa s:\n");
    sweep_pictures(r, &two, eta2_sets, "eta2");
    say(r, "| text | ours | |\n|---|---|---|\n");
    eta1_words(r, &one);
    eta2_words(r, &one, &two);
}

/* ---- the published fits ---- */

typedef struct fit_case {
    const char *name, *set[3];
    double eta1, ratio, F; /* published */
} fit_case;

static const char alone[] = "fit.parameters={eta1: {bounds: [2.1e3 Pa s, 2.1e6 Pa s], scale: log}}";
static const char without[] = "fit.responses=[en, et]";
static const fit_case cases[3] = {
    {"eta1, eta2/eta1", {NULL}, 5.4906e5, 0.16802, 1357.93},
    {"eta1 alone", {alone, NULL}, 3.15769e5, NAN, 1372.2},
    {"eta1 alone, without the spin", {alone, without, NULL}, 2.3e5, NAN, 50.19},
};

/* y and weight (may be NULL): in place of what the file has, [response][row]. */
static mrn_fit fit_case_of(const fit_case *c, double (*y)[ROWS], const double *weight)
{
    mrn_experiment e = {0};
    mrn_fit_setup *setup = NULL;
    mrn_predictor model;
    mrn_message msg = {0};
    mrn_fit f = {0};
    mrn_datum datum[DATA];
    int n = 0;
    while (n < 3 && c->set[n] != NULL)
        n++;
    example_open(c->set, n, &e);
    if (mrn_fit_setup_create(&e, e.fitted, &setup, &model, &msg) != MRN_OK)
        give_up("setup", &msg);
    mrn_fit_setup_data d = mrn_fit_setup_data_of(setup);
    for (int i = 0; i < d.n; i++) {
        int at = e.measured.row[d.of[i]], response = e.measured.datum[d.of[i]].response;
        datum[i] = d.datum[i];
        if (y != NULL)
            datum[i].y = y[response][at];
        /* no weight: an error that leaves nothing of it */
        if (weight != NULL)
            datum[i].variance = 1 / fmax(weight[response * ROWS + at], 1e-9);
    }
    if (mrn_fit_model(&model, e.candidate[e.fitted].free, datum, d.n_responses, &e.fit, &f, &msg) <
        0)
        give_up("fit", &msg);
    mrn_fit_setup_destroy(&setup);
    mrn_experiment_destroy(&e);
    return f;
}

static void fit_row(report *r, const fit_case *c, mrn_fit *last)
{
    *last = fit_case_of(c, NULL, NULL);
    const mrn_estimate *k = &last->at[last->n - 1]; /* of two parameters the ratio is stated */
    say(r, "| %s | %.3g | %.3g |", c->name, last->x[0], c->eta1);
    if (last->n > 1)
        say(r, " %.4f | %.4f |", last->x[1], c->ratio);
    else
        say(r, " | |");
    say(r, " %.1f | %.1f | %.3g to %.3g | %.3g to %.3g | %.2f s |\n", last->objective, c->F,
        k->linear[0], k->linear[1], k->profile[0], k->profile[1], last->seconds);
}

/* The residuals' means: Student's interval, and what is printed, in which the variance stands where
   the standard deviation belongs. */
static void student(report *r)
{
    static const double printed[RESPONSES][2] = {
        {0.01081, 0.01153}, {-0.01462, -0.01290}, {-23.58774, 36.92599}};
    static const char *const name[RESPONSES] = {"e_n", "e_t", "spin, rad/s"};
    const double t = 2.570582; /* 95 %, five degrees of freedom */
    say(r, "\nResiduals of table 4.4 have, by the source, means that are not zero for e_n and e_t "
           "and may be zero for the spin. It is the other way round: its intervals are t s²/√n, "
           "with the variance for the standard deviation.\n\n<!-- published: campos-2016 -->\n| "
           "| mean residual, printed | ours | printed interval | "
           "with s² | Student's, with s |\n|---|--:|--:|---|---|---|\n");
    for (int q = 0; q < RESPONSES; q++) {
        double mean = 0, v = 0;
        for (int i = 0; i < ROWS; i++)
            mean += printed_residual[i][q] / ROWS;
        for (int i = 0; i < ROWS; i++)
            v += pow(printed_residual[i][q] - mean, 2) / (ROWS - 1);
        double wrong = t * v / sqrt(ROWS), right = t * sqrt(v / ROWS);
        char what[96];
        say(r, "| %s | %.5g | %.5g | %.5g to %.5g | %.5g to %.5g | %.4f to %.4f |\n", name[q],
            printed_mean[q], mean, printed[q][0], printed[q][1], mean - wrong, mean + wrong,
            mean - right, mean + right);
        snprintf(what, sizeof what, "fits: printed interval of the mean over t s^2/sqrt(n), %s",
                 response_key[q]);
        /* residuals of five decimals: their variance to a few thousandths */
        check(r, what, (printed[q][1] - printed[q][0]) / (2 * wrong), 0.99, 1.01);
        snprintf(what, sizeof what, "fits: mean of table 4.4's last row, %s", response_key[q]);
        check(r, what, mean / printed_mean[q], 0.999, 1.001);
    }
}

/* The thesis' first proposal: with a rolling torque of the same viscosities. */
static void rolling_rows(report *r)
{
#define M3_BY(law, factor)                                                                         \
    "laws.M3={law: " law ", " factor ", eta1: 3.15769e5 Pa s, friction: 0.091, "                   \
    "end-of-contact: overlap}"
    static const char *const set[4] = {
        M3_BY("zheng", "modulus: effective"),
        M3_BY("{model: zheng, rolling: viscoelastic}", "modulus: effective"),
        M3_BY("zheng", "factor: rigorous"),
        M3_BY("{model: zheng, rolling: viscoelastic}", "factor: rigorous")};
#undef M3_BY
    static const char *const name[4] = {"published factor", "published factor, rolling torque",
                                        "rigorous", "rigorous, rolling torque"};
    double F[4];
    say(r,
        "\nA rolling torque, which the source proposes as the next step because no law meets the "
        "spins, by the same viscosities ([theory.md](theory.md#rolling-and-twisting)); η₁ "
        "alone is free, η₂ = 0:\n\n| M3 | η₁, Pa s | F | mean index of the spin "
        "|\n|---|--:|--:|--:|\n");
    for (int k = 0; k < 4; k++) {
        /* rolling moments are integrated by the steps of the engine: 1e-5 suits them */
        fit_case c = {name[k], {set[k], alone, "accuracy=1e-5"}, 0, 0, 0};
        mrn_fit f = fit_case_of(&c, NULL, NULL);
        F[k] = f.objective;
        say(r, "| %s | %.3g | %.1f | %.2f |\n", name[k], f.x[0], f.objective, f.deviation[2]);
        mrn_fit_release(&f);
    }
    check(r, "fits: F with a rolling torque over F without, published factor", F[1] / F[0], 0.95,
          1);
    check(r, "fits: F with a rolling torque over F without, rigorous", F[3] / F[2], 0.95, 1);
    say(r, "\nIt takes away less than a fiftieth of F: the torque is not what the model lacks. In "
           "microseconds of contact a moment A P V has no time to act. (The bounds were written "
           "with these numbers known; above 1 the torque would harm.)\n");
}

static void fits(report *r)
{
    mrn_fit f;
    /* quantiles as printed, for 16, 17 and 11 degrees of freedom */
    static const double chi2[3][2] = {{6.908, 28.845}, {7.564, 30.191}, {3.82, 21.9}};
    say(r, "### The published fits\n\nSteel ball on a steel plate, law `zheng` (M3): "
           "`examples/lab-steel-dong-moys`, where it is said how the data were reconstructed from "
           "residuals that are printed, and what is not sure about that: numbers are beside each "
           "other, and not asked to agree. Intervals at 95 %% of the last parameter.\n\n"
           "| free | η₁, Pa s | published | η₂/η₁ | published | F "
           "| published | linearised | "
           "profile | time |\n|---|--:|--:|--:|--:|--:|--:|---|---|--:|\n");
    double interval[3][2];
    for (int k = 0; k < 3; k++) {
        char what[96];
        clock_t began = clock();
        fit_row(r, &cases[k], &f);
        interval[k][0] = f.chi2[0], interval[k][1] = f.chi2[1];
        double spent = (double)(clock() - began) / CLOCKS_PER_SEC;
        for (int j = 0; j < 2; j++) {
            snprintf(what, sizeof what, "fits: chi2 %s, %s, over printed", j == 0 ? "low" : "high",
                     cases[k].name);
            check(r, what, f.chi2[j] / chi2[k][j], 0.998, 1.002); /* three digits */
        }
        if (k == 0) {
            /* (2 x + 1/3)/sqrt(x) is least at 1/6 */
            check(r, "fits: eta2/eta1 of two parameters times 6", 6 * f.x[1], 0.98, 1.02);
            check(r, "fits: its linearised interval holds zero",
                  f.at[1].linear[0] < 0 && f.at[1].linear[1] > 0, 1, 1);
            check(r, "fits: processor time, s", spent, 0, 2);
        }
        mrn_fit_release(&f);
    }
    say(r, "\nThe published two-parameter optimum has η₂/η₁ = 0.168, ours is 1/6. That is no "
           "property of steel: the damping of the law goes as (2 x + 1/3)/√x with x = η₂/η₁, which "
           "is smallest at 1/6. Data that ask for less than any x gives end there, and as the "
           "model is stationary there, the linearised interval holds zero whatever the data: "
           "“η₂ is not significant” is what linearisation must say. The profile does not. (The "
           "published optima stand once more, with the fits that meet them, below.) Intervals of "
           "F at 95 %%, of χ² with 16, 17 and 11 degrees of freedom:\n\n"
           "<!-- published: campos-2016 -->\n| free | published | ours |\n|---|---|---|\n");
    for (int k = 0; k < 3; k++)
        say(r, "| %s | %.5g to %.5g | %.5g to %.5g |\n", cases[k].name, chi2[k][0], chi2[k][1],
            interval[k][0], interval[k][1]);
    rolling_rows(r);
    student(r);
}

/* ---- what the printed values of the objective say ---- */

/* M3 as a function of its two viscosities at the six angles: a program, or the law itself. */
typedef struct model {
    const program *program; /* NULL: the law */
    double share;           /* of eta1, for the law */
} model;

static void law_at(double eta1, double ratio, double y[RESPONSES][ROWS])
{
    static mrn_collision c[ROWS]; /* large */
    mrn_experiment e = {0};
    mrn_message msg = {0};
    mrn_rebound out[ROWS];
    mrn_factor f[3];
    static const char *const name[3] = {"eta1", "eta2-over-eta1", "angle"};
    char text[1000];
    snprintf(
        text, sizeof text, "%s  M3: {%s}\n", steel_text,
        "law: zheng, modulus: effective, eta1: 1e5 Pa s, eta2-over-eta1: 0.1, friction: 0.091, "
        "end-of-contact: overlap");
    if (mrn_experiment_read_text(text, "law", NULL, 0, &e, &msg) != MRN_OK)
        give_up("law", &msg);
    for (int k = 0; k < 3; k++)
        if (mrn_factor_find(&e.candidate[0].collision, name[k], &f[k], &msg) != MRN_OK)
            give_up(name[k], &msg);
    for (int i = 0; i < ROWS; i++) {
        c[i] = e.candidate[0].collision;
        mrn_factor_set(&c[i], &f[0], eta1);
        mrn_factor_set(&c[i], &f[1], ratio);
        mrn_factor_set(&c[i], &f[2], 10 * (i + 1) * DEGREE);
    }
    mrn_experiment_destroy(&e);
    if (mrn_collide(c, ROWS, 1e-9, out, NULL, &msg) < 0)
        give_up("collisions", &msg);
    for (int i = 0; i < ROWS; i++)
        y[0][i] = out[i].en, y[1][i] = out[i].et, y[2][i] = out[i].omega;
}

static void model_at(const model *m, double log_eta1, double ratio, double y[RESPONSES][ROWS])
{
    double eta1 = pow(10, log_eta1), out[RESPONSES];
    if (m->program == NULL) {
        law_at(eta1 * m->share, ratio, y);
        return;
    }
    for (int i = 0; i < ROWS; i++) {
        program_collide(m->program, eta1, ratio, 10 * (i + 1) * DEGREE, out);
        for (int q = 0; q < RESPONSES; q++)
            y[q][i] = out[q];
    }
}

/* What was measured, if the model is this: its values at the published optimum and the residuals.
 */
static void measured_by(const model *m, double y[RESPONSES][ROWS])
{
    model_at(m, log10(3.15769e5), 0, y);
    for (int i = 0; i < ROWS; i++)
        for (int q = 0; q < RESPONSES; q++)
            y[q][i] += (q == 2 ? -1 : 1) * printed_residual[i][q];
}

/* Equations for the weights (one over the variances) of the 18 data. All are linear in them: values
   of F, what is stationary at a published optimum, the information behind an interval. */
typedef struct equations {
    double A[EQUATIONS][DATA], b[EQUATIONS], tolerance[EQUATIONS];
    int n;
} equations;

typedef enum kind { VALUE, SLOPE, INFORMATION } kind;

typedef struct point {
    double log_eta1, ratio;
    int responses; /* first so many count */
    int along;     /* 0: log10 eta1; 1: ln of the ratio */
} point;

static void add(equations *q, const model *m, double y[RESPONSES][ROWS], kind what, point at,
                double value, double tolerance)
{
    const double b = 2e-3;
    double here[RESPONSES][ROWS], up[RESPONSES][ROWS], down[RESPONSES][ROWS];
    double dx = at.along == 0 ? b : 0, dr = at.along == 1 ? 10 * b : 0;
    model_at(m, at.log_eta1, at.ratio, here);
    if (what != VALUE) {
        model_at(m, at.log_eta1 + dx, at.ratio * exp(dr), up);
        model_at(m, at.log_eta1 - dx, at.ratio * exp(-dr), down);
    }
    for (int j = 0; j < DATA; j++) {
        int k = j / ROWS, i = j % ROWS;
        double off = y[k][i] - here[k][i];
        double slope = what != VALUE ? (up[k][i] - down[k][i]) / (2 * (dx + dr)) : 0;
        double a = what == VALUE ? off * off : what == SLOPE ? -2 * off * slope : slope * slope;
        q->A[q->n][j] = k < at.responses ? a : 0;
    }
    q->b[q->n] = value;
    q->tolerance[q->n++] = tolerance;
}

/* Tolerances: F is printed to 0.01, but at points of five decimals in log10 eta1, and of programs
   that step through time; log10 eta1 of an optimum is known to 1e-3 (0.01 for 2.3e5) where the
   second derivative of F is about 2e4; intervals to a few percent, as linearised from differences
   of a length that is not given. */
static void make_equations(const model *m, equations *q)
{
    double y[RESPONSES][ROWS];
    const double log10_e = log10(exp(1)), half = (3.36088e5 - 2.95912e5) / 2;
    measured_by(m, y);
    q->n = 0;
    for (int k = 0; k < PRINTED; k++) {
        printed_value v = printed_objective[k];
        add(q, m, y, VALUE, (point){v.log_eta1, v.ratio, 3, 0}, v.F, 0.05);
    }
    point one = {log10(3.15769e5), 0, 3, 0}, spinless = {log10(2.3e5), 0, 2, 0};
    point two = {5.73962, 0.16802, 3, 0};
    double information = pow(2.110 * 3.15769e5 / (half * log10_e), 2); /* t of 17 */
    add(q, m, y, SLOPE, one, 0, 20);
    add(q, m, y, SLOPE, two, 0, 20);
    two.along = 1;
    add(q, m, y, SLOPE, two, 0, 5);
    add(q, m, y, SLOPE, spinless, 0, 50);
    add(q, m, y, VALUE, spinless, 50.19, 0.1);
    add(q, m, y, INFORMATION, one, information, 0.1 * information);
}

typedef struct reading {
    double weight[DATA];
    double misfit, off; /* sum of squares over tolerances; largest of F */
} reading;

static double row_of(const equations *q, int i, const double *w)
{
    double sum = 0;
    for (int j = 0; j < DATA; j++)
        sum += q->A[i][j] * w[j];
    return sum;
}

/* What the text says of error bars with the fit of one parameter: all e_n and e_t within them, of
   the spins two (those of 30 and 40 degrees, by the residuals). Bars of triplicates: t s/sqrt(3)
   with two degrees of freedom, 2.484 s. */
static void bars_as_told(double lo[DATA], double hi[DATA])
{
    for (int j = 0; j < DATA; j++) {
        int k = j / ROWS, i = j % ROWS;
        double limit = pow(2.484 / printed_residual[i][k], 2);
        bool inside = k < 2 || i == 2 || i == 3;
        lo[j] = inside ? 0 : limit;
        hi[j] = inside ? limit : INFINITY;
    }
}

typedef enum errors { COMMON, FREE, AS_TOLD } errors; /* one per response; one per datum */

/* The weights that come nearest to what is printed. */
static reading read_weights(const model *m, errors of)
{
    static equations q;
    static double A[EQUATIONS][DATA];
    double b[EQUATIONS], lo[DATA] = {0}, hi[DATA];
    reading out = {0};
    make_equations(m, &q);
    memset(A, 0, sizeof A);
    for (int i = 0; i < EQUATIONS; i++) {
        b[i] = q.b[i] / q.tolerance[i];
        for (int j = 0; j < DATA; j++)
            A[i][of == COMMON ? j / ROWS * ROWS : j] += q.A[i][j] / q.tolerance[i];
    }
    for (int j = 0; j < DATA; j++)
        hi[j] = INFINITY;
    if (of == AS_TOLD)
        bars_as_told(lo, hi);
    least_squares(A, b, lo, hi, out.weight);
    for (int j = 0; j < DATA && of == COMMON; j++)
        out.weight[j] = out.weight[j / ROWS * ROWS];
    for (int i = 0; i < EQUATIONS; i++) {
        double off = row_of(&q, i, out.weight) - q.b[i];
        out.misfit += pow(off / q.tolerance[i], 2);
        if (i < PRINTED)
            out.off = fmax(out.off, fabs(off));
    }
    return out;
}

static void reading_row(report *r, const char *name, const model *m, reading out[3])
{
    double y[RESPONSES][ROWS], lo = INFINITY, hi = 0;
    measured_by(m, y);
    for (int i = 0; i < ROWS; i++)
        lo = fmin(lo, y[0][i]), hi = fmax(hi, y[0][i]);
    say(r, "| %s |", name);
    for (int k = COMMON; k <= AS_TOLD; k++) {
        out[k] = read_weights(m, (errors)k);
        say(r, " %.2f (%.2g) |", out[k].off, out[k].misfit);
    }
    say(r, " %.3f to %.3f |\n", lo, hi);
}

/* The fits once more, with data and errors of this reading: law zheng with half of eta1. */
static void closing_fits(report *r, const model *m, const reading *w)
{
    double y[RESPONSES][ROWS];
    /* what was allowed above: 1e-3 in log10 of two optima and 0.01 of the third, with as much again
       for the law's own curvature; F to 0.5 */
    static const double within[3] = {0.02, 0.01, 0.03};
    measured_by(m, y);
    say(r, "\n<!-- published: campos-2016 -->\n| free | twice our η₁, Pa s | published | η₂/η₁ | "
           "published | F | published | twice "
           "our interval of η₁ | published |\n|---|--:|--:|--:|--:|--:|--:|---|---|\n");
    static const char *const interval[3] = {"3.73e+05 to 7.25e+05", "2.96e+05 to 3.36e+05", ""};
    for (int k = 0; k < 3; k++) {
        const fit_case *c = &cases[k];
        mrn_fit f = fit_case_of(c, y, w->weight);
        double twice = f.x[0] / m->share;
        char what[96];
        say(r, "| %s | %.4g | %.4g |", c->name, twice, c->eta1);
        if (f.n > 1)
            say(r, " %.4f | %.4f |", f.x[1], c->ratio);
        else
            say(r, " | |");
        say(r, " %.2f | %.2f | %.3g to %.3g | %s |\n", f.objective, c->F,
            f.at[0].linear[0] / m->share, f.at[0].linear[1] / m->share, interval[k]);
        snprintf(what, sizeof what, "objective: %s, twice eta1 over published", c->name);
        check(r, what, twice / c->eta1, 1 - within[k], 1 + within[k]);
        snprintf(what, sizeof what, "objective: %s, F less published", c->name);
        check(r, what, f.objective - c->F, -0.5, 0.5);
        mrn_fit_release(&f);
    }
    say(r, "\n");
}

static void weight_rows(report *r, const reading *w)
{
    static const char *const name[RESPONSES] = {"e_n", "e_t", "spin, rad/s"};
    say(r, "\n| error of | 10° | 20° | 30° | 40° | 50° | 60° |\n|---|--:|--:|--:|--:|--:|--:|\n");
    for (int q = 0; q < RESPONSES; q++) {
        say(r, "| %s |", name[q]);
        for (int i = 0; i < ROWS; i++) {
            double x = w->weight[q * ROWS + i];
            if (x > 0)
                say(r, " %.3g |", 1 / sqrt(x));
            else
                say(r, " no weight |");
        }
        say(r, "\n");
    }
}

/* Tables 4.1 to 4.3 beside F of this reading. */
static void objective_rows(report *r, const model *m, const reading *w)
{
    static equations q;
    make_equations(m, &q);
    say(r, "\nF at the points of tables 4.1 to 4.3 with them (18 errors were found from these and "
           "six more equations, so that this is no prediction):\n\n"
           "<!-- published: campos-2016 -->\n"
           "| log₁₀ η₁ | η₂/η₁ | F printed | ours |\n|--:|--:|--:|--:|\n");
    for (int k = 0; k < PRINTED; k++)
        say(r, "| %.5f | %.5f | %.2f | %.2f |\n", printed_objective[k].log_eta1,
            printed_objective[k].ratio, printed_objective[k].F, row_of(&q, k, w->weight));
}

static void objective_words(report *r, const model *m, const reading *w)
{
    say(r,
        "\n- Three common errors, as in `examples/lab-steel-dong-moys`, do with no model; that is "
        "one reason why its fits end elsewhere.\n"
        "- With an error for every datum the whole η₁ misses F by ten times what is allowed; with "
        "half of it all is met. ν must not be halved with it.\n"
        "- With errors that also obey what the text says of error bars (all e_n and e_t within "
        "them, spins at 10°, 20°, 50° and 60° outside) the whole η₁ misses F by ten, half of it "
        "by one, 0.2 or 0.3 of it by some tenths; nothing meets all. Spins near 45 rad/s at 60° "
        "(figure 4.6) ask for the same: less damping than program C.1 makes of the whole η₁.\n\n"
        "Appendix B says that properties of a pair are made as R_i R_j/(R_i + R_j) is, and the "
        "programs read a viscosity of the pair whose making is not printed: for two like bodies "
        "that is η₁/2. So the published η₁ are, most likely, at least twice what the force has; "
        "in law `zheng` η₁ is what the force has. With half of η₁ and these errors\n");
    weight_rows(r, w);
    objective_rows(r, m, w);
    say(r, "\nour fits find (that optima are where they are was among the equations; that they are "
           "the least of all was not):\n");
    closing_fits(r, m, w);
    say(r,
        "Explained, then: F, all three optima, η₂/η₁ and the interval of one parameter, by half "
        "the viscosity and errors that differ from angle to angle. Not proven: these errors (18 "
        "unknowns; values of F at points so close make some ten independent equations; most data "
        "are left without weight, and e_n at 50° and e_t at 40° lie outside their bars, against "
        "the text). Not explained: the interval of η₁ of two parameters, which share of η₁ the "
        "programs took, and M2 below all measured e_n (above).\n\n"
        "Misprints found on the way: bounds 3.32 and 6.32 are those of log₁₀ η₁, not of log₁₀ "
        "η₁/E (eq. 3.12); 3.15769·10⁵ is 10 to the power 5.49937, a value of the global search, "
        "where table 4.3 has 5.49928 at the end (3.15704·10⁵, the same F); η₂ of the fit is "
        "9.22531·10⁴ in chapter 4 and 9.22531·10⁵ in chapter 5.\n\n");
}

static void objective(report *r)
{
    static const struct {
        const char *name;
        program p;
    } v[] = {
        {"programs C.1 and C.2, whole η₁", {3, false, 1, 0.3, 1, 0}},
        {"programs, half of η₁", {3, false, 0.5, 0.3, 1, 0}},
        {"programs, 0.3 of η₁", {3, false, 0.3, 0.3, 1, 0}},
        {"programs, 0.2 of η₁", {3, false, 0.2, 0.3, 1, 0}},
        {"programs, half of η₁, half of ν", {3, false, 0.5, 0.15, 1, 0}},
        {"programs, whole η₁, A with E (formula B.9)", {3, false, 1, 0.3, 0.5495, 0}},
        {"programs, half of η₁, A with E", {3, false, 0.5, 0.3, 0.5495, 0}},
    };
    enum { N = sizeof v / sizeof *v };
    const model whole = {NULL, 1}, halved = {NULL, 0.5}, third = {NULL, 0.3};
    reading w[N][3], law[3][3];
    say(r,
        "\n### Why the fits differ\n\nThe source prints F at %d pairs of η₁ and η₂ (tables 4.1 to "
        "4.3), the residuals at one of them, three optima and an interval, but neither data "
        "nor variances, so that F cannot be added up from what is printed. For a given model, "
        "though, the data follow from the residuals, and then all of this is linear in the 18 "
        "unknown 1/σ². Least squares with bounds tell whether a model can have made the printed "
        "numbers: largest miss of F, and in brackets the sum of squares of the %d equations, each "
        "over its tolerance (F 0.05; slopes of F at optima: 0.001 in log₁₀ η₁, 0.003 for the "
        "2.3·10⁵ told with two digits).\n\n"
        "| model | three common errors | errors free | free, and bars as given | e_n measured |\n"
        "|---|--:|--:|--:|---|\n",
        PRINTED, EQUATIONS);
    reading_row(r, "law `zheng`, whole η₁", &whole, law[0]);
    reading_row(r, "law `zheng`, half of η₁", &halved, law[1]);
    reading_row(r, "law `zheng`, 0.3 of η₁", &third, law[2]);
    for (int k = 0; k < N; k++)
        reading_row(r, v[k].name, &(model){.program = &v[k].p}, w[k]);
    check(r, "objective: law with half eta1, largest miss of F", law[1][FREE].off, 0, 0.1);
    check(r, "objective: programs with half eta1, largest miss of F", w[1][FREE].off, 0, 0.1);
    check(r, "objective: sum of squares, whole over half eta1",
          law[0][FREE].misfit / law[1][FREE].misfit, 10, INFINITY);
    objective_words(r, &halved, &law[1][FREE]);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "lab_thesis");
    static const struct {
        const char *name;
        void (*piece)(report *);
    } all[] = {{"parameters", parameters}, {"curves", steel_curves},     {"glass", glass_curves},
               {"elements", elements},     {"sensitivity", sensitivity}, {"fits", fits},
               {"objective", objective}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (argc < 3 || strcmp(argv[2], all[k].name) == 0)
            all[k].piece(&r);
    return report_close(&r);
}
