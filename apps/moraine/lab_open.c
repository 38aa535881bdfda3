/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of the lab: their common options, the experiment they open, the folder they fill. */
#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_parts.h"

/* ---- options ---- */

void mrn_cli_options(mrn_cli_request *q, const char *law_doc, const char *out_doc,
                     mrn_app_option *out)
{
    const mrn_app_option common[MRN_CLI_COMMON] = {
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &q->set,
         .arg = "PATH=VALUE",
         .doc = "Change the file before it is checked, e.g. \"collision.speed=3 m/s\" or "
                "laws.M3.friction=0.1. May be given many times."},
        {.name = "law",
         .letter = 'l',
         .kind = MRN_OPT_LIST,
         .target = &q->law,
         .arg = "NAME",
         .doc = law_doc},
        {.name = "accuracy",
         .kind = MRN_OPT_NUMBER,
         .target = &q->accuracy,
         .arg = "A",
         .min = 1e-12,
         .max = 1e-2,
         .doc = "Relative accuracy of every collision, 1e-12 to 1e-2; steps are refined until it "
                "is reached. Else the file's."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q->out,
         .arg = "DIR",
         .doc = out_doc},
        {.name = "force",
         .kind = MRN_OPT_FLAG,
         .target = &q->force,
         .doc = "Replace what an earlier call wrote into the folder."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &q->threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Threads; else one per core. The result has the same bits for any number."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &q->quiet,
         .doc = "Print nothing but errors."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &q->json,
         .doc = "Print JSON instead of text, every quantity in SI units."},
    };
    memcpy(out, common, sizeof common);
}

static bool plain_word(const char *s)
{
    return s[0] != '\0' && s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=.,:/%@")] == '\0';
}

void mrn_cli_add_word(char *line, size_t size, const char *word)
{
    size_t n = strlen(line);
    if (plain_word(word)) {
        snprintf(line + n, size - n, "%s%s", n > 0 ? " " : "", word);
        return;
    }
    n += (size_t)snprintf(line + n, size - n, "%s'", n > 0 ? " " : "");
    for (const char *p = word; *p != '\0' && n + 8 < size; p++)
        n += (size_t)snprintf(line + n, size - n, *p == '\'' ? "'\\''" : "%c", *p);
    snprintf(line + n, size - n, "'");
}

void mrn_cli_keep_line(mrn_cli_request *q, int argc, char **argv)
{
    snprintf(q->line, sizeof q->line, "moraine");
    for (int i = 0; i < argc && strlen(q->line) + 64 < sizeof q->line; i++)
        mrn_cli_add_word(q->line, sizeof q->line, argv[i]);
}

void mrn_cli_set(mrn_cli_request *q, char *store, size_t size, const char *path, const char *fmt,
                 ...)
{
    va_list args;
    int n = snprintf(store, size, "%s=", path);
    va_start(args, fmt);
    vsnprintf(store + n, size - (size_t)n, fmt, args);
    va_end(args);
    if (q->set.n < MRN_APP_LIST_MAX)
        q->set.item[q->set.n++] = store;
}

/* ---- the experiment ---- */

static mrn_status unknown_law(const mrn_experiment *e, const char *name, mrn_message *msg)
{
    const char *words[MRN_CLI_LAWS];
    char list[400] = "";
    int n = 0;
    for (; n < e->n_candidates && n < MRN_CLI_LAWS; n++) {
        size_t at = strlen(list);
        words[n] = e->candidate[n].name;
        snprintf(list + at, sizeof list - at, "%s%s", n > 0 ? ", " : "", words[n]);
    }
    const char *meant = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "--law %s: there is no law of that name in %s", name, e->path);
    mrn_fail_expected(msg, "%s", list);
    if (meant != NULL)
        mrn_fail_hint(msg, "did you mean \"%s\"?", meant);
    return MRN_ERR_INPUT;
}

static mrn_status add_law(mrn_cli *lab, const char *name, mrn_message *msg)
{
    const mrn_experiment *e = &lab->e;
    for (int i = 0; i < e->n_candidates; i++) {
        if (strcmp(e->candidate[i].name, name) != 0 &&
            strcmp(e->candidate[i].collision.model.name, name) != 0)
            continue;
        if (lab->n_laws < MRN_CLI_LAWS)
            lab->law[lab->n_laws++] = i;
        return MRN_OK;
    }
    return unknown_law(e, name, msg);
}

/* "M1,M3" or one of each --law; without any: all. */
static mrn_status choose_laws(mrn_cli *lab, mrn_message *msg)
{
    mrn_status status = MRN_OK;
    for (int k = 0; status == MRN_OK && k < lab->q->law.n; k++) {
        for (const char *p = lab->q->law.item[k]; status == MRN_OK && p != NULL;) {
            char name[MRN_LAW_NAME];
            size_t n = strcspn(p, ",");
            snprintf(name, sizeof name, "%.*s", (int)n, p);
            status = add_law(lab, name, msg);
            p = p[n] == ',' ? p + n + 1 : NULL;
        }
    }
    for (int i = 0; lab->q->law.n == 0 && i < lab->e.n_candidates && i < MRN_CLI_LAWS; i++)
        lab->law[lab->n_laws++] = i;
    return status;
}

