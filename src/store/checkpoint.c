/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: all that a run needs to go on bit for bit, as an HDF5 file with a seal.

   The first 512 bytes (HDF5's user block) hold a line of text and a hash of everything that
   follows. It is checked before HDF5 sees a byte: a damaged file gives a message, not a crash. Then
   every size and index is checked all the same.

   /bodies/NAME   every saved field of fields.def, in memory order; those of one integrator only
                  when they are there
   /handles       generation of each persistent number
   /contacts      the network: n, history_width, impulse_width (numbers per contact) and the saved
                  columns of fields.def that it has. Of the smooth engine the contacts alive, of the
                  non-smooth one all as they stand (ids may be those of bodies that have left)
   /began         id_c and id_a of the contacts with which a quasi-static stage without new contacts
                  began
   /memory        of the non-smooth engine: what joints remember, steps at rest
   /cycle         of a load that comes back: n, and a network for each of the last n steps, named by
                  its number; left out where there is none
   /state         time, step, stage, ledger, …: the table below
   /scene         source text and fingerprints of its physical parts
   /header, /clusters   what the grains are, for scenes that start from them (grains.c) */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "engine/fingerprint.h"
#include "moraine/method.h"
#include "store/grains.h"

#define LAYOUT       8
#define BLOCK        512
#define SEAL_TEXT    "moraine checkpoint\n"
#define BUFFER_BYTES (1 << 18)

/* ---- the seal ---- */

static void seal_block(uint64_t hash, char block[BLOCK])
{
    memset(block, 0, BLOCK);
    snprintf(block, BLOCK, "%s%016" PRIx64 "\n", SEAL_TEXT, hash);
}

/* Hash of all that follows the user block. Leaves the file position anywhere. */
static mrn_status hash_content(FILE *f, const char *path, uint64_t *hash, mrn_message *msg)
{
    char *buffer;
    if (mrn_array(&buffer, BUFFER_BYTES, 1, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    *hash = MRN_HASH_START;
    mrn_status st = MRN_OK;
    if (fseek(f, BLOCK, SEEK_SET) != 0)
        st = mrn_fail_file(msg, path, "cannot read", errno);
    for (size_t n = 1; st == MRN_OK && n > 0;) {
        n = fread(buffer, 1, BUFFER_BYTES, f);
        *hash = mrn_hash(*hash, buffer, n);
    }
    if (st == MRN_OK && ferror(f))
        st = mrn_fail_file(msg, path, "cannot read", errno != 0 ? errno : EIO);
    mrn_free(buffer);
    return st;
}

/* Puts the seal on a finished file and brings it to the disk. */
static mrn_status seal(const char *path, mrn_message *msg)
{
    FILE *f = fopen(path, "r+b");
    if (f == NULL)
        return mrn_fail_file(msg, path, "cannot write", errno);
    uint64_t hash;
    char block[BLOCK];
    mrn_status st = hash_content(f, path, &hash, msg);
    if (st == MRN_OK) {
        seal_block(hash, block);
        if (fseek(f, 0, SEEK_SET) != 0 || fwrite(block, BLOCK, 1, f) != 1 || fflush(f) != 0 ||
            fsync(fileno(f)) != 0)
            st = mrn_fail_file(msg, path, "cannot write", errno);
    }
    if (fclose(f) != 0 && st == MRN_OK)
        st = mrn_fail_file(msg, path, "cannot write", errno);
    return st;
}

static mrn_status broken_seal(const char *path, const char *text, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_IO, "%s", text);
    mrn_fail_at(msg, path, 0, 0);
    mrn_fail_expected(msg, "a checkpoint.h5 as moraine wrote it");
    mrn_fail_hint(msg, "use a copy that is whole, or start the run anew without --resume");
    return MRN_ERR_IO;
}

static mrn_status check_seal(const char *path, mrn_message *msg)
{
    FILE *f = mrn_open_input(path);
    if (f == NULL)
        return mrn_fail_file(msg, path, "cannot open the checkpoint", errno);
    char found[BLOCK] = "", right[BLOCK];
    uint64_t hash;
    mrn_status st = MRN_OK;
    if (fread(found, BLOCK, 1, f) != 1 || memcmp(found, SEAL_TEXT, strlen(SEAL_TEXT)) != 0)
        st = broken_seal(path, "not a moraine checkpoint", msg);
    if (st == MRN_OK)
        st = hash_content(f, path, &hash, msg);
    if (st == MRN_OK) {
        seal_block(hash, right);
        if (memcmp(found, right, BLOCK) != 0)
            st = broken_seal(path, "the checkpoint is damaged: cut short, or some bytes changed",
                             msg);
    }
    fclose(f);
    return st;
}

/* ---- the numbers of a state ---- */

typedef struct state_entry {
    const char *name;
    mrn_h5_type type;
    int n;
    size_t offset;
    bool later; /* came after the first checkpoints of this version: 0 where it is missing */
} state_entry;

#define ENTRY(name, type, n, member)                                                               \
    {                                                                                              \
        name, type, n, offsetof(mrn_state, member), false                                          \
    }

static const state_entry entry[] = {
    ENTRY("time", MRN_H5_DOUBLE, 1, time),
    ENTRY("step", MRN_H5_INT64, 1, step),
    ENTRY("h", MRN_H5_DOUBLE, 1, h),
    ENTRY("stage", MRN_H5_INT32, 1, stage),
    ENTRY("stage_time", MRN_H5_DOUBLE, 1, stage_time),
    ENTRY("stage_step", MRN_H5_INT64, 1, stage_step),
    ENTRY("stage_h", MRN_H5_DOUBLE, 1, stage_h),
    ENTRY("base_time", MRN_H5_DOUBLE, 1, base_time),
    ENTRY("base_step", MRN_H5_INT64, 1, base_step),
    ENTRY("kinetic_peak", MRN_H5_DOUBLE, 1, kinetic_peak),
    ENTRY("servos", MRN_H5_DOUBLE, sizeof(mrn_servo_memory) / sizeof(double), servos),
    ENTRY("cell_origin", MRN_H5_DOUBLE, 3, cell_origin),
    ENTRY("cell_size", MRN_H5_DOUBLE, 3, cell_size),
    ENTRY("cell_tilt", MRN_H5_DOUBLE, 3, cell_tilt),
    ENTRY("cell_rate", MRN_H5_DOUBLE, 6, cell_rate),
    ENTRY("gravity", MRN_H5_DOUBLE, 3, gravity),
    ENTRY("drive", MRN_H5_DOUBLE, sizeof(mrn_drive_memory) / sizeof(double), drive),
    ENTRY("elastic", MRN_H5_DOUBLE, 1, elastic),
    ENTRY("contacts", MRN_H5_INT64, 1, contacts),
    ENTRY("sliding", MRN_H5_INT64, 1, sliding),
    ENTRY("max_overlap", MRN_H5_DOUBLE, 1, max_overlap),
    ENTRY("ledger", MRN_H5_DOUBLE, sizeof(mrn_ledger) / sizeof(double), ledger),
    ENTRY("nonsmooth", MRN_H5_DOUBLE, sizeof(mrn_nonsmooth_report) / sizeof(double), nonsmooth),
    ENTRY("quasistatic", MRN_H5_DOUBLE, sizeof(mrn_quasistatic_report) / sizeof(double),
          quasistatic),
    ENTRY("event", MRN_H5_DOUBLE, sizeof(mrn_event_report) / sizeof(double), event),
    ENTRY("skin", MRN_H5_DOUBLE, 1, pair.skin),
    ENTRY("builds", MRN_H5_INT64, 1, pair.builds),
    ENTRY("built_at", MRN_H5_INT64, 1, pair.built_at),
    ENTRY("wall_travel", MRN_H5_DOUBLE, 1, pair.wall_travel),
    ENTRY("cell_list", MRN_H5_DOUBLE, 6, pair.cell_list),
    {"lost_shocks", MRN_H5_DOUBLE, 1, offsetof(mrn_state, lost_shocks), true},
};
#define N_ENTRIES ((int)(sizeof entry / sizeof *entry))

/* A number added to the state that a resumed run needs must be added to the table above: these
   lines make the compiler ask. */
_Static_assert(sizeof(mrn_state) - offsetof(mrn_state, time) ==
                   160 + 104 + sizeof(mrn_servo_memory) + sizeof(mrn_drive_memory),
               "see the table above");
_Static_assert(sizeof(mrn_pairs) - offsetof(mrn_pairs, skin) == 80, "see the table above");
_Static_assert(sizeof(int) == sizeof(int32_t), "stage is stored as a 32-bit integer");

/* A residual of a step that was not solved may be anything. */
static bool may_be_infinite(const state_entry *e)
{
    return e->offset == offsetof(mrn_state, nonsmooth);
}

static void write_entries(mrn_h5 *h, hid_t at, const mrn_state *s)
{
    for (int i = 0; i < N_ENTRIES; i++)
        mrn_h5_put(h, at, entry[i].name, entry[i].type, entry[i].n,
                   (const char *)s + entry[i].offset);
}

static void read_entries(mrn_h5 *h, hid_t at, mrn_state *s)
{
    for (int i = 0; i < N_ENTRIES; i++) {
        void *to = (char *)s + entry[i].offset;
        if (entry[i].later && h->status == MRN_OK && H5Aexists(at, entry[i].name) <= 0) {
            memset(to, 0, (size_t)entry[i].n * sizeof(double));
            continue;
        }
        mrn_h5_get(h, at, entry[i].name, entry[i].type, entry[i].n, to);
        for (int k = 0; entry[i].type == MRN_H5_DOUBLE && k < entry[i].n; k++)
            if (h->status == MRN_OK && !isfinite(((double *)to)[k]) && !may_be_infinite(&entry[i]))
                mrn_h5_damaged(h, "%s is not finite", entry[i].name);
    }
}

static mrn_h5_type field_type(const mrn_field *f)
{
    static const mrn_h5_type type[] = {[MRN_F_DOUBLE] = MRN_H5_DOUBLE,
                                       [MRN_F_INT64] = MRN_H5_INT64,
                                       [MRN_F_INT32] = MRN_H5_INT32,
                                       [MRN_F_UINT16] = MRN_H5_UINT16,
                                       [MRN_F_UINT8] = MRN_H5_UINT8};
    return type[f->type];
}

/* ---- contact networks ---- */

/* Column i of the network stands in the file. */
static bool is_stored(const mrn_contacts *c, int i)
{
    return mrn_contact_field(i)->saved && (c->columns >> i & 1) && !(c->tail >> i & 1);
}

static mrn_h5_layout column_layout(const mrn_contacts *c, const mrn_field *f, int64_t n)
{
    return mrn_h5_plain(field_type(f), n * mrn_contacts_width(c, f), 1);
}

static void write_network(mrn_h5 *h, const char *name, const mrn_contacts *c)
{
    hid_t g = mrn_h5_make_group(h, h->file, name);
    int32_t width[2] = {c->history_width, c->impulse_width};
    mrn_h5_put(h, g, "n", MRN_H5_INT64, 1, &c->n);
    mrn_h5_put(h, g, "history_width", MRN_H5_INT32, 1, &width[0]);
    mrn_h5_put(h, g, "impulse_width", MRN_H5_INT32, 1, &width[1]);
    for (int i = 0; i < mrn_contact_field_count(); i++) {
        const mrn_field *f = mrn_contact_field(i);
        mrn_h5_layout l = column_layout(c, f, c->n);
        if (is_stored(c, i))
            mrn_h5_write(h, g, f->name, &l, mrn_field_data(c, f));
    }
    mrn_h5_leave(g);
}

/* Every number is finite. */
static void check_columns(mrn_h5 *h, const mrn_contacts *c)
{
    for (int i = 0; i < mrn_contact_field_count(); i++) {
        const mrn_field *f = mrn_contact_field(i);
        int64_t width = mrn_contacts_width(c, f);
        const double *v = mrn_field_data(c, f);
        int64_t n = f->type == MRN_F_DOUBLE && is_stored(c, i) ? c->n * width : 0;
        for (int64_t k = 0; h->status == MRN_OK && k < n; k++)
            if (!isfinite(v[k]))
                mrn_h5_damaged(h, "%s of contact point %" PRId64 " is not finite", f->name,
                               k / width);
    }
}

static bool is_unit(const double *v)
{
    return v == NULL || fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1) < 1e-6;
}

/* A contact may name a body that has left since, never one that there was not. */
static bool sound_contact(const mrn_bodies *b, const mrn_contacts *c, int64_t k)
{
    int32_t i = c->id_c[k], j = c->id_a[k];
    if (i < 0 || i >= b->n_ids || j < 0 || j >= b->n_ids || i == j)
        return false;
    bool wall = b->index_of[i] >= 0 && b->index_of[i] < b->n_walls;
    return !wall && is_unit(c->normal != NULL ? c->normal + 3 * k : NULL) &&
           is_unit(c->tangent != NULL ? c->tangent + 3 * k : NULL);
}

/* The saved ones of these columns, in a network of `n` contacts; c and a follow from the ids. */
static void read_columns(mrn_h5 *h, hid_t g, const mrn_contacts_def *def, const mrn_bodies *b,
                         mrn_contacts *c)
{
    if (h->status == MRN_OK)
        h->status = mrn_contacts_make(c, def, h->msg);
    c->n = h->status == MRN_OK ? def->n : 0;
    for (int i = 0; h->status == MRN_OK && i < mrn_contact_field_count(); i++) {
        const mrn_field *f = mrn_contact_field(i);
        mrn_h5_layout l = column_layout(c, f, c->n);
        if (is_stored(c, i) && c->n > 0) /* before the first step there are no columns */
            mrn_h5_read(h, g, f->name, &l, mrn_field_data(c, f));
    }
    check_columns(h, c);
    for (int64_t k = 0; h->status == MRN_OK && k < c->n; k++) {
        if (!sound_contact(b, c, k))
            mrn_h5_damaged(h, "contact point %" PRId64 " is between bodies that never were", k);
        else if (c->c != NULL && c->a != NULL)
            c->c[k] = b->index_of[c->id_c[k]], c->a[k] = b->index_of[c->id_a[k]];
    }
}

/* `want`: columns, and widths where there are contacts. */
static void read_network(mrn_h5 *h, const char *name, mrn_contacts_def want, const mrn_bodies *b,
                         mrn_contacts *c)
{
    hid_t g = mrn_h5_enter_group(h, h->file, name);
    int32_t width[2] = {0, 0};
    mrn_h5_get(h, g, "n", MRN_H5_INT64, 1, &want.n);
    mrn_h5_get(h, g, "history_width", MRN_H5_INT32, 1, &width[0]);
    mrn_h5_get(h, g, "impulse_width", MRN_H5_INT32, 1, &width[1]);
    if (h->status == MRN_OK && (width[0] < 0 || width[0] > MRN_HISTORY_MAX))
        mrn_h5_damaged(h, "%d numbers of history per contact", (int)width[0]);
    if (want.history_width > 0) /* laws of a later stage may remember more: the list checks */
        want.history_width = width[0];
    bool fits = width[0] == want.history_width && width[1] == want.impulse_width;
    if (h->status == MRN_OK && !fits && (want.n != 0 || width[0] != 0 || width[1] != 0))
        mrn_h5_damaged(h, "%d and %d numbers per contact, those of the scene have %d and %d",
                       (int)width[0], (int)width[1], want.history_width, want.impulse_width);
    int64_t rows = want.n != 0 ? mrn_h5_rows(h, g, "id_c", 1) : 0;
    if (h->status == MRN_OK && (want.n < 0 || want.n != rows))
        mrn_h5_damaged(h, "%" PRId64 " contact points, but %" PRId64 " are there", want.n, rows);
    if (h->status == MRN_OK && (want.n > 0 || fits))
        read_columns(h, g, &want, b, c);
    mrn_h5_leave(g);
}

/* Numbers per impulse that the scene's contacts have; the smooth engine has none. */
static int scene_width(const mrn_scene *scene)
{
    return mrn_contact_points(scene) ? mrn_contact_layout_of(scene->contact_kind)->block : 0;
}

/* Contacts alive of the smooth engine are between bodies that are there. */
static void check_alive(mrn_h5 *h, const mrn_state *s)
{
    const mrn_contacts *c = &s->contact;
    for (int64_t k = 0; h->status == MRN_OK && c->flags != NULL && k < c->n; k++)
        if (s->body.index_of[c->id_c[k]] < 0 || s->body.index_of[c->id_a[k]] < 0 ||
            c->feature[k] < 0 || c->feature[k] > INT32_MAX || c->flags[k] != MRN_CONTACT_ALIVE)
            mrn_h5_damaged(h, "contact point %" PRId64 " is between bodies that do not exist", k);
}

static void read_networks(mrn_h5 *h, const mrn_scene *scene, mrn_state *s)
{
    bool points = mrn_contact_points(scene);
    mrn_contacts_def def = {.impulse_width = scene_width(scene),
                            .history_width = points ? 0 : scene->history};
    def.columns = mrn_contacts_columns(points ? MRN_CONTACTS_POINTS : MRN_CONTACTS_SAVED);
    mrn_contacts_def names = {.columns = mrn_contacts_columns(MRN_CONTACTS_NAMES)};
    read_network(h, "contacts", def, &s->body, &s->contact);
    check_alive(h, s);
    read_network(h, "began", names, &s->body, &s->began);
}

/* ---- what the non-smooth engine remembers ---- */

_Static_assert(sizeof(mrn_nonsmooth_memory) == 40, "see write_memory, read_memory, read_cycle");

/* What the event-driven method remembers: flights by persistent number, ways of walls. */
_Static_assert(sizeof(mrn_event_memory) == 32, "see write_flights, read_flights");

static void write_flights(mrn_h5 *h, const mrn_event_memory *m)
{
    hid_t g = mrn_h5_make_group(h, h->file, "flights");
    mrn_h5_layout flight = mrn_h5_plain(MRN_H5_DOUBLE, m->n_flights, MRN_FLIGHT_WIDTH);
    mrn_h5_layout way = mrn_h5_plain(MRN_H5_DOUBLE, m->n_ways, MRN_WAY_WIDTH);
    mrn_h5_write(h, g, "flight", &flight, m->flight);
    mrn_h5_write(h, g, "way", &way, m->way);
    mrn_h5_leave(g);
}

static void check_finite(mrn_h5 *h, const double *v, int64_t n, const char *what)
{
    for (int64_t k = 0; h->status == MRN_OK && k < n; k++)
        if (!isfinite(v[k]))
            mrn_h5_damaged(h, "%s is not finite", what);
}

static void read_flights(mrn_h5 *h, mrn_event_memory *m)
{
    hid_t g = mrn_h5_enter_group(h, h->file, "flights");
    int64_t n = mrn_h5_rows(h, g, "flight", MRN_FLIGHT_WIDTH);
    int64_t n_ways = mrn_h5_rows(h, g, "way", MRN_WAY_WIDTH);
    mrn_h5_layout flight = mrn_h5_plain(MRN_H5_DOUBLE, n, MRN_FLIGHT_WIDTH);
    mrn_h5_layout way = mrn_h5_plain(MRN_H5_DOUBLE, n_ways, MRN_WAY_WIDTH);
    if (h->status == MRN_OK && n > 0)
        mrn_h5_room(h, &m->flight, n, MRN_FLIGHT_WIDTH * sizeof *m->flight);
    if (h->status == MRN_OK && n_ways > 0)
        mrn_h5_room(h, &m->way, n_ways, MRN_WAY_WIDTH * sizeof *m->way);
    mrn_h5_read(h, g, "flight", &flight, m->flight);
    mrn_h5_read(h, g, "way", &way, m->way);
    m->n_flights = h->status == MRN_OK ? n : 0;
    m->n_ways = h->status == MRN_OK ? n_ways : 0;
    check_finite(h, m->flight, m->n_flights * MRN_FLIGHT_WIDTH, "a free flight");
    check_finite(h, m->way, m->n_ways * MRN_WAY_WIDTH, "the way of a wall");
    mrn_h5_leave(g);
}

static void write_memory(mrn_h5 *h, const mrn_nonsmooth_memory *m)
{
    hid_t g = mrn_h5_make_group(h, h->file, "memory");
    mrn_h5_layout joint = mrn_h5_plain(MRN_H5_DOUBLE, m->n_joint, 1);
    mrn_h5_layout rest = mrn_h5_plain(MRN_H5_UINT16, m->n_rest_steps, 1);
    mrn_h5_write(h, g, "joint", &joint, m->joint);
    mrn_h5_write(h, g, "rest_steps", &rest, m->rest_steps);
    mrn_h5_leave(g);
}

static const char *cycle_name(char name[32], int32_t k)
{
    snprintf(name, 32, "cycle/%d", (int)k);
    return name;
}

static void write_cycle(mrn_h5 *h, const mrn_nonsmooth_memory *m)
{
    char name[32];
    if (m->n_cycle == 0)
        return;
    hid_t g = mrn_h5_make_group(h, h->file, "cycle");
    mrn_h5_put(h, g, "n", MRN_H5_INT32, 1, &m->n_cycle);
    mrn_h5_leave(g);
    for (int32_t k = 0; k < m->n_cycle; k++)
        write_network(h, cycle_name(name, k), &m->cycle[k]);
}

/* A state that went from one method to another by a program may bring it along. */
static void refuse_cycle(mrn_h5 *h, const mrn_scene *scene)
{
    h->status = mrn_fail(h->msg, MRN_ERR_INPUT,
                         "the checkpoint holds impulses of a cycle of the load, and contacts of "
                         "method %s have none",
                         scene->method != NULL ? scene->method->name : "smooth");
    mrn_fail_at(h->msg, h->path, 0, 0);
    mrn_fail_hint(h->msg, "read it with a scene of method nonsmooth, or give the cycle up "
                          "(mrn_cycle_forget) before the state is written");
}

static void read_cycle(mrn_h5 *h, const mrn_scene *scene, const mrn_bodies *b,
                       mrn_nonsmooth_memory *m)
{
    char name[32];
    int32_t n = 0;
    if (h->status != MRN_OK || !mrn_h5_exists(h, h->file, "cycle"))
        return;
    if (scene_width(scene) == 0) {
        refuse_cycle(h, scene);
        return;
    }
    hid_t g = mrn_h5_enter_group(h, h->file, "cycle");
    mrn_h5_get(h, g, "n", MRN_H5_INT32, 1, &n);
    mrn_h5_leave(g);
    if (h->status == MRN_OK && (n < 1 || n > MRN_CYCLE_STEPS))
        mrn_h5_damaged(h, "%d steps of a cycle", (int)n);
    if (h->status == MRN_OK)
        mrn_h5_room(h, &m->cycle, n, sizeof *m->cycle);
    m->n_cycle = h->status == MRN_OK ? n : 0;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_CYCLE),
                            .impulse_width = scene_width(scene)};
    for (int32_t k = 0; h->status == MRN_OK && k < n; k++)
        read_network(h, cycle_name(name, k), def, b, &m->cycle[k]);
}

