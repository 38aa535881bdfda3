/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot, report and view as commands: curves whose rates and fits are known, pages that are whole,
   refusals. */
/* ctest-labels: slow */
#include "app/command.h"
#include "app/markup.h"

static int begin(void **state)
{
    (void)state;
    work = make_folder();
    return 0;
}

static FILE *in_folder(const char *dir, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", work.path, dir);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", work.path, dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* mass = 2 t + 1 in stage one, then 5: rate 2 and 0; power = 3 t^-2; all exact. The rate that a run
   stores, from row to row, is another and not what `plot` shows. */
static void make_table(const char *dir)
{
    FILE *f = in_folder(dir, "probes.csv");
    fprintf(f, "time [s],step,stage,outlets.sink.mass [kg],outlets.sink.rate [kg/s],"
               "power [J],flat\n");
    for (int i = 0; i <= 40; i++) {
        double t = 0.1 * (i + 1);
        fprintf(f, "%.17g,%d,%s,%.17g,99,%.17g,7\n", t, i, i <= 20 ? "pour" : "rest",
                i <= 20 ? 2 * t + 1 : 5, 3 / (t * t));
    }
    fclose(f);
}

/* Value of a column of plot's table at the row nearest to a time. */
static double at_time(const char *file, double time)
{
    char *text = slurp(work.path, file), *line = strchr(text, '\n');
    double best = INFINITY, value = NAN;
    while (line != NULL && line[1] != '\0') {
        double t, v;
        if (sscanf(line + 1, "%*[^,],%*[^,],%lf,%lf", &t, &v) == 2 && fabs(t - time) < best) {
            best = fabs(t - time);
            value = v;
        }
        line = strchr(line + 1, '\n');
    }
    free(text);
    return value;
}

static void expect_file(const char *name, const char *words)
{
    char *text = slurp(work.path, name);
    expect_text(text, words);
    free(text);
}

static void rates(void **unused)
{
    (void)unused;
    make_table("a");
    moraine(0, "plot", "a", "outlets.sink.rate", "--window", "0.5", "--csv", "r.csv", "--out",
            "r.svg", NULL);
    /* a straight line is its own fit: to rounding (nine digits are written) */
    assert_true(fabs(at_time("r.csv", 1.0) - 2) < 1e-8);
    assert_true(fabs(at_time("r.csv", 3.5)) < 1e-8);
    expect_file("r.svg", "<svg");
    moraine(0, "plot", "a", "power.rate", "--stage", "rest", "--csv", "s.csv", "--out", "s.png",
            NULL);
    double t = 3.0, want = -6 / (t * t * t);
    /* window 2 s / 30 < 0.1 s: central differences, off by h^2/6 y''' = 0.01/6 * 72/t^5 */
    assert_true(fabs(at_time("s.csv", t) - want) < 0.01 / 6 * 72 / pow(t, 5) * 1.2);
}

static void fits(void **unused)
{
    (void)unused;
    make_table("a");
    outcome *o = moraine(0, "plot", "a", "power", "--fit", "power", "--log", "xy", NULL);
    expect_text(o->out, "a = 3 ± ");
    expect_text(o->out, "b = -2 ± ");
    assert_true(there_is(work.path, "a/plot.png"));
    o = moraine(0, "plot", "a", "outlets.sink.mass", "--fit", "line", "--stage", "pour", "--out",
                "f.svg", NULL);
    expect_text(o->out, "a = 1 ± ");
    expect_text(o->out, "b = 2 ± ");
    /* a probe against another: mass over power */
    moraine(0, "plot", "a", "power", "--against", "outlets.sink.mass", "--csv", "x.csv", "--out",
            "x.svg", NULL);
    assert_true(fabs(at_time("x.csv", 3) - 3) < 1e-8); /* mass 3 at t = 1 */
}

static void several_runs(void **unused)
{
    (void)unused;
    make_table("a");
    make_table("b");
    outcome *o = moraine(0, "plot", "a", "b", "power", "--out", "two.svg", NULL);
    expect_text(o->out, "2 curves");
    char *text = slurp(work.path, "two.svg");
    assert_true(strlen(text) > 500);
    free(text);
    expect_text(moraine(0, "plot", "a", NULL)->out, "outlets.sink.mass");
}

static void refusals(void **unused)
{
    (void)unused;
    make_table("a");
    expect_text(moraine(2, "plot", "a", "powr", NULL)->err, "did you mean power");
    expect_text(moraine(2, "plot", "a", "power", "flat", NULL)->err, "one axis cannot show both");
    expect_text(moraine(2, "plot", "power", NULL)->err, "no folder");
    expect_text(moraine(2, "plot", "a", "power", "--stage", "none", NULL)->err, "no stage none");
    expect_text(moraine(2, "plot", "a", "power", "--from", "9", NULL)->err, "no row");
    expect_text(moraine(2, "plot", "a", "flat", "--fit", "power", "--from", "4", NULL)->err,
                "fewer than three points");
    expect_text(moraine(2, "plot", "a", "power", "--fit", "cubic", NULL)->err,
                "there are: line, power, exponential");
    expect_text(moraine(2, "plot", "a", "power.rate", "--window", "-1", NULL)->err, "not between");
    expect_text(moraine(2, "report", "a", NULL)->err, "no summary.json");
    expect_text(moraine(2, "view", "nowhere", NULL)->err, "nothing to look at");
    expect_text(moraine(2, "view", "a", "--size", "3", NULL)->err, "need --export");
    moraine(2, "report", NULL);
    moraine(2, "plot", NULL);
    moraine(2, "view", NULL);
}

static const char scene[] =
    "moraine: 1\ntitle: 'Beads <script>alert(1)</script>'\ndimension: 3\n"
    "materials:\n  glass: {density: 2500, young: 1e6, poisson: 0.25}\n"
    "interactions:\n  - {between: [glass, glass], law: hertz-mindlin, restitution: 0.5, friction: "
    "0.4}\n"
    "bodies:\n  - {name: beads, shape: {sphere: {radius: 5 mm}}, count: 8, place: {fill: {box: "
    "[[0, 0, 0], [5 cm, 5 cm, 8 cm]]}}}\n"
    "walls:\n  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
    "gravity: [0, 0, -9.81]\nstages:\n  - {name: fall, until: {time: 0.1}}\n"
    "output: {every: 0.01, contacts: true, probes: [usual, walls.floor.force.z]}\n";

static void pages(void **unused)
{
    (void)unused;
    FILE *f = in_folder(".", "scene.yaml");
    fputs(scene, f);
    fclose(f);
    moraine(0, "run", "scene.yaml", "--out", "out", "--quiet", "--force", NULL);
    moraine(0, "report", "out", "--plot", "height", "--plot", "kinetic-energy/height", NULL);
    char *text = slurp(work.path, "out/report.html");
    assert_true(expect_markup(text) > 100);
    assert_null(strstr(text, "<script>"));
    expect_text(text, "Beads &lt;script&gt;");
    static const char *const parts[] = {"At a glance",
                                        "Pictures",
                                        "Plots",
                                        "Energy",
                                        "Warnings and checks",
                                        "Cost",
                                        "Scene",
                                        "data:image/png;base64,",
                                        "walls.floor.force.z",
                                        "kinetic-energy/height",
                                        "lost-normal",
                                        "Parameters",
                                        "gravity"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("the report lacks %s", parts[i]);
    free(text);
    expect_text(moraine(2, "report", "out", "--plot", "nothing", NULL)->err, "no column nothing");
    expect_text(moraine(2, "report", "out", "--stage", "nothing", NULL)->err, "no stage nothing");
    moraine(0, "report", "out", "--stage", "fall", NULL);
    moraine(0, "report", "out", "--no-pictures", "--out", "small.html", NULL);
    text = slurp(work.path, "small.html");
    assert_null(strstr(text, "image/png"));
    free(text);
}

/* Two groups are told apart by colour; the way of a lid to the grains is left out where it presses;
   probes.csv holds what was asked for. */
static void pressed(void **unused)
{
    (void)unused;
    FILE *f = in_folder(".", "press.yaml");
    fputs(
        "moraine: 1\nmaterials:\n  glass: {density: 2500, young: 1e6, poisson: 0.25}\n"
        "interactions:\n  - {between: any, law: hertz-mindlin, restitution: 0.5, friction: 0}\n"
        "bodies:\n"
        "  - {name: one, shape: {sphere: {radius: 5 mm}}, place: {list: [[0, 0, 5 mm]]}}\n"
        "  - {name: two, shape: {sphere: {radius: 5 mm}}, place: {list: [[2 cm, 0, 5 mm]]}}\n"
        "walls:\n  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
        "  - {name: lid, plane: {point: [0, 0, 2 cm], normal: [0, 0, -1]}, motion: {velocity: [0, "
        "0, -0.1 m/s]}}\n"
        "stages:\n  - {name: come, until: {time: 0.09}}\n  - {name: press, until: {time: 0.02}}\n"
        "output: {every: 0.005, probes: [walls.lid.force.z, walls.lid.position.z]}\n",
        f);
    fclose(f);
    moraine(0, "run", "press.yaml", "--out", "pressed", "--quiet", "--force", NULL);
    char *text = slurp(work.path, "pressed/probes.csv");
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, "time [s],step,stage,walls.lid.force.z [N],walls.lid.position.z [m]");
    free(text);
    moraine(0, "report", "pressed", NULL);
    text = slurp(work.path, "pressed/report.html");
    expect_text(text, "coloured by group");
    expect_text(text, "walls.lid.force.z in the last stage");
    free(text);
}

/* The last rows of a table: the sum of a column times another. */
static double sum_of(const char *file, const char *a, const char *b)
{
    char *text = slurp(work.path, file), *save = NULL, *line = strtok_r(text, "\n", &save);
    int at[2] = {-1, -1}, k = 0;
    double sum = 0;
    for (char *s = line, *next; s != NULL && *s != '\0'; s = next, k++) {
        next = s + strcspn(s, ",");
        if (*next != '\0')
            *next++ = '\0';
        s[strcspn(s, " ")] = '\0';
        at[0] = strcmp(s, a) == 0 ? k : at[0];
        at[1] = strcmp(s, b) == 0 ? k : at[1];
        if (k > 20)
            break;
    }
    assert_true(at[0] >= 0 && at[1] >= 0);
    while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
        double v[2] = {0, 0};
        for (int column = 0; line != NULL; column++) {
            for (int i = 0; i < 2; i++)
                v[i] = at[i] == column ? strtod(line, NULL) : v[i];
            line = strchr(line, ',');
            line = line != NULL ? line + 1 : NULL;
        }
        sum += v[0] * v[1];
    }
    free(text);
    return sum;
}

