/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the subcommands: one table serves the parser, its messages and --help. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "shell.h"

const char *const mrn_app_devices[MRN_APP_DEVICES] = {"cpu", "cuda", "emulated"};

#define HELP_WIDTH 100

int mrn_app_usage(const char *command, const char *fmt, ...)
{
    fprintf(stderr, "%smoraine %s: error:%s ", mrn_app_style_code(stderr, MRN_RED), command,
            mrn_app_style_code(stderr, MRN_PLAIN));
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n  hint: `moraine %s --help` tells how to use it\n", command);
    return MRN_EXIT_USAGE;
}

/* A list is a help as long as it is short. */
enum { LISTED_MAX = 12 };

/* `where` stands before: "--fit: ", or nothing; `noun` is what is missing, with a blank behind it.
 */
static int unknown(const char *command, const char *where, const char *noun, const char *name,
                   const char *const *words, int n)
{
    char what[512], list[480] = "";
    snprintf(what, sizeof what, "%sthere is no %s\"%s\"", where, noun, name);
    const char *meant = mrn_closest_word(name, words, n);
    if (meant != NULL)
        return mrn_app_usage(command, "%s; did you mean \"%s\"?", what, meant);
    if (n > LISTED_MAX)
        return mrn_app_usage(command, "%s", what);
    size_t at = 0;
    for (int i = 0; i < n && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", words[i]);
    return mrn_app_usage(command, "%s; there are: %s", what, list);
}

int mrn_app_unknown(const char *command, const char *noun, const char *name,
                    const char *const *words, int n)
{
    char with_blank[120];
    snprintf(with_blank, sizeof with_blank, "%s ", noun);
    return unknown(command, "", with_blank, name, words, n);
}

static void print_option(const mrn_app_option *o)
{
    char left[80];
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->arg != NULL)
        snprintf(left + n, sizeof left - (size_t)n, " %s", o->arg);
    bool own_line = mrn_app_width(left) > 26;
    mrn_app_pad(stdout, left, own_line ? 0 : 28, false);
    if (own_line)
        printf("\n%28s", "");
    mrn_app_wrap(stdout, o->doc, 28, HELP_WIDTH);
    if (o->kind != MRN_OPT_CHOICE || o->n_choices == 0)
        return;
    char list[512] = "one of:";
    for (int i = 0; i < o->n_choices; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, " %s%s", o->choices[i],
                 i + 1 < o->n_choices ? "," : "");
    }
    printf("%28s", "");
    mrn_app_wrap(stdout, list, 28, HELP_WIDTH);
}

