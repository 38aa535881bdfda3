/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choices of the quasi-static method. */
#include "io/scene_build.h"

mrn_status mrn_build_quasistatic(mrn_reader *r, const mrn_node *n, mrn_quasistatic_options *io)
{
    static const char *const rules[] = {"coulomb", "associated", NULL};
    static const char *const answers[] = {
        [MRN_UNSTABLE_STOP] = "stop", [MRN_UNSTABLE_SMOOTH] = "smooth", NULL};
    if (n == NULL)
        return MRN_OK;
    const mrn_node *rule = mrn_node_get(n, "rule"), *unstable = mrn_node_get(n, "unstable");
    const mrn_node *fresh = mrn_node_get(n, "new-contacts");
    if (rule != NULL)
        io->associated = mrn_read_word(rule, rules) == 1;
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