/* What joints remember, and how long grains have been at rest. */
static void read_memory(mrn_h5 *h, mrn_nonsmooth_memory *m)
{
    hid_t g = mrn_h5_enter_group(h, h->file, "memory");
    int64_t n_joint = mrn_h5_rows(h, g, "joint", 1), n_rest = mrn_h5_rows(h, g, "rest_steps", 1);
    if (h->status == MRN_OK && n_rest > INT32_MAX)
        mrn_h5_damaged(h, "%" PRId64 " grains at rest", n_rest);
    mrn_h5_layout joint = mrn_h5_plain(MRN_H5_DOUBLE, n_joint, 1);
    mrn_h5_layout rest = mrn_h5_plain(MRN_H5_UINT16, n_rest, 1);
    if (h->status == MRN_OK && n_joint > 0)
        mrn_h5_room(h, &m->joint, n_joint, sizeof *m->joint);
    if (h->status == MRN_OK && n_rest > 0)
        mrn_h5_room(h, &m->rest_steps, n_rest, sizeof *m->rest_steps);
    mrn_h5_read(h, g, "joint", &joint, m->joint);
    mrn_h5_read(h, g, "rest_steps", &rest, m->rest_steps);
    m->n_joint = h->status == MRN_OK ? n_joint : 0;
    m->n_rest_steps = h->status == MRN_OK ? (int32_t)n_rest : 0;
    for (int64_t k = 0; h->status == MRN_OK && k < m->n_joint; k++)
        if (!isfinite(m->joint[k]))
            mrn_h5_damaged(h, "what the joints remember is not finite");
    mrn_h5_leave(g);
}

