/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a calibration as a table, and back; what tells calibrations apart. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/calibrate.h"
#include "export/export.h"
#include "scene/table.h"

/* ---- hash ---- */

static uint64_t hash_text(uint64_t h, const char *text)
{
    return text != NULL ? mrn_hash(h, text, strlen(text) + 1) : mrn_hash(h, "\1", 2);
}

static uint64_t hash_number(uint64_t h, int64_t number)
{
    return mrn_hash(h, &number, sizeof number);
}

static uint64_t hash_test(uint64_t h, const mrn_virtual_test *t)
{
    h = hash_text(h, t->name);
    h = hash_text(h, t->text);
    h = hash_number(h, t->n_set);
    for (int i = 0; i < t->n_set; i++)
        h = hash_text(h, t->set[i]);
    return h;
}

/* The unit too: values stand in it. */
static uint64_t hash_tuned(uint64_t h, const mrn_tuned *k)
{
    h = hash_text(h, k->p.name);
    h = hash_text(h, k->p.unit);
    h = hash_number(h, k->n_paths);
    for (int i = 0; i < k->n_paths; i++) {
        h = hash_text(h, k->path[i]);
        h = hash_number(h, k->test[i]);
    }
    return h;
}

static uint64_t hash_target(uint64_t h, const mrn_target *t)
{
    const double stretch[2] = {t->after + 0.0, t->last + 0.0};
    h = hash_text(h, t->name);
    h = hash_number(h, t->test);
    h = hash_text(h, t->probe);
    h = hash_number(h, (int)t->take);
    h = hash_number(h, t->stage);
    h = hash_text(h, t->unit);
    return mrn_hash(h, stretch, sizeof stretch);
}

uint64_t mrn_calibration_hash(const mrn_calibration *c)
{
    uint64_t h = MRN_HASH_START;
    h = hash_number(h, c->n_tests);
    for (int i = 0; i < c->n_tests; i++)
        h = hash_test(h, &c->test[i]);
    h = hash_number(h, c->n_tuned);
    for (int i = 0; i < c->n_tuned; i++)
        h = hash_tuned(h, &c->tuned[i]);
    h = hash_number(h, c->n_targets);
    for (int i = 0; i < c->n_targets; i++)
        h = hash_target(h, &c->target[i]);
    return h;
}

/* ---- writing ---- */

#define HEAD "# runs of a calibration, "

static const struct {
    mrn_status status;
    const char *name;
} names[] = {{MRN_OK, "ok"},
             {MRN_AT_MOST, "at-most"},
             {MRN_INTERRUPTED, "interrupted"},
             {MRN_EXPLODED, "exploded"},
             {MRN_TOO_STIFF, "too-stiff"},
             {MRN_NOT_CONVERGED, "not-converged"},
             {MRN_ERR_MEMORY, "memory"},
             {MRN_ERR_INPUT, "input"},
             {MRN_ERR_IO, "io"},
             {MRN_ERR_RANGE, "range"},
             {MRN_ERR_STALE, "stale"},
             {MRN_ERR_INTERNAL, "internal"}};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *name_of(mrn_status s)
{
    for (int i = 0; i < NAMES; i++)
        if (names[i].status == s)
            return names[i].name;
    return "internal";
}

/* A text as a cell; ends of lines become spaces, a row is a line. */
static void put_text(FILE *f, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL && text[0] != ' ' && text[0] != '#') {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
    }
    fputc('"', f);
}

/* A number that is none is an empty cell. */
static void put_number(FILE *f, double v)
{
    char text[32];
    if (!isnan(v))
        fputs(mrn_number_text(v, text), f);
}

static void put_head(FILE *f, const mrn_calibration *c)
{
    fprintf(f, HEAD "hash %016" PRIx64 "\n", mrn_calibration_hash(c));
    fputs("test,seed,", f);
    for (int j = 0; j < c->n_tuned; j++) {
        put_text(f, c->tuned[j].p.name);
        fputc(',', f);
    }
    for (int t = 0; t < c->n_targets; t++) {
        put_text(f, c->target[t].name);
        fputc(',', f);
    }
    fputs("status,steps,seconds,words\n", f);
}

static void put_run(FILE *f, const mrn_calibration *c, const mrn_virtual_run *r)
{
    put_text(f, c->test[r->test].name);
    fprintf(f, ",%" PRIu64 ",", r->seed);
    for (int j = 0; j < c->n_tuned; j++) {
        put_number(f, r->x[j]);
        fputc(',', f);
    }
    for (int t = 0; t < c->n_targets; t++) {
        put_number(f, r->y[t]);
        fputc(',', f);
    }
    fprintf(f, "%s,%" PRId64 ",", name_of(r->status), r->steps);
    put_number(f, r->seconds);
    fputc(',', f);
    put_text(f, r->words);
    fputc('\n', f);
}

