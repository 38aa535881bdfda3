/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command and the quasi-static part: what `analyze` tells of a contact network, and runs
   without inertia: to their end, until the network gives way, stopped and resumed. */
/* ctest-labels: slow */
/* ctest-timeout: 120 */
#include <math.h>

#include "app/command.h"

/* Thirty disks pressed together with friction, then loaded along y by `RISE` of the pressure. */
static const char scene_text[] =
    "moraine: 1\n"
    "title: A few disks\n"
    "dimension: 2\n"
    "seed: 3\n"
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
    "    until: {unbalanced-force-ratio: 1e-5, probe: {name: pressure, above: 990 Pa}}\n"
    "    at-most: 1 s\n"
    "    cell: {control: {isotropic: 1 kPa, max-rate: 50 1/s}}\n"
    "  - name: load\n"
    "    method: quasistatic\n"
    "    interactions: [{between: any, friction: 0.3}]\n"
    "    cell: {control: {xx: {stress: 1 kPa}, yy: {stress: \"1000*(1 + 0.1*s)\"}}}\n"
    "    until: {time: 1 s}\n"
    "    quasistatic: {increments: 10}\n"
    "output: {every: 100 ms, contacts: true, probes-every: 100 ms}\n";

/* Ten disks under their weight between walls that stay. */
static const char pile_text[] =
    "moraine: 1\n"
    "title: A few disks in a box\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {rods: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e5 N/m, restitution: 0.1,\n"
    "                friction: 0.5}]\n"
    "damping: {local: 0.7}\n"
    "bodies:\n"
    "  - {name: rods, shape: {disk: {diameter: 1 cm}}, count: 10,\n"
    "     place: {fill: {box: [[0, 0], [3.5 cm, 6 cm]]}}}\n"
    "walls: [{name: box, box: {corners: [[0, 0], [3.5 cm, 8 cm]], open: top}}]\n"
    "stages: [{name: settle, until: {unbalanced-force-ratio: 1e-6}, at-most: 1 s}]\n"
    "output: {every: 50 ms}\n";

#define TOO_MUCH "stages.load.cell.control.yy.stress=\"1000*(1 + 4*s)\""

static int64_t loaded_at; /* step at which the quasi-static stage begins */

static void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static json_t *summary(const char *run)
{
    char path[256];
    snprintf(path, sizeof path, "%s/summary.json", run);
    char *text = slurp(work.path, path);
    json_t *s = parse(text);
    free(text);
    return s;
}

static const char *text_at(const json_t *o, const char *key)
{
    const char *t = json_string_value(json_object_get(o, key));
    if (t == NULL)
        fail_msg("no text '%s'", key);
    return t;
}

static double number_at(const json_t *o, const char *key)
{
    json_t *x = json_object_get(o, key);
    if (!json_is_number(x))
        fail_msg("no number '%s'", key);
    return json_number_value(x);
}

static int begin(void **unused)
{
    (void)unused;
    work = make_folder();
    write_text("disks.yaml", scene_text);
    write_text("pile.yaml", pile_text);
    moraine(0, "run", "disks.yaml", "--out", "disks", "-q", NULL);
    moraine(0, "run", "pile.yaml", "--out", "pile", "-q", NULL);
    json_t *s = summary("disks");
    json_t *load = json_array_get(json_object_get(s, "stages"), 1);
    loaded_at = (int64_t)number_at(load, "step-begin");
    json_decref(s);
    return 0;
}

/* ---- analyze ---- */

static void test_table(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "analyze", "disks", "--all", "--spectrum", "6", NULL);
    expect_text(o->out, "balanced to 1e-4               yes");
    expect_text(o->out, "N_l + h = D N_c + k");
    expect_text(o->out, "translation along x; 100 % of the grains move");
    expect_text(o->out, "some forces within Coulomb's cones bear the load");
    expect_text(o->out, "bulk modulus B");
    expect_text(o->out, "stability-without-geometry");
    expect_text(o->out, "slowest that vibrates");
    assert_null(strstr(o->out, "≠"));
    /* nothing asked for: the balance is predicted, the rest is not worked out */
    o = moraine(0, "analyze", "disks", NULL);
    expect_text(o->out, "largest net force / mean");
    assert_null(strstr(o->out, "rank of G"));
}

/* Every pair of force and displacement counts: rank, k and h fit together whatever the network. */
static void check_rigidity(const json_t *r)
{
    double unknowns = number_at(r, "unknowns"), rows = number_at(r, "rows");
    double k = number_at(r, "hypostatic"), h = number_at(r, "hyperstatic");
    assert_true(unknowns + h == rows + k);
    assert_true(number_at(r, "rank") == unknowns - k);
    assert_int_equal(json_array_size(json_object_get(r, "mechanisms")), (size_t)k);
}