/* ---- bodies ---- */

/* Some fields are there only when the integrator needs them. */
static bool is_saved(const mrn_bodies *b, const mrn_field *f)
{
    return f->saved == 1 || (f->saved == 2 && b->with_derivs);
}

static void write_bodies(mrn_h5 *h, const mrn_bodies *b)
{
    hid_t g = mrn_h5_make_group(h, h->file, "bodies");
    mrn_h5_put(h, g, "n", MRN_H5_INT32, 1, &b->n);
    mrn_h5_put(h, g, "n_walls", MRN_H5_INT32, 1, &b->n_walls);
    int32_t derivs = b->with_derivs;
    mrn_h5_put(h, g, "with_derivs", MRN_H5_INT32, 1, &derivs);
    for (int i = 0; i < mrn_body_field_count(); i++) {
        const mrn_field *f = mrn_body_field(i);
        mrn_h5_layout l = mrn_h5_plain(field_type(f), b->n, f->width);
        if (is_saved(b, f))
            mrn_h5_write(h, g, f->name, &l, mrn_field_data(b, f));
    }
    mrn_h5_leave(g);
    g = mrn_h5_make_group(h, h->file, "handles");
    mrn_h5_layout l = mrn_h5_plain(MRN_H5_UINT32, b->n_ids, 1);
    mrn_h5_write(h, g, "generation", &l, b->generation);
    mrn_h5_leave(g);
}

