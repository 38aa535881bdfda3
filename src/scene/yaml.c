/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From YAML text to the node tree, by the events of libyaml. Bounded in depth, keys and alias
   copies, so that no file, however hostile, takes more than time and memory in proportion to its
   size. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/base.h"
#include "scene/node.h"

#define DEPTH_MAX  64
#define KEYS_MAX   4096   /* per mapping: duplicate keys are sought one by one */
#define COPIES_MAX 200000 /* nodes made by aliases */
#define ANCHORS    64
#define NODES_MAX  5000000 /* half a gigabyte of memory */

typedef struct anchor {
    const char *name;
    mrn_node *node;
} anchor;

typedef struct builder {
    mrn_tree *tree;
    yaml_parser_t parser;
    yaml_event_t event;
    const char *text;
    size_t n;
    int set, depth;
    anchor anchor[ANCHORS];
    int n_anchors;
    int64_t nodes;
    mrn_message *msg;
} builder;

/* ---- the bytes before YAML: only UTF-8 text without control characters ---- */

/* Length of the UTF-8 sequence at p, 0 when it is none. */
static int utf8_length(const unsigned char *p, size_t left)
{
    int n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (n == 0 || p[0] > 0xf4 || (size_t)n > left)
        return 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

static mrn_status fail_bytes(builder *b, int line, int column, const char *what)
{
    mrn_node place = {.set = b->set, .line = line, .column = column};
    mrn_tree_fail(b->tree, &place, b->msg, "%s", what);
    mrn_fail_expected(b->msg, "a text file in UTF-8");
    return MRN_ERR_INPUT;
}

static mrn_status check_bytes(builder *b)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < b->n;) {
        const unsigned char *p = (const unsigned char *)b->text + i;
        int n = utf8_length(p, b->n - i);
        if (n == 0)
            return fail_bytes(b, line, column, "bytes that are not UTF-8 text");
        if ((*p < 0x20 && *p != '\n' && *p != '\r' && *p != '\t') || *p == 0x7f)
            return fail_bytes(b, line, column, "a control character: is this a binary file?");
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
        i += (size_t)n;
    }
    return MRN_OK;
}

/* ---- messages of the parser ---- */

static const char *line_at(const builder *b, size_t line, size_t *length)
{
    const char *p = b->text, *end = b->text + b->n;
    for (; line > 0 && p < end; line--) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline != NULL ? newline + 1 : end;
    }
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    *length = (size_t)((newline != NULL ? newline : end) - p);
    return p;
}

static bool indented_with_tab(const builder *b, yaml_mark_t mark, int *column)
{
    size_t length;
    const char *p = line_at(b, mark.line, &length);
    size_t blank = 0;
    while (blank < length && (p[blank] == ' ' || p[blank] == '\t'))
        if (p[blank++] == '\t') {
            *column = (int)blank;
            return true;
        }
    return false;
}

