/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine track: writes the scene of a portion of track: ballast poured in layers with shoulder and
   slope, sleepers lowered onto it, a load. The scene is a text to be read and changed. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "ballast.h"
#include "moraine/ballast.h"

static const mrn_app_page page = {
    .usage = "track FILE.yaml [options]",
    .doc =
        "Writes a scene: stones of a category of EN 13450 fall in layers, each as wide as the\n"
        "section of the bed at its height; sleepers are lowered onto them; then the load.\n"
        "3D is half a track (y = 0 is its middle, a plane without friction; half sleepers are\n"
        "held against what the other half would not let happen), or with --slice a slice\n"
        "beneath a rail seat between two such planes. 2D is --section across: the same half\n"
        "track cut across, one block on a bed with a shoulder; or --section along: sleepers\n"
        "seen from the side, stones between. Lengths in m, loads in kN for half a sleeper (in\n"
        "2D they are spread over the thickness that bears: sleeper width, or half length).\n"
        "Loads: haversine and sine (--min-load to --max-load at --frequency), train (cars\n"
        "with --axle-load at --speed; a foundation of 30 MPa, rails UIC 60), constant, push\n"
        "(sideways, growing to --max-load, to measure lateral resistance), none.\n"
        "--compact shakes the bed before the sleepers come; --target-density does so with little\n"
        "friction until the bed is as dense as asked (beds with upright ends alone). --tamp\n"
        "(nonsmooth, upright ends) lifts the sleeper before the load, and tines on both sides are\n"
        "pushed in, vibrate at 35 Hz and squeeze stones beneath it, by motors of limited force.",
    .examples = "moraine track slice.yaml --slice 0.5 --cycles 100\n"
                "moraine track quick.yaml --dimension 2 --cycles 200 --frequency 20\n"
                "moraine track train.yaml --load train --axle-load 225 --speed 44\n"
                "moraine track tamped.yaml --dimension 2 --section along --spacing 0.8 --tamp 0.03",
};

typedef struct track {
    const char *file, *category, *method, *section, *ends, *sub, *load;
    int64_t dimension, sleepers, cycles, seed;
    double depth, shoulder, slope, spacing, half, width, height, slice, coarse, friction,
        elongation, flatness, angularity, min_load, max_load, frequency, axle, speed, compact,
        target, tamp, tolerance, stiffness;
    bool force;
} track;

static track usual(void)
{
    return (track){.category = "E",
                   .method = "nonsmooth",
                   .section = "across",
                   .ends = "symmetry",
                   .sub = "rigid",
                   .load = "haversine",
                   .dimension = 3,
                   .sleepers = 1,
                   .cycles = 50,
                   .seed = 1,
                   .depth = 0.3,
                   .shoulder = 0.4,
                   .slope = 1.5,
                   .spacing = 0.6,
                   .half = 1.3,
                   .width = 0.26,
                   .height = 0.2,
                   .coarse = 1,
                   .friction = 0.7,
                   .elongation = 0.75,
                   .flatness = 0.7,
                   .angularity = 0.8,
                   .min_load = 2,
                   .max_load = 40,
                   .frequency = 20,
                   .axle = 225,
                   .speed = 44,

                   .tolerance = 1e-4};
}

#define LENGTH_OPTION(n, t, d)                                                                     \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_NUMBER, .target = &t, .arg = "M", .min = 1e-3, .max = 100,      \
        .doc = d                                                                                   \
    }
#define NUMBER_OPTION(n, t, a, lo, hi, d)                                                          \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_NUMBER, .target = &t, .arg = a, .min = lo, .max = hi, .doc = d  \
    }
#define CHOICE_OPTION(n, t, list, d)                                                               \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_CHOICE, .target = &t, .arg = "WORD", .choices = list,           \
        .n_choices = sizeof list / sizeof *list, .doc = d                                          \
    }

