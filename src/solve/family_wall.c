/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A wall of bricks in running bond: hyperstatic, with an answer in closed form. */
#include "base/base.h"
#include "solve/families.h"

enum { BRICKS = MRN_OPT_OWN, COURSES, SIDES, PULL };

static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.6, 0.2, "Length of a brick; depth is a/2, height 0.3 a."),
    MRN_OPTION_COUNT("bricks", "n_x", 1, 1e5, 10, "Bricks along the wall."),
    MRN_OPTION_COUNT("courses", "n_z", 1, 1e5, 10, "Layers of bricks."),
    MRN_OPTION_FLAG("sides", 1, "Contacts between neighbours of a course as well."),
    MRN_OPTION_NUMBER("pull", "", "1", -1e6, 1e6, 0,
                      "Force on a brick in the middle over its weight, out of the wall in 3D, "
                      "along it in 2D."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_wall = {
    .name = "wall",
    .summary = "A wall of bricks in running bond on a fixed floor.",
    .doc = "Courses of bricks, every second one begins and ends with half a brick, so that each "
           "brick rests on two. Where two faces meet there is a contact at each corner of the "
           "common rectangle, 4 in 3D, 2 in 2D: many more unknown impulses than equations. "
           "Without pull the wall stands, and uniform stress is one of the many answers: "
           "h g rho times the volume above, shared by the corners.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

/* The wall in numbers. */
typedef struct plan {
    int bricks, courses;
    double length, depth, height;
} plan;

static plan plan_of(const mrn_value *option)
{
    double a = option[MRN_OPT_SIZE].number;
    plan w = {.bricks = (int)option[BRICKS].number, .courses = (int)option[COURSES].number};
    w.length = a, w.depth = 0.5 * a, w.height = 0.3 * a;
    return w;
}

static int bricks_in(const plan *w, int course)
{
    return w->bricks + course % 2;
}

/* Left end of brick i of a course; that of brick `bricks_in` is the right end of the wall. */
static double left_of(const plan *w, int course, int i)
{
    double x = course % 2 == 0 ? i : i - 0.5;
    return w->length * fmin(fmax(x, 0), w->bricks);
}

/* Bodies of all courses below. */
static int64_t first_of(const plan *w, int course)
{
    return (int64_t)w->bricks * course + course / 2;
}

static mrn_status add_bricks(mrn_assembly *y, const plan *w, int course, double density,
                             mrn_message *msg)
{
    mrn_status s = MRN_OK;
    for (int i = 0; i < bricks_in(w, course) && s == MRN_OK; i++) {
        double lo = left_of(w, course, i), hi = left_of(w, course, i + 1);
        mrn_vec3 x =
            mrn_assembly_at(y, 0.5 * (lo + hi), 0.5 * w->depth, (course + 0.5) * w->height);
        mrn_assembly_body b =
            mrn_assembly_box(y, x, (double[]){hi - lo, w->depth, w->height}, density);
        s = mrn_assembly_add_body(y, &b, msg);
    }
    return s;
}

/* Corners of a common face that reaches over lo … hi in x (bed) or in height (side, at x). */
static mrn_status add_face(mrn_assembly *y, const plan *w, mrn_assembly_contact c, bool side,
                           double at, double lo, double hi, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    int depths = y->kind == MRN_CONTACT_2D ? 1 : 2;
    c.normal = side ? mrn_v3(1, 0, 0) : mrn_assembly_at(y, 0, 0, 1);
    for (int k = 0; k < 2 * depths && s == MRN_OK; k++) {
        double along = k / depths == 0 ? lo : hi, depth = k % depths * w->depth;
        c.point =
            side ? mrn_assembly_at(y, at, depth, along) : mrn_assembly_at(y, along, depth, at);
        s = mrn_assembly_add_contact(y, &c, msg);
    }
    return s;
}

/* Contacts of a course with what is below: two pointers run along both. */
static mrn_status add_bed(mrn_assembly *y, const plan *w, int course, double mu, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    mrn_assembly_contact c = {.mu = {mu}};
    double at = course * w->height;
    for (int i = 0, j = 0; i < bricks_in(w, course) && s == MRN_OK;) {
        double lo = left_of(w, course, i), hi = left_of(w, course, i + 1);
        c.a = (int32_t)(first_of(w, course) + i), c.b = -1;
        if (course == 0) {
            s = add_face(y, w, c, false, at, lo, hi, msg);
            i++;
            continue;
        }
        double end = left_of(w, course - 1, j + 1);
        c.b = (int32_t)(first_of(w, course - 1) + j);
        s = add_face(y, w, c, false, at, fmax(lo, left_of(w, course - 1, j)), fmin(hi, end), msg);
        i += hi <= end, j += end <= hi;
    }
    return s;
}

static mrn_status add_sides(mrn_assembly *y, const plan *w, int course, double mu, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    double bottom = course * w->height;
    for (int i = 1; i < bricks_in(w, course) && s == MRN_OK; i++) {
        int32_t body = (int32_t)(first_of(w, course) + i);
        mrn_assembly_contact c = {.a = body, .b = body - 1, .mu = {mu}};
        s = add_face(y, w, c, true, left_of(w, course, i), bottom, bottom + w->height, msg);
    }
    return s;
}

static mrn_status fill(mrn_assembly *y, const mrn_value *option, mrn_message *msg)
{
    plan w = plan_of(option);
    double mu = option[MRN_OPT_FRICTION].number;
    mrn_status s = MRN_OK;
    for (int k = 0; k < w.courses && s == MRN_OK; k++) {
        s = add_bricks(y, &w, k, option[MRN_OPT_DENSITY].number, msg);
        if (s == MRN_OK)
            s = add_bed(y, &w, k, mu, msg);
        if (s == MRN_OK && option[SIDES].flag)
            s = add_sides(y, &w, k, mu, msg);
    }
    if (s != MRN_OK)
        return s;
    int middle = w.courses / 2;
    mrn_assembly_body *b = &y->body[first_of(&w, middle) + bricks_in(&w, middle) / 2];
    double pull = option[PULL].number * b->mass * option[MRN_OPT_GRAVITY].number;
    b->force = y->kind == MRN_CONTACT_2D ? mrn_v3(pull, 0, 0) : mrn_v3(0, pull, 0);
    return MRN_OK;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_wall, option, msg);
    if (s == MRN_OK)
        s = mrn_family_fits(&mrn_family_wall, 12 * option[BRICKS].number * option[COURSES].number,
                            msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    s = fill(&y, option, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_wall, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)seed;
    if (option[PULL].number != 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "wall: no answer is known with a pull");
    plan w = plan_of(option);
    int block = p->Ht.br, points = p->kind == MRN_CONTACT_2D ? 2 : 4;
    int64_t at = 0;
    double weight = option[MRN_OPT_STEP].number * option[MRN_OPT_GRAVITY].number *
                    option[MRN_OPT_DENSITY].number * w.height *
                    (p->kind == MRN_CONTACT_2D ? 1 : w.depth);
    for (int64_t i = 0; i < (int64_t)p->n * block; i++)
        r[i] = 0;
    for (int k = 0; k < w.courses; k++) {
        int faces = k == 0 ? w.bricks : 2 * w.bricks;
        double length = k == 0 ? w.length : 0.5 * w.length;
        for (int i = 0; i < faces * points; i++)
            r[at++ * block] = weight * (w.courses - k) * length / points;
        at += option[SIDES].flag ? (int64_t)points * (bricks_in(&w, k) - 1) : 0;
    }
    return MRN_OK;
}
