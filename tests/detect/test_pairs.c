/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbour list against brute force, on positions of every kind and through runs; history
   carried over; restoring; the contact network; periodic images. */
/* ctest-labels: threads */
#include "detect/detect.h"
#include "world.h"
#include <stdlib.h>
#include <time.h>

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static void begin(world *w, int dimension, const char *law)
{
    world_begin(w, dimension, law, 2500, 1e8, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(w, "normal-stiffness", 1e4);
    world_law(w, "restitution", 0.7);
    world_law(w, "friction", 0.5);
    w->scene.gravity = mrn_v3(0, 0, 0);
}

/* ---- list = brute force ---- */

typedef struct ends {
    int32_t lo, hi;
} ends;

static int by_ends(const void *a, const void *b)
{
    const ends *p = a, *q = b;
    int c = (p->lo > q->lo) - (p->lo < q->lo);
    return c != 0 ? c : (p->hi > q->hi) - (p->hi < q->hi);
}

/* Distance of two grains, all 27 images tried: nothing is taken from the library. */
static double brute_distance(const world *w, int32_t i, int32_t j)
{
    const double *x = w->state.body.x;
    double least = INFINITY;
    for (int m = 0; m < 27; m++) {
        double d2 = 0;
        int shift[3] = {m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1};
        bool skip = false;
        for (int k = 0; k < 3; k++) {
            skip |= shift[k] != 0 && !w->scene.cell.periodic[k];
            double d = x[3 * i + k] - x[3 * j + k] + shift[k] * w->state.cell_size[k];
            d2 += d * d;
        }
        if (!skip)
            least = fmin(least, d2);
    }
    return sqrt(least);
}

static int64_t brute_list(const world *w, double reach, ends *out)
{
    int64_t n = 0;
    const mrn_bodies *b = &w->state.body;
    for (int32_t i = b->n_walls; i < b->n; i++)
        for (int32_t j = i + 1; j < b->n; j++)
            if (brute_distance(w, i, j) - b->radius[i] - b->radius[j] < reach) {
                if (out != NULL)
                    out[n] = (ends){i, j};
                n++;
            }
    return n;
}

static int64_t listed(const world *w, ends *out)
{
    const mrn_pairs *p = &w->state.pair;
    int64_t n = 0;
    for (int32_t i = w->state.body.n_walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
            int32_t j = p->other[k];
            assert_true(j >= w->state.body.n_walls && j < w->state.body.n && j != i);
            out[n++] = (ends){i < j ? i : j, i < j ? j : i};
        }
    assert_int_equal(n, p->n_grain);
    return n;
}

/* Every back entry names a pair whose antagonist is that grain, and all pairs are named once. */
static void check_back(const mrn_pairs *p)
{
    int64_t n = 0;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t m = p->back_row[i]; m < p->back_row[i + 1]; m++, n++)
            assert_int_equal(p->other[p->back[m]], i);
    assert_int_equal(n, p->n_grain);
}

/* Of two grains the one with the lower number owns the pair; all that is summed over stands in the
   order of numbers. */
static void check_order(const mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    const int32_t *id = s->body.id;
    int32_t *owner = malloc(sizeof *owner * (size_t)(p->n_grain + 1));
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
            int32_t before = k > p->row[i] ? id[p->other[k - 1]] : id[i];
            assert_true(before < id[p->other[k]]);
            owner[k] = id[i];
        }
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t m = p->back_row[i] + 1; m < p->back_row[i + 1]; m++)
            assert_true(owner[p->back[m - 1]] < owner[p->back[m]]);
    free(owner);
}

