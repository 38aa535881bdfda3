/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a collision by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"

enum { OF_COLLISION, OF_LAW };
enum { SPEED, NORMAL_SPEED, ANGLE, SPIN, TARGET_SPIN, DIAMETER, TARGET_DIAMETER, MATERIAL };
enum { YOUNG, POISSON, DENSITY, PROPERTIES };

static const mrn_factor own[] = {
    {OF_COLLISION, SPEED, "speed", "m/s", 0, INFINITY, 0},
    {OF_COLLISION, NORMAL_SPEED, "normal-speed", "m/s", 0, INFINITY, 0},
    {OF_COLLISION, ANGLE, "angle", "rad", 0, 0.5 * MRN_PI, 0},
    {OF_COLLISION, SPIN, "spin", "rad/s", -INFINITY, INFINITY, 0},
    {OF_COLLISION, TARGET_SPIN, "target-spin", "rad/s", -INFINITY, INFINITY, 0},
    {OF_COLLISION, DIAMETER, "diameter", "m", 0, INFINITY, 0},
    {OF_COLLISION, TARGET_DIAMETER, "target-diameter", "m", 0, INFINITY, 0},
    {OF_COLLISION, MATERIAL + YOUNG, "young", "Pa", 0, INFINITY, 0},
    {OF_COLLISION, MATERIAL + POISSON, "poisson", "1", -1, 0.5, 0},
    {OF_COLLISION, MATERIAL + DENSITY, "density", "kg/m3", 0, INFINITY, 0},
    {OF_COLLISION, MATERIAL + PROPERTIES + YOUNG, "target-young", "Pa", 0, INFINITY, 0},
    {OF_COLLISION, MATERIAL + PROPERTIES + POISSON, "target-poisson", "1", -1, 0.5, 0},
    {OF_COLLISION, MATERIAL + PROPERTIES + DENSITY, "target-density", "kg/m3", 0, INFINITY, 0},
};
#define OWN ((int)(sizeof own / sizeof *own))

/* ---- parameters that stand for one another ---- */

#define WAYS    8
#define MEMBERS 4
/* Each line: ways to say one thing, the names that go together in a way. Given in one way, it is
   not given in another; the laws refuse more than one. */
static const char *const instead[][WAYS][MEMBERS] = {
    {{"normal-stiffness"}, {"contact-time"}},
    {{"restitution", "restitution-speed", "restitution-radius"},
     {"normal-damping"},
     {"damping"},
     {"unloading-stiffness"},
     {"unloading-slope"},
     {"relaxation-time"},
     {"eta1", "eta2"}},
    {{"eta1"}, {"eta1-over-young"}},
    {{"eta2"}, {"eta2-over-eta1"}},
    {{"work-of-adhesion"}, {"surface-energy"}},
    {{"liquid-volume"}, {"liquid-share"}},
    {{"rolling-stiffness"}, {"rolling-stiffness-ratio"}},
};
#define THINGS ((int)(sizeof instead / sizeof *instead))

/* Which way of saying thing t a name is part of; -1: none. */
static int way_of(int t, const char *name)
{
    for (int w = 0; w < WAYS; w++)
        for (int m = 0; m < MEMBERS && instead[t][w][m] != NULL; m++)
            if (strcmp(instead[t][w][m], name) == 0)
                return w;
    return -1;
}

/* Whether giving one takes the other back. */
static bool excludes(const char *one, const char *other)
{
    for (int t = 0; t < THINGS; t++) {
        int a = way_of(t, one), b = way_of(t, other);
        if (a >= 0 && b >= 0 && a != b)
            return true;
    }
    return false;
}

/* Those of n parameters that giving one takes back. */
_Static_assert(MRN_PARAM_MAX <= 64, "a bit for every parameter");
static uint64_t takes_place_of(const mrn_param *const *param, int n, int one)
{
    uint64_t all = 0;
    for (int i = 0; i < n; i++)
        all |= excludes(param[one]->name, param[i]->name) ? (uint64_t)1 << i : 0;
    return all;
}

/* ---- all there are ---- */

int mrn_factor_list(const mrn_collision *c, mrn_factor *out, int max)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param), count = 0;
    for (int i = 0; i < OWN; i++) {
        if ((own[i].index == TARGET_DIAMETER || own[i].index == TARGET_SPIN) && isinf(c->radius[1]))
            continue; /* a plane has none */
        if (count < max)
            out[count] = own[i];
        count++;
    }
    for (int i = 0; i < n; i++) {
        if (param[i]->kind != MRN_P_NUMBER)
            continue;
        if (count < max) {
            out[count] = (mrn_factor){OF_LAW, i, "", "", param[i]->min, param[i]->max, 0};
            out[count].instead = takes_place_of(param, n, i);
            snprintf(out[count].name, sizeof out->name, "%s", param[i]->name);
            snprintf(out[count].unit, sizeof out->unit, "%s", param[i]->unit);
        }
        count++;
    }
    return count;
}

/* ---- get and set ---- */

