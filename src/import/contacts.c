/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts as another code wrote them: pairs of ids with forces, as a local dump or a table.
   Normals and gaps are those of the centres and radii; what the file says of normals is held
   against that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "import/import.h"

enum { ID1, ID2, NX, NY, NZ, FX, FY, FZ, FNX, FNY, FNZ, FTX, FTY, FTZ, FN, FT, KINDS };

static const mrn_column_name names[] = {
    {"id1", ID1, "1"}, {"id2", ID2, "1"}, {"i", ID1, "1"},   {"j", ID2, "1"},   {"nx", NX, "1"},
    {"ny", NY, "1"},   {"nz", NZ, "1"},   {"fx", FX, "N"},   {"fy", FY, "N"},   {"fz", FZ, "N"},
    {"fnx", FNX, "N"}, {"fny", FNY, "N"}, {"fnz", FNZ, "N"}, {"ftx", FTX, "N"}, {"fty", FTY, "N"},
    {"ftz", FTZ, "N"}, {"fsx", FTX, "N"}, {"fsy", FTY, "N"}, {"fsz", FTZ, "N"}, {"fn", FN, "N"},
    {"ft", FT, "N"},   {"fs", FT, "N"},
};

/* What compute pair/gran/local of LIGGGHTS writes with pos, id and force. */
static const char usual[] = "x1 y1 z1 x2 y2 z2 id1 id2 periodic fx fy fz fnx fny fnz ftx fty ftz";

typedef struct key {
    int64_t id;
    int32_t place;
} key;

/* What the file says of a contact that the network has no column for. */
typedef struct row_facts {
    double fn, ft; /* normal and tangential force as numbers; NAN: none */
    int line;
} row_facts;

typedef struct reader {
    mrn_packing *p;
    const mrn_import_options *opt;
    mrn_text text;
    mrn_columns columns;
    key *by_id;
    int64_t capacity;
    row_facts *row; /* per contact */
    mrn_message *msg;
} reader;

/* ---- columns ---- */

static mrn_status check_columns(reader *r, mrn_columns *c, const char *where)
{
    const bool *has = c->has;
    const mrn_text *t = &r->text;
    if (!has[ID1] || !has[ID2])
        return mrn_text_fail(t, where, "columns id1 and id2",
                             "--columns names the columns of a file that does not",
                             "there is no column '%s'", has[ID1] ? "id2" : "id1");
    if (has[FX] != has[FY] || has[FNX] != has[FNY] || has[FTX] != has[FTY] || has[NX] != has[NY])
        return mrn_text_fail(t, where, "all components", NULL, "a part of a vector");
    bool vectors = has[FX] || has[FNX];
    if (has[FT] && !vectors && !has[FTX] && r->p->dimension == 3)
        return mrn_text_fail(t, where, "fx, fy, fz, or ftx, fty, ftz",
                             "in three dimensions a number alone has no direction",
                             "tangential forces without their direction");
    if (has[FTX] && !vectors && !has[FN])
        return mrn_text_fail(t, where, "fx, fy, fz, or fn, or fnx, fny, fnz", NULL,
                             "tangential forces without normal ones");
    r->p->has_forces = vectors || has[FN];
    return MRN_OK;
}

static mrn_status find_columns(reader *r, const mrn_cell_text *cell, int n)
{
    mrn_status st =
        mrn_columns_find(&r->text, names, sizeof names / sizeof *names, cell, n, 1, &r->columns);
    return st == MRN_OK ? check_columns(r, &r->columns, n > 0 ? cell[0].s : NULL) : st;
}

/* Names given as one text, by the user or as the usual ones; n: columns that there are. */
static mrn_status name_columns(reader *r, const char *text, int n)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text words = {.text = (char *)text, .now = {.s = text, .n = (int)strlen(text)}};
    int given = mrn_text_split(&words, strchr(text, ',') != NULL ? ',' : ' ', cell);
    if (r->opt->columns != NULL && given > n) {
        mrn_text_fail(&r->text, NULL, NULL, NULL, "--columns names %d columns, the file has %d",
                      given, n);
        return MRN_ERR_INPUT;
    }
    for (int i = given; i < n; i++)
        cell[i] = (mrn_cell_text){.s = ""};
    mrn_status st =
        mrn_columns_find(&r->text, names, sizeof names / sizeof *names, cell, n, 1, &r->columns);
    return st == MRN_OK ? check_columns(r, &r->columns, NULL) : st;
}

