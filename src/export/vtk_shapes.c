/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons and polyhedra of a frame as cells of a VTK grid: one per convex part, corners where they
   are. */
#include "export/vtk_shapes.h"

enum { VTK_POLYGON = 7, VTK_POLYHEDRON = 42 };

/* Lengths of the arrays of a grid. */
typedef struct lengths {
    int64_t cells, points, faces; /* faces: numbers in the list of faces */
} lengths;

static int64_t faces_of(const mrn_convex *c)
{
    /* how many faces; for each, how many corners and which */
    return c->dimension == 2 ? 0 : 1 + c->n_faces + c->face_start[c->n_faces];
}

static lengths measure(const mrn_header *header, const mrn_frame *f)
{
    lengths n = {0};
    for (int32_t i = f->n_walls; i < f->n; i++) {
        const mrn_polytope *polytope = mrn_frame_polytope(header, f, i);
        for (int p = 0; polytope != NULL && p < polytope->n_parts; p++) {
            n.cells++;
            n.points += polytope->part[p].n_points;
            n.faces += faces_of(&polytope->part[p]);
        }
    }
    return n;
}

void mrn_vtk_shapes_destroy(mrn_vtk_shapes *g)
{
    mrn_free(g->point);
    mrn_free(g->connectivity);
    mrn_free(g->offset);
    mrn_free(g->faces);
    mrn_free(g->face_offset);
    mrn_free(g->type);
    mrn_free(g->body);
    *g = (mrn_vtk_shapes){0};
}

static mrn_status make_room(mrn_vtk_shapes *g, lengths n, mrn_message *msg)
{
    mrn_status st = mrn_array(&g->point, 3 * n.points, sizeof *g->point, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->connectivity, n.points, sizeof *g->connectivity, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->offset, n.cells, sizeof *g->offset, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->faces, n.faces, sizeof *g->faces, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->face_offset, n.cells, sizeof *g->face_offset, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->type, n.cells, sizeof *g->type, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->body, n.cells, sizeof *g->body, msg);
    return st;
}

static void put_faces(mrn_vtk_shapes *g, const mrn_convex *c, int32_t first)
{
    g->faces[g->n_faces++] = c->n_faces;
    for (int k = 0; k < c->n_faces; k++) {
        g->faces[g->n_faces++] = c->face_start[k + 1] - c->face_start[k];
        for (int32_t e = c->face_start[k]; e < c->face_start[k + 1]; e++)
            g->faces[g->n_faces++] = first + c->corner[e];
    }
}

static void put_part(mrn_vtk_shapes *g, const mrn_frame *f, int32_t body, const mrn_convex *c)
{
    int32_t first = (int32_t)g->n_points;
    const double *q = f->q + 4 * (size_t)body;
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    mrn_vec3 x = mrn_load3(f->x + 3 * (size_t)body);
    for (int k = 0; k < c->n_points; k++) {
        mrn_vec3 p = mrn_rotate(turn, mrn_load3(c->point + 3 * k));
        mrn_store3(g->point + 3 * g->n_points, mrn_axpy(f->radius[body], p, x));
        /* corners of a polygon in their order, of a polyhedron in any */
        g->connectivity[g->n_points++] = first + (c->dimension == 2 ? c->corner[2 * k] : k);
    }
    if (c->dimension == 3)
        put_faces(g, c, first);
    g->type[g->n_cells] = c->dimension == 2 ? VTK_POLYGON : VTK_POLYHEDRON;
    g->body[g->n_cells] = body;
    g->offset[g->n_cells] = (int32_t)g->n_points;
    g->face_offset[g->n_cells++] = (int32_t)g->n_faces;
}

mrn_status mrn_vtk_shapes_make(const mrn_header *header, const mrn_frame *f, const int32_t *order,
                               mrn_vtk_shapes *out, mrn_message *msg)
{
    *out = (mrn_vtk_shapes){0};
    lengths n = measure(header, f);
    if (n.cells == 0)
        return MRN_OK;
    if (n.points > INT32_MAX || n.faces > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "the grains have more than %d corners", INT32_MAX);
    mrn_status st = make_room(out, n, msg);
    if (st != MRN_OK) {
        mrn_vtk_shapes_destroy(out);
        return st;
    }
    for (int32_t i = 0; i < f->n - f->n_walls; i++) {
        const mrn_polytope *polytope = mrn_frame_polytope(header, f, order[i]);
        for (int p = 0; polytope != NULL && p < polytope->n_parts; p++)
            put_part(out, f, order[i], &polytope->part[p]);
    }
    return MRN_OK;
}
