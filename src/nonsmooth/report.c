/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the non-smooth method reports: its probes and columns, its choices, how its problems went.
 */
#include <stdio.h>

#include "detect/list.h"
#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/report.h"

/* ---- probes ---- */

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
    LOST_SCHEME,
    LOST_SHOCKS
};

static double of_solver(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene;
    const mrn_nonsmooth_report *n = &s->nonsmooth;
    const double value[] = {[SWEEPS] = n->last_sweeps,        [NATURAL] = n->last_residual,
                            [VIOLATION_MEAN] = n->last_mean,  [VIOLATION_MAX] = n->last_max,
                            [UNSOLVED] = n->unsolved,         [OVERLAP_MAX] = n->overlap_max,
                            [OVERLAP_MEAN] = n->overlap_mean, [ASLEEP] = n->asleep,
                            [PROJECTED] = n->projected,       [LOST_SCHEME] = s->ledger.lost_scheme,
                            [LOST_SHOCKS] = s->lost_shocks};
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
    {{"energy-lost-shocks", "J",
      "Of what the normal laws lost since the start the part of contacts that close: those that "
      "press in a step and did not in the one before. The rest was taken from contacts that last "
      "(non-smooth engine)."},
     of_solver,
     LOST_SHOCKS},
};

/* ---- console ---- */

static bool sleeps(const mrn_scene *scene)
{
    return scene->nonsmooth.sleep;
}

const mrn_method_column mrn_nonsmooth_columns[MRN_NONSMOOTH_COLUMNS] = {
    {"sweeps", "sweeps", "", 8, NULL},
    {"residual", "residual", "1", 10, NULL},
    {"overlap", "overlap-max", "m", 11, NULL},
    {"asleep", "asleep", "", 9, sleeps},
};

/* ---- choices ---- */

void mrn_nonsmooth_headline(const mrn_scene *scene, char *out, size_t size)
{
    const mrn_nonsmooth_options *n = &scene->nonsmooth;
    snprintf(out, size, "%s to %.2g (%s), theta %g, contacts %s", n->solver, n->tolerance,
             mrn_criterion_name(n->criterion), n->theta,
             mrn_contact_layout_of(scene->contact_kind)->name);
}

void mrn_nonsmooth_choices(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to)
{
    const mrn_nonsmooth_options *n = &scene->nonsmooth;
    const mrn_nonsmooth_report *r = &s->nonsmooth;
    const mrn_contact_layout *l = mrn_contact_layout_of(scene->contact_kind);
    mrn_report_line(to, "method", "nonsmooth, theta %g, gaps: %s", n->theta,
                    mrn_gap_rule_name(n->gap_rule));
    mrn_report_line(to, "contacts", "%s, %d numbers each", l->name, l->block);
    mrn_report_line(to, "solver", "%s to %.3g (%s); not solved: %s", n->solver, n->tolerance,
                    mrn_criterion_name(n->criterion), mrn_unsolved_name(n->unsolved));
    mrn_report_line(to, "overlaps", "%s",
                    n->project ? "taken out by moving grains" : "left as they are");
    if (r->solves > 0)
        mrn_report_line(
            to, "trial", "%s contact points, %.3g sweeps per step, %.0f of %.0f not solved",
            mrn_readable_count(s->contact.n).s, r->sweeps / r->solves, r->unsolved, r->solves);
}

/* ---- how it went ---- */

/* Over the mean radius; 0 without grains. */
static double relative(const mrn_state *s, double overlap)
{
    double radius = mrn_list_mean_radius(s);
    return radius > 0 ? overlap / radius : 0;
}

static void put_choices(const mrn_scene *scene, const mrn_report_sink *to)
{
    const mrn_nonsmooth_options *c = &scene->nonsmooth;
    mrn_report_word(to, "solver", c->solver);
    mrn_report_number(to, "tolerance", c->tolerance);
    mrn_report_word(to, "criterion", mrn_criterion_name(c->criterion));
    mrn_report_number(to, "theta", c->theta);
    mrn_report_word(to, "form", mrn_gap_rule_name(c->gap_rule));
    mrn_report_word(to, "if-unsolved", mrn_unsolved_name(c->unsolved));
    mrn_report_put(to, MRN_REPORT_FLAG, "project", c->project);
    mrn_report_word(to, "contact-kind", mrn_contact_layout_of(scene->contact_kind)->name);
}

static void put_overlaps(const mrn_state *s, const mrn_report_sink *to)
{
    const mrn_nonsmooth_report *n = &s->nonsmooth;
    mrn_report_number(to, "overlap.max.m", n->overlap_max);
    mrn_report_number(to, "overlap.max.of-mean-radius", relative(s, n->overlap_max));
    mrn_report_number(to, "overlap.mean.m", n->overlap_mean);
    mrn_report_number(to, "overlap.mean.of-mean-radius", relative(s, n->overlap_mean));
    mrn_report_number(to, "overlap.ever.m", n->overlap_ever);
    mrn_report_number(to, "overlap.ever.of-mean-radius", relative(s, n->overlap_ever));
}

void mrn_nonsmooth_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to)
{
    const mrn_nonsmooth_report *n = &s->nonsmooth;
    if (scene->method != &mrn_method_nonsmooth)
        return;
    double mean = n->solves > 0 ? n->sweeps / n->solves : 0;
    put_choices(scene, to);
    mrn_report_number(to, "h", s->h);
    mrn_report_number(to, "solves", n->solves);
    mrn_report_number(to, "unsolved", n->unsolved);
    mrn_report_number(to, "halved", n->halved);
    mrn_report_number(to, "switched", n->switched);
    mrn_report_number(to, "sweeps-mean", mean);
    mrn_report_number(to, "residual-last", n->last_residual);
    mrn_report_number(to, "residual-worst", n->worst_residual);
    put_overlaps(s, to);
    mrn_report_number(to, "projected-energy", n->projected);
    mrn_report_number(to, "asleep", n->asleep);
    mrn_report_put(to, MRN_REPORT_COUNT, "contact-points", (double)s->contact.n);
    mrn_report_line(to, "problems", "%s solved, %s not; %.3g sweeps each, worst residual %.2g",
                    mrn_readable_count((int64_t)(n->solves - n->unsolved)).s,
                    mrn_readable_count((int64_t)n->unsolved).s, mean, n->worst_residual);
    mrn_report_line(to, "overlap", "%s at most, %.2g %% of the mean radius",
                    mrn_readable_si(n->overlap_ever, "m").s, 100 * relative(s, n->overlap_ever));
}

mrn_solving mrn_nonsmooth_solving(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_nonsmooth_report *n = &s->nonsmooth;
    return (mrn_solving){.tolerance = scene->nonsmooth.tolerance,
                         .solves = n->solves,
                         .unsolved = n->unsolved,
                         .residual = n->last_residual,
                         .worst = n->worst_residual,
                         .overlap = n->overlap_max,
                         .deepest = n->overlap_ever,
                         .takes_out = scene->nonsmooth.project,
                         .taken_out = n->projected,
                         .cure = "nonsmooth: max-iterations, solver, unsolved",
                         .cure_overlap = scene->nonsmooth.project ? "" : ", or projection: true"};
}
