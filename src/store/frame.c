/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames: one instant of a run. Their arrays are listed once, in the table below. Also the walls as
   one mesh where a frame has them. */
#include <string.h>

#include "store/files.h"

#define FIELD(name, shown, unit, type, width, squeeze)                                             \
    {                                                                                              \
#name, shown, unit, type, width, squeeze, offsetof(mrn_frame, name),                       \
            offsetof(mrn_bodies, name)                                                             \
    }

static const mrn_frame_field field[] = {
    FIELD(x, NULL, "m", MRN_F_DOUBLE, 3, false),
    FIELD(v, "velocity", "m/s", MRN_F_DOUBLE, 3, false),
    FIELD(w, "angular velocity", "rad/s", MRN_F_DOUBLE, 3, false),
    FIELD(q, NULL, "1", MRN_F_DOUBLE, 4, false),
    FIELD(f, "force", "N", MRN_F_DOUBLE, 3, false),
    FIELD(t, "torque", "N m", MRN_F_DOUBLE, 3, false),
    FIELD(radius, "radius", "m", MRN_F_DOUBLE, 1, true),
    FIELD(mass, "mass", "kg", MRN_F_DOUBLE, 1, true),
    FIELD(id, "id", "1", MRN_F_INT32, 1, true),
    FIELD(image, "image", "1", MRN_F_INT32, 3, true),
    FIELD(material, "material", "1", MRN_F_UINT16, 1, true),
    FIELD(group, "group", "1", MRN_F_UINT16, 1, true),
    FIELD(flags, "flags", "1", MRN_F_UINT16, 1, true),
    FIELD(parent, "cluster", "1", MRN_F_INT32, 1, true),
    FIELD(part, "form", "1", MRN_F_UINT16, 1, true),
};

int mrn_frame_field_count(void)
{
    return (int)(sizeof field / sizeof *field);
}

const mrn_frame_field *mrn_frame_field_at(int i)
{
    return &field[i];
}

size_t mrn_frame_field_size(const mrn_frame_field *f)
{
    static const size_t bytes[] = {[MRN_F_DOUBLE] = sizeof(double),
                                   [MRN_F_INT64] = sizeof(int64_t),
                                   [MRN_F_INT32] = sizeof(int32_t),
                                   [MRN_F_UINT16] = sizeof(uint16_t),
                                   [MRN_F_UINT8] = sizeof(uint8_t)};
    return bytes[f->type] * (size_t)f->width;
}

static void **slot(mrn_frame *f, const mrn_frame_field *k)
{
    return (void **)((char *)f + k->offset);
}

void *mrn_frame_data(const mrn_frame *f, const mrn_frame_field *k)
{
    return *(void *const *)((const char *)f + k->offset);
}

void mrn_frame_destroy(mrn_frame *f)
{
    for (int i = 0; i < mrn_frame_field_count(); i++)
        mrn_free(mrn_frame_data(f, &field[i]));
    mrn_contacts_destroy(&f->contacts);
    *f = (mrn_frame){0};
}

mrn_status mrn_frame_room(mrn_frame *f, int32_t n, int64_t n_contacts, mrn_message *msg)
{
    *f = (mrn_frame){.n = n};
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < mrn_frame_field_count(); i++)
        st = mrn_array(slot(f, &field[i]), n, mrn_frame_field_size(&field[i]), msg);
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_FRAME), .n = n_contacts};
    if (st == MRN_OK && n_contacts > 0)
        st = mrn_contacts_make(&f->contacts, &def, msg);
    f->contacts.n = f->contacts.capacity;
    if (st != MRN_OK)
        mrn_frame_destroy(f);
    return st;
}

/* `place`: of each body in the frame. */
static void name_contacts(const int32_t *place, mrn_contacts *to)
{
    for (int64_t k = 0; k < to->n; k++) {
        to->c[k] = place[to->c[k]];
        to->a[k] = place[to->a[k]];
    }
}

/* Where each body stands in a frame; -1: left out. Returns how many stand there. */
static int32_t place_bodies(const mrn_bodies *b, int32_t *place)
{
    int32_t n = 0;
    for (int32_t i = 0; i < b->n; i++)
        place[i] = b->flags[i] & MRN_BODY_CLUSTER ? -1 : n++;
    return n;
}

static void copy_bodies(const mrn_bodies *b, const int32_t *place, mrn_frame *out)
{
    for (int i = 0; i < mrn_frame_field_count(); i++) {
        size_t size = mrn_frame_field_size(&field[i]);
        const char *from = *(char *const *)((const char *)b + field[i].source);
        char *to = mrn_frame_data(out, &field[i]);
        /* a run of bodies that stay together is one copy: most often all of them */
        for (int32_t k = 0, end; k < b->n; k = end) {
            for (end = k + 1; end < b->n && (place[end] < 0) == (place[k] < 0);)
                end++;
            if (place[k] >= 0)
                memcpy(to + (size_t)place[k] * size, from + (size_t)k * size,
                       (size_t)(end - k) * size);
        }
    }
}

