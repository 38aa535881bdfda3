/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading by rows: every key of a mapping that has a member fills it, by the kind of member and the
   unit of its row. The tree has passed the checks. */
#include <stdio.h>
#include <string.h>

#include "scene/check.h"

static mrn_status read_vector(const mrn_check *c, const mrn_schema *s, const mrn_node *n,
                              mrn_vec3 *out)
{
    mrn_status st =
        s->kind == MRN_SCHEMA_SPIN ? mrn_read_spin(c, n, out) : mrn_read_vector(c, n, s->unit, out);
    if (st == MRN_OK && s->direction)
        *out = mrn_scale(1 / mrn_norm(*out), *out);
    return st;
}

/* What cannot fail. */
static void read_plain(const mrn_check *c, const mrn_key *k, const mrn_schema *s, const mrn_node *n,
                       void *member)
{
    unsigned word;
    switch (k->member) {
    case MRN_MEMBER_INT:
        *(int *)member = (int)mrn_read_integer(c, n);
        return;
    case MRN_MEMBER_COUNT:
        *(int64_t *)member = (int64_t)mrn_read_integer(c, n);
        return;
    case MRN_MEMBER_SEED:
        *(uint64_t *)member = mrn_read_integer(c, n);
        return;
    case MRN_MEMBER_FLAG:
        *(bool *)member =
            s->kind == MRN_SCHEMA_WORD ? mrn_read_word(n, s->words) == 1 : mrn_read_flag(n);
        return;
    case MRN_MEMBER_WORD:
        word = (unsigned)mrn_read_word(n, s->words);
        memcpy(member, &word, sizeof word);
        return;
    case MRN_MEMBER_METHOD:
        *(const mrn_method **)member = mrn_method_find(n->text);
        return;
    default:
        snprintf(member, k->size, "%s", n->text);
    }
}

static mrn_status read_value(const mrn_check *c, const mrn_key *k, const mrn_schema *s,
                             const mrn_node *n, void *member)
{
    mrn_vec3 edges = {0, 0, 0};
    mrn_status st = MRN_OK;
    switch (k->member) {
    case MRN_MEMBER_NUMBER:
        return mrn_read_quantity(c, n, s->unit, member);
    case MRN_MEMBER_VECTOR:
        return read_vector(c, s, n, member);
    case MRN_MEMBER_EDGES:
        st = read_vector(c, s, n, &edges);
        mrn_store3(member, edges);
        return st;
    case MRN_MEMBER_SIGNAL:
        return mrn_read_signal(c, n, s->unit, member);
    case MRN_MEMBER_SIGNALS:
        return s->kind == MRN_SCHEMA_TURNS ? mrn_read_turns(c, n, s->unit, member)
                                           : mrn_read_signals(c, n, s->unit, member);
    case MRN_MEMBER_STRUCT:
        return MRN_OK; /* a word in place of a mapping: who has it knows what it means */
    default:
        read_plain(c, k, s, n, member);
        return MRN_OK;
    }
}

mrn_status mrn_read_key(const mrn_check *c, const mrn_key *k, const mrn_node *n, void *object)
{
    const mrn_schema *s = k->schema;
    char *member = (char *)object + k->at;
    if (k->mark != 0)
        *((bool *)object + k->mark - 1) = true;
    if (s->kind == MRN_SCHEMA_EITHER)
        s = n->kind == MRN_NODE_MAP ? s->map : n->kind == MRN_NODE_LIST ? s->list : s->scalar;
    if (s->kind != MRN_SCHEMA_MAP)
        return read_value(c, k, s, n, member);
    if (k->member == MRN_MEMBER_FLAG)
        *(bool *)(void *)member = true;
    return mrn_read_keys(c, s, n, member);
}

mrn_status mrn_read_keys(const mrn_check *c, const mrn_schema *map, const mrn_node *n, void *object)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *x = n != NULL ? n->first : NULL; x != NULL && s == MRN_OK; x = x->next) {
        const mrn_key *k = mrn_key_find(map, x->key->text);
        if (k != NULL && k->member != MRN_MEMBER_NONE && k->scene == 0)
            s = mrn_read_key(c, k, x, object);
    }
    return s;
}
