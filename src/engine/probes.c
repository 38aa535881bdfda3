/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes by name: those that every state has (measure/), then those that each method brings in its
   descriptor, as one table. */
#include <string.h>

#include "measure/probes.h"
#include "moraine/engine.h"

int mrn_probe_count(void)
{
    int n = mrn_probe_general_count();
    for (int m = 0; m < mrn_method_count(); m++)
        n += mrn_method_at(m)->n_probes;
    return n;
}

/* Probe i with the method that brings it; NULL: there is none. */
static const mrn_probe *look_up(int i, const mrn_method **of)
{
    *of = NULL;
    if (i < mrn_probe_general_count())
        return mrn_probe_general(i);
    i -= mrn_probe_general_count();
    for (int m = 0; m < mrn_method_count(); m++) {
        *of = mrn_method_at(m);
        if (i < (*of)->n_probes)
            return &(*of)->probe[i].probe;
        i -= (*of)->n_probes;
    }
    *of = NULL;
    return NULL;
}

const mrn_probe *mrn_probe_at(int i)
{
    const mrn_method *of;
    return look_up(i, &of);
}

const mrn_method *mrn_probe_method(int i)
{
    const mrn_method *of;
    look_up(i, &of);
    return of;
}

static const char *probe_name(const void *user, int i)
{
    (void)user;
    const mrn_probe *p = mrn_probe_at(i);
    return p != NULL ? p->name : "";
}

mrn_status mrn_probe_check(const mrn_scene *scene, const char *name, const char **unit,
                           mrn_message *msg)
{
    const char *scratch;
    mrn_status status;
    unit = unit != NULL ? unit : &scratch;
    *unit = "1";
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_probe *p = mrn_probe_at(i);
        if (p != NULL && strcmp(p->name, name) == 0) {
            *unit = p->unit;
            return MRN_OK;
        }
    }
    if (mrn_probe_composed(scene, name, unit, &status, msg))
        return status;
    const char *best = mrn_closest_of(name, mrn_probe_count(), probe_name, NULL);
    mrn_fail(msg, MRN_ERR_INPUT, "there is no probe '%s'", name);
    mrn_fail_expected(msg,
                      "a probe such as kinetic-energy, walls.NAME.force.z or groups.NAME.mean-z");
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s'?", best);
    return MRN_ERR_INPUT;
}
