/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes, messages, memory, threads: what every other header leans on. */
#ifndef MORAINE_BASE_H
#define MORAINE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MRN_API               __attribute__((visibility("default")))
#define MRN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MRN_API
#define MRN_PRINTF(fmt, args)
#endif

#define MRN_VERSION       "0.1.0"
#define MRN_VERSION_MAJOR 0
#define MRN_VERSION_MINOR 1
#define MRN_VERSION_PATCH 0
/* That of the library which runs, where the macros are those of the headers compiled with. */
MRN_API const char *mrn_version(void);

/* What a call came to. Negative: an error, nothing was done. Zero: done.
   Positive: done, and the physics or the user has something to say (a numerical outcome). */
typedef enum mrn_status {
    MRN_ERR_MACHINE = -7,  /* this processor lacks instructions that the library was built with */
    MRN_ERR_INTERNAL = -6, /* a broken promise inside the library: please report            */
    MRN_ERR_STALE = -5,    /* a handle to something that is no longer there                  */
    MRN_ERR_RANGE = -4,    /* an argument outside its documented range                       */
    MRN_ERR_IO = -3,       /* a file could not be read or written                            */
    MRN_ERR_INPUT = -2,    /* the user's scene or data is wrong: message says what and where */
    MRN_ERR_MEMORY = -1,   /* out of memory: everything is as it was before the call         */
    MRN_OK = 0,
    MRN_AT_MOST = 1,       /* a stage met its time limit before its end condition            */
    MRN_INTERRUPTED = 2,   /* stopped on request, state saved                                */
    MRN_EXPLODED = 3,      /* a state that is not finite or beyond all bounds: see message   */
    MRN_TOO_STIFF = 4,     /* the time step is above the stability limit                     */
    MRN_NOT_CONVERGED = 5, /* an iteration ended before its tolerance; the best iterate is kept */
} mrn_status;

/* A message for a person. Fixed size: reporting an error never needs memory.
   `file`, `line`, `column` are empty/0 when no place applies; `expected` and `hint` may be empty.
   `path` is the part of a scene that is spoken of, as `--set` would have it: keys and names with
   dots between them, entries of lists by their number from 0 ("walls.2.motion.velocity"). Who read
   the scene from a file finds line and column with it. */
typedef struct mrn_message {
    mrn_status status;
    int line, column; /* 1-based; 0: unknown */
    char file[512];
    char path[256];
    char text[1024];    /* what is wrong */
    char expected[512]; /* what would have been right */
    char hint[512];     /* what to do; a suggestion */
} mrn_message;

/* Whether this processor can run the library as it was built; if not, the message says what is
   missing and how to build it otherwise. Runs on any processor of the family: call it first, as the
   command does, where a program may meet processors from before 2013. */
MRN_API mrn_status mrn_cpu_check(mrn_message *msg);

/* The name of a status, e.g. "out of memory". Never NULL. */
MRN_API const char *mrn_status_text(mrn_status s);

/* Fills `msg` (may be NULL) with a text and returns `s`, so that a failing function ends with
   `return mrn_fail(msg, MRN_ERR_RANGE, "radius %g m is not positive", r);` */
MRN_API mrn_status mrn_fail(mrn_message *msg, mrn_status s, const char *fmt, ...) MRN_PRINTF(3, 4);
/* Add to a message already filled; all return msg->status (MRN_ERR_INPUT if
   msg is NULL, so that `return mrn_fail_hint(…)` never hides an error). */
MRN_API mrn_status mrn_fail_at(mrn_message *msg, const char *file, int line, int column);
MRN_API mrn_status mrn_fail_path(mrn_message *msg, const char *fmt, ...) MRN_PRINTF(2, 3);
MRN_API mrn_status mrn_fail_expected(mrn_message *msg, const char *fmt, ...) MRN_PRINTF(2, 3);
MRN_API mrn_status mrn_fail_hint(mrn_message *msg, const char *fmt, ...) MRN_PRINTF(2, 3);
/* Writes "file:line:column: error: text\n  expected: …\n  hint: …\n" (parts that are empty are left
   out; the path stands in for a line that is not known) into `buf`, always terminated; returns the
   length it would have had (as snprintf). */
