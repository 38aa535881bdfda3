/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layer between a program and the system (LD_PRELOAD) for tools/faults.sh: from the k-th write on
   every one fails, those of HDF5 and of stdio, syncs and renames (MRN_FAIL_WRITE=k, errno in
   MRN_FAIL_ERRNO), and the clock jumps by hours to and fro (MRN_FAIL_CLOCK=1). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int fails(int fd)
{
    static long count, from = -1;
    static int error;
    if (from < 0) {
        const char *k = getenv("MRN_FAIL_WRITE"), *e = getenv("MRN_FAIL_ERRNO");
        from = k != NULL ? atol(k) : 0;
        error = e != NULL ? atoi(e) : ENOSPC;
    }
    if (from == 0 || fd <= 2 || __sync_add_and_fetch(&count, 1) < from)
        return 0;
    errno = error;
    return 1;
}

ssize_t write(int fd, const void *data, size_t n)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return fails(fd) ? -1 : real(fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (real == NULL)
        real = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    return fails(fd) ? -1 : real(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off_t at)
{
    return pwrite(fd, data, n, at);
}

int fsync(int fd)
{
    static int (*real)(int);
    if (real == NULL)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return fails(fd) ? -1 : real(fd);
}

/* Of stdio what a program calls itself: what it buffers goes out by calls within libc. */
static int stream_fails(FILE *f)
{
    int fd = f != NULL ? fileno(f) : -1;
    return fd > 2 && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && fails(fd);
}

int fflush(FILE *f)
{
    static int (*real)(FILE *);
    if (real == NULL)
        real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    return stream_fails(f) ? EOF : real(f);
}

int fclose(FILE *f)
{
    static int (*real)(FILE *);
    if (real == NULL)
        real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    int lost = stream_fails(f), error = errno, done = real(f);
    if (lost)
        errno = error;
    return lost ? EOF : done;
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (real == NULL)
        real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    return fails(3) ? -1 : real(from, to);
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    static int (*real)(clockid_t, struct timespec *);
    static long calls;
    if (real == NULL)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(which, t);
    if (done == 0 && getenv("MRN_FAIL_CLOCK") != NULL) {
        long k = __sync_add_and_fetch(&calls, 1);
        t->tv_sec += k % 500 == 0 ? 7200 : k % 500 == 1 ? -3600 : 0;
    }
    return done;
}
