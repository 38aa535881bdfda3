/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from the rows of keys.h without any file: defaults, checks, hashes, words. Each is
   one walk over the rows of a mapping; a row leads to its member by its offset. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/keys.h"
#include "model/model.h"

const mrn_key *mrn_key_find(const mrn_schema *map, const char *name)
{
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

bool mrn_key_counts(const mrn_scene *s, const char *name)
{
    const mrn_key *k = mrn_key_find(&mrn_schema_scene, name);
    bool runs = k == NULL || !k->choices || mrn_method_has_options(s->method, name);
    for (int i = 0; i < s->n_stages; i++)
        runs = runs || mrn_method_has_options(s->stage[i].method, name);
    return runs;
}

const mrn_schema *mrn_key_map(const mrn_key *k)
{
    if (k->schema->kind == MRN_SCHEMA_EITHER)
        return k->schema->map;
    return k->schema->kind == MRN_SCHEMA_MAP ? k->schema : NULL;
}

/* The schema of the value itself: of a choice the one that is no mapping. */
static const mrn_schema *value_of(const mrn_key *k)
{
    const mrn_schema *s = k->schema;
    return s->kind == MRN_SCHEMA_EITHER ? (s->scalar != NULL ? s->scalar : s->list) : s;
}

static int n_words(const mrn_schema *s)
{
    int n = 0;
    while (s->words != NULL && s->words[n] != NULL)
        n++;
    return n;
}

/* Numbers of all kinds as one; the bits of an enum are those of an unsigned. */
static double number_at(const mrn_key *k, const void *member)
{
    switch (k->member) {
    case MRN_MEMBER_NUMBER:
        return *(const double *)member;
    case MRN_MEMBER_INT:
        return *(const int *)member;
    case MRN_MEMBER_COUNT:
        return (double)*(const int64_t *)member;
    case MRN_MEMBER_SEED:
        return (double)*(const uint64_t *)member;
    case MRN_MEMBER_FLAG:
        return *(const bool *)member;
    case MRN_MEMBER_WORD: {
        unsigned word;
        memcpy(&word, member, sizeof word);
        return word;
    }
    default:
        return 0;
    }
}

/* A key with a mark stands only where the flag says so; its member may be another key's. */
static bool stands(const mrn_key *k, const void *object)
{
    return k->mark == 0 || *((const bool *)object + k->mark - 1);
}

/* ---- defaults ---- */

static void set_default(const mrn_key *k, void *member)
{
    switch (k->member) {
    case MRN_MEMBER_NUMBER:
        *(double *)member = k->usual;
        return;
    case MRN_MEMBER_INT:
        *(int *)member = (int)k->usual;
        return;
    case MRN_MEMBER_COUNT:
        *(int64_t *)member = (int64_t)k->usual;
        return;
    case MRN_MEMBER_SEED:
        *(uint64_t *)member = (uint64_t)k->usual;
        return;
    case MRN_MEMBER_FLAG:
        *(bool *)member = k->usual != 0;
        return;
    case MRN_MEMBER_WORD: {
        unsigned word = (unsigned)k->usual;
        memcpy(member, &word, sizeof word);
        return;
    }
    case MRN_MEMBER_TEXT:
        snprintf(member, k->size, "%s", k->text != NULL ? k->text : "");
        return;
    default: /* vectors and signals are 0, as all of a struct that was just made */
        return;
    }
}

void mrn_keys_default(const mrn_schema *map, void *object)
{
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL; k++) {
        if (k->member == MRN_MEMBER_NONE || k->scene != 0)
            continue;
        char *member = (char *)object + k->at;
        set_default(k, member);
        if (mrn_key_map(k) != NULL)
            mrn_keys_default(mrn_key_map(k), member);
    }
}

/* ---- words ---- */

