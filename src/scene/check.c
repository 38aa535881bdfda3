/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strict checker: lists and mappings of a node tree against the tables of the format. Every
   mistake is told with its place, what was expected and a cure; what follows from one is not. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/check.h"

/* ---- several mistakes ---- */

/* After the check of a part: may the next one be looked at? A mistake is put away then. */
static bool may_go_on(const mrn_check *c, mrn_status *s)
{
    mrn_mistakes *m = c->mistakes;
    if (*s == MRN_OK || m == NULL || *s != MRN_ERR_INPUT)
        return *s == MRN_OK;
    char line[160];
    size_t used = strlen(m->also);
    int n = c->msg->line > 0
                ? snprintf(line, sizeof line, "\n    %d:%d: %.120s", c->msg->line, c->msg->column,
                           c->msg->text)
                : snprintf(line, sizeof line, "\n    %.40s: %.100s", c->msg->file, c->msg->text);
    if (m->n == 0) {
        m->first = *c->msg;
    } else if (n > 0 && n < (int)sizeof line && used + (size_t)n < sizeof m->also) {
        memcpy(m->also + used, line, (size_t)n + 1);
        m->told++;
    }
    m->n++;
    *s = MRN_OK;
    return true;
}

/* The first mistake, with the places of the others behind its cure. */
static void tell_all(const mrn_mistakes *m, mrn_message *msg)
{
    *msg = m->first;
    if (m->n < 2)
        return;
    char hint[sizeof msg->hint], rest[40] = "";
    if (m->n - 1 > m->told)
        snprintf(rest, sizeof rest, "\n    and %d more", m->n - 1 - m->told);
    int room = (int)(sizeof hint - strlen(m->also) - strlen(rest) - 30);
    snprintf(hint, sizeof hint, "%.*s%s%s%s", room, msg->hint,
             msg->hint[0] != '\0' ? "\n  also wrong:" : "there is more to mend:", m->also, rest);
    memcpy(msg->hint, hint, sizeof hint);
}

mrn_status mrn_check_all(mrn_check *c, const mrn_schema *f, const mrn_node *n, const char *what)
{
    mrn_mistakes *m = NULL;
    if (mrn_array(&m, 1, sizeof *m, c->msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    c->mistakes = m;
    mrn_status s = mrn_check_schema(c, f, n, what);
    may_go_on(c, &s);
    c->mistakes = NULL;
    if (s == MRN_OK && m->n > 0) {
        tell_all(m, c->msg);
        s = MRN_ERR_INPUT;
    }
    mrn_free(m);
    return s;
}

mrn_status mrn_check_first(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                           const char *what)
{
    mrn_check alone = *c;
    alone.mistakes = NULL;
    return mrn_check_schema(&alone, f, n, what);
}

/* ---- lists and mappings ---- */

static mrn_status check_count(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                              const char *what)
{
    char expected[100];
    if (f->at_least == f->at_most)
        snprintf(expected, sizeof expected, "%d items", f->at_least);
    else if (n->n < f->at_least)
        snprintf(expected, sizeof expected, "at least %d", f->at_least);
    else
        snprintf(expected, sizeof expected, "at most %d", f->at_most);
    if (n->n < f->at_least || (f->at_most > 0 && n->n > f->at_most)) {
        if (n->n == 0)
            return mrn_check_fail(c, n, expected, "%s is empty", what);
        return mrn_check_fail(c, n, expected, "%s has %d item%s", what, n->n, n->n == 1 ? "" : "s");
    }
    return MRN_OK;
}

static mrn_status check_list(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what)
{
    if (n->kind != MRN_NODE_LIST)
        return mrn_check_fail_kind(c, f, n, what);
    mrn_status s = check_count(c, f, n, what);
    int i = 1;
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next, i++) {
        char item[120];
        snprintf(item, sizeof item, "item %d of %.80s", i, what);
        s = mrn_check_schema(c, f->item, x, item);
        if (!may_go_on(c, &s))
            break;
    }
    return s;
}

/* Names with dots between them. */
static mrn_status check_key_path(const mrn_check *c, const mrn_node *key)
{
    const char *p = key->text;
    size_t n = strlen(p);
    if (n > 0 && p[0] != '.' && p[n - 1] != '.' && strstr(p, "..") == NULL &&
        strchr(p, '=') == NULL)
        return MRN_OK;
    return mrn_check_fail(c, key, "a path such as bodies.beads.count", "'%.80s' is not a path", p);
}

static mrn_status check_table(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                              const char *what)
{
    if (n->kind != MRN_NODE_MAP)
        return mrn_check_fail_kind(c, f, n, what);
    mrn_status s = check_count(c, f, n, what);
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next) {
        char item[100];
        snprintf(item, sizeof item, "'%.80s'", x->key->text);
        s = f->paths ? check_key_path(c, x->key) : mrn_check_name(c, x->key, what);
        if (s == MRN_OK)
            s = mrn_check_schema(c, f->item, x, item);
        if (!may_go_on(c, &s))
            break;
    }
    return s;
}

