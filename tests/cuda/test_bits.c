/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps on a device have the bits of those on the processor, for all that the state holds: every
   law, wall and drive that a device has. Here the device is emulated, so that its items, lists and
   books are tested where there is no GPU; with MRN_TEST_DEVICE=cuda it is a true one, and with
   MRN_TEST_STEPS=10000 the comparison is as long as one likes. */
/* ctest-labels: slow */
/* ctest-timeout: 120 */
#include "bits.h"
#include "clusters.h"
#include "laws/tangent.h"
#include "world.h"

typedef struct law_part {
    mrn_law_kind kind;
    const char *name;
} law_part;

typedef struct param {
    const char *name;
    double value;
} param;

typedef enum place {
    FLOOR,
    DRUM,
    FLAT,
    BOX,
    OPEN_BOX,
    HOPPER,
    BOWL,
    SHAKEN,
    OBSTACLES,
    LEANING
} place;

typedef struct scene_def {
    const char *name;
    place place;
    law_part part[5];
    param param[12];
    bool second; /* a second material */
    bool fixed;  /* some grains do not move */
    bool pulled; /* forces on bodies, damping, global and local */
    bool mixed;  /* the second material has dashpots */
    bool rocked; /* gravity changes with time */
    bool euler;  /* by Euler's rule */
    bool rigid;  /* every other grain is a cluster */
} scene_def;

#define HERTZ_MINDLIN                                                                              \
    {MRN_LAW_NORMAL, "tsuji"},                                                                     \
    {                                                                                              \
        MRN_LAW_TANGENTIAL, "mindlin"                                                              \
    }
#define LINEAR                                                                                     \
    {MRN_LAW_NORMAL, "linear"},                                                                    \
    {                                                                                              \
        MRN_LAW_TANGENTIAL, "linear-friction"                                                      \
    }

#define BRIDGE                                                                                     \
    {"surface-tension", 0.07}, {"liquid-volume", 1e-11}, {"liquid-viscosity", 0.05},               \
    {                                                                                              \
        "contact-angle", 0.3                                                                       \
    }

