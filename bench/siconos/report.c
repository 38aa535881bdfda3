/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison as Markdown: times, ratios and their geometric means, residuals reached. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Ratio of a time of theirs to that of ours, with the limit in place of what did not finish. */
typedef struct ratio {
    double value;  /* NAN: neither finished                     */
    bool at_least; /* theirs did not finish: the ratio is larger */
    bool at_most;  /* ours did not                              */
} ratio;

static ratio ratio_of(const subject *s, double theirs, double ours)
{
    ratio r = {.value = NAN, .at_least = isinf(theirs), .at_most = isinf(ours)};
    if (!r.at_least || !r.at_most)
        r.value = (r.at_least ? s->limit : theirs) / (r.at_most ? s->limit : ours);
    return r;
}

/* INFINITY: not solved. */
static double seconds_of(const comparison *c, int t, int s, int m)
{
    const cell *x = cell_of(c, t, s, m);
    return x->verdict == SOLVED ? x->seconds : INFINITY;
}

static double best_of(const comparison *c, int t, int s, int first, int last)
{
    double best = INFINITY;
    for (int m = first; m <= last; m++)
        best = fmin(best, seconds_of(c, t, s, m));
    return best;
}

static void print_seconds(FILE *f, double x)
{
    int decimals = x >= 100 ? 0 : x >= 10 ? 1 : x >= 1 ? 2 : x >= 0.1 ? 3 : x >= 0.01 ? 4 : 5;
    fprintf(f, " %.*f |", x < 1e-3 ? 6 : decimals, x);
}

static void print_cell(FILE *f, const cell *x)
{
    if (x->verdict == SOLVED)
        print_seconds(f, x->seconds);
    else
        fprintf(f, " %s |", x->verdict == TOO_LONG ? "–" : x->verdict == FAILED ? "×" : "");
}

static void print_ratio(FILE *f, ratio r)
{
    if (isnan(r.value))
        fprintf(f, " neither |");
    else
        fprintf(f, " %s%.3g |", r.at_least ? "> " : r.at_most ? "< " : "", r.value);
}

static void print_head(const comparison *c, FILE *f, int first, int last, const char *more,
                       int n_more)
{
    fprintf(f, "\n| problem | contacts |");
    for (int m = first; m < last; m++)
        fprintf(f, m >= c->theirs ? " **%s** |" : " %s |", c->method[m].name);
    fprintf(f, "%s\n|---|--:|", more);
    for (int m = first; m < last + n_more; m++)
        fprintf(f, "--:|");
    fprintf(f, "\n");
}

/* Columns of the main table: theirs, our default, and plain Gauss-Seidel where that is another. */
static int columns(const comparison *c)
{
    int last = c->theirs + 1;
    return last < c->methods && strcmp(c->method[last].name, "nlgs") == 0 ? last + 1 : last;
}

static void times(const comparison *c, int t, bool generated, FILE *f)
{
    int last = columns(c);
    print_head(c, f, 0, last, " NSGS-NSN / ours | best / ours |", 2);
    for (int s = 0; s < c->subjects; s++) {
        const subject *x = c->subject + s;
        if (x->generated != generated)
            continue;
        fprintf(f, "| %s | %d |", x->name, x->p.n);
        for (int m = 0; m < last; m++)
            print_cell(f, cell_of(c, t, s, m));
        double ours = seconds_of(c, t, s, c->theirs);
        print_ratio(f, ratio_of(x, best_of(c, t, s, NSGS_NSN, NSGS_NSN_FULL), ours));
        print_ratio(f, ratio_of(x, best_of(c, t, s, 0, c->theirs - 1), ours));
        fprintf(f, "\n");
    }
}

/* Geometric mean of the ratio to the best of the methods first … last. */
static void print_mean(const comparison *c, int t, bool generated, int first, int last,
                       const char *what, FILE *f)
{
    double all = 0, finished = 0, each[200];
    int n_all = 0, n_finished = 0, asked = 0;
    for (int m = first; m <= last; m++)
        asked += !c->method[m].left_out;
    if (asked == 0)
        return;
    for (int s = 0; s < c->subjects; s++) {
        if (c->subject[s].generated != generated)
            continue;
        ratio r =
            ratio_of(c->subject + s, best_of(c, t, s, first, last), seconds_of(c, t, s, c->theirs));
        if (isnan(r.value))
            continue;
        if (n_all < 200)
            each[n_all] = log(r.value);
        all += log(r.value), n_all++;
        if (!r.at_least && !r.at_most)
            finished += log(r.value), n_finished++;
    }
    fprintf(f, "- time of %s over that of ours, geometric mean: ", what);
    if (n_all == 0)
        fprintf(f, "no problem finished");
    else
        fprintf(f, "**%.2f** over %d problems", exp(all / n_all), n_all);
    if (n_all > 1 && n_all <= 200) { /* how much of it one problem makes */
        double sorted[200], least = INFINITY, most = -INFINITY;
        for (int k = 0; k < n_all; k++) {
            double without = (all - each[k]) / (n_all - 1);
            least = fmin(least, without), most = fmax(most, without);
        }
        memcpy(sorted, each, sizeof sorted);
        fprintf(f, ", median %.2f, leaving out one %.2f to %.2f", exp(median(sorted, n_all)),
                exp(least), exp(most));
    }
    if (n_finished > 0 && n_finished < n_all)
        fprintf(f, " (unfinished ones with the limit), %.2f over the %d that both finished",
                exp(finished / n_finished), n_finished);
    fprintf(f, ".\n");
}

