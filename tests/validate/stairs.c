/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Biaxial compression of more than a thousand disks under stated stress, through networks that give
   way: regime I, and the stairs of regime II beyond (Roux & Combe 2010, figure 9; Combe & Roux
   2000). One sample, K_N/P = 10⁴. The second argument: number of disks, the third: networks that
   give way before it ends. */
#include "validate/biaxial_path.h"

static const double pressure = 1000;

typedef struct run {
    int n;
    double q[ROWS], yy[ROWS], events[ROWS], sliding[ROWS];
} run;

static void note(lab *l, const double *size, run *x)
{
    int k = x->n < ROWS ? x->n++ : ROWS - 1;
    x->q[k] = (lab_probe(l, "stress.yy") - lab_probe(l, "stress.xx")) / pressure;
    x->yy[k] = -log(l->job.s.cell_size[1] / size[1]);
    x->events[k] = l->job.s.quasistatic.instabilities;
    x->sliding[k] = lab_probe(l, "sliding-share");
    printf("    q %.4f P, strain %.3e, %g gave way, %.1f %% slide, %.3g steps of dynamics\n",
           x->q[k], x->yy[k], x->events[k], 100 * x->sliding[k],
           (double)l->job.s.quasistatic.smooth_steps);
    fflush(stdout);
}

/* ---- where regime I ends, of one sample: what moves it ---- */

enum { STIFF = 3 };
static const double softness[STIFF] = {1000, 100, 10}; /* N/m; K_N is 1e7 N/m */

/* Ends of regime I of the sample at a stiffness, over P: of its first network, which makes no
   contact; of method quasistatic, which makes those that close; of any forces within the cones. */
typedef struct ends {
    double alone, made, limit, strain; /* strain: of the second */
    double contacts;                   /* per grain, at the start */
} ends;

static ends ends_of(int n, double p)
{
    static curve c;
    char release[80], rub[64], load[128];
    ends e = {0};
    snprintf(release, sizeof release, "stages.release.at-most=%.9f s", log(1e4 / p) / log(100));
    snprintf(rub, sizeof rub, "stages.rub.cell.control.isotropic=%.9g Pa", p);
    snprintf(load, sizeof load,
             "stages.load.cell={control: {xx: {stress: %.9g Pa}, yy: {stress: \"%.9g*(1+s)\"}}}", p,
             p);
    const char *more[] = {release, rub, load, NULL};
    lab l;
    sample_open(&l, n, 1, more);
    e.contacts = lab_probe(&l, "backbone-coordination");
    mrn_net net = lab_settled(&l);
    e.limit = limit_of(&net) * PRESSURE / p;
    follow(&net, MRN_FLOW_COULOMB, p, 0.02, 3, &c);
    e.alone = c.end;
    mrn_net_release(&net);
    double height = l.job.s.cell_size[1];
    mrn_status st = mrn_job_advance(&l.job); /* to where it gives way: unstable: stop */
    if (st < 0)
        give_up("load", &l.msg);
    e.made = lab_probe(&l, "stress.yy") / lab_probe(&l, "stress.xx") - 1;
    e.strain = -log(l.job.s.cell_size[1] / height);
    printf(
        "  K_N/P = %.0e: first network %.4f P, with contacts that close %.4f P after %.2e, limit "
        "%.4f P\n",
        1e7 / p, e.alone, e.made, e.strain, e.limit);
    fflush(stdout);
    lab_close(&l);
    return e;
}

/* ---- the stairs ---- */

typedef struct stairs {
    run x;
    int n, wanted;
    mrn_status st;
    double steps;
} stairs;

static void climb(int n, int wanted, stairs *s)
{
    const char *more[] = {
        "stages.release.cell={control: {isotropic: \"1e4*exp(-2.302585092994046*s)\"}}",
        "stages.release.quasistatic.increments=25",
        "stages.rub.cell={control: {isotropic: 1000 Pa}}",
        "stages.rub.damping.global=600 1/s",
        "stages.load.cell={control: {xx: {stress: 1000 Pa}, yy: {stress: \"1000*(1+s)\"}}}",
        "stages.load.quasistatic={increments: 60, unstable: smooth, max-iterations: 600}",
        "stages.load.at-most=1.2 s",
        NULL};
    lab l;
    sample_open(&l, n, 1, more);
    double size[2] = {l.job.s.cell_size[0], l.job.s.cell_size[1]};
    run *x = &s->x;
    s->n = n, s->wanted = wanted, s->st = MRN_INTERRUPTED;
    note(&l, size, x);
    while (s->st == MRN_INTERRUPTED && x->events[x->n - 1] - x->events[0] < wanted) {
        l.job.stop_step = l.job.s.step + 1;
        s->st = mrn_job_advance(&l.job);
        note(&l, size, x);
    }
    s->steps = (double)l.job.s.quasistatic.smooth_steps;
    lab_close(&l);
}

