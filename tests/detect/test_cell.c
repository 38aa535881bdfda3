/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sheared periodic cells: nearest images, lists against brute force, shears turned back by whole
   periods, lists that hold while the cell strains. */
#include "detect/detect.h"
#include "kit.h"

/* n grains anywhere in three cells, radii between 1/ratio and 1 mm, uniform in the logarithm. */
static void scatter(world *w, int n, double ratio, mrn_rng *rng)
{
    for (int k = 0; k < n; k++) {
        double x[3];
        for (int d = 0; d < 3; d++) {
            double size = w->scene.cell.periodic[d] ? w->scene.cell.size[d] : 9e-3;
            x[d] = w->scene.cell.origin[d] + uniform(rng, -size, 2 * size);
        }
        if (w->scene.dimension == 2)
            x[2] = 0;
        world_grain(w, 1e-3 * pow(ratio, -mrn_rng_uniform(rng)), mrn_load3(x), mrn_v3(0, 0, 0),
                    mrn_v3(0, 0, 0));
    }
}

/* A world of random cell, periodic directions as bits, tilts up to `most` lengths. */
static void sheared(world *w, int dimension, int periodic, double most, double ratio, int n,
                    double size, mrn_rng *rng)
{
    kit_begin(w, dimension);
    for (int k = 0; k < 3; k++)
        if (periodic >> k & 1) {
            double origin = uniform(rng, -5e-3, 5e-3), length = size * uniform(rng, 1, 1.3);
            world_periodic(w, k, origin, length);
        }
    scatter(w, n, ratio, rng);
    kit_ready(w);
    const double *l = w->state.cell_size;
    w->state.cell_tilt[0] = uniform(rng, -most, most) * l[0];
    if (dimension == 3) {
        w->state.cell_tilt[1] = uniform(rng, -most, most) * l[0];
        w->state.cell_tilt[2] = uniform(rng, -most, most) * l[1];
    }
}

/* Every pair with an image nearer than half of all sizes gets that image, whatever the tilt, and a
   cell without tilt gives the bits it always gave. */
static void nearest_images(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(11, 0);
    int near = 0;
    for (int trial = 0; trial < 300; trial++) {
        world w;
        sheared(&w, 3, 7, trial % 3 ? 0.5 : 2.5, 1, 0, 1e-2, &rng);
        lattice l = lattice_of(&w);
        mrn_images im = mrn_images_of(&w.scene, &w.state);
        double half = 0.5 * fmin(im.size[0], fmin(im.size[1], im.size[2]));
        mrn_vec3 u = {uniform(&rng, -1, 1), uniform(&rng, -1, 1), uniform(&rng, -1, 1)};
        mrn_vec3 d = mrn_scale(uniform(&rng, 0, 1.2) * half, mrn_unit(u));
        mrn_vec3 far =
            mrn_add(d, lattice_at(&l, floor(uniform(&rng, -3, 4)), floor(uniform(&rng, -3, 4)),
                                  floor(uniform(&rng, -3, 4))));
        mrn_vec3 got = mrn_images_nearest(&im, far);
        if (mrn_norm(d) < half) {
            near++;
            /* a few roundings of numbers of the size of some cells */
            assert_close(mrn_norm(mrn_sub(got, d)), 0, 1e-16);
        }
        memset(im.tilt, 0, sizeof im.tilt);
        got = mrn_images_nearest(&im, far);
        assert_true(got.x == mrn_nearest(far.x, im.size[0], im.inv[0]));
        assert_true(got.y == mrn_nearest(far.y, im.size[1], im.inv[1]));
        assert_true(got.z == mrn_nearest(far.z, im.size[2], im.inv[2]));
        world_end(&w);
    }
    assert_true(near > 200);
}

/* Height of a face: volume over area. */
static void heights(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(12, 0);
    for (int trial = 0; trial < 50; trial++) {
        world w;
        sheared(&w, 3, 7, 1, 1, 0, 1e-2, &rng);
        lattice l = lattice_of(&w);
        mrn_images im = mrn_images_of(&w.scene, &w.state);
        for (int k = 0; k < 3; k++) {
            mrn_vec3 face = mrn_cross(l.edge[(k + 1) % 3], l.edge[(k + 2) % 3]);
            double want = fabs(mrn_dot(face, l.edge[k])) / mrn_norm(face);
            assert_close(mrn_images_height(&im, k) / want, 1, 1e-13);
        }
        world_end(&w);
    }
}

