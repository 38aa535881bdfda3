/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files to be read, opened so that nobody waits: a pipe without a writer holds open(2) for ever, a
   device read(2). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static bool is_given(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

static FILE *refuse(int fd, int error)
{
    close(fd);
    errno = error;
    return NULL;
}

FILE *mrn_open_input(const char *path)
{
    if (is_given(path))
        return fopen(path, "rb");
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) != 0)
        return refuse(fd, errno);
    if (!S_ISREG(info.st_mode))
        return refuse(fd, S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP);
    FILE *f = fdopen(fd, "rb");
    return f != NULL ? f : refuse(fd, errno);
}
