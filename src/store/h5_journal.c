/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A driver under HDF5 (virtual file layer) that keeps a file whole at any moment.

   HDF5 changes its group trees and headers in place; a process killed in the middle of that leaves
   a file that cannot be read. Here bytes beyond the committed end go to the file at once (new
   arrays, the bulk), while changes of committed bytes are held in memory. A commit writes them to
   PATH.journal with a hash, then to the file, then removes the journal. Killed before the journal
   is whole: the file is as it was. Killed later: the next writer finds the journal and finishes the
   work, a reader lays it over what it reads. This is for processes that die, not for power
   failures: nothing waits for the disk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/h5_journal.h"

static const char magic[8] = "mrnjrnl";

typedef struct journal_head {
    char magic[8];
    uint64_t hash, bytes;
} journal_head;

/* Held changes, one after another: this head, then `size` bytes, filled up to a multiple of 8. */
typedef struct change {
    uint64_t at, size;
} change;

struct mrn_journal {
    H5FD_t driver;    /* must be first: HDF5's part */
    hid_t registered; /* the driver's number, held until the file is closed: HDF5 gives up that of a
                         file before it calls the driver for the last time                        */
    int fd;
    bool writable, abandoned;
    bool settled;       /* HDF5 has found the file sound   */
    bool failed;        /* a write did not succeed         */
    int error;          /* errno of the first failure       */
    haddr_t end;        /* of the file as HDF5 sees it     */
    uint64_t committed; /* bytes before this are protected */
    char *held;
    int64_t n, room;
    char path[1032]; /* of the journal                  */
};

/* ---- plain reading and writing ---- */

static bool read_all(int fd, void *to, uint64_t size, uint64_t at)
{
    for (char *p = to; size > 0;) {
        ssize_t got = pread(fd, p, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0) { /* beyond the end: zeros, as HDF5 expects */
            memset(p, 0, size);
            return true;
        }
        p += got;
        at += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, uint64_t size, uint64_t at)
{
    for (const char *p = from; size > 0;) {
        ssize_t put = pwrite(fd, p, size, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put == 0 ? EIO : errno;
            return false;
        }
        p += put;
        at += (uint64_t)put;
        size -= (uint64_t)put;
    }
    return true;
}

static uint64_t size_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? (uint64_t)info.st_size : 0;
}

/* ---- held changes ---- */

