/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid grains whose motion is known, each as a function that runs the case and tells its numbers:
   the tests ask bounds of them, the validation page prints them. Stands without the test library:
   what cannot be built ends the program with its message. */
#ifndef MRN_TESTS_NONSMOOTH_RIGID_CASES_H
#define MRN_TESTS_NONSMOOTH_RIGID_CASES_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/moraine.h"

/* ---- a scene from text ---- */

typedef struct words {
    size_t n;
    char text[1 << 16];
} words;

__attribute__((format(printf, 2, 3))) static inline void put(words *w, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, a);
    va_end(a);
    if (n < 0 || w->n + (size_t)n >= sizeof w->text) {
        fprintf(stderr, "the scene's text is too long\n");
        exit(1);
    }
    w->n += (size_t)n;
}

typedef struct fixture {
    mrn_scene scene;
    mrn_state state;
    mrn_nonsmooth *engine;
    mrn_message msg;
} fixture;

static inline void must(mrn_status s, const mrn_message *msg)
{
    if (s == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static inline void fixture_open(fixture *y, const char *text, double h)
{
    memset(y, 0, sizeof *y);
    must(mrn_scene_read_text(text, "scene", NULL, 0, &y->scene, &y->msg), &y->msg);
    must(mrn_world_build(&y->scene, &y->state, &y->msg), &y->msg);
    mrn_state_set_step(&y->state, h);
    must(mrn_nonsmooth_create(&y->scene, &y->state, &y->engine, &y->msg), &y->msg);
    mrn_ledger_open(&y->scene, &y->state);
}

static inline void fixture_step(fixture *y, int64_t n)
{
    must(mrn_nonsmooth_step(y->engine, n, &y->msg), &y->msg);
}

static inline void fixture_close(fixture *y)
{
    mrn_nonsmooth_destroy(&y->engine);
    mrn_state_destroy(&y->state);
    mrn_scene_destroy(&y->scene);
}

/* Place in memory of the k-th grain made. */
static inline size_t fixture_grain(const fixture *y, int k)
{
    return (size_t)y->state.body.index_of[y->state.body.n_walls + k];
}

static inline mrn_vec3 x_of(const fixture *y, int k)
{
    return mrn_load3(y->state.body.x + 3 * fixture_grain(y, k));
}

static inline mrn_vec3 v_of(const fixture *y, int k)
{
    return mrn_load3(y->state.body.v + 3 * fixture_grain(y, k));
}

static inline mrn_vec3 w_of(const fixture *y, int k)
{
    return mrn_load3(y->state.body.w + 3 * fixture_grain(y, k));
}

static inline mrn_quat q_of(const fixture *y, int k)
{
    const double *q = y->state.body.q + 4 * fixture_grain(y, k);
    return (mrn_quat){q[0], q[1], q[2], q[3]};
}

static inline mrn_energies energies_of(const fixture *y)
{
    return mrn_measure_energies(&y->scene, &y->state);
}

static inline void put_head(words *w, int dimension, const char *options)
{
    put(w, "moraine: 1\ndimension: %d\nmethod: nonsmooth\nnonsmooth: {%s}\n", dimension, options);
    put(w, "stages: [{name: run, at-most: 1000 s}]\n");
}

/* One material, `law` with its parameters, a floor through the origin. */
static inline void put_plain(words *w, int dimension, const char *options, const char *law)
{
    put_head(w, dimension, options);
    put(w, "materials: {m: {density: 2500 kg/m3}}\n");
    put(w, "interactions: [{between: [m, m], law: rigid, %s}]\n", law);
    put(w, "walls: [{name: floor, plane: {point: [0, 0%s], normal: [0, %s1]}, material: m}]\n",
        dimension == 3 ? ", 0" : "", dimension == 3 ? "0, " : "");
}

/* ---- a ball bounces ---- */

typedef struct bounces {
    double top[4]; /* m, of the first bounces             */
    double end;    /* s, when it has come to rest         */
    double height; /* m, of its lowest point then         */
    double residual;
} bounces;

/* A ball whose lowest point falls from `drop`, restitution 0.8, g = 10 m/s2. The n-th bounce is
   e^2n `drop` high, all ends at sqrt(2 drop/g) (1 + e)/(1 - e). */
static inline bounces bounce(double drop, double h)
{
    words w = {0};
    fixture y;
    put_plain(&w, 3, "tolerance: 1e-10", "restitution: 0.8, friction: 0");
    put(&w,
        "gravity: [0, 0, -10]\nbodies: [{name: ball, material: m, shape: {sphere: {radius: 1 "
        "cm}}, place: {list: [{position: [0, 0, %.17g]}]}}]\n",
        drop + 0.01);
    fixture_open(&y, w.text, h);
    bounces b = {0};
    double last = -1, top = 0, end = 1.3 * sqrt(2 * drop / 10) * 9;
    for (int n = 0; y.state.time < end;) {
        fixture_step(&y, 1);
        double v = v_of(&y, 0).z, z = x_of(&y, 0).z - 0.01;
        if (last > 0 && v <= 0 && n < 4)
            b.top[n++] = fmax(top, z);
        top = z;
        last = v;
        b.end = fabs(v) > 1e-9 ? y.state.time : b.end;
    }
    b.height = x_of(&y, 0).z - 0.01;
    b.residual = energies_of(&y).residual;
    fixture_close(&y);
    return b;
}

/* Mean errors over eight heights: an impact is found at any phase of a step. */
static inline void bounce_errors(double h, double *top, double *end)
{
    *top = *end = 0;
    for (int k = 0; k < 8; k++) {
        double drop = 0.1 * (1 + 0.0131 * k);
        bounces b = bounce(drop, h);
        *top += fabs(b.top[0] - 0.64 * drop) / 8;
        *end += fabs(b.end - 9 * sqrt(2 * drop / 10)) / 8;
    }
}

/* ---- a block on a slope ---- */

/* Speed of a flat block after a second on a slope of tan alpha = ratio mu, mu = 1/2, g = 10. */
static inline double slope(double ratio, int dimension)
{
    words w = {0};
    fixture y;
    double tilt = atan(0.5 * ratio);
    put_plain(&w, dimension, "tolerance: 1e-13", "friction: 0.5");
    if (dimension == 3)
        put(&w,
            "gravity: [%.17g, 0, %.17g]\nbodies: [{name: block, material: m, shape: "
            "{polyhedron: {box: [4 cm, 4 cm, 1 cm]}}, orientation: [1, 0, 0, 0], place: {list: "
            "[{position: [0, 0, 0.005]}]}}]\n",
            10 * sin(tilt), -10 * cos(tilt));
    else
        put(&w,
            "gravity: [%.17g, %.17g]\nbodies: [{name: block, material: m, shape: {polygon: "
            "{box: [4 cm, 1 cm]}}, rotation: 0, place: {list: [{position: [0, 0.005]}]}}]\n",
            10 * sin(tilt), -10 * cos(tilt));
    fixture_open(&y, w.text, 1e-3);
    fixture_step(&y, 1000);
    double v = v_of(&y, 0).x;
    fixture_close(&y);
    return v;
}

static inline double slope_exact(double ratio)
{
    double tilt = atan(0.5 * ratio);
    return fmax(0, 10 * (sin(tilt) - 0.5 * cos(tilt)));
}

/* ---- a ball slides, then rolls ---- */

typedef struct rolling {
    double v_half, w_half; /* half-way to rolling: speed, spin times radius, m/s */
    double t_half;         /* s */
    double v, w;           /* when it rolls */
    double residual;
} rolling;

/* Set sliding at 1 m/s, mu = 0.2, g = 10: rolls from t = 2 v0/(7 mu g) on at 5/7 m/s. */
static inline rolling slide_and_roll(double h)
{
    words w = {0};
    fixture y;
    put_plain(&w, 3, "tolerance: 1e-13", "friction: 0.2");
    put(&w, "gravity: [0, 0, -10]\nbodies: [{name: ball, material: m, shape: {sphere: {radius: 1 "
            "cm}}, place: {list: [{position: [0, 0, 0.01], velocity: [1, 0, 0]}]}}]\n");
    fixture_open(&y, w.text, h);
    int half = (int)(0.5 * 2 / (7 * 0.2 * 10) / h);
    fixture_step(&y, half);
    rolling r = {.v_half = v_of(&y, 0).x, .w_half = 0.01 * w_of(&y, 0).y, .t_half = half * h};
    fixture_step(&y, half + 20);
    r.v = v_of(&y, 0).x;
    r.w = 0.01 * w_of(&y, 0).y;
    r.residual = energies_of(&y).residual;
    fixture_close(&y);
    return r;
}

/* ---- balls in a row ---- */

enum { CRADLE_MAX = 8 };

/* n balls, the first comes at 1 m/s, restitution e; gaps between the others. Velocities at the
   end. */
static inline void cradle(int n, double e, double gap, double v[CRADLE_MAX])
{
    words w = {0};
    fixture y;
    char law[64];
    snprintf(law, sizeof law, "restitution: %.17g, friction: 0", e);
    put_plain(&w, 3, "tolerance: 1e-14, max-iterations: 20000", law);
    put(&w, "gravity: [0, 0, 0]\nbodies: [{name: balls, material: m, shape: {sphere: {radius: 1 "
            "cm}}, place: {list: [{position: [-0.05, 0, 1], velocity: [1, 0, 0]}");
    for (int i = 1; i < n; i++)
        put(&w, ", {position: [%.17g, 0, 1]}", (i - 1) * (0.02 + gap));
    put(&w, "]}}]\n");
    fixture_open(&y, w.text, 1e-3);
    fixture_step(&y, 40 + (int)(1000 * gap * n));
    for (int i = 0; i < n; i++)
        v[i] = v_of(&y, i).x;
    fixture_close(&y);
}

/* Solves a x = b (n x n, row after row) in place; false: singular. */
static inline bool gauss(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(a[i * n + k]) > fabs(a[p * n + k]) ? i : p;
        if (!(fabs(a[p * n + k]) > 1e-300))
            return false;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[p * n + j], a[p * n + j] = t;
        }
        double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = 0; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k * n + k];
    return true;
}

