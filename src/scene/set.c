/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set path=value`: changes to the node tree before it is checked, so that every change is held
   against the same tables as the file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scene/node.h"

#define STEP_MAX  128 /* longest element of a path */
#define STEPS_MAX 16

typedef struct setter {
    mrn_tree *tree;
    int set; /* 1-based */
    mrn_message *msg;
    mrn_node place; /* for messages: the --set itself */
} setter;

/* ---- paths ---- */

/* Copies the element at *path into `step` and moves on; false when it is empty or too long. */
static bool next_step(const char **path, const char *end, char step[STEP_MAX])
{
    size_t n = 0;
    while (*path + n < end && (*path)[n] != '.')
        n++;
    if (n == 0 || n >= STEP_MAX)
        return false;
    memcpy(step, *path, n);
    step[n] = '\0';
    *path += n;
    return true;
}

static void list_items(const mrn_node *list, char *buf, size_t size)
{
    size_t n = 0;
    int i = 0;
    buf[0] = '\0';
    for (const mrn_node *c = list->first; c != NULL && n + 1 < size && i < 12; c = c->next, i++) {
        const mrn_node *name = mrn_node_get(c, "name");
        if (name != NULL && name->kind == MRN_NODE_SCALAR)
            n += (size_t)snprintf(buf + n, size - n, "%s%.60s", i ? ", " : "", name->text);
        else
            n += (size_t)snprintf(buf + n, size - n, "%s%d", i ? ", " : "", i);
    }
}

static mrn_node *find_item(const mrn_node *list, const char *step)
{
    if (step[strspn(step, "0123456789")] == '\0') {
        long k = strtol(step, NULL, 10);
        mrn_node *c = list->first;
        while (c != NULL && k-- > 0)
            c = c->next;
        return c;
    }
    for (mrn_node *c = list->first; c != NULL; c = c->next) {
        const mrn_node *name = mrn_node_get(c, "name");
        if (name != NULL && name->kind == MRN_NODE_SCALAR && strcmp(name->text, step) == 0)
            return c;
    }
    return NULL;
}

const mrn_node *mrn_tree_find(const mrn_tree *t, const char *path)
{
    const char *end = path + strlen(path);
    const mrn_node *at = t->root;
    char step[STEP_MAX];
    while (path < end && next_step(&path, end, step)) {
        const mrn_node *n =
            at->kind == MRN_NODE_LIST ? find_item(at, step) : mrn_node_get(at, step);
        if (n == NULL)
            break;
        at = n;
        path += *path == '.';
    }
    return at;
}

/* ---- changes ---- */

/* The slot a step leads to: an existing child, or a new key of a mapping (a mapping itself for
 * now). */
static mrn_status take_step(setter *w, mrn_node *at, const char *step, mrn_node **out)
{
    if (at->kind == MRN_NODE_SCALAR) {
        mrn_tree_fail(w->tree, &w->place, w->msg,
                      "the path goes on with '%s', but there is a single value", step);
        return mrn_fail_hint(w->msg, "shorten the path");
    }
    *out = at->kind == MRN_NODE_LIST ? find_item(at, step) : mrn_node_get(at, step);
    if (*out != NULL)
        return MRN_OK;
    if (at->kind == MRN_NODE_LIST) {
        char items[300];
        list_items(at, items, sizeof items);
        mrn_tree_fail(w->tree, &w->place, w->msg, "the list has no item '%s'", step);
        mrn_fail_expected(w->msg, "a number from 0 to %d, or a name: %s", at->n - 1, items);
        return MRN_ERR_INPUT;
    }
    mrn_node *key = mrn_tree_node(w->tree, MRN_NODE_SCALAR, w->set, 0, 0);
    mrn_node *value = mrn_tree_node(w->tree, MRN_NODE_MAP, w->set, 0, 0);
    char *text = mrn_tree_string(w->tree, step, strlen(step));
    if (key == NULL || value == NULL || text == NULL)
        return mrn_fail_memory(w->msg);
    key->text = text;
    value->flow = at->flow;
    mrn_node_append(at, key, value);
    *out = value;
    return MRN_OK;
}

/* The value takes the slot's place among its siblings. */
static void replace(mrn_node *slot, const mrn_node *value)
{
    mrn_node *key = slot->key, *next = slot->next;
    *slot = *value;
    slot->key = key;
    slot->next = next;
}

static mrn_status apply(setter *w, const char *text)
{
    const char *equals = strchr(text, '='), *path = text;
    if (equals == NULL || equals == text) {
        mrn_tree_fail(w->tree, &w->place, w->msg, "'%.200s' is not of the form path=value", text);
        return mrn_fail_hint(w->msg, "for example interactions.0.friction=0.3");
    }
    mrn_node *at = w->tree->root;
    for (int i = 0; path < equals; i++) {
        char step[STEP_MAX];
        if (i == STEPS_MAX || equals[-1] == '.' || !next_step(&path, equals, step)) {
            mrn_tree_fail(w->tree, &w->place, w->msg, "the path has an empty or overlong element");
            return mrn_fail_hint(w->msg, "for example bodies.beads.count=200");
        }
        mrn_status s = take_step(w, at, step, &at);
        if (s != MRN_OK)
            return s;
        path += *path == '.' && path < equals;
    }
    mrn_node *value;
    mrn_status s =
        mrn_tree_parse_value(w->tree, equals + 1, strlen(equals + 1), w->set, &value, w->msg);
    if (s == MRN_OK)
        replace(at, value);
    return s;
}

mrn_status mrn_tree_apply_sets(mrn_tree *t, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    for (int i = 0; i < t->n_set && s == MRN_OK; i++) {
        setter w = {.tree = t, .set = i + 1, .msg = msg, .place = {.set = i + 1}};
        s = apply(&w, t->set[i]);
    }
    return s;
}
