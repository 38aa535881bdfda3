/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regular piles of balls: close-packed in a box, or a pyramid; at rest or shaken. */
#include "base/base.h"
#include "solve/families.h"

enum { ACROSS = MRN_OPT_OWN, LAYERS, PILE, STACKING, AGITATION, RESTITUTION, SPREAD };
enum { BOX, PYRAMID };

static const char *const piles[] = {"box", "pyramid", NULL};
static const char *const stackings[] = {"fcc", "hcp", NULL};
static const mrn_param params[] = {
    MRN_OPTIONS_OF_A_STEP(0.3, 0.01, "Radius of the balls."),
    MRN_OPTION_COUNT("across", "n", 2, 1e5, 6, "Balls along the lowest row, in both directions."),
    MRN_OPTION_COUNT("layers", "", 1, 1e5, 6, "Layers on each other; a pyramid ends at its top."),
    MRN_OPTION_CHOICE("pile", piles, BOX, "box: between fixed walls. pyramid: free on a floor."),
    MRN_OPTION_CHOICE("stacking", stackings, 0,
                      "Of close-packed layers in a box, 3D: three in turn (fcc) or two (hcp)."),
    MRN_OPTION_NUMBER("agitation", "", "m/s", 0, 1e6, 0,
                      "Deviation of random velocities before the step: an impact."),
    MRN_OPTION_NUMBER("restitution", "e", "1", 0, 1, 0, "Newton's, for the approach before."),
    MRN_OPTION_NUMBER("friction-spread", "", "1", 0, 1, 0,
                      "Friction of each contact is drawn between mu (1 - spread) and mu (1 + "
                      "spread)."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);

const mrn_problem_family mrn_family_lattice = {
    .name = "lattice",
    .summary = "A regular pile of equal balls, in a box or as a pyramid.",
    .doc = "2D: disks in a triangular lattice. 3D: close-packed layers in a box with four walls "
           "(every other layer has fewer balls, those that would stick out are left out), or a "
           "pyramid of square layers. A ball inside has 12 neighbours (6 in 2D): twice as many "
           "contacts as needed to hold it. With agitation all contacts open, stick or slide at "
           "random.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
};

static mrn_status add_ball(mrn_assembly *y, const mrn_value *option, mrn_vec3 x, mrn_rng *rng,
                           mrn_message *msg)
{
    double v[6];
    bool flat = y->kind == MRN_CONTACT_2D;
    mrn_assembly_body b =
        mrn_assembly_ball(y, x, option[MRN_OPT_SIZE].number, option[MRN_OPT_DENSITY].number);
    for (int k = 0; k < 6; k++)
        v[k] = option[AGITATION].number * mrn_rng_normal(rng);
    b.v = mrn_v3(v[0], v[1], flat ? 0 : v[2]);
    /* spins that give the surface velocities of that size */
    b.w = mrn_scale(1 / option[MRN_OPT_SIZE].number, mrn_v3(v[3], v[4], v[5]));
    return mrn_assembly_add_body(y, &b, msg);
}

/* Lengths in radii. */
typedef struct layer {
    double x, depth, height; /* of its first ball */
    double row;              /* distance of rows in depth */
    bool stagger;            /* every second row is shifted by one radius */
    int n_x, n_depth;
    double width, length; /* of the box: balls that stick out are left out */
} layer;

static layer layer_of(const mrn_value *option, bool flat, int k)
{
    int n = (int)option[ACROSS].number;
    layer l = {.row = 2, .n_x = n, .n_depth = flat ? 1 : n, .width = INFINITY, .length = INFINITY};
    if (option[PILE].number == PYRAMID) {
        l.x = l.depth = 1 + k;
        l.height = 1 + k * sqrt(flat ? 3 : 2);
        l.n_x = n - k;
        l.n_depth = flat ? 1 : n - k;
        return l;
    }
    l.width = 2 * n, l.length = flat ? INFINITY : 2 + sqrt(3) * (n - 1);
    int phase = flat || option[STACKING].number > 0 ? k % 2 : k % 3;
    l.x = phase == 1 ? 2 : 1;
    l.depth = 1 + (flat ? 0 : phase / sqrt(3));
    l.height = 1 + k * (flat ? sqrt(3) : 2 * sqrt(2.0 / 3));
    l.row = sqrt(3);
    l.stagger = true;
    return l;
}

static mrn_status add_layer(mrn_assembly *y, const mrn_value *option, const layer *l, mrn_rng *rng,
                            mrn_message *msg)
{
    double a = option[MRN_OPT_SIZE].number, slack = 1e-9;
    mrn_status s = MRN_OK;
    for (int j = 0; j < l->n_depth && s == MRN_OK; j++) {
        /* a shifted row begins where its first ball still fits */
        double depth = l->depth + j * l->row, first = l->x + (l->stagger ? j % 2 : 0);
        if (first > 2.5 && l->stagger)
            first -= 2;
        if (depth + 1 > l->length + slack)
            break;
        for (int i = 0; i < l->n_x && s == MRN_OK; i++) {
            double x = first + 2 * i;
            if (x + 1 <= l->width + slack)
                s = add_ball(y, option, mrn_assembly_at(y, a * x, a * depth, a * l->height), rng,
                             msg);
        }
    }
    return s;
}

static int planes_of(const mrn_assembly *y, const mrn_value *option, mrn_assembly_plane *plane)
{
    double a = option[MRN_OPT_SIZE].number;
    layer l = layer_of(option, y->kind == MRN_CONTACT_2D, 0);
    plane[0] = (mrn_assembly_plane){mrn_v3(0, 0, 0), mrn_assembly_at(y, 0, 0, 1)};
    if (option[PILE].number == PYRAMID)
        return 1;
    plane[1] = (mrn_assembly_plane){mrn_v3(0, 0, 0), mrn_v3(1, 0, 0)};
    plane[2] = (mrn_assembly_plane){mrn_v3(a * l.width, 0, 0), mrn_v3(-1, 0, 0)};
    if (y->kind == MRN_CONTACT_2D)
        return 3;
    plane[3] = (mrn_assembly_plane){mrn_v3(0, 0, 0), mrn_v3(0, 1, 0)};
    plane[4] = (mrn_assembly_plane){mrn_v3(0, a * l.length, 0), mrn_v3(0, -1, 0)};
    return 5;
}

static mrn_status touch(mrn_assembly *y, const mrn_value *option, uint64_t seed, mrn_message *msg)
{
    double *radius = NULL, spread = option[SPREAD].number;
    mrn_assembly_plane plane[5];
    mrn_assembly_contact like = {.mu = {option[MRN_OPT_FRICTION].number}};
    mrn_status s = mrn_array(&radius, y->n_bodies, sizeof *radius, msg);
    if (s != MRN_OK)
        return s;
    for (int64_t i = 0; i < y->n_bodies; i++)
        radius[i] = option[MRN_OPT_SIZE].number;
    /* gaps are zero but for rounding, the next neighbours 0.8 radii away */
    s = mrn_assembly_find_contacts(y, radius, 1e-6 * option[MRN_OPT_SIZE].number, plane,
                                   planes_of(y, option, plane), &like, msg);
    mrn_rng rng = mrn_rng_seed(seed, 2);
    for (int64_t i = 0; i < y->n_contacts; i++)
        y->contact[i].mu[MRN_SLIDING] *= 1 + spread * (2 * mrn_rng_uniform(&rng) - 1);
    mrn_free(radius);
    return s;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_lattice, option, msg);
    if (s != MRN_OK)
        return s;
    bool flat = option[MRN_OPT_DIMENSION].number == 0, pyramid = option[PILE].number == PYRAMID;
    double n = option[ACROSS].number, layers = option[LAYERS].number;
    layers = pyramid ? fmin(n, layers) : layers;
    s = mrn_family_fits(&mrn_family_lattice, (flat ? 3 * n : 6 * n * n) * layers, msg);
    if (s != MRN_OK)
        return s;
    mrn_assembly y = mrn_assembly_begin(option);
    y.restitution = option[RESTITUTION].number;
    mrn_rng rng = mrn_rng_seed(seed, 1);
    for (int k = 0; k < layers && s == MRN_OK; k++) {
        layer l = layer_of(option, flat, k);
        s = add_layer(&y, option, &l, &rng, msg);
    }
    if (s == MRN_OK)
        s = touch(&y, option, seed, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_lattice, option, MRN_OPT_STORED, seed, out, msg);
    mrn_assembly_release(&y);
    return s;
}
