/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of a sphere with the features of one wall: which closest points are contacts of their
   own, and which are the same contact seen through a neighbouring facet, edge or corner.

   The overlap cap of a point at distance d from the centre c is the circle of radius sqrt(r^2 -
   d^2) about it. Two rules, deepest first:

   1. A point on the rim of its triangle is dropped when it lies in the cap of any deeper point.
   What is left are the local minima of the distance. Proof: let e be the point of one triangle and
   lie on the rim of a neighbour T whose own closest point b is deeper. T is convex, so the angle
   c-b-e is not acute and |e - b|^2 <= |e - c|^2 - |b - c|^2, which is below r^2 - d_b^2 if e
   touches: e is in the cap of b. (T need not be a contact itself: it may have been dropped for the
   same reason.) Hence a flat or convex wall is one contact however it is cut into triangles, with
   the normal of the surface; points at a convex edge are one and the same for all triangles there.

   2. Of what is left, a point in the cap of an accepted one is dropped, and one outside it fades
   in: its overlap is multiplied by (L^2 - R^2) / R^2, at most 1, with L its distance from the
   accepted point and R the cap's radius. This joins the two sides of a concave edge that is nearly
   flat: their feet are a chord 2 d sin(a/2) apart, so angles a below about sqrt(2 delta / r) are
   one contact, those above 2 sqrt(delta / r) are two with their full overlaps, and none is lost at
   once when the sphere is pressed harder. Which of two sides in one cap is the contact changes on
   the bisector plane, where the overlaps are equal: the size of the force has no jump, its
   direction turns by a. In sharper wedges the second contact begins with overlap zero.

   Points are compared with 1e-12 r^2 to spare: points that are one but for rounding are one. */
#include "geom/geom.h"
#include "geom/wall_rules.h"

/* Rule 1, for walls with features that lie flat to each other (is_foot); rule 2 is enough for
 * others. */
static void drop_rims(const mrn_shape *s, double r, const int32_t *features, int n,
                      mrn_contact_point *out)
{
    for (int k = 0; k < n; k++)
        if (out[k].touch && !s->type->is_foot(s, features[k], out[k].normal))
            mrn_wall_drop_rim(r, features, n, k, out);
}

int mrn_wall_contacts(const mrn_shape *s, mrn_vec3 c, double r, const int32_t *features, int n,
                      mrn_contact_point *out)
{
    int touching = 0;
    for (int k = 0; k < n; k++) {
        double distance = s->type->closest(s, features[k], c, &out[k].point, &out[k].normal);
        out[k].gap = distance - r;
        out[k].feature = (uint32_t)features[k];
        out[k].touch = out[k].gap < 0;
        touching += out[k].touch;
    }
    if (touching <= 1)
        return touching;
    if (s->type->is_foot != NULL)
        drop_rims(s, r, features, n, out);
    return mrn_wall_accept(r, features, n, out);
}
