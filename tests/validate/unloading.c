/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading, unloading and loading again without inertia: the slopes of q(strain) beside the moduli
   that the stiffness matrix of that very state has. Figures 4 and 5 of Roux & Combe (2010): disks
   with linear springs, and a triaxial test of spheres with Hertz-Mindlin contacts at five
   pressures. */
#include "validate/biaxial.h"

enum { LOOPS = 3, SAMPLES = 3, PRESSURES = 5 };
enum { TURN = 100, BACK = 10, PER_LOOP = TURN + 2 * BACK, ROWS = LOOPS * PER_LOOP + 1 };

/* The axial stress over P less 1: up by `most` in 100 increments, back by a tenth of it in ten, up
   again by as much in ten; and so on. */
static void write_path(double pressure, double most, int loops, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%.17g*(1", pressure);
    for (int k = 0; k < loops; k++) {
        double t = 1.2 * k;
        n += (size_t)snprintf(out + n, size - n,
                              " + %g*(ramp(%g, %g, s) - 0.1*ramp(%g, %g, s) + 0.1*ramp(%g, %g, s))",
                              most, t, t + 1, t + 1, t + 1.1, t + 1.1, t + 1.2);
    }
    snprintf(out + n, size - n, ")");
}

/* What the matrix says of an axial strain under constant lateral stresses, without shear. */
typedef struct tangent {
    double q, volume; /* dq/d(strain) over P; d(volume strain)/d(strain) */
} tangent;

typedef struct path {
    int axis, n; /* rows */
    double pressure;
    double q[ROWS], strain[ROWS], volume[ROWS]; /* q/P; axial and volume strain, compression > 0 */
    tangent start, elastic[LOOPS];
    double up[LOOPS], down[LOOPS], back[LOOPS]; /* dq/d(strain): before, after, loaded again */
} path;

static tangent tangent_of(lab *l, int axis, double pressure)
{
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    mrn_elastic_options how = {0};
    mrn_moduli m;
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK ||
        mrn_moduli_of(&net, &how, &m, &l->msg) != MRN_OK)
        give_up("moduli", &l->msg);
    mrn_net_release(&net);
    double(*c)[6] = m.c, x, y = 0; /* lateral strains */
    if (axis == MRN_YY) {
        x = -c[MRN_XX][MRN_YY] / c[MRN_XX][MRN_XX];
        return (tangent){(c[MRN_YY][MRN_YY] + c[MRN_YY][MRN_XX] * x) / pressure, 1 + x};
    }
    double det = c[MRN_XX][MRN_XX] * c[MRN_YY][MRN_YY] - c[MRN_XX][MRN_YY] * c[MRN_YY][MRN_XX];
    x = (c[MRN_XX][MRN_YY] * c[MRN_YY][MRN_ZZ] - c[MRN_YY][MRN_YY] * c[MRN_XX][MRN_ZZ]) / det;
    y = (c[MRN_YY][MRN_XX] * c[MRN_XX][MRN_ZZ] - c[MRN_XX][MRN_XX] * c[MRN_YY][MRN_ZZ]) / det;
    return (tangent){(c[MRN_ZZ][MRN_ZZ] + c[MRN_ZZ][MRN_XX] * x + c[MRN_ZZ][MRN_YY] * y) / pressure,
                     1 + x + y};
}

static double slope(const double *x, const double *y, int a, int b)
{
    return (y[b] - y[a]) / (x[b] - x[a]);
}

static void note(lab *l, const double size[3], path *x)
{
    int k = x->n++, dimension = x->axis == MRN_YY ? 2 : 3;
    const double *now = l->job.s.cell_size;
    x->q[k] = lab_probe(l, x->axis == MRN_YY ? "stress.yy" : "stress.zz") / x->pressure - 1;
    x->strain[k] = -log(now[dimension - 1] / size[dimension - 1]);
    for (int i = 0; i < dimension; i++)
        x->volume[k] -= log(now[i] / size[i]);
}

/* The stage `load`, increment by increment, to its end or that of the network. */
static void follow(lab *l, int loops, path *x)
{
    double size[3] = {l->job.s.cell_size[0], l->job.s.cell_size[1], l->job.s.cell_size[2]};
    mrn_status st = MRN_INTERRUPTED;
    x->n = 0;
    memset(x->volume, 0, sizeof x->volume);
    note(l, size, x);
    x->start = tangent_of(l, x->axis, x->pressure);
    while (st == MRN_INTERRUPTED && x->n <= loops * PER_LOOP) {
        l->job.stop_step = l->job.s.step + 1;
        st = mrn_job_advance(&l->job);
        note(l, size, x);
        int loop = x->n / PER_LOOP;
        if (loop < loops && x->n - 1 == loop * PER_LOOP + TURN)
            x->elastic[loop] = tangent_of(l, x->axis, x->pressure);
    }
    for (int i = 0; i < loops && x->n > (i + 1) * PER_LOOP; i++) {
        int top = i * PER_LOOP + TURN, low = top + BACK;
        x->up[i] = slope(x->strain, x->q, top - 5, top);
        x->down[i] = slope(x->strain, x->q, top, top + 2);
        x->back[i] = slope(x->strain, x->q, low, low + 2);
    }
}

