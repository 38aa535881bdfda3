/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds that a program steps: the same bits as a run, bodies that come and go with their energy,
   handles and revisions, steps that follow what was added, several worlds at once, lack of memory.
 */
#include <omp.h>

#include "helper.h"

static const mrn_vec3 none = {0, 0, 0};

/* A box with some spheres above its floor. */
static mrn_status fill(mrn_scene *s, const char *method, int64_t count, mrn_message *msg)
{
    mrn_wall_def box = mrn_wall_default("box");
    mrn_group beads = mrn_group_fill(mrn_region_box(mrn_v3(0, 0, 0), mrn_v3(0.05, 0.05, 0.05)),
                                     count, mrn_size_uniform(3e-3, 4e-3));
    *s = mrn_scene_default();
    mrn_scene_set_method(s, method, msg);
    mrn_scene_set_gravity(s, mrn_v3(0, 0, -9.81), msg);
    mrn_scene_add_material(s, "glass", 2500, 5e6, 0.22, msg);
    mrn_scene_add_law(s, "glass", "glass", "hertz-mindlin", msg);
    mrn_scene_set_law(s, "glass", "glass", "restitution", 0.6, msg);
    mrn_scene_set_law(s, "glass", "glass", "friction", 0.4, msg);
    mrn_wall_set_box(&box, "corners", none, mrn_v3(0.05, 0.05, 0.2), msg);
    mrn_scene_add_wall(s, &box, msg);
    if (count > 0)
        mrn_scene_add_grains(s, "beads", "glass", NULL, &beads, msg);
    return msg->status;
}

static mrn_world *open_world(const char *method, int64_t count)
{
    mrn_scene s;
    mrn_message msg = {0};
    mrn_world *w = NULL;
    ok(fill(&s, method, count, &msg), &msg);
    ok(mrn_world_create(&s, &w, &msg), &msg);
    mrn_scene_destroy(&s);
    return w;
}

static void a_world_is_a_run(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    mrn_run_result r;
    mrn_run_options opt = mrn_run_default();
    mrn_world *w;
    opt.max_steps = 700; /* past a look at the step */
    ok(fill(&s, "smooth", 40, &msg), &msg);
    ok(mrn_scene_add_stage(&s, "fall", 1, &msg), &msg);
    assert_int_equal(mrn_run(&s, &opt, &r, &msg), MRN_INTERRUPTED);
    msg = (mrn_message){0};
    ok(mrn_world_create(&s, &w, &msg), &msg);
    ok(mrn_world_step(w, 300, &msg), &msg);
    ok(mrn_world_step(w, 400, &msg), &msg);
    assert_true(mrn_state_hash(mrn_world_state(w)) == r.hash);
    mrn_world_destroy(&w);
    mrn_world_destroy(&w);
    mrn_scene_destroy(&s);
}

