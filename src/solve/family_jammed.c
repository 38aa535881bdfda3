/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems without an answer, or with too many. */
#include "base/base.h"
#include "solve/families.h"

enum { BALLS = MRN_OPT_OWN, LAYOUT, SPEED, ANGLE };
enum { SQUEEZE, WEDGE };

static const char *const layouts[] = {"squeeze", "wedge", NULL};
static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.5, 0.01, "Radius of the balls."),
    MRN_OPTION_COUNT("balls", "n", 1, 1e6, 10, "Balls (disks in 2D)."),
    MRN_OPTION_CHOICE("case", layouts, SQUEEZE,
                      "squeeze: a row between walls that approach. wedge: each ball in a groove of "
                      "its own."),
    MRN_OPTION_POSITIVE("speed", "V", "m/s", 1e6, 0.1, "squeeze: with which the walls approach."),
    MRN_OPTION_NUMBER("angle", "alpha", "degree", 0.1, 89, 10,
                      "wedge: between each side of the groove and the vertical."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_jammed = {
    .name = "jammed",
    .summary = "Problems without an answer (squeeze) or with too many (wedge).",
    .doc = "squeeze: rigid balls fill the space between two walls that approach with speed V; the "
           "normal velocities of all contacts sum up to -V whatever the impulses, so that they "
           "cannot all be >= 0: no answer exists, and no solver may say that it found one. wedge: "
           "a ball in a groove steeper than the angle of friction (mu >= tan alpha) can be held by "
           "its weight alone or be wedged as hard as one likes: r_N = h m g / (2 sin alpha) + s "
           "with r_T = s tan alpha downwards is an answer for every s >= 0.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

static mrn_status fill_squeeze(mrn_assembly *y, const mrn_value *option, mrn_message *msg)
{
    int n = (int)option[BALLS].number;
    double a = option[MRN_OPT_SIZE].number, half = 0.5 * option[SPEED].number;
    mrn_status s = MRN_OK;
    mrn_assembly_contact c = {.mu = {option[MRN_OPT_FRICTION].number}, .normal = {1, 0, 0}};
    for (int i = 0; i < n && s == MRN_OK; i++) {
        mrn_assembly_body b =
            mrn_assembly_ball(y, mrn_v3(a * (2 * i + 1), 0, 0), a, option[MRN_OPT_DENSITY].number);
        s = mrn_assembly_add_body(y, &b, msg);
        c.a = i, c.b = i - 1, c.point = mrn_v3(2 * a * i, 0, 0), c.drive = i == 0 ? half : 0;
        if (s == MRN_OK)
            s = mrn_assembly_add_contact(y, &c, msg);
    }
    c.a = n - 1, c.b = -1, c.point = mrn_v3(2 * a * n, 0, 0), c.drive = half;
    c.normal = mrn_v3(-1, 0, 0);
    return s == MRN_OK ? mrn_assembly_add_contact(y, &c, msg) : s;
}

static mrn_status fill_wedge(mrn_assembly *y, const mrn_value *option, mrn_message *msg)
{
    double a = option[MRN_OPT_SIZE].number, alpha = option[ANGLE].number * MRN_PI / 180;
    mrn_status s = MRN_OK;
    for (int i = 0; i < (int)option[BALLS].number && s == MRN_OK; i++) {
        mrn_assembly_body b =
            mrn_assembly_ball(y, mrn_v3(0, 0, 0), a, option[MRN_OPT_DENSITY].number);
        s = mrn_assembly_add_body(y, &b, msg);
        for (int side = -1; side <= 1 && s == MRN_OK; side += 2) {
            mrn_assembly_contact c = {.a = i, .b = -1, .mu = {option[MRN_OPT_FRICTION].number}};
            c.normal = mrn_assembly_at(y, -side * cos(alpha), 0, sin(alpha));
            c.point = mrn_scale(-a, c.normal);
            s = mrn_assembly_add_contact(y, &c, msg);
        }
    }
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_jammed, option, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    s = option[LAYOUT].number == SQUEEZE ? fill_squeeze(&y, option, msg)
                                         : fill_wedge(&y, option, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_jammed, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

/* Of a wedge: the least of the answers, without friction. */
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    if (option[LAYOUT].number == SQUEEZE)
        return mrn_fail(msg, MRN_ERR_RANGE, "jammed: a squeeze has no answer");
    double alpha = option[ANGLE].number * MRN_PI / 180;
    int block = p->Ht.br;
    for (int64_t i = 0; i < (int64_t)p->n * block; i++)
        r[i] = 0;
    for (int64_t i = 0; i < p->n; i++)
        r[i * block] = option[MRN_OPT_STEP].number * option[MRN_OPT_GRAVITY].number / p->minv[0] /
                       (2 * sin(alpha));
    return MRN_OK;
}
