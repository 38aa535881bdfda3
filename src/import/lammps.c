/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text dumps of LAMMPS and LIGGGHTS: blocks that begin with "ITEM:". One instant is TIMESTEP,
   NUMBER OF ATOMS (or ENTRIES), BOX BOUNDS and as many rows; a file holds any number of instants.
 */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "import/import.h"

static const char order[] = "ITEM: TIMESTEP, ITEM: NUMBER OF ATOMS, ITEM: BOX BOUNDS, ITEM: ATOMS";

static mrn_status cut_short(const mrn_text *t, const char *what)
{
    return mrn_text_fail(t, t->now.s + t->now.n, what, "the file may have been cut while writing",
                         "the file ends here");
}

static mrn_status need_line(mrn_text *t, const char *what)
{
    return mrn_text_next(t) ? MRN_OK : cut_short(t, what);
}

static mrn_status read_count(mrn_text *t, const char *what, int64_t *out)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_status st = need_line(t, what);
    if (st != MRN_OK)
        return st;
    if (mrn_text_split(t, ' ', cell) != 1 || !mrn_cell_integer(t, cell[0], out) || *out < 0)
        return mrn_text_fail(t, NULL, "a whole number", NULL, "not a number: '%.*s'",
                             t->now.n < 60 ? t->now.n : 60, t->now.s);
    return MRN_OK;
}

static mrn_status read_time(mrn_text *t, double *out)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_status st = need_line(t, "the time");
    if (st == MRN_OK && (mrn_text_split(t, ' ', cell) != 1 || !mrn_cell_number(t, cell[0], out)))
        st = mrn_text_fail(t, NULL, "a number", NULL, "not a time: '%.*s'",
                           t->now.n < 60 ? t->now.n : 60, t->now.s);
    return st;
}

/* ---- the box ---- */

/* "ITEM: BOX BOUNDS xy xz yz pp pp ff": older files have no letters for the faces. */
static mrn_status read_box_head(const mrn_text *t, mrn_dump_frame *f, bool *slanted)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    int n = mrn_text_split(t, ' ', cell), at = 3;
    *slanted = n >= at + 3 && mrn_cell_is(cell[at], "xy");
    at += *slanted ? 3 : 0;
    if (n > at && mrn_cell_is(cell[at], "abc"))
        return mrn_text_fail(t, cell[at].s, "a box with its first edge along x",
                             "dump without `triclinic/general`", "a box turned in space");
    for (int k = 0; k < 3 && at + k < n; k++)
        f->periodic[k] = mrn_cell_is(cell[at + k], "pp");
    return MRN_OK;
}

/* The bounds of a slanted box are those of the space it takes up: back to its own corners. */
static void to_corners(mrn_dump_frame *f)
{
    double xy = f->tilt[0], xz = f->tilt[1], yz = f->tilt[2];
    f->lo[0] -= fmin(0, xy) + fmin(0, xz);
    f->hi[0] -= fmax(0, xy) + fmax(0, xz);
    f->lo[1] -= fmin(0, yz);
    f->hi[1] -= fmax(0, yz);
}

static mrn_status read_box(mrn_text *t, mrn_dump_frame *f)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    bool slanted;
    mrn_status st = read_box_head(t, f, &slanted);
    for (int k = 0; st == MRN_OK && k < 3; k++) {
        double v[3] = {0};
        st = need_line(t, "three lines with the bounds of the box");
        if (st != MRN_OK)
            break;
        int n = mrn_text_split(t, ' ', cell), want = slanted ? 3 : 2;
        bool good = n == want;
        for (int i = 0; good && i < n; i++)
            good = mrn_cell_number(t, cell[i], &v[i]);
        if (!good || !(v[1] >= v[0]))
            st = mrn_text_fail(t, NULL, slanted ? "lo hi tilt" : "lo hi, lo not above hi", NULL,
                               "not the bounds of a box: '%.*s'", t->now.n < 60 ? t->now.n : 60,
                               t->now.s);
        f->lo[k] = v[0], f->hi[k] = v[1], f->tilt[k] = v[2];
    }
    f->has_box = st == MRN_OK;
    if (f->has_box)
        to_corners(f);
    return st;
}

