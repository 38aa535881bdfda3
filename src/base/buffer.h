/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that grows: pages, JSON, bytes for the network. After a failure it takes nothing more. */
#ifndef MRN_BASE_BUFFER_H
#define MRN_BASE_BUFFER_H

#include "moraine/base.h"

typedef struct mrn_buffer {
    char *s; /* mrn_free */
    int64_t n, capacity;
    bool failed;
} mrn_buffer;
void mrn_buffer_put(mrn_buffer *t, const char *fmt, ...) MRN_PRINTF(2, 3);
void mrn_buffer_raw(mrn_buffer *t, const char *s);
void mrn_buffer_bytes(mrn_buffer *t, const void *s, size_t n); /* zeros among them, too */
/* n bytes more, for the caller to fill before the next call; NULL: no memory. */
void *mrn_buffer_room(mrn_buffer *t, size_t n);
/* With &, <, > and quotes as HTML wants them; bytes that XML forbids become a mark. */
void mrn_buffer_escaped(mrn_buffer *t, const char *s);
void mrn_buffer_base64(mrn_buffer *t, const void *data, int64_t n);

#endif