static void profiles(void **unused)
{
    (void)unused;
    FILE *f = in_folder(".", "scene.yaml");
    fputs(scene, f);
    fclose(f);
    moraine(0, "run", "scene.yaml", "--out", "out", "--quiet", "--force", NULL);
    /* all eight beads are in the bins, in every system: their mass, to the nine digits written */
    double mass = 8 * 2500 * 4.0 / 3 * MRN_PI * 125e-9;
    static const char *const over[][5] = {{"--over", "z:10", NULL},
                                          {"--over", "x:3,y:4,z:5", NULL},
                                          {"--about", "z@2.5cm,2.5cm,0", "--over", "r:4,angle:3"},
                                          {"--about", "1,1,0", NULL}};
    for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
        moraine(0, "profile", "out", "--stage", "fall", "--csv", "p.csv", over[i][0], over[i][1],
                over[i][2], over[i][3], NULL);
        assert_true(fabs(sum_of("p.csv", "density", "volume") / mass - 1) < 1e-7);
    }
    outcome *o = moraine(0, "profile", "out", "--over", "depth:5", "--from", "0.05", "--plot",
                         "velocity.z,speed", "--out", "p.svg", NULL);
    expect_text(o->out, "depth [m]");
    expect_file("p.svg", "<svg");
    moraine(0, "profile", "out", "--over", "x:3,z:4", "--vti", "p.vti", "--json", NULL);
    expect_file("p.vti", "ImageData");
    moraine(0, "profile", "out", "--over", "x:3,z:4", "--plot", "solid-fraction", "--out",
            "map.svg", NULL);
    expect_file("map.svg", "<svg");
    expect_text(moraine(2, "profile", "out", "--over", "x,z", "--plot", "speed,density", NULL)->err,
                "one quantity of a grid");
    expect_text(moraine(2, "profile", "out", "--over", "x,y,z", "--plot", "speed", NULL)->err,
                "one coordinate or two");
    expect_text(moraine(0, "profile", "out", "--line", "0,0,0:5cm,5cm,8cm", NULL)->out,
                "velocity.along");
    expect_text(moraine(2, "profile", "out", "--over", "r", NULL)->err, "x, y, z, depth");
    expect_text(moraine(2, "profile", "out", "--stage", "none", NULL)->err, "no stage none");
    expect_text(moraine(2, "profile", "out", "--from", "9", NULL)->err, "no frame");
    expect_text(moraine(2, "profile", "out", "--where", "x=2:1", NULL)->err, "is empty");
    expect_text(moraine(2, "profile", "out", "--where", "x", NULL)->err, "COORDINATE=LO:HI");
    expect_text(moraine(2, "profile", "out", "--over", "z:0", NULL)->err, "no number of bins");
    expect_text(moraine(2, "profile", "out", "--over", "z,z", NULL)->err, "twice");
    expect_text(moraine(2, "profile", "out", "--plot", "velocty.z", NULL)->err,
                "did you mean velocity.z");
    expect_text(moraine(2, "profile", "out", "--line", "0,0:0,0", NULL)->err, "no length");
    expect_text(moraine(2, "profile", "out", "--about", "q", NULL)->err, "X,Y,Z");
    expect_text(moraine(2, "profile", "nowhere", NULL)->err, "nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed), cmocka_unit_test(profiles),     cmocka_unit_test(rates),
        cmocka_unit_test(fits),    cmocka_unit_test(several_runs), cmocka_unit_test(refusals),
        cmocka_unit_test(pages),
    };
    return cmocka_run_group_tests(tests, begin, remove_folder);
}
