/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single impacts: Chung & Ooi's tests 1 to 8, Kharaz' experiment, closed forms of sliding and
   sticking, restitution of every damped law, pull-off forces. About a minute. */
#include "validate/validate.h"

/* ---- one collision ---- */

/* A ball meets a plane (z = 0) or a second ball below it. */
typedef struct shot {
    double radius, density, young, poisson; /* of the ball                                      */
    double other_radius, other_density, other_young, other_poisson; /* other_radius 0: a plane,
                                                                        other_young 0: rigid */
    double vt, vn, spin, other_spin; /* speed along x, approach, spin about y            */
    double share; /* of the approach that is the lower ball's own motion, upwards               */
    const char *law; /* "law: …, restitution: …" of the interaction      */
    double fraction; /* of the critical step; 0: 0.01                    */
} shot;

typedef struct rebound {
    double vt, vn, spin; /* of the ball after                     */
    double other_vt, other_vn, other_spin;
    double time, force, overlap; /* contact time, largest force and overlap */
    double pull;                 /* strongest tension, N                    */
    bool stuck;
} rebound;

#define RIGID 1e25 /* Pa: E* is then that of the ball alone */

static void write_scene(const shot *s, char *text, size_t size)
{
    bool ball = s->other_radius > 0;
    char other[400] = "";
    double gap = 1e-7 * s->radius;
    if (ball)
        snprintf(
            other, sizeof other,
            "  - {name: lower, material: other, shape: {sphere: {radius: %.17g}}, place: {list: "
            "[{position: [0, 0, %.17g], velocity: [0, 0, %.17g], spin: [0, %.17g, 0]}]}}\n",
            s->other_radius, -s->other_radius, s->share * s->vn, s->other_spin);
    snprintf(
        text, size,
        "moraine: 1\nmaterials:\n"
        "  own: {density: %.17g, young: %.17g, poisson: %.17g}\n"
        "  other: {density: %.17g, young: %.17g, poisson: %.17g}\n"
        "interactions:\n  - {between: any, %s}\n"
        "bodies:\n"
        "  - {name: ball, material: own, shape: {sphere: {radius: %.17g}}, place: {list: "
        "[{position: [0, 0, %.17g], velocity: [%.17g, 0, %.17g], spin: [0, %.17g, 0]}]}}\n%s"
        "%sstages: [{at-most: 1 s}]\ntime-step: {fraction: %g}\n",
        s->density, s->young, s->poisson, ball ? s->other_density : 1000,
        s->other_young > 0 ? s->other_young : RIGID, s->other_young > 0 ? s->other_poisson : 0.25,
        s->law, s->radius, s->radius + gap, s->vt, -(1 - s->share) * s->vn, s->spin, other,
        ball ? "" : "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: other}]\n",
        s->fraction > 0 ? s->fraction : 0.01);
}

/* Largest compressive and tensile normal force at this instant: the force on the ball along z. */
static rebound shoot(const shot *s)
{
    char text[4096];
    mrn_scene scene;
    mrn_state state = {0};
    mrn_step_limit limit;
    mrn_message msg = {0};
    mrn_smooth *engine = NULL;
    write_scene(s, text, sizeof text);
    if (mrn_scene_read_text(text, "impact", NULL, 0, &scene, &msg) != MRN_OK ||
        mrn_run_prepare(&scene, &state, &limit, &msg) != MRN_OK ||
        mrn_smooth_create(&scene, &state, &engine, &msg) != MRN_OK)
        give_up(text, &msg);
    rebound r = {0};
    int64_t touching = 0;
    double before = 0; /* pull at the last step */
    double r_eff = s->other_radius > 0 ? s->radius * s->other_radius / (s->radius + s->other_radius)
                                       : s->radius;
    for (int64_t k = 0; k < 2000000 && (touching == 0 || state.contacts > 0); k++) {
        if (mrn_smooth_step(engine, 1, &msg) != MRN_OK)
            give_up("impact", &msg);
        touching += state.contacts > 0;
        for (int32_t i = state.body.n_walls; i < state.body.n; i++)
            if (state.body.id[i] == state.body.n_walls) {
                double f = state.body.f[3 * (size_t)i + 2];
                r.force = fmax(r.force, f);
                /* neither the first nor the last step of a contact: a force that begins or ends at
                   once is weighted there for the part of the step it acts in */
                if (touching > 2 && state.contacts > 0)
                    r.pull = fmax(r.pull, before);
                before = -f;
            }
        r.overlap = fmax(r.overlap, state.max_overlap * r_eff);
    }
    r.time = (double)touching * state.h;
    r.stuck = state.contacts > 0;
    for (int32_t i = state.body.n_walls; i < state.body.n; i++) {
        size_t at = 3 * (size_t)i;
        if (state.body.id[i] == state.body.n_walls)
            r.vt = state.body.v[at], r.vn = state.body.v[at + 2], r.spin = state.body.w[at + 1];
        else
            r.other_vt = state.body.v[at], r.other_vn = state.body.v[at + 2],
            r.other_spin = state.body.w[at + 1];
    }
    mrn_smooth_destroy(&engine);
    mrn_state_destroy(&state);
    mrn_scene_destroy(&scene);
    return r;
}

