/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers at the ends of what is possible: huge and tiny units, ratios of size and mass of 1e4, no
   gravity, friction 0 and 10, restitution 0 and 1, grains in one place or exactly on a wall, steps
   far too large, grains and meshes whose corners lie in a line or in one place. The run ends well
   with numbers in its files, or is refused or stopped with a word: never a nan in a file, never
   success with one. */
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
            ended += o->code == 0, stopped += o->code == 1, refused += o->code == 2;
            if (o->code < 2)
                expect_numbers(list[k].set[0]);
            remove_tree("x");
        }
    printf("%d ended well, %d were stopped, %d refused\n", ended, stopped, refused);
    assert_true(ended > 10);
}

/* ---- forms that degenerate ---- */

static const char form_text[] =
    "moraine: 1\n"
    "dimension: %s\nmethod: %s\n%s"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25},\n"
    "  feather: {density: 0.26 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: %s, restitution: 0.4, friction: 0.5}]\n"
    "bodies: [{name: a, material: stone, shape: {%s}, place: {list: [[0%s, 0.011]]}},\n"
    "  {name: b, material: feather, shape: {%s: {diameter: 1 cm}}, place: {list: [[0%s, 0.03]]}}]\n"
    "walls: [%s]\ngravity: [0, %s]\n"
    "stages: [{name: fall, until: {time: 20 ms}}]\n"
    "output: {every: 4 ms}\n";

static const char *const polygons[] = {
    "points: [[0, 0], [1, 0], [2, 0]]",                 /* in a line */
    "points: [[0, 0], [1, 0], [0.5, 1e-15]]",           /* nearly */
    "points: [[0, 0], [1, 0], [0.5, 1e-6]]",            /* a needle */
    "points: [[0, 0], [0, 0], [0, 0]]",                 /* in a place */
    "points: [[0, 0], [1, 0], [1, 0], [1, 1], [0, 0]]", /* twice the same */
    "points: [[0, 0], [1, 0], [1, 1e-300], [0, 1]]",    /* all but the same */
    "points: [[1e12, 1e12], [1e12, 1.000000001e12], [1.000000001e12, 1e12]]",
    "parts: [[[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1]]]", /* one in the other */
    "parts: [[[0, 0], [1, 0], [0, 1]], [[5, 5], [6, 5], [5, 6]]]", /* apart */
    "box: [1, 1e-9]",
    "random: {points: 3, elongation: 1e-6}",
    "sides: 3",
};

static const char *const polyhedra[] = {
    "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", /* in a plane */
    "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-15]]",
    "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-6]]",
    "points: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]",
    "points: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]",
    "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0.5, 0, 0]]",
    "box: [1, 1, 1e-9]",
    "random: {points: 4, elongation: 1e-6, flatness: 1e-6}",
    "regular: tetrahedron",
};

/* Faces of "mesh.stl", nine numbers each. */
static const double meshes[][3][9] = {
    {{-1, -1, 0, 1, -1, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 2, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {{0, 0, 0, 1, 0, 0, 2, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {{-1, -1, 0, 1, -1, 0, 0, 1, 0},
     {-1, -1, 0, 1, -1, 0, 0, 1, 0},
     {-1, -1, 0, 0, 1, 0, 1, -1, 0}},
    {{-1, 0, 0, 1, 0, 0, 0, 1e-15, 0},
     {-1, 0, 0, 1, 0, 0, 0, 1e-6, 0},
     {-1, -1, 0, 1, -1, 0, 0, 1, 0}},
    {{-1e30, -1e30, 0, 1e30, -1e30, 0, 0, 1e30, 0},
     {-1, -1, 0, 1, -1, 0, 0, 1, 0},
     {0, 0, -1, 0, 0, -2, 1e-30, 0, -1}},
};

static void write_mesh(const double face[3][9])
{
    char path[1200];
    snprintf(path, sizeof path, "%s/mesh.stl", work.path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "solid m\n");
    for (int k = 0; k < 3; k++) {
        const double *x = face[k];
        fprintf(f, "facet normal 0 0 1\nouter loop\nvertex %g %g %g\nvertex %g %g %g\n", x[0], x[1],
                x[2], x[3], x[4], x[5]);
        fprintf(f, "vertex %g %g %g\nendloop\nendfacet\n", x[6], x[7], x[8]);
    }
    fprintf(f, "endsolid m\n");
    assert_int_equal(fclose(f), 0);
}

/* The exit code of a scene with a grain of this form on such a wall. */
static int run_form(bool flat, bool hard, const char *form, const char *wall)
{
    char text[4000], path[1200];
    snprintf(path, sizeof path, "%s/form.yaml", work.path);
    snprintf(text, sizeof text, form_text, flat ? "2" : "3", hard ? "nonsmooth" : "smooth",
             hard ? "time-step: 0.2 ms\n" : "", hard ? "rigid" : "linear, contact-time: 1 ms", form,
             flat ? "" : ", 0", flat ? "disk" : "sphere", flat ? "" : ", 0", wall,
             flat ? "-9.81" : "0, -9.81");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    char *argv[] = {(char *)MRN_TEST_COMMAND,
                    "run",
                    "form.yaml",
                    "--out",
                    "x",
                    "--force",
                    "-q",
                    "--max-steps",
                    "3000",
                    NULL};
    const outcome *o = finish(start(argv));
    if (o->code > 2 || (o->code > 0 && o->err[0] == '\0'))
        fail_msg("%s, %s: code %d: %.600s", form, wall, o->code, o->err);
    if (o->code < 2)
        expect_numbers(form);
    remove_tree("x");
    return o->code;
}

static const char floor_of_scene[] =
    "{name: floor, material: stone, plane: {point: [0, %s], normal: [0, %s]}}";

static void forms(void **unused)
{
    (void)unused;
    char form[400], wall[200];
    int ended = 0, refused = 0;
    for (int hard = 0; hard < 2; hard++) {
        snprintf(wall, sizeof wall, floor_of_scene, "0", "1");
        for (size_t k = 0; k < sizeof polygons / sizeof *polygons; k++) {
            snprintf(form, sizeof form, "polygon: {%s, diameter: 2 cm}", polygons[k]);
            int code = run_form(true, hard, form, wall);
            ended += code == 0, refused += code == 2;
        }
        snprintf(wall, sizeof wall, floor_of_scene, "0, 0", "0, 1");
        for (size_t k = 0; k < sizeof polyhedra / sizeof *polyhedra; k++) {
            snprintf(form, sizeof form, "polyhedron: {%s, diameter: 2 cm}", polyhedra[k]);
            int code = run_form(false, hard, form, wall);
            ended += code == 0, refused += code == 2;
        }
        for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) {
            write_mesh(meshes[k]);
            int code = run_form(false, hard, "sphere: {diameter: 2 cm}",
                                "{name: m, material: stone, mesh: {file: mesh.stl}}");
            ended += code == 0, refused += code == 2;
            code = run_form(false, hard, "polyhedron: {regular: cube, diameter: 2 cm}",
                            "{name: m, material: stone, mesh: {file: mesh.stl}}");
            ended += code == 0, refused += code == 2;
        }
    }
    printf("%d ended well, %d were refused\n", ended, refused);
    assert_true(ended > 10 && refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes), cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
