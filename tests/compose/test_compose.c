/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes filled by a program: what stands in them afterwards, what is refused and what is then
   suggested, errors that stay, and the k-th allocation failing for every k. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "moraine/moraine.h"

static const mrn_vec3 none = {0, 0, 0};

static void assert_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

/* Two materials with their laws. */
static mrn_status begin(mrn_scene *s, mrn_message *msg)
{
    *s = mrn_scene_default();
    mrn_scene_add_material(s, "glass", 2500, 70e9, 0.22, msg);
    mrn_scene_add_material(s, "steel", 7800, 210e9, 0.3, msg);
    mrn_scene_add_law(s, "glass", "glass", "hertz-mindlin", msg);
    mrn_scene_add_law(s, "steel", "glass", "linear", msg);
    mrn_scene_set_law(s, "glass", "glass", "friction", 0.4, msg);
    mrn_scene_set_law(s, "glass", "glass", "restitution", 0.9, msg);
    mrn_scene_set_law(s, "glass", "steel", "normal-stiffness", 1e5, msg);
    mrn_scene_set_law(s, "glass", "steel", "restitution", 0.8, msg);
    return mrn_scene_set_law(s, "glass", "steel", "friction", 0.2, msg);
}

/* One of everything there is a function for. */
static mrn_status fill(mrn_scene *s, mrn_message *msg)
{
    begin(s, msg);
    mrn_wall_def floor = mrn_wall_default("plane"), drum = mrn_wall_default("cylinder");
    strcpy(floor.name, "floor");
    strcpy(floor.material, "steel");
    mrn_wall_set_vector(&floor, "point", none, msg);
    mrn_wall_set_vector(&floor, "normal", mrn_v3(0, 0, 1), msg);
    mrn_scene_add_wall(s, &floor, msg);
    mrn_wall_set_vector(&drum, "from", none, msg);
    mrn_wall_set_vector(&drum, "to", mrn_v3(0, 0, 1), msg);
    mrn_wall_set(&drum, "radius", 0.1, msg);
    mrn_wall_set(&drum, "inside", 1, msg);
    mrn_scene_add_wall(s, &drum, msg);
    mrn_motion path, spin = mrn_motion_steady(none, mrn_v3(0, 0, 2));
    mrn_motion_path("0.01*sin(t)", NULL, "t", &path, msg);
    mrn_scene_set_motion(s, "floor", &path, msg);
    mrn_scene_set_motion(s, "cylinder-2", &spin, msg);

    double centre[] = {-1, 0, 0, 1, 0, 0}, radius[] = {1.2, 1.2};
    mrn_cluster bell = {0};
    if (msg->status == MRN_OK)
        mrn_cluster_make("bell", 3, 2, centre, radius, 0, &bell, NULL, msg);
    mrn_scene_add_cluster(s, &bell, msg);
    mrn_region room = mrn_region_box(mrn_v3(-0.05, -0.05, 0), mrn_v3(0.05, 0.05, 0.1));
    mrn_group beads = mrn_group_fill(room, 20, mrn_size_uniform(2e-3, 3e-3));
    mrn_group bells =
        mrn_group_lattice(mrn_region_box(mrn_v3(-0.04, -0.04, 0.3), mrn_v3(0.04, 0.04, 0.35)),
                          MRN_LATTICE_CUBIC, 0.02, mrn_size_constant(4e-3));
    mrn_grain one = {.x = {0, 0, 0.5}, .radius = 5e-3};
    mrn_group big = mrn_group_list(1, &one);
    big.velocity_spread = 0.1;
    mrn_scene_add_grains(s, "beads", "glass", NULL, &beads, msg);
    mrn_scene_add_grains(s, "bells", "glass", "bell", &bells, msg);
    mrn_scene_add_grains(s, "big", "glass", "sphere", &big, msg);

    mrn_body_force pull = {.per_mass = true};
    mrn_signal tilt = {0};
    if (msg->status == MRN_OK)
        mrn_signal_expression("2*t", &pull.force[0], msg);
    mrn_scene_add_force(s, "pull", "beads", &pull, msg);
    mrn_scene_set_gravity(s, mrn_v3(0, 0, -9.81), msg);
    if (msg->status == MRN_OK)
        mrn_signal_expression("0.1*sin(t)", &tilt, msg);
    mrn_scene_set_gravity_signal(s, 0, &tilt, msg);
    mrn_scene_add_outlet(s, "drain", NULL, mrn_region_sphere(none, 1), true, msg);

    mrn_motion stop = {0}, shake = mrn_motion_shake(mrn_v3(0, 0, 1e-3), 50, 0);
    mrn_scene_add_stage(s, "fall", 0.5, msg);
    mrn_scene_add_stage(s, "shake", 1, msg);
    mrn_stage_until(s, "fall", "kinetic-energy", false, 1e-9, msg);
    mrn_stage_set_motion(s, "shake", "floor", &stop, msg);
    mrn_stage_set_motion(s, "shake", "floor", &shake, msg);
    mrn_stage_set_law(s, "shake", "glass", "glass", "friction", 0.1, msg);
    mrn_stage_set_law(s, "shake", "glass", "glass", "restitution", 0.5, msg);
    mrn_stage_set_gravity(s, "shake", mrn_v3(0, 0, -1), msg);
    mrn_stage_remove_wall(s, "shake", "cylinder-2", msg);
    return mrn_scene_add_probe(s, "walls.floor.force.z", msg);
}

