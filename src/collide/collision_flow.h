/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files share that integrate collisions in a plane: collision_field.c, the right-hand
   side, and collision_flow.c, the steps. */
#ifndef MRN_COLLIDE_COLLISION_FLOW_H
#define MRN_COLLIDE_COLLISION_FLOW_H

#include "collide/encounter.h"
#include "laws/lanes.h"

#define MRN_STAGES 7
#define MRN_MEMORY 8   /* numbers of history of a normal law, at most          */
#define MRN_BEYOND 1e6 /* effective radii: a spring that every limit cuts      */

enum { QX, QZ, VX, VZ, SW, SP, PARTS }; /* way, velocity, R_C w_C + R_A w_A, spring */

/* What the laws do, found by asking them. */
typedef struct mrn_traits {
    bool spring;      /* the tangential law has one, and friction                           */
    bool cut;         /* its length is cut, at `reach` times the overlap                    */
    double reach, mu; /* mu: limit of the tangential force over the pressing force          */
    double growing;   /* 1: while the load grows the force stays and the spring shrinks      */
    double falling;   /* 1: the same while it falls                                         */
    int row, root;    /* of history: the spring; square root of the overlap, or -1          */
    bool tension;     /* the normal law may pull at the end of a contact                    */
    bool pulls;       /* there is cohesion                                                  */
    bool memory;      /* the normal law has a history                                       */
    bool even;        /* stiffness and dashpot are the same at every overlap                 */
} mrn_traits;

/* A collision that is waiting, and how it is to be done. */
typedef struct mrn_collision_path_task {
    const mrn_encounter *e;
    mrn_outcome *best; /* of the tries so far */
    double tol;        /* of a step           */
    int tries;
} mrn_collision_path_task;

/* One collision under way: what is not in the rows. */
typedef struct mrn_collision_path_lane {
    mrn_collision_path_task task;
    const mrn_encounter *e;
    mrn_traits of;
    mrn_outcome out;
    double tol, error;           /* per step; sum of the estimates          */
    double accuracy, tail, near; /* how near to the end, and to the end of a mode, is near enough */
    double want;                 /* next step by the error of the last      */
    double fn[3], at[3];         /* forces and times of the last steps     */
    double slope, bend;          /* of the force, first and second          */
    double delta, rate, ut, tx, decel;
    double doubt;    /* of the spring in slip                   */
    double lag;      /* dashpot over stiffness, of springs that are cut */
    double slowest;  /* least rate so far                       */
    double edge;     /* the mode ends where this passes zero upwards: now … */
    double ahead;    /* … and when that is, as far as is known  */
    double part, go; /* time until the overlap is gone, and until the force is; see to_part */
    double end;      /* when the contact ends, as it looked after the step before           */
    double miss;     /* by how much that may still be wrong, as far as it is extrapolated   */
    int64_t steps;
    int looks;                   /* tries of this step for a moment that it would pass over */
    bool parting, damped, again; /* again: the last try was refused */
} mrn_collision_path_lane;

/* k s + g ds/dt = l, the spring in slip. */
typedef struct mrn_spring_states {
    mrn_lane_row k, g, l;
    mrn_lane_row raw; /* stiffness; k may spring_state what a growing load does besides */
} mrn_spring_states;