/* Whatever comes, goes and is pushed, the account closes: to 1 % of what is moved about. */
static void bodies_come_and_go(void **unused)
{
    (void)unused;
    static const char *const method[] = {"smooth", "nonsmooth"};
    for (int k = 0; k < 2; k++) {
        mrn_message msg = {0};
        mrn_world *w = open_world(method[k], 20);
        mrn_body b[8], gone;
        assert_int_equal(mrn_world_grains(w), 20);
        for (int i = 0; i < 8; i++) {
            b[i] = mrn_world_add_sphere(w, 4e-3, mrn_v3(0.02, 0.03, 0.1 + 0.01 * i),
                                        mrn_v3(0, 0, -0.1 * i), &msg);
            ok(msg.status, &msg);
            ok(mrn_world_advance(w, 0.02 * (i + 1), &msg), &msg);
            assert_true(fabs(mrn_world_time(w) - 0.02 * (i + 1)) <= mrn_world_state(w)->h);
        }
        ok(mrn_world_remove(w, b[2], &msg), &msg);
        ok(mrn_world_remove(w, b[5], &msg), &msg);
        assert_int_equal(mrn_world_grains(w), 26);
        gone = b[5];
        b[5] =
            mrn_world_add(w, "beads", &(mrn_grain){.x = {0.03, 0.02, 0.19}, .radius = 2e-3}, &msg);
        assert_true(mrn_world_has(w, b[5]) && !mrn_world_has(w, gone));
        assert_true(isnan(mrn_world_position(w, gone).z));
        ok(mrn_world_set_velocity(w, b[0], mrn_v3(0, 0, 1), mrn_v3(0, 5, 0), &msg), &msg);
        assert_true(mrn_world_velocity(w, b[0]).z == 1 && mrn_world_spin(w, b[0]).y == 5);
        ok(mrn_world_advance(w, 0.25, &msg), &msg);
        mrn_energies e = mrn_world_energies(w);
        double moved = fabs(e.input) + e.dissipated;
        assert_true(fabs(e.residual) < 0.01 * moved);
        for (int i = 0; i < 8; i++)
            assert_true(i == 2 || mrn_world_position(w, b[i]).z > 0);
        assert_true(mrn_world_probe(w, "kinetic-energy") > 0);
        assert_true(isnan(mrn_world_probe(w, "no such probe")));
        mrn_world_destroy(&w);
    }
}

/* Handles find their bodies however often these are sorted; places hold while the revision does. */
static void places_hold_while_the_revision_does(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_world *w = open_world("smooth", 40);
    const mrn_state *s = mrn_world_state(w);
    mrn_body b = mrn_body_handle(s, s->body.n - 1);
    int sorted = 0, kept = 0;
    for (int i = 0; i < 300; i++) {
        int32_t id[64];
        int64_t revision = mrn_world_revision(w);
        const double *x = s->body.x;
        assert_true(s->body.n <= 64);
        memcpy(id, s->body.id, (size_t)s->body.n * sizeof *id);
        ok(mrn_world_step(w, 50, &msg), &msg);
        assert_ptr_equal(s, mrn_world_state(w));
        bool same = x == s->body.x && memcmp(id, s->body.id, (size_t)s->body.n * sizeof *id) == 0;
        if (revision == mrn_world_revision(w))
            assert_true(same);
        kept += revision == mrn_world_revision(w);
        sorted += !same;
        mrn_vec3 place = mrn_load3(s->body.x + 3 * (size_t)mrn_body_index(s, b));
        assert_true(mrn_world_position(w, b).z == place.z);
    }
    assert_true(sorted > 0 && kept > 100); /* both were met */
    int64_t revision = mrn_world_revision(w);
    mrn_body c = mrn_world_add_sphere(w, 3e-3, mrn_v3(0.02, 0.02, 0.15), none, &msg);
    assert_true(mrn_world_revision(w) > revision);
    revision = mrn_world_revision(w);
    ok(mrn_world_remove(w, c, &msg), &msg);
    assert_true(mrn_world_revision(w) > revision);
    mrn_world_destroy(&w);
}

/* An empty world has no reason for a short step; a small stiff grain is one. */
static void the_step_follows_what_is_added(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_world *w = open_world("smooth", 0);
    double first = mrn_world_state(w)->h;
    assert_int_equal(mrn_world_grains(w), 0);
    mrn_body a = mrn_world_add_sphere(w, 5e-3, mrn_v3(0.02, 0.02, 0.05), none, &msg);
    ok(mrn_world_step(w, 1, &msg), &msg);
    double second = mrn_world_state(w)->h;
    mrn_world_add_sphere(w, 1e-3, mrn_v3(0.03, 0.02, 0.05), none, &msg);
    ok(mrn_world_step(w, 1, &msg), &msg);
    assert_true(second < first && mrn_world_state(w)->h < second);
    ok(mrn_world_advance(w, 0.6, &msg), &msg);
    assert_true(fabs(mrn_world_position(w, a).z - 5e-3) < 1e-3); /* it lies on the floor */
    mrn_world_destroy(&w);
}

