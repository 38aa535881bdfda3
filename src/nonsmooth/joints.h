/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints as rows of the contact problem: blocks whose impulses hold two bodies together. A block
   has as many rows as a contact of the problem (2 in 2D, 3 in 3D, 3, 5 or 6 with rolling); rows
   that a joint does not need are pads: no body feels them, a compliance keeps them solvable. The
   rows of a contact that stand for moments are always pads: solvers scale them as moments, and rows
   of joints are all velocities in m/s with impulses in N s (turning counts times a length of the
   body), so that one residual measures all.

   Kinematics. The second end moves relative to the first. Shifts are the components, in a frame
   that is carried by the first body, of the way from its anchor to that of the second body. Their
   rates are the relative velocity at the second body's anchor, seen from the first body: the
   impulse acts on both bodies at that one point, and momentum and angular momentum stay what they
   are to the last bit also when a joint has drifted. Turns are the relative angular velocity about
   axes of the same frame; for small errors that is the rate of the rotation vector of the drift.

   Drift. Positions at the middle of steps advance as g' = g + h u, so a row u = -b g / h leaves
   (1 - b) of an error g after a step. b = 1 would take it out at once, but linearised rows are off
   by the square of the turn of a step, and what they throw back would be thrown back again; b = 0.2
   damps such errors in some ten steps, at speeds that are small beside those which made them. A
   body that turns at w about an anchor at a distance d so stands (w h)^2 d / (2 b) off it at most.
   Speeds of this correction do work, which is the time scheme's (lost_scheme).

   Springs are implicit. The force acts as if at the next middle position, F = -k (l + h u - l0) - c
   u; with the impulse r = h F this is the row

       u + r / (h (k h + c)) = -k (l - l0) / (k h + c),

   a compliance and a shift of q: stable for every h and k (an undamped spring of frequency w loses
   as with a damping ratio w h / 2), in the limit k -> infinity a rod. The row is scaled so that its
   diagonal is of typical size: q is then of the size of the spring's own speeds.

   Motors. The row of a motor wants the speed u = s. With a limit L of its force the impulse is
   bound, |r| <= L h, and when it does not reach the speed it acts with all it has against the
   difference: dry friction with a constant bound. That is what the law of a contact with cohesion
   says of its tangential row, |r_T| <= mu (r_N + c), when its normal row is a pad (r_N = 0), mu = 1
   and c = L h. A limited motor so has a block of its own with that law, and the solver finds out
   whether it holds its speed, together with everything else. */
#ifndef MRN_NONSMOOTH_JOINTS_H
#define MRN_NONSMOOTH_JOINTS_H

#include "moraine/state.h"

/* Degrees of freedom of a body: 2D x, y, spin z; 3D x, y, z, spins about x, y, z, world frame. */
#define MRN_DOFS_MAX 6

/* What a row of a joint does; for the books of energy. */
enum {
    MRN_ROW_PAD,    /* nothing: its impulse is 0                                                */
    MRN_ROW_LOCK,   /* keeps bodies together: works only where it takes back drift              */
    MRN_ROW_MOTOR,  /* drives                                                                   */
    MRN_ROW_SPRING, /* spring and dashpot                                                       */
};

/* One block of the problem. Unused rows of h are zero and have a compliance above 0. */
typedef struct mrn_joint_block {
    int32_t body[2]; /* places in the state; -1: the ground. Walls count as imposed to move.      */
    /* u = h[0] v(body 0) + h[1] v(body 1): rows x degrees of freedom, column after column (row
       index fastest), signs included.                                                          */
    double h[2][MRN_CONTACT_BLOCK_MAX * MRN_DOFS_MAX];
    double q[MRN_CONTACT_BLOCK_MAX];          /* added to the velocity without impulses         */
    double compliance[MRN_CONTACT_BLOCK_MAX]; /* > 0, added to the diagonal of W                */
    uint8_t role[MRN_CONTACT_BLOCK_MAX];      /* MRN_ROW_*                                      */
    /* MRN_BILATERAL; of a limited motor MRN_UNILATERAL, with the sliding friction `mu` (others 0)
       and the cohesion (N s) of the problem's contact. */
    uint8_t law;
    double mu, cohesion;
} mrn_joint_block;

typedef struct mrn_joints mrn_joints;
/* Finds the bodies of the scene's joints in the state and notes anchors, axes and rest lengths in
   their frames: in s->memory.joint at the start of a run (n_joint 0), from there in a resumed one.
   rows: numbers per block of the problem. MRN_ERR_INPUT with the joint's name when an end does not
   exist, when both ends are one body or none of them a grain, or an axis has no direction. */
mrn_status mrn_joints_create(const mrn_scene *scene, mrn_state *s, int rows, mrn_joints **out,
                             mrn_message *msg);
void mrn_joints_destroy(mrn_joints **j);
int mrn_joints_count(const mrn_joints *j); /* of blocks */
/* Blocks for a step of length h that ends at `time`, with bodies where they are now (the middle of
   the step); r (rows each, may be NULL) gets the impulses of the last step to start from.
   typical_w: a diagonal entry of W as contacts have it, 1/kg. A joint that lost a body (it left
   through an outlet) has ended: its blocks are pads of no bodies from then on. So they are, for the
   time being, while its wall is taken away or none of its bodies can move. */
void mrn_joints_write(mrn_joints *j, mrn_state *s, double time, double h, double typical_w,
                      mrn_joint_block *out, double *r);
/* Keeps impulses for the next step, and what probes tell. */
void mrn_joints_take(const mrn_joints *j, mrn_state *s, double h, const double *r);
/* Two bodies linked by joint k (of the scene), for islands; false: it has ended. `driven`: it
   drives them (a motor). */
bool mrn_joints_link(const mrn_joints *j, const mrn_state *s, int k, int32_t body[2], bool *driven);
/* How far joints have come apart: largest distance of anchors, across the axis of a slider, m. */
double mrn_joints_drift(const mrn_joints *j, const mrn_state *s);
/* Energy stored in springs now, J. */
double mrn_joints_energy(const mrn_joints *j, const mrn_state *s);
/* Force (N) and moment (N m, about its anchor) with which joint k acted on its second end at the
   last step; on the first end it acts with the opposite at the same point. */
void mrn_joints_load(const mrn_joints *j, const mrn_state *s, int k, mrn_vec3 *force,
                     mrn_vec3 *moment);

#endif