static void check_list(world *w)
{
    ok(mrn_pairs_build(&w->scene, &w->state, false, &w->msg), &w->msg);
    const mrn_pairs *p = &w->state.pair;
    ends *mine = malloc(sizeof(ends) * (size_t)(p->n_grain + 1));
    int64_t n = brute_list(w, p->skin, NULL);
    assert_int_equal(p->n_grain, n);
    ends *right = malloc(sizeof(ends) * (size_t)(n + 1));
    brute_list(w, p->skin, right);
    listed(w, mine);
    qsort(mine, (size_t)n, sizeof *mine, by_ends);
    qsort(right, (size_t)n, sizeof *right, by_ends);
    for (int64_t k = 0; k < n; k++)
        assert_true(mine[k].lo == right[k].lo && mine[k].hi == right[k].hi);
    check_back(p);
    check_order(&w->state);
    free(mine);
    free(right);
}

typedef enum place { EVEN, CLUSTERED, OUTLIERS } place;

/* n grains with radii between 1/ratio and 1 (uniform in the logarithm), dense enough that most have
 * partners. */
static void scatter(world *w, int n, double ratio, double side, place how, mrn_rng *rng)
{
    for (int k = 0; k < n; k++) {
        double r = 1e-3 * pow(ratio, -mrn_rng_uniform(rng));
        mrn_vec3 x = {uniform(rng, 0, side), uniform(rng, 0, side), uniform(rng, 0, side)};
        if (how == CLUSTERED)
            x = mrn_scale(0.2, mrn_scale(k % 2 ? 1 : 4, x));
        if (how == OUTLIERS && k % 10 == 0)
            x = mrn_v3(uniform(rng, -1e3, 1e3), x.y, k % 20 ? x.z : uniform(rng, -1e3, 1e3));
        if (how == OUTLIERS && k % 10 == 1 && k > 1) /* beside an outlier: found there too */
            x = mrn_axpy(1.0005e-3, mrn_v3(1, 0.1, 0),
                         mrn_load3(w->state.body.x + 3 * (w->state.body.n - 1)));
        if (w->scene.dimension == 2)
            x.z = 0;
        world_grain(w, r, x, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    }
}

static void lists_are_complete(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(1, 0);
    double ratios[] = {1, 20, 100};
    int64_t all = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int periodic = 0; periodic < (dimension == 2 ? 4 : 8); periodic++)
            for (int q = 0; q < 3; q++)
                for (int how = EVEN; how <= OUTLIERS; how++) {
                    world w;
                    begin(&w, dimension, "linear");
                    double side = dimension == 2 ? 16e-3 : 9e-3;
                    for (int k = 0; k < 3; k++)
                        if (periodic >> k & 1)
                            world_periodic(&w, k, -2e-3, side + 1e-4 * k);
                    scatter(&w, 120, ratios[q], side, (place)how, &rng);
                    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
                    memcpy(w.state.cell_origin, w.scene.cell.origin, sizeof w.state.cell_origin);
                    memcpy(w.state.cell_size, w.scene.cell.size, sizeof w.state.cell_size);
                    check_list(&w);
                    all += w.state.pair.n_grain;
                    world_end(&w);
                }
    assert_true(all > 108 * 20);
}

/* The shortest cells that are allowed: 1, 2 and 3 grid cells per period, where images are easily
 * counted twice or missed. */
static void short_cells(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(2, 0);
    for (double side = 4.05e-3; side < 9e-3; side += 0.35e-3) {
        world w;
        begin(&w, 3, "linear");
        for (int k = 0; k < 3; k++)
            world_periodic(&w, k, 0, side * (1 + 0.1 * k));
        scatter(&w, 60, 3, 2 * side, EVEN, &rng);
        ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
        memcpy(w.state.cell_size, w.scene.cell.size, sizeof w.state.cell_size);
        check_list(&w);
        world_end(&w);
    }
}