/* The list of a fresh build holds exactly the pairs closer than the skin. */
static void check_list(const world *w, const lattice *l, int most, int64_t *all)
{
    const mrn_pairs *p = &w->state.pair;
    int64_t n = 0;
    for (int32_t i = w->state.body.n_walls; i < w->state.body.n; i++)
        for (int32_t j = i + 1; j < w->state.body.n; j++) {
            bool near = brute_gap(w, l, i, j, most) < p->skin;
            assert_int_equal(near, is_listed(p, i, j));
            n += near;
        }
    assert_int_equal(n, p->n_grain);
    *all += n;
}

static void lists_in_sheared_cells(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(13, 0);
    double ratios[] = {1, 20, 100};
    int64_t all = 0;
    for (int trial = 0; trial < 72; trial++) {
        world w;
        int dimension = 2 + trial % 2, masks[] = {7, 3, 5, 6, 7, 7};
        int mask = dimension == 2 ? 3 : masks[trial / 2 % 6];
        double most = trial % 5 == 4 ? 2.4 : 0.5, size = trial % 4 == 3 ? 4.1e-3 : 9e-3;
        sheared(&w, dimension, mask, most, ratios[trial % 3], 60, size, &rng);
        lattice before = lattice_of(&w);
        kit_build(&w);
        lattice after = lattice_of(&w);
        /* positions are in the cell now, so images beyond the next are farther than it is wide.
           Along edges sheared by more than their length a dozen whole edges may be needed: there
           the lattice as it was turned back serves, which is the same (see turning_back) */
        check_list(&w, most > 0.5 ? &after : &before, 2, &all);
        world_end(&w);
    }
    assert_true(all > 72 * 20);
}

/* Turned back as often as needed: tilts at most half a size, positions in the cell, the way of
   every grain without a jump. Tolerance: roundings of a few cells' lengths. */
static void turning_back(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(14, 0);
    for (int trial = 0; trial < 60; trial++) {
        world w;
        sheared(&w, 2 + trial % 2, trial % 2 ? 7 : 3, 3, 1, 30, 1e-2, &rng);
        mrn_vec3 before[30];
        for (int32_t i = 0; i < 30; i++)
            for (int k = 0; k < (trial % 2 ? 3 : 2); k++)
                w.state.body.image[3 * i + k] = (int32_t)floor(uniform(&rng, -9, 9));
        for (int32_t i = 0; i < 30; i++)
            before[w.state.body.id[i]] = mrn_unwrapped(&w.scene, &w.state, i);
        kit_build(&w);
        const double *tilt = w.state.cell_tilt, *size = w.state.cell_size;
        assert_true(fabs(tilt[0]) <= 0.5 * size[0] && fabs(tilt[1]) <= 0.5 * size[0]);
        assert_true(fabs(tilt[2]) <= 0.5 * size[1]);
        mrn_images im = mrn_images_of(&w.scene, &w.state);
        for (int32_t i = 0; i < 30; i++) {
            mrn_vec3 x = mrn_unwrapped(&w.scene, &w.state, i);
            assert_close(mrn_norm(mrn_sub(x, before[w.state.body.id[i]])), 0, 1e-15);
            mrn_vec3 f = mrn_images_fraction(
                &im, mrn_sub(mrn_load3(w.state.body.x + 3 * i), mrn_load3(w.state.cell_origin)));
            double part[3] = {f.x, f.y, f.z};
            for (int k = 0; k < 3; k++)
                assert_true(im.inv[k] == 0 || (part[k] > -1e-12 && part[k] < 1 + 1e-12));
        }
        world_end(&w);
    }
}

/* What an explosion leaves is no place in a cell: it stays as it is until the list is built, which
   says so. The others come back. */