MRN_API int mrn_message_format(const mrn_message *msg, char *buf, size_t size);

/* The closest of `n` words to `word` by edit distance, or NULL when none is close: "did you mean".
 */
MRN_API const char *mrn_closest_word(const char *word, const char *const *words, int n);

/* Memory. Every array of the library comes from here: 64-byte aligned, counted, zeroed by
   mrn_alloc. All return NULL on failure (and for size 0 a valid pointer). */
MRN_API void *mrn_alloc(size_t bytes);
/* Keeps the old content; new bytes are not zeroed. On failure returns NULL and `p` stays valid. */
MRN_API void *mrn_realloc(void *p, size_t bytes);
MRN_API void mrn_free(void *p);
MRN_API char *mrn_strdup(const char *s);
MRN_API size_t mrn_bytes_in_use(void); /* now */
MRN_API size_t mrn_bytes_peak(void);   /* largest since start or mrn_bytes_peak_reset */
MRN_API void mrn_bytes_peak_reset(void);
MRN_API int64_t mrn_alloc_count(void); /* calls of mrn_alloc + mrn_realloc so far */
/* For tests: make the k-th allocation from now on fail (k = 1: the next one); 0: never. */
MRN_API void mrn_alloc_fail_at(int64_t k);

/* Grows *p (of elements of `size` bytes) so that it holds `need` elements; *capacity is updated.
   Growth by a half at least. Returns MRN_ERR_MEMORY and leaves all as it was when it fails. */
MRN_API mrn_status mrn_grow(void *p /* T ** */, int64_t *capacity, int64_t need, size_t size);

/* Threads used by parallel loops of the library (OpenMP). 0: as many as cores. Results never depend
   on it. Returns the number in force. */
MRN_API int mrn_threads_set(int n);
MRN_API int mrn_threads(void);

/* Work without steps of a run that could be counted (grains are placed, dynamics looks for a first
   equilibrium) tells what it does and how far it is (0 … 1; NAN: unknown), often, and ends with
   MRN_INTERRUPTED when `tell` returns true. Steps that no clock counts end at max_steps (0: where
   the scene says). Each thread has its own; {0}: nobody looks. Returns what was set before. */
typedef struct mrn_long_work {
    bool (*tell)(void *user, const char *what, double done);
    void *user;
    int64_t max_steps;
} mrn_long_work;
MRN_API mrn_long_work mrn_long_work_set(mrn_long_work w);
MRN_API mrn_long_work mrn_long_work_get(void);

/* Seconds since some fixed time, monotonic. */
MRN_API double mrn_clock(void);

/* 64-bit FNV-style hash of bytes, continuing from h (start with MRN_HASH_START). */
#define MRN_HASH_START UINT64_C(0xcbf29ce484222325)
MRN_API uint64_t mrn_hash(uint64_t h, const void *data, size_t bytes);

/* A number for people, by value: printf("%s", mrn_readable_si(t, "s").s). */
typedef struct mrn_readable {
    char s[64];
} mrn_readable;
MRN_API mrn_readable mrn_readable_si(double v, const char *unit); /* 12.3 µs, 4.56 MPa, 1.2 M (unit
                                                                    "") */
MRN_API mrn_readable mrn_readable_count(int64_t n); /* 1 234 567 (thin groups of three)   */

/* Random numbers: xoshiro256**, seeded by splitmix64; the same everywhere for a given seed. */
typedef struct mrn_rng {
    uint64_t s[4];
} mrn_rng;
MRN_API mrn_rng mrn_rng_seed(uint64_t seed, uint64_t stream);
MRN_API uint64_t mrn_rng_next(mrn_rng *r);
MRN_API double mrn_rng_uniform(mrn_rng *r); /* in [0, 1)             */
MRN_API double mrn_rng_normal(mrn_rng *r);  /* mean 0, deviation 1   */

#ifdef __cplusplus
}
#endif

#endif