static const scene_def scenes[] = {
    {.name = "hertz-mindlin on a floor, periodic",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.5}}},
    {.name = "linear in a drum that turns",
     .place = DRUM,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}}},
    {.name = "linear disks in the plane, periodic",
     .place = FLAT,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e5}, {"restitution", 0.6}, {"friction", 0.5}}},
    {.name = "viscoelastic in a box",
     .place = BOX,
     .part = {{MRN_LAW_NORMAL, "viscoelastic"}, {MRN_LAW_TANGENTIAL, "mindlin"}},
     .param = {{"relaxation-time", 1e-5}, {"friction", 0.4}}},
    {.name = "walton-braun, rolling and twisting, in a hopper",
     .place = HOPPER,
     .part = {{MRN_LAW_NORMAL, "walton-braun"},
              {MRN_LAW_ROLLING, "constant-torque"},
              {MRN_LAW_TWISTING, "constant"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.7},
               {"rolling-friction", 0.1},
               {"twisting-friction", 0.05}}},
    {.name = "zheng in a bowl",
     .place = BOWL,
     .part = {{MRN_LAW_NORMAL, "zheng"}, {MRN_LAW_TANGENTIAL, "zheng"}},
     .param = {{"eta1-over-young", 1e-6}, {"friction", 0.4}}},
    {.name = "dmt on a shaken floor with fixed grains",
     .place = SHAKEN,
     .part = {HERTZ_MINDLIN, {MRN_LAW_COHESION, "dmt"}},
     .param = {{"restitution", 0.6}, {"friction", 0.5}, {"surface-energy", 0.05}},
     .fixed = true},
    {.name = "two materials, elastic-plastic rolling and twisting, in an open box",
     .place = OPEN_BOX,
     .part = {LINEAR, {MRN_LAW_ROLLING, "elastic-plastic"}, {MRN_LAW_TWISTING, "elastic-plastic"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.5},
               {"rolling-friction", 0.1},
               {"rolling-stiffness-ratio", 0.3},
               {"rolling-damping", 0.3},
               {"twisting-friction", 0.1},
               {"twisting-stiffness-ratio", 0.3},
               {"twisting-damping", 0.3}},
     .second = true},
    {.name = "linear cohesion, viscous rolling, over a rod and a block",
     .place = OBSTACLES,
     .part = {LINEAR, {MRN_LAW_ROLLING, "viscous-torque"}, {MRN_LAW_COHESION, "linear"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.5},
               {"rolling-viscosity", 1},
               {"cohesion-energy-density", 1e4}}},
    {.name = "zheng with the rolling torque of its viscosities",
     .place = FLOOR,
     .part = {{MRN_LAW_NORMAL, "zheng"},
              {MRN_LAW_TANGENTIAL, "zheng"},
              {MRN_LAW_ROLLING, "viscoelastic"}},
     .param = {{"eta1", 50}, {"eta2", 25}, {"friction", 0.5}}},
    {.name = "elastic-viscous in a leaning cell",
     .place = LEANING,
     .part = {{MRN_LAW_NORMAL, "elastic-viscous"}, {MRN_LAW_TANGENTIAL, "linear-friction"}},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.8}, {"friction", 0.3}}},
    {.name = "hertz with simple micro-slip on a floor, periodic",
     .place = FLOOR,
     .part = {{MRN_LAW_NORMAL, "tsuji"}, {MRN_LAW_TANGENTIAL, "micro-slip-simple"}},
     .param = {{"restitution", 0.6}, {"friction", 0.5}}},
    {.name = "hertz-mindlin, pulled and damped, some fixed, on a floor",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.5}},
     .fixed = true,
     .pulled = true},
    {.name = "linear disks, pulled and damped, in the plane",
     .place = FLAT,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e5}, {"restitution", 0.6}, {"friction", 0.5}},
     .pulled = true},
    {.name = "elastic, no dashpot, in a drum that turns",
     .place = DRUM,
     .part = {{MRN_LAW_NORMAL, "elastic"}, {MRN_LAW_TANGENTIAL, "linear-friction"}},
     .param = {{"normal-stiffness", 2e3}, {"friction", 0.5}}},
    {.name = "hertz and mindlin, no dashpot, some fixed, on a shaken floor",
     .place = SHAKEN,
     .part = {{MRN_LAW_NORMAL, "hertz"}, {MRN_LAW_TANGENTIAL, "mindlin"}},
     .param = {{"friction", 0.5}},
     .fixed = true},
    {.name = "linear that is reset, in an open box",
     .place = OPEN_BOX,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.2},
               {"slip-rule", MRN_SLIP_RESET}}},
    {.name = "linear that is reset in whole, disks in the plane",
     .place = FLAT,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e5},
               {"restitution", 0.6},
               {"friction", 0.2},
               {"slip-rule", MRN_SLIP_RESET_TOTAL}}},
    {.name = "mindlin that is reset, on a floor, periodic",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.2}, {"slip-rule", MRN_SLIP_RESET}}},
    {.name = "mindlin that is reset in whole, two materials, in a leaning cell",
     .place = LEANING,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.2}, {"slip-rule", MRN_SLIP_RESET_TOTAL}},
     .second = true},
    {.name = "rolling and twisting without a dashpot, in a box",
     .place = BOX,
     .part = {LINEAR, {MRN_LAW_ROLLING, "elastic-plastic"}, {MRN_LAW_TWISTING, "elastic-plastic"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.5},
               {"rolling-friction", 0.1},
               {"rolling-stiffness-ratio", 0.3},
               {"rolling-damping", 0},
               {"twisting-friction", 0.1},
               {"twisting-stiffness-ratio", 0.3},
               {"twisting-damping", 0}}},
    {.name = "two materials, one of them without a dashpot, over a rod and a block",
     .place = OBSTACLES,
     .part = {HERTZ_MINDLIN, {MRN_LAW_ROLLING, "elastic-plastic"}},
     .param = {{"restitution", 0.6},
               {"friction", 0.5},
               {"damping-ratio", 0},
               {"rolling-friction", 0.1},
               {"rolling-damping", 0.3}},
     .second = true,
     .mixed = true},
    {.name = "micro-slip on a floor, periodic",
     .place = FLOOR,
     .part = {{MRN_LAW_NORMAL, "tsuji"}, {MRN_LAW_TANGENTIAL, "micro-slip"}},
     .param = {{"restitution", 0.6}, {"friction", 0.5}}},
    {.name = "micro-slip, rolling and twisting, no dashpot, in a bowl",
     .place = BOWL,
     .part = {{MRN_LAW_NORMAL, "hertz"},
              {MRN_LAW_TANGENTIAL, "micro-slip"},
              {MRN_LAW_ROLLING, "elastic-plastic"},
              {MRN_LAW_TWISTING, "elastic-plastic"}},
     .param = {{"friction", 0.3},
               {"rolling-friction", 0.1},
               {"rolling-damping", 0},
               {"twisting-friction", 0.1},
               {"twisting-damping", 0}}},
    {.name = "simple micro-slip, no dashpot, in a hopper",
     .place = HOPPER,
     .part = {{MRN_LAW_NORMAL, "hertz"}, {MRN_LAW_TANGENTIAL, "micro-slip-simple"}},
     .param = {{"friction", 0.5}}},
    {.name = "jkr on a shaken floor with fixed grains",
     .place = SHAKEN,
     .part = {HERTZ_MINDLIN, {MRN_LAW_COHESION, "jkr"}},
     .param = {{"restitution", 0.6}, {"friction", 0.5}, {"surface-energy", 5}},
     .fixed = true},
    {.name = "jkr, two materials, no dashpot, in an open box",
     .place = OPEN_BOX,
     .part = {{MRN_LAW_NORMAL, "hertz"},
              {MRN_LAW_TANGENTIAL, "mindlin"},
              {MRN_LAW_COHESION, "jkr"}},
     .param = {{"friction", 0.5}, {"surface-energy", 5}},
     .second = true},
    {.name = "liquid bridges in a box",
     .place = BOX,
     .part = {LINEAR, {MRN_LAW_COHESION, "liquid-bridge"}},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}, BRIDGE}},
    {.name = "liquid bridges, reset, rolling, over a rod and a block",
     .place = OBSTACLES,
     .part = {LINEAR, {MRN_LAW_ROLLING, "elastic-plastic"}, {MRN_LAW_COHESION, "liquid-bridge"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.2},
               {"slip-rule", MRN_SLIP_RESET},
               {"rolling-friction", 0.1},
               {"rolling-damping", 0},
               BRIDGE}},
    {.name = "gravity that changes, periodic, some fixed, on a floor",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.5}},
     .fixed = true,
     .rocked = true},
    {.name = "gravity that changes, bridges, pulled and damped, in a leaning cell",
     .place = LEANING,
     .part = {LINEAR, {MRN_LAW_COHESION, "liquid-bridge"}},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}, BRIDGE},
     .pulled = true,
     .rocked = true},
    {.name = "by Euler's rule, linear, in a drum that turns",
     .place = DRUM,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}},
     .euler = true},
    {.name = "by Euler's rule, no dashpot, damped, gravity that changes, in the plane",
     .place = FLAT,
     .part = {{MRN_LAW_NORMAL, "elastic"}, {MRN_LAW_TANGENTIAL, "linear-friction"}},
     .param = {{"normal-stiffness", 2e5}, {"friction", 0.5}},
     .pulled = true,
     .rocked = true,
     .euler = true},
    {.name = "clusters, hertz-mindlin on a floor, periodic",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.5}},
     .rigid = true},
    {.name = "clusters, linear in a drum that turns",
     .place = DRUM,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}},
     .rigid = true},
    {.name = "clusters of disks, linear in the plane, periodic, pulled and damped",
     .place = FLAT,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e5}, {"restitution", 0.6}, {"friction", 0.5}},
     .pulled = true,
     .rigid = true},
    {.name = "clusters, viscoelastic in a leaning cell",
     .place = LEANING,
     .part = {{MRN_LAW_NORMAL, "viscoelastic"}, {MRN_LAW_TANGENTIAL, "mindlin"}},
     .param = {{"relaxation-time", 1e-5}, {"friction", 0.4}},
     .rigid = true},
    {.name = "clusters, walton-braun, rolling and twisting, in a hopper",
     .place = HOPPER,
     .part = {{MRN_LAW_NORMAL, "walton-braun"},
              {MRN_LAW_ROLLING, "constant-torque"},
              {MRN_LAW_TWISTING, "constant"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.7},
               {"rolling-friction", 0.1},
               {"twisting-friction", 0.05}},
     .rigid = true},
    {.name = "clusters, dmt, some fixed, two materials, on a shaken floor",
     .place = SHAKEN,
     .part = {HERTZ_MINDLIN, {MRN_LAW_COHESION, "dmt"}},
     .param = {{"restitution", 0.6}, {"friction", 0.5}, {"surface-energy", 0.05}},
     .second = true,
     .fixed = true,
     .rigid = true},
    {.name = "clusters, zheng, pulled and damped, some fixed, over a rod and a block",
     .place = OBSTACLES,
     .part = {{MRN_LAW_NORMAL, "zheng"}, {MRN_LAW_TANGENTIAL, "zheng"}},
     .param = {{"eta1-over-young", 1e-6}, {"friction", 0.4}},
     .fixed = true,
     .pulled = true,
     .rigid = true},
    {.name = "clusters, elastic, no dashpot, some fixed, in a drum that turns",
     .place = DRUM,
     .part = {{MRN_LAW_NORMAL, "elastic"}, {MRN_LAW_TANGENTIAL, "linear-friction"}},
     .param = {{"normal-stiffness", 2e3}, {"friction", 0.5}},
     .fixed = true,
     .rigid = true},
    {.name = "clusters, micro-slip, rolling and twisting, no dashpot, in a leaning cell",
     .place = LEANING,
     .part = {{MRN_LAW_NORMAL, "hertz"},
              {MRN_LAW_TANGENTIAL, "micro-slip"},
              {MRN_LAW_ROLLING, "elastic-plastic"},
              {MRN_LAW_TWISTING, "elastic-plastic"}},
     .param = {{"friction", 0.3},
               {"rolling-friction", 0.1},
               {"rolling-damping", 0},
               {"twisting-friction", 0.1},
               {"twisting-damping", 0}},
     .rigid = true},
    {.name = "clusters, jkr, no dashpot, two materials, in an open box",
     .place = OPEN_BOX,
     .part = {{MRN_LAW_NORMAL, "hertz"},
              {MRN_LAW_TANGENTIAL, "mindlin"},
              {MRN_LAW_COHESION, "jkr"}},
     .param = {{"friction", 0.5}, {"surface-energy", 5}},
     .second = true,
     .rigid = true},
    {.name = "clusters, liquid bridges, in a bowl",
     .place = BOWL,
     .part = {LINEAR, {MRN_LAW_COHESION, "liquid-bridge"}},
     .param = {{"normal-stiffness", 2e3},
               {"restitution", 0.6},
               {"friction", 0.5},
               {"surface-tension", 0.02},
               {"liquid-volume", 1e-12},
               {"liquid-viscosity", 0.001},
               {"contact-angle", 0.3}},
     .rigid = true},
    {.name = "clusters, gravity that changes, some fixed, pulled, periodic on a floor",
     .place = FLOOR,
     .part = {HERTZ_MINDLIN},
     .param = {{"restitution", 0.6}, {"friction", 0.5}},
     .fixed = true,
     .pulled = true,
     .rocked = true,
     .rigid = true},
    {.name = "clusters by Euler's rule, linear in a box",
     .place = BOX,
     .part = {LINEAR},
     .param = {{"normal-stiffness", 2e3}, {"restitution", 0.6}, {"friction", 0.5}},
     .euler = true,
     .rigid = true},
    {.name = "clusters by Euler's rule, no dashpot, damped, gravity that changes, in the plane",
     .place = FLAT,
     .part = {{MRN_LAW_NORMAL, "elastic"}, {MRN_LAW_TANGENTIAL, "linear-friction"}},
     .param = {{"normal-stiffness", 2e5}, {"friction", 0.5}},
     .fixed = true,
     .pulled = true,
     .rocked = true,
     .euler = true,
     .rigid = true},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- worlds ---- */

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static mrn_wall_def wall_of(const char *shape)
{
    return mrn_wall_default(shape);
}

