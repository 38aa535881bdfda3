/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cross-checks and ladders from C, on a few disks: which variants a scene has and what each
   changes, runs and their files, what is left out, and no memory. */
#include "base/base.h"
#include "moraine/crosscheck.h"
#include "run/helper.h"

static const char disks[] =
    "moraine: 1\n"
    "dimension: 2\n"
    "materials: {glass: {density: 2500 kg/m3}}\n"
    "interactions:\n"
    "  - {between: any, law: linear, normal-stiffness: 2e4 N/m, restitution: 0.2, friction: 0.5}\n"
    "bodies:\n"
    "  - {name: small, shape: {disk: {diameter: 2 mm}}, count: 12,\n"
    "     place: {fill: {box: [[0, 0], [8 mm, 2 cm]]}}}\n"
    "cell: {periodic: [x], size: [8 mm, 0]}\n"
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"
    "gravity: [0, -9.81 m/s2]\n"
    "stages: [{name: settle, until: {time: 180 ms}}, {name: rest, until: {time: 20 ms}}]\n"
    "output: {probes-every: 5 ms}\n";

static folder work;

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

/* The scene as a file, with changes of all variants. */
static mrn_trials begin(const char *const *set, int n_set)
{
    char path[128];
    mrn_message msg = {0};
    mrn_trials t;
    snprintf(path, sizeof path, "%s/disks.yaml", work.path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(disks, f);
    assert_int_equal(fclose(f), 0);
    ok(mrn_trials_open(path, &t, &msg), &msg);
    t.set = set;
    t.n_set = n_set;
    return t;
}

static bool changes(const mrn_variant *v, const char *change)
{
    bool found = false;
    for (int i = 0; i < v->n_set; i++)
        found |= strncmp(v->set[i], change, strlen(change)) == 0;
    return found;
}

static bool says(const mrn_variant *v, const char *words)
{
    bool found = false;
    for (int i = 0; i < v->n_words; i++)
        found |= strstr(v->words[i], words) != NULL;
    return found;
}

/* ---- ladders ---- */

static mrn_trials ladder(const char *const *set, int n_set, mrn_ladder_options opt)
{
    mrn_message msg = {0};
    mrn_trials t = begin(set, n_set);
    ok(mrn_ladder_variants(&t, &opt, &msg), &msg);
    return t;
}

/* x of level i + 1 is that of level i over the ratio. */
static void expect_ratio(const mrn_trials *t, double ratio)
{
    for (int i = 0; i + 1 < t->n_variants; i++)
        if (!(fabs(t->variant[i].x - ratio * t->variant[i + 1].x) < 1e-12 * t->variant[i].x))
            fail_msg("level %d: %.17g, then %.17g", i, t->variant[i].x, t->variant[i + 1].x);
}

static void steps(void **unused)
{
    (void)unused;
    const char *const set[] = {"stages.1.time-step=4 us"};
    mrn_trials t = ladder(set, 1, (mrn_ladder_options){.vary = MRN_VARY_STEP, .levels = 3});
    assert_int_equal(t.n_variants, 3);
    expect_ratio(&t, 2);
    /* the first divides the time of the first stage */
    double n = 180e-3 / t.variant[0].x;
    assert_true(fabs(n - round(n)) < 1e-9 * n);
    assert_true(changes(&t.variant[2], "time-step="));
    assert_true(changes(&t.variant[2], "stages.1.time-step=1e-06"));
    assert_string_equal(t.variant[1].name, "step-2");
    mrn_trials_release(&t);
    t = ladder(NULL, 0,
               (mrn_ladder_options){.vary = MRN_VARY_STEP, .levels = 2, .ratio = 5, .from = 1e-5});
    assert_true(t.variant[0].x == 1e-5);
    expect_ratio(&t, 5);
    mrn_trials_release(&t);
}

/* Stiffness by four: dashpots by two, durations by a half, steps by a half; entries by their place
   in the file, whatever pairs they speak of. */
static void stiffnesses(void **unused)
{
    (void)unused;
    const char *const set[] = {
        "time-step=1 us",
        "materials.wood={density: 700 kg/m3, young: 1 GPa, poisson: 0.3}",
        "bodies.0.shape={sphere: {diameter: 2 mm}}",
        "bodies.0.material=wood",
        "walls.0.material=glass",
        "interactions=[{between: any, law: linear, normal-stiffness: 2e4 N/m, normal-damping: 3 N "
        "s/m, friction: 0.5}, {between: [wood, wood], law: hertz-mindlin, restitution: 0.5, "
        "friction: 0.1}, {between: [glass, wood], law: linear, contact-time: 1 ms, restitution: "
        "0.5, friction: 0.3}]",
        ("stages.1.interactions=[{between: any, law: linear, normal-stiffness: 3e4 N/m, "
         "restitution: 0.2, friction: 0.5}]")};
    mrn_trials t = ladder(set, 7, (mrn_ladder_options){.vary = MRN_VARY_STIFFNESS, .levels = 2});
    const mrn_variant *v = &t.variant[1];
    assert_true(v->x == 0.25);
    assert_true(changes(v, "interactions.0.normal-stiffness=80000"));
    assert_true(changes(v, "interactions.0.normal-damping=6"));
    assert_true(changes(v, "interactions.2.contact-time=0.0005"));
    assert_true(changes(v, "stages.1.interactions.0.normal-stiffness=120000"));
    assert_true(changes(v, "materials.wood.young=4000000000") ||
                changes(v, "materials.wood.young=4e+09") || changes(v, "materials.wood.young=4e9"));
    assert_true(changes(v, "time-step=5e-07"));
    mrn_trials_release(&t);
}

static void tolerances_sizes_threads(void **unused)
{
    (void)unused;
    const char *const rigid[] = {"method=nonsmooth"};
    mrn_trials t = ladder(rigid, 1, (mrn_ladder_options){.vary = MRN_VARY_TOLERANCE, .from = 1e-3});
    assert_int_equal(t.n_variants, 4);
    expect_ratio(&t, 10);
    assert_true(changes(&t.variant[1], "nonsmooth.tolerance=0.0001"));
    mrn_trials_release(&t);

    t = ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_SIZE, .levels = 2});
    assert_true(changes(&t.variant[1], "cell.size=[0.016, 0]"));
    assert_true(changes(&t.variant[1], "bodies.0.place.fill.box=[[0, 0], [0.016, 0.02]]"));
    assert_true(changes(&t.variant[1], "bodies.0.count=24"));
    mrn_message msg = {0};
    mrn_scene scene;
    ok(mrn_trials_scene(&t, &t.variant[1], 3, &scene, &msg), &msg);
    assert_int_equal(scene.group[0].count, 24);
    assert_int_equal(scene.seed, 3);
    mrn_scene_destroy(&scene);
    mrn_trials_release(&t);

    t = ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_THREADS, .levels = 3});
    assert_int_equal(t.variant[2].threads, 4);
    mrn_trials_release(&t);
}

