/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The method quasistatic where the answer is known: a lattice in a cell that is pressed and sheared
   by stress or by strain, a disk under a wall that presses, and one that slides away from it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/io.h"
#include "moraine/quasistatic.h"
#include "run/job.h"

#define DIAMETER 0.01
#define KN       1e7
#define RATIO    0.5
#define PRESSURE 100.0

static void near(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance)) {
        print_error("line %d: %.12g, not %.12g +- %.3g\n", line, got, want, tolerance);
        fail();
    }
}
#define NEAR(got, want, tolerance) near(got, want, tolerance, __LINE__)

typedef struct rig {
    mrn_scene scene;
    mrn_run_options opt;
    mrn_run_result result;
    mrn_message msg;
    mrn_job job;
} rig;

static void rig_open(rig *r, const char *text)
{
    memset(r, 0, sizeof *r);
    if (mrn_scene_read_text(text, "test", NULL, 0, &r->scene, &r->msg) != MRN_OK)
        fail_msg("%s", r->msg.text);
    r->opt = mrn_run_default();
    mrn_job_init(&r->job, &r->scene, &r->opt, &r->result, &r->msg);
    if (mrn_job_begin(&r->job) != MRN_OK)
        fail_msg("%s", r->msg.text);
}

static void rig_close(rig *r)
{
    mrn_job_destroy(&r->job);
    mrn_scene_destroy(&r->scene);
}

/* ---- a triangular lattice ---- */

enum { NX = 4, NY = 4 };

/* Distance of neighbours under a pressure: P = sqrt(3) f / a, a = d - f / kn. */
static double spacing(double pressure)
{
    return DIAMETER / (1 + pressure / (sqrt(3) * KN));
}

static void lattice(char *text, size_t size, const char *control, int increments)
{
    double a = spacing(PRESSURE), h = sqrt(0.75) * a;
    size_t n = (size_t)snprintf(
        text, size,
        "moraine: 1\ntitle: lattice\ndimension: 2\nmethod: quasistatic\n"
        "materials: {disk: {density: 2500 kg/m3}}\n"
        "interactions: [{between: any, law: linear, normal-stiffness: %g N/m, stiffness-ratio: %g,"
        " restitution: 0.5, friction: 1}]\n"
        "cell: {periodic: [x, y], size: [%.17g m, %.17g m], control: %s}\n"
        "stages: [{name: load, at-most: 1 s, quasistatic: {increments: %d}}]\n"
        "bodies:\n  - name: disks\n    shape: {disk: {diameter: %g m}}\n    place: {list: [",
        KN, RATIO, NX * a, NY * h, control, increments, DIAMETER);
    for (int k = 0; k < NX * NY; k++) {
        int i = k % NX, j = k / NX;
        n += (size_t)snprintf(text + n, size - n, "%s[%.17g, %.17g]", k > 0 ? ", " : "",
                              (i + 0.25 + 0.5 * (j % 2)) * a, (j + 0.5) * h);
    }
    snprintf(text + n, size - n, "]}\n");
}

static void run_lattice(rig *r, const char *control, int increments, double strain[2])
{
    char text[4000];
    lattice(text, sizeof text, control, increments);
    rig_open(r, text);
    double x = r->job.s.cell_size[0], y = r->job.s.cell_size[1];
    mrn_status st = mrn_job_advance(&r->job);
    if (st < 0 || st == MRN_NOT_CONVERGED)
        fail_msg("%s", r->msg.text);
    assert_int_equal(r->job.s.quasistatic.increments, increments);
    strain[0] = r->job.s.cell_size[0] / x - 1;
    strain[1] = r->job.s.cell_size[1] / y - 1;
}

/* Ten times the pressure: the spacing is known for rigid-body and spring exactly, whatever the
   number of increments. The method stops correcting at 1e-4 of the mean force. */
