/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network as a store: room, copies, compaction, hash. Which columns a network has is
   one table, here; every loop over columns reads fields.def, so that a new column needs a line
   there and, in the table, the uses that want it. */
#include <string.h>

#include "base/base.h"
#include "moraine/state.h"

_Static_assert(MRN_CONTACT_COLUMNS <= 32, "one bit per column");

/* The smooth engine computes geometry anew from positions in every step and reads force, lever and
   history beside the candidate pair: what stands here is what it writes per contact, no more. */
uint32_t mrn_contacts_columns(mrn_contacts_use use)
{
    static const uint32_t columns[MRN_CONTACTS_USES] = {
        [MRN_CONTACTS_SLOTS] = MRN_COLUMN(flags) | MRN_COLUMN(point) | MRN_COLUMN(force) |
                               MRN_COLUMN(lever) | MRN_COLUMN(history),
        [MRN_CONTACTS_POINTS] = MRN_COLUMN(id_c) | MRN_COLUMN(id_a) | MRN_COLUMN(c) |
                                MRN_COLUMN(a) | MRN_COLUMN(feature) | MRN_COLUMN(body_c) |
                                MRN_COLUMN(body_a) | MRN_COLUMN(interaction) | MRN_COLUMN(r_eff) |
                                MRN_COLUMN(point) | MRN_COLUMN(normal) | MRN_COLUMN(tangent) |
                                MRN_COLUMN(gap) | MRN_COLUMN(arm_c) | MRN_COLUMN(arm_a) |
                                MRN_COLUMN(impulse),
        [MRN_CONTACTS_SNAPSHOT] = MRN_COLUMN(c) | MRN_COLUMN(a) | MRN_COLUMN(feature) |
                                  MRN_COLUMN(point) | MRN_COLUMN(normal) | MRN_COLUMN(gap) |
                                  MRN_COLUMN(branch) | MRN_COLUMN(force),
        [MRN_CONTACTS_FRAME] = MRN_COLUMN(c) | MRN_COLUMN(a) | MRN_COLUMN(feature) |
                               MRN_COLUMN(point) | MRN_COLUMN(normal) | MRN_COLUMN(gap) |
                               MRN_COLUMN(branch) | MRN_COLUMN(force),
        [MRN_CONTACTS_SAVED] = MRN_COLUMN(id_c) | MRN_COLUMN(id_a) | MRN_COLUMN(feature) |
                               MRN_COLUMN(flags) | MRN_COLUMN(history),
        [MRN_CONTACTS_NAMES] = MRN_COLUMN(id_c) | MRN_COLUMN(id_a),
        [MRN_CONTACTS_CYCLE] = MRN_COLUMN(id_c) | MRN_COLUMN(id_a) | MRN_COLUMN(feature) |
                               MRN_COLUMN(normal) | MRN_COLUMN(tangent) | MRN_COLUMN(impulse),
    };
    return columns[use];
}

int mrn_contacts_width(const mrn_contacts *c, const mrn_field *f)
{
    return f->width == MRN_WIDTH_HISTORY   ? c->history_width
           : f->width == MRN_WIDTH_IMPULSE ? c->impulse_width
                                           : f->width;
}

size_t mrn_contacts_size(const mrn_contacts *c, const mrn_field *f)
{
    size_t one = mrn_field_size(f);
    return f->width > 0 ? one : one * (size_t)mrn_contacts_width(c, f);
}

static void **slot(mrn_contacts *c, int k)
{
    return (void **)((char *)c + mrn_contact_field(k)->offset);
}

static char *data(const mrn_contacts *c, int k)
{
    return mrn_field_data(c, mrn_contact_field(k));
}

static size_t size_of(const mrn_contacts *c, int k)
{
    return mrn_contacts_size(c, mrn_contact_field(k));
}

static bool has(const mrn_contacts *c, int k)
{
    return c->columns >> k & 1;
}

/* How many of n contacts have column k. */
static int64_t rows(const mrn_contacts *c, int k, int64_t n)
{
    return c->tail >> k & 1 ? n - c->first : n;
}

void mrn_contacts_destroy(mrn_contacts *c)
{
    if (c == NULL)
        return;
    for (int k = 0; k < MRN_CONTACT_COLUMNS; k++)
        mrn_free(data(c, k));
    *c = (mrn_contacts){0};
}

