/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rods joined by hinges (bilateral contacts) that rest on a floor. */
#include "base/base.h"
#include "solve/families.h"

enum { RODS = MRN_OPT_OWN, LAYOUT, AGITATION };
enum { COLUMN, BRIDGE };

static const char *const layouts[] = {"column", "bridge", NULL};
static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.5, 0.1, "Length of a rod; it is a tenth as thick."),
    MRN_OPTION_COUNT("rods", "n", 1, 1e6, 20, "Rods in the chain."),
    MRN_OPTION_CHOICE("layout", layouts, COLUMN,
                      "column: upright, its foot on the floor. bridge: level, one end hinged to a "
                      "fixed point, the other on the floor."),
    MRN_OPTION_NUMBER("agitation", "", "m/s", 0, 1e6, 0,
                      "Deviation of random velocities before the step."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_joints = {
    .name = "joints",
    .summary = "Rods joined by hinges, with a contact at the end.",
    .doc = "n rods end to end; every joint is a bilateral contact (u = 0 in all components), the "
           "only unilateral one is where the chain meets the floor. For solvers that can do "
           "joints; files of the FCLIB format cannot hold them. An upright column without "
           "agitation balances: each joint carries the weight above it. A bridge of one rod rests "
           "half on the hinge, half on the floor.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

static mrn_status add_rod(mrn_assembly *y, const mrn_value *option, int i, mrn_rng *rng,
                          mrn_message *msg)
{
    bool bridge = option[LAYOUT].number == BRIDGE;
    double a = option[MRN_OPT_SIZE].number, d = 0.1 * a, along = (i + 0.5) * a, v[3];
    mrn_vec3 x = bridge ? mrn_assembly_at(y, along, 0, 0) : mrn_assembly_at(y, 0, 0, along);
    mrn_assembly_body b = mrn_assembly_box(y, x, bridge ? (double[]){a, d, d} : (double[]){d, d, a},
                                           option[MRN_OPT_DENSITY].number);
    for (int k = 0; k < 3; k++)
        v[k] = option[AGITATION].number * mrn_rng_normal(rng);
    b.v = mrn_v3(v[0], v[1], y->kind == MRN_CONTACT_2D ? 0 : v[2]);
    return mrn_assembly_add_body(y, &b, msg);
}

static mrn_status fill(mrn_assembly *y, const mrn_value *option, uint64_t seed, mrn_message *msg)
{
    int n = (int)option[RODS].number;
    bool bridge = option[LAYOUT].number == BRIDGE;
    double a = option[MRN_OPT_SIZE].number;
    mrn_rng rng = mrn_rng_seed(seed, 1);
    mrn_assembly_contact c = {.mu = {option[MRN_OPT_FRICTION].number}};
    mrn_status s = MRN_OK;
    c.normal = mrn_assembly_at(y, 0, 0, 1);
    for (int i = 0; i < n && s == MRN_OK; i++) {
        s = add_rod(y, option, i, &rng, msg);
        c.a = i, c.b = i - 1;
        c.point = bridge ? mrn_assembly_at(y, i * a, 0, 0) : mrn_assembly_at(y, 0, 0, i * a);
        c.law = i > 0 || bridge ? MRN_BILATERAL : MRN_UNILATERAL;
        if (s == MRN_OK)
            s = mrn_assembly_add_contact(y, &c, msg);
    }
    c.a = n - 1, c.b = -1, c.law = MRN_UNILATERAL;
    c.point = mrn_assembly_at(y, n * a, 0, 0);
    if (s == MRN_OK && bridge)
        s = mrn_assembly_add_contact(y, &c, msg);
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_joints, option, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    s = fill(&y, option, seed, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_joints, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    bool bridge = option[LAYOUT].number == BRIDGE;
    int n = (int)option[RODS].number, block = p->Ht.br;
    if (option[AGITATION].number != 0 || (bridge && n > 1))
        return mrn_fail(msg, MRN_ERR_RANGE, "joints: no answer is known for these options");
    double weight = option[MRN_OPT_GRAVITY].number * option[MRN_OPT_STEP].number / p->minv[0];
    for (int64_t i = 0; i < (int64_t)p->n * block; i++)
        r[i] = 0;
    for (int64_t i = 0; i < p->n; i++)
        r[i * block] = bridge ? 0.5 * weight : weight * (double)(n - i);
    return MRN_OK;
}