static void short_cell_message(void **state)
{
    (void)state;
    world w;
    begin(&w, 3, "linear");
    world_periodic(&w, 1, 0, 3.9e-3);
    world_grain(&w, 1e-3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    w.state.h = 1e-6;
    memcpy(w.state.cell_size, w.scene.cell.size, sizeof w.state.cell_size);
    mrn_status st = mrn_scene_prepare(&w.scene, &w.msg);
    if (st == MRN_OK)
        st = mrn_smooth_create(&w.scene, &w.state, &w.engine, &w.msg);
    assert_int_equal(st, MRN_ERR_INPUT);
    assert_non_null(strstr(w.msg.text, "cell"));
    assert_true(w.msg.hint[0] != '\0');
    assert_int_equal(mrn_smooth_create(&w.scene, &w.state, &w.engine, NULL), MRN_ERR_INPUT);
    assert_null(w.engine);
    world_end(&w);
}

/* Cost per grain does not grow with their number, whatever the ratio of sizes: 16 times the grains
   at the same density take about 16 times the time. Time of the processor with one thread, so that
   other programs do not count; asked generously, for caches: below 100 (quadratic: 256); the best
   of four. */
static void cost_is_linear(void **state)
{
    (void)state;
    double best[2] = {INFINITY, INFINITY};
    int threads = mrn_threads();
    mrn_threads_set(1);
    for (int k = 0; k < 2; k++) {
        world w;
        begin(&w, 3, "linear");
        mrn_rng rng = mrn_rng_seed(3, 0);
        int n = k == 0 ? 1000 : 16000;
        scatter(&w, n, 50, 6e-3 * cbrt(n / 100.0), EVEN, &rng);
        ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
        for (int m = 0; m < 4; m++) {
            clock_t t = clock();
            ok(mrn_pairs_build(&w.scene, &w.state, false, &w.msg), &w.msg);
            best[k] = fmin(best[k], (double)(clock() - t) / CLOCKS_PER_SEC);
        }
        world_end(&w);
    }
    mrn_threads_set(threads);
    print_message("list of 1000 grains %.2g s, of 16000 %.2g s\n", best[0], best[1]);
    assert_true(best[1] < 100 * best[0]);
}

/* ---- through a run ---- */

static int64_t brute_wall_contacts(const world *w)
{
    int64_t n = 0;
    const mrn_bodies *b = &w->state.body;
    mrn_images im = mrn_images_of(&w->scene, &w->state);
    for (int32_t i = b->n_walls; i < b->n; i++)
        for (int32_t k = 0; k < b->n_walls; k++) {
            const mrn_shape *s = &w->scene.shape[b->shape[k]];
            int32_t all[64];
            mrn_contact_point out[64];
            mrn_vec3 c = mrn_wall_local(&w->scene, &w->state, &im, k, b->x + 3 * i);
            int m = s->type->features(s, c, 2 * b->radius[i], all, 64);
            assert_true(m <= 64);
            n += mrn_wall_contacts(s, c, b->radius[i], all, m, out);
        }
    return n;
}

/* After every step the pairs in touch are those that brute force finds. */
static void watch(world *w, int steps)
{
    int64_t sum = 0, walls = 0;
    for (int k = 0; k < steps; k++) {
        world_steps(w, 1);
        int64_t on_walls = brute_wall_contacts(w);
        assert_int_equal(w->state.contacts, brute_list(w, 0, NULL) + on_walls);
        sum += w->state.contacts, walls += on_walls;
    }
    assert_true(sum > steps);
    assert_true(w->state.body.n_walls == 0 || walls > 0);
    assert_true(w->state.pair.builds > 2);
}

static void crowd(world *w, int n, double side, double ratio, double v, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    int per = (int)ceil(cbrt(n));
    for (int k = 0; k < n; k++) {
        double a = side / per, r = 0.48 * a * pow(ratio, -mrn_rng_uniform(&rng));
        mrn_vec3 x = {(k % per + 0.5) * a, (k / per % per + 0.5) * a, (k / per / per + 0.5) * a};
        mrn_vec3 u = {uniform(&rng, -v, v), uniform(&rng, -v, v), uniform(&rng, -v, v)};
        world_grain(w, r, x, u, mrn_scale(100, u));
    }
}

static void no_contact_missed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        world w;
        begin(&w, 3, kind % 2 ? "linear" : "hertz-mindlin");
        double side = 1e-2;
        if (kind == 1) { /* walls that close in */
            world_plane(&w, mrn_v3(0, 0, -2e-3), mrn_v3(0, 0, 1));
            world_plane(&w, mrn_v3(0, 0, side + 2e-3), mrn_v3(0, 0, -1));
            for (int k = 0; k < 2; k++) {
                w.scene.wall[k].motion.kind = MRN_MOTION_STEADY;
                w.scene.wall[k].motion.velocity = mrn_v3(0, 0, k == 0 ? 3 : -5);
            }
        }
        for (int k = 0; k < 3; k++)
            if (kind == 0 || (kind == 1 && k < 2) || kind == 3)
                world_periodic(&w, k, 0, side);
        if (kind == 3) /* a cell that shrinks fast: images approach by its motion too */
            for (int k = 0; k < 3; k++)
                w.scene.cell.control.target[k] = mrn_signal_constant(k == 1 ? 0 : -150);
        crowd(&w, 64, side, kind == 2 ? 10 : 1.3, 2, (uint64_t)kind);
        if (kind == 2) /* towards each other in free space */
            for (int32_t i = 0; i < w.state.body.n; i++)
                for (int k = 0; k < 3; k++)
                    w.state.body.v[3 * i + k] -= 600 * (w.state.body.x[3 * i + k] - 0.5 * side);
        world_start(&w, 2e-6);
        watch(&w, 400);
        world_end(&w);
    }
}