mrn_status mrn_contacts_make(mrn_contacts *c, const mrn_contacts_def *def, mrn_message *msg)
{
    mrn_contacts_destroy(c);
    c->columns = def->columns;
    c->tail = def->tail;
    c->first = def->first;
    c->history_width = def->history_width;
    c->impulse_width = def->impulse_width;
    for (int k = 0; k < MRN_CONTACT_COLUMNS; k++)
        if (has(c, k) && mrn_array(slot(c, k), rows(c, k, def->n), size_of(c, k), msg) != MRN_OK) {
            mrn_contacts_destroy(c);
            return MRN_ERR_MEMORY;
        }
    c->capacity = def->n;
    return MRN_OK;
}

/* The capacity rises only when every column has its room, so a failure half-way leaves some longer
   than needed and nothing else. */
mrn_status mrn_contacts_reserve(mrn_contacts *c, int64_t n, mrn_message *msg)
{
    if (n <= c->capacity)
        return MRN_OK;
    int64_t room = n + n / 8 + 16;
    for (int k = 0; k < MRN_CONTACT_COLUMNS; k++) {
        if (!has(c, k))
            continue;
        void *bigger = mrn_realloc(*slot(c, k), (size_t)room * size_of(c, k));
        if (bigger == NULL)
            return mrn_fail_memory(msg);
        *slot(c, k) = bigger;
    }
    c->capacity = room;
    return MRN_OK;
}

mrn_status mrn_contacts_copy(const mrn_contacts *from, mrn_contacts *to, mrn_message *msg)
{
    mrn_contacts copy = {0};
    mrn_contacts_def def = {from->columns, from->tail,          from->n,
                            from->first,   from->history_width, from->impulse_width};
    mrn_status st = mrn_contacts_make(&copy, &def, msg);
    for (int k = 0; st == MRN_OK && k < MRN_CONTACT_COLUMNS; k++)
        if (has(from, k) && data(from, k) != NULL)
            memcpy(data(&copy, k), data(from, k),
                   (size_t)rows(from, k, from->n) * size_of(from, k));
    copy.n = st == MRN_OK ? from->n : 0;
    *to = copy;
    return st;
}

/* n contacts of `from` from number k on. */
static void append(mrn_contacts *to, const mrn_contacts *from, int64_t k, int64_t n)
{
    for (int m = 0; m < MRN_CONTACT_COLUMNS && n > 0; m++) {
        if (!has(to, m))
            continue;
        size_t size = size_of(to, m);
        char *at = data(to, m) + (size_t)to->n * size;
        if (data(from, m) != NULL)
            memcpy(at, data(from, m) + (size_t)k * size, (size_t)n * size);
        else
            memset(at, 0, (size_t)n * size);
    }
    to->n += n;
}

void mrn_contacts_append(mrn_contacts *to, const mrn_contacts *from)
{
    append(to, from, 0, from->n);
}

void mrn_contacts_append_one(mrn_contacts *to, const mrn_contacts *from, int64_t k)
{
    append(to, from, k, 1);
}

static inline void pull(char *column, const int64_t *index, int64_t n, size_t size)
{
    for (int64_t k = 0; k < n; k++)
        if (index[k] != k)
            memcpy(column + (size_t)k * size, column + (size_t)index[k] * size, size);
}

/* Column by column, with the sizes that occur known to the compiler. */
void mrn_contacts_keep(mrn_contacts *c, const int64_t *index, int64_t n)
{
    for (int m = 0; m < MRN_CONTACT_COLUMNS; m++) {
        if (!has(c, m))
            continue;
        size_t size = size_of(c, m);
        switch (size) {
        case 4:
            pull(data(c, m), index, n, 4);
            break;
        case 8:
            pull(data(c, m), index, n, 8);
            break;
        case 24:
            pull(data(c, m), index, n, 24);
            break;
        default:
            pull(data(c, m), index, n, size);
        }
    }
    c->n = n;
}