static void summary(const comparison *c, int t, bool generated, FILE *f)
{
    int n = 0, solved = 0, not_slower = 0;
    for (int s = 0; s < c->subjects; s++) {
        if (c->subject[s].generated != generated)
            continue;
        double ours = seconds_of(c, t, s, c->theirs);
        n++;
        solved += isfinite(ours);
        not_slower += isfinite(ours) && ours <= best_of(c, t, s, 0, c->theirs - 1);
    }
    fprintf(f, "\n");
    print_mean(c, t, generated, NSGS, NSGS, "NSGS as it comes", f);
    print_mean(c, t, generated, NSGS_NSN, NSGS_NSN_FULL,
               "NSGS-NSN (the faster of its two variants, problem by problem)", f);
    print_mean(c, t, generated, NSGS_NSN, NSGS_NSN, "NSGS-NSN with options as they come", f);
    print_mean(c, t, generated, NSGS_NSN_FULL, NSGS_NSN_FULL, "NSGS-NSN/10", f);
    print_mean(c, t, generated, 0, c->theirs - 1,
               "the best of Siconos (chosen afterwards, problem by problem)", f);
    fprintf(f,
            "- `%s` solves %d of %d problems and is not slower than the best of Siconos on "
            "**%d of %d**.\n",
            c->method[c->theirs].name, solved, n, not_slower, n);
}

static void others(const comparison *c, int t, bool generated, FILE *f)
{
    int first = columns(c);
    if (first >= c->methods)
        return;
    fprintf(f, "\nOur other solvers, seconds:\n");
    print_head(c, f, first, c->methods, "", 0);
    for (int s = 0; s < c->subjects; s++) {
        if (c->subject[s].generated != generated)
            continue;
        fprintf(f, "| %s | %d |", c->subject[s].name, c->subject[s].p.n);
        for (int m = first; m < c->methods; m++)
            print_cell(f, cell_of(c, t, s, m));
        fprintf(f, "\n");
    }
}

static void residuals(const comparison *c, int t, bool generated, FILE *f)
{
    int last = columns(c);
    fprintf(f, "\nResidual err_v of the answers (err_sic in brackets):\n");
    print_head(c, f, 0, last, "", 0);
    for (int s = 0; s < c->subjects; s++) {
        if (c->subject[s].generated != generated)
            continue;
        fprintf(f, "| %s | %d |", c->subject[s].name, c->subject[s].p.n);
        for (int m = 0; m < last; m++) {
            const cell *x = cell_of(c, t, s, m);
            if (x->last.runs > 0)
                fprintf(f, " %.0e (%.0e) |", x->last.natural, x->last.siconos);
            else
                fprintf(f, " |");
        }
        fprintf(f, "\n");
    }
}

static void machine(FILE *f)
{
    char line[512], *model = NULL;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info != NULL && model == NULL && fgets(line, sizeof line, info) != NULL)
        if (strncmp(line, "model name", 10) == 0 && (model = strchr(line, ':')) != NULL)
            model[strcspn(model, "\n")] = '\0';
    if (info != NULL)
        fclose(info);
    fprintf(f, "Machine: %s, %ld cores of which one is used; %s; Siconos: %s.\n",
            model != NULL ? model + 2 : "unknown processor", sysconf(_SC_NPROCESSORS_ONLN),
            COMPILER, SICONOS_LIBRARY);
}

static void conditions(const comparison *c, FILE *f)
{
    double least = INFINITY, most = 0;
    for (int s = 0; s < c->subjects; s++)
        least = fmin(least, c->subject[s].limit), most = fmax(most, c->subject[s].limit);
    machine(f);
    fprintf(
        f,
        "\nSeconds of processor time (one thread) of one solve from r = 0, the problem already "
        "in memory; of ours the whole "
        "call counts, preparation and measures included. Every solve runs in a process of its "
        "own; the methods take turns, and the median is shown: of 5 rounds of 5 to %d solves "
        "below 0.05 s, of 5 rounds below 0.2 s, of 3 below 5 s, else one. – is not solved "
        "within the limit of %g s (that of some problems is up to %g s), × ended before without "
        "reaching the tolerance. What ran into the limit at one tolerance is not tried at a "
        "smaller "
        "one.\n"
        "\nAll solve the scaled problem (mean diagonal of W is 1), so that the error of "
        "Siconos, err_sic = |F| / max(|q|, |r|, |u|), has consistent units. ",
        RUNS_MAX, least, most);
    if (c->same_residual)
        fprintf(f, "Its tolerance is searched for each method and problem, in at most eight "
                   "solves: the largest, to a factor of about two, at which err_v = |F| / |q| is "
                   "met; the solves of the search do not count.\n");
    else
        fprintf(f, "Siconos stops at err_sic, ours at err_v = |F| / |q|: the same tolerance means "
                   "at least as much accuracy of ours, often several times more (see the residuals "
                   "reached).\n");
    fprintf(f, "\nColumns of Siconos:\n\n");
    for (int m = 0; m < c->theirs; m++)
        fprintf(f, "- %s: %s.\n", c->method[m].name, c->method[m].about);
}

static void one_set(const comparison *c, int t, bool generated, FILE *f)
{
    int n = 0;
    for (int s = 0; s < c->subjects; s++)
        n += c->subject[s].generated == generated;
    if (n == 0)
        return;
    fprintf(f, "\n### Tolerance %g, %s\n", c->tolerance[t],
            generated ? "generated problems" : "problems from files");
    times(c, t, generated, f);
    summary(c, t, generated, f);
    residuals(c, t, generated, f);
    others(c, t, generated, f);
}

void report(const comparison *c, FILE *f)
{
    conditions(c, f);
    for (int t = 0; t < c->tolerances; t++) {
        one_set(c, t, false, f);
        one_set(c, t, true, f);
    }
}