static int loops_of(const path *x, int loops)
{
    int n = (x->n - 1) / PER_LOOP;
    return n < loops ? n : loops;
}

static void loop_rows(report *r, const char *what, const path *x, int loops)
{
    for (int i = 0; i < loops_of(x, loops); i++)
        say(r, "| %s | %.2f | %.5g | %.3f | %.4f | %.4f |\n", what, x->q[i * PER_LOOP + TURN],
            x->elastic[i].q, x->up[i] / x->elastic[i].q, x->down[i] / x->elastic[i].q,
            x->back[i] / x->elastic[i].q);
}

/* Largest distance from 1 of what unloading and loading again have beside the matrix. */
static double worst_turn(const path *x, int loops)
{
    double worst = 0;
    for (int i = 0; i < loops_of(x, loops); i++)
        worst = fmax(worst, fmax(fabs(x->down[i] / x->elastic[i].q - 1),
                                 fabs(x->back[i] / x->elastic[i].q - 1)));
    return worst;
}

static const char *const loop_head =
    "| | q/P | elastic, of the matrix, over P | loading | unloading | loaded again |\n"
    "|---|--:|--:|--:|--:|--:|\n";

static void curve_plot(report *r, const path *x, const char *name, const char *caption)
{
    double line[2] = {0, 0.35 / x->start.q}, q[2] = {0, 0.35}, *ppm = calloc((size_t)x->n, 8);
    if (ppm == NULL)
        exit(1);
    for (int k = 0; k < x->n; k++)
        ppm[k] = 1e6 * x->strain[k];
    line[1] *= 1e6;
    mrn_series s[2] = {{"without inertia", MRN_SERIES_LINE, 0, x->n, ppm, x->q, NULL},
                       {"modulus at the start", MRN_SERIES_DASHED, -1, 2, line, q, NULL}};
    mrn_plot plot = mrn_plot_default();
    plot.x_label = "axial strain, 10⁻⁶";
    plot.y_label = "q/P";
    plot.n = 2, plot.series = s;
    show(r, &plot, name, caption);
    free(ppm);
}

/* ---- disks ---- */

static void disks(report *r)
{
    enum { SIZE = 900 };
    char stress[SIZE], cell[SIZE + 100], name[32];
    static path x[SAMPLES];
    double turn = 0, steep = 0;
    write_path(PRESSURE, 0.2, LOOPS, stress, sizeof stress);
    snprintf(cell, sizeof cell,
             "stages.load.cell={control: {xx: {stress: 100 Pa}, yy: {stress: \"%s\"}}}", stress);
    const char *more[] = {cell, "stages.load.at-most=3.6 s",
                          "stages.load.quasistatic.increments=360", NULL};
    say(r,
        "200 disks between periodic faces, K_N/P = 10⁵, friction 0.25 (as in the section above): "
        "σ_xx = P, σ_yy = P + q in increments of 0.002 P, back by 0.02 P at three places. Slopes "
        "dq/dε over that of the stiffness matrix of the state at the turn, all contacts "
        "elastic:\n\n%s",
        loop_head);
    for (int k = 0; k < SAMPLES; k++) {
        lab l;
        sample_open(&l, 200, k + 1, more);
        x[k].axis = MRN_YY, x[k].pressure = PRESSURE;
        follow(&l, LOOPS, &x[k]);
        lab_close(&l);
        snprintf(name, sizeof name, "sample %d", k + 1);
        loop_rows(r, name, &x[k], LOOPS);
        turn = fmax(turn, worst_turn(&x[k], LOOPS));
        for (int i = 0; i < loops_of(&x[k], LOOPS); i++)
            steep = fmax(steep, x[k].up[i] / x[k].elastic[i].q);
    }
    curve_plot(r, &x[0], "unloading-disks", "Biaxial compression with three unloadings");
    /* after a turn contacts that slid stick; those that begin to slide the other way are few: 2 %
       for increments of 0.002 P and 0.004 P of way */
    check(r, "disks: unloading and loading again off the matrix, most", turn, 0, 0.02);
    check(r, "disks: loading over the matrix, most", steep, 0, 0.95);
}

/* ---- spheres ---- */

/* Strain at which q has fallen 5 % below the line of the start. */
static double elastic_range(const path *x)
{
    for (int k = 1; k < x->n && k <= TURN; k++)
        if (x->q[k] - x->q[0] < 0.95 * x->start.q * (x->strain[k] - x->strain[0]))
            return x->strain[k];
    return NAN;
}

