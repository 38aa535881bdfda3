/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share: errors that stay, names, lists that grow, named parameters. */
#ifndef MRN_COMPOSE_COMPOSE_H
#define MRN_COMPOSE_COMPOSE_H

#include "moraine/world.h"

/* An earlier call failed: nothing more is done until somebody looks. */
static inline bool mrn_compose_failed(const mrn_message *msg)
{
    return msg != NULL && msg->status < 0;
}

/* Things of a scene as a list of names: each begins with its char name[MRN_NAME]. */
typedef struct mrn_names {
    const char *what; /* "material", for messages */
    const void *first;
    size_t stride;
    int n;
} mrn_names;
#define MRN_NAMES(what, list, n)                                                                   \
    (mrn_names)                                                                                    \
    {                                                                                              \
        what, list, sizeof *(list), n                                                              \
    }
/* Index of a name; -1: none, and the message says which there are and which is meant. */
int mrn_compose_find(mrn_names names, const char *name, mrn_message *msg);
/* A name that may be added: not empty, not too long, not there yet. Nameless things may be many. */
mrn_status mrn_compose_check_new(mrn_names names, const char *name, mrn_message *msg);
/* "no WHAT 'WORD'", with the words there are and the closest. Returns MRN_ERR_INPUT. */
mrn_status mrn_compose_unknown(const char *what, const char *word, const char *const *words, int n,
                               mrn_message *msg);
void mrn_compose_name(char to[MRN_NAME], const char *name);

/* Adds one entry to *(T **)list of *n; on failure nothing has changed. */
mrn_status mrn_compose_append(void *list, int *n, size_t size, const void *entry, mrn_message *msg);

/* The scene has changed: it has to be prepared before it can be used. */
void mrn_compose_changed(mrn_scene *s);

/* ---- named parameters of laws and walls (params.c) ---- */

typedef struct mrn_param_list {
    char owner[160]; /* "law hertz-mindlin": for messages */
    int n;
    const mrn_param *param[MRN_PARAM_MAX];
} mrn_param_list;
mrn_status mrn_compose_number(const mrn_param_list *l, mrn_value *value, const char *name, double x,
                              mrn_message *msg);
mrn_status mrn_compose_vectors(const mrn_param_list *l, mrn_value *value, mrn_param_kind kind,
                               const char *name, mrn_vec3 a, mrn_vec3 b, mrn_message *msg);
mrn_status mrn_compose_word(const mrn_param_list *l, mrn_value *value, const char *name,
                            const char *word, mrn_message *msg);
/* Those that must be given are. */
mrn_status mrn_compose_check_given(const mrn_param_list *l, const mrn_value *value,
                                   mrn_message *msg);
/* Values as they are when nothing is said. */
void mrn_compose_defaults(const mrn_param_list *l, mrn_value *value);

/* ---- laws (laws.c) ---- */

mrn_param_list mrn_compose_law_params(const mrn_scene *s, const mrn_interaction *x);
/* Indices of two materials, *a <= *b. */
mrn_status mrn_compose_pair(const mrn_scene *s, const char *a, const char *b, int *i, int *j,
                            mrn_message *msg);
/* The interaction of two materials in a list; NULL: none. */
mrn_interaction *mrn_compose_interaction(mrn_interaction *list, int n, int i, int j);
mrn_status mrn_compose_no_law(const mrn_scene *s, int i, int j, mrn_message *msg);

#endif