static void read_bodies(mrn_h5 *h, mrn_state *s)
{
    mrn_bodies *b = &s->body;
    int32_t n = 0, n_walls = 0, derivs = 0;
    hid_t g = mrn_h5_enter_group(h, h->file, "bodies");
    mrn_h5_get(h, g, "n", MRN_H5_INT32, 1, &n);
    mrn_h5_get(h, g, "n_walls", MRN_H5_INT32, 1, &n_walls);
    mrn_h5_get(h, g, "with_derivs", MRN_H5_INT32, 1, &derivs);
    b->with_derivs = derivs != 0;
    hid_t handles = mrn_h5_enter_group(h, h->file, "handles");
    int64_t n_ids = mrn_h5_rows(h, handles, "generation", 1);
    if (h->status == MRN_OK && (n < 0 || n_walls < 0 || n_walls > n || n_ids < n))
        mrn_h5_damaged(h, "%d bodies, %d of them walls, %" PRId64 " numbers", (int)n, (int)n_walls,
                       n_ids);
    /* the room for handles comes with that for bodies */
    if (h->status == MRN_OK)
        h->status = mrn_bodies_reserve(s, n_ids, h->msg);
    mrn_h5_layout generations = mrn_h5_plain(MRN_H5_UINT32, n_ids, 1);
    mrn_h5_read(h, handles, "generation", &generations, b->generation);
    for (int i = 0; h->status == MRN_OK && i < mrn_body_field_count(); i++) {
        const mrn_field *f = mrn_body_field(i);
        mrn_h5_layout l = mrn_h5_plain(field_type(f), n, f->width);
        if (is_saved(b, f))
            mrn_h5_read(h, g, f->name, &l, mrn_field_data(b, f));
        else if (n > 0 && f->saved == 0)
            memset(mrn_field_data(b, f), 0, (size_t)n * mrn_field_size(f));
    }
    if (h->status == MRN_OK) {
        b->n = n;
        b->n_walls = n_walls;
        b->n_ids = (int32_t)n_ids;
    }
    mrn_h5_leave(handles);
    mrn_h5_leave(g);
}

