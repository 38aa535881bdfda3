/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading STL files, ASCII and binary. */
#ifndef MRN_GEOM_STL_H
#define MRN_GEOM_STL_H

#include "moraine/base.h"

/* The triangles of a file, 9 coordinates each, in file order; *soup is freed with mrn_free. The
   file's normals are not used. MRN_ERR_IO: cannot be opened or read. MRN_ERR_INPUT: not a sound
   STL; the message names the line and column (ASCII) or the byte (binary). */
mrn_status mrn_stl_read(const char *path, double **soup, int64_t *n, mrn_message *msg);

#endif
