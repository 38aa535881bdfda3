/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains as tables: CSV with a header line, and the texts of YADE, which have their columns in a
   comment or not at all. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "import/import.h"

static bool skipped(const mrn_text *t)
{
    return mrn_text_is_blank(t) || t->now.s[0] == '#';
}

/* ---- CSV ---- */

static mrn_status read_header(mrn_raw *r, char *separator)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    int n;
    mrn_status st =
        mrn_text_header(&r->text, "a header line such as id,x,y,z,radius", cell, &n, separator);
    return st == MRN_OK ? mrn_grains_header(r, cell, n) : st;
}

static bool same_cell(mrn_cell_text a, mrn_cell_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, (size_t)a.n) == 0);
}

/* A table with a column of times or steps holds several instants, one after the other. Calls for
   the rows of one of them, or (wanted < 0) only counts. */
static mrn_status read_rows(mrn_raw *r, char separator, int64_t wanted, int64_t *frames)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1], last = {0};
    mrn_text *t = &r->text;
    mrn_status st = MRN_OK;
    int64_t frame = -1;
    while (st == MRN_OK && mrn_text_next_row(t)) {
        int n;
        st = mrn_text_row(t, separator, r->columns.n, cell, &n);
        const mrn_cell_text *instant = st == MRN_OK ? mrn_grains_instant(r, cell) : NULL;
        bool next = frame < 0 || (instant != NULL && !same_cell(*instant, last));
        last = instant != NULL ? *instant : last;
        frame += next;
        if (st == MRN_OK && frame == wanted)
            st = mrn_grains_row(r, cell);
    }
    *frames = frame + 1;
    return st;
}

mrn_status mrn_import_table(mrn_raw *r)
{
    mrn_packing *p = r->packing;
    mrn_text *t = &r->text;
    char separator = ',';
    mrn_status st = read_header(r, &separator);
    if (st != MRN_OK)
        return st;
    size_t at = t->at;
    int line = t->line;
    int64_t frames = 1;
    if (mrn_grains_has_instants(r))
        st = read_rows(r, separator, -1, &frames);
    if (st == MRN_OK)
        st = mrn_import_frame_of(r->opt->frame, frames > 0 ? frames : 1, t, &p->frame);
    mrn_text_go(t, at, line);
    if (st == MRN_OK)
        st = read_rows(r, separator, p->frame, &p->frames);
    return st;
}

/* ---- YADE ---- */

/* "#format x_y_z_r_matId": names joined by bars; columns after those are not given. */
static int split_format(const mrn_text *t, mrn_cell_text *out)
{
    mrn_cell_text word[MRN_CELLS_MAX + 1];
    int n_words = mrn_text_split(t, ' ', word), n = 0;
    if (n_words < 2)
        return 0;
    const char *p = word[1].s, *end = p + word[1].n;
    while (p < end && n < MRN_CELLS_MAX) {
        const char *bar = memchr(p, '_', (size_t)(end - p));
        const char *to = bar != NULL ? bar : end;
        out[n++] = (mrn_cell_text){.s = p, .n = (int)(to - p)};
        p = to + 1;
    }
    return n;
}

/* "##PERIODIC:: 1 1 1": the sizes of the cell. */
static mrn_status read_periodic(mrn_raw *r)
{
    mrn_cell_text word[MRN_CELLS_MAX + 1];
    double size;
    int n = mrn_text_split(&r->text, ' ', word);
    for (int k = 0; k < 3; k++) {
        if (n != 4 || !mrn_cell_number(&r->text, word[k + 1], &size) || !(size > 0))
            return mrn_text_fail(&r->text, NULL, "##PERIODIC:: and three sizes above 0", NULL,
                                 "not the sizes of a cell");
        r->hi[k] = mrn_import_scaled(size, r->opt->length_unit);
        r->file_periodic[k] = r->has_box = true;
    }
    return MRN_OK;
}

static const char usual[] = "x y z r matid";

/* What the comments say; else x y z r. Leaves the text at the first row. */
static mrn_status read_comments(mrn_raw *r, mrn_cell_text *names, int *n)
{
    mrn_text *t = &r->text;
    size_t at = t->at;
    int line = t->line;
    mrn_status st = MRN_OK;
    *n = 0;
    while (st == MRN_OK && mrn_text_next(t) && skipped(t)) {
        at = t->at;
        line = t->line;
        if (mrn_text_begins(t, "#format"))
            *n = split_format(t, names);
        else if (mrn_text_begins(t, "##PERIODIC::"))
            st = read_periodic(r);
    }
    if (st == MRN_OK)
        mrn_text_go(t, at, line);
    return st;
}

static char blank_or_comma(const mrn_text *t)
{
    return memchr(t->now.s, ',', (size_t)t->now.n) != NULL ? ',' : ' ';
}

static mrn_status read_yade_header(mrn_raw *r)
{
    mrn_cell_text name[MRN_CELLS_MAX + 1], cell[MRN_CELLS_MAX + 1];
    mrn_text *t = &r->text;
    int given;
    mrn_status st = read_comments(r, name, &given);
    if (st != MRN_OK)
        return st;
    size_t at = t->at;
    int line = t->line;
    if (!mrn_text_next(t))
        return mrn_text_fail(t, NULL, "rows x y z r", NULL, "the file holds no grain");
    int n = mrn_text_split(t, blank_or_comma(t), cell);
    mrn_text words = {.text = (char *)usual, .now = {.s = usual, .n = sizeof usual - 1}};
    if (given == 0) {
        given = mrn_text_split(&words, ' ', name);
        given = n == 4 ? 4 : given;
    } else if (mrn_cell_is(name[given - 1], "attrs")) {
        given--; /* stands for any number of columns */
    }
    if (n < given)
        return mrn_text_fail(t, cell[n > 0 ? n - 1 : 0].s, "x y z r", NULL, "too few numbers: %d",
                             n);
    for (int i = given; i < n && i < MRN_CELLS_MAX; i++)
        name[i] = (mrn_cell_text){.s = ""};
    st = mrn_grains_header(r, name, n);
    mrn_text_go(t, at, line);
    return st;
}

mrn_status mrn_import_yade(mrn_raw *r)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text *t = &r->text;
    mrn_packing *p = r->packing;
    int n;
    mrn_status st = read_yade_header(r);
    if (st == MRN_OK)
        st = mrn_import_frame_of(r->opt->frame, 1, t, &p->frame);
    p->frames = 1;
    while (st == MRN_OK && mrn_text_next_row(t)) {
        st = mrn_text_row(t, blank_or_comma(t), r->columns.n, cell, &n);
        if (st == MRN_OK)
            st = mrn_grains_row(r, cell);
    }
    return st;
}
