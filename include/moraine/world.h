/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world from C in a few lines: first a scene is filled by name, then a world is made of it that
   steps, takes in and gives away grains, and is read. docs/embedding.md tells it with an example.

       mrn_message msg = {0};
       mrn_scene s = mrn_scene_default();
       mrn_scene_add_material(&s, "glass", 2500, 70e6, 0.22, &msg);
       mrn_scene_add_law(&s, "glass", "glass", "hertz-mindlin", &msg);
       mrn_scene_set_law(&s, "glass", "glass", "restitution", 0.8, &msg);
       mrn_scene_set_law(&s, "glass", "glass", "friction", 0.5, &msg);
       mrn_world *w = NULL;
       mrn_world_create(&s, &w, &msg);
       mrn_body ball = mrn_world_add_sphere(w, 5e-3, mrn_v3(0, 0, 1), mrn_v3(0, 0, 0), &msg);
       mrn_world_advance(w, 0.4, &msg);

   Errors. Every function that takes a message returns MRN_OK or a status and fills the message. One
   whose message already holds an error (msg->status below 0) does nothing but return that status: a
   program may fill a whole scene and look at the message once. So a message begins as {0}; NULL is
   allowed, and then each status must be looked at. A name that is not there is MRN_ERR_INPUT with
   the names that are and the closest of them; a name given twice is refused. A call that fails
   changes nothing (steps and stages of a world: see there). All quantities are SI. */
#ifndef MORAINE_WORLD_H
#define MORAINE_WORLD_H

#include "moraine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- filling a scene (compose/) ----

   A scene is plain data (scene.h): what has no function here (seed, damping, output.every, …) is
   set where it stands. Things are named by text; indices are for those who want them, by
   mrn_scene_find_*. A def that owns memory (a motion, a force, a signal) is taken over by the
   scene: it is empty after the call, also when that failed, and needs no release. A def that is
   const is copied. */

/* "smooth", "nonsmooth", "quasistatic". */
MRN_API mrn_status mrn_scene_set_method(mrn_scene *s, const char *method, mrn_message *msg);

/* Young's modulus and Poisson's ratio may be NAN where no law asks for them. */
MRN_API mrn_status mrn_scene_add_material(mrn_scene *s, const char *name, double density,
                                          double young, double poisson, mrn_message *msg);

/* The law between two materials (any order, or one with itself): a named model such as "linear" or
   "hertz-mindlin", all parameters at their defaults; or a mixture made by mrn_law_mix. */
MRN_API mrn_status mrn_scene_add_law(mrn_scene *s, const char *a, const char *b, const char *model,
                                     mrn_message *msg);
MRN_API mrn_status mrn_scene_add_law_model(mrn_scene *s, const char *a, const char *b,
                                           const mrn_law_model *model, mrn_message *msg);
/* A parameter of that law: a number (a flag: 0 or 1; a choice: which of its words, from 0), or one
   of the words of a choice. */
MRN_API mrn_status mrn_scene_set_law(mrn_scene *s, const char *a, const char *b, const char *param,
                                     double value, mrn_message *msg);
MRN_API mrn_status mrn_scene_set_law_word(mrn_scene *s, const char *a, const char *b,
                                          const char *param, const char *word, mrn_message *msg);

/* A wall before it is built. The type is that of a shape ("plane", "box", "cylinder", "cone",
   "ball", "mesh"); what parameters it has stands in docs/reference and in mrn_shape_type.params. */
typedef struct mrn_wall_def {
    char type[MRN_NAME];
    char name[MRN_NAME];     /* "": made of the type, "plane-1"          */
    char material[MRN_NAME]; /* "": the first of the scene               */
    mrn_value value[MRN_PARAM_MAX];
} mrn_wall_def;
/* Defaults of a type. A type that is not there is stated when the def is used. */
MRN_API mrn_wall_def mrn_wall_default(const char *type);
MRN_API mrn_status mrn_wall_set(mrn_wall_def *w, const char *param, double value, mrn_message *msg);
MRN_API mrn_status mrn_wall_set_vector(mrn_wall_def *w, const char *param, mrn_vec3 value,
                                       mrn_message *msg);
MRN_API mrn_status mrn_wall_set_box(mrn_wall_def *w, const char *param, mrn_vec3 lo, mrn_vec3 hi,
                                    mrn_message *msg);
/* A word of a choice, or the path of a file. */
MRN_API mrn_status mrn_wall_set_word(mrn_wall_def *w, const char *param, const char *word,
                                     mrn_message *msg);
MRN_API mrn_status mrn_scene_add_wall(mrn_scene *s, const mrn_wall_def *w, mrn_message *msg);

/* How a wall moves. */
MRN_API mrn_motion mrn_motion_steady(mrn_vec3 velocity, mrn_vec3 spin);
MRN_API mrn_motion mrn_motion_shake(mrn_vec3 amplitude, double frequency, double phase);
/* Along a path of expressions ("5e-3*sin(2*pi*50*t)", m; NULL: none) from where it stands. */
MRN_API mrn_status mrn_motion_path(const char *x, const char *y, const char *z, mrn_motion *out,
                                   mrn_message *msg);