static void test_json(void **unused)
{
    (void)unused;
    json_t *s =
        parse(moraine(0, "analyze", "disks", "--all", "--spectrum", "0", "--json", NULL)->out);
    json_t *r = json_object_get(s, "rigidity"), *m = json_object_get(s, "moduli");
    json_t *q = json_object_get(s, "stability"), *v = json_object_get(s, "spectrum");
    check_rigidity(r);
    /* 30 disks with 3 unknowns each, and xx, yy, xy of the cell; nothing but to go along */
    double rattlers = number_at(json_object_get(s, "equilibrium"), "rattlers");
    assert_true(number_at(r, "unknowns") == 3 * (30 - rattlers) + 3);
    assert_true(number_at(r, "trivial") == 2);
    assert_true(json_is_true(json_object_get(json_object_get(s, "equilibrium"), "good")));
    assert_true(json_is_true(json_object_get(json_object_get(s, "support"), "supportable")));
    assert_true(json_is_null(json_object_get(json_object_get(s, "support"), "factor")));
    assert_true(number_at(m, "bulk") > 0 && number_at(m, "bulk") < number_at(m, "voigt-bulk"));
    assert_non_null(json_object_get(m, "reuss-bulk")); /* null: the stress is not isotropic */
    assert_int_equal(json_array_size(json_object_get(m, "c")), 6);
    assert_true(json_is_true(json_object_get(q, "stable")));
    assert_non_null(json_object_get(s, "stability-without-geometry"));
    assert_true(number_at(v, "modes") == 3 * (30 - rattlers) && number_at(v, "zero") == 2);
    assert_non_null(json_object_get(v, "density"));
    json_decref(s);
}

/* Without friction the same disks have fewer rows and no rotations; held, the cell is not free. */
static void test_other_networks(void **unused)
{
    (void)unused;
    json_t *s =
        parse(moraine(0, "analyze", "disks", "--rigidity", "--frictionless", "--json", NULL)->out);
    json_t *r = json_object_get(s, "rigidity");
    check_rigidity(r);
    assert_true(number_at(r, "rows") == number_at(json_object_get(s, "equilibrium"), "contacts"));
    json_decref(s);
    s = parse(moraine(0, "analyze", "disks", "--rigidity", "--hold", "--json", NULL)->out);
    check_rigidity(json_object_get(s, "rigidity"));
    json_decref(s);
    s = parse(moraine(0, "analyze", "disks", "--moduli", "--cg", "--json", NULL)->out);
    assert_true(number_at(json_object_get(s, "moduli"), "bulk") > 0);
    json_decref(s);
    /* a frame tells the forces too, as the run stored its contacts */
    moraine(0, "analyze", "disks", "--rigidity", "--frame", "last", NULL);
}

static void test_modes(void **unused)
{
    (void)unused;
    moraine(0, "analyze", "disks", "--rigidity", "--modes", "k.vtu", NULL);
    char *text = slurp(work.path, "k.vtu");
    assert_int_equal(strncmp(text, "<?xml", 5), 0);
    expect_text(text, "UnstructuredGrid");
    free(text);
    moraine(0, "analyze", "disks", "--stability", "--modes", "soft.vtu", NULL);
    assert_true(there_is(work.path, "soft.vtu"));
    /* a pile between walls cannot move at all */
    expect_text(moraine(0, "analyze", "pile", "--rigidity", "--modes", "none.vtu", NULL)->out,
                "no mechanism to write");
    assert_false(there_is(work.path, "none.vtu"));
}

static void test_errors(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "analyze", "pile", "--moduli", NULL);
    expect_text(o->err, "need a periodic cell or servo walls");
    expect_text(o->err, "servo motion");
    expect_text(moraine(0, "analyze", "pile", "--all", NULL)->out,
                "need a periodic cell or servo walls");
    expect_text(moraine(2, "analyze", "disks", "--modes", "x.vtu", NULL)->err,
                "--modes needs --rigidity, --stability or --path");
    o = moraine(2, "analyze", "pile", "--frame", "last", "--rigidity", NULL);
    expect_text(o->err, "the trajectory holds no contacts");
    expect_text(o->err, "output: {contacts: true}");
    moraine(2, "analyze", "disks", "--spectrum", "-1", NULL);
    assert_false(there_is(work.path, "x.vtu"));
}

