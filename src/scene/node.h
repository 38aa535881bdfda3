/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML document as a tree that remembers where everything stands. Lives while a scene is read. */
#ifndef MRN_SCENE_NODE_H
#define MRN_SCENE_NODE_H

#include "moraine/base.h"

typedef enum mrn_node_kind { MRN_NODE_SCALAR, MRN_NODE_LIST, MRN_NODE_MAP } mrn_node_kind;

typedef struct mrn_node mrn_node;
struct mrn_node {
    mrn_node_kind kind;
    int line, column;       /* 1-based                                             */
    int set;                /* 0: stands in the file; k: came with the k-th --set  */
    bool plain;             /* scalar without quotes                               */
    bool flow;              /* [a, b] and {a: b}, not indented lines               */
    char *text;             /* scalar                                              */
    mrn_node *key;          /* the key of a value in a mapping                     */
    mrn_node *first, *last; /* children                                            */
    mrn_node *next;         /* sibling                                             */
    int n;                  /* children                                            */
};

typedef struct mrn_tree {
    const char *file;       /* name in messages                                  */
    const char *const *set; /* the --set texts, not owned                        */
    int n_set;
    mrn_node *root;
    struct mrn_tree_block *blocks; /* all nodes and texts                          */
    int64_t copied;                /* nodes made by aliases: bounded                    */
} mrn_tree;

/* Builds the tree of `text` (n bytes). `t` holds file and set and is empty otherwise. */
mrn_status mrn_tree_parse(mrn_tree *t, const char *text, size_t n, mrn_message *msg);
/* Puts the --set texts into the tree. */
mrn_status mrn_tree_apply_sets(mrn_tree *t, mrn_message *msg);
/* The tree as YAML text again, to be freed by mrn_free. */
mrn_status mrn_tree_text(const mrn_tree *t, char **out, mrn_message *msg);
void mrn_tree_destroy(mrn_tree *t);

/* Value of a key, or NULL (also when `map` is NULL or no mapping). */
mrn_node *mrn_node_get(const mrn_node *map, const char *key);
/* The part of the tree that a path leads to (mrn_message.path), or as far as it can be followed. */
const mrn_node *mrn_tree_find(const mrn_tree *t, const char *path);
/* An empty value: nothing, ~ or null. */
bool mrn_node_is_null(const mrn_node *n);
/* "a list", "a mapping", "text" */
const char *mrn_node_kind_text(const mrn_node *n);

/* Bad input at a node: fills text and place, returns MRN_ERR_INPUT. */
mrn_status mrn_tree_fail(const mrn_tree *t, const mrn_node *n, mrn_message *msg, const char *fmt,
                         ...) MRN_PRINTF(4, 5);
/* Adds the place of a node to a message that has none. Returns msg->status. */
mrn_status mrn_tree_place(const mrn_tree *t, const mrn_node *n, mrn_message *msg);

/* For building: a new node, and a value appended to a list (key NULL) or a mapping. */
mrn_node *mrn_tree_node(mrn_tree *t, mrn_node_kind kind, int set, int line, int column);
char *mrn_tree_string(mrn_tree *t, const char *text, size_t n);
void mrn_node_append(mrn_node *parent, mrn_node *key, mrn_node *value);
/* One YAML text into a subtree: set = k for the value of the k-th --set. */
mrn_status mrn_tree_parse_value(mrn_tree *t, const char *text, size_t n, int set, mrn_node **out,
                                mrn_message *msg);

#endif