static void moves(world *w, const char *name, mrn_motion m)
{
    ok(mrn_scene_set_motion(&w->scene, name, &m, &w->msg), &w->msg);
}

static void add_drum(world *w, double box)
{
    mrn_wall_def drum = wall_of("cylinder");
    mrn_wall_set_vector(&drum, "from", mrn_v3(-0.1 * box, 0.5 * box, 0.5 * box), &w->msg);
    mrn_wall_set_vector(&drum, "to", mrn_v3(1.1 * box, 0.5 * box, 0.5 * box), &w->msg);
    mrn_wall_set(&drum, "radius", 0.75 * box, &w->msg);
    world_wall(w, &drum);
    moves(w, "cylinder-1", mrn_motion_steady(mrn_v3(0, 0, 0), mrn_v3(20, 0, 0)));
}

static void add_box(world *w, double box, bool open)
{
    mrn_wall_def wall = wall_of("box");
    double room = 0.02 * box;
    mrn_wall_set_box(&wall, "corners", mrn_v3(-room, -room, -room),
                     mrn_v3(box + room, box + room, box + room), &w->msg);
    if (open)
        mrn_wall_set_word(&wall, "open", "top", &w->msg);
    world_wall(w, &wall);
}

static void add_hopper(world *w, double box)
{
    mrn_wall_def cone = wall_of("cone"), plate = wall_of("plane");
    mrn_wall_set_vector(&cone, "from", mrn_v3(0.5 * box, 0.5 * box, -0.6 * box), &w->msg);
    mrn_wall_set_vector(&cone, "to", mrn_v3(0.5 * box, 0.5 * box, 1.5 * box), &w->msg);
    mrn_wall_set(&cone, "from-radius", 0.3 * box, &w->msg);
    mrn_wall_set(&cone, "to-radius", 1.6 * box, &w->msg);
    world_wall(w, &cone);
    mrn_wall_set_vector(&plate, "point", mrn_v3(0.5 * box, 0.5 * box, -0.1 * box), &w->msg);
    mrn_wall_set_vector(&plate, "normal", mrn_v3(0.1, 0, 1), &w->msg);
    mrn_wall_set(&plate, "length", box, &w->msg);
    world_wall(w, &plate);
}