/* No longer given: back to what it is then. */
static void take_back(mrn_collision *c, int index)
{
    const mrn_param *param[MRN_PARAM_MAX];
    mrn_law_model_params(&c->model, param);
    c->value[index].given = false;
    c->value[index].number = param[index]->fallback;
}

static void set_law(mrn_collision *c, const mrn_factor *f, double value)
{
    for (int i = 0; f->instead >> i > 0; i++)
        if ((f->instead >> i & 1) > 0 && c->value[i].given)
            take_back(c, i);
    c->value[f->index].given = true;
    c->value[f->index].number = value;
}

static double *place(mrn_collision *c, int index)
{
    int k = (index - MATERIAL) / PROPERTIES;
    switch (index) {
    case SPEED:
        return &c->speed;
    case NORMAL_SPEED:
        return &c->normal_speed;
    case ANGLE:
        return &c->angle;
    case SPIN:
    case TARGET_SPIN:
        return &c->spin[index - SPIN][1];
    case DIAMETER:
    case TARGET_DIAMETER:
        return &c->radius[index - DIAMETER];
    default:
        break;
    }
    switch ((index - MATERIAL) % PROPERTIES) {
    case YOUNG:
        return &c->young[k];
    case POISSON:
        return &c->poisson[k];
    default:
        return &c->density[k];
    }
}

static bool is_diameter(const mrn_factor *f)
{
    return f->kind == OF_COLLISION && (f->index == DIAMETER || f->index == TARGET_DIAMETER);
}

double mrn_factor_get(const mrn_collision *c, const mrn_factor *f)
{
    if (f->kind == OF_LAW)
        return c->value[f->index].number;
    if (f->index == NORMAL_SPEED)
        return c->normal_speed > 0 ? c->normal_speed : c->speed * cos(c->angle);
    double x = *place((mrn_collision *)c, f->index);
    return is_diameter(f) ? 2 * x : x;
}

/* The normal speed stays, whichever of the two comes last. */
static void follow_angle(mrn_collision *c, int index)
{
    if (index == SPEED)
        c->normal_speed = 0;
    else if ((index == ANGLE || index == NORMAL_SPEED) && c->normal_speed > 0)
        c->speed = c->normal_speed / cos(c->angle);
}

void mrn_factor_set(mrn_collision *c, const mrn_factor *f, double value)
{
    if (f->kind == OF_LAW)
        set_law(c, f, value);
    else
        *place(c, f->index) = is_diameter(f) ? 0.5 * value : value;
    if (f->kind == OF_COLLISION)
        follow_angle(c, f->index);
}

/* ---- find ---- */

static mrn_status unknown(const mrn_factor *list, int n, const char *name, mrn_message *msg)
{
    const char *words[64];
    for (int i = 0; i < n; i++)
        words[i] = list[i].name;
    const char *near = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "a collision has no number '%s'", name);
    char all[512] = "";
    for (int i = 0; i < n; i++) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i > 0 ? ", " : "", list[i].name);
    }
    mrn_fail_expected(msg, "one of %s", all);
    return near != NULL ? mrn_fail_hint(msg, "did you mean '%s'?", near) : MRN_ERR_INPUT;
}

/* A law that is complete must be so with this parameter set, at some value of its range: else it
   does not go with what else is given (a contact time with a dashpot constant). */
static mrn_status settable(const mrn_collision *c, const mrn_factor *f, mrn_message *msg)
{
    static const double tries[] = {1, 0.5, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12};
    mrn_prepared unread;
    if (f->kind != OF_LAW || mrn_collision_prepare(c, &unread, NULL) != MRN_OK)
        return MRN_OK;
    mrn_collision *trial = mrn_alloc(sizeof *trial);
    if (trial == NULL)
        return mrn_fail_memory(msg);
    double now = mrn_factor_get(c, f);
    mrn_status s = MRN_ERR_INPUT;
    for (int i = -1; s != MRN_OK && i < (int)(sizeof tries / sizeof *tries); i++) {
        double x = i < 0 ? now : tries[i];
        if (!isfinite(x) || x < f->lo || x > f->hi)
            continue;
        memcpy(trial, c, sizeof *trial);
        mrn_factor_set(trial, f, x);
        s = mrn_collision_prepare(trial, &unread, msg);
    }
    mrn_free(trial);
    return s == MRN_OK ? s : mrn_fail_hint(msg, "'%s' cannot be set beside the others", f->name);
}

mrn_status mrn_factor_find(const mrn_collision *c, const char *name, mrn_factor *out,
                           mrn_message *msg)
{
    mrn_factor list[OWN + MRN_PARAM_MAX];
    int n = mrn_factor_list(c, list, OWN + MRN_PARAM_MAX);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) {
            *out = list[i];
            return settable(c, out, msg);
        }
    if (strcmp(name, "target-diameter") == 0 || strcmp(name, "target-spin") == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "the target is a plane: it has no %s", name + 7);
        return mrn_fail_expected(msg, "%s of a sphere", name);
    }
    return unknown(list, n, name, msg);
}
