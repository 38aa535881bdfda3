/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions several laws ask of their parameters, each with one wording. */
#include "laws/params.h"

const char *const mrn_end_of_contact[] = {"force", "overlap", NULL};
const char *const mrn_slip_rules[] = {"series", "reset", "reset-total", NULL};

mrn_status mrn_one_of(const mrn_value *a, const char *name_a, const mrn_value *b,
                      const char *name_b, mrn_message *msg)
{
    if (a->given != b->given)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT,
             a->given ? "both %s and %s are given" : "neither %s nor %s is given", name_a, name_b);
    mrn_fail_at(msg, "", a->given ? a->line : 0, a->given ? a->column : 0);
    mrn_fail_expected(msg, "exactly one of %s and %s", name_a, name_b);
    return MRN_ERR_INPUT;
}

mrn_status mrn_needs_young(const mrn_material_pair *mat, const char *law, mrn_message *msg)
{
    if (mat->e_star > 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s needs Young's modulus of both materials", law);
    mrn_fail_expected(msg, "young and poisson in the materials that meet");
    return mrn_fail_hint(msg, "add young: and poisson: to the material");
}

mrn_status mrn_holds_no_moment(const char *law, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT,
             "rolling law '%s' has no meaning for rigid grains: it holds no moment", law);
    mrn_fail_expected(msg, "a law with rolling-friction under method nonsmooth");
    return mrn_fail_hint(msg, "use rolling law elastic-plastic or constant-torque");
}

double mrn_like_young(const mrn_material_pair *mat)
{
    double nu = 0.5 * (mat->poisson[0] + mat->poisson[1]);
    return 2 * (1 - nu * nu) * mat->e_star;
}

mrn_status mrn_eta1(const mrn_material_pair *mat, const mrn_value *eta1, const mrn_value *ratio,
                    double *out, mrn_message *msg)
{
    if (mrn_one_of(eta1, "eta1", ratio, "eta1-over-young", msg) != MRN_OK)
        return mrn_fail_hint(msg, "eta1-over-young: 1 us is the published reference");
    *out = eta1->given ? eta1->number : ratio->number * mrn_like_young(mat);
    return MRN_OK;
}

mrn_status mrn_eta2(const mrn_value *eta2, const mrn_value *ratio, double eta1, double *out,
                    mrn_message *msg)
{
    if (eta2->given && ratio->given)
        return mrn_one_of(eta2, "eta2", ratio, "eta2-over-eta1", msg);
    *out = eta2->given ? eta2->number : ratio->given ? ratio->number * eta1 : 0;
    return MRN_OK;
}