/* ---- published curves ---- */

typedef struct curve {
    int n;
    double x[64], y[64];
} curve;

/* Rows of a CSV file whose first fields are `key`. */
static curve load(const char *file, const char *key)
{
    char path[512], line[512];
    curve c = {0};
    snprintf(path, sizeof path, "%s/tests/data/%s", MRN_VALIDATE_SOURCE, file);
    FILE *f = fopen(path, "r");
    size_t length = strlen(key);
    while (f != NULL && fgets(line, sizeof line, f) != NULL && c.n < 64)
        if (strncmp(line, key, length) == 0 && line[length] == ',' &&
            sscanf(line + length + 1, "%lf,%lf", &c.x[c.n], &c.y[c.n]) == 2)
            c.n++;
    if (f != NULL)
        fclose(f);
    if (c.n == 0) {
        fprintf(stderr, "%s: no rows of %s\n", path, key);
        exit(1);
    }
    return c;
}

static double range(const curve *c)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < c->n; i++)
        lo = fmin(lo, c->y[i]), hi = fmax(hi, c->y[i]);
    return hi - lo;
}

/* Largest and mean distance of `ours` from a published curve, over the range of the curve. */
static double worst_of(const curve *theirs, const double *ours, double *mean)
{
    double worst = 0, sum = 0;
    for (int i = 0; i < theirs->n; i++) {
        double d = fabs(ours[i] - theirs->y[i]) / range(theirs);
        worst = fmax(worst, d);
        sum += d;
    }
    *mean = sum / theirs->n;
    return worst;
}

static const shot oxide = {.radius = 2.5e-3, .density = 4000, .young = 380e9, .poisson = 0.23};
static const shot alloy = {.radius = 2.5e-3, .density = 2700, .young = 70e9, .poisson = 0.33};

#define THEIRS            "hertz-mindlin, load-coupling: total"
#define LAW(model, e, mu) "law: " model ", restitution: " #e ", friction: " #mu

/* ---- Chung & Ooi, tests 1 and 2 ---- */

static void elastic_row(report *r, const char *which, const char *what, const char *unit,
                        double theirs, double ours)
{
    char name[160];
    snprintf(name, sizeof name, "tests 1, 2: %s, %s over theirs", which, what);
    say(r, "| %s | %s | %.4g %s | %.5g %s | %+.2f %% |\n", which, what, theirs, unit, ours, unit,
        100 * (ours / theirs - 1));
    check(r, name, ours / theirs, 0.995, 1.005); /* theirs have four digits; peers ask for 0.5 % */
}

/* Two like spheres at 20 m/s; a sphere on a rigid plane at 0.2 m/s. Elastic: the largest force,
   overlap and the contact time, which is read at steps. */
static void tests12(report *r)
{
    static const struct {
        const char *name;
        double E, nu, rho, radius, v, force, overlap, time;
        bool plane;
    } c[] = {{"1, glass on glass", 48e9, 0.20, 2800, 0.01, 20, 10697, 274.1, 40.34, false},
             {"1, limestone on limestone", 20e9, 0.25, 2500, 0.01, 20, 7108, 368.3, 54.20, false},
             {"2, aluminium on rigid plane", 70e9, 0.30, 2699, 0.1, 0.2, 11370, 49.72, 731.7, true},
             {"2, magnesium on rigid plane", 40e9, 0.35, 1800, 0.1, 0.2, 7233, 52.12, 767.1, true}};
    say(r, "### Chung & Ooi, tests 1 and 2\n\nElastic Hertz contact, Chung & Ooi (2011), "
           "*Benchmark tests for verifying discrete element modelling codes at particle impact "
           "level*, Granular Matter 13, 643. The contact time is read at steps.\n\n"
           "<!-- published: chung-ooi-2011 -->\n"
           "| case | quantity | theirs | ours | off |\n|---|---|--:|--:|--:|\n");
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        shot s = {.radius = c[k].radius, .density = c[k].rho, .young = c[k].E, .poisson = c[k].nu};
        s.law = LAW("hertz-mindlin", 1, 0.35);
        s.vn = c[k].v;
        if (!c[k].plane) {
            s.other_radius = s.radius, s.other_density = s.density;
            s.other_young = s.young, s.other_poisson = s.poisson;
            s.share = 0.5;
        }
        s.fraction = 0.002;
        rebound b = shoot(&s);
        elastic_row(r, c[k].name, "largest force", "N", c[k].force, b.force);
        elastic_row(r, c[k].name, "largest overlap", "µm", c[k].overlap, 1e6 * b.overlap);
        elastic_row(r, c[k].name, "contact time", "µs", c[k].time, 1e6 * b.time);
    }
    say(r, "\n");
}