/* Contacts are copied, or taken. */
static mrn_status make(const mrn_scene *scene, const mrn_state *s, const mrn_contacts *copied,
                       mrn_contacts *taken, mrn_frame *out, mrn_message *msg)
{
    const mrn_bodies *b = &s->body;
    int32_t *place = NULL;
    *out = (mrn_frame){0};
    mrn_status st = mrn_array(&place, b->n, sizeof *place, msg);
    if (st == MRN_OK)
        st = mrn_frame_room(out, place_bodies(b, place), copied != NULL ? copied->n : 0, msg);
    if (st != MRN_OK) {
        mrn_free(place);
        return st;
    }
    out->time = s->time;
    out->step = s->step;
    out->n_walls = b->n_walls;
    memcpy(out->periodic, scene->cell.periodic, sizeof out->periodic);
    memcpy(out->cell_origin, s->cell_origin, sizeof out->cell_origin);
    memcpy(out->cell_size, s->cell_size, sizeof out->cell_size);
    memcpy(out->cell_tilt, s->cell_tilt, sizeof out->cell_tilt);
    copy_bodies(b, place, out);
    if (copied != NULL && copied->n > 0) {
        out->contacts.n = 0;
        mrn_contacts_append(&out->contacts, copied);
    } else if (taken != NULL && taken->n > 0) {
        out->contacts = *taken;
        *taken = (mrn_contacts){0};
    }
    name_contacts(place, &out->contacts);
    mrn_free(place);
    return MRN_OK;
}

mrn_status mrn_frame_from_state(const mrn_scene *scene, const mrn_state *s,
                                const mrn_contacts *contacts, mrn_frame *out, mrn_message *msg)
{
    return make(scene, s, contacts, NULL, out, msg);
}

mrn_status mrn_frame_take(const mrn_scene *scene, const mrn_state *s, mrn_contacts *contacts,
                          mrn_frame *out, mrn_message *msg)
{
    return make(scene, s, NULL, contacts, out, msg);
}

/* ---- walls where they are ---- */

void mrn_wall_mesh_destroy(mrn_wall_mesh *m)
{
    mrn_free(m->point);
    mrn_free(m->corner);
    mrn_free(m->wall);
    *m = (mrn_wall_mesh){0};
}

static bool shown(const mrn_frame *f, int wall)
{
    return wall < f->n_walls && !(f->flags[wall] & MRN_BODY_ABSENT);
}

static void add_wall(mrn_wall_mesh *m, const mrn_triangles *t, const mrn_frame *f, int wall)
{
    const double *q = f->q + 4 * (size_t)wall;
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    mrn_vec3 x = mrn_load3(f->x + 3 * (size_t)wall);
    double *point = m->point + 3 * m->n_points;
    int32_t *corner = m->corner + 3 * m->n_triangles;
    for (int k = 0; k < t->n_points; k++)
        mrn_store3(point + 3 * k, mrn_add(x, mrn_rotate(turn, mrn_load3(t->point + 3 * k))));
    for (int k = 0; k < 3 * t->n_triangles; k++)
        corner[k] = (int32_t)m->n_points + t->corner[k];
    for (int k = 0; k < t->n_triangles; k++)
        m->wall[m->n_triangles + k] = wall;
    m->n_points += t->n_points;
    m->n_triangles += t->n_triangles;
}

mrn_status mrn_wall_mesh_make(const mrn_header *c, const mrn_frame *f, mrn_wall_mesh *out,
                              mrn_message *msg)
{
    *out = (mrn_wall_mesh){0};
    int64_t points = 0, triangles = 0;
    for (int i = 0; i < c->n_walls; i++)
        if (shown(f, i)) {
            points += c->wall[i].n_points;
            triangles += c->wall[i].n_triangles;
        }
    if (points > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "the walls have more than %d points", INT32_MAX);
    mrn_status st = mrn_array(&out->point, 3 * points, sizeof *out->point, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->corner, 3 * triangles, sizeof *out->corner, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->wall, triangles, sizeof *out->wall, msg);
    if (st != MRN_OK) {
        mrn_wall_mesh_destroy(out);
        return st;
    }
    for (int i = 0; i < c->n_walls; i++)
        if (shown(f, i))
            add_wall(out, &c->wall[i], f, i);
    return MRN_OK;
}

bool mrn_walls_moved(double *placement, const mrn_frame *f, int n)
{
    bool moved = false;
    for (int i = 0; i < n; i++) {
        double now[8] = {0};
        memcpy(now, f->x + 3 * (size_t)i, 3 * sizeof(double));
        memcpy(now + 3, f->q + 4 * (size_t)i, 4 * sizeof(double));
        now[7] = f->flags[i] & MRN_BODY_ABSENT;
        moved = moved || memcmp(placement + 8 * (size_t)i, now, sizeof now) != 0;
        memcpy(placement + 8 * (size_t)i, now, sizeof now);
    }
    return moved;
}

void mrn_frame_contact_lines(const mrn_frame *f, double *end, double *normal_force, int32_t *line)
{
    const mrn_contacts *c = &f->contacts;
    for (int64_t i = 0; i < c->n; i++) {
        mrn_vec3 to = mrn_load3(f->x + 3 * (size_t)c->c[i]);
        mrn_store3(end + 6 * i, mrn_sub(to, mrn_load3(c->branch + 3 * i)));
        mrn_store3(end + 6 * i + 3, to);
        normal_force[i] = mrn_dot(mrn_load3(c->force + 3 * i), mrn_load3(c->normal + 3 * i));
        line[2 * i] = (int32_t)(2 * i);
        line[2 * i + 1] = (int32_t)(2 * i + 1);
    }
}
