/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hard-sphere jump: impulses of a collision that takes no time. Normal restitution e; the
   tangential impulse is what Coulomb allows, or what leaves -e_t times the tangential velocity at
   the contact (Walton; Foerster et al., Phys. Fluids 6 (1994) 1108). The lab and the event-driven
   engine take this one text. */
#ifndef MRN_LAWS_JUMP_H
#define MRN_LAWS_JUMP_H

#include "moraine/law.h"

typedef struct mrn_jump {
    double normal, tangential; /* N s: pushing apart; against the tangential velocity */
    bool slides;
} mrn_jump;

/* m: effective mass along the normal; share: effective mass in the tangential direction over it
   (2/7 of solid spheres, 1/3 of disks); vn: speed of approach, not negative; ut: size of the
   tangential velocity at the contact. */
static inline mrn_jump mrn_jump_of(double m, double share, double vn, double ut, double restitution,
                                   double restitution_t, double friction)
{
    double jn = (1 + restitution) * m * vn;
    double stick = share * (1 + restitution_t) * m * ut;
    bool slides = friction * jn < stick;
    return (mrn_jump){jn, slides ? friction * jn : stick, slides};
}

/* A jump takes no time: forces that are finite, and moments of rolling, have no part in it. */
mrn_status mrn_jump_check(const mrn_rigid *r, mrn_message *msg);

#endif