/* ---- instants ---- */

/* Passes over the rows of an instant without looking into them. A count that the file cannot hold
   is found out here, before any memory is asked for. */
static void skip_rows(mrn_text *t, mrn_dump_frame *f)
{
    f->at = t->at;
    f->line = t->line;
    int64_t n = 0;
    while (n < f->n && t->at < t->n &&
           memcmp(t->text + t->at, "ITEM:", t->n - t->at < 5 ? 1 : 5) != 0)
        n += mrn_text_next(t);
    f->whole = n == f->n;
}

static mrn_status scan_block(mrn_text *t, mrn_dump_frame *f, bool *done)
{
    *done = false;
    if (mrn_text_begins(t, "ITEM: TIMESTEP"))
        return read_count(t, "the number of the step", &f->step);
    if (mrn_text_begins(t, "ITEM: TIME"))
        return read_time(t, &f->time);
    if (mrn_text_begins(t, "ITEM: NUMBER OF"))
        return read_count(t, "the number of rows", &f->n);
    if (mrn_text_begins(t, "ITEM: UNITS"))
        return need_line(t, "the name of the units");
    if (mrn_text_begins(t, "ITEM: BOX BOUNDS"))
        return read_box(t, f);
    f->entries = mrn_text_begins(t, "ITEM: ENTRIES");
    if (!f->entries && !mrn_text_begins(t, "ITEM: ATOMS"))
        return mrn_text_fail(
            t, NULL, order, "a row more or less than given shows here too, as the next block",
            "not a part of a dump: '%.*s'", t->now.n < 60 ? t->now.n : 60, t->now.s);
    *done = true;
    if (f->n < 0)
        return mrn_text_fail(t, NULL, order, NULL, "rows begin, but their number was not given");
    f->head_at = (size_t)(t->now.s - t->text);
    f->head_line = t->line;
    skip_rows(t, f);
    return MRN_OK;
}

static mrn_status scan_frame(mrn_text *t, mrn_dump_frame *f)
{
    bool done = false;
    *f = (mrn_dump_frame){.step = -1, .n = -1, .time = NAN};
    for (;;) {
        mrn_status st = scan_block(t, f, &done);
        if (st != MRN_OK || done)
            return st;
        do
            if (!mrn_text_next(t))
                return cut_short(t, order);
        while (mrn_text_is_blank(t));
    }
}

/* As far as the line goes. */
static bool begins_frame(const mrn_text *t)
{
    static const char first[] = "ITEM: TIMESTEP";
    size_t n = (size_t)t->now.n < sizeof first - 1 ? (size_t)t->now.n : sizeof first - 1;
    return memcmp(t->now.s, first, n) == 0;
}

mrn_status mrn_dump_scan(mrn_text *t, mrn_dump_frame **frames, int64_t *n)
{
    int64_t capacity = 0;
    mrn_status st = MRN_OK;
    *n = 0;
    while (st == MRN_OK && mrn_text_next(t)) {
        if (mrn_text_is_blank(t))
            continue;
        if (mrn_grow(frames, &capacity, *n + 1, sizeof **frames) != MRN_OK)
            return mrn_fail_memory(t->msg);
        int line = t->line;
        bool head = begins_frame(t);
        st = scan_frame(t, &(*frames)[*n]);
        /* the end of a file that is still being written is no harm to the instants before */
        if (st == MRN_ERR_INPUT && t->at >= t->n && *n > 0 && head) {
            (*frames)[*n].whole = false;
            (*frames)[*n].line = line;
            st = MRN_OK;
        }
        *n += st == MRN_OK;
    }
    return st;
}

