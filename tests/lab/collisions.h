/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions made by hand, for tests. */
#ifndef MRN_TESTS_LAB_COLLISIONS_H
#define MRN_TESTS_LAB_COLLISIONS_H

#include <stdlib.h>

#include "moraine/lab.h"
#include "world.h"

/* A ball of 5 mm radius on a plane, both glass-like, no parameter given. */
static inline void ball(mrn_collision *c, const char *law)
{
    const mrn_param *param[MRN_PARAM_MAX];
    memset(c, 0, sizeof *c);
    assert_non_null(mrn_law_model_find(law));
    c->model = *mrn_law_model_find(law);
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++)
        c->value[i].number = param[i]->fallback;
    c->radius[0] = 5e-3, c->radius[1] = INFINITY;
    for (int k = 0; k < 2; k++)
        c->young[k] = 1e9, c->poisson[k] = 0.3, c->density[k] = 2500;
    c->speed = 1;
}

static inline void give(mrn_collision *c, const char *name, double value)
{
    mrn_factor f;
    mrn_message msg = {0};
    ok(mrn_factor_find(c, name, &f, &msg), &msg);
    mrn_factor_set(c, &f, value);
}

static inline bool has(const mrn_collision *c, const char *name)
{
    mrn_factor f;
    return mrn_factor_find(c, name, &f, NULL) == MRN_OK;
}

/* All that a model of the registry needs, at plausible values. */
static inline void complete(mrn_collision *c)
{
    static const struct {
        const char *name;
        double value;
    } usual[] = {{"friction", 0.3},          {"normal-stiffness", 1e6}, {"work-of-adhesion", 0.05},
                 {"surface-tension", 0.072}, {"liquid-share", 1e-3},    {"rolling-friction", 0.1},
                 {"twisting-friction", 0.1}, {"eta1-over-young", 1e-6}, {"relaxation-time", 2e-6}};
    bool rigid = strcmp(c->model.name, "rigid") == 0; /* jumps: rolling has no part in them */
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (has(c, usual[k].name) && !(rigid && strstr(usual[k].name, "rolling") != NULL))
            give(c, usual[k].name, usual[k].value);
    if (has(c, "restitution") && !has(c, "relaxation-time"))
        give(c, "restitution", 0.8);
}

static inline double mass_of(const mrn_collision *c)
{
    return 4.0 / 3 * M_PI * pow(c->radius[0], 3) * c->density[0];
}

static inline mrn_rebound collide_one(const mrn_collision *c, double accuracy)
{
    mrn_rebound r;
    mrn_message msg = {0};
    ok(mrn_collide(c, 1, accuracy, &r, NULL, &msg), &msg);
    assert_true(r.error <= accuracy);
    return r;
}

#define DEG (M_PI / 180)

#endif
