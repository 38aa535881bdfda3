/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export as VTK XML files: grains as points (.vtu), polygons and polyhedra as cells (.vtu), walls
   as triangles and contacts as lines (.vtp), and a .pvd that lists them with their times. The .pvd
   is written last: it never names what is not there. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "export/vtk_shapes.h"
#include "export/vtk_xml.h"

typedef struct job {
    mrn_trajectory *t;
    const char *folder;
    mrn_header header;
    mrn_atomic_file pvd;
    double *placement;  /* of the walls when their file was written  */
    int64_t wall_frame; /* that file's frame; -1: none yet           */
    mrn_message *msg;
} job;

enum { GRAINS, WALLS, CONTACTS, SHAPES, N_PARTS };
static const char *const part_name[N_PARTS] = {"grains", "walls", "contacts", "shapes"};
static const char *const extension[N_PARTS] = {"vtu", "vtp", "vtp", "vtu"};

static mrn_status open_file(const job *j, int part, int64_t k, mrn_atomic_file *file)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s_%06lld.%s", j->folder, part_name[part], (long long)k,
                 extension[part]) >= (int)sizeof path)
        return mrn_fail_file(j->msg, j->folder, "cannot write", ENAMETOOLONG);
    return mrn_atomic_open(path, file, j->msg);
}

static void list_file(job *j, int part, int64_t k, double time)
{
    char buf[32];
    const char *what = part_name[part];
    fprintf(j->pvd.f, "<DataSet timestep=\"%s\" part=\"%d\" name=\"%s\" file=\"%s_%06lld.%s\"/>\n",
            mrn_number_text(time, buf), part, what, what, (long long)k, extension[part]);
}

static mrn_vtk_array doubles(const char *name, int64_t n, int width, const double *data)
{
    return (mrn_vtk_array){name, "Float64", 8, width, n, data};
}

static mrn_vtk_array int32s(const char *name, int64_t n, int width, const int32_t *data)
{
    return (mrn_vtk_array){name, "Int32", 4, width, n, data};
}

static mrn_status put(FILE *out, mrn_vtk_array a, mrn_message *msg)
{
    return mrn_vtk_put(out, &a, msg);
}

/* ---- grains ---- */

