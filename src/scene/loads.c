/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads that engineers know by name (sine, haversine, vibration, train) as expressions of the time
   in the stage: what a run computes, keeps and compares is then an expression like any other. */
#include "scene/loads.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

/* A number within an expression. */
typedef struct word {
    char s[48];
} word;

static word number(double v)
{
    word w;
    mrn_factor_text(v, w.s, sizeof w.s);
    return w;
}

static mrn_status get(const mrn_check *c, const mrn_node *map, const char *key, const char *unit,
                      double *out)
{
    const mrn_node *n = mrn_node_get(map, key);
    return n != NULL ? mrn_read_quantity(c, n, unit, out) : MRN_OK;
}

static mrn_status printed(const mrn_check *c, char **out, const char *fmt, ...) MRN_PRINTF(3, 4);
static mrn_status printed(const mrn_check *c, char **out, const char *fmt, ...)
{
    enum { ROOM = 1024 };
    mrn_status s = mrn_array(out, ROOM, 1, c->msg);
    va_list args;
    va_start(args, fmt);
    if (s == MRN_OK)
        vsnprintf(*out, ROOM, fmt, args);
    va_end(args);
    return s;
}

static mrn_status sine(const mrn_check *c, const mrn_node *n, const char *unit, char **out)
{
    double mean = 0, amplitude = 0, f = 0, phase = 0;
    MRN_LOAD_TRY(get(c, n, "mean", unit, &mean));
    MRN_LOAD_TRY(get(c, n, "amplitude", unit, &amplitude));
    MRN_LOAD_TRY(get(c, n, "frequency", "Hz", &f));
    MRN_LOAD_TRY(get(c, n, "phase", "rad", &phase));
    return printed(c, out, "%s + %s*sin(2*pi*%s*s + %s)", number(mean).s, number(amplitude).s,
                   number(f).s, number(phase).s);
}

static mrn_status haversine(const mrn_check *c, const mrn_node *n, const char *unit, char **out)
{
    double lo = 0, hi = 0, f = 0, grow = 0;
    char growth[96] = "", end[96] = "";
    const mrn_node *cycles = mrn_node_get(n, "cycles");
    MRN_LOAD_TRY(get(c, n, "min", unit, &lo));
    MRN_LOAD_TRY(get(c, n, "max", unit, &hi));
    MRN_LOAD_TRY(get(c, n, "frequency", "Hz", &f));
    MRN_LOAD_TRY(get(c, n, "grow", "1", &grow));
    if (!(hi > lo))
        return mrn_check_fail(c, mrn_node_get(n, "max"), "more than `min`",
                              "the peaks of a haversine are not above what is between them");
    if (grow > 0)
        snprintf(growth, sizeof growth, "*min(1, s*%s)", number(f / grow).s);
    if (cycles != NULL)
        snprintf(end, sizeof end, "*(1 - step(s - %s))",
                 number((double)mrn_read_integer(c, cycles) / f).s);
    return printed(c, out, "%s + %s*(1 - cos(2*pi*%s*s))%s%s", number(lo).s,
                   number(0.5 * (hi - lo)).s, number(f).s, growth, end);
}

/* The displacement z = A sin w s of a table, with A w^2 = gamma g; or the gravity that is felt in
   its frame, -g - z'' = -g (1 - gamma sin w s). */
static mrn_status vibration(const mrn_check *c, const mrn_node *n, const char *unit, char **out)
{
    double gamma = 0, f = 0;
    bool felt = strcmp(unit, "m/s2") == 0;
    if (!felt && strcmp(unit, "m") != 0)
        return mrn_check_fail(c, n->key, "a displacement, as `path` of a wall, or gravity",
                              "a vibration is a displacement, in m, or an acceleration; this value "
                              "is in %s",
                              unit);
    MRN_LOAD_TRY(get(c, n, "gamma", "1", &gamma));
    MRN_LOAD_TRY(get(c, n, "frequency", "Hz", &f));
    double w = 2 * MRN_PI * f;
    if (felt)
        return printed(c, out, "9.81*(%s*sin(2*pi*%s*s) - 1)", number(gamma).s, number(f).s);
    return printed(c, out, "%s*sin(2*pi*%s*s)", number(gamma * 9.81 / (w * w)).s, number(f).s);
}

/* ---- trains ---- */

typedef struct train {
    double load, speed, spacing, rail, foundation, at, interval, car;
    int cars, axles;
    int64_t passes;
    double length; /* L of the rail on its foundation */
    double last;   /* of the axles */
} train;

static mrn_status read_axles(const mrn_check *c, const mrn_node *list, train *t)
{
    double before = -1;
    for (const mrn_node *x = list->first; x != NULL; x = x->next) {
        MRN_LOAD_TRY(mrn_read_quantity(c, x, "m", &t->last));
        if (!(t->last > before))
            return mrn_check_fail(c, x, "distances that rise from axle to axle",
                                  "an axle at %s comes after one at %g m", x->text, before);
        before = t->last;
        t->axles++;
    }
    return MRN_OK;
}

