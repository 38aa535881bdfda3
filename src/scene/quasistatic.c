/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choices of the quasi-static method. */
#include <string.h>

#include "scene/build.h"

/* Contacts that open as they slide would lose their force with the next increment, as normal laws
   know overlaps only; a network that stays as it is has no such trouble. */
static mrn_status refuse_associated(const mrn_reader *r, const mrn_node *rule)
{
    mrn_check_fail(&r->check, rule, "coulomb",
                   "rule 'associated' cannot be run: contacts open as they slide, and contact laws "
                   "do not keep that from one increment to the next");
    return mrn_fail_hint(r->check.msg,
                         "`moraine analyze STATE --path yy --rule associated` follows "
                         "the network of a state with it");
}

mrn_status mrn_build_quasistatic(mrn_reader *r, const mrn_node *n, mrn_quasistatic_options *io)
{
    static const char *const answers[] = {
        [MRN_UNSTABLE_STOP] = "stop", [MRN_UNSTABLE_SMOOTH] = "smooth", NULL};
    if (n == NULL)
        return MRN_OK;
    const mrn_node *rule = mrn_node_get(n, "rule"), *unstable = mrn_node_get(n, "unstable");
    const mrn_node *fresh = mrn_node_get(n, "new-contacts");
    if (rule != NULL && strcmp(rule->text, "associated") == 0)
        return refuse_associated(r, rule);
    if (unstable != NULL)
        io->unstable = (mrn_unstable)mrn_read_word(unstable, answers);
    if (fresh != NULL)
        io->new_contacts = mrn_read_flag(fresh);
    const struct {
        const char *key;
        int64_t *value;
    } count[] = {{"increments", &io->increments},
                 {"max-iterations", &io->max_iterations},
                 {"max-steps", &io->max_steps}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        const mrn_node *x = mrn_node_get(n, count[i].key);
        if (x != NULL)
            *count[i].value = (int64_t)mrn_read_integer(&r->check, x);
    }
    const mrn_node *tolerance = mrn_node_get(n, "tolerance");
    const mrn_node *balanced = mrn_node_get(n, "balanced");
    mrn_status s = MRN_OK;
    if (tolerance != NULL)
        s = mrn_read_quantity(&r->check, tolerance, "1", &io->tolerance);
    if (s == MRN_OK && balanced != NULL)
        s = mrn_read_quantity(&r->check, balanced, "1", &io->balanced);
    return s;
}
