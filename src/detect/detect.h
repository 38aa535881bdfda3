/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of detection shared by its files and used by the engines: periodic images, grid search,
 * wall contacts. */
#ifndef MRN_DETECT_DETECT_H
#define MRN_DETECT_DETECT_H

#include "detect/kinematics.h"
#include "moraine/engine.h"

/* Periodic images as numbers ready for loops: size and inv are 0 in directions without a period,
   tilt where one of its two directions has none. */
typedef struct mrn_images {
    double size[3], inv[3], tilt[3];
} mrn_images;
mrn_images mrn_images_of(const mrn_scene *scene, const mrn_state *s);
mrn_images mrn_images_make(const mrn_scene *scene, const double size[3], const double tilt[3]);

MRN_INLINE mrn_vec3 mrn_images_nearest(const mrn_images *im, mrn_vec3 d)
{
    return mrn_nearest_image(d, mrn_load3(im->size), mrn_load3(im->inv), mrn_load3(im->tilt));
}
/* Coordinates of x along the edges of the cell, in edges; in directions without a period: in m. */
MRN_INLINE mrn_vec3 mrn_images_fraction(const mrn_images *im, mrn_vec3 x)
{
    double c = im->inv[2] != 0 ? x.z / im->size[2] : x.z;
    double y = x.y - c * im->tilt[2], b = im->inv[1] != 0 ? y / im->size[1] : y;
    double along = x.x - c * im->tilt[1] - b * im->tilt[0];
    return mrn_v3(im->inv[0] != 0 ? along / im->size[0] : along, b, c);
}
/* Whole cells between x (from the origin of the cell) and the cell there; none where they cannot be
   counted: what has no finite place is found when the list is built. `image`: cells crossed so far.
 */
MRN_INLINE bool mrn_images_countable(double cells, int32_t image, bool periodic)
{
    return !periodic || fabs(cells + image) < 2e9;
}
MRN_INLINE mrn_vec3 mrn_images_turns(const mrn_images *im, mrn_vec3 x, const int32_t *image)
{
    mrn_vec3 f = mrn_images_fraction(im, x);
    if (!mrn_images_countable(f.x, image[0], im->inv[0] != 0) ||
        !mrn_images_countable(f.y, image[1], im->inv[1] != 0) ||
        !mrn_images_countable(f.z, image[2], im->inv[2] != 0))
        return mrn_v3(0, 0, 0);
    return mrn_v3(im->inv[0] != 0 ? floor(f.x) : 0, im->inv[1] != 0 ? floor(f.y) : 0,
                  im->inv[2] != 0 ? floor(f.z) : 0);
}
/* x less n whole cells. */
MRN_INLINE void mrn_images_go_back(const mrn_images *im, mrn_vec3 n, double *x)
{
    x[0] -= n.x * im->size[0] + n.y * im->tilt[0] + n.z * im->tilt[1];
    x[1] -= n.y * im->size[1] + n.z * im->tilt[2];
    x[2] -= n.z * im->size[2];
}
/* Distance (m) of the two faces of the cell across direction k; INFINITY without a period. */
double mrn_images_height(const mrn_images *im, int k);

/* The body that carries body i: its cluster, or itself. */
static inline int32_t mrn_body_leader(const mrn_state *s, int32_t i)
{
    int32_t id = s->body.flags[i] & MRN_BODY_MEMBER ? s->body.parent[i] : -1;
    int32_t at = id >= 0 && id < s->body.n_ids ? s->body.index_of[id] : i;
    return at >= 0 ? at : i;
}

/* A cell sheared by more than half its length goes back by whole lengths: the same lattice, so that
   no distance changes. Then positions that have left the cell come back into it. Engines ask for it
   when the number of the step is a multiple of MRN_WRAP_EVERY, before anything moves: positions are
   rounded here, and what decides about that may not be a list. */
enum { MRN_WRAP_EVERY = 16 };
void mrn_bodies_wrap(const mrn_scene *scene, mrn_state *s);
/* The first part of it: the same lattice, and |tilt| at most half a size; the cell for which the
   list was made goes along. Edges b and c become b - n a and c - m b - p a. */
typedef struct mrn_leaning {
    double m, n, p;
} mrn_leaning;
mrn_leaning mrn_cell_turn_back(const mrn_scene *scene, mrn_state *s);
/* Grains that have crossed i cells along an edge have i times what the edge loses to another. */
MRN_INLINE int32_t mrn_leaning_more(double n, int32_t from, int32_t to)
{
    return (int32_t)((uint32_t)to + (uint32_t)(int32_t)n * (uint32_t)from);
}
MRN_INLINE void mrn_leaning_count(mrn_leaning t, int32_t *image)
{
    image[1] = mrn_leaning_more(t.m, image[2], image[1]);
    image[0] = mrn_leaning_more(t.n, image[1], image[0]);
    image[0] = mrn_leaning_more(t.p, image[2], image[0]);
}

/* A multi-level grid over the grains at positions x (3 per body): a grain sits on the level of its
   size, so a search never looks through more than 27 cells per level. Clusters are left out: their
   spheres are there. */
