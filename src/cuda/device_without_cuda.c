/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In place of device.cu where the build has no CUDA. */
#include "base/base.h"
#include "cuda/gpu.h"

static mrn_status start(mrn_gpu_about *about, void **self, mrn_message *msg)
{
    (void)about, (void)self;
    mrn_fail(msg, MRN_ERR_INPUT, "this build has no CUDA");
    mrn_fail_expected(msg, "a build with CUDA, or device: cpu");
    return mrn_fail_hint(msg, "build with  cmake -DMRN_CUDA=ON  where nvcc is installed");
}

const mrn_gpu_ops mrn_gpu_cuda = {.name = "cuda", .open = start};