static void add_bowl(world *w, double box)
{
    mrn_wall_def ball = wall_of("ball");
    mrn_wall_set_vector(&ball, "centre", mrn_v3(0.5 * box, 0.5 * box, 0.5 * box), &w->msg);
    mrn_wall_set(&ball, "radius", 0.88 * box, &w->msg);
    world_wall(w, &ball);
}

static void add_obstacles(world *w, double box)
{
    mrn_wall_def rod = wall_of("cylinder"), block = wall_of("box"), tube = wall_of("cylinder");
    mrn_wall_set_vector(&rod, "from", mrn_v3(0.2 * box, 0.3 * box, -0.5 * box), &w->msg);
    mrn_wall_set_vector(&rod, "to", mrn_v3(0.8 * box, 0.3 * box, -0.2 * box), &w->msg);
    mrn_wall_set(&rod, "radius", 0.15 * box, &w->msg);
    mrn_wall_set(&rod, "inside", 0, &w->msg);
    mrn_wall_set_box(&block, "corners", mrn_v3(0.1 * box, 0.6 * box, -0.4 * box),
                     mrn_v3(0.9 * box, 0.8 * box, -0.04 * box), &w->msg);
    mrn_wall_set(&block, "inside", 0, &w->msg);
    mrn_wall_set_vector(&tube, "from", mrn_v3(0.5 * box, 0.5 * box, -box), &w->msg);
    mrn_wall_set_vector(&tube, "to", mrn_v3(0.5 * box, 0.5 * box, 0.9 * box), &w->msg);
    mrn_wall_set(&tube, "radius", 0.74 * box, &w->msg);
    mrn_wall_set_word(&tube, "open", "both", &w->msg);
    world_wall(w, &rod);
    world_wall(w, &block);
    world_wall(w, &tube);
    world_plane(w, mrn_v3(0, 0, -0.6 * box), mrn_v3(0, 0, 1));
}

static void add_walls(world *w, place p, double box)
{
    double start = 0.85e-3; /* cells begin so near the first grains that some cross at once */
    switch (p) {
    case DRUM:
        add_drum(w, box);
        break;
    case FLAT:
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 1, 0));
        world_periodic(w, 0, start, box);
        break;
    case BOX:
    case OPEN_BOX:
        add_box(w, box, p == OPEN_BOX);
        break;
    case HOPPER:
        add_hopper(w, box);
        break;
    case BOWL:
        add_bowl(w, box);
        break;
    case OBSTACLES:
        add_obstacles(w, box);
        break;
    case LEANING:
        for (int k = 0; k < 3; k++)
            world_periodic(w, k, start, box);
        w->state.cell_tilt[0] = 0.3 * box, w->state.cell_tilt[1] = -0.1 * box;
        w->state.cell_tilt[2] = 0.2 * box;
        break;
    default:
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        if (p == SHAKEN)
            moves(w, "plane-1", mrn_motion_shake(mrn_v3(0, 0, 2e-4), 200, 0));
        world_periodic(w, 0, start, box), world_periodic(w, 1, start, box);
    }
}

