/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scene to a moving world: making grains, finding neighbours, stepping, measuring. */
#ifndef MORAINE_ENGINE_H
#define MORAINE_ENGINE_H

#include "moraine/state.h"

/* ---- generators (generate/) ---- */

/* Makes walls and grains of a prepared scene in an empty state ({0}); opens cell and ledger. */
MRN_API mrn_status mrn_world_build(const mrn_scene *scene, mrn_state *s, mrn_message *msg);

/* ---- neighbour list and contacts (detect/) ---- */

/* True when some body has travelled so far that a contact could be missed. */
MRN_API bool mrn_pairs_stale(const mrn_scene *scene, const mrn_state *s);
/* Builds the list for the positions in `x_list` if `from_saved`, else for the positions now (which
   become x_list). History of pairs in touch is carried over. Sorts bodies in space when that pays.
 */
MRN_API mrn_status mrn_pairs_build(const mrn_scene *scene, mrn_state *s, bool from_saved,
                                   mrn_message *msg);
/* Gives history back to the pairs of a list just built (from a checkpoint): n pairs by persistent
 * ids. */
MRN_API mrn_status mrn_pairs_restore(const mrn_scene *scene, mrn_state *s, int64_t n, int width,
                                     const int32_t *c, const int32_t *a, const int32_t *feature,
                                     const double *history, mrn_message *msg);
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
typedef struct mrn_step_times {
    double list, forces, bodies, walls; /* seconds spent so far per stage of the step */
    int64_t steps, body_steps;
} mrn_step_times;

/* How long a step may be with what is there now, and why. */
typedef struct mrn_step_limit {
    double critical; /* s, stability limit: impacts to be expected and every grain with all its
                        contacts as they are, springs and dashpots, turning included          */
    double rayleigh; /* s, shortest Rayleigh time; INFINITY when no grain has a Young's modulus */
    double contact_time; /* s, shortest impact at the speeds to be expected                       */
    double speed;        /* m/s, that speed                                                       */
    double advised;      /* s: time_step_fraction (0.05) of 2 sqrt(m/k) of the stiffest single
                            contact, which resolves impacts; at most 0.7 of `critical`            */
    char reason[256];    /* of the advised step, one line for a person                            */
} mrn_step_limit;
MRN_API mrn_step_limit mrn_smooth_step_limit(const mrn_scene *scene, const mrn_state *s);

/* Prepares stepping: neighbour list, first forces. Scene and state must outlive it. */
MRN_API mrn_status mrn_smooth_create(const mrn_scene *scene, mrn_state *s, mrn_smooth **out,
                                     mrn_message *msg);
MRN_API void mrn_smooth_destroy(mrn_smooth **e);
/* After a change of the scene between stages: forces are evaluated anew. */
MRN_API mrn_status mrn_smooth_refresh(mrn_smooth *e, mrn_message *msg);
/* n steps of s->h. MRN_EXPLODED, MRN_TOO_STIFF: outcome, with the message telling the grain; the
 * state is the bad one: go back to a copy or a checkpoint. MRN_ERR_MEMORY: call again, the step
 * begun is taken up. */
MRN_API mrn_status mrn_smooth_step(mrn_smooth *e, int64_t n, mrn_message *msg);
MRN_API mrn_step_times mrn_smooth_times(const mrn_smooth *e);

/* ---- measures (measure/) ---- */

typedef struct mrn_energies {
    double kinetic, rotational, elastic, gravity; /* in the bodies now, J */
    double total;                                 /* their sum            */
    double dissipated;                            /* since the start      */
    double input;    /* work of walls, cell and drives since the start */
    double residual; /* total + dissipated - input - start: 0 if all is booked */
} mrn_energies;
MRN_API mrn_energies mrn_measure_energies(const mrn_scene *scene, const mrn_state *s);
/* Opens the account: from here on the residual is 0 for an exact integration. */
MRN_API void mrn_ledger_open(const mrn_scene *scene, mrn_state *s);

/* A named scalar of the state: table columns, `until:` conditions, probes.csv. Besides those of
   mrn_probe_at there are, for the things of a scene by their names:
   walls.NAME.force.x|y|z, .torque.x|y|z, .position.x|y|z, .pressure (servo walls only),
   groups.NAME.count|mean-x|mean-y|mean-z|mean-speed, outlets.NAME.count|mass,
   inlets.NAME.count|mass|debt (a group that enters), and for two groups mixing.A.B (Lacey),
   segregation.A.B (intensity) and separation.A.B (height of A's centre above B's). */
typedef struct mrn_probe {
    const char *name, *unit, *doc;
} mrn_probe;
MRN_API int mrn_probe_count(void);
MRN_API const mrn_probe *mrn_probe_at(int i);
/* Checks a name without a state; msg suggests the closest. *unit (may be NULL) gets the unit. */
MRN_API mrn_status mrn_probe_check(const mrn_scene *scene, const char *name, const char **unit,
                                   mrn_message *msg);
/* NAN: not known (no such name, no grains to take it from, out of memory). */
MRN_API double mrn_probe_value(const mrn_scene *scene, const mrn_state *s, const char *name);
/* Many at once: what several of them need is measured once. */
MRN_API mrn_status mrn_probe_values(const mrn_scene *scene, const mrn_state *s, int n,
                                    char (*name)[128], double *value, mrn_message *msg);

#endif
