/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine on a device. The host's engine makes the first list and the first forces, moves
   walls and books energies; while the device works the state's arrays are old, and
   mrn_cuda_leave brings them up to now. Same scenes, same laws, same bits. */
#ifndef MRN_CUDA_CUDA_H
#define MRN_CUDA_CUDA_H

#include "cuda/gpu.h"
#include "smooth/smooth.h"

/* Arrays on the device. */
enum {
    MRN_ROOM_PLACE,
    MRN_ROOM_MOTION,
    MRN_ROOM_HEFT,
    MRN_ROOM_PULL,
    MRN_ROOM_Q,
    MRN_ROOM_IMAGE,
    MRN_ROOM_ID,
    MRN_ROOM_MATERIAL,
    MRN_ROOM_STILL,
    MRN_ROOM_GROUP,
    MRN_ROOM_LOAD,
    MRN_ROOM_BACK_ROW,
    MRN_ROOM_BACK,
    MRN_ROOM_OWNER,
    MRN_ROOM_FORCE,
    MRN_ROOM_MOMENT,
    MRN_ROOM_WALL_GRAIN,
    MRN_ROOM_WALL_FORCE,
    MRN_ROOM_WALL_MOMENT,
    MRN_ROOM_WALL_TERM,
    MRN_ROOM_WALLS,
    MRN_ROOM_POSE,
    MRN_ROOM_STEP,
    MRN_ROOM_RECORD,
    MRN_ROOM_WALL_SUM,
    MRN_ROOM_BOUNDS,
    MRN_ROOM_PARTS,
    MRN_ROOM_HASTE,
    MRN_ROOM_LAWS,
    MRN_ROOM_PAST,
    MRN_ROOM_MORE,
    MRN_ROOM_WALL_MORE,
    MRN_ROOM_GRAVITIES,
    MRN_ROOM_MASS_SUM,
    MRN_ROOM_CELLS,
    MRN_ROOM_STRAIN,
    MRN_ROOM_RESIST,
    MRN_ROOM_TOTAL,
    MRN_ROOM_POINTS,
    MRN_ROOM_MESHES,
    MRN_ROOM_BODY_CARRIED,
    MRN_ROOM_SPHERE,
    MRN_ROOM_CARRIER,
    MRN_ROOM_CLUSTER,
    MRN_ROOM_FORM,
    MRN_ROOM_CENTRE,
    MRN_ROOM_TURNED,
    MRN_ROOM_LIST, /* arrays of the two lists; but for walls there are only the first's */
    MRN_ROOMS = MRN_ROOM_LIST + 2 * 10
};

typedef struct mrn_cuda {
    const mrn_gpu_ops *ops;
    void *device; /* this world's share of it … */
    bool opened;  /* … if it has one            */
    const mrn_scene *scene;
    mrn_state *state;
    mrn_smooth *host;
    mrn_gpu_about about;
    mrn_gpu g;
    bool on;      /* the device has the world, the state's arrays are old      */
    int told;     /* what the state knows of it: 1 places and velocities, 2 all */
    bool moved;   /* a step begun and not ended: bodies and walls have moved   */
    bool turning; /* a wall turns: how far grains are from it counts           */
    int which;    /* of the two lists                                          */
    mrn_gpu_model model, wall_model; /* of pairs of grains, of grains and walls */
    double mean_radius, max_radius;
    double range;     /* up to which gap contacts live on, at most */
    double skin;      /* of the list as it was made                                */
    double way;       /* gone since then, or since the state was told, at most     */
    double pace;      /* the longest way in a step, over haste, about; -1: not known yet */
    double fast;      /* the longest way in a step when the list was made; -1: likewise  */
    double wall_pace; /* of walls                                                        */
    double step_time, list_time;     /* s that a step and a list took, about; 0: not known yet */
    uint64_t bounds[MRN_GPU_BOUNDS]; /* what was found when the list was made …            */
    bool bounded;                    /* … if it was, here                                  */
    int unsorted;                    /* lists since bodies were sorted                     */
    mrn_gpu_law law[MRN_GPU_LAWS];
    bool sparse;        /* many pairs of the list do not touch                       */
    mrn_gpu_pose *pose; /* host's copies: slots of walls … */
    mrn_gpu_step step[MRN_GPU_SLOTS + 1];
    mrn_gpu_record *record; /* … and what steps told           */
    mrn_gpu_sum *wall_sum;
    bool locked;  /* the device writes these two straight   */
    double *from; /* walls when a batch began: 13 numbers each */
    mrn_wall_past *past;
    double *walls_past;    /* slots of walls of 6: where they were when the step began */
    double *gravities;     /* slots of 3                                               */
    mrn_gpu_sum *more;     /* what steps told, besides their records …                 */
    mrn_gpu_sum *mass_sum; /* … and first moments of mass                              */
    mrn_vec3 mass_moment;  /* when the step began that is begun and not ended          */
    mrn_load *load;        /* slots of groups */
    double *through;       /* what is on its way to the state: kept, it is asked for often */
    int64_t through_size;
    double *allowance;
    bool meshes; /* there are walls of triangles */
    /* cells that strain, servos */
    mrn_gpu_cell cell[MRN_GPU_SLOTS + 1]; /* through the steps of a batch                       */
    mrn_gpu_strain *strain;               /* what they told                                     */
    double strained;                      /* how far strain has brought grains together         */
    bool servo, servo_walls;              /* of cell or walls; of walls                         */
    bool open;                            /* a cell that strains has directions without a period */
    bool wrapped;                         /* bodies of the step that begins are in the cell     */
    double *resist;                       /* 2 per wall                                         */
    mrn_drive_sums sums;
    void *room[MRN_ROOMS];
    int64_t bytes[MRN_ROOMS];
    mrn_step_times times;
} mrn_cuda;

