/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which BLAS it is, is decided when the program is loaded (Debian's alternatives): it is asked by
   the names that the ones with threads are known to have. */
#include "linalg/blas.h"

#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

static const struct {
    const char *set, *get;
} names[] = {
    {"openblas_set_num_threads", "openblas_get_num_threads"},
    {"flexiblas_set_num_threads", "flexiblas_get_num_threads"},
    {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads"},
};

mrn_blas_threads mrn_blas_begin(void)
{
    mrn_blas_threads hold = {.before = 1, .levels = omp_get_max_active_levels()};
    omp_set_max_active_levels(0);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, names[k].set);
        int (*get)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, names[k].get);
        if (set == NULL || get == NULL)
            continue;
        hold.before = get();
        if (hold.before != 1) {
            hold.set = set;
            set(1);
        }
        break;
    }
    return hold;
}

void mrn_blas_end(mrn_blas_threads hold)
{
    if (hold.set != NULL)
        hold.set(hold.before);
    omp_set_max_active_levels(hold.levels);
}

mrn_status mrn_memory_enough(double bytes, const char *what, mrn_message *msg)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double there = (double)pages * (double)size;
    if (pages <= 0 || size <= 0 || bytes <= there)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_MEMORY, "%s needs %.3g GB, this machine has %.3g GB", what,
                    1e-9 * bytes, 1e-9 * there);
}