static void places_beyond_counting(void **state)
{
    (void)state;
    const double far[] = {NAN, INFINITY, -INFINITY, 1e20, -1e300, 3e7};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        world w;
        kit_begin(&w, 3);
        world_periodic(&w, 0, 0, 1e-2);
        world_grain(&w, 1e-3, mrn_v3(2e-3, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        world_grain(&w, 1e-3, mrn_v3(6e-3, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        kit_ready(&w);
        kit_build(&w);
        int32_t one = w.state.body.index_of[0], other = w.state.body.index_of[1];
        double *x = w.state.body.x + 3 * one;
        x[0] = far[k];
        w.state.body.x[3 * other] += 1e-2;
        mrn_bodies_wrap(&w.scene, &w.state);
        assert_memory_equal(x, &far[k], sizeof *x);
        assert_int_equal(w.state.body.image[3 * one], 0);
        assert_int_equal(w.state.body.image[3 * other], 1);
        assert_int_equal(mrn_pairs_build(&w.scene, &w.state, false, &w.msg), MRN_EXPLODED);
        world_end(&w);
    }
}

/* ---- lists that are kept while the cell strains ---- */

/* `along`: grains move as the cell does; else they stand still, and images come at them. */
static void strain(world *w, const double rate[6], double h, bool along)
{
    mrn_state *s = &w->state;
    double *t = s->cell_tilt, *l = s->cell_size;
    double xy = h * (rate[0] * t[0] + rate[3] * l[1]);
    double xz = h * (rate[0] * t[1] + rate[3] * t[2] + rate[4] * l[2]);
    double yz = h * (rate[1] * t[2] + rate[5] * l[2]);
    t[0] += xy, t[1] += xz, t[2] += yz;
    for (int k = 0; k < 3; k++)
        l[k] *= 1 + h * rate[k];
    for (int32_t i = 0; along && i < s->body.n; i++) {
        double *x = s->body.x + 3 * i;
        mrn_vec3 r = mrn_sub(mrn_load3(x), mrn_load3(s->cell_origin));
        x[0] += h * (rate[0] * r.x + rate[3] * r.y + rate[4] * r.z);
        x[1] += h * (rate[1] * r.y + rate[5] * r.z);
        x[2] += h * rate[2] * r.z;
    }
}

/* All pairs that overlap are on the list. */
static int64_t check_touching(const world *w, int most)
{
    lattice l = lattice_of(w);
    int64_t n = 0;
    for (int32_t i = 0; i < w->state.body.n; i++)
        for (int32_t j = i + 1; j < w->state.body.n; j++)
            if (brute_gap(w, &l, i, j, most) < 0) {
                assert_true(is_listed(&w->state.pair, i, j));
                n++;
            }
    return n;
}

static void lists_while_straining(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(15, 0);
    int64_t touching = 0, kept = 0, built = 0;
    for (int trial = 0; trial < 12; trial++) {
        world w;
        bool along = trial % 2;
        sheared(&w, 3, 7, along ? 0.5 : 0, 2, along ? 40 : 120, 7e-3, &rng);
        double rate[6];
        for (int k = 0; k < 6; k++)
            rate[k] = k < 3 ? uniform(&rng, -1, 0.5) : uniform(&rng, -6, 6);
        for (int k = 0; k < 6 && !along; k++) /* one alone, so that no other makes up for it */
            rate[k] = k == trial / 2 ? -6 : 0;
        kit_build(&w);
        for (int step = 0; step < 60; step++) {
            if (step == 30) /* servos change their minds: what counts is the way, not the rate now
                             */
                memset(rate, 0, sizeof rate);
            strain(&w, rate, 4e-4, along);
            for (int k = 0; k < 3 * w.state.body.n; k++)
                w.state.body.x[k] += uniform(&rng, -1e-6, 1e-6);
            if (mrn_pairs_stale(&w.scene, &w.state)) {
                kit_build(&w);
                built++;
            } else {
                kept++;
            }
            touching += check_touching(&w, along ? 2 : 1);
            if (step % 10 != 5)
                continue;
            /* a resumed run lists the same positions in the cell as it is then */
            world again = w;
            memset(&again.state, 0, sizeof again.state);
            ok(mrn_state_copy(&w.state, &again.state, &w.msg), &w.msg);
            ok(mrn_pairs_build(&w.scene, &again.state, true, &w.msg), &w.msg);
            check_touching(&again, along ? 2 : 1);
            assert_int_equal(mrn_pairs_stale(&w.scene, &again.state),
                             mrn_pairs_stale(&w.scene, &w.state));
            mrn_state_destroy(&again.state);
        }
        world_end(&w);
    }
    assert_true(touching > 1000 && kept > 100 && built > 50);
}

/* Two lists hold the same pairs, but for those whose gap was the reach to a rounding. */
static int64_t check_same_list(const world *w, const world *again)
{
    const mrn_pairs *p = &w->state.pair;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
            assert_true(is_listed(&again->state.pair, i, p->other[k]));
    assert_int_equal(again->state.pair.n_grain, p->n_grain);
    return p->n_grain;
}

/* A list lasts over a return of grains into a cell that has strained since it was made: what a
   checkpoint holds gives the same list again, and a strain that goes back hides no way. The cell
   is sheared by most of what a list of this skin may last, then grains cross its upper face; the
   pairs across that face are those a mistaken place would lose. */
static void returns_while_straining(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(17, 0);
    int64_t listed = 0, crossed = 0;
    for (int trial = 0; trial < 20; trial++) {
        world w;
        sheared(&w, 3, 7, 0.3, 1.5, 60, 7e-3, &rng);
        if (trial % 2) /* it leans too far then, and goes back by a period */
            w.state.cell_tilt[trial % 3] = 0.499 * w.state.cell_size[trial % 3 == 2];
        double before = w.state.cell_tilt[trial % 3];
        kit_build(&w);
        double skin = w.state.pair.skin, rate[6] = {0};
        rate[3 + trial % 3] = 0.9 * skin / w.state.cell_size[trial % 3 == 0 ? 1 : 2];
        strain(&w, rate, 1, false);
        for (int32_t i = 0; i < w.state.body.n; i++) {
            double *x = w.state.body.x + 3 * i, *list = w.state.body.x_list + 3 * i;
            double size = w.state.cell_size[2], top = w.state.cell_origin[2] + size;
            double up = x[2] > top - 0.2 * size ? top - x[2] + 1e-9 : 0;
            x[2] += up, list[2] += up; /* the list is as if made there */
            crossed += up > 0;
        }
        ok(mrn_pairs_build(&w.scene, &w.state, true, &w.msg), &w.msg);
        mrn_bodies_wrap(&w.scene, &w.state);
        assert_int_equal(before - w.state.cell_tilt[trial % 3] > 3e-3, trial % 2);
        /* three edges at most, each by 0.9 of the skin */
        assert_true(mrn_pairs_cell_travel(&w.scene, &w.state) < 4 * skin);
        world again = w;
        memset(&again.state, 0, sizeof again.state);
        ok(mrn_state_copy(&w.state, &again.state, &w.msg), &w.msg);
        ok(mrn_pairs_build(&w.scene, &again.state, true, &w.msg), &w.msg);
        listed += check_same_list(&w, &again);
        mrn_state_destroy(&again.state);
        world_end(&w);
    }
    assert_true(listed > 1000 && crossed > 50);
}

/* A run taken up from what a checkpoint holds, its list built anew from the saved positions in the
   cell as it is then, goes on bit for bit, also over the next turning back. */
static void check_resumed(world *w, int steps)
{
    world again = *w, alone = *w;
    memset(&again.state, 0, sizeof again.state);
    memset(&alone.state, 0, sizeof alone.state);
    again.engine = alone.engine = NULL;
    ok(mrn_state_copy(&w->state, &again.state, &w->msg), &w->msg);
    ok(mrn_state_copy(&w->state, &alone.state, &w->msg), &w->msg);
    ok(mrn_pairs_build(&w->scene, &again.state, true, &w->msg), &w->msg);
    ok(mrn_smooth_create(&w->scene, &again.state, &again.engine, &w->msg), &w->msg);
    ok(mrn_smooth_create(&w->scene, &alone.state, &alone.engine, &w->msg), &w->msg);
    world_steps(&again, steps);
    world_steps(&alone, steps);
    assert_true(mrn_state_hash(&again.state) == mrn_state_hash(&alone.state));
    assert_memory_equal(again.state.cell_tilt, alone.state.cell_tilt, 3 * sizeof(double));
    assert_int_equal(again.state.pair.builds, alone.state.pair.builds);
    world *all[] = {&again, &alone};
    for (int k = 0; k < 2; k++) {
        mrn_smooth_destroy(&all[k]->engine);
        mrn_state_destroy(&all[k]->state);
    }
}

/* A gas in a cell sheared and squeezed fast, through several turns back of the shear: after every
   step the contacts are those that brute force finds, and every grain's way is without a jump: no
   longer than its speed and the straining of where it is allow. */
static void runs_in_sheared_cells(void **state)
{
    (void)state;
    int64_t contacts = 0, turned = 0;
    for (int trial = 0; trial < 3; trial++) {
        world w;
        mrn_rng rng = mrn_rng_seed(16, (uint64_t)trial);
        int dimension = trial == 2 ? 2 : 3;
        kit_begin(&w, dimension);
        world_law(&w, "normal-stiffness", 3e5);
        for (int k = 0; k < dimension; k++)
            world_periodic(&w, k, -3e-3, 6.2e-3);
        double rate[6] = {trial == 1 ? -20 : 0, 0, 0, trial == 1 ? -500 : 900, 0, 0};
        if (trial == 1)
            rate[MRN_XZ] = 300, rate[MRN_YZ] = -700;
        for (int k = 0; k < 6; k++)
            w.scene.cell.control.target[k] = mrn_signal_constant(rate[k]);
        for (int k = 0; k < (dimension == 3 ? 27 : 9); k++)
            world_grain(&w, uniform(&rng, 0.6e-3, 0.95e-3),
                        mrn_v3(-2e-3 + 2e-3 * (k % 3), -2e-3 + 2e-3 * (k / 3 % 3),
                               dimension == 3 ? -2e-3 + 2e-3 * (k / 9) : 0),
                        mrn_v3(uniform(&rng, -2, 2), uniform(&rng, -2, 2),
                               dimension == 3 ? uniform(&rng, -2, 2) : 0),
                        mrn_v3(0, 0, 0));
        world_start(&w, 5e-7);
        mrn_vec3 last[27];
        for (int32_t i = 0; i < w.state.body.n; i++)
            last[w.state.body.id[i]] = mrn_unwrapped(&w.scene, &w.state, i);
        for (int step = 0; step < 500; step++) {
            double before = w.state.cell_tilt[0];
            world_steps(&w, 8);
            turned += fabs(w.state.cell_tilt[0] - before) > 3e-3;
            lattice l = lattice_of(&w);
            int64_t n = 0;
            for (int32_t i = 0; i < w.state.body.n; i++) {
                for (int32_t j = i + 1; j < w.state.body.n; j++)
                    n += brute_gap(&w, &l, i, j, 2) < 0;
                mrn_vec3 x = mrn_unwrapped(&w.scene, &w.state, i);
                double way = mrn_norm(mrn_sub(x, last[w.state.body.id[i]]));
                double far = mrn_norm(mrn_sub(x, mrn_load3(w.state.cell_origin)));
                assert_true(way < 4e-6 * (60 + 1300 * far));
                last[w.state.body.id[i]] = x;
            }
            assert_int_equal(w.state.contacts, n);
            contacts += n;
            if (step % 50 == 33)
                check_resumed(&w, 700);
        }
        world_end(&w);
    }
    assert_true(contacts > 1500 && turned >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_images),          cmocka_unit_test(heights),
        cmocka_unit_test(lists_in_sheared_cells),  cmocka_unit_test(turning_back),
        cmocka_unit_test(places_beyond_counting),  cmocka_unit_test(lists_while_straining),
        cmocka_unit_test(returns_while_straining), cmocka_unit_test(runs_in_sheared_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
