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

typedef struct reader {
    mrn_packing *p;
    const mrn_import_options *opt;
    mrn_import_text text;
    mrn_columns columns;
    key *by_id;
    int64_t capacity, scalar_capacity;
    double (*scalar)[2]; /* normal and tangential force as numbers; NAN: none */
    mrn_message *msg;
} reader;

/* ---- columns ---- */

static mrn_status check_columns(reader *r, mrn_columns *c, const char *where)
{
    const bool *has = c->has;
    const mrn_import_text *t = &r->text;
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
    mrn_import_text words = {.text = (char *)text, .now = {text, (int)strlen(text)}};
    int given = mrn_text_split(&words, strchr(text, ',') != NULL ? ',' : ' ', cell);
    if (n > MRN_CELLS_MAX)
        return mrn_text_fail(&r->text, NULL, "at most 256 columns", NULL, "too many columns");
    if (r->opt->columns != NULL && given > n) {
        mrn_text_fail(&r->text, NULL, NULL, NULL, "--columns names %d columns, the file has %d",
                      given, n);
        return MRN_ERR_INPUT;
    }
    for (int i = given; i < n; i++)
        cell[i] = (mrn_cell_text){"", 0};
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
                             "not an id: '%.*s'", c.n < 60 ? c.n : 60, c.s);
    key wanted = {id, 0};
    const key *found = bsearch(&wanted, r->by_id, (size_t)r->p->n, sizeof wanted, by_id);
    *place = found != NULL ? found->place : -1;
    if (found != NULL || r->opt->skip_unknown)
        return MRN_OK;
    return mrn_text_fail(&r->text, c.s, "ids of grains of the packing",
                         "--skip-unknown leaves out contacts with walls and others not there",
                         "there is no grain %lld", (long long)id);
}

static mrn_status read_cells(reader *r, const mrn_cell_text *cell, mrn_import_contact *out,
                             double *v)
{
    const mrn_import_text *t = &r->text;
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < r->columns.n; i++) {
        int kind = r->columns.kind[i];
        if (kind == ID1 || kind == ID2)
            st = read_id(r, cell[i], kind == ID1 ? &out->c : &out->a);
        else if (kind >= 0 && !mrn_cell_number(t, cell[i], &v[kind]))
            st = mrn_text_fail(t, cell[i].s, "a finite number", NULL, "not a number: '%.*s'",
                               cell[i].n < 60 ? cell[i].n : 60, cell[i].s);
        else if (kind >= 0)
            v[kind] = mrn_import_scaled(v[kind], r->columns.factor[i]);
    }
    return st;
}

/* A contact that the places of its grains do not bear out is a mistake in one of the files. */
static mrn_status check_contact(reader *r, const mrn_import_contact *k, const double *v)
{
    const mrn_import_grain *c = &r->p->grain[k->c], *a = &r->p->grain[k->a];
    const char *periodic = "is the packing periodic? --periodic and --box tell so; else the two "
                           "files may not be of the same instant";
    if (k->gap > 0.5 * fmin(c->radius, a->radius))
        return mrn_text_fail(&r->text, NULL, "grains that touch or nearly do", periodic,
                             "grains %lld and %lld are %g m apart", (long long)c->id,
                             (long long)a->id, k->gap);
    if (k->gap < -fmin(c->radius, a->radius))
        return mrn_text_fail(&r->text, NULL, "an overlap below the smaller radius",
                             "is a diameter given as a radius?",
                             "grains %lld and %lld overlap by %g m", (long long)c->id,
                             (long long)a->id, -k->gap);
    if (!r->columns.has[NX])
        return MRN_OK;
    mrn_vec3 n = mrn_load3(&v[NX]);
    if (mrn_norm(n) > 0 && fabs(mrn_dot(mrn_unit(n), k->normal)) > 0.98)
        return MRN_OK;
    return mrn_text_fail(&r->text, NULL, "a normal along the line of the centres", periodic,
                         "the normal of grains %lld and %lld is another", (long long)c->id,
                         (long long)a->id);
}

static void place_contact(const mrn_packing *p, mrn_import_contact *k)
{
    const mrn_import_grain *c = &p->grain[k->c], *a = &p->grain[k->a];
    k->branch = mrn_packing_nearest(p, mrn_sub(c->x, a->x));
    k->gap = mrn_norm(k->branch) - c->radius - a->radius;
    k->normal = mrn_unit(k->branch);
}

