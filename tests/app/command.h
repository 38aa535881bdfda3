/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real command, run in a folder of its own: exit code, what it printed, JSON. */
#ifndef MRN_TESTS_APP_COMMAND_H
#define MRN_TESTS_APP_COMMAND_H

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A folder of its own with the scene `name` in it, and its end, as cmocka wants them. */
static inline int make_folder_with(const char *name, const char *text)
{
    work = make_folder();
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    return fclose(f);
}

static inline int remove_folder(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

static inline pid_t start(char *const *argv)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (chdir(work.path) != 0)
        _exit(120);
    signal(SIGINT, SIG_DFL); /* a shell that runs tests in the background has it ignored */
    signal(SIGHUP, SIG_DFL); /* and nohup this */
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

/* Whether the process has its own handler for SIGINT by now. */
static inline bool catches_interrupt(pid_t pid)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "SigCgt: %llx", &mask) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return mask >> (SIGINT - 1) & 1;
}

/* Waits, however busy the machine is, until Ctrl-C is a request and no longer the end. */
static inline void await_handler(pid_t pid)
{
    siginfo_t gone = {0};
    while (!catches_interrupt(pid) &&
           waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == 0)
        usleep(10000);
}

/* Waits until a file of the folder is there, or the command that is to make it has ended. */
static inline void await_file(pid_t pid, const char *name)
{
    siginfo_t gone = {0};
    while (!there_is(work.path, name) &&
           waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == 0)
        usleep(1000);
}

#endif
