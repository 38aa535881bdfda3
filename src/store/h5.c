/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 with checks: see h5.h. Handles are closed where they are opened, on every path; the
   innermost entry of HDF5's error stack becomes part of the message, its errno the hint. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/h5.h"
#include "store/h5_journal.h"

/* Below this size (bytes) an array is stored inside its header (no extra block); below the second
   it is never compressed (the index of chunks would cost more than it saves). */
#define COMPACT_BELOW 512
#define SQUEEZE_FROM  8192
#define CHUNK_BYTES   (1 << 18)
#define LIST_CHUNK    256 /* rows per chunk of a growing list */

static bool working(const mrn_h5 *h)
{
    return h->status == MRN_OK;
}

/* HDF5 is not made for threads: what one begins it ends before another begins. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void mrn_h5_begin(mrn_h5 *h, mrn_message *msg)
{
    pthread_mutex_lock(&turn);
    h->status = MRN_OK;
    h->summing = false;
    h->msg = msg;
    H5Eget_auto2(H5E_DEFAULT, &h->print, &h->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Eclear2(H5E_DEFAULT);
}

mrn_status mrn_h5_end(mrn_h5 *h)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, h->print, h->print_data);
    h->msg = NULL;
    mrn_status status = h->status;
    pthread_mutex_unlock(&turn);
    return status;
}

/* ---- errors ---- */

/* The last call is the innermost entry; one that tells the system's error is never replaced. */
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *out)
{
    (void)n;
    if (e->desc != NULL && e->desc[0] != '\0' && strstr(out, "errno = ") == NULL)
        snprintf(out, 256, "%s", e->desc);
    return 0;
}

void mrn_h5_fail(mrn_h5 *h, const char *what, const char *name)
{
    if (!working(h))
        return;
    h->status = MRN_ERR_IO;
    char reason[256] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, reason);
    H5Eclear2(H5E_DEFAULT);
    mrn_journal *j = h->journaled ? mrn_journal_of(h->file) : NULL;
    const char *number = strstr(reason, "errno = ");
    int error = j != NULL        ? mrn_journal_error(j)
                : number != NULL ? atoi(number + strlen("errno = "))
                                 : 0;
    if (error == ENOMEM) {
        h->status = mrn_fail_memory(h->msg);
        return;
    }
    mrn_fail(h->msg, MRN_ERR_IO, "%s%s%s: %s", what, name[0] != '\0' ? " " : "", name,
             error != 0 ? strerror(error) : reason);
    mrn_fail_at(h->msg, h->path, 0, 0);
    mrn_hint_for_errno(h->msg, error);
    if (strstr(reason, "truncated") != NULL)
        mrn_fail_hint(h->msg, "the file was cut short (a full disk, a broken copy): use an older "
                              "copy, or run again");
}

void mrn_h5_damaged(mrn_h5 *h, const char *fmt, ...)
{
    if (!working(h))
        return;
    h->status = MRN_ERR_IO;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(h->msg, MRN_ERR_IO, "not a sound moraine %s: %s", h->kind, text);
    mrn_fail_at(h->msg, h->path, 0, 0);
    mrn_fail_hint(h->msg, "the file was damaged or made by something else: use an older copy, or "
                          "run again");
}

void mrn_h5_room(mrn_h5 *h, void *slot, int64_t n, size_t size)
{
    if (working(h))
        h->status = mrn_array(slot, n, size, h->msg);
}

/* ---- files ---- */

#define CACHE_BYTES (1 << 18)

/* No locks, so that a viewer can open the file of a run that goes on. A small cache of a fixed
   size: each flush looks through all of it, and would take longer with every frame if it grew. */
static hid_t file_access(bool checked)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (checked) /* headers, heaps and trees with checksums: damage is found before it is followed
                  */
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V110); /* 1.10: LEAST_HOLE below */
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    H5Pset_file_locking(fapl, false, true);
    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG); /* a closed file is closed */
    if (H5Pget_mdc_config(fapl, &cache) >= 0) {
        cache.set_initial_size = true;
        cache.initial_size = cache.min_size = cache.max_size = CACHE_BYTES;
        cache.incr_mode = H5C_incr__off;
        cache.flash_incr_mode = H5C_flash_incr__off;
        cache.decr_mode = H5C_decr__off;
        H5Pset_mdc_config(fapl, &cache);
    }
    return fapl;
}

