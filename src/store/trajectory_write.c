/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing trajectories: new ones, resumed ones, frame by frame. The layout of the file is stated in
 * trajectory.c. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/trajectory.h"

/* The XDMF text grows with the frames, and to be atomic it is written anew as a whole. It is
   brought up to date when the time since the last writing is this many times what that took: never
   more than a few per cent of a run, always fresh for runs of ordinary length. It is complete after
   closing and resuming. */
#define XDMF_SHARE 30

static bool join(char out[1024], const char *dir, const char *name)
{
    return snprintf(out, 1024, "%s/%s", dir, name) < 1024;
}

/* ---- frames ---- */

/* Bodies first … first+n-1 as group `name`. Small integers are stored as 32-bit ones, the one size
   that all readers of XDMF agree on. */
static void write_bodies(mrn_trajectory *t, hid_t at, const char *name, const mrn_frame *f,
                         int32_t first, int32_t n)
{
    mrn_h5 *h = &t->h5;
    hid_t g = mrn_h5_make_group(h, at, name);
    for (int i = 0; i < mrn_frame_field_count(); i++) {
        const mrn_frame_field *k = mrn_frame_field_at(i);
        const char *data = mrn_frame_data(f, k);
        if (data == NULL) /* a frame made by hand may do without parts */
            continue;
        mrn_h5_layout l = {mrn_frame_h5_type(k->type),
                           k->type == MRN_F_DOUBLE ? MRN_H5_DOUBLE : MRN_H5_INT32, n, k->width,
                           k->squeeze || t->header.dimension == 2};
        mrn_h5_write(h, g, k->name, &l, data + (size_t)first * mrn_frame_field_size(k));
    }
    mrn_h5_leave(g);
}

/* Lines from A (or the contact point on a wall) to C, and the scalar that colours them. */
static void write_lines(mrn_h5 *h, hid_t g, const mrn_frame *f)
{
    const mrn_contacts *c = &f->contacts;
    double *end = NULL, *normal_force = NULL;
    int32_t *line = NULL;
    mrn_h5_room(h, &end, 6 * c->n, sizeof *end);
    mrn_h5_room(h, &normal_force, c->n, sizeof *normal_force);
    mrn_h5_room(h, &line, 2 * c->n, sizeof *line);
    if (h->status == MRN_OK)
        mrn_frame_contact_lines(f, end, normal_force, line);
    mrn_h5_layout ends = mrn_h5_plain(MRN_H5_DOUBLE, 2 * c->n, 3),
                  lines = mrn_h5_squeezed(MRN_H5_INT32, c->n, 2);
    mrn_h5_layout scalar = mrn_h5_plain(MRN_H5_DOUBLE, c->n, 1);
    mrn_h5_write(h, g, "end", &ends, end);
    mrn_h5_write(h, g, "line", &lines, line);
    mrn_h5_write(h, g, "normal_force", &scalar, normal_force);
    mrn_free(end);
    mrn_free(normal_force);
    mrn_free(line);
}

static void write_contacts(mrn_h5 *h, hid_t at, const mrn_frame *f, mrn_frame_note *note)
{
    if (f->contacts.n == 0) {
        note->frame_sum = (int64_t)mrn_h5_sum_end(h);
        return;
    }
    hid_t g = mrn_h5_make_group(h, at, "contacts");
    for (int i = 0; i < mrn_contact_field_count(); i++) {
        const mrn_field *k = mrn_contact_field(i);
        mrn_h5_layout l;
        if (mrn_frame_contact_layout(&f->contacts, i, &l))
            mrn_h5_write(h, g, k->name, &l, mrn_field_data(&f->contacts, k));
    }
    note->frame_sum = (int64_t)mrn_h5_sum_end(h); /* what follows is for ParaView alone */
    write_lines(h, g, f);
    mrn_h5_leave(g);
}

