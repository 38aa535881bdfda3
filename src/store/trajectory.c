/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trajectories: DIR/trajectory.h5, one group per frame, with DIR/trajectory.xdmf beside it for
   ParaView.

   /                attributes format, version, moraine
   /header          title, dimension, names; walls/0000/{point, corner}: triangles in the wall's
                    frame; polytopes/: polygons and polyhedra (header_polytopes.c)
   /time, /index    one row per frame; a frame counts only when it stands here
   /frames/000012   attributes time, step, periodic, cell_origin, cell_size, cell_tilt
     grains/, walls/  x v w q f t radius mass id image material group flags parent (none: -1) part
     contacts/        when stored: c a feature point normal gap force branch; line, end,
                      normal_force for ParaView
     mesh/            point corner wall: triangles of the walls where they are, written only when
                      a wall has moved since they were written last

   Nothing that is read is believed: HDF5's own structures carry checksums (its layouts since 1.8),
   a row of the index the sum of itself and of its frame, the header that of all its entries. A
   damaged frame is named, and the others are still read.

   Layout 1 had other names for /header and its polytopes, layout 2 no sums; both are refused.

   One group per frame lets the number of bodies change and XDMF name plain arrays. Appending costs
   the same for the first and the ten-thousandth frame. A frame is there or not: committed through a
   journal (h5_journal.c), so that a run killed at any moment leaves all its frames, and one that
   fails (full disk, no memory) leaves the file as it was.

   Arrays that repeat themselves (numbers, radii; in 2D all, half their components being zero) are
   shuffled and deflated. Positions, velocities and forces in 3D are not: on random ones level 1
   saves 10 to 15 % at 55 MB/s, a sixth of what the disk of the same machine takes. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "store/trajectory.h"

void mrn_number_name(int64_t k, char name[32])
{
    snprintf(name, 32, "%06lld", (long long)k);
}

mrn_h5_type mrn_frame_h5_type(mrn_field_type t)
{
    return t == MRN_F_DOUBLE  ? MRN_H5_DOUBLE
           : t == MRN_F_INT64 ? MRN_H5_INT64
           : t == MRN_F_INT32 ? MRN_H5_INT32
                              : MRN_H5_UINT16;
}

bool mrn_frame_contact_layout(const mrn_contacts *c, int i, mrn_h5_layout *out)
{
    const mrn_field *k = mrn_contact_field(i);
    bool number = k->type == MRN_F_DOUBLE;
    *out = (mrn_h5_layout){mrn_frame_h5_type(k->type), number ? MRN_H5_DOUBLE : MRN_H5_INT32, c->n,
                           k->width, !number};
    return mrn_contacts_columns(MRN_CONTACTS_FRAME) >> i & 1;
}

void mrn_trajectory_release(mrn_trajectory *t)
{
    mrn_header_destroy(&t->header);
    mrn_free(t->placement);
    mrn_free(t->time);
    mrn_free(t->note);
    mrn_free(t);
}

/* ---- the index ---- */

int64_t mrn_frame_note_sum(const mrn_frame_note *n, double time)
{
    uint64_t h = mrn_hash(MRN_HASH_START, n, offsetof(mrn_frame_note, row_sum));
    return (int64_t)mrn_hash(h, &time, sizeof time);
}

static bool sound_note(const mrn_frame_note *n, double time, int64_t k)
{
    return n->row_sum == mrn_frame_note_sum(n, time) && n->grains >= 0 && n->grains <= INT32_MAX &&
           n->contacts >= 0 && n->mesh_frame >= -1 && n->mesh_frame <= k && n->mesh_points >= 0 &&
           n->mesh_triangles >= 0;
}

void mrn_trajectory_read_index(mrn_trajectory *t)
{
    mrn_h5 *h = &t->h5;
    int64_t n = mrn_h5_rows(h, h->file, "time", 1),
            m = mrn_h5_rows(h, h->file, "index", MRN_NOTE_WIDTH);
    mrn_h5_room(h, &t->time, n, sizeof *t->time);
    mrn_h5_room(h, &t->note, m, sizeof *t->note);
    mrn_h5_layout times = mrn_h5_plain(MRN_H5_DOUBLE, n, 1);
    mrn_h5_layout notes = mrn_h5_plain(MRN_H5_INT64, m, MRN_NOTE_WIDTH);
    mrn_h5_read(h, h->file, "time", &times, t->time);
    mrn_h5_read(h, h->file, "index", &notes, t->note);
    if (h->status != MRN_OK)
        return;
    t->n = n < m ? n : m;
    t->time_room = n;
    t->note_room = m;
    for (int64_t k = 0; k < t->n; k++)
        if (!sound_note(&t->note[k], t->time[k], k) || !isfinite(t->time[k]))
            mrn_h5_damaged(h, "index of frame %lld", (long long)k);
}

