/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine diff: where two runs part. Stored runs are compared by what they left; scenes, and stored
   runs that differ, are run beside each other in memory to the very first step and body. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"

#define MOST_LINES  4000 /* of a scene that is compared line by line */
#define SHOWN_LINES 40

typedef struct request {
    const char *operand[2];
    bool folder[2];
    char scene[2][1200]; /* file of each side's scene */
    mrn_app_list set, set_a, set_b;
    const char *threads;
    int asked[2]; /* what it says; 0: nothing */
    int64_t steps, after;
    bool stored, json;
} request;

typedef struct answer {
    json_t *summary[2];    /* NULL: none                                   */
    bool stored, lockstep; /* which of the two below was looked at       */
    mrn_parting frames, steps;
    json_t *facts; /* [{name, a, b}] of the summaries that differ        */
    json_t *lines; /* ["- …", "+ …"] of the scenes                       */
    bool same;
} answer;

/* ---- facts of the summaries ---- */

static const char *const facts[] = {"status", "moraine",   "compiler", "method",
                                    "seed",   "dimension", "time",     "step",
                                    "frames", "contacts",  "hash"};

static bool same_json(const json_t *a, const json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

static void note_fact(json_t *list, const char *name, const json_t *a, const json_t *b)
{
    if (same_json(a, b))
        return;
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    json_object_set(o, "a", a != NULL ? (json_t *)a : json_null());
    json_object_set(o, "b", b != NULL ? (json_t *)b : json_null());
    json_array_append_new(list, o);
}

static void compare_summaries(answer *r)
{
    const json_t *a = r->summary[0], *b = r->summary[1];
    if (a == NULL || b == NULL)
        return;
    for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++)
        note_fact(r->facts, facts[k], json_object_get(a, facts[k]), json_object_get(b, facts[k]));
    note_fact(r->facts, "time-step", json_object_get(json_object_get(a, "time-step"), "seconds"),
              json_object_get(json_object_get(b, "time-step"), "seconds"));
    note_fact(r->facts, "threads", json_object_get(json_object_get(a, "cost"), "threads"),
              json_object_get(json_object_get(b, "cost"), "threads"));
}

static bool same_hash(const answer *r)
{
    const json_t *a = json_object_get(r->summary[0], "hash");
    return a != NULL && same_json(a, json_object_get(r->summary[1], "hash"));
}

/* ---- lines of the scenes ---- */

typedef struct lines {
    char *text;
    char **line;
    int n;
} lines;

static void split(lines *l)
{
    l->line = calloc(MOST_LINES, sizeof *l->line);
    for (char *p = l->text; p != NULL && *p != '\0' && l->line != NULL && l->n < MOST_LINES;) {
        l->line[l->n++] = p;
        p = strchr(p, '\n');
        if (p != NULL)
            *p++ = '\0';
    }
}

static void add_line(json_t *out, char sign, const char *line)
{
    size_t n = strlen(line) + 3;
    char *text = malloc(n);
    if (text == NULL)
        return;
    snprintf(text, n, "%c %s", sign, line);
    json_array_append_new(out, json_string(text));
    free(text);
}

/* Longest common subsequence; common[i * (nb + 1) + j]: of the lines from i and j on. */
static void compare_lines(const lines *a, const lines *b, json_t *out)
{
    int na = a->n, nb = b->n, w = nb + 1;
    short *common = calloc((size_t)(na + 1) * (size_t)w, sizeof *common);
    if (common == NULL)
        return;
    for (int i = na - 1; i >= 0; i--)
        for (int j = nb - 1; j >= 0; j--) {
            short down = common[(i + 1) * w + j], right = common[i * w + j + 1];
            bool same = strcmp(a->line[i], b->line[j]) == 0;
            common[i * w + j] = same           ? (short)(common[(i + 1) * w + j + 1] + 1)
                                : down > right ? down
                                               : right;
        }
    for (int i = 0, j = 0; i < na || j < nb;) {
        if (i < na && j < nb && strcmp(a->line[i], b->line[j]) == 0)
            i++, j++;
        else if (i < na && (j == nb || common[(i + 1) * w + j] >= common[i * w + j + 1]))
            add_line(out, '-', a->line[i++]);
        else
            add_line(out, '+', b->line[j++]);
    }
    free(common);
}

