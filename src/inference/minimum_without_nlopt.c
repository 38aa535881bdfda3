/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No minima: of a library built without NLopt. */
#include "base/base.h"
#include "inference/minimum.h"

mrn_status mrn_minimise(const mrn_minimum *m, double *x, double *value, mrn_message *msg)
{
    (void)m, (void)x, (void)value;
    mrn_fail(msg, MRN_ERR_INPUT, "this library was built without NLopt: it cannot fit parameters");
    return mrn_fail_hint(msg, "build it with -DMRN_NLOPT=ON");
}