static void refusals(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_scene s = mrn_scene_default();
    mrn_world *w = NULL;
    assert_int_equal(mrn_world_create(&s, &w, &msg), MRN_ERR_INPUT); /* no material */
    assert_null(w);
    w = open_world("smooth", 3);
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_add_sphere(w, -1, none, none, &msg).id, 0);
    assert_int_equal(msg.status, MRN_ERR_RANGE);
    assert_int_equal(mrn_world_step(w, 1, &msg), MRN_ERR_RANGE); /* errors stay */
    assert_int_equal(mrn_world_state(w)->step, 0);
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_add_sphere(w, 1, mrn_v3(NAN, 0, 0), none, &msg).id, 0);
    assert_int_equal(msg.status, MRN_ERR_RANGE);
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_add(w, "baeds", &(mrn_grain){.radius = 1e-3}, &msg).id, 0);
    assert_non_null(strstr(msg.hint, "beads"));
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_remove(w, (mrn_body){0}, &msg), MRN_ERR_STALE);
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_enter(w, "shear", &msg), MRN_ERR_INPUT);
    msg = (mrn_message){0};
    assert_int_equal(mrn_world_advance(w, NAN, &msg), MRN_ERR_RANGE);
    msg = (mrn_message){0};
    mrn_body floor = mrn_body_handle(mrn_world_state(w), 0);
    assert_int_equal(mrn_world_remove(w, floor, &msg), MRN_ERR_RANGE);
    mrn_world_destroy(&w);
}

/* A push wakes a grain that sleeps: it flies, and falls asleep again where it lands. */
static void a_push_wakes(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    mrn_world *w;
    ok(fill(&s, "nonsmooth", 0, &msg), &msg);
    s.nonsmooth.sleep = true;
    s.time_step = 1e-3;
    ok(mrn_world_create(&s, &w, &msg), &msg);
    mrn_body b = mrn_world_add_sphere(w, 4e-3, mrn_v3(0.02, 0.02, 0.004), none, &msg);
    ok(mrn_world_step(w, 300, &msg), &msg);
    int32_t i = mrn_body_index(mrn_world_state(w), b);
    assert_true(mrn_world_state(w)->body.flags[i] & MRN_BODY_ASLEEP);
    ok(mrn_world_set_velocity(w, b, mrn_v3(0, 0, 0.5), none, &msg), &msg);
    ok(mrn_world_step(w, 20, &msg), &msg);
    /* 20 ms at 0.5 m/s, less a fall of 2 mm */
    assert_true(fabs(mrn_world_position(w, b).z - 0.012) < 5e-4);
    mrn_world_destroy(&w);
    mrn_scene_destroy(&s);
}

/* What a program may do by mistake, or before anything is there. */
static void mistakes(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_world *w = open_world("smooth", 1);
    assert_true(isnan(mrn_world_probe(w, NULL)));
    ok(mrn_world_step(w, 1, &msg), &msg);
    mrn_vec3 x = mrn_world_position(w, mrn_body_handle(mrn_world_state(w), 1));
    assert_true(mrn_world_add_sphere(w, 3e-3, x, none, &msg).id != 0); /* one in the other */
    assert_int_equal(mrn_world_step(w, INT64_MAX, &msg), MRN_EXPLODED);
    mrn_world_destroy(&w);
    w = open_world("quasistatic", 0); /* nothing is at rest */
    assert_int_equal(mrn_world_state(w)->quasistatic.smooth_steps, 0);
    mrn_world_destroy(&w);
    mrn_engine never = {0};
    msg = (mrn_message){0};
    assert_int_equal(mrn_engine_step(&never, 1, &msg), MRN_ERR_INPUT);
    assert_int_equal(mrn_engine_refresh(&never, &msg), MRN_ERR_INPUT);
    mrn_scene s;
    mrn_group row = mrn_group_lattice(mrn_region_box(none, mrn_v3(0.02, 0.02, 0.02)),
                                      (mrn_lattice_kind)99, 0, mrn_size_constant(3e-3));
    msg = (mrn_message){0};
    ok(fill(&s, "smooth", 0, &msg), &msg);
    ok(mrn_scene_add_grains(&s, "row", "glass", NULL, &row, &msg), &msg);
    assert_int_equal(mrn_world_create(&s, &w, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.expected, "hexagonal"));
    mrn_scene_destroy(&s);
}