static mrn_status add_contact(reader *r, mrn_import_contact k, const double *v)
{
    mrn_packing *p = r->p;
    const bool *has = r->columns.has;
    if (mrn_grow(&p->contact, &r->capacity, p->n_contacts + 1, sizeof *p->contact) != MRN_OK ||
        mrn_grow(&r->scalar, &r->scalar_capacity, p->n_contacts + 1, sizeof *r->scalar) != MRN_OK)
        return mrn_fail_memory(r->msg);
    k.force = has[FX] ? mrn_load3(&v[FX]) : mrn_add(mrn_load3(&v[FNX]), mrn_load3(&v[FTX]));
    bool scalar = !has[FX] && !has[FNX];
    double *s = r->scalar[p->n_contacts];
    s[0] = scalar && has[FN] ? v[FN] : NAN;
    s[1] = scalar && has[FT] && !has[FTX] ? v[FT] : NAN;
    if (p->dimension == 2)
        k.force.z = 0;
    p->contact[p->n_contacts++] = k;
    return MRN_OK;
}

static mrn_status read_row(reader *r, const mrn_cell_text *cell, int n)
{
    double v[KINDS] = {0};
    mrn_import_contact k = {.line = r->text.line};
    if (n != r->columns.n)
        return mrn_text_fail(&r->text, n > 0 ? cell[n - 1].s : NULL,
                             "as many numbers as there are columns", NULL,
                             "too %s numbers: %d, the header has %d columns",
                             n < r->columns.n ? "few" : "many", n, r->columns.n);
    mrn_status st = read_cells(r, cell, &k, v);
    if (st != MRN_OK)
        return st;
    if (k.c < 0 || k.a < 0) {
        r->p->skipped++;
        return MRN_OK;
    }
    if (k.c == k.a)
        return mrn_text_fail(&r->text, NULL, "two grains", NULL, "grain %lld touches itself",
                             (long long)r->p->grain[k.c].id);
    place_contact(r->p, &k);
    st = check_contact(r, &k, v);
    return st == MRN_OK ? add_contact(r, k, v) : st;
}

/* ---- files ---- */

static mrn_status read_table(reader *r)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_import_text *t = &r->text;
    char separator = ' ';
    int n;
    mrn_status st = MRN_OK;
    if (r->opt->columns == NULL) {
        st = mrn_text_header(t, "a header line such as id1,id2,fx,fy,fz", cell, &n, &separator);
        if (st == MRN_OK)
            st = find_columns(r, cell, n);
    }
    bool named = r->opt->columns == NULL;
    while (st == MRN_OK && mrn_text_next(t)) {
        if (mrn_text_is_blank(t) || t->now.s[0] == '#')
            continue;
        separator = named ? separator : mrn_text_separator(t);
        /* a header in a comment may be separated otherwise than the rows */
        if (separator == ' ' && memchr(t->now.s, ',', (size_t)t->now.n) != NULL)
            separator = ',';
        n = mrn_text_split(t, separator, cell);
        if (!named)
            st = name_columns(r, r->opt->columns, n);
        named = true;
        if (st == MRN_OK)
            st = read_row(r, cell, n);
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
    mrn_import_text *t = &r->text;
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
        st = read_row(r, cell, mrn_text_split(t, ' ', cell));
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

static bool is_dump(mrn_import_text *t)
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
    double push = 0;
    for (int64_t k = 0; k < p->n_contacts; k++)
        push += mrn_dot(p->contact[k].force, p->contact[k].normal);
    p->force_on = r->opt->force_on != 0 ? r->opt->force_on : push < 0 ? 2 : 1;
    for (int64_t k = 0; k < p->n_contacts; k++) {
        mrn_import_contact *c = &p->contact[k];
        const double *s = r->scalar[k];
        c->force = p->force_on == 2 ? mrn_scale(-1, c->force) : c->force;
        if (!isnan(s[0]))
            c->force = mrn_axpy(s[0], c->normal, c->force);
        if (!isnan(s[1]))
            c->force = mrn_axpy(s[1], mrn_v3(-c->normal.y, c->normal.x, 0), c->force);
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
    mrn_status st = mrn_array(&pair, p->n_contacts, sizeof *pair, r->msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < p->n_contacts; k++) {
        const mrn_import_contact *c = &p->contact[k];
        pair[k][0] = c->c < c->a ? c->c : c->a;
        pair[k][1] = c->c < c->a ? c->a : c->c;
        pair[k][2] = c->line;
    }
    qsort(pair, (size_t)p->n_contacts, sizeof *pair, by_pair);
    for (int64_t k = 1; st == MRN_OK && k < p->n_contacts; k++)
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
    mrn_status st = mrn_text_open(opt->contacts, &r.text, msg);
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
    mrn_free(r.scalar);
    return st;
}