static void stairs_plot(report *r, const run *x)
{
    static double percent[ROWS];
    for (int k = 0; k < x->n; k++)
        percent[k] = 100 * x->yy[k];
    mrn_series s[] = {{"", MRN_SERIES_BOTH, 0, x->n, percent, x->q, NULL}};
    mrn_plot p = mrn_plot_default();
    p.x_label = "axial strain, %", p.y_label = "q/P", p.series = s, p.n = 1;
    show(r, &p, "stairs", "A thousand disks under stated stress");
}

/* The rows, and the checks; returns q/P at the end of regime I. */
static double stairs_page(report *r, const stairs *s)
{
    const run *x = &s->x;
    double first = 0, within = 0, across = 0, began = NAN, jump = 0;
    say(r,
        "### Stairs of a thousand disks\n\n%d disks in a periodic cell, K_N/P = 10⁴, μ = 0.25; "
        "σ_yy = P + q raised by 0.02 P at a time, σ_xx = P. Method `quasistatic` with `unstable: "
        "smooth`: where a network gives way, dynamics under the load reached (damped at 600/s) "
        "finds the next. It ends with the %d. that gives way.\n\n"
        "| gives way at q/P | strain before | strain of the jump | contacts that slid |\n"
        "|--:|--:|--:|--:|\n",
        s->n, s->wanted);
    for (int k = 1; k < x->n; k++) {
        double d = x->yy[k] - x->yy[k - 1];
        if (x->events[k] > x->events[k - 1]) {
            began = isnan(began) ? x->q[k - 1] : began;
            across = fmax(across, d);
            jump += d;
            say(r, "| %.3f | %.2e | %.2e | %.1f %% |\n", x->q[k], x->yy[k - 1], d,
                100 * x->sliding[k - 1]);
        } else if (isnan(began))
            first = x->yy[k];
        else
            within = fmax(within, d);
    }
    stairs_plot(r, x);
    say(r,
        "Regime I ends at q = %.3f P after a strain of %.1e. Jumps make %.1e of strain in all, the "
        "largest %.1e; the largest increment without one between them %.1e. %.2g million steps of "
        "dynamics.\n\n",
        began, first, jump, across, within, 1e-6 * s->steps);
    check(r, "stairs: every one that gave way found another",
          s->st == MRN_INTERRUPTED || s->st == MRN_OK, 1, 1);
    check(r, "stairs: networks that gave way", x->events[x->n - 1] - x->events[0], s->wanted,
          INFINITY);
    /* strains of regime I are of the order of q/K_N = 1e-4; jumps are of geometry: their sum and
       the largest are asked to stand above what springs give in an increment */
    check(r, "stairs: largest jump over the strain of regime I per increment",
          across / (first * 0.02 / began), 5, INFINITY);
    return began;
}

/* The sample of the stairs, softer and stiffer. */
static void ends_page(report *r, const ends *e, int n, double began)
{
    (void)began;
    say(r,
        "### What the end of regime I hangs on\n\nThe sample of the stairs (%d disks, periodic "
        "cell) at three stiffnesses: where its first network gives way when it may make no contact "
        "(part `biaxial`), where method `quasistatic` does, which makes those that close, and what "
        "any forces within the cones bear.\n\n"
        "| K_N/P | contacts per grain | first network, q/P | with contacts that close | strain "
        "there | limit analysis of the first network |\n|--:|--:|--:|--:|--:|--:|\n",
        n);
    for (int k = 0; k < STIFF; k++)
        say(r, "| 10^%.0f | %.3f | %.3f | %.3f | %.1e | %.3f |\n", log10(1e7 / softness[k]),
            e[k].contacts, e[k].alone, e[k].made, e[k].strain, e[k].limit);
    say(r, "\n");
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "stairs");
    int n = argc > 2 ? atoi(argv[2]) : 1024, wanted = argc > 3 ? atoi(argv[3]) : 3;
    static stairs s;
    ends e[STIFF];
    if (!piece_kept(&r, "ends", e, sizeof e)) {
        for (int k = 0; k < STIFF; k++)
            e[k] = ends_of(n, softness[k]);
        piece_keep(&r, "ends", e, sizeof e);
    }
    if (!piece_kept(&r, "climb", &s, sizeof s)) {
        climb(n, wanted, &s);
        piece_keep(&r, "climb", &s, sizeof s);
    }
    ends_page(&r, e, n, stairs_page(&r, &s));
    return report_close(&r);
}
