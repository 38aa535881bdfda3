/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 with checks: a file that remembers its first error, so that a sequence of calls is checked
   once at its end. HDF5's own printing to stderr is off between begin and end. */
#ifndef MRN_STORE_H5_H
#define MRN_STORE_H5_H

#include <hdf5.h>

#include "store/files.h"

typedef enum mrn_h5_type {
    MRN_H5_DOUBLE,
    MRN_H5_INT32,
    MRN_H5_INT64,
    MRN_H5_UINT64,
    MRN_H5_UINT32,
    MRN_H5_UINT16,
    MRN_H5_UINT8,
} mrn_h5_type;

typedef struct mrn_h5 {
    hid_t file;        /* < 0: not open                                       */
    char path[1024];   /* for messages                                        */
    bool journaled;    /* whole at any moment: see h5_journal.c               */
    const char *kind;  /* "trajectory", "checkpoint": for messages            */
    mrn_status status; /* the first failure; until mrn_h5_begin all else rests */
    mrn_message *msg;
    bool summing;      /* what is written and read goes into `sum`            */
    uint64_t sum;      /* of numbers and texts with their names, in any order */
    int64_t bytes;     /* size of the file when it was opened; 0: written here */
    H5E_auto2_t print; /* error printing as the program had it                */
    void *print_data;
} mrn_h5;

/* How an array lies in a file: n rows of `width` numbers (width 1: a plain list). */
typedef struct mrn_h5_layout {
    mrn_h5_type memory, stored;
    int64_t n;
    int width;
    bool squeeze; /* shuffle + deflate, when it is large enough to pay */
} mrn_h5_layout;

static inline mrn_h5_layout mrn_h5_plain(mrn_h5_type type, int64_t n, int width)
{
    return (mrn_h5_layout){type, type, n, width, false};
}
static inline mrn_h5_layout mrn_h5_squeezed(mrn_h5_type type, int64_t n, int width)
{
    return (mrn_h5_layout){type, type, n, width, true};
}

/* Brackets every use: a fresh status, HDF5 silent / as it was. `end` returns the status. */
void mrn_h5_begin(mrn_h5 *h, mrn_message *msg);
mrn_status mrn_h5_end(mrn_h5 *h);

/* `user_block`: bytes before the HDF5 part (0, 512, …). `msg` of mrn_h5_begin gets errors. */
void mrn_h5_create(mrn_h5 *h, const char *path, const char *kind, int user_block);
void mrn_h5_open(mrn_h5 *h, const char *path, const char *kind, bool writable);
void mrn_h5_flush(mrn_h5 *h);
/* Makes sure that the disk has room for `bytes` more, where the file system can tell. */
void mrn_h5_reserve(mrn_h5 *h, int64_t bytes);
/* Closes without writing: a journaled file stays as it was at the last flush. */
void mrn_h5_discard(mrn_h5 *h);
/* Closes in any case; an error is kept when there was none before. */
void mrn_h5_close(mrn_h5 *h);
/* Records a failure ("cannot write frames/000012/x"), with HDF5's reason and a cure. */
void mrn_h5_fail(mrn_h5 *h, const char *what, const char *name);
/* Allocates n elements into *(T **)slot, as one of a run of calls: a failure becomes the status. */
void mrn_h5_room(mrn_h5 *h, void *slot, int64_t n, size_t size);
void mrn_h5_damaged(mrn_h5 *h, const char *fmt, ...) MRN_PRINTF(2, 3);

/* < 0 on failure (status is set). Close with mrn_h5_leave, which takes anything. */
hid_t mrn_h5_make_group(mrn_h5 *h, hid_t at, const char *name);
hid_t mrn_h5_enter_group(mrn_h5 *h, hid_t at, const char *name);
void mrn_h5_leave(hid_t group);
bool mrn_h5_exists(mrn_h5 *h, hid_t at, const char *name);
void mrn_h5_delete(mrn_h5 *h, hid_t at, const char *name);

void mrn_h5_write(mrn_h5 *h, hid_t at, const char *name, const mrn_h5_layout *l, const void *data);
/* Rows of a dataset of `width` numbers each; -1 with status set when it is something else. */
int64_t mrn_h5_rows(mrn_h5 *h, hid_t at, const char *name, int width);
/* Reads exactly l->n rows; fewer or more is damage. */
void mrn_h5_read(mrn_h5 *h, hid_t at, const char *name, const mrn_h5_layout *l, void *data);
/* A list that grows at its end, of `width` numbers per row. */
void mrn_h5_make_list(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int width);
void mrn_h5_append(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int width, int64_t row,
                   const void *data);
void mrn_h5_cut(mrn_h5 *h, hid_t at, const char *name, int64_t rows, int width);

/* A sum over all that is written or read between the two, by name and content: what a frame or a
   header is held against when it is read. `ended` returns it. */
void mrn_h5_sum_begin(mrn_h5 *h);
uint64_t mrn_h5_sum_end(mrn_h5 *h);

/* Attributes: n numbers, or a text. */
void mrn_h5_put(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int n, const void *data);
void mrn_h5_get(mrn_h5 *h, hid_t at, const char *name, mrn_h5_type type, int n, void *data);
void mrn_h5_put_text(mrn_h5 *h, hid_t at, const char *name, const char *text);
void mrn_h5_get_text(mrn_h5 *h, hid_t at, const char *name, char *text, size_t size);
/* The mark of a moraine file: kind and version of its layout. `check` refuses others and newer
 * ones. */
void mrn_h5_put_mark(mrn_h5 *h, int version);
void mrn_h5_check_mark(mrn_h5 *h, int version);

#endif
