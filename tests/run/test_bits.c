/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same bits from every compiler, level of optimisation and instruction set: small scenes of
   every method, law, shape and drive, their final hashes compared with tests/bits/hashes.txt. Each
   build of `make test` but that for threads (gcc -O3 with AVX2, gcc -O1 under sanitizers, clang
   -O3; the last two for any x86-64) reads the same table; tools/same-bits.sh compares more builds
   and longer runs.

   When a scheme, the order of a sum or a scene here is changed on purpose, MRN_BITS_WRITE=FILE
   writes the new table. Scenes call the mathematical library (restitution, shaking, turning), whose
   last digits are its own: the table begins with a hash of what that returns, and with another
   library the cases are skipped; tests/smooth/test_golden.c needs none. */
/* ctest-labels: bits */
#include "run/helper.h"
#include "run/scenes_of_methods.h"

#define BITS MRN_TEST_SOURCE "/tests/bits/"
enum { SETS = 3, LAW = 256 };

/* ---- the mathematical library ---- */

static uint64_t with(uint64_t h, double x)
{
    return mrn_hash(h, &x, sizeof x);
}

static uint64_t library_hash(void)
{
    static double (*const one[])(double) = {sin, cos,  tan,  asin, acos, atan, exp,
                                            log, log2, cbrt, sinh, cosh, tanh};
    static double (*const two[])(double, double) = {pow, atan2, hypot};
    mrn_rng r = mrn_rng_seed(1, 1);
    uint64_t h = MRN_HASH_START;
    for (int i = 0; i < 2000; i++) {
        double x = mrn_rng_uniform(&r), y = 10 * mrn_rng_uniform(&r);
        for (size_t k = 0; k < sizeof one / sizeof *one; k++)
            h = with(h, one[k](x));
        for (size_t k = 0; k < sizeof two / sizeof *two; k++)
            h = with(h, two[k](x, y));
    }
    return h;
}

/* ---- the cases ---- */

typedef struct run_case {
    char name[80];
    const char *file, *text; /* one of the two */
    const char *set[SETS];
    int steps; /* at most; 0: to the end */
} run_case;

typedef struct law_case {
    const char *model, *parts, *values; /* parts: of a mixed law, or "" */
} law_case;

/* Every model, then parts that no model has. */
static const law_case LAWS[] = {
    {"linear", "", "normal-stiffness: 2e3, restitution: 0.6, friction: 0.3"},
    {"elastic", "", "normal-stiffness: 2e3, friction: 0.3"},
    {"elastic-viscous", "", "normal-stiffness: 2e3, restitution: 0.5, friction: 0.3"},
    {"hertz", "", "friction: 0.3"},
    {"hertz-mindlin", "", "restitution: 0.6, friction: 0.3"},
    {"viscoelastic", "", "relaxation-time: 2e-6, friction: 0.3"},
    {"walton-braun", "", "normal-stiffness: 2e3, restitution: 0.6, friction: 0.3"},
    {"hertz-mindlin-deresiewicz", "", "restitution: 0.6, friction: 0.3"},
    {"zheng", "", "eta1: 50, eta2: 20, friction: 0.3"},
    {"hertz-mindlin-rolling", "", "restitution: 0.6, friction: 0.3, rolling-friction: 0.1"},
    {"linear-rolling", "",
     "normal-stiffness: 2e3, restitution: 0.6, friction: 0.3, rolling-friction: 0.1"},
    {"jkr", "", "restitution: 0.6, friction: 0.3, surface-energy: 0.05"},
    {"dmt", "", "restitution: 0.6, friction: 0.3, surface-energy: 0.05"},
    {"liquid-bridge", "",
     "restitution: 0.6, friction: 0.3, surface-tension: 0.07, liquid-volume: 1e-12"},
    {"rigid", "", "restitution: 0.5, friction: 0.4, pivoting-friction: 0.02"},
    {"hertz-mindlin", "tangential: micro-slip-simple", "restitution: 0.6, friction: 0.3"},
    {"hertz-mindlin", "rolling: constant-torque, twisting: constant",
     "restitution: 0.6, friction: 0.3, rolling-friction: 0.1, twisting-friction: 0.05"},
    {"hertz-mindlin", "rolling: viscous-torque, twisting: elastic-plastic",
     "restitution: 0.6, friction: 0.3, rolling-viscosity: 0.1, twisting-friction: 0.05"},
    {"hertz-mindlin", "rolling: viscoelastic",
     "restitution: 0.6, friction: 0.3, relaxation-time: 2e-6"},
    {"hertz-mindlin", "cohesion: linear",
     "restitution: 0.6, friction: 0.3, cohesion-energy-density: 1e4"},
};
enum { N_LAWS = sizeof LAWS / sizeof *LAWS };

