/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How this command is called in the shell it was started from, for lines to be copied. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

static char own[1024] = "moraine";

/* The file that a shell would start for a name without a slash; false: none. */
static bool in_path(const char *name, struct stat *found)
{
    const char *p = getenv("PATH");
    while (p != NULL && *p != '\0') {
        size_t n = strcspn(p, ":");
        char file[1200];
        int length = snprintf(file, sizeof file, "%.*s/%s", (int)n, p, name);
        if (n > 0 && length < (int)sizeof file && access(file, X_OK) == 0 &&
            stat(file, found) == 0 && S_ISREG(found->st_mode))
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

bool mrn_app_has_command(const char *name)
{
    struct stat found;
    return in_path(name, &found);
}

/* A path is shortened to the name where the shell finds the same file by it. */
void mrn_app_remember_name(const char *called)
{
    struct stat here, found;
    const char *slash = called != NULL ? strrchr(called, '/') : NULL;
    if (slash == NULL || strlen(called) >= sizeof own)
        return;
    bool same = stat(called, &here) == 0 && in_path(slash + 1, &found) &&
                here.st_dev == found.st_dev && here.st_ino == found.st_ino;
    snprintf(own, sizeof own, "%s", same ? slash + 1 : called);
}

const char *mrn_app_own_name(void)
{
    return own;
}
