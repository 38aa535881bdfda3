/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the quasi-static method tells of itself: its probes, and how its increments went. */
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

static void put_values(const mrn_quasistatic_report *q, const mrn_report_sink *to)
{
    mrn_report_number(to, "increments", q->increments);
    mrn_report_number(to, "iterations", q->iterations);
    mrn_report_number(to, "residual", q->residual);
    mrn_report_number(to, "sliding", q->sliding);
    mrn_report_number(to, "contacts-lost", q->open);
    mrn_report_number(to, "instabilities", q->instabilities);
    if (q->instabilities > 0) {
        mrn_report_number(to, "last-instability", q->last_time);
        if (q->supportable < 0)
            mrn_report_number(to, "supportable-there", NAN);
        else
            mrn_report_put(to, MRN_REPORT_FLAG, "supportable-there", q->supportable > 0);
    }
    mrn_report_number(to, "smooth-steps", q->smooth_steps);
}

void mrn_quasistatic_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to)
{
    (void)scene; /* a stage before the present one may have had the method */
    const mrn_quasistatic_report *q = &s->quasistatic;
    if (!(q->increments > 0 || q->active > 0))
        return;
    put_values(q, to);
    mrn_report_line(to, "increments",
                    "%s without inertia, %s iterations; last residual %.2g of the mean force",
                    mrn_readable_count((int64_t)q->increments).s,
                    mrn_readable_count((int64_t)q->iterations).s, q->residual);
    if (q->instabilities > 0)
        mrn_report_line(to, "gave way", "%s time%s, last at %s; %s steps of dynamics in between",
                        mrn_readable_count((int64_t)q->instabilities).s,
                        q->instabilities == 1 ? "" : "s", mrn_readable_si(q->last_time, "s").s,
                        mrn_readable_count((int64_t)q->smooth_steps).s);
}