/* "c_cpl[1]" tells nothing; a name that is known does. */
static bool says_ids(const mrn_cell_text *cell, int n)
{
    for (int i = 0; i < n; i++)
        if (mrn_cell_is(cell[i], "id1"))
            return true;
    return false;
}

/* ---- rows ---- */

static int by_id(const void *a, const void *b)
{
    const key *p = a, *q = b;
    return p->id < q->id ? -1 : p->id > q->id;
}

static mrn_status sort_ids(reader *r)
{
    mrn_status st = mrn_array(&r->by_id, r->p->n, sizeof *r->by_id, r->msg);
    if (st != MRN_OK)
        return st;
    for (int32_t i = 0; i < r->p->n; i++)
        r->by_id[i] = (key){r->p->grain[i].id, i};
    qsort(r->by_id, (size_t)r->p->n, sizeof *r->by_id, by_id);
    return MRN_OK;
}

static mrn_status read_id(reader *r, mrn_cell_text c, int32_t *place)
{
    int64_t id;
    if (!mrn_cell_integer(&r->text, c, &id))
        return mrn_text_fail(&r->text, c.s, "the id of a grain: a whole number",
                             r->opt->columns == NULL
                                 ? "--columns tells which column is which, should it be another"
                                 : NULL,
                             "not an id: '%.*s'", mrn_cell_shown(c), c.s);
    key wanted = {id, 0};
    const key *found = bsearch(&wanted, r->by_id, (size_t)r->p->n, sizeof wanted, by_id);
    *place = found != NULL ? found->place : -1;
    if (found != NULL || r->opt->skip_unknown)
        return MRN_OK;
    return mrn_text_fail(&r->text, c.s, "ids of grains of the packing",
                         "--skip-unknown leaves out contacts with walls and others not there",
                         "there is no grain %lld", (long long)id);
}

static mrn_status read_cells(reader *r, const mrn_cell_text *cell, int32_t *c, int32_t *a,
                             double *v)
{
    const mrn_text *t = &r->text;
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < r->columns.n; i++) {
        int kind = r->columns.kind[i];
        if (kind == ID1 || kind == ID2)
            st = read_id(r, cell[i], kind == ID1 ? c : a);
        else if (kind >= 0) {
            st = mrn_cell_read(t, cell[i], "a finite number", &v[kind]);
            v[kind] = mrn_import_scaled(v[kind], r->columns.factor[i]);
        }
    }
    return st;
}

/* A contact that the places of its grains do not bear out is a mistake in one of the files. */
static mrn_status check_contact(reader *r, int64_t k, const double *v)
{
    const mrn_contacts *at = &r->p->contact;
    const mrn_import_grain *c = &r->p->grain[at->c[k]], *a = &r->p->grain[at->a[k]];
    double gap = at->gap[k];
    const char *periodic = "is the packing periodic? --periodic and --box tell so; else the two "
                           "files may not be of the same instant";
    if (gap > 0.5 * fmin(c->radius, a->radius))
        return mrn_text_fail(&r->text, NULL, "grains that touch or nearly do", periodic,
                             "grains %lld and %lld are %g m apart", (long long)c->id,
                             (long long)a->id, gap);
    if (gap < -fmin(c->radius, a->radius))
        return mrn_text_fail(&r->text, NULL, "an overlap below the smaller radius",
                             "is a diameter given as a radius?",
                             "grains %lld and %lld overlap by %g m", (long long)c->id,
                             (long long)a->id, -gap);
    if (!r->columns.has[NX])
        return MRN_OK;
    mrn_vec3 n = mrn_load3(&v[NX]);
    if (mrn_norm(n) > 0 && fabs(mrn_dot(mrn_unit(n), mrn_load3(at->normal + 3 * k))) > 0.98)
        return MRN_OK;
    return mrn_text_fail(&r->text, NULL, "a normal along the line of the centres", periodic,
                         "the normal of grains %lld and %lld is another", (long long)c->id,
                         (long long)a->id);
}

