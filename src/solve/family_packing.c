/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disordered packing of balls in a box, laid ball by ball: each comes down at a random place and
   slides over those already there until it can get no lower. Points here are x, depth, height; in
   2D depth is 0. */
#include "base/base.h"
#include "solve/families.h"

enum { SPHERES = MRN_OPT_OWN, SIZE_SPREAD, WIDTH, ROLLING, AGITATION, RESTITUTION };

static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.3, 0.01, "Mean radius of the balls."),
    MRN_OPTION_COUNT("spheres", "n", 1, 3e6, 500, "Balls (disks in 2D)."),
    MRN_OPTION_NUMBER("size-spread", "", "1", 0, 0.6, 0.2,
                      "Radii are drawn between a (1 - spread) and a (1 + spread)."),
    MRN_OPTION_NUMBER("width", "", "1", 2, 1e5, NAN,
                      "Of the box in mean diameters; default: about as wide as high."),
    MRN_OPTION_NUMBER("rolling", "mu_r", "1", 0, 1e3, 0,
                      "Rolling friction as a length over the mean radius; above 0 contacts resist "
                      "rolling."),
    MRN_OPTION_NUMBER("agitation", "", "m/s", 0, 1e6, 0,
                      "Deviation of random velocities before the step."),
    MRN_OPTION_NUMBER("restitution", "e", "1", 0, 1, 0, "Newton's, for the approach before."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);

const mrn_problem_family mrn_family_packing = {
    .name = "packing",
    .summary = "A disordered packing of balls in a box under gravity.",
    .doc = "Balls are laid one after the other: from above at a random place, in small steps down, "
           "each corrected so that it keeps out of all balls and walls and never rises, until it "
           "rests on three others (two in 2D) or on the floor. No dynamics, and linear in the "
           "number of balls. Contacts are pairs closer than 1e-6 radii: about 3 per ball (2 in "
           "2D), as many as an isostatic packing without friction has. The problem is a time step "
           "from rest, or from random velocities.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
};

#define NEAR_MAX 256

/* The box being filled. Cells of a grid hold lists of balls; the topmost layer of cells holds all
   that is higher. */
typedef struct box {
    bool flat;
    double width, cell;
    int n[3];             /* cells along x, depth, height       */
    int32_t *head, *next; /* lists of balls, -1 ends            */
    double *top;          /* highest point of a column of cells */
    mrn_vec3 *x;
    double *radius;
} box;

