/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of geom/: filling a shape's values by name, and random points. */
#ifndef TESTS_GEOM_HELPER_H
#define TESTS_GEOM_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "moraine/shape.h"

/* |a - b| <= tolerance; a NaN fails */
#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%s is %.17g, not %.17g", #a, a_, b_);                                        \
    } while (0)

typedef struct wall {
    const mrn_shape_type *type;
    mrn_value value[MRN_PARAM_MAX];
    mrn_shape shape;
    mrn_vec3 x;
    mrn_quat q;
    mrn_message msg;
} wall;

static inline wall wall_of(const char *type)
{
    wall w = {.type = mrn_shape_type_find(type), .q = {1, 0, 0, 0}};
    assert_non_null(w.type);
    return w;
}

static inline mrn_value *value_of(wall *w, const char *name)
{
    for (int k = 0; k < w->type->n_params; k++)
        if (strcmp(w->type->params[k].name, name) == 0) {
            w->value[k].given = true;
            w->value[k].line = 10 + k;
            w->value[k].column = 3;
            return &w->value[k];
        }
    fail_msg("%s has no parameter %s", w->type->name, name);
    return NULL;
}

static inline void set_number(wall *w, const char *name, double v)
{
    value_of(w, name)->number = v;
}
static inline void set_flag(wall *w, const char *name, bool v)
{
    value_of(w, name)->flag = v;
}
static inline void set_vector(wall *w, const char *name, double x, double y, double z)
{
    value_of(w, name)->a = mrn_v3(x, y, z);
}
static inline void set_box(wall *w, const char *name, mrn_vec3 a, mrn_vec3 b)
{
    mrn_value *v = value_of(w, name);
    v->a = a;
    v->b = b;
}
static inline void set_choice(wall *w, const char *name, const char *word)
{
    mrn_value *v = value_of(w, name);
    const mrn_param *p = &w->type->params[v - w->value];
    for (int k = 0; p->choices[k] != NULL; k++)
        if (strcmp(p->choices[k], word) == 0) {
            v->number = k;
            return;
        }
    fail_msg("%s has no choice %s", name, word);
}
static inline mrn_status build(wall *w, int dimension)
{
    return w->type->build(w->value, dimension, &w->shape, &w->x, &w->q, &w->msg);
}

static inline double between(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}
static inline mrn_vec3 point_in(mrn_rng *r, double lo, double hi)
{
    double x = between(r, lo, hi), y = between(r, lo, hi);
    return mrn_v3(x, y, between(r, lo, hi));
}
static inline double apart(mrn_vec3 a, mrn_vec3 b)
{
    return mrn_norm(mrn_sub(a, b));
}

#endif