static mrn_status not_whole(mrn_text *t, const mrn_dump_frame *f)
{
    static const char hint[] = "the file was cut, or is still being written: --frame -2 takes the "
                               "instant before";
    char expected[80];
    int64_t rows = 0;
    mrn_text_go(t, f->at, f->line);
    if (f->at == 0) /* the end came before any row */
        return mrn_text_fail(t, NULL, order, hint, "the file ends in the head of an instant");
    while (rows < f->n && t->at < t->n &&
           memcmp(t->text + t->at, "ITEM:", t->n - t->at < 5 ? 1 : 5) != 0)
        rows += mrn_text_next(t);
    snprintf(expected, sizeof expected, "%lld rows", (long long)f->n);
    return mrn_text_fail(t, t->now.s + t->now.n, expected, hint,
                         "the rows of step %lld end after %lld", (long long)f->step,
                         (long long)rows);
}

mrn_status mrn_dump_enter(mrn_text *t, const mrn_dump_frame *f)
{
    if (!f->whole)
        return not_whole(t, f);
    mrn_text_go(t, f->head_at, f->head_line - 1);
    mrn_text_next(t);
    return MRN_OK;
}

mrn_status mrn_import_frame_of(int64_t wanted, int64_t frames, const mrn_text *t, int64_t *frame)
{
    *frame = wanted < 0 ? wanted + frames : wanted;
    if (*frame >= 0 && *frame < frames)
        return MRN_OK;
    mrn_fail(t->msg, MRN_ERR_INPUT, "there is no frame %lld: the file holds %lld",
             (long long)wanted, (long long)frames);
    mrn_fail_at(t->msg, t->file, 0, 0);
    return mrn_fail_expected(t->msg, "0 to %lld, or -1 to -%lld from the end",
                             (long long)frames - 1, (long long)frames);
}

/* ---- grains ---- */

static void take_box(mrn_raw *r, const mrn_dump_frame *f)
{
    double unit = r->opt->length_unit;
    r->has_box = f->has_box;
    for (int k = 0; k < 3; k++) {
        r->file_periodic[k] = f->periodic[k];
        r->lo[k] = mrn_import_scaled(f->lo[k], unit);
        r->hi[k] = mrn_import_scaled(f->hi[k], unit);
        r->tilt[k] = mrn_import_scaled(f->tilt[k], unit);
    }
}

static mrn_status read_rows(mrn_raw *r, const mrn_dump_frame *f)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text *t = &r->text;
    mrn_status st = mrn_dump_enter(t, f);
    if (st != MRN_OK)
        return st;
    int n = mrn_text_split(t, ' ', cell);
    if (n <= 2)
        return mrn_text_fail(t, NULL, "ITEM: ATOMS id type x y z radius",
                             "very old dumps do not name their columns: dump custom does",
                             "the columns have no names");
    st = mrn_grains_header(r, cell + 2, n - 2);
    for (int64_t i = 0; st == MRN_OK && i < f->n; i++) {
        mrn_text_next(t);
        st = mrn_text_row(t, ' ', r->columns.n, cell, &n);
        if (st == MRN_OK)
            st = mrn_grains_row(r, cell);
    }
    return st;
}

mrn_status mrn_import_lammps(mrn_raw *r)
{
    mrn_dump_frame *frames = NULL;
    mrn_packing *p = r->packing;
    mrn_status st = mrn_dump_scan(&r->text, &frames, &p->frames);
    if (st == MRN_OK && p->frames > 0 && frames[0].entries) {
        r->text.line = 1;
        st = mrn_text_fail(&r->text, NULL, "a dump of grains (ITEM: ATOMS)",
                           "name the file of grains, and this one with --contacts",
                           "this is a dump of contacts (ITEM: ENTRIES)");
    }
    if (st == MRN_OK)
        st = mrn_import_frame_of(r->opt->frame, p->frames, &r->text, &p->frame);
    if (st == MRN_OK && frames != NULL) {
        const mrn_dump_frame *f = &frames[p->frame];
        p->step = f->step;
        p->time = f->time;
        take_box(r, f);
        st = read_rows(r, f);
    }
    mrn_free(frames);
    return st;
}