/* The worst cases for a list: two grains just too far apart to be on it run at each other; and the
   same through the face of a cell whose shrinking brings the images together as fast as the grains
   run. */
static void head_on(void **state)
{
    (void)state;
    for (int shrinking = 0; shrinking < 2; shrinking++) {
        world w;
        double r = 1e-3, skin = 0.1 * r, size = 0.02, u = 0.1, rate = -2 * u / size;
        begin(&w, 3, "linear");
        double gap = 1.01 * skin, x = shrinking ? size - r - 0.5 * gap : -r - 0.5 * gap;
        world_grain(&w, r, mrn_v3(x, 0, 0), mrn_v3(shrinking ? u - rate * x : u, 0, 0),
                    mrn_v3(0, 0, 0));
        world_grain(&w, r, mrn_v3(r + 0.5 * gap, 0, 0), mrn_v3(-u, 0, 0), mrn_v3(0, 0, 0));
        if (shrinking) {
            world_periodic(&w, 0, 0, size);
            w.scene.cell.control.target[0] = mrn_signal_constant(rate);
        }
        world_start(&w, 2e-6);
        assert_int_equal(w.state.pair.n_grain, 0);
        assert_close(w.state.pair.skin, skin, 1e-12);
        int touched = 0;
        for (int k = 0; k < 500; k++) {
            world_steps(&w, 1);
            assert_int_equal(w.state.contacts, brute_list(&w, 0, NULL));
            touched += w.state.contacts > 0;
        }
        assert_true(touched > 10);
        world_end(&w);
    }
}

/* The same for a wall that comes as fast as the grain: of their ways neither alone uses up the
   skin. All gaps at which the last list before the impact may have been built. */
static void wall_and_grain_head_on(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        world w;
        double r = 1e-3, skin = 0.1 * r, u = 0.1;
        begin(&w, 3, "linear");
        int k = world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        w.scene.wall[k].motion = mrn_motion_steady(mrn_v3(0, 0, u), mrn_v3(0, 0, 0));
        world_grain(&w, r, mrn_v3(0, 0, r + (0.1 + 0.1 * trial) * skin), mrn_v3(0, 0, -u),
                    mrn_v3(0, 0, 0));
        world_start(&w, 2e-6);
        int touched = 0;
        for (int n = 0; n < 1000; n++) {
            world_steps(&w, 1);
            assert_int_equal(w.state.contacts, brute_wall_contacts(&w));
            touched += w.state.contacts > 0;
        }
        assert_true(touched > 10);
        world_end(&w);
    }
}

/* A paddle turned into grains at rest: nothing but the wall moves, and it moves fast far from its
   axis. The engine is made before the wall has its spin, as a program may do. */