/* Stages are entered when the program says so, and are those of a run. */
static void stages(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    mrn_world *w;
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    ok(fill(&s, "smooth", 30, &msg), &msg);
    s.time_step = 2e-5;
    ok(mrn_scene_add_stage(&s, "fall", 100 * 2e-5, &msg), &msg);
    ok(mrn_scene_add_stage(&s, "moon", 100 * 2e-5, &msg), &msg);
    ok(mrn_stage_set_gravity(&s, "moon", mrn_v3(0, 0, -1.6), &msg), &msg);
    ok(mrn_stage_set_law(&s, "moon", "glass", "glass", "friction", 0.1, &msg), &msg);
    ok(mrn_run(&s, &opt, &r, &msg), &msg);
    ok(mrn_world_create(&s, &w, &msg), &msg);
    ok(mrn_world_step(w, 100, &msg), &msg);
    ok(mrn_world_enter(w, "moon", &msg), &msg);
    ok(mrn_world_step(w, 100, &msg), &msg);
    assert_true(mrn_state_hash(mrn_world_state(w)) == r.hash);
    assert_true(mrn_world_scene(w)->gravity.z == -1.6);
    mrn_world_destroy(&w);
    mrn_scene_destroy(&s);
}

/* Worlds know nothing of each other. */
static void several_at_once(void **unused)
{
    (void)unused;
    uint64_t hash[4];
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int k = 0; k < 4; k++) {
        mrn_message msg = {0};
        mrn_scene s;
        mrn_world *w = NULL;
        fill(&s, "smooth", 20, &msg);
        mrn_world_create(&s, &w, &msg);
        mrn_world_step(w, 300, &msg);
        hash[k] = msg.status == MRN_OK ? mrn_state_hash(mrn_world_state(w)) : (uint64_t)k;
        mrn_world_destroy(&w);
        mrn_scene_destroy(&s);
    }
    for (int k = 1; k < 4; k++)
        assert_true(hash[k] == hash[0]);
}

static void a_picture(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    folder f = make_folder();
    char path[128];
    mrn_world *w = open_world("smooth", 10);
    snprintf(path, sizeof path, "%s/world.png", f.path);
    ok(mrn_world_draw(w, path, &msg), &msg);
    assert_true(there_is(f.path, "world.png"));
    mrn_world_destroy(&w);
    remove_tree(f.path);
}

/* A life of a world, all of it counted. */
static mrn_status live(mrn_message *msg)
{
    mrn_scene s;
    mrn_world *w = NULL;
    fill(&s, "smooth", 4, msg);
    mrn_world_create(&s, &w, msg);
    mrn_scene_destroy(&s);
    if (w == NULL)
        return msg->status;
    mrn_body b = mrn_world_add_sphere(w, 3e-3, mrn_v3(0.02, 0.02, 0.15), none, msg);
    mrn_world_step(w, 5, msg);
    mrn_world_remove(w, b, msg);
    mrn_world_step(w, 5, msg);
    mrn_world_destroy(&w);
    return msg->status;
}

static void the_kth_allocation_fails_for_every_k(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    for (int64_t k = 1; st != MRN_OK; k++) {
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        st = live(&msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        assert_true(st != MRN_OK || k > 50);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_a_run),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(places_hold_while_the_revision_does),
        cmocka_unit_test(the_step_follows_what_is_added),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_push_wakes),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(stages),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(a_picture),
        cmocka_unit_test(the_kth_allocation_fails_for_every_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