/* "2e+06" as people write it: 2e6. */
static void trim_exponent(char *buf)
{
    char *e = strchr(buf, 'e');
    if (e == NULL)
        return;
    char *from = e + 1 + (e[1] == '+'), *to = e + 1;
    if (*from == '-')
        *to++ = *from++;
    while (*from == '0' && from[1] != '\0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

/* All digits that it has; with a power of ten where that is shorter, of large numbers much. */
static void number_text(double v, char *buf, size_t size)
{
    char power[40];
    snprintf(buf, size, "%.15g", v);
    if (strtod(buf, NULL) != v)
        snprintf(buf, size, "%.17g", v);
    trim_exponent(buf);
    for (int digits = 0; digits < 17; digits++) {
        snprintf(power, sizeof power, "%.*e", digits, v);
        if (strtod(power, NULL) == v)
            break;
    }
    trim_exponent(power);
    if (isfinite(v) && strlen(power) + (fabs(v) < 1 ? 1 : 3) <= strlen(buf))
        snprintf(buf, size, "%s", power);
}

static void quantity_text(const mrn_schema *s, double v, char *buf, size_t size)
{
    char number[40];
    number_text(v, number, sizeof number);
    bool pure = s->unit == NULL || strcmp(s->unit, "1") == 0 || v == 0;
    snprintf(buf, size, "%s%s%s", number, pure ? "" : " ", pure ? "" : s->unit);
}

static void simple_text(const mrn_key *k, double v, char *buf, size_t size)
{
    const mrn_schema *s = value_of(k);
    if (s->kind == MRN_SCHEMA_WORD)
        snprintf(buf, size, "%s", v >= 0 && v < n_words(s) ? s->words[(int)v] : "?");
    else if (k->member == MRN_MEMBER_FLAG)
        snprintf(buf, size, "%s", v != 0 ? "true" : "false");
    else
        quantity_text(s, v, buf, size);
}

static void signal_text(const mrn_schema *s, const mrn_signal *x, char *buf, size_t size)
{
    if (x->kind == MRN_SIGNAL_CONSTANT)
        quantity_text(s, x->constant, buf, size);
    else if (x->kind == MRN_SIGNAL_TABLE)
        snprintf(buf, size, "{table: %s}", x->text != NULL ? x->text : "?");
    else
        snprintf(buf, size, "\"%s\"", x->text != NULL ? x->text : "?");
}

/* In quotes, unless it is a word. */
static void quoted_text(const char *text, char *buf, size_t size)
{
    bool word = text[0] != '\0';
    for (const char *p = text; *p != '\0'; p++)
        word = word && (isalnum((unsigned char)*p) || *p == '-' || *p == '_');
    size_t used = 0;
    for (const char *p = text; *p != '\0' && used + 4 < size; p++) {
        if (p == text && !word)
            buf[used++] = '"';
        if (*p == '"' || *p == '\\')
            buf[used++] = '\\';
        buf[used++] = *p;
    }
    snprintf(buf + used, size - used, "%s", word ? "" : text[0] != '\0' ? "\"" : "\"\"");
}

static void list_text(const mrn_key *k, const void *member, char *buf, size_t size)
{
    const double *edge = member;
    const mrn_signal *signal = member;
    size_t used = (size_t)snprintf(buf, size, "[");
    for (int i = 0; i < 3 && used < size; i++) {
        char one[200];
        if (k->member == MRN_MEMBER_SIGNALS)
            signal_text(value_of(k), &signal[i], one, sizeof one);
        else
            quantity_text(value_of(k), edge[i], one, sizeof one);
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i > 0 ? ", " : "", one);
    }
    if (used < size)
        snprintf(buf + used, size - used, "]");
}

static void map_text(const mrn_schema *map, const void *object, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "{");
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL && used < size; k++) {
        char value[512];
        if (k->member == MRN_MEMBER_NONE || !stands(k, object))
            continue;
        mrn_key_text(k, object, value, sizeof value);
        used += (size_t)snprintf(buf + used, size - used, "%s%s: %s", used > 1 ? ", " : "", k->name,
                                 value);
    }
    if (used < size)
        snprintf(buf + used, size - used, "}");
}

void mrn_key_text(const mrn_key *k, const void *object, char *buf, size_t size)
{
    const char *member = (const char *)object + k->at;
    switch (k->member) {
    case MRN_MEMBER_TEXT:
        quoted_text(member, buf, size);
        return;
    case MRN_MEMBER_METHOD: {
        const mrn_method *method = *(const mrn_method *const *)member;
        quoted_text(method != NULL ? method->name : k->text, buf, size);
        return;
    }
    case MRN_MEMBER_VECTOR:
    case MRN_MEMBER_EDGES:
    case MRN_MEMBER_SIGNALS:
        list_text(k, member, buf, size);
        return;
    case MRN_MEMBER_SIGNAL:
        signal_text(value_of(k), (const mrn_signal *)(const void *)member, buf, size);
        return;
    case MRN_MEMBER_STRUCT:
        map_text(mrn_key_map(k), member, buf, size);
        return;
    case MRN_MEMBER_SEED: /* exact beyond 2^53 */
        snprintf(buf, size, "%llu", (unsigned long long)*(const uint64_t *)(const void *)member);
        return;
    case MRN_MEMBER_NONE:
        snprintf(buf, size, "?");
        return;
    default:
        simple_text(k, number_at(k, member), buf, size);
    }
}

