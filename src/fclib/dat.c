/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the text files (.dat) of Siconos: a local contact problem as words between white space. W
   comes dense, as blocks, or as the print-out of a sparse matrix, which has six digits. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fclib/fclib.h"

enum { STORED_DENSE, STORED_BLOCKS, STORED_SPARSE };
/* where the numbers of a sparse matrix come from, as Siconos counts */
enum { ORIGIN_TRIPLET = 1, ORIGIN_COLUMNS, ORIGIN_ROWS };

/* A text and the place reached in it; the first failure stays in `status`. */
typedef struct reader {
    const char *path;
    char *text;
    const char *at;
    int line;
    mrn_status status;
    mrn_message *msg;
} reader;

static bool working(const reader *r)
{
    return r->status == MRN_OK;
}

static void refuse(reader *r, const char *what, const char *expected)
{
    if (!working(r))
        return;
    r->status = mrn_fail(r->msg, MRN_ERR_INPUT, "%s", what);
    mrn_fail_at(r->msg, r->path, r->line, 0);
    if (expected != NULL)
        mrn_fail_expected(r->msg, "%s", expected);
}

/* ---- words ---- */

static void skip_space(reader *r)
{
    for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'; r->at++)
        r->line += *r->at == '\n';
}

static void skip_line(reader *r)
{
    while (*r->at != '\0' && *r->at != '\n')
        r->at++;
}

static double real(reader *r, const char *what)
{
    char *end = NULL;
    if (!working(r))
        return 0;
    skip_space(r);
    double v = strtod(r->at, &end);
    char text[160];
    if (end == r->at || !isfinite(v)) {
        snprintf(text, sizeof text, "%s: %s", what,
                 *r->at == '\0' ? "the file ends here"
                 : end == r->at ? "not a number"
                                : "not a finite number");
        refuse(r, text, "a number");
        return 0;
    }
    r->at = end;
    return v;
}

static int32_t whole(reader *r, const char *what, int64_t least, int64_t most)
{
    double v = real(r, what);
    if (working(r) && (v != floor(v) || v < (double)least || v > (double)most)) {
        char text[160], range[80];
        snprintf(text, sizeof text, "%s is %g", what, v);
        snprintf(range, sizeof range, "a whole number from %lld to %lld", (long long)least,
                 (long long)most);
        refuse(r, text, range);
    }
    return working(r) ? (int32_t)v : 0;
}

static void word(reader *r, const char *wanted)
{
    skip_space(r);
    size_t n = strlen(wanted);
    char text[64];
    if (!working(r))
        return;
    if (strncmp(r->at, wanted, n) == 0) {
        r->at += n;
        return;
    }
    snprintf(text, sizeof text, "`%s`", wanted);
    refuse(r, "W is not printed as a sparse matrix", text);
}

/* Every number takes two bytes at least: sizes that the rest of the text cannot hold are refused
   before memory is asked for. */
static void check_left(reader *r, int64_t numbers)
{
    if (working(r) && numbers > (int64_t)strlen(r->at) / 2 + 1)
        refuse(r, "the sizes tell of more numbers than the file holds", NULL);
}

/* ---- W ---- */

static void add(reader *r, mrn_fclib_matrix *W, int32_t row, int32_t col, double x)
{
    if (working(r))
        r->status = mrn_fclib_matrix_add(W, row, col, x, r->msg);
}

static void read_dense(reader *r, mrn_fclib_matrix *W)
{
    whole(r, "rows of W", W->m, W->m);
    whole(r, "columns of W", W->n, W->n);
    for (int32_t c = 0; working(r) && c < W->n; c++)
        for (int32_t i = 0; working(r) && i < W->m; i++) {
            double x = real(r, "W");
            if (x != 0)
                add(r, W, i, c, x);
        }
}

/* Sums of sizes of blocks: all of the size of a contact. */
static void check_ends(reader *r, int32_t blocks, int d)
{
    for (int32_t k = 1; working(r) && k <= blocks; k++)
        whole(r, "end of a block of W", (int64_t)k * d, (int64_t)k * d);
}

