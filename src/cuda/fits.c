/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device cannot do yet, beside what the table of abilities refuses (method_cuda.c): laws,
   walls and sizes, each with the place of the key. */
#include "base/base.h"
#include "cuda/cuda.h"
#include "cuda/limits.h"
#include "laws/models.h"

static mrn_status refuse_law(int i, const char *law, const char *why, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "law '%s': %s", law, why);
    mrn_fail_expected(msg, "a law that the device has, or device: cpu");
    mrn_fail_path(msg, "interactions.%d.law", i);
    return mrn_fail_hint(msg, "hertz-mindlin, viscoelastic-mindlin and linear are there, with "
                              "rolling and twisting laws and with dmt or linear cohesion");
}

static mrn_status check_law(const mrn_scene *scene, int i, mrn_message *msg)
{
    static const mrn_law *const missing[] = {&mrn_law_tangential_microslip, &mrn_law_cohesion_jkr,
                                             &mrn_law_cohesion_liquid_bridge};
    const mrn_prepared *p = &scene->interaction[i].ready;
    const char *name = scene->interaction[i].model.name;
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        for (int m = 0; m < (int)(sizeof missing / sizeof *missing); m++)
            if (p->part[k] == missing[m])
                return refuse_law(i, p->part[k]->name, "it is not on the device yet", msg);
    if (p->undamped)
        return refuse_law(i, name, "springs without a dashpot are not on the device yet", msg);
    return MRN_OK;
}

mrn_status mrn_cuda_fits(const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    (void)s;
    mrn_status st = MRN_OK;
    if (scene->n_materials > MRN_GPU_MATERIALS || scene->n_interactions > MRN_GPU_LAWS)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "a device takes at most %d materials and %d interactions",
                        MRN_GPU_MATERIALS, MRN_GPU_LAWS);
    if (scene->history > MRN_GPU_HISTORY)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "contacts remember %d numbers under these laws, %d at most on a device",
                        scene->history, MRN_GPU_HISTORY);
    for (int i = 0; i < scene->n_interactions && st == MRN_OK; i++)
        st = check_law(scene, i, msg);
    return st;
}