static const mrn_key *find_key(const mrn_keys *k, const char *name)
{
    for (int i = 0; i < k->n; i++)
        if (strcmp(k->key[i].name, name) == 0)
            return &k->key[i];
    return NULL;
}

static bool has_param(const mrn_law *law, const char *key)
{
    for (int k = 0; law != NULL && k < law->n_params; k++)
        if (strcmp(law->params[k].name, key) == 0)
            return true;
    return false;
}

/* A key of another law is a frequent slip when the law is changed: the first that has it is named,
   to a mixture a part. */
static void hint_other_law(const mrn_check *c, const char *key, const mrn_law_model *law)
{
    bool mixture = mrn_law_model_find(law->name) == NULL;
    for (int i = 0; i < mrn_law_model_count() && !mixture; i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        for (int k = 0; k < MRN_LAW_KINDS; k++)
            if (has_param(m->part[k], key)) {
                mrn_fail_hint(c->msg, "'%s' belongs to the law %s", key, m->name);
                return;
            }
    }
    for (int i = 0; i < mrn_law_count(); i++)
        if (has_param(mrn_law_at(i), key)) {
            mrn_fail_hint(c->msg, "'%s' belongs to the %s law %s", key,
                          mrn_law_kind_name(mrn_law_at(i)->kind), mrn_law_at(i)->name);
            return;
        }
}

/* {friction: 0,4}: what stands behind the comma is a key for YAML. */
static bool hint_comma(const mrn_check *c, const mrn_node *n, const mrn_node *x)
{
    const mrn_node *before = n->first;
    while (before != x && before->next != x)
        before = before->next;
    bool digits = x->key->text[0] != '\0' && strspn(x->key->text, "0123456789") > 0;
    if (before == x || !digits || !mrn_node_is_null(x) || before->kind != MRN_NODE_SCALAR ||
        before->text[0] == '\0' || before->text[strspn(before->text, "+-0123456789")] != '\0')
        return false;
    mrn_fail_expected(c->msg, "%s: %s.%.40s", before->key->text, before->text, x->key->text);
    mrn_fail_hint(c->msg, "decimals have a point here: between { and } a comma ends the value");
    return true;
}

/* *unknown: some key is not known; then others are not missed. */
static mrn_status check_known(const mrn_check *c, const mrn_schema *f, const mrn_keys *keys,
                              const mrn_node *n, const mrn_law_model *law, bool *unknown)
{
    const char *names[MRN_KEYS_MAX];
    for (int i = 0; i < keys->n; i++)
        names[i] = keys->key[i].name;
    for (const mrn_node *x = n->first; x != NULL; x = x->next) {
        if (find_key(keys, x->key->text) != NULL)
            continue;
        *unknown = true;
        mrn_check_fail_word(c, x->key, "key", x->key->text, names, keys->n);
        char text[300];
        snprintf(text, sizeof text, "unknown key '%.100s' in this %s%s%s%s", x->key->text, f->name,
                 law != NULL ? " with law '" : "", law != NULL ? law->name : "",
                 law != NULL ? "'" : "");
        snprintf(c->msg->text, sizeof c->msg->text, "%s", text);
        if (!hint_comma(c, n, x) && law != NULL)
            hint_other_law(c, x->key->text, law);
        mrn_status s = MRN_ERR_INPUT;
        if (!may_go_on(c, &s))
            return s;
    }
    return MRN_OK;
}