static void write_mesh(mrn_trajectory *t, hid_t at, const mrn_frame *f, mrn_frame_note *note)
{
    mrn_h5 *h = &t->h5;
    mrn_wall_mesh m = {0};
    if (h->status == MRN_OK)
        h->status = mrn_wall_mesh_make(&t->header, f, &m, h->msg);
    note->mesh_frame = m.n_triangles > 0 ? t->n : -1;
    note->mesh_points = m.n_points;
    note->mesh_triangles = m.n_triangles;
    if (m.n_triangles > 0) {
        hid_t g = mrn_h5_make_group(h, at, "mesh");
        mrn_h5_layout p = mrn_h5_squeezed(MRN_H5_DOUBLE, m.n_points, 3);
        mrn_h5_layout c = mrn_h5_squeezed(MRN_H5_INT32, m.n_triangles, 3);
        mrn_h5_layout w = mrn_h5_squeezed(MRN_H5_INT32, m.n_triangles, 1);
        mrn_h5_write(h, g, "point", &p, m.point);
        mrn_h5_write(h, g, "corner", &c, m.corner);
        mrn_h5_write(h, g, "wall", &w, m.wall);
        mrn_h5_leave(g);
    }
    mrn_wall_mesh_destroy(&m);
}

static void write_frame(mrn_trajectory *t, hid_t frames, const mrn_frame *f, mrn_frame_note *note)
{
    mrn_h5 *h = &t->h5;
    char name[32];
    mrn_number_name(t->n, name);
    hid_t g = mrn_h5_make_group(h, frames, name);
    mrn_h5_sum_begin(h);
    int32_t periodic[3] = {f->periodic[0], f->periodic[1], f->periodic[2]};
    mrn_h5_put(h, g, "time", MRN_H5_DOUBLE, 1, &f->time);
    mrn_h5_put(h, g, "step", MRN_H5_INT64, 1, &f->step);
    mrn_h5_put(h, g, "periodic", MRN_H5_INT32, 3, periodic);
    mrn_h5_put(h, g, "cell_origin", MRN_H5_DOUBLE, 3, f->cell_origin);
    mrn_h5_put(h, g, "cell_size", MRN_H5_DOUBLE, 3, f->cell_size);
    mrn_h5_put(h, g, "cell_tilt", MRN_H5_DOUBLE, 3, f->cell_tilt);
    write_bodies(t, g, "grains", f, f->n_walls, f->n - f->n_walls);
    write_bodies(t, g, "walls", f, 0, f->n_walls);
    write_contacts(h, g, f, note);
    bool moved = mrn_walls_moved(t->placement, f, t->header.n_walls);
    if (moved || t->fresh_mesh) {
        write_mesh(t, g, f, note);
    } else {
        note->mesh_frame = t->note[t->n - 1].mesh_frame;
        note->mesh_points = t->note[t->n - 1].mesh_points;
        note->mesh_triangles = t->note[t->n - 1].mesh_triangles;
    }
    mrn_h5_leave(g);
}

/* More than a frame can take. */
static int64_t frame_bytes(const mrn_trajectory *t, const mrn_frame *f)
{
    int64_t body = 0, bytes = 1 << 16; /* groups, headers, index */
    for (int i = 0; i < mrn_frame_field_count(); i++)
        body += (int64_t)mrn_frame_field_size(mrn_frame_field_at(i));
    bytes += (body + 8) * f->n + (3 * 4 + 22 * 8) * f->contacts.n;
    for (int i = 0; i < t->header.n_walls; i++)
        bytes +=
            24 * (int64_t)t->header.wall[i].n_points + 16 * (int64_t)t->header.wall[i].n_triangles;
    return bytes + bytes / 64;
}

