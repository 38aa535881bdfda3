/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON schema and the reference come from the same tables as the reader: they must know every
   law, shape and key. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"
#include "scene/format.h"

static char *printed(mrn_status (*print)(FILE *))
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(print(f), MRN_OK);
    fclose(f);
    return text;
}

static json_t *load_schema(void)
{
    char *text = printed(mrn_scene_schema);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static json_t *path(json_t *at, const char *a, const char *b, const char *c)
{
    at = json_object_get(at, a);
    at = b != NULL ? json_object_get(at, b) : at;
    return c != NULL ? json_object_get(at, c) : at;
}

static void test_frame(void **state)
{
    (void)state;
    json_t *root = load_schema();
    assert_string_equal(json_string_value(path(root, "$schema", NULL, NULL)),
                        "https://json-schema.org/draft/2020-12/schema");
    assert_true(json_is_false(path(root, "additionalProperties", NULL, NULL)));
    mrn_keys keys;
    mrn_schema_keys(&mrn_schema_scene, NULL, &keys);
    assert_int_equal(json_object_size(path(root, "properties", NULL, NULL)), keys.n);
    json_t *step = path(root, "properties", "time-step", "anyOf");
    assert_int_equal(json_array_size(step), 2);
    json_decref(root);
}

/* The `then` of the law's case in the definition of an interaction. */
static json_t *law_case(json_t *root, const char *def, const char *law)
{
    json_t *one;
    size_t i;
    json_array_foreach(path(root, "$defs", def, "allOf"), i, one)
    {
        json_t *name = path(path(one, "if", "properties", "law"), "const", NULL, NULL);
        if (strcmp(json_string_value(name), law) == 0)
            return json_object_get(one, "then");
    }
    return NULL;
}

static void test_laws(void **state)
{
    (void)state;
    json_t *root = load_schema();
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        json_t *then = law_case(root, "interaction", m->name);
        assert_non_null(then);
        assert_true(json_is_false(json_object_get(then, "additionalProperties")));
        const mrn_param *param[MRN_PARAM_MAX];
        int n = mrn_law_model_params(m, param);
        for (int k = 0; k < n; k++) {
            json_t *p = path(then, "properties", param[k]->name, NULL);
            assert_non_null(p);
            assert_non_null(json_object_get(p, "description"));
            if (param[k]->kind == MRN_P_NUMBER && param[k]->max == 1)
                assert_true(json_number_value(json_object_get(p, "maximum")) == 1);
        }
    }
    json_decref(root);
}

static void test_shapes(void **state)
{
    (void)state;
    json_t *root = load_schema();
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        json_t *key = path(path(root, "$defs", t->grain ? "shape" : "wall", "properties"), t->name,
                           "$ref", NULL);
        char want[100], def[100];
        snprintf(want, sizeof want, "#/$defs/shape-%s", t->name);
        snprintf(def, sizeof def, "shape-%s", t->name);
        assert_non_null(key);
        assert_string_equal(json_string_value(key), want);
        json_t *body = path(root, "$defs", def, NULL);
        if (json_object_get(body, "anyOf") != NULL)
            body = json_array_get(json_object_get(body, "anyOf"), 1);
        for (int k = 0; k < t->n_params; k++)
            assert_non_null(path(body, "properties", t->params[k].name, NULL));
    }
    json_decref(root);
}

/* Options of solvers come from their own tables. */
static void test_solvers(void **state)
{
    (void)state;
    json_t *root = load_schema();
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *solver = mrn_solver_at(i);
        char def[100];
        snprintf(def, sizeof def, "solver-%s", solver->name);
        json_t *body = path(root, "$defs", def, NULL);
        assert_non_null(body);
        assert_non_null(
            path(path(root, "$defs", "solver", "properties"), solver->name, "$ref", NULL));
        for (int k = 0; k < solver->n_params; k++)
            assert_non_null(path(body, "properties", solver->params[k].name, NULL));
    }
    const char *const keys[] = {"theta", "solver", "unsolved", "storage", "projection"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(path(path(root, "$defs", "nonsmooth", "properties"), keys[i], NULL, NULL));
    json_decref(root);
}

/* No reference of the schema leads nowhere. */
static void follow(json_t *root, json_t *at)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(at))
        json_array_foreach(at, i, value) follow(root, value);
    if (!json_is_object(at))
        return;
    json_object_foreach(at, key, value)
    {
        if (strcmp(key, "$ref") == 0)
            assert_true(json_is_object(
                path(root, "$defs", json_string_value(value) + strlen("#/$defs/"), NULL)));
        else
            follow(root, value);
    }
}

/* Every list of words has words; returns how many lists there are. */
static int words_in(json_t *at)
{
    int n = 0;
    json_t *one;
    const char *key;
    size_t i;
    json_array_foreach(at, i, one) n += words_in(one);
    json_object_foreach(at, key, one)
    {
        if (strcmp(key, "enum") == 0 && json_is_array(one)) {
            assert_true(json_array_size(one) > 0);
            n++;
        }
        n += words_in(one);
    }
    return n;
}

static void test_words(void **state)
{
    (void)state;
    json_t *root = load_schema();
    assert_true(words_in(root) > 10);
    json_decref(root);
}

static void test_references(void **state)
{
    (void)state;
    json_t *root = load_schema();
    follow(root, root);
    json_decref(root);
}

static void test_page(void **state)
{
    (void)state;
    char *text = printed(mrn_scene_reference), word[200];
    for (int i = 0; i < mrn_law_model_count(); i++) {
        snprintf(word, sizeof word, "### law %s", mrn_law_model_at(i)->name);
        assert_non_null(strstr(text, word));
    }
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        snprintf(word, sizeof word, "### %s\n", mrn_shape_type_at(i)->name);
        assert_non_null(strstr(text, word));
    }
    for (int i = 0; i < mrn_solver_count(); i++) {
        snprintf(word, sizeof word, "### %s\n", mrn_solver_at(i)->name);
        assert_non_null(strstr(text, word));
    }
    for (int i = 0; i < mrn_probe_count(); i++) {
        snprintf(word, sizeof word, "| `%s` |", mrn_probe_at(i)->name);
        assert_non_null(strstr(text, word));
    }
    const char *sections[] = {"scene", "material", "interaction",   "body group",    "wall",
                              "cell",  "stage",    "output",        "motion",        "condition",
                              "size",  "lattice",  "nonsmooth",     "joint",         "hinge joint",
                              "drive", "solvers",  "crushed stone", "random polygon"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        snprintf(word, sizeof word, "\n## %s\n", sections[i]);
        assert_non_null(strstr(text, word));
    }
    free(text);
}

/* A full disk is stated. */
static void test_disk_full(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(mrn_scene_schema(full), MRN_ERR_IO);
    assert_int_equal(mrn_scene_reference(full), MRN_ERR_IO);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),  cmocka_unit_test(test_laws),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_references),
        cmocka_unit_test(test_page),   cmocka_unit_test(test_disk_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
