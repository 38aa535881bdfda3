/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The node tree: memory in blocks freed together, lookups, messages with a place, and the way back
   to YAML text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/base.h"
#include "scene/node.h"

#define BLOCK 65536

struct mrn_tree_block {
    struct mrn_tree_block *next;
    size_t used, size;
    char data[];
};

static void *take(mrn_tree *t, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (t->blocks == NULL || t->blocks->size - t->blocks->used < bytes) {
        size_t size = bytes > BLOCK ? bytes : BLOCK;
        struct mrn_tree_block *b = mrn_alloc(sizeof *b + size);
        if (b == NULL)
            return NULL;
        b->size = size;
        b->next = t->blocks;
        t->blocks = b;
    }
    void *p = t->blocks->data + t->blocks->used;
    t->blocks->used += bytes;
    return p;
}

void mrn_tree_destroy(mrn_tree *t)
{
    while (t->blocks != NULL) {
        struct mrn_tree_block *b = t->blocks;
        t->blocks = b->next;
        mrn_free(b);
    }
    t->root = NULL;
}

mrn_node *mrn_tree_node(mrn_tree *t, mrn_node_kind kind, int set, int line, int column)
{
    mrn_node *n = take(t, sizeof *n);
    if (n != NULL)
        *n = (mrn_node){.kind = kind, .set = set, .line = line, .column = column, .plain = true};
    return n;
}

char *mrn_tree_string(mrn_tree *t, const char *text, size_t n)
{
    char *copy = take(t, n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

void mrn_node_append(mrn_node *parent, mrn_node *key, mrn_node *value)
{
    value->key = key;
    value->next = NULL;
    if (parent->last != NULL)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    parent->n++;
}

mrn_node *mrn_node_get(const mrn_node *map, const char *key)
{
    if (map == NULL || map->kind != MRN_NODE_MAP)
        return NULL;
    for (mrn_node *c = map->first; c != NULL; c = c->next)
        if (strcmp(c->key->text, key) == 0)
            return c;
    return NULL;
}

bool mrn_node_is_null(const mrn_node *n)
{
    return n->kind == MRN_NODE_SCALAR && n->plain &&
           (n->text[0] == '\0' || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
}

const char *mrn_node_kind_text(const mrn_node *n)
{
    if (n->kind == MRN_NODE_LIST)
        return "a list";
    if (n->kind == MRN_NODE_MAP)
        return "a mapping";
    return mrn_node_is_null(n) ? "nothing" : "a single value";
}

mrn_status mrn_tree_place(const mrn_tree *t, const mrn_node *n, mrn_message *msg)
{
    if (msg->file[0] != '\0')
        return msg->status;
    if (n != NULL && n->set > 0) {
        char place[512];
        snprintf(place, sizeof place, "--set %s", t->set[n->set - 1]);
        return mrn_fail_at(msg, place, 0, 0);
    }
    return mrn_fail_at(msg, t->file, n != NULL ? n->line : 0, n != NULL ? n->column : 0);
}

mrn_status mrn_tree_fail(const mrn_tree *t, const mrn_node *n, mrn_message *msg, const char *fmt,
                         ...)
{
    char text[sizeof msg->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    mrn_tree_place(t, n, msg);
    return MRN_ERR_INPUT;
}

/* ---- back to text ---- */

typedef struct sink {
    char *text;
    int64_t n, capacity;
} sink;

static int write_sink(void *user, unsigned char *bytes, size_t n)
{
    sink *s = user;
    if (mrn_grow(&s->text, &s->capacity, s->n + (int64_t)n + 1, 1) != MRN_OK)
        return 0;
    memcpy(s->text + s->n, bytes, n);
    s->n += (int64_t)n;
    s->text[s->n] = '\0';
    return 1;
}

static bool emit_scalar(yaml_emitter_t *e, const mrn_node *n)
{
    yaml_event_t event;
    yaml_scalar_style_t style =
        n->plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    return yaml_scalar_event_initialize(&event, NULL, NULL, (yaml_char_t *)n->text,
                                        (int)strlen(n->text), 1, 1, style) &&
           yaml_emitter_emit(e, &event);
}

static bool emit_start(yaml_emitter_t *e, const mrn_node *n)
{
    yaml_event_t event;
    int made;
    if (n->kind == MRN_NODE_LIST)
        made = yaml_sequence_start_event_initialize(
            &event, NULL, NULL, 1, n->flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    else
        made = yaml_mapping_start_event_initialize(
            &event, NULL, NULL, 1, n->flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    return made && yaml_emitter_emit(e, &event);
}

static bool emit_end(yaml_emitter_t *e, const mrn_node *n)
{
    yaml_event_t event;
    int made = n->kind == MRN_NODE_LIST ? yaml_sequence_end_event_initialize(&event)
                                        : yaml_mapping_end_event_initialize(&event);
    return made && yaml_emitter_emit(e, &event);
}

/* Depth is bounded by the parser, so recursion is. */
static bool emit_node(yaml_emitter_t *e, const mrn_node *n)
{
    if (n->kind == MRN_NODE_SCALAR)
        return emit_scalar(e, n);
    if (!emit_start(e, n))
        return false;
    for (const mrn_node *c = n->first; c != NULL; c = c->next)
        if ((n->kind == MRN_NODE_MAP && !emit_scalar(e, c->key)) || !emit_node(e, c))
            return false;
    return emit_end(e, n);
}

static bool emit_document(yaml_emitter_t *e, const mrn_tree *t)
{
    yaml_event_t event;
    return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) &&
           yaml_emitter_emit(e, &event) &&
           yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
           yaml_emitter_emit(e, &event) && emit_node(e, t->root) &&
           yaml_document_end_event_initialize(&event, 1) && yaml_emitter_emit(e, &event) &&
           yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(e, &event);
}

mrn_status mrn_tree_text(const mrn_tree *t, char **out, mrn_message *msg)
{
    yaml_emitter_t e;
    sink s = {0};
    *out = NULL;
    if (!yaml_emitter_initialize(&e))
        return mrn_fail_memory(msg);
    yaml_emitter_set_output(&e, write_sink, &s);
    yaml_emitter_set_unicode(&e, 1);
    yaml_emitter_set_width(&e, 100);
    bool done = emit_document(&e, t);
    yaml_emitter_delete(&e);
    if (!done || s.text == NULL) {
        mrn_free(s.text);
        return mrn_fail_memory(msg);
    }
    *out = s.text;
    return MRN_OK;
}
