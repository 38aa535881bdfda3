/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the smooth engine. */
#ifndef MRN_SMOOTH_SMOOTH_H
#define MRN_SMOOTH_SMOOTH_H

#include "base/sum.h"
#include "detect/detect.h"
#include "drive/drive.h"
#include "moraine/engine.h"

enum {
    MRN_CHUNK_PAIRS = 256, /* pairs per block of work: their columns stay in the second cache level
                            */
    MRN_CHUNK_ROWS = 256,  /* grains per block of work */
};

/* Totals over all contacts. */
typedef struct mrn_tally {
    double energy_n, energy_t, loss_n, power_t, jump, work_t, max_overlap;
    double virial[6]; /* sum of f_a d_b over contacts of grains, MRN_XX …; only in a driven cell */
    int64_t contacts, sliding;
} mrn_tally;

/* What the contacts of one thread add to them: the value of a sum does not depend on which contacts
   a thread got. Terms of the sums that every contact has are gathered from several blocks before
   they are added: long blocks cost half as much per term. */
enum { MRN_TERM_ENERGY_N, MRN_TERM_ENERGY_T, MRN_TERM_LOSS_N, MRN_TERM_POWER_T, MRN_TALLY_TERMS };
enum { MRN_TALLY_ROOM = 2 * MRN_BLOCK };
typedef struct mrn_tally_part {
    mrn_sum sum[MRN_TALLY_TERMS], jump, work_t, virial[6];
    double term[MRN_TALLY_TERMS][MRN_TALLY_ROOM];
    int n; /* terms that wait */
    double max_overlap;
    int64_t contacts, sliding;
} mrn_tally_part;

/* The same for the bodies. */
typedef struct mrn_body_tally {
    double damping;    /* W, taken by global and local damping                                 */
    double drive;      /* W, put in by forces on bodies                                        */
    double lift;       /* W, put in by a straining cell that carries grains against gravity    */
    double kinetic[6]; /* sum of m v_a v_b                                                     */
} mrn_body_tally;

/* Terms of these sums, one per body, until there are enough to be added together. */
enum { MRN_TERM_DAMPING, MRN_TERM_DRIVE, MRN_TERM_LIFT, MRN_TERM_KINETIC, MRN_BODY_TERMS = 9 };
typedef struct mrn_body_part {
    mrn_sum sum[MRN_BODY_TERMS];
    double term[MRN_BODY_TERMS][MRN_CHUNK_ROWS];
    int n;
} mrn_body_part;

/* Rows of a chunk of bodies, three numbers each. */
typedef struct mrn_body_rows {
    double one[MRN_CHUNK_ROWS], rate[3 * MRN_CHUNK_ROWS], way[3 * MRN_CHUNK_ROWS];
    double force[3 * MRN_CHUNK_ROWS], torque[3 * MRN_CHUNK_ROWS];
} mrn_body_rows;

typedef struct mrn_polytope_scratch mrn_polytope_scratch; /* polytopes.h */
typedef struct mrn_stream mrn_stream;                     /* stream.h */
typedef struct mrn_stream_scratch mrn_stream_scratch;

/* Scratch of one thread. */
typedef struct mrn_scratch {
    mrn_law_block block;
    int32_t c[MRN_BLOCK], a[MRN_BLOCK];                 /* bodies of each contact of the block    */
    int64_t pair[MRN_BLOCK];                            /* its place in the list                  */
    double lever[MRN_BLOCK];                            /* s of mrn_sphere_lever                  */
    double bx[MRN_BLOCK], by[MRN_BLOCK], bz[MRN_BLOCK]; /* branch, for the cell's work */
    double past[3][MRN_BLOCK]; /* the point on a wall that was touched a step ago */
    /* a chunk of pairs of grains: branches and sums of radii, whether they touch */
    double dx[MRN_BLOCK], dy[MRN_BLOCK], dz[MRN_BLOCK], sum[MRN_BLOCK];
    int64_t touch[MRN_BLOCK];
    int16_t entry[MRN_CHUNK_PAIRS]; /* those that do, all interactions */
    /* radii and masses of the bodies of the block; columns of what is read or stored in rows */
    double rc[MRN_BLOCK], ra[MRN_BLOCK], mc[MRN_BLOCK], ma[MRN_BLOCK];
    double column[12][MRN_BLOCK];
    mrn_contact_point *wall; /* room for the largest group of wall pairs */
    int64_t wall_room;
    mrn_polytope_scratch *polytopes; /* NULL: the scene has no grains with corners */
    mrn_stream_scratch *stream;
    mrn_tally_part tally;
    mrn_body_part bodies;
    mrn_body_rows rows;
    double product[6][MRN_BLOCK]; /* force times branch */
    double load[6][MRN_BLOCK];    /* forces and torques on a wall */
} mrn_scratch;