static mrn_status fail_parser(builder *b)
{
    const yaml_parser_t *p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return mrn_fail_memory(b->msg);
    yaml_mark_t mark = p->problem_mark;
    mrn_node place = {.set = b->set, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
    int tab;
    if (b->set == 0 && indented_with_tab(b, mark, &tab)) {
        place.column = tab;
        mrn_tree_fail(b->tree, &place, b->msg, "a tab in the indentation");
        mrn_fail_expected(b->msg, "spaces: YAML does not allow tabs there");
        return MRN_ERR_INPUT;
    }
    mrn_tree_fail(b->tree, &place, b->msg, "this is not YAML: %s%s%s",
                  p->problem != NULL ? p->problem : "unreadable", p->context != NULL ? " " : "",
                  p->context != NULL ? p->context : "");
    mrn_fail_hint(b->msg,
                  "look for a missing colon, quote or bracket, or a wrong indentation, here or "
                  "on the line above");
    return MRN_ERR_INPUT;
}

static mrn_status next_event(builder *b)
{
    yaml_event_delete(&b->event);
    memset(&b->event, 0, sizeof b->event);
    return yaml_parser_parse(&b->parser, &b->event) ? MRN_OK : fail_parser(b);
}

static mrn_status fail_event(builder *b, const char *what, const char *hint)
{
    yaml_mark_t m = b->event.start_mark;
    mrn_node place = {.set = b->set, .line = (int)m.line + 1, .column = (int)m.column + 1};
    mrn_tree_fail(b->tree, &place, b->msg, "%s", what);
    mrn_fail_hint(b->msg, "%s", hint);
    return MRN_ERR_INPUT;
}

/* ---- anchors, aliases, merge keys ---- */

static mrn_node *copy_node(mrn_tree *t, const mrn_node *from)
{
    if (++t->copied > COPIES_MAX)
        return NULL;
    mrn_node *n = mrn_tree_node(t, from->kind, from->set, from->line, from->column);
    if (n == NULL)
        return NULL;
    *n = *from; /* texts and keys are shared: they never change */
    n->first = n->last = n->next = NULL;
    n->n = 0;
    for (const mrn_node *c = from->first; c != NULL; c = c->next) {
        mrn_node *child = copy_node(t, c);
        if (child == NULL)
            return NULL;
        mrn_node_append(n, c->key, child);
    }
    return n;
}

static mrn_status remember_anchor(builder *b, const char *name, mrn_node *node)
{
    if (name == NULL)
        return MRN_OK;
    if (b->n_anchors == ANCHORS)
        return fail_event(b, "more than 64 anchors", "write some of the repeated parts out");
    b->anchor[b->n_anchors++] = (anchor){name, node};
    return MRN_OK;
}

static mrn_status copy_anchor(builder *b, const mrn_node *from, mrn_node **out)
{
    *out = copy_node(b->tree, from);
    if (*out != NULL)
        return MRN_OK;
    if (b->tree->copied > COPIES_MAX)
        return fail_event(b, "aliases grow beyond all bounds", "write the repeated parts out");
    return mrn_fail_memory(b->msg);
}

static mrn_status take_alias(builder *b, mrn_node **out)
{
    const char *name = (const char *)b->event.data.alias.anchor;
    for (int i = b->n_anchors; i-- > 0;)
        if (strcmp(b->anchor[i].name, name) == 0)
            return copy_anchor(b, b->anchor[i].node, out);
    char what[200];
    snprintf(what, sizeof what, "the alias '*%.100s' has no anchor '&%.20s' before it", name, name);
    return fail_event(b, what, "an anchor must be complete before it is used");
}

/* `<<: *base`: keys of base that the mapping does not have itself. */
static mrn_status merge_one(builder *b, mrn_node *map, const mrn_node *base)
{
    if (base->kind != MRN_NODE_MAP) {
        mrn_tree_fail(b->tree, base, b->msg, "'<<' merges mappings, not %s",
                      mrn_node_kind_text(base));
        return mrn_fail_hint(b->msg, "write `<<: *name` where `&name` marks a mapping");
    }
    for (const mrn_node *c = base->first; c != NULL; c = c->next) {
        if (mrn_node_get(map, c->key->text) != NULL)
            continue;
        mrn_node *child;
        mrn_status s = copy_anchor(b, c, &child);
        if (s != MRN_OK)
            return s;
        mrn_node_append(map, c->key, child);
        if (map->n > KEYS_MAX)
            return fail_event(b, "more than 4096 keys", "no mapping of a scene needs so many");
    }
    return MRN_OK;
}

static mrn_status merge(builder *b, mrn_node *map, const mrn_node *base)
{
    if (base == NULL)
        return MRN_OK;
    if (base->kind != MRN_NODE_LIST)
        return merge_one(b, map, base);
    mrn_status s = MRN_OK;
    for (const mrn_node *c = base->first; c != NULL && s == MRN_OK; c = c->next)
        s = merge_one(b, map, c);
    return s;
}

/* ---- nodes ---- */

static mrn_status take_node(builder *b, mrn_node **out);

static mrn_status new_node(builder *b, mrn_node_kind kind, mrn_node **out)
{
    yaml_mark_t m = b->event.start_mark;
    if (++b->nodes > NODES_MAX)
        return fail_event(b, "more than five million values",
                          "many grains fit better into a csv file");
    *out = mrn_tree_node(b->tree, kind, b->set, (int)m.line + 1, (int)m.column + 1);
    return *out != NULL ? MRN_OK : mrn_fail_memory(b->msg);
}

static mrn_status take_scalar(builder *b, mrn_node **out)
{
    mrn_status s = new_node(b, MRN_NODE_SCALAR, out);
    if (s != MRN_OK)
        return s;
    const char *value = (const char *)b->event.data.scalar.value;
    size_t n = b->event.data.scalar.length;
    if (memchr(value, '\0', n) != NULL)
        return fail_event(b, "a zero character in a text", "remove it");
    for (size_t k = 0; k < n; k++) /* they would move the cursor of a terminal, or worse */
        if (((unsigned char)value[k] < 0x20 && strchr("\n\r\t", value[k]) == NULL) ||
            value[k] == 0x7f || (value[k] == '\xc2' && (value[k + 1] & 0xe0) == 0x80))
            return fail_event(b, "a control character in a text", "remove it");
    (*out)->plain = b->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    (*out)->text = mrn_tree_string(b->tree, value, n);
    return (*out)->text != NULL ? MRN_OK : mrn_fail_memory(b->msg);
}

static mrn_status take_list(builder *b, mrn_node **out)
{
    mrn_status s = new_node(b, MRN_NODE_LIST, out);
    if (s != MRN_OK)
        return s;
    (*out)->flow = b->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    for (;;) {
        if ((s = next_event(b)) != MRN_OK)
            return s;
        if (b->event.type == YAML_SEQUENCE_END_EVENT)
            return MRN_OK;
        mrn_node *item;
        if ((s = take_node(b, &item)) != MRN_OK)
            return s;
        mrn_node_append(*out, NULL, item);
    }
}

static mrn_status check_key(builder *b, const mrn_node *map, const mrn_node *key)
{
    if (key->kind != MRN_NODE_SCALAR) {
        mrn_tree_fail(b->tree, key, b->msg, "a key must be a word, not %s",
                      mrn_node_kind_text(key));
        return mrn_fail_hint(b->msg, "write `key: value`");
    }
    if (map->n >= KEYS_MAX)
        return fail_event(b, "more than 4096 keys", "no mapping of a scene needs so many");
    const mrn_node *twin = mrn_node_get(map, key->text);
    if (twin == NULL)
        return MRN_OK;
    mrn_tree_fail(b->tree, key, b->msg, "the key '%.100s' stands here for the second time",
                  key->text);
    return mrn_fail_hint(b->msg, "the first is on line %d; remove one of them", twin->key->line);
}

static mrn_status take_map(builder *b, mrn_node **out)
{
    mrn_status s = new_node(b, MRN_NODE_MAP, out);
    if (s != MRN_OK)
        return s;
    (*out)->flow = b->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    mrn_node *base = NULL;
    for (;;) {
        mrn_node *key, *value;
        if ((s = next_event(b)) != MRN_OK)
            return s;
        if (b->event.type == YAML_MAPPING_END_EVENT)
            return merge(b, *out, base);
        if ((s = take_node(b, &key)) != MRN_OK || (s = check_key(b, *out, key)) != MRN_OK ||
            (s = next_event(b)) != MRN_OK || (s = take_node(b, &value)) != MRN_OK)
            return s;
        if (key->plain && strcmp(key->text, "<<") == 0)
            base = value;
        else
            mrn_node_append(*out, key, value);
    }
}

static const char *event_anchor(const yaml_event_t *e)
{
    if (e->type == YAML_SCALAR_EVENT)
        return (const char *)e->data.scalar.anchor;
    if (e->type == YAML_SEQUENCE_START_EVENT)
        return (const char *)e->data.sequence_start.anchor;
    return e->type == YAML_MAPPING_START_EVENT ? (const char *)e->data.mapping_start.anchor : NULL;
}

static bool event_tagged(const yaml_event_t *e)
{
    if (e->type == YAML_SCALAR_EVENT)
        return e->data.scalar.tag != NULL;
    if (e->type == YAML_SEQUENCE_START_EVENT)
        return e->data.sequence_start.tag != NULL;
    return e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.tag != NULL;
}

static mrn_status take_by_type(builder *b, mrn_node **out)
{
    switch (b->event.type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(b, out);
    case YAML_SEQUENCE_START_EVENT:
        return take_list(b, out);
    case YAML_MAPPING_START_EVENT:
        return take_map(b, out);
    case YAML_ALIAS_EVENT:
        return take_alias(b, out);
    default:
        return fail_event(b, "an unexpected end", "complete the line");
    }
}

/* The node that begins with the event at hand. */
static mrn_status take_node(builder *b, mrn_node **out)
{
    if (event_tagged(&b->event))
        return fail_event(b, "a YAML tag ('!…')",
                          "scenes use no tags: remove it, or quote the text");
    if (++b->depth > DEPTH_MAX)
        return fail_event(b, "nested too deeply", "no scene needs more than ten levels");
    const char *name = event_anchor(&b->event), *kept = NULL;
    if (name != NULL && (kept = mrn_tree_string(b->tree, name, strlen(name))) == NULL)
        return mrn_fail_memory(b->msg);
    mrn_status s = take_by_type(b, out);
    b->depth--;
    return s == MRN_OK ? remember_anchor(b, kept, *out) : s;
}

static mrn_status take_document(builder *b, mrn_node **out)
{
    mrn_status s;
    if ((s = next_event(b)) != MRN_OK || (s = next_event(b)) != MRN_OK)
        return s; /* stream start, document start */
    if (b->event.type == YAML_STREAM_END_EVENT) {
        fail_event(b, b->set > 0 ? "the value is empty" : "the file is empty",
                   b->set > 0 ? "write path=value"
                              : "begin with `moraine: 1`; `moraine examples` shows scenes");
        b->msg->line = b->msg->line > 0 ? 1 : 0;
        b->msg->column = b->msg->column > 0 ? 1 : 0;
        return MRN_ERR_INPUT;
    }
    if ((s = next_event(b)) != MRN_OK || (s = take_node(b, out)) != MRN_OK ||
        (s = next_event(b)) != MRN_OK || (s = next_event(b)) != MRN_OK)
        return s; /* root, document end, what follows */
    if (b->event.type != YAML_STREAM_END_EVENT)
        return fail_event(b, "a second document begins",
                          "one file holds one scene: remove the '---'");
    return MRN_OK;
}

mrn_status mrn_tree_parse_value(mrn_tree *t, const char *text, size_t n, int set, mrn_node **out,
                                mrn_message *msg)
{
    builder *b = mrn_alloc(sizeof *b);
    *out = NULL;
    if (b == NULL)
        return mrn_fail_memory(msg);
    b->tree = t;
    b->text = text;
    b->n = n;
    b->set = set;
    b->msg = msg;
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* the mark some editors put first */
        b->text += 3;
        b->n -= 3;
    }
    mrn_status s = check_bytes(b);
    if (s == MRN_OK && !yaml_parser_initialize(&b->parser))
        s = mrn_fail_memory(msg);
    else if (s == MRN_OK) {
        yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&b->parser, (const unsigned char *)b->text, b->n);
        s = take_document(b, out);
        yaml_event_delete(&b->event);
        yaml_parser_delete(&b->parser);
    }
    mrn_free(b);
    return s;
}

mrn_status mrn_tree_parse(mrn_tree *t, const char *text, size_t n, mrn_message *msg)
{
    return mrn_tree_parse_value(t, text, n, 0, &t->root, msg);
}
