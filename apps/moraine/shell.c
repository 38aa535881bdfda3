/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion for shells and man pages, from the tables of options that --help prints. A subcommand
   called with --help=bash (zsh, fish, man) gives its part here; `moraine completion` and `moraine
   man` put the parts together. */
#include "shell.h"

#include <string.h>

/* Text between apostrophes: in a shell's word an apostrophe ends it. */
static void put_quoted(const char *text, const char *apostrophe)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs(apostrophe, stdout);
        else
            fputc(*text, stdout);
}

/* The first sentence, which fits beside an option. */
static void put_first(const char *doc, const char *apostrophe, const char *forbidden)
{
    const char *end = strstr(doc, ". ");
    size_t n = end != NULL ? (size_t)(end - doc) : strlen(doc);
    char text[200];
    n = n < sizeof text - 1 ? n : sizeof text - 1;
    memcpy(text, doc, n);
    text[n] = '\0';
    n = strlen(text);
    if (n > 0 && text[n - 1] == '.')
        text[n - 1] = '\0';
    for (char *p = text; *p != '\0'; p++)
        if (strchr(forbidden, *p) != NULL)
            *p = *p == '[' ? '(' : *p == ']' ? ')' : ' ';
    put_quoted(text, apostrophe);
}

static void put_words(const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        printf("%s%s", i > 0 ? " " : "", words[i]);
}

static void put_choices(const mrn_app_option *o)
{
    put_words(o->choices, o->n_choices);
}

/* ---- bash ---- */

static void bash_part(const char *command, const mrn_app_page *page, const mrn_app_option *options,
                      int n)
{
    printf("    %s)\n        words='", command);
    for (int i = 0; i < n; i++)
        printf("--%s ", options[i].name);
    printf("--help'\n");
    if (page->n_words > 0) {
        printf("        args='");
        put_words(page->words, page->n_words);
        printf("'\n");
    }
    printf("        case $before in\n");
    for (int i = 0; i < n; i++) {
        const mrn_app_option *o = &options[i];
        if (o->kind == MRN_OPT_FLAG)
            continue;
        printf("        --%s", o->name);
        if (o->letter != 0)
            printf(" | -%c", o->letter);
        if (o->kind == MRN_OPT_CHOICE) {
            printf(") words='");
            put_choices(o);
            printf("' files= ;;\n");
        } else {
            printf(") words= args= ;;\n");
        }
    }
    printf("        esac\n        ;;\n");
}