static void turning_wall(void **state)
{
    (void)state;
    world w;
    begin(&w, 3, "linear");
    mrn_wall_def box = mrn_wall_default("box");
    mrn_wall_set_box(&box, "corners", mrn_v3(-0.1, -0.1, -0.01), mrn_v3(0.1, 0.1, 0.01), &w.msg);
    world_wall(&w, &box);
    w.scene.wall[0].motion.kind = MRN_MOTION_STEADY;
    w.scene.wall[0].motion.spin = mrn_v3(0, 0, 1);
    mrn_body b = world_grain(&w, 1e-3, mrn_v3(0.0988, 0.08, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 1e-5);
    int64_t seen = 0;
    for (int k = 0; k < 300; k++) {
        world_steps(&w, 1);
        assert_int_equal(w.state.contacts, brute_wall_contacts(&w));
        seen += w.state.contacts;
    }
    assert_true(seen > 5);
    assert_true(mrn_norm(world_v(&w, b)) > 0.01);
    world_end(&w);
}

/* ---- history ---- */

/* A settled bed with loaded springs between two planes, periodic aside. */
static void bed(world *w, const char *law)
{
    begin(w, 3, law);
    world_law(w, "restitution", 0.3);
    w->scene.gravity = mrn_v3(5, 0, -50);
    double side = 1e-2;
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_periodic(w, 0, 0, side), world_periodic(w, 1, 0, side);
    crowd(w, 64, side, 1.3, 0.1, 5);
    world_start(w, 5e-6);
    world_steps(w, 6000);
    assert_true(w->state.contacts > 40);
}

/* Force on each grain by id. */
static void forces(const world *w, mrn_vec3 *f)
{
    for (int32_t i = 0; i < w->state.body.n; i++)
        f[w->state.body.id[i]] = mrn_load3(w->state.body.f + 3 * i);
}

/* Two copies of a bed take one more step, one of them after its list was built anew several times
   and, in between, its grains were put in reverse order in memory (so that C and A change places in
   every pair). Forces agree but for the order of sums: 1e-13 of the largest. */
static void history_is_carried(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        world w;
        bed(&w, laws[l]);
        world other = w;
        memset(&other.state, 0, sizeof other.state);
        ok(mrn_state_copy(&w.state, &other.state, &w.msg), &w.msg);
        mrn_state *s = &other.state;
        for (int k = 0; k < 20; k++) /* ordering happens every 16th time */
            ok(mrn_pairs_build(&w.scene, s, false, &w.msg), &w.msg);
        other.engine = NULL;
        ok(mrn_smooth_create(&w.scene, s, &other.engine, &w.msg), &w.msg);
        world_steps(&w, 1);
        world_steps(&other, 1);
        mrn_vec3 f[2][80];
        forces(&w, f[0]), forces(&other, f[1]);
        double most = 0;
        for (int32_t i = 0; i < s->body.n; i++)
            most = fmax(most, mrn_norm(f[0][i]));
        for (int32_t i = 0; i < s->body.n; i++)
            assert_close(mrn_norm(mrn_sub(f[0][i], f[1][i])) / most, 0, 1e-12);
        assert_int_equal(w.state.contacts, s->contacts);
        assert_close(s->elastic / w.state.elastic, 1, 1e-12);
        mrn_smooth_destroy(&other.engine);
        mrn_state_destroy(s);
        world_end(&w);
    }
}

/* Saved by ids and restored in another order of bodies, with C and A changed in every second pair:
 * the same forces. */