const char *mrn_key_usual(const mrn_key *k, char *buf, size_t size)
{
    if (k->fallback != NULL || k->required)
        return k->fallback;
    if (k->member == MRN_MEMBER_TEXT || k->member == MRN_MEMBER_METHOD)
        return k->text;
    if (k->member < MRN_MEMBER_NUMBER || k->member > MRN_MEMBER_WORD)
        return NULL;
    simple_text(k, k->usual, buf, size);
    return buf;
}

const char *mrn_key_word(const mrn_schema *map, const char *name, int value)
{
    const mrn_key *k = mrn_key_find(map, name);
    return k != NULL && value >= 0 && value < n_words(k->schema) ? k->schema->words[value] : "?";
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_usual(const mrn_key *k, const void *object)
{
    const char *member = (const char *)object + k->at;
    if (k->member == MRN_MEMBER_TEXT)
        return strcmp(member, k->text != NULL ? k->text : "") == 0;
    if (k->member == MRN_MEMBER_METHOD) {
        const mrn_method *method = *(const mrn_method *const *)member;
        return method == NULL || strcmp(method->name, k->text) == 0;
    }
    if (k->member >= MRN_MEMBER_NUMBER && k->member <= MRN_MEMBER_WORD)
        return !k->required && same(number_at(k, member), k->usual);
    return false;
}

/* Whether a mapping in place of the value says something. */
static bool says_more(const mrn_key *k, const void *object)
{
    const mrn_schema *map = k->schema->kind == MRN_SCHEMA_EITHER ? k->schema->map : NULL;
    bool more = false;
    for (const mrn_key *x = map != NULL ? map->keys : NULL; x != NULL && x->name != NULL; x++)
        more = more || !same(number_at(x, (const char *)object + k->at + x->at), x->usual);
    return more;
}

static void tell_value(const mrn_key *k, const void *object, const char *path, mrn_scene_tell *tell,
                       void *context)
{
    char text[1024], words[80];
    bool usual = is_usual(k, object);
    const char *said = usual ? mrn_key_usual(k, words, sizeof words) : NULL;
    mrn_key_text(k, object, text, sizeof text);
    tell(context, path, said != NULL ? said : text, usual);
}

void mrn_keys_tell(const mrn_schema *map, const void *object, const char *path,
                   mrn_scene_tell *tell, void *context)
{
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL; k++) {
        char inner[256];
        const char *member = (const char *)object + k->at;
        if (k->member == MRN_MEMBER_NONE || k->scene != 0 || k->choices || !stands(k, object))
            continue;
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", k->name);
        if (k->member == MRN_MEMBER_STRUCT || says_more(k, object))
            mrn_keys_tell(mrn_key_map(k), member, inner, tell, context);
        else
            tell_value(k, object, inner, tell, context);
    }
}

static void tell_stage(const mrn_scene *s, int stage, mrn_scene_tell *tell, void *context)
{
    const mrn_stage *g = &s->stage[stage];
    char path[100];
    snprintf(path, sizeof path, "stages.%d", stage);
    mrn_keys_tell(&mrn_schema_stage, g, path, tell, context);
    for (const mrn_key *k = mrn_schema_stage.keys; k->name != NULL; k++) {
        snprintf(path, sizeof path, "stages.%d.%s", stage, k->name);
        if (k->scene == 0 || !stands(k, g) || !mrn_key_counts(s, k->name))
            continue;
        if (k->schema->kind != MRN_SCHEMA_MAP)
            tell_value(k, g, path, tell, context);
        else
            mrn_keys_tell(k->schema, (const char *)g + k->at, path, tell, context);
    }
}

void mrn_scene_values(const mrn_scene *s, mrn_scene_tell *tell, void *context)
{
    mrn_keys_tell(&mrn_schema_scene, s, "", tell, context);
    for (const mrn_key *k = mrn_schema_scene.keys; k->name != NULL; k++)
        if (k->choices && mrn_key_counts(s, k->name))
            mrn_keys_tell(k->schema, (const char *)s + k->at, k->name, tell, context);
    for (int i = 0; i < s->n_materials; i++) {
        char path[2 * MRN_NAME];
        snprintf(path, sizeof path, "materials.%s", s->material[i].name);
        mrn_keys_tell(&mrn_schema_material, &s->material[i], path, tell, context);
    }
    for (int i = 0; i < s->n_stages; i++)
        tell_stage(s, i, tell, context);
}