static void pressed_evenly(void **state)
{
    (void)state;
    rig r;
    double strain[2], want = spacing(10 * PRESSURE) / spacing(PRESSURE) - 1;
    run_lattice(&r, "{isotropic: \"100*(1+9*s)\"}", 5, strain);
    NEAR(strain[0], want, 2e-4 * fabs(want));
    NEAR(strain[1], want, 2e-4 * fabs(want));
    rig_close(&r);
}

/* B = sqrt(3)/2 kn, G = sqrt(3)/4 (kn + kt), springs only; what the forces there are do to them is
   of the order of P/kn = 1e-5. */
static void sheared_by_stress(void **state)
{
    (void)state;
    rig r;
    double strain[2], bulk = sqrt(0.75) * KN, shear = sqrt(3) / 4 * (1 + RATIO) * KN;
    double q = 0.2 * PRESSURE;
    double yy = -q / 4 * (1 / bulk + 1 / shear), xx = -q / 4 * (1 / bulk - 1 / shear);
    run_lattice(&r, "{xx: {stress: 100 Pa}, yy: {stress: \"100*(1+0.2*s)\"}}", 4, strain);
    NEAR(strain[1], yy, 1e-3 * fabs(yy));
    NEAR(strain[0], xx, 1e-3 * fabs(yy));
    rig_close(&r);
}

/* The same by a rate of strain along y, the stress along x held. */
static void sheared_by_strain(void **state)
{
    (void)state;
    rig r;
    char control[120];
    double strain[2], bulk = sqrt(0.75) * KN, shear = sqrt(3) / 4 * (1 + RATIO) * KN;
    double q = 0.2 * PRESSURE;
    double yy = -q / 4 * (1 / bulk + 1 / shear), xx = -q / 4 * (1 / bulk - 1 / shear);
    snprintf(control, sizeof control, "{xx: {stress: 100 Pa}, yy: {rate: %.17g 1/s}}", yy);
    run_lattice(&r, control, 4, strain);
    NEAR(strain[1], yy, 1e-6 * fabs(yy));
    NEAR(strain[0], xx, 1e-3 * fabs(yy));
    double stress = mrn_probe_value(&r.scene, &r.job.s, "stress.yy");
    NEAR(stress, PRESSURE + q, 1e-3 * PRESSURE);
    rig_close(&r);
}

/* ---- a disk between a floor and a wall that presses ---- */

#define FORCE 50.0 /* N */
#define MU    0.3

/* `pull`: gravity along x, m/s2, and the force of the wall, as expressions of the time. */
static void between_text(const char *pull, const char *force, char *text, size_t size)
{
    double overlap = FORCE / KN;
    snprintf(text, size,
             "moraine: 1\ntitle: disk\ndimension: 2\nmethod: quasistatic\n"
             "gravity: [\"%s\", 0]\n"
             "materials: {disk: {density: 2500 kg/m3}}\n"
             "interactions: [{between: any, law: linear, normal-stiffness: %g N/m, "
             "stiffness-ratio: %g, restitution: 0.5, friction: %g}]\n"
             "walls:\n"
             "  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}\n"
             "  - {name: lid, plane: {point: [0, %.17g], normal: [0, -1]},\n"
             "     motion: {servo: {direction: [0, -1], force: \"%s\"}}}\n"
             "bodies:\n  - {name: disk, shape: {disk: {diameter: %g m}}, place: {list: "
             "[[0, %.17g]]}}\n"
             "stages: [{name: load, at-most: 1 s, quasistatic: {increments: 8}}]\n",
             pull, KN, RATIO, MU, DIAMETER - 2 * overlap, force, DIAMETER, DIAMETER / 2 - overlap);
}

static void between(rig *r, const char *pull, const char *force)
{
    char text[2000];
    between_text(pull, force, text, sizeof text);
    rig_open(r, text);
}

static double *of_disk(rig *r)
{
    return r->job.s.body.x + 3 * (size_t)r->job.s.body.n_walls;
}

static double *of_lid(rig *r)
{
    return r->job.s.body.x + 3;
}

