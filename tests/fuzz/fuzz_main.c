/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One reader under libFuzzer, or AFL++ (which takes the same function): MRN_FUZZ_TARGET names it.
   tools/fuzz.sh runs all. */
#include "fuzz/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most) __attribute__((weak));

static const fuzz_target *target(void)
{
    const char *name = getenv("MRN_FUZZ_TARGET");
    for (int k = 0; k < FUZZ_TARGETS; k++)
        if (name != NULL && strcmp(name, fuzz_targets[k].name) == 0)
            return &fuzz_targets[k];
    fputs("MRN_FUZZ_TARGET names no reader\n", stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_shared_units();
    size_t before = mrn_bytes_in_use();
    target()->run(data, n);
    if (mrn_bytes_in_use() != before)
        abort();
    return 0;
}

/* Half of the inputs by words and lines, half as the fuzzer likes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
    mrn_rng r = mrn_rng_seed(seed, 1);
    if (LLVMFuzzerMutate != NULL && seed % 2 == 0)
        return LLVMFuzzerMutate(data, n, most);
    return fuzz_change(target(), data, n, most, &r);
}