/* Every number of the bodies is finite. */
static void check_numbers(mrn_h5 *h, const mrn_bodies *b)
{
    for (int i = 0; i < mrn_body_field_count(); i++) {
        const mrn_field *f = mrn_body_field(i);
        const double *v = mrn_field_data(b, f);
        int64_t count = f->type == MRN_F_DOUBLE && v != NULL ? (int64_t)b->n * f->width : 0;
        for (int64_t k = 0; h->status == MRN_OK && k < count; k++)
            if (!isfinite(v[k]))
                mrn_h5_damaged(h, "%s of body %" PRId64 " is not finite", f->name, k / f->width);
    }
}

/* A sphere of a cluster has the size that touches, the cluster has the mass. */
static bool sound_size(const mrn_bodies *b, int32_t i)
{
    if (b->flags[i] & MRN_BODY_WALL)
        return true;
    bool member = (b->flags[i] & MRN_BODY_MEMBER) != 0;
    bool heavy = b->mass[i] > 0 && b->inertia[i] > 0;
    return b->radius[i] > 0 && (heavy || member) && b->mass[i] >= 0 && b->inertia[i] >= 0;
}

static bool sound_body(const mrn_scene *scene, const mrn_bodies *b, int32_t i)
{
    const unsigned known = MRN_BODY_WALL | MRN_BODY_FIXED | MRN_BODY_ABSENT | MRN_BODY_MEMBER |
                           MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE | MRN_BODY_ASLEEP;
    bool wall = i < b->n_walls;
    return (b->flags[i] & ~known) == 0 && ((b->flags[i] & MRN_BODY_WALL) != 0) == wall &&
           b->material[i] < scene->n_materials && b->shape[i] < scene->n_shapes &&
           b->group[i] < (wall ? scene->n_walls : scene->n_groups) && sound_size(b, i) &&
           (!(b->flags[i] & MRN_BODY_POLYTOPE) || b->part[i] < scene->n_polytopes);
}

