/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state: all that changes. Arrays are listed in fields.def and stand here under their names.
   Bodies 0 … n_walls-1 are the walls, in the order of the scene; grains follow, sorted in space now
   and then. A body's place in memory may change at any step: hold a handle, or compare `id`. */
#ifndef MORAINE_STATE_H
#define MORAINE_STATE_H

#include "moraine/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t mrn_int64;
typedef int32_t mrn_int32;
typedef uint16_t mrn_uint16;
typedef uint8_t mrn_uint8;
typedef double mrn_double;

enum {
    MRN_BODY_WALL = 1,      /* a wall: moved by its motion only                  */
    MRN_BODY_FIXED = 2,     /* a grain that does not move                        */
    MRN_BODY_ABSENT = 4,    /* a wall taken away by a stage: touches nothing     */
    MRN_BODY_MEMBER = 8,    /* a sphere of a cluster: carried by it, its forces go to it      */
    MRN_BODY_CLUSTER = 16,  /* a cluster: has mass and motion, touches nothing itself; its
                               members (bodies with `parent` = its id) do               */
    MRN_BODY_POLYTOPE = 32, /* a polygon or polyhedron: `part` is its polytope in the scene   */
    MRN_BODY_ASLEEP = 64,   /* at rest and left out until disturbed (non-smooth engine)   */
};

typedef struct mrn_bodies {
    int32_t n, capacity;
    int32_t n_walls;
#define MRN_BODY_FIELD(type, name, width, unit, saved, doc) mrn_##type *name;
#include "moraine/fields.def"
    /* handles: place and generation of each persistent number */
    int32_t n_ids, ids_capacity;
    int32_t *index_of; /* -1: removed */
    uint32_t *generation;
    bool with_derivs;   /* fields that only some integrators need are there */
    int32_t first_free; /* every number below this is in use: where the search for a free one begins
                         */
    int64_t changes;    /* how often bodies were added, removed or permuted */
    int64_t revision;   /* grows whenever an array may have moved or a body changed its place: a
                           pointer or an index taken before holds no longer, handles do */
} mrn_bodies;

/* Candidate pairs: the neighbour list, the broad phase and nothing else. Pairs of grains first, row
   by row (row[i] … row[i+1] are those that grain i owns as C); then pairs grain-wall, row by row
   likewise (wall_row), one for each feature of a wall that is near. `back` lists for each grain the
   pairs where it is A. What happens between two bodies stands in the contact network. */
typedef struct mrn_pairs {
    int64_t n, n_grain, capacity; /* all; grain-grain; room                                  */
    int32_t rows;                 /* bodies when built                                       */
    int64_t changes;              /* of the bodies when built, see mrn_pairs_current         */
    int32_t *row, *wall_row;      /* rows + 1: pair indices; wall_row starts at n_grain      */
    int32_t *back_row;            /* rows + 1                                                */
    int32_t *back;                /* n_grain: pair indices                                   */
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc) mrn_##type *name;
#include "moraine/fields.def"
    int32_t *ids;         /* rows: persistent ids when built, so that removals are understood */
    uint32_t *generation; /* rows: their generations: a number used again is another body   */
    int32_t *feature;     /* of the wall; grain-wall pairs only, index p - n_grain   */
    double skin;          /* m: list holds pairs with gap < skin + the largest range of a law */
    int64_t builds;       /* how often it was built; 0: never                        */
    int64_t built_at;     /* step of the last build                                  */
    double wall_travel;   /* m: how far walls may have moved since (bound)           */
    double cell_list[6];  /* m: cell_size and cell_tilt when built                  */
} mrn_pairs;

enum {
    MRN_CONTACT_ALIVE = 1, /* in touch, or apart and still within the range of its law: its history
                              goes on                                                        */
};

/* The contact network: one structure of arrays (fields.def) for every method, measure, file and
   picture. Columns that are not used are NULL: `columns` has a bit for each that is there,
   MRN_COLUMN(name).

   The state's network is what the engine works on. The smooth engine has a slot for each candidate
   pair of the neighbour list, in its order: contacts between grains first (`first` of them), and
   the columns in `tail` (points on walls) are there for the contacts after these alone: that of
   contact k stands at k - first. The non-smooth engine has the contact points of its last step, in
   the order in which they were solved. A snapshot (mrn_contacts_collect) has the contacts in touch
   of either, side by side and with their geometry. */
