/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The free parameters of a calibration: what they set, and between which bounds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "readers/calibration.h"

/* ---- numbers whose unit only the scene knows ---- */

/* "2e3 Pa s" to 2000 and "Pa s". */
static mrn_status split_quantity(mrn_calibration_reader *r, const mrn_node *n, const char *what,
                                 double *value, char unit[24])
{
    const mrn_check *c = &r->check;
    char head[80];
    size_t length = strlen(n->text), k = length < sizeof head ? length : sizeof head - 1;
    for (; k > 0; k--) {
        snprintf(head, sizeof head, "%.*s", (int)k, n->text);
        if (mrn_units_number(c->units, head, value))
            break;
    }
    const char *rest = n->text + k + strspn(n->text + k, " ");
    if (k == 0) {
        mrn_check_fail(c, n, "a finite number and its unit, as the scene would have it",
                       "%s: '%.60s' is not a number", what, n->text);
        return MRN_ERR_INPUT;
    }
    if (strlen(rest) > 23)
        return mrn_check_fail(c, n, "a shorter unit", "%s: the unit '%.60s' is too long", what,
                              rest);
    snprintf(unit, 24, "%s", rest);
    return MRN_OK;
}

static mrn_status read_value(mrn_calibration_reader *r, const mrn_node *n, const char *what,
                             mrn_parameter *p, double *value)
{
    char unit[24];
    mrn_status s = split_quantity(r, n, what, value, unit);
    if (s != MRN_OK || strcmp(unit, p->unit) == 0)
        return s;
    char expected[80];
    snprintf(expected, sizeof expected, "%s%s",
             p->unit[0] != '\0' ? "a number in " : "a bare number", p->unit);
    return mrn_check_fail(&r->check, n, expected,
                          "%s is %.60s, and the lower bound has %s%s: all have the same unit", what,
                          n->text, p->unit[0] != '\0' ? "the unit " : "none", p->unit);
}

static mrn_status check_bounds(mrn_calibration_reader *r, const mrn_node *n, const mrn_parameter *p)
{
    const mrn_check *c = &r->check;
    const mrn_node *bounds = mrn_node_get(n, "bounds"), *start = mrn_node_get(n, "start");
    if (!(p->lo < p->hi))
        return mrn_check_fail(c, bounds, "the lower one first", "the bounds are %s: %.60s, %.60s",
                              p->lo == p->hi ? "equal" : "crossed", bounds->first->text,
                              bounds->last->text);
    if (p->log && !(p->lo > 0)) {
        mrn_check_fail(c, bounds->first, "more than 0",
                       "with scale log the lower bound cannot be %.60s", bounds->first->text);
        return mrn_fail_hint(c->msg, "a small positive one, or  scale: linear");
    }
    if (start != NULL && !(p->start >= p->lo && p->start <= p->hi))
        return mrn_check_fail(c, start, "a value within the bounds",
                              "the start of '%s' is outside its bounds", p->name);
    return MRN_OK;
}

static mrn_status read_range(mrn_calibration_reader *r, const mrn_node *n, mrn_parameter *p)
{
    const mrn_node *bounds = mrn_node_get(n, "bounds"), *start = mrn_node_get(n, "start");
    const mrn_node *scale = mrn_node_get(n, "scale");
    snprintf(p->name, sizeof p->name, "%.63s", n->key->text);
    p->start = NAN;
    p->log = scale != NULL && strcmp(scale->text, "log") == 0;
    mrn_status s = split_quantity(r, bounds->first, "the lower bound", &p->lo, p->unit);
    if (s == MRN_OK)
        s = read_value(r, bounds->last, "the upper bound", p, &p->hi);
    if (s == MRN_OK && start != NULL)
        s = read_value(r, start, "the start", p, &p->start);
    return s == MRN_OK ? check_bounds(r, n, p) : s;
}

/* ---- paths ---- */

/* The scalars of `sets`, one after another: `k` counts down to the one sought; *test is the entry
   of the mapping that it stands in. */
static const mrn_node *walk_paths(const mrn_node *n, int *k, const mrn_node **test)
{
    if (n->kind == MRN_NODE_SCALAR)
        return (*k)-- == 0 ? n : NULL;
    for (const mrn_node *x = n->first; x != NULL; x = x->next) {
        if (n->kind == MRN_NODE_MAP)
            *test = x->key;
        const mrn_node *found = walk_paths(x, k, test);
        if (found != NULL)
            return found;
    }
    return NULL;
}