/* Every sphere of a cluster has its cluster, and nothing else has one. */
static bool sound_parent(const mrn_scene *scene, const mrn_bodies *b, int32_t i)
{
    bool member = (b->flags[i] & MRN_BODY_MEMBER) != 0;
    int32_t parent = b->parent[i];
    if (!member)
        return parent == -1;
    if (parent < 0 || parent >= b->n_ids || b->index_of[parent] < 0)
        return false;
    int32_t of = b->index_of[parent];
    const mrn_group *g = &scene->group[b->group[of]];
    return (b->flags[of] & MRN_BODY_CLUSTER) != 0 && g->cluster >= 0 &&
           g->cluster < scene->n_clusters && b->part[i] < scene->cluster[g->cluster].n;
}

/* Indices fit the scene, persistent numbers are different; fills index_of. */
static void check_bodies(mrn_h5 *h, const mrn_scene *scene, mrn_bodies *b)
{
    if (h->status == MRN_OK && b->n_walls != scene->n_walls)
        mrn_h5_damaged(h, "it has %d walls, the scene has %d", (int)b->n_walls, scene->n_walls);
    if (h->status != MRN_OK)
        return;
    for (int32_t id = 0; id < b->n_ids; id++)
        b->index_of[id] = -1;
    for (int32_t i = 0; h->status == MRN_OK && i < b->n; i++) {
        int32_t id = b->id[i];
        if (!sound_body(scene, b, i))
            mrn_h5_damaged(h, "body %d does not fit the scene", (int)i);
        else if (id < 0 || id >= b->n_ids || b->index_of[id] >= 0)
            mrn_h5_damaged(h, "body %d has a number that is taken or does not exist", (int)i);
        else
            b->index_of[id] = i;
    }
    for (int32_t i = 0; h->status == MRN_OK && i < b->n; i++)
        if (!sound_parent(scene, b, i))
            mrn_h5_damaged(h, "body %d belongs to a cluster that does not exist", (int)i);
    check_numbers(h, b);
}

