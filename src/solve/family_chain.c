/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of balls pressed together: the simplest problems with an answer in closed form. */
#include "base/base.h"
#include "solve/families.h"

enum { SPHERES = MRN_OPT_OWN, LAYOUT, FORCE, RATIO, AGITATION };
enum { COLUMN, ROW };

static const char *const layouts[] = {"column", "row", NULL};
static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.5, 0.01, "Radius of the balls."),
    MRN_OPTION_COUNT("spheres", "n", 1, 2e6, 100, "Balls (disks in 2D)."),
    MRN_OPTION_CHOICE("layout", layouts, COLUMN,
                      "column: on a fixed floor under gravity. row: free, without gravity, two "
                      "balls at least."),
    MRN_OPTION_NUMBER("force", "F", "N", 0, 1e12, 1,
                      "Presses on the top of a column, on both ends of a row."),
    MRN_OPTION_POSITIVE("mass-ratio", "", "1", 1e12, 1,
                        "Mass of the last ball over that of the first, those between in "
                        "geometric steps: heavy on light is ill-conditioned."),
    MRN_OPTION_NUMBER("agitation", "", "m/s", 0, 1e6, 0,
                      "Deviation of random velocities before the step."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_chain = {
    .name = "chain",
    .summary = "Balls in a column or a row, pressed together.",
    .doc = "A column of n balls on a floor under gravity, or a free row squeezed by opposite "
           "forces. Without agitation nothing moves and the answer is known: in a column r_N of "
           "a contact is h times the force on top and the weights above it, in a row h F "
           "everywhere; r_T = 0. Information travels one ball per sweep of Gauss-Seidel in the "
           "wrong order: the cost of simple solvers grows with n².",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

static mrn_status add_ball(mrn_assembly *y, const mrn_value *option, int i, mrn_rng *rng,
                           mrn_message *msg)
{
    int n = (int)option[SPHERES].number;
    bool row = option[LAYOUT].number == ROW, flat = y->kind == MRN_CONTACT_2D;
    double a = option[MRN_OPT_SIZE].number, along = a * (2 * i + 1), v[3];
    double scale = n > 1 ? pow(option[RATIO].number, (double)i / (n - 1)) : 1;
    mrn_vec3 x = row ? mrn_assembly_at(y, along, 0, 0) : mrn_assembly_at(y, 0, 0, along);
    mrn_assembly_body b = mrn_assembly_ball(y, x, a, scale * option[MRN_OPT_DENSITY].number);
    for (int k = 0; k < 3; k++)
        v[k] = option[AGITATION].number * mrn_rng_normal(rng);
    b.v = mrn_v3(v[0], v[1], flat ? 0 : v[2]);
    double force = option[FORCE].number;
    if (row && i == 0)
        b.force = mrn_v3(force, 0, 0);
    if (i == n - 1)
        b.force = row ? mrn_v3(-force, 0, 0) : mrn_assembly_at(y, 0, 0, -force);
    return mrn_assembly_add_body(y, &b, msg);
}

static mrn_status fill(mrn_assembly *y, const mrn_value *option, uint64_t seed, mrn_message *msg)
{
    int n = (int)option[SPHERES].number;
    bool row = option[LAYOUT].number == ROW;
    double a = option[MRN_OPT_SIZE].number;
    mrn_rng rng = mrn_rng_seed(seed, 1);
    mrn_status s = MRN_OK;
    for (int i = 0; i < n && s == MRN_OK; i++) {
        mrn_assembly_contact c = {.a = i, .b = i - 1, .mu = {option[MRN_OPT_FRICTION].number}};
        c.normal = row ? mrn_v3(1, 0, 0) : mrn_assembly_at(y, 0, 0, 1);
        c.point = mrn_scale(2 * a * i, c.normal);
        s = add_ball(y, option, i, &rng, msg);
        if (s == MRN_OK && (i > 0 || !row))
            s = mrn_assembly_add_contact(y, &c, msg);
    }
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_chain, option, msg);
    if (s != MRN_OK)
        return s;
    bool row = option[LAYOUT].number == ROW;
    if (row && option[SPHERES].number < 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "chain: a row of one ball has no contacts");
    mrn_assembly y = mrn_assembly_begin(option);
    if (row)
        y.gravity = mrn_v3(0, 0, 0);
    s = fill(&y, option, seed, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_chain, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    if (option[AGITATION].number != 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "chain: no answer is known with agitation");
    int block = p->Ht.br, dof = p->Ht.bc;
    double h = option[MRN_OPT_STEP].number, sum = h * option[FORCE].number;
    double g = option[LAYOUT].number == ROW ? 0 : option[MRN_OPT_GRAVITY].number;
    for (int i = p->n - 1; i >= 0; i--) {
        /* contact i of a column carries ball i and all above it */
        sum += h * g / p->minv[(int64_t)i * dof * dof];
        r[(int64_t)i * block] = sum;
        for (int c = 1; c < block; c++)
            r[(int64_t)i * block + c] = 0;
    }
    return MRN_OK;
}
