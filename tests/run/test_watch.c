/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run watches: the time step follows the load, a given one that became too long stops the
   run with a checkpoint, warnings are kept and counted, targets of servos stand beside what was
   reached, impacts are tried for the ends of the sizes. */
/* ctest-labels: slow */
#include <hdf5.h>
#include <jansson.h>

#include "helper.h"
#include "run/job.h"

/* A sphere squeezed slowly between floor and lid: Hertz's contacts stiffen all the time. By the end
   each overlap is 2 mm, some hundred times that of an impact at the speed of the lid, so the step
   chosen for such impacts (half of what one spring allows) is too long. */
#define PRESS(step, more)                                                                          \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {rubber: {density: 1000 kg/m3, young: 100 MPa, poisson: 0.4}}\n"                   \
    "interactions: [{between: [rubber, rubber], law: hertz-mindlin, restitution: 0.9, friction: "  \
    "0.3}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - name: ball\n"                                                                             \
    "    material: rubber\n"                                                                       \
    "    shape: {sphere: {radius: 1 cm}}\n"                                                        \
    "    place: {list: [{position: [0, 0, 1 cm]}]}\n"                                              \
    "walls:\n"                                                                                     \
    "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: rubber}\n"          \
    "  - {name: lid, plane: {point: [0, 0, 2 cm], normal: [0, 0, -1]}, material: rubber,\n"        \
    "     motion: {velocity: [0, 0, -1 mm/s]}}\n"                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "time-step: " step "\n"                                                                        \
    "stages: [{name: squeeze, at-most: 4 s}, {name: hold, at-most: 0.1 s,\n"                       \
    "          walls: {lid: {motion: none}}}]\n" more

#define COMPUTED "{fraction: 0.5}"

static json_t *summary_of(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/summary.json", dir);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static const mrn_warning *warning_of(const mrn_run_result *r, const char *kind)
{
    for (int i = 0; i < r->n_warnings; i++)
        if (strcmp(r->warning[i].kind, kind) == 0)
            return &r->warning[i];
    return NULL;
}

static double stage_number(const json_t *root, size_t stage, const char *key)
{
    return json_number_value(
        json_object_get(json_array_get(json_object_get(root, "stages"), stage), key));
}

static void test_step_shrinks_under_load(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(PRESS(COMPUTED, ""), &opt, &r, &msg), &msg);
    const mrn_warning *w = warning_of(&r, "time-step-shrunk");
    assert_non_null(w);
    assert_true(w->count >= 2 && w->step % 50 == 0 && w->step > 0);
    json_t *root = summary_of(f.path);
    double begin = stage_number(root, 0, "time-step"), end = stage_number(root, 0, "time-step-end");
    /* stiffness goes with the root of the overlap and both contacts hold the ball: from 1e-6 m (an
       impact at 1 mm/s) to 2e-3 m the frequency rises by (2000^(1/2) * 2)^(1/2), about 9 */
    assert_true(end < 0.5 * begin && end > 0.02 * begin);
    /* the stage ends within half a step of its time, whatever the steps were */
    assert_float_equal(stage_number(root, 0, "time-end"), 4, 0.5 * end);
    assert_float_equal(r.time, 4.1, end);
    json_t *first = json_array_get(json_object_get(root, "warnings"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "kind")), "time-step-shrunk");
    assert_int_equal(json_integer_value(json_object_get(first, "count")), w->count);
    json_decref(root);
    remove_tree(f.path);
}

