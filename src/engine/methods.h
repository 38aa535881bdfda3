/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. */
#ifndef MRN_ENGINE_METHODS_H
#define MRN_ENGINE_METHODS_H

#include "moraine/method.h"

/* The method of a name in a list of n; NULL: none. */
const mrn_method *mrn_method_find_in(const mrn_method *const *list, int n, const char *name);

#endif
