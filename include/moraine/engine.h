/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scene to a moving world: making grains, finding neighbours, stepping, measuring. */
#ifndef MORAINE_ENGINE_H
#define MORAINE_ENGINE_H

#include "moraine/method.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- generators (generate/) ---- */

/* Makes walls and grains of a prepared scene in an empty state ({0}); opens cell and ledger. */
MRN_API mrn_status mrn_world_build(const mrn_scene *scene, mrn_state *s, mrn_message *msg);

/* ---- neighbour list and contacts (detect/) ---- */

/* True when some body has travelled so far that a contact could be missed. */
MRN_API bool mrn_pairs_stale(const mrn_scene *scene, const mrn_state *s);
/* Builds the list for the positions in `x_list` if `from_saved`, else for the positions now (which
   become x_list). Contacts in touch, and those that came from a checkpoint, keep their history; one
   that a checkpoint has and the list has not is an error. Sorts bodies in space when that pays.
 */
MRN_API mrn_status mrn_pairs_build(const mrn_scene *scene, mrn_state *s, bool from_saved,
                                   mrn_message *msg);
/* Contacts of an interaction (its index in the scene) begin anew: their history, whose meaning is
   that of the law they had, is dropped. For a stage that puts another law in its place; forces must
   be evaluated afterwards. A contact that only lived on by its law's range ends. */
MRN_API void mrn_pairs_forget(const mrn_scene *scene, mrn_state *s, int interaction);
/* The skin that suits a scene's grain sizes. */
MRN_API double mrn_pairs_default_skin(const mrn_state *s);
/* The contact network now (gap < alert), with the forces of the last step. */
MRN_API mrn_status mrn_contacts_collect(const mrn_scene *scene, const mrn_state *s, double alert,
                                        mrn_contacts *out, mrn_message *msg);

/* ---- smooth engine (smooth/) ---- */

typedef struct mrn_smooth mrn_smooth;
MRN_API mrn_step_limit mrn_smooth_step_limit(const mrn_scene *scene, const mrn_state *s);

/* Prepares stepping: neighbour list, first forces. Scene and state must outlive it. */
MRN_API mrn_status mrn_smooth_create(const mrn_scene *scene, mrn_state *s, mrn_smooth **out,
                                     mrn_message *msg);
MRN_API void mrn_smooth_destroy(mrn_smooth **e);
/* After a change of the scene between stages: forces are evaluated anew. */
MRN_API mrn_status mrn_smooth_refresh(mrn_smooth *e, mrn_message *msg);
/* The forces alone, with the list that there is: it must have been built for these positions. */
MRN_API mrn_status mrn_smooth_evaluate(mrn_smooth *e, mrn_message *msg);
/* n steps of s->h. MRN_EXPLODED, MRN_TOO_STIFF: outcome, with the message telling the grain; the
 * state is the bad one: go back to a copy or a checkpoint. MRN_ERR_MEMORY: call again, the step
 * begun is taken up. */
MRN_API mrn_status mrn_smooth_step(mrn_smooth *e, int64_t n, mrn_message *msg);
MRN_API mrn_step_times mrn_smooth_times(const mrn_smooth *e);

/* ---- non-smooth engine (nonsmooth/) ---- */

typedef struct mrn_nonsmooth mrn_nonsmooth;
/* Prepares stepping; scene and state must outlive it. */
MRN_API mrn_status mrn_nonsmooth_create(const mrn_scene *scene, mrn_state *s, mrn_nonsmooth **out,
                                        mrn_message *msg);
MRN_API void mrn_nonsmooth_destroy(mrn_nonsmooth **e);
/* After a change of the scene between stages. */
MRN_API mrn_status mrn_nonsmooth_refresh(mrn_nonsmooth *e, mrn_message *msg);
/* n steps of s->h. MRN_NOT_CONVERGED only where the scene says stop (the state is then the one
   before the step); MRN_EXPLODED as the smooth engine. How steps went: s->nonsmooth. */
MRN_API mrn_status mrn_nonsmooth_step(mrn_nonsmooth *e, int64_t n, mrn_message *msg);
MRN_API mrn_step_times mrn_nonsmooth_times(const mrn_nonsmooth *e);
/* The contact problem of the last step (H, M⁻¹, W where it was stored, q, friction …), valid until
   the next step; `r` (may be NULL) gets its impulses. NULL before the first step. */