/* Part of the contacts of a wall: as many as its forces are summed over at a time. */
typedef struct mrn_wall_span {
    int32_t wall;
    int64_t begin, end; /* in wall_pair */
    mrn_sum sum[6];     /* force and torque on the wall */
} mrn_wall_span;

typedef struct mrn_wall_past {
    mrn_vec3 x, f, t, w;
} mrn_wall_past;

struct mrn_smooth {
    const mrn_scene *scene;
    mrn_state *state;
    int threads;
    mrn_scratch **scratch; /* per thread */
    int64_t grain_chunks, wall_chunks;
    int32_t *owner; /* the grain in whose row each pair of grains stands */
    int64_t owner_room;
    double *far; /* largest squared travel per chunk of rows */
    int64_t far_room;
    double *reach; /* per wall: distance of its centre to the farthest grain */
    int64_t reach_room;
    mrn_wall_past *wall_from; /* per wall, when the step began */
    double rate_used[6];      /* rates at which the cell strained in this step */
    double virial_from[6];    /* volume times stress when the step began */
    double volume;            /* of the cell when its stress was noted; 0: not yet */
    int64_t wall_from_room;
    /* clusters by their place in memory; the spheres of the k-th, in the order of its template, are
       member[member_row[k]] … (clusters.c) */
    int64_t n_clusters;
    int32_t *cluster, *member;
    int64_t *member_row;
    int64_t cluster_room, member_row_room, member_room;
    double *turned; /* quaternions by place: how clusters turned in this step, if `undamped` */
    int64_t turned_room;
    bool undamped;      /* an interaction has springs without a dashpot */
    int32_t *wall_pair; /* pairs with walls, wall by wall */
    int64_t wall_pair_room, n_spans, span_room;
    mrn_wall_span *span;
    bool any_fixed;
    mrn_images images; /* of the cell, while contact forces are computed */
    mrn_drive_survey drive;
    const mrn_drive_sums *sums; /* NULL: the state's arrays are those of now */
    bool moved, stale;          /* a step begun and not ended; its list is to be built */
    bool ahead;       /* within a call: bodies have gone to the end of the next step, … */
    double far_ahead; /* … this far from where the list was built (squared)              */
    double far_now;   /* how far bodies have gone from there when forces are asked for   */
    double wall_way;  /* how far a wall went in this step                                */
    mrn_stream *stream;
    bool stays;               /* in the stream when a call is over: mrn_smooth_go goes on in it */
    volatile const int *stop; /* NULL: nobody asks                                              */
    bool unrefreshed;         /* bodies or scene changed, and taking that up has failed half-way */
    mrn_step_times times;
};

extern const mrn_method mrn_method_smooth; /* method_smooth.c */

/* As mrn_smooth_step, but the stream stays on (method_smooth.c asks for what it holds). */
mrn_status mrn_smooth_go(mrn_smooth *e, int64_t n, mrn_message *msg);

/* Piece k of n of a loop, with the scratch of whoever does it. */
typedef void mrn_smooth_piece(mrn_smooth *e, const void *with, int64_t k, mrn_scratch *w);
/* All of them: where `shared` each thread takes its part, else they are done here, one after the
   other. A parallel region of one thread would do that too, for a call of the system each time:
   worlds of a few grains would spend a third of their steps in them. */
void mrn_smooth_share(mrn_smooth *e, int64_t n, bool shared, mrn_smooth_piece *piece,
                      const void *with);

/* ---- parts of a step, for engines that do the rest of it elsewhere (engine_smooth.c) ---- */

/* Walls go to where they are at the end of the step; how far counts for the list. The flow of a
   cell does not touch them. */
void mrn_smooth_move_walls(mrn_smooth *e, double end);
/* The cell strains to the end of the step, at the rates that rate_used has. */
void mrn_smooth_strain_cell(mrn_smooth *e, double end);
/* Forces on walls and grains are there: the clock goes on, energies are booked. */
void mrn_smooth_end_step(mrn_smooth *e, const mrn_tally *t, const mrn_body_tally *b, double end);
/* The deepest contact, in words. */
mrn_status mrn_smooth_explain_overlap(const mrn_smooth *e, mrn_message *msg);

