/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of local arrays of the kernels. */
#ifndef MRN_CUDA_LIMITS_H
#define MRN_CUDA_LIMITS_H

enum { MRN_GPU_HISTORY = 64 }; /* numbers that a contact may remember on a device */

#endif