/* ---- scene ---- */

typedef struct print {
    mrn_h5 *h;
    hid_t group;
    const char *const *change; /* what may differ */
    int n_change;
} print;

/* Nothing that the numbers of bodies and contacts rest on: what acts on them from here on. Parts of
   the fingerprint go by the same names, or begin with them and a dot. */
static const char *const changes[] = {"interactions", "gravity", "forces",
                                      "damping",      "motions", NULL};
#define CHANGES ((int)(sizeof changes / sizeof *changes) - 1)

const char *mrn_checkpoint_change_at(int i)
{
    return i >= 0 && i < CHANGES ? changes[i] : NULL;
}

static bool may_differ(const print *p, const char *name)
{
    for (int i = 0; i < p->n_change; i++) {
        size_t n = strlen(p->change[i]);
        if (strncmp(name, p->change[i], n) == 0 && (name[n] == '\0' || name[n] == '.'))
            return true;
    }
    return false;
}

static void write_part(void *context, const char *name, const char *words, uint64_t value,
                       uint64_t usual)
{
    const print *p = context;
    (void)words;
    (void)usual;
    mrn_h5_put(p->h, p->group, name, MRN_H5_UINT64, 1, &value);
}

static void write_scene(mrn_h5 *h, const mrn_scene *scene, int stage)
{
    hid_t g = mrn_h5_make_group(h, h->file, "scene");
    int32_t entered = stage < scene->n_stages ? stage + 1 : scene->n_stages;
    mrn_h5_put(h, g, "stages_entered", MRN_H5_INT32, 1, &entered);
    const char *source = scene->source != NULL ? scene->source : "";
    mrn_h5_layout bytes = mrn_h5_plain(MRN_H5_UINT8, (int64_t)strlen(source), 1);
    mrn_h5_write(h, g, "source", &bytes, source);
    mrn_fingerprint(scene, entered, write_part, &(print){.h = h, .group = g});
    mrn_h5_leave(g);
}

static void other_scene(mrn_h5 *h, const char *name, const char *text)
{
    h->status = mrn_fail(h->msg, MRN_ERR_INPUT,
                         "the scene has %s than the one that the checkpoint "
                         "belongs to",
                         text);
    mrn_fail_at(h->msg, h->path, 0, 0);
    mrn_fail_expected(h->msg,
                      "the same physics; end conditions, later stages and output may differ");
    bool could = name != NULL && may_differ(&(print){.change = changes, .n_change = CHANGES}, name);
    const char *key = could ? name : "";
    mrn_fail_hint(h->msg, "resume with the scene as it was, or start anew without --resume%s%.*s",
                  could ? "; if it is to be different from here on: --change " : "",
                  (int)strcspn(key, "."), key);
}

/* A part that the file does not know came later: it had its default then. */
static void check_part(void *context, const char *name, const char *words, uint64_t value,
                       uint64_t usual)
{
    const print *p = context;
    uint64_t then = usual;
    if (p->h->status != MRN_OK || may_differ(p, name))
        return;
    if (H5Aexists(p->group, name) > 0)
        mrn_h5_get(p->h, p->group, name, MRN_H5_UINT64, 1, &then);
    if (p->h->status == MRN_OK && then != value)
        other_scene(p->h, name, words);
}

static void check_scene(mrn_h5 *h, const mrn_scene *scene, const char *const *change, int n_change)
{
    hid_t g = mrn_h5_enter_group(h, h->file, "scene");
    int32_t entered = 0;
    mrn_h5_get(h, g, "stages_entered", MRN_H5_INT32, 1, &entered);
    if (h->status == MRN_OK && (entered < 0 || entered > scene->n_stages))
        other_scene(h, NULL, "fewer stages");
    if (h->status == MRN_OK)
        mrn_fingerprint(scene, entered, check_part, &(print){h, g, change, n_change});
    mrn_h5_leave(g);
}

/* Counts are counts. */
static bool sound_report(const mrn_nonsmooth_report *r)
{
    const double count[] = {r->solves, r->unsolved, r->halved, r->switched, r->sweeps, r->asleep};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++)
        if (!(count[k] >= 0) || isinf(count[k]))
            return false;
    return true;
}

