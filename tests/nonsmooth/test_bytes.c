/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the non-smooth engine holds per contact point, for every kind of contact. */
#include "nonsmooth/kit.h"

enum { ACROSS = 8 };

/* Cubes of 1 cm, face on face. */
static void list_cubes(char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "{list: [");
    for (int k = 0; k < ACROSS * ACROSS * ACROSS; k++)
        n += (size_t)snprintf(text + n, size - n, "%s[%d cm, %d cm, %d.5 cm]", k > 0 ? ", " : "",
                              k % ACROSS, k / ACROSS % ACROSS, k / ACROSS / ACROSS);
    snprintf(text + n, size - n, "]}");
}

/* Bytes per point after three steps of grains side by side and on top of each other; `place` NULL:
   a lattice. */
static double bytes_per_point(int dimension, const char *shape, const char *law, const char *place)
{
    static char text[1 << 16];
    bool plane = dimension == 2;
    const char *lattice = plane
                              ? "{lattice: {kind: cubic, box: [[0, 0], [40 cm, 40 cm]]}}"
                              : "{lattice: {kind: cubic, box: [[0, 0, 0], [12 cm, 12 cm, 12 cm]]}}";
    snprintf(text, sizeof text,
             "moraine: 1\nmethod: nonsmooth\ndimension: %d\ngravity: %s\n"
             "nonsmooth: {tolerance: 1e-3, unsolved: go-on, max-iterations: 20}\n"
             "materials: {m: {density: 2500 kg/m3}}\n"
             "interactions: [{between: any, law: rigid, friction: 0.4%s}]\n"
             "walls: [{name: floor, plane: {%s}}]\n"
             "bodies: [{name: grains, shape: {%s}, place: %s}]\n"
             "stages: [{until: {time: 1 s}}]\n",
             dimension, plane ? "[0, -9.81]" : "[0, 0, -9.81]", law,
             plane ? "point: [0, 0], normal: [0, 1]" : "point: [0, 0, 0], normal: [0, 0, 1]", shape,
             place != NULL ? place : lattice);
    rig w;
    rig_begin(&w, text, 1e-3);
    ok(mrn_nonsmooth_step(w.engine, 3, &w.msg), &w.msg);
    assert_true(w.state.contact.n > 2000);
    double bytes = (double)mrn_nonsmooth_bytes(w.engine) / (double)w.state.contact.n;
    rig_end(&w);
    return bytes;
}

/* Some 6 kB per point were held when every kind stored W, and 10 kB with rolling friction in 3D. */
static void no_kind_takes_more_than_two_and_a_half_kilobytes(void **state)
{
    (void)state;
    static const struct {
        int dimension;
        const char *shape, *law;
    } kind[] = {
        {2, "disk: {diameter: 1 cm}", ""},
        {2, "disk: {diameter: 1 cm}", ", rolling-friction: 0.05"},
        {3, "sphere: {diameter: 1 cm}", ""},
        {3, "sphere: {diameter: 1 cm}", ", rolling-friction: 0.05"},
        {3, "polyhedron: {box: [1 cm, 1 cm, 1 cm]}", ""},
    };
    static char cubes[1 << 15];
    list_cubes(cubes, sizeof cubes);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        double bytes =
            bytes_per_point(kind[k].dimension, kind[k].shape, kind[k].law, k == 4 ? cubes : NULL);
        print_message("%s%s: %.0f bytes\n", kind[k].shape, kind[k].law, bytes);
        assert_true(bytes < 2500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kind_takes_more_than_two_and_a_half_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