/* Appends those of the pairs p0 … p1-1 of body i that are alive. */
static void name_row(const mrn_state *s, int32_t i, int64_t p0, int64_t p1, mrn_contacts *out)
{
    const mrn_pairs *p = &s->pair;
    for (int64_t k = p0; k < p1; k++) {
        if (!mrn_contact_alive(&s->contact, k))
            continue;
        int64_t at = out->n++;
        out->id_c[at] = s->body.id[i];
        out->id_a[at] = s->body.id[p->other[k]];
        out->feature[at] = k >= p->n_grain ? p->feature[k - p->n_grain] : 0;
        out->flags[at] = s->contact.flags[k];
        for (int h = 0; h < out->history_width; h++)
            out->history[at * out->history_width + h] =
                s->contact.history[k * out->history_width + h];
    }
}

mrn_status mrn_contacts_name(const mrn_state *s, mrn_contacts *out, mrn_message *msg)
{
    const mrn_contacts *c = &s->contact;
    const mrn_pairs *p = &s->pair;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SAVED),
                            .history_width = c->history_width};
    for (int64_t k = 0; k < c->n; k++)
        def.n += mrn_contact_alive(c, k);
    if (def.n > 0 && !mrn_contacts_follow_list(s))
        return mrn_fail(msg, MRN_ERR_INTERNAL,
                        "bodies were added or removed and the neighbour list was not rebuilt");
    mrn_status st = mrn_contacts_make(out, &def, msg);
    for (int32_t i = 0; st == MRN_OK && def.n > 0 && i < p->rows; i++) {
        name_row(s, i, p->row[i], p->row[i + 1], out);
        name_row(s, i, p->wall_row[i], p->wall_row[i + 1], out);
    }
    return st;
}

/* The sum of the hashes of contacts does not ask for their order: who they are is part of what is
   hashed. */
uint64_t mrn_contacts_hash(uint64_t h, const mrn_contacts *c)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < c->n; k++) {
        uint64_t one = MRN_HASH_START;
        for (int m = 0; m < MRN_CONTACT_COLUMNS; m++) {
            size_t size = size_of(c, m);
            if (has(c, m) && mrn_contact_field(m)->saved && !(c->tail >> m & 1))
                one = mrn_hash(one, data(c, m) + (size_t)k * size, size);
        }
        sum += one;
    }
    h = mrn_hash(h, &c->n, sizeof c->n);
    return mrn_hash(h, &sum, sizeof sum);
}

/* Those of the pairs p0 … p1-1 of body i that are alive, as mrn_contacts_hash sees them once they
   are named: the columns of MRN_CONTACTS_SAVED in their order. */
static void hash_row(const mrn_state *s, int32_t i, int64_t p0, int64_t p1, int64_t *n,
                     uint64_t *sum)
{
    const mrn_contacts *c = &s->contact;
    const mrn_pairs *p = &s->pair;
    size_t width = (size_t)c->history_width;
    for (int64_t k = p0; k < p1; k++) {
        if (!mrn_contact_alive(c, k))
            continue;
        int64_t feature = k >= p->n_grain ? p->feature[k - p->n_grain] : 0;
        uint64_t one = mrn_hash(MRN_HASH_START, &s->body.id[i], sizeof *s->body.id);
        one = mrn_hash(one, &s->body.id[p->other[k]], sizeof *s->body.id);
        one = mrn_hash(one, &feature, sizeof feature);
        one = mrn_hash(one, &c->flags[k], sizeof *c->flags);
        if (width > 0)
            one = mrn_hash(one, c->history + (size_t)k * width, width * sizeof *c->history);
        *sum += one;
        ++*n;
    }
}

uint64_t mrn_state_contacts_hash(uint64_t h, const mrn_state *s)
{
    if (s->contact.flags == NULL || s->contact.id_c != NULL)
        return mrn_contacts_hash(h, &s->contact);
    int64_t n = 0;
    uint64_t sum = 0;
    bool named = mrn_contacts_follow_list(s);
    for (int32_t i = 0; named && i < s->pair.rows; i++) {
        hash_row(s, i, s->pair.row[i], s->pair.row[i + 1], &n, &sum);
        hash_row(s, i, s->pair.wall_row[i], s->pair.wall_row[i + 1], &n, &sum);
    }
    h = mrn_hash(h, &n, sizeof n);
    return mrn_hash(h, &sum, sizeof sum);
}

size_t mrn_contacts_bytes(const mrn_contacts *c)
{
    size_t bytes = 0;
    for (int k = 0; k < MRN_CONTACT_COLUMNS; k++)
        if (has(c, k))
            bytes += (size_t)rows(c, k, c->capacity) * size_of(c, k);
    return bytes;
}
