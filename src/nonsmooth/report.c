/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the non-smooth method tells of itself: its probes. */
#include "nonsmooth/report.h"

enum {
    SWEEPS,
    NATURAL,
    VIOLATION_MEAN,
    VIOLATION_MAX,
    UNSOLVED,
    OVERLAP_MAX,
    OVERLAP_MEAN,
    ASLEEP,
    PROJECTED,
    LOST_SCHEME
};

static double of_solver(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene;
    const mrn_nonsmooth_report *n = &s->nonsmooth;
    const double value[] = {
        [SWEEPS] = n->last_sweeps,        [NATURAL] = n->last_residual,
        [VIOLATION_MEAN] = n->last_mean,  [VIOLATION_MAX] = n->last_max,
        [UNSOLVED] = n->unsolved,         [OVERLAP_MAX] = n->overlap_max,
        [OVERLAP_MEAN] = n->overlap_mean, [ASLEEP] = n->asleep,
        [PROJECTED] = n->projected,       [LOST_SCHEME] = s->ledger.lost_scheme};
    return value[k];
}

/* Points that touch or bear: two faces of polyhedra have several. */
static double contact_points(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene, (void)k;
    const mrn_contacts *t = &s->contact;
    int64_t n = 0;
    for (int64_t i = 0; i < t->n; i++)
        n += t->gap[i] <= 0 || t->impulse[i * t->impulse_width] != 0;
    return (double)n;
}

const mrn_method_probe mrn_nonsmooth_probes[MRN_NONSMOOTH_PROBES] = {
    {{"contact-points", "1",
      "Points at which grains touch each other and walls at the last step (non-smooth engine): two "
      "faces have several, a contact of the network is all the points of two bodies."},
     contact_points,
     0},
    {{"sweeps", "1", "Sweeps (iterations) that the last step took (non-smooth engine)."},
     of_solver,
     SWEEPS},
    {{"residual", "1",
      "Natural-map residual of the contact problem of the last step (non-smooth engine)."},
     of_solver,
     NATURAL},
    {{"violation-mean", "1",
      "Mean violation of the contact laws in the last step, over the reference energy (non-smooth "
      "engine)."},
     of_solver,
     VIOLATION_MEAN},
    {{"violation-max", "1",
      "Largest violation of the contact laws in the last step, over the reference energy "
      "(non-smooth engine)."},
     of_solver,
     VIOLATION_MAX},
    {{"unsolved", "1",
      "Contact problems not solved to the tolerance since the start (non-smooth engine)."},
     of_solver,
     UNSOLVED},
    {{"overlap-max", "m", "Largest overlap at the last step (non-smooth engine)."},
     of_solver,
     OVERLAP_MAX},
    {{"overlap-mean", "m",
      "Mean overlap at the last step, over the contacts that touch (non-smooth engine)."},
     of_solver,
     OVERLAP_MEAN},
    {{"asleep", "1", "Grains asleep: at rest and left out until disturbed (non-smooth engine)."},
     of_solver,
     ASLEEP},
    {{"projected-energy", "J",
      "Work of taking overlaps out by moving grains, since the start (non-smooth engine)."},
     of_solver,
     PROJECTED},
    {{"energy-lost-scheme", "J",
      "Taken by the time scheme since the start: theta above 1/2, joints, overlaps taken out; "
      "negative: given (non-smooth engine)."},
     of_solver,
     LOST_SCHEME},
};