static void compare_sources(const char *a, const char *b, json_t *out)
{
    lines l = {.text = a != NULL ? strdup(a) : NULL}, m = {.text = b != NULL ? strdup(b) : NULL};
    if (l.text != NULL && m.text != NULL && strcmp(a, b) != 0) {
        split(&l);
        split(&m);
        if (l.line != NULL && m.line != NULL)
            compare_lines(&l, &m, out);
    }
    free(l.text);
    free(m.text);
    free(l.line);
    free(m.line);
}

/* ---- running both ---- */

/* The changes of one side, those of both first; returns how many. */
static int sets_of(const request *q, int side, const char **set)
{
    const mrn_app_list *own = side == 0 ? &q->set_a : &q->set_b;
    int n = 0;
    for (int k = 0; k < q->set.n; k++)
        set[n++] = q->set.item[k];
    for (int k = 0; k < own->n; k++)
        set[n++] = own->item[k];
    return n;
}

static mrn_status read_side(const request *q, int side, mrn_scene *scene, mrn_message *msg)
{
    const char *set[2 * MRN_APP_LIST_MAX];
    int n = sets_of(q, side, set);
    return mrn_scene_read(q->scene[side], set, n, scene, msg);
}

/* A change that changes nothing makes the reader write the scene anew: without comments, one way
   of setting it, so that what differs is meaning. */
static char *plain_text(const request *q, int side)
{
    const char *set[2 * MRN_APP_LIST_MAX + 1];
    int n = sets_of(q, side, set);
    mrn_scene scene = {0};
    set[n++] = "moraine=1";
    char *text = NULL;
    if (mrn_scene_read(q->scene[side], set, n, &scene, NULL) == MRN_OK && scene.source != NULL)
        text = strdup(scene.source);
    mrn_scene_destroy(&scene);
    return text;
}

static void compare_scenes(const request *q, json_t *out)
{
    char *a = plain_text(q, 0), *b = plain_text(q, 1);
    compare_sources(a, b, out);
    free(a);
    free(b);
}

/* As asked for; else as the stored runs had, unless their summaries say what cannot be. */
static void choose_threads(const request *q, const answer *r, int threads[2])
{
    for (int k = 0; k < 2; k++) {
        json_int_t stored =
            json_integer_value(json_object_get(json_object_get(r->summary[k], "cost"), "threads"));
        threads[k] = q->asked[k] > 0                            ? q->asked[k]
                     : stored > 0 && stored <= MRN_THREADS_MOST ? (int)stored
                                                                : 0;
    }
}

static mrn_status run_both(const request *q, answer *r, mrn_message *msg)
{
    mrn_scene scene[2] = {{0}, {0}};
    mrn_diff_options opt = mrn_diff_default();
    opt.max_steps = q->steps;
    opt.after = q->after;
    opt.stop = mrn_session_watch_signals();
    choose_threads(q, r, opt.threads);
    /* frames tell how far at most */
    if (r->stored && r->frames.apart && r->frames.n > 0 && q->steps == 0)
        opt.max_steps = r->frames.step;
    mrn_status status = read_side(q, 0, &scene[0], msg);
    if (status == MRN_OK)
        status = read_side(q, 1, &scene[1], msg);
    if (status == MRN_OK)
        compare_scenes(q, r->lines);
    if (status == MRN_OK && !q->stored) {
        r->lockstep = true;
        status = mrn_run_diff(&scene[0], &scene[1], &opt, &r->steps, msg);
    }
    mrn_scene_destroy(&scene[0]);
    mrn_scene_destroy(&scene[1]);
    return status;
}

static bool has_file(const char *dir, const char *name)
{
    char path[1300];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &st) == 0;
}

static mrn_status find_out(const request *q, answer *r, mrn_message *msg)
{
    bool both = q->folder[0] && q->folder[1];
    for (int k = 0; both && k < 2; k++) {
        char path[1300];
        snprintf(path, sizeof path, "%s/summary.json", q->operand[k]);
        r->summary[k] = mrn_app_read_json(path);
    }
    compare_summaries(r);
    if (both && has_file(q->operand[0], "trajectory.h5") &&
        has_file(q->operand[1], "trajectory.h5")) {
        r->stored = true;
        mrn_status status = mrn_trajectory_diff(q->operand[0], q->operand[1], &r->frames, msg);
        if (status != MRN_OK)
            return status;
    }
    if (r->stored && !r->frames.apart && same_hash(r)) {
        r->same = true;
        return MRN_OK;
    }
    mrn_status status = run_both(q, r, msg);
    r->same = !(r->stored && r->frames.apart) && !(r->lockstep && r->steps.apart) &&
              (!both || same_hash(r));
    return status;
}

