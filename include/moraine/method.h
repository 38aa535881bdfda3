/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods: ways to take a world through time, or through a load. A method is a folder of its own
   with a descriptor (name, what it can do, functions) and one line in methods.def; nothing
   else in the library knows its name. A run makes the engine that its scene asks for by
   mrn_engine_create (engine.h). */
#ifndef MORAINE_METHOD_H
#define MORAINE_METHOD_H

#include <string.h>

#include "moraine/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds spent so far per part of the step, and what was done in them. */
typedef struct mrn_step_times {
    double list, forces, bodies, walls;
    /* methods that solve systems: finding contact points, filling the problem, solving it */
    double contacts, assembly, solve;
    int64_t steps, body_steps;
    int64_t sweeps;         /* iterations of the solver    */
    int64_t contact_sweeps; /* contact updates, all steps  */
} mrn_step_times;

/* A part of the step that is timed: its key in summary.json and its name for people. */
typedef enum mrn_step_part {
    MRN_STEP_FORCES,
    MRN_STEP_CONTACTS,
    MRN_STEP_ASSEMBLY,
    MRN_STEP_SOLVE,
    MRN_STEP_LIST,
    MRN_STEP_BODIES,
    MRN_STEP_WALLS,
    MRN_STEP_PARTS
} mrn_step_part;
MRN_API const char *mrn_step_part_key(mrn_step_part p);  /* "neighbour-list" */
MRN_API const char *mrn_step_part_name(mrn_step_part p); /* "neighbour list" */
MRN_API double mrn_step_part_seconds(const mrn_step_times *t, mrn_step_part p);

/* How long a step may be with what is there now, and why. */
typedef struct mrn_step_limit {
    double critical; /* s, stability limit: impacts to be expected and every grain with all its
                        contacts as they are, springs and dashpots, turning included          */
    double rayleigh; /* s, shortest Rayleigh time; INFINITY when no grain has a Young's modulus */
    double contact_time; /* s, shortest impact at the speeds to be expected                       */
    double speed;        /* m/s, that speed                                                       */
    double advised;      /* s: the part of 2 sqrt(m/k) of the stiffest single contact that the
                            accuracy asks for, which resolves impacts; at most 0.7 of `critical`  */
    char reason[256];    /* of the advised step, one line for a person                            */
} mrn_step_limit;

/* Called with a contact problem that was not solved and its impulses so far. */
typedef mrn_status mrn_keep_problem(const mrn_problem *p, const double *r, const mrn_state *s,
                                    void *user, mrn_message *msg);

/* What a scene, or a command, may ask of a method and not every method has. */
typedef enum mrn_ability {
    MRN_CAN_JOINTS,            /* joints between bodies                                         */
    MRN_CAN_IMPOSE_DOFS,       /* degrees of freedom of grains held, or driven by signals       */
    MRN_CAN_CLUSTERS,          /* grains that are rigid clusters of spheres                     */
    MRN_CAN_POLYTOPES,         /* polygons and polyhedra                                        */
    MRN_CAN_SOURCES,           /* grains that come in and leave under way                       */
    MRN_CAN_MOVE_WALLS,        /* walls with a motion that is imposed; servos are for all       */
    MRN_CAN_DRIVE_CELL,        /* a periodic cell that strains, by rates or stresses            */
    MRN_CAN_LOCAL_DAMPING,     /* damping against the force on a grain                          */
    MRN_CAN_INTEGRATORS,       /* a choice of integrators                                       */
    MRN_CAN_RIGID_LAWS,        /* laws without stiffness, for rigid grains                      */
    MRN_CAN_NORMAL_HISTORY,    /* normal laws with a history                                    */
    MRN_CAN_FREE_HISTORY,      /* other laws with a history that a given force does not fix     */
    MRN_CAN_SERVOS,            /* walls that bear a load                                        */
    MRN_CAN_FORCES,            /* forces on bodies besides gravity                              */
    MRN_CAN_VARY_GRAVITY,      /* gravity that changes with time                                */
    MRN_CAN_DAMP,              /* damping of all motion                                         */
    MRN_CAN_SPEED_RESTITUTION, /* restitution that depends on the speed of each impact         */
    MRN_CAN_CONTACT_PROBLEMS,  /* a contact problem per step, which can be kept                 */
    MRN_CAN_FIX_CONTACTS,      /* stages in which no contact is made                            */
    MRN_ABILITIES
} mrn_ability;
/* The word for it: "joints". */
MRN_API const char *mrn_ability_name(mrn_ability a);

/* A named scalar of the state: table columns, `until:` conditions, probes.csv. */
typedef struct mrn_probe {
    const char *name, *unit, *doc;
} mrn_probe;
/* A probe that a method brings: known while the scene has that method, NAN under others. */
typedef struct mrn_method_probe {
    mrn_probe probe;
    double (*value)(const mrn_scene *scene, const mrn_state *s, int k);
    int k; /* which of several that one function gives */
} mrn_method_probe;

/* What a method reports of itself, item by item: values with a key, for files (a dot in it nests:
   "overlap.max"), and lines with a label, for people. */
