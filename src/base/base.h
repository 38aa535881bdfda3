/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small helpers for the rooms above that need no place in the public face. */
#ifndef MRN_BASE_BASE_H
#define MRN_BASE_BASE_H

#include "moraine/base.h"

/* Allocates an array of n elements into *(T **)p, zeroed; MRN_ERR_MEMORY with a message if it
 * fails. */
mrn_status mrn_array(void *p, int64_t n, size_t size, mrn_message *msg);
/* *(T **)p becomes a copy of n elements at `from` (NULL stays NULL). */
mrn_status mrn_duplicate(void *p, const void *from, int64_t n, size_t size, mrn_message *msg);
/* The out-of-memory message, one wording for all. */
mrn_status mrn_fail_memory(mrn_message *msg);

#endif