/* ---- telling ---- */

static void row(mrn_app_table *t, const char *name, const char *a, const char *b)
{
    mrn_app_table_row(t, (const char *[]){name, a, b});
}

static void tell_facts(const answer *r)
{
    if (json_array_size(r->facts) == 0)
        return;
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"summary", "first", "second"});
    size_t i;
    json_t *o;
    json_array_foreach(r->facts, i, o)
    {
        char *a = json_dumps(json_object_get(o, "a"), JSON_ENCODE_ANY);
        char *b = json_dumps(json_object_get(o, "b"), JSON_ENCODE_ANY);
        row(&t, json_string_value(json_object_get(o, "name")), a != NULL ? a : "-",
            b != NULL ? b : "-");
        free(a);
        free(b);
    }
    mrn_app_table_print(&t, stdout);
    putchar('\n');
}

static void tell_lines(const answer *r)
{
    size_t i, n = json_array_size(r->lines);
    json_t *o;
    if (n == 0)
        return;
    printf("The scenes differ in %zu lines:\n", n);
    json_array_foreach(r->lines, i, o)
    {
        const char *text = json_string_value(o);
        if (i == SHOWN_LINES) {
            printf("  … %zu more\n", n - i);
            break;
        }
        printf("  %s%s%s\n", mrn_app_style_code(stdout, text[0] == '-' ? MRN_RED : MRN_GREEN), text,
               mrn_app_style_code(stdout, MRN_PLAIN));
    }
    putchar('\n');
}

static void tell_differences(const mrn_parting *p)
{
    static const char axis[] = "xyz";
    mrn_app_table t;
    if (p->n == 0)
        return;
    mrn_app_table_begin(&t, 5,
                        (const char *[]){">body", "field", ">first", ">second", ">difference"});
    for (int k = 0; k < p->n; k++) {
        const mrn_difference *d = &p->difference[k];
        char id[16], field[40], a[32], b[32], e[32];
        snprintf(id, sizeof id, "%d", (int)d->id);
        bool scalar = strcmp(d->field, "radius") == 0 || strcmp(d->field, "mass") == 0;
        bool turn = strcmp(d->field, "q") == 0;
        if (scalar)
            snprintf(field, sizeof field, "%s", d->field);
        else
            snprintf(field, sizeof field, "%s.%c", d->field,
                     turn ? "wxyz"[d->component & 3] : axis[d->component % 3]);
        snprintf(a, sizeof a, "%.17g", d->a);
        snprintf(b, sizeof b, "%.17g", d->b);
        snprintf(e, sizeof e, "%.3g", d->b - d->a);
        mrn_app_table_row(&t, (const char *[]){id, field, a, b, e});
    }
    mrn_app_table_print(&t, stdout);
    if (p->bodies > p->n)
        printf("  … %" PRId64 " bodies differ in all\n", p->bodies);
}

static void tell_growth(const mrn_parting *p)
{
    mrn_app_table t;
    if (p->n_gaps < 2)
        return;
    printf("\nHow they drift apart\n");
    mrn_app_table_begin(&t, 5,
                        (const char *[]){">step", ">time", ">position", ">velocity", ">bodies"});
    for (int k = 0; k < p->n_gaps; k++) {
        const mrn_gap *g = &p->gap[k];
        char x[32], v[32];
        snprintf(x, sizeof x, "%.3g m", g->position);
        snprintf(v, sizeof v, "%.3g m/s", g->velocity);
        mrn_app_table_row(&t, (const char *[]){mrn_readable_count(g->step).s,
                                               mrn_readable_si(g->time, "s").s, x, v,
                                               mrn_readable_count(g->bodies).s});
    }
    mrn_app_table_print(&t, stdout);
}