const mrn_node *mrn_tuned_path_node(const mrn_calibration_reader *r, int tuned, int path)
{
    const mrn_node *test = NULL;
    return walk_paths(mrn_node_get(mrn_node_item(r->parameters, tuned), "sets"), &path, &test);
}

static int count_paths(const mrn_node *n)
{
    int count = 0;
    for (const mrn_node *x = n->first; x != NULL; x = x->next)
        count += count_paths(x);
    return n->kind == MRN_NODE_SCALAR ? 1 : count;
}

static mrn_status find_test(mrn_calibration_reader *r, const mrn_node *key, int *out)
{
    const char *names[64];
    int n = r->c->n_tests;
    for (int i = 0; i < n; i++) {
        names[i] = r->c->test[i].name;
        if (strcmp(names[i], key->text) == 0) {
            *out = i;
            return MRN_OK;
        }
    }
    return mrn_check_fail_word(&r->check, key, "test", key->text, names, n);
}

static mrn_status check_path(mrn_calibration_reader *r, const mrn_node *n)
{
    const char *p = n->text;
    size_t length = strlen(p);
    const mrn_check *c = &r->check;
    if (length >= 160)
        return mrn_check_fail(c, n, "a shorter path", "the path is longer than 159 bytes");
    if (length == 0 || p[0] == '.' || p[length - 1] == '.' || strstr(p, "..") != NULL)
        return mrn_check_fail(c, n, "a path such as interactions.0.friction",
                              "'%.80s' has an empty element", p);
    if (strchr(p, '=') == NULL)
        return MRN_OK;
    mrn_check_fail(c, n, "a path such as interactions.0.friction", "'%.80s' is not a path", p);
    return mrn_fail_hint(c->msg, "the value comes from the calibration: leave it out");
}

static mrn_status read_paths(mrn_calibration_reader *r, const mrn_node *sets, mrn_tuned *tuned)
{
    int n = count_paths(sets);
    mrn_status s = mrn_array(&tuned->path, n, sizeof *tuned->path, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&tuned->test, n, sizeof *tuned->test, r->check.msg);
    for (int i = 0; i < n && s == MRN_OK; i++) {
        const mrn_node *test = NULL;
        int k = i;
        const mrn_node *path = walk_paths(sets, &k, &test);
        tuned->test[i] = -1;
        s = check_path(r, path);
        if (s == MRN_OK && test != NULL)
            s = find_test(r, test, &tuned->test[i]);
        if (s == MRN_OK) {
            snprintf(tuned->path[i], sizeof *tuned->path, "%.159s", path->text);
            tuned->n_paths++;
        }
    }
    return s;
}

mrn_status mrn_calibration_read_tuned(mrn_calibration_reader *r)
{
    mrn_calibration *c = r->c;
    mrn_status s = mrn_array(&c->tuned, r->parameters->n, sizeof *c->tuned, r->check.msg);
    for (const mrn_node *n = r->parameters->first; n != NULL && s == MRN_OK; n = n->next) {
        mrn_tuned *tuned = &c->tuned[c->n_tuned++];
        s = read_range(r, n, &tuned->p);
        if (s == MRN_OK)
            s = read_paths(r, mrn_node_get(n, "sets"), tuned);
    }
    return s;
}

/* ---- paths that meet ---- */

/* A path with the items of lists by their numbers, so that two ways to say the same are one. What
   is not there stays as it is written. */
static void canonical(const mrn_node *root, const char *path, char out[256])
{
    const mrn_node *at = root;
    size_t used = 0;
    out[0] = '\0';
    while (*path != '\0' && used + 1 < 256) {
        char step[256];
        size_t n = strcspn(path, ".");
        snprintf(step, sizeof step, "%.*s", (int)n, path);
        const mrn_node *next = mrn_node_get(at, step);
        if (at != NULL && at->kind == MRN_NODE_LIST) {
            int i = 0;
            for (next = at->first; next != NULL; next = next->next, i++) {
                const mrn_node *name = mrn_node_get(next, "name");
                char number[16];
                snprintf(number, sizeof number, "%d", i);
                if (strcmp(number, step) == 0 || (name != NULL && name->kind == MRN_NODE_SCALAR &&
                                                  strcmp(name->text, step) == 0))
                    break;
            }
            if (next != NULL)
                snprintf(step, sizeof step, "%d", i);
        }
        at = next;
        used += (size_t)snprintf(out + used, 256 - used, "%s%s", used > 0 ? "." : "", step);
        path += n + (path[n] == '.');
    }
}

