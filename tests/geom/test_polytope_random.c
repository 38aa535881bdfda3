/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random grains and crushed stones: they fill the box asked for, have the corners asked for, are
   the same for the same seed, and crushed stones look like ballast in numbers. */
#include "geom/helper.h"

#include "moraine/polytope.h"

static void ok(mrn_status st, const mrn_message *msg)
{
    if (st != MRN_OK)
        fail_msg("status %d: %s", st, msg->text);
}

static mrn_polytope random_polytope(int dimension, mrn_random_polytope p)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_random(dimension, &p, &f, &msg), &msg);
    return f;
}

static mrn_polytope crushed(mrn_random_polytope p)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_crushed(&p, &f, &msg), &msg);
    return f;
}

/* Stretching along principal axes is exact: 1e-10 is rounding, of flat ones too. */
static void fills_its_box(void **state)
{
    (void)state;
    const double ratio[] = {1, 0.9, 0.5, 0.1, 0.01};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int e = 0; e < 5; e++)
            for (int s = 0; s < (dimension == 3 ? 5 : 1); s++)
                for (uint64_t seed = 0; seed < 6; seed++) {
                    mrn_random_polytope p = {ratio[e], ratio[s], 0.2 * (double)seed, 0, seed};
                    mrn_polytope f = random_polytope(dimension, p);
                    assert_near(f.elongation, ratio[e], 1e-10);
                    assert_near(f.flatness, dimension == 3 ? ratio[s] : 1, 1e-10);
                    assert_int_equal(f.n_parts, 1);
                    mrn_polytope_release(&f);
                }
}

static void has_its_corners(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int points = dimension + 1; points < 200; points = points * 5 / 4 + 1)
            for (uint64_t seed = 0; seed < 4; seed++) {
                mrn_polytope f =
                    random_polytope(dimension, (mrn_random_polytope){0.7, 0.8, 0.5, points, seed});
                assert_int_equal(f.part[0].n_points, points);
                mrn_polytope_release(&f);
            }
}

/* Mean over some seeds: fewer faces and larger angles the more angular. */
static void angular(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        double last_faces = INFINITY, last_angle = 0;
        for (int a = 0; a <= 4; a++) {
            double faces = 0, angle = 0;
            for (uint64_t seed = 0; seed < 100; seed++) {
                mrn_random_polytope p = {0.8, 0.8, 0.25 * a, 0, seed};
                mrn_polytope f = kind < 2 ? random_polytope(2 + kind, p) : crushed(p);
                faces += f.part[0].n_faces, angle += f.angularity;
                mrn_polytope_release(&f);
            }
            assert_true(faces < last_faces && angle > last_angle);
            last_faces = faces, last_angle = angle;
        }
    }
}

static void same_polytope(const mrn_polytope *a, const mrn_polytope *b, bool same)
{
    const mrn_convex *p = &a->part[0], *q = &b->part[0];
    bool equal =
        p->n_points == q->n_points && p->n_faces == q->n_faces &&
        memcmp(p->point, q->point, 3 * (size_t)p->n_points * sizeof *p->point) == 0 &&
        memcmp(p->plane, q->plane, 4 * (size_t)p->n_faces * sizeof *p->plane) == 0 &&
        memcmp(p->corner, q->corner, (size_t)p->face_start[p->n_faces] * sizeof *p->corner) == 0;
    assert_int_equal(equal, same);
}

static void by_seed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            mrn_random_polytope p = {0.7, 0.7, 0.5, 0, seed}, other = p;
            other.seed++;
            mrn_polytope a = kind < 2 ? random_polytope(2 + kind, p) : crushed(p);
            mrn_polytope b = kind < 2 ? random_polytope(2 + kind, p) : crushed(p);
            mrn_polytope c = kind < 2 ? random_polytope(2 + kind, other) : crushed(other);
            same_polytope(&a, &b, true);
            same_polytope(&a, &c, false);
            mrn_polytope_release(&a);
            mrn_polytope_release(&b);
            mrn_polytope_release(&c);
        }
}

/* 400 stones: means of elongation and flatness within 4 standard errors (0.1 / 20) of those asked,
   all of them blocks: 8 to 35 faces, no needle or plate, a solid middle. */