static run_case case_of_law(const law_case *l, char *words)
{
    run_case c = {.file = BITS "laws.yaml", .steps = 1500, .set = {words}};
    if (*l->parts != '\0')
        snprintf(words, LAW, "interactions=[{between: any, law: {model: %s, %s}, %s}]", l->model,
                 l->parts, l->values);
    else
        snprintf(words, LAW, "interactions=[{between: any, law: %s, %s}]", l->model, l->values);
    if (strcmp(l->model, "rigid") == 0)
        c.set[1] = "method=nonsmooth";
    snprintf(c.name, sizeof c.name, "law %s%s%s", l->model, *l->parts ? ", " : "", l->parts);
    return c;
}

static const run_case FILES[] = {
    {.name = "method event", .file = BITS "laws.yaml", .set = {"method=event"}, .steps = 1500},
    {.name = "method nonsmooth",
     .file = BITS "laws.yaml",
     .set = {"method=nonsmooth"},
     .steps = 1500},
    {.name = "integrator gear",
     .file = BITS "laws.yaml",
     .set = {"integrator=gear"},
     .steps = 1500},
    {.name = "integrator euler",
     .file = BITS "laws.yaml",
     .set = {"integrator=euler"},
     .steps = 1500},
    {.name = "walls smooth", .file = BITS "walls.yaml", .steps = 1500},
    {.name = "walls nonsmooth",
     .file = BITS "walls.yaml",
     .set = {"method=nonsmooth", "time-step=0.2 ms"},
     .steps = 150},
    {.name = "walls, contacts that give way",
     .file = BITS "walls.yaml",
     .set = {"method=nonsmooth", "time-step=0.2 ms",
             "interactions=[{between: any, law: rigid, friction: 0.4, stiffness: 2e3 N/m, "
             "tangential-stiffness: 1.6e3 N/m}]"},
     .steps = 150},
    {.name = "drives", .file = BITS "drives.yaml", .steps = 1500},
    {.name = "drives by gear",
     .file = BITS "drives.yaml",
     .set = {"integrator=gear"},
     .steps = 1500},
    {.name = "cell", .file = BITS "cell.yaml", .steps = 1500},
    {.name = "joints", .file = BITS "joints.yaml", .steps = 200},
    {.name = "joints, exchanged velocities",
     .file = BITS "joints.yaml",
     .set = {"nonsmooth.storage=exchange"},
     .steps = 100},
};
enum { N_FILES = sizeof FILES / sizeof *FILES, N_CASES = N_LAWS + N_FILES + CASES };

/* Case k; `words` holds what it sets. */
static run_case case_at(int k, char *words)
{
    if (k < N_LAWS)
        return case_of_law(&LAWS[k], words);
    if (k < N_LAWS + N_FILES)
        return FILES[k - N_LAWS];
    const scene_case *s = &CASE[k - N_LAWS - N_FILES];
    run_case c = {.text = s->text, .steps = s->steps};
    snprintf(c.name, sizeof c.name, "%s", s->name);
    if (s->h > 0 && strstr(s->text, "method: event") == NULL) {
        /* steps of dynamics on the way to an equilibrium count for the limit: none, but a time */
        snprintf(words, LAW, "time-step=%g s", s->h);
        snprintf(words + LAW / 2, LAW / 2, "stages.0.until.time=%.17g s", s->steps * s->h);
        c.set[0] = words, c.set[1] = words + LAW / 2, c.steps = 0;
    }
    return c;
}

