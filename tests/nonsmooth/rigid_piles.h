/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crowds of mixed grains: what holds of every motion (energy, determinism), what happens to steps
   that are not solved, and one scene under both methods. As rigid_cases.h. */
#ifndef MRN_TESTS_NONSMOOTH_RIGID_PILES_H
#define MRN_TESTS_NONSMOOTH_RIGID_PILES_H

#include "nonsmooth/rigid_cases.h"

/* ---- energy ---- */

typedef struct crowd {
    double e, mu;
    bool heavy; /* under gravity on a floor, else flying in a box without */
    int n, steps;
    double h;
} crowd;

typedef struct crowd_run {
    double rise;     /* largest energy after a step less that before, over the energy at the start
                        (heavy: over m (g h)2 of all) */
    double sum;      /* of all rises, the same way */
    double lifted;   /* potential energy given by taking overlaps out, which is not counted in the
                        rises: of all steps, over the energy at the start */
    double lost;     /* energy that has gone, over that at the start */
    double residual; /* what is not booked, the same way */
    double unsolved, contacts;
} crowd_run;

/* A third spheres, a third cubes, a third random polyhedra, all of one size. */
static inline void put_crowd(words *w, const crowd *c, const char *options)
{
    put_head(w, 3, options);
    put(w, "materials: {m: {density: 2500 kg/m3}}\nseed: 7\n");
    put(w, "interactions: [{between: [m, m], law: rigid, restitution: %.17g, friction: %.17g}]\n",
        c->e, c->mu);
    put(w, "walls:\n");
    double side = 0.02 * cbrt(c->n / 0.2), top = c->heavy ? 2 * side : side;
    const char *names[6] = {"left", "right", "front", "back", "floor", "top"};
    for (int k = 0; k < 6; k++) {
        double n[3] = {0}, p[3] = {0};
        n[k / 2] = k % 2 ? -1 : 1;
        p[k / 2] = k % 2 ? (k == 5 ? top : side) : 0;
        put(w,
            "  - {name: %s, plane: {point: [%.17g, %.17g, %.17g], normal: [%g, %g, %g]}, "
            "material: m}\n",
            names[k], p[0], p[1], p[2], n[0], n[1], n[2]);
    }
    put(w, "gravity: [0, 0, %d]\nbodies:\n", c->heavy ? -10 : 0);
    const char *shape[3] = {"sphere: {radius: 1 cm}", "polyhedron: {regular: cube, radius: 1 cm}",
                            "polyhedron: {random: {variants: 5, angularity: 0.7}, radius: 1 cm}"};
    for (int k = 0; k < 3; k++)
        put(w,
            "  - {name: g%d, material: m, shape: {%s}, count: %d, velocity-spread: 0.5, place: "
            "{fill: {box: [[0, 0, 0], [%.17g, %.17g, %.17g]]}}}\n",
            k, shape[k], c->n / 3, side, side, top);
}

static inline crowd_run let_loose(const crowd *c, const char *options)
{
    words w = {0};
    fixture y;
    put_crowd(&w, c, options);
    fixture_open(&y, w.text, c->h);
    double start = energies_of(&y).total, energy = start, scale = start, mass = 0;
    for (int k = 0; k < c->n / 3 * 3; k++)
        mass += y.state.body.mass[fixture_grain(&y, k)];
    if (c->heavy)
        scale = mass * 10 * c->h * 10 * c->h;
    crowd_run r = {.rise = -INFINITY};
    for (int k = 0; k < c->steps; k++) {
        fixture_step(&y, 1);
        double now = energies_of(&y).total - y.state.nonsmooth.projected;
        double up = (now - energy) / scale;
        r.rise = fmax(r.rise, up);
        r.sum += fmax(0, up);
        r.contacts += (double)y.state.contacts / c->steps;
        energy = now;
    }
    r.lost = 1 - energies_of(&y).total / start;
    r.lifted = y.state.nonsmooth.projected / start;
    r.residual = fabs(energies_of(&y).residual / start);
    r.unsolved = y.state.nonsmooth.unsolved;
    fixture_close(&y);
    return r;
}

