/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of joints share: memory in the state, poses and the rows of each kind. */
#ifndef MRN_NONSMOOTH_JOINTS_PARTS_H
#define MRN_NONSMOOTH_JOINTS_PARTS_H

#include "nonsmooth/joints.h"

#define MRN_JOINT_ROWS 6 /* of one joint at most, the motor's included */

/* What the state keeps of a joint: doubles only, joint after joint in s->memory.joint. */
typedef struct mrn_joint_memory {
    double live;          /* 0: a body has left, the joint has ended                       */
    double id[2];         /* persistent numbers of the bodies; -1: the ground              */
    double generation[2]; /* a number used again is another body                           */
    double anchor[2][3];  /* m, in the frame of each body                                  */
    double frame[3][3];   /* in the frame of the first body; the axis first (2D: z last)   */
    double axis[3];       /* of a hinge, in the frame of the second body                   */
    double turn[4];       /* orientation of the second seen from the first, at the start   */
    double apart[3];      /* m, from the first anchor to the second when last seen: tells
                             which periodic image is meant                                 */
    double rest;          /* m, of a spring                                                */
    double scale;         /* of a spring's row at the last step: impulse over that of the row */
    double length;        /* m, makes turns shifts                                         */
    double load[MRN_JOINT_ROWS]; /* N, impulse over step of each row, at the last step      */
} mrn_joint_memory;
enum { MRN_JOINT_NUMBERS = sizeof(mrn_joint_memory) / sizeof(double) };

static inline mrn_joint_memory *mrn_joint_memory_at(const mrn_state *s, int k)
{
    return (mrn_joint_memory *)(void *)(s->memory.joint + (int64_t)k * MRN_JOINT_NUMBERS);
}

/* One row: a shift along, or a turn about, an axis of the frame (a spring: along the line between
   its anchors). The motor's is the last one. */
typedef struct mrn_joint_row {
    uint8_t role;
    bool turn;
    int axis;
} mrn_joint_row;
int mrn_joint_plan(int dimension, const mrn_joint *d, mrn_joint_row row[MRN_JOINT_ROWS]);

/* Where a joint stands, world frame. */
typedef struct mrn_joint_pose {
    int32_t body[2]; /* -1: the ground                                               */
    mrn_vec3 arm[2]; /* from each centre to the second anchor, where impulses act    */
    mrn_vec3 apart;  /* from the first anchor to the second                          */
    mrn_vec3 frame[3];
    mrn_vec3 line;  /* of a spring: unit vector along `apart`                       */
    mrn_vec3 error; /* of turns, along the axes of the frame, rad                   */
    mrn_vec3 flow;  /* relative velocity that a straining cell gives, m/s           */
} mrn_joint_pose;

/* Places of its two bodies; false: one is no longer there. */
bool mrn_joint_bodies(const mrn_state *s, const mrn_joint_memory *m, int32_t body[2]);
/* False: the joint has ended. */
bool mrn_joint_pose_now(const mrn_scene *scene, const mrn_state *s, int k, mrn_joint_pose *out);
/* Direction of a row, world frame. */
mrn_vec3 mrn_joint_direction(const mrn_joint_pose *p, const mrn_joint_row *row);

/* Fills m for a joint of the scene from where its bodies are. */
mrn_status mrn_joint_note(const mrn_scene *scene, const mrn_state *s, const mrn_joint *d,
                          mrn_joint_memory *m, mrn_message *msg);

#endif