static double value_of(const mrn_interaction *x, const char *name, bool *given)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, name) == 0) {
            *given = x->value[i].given;
            return x->value[i].number;
        }
    return NAN;
}

static void everything_stands_where_it_should(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    bool given;
    if (fill(&s, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    assert_int_equal(mrn_scene_prepare(&s, &msg), MRN_OK);
    assert_int_equal(s.n_materials, 2);
    assert_true(s.interaction[1].a == 0 && s.interaction[1].b == 1);
    assert_true(value_of(&s.interaction[0], "friction", &given) == 0.4 && given);
    assert_string_equal(s.wall[1].name, "cylinder-2");
    assert_true(s.wall[0].material == 1 && s.wall[1].material == 0);
    assert_true(s.wall[0].motion.kind == MRN_MOTION_PATH && s.wall[1].motion.spin.z == 2);
    assert_true(s.group[0].shape == s.group[2].shape && s.group[1].shape != s.group[0].shape);
    assert_int_equal(s.group[2].n_grains, 1);
    assert_true(s.gravity.z == -9.81 && s.gravity_of[0].kind == MRN_SIGNAL_EXPRESSION);
    assert_true(s.force[0].group == 0 && s.outlet[0].group == -1);
    const mrn_stage *g = &s.stage[1];
    assert_true(g->n_motions == 1 && g->motion[0].kind == MRN_MOTION_SHAKE);
    assert_true(g->n_interactions == 1 && g->n_remove == 1 && g->remove_wall[0] == 1);
    assert_true(value_of(&g->interaction[0], "friction", &given) == 0.1 && given);
    assert_true(value_of(&g->interaction[0], "restitution", &given) == 0.5 && given);
    assert_true(value_of(&s.interaction[0], "restitution", &given) == 0.9);
    assert_string_equal(s.output.probe[0], "walls.floor.force.z");
    mrn_run_options opt = mrn_run_default();
    opt.max_steps = 10;
    if (mrn_run(&s, &opt, NULL, &msg) != MRN_INTERRUPTED)
        fail_msg("%s", msg.text);
    mrn_scene_destroy(&s);
}

static void the_kth_allocation_fails_for_every_k(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    for (int64_t k = 1; st != MRN_OK; k++) {
        mrn_scene s;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        st = fill(&s, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || (st == MRN_ERR_MEMORY && msg.status == st));
        assert_true(st != MRN_OK || k > 20);
        mrn_scene_destroy(&s);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *text, *expected, *hint;
} refusal;

static void refused(mrn_status st, mrn_message *msg, refusal r)
{
    assert_int_equal(st, MRN_ERR_INPUT);
    assert_int_equal(msg->status, MRN_ERR_INPUT);
    assert_in(msg->text, r.text);
    assert_in(msg->expected, r.expected);
    assert_in(msg->hint, r.hint);
    *msg = (mrn_message){0};
}

static void names_that_are_not_there(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message m = {0};
    mrn_wall_def w = mrn_wall_default("plaen"), plane = mrn_wall_default("plane");
    mrn_group g = mrn_group_empty();
    mrn_motion still = {0};
    mrn_signal zero = {0};
    assert_int_equal(begin(&s, &m), MRN_OK);
    refused(mrn_scene_add_law(&s, "glas", "glass", "linear", &m), &m,
            (refusal){"no material 'glas'", "glass, steel", "'glass'"});
    refused(mrn_scene_add_law(&s, "steel", "steel", "hertz-midlin", &m), &m,
            (refusal){"no law 'hertz-midlin'", "hertz-mindlin", "'hertz-mindlin'"});
    refused(mrn_scene_add_law(&s, "steel", "steel", NULL, &m), &m, (refusal){"no law ''", "", ""});
    refused(mrn_scene_set_law(&s, "glass", "glass", "frction", 1, &m), &m,
            (refusal){"no parameter 'frction' of law 'hertz-mindlin'", "friction", "'friction'"});
    refused(mrn_scene_set_law(&s, "steel", "steel", "friction", 1, &m), &m,
            (refusal){"no law between 'steel' and 'steel'", "", "mrn_scene_add_law"});
    refused(mrn_scene_set_law(&s, "glass", "glass", "friction", -1, &m), &m,
            (refusal){"'friction'", "at least 0", ""});
    refused(mrn_scene_set_law_word(&s, "glass", "glass", "friction", "much", &m), &m,
            (refusal){"is a number", "", "sets a number"});
    refused(mrn_wall_set_vector(&w, "normal", none, &m), &m,
            (refusal){"no type of walls 'plaen'", "plane", "'plane'"});
    refused(mrn_scene_add_wall(&s, &w, &m), &m, (refusal){"'plaen'", "", "'plane'"});
    refused(mrn_wall_set_vector(&plane, "noraml", none, &m), &m,
            (refusal){"of wall type 'plane'", "normal", "'normal'"});
    refused(mrn_wall_set(&plane, "normal", 3, &m), &m, (refusal){"is a vector", "", ""});
    refused(mrn_scene_add_grains(&s, "a", "stone", NULL, &g, &m), &m,
            (refusal){"no material 'stone'", "glass", ""});
    refused(mrn_scene_add_grains(&s, "a", "glass", "shpere", &g, &m), &m,
            (refusal){"no shape of grains 'shpere'", "sphere", "'sphere'"});
    refused(mrn_scene_set_motion(&s, "floor", &still, &m), &m,
            (refusal){"no wall 'floor'", "none has been added", ""});
    refused(mrn_scene_control_cell(&s, "zx", MRN_CONTROL_RATE, &zero, &m), &m,
            (refusal){"'zx'", "xx, yy, zz, xy, xz, yz", ""});
    refused(mrn_scene_add_probe(&s, "kinetic-enrgy", &m), &m, (refusal){"", "", "kinetic-energy"});
    refused(mrn_stage_until(&s, "run", "time", true, 1, &m), &m,
            (refusal){"no stage 'run'", "", ""});
    refused(mrn_scene_set_method(&s, "smoth", &m), &m, (refusal){"'smoth'", "nonsmooth", "smooth"});
    assert_true(s.n_walls == 0 && s.n_groups == 0 && s.n_shapes == 0 && s.n_interactions == 2);
    mrn_scene_destroy(&s);
}

/* Counts that an array does not have, and numbers of polytopes that are not there: nothing follows
   them. */
static void counts_that_are_not_there(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message m = {0};
    mrn_grain one = {.radius = 1e-3};
    mrn_group less = mrn_group_list(-3, &one), nothing = mrn_group_list(3, NULL);
    mrn_group ball = mrn_group_list(1, &one), odd = ball;
    assert_int_equal(begin(&s, &m), MRN_OK);
    refused(mrn_scene_add_grains(&s, "a", "glass", NULL, &less, &m), &m,
            (refusal){"a list of -3 grains", "", ""});
    refused(mrn_scene_add_grains(&s, "a", "glass", NULL, &nothing, &m), &m,
            (refusal){"without an array", "", ""});
    ball.n_polytopes = 99; /* of spheres: says nothing */
    assert_int_equal(mrn_scene_add_grains(&s, "a", "glass", NULL, &ball, &m), MRN_OK);
    assert_int_equal(s.group[0].n_polytopes, 0);
    mrn_polytope p = {.name = "stone"};
    assert_int_equal(mrn_scene_add_polytope(&s, &p, &m), MRN_OK);
    odd.n_polytopes = 2;
    refused(mrn_scene_add_grains(&s, "b", "glass", "stone", &odd, &m), &m,
            (refusal){"2 polytopes from 'stone' on, the scene has 1", "", ""});
    assert_int_equal(mrn_scene_add_stage(&s, "run", 1, &m), MRN_OK);
    refused(mrn_stage_until(&s, "run", "time", true, NAN, &m), &m, (refusal){"'run'", "", ""});
    mrn_scene_destroy(&s);
}

static void the_same_twice(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message m = {0};
    assert_int_equal(fill(&s, &m), MRN_OK);
    mrn_wall_def w = mrn_wall_default("plane");
    mrn_wall_set_vector(&w, "normal", mrn_v3(0, 0, 1), &m);
    mrn_wall_set_vector(&w, "point", none, &m);
    strcpy(w.name, "floor");
    mrn_group g = mrn_group_empty();
    mrn_body_force f = {0};
    char longer[2 * MRN_NAME];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    refused(mrn_scene_add_material(&s, "glass", 1, 1, 0, &m), &m, (refusal){"already", "", ""});
    refused(mrn_scene_add_material(&s, longer, 1, 1, 0, &m), &m, (refusal){"longer", "", ""});
    refused(mrn_scene_add_material(&s, NULL, 1, 1, 0, &m), &m, (refusal){"no name", "", ""});
    refused(mrn_scene_add_law(&s, "glass", "steel", "linear", &m), &m,
            (refusal){"already", "", "mrn_scene_set_law"});
    refused(mrn_scene_add_wall(&s, &w, &m), &m, (refusal){"'floor' already", "", ""});
    refused(mrn_scene_add_grains(&s, "beads", "glass", NULL, &g, &m), &m,
            (refusal){"'beads' already", "", ""});
    refused(mrn_scene_add_force(&s, "pull", NULL, &f, &m), &m, (refusal){"already", "", ""});
    refused(mrn_scene_add_stage(&s, "fall", 1, &m), &m, (refusal){"already", "", ""});
    refused(mrn_scene_add_probe(&s, "walls.floor.force.z", &m), &m, (refusal){"already", "", ""});
    assert_true(s.n_materials == 2 && s.n_walls == 2 && s.n_groups == 3 && s.n_stages == 2);
    mrn_scene_destroy(&s);
}

/* After an error nothing is done, and what a def owns is freed all the same. */
static void errors_stay(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_scene s;
    mrn_message m = {0};
    assert_int_equal(begin(&s, &m), MRN_OK);
    size_t filled = mrn_bytes_in_use();
    mrn_motion path, other;
    mrn_body_force pull = {0};
    assert_int_equal(mrn_motion_path("t", "t", NULL, &path, &m), MRN_OK);
    assert_int_equal(mrn_signal_expression("t", &pull.force[0], &m), MRN_OK);
    mrn_scene_add_law(&s, "steel", "steel", "no such law", &m);
    assert_int_equal(mrn_scene_add_material(&s, "gold", 19300, 78e9, 0.4, &m), MRN_ERR_INPUT);
    assert_int_equal(mrn_scene_set_motion(&s, "floor", &path, &m), MRN_ERR_INPUT);
    assert_int_equal(mrn_motion_path("t", "t", NULL, &other, &m), MRN_ERR_INPUT);
    assert_int_equal(mrn_scene_add_force(&s, "pull", NULL, &pull, &m), MRN_ERR_INPUT);
    assert_int_equal(s.n_materials, 2);
    assert_in(m.text, "no such law"); /* the first error is stated */
    assert_int_equal(mrn_bytes_in_use(), filled);
    assert_int_equal(mrn_scene_add_material(&s, "gold", 19300, 78e9, 0.4, NULL), MRN_OK);
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* A cluster that a program made by hand, or spoiled: refused when the scene is prepared. In the
   plane only the third moment counts. */
static void clusters_without_inertia(void **unused)
{
    (void)unused;
    static const double bad[] = {0, -1, INFINITY, NAN};
    double centre[] = {-1, 0, 0, 1, 0, 0}, radius[] = {1.2, 1.2};
    for (int k = 0; k < 12; k++) {
        mrn_scene s;
        mrn_message m = {0};
        mrn_cluster bell = {0};
        assert_int_equal(begin(&s, &m), MRN_OK);
        mrn_scene_add_law(&s, "steel", "steel", "hertz-mindlin", &m);
        mrn_scene_set_law(&s, "steel", "steel", "friction", 0.4, &m);
        mrn_scene_set_law(&s, "steel", "steel", "restitution", 0.9, &m);
        assert_int_equal(mrn_cluster_make("bell", 3, 2, centre, radius, 0, &bell, NULL, &m),
                         MRN_OK);
        assert_int_equal(mrn_scene_add_cluster(&s, &bell, &m), MRN_OK);
        assert_int_equal(mrn_scene_prepare(&s, &m), MRN_OK);
        s.cluster[0].inertia[k / 4] = bad[k % 4];
        assert_int_equal(mrn_scene_prepare(&s, &m), MRN_ERR_INPUT);
        assert_in(m.text, "it has no inertia");
        mrn_scene_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_stands_where_it_should),
        cmocka_unit_test(the_kth_allocation_fails_for_every_k),
        cmocka_unit_test(names_that_are_not_there),
        cmocka_unit_test(counts_that_are_not_there),
        cmocka_unit_test(the_same_twice),
        cmocka_unit_test(errors_stay),
        cmocka_unit_test(clusters_without_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