typedef enum mrn_report_kind {
    MRN_REPORT_NUMBER, /* not finite: not known */
    MRN_REPORT_COUNT,
    MRN_REPORT_FLAG,
    MRN_REPORT_WORD,
    MRN_REPORT_LINE
} mrn_report_kind;
typedef struct mrn_report_item {
    mrn_report_kind kind;
    const char *key;  /* or the label of a line */
    double number;    /* number, count, flag    */
    const char *text; /* word, line             */
} mrn_report_item;
typedef struct mrn_report_sink {
    void (*put)(void *user, const mrn_report_item *item);
    void *user;
} mrn_report_sink;

/* How the solving of contact problems went so far, and how deep rigid grains overlap: what a run
   watches and a post-mortem asks for. */
typedef struct mrn_solving {
    double tolerance;         /* asked of the problem of a step                            */
    double solves, unsolved;  /* problems since the start; of them not to the tolerance    */
    double residual, worst;   /* of the last step, of all steps                            */
    double overlap, deepest;  /* m: largest overlap now, since the start                   */
    bool takes_out;           /* overlaps are taken out                                    */
    double taken_out;         /* J, work of that since the start                           */
    const char *cure;         /* of unsolved problems: the keys of the scene to look at    */
    const char *cure_overlap; /* of overlaps beside a shorter step; "": nothing            */
} mrn_solving;

/* A column of the console's table. */
typedef struct mrn_method_column {
    const char *head, *probe;
    const char *unit; /* "": a count; "1": a number */
    int width;
    bool (*shown)(const mrn_scene *scene); /* NULL: always */
} mrn_method_column;

struct mrn_method {
    const char *name; /* word of the scene key `method`                                     */
    const char *doc;  /* what it assumes, what it is for                                    */
    /* Methods of one family leave the same things in the state: a stage may change from one to
       another, and a run go on as another. NULL: it is the head of its family, which has forces for
       a state as it stands. */
    const struct mrn_method *family;
    const char *options; /* scene key of its choices; NULL: none                               */
    uint64_t can;        /* what may be asked of it: bits 1 << mrn_ability                     */
    bool rigid_contacts; /* laws count as they are to rigid grains (mrn_rigid): an overlap is an
                            error, not a deformation                                           */
    bool contact_points; /* contacts stand in state.touches, points with impulses, not in the list
                            with history                                                       */
    bool carries_servos; /* servo walls are bodies that it moves; else the drive moves them    */
    bool prompt;         /* a call asked to stop ends after the step it is in                  */
    bool physical_time;  /* time is that of motion; else a parameter of the load               */
    bool continuous;     /* it reaches any time that it is asked for: s->h is but the tick in which
                            the calendar of a run counts, and there are neither a list of
                            neighbours nor a network                                           */
    /* Steps of a stage between two looks at its end conditions and the ledger: few enough that a
       stage overshoots by a few contact times at most (a contact lasts 20 to 50 explicit steps),
       enough that measuring (a few sweeps over the grains) costs about a hundredth of the steps
       between. Fixed: where a stage ends must depend neither on output nor on the machine. */
    int check_every;
    /* Steps between two looks at the time step, a multiple of check_every. Looking costs up to some
       ten explicit steps of one thread, contacts stiffen slowly and the advised step leaves a
       factor of ten to the stability limit; a stage that begins looks earlier and more often too,
       for its drives may change the load at once. */
    int recheck_every;
    /* Grains that a thread must have for its share to outweigh waiting for the others. */
    int grains_per_thread;
    /* Probes of its own, by names that no other probe has. */
    const mrn_method_probe *probe;
    int n_probes;
    /* Columns of its own on the console, in place of balance and residual of the energies. */
    const mrn_method_column *column;
    int n_columns;
    unsigned parts; /* of its step that are timed: bits 1 << mrn_step_part */