static void tell_parting(const mrn_parting *p, const char *what, const char *unit)
{
    if (!p->apart) {
        printf("%s: the same bits, %s %s compared\n", what, mrn_readable_count(p->compared).s,
               unit);
        return;
    }
    printf("%s%s part at step %s%s, %s", mrn_app_style_code(stdout, MRN_BOLD), what,
           mrn_readable_count(p->step).s, mrn_app_style_code(stdout, MRN_PLAIN),
           mrn_readable_si(p->time, "s").s);
    if (p->last_same >= 0)
        printf("; the same until step %s", mrn_readable_count(p->last_same).s);
    if (p->n > 0)
        printf("; first body %d", (int)p->difference[0].id);
    printf("%s%s\n", p->why[0] != '\0' ? ": " : "", p->why);
    tell_differences(p);
    tell_growth(p);
}

static void tell(const request *q, const answer *r)
{
    tell_facts(r);
    tell_lines(r);
    if (r->stored)
        tell_parting(&r->frames, "Stored frames", "frames");
    if (r->stored && r->lockstep)
        putchar('\n');
    if (r->lockstep)
        tell_parting(&r->steps, "Side by side, the runs", "steps");
    if (r->stored && r->frames.apart && r->lockstep && !r->steps.apart)
        printf("Run again here they do not part: the stored runs were made by other versions, "
               "compilers or settings.\n");
    if (r->same && !r->stored && !r->lockstep)
        printf("%s and %s: nothing that differs\n", q->operand[0], q->operand[1]);
    printf("%s\n", r->same ? "The same." : "They differ.");
}

/* ---- JSON ---- */

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *parting_json(const mrn_parting *p)
{
    json_t *o = json_object(), *list = json_array(), *gaps = json_array();
    json_object_set_new(o, "apart", json_boolean(p->apart));
    json_object_set_new(o, "compared", json_integer(p->compared));
    json_object_set_new(o, "last-same-step", json_integer(p->last_same));
    if (p->apart) {
        json_object_set_new(o, "step", json_integer(p->step));
        json_object_set_new(o, "time", number(p->time));
        json_object_set_new(o, "bodies", json_integer(p->bodies));
        json_object_set_new(o, "why", json_string(p->why));
    }
    for (int k = 0; k < p->n; k++) {
        const mrn_difference *d = &p->difference[k];
        json_array_append_new(list, json_pack("{s:i, s:s, s:i, s:o, s:o}", "body", (int)d->id,
                                              "field", d->field, "component", d->component, "a",
                                              number(d->a), "b", number(d->b)));
    }
    for (int k = 0; k < p->n_gaps; k++)
        json_array_append_new(
            gaps,
            json_pack("{s:I, s:o, s:o, s:o, s:I}", "step", (json_int_t)p->gap[k].step, "time",
                      number(p->gap[k].time), "position", number(p->gap[k].position), "velocity",
                      number(p->gap[k].velocity), "bodies", (json_int_t)p->gap[k].bodies));
    json_object_set_new(o, "differences", list);
    json_object_set_new(o, "growth", gaps);
    return o;
}

static json_t *answer_json(const answer *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "same", json_boolean(r->same));
    json_object_set(o, "summary", r->facts);
    json_object_set(o, "scene", r->lines);
    if (r->stored)
        json_object_set_new(o, "frames", parting_json(&r->frames));
    if (r->lockstep)
        json_object_set_new(o, "steps", parting_json(&r->steps));
    return o;
}

/* ---- the command ---- */

static const mrn_app_page page = {
    .usage = "diff RUN RUN | SCENE [SCENE] [options]",
    .doc =
        "Finds the first step and the first body at which two runs have different bits, which "
        "number of it\n"
        "differs, and how the difference grows. Of two run folders the summaries, scenes and "
        "stored "
        "frames\n"
        "are compared; if they differ, both scenes are run again beside each other in memory up to "
        "the first\n"
        "frame that differs. Of two scene files (or one, with two sets of changes or numbers of "
        "threads)\n"
        "both are run beside each other from the start.\n"
        "Exit code: 0 the same, 1 they differ, 2 bad input.",
    .examples = "moraine diff out/monday out/tuesday\n"
                "moraine diff scene.yaml --threads 1,4\n"
                "moraine diff scene.yaml --set-b interactions.0.friction=0.51 --steps 5000"};