/* ---- same bits ---- */

/* Numbers of all bodies and impulses of all contacts, mixed into one. */
static inline uint64_t bits_of(const fixture *y)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const mrn_bodies *b = &y->state.body;
    const mrn_contacts *t = &y->state.contact;
    for (int32_t id = 0; id < b->n_ids; id++) {
        size_t i = (size_t)b->index_of[id];
        const void *part[] = {b->x + 3 * i, b->q + 4 * i, b->v + 3 * i, b->w + 3 * i};
        const size_t size[] = {24, 32, 24, 24};
        for (int k = 0; k < 4; k++)
            for (size_t m = 0; m < size[k]; m++)
                hash = (hash ^ ((const unsigned char *)part[k])[m]) * UINT64_C(0x100000001b3);
    }
    for (size_t m = 0; m < (size_t)(t->n * t->impulse_width) * sizeof(double); m++)
        hash = (hash ^ ((const unsigned char *)t->impulse)[m]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t crowd_bits(const crowd *c, const char *options, int threads)
{
    words w = {0};
    fixture y;
    int before = mrn_threads();
    mrn_threads_set(threads);
    put_crowd(&w, c, options);
    fixture_open(&y, w.text, c->h);
    fixture_step(&y, c->steps);
    uint64_t bits = bits_of(&y);
    fixture_close(&y);
    mrn_threads_set(before);
    return bits;
}

/* ---- one scene, two methods ---- */

typedef struct two_methods {
    double smooth[5], rigid[5]; /* m, heights at rest: four spheres in a box, one on them */
    double overlap;             /* m, largest of the smooth run */
} two_methods;

static inline void settle(const char *method, double height[5], double *overlap)
{
    words w = {0};
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_engine e = {0};
    mrn_message msg = {0};
    put(&w, "moraine: 1\ndimension: 3\nmethod: %s\nstages: [{name: run, at-most: 10 s}]\n", method);
    put(&w,
        "materials: {glass: {density: 2500 kg/m3, young: 50 MPa, poisson: 0.25}}\n"
        "interactions: [{between: [glass, glass], law: hertz-mindlin, restitution: 0.3, "
        "friction: 0.4}]\ngravity: [0, 0, -10]\nwalls:\n"
        "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: glass}\n"
        "  - {name: left, plane: {point: [-2 cm, 0, 0], normal: [1, 0, 0]}, material: glass}\n"
        "  - {name: right, plane: {point: [2 cm, 0, 0], normal: [-1, 0, 0]}, material: glass}\n"
        "  - {name: front, plane: {point: [0, -2 cm, 0], normal: [0, 1, 0]}, material: glass}\n"
        "  - {name: back, plane: {point: [0, 2 cm, 0], normal: [0, -1, 0]}, material: glass}\n"
        "bodies: [{name: beads, material: glass, shape: {sphere: {radius: 1 cm}}, place: {list: "
        "[{position: [-0.01, -0.01, 0.011]}, {position: [0.01, -0.01, 0.011]}, {position: "
        "[-0.01, 0.01, 0.011]}, {position: [0.01, 0.01, 0.011]}, {position: [0, 0, 0.03]}]}}]\n");
    must(mrn_scene_read_text(w.text, "scene", NULL, 0, &scene, &msg), &msg);
    must(mrn_world_build(&scene, &s, &msg), &msg);
    double h = mrn_engine_step_limit(&scene, &s).advised;
    mrn_state_set_step(&s, h);
    must(mrn_engine_create(&scene, &s, NULL, &e, &msg), &msg);
    must(mrn_engine_step(&e, (int64_t)(0.4 / h), &msg), &msg);
    for (int k = 0; k < 5; k++)
        height[k] = s.body.x[3 * s.body.index_of[s.body.n_walls + k] + 2];
    /* of the effective radius: a bead's own on a wall, half of it on another bead */
    *overlap = s.max_overlap * 0.01;
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

static inline two_methods settle_both(void)
{
    two_methods t;
    double none;
    settle("smooth", t.smooth, &t.overlap);
    settle("nonsmooth", t.rigid, &none);
    return t;
}

#endif
