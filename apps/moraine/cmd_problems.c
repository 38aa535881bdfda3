/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine problems: families of contact problems, shown or written to a file. */
#include <string.h>

#include "catalogue.h"

static const char *family_name(int i)
{
    return mrn_problem_family_at(i)->name;
}

static void family_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"family", "answer", "what it is"});
    for (int i = 0; i < mrn_problem_family_count(); i++) {
        const mrn_problem_family *f = mrn_problem_family_at(i);
        mrn_app_table_row(
            &t, (const char *[]){f->name, f->answer != NULL ? "known" : "not known", f->summary});
    }
    if (markdown) {
        puts("# Families of contact problems\n");
        mrn_app_table_markdown(&t, stdout);
    } else {
        mrn_app_table_print(&t, stdout);
    }
}

static int family_params(const mrn_problem_family *f, const mrn_param **out)
{
    int n = f->n_params < MRN_PARAM_MAX ? f->n_params : MRN_PARAM_MAX;
    for (int k = 0; k < n; k++)
        out[k] = &f->params[k];
    return n;
}

static void family_page(int i, bool markdown)
{
    const mrn_problem_family *f = mrn_problem_family_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    mrn_catalogue_heading(f->name, f->summary, markdown);
    mrn_catalogue_paragraph(f->doc, markdown);
    mrn_catalogue_params(params, family_params(f, params), markdown);
    fputs(markdown ? "\n" : "", stdout);
}

static json_t *family_json(int i)
{
    const mrn_problem_family *f = mrn_problem_family_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    int n = family_params(f, params);
    return json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", f->name, "summary", f->summary, "doc",
                     f->doc, "answer", f->answer != NULL, "parameters",
                     mrn_catalogue_params_json(params, n));
}

static const mrn_catalogue families = {.command = "problems",
                                       .noun = "family of problems",
                                       .count = mrn_problem_family_count,
                                       .name = family_name,
                                       .list = family_list,
                                       .page = family_page,
                                       .json = family_json};

/* What the command line says. */
typedef struct request {
    const char *name, *out;
    mrn_app_list set;
    int64_t seed;
    bool global, overwrite, json, markdown;
} request;

static const mrn_problem_family *find_family(const char *name)
{
    const char *words[64];
    const mrn_problem_family *f = mrn_problem_family_find(name);
    int n = mrn_problem_family_count() < 64 ? mrn_problem_family_count() : 64;
    for (int i = 0; i < n; i++)
        words[i] = family_name(i);
    if (f == NULL)
        mrn_app_unknown("problems", "family of problems", name, words, n);
    return f;
}

/* Options from "name=value" texts; -1 to go on, else the exit code. */
static int read_options(const mrn_problem_family *f, const mrn_app_list *set, mrn_value *option)
{
    mrn_message msg = {0};
    mrn_params_defaults(f->params, f->n_params, option);
    for (int i = 0; i < set->n; i++) {
        char name[128];
        const char *equals = strchr(set->item[i], '=');
        size_t length = equals != NULL ? (size_t)(equals - set->item[i]) : 0;
        if (equals == NULL || length >= sizeof name)
            return mrn_app_usage("problems", "--set wants option=value, not \"%s\"", set->item[i]);
        memcpy(name, set->item[i], length);
        name[length] = '\0';
        if (mrn_params_set(f->params, f->n_params, option, f->name, name, equals + 1, &msg) !=
            MRN_OK)
            return mrn_app_report(&msg);
    }
    return -1;
}

static int tell(const request *q, const mrn_problem_family *f, const mrn_problem *p, bool answer)
{
    const char *form = q->global ? "global" : "local";
    if (q->json)
        return mrn_app_json(json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:b, s:I}", "family", f->name,
                                      "out", q->out, "form", form, "contacts", p->n, "bodies",
                                      p->Ht.cols, "dimension",
                                      mrn_contact_layout_of(p->kind)->dimension, "answer", answer,
                                      "seed", (json_int_t)q->seed));
    printf("%s: contacts %s, bodies %s, %dD, %s form%s, written to %s\n", f->name,
           mrn_readable_count(p->n).s, mrn_readable_count(p->Ht.cols).s,
           mrn_contact_layout_of(p->kind)->dimension, form, answer ? ", with its answer" : "",
           q->out);
    return MRN_EXIT_OK;
}

