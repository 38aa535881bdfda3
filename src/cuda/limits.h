/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of local arrays of the kernels. */
#ifndef MRN_CUDA_LIMITS_H
#define MRN_CUDA_LIMITS_H

enum {
    MRN_GPU_HISTORY = 16, /* numbers that a contact may remember under most laws … */
    MRN_GPU_LONG = 64     /* … and in the kernels of kept.h                        */
};

#endif
