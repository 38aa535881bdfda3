/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coarse-grained fields as a VTK image (.vti): one value per box of the grid. */
#include <string.h>

#include "export/vtk_xml.h"
#include "moraine/measure.h"

/* VTK's order of a symmetric tensor is XX, YY, ZZ, XY, YZ, XZ; ours ends with XZ, YZ. */
static mrn_status put_tensor(FILE *out, const char *name, int64_t n, const double *tensor,
                             mrn_message *msg)
{
    double *turned;
    if (mrn_array(&turned, 6 * n, sizeof *turned, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        memcpy(turned + 6 * i, tensor + 6 * i, 4 * sizeof *turned);
        turned[6 * i + 4] = tensor[6 * i + MRN_YZ];
        turned[6 * i + 5] = tensor[6 * i + MRN_XZ];
    }
    mrn_vtk_array a = {name, "Float64", 8, 6, n, turned};
    mrn_status st = mrn_vtk_put(out, &a, msg);
    mrn_free(turned);
    return st;
}

static mrn_status put_data(FILE *out, const mrn_fields *f, mrn_message *msg)
{
    int64_t n = (int64_t)f->n[0] * f->n[1] * f->n[2];
    const mrn_vtk_array plain[] = {{"density", "Float64", 8, 1, n, f->density},
                                   {"solid fraction", "Float64", 8, 1, n, f->solid_fraction},
                                   {"velocity", "Float64", 8, 3, n, f->velocity},
                                   {"granular temperature", "Float64", 8, 1, n, f->temperature}};
    mrn_status st = MRN_OK;
    for (size_t k = 0; st == MRN_OK && k < sizeof plain / sizeof plain[0]; k++)
        st = mrn_vtk_put(out, &plain[k], msg);
    if (st == MRN_OK)
        st = put_tensor(out, "kinetic stress", n, f->kinetic_stress, msg);
    if (st == MRN_OK && f->has_contacts)
        st = put_tensor(out, "contact stress", n, f->contact_stress, msg);
    return st;
}

static mrn_status put_image(FILE *out, const mrn_fields *f, mrn_message *msg)
{
    char extent[64], attributes[320];
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", f->n[0], f->n[1], f->n[2]);
    snprintf(attributes, sizeof attributes,
             " WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\"",
             extent, f->origin[0], f->origin[1], f->origin[2], f->spacing[0], f->spacing[1],
             f->spacing[2]);
    mrn_vtk_begin_with(out, "ImageData", attributes, f->time);
    fprintf(out, "<Piece Extent=\"%s\">\n", extent);
    fprintf(out, "<CellData Scalars=\"solid fraction\" Vectors=\"velocity\">\n");
    mrn_status st = put_data(out, f, msg);
    fprintf(out, "</CellData>\n</Piece>\n");
    mrn_vtk_end(out, "ImageData");
    return st;
}

mrn_status mrn_fields_write(const char *path, const mrn_fields *f, mrn_message *msg)
{
    mrn_atomic_file file = {0};
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st == MRN_OK)
        st = put_image(file.f, f, msg);
    if (st == MRN_OK)
        st = mrn_atomic_finish(&file, false, msg);
    mrn_atomic_abandon(&file);
    return st;
}
