/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sieve size: the smallest square hole (slit in 2D) a polytope passes. */
#include "moraine/polytope.h"

/* Width of the polytope along the unit vector e. */
static double width(const mrn_polytope *f, mrn_vec3 e)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int k = 0; k < f->n_parts; k++) {
        const mrn_convex *c = &f->part[k];
        for (int32_t i = 0; i < c->n_points; i++) {
            double h = mrn_dot(e, mrn_load3(c->point + 3 * (size_t)i));
            lo = fmin(lo, h), hi = fmax(hi, h);
        }
    }
    return hi - lo;
}

/* The least width of a convex polygon is across one of its sides; of several parts, across a side
   of their common hull: between any two of their corners. */
static double least_width(const mrn_polytope *f)
{
    double least = INFINITY;
    for (int a = 0; a < f->n_parts; a++)
        for (int b = a; b < f->n_parts; b++)
            for (int32_t i = 0; i < f->part[a].n_points; i++)
                for (int32_t j = 0; j < f->part[b].n_points; j++) {
                    mrn_vec3 d = mrn_sub(mrn_load3(f->part[b].point + 3 * (size_t)j),
                                         mrn_load3(f->part[a].point + 3 * (size_t)i));
                    double l = mrn_norm(d);
                    if (l > 0)
                        least = fmin(least, width(f, mrn_v3(-d.y / l, d.x / l, 0)));
                }
    return least;
}

/* The side of the square hole, edges along the turned x and y axes, that lets the polytope through
   along the turned z axis. */
static double hole(const mrn_polytope *f, mrn_quat q)
{
    return fmax(width(f, mrn_rotate(q, mrn_v3(1, 0, 0))), width(f, mrn_rotate(q, mrn_v3(0, 1, 0))));
}

/* Turns about axes and diagonals, as long as one of them helps, by `step`, then by ever smaller
   ones down to `last`. */
static double refine(const mrn_polytope *f, mrn_quat *q, double best, double step, double last)
{
    for (; step > last; step *= 0.5)
        for (int helped = 1, rounds = 0; helped && rounds < 20; rounds++) {
            helped = 0;
            for (int k = 0; k < 27; k++) {
                mrn_vec3 a = mrn_v3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
                mrn_quat small = mrn_quat_from_rotation(mrn_scale(step, a));
                mrn_quat turned = mrn_quat_unit(mrn_quat_mul(*q, small));
                double h = hole(f, turned);
                if (h < best)
                    best = h, *q = turned, helped = 1;
            }
        }
    return best;
}

/* Starts that cover all orientations evenly, and the polytope's own axes; the best are refined, and
   the best of these to the end. The hole is a maximum of widths and has kinks where such a search
   may stop early: several starts make up for it. */
#define STARTS 256
#define OWN    3
#define BEST   8

static mrn_quat start_at(int k)
{
    if (k < OWN) { /* through along z, x, y */
        double h = sqrt(0.5);
        mrn_quat own[OWN] = {{1, 0, 0, 0}, {h, 0, h, 0}, {h, h, 0, 0}};
        return own[k];
    }
    /* Shoemake's uniform quaternions at points of an additive sequence */
    double u = fmod(0.5 + 0.8191725133961645 * k, 1), v = fmod(0.5 + 0.6710436067037893 * k, 1);
    double w = fmod(0.5 + 0.5497004779019703 * k, 1), a = sqrt(1 - u), b = sqrt(u);
    return (mrn_quat){b * cos(2 * MRN_PI * w), a * sin(2 * MRN_PI * v), a * cos(2 * MRN_PI * v),
                      b * sin(2 * MRN_PI * w)};
}

double mrn_polytope_sieve(const mrn_polytope *f)
{
    if (f->dimension == 2)
        return least_width(f);
    double size[STARTS], least = INFINITY;
    mrn_quat winner = mrn_quat_identity();
    for (int k = 0; k < STARTS; k++)
        size[k] = hole(f, start_at(k));
    for (int n = 0; n < OWN + BEST; n++) {
        int best = n < OWN ? n : 0;
        for (int k = 0; n >= OWN && k < STARTS; k++)
            best = size[k] < size[best] ? k : best;
        mrn_quat q = start_at(best);
        double h = refine(f, &q, size[best], 0.3, 2e-3);
        if (h < least)
            least = h, winner = q;
        size[best] = INFINITY;
    }
    return refine(f, &winner, least, 2e-3, 1e-9);
}