static void print_help(const char *command, const mrn_app_page *page, const mrn_app_option *options,
                       int n)
{
    const char *bold = mrn_app_style_code(stdout, MRN_BOLD);
    const char *plain = mrn_app_style_code(stdout, MRN_PLAIN);
    const char *summary = mrn_app_summary(command);
    printf("%susage:%s moraine %s\n\n", bold, plain, page->usage);
    if (summary[0] != '\0')
        printf("%s\n\n", summary);
    if (page->doc != NULL && page->doc[0] != '\0')
        printf("%s\n\n", page->doc);
    printf("%soptions:%s\n", bold, plain);
    for (int i = 0; i < n; i++)
        print_option(&options[i]);
    const mrn_app_option help = {
        .name = "help", .letter = 'h', .kind = MRN_OPT_FLAG, .doc = "Print this page."};
    print_option(&help);
    if (page->doc == NULL || strstr(page->doc, "Exit code") == NULL)
        printf("\n%sexit codes:%s %s\n", bold, plain, MRN_APP_EXIT_CODES);
    if (page->examples == NULL)
        return;
    printf("\n%sexamples:%s\n", bold, plain);
    for (const char *line = page->examples; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

static int unknown_option(const char *command, const char *name, const mrn_app_option *options,
                          int n)
{
    const char *words[40];
    int n_words = 0;
    for (int i = 0; i < n && n_words < 39; i++)
        words[n_words++] = options[i].name;
    words[n_words++] = "help";
    const char *meant = mrn_closest_word(name, words, n_words);
    if (meant != NULL)
        return mrn_app_usage(command, "unknown option --%s; did you mean --%s?", name, meant);
    return mrn_app_usage(command, "unknown option --%s", name);
}

static bool is_unbounded(const mrn_app_option *o)
{
    return o->min == 0 && o->max == 0;
}

static bool in_bounds(const mrn_app_option *o, double v)
{
    return is_unbounded(o) || (v >= o->min && v <= o->max);
}

static int store_number(const char *command, const mrn_app_option *o, const char *text)
{
    char *end;
    errno = 0;
    double v = o->kind == MRN_OPT_INTEGER ? (double)strtoll(text, &end, 10) : strtod(text, &end);
    bool integer = o->kind == MRN_OPT_INTEGER;
    if (end == text || *end != '\0' || errno != 0 || (!integer && !isfinite(v) && is_unbounded(o)))
        return mrn_app_usage(command, "--%s: \"%s\" is not %s number", o->name, text,
                             integer ? "a whole" : "a");
    if (!in_bounds(o, v))
        return mrn_app_usage(command, "--%s: %s is not between %g and %g", o->name, text, o->min,
                             o->max);
    if (integer)
        *(int64_t *)o->target = strtoll(text, NULL, 10);
    else
        *(double *)o->target = v;
    return -1;
}

static int store_choice(const char *command, const mrn_app_option *o, const char *text)
{
    for (int i = 0; i < o->n_choices; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            *(const char **)o->target = text;
            return -1;
        }
    }
    char where[120];
    snprintf(where, sizeof where, "--%s: ", o->name);
    return unknown(command, where, "", text, o->choices, o->n_choices);
}

static int store(const char *command, const mrn_app_option *o, const char *text)
{
    switch (o->kind) {
    case MRN_OPT_FLAG:
        *(bool *)o->target = true;
        return -1;
    case MRN_OPT_TEXT:
        *(const char **)o->target = text;
        return -1;
    case MRN_OPT_INTEGER:
    case MRN_OPT_NUMBER:
        return store_number(command, o, text);
    case MRN_OPT_CHOICE:
        return store_choice(command, o, text);
    case MRN_OPT_LIST:
        break;
    }
    mrn_app_list *list = o->target;
    if (list->n == MRN_APP_LIST_MAX)
        return mrn_app_usage(command, "--%s: more than %d of them", o->name, MRN_APP_LIST_MAX);
    list->item[list->n++] = text;
    return -1;
}

/* The option meant by a word "--name", "--name=value" or "-n"; *value gets the part after '='. */
static const mrn_app_option *match(const char *word, const mrn_app_option *options, int n,
                                   const char **value)
{
    *value = NULL;
    if (word[1] != '-') {
        for (int i = 0; i < n; i++) {
            if (options[i].letter != 0 && options[i].letter == word[1] && word[2] == '\0')
                return &options[i];
        }
        return NULL;
    }
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    for (int i = 0; i < n; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) {
            *value = equals != NULL ? equals + 1 : NULL;
            return &options[i];
        }
    }
    return NULL;
}

/* One option at argv[*i]; takes its argument from the next word when it needs one. */
static int take_option(const char *command, const mrn_app_option *options, int n, int argc,
                       char **argv, int *i)
{
    const char *word = argv[*i], *value;
    const mrn_app_option *o = match(word, options, n, &value);
    if (o == NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        if (name[1] != '-')
            return mrn_app_usage(command, "unknown option %s", name);
        return unknown_option(command, name + 2, options, n);
    }
    if (o->kind == MRN_OPT_FLAG) {
        if (value != NULL)
            return mrn_app_usage(command, "--%s takes no value", o->name);
        return store(command, o, NULL);
    }
    if (value == NULL) {
        if (*i + 1 >= argc)
            return mrn_app_usage(command, "--%s needs a value: %s", o->name, o->arg);
        value = argv[++*i];
    }
    return store(command, o, value);
}

int mrn_app_parse(const mrn_app_page *page, const mrn_app_option *options, int n_options, int argc,
                  char **argv, const char **operand, int max_operands, int *n_operands)
{
    bool only_operands = false;
    *n_operands = 0;
    if (argc == 2 && mrn_shell_part(argv[1], argv[0], page, options, n_options))
        return MRN_EXIT_OK;
    for (int i = 1; i < argc; i++) {
        if (!only_operands && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_help(argv[0], page, options, n_options);
            return MRN_EXIT_OK;
        }
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1] != '\0') {
            int code = take_option(argv[0], options, n_options, argc, argv, &i);
            if (code >= 0)
                return code;
        } else if (*n_operands == max_operands) {
            return mrn_app_usage(argv[0], "one argument too many: \"%s\"", argv[i]);
        } else {
            operand[(*n_operands)++] = argv[i];
        }
    }
    return -1;
}
