/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small helpers for the rooms above that need no place in the public face. */
#ifndef MRN_BASE_BASE_H
#define MRN_BASE_BASE_H

#include "moraine/base.h"
#include <stdio.h>

/* Allocates an array of n elements into *(T **)p, zeroed; MRN_ERR_MEMORY with a message if it
 * fails. */
mrn_status mrn_array(void *p, int64_t n, size_t size, mrn_message *msg);
/* *(T **)p becomes a copy of n elements at `from` (NULL stays NULL). */
mrn_status mrn_duplicate(void *p, const void *from, int64_t n, size_t size, mrn_message *msg);
/* Instructions beyond those of every x86-64, as bits 1 << MRN_CPU_…: those that the library was
   built with, and the words about those of them that are not present. */
enum {
    MRN_CPU_SSE4_2,
    MRN_CPU_POPCNT,
    MRN_CPU_AVX,
    MRN_CPU_AVX2,
    MRN_CPU_BMI,
    MRN_CPU_BMI2,
    MRN_CPU_FMA,
    MRN_CPU_AVX512F,
    MRN_CPU_FEATURES
};
unsigned mrn_cpu_built_with(void);
mrn_status mrn_cpu_judge(unsigned built_with, unsigned present, mrn_message *msg);
/* The out-of-memory message, one wording for all. */
mrn_status mrn_fail_memory(mrn_message *msg);

/* The whole pages among `bytes` at p, which lie in one block of mrn_alloc, go back to the system:
   what stood there is lost and reads as zeros, and a page comes back when it is written, which
   cannot fail. Returns how many bytes: they do not count as in use until mrn_waken says so. */
size_t mrn_rest(void *p, size_t bytes);
void mrn_waken(size_t bytes);

/* Tells whoever looks at this thread's long work (mrn_long_work); MRN_INTERRUPTED: it shall end. */
mrn_status mrn_long_work_tell(const char *what, double done, mrn_message *msg);

/* Characters that steer a terminal (but \n and \t) become '?'. */
void mrn_hide_controls(char *text, size_t size);
/* Opens a file for reading: plain files alone, and what the program was started with (/dev/stdin,
   /dev/fd/N). A pipe or a device would hold the program for ever: NULL then, with errno ENOTSUP. */
FILE *mrn_open_input(const char *path);

#endif