typedef struct mrn_grid mrn_grid;
mrn_status mrn_grid_build(const mrn_scene *scene, const mrn_state *s, const double *x, double reach,
                          mrn_grid **out, mrn_message *msg);
void mrn_grid_destroy(mrn_grid **g);
/* Pairs as the grid finds them: the owner, which has the lower persistent number, and the other. */
typedef struct mrn_found_pairs {
    int64_t n, room;
    int32_t *pair; /* 2 each */
    bool failed;   /* no memory */
} mrn_found_pairs;
/* Adds the pairs that grain i meets: gap below `reach`, of another cluster, not fixed both, on a
   coarser level, or on its own level with a larger persistent number. */
void mrn_grid_partners(const mrn_grid *g, int32_t i, mrn_found_pairs *to);

/* Contacts of grain i with one wall, for the pairs p0 … p1-1 of the list (all of that grain and
   wall). out[k] is for pair p0+k, in world frame. A contact that was made and has lost touch, but
   is within the range of its law, is one too: gap >= 0 tells. */
int mrn_wall_group(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                   int64_t p0, int64_t p1, mrn_contact_point *out);
/* The same of a grain whose centre is at x (3 numbers). */
int mrn_wall_group_at(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                      const double *x, int64_t p0, int64_t p1, mrn_contact_point *out);
/* Middle of a wall in its own frame; 0 along directions in which it has no end. The body's centre
   may be anywhere: the origin of a mesh often is a corner. */
mrn_vec3 mrn_wall_middle(const mrn_shape *shape);
/* A place x in the frame of a wall at x_w, turned by q: the image nearest to the wall's middle. */
MRN_INLINE mrn_vec3 mrn_wall_frame(const mrn_images *im, mrn_vec3 x_w, mrn_quat q, mrn_vec3 middle,
                                   mrn_vec3 x)
{
    mrn_vec3 d = mrn_sub(x, x_w);
    if (im->inv[0] != 0 || im->inv[1] != 0 || im->inv[2] != 0) {
        mrn_vec3 c = mrn_rotate(q, middle), from = mrn_sub(d, c);
        /* only whole periods are added: d itself keeps its bits when it is the nearest */
        d = mrn_add(d, mrn_sub(mrn_images_nearest(im, from), from));
    }
    return mrn_rotate(mrn_quat_conj(q), d);
}
/* The point on a wall that a sphere of radius r at x touches: seen from the grain, so that it
   stands beside the grain's own image. */
MRN_INLINE mrn_vec3 mrn_wall_point(mrn_vec3 x, double r, double gap, mrn_vec3 normal)
{
    return mrn_axpy(-(r + gap), normal, x);
}
/* Centre of grain i in the frame of wall w: the image nearest to the middle of the wall. */
mrn_vec3 mrn_wall_local(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t w,
                        const double *x_i);

/* How far (m) the straining of the cell since the list was built may have brought a grain and the
   image of another together, on top of their own ways. */
double mrn_pairs_cell_travel(const mrn_scene *scene, const mrn_state *s);
/* Square of the way that grains may have gone from x_list before the list must be built anew; 0: it
   must be now (bodies came or went, walls or the cell went too far). */
double mrn_pairs_allowance(const mrn_scene *scene, const mrn_state *s);

/* Where the body of a persistent number stands; -1: it has left. */
static inline int32_t mrn_place_of_id(const mrn_state *s, int32_t id)
{
    return id >= 0 && id < s->body.n_ids ? s->body.index_of[id] : -1;
}
/* 1/s: a contact's impulse times it is its mean force over the step; 0 before the first. */
static inline double mrn_impulse_rate(const mrn_state *s)
{
    double h = s->nonsmooth.last_h > 0 ? s->nonsmooth.last_h : s->h;
    return h > 0 ? 1 / h : 0;
}
/* Force on C of contact point k of the network, world frame: its impulse over the step. Moments of
   rolling are not forces. */
mrn_vec3 mrn_contact_point_force(const mrn_scene *scene, const mrn_state *s, int64_t k);
/* Moment on C of rolling and pivoting there. */
mrn_vec3 mrn_contact_point_moment(const mrn_scene *scene, const mrn_state *s, int64_t k);

/* Gap (m) up to which a contact of an interaction (index; -1: none), once made, lives on; 0 when
   its law does not act at a distance. */
double mrn_pair_range(const mrn_scene *scene, int interaction, double r_eff);

/* Gap (m) below which the non-smooth engine sees a contact coming. */
double mrn_alert_distance(const mrn_scene *scene, const mrn_state *s);
/* Overlap (m) that it leaves as it is. */
double mrn_slop(const mrn_scene *scene, const mrn_state *s);

/* Keys sorted ascending with their items (stable, radix). */
mrn_status mrn_sort_keys(uint64_t *key, int32_t *item, int64_t n, mrn_message *msg);
/* The same with room for n more of each. */
void mrn_sort_keys_in(uint64_t *key, int32_t *item, int64_t n, uint64_t *key2, int32_t *item2);

#endif