typedef struct mrn_contacts {
    int64_t n, capacity;
    uint32_t columns, tail;           /* bits: which columns are there; begin at `first`        */
    int64_t first;                    /* contacts without the columns in `tail`; 0: all have them */
    int history_width, impulse_width; /* numbers per contact in these columns                 */
#define MRN_CONTACT_FIELD(type, name, width, unit, saved, stage, doc) mrn_##type *name;
#include "moraine/fields.def"
} mrn_contacts;

enum {
#define MRN_CONTACT_FIELD(type, name, width, unit, saved, stage, doc) MRN_COLUMN_NUMBER_##name,
#include "moraine/fields.def"
    MRN_CONTACT_COLUMNS
};
#define MRN_COLUMN(name) (UINT32_C(1) << MRN_COLUMN_NUMBER_##name)

static inline bool mrn_contact_alive(const mrn_contacts *c, int64_t k)
{
    return (c->flags[k] & MRN_CONTACT_ALIVE) != 0;
}

/* The point of contact k, 3 numbers; of slots between grains there is none. */
static inline double *mrn_contacts_point(const mrn_contacts *c, int64_t k)
{
    return c->point + 3 * (c->tail & MRN_COLUMN(point) ? k - c->first : k);
}

/* What bodies and joints remember in the non-smooth engine. */
#define MRN_CYCLE_STEPS 10000 /* of a cycle at most: what they bore is all in memory */
typedef struct mrn_nonsmooth_memory {
    double *joint; /* of joints: impulses, then offsets; n_joint numbers */
    int64_t n_joint;
    uint16_t *rest_steps; /* per persistent number: steps at rest */
    int32_t n_rest_steps;
    int32_t n_cycle;     /* steps of a cycle of the load; 0: none is known                */
    mrn_contacts *cycle; /* what contacts bore in the last n_cycle steps: step k at k % n_cycle */
} mrn_nonsmooth_memory;

/* How the steps of the non-smooth engine went; all doubles, saved as they stand. */
typedef struct mrn_nonsmooth_report {
    double solves;           /* contact problems solved since the start                        */
    double unsolved;         /* of them not to the tolerance                                   */
    double halved, switched; /* how often the step was halved, the solver changed            */
    double sweeps;           /* iterations since the start                                     */
    double last_sweeps, last_residual; /* of the last step: iterations, natural map       */
    double last_mean, last_max;        /* violations of the last step                     */
    double worst_residual; /* of all steps                                                   */
    double overlap_max, overlap_mean; /* m, now: largest, mean over contacts that touch  */
    double overlap_ever; /* m, largest since the start                                     */
    double last_h;       /* s, length of the step that the impulses of contacts belong to */
    double projected;    /* J, work of taking overlaps out, since the start                */
    double asleep;       /* grains asleep now                                              */
} mrn_nonsmooth_report;

/* How the increments of the quasi-static method went; all doubles, saved as they stand. */
typedef struct mrn_quasistatic_report {
    double active;                 /* 1 while it is the method in use                     */
    double increments, iterations; /* since the start                                     */
    double last_iterations;        /* of the last increment                               */
    double residual;               /* of the last one: largest net force over the mean    */
    double sliding, open;          /* contacts at the limit now; lost since the stage began */
    double instabilities;          /* ends of a quasi-static regime                       */
    double last_time;              /* s, when the last came                               */
    double supportable;  /* of the last: 1 some forces would bear more, 0 none, -1 not known */
    double smooth_steps; /* of the smooth engine in between                     */
} mrn_quasistatic_report;