/* ---- checks ---- */

static void range_text(const mrn_schema *s, char *buf, size_t size)
{
    char lo[60], hi[60];
    quantity_text(s, s->min, lo, sizeof lo);
    quantity_text(s, s->max, hi, sizeof hi);
    bool below = isfinite(s->max);
    if (isfinite(s->min))
        snprintf(buf, size, "%s %s%s%s", s->min_open ? "more than" : "at least", lo,
                 below ? ", at most " : "", below ? hi : "");
    else
        snprintf(buf, size, "%s%s", below ? "at most " : "a finite number", below ? hi : "");
}

static mrn_status fail_range(const mrn_owner *o, const mrn_key *k, double v)
{
    char text[240], value[80], range[160], expected[400], usual[80];
    const mrn_schema *s = value_of(k);
    quantity_text(s, v, value, sizeof value);
    range_text(s, range, sizeof range);
    snprintf(text, sizeof text, "its '%s' is out of range: %s", k->name, value);
    bool chosen = k->fallback != NULL && !k->required;
    simple_text(k, k->usual, usual, sizeof usual);
    snprintf(expected, sizeof expected, "%s%s%s%s%s", range, chosen ? "; " : "",
             chosen ? usual : "", chosen ? ": " : "", chosen ? k->fallback : "");
    return mrn_owner_fail(o, k->name, text, expected);
}

static mrn_status check_number(const mrn_owner *o, const mrn_key *k, double v, bool optional)
{
    const mrn_schema *s = value_of(k);
    bool ok = isfinite(v) && v >= s->min && v <= s->max && !(s->min_open && v <= s->min);
    bool usual = (optional || !k->required) && same(v, k->usual);
    return ok || usual || (k->lacking && isnan(v)) ? MRN_OK : fail_range(o, k, v);
}

static mrn_status fail_word(const mrn_owner *o, const mrn_key *k)
{
    const mrn_schema *s = value_of(k);
    char text[160], words[400] = "";
    for (int i = 0; i < n_words(s); i++) {
        size_t at = strlen(words);
        snprintf(words + at, sizeof words - at, "%s%s", at > 0 ? ", " : "", s->words[i]);
    }
    snprintf(text, sizeof text, "its '%s' is of no known kind", k->name);
    return mrn_owner_fail(o, k->name, text, words);
}

static mrn_status check_text(const mrn_owner *o, const mrn_key *k, const char *member)
{
    const mrn_schema *s = value_of(k);
    if (s->kind == MRN_SCHEMA_SOLVER && mrn_solver_find(member) == NULL) {
        char text[160], list[256] = "";
        for (int i = 0; i < mrn_solver_count(); i++) {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, "%s%s", at > 0 ? ", " : "",
                     mrn_solver_at(i)->name);
        }
        snprintf(text, sizeof text, "there is no solver '%.40s' for its '%s'", member, k->name);
        return mrn_owner_fail(o, k->name, text, list);
    }
    if (s->kind != MRN_SCHEMA_WORD || member[0] == '\0') /* nothing: the default */
        return MRN_OK;
    for (int i = 0; i < n_words(s); i++)
        if (strcmp(s->words[i], member) == 0)
            return MRN_OK;
    return fail_word(o, k);
}

static mrn_status check_three(const mrn_owner *o, const mrn_key *k, const double *x)
{
    char text[160];
    if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))
        return MRN_OK;
    snprintf(text, sizeof text, "its '%s' is not finite", k->name);
    return mrn_owner_fail(o, k->name, text, "finite numbers");
}

static mrn_status check_signals(const mrn_owner *o, const mrn_key *k, const mrn_signal *x, int n)
{
    char text[160];
    for (int i = 0; i < n; i++)
        if (!mrn_signal_is_sound(&x[i])) {
            snprintf(text, sizeof text, "its '%s' is a signal that has no value", k->name);
            return mrn_owner_fail(o, k->name, text,
                                  "one made by mrn_signal_constant, _expression or _table");
        }
    return MRN_OK;
}

