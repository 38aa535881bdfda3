/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of groups in HDF5 files lie in local heaps, whose headers say how long they are and where.
   HDF5 1.10 believes them: a heap longer than its file ends the program. They are looked at before
   HDF5 sees the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "fclib/fclib.h"

enum { HEADER = 32, PIECE = 1 << 16, FREE_NONE = 1, FREE_BLOCK = 16 };

static uint64_t little_endian(const unsigned char *p)
{
    uint64_t x = 0;
    for (int k = 7; k >= 0; k--)
        x = x << 8 | p[k];
    return x;
}

/* A header: "HEAP", version 0, three bytes; size of the data, first free block, place of the data.
 */
static bool is_wrong(const unsigned char *p, uint64_t file)
{
    static const unsigned char mark[8] = {'H', 'E', 'A', 'P'};
    if (memcmp(p, mark, sizeof mark) != 0)
        return false;
    uint64_t size = little_endian(p + 8), hole = little_endian(p + 16), at = little_endian(p + 24);
    return size > file || at > file - size ||
           (hole != FREE_NONE && (size < FREE_BLOCK || hole > size - FREE_BLOCK));
}

/* Lengths and places of 8 bytes: those of every file that was not made otherwise on purpose. */
static bool has_long_numbers(const unsigned char *head, size_t n)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return n >= 16 && memcmp(head, mark, sizeof mark) == 0 && head[8] <= 1 && head[13] == 8 &&
           head[14] == 8;
}

static mrn_status refuse(const char *path, uint64_t at, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_IO, "damaged: the names at byte %llu would not end in the file",
             (unsigned long long)at);
    mrn_fail_at(msg, path, 0, 0);
    return mrn_fail_expected(msg, "a contact problem in the FCLIB format (HDF5)");
}

/* Pieces overlap by a header, which begins at a multiple of eight. */
static mrn_status look_through(FILE *f, const char *path, uint64_t size, mrn_message *msg)
{
    unsigned char piece[PIECE];
    uint64_t at = 0;
    for (size_t kept = 0;;) {
        size_t n = kept + fread(piece + kept, 1, sizeof piece - kept, f);
        if (at == 0 && !has_long_numbers(piece, n))
            return MRN_OK;
        size_t k = 0;
        for (; k + HEADER <= n; k += 8)
            if (piece[k] == 'H' && is_wrong(piece + k, size))
                return refuse(path, at + k, msg);
        if (n < sizeof piece)
            return MRN_OK;
        kept = n - k;
        memmove(piece, piece + k, kept);
        at += k;
    }
}

mrn_status mrn_fclib_check_heaps(const char *path, mrn_message *msg)
{
    FILE *f = mrn_open_input(path);
    if (f == NULL)
        return mrn_fail_file(msg, path, "cannot open", errno);
    long end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    mrn_status st = MRN_OK;
    if (end >= 0 && fseek(f, 0, SEEK_SET) == 0)
        st = look_through(f, path, (uint64_t)end, msg);
    fclose(f);
    return st;
}
