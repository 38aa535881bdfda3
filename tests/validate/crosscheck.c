/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scene under all methods: `moraine crosscheck` on a gas, a shaken layer, settling and a dense
   compression; `moraine converge` with the step, with stiffness towards rigid grains, one ball and
   a packing, and with threads. Some 15 minutes on one core. */
#include <jansson.h>

#include "moraine/lab.h"
#include "validate/validate.h"

/* Runs the command with JSON into a scratch folder and reads its result. */
static json_t *command(const report *r, const char *arguments, const char *scene, const char *as)
{
    char out[256], line[1400], path[320];
    const char *moraine = getenv("MORAINE");
    scratch(r, as, out);
    snprintf(line, sizeof line,
             "'%s' %s '%s/tests/validate/crosscheck-%s.yaml' --json --out '%s' >/dev/null",
             moraine != NULL ? moraine : "build/release/moraine", arguments, MRN_VALIDATE_SOURCE,
             scene, out);
    double begin = mrn_clock();
    int code = system(line);
    bool compares = strncmp(arguments, "crosscheck", 10) == 0;
    snprintf(path, sizeof path, "%s/%s.json", out, compares ? "crosscheck" : "converge");
    json_t *root = code == 0 ? json_load_file(path, 0, NULL) : NULL;
    if (root == NULL) {
        fprintf(stderr, "failed: %s\n", line);
        exit(1);
    }
    printf("  %s: %.0f s\n", as, mrn_clock() - begin);
    fflush(stdout);
    return root;
}

