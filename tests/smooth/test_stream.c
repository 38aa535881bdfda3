/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many steps in one call go through the stream (src/smooth/stream.h), single steps the general way:
   same bits, for all that the state holds. Walls that turn, cells with periods, grains that cross
   them, contacts that begin and end, lists that are made anew; any number of threads; memory that
   runs out; a run that explodes. */
/* ctest-labels: slow threads */
#include "smooth/stream.h"
#include "world.h"

typedef enum scene_kind { DRUM, FLOOR, FLAT, SCENES } scene_kind;

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static void add_walls(world *w, scene_kind kind, double box)
{
    double start = 0.85e-3; /* cells begin so near the first grains that some cross at once */
    if (kind == DRUM) {
        mrn_wall_def drum = mrn_wall_default("cylinder");
        mrn_motion turning = mrn_motion_steady(mrn_v3(0, 0, 0), mrn_v3(20, 0, 0));
        mrn_wall_set_vector(&drum, "from", mrn_v3(-box, 0.5 * box, 0.5 * box), &w->msg);
        mrn_wall_set_vector(&drum, "to", mrn_v3(2 * box, 0.5 * box, 0.5 * box), &w->msg);
        mrn_wall_set(&drum, "radius", 0.75 * box, &w->msg);
        world_wall(w, &drum);
        ok(mrn_scene_set_motion(&w->scene, "cylinder-1", &turning, &w->msg), &w->msg);
    } else if (kind == FLOOR) {
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        world_periodic(w, 0, start, box), world_periodic(w, 1, start, box);
    } else {
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 1, 0));
        world_periodic(w, 0, start, box);
    }
}

static void make(world *w, scene_kind kind)
{
    bool flat = kind == FLAT;
    int side = flat ? 24 : 9, n = flat ? side * side : side * side * side;
    double a = 1.9e-3, box = side * a;
    world_begin(w, flat ? 2 : 3, kind == FLOOR ? "hertz-mindlin" : "linear", 2500, 1e7, 0.25);
    if (kind != FLOOR)
        world_law(w, "normal-stiffness", flat ? 2e5 : 2e3);
    world_law(w, "restitution", 0.6);
    world_law(w, "friction", 0.5);
    w->scene.gravity = flat ? mrn_v3(1, -9.81, 0) : mrn_v3(1, 0, -9.81);
    add_walls(w, kind, box);
    mrn_rng rng = mrn_rng_seed(4, 0);
    for (int k = 0; k < n; k++) {
        mrn_vec3 x = {(k % side + 0.5) * a, (k / side % side + 0.5) * a,
                      flat ? 0 : (k / side / side + 0.5) * a};
        mrn_vec3 v = {uniform(&rng, -0.5, 0.5), uniform(&rng, -0.5, 0.5),
                      flat ? 0 : uniform(&rng, -0.5, 0.5)};
        mrn_vec3 spin = mrn_scale(200, flat ? mrn_v3(0, 0, v.x) : v);
        world_grain(w, 1e-3 * uniform(&rng, 0.8, 1), x, v, spin);
    }
}

/* With `list`: of what stands in the order of the neighbour list too, whose reach no bit of the
   motion depends on; not of levers, which live for a step. */
static uint64_t hash_of(const mrn_state *s, bool list)
{
    uint64_t h = mrn_state_hash(s);
    const mrn_bodies *b = &s->body;
    const mrn_contacts *c = &s->contact;
    size_t three = 3 * sizeof(double);
    h = mrn_hash(h, &s->ledger, sizeof s->ledger);
    h = mrn_hash(h, &s->elastic, sizeof s->elastic);
    h = mrn_hash(h, &s->max_overlap, sizeof s->max_overlap);
    h = mrn_hash(h, &s->contacts, sizeof s->contacts);
    h = mrn_hash(h, &s->sliding, sizeof s->sliding);
    if (!list)
        return h;
    h = mrn_hash(h, b->f, (size_t)b->n * three);
    h = mrn_hash(h, b->t, (size_t)b->n * three);
    h = mrn_hash(h, &s->pair.builds, sizeof s->pair.builds); /* no list is made that need not be */
    h = mrn_hash(h, c->force, (size_t)c->n * three);
    return mrn_hash(h, c->flags, (size_t)c->n);
}

enum { STEPS = 240, STEP_NS = 5000 };

/* `call` steps at a time. */
static uint64_t run(scene_kind kind, int threads, int64_t call, bool list, int64_t *builds)
{
    world w;
    mrn_threads_set(threads);
    make(&w, kind);
    world_start(&w, 1e-9 * STEP_NS);
    for (int64_t k = 0; k < STEPS; k += call)
        world_steps(&w, call);
    assert_true(w.state.contacts > 60);
    *builds = w.state.pair.builds;
    uint64_t h = hash_of(&w.state, list);
    world_end(&w);
    mrn_threads_set(0);
    return h;
}

