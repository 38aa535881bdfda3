/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which laws of rigid grains a collision without duration can have. */
#include "laws/jump.h"

#include "base/base.h"

mrn_status mrn_jump_check(const mrn_rigid *r, mrn_message *msg)
{
    const char *what = r->rolling > 0                                ? "rolling-friction"
                       : r->pivoting > 0                             ? "pivoting-friction"
                       : r->pull_force > 0 || r->pull_per_radius > 0 ? "cohesion"
                       : r->compliance > 0                           ? "stiffness"
                       : r->viscosity_t > 0                          ? "tangential-viscosity"
                       : r->compliance_t > 0                         ? "tangential-stiffness"
                                                                     : NULL;
    if (what == NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s has no part in the collision of rigid spheres", what);
    mrn_fail_expected(msg, "restitution, tangential-restitution and friction alone");
    return mrn_fail_hint(msg, "use a law with a stiffness to see what %s does", what);
}
