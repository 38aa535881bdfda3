/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one allocator: aligned, counted, able to fail on purpose. A header before each block holds
   its size and where malloc's block begins: aligned_alloc of glibc before 2.38 does not find again
   the holes it leaves between aligned blocks, and the heap of a long run grows without end. What
   alignment leaves before and behind a block is closed to the address sanitizer, the header with
   it: one number behind an array is seen, be it one that falls into that room. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED
#endif
#ifdef WATCHED
#include <sanitizer/asan_interface.h>
#define CLOSE(p, bytes) __asan_poison_memory_region(p, bytes)
#define UNWATCHED       __attribute__((noinline, no_sanitize_address))
#else
#define CLOSE(p, bytes) ((void)(p), (void)(bytes))
#define UNWATCHED
#endif

#define ALIGN 64
/* Large pages, and blocks that gain by them: from this size on, bytes. */
#define LARGE ((size_t)2 << 20)

typedef struct header {
    size_t bytes;
    void *block;
    size_t mapped; /* bytes of a mapping of its own; 0: the block is malloc's */
} header;

/* process-wide counters: the allocator serves every scene of the process */
static atomic_size_t in_use, peak;
static _Atomic int64_t calls, fail_countdown;

static bool must_fail(void)
{
    atomic_fetch_add(&calls, 1);
    if (atomic_load(&fail_countdown) <= 0)
        return false;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static void count(size_t add, size_t drop)
{
    size_t now = atomic_fetch_add(&in_use, add - drop) + add - drop;
    size_t top = atomic_load(&peak);
    while (now > top && !atomic_compare_exchange_weak(&peak, &top, now))
        ;
}

/* The one way to a header: it lies in what is closed. */
UNWATCHED static header header_of(const void *p)
{
    return *((const header *)p - 1);
}

/* Everything of malloc's block but the bytes at p. */
static void close_rest(char *p, size_t bytes, char *block, size_t all)
{
    CLOSE(block, (size_t)(p - block));
    CLOSE(p + bytes, (size_t)(block + all - (p + bytes)));
}

/* Large blocks lie in large pages, where the system lends them: finding a small page may take as
   long as the read. They begin one (what is left out before them is never touched), and ask before
   the first touch: calloc of fresh pages touches none. */
static void advise_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes < LARGE)
        return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)p + bytes;
    (void)madvise(p, end / page * page - (uintptr_t)p, MADV_HUGEPAGE);
#else
    (void)p, (void)bytes;
#endif
}

/* Large blocks are mappings of their own: what is given back is gone from the process at once,
   where malloc, which learns from what it sees, soon keeps blocks of up to 32 MB in its heap and
   the holes they leave. (The sanitizer watches malloc's.) */
static char *take_block(size_t bytes, size_t more, bool zeros, size_t *mapped)
{
    *mapped = 0;
#if !defined(WATCHED) && defined(MAP_ANONYMOUS)
    if (bytes >= LARGE) {
        char *block =
            mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *mapped = bytes + more;
        return block != MAP_FAILED ? block : NULL;
    }
#endif
    return zeros ? calloc(1, bytes + more) : malloc(bytes + more);
}

static void *take(size_t bytes, bool zeros)
{
    size_t align = bytes < LARGE ? ALIGN : LARGE, more = sizeof(header) + align - 1, mapped;
    if (bytes > SIZE_MAX - more || must_fail())
        return NULL;
    char *block = take_block(bytes, more, zeros, &mapped);
    if (block == NULL)
        return NULL;
    char *p = block + more - ((uintptr_t)block + more) % align;
    *((header *)p - 1) = (header){bytes, block, mapped};
    close_rest(p, bytes, block, bytes + more);
    advise_large_pages(p, bytes);
    count(bytes, 0);
    return p;
}

void *mrn_alloc(size_t bytes)
{
    return take(bytes, true);
}

void *mrn_realloc(void *p, size_t bytes)
{
    void *fresh = take(bytes, false);
    if (fresh != NULL && p != NULL) {
        size_t old = header_of(p).bytes;
        memcpy(fresh, p, old < bytes ? old : bytes);
        mrn_free(p);
    }
    return fresh;
}

void mrn_free(void *p)
{
    if (p == NULL)
        return;
    header h = header_of(p);
    count(0, h.bytes);
#ifdef MAP_ANONYMOUS
    if (h.mapped > 0)
        (void)munmap(h.block, h.mapped);
    else
#endif
        free(h.block);
}

size_t mrn_rest(void *p, size_t bytes)
{
#ifdef MADV_DONTNEED
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p;
    uintptr_t begin = (from + page - 1) / page * page, end = (from + bytes) / page * page;
    if (p == NULL || end <= begin ||
        madvise((char *)p + (begin - from), end - begin, MADV_DONTNEED) != 0)
        return 0;
    count(0, end - begin);
    return end - begin;
#else
    (void)p, (void)bytes;
    return 0;
#endif
}

void mrn_waken(size_t bytes)
{
    count(bytes, 0);
}

char *mrn_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = mrn_alloc(n);
    return copy != NULL ? memcpy(copy, s, n) : NULL;
}

size_t mrn_bytes_in_use(void)
{
    return atomic_load(&in_use);
}
size_t mrn_bytes_peak(void)
{
    return atomic_load(&peak);
}
void mrn_bytes_peak_reset(void)
{
    atomic_store(&peak, atomic_load(&in_use));
}
int64_t mrn_alloc_count(void)
{
    return atomic_load(&calls);
}
void mrn_alloc_fail_at(int64_t k)
{
    atomic_store(&fail_countdown, k);
}

mrn_status mrn_grow(void *p, int64_t *capacity, int64_t need, size_t size)
{
    if (need <= *capacity)
        return MRN_OK;
    int64_t room = *capacity + *capacity / 2;
    room = room < need ? need : room;
    room = room < 16 ? 16 : room;
    void **slot = p;
    void *bigger = mrn_realloc(*slot, (size_t)room * size);
    if (bigger == NULL)
        return MRN_ERR_MEMORY;
    *slot = bigger;
    *capacity = room;
    return MRN_OK;
}

mrn_status mrn_array(void *p, int64_t n, size_t size, mrn_message *msg)
{
    void **slot = p;
    *slot = mrn_alloc((size_t)n * size);
    return *slot != NULL ? MRN_OK : mrn_fail_memory(msg);
}

mrn_status mrn_duplicate(void *p, const void *from, int64_t n, size_t size, mrn_message *msg)
{
    void *copy = NULL;
    if (from != NULL && mrn_array(&copy, n, size, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    if (copy != NULL)
        memcpy(copy, from, (size_t)n * size);
    memcpy(p, &copy, sizeof copy);
    return MRN_OK;
}