/* Until the grains bear a pressure (Pa on `area` m2; 0: on the section of the periodic cell) or a
   force (N): the target may change with time. It takes the signal. */
MRN_API mrn_motion mrn_motion_press(mrn_vec3 direction, mrn_signal *pressure, double area);
MRN_API mrn_motion mrn_motion_push(mrn_vec3 direction, mrn_signal *force);
MRN_API mrn_status mrn_scene_set_motion(mrn_scene *s, const char *wall, mrn_motion *motion,
                                        mrn_message *msg);

/* Sizes and regions in one line; other distributions: mrn_size in scene.h. */
MRN_API mrn_size mrn_size_constant(double radius);
MRN_API mrn_size mrn_size_uniform(double least, double most);
MRN_API mrn_region mrn_region_box(mrn_vec3 lo, mrn_vec3 hi);
MRN_API mrn_region mrn_region_cylinder(mrn_vec3 from, mrn_vec3 to, double radius);
MRN_API mrn_region mrn_region_sphere(mrn_vec3 centre, double radius); /* a disk in 2D */

/* Groups of grains to add: at random without overlaps; on a lattice (spacing 0: touching); at given
   places; none yet, for a world to add. Velocity, spin, `fixed` and the like may be set in the
   group before it is added; its name, material and shape are given then. Arrays are read, not
   kept. */
MRN_API mrn_group mrn_group_fill(mrn_region region, int64_t count, mrn_size size);
MRN_API mrn_group mrn_group_lattice(mrn_region region, mrn_lattice_kind kind, double spacing,
                                    mrn_size size);
MRN_API mrn_group mrn_group_list(int64_t n, mrn_grain *grain);
MRN_API mrn_group mrn_group_empty(void);
/* `shape`: NULL: spheres, disks in 2D; else "sphere", "disk", or the name of a cluster, a polygon
   or a polyhedron of the scene. */
MRN_API mrn_status mrn_scene_add_grains(mrn_scene *s, const char *name, const char *material,
                                        const char *shape, const mrn_group *g, mrn_message *msg);
/* Shapes for them, under their own names; taken over. */
MRN_API mrn_status mrn_scene_add_cluster(mrn_scene *s, mrn_cluster *c, mrn_message *msg);
MRN_API mrn_status mrn_scene_add_polytope(mrn_scene *s, mrn_polytope *p, mrn_message *msg);

/* What acts from outside. */
MRN_API mrn_status mrn_scene_set_gravity(mrn_scene *s, mrn_vec3 g, mrn_message *msg);
/* One component (axis 0, 1, 2) as a signal of time. */
MRN_API mrn_status mrn_scene_set_gravity_signal(mrn_scene *s, int axis, mrn_signal *g,
                                                mrn_message *msg);
/* On every grain of a group (NULL: of all). Fields force, torque and per_mass of `f` count. */
MRN_API mrn_status mrn_scene_add_force(mrn_scene *s, const char *name, const char *group,
                                       mrn_body_force *f, mrn_message *msg);
/* Grains of a group (NULL: of all) vanish inside the region, or outside of it. */
MRN_API mrn_status mrn_scene_add_outlet(mrn_scene *s, const char *name, const char *group,
                                        mrn_region region, bool outside, mrn_message *msg);
/* The cell repeats along an axis (0, 1, 2) … */
MRN_API mrn_status mrn_scene_set_period(mrn_scene *s, int axis, double origin, double size,
                                        mrn_message *msg);
/* … and strains: component "xx", "yy", "zz", "xy", "xz" or "yz" at a rate (1/s) or under a stress
   (Pa). */
MRN_API mrn_status mrn_scene_control_cell(mrn_scene *s, const char *component,
                                          mrn_control_kind kind, mrn_signal *target,
                                          mrn_message *msg);

/* Stages of a run (mrn_run), or of a world (mrn_world_enter). `at_most`: s; INFINITY: no limit. */
MRN_API mrn_status mrn_scene_add_stage(mrn_scene *s, const char *name, double at_most,
                                       mrn_message *msg);
/* It ends when this probe is above (below) a value; of several conditions, when all hold. */
MRN_API mrn_status mrn_stage_until(mrn_scene *s, const char *stage, const char *probe, bool above,
                                   double value, mrn_message *msg);
MRN_API mrn_status mrn_stage_set_gravity(mrn_scene *s, const char *stage, mrn_vec3 g,
                                         mrn_message *msg);
MRN_API mrn_status mrn_stage_set_motion(mrn_scene *s, const char *stage, const char *wall,
                                        mrn_motion *motion, mrn_message *msg);
/* Degrees of freedom of a group that are imposed from then on, in place of those before; taken
   over. */
