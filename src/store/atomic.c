/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are whole or not there: written as PATH.part, synced to the disk, then renamed.
   Whoever looks at PATH sees the old content or the new one. A device or a pipe (/dev/stdout) must
   not be renamed over: it is written to directly; a link is followed, not replaced. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.h"

mrn_status mrn_fail_file(mrn_message *msg, const char *path, const char *what, int error)
{
    mrn_fail(msg, MRN_ERR_IO, "%s: %s", what, strerror(error));
    mrn_fail_at(msg, path, 0, 0);
    mrn_hint_for_errno(msg, error);
    return MRN_ERR_IO;
}

void mrn_hint_for_errno(mrn_message *msg, int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        mrn_fail_hint(msg, "the disk (or your share of it) is full: make room, or write elsewhere");
        break;
    case EFBIG:
        mrn_fail_hint(msg, "the file is larger than this system allows: see `ulimit -f`");
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        mrn_fail_hint(msg, "choose a folder that you may write to, or change its permissions");
        break;
    case ENOENT:
        mrn_fail_hint(msg, "check the spelling of the path; its folder must exist");
        break;
    case ENOTSUP:
        mrn_fail_hint(msg, "pipes and devices are not read: name a file");
        break;
    case ENOTDIR:
    case EISDIR:
        mrn_fail_hint(msg, "a file stands where a folder is wanted, or the other way round");
        break;
    case EMFILE:
    case ENFILE:
        mrn_fail_hint(msg, "too many files are open: see `ulimit -n`");
        break;
    default:
        break;
    }
}

/* Fills path and part. An empty part: the path itself is written to. */
static bool choose_names(const char *path, mrn_atomic_file *out)
{
    char target[PATH_MAX];
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISREG(info.st_mode) && realpath(path, target) != NULL)
        path = target;
    if (strlen(path) >= sizeof out->path)
        return false;
    memcpy(out->path, path, strlen(path) + 1);
    if (!there || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
        snprintf(out->part, sizeof out->part, "%s.part", out->path);
    return true;
}

mrn_status mrn_atomic_open(const char *path, mrn_atomic_file *out, mrn_message *msg)
{
    *out = (mrn_atomic_file){0};
    if (!choose_names(path, out))
        return mrn_fail_file(msg, path, "cannot write", ENAMETOOLONG);
    out->f = fopen(out->part[0] != '\0' ? out->part : out->path, "wb");
    if (out->f != NULL)
        return MRN_OK;
    int error = errno;
    *out = (mrn_atomic_file){0};
    return mrn_fail_file(msg, path, "cannot write", error);
}

/* The new name is on the disk only when its folder is. Not all file systems allow this: no error.
 */
static void sync_folder(const char *path)
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)!fsync(folder);
        close(folder);
    }
}

mrn_status mrn_rename_synced(const char *part, const char *path, mrn_message *msg)
{
    if (rename(part, path) != 0)
        return mrn_fail_file(msg, path, "cannot rename the finished file to this name", errno);
    sync_folder(path);
    return MRN_OK;
}

/* Why an earlier write failed: errno has forgotten, but what is full is full still. The file is
   given up, one byte more does no harm. */
static int why_failed(FILE *f)
{
    clearerr(f);
    errno = 0;
    if (fflush(f) != 0)
        return errno;
    return write(fileno(f), "\n", 1) == 1 ? EIO : errno;
}

mrn_status mrn_atomic_finish(mrn_atomic_file *a, bool synced, mrn_message *msg)
{
    if (a->f == NULL)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "a file that is not open cannot be finished");
    bool direct = a->part[0] == '\0';
    synced = synced && !direct;
    errno = 0;
    bool failed = ferror(a->f) != 0, good = !failed && fflush(a->f) == 0;
    int error = failed ? why_failed(a->f) : errno;
    if (good && synced && fsync(fileno(a->f)) != 0)
        good = false, error = errno;
    if (fclose(a->f) != 0 && good)
        good = false, error = errno;
    a->f = NULL;
    mrn_status st = MRN_OK;
    if (!good)
        st = mrn_fail_file(msg, a->path, "cannot write", error != 0 ? error : EIO);
    else if (synced)
        st = mrn_rename_synced(a->part, a->path, msg);
    else if (!direct && rename(a->part, a->path) != 0)
        st = mrn_fail_file(msg, a->path, "cannot rename the finished file to this name", errno);
    if (st != MRN_OK && !direct)
        unlink(a->part);
    *a = (mrn_atomic_file){0};
    return st;
}

mrn_status mrn_atomic_commit(mrn_atomic_file *a, mrn_message *msg)
{
    return mrn_atomic_finish(a, true, msg);
}

void mrn_atomic_abandon(mrn_atomic_file *a)
{
    if (a->f != NULL) {
        fclose(a->f);
        if (a->part[0] != '\0')
            unlink(a->part);
    }
    *a = (mrn_atomic_file){0};
}
