/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gap between a grain that is to be placed and the walls of the scene, where they stand at the
 * start. */
#include "base/base.h"
#include "generate/generate.h"

void mrn_wall_faces_destroy(mrn_wall_faces *f)
{
    mrn_free(f->face);
    mrn_free(f->buffer);
    *f = (mrn_wall_faces){0};
}

/* x in the frame of a wall, of its periodic copies the one nearest to the wall's centre: as
 * contacts see it. */
static mrn_vec3 to_wall(const mrn_scene *scene, const mrn_wall *w, mrn_vec3 x)
{
    const mrn_cell *cell = &scene->cell;
    mrn_vec3 d = mrn_sub(x, w->x);
    d.x -= cell->periodic[0] ? cell->size[0] * rint(d.x / cell->size[0]) : 0;
    d.y -= cell->periodic[1] ? cell->size[1] * rint(d.y / cell->size[1]) : 0;
    d.z -= cell->periodic[2] ? cell->size[2] * rint(d.z / cell->size[2]) : 0;
    return mrn_rotate(mrn_quat_conj(w->q), d);
}

static mrn_status add_faces(const mrn_scene *scene, int32_t wall, mrn_vec3 x, double reach,
                            mrn_wall_faces *f, mrn_message *msg)
{
    const mrn_shape *shape = &scene->shape[scene->wall[wall].shape];
    mrn_vec3 c = to_wall(scene, &scene->wall[wall], x);
    int n = shape->type->features(shape, c, reach, f->buffer, (int)f->buffer_capacity);
    if (n > f->buffer_capacity) {
        if (mrn_grow(&f->buffer, &f->buffer_capacity, n, sizeof *f->buffer) != MRN_OK)
            return mrn_fail_memory(msg);
        n = shape->type->features(shape, c, reach, f->buffer, (int)f->buffer_capacity);
    }
    if (mrn_grow(&f->face, &f->capacity, f->n + n, sizeof *f->face) != MRN_OK)
        return mrn_fail_memory(msg);
    for (int i = 0; i < n; i++)
        f->face[f->n++] = (mrn_wall_face){wall, f->buffer[i]};
    return MRN_OK;
}

mrn_status mrn_wall_faces_near(const mrn_scene *scene, mrn_vec3 x, double reach, mrn_wall_faces *f,
                               mrn_message *msg)
{
    if (f->buffer == NULL &&
        mrn_grow(&f->buffer, &f->buffer_capacity, 64, sizeof *f->buffer) != MRN_OK)
        return mrn_fail_memory(msg);
    for (int32_t w = 0; w < scene->n_walls; w++) {
        mrn_status st = add_faces(scene, w, x, reach, f, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

double mrn_wall_face_distance(const mrn_scene *scene, const mrn_wall_face *f, mrn_vec3 x,
                              mrn_vec3 *normal)
{
    const mrn_wall *w = &scene->wall[f->wall];
    const mrn_shape *shape = &scene->shape[w->shape];
    mrn_vec3 point, n;
    double d = shape->type->closest(shape, f->feature, to_wall(scene, w, x), &point, &n);
    *normal = mrn_rotate(w->q, n);
    return d;
}

mrn_status mrn_walls_clear(const mrn_scene *scene, mrn_vec3 x, double r, mrn_wall_faces *f,
                           bool *clear, mrn_message *msg)
{
    f->n = 0;
    mrn_status st = mrn_wall_faces_near(scene, x, r, f, msg);
    *clear = true;
    for (int64_t k = 0; st == MRN_OK && k < f->n && *clear; k++) {
        mrn_vec3 normal;
        /* a slit exactly one diameter wide must take its grain: rounding is no overlap */
        *clear = mrn_wall_face_distance(scene, &f->face[k], x, &normal) >= r * (1 - MRN_CLEAR);
    }
    return st;
}