/* ---- Chung & Ooi, test 3 ---- */

static void test3(report *r)
{
    say(r, "Test 3, restitution asked for and obtained (3.9 m/s, rigid plane):\n\n"
           "| asked | aluminium oxide | cast iron |\n|--:|--:|--:|\n");
    double worst = 0;
    const double e[] = {0.2, 0.4, 0.6, 0.8, 1};
    for (int i = 0; i < 5; i++) {
        char law[80];
        snprintf(law, sizeof law, "law: hertz-mindlin, restitution: %g, friction: 0", e[i]);
        shot s = oxide, iron = {.radius = 2.5e-3, .density = 7000, .young = 100e9, .poisson = 0.25};
        s.law = iron.law = law;
        s.vn = iron.vn = 3.9;
        rebound a = shoot(&s), b = shoot(&iron);
        worst = fmax(worst, fmax(fabs(a.vn / 3.9 - e[i]), fabs(b.vn / 3.9 - e[i])));
        say(r, "| %.1f | %.5f | %.5f |\n", e[i], a.vn / 3.9, b.vn / 3.9);
    }
    check(r, "test 3: worst error of the restitution", worst, 0, 1e-3);
    say(r,
        "\nWorst error %.1e (others accept 10⁻³). A restitution of 0 cannot be had from a dashpot; "
        "0.001 is the "
        "least.\n\n",
        worst);
}

/* ---- test 4 and Kharaz ---- */

static rebound oblique(shot s, double degrees, double speed)
{
    double a = degrees * MRN_PI / 180;
    s.vt = speed * sin(a);
    s.vn = speed * cos(a);
    return shoot(&s);
}

static double patch_angle(const rebound *b, double radius)
{
    return atan2(b->vt - radius * b->spin, b->vn) * 180 / MRN_PI;
}

static void test4_series(report *r, const char *what, const char *key, shot s, int quantity)
{
    curve c = load("chung-ooi-2011.csv", key);
    double ours[64], mean;
    for (int i = 0; i < c.n; i++) {
        rebound b = oblique(s, c.x[i], 3.9);
        ours[i] = quantity == 0   ? b.vt / (3.9 * sin(c.x[i] * MRN_PI / 180))
                  : quantity == 1 ? -b.spin
                                  : patch_angle(&b, s.radius);
    }
    double worst = worst_of(&c, ours, &mean);
    check(r, what, mean, 0, 0.025);
    say(r, "| %s | %d | %.2f %% | %.2f %% |\n", what, c.n, 100 * mean, 100 * worst);
}

static void test4(report *r)
{
    shot ox = oxide, al = alloy;
    ox.law = al.law = LAW(THEIRS, 0.98, 0.092);
    test4_series(r, "4: tangential restitution, oxide", "4,et,oxide", ox, 0);
    test4_series(r, "4: tangential restitution, alloy", "4,et,alloy", al, 0);
    test4_series(r, "4: spin, oxide", "4,omega,oxide", ox, 1);
    test4_series(r, "4: spin, alloy", "4,omega,alloy", al, 1);
    test4_series(r, "4: rebound angle of the contact patch, oxide", "4,rebound,oxide", ox, 2);
    test4_series(r, "4: rebound angle of the contact patch, alloy", "4,rebound,alloy", al, 2);
}

/* ---- tests 5 to 8 ---- */

/* Test 5: ratio = Vst / (mu Vcn), mu 0.3, Vcn 5 m/s, e = 1. */
static double test5_recoil(const shot *kind, const char *law, double ratio, double *spin)
{
    shot s = *kind;
    s.law = law;
    s.vn = 5;
    s.vt = ratio * 0.3 * 5;
    rebound b = shoot(&s);
    *spin = -s.radius * b.spin / (0.3 * 5);
    return (b.vt - s.radius * b.spin) / (0.3 * b.vn);
}

/* Mean distance of a law from the finite elements, over the range of the curve. */
static double test5_distance(const shot *kind, const char *law, const curve *fem)
{
    double ours[64], mean, spin;
    for (int i = 0; i < fem->n; i++)
        ours[i] = test5_recoil(kind, law, fem->x[i], &spin);
    worst_of(fem, ours, &mean);
    return mean;
}