extern const mrn_method mrn_method_cuda; /* method_cuda.c */

/* What begins a step changes of cell and servos. */
typedef struct mrn_cuda_past {
    double size[3], tilt[3], rate[6], list[6], used[6], virial[6], volume, strained;
    mrn_drive_memory drive;
} mrn_cuda_past;

/* ---- world.c ---- */

/* Room for `bytes` on the device, in array `which`; what stood there is lost when it grows. */
mrn_status mrn_cuda_room(mrn_cuda *c, int which, int64_t bytes, void *to, mrn_message *msg);
/* Gives array `which` back if it is far larger than that: what stood there must not be needed. */
void mrn_cuda_shrink(mrn_cuda *c, int which, int64_t bytes);
void mrn_cuda_release(mrn_cuda *c);
/* MRN_ERR_DEVICE… in words: the device has failed. */
mrn_status mrn_cuda_failed(const mrn_cuda *c, mrn_message *msg);
/* The device gets the world as it stands, with its list. */
mrn_status mrn_cuda_enter(mrn_cuda *c, mrn_message *msg);
/* Places and velocities of the state's bodies become those of now. */
mrn_status mrn_cuda_look(mrn_cuda *c, mrn_message *msg);
/* All of the state's arrays do. */
mrn_status mrn_cuda_leave(mrn_cuda *c, mrn_message *msg);
/* Room for a list of n pairs of grains and n_wall features of walls, and for what contacts answer:
   not at once, since that of forces is where lists are made. */
mrn_status mrn_cuda_list_room(mrn_cuda *c, int64_t n, int64_t n_wall, mrn_message *msg);
mrn_status mrn_cuda_answer_room(mrn_cuda *c, mrn_message *msg);
/* Forces of pairs are zero until they touch. */
bool mrn_cuda_clear_forces(mrn_cuda *c);
int64_t mrn_cuda_bytes(const mrn_cuda *c);

/* ---- clusters.c ---- */

/* Clusters of the state and their spheres; with `turned` also how they turn in each step. */
mrn_status mrn_cuda_enter_clusters(mrn_cuda *c, bool turned, mrn_message *msg);

/* ---- cells.c ---- */

/* What is there for a cell that strains and for servos, and room for it. */
mrn_status mrn_cuda_enter_cell(mrn_cuda *c, mrn_message *msg);
mrn_cuda_past mrn_cuda_cell_past(const mrn_cuda *c);
void mrn_cuda_cell_return(mrn_cuda *c, const mrn_cuda_past *past);
/* Walls and cell go to the end of the step; `to` (may be NULL) gets the cell through it. */
void mrn_cuda_begin_step(mrn_cuda *c, double end, mrn_gpu_cell *to);
/* The cell at the end of a step that has begun. */
void mrn_cuda_begun_cell(const mrn_cuda *c, mrn_gpu_cell *to);
/* How far the strain since the list was made may have brought two grains together. */
double mrn_cuda_strain_travel(const mrn_cuda *c);
/* What a step told of stresses. */
void mrn_cuda_strain_told(mrn_cuda *c, int slot, mrn_tally *t, mrn_body_tally *b);
/* Kinetic, rotational and gravity's energy of the bodies; *known false: they stand in the state's
   arrays. */
mrn_status mrn_cuda_energies(mrn_cuda *c, double sum[3], bool *known, mrn_message *msg);
/* What servos ask of the contacts before a step begins. */
mrn_status mrn_cuda_measure(mrn_cuda *c, mrn_message *msg);

/* ---- list.c ---- */

/* Whether a list that reaches less far would pay. */
bool mrn_cuda_too_thick(const mrn_cuda *c);
/* A new list for where the grains are, made on the device. */
mrn_status mrn_cuda_build(mrn_cuda *c, mrn_message *msg);

/* Whether it can do all of that at once; after the host's engine is made. */
mrn_status mrn_cuda_fits_together(mrn_cuda *c, mrn_message *msg);

/* ---- fits.c ---- */

/* Whether a device can do what the scene asks for; says what it cannot. */
mrn_status mrn_cuda_fits(const mrn_scene *scene, const mrn_state *s, mrn_message *msg);

/* ---- engine_cuda.c ---- */

double mrn_cuda_sum(const mrn_gpu_sum *from);
/* Walls as they stand, in the last of the slots. */
bool mrn_cuda_put_poses(mrn_cuda *c);

mrn_status mrn_cuda_create(const mrn_scene *scene, mrn_state *s, mrn_cuda **out, mrn_message *msg);
void mrn_cuda_destroy(mrn_cuda **c);
mrn_status mrn_cuda_refresh(mrn_cuda *c, mrn_message *msg);
mrn_status mrn_cuda_step(mrn_cuda *c, int64_t n, mrn_message *msg);
/* See mrn_method.sync. */
mrn_status mrn_cuda_sync(mrn_cuda *c, bool all, bool keep, mrn_message *msg);

#endif
