/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the factorisation: the order of elimination, and supernodes cut in panels. */
#ifndef MRN_LINALG_FACTOR_PARTS_H
#define MRN_LINALG_FACTOR_PARTS_H

#include <cholmod.h>

#include "linalg/sparse.h"

cholmod_sparse mrn_llt_view(const mrn_sparse *a);
/* What CHOLMOD says of its last call. */
mrn_status mrn_llt_status(const cholmod_common *c, mrn_message *msg);

/* Order and pattern of the factor of a lower triangle (factor_order.c). */
mrn_status mrn_llt_analyse(const mrn_sparse *lower, cholmod_common *c, cholmod_factor **out,
                           mrn_message *msg);

/* Cuts wide supernodes of an analysed, not yet factorised L in panels (factor_panels.c). */
mrn_status mrn_llt_panels(cholmod_factor *l, cholmod_common *c, mrn_message *msg);

#endif
