/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header: what a run shows besides its frames (names, the walls' triangles, polytopes). From a
   scene, to a file and back, copied. */
#include <math.h>
#include <string.h>

#include "store/trajectory.h"

void mrn_header_destroy(mrn_header *c)
{
    for (int i = 0; c->wall != NULL && i < c->n_walls; i++) {
        mrn_free(c->wall[i].point);
        mrn_free(c->wall[i].corner);
    }
    mrn_free(c->wall);
    mrn_free(c->wall_endless);
    mrn_free(c->wall_name);
    mrn_free(c->group_name);
    mrn_free(c->material_name);
    mrn_header_release_polytopes(c);
    *c = (mrn_header){0};
}

/* Infinite across its normal (a plane's own normal is z), so that its triangles are only a part of
 * it. */
static bool endless(const mrn_shape *shape)
{
    mrn_vec3 lo, hi;
    shape->type->bounds(shape, &lo, &hi);
    /* in 2D a wall's own y axis points out of the plane: every wall is endless there */
    return isinf(hi.x - lo.x) || (shape->dimension == 3 && isinf(hi.y - lo.y));
}

mrn_status mrn_header_from_scene(const mrn_scene *scene, double extent, mrn_header *out,
                                 mrn_message *msg)
{
    *out = (mrn_header){.dimension = scene->dimension};
    snprintf(out->title, sizeof out->title, "%s", scene->title);
    mrn_status st = mrn_array(&out->wall_name, scene->n_walls, MRN_NAME, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->wall, scene->n_walls, sizeof *out->wall, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->wall_endless, scene->n_walls, sizeof *out->wall_endless, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->group_name, scene->n_groups, MRN_NAME, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->material_name, scene->n_materials, MRN_NAME, msg);
    if (st == MRN_OK) {
        out->n_walls = scene->n_walls;
        out->n_groups = scene->n_groups;
        out->n_materials = scene->n_materials;
    }
    /* in 2D a wall is a line: it gets a little depth, 1/50 of the view, so that it can be seen */
    for (int i = 0; st == MRN_OK && i < scene->n_walls; i++) {
        const mrn_shape *shape = &scene->shape[scene->wall[i].shape];
        memcpy(out->wall_name[i], scene->wall[i].name, MRN_NAME);
        out->wall_endless[i] = endless(shape);
        if (shape->type->triangles != NULL)
            st = shape->type->triangles(shape, extent, 0.02 * extent, &out->wall[i]);
        if (st == MRN_ERR_MEMORY)
            mrn_fail_memory(msg);
        else if (st != MRN_OK)
            mrn_fail(msg, st, "wall %s cannot be shown as triangles", scene->wall[i].name);
    }
    for (int i = 0; st == MRN_OK && i < scene->n_groups; i++)
        memcpy(out->group_name[i], scene->group[i].name, MRN_NAME);
    for (int i = 0; st == MRN_OK && i < scene->n_materials; i++)
        memcpy(out->material_name[i], scene->material[i].name, MRN_NAME);
    if (st == MRN_OK)
        st = mrn_header_copy_polytopes(scene->polytope, scene->n_polytopes, out, msg);
    if (st != MRN_OK)
        mrn_header_destroy(out);
    return st;
}

/* ---- copies ---- */

static mrn_status copy_triangles(const mrn_triangles *from, mrn_triangles *to, mrn_message *msg)
{
    mrn_status st = mrn_array(&to->point, 3 * (int64_t)from->n_points, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&to->corner, 3 * (int64_t)from->n_triangles, sizeof(int32_t), msg);
    if (st != MRN_OK)
        return st;
    to->n_points = from->n_points;
    to->n_triangles = from->n_triangles;
    if (from->n_points > 0)
        memcpy(to->point, from->point, 3 * (size_t)from->n_points * sizeof(double));
    if (from->n_triangles > 0)
        memcpy(to->corner, from->corner, 3 * (size_t)from->n_triangles * sizeof(int32_t));
    return MRN_OK;
}

static mrn_status copy_names(char (**to)[MRN_NAME], char (*from)[MRN_NAME], int n, mrn_message *msg)
{
    mrn_status st = mrn_array(to, n, MRN_NAME, msg);
    if (st == MRN_OK && n > 0)
        memcpy(*to, from, (size_t)n * MRN_NAME);
    return st;
}

mrn_status mrn_header_copy(const mrn_header *from, mrn_header *to, mrn_message *msg)
{
    to->dimension = from->dimension;
    memcpy(to->title, from->title, sizeof to->title);
    mrn_status st = copy_names(&to->wall_name, from->wall_name, from->n_walls, msg);
    if (st == MRN_OK)
        st = copy_names(&to->group_name, from->group_name, from->n_groups, msg);
    if (st == MRN_OK)
        st = copy_names(&to->material_name, from->material_name, from->n_materials, msg);
    if (st == MRN_OK)
        st = mrn_array(&to->wall, from->n_walls, sizeof *to->wall, msg);
    if (st == MRN_OK && from->wall_endless != NULL)
        st = mrn_array(&to->wall_endless, from->n_walls, sizeof *to->wall_endless, msg);
    if (st != MRN_OK)
        return st;
    for (int i = 0; from->wall_endless != NULL && i < from->n_walls; i++)
        to->wall_endless[i] = from->wall_endless[i];
    to->n_walls = from->n_walls;
    to->n_groups = from->n_groups;
    to->n_materials = from->n_materials;
    for (int i = 0; st == MRN_OK && i < from->n_walls; i++)
        st = copy_triangles(&from->wall[i], &to->wall[i], msg);
    return st == MRN_OK ? mrn_header_copy_polytopes(from->polytope, from->n_polytopes, to, msg)
                        : st;
}

/* ---- files ---- */

typedef struct name_list {
    const char *what;
    int *n;
    char (**name)[MRN_NAME];
} name_list;

#define NAME_LISTS(c)                                                                              \
    {                                                                                              \
        {"wall", &(c)->n_walls, &(c)->wall_name}, {"group", &(c)->n_groups, &(c)->group_name},     \
            {"material", &(c)->n_materials, &(c)->material_name},                                  \
    }

static void write_names(mrn_h5 *h, hid_t at, const name_list *l)
{
    hid_t g = mrn_h5_make_group(h, at, l->what);
    int32_t n = *l->n;
    mrn_h5_put(h, g, "count", MRN_H5_INT32, 1, &n);
    mrn_h5_layout bytes = mrn_h5_plain(MRN_H5_UINT8, n, MRN_NAME);
    mrn_h5_write(h, g, "name", &bytes, *l->name);
    mrn_h5_leave(g);
}

void mrn_header_write(mrn_h5 *h, const mrn_header *c)
{
    hid_t g = mrn_h5_make_group(h, h->file, "header");
    mrn_h5_sum_begin(h);
    int32_t dimension = c->dimension;
    mrn_h5_put_text(h, g, "title", c->title);
    mrn_h5_put(h, g, "dimension", MRN_H5_INT32, 1, &dimension);
    mrn_header copy = *c;
    name_list list[] = NAME_LISTS(&copy);
    for (int i = 0; i < 3; i++)
        write_names(h, g, &list[i]);
    hid_t walls = mrn_h5_make_group(h, g, "walls");
    for (int i = 0; i < c->n_walls; i++) {
        char name[32];
        mrn_number_name(i, name);
        hid_t w = mrn_h5_make_group(h, walls, name);
        mrn_h5_layout p = mrn_h5_squeezed(MRN_H5_DOUBLE, c->wall[i].n_points, 3);
        mrn_h5_layout k = mrn_h5_squeezed(MRN_H5_INT32, c->wall[i].n_triangles, 3);
        mrn_h5_write(h, w, "point", &p, c->wall[i].point);
        mrn_h5_write(h, w, "corner", &k, c->wall[i].corner);
        int32_t whole = c->wall_endless != NULL && c->wall_endless[i];
        mrn_h5_put(h, w, "endless", MRN_H5_INT32, 1, &whole);
        mrn_h5_leave(w);
    }
    mrn_h5_leave(walls);
    mrn_header_write_polytopes(h, g, c);
    uint64_t sum = mrn_h5_sum_end(h);
    mrn_h5_put(h, g, "sum", MRN_H5_UINT64, 1, &sum);
    mrn_h5_leave(g);
}

static void read_names(mrn_h5 *h, hid_t at, const name_list *l)
{
    hid_t g = mrn_h5_enter_group(h, at, l->what);
    int32_t n = 0;
    mrn_h5_get(h, g, "count", MRN_H5_INT32, 1, &n);
    if (h->status == MRN_OK && (n < 0 || n > UINT16_MAX))
        mrn_h5_damaged(h, "%d names of %ss", (int)n, l->what);
    mrn_h5_room(h, l->name, n, MRN_NAME);
    mrn_h5_layout bytes = mrn_h5_plain(MRN_H5_UINT8, n, MRN_NAME);
    mrn_h5_read(h, g, "name", &bytes, *l->name);
    for (int i = 0; h->status == MRN_OK && i < n; i++)
        (*l->name)[i][MRN_NAME - 1] = '\0';
    *l->n = h->status == MRN_OK ? n : 0;
    mrn_h5_leave(g);
}

static void read_wall(mrn_h5 *h, hid_t at, int number, mrn_triangles *t, bool *is_endless)
{
    char name[32];
    mrn_number_name(number, name);
    hid_t g = mrn_h5_enter_group(h, at, name);
    int64_t points = mrn_h5_rows(h, g, "point", 3), triangles = mrn_h5_rows(h, g, "corner", 3);
    if (h->status == MRN_OK && (points > INT32_MAX / 3 || triangles > INT32_MAX / 3))
        mrn_h5_damaged(h, "wall %d has too many triangles", number);
    mrn_h5_room(h, &t->point, 3 * points, sizeof *t->point);
    mrn_h5_room(h, &t->corner, 3 * triangles, sizeof *t->corner);
    mrn_h5_layout p = mrn_h5_plain(MRN_H5_DOUBLE, points, 3),
                  c = mrn_h5_plain(MRN_H5_INT32, triangles, 3);
    mrn_h5_read(h, g, "point", &p, t->point);
    mrn_h5_read(h, g, "corner", &c, t->corner);
    int32_t whole = 0;
    mrn_h5_get(h, g, "endless", MRN_H5_INT32, 1, &whole);
    *is_endless = whole != 0;
    if (h->status == MRN_OK) {
        t->n_points = (int)points;
        t->n_triangles = (int)triangles;
        for (int64_t i = 0; i < 3 * triangles; i++)
            if (t->corner[i] < 0 || t->corner[i] >= points)
                mrn_h5_damaged(h, "wall %d has a triangle without corners", number);
    }
    mrn_h5_leave(g);
}

void mrn_header_read(mrn_h5 *h, mrn_header *c)
{
    hid_t g = mrn_h5_enter_group(h, h->file, "header");
    int32_t dimension = 0;
    mrn_h5_sum_begin(h);
    mrn_h5_get_text(h, g, "title", c->title, sizeof c->title);
    mrn_hide_controls(c->title, sizeof c->title);
    mrn_h5_get(h, g, "dimension", MRN_H5_INT32, 1, &dimension);
    if (h->status == MRN_OK && dimension != 2 && dimension != 3)
        mrn_h5_damaged(h, "dimension %d", (int)dimension);
    c->dimension = dimension;
    name_list list[] = NAME_LISTS(c);
    for (int i = 0; i < 3; i++)
        read_names(h, g, &list[i]);
    mrn_h5_room(h, &c->wall, c->n_walls, sizeof *c->wall);
    mrn_h5_room(h, &c->wall_endless, c->n_walls, sizeof *c->wall_endless);
    hid_t walls = mrn_h5_enter_group(h, g, "walls");
    for (int i = 0; h->status == MRN_OK && i < c->n_walls; i++)
        read_wall(h, walls, i, &c->wall[i], &c->wall_endless[i]);
    mrn_h5_leave(walls);
    mrn_header_read_polytopes(h, g, c);
    uint64_t sum = mrn_h5_sum_end(h), written = 0;
    mrn_h5_get(h, g, "sum", MRN_H5_UINT64, 1, &written);
    if (h->status == MRN_OK && sum != written)
        mrn_h5_damaged(h, "its header is not the one that was written");
    mrn_h5_leave(g);
}
