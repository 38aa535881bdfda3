/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlaps are taken out by moving bodies, not by velocities: no kinetic energy comes of it.

   Wanted is the smallest displacement d (in the norm of the masses) with

       g_i + H_i d >= target_i       at every contact i,

   which is a problem of contacts without friction for multipliers l >= 0, d = M⁻¹ Hᵀ l, solved by
   projected Gauss-Seidel sweeps, forth and back in turn. The target of a contact that does not
   overlap by more than the slop is -slop: it may close, not more. An overlap deeper than that is
   made to lose MRN_PROJECT_PART of what is beyond the slop, in one step at most `most`.

   Why a part: contacts are linearised where bodies stand, and neighbours that were not near are not
   seen. A third leaves 1e-3 of any overlap after 17 steps, long before a drift of gaps makes it
   again, and never pushes a body past a contact it did not see. Why at most: a grain placed deep in
   another would move by a good part of its size in one step, through others that were too far away
   to be in the list. Displacements are therefore also cut, all by one factor, so that no point of a
   body moves farther than `most`: between no move and d all constraints that hold at both ends
   hold, so what was apart is not driven together by the cut. Positions alone change, so overlaps of
   any depth end without a throw; what they cost is work against gravity, at most m g `most` per
   grain and step.

   Where no displacement does it (grains pressed between fixed walls) multipliers grow along
   impulses that cancel, displacements stay bounded, and the sweeps end at their limit: what remains
   is imposed. */
#ifndef MRN_NONSMOOTH_PROJECT_H
#define MRN_NONSMOOTH_PROJECT_H

#include "moraine/engine.h"
#include "nonsmooth/joints.h"

#define MRN_PROJECT_PART (1.0 / 3)
enum { MRN_PROJECT_SWEEPS = 60 };

/* A contact: bodies by their number among those that can move (-1: cannot), the normal row of Hᵀ
   for each, the gap. */
typedef struct mrn_project_contact {
    int32_t body[2];
    double h[2][MRN_DOFS_MAX];
    double gap;
} mrn_project_contact;

typedef struct mrn_project_task {
    int dofs; /* of a body, 3 (2D) or 6 */
    int64_t n;
    const mrn_project_contact *contact;
    int32_t n_bodies;
    const double *minv;  /* dofs² per body, column after column     */
    const double *reach; /* m, per body: radius that its turns move */
    double slop;         /* m */
    double most;         /* m, way of a point in one call           */
    double tolerance;    /* m, of the targets                       */
    int max_sweeps;
} mrn_project_task;

typedef struct mrn_project_result {
    bool moved;     /* some overlap was beyond the slop                                  */
    int sweeps;     /* made                                                              */
    double missed;  /* m: by how much the worst target was missed before displacements were cut */
    double overlap; /* m: largest overlap that is left, by the linearised gaps; 0: none  */
    double factor;  /* by which displacements were cut, 1: not                           */
} mrn_project_result;

/* Displacements d (dofs per body: translation, rotation vector); `scratch` holds 3 n numbers and
   an eighth of one per body. Same bits whatever the number of threads: one sweep is one sequence.
 */
mrn_project_result mrn_project(const mrn_project_task *t, double *scratch, double *d);

/* ---- as a stage of the engine ---- */

/* Memory for one step, that of the solver, which is done by then. */
typedef struct mrn_projector {
    mrn_project_contact *contact;
    double *scratch, *d, *reach;
} mrn_projector;
/* All the memory that it will ask for, once the contact points are known and the problem solved. */
mrn_status mrn_ns_project_room(mrn_nonsmooth *e, mrn_message *msg);
/* Moves grains apart that overlap by more than the slop now and will at the next middle of a step,
   g
   + h u. Contacts that are about to close at a speed to rebound from are left to do so. Contacts
   that give (compliance) overlap as their force wants. To be called when the velocities of the end
   are known and before bodies go on to the end of the step (spheres of clusters are placed there).
   Books the work against gravity. */
void mrn_ns_project(mrn_nonsmooth *e, double h);

#endif