static void check_state(mrn_h5 *h, const mrn_scene *scene, const mrn_state *s)
{
    if (h->status != MRN_OK)
        return;
    if (s->stage < 0 || s->step < 0 || s->h < 0 || s->stage_step < 0 || s->contacts < 0 ||
        s->sliding < 0 || s->pair.skin < 0 || s->pair.builds < 0 || !sound_report(&s->nonsmooth))
        mrn_h5_damaged(h, "a stage, step or count is negative");
    else if (s->stage > scene->n_stages)
        other_scene(h, NULL, "fewer stages");
}

/* ---- whole files ---- */

mrn_status mrn_checkpoint_write(const char *path, const mrn_scene *scene, const mrn_state *s,
                                mrn_message *msg)
{
    char part[1024];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return mrn_fail_file(msg, path, "cannot write a checkpoint", ENAMETOOLONG);
    mrn_contacts named = {0};
    bool slots = s->contact.flags != NULL && s->contact.id_c == NULL;
    mrn_status st = slots ? mrn_contacts_name(s, &named, msg) : MRN_OK;
    if (st != MRN_OK)
        return st;
    /* journaled not for the journal, but because HDF5 itself does not survive a full disk */
    mrn_h5 h = {.file = -1, .journaled = true};
    mrn_h5_begin(&h, msg);
    mrn_h5_create(&h, part, "checkpoint", BLOCK);
    mrn_h5_put_mark(&h, LAYOUT);
    write_scene(&h, scene, s->stage);
    hid_t g = mrn_h5_make_group(&h, h.file, "state");
    write_entries(&h, g, s);
    mrn_h5_leave(g);
    write_bodies(&h, &s->body);
    write_network(&h, "contacts", slots ? &named : &s->contact);
    write_network(&h, "began", &s->began);
    write_memory(&h, &s->memory);
    write_cycle(&h, &s->memory);
    write_flights(&h, &s->flights);
    mrn_left_write(&h, scene);
    mrn_h5_close(&h);
    st = mrn_h5_end(&h);
    mrn_contacts_destroy(&named);
    if (st == MRN_OK)
        st = seal(part, msg);
    if (st == MRN_OK)
        st = mrn_rename_synced(part, path, msg);
    if (st != MRN_OK)
        unlink(part);
    return st;
}

static mrn_status check_change(const char *const *change, int n, mrn_message *msg)
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (changes[k] != NULL && strcmp(changes[k], change[i]) != 0)
            k++;
        if (changes[k] != NULL)
            continue;
        const char *best = mrn_closest_word(change[i], changes, CHANGES);
        mrn_fail(msg, MRN_ERR_INPUT, "'%s' cannot change when a run is resumed", change[i]);
        mrn_fail_expected(msg, "interactions, gravity, forces, damping, motions");
        if (best != NULL)
            mrn_fail_hint(msg, "did you mean '%s'?", best);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

mrn_status mrn_checkpoint_read(const char *path, const mrn_scene *scene, mrn_state *s,
                               mrn_message *msg)
{
    return mrn_checkpoint_read_changed(path, scene, NULL, 0, s, msg);
}

mrn_status mrn_checkpoint_read_changed(const char *path, const mrn_scene *scene,
                                       const char *const *change, int n_change, mrn_state *s,
                                       mrn_message *msg)
{
    mrn_status st = check_change(change, n_change, msg);
    if (st == MRN_OK)
        st = check_seal(path, msg);
    if (st != MRN_OK)
        return st;
    mrn_h5 h = {.file = -1};
    mrn_h5_begin(&h, msg);
    mrn_h5_open(&h, path, "checkpoint", false);
    mrn_h5_check_mark(&h, LAYOUT);
    hid_t g = mrn_h5_enter_group(&h, h.file, "state");
    read_entries(&h, g, s);
    mrn_h5_leave(g);
    check_state(&h, scene, s);
    check_scene(&h, scene, change, n_change);
    read_bodies(&h, s);
    check_bodies(&h, scene, &s->body);
    if (h.status == MRN_OK)
        mrn_bodies_set_bounds(scene, &s->body);
    read_networks(&h, scene, s);
    read_memory(&h, &s->memory);
    read_cycle(&h, scene, &s->body, &s->memory);
    read_flights(&h, &s->flights);
    mrn_h5_close(&h);
    st = mrn_h5_end(&h);
    if (st != MRN_OK)
        mrn_state_destroy(s);
    return st;
}

mrn_status mrn_checkpoint_read_grains(const char *path, mrn_left *out, mrn_message *msg)
{
    mrn_status st = check_seal(path, msg);
    if (st != MRN_OK)
        return st;
    mrn_state s = {0};
    mrn_h5 h = {.file = -1};
    mrn_h5_begin(&h, msg);
    mrn_h5_open(&h, path, "checkpoint", false);
    mrn_h5_check_mark(&h, LAYOUT);
    mrn_left_read_header(&h, out);
    hid_t g = mrn_h5_enter_group(&h, h.file, "state");
    read_entries(&h, g, &s);
    mrn_h5_leave(g);
    read_bodies(&h, &s);
    mrn_left_collect(&h, &s.body, out);
    out->time = s.time;
    for (int k = 0; k < 3; k++) {
        out->origin[k] = s.cell_origin[k];
        out->size[k] = s.cell_size[k];
        out->tilt[k] = s.cell_tilt[k];
    }
    mrn_h5_close(&h);
    st = mrn_h5_end(&h);
    mrn_state_destroy(&s);
    return st;
}