static double real(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

/* A plot of the command's folder goes to the page. */
static void take_plot(report *r, const char *as, const char *plot, const char *name,
                      const char *caption)
{
    char out[256], line[1100];
    scratch(r, as, out);
    snprintf(line, sizeof line, "cp '%s/%s.svg' '%s/%s.svg'", out, plot, r->dir, name);
    if (system(line) != 0)
        exit(1);
    say(r, "\n![%s](validation/%s.svg)\n\n", caption, name);
}

/* ---- cross-checks ---- */

static const json_t *pair_of(const json_t *root, const char *number, const char *a, const char *b)
{
    const json_t *p;
    size_t i;
    json_array_foreach((json_t *)json_object_get(root, "pairs"), i,
                       p) if (strcmp(text(p, "number"), number) == 0 &&
                              strcmp(text(p, "a"), a) == 0 &&
                              strcmp(text(p, "b"), b) == 0) return p;
    return NULL;
}

/* "agree, -1.2 ± 3 %" of the mean of a. */
static void tell_pair(report *r, const json_t *p, double mean)
{
    double d = real(p, "difference"), h = real(p, "half-width");
    if (p == NULL)
        say(r, " – |");
    else if (mean != 0 && isfinite(h))
        say(r, " %s, %+.2g ± %.2g %% |", text(p, "verdict"), 100 * d / fabs(mean),
            100 * h / fabs(mean));
    else
        say(r, " %s |", text(p, "verdict"));
}

static double mean_of(const json_t *method, const char *number, double *half)
{
    const json_t *n = json_object_get(json_object_get(method, "numbers"), number);
    mrn_datum d = {.variance = pow(real(n, "sd"), 2) / real(n, "n"),
                   .freedom = (int)real(n, "n") - 1};
    *half = d.variance > 0 && d.freedom > 0 ? mrn_datum_half_width(&d, 0.95) : NAN;
    return real(n, "mean");
}

static void table_head(report *r, const json_t *methods, size_t n)
{
    say(r, "| number |");
    for (size_t i = 0; i < n; i++)
        say(r, " %s |", text(json_array_get(methods, i), "method"));
    for (size_t i = 1; i < n; i++)
        say(r, " %s less %s |", text(json_array_get(methods, i), "method"),
            text(json_array_get(methods, 0), "method"));
    say(r, "\n|---|");
    for (size_t i = 0; i < n; i++)
        say(r, "--:|");
    for (size_t i = 1; i < n; i++)
        say(r, "---|");
    say(r, "\n");
}

/* Means of all methods, and the others against the first. */
static void table(report *r, const json_t *root, const char *const *number)
{
    const json_t *methods = json_object_get(root, "methods");
    size_t n = json_array_size(methods);
    table_head(r, methods, n);
    for (; *number != NULL; number++) {
        double half, first = 0;
        say(r, "| %s |", *number);
        for (size_t i = 0; i < n; i++) {
            double v = mean_of(json_array_get(methods, i), *number, &half);
            first = i == 0 ? v : first;
            if (isfinite(half))
                say(r, " %.4g ± %.2g |", v, half);
            else if (isfinite(v))
                say(r, " %.4g |", v);
            else
                say(r, " – |");
        }
        for (size_t i = 1; i < n; i++)
            tell_pair(r,
                      pair_of(root, *number, text(json_array_get(methods, 0), "method"),
                              text(json_array_get(methods, i), "method")),
                      first);
        say(r, "\n");
    }
    say(r, "\n");
}

/* The difference of b and a over the mean of a must lie within bounds. */
static void check_pair(report *r, const json_t *root, const char *number, const char *a,
                       const char *b, double lo, double hi)
{
    const json_t *p = pair_of(root, number, a, b), *methods = json_object_get(root, "methods"), *m;
    char what[200];
    double mean = NAN, unused;
    size_t i;
    json_array_foreach((json_t *)methods, i, m) if (strcmp(text(m, "method"), a) == 0) mean =
        mean_of(m, number, &unused);
    snprintf(what, sizeof what, "%s, (%s less %s) / %s", number, b, a, a);
    check(r, what, p != NULL ? real(p, "difference") / fabs(mean) : NAN, lo, hi);
}

static void say_counts(report *r, const json_t *root)
{
    int n[3] = {0, 0, 0};
    const json_t *p;
    size_t i;
    json_array_foreach((json_t *)json_object_get(root, "pairs"), i, p)
    {
        const char *v = text(p, "verdict");
        n[v[0] == 'a' ? 0 : v[0] == 'd' ? 1 : 2]++;
    }
    say(r,
        "Of %zu comparisons %d agree within 5 %%, %d differ, %d cannot be told with %.0f "
        "seeds.\n\n",
        i, n[0], n[1], n[2], real(root, "seeds"));
}

static void gas(report *r)
{
    static const char *const numbers[] = {"granular-temperature", "kinetic energy, mean over time",
                                          "kinetic energy, end", "dissipated energy", NULL};
    json_t *root = command(r, "crosscheck --seeds 16", "gas", "gas");
    say(r, "**A dilute gas cools**: 200 spheres, 10 %% of the volume, restitution 0.8, 0.1 s "
           "(about 12 collisions each): `moraine crosscheck "
           "tests/validate/crosscheck-gas.yaml --seeds 16`.\n\n");
    table(r, root, numbers);
    say_counts(r, root);
    /* the sd of T of a run is 5 %; of 16 seeds a difference has 1.8 %, three of them */
    check_pair(r, root, "granular-temperature", "smooth", "nonsmooth", -0.055, 0.055);
    if (pair_of(root, "granular-temperature", "smooth", "event") != NULL)
        check_pair(r, root, "granular-temperature", "smooth", "event", -0.055, 0.055);
    take_plot(
        r, "gas", "kinetic-energy-end", "crosscheck-gas",
        "Kinetic energy of the gas under each method; bands: one standard deviation of a run");
    json_decref(root);
}

static void layer(report *r)
{
    static const char *const numbers[] = {"mean-y",
                                          "granular-temperature",
                                          "stress, vertical",
                                          "kinetic energy, mean over time",
                                          "coordination",
                                          "mean-contact-force",
                                          NULL};
    json_t *root = command(r, "crosscheck --seeds 12 --last 0.3", "layer", "layer");
    say(r, "**A layer bounces** on a floor that shakes with 40 Hz: 40 disks, means over the last "
           "0.3 s: `moraine crosscheck tests/validate/crosscheck-layer.yaml --seeds 12 "
           "--last 0.3`. Contacts are impacts here: a rigid one is over in a "
           "step, one of springs lasts 0.1 ms, so coordination and contact force, numbers of an "
           "instant, must differ, and method event has none; energies and heights need not.\n\n");
    table(r, root, numbers);
    say_counts(r, root);
    check_pair(r, root, "mean-y", "smooth", "nonsmooth", -0.05, 0.05);
    check_pair(r, root, "kinetic energy, mean over time", "smooth", "nonsmooth", -0.1, 0.1);
    check_pair(r, root, "mean-y", "smooth", "event", -0.05, 0.05);
    check_pair(r, root, "kinetic energy, mean over time", "smooth", "event", -0.1, 0.1);
    json_decref(root);
}

static void settle(report *r)
{
    static const char *const numbers[] = {"walls.floor.force.z", "solid-fraction",
                                          "coordination",        "backbone-coordination",
                                          "stress, vertical",    "horizontal over vertical stress",
                                          "force-spread",        "mobilised-friction",
                                          "dissipated energy",   NULL};
    json_t *root = command(r, "crosscheck --seeds 8", "settle", "settle");
    const json_t *m = json_array_get(json_object_get(root, "methods"), 1);
    double self = real(json_array_get(json_object_get(m, "runs"), 0), "self-stress");
    say(r, "**Spheres settle** under gravity, 200 of them in a periodic cell: `moraine crosscheck "
           "tests/validate/crosscheck-settle.yaml --seeds 8`. Under method event grains at rest "
           "collide once per collapse time, elastically and without friction: the floor bears "
           "their weight as a sum of impulses, there is no contact at an instant, and the "
           "bed becomes denser.\n\n");
    table(r, root, numbers);
    say_counts(r, root);
    say(r,
        "The network of the first packing of rigid grains has %.0f states of self-stress: along "
        "these its forces are not unique.\n\n",
        self);
    check_pair(r, root, "solid-fraction", "smooth", "nonsmooth", -0.03, 0.03);
    check_pair(r, root, "walls.floor.force.z", "smooth", "nonsmooth", -0.02, 0.02);
    check_pair(r, root, "coordination", "smooth", "nonsmooth", -0.05, 0.05);
    check_pair(r, root, "walls.floor.force.z", "smooth", "event", -0.02, 0.02);
    /* no friction among grains at rest: between a frictional bed and a frictionless one, 0.64/0.59
     */
    check_pair(r, root, "solid-fraction", "smooth", "event", 0, 0.09);
    check_pair(r, root, "dissipated energy", "smooth", "event", -0.06, 0.06);
    take_plot(r, "settle", "forces", "crosscheck-forces",
              "Part of the contacts with more than a normal force, packings under gravity");
    json_decref(root);
}

/* Coordination of rigid grains, for what follows. */
static void press(report *r, double *rigid, double *half)
{
    static const char *const numbers[] = {
        "walls.lid.force.y", "solid-fraction",     "coordination",       "backbone-coordination",
        "backbone-fraction", "mean-contact-force", "mobilised-friction", NULL};
    json_t *root = command(r, "crosscheck --seeds 6 --stage load", "press", "press");
    say(r, "**Disks are compressed** by a lid that bears 500 Pa, then 1000 Pa; contacts are so "
           "soft that they overlap by 3 %% of the effective radius: `moraine crosscheck "
           "tests/validate/crosscheck-press.yaml --seeds 6 --stage load`. Method quasistatic takes "
           "over from smooth with the second load, nonsmooth runs all of it; event has no walls "
           "that bear a load.\n\n");
    table(r, root, numbers);
    say_counts(r, root);
    check_pair(r, root, "solid-fraction", "smooth", "quasistatic", -0.01, 0.01);
    check_pair(r, root, "coordination", "smooth", "quasistatic", -0.03, 0.03);
    check_pair(r, root, "coordination", "smooth", "nonsmooth", -0.3, -0.1);
    *rigid = mean_of(json_array_get(json_object_get(root, "methods"), 1), "coordination", half);
    json_decref(root);
}

/* ---- convergence ---- */

static const json_t *probe_of(const json_t *root, size_t k)
{
    return json_array_get(json_object_get(root, "probes"), k);
}

static double level_of(const json_t *probe, size_t level, const char *key)
{
    return real(json_array_get(json_object_get(probe, "levels"), level), key);
}

/* Height of a rigid ball at the end. */
static double rigid_ball(void)
{
    const double g = 9.81, R = 0.05, v0 = 2;
    double v = sqrt(v0 * v0 + 2 * g * 0.05), t = 0.2 - (v - v0) / g;
    return R + 0.8 * v * t - 0.5 * g * t * t;
}

static void ball(report *r)
{
    json_t *step = command(r, "converge --vary step --levels 7 -p mean-z", "bounce", "step");
    json_t *stiff =
        command(r,
                "converge --vary stiffness --levels 5 -p mean-z --set 'time-step={fraction: "
                "0.005}'",
                "bounce", "stiff");
    const json_t *a = probe_of(step, 0), *b = probe_of(stiff, 0);
    double exact = rigid_ball(), limit = real(b, "limit"), off = real(b, "uncertainty");
    say(r,
        "**A ball bounces**, where it is after 0.2 s. `moraine converge "
        "tests/validate/crosscheck-bounce.yaml --vary step --levels 7 -p mean-z`: the fit over all "
        "levels has order %.2f, Verlet's is 2 (the three finest %.2f: where in a step the contact "
        "begins and ends differs from level to level). `--vary stiffness --levels 5`, with "
        "steps a tenth of the usual ones (`--set 'time-step={fraction: 0.005}'`): order %.3f in "
        "1/k, as the contact time falls with k^-1/2; the limit is %.5f ± %.5f m, a rigid ball is "
        "at %.5f m.\n\n",
        real(a, "order-fit"), real(a, "order"), real(b, "order"), limit, off, exact);
    check(r, "order of the step", real(a, "order-fit"), 1.7, 2.3);
    check(r, "order of 1/k", real(b, "order"), 0.42, 0.58);
    check(r, "limit of stiffness less rigid ball, over its uncertainty", (limit - exact) / off, -1,
          1);
    take_plot(r, "stiff", "mean-z", "crosscheck-ball",
              "Height of the ball against softness, and the limit");
    json_decref(step);
    json_decref(stiff);
}

static void packing(report *r, double rigid, double half)
{
    json_t *root = command(r,
                           "converge --vary stiffness --seeds 6 -p coordination -p "
                           "backbone-coordination -p solid-fraction",
                           "press", "softness");
    const json_t *levels = json_object_get(root, "levels"), *p = probe_of(root, 0);
    double limit = real(p, "limit"), off = real(p, "uncertainty");
    say(r, "**The compression** with stiffer and stiffer contacts: `moraine converge "
           "tests/validate/crosscheck-press.yaml --vary stiffness --seeds 6 -p coordination …`.\n\n"
           "| stiffness | coordination | backbone-coordination | solid fraction |\n"
           "|---|--:|--:|--:|\n");
    for (size_t i = 0; i < json_array_size(levels); i++)
        say(r, "| %s | %.3f | %.3f | %.4f |\n", text(json_array_get(levels, i), "label"),
            level_of(probe_of(root, 0), i, "mean"), level_of(probe_of(root, 1), i, "mean"),
            level_of(probe_of(root, 2), i, "mean"));
    say(r,
        "\nThe coordination goes to %.2f ± %.2f (%s); method nonsmooth, where grains are rigid, "
        "has "
        "%.2f ± %.2f above. The softness of the first level is what made the methods differ.\n\n",
        limit, off, strcmp(text(p, "kind"), "found") == 0 ? "extrapolated" : text(p, "words"),
        rigid, half);
    check(r, "coordination of the limit less rigid, over both uncertainties",
          (limit - rigid) / hypot(off, half), -1, 1);
    take_plot(r, "softness", "coordination", "crosscheck-softness",
              "Coordination of the compressed packing against softness");
    json_decref(root);
}

static void threads(report *r)
{
    json_t *root = command(r, "converge --vary threads --levels 3", "gas", "threads");
    const json_t *levels = json_object_get(root, "levels");
    int differ = 0;
    const char *first = NULL;
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *hash =
            json_array_get(json_object_get(json_array_get(levels, i), "hashes"), 0);
        first = i == 0 ? json_string_value(hash) : first;
        differ += strcmp(first, json_string_value(hash)) != 0;
    }
    say(r,
        "**Threads**: the gas with 1, 2 and 4 (`--vary threads`) ends in the state %s each time.\n",
        first);
    check(r, "numbers of threads with other bits", differ, 0, 0);
    json_decref(root);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "crosscheck");
    double rigid, half;
    gas(&r);
    layer(&r);
    settle(&r);
    press(&r, &rigid, &half);
    ball(&r);
    packing(&r, rigid, half);
    threads(&r);
    return report_close(&r);
}