static void append(mrn_trajectory *t, const mrn_frame *f)
{
    mrn_h5 *h = &t->h5;
    mrn_frame_note note = {.step = f->step, .grains = f->n - f->n_walls, .contacts = f->contacts.n};
    if (mrn_grow(&t->time, &t->time_room, t->n + 1, sizeof *t->time) != MRN_OK ||
        mrn_grow(&t->note, &t->note_room, t->n + 1, sizeof *t->note) != MRN_OK) {
        h->status = mrn_fail_memory(h->msg);
        return;
    }
    mrn_h5_reserve(h, frame_bytes(t, f));
    hid_t frames = mrn_h5_enter_group(h, h->file, "frames");
    write_frame(t, frames, f, &note);
    mrn_h5_leave(frames);
    note.row_sum = mrn_frame_note_sum(&note, f->time);
    mrn_h5_append(h, h->file, "time", MRN_H5_DOUBLE, 1, t->n, &f->time);
    mrn_h5_append(h, h->file, "index", MRN_H5_INT64, MRN_NOTE_WIDTH, t->n, &note);
    mrn_h5_flush(h);
    t->fresh_mesh = h->status != MRN_OK;
    if (h->status == MRN_OK) {
        t->time[t->n] = f->time;
        t->note[t->n++] = note;
    }
}

/* The file as of its last frame, opened anew. */
static void go_back(mrn_trajectory *t)
{
    mrn_h5 again = t->h5;
    mrn_h5_discard(&again);
    again.status = MRN_OK;
    again.msg = NULL;
    mrn_h5_open(&again, t->h5.path, "trajectory", true);
    t->h5.file = again.file;
}

static mrn_status check_frame(const mrn_trajectory *t, const mrn_frame *f, mrn_message *msg)
{
    if (!t->writing)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "a trajectory opened for reading gets no frames");
    if (f->n_walls != t->header.n_walls)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "a frame with %d walls in a trajectory with %d",
                        (int)f->n_walls, t->header.n_walls);
    if (f->contacts.n > INT32_MAX / 2)
        return mrn_fail(msg, MRN_ERR_RANGE, "%lld contacts in one frame: at most %d",
                        (long long)f->contacts.n, INT32_MAX / 2);
    if (t->h5.file < 0)
        return mrn_fail(msg, MRN_ERR_IO, "the trajectory was closed by an earlier failure");
    return MRN_OK;
}

static mrn_status xdmf_now(mrn_trajectory *t, mrn_message *msg)
{
    double start = mrn_clock();
    mrn_status st = mrn_xdmf_write(t, msg);
    t->xdmf_at = mrn_clock();
    t->xdmf_cost = t->xdmf_at - start;
    t->xdmf_frames = t->n;
    return st;
}

mrn_status mrn_trajectory_append(mrn_trajectory *t, const mrn_frame *f, mrn_message *msg)
{
    mrn_status st = check_frame(t, f, msg);
    if (st != MRN_OK)
        return st;
    mrn_h5_begin(&t->h5, msg);
    append(t, f);
    if (t->h5.status != MRN_OK)
        go_back(t);
    st = mrn_h5_end(&t->h5);
    if (st == MRN_OK && mrn_clock() - t->xdmf_at > XDMF_SHARE * t->xdmf_cost)
        st = xdmf_now(t, msg);
    return st;
}

/* ---- files ---- */

static void start_file(mrn_trajectory *t, const char *path)
{
    mrn_h5 *h = &t->h5;
    mrn_h5_create(h, path, "trajectory", 0);
    mrn_h5_put_mark(h, MRN_TRAJECTORY_LAYOUT);
    mrn_header_write(h, &t->header);
    mrn_h5_make_list(h, h->file, "time", MRN_H5_DOUBLE, 1);
    mrn_h5_make_list(h, h->file, "index", MRN_H5_INT64, MRN_NOTE_WIDTH);
    mrn_h5_leave(mrn_h5_make_group(h, h->file, "frames"));
    mrn_h5_flush(h);
}

/* Removes the frames from `keep` on. Flushed at once: the room they leave is used again by new
 * frames. */