/* How the event-driven method went; all doubles, saved as they stand. */
typedef struct mrn_event_report {
    double collisions, at_walls; /* of two grains, of a grain and a wall, since the start       */
    double elastic;              /* of them made elastic by the collapse time                   */
    double sliding;              /* of them with friction at Coulomb's limit                    */
    double collapse_time;        /* s, in use                                                   */
    /* since `since`, the begin of the stage: what means are made of */
    double since;                            /* s                                               */
    double stage_collisions, stage_at_walls; /* collisions                                      */
    double virial[6]; /* J s: sum over collisions of two grains of impulse on C times branch from A
                         to C, xx … yz                                                          */
    double crossings; /* of cells of the grid: part of no hash, for the grid is nobody's business */
} mrn_event_report;

/* Free flights: a body is known where it last collided; predictions are made from there alone, so
   that they depend neither on output nor on a restart. */
enum {
    MRN_FLIGHT_X = 0,     /* m, 3 numbers: position at the time below                          */
    MRN_FLIGHT_V = 3,     /* m/s                                                                */
    MRN_FLIGHT_W = 6,     /* rad/s                                                              */
    MRN_FLIGHT_Q = 9,     /* orientation, 4 numbers                                             */
    MRN_FLIGHT_TIME = 13, /* s                                                                  */
    MRN_FLIGHT_HIT = 14,  /* what it last met: -2 nothing yet, -1 a grain, else surface of a wall */
    MRN_FLIGHT_WIDTH = 15
};
/* The same of walls, from which the motion of a stage is counted; impulses of the stage on them. */
enum {
    MRN_WAY_X = 0,
    MRN_WAY_Q = 3,
    MRN_WAY_TIME = 7,
    MRN_WAY_IMPULSE = 8, /* N s, 3 numbers, then N m s about the centre, 3 numbers             */
    MRN_WAY_WIDTH = 14
};
typedef struct mrn_event_memory {
    double *flight; /* MRN_FLIGHT_WIDTH per persistent number of n_flights                      */
    double *way;    /* MRN_WAY_WIDTH per wall of n_ways                                         */
    int64_t n_flights, n_ways;
} mrn_event_memory;

/* Energy that left or entered the mechanical account, summed since the start, J. */
typedef struct mrn_ledger {
    double lost_normal;     /* normal damping                                    */
    double lost_tangential; /* friction, tangential damping, history lost at the end of contacts */
    double lost_damping;    /* global and local damping                          */
    double wall_work;       /* done BY walls on grains                           */
    double cell_work;       /* done by the straining cell                        */
    double drive_work;      /* changes of gravity, forces on bodies, inlets less outlets */
    double start;           /* mechanical energy when the account was opened     */
    /* powers (W) and tangential energy (J) at the last step: the sums above grow by the trapezoidal
     * rule */
    double last_loss, last_power_t, last_energy_t;
    double last_damping, last_drive_power, last_lift;
    double lost_scheme; /* taken by the time scheme of the non-smooth engine (theta above 1/2,
                           joints, overlaps taken out); negative: given                           */
} mrn_ledger;

/* What drives remember between steps; all doubles, saved as they stand. */
typedef struct mrn_drive_memory {
    double inlet_open[MRN_INLET_MAX];  /* by order of inlet groups; -1: closed by a stage */
    double inlet_made[MRN_INLET_MAX];  /* grains so far                                 */
    double inlet_mass[MRN_INLET_MAX];  /* kg so far                                     */
    double inlet_debt[MRN_INLET_MAX];  /* grains (kg) due and not yet placed            */
    double inlet_draws[MRN_INLET_MAX]; /* places tried so far: the state of its random numbers */
    double outlet_count[MRN_OUTLET_MAX], outlet_mass[MRN_OUTLET_MAX];
    double stress[6];      /* last measured stress of the cell, Pa, for its servo        */
    double stiffness[6];   /* last measured stiffness of the cell, Pa                    */
    double viscosity[6];   /* its viscous part, Pa s                                     */
    double follow[6];      /* rate of strain at which its servo holds the stress, 1/s    */
    double wall_follow[8]; /* speed at which the first servo walls hold their load, m/s  */
    double grains_mass, grain_mass, grain_radius; /* all, mean, mean: scale of servo speeds */
    double sheared[3]; /* shear of the cell since the start, xy, xz, yz: the sum of rate times step
                        */
} mrn_drive_memory;