static void calls_of_any_length(void **state)
{
    (void)state;
    const struct {
        int threads;
        int64_t call;
    } way[] = {{1, 240}, {1, 40}, {1, 6}, {2, 120}, {3, 240}, {8, 48}};
    for (int kind = 0; kind < SCENES; kind++) {
        int64_t builds;
        uint64_t single = run((scene_kind)kind, 1, 1, true, &builds);
        assert_true(builds > 2); /* lists were made anew on the way */
        for (size_t k = 0; k < sizeof way / sizeof *way; k++)
            if (run((scene_kind)kind, way[k].threads, way[k].call, true, &builds) != single)
                fail_msg("scene %d: %d threads, %d steps in a call: other bits", kind,
                         way[k].threads, (int)way[k].call);
    }
}

/* Whichever allocation fails: the call says so and can be made again, or goes on without; the end
   is the same. */
static void memory_runs_out(void **state)
{
    (void)state;
    int64_t builds;
    uint64_t whole = run(FLOOR, 1, STEPS, false, &builds);
    for (int64_t k = 1, failed = 0;; k += 1 + k / 8, failed = 0) {
        world w;
        mrn_threads_set(1);
        make(&w, FLOOR);
        world_start(&w, 1e-9 * STEP_NS);
        int64_t before = mrn_alloc_count();
        mrn_alloc_fail_at(k);
        failed = mrn_smooth_step(w.engine, STEPS, &w.msg) != MRN_OK;
        mrn_alloc_fail_at(0);
        bool enough = mrn_alloc_count() - before < k;
        if (failed) {
            assert_true(w.msg.status == MRN_ERR_MEMORY);
            world_steps(&w, STEPS - w.state.step);
        }
        assert_true(hash_of(&w.state, false) == whole);
        world_end(&w);
        mrn_threads_set(0);
        if (enough)
            break;
    }
}

/* Scenes that the stream is for do go through it, and its times are counted. */
static void way_in_and_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENES; kind++) {
        world w;
        make(&w, (scene_kind)kind);
        world_start(&w, 1e-9 * STEP_NS);
        world_steps(&w, 40);
        mrn_step_times t = mrn_smooth_times(w.engine);
        assert_true(t.bodies >= 0 && t.forces > 0 && t.list >= 0 && t.walls >= 0);
        assert_int_equal(t.steps, 40);
        assert_int_equal(t.body_steps, 40 * (w.state.body.n - w.state.body.n_walls));
        uint64_t before = mrn_state_hash(&w.state);
        assert_true(mrn_stream_fits(w.engine));
        assert_true(mrn_stream_enter(w.engine, 0, MRN_STREAM_WORTH));
        mrn_stream_leave(w.engine);
        assert_true(mrn_state_hash(&w.state) == before);
        size_t out = mrn_bytes_in_use();
        assert_true(mrn_stream_enter(w.engine, 0, MRN_STREAM_REST));
        size_t in = mrn_bytes_in_use();
        mrn_stream_leave(w.engine);
        assert_true(mrn_state_hash(&w.state) == before);
        /* with the system: forces, levers and motion, 100 bytes of a grain at least; then the
           stream's own memory */
        size_t grains = (size_t)(w.state.body.n - w.state.body.n_walls);
        assert_true(in + 100 * grains < out);
        assert_true(mrn_bytes_in_use() + 160 * grains < out);
        world_end(&w);
    }
}

/* A grain shot into the others: both ways end at the same step with the same words and state. The
   slower ones go deep little by little, the faster ones at once: what decides whether bodies may go
   on before the depth is known, its last value or the speed, differs. */
static void explode(double speed, int64_t steps, uint64_t *hash, char *text, size_t room)
{
    world w;
    make(&w, FLOOR);
    world_start(&w, 1e-9 * STEP_NS);
    world_steps(&w, 40);
    w.state.body.v[3 * (size_t)w.state.body.n_walls] = speed;
    mrn_status st = MRN_OK;
    for (int64_t n = 0; n < 400 && st == MRN_OK; n += steps)
        st = mrn_smooth_step(w.engine, steps, &w.msg);
    assert_true(st == MRN_EXPLODED);
    mrn_message_format(&w.msg, text, room);
    *hash = hash_of(&w.state, true);
    world_end(&w);
}

static void explosions(void **state)
{
    (void)state;
    const double speed[] = {15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 30, 33, 36, 40, 60};
    for (size_t k = 0; k < sizeof speed / sizeof *speed; k++) {
        uint64_t hash[2];
        char text[2][4096];
        explode(speed[k], 400, &hash[0], text[0], sizeof text[0]);
        explode(speed[k], 1, &hash[1], text[1], sizeof text[1]);
        assert_string_equal(text[0], text[1]);
        assert_true(hash[0] == hash[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(way_in_and_out),
        cmocka_unit_test(calls_of_any_length),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(explosions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