static void expect_no_ladder(const char *const *set, int n_set, mrn_ladder_options opt,
                             const char *words)
{
    mrn_message msg = {0};
    mrn_trials t = begin(set, n_set);
    mrn_status s = mrn_ladder_variants(&t, &opt, &msg);
    assert_true(s == MRN_ERR_INPUT || s == MRN_ERR_RANGE);
    if (strstr(msg.text, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", msg.text, words);
    mrn_trials_release(&t);
}

static void ladders_that_lead_nowhere(void **unused)
{
    (void)unused;
    const char
        *const rigid[] = {"method=nonsmooth"},
               *const event[] = {
                   "method=event",
                   "interactions=[{between: any, law: rigid, restitution: 0.5, friction: 0.1}]"};
    const char *const one[] = {"bodies=[{name: one, shape: {disk: {diameter: 2 mm}}, place: {list: "
                               "[[4 mm, 4 mm]]}}]"};
    const char *const closed[] = {"cell={periodic: [], size: [8 mm, 2 cm]}"};
    const char *const round_wall[] = {
        "walls=[{name: round, cylinder: {point: [4 mm, 1 cm], radius: 5 cm}}]"};
    const mrn_ladder_options size = {.vary = MRN_VARY_SIZE};
    expect_no_ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_TOLERANCE},
                     "method smooth has no tolerance");
    expect_no_ladder(rigid, 1, (mrn_ladder_options){.vary = MRN_VARY_STIFFNESS},
                     "takes grains as rigid");
    expect_no_ladder(event, 2, (mrn_ladder_options){.vary = MRN_VARY_STEP}, "has no step");
    expect_no_ladder(one, 1, size, "listed do not become more");
    expect_no_ladder(closed, 1, size, "no periodic direction");
    expect_no_ladder(round_wall, 1, size, "other than planes");
    expect_no_ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_STEP, .levels = 1},
                     "2 to 12 levels");
    expect_no_ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_STEP, .levels = 13},
                     "2 to 12 levels");
    expect_no_ladder(NULL, 0,
                     (mrn_ladder_options){.vary = MRN_VARY_THREADS, .levels = 3, .ratio = 1000},
                     "the last level would have 1e+06 threads");
}