static bool take_path(mrn_h5 *h, const char *path, const char *kind)
{
    h->file = -1;
    h->kind = kind;
    if (path != h->path)
        snprintf(h->path, sizeof h->path, "%s", path);
    if (!working(h))
        return false;
    if (strlen(path) < sizeof h->path)
        return true;
    h->status = mrn_fail_file(h->msg, path, "cannot open", ENAMETOOLONG);
    return false;
}

/* Bytes that HDF5 gives up in a file that grows, fewer than this in one piece, are forgotten. It
   keeps a note of every piece while the file is open, some 200 bytes of memory for each, and a
   frame leaves nine pieces behind, of 1 to 448 bytes: memory would grow for as long as a run does.
   Larger ones, left by frames that a resumed run cuts off, are used again. Costs 1 % of a file. */
#define LEAST_HOLE 4096

/* H5Fcreate or H5Fopen, through a journal or plainly. The journal of a file that does not open is
 * freed here. */
static void open_file(mrn_h5 *h, unsigned flags, hid_t fcpl)
{
    hid_t fapl = file_access(h->journaled);
    mrn_journal *j = NULL;
    bool taken = false, fresh = (flags & H5F_ACC_TRUNC) != 0;
    if (h->journaled)
        h->status = mrn_journal_create(h->path, &j, h->msg);
    if (working(h) && (j == NULL || mrn_journal_access(fapl, j, &taken) >= 0))
        h->file = fresh ? H5Fcreate(h->path, flags, fcpl, fapl) : H5Fopen(h->path, flags, fapl);
    if (working(h) && h->file < 0 && j != NULL && !taken && mrn_journal_error(j) != 0)
        h->status = mrn_journal_error(j) == ENOMEM
                        ? mrn_fail_memory(h->msg)
                        : mrn_fail_file(h->msg, h->path, "cannot open", mrn_journal_error(j));
    if (h->file < 0)
        mrn_h5_fail(h, fresh ? "cannot create the file" : "cannot open", "");
    if (h->file < 0)
        mrn_journal_destroy(j);
    else if (taken && !fresh)
        mrn_journal_settle(mrn_journal_of(h->file));
    H5Pclose(fapl);
}

void mrn_h5_create(mrn_h5 *h, const char *path, const char *kind, int user_block)
{
    if (!take_path(h, path, kind))
        return;
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(fcpl, (hsize_t)user_block);
    if (h->journaled)
        H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_FSM_AGGR, false, LEAST_HOLE);
    open_file(h, H5F_ACC_TRUNC, fcpl);
    H5Pclose(fcpl);
}

/* Tells apart what HDF5 does not: no such file, or not HDF5 at all. */
static void check_kind(mrn_h5 *h)
{
    FILE *f = mrn_open_input(h->path);
    if (f == NULL) {
        h->status = mrn_fail_file(h->msg, h->path, "cannot open", errno);
        return;
    }
    fclose(f);
    if (H5Fis_hdf5(h->path) > 0)
        return;
    h->status = mrn_fail(h->msg, MRN_ERR_IO, "not an HDF5 file");
    mrn_fail_at(h->msg, h->path, 0, 0);
    mrn_fail_expected(h->msg, "a %s written by moraine", h->kind);
}

void mrn_h5_open(mrn_h5 *h, const char *path, const char *kind, bool writable)
{
    if (!take_path(h, path, kind))
        return;
    check_kind(h);
    if (!working(h))
        return;
    struct stat info;
    h->bytes = !writable && stat(h->path, &info) == 0 ? (int64_t)info.st_size : 0;
    open_file(h, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
}

void mrn_h5_flush(mrn_h5 *h)
{
    if (!working(h))
        return;
    if (H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) {
        mrn_h5_fail(h, "cannot write", "to the disk");
        return;
    }
    int error = 0;
    if (h->journaled && mrn_journal_commit(mrn_journal_of(h->file), &error) != MRN_OK)
        h->status = error == ENOMEM ? mrn_fail_memory(h->msg)
                                    : mrn_fail_file(h->msg, h->path, "cannot write", error);
}

void mrn_h5_reserve(mrn_h5 *h, int64_t bytes)
{
    if (!working(h) || !h->journaled)
        return;
    int fd = mrn_journal_descriptor(mrn_journal_of(h->file));
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, end, bytes) == 0)
        return;
    /* a file system that cannot promise room is no error */
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        h->status = mrn_fail_file(h->msg, h->path, "no room for what comes next", errno);
}