/* ---- opening and closing ---- */

mrn_status mrn_trajectory_open(const char *path, mrn_trajectory **out, mrn_message *msg)
{
    *out = NULL;
    char file[1024];
    struct stat info;
    if (stat(path, &info) != 0)
        return mrn_fail_file(msg, path, "no trajectory here", errno);
    bool folder = S_ISDIR(info.st_mode);
    if (folder ? snprintf(file, 1024, "%s/trajectory.h5", path) >= 1024
               : snprintf(file, 1024, "%s", path) >= 1024)
        return mrn_fail_file(msg, path, "no trajectory here", ENAMETOOLONG);
    mrn_trajectory *t;
    if (mrn_array(&t, 1, sizeof *t, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    t->h5.journaled = true;
    mrn_h5_begin(&t->h5, msg);
    mrn_h5_open(&t->h5, file, "trajectory", false);
    mrn_h5_check_mark(&t->h5, MRN_TRAJECTORY_LAYOUT);
    mrn_trajectory_read_index(t);
    if (t->h5.status != MRN_OK)
        mrn_h5_close(&t->h5);
    mrn_status st = mrn_h5_end(&t->h5);
    if (st != MRN_OK) {
        mrn_trajectory_release(t);
        return st;
    }
    *out = t;
    return MRN_OK;
}

mrn_status mrn_trajectory_close(mrn_trajectory **slot, mrn_message *msg)
{
    mrn_trajectory *t = *slot;
    *slot = NULL;
    if (t == NULL)
        return MRN_OK;
    mrn_h5_begin(&t->h5, msg);
    struct stat info;
    bool open = t->writing && t->h5.file >= 0;
    bool gone = open && stat(t->h5.path, &info) != 0 && errno == ENOENT;
    mrn_h5_close(&t->h5);
    mrn_status st = mrn_h5_end(&t->h5);
    if (gone && st == MRN_OK) {
        st = mrn_fail_file(msg, t->h5.path, "removed while the run wrote it", ENOENT);
        mrn_fail_hint(msg, "leave the files of a run alone until it ends");
    }
    if (st == MRN_OK && t->writing && t->xdmf_frames != t->n)
        st = mrn_xdmf_write(t, msg);
    mrn_trajectory_release(t);
    return st;
}

int64_t mrn_trajectory_frames(const mrn_trajectory *t)
{
    return t->n;
}

double mrn_trajectory_time(const mrn_trajectory *t, int64_t k)
{
    return k >= 0 && k < t->n ? t->time[k] : NAN;
}

/* ---- frames ---- */

static void read_bodies(mrn_h5 *h, hid_t at, const char *name, mrn_frame *f, int32_t first,
                        int32_t n)
{
    hid_t g = mrn_h5_enter_group(h, at, name);
    for (int i = 0; h->status == MRN_OK && i < mrn_frame_field_count(); i++) {
        const mrn_frame_field *k = mrn_frame_field_at(i);
        char *data = mrn_frame_data(f, k);
        mrn_h5_layout l = {mrn_frame_h5_type(k->type), MRN_H5_INT32, n, k->width, false};
        if (strcmp(k->name, "part") == 0 && !mrn_h5_exists(h, g, k->name))
            continue; /* a frame made by hand may do without: 0 as it was made */
        mrn_h5_read(h, g, k->name, &l, data + (size_t)first * mrn_frame_field_size(k));
    }
    mrn_h5_leave(g);
}

static void read_contacts(mrn_h5 *h, hid_t at, mrn_frame *f)
{
    mrn_contacts *c = &f->contacts;
    if (h->status != MRN_OK || c->n == 0)
        return;
    hid_t g = mrn_h5_enter_group(h, at, "contacts");
    for (int i = 0; i < mrn_contact_field_count(); i++) {
        const mrn_field *k = mrn_contact_field(i);
        mrn_h5_layout l;
        if (mrn_frame_contact_layout(c, i, &l))
            mrn_h5_read(h, g, k->name, &l, mrn_field_data(c, k));
    }
    mrn_h5_leave(g);
    for (int64_t i = 0; h->status == MRN_OK && i < c->n; i++)
        if (c->c[i] < 0 || c->c[i] >= f->n || c->a[i] < 0 || c->a[i] >= f->n)
            mrn_h5_damaged(h, "contact %lld is between bodies that do not exist", (long long)i);
}

/* As many grains and contacts as the index says, before room is made for them. */
static void check_room(mrn_h5 *h, hid_t g, const mrn_frame_note *note)
{
    hid_t grains = mrn_h5_enter_group(h, g, "grains");
    if (mrn_h5_rows(h, grains, "x", 3) != note->grains)
        mrn_h5_damaged(h, "another number of grains than the index says");
    mrn_h5_leave(grains);
    if (note->contacts == 0)
        return;
    hid_t contacts = mrn_h5_enter_group(h, g, "contacts");
    if (mrn_h5_rows(h, contacts, "point", 3) != note->contacts)
        mrn_h5_damaged(h, "another number of contacts than the index says");
    mrn_h5_leave(contacts);
}

static void read_frame(mrn_trajectory *t, hid_t g, int64_t k, mrn_frame *f)
{
    mrn_h5 *h = &t->h5;
    hid_t walls = mrn_h5_enter_group(h, g, "walls");
    int64_t n_walls = mrn_h5_rows(h, walls, "x", 3);
    mrn_h5_leave(walls);
    check_room(h, g, &t->note[k]);
    mrn_h5_sum_begin(h);
    if (h->status == MRN_OK && n_walls > INT32_MAX - t->note[k].grains)
        mrn_h5_damaged(h, "frame %lld has too many walls", (long long)k);
    if (h->status != MRN_OK)
        return;
    int32_t n = (int32_t)(n_walls + t->note[k].grains), periodic[3] = {0};
    h->status = mrn_frame_room(f, n, t->note[k].contacts, h->msg);
    f->n_walls = (int32_t)n_walls;
    mrn_h5_get(h, g, "time", MRN_H5_DOUBLE, 1, &f->time);
    mrn_h5_get(h, g, "step", MRN_H5_INT64, 1, &f->step);
    mrn_h5_get(h, g, "periodic", MRN_H5_INT32, 3, periodic);
    mrn_h5_get(h, g, "cell_origin", MRN_H5_DOUBLE, 3, f->cell_origin);
    mrn_h5_get(h, g, "cell_size", MRN_H5_DOUBLE, 3, f->cell_size);
    mrn_h5_get(h, g, "cell_tilt", MRN_H5_DOUBLE, 3, f->cell_tilt);
    for (int i = 0; i < 3; i++)
        f->periodic[i] = periodic[i] != 0;
    read_bodies(h, g, "walls", f, 0, (int32_t)n_walls);
    read_bodies(h, g, "grains", f, (int32_t)n_walls, n - (int32_t)n_walls);
    read_contacts(h, g, f);
    uint64_t sum = mrn_h5_sum_end(h);
    if (h->status == MRN_OK && (int64_t)sum != t->note[k].frame_sum)
        mrn_h5_damaged(h, "its numbers are not those that were written");
}

void mrn_trajectory_read_frame(mrn_trajectory *t, int64_t k, mrn_frame *out)
{
    char name[32];
    mrn_number_name(k, name);
    hid_t frames = mrn_h5_enter_group(&t->h5, t->h5.file, "frames");
    hid_t g = mrn_h5_enter_group(&t->h5, frames, name);
    read_frame(t, g, k, out);
    mrn_h5_leave(g);
    mrn_h5_leave(frames);
    if (t->h5.status == MRN_OK)
        return;
    mrn_frame_destroy(out);
    char why[sizeof t->h5.msg->text];
    if (t->h5.msg != NULL && t->h5.status == MRN_ERR_IO) {
        snprintf(why, sizeof why, "%s", t->h5.msg->text);
        snprintf(t->h5.msg->text, sizeof t->h5.msg->text, "frame %lld: %.*s", (long long)k,
                 (int)sizeof why - 40, why);
    }
}

mrn_status mrn_trajectory_read(mrn_trajectory *t, int64_t k, mrn_frame *out, mrn_message *msg)
{
    *out = (mrn_frame){0};
    if (k < 0 || k >= t->n)
        return mrn_fail(msg, MRN_ERR_RANGE, "no frame %lld: the trajectory has %lld, from 0 on",
                        (long long)k, (long long)t->n);
    mrn_h5_begin(&t->h5, msg);
    mrn_trajectory_read_frame(t, k, out);
    return mrn_h5_end(&t->h5);
}

mrn_status mrn_trajectory_header(mrn_trajectory *t, mrn_header *out, mrn_message *msg)
{
    *out = (mrn_header){0};
    mrn_h5_begin(&t->h5, msg);
    mrn_header_read(&t->h5, out);
    if (t->h5.status != MRN_OK)
        mrn_header_destroy(out);
    return mrn_h5_end(&t->h5);
}
