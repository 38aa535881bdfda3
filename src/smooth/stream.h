/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free spheres under one of the commonest models, many steps in a call: what a step reads stands in
   memory in the order in which it is read, and every line of it is used.

   Of a body: place and radius in half a line of the cache, velocity, mass, spin and inertia in one
   line, force and torque in one. Of a contact: what it remembers, and what its laws know of the
   pair, in columns of a block; force and lever in one line, which another contact gets as soon as
   both bodies have taken theirs, so that few lines serve all. Contacts are those of a short list:
   pairs of the neighbour list that are in touch or may soon be, for as long as no body has gone
   half of what the others lack. Bodies begin the next step as soon as the last of their contacts is
   known, while all of that is in the cache: one pass over memory in a step.

   The formulas are those of the general way, in the same order: same bits. The state's own arrays
   are old while the stream is on; `mrn_stream_leave` brings them up to now. Where many steps are to
   come, the pages of those that the stream does not read are with the system meanwhile: they come
   back as they are written, so that leaving needs no memory that could be refused. */
#ifndef MRN_SMOOTH_STREAM_H
#define MRN_SMOOTH_STREAM_H

#include "smooth/smooth.h"

enum {
    MRN_STREAM_BLOCK = 64,  /* contacts at a time: their columns stay in the first-level cache */
    MRN_STREAM_ROW = 72,    /* length of a column: rows no power of two apart                  */
    MRN_STREAM_AHEAD = 700, /* bodies: a seventh of what a second-level cache of 1 MB holds    */
    MRN_STREAM_NEAR = 64,   /* bodies: partners that far off are asked for by themselves      */
    MRN_STREAM_WIDE = 4096, /* … where there are so many that a cache does not hold all        */
    MRN_STREAM_WORTH = 4,   /* steps of a call that repay the way into the stream and out     */
    MRN_STREAM_REST = 64,   /* steps that repay giving back what the general way needs        */
    MRN_STREAM_STAY = 32,  /* the same, where it is not known how many come: as many as last time */
    MRN_STREAM_MANY = 512, /* bodies whose arrays are pages                                  */
};

/* What rests while the stream is on: motion and forces of grains; forces of contacts; their levers,
   and whose they are; what they remember. */
enum { MRN_REST_BODIES, MRN_REST_FORCES, MRN_REST_LEVERS, MRN_REST_HISTORY, MRN_RESTS };

/* What later blocks read, asked for while one is computed, a part of it beside each group of its
   contacts: a processor waits for some two dozen reads at a time, and requests in one go would hold
   up all reads behind them. Of a block of whole groups; the last one has nothing to ask for. */
typedef struct mrn_stream_ahead {
    const double *place, *motion, *pull, *q;
    int64_t from, to;   /* bodies in the order of memory, some way off                */
    const double *kept; /* memory of a block to come, `length` numbers                */
    const int32_t *far; /* partners of the next block, where they stand far from it   */
    int length, n_far;
    /* what a block has a line or two of, too few for a processor to foresee the next */
    const uint8_t *alive;
    const int32_t *ready_row, *ready, *term_row;
    bool on; /* there are such blocks */
} mrn_stream_ahead;

/* The columns of a block. */
typedef struct mrn_stream_block {
    double xc[MRN_STREAM_ROW], xa[MRN_STREAM_ROW];       /* radius of C and of A               */
    double vc[8][MRN_STREAM_ROW], va[8][MRN_STREAM_ROW]; /* velocity, mass, spin, inertia      */
    double d[3][MRN_STREAM_ROW];                         /* from the centre of A to that of C  */
    double fresh[MRN_STREAM_ROW];                        /* 1 on the first step of a contact   */
    double delta[MRN_STREAM_ROW], slip[MRN_STREAM_ROW];
    double answer[6][MRN_STREAM_ROW]; /* force and lever; zero out of touch */
    int64_t touch[MRN_STREAM_ROW];
    const double *life;   /* two columns of what the laws know of its pairs       */
    const double *motion; /* rows of the bodies                                   */
    const int32_t *ends;  /* C and A of its contacts                              */
    double *force;        /* lines for forces, …                                  */
    const int32_t *line;  /* … and which of them                                  */
    mrn_stream_ahead ahead;
    int n;      /* contacts, in touch or not: whole groups              */
    bool old;   /* none is in its first step                            */
    bool above; /* one may be deeper, over its radius, than any so far  */
} mrn_stream_block;

/* Kinematics and laws of a block, in touch or not: from its columns and its memory `kept` to force,
   lever, memory and terms of the energies. */
typedef void mrn_stream_law(const mrn_prepared *law, const double *cell_rate, double h,
                            mrn_stream_block *b, double *kept, mrn_tally_part *t);
