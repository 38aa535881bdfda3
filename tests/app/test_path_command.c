/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine analyze --path`: lattices and a column whose paths are known in closed form, a
   disordered packing beside limit analysis, what is written, what is refused. */
/* ctest-labels: slow */
/* ctest-timeout: 120 */
#include <math.h>

#include "app/command.h"

#define PI       3.14159265358979323846
#define PRESSURE 1000.0
#define KN       1e6
#define DIAMETER 0.01

/* Overlaps are such that the springs bear the pressure; dynamics takes out rounding. */
static const char lattice_head[] =
    "moraine: 1\n"
    "accuracy: fine\n"
    "title: A lattice\n"
    "dimension: %d\n"
    "materials: {rods: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, stiffness-ratio: %g,\n"
    "                restitution: 0.5, friction: %g}]\n"
    "stages:\n"
    "  - {name: begin, at-most: 20 us}\n"
    "  - {name: rest, until: {time: %s},\n"
    "     cell: {control: {isotropic: 1 kPa}}}\n";

/* Thirty disks pressed together with little friction, then given more. */
static const char disks_text[] =
    "moraine: 1\n"
    "title: A few disks\n"
    "dimension: 2\n"
    "seed: 2\n"
    "materials: {rods: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, stiffness-ratio: 0.5,\n"
    "                restitution: 0.3, friction: 0.1}]\n"
    "cell: {periodic: [x, y], size: [6 cm, 6 cm]}\n"
    "bodies:\n"
    "  - {name: rods, shape: {disk: {diameter: {uniform: [8 mm, 12 mm]}}}, count: 30,\n"
    "     place: {fill: {box: [[0, 0], [6 cm, 6 cm]]}}}\n"
    "time-step: {fraction: 0.2}\n"
    "damping: {local: 0.7}\n"
    "stages:\n"
    "  - name: press\n"
    "    until: {unbalanced-force-ratio: 1e-7, probe: {name: pressure, above: 999.99 Pa}}\n"
    "    at-most: 1 s\n"
    "    cell: {control: {isotropic: 1 kPa, max-rate: 50 1/s}}\n"
    "  - {name: rub, until: {unbalanced-force-ratio: 1e-7}, at-most: 1 s,\n"
    "     interactions: [{between: any, friction: 0.3}]}\n"
    "output: {every: 100 ms}\n";

/* Three disks on top of each other between a floor and a lid with a servo. */
static const char column_text[] =
    "moraine: 1\n"
    "title: A column\n"
    "dimension: 2\n"
    "materials: {rods: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, restitution: 0.3,\n"
    "                friction: 0.3}]\n"
    "bodies:\n"
    "  - {name: rods, shape: {disk: {diameter: 1 cm}},\n"
    "     place: {list: [[1 cm, 5 mm], [1 cm, 15 mm], [1 cm, 25 mm]]}}\n"
    "walls:\n"
    "  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}\n"
    "  - {name: lid, plane: {point: [0, 3 cm], normal: [0, -1]},\n"
    "     motion: {servo: {direction: [0, -1], force: 10 N}}}\n"
    "damping: {local: 0.7}\n"
    "stages: [{name: press, until: {time: 300 ms}}]\n"
    "%s";

static void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Distance of neighbours in the triangular lattice: N = P a / sqrt(3) = kn (d - a). */
static double triangular_spacing(void)
{
    return DIAMETER / (1 + PRESSURE / (sqrt(3) * KN));
}

/* Square: N = P a; simple cubic: N = P a^2 (its spacing solves a quadratic equation). */
static double square_spacing(int dimension)
{
    if (dimension == 2)
        return DIAMETER / (1 + PRESSURE / KN);
    double b = KN / PRESSURE;
    return 0.5 * (sqrt(b * b + 4 * b * DIAMETER) - b);
}

typedef struct lattice {
    int n[3];
    double step[3];
    bool shifted; /* every other row, by half a step */
} lattice;

static void write_lattice(const char *name, const lattice *l, double ratio, double mu,
                          const char *rest)
{
    char text[16384];
    int dimension = l->n[2] > 0 ? 3 : 2;
    size_t size = sizeof text, at = 0;
    at += (size_t)snprintf(text, size, lattice_head, dimension, ratio, mu, rest);
    at += (size_t)snprintf(text + at, size - at, "cell: {periodic: [x, y%s], size: [%.17g, %.17g",
                           dimension == 3 ? ", z" : "", l->n[0] * l->step[0], l->n[1] * l->step[1]);
    if (dimension == 3)
        at += (size_t)snprintf(text + at, size - at, ", %.17g", l->n[2] * l->step[2]);
    at += (size_t)snprintf(text + at, size - at,
                           "]}\nbodies:\n  - {name: rods, shape: {%s: {diameter: 1 cm}}, place: "
                           "{list: [",
                           dimension == 3 ? "sphere" : "disk");
    for (int k = 0; k < (dimension == 3 ? l->n[2] : 1); k++)
        for (int j = 0; j < l->n[1]; j++)
            for (int i = 0; i < l->n[0]; i++) {
                double x = (i + 0.25 + (l->shifted && j % 2 ? 0.5 : 0)) * l->step[0];
                at += (size_t)snprintf(text + at, size - at, "%s[%.17g, %.17g",
                                       i + j + k > 0 ? ", " : "", x, (j + 0.5) * l->step[1]);
                at += dimension == 3 ? (size_t)snprintf(text + at, size - at, ", %.17g]",
                                                        (k + 0.5) * l->step[2])
                                     : (size_t)snprintf(text + at, size - at, "]");
            }
    at += (size_t)snprintf(text + at, size - at, "]}}\n");
    assert_true(at < size);
    write_text(name, text);
}

/* Two paths to the end, asked for once: that of the triangular lattice, and that of the disks with
   all the files there are. */
static json_t *of_triangle, *of_disks;

#define TRIANGLE_MU 0.1
#define SQUARE_MU   0.3
#define RATIO       0.5

static double number_at(const json_t *o, const char *key)
{
    json_t *x = json_object_get(o, key);
    if (!json_is_number(x))
        fail_msg("no number '%s'", key);
    return json_number_value(x);
}

static const char *text_at(const json_t *o, const char *key)
{
    const char *t = json_string_value(json_object_get(o, key));
    if (t == NULL)
        fail_msg("no text '%s'", key);
    return t;
}

static void near(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("line %d: %.12g, not %.12g +- %.3g", line, got, want, tolerance);
}
#define NEAR(got, want, tolerance) near(got, want, tolerance, __LINE__)

/* The section of `analyze STATE --path LIST --rule RULE --json`; to be released. */
static json_t *path_of(const char *state, const char *list, const char *rule)
{
    json_t *s =
        parse(moraine(0, "analyze", state, "--path", list, "--rule", rule, "--json", NULL)->out);
    json_t *p = json_incref(json_object_get(s, "path"));
    if (p == NULL)
        fail_msg("no path in the JSON of %s", state);
    json_decref(s);
    return p;
}

static int begin(void **unused)
{
    (void)unused;
    char text[2048];
    double a = triangular_spacing(), b = square_spacing(2), c = square_spacing(3);
    lattice triangle = {{4, 4, 0}, {a, a * sqrt(0.75), 0}, true};
    lattice square = {{4, 4, 0}, {b, b, 0}, false}, cubic = {{3, 3, 3}, {c, c, c}, false};
    work = make_folder();
    write_lattice("triangle.yaml", &triangle, RATIO, TRIANGLE_MU, "20 ms");
    write_lattice("soon.yaml", &triangle, RATIO, TRIANGLE_MU, "20 us");
    write_lattice("square.yaml", &square, RATIO, SQUARE_MU, "20 ms");
    write_lattice("cubic.yaml", &cubic, RATIO, SQUARE_MU, "20 ms");
    write_text("disks.yaml", disks_text);
    snprintf(text, sizeof text, column_text, "");
    write_text("column.yaml", text);
    snprintf(text, sizeof text, column_text, "cell: {periodic: [x], size: [3 cm, 3 cm]}\n");
    write_text("between.yaml", text);
    static const char *const name[] = {"triangle", "soon",   "square", "cubic",
                                       "disks",    "column", "between"};
    for (size_t k = 0; k < sizeof name / sizeof name[0]; k++) {
        snprintf(text, sizeof text, "%s.yaml", name[k]);
        moraine(0, "run", text, "--out", name[k], "-q", NULL);
    }
    of_triangle = path_of("triangle", "yy", "coulomb");
    json_t *s = parse(moraine(0, "analyze", "disks", "--path", "yy", "--path-csv", "path.csv",
                              "--modes", "way.vtu", "--json", NULL)
                          ->out);
    of_disks = json_incref(json_object_get(s, "path"));
    json_decref(s);
    return of_disks == NULL;
}

static int end(void **unused)
{
    (void)unused;
    json_decref(of_triangle);
    json_decref(of_disks);
    remove_tree(work.path);
    return 0;
}

static const json_t *row_at(const json_t *path, size_t k)
{
    return json_array_get(json_object_get(path, "rows"), k);
}

static size_t rows_of(const json_t *path)
{
    return json_array_size(json_object_get(path, "rows"));
}

/* ---- the triangular lattice, pressed along y ---- */

/* Contacts along x bear N0; those at 60 degrees N1 and T. Per disk, of area V = a^2 sqrt(3)/2,
     V sigma_yy = 2 a s (N1 s + T c),   V sigma_xx = a N0 + 2 a c (N1 c - T s),
   s, c = sin, cos 60 degrees. One equation is missing: while they stick it is that of the springs,
     dN0 = -kn a e_x,  dN1 = -kn a (c^2 e_x + s^2 e_y),  dT = -kt a s c (e_y - e_x),
   then T = mu N1, until N0 = 0: sigma_yy/sigma_xx = tan 60 tan(60 + phi), tan phi = mu. No forces
   within the cones bear more: the mean of any over the translations and reflections of the lattice
   is of this kind. */
typedef struct closed {
    double a, v, s, c, kt, start;
    double ex, ey;    /* elastic, per unit of q                      */
    double slides_at; /* q                                           */
    double end;
} closed;

static closed closed_form(void)
{
    closed f = {.a = triangular_spacing(), .s = sqrt(0.75), .c = 0.5, .kt = RATIO * KN};
    double s = f.s, c = f.c, a = f.a;
    f.v = a * a * s;
    f.start = PRESSURE * a / sqrt(3);
    /* V dsigma_xx = A e_x + B e_y = 0, V dsigma_yy = B e_x + D e_y = V P */
    double aa = -KN * a * a - 2 * a * a * c * c * (KN * c * c + f.kt * s * s);
    double b = -2 * a * a * c * c * s * s * (KN - f.kt);
    double d = -2 * a * a * s * s * (KN * s * s + f.kt * c * c);
    f.ey = f.v * PRESSURE / (d - b * b / aa);
    f.ex = -b / aa * f.ey;
    double n = -KN * a * (c * c * f.ex + s * s * f.ey), t = -f.kt * a * s * c * (f.ey - f.ex);
    f.slides_at = TRIANGLE_MU * f.start / (t - TRIANGLE_MU * n);
    f.end = tan(PI / 3) * tan(PI / 3 + atan(TRIANGLE_MU)) - 1;
    return f;
}

/* Strains at q with Coulomb's rule: those of N0 and N1. */
static void closed_strains(const closed *f, double q, double *ex, double *ey)
{
    *ex = q * f->ex, *ey = q * f->ey;
    if (q <= f->slides_at)
        return;
    double mu = TRIANGLE_MU, s = f->s, c = f->c;
    double n1 = f->v * PRESSURE * (1 + q) / (2 * f->a * s * (s + mu * c));
    double n0 = f->v * PRESSURE / f->a - 2 * c * n1 * (c - mu * s);
    *ex = -(n0 - f->start) / (KN * f->a);
    *ey = (-(n1 - f->start) / (KN * f->a) - c * c * *ex) / (s * s);
}

static void check_triangle_end(const json_t *p, const closed *f)
{
    assert_true(json_is_true(json_object_get(p, "gives-way")));
    assert_string_equal(text_at(p, "end"), "unsupported");
    /* limit analysis to 1e-6, of a state whose stresses are right to 1e-7 */
    NEAR(number_at(p, "limit"), f->end, 1e-5 * f->end);
    /* the last part of an increment tried is 0.02/256, forces balance to 1e-6 */
    assert_true(number_at(p, "q") <= f->end * (1 + 1e-5));
    NEAR(number_at(p, "q"), f->end, 2 * 0.02 / 256);
    /* the inclined ones slide, those along x have just opened or are about to */
    NEAR(number_at(p, "sliding-percent"), 200.0 / 3, 1e-9);
    assert_true(number_at(p, "lost-percent") <= 100.0 / 3 + 1e-9);
}

static void test_triangle(void **unused)
{
    (void)unused;
    closed f = closed_form();
    json_t *p = of_triangle;
    check_triangle_end(p, &f);
    /* solutions are good to 1e-6, the state's stresses to 1e-7 */
    NEAR(number_at(p, "elastic-slope"), -PRESSURE / f.ey, 1e-5 * fabs(PRESSURE / f.ey));
    NEAR(number_at(p, "pressure"), PRESSURE, 1e-4);
    assert_true(f.slides_at > 0.4 && f.slides_at < 0.6);
    for (size_t k = 0; k < rows_of(p); k++) {
        const json_t *r = row_at(p, k);
        double q = number_at(r, "q"), ex, ey;
        closed_strains(&f, q, &ex, &ey);
        /* forces to 1e-6 of the mean: strains to as much of what that force strains, 6e-10,
           accumulated over 142 increments */
        NEAR(number_at(r, "strain.xx"), ex, 1e-7);
        NEAR(number_at(r, "strain.yy"), ey, 1e-7);
        NEAR(number_at(r, "strain.xy"), 0, 0);
        NEAR(number_at(r, "stress.yy"), PRESSURE * (1 + q), 1e-5 * PRESSURE * (1 + q));
        NEAR(number_at(r, "stress.xx"), PRESSURE, 1e-5 * PRESSURE);
        NEAR(number_at(r, "sliding-percent"), q > f.slides_at ? 200.0 / 3 : 0, 1e-9);
    }
    /* the forces are determined once contacts slide: the other rule ends there as well, and strains
       less along y, as contacts open */
    p = path_of("triangle", "yy", "associated");
    check_triangle_end(p, &f);
    double ex, ey;
    closed_strains(&f, number_at(p, "q"), &ex, &ey);
    assert_true(number_at(p, "strain.yy") > 0.98 * ey);
    json_decref(p);
}

/* The same by strain: the stress comes to the limit and stays. */
static void test_by_strain(void **unused)
{
    (void)unused;
    closed f = closed_form();
    json_t *p = path_of("triangle", "strain.yy=-1", "coulomb");
    assert_string_equal(text_at(p, "parameter"), "strain");
    assert_true(json_is_false(json_object_get(p, "gives-way")));
    assert_string_equal(text_at(p, "end"), "up-to");
    assert_null(json_object_get(p, "limit"));
    /* the increment that springs answer by 0.02 P */
    NEAR(number_at(p, "increment"), -0.02 * f.ey, 1e-5 * fabs(0.02 * f.ey));
    NEAR(number_at(p, "increments"), 250, 0);
    NEAR(number_at(p, "q"), -5 * f.ey, 5e-5 * fabs(f.ey));
    NEAR(number_at(p, "peak"), PRESSURE * (1 + f.end), 1e-4 * PRESSURE * (1 + f.end));
    NEAR(number_at(p, "lost-percent"), 100.0 / 3, 1e-9); /* those along x */
    NEAR(number_at(p, "strain.yy"), -number_at(p, "q"), 1e-12);
    const json_t *last = row_at(p, rows_of(p) - 1);
    NEAR(number_at(last, "stress.yy"), PRESSURE * (1 + f.end), 1e-4 * PRESSURE * (1 + f.end));
    NEAR(number_at(last, "stress.xx"), PRESSURE, 1e-5 * PRESSURE);
    json_decref(p);
}

/* The table of a path with two strains, the first of the list not the first of the cell. */
static const char *text_of_roles(void)
{
    outcome *o = moraine(0, "analyze", "triangle", "--path", "strain.yy=-1,strain.xx=0.5",
                         "--up-to", "1e-5", NULL);
    expect_text(o->out, "strain changes                 xx by 0.5 q, yy by -1 q");
    return o->out;
}

/* What is not named stays as the scene has it: stresses that it gives, the shape of the cell; =0
   says otherwise. With e_x held only springs and friction answer, and the slope is larger. */
static void test_roles(void **unused)
{
    (void)unused;
    closed f = closed_form();
    json_t *p = of_triangle;
    assert_true(number_at(json_object_get(p, "stress-changes"), "yy") == 1);
    assert_non_null(json_object_get(json_object_get(p, "free"), "xx"));
    assert_non_null(json_object_get(json_object_get(p, "held"), "xy"));
    json_t *s = parse(moraine(0, "analyze", "triangle", "--path", "stress.yy=2,strain.xx=0,xy=0",
                              "--up-to", "0.05", "--json", NULL)
                          ->out);
    p = json_object_get(s, "path");
    assert_true(number_at(json_object_get(p, "stress-changes"), "yy") == 2);
    assert_non_null(json_object_get(json_object_get(p, "held"), "xx"));
    assert_non_null(json_object_get(json_object_get(p, "free"), "xy"));
    double d = 2 * f.a * f.a * f.s * f.s * (KN * f.s * f.s + f.kt * f.c * f.c) / f.v;
    NEAR(number_at(p, "elastic-slope"), d, 1e-5 * d);
    expect_text(text_of_roles(), "elastic slope of yy");
    NEAR(number_at(p, "q"), 0.05, 0); /* three increments, the last one shorter */
    NEAR(number_at(p, "increments"), 3, 0);
    const json_t *last = row_at(p, 3);
    NEAR(number_at(last, "stress.yy"), 1.1 * PRESSURE, 1e-5 * PRESSURE);
    NEAR(number_at(last, "strain.yy"), -0.1 * PRESSURE / d, 1e-5 * 0.1 * PRESSURE / d);
    NEAR(number_at(last, "strain.xx"), 0, 0);
    assert_true(number_at(last, "stress.xx") > PRESSURE * 1.01);
    json_decref(s);
}

/* ---- square and cubic lattices, sheared ---- */

/* All contacts have |T| = q N: they slide together at q = mu, with either rule. Disks turn half as
   much as the cell shears: T = kt a gamma / 2, sigma = T / a (3D: / a^2). */
static void check_sheared(const char *state, const char *component, const char *rule, double slope,
                          double percent)
{
    char key[32];
    json_t *p = path_of(state, component, rule);
    NEAR(number_at(p, "elastic-slope"), slope, 1e-5 * slope);
    NEAR(number_at(p, "limit"), SQUARE_MU, 1e-5);
    assert_true(number_at(p, "q") <= SQUARE_MU * (1 + 1e-5));
    NEAR(number_at(p, "q"), SQUARE_MU, 2 * 0.02 / 256);
    assert_string_equal(text_at(p, "end"), "unsupported");
    assert_string_equal(text_at(p, "rule"), rule);
    NEAR(number_at(p, "sliding-percent"), percent, 1e-9);
    NEAR(number_at(p, "lost-percent"), 0, 0);
    snprintf(key, sizeof key, "strain.%s", component);
    const json_t *r = row_at(p, 10);
    NEAR(number_at(r, key), -0.2 * PRESSURE / slope, 1e-5 * PRESSURE / slope);
    json_decref(p);
}

static void test_sheared(void **unused)
{
    (void)unused;
    check_sheared("square", "xy", "coulomb", RATIO * KN / 2, 100);
    check_sheared("square", "xy", "associated", RATIO * KN / 2, 100);
    /* of the three directions two bear the shear */
    check_sheared("cubic", "xz", "coulomb", RATIO * KN / (2 * square_spacing(3)), 200.0 / 3);
}

/* ---- walls ---- */

/* Four springs in a row; taken off, the load ends at nothing. */
static void test_column(void **unused)
{
    (void)unused;
    json_t *p = path_of("column", "lid=-1", "coulomb");
    NEAR(number_at(p, "elastic-slope"), KN / 4, 1e-5 * KN / 4);
    NEAR(number_at(p, "limit"), 1, 1e-5);
    NEAR(number_at(p, "q"), 1, 2 * 0.02 / 256);
    assert_true(number_at(p, "q") <= 1 + 1e-5);
    assert_null(json_object_get(p, "pressure"));
    const json_t *r = row_at(p, 25); /* q = 0.5 */
    NEAR(number_at(r, "load.lid"), 5, 1e-6);
    NEAR(number_at(r, "displacement.lid"), -5 / (KN / 4), 1e-6 * 5 / (KN / 4));
    json_decref(p);
    /* and there is no end to what it bears */
    outcome *o = moraine(0, "analyze", "column", "--path", "lid", "--up-to", "1", NULL);
    expect_text(o->out, "lid by q of its load");
    expect_text(o->out, "limit analysis: q at most      no bound");
    expect_text(o->out, "up to q = 1 without giving way");
}

/* ---- a disordered packing ---- */

/* Limit analysis knows the associated rule alone: with it the path ends where no forces bear more,
   to the part of an increment that was tried last, 0.02/256, and gaps that have to close again
   (2e-3 for both; 3e-4 at most was seen in eight such packings). Coulomb's rule ends before, never
   beyond. */
static void test_disks(void **unused)
{
    (void)unused;
    json_t *a = path_of("disks", "yy", "associated"), *c = of_disks;
    double limit = number_at(c, "limit");
    NEAR(number_at(a, "limit"), limit, 0);
    NEAR(number_at(a, "q"), limit, 2e-3 * limit);
    assert_string_equal(text_at(a, "end"), "unsupported");
    assert_true(number_at(c, "q") > 0.5 * limit && number_at(c, "q") < 0.9 * limit);
    assert_string_equal(text_at(c, "end"), "unstable");
    assert_true(number_at(c, "sliding-percent") > 5 && number_at(c, "sliding-percent") < 80);
    json_decref(a);
    /* sigma_yy by q and sigma_xx by -q/2: the stresses come out so at every increment */
    json_t *p = path_of("disks", "yy=1,xx=-0.5", "coulomb");
    for (size_t k = 0; k < rows_of(p); k++) {
        const json_t *r = row_at(p, k);
        double q = number_at(r, "q");
        /* forces are balanced to 1e-6 of their mean, at every increment anew */
        NEAR(number_at(r, "stress.yy"), PRESSURE * (1 + q), 1e-4 * PRESSURE);
        NEAR(number_at(r, "stress.xx"), PRESSURE * (1 - 0.5 * q), 1e-4 * PRESSURE);
    }
    assert_true(number_at(p, "q") < limit);
    json_decref(p);
}

/* ---- what is written ---- */

static void check_csv_row(const char *head, char *line, const json_t *row)
{
    char *name, *value, *rest = line, *names = strdup(head), *more = names;
    size_t n = 0;
    assert_non_null(names);
    while ((name = strsep(&more, ",")) != NULL) {
        value = strsep(&rest, ",");
        assert_non_null(value);
        name[strcspn(name, " ")] = '\0'; /* the unit */
        double want = number_at(row, name);
        NEAR(strtod(value, NULL), want, 1e-14 * fabs(want)); /* 15 digits */
        n++;
    }
    assert_null(rest);
    assert_int_equal(n, json_object_size(row));
    free(names);
}

static void test_csv_is_json(void **unused)
{
    (void)unused;
    json_t *p = of_disks;
    char *text = slurp(work.path, "path.csv"), *rest = text, *line;
    char *head = strsep(&rest, "\n");
    expect_text(head, "q,sliding-percent,lost-percent,stress.xx [Pa],strain.xx,stress.yy [Pa]");
    size_t k = 0;
    while ((line = strsep(&rest, "\n")) != NULL && line[0] != '\0')
        check_csv_row(head, line, row_at(p, k++));
    assert_int_equal(k, rows_of(p));
    assert_true(number_at(p, "increments") == (double)k - 1);
    assert_true(number_at(row_at(p, 0), "q") == 0);
    assert_true(number_at(row_at(p, k - 1), "q") == number_at(p, "q"));
    NEAR(number_at(row_at(p, 1), "q"), 0.02, 0);
    free(text);
}

/* Everything that the page promises. */
static void test_schema(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rule", "parameter", "verdict", "end", "message"};
    static const char *const numbers[] = {
        "pressure",  "elastic-slope", "increment",  "up-to",           "q",
        "limit",     "limit-gap",     "increments", "sliding-percent", "lost-percent",
        "strain.xx", "strain.yy",     "iterations"};
    static const char *const maps[] = {"stress-changes", "strain-changes", "free", "held"};
    json_t *p = of_disks;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        text_at(p, words[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        number_at(p, numbers[k]);
    for (size_t k = 0; k < sizeof maps / sizeof maps[0]; k++)
        assert_true(json_is_object(json_object_get(p, maps[k])));
    assert_true(json_is_boolean(json_object_get(p, "gives-way")));
    assert_true(json_is_array(json_object_get(p, "rows")));
    NEAR(number_at(p, "increment"), 0.02, 0);
    NEAR(number_at(p, "up-to"), 5, 0);
}

/* At most twenty rows, the first and the last among them. */
static void test_table(void **unused)
{
    (void)unused;
    char last[32];
    snprintf(last, sizeof last, "%.5g ", number_at(of_triangle, "q"));
    outcome *o = moraine(0, "analyze", "triangle", "--path", "yy", NULL);
    expect_text(o->out, "yy by q P");
    expect_text(o->out, "free, stress stays             xx");
    expect_text(o->out, "held, strain stays             xy");
    expect_text(o->out, "no forces within Coulomb's cones bear more with these contacts");
    const char *head = strstr(o->out, "stress.yy [Pa]");
    assert_non_null(head);
    head = strchr(head, '\n') + 1;
    int lines = 0;
    const char *at = head, *begin_of_last = head;
    for (; *at != '\0'; at = strchr(at, '\n') + 1, lines++)
        begin_of_last = at;
    assert_int_equal(lines, 20);
    assert_int_equal(strtod(head, NULL), 0);
    expect_text(begin_of_last, last);
}

static void test_mode(void **unused)
{
    (void)unused;
    char *text = slurp(work.path, "way.vtu");
    expect_text(text, "UnstructuredGrid");
    expect_text(text, "gives way");
    free(text);
    outcome *o = moraine(0, "analyze", "disks", "--path", "yy", "--up-to", "0.04", "--modes",
                         "none.vtu", NULL);
    expect_text(o->out, "there is no mode to write");
    assert_false(there_is(work.path, "none.vtu"));
}

/* ---- what is refused ---- */

static void refused(const char *state, const char *list, const char *words, const char *hint)
{
    outcome *o = moraine(2, "analyze", state, "--path", list, NULL);
    expect_text(o->err, words);
    expect_text(o->err, hint);
}

static void test_lists(void **unused)
{
    (void)unused;
    refused("disks", "yx", "there is no 'yx' (character 1)", "did you mean 'xy'?");
    refused("disks", "xx,yyy=2", "there is no 'yyy' (character 4)", "did you mean 'yy'?");
    refused("disks", "q", "there is no 'q'", "there are xx, yy, xy");
    refused("disks", "yy,zz", "zz (character 4): the state is 2D", "there are xx, yy, xy");
    refused("disks", "yz", "yz (character 1): the state is 2D", "there are xx, yy, xy");
    refused("disks", "yy=", "\"\" after yy= (character 1) is not a number", "--help");
    refused("disks", "xx=1,yy=2kPa", "\"2kPa\" after yy= (character 6)", "--help");
    refused("disks", "yy=nan", "is not a number", "--help");
    refused("disks", "yy,,xx", "no component at character 4 of \"yy,,xx\"", "--help");
    refused("disks", "", "no component at character 1", "strain.yy=-1");
    refused("disks", "=1", "no component at character 1", "--help");
    refused("disks", "yy,xx,stress.yy=2", "yy stands twice (characters 1 and 7)", "--help");
    refused("disks", "yy=0,xx=0", "nothing changes", "rate other than 0");
    refused("disks", "yy,strain.xx=1", "cannot change together", "=0");
}

static void test_unknowns(void **unused)
{
    (void)unused;
    refused("column", "yy", "yy (character 1): the state has no periodic cell", "there is lid");
    refused("column", "lidd", "there is no 'lidd'", "did you mean 'lid'?");
    refused("column", "floor", "wall 'floor' (character 1) has no servo", "servo motion");
    refused("column", "strain.lid", "is a wall and has no strain", "lid=1");
    refused("between", "yy", "the cell is not periodic along y", "lid, xx");
    refused("between", "xy", "the cell is not periodic along y", "lid, xx");
    /* a lid that stands where the other came to rest: 10 N press four springs by 40 um */
    char text[2048], fixed[2048];
    snprintf(text, sizeof text, column_text, "");
    char *motion = strstr(text, ",\n     motion"), *damping = strstr(text, "damping");
    assert_true(motion != NULL && damping != NULL);
    snprintf(fixed, sizeof fixed, "%.*s}\n%s", (int)(motion - text), text, damping);
    write_text("fixed.yaml", fixed);
    moraine(0, "run", "fixed.yaml", "--out", "fixed", "-q", "-s",
            "walls.lid.plane.point=[0, 29.96 mm]", NULL);
    refused("fixed", "yy", "neither a periodic cell nor servo walls", "servo motion");
}

static void test_options(void **unused)
{
    (void)unused;
    static const char *const alone[][2] = {{"--rule", "coulomb"},
                                           {"--increment", "0.1"},
                                           {"--up-to", "1"},
                                           {"--balanced", "0.1"},
                                           {"--path-csv", "x.csv"}};
    for (size_t k = 0; k < sizeof alone / sizeof alone[0]; k++)
        expect_text(moraine(2, "analyze", "disks", alone[k][0], alone[k][1], NULL)->err,
                    "belongs to --path LIST");
    assert_false(there_is(work.path, "x.csv"));
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--rule", "asociated", NULL)->err,
                "did you mean \"associated\"?");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--frictionless", NULL)->err,
                "--path and --frictionless do not go together");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--hold", NULL)->err,
                "--path and --hold do not go together");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--increment", "0", NULL)->err,
                "is not between");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--increment", "1e-9", NULL)->err,
                "more than 1e6");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--up-to", "0.02", "--path-csv",
                        "no/x.csv", NULL)
                    ->err,
                "no/x.csv");
    expect_text(moraine(2, "analyze", "disks", "--path", "yy", "--frame", "last", NULL)->err,
                "the trajectory holds no contacts");
}

/* A lattice that swings under its servo is off by some percent: said how far, and what to do. */
static void test_not_at_rest(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "analyze", "soon", "--path", "yy", NULL);
    expect_text(o->err, "the state is not in equilibrium");
    expect_text(o->err, "walls and cell 0.0");
    expect_text(o->err, "prepare it");
    expect_text(o->err, "--balanced 1e-02");
    json_t *s = parse(moraine(0, "analyze", "soon", "--path", "yy", "--balanced", "0.01", "--up-to",
                              "0.1", "--json", NULL)
                          ->out);
    const json_t *p = json_object_get(s, "path"), *r = row_at(p, 5);
    /* from the stresses that are there, not those that the scene asks for */
    double pressure = number_at(p, "pressure");
    assert_true(fabs(pressure - PRESSURE) > 0.01 * PRESSURE);
    NEAR(number_at(r, "stress.yy"), 1.1 * pressure, 1e-5 * pressure);
    NEAR(number_at(r, "stress.xx"), pressure, 1e-5 * pressure);
    json_decref(s);
    /* wrong names come first */
    refused("soon", "yz", "the state is 2D", "there are");
}

static void test_nothing_bears(void **unused)
{
    (void)unused;
    moraine(0, "run", "disks.yaml", "--out", "loose", "-q", "-s",
            "stages.press={name: press, until: {time: 10 us}}", NULL);
    refused("loose", "yy", "no grain bears a force", "no network to follow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),      cmocka_unit_test(test_by_strain),
        cmocka_unit_test(test_roles),         cmocka_unit_test(test_sheared),
        cmocka_unit_test(test_column),        cmocka_unit_test(test_disks),
        cmocka_unit_test(test_csv_is_json),   cmocka_unit_test(test_schema),
        cmocka_unit_test(test_table),         cmocka_unit_test(test_mode),
        cmocka_unit_test(test_lists),         cmocka_unit_test(test_unknowns),
        cmocka_unit_test(test_options),       cmocka_unit_test(test_not_at_rest),
        cmocka_unit_test(test_nothing_bears),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