static void ballast(void **state)
{
    (void)state;
    double elongation = 0, flatness = 0, faces = 0, sphericity = 0, angularity = 0, square = 0;
    int n = 400;
    for (int k = 0; k < n; k++) {
        mrn_polytope f = crushed((mrn_random_polytope){0.7, 0.7, 0.5, 0, (uint64_t)k});
        const mrn_convex *c = &f.part[0];
        assert_true(c->n_faces >= 8 && c->n_faces <= 35);
        assert_int_equal(c->n_points - c->n_edges + c->n_faces, 2);
        assert_true(f.elongation > 0.44 && f.elongation < 0.96);
        assert_true(f.flatness > 0.44 && f.flatness < 0.96);
        assert_true(c->inner > 0.7); /* of 2, a ball */
        elongation += f.elongation / n, flatness += f.flatness / n, faces += c->n_faces / (double)n;
        square += f.elongation * f.elongation / n;
        sphericity += f.sphericity / n, angularity += f.angularity / n;
        mrn_polytope_release(&f);
    }
    assert_near(elongation, 0.7, 0.02);
    assert_near(flatness, 0.7, 0.02);
    assert_near(sqrt(square - elongation * elongation), 0.09, 0.015);
    assert_true(faces > 14 && faces < 24);
    assert_true(sphericity > 0.78 && sphericity < 0.86); /* a cube has 0.81 */
    assert_true(angularity > 0.25 && angularity < 0.4);
    mrn_polytope f = crushed((mrn_random_polytope){1, 1, 0, 0, 3}); /* no room to vary */
    assert_near(f.elongation, 1, 1e-10);
    assert_near(f.flatness, 1, 1e-10);
    mrn_polytope_release(&f);
    f = crushed((mrn_random_polytope){0.05, 0.05, 1, 0, 3});
    assert_true(f.elongation > 0.02 && f.flatness > 0.02);
    mrn_polytope_release(&f);
}

static void refuses(int dimension, mrn_random_polytope p, const char *word)
{
    mrn_polytope f;
    mrn_message msg = {0};
    assert_int_equal(mrn_polytope_random(dimension, &p, &f, &msg), MRN_ERR_INPUT);
    assert_true(strstr(msg.text, word) != NULL && msg.expected[0] != '\0');
    assert_null(f.part);
    if (dimension == 3)
        assert_int_equal(mrn_polytope_crushed(&p, &f, &msg), MRN_ERR_INPUT);
}

static void wrong_wishes(void **state)
{
    (void)state;
    refuses(3, (mrn_random_polytope){0, 0.5, 0.5, 0, 1}, "elongation");
    refuses(2, (mrn_random_polytope){1.1, 0.5, 0.5, 0, 1}, "elongation");
    refuses(3, (mrn_random_polytope){NAN, 0.5, 0.5, 0, 1}, "elongation");
    refuses(3, (mrn_random_polytope){0.5, -0.5, 0.5, 0, 1}, "flatness");
    refuses(3, (mrn_random_polytope){0.5, 0.5, 1.5, 0, 1}, "angularity");
    refuses(3, (mrn_random_polytope){0.5, 0.5, -0.5, 0, 1}, "angularity");
    refuses(3, (mrn_random_polytope){0.5, 0.5, 0.5, 3, 1}, "corners");
    refuses(2, (mrn_random_polytope){0.5, 0.5, 0.5, 2, 1}, "corners");
    refuses(3, (mrn_random_polytope){0.5, 0.5, 0.5, 100000, 1}, "corners");
    refuses(3, (mrn_random_polytope){0.5, 0.5, 0.5, -1, 1}, "corners");
    mrn_polytope f;
    mrn_random_polytope p = {0.5, 0.5, 0.5, 0, 1};
    assert_int_equal(mrn_polytope_random(4, &p, &f, NULL), MRN_ERR_RANGE);
    p.flatness = 1e-9; /* thinner than any hull */
    p.elongation = 1e-3;
    assert_int_equal(mrn_polytope_random(3, &p, &f, NULL), MRN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_its_box), cmocka_unit_test(has_its_corners),
        cmocka_unit_test(angular),       cmocka_unit_test(by_seed),
        cmocka_unit_test(ballast),       cmocka_unit_test(wrong_wishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
