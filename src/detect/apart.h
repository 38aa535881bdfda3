/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of a sphere with a wall that live on when they are apart, in the range of their law. One
   text for the processor and for devices. */
#ifndef MRN_DETECT_APART_H
#define MRN_DETECT_APART_H

#include "detect/detect.h"
#include "geom/wall_rules.h"

/* What the sphere would touch were it larger by the range. Kept apart from the true contacts: the
   larger caps join sides of edges that the true ones tell apart. */
typedef struct mrn_apart {
    int n, at[MRN_WALL_MOST];
    mrn_contact_point contact[MRN_WALL_MOST];
} mrn_apart;

/* Those among the n contacts of the larger sphere. Contacts at least as deep as the true surface
   are left to the true sphere. */
MRN_INLINE void mrn_apart_note(const mrn_contact_point *larger, int n, double range, mrn_apart *out)
{
    out->n = 0;
    for (int k = 0; k < n && out->n < MRN_WALL_MOST; k++)
        if (larger[k].touch && larger[k].gap + range >= 0) {
            out->at[out->n] = k;
            out->contact[out->n++] = larger[k];
        }
}

/* A contact in the frame of its wall as the world sees it. */
MRN_INLINE void mrn_wall_to_world(mrn_quat q, mrn_vec3 x, double r, double gap,
                                  mrn_contact_point *c)
{
    c->gap = gap;
    c->normal = mrn_rotate(q, c->normal);
    c->point = mrn_wall_point(x, r, gap, c->normal);
}

/* What the n pairs of the sphere with the features of the wall were at the last step. */
typedef struct mrn_wall_past_pairs {
    int n;
    const uint8_t *alive; /* flags of contacts, nothing but MRN_CONTACT_ALIVE */
    const double *point;  /* 3 each */
} mrn_wall_past_pairs;

/* The contact that has lost touch was made at pair k itself, or it comes from a pair of the same
   wall that ends here and now: it has crossed an edge. */
MRN_INLINE bool mrn_apart_was_made(const mrn_wall_past_pairs *p, const mrn_images *im, double r,
                                   int k, const mrn_contact_point *out,
                                   const mrn_contact_point *now)
{
    if (p->alive[k])
        return true;
    for (int m = 0; m < p->n; m++) {
        if (!p->alive[m] || out[m].touch)
            continue;
        mrn_vec3 d = mrn_sub(now->point, mrn_load3(p->point + 3 * (size_t)m));
        d = mrn_images_nearest(im, d);
        if (mrn_dot(d, d) <= 0.01 * r * r)
            return true;
    }
    return false;
}

/* Adds those that are still contacts to `out`, in world frame; pairs that go on before pairs that
   take over, so that none is taken over twice. Returns how many. */
MRN_INLINE int mrn_apart_add(const mrn_wall_past_pairs *p, const mrn_images *im, mrn_vec3 x,
                             double r, mrn_quat q, double range, const mrn_apart *a,
                             mrn_contact_point *out)
{
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int m = 0; m < a->n; m++) {
            int k = a->at[m];
            if (out[k].touch || (p->alive[k] != 0) != (pass == 0))
                continue;
            mrn_contact_point c = a->contact[m];
            mrn_wall_to_world(q, x, r, c.gap + range, &c);
            if (!mrn_apart_was_made(p, im, r, k, out, &c))
                continue;
            out[k] = c;
            n++;
        }
    return n;
}

#endif
