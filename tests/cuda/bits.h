/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of a device's bits share: which device, how many steps, what is compared. */
#ifndef MRN_TESTS_CUDA_BITS_H
#define MRN_TESTS_CUDA_BITS_H

#include <stdlib.h>
#include <string.h>

#include "world.h"

static inline uint64_t bits_of(const mrn_state *s)
{
    uint64_t h = mrn_state_hash(s);
    h = mrn_hash(h, &s->max_overlap, sizeof s->max_overlap);
    h = mrn_hash(h, &s->contacts, sizeof s->contacts);
    return mrn_hash(h, &s->sliding, sizeof s->sliding);
}

static inline mrn_device bits_device(void)
{
    const char *word = getenv("MRN_TEST_DEVICE");
    return word != NULL && strcmp(word, "cuda") == 0 ? MRN_DEVICE_CUDA : MRN_DEVICE_EMULATED;
}

static inline int64_t bits_steps(int64_t otherwise)
{
    const char *word = getenv("MRN_TEST_STEPS");
    return word != NULL ? atoll(word) : otherwise;
}

/* Scenes may be shared among programs side by side: MRN_TEST_PART=2/16 has every sixteenth from the
   third on, and no other test. */
static inline bool bits_mine(int scene)
{
    const char *word = getenv("MRN_TEST_PART"), *of = word != NULL ? strchr(word, '/') : NULL;
    int parts = of != NULL ? atoi(of + 1) : 1;
    return parts < 2 || scene % parts == atoi(word);
}

static inline void bits_parted(void)
{
    if (getenv("MRN_TEST_PART") != NULL)
        cmocka_set_test_filter("same_bits");
}

/* A world that is made, on its way. */
static inline void bits_start(world *w, mrn_device device, double h, mrn_engine *e)
{
    w->scene.device = device;
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    for (int k = 0; k < 3; k++) {
        w->state.cell_origin[k] = w->scene.cell.origin[k];
        w->state.cell_size[k] = w->scene.cell.size[k];
    }
    w->state.h = h;
    ok(mrn_engine_create(&w->scene, &w->state, NULL, e, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

#endif
