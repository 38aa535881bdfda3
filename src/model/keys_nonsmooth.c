/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene, continued: the choices of the non-smooth engine, joints, and degrees of
   freedom of grains that are imposed. */
#include "model/keys_macros.h"

#define SOLVER SCHEMA(.kind = MRN_SCHEMA_SOLVER)

/* ---- choices ---- */

static const mrn_schema solver_with_options = {
    .kind = MRN_SCHEMA_MAP,
    .name = "solver",
    .more = MRN_MORE_SOLVERS,
    .one_of = "s",
    .doc = "A solver of contact problems with its options: `{nlgs: {relaxation: 1.2}}`."};
#define AT(field) MRN_AT(mrn_nonsmooth_options, field)
static const mrn_key nonsmooth_keys[] = {
    {"theta", QUANTITY("1", 0.5, 1), AT(theta), .usual = 0.5, .example = "0.5",
     .doc = "Weight of the end of the step: 0.5 keeps energy, 1 is the most stable."},
    {"form",
     WORD([MRN_GAP_MIXED] = "mixed", [MRN_GAP_VELOCITY] = "velocity",
          [MRN_GAP_CLOSING] = "closing"),
     MRN_AFTER(mrn_scene, nonsmooth.gap_rule, nonsmooth), .usual = MRN_GAP_MIXED,
     .example = "mixed",
     .doc =
         "When contacts take part. mixed: those that will rebound do so in the step in which "
         "they close, all others close without overlap; velocity: when they touch, restitution on "
         "velocities; closing: within the alert distance, gaps close exactly and nothing "
         "rebounds in the step in which it closes."},
    /* its options are those of the solver: a reader of its own adds them */
    {"solver", SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = SOLVER, .map = &solver_with_options),
     AT(solver), .text = "nlgs", .free = true, .example = "{nlgs: {relaxation: 1.2}}",
     .doc = "How the contact problem of a step is solved; `moraine solvers` describes them."},
    {"fallback", SOLVER, AT(fallback), .text = "hybrid", .free = true, .example = "hybrid",
     .doc = "The solver that tries when `unsolved` is switch."},
    {"tolerance",
     SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 0.5, .min_open = true),
     AT(tolerance), .usual = 1e-4, .free = true, .example = "1e-6",
     .doc = "What the criterion must fall to in each step. 1e-3 suits flows; at 1e-3 packings at "
            "rest creep, small settlements under repeated loads need 1e-5 or less, see the page on "
            "the method."},
    {"criterion",
     WORD([MRN_STOP_NATURAL] = "natural", [MRN_STOP_CONTACT] = "contact", [MRN_STOP_MEAN] = "mean",
          [MRN_STOP_QUADRATIC] = "quadratic", [MRN_STOP_MAX] = "max", [MRN_STOP_SIGNED] = "signed"),
     AT(criterion), .usual = MRN_STOP_NATURAL, .free = true, .example = "mean",
     .doc = "What is compared with the tolerance. natural: residual of the natural map; contact: "
            "change of every contact's impulse in two sweeps; mean, quadratic, max, signed: what a "
            "sweep changes, as an energy (`moraine solvers`). At one tolerance natural and contact "
            "ask for far more than the energies do. All but natural need a solver that sweeps "
            "(nlgs, nlgs-exchange). The natural residual is reported in any case."},
    {"max-iterations", INTEGER(1, 1e9), AT(max_iterations), .free = true, .example = "2000",
     .fallback = "the solver's own; 500 where another one waits (unsolved: switch)",
     .doc = "Iterations or sweeps in a step at most."},
    {"check-every", INTEGER(1, 1e6), AT(check_every), .free = true, .example = "10",
     .fallback = "the solver decides", .doc = "Sweeps between two looks at the criterion."},
    {"unsolved",
     WORD([MRN_UNSOLVED_GO_ON] = "go-on", [MRN_UNSOLVED_HALVE] = "halve",
          [MRN_UNSOLVED_SWITCH] = "switch", [MRN_UNSOLVED_STOP] = "stop"),
     AT(unsolved), .usual = MRN_UNSOLVED_SWITCH, .free = true, .example = "stop",
     .doc =
         "When a step does not reach the tolerance. go-on: with the best impulses found, counted "
         "and reported; halve: the step is made again in halves; switch: the fallback solver "
         "tries, "
         "and goes on as go-on where it fails too; stop: the run ends."},
    {"cycle", ABOVE("s", 0), AT(cycle), .free = true, .example = "50 ms", .fallback = "none",
     .doc = "Time after which the load comes back. The impulses of one cycle ago are then a second "
            "guess to begin a step from, the better of the two being taken: hyperstatic packings "
            "under many cycles need a fraction of the sweeps. What counts as solved stays the "
            "same. Taken to whole steps, 10000 at most."},
    {"alert", LENGTH, AT(alert), .example = "0.1 mm", .fallback = "0.05 of the mean radius",
     .doc = "Distance from which pairs are looked at as contacts to come."},
    {"threshold", QUANTITY("m/s", 0, INFINITY), AT(threshold), .usual = NAN, .example = "1 mm/s",
     .fallback = "2 |g| h",
     .doc = "Approaches slower than this do not rebound: grains come to rest."},
    {"projection", FLAG, AT(project), .usual = true, .example = "false",
     .doc = "Overlaps beyond `slop` are taken out by moving grains, without giving them speed; the "
            "energy of this has its own account."},
    {"slop", LENGTH, AT(slop), .example = "1 um", .fallback = "0.001 of the mean radius",
     .doc = "Overlap that the projection leaves."},
    {"sleep", FLAG, AT(sleep), .example = "true",
     .doc = "Groups of grains in touch that have come to rest are left out until something "
            "disturbs them."},
    {"sleep-speed", ABOVE("m/s", 0), AT(sleep_speed), .example = "0.1 mm/s", .fallback = "chosen",
     .doc = "Speed (for spins: times the radius) below which grains may fall asleep."},
    {"storage", WORD("exchange", "stored"), AT(stored), .usual = true, .free = true,
     .example = "exchange",
     .doc =
         "stored: the blocks of the problem are kept in memory where the solver needs them or "
         "is quicker with them (disks); exchange: never, contacts meet through the velocities of "
         "their bodies, which takes less memory."},
    {0}};
