/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holding a node tree against the tables of the format, and reading values off it. */
#ifndef MRN_SCENE_CHECK_H
#define MRN_SCENE_CHECK_H

#include "moraine/signal.h"
#include "scene/format.h"
#include "scene/node.h"
#include "scene/units.h"

/* Mistakes of one file, as the check meets them. */
typedef struct mrn_mistakes {
    int n, told;
    mrn_message first;
    char also[320]; /* places and texts of the others, as far as there is room */
} mrn_mistakes;

typedef struct mrn_check {
    const mrn_tree *tree;
    mrn_units *units;
    int dimension;
    mrn_message *msg;       /* never NULL */
    char **inputs;          /* list of the files named, or NULL: mrn_scene.inputs */
    mrn_mistakes *mistakes; /* where mistakes are gathered; NULL: the first one ends the check */
} mrn_check;
/* Name under which a run keeps a copy of a file that a scene names: inputs/HASH-NAME. */
void mrn_input_copy_name(const char *written, char *out, size_t size);

/* Everything that the tables say about `n`; `what` names it in messages. */
mrn_status mrn_check_schema(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what);
/* The same with all mistakes that can be told apart in one message, instead of the first. */
mrn_status mrn_check_all(mrn_check *c, const mrn_schema *f, const mrn_node *n, const char *what);
/* The first mistake alone, for who goes on with what was checked. */
mrn_status mrn_check_first(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                           const char *what);
/* An interaction whose law is known from elsewhere: no key is required then. */
mrn_status mrn_check_interaction(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                 const mrn_law_model *law);
/* The law an interaction names or mixes; *named is false when it does neither. */
mrn_status mrn_check_law(const mrn_check *c, const mrn_node *interaction, mrn_law_model *out,
                         bool *named);

/* One key of a mapping into the object of that mapping. */
mrn_status mrn_read_key(const mrn_check *c, const mrn_key *k, const mrn_node *n, void *object);
/* Every member of `object` that a key of the mapping n (NULL: none) fills, by its row. Keys without
   a member, and those of a stage that change the scene, are left to who knows them. */
mrn_status mrn_read_keys(const mrn_check *c, const mrn_schema *map, const mrn_node *n,
                         void *object);

/* Values of nodes that passed. */
mrn_status mrn_read_quantity(const mrn_check *c, const mrn_node *n, const char *unit, double *out);
mrn_status mrn_read_vector(const mrn_check *c, const mrn_node *n, const char *unit, mrn_vec3 *out);
mrn_status mrn_read_spin(const mrn_check *c, const mrn_node *n, mrn_vec3 *out);
mrn_status mrn_read_box(const mrn_check *c, const mrn_node *n, mrn_vec3 *lo, mrn_vec3 *hi);
/* A signal, three of them, three of which 2D has one (about z). `out` is empty before, and after a
   failure too. */
mrn_status mrn_read_signal(const mrn_check *c, const mrn_node *n, const char *unit,
                           mrn_signal *out);
mrn_status mrn_read_signals(const mrn_check *c, const mrn_node *n, const char *unit,
                            mrn_signal out[3]);
mrn_status mrn_read_turns(const mrn_check *c, const mrn_node *n, const char *unit,
                          mrn_signal out[3]);
/* A number as a factor of an expression, as short as it can be without losing a bit. */
void mrn_factor_text(double value, char *buf, size_t size);
/* A signal from a table: times and values times `factor`; column NULL: the second. */
#define MRN_SERIES_MAX 10000000
mrn_status mrn_read_series(const mrn_check *c, const mrn_node *file, const mrn_node *column,
                           double factor, mrn_signal *out);
bool mrn_read_flag(const mrn_node *n);
uint64_t mrn_read_integer(const mrn_check *c, const mrn_node *n);
int mrn_read_word(const mrn_node *n, const char *const *words); /* -1: none of them */

/* A path as the scene's folder sees it. */
mrn_status mrn_check_path(const mrn_check *c, const mrn_node *n, char *out, size_t size);
/* Likewise the folder or a file of another run; `frame`: its trajectory is meant. */
mrn_status mrn_check_run_path(const mrn_check *c, const mrn_node *n, bool frame, char *out,
                              size_t size);

/* The parts of mrn_check_schema that concern signals (scene_signal.c). */
mrn_status mrn_check_signal(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what);
mrn_status mrn_check_signals(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what);
/* The parts of mrn_check_schema that concern values without keys (scene_value.c). */
mrn_status mrn_check_scalar(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what);
mrn_status mrn_check_vector(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what);
mrn_status mrn_check_spin(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                          const char *what);
mrn_status mrn_check_box(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                         const char *what);
mrn_status mrn_check_name(const mrn_check *c, const mrn_node *n, const char *what);

/* Messages (scene_describe.c). `mrn_describe`: what a schema wants, in words. */
void mrn_describe(const mrn_check *c, const mrn_schema *f, char *buf, size_t size);
void mrn_join(const char *const *words, int n, char *buf, size_t size);
mrn_status mrn_check_fail_kind(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                               const char *what);
/* A list with too few components, or too many: a decimal comma makes two of one. */
mrn_status mrn_check_fail_components(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                     const char *what);
/* Bad input at a node, with what was expected. */
mrn_status mrn_check_fail(const mrn_check *c, const mrn_node *n, const char *expected,
                          const char *fmt, ...) MRN_PRINTF(4, 5);
/* "this F lacks the key K". */
mrn_status mrn_check_fail_lacks(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                const mrn_key *k);
/* "unknown WHAT 'x'", with the words that would do and the closest of them. */
mrn_status mrn_check_fail_word(const mrn_check *c, const mrn_node *n, const char *what,
                               const char *word, const char *const *words, int n_words);

/* ---- file_head.c ---- */

typedef enum mrn_file_kind { MRN_FILE_SCENE, MRN_FILE_LAB, MRN_FILE_CALIBRATION } mrn_file_kind;
/* Keys and values, not those of another kind of file, and of a version that is known. */
mrn_status mrn_check_head(const mrn_check *c, mrn_file_kind kind);

#endif
