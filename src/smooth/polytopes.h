/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of grains with corners: from two bodies to one overlap and its gradient
   (overlap_region.h), and from there to what laws want to know and back. */
#ifndef MRN_SMOOTH_POLYTOPES_H
#define MRN_SMOOTH_POLYTOPES_H

#include "geom/overlap_region.h"
#include "smooth/smooth.h"

/* How two bodies hold each other. All arms and axes in the world's frame. */
typedef struct mrn_polytope_contact {
    double delta;     /* overlap, m                                                          */
    double gradient;  /* J: by how much the overlap changes per way along n; 0: not a polytope   */
    mrn_vec3 n;       /* direction of the push on C                                          */
    mrn_vec3 point;   /* where the bodies touch, from the centre of C                        */
    mrn_vec3 apart;   /* centre of C minus centre of A, nearest image                        */
    mrn_vec3 twist;   /* torque on C about its centre per normal force                       */
    double spread[6]; /* covariance of where they touch: xx, yy, zz, xy, xz, yz            */
} mrn_polytope_contact;

/* Scratch of one thread. */
struct mrn_polytope_scratch {
    mrn_overlap_region region;
    mrn_polytope_contact found[MRN_CHUNK_PAIRS]; /* of touching pairs, all interactions */
    mrn_polytope_contact block[MRN_BLOCK];
    mrn_polytope_contact *wall; /* room for the largest group of wall pairs */
    int64_t wall_room;
};

/* Makes room for the polytopes of the scene; `group` pairs with one wall at most. */
mrn_status mrn_polytopes_reserve(mrn_polytope_scratch *f, const mrn_scene *scene, int64_t group,
                                 mrn_message *msg);
void mrn_polytopes_release(mrn_polytope_scratch *f);

static inline bool mrn_is_polytope(const mrn_state *s, int32_t i)
{
    return (s->body.flags[i] & MRN_BODY_POLYTOPE) != 0;
}

/* Adds w a a^T. */
static inline void mrn_spread_add(double k[6], double w, mrn_vec3 a)
{
    k[0] += w * a.x * a.x, k[1] += w * a.y * a.y, k[2] += w * a.z * a.z;
    k[3] += w * a.x * a.y, k[4] += w * a.x * a.z, k[5] += w * a.y * a.z;
}

/* Two grains, one of them a polytope at least. `apart`: centre of i minus centre of j. False: they
   do not touch. */
bool mrn_overlap_of_grains(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                           mrn_vec3 apart, mrn_polytope_scratch *f, mrn_polytope_contact *out);
/* Form i and the pairs p0 … p1-1 of the list, all with one wall: fills out[k] and contact[k] of
   pair p0+k, returns how many touch. Faces of the wall in one plane are one contact. */
int mrn_overlap_of_wall(const mrn_scene *scene, const mrn_state *s, const mrn_images *im, int32_t i,
                        int64_t p0, int64_t p1, mrn_polytope_scratch *f,
                        mrn_contact_point *contact);

/* What laws want to know of contact k of the block, over what spheres of equal volume have there
   (radius, mass). */
void mrn_polytope_kinematics(const mrn_state *s, const mrn_polytope_contact *g, int k,
                             mrn_scratch *w);
/* The motion in the middle of the step, likewise. The normal a step ago is not known: the spring is
   brought into the plane of now with the length it has. */
void mrn_polytope_passage(const mrn_smooth *e, const mrn_polytope_contact *g,
                          const mrn_prepared *law, double h, int k, mrn_scratch *w);
/* What the law answered, as forces on the bodies; adds the moment that damps rocking. */
void mrn_polytope_answer(const mrn_polytope_contact *g, int k, mrn_law_block *b);
/* Lever and moment of the pair, from which both bodies get their torques. */
void mrn_polytope_torques(mrn_state *s, const mrn_polytope_contact *g, int k, const mrn_scratch *w);

#endif