/* Two numbers of a pair (effective radius and mass r, m) that its laws take in every step: roots
   and quotients that are the same in all of them. */
typedef void mrn_stream_life(const double *coef, double r, double m, double *a, double *b);
mrn_stream_life *mrn_stream_life_of(const mrn_prepared *law);
/* NULL: this combination of laws has none (fused.c). */
mrn_stream_law *mrn_stream_law_of(const mrn_prepared *law);

/* Scratch of one thread. */
struct mrn_stream_scratch {
    mrn_stream_block block;
    double turn[MRN_STREAM_BLOCK][8]; /* half the angles by which bodies turn: 4 to 6            */
    int64_t most[8];                  /* longest ways along the axes, as the bits of numbers     */
    int64_t fetched;                  /* bodies that have been asked for, up to here             */
};

struct mrn_stream {
    bool on;
    int interaction; /* of all pairs of grains */
    mrn_stream_law *loop;
    mrn_stream_life *life;
    /* bodies, by their places */
    double *place;  /* 4: x, radius             */
    double *motion; /* 8: v, mass, w, inertia   */
    double *pull;   /* 8: f, h / mass, t, h / inertia */
    /* contacts */
    int64_t n, blocks;
    int32_t *ends;  /* 2: C and A                                                 */
    int32_t *slot;  /* where the pair stands in the neighbour list                */
    int32_t *line;  /* which line its force goes to                               */
    double *force;  /* lines of 8: force, 0, lever, 0; used again as soon as both */
    int64_t lines;  /* bodies have taken theirs                                   */
    double *kept;   /* blocks of `columns`: as many as the laws keep, and two of  */
    int columns;    /* what they know of a pair                                   */
    uint8_t *alive; /* in touch at the last step                                  */
    /* bodies by the block after which all their contacts are known, for as many threads as there
       were; those that need blocks of several threads come last. Near walls: ~body. */
    int32_t *ready, *ready_row;
    int64_t late;           /* where these begin */
    int32_t *far, *far_row; /* partners of each block far from its first body, each once */
    /* what acts on them, in that order and for each in the order of sums: twice the line, 1 more on
       A */
    int32_t *term, *term_row;
    /* for how long the short list and the neighbour list hold */
    double reach;               /* m: gap up to which pairs are in the short list              */
    double gone;                /* m: how far bodies may have gone since the short list was made */
    double gone_list;           /* m: the same since the neighbour list was made                */
    int64_t made_at;            /* step */
    int64_t entered_at, stayed; /* step; how many were made in the stream the last time */
    double least_radius;
    double way; /* m: the longest way in the last step */
    double deepest;
    void *memory[3]; /* of bodies, of contacts, of lines */
    int64_t room[3];
    bool rests; /* the general way's arrays are with the system meanwhile: bytes of them */
    size_t rested[MRN_RESTS];
};

/* Whether the scene is one for the stream. */
bool mrn_stream_fits(const mrn_smooth *e);
/* Bodies that have moved to the end of the step, their forces not yet known, and the contacts of a
   list that fits them, go into the stream for `left` steps; false: no memory, nothing has changed.
 */
bool mrn_stream_enter(mrn_smooth *e, double far, int64_t left);
/* The state's arrays become those of now, and the stream ends; its own memory goes where it has
   sent theirs away. */
void mrn_stream_leave(mrn_smooth *e);
/* Places and velocities of bodies are written to the state's arrays; the stream stays on. */
void mrn_stream_look(mrn_smooth *e);
/* Nobody looks any more: before the next step. */
void mrn_stream_go_on(mrn_smooth *e);
/* The same when a step is under way and lists are to be made anew: forces and levers, which that
   step will find, stay with the system. How many bytes: mrn_waken is to be told when the list is
   there.
 */
size_t mrn_stream_leave_for_list(mrn_smooth *e);
/* A short list that may miss a pair is made anew; false: no memory, the stream has been left. */
bool mrn_stream_renew(mrn_smooth *e);
/* Contact forces, and what they do to bodies; with `on` these go on to the end of the next step. */
mrn_tally mrn_stream_step(mrn_smooth *e, double h, bool on);
/* Bodies go to the end of the step. */
void mrn_stream_drift(mrn_smooth *e, double h);
/* A bound of the largest squared way of a body since the neighbour list was made; that way itself
   where the bound is not below `allowed`. */
double mrn_stream_far(mrn_smooth *e, double allowed);
/* Positions that have left the cell come back into it. */
void mrn_stream_wrap(mrn_smooth *e);
/* Whether none has: there is nothing to put back. */
bool mrn_stream_inside(const mrn_smooth *e);
/* Whether no contact can be deeper than its radius at the end of this step. */
bool mrn_stream_safe(const mrn_smooth *e);
void mrn_stream_release(mrn_stream *s);

#endif