static void test5(report *r)
{
    enum { N = 53 };
    static const char *const laws[] = {LAW("hertz-mindlin-deresiewicz", 1, 0.3),
                                       LAW("hertz-mindlin", 1, 0.3), LAW(THEIRS, 1, 0.3)};
    const shot steel = {.radius = 1e-5, .density = 7850, .young = 208e9, .poisson = 0.3};
    curve fem = load("chung-ooi-2011.csv", "5,recoil,fem"),
          dem = load("chung-ooi-2011.csv", "5,recoil,steel");
    double x[N], y[3][N], spin, worst = 0, worst_spin = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 0.25 * (i + 0.25);
        for (int k = 0; k < 3; k++)
            y[k][i] = test5_recoil(&steel, laws[k], x[i], &spin);
        if (x[i] > 8) /* slides all through: closed forms */
            worst = fmax(worst, fabs(y[2][i] - (x[i] - 7))),
            worst_spin = fmax(worst_spin, fabs(spin + 5));
    }
    check(r, "5: sliding, Vst'/(mu Vcn') = Vst/(mu Vcn) - 7, error", worst, 0, 0.025 * 7);
    check(r, "5: sliding, r w'/(mu Vcn) = -5, error", worst_spin, 0, 0.025 * 5);
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = test5_distance(&steel, laws[k], &fem);
    check(r, "5: micro-slip against finite elements, mean distance", d[0], 0, 0.025);
    say(r,
        "\nTest 5, recoil of a steel sphere (e = 1) against its oblique impact. While it slides "
        "all through, the closed "
        "forms hold: V_st'/μV_cn' = V_st/μV_cn − 7 to %.1e and rω'/μV_cn = −5 to %.1e. Where it "
        "sticks, laws differ; "
        "finite elements (their reference) decide. Mean distance from them, of the range of the "
        "curve: "
        "hertz-mindlin-deresiewicz %.2f %%, hertz-mindlin %.2f %%, the same with `load-coupling: "
        "total` %.2f %%. "
        "Their own curve lies far below the finite elements there.\n",
        worst, worst_spin, 100 * d[0], 100 * d[1], 100 * d[2]);
    mrn_series lines[] = {
        {"finite elements", MRN_SERIES_POINTS, 6, fem.n, fem.x, fem.y, NULL},
        {"Chung & Ooi, discrete elements", MRN_SERIES_POINTS, -1, dem.n, dem.x, dem.y, NULL},
        {"hertz-mindlin-deresiewicz", MRN_SERIES_LINE, 0, N, x, y[0], NULL},
        {"hertz-mindlin", MRN_SERIES_LINE, 1, N, x, y[1], NULL},
        {"hertz-mindlin, load-coupling: total", MRN_SERIES_DASHED, 2, N, x, y[2], NULL}};
    mrn_plot p = mrn_plot_default();
    p.title = "Test 5: recoil of a steel sphere";
    p.x_label = "V_st / (mu V_cn) before", p.y_label = "V_st / (mu V_cn) after";
    p.series = lines, p.n = 5;
    show(r, &p, "recoil", "Recoil of a steel sphere");
}

/* Tests 6 and 8: the ball spins; beta = -Vst'/Vst, recoil = Vst'/Vcn'. */
static double spinning(shot s, double vst, bool beta)
{
    s.law = LAW(THEIRS, 0.5, 0.4);
    s.vn = 0.2;
    s.spin = -vst / s.radius;
    rebound b = shoot(&s);
    double after = b.vt - s.radius * b.spin, vn = b.vn;
    if (s.other_radius > 0) {
        after -= b.other_vt + s.other_radius * b.other_spin;
        vn -= b.other_vn;
    }
    return beta ? -after / vst : after / vn;
}

static void spin_series(report *r, const char *what, const char *key, const shot *s, bool beta)
{
    curve c = load("chung-ooi-2011.csv", key);
    double ours[64], mean, sliding = 0;
    int n = 0;
    for (int i = 0; i < c.n; i++) {
        if (beta && c.x[i] > 1) /* sticks at the end: no closed form, see the text */
            continue;
        double vst = beta ? 3.5 * 0.4 * 1.5 * 0.2 / c.x[i] : c.x[i] * 0.2;
        ours[n] = spinning(*s, vst, beta);
        if (beta)
            sliding = fmax(sliding, fabs(ours[n] - (c.x[i] - 1)));
        c.x[n] = c.x[i], c.y[n++] = c.y[i];
    }
    c.n = n;
    double worst = worst_of(&c, ours, &mean);
    check(r, what, mean, 0, 0.025);
    if (beta)
        check(r, "   the same against beta = -1 + 3.5 mu (1+e) Vcn/Vst", sliding, 0, 0.025);
    say(r, "| %s | %d | %.2f %% | %.2f %% |\n", what, c.n, 100 * mean, 100 * worst);
}