/* Twice the force: the disk sinks by F/kn, the wall by twice that. */
static void pressed_by_a_wall(void **state)
{
    (void)state;
    rig r;
    between(&r, "0", "50*(1+s)");
    double disk = of_disk(&r)[1], lid = of_lid(&r)[1];
    mrn_status st = mrn_job_advance(&r.job);
    assert_true(st >= 0 && st != MRN_NOT_CONVERGED);
    NEAR(disk - of_disk(&r)[1], FORCE / KN, 1e-3 * FORCE / KN);
    NEAR(lid - of_lid(&r)[1], 2 * FORCE / KN, 1e-3 * FORCE / KN);
    rig_close(&r);
}

/* Drawn along x between the two: T = m g / 2 at each contact, x = T / kt, until both are at mu N.
   The last equilibrium is known to 1/256 of an increment. */
static void slides_at_the_limit(void **state)
{
    (void)state;
    rig r;
    char pull[64];
    double mass = 2500 * 3.14159265358979 / 4 * DIAMETER * DIAMETER;
    snprintf(pull, sizeof pull, "%.17g*s", 3 * MU * FORCE / mass); /* the limit at 2/3 s */
    between(&r, pull, "50");
    mrn_status st = mrn_job_advance(&r.job);
    assert_int_equal(st, MRN_NOT_CONVERGED);
    NEAR(of_disk(&r)[0], MU * FORCE / (RATIO * KN), 5e-3 * MU * FORCE / (RATIO * KN));
    assert_true(r.job.s.time > 2. / 3 - 2. / (8 * 256) && r.job.s.time <= 2. / 3);
    assert_int_equal(r.job.s.quasistatic.instabilities, 1);
    assert_int_equal(r.job.s.quasistatic.supportable, 0);
    rig_close(&r);
}

/* ---- stopped while dynamics works ---- */