/* From 100 kPa, where dynamics left the grains at rest, to the pressure without inertia; then the
   test. */
static void one_pressure(double pressure, path *x)
{
    enum { SIZE = 900 };
    char stress[SIZE], cell[SIZE + 200], press[200];
    lab l;
    write_path(pressure, 0.1, 2, stress, sizeof stress);
    snprintf(cell, sizeof cell,
             "stages.load.cell={control: {xx: {stress: %.17g Pa}, yy: {stress: %.17g Pa}, zz: "
             "{stress: \"%s\"}}}",
             pressure, pressure, stress);
    snprintf(press, sizeof press, "stages.isotropic.cell={control: {isotropic: \"1e5*%.17g^s\"}}",
             pressure / 1e5);
    const char *set[] = {cell,
                         press,
                         "stages.load.at-most=2.4 s",
                         "stages.load.quasistatic.increments=240",
                         "stages.isotropic.quasistatic.increments=40",
                         NULL};
    lab_open(&l, "unloading-spheres", set);
    run_to(&l, "load");
    x->axis = MRN_ZZ, x->pressure = pressure;
    follow(&l, 2, x);
    printf("  %g kPa: %d rows, E/P %.5g, first slope %.5g, range %.3g\n", 1e-3 * pressure, x->n,
           x->start.q, slope(x->strain, x->q, 0, 2), elastic_range(x));
    fflush(stdout);
    lab_close(&l);
}

static void start_rows(report *r, const path *x)
{
    say(r,
        "\n200 glass spheres (Hertz-Mindlin, E = 70 GPa, ν = 0.3, friction 0.3), pressed with "
        "friction by dynamics to 100 kPa until they rest, then from all sides without inertia: a "
        "triaxial test at five pressures P, increments of 0.001 P. The first increments beside "
        "E* and 1 − 2ν* of the matrix:\n\n"
        "| P | E*/P | dq/dε over E* | dε_v/dε | 1 − 2ν* |\n|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < PRESSURES; k++)
        say(r, "| %.0f kPa | %.5g | %.4f | %.4f | %.4f |\n", 1e-3 * x[k].pressure, x[k].start.q,
            slope(x[k].strain, x[k].q, 0, 2) / x[k].start.q, slope(x[k].strain, x[k].volume, 0, 2),
            x[k].start.volume);
    say(r,
        "\nAt 100 kPa, where dynamics left the grains at rest, q is within 5 %% of the line of E* "
        "up to a strain of %.1e. Grains pressed on without inertia have contacts that slide since, "
        "and the first increment finds them sliding: its slope is below E*, and that the elastic "
        "range grows with P is not seen here. (It was expected, and a check on it written, before "
        "the first run.) Once turned, they stick, at every pressure.\n",
        elastic_range(&x[0]));
}

static void spheres(report *r)
{
    static path x[PRESSURES];
    char name[32];
    double turn = 0;
    for (int k = 0; k < PRESSURES; k++) {
        one_pressure(1e5 * pow(10, 0.25 * k), &x[k]);
        turn = fmax(turn, worst_turn(&x[k], 1));
    }
    start_rows(r, x);
    curve_plot(r, &x[0], "unloading-spheres", "Triaxial compression at 100 kPa");
    say(r, "Slopes at the turns, over that of the matrix there:\n\n%s", loop_head);
    for (int k = 0; k < PRESSURES; k++) {
        snprintf(name, sizeof name, "%.0f kPa", 1e-3 * x[k].pressure);
        loop_rows(r, name, &x[k], 2);
    }
    say(r,
        "\nWhere loading has become flat the network is about to give way, and goes on doing so "
        "after the turn (a slope below 0); checked are the turns at 0.1 P. What the source says "
        "of its figures 4 and 5, without numbers: elasticity describes strains of the order of "
        "10⁻⁵, farther the larger P is; the slope falls as q grows; unloading finds the slope of "
        "the matrix again. Its points are of dynamics, of a larger sample.\n\n");
    check(r, "spheres: first slope of q over E* at 100 kPa",
          slope(x[0].strain, x[0].q, 0, 2) / x[0].start.q, 0.98, 1.02);
    check(r, "spheres: first slope of the volume less 1 - 2 nu* at 100 kPa",
          slope(x[0].strain, x[0].volume, 0, 2) - x[0].start.volume, -0.02, 0.02);
    check(r, "spheres: unloading and loading again at 0.1 P off the matrix, most", turn, 0, 0.01);
    check(r, "spheres: elastic range at 100 kPa", elastic_range(&x[0]), 3e-6, 3e-5);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "unloading");
    if (argc < 3 || strcmp(argv[2], "disks") == 0)
        disks(&r);
    if (argc < 3 || strcmp(argv[2], "spheres") == 0)
        spheres(&r);
    return report_close(&r);
}