mrn_status mrn_cli_open(const mrn_cli_request *q, mrn_cli *lab, mrn_message *msg)
{
    *lab = (mrn_cli){.q = q};
    if (q->threads > 0)
        mrn_threads_set((int)q->threads);
    mrn_status status = mrn_experiment_read(q->path, q->set.item, q->set.n, &lab->e, msg);
    if (status != MRN_OK)
        return status;
    if (q->accuracy > 0)
        lab->e.accuracy = lab->e.fit_accuracy = q->accuracy;
    status = choose_laws(lab, msg);
    if (status != MRN_OK)
        mrn_cli_close(lab);
    return status;
}

mrn_status mrn_cli_need_data(const mrn_cli *lab, mrn_message *msg)
{
    if (lab->e.measured.n > 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "nothing is measured in this file");
    mrn_fail_expected(msg, "the key `data`, with conditions and responses");
    mrn_fail_hint(msg, "`moraine collide` needs no measurements");
    return mrn_fail_at(msg, lab->e.path, 1, 1);
}

void mrn_cli_close(mrn_cli *lab)
{
    mrn_experiment_destroy(&lab->e);
}

/* ---- files and folders ---- */

void mrn_cli_folder_name(const char *path, const char *suffix, char *out, size_t size)
{
    char copy[1024], folder[1024];
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(folder, sizeof folder, "%s", path);
    const char *base = basename(copy), *dot = strrchr(base, '.');
    const char *parent = basename(dirname(folder));
    int n = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen(base);
    bool plain = (n == 5 && strncmp(base, "scene", 5) == 0) ||
                 (n == 10 && strncmp(base, "experiment", 10) == 0) ||
                 (n == 11 && strncmp(base, "calibration", 11) == 0);
    if (plain && parent[0] != '.' && parent[0] != '/') {
        base = parent;
        n = (int)strlen(parent);
    }
    snprintf(out, size, "%.*s-%s", n, base, suffix);
}

static bool exists(const char *folder, const char *name)
{
    char path[1200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

mrn_status mrn_cli_folder_check(const mrn_cli_request *q, const char *folder, mrn_message *msg)
{
    struct stat st;
    if (folder[0] == '\0' || strlen(folder) > 1000)
        return mrn_fail(msg, MRN_ERR_RANGE, "the name of the output folder is %s",
                        folder[0] == '\0' ? "empty" : "too long");
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
        mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: it is a file", folder);
        return mrn_fail_hint(msg, "choose another folder with --out");
    }
    if (!q->force && exists(folder, "report.html")) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s holds an earlier result (report.html)", folder);
        return mrn_fail_hint(msg, "--force replaces it, --out DIR takes another folder");
    }
    return MRN_OK;
}

mrn_status mrn_cli_folder_make(const char *folder, mrn_message *msg)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", folder);
    for (char *p = path + 1;; p++) {
        char c = *p;
        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s: %s", folder, path,
                     strerror(errno));
            return mrn_fail_hint(msg, "choose another folder with --out");
        }
        *p = c;
        if (c == '\0')
            return MRN_OK;
    }
}

mrn_status mrn_cli_write_text(const char *folder, const char *name, const char *text,
                              mrn_message *msg)
{
    char path[1200];
    mrn_atomic_file file;
    snprintf(path, sizeof path, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", name);
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    fputs(text, file.f);
    return mrn_atomic_commit(&file, msg);
}

mrn_status mrn_cli_write_json(const char *folder, const char *name, const json_t *root,
                              mrn_message *msg)
{
    char path[1200];
    mrn_atomic_file file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    if (root == NULL || json_dumpf(root, file.f, JSON_INDENT(2)) != 0) {
        mrn_atomic_abandon(&file);
        return mrn_fail(msg, MRN_ERR_IO, "cannot write %s", path);
    }
    fputc('\n', file.f);
    return mrn_atomic_commit(&file, msg);
}

mrn_status mrn_cli_copy_inputs(const mrn_cli *lab, const char *folder, mrn_message *msg)
{
    const mrn_experiment *e = &lab->e;
    mrn_status status = MRN_OK;
    if (e->source != NULL)
        status = mrn_cli_write_text(folder, "experiment.yaml", e->source, msg);
    if (status == MRN_OK && e->data_path != NULL && e->data_text != NULL) {
        char copy[1024];
        snprintf(copy, sizeof copy, "%s", e->data_path);
        status = mrn_cli_write_text(folder, basename(copy), e->data_text, msg);
    }
    return status;
}

int mrn_cli_check_file(const mrn_cli_request *q, const char *option, const char *path, bool plot)
{
    if (path == NULL)
        return -1;
    const char *ending = strrchr(path, '.');
    if (plot && (ending == NULL || (strcmp(ending, ".svg") != 0 && strcmp(ending, ".png") != 0)))
        return mrn_app_usage(q->command, "--%s %s: the name must end in .svg or .png", option,
                             path);
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    if (access(folder, W_OK) == 0)
        return -1;
    return mrn_app_usage(q->command, "--%s %s: the folder %s is not there or not writable", option,
                         path, folder);
}