/* In pieces that end before, on and after the instants at which the step changes. */
static void test_shrinking_resumes_bit_exact(void **unused)
{
    (void)unused;
    folder f = make_folder(), g = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result whole, r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(PRESS(COMPUTED, "output: {every: 1 s}\n"), &opt, &whole, &msg), &msg);
    int64_t at = warning_of(&whole, "time-step-shrunk")->step;
    const int64_t piece[] = {at - 7, 7, 1, 999, 1500};
    opt.out = g.path;
    for (int i = 0; i < 5; i++) {
        opt.resume = i > 0;
        opt.max_steps = piece[i];
        assert_int_equal(run_text(PRESS(COMPUTED, "output: {every: 10 ms}\n"), &opt, &r, &msg),
                         MRN_INTERRUPTED);
    }
    opt.max_steps = 0;
    ok(run_text(PRESS(COMPUTED, "output: {every: 0.3 s}\n"), &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, whole.hash);
    assert_true(r.time == whole.time);
    /* the step that the stage began with, from which the watch takes its least one */
    json_t *a = summary_of(f.path), *b = summary_of(g.path);
    assert_true(stage_number(a, 0, "time-step") > stage_number(a, 0, "time-step-end"));
    assert_true(stage_number(a, 0, "time-step") == stage_number(b, 0, "time-step"));
    json_decref(a);
    json_decref(b);
    remove_tree(f.path);
    remove_tree(g.path);
}

/* The step that is right at the begin, given: first it is stated, then it stops the run, and the
   run goes on from there with a shorter one. */
static void test_given_step_becomes_too_long(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    read_scene(PRESS(COMPUTED, ""), &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    mrn_state_destroy(&s);
    opt.out = f.path;
    scene.time_step = 0.35 * limit.advised;
    assert_int_equal(mrn_run(&scene, &opt, &r, &msg), MRN_TOO_STIFF);
    mrn_scene_destroy(&scene);
    assert_non_null(strstr(msg.text, "stability limit"));
    assert_non_null(warning_of(&r, "time-step-limit"));
    assert_true(r.time > 0.01 && r.time < 4);
    assert_true(there_is(f.path, "checkpoint.h5"));
    double stopped = r.time;
    opt.resume = true;
    read_scene(PRESS(COMPUTED, ""), &scene);
    scene.time_step = 0.1 * limit.advised;
    ok(mrn_run(&scene, &opt, &r, &msg), &msg);
    mrn_scene_destroy(&scene);
    assert_true(r.time > stopped);
    assert_float_equal(r.time, 4.1, limit.advised);
    assert_non_null(warning_of(&r, "time-step-limit")); /* remembered from the first part */
    remove_tree(f.path);
}

static void test_resume_without_trajectory(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char path[128];
    mrn_run_options opt = mrn_run_default();
    mrn_run_result whole, r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(PRESS(COMPUTED, "output: {every: 1 s}\n"), &opt, &whole, &msg), &msg);
    opt.overwrite = true;
    opt.max_steps = 1500;
    assert_int_equal(run_text(PRESS(COMPUTED, "output: {every: 1 s}\n"), &opt, &r, &msg),
                     MRN_INTERRUPTED);
    snprintf(path, sizeof path, "%s/trajectory.h5", f.path);
    assert_int_equal(unlink(path), 0);
    opt.resume = true;
    opt.max_steps = 0;
    ok(run_text(PRESS(COMPUTED, "output: {every: 1 s}\n"), &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, whole.hash);
    assert_non_null(warning_of(&r, "trajectory"));
    assert_true(there_is(f.path, "trajectory.h5"));
    remove_tree(f.path);
}

/* ---- cells ---- */

/* Squeezed fast to a bed of many contacts, then held by a servo: the order of every sum, and
   with it the strain that the servo chooses, must be that of the list made before the interruption.
 */
#define CELL                                                                                       \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 50 MPa, poisson: 0.25}}\n"                    \
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "    \
    "0.5}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: stones, material: stone, shape: {sphere: {diameter: {uniform: [8 mm, 12 mm]}}},\n" \
    "     count: 200, place: {fill: {box: [[0, 0, 0], [6 cm, 6 cm, 6 cm]]}}}\n"                    \
    "cell: {periodic: [x, y, z], size: [6 cm, 6 cm, 6 cm], rate: [-15, -15, -15]}\n"               \
    "gravity: [0, 0, 0]\n"                                                                         \
    "stages:\n"                                                                                    \
    "  - {name: squeeze, until: {steps: 700}}\n"                                                   \
    "  - {name: servo, until: {steps: 900}, cell: {control: {isotropic: 20 kPa}}}\n"

