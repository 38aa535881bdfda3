/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the servos of walls and cell share.

   A servo sets a speed (of a wall, of a strain) in proportion to what the load still lacks:
   speed = error / resistance, resistance = stiffness x response + 2 x viscosity. What it drives
   then feels a dashpot, which never gives energy back: the pair cannot swing up. In discrete time
   the force answers one step late; the stiffness takes h / response of the error out in each step,
   the dashpots of the contacts answer with viscosity / resistance < 1/2 of it at once, so that the
   error shrinks as long as the response is some steps long.

   A load that is held while something else flows (a plate on sheared grains) needs a steady speed,
   which a servo in proportion gives only for a steady error. There it learns the speed: `follow`.
 */
#ifndef MRN_DRIVE_SERVO_H
#define MRN_DRIVE_SERVO_H

#include "drive/drive.h"
#include "drive/resist.h"

/* Steps in which a servo takes out an error, at least. */
#define MRN_SERVO_STEPS 20
/* The learning is slower than the response by this: slow enough not to swing with a bed or network
   ten times softer than its first layer or its affine estimate. */
#define MRN_SERVO_LEARN 40
/* Steps between two surveys of grains and network. */
#define MRN_SERVO_SURVEY 100

/* Of grain i with body j (a wall or a grain). */
mrn_stiffness_pair mrn_contact_stiffness(const mrn_scene *scene, const mrn_state *s, int32_t i,
                                         int32_t j, double delta);

/* Keeps s->drive.grains_mass, grain_mass and grain_radius when it is time. */
void mrn_servo_survey(mrn_state *s);

typedef struct mrn_servo {
    double error;      /* what the load lacks                                        */
    double resistance; /* load per speed                                             */
    double bound;      /* of the speed                                               */
    double learn;      /* part of the answer that `follow` takes up in this step     */
} mrn_servo;
/* The speed. `follow` (may be NULL) is what it has learnt, and learns on. */
double mrn_servo_speed(const mrn_servo *v, double *follow);

/* Something flows at a rate of its own: a wall moves as imposed, the cell strains as imposed. */
bool mrn_servo_flows(const mrn_scene *scene, mrn_instant at);

/* Speed along its direction of a servo wall in the step that begins now; `sums` may be NULL. */
double mrn_servo_wall(const mrn_scene *scene, mrn_state *s, int32_t wall, double time_end,
                      const mrn_drive_sums *sums);

/* Half-way from the last speed to the one the servo asks for. The engine moves things through a
   step at the mean of their speeds at its ends, which leaves a speed that changes sign from step to
   step without a way and so without an answer from springs; this takes it out in one step. */
static inline double mrn_servo_limited(double last, double asked)
{
    return 0.5 * (last + asked);
}

#endif