#undef AT
const mrn_schema mrn_schema_nonsmooth = {
    .kind = MRN_SCHEMA_MAP,
    .name = "nonsmooth",
    .keys = nonsmooth_keys,
    .at_least = 1,
    .doc = "Choices of method nonsmooth. They may stand, and do nothing, under method smooth, so "
           "that one word switches."};

/* ---- joints ---- */

#define BETWEEN_BODIES                                                                             \
    {                                                                                              \
        "between",                                                                                 \
            SCHEMA(.kind = MRN_SCHEMA_LIST, .item = SCHEMA(.kind = MRN_SCHEMA_TEXT),               \
                   .at_least = 2, .at_most = 2),                                                   \
            .required = true, .example = "[ground, arm]",                                          \
            .doc =                                                                                 \
                "The two bodies, of which the second moves relative to the first: `ground`, the "  \
                "name of a wall, the name of a group (its first grain), or `group/3` (grain 3 "    \
                "of it, counted from 0)."                                                          \
    }
#define POINT(text)                                                                                \
    {                                                                                              \
        "point", VECTOR("m"), MRN_AT(mrn_joint, point), .required = true,                          \
                                                        .example = "[0, 0, 10 cm]", .doc = text    \
    }
#define OWN_POINT                                                                                  \
    {                                                                                              \
        "point", VECTOR("m"), MRN_AT(mrn_joint, point),                                            \
            .example = "[0, 0, 10 cm]",                                                            \
            .fallback = "the place of the second body, or of the first",                           \
            .doc = "Where it acts, at the start."                                                  \
    }
#define MOTOR(schema, say)                                                                         \
    {                                                                                              \
        "motor", schema, MRN_HERE, MRN_MARKS(mrn_joint, motor),                                    \
            .example = say, .fallback = "none",                                                    \
            .doc = "Keeps a speed as long as its strength suffices."                               \
    }
static const mrn_key turning_motor_keys[] = {
    {"speed", SIGNAL("rad/s", -INFINITY), MRN_AT(mrn_joint, speed), .required = true,
     .example = "2 rad/s", .doc = "Angular velocity of the second body relative to the first."},
    {"limit", ABOVE("N m", 0), MRN_AT(mrn_joint, limit), .usual = INFINITY, .example = "5 N m",
     .fallback = "whatever it takes", .doc = "Largest moment."},
    {0}};
static const mrn_key pushing_motor_keys[] = {
    {"speed", SIGNAL("m/s", -INFINITY), MRN_AT(mrn_joint, speed), .required = true,
     .example = "0.1 m/s",
     .doc = "Velocity of the second body relative to the first, along the axis."},
    {"limit", ABOVE("N", 0), MRN_AT(mrn_joint, limit), .usual = INFINITY, .example = "50 N",
     .fallback = "whatever it takes", .doc = "Largest force."},
    {0}};
static const mrn_schema turning_motor = {.kind = MRN_SCHEMA_MAP,
                                         .name = "motor of a hinge",
                                         .keys = turning_motor_keys,
                                         .doc = "A motor that turns a hinge."};
static const mrn_schema pushing_motor = {.kind = MRN_SCHEMA_MAP,
                                         .name = "motor of a slider",
                                         .keys = pushing_motor_keys,
                                         .doc = "A motor that pushes a slider."};
static const mrn_key fixed_keys[] = {BETWEEN_BODIES, OWN_POINT, {0}};
static const mrn_key hinge_keys[] = {BETWEEN_BODIES,
                                     POINT("A point of its axis, at the start."),
                                     {"axis", DIRECTION, MRN_AT(mrn_joint, axis),
                                      .example = "[0, 1, 0]", .fallback = "z in 2D",
                                      .doc = "The axis, at the start (3D)."},
                                     MOTOR(&turning_motor, "{speed: 2 rad/s, limit: 5 N m}"),
                                     {0}};
