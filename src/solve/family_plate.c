/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One plate on many points: as hyperstatic as can be. */
#include "base/base.h"
#include "solve/families.h"

enum { CONTACTS = MRN_OPT_OWN, PUSH, ECCENTRICITY };

static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.5, 0.5, "Radius of the plate, half its length in 2D."),
    MRN_OPTION_COUNT("contacts", "n", 1, 2e6, 100, "Points on which it lies."),
    MRN_OPTION_NUMBER("push", "", "1", 0, 1e6, 0, "Force along x over the weight."),
    MRN_OPTION_NUMBER("eccentricity", "", "1", 0, 1, 0,
                      "Distance of the centre of mass from that of the points, over the radius."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_plate = {
    .name = "plate",
    .summary = "One thin plate on many more points than it needs.",
    .doc = "n points on a spiral (and its mirror image, so that their centre is that of the "
           "plate), along a line in 2D, carry one thin plate; W has 3n rows and rank 6 at most. W "
           "has n² blocks: beyond some thousand points solvers that exchange velocities of bodies "
           "are the only way. Without eccentricity an equal share for each is one of the "
           "answers; a push above mu lets it slide with g (push - mu).",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

/* Points i and n - 1 - i are mirror images; an odd one lies in the centre. */
static mrn_vec3 point_of(const mrn_assembly *y, int n, int i, double a)
{
    int half = n / 2, k = i < half ? i : n - 1 - i;
    double sign = i < half ? 1 : -1, golden = MRN_PI * (3 - sqrt(5));
    if (n % 2 == 1 && i == half)
        return mrn_v3(0, 0, 0);
    if (y->kind == MRN_CONTACT_2D)
        return mrn_v3(-sign * a * (1 - (2.0 * k + 1) / n), 0, 0);
    double r = a * sqrt((k + 0.5) / half);
    return mrn_v3(sign * r * cos(golden * k), sign * r * sin(golden * k), 0);
}

static mrn_status fill(mrn_assembly *y, const mrn_value *option, mrn_message *msg)
{
    int n = (int)option[CONTACTS].number;
    double a = option[MRN_OPT_SIZE].number;
    mrn_assembly_body b =
        mrn_assembly_box(y, mrn_v3(option[ECCENTRICITY].number * a, 0, 0),
                         (double[]){2 * a, 2 * a, 0.2 * a}, option[MRN_OPT_DENSITY].number);
    b.force = mrn_v3(option[PUSH].number * b.mass * option[MRN_OPT_GRAVITY].number, 0, 0);
    mrn_status s = mrn_assembly_add_body(y, &b, msg);
    for (int i = 0; i < n && s == MRN_OK; i++) {
        mrn_assembly_contact c = {.a = 0, .b = -1, .mu = {option[MRN_OPT_FRICTION].number}};
        c.point = point_of(y, n, i, a);
        c.normal = mrn_assembly_at(y, 0, 0, 1);
        s = mrn_assembly_add_contact(y, &c, msg);
    }
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_plate, option, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    s = fill(&y, option, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_plate, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    if (option[ECCENTRICITY].number != 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "plate: no answer is known with eccentricity");
    bool flat = p->kind == MRN_CONTACT_2D;
    int block = p->Ht.br;
    double share = option[MRN_OPT_GRAVITY].number * option[MRN_OPT_STEP].number / p->minv[0] / p->n;
    double slope = fmin(option[PUSH].number, option[MRN_OPT_FRICTION].number);
    for (int64_t i = 0; i < p->n; i++) {
        r[i * block] = share;
        r[i * block + 1] = (flat ? 1 : -1) * slope * share; /* against the push, along +x */
        if (!flat)
            r[i * block + 2] = 0;
    }
    return MRN_OK;
}