/* A second group with a force and a torque that change with time, wind for all, and damping. */
static void add_forces(world *w, bool flat)
{
    mrn_group none = mrn_group_empty();
    mrn_body_force push = {.per_mass = false}, wind = {.per_mass = true};
    ok(mrn_scene_add_grains(&w->scene, "more", "stuff", flat ? NULL : "sphere", &none, &w->msg),
       &w->msg);
    ok(mrn_signal_expression("2e-5*sin(3000*t)", &push.force[0], &w->msg), &w->msg);
    ok(mrn_signal_expression("1e-8*cos(2000*t)", &push.torque[2], &w->msg), &w->msg);
    wind.force[1] = mrn_signal_constant(-3);
    ok(mrn_scene_add_force(&w->scene, "push", "more", &push, &w->msg), &w->msg);
    ok(mrn_scene_add_force(&w->scene, "wind", NULL, &wind, &w->msg), &w->msg);
    w->scene.damping.global = 5, w->scene.damping.local = 0.2;
}

/* Gravity that swings and grows. */
static void rock(world *w)
{
    mrn_signal x, y;
    ok(mrn_signal_expression("5*sin(4000*t)", &x, &w->msg), &w->msg);
    ok(mrn_signal_expression("-9.81-3e3*t", &y, &w->msg), &w->msg);
    ok(mrn_scene_set_gravity_signal(&w->scene, 0, &x, &w->msg), &w->msg);
    ok(mrn_scene_set_gravity_signal(&w->scene, 1, &y, &w->msg), &w->msg);
}

static void make(world *w, const scene_def *d)
{
    bool flat = d->place == FLAT;
    int side = flat ? 20 : 7, n = flat ? side * side : side * side * side;
    double a = 1.9e-3, box = side * a;
    const mrn_law *of[MRN_LAW_KINDS] = {0};
    mrn_law_model model;
    memset(w, 0, sizeof *w);
    for (int k = 0; k < 5 && d->part[k].name != NULL; k++) {
        of[d->part[k].kind] = mrn_law_find(d->part[k].kind, d->part[k].name);
        assert_non_null(of[d->part[k].kind]);
    }
    ok(mrn_law_mix(of, &model, &w->msg), &w->msg);
    w->scene = mrn_scene_default();
    w->scene.dimension = flat ? 2 : 3;
    ok(mrn_scene_add_material(&w->scene, "stuff", 2500, 1e7, 0.25, &w->msg), &w->msg);
    ok(mrn_scene_add_law_model(&w->scene, "stuff", "stuff", &model, &w->msg), &w->msg);
    for (int k = 0; k < 12 && d->param[k].name != NULL; k++)
        world_law(w, d->param[k].name, d->param[k].value);
    mrn_group none = mrn_group_empty();
    ok(mrn_scene_add_grains(&w->scene, "grains", "stuff", flat ? NULL : "sphere", &none, &w->msg),
       &w->msg);
    if (d->second)
        world_second_material(w, 4000, 2e7, 0.3);
    if (d->mixed)
        ok(mrn_scene_set_law(&w->scene, "other", "other", "damping-ratio", 1, &w->msg), &w->msg);
    if (d->euler)
        w->scene.integrator = MRN_EULER;
    w->scene.gravity = flat ? mrn_v3(1, -9.81, 0) : mrn_v3(1, 0, d->place == LEANING ? 0 : -9.81);
    if (d->rocked)
        rock(w);
    if (d->pulled)
        add_forces(w, flat);
    add_walls(w, d->place, box);
    if (d->rigid)
        clusters_forms(w);
    mrn_rng rng = mrn_rng_seed(4, 0);
    for (int k = 0; k < n; k++) {
        mrn_vec3 x = {(k % side + 0.5) * a, (k / side % side + 0.5) * a,
                      flat ? 0 : (k / side / side + 0.5) * a};
        mrn_vec3 v = {uniform(&rng, -0.5, 0.5), uniform(&rng, -0.5, 0.5),
                      flat ? 0 : uniform(&rng, -0.5, 0.5)};
        mrn_vec3 spin = mrn_scale(200, flat ? mrn_v3(0, 0, v.x) : v);
        bool still = d->fixed && k < side * side && k % 3 == 0;
        if (d->rigid && k % 2 == 1) {
            clusters_add(w, k / 2 % 2, 0.95e-3 * uniform(&rng, 0.8, 1), x,
                         still ? mrn_v3(0, 0, 0) : v, still ? mrn_v3(0, 0, 0) : spin,
                         d->second && k % 4 == 1, still ? MRN_BODY_FIXED : 0);
            continue;
        }
        world_grain(w, 1e-3 * uniform(&rng, 0.8, 1), x, still ? mrn_v3(0, 0, 0) : v,
                    still ? mrn_v3(0, 0, 0) : spin);
        size_t at = (size_t)w->state.body.n - 1;
        if (d->second && k % 2 == 0)
            w->state.body.material[at] = 1;
        if (d->pulled && k % 2 == 0)
            w->state.body.group[at] = 1;
        if (still)
            w->state.body.flags[at] |= MRN_BODY_FIXED;
    }
}