/* ---- methods ---- */

static mrn_status methods(mrn_trials *t, mrn_crosscheck_options opt, mrn_crosscheck_plan *plan,
                          mrn_message *msg)
{
    memset(msg, 0, sizeof *msg);
    return mrn_crosscheck_variants(t, &opt, plan, msg);
}

static void which_methods(void **unused)
{
    (void)unused;
    mrn_message msg;
    mrn_crosscheck_plan plan;
    const char *const only[] = {"nonsmooth:interactions.0.friction=0.25"};
    const char *const step[] = {"time-step=2 us", "integrator=euler"};
    mrn_trials t = begin(step, 2);
    ok(methods(&t, (mrn_crosscheck_options){.only = only, .n_only = 1}, &plan, &msg), &msg);
    assert_true(t.n_variants >= 2);
    assert_string_equal(t.variant[0].name, "smooth"); /* that of the scene comes first */
    assert_true(changes(&t.variant[0], "method=smooth") && t.variant[0].n_set == 1);
    const mrn_variant *v = &t.variant[1];
    assert_string_equal(v->name, "nonsmooth");
    assert_true(changes(v, "time-step={fraction: 0.05}") && changes(v, "integrator=verlet"));
    assert_true(says(v, "the time step is its own") && says(v, "integrator is left out"));
    assert_true(changes(v, "interactions.0.friction=0.25") && says(v, "changed as asked for"));
    assert_true(says(v, "counts as restitution 0.2, friction 0.5; its stiffness does not"));
    bool told = false;
    for (int i = 0; i < plan.n_left_out; i++)
        told |= strstr(plan.left_out[i].words, "it has no inertia") != NULL;
    assert_true(told);
    mrn_trials_release(&t);
}

/* Laws of rigid grains become springs, and from a later stage on all before stays as it is. */
static void translated(void **unused)
{
    (void)unused;
    mrn_message msg;
    mrn_crosscheck_plan plan;
    const char *const rigid[] = {
        "method=nonsmooth", "interactions=[{between: any, law: rigid, restitution: 0.2, friction: "
                            "0.5, rolling-friction: 0.1}]"};
    mrn_trials t = begin(rigid, 2);
    ok(methods(&t, (mrn_crosscheck_options){.methods = "nonsmooth,smooth"}, &plan, &msg), &msg);
    assert_int_equal(t.n_variants, 2);
    assert_true(changes(&t.variant[1], "interactions=[{between: [glass, glass], law: {model: "
                                       "linear, rolling: elastic-plastic}"));
    assert_true(says(&t.variant[1], "law rigid between glass and glass becomes linear"));
    mrn_trials_release(&t);

    const char *const viscous[] = {
        "interactions=[{between: any, law: linear, normal-stiffness: 2e4 N/m, normal-damping: 2 N "
        "s/m, friction: 0.5}]",
        "stages.1.interactions=[{between: any, law: linear, normal-stiffness: 2e4 N/m, "
        "normal-damping: 1 N s/m, friction: 0.1}]"};
    t = begin(viscous, 2);
    ok(methods(&t, (mrn_crosscheck_options){.methods = "smooth,nonsmooth"}, &plan, &msg), &msg);
    const mrn_variant *v = &t.variant[1];
    assert_true(changes(v, "interactions=[{between: [glass, glass], law: rigid, restitution: 0."));
    assert_true(changes(v, "stages.1.interactions=["));
    assert_true(says(v, "of two mean grains that meet at"));
    mrn_trials_release(&t);

    t = begin(NULL, 0);
    ok(methods(&t,
               (mrn_crosscheck_options){.stage = "rest", .methods = "quasistatic,nonsmooth,smooth"},
               &plan, &msg),
       &msg);
    assert_int_equal(t.n_variants, 3);
    assert_true(changes(&t.variant[0], "stages.1.method=smooth") && t.variant[0].n_set == 1);
    assert_true(changes(&t.variant[1], "method=nonsmooth")); /* remembers contacts otherwise */
    assert_true(changes(&t.variant[2], "stages.1.method=quasistatic"));
    assert_false(changes(&t.variant[2], "method="));
    mrn_trials_release(&t);
}