mrn_status mrn_virtual_runs_write(const char *path, const mrn_calibration *c,
                                  const mrn_virtual_run *run, int64_t n, mrn_message *msg)
{
    mrn_atomic_file a;
    for (int64_t i = 0; i < n; i++)
        if (run[i].test < 0 || run[i].test >= c->n_tests)
            return mrn_fail(msg, MRN_ERR_RANGE, "run %lld is of test %d; there are %d",
                            (long long)i + 1, run[i].test, c->n_tests);
    mrn_status s = mrn_atomic_open(path, &a, msg);
    if (s != MRN_OK)
        return s;
    put_head(a.f, c);
    for (int64_t i = 0; i < n; i++)
        put_run(a.f, c, &run[i]);
    return mrn_atomic_commit(&a, msg);
}

void mrn_virtual_runs_free(mrn_virtual_run *run, int64_t n)
{
    for (int64_t i = 0; i < n && run != NULL; i++) {
        mrn_free(run[i].x);
        mrn_free(run[i].y);
    }
    mrn_free(run);
}

/* ---- reading ---- */

typedef struct table {
    const mrn_calibration *c;
    mrn_text text;
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    int n, at;                                           /* cells of the line, the next of them */
    mrn_cell_text now;                                   /* the one at hand, … */
    char word[sizeof(((mrn_virtual_run *)NULL)->words)]; /* … unquoted */
} table;

static mrn_status broken(const table *t, const char *expected, const char *what)
{
    return mrn_text_fail(&t->text, t->now.s - t->now.quoted, expected, NULL, "%s", what);
}

/* The cells of the next line, as many as there are columns. */
static mrn_status next_line(table *t)
{
    t->at = 0;
    if (!mrn_text_next(&t->text))
        return mrn_text_fail(&t->text, NULL, "a line", NULL, "the file ends too early");
    if (t->text.at > t->text.n)
        return mrn_text_fail(&t->text, t->text.now.s + t->text.now.n, "a whole line",
                             "delete the last line: its run will be made again",
                             "the file ends within a line");
    return mrn_text_row(&t->text, ',', t->c->n_tuned + t->c->n_targets + 6, t->cell, &t->n);
}

static mrn_status next_cell(table *t)
{
    t->now = t->cell[t->at++];
    if (mrn_cell_copy(t->now, t->word, sizeof t->word))
        return MRN_OK;
    return broken(t, "less of it", "this is too long");
}

static mrn_status read_number(table *t, bool may_lack, double *out)
{
    bool up = mrn_cell_same(t->now, "inf"), down = mrn_cell_same(t->now, "-inf");
    *out = up ? INFINITY : down ? -INFINITY : NAN;
    if (up || down || (t->now.n == 0 && may_lack) || mrn_cell_number(&t->text, t->now, out))
        return MRN_OK;
    return broken(t, may_lack ? "a number, or nothing" : "a number", "this is no number");
}

static mrn_status read_integer(table *t, bool sign, uint64_t *out)
{
    const char *digits = t->word + (sign && t->word[0] == '-');
    errno = 0;
    bool good = digits[0] != '\0' && strspn(digits, "0123456789") == strlen(digits);
    if (good)
        *out = sign ? (uint64_t)strtoll(t->word, NULL, 10) : strtoull(t->word, NULL, 10);
    return good && errno == 0 ? MRN_OK : broken(t, "a whole number", "this is no whole number");
}

static mrn_status read_test(table *t, int *out)
{
    MRN_FIT_TRY(next_cell(t));
    for (*out = 0; *out < t->c->n_tests; ++*out)
        if (strcmp(t->c->test[*out].name, t->word) == 0)
            return MRN_OK;
    return broken(t, "the name of a test", "no test has this name");
}

static mrn_status read_status(table *t, mrn_status *out)
{
    MRN_FIT_TRY(next_cell(t));
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, t->word) == 0) {
            *out = names[i].status;
            return MRN_OK;
        }
    return broken(t, "ok, at-most, exploded, …", "no run ends like this");
}

static mrn_status read_parameter(table *t, int j, double *out)
{
    MRN_FIT_TRY(next_cell(t));
    MRN_FIT_TRY(read_number(t, false, out));
    if (!isfinite(*out))
        return broken(t, "a finite number", t->c->tuned[j].p.name);
    return MRN_OK;
}