    /* Whether it can work with its choices; after the laws of the scene are prepared. May be NULL.
     */
    mrn_status (*check)(const mrn_scene *scene, mrn_message *msg);
    /* Prepares stepping for a prepared scene and a state, which must both outlive it. A state with
       a neighbour list that fits is one that goes on (a checkpoint): nothing in it changes. `stop`
       (may be NULL) is set from outside to end what takes long: MRN_INTERRUPTED. */
    mrn_status (*create)(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg);
    void (*destroy)(void *self);
    /* After a change of the scene, between stages. */
    mrn_status (*refresh)(void *self, mrn_message *msg);
    /* Goes on to the time `until` (INFINITY: no matter when), but makes at most `max_steps` steps
       of s->h. Methods that step end on the step nearest to `until`. Outcomes above MRN_OK
       (MRN_EXPLODED, MRN_NOT_CONVERGED, MRN_INTERRUPTED, …) tell in the message what happened and
       what the state is. */
    mrn_status (*advance)(void *self, double until, int64_t max_steps, mrn_message *msg);
    /* Methods whose work stands elsewhere (on a device), else NULL: places and velocities of
       bodies, or all of the state, become those of now. `keep`: the state will be looked at, not
       changed, before the next advance. */
    mrn_status (*sync)(void *self, bool all, bool keep, mrn_message *msg);
    /* The same methods: kinetic, rotational and gravity's energy of the bodies where they stand;
     *known false: the state's arrays tell it. May be NULL: they always do. */
    mrn_status (*energies)(void *self, double sum[3], bool *known, mrn_message *msg);
    mrn_step_limit (*step_limit)(const mrn_scene *scene, const mrn_state *s);
    mrn_step_times (*times)(const void *self);
    /* Its choices in a phrase for the head of a run; may be NULL: nothing to say. */
    void (*headline)(const mrn_scene *scene, char *out, size_t size);
    /* Its choices, and how a trial of some steps went if there was one: lines of `moraine check`
       below the heading `choices_title`. May be NULL. */
    const char *choices_title;
    void (*choices)(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);
    /* How its steps went: values for its section of summary.json, lines for the end of a run.
       Called for every method; one that had no part in the run says nothing. May be NULL. */
    void (*report)(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);
    /* Bytes held beside the state; may be NULL: not known. */
    size_t (*bytes)(const void *self);
    /* Methods that solve contact problems, else NULL: that of the last step, valid until the next
       (NULL before the first), `r` gets its impulses; and where those go that are not solved, at
       most `max` of them. */
    const mrn_problem *(*problem)(const void *self, const double **r);
    void (*keep_unsolved)(void *self, mrn_keep_problem *write, void *user, int max);
    mrn_solving (*solving)(const mrn_scene *scene, const mrn_state *s);
    /* A program changed motions between two steps; may be NULL: nothing is remembered of them. */
    void (*disturbed)(mrn_state *s);
};

/* Every method there is (methods.def); the first is that of a scene that names none. */
MRN_API int mrn_method_count(void);
MRN_API const mrn_method *mrn_method_at(int i);
MRN_API const mrn_method *mrn_method_find(const char *name); /* NULL: none */
/* What it is in a line. */
MRN_API const char *mrn_method_summary(const mrn_method *m);

/* The method of a scene; the first where it names none. */
MRN_API const mrn_method *mrn_method_of(const mrn_scene *scene);

/* The head of its family. */
static inline const mrn_method *mrn_method_family(const mrn_method *m)
{
    return m->family != NULL ? m->family : m;
}
static inline bool mrn_method_can(const mrn_method *m, mrn_ability a)
{
    return (m->can >> a & 1) != 0;
}

/* The scene key `name` holds its choices. */
static inline bool mrn_method_has_options(const mrn_method *m, const char *name)
{
    return m != NULL && m->options != NULL && strcmp(m->options, name) == 0;
}

/* For methods: an item of a report. */
static inline void mrn_report_put(const mrn_report_sink *to, mrn_report_kind kind, const char *key,
                                  double v)
{
    const mrn_report_item item = {kind, key, v, ""};
    to->put(to->user, &item);
}
static inline void mrn_report_number(const mrn_report_sink *to, const char *key, double v)
{
    mrn_report_put(to, MRN_REPORT_NUMBER, key, v);
}
static inline void mrn_report_word(const mrn_report_sink *to, const char *key, const char *text)
{
    const mrn_report_item item = {MRN_REPORT_WORD, key, 0, text};
    to->put(to->user, &item);
}
MRN_API void mrn_report_line(const mrn_report_sink *to, const char *label, const char *fmt, ...)
    MRN_PRINTF(3, 4);

/* Properties of a scene's method; a scene that names none has elastic contacts. */
static inline bool mrn_rigid_contacts(const mrn_scene *scene)
{
    return scene->method != NULL && scene->method->rigid_contacts;
}
static inline bool mrn_contact_points(const mrn_scene *scene)
{
    return scene->method != NULL && scene->method->contact_points;
}
static inline bool mrn_physical_time(const mrn_scene *scene)
{
    return scene->method == NULL || scene->method->physical_time;
}

/* How the solving went; all 0 where the method solves no contact problems. */
static inline mrn_solving mrn_solving_of(const mrn_scene *scene, const mrn_state *s)
{
    if (scene->method != NULL && scene->method->solving != NULL)
        return scene->method->solving(scene, s);
    const mrn_solving none = {0, 0, 0, 0, 0, 0, 0, false, 0, "", ""};
    return none;
}

/* Whether a scene has the method from the start, or from one of its stages on. */
static inline bool mrn_method_is_used(const mrn_method *m, const mrn_scene *scene)
{
    bool used = scene->method == m;
    for (int k = 0; k < scene->n_stages && !used; k++)
        used = scene->stage[k].method == m;
    return used;
}

/* Steps of s->h from now to the one nearest to `until`, at most `max` and never below 0. */
static inline int64_t mrn_steps_until(const mrn_state *s, double until, int64_t max)
{
    double n = round((until - s->base_time) / s->h) - (double)(s->step - s->base_step);
    return !(n < (double)max) ? max : n > 0 ? (int64_t)n : 0;
}

#ifdef __cplusplus
}
#endif

#endif