void mrn_h5_discard(mrn_h5 *h)
{
    if (h->file < 0)
        return;
    mrn_journal *j = h->journaled ? mrn_journal_of(h->file) : NULL;
    if (j != NULL)
        mrn_journal_abandon(j);
    H5Fclose(h->file);
    if (j != NULL && mrn_journal_descriptor(j) < 0) /* else HDF5 failed to let go of it */
        mrn_journal_destroy(j);
    h->file = -1;
}

void mrn_h5_close(mrn_h5 *h)
{
    if (h->journaled && h->file >= 0)
        mrn_h5_flush(h); /* tells more of a failure than closing does */
    if (h->journaled && !working(h))
        mrn_h5_discard(h);
    mrn_journal *j = h->journaled && h->file >= 0 ? mrn_journal_of(h->file) : NULL;
    if (h->file >= 0 && H5Fclose(h->file) < 0)
        mrn_h5_fail(h, "cannot finish", "the file");
    h->file = -1;
    bool released = j != NULL && mrn_journal_descriptor(j) < 0;
    int error = released ? mrn_journal_finish(j) : 0;
    if (error != 0 && working(h))
        h->status = error == ENOMEM ? mrn_fail_memory(h->msg)
                                    : mrn_fail_file(h->msg, h->path, "cannot write", error);
}

/* ---- groups ---- */

hid_t mrn_h5_make_group(mrn_h5 *h, hid_t at, const char *name)
{
    if (!working(h))
        return -1;
    hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g < 0)
        mrn_h5_fail(h, "cannot write", name);
    return g;
}

hid_t mrn_h5_enter_group(mrn_h5 *h, hid_t at, const char *name)
{
    if (!working(h))
        return -1;
    hid_t g = H5Gopen2(at, name, H5P_DEFAULT);
    if (g < 0)
        mrn_h5_damaged(h, "group %s is missing", name);
    return g;
}

void mrn_h5_leave(hid_t group)
{
    if (group >= 0)
        H5Gclose(group);
}

bool mrn_h5_exists(mrn_h5 *h, hid_t at, const char *name)
{
    return working(h) && H5Lexists(at, name, H5P_DEFAULT) > 0;
}

void mrn_h5_delete(mrn_h5 *h, hid_t at, const char *name)
{
    if (working(h) && H5Ldelete(at, name, H5P_DEFAULT) < 0)
        mrn_h5_fail(h, "cannot remove", name);
}

/* ---- sums ---- */

void mrn_h5_sum_begin(mrn_h5 *h)
{
    h->summing = true;
    h->sum = 0;
}

uint64_t mrn_h5_sum_end(mrn_h5 *h)
{
    h->summing = false;
    return h->sum;
}

static void add_to_sum(mrn_h5 *h, const char *name, const void *data, size_t bytes)
{
    if (h->summing && bytes > 0)
        h->sum += mrn_hash(mrn_hash(MRN_HASH_START, name, strlen(name)), data, bytes);
}

/* ---- datasets ---- */

static hid_t in_memory(mrn_h5_type t)
{
    switch (t) {
    case MRN_H5_DOUBLE:
        return H5T_NATIVE_DOUBLE;
    case MRN_H5_INT32:
        return H5T_NATIVE_INT32;
    case MRN_H5_INT64:
        return H5T_NATIVE_INT64;
    case MRN_H5_UINT64:
        return H5T_NATIVE_UINT64;
    case MRN_H5_UINT32:
        return H5T_NATIVE_UINT32;
    case MRN_H5_UINT16:
        return H5T_NATIVE_UINT16;
    case MRN_H5_UINT8:
        return H5T_NATIVE_UINT8;
    }
    return -1;
}

static hid_t in_file(mrn_h5_type t)
{
    switch (t) {
    case MRN_H5_DOUBLE:
        return H5T_IEEE_F64LE;
    case MRN_H5_INT32:
        return H5T_STD_I32LE;
    case MRN_H5_INT64:
        return H5T_STD_I64LE;
    case MRN_H5_UINT64:
        return H5T_STD_U64LE;
    case MRN_H5_UINT32:
        return H5T_STD_U32LE;
    case MRN_H5_UINT16:
        return H5T_STD_U16LE;
    case MRN_H5_UINT8:
        return H5T_STD_U8LE;
    }
    return -1;
}

