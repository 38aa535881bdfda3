/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of scenes and of the lab as JSON Schema (draft 2020-12), from the tables: editors
   complete and check scenes with it. Each kind of mapping is one definition; laws choose their
   parameters by if/then on `law`. */
#include <jansson.h>
#include <string.h>

#include "moraine/io.h"
#include "scene/format.h"
#include "scene/units.h"

#define NUMBER "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
/* a number, then nothing or a unit: a letter, % or °, or "1/s" */
#define QUANTITY_PATTERN "^" NUMBER "( *([A-Za-z%°µμΩ]|1/).*)?$"
#define NAME_PATTERN     "^(?![0-9]+$)[^\\s.,:;/\\\\'\"()\\[\\]{}]{1,63}$"

/* jansson functions take NULL for a failed part and answer -1: one flag tells at the end. */
typedef struct writer {
    json_t *defs;
    bool failed;
} writer;

static json_t *schema_of(writer *w, const mrn_schema *f);

static void put(writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        w->failed = true;
}

static void push(writer *w, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        w->failed = true;
}

static json_t *typed(writer *w, const char *type)
{
    json_t *o = json_object();
    put(w, o, "type", json_string(type));
    return o;
}

static void put_range(writer *w, json_t *o, const mrn_schema *f)
{
    if (isfinite(f->min))
        put(w, o, f->min_open ? "exclusiveMinimum" : "minimum", json_real(f->min));
    if (isfinite(f->max))
        put(w, o, "maximum", json_real(f->max));
}

/* "number" and "string" at once: bounds hold for bare numbers (SI), the pattern for texts. */
static json_t *quantity(writer *w, const mrn_schema *f)
{
    json_t *o = json_object();
    put(w, o, "type", json_pack("[ss]", "number", "string"));
    put(w, o, "pattern", json_string(QUANTITY_PATTERN));
    if (f->kind != MRN_SCHEMA_MEASURE) {
        put(w, o, "description",
            json_sprintf("%s (a bare number: %s)", mrn_unit_noun(f->unit),
                         strcmp(f->unit, "1") == 0 ? "pure" : f->unit));
        put_range(w, o, f);
    }
    return o;
}

static json_t *array_of(writer *w, json_t *items, int least, int most)
{
    json_t *o = typed(w, "array");
    put(w, o, "items", items);
    if (least > 0)
        put(w, o, "minItems", json_integer(least));
    if (most > 0)
        put(w, o, "maxItems", json_integer(most));
    return o;
}

static json_t *either(writer *w, json_t *const *of, int n)
{
    json_t *list = json_array(), *o = json_object();
    for (int i = 0; i < n; i++)
        push(w, list, of[i]);
    put(w, o, "anyOf", list);
    return o;
}

static json_t *words(writer *w, const char *const *list)
{
    json_t *o = typed(w, "string"), *all = json_array();
    for (int i = 0; list[i] != NULL; i++)
        push(w, all, json_string(list[i]));
    put(w, o, "enum", all);
    return o;
}

static json_t *law_names(writer *w)
{
    json_t *o = typed(w, "string"), *all = json_array();
    for (int i = 0; i < mrn_law_model_count(); i++)
        push(w, all, json_string(mrn_law_model_at(i)->name));
    put(w, o, "enum", all);
    return o;
}

static json_t *solver_names(writer *w)
{
    json_t *o = typed(w, "string"), *all = json_array();
    for (int i = 0; i < mrn_solver_count(); i++)
        push(w, all, json_string(mrn_solver_at(i)->name));
    put(w, o, "enum", all);
    return o;
}

static json_t *part_names(writer *w, mrn_law_kind kind)
{
    json_t *o = typed(w, "string"), *all = json_array();
    for (int i = 0; i < mrn_law_count(); i++)
        if (mrn_law_at(i)->kind == kind)
            push(w, all, json_string(mrn_law_at(i)->name));
    push(w, all, json_string("none"));
    put(w, o, "enum", all);
    return o;
}