/* How far servos were off at the checks of this stage, by their order in its account; all doubles,
   saved as they stand. */
#define MRN_SERVO_MAX 16
typedef struct mrn_servo_memory {
    double looks;                   /* checks so far                                    */
    double last;                    /* step of the last one                             */
    double off[MRN_SERVO_MAX];      /* what was reached less what was asked, its mean lately  */
    double scatter2[MRN_SERVO_MAX]; /* and its variance                                 */
} mrn_servo_memory;

typedef struct mrn_state {
    mrn_bodies body;
    mrn_pairs pair;
    mrn_contacts contact;           /* the network that the engine works on */
    mrn_contacts began;             /* contacts (id_c, id_a) with which a quasi-static stage without
                                       new contacts began */
    mrn_nonsmooth_memory memory;    /* non-smooth engine */
    mrn_nonsmooth_report nonsmooth; /* non-smooth engine */
    mrn_quasistatic_report quasistatic;
    mrn_event_memory flights; /* event-driven method */
    mrn_event_report event;
    mrn_ledger ledger;
    double time; /* s               */
    int64_t step;
    double h;          /* time step in use, s */
    int stage;         /* index; n_stages: finished */
    double stage_time; /* time when the stage began */
    int64_t stage_step;
    double stage_h; /* time step when the stage began, s */
    /* The clock: time = base_time + (step - base_step) h. A new base whenever h changes, see
       mrn_state_set_step. */
    double base_time;
    int64_t base_step;
    double kinetic_peak; /* largest kinetic energy seen at the checks of this stage, J */
    mrn_servo_memory servos;
    double cell_origin[3], cell_size[3]; /* now */
    double cell_tilt[3]; /* now: xy, xz, yz, how far (m) the upper face of the second
                            direction has slid along the first */
    double cell_rate[6]; /* velocity gradient now, 1/s: MRN_XX … MRN_YZ          */
    double gravity[3];   /* now, m/s2                                       */
    mrn_drive_memory drive;
    double elastic;     /* energy stored in contacts at the last step, J   */
    int64_t contacts;   /* in touch at the last step                       */
    int64_t sliding;    /* of them at Coulomb's limit                      */
    double max_overlap; /* largest delta / r_eff at the last step          */
    double lost_shocks; /* J, of ledger.lost_normal: by contacts that close, since the start
                           (non-smooth engine)                             */
} mrn_state;

/* A position, a, b and c whole cells beyond x. */
MRN_INLINE mrn_vec3 mrn_cells_beyond(mrn_vec3 x, double a, double b, double c, const double size[3],
                                     const double tilt[3])
{
    return mrn_v3(x.x + a * size[0] + b * tilt[0] + c * tilt[1], x.y + b * size[1] + c * tilt[2],
                  x.z + c * size[2]);
}

/* Position as if the body had never been put back into the periodic cell (sheared or not). */
static inline mrn_vec3 mrn_unwrapped(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    const int32_t *n = s->body.image + 3 * (size_t)i;
    double a = scene->cell.periodic[0] ? n[0] : 0, b = scene->cell.periodic[1] ? n[1] : 0;
    double c = scene->cell.periodic[2] ? n[2] : 0;
    return mrn_cells_beyond(mrn_load3(s->body.x + 3 * (size_t)i), a, b, c, s->cell_size,
                            s->cell_tilt);
}

/* The neighbour list speaks of the bodies that are there: none was added, removed or put elsewhere
   in memory since. */
static inline bool mrn_pairs_current(const mrn_state *s)
{
    return s->pair.row != NULL && s->pair.rows == s->body.n && s->pair.changes == s->body.changes;
}

/* The network has a slot for each pair of the list, and that is current. */
static inline bool mrn_contacts_follow_list(const mrn_state *s)
{
    return mrn_pairs_current(s) && s->contact.n == s->pair.n &&
           (s->contact.columns & MRN_COLUMN(lever)) != 0;
}