MRN_API mrn_status mrn_stage_set_imposed(mrn_scene *s, const char *stage, const char *group,
                                         mrn_imposed *imposed, mrn_message *msg);
MRN_API mrn_status mrn_stage_remove_wall(mrn_scene *s, const char *stage, const char *wall,
                                         mrn_message *msg);
/* A parameter of the law that is in force then. */
MRN_API mrn_status mrn_stage_set_law(mrn_scene *s, const char *stage, const char *a, const char *b,
                                     const char *param, double value, mrn_message *msg);

/* One more column of probes.csv. */
MRN_API mrn_status mrn_scene_add_probe(mrn_scene *s, const char *probe, mrn_message *msg);

/* ---- a world (run/world.c) ----

   Owns a copy of its scene, a state and an engine. Worlds know nothing of each other: several may
   step at the same time, each in a thread of its own; one world is used by one thread at a time.
   Inside, steps use mrn_threads() threads, and results do not depend on how many.

   How long what is read stays valid. A handle (mrn_body) names its body until that is removed, and
   is noticed then. A pointer into the arrays of mrn_world_state, and the place of a body in them,
   hold while mrn_world_revision gives the same number: adding and removing bodies moves arrays, and
   a step may sort them. Values change with every step, places do not unless the revision does. The
   scene and the state themselves stay where they are until mrn_world_destroy. */
typedef struct mrn_world mrn_world;

/* The world of a scene at its start: checked, grains placed, time step chosen (scene.time_step if
   above 0), first stage entered if there is one. The scene may be changed or destroyed afterwards.
   MRN_TOO_STIFF: the step given cannot work. On failure *out is NULL. */
MRN_API mrn_status mrn_world_create(const mrn_scene *scene, mrn_world **out, mrn_message *msg);
MRN_API void mrn_world_destroy(mrn_world **w);

/* n steps. Outcomes as of mrn_engine_step; a step that was not given is shortened when contacts
   become stiffer, MRN_TOO_STIFF: one that was given has become too long. */
MRN_API mrn_status mrn_world_step(mrn_world *w, int64_t n, mrn_message *msg);
/* Steps until the one nearest to `time` (s since the start). */
MRN_API mrn_status mrn_world_advance(mrn_world *w, double time, mrn_message *msg);
/* Begins a stage of the scene, with what it changes. Worlds do not go from stage to stage by
   themselves: mrn_run does. After a failure the stage may have been begun in part: such a world
   must not step on. */
MRN_API mrn_status mrn_world_enter(mrn_world *w, const char *stage, mrn_message *msg);

/* Adds a grain of a group (NULL: the first), of its shape and material; the null handle when that
   failed. A radius that is not above 0, or a place that is not finite: MRN_ERR_RANGE. */
MRN_API mrn_body mrn_world_add(mrn_world *w, const char *group, const mrn_grain *g,
                               mrn_message *msg);
/* The same for a sphere (disk) of the first group of such; a world without any has one of its own,
   of the first material, named "added". */
MRN_API mrn_body mrn_world_add_sphere(mrn_world *w, double radius, mrn_vec3 x, mrn_vec3 v,
                                      mrn_message *msg);
/* MRN_ERR_STALE: it is gone already. Energy that comes and goes with grains is booked as work of
   drives. */
MRN_API mrn_status mrn_world_remove(mrn_world *w, mrn_body b, mrn_message *msg);

/* What it is now. Of a body that is not there: NAN. */
MRN_API bool mrn_world_has(const mrn_world *w, mrn_body b);
MRN_API mrn_vec3 mrn_world_position(const mrn_world *w, mrn_body b);
MRN_API mrn_vec3 mrn_world_velocity(const mrn_world *w, mrn_body b);
MRN_API mrn_vec3 mrn_world_spin(const mrn_world *w, mrn_body b);
MRN_API mrn_quat mrn_world_orientation(const mrn_world *w, mrn_body b);
/* Gives a body another velocity and spin; what that costs is work of drives. */
MRN_API mrn_status mrn_world_set_velocity(mrn_world *w, mrn_body b, mrn_vec3 v, mrn_vec3 spin,
                                          mrn_message *msg);
MRN_API double mrn_world_time(const mrn_world *w);
MRN_API int64_t mrn_world_grains(const mrn_world *w); /* a cluster is one */
MRN_API mrn_energies mrn_world_energies(const mrn_world *w);
/* Any probe by name ("coordination", "walls.floor.force.z"); NAN: not known. */
MRN_API double mrn_world_probe(const mrn_world *w, const char *name);
MRN_API const mrn_scene *mrn_world_scene(const mrn_world *w);
MRN_API const mrn_state *mrn_world_state(const mrn_world *w);
/* Grows whenever places or pointers held before are no longer valid. */
MRN_API int64_t mrn_world_revision(const mrn_world *w);

/* A picture of it as it is (PNG); others: mrn_frame_from_state and draw.h. */
MRN_API mrn_status mrn_world_draw(const mrn_world *w, const char *png, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
