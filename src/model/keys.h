/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene as data: one row per key, beside the struct that holds its value. A row has
   the name, the kind of value with unit, range and words, the default, the documentation, and the
   place of the member that it fills. From the rows come the default (mrn_scene_default), the checks
   of ranges for scenes made by programs, the reader, `--set`, the fingerprint of checkpoints, the
   JSON schema, the reference and the text of a value: a key that is a number, a flag, a word, a
   count, a vector or a signal needs its row and its member, and nothing else. Keys without a member
   have a reader of their own (scene_*.c); what may stand there is in their row all the same. */
#ifndef MRN_MODEL_KEYS_H
#define MRN_MODEL_KEYS_H

#include "model/owner.h"
#include "moraine/method.h"

typedef enum mrn_schema_kind {
    MRN_SCHEMA_QUANTITY, /* a number with `unit`                                    */
    MRN_SCHEMA_MEASURE,  /* a number with a unit that only its neighbours tell      */
    MRN_SCHEMA_INTEGER,
    MRN_SCHEMA_FLAG,
    MRN_SCHEMA_TEXT,
    MRN_SCHEMA_NAME,    /* letters, digits, - and _: a name to refer to            */
    MRN_SCHEMA_PROBE,   /* the name of a probe                                     */
    MRN_SCHEMA_WORD,    /* one of `words`                                          */
    MRN_SCHEMA_LAW,     /* the name of a law model                                 */
    MRN_SCHEMA_PART,    /* the name of a law of kind `part`, or none               */
    MRN_SCHEMA_SOLVER,  /* the name of a solver of contact problems                */
    MRN_SCHEMA_FILE,    /* a path, relative to the scene file                      */
    MRN_SCHEMA_VECTOR,  /* [x, y, z], in 2D [x, y]                                 */
    MRN_SCHEMA_SPIN,    /* [x, y, z], in 2D one quantity: about the z axis         */
    MRN_SCHEMA_SIGNAL,  /* a quantity, an expression of time, or a table of them   */
    MRN_SCHEMA_SIGNALS, /* [x, y, z] of signals, in 2D [x, y]                      */
    MRN_SCHEMA_TURNS,   /* [x, y, z] of signals, in 2D one signal: about the z axis */
    MRN_SCHEMA_BOX,     /* [[x, y, z], [x, y, z]], low corner first                */
    MRN_SCHEMA_LIST,    /* of `item`, at_least … at_most of them                   */
    MRN_SCHEMA_TABLE,   /* a mapping from names the user chooses to `item`         */
    MRN_SCHEMA_MAP,     /* a mapping with the keys of `keys` and `more`            */
    MRN_SCHEMA_EITHER,  /* `scalar`, `list` or `map`, by what stands there         */
} mrn_schema_kind;

/* Keys of a mapping that come from other tables. */
typedef enum mrn_schema_more {
    MRN_MORE_NONE,
    MRN_MORE_GRAINS,  /* one key per grain shape                    */
    MRN_MORE_WALLS,   /* one key per wall shape                     */
    MRN_MORE_SHAPE,   /* the parameters of `shape`                  */
    MRN_MORE_LAW,     /* the parameters of the law named by `law`   */
    MRN_MORE_SOLVERS, /* one key per solver                         */
    MRN_MORE_SOLVER,  /* the options of `solver`                    */
} mrn_schema_more;

/* What a key fills. */
typedef enum mrn_member {
    MRN_MEMBER_NONE,    /* a reader of its own knows                               */
    MRN_MEMBER_NUMBER,  /* double                                                  */
    MRN_MEMBER_INT,     /* int                                                     */
    MRN_MEMBER_COUNT,   /* int64_t                                                 */
    MRN_MEMBER_SEED,    /* uint64_t                                                */
    MRN_MEMBER_FLAG,    /* bool; of a word: whether it is the second one           */
    MRN_MEMBER_WORD,    /* an enum: the words stand in its order                   */
    MRN_MEMBER_TEXT,    /* char[]                                                  */
    MRN_MEMBER_VECTOR,  /* mrn_vec3                                                */
    MRN_MEMBER_EDGES,   /* double[3]                                               */
    MRN_MEMBER_SIGNAL,  /* mrn_signal                                              */
    MRN_MEMBER_SIGNALS, /* mrn_signal[3]                                           */
    MRN_MEMBER_METHOD,  /* const mrn_method *; NULL: the first of the list         */
    MRN_MEMBER_STRUCT,  /* the keys of its mapping fill members of this            */
} mrn_member;