/* ---- bits ---- */

enum { STEP_NS = 5000 };

static void start(world *w, mrn_device device, mrn_engine *e)
{
    w->scene.device = device;
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    for (int k = 0; k < 3; k++) {
        w->state.cell_origin[k] = w->scene.cell.origin[k];
        w->state.cell_size[k] = w->scene.cell.size[k];
    }
    w->state.h = 1e-9 * STEP_NS;
    ok(mrn_engine_create(&w->scene, &w->state, NULL, e, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

static void begin(world *w, const scene_def *d, mrn_device device, mrn_engine *e)
{
    make(w, d);
    start(w, device, e);
}

static uint64_t run(const scene_def *d, mrn_device device, int64_t steps, int64_t call,
                    int64_t *builds, int64_t *contacts)
{
    world w;
    mrn_engine e;
    begin(&w, d, device, &e);
    for (int64_t k = 0; k < steps; k += call)
        ok(mrn_engine_step(&e, call < steps - k ? call : steps - k, &w.msg), &w.msg);
    *builds = w.state.pair.builds;
    *contacts = w.state.contacts;
    uint64_t h = bits_of(&w.state);
    mrn_engine_destroy(&e);
    world_end(&w);
    return h;
}

static void same_bits(void **state)
{
    (void)state;
    int64_t steps = bits_steps(300), builds, contacts;
    int bad = 0;
    for (int k = 0; k < SCENES; k++) {
        if (!bits_mine(k))
            continue;
        uint64_t cpu = run(&scenes[k], MRN_DEVICE_CPU, steps, steps, &builds, &contacts);
        uint64_t gpu = run(&scenes[k], bits_device(), steps, steps, &builds, &contacts);
        printf("%-68s %016llx %016llx %s, %lld contacts, %lld lists\n", scenes[k].name,
               (unsigned long long)cpu, (unsigned long long)gpu, cpu == gpu ? "same" : "DIFFERENT",
               (long long)contacts, (long long)builds);
        assert_true(builds > 1);
        assert_true(contacts > 10 || steps != 300); /* later at rest, or apart; few before */
        bad += cpu != gpu;
    }
    assert_int_equal(bad, 0);
}

/* ---- nothing of the table in docs/cuda.md is left out ---- */

static bool wall_is(const world *w, const char *type, int inside)
{
    for (int k = 0; k < w->scene.n_walls; k++) {
        const mrn_shape *s = &w->scene.shape[w->scene.wall[k].shape];
        if (strcmp(s->type->name, type) == 0 && (inside < 0 || s->inside == (inside != 0)))
            return true;
    }
    return false;
}

static bool moves_by(const world *w, mrn_motion_kind kind)
{
    bool any = false;
    for (int k = 0; k < w->scene.n_walls; k++)
        any |= w->scene.wall[k].motion.kind == kind;
    return any;
}

static bool keeps(const world *w, mrn_law_kind kind, const char *law)
{
    bool any = false;
    for (int k = 0; k < w->scene.n_interactions; k++) {
        const mrn_prepared *p = &w->scene.interaction[k].ready;
        any |= p->whole[kind] && strcmp(p->part[kind]->name, law) == 0;
    }
    return any;
}

/* Contacts of the state that have lost touch and live on: with walls, or between grains. */
static bool lives_on(const world *w, bool walls)
{
    mrn_contacts c = {0};
    mrn_message msg = {0};
    bool any = false;
    ok(mrn_contacts_collect(&w->scene, &w->state, 0, &c, &msg), &msg);
    for (int64_t k = 0; k < c.n; k++)
        any |= c.gap[k] > 0 && (c.a[k] < w->state.body.n_walls) == walls;
    mrn_contacts_destroy(&c);
    return any;
}

#define WALL(name, type, inside)                                                                   \
    static bool name(const world *w)                                                               \
    {                                                                                              \
        return wall_is(w, type, inside);                                                           \
    }
WALL(has_plane, "plane", -1)
WALL(has_box, "box", 1)
WALL(has_block, "box", 0)
WALL(has_tube, "cylinder", 1)
WALL(has_rod, "cylinder", 0)
WALL(has_cone, "cone", -1)
WALL(has_bowl, "ball", 1)
#undef WALL

static bool holds(const world *w, unsigned kind)
{
    bool any = false;
    for (int32_t i = w->state.body.n_walls; i < w->state.body.n; i++)
        any |= (w->state.body.flags[i] & kind) != 0 && (w->state.body.flags[i] & MRN_BODY_FIXED);
    return any;
}

#define SAYS(name, what)                                                                           \
    static bool name(const world *w)                                                               \
    {                                                                                              \
        return what;                                                                               \
    }
SAYS(turns, moves_by(w, MRN_MOTION_STEADY))
SAYS(shakes, moves_by(w, MRN_MOTION_SHAKE))
SAYS(is_periodic, w->scene.cell.periodic[0] && w->state.cell_tilt[0] == 0)
SAYS(leans, w->state.cell_tilt[0] != 0)
SAYS(is_flat, w->scene.dimension == 2)
SAYS(is_pulled, w->scene.n_forces > 0)
SAYS(is_damped, w->scene.damping.global > 0 && w->scene.damping.local > 0)
SAYS(is_rocked, w->scene.gravity_of[0].kind != MRN_SIGNAL_CONSTANT)
SAYS(by_euler, w->scene.integrator == MRN_EULER)
SAYS(has_two, w->scene.n_materials > 1)
SAYS(has_clusters, w->scene.n_clusters > 0)
SAYS(holds_clusters, holds(w, MRN_BODY_CLUSTER))
SAYS(keeps_linear, keeps(w, MRN_LAW_TANGENTIAL, "linear-friction"))
SAYS(keeps_mindlin, keeps(w, MRN_LAW_TANGENTIAL, "mindlin"))
SAYS(keeps_rings, keeps(w, MRN_LAW_TANGENTIAL, "micro-slip"))
SAYS(keeps_simple, keeps(w, MRN_LAW_TANGENTIAL, "micro-slip-simple"))
SAYS(keeps_rolling, keeps(w, MRN_LAW_ROLLING, "elastic-plastic"))
SAYS(keeps_twisting, keeps(w, MRN_LAW_TWISTING, "elastic-plastic"))
SAYS(grains_live_on, lives_on(w, false))
SAYS(walls_live_on, lives_on(w, true))
#undef SAYS

static const struct {
    const char *what;
    bool (*is)(const world *w);
} table[] = {{"plane or plate", has_plane},
             {"box from inside", has_box},
             {"box from outside", has_block},
             {"cylinder from inside", has_tube},
             {"cylinder from outside", has_rod},
             {"cone", has_cone},
             {"ball", has_bowl},
             {"wall that turns", turns},
             {"wall that shakes", shakes},
             {"periodic cell", is_periodic},
             {"leaning cell", leans},
             {"disks in the plane", is_flat},
             {"forces on bodies", is_pulled},
             {"damping", is_damped},
             {"gravity that changes", is_rocked},
             {"Euler's rule", by_euler},
             {"two materials", has_two},
             {"clusters", has_clusters},
             {"clusters that are fixed", holds_clusters},
             {"linear-friction without a dashpot or reset", keeps_linear},
             {"mindlin without a dashpot or reset", keeps_mindlin},
             {"micro-slip without a dashpot", keeps_rings},
             {"micro-slip-simple without a dashpot", keeps_simple},
             {"rolling without a dashpot", keeps_rolling},
             {"twisting without a dashpot", keeps_twisting},
             {"contacts of grains that live on", grains_live_on},
             {"contacts with walls that live on", walls_live_on}};
enum { ROWS = sizeof table / sizeof *table };

/* Every law that is not for rigid grains, and every row of the table, in some scene. Inlets and
   outlets: test_run.c. */
static void nothing_is_left_out(void **state)
{
    (void)state;
    int found[ROWS] = {0}, of_law[64] = {0};
    for (int k = 0; k < SCENES; k++) {
        world w;
        mrn_engine e;
        begin(&w, &scenes[k], MRN_DEVICE_CPU, &e);
        ok(mrn_engine_step(&e, 300, &w.msg), &w.msg);
        for (int r = 0; r < ROWS; r++)
            found[r] += table[r].is(&w);
        for (int l = 0; l < mrn_law_count(); l++)
            for (int p = 0; p < MRN_LAW_KINDS; p++)
                of_law[l] += w.scene.interaction[0].ready.part[p] == mrn_law_at(l);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
    for (int r = 0; r < ROWS; r++)
        if (found[r] == 0)
            fail_msg("no scene has: %s", table[r].what);
    for (int l = 0; l < mrn_law_count(); l++)
        if (of_law[l] == 0 && !mrn_law_at(l)->rigid_only)
            fail_msg("no scene has the %s law '%s'", mrn_law_kind_name(mrn_law_at(l)->kind),
                     mrn_law_at(l)->name);
}

/* Calls of any length; the state goes back and forth between them. */
static void calls_of_any_length(void **state)
{
    (void)state;
    int64_t builds, contacts;
    const int some[] = {0, 1, 2, SCENES - 14, SCENES - 6, SCENES - 1};
    for (int n = 0; n < 6; n++) {
        const int k = some[n];
        uint64_t whole = run(&scenes[k], MRN_DEVICE_CPU, 240, 240, &builds, &contacts);
        for (int64_t call = 1; call < 240; call += 6 + 3 * call)
            assert_true(run(&scenes[k], bits_device(), 240, call, &builds, &contacts) == whole);
    }
}

/* A run that changes between processor and device, by copies of the state, stays the same. */
static void back_and_forth(void **state)
{
    (void)state;
    int64_t builds, contacts;
    for (int k = 7; k < SCENES; k += 3) {
        const scene_def *d = &scenes[k];
        uint64_t whole = run(d, MRN_DEVICE_CPU, 240, 240, &builds, &contacts);
        world w;
        mrn_engine e;
        begin(&w, d, MRN_DEVICE_CPU, &e);
        for (int part = 0; part < 4; part++) {
            mrn_engine_destroy(&e);
            w.scene.device = part % 2 ? MRN_DEVICE_CPU : bits_device();
            ok(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg), &w.msg);
            ok(mrn_engine_step(&e, 60, &w.msg), &w.msg);
        }
        assert_true(bits_of(&w.state) == whole);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
}

/* Worlds that are stepped in turns, and each by a thread of its own, do not disturb each other. */
static void side_by_side(void **state)
{
    (void)state;
    enum { WORLDS = 4 };
    int64_t builds, contacts;
    uint64_t whole[WORLDS];
    world w[WORLDS];
    mrn_engine e[WORLDS];
    mrn_status st[WORLDS];
    for (int k = 0; k < WORLDS; k++) {
        whole[k] = run(&scenes[2 * k], MRN_DEVICE_CPU, 240, 240, &builds, &contacts);
        begin(&w[k], &scenes[2 * k], bits_device(), &e[k]);
    }
    for (int part = 0; part < 4; part++)
        for (int k = 0; k < WORLDS; k++)
            ok(mrn_engine_step(&e[k], 30, &w[k].msg), &w[k].msg);
#pragma omp parallel for num_threads(WORLDS) schedule(static, 1)
    for (int k = 0; k < WORLDS; k++)
        st[k] = mrn_engine_step(&e[k], 120, &w[k].msg);
    for (int k = 0; k < WORLDS; k++) {
        ok(st[k], &w[k].msg);
        assert_true(bits_of(&w[k].state) == whole[k]);
        mrn_engine_destroy(&e[k]);
        world_end(&w[k]);
    }
}

/* A cluster that turns on the spot comes to what no list had: its spheres go where its centre does
   not. It stands around `at`. */
static void turn_on_the_spot(double at)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        world w;
        mrn_engine e;
        cluster_world(&w, 3, 2, bell_centre, bell_radius);
        const double *c = w.scene.cluster[0].centre, r = 1e-3, unit = 0.5 * r * fabs(c[3] - c[0]);
        const mrn_vec3 none = {0, 0, 0}, x = {at, at - 1.35 * unit, at};
        cluster_add(&w, r, x, none, mrn_v3(0, 0, 300), mrn_quat_identity());
        mrn_body other = cluster_add(&w, r, mrn_add(x, mrn_v3(0, 2.7 * unit, 0)), none, none,
                                     mrn_quat_identity());
        start(&w, k ? bits_device() : MRN_DEVICE_CPU, &e);
        ok(mrn_engine_step(&e, 100, &w.msg), &w.msg);
        assert_true(mrn_norm(world_v(&w, other)) == 0);
        ok(mrn_engine_step(&e, 1100, &w.msg), &w.msg);
        assert_true(mrn_norm(world_v(&w, other)) > 0);
        hash[k] = bits_of(&w.state);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
    assert_true(hash[0] == hash[1]);
}

static void turning_on_the_spot(void **state)
{
    (void)state;
    turn_on_the_spot(0);
}

/* Partners that single precision takes for eight diameters apart: it tells their places to 2^-7 m
   there, and where they touch is half-way between two of these. */
static void far_from_the_origin(void **state)
{
    (void)state;
    turn_on_the_spot(65536 + 0x1p-8);
}

/* A grain shot into the others: both end at the same step with the same words and state. */
static void explosions(void **state)
{
    (void)state;
    uint64_t hash[2];
    char text[2][4096];
    for (int k = 0; k < 2; k++) {
        world w;
        mrn_engine e;
        begin(&w, &scenes[0], k ? bits_device() : MRN_DEVICE_CPU, &e);
        ok(mrn_engine_step(&e, 40, &w.msg), &w.msg);
        w.state.body.v[3 * (size_t)w.state.body.index_of[20]] = 60;
        assert_true(mrn_engine_step(&e, 400, &w.msg) == MRN_EXPLODED);
        mrn_message_format(&w.msg, text[k], sizeof text[k]);
        hash[k] = bits_of(&w.state);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
    assert_string_equal(text[0], text[1]);
    assert_true(hash[0] == hash[1]);
}

/* A force that is no number from 0.5 ms on: both stop before that step, with the same words. */
static void drives_out_of_bounds(void **state)
{
    (void)state;
    char text[2][4096];
    for (int k = 0; k < 2; k++) {
        world w;
        mrn_engine e;
        make(&w, &scenes[0]);
        mrn_body_force push = {.per_mass = false};
        ok(mrn_signal_expression("1e-6*sqrt(5.02e-4-t)", &push.force[0], &w.msg), &w.msg);
        ok(mrn_scene_add_force(&w.scene, "push", NULL, &push, &w.msg), &w.msg);
        start(&w, k ? bits_device() : MRN_DEVICE_CPU, &e);
        mrn_status st = mrn_engine_step(&e, 400, &w.msg);
        assert_true(st != MRN_OK);
        assert_int_equal(w.state.step, 100);
        mrn_message_format(&w.msg, text[k], sizeof text[k]);
        mrn_engine_destroy(&e);
        world_end(&w);
    }
    assert_string_equal(text[0], text[1]);
}

/* What a device has not is refused in words. */
static void refusals(void **state)
{
    (void)state;
    world w;
    mrn_engine e = {0};
    make(&w, &scenes[0]);
    w.scene.device = MRN_DEVICE_EMULATED;
    w.scene.integrator = MRN_GEAR;
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    for (int c = 0; c < 3; c++)
        w.state.cell_size[c] = w.scene.cell.size[c];
    w.state.h = 1e-9 * STEP_NS;
    assert_true(mrn_engine_create(&w.scene, &w.state, NULL, &e, &w.msg) == MRN_ERR_INPUT);
    char text[4096];
    mrn_message_format(&w.msg, text, sizeof text);
    assert_non_null(strstr(text, "device"));
    mrn_engine_destroy(&e);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(nothing_is_left_out),
        cmocka_unit_test(calls_of_any_length),
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(turning_on_the_spot),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(explosions),
        cmocka_unit_test(drives_out_of_bounds),
        cmocka_unit_test(refusals),
    };
    bits_parted();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