void mrn_shell_bash_begin(const char *const *commands, const char *const *summaries, int n)
{
    (void)summaries;
    printf("# bash completion for moraine; made by `moraine completion bash`\n"
           "_moraine() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= "
           "args= "
           "files=yes\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    for (int i = 0; i < n; i++)
        printf("%s ", commands[i]);
    printf("--help --version' -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
}

void mrn_shell_bash_end(void)
{
    printf("    esac\n"
           "    if [[ $word == -* ]] || [ -z \"$files\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    elif [ -n \"$args\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$args\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _moraine moraine\n");
}

/* ---- zsh ---- */

static void zsh_option(const mrn_app_option *o)
{
    const char *again = o->kind == MRN_OPT_LIST ? "*" : "";
    printf("            ");
    if (o->letter != 0)
        printf("'%s'{-%c,--%s}'", again, o->letter, o->name);
    else
        printf("'%s--%s", again, o->name);
    printf("[");
    put_first(o->doc, "'\\''", "[]:");
    printf("]");
    if (o->kind == MRN_OPT_CHOICE) {
        printf(":%s:(", o->arg != NULL ? o->arg : "word");
        put_choices(o);
        printf(")");
    } else if (o->kind != MRN_OPT_FLAG) {
        printf(":%s:_files", o->arg != NULL ? "value" : "value");
    }
    printf("' \\\n");
}

static void zsh_part(const char *command, const mrn_app_page *page, const mrn_app_option *options,
                     int n)
{
    printf("    %s)\n        _arguments \\\n", command);
    for (int i = 0; i < n; i++)
        zsh_option(&options[i]);
    printf("            '(-h --help)'{-h,--help}'[Print the page]' ");
    if (page->n_words > 0) {
        printf("'*:name:(");
        put_words(page->words, page->n_words);
        printf(")' ;;\n");
    } else {
        printf("'*:file:_files' ;;\n");
    }
}

void mrn_shell_zsh_begin(const char *const *commands, const char *const *summaries, int n)
{
    printf("#compdef moraine\n# zsh completion for moraine; made by `moraine completion zsh`\n"
           "_moraine() {\n    local -a commands\n    commands=(\n");
    for (int i = 0; i < n; i++) {
        printf("        '%s:", commands[i]);
        put_first(summaries[i], "'\\''", ":");
        printf("'\n");
    }
    printf("    )\n"
           "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
           "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
           "    case $command in\n");
}

void mrn_shell_zsh_end(void)
{
    printf("    esac\n}\n_moraine \"$@\"\n");
}

/* ---- fish ---- */

static void fish_part(const char *command, const mrn_app_page *page, const mrn_app_option *options,
                      int n)
{
    if (page->n_words > 0) {
        printf("complete -c moraine -n '__fish_seen_subcommand_from %s' -f -a '", command);
        put_words(page->words, page->n_words);
        printf("'\n");
    }
    for (int i = 0; i < n; i++) {
        const mrn_app_option *o = &options[i];
        printf("complete -c moraine -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
        if (o->letter != 0)
            printf(" -s %c", o->letter);
        if (o->kind == MRN_OPT_CHOICE) {
            printf(" -x -a '");
            put_choices(o);
            printf("'");
        } else if (o->kind != MRN_OPT_FLAG) {
            printf(" -r");
        }
        printf(" -d '");
        put_first(o->doc, "\\'", "");
        printf("'\n");
    }
}

void mrn_shell_fish_begin(const char *const *commands, const char *const *summaries, int n)
{
    printf("# fish completion for moraine; made by `moraine completion fish`\n");
    for (int i = 0; i < n; i++) {
        printf("complete -c moraine -n __fish_use_subcommand -f -a %s -d '", commands[i]);
        put_first(summaries[i], "\\'", "");
        printf("'\n");
    }
}

/* ---- man ---- */

/* A text of a page: a line that begins with a dot or an apostrophe would be a command of roff, and
   a hyphen a sign of print. */
static void put_roff(const char *text)
{
    bool begin = true;
    for (; *text != '\0'; text++) {
        if (begin && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", stdout);
        else
            fputc(*text, stdout);
        begin = *text == '\n';
    }
}

static void man_option(const mrn_app_option *o)
{
    printf(".TP\n");
    if (o->letter != 0)
        printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    put_roff(o->name);
    printf("\\fR");
    if (o->arg != NULL) {
        printf(" \\fI");
        put_roff(o->arg);
        printf("\\fR");
    }
    printf("\n");
    put_roff(o->doc);
    if (o->kind == MRN_OPT_CHOICE && o->n_choices > 0) {
        printf(" One of: ");
        put_choices(o);
        printf(".");
    }
    printf("\n");
}

/* Lines as they stand. */
static void man_lines(const char *head, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    printf(".SH %s\n.nf\n", head);
    put_roff(text);
    printf("\n.fi\n");
}

static void man_part(const char *command, const mrn_app_page *page, const mrn_app_option *options,
                     int n)
{
    printf(".TH \"MORAINE\\-%s\" 1 \"\" \"Moraine %s\" \"Moraine\"\n.SH NAME\nmoraine\\-%s \\- ",
           command, MRN_VERSION, command);
    put_roff(mrn_app_summary(command));
    printf("\n.SH SYNOPSIS\n.B moraine\n");
    put_roff(page->usage);
    printf("\n");
    man_lines("DESCRIPTION", page->doc);
    printf(".SH OPTIONS\n");
    for (int i = 0; i < n; i++)
        man_option(&options[i]);
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint this page.\n");
    man_lines("EXAMPLES", page->examples);
    if (page->doc == NULL || strstr(page->doc, "Exit code") == NULL)
        man_lines("EXIT STATUS", MRN_APP_EXIT_CODES);
    printf(".SH SEE ALSO\n\\fBmoraine\\fR(1)\n");
}

void mrn_shell_man_overview(const char *const *commands, const char *const *summaries, int n)
{
    printf(
        ".TH MORAINE 1 \"\" \"Moraine %s\" \"Moraine\"\n.SH NAME\nmoraine \\- granular mechanics: "
        "from a scene to a picture\n.SH SYNOPSIS\n.B moraine\n\\fISUBCOMMAND\\fR [options]\n"
        ".SH DESCRIPTION\nA scene file becomes a world; grains fall, collide and settle.\n"
        ".SH SUBCOMMANDS\n",
        MRN_VERSION);
    for (int i = 0; i < n; i++) {
        printf(".TP\n\\fBmoraine\\-%s\\fR(1)\n", commands[i]);
        put_roff(summaries[i]);
        printf("\n");
    }
    man_lines("EXIT STATUS", MRN_APP_EXIT_CODES);
}

/* ---- parts ---- */

bool mrn_shell_part(const char *word, const char *command, const mrn_app_page *page,
                    const mrn_app_option *options, int n)
{
    if (strcmp(word, "--help=bash") == 0)
        bash_part(command, page, options, n);
    else if (strcmp(word, "--help=zsh") == 0)
        zsh_part(command, page, options, n);
    else if (strcmp(word, "--help=fish") == 0)
        fish_part(command, page, options, n);
    else if (strcmp(word, "--help=man") == 0)
        man_part(command, page, options, n);
    else
        return false;
    return true;
}
