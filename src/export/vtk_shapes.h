/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons and polyhedra of a frame as cells of a VTK grid. */
#ifndef MRN_EXPORT_VTK_SHAPES_H
#define MRN_EXPORT_VTK_SHAPES_H

#include "store/files.h"

/* In the layout of VTK's unstructured grids. */
typedef struct mrn_vtk_shapes {
    int64_t n_cells, n_points, n_faces; /* n_faces: numbers in `faces`                          */
    double *point;                      /* 3 each                                               */
    int32_t *connectivity, *offset;     /* n_points; n_cells                                    */
    int32_t *faces, *face_offset;       /* 3D: faces of each cell as point numbers; n_cells     */
    uint8_t *type;
    int32_t *body; /* of the frame, per cell */
} mrn_vtk_shapes;
/* Cells in the order of the grains given; none without polytopes. */
mrn_status mrn_vtk_shapes_make(const mrn_header *header, const mrn_frame *f, const int32_t *order,
                               mrn_vtk_shapes *out, mrn_message *msg);
void mrn_vtk_shapes_destroy(mrn_vtk_shapes *g);

#endif
