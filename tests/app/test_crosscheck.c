/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine crosscheck` on disks that settle: two methods that agree, a difference that was planted,
   laws translated either way, what is left out and what is refused. */
/* ctest-labels: slow long */
#include "app/lab_files.h"

/* Stiff enough for overlaps of a thousandth, damped so that it ends soon. */
#define HEAD                                                                                       \
    "moraine: 1\n"                                                                                 \
    "title: Disks settle\n"                                                                        \
    "dimension: 2\n"                                                                               \
    "materials: {glass: {density: 2500 kg/m3}}\n"
#define WORLD                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: small, shape: {disk: {diameter: 1.6 mm}}, count: 30,\n"                            \
    "     place: {fill: {box: [[0, 0], [1.2 cm, 4 cm]]}}}\n"                                       \
    "  - {name: large, shape: {disk: {diameter: 2.4 mm}}, count: 30,\n"                            \
    "     place: {fill: {box: [[0, 0], [1.2 cm, 4 cm]]}}}\n"                                       \
    "cell: {periodic: [x], size: [1.2 cm, 0]}\n"                                                   \
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"                             \
    "gravity: [0, -9.81 m/s2]\n"                                                                   \
    "stages: [{name: settle, until: {time: 0.2 s}}]\n"                                             \
    "output: {probes-every: 5 ms, probes: [walls.floor.force.y]}\n"

static const char springs[] =
    HEAD "interactions:\n"
         "  - {between: [glass, glass], law: linear, normal-stiffness: 5e5 N/m, restitution: 0.2,\n"
         "     friction: 0.5}\n" WORLD;
static const char rigid[] =
    HEAD "interactions: [{between: [glass, glass], law: rigid, restitution: 0.2, friction: 0.5}]\n"
         "method: nonsmooth\n" WORLD;
static const char viscous[] =
    HEAD "interactions:\n"
         "  - {between: [glass, glass], law: linear, normal-stiffness: 2e6 N/m,\n"
         "     normal-damping: 40 N s/m, friction: 0.5}\n" WORLD;
static const char sheared[] =
    HEAD "interactions:\n"
         "  - {between: [glass, glass], law: linear, normal-stiffness: 2e6 N/m, restitution: 0.2,\n"
         "     friction: 0.5}\n"
         "integrator: euler\ndamping: {local: 0.2}\n" WORLD;

static int set_up(void **unused)
{
    lab_set_up(unused);
    write_file("springs.yaml", springs);
    write_file("rigid.yaml", rigid);
    write_file("viscous.yaml", viscous);
    write_file("sheared.yaml", sheared);
    return 0;
}

/* The comparison of a number. */
static json_t *pair(const json_t *root, const char *name)
{
    json_t *p, *found = NULL;
    size_t i;
    json_array_foreach(json_object_get(root, "pairs"), i,
                       p) if (strcmp(json_string_value(json_object_get(p, "number")), name) == 0)
        found = p;
    if (found == NULL)
        fail_msg("nothing is said of %s", name);
    return found;
}

static void verdict(const json_t *root, const char *name, const char *expected)
{
    const json_t *p = pair(root, name);
    const char *found = json_string_value(json_object_get(p, "verdict"));
    if (strcmp(found, expected) != 0)
        fail_msg("%s: %s, not %s: difference %g +- %g, margin %g", name, found, expected,
                 number(p, "difference"), number(p, "half-width"), number(p, "margin"));
}

/* Four seeds: what the floor bears is the weight to a few parts in a thousand (what still moves),
   whatever the method; nothing may be said to differ but what statics leaves open between rigid
   grains, and the report says so: how much friction is mobilised along states of self-stress is
   the solver's choice. Finite numbers of grains scatter: that some of the rest cannot be told is
   right. */
static void test_agree(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "crosscheck", "springs.yaml", "--seeds", "4", "--methods",
                         "smooth,nonsmooth", "--json", "--out", "agree", NULL);
    json_t *root = parse(o->out), *p;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(root, "methods")), 2);
    verdict(root, "walls.floor.force.y", "agree");
    verdict(root, "kinetic energy, end", "agree");
    json_array_foreach(json_object_get(root, "pairs"), i, p)
    {
        const char *name = json_string_value(json_object_get(p, "number"));
        bool differ = strcmp(json_string_value(json_object_get(p, "verdict")), "differ") == 0;
        if (differ && strcmp(name, "mobilised-friction") != 0)
            fail_msg("%s is said to differ", name);
    }
    assert_int_equal((int)number(root, "comparisons"), (int)i);
    json_decref(root);
    assert_true(there_is(work.path, "agree/report.html"));
    assert_true(there_is(work.path, "agree/solid-fraction.svg"));
    assert_true(there_is(work.path, "agree/forces.svg"));
    assert_true(there_is(work.path, "agree/runs/nonsmooth-4.json"));
    o = moraine(0, "crosscheck", "springs.yaml", "--seeds", "4", "--methods", "smooth,nonsmooth",
                "--resume", "--out", "agree", NULL);
    expect_text(o->out, "counts as restitution 0.2, friction 0.5");
    expect_text(o->out, "Finite stiffness, smooth");
    expect_text(o->out, "states of self-stress");
    expect_text(o->out, "mobilised friction depend on history and solver");
}

/* Without friction disks pack denser and touch more: 3.7 contacts instead of 3.3, which eight seeds
   of 60 disks tell apart (with four the command says that it cannot tell, and that about six would
   do). The forces of the floor know nothing of it. */
static void test_planted(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "crosscheck", "springs.yaml", "--seeds", "8", "--methods",
                         "smooth,nonsmooth", "--only", "nonsmooth:interactions.0.friction=0",
                         "--json", "--out", "planted", NULL);
    json_t *root = parse(o->out);
    verdict(root, "coordination", "differ");
    assert_true(number(pair(root, "coordination"), "difference") > 0.3);
    verdict(root, "walls.floor.force.y", "agree");
    json_decref(root);
}

static void test_translated(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "crosscheck", "rigid.yaml", "--plan", NULL);
    expect_text(o->out, "law rigid between glass and glass becomes linear: normal-stiffness");
    expect_text(o->out, "restitution 0.2 and friction 0.5 kept");
    expect_text(o->out, "quasistatic is left out: it has no inertia");
    o = moraine(0, "crosscheck", "viscous.yaml", "--plan", "--methods", "smooth,nonsmooth",
                "--json", NULL);
    json_t *root = parse(o->out), *methods = json_object_get(root, "methods"), *words;
    assert_int_equal(json_array_size(methods), 2);
    words = json_object_get(json_array_get(methods, 1), "words");
    const char *said = json_string_value(json_array_get(words, 0));
    expect_text(said, "becomes rigid: restitution 0.");
    expect_text(said, "two mean grains that meet at");
    /* k 2e6, gamma 40, m/2 = 4.08e-3 kg: damping ratio 0.221; a contact that ends with its force
       rebounds by exp(-(zeta / sqrt(1 - zeta²)) (pi - atan(2 zeta sqrt(1 - zeta²) / (2 zeta² -
       1)))), 0.53, for grains of mean size */
    double e = strtod(strstr(said, "restitution ") + 12, NULL);
    if (!(fabs(e - 0.54) < 0.01))
        fail_msg("restitution %g", e);
    json_decref(root);
}

static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *args[8], *says[3];
    } list[] = {
        {{NULL}, {"which scene?"}},
        {{"springs.yaml", "-p", "solid-fracton"}, {"'solid-fracton'", "'solid-fraction'"}},
        {{"springs.yaml", "--methods", "smoth"}, {"no method 'smoth'", "'smooth'"}},
        {{"springs.yaml", "--methods", "smooth"}, {"only method smooth can"}},
        {{"springs.yaml", "--stage", "setle"}, {"no stage 'setle'", "'settle'"}},
        {{"springs.yaml", "--only", "friction=3"}, {"no change for one method", "METHOD:PATH"}},
        {{"springs.yaml", "--only", "smooth:interactions.0.frictoin=3"}, {"frictoin"}},
        {{"springs.yaml", "--seeds", "1"}, {"--seeds"}},
        {{"sheared.yaml"}, {"only method smooth can do this scene", "no local damping"}},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *const *a = list[i].args;
        outcome *o = moraine(2, "crosscheck", a[0], a[1], a[2], a[3], a[4], a[5], a[6], NULL);
        for (int k = 0; k < 3 && list[i].says[k] != NULL; k++)
            expect_text(o->err, list[i].says[k]);
    }
    assert_false(there_is(work.path, "out"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_translated),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, lab_tear_down);
}
