/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact points of a convex part with one feature of a wall, collected and then reduced to those
   that span them. */
#include "geom/narrow_wall.h"

void mrn_point_list_add(mrn_point_list *s, mrn_vec3 at, mrn_vec3 n, double gap, uint32_t key)
{
    if (!(gap < s->alert))
        return;
    if (s->n == MRN_POINT_LIST_MAX)
        mrn_point_list_reduce(s);
    s->s[s->n++] = (mrn_contact_point){mrn_axpy(-0.5 * gap, n, at), n, gap, key, true};
}

enum { SPANNING = 4 }; /* points that span what touches; others are kept by their depth */

/* Gaps that differ by less are equal: which corner of a resting grain is deepest must not change
   with the last digits. Small against the overlaps that are tolerated (cf. narrow_polygon.c). */
static double same_gap(const mrn_point_list *s)
{
    return 0.001 * s->alert;
}

static int deepest(const mrn_point_list *s)
{
    double least = s->s[0].gap;
    for (int k = 1; k < s->n; k++)
        least = fmin(least, s->s[k].gap);
    int first = 0;
    while (s->s[first].gap > least + same_gap(s))
        first++;
    return first;
}

/* How much point k adds to the first `have` points of pick[]: a distance, an area, and the area
   outside a triangle. */
static double span(const mrn_point_list *s, const int *pick, int have, int k)
{
    mrn_vec3 a = s->s[pick[0]].point, p = s->s[k].point, ap = mrn_sub(p, a);
    if (have == 1)
        return mrn_norm(ap);
    mrn_vec3 b = s->s[pick[1]].point, ab = mrn_sub(b, a);
    if (have == 2)
        return mrn_norm(mrn_cross(ab, ap));
    mrn_vec3 c = s->s[pick[2]].point, n = mrn_unit(mrn_cross(ab, mrn_sub(c, a)));
    double out = mrn_dot(n, mrn_cross(ap, ab));
    out = fmax(out, mrn_dot(n, mrn_cross(mrn_sub(p, b), mrn_sub(c, b))));
    return fmax(out, mrn_dot(n, mrn_cross(mrn_sub(p, c), mrn_sub(a, c))));
}

/* The deepest corner that is none of those picked; -1: there is none. A face with many corners
   needs them all: one that is left out sinks in until it is the deepest, and another one does then.
 */
static int deepest_left(const mrn_point_list *s, const int *pick, int have)
{
    int best = -1;
    for (int k = 0; k < s->n; k++) {
        bool fresh = s->s[k].feature >> 28 == MRN_POINT_CORNER >> 28;
        for (int j = 0; j < have; j++) {
            mrn_vec3 d = mrn_sub(s->s[k].point, s->s[pick[j]].point);
            fresh = fresh && mrn_dot(d, d) > 1e-10 * s->size * s->size;
        }
        if (fresh && (best < 0 || s->s[k].gap < s->s[best].gap - same_gap(s)))
            best = k;
    }
    return best;
}

void mrn_point_list_reduce(mrn_point_list *s)
{
    if (s->n < 2)
        return;
    int pick[MRN_NARROW_MAX] = {deepest(s)}, have = 1, extra = 0;
    const double unit[SPANNING] = {0, s->size, s->size * s->size, s->size * s->size};
    for (; have < SPANNING; have++) {
        double most = 1e-5 * unit[have]; /* less: the same point, the same line, inside */
        int best = -1;
        for (int k = 0; k < s->n; k++) {
            double add = span(s, pick, have, k);
            if (add > most * (1 + 1e-6)) { /* of equals the first */
                most = add;
                best = k;
            }
        }
        if (best < 0)
            break;
        pick[have] = best;
    }
    while (have == SPANNING + extra && have < MRN_NARROW_MAX) {
        int next = deepest_left(s, pick, have);
        if (next < 0)
            break;
        pick[have++] = next;
        extra++;
    }
    mrn_contact_point kept[MRN_NARROW_MAX];
    for (int k = 0; k < have; k++)
        kept[k] = s->s[pick[k]];
    for (int k = 0; k < have; k++)
        s->s[k] = kept[k];
    s->n = have;
}