static const mrn_key ball_joint_keys[] = {
    BETWEEN_BODIES, POINT("The point about which the bodies turn, at the start."), {0}};
static const mrn_key slider_keys[] = {BETWEEN_BODIES,
                                      {"axis", DIRECTION, MRN_AT(mrn_joint, axis), .required = true,
                                       .example = "[0, 0, 1]",
                                       .doc = "Direction of sliding, at the start."},
                                      OWN_POINT,
                                      MOTOR(&pushing_motor, "{speed: 0.1 m/s, limit: 50 N}"),
                                      {0}};
static const mrn_key spring_keys[] = {
    BETWEEN_BODIES,
    {"from", VECTOR("m"), MRN_AT(mrn_joint, point), .required = true, .example = "[0, 0, 20 cm]",
     .doc = "Its end on the first body, at the start."},
    {"to", VECTOR("m"), MRN_AT(mrn_joint, point2), .required = true, .example = "[0, 0, 10 cm]",
     .doc = "Its end on the second body, at the start."},
    {"stiffness", QUANTITY("N/m", 0, INFINITY), MRN_AT(mrn_joint, stiffness), .example = "100 N/m",
     .doc = "Stiffness, solved implicitly: any value at any time step."},
    {"damping", QUANTITY("N s/m", 0, INFINITY), MRN_AT(mrn_joint, damping), .example = "1 N s/m",
     .doc = "Dashpot beside the spring."},
    {"rest", QUANTITY("m", 0, INFINITY), MRN_AT(mrn_joint, rest), .usual = NAN, .example = "8 cm",
     .fallback = "the distance at the start", .doc = "Length without force."},
    {0}};
#define JOINT(keyword, list, say, text)                                                            \
    {                                                                                              \
        keyword,                                                                                   \
            SCHEMA(.kind = MRN_SCHEMA_MAP, .name = keyword " joint", .keys = list, .doc = text),   \
            .group = 'k', .example = say, .doc = text                                              \
    }
static const mrn_key joint_keys[] = {
    {"name", NAME, .example = "arm", .fallback = "joint-1, joint-2, …",
     .doc = "To refer to the joint in messages and `--set`."},
    JOINT("fixed", fixed_keys, "{between: [lid, handle]}", "Two bodies that move as one."),
    JOINT("hinge", hinge_keys, "{between: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}",
          "Two bodies that turn about a common axis, with or without a motor."),
    JOINT("ball", ball_joint_keys, "{between: [ground, bob], point: [0, 0, 1 m]}",
          "Two bodies that turn about a common point (in 2D a hinge)."),
    JOINT("slider", slider_keys, "{between: [ground, piston], axis: [0, 0, 1]}",
          "Two bodies that slide along a common axis and do not turn, with or without a motor."),
    JOINT("spring", spring_keys,
          "{between: [ground, bob], from: [0, 0, 1 m], to: [0, 0, 0.5 m], stiffness: 100 N/m}",
          "A spring and dashpot between a point of one body and a point of the other."),
    {0}};
const mrn_schema mrn_schema_joint = {
    .kind = MRN_SCHEMA_MAP,
    .name = "joint",
    .keys = joint_keys,
    .one_of = "k",
    .doc = "What holds two bodies together (method nonsmooth). Points and axes are given as they "
           "are at the start and go with the bodies."};
const mrn_schema mrn_schema_joints = {
    .kind = MRN_SCHEMA_LIST, .item = &mrn_schema_joint, .at_most = 100000};

const mrn_key *mrn_joint_key(mrn_joint_kind kind)
{
    return kind >= MRN_JOINT_FIXED && kind < MRN_JOINT_KINDS ? &joint_keys[1 + kind] : NULL;
}

/* ---- degrees of freedom that are imposed ---- */

const mrn_schema mrn_schema_hold = {.kind = MRN_SCHEMA_LIST,
                                    .item = WORD("x", "y", "z", "rx", "ry", "rz"),
                                    .at_least = 1,
                                    .at_most = 6};

#define ALONG(n)                                                                                   \
    {                                                                                              \
        n, SIGNAL("m/s", -INFINITY), .example = "0.1 m/s", .doc = "Velocity along " n "."          \
    }
#define ABOUT(k, n)                                                                                \
    {                                                                                              \
        k, SIGNAL("rad/s", -INFINITY), .example = "30 rpm", .doc = "Angular velocity about " n "." \
    }
static const mrn_key drive_keys[] = {
    ALONG("x"), ALONG("y"), ALONG("z"), ABOUT("rx", "x"), ABOUT("ry", "y"), ABOUT("rz", "z"), {0}};
const mrn_schema mrn_schema_drive = {.kind = MRN_SCHEMA_MAP,
                                     .name = "drive",
                                     .keys = drive_keys,
                                     .at_least = 1,
                                     .doc = "Velocities that are imposed on grains, along and "
                                            "about the axes of space (method nonsmooth). "
                                            "Other degrees of freedom stay free."};