/* The known answer, or NULL where there is none; free with mrn_free. */
static double *known_answer(const mrn_problem_family *f, const mrn_value *option, uint64_t seed,
                            const mrn_problem *p)
{
    mrn_message msg = {0};
    if (f->answer == NULL)
        return NULL;
    int64_t m = (int64_t)p->n * mrn_contact_layout_of(p->kind)->block;
    double *r = mrn_alloc((size_t)m * sizeof *r);
    if (r != NULL && f->answer(option, seed, p, r, &msg) == MRN_OK)
        return r;
    mrn_free(r);
    return NULL;
}

static int write_problem(const request *q)
{
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_problem p = {0};
    const mrn_problem_family *f = find_family(q->name);
    int code = f != NULL ? read_options(f, &q->set, option) : MRN_EXIT_USAGE;
    if (code >= 0)
        return code;
    if (f->make(option, (uint64_t)q->seed, &p, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    double *r = known_answer(f, option, (uint64_t)q->seed, &p);
    mrn_fclib_save save = {.answer = r, .global = q->global, .overwrite = q->overwrite};
    mrn_status s = MRN_OK;
    if (!q->global && p.W.rows == 0) {
        s = mrn_fail(&msg, MRN_ERR_INPUT, "%s: W, which a file of local form holds, is very large",
                     f->name);
        mrn_fail_hint(&msg, "--global writes M and H; --set stored=yes insists on W");
    }
    if (s == MRN_OK)
        s = mrn_fclib_write(q->out, &p, &save, &msg);
    code = s == MRN_OK ? tell(q, f, &p, r != NULL) : mrn_app_report(&msg);
    mrn_free(r);
    mrn_problem_release(&p);
    return code;
}

static int show(const request *q, const mrn_app_page *page)
{
    char *argv[5] = {(char *)"problems"};
    int argc = 1;
    if (q->set.n > 0 || q->global || q->overwrite)
        return mrn_app_usage("problems", "--set, --global and --overwrite go with --out FILE");
    if (q->json)
        argv[argc++] = (char *)"--json";
    if (q->markdown)
        argv[argc++] = (char *)"--markdown";
    if (q->name != NULL)
        argv[argc++] = (char *)q->name;
    return mrn_catalogue_show(&families, page, argc, argv);
}

int mrn_cmd_problems(int argc, char **argv)
{
    const mrn_app_page page = {
        .usage = "problems [NAME] [--out FILE [--set OPTION=VALUE]…] [--markdown | --json]",
        .doc = "Without --out: the families, or the page of one with its options. With --out a\n"
               "problem of the family is made and written as an FCLIB file, together with its\n"
               "answer where that is known. `moraine solve` solves such files.",
        .examples = "moraine problems\n"
                    "moraine problems wall\n"
                    "moraine problems wall --out wall.hdf5 --set bricks=20 --set courses=30"};
    request q = {.seed = 1};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q.out,
         .arg = "FILE",
         .doc = "Make a problem and write it to this file."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &q.set,
         .arg = "OPTION=VALUE",
         .doc = "An option of the family; may be given several times."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &q.seed,
         .arg = "N",
         .max = 9e15,
         .doc = "Of random numbers; the same seed gives the same file. Default: 1."},
        {.name = "global",
         .kind = MRN_OPT_FLAG,
         .target = &q.global,
         .doc = "Write masses M and directions H instead of W."},
        {.name = "overwrite",
         .kind = MRN_OPT_FLAG,
         .target = &q.overwrite,
         .doc = "Replace the file if it is there."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &q.json, .doc = "Print JSON."},
        {.name = "markdown",
         .kind = MRN_OPT_FLAG,
         .target = &q.markdown,
         .doc = "Print Markdown: without a name, the whole reference."},
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                                &q.name, 1, &n);
    if (code >= 0)
        return code;
    if (q.out == NULL)
        return show(&q, &page);
    if (q.name == NULL)
        return mrn_app_usage("problems", "--out needs the name of a family");
    return write_problem(&q);
}