static void test_resume_in_a_straining_cell(void **unused)
{
    (void)unused;
    folder f = make_folder(), g = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result whole, r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(CELL, &opt, &whole, &msg), &msg);
    opt.out = g.path;
    const int64_t piece[] = {333, 500, 421};
    for (int i = 0; i < 3; i++) {
        opt.resume = i > 0;
        opt.max_steps = piece[i];
        assert_int_equal(run_text(CELL, &opt, &r, &msg), MRN_INTERRUPTED);
    }
    opt.max_steps = 0;
    ok(run_text(CELL, &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, whole.hash);
    assert_memory_equal(&r.energies, &whole.energies, sizeof r.energies); /* the sums too */
    json_t *root = summary_of(f.path), *stages = json_object_get(root, "stages");
    json_t *servos = json_object_get(json_array_get(stages, 1), "servos");
    assert_int_equal(json_array_size(servos), 3);
    json_t *xx = json_array_get(servos, 0);
    assert_string_equal(json_string_value(json_object_get(xx, "name")), "cell.xx");
    assert_float_equal(json_number_value(json_object_get(xx, "asked")), 20e3, 0.01);
    assert_true(json_number_value(json_object_get(xx, "obtained")) > 0);
    assert_null(json_object_get(json_array_get(stages, 0), "servos"));
    json_decref(root);
    remove_tree(f.path);
    remove_tree(g.path);
}

/* ---- ledger ---- */

/* Energies made up: what the watch says to them. */
static void test_energy_out_of_nothing(void **unused)
{
    (void)unused;
    mrn_scene scene = mrn_scene_default();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_job j;
    assert_int_equal(mrn_scene_add_material(&scene, "stuff", 2500, 70e6, 0.22, &msg), MRN_OK);
    assert_int_equal(mrn_scene_add_law(&scene, "stuff", "stuff", "hertz-mindlin", &msg), MRN_OK);
    assert_int_equal(mrn_scene_set_law(&scene, "stuff", "stuff", "restitution", 0.9, &msg), MRN_OK);
    assert_int_equal(mrn_job_init(&j, &scene, &opt, &r, &msg), MRN_OK);
    mrn_energies well = {.kinetic = 1, .dissipated = 3, .residual = 1e-3};
    mrn_energies odd = {.kinetic = 1, .residual = 0.1};
    mrn_energies mad = {.kinetic = 1e6, .residual = 0.99e6};
    mrn_energies none = {.kinetic = NAN, .residual = NAN};
    assert_int_equal(mrn_watch_energy(&j, &well), MRN_OK);
    assert_int_equal(r.n_warnings, 0);
    assert_int_equal(mrn_watch_energy(&j, &odd), MRN_OK);
    assert_int_equal(mrn_watch_energy(&j, &odd), MRN_OK);
    assert_int_equal(r.n_warnings, 1);
    assert_string_equal(r.warning[0].kind, "energy");
    assert_int_equal(r.warning[0].count, 2);
    assert_int_equal(mrn_watch_energy(&j, &mad), MRN_EXPLODED);
    assert_int_equal(msg.status, MRN_EXPLODED);
    j.scene->integrator = MRN_EULER; /* known for it: a warning, no stop */
    assert_int_equal(mrn_watch_energy(&j, &odd), MRN_OK);
    assert_int_equal(mrn_watch_energy(&j, &mad), MRN_OK);
    assert_int_equal(mrn_watch_energy(&j, &none), MRN_EXPLODED);
    mrn_job_destroy(&j);
    mrn_scene_destroy(&scene);
}

/* ---- inlets and laws that change ---- */

#define FEED                                                                                       \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"                     \
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "    \
    "0.5}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: feed, material: stone, shape: {sphere: {diameter: {uniform: [2 mm, 6 mm]}}},\n"    \
    "     velocity: [0, 0, -0.2], place: {inlet: {box: [[0, 0, 1 cm], [2 cm, 2 cm, 2 cm]],\n"      \
    "     rate: 20000 1/s}}}\n"                                                                    \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"                       \
    "cell: {periodic: [x, y], size: [2 cm, 2 cm, 0]}\n"                                            \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "stages: [{name: fill, until: {steps: 6000}}, {name: on, until: {steps: 500},\n"               \
    "          interactions: [{between: [stone, stone], law: hertz, friction: 0.5}]}]\n"