static int parse(int argc, char **argv, track *t)
{
    static const char *const categories[] = {"A", "B", "C", "D", "E", "F"};
    static const char *const methods[] = {"nonsmooth", "smooth"};
    static const char *const sections[] = {"across", "along"};
    static const char *const ends[] = {"symmetry", "periodic"};
    static const char *const subs[] = {"rigid", "elastic", "smooth-plane"};
    static const char *const loads[] = {"haversine", "sine", "train", "constant", "push", "none"};
    const mrn_app_option table[] = {
        {.name = "dimension",
         .letter = 'd',
         .kind = MRN_OPT_INTEGER,
         .target = &t->dimension,
         .arg = "2|3",
         .min = 2,
         .max = 3,
         .doc = "2: polygons, quick; 3: polyhedra (else)."},
        CHOICE_OPTION("section", t->section, sections, "2D: across the track (else), or along it."),
        CHOICE_OPTION("method", t->method, methods, "nonsmooth: rigid stones (else); smooth."),
        CHOICE_OPTION("category", t->category, categories, "Ballast of EN 13450; else E."),
        CHOICE_OPTION("ends", t->ends, ends,
                      "Ends along the track: planes without friction (else), or periodic."),
        CHOICE_OPTION("sub", t->sub, subs,
                      "What the bed lies on: rigid and rough (else), elastic and rough, or a plane "
                      "without friction."),
        CHOICE_OPTION("load", t->load, loads, "The load; else haversine."),
        {.name = "sleepers",
         .kind = MRN_OPT_INTEGER,
         .target = &t->sleepers,
         .arg = "N",
         .min = 1,
         .max = 50,
         .doc = "Sleepers along the track; else 1. The middle one is loaded."},
        {.name = "cycles",
         .kind = MRN_OPT_INTEGER,
         .target = &t->cycles,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Cycles of the load, or trains; else 50."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &t->seed,
         .arg = "N",
         .min = 0,
         .max = 1e18,
         .doc = "Seed of the stones; else 1."},
        LENGTH_OPTION("depth", t->depth, "Ballast beneath the sleeper; else 0.3."),
        LENGTH_OPTION("shoulder", t->shoulder, "Crest beyond the sleeper's end; else 0.4."),
        NUMBER_OPTION("slope", t->slope, "R", 0.1, 10, "Run of the slope per rise; else 1.5."),
        LENGTH_OPTION("spacing", t->spacing, "Distance of sleepers; else 0.6."),
        LENGTH_OPTION("half-length", t->half, "Half a sleeper's length; else 1.3."),
        LENGTH_OPTION("width", t->width, "Width of a sleeper; else 0.26."),
        LENGTH_OPTION("height", t->height, "Height of a sleeper; else 0.2."),
        LENGTH_OPTION("slice", t->slice, "3D: only so much across the track, without a shoulder."),
        NUMBER_OPTION("coarse", t->coarse, "F", 0.1, 10, "Stones larger by this; else 1."),
        NUMBER_OPTION("friction", t->friction, "MU", 0, 10, "Friction of stones; else 0.7."),
        NUMBER_OPTION("elongation", t->elongation, "V", 0.1, 1, "I/L of stones; else 0.75."),
        NUMBER_OPTION("flatness", t->flatness, "V", 0.1, 1, "S/I of stones (3D); else 0.7."),
        NUMBER_OPTION("angularity", t->angularity, "V", 0, 1, "0 rounded, 1 sharp; else 0.8."),
        NUMBER_OPTION("min-load", t->min_load, "KN", 0, 1e4, "Least load; else 2."),
        NUMBER_OPTION("max-load", t->max_load, "KN", 1e-6, 1e4, "Largest load; else 40."),
        NUMBER_OPTION("frequency", t->frequency, "HZ", 1e-3, 1e4, "Of the cycles; else 20."),
        NUMBER_OPTION("axle-load", t->axle, "KN", 1e-3, 1e4, "Of a train; else 225."),
        NUMBER_OPTION("speed", t->speed, "M/S", 1e-3, 200, "Of a train; else 44 (160 km/h)."),
        NUMBER_OPTION("compact", t->compact, "GAMMA", 1e-3, 100,
                      "Shake the bed for 1 s at 35 Hz with so many g before the sleepers come."),
        NUMBER_OPTION("target-density", t->target, "PHI", 0.3, 0.95,
                      "Shake it with friction 0.1 until its solid fraction is this, for 10 s at "
                      "most."),
        NUMBER_OPTION("tamp", t->tamp, "M", 1e-3, 0.2,
                      "Lift the sleeper by this and tamp beneath it before the load."),
        NUMBER_OPTION("tolerance", t->tolerance, "T", 1e-12, 0.1,
                      "Of the contact problems under load (nonsmooth); else 1e-4."),
        NUMBER_OPTION("stiffness", t->stiffness, "N/M", 1, 1e15,
                      "Stones give way where they touch (nonsmooth), by force over this; steps are "
                      "shorter then. Else rigid."),
        {.name = "force",
         .kind = MRN_OPT_FLAG,
         .target = &t->force,
         .doc = "Replace the file if it is there."},
    };
    int n, code = mrn_app_parse(&page, table, sizeof table / sizeof *table, argc, argv, &t->file, 1,
                                &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("track", "where to? Name the file of the scene: track.yaml");
    return code;
}

/* ---- geometry ---- */

static bool flat(const track *t)
{
    return t->dimension == 2;
}

static bool along(const track *t)
{
    return flat(t) && strcmp(t->section, "along") == 0;
}

/* As deep at its ends as in its middle. */
static bool upright(const track *t)
{
    return along(t) || (!flat(t) && t->slice > 0);
}

static bool periodic(const track *t)
{
    return strcmp(t->ends, "periodic") == 0;
}

static bool rigid(const track *t)
{
    return strcmp(t->method, "nonsmooth") == 0;
}

/* Along the track (of a section across: nothing). */
static double length_of(const track *t)
{
    return (double)t->sleepers * t->spacing;
}

/* Share of the region that balls (disks) around stones can be filled to with ease, as stones; and
   what they settle to. */
static double loose(const track *t)
{
    return flat(t) ? 0.34 : 0.1;
}
static double dense(const track *t)
{
    return flat(t) ? 0.8 : 0.56;
}

/* Tines, m: how wide, how long, how far from the sleeper they go in, and how far above what falls
   they wait: stones beside the sleeper come in between. */
static const double TINE = 0.03, TINE_LONG = 0.5, TINE_OFF = 0.04, TINE_ABOVE = 0.4;

static int check(const track *t)
{
    double diagonal = sqrt(t->half * t->half + t->width * t->width + t->height * t->height);
    double largest = 0.08 * t->coarse;
    if (flat(t) && t->slice > 0)
        return mrn_app_usage("track", "--slice is for 3D");
    if (flat(t) && !along(t) && (periodic(t) || t->sleepers > 1))
        return mrn_app_usage("track", "a section across the track shows one sleeper, and no ends");
    if (t->width >= t->spacing)
        return mrn_app_usage("track", "sleepers %g m wide do not fit %g m apart", t->width,
                             t->spacing);
    if (t->depth < 2 * largest)
        return mrn_app_usage("track",
                             "a bed of %g m holds less than two of the largest stones (%g m): "
                             "sleepers would stand in it, not on it",
                             t->depth, largest);
    if (t->slice > 0 && t->slice < 3 * largest)
        return mrn_app_usage("track", "a slice of %g m holds less than three stones", t->slice);
    if (t->max_load <= t->min_load && strcmp(t->load, "constant") != 0)
        return mrn_app_usage("track", "--max-load %g kN is not above --min-load %g kN", t->max_load,
                             t->min_load);
    if (t->target > 0 && !upright(t))
        return mrn_app_usage("track", "--target-density is found from the height of the bed, which "
                                      "needs upright ends: --slice, or --section along");
    if (t->tamp > 0 && (!upright(t) || !rigid(t)))
        return mrn_app_usage("track",
                             "--tamp needs room for tines between upright ends, and method "
                             "nonsmooth: --slice, or --dimension 2 --section along");
    if (t->stiffness > 0 && !rigid(t))
        return mrn_app_usage("track", "--stiffness is for method nonsmooth; contacts of method "
                                      "smooth have one (write another into the scene)");
    if (t->tamp > 0 && t->target > 0)
        return mrn_app_usage("track",
                             "--tamp needs to know when the sleeper lies, --target-density "
                             "takes as long as it takes: one of them");
    if (t->tamp > 0 && 0.5 * (t->spacing - t->width) < TINE + 0.1 * t->coarse)
        return mrn_app_usage(
            "track",
            "between sleepers %g m wide and %g m apart there is no room for a tine "
            "and stones: a larger --spacing",
            t->width, t->spacing);
    double body = along(t) ? hypot(t->width, t->height) : t->slice > 0 ? t->slice : diagonal;
    if (periodic(t) && length_of(t) < 2.01 * body)
        return mrn_app_usage("track",
                             "%lld sleepers are a cell of %g m, shorter than two sleepers from "
                             "corner to corner (%g m): more of them, or --ends symmetry",
                             (long long)t->sleepers, length_of(t), 2 * body);
    return -1;
}

/* ---- text ---- */

/* A corner, across and along the track and up, in the axes of the scene. */
static void corner(FILE *f, const track *t, double x, double y, double z)
{
    if (!flat(t))
        fprintf(f, "[%.4g, %.4g, %.4g]", x, y, z);
    else
        fprintf(f, "[%.4g, %.4g]", along(t) ? x : y, z);
}

/* How stones meet. */
static void law_of_stones(const track *t, char *to, size_t size)
{
    if (!rigid(t))
        snprintf(to, size, "law: linear, normal-stiffness: 2e7, restitution: 0.3");
    else if (t->stiffness > 0)
        snprintf(to, size, "law: rigid, stiffness: %g N/m, tangential-stiffness: %g N/m",
                 t->stiffness, 0.8 * t->stiffness);
    else
        snprintf(to, size, "law: rigid");
}

static bool loaded_by(const track *t, const char *load)
{
    return strcmp(t->load, load) == 0;
}

static bool cyclic(const track *t)
{
    return loaded_by(t, "haversine") || loaded_by(t, "sine");
}

/* Stones that give way need a step of 2.5 sqrt(m/k) at most, m of a stone of 40 mm: a contact then
   gives by some 0.15 of what bodies do, and tens of sweeps solve a problem however large the bed
   is. */
static double longest_step(const track *t)
{
    double d = 0.04 * t->coarse, m = 2700 * (flat(t) ? 0.8 * d * d : 0.5 * d * d * d);
    return t->stiffness > 0 ? 2.5 * sqrt(m / t->stiffness) : INFINITY;
}

static int64_t steps_of_a_cycle(const track *t)
{
    return (int64_t)fmax(20, 10 * ceil(0.1 / t->frequency / longest_step(t)));
}

static void write_step(FILE *f, const track *t)
{
    double step = fmin(loaded_by(t, "train") ? 2e-3 : 1e-3, longest_step(t));
    if (cyclic(t))
        fprintf(f, "    time-step: %.12g s    # %lld steps of a cycle\n",
                1 / t->frequency / (double)steps_of_a_cycle(t), (long long)steps_of_a_cycle(t));
    else if (step != 1e-3)
        fprintf(f, "    time-step: %.6g s\n", step);
}

/* Half width of the bed at height z. */
static double reach(const track *t, double z)
{
    if (t->slice > 0)
        return t->slice;
    return t->half + t->shoulder + t->slope * (t->depth - z);
}

static double top_of_fill(const track *t)
{
    return t->depth * dense(t) / loose(t);
}

static void write_head(FILE *f, const track *t)
{
    fprintf(f,
            "# Written by moraine track; change what you like.\n"
            "moraine: 1\n"
            "title: %s\n"
            "dimension: %d\n"
            "seed: %lld\n"
            "method: %s\n\n"
            "materials:\n"
            "  granite: {density: 2700 kg/m3}\n"
            "  concrete: {density: 2400 kg/m3}\n"
            "  ground: {density: 2000 kg/m3}\n"
            "  mirror: {density: 2000 kg/m3}    # planes of symmetry\n%s\n",
            "Track portion", (int)t->dimension, (long long)t->seed, t->method,
            t->tamp > 0 ? "  steel: {density: 7800 kg/m3}     # tines\n" : "");
    char law[200];
    law_of_stones(t, law, sizeof law);
    fprintf(f, "interactions:\n  - {between: any, %s, friction: %g}\n", law, t->friction);
    fprintf(f, "  - {between: [mirror, any], %s, friction: 0}\n", law);
    if (strcmp(t->sub, "elastic") == 0)
        fprintf(f,
                "  # each stone on the ground: a spring\n  - {between: [ground, any], %s, "
                "friction: %g}\n",
                rigid(t) ? "law: rigid, stiffness: 5e6 N/m"
                         : "law: linear, normal-stiffness: 5e6, restitution: 0.3",
                t->friction);
    else if (strcmp(t->sub, "smooth-plane") == 0)
        fprintf(f, "  - {between: [ground, any], %s, friction: 0}\n", law);
}

static void write_curve(FILE *f, const track *t)
{
    if (t->coarse == 1) {
        fprintf(f, "        sieve-size: {category: %s}\n", t->category);
        return;
    }
    const mrn_ballast_category *b = mrn_ballast_category_find(t->category);
    fprintf(f, "        # category %s, %g times as large\n        sieve-size: {sieve: [",
            t->category, t->coarse);
    for (int k = 0; k < MRN_BALLAST_SIEVES; k++) {
        double p = k == 0 ? 0 : 50 * (b->least[k] + b->most[k]);
        fprintf(f, "%s[%.4g mm, %.4g]", k > 0 ? ", " : "", 1e3 * t->coarse * b->sieve[k], p);
        if (p == 100)
            break;
    }
    fprintf(f, "]}\n");
}

static void write_stones(FILE *f, const track *t)
{
    enum { LAYERS = 4 };
    int n = along(t) || t->slice > 0 ? 1 : LAYERS;
    double grow = dense(t) / loose(t);
    fprintf(f, "\nbodies:\n");
    for (int k = 0; k < n; k++) {
        double lo = t->depth * k / n, hi = t->depth * (k + 1) / n;
        fprintf(f, "  - name: ballast%s\n    material: granite\n",
                n == 1 ? "" : (const char *[]){"-1", "-2", "-3", "-4"}[k]);
        if (k > 0) {
            fprintf(f, "    shape: *stone\n");
        } else {
            fprintf(f, "    shape: &stone\n      %s:\n", flat(t) ? "polygon" : "polyhedron");
            if (flat(t))
                fprintf(f, "        random: {elongation: %g, angularity: %g, variants: 40}\n",
                        t->elongation, t->angularity);
            else
                fprintf(f,
                        "        crushed: {elongation: %g, flatness: %g, angularity: %g, variants: "
                        "40}\n",
                        t->elongation, t->flatness, t->angularity);
            write_curve(f, t);
        }
        fprintf(f, "    solid-fraction: %g\n    place: {fill: {box: [", loose(t));
        corner(f, t, 0, 0, lo * grow);
        fprintf(f, ", ");
        corner(f, t, length_of(t), reach(t, 0.5 * (lo + hi)), hi * grow);
        fprintf(f, "]}}\n");
    }
}

static double hanging(const track *t)
{
    return top_of_fill(t) + 0.75 * t->height + 0.02;
}

static void write_sleepers(FILE *f, const track *t)
{
    double across = t->slice > 0 ? 0.98 * t->slice : t->half;
    double middle = t->slice > 0 ? 0.5 * t->slice : 0.5 * t->half;
    for (int k = 0; k < t->sleepers; k++) {
        double x = ((double)k + 0.5) * t->spacing;
        if (t->sleepers == 1 || k == t->sleepers / 2)
            fprintf(f, "  - name: sleeper\n");
        else
            fprintf(f, "  - name: sleeper-%d\n", k + 1);
        fprintf(f, "    material: concrete\n    shape: {%s: {box: ",
                flat(t) ? "polygon" : "polyhedron");
        corner(f, t, t->width, across, t->height);
        fprintf(f, "}}\n    place: {list: [");
        corner(f, t, x, middle, hanging(t));
        fprintf(f, "]}\n");
        if (rigid(t) && !flat(t))
            fprintf(f, "    hold: [y, rx, rz]    # as the other half of the track would\n");
        else if (rigid(t) && !along(t))
            fprintf(f, "    hold: [rz]    # as the other half of the track would\n");
        else if (t->tamp > 0)
            fprintf(f, "    hold: [rz]    # as the rails would\n");
    }
}

/* N per half sleeper; of 2D per metre of thickness. */
static double spread(const track *t, double kn)
{
    return 1e3 * kn / (!flat(t) ? 1 : along(t) ? t->half : t->width);
}

static double middle_sleeper(const track *t)
{
    int before = t->sleepers / 2;
    return (before + 0.5) * t->spacing;
}

/* A tine hangs on a carrier at its upper end, which a motor moves up and down; another moves the
   tine to and fro. Both are of limited force: rigid stones that jam stop them. A carrier is as
   heavy as its tine and near it, or the contact problems are badly scaled. */
static double tine_rests(const track *t)
{
    return top_of_fill(t) + 0.5 * TINE_LONG + TINE_ABOVE;
}

/* A box of steel at height z, in the middle of the slice. */
static void write_plate(FILE *f, const track *t, const char *what, const char *side,
                        const double size[3], double x, double z)
{
    fprintf(f, "  - {name: %s-%s, material: steel, shape: {%s: {box: ", what, side,
            flat(t) ? "polygon" : "polyhedron");
    corner(f, t, size[0], size[1], size[2]);
    fprintf(f, "}}, place: {list: [");
    corner(f, t, x, 0.5 * t->slice, z);
    fprintf(f, "]}}\n");
}

static void write_tines(FILE *f, const track *t)
{
    double off = 0.5 * t->width + TINE_OFF + 0.5 * TINE, z = tine_rests(t);
    for (int k = 0; k < 2 && t->tamp > 0; k++) {
        const char *side = k == 0 ? "left" : "right";
        double at = middle_sleeper(t) + (k == 0 ? -off : off);
        write_plate(f, t, "tine", side, (double[3]){TINE, 0.98 * t->slice, TINE_LONG}, at, z);
        write_plate(f, t, "carrier", side, (double[3]){0.1, 0.1, 0.1}, at, z + 0.5 * TINE_LONG);
    }
}

/* When the sleeper lies. */
static double fallen(const track *t)
{
    return 0.8 + sqrt(2 * top_of_fill(t) / 9.81) + 0.25 * top_of_fill(t);
}

static double lowered(const track *t)
{
    return 0.8 + (hanging(t) - t->depth) / 0.7;
}

/* Stages of tamping, s each. */
static const double TAMP_CRIB = 1.8, TAMP_LIFT = 0.4, TAMP_IN = 1.2, TAMP_SQUEEZE = 1, TAMP_OUT = 1;

/* When the sleeper lies on its bed. */
static double laid(const track *t)
{
    return fallen(t) + (t->compact > 0 ? 1.5 : 0) + lowered(t);
}

/* Stones beside the sleeper, as high as it is, for the tines to squeeze beneath it: they come
   when it lies. */
static void write_crib(FILE *f, const track *t)
{
    double x = middle_sleeper(t), free = 0.5 * t->width + 0.02 * t->coarse;
    double from = x - 0.5 * t->spacing, to = x + 0.5 * t->spacing;
    double mass = 2700 * dense(t) * t->height * 0.5 * (t->spacing - t->width);
    mass *= flat(t) ? 1 : t->slice;
    double low = t->depth + t->height + 0.15 * t->coarse, high = top_of_fill(t) + TINE_ABOVE - 0.05;
    for (int k = 0; k < 2 && t->tamp > 0; k++) {
        fprintf(f, "  - {name: crib-%s, material: granite, shape: *stone, place: {inlet: {box: [",
                k == 0 ? "left" : "right");
        corner(f, t, k == 0 ? from : x + free, 0, low);
        fprintf(f, ", ");
        corner(f, t, k == 0 ? x - free : to, t->slice, high);
        fprintf(f, "], mass-rate: %.4g, from: %.4g, until: %.4g}}}\n", mass, laid(t), laid(t) + 1);
    }
}

static void write_joints(FILE *f, const track *t)
{
    if (!(t->tamp > 0))
        return;
    double begin = laid(t) + TAMP_CRIB + TAMP_LIFT;
    /* from above the fill to 0.1 m beneath the lifted sleeper */
    double way = top_of_fill(t) + TINE_ABOVE - (t->depth + t->tamp - 0.1);
    double squeeze = begin + TAMP_IN, out = squeeze + TAMP_SQUEEZE, off = 0.5 * t->width + TINE_OFF;
    double force = spread(t, 15);
    fprintf(f, "\n# motors of the tines: t is the time of the run; as strong as 15 kN on half a "
               "sleeper\njoints:\n");
    for (int k = 0; k < 2; k++) {
        const char *side = k == 0 ? "left" : "right";
        double x = middle_sleeper(t) + (k == 0 ? -1 : 1) * (off + 0.5 * TINE);
        fprintf(
            f,
            "  - {name: lift-%s, slider: {between: [ground, carrier-%s], axis: %s, motor: "
            "{speed: \"%.4g*(step(t - %.4g) - step(t - %.4g)) + %.4g*(step(t - %.4g) - step(t - "
            "%.4g))\", limit: %.6g}}}\n",
            side, side, flat(t) ? "[0, 1]" : "[0, 0, 1]", -way / TAMP_IN, begin, squeeze,
            way / TAMP_OUT, out, out + TAMP_OUT, force);
        fprintf(f,
                "  - {name: squeeze-%s, slider: {between: [carrier-%s, tine-%s], axis: %s, "
                "point: ",
                side, side, side, flat(t) ? "[1, 0]" : "[1, 0, 0]");
        corner(f, t, x, 0.5 * t->slice, tine_rests(t) + 0.5 * TINE_LONG);
        fprintf(f,
                ", motor: {speed: \"0.8*sin(2*pi*35*t)*(step(t - %.4g) - step(t - %.4g)) + "
                "%.4g*(step(t - %.4g) - step(t - %.4g))\", limit: %.6g}}}\n",
                begin, out, (k == 0 ? 1 : -1) * 0.06, squeeze, out, force);
    }
}

static void write_walls(FILE *f, const track *t)
{
    const char *up = flat(t) ? "[0, 1]" : "[0, 0, 1]", *zero = flat(t) ? "[0, 0]" : "[0, 0, 0]";
    if (periodic(t))
        fprintf(f, "\ncell: {periodic: [x], size: [%.4g, 0%s]}\n", length_of(t),
                flat(t) ? "" : ", 0");
    fprintf(f, "\nwalls:\n  - {name: ground, material: ground, plane: {point: %s, normal: %s}}\n",
            zero, up);
    if (!along(t)) {
        fprintf(f, "  - {name: middle, material: mirror, plane: {point: %s, normal: %s}}\n", zero,
                flat(t) ? "[1, 0]" : "[0, 1, 0]");
        if (t->slice > 0)
            fprintf(f,
                    "  - {name: cut, material: mirror, plane: {point: [0, %.4g, 0], normal: [0, "
                    "-1, 0]}}\n",
                    t->slice);
    }
    if (!periodic(t) && (along(t) || !flat(t))) {
        fprintf(f, "  - {name: begin, material: mirror, plane: {point: %s, normal: %s}}\n", zero,
                flat(t) ? "[1, 0]" : "[1, 0, 0]");
        fprintf(f, "  - {name: end, material: mirror, plane: {point: ");
        corner(f, t, length_of(t), 0, 0);
        fprintf(f, ", normal: %s}}\n", flat(t) ? "[-1, 0]" : "[-1, 0, 0]");
    }
}

/* All sleepers by name with an acceleration upwards; the loaded one may have a force too. */
static void write_forces(FILE *f, const track *t, const char *indent, double lift, const char *load)
{
    bool first = true;
    for (int k = 0; k < t->sleepers; k++) {
        bool middle = t->sleepers == 1 || k == t->sleepers / 2;
        char name[40] = "sleeper";
        if (!middle)
            snprintf(name, sizeof name, "sleeper-%d", k + 1);
        if (lift != 0) {
            fprintf(f, "%s  - {group: %s, acceleration: [0, %s%g]}\n", indent, name,
                    flat(t) ? "" : "0, ", lift);
            first = false;
        }
        if (load != NULL && middle) {
            fprintf(f, "%s  - {group: %s, force: [0, %s%s]}\n", indent, name, flat(t) ? "" : "0, ",
                    load);
            first = false;
        }
    }
    if (first)
        fprintf(f, "%s  []\n", indent);
}

/* The load as a signal, and how long it lasts. */
static double write_load(const track *t, char *out, size_t size)
{
    double lo = spread(t, t->min_load), hi = spread(t, t->max_load), f = t->frequency;
    double n = (double)t->cycles;
    if (strcmp(t->load, "haversine") == 0)
        snprintf(out, size,
                 "{haversine: {min: %.6g, max: %.6g, frequency: %g, grow: 4}, scale: -1}", lo, hi,
                 f);
    else if (strcmp(t->load, "sine") == 0)
        snprintf(out, size,
                 "{sine: {mean: %.6g, amplitude: %.6g, frequency: %g, phase: -90 deg}, scale: -1}",
                 0.5 * (lo + hi), 0.5 * (hi - lo), f);
    else if (strcmp(t->load, "train") == 0) {
        double pass = (19.5 + 26.4 + 10 * sqrt(sqrt(4 * 6.4e6 / 30e6))) / t->speed;
        snprintf(out, size,
                 "{train: {axle-load: %.6g, axles: [0, 2.5, 17, 19.5], cars: 2, car-length: 26.4, "
                 "speed: %g, passes: %lld, interval: %.6g}, scale: %.6g}",
                 1e3 * t->axle, t->speed, (long long)t->cycles, 1.0001 * pass,
                 -0.5 * spread(t, 1) / 1e3);
        return n * 1.0001 * pass;
    } else if (strcmp(t->load, "constant") == 0) {
        snprintf(out, size, "\"%.6g*min(1, s/0.2)\"", -hi);
        return 2;
    } else {
        snprintf(out, size, "%.6g", -lo);
        return 0.5;
    }
    return n / f;
}

/* The sleeper is held where it was lifted to until the tines are out again. */
static void write_tamping(FILE *f, const track *t)
{
    fprintf(f,
            "  - {name: crib, until: {time: %.4g s}}\n"
            "  - {name: lift, damping: {global: 0}, bodies: {sleeper: {hold: [%s], drive: {%s: "
            "%.4g}}}, until: {time: %.4g s}}\n"
            "  - {name: insert, bodies: {sleeper: {hold: [%s]}}, until: {time: %.4g s}}\n"
            "  - {name: squeeze, until: {time: %.4g s}}\n"
            "  - {name: withdraw, until: {time: %.4g s}}\n"
            "  - {name: release, bodies: {sleeper: {hold: [%s]}}, damping: {global: 4 1/s}, until: "
            "{time: 0.5 s}}\n",
            TAMP_CRIB, flat(t) ? "x, rz" : "x, y, rx, ry, rz", flat(t) ? "y" : "z",
            t->tamp / TAMP_LIFT, TAMP_LIFT, flat(t) ? "x, y, rz" : "x, y, z, rx, ry, rz", TAMP_IN,
            TAMP_SQUEEZE, TAMP_OUT, flat(t) ? "rz" : "y, rx, rz");
}

/* Solid volume over area is depth times `dense`; over twice the height of its centre that is the
   solid fraction. */
static void write_target(FILE *f, const track *t)
{
    const char *up = flat(t) ? "y" : "z";
    fprintf(f,
            "  # until the centre of the stones is as low as in a bed of solid fraction %g\n"
            "  - name: compact\n    damping: {global: 0}\n    interactions: [{between: any, "
            "friction: 0.1}]\n    walls: {ground: {motion: {path: [0, %s{vibration: {gamma: %g, "
            "frequency: 35 Hz}}]}}}\n    until: {probe: {name: groups.ballast.position.%s, below: "
            "%.5g m}}\n    at-most: 10 s\n"
            "  - {name: rest, interactions: [{between: any, friction: %g}], walls: {ground: "
            "{motion: none}}, damping: {global: 4 1/s}, until: {time: 0.5 s}}\n",
            t->target, flat(t) ? "" : "0, ", t->compact > 0 ? t->compact : 2.0, up,
            0.5 * t->depth * dense(t) / t->target, t->friction);
}

/* About 20 frames or more; of cycles at whole ones and 0.38, so that they fall evenly on all parts
   of a cycle, wherever the stage begins. */
static double frames_every(const track *t, double last)
{
    return cyclic(t) ? (floor((double)t->cycles / 20) + 0.382) / t->frequency : last / 20;
}

static void write_stages(FILE *f, const track *t)
{
    char load[400];
    double g = 9.81, settle = fallen(t), lower = lowered(t);
    double last = write_load(t, load, sizeof load), part = 1 / t->frequency / 20;
    fprintf(f, "\ngravity: [0, %s-9.81 m/s2]\n\n# sleepers hang until the stones lie\nforces:\n",
            flat(t) ? "" : "0, ");
    write_forces(f, t, "", g, NULL);
    if (rigid(t))
        fprintf(f,
                "\nnonsmooth: {tolerance: 1e-4, theta: 1, form: closing, max-iterations: 20000}\n"
                "time-step: %s\n",
                t->tamp > 0 ? "0.5 ms    # tines are quick" : "1 ms");
    fprintf(f,
            "\nstages:\n"
            "  - {name: settle, damping: {global: 4 1/s}, %suntil: {time: %.4g s}}\n",
            rigid(t) ? "nonsmooth: {tolerance: 1e-3}, " : "", settle);
    if (t->target > 0)
        write_target(f, t);
    else if (t->compact > 0)
        fprintf(f,
                "  - name: compact\n    damping: {global: 0}\n    walls: {ground: {motion: {path: "
                "[0, %s{vibration: "
                "{gamma: %g, frequency: 35 Hz}}]}}}\n    until: {time: 1 s}\n"
                "  - {name: rest, walls: {ground: {motion: none}}, damping: {global: 4 1/s}, "
                "until: {time: 0.5 s}}\n",
                flat(t) ? "" : "0, ", t->compact);
    fprintf(f, "  - name: lower\n    forces:\n");
    write_forces(f, t, "    ", 6, NULL);
    fprintf(f, "    until: {time: %.4g s}\n", lower);
    if (t->tamp > 0)
        write_tamping(f, t);
    if (strcmp(t->load, "none") == 0)
        return;
    bool push = strcmp(t->load, "push") == 0;
    /* a bed that has shaken down shares a load out as it did one cycle ago; before that nothing is
       gained by it */
    bool again = t->cycles >= 100 && t->stiffness == 0 && cyclic(t);
    char tolerance[100] = "";
    if (rigid(t) && again)
        snprintf(tolerance, sizeof tolerance, "    nonsmooth: {tolerance: %g, cycle: %.6g s}\n",
                 t->tolerance, 1 / t->frequency);
    else if (rigid(t))
        snprintf(tolerance, sizeof tolerance, "    nonsmooth: {tolerance: %g}\n", t->tolerance);
    fprintf(f, "  - name: %s\n    damping: {global: 0}\n%s    forces:\n",
            push ? "ballasted" : "load", tolerance);
    write_forces(f, t, "    ", 0, load);
    if (rigid(t))
        write_step(f, t);
    fprintf(f, "    output: {every: %.6g s, probes-every: %.6g s, checkpoint-every: %.4g s}\n",
            frames_every(t, last), strcmp(t->load, "train") == 0 ? 4e-3 : part, fmax(1, last / 20));
    fprintf(f, "    until: {time: %.6g s}\n", last);
}

/* A push needs a force sideways that grows: the displacement tells when the bed gives way. */
static void write_push(FILE *f, const track *t)
{
    char load[200];
    double most = spread(t, t->max_load);
    if (strcmp(t->load, "push") != 0)
        return;
    snprintf(load, sizeof load, "%.6g", -spread(t, t->min_load));
    fprintf(
        f,
        "  # sideways, along the sleeper: grows to --max-load in 2 s; where it starts to slide is\n"
        "  # the lateral resistance (groups.sleeper.mean-%c)\n"
        "  - name: push\n    forces:\n      - {group: sleeper, force: [%s\"%.6g*s/2\", %s]}\n"
        "    until: {probe: {name: groups.sleeper.mean-%c, above: %.4g m}}\n    "
        "at-most: 2 s\n",
        flat(t) ? 'x' : 'y', flat(t) ? "" : "0, ", most, load, flat(t) ? 'x' : 'y',
        (t->slice > 0 ? 0.5 * t->slice : 0.5 * t->half) + 0.02);
}

static void write_output(FILE *f, const track *t)
{
    fprintf(
        f,
        "\noutput:\n  every: 100 ms\n  probes-every: 10 ms\n  checkpoint-every: 0.5 s\n"
        "  contacts: true\n"
        "  probes: [groups.sleeper.mean-%c, groups.sleeper.force.%c%s%s, solid-fraction,\n"
        "           coordination, energy-lost-normal, energy-lost-tangential, dissipated-energy,\n"
        "           walls.ground.force.%c%s]\n",
        flat(t) ? 'y' : 'z', flat(t) ? 'y' : 'z',
        strcmp(t->load, "push") != 0 ? ""
        : flat(t)                    ? ", groups.sleeper.mean-x, groups.sleeper.force.x"
                                     : ", groups.sleeper.mean-y, groups.sleeper.force.y",
        t->target == 0 ? ""
        : flat(t)      ? ", groups.ballast.position.y"
                       : ", groups.ballast.position.z",
        flat(t) ? 'y' : 'z', rigid(t) ? ", residual, unsolved, sweeps, overlap-max" : "");
}

static int write_scene(const track *t)
{
    mrn_message msg = {0};
    mrn_atomic_file a;
    if (!t->force && access(t->file, F_OK) == 0)
        return mrn_app_usage("track", "%s is there already; --force replaces it", t->file);
    if (mrn_atomic_open(t->file, &a, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    write_head(a.f, t);
    write_stones(a.f, t);
    write_sleepers(a.f, t);
    write_tines(a.f, t);
    write_crib(a.f, t);
    write_joints(a.f, t);
    write_walls(a.f, t);
    write_stages(a.f, t);
    write_push(a.f, t);
    write_output(a.f, t);
    if (mrn_atomic_commit(&a, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    mrn_scene scene = {0}; /* what was written must be a scene */
    mrn_status s = mrn_scene_read(t->file, NULL, 0, &scene, &msg);
    mrn_scene_destroy(&scene);
    if (s != MRN_OK)
        return mrn_app_report(&msg);
    printf("%s: `moraine check %s`, `moraine run %s`, then `moraine settle`\n", t->file, t->file,
           t->file);
    return MRN_EXIT_OK;
}

int mrn_cmd_track(int argc, char **argv)
{
    track t = usual();
    int code = parse(argc, argv, &t);
    if (code < 0)
        code = check(&t);
    return code < 0 ? write_scene(&t) : code;
}