static void history_is_restored(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        world w;
        bed(&w, laws[l]);
        bool odd[MRN_HISTORY_MAX];
        mrn_law_model_odd(&w.scene.interaction[0].model, odd);
        mrn_contacts named = {0};
        ok(mrn_contacts_name(&w.state, &named, &w.msg), &w.msg);
        assert_int_equal(named.n, w.state.contacts);
        for (int64_t k = 1; k < named.n; k += 2) {
            int32_t c = named.id_c[k], a = named.id_a[k];
            if (w.state.body.index_of[a] < w.state.body.n_walls)
                continue;
            named.id_c[k] = a, named.id_a[k] = c;
            for (int h = 0; h < named.history_width; h++)
                named.history[k * named.history_width + h] *= odd[h] ? -1 : 1;
        }
        world other = w;
        memset(&other.state, 0, sizeof other.state);
        ok(mrn_state_copy(&w.state, &other.state, &w.msg), &w.msg);
        mrn_state *s = &other.state;
        mrn_contacts_destroy(&s->contact);
        s->contact = named;
        ok(mrn_pairs_build(&w.scene, s, true, &w.msg), &w.msg);
        other.engine = NULL;
        ok(mrn_smooth_create(&w.scene, s, &other.engine, &w.msg), &w.msg);
        world_steps(&w, 100);
        world_steps(&other, 100);
        assert_true(mrn_state_hash(&w.state) == mrn_state_hash(s));
        mrn_smooth_destroy(&other.engine);
        mrn_state_destroy(s);
        world_end(&w);
    }
}

static void restore_refuses(void **state)
{
    (void)state;
    world w;
    bed(&w, "linear");
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SAVED),
                            .n = 1,
                            .history_width = w.scene.history};
    int32_t bad[][3] = {{-1, 5, 0}, {5, 1 << 30, 0}, {0, 5, 0},
                        {5, 5, 0},  {5, 0, 77},      {INT32_MIN, INT32_MAX, 0}};
    mrn_contacts slots = w.state.contact, *c = &w.state.contact;
    for (size_t k = 0; k <= sizeof bad / sizeof *bad; k++) {
        bool wide = k == sizeof bad / sizeof *bad; /* of other laws */
        def.history_width += wide;
        *c = (mrn_contacts){0};
        ok(mrn_contacts_make(c, &def, &w.msg), &w.msg);
        c->n = 1;
        c->id_c[0] = bad[wide ? 0 : k][0], c->id_a[0] = bad[wide ? 0 : k][1];
        c->feature[0] = bad[wide ? 0 : k][2];
        assert_int_equal(mrn_pairs_build(&w.scene, &w.state, true, &w.msg), MRN_ERR_INPUT);
        assert_int_equal(mrn_pairs_build(&w.scene, &w.state, true, NULL), MRN_ERR_INPUT);
        mrn_contacts_destroy(c);
    }
    *c = slots;
    mrn_state empty = {0};
    mrn_contacts net = {0};
    assert_true(mrn_contacts_collect(&w.scene, &empty, 0, &net, &w.msg) < 0);
    assert_true(mrn_contacts_collect(&w.scene, &w.state, 2 * w.state.pair.skin, &net, &w.msg) < 0);
    world_end(&w);
}

/* Grains taken away and added between steps: the list follows, nothing is read outside of it. */
static void bodies_come_and_go(void **state)
{
    (void)state;
    world w;
    bed(&w, "hertz-mindlin");
    for (int k = 0; k < 10; k++) {
        mrn_body gone = mrn_body_handle(&w.state, w.state.body.n_walls + 3 * k);
        ok(mrn_body_remove(&w.state, gone, &w.msg), &w.msg);
        if (k % 2)
            ok(mrn_smooth_refresh(w.engine, &w.msg), &w.msg);
        world_steps(&w, 3);
        assert_int_equal(w.state.contacts, brute_list(&w, 0, NULL) + brute_wall_contacts(&w));
    }
    int32_t n = w.state.body.n;
    for (int k = 0; k < 600; k++) /* more than there was room for */
        world_grain(&w, 1e-3, mrn_v3(1e-3, 1e-3, 0.05 + 3e-3 * k), mrn_v3(0, 0, 0),
                    mrn_v3(0, 0, 0));
    world_steps(&w, 3);
    assert_int_equal(w.state.body.n, n + 600);
    assert_int_equal(w.state.pair.rows, n + 600);
    world_end(&w);
}

/* ---- network, images ---- */

/* What the network tells is what the step did: forces sum to those of the bodies, normals and
 * branches are geometry, alert widens it. */
