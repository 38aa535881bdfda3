/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a criterion of convergence leaves undone: step, threshold and criterion against penetration,
   settlement and cost, on beds of polygons under a plate that is loaded again and again. */
#include <time.h>

#include "validate.h"

enum { BEDS = 3, TIGHT = 3 };

/* What a load of the plate left, in the mean over the beds. */
typedef struct outcome {
    double overlap, deepest; /* mean and largest at the end, over the mean radius              */
    double settlement[BEDS]; /* of the plate, m                                                */
    double residual;         /* of the natural map, mean over steps                             */
    double sweeps, seconds;  /* per step; processor time of the whole load                     */
    double unsolved;         /* steps that met the limit of sweeps, of all beds                */
} outcome;

static const double RADIUS = 0.02; /* mean, of the stones */

static double mean_of(report *r, const char *as, const char *name)
{
    return mean_from(r, as, name, 1e-9, NULL); /* the first row is before the first step */
}

/* The plate goes down by what its last row has below its first. */
static double went_down(report *r, const char *as)
{
    int n;
    double *y = column(r, as, "groups.plate.mean-y", &n), by = n > 0 ? y[0] - y[n - 1] : NAN;
    free(y);
    return by;
}

static void make_beds(report *r)
{
    for (int k = 0; k < BEDS; k++) {
        char seed[32], as[32];
        snprintf(seed, sizeof seed, "seed=%d", k + 1);
        snprintf(as, sizeof as, "bed%d", k);
        const char *set[] = {seed, NULL};
        run_probes(r, "criteria", as, set, NULL);
    }
}

static double mean_settlement(const outcome *o)
{
    double sum = 0;
    for (int k = 0; k < BEDS; k++)
        sum += o->settlement[k] / BEDS;
    return sum;
}

/* How the problem of a step is solved; looked at every check_every-th sweep (0: as the solver
 * does). */
typedef struct way {
    const char *criterion;
    double tolerance, h;
    int check_every;
} way;

static void write_way(const way *w, char out[320])
{
    char looks[48] = "";
    if (w->check_every > 0)
        snprintf(looks, sizeof looks, ", check-every: %d", w->check_every);
    snprintf(out, 320,
             "nonsmooth={solver: nlgs, criterion: %s, tolerance: %g, theta: 1, form: closing, "
             "projection: false, unsolved: go-on, max-iterations: 5000%s}",
             w->criterion, w->tolerance, looks);
}

/* Five loads of the plate of bed k, into the folder "load". */
static void load_bed(report *r, int k, const way *w)
{
    char bed[32], folder[256], bodies[300], how[320], step[48], probes[64];
    snprintf(bed, sizeof bed, "bed%d", k);
    scratch(r, bed, folder);
    snprintf(bodies, sizeof bodies, "bodies={from: %s}", folder);
    write_way(w, how);
    snprintf(step, sizeof step, "time-step=%.17g", w->h);
    snprintf(probes, sizeof probes, "output.probes-every=%.17g", w->h);
    const char *set[] = {bodies,
                         how,
                         step,
                         probes,
                         "stages=[{name: load, bodies: {plate: {hold: [rz]}}, "
                         "forces: [{group: plate, force: [0, '-700*(1 - cos(2*pi*10*s))']}], "
                         "until: {time: 0.5 s}}]",
                         NULL};
    run_probes(r, "criteria", "load", set, NULL);
}

static outcome load(report *r, way w)
{
    outcome o = {0};
    for (int k = 0; k < BEDS; k++) {
        clock_t began = clock();
        load_bed(r, k, &w);
        o.seconds += (double)(clock() - began) / CLOCKS_PER_SEC / BEDS;
        o.overlap += last(r, "load", "overlap-mean") / RADIUS / BEDS;
        o.deepest = fmax(o.deepest, last(r, "load", "overlap-max") / RADIUS);
        o.settlement[k] = went_down(r, "load");
        o.residual += mean_of(r, "load", "residual") / BEDS;
        o.sweeps += mean_of(r, "load", "sweeps") / BEDS;
        o.unsolved += last(r, "load", "unsolved");
    }
    printf("  %s %g, h %g: residual %.3g, overlap %.3g, settlement %.4g, %.0f sweeps, %.2f s\n",
           w.criterion, w.tolerance, w.h, o.residual, o.overlap, mean_settlement(&o), o.sweeps,
           o.seconds);
    return o;
}

/* Root mean square over the beds of the distance from the strict solution of the same bed. */
static double off(const outcome *o, const outcome *strict)
{
    double sum = 0;
    for (int k = 0; k < BEDS; k++)
        sum += pow(o->settlement[k] - strict->settlement[k], 2) / BEDS;
    return sqrt(sum);
}

static void row(report *r, const outcome *o, const outcome *strict)
{
    say(r, " %.1e | %.4f %% | %.2f %% | %.3f mm |", o->residual, 100 * o->overlap, 100 * o->deepest,
        1e3 * mean_settlement(o));
    if (strict != NULL)
        say(r, " %.3f mm |", 1e3 * off(o, strict));
    say(r, " %.0f | %.2f s | %.0f |\n", o->sweeps, o->seconds, o->unsolved);
}

static const char *const columns = "residual | mean overlap / R | deepest / R | settlement |";

/* Criterion and threshold at one step. */
typedef struct criterion {
    const char *name;
    double at[TIGHT]; /* thresholds */
    double power;     /* of the residual in the threshold (nonsmooth.md); NAN: none is claimed */
} criterion;