/* Nothing is there at the start: the step is that of the smallest grains to come, and an inlet too
   narrow for its rate is stated once. The second stage has another law; contacts begin anew with
   it.
 */
static void test_inlet(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_run_options opt = mrn_run_default();
    mrn_run_result whole, r;
    mrn_message msg = {0};
    read_scene(FEED, &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    assert_int_equal(s.body.n, 1);
    assert_true(s.h < 1e-4 && s.h == limit.advised && limit.speed > 0.2);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    ok(run_text(FEED, &opt, &whole, &msg), &msg);
    const mrn_warning *w = warning_of(&whole, "inlet");
    assert_non_null(w);
    assert_non_null(strstr(w->text, "feed"));
    assert_null(warning_of(&whole, "energy"));
    opt.out = f.path;
    opt.max_steps = 5555;
    assert_int_equal(run_text(FEED, &opt, &r, &msg), MRN_INTERRUPTED);
    opt.resume = true;
    opt.max_steps = 0;
    ok(run_text(FEED, &opt, &r, &msg), &msg);
    assert_int_equal(r.hash, whole.hash);
    remove_tree(f.path);
}

#define TAP(rate)                                                                                  \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"                     \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"        \
    "bodies:\n"                                                                                    \
    "  - {name: rest, shape: {sphere: {radius: 1 mm}}, place: {list: [{position: [0, 0, 9]}]}}\n"  \
    "  - {name: tap, shape: {sphere: {diameter: {uniform: [2 mm, 6 mm]}}}, velocity: [0, 0, "      \
    "-1],\n"                                                                                       \
    "     place: {inlet: {box: [[0, 0, 1 cm], [2 cm, 2 cm, 2 cm]], " rate "}}}\n"                  \
    "stages: [{name: fill, until: {steps: 2000}}]\n"

/* A debt of one grain is stated, anything below waits for its turn. By mass the next may be the
   largest, 6 mm across, which is 2.4 times the mean; nothing due is nothing to tell, before the
   first grain has come too. */
static void test_debt_of_one_grain(void **unused)
{
    (void)unused;
    double largest = 2600 * 4. / 3 * MRN_PI * 27e-9;
    for (int by_mass = 0; by_mass < 2; by_mass++) {
        const double part[] = {0, 0.5, 0.999, 1, 3};
        for (int k = 0; k < 10; k++) {
            mrn_scene scene;
            mrn_run_options opt = mrn_run_default();
            mrn_run_result r;
            mrn_message msg = {0};
            mrn_job j;
            read_scene(by_mass ? TAP("mass-rate: 1 g/s") : TAP("rate: 10 1/s"), &scene);
            mrn_job_init(&j, &scene, &opt, &r, &msg);
            j.s.drive.inlet_made[0] = k < 5 ? 0 : 100;
            j.s.drive.inlet_mass[0] = k < 5 ? 0 : 100 * largest / 2.4;
            j.s.drive.inlet_debt[0] = part[k % 5] * (by_mass ? largest * (1 + 1e-12) : 1);
            mrn_watch_state(&j);
            assert_int_equal(r.n_warnings, part[k % 5] >= 1);
            if (r.n_warnings > 0) {
                assert_string_equal(r.warning[0].kind, "inlet");
                assert_int_equal(r.warning[0].key, 1);
                assert_non_null(strstr(r.warning[0].text, "'tap'"));
                assert_non_null(strstr(r.warning[0].text, by_mass ? " kg " : " grains "));
            }
            mrn_job_destroy(&j);
            mrn_scene_destroy(&scene);
        }
    }
}

/* With room enough a run has nothing to tell of its inlet, however it counts. */
static void test_inlet_with_room(void **unused)
{
    (void)unused;
    for (int by_mass = 0; by_mass < 2; by_mass++) {
        mrn_run_options opt = mrn_run_default();
        mrn_run_result r;
        mrn_message msg = {0};
        ok(run_text(by_mass ? TAP("mass-rate: 20 g/s") : TAP("rate: 100 1/s"), &opt, &r, &msg),
           &msg);
        assert_null(warning_of(&r, "inlet"));
    }
}

/* ---- impacts ---- */

#define MIXTURE(law)                                                                               \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 50 MPa, poisson: 0.25}}\n"                    \
    "interactions: [{between: [stone, stone], " law "}]\n"                                         \
    "bodies:\n"                                                                                    \
    "  - name: stones\n"                                                                           \
    "    material: stone\n"                                                                        \
    "    shape: {sphere: {}}\n"                                                                    \
    "    place: {list: [{position: [0, 0, 1 cm], radius: 1 mm}, {position: [0, 0, 3 cm], radius: " \
    "4 mm}]}\n"                                                                                    \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"      \
    "stages: [{name: fall, at-most: 1 ms}]\n"

static void test_impacts_of_all_sizes(void **unused)
{
    (void)unused;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_message msg = {0};
    mrn_impact_row *row;
    int n;
    read_scene(MIXTURE("law: hertz-mindlin, restitution: 0.7, friction: 0.3"), &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    ok(mrn_run_impacts(&scene, &s, 1, &row, &n, &msg), &msg);
    assert_int_equal(n, 5);
    for (int k = 0; k < n; k++) {
        assert_int_equal(row[k].kind, k);
        assert_true(row[k].impact.tried && !row[k].impact.stuck);
        assert_float_equal(row[k].impact.asked, 0.7, 0);
        /* some sixty steps per contact or more: a few thousandths */
        assert_float_equal(row[k].impact.restitution, 0.7, 0.01);
        assert_true(mrn_impact_kind_name(row[k].kind)[0] != '\0');
    }
    assert_true(row[0].impact.contact_time < row[1].impact.contact_time);
    assert_true(isinf(row[3].radius[1]));
    /* Hertz: the time of contact goes with radius, for spheres of one material: 4 times longer */
    assert_float_equal(row[1].impact.contact_time / row[0].impact.contact_time, 4, 0.2);
    mrn_free(row);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* Adhesion holds slow grains: said so, instead of a restitution of 0. */
static void test_sticking_is_told(void **unused)
{
    (void)unused;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_message msg = {0};
    mrn_impact_row *row;
    int n;
    read_scene(MIXTURE("law: jkr, surface-energy: 0.5, restitution: 0.7, friction: 0.3"), &scene);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    ok(mrn_run_impacts(&scene, &s, 0.01, &row, &n, &msg), &msg);
    assert_int_equal(n, 5);
    assert_true(row[0].impact.tried && row[0].impact.stuck);
    assert_true(row[0].impact.restitution == 0);
    mrn_free(row);
    ok(mrn_run_impacts(&scene, &s, 5, &row, &n, &msg), &msg);
    assert_false(row[0].impact.stuck);
    mrn_free(row);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* Balls that fly beneath a lid: at most instants it bears nothing or far too much, and on the mean
   what is asked for. A lid with nothing beneath it misses its target at every instant. */
#define LID(count, force, more)                                                                    \
    "moraine: 1\n"                                                                                 \
    "seed: 4\n"                                                                                    \
    "materials: {m: {density: 2500 kg/m3}}\n"                                                      \
    "interactions: [{between: any, law: linear, normal-stiffness: 2000, restitution: 1, "          \
    "friction: 0}]\n"                                                                              \
    "bodies: [{name: gas, shape: {sphere: {diameter: 2 mm}}, count: " count ",\n"                  \
    "          velocity-spread: 1 m/s, place: {fill: {box: [[0, 0, 0], [2 cm, 2 cm, 18 mm]]}}}]\n" \
    "walls:\n"                                                                                     \
    "  - {name: box, box: {corners: [[0, 0, 0], [2 cm, 2 cm, 8 cm]], open: top}}\n"                \
    "  - {name: lid, plane: {point: [0, 0, 2 cm], normal: [0, 0, -1]},\n"                          \
    "     motion: {servo: {direction: [0, 0, -1], force: " force ", max-speed: 2 cm/s}}}\n"        \
    "time-step: 5 us\n"                                                                            \
    "stages: [{name: begin, until: {time: 0.1 s}}, {name: fly, until: {time: 0.2 s}}" more "]\n"

static void test_servo_is_judged_by_its_mean(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(LID("60", "0.03 N", ""), &opt, &r, &msg), &msg);
    json_t *root = summary_of(f.path);
    json_t *lid = json_array_get(
        json_object_get(json_array_get(json_object_get(root, "stages"), 1), "servos"), 0);
    double obtained = json_number_value(json_object_get(lid, "obtained"));
    assert_true(fabs(obtained - 0.03) > 0.01 * 0.03); /* else this would show nothing */
    assert_null(warning_of(&r, "servo"));
    json_decref(root);
    opt.overwrite = true;
    /* where it ends: not in `begin`, which hands it on */
    static const char *const text[] = {
        LID("1", "5 N", ""),
        LID("1", "5 N", ", {name: hold, at-most: 1 ms, walls: {lid: {motion: none}}}"),
        LID("1", "5 N", ", {name: gone, at-most: 1 ms, remove: lid}")};
    for (int k = 0; k < 3; k++) {
        ok(run_text(text[k], &opt, &r, &msg), &msg);
        const mrn_warning *w = warning_of(&r, "servo");
        assert_non_null(w);
        assert_non_null(strstr(w->text, "stage 'fly' ended with walls.lid at"));
    }
    remove_tree(f.path);
}

/* Checkpoints with the same means of servos: their attribute, byte by byte. */
static bool same_means(const char *one, const char *other)
{
    double v[2][sizeof(mrn_servo_memory) / sizeof(double)];
    const char *const dir[] = {one, other};
    for (int k = 0; k < 2; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/checkpoint.h5", dir[k]);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t at = H5Aopen_by_name(file, "state", "servos", H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Aread(at, H5T_NATIVE_DOUBLE, v[k]) >= 0);
        H5Aclose(at);
        H5Fclose(file);
    }
    return v[0][0] > 4 && memcmp(v[0], v[1], sizeof v[0]) == 0;
}

/* The checks before an interruption count as those after it: what is judged at the end is the same,
   bit for bit, and so is the warning. Interrupted shortly before the end the first looks of a run
   that knows nothing of the earlier ones would be a mean of one. */
static void test_servo_means_outlive_an_interruption(void **unused)
{
    (void)unused;
    folder f = make_folder(), g = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result whole, r;
    mrn_message msg = {0};
    opt.out = f.path;
    ok(run_text(LID("60", "0.03 N", ""), &opt, &whole, &msg), &msg);
    assert_null(warning_of(&whole, "servo"));
    static const int64_t short_of[] = {170, 100, 50};
    for (int k = 0; k < 3; k++) {
        opt = mrn_run_default();
        opt.out = g.path;
        opt.overwrite = true;
        opt.max_steps = whole.steps - short_of[k];
        assert_int_equal(run_text(LID("60", "0.03 N", ""), &opt, &r, &msg), MRN_INTERRUPTED);
        opt.overwrite = false;
        opt.resume = true;
        opt.max_steps = 0;
        ok(run_text(LID("60", "0.03 N", ""), &opt, &r, &msg), &msg);
        assert_null(warning_of(&r, "servo"));
        assert_true(same_means(f.path, g.path));
    }
    remove_tree(f.path);
    remove_tree(g.path);
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_shrinks_under_load),
        cmocka_unit_test(test_shrinking_resumes_bit_exact),
        cmocka_unit_test(test_given_step_becomes_too_long),
        cmocka_unit_test(test_resume_without_trajectory),
        cmocka_unit_test(test_resume_in_a_straining_cell),
        cmocka_unit_test(test_energy_out_of_nothing),
        cmocka_unit_test(test_servo_is_judged_by_its_mean),
        cmocka_unit_test(test_servo_means_outlive_an_interruption),
        cmocka_unit_test(test_inlet),
        cmocka_unit_test(test_debt_of_one_grain),
        cmocka_unit_test(test_inlet_with_room),
        cmocka_unit_test(test_sticking_is_told),
        cmocka_unit_test(test_impacts_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
