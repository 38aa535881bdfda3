/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tower of boxes on an inclined floor: sticks or slides as a whole, in closed form. */
#include "base/base.h"
#include "solve/families.h"

enum { BOXES = MRN_OPT_OWN, ANGLE, HEIGHT, RATIO };

static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.5, 0.2, "Width and depth of a box."),
    MRN_OPTION_COUNT("boxes", "n", 1, 1e6, 10, "Boxes on each other."),
    MRN_OPTION_NUMBER("angle", "alpha", "degree", 0, 89, 5, "Inclination of the floor."),
    MRN_OPTION_POSITIVE("height", "", "1", 1e3, 0.1, "Height of a box over its width."),
    MRN_OPTION_POSITIVE("mass-ratio", "", "1", 1e12, 1,
                        "Mass of the top box over that of the lowest, those between in geometric "
                        "steps."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_tower = {
    .name = "tower",
    .summary = "Boxes on each other on an inclined floor.",
    .doc = "n boxes with a contact at each corner of the common faces (4 in 3D, 2 in 2D). Below "
           "the angle of friction all stick; above it the tower slides on the floor with g (sin "
           "alpha - mu cos alpha), held together at the limit of friction. As long as it does not "
           "tip over, the answer is known: at every interface the weight above, more of it on the "
           "lower side. A heavy top (mass-ratio) makes it ill-conditioned.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

static mrn_status add_level(mrn_assembly *y, const mrn_value *option, int k, mrn_message *msg)
{
    int n = (int)option[BOXES].number, depths = y->kind == MRN_CONTACT_2D ? 1 : 2;
    double a = option[MRN_OPT_SIZE].number, height = a * option[HEIGHT].number;
    double scale = n > 1 ? pow(option[RATIO].number, (double)k / (n - 1)) : 1;
    mrn_assembly_body b =
        mrn_assembly_box(y, mrn_assembly_at(y, 0, 0, (k + 0.5) * height), (double[]){a, a, height},
                         scale * option[MRN_OPT_DENSITY].number);
    mrn_status s = mrn_assembly_add_body(y, &b, msg);
    mrn_assembly_contact c = {.a = k, .b = k - 1, .mu = {option[MRN_OPT_FRICTION].number}};
    c.normal = mrn_assembly_at(y, 0, 0, 1);
    for (int i = 0; i < 2 * depths && s == MRN_OK; i++) {
        double x = (i / depths - 0.5) * a, depth = (i % depths - 0.5) * a;
        c.point = mrn_assembly_at(y, x, depth, k * height);
        s = mrn_assembly_add_contact(y, &c, msg);
    }
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_tower, option, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    double alpha = option[ANGLE].number * MRN_PI / 180, g = option[MRN_OPT_GRAVITY].number;
    y.gravity = mrn_assembly_at(&y, g * sin(alpha), 0, -g * cos(alpha));
    for (int k = 0; k < (int)option[BOXES].number && s == MRN_OK; k++)
        s = add_level(&y, option, k, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_tower, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

/* Impulses of one interface with `mass` above it, its centre at `height`; false: it tips. */
static bool interface(const mrn_value *option, bool flat, double mass, double height, double *r)
{
    double alpha = option[ANGLE].number * MRN_PI / 180, a = option[MRN_OPT_SIZE].number;
    double slope = fmin(tan(alpha), option[MRN_OPT_FRICTION].number);
    double normal =
        mass * option[MRN_OPT_GRAVITY].number * cos(alpha) * option[MRN_OPT_STEP].number;
    int depths = flat ? 1 : 2, block = flat ? 2 : 3;
    for (int i = 0; i < 2 * depths; i++) {
        double side = i / depths == 0 ? -1 : 1;
        double share = normal / depths * (0.5 + side * slope * height / a);
        if (share < 0)
            return false;
        r[i * block] = share;
        /* friction uphill, towards -x: along the tangent in 2D, against it in 3D */
        r[i * block + 1] = (flat ? 1 : -1) * slope * share;
        if (!flat)
            r[i * block + 2] = 0;
    }
    return true;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    bool flat = p->kind == MRN_CONTACT_2D;
    int dof = p->Ht.bc, points = flat ? 2 : 4;
    double step = option[MRN_OPT_SIZE].number * option[HEIGHT].number, mass = 0, moment = 0;
    for (int k = (int)option[BOXES].number - 1; k >= 0; k--) {
        double m = 1 / p->minv[(int64_t)k * dof * dof];
        /* moment of the masses above, taken to the interface one box lower */
        moment += mass * step + 0.5 * step * m;
        mass += m;
        if (!interface(option, flat, mass, moment / mass, r + (int64_t)k * points * p->Ht.br))
            return mrn_fail(msg, MRN_ERR_RANGE, "tower: it tips over; no answer is known");
    }
    return MRN_OK;
}