/* A number (SI), a text (quantity or expression), or the mapping. */
static json_t *signal_of(writer *w, const mrn_schema *f)
{
    json_t *plain = json_object();
    put(w, plain, "type", json_pack("[ss]", "number", "string"));
    put(w, plain, "description",
        json_sprintf("%s (a bare number: %s), or an expression of t and s", mrn_unit_noun(f->unit),
                     f->unit));
    put_range(w, plain, f);
    return either(w, (json_t *[]){plain, schema_of(w, f->map)}, 2);
}

static json_t *pattern(writer *w, const char *text)
{
    json_t *o = typed(w, "string");
    put(w, o, "pattern", json_string(text));
    return o;
}

/* ---- mappings ---- */

static json_t *property(writer *w, const mrn_key *k)
{
    json_t *o = schema_of(w, k->schema);
    char words[80];
    const char *usual = mrn_key_usual(k, words, sizeof words);
    /* beside a reference a description may stand; it then goes before the definition's own */
    put(w, o, "description",
        usual != NULL ? json_sprintf("%s Default: %s.", k->doc, usual) : json_string(k->doc));
    if (k->example != NULL)
        put(w, o, "markdownDescription",
            json_sprintf("%s\n\nExample: `%s: %s`%s%s", k->doc, k->name, k->example,
                         usual != NULL ? "\n\nDefault: " : "", usual != NULL ? usual : ""));
    return o;
}

/* Of the keys of a group exactly one, or at most one, may stand. */
static void put_groups(writer *w, json_t *o, const mrn_keys *keys, bool relaxed)
{
    json_t *all = json_array();
    char seen[16] = "";
    for (int i = 0; i < keys->n; i++) {
        char g[2] = {keys->key[i].group, '\0'};
        if (g[0] == '\0' || strchr(seen, g[0]) != NULL || strlen(seen) + 1 >= sizeof seen)
            continue;
        strcat(seen, g);
        json_t *one = json_array();
        json_t *some = json_array();
        for (int k = i; k < keys->n; k++)
            if (keys->key[k].group == g[0]) {
                push(w, one, json_pack("{s:[s]}", "required", keys->key[k].name));
                push(w, some, json_pack("{s:[s]}", "required", keys->key[k].name));
            }
        if (relaxed || strchr(keys->one_of, g[0]) == NULL)
            push(w, one, json_pack("{s:{s:o}}", "not", "anyOf", some));
        else
            json_decref(some);
        push(w, all, json_pack("{s:o}", "oneOf", one));
    }
    for (int i = 0; i < keys->n && !relaxed; i++) {
        const mrn_key *k = &keys->key[i];
        if (k->required && k->unless != NULL)
            push(w, all,
                 json_pack("{s:[{s:[s]}, {s:[s]}]}", "anyOf", "required", k->unless, "required",
                           k->name));
    }
    if (json_array_size(all) > 0)
        put(w, o, "allOf", all);
    else
        json_decref(all);
}

/* Properties, required keys and groups of a mapping into `o`. */
static void put_keys(writer *w, json_t *o, const mrn_keys *keys, bool relaxed)
{
    json_t *properties = json_object(), *required = json_array();
    for (int i = 0; i < keys->n; i++) {
        put(w, properties, keys->key[i].name, property(w, &keys->key[i]));
        if (keys->key[i].required && keys->key[i].unless == NULL && !relaxed)
            push(w, required, json_string(keys->key[i].name));
    }
    put(w, o, "properties", properties);
    put(w, o, "required", required);
    put(w, o, "additionalProperties", json_false());
    put_groups(w, o, keys, relaxed);
}

/* if law is NAME then only its parameters may stand; open properties above, closed ones here. */
static json_t *law_case(writer *w, const mrn_schema *f, const mrn_law_model *law)
{
    mrn_keys keys;
    mrn_schema_keys(f, law, &keys);
    json_t *then = json_object(), *o = json_object();
    put_keys(w, then, &keys, false);
    put(w, o, "if",
        json_pack("{s:{s:{s:s}}, s:[s]}", "properties", "law", "const", law->name, "required",
                  "law"));
    put(w, o, "then", then);
    return o;
}

