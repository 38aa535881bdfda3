/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real command, run in a folder of its own: exit code, what it printed, JSON. */
#ifndef MRN_TESTS_APP_COMMAND_H
#define MRN_TESTS_APP_COMMAND_H

#include <fcntl.h>
#include <jansson.h>
#include <sys/wait.h>

#include "run/helper.h"

#define MOST_ARGS 40

typedef struct outcome {
    int code;
    char out[1 << 18], err[16384];
} outcome;

static folder work; /* current folder of every command */

static inline void read_into(const char *name, char *buf, size_t size)
{
    char *text = slurp(work.path, name);
    snprintf(buf, size, "%s", text);
    free(text);
}

static inline pid_t start(char *const *argv)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (chdir(work.path) != 0)
        _exit(120);
    int out = open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(122);
    execv(argv[0], argv);
    _exit(121);
}

static inline outcome *finish(pid_t child)
{
    static outcome o;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_into("stdout.txt", o.out, sizeof o.out);
    read_into("stderr.txt", o.err, sizeof o.err);
    return &o;
}

/* moraine FIRST …, the last one NULL; ends with `code`, else the test fails. */
static inline outcome *moraine(int code, const char *first, ...)
{
    char *argv[MOST_ARGS + 2] = {(char *)MRN_TEST_COMMAND};
    int n = 1;
    va_list args;
    va_start(args, first);
    for (const char *a = first; a != NULL && n < MOST_ARGS; a = va_arg(args, const char *))
        argv[n++] = (char *)a;
    va_end(args);
    outcome *o = finish(start(argv));
    if (o->code != code)
        fail_msg("exit code %d, not %d; stdout: %.600s stderr: %.900s", o->code, code, o->out,
                 o->err);
    return o;
}

static inline void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %.1500s", part, text);
}

static inline json_t *parse(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (root == NULL)
        fail_msg("not JSON: %s at line %d: %.300s", error.text, error.line, text);
    return root;
}

#endif