static void cut_frames(mrn_trajectory *t, int64_t keep)
{
    mrn_h5 *h = &t->h5;
    mrn_h5_cut(h, h->file, "time", keep, 1);
    mrn_h5_cut(h, h->file, "index", keep, MRN_NOTE_WIDTH);
    mrn_h5_flush(h);
    hid_t frames = mrn_h5_enter_group(h, h->file, "frames");
    for (int64_t k = keep; k < t->n || k == keep; k++) {
        char name[32];
        mrn_number_name(k, name);
        if (mrn_h5_exists(h, frames, name))
            mrn_h5_delete(h, frames, name);
    }
    mrn_h5_leave(frames);
    mrn_h5_flush(h);
    t->n = keep;
}

/* Where the walls stood in the last frame kept: the frames that follow are then written as if the
   run had never stopped. */
static void last_placement(mrn_trajectory *t)
{
    mrn_frame f = {0};
    if (t->h5.status != MRN_OK || t->n == 0)
        return;
    mrn_trajectory_read_frame(t, t->n - 1, &f);
    if (t->h5.status == MRN_OK && f.n_walls != t->header.n_walls)
        mrn_h5_damaged(&t->h5, "it has %d walls, the scene has %d", (int)f.n_walls,
                       t->header.n_walls);
    if (t->h5.status == MRN_OK)
        mrn_walls_moved(t->placement, &f, f.n_walls);
    t->fresh_mesh = false;
    mrn_frame_destroy(&f);
}

static void resume_file(mrn_trajectory *t, const char *path, double time)
{
    mrn_h5 *h = &t->h5;
    mrn_h5_open(h, path, "trajectory", true);
    mrn_h5_check_mark(h, MRN_TRAJECTORY_LAYOUT);
    mrn_trajectory_read_index(t);
    int64_t keep = 0;
    while (h->status == MRN_OK && keep < t->n && t->time[keep] <= time)
        keep++;
    cut_frames(t, keep);
    last_placement(t);
}

static mrn_status make_writer(const mrn_header *header, mrn_trajectory **out, mrn_message *msg)
{
    mrn_trajectory *t;
    if (mrn_array(&t, 1, sizeof *t, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    t->h5 = (mrn_h5){.file = -1, .journaled = true};
    t->writing = t->fresh_mesh = true;
    mrn_status st = mrn_header_copy(header, &t->header, msg);
    if (st == MRN_OK)
        st = mrn_array(&t->placement, 8 * (int64_t)header->n_walls, sizeof(double), msg);
    if (st != MRN_OK) {
        mrn_trajectory_release(t);
        return st;
    }
    *out = t;
    return MRN_OK;
}

mrn_status mrn_trajectory_create(const char *dir, const mrn_header *header, double resume_time,
                                 mrn_trajectory **out, mrn_message *msg)
{
    *out = NULL;
    char path[1024];
    mrn_trajectory *t = NULL;
    mrn_status st = make_writer(header, &t, msg);
    if (st != MRN_OK)
        return st;
    if (!join(path, dir, "trajectory.h5") || !join(t->xdmf_path, dir, "trajectory.xdmf")) {
        mrn_trajectory_release(t);
        return mrn_fail_file(msg, dir, "cannot write a trajectory", ENAMETOOLONG);
    }
    mrn_h5_begin(&t->h5, msg);
    if (isnan(resume_time))
        start_file(t, path);
    else
        resume_file(t, path, resume_time);
    if (t->h5.status != MRN_OK)
        mrn_h5_close(&t->h5);
    st = mrn_h5_end(&t->h5);
    if (st != MRN_OK) {
        mrn_trajectory_release(t);
        return st;
    }
    /* an XDMF of an earlier run must not speak of frames that are gone */
    if (t->n == 0)
        unlink(t->xdmf_path);
    else
        st = xdmf_now(t, msg);
    if (st == MRN_OK)
        *out = t;
    else
        mrn_trajectory_close(&t, NULL);
    return st;
}