/* Without `law` in a change, or with a mixture of laws, any parameter of any law may stand. */
static void put_any_law(writer *w, json_t *o, const mrn_schema *f)
{
    json_t *properties = json_object();
    for (int i = 0; i < mrn_law_model_count(); i++) {
        mrn_keys keys;
        mrn_schema_keys(f, mrn_law_model_at(i), &keys);
        for (int k = 0; k < keys.n; k++)
            put(w, properties, keys.key[k].name, property(w, &keys.key[k]));
    }
    for (int i = 0; i < mrn_law_count(); i++) {
        const mrn_law *law = mrn_law_at(i);
        mrn_law_model alone = {.part = {[0] = NULL}};
        alone.part[law->kind] = law;
        mrn_keys keys;
        mrn_schema_keys(f, &alone, &keys);
        for (int k = 0; k < keys.n; k++)
            if (json_object_get(properties, keys.key[k].name) == NULL)
                put(w, properties, keys.key[k].name, property(w, &keys.key[k]));
    }
    put(w, o, "properties", properties);
    put(w, o, "additionalProperties", json_false());
}

static json_t *law_map(writer *w, const mrn_schema *f)
{
    json_t *o = typed(w, "object"), *cases = json_array();
    put_any_law(w, o, f);
    json_t *required = json_array();
    for (const mrn_key *k = f->keys; k->name != NULL; k++)
        if (k->required)
            push(w, required, json_string(k->name));
    put(w, o, "required", required);
    for (int i = 0; i < mrn_law_model_count(); i++)
        push(w, cases, law_case(w, f, mrn_law_model_at(i)));
    put(w, o, "allOf", cases);
    return o;
}

static void put_some_of(writer *w, json_t *o, const char *const *keys)
{
    json_t *some = json_array();
    for (int i = 0; keys[i] != NULL; i++)
        push(w, some, json_pack("{s:[s]}", "required", keys[i]));
    put(w, o, "anyOf", some);
}

static json_t *map_body(writer *w, const mrn_schema *f)
{
    if (f->more == MRN_MORE_LAW)
        return law_map(w, f);
    mrn_keys keys;
    mrn_schema_keys(f, NULL, &keys);
    json_t *o = typed(w, "object");
    put_keys(w, o, &keys, false);
    if (f->at_least > 0)
        put(w, o, "minProperties", json_integer(f->at_least));
    if (f->some_of != NULL)
        put_some_of(w, o, f->some_of);
    const mrn_param *main = f->shape != NULL ? mrn_shape_main_param(f->shape) : NULL;
    if (main == NULL)
        return o;
    mrn_schema list = mrn_schema_of_param(main);
    return either(w, (json_t *[]){schema_of(w, &list), o}, 2);
}

/* A named mapping is written once, as a definition. */
static json_t *map(writer *w, const mrn_schema *f)
{
    char name[100];
    const char *prefix = f->shape != NULL ? "shape-" : f->solver != NULL ? "solver-" : "";
    snprintf(name, sizeof name, "%s%s", prefix, f->name);
    for (char *p = name; *p != '\0'; p++)
        *p = *p == ' ' ? '-' : *p;
    if (json_object_get(w->defs, name) == NULL) {
        put(w, w->defs, name, json_object()); /* taken, should it meet itself */
        json_t *body = map_body(w, f);
        put(w, body, "title", json_string(f->name));
        put(w, body, "description", json_string(f->doc != NULL ? f->doc : f->name));
        put(w, w->defs, name, body);
    }
    json_t *o = json_object();
    put(w, o, "$ref", json_sprintf("#/$defs/%s", name));
    return o;
}

static json_t *table(writer *w, const mrn_schema *f)
{
    json_t *o = typed(w, "object");
    if (!f->paths) {
        json_t *names = json_object();
        put(w, names, "pattern", json_string(NAME_PATTERN));
        put(w, o, "propertyNames", names);
    }
    put(w, o, "additionalProperties", schema_of(w, f->item));
    if (f->at_least > 0)
        put(w, o, "minProperties", json_integer(f->at_least));
    return o;
}