static void with_engine(const char *pull, const char *force, mrn_scene *scene, mrn_state *s)
{
    char text[2000];
    mrn_message msg = {0};
    mrn_step_limit limit;
    between_text(pull, force, text, sizeof text);
    if (mrn_scene_read_text(text, "test", NULL, 0, scene, &msg) != MRN_OK ||
        mrn_scene_enter_stage(scene, 0, &msg) != MRN_OK ||
        mrn_run_prepare(scene, s, &limit, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
}

/* The lid asks for twice the force that the disk bears: dynamics must find where. Told to stop, it
   leaves the state as it was, to the bit; without that it finds the place. */
static void stopped_as_a_stage_begins(void **state)
{
    (void)state;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_quasistatic *e = NULL;
    mrn_message msg = {0};
    int stop = 1;
    with_engine("0", "100", &scene, &s);
    double lid = s.body.x[4];
    assert_int_equal(mrn_quasistatic_create(&scene, &s, &stop, &e, &msg), MRN_INTERRUPTED);
    assert_null(e);
    uint64_t before = mrn_state_hash(&s); /* with forces */
    assert_true(s.body.x[4] == lid);
    assert_int_equal(mrn_quasistatic_create(&scene, &s, &stop, &e, &msg), MRN_INTERRUPTED);
    assert_true(mrn_state_hash(&s) == before);
    stop = 0;
    assert_int_equal(mrn_quasistatic_create(&scene, &s, &stop, &e, &msg), MRN_OK);
    /* loads of walls count as balanced to 1e-3 */
    NEAR(lid - s.body.x[4], 2 * FORCE / KN, 1e-3 * 2 * FORCE / KN);
    mrn_quasistatic_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

static bool count_and_end(void *user, const char *what, double done)
{
    int *calls = user;
    assert_non_null(strstr(what, "dynamics"));
    assert_true(done >= 0 && done <= 1);
    return ++*calls == 3;
}

/* The same by whoever looks at long work, and by the number of steps that a run may make. */
static void ended_as_a_stage_begins(void **state)
{
    (void)state;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_quasistatic *e = NULL;
    mrn_message msg = {0};
    int calls = 0;
    with_engine("0", "100", &scene, &s);
    mrn_long_work_set((mrn_long_work){.tell = count_and_end, .user = &calls});
    assert_int_equal(mrn_quasistatic_create(&scene, &s, NULL, &e, &msg), MRN_INTERRUPTED);
    assert_int_equal(calls, 3);
    uint64_t before = mrn_state_hash(&s);
    mrn_long_work_set((mrn_long_work){.max_steps = 7});
    assert_int_equal(mrn_quasistatic_create(&scene, &s, NULL, &e, &msg), MRN_INTERRUPTED);
    assert_non_null(strstr(msg.text, "after the 7 steps allowed"));
    assert_true(mrn_state_hash(&s) == before);
    mrn_long_work_set((mrn_long_work){0});
    assert_int_equal(mrn_quasistatic_create(&scene, &s, NULL, &e, &msg), MRN_OK);
    mrn_quasistatic_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* The disk drawn out gives way at 2/3 s, and dynamics looks for an equilibrium that is not there:
   stopped, the state is that before the increment, with no account of an end, and asked again it is
   the same to the bit. */
static void stopped_after_giving_way(void **state)
{
    (void)state;
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_quasistatic *e = NULL;
    mrn_message msg = {0};
    int stop = 1;
    char pull[64];
    double mass = 2500 * 3.14159265358979 / 4 * DIAMETER * DIAMETER;
    snprintf(pull, sizeof pull, "%.17g*s", 3 * MU * FORCE / mass);
    with_engine(pull, "50", &scene, &s);
    scene.quasistatic.unstable = MRN_UNSTABLE_SMOOTH;
    assert_int_equal(mrn_quasistatic_create(&scene, &s, &stop, &e, &msg), MRN_OK);
    assert_int_equal(mrn_quasistatic_step(e, 8, &msg), MRN_INTERRUPTED);
    assert_int_equal(s.quasistatic.instabilities, 0);
    assert_int_equal(s.step, 5);
    NEAR(s.time, 5. / 8, 1e-15);
    double where = s.body.x[3 * s.body.n_walls], limit = MU * FORCE / (RATIO * KN);
    NEAR(where, 15. / 16 * limit, 5e-3 * limit);
    uint64_t before = mrn_state_hash(&s);
    assert_int_equal(mrn_quasistatic_step(e, 8, &msg), MRN_INTERRUPTED);
    assert_true(mrn_state_hash(&s) == before);
    stop = 0;
    scene.quasistatic.max_steps = 1000;
    assert_int_equal(mrn_quasistatic_step(e, 8, &msg), MRN_NOT_CONVERGED);
    assert_int_equal(s.quasistatic.instabilities, 1);
    mrn_quasistatic_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* Every allocation that an engine and two increments make fails once: said, and all is freed. */
static void without_memory(void **state)
{
    (void)state;
    mrn_scene scene = {0};
    mrn_state s = {0}, copy = {0};
    mrn_message msg = {0};
    int64_t k = 1;
    with_engine("0", "50*(1+s)", &scene, &s);
    mrn_status st = MRN_ERR_MEMORY;
    for (; st == MRN_ERR_MEMORY && k < 5000; k++) {
        mrn_quasistatic *e = NULL;
        assert_int_equal(mrn_state_copy(&s, &copy, &msg), MRN_OK);
        mrn_alloc_fail_at(k);
        st = mrn_quasistatic_create(&scene, &copy, NULL, &e, &msg);
        if (st == MRN_OK)
            st = mrn_quasistatic_step(e, 2, &msg);
        mrn_alloc_fail_at(-1);
        mrn_quasistatic_destroy(&e);
        mrn_state_destroy(&copy);
        copy = (mrn_state){0};
    }
    assert_int_equal(st, MRN_OK);
    assert_true(k > 50);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed_evenly),           cmocka_unit_test(sheared_by_stress),
        cmocka_unit_test(sheared_by_strain),        cmocka_unit_test(pressed_by_a_wall),
        cmocka_unit_test(slides_at_the_limit),      cmocka_unit_test(stopped_as_a_stage_begins),
        cmocka_unit_test(stopped_after_giving_way), cmocka_unit_test(without_memory),
        cmocka_unit_test(ended_as_a_stage_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
