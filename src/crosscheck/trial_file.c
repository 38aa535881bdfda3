/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials as files, so that a study that was stopped goes on: FOLDER/VARIANT-SEED.json each, with a
   hash of all that the run depends on. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"
#include "run/json.h"

static uint64_t hash_text(uint64_t h, const char *text)
{
    return mrn_hash(h, text, strlen(text) + 1);
}

/* What a run depends on, and what is measured of it. */
static uint64_t key_of(const mrn_trials *t, const mrn_trial *r)
{
    const mrn_variant *v = &t->variant[r->variant];
    const double last = t->last + 0.0;
    const int facts[3] = {t->network, v->threads, t->n_figures};
    uint64_t h = hash_text(hash_text(MRN_HASH_START, MRN_VERSION), t->text);
    for (int i = 0; i < t->n_set; i++)
        h = hash_text(h, t->set[i]);
    for (int i = 0; i < v->n_set; i++)
        h = hash_text(h, v->set[i]);
    for (int i = 0; i < t->n_figures; i++) {
        h = hash_text(h, t->figure[i].name);
        for (int k = 0; k < t->figure[i].n; k++)
            h = hash_text(h, t->figure[i].probe[k]);
    }
    h = mrn_hash(h, facts, sizeof facts);
    h = mrn_hash(h, &last, sizeof last);
    return mrn_hash(h, &r->seed, sizeof r->seed);
}

static void path_of(const mrn_trials *t, const mrn_trial *r, const char *folder, char *path,
                    size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "%s", t->variant[r->variant].name);
    for (char *p = name; *p != '\0'; p++)
        if (strchr("/ ", *p) != NULL)
            *p = '-';
    snprintf(path, size, "%s/%s-%" PRIu64 ".json", folder, name, r->seed);
}

static json_t *numbers(const double *v, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, mrn_json_number(v[i]));
    return list;
}

static json_t *to_json(const mrn_trials *t, const mrn_trial *r)
{
    char key[24], hash[24];
    json_t *o = json_object();
    snprintf(key, sizeof key, "%016" PRIx64, key_of(t, r));
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    mrn_json_put(o, "key", json_string(key));
    mrn_json_put(o, "variant", json_string(t->variant[r->variant].name));
    mrn_json_put(o, "seed", json_integer((json_int_t)r->seed));
    mrn_json_put(o, "status", json_integer(r->status));
    mrn_json_put(o, "words", json_string(r->words));
    mrn_json_put(o, "hash", json_string(hash));
    mrn_json_put(o, "steps", json_integer(r->steps));
    mrn_json_put(o, "grains", json_integer(r->grains));
    mrn_json_put(o, "contacts", json_integer(r->contacts));
    mrn_json_put(o, "self-stress", json_integer(r->self_stress));
    mrn_json_put_number(o, "time", r->time);
    mrn_json_put_number(o, "seconds", r->seconds);
    mrn_json_put_number(o, "step", r->step);
    mrn_json_put_number(o, "overlap", r->overlap);
    mrn_json_put_number(o, "largest-overlap", r->largest_overlap);
    mrn_json_put_number(o, "kinetic", r->kinetic);
    mrn_json_put(o, "y", numbers(r->y, t->n_figures));
    mrn_json_put(o, "rows", numbers(r->row, r->n_rows * (t->n_figures + 1)));
    mrn_json_put(o, "forces", numbers(r->force, r->n_forces));
    return o;
}

mrn_status mrn_trial_keep(const mrn_trials *t, const mrn_trial *r, const char *folder,
                          mrn_message *msg)
{
    char path[1200];
    mrn_atomic_file file;
    path_of(t, r, folder, path, sizeof path);
    mrn_status s = mrn_atomic_open(path, &file, msg);
    if (s != MRN_OK)
        return s;
    json_t *o = to_json(t, r);
    if (o == NULL || json_dumpf(o, file.f, JSON_COMPACT) != 0) {
        json_decref(o);
        mrn_atomic_abandon(&file);
        return mrn_fail(msg, MRN_ERR_IO, "cannot write %s", path);
    }
    json_decref(o);
    return mrn_atomic_commit(&file, msg);
}

/* ---- back ---- */

static double real(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static int64_t integer(const json_t *o, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(o, key));
}

/* The list of a key as an array of its own; *n entries. */
static bool take_list(const json_t *o, const char *key, double **out, int64_t *n)
{
    const json_t *list = json_object_get(o, key);
    *n = (int64_t)json_array_size(list);
    mrn_free(*out);
    *out = NULL;
    if (!json_is_array(list) || mrn_array(out, *n + 1, sizeof **out, NULL) != MRN_OK)
        return false;
    for (int64_t i = 0; i < *n; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        (*out)[i] = json_is_number(v) ? json_number_value(v) : NAN;
    }
    return true;
}

static bool take_numbers(const mrn_trials *t, const json_t *o, mrn_trial *r)
{
    int64_t n, w = t->n_figures + 1;
    if (!take_list(o, "y", &r->y, &n) || n != t->n_figures)
        return false;
    if (!take_list(o, "rows", &r->row, &n) || n % w != 0)
        return false;
    r->n_rows = n / w;
    if (!take_list(o, "forces", &r->force, &n))
        return false;
    r->n_forces = (int)n;
    return true;
}

static bool take(const mrn_trials *t, const json_t *o, mrn_trial *r)
{
    char key[24];
    const char *has = json_string_value(json_object_get(o, "key"));
    const char *hash = json_string_value(json_object_get(o, "hash"));
    const char *words = json_string_value(json_object_get(o, "words"));
    snprintf(key, sizeof key, "%016" PRIx64, key_of(t, r));
    mrn_status status = (mrn_status)integer(o, "status");
    /* for want of memory or disk: it may end otherwise the next time */
    bool settled = status >= MRN_OK && status != MRN_INTERRUPTED;
    if (has == NULL || hash == NULL || strcmp(has, key) != 0 || !settled || !take_numbers(t, o, r))
        return false;
    r->status = status;
    snprintf(r->words, sizeof r->words, "%s", words != NULL ? words : "");
    sscanf(hash, "%" SCNx64, &r->hash);
    r->steps = integer(o, "steps");
    r->grains = integer(o, "grains");
    r->contacts = integer(o, "contacts");
    r->self_stress = integer(o, "self-stress");
    r->time = real(o, "time");
    r->seconds = real(o, "seconds");
    r->step = real(o, "step");
    r->overlap = real(o, "overlap");
    r->largest_overlap = real(o, "largest-overlap");
    r->kinetic = real(o, "kinetic");
    return true;
}

int mrn_trials_recall(mrn_trials *t, const char *folder)
{
    int found = 0;
    for (int i = 0; i < t->n_variants * t->n_seeds; i++) {
        char path[1200];
        path_of(t, &t->trial[i], folder, path, sizeof path);
        json_t *o = mrn_json_read(path);
        if (o != NULL && take(t, o, &t->trial[i]))
            found++;
        else if (t->trial[i].status == MRN_INTERRUPTED)
            mrn_trial_clear(t, &t->trial[i], NULL);
        json_decref(o);
    }
    return found;
}