/* The same place, or one within the other. */
static bool meet(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;
    return strncmp(a, b, least) == 0 && (n == m || (n < m ? b[n] : a[m]) == '.');
}

/* Something that changes a scene, and where the calibration says so. */
typedef struct claim {
    char path[256];
    const char *who; /* the parameter, or NULL: the test's `set` */
    const mrn_node *at;
} claim;

static mrn_status fail_claim(mrn_calibration_reader *r, int test, const claim *a, const claim *b)
{
    const mrn_check *c = &r->check;
    const char *name = r->c->test[test].name;
    if (a->who == NULL && b->who == NULL)
        return mrn_check_fail(c, b->at, "one of them", "'%.80s' is set twice in test '%s'", b->path,
                              name);
    if (a->who == NULL || b->who == NULL)
        return mrn_check_fail(c, b->at, "a path that the test leaves alone",
                              "'%.80s' is set in test '%s' already, by its own `set`", b->path,
                              name);
    if (strcmp(a->who, b->who) == 0)
        return mrn_check_fail(c, b->at, "each path once", "'%s' sets '%.80s' twice in test '%s'",
                              a->who, b->path, name);
    mrn_check_fail(c, b->at, "a path of its own", "'%s' and '%s' both set '%.80s' in test '%s'",
                   a->who, b->who, b->path, name);
    return mrn_fail_hint(c->msg, "{TEST: path} sets it in one test alone");
}

static mrn_status check_claim(mrn_calibration_reader *r, int test, claim *all, int n)
{
    const claim *last = &all[n];
    if (meet(last->path, "seed")) {
        mrn_check_fail(&r->check, last->at, "another path",
                       "'seed' is not to be set: every run has a seed of its own");
        return mrn_fail_hint(r->check.msg, "calibrate: {seed: 1} is where they all come from");
    }
    for (int i = 0; i < n; i++)
        if (meet(all[i].path, last->path))
            return fail_claim(r, test, &all[i], last);
    return MRN_OK;
}

static mrn_status check_claims(mrn_calibration_reader *r, int test, const mrn_node *root,
                               claim *all)
{
    const mrn_calibration *c = r->c;
    const mrn_node *set = mrn_node_get(mrn_node_item(r->tests, test), "set");
    mrn_status s = MRN_OK;
    int n = 0;
    for (const mrn_node *x = set != NULL ? set->first : NULL; x != NULL && s == MRN_OK;
         x = x->next) {
        all[n] = (claim){.at = x->key};
        canonical(root, x->key->text, all[n].path);
        s = check_claim(r, test, all, n++);
    }
    for (int i = 0; i < c->n_tuned; i++)
        for (int k = 0; k < c->tuned[i].n_paths && s == MRN_OK; k++)
            if (mrn_tuned_sets(&c->tuned[i], k, test)) {
                all[n] = (claim){.who = c->tuned[i].p.name, .at = mrn_tuned_path_node(r, i, k)};
                canonical(root, c->tuned[i].path[k], all[n].path);
                s = check_claim(r, test, all, n++);
            }
    return s;
}

/* A test whose scene no parameter changes tells nothing about any. */
static mrn_status check_changed(mrn_calibration_reader *r, int test)
{
    const mrn_calibration *c = r->c;
    for (int i = 0; i < c->n_tuned; i++)
        for (int k = 0; k < c->tuned[i].n_paths; k++)
            if (mrn_tuned_sets(&c->tuned[i], k, test))
                return MRN_OK;
    mrn_check_fail(&r->check, mrn_node_item(r->tests, test)->key, "a test that parameters change",
                   "no parameter sets anything in test '%s': it tells nothing about them",
                   c->test[test].name);
    return mrn_fail_hint(r->check.msg, "take it out, or give `sets` a path for it");
}

mrn_status mrn_calibration_check_paths(mrn_calibration_reader *r)
{
    mrn_status s = MRN_OK;
    for (int t = 0; t < r->c->n_tests && s == MRN_OK; t++) {
        const mrn_virtual_test *test = &r->c->test[t];
        claim *all = NULL;
        mrn_tree tree = {.file = test->path};
        s = check_changed(r, t);
        if (s == MRN_OK)
            s = mrn_tree_parse(&tree, test->text, strlen(test->text), r->check.msg);
        if (s == MRN_OK)
            s = mrn_array(&all, mrn_virtual_changes(r->c, t), sizeof *all, r->check.msg);
        if (s == MRN_OK)
            s = check_claims(r, t, tree.root, all);
        mrn_free(all);
        mrn_tree_destroy(&tree);
    }
    return s;
}