static double judge(report *r, const criterion *c, const outcome o[TIGHT], const outcome *strict)
{
    char text[128];
    double decades = log10(c->at[0] / c->at[2]);
    double power = log10(o[0].residual / o[2].residual) / decades;
    /* The residual of a sweep that meets a threshold lies anywhere between it and that of the look
       before: room for a third of a decade at either end. */
    snprintf(text, sizeof text, "residual as a power of the threshold, %s", c->name);
    if (isfinite(c->power))
        check(r, text, power, c->power - 2 / (3 * decades), c->power + 2 / (3 * decades));
    /* residuals fall by 20 to 90; a tenth is left for what the next loads stir up anew */
    snprintf(text, sizeof text, "overlap beyond the strict one, tightest over loosest, %s",
             c->name);
    check(r, text, (o[2].overlap - strict->overlap) / (o[0].overlap - strict->overlap), -0.1, 0.1);
    if (!isfinite(c->power)) {
        why(r,
            "terms of either sign cancel and the sweeps stop by chance, as with its residual: two "
            "decades of threshold took out 92 % of the overlap with the default solver before, "
            "which made other beds, and 81 % with this one");
        return power;
    }
    snprintf(text, sizeof text, "settlement off the strict one, tightest over loosest, %s",
             c->name);
    check(r, text, off(&o[2], strict) / off(&o[0], strict), 0, 1);
    return power;
}

static void thresholds(report *r, const outcome *strict)
{
    static const criterion all[] = {
        {"natural", {1e-2, 1e-3, 1e-4}, 1},   {"contact", {1e-1, 1e-2, 1e-3}, 1},
        {"quadratic", {1e-2, 1e-3, 1e-4}, 1}, {"mean", {1e-4, 1e-6, 1e-8}, 0.5},
        {"max", {1e-3, 1e-5, 1e-7}, 0.5},     {"signed", {1e-3, 1e-4, 1e-5}, NAN}};
    say(r,
        "| criterion | threshold | %s off the strict | sweeps per step | time | unsolved |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        columns);
    double power = NAN;                 /* of the last, which is "signed" */
    double quadratic = NAN, mean = NAN; /* sweeps at 1e-4 and at its square */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const criterion *c = &all[i];
        outcome o[TIGHT];
        for (int k = 0; k < TIGHT; k++) {
            o[k] = load(r, (way){c->name, c->at[k], 2e-3, 0});
            say(r, "| `%s` | %.0e |", c->name, c->at[k]);
            row(r, &o[k], strict);
        }
        power = judge(r, c, o, strict);
        quadratic = strcmp(c->name, "quadratic") == 0 ? o[2].sweeps : quadratic;
        mean = strcmp(c->name, "mean") == 0 ? o[2].sweeps : mean;
    }
    check(r, "sweeps of mean at 1e-8 over those of quadratic at 1e-4", mean / quadratic, 1, 1);
    say(r, "| `natural` | 1e-06 |");
    row(r, strict, strict);
    say(r,
        "\n`quadratic` is the root of `mean` and stops at the same sweep where its threshold is "
        "the root of the other's. For `signed` a residual in proportion to the threshold was "
        "expected before the first run and was not found (power %.2f here): terms of either sign "
        "cancel, and a sum near 0 by chance stops the sweeps; no power is claimed since, and "
        "nothing of its settlement. Unsolved: steps that met the limit of 5000 sweeps.\n",
        power);
}

/* Criterion and step at one threshold. */
static void steps(report *r)
{
    static const way all[] = {
        {"natural", 1e-3, 0, 0}, {"contact", 1e-2, 0, 0}, {"mean", 1e-6, 0, 0}};
    static const double h[] = {4e-3, 2e-3, 1e-3, 0.5e-3};
    enum { N = sizeof h / sizeof *h };
    say(r,
        "\n**Step**, thresholds kept:\n\n| criterion | threshold | step | %s sweeps per step | "
        "time | unsolved |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        columns);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < N; k++) {
            way w = all[i];
            w.h = h[k];
            outcome o = load(r, w);
            say(r, "| `%s` | %.0e | %g ms |", w.criterion, w.tolerance, 1e3 * h[k]);
            row(r, &o, NULL);
        }
}

/* The violations cost sums: how often to look. */
static void looks(report *r)
{
    static const int every[] = {1, 10, 50};
    say(r,
        "\n**How often to look** at a criterion that costs sums, steps of 2 ms:\n\n"
        "| `mean`, 1e-08, looked at every | %s sweeps per step | time | unsolved |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        columns);
    for (int k = 0; k < 3; k++) {
        outcome o = load(r, (way){"mean", 1e-8, 2e-3, every[k]});
        say(r, "| %d sweeps |", every[k]);
        row(r, &o, NULL);
    }
    say(r, "\n");
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "criteria");
    say(&r,
        "%d beds of 50 polygons (friction 0.5) in a trough, a plate on each that is pressed down "
        "five times with up to 1.4 kN within half a second (`tests/validate/criteria.yaml`). "
        "Overlaps are not taken out (`projection: false`): what a loose solution leaves stays, "
        "and is seen as overlap and as settlement of the plate. Sweeps of Gauss-Seidel, from "
        "the impulses of the step before, until the criterion has fallen to its threshold; means "
        "over the beds, the deepest overlap of all, R = 20 mm. *Off the strict*: root mean "
        "square over the beds of the distance from the settlement with `natural` to 10⁻⁶, the "
        "last row. Processor time of a load with all it writes, one thread, other programs "
        "beside.\n\n**Criterion and threshold**, steps of 2 ms:\n\n",
        BEDS);
    make_beds(&r);
    outcome strict = load(&r, (way){"natural", 1e-6, 2e-3, 0});
    thresholds(&r, &strict);
    steps(&r);
    looks(&r);
    return report_close(&r);
}