static json_t *alternatives(writer *w, const mrn_schema *f)
{
    const mrn_schema *of[] = {f->scalar, f->list, f->map};
    json_t *made[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (of[i] != NULL)
            made[n++] = schema_of(w, of[i]);
    return either(w, made, n);
}

static json_t *integer(writer *w, const mrn_schema *f)
{
    json_t *o = typed(w, "integer");
    put(w, o, "minimum", json_integer((json_int_t)f->min));
    if (f->max < 9e15)
        put(w, o, "maximum", json_integer((json_int_t)f->max));
    return o;
}

static json_t *schema_of(writer *w, const mrn_schema *f)
{
    switch (f->kind) {
    case MRN_SCHEMA_QUANTITY:
    case MRN_SCHEMA_MEASURE:
        return quantity(w, f);
    case MRN_SCHEMA_INTEGER:
        return integer(w, f);
    case MRN_SCHEMA_FLAG:
        return typed(w, "boolean");
    case MRN_SCHEMA_NAME:
        return pattern(w, NAME_PATTERN);
    case MRN_SCHEMA_TEXT:
    case MRN_SCHEMA_FILE:
    case MRN_SCHEMA_PROBE:
        return typed(w, "string");
    case MRN_SCHEMA_WORD:
        return words(w, f->words);
    case MRN_SCHEMA_LAW:
        return law_names(w);
    case MRN_SCHEMA_SOLVER:
        return solver_names(w);
    case MRN_SCHEMA_PART:
        return part_names(w, f->part);
    case MRN_SCHEMA_SIGNAL:
        return signal_of(w, f);
    case MRN_SCHEMA_SIGNALS:
        return array_of(w, signal_of(w, f), 2, 3);
    case MRN_SCHEMA_TURNS:
        return either(w, (json_t *[]){signal_of(w, f), array_of(w, signal_of(w, f), 3, 3)}, 2);
    case MRN_SCHEMA_VECTOR:
        return array_of(w, quantity(w, f), 2, 3);
    case MRN_SCHEMA_SPIN:
        return either(w, (json_t *[]){quantity(w, f), array_of(w, quantity(w, f), 3, 3)}, 2);
    case MRN_SCHEMA_BOX:
        return array_of(w, array_of(w, quantity(w, f), 2, 3), 2, 2);
    case MRN_SCHEMA_LIST:
        return array_of(w, schema_of(w, f->item), f->at_least, f->at_most);
    case MRN_SCHEMA_TABLE:
        return table(w, f);
    case MRN_SCHEMA_MAP:
        return map(w, f);
    case MRN_SCHEMA_EITHER:
        return alternatives(w, f);
    }
    return json_object();
}

static mrn_status write_schema(const mrn_schema *schema, const char *id, const char *title,
                               FILE *out)
{
    writer w = {.defs = json_object()};
    json_t *root = json_object();
    put(&w, root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    put(&w, root, "$id", json_string(id));
    put(&w, root, "title", json_string(title));
    json_t *body = map_body(&w, schema);
    if (json_object_update(root, body) != 0)
        w.failed = true;
    json_decref(body);
    put(&w, root, "description", json_string(schema->doc));
    put(&w, root, "$defs", w.defs);
    bool written =
        !w.failed && json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    if (w.failed)
        return MRN_ERR_MEMORY;
    return written ? MRN_OK : MRN_ERR_IO;
}

mrn_status mrn_scene_schema(FILE *out)
{
    return write_schema(&mrn_schema_scene, "urn:moraine:scene:1", "Moraine scene", out);
}

mrn_status mrn_lab_schema(FILE *out)
{
    return write_schema(&mrn_schema_lab, "urn:moraine:lab:1", "Moraine lab file", out);
}

mrn_status mrn_calibration_schema(FILE *out)
{
    return write_schema(&mrn_schema_calibration, "urn:moraine:calibration:1", "Moraine calibration",
                        out);
}
