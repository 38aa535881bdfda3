/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws mixed by name and asked directly, one contact at a time: for the tests of parts. */
#ifndef MRN_TESTS_LAWS_BLOCK_H
#define MRN_TESTS_LAWS_BLOCK_H

#include <stdlib.h>

#include "world.h"

typedef struct given {
    const char *name;
    double value;
} given;

typedef struct parts {
    const char *normal, *tangential, *rolling, *twisting, *cohesion;
} parts;

static inline mrn_law_model mixed(parts p)
{
    const mrn_law *part[MRN_LAW_KINDS] = {0};
    const char *name[MRN_LAW_KINDS] = {
        [MRN_LAW_NORMAL] = p.normal,     [MRN_LAW_TANGENTIAL] = p.tangential,
        [MRN_LAW_ROLLING] = p.rolling,   [MRN_LAW_TWISTING] = p.twisting,
        [MRN_LAW_COHESION] = p.cohesion,
    };
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        part[k] = name[k] != NULL ? mrn_law_find((mrn_law_kind)k, name[k]) : NULL;
        if (name[k] != NULL && part[k] == NULL)
            fail_msg("no %s law %s", mrn_law_kind_name((mrn_law_kind)k), name[k]);
    }
    mrn_law_model m;
    mrn_message msg = {0};
    ok(mrn_law_mix(part, &m, &msg), &msg);
    return m;
}

/* Prepares `m` with the values given (up to a NULL name); asks for the status alone. */
static inline mrn_status prepare_status(const mrn_law_model *m, const mrn_material_pair *mat,
                                        const given *g, mrn_prepared *out, mrn_message *msg)
{
    const mrn_param *p[MRN_PARAM_MAX];
    mrn_value v[MRN_PARAM_MAX] = {0};
    int n = mrn_law_model_params(m, p);
    for (int i = 0; i < n; i++)
        v[i].number = p[i]->fallback;
    for (; g->name != NULL; g++) {
        bool found = false;
        for (int i = 0; i < n; i++)
            if (strcmp(p[i]->name, g->name) == 0)
                v[i].given = found = true, v[i].number = g->value;
        if (!found)
            fail_msg("no parameter %s", g->name);
    }
    return mrn_law_prepare(m, mat, v, out, msg);
}

static inline mrn_prepared prepared_parts(parts p, const mrn_material_pair *mat, const given *g)
{
    mrn_law_model m = mixed(p);
    mrn_prepared out;
    mrn_message msg = {0};
    ok(prepare_status(&m, mat, g, &out, &msg), &msg);
    return out;
}

/* E = 1 GPa, nu = 0.25, both. */
static inline mrn_material_pair glass(void)
{
    return mrn_material_pair_mix(1e9, 0.25, 2500, 1e9, 0.25, 2500);
}

/* One contact along x of radius r and mass m, everything else 0. */
static inline mrn_law_block *one_contact(double r, double m, double h)
{
    mrn_law_block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->n = 1, b->h = h;
    b->nx[0] = 1;
    b->r_eff[0] = r, b->m_eff[0] = m;
    b->fresh[0] = 1;
    return b;
}

static inline void overlap(mrn_law_block *b, double delta, double rate)
{
    b->gap[0] = -delta, b->closing[0] = rate;
    b->delta[0] = delta > 0 ? delta : 0;
    b->rate[0] = delta > 0 ? rate : 0;
}

/* One step, then the contact is no longer new. */
static inline void ask(const mrn_prepared *p, mrn_law_block *b)
{
    mrn_law_evaluate(p, b);
    b->fresh[0] = 0;
}

static inline double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static inline mrn_vec3 tangential(const mrn_law_block *b)
{
    return mrn_v3(b->tx[0], b->ty[0], b->tz[0]);
}

#endif