static void network(void **state)
{
    (void)state;
    world w;
    bed(&w, "hertz-mindlin");
    mrn_contacts net = {0}, wide = {0};
    ok(mrn_contacts_collect(&w.scene, &w.state, 0, &net, &w.msg), &w.msg);
    ok(mrn_contacts_collect(&w.scene, &w.state, w.state.pair.skin, &wide, &w.msg), &w.msg);
    assert_int_equal(net.n, w.state.contacts);
    assert_true(wide.n > net.n);
    mrn_vec3 f[80] = {{0, 0, 0}};
    for (int64_t k = 0; k < net.n; k++) {
        mrn_vec3 force = mrn_load3(net.force + 3 * k), n = mrn_load3(net.normal + 3 * k);
        f[net.c[k]] = mrn_add(f[net.c[k]], force);
        f[net.a[k]] = mrn_sub(f[net.a[k]], force);
        assert_true(net.gap[k] < 0);
        assert_close(mrn_norm(n), 1, 1e-14);
        double rc = w.state.body.radius[net.c[k]], ra = w.state.body.radius[net.a[k]];
        assert_close(mrn_dot(mrn_load3(net.branch + 3 * k), n), rc + ra + net.gap[k], 1e-15);
        mrn_vec3 arm =
            mrn_sub(mrn_load3(w.state.body.x + 3 * net.c[k]), mrn_load3(net.point + 3 * k));
        assert_close(mrn_norm(mrn_cross(arm, n)) / rc, 0, 1e-12);
        assert_true(mrn_norm(arm) < rc);
    }
    for (int32_t i = 0; i < w.state.body.n; i++) {
        double m = i < w.state.body.n_walls ? 0 : w.state.body.mass[i];
        mrn_vec3 all = mrn_axpy(m, w.scene.gravity, f[i]);
        assert_close(mrn_norm(mrn_sub(all, mrn_load3(w.state.body.f + 3 * i))), 0, 1e-14);
    }
    for (int64_t k = 0; k < wide.n; k++)
        assert_true(wide.gap[k] < w.state.pair.skin);
    mrn_contacts_destroy(&net), mrn_contacts_destroy(&wide);
    world_end(&w);
}

/* A grain that flies through the cell many times: position inside, image counted, the unwrapped
 * path straight. */
static void images_are_counted(void **state)
{
    (void)state;
    world w;
    begin(&w, 3, "linear");
    for (int k = 0; k < 3; k++)
        world_periodic(&w, k, -1e-2 * k, 1e-2);
    mrn_vec3 v = {3, -7, 11};
    mrn_body b = world_grain(&w, 1e-3, mrn_v3(5e-3, -5e-3, -1.5e-2), v, mrn_v3(0, 0, 0));
    mrn_vec3 x0 = world_x(&w, b);
    world_start(&w, 1e-6);
    for (int n = 0; n < 50; n++) {
        world_steps(&w, 400);
        int32_t i = mrn_body_index(&w.state, b);
        mrn_vec3 x = world_x(&w, b), path = mrn_axpy(w.state.time, v, x0);
        double got[3] = {x.x, x.y, x.z}, want[3] = {path.x, path.y, path.z};
        for (int k = 0; k < 3; k++) {
            double skin = w.state.pair.skin, lo = w.scene.cell.origin[k];
            assert_true(got[k] > lo - skin && got[k] < lo + 1e-2 + skin);
            assert_close(got[k] + 1e-2 * w.state.body.image[3 * i + k], want[k], 1e-11);
        }
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_complete),
        cmocka_unit_test(short_cells),
        cmocka_unit_test(short_cell_message),
        cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(no_contact_missed),
        cmocka_unit_test(head_on),
        cmocka_unit_test(wall_and_grain_head_on),
        cmocka_unit_test(turning_wall),
        cmocka_unit_test(history_is_carried),
        cmocka_unit_test(history_is_restored),
        cmocka_unit_test(restore_refuses),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(network),
        cmocka_unit_test(images_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
