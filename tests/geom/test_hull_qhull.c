/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctest-needs: qhull */
/* Convex hulls against those of Qhull, an independent program: the same corners, faces and volume.
 */
#include "geom/helper.h"

#include <libqhull_r/qhull_ra.h>

#include "geom/convex.h"
#include "geom/hull.h"

typedef struct theirs {
    int corners, faces;
    double volume;
} theirs;

/* Qhull merges faces that are flat within its own rounding; it keeps the points it is given. */
static theirs ask_qhull(double *point, int n)
{
    qhT space, *qh = &space;
    char command[] = "qhull FA";
    int short_left = 0, long_left = 0;
    memset(qh, 0, sizeof *qh);
    qh_zero(qh, stderr);
    assert_int_equal(qh_new_qhull(qh, 3, n, point, 0, command, NULL, stderr), 0);
    qh_getarea(qh, qh->facet_list);
    theirs t = {qh->num_vertices, qh->num_facets, qh->totvol};
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &short_left, &long_left);
    return t;
}

/* Kinds: in a cube; on a sphere; most inside, few out; a turned lattice, all faces of many corners.
 */
static void same_hulls(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(23, 0);
    for (int trial = 0; trial < 800; trial++) {
        int n = trial % 4 == 3 ? 125 : 5 + (int)between(&r, 0, 400);
        double *p = mrn_alloc((size_t)n * 3 * sizeof *p);
        mrn_quat q = mrn_quat_from_rotation(point_in(&r, -2, 2));
        for (int i = 0; i < n; i++) {
            mrn_vec3 x = point_in(&r, -1, 1);
            if (trial % 4 == 1)
                x = mrn_unit(x);
            if (trial % 4 == 2)
                x = mrn_scale(pow(mrn_norm(x), 3), x);
            if (trial % 4 == 3)
                x = mrn_rotate(q, mrn_v3(i % 5, i / 5 % 5, i / 25));
            mrn_store3(p + 3 * i, x);
        }
        theirs t = ask_qhull(p, n);
        mrn_convex c;
        assert_int_equal(mrn_hull("it", 3, n, p, MRN_HULL_EXACT, &c, NULL), MRN_OK);
        assert_int_equal(c.n_points, t.corners);
        assert_int_equal(c.n_faces, t.faces);
        assert_near(mrn_convex_moments(&c).volume, t.volume, 1e-12 * t.volume);
        mrn_convex_release(&c);
        mrn_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_hulls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