static void test6(report *r)
{
    const shot al = {.radius = 0.1, .density = 2700, .young = 70e9, .poisson = 0.33};
    const shot nylon = {.radius = 0.1, .density = 1000, .young = 2.5e9, .poisson = 0.4};
    spin_series(r, "6: beta, alloy", "6,beta,alloy", &al, true);
    spin_series(r, "6: beta, nylon", "6,beta,nylon", &nylon, true);
    spin_series(r, "6: recoil, alloy", "6,recoil,alloy", &al, false);
    spin_series(r, "6: recoil, nylon", "6,recoil,nylon", &nylon, false);
}

static void test7(report *r)
{
    const shot kinds[2] = {{.radius = 0.1, .density = 2700, .young = 70e9, .poisson = 0.33},
                           {.radius = 0.1, .density = 8900, .young = 120e9, .poisson = 0.35}};
    double worst_v = 0, worst_w = 0;
    for (int k = 0; k < 2; k++)
        for (double w = 0.175; w < 22; w *= 2) {
            shot s = kinds[k];
            s.other_radius = s.radius, s.other_density = s.density;
            s.other_young = s.young, s.other_poisson = s.poisson;
            s.law = LAW("hertz-mindlin", 0.5, 0.4);
            s.vn = 0.4, s.share = 0.5;
            s.spin = w, s.other_spin = -w;
            rebound b = shoot(&s);
            worst_v = fmax(worst_v, fabs(b.vt));
            worst_w = fmax(worst_w, fabs(b.spin / w - 1));
        }
    check(r, "7: tangential velocity after, m/s", worst_v, 0, 1e-12);
    check(r, "7: relative change of spin", worst_w, 0, 1e-12);
    say(r, "| 7: v_t' = 0 and ω' = ω, two materials, eight spins | exact | | %.0e m/s, %.0e |\n",
        worst_v, worst_w);
}

static void test8(report *r)
{
    const shot kinds[2] = {{.radius = 0.1, .density = 2700, .young = 70e9, .poisson = 0.33},
                           {.radius = 0.1, .density = 1000, .young = 2.5e9, .poisson = 0.4}};
    const char *names[2] = {"aluminium", "nylon"};
    for (int k = 0; k < 2; k++)
        for (int stiff = 1; stiff >= 0; stiff--) {
            shot s = kinds[k];
            s.other_radius = 0.5, s.other_density = 1000 * s.density;
            s.other_poisson = s.poisson;
            s.other_young = stiff ? 1000 * s.young : s.young;
            char what[80], key[80];
            const char *series = stiff ? "A" : "B";
            snprintf(what, sizeof what, "8: beta, %s, case %s", names[k], series);
            snprintf(key, sizeof key, "8,beta-%s,%s", names[k], series);
            spin_series(r, what, key, &s, true);
            snprintf(what, sizeof what, "8: recoil, %s, case %s", names[k], series);
            snprintf(key, sizeof key, "8,recoil-%s,%s", names[k], series);
            spin_series(r, what, key, &s, false);
        }
}

static void chung_ooi(report *r)
{
    say(r, "### Chung & Ooi, tests 3 to 8\n\nChung & Ooi (2011), Granular Matter 13, 643. `make "
           "validate` (part "
           "`impacts`).\n\n");
    test3(r);
    say(r, "Tests 4 and 6 to 8 with the law they used (`hertz-mindlin`, `load-coupling: total`), "
           "against the points of "
           "their figures (read off the page to about 1 %% of the axis). Distances are parts of "
           "the range of each curve; "
           "others accept 2.5 %%, which is asked here of the mean. β of tests 6 and 8 is compared "
           "where the sphere slides all through (3.5μ(1+e)V_cn/V_st "
           "< 1), where β = −1 + 3.5μ(1+e)V_cn/V_st exactly; where it sticks, β depends on the "
           "tangential damping of each "
           "code.\n\n"
           "<!-- published: chung-ooi-2011 -->\n"
           "| test | points | mean off | most off |\n|---|--:|--:|--:|\n");
    test4(r);
    test6(r);
    test7(r);
    test8(r);
    test5(r);
}

/* ---- Kharaz ---- */

enum { ANGLES = 33 };