static void read_block_values(reader *r, int32_t blocks, int32_t n, const int32_t *start,
                              const int32_t *col, int d, mrn_fclib_matrix *W)
{
    int32_t row = 0;
    for (int32_t k = 0; working(r) && k < blocks; k++) {
        whole(r, "number of a block of W", k, k);
        while (row < n && start[row + 1] <= k)
            row++;
        for (int c = 0; working(r) && c < d; c++)
            for (int i = 0; working(r) && i < d; i++)
                add(r, W, row * d + i, col[k] * d + c, real(r, "block of W"));
    }
}

static void read_block_index(reader *r, int32_t n, int32_t blocks, int32_t filled, int32_t *start,
                             int32_t *col)
{
    for (int32_t k = 0; working(r) && k < filled; k++) {
        int32_t before = k > 0 ? start[k - 1] : 0;
        start[k] = whole(r, "begin of a row of blocks", before, k > 0 ? blocks : 0);
    }
    for (int32_t k = filled; working(r) && k <= n; k++)
        start[k] = blocks; /* rows at the end without blocks */
    if (working(r) && start[n] != blocks)
        refuse(r, "the rows of W do not hold all of its blocks", NULL);
    for (int32_t k = 0; working(r) && k < blocks; k++)
        col[k] = whole(r, "column of a block", 0, n - 1);
}

static void read_blocks(reader *r, int d, mrn_fclib_matrix *W)
{
    int32_t n = W->m / d, *start = NULL, *col = NULL;
    int32_t blocks = whole(r, "number of blocks of W", 0, INT32_MAX);
    whole(r, "rows of blocks of W", n, n);
    whole(r, "columns of blocks of W", n, n);
    check_ends(r, n, d);
    check_ends(r, n, d);
    int32_t filled = whole(r, "pointers to rows of W", 1, (int64_t)n + 1);
    whole(r, "columns of blocks of W", blocks, blocks);
    check_left(r, (int64_t)filled + blocks + (int64_t)blocks * d * d);
    if (working(r))
        r->status = mrn_array(&start, (int64_t)n + 2, sizeof *start, r->msg);
    if (working(r))
        r->status = mrn_array(&col, blocks, sizeof *col, r->msg);
    if (working(r))
        read_block_index(r, n, blocks, filled, start, col);
    if (working(r))
        read_block_values(r, blocks, n, start, col, d, W);
    mrn_free(start);
    mrn_free(col);
}

/* "    col 0 : locations 0 to 3" and its lines "      0 : 1.5" */
static void read_lines(reader *r, bool by_rows, mrn_fclib_matrix *W)
{
    int32_t first = 0;
    for (int32_t line = 0; working(r) && line < W->n; line++) {
        word(r, "col");
        whole(r, "column of W", line, line);
        word(r, ":");
        word(r, "locations");
        whole(r, "first entry of a column", first, first);
        word(r, "to");
        int32_t last = whole(r, "last entry of a column", (int64_t)first - 1, INT32_MAX - 1);
        for (int32_t k = first; working(r) && k <= last; k++) {
            int32_t index = whole(r, "row of W", 0, W->m - 1);
            word(r, ":");
            double x = real(r, "W");
            add(r, W, by_rows ? line : index, by_rows ? index : line, x);
        }
        first = last + 1;
    }
}

static void read_triplets(reader *r, int32_t nnz, mrn_fclib_matrix *W)
{
    for (int32_t k = 0; working(r) && k < nnz; k++) {
        int32_t row = whole(r, "row of W", 0, W->m - 1), col = whole(r, "column of W", 0, W->n - 1);
        word(r, ":");
        double x = real(r, "W");
        add(r, W, row, col, x);
    }
}