/* ---- runs ---- */

static void same_hash(const char *run, const char *other, const char *what)
{
    json_t *a = summary(run), *b = summary(other);
    if (strcmp(text_at(a, "hash"), text_at(b, "hash")) != 0)
        fail_msg("%s: %s and %s", what, text_at(a, "hash"), text_at(b, "hash"));
    assert_true(number_at(a, "step") == number_at(b, "step"));
    json_decref(a);
    json_decref(b);
}

/* Ten increments, each an equilibrium: at the end the stresses are those asked for. */
static void test_to_the_end(void **unused)
{
    (void)unused;
    json_t *s = summary("disks");
    json_t *load = json_array_get(json_object_get(s, "stages"), 1);
    assert_true(number_at(load, "step-end") == (double)loaded_at + 10);
    assert_true(fabs(number_at(load, "time-step") - 0.1) < 1e-12);
    expect_text(text_at(load, "reason"), "time-in-stage");
    /* where the time went, in both methods; and what the second one has to say */
    json_t *seconds = json_object_get(json_object_get(s, "cost"), "seconds");
    assert_true(number_at(seconds, "assembly") > 0 && number_at(seconds, "solve") > 0);
    assert_true(number_at(seconds, "forces") > 0);
    assert_null(json_object_get(seconds, "contacts"));
    assert_true(number_at(json_object_get(s, "quasistatic"), "increments") == 10);
    assert_null(json_object_get(s, "nonsmooth"));
    json_decref(s);
    s = parse(moraine(0, "analyze", "disks", "--json", NULL)->out);
    json_t *q = json_object_get(s, "equilibrium");
    /* what an increment leaves is second order in its displacements: far below this */
    assert_true(number_at(q, "net-force") < 1e-3 && number_at(q, "global") < 1e-3);
    assert_true(json_integer_value(json_object_get(q, "beyond")) == 0);
    json_decref(s);
}

/* Probes of the method are columns of runs in which a stage has it: empty before that stage. */
static void test_own_columns(void **unused)
{
    (void)unused;
    char *text = slurp(work.path, "disks/probes.csv"), *row = strchr(text, '\n');
    *row++ = '\0';
    int column = 0, named = 0;
    for (char *p = strtok(text, ","); p != NULL; p = strtok(NULL, ","), column++)
        named = strcmp(p, "instabilities") == 0 ? column : named;
    assert_true(named > 3);
    for (int k = 0; k < named; k++)
        row += strcspn(row, ",") + 1;
    assert_true(row[0] == ',' || row[0] == '\n');
    row[strlen(row) - 1] = '\0';
    char *last = strrchr(row, '\n');
    assert_non_null(last);
    for (; named > 0; named--)
        last += strcspn(last, ",") + 1;
    assert_true(last[0] == '0');
    free(text);
    text = slurp(work.path, "pile/probes.csv");
    assert_null(strstr(text, "instabilities"));
    free(text);
}

/* Five times the pressure along y is more than any network of these disks bears (its ratio of
   stresses would be that of a friction of 0.9). */
static void test_gives_way(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "run", "disks.yaml", "--out", "way", "-s", TOO_MUCH, NULL);
    expect_text(o->out, "Stopped: ");
    expect_text(o->err, "the contact network gives way at");
    expect_text(o->err, "contacts slide");
    expect_text(o->err, "quasistatic: {unstable: smooth}");
    json_t *s = summary("way");
    assert_string_equal(text_at(s, "status"), "not converged");
    expect_text(text_at(s, "message"), "gives way");
    assert_true(number_at(s, "step") > (double)loaded_at);
    assert_true(number_at(s, "step") < (double)loaded_at + 10);
    assert_string_not_equal(text_at(s, "hash"), "0000000000000000");
    json_decref(s);
    /* the last equilibrium is kept, and can be looked at */
    s = parse(moraine(0, "analyze", "way", "--rigidity", "--stability", "--json", NULL)->out);
    assert_true(number_at(json_object_get(s, "equilibrium"), "net-force") < 1e-3);
    json_decref(s);
}

static void test_threads(void **unused)
{
    (void)unused;
    moraine(0, "run", "disks.yaml", "--out", "one", "-q", "-t", "1", NULL);
    moraine(0, "run", "disks.yaml", "--out", "two", "-q", "-t", "2", NULL);
    same_hash("one", "two", "1 and 2 threads");
    same_hash("one", "disks", "threads as chosen");
}

/* OpenBLAS has other kernels, with other last bits, for newer processors: the command asks for the
   same ones everywhere. Matrices of 300 disks are large enough for them to differ (30 are not). */