typedef struct mrn_schema mrn_schema;
typedef struct mrn_key {
    const char *name;
    const mrn_schema *schema;
    mrn_member member; /* member, at, size: MRN_AT                                             */
    size_t at, size;   /* in the struct of the mapping that the key stands in. The mapping of a key
                          is filled from `at` on                                               */
    size_t mark;       /* 1 + place of a flag that is set where the key stands; 0: none        */
    size_t scene;      /* of a stage: 1 + place in mrn_scene of what it changes; 0: none       */
    double usual;      /* the default of a number, count, flag or word                         */
    const char *text;  /* the default of a text                                                */
    const char *fallback; /* the default in words, where its value does not say it; NULL: none */
    bool lacking;         /* a program may write not-a-number for "not given"                  */
    bool free;            /* may differ when a run is resumed: how well problems are solved, what is
                             written. All else is physics and counts for the fingerprint       */
    bool choices;         /* of the method of the same name: counts where it has run           */
    bool required;
    const char *unless; /* not required where this key stands beside it                        */
    char group; /* not 0: of the keys with this mark at most one may stand                     */
    const char *example;
    const char *doc;
} mrn_key;

struct mrn_schema {
    mrn_schema_kind kind;
    const char *name; /* maps: "interaction"; names its section and definition */
    const char *doc;
    const char *unit;
    double min, max;
    bool min_open;
    bool direction;           /* VECTOR: kept at length 1; 0 is refused                 */
    int at_least, at_most;    /* LIST, TABLE; at_most 0: no limit                       */
    bool paths;               /* TABLE: its names are paths, as `--set` has them        */
    const char *const *words; /* NULL-terminated                                        */
    const mrn_schema *item;
    const mrn_schema *scalar, *list, *map;
    const mrn_key *keys;        /* ends with a key without a name                         */
    const char *one_of;         /* group marks of which exactly one key must stand        */
    const char *const *some_of; /* of these keys at least one must stand; ends with NULL  */
    mrn_schema_more more;
    mrn_law_kind part; /* PART */
    bool law_optional; /* an interaction in a stage: the law stays; a collision: others name it */
    const mrn_shape_type *shape;
    const mrn_solver *solver;
    const mrn_param *param; /* made from this parameter                               */
};

/* The place of a member: its type is found out by the compiler. */
#define MRN_MEMBER_OF(x)                                                                           \
    _Generic((x),                                                                                  \
        double: MRN_MEMBER_NUMBER,                                                                 \
        int: MRN_MEMBER_INT,                                                                       \
        int64_t: MRN_MEMBER_COUNT,                                                                 \
        uint64_t: MRN_MEMBER_SEED,                                                                 \
        bool: MRN_MEMBER_FLAG,                                                                     \
        unsigned: MRN_MEMBER_WORD,                                                                 \
        char *: MRN_MEMBER_TEXT,                                                                   \
        mrn_vec3: MRN_MEMBER_VECTOR,                                                               \
        double *: MRN_MEMBER_EDGES,                                                                \
        mrn_signal: MRN_MEMBER_SIGNAL,                                                             \
        const mrn_method *: MRN_MEMBER_METHOD,                                                     \
        mrn_signal *: MRN_MEMBER_SIGNALS,                                                          \
        default: MRN_MEMBER_STRUCT)
#define MRN_AT(type, field)                                                                        \
    .member = MRN_MEMBER_OF(((type *)0)->field), .at = offsetof(type, field),                      \
    .size = sizeof((type *)0)->field