/* What Newton's law at all contacts at once says of balls of equal mass that touch in a row, by
   trying every set of contacts that act: 0 <= r, u+ + e u- >= 0, one of them 0 each. */
static inline void cradle_exact(int n, double e, double v[CRADLE_MAX])
{
    int m = n - 1;
    double before[CRADLE_MAX] = {1};
    for (int set = 0; set < 1 << m; set++) {
        double a[CRADLE_MAX * CRADLE_MAX] = {0}, r[CRADLE_MAX], *b = r;
        for (int i = 0; i < m; i++) {
            double u = before[i + 1] - before[i];
            bool acts = set >> i & 1;
            b[i] = acts ? -(1 + e) * u : 0;
            for (int j = 0; j < m; j++)
                a[i * m + j] = acts ? (i == j) * 2.0 - (abs(i - j) == 1) : i == j;
        }
        if (!gauss(m, a, r))
            continue;
        bool fits = true;
        for (int i = 0; i < n; i++)
            v[i] = before[i] + (i > 0 ? r[i - 1] : 0) - (i < m ? r[i] : 0);
        for (int i = 0; i < m; i++)
            fits &= r[i] > -1e-12 && v[i + 1] - v[i] + e * (before[i + 1] - before[i]) > -1e-12;
        if (fits)
            return;
    }
}