static mrn_status check_member(const mrn_owner *o, const mrn_key *k, const void *member,
                               bool optional)
{
    switch (k->member) {
    case MRN_MEMBER_NUMBER:
    case MRN_MEMBER_INT:
    case MRN_MEMBER_COUNT:
        return check_number(o, k, number_at(k, member), optional);
    case MRN_MEMBER_WORD:
        return number_at(k, member) < n_words(value_of(k)) ? MRN_OK : fail_word(o, k);
    case MRN_MEMBER_TEXT:
        return check_text(o, k, member);
    case MRN_MEMBER_VECTOR:
    case MRN_MEMBER_EDGES:
        return check_three(o, k, member);
    case MRN_MEMBER_SIGNAL:
        return check_signals(o, k, member, 1);
    case MRN_MEMBER_SIGNALS:
        return check_signals(o, k, member, 3);
    default:
        return MRN_OK;
    }
}

/* `optional`: the mapping need not stand, so that its required keys may be missing. */
static mrn_status check_keys(const mrn_owner *o, const mrn_schema *map, const void *object,
                             bool optional)
{
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL; k++) {
        if (k->member == MRN_MEMBER_NONE || k->scene != 0 || k->choices || !stands(k, object))
            continue;
        const char *member = (const char *)object + k->at;
        MRN_CHECK(check_member(o, k, member, optional));
        mrn_owner in = mrn_owner_inner(o, k->name);
        if (mrn_key_map(k) != NULL)
            MRN_CHECK(check_keys(&in, mrn_key_map(k), member, true));
    }
    return MRN_OK;
}

mrn_status mrn_keys_check(const mrn_owner *o, const mrn_schema *map, const void *object)
{
    return check_keys(o, map, object, false);
}

/* ---- hashes ---- */

static uint64_t hash_number(uint64_t h, double v)
{
    if (isnan(v))
        v = NAN; /* of several bit patterns one */
    return mrn_hash(h, &v, sizeof v);
}

/* What a signal is, not what it is called: a table counts by its rows. */
uint64_t mrn_signal_hash(uint64_t h, const mrn_signal *x)
{
    int kind = x->kind;
    h = mrn_hash(h, &kind, sizeof kind);
    if (x->kind == MRN_SIGNAL_CONSTANT)
        return hash_number(h, x->constant);
    for (int i = 0; x->kind == MRN_SIGNAL_TABLE && i < x->n_rows; i++)
        h = hash_number(hash_number(h, x->time[i]), x->value[i]);
    bool text = x->kind == MRN_SIGNAL_EXPRESSION && x->text != NULL;
    return text ? mrn_hash(h, x->text, strlen(x->text) + 1) : h;
}

static uint64_t hash_member(const mrn_key *k, uint64_t h, const void *member)
{
    const double *x = member;
    const mrn_signal *signal = member;
    switch (k->member) {
    case MRN_MEMBER_SEED: /* exact beyond 2^53 */
        return mrn_hash(h, member, sizeof(uint64_t));
    case MRN_MEMBER_TEXT:
        return mrn_hash(h, member, strlen(member) + 1);
    case MRN_MEMBER_VECTOR:
    case MRN_MEMBER_EDGES:
        return hash_number(hash_number(hash_number(h, x[0]), x[1]), x[2]);
    case MRN_MEMBER_SIGNALS:
        h = mrn_signal_hash(mrn_signal_hash(h, &signal[0]), &signal[1]);
        return mrn_signal_hash(h, &signal[2]);
    case MRN_MEMBER_SIGNAL:
        return mrn_signal_hash(h, signal);
    case MRN_MEMBER_STRUCT:
        return h;
    default:
        return hash_number(h, number_at(k, member));
    }
}

uint64_t mrn_key_hash(const mrn_key *k, uint64_t h, const void *object)
{
    const char *member = (const char *)object + k->at;
    if (k->mark != 0)
        h = mrn_hash(h, (const char *)object + k->mark - 1, sizeof(bool));
    if (!stands(k, object))
        return h;
    h = hash_member(k, h, member);
    return mrn_key_map(k) != NULL ? mrn_keys_hash(mrn_key_map(k), h, member) : h;
}

uint64_t mrn_keys_hash(const mrn_schema *map, uint64_t h, const void *object)
{
    for (const mrn_key *k = map->keys; k != NULL && k->name != NULL; k++)
        if (k->member != MRN_MEMBER_NONE && !k->free)
            h = mrn_key_hash(k, h, object);
    return h;
}