static void kharaz(report *r)
{
    static const char *const laws[] = {LAW("hertz-mindlin", 0.98, 0.092),
                                       LAW("hertz-mindlin-deresiewicz", 0.98, 0.092)};
    double angle[ANGLES], et[2][ANGLES];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ANGLES; i++) {
            shot s = oxide;
            s.law = laws[k];
            s.other_young = 70e9, s.other_poisson = 0.25;
            angle[i] = 5 + 2.5 * i;
            rebound b = oblique(s, angle[i], 3.9);
            et[k][i] = b.vt / (3.9 * sin(angle[i] * MRN_PI / 180));
        }
    curve points = {0};
    for (int source = 1; source <= 3; source++) {
        char key[64];
        snprintf(key, sizeof key, "%d,tangential_restitution_com", source);
        curve c = load("kharaz-2001.csv", key);
        for (int i = 0; i < c.n && points.n < 64; i++)
            points.x[points.n] = c.x[i], points.y[points.n++] = c.y[i];
    }
    double sum[2] = {0}, most[2] = {0};
    int n = 0;
    for (int i = 0; i < points.n; i++) {
        if (points.x[i] < 5)
            continue;
        n++;
        for (int k = 0; k < 2; k++) {
            int j = (int)((points.x[i] - 5) / 2.5);
            j = j > ANGLES - 2 ? ANGLES - 2 : j;
            double w = (points.x[i] - angle[j]) / 2.5, v = (1 - w) * et[k][j] + w * et[k][j + 1];
            sum[k] += fabs(v - points.y[i]);
            most[k] = fmax(most[k], fabs(v - points.y[i]));
        }
    }
    mrn_series s[] = {
        {"measured (three readings of the figure)", MRN_SERIES_POINTS, 6, points.n, points.x,
         points.y, NULL},
        {"hertz-mindlin", MRN_SERIES_LINE, 0, ANGLES, angle, et[0], NULL},
        {"hertz-mindlin-deresiewicz", MRN_SERIES_DASHED, 1, ANGLES, angle, et[1], NULL}};
    mrn_plot p = mrn_plot_default();
    p.title = "Oblique impact of aluminium oxide on glass, 3.9 m/s";
    p.x_label = "impact angle, degrees";
    p.y_label = "tangential restitution";
    p.series = s, p.n = 3;
    p.y_lo = 0.4, p.y_hi = 1;
    say(r, "\n### Kharaz, Gorham & Salman (2001)\n\nAluminium oxide spheres of 5 mm on thick "
           "glass, 3.9 m/s; "
           "e = 0.98, μ = 0.092, nothing fitted. Powder Technology 120, 281.\n");
    show(r, &p, "kharaz", "Tangential restitution against impact angle");
    double mean0 = sum[0] / n, mean1 = sum[1] / n;
    /* the three readings of the figure differ by 0.003; between 10 and 25 degrees, where the
       contact changes from sticking to sliding, no-slip theory is known to be off by a few
       hundredths */
    check(r, "Kharaz, 5 to 85 degrees: mean distance, hertz-mindlin", mean0, 0, 0.03);
    check(r, "Kharaz, 5 to 85 degrees: mean distance, micro-slip", mean1, 0, 0.03);
    say(r,
        "<!-- published: kharaz-2001 -->\n"
        "| law | points | mean distance, 5° to 85° | most |\n|---|--:|--:|--:|\n"
        "| hertz-mindlin | %d | %.4f | %.3f |\n| hertz-mindlin-deresiewicz | the same | %.4f | "
        "%.3f "
        "|\n\n"
        "Below 5° theory without slip is known to miss the data and is not compared.\n\n",
        n, mean0, most[0], mean1, most[1]);
}

/* ---- closed forms ---- */

static void closed_forms(report *r)
{
    say(r, "### Closed forms\n\n| case | exact | ours |\n|---|--:|--:|\n");
    /* gross sliding: e_t = 1 - mu (1 + e) / tan, |w'| = 5 mu (1 + e) v cos / 2R */
    for (double a = 45; a < 80; a += 15) {
        shot s = oxide;
        s.law = LAW("hertz-mindlin", 0.9, 0.1);
        s.fraction = 0.003;
        rebound b = oblique(s, a, 2);
        double rad = a * MRN_PI / 180, et = 1 - 0.1 * 1.9 / tan(rad);
        double w = 5 * 0.1 * 1.9 * 2 * cos(rad) / (2 * s.radius);
        double ours = b.vt / (2 * sin(rad));
        check(r, "sliding: e_t error", fabs(ours - et), 0, 5e-4);
        /* the arm of the friction is R less the overlap, which is a thousandth of R here */
        check(r, "sliding: spin error", fabs(fabs(b.spin) / w - 1), 0, 2e-3);
        say(r, "| gross sliding at %.0f°, e_t = 1 − μ(1+e)/tan θ | %.5f | %.5f |\n", a, et, ours);
        say(r, "| gross sliding at %.0f°, spin 5μ(1+e)v cos θ/2R | %.3f rad/s | %.3f rad/s |\n", a,
            w, fabs(b.spin));
    }
    /* sticking all through, linear springs without damping: the contact point is a spring of k_t on
       2/7 of the mass while the normal one is k_n on m: v_st' = v_st cos(pi sqrt(7 k_t / 2 k_n)) */
    shot s = {.radius = 5e-3, .density = 2500, .young = 1e9, .poisson = 0.25};
    s.law =
        "law: linear, normal-stiffness: 1e6, restitution: 1, friction: 50, stiffness-ratio: 0.2";
    s.fraction = 0.002;
    rebound b = oblique(s, 30, 1);
    double want = sin(MRN_PI / 6) * cos(MRN_PI * sqrt(3.5 * 0.2)), vst = b.vt - s.radius * b.spin;
    check(r, "sticking: surface velocity after, error over v", fabs(vst - want), 0, 2e-3);
    say(r,
        "| sticking on linear springs, v_st' = v_st cos(π√(7k_t/2k_n)) | %.5f m/s | %.5f m/s |\n",
        want, vst);
}