static uint64_t hash_of(const run_case *c)
{
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    int n = 0;
    while (n < SETS && c->set[n] != NULL)
        n++;
    ok(c->file != NULL ? mrn_scene_read(c->file, c->set, n, &scene, &msg)
                       : mrn_scene_read_text(c->text, c->name, c->set, n, &scene, &msg),
       &msg);
    opt.max_steps = c->steps;
    mrn_status st = mrn_run(&scene, &opt, &r, &msg);
    if (st < 0)
        fail_msg("%s: %s", c->name, msg.text);
    assert_true(r.steps >= 20);
    mrn_scene_destroy(&scene);
    return r.hash;
}

/* ---- the table ---- */

/* What is stored under a name; 0: nothing. */
static uint64_t stored(const char *name)
{
    FILE *f = fopen(BITS "hashes.txt", "r");
    char line[160];
    uint64_t found = 0;
    assert_non_null(f);
    while (found == 0 && fgets(line, sizeof line, f) != NULL) {
        unsigned long long h;
        char rest[128] = "";
        if (sscanf(line, "%16llx %127[^\n]", &h, rest) == 2 && strcmp(rest, name) == 0)
            found = h;
    }
    fclose(f);
    return found;
}

static void write_table(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%016llx mathematical library\n", (unsigned long long)library_hash());
    for (int k = 0; k < N_CASES; k++) {
        char words[LAW];
        run_case c = case_at(k, words);
        fprintf(f, "%016llx %s\n", (unsigned long long)hash_of(&c), c.name);
    }
    assert_int_equal(fclose(f), 0);
}

static void same_bits(void **state)
{
    (void)state;
    int bad = 0;
    if (getenv("MRN_BITS_WRITE") != NULL)
        write_table(getenv("MRN_BITS_WRITE"));
    if (library_hash() != stored("mathematical library"))
        skip();
    for (int k = 0; k < N_CASES; k++) {
        char words[LAW];
        run_case c = case_at(k, words);
        uint64_t want = stored(c.name), got = hash_of(&c);
        if (got != want) {
            print_error("%s: hash %016llx, stored %016llx\n", c.name, (unsigned long long)got,
                        (unsigned long long)want);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* A law, wall or method that is added gets its line here. */
static void nothing_is_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_law_model_count(); i++) {
        int k = 0;
        while (k < N_LAWS && strcmp(LAWS[k].model, mrn_law_model_at(i)->name) != 0)
            k++;
        if (k == N_LAWS)
            fail_msg("no scene under the model %s", mrn_law_model_at(i)->name);
    }
    char *walls = slurp(BITS, "walls.yaml");
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        bool flat = strcmp(t->name, "disk") == 0 || strcmp(t->name, "polygon") == 0;
        char key[64];
        snprintf(key, sizeof key, " %s: ", t->name);
        if (!flat && strstr(walls, key) == NULL && strstr(walls, key + 1) == NULL)
            fail_msg("no %s in walls.yaml", t->name);
    }
    free(walls);
    for (int i = 0; i < mrn_method_count(); i++) {
        char key[64];
        int found = i == 0; /* the first is meant where none is told */
        snprintf(key, sizeof key, "method: %s\n", mrn_method_at(i)->name);
        for (int k = 0; k < CASES; k++)
            found += strstr(CASE[k].text, key) != NULL;
        if (found == 0)
            fail_msg("no scene under the method %s", mrn_method_at(i)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                       cmocka_unit_test(nothing_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
