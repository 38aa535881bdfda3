/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays in VTK's XML files: zlib blocks in base64, so that the files are small and still plain
 * XML. */
#ifndef MRN_EXPORT_VTK_XML_H
#define MRN_EXPORT_VTK_XML_H

#include "export/export.h"

/* "Float64", "Int32", … with `width` numbers for each of n entries; `bytes` per number. */
typedef struct mrn_vtk_array {
    const char *name, *type;
    int bytes, width;
    int64_t n;
    const void *data;
} mrn_vtk_array;

/* <VTKFile …> with the time; `kind`: "UnstructuredGrid" or "PolyData". */
void mrn_vtk_begin(FILE *out, const char *kind, double time);
/* With attributes of the element, each with a blank before it. */
void mrn_vtk_begin_with(FILE *out, const char *kind, const char *attributes, double time);
void mrn_vtk_end(FILE *out, const char *kind);
mrn_status mrn_vtk_put(FILE *out, const mrn_vtk_array *a, mrn_message *msg);

#endif