static mrn_status check_group(const mrn_check *c, const mrn_schema *f, const mrn_keys *keys,
                              const mrn_node *n, char group, bool required)
{
    const char *names[MRN_KEYS_MAX];
    const mrn_node *first = NULL;
    int count = 0;
    for (int i = 0; i < keys->n; i++)
        if (keys->key[i].group == group)
            names[count++] = keys->key[i].name;
    char list[300];
    mrn_join(names, count, list, sizeof list);
    for (const mrn_node *x = n->first; x != NULL; x = x->next) {
        const mrn_key *k = find_key(keys, x->key->text);
        if (k == NULL || k->group != group)
            continue;
        if (first != NULL) {
            mrn_check_fail(c, x->key, NULL, "'%s' and '%s' cannot stand together", first->key->text,
                           x->key->text);
            return mrn_fail_expected(c->msg, "one of: %s", list);
        }
        first = x;
    }
    if (first != NULL || !required)
        return MRN_OK;
    mrn_check_fail(c, n, NULL, "this %s needs one of: %s", f->name, list);
    return mrn_fail_expected(c->msg, "exactly one of: %s", list);
}

static mrn_status check_groups(const mrn_check *c, const mrn_schema *f, const mrn_keys *keys,
                               const mrn_node *n, bool relaxed)
{
    char seen[16] = "";
    mrn_status s = MRN_OK;
    for (int i = 0; i < keys->n && s == MRN_OK; i++) {
        char g[2] = {keys->key[i].group, '\0'};
        if (g[0] == '\0' || strchr(seen, g[0]) != NULL)
            continue;
        strncat(seen, g, sizeof seen - strlen(seen) - 1);
        s = check_group(c, f, keys, n, g[0], !relaxed && strchr(keys->one_of, g[0]) != NULL);
    }
    return s;
}

mrn_status mrn_check_fail_lacks(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                const mrn_key *k)
{
    mrn_check_fail(c, n, NULL, "this %s lacks the key '%s'", f->name, k->name);
    char wanted[300];
    mrn_describe(c, k->schema, wanted, sizeof wanted);
    mrn_fail_expected(c->msg, "%s: %s", k->name, k->example != NULL ? k->example : wanted);
    return mrn_fail_hint(c->msg, "%s", k->doc);
}

static mrn_status check_required(const mrn_check *c, const mrn_schema *f, const mrn_keys *keys,
                                 const mrn_node *n)
{
    for (int i = 0; i < keys->n; i++) {
        const mrn_key *k = &keys->key[i];
        bool excused = k->unless != NULL && mrn_node_get(n, k->unless) != NULL;
        if (k->required && !excused && mrn_node_get(n, k->name) == NULL)
            return mrn_check_fail_lacks(c, f, n, k);
    }
    return MRN_OK;
}

static mrn_status check_some(const mrn_check *c, const mrn_schema *f, const mrn_keys *keys,
                             const mrn_node *n)
{
    char list[200] = "", wanted[300] = "";
    for (int i = 0; f->some_of != NULL && f->some_of[i] != NULL; i++) {
        const mrn_key *k = find_key(keys, f->some_of[i]);
        if (mrn_node_get(n, k->name) != NULL)
            return MRN_OK;
        size_t a = strlen(list), b = strlen(wanted);
        snprintf(list + a, sizeof list - a, "%s'%s'", i > 0 ? " or " : "", k->name);
        snprintf(wanted + b, sizeof wanted - b, "%s%s: %s", i > 0 ? ", or " : "", k->name,
                 k->example);
    }
    if (list[0] == '\0')
        return MRN_OK;
    return mrn_check_fail(c, n, wanted, "this %s needs %s, or %s", f->name, list,
                          f->some_of[2] != NULL ? "several of them" : "both");
}