static mrn_status read_run(table *t, mrn_virtual_run *r)
{
    uint64_t steps = 0;
    MRN_FIT_TRY(read_test(t, &r->test));
    MRN_FIT_TRY(next_cell(t));
    MRN_FIT_TRY(read_integer(t, false, &r->seed));
    for (int j = 0; j < t->c->n_tuned; j++)
        MRN_FIT_TRY(read_parameter(t, j, &r->x[j]));
    for (int i = 0; i < t->c->n_targets; i++) {
        MRN_FIT_TRY(next_cell(t));
        MRN_FIT_TRY(read_number(t, true, &r->y[i]));
    }
    MRN_FIT_TRY(read_status(t, &r->status));
    MRN_FIT_TRY(next_cell(t));
    MRN_FIT_TRY(read_integer(t, true, &steps));
    r->steps = (int64_t)steps;
    MRN_FIT_TRY(next_cell(t));
    MRN_FIT_TRY(read_number(t, true, &r->seconds));
    MRN_FIT_TRY(next_cell(t));
    memcpy(r->words, t->word, sizeof r->words);
    return MRN_OK;
}

static mrn_status read_hash(table *t)
{
    static const char head[] = HEAD "hash ";
    const mrn_text *text = &t->text;
    const mrn_cell_text *line = &text->now;
    int length = (int)strlen(head);
    char *stop = NULL;
    bool ours = mrn_text_next(&t->text) && mrn_text_begins(text, head);
    const char *where = ours ? line->s + length : NULL;
    uint64_t hash = ours ? strtoull(where, &stop, 16) : 0;
    if (!ours || line->n != length + 16 || stop != where + 16)
        return mrn_text_fail(text, where, HEAD "hash and sixteen digits",
                             "it is written by a calibration", "this is no table of runs");
    if (hash != mrn_calibration_hash(t->c))
        return mrn_text_fail(
            text, where, "the hash of this calibration", "start anew in another folder",
            "these runs belong to another calibration: scenes, changes, paths of parameters or "
            "probes are not the same");
    return MRN_OK;
}

/* The head of the columns must be ours, word by word. */
static mrn_status read_columns(table *t)
{
    static const char *const before[] = {"test", "seed"};
    static const char *const after[] = {"status", "steps", "seconds", "words"};
    int n = t->c->n_tuned, m = t->c->n_targets, total = n + m + 6;
    MRN_FIT_TRY(next_line(t));
    for (int i = 0; i < total; i++) {
        const char *want = i < 2           ? before[i]
                           : i < 2 + n     ? t->c->tuned[i - 2].p.name
                           : i < 2 + n + m ? t->c->target[i - 2 - n].name
                                           : after[i - 2 - n - m];
        MRN_FIT_TRY(next_cell(t));
        if (strcmp(t->word, want) != 0)
            return broken(t, want, "this column is not where it should be");
    }
    return MRN_OK;
}

static mrn_status read_rows(table *t, mrn_virtual_run **run, int64_t *n)
{
    int64_t room = 0;
    while (t->text.at < t->text.n) {
        mrn_virtual_run r = {0};
        MRN_FIT_TRY(next_line(t));
        if (mrn_grow(run, &room, *n + 1, sizeof **run) != MRN_OK)
            return mrn_fail_memory(t->text.msg);
        r.x = mrn_alloc((size_t)t->c->n_tuned * sizeof(double));
        r.y = mrn_alloc((size_t)t->c->n_targets * sizeof(double));
        (*run)[(*n)++] = r;
        if (r.x == NULL || r.y == NULL)
            return mrn_fail_memory(t->text.msg);
        MRN_FIT_TRY(read_run(t, &(*run)[*n - 1]));
    }
    return MRN_OK;
}

mrn_status mrn_virtual_runs_read(const char *path, const mrn_calibration *c, mrn_virtual_run **run,
                                 int64_t *n, mrn_message *msg)
{
    table t = {.c = c};
    *run = NULL;
    *n = 0;
    mrn_status s = mrn_text_open(path, &t.text, msg);
    if (s == MRN_OK)
        s = read_hash(&t);
    if (s == MRN_OK)
        s = read_columns(&t);
    if (s == MRN_OK)
        s = read_rows(&t, run, n);
    mrn_text_close(&t.text);
    if (s != MRN_OK) {
        mrn_virtual_runs_free(*run, *n);
        *run = NULL;
        *n = 0;
    }
    return s;
}