enum { TERMS = 6 };

/* Coefficients of (1 - e)/x = C1 - C2 x + C3 x^2 - ..., least squares. */
static void series_of(int n, const double *x, const double *e, double c[TERMS])
{
    double a[TERMS][TERMS + 1] = {{0}};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < TERMS; i++) {
            for (int j = 0; j < TERMS; j++)
                a[i][j] += pow(-x[k], i + j);
            a[i][TERMS] += pow(-x[k], i) * (1 - e[k]) / x[k];
        }
    for (int i = 0; i < TERMS; i++)
        for (int j = 0; j < TERMS; j++)
            for (int k = TERMS; k >= i && j != i; k--)
                a[j][k] -= a[j][i] / a[i][i] * a[i][k];
    for (int i = 0; i < TERMS; i++)
        c[i] = a[i][TERMS] / a[i][i];
}

static void published_series(report *r, int n, const double *x, const double *e)
{
    static const double theirs[2] = {1.15344, 0.79826};
    double c[TERMS];
    series_of(n, x, e, c);
    say(r,
        "\nRestitution of viscoelastic spheres, e = 1 − C₁x + C₂x² ∓ …, x = ³⁄₂ A (k/m)^⅖ v^⅕: "
        "coefficients of a fit of six terms to the impacts of the picture below, chosen after four "
        "had left C₂ 4 %% high; what is left of that is not explained (Ramírez, "
        "Pöschel, Brilliantov & Schwager, Phys. Rev. E 60, 4465, 1999).\n\n"
        "<!-- published: ramirez-1999 -->\n"
        "| coefficient | published | ours | off |\n|---|--:|--:|--:|\n");
    for (int i = 0; i < 2; i++)
        say(r, "| C%s | %.5f | %.5f | %+.2f %% |\n", i == 0 ? "₁" : "₂", theirs[i], c[i],
            100 * (c[i] / theirs[i] - 1));
    /* (1 - e) is known to 1e-4 of itself at these steps, which a fit of six terms makes ten times
       larger in the second coefficient than in the first */
    check(r, "viscoelastic: C1 over the published", c[0] / theirs[0], 0.998, 1.002);
    check(r, "viscoelastic: C2 over the published", c[1] / theirs[1], 0.97, 1.03);
}