/* Another time step from here on: the clock gets a new base. */
static inline void mrn_state_set_step(mrn_state *s, double h)
{
    s->base_time = s->time;
    s->base_step = s->step;
    s->h = h;
}

MRN_API void mrn_state_destroy(mrn_state *s);
/* Adds a body; *out (may be NULL) gets its handle. Walls must come before grains. */
typedef struct mrn_body_def {
    mrn_vec3 x, v, w;
    mrn_quat q;
    double radius, mass, inertia;
    int shape, material, group;
    unsigned flags;
    int32_t parent; /* persistent id of the cluster; -1: none */
    int part; /* which sphere of the cluster; of a body with MRN_BODY_POLYTOPE: which polytope */
    double bound; /* radius of the ball about x that holds it; 0: radius */
} mrn_body_def;
MRN_API mrn_body_def mrn_body_default(void);
MRN_API mrn_status mrn_body_add(mrn_state *s, const mrn_body_def *d, mrn_body *out,
                                mrn_message *msg);
/* Removes a grain, a cluster with its members (a member alone: MRN_ERR_RANGE); the last grain takes
   its place. The neighbour list must be rebuilt afterwards. */
MRN_API mrn_status mrn_body_remove(mrn_state *s, mrn_body b, mrn_message *msg);
/* Index now, or -1 when the handle is null or stale. */
MRN_API int32_t mrn_body_index(const mrn_state *s, mrn_body b);
MRN_API mrn_body mrn_body_handle(const mrn_state *s, int32_t index);
MRN_API mrn_status mrn_bodies_reserve(mrn_state *s, int64_t n, mrn_message *msg);
/* Makes the fields that only some integrators need (saved: 2), zeroed; nothing when they are there.
 */
MRN_API mrn_status mrn_bodies_want_derivs(mrn_state *s, mrn_message *msg);
/* Puts body perm[k] at place k, all fields at once, ids kept. `perm` must be a permutation of 0…n-1
   that leaves walls where they are. A neighbour list is no longer current then. */
MRN_API mrn_status mrn_bodies_permute(mrn_state *s, const int32_t *perm, mrn_message *msg);
/* Fills `bound` from radii and polytopes: after reading bodies from a file. */
MRN_API void mrn_bodies_set_bounds(const mrn_scene *scene, mrn_bodies *b);
/* Independent copy of everything. `to` must be empty ({0}). */
MRN_API mrn_status mrn_state_copy(const mrn_state *from, mrn_state *to, mrn_message *msg);
/* Hash of all saved body fields in the order of persistent ids, of time, cell, gravity, ledger,
   what drives remember and what contacts do: equal bits, equal hash, wherever bodies stand in
   memory. */
MRN_API uint64_t mrn_state_hash(const mrn_state *s);
/* Bytes held by the state's arrays. */
MRN_API size_t mrn_state_bytes(const mrn_state *s);

/* The field lists as data: for files, export, documentation. */
typedef enum mrn_field_type {
    MRN_F_DOUBLE,
    MRN_F_INT64,
    MRN_F_INT32,
    MRN_F_UINT16,
    MRN_F_UINT8
} mrn_field_type;
/* What fills a column of the contact network. */
typedef enum mrn_contact_stage {
    MRN_STAGE_LIST,
    MRN_STAGE_GEOMETRY,
    MRN_STAGE_FORCE
} mrn_contact_stage;
enum { MRN_WIDTH_HISTORY = -1, MRN_WIDTH_IMPULSE = -2 }; /* see mrn_contacts_width */
typedef struct mrn_field {
    const char *name, *unit, *doc;
    mrn_field_type type;
    int width;
    int saved;     /* 0, 1; 2: there only when mrn_bodies.with_derivs */
    size_t offset; /* of the pointer in mrn_bodies, mrn_pairs or mrn_contacts */
    mrn_contact_stage stage;
} mrn_field;
MRN_API int mrn_body_field_count(void);
MRN_API const mrn_field *mrn_body_field(int i);
MRN_API const mrn_field *mrn_body_field_find(const char *name);
MRN_API int mrn_pair_field_count(void);
MRN_API const mrn_field *mrn_pair_field(int i);
MRN_API int mrn_contact_field_count(void);
MRN_API const mrn_field *mrn_contact_field(int i);
MRN_API size_t mrn_field_size(const mrn_field *f); /* bytes per entry */
static inline void *mrn_field_data(const void *owner, const mrn_field *f)
{
    return *(void *const *)((const char *)owner + f->offset);
}

