/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Biaxial compression of more than a thousand disks under stated stress, through networks that give
   way: regime I, and the stairs of regime II beyond (Roux & Combe 2010, figure 9; Combe & Roux
   2000). One sample, K_N/P = 10⁴; the first network alone, which is what the published end of
   regime I belongs to, and the run, in which contacts are made. The second argument: number of
   disks, the third: networks that give way before it ends. */
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

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "stairs");
    int n = argc > 2 ? atoi(argv[2]) : 1024, wanted = argc > 3 ? atoi(argv[3]) : 3;
    static run x;
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
    static curve alone;
    mrn_net net = lab_settled(&l);
    follow(&net, MRN_FLOW_COULOMB, pressure, 0.02, 3, &alone);
    mrn_net_release(&net);
    printf("    the first network alone: q1 = %.4f P\n", alone.end);
    fflush(stdout);
    double size[2] = {l.job.s.cell_size[0], l.job.s.cell_size[1]};
    mrn_status st = MRN_INTERRUPTED;
    note(&l, size, &x);
    while (st == MRN_INTERRUPTED && x.events[x.n - 1] - x.events[0] < wanted) {
        l.job.stop_step = l.job.s.step + 1;
        st = mrn_job_advance(&l.job);
        note(&l, size, &x);
    }
    double steps = l.job.s.quasistatic.smooth_steps, first = 0, within = 0, across = 0, began = NAN;
    double events = x.events[x.n - 1] - x.events[0], jump = 0;
    lab_close(&l);
    say(&r,
        "### Stairs of a thousand disks\n\n%d disks in a periodic cell, K_N/P = 10⁴, μ = 0.25; "
        "σ_yy = P + q raised by 0.02 P at a time, σ_xx = P. Method `quasistatic` with `unstable: "
        "smooth`: where a network gives way, dynamics under the load reached (damped at 600/s) "
        "finds the next. It ends with the %d. that gives way.\n\n"
        "| gives way at q/P | strain before | strain of the jump | contacts that slid |\n"
        "|--:|--:|--:|--:|\n",
        n, wanted);
    for (int k = 1; k < x.n; k++) {
        double d = x.yy[k] - x.yy[k - 1];
        if (x.events[k] > x.events[k - 1]) {
            began = isnan(began) ? x.q[k - 1] : began;
            across = fmax(across, d);
            jump += d;
            say(&r, "| %.3f | %.2e | %.2e | %.1f %% |\n", x.q[k], x.yy[k - 1], d,
                100 * x.sliding[k - 1]);
        } else if (isnan(began))
            first = x.yy[k];
        else
            within = fmax(within, d);
    }
    static double percent[ROWS];
    for (int k = 0; k < x.n; k++)
        percent[k] = 100 * x.yy[k];
    mrn_series s[] = {{"", MRN_SERIES_BOTH, 0, x.n, percent, x.q, NULL}};
    mrn_plot p = mrn_plot_default();
    p.x_label = "axial strain, %", p.y_label = "q/P", p.series = s, p.n = 1;
    show(&r, &p, "stairs", "A thousand disks under stated stress");
    say(&r,
        "The first network alone, whose contacts may slide and open and to which none is added, "
        "bears up to q₁ = %.3f P, %.1f %% of its contacts sliding and %.1f %% lost at the end. "
        "That "
        "is the quantity whose published value is 0.749 P for such sizes between walls: the source "
        "finds it within small displacements on the contacts of the start, and says of a test that "
        "makes no new contact that it proves the first network. In the run contacts that close "
        "are made, which bear: springs of K_N/P = 10⁴ allow strains of 10⁻³, and limit analysis of "
        "networks with pairs counted that are nearer than that bears more (part `closing`). Until "
        "this was told apart the published value was "
        "asked of the run, which missed it (1.04 P, 0.65 to 1 asked).\n\n"
        "The run gives way first at q = %.3f P after a strain of %.1e. Jumps make %.1e of strain "
        "in all, the largest %.1e; the largest increment "
        "without one between them %.1e. %.2g million steps of dynamics.\n\n",
        alone.end, 100 * alone.sliding[alone.n - 1], 100 * alone.lost[alone.n - 1], began, first,
        jump, across, within, 1e-6 * steps);
    check(&r, "stairs: every one that gave way found another",
          st == MRN_INTERRUPTED || st == MRN_OK, 1, 1);
    check(&r, "stairs: networks that gave way", events, wanted, INFINITY);
    /* 0.66 to 0.90 P for 1024 disks in periodic cells by the published law and by part biaxial,
       whose samples differ by 0.1, at K_N/P = 10⁴ by 0.05 more */
    check(&r, "stairs: q1/P of the first network alone", alone.end, 0.65, 1);
    /* contacts that are made can only bear: not earlier, but for an increment and what finite
       displacements do; nor later than by what pairs within 2 % of d
       add to limit analysis: half in the samples first looked at, 28 % in those of now */
    check(&r, "stairs: q/P at which the run gives way over that", began / alone.end, 0.95, 1.5);
    /* strains of regime I are of the order of q/K_N = 1e-4; jumps are of geometry: their sum and
       the largest are asked to stand above what springs give in an increment */
    check(&r, "stairs: largest jump over the strain of regime I per increment",
          across / (first * 0.02 / began), 5, INFINITY);
    return report_close(&r);
}
