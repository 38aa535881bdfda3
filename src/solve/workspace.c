/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work space: slabs handed out from the front. A solve that needs more than the newest slab holds
   gets another one; the next reset joins them by one allocation, after which solves of that size
   allocate nothing. */
#include <string.h>

#include "solve/system.h"

enum { ALIGN = 64, LEAST = 1 << 16 };

struct mrn_slab {
    struct mrn_slab *older;
    size_t size; /* bytes after the head */
    char pad[ALIGN - sizeof(struct mrn_slab *) - sizeof(size_t)];
};
_Static_assert(sizeof(struct mrn_slab) == ALIGN, "what a slab hands out is aligned");

void mrn_workspace_release(mrn_workspace *w)
{
    while (w->slab != NULL) {
        struct mrn_slab *older = w->slab->older;
        mrn_free(w->slab);
        w->slab = older;
    }
    *w = (mrn_workspace){0};
}

static bool add_slab(mrn_workspace *w, size_t size)
{
    struct mrn_slab *s = mrn_realloc(NULL, sizeof *s + size); /* not zeroed */
    if (s == NULL)
        return false;
    s->older = w->slab;
    s->size = size;
    w->slab = s;
    w->used = 0;
    w->total += size;
    return true;
}

void mrn_workspace_reset(mrn_workspace *w)
{
    if (w->slab != NULL && w->slab->older != NULL) {
        /* what was in use at most, and some more: slabs that doubled may hold twice that */
        size_t all = w->peak + w->peak / 32;
        mrn_workspace_release(w);
        if (!add_slab(w, all)) /* small slabs again, as they are needed */
            *w = (mrn_workspace){0};
    }
    w->used = 0;
    w->now = w->peak = 0;
}

mrn_workspace_mark mrn_workspace_here(const mrn_workspace *w)
{
    return (mrn_workspace_mark){w->slab, w->used, w->now};
}

void mrn_workspace_back(mrn_workspace *w, mrn_workspace_mark mark)
{
    while (w->slab != mark.slab) {
        struct mrn_slab *older = w->slab->older;
        w->total -= w->slab->size;
        mrn_free(w->slab);
        w->slab = older;
    }
    w->used = mark.used;
    w->now = mark.now;
}

static size_t rounded(int64_t n, size_t size)
{
    return ((size_t)n * size + ALIGN - 1) / ALIGN * ALIGN;
}

void *mrn_work_raw(mrn_workspace *w, int64_t n, size_t size)
{
    if (n < 0 || (size > 0 && (uint64_t)n > (SIZE_MAX / 4) / size))
        return NULL;
    size_t bytes = rounded(n, size);
    if (w->slab == NULL || w->slab->size - w->used < bytes) {
        size_t want = w->total > LEAST ? w->total : LEAST;
        if (!add_slab(w, bytes > want ? bytes : want))
            return NULL;
    }
    char *p = (char *)(w->slab + 1) + w->used;
    w->used += bytes;
    w->now += bytes;
    w->peak = w->now > w->peak ? w->now : w->peak;
    return p;
}

void *mrn_work(mrn_workspace *w, int64_t n, size_t size)
{
    void *p = mrn_work_raw(w, n, size);
    if (p != NULL)
        memset(p, 0, rounded(n, size));
    return p;
}