struct mrn_collision_path {
    /* collisions that wait */
    const mrn_encounter *e;
    mrn_outcome *out;
    bool *done;
    int64_t next, total;
    double accuracy, first_tol, tail, near;
    double begin; /* first step over the contact time, where roots begin with infinite slope */
    mrn_collision_path_task again[MRN_LANES];
    int n_again;
    /* how forces are asked */
    const mrn_law_lanes *normal, *tangential; /* lane by lane; NULL: through the block */
    const mrn_prepared *law;                  /* of the block; of `of`                 */
    mrn_traits of;
    /* those under way */
    int n, wide; /* lanes, and rounded up to whole vectors */
    bool flat;   /* all on planes                          */
    bool rooted; /* their springs may be kept times the root of the overlap */
    mrn_collision_path_lane lane[MRN_LANES];
    _Alignas(64) mrn_lanes l; /* rows begin where lines of the cache do */
    /* state, stages and errors */
    _Alignas(64) mrn_lane_row y[PARTS], at[PARTS], k[MRN_STAGES][PARTS], err[PARTS];
    mrn_lane_row half[PARTS], k_half[PARTS], zero[PARTS];
    mrn_lane_row h, slip;
    mrn_lane_row side; /* sign of the spring in slip                      */
    mrn_lane_row root; /* above 0: the spring is kept times the root of the overlap */
    mrn_lane_row s;    /* length of the spring in slip                    */
    mrn_lane_row bias; /* of `edge`: what it was when sticking began      */
    /* of the traits; any: 1 with a spring */
    mrn_lane_row growing, falling, any, reach, mu;
    /* of the encounter, and one over its scales */
    mrn_lane_row curve, shrink, inv_m, inverse_inertia, speed;
    mrn_lane_row per_time, per_vn, per_along, per_speed;
    mrn_lane_row kinks, slip_kinks; /* what an error counts while it sticks, and slips */
    /* of the last evaluation */
    mrn_lane_row delta, nx, nz, scale, per_sqrt;
    /* normal forces at 8/9, of the stage before the end and at the end; other things at the end */
    mrn_lane_row fn5, fn6, fn7, end_delta, end_rate, end_ut, end_tx, end_k, end_gamma;
    /* what may be wrong in rate and overlap by now, see carry_errors */
    mrn_lane_row wrong_rate, wrong_delta;
    mrn_lane_row edge, s_end, doubt; /* see find_edges                                        */
    mrn_spring_states spring_state, mid, end; /* at the last step, half way, at the end of the step
                                                 tried */
    /* memory of the normal law, at the last step and at the end of the one tried */
    mrn_lane_row memory[MRN_MEMORY], end_memory[MRN_MEMORY];
    /* of the step: tolerance, error, length of the next over this one, whether it is taken */
    mrn_lane_row tol, norm, factor, go;
    _Alignas(64) mrn_lane_row own[12]; /* of `l`, where they are not those of the block */
    mrn_law_block *block;              /* NULL: not needed                              */
};

/* One contact at an instant, its tangential velocity zero. */
typedef struct mrn_question {
    double r, m, delta, rate, s;
    double old; /* root of the overlap before */
} mrn_question;
typedef struct mrn_reply {
    double fn, k_n, gamma_n, press, tx;
    double s; /* what the law keeps of the spring */
} mrn_reply;

/* Rows of history of the normal law. */
MRN_FORMULA int mrn_collision_path_memory(const mrn_collision_path *f)
{
    return f->of.memory ? f->of.row : 0;
}

/* Rate of what is kept of the spring: it grows with the velocity, and shrinks or not as the load
   changes (stiffness goes with the root of the overlap). */
MRN_FORMULA double mrn_spring_rate(double kept, double ut, double sqrt_delta, double per_sqrt,
                                   double rate, double root, double growing, double falling)
{
    double c = 0.5 * rate * per_sqrt * per_sqrt, with = rate > 0 ? growing : falling;
    return root > 0 ? sqrt_delta * ut + kept * c * (1 - with) : ut - kept * c * with;
}

/* Lays the rows out for this law and those like it, and finds its traits. */
void mrn_collision_path_adapt(mrn_collision_path *f, const mrn_prepared *law);
/* Traits of a law, into f->of. */
void mrn_collision_path_probe(mrn_collision_path *f, const mrn_prepared *law);
/* One contact of the law whose traits are in f->of. */
mrn_reply mrn_collision_path_ask(mrn_collision_path *f, const mrn_question *q);
/* Coefficients of lane i. */
void mrn_collision_path_load(mrn_collision_path *f, int i, const mrn_prepared *law, double r_eff,
                             double m_eff);
/* Rates k of the states y of lanes `from` to `to`, whole vectors. */
void mrn_collision_path_evaluate(mrn_collision_path *f, mrn_lane_row *y, mrn_lane_row *k, int from,
                                 int to);
/* What presses at the states y of all lanes. */
void mrn_collision_path_look(mrn_collision_path *f, mrn_lane_row *y);
/* What holds the springs in slip, as just evaluated. */
void mrn_collision_path_springs(mrn_collision_path *f, int from, int to, mrn_spring_states *out);

#endif
