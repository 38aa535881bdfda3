/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The XDMF text beside a trajectory: a temporal collection with grains as points (with orientation
   and number of the polytope, for glyphs), walls as
   triangles and contacts as lines, all numbers staying in the HDF5 file. Opens in ParaView as it
   is. */
#include <string.h>

#include "store/trajectory.h"

static void item(FILE *out, const char *type, int64_t n, int width, int64_t frame, const char *path)
{
    char size[64];
    if (width > 1)
        snprintf(size, sizeof size, "%lld %d", (long long)n, width);
    else
        snprintf(size, sizeof size, "%lld", (long long)n);
    fprintf(out,
            "<DataItem Dimensions=\"%s\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">"
            "trajectory.h5:/frames/%06lld/%s</DataItem>\n",
            size, type, strcmp(type, "Float") == 0 ? 8 : 4, (long long)frame, path);
}

static void attribute(FILE *out, const char *name, const char *type, const char *centre, int64_t n,
                      int width, int64_t frame, const char *path)
{
    const char *kind = width == 1 ? "Scalar" : width == 3 ? "Vector" : "Matrix";
    fprintf(out, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", name, kind, centre);
    item(out, type, n, width, frame, path);
    fprintf(out, "</Attribute>\n");
}

static void grains(FILE *out, const mrn_trajectory *t, int64_t frame, const mrn_frame_note *note)
{
    fprintf(out,
            "<Grid Name=\"grains\" GridType=\"Uniform\">\n"
            "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%lld\" "
            "NodesPerElement=\"1\"/>\n<Geometry GeometryType=\"XYZ\">",
            (long long)note->grains);
    item(out, "Float", note->grains, 3, frame, "grains/x");
    fprintf(out, "</Geometry>\n");
    for (int i = 0; i < mrn_frame_field_count(); i++) {
        const mrn_frame_field *f = mrn_frame_field_at(i);
        char path[64];
        snprintf(path, sizeof path, "grains/%s", f->name);
        bool turn = strcmp(f->name, "q") == 0, polytope = strcmp(f->name, "part") == 0;
        if (t->header.n_polytopes == 0 ? f->shown != NULL && !polytope : f->shown != NULL || turn)
            attribute(out, turn ? "orientation" : f->shown,
                      f->type == MRN_F_DOUBLE ? "Float" : "Int", "Node", note->grains, f->width,
                      frame, path);
    }
    fprintf(out, "</Grid>\n");
}

static void walls(FILE *out, const mrn_frame_note *note)
{
    fprintf(out,
            "<Grid Name=\"walls\" GridType=\"Uniform\">\n"
            "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%lld\">",
            (long long)note->mesh_triangles);
    item(out, "Int", note->mesh_triangles, 3, note->mesh_frame, "mesh/corner");
    fprintf(out, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
    item(out, "Float", note->mesh_points, 3, note->mesh_frame, "mesh/point");
    fprintf(out, "</Geometry>\n");
    attribute(out, "wall", "Int", "Cell", note->mesh_triangles, 1, note->mesh_frame, "mesh/wall");
    fprintf(out, "</Grid>\n");
}

static void contacts(FILE *out, int64_t frame, const mrn_frame_note *note)
{
    int64_t n = note->contacts;
    fprintf(out,
            "<Grid Name=\"contacts\" GridType=\"Uniform\">\n"
            "<Topology TopologyType=\"Polyline\" NumberOfElements=\"%lld\" NodesPerElement=\"2\">",
            (long long)n);
    item(out, "Int", n, 2, frame, "contacts/line");
    fprintf(out, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
    item(out, "Float", 2 * n, 3, frame, "contacts/end");
    fprintf(out, "</Geometry>\n");
    attribute(out, "normal force", "Float", "Cell", n, 1, frame, "contacts/normal_force");
    attribute(out, "force", "Float", "Cell", n, 3, frame, "contacts/force");
    attribute(out, "gap", "Float", "Cell", n, 1, frame, "contacts/gap");
    fprintf(out, "</Grid>\n");
}

/* A part with nothing in it is left out: ParaView takes no empty topologies. */
static void one_frame(FILE *out, const mrn_trajectory *t, int64_t k)
{
    const mrn_frame_note *note = &t->note[k];
    fprintf(out,
            "<Grid Name=\"frame %lld\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
            "<Time Value=\"%.17g\"/>\n",
            (long long)k, t->time[k]);
    if (note->grains > 0)
        grains(out, t, k, note);
    if (note->mesh_frame >= 0)
        walls(out, note);
    if (note->contacts > 0)
        contacts(out, k, note);
    fprintf(out, "</Grid>\n");
}

mrn_status mrn_xdmf_write(const mrn_trajectory *t, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status st = mrn_atomic_open(t->xdmf_path, &file, msg);
    if (st != MRN_OK)
        return st;
    fprintf(file.f,
            "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n"
            "<Grid Name=\"moraine\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (int64_t k = 0; k < t->n; k++)
        one_frame(file.f, t, k);
    fprintf(file.f, "</Grid>\n</Domain>\n</Xdmf>\n");
    return mrn_atomic_finish(&file, false, msg);
}
