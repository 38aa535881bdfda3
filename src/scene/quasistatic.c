/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choices of the quasi-static method: the one that has no row to fill. */
#include <string.h>

#include "scene/build.h"

/* Contacts that open as they slide would lose their force with the next increment, as normal laws
   know overlaps only; a network that stays as it is has no such trouble. */
mrn_status mrn_build_rule(mrn_reader *r, const mrn_node *rule, void *options)
{
    (void)options;
    if (strcmp(rule->text, "associated") != 0)
        return MRN_OK;
    mrn_check_fail(&r->check, rule, "coulomb",
                   "rule 'associated' cannot be run: contacts open as they slide, and contact laws "
                   "do not keep that from one increment to the next");
    return mrn_fail_hint(r->check.msg,
                         "`moraine analyze STATE --path yy --rule associated` follows "
                         "the network of a state with it");
}
