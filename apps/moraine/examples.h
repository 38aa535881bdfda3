/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the examples are. */
#ifndef MORAINE_EXAMPLES_H
#define MORAINE_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of the examples that came with this program; false when there is none. */
bool mrn_examples_folder(char *path, size_t size);

#endif
