/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the quasi-static method tells of itself: its probes. */
#include "quasistatic/report.h"

enum { ITERATIONS, RESIDUAL, INSTABILITIES };

static double of_report(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene;
    const mrn_quasistatic_report *q = &s->quasistatic;
    return k == ITERATIONS ? q->last_iterations : k == RESIDUAL ? q->residual : q->instabilities;
}

const mrn_method_probe mrn_quasistatic_probes[MRN_QUASISTATIC_PROBES] = {
    {{"increment-iterations", "1", "Iterations of the last increment (method quasistatic)."},
     of_report,
     ITERATIONS},
    {{"increment-residual", "1",
      "Largest net force on a grain after the last increment, over the mean contact force (method "
      "quasistatic)."},
     of_report,
     RESIDUAL},
    {{"instabilities", "1",
      "How often the contact network gave way since the start, so that no equilibrium was near "
      "(method quasistatic)."},
     of_report,
     INSTABILITIES},
};