static mrn_status read_train(const mrn_check *c, const mrn_node *n, train *t)
{
    const mrn_node *cars = mrn_node_get(n, "cars"), *passes = mrn_node_get(n, "passes");
    *t = (train){.spacing = 0.6, .rail = 6.4e6, .foundation = 30e6};
    t->cars = cars != NULL ? (int)mrn_read_integer(c, cars) : 1;
    t->passes = passes != NULL ? (int64_t)mrn_read_integer(c, passes) : 1;
    MRN_LOAD_TRY(get(c, n, "axle-load", "N", &t->load));
    MRN_LOAD_TRY(get(c, n, "speed", "m/s", &t->speed));
    MRN_LOAD_TRY(get(c, n, "spacing", "m", &t->spacing));
    MRN_LOAD_TRY(get(c, n, "rail", "N m2", &t->rail));
    MRN_LOAD_TRY(get(c, n, "foundation", "Pa", &t->foundation));
    MRN_LOAD_TRY(get(c, n, "at", "m", &t->at));
    MRN_LOAD_TRY(get(c, n, "car-length", "m", &t->car));
    MRN_LOAD_TRY(get(c, n, "interval", "s", &t->interval));
    MRN_LOAD_TRY(read_axles(c, mrn_node_get(n, "axles"), t));
    t->length = sqrt(sqrt(4 * t->rail / t->foundation));
    if (t->cars > 1 && !(t->car > t->last))
        return mrn_check_fail(c, cars, "car-length: more than the place of the last axle",
                              "cars with a last axle at %g m are %g m apart", t->last, t->car);
    if ((int64_t)t->cars * t->axles > 4000)
        return mrn_check_fail(c, n->key, "at most 4000 axles", "the train has %d axles",
                              t->cars * t->axles);
    double whole = (t->last + (t->cars - 1) * t->car + 10 * t->length) / t->speed;
    if (t->interval > 0 && t->interval < whole)
        return mrn_check_fail(c, mrn_node_get(n, "interval"), "the next train after the one before",
                              "a train takes %.4g s to pass, the next comes after %.4g s", whole,
                              t->interval);
    t->interval = t->interval > 0 ? t->interval : whole;
    return MRN_OK;
}

/* max(0, A (beam(u - b1) + beam(u - b2) + …)) with u = v s'/L, s' the time since this train came
   near. */
static mrn_status train_text(const mrn_check *c, const mrn_node *n, const char *unit, char **out)
{
    train t;
    if (strcmp(unit, "N") != 0)
        return mrn_check_fail(c, n->key, "a force, in N",
                              "a train is a force on a sleeper; this value is in %s", unit);
    MRN_LOAD_TRY(read_train(c, n, &t));
    size_t size = 512 + (size_t)(t.cars * t.axles) * 320, at = 0;
    MRN_LOAD_TRY(mrn_array(out, (int64_t)size, 1, c->msg));
    char clock[200] = "s";
    if (t.passes > 1)
        snprintf(clock, sizeof clock, "(s - %s*min(%s, floor(s*%s)))", number(t.interval).s,
                 number((double)(t.passes - 1)).s, number(1 / t.interval).s);
    at += (size_t)snprintf(*out, size, "%s*max(0, 0", number(t.load * t.spacing / 2 / t.length).s);
    for (int car = 0; car < t.cars; car++)
        for (const mrn_node *x = mrn_node_get(n, "axles")->first; x != NULL; x = x->next) {
            double axle = 0;
            MRN_LOAD_TRY(mrn_read_quantity(c, x, "m", &axle));
            double b = (axle + car * t.car + t.at) / t.length + 5;
            at += (size_t)snprintf(*out + at, size - at, " + beam(%s*%s - %s)",
                                   number(t.speed / t.length).s, clock, number(b).s);
        }
    snprintf(*out + at, size - at, ")");
    return MRN_OK;
}

const mrn_node *mrn_load_node(const mrn_node *signal)
{
    static const char *const names[] = {"sine", "haversine", "vibration", "train"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const mrn_node *n = mrn_node_get(signal, names[i]);
        if (n != NULL)
            return n;
    }
    return NULL;
}

mrn_status mrn_load_expression(const mrn_check *c, const mrn_node *n, const char *unit, char **out)
{
    *out = NULL;
    mrn_status s = MRN_OK;
    if (strcmp(n->key->text, "sine") == 0)
        s = sine(c, n, unit, out);
    else if (strcmp(n->key->text, "haversine") == 0)
        s = haversine(c, n, unit, out);
    else if (strcmp(n->key->text, "vibration") == 0)
        s = vibration(c, n, unit, out);
    else
        s = train_text(c, n, unit, out);
    if (s != MRN_OK) {
        mrn_free(*out);
        *out = NULL;
    }
    return s;
}