static mrn_status check_dimension(const mrn_check *c, const mrn_shape_type *t, const mrn_node *n)
{
    if (t == NULL || (c->dimension == 2 ? t->in_2d : t->in_3d))
        return MRN_OK;
    const char *names[MRN_KEYS_MAX];
    int count = 0;
    for (int i = 0; i < mrn_shape_type_count() && count < MRN_KEYS_MAX; i++) {
        const mrn_shape_type *o = mrn_shape_type_at(i);
        if (o->grain == t->grain && (c->dimension == 2 ? o->in_2d : o->in_3d))
            names[count++] = o->name;
    }
    char list[300];
    mrn_join(names, count, list, sizeof list);
    mrn_check_fail(c, n->key, list, "a %s does not exist in %d dimensions", t->name, c->dimension);
    return mrn_fail_hint(
        c->msg, "`dimension: %d` stands at the top of the scene, or is the default", c->dimension);
}

static mrn_status check_map_keys(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                 const mrn_law_model *law, bool relaxed)
{
    mrn_keys keys;
    mrn_schema_keys(f, law, &keys);
    bool unknown = false;
    mrn_status s = check_known(c, f, &keys, n, law, &unknown);
    if (s == MRN_OK)
        s = check_groups(c, f, &keys, n, relaxed || unknown);
    if (may_go_on(c, &s) && !relaxed && !unknown)
        s = check_required(c, f, &keys, n);
    if (may_go_on(c, &s) && !relaxed && !unknown)
        s = check_some(c, f, &keys, n);
    for (const mrn_node *x = n->first; x != NULL && may_go_on(c, &s); x = x->next) {
        const mrn_key *k = find_key(&keys, x->key->text);
        char what[100];
        if (k == NULL)
            continue;
        snprintf(what, sizeof what, "'%.80s'", k->name);
        if ((s = check_dimension(c, k->schema->shape, x)) == MRN_OK)
            s = mrn_check_schema(c, k->schema, x, what);
    }
    may_go_on(c, &s);
    return s;
}

/* A mixture that is a named model after all is called by that name. */
static void adopt_name(mrn_law_model *m)
{
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *known = mrn_law_model_at(i);
        bool same = true;
        for (int k = 0; k < MRN_LAW_KINDS; k++)
            same = same && known->part[k] == m->part[k];
        if (same) {
            *m = *known;
            return;
        }
    }
}

/* `law: {model: …, rolling: …}`: the parts of the model, those named put in their place. */
static mrn_status mix(const mrn_check *c, const mrn_node *n, mrn_law_model *out)
{
    const mrn_law *part[MRN_LAW_KINDS] = {0};
    mrn_status s = mrn_check_first(c, &mrn_schema_mixture, n, "'law'");
    if (s != MRN_OK)
        return s;
    const mrn_node *model = mrn_node_get(n, "model");
    if (model != NULL)
        memcpy(part, mrn_law_model_find(model->text)->part, sizeof part);
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        const mrn_node *x = mrn_node_get(n, mrn_law_kind_name((mrn_law_kind)k));
        if (x != NULL) /* none: NULL */
            part[k] = mrn_law_find((mrn_law_kind)k, x->text);
    }
    *c->msg = (mrn_message){0};
    s = mrn_law_mix(part, out, c->msg);
    if (s == MRN_OK)
        adopt_name(out);
    else if (s != MRN_ERR_MEMORY)
        mrn_tree_place(c->tree, n, c->msg);
    return s;
}