/* Of the n bodies in `order`. */
static mrn_status put_field(FILE *out, const mrn_frame *f, const mrn_frame_field *field,
                            const char *name, const int32_t *order, int64_t n, mrn_message *msg)
{
    size_t size = mrn_frame_field_size(field);
    const char *from = mrn_frame_data(f, field);
    char *sorted;
    if (mrn_array(&sorted, n, size, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        memcpy(sorted + (size_t)i * size, from + (size_t)order[i] * size, size);
    static const char *const type[] = {
        [MRN_F_DOUBLE] = "Float64", [MRN_F_INT32] = "Int32", [MRN_F_UINT16] = "UInt16"};
    mrn_vtk_array a = {name, type[field->type], (int)size / field->width, field->width, n, sorted};
    mrn_status st = mrn_vtk_put(out, &a, msg);
    mrn_free(sorted);
    return st;
}

/* All but the position, with which the table begins. */
static mrn_status put_fields(FILE *out, const mrn_frame *f, const int32_t *order, int64_t n,
                             mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int i = 1; st == MRN_OK && i < mrn_frame_field_count(); i++) {
        const mrn_frame_field *field = mrn_frame_field_at(i);
        st = put_field(out, f, field, field->shown != NULL ? field->shown : "orientation", order, n,
                       msg);
    }
    return st;
}

static mrn_status put_cells(FILE *out, int64_t n, mrn_message *msg)
{
    int32_t *number = NULL;
    uint8_t *type = NULL;
    mrn_status st = mrn_array(&number, n + 1, sizeof *number, msg);
    if (st == MRN_OK)
        st = mrn_array(&type, n, sizeof *type, msg);
    for (int64_t i = 0; st == MRN_OK && i <= n; i++)
        number[i] = (int32_t)i;
    if (st == MRN_OK && n > 0)
        memset(type, 1, (size_t)n); /* VTK_VERTEX */
    fprintf(out, "<Cells>\n");
    if (st == MRN_OK)
        st = put(out, int32s("connectivity", n, 1, number), msg);
    if (st == MRN_OK)
        st = put(out, int32s("offsets", n, 1, number + 1), msg);
    if (st == MRN_OK)
        st = put(out, (mrn_vtk_array){"types", "UInt8", 1, 1, n, type}, msg);
    fprintf(out, "</Cells>\n");
    mrn_free(number);
    mrn_free(type);
    return st;
}

static mrn_status put_grains(FILE *out, const mrn_frame *f, const int32_t *order, mrn_message *msg)
{
    int64_t n = f->n - f->n_walls;
    mrn_vtk_begin(out, "UnstructuredGrid", f->time);
    fprintf(out, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n", (long long)n,
            (long long)n);
    fprintf(out, "<Points>\n");
    mrn_status st = put_field(out, f, mrn_frame_field_at(0), "Points", order, n, msg);
    fprintf(out, "</Points>\n");
    if (st == MRN_OK)
        st = put_cells(out, n, msg);
    fprintf(out, "<PointData Scalars=\"radius\" Vectors=\"velocity\">\n");
    if (st == MRN_OK)
        st = put_fields(out, f, order, n, msg);
    fprintf(out, "</PointData>\n</Piece>\n");
    mrn_vtk_end(out, "UnstructuredGrid");
    return st;
}

static mrn_status write_grains(job *j, int64_t k, const mrn_frame *f)
{
    int32_t *order = NULL;
    mrn_atomic_file file = {0};
    mrn_status st = mrn_export_order(f, &order, j->msg);
    if (st == MRN_OK)
        st = open_file(j, GRAINS, k, &file);
    if (st == MRN_OK)
        st = put_grains(file.f, f, order, j->msg);
    if (st == MRN_OK)
        st = mrn_atomic_finish(&file, false, j->msg);
    mrn_atomic_abandon(&file);
    mrn_free(order);
    if (st == MRN_OK)
        list_file(j, GRAINS, k, f->time);
    return st;
}

/* ---- grains with corners ---- */

static mrn_status put_shape_cells(FILE *out, const mrn_vtk_shapes *g, mrn_message *msg)
{
    fprintf(out, "<Cells>\n");
    mrn_status st = put(out, int32s("connectivity", g->n_points, 1, g->connectivity), msg);
    if (st == MRN_OK)
        st = put(out, int32s("offsets", g->n_cells, 1, g->offset), msg);
    if (st == MRN_OK)
        st = put(out, (mrn_vtk_array){"types", "UInt8", 1, 1, g->n_cells, g->type}, msg);
    if (st == MRN_OK && g->n_faces > 0)
        st = put(out, int32s("faces", g->n_faces, 1, g->faces), msg);
    if (st == MRN_OK && g->n_faces > 0)
        st = put(out, int32s("faceoffsets", g->n_cells, 1, g->face_offset), msg);
    fprintf(out, "</Cells>\n");
    return st;
}

static mrn_status put_shapes(FILE *out, const mrn_frame *f, const mrn_vtk_shapes *g,
                             mrn_message *msg)
{
    mrn_vtk_begin(out, "UnstructuredGrid", f->time);
    fprintf(out, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n",
            (long long)g->n_points, (long long)g->n_cells);
    mrn_status st = put(out, doubles("Points", g->n_points, 3, g->point), msg);
    fprintf(out, "</Points>\n");
    if (st == MRN_OK)
        st = put_shape_cells(out, g, msg);
    fprintf(out, "<CellData Scalars=\"radius\" Vectors=\"velocity\">\n");
    if (st == MRN_OK)
        st = put_field(out, f, mrn_frame_field_at(0), "centre", g->body, g->n_cells, msg);
    if (st == MRN_OK)
        st = put_fields(out, f, g->body, g->n_cells, msg);
    fprintf(out, "</CellData>\n</Piece>\n");
    mrn_vtk_end(out, "UnstructuredGrid");
    return st;
}

static mrn_status write_shapes(job *j, int64_t k, const mrn_frame *f)
{
    int32_t *order = NULL;
    mrn_vtk_shapes g = {0};
    mrn_atomic_file file = {0};
    if (j->header.n_polytopes == 0)
        return MRN_OK;
    mrn_status st = mrn_export_order(f, &order, j->msg);
    if (st == MRN_OK)
        st = mrn_vtk_shapes_make(&j->header, f, order, &g, j->msg);
    bool any = st == MRN_OK && g.n_cells > 0;
    if (any)
        st = open_file(j, SHAPES, k, &file);
    if (any && st == MRN_OK)
        st = put_shapes(file.f, f, &g, j->msg);
    if (any && st == MRN_OK)
        st = mrn_atomic_finish(&file, false, j->msg);
    if (any && st == MRN_OK)
        list_file(j, SHAPES, k, f->time);
    mrn_atomic_abandon(&file);
    mrn_vtk_shapes_destroy(&g);
    mrn_free(order);
    return st;
}

/* ---- polygons and lines ---- */

/* Cells of `corners` points each: n of them, points numbered in `corner`. */
static mrn_status put_polygons(FILE *out, const char *what, int corners, int64_t n,
                               const int32_t *corner, mrn_message *msg)
{
    int32_t *offset;
    if (mrn_array(&offset, n, sizeof *offset, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        offset[i] = (int32_t)((i + 1) * corners);
    fprintf(out, "<%s>\n", what);
    mrn_status st = put(out, int32s("connectivity", n * corners, 1, corner), msg);
    if (st == MRN_OK)
        st = put(out, int32s("offsets", n, 1, offset), msg);
    fprintf(out, "</%s>\n", what);
    mrn_free(offset);
    return st;
}

static void begin_poly(FILE *out, double time, int64_t points, int64_t lines, int64_t polys)
{
    mrn_vtk_begin(out, "PolyData", time);
    fprintf(out,
            "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"0\" NumberOfLines=\"%lld\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
            (long long)points, (long long)lines, (long long)polys);
}

static mrn_status put_points(FILE *out, int64_t n, const double *point, mrn_message *msg)
{
    fprintf(out, "<Points>\n");
    mrn_status st = put(out, doubles("Points", n, 3, point), msg);
    fprintf(out, "</Points>\n");
    return st;
}

static mrn_status put_walls(FILE *out, double time, const mrn_wall_mesh *m, mrn_message *msg)
{
    begin_poly(out, time, m->n_points, 0, m->n_triangles);
    mrn_status st = put_points(out, m->n_points, m->point, msg);
    if (st == MRN_OK)
        st = put_polygons(out, "Polys", 3, m->n_triangles, m->corner, msg);
    fprintf(out, "<CellData Scalars=\"wall\">\n");
    if (st == MRN_OK)
        st = put(out, int32s("wall", m->n_triangles, 1, m->wall), msg);
    fprintf(out, "</CellData>\n</Piece>\n");
    mrn_vtk_end(out, "PolyData");
    return st;
}

/* Walls that stand still get one file, which all times share. */
static mrn_status write_walls(job *j, int64_t k, const mrn_frame *f)
{
    if (j->header.n_walls == 0 || f->n_walls != j->header.n_walls)
        return MRN_OK;
    bool moved = mrn_walls_moved(j->placement, f, f->n_walls);
    mrn_status st = MRN_OK;
    if (moved || j->wall_frame < 0) {
        mrn_wall_mesh m = {0};
        mrn_atomic_file file = {0};
        st = mrn_wall_mesh_make(&j->header, f, &m, j->msg);
        if (st == MRN_OK)
            st = open_file(j, WALLS, k, &file);
        if (st == MRN_OK)
            st = put_walls(file.f, f->time, &m, j->msg);
        if (st == MRN_OK)
            st = mrn_atomic_finish(&file, false, j->msg);
        mrn_atomic_abandon(&file);
        mrn_wall_mesh_destroy(&m);
        j->wall_frame = k;
    }
    if (st == MRN_OK)
        list_file(j, WALLS, j->wall_frame, f->time);
    return st;
}

/* ---- contacts ---- */

static mrn_status put_contacts(FILE *out, const mrn_frame *f, double *end, double *normal_force,
                               int32_t *line, mrn_message *msg)
{
    const mrn_contacts *c = &f->contacts;
    mrn_frame_contact_lines(f, end, normal_force, line);
    begin_poly(out, f->time, 2 * c->n, c->n, 0);
    mrn_status st = put_points(out, 2 * c->n, end, msg);
    if (st == MRN_OK)
        st = put_polygons(out, "Lines", 2, c->n, line, msg);
    fprintf(out, "<CellData Scalars=\"normal force\">\n");
    if (st == MRN_OK)
        st = put(out, doubles("normal force", c->n, 1, normal_force), msg);
    if (st == MRN_OK)
        st = put(out, doubles("force", c->n, 3, c->force), msg);
    if (st == MRN_OK)
        st = put(out, doubles("gap", c->n, 1, c->gap), msg);
    fprintf(out, "</CellData>\n</Piece>\n");
    mrn_vtk_end(out, "PolyData");
    return st;
}

static mrn_status write_contacts(job *j, int64_t k, const mrn_frame *f)
{
    int64_t n = f->contacts.n;
    if (n == 0)
        return MRN_OK;
    double *end = NULL, *normal_force = NULL;
    int32_t *line = NULL;
    mrn_atomic_file file = {0};
    mrn_status st = mrn_array(&end, 6 * n, sizeof *end, j->msg);
    if (st == MRN_OK)
        st = mrn_array(&normal_force, n, sizeof *normal_force, j->msg);
    if (st == MRN_OK)
        st = mrn_array(&line, 2 * n, sizeof *line, j->msg);
    if (st == MRN_OK)
        st = open_file(j, CONTACTS, k, &file);
    if (st == MRN_OK)
        st = put_contacts(file.f, f, end, normal_force, line, j->msg);
    if (st == MRN_OK)
        st = mrn_atomic_finish(&file, false, j->msg);
    mrn_atomic_abandon(&file);
    mrn_free(end);
    mrn_free(normal_force);
    mrn_free(line);
    if (st == MRN_OK)
        list_file(j, CONTACTS, k, f->time);
    return st;
}

/* ---- all of it ---- */

static mrn_status write_frame(job *j, int64_t k)
{
    mrn_frame f = {0};
    mrn_status st = mrn_trajectory_read(j->t, k, &f, j->msg);
    if (st == MRN_OK)
        st = write_grains(j, k, &f);
    if (st == MRN_OK)
        st = write_walls(j, k, &f);
    if (st == MRN_OK)
        st = write_contacts(j, k, &f);
    if (st == MRN_OK)
        st = write_shapes(j, k, &f);
    mrn_frame_destroy(&f);
    return st;
}

static mrn_status begin(job *j)
{
    char path[1024];
    if (mkdir(j->folder, 0777) != 0 && errno != EEXIST)
        return mrn_fail_file(j->msg, j->folder, "cannot create the folder", errno);
    if (snprintf(path, sizeof path, "%s/trajectory.pvd", j->folder) >= (int)sizeof path)
        return mrn_fail_file(j->msg, j->folder, "cannot write", ENAMETOOLONG);
    mrn_status st = mrn_trajectory_header(j->t, &j->header, j->msg);
    if (st == MRN_OK)
        st = mrn_array(&j->placement, 8 * (int64_t)j->header.n_walls, sizeof(double), j->msg);
    if (st == MRN_OK)
        st = mrn_atomic_open(path, &j->pvd, j->msg);
    if (st == MRN_OK)
        fprintf(j->pvd.f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                          "<Collection>\n");
    return st;
}

static mrn_status write_folder(mrn_trajectory *t, int64_t first, int64_t last, int64_t stride,
                               const char *out_path, mrn_message *msg)
{
    job j = {.t = t, .folder = out_path, .wall_frame = -1, .msg = msg};
    mrn_status st = mrn_export_range(t, &first, &last, stride, msg);
    if (st == MRN_OK)
        st = begin(&j);
    for (int64_t k = first; st == MRN_OK && k <= last; k += stride)
        st = write_frame(&j, k);
    if (st == MRN_OK) {
        fprintf(j.pvd.f, "</Collection>\n</VTKFile>\n");
        st = mrn_atomic_commit(&j.pvd, msg);
    }
    mrn_atomic_abandon(&j.pvd);
    mrn_free(j.placement);
    mrn_header_destroy(&j.header);
    return st;
}

const mrn_export_format mrn_export_vtk = {
    .name = "vtk",
    .extension = "vtk",
    .summary = "folder of VTK files with a .pvd, for ParaView and VisIt",
    .doc =
        "A folder with trajectory.pvd, to be opened in ParaView, and for each frame "
        "grains_NNNNNN.vtu "
        "(points sorted by id, with radius, velocity, angular velocity, orientation as w x y z, "
        "force, "
        "torque, mass, id, image, material, group, form), walls_NNNNNN.vtp (triangles, one file as "
        "long as no "
        "wall moves) and contacts_NNNNNN.vtp (lines with their forces, when the run stored "
        "contacts). "
        "Polygons and polyhedra are in shapes_NNNNNN.vtu besides: cells of type VTK_POLYGON or "
        "VTK_POLYHEDRON, one for each convex part, with the same numbers as cell data (centre: "
        "the grain's position); radius is that of the sphere (disk) of equal volume. "
        "To see spheres use the Point Gaussian representation, or the Glyph filter scaled by "
        "radius. "
        "VTK XML 1.0, zlib and base64, SI units.",
    .write = write_folder,
};