static int clamp(double v, int n)
{
    int i = (int)v;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void cell_of(const box *b, mrn_vec3 x, int c[3])
{
    c[0] = clamp(x.x / b->cell, b->n[0]);
    c[1] = clamp(x.y / b->cell, b->n[1]);
    c[2] = clamp(x.z / b->cell, b->n[2]);
}

static void insert(box *b, int32_t i)
{
    int c[3];
    cell_of(b, b->x[i], c);
    int64_t column = (int64_t)c[1] * b->n[0] + c[0];
    int64_t at = column * b->n[2] + c[2];
    b->next[i] = b->head[at];
    b->head[at] = i;
    b->top[column] = fmax(b->top[column], b->x[i].z + b->radius[i]);
}

/* Half spaces n . z >= at around a ball: planes that touch its neighbours (seen from its centre, so
   that whatever keeps to them keeps out of the neighbours), and the walls. */
typedef struct near {
    int n;
    int32_t ball[NEAR_MAX]; /* first the balls */
    mrn_vec3 centre;        /* where it was made */
} near;
typedef struct half {
    mrn_vec3 n;
    double at;
} half;

/* Balls that one of radius r may meet before it has moved by half of that. */
static void list_neighbours(const box *b, double r, mrn_vec3 x, near *list)
{
    int c[3], k[3];
    cell_of(b, x, c);
    list->n = 0;
    list->centre = x;
    for (k[1] = c[1] > 0 ? c[1] - 1 : 0; k[1] <= c[1] + 1 && k[1] < b->n[1]; k[1]++)
        for (k[0] = c[0] > 0 ? c[0] - 1 : 0; k[0] <= c[0] + 1 && k[0] < b->n[0]; k[0]++)
            for (k[2] = c[2] > 0 ? c[2] - 1 : 0; k[2] <= c[2] + 1 && k[2] < b->n[2]; k[2]++) {
                int64_t at = ((int64_t)k[1] * b->n[0] + k[0]) * b->n[2] + k[2];
                for (int32_t j = b->head[at]; j >= 0 && list->n < NEAR_MAX; j = b->next[j]) {
                    mrn_vec3 d = mrn_sub(x, b->x[j]);
                    double reach = 1.5 * r + b->radius[j];
                    if (mrn_dot(d, d) < reach * reach)
                        list->ball[list->n++] = j;
                }
            }
}

static int half_spaces(const box *b, const near *list, double r, mrn_vec3 x, half *h)
{
    int n = 0;
    for (int k = 0; k < list->n; k++) {
        mrn_vec3 y = b->x[list->ball[k]], e = mrn_unit(mrn_sub(x, y));
        h[n++] = (half){e, mrn_dot(e, y) + r + b->radius[list->ball[k]]};
    }
    h[n++] = (half){mrn_v3(0, 0, 1), r};
    for (int d = 0; d < (b->flat ? 1 : 2); d++) {
        mrn_vec3 e = mrn_v3(d == 0, d == 1, 0);
        h[n++] = (half){e, r};
        h[n++] = (half){mrn_scale(-1, e), r - b->width};
    }
    return n;
}

/* The point of the planes of k half spaces that is nearest to p; false when they do not meet
   properly, or when p is on the good side of one of them. */
static bool nearest_on(const half *const *h, int k, mrn_vec3 p, mrn_vec3 *z)
{
    double g01 = k > 1 ? mrn_dot(h[0]->n, h[1]->n) : 0, g02 = 0, g12 = 0, c[3] = {0}, l[3] = {0};
    for (int i = 0; i < k; i++)
        c[i] = h[i]->at - mrn_dot(h[i]->n, p);
    if (k > 2)
        g02 = mrn_dot(h[0]->n, h[2]->n), g12 = mrn_dot(h[1]->n, h[2]->n);
    /* normals are unit vectors: the diagonal of their Gram matrix is 1 */
    double det = 1 - g01 * g01 - g02 * g02 - g12 * g12 + 2 * g01 * g02 * g12;
    if (det < 1e-9)
        return false;
    l[0] = (c[0] * (1 - g12 * g12) + c[1] * (g02 * g12 - g01) + c[2] * (g01 * g12 - g02)) / det;
    l[1] = (c[0] * (g02 * g12 - g01) + c[1] * (1 - g02 * g02) + c[2] * (g01 * g02 - g12)) / det;
    l[2] = (c[0] * (g01 * g12 - g02) + c[1] * (g01 * g02 - g12) + c[2] * (1 - g01 * g01)) / det;
    *z = p;
    for (int i = 0; i < k; i++) {
        if (l[i] < 0)
            return false;
        *z = mrn_axpy(l[i], h[i]->n, *z);
    }
    return true;
}

/* `w` (n half spaces, 3 at most) and one more, `extra`: keeps in w those on whose planes the point
   nearest to p inside of all of them lies. */
static bool exchange(const half **w, int *n, const half *extra, double slack, mrn_vec3 p,
                     mrn_vec3 *z)
{
    for (int pick = 0; pick < 1 << *n; pick++) {
        const half *some[4] = {extra};
        int k = 1;
        for (int i = 0; i < *n; i++)
            if (pick >> i & 1)
                some[k++] = w[i];
        if (k > 3 || !nearest_on(some, k, p, z))
            continue;
        bool inside = true;
        for (int i = 0; i < *n && inside; i++)
            inside = pick >> i & 1 || mrn_dot(w[i]->n, *z) >= w[i]->at - slack;
        if (!inside)
            continue;
        for (int i = 0; i < k; i++)
            w[i] = some[i];
        *n = k;
        return true;
    }
    return false;
}

/* The point nearest to p inside of all half spaces: the worst is taken in until none is violated.
   The distance from p grows each time, so that this ends. */
static bool project(const half *h, int n, double slack, mrn_vec3 p, mrn_vec3 *z)
{
    const half *w[4];
    int k = 0;
    *z = p;
    for (int turn = 0; turn < 50; turn++) {
        double worst = -slack;
        const half *extra = NULL;
        for (int i = 0; i < n; i++) {
            double inside = mrn_dot(h[i].n, *z) - h[i].at;
            if (inside < worst)
                worst = inside, extra = &h[i];
        }
        if (extra == NULL)
            return true;
        if (!exchange(w, &k, extra, slack, p, z))
            return false;
    }
    return false;
}

/* Down in steps of 0.3 r, each followed by a projection on the half spaces seen from where the ball
   is: it is inside of them, so every step is allowed and none leads up. In a pocket of three others
   the steps shrink as those of Newton's method do. */
static mrn_vec3 settle(const box *b, double r, mrn_vec3 x)
{
    near list;
    half h[NEAR_MAX + 5];
    mrn_vec3 z;
    list_neighbours(b, r, x, &list);
    for (int k = 0; k < 2000; k++) {
        if (mrn_norm(mrn_sub(x, list.centre)) > 0.19 * r)
            list_neighbours(b, r, x, &list);
        int n = half_spaces(b, &list, r, x, h);
        if (!project(h, n, 1e-12 * r, mrn_axpy(-0.3 * r, mrn_v3(0, 0, 1), x), &z))
            break;
        double moved = mrn_norm(mrn_sub(z, x));
        x = z;
        if (moved < 1e-10 * r)
            break;
    }
    return x;
}

/* Above everything near the place. */
static double above(const box *b, mrn_vec3 x)
{
    int c[3];
    double top = 0;
    cell_of(b, x, c);
    for (int j = c[1] > 0 ? c[1] - 1 : 0; j <= c[1] + 1 && j < b->n[1]; j++)
        for (int i = c[0] > 0 ? c[0] - 1 : 0; i <= c[0] + 1 && i < b->n[0]; i++)
            top = fmax(top, b->top[(int64_t)j * b->n[0] + i]);
    return top;
}

static void lay(box *b, int32_t i, double r, mrn_rng *rng)
{
    double place[2];
    for (int d = 0; d < 2; d++)
        place[d] = r + (b->width - 2 * r) * mrn_rng_uniform(rng);
    mrn_vec3 x = mrn_v3(place[0], b->flat ? 0 : place[1], 0);
    x.z = above(b, x) + r;
    b->radius[i] = r;
    b->x[i] = settle(b, r, x);
    insert(b, i);
}

static mrn_status box_make(const mrn_value *option, box *b, mrn_message *msg)
{
    double n = option[SPHERES].number, a = option[MRN_OPT_SIZE].number;
    double spread = option[SIZE_SPREAD].number, diameters = option[WIDTH].number;
    b->flat = option[MRN_OPT_DIMENSION].number == 0;
    if (isnan(diameters))
        diameters = fmax(2, ceil(b->flat ? sqrt(n) : cbrt(n)));
    b->width = fmax(2 * a * diameters, 2 * a * (1 + spread));
    /* two largest balls, the way a ball moves before it looks around again, one step */
    b->cell = 2.5 * a * (1 + spread);
    double volume = n * (b->flat ? 4 * a * a : 8 * a * a * a);
    double height = 2 * volume / (b->flat ? b->width : b->width * b->width);
    b->n[0] = (int)fmin(b->width / b->cell, 1e4) + 1;
    b->n[1] = b->flat ? 1 : b->n[0];
    b->n[2] = (int)fmin(height / b->cell, 8 * n / b->n[0] / b->n[1]) + 1;
    int64_t columns = (int64_t)b->n[0] * b->n[1], count = (int64_t)n;
    if (mrn_array(&b->head, columns * b->n[2], sizeof *b->head, msg) != MRN_OK ||
        mrn_array(&b->next, count, sizeof *b->next, msg) != MRN_OK ||
        mrn_array(&b->top, columns, sizeof *b->top, msg) != MRN_OK ||
        mrn_array(&b->x, count, sizeof *b->x, msg) != MRN_OK ||
        mrn_array(&b->radius, count, sizeof *b->radius, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t k = 0; k < columns * b->n[2]; k++)
        b->head[k] = -1;
    return MRN_OK;
}

static void box_release(box *b)
{
    mrn_free(b->head);
    mrn_free(b->next);
    mrn_free(b->top);
    mrn_free(b->x);
    mrn_free(b->radius);
}

static mrn_status fill(mrn_assembly *y, box *b, const mrn_value *option, uint64_t seed,
                       mrn_message *msg)
{
    mrn_rng places = mrn_rng_seed(seed, 1), sizes = mrn_rng_seed(seed, 2);
    mrn_rng shake = mrn_rng_seed(seed, 3);
    mrn_status s = MRN_OK;
    for (int32_t i = 0; i < (int32_t)option[SPHERES].number && s == MRN_OK; i++) {
        double draw = 2 * mrn_rng_uniform(&sizes) - 1, v[3];
        lay(b, i, option[MRN_OPT_SIZE].number * (1 + option[SIZE_SPREAD].number * draw), &places);
        mrn_vec3 x = mrn_assembly_at(y, b->x[i].x, b->x[i].y, b->x[i].z);
        mrn_assembly_body ball =
            mrn_assembly_ball(y, x, b->radius[i], option[MRN_OPT_DENSITY].number);
        for (int d = 0; d < 3; d++)
            v[d] = option[AGITATION].number * mrn_rng_normal(&shake);
        ball.v = mrn_v3(v[0], v[1], b->flat ? 0 : v[2]);
        s = mrn_assembly_add_body(y, &ball, msg);
    }
    return s;
}

static mrn_status touch(mrn_assembly *y, const box *b, const mrn_value *option, mrn_message *msg)
{
    double a = option[MRN_OPT_SIZE].number;
    mrn_assembly_plane plane[5] = {{mrn_v3(0, 0, 0), mrn_assembly_at(y, 0, 0, 1)},
                                   {mrn_v3(0, 0, 0), mrn_v3(1, 0, 0)},
                                   {mrn_v3(b->width, 0, 0), mrn_v3(-1, 0, 0)},
                                   {mrn_v3(0, 0, 0), mrn_v3(0, 1, 0)},
                                   {mrn_v3(0, b->width, 0), mrn_v3(0, -1, 0)}};
    mrn_assembly_contact like = {
        .mu = {option[MRN_OPT_FRICTION].number, a * option[ROLLING].number}};
    return mrn_assembly_find_contacts(y, b->radius, 1e-6 * a, plane, b->flat ? 3 : 5, &like, msg);
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_packing, option, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    box b = {0};
    y.restitution = option[RESTITUTION].number;
    if (option[ROLLING].number > 0)
        y.kind = y.kind == MRN_CONTACT_2D ? MRN_CONTACT_2D_ROLLING : MRN_CONTACT_3D_ROLLING;
    s = box_make(option, &b, msg);
    if (s == MRN_OK)
        s = fill(&y, &b, option, seed, msg);
    if (s == MRN_OK)
        s = touch(&y, &b, option, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_packing, option, MRN_OPT_STORED, seed, out, msg);
    box_release(&b);
    mrn_assembly_release(&y);
    return s;
}