/* Creation properties: no time stamps (same run, same bytes), the cheapest layout for the size. */
static hid_t creation(const mrn_h5_layout *l)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    size_t row = H5Tget_size(in_file(l->stored)) * (size_t)l->width;
    size_t bytes = row * (size_t)l->n;
    H5Pset_obj_track_times(dcpl, false);
    if (l->squeeze && bytes >= SQUEEZE_FROM) {
        hsize_t rows = CHUNK_BYTES / row > 0 ? CHUNK_BYTES / row : 1;
        rows = rows < (hsize_t)l->n ? rows : (hsize_t)l->n;
        H5Pset_chunk(dcpl, l->width > 1 ? 2 : 1, (hsize_t[2]){rows, (hsize_t)l->width});
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 1);
    } else if (bytes < COMPACT_BELOW) {
        H5Pset_layout(dcpl, H5D_COMPACT);
    }
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    return dcpl;
}

static size_t bytes_of(const mrn_h5_layout *l)
{
    return l->n > 0 ? H5Tget_size(in_memory(l->memory)) * (size_t)l->width * (size_t)l->n : 0;
}

void mrn_h5_write(mrn_h5 *h, hid_t at, const char *name, const mrn_h5_layout *l, const void *data)
{
    if (!working(h))
        return;
    hsize_t size[2] = {(hsize_t)l->n, (hsize_t)l->width};
    hid_t space = H5Screate_simple(l->width > 1 ? 2 : 1, size, NULL);
    hid_t dcpl = creation(l);
    hid_t d = H5Dcreate2(at, name, in_file(l->stored), space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    /* each failure is stated at once: the next call of HDF5 forgets its reason */
    if (d < 0 ||
        (l->n > 0 && H5Dwrite(d, in_memory(l->memory), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
        mrn_h5_fail(h, "cannot write", name);
    if (d >= 0 && H5Dclose(d) < 0)
        mrn_h5_fail(h, "cannot write", name);
    H5Pclose(dcpl);
    H5Sclose(space);
    add_to_sum(h, name, data, bytes_of(l));
}

/* Deflate makes at most 1032 bytes of one. */
#define MOST_SQUEEZED 1100

/* Is it stored in this file, and is the file large enough to hold it? A file may claim any size,
   and that its numbers are in another file. */
static bool is_here(const mrn_h5 *h, hid_t d, int64_t rows, int width, size_t size)
{
    hid_t dcpl = H5Dget_create_plist(d);
    H5D_layout_t how = dcpl >= 0 ? H5Pget_layout(dcpl) : H5D_LAYOUT_ERROR;
    bool here = how == H5D_COMPACT || how == H5D_CHUNKED || how == H5D_CONTIGUOUS;
    here = here && H5Pget_external_count(dcpl) == 0;
    int64_t most = h->bytes / (int64_t)size / width;
    if (how == H5D_CHUNKED)
        most *= MOST_SQUEEZED;
    if (dcpl >= 0)
        H5Pclose(dcpl);
    return here && (h->bytes == 0 || rows <= most);
}

/* Rows of an open dataset, or -1 when its shape or kind is not what is wanted. */
static int64_t rows_of(const mrn_h5 *h, hid_t d, int width)
{
    hid_t space = H5Dget_space(d), type = H5Dget_type(d);
    hsize_t size[2] = {0, 1};
    int64_t rows = -1;
    H5T_class_t kind = H5Tget_class(type);
    size_t bytes = H5Tget_size(type);
    if (H5Sget_simple_extent_ndims(space) == (width > 1 ? 2 : 1) &&
        H5Sget_simple_extent_dims(space, size, NULL) >= 0 &&
        (kind == H5T_INTEGER || kind == H5T_FLOAT) && bytes >= 1 && bytes <= 8 &&
        size[1] == (hsize_t)width && size[0] <= INT64_MAX / 64 &&
        is_here(h, d, (int64_t)size[0], width, bytes))
        rows = (int64_t)size[0];
    H5Tclose(type);
    H5Sclose(space);
    return rows;
}

/* Only what stands in this file: no link leads out of it. */
static hid_t open_array(hid_t at, const char *name)
{
    H5L_info_t link;
    if (H5Lget_info(at, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return -1;
    return H5Dopen2(at, name, H5P_DEFAULT);
}

int64_t mrn_h5_rows(mrn_h5 *h, hid_t at, const char *name, int width)
{
    if (!working(h))
        return -1;
    hid_t d = open_array(at, name);
    int64_t rows = d >= 0 ? rows_of(h, d, width) : -1;
    if (rows < 0)
        mrn_h5_damaged(h, "array %s is missing or has another shape", name);
    if (d >= 0)
        H5Dclose(d);
    return rows;
}

/* Numbers are stored as what they are: floating ones as such, whole ones as such. */
static bool is_kind(hid_t d, mrn_h5_type wanted)
{
    hid_t type = H5Dget_type(d);
    bool same = H5Tget_class(type) == (wanted == MRN_H5_DOUBLE ? H5T_FLOAT : H5T_INTEGER);
    H5Tclose(type);
    return same;
}

void mrn_h5_read(mrn_h5 *h, hid_t at, const char *name, const mrn_h5_layout *l, void *data)
{
    int64_t rows = mrn_h5_rows(h, at, name, l->width);
    if (!working(h))
        return;
    if (rows != l->n) {
        mrn_h5_damaged(h, "array %s has %lld entries instead of %lld", name, (long long)rows,
                       (long long)l->n);
        return;
    }
    hid_t d = open_array(at, name);
    if (d >= 0 && !is_kind(d, l->memory))
        mrn_h5_damaged(h, "array %s holds another kind of numbers", name);
    else if (d < 0 || (rows > 0 &&
                       H5Dread(d, in_memory(l->memory), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
        mrn_h5_fail(h, "cannot read", name);
    if (d >= 0)
        H5Dclose(d);
    if (working(h))
        add_to_sum(h, name, data, bytes_of(l));
}

/* ---- growing lists ---- */

void mrn_h5_make_list(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int width)
{
    if (!working(h))
        return;
    int rank = width > 1 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, (hsize_t[2]){0, (hsize_t)width},
                                   (hsize_t[2]){H5S_UNLIMITED, (hsize_t)width});
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(dcpl, false);
    H5Pset_chunk(dcpl, rank, (hsize_t[2]){LIST_CHUNK, (hsize_t)width});
    hid_t d = H5Dcreate2(at, name, in_file(type), space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (d < 0 || H5Dclose(d) < 0)
        mrn_h5_fail(h, "cannot write", name);
    H5Pclose(dcpl);
    H5Sclose(space);
}

/* Writes row `row` of an open dataset that is long enough. */
static herr_t write_row(hid_t d, mrn_h5_type type, int width, int64_t row, const void *data)
{
    int rank = width > 1 ? 2 : 1;
    hsize_t start[2] = {(hsize_t)row, 0}, count[2] = {1, (hsize_t)width};
    hid_t space = H5Dget_space(d), one = H5Screate_simple(rank, count, NULL);
    herr_t done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (done >= 0)
        done = H5Dwrite(d, in_memory(type), one, space, H5P_DEFAULT, data);
    H5Sclose(one);
    H5Sclose(space);
    return done;
}

void mrn_h5_append(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int width, int64_t row,
                   const void *data)
{
    mrn_h5_cut(h, at, name, row + 1, width);
    if (!working(h))
        return;
    hid_t d = H5Dopen2(at, name, H5P_DEFAULT);
    if (d < 0 || write_row(d, type, width, row, data) < 0)
        mrn_h5_fail(h, "cannot write", name);
    if (d >= 0 && H5Dclose(d) < 0)
        mrn_h5_fail(h, "cannot write", name);
}

void mrn_h5_cut(mrn_h5 *h, hid_t at, const char *name, int64_t rows, int width)
{
    if (!working(h))
        return;
    hid_t d = H5Dopen2(at, name, H5P_DEFAULT);
    if (d < 0 || H5Dset_extent(d, (hsize_t[2]){(hsize_t)rows, (hsize_t)width}) < 0)
        mrn_h5_fail(h, "cannot resize", name);
    if (d >= 0 && H5Dclose(d) < 0)
        mrn_h5_fail(h, "cannot resize", name);
}

/* ---- attributes ---- */

void mrn_h5_put(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int n, const void *data)
{
    if (!working(h))
        return;
    hid_t space =
        n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, (hsize_t[1]){(hsize_t)n}, NULL);
    hid_t a = H5Acreate2(at, name, in_file(type), space, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0 || H5Awrite(a, in_memory(type), data) < 0)
        mrn_h5_fail(h, "cannot write", name);
    if (a >= 0 && H5Aclose(a) < 0)
        mrn_h5_fail(h, "cannot write", name);
    H5Sclose(space);
    add_to_sum(h, name, data, (size_t)n * H5Tget_size(in_memory(type)));
}

void mrn_h5_get(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int n, void *data)
{
    if (!working(h))
        return;
    hid_t a = H5Aopen(at, name, H5P_DEFAULT);
    hid_t space = a >= 0 ? H5Aget_space(a) : -1, kind = a >= 0 ? H5Aget_type(a) : -1;
    H5T_class_t c = kind >= 0 ? H5Tget_class(kind) : H5T_NO_CLASS;
    if (a < 0 || H5Sget_simple_extent_npoints(space) != n || (c != H5T_INTEGER && c != H5T_FLOAT) ||
        H5Aread(a, in_memory(type), data) < 0)
        mrn_h5_damaged(h, "entry %s is missing or has another shape", name);
    else
        add_to_sum(h, name, data, (size_t)n * H5Tget_size(in_memory(type)));
    if (kind >= 0)
        H5Tclose(kind);
    if (space >= 0)
        H5Sclose(space);
    if (a >= 0)
        H5Aclose(a);
}

static hid_t text_type(size_t size)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, size);
    H5Tset_cset(t, H5T_CSET_UTF8);
    return t;
}

void mrn_h5_put_text(mrn_h5 *h, hid_t at, const char *name, const char *text)
{
    if (!working(h))
        return;
    hid_t type = text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0 || H5Awrite(a, type, text) < 0)
        mrn_h5_fail(h, "cannot write", name);
    if (a >= 0 && H5Aclose(a) < 0)
        mrn_h5_fail(h, "cannot write", name);
    H5Sclose(space);
    H5Tclose(type);
    add_to_sum(h, name, text, strlen(text));
}

void mrn_h5_get_text(mrn_h5 *h, hid_t at, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    if (!working(h))
        return;
    hid_t a = H5Aopen(at, name, H5P_DEFAULT), type = a >= 0 ? H5Aget_type(a) : -1;
    hid_t space = a >= 0 ? H5Aget_space(a) : -1, wanted = text_type(size);
    if (a < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_npoints(space) != 1 || H5Aread(a, wanted, text) < 0)
        mrn_h5_damaged(h, "entry %s is missing or not a text", name);
    text[size - 1] = '\0';
    if (working(h))
        add_to_sum(h, name, text, strlen(text));
    H5Tclose(wanted);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (a >= 0)
        H5Aclose(a);
}

void mrn_h5_put_mark(mrn_h5 *h, int version)
{
    char format[64];
    snprintf(format, sizeof format, "moraine %s", h->kind);
    mrn_h5_put_text(h, h->file, "format", format);
    mrn_h5_put(h, h->file, "version", MRN_H5_INT32, 1, &version);
    mrn_h5_put_text(h, h->file, "moraine", MRN_VERSION);
}

void mrn_h5_check_mark(mrn_h5 *h, int version)
{
    if (!working(h))
        return;
    char format[64] = "", wanted[64];
    snprintf(wanted, sizeof wanted, "moraine %s", h->kind);
    if (H5Aexists(h->file, "format") > 0)
        mrn_h5_get_text(h, h->file, "format", format, sizeof format);
    if (working(h) && strcmp(format, wanted) != 0) {
        h->status = mrn_fail(h->msg, MRN_ERR_IO, "an HDF5 file, but not a %s", wanted);
        mrn_fail_at(h->msg, h->path, 0, 0);
        mrn_fail_hint(h->msg, "give the folder of a run, or a file that moraine wrote");
        return;
    }
    int32_t found = 0;
    char made_by[64];
    mrn_h5_get(h, h->file, "version", MRN_H5_INT32, 1, &found);
    mrn_h5_get_text(h, h->file, "moraine", made_by, sizeof made_by);
    if (working(h) && found != version) {
        h->status = mrn_fail(h->msg, MRN_ERR_IO, "%s of layout %d, written by moraine %s", h->kind,
                             (int)found, made_by);
        mrn_fail_at(h->msg, h->path, 0, 0);
        mrn_fail_expected(h->msg, "layout %d (this is moraine %s)", version, MRN_VERSION);
        mrn_fail_hint(h->msg, found > version ? "use that newer moraine" : "run again");
    }
}