static void test_one_blas(void **unused)
{
    (void)unused;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    static const char size[] = "cell.size=[19 cm, 19 cm]", count[] = "bodies.rods.count=300";
    static const char place[] = "bodies.rods.place={fill: {box: [[0, 0], [19 cm, 19 cm]]}}";
    unsetenv("OPENBLAS_CORETYPE");
    moraine(0, "run", "disks.yaml", "--out", "chosen", "-q", "-s", size, "-s", count, "-s", place,
            NULL);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    moraine(0, "run", "disks.yaml", "--out", "haswell", "-q", "-s", size, "-s", count, "-s", place,
            NULL);
    unsetenv("OPENBLAS_CORETYPE");
    same_hash("chosen", "haswell", "kernels of the BLAS");
#else
    skip();
#endif
}

/* Stopped before, at the beginning of and within the quasi-static stage. */
static void test_resume(void **unused)
{
    (void)unused;
    static const int after[] = {-200, 0, 1, 6};
    for (size_t k = 0; k < sizeof after / sizeof after[0]; k++) {
        char steps[32];
        snprintf(steps, sizeof steps, "%lld", (long long)loaded_at + after[k]);
        moraine(0, "run", "disks.yaml", "--out", "half", "-q", "--force", "--max-steps", steps,
                NULL);
        moraine(0, "run", "disks.yaml", "--out", "half", "-q", "--resume", NULL);
        same_hash("half", "disks", steps);
    }
}

/* Which contacts a stage without new ones began with is known after a resume. The load comes and
   goes, so that contacts open and close again. */
static void test_resume_of_a_network(void **unused)
{
    (void)unused;
    const char *closed = "stages.load.quasistatic.new-contacts=false";
    const char *swing = "stages.load.cell.control.yy.stress=\"1000*(1 + 0.3*sin(2*pi*s))\"";
    moraine(0, "run", "disks.yaml", "--out", "net", "-q", "-s", closed, "-s", swing, NULL);
    for (int after = 1; after < 10; after += 2) {
        char steps[32];
        snprintf(steps, sizeof steps, "%lld", (long long)loaded_at + after);
        moraine(0, "run", "disks.yaml", "--out", "half", "-q", "--force", "--max-steps", steps,
                "-s", closed, "-s", swing, NULL);
        moraine(0, "run", "disks.yaml", "--out", "half", "-q", "--resume", "-s", closed, "-s",
                swing, NULL);
        same_hash("half", "net", steps);
    }
}

/* With inertia, without, and with it again: a packing in equilibrium does not notice. */
static void test_there_and_back(void **unused)
{
    (void)unused;
    char text[sizeof scene_text + 200];
    const char *output = strstr(scene_text, "output:");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(output - scene_text), scene_text,
             "  - {name: rest, method: smooth, until: {time: 5 ms},\n"
             "     cell: {control: {xx: {stress: 1 kPa}, yy: {stress: 1.1 kPa}}}}\n",
             output);
    write_text("back.yaml", text);
    moraine(0, "run", "back.yaml", "--out", "back", "-q", NULL);
    json_t *s = summary("back");
    assert_int_equal(json_array_size(json_object_get(s, "stages")), 3);
    json_t *rest = json_array_get(json_object_get(s, "stages"), 2);
    assert_true(number_at(rest, "time-step") < 1e-3); /* of the contacts again */
    json_decref(s);
    s = parse(moraine(0, "analyze", "back", "--json", NULL)->out);
    /* what was left unbalanced, some 1e-4, swings */
    assert_true(number_at(json_object_get(s, "equilibrium"), "net-force") < 0.05);
    json_decref(s);
}

static void test_refusals(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "run", "pile.yaml", "-m", "quasistatic", "--out", "no", "-q", "-s",
                         "walls.box.motion={velocity: [0, 1 mm/s]}", NULL);
    expect_text(o->err, "wall 'box': method quasistatic has no walls that move as imposed");
    o = moraine(2, "run", "pile.yaml", "-m", "quasistatic", "--out", "no", "-q", "--force", "-s",
                "bodies.rods.shape={polygon: {diameter: 8 mm, sides: 5}}", NULL);
    expect_text(o->err, "method quasistatic has no polygons and polyhedra");
    expect_text(o->err, "moraine analyze");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_other_networks),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_to_the_end),
        cmocka_unit_test(test_own_columns),
        cmocka_unit_test(test_own_columns),
        cmocka_unit_test(test_gives_way),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_one_blas),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_of_a_network),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, begin, remove_folder);
}