static void expect_no_methods(const char *const *set, int n_set, mrn_crosscheck_options opt,
                              const char *words)
{
    mrn_message msg;
    mrn_crosscheck_plan plan;
    char all[4000];
    mrn_trials t = begin(set, n_set);
    assert_int_equal(methods(&t, opt, &plan, &msg), MRN_ERR_INPUT);
    snprintf(all, sizeof all, "%s %s %s", msg.text, msg.expected, msg.hint);
    if (strstr(all, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", all, words);
    mrn_trials_release(&t);
}

static void refused(void **unused)
{
    (void)unused;
    const char *const no_colon[] = {"friction=3"}, *const no_method[] = {"smoth:a=3"},
                      *const no_key[] = {"smooth:interactions.0.frictoin=3"};
    const char *const damped[] = {"damping={local: 0.2}"};
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.methods = "smooth,smoth"},
                      "did you mean 'smooth'?");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.stage = "rset"}, "did you mean 'rest'?");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.only = no_colon, .n_only = 1},
                      "METHOD:PATH=VALUE");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.only = no_method, .n_only = 1},
                      "there is no method 'smoth'");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.only = no_key, .n_only = 1}, "frictoin");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.methods = "smooth"}, "only method smooth");
    expect_no_methods(NULL, 0, (mrn_crosscheck_options){.methods = "quasistatic"}, "no method can");
    expect_no_methods(damped, 1, (mrn_crosscheck_options){0}, "no local damping");
}

/* ---- runs ---- */

/* Two methods, two seeds, everything that is usually compared. */
static mrn_trials planned(void)
{
    mrn_message msg;
    mrn_crosscheck_plan plan;
    mrn_scene scene;
    mrn_trials t = begin(NULL, 0);
    t.n_seeds = 2;
    t.network = true;
    t.last = 20e-3;
    ok(methods(&t, (mrn_crosscheck_options){.methods = "smooth,nonsmooth"}, &plan, &msg), &msg);
    ok(mrn_trials_scene(&t, NULL, 1, &scene, &msg), &msg);
    ok(mrn_array(&t.figure, 32, sizeof *t.figure, &msg), &msg);
    t.n_figures = mrn_figure_usual(&scene, t.figure, 31);
    ok(mrn_figure_probe(&scene, "walls.floor.force.y", &t.figure[t.n_figures++], &msg), &msg);
    mrn_scene_destroy(&scene);
    ok(mrn_trials_plan(&t, &msg), &msg);
    return t;
}

typedef struct heard {
    int done;
    double last;
    bool beyond;
    int stop;
} heard;

static void on_done(void *user, const mrn_trials *t, const mrn_trial *r)
{
    heard *h = user;
    mrn_message msg = {0};
    h->done++;
    ok(mrn_trial_keep(t, r, work.path, &msg), &msg);
}

static void on_progress(void *user, double fraction)
{
    heard *h = user;
    /* a step that is chosen anew within a stage moves it back a little */
    h->beyond |= fraction > 1 || fraction < h->last - 0.1;
    h->last = fraction;
}

static int figure_called(const mrn_trials *t, const char *name)
{
    for (int i = 0; i < t->n_figures; i++)
        if (strcmp(t->figure[i].name, name) == 0)
            return i;
    fail_msg("no figure %s", name);
    return -1;
}

static void expect_same_trial(const mrn_trials *t, const mrn_trial *a, const mrn_trial *b)
{
    assert_true(a->hash == b->hash && a->steps == b->steps && a->status == b->status);
    assert_true(a->n_rows == b->n_rows && a->n_forces == b->n_forces);
    assert_true(a->self_stress == b->self_stress && a->contacts == b->contacts);
    for (int q = 0; q < t->n_figures; q++)
        assert_true(a->y[q] == b->y[q] || (isnan(a->y[q]) && isnan(b->y[q])));
    for (int64_t i = 0; i < a->n_rows * (t->n_figures + 1); i++)
        assert_true(a->row[i] == b->row[i] || (isnan(a->row[i]) && isnan(b->row[i])));
    for (int i = 0; i < a->n_forces; i++)
        assert_true(a->force[i] == b->force[i]);
}

/* The floor bears the weight in each, the files give back what was kept, and a file of something
   else is none. */