/* ---- free turning ---- */

typedef struct turning {
    double energy;   /* largest change of the energy over itself        */
    double momentum; /* largest error of the vector of angular momentum, over its length */
    double size;     /* largest change of its length, over itself */
    int flips;       /* how often the middle axis has turned over       */
    double change;   /* of the angular velocity since the start, over itself */
} turning;

/* A box 3 x 2 x 1 that spins about its middle axis, a little off it, for `time`. */
static inline turning free_turning(double h, double time, double off)
{
    words w = {0};
    fixture y;
    put_head(&w, 3, "tolerance: 1e-10");
    put(&w,
        "materials: {m: {density: 2500 kg/m3}}\ninteractions: [{between: [m, m], law: rigid, "
        "friction: 0.5}]\ngravity: [0, 0, 0]\nbodies: [{name: box, material: m, shape: "
        "{polyhedron: {box: [3 cm, 2 cm, 1 cm]}}, orientation: [1, 0, 0, 0], place: {list: "
        "[{position: [0, 0, 0], spin: [%.17g, 10, %.17g]}]}}]\n",
        off, off);
    fixture_open(&y, w.text, h);
    double start = energies_of(&y).rotational, moment[3];
    /* sides along x, y, z: (b2 + c2)/12 of the mass each */
    double m = y.state.body.mass[fixture_grain(&y, 0)];
    const double side[3] = {0.03, 0.02, 0.01};
    for (int k = 0; k < 3; k++)
        moment[k] = m / 12 *
                    (side[(k + 1) % 3] * side[(k + 1) % 3] + side[(k + 2) % 3] * side[(k + 2) % 3]);
    mrn_quat q0 = q_of(&y, 0);
    mrn_vec3 w0 = w_of(&y, 0), l0 = {moment[0] * w0.x, moment[1] * w0.y, moment[2] * w0.z};
    double up = 1;
    turning t = {0};
    for (int64_t n = (int64_t)(time / h + 0.5); n > 0; n--) {
        fixture_step(&y, 1);
        /* the box's own axes: from where it was at the start to where it is */
        mrn_quat turn = mrn_quat_mul(q_of(&y, 0), mrn_quat_conj(q0));
        mrn_vec3 own = mrn_rotate(mrn_quat_conj(turn), w_of(&y, 0));
        mrn_vec3 l =
            mrn_rotate(turn, mrn_v3(moment[0] * own.x, moment[1] * own.y, moment[2] * own.z));
        t.momentum = fmax(t.momentum, mrn_norm(mrn_sub(l, l0)) / mrn_norm(l0));
        t.size = fmax(t.size, fabs(mrn_norm(l) / mrn_norm(l0) - 1));
        t.energy = fmax(t.energy, fabs(energies_of(&y).rotational / start - 1));
        double now = own.y > 0 ? 1 : -1;
        t.flips += now != up;
        up = now;
    }
    t.change = mrn_norm(mrn_sub(w_of(&y, 0), w0)) / mrn_norm(w0);
    fixture_close(&y);
    return t;
}

/* ---- theta ---- */

typedef struct fall {
    double off;  /* m, height less the exact one after a second of free fall from rest */
    double lost; /* J, booked as taken by the scheme; and its part of the energy */
    double share;
    double residual; /* J */
} fall;

static inline fall free_fall(double theta, double h)
{
    words w = {0};
    fixture y;
    char options[64];
    snprintf(options, sizeof options, "theta: %.17g, tolerance: 1e-10", theta);
    put_plain(&w, 3, options, "friction: 0.5");
    put(&w, "gravity: [0, 0, -10]\nbodies: [{name: ball, material: m, shape: {sphere: {radius: 1 "
            "cm}}, place: {list: [{position: [0, 0, 10]}]}}]\n");
    fixture_open(&y, w.text, h);
    fixture_step(&y, (int64_t)(1 / h + 0.5));
    mrn_energies e = energies_of(&y);
    fall f = {.off = x_of(&y, 0).z - 5, .lost = y.state.ledger.lost_scheme, .residual = e.residual};
    f.share = f.lost / e.kinetic;
    fixture_close(&y);
    return f;
}

#endif