/* The places of the grains tell the geometry. */
static mrn_status add_contact(reader *r, int32_t c, int32_t a, const double *v)
{
    mrn_packing *p = r->p;
    mrn_contacts *at = &p->contact;
    const bool *has = r->columns.has;
    int64_t k = at->n;
    if (mrn_grow(&r->row, &r->capacity, k + 1, sizeof *r->row) != MRN_OK)
        return mrn_fail_memory(r->msg);
    mrn_status st = mrn_contacts_reserve(at, k + 1, r->msg);
    if (st != MRN_OK)
        return st;
    mrn_vec3 branch = mrn_packing_nearest(p, mrn_sub(p->grain[c].x, p->grain[a].x));
    mrn_vec3 force = has[FX] ? mrn_load3(&v[FX]) : mrn_add(mrn_load3(&v[FNX]), mrn_load3(&v[FTX]));
    if (p->dimension == 2)
        force.z = 0;
    at->c[k] = c, at->a[k] = a;
    at->gap[k] = mrn_norm(branch) - p->grain[c].radius - p->grain[a].radius;
    mrn_store3(at->branch + 3 * k, branch);
    mrn_store3(at->normal + 3 * k, mrn_unit(branch));
    mrn_store3(at->force + 3 * k, force);
    bool scalar = !has[FX] && !has[FNX];
    r->row[k] = (row_facts){.fn = scalar && has[FN] ? v[FN] : NAN,
                            .ft = scalar && has[FT] && !has[FTX] ? v[FT] : NAN,
                            .line = r->text.line};
    at->n++;
    return MRN_OK;
}

static mrn_status read_row(reader *r, const mrn_cell_text *cell)
{
    double v[KINDS] = {0};
    int32_t c = 0, a = 0;
    mrn_status st = read_cells(r, cell, &c, &a, v);
    if (st != MRN_OK)
        return st;
    if (c < 0 || a < 0) {
        r->p->skipped++;
        return MRN_OK;
    }
    if (c == a)
        return mrn_text_fail(&r->text, NULL, "two grains", NULL, "grain %lld touches itself",
                             (long long)r->p->grain[c].id);
    st = add_contact(r, c, a, v);
    return st == MRN_OK ? check_contact(r, r->p->contact.n - 1, v) : st;
}

/* ---- files ---- */

static mrn_status read_table(reader *r)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text *t = &r->text;
    char separator = ' ';
    int n;
    mrn_status st = MRN_OK;
    if (r->opt->columns == NULL) {
        st = mrn_text_header(t, "a header line such as id1,id2,fx,fy,fz", cell, &n, &separator);
        if (st == MRN_OK)
            st = find_columns(r, cell, n);
    }
    bool named = r->opt->columns == NULL;
    while (st == MRN_OK && mrn_text_next_row(t)) {
        separator = named ? separator : mrn_text_separator(t);
        /* a header in a comment may be separated otherwise than the rows */
        if (separator == ' ' && memchr(t->now.s, ',', (size_t)t->now.n) != NULL)
            separator = ',';
        st = mrn_text_row(t, separator, named ? r->columns.n : 0, cell, &n);
        if (st == MRN_OK && !named)
            st = name_columns(r, r->opt->columns, n);
        named = true;
        if (st == MRN_OK)
            st = read_row(r, cell);
    }
    return st;
}

/* The instant of the grains, by the number of its step. */
static mrn_status same_step(reader *r, const mrn_dump_frame *frames, int64_t n, int64_t *out)
{
    const mrn_packing *p = r->p;
    *out = n - 1;
    if (p->step < 0)
        return MRN_OK;
    for (*out = n - 1; *out >= 0; (*out)--)
        if (frames[*out].step == p->step)
            return MRN_OK;
    mrn_fail(r->msg, MRN_ERR_INPUT, "the grains are those of step %lld, which is not in this file",
             (long long)p->step);
    mrn_fail_at(r->msg, r->text.file, 0, 0);
    mrn_fail_expected(r->msg, "contacts of the same instant; the file holds steps %lld to %lld",
                      (long long)(n > 0 ? frames[0].step : -1),
                      (long long)(n > 0 ? frames[n - 1].step : -1));
    return mrn_fail_hint(r->msg, "--frame takes another instant of the grains");
}

static mrn_status read_entries(reader *r, const mrn_dump_frame *f)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text *t = &r->text;
    mrn_status st = mrn_dump_enter(t, f);
    if (st != MRN_OK)
        return st;
    if (!f->entries)
        return mrn_text_fail(t, NULL, "ITEM: ENTRIES, as dump local writes it",
                             "name the file of grains first", "this is a dump of grains");
    int n = mrn_text_split(t, ' ', cell) - 2;
    if (r->opt->columns == NULL && says_ids(cell + 2, n))
        st = find_columns(r, cell + 2, n);
    else
        st = name_columns(r, r->opt->columns != NULL ? r->opt->columns : usual, n);
    for (int64_t i = 0; st == MRN_OK && i < f->n; i++) {
        mrn_text_next(t);
        st = mrn_text_row(t, ' ', r->columns.n, cell, &n);
        if (st == MRN_OK)
            st = read_row(r, cell);
    }
    return st;
}