static void read_sparse(reader *r, mrn_fclib_matrix *W)
{
    skip_space(r);
    /* old files leave out where the numbers come from */
    int origin = ORIGIN_COLUMNS;
    if (*r->at >= '0' && *r->at <= '9')
        origin = whole(r, "origin of the sparse matrix", ORIGIN_TRIPLET, ORIGIN_ROWS);
    word(r, "CSparse");
    skip_line(r);
    bool triplet = origin == ORIGIN_TRIPLET;
    if (triplet)
        word(r, "triplet:");
    whole(r, "rows of W", W->m, W->m);
    word(r, "-by-");
    whole(r, "columns of W", W->n, W->n);
    word(r, ", nzmax:");
    whole(r, "nzmax", 0, INT32_MAX);
    word(r, "nnz:");
    int32_t nnz = whole(r, "nnz", 0, INT32_MAX);
    skip_line(r); /* the norm, if it is stated */
    if (triplet)
        read_triplets(r, nnz, W);
    else
        read_lines(r, origin == ORIGIN_ROWS, W);
}

/* ---- the problem ---- */

static void read_vectors(reader *r, mrn_problem *p)
{
    int64_t m = (int64_t)p->n * mrn_contact_layout_of(p->kind)->block;
    for (int64_t k = 0; working(r) && k < m; k++)
        p->q[k] = real(r, "q");
    for (int k = 0; working(r) && k < p->n; k++) {
        p->mu[MRN_SLIDING][k] = real(r, "mu");
        if (working(r) && p->mu[MRN_SLIDING][k] < 0)
            refuse(r, "mu is negative", ">= 0");
    }
    /* old files have a flag at the end */
    skip_space(r);
    if (working(r) && *r->at != '\0')
        real(r, "flag at the end");
    skip_space(r);
    if (working(r) && *r->at != '\0')
        refuse(r, "more numbers than a contact problem has", "the end of the file");
}

static void read_problem(reader *r, mrn_problem *p, mrn_fclib_notes *notes)
{
    mrn_fclib_matrix W = {0};
    int d = whole(r, "dimension", 2, 3);
    int32_t n = whole(r, "number of contacts", 1, INT32_MAX / 3);
    int stored = whole(r, "storage of W", STORED_DENSE, STORED_SPARSE);
    W.m = whole(r, "rows of W", (int64_t)n * d, (int64_t)n * d);
    W.n = whole(r, "columns of W", (int64_t)n * d, (int64_t)n * d);
    check_left(r, stored == STORED_DENSE ? (int64_t)W.m * W.n : (int64_t)n * (d + 1));
    if (working(r))
        r->status = mrn_problem_create(d == 2 ? MRN_CONTACT_2D : MRN_CONTACT_3D, n, p, r->msg);
    if (working(r) && stored == STORED_DENSE)
        read_dense(r, &W);
    else if (working(r) && stored == STORED_BLOCKS)
        read_blocks(r, d, &W);
    else if (working(r))
        read_sparse(r, &W);
    if (working(r) && stored == STORED_SPARSE)
        mrn_fclib_remark(notes, "W was printed with few digits: about six are true");
    if (working(r))
        read_vectors(r, p);
    if (working(r))
        r->status = mrn_fclib_blocks(n, d, &W, &p->W, r->msg);
    mrn_fclib_matrix_release(&W);
}

static mrn_status load(reader *r)
{
    FILE *f = mrn_open_input(r->path);
    struct stat info = {0};
    if (f == NULL || fstat(fileno(f), &info) != 0) {
        int error = errno;
        if (f != NULL)
            fclose(f);
        return mrn_fail_file(r->msg, r->path, "cannot open", error);
    }
    mrn_status st = mrn_array(&r->text, (int64_t)info.st_size + 1, 1, r->msg);
    if (st == MRN_OK && fread(r->text, 1, (size_t)info.st_size, f) != (size_t)info.st_size)
        st = mrn_fail_file(r->msg, r->path, "cannot read", ferror(f) ? errno : EIO);
    fclose(f);
    return st;
}

mrn_status mrn_fclib_read_dat(const char *path, mrn_problem *p, mrn_fclib_notes *notes,
                              mrn_message *msg)
{
    reader r = {.path = path, .line = 1, .msg = msg};
    notes->form = "siconos text";
    r.status = load(&r);
    r.at = r.text != NULL ? r.text : "";
    if (working(&r))
        read_problem(&r, p, notes);
    mrn_free(r.text);
    return r.status;
}
