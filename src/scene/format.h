/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene format as data. One set of tables (schema_tables.c) drives the checker, the JSON schema
   and the reference; laws and shapes join through their own descriptors, so that a new one changes
   nothing here. */
#ifndef MRN_SCENE_FORMAT_H
#define MRN_SCENE_FORMAT_H

#include "moraine/law.h"
#include "moraine/shape.h"
#include "moraine/solve.h"

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
    MRN_SCHEMA_SIGNALS, /* [x, y, z] of signals, in 2D [x, y]                     */
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

typedef struct mrn_schema mrn_schema;
typedef struct mrn_key {
    const char *name;
    const mrn_schema *schema;
    bool required;
    char group;           /* not 0: of the keys with this mark at most one may stand    */
    const char *fallback; /* the default in words, NULL: none                           */
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

#define MRN_KEYS_MAX 64 /* parameters of a mixture of laws, and the keys beside them */

/* The keys of a map in full: those of the table and those that laws and shapes add. */
typedef struct mrn_keys {
    int n;
    mrn_key key[MRN_KEYS_MAX];
    mrn_schema schema[MRN_KEYS_MAX]; /* of the added ones */
    char one_of[8];                  /* groups that need exactly one */
} mrn_keys;

extern const mrn_schema mrn_schema_scene;
extern const mrn_schema mrn_schema_lab;         /* a file of the lab (schema_lab.c) */
extern const mrn_schema mrn_schema_calibration; /* a calibration (schema_calibration.c) */
extern const mrn_schema mrn_schema_materials;   /* what both have */
extern const mrn_schema mrn_schema_interaction, mrn_schema_interaction_change;
extern const mrn_schema mrn_schema_size;    /* what `radius` and `diameter` of a grain shape hold */
extern const mrn_schema mrn_schema_mixture; /* `law: {…}` */
extern const mrn_schema mrn_schema_signal;  /* a signal that is a mapping */
/* What drives a scene (schema_drives.c). */
extern const mrn_schema mrn_schema_gravity, mrn_schema_motion, mrn_schema_forces,
    mrn_schema_outlets, mrn_schema_inlet, mrn_schema_control, mrn_schema_damping,
    mrn_schema_clusters;
/* Choices of the quasi-static method (schema_quasistatic.c). */
extern const mrn_schema mrn_schema_quasistatic;
/* What only the non-smooth engine knows (schema_nonsmooth.c). */
extern const mrn_schema mrn_schema_nonsmooth, mrn_schema_joints, mrn_schema_hold, mrn_schema_drive;
/* Grains with corners (schema_forms.c); each list ends with a key without a name. */
extern const mrn_key mrn_keys_polygon[], mrn_keys_polyhedron[];

/* `law` matters to interactions only: NULL gives the keys that do not depend on it. */
void mrn_schema_keys(const mrn_schema *f, const mrn_law_model *law, mrn_keys *out);
mrn_schema mrn_schema_of_param(const mrn_param *p);
/* For a shape whose one required parameter is a list: `box: [[…], […]]` is short for
   `box: {corners: [[…], […]]}`. NULL when it has no such parameter. */
const mrn_param *mrn_shape_main_param(const mrn_shape_type *t);

/* Largest numbers of the format; above them a mistake is more likely than a wish. */
#define MRN_COUNT_MAX 2e9

#endif