static int parse(int argc, char **argv, request *q, int *n)
{
    const mrn_app_option options[] = {
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &q->set,
         .arg = "PATH=VALUE",
         .doc = "Change both scenes before they are checked."},
        {.name = "set-a",
         .kind = MRN_OPT_LIST,
         .target = &q->set_a,
         .arg = "PATH=VALUE",
         .doc = "Change the first scene only."},
        {.name = "set-b",
         .kind = MRN_OPT_LIST,
         .target = &q->set_b,
         .arg = "PATH=VALUE",
         .doc = "Change the second scene only."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_TEXT,
         .target = &q->threads,
         .arg = "N[,N]",
         .doc = "Threads of the two runs. Else as they were, or one per core."},
        {.name = "steps",
         .kind = MRN_OPT_INTEGER,
         .target = &q->steps,
         .arg = "N",
         .min = 1,
         .max = 9e18,
         .doc = "Look at the first N steps only."},
        {.name = "after",
         .kind = MRN_OPT_INTEGER,
         .target = &q->after,
         .arg = "N",
         .min = 0,
         .max = 9e18,
         .doc = "Steps to go on after the runs part, to see how the difference grows (4096)."},
        {.name = "stored",
         .kind = MRN_OPT_FLAG,
         .target = &q->stored,
         .doc = "Compare what is stored; run nothing."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &q->json, .doc = "Print JSON."},
    };
    int code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                             q->operand, 2, n);
    if (code < 0 && *n == 0)
        return mrn_app_usage("diff", "which runs? Name two folders or scene files");
    return code;
}

/* "1,4", or one number for both. */
static bool read_threads(const char *text, int asked[2])
{
    for (int k = 0; k < 2; k++) {
        char *end = NULL;
        long n = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
        if (n < 1 || n > MRN_THREADS_MOST || (*end != '\0' && (k > 0 || *end != ',')))
            return false;
        asked[k] = (int)n;
        text = *end == ',' ? end + 1 : text;
    }
    return true;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The operands' kinds and scenes; -1, or the exit code after telling what is wrong. */
static int settle(request *q, int n)
{
    bool varied = q->set_a.n + q->set_b.n > 0 || q->threads != NULL;
    if (n == 1 && (is_folder(q->operand[0]) || !varied))
        return mrn_app_usage("diff", "compared with what? Name a second run, or change one with "
                                     "--set-b or --threads 1,4");
    if (q->threads != NULL && !read_threads(q->threads, q->asked))
        return mrn_app_usage("diff", "--threads %s: write N or N,N, numbers from 1 to %d",
                             q->threads, MRN_THREADS_MOST);
    if (n == 1)
        q->operand[1] = q->operand[0];
    for (int k = 0; k < 2; k++) {
        q->folder[k] = is_folder(q->operand[k]);
        snprintf(q->scene[k], sizeof q->scene[k], "%.1100s%s", q->operand[k],
                 q->folder[k] ? "/scene.yaml" : "");
        if (q->folder[k] && !has_file(q->operand[k], "scene.yaml") &&
            !has_file(q->operand[k], "trajectory.h5"))
            return mrn_app_usage("diff", "%s holds no run", q->operand[k]);
    }
    return -1;
}

int mrn_cmd_diff(int argc, char **argv)
{
    request q = {.after = 4096};
    int n, code = parse(argc, argv, &q, &n);
    if (code < 0)
        code = settle(&q, n);
    if (code >= 0)
        return code;
    answer *r = calloc(1, sizeof *r);
    mrn_message msg = {0};
    if (r == NULL)
        return MRN_EXIT_FAILED;
    r->facts = json_array();
    r->lines = json_array();
    mrn_status status = find_out(&q, r, &msg);
    if (status < 0 || status == MRN_TOO_STIFF) {
        mrn_app_report(&msg);
        code = MRN_EXIT_USAGE;
    } else if (status == MRN_INTERRUPTED) {
        mrn_app_report(&msg);
        code = MRN_EXIT_FAILED;
    } else {
        if (q.json)
            mrn_app_json(answer_json(r));
        else
            tell(&q, r);
        code = r->same ? MRN_EXIT_OK : MRN_EXIT_FAILED;
    }
    for (int k = 0; k < 2; k++)
        json_decref(r->summary[k]);
    json_decref(r->facts);
    json_decref(r->lines);
    free(r);
    return code;
}
