/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions whose loops gain by wider vectors than the build has: compiled for newer processors
   too, and chosen by the loader when the program starts (gcc and glibc; elsewhere once, as all
   others). Same bits: see CMakeLists.txt. */
#ifndef MRN_BASE_DISPATCH_H
#define MRN_BASE_DISPATCH_H

#include <stdint.h> /* __GLIBC__ */

#ifndef MRN_DISPATCHED
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) &&   \
    __GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#ifdef __AVX2__
#define MRN_DISPATCHED __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define MRN_DISPATCHED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#else
#define MRN_DISPATCHED
#endif
#endif

#endif
