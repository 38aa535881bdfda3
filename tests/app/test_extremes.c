/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers at the ends of what is possible: huge and tiny units, ratios of size and mass of 1e4, no
   gravity, friction 0 and 10, restitution 0 and 1, grains in one place or exactly on a wall, steps
   far too large. The run ends well with numbers in its files, or is refused or stopped with a word:
   never a nan in a file, never success with one. */
/* ctest-labels: slow long */
#include "app/command.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: a, shape: {sphere: {diameter: 1 cm}}, place: {list: [{position: [0, 0, 6 mm]},\n"
    "     {position: [1 mm, 0, 17 mm]}]}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 10 ms}}]\n"
    "output: {every: 2 ms, probes: [kinetic-energy]}\n";

static int set_up(void **unused)
{
    (void)unused;
    return make_folder_with("s.yaml", scene_text);
}

/* Probes of what is not there are nan in their table; places and speeds never. */
static void expect_numbers(const char *what)
{
    moraine(0, "export", "x", "--format", "csv", "--out", "frames.csv", NULL);
    static const char *const name[] = {"frames.csv", "x/summary.json"};
    for (int k = 0; k < 2; k++) {
        char *text = slurp(work.path, name[k]);
        if (strstr(text, "nan,") != NULL || strstr(text, "inf,") != NULL ||
            strstr(text, "NaN") != NULL)
            fail_msg("%s: no numbers in %s: %.900s", what, name[k], text);
        free(text);
    }
}

static const char rigid[] =
    "interactions=[{between: any, law: rigid, restitution: 0.4, friction: 0.5}]";

/* Two settings at most; each under methods smooth, nonsmooth and event. */
typedef struct extreme {
    const char *set[2];
} extreme;

static void extremes(void **unused)
{
    (void)unused;
    static const extreme list[] = {
        {{"materials.stone.density=1e-12 kg/m3", NULL}},
        {{"materials.stone.density=1e15 kg/m3", NULL}},
        {{"materials.stone.young=1e-6 Pa", NULL}},
        {{"materials.stone.young=1e18 Pa", NULL}},
        {{"gravity=[0, 0, 0]", NULL}},
        {{"gravity=[0, 0, -1e12]", NULL}},
        {{"interactions.0.friction=0", NULL}},
        {{"interactions.0.friction=10", NULL}},
        {{"interactions.0.restitution=1", NULL}},
        {{"interactions.0.restitution=1e-6", NULL}},
        {{"bodies.0.place.list.1.position=[0, 0, 6 mm]", NULL}}, /* one in the other */
        {{"bodies.0.place.list.1.position=[0, 0, 1 cm]",         /* both at one point */
          "bodies.0.place.list.0.position=[0, 0, 1 cm]"}},
        {{"interactions.0.restitution=0", NULL}},
        {{"bodies.0.place.list.0.position=[0, 0, 5 mm]", NULL}},  /* on the wall */
        {{"bodies.0.place.list.0.position=[0, 0, -5 mm]", NULL}}, /* under it */
        {{"bodies.0.place.list.0.position=[0, 0, 0]", NULL}},     /* in it */
        {{"bodies.0.place.list.0.position=[1e12, 0, 1]", NULL}},
        {{"bodies.0.place.list.0.velocity=[0, 0, -1e8]", NULL}},
        {{"bodies.0.place.list.0.spin=[0, 1e12, 0]", NULL}},
        {{"time-step=1 s", NULL}},
        {{"time-step=1e-300 s", "stages.0.until={time: 1e-298 s}"}},
        {{"bodies.0.shape.sphere.diameter=1e-9 m", "stages.0.until={time: 1 us}"}},
        {{"bodies.0.shape.sphere.diameter=1e6 m", NULL}},
        /* ratios of size (and 1e12 of mass), of mass alone */
        {{"bodies.0.place.list.1={position: [0, 0, 12 mm], diameter: 1 um}", NULL}},
        {{"bodies.0.place.list.1={position: [0, 0, 60 m], diameter: 100 m}", NULL}},
        {{"materials.stone.density=1e-4 kg/m3", "gravity=[0, 0, -1e4]"}},
        {{"gravity=[1e300, 0, 0]", NULL}},
        {{"bodies.0.place.list.1.position=[0, 0, 16 mm]", NULL}}, /* in touch, to rounding */
        {{"bodies.0.place.list.1.velocity=[1e-200, 0, -1e-200]", NULL}},
        {{"bodies.0.shape={polyhedron: {regular: cube, diameter: 1 cm}}", NULL}},
        {{"bodies.0.shape={polyhedron: {box: [1 cm, 1 cm, 1 um]}}", NULL}},
        {{"bodies.0.shape={polyhedron: {box: [1 m, 1 mm, 1 mm]}}", "gravity=[0, 0, -1e5]"}},
    };
    int ended = 0, refused = 0, stopped = 0;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int other = 0; other < 3; other++) {
            char *argv[24] = {(char *)MRN_TEST_COMMAND,
                              "run",
                              "s.yaml",
                              "--out",
                              "x",
                              "--force",
                              "-q",
                              "--max-steps",
                              "20000",
                              NULL};
            int n = 9;
            if (other) {
                argv[n++] = "--set", argv[n++] = other == 1 ? "method=nonsmooth" : "method=event";
                argv[n++] = "--set", argv[n++] = (char *)rigid;
            }
            if (other == 1)
                argv[n++] = "--set", argv[n++] = "time-step=0.1 ms";
            for (int i = 0; i < 2 && list[k].set[i] != NULL; i++)
                argv[n++] = "--set", argv[n++] = (char *)list[k].set[i];
            argv[n] = NULL;
            const outcome *o = finish(start(argv));
            if (o->code > 2)
                fail_msg("%s: code %d: %.600s", list[k].set[0], o->code, o->err);
            if (o->code != 0)
                assert_true(o->err[0] != '\0');
            if (o->code == 0)
                expect_numbers(list[k].set[0]);
            ended += o->code == 0, stopped += o->code == 1, refused += o->code == 2;
            remove_tree("x");
        }
    printf("%d ended well, %d were stopped, %d refused\n", ended, stopped, refused);
    assert_true(ended > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes)};
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