static uint64_t padded(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

static bool hold(mrn_journal *j, uint64_t at, uint64_t size, const void *data)
{
    int64_t need = (int64_t)(sizeof(change) + padded(size));
    if (mrn_grow(&j->held, &j->room, j->n + need, 1) != MRN_OK) {
        j->error = ENOMEM;
        return false;
    }
    change head = {at, size};
    memset(j->held + j->n, 0, (size_t)need);
    memcpy(j->held + j->n, &head, sizeof head);
    memcpy(j->held + j->n + sizeof head, data, size);
    j->n += need;
    return true;
}

/* Takes the change at *p and moves on; false at the end, or where the bytes make no sense. */
static bool next_change(const mrn_journal *j, int64_t *p, change *out)
{
    if (j->n - *p < (int64_t)sizeof *out)
        return false;
    memcpy(out, j->held + *p, sizeof *out);
    if (out->size > (uint64_t)j->n || padded(out->size) > (uint64_t)(j->n - *p) - sizeof *out)
        return false;
    *p += (int64_t)(sizeof *out + padded(out->size));
    return true;
}

/* Lays the held changes over bytes read from the file; later ones win. */
static void lay_over(const mrn_journal *j, uint64_t at, uint64_t size, char *to)
{
    change c;
    for (int64_t p = 0, begin = 0; next_change(j, &p, &c); begin = p) {
        uint64_t from = c.at > at ? c.at : at;
        uint64_t stop = c.at + c.size < at + size ? c.at + c.size : at + size;
        if (from < stop)
            memcpy(to + (from - at), j->held + begin + (int64_t)sizeof c + (from - c.at),
                   stop - from);
    }
}

static bool apply(const mrn_journal *j)
{
    change c;
    for (int64_t p = 0, begin = 0; next_change(j, &p, &c); begin = p)
        if (!write_all(j->fd, j->held + begin + (int64_t)sizeof c, c.size, c.at))
            return false;
    return true;
}

/* ---- the journal file ---- */

static bool store(const mrn_journal *j)
{
    journal_head head = {.hash = mrn_hash(MRN_HASH_START, j->held, (size_t)j->n),
                         .bytes = (uint64_t)j->n};
    memcpy(head.magic, magic, sizeof magic);
    int fd = open(j->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool good =
        write_all(fd, j->held, (uint64_t)j->n, sizeof head) && write_all(fd, &head, sizeof head, 0);
    int error = errno;
    good = close(fd) == 0 && good;
    if (!good)
        unlink(j->path);
    errno = error;
    return good;
}

/* Reads a journal left behind into the held changes. One that is not whole was never begun to be
   applied, and counts for nothing. */
static bool load(mrn_journal *j)
{
    int fd = open(j->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is not waited for */
    if (fd < 0)
        return true;
    journal_head head = {0};
    uint64_t size = size_of(fd);
    bool sound = size >= sizeof head && read_all(fd, &head, sizeof head, 0) &&
                 memcmp(head.magic, magic, sizeof magic) == 0 && head.bytes == size - sizeof head;
    bool room = !sound || mrn_grow(&j->held, &j->room, (int64_t)head.bytes, 1) == MRN_OK;
    if (sound && room && read_all(fd, j->held, head.bytes, sizeof head) &&
        mrn_hash(MRN_HASH_START, j->held, head.bytes) == head.hash)
        j->n = (int64_t)head.bytes;
    close(fd);
    j->error = room ? j->error : ENOMEM;
    return room;
}

/* Finishes what a killed writer left. */
static bool recover(mrn_journal *j)
{
    if (!load(j))
        return false;
    if (j->n > 0 && !apply(j)) {
        j->error = errno;
        return false;
    }
    j->n = 0;
    unlink(j->path);
    return true;
}

mrn_status mrn_journal_commit(mrn_journal *j, int *error)
{
    *error = 0;
    /* what HDF5 could not open (cut short, say) is left as it is: `end` means nothing yet */
    if (!j->writable || j->abandoned || !j->settled)
        return MRN_OK;
    if (j->failed) {
        *error = j->error;
        return MRN_ERR_IO;
    }
    /* the file must be long enough before its header says so, and be cut only afterwards */
    bool good = size_of(j->fd) >= j->end || ftruncate(j->fd, (off_t)j->end) == 0;
    if (good && j->n > 0) {
        good = store(j);
        if (good) /* the journal is whole: whatever comes now, the file is to become what it says */
            j->committed = j->end;
        good = good && apply(j);
        if (good)
            unlink(j->path);
    }
    if (good && size_of(j->fd) > j->end)
        good = ftruncate(j->fd, (off_t)j->end) == 0;
    if (!good) {
        *error = errno;
        return MRN_ERR_IO;
    }
    j->n = 0;
    j->committed = j->end;
    return MRN_OK;
}

void mrn_journal_settle(mrn_journal *j)
{
    j->settled = true;
    j->committed = j->end;
}

void mrn_journal_abandon(mrn_journal *j)
{
    j->abandoned = true;
}

int mrn_journal_descriptor(const mrn_journal *j)
{
    return j->fd;
}

int mrn_journal_error(const mrn_journal *j)
{
    return j->error;
}

/* ---- what HDF5 calls ---- */

typedef struct ticket {
    mrn_journal *journal;
    bool *taken;
} ticket;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t limit)
{
    (void)limit;
    const ticket *t = H5Pget_driver_info(fapl);
    if (t == NULL)
        return NULL;
    mrn_journal *j = t->journal;
    j->writable = (flags & H5F_ACC_RDWR) != 0;
    bool fresh = (flags & H5F_ACC_TRUNC) != 0;
    j->fd =
        open(name, (j->writable ? O_RDWR : O_RDONLY) | (fresh ? O_CREAT | O_TRUNC : 0) | O_CLOEXEC,
             0666);
    if (j->fd < 0) {
        j->error = errno;
        return NULL;
    }
    bool good = true;
    j->settled = fresh;
    if (fresh)
        unlink(j->path);
    else
        good = j->writable ? recover(j) : load(j);
    if (!good) {
        close(j->fd);
        j->fd = -1;
        return NULL;
    }
    *t->taken = true;
    return &j->driver;
}

static mrn_journal *self(H5FD_t *f)
{
    return (mrn_journal *)f;
}

/* Never fails in the eyes of HDF5, which would keep the number of a file that is no more; the
   outcome is mrn_journal_finish's to tell. */
static herr_t driver_close(H5FD_t *f)
{
    mrn_journal *j = self(f);
    int error;
    mrn_status st = mrn_journal_commit(j, &error);
    if (st != MRN_OK)
        j->error = j->error != 0 ? j->error : error;
    if ((j->abandoned || st != MRN_OK) && j->writable && j->settled &&
        ftruncate(j->fd, (off_t)j->committed) != 0)
        st = MRN_ERR_IO;
    if (close(j->fd) != 0 && j->writable && st == MRN_OK) {
        j->error = errno;
        st = MRN_ERR_IO;
    }
    j->fd = -1;
    j->failed = st != MRN_OK;
    return 0;
}

static herr_t driver_query(const H5FD_t *f, unsigned long *flags)
{
    (void)f;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const mrn_journal *)f)->end;
}