/* ---- contact networks (model/contacts.c) ---- */

/* What a network is used for decides which columns it has. */
typedef enum mrn_contacts_use {
    MRN_CONTACTS_SLOTS,    /* one per candidate pair: what the smooth engine works on          */
    MRN_CONTACTS_POINTS,   /* contact points: what the non-smooth engine works on              */
    MRN_CONTACTS_SNAPSHOT, /* contacts in touch with geometry and force                        */
    MRN_CONTACTS_FRAME,    /* what frames and their files hold of these                        */
    MRN_CONTACTS_SAVED,    /* of slots, what a checkpoint holds (mrn_contacts_name)            */
    MRN_CONTACTS_NAMES,    /* which contacts there are, by persistent numbers                  */
    MRN_CONTACTS_CYCLE,    /* of contact points, what a later cycle of the load begins from    */
    MRN_CONTACTS_USES
} mrn_contacts_use;
MRN_API uint32_t mrn_contacts_columns(mrn_contacts_use use);

/* Makes `c` (whatever it was; {0} at first) an empty network with these columns and room for n
   contacts, all numbers zero. `from` of them go without the columns in `tail`. */
typedef struct mrn_contacts_def {
    uint32_t columns, tail;
    int64_t n, first;
    int history_width, impulse_width;
} mrn_contacts_def;
MRN_API mrn_status mrn_contacts_make(mrn_contacts *c, const mrn_contacts_def *def,
                                     mrn_message *msg);
MRN_API void mrn_contacts_destroy(mrn_contacts *c);
/* Room for n contacts in every column; what is there stays. Not for networks with a tail. */
MRN_API mrn_status mrn_contacts_reserve(mrn_contacts *c, int64_t n, mrn_message *msg);
/* Independent copy; `to` must be empty ({0}). */
MRN_API mrn_status mrn_contacts_copy(const mrn_contacts *from, mrn_contacts *to, mrn_message *msg);
/* All contacts of `from`, or contact k of it, after the last of `to`, which has room for them;
   columns that only one has are left out, or 0. Neither has a tail; widths are the same. */
MRN_API void mrn_contacts_append(mrn_contacts *to, const mrn_contacts *from);
MRN_API void mrn_contacts_append_one(mrn_contacts *to, const mrn_contacts *from, int64_t k);
/* Leaves contacts index[0] < index[1] < … < index[n-1], in this order; no tail. */
MRN_API void mrn_contacts_keep(mrn_contacts *c, const int64_t *index, int64_t n);
/* The contacts alive of a network that follows the list, by persistent numbers: id_c, id_a,
   feature, flags and history, what is saved of them. */
MRN_API mrn_status mrn_contacts_name(const mrn_state *s, mrn_contacts *out, mrn_message *msg);
/* Hash of the saved columns, continued from h; the order of contacts plays no part. */
MRN_API uint64_t mrn_contacts_hash(uint64_t h, const mrn_contacts *c);
/* That of the state's network, the same whether it follows the list or is named; nothing of it
   while bodies have come or gone and the list is not current. */
MRN_API uint64_t mrn_state_contacts_hash(uint64_t h, const mrn_state *s);
MRN_API size_t mrn_contacts_bytes(const mrn_contacts *c);
/* The impulses of the last cycle of the load are given up. */
MRN_API void mrn_cycle_forget(mrn_nonsmooth_memory *m);
/* Numbers per contact in a column, bytes, and how many contacts have it. */
MRN_API int mrn_contacts_width(const mrn_contacts *c, const mrn_field *f);
MRN_API size_t mrn_contacts_size(const mrn_contacts *c, const mrn_field *f);

#ifdef __cplusplus
}
#endif

#endif
