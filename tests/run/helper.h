/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes in memory, folders that go away, runs in one line. */
#ifndef MRN_TESTS_RUN_HELPER_H
#define MRN_TESTS_RUN_HELPER_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "moraine/moraine.h"

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

typedef struct folder {
    char path[64];
} folder;

static inline folder make_folder(void)
{
    folder f = {"/tmp/moraine-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline bool there_is(const char *dir, const char *name)
{
    char path[2048];
    int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    return n > 0 && n < (int)sizeof path && access(path, F_OK) == 0;
}

static inline void ok(mrn_status s, const mrn_message *msg)
{
    if (s == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    fail_msg("%s", text);
}

static inline void read_scene(const char *text, mrn_scene *scene)
{
    mrn_message msg = {0};
    ok(mrn_scene_read_text(text, "test.yaml", NULL, 0, scene, &msg), &msg);
}

/* Runs a scene text; the status is returned, an unexpected error fails the test when `fine`. */
static inline mrn_status run_text(const char *text, const mrn_run_options *opt, mrn_run_result *r,
                                  mrn_message *msg)
{
    mrn_scene scene = {0};
    read_scene(text, &scene);
    mrn_status status = mrn_run(&scene, opt, r, msg);
    mrn_scene_destroy(&scene);
    return status;
}

/* The whole text of a file; the caller frees. */
static inline char *slurp(const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)n + 1);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    fclose(f);
    return text;
}

#endif