MRN_API const mrn_problem *mrn_nonsmooth_problem(const mrn_nonsmooth *e, const double **r);
/* Where a problem goes that was not solved, at most `max` of them ("DIR/unsolved-STEP.hdf5"); NULL:
   nowhere. */
MRN_API void mrn_nonsmooth_keep_unsolved(mrn_nonsmooth *e, mrn_keep_problem *write, void *user,
                                         int max);
/* Bytes held by the engine (contacts, problem, solver). */
MRN_API size_t mrn_nonsmooth_bytes(const mrn_nonsmooth *e);
/* The step that suits: grains fall less than 1/1000 of the smallest radius in it from rest and go
   less than 1/20 at the speed to be expected. `reason` as in mrn_step_limit; `critical` is
   INFINITY. */
MRN_API mrn_step_limit mrn_nonsmooth_step_limit(const mrn_scene *scene, const mrn_state *s);

/* ---- quasi-static method (quasistatic/) ---- */

typedef struct mrn_quasistatic mrn_quasistatic;
/* Prepares increments: the grains are stopped, and where they are not in equilibrium the smooth
   engine moves them, under the load of now, until they are. MRN_ERR_INPUT: something in the scene
   has no meaning without time (walls that move as imposed, clusters, …); MRN_NOT_CONVERGED: no
   equilibrium was found. `stop` (may be NULL) ends such motion when it is set: MRN_INTERRUPTED, and
   the state is the one before. Scene and state must outlive it. */
MRN_API mrn_status mrn_quasistatic_create(const mrn_scene *scene, mrn_state *s,
                                          volatile const int *stop, mrn_quasistatic **out,
                                          mrn_message *msg);
MRN_API void mrn_quasistatic_destroy(mrn_quasistatic **e);
/* After a change of the scene between stages. */
MRN_API mrn_status mrn_quasistatic_refresh(mrn_quasistatic *e, mrn_message *msg);
/* n increments of the load: each takes the time, its parameter, on by s->h. Stresses and forces
   that the scene asks for are applied, strains imposed. MRN_NOT_CONVERGED: no equilibrium is near
   and the scene says stop (the state is the last equilibrium, the message tells the load);
   MRN_INTERRUPTED: stopped while dynamics looked for one (the state is the one before the
   increment); how increments went: s->quasistatic. */
MRN_API mrn_status mrn_quasistatic_step(mrn_quasistatic *e, int64_t n, mrn_message *msg);
MRN_API mrn_step_times mrn_quasistatic_times(const mrn_quasistatic *e);
/* The increment: the duration of the stage over the number asked for. */
MRN_API mrn_step_limit mrn_quasistatic_step_limit(const mrn_scene *scene, const mrn_state *s);

/* ---- the engine that a scene asks for: its method at work (engine/) ---- */

typedef struct mrn_engine {
    const mrn_method *method;
    const mrn_scene *scene;
    mrn_state *state;
    void *self;               /* the method's own; NULL: none                */
    mrn_step_times before;    /* of the methods that earlier stages had      */
    volatile const int *stop; /* as given                                    */
    /* Whoever advances it looks at the state but does not change it, and asks mrn_engine_look
       before looking at places and velocities of bodies, mrn_engine_sync before looking at more of
       their arrays and those of contacts: what works on a device then need not be copied after
       every advance. */
    bool lazy;
} mrn_engine;
/* `stop` as mrn_method.create has it. */
MRN_API mrn_status mrn_engine_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                                     mrn_engine *out, mrn_message *msg);
/* The head of the method's family instead: it gives a state as it stands its list and its forces,
   and moves nothing. */
MRN_API mrn_status mrn_engine_create_still(const mrn_scene *scene, mrn_state *s, mrn_engine *out,
                                           mrn_message *msg);
MRN_API void mrn_engine_destroy(mrn_engine *e);
/* After a change of the scene between stages; its method may be another one. */
MRN_API mrn_status mrn_engine_refresh(mrn_engine *e, mrn_message *msg);
/* As mrn_method.advance. */
MRN_API mrn_status mrn_engine_advance(mrn_engine *e, double until, int64_t max_steps,
                                      mrn_message *msg);