/* Cuts the list into blocks of work; after every build of the list. */
mrn_status mrn_forces_plan(mrn_smooth *e, mrn_message *msg);
/* Which grain each pair of grains belongs to. */
void mrn_forces_name_owners(mrn_smooth *e);
/* Contact forces of all pairs at the positions and velocities now. h = 0 leaves history as it is.
 */
mrn_tally mrn_forces_contacts(mrn_smooth *e, double h);
/* The same in parts: before, for each of e->wall_chunks, and after. */
void mrn_forces_begin(mrn_smooth *e);
void mrn_forces_wall_chunk(mrn_smooth *e, int64_t chunk, double h, mrn_scratch *w);
mrn_tally mrn_forces_total(mrn_smooth *e);
/* Room for the terms of n contacts more. */
void mrn_tally_room(mrn_tally_part *t, int n);
/* The contact in slot k is over. */
void mrn_contact_end(mrn_contacts *c, int64_t k);

/* ---- pairs of spheres (spheres.c) ---- */

/* Which of the n pairs from p0 on touch, `owner` being the grains that they stand with: their
   number, and their places less p0 in `entry`. With `end` the contacts of the others end. */
int mrn_spheres_touching(mrn_state *s, const mrn_images *im, const int32_t *owner, int64_t p0,
                         int n, bool end, mrn_scratch *w);
/* Columns of radii, masses and velocities of the bodies of the block; and from them and the
   branches the inputs of its laws. */
void mrn_spheres_motions(const mrn_state *s, mrn_scratch *w);
void mrn_spheres_kinematics(const mrn_state *s, mrn_scratch *w);
/* Forces and levers from what the laws answered, as columns. */
void mrn_spheres_answers(mrn_scratch *w);
/* Memory of the contacts of the block, from their slots; forces, levers and memory to them. */
void mrn_slots_load(const mrn_contacts *c, int width, mrn_scratch *w);
void mrn_slots_store(mrn_contacts *c, int width, bool moments, mrn_scratch *w);

/* ---- kinematics and laws of a block of pairs of spheres in one loop (fused.c) ---- */

/* For the commonest models: from the columns of mrn_spheres_motions and the memory of the contacts
   to forces, levers, memory and energies, without what is only carried from one loop to the next.
 */
typedef void mrn_fused(const mrn_prepared *law, const double *cell_rate, double h, mrn_scratch *w,
                       mrn_tally_part *t);
/* NULL: this combination of laws goes part by part. */
mrn_fused *mrn_fused_of(const mrn_prepared *law);

/* Sums contact forces on walls. */
void mrn_forces_walls(mrn_smooth *e);
/* Sums forces on grains, gravity included, and corrects velocities by h/2 (a_new - a_old); h = 0:
 * forces only. With `on` bodies go on to the end of the next step while they are in the cache, and
   it gets what mrn_bodies_drift would return. */
mrn_body_tally mrn_bodies_kick(mrn_smooth *e, double h, double *on);
/* Moves bodies to the end of the step and predicts their velocities there; returns the largest
   squared distance travelled since the list was built (NAN or INFINITY when something went wrong).
 */
double mrn_bodies_drift(mrn_smooth *e, double h);
/* Orientations in columns 0 to 3 turned by half the angles that stand in columns 4 to 6. */
void mrn_turn_quats(double (*column)[MRN_BLOCK], int n);

/* Lists clusters and their spheres and makes room for the tallies of the bodies; after every build
   of the list. */
mrn_status mrn_clusters_plan(mrn_smooth *e, mrn_message *msg);
void mrn_clusters_release(mrn_smooth *e);
/* Puts the spheres of all clusters where these have gone; after the drift, when the cell has
   strained. Returns the larger of `far` and the largest squared way of a sphere. */
double mrn_clusters_place(mrn_smooth *e, double far);
/* Notes how each cluster turned in the step of length h that ends now. */
void mrn_clusters_turned(mrn_smooth *e, double h);
/* Measures the derivatives that Gear's method starts from; after the first forces. */
mrn_status mrn_gear_start(mrn_smooth *e, mrn_message *msg);

#endif