static void restitutions(report *r)
{
    /* viscoelastic: series in x = A (k/m)^(2/5) v^(1/5); Ramirez et al., Phys. Rev. E 60, 4465
     * (1999) */
    enum { N = 13 };
    double speed[N], ours[N], series[N], number[N], worst = 0;
    shot s = {.radius = 5e-3, .density = 2500, .young = 5e9, .poisson = 0.25};
    double A = 1e-6, k = 4. / 3 * s.young / (1 - 0.0625) * sqrt(s.radius);
    double m = 4. / 3 * MRN_PI * pow(s.radius, 3) * s.density;
    s.law = "law: viscoelastic, relaxation-time: 1e-6 s, friction: 0, end-of-contact: force";
    s.fraction = 0.004;
    for (int i = 0; i < N; i++) {
        speed[i] = 1e-3 * pow(10, i / 3.);
        s.vn = speed[i];
        ours[i] = shoot(&s).vn / s.vn;
        double x = 1.5 * A * pow(k / m, 0.4) * pow(speed[i], 0.2);
        number[i] = x;
        series[i] = 1 - 1.15344 * x + 0.79826 * x * x;
        if (ours[i] > 0.9)
            worst = fmax(worst, fabs(ours[i] - series[i]) / series[i]);
    }
    check(r, "viscoelastic e(v) against its series, e > 0.9", worst, 0, 0.01);
    mrn_series lines[] = {{"series, two terms", MRN_SERIES_DASHED, 6, N, speed, series, NULL},
                          {"ours", MRN_SERIES_BOTH, 0, N, speed, ours, NULL}};
    mrn_plot p = mrn_plot_default();
    p.title = "Viscoelastic sphere on a plane";
    p.x_label = "impact speed, m/s", p.y_label = "restitution";
    p.x_log = true, p.series = lines, p.n = 2;
    say(r,
        "| viscoelastic e(v), e > 0.9: 1 − C₁x + C₂x², C₁ = 1.15344, C₂ = 0.79826 | | within %.2g "
        "%% |\n",
        100 * worst);
    /* Tsuji: e(alpha) */
    double off = 0;
    const double alpha[] = {0.05, 0.2, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        char law[120];
        snprintf(law, sizeof law,
                 "law: hertz-mindlin, damping: %g, friction: 0, end-of-contact: overlap", alpha[i]);
        s.law = law;
        s.vn = 1;
        double e = exp(-MRN_PI * alpha[i] / sqrt(5 - alpha[i] * alpha[i])), got = shoot(&s).vn;
        off = fmax(off, fabs(got - e));
        say(r, "| Tsuji, α = %g, e = exp(−πα/√(5−α²)) | %.5f | %.5f |\n", alpha[i], e, got);
    }
    check(r, "Tsuji e(alpha), worst error", off, 0, 1e-3);
    /* linear, contact ends at zero force (Zhang & Whiten 1996; Schwager & Poeschel 2007) */
    off = 0;
    const double beta[] = {0.1, 0.3, 0.6, 0.9};
    for (int i = 0; i < 4; i++) {
        char law[160];
        double z = beta[i], w = sqrt(1 - z * z);
        double e = exp(-z / w * (MRN_PI - atan2(2 * z * w, 1 - 2 * z * z)));
        snprintf(law, sizeof law,
                 "law: linear, normal-stiffness: 1e5, normal-damping: %.17g, friction: 0, "
                 "end-of-contact: force",
                 2 * z * sqrt(1e5 * m));
        s.law = law;
        s.vn = 1;
        double got = shoot(&s).vn;
        off = fmax(off, fabs(got - e));
        say(r, "| linear, end at zero force (Zhang & Whiten), β = %g | %.5f | %.5f |\n", z, e, got);
    }
    check(r, "Zhang-Whiten e(beta), worst error", off, 0, 1e-3);
    published_series(r, N, number, ours);
    show(r, &p, "viscoelastic", "Restitution of the viscoelastic law against speed");
}

/* ---- adhesion ---- */

/* The strongest pull met while two balls part slowly: pull-off. A ball that arrives fast enough
   leaves again; the largest tension on its way is the pull-off force (damping is off). */
static void adhesion(report *r)
{
    shot s = {.radius = 1e-3, .density = 2500, .young = 1e8, .poisson = 0.25};
    double W = 1; /* J/m2, work of adhesion */
    s.fraction = 0.002;
    s.vn = 0.3;
    s.law = "law: {normal: hertz, cohesion: jkr}, work-of-adhesion: 1 J/m2";
    rebound jkr = shoot(&s);
    s.fraction = 0.0002; /* the last step in touch must be close to the end of the contact */
    s.law = "law: {normal: hertz, cohesion: dmt}, work-of-adhesion: 1 J/m2";
    rebound dmt = shoot(&s);
    double pj = 1.5 * MRN_PI * W * s.radius, pd = 2 * MRN_PI * W * s.radius;
    check(r, "JKR pull-off / (3/2 pi W R)", jkr.pull / pj, 0.999, 1.001);
    check(r, "DMT pull-off / (2 pi W R)", dmt.pull / pd, 0.999, 1.001);
    say(r,
        "### Adhesion\n\nPull-off of a sphere from a plane, met while it parts from an impact at "
        "0.3 m/s. JKR: "
        "F = ³⁄₂ π W R with W the work of adhesion (W = 2γ for two surfaces of energy γ each: in "
        "that notation "
        "3πγR; theory that calls the work of adhesion γ writes ³⁄₂πγR). DMT: F = 2 π W R.\n\n"
        "| law | exact | ours |\n|---|--:|--:|\n| JKR | %.5f mN | %.5f mN |\n| DMT | %.5f mN | "
        "%.5f mN |\n\n",
        1e3 * pj, 1e3 * jkr.pull, 1e3 * pd, 1e3 * dmt.pull);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "impacts");
    tests12(&r);
    chung_ooi(&r);
    kharaz(&r);
    closed_forms(&r);
    restitutions(&r);
    adhesion(&r);
    return report_close(&r);
}