static herr_t driver_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    self(f)->end = end;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return size_of(((const mrn_journal *)f)->fd);
}

static herr_t driver_handle(H5FD_t *f, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = f;
    return 0;
}

static herr_t driver_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size, void *to)
{
    (void)type, (void)dxpl;
    if (!read_all(self(f)->fd, to, size, at)) {
        self(f)->error = errno;
        return -1;
    }
    lay_over(self(f), at, size, to);
    return 0;
}

static herr_t driver_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size,
                           const void *from)
{
    (void)type, (void)dxpl;
    mrn_journal *j = self(f);
    uint64_t below = at < j->committed ? j->committed - at : 0;
    below = below < size && !j->abandoned && !j->failed ? below : size;
    if (below > 0 && !hold(j, at, below, from))
        j->failed = true;
    if (write_all(j->fd, (const char *)from + below, size - below, at + below))
        return 0;
    /* HDF5 cannot close a file whose writing fails: it keeps a part of it and crashes with that
       when the program ends. So it does not get to know, finds all it wrote in memory, and the
       commit, which always follows, fails. */
    j->error = errno;
    j->failed = true;
    hold(j, at + below, size - below, (const char *)from + below);
    return 0;
}

static herr_t driver_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    (void)f, (void)dxpl, (void)closing; /* done by the commit */
    return 0;
}

static const H5FD_class_t driver_class = {
    .name = "moraine-journal",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(ticket),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_handle,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

mrn_status mrn_journal_create(const char *path, mrn_journal **out, mrn_message *msg)
{
    mrn_journal *j;
    if (mrn_array(&j, 1, sizeof *j, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    j->fd = -1;
    j->registered = H5I_INVALID_HID;
    snprintf(j->path, sizeof j->path, "%s.journal", path);
    *out = j;
    return MRN_OK;
}

int mrn_journal_finish(mrn_journal *j)
{
    int error = !j->failed ? 0 : j->error != 0 ? j->error : EIO;
    mrn_journal_destroy(j);
    return error;
}

void mrn_journal_destroy(mrn_journal *j)
{
    if (j == NULL)
        return;
    if (j->registered >= 0)
        H5FDunregister(j->registered);
    mrn_free(j->held);
    mrn_free(j);
}

herr_t mrn_journal_access(hid_t fapl, mrn_journal *j, bool *taken)
{
    ticket t = {j, taken};
    j->registered = H5FDregister(&driver_class);
    return j->registered < 0 ? -1 : H5Pset_driver(fapl, j->registered, &t);
}

mrn_journal *mrn_journal_of(hid_t file)
{
    void *handle = NULL;
    return file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}