static void runs(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    heard h = {0};
    mrn_trials t = planned();
    mrn_trials_watch watch = {
        .stop = &h.stop, .done = on_done, .progress = on_progress, .user = &h};
    ok(mrn_trials_run(&t, &watch, &msg), &msg);
    assert_int_equal(h.done, 4);
    assert_true(h.last == 1 && !h.beyond);
    int force = figure_called(&t, "walls.floor.force.y");
    const double weight = 12 * 2500 * MRN_PI * 1e-6 * 9.81; /* N, of a metre of thickness */
    for (int k = 0; k < 4; k++) {
        const mrn_trial *r = &t.trial[k];
        assert_true(mrn_trial_counts(r) && r->grains == 12);
        assert_true(fabs(r->time - 0.2) < 2 * r->step);
        assert_true(r->contacts >= 12 && r->self_stress >= 0 && r->n_forces > 0);
        for (int i = 1; i < r->n_forces; i++)
            assert_true(r->force[i - 1] <= r->force[i]);
        if (!(fabs(r->y[force] + weight) < 0.03 * weight))
            fail_msg("run %d: %g N on the floor, not %g", k, r->y[force], -weight);
    }
    double y[2];
    assert_int_equal(mrn_trials_values(&t, 1, force, y), 2);
    assert_true(y[0] == t.trial[2].y[force] && y[1] == t.trial[3].y[force]);
    mrn_scatter of[2];
    mrn_welch w;
    ok(mrn_ks_compare(&t, 0, 1, 0.95, 0.2, of, &w, &msg), &msg);
    assert_true(of[0].n == 2 && of[1].n == 2 && of[0].mean >= 0 && of[1].mean <= 1);

    mrn_trials again = planned();
    assert_int_equal(mrn_trials_recall(&again, work.path), 4);
    for (int k = 0; k < 4; k++)
        expect_same_trial(&t, &t.trial[k], &again.trial[k]);
    h.done = 0;
    ok(mrn_trials_run(&again, &watch, &msg), &msg); /* there is nothing left to do */
    assert_int_equal(h.done, 0);
    mrn_trials_release(&again);

    again = planned();
    again.last = 10e-3; /* another measurement */
    assert_int_equal(mrn_trials_recall(&again, work.path), 0);
    h.stop = 1;
    assert_int_equal(mrn_trials_run(&again, &watch, &msg), MRN_INTERRUPTED);
    mrn_trials_release(&again);
    mrn_trials_release(&t);
}

/* A run that cannot be says why, and the others go on. */
static void one_that_fails(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trials t = ladder(NULL, 0, (mrn_ladder_options){.vary = MRN_VARY_STEP, .levels = 2});
    ok(mrn_variant_set(&t.variant[0], &msg, "bodies.0.count=1000"), &msg);
    ok(mrn_trials_plan(&t, &msg), &msg);
    ok(mrn_trials_run(&t, NULL, &msg), &msg);
    assert_false(mrn_trial_counts(&t.trial[0]));
    assert_true(t.trial[0].words[0] != '\0');
    assert_true(mrn_trial_counts(&t.trial[1]));
    mrn_trials_release(&t);
}

/* ---- no memory ---- */

static void no_memory(void **unused)
{
    (void)unused;
    const char *const rigid[] = {
        "method=nonsmooth",
        "interactions=[{between: any, law: rigid, restitution: 0.2, friction: 0.5}]"};
    static const mrn_vary vary[] = {MRN_VARY_STEP, MRN_VARY_STIFFNESS, MRN_VARY_SIZE};
    mrn_message msg;
    mrn_crosscheck_plan plan;
    size_t before = mrn_bytes_in_use();
    for (int what = 0; what < 4; what++) {
        mrn_status s = MRN_ERR_MEMORY;
        for (int64_t k = 1; s != MRN_OK; k += k < 40 ? 1 : k / 8) {
            mrn_trials t = begin(what == 3 ? rigid : NULL, what == 3 ? 2 : 0);
            mrn_alloc_fail_at(k);
            if (what == 3)
                s = methods(&t, (mrn_crosscheck_options){.methods = "nonsmooth,smooth"}, &plan,
                            &msg);
            else
                s = mrn_ladder_variants(&t, &(mrn_ladder_options){.vary = vary[what], .levels = 2},
                                        &msg);
            mrn_alloc_fail_at(0);
            assert_true(s == MRN_OK || s == MRN_ERR_MEMORY);
            mrn_trials_release(&t);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(stiffnesses),
        cmocka_unit_test(tolerances_sizes_threads),
        cmocka_unit_test(ladders_that_lead_nowhere),
        cmocka_unit_test(which_methods),
        cmocka_unit_test(translated),
        cmocka_unit_test(refused),
        cmocka_unit_test(runs),
        cmocka_unit_test(one_that_fails),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
