/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spheres whose centres stay in a plane: the same impact as in space to the last bit, their mass,
   their areas where solid fractions are asked for; disks under laws of spheres are refused. */
/* ctest-labels: threads */
#include "helper.h"

/* Two balls on an oblique way to each other, one with a spin; `z` is the rest of a vector in 3D. */
#define TWO(dimension, shape, z, spin)                                                             \
    "moraine: 1\n"                                                                                 \
    "dimension: " dimension "\n"                                                                   \
    "materials: {glass: {density: 2500 kg/m3, young: 70 MPa, poisson: 0.22}}\n"                    \
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.7, friction: 0.3}]\n"        \
    "bodies: [{name: balls, material: glass, shape: {" shape ": {}}, place: {list: [\n"            \
    "  {position: [0, 0" z "], velocity: [0.4, 0.2" z "], spin: " spin ", radius: 2 mm},\n"        \
    "  {position: [4.1 mm, 1 mm" z "], velocity: [-0.3, 0" z "], radius: 2.5 mm}]}}]\n"            \
    "time-step: 1 us\n"                                                                            \
    "stages: [{name: meet, until: {steps: 2000}}]\n"

static mrn_world *world_of(const char *text)
{
    mrn_scene scene = {0};
    mrn_message msg = {0};
    mrn_world *w = NULL;
    read_scene(text, &scene);
    ok(mrn_world_create(&scene, &w, &msg), &msg);
    mrn_scene_destroy(&scene);
    return w;
}

static void a_plane_is_a_part_of_space(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_world *flat = world_of(TWO("2", "sphere", "", "20"));
    mrn_world *space = world_of(TWO("3", "sphere", ", 0", "[0, 0, 20]"));
    const mrn_bodies *a = &mrn_world_state(flat)->body, *b = &mrn_world_state(space)->body;
    double before = a->v[0];
    ok(mrn_world_step(flat, 2000, &msg), &msg);
    ok(mrn_world_step(space, 2000, &msg), &msg);
    assert_true(fabs(a->v[0] - before) > 0.1); /* they met */
    for (int i = 0; i < 2; i++) {
        double m = 2500 * 4.0 / 3.0 * MRN_PI * pow(i == 0 ? 2e-3 : 2.5e-3, 3);
        assert_true(fabs(a->mass[i] / m - 1) < 1e-14);
        assert_true(a->mass[i] == b->mass[i] && a->inertia[i] == b->inertia[i]);
        for (int k = 0; k < 3; k++) {
            assert_true(a->x[3 * i + k] == b->x[3 * i + k]);
            assert_true(a->v[3 * i + k] == b->v[3 * i + k]);
            assert_true(a->w[3 * i + k] == b->w[3 * i + k]);
        }
    }
    mrn_world_destroy(&flat);
    mrn_world_destroy(&space);
}

static void disks_are_no_balls(void **unused)
{
    (void)unused;
    mrn_scene scene = {0};
    mrn_message msg = {0};
    mrn_world *w = NULL;
    const char *text = TWO("2", "disk", "", "20");
    assert_int_equal(mrn_scene_read_text(text, "test.yaml", NULL, 0, &scene, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "law 'hertz-mindlin' is one of spheres"));
    assert_non_null(strstr(msg.text, "'balls' are disks"));
    assert_non_null(strstr(msg.hint, "sphere"));
    /* rigid grains take restitution and friction alone */
    msg = (mrn_message){0};
    const char *const rigid[] = {"method=nonsmooth"};
    ok(mrn_scene_read_text(text, "test.yaml", rigid, 1, &scene, &msg), &msg);
    ok(mrn_world_create(&scene, &w, &msg), &msg);
    mrn_world_destroy(&w);
    mrn_scene_destroy(&scene);
}

/* A fifth of an area 1 m wide: were it a fifth of a volume 1 m thick, there would be 300 times as
   many. The sieve curve is one of masses: with r^3, not r^2. */
static void fractions_are_of_areas(void **unused)
{
    (void)unused;
    mrn_world *w = world_of("moraine: 1\n"
                            "dimension: 2\n"
                            "materials: {glass: {density: 2500 kg/m3, young: 70 MPa, poisson: "
                            "0.22}}\n"
                            "interactions: [{between: any, law: hertz-mindlin, restitution: 0.7, "
                            "friction: 0.3}]\n"
                            "bodies: [{name: balls, shape: {sphere: {diameter: {sieve: [[4 mm, 0], "
                            "[5 mm, 50 %], [8 mm, 100 %]]}}}, solid-fraction: 0.2,\n"
                            "  place: {fill: {box: [[0, 0], [0.5 m, 0.5 m]]}}}]\n"
                            "stages: [{name: on, until: {steps: 1}}]\n");
    const mrn_bodies *b = &mrn_world_state(w)->body;
    double area = 0, mass = 0, fine = 0;
    for (int i = 0; i < b->n; i++) {
        area += MRN_PI * b->radius[i] * b->radius[i];
        mass += b->mass[i];
        fine += b->radius[i] < 2.5e-3 ? b->mass[i] : 0;
    }
    assert_true(fabs(area / 0.25 - 0.2) < 1e-3); /* to half a grain */
    /* sizes are drawn one in each of n equal parts of the curve: half the mass below 5 mm to a few
       in a thousand; with r^2 in place of r^3 it would be 0.43 */
    assert_true(fabs(fine / mass - 0.5) < 0.01);
    mrn_world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_a_part_of_space),
        cmocka_unit_test(disks_are_no_balls),
        cmocka_unit_test(fractions_are_of_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