mrn_status mrn_check_law(const mrn_check *c, const mrn_node *n, mrn_law_model *out, bool *named)
{
    const mrn_node *law = mrn_node_get(n, "law");
    *named = law != NULL;
    if (law == NULL)
        return MRN_OK;
    if (law->kind == MRN_NODE_MAP)
        return mix(c, law, out);
    mrn_status s = mrn_check_scalar(c, &(const mrn_schema){.kind = MRN_SCHEMA_LAW}, law, "'law'");
    if (s == MRN_OK)
        *out = *mrn_law_model_find(law->text);
    return s;
}

mrn_status mrn_check_interaction(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                 const mrn_law_model *law)
{
    return check_map_keys(c, f, n, law, true);
}

/* A change without a law: the reader finds out the law from `between` and then checks the rest. */
static mrn_status check_between(const mrn_check *c, const mrn_schema *f, const mrn_node *n)
{
    const mrn_node *between = mrn_node_get(n, f->keys[0].name);
    if (between == NULL)
        return mrn_check_fail(c, n, "between: [glass, steel]", "this %s lacks the key 'between'",
                              f->name);
    return mrn_check_schema(c, f->keys[0].schema, between, "'between'");
}

static mrn_status fail_empty(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what)
{
    char expected[480];
    mrn_describe(c, f, expected, sizeof expected);
    return mrn_check_fail(c, n, expected, "%s is empty", what);
}

static mrn_status check_map(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    const mrn_param *main = f->shape != NULL ? mrn_shape_main_param(f->shape) : NULL;
    if (main != NULL && n->kind == MRN_NODE_LIST) {
        mrn_schema schema = mrn_schema_of_param(main);
        return mrn_check_schema(c, &schema, n, what);
    }
    if (n->kind != MRN_NODE_MAP)
        return mrn_check_fail_kind(c, f, n, what);
    if (f->at_least > 0 && n->n < f->at_least)
        return fail_empty(c, f, n, what);
    mrn_law_model law = {0};
    bool named = false;
    mrn_status s = f->more == MRN_MORE_LAW ? mrn_check_law(c, n, &law, &named) : MRN_OK;
    if (s != MRN_OK)
        return s;
    if (f->law_optional && !named && strcmp(f->keys[0].name, "between") == 0)
        return check_between(c, f, n);
    if (f->more == MRN_MORE_LAW && !named && !f->law_optional) {
        mrn_check_fail(c, n, "law: hertz-mindlin", "this %s lacks the key 'law'", f->name);
        return mrn_fail_hint(c->msg, "`moraine laws` lists the contact laws");
    }
    return check_map_keys(c, f, n, named ? &law : NULL, false);
}

static mrn_status check_either(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                               const char *what)
{
    const mrn_schema *of[] = {
        [MRN_NODE_SCALAR] = f->scalar, [MRN_NODE_LIST] = f->list, [MRN_NODE_MAP] = f->map};
    if (of[n->kind] == NULL || mrn_node_is_null(n))
        return mrn_check_fail_kind(c, f, n, what);
    return mrn_check_schema(c, of[n->kind], n, what);
}

mrn_status mrn_check_schema(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    switch (f->kind) {
    case MRN_SCHEMA_VECTOR:
        return mrn_check_vector(c, f, n, what);
    case MRN_SCHEMA_SPIN:
        return mrn_check_spin(c, f, n, what);
    case MRN_SCHEMA_BOX:
        return mrn_check_box(c, f, n, what);
    case MRN_SCHEMA_SIGNAL:
        return mrn_check_signal(c, f, n, what);
    case MRN_SCHEMA_SIGNALS:
    case MRN_SCHEMA_TURNS:
        return mrn_check_signals(c, f, n, what);
    case MRN_SCHEMA_LIST:
        return check_list(c, f, n, what);
    case MRN_SCHEMA_TABLE:
        return check_table(c, f, n, what);
    case MRN_SCHEMA_MAP:
        return check_map(c, f, n, what);
    case MRN_SCHEMA_EITHER:
        return check_either(c, f, n, what);
    default:
        return mrn_check_scalar(c, f, n, what);
    }
}
