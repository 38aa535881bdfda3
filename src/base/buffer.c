/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that grows, and its escaping. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

static bool make_room(mrn_buffer *t, size_t more)
{
    if (t->failed)
        return false;
    t->failed = mrn_grow(&t->s, &t->capacity, t->n + (int64_t)more + 1, 1) != MRN_OK;
    return !t->failed;
}

void *mrn_buffer_room(mrn_buffer *t, size_t n)
{
    if (!make_room(t, n))
        return NULL;
    char *at = t->s + t->n;
    t->n += (int64_t)n;
    t->s[t->n] = '\0';
    return at;
}

void mrn_buffer_bytes(mrn_buffer *t, const void *s, size_t n)
{
    void *at = mrn_buffer_room(t, n);
    if (at != NULL && n > 0) /* an empty buffer that was never filled has no bytes to point to */
        memcpy(at, s, n);
}

void mrn_buffer_raw(mrn_buffer *t, const char *s)
{
    mrn_buffer_bytes(t, s, strlen(s));
}

void mrn_buffer_put(mrn_buffer *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n >= 0 && make_room(t, (size_t)n)) {
        vsnprintf(t->s + t->n, (size_t)n + 1, fmt, again);
        t->n += n;
    }
    va_end(again);
    va_end(args);
}

/* What stands for a character that may not stand for itself; NULL: it may. */
static const char *instead(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        /* XML knows no control characters but these three */
        return c < 32 && c != '\n' && c != '\t' && c != '\r' ? "\xEF\xBF\xBD" : NULL;
    }
}

void mrn_buffer_escaped(mrn_buffer *t, const char *s)
{
    const char *from = s;
    for (; s != NULL && *s != '\0'; s++) {
        const char *other = instead((unsigned char)*s);
        if (other == NULL)
            continue;
        mrn_buffer_bytes(t, from, (size_t)(s - from));
        mrn_buffer_raw(t, other);
        from = s + 1;
    }
    if (s != NULL)
        mrn_buffer_bytes(t, from, (size_t)(s - from));
}

void mrn_buffer_base64(mrn_buffer *t, const void *data, int64_t n)
{
    static const char sign[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = data;
    for (int64_t i = 0; i < n; i += 3) {
        int64_t left = n - i;
        unsigned v = (unsigned)s[i] << 16 | (left > 1 ? (unsigned)s[i + 1] << 8 : 0) |
                     (left > 2 ? s[i + 2] : 0);
        char four[4] = {sign[v >> 18 & 63], sign[v >> 12 & 63], left > 1 ? sign[v >> 6 & 63] : '=',
                        left > 2 ? sign[v & 63] : '='};
        mrn_buffer_bytes(t, four, 4);
    }
}