/* All of the state becomes that of now; nothing to do but after an advance of a lazy engine. */
MRN_API mrn_status mrn_engine_sync(mrn_engine *e, mrn_message *msg);
/* Places and velocities of bodies do. */
MRN_API mrn_status mrn_engine_look(mrn_engine *e, mrn_message *msg);
/* n steps of s->h. */
MRN_API mrn_status mrn_engine_step(mrn_engine *e, int64_t n, mrn_message *msg);
MRN_API mrn_step_times mrn_engine_times(const mrn_engine *e);
MRN_API mrn_step_limit mrn_engine_step_limit(const mrn_scene *scene, const mrn_state *s);
/* Bytes held beside the state; 0: not known. */
MRN_API size_t mrn_engine_bytes(const mrn_engine *e);
/* The contact problem of the last step, as mrn_method.problem; NULL also where the method solves
   none. */
MRN_API const mrn_problem *mrn_engine_problem(const mrn_engine *e, const double **r);
/* As mrn_method.keep_unsolved; nothing where the method solves no problems. */
MRN_API void mrn_engine_keep_unsolved(mrn_engine *e, mrn_keep_problem *write, void *user, int max);
/* The choices of the non-smooth engine in the words of the scene file. */
MRN_API const char *mrn_gap_rule_name(mrn_gap_rule f); /* "mixed", "velocity", "closing"        */
MRN_API const char *mrn_unsolved_name(mrn_unsolved u); /* "go-on", "halve", "switch", "stop"    */

/* ---- measures (measure/) ---- */

typedef struct mrn_energies {
    double kinetic, rotational, elastic, gravity; /* in the bodies now, J */
    double total;                                 /* their sum            */
    double dissipated;                            /* since the start      */
    double input;    /* work of walls, cell and drives since the start */
    double residual; /* total + dissipated - input - start: 0 if all is booked */
} mrn_energies;
MRN_API mrn_energies mrn_measure_energies(const mrn_scene *scene, const mrn_state *s);
/* Those of an engine's state, wherever its bodies stand. */
MRN_API mrn_status mrn_engine_energies(mrn_engine *e, mrn_energies *out, mrn_message *msg);
/* Opens the account: from here on the residual is 0 for an exact integration. */
MRN_API void mrn_ledger_open(const mrn_scene *scene, mrn_state *s);

/* Every probe (mrn_probe, method.h): those that all states have, then those that methods bring, in
   the order of methods. Besides them there are, for the things of a scene by their names:
   walls.NAME.force.x|y|z, .torque.x|y|z, .position.x|y|z, .pressure (servo walls only),
   groups.NAME.count|mean-x|mean-y|mean-z|mean-speed, outlets.NAME.count|mass,
   inlets.NAME.count|mass|debt (a group that enters), and for two groups mixing.A.B (Lacey),
   segregation.A.B (intensity) and separation.A.B (height of A's centre above B's); and
   deposit.x|y|z (mrn_deposit_of). */
MRN_API int mrn_probe_count(void);
MRN_API const mrn_probe *mrn_probe_at(int i);
/* The method that brings probe i; NULL: known under every method. */
MRN_API const mrn_method *mrn_probe_method(int i);
/* Checks a name without a state; msg suggests the closest. *unit (may be NULL) gets the unit. */
MRN_API mrn_status mrn_probe_check(const mrn_scene *scene, const char *name, const char **unit,
                                   mrn_message *msg);
/* NAN: not known (no such name, no grains to take it from, out of memory). */
MRN_API double mrn_probe_value(const mrn_scene *scene, const mrn_state *s, const char *name);
/* Many at once: what several of them need is measured once. */
MRN_API mrn_status mrn_probe_values(const mrn_scene *scene, const mrn_state *s, int n,
                                    char (*name)[128], double *value, mrn_message *msg);

/* Columns of probes.csv (engine/columns.c): a probe; PROBE.rate, its change from row to row per
   second (outlets.NAME.rate: of the mass); or a word for several: `usual`, `all`, `stress.*`. */
MRN_API mrn_status mrn_column_check(const mrn_scene *scene, const char *name, const char **unit,
                                    mrn_message *msg); /* unit of a rate: that of its probe */
MRN_API bool mrn_column_is_word(const char *name);
/* Whether it is a rate, and of which probe. */
MRN_API bool mrn_column_rate(const mrn_scene *scene, const char *name, char base[128]);
typedef void mrn_column_visit(const char *name, void *user);
MRN_API void mrn_column_each(const mrn_scene *scene, const char *name, mrn_column_visit *visit,
                             void *user);

#ifdef __cplusplus
}
#endif

#endif