/* Of a key in the mapping of another: from that one's member on. */
#define MRN_AFTER(type, field, first)                                                              \
    .member = MRN_MEMBER_OF(((type *)0)->field),                                                   \
    .at = offsetof(type, field) - offsetof(type, first), .size = sizeof((type *)0)->field
/* A mapping whose keys fill the same struct as those beside it. */
#define MRN_HERE               .member = MRN_MEMBER_STRUCT
#define MRN_MARKS(type, field) .mark = 1 + offsetof(type, field)
#define MRN_CHANGES(field)     .scene = 1 + offsetof(mrn_scene, field)

/* ---- the tables (keys_*.c) ---- */

extern const mrn_schema mrn_schema_scene, mrn_schema_stage, mrn_schema_materials,
    mrn_schema_material, mrn_schema_output, mrn_schema_body, mrn_schema_from, mrn_schema_grain,
    mrn_schema_lattice, mrn_schema_cell, mrn_schema_interaction, mrn_schema_interaction_change;
extern const mrn_schema mrn_schema_size;    /* what `radius` and `diameter` of a grain shape hold */
extern const mrn_schema mrn_schema_mixture; /* `law: {…}` */
extern const mrn_schema mrn_schema_signal;  /* a signal that is a mapping */
/* What drives a scene (keys_drives.c). */
extern const mrn_schema mrn_schema_gravity, mrn_schema_motion, mrn_schema_motion_map,
    mrn_schema_forces, mrn_schema_force, mrn_schema_outlets, mrn_schema_outlet, mrn_schema_inlet,
    mrn_schema_control, mrn_schema_damping, mrn_schema_clusters;
/* Choices of the event-driven method (keys_event.c). */
extern const mrn_schema mrn_schema_event;
/* Choices of the quasi-static method (keys_quasistatic.c). */
extern const mrn_schema mrn_schema_quasistatic;
/* What only the non-smooth engine knows (keys_nonsmooth.c). */
extern const mrn_schema mrn_schema_nonsmooth, mrn_schema_joints, mrn_schema_joint, mrn_schema_hold,
    mrn_schema_drive;
/* The key that a joint of this kind stands under, with the rows of its mapping; NULL: none. */
const mrn_key *mrn_joint_key(mrn_joint_kind kind);

/* ---- what follows from them (keys.c) ---- */

/* A row by name; NULL: none. */
const mrn_key *mrn_key_find(const mrn_schema *map, const char *name);
/* Whether a key of the scene means something: choices of a method do where it runs, at the start or
   in a stage. */
bool mrn_key_counts(const mrn_scene *s, const char *name);
/* The mapping that a key may hold: its own, or that of a choice; NULL: none. */
const mrn_schema *mrn_key_map(const mrn_key *k);
/* Every member of a mapping to its default; those that other keys lead to as well. */
void mrn_keys_default(const mrn_schema *map, void *object);
/* Ranges, words, finite numbers, sound signals. A default is always right. Choices of a method, and
   what a stage changes, are left to who knows whether they count. */
mrn_status mrn_keys_check(const mrn_owner *o, const mrn_schema *map, const void *object);
/* All that may not differ when a run is resumed. `object` is the struct of the mapping. */
uint64_t mrn_keys_hash(const mrn_schema *map, uint64_t h, const void *object);
uint64_t mrn_key_hash(const mrn_key *k, uint64_t h, const void *object);
uint64_t mrn_signal_hash(uint64_t h, const mrn_signal *x);
/* The value as a scene file has it, in SI. */
void mrn_key_text(const mrn_key *k, const void *object, char *buf, size_t size);
/* Every value of the mapping, but for choices of methods and what a stage changes, with its path
   (`path` and a dot before the key, where there is one) and its text; `usual`: it is the default,
   in the words of mrn_key_usual. */
void mrn_keys_tell(const mrn_schema *map, const void *object, const char *path,
                   mrn_scene_tell *tell, void *context);
/* The default in words; NULL: there is none to tell. */
const char *mrn_key_usual(const mrn_key *k, char *buf, size_t size);
/* The word of a choice: of key `name` of the mapping. */
const char *mrn_key_word(const mrn_schema *map, const char *name, int value);

#endif