static mrn_status read_dump(reader *r)
{
    mrn_dump_frame *frames = NULL;
    int64_t n = 0, at = 0;
    mrn_status st = mrn_dump_scan(&r->text, &frames, &n);
    if (st == MRN_OK)
        st = same_step(r, frames, n, &at);
    if (st == MRN_OK)
        st = read_entries(r, &frames[at]);
    mrn_free(frames);
    return st;
}

static bool is_dump(mrn_text *t)
{
    while (mrn_text_next(t))
        if (!mrn_text_is_blank(t))
            break;
    bool dump = mrn_text_begins(t, "ITEM:");
    mrn_text_go(t, 0, 0);
    return dump;
}

/* ---- forces ---- */

/* Vectors act on one of the two, the same in all rows. Grains in contact push: where the user does
   not say, that side is taken on which they do so on the whole. */
static void settle_forces(reader *r)
{
    mrn_packing *p = r->p;
    mrn_contacts *at = &p->contact;
    double push = 0;
    for (int64_t k = 0; k < at->n; k++)
        push += mrn_dot(mrn_load3(at->force + 3 * k), mrn_load3(at->normal + 3 * k));
    p->force_on = r->opt->force_on != 0 ? r->opt->force_on : push < 0 ? 2 : 1;
    for (int64_t k = 0; k < at->n; k++) {
        const row_facts *s = &r->row[k];
        mrn_vec3 n = mrn_load3(at->normal + 3 * k), f = mrn_load3(at->force + 3 * k);
        f = p->force_on == 2 ? mrn_scale(-1, f) : f;
        if (!isnan(s->fn))
            f = mrn_axpy(s->fn, n, f);
        if (!isnan(s->ft))
            f = mrn_axpy(s->ft, mrn_v3(-n.y, n.x, 0), f);
        mrn_store3(at->force + 3 * k, f);
    }
}

static int by_pair(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

static mrn_status check_pairs(reader *r)
{
    mrn_packing *p = r->p;
    int32_t(*pair)[3] = NULL;
    const mrn_contacts *at = &p->contact;
    mrn_status st = mrn_array(&pair, at->n, sizeof *pair, r->msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < at->n; k++) {
        int32_t c = at->c[k], a = at->a[k];
        pair[k][0] = c < a ? c : a;
        pair[k][1] = c < a ? a : c;
        pair[k][2] = r->row[k].line;
    }
    qsort(pair, (size_t)at->n, sizeof *pair, by_pair);
    for (int64_t k = 1; st == MRN_OK && k < at->n; k++)
        if (pair[k][0] == pair[k - 1][0] && pair[k][1] == pair[k - 1][1]) {
            r->text.line = pair[k][2];
            st = mrn_text_fail(&r->text, NULL, "each pair once", NULL,
                               "the contact of grains %lld and %lld stands in line %d already",
                               (long long)p->grain[pair[k][0]].id,
                               (long long)p->grain[pair[k][1]].id, (int)pair[k - 1][2]);
        }
    mrn_free(pair);
    return st;
}

mrn_status mrn_import_contacts(mrn_packing *p, const mrn_import_options *opt, mrn_message *msg)
{
    reader r = {.p = p, .opt = opt, .msg = msg};
    if (!p->has_ids) {
        mrn_fail(msg, MRN_ERR_INPUT, "the grains have no ids that contacts could refer to");
        mrn_fail_at(msg, p->file, 0, 0);
        return mrn_fail_hint(msg, "write them with ids; YADE: format id_x_y_z_r_matId");
    }
    mrn_contacts_def def = {.columns = MRN_COLUMN(c) | MRN_COLUMN(a) | MRN_COLUMN(normal) |
                                       MRN_COLUMN(branch) | MRN_COLUMN(gap) | MRN_COLUMN(force)};
    mrn_status st = mrn_text_open(opt->contacts, &r.text, msg);
    if (st == MRN_OK)
        st = mrn_contacts_make(&p->contact, &def, msg);
    if (st == MRN_OK)
        st = sort_ids(&r);
    if (st == MRN_OK)
        st = is_dump(&r.text) ? read_dump(&r) : read_table(&r);
    if (st == MRN_OK)
        st = check_pairs(&r);
    if (st == MRN_OK) {
        settle_forces(&r);
        p->has_contacts = true;
    }
    mrn_text_close(&r.text);
    mrn_free(r.by_id);
    mrn_free(r.row);
    return st;
}
