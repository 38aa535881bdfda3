/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why methods may differ, with the size of each reason, and plots of a cross-check. */
#include <math.h>
#include <string.h>

#include "crosscheck.h"

/* ---- reasons ---- */

static double mean_overlap(const mrn_trials *t, int i, double *largest)
{
    double sum = 0;
    int n = 0;
    *largest = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, i, k);
        if (!mrn_trial_counts(r) || !isfinite(r->overlap))
            continue;
        sum += r->overlap;
        *largest = fmax(*largest, r->largest_overlap);
        n++;
    }
    return n > 0 ? sum / n : NAN;
}

/* Grains of equal size: the effective radius is a quarter of the distance of the centres. */
static void tell_stiffness(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    for (int i = 0; i < t->n_variants; i++) {
        double most, mean = mean_overlap(t, i, &most);
        if (!(mean > 0))
            continue;
        if (t->variant[i].method->rigid_contacts) {
            mrn_cli_words(o,
                          "Overlaps, %s: %.2g %% of the effective radius on average (%.2g %% at "
                          "most), where rigid grains have none: an error of its step and solver.",
                          t->variant[i].name, 100 * mean, 100 * most);
            continue;
        }
        mrn_cli_words(
            o,
            "Finite stiffness, %s: contacts overlap by %.2g %% of the effective radius on "
            "average (%.2g %% at most). That brings centres nearer by %.2g %% and raises "
            "the solid fraction by about %.2g %% above that of rigid grains; contacts "
            "that only just close count here and not there.",
            t->variant[i].name, 100 * mean, 100 * most, 25 * mean,
            25 * mean * x->w.scene.dimension);
    }
}

static void tell_restitution(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    bool rigid = false, elastic = false;
    for (int i = 0; i < t->n_variants; i++) {
        rigid |= t->variant[i].method->rigid_contacts;
        elastic |= !t->variant[i].method->rigid_contacts;
    }
    if (rigid && elastic)
        mrn_cli_words(o, "Restitution: rigid contacts rebound at once by Newton's law, and not at "
                         "all below a threshold of speed; springs take the time of a contact, in "
                         "which neighbours answer. Two grains come out the same, several that "
                         "touch do not; tangential springs give some of the slip back, rigid "
                         "contacts as much as tangential-restitution says (0 by default).");
}

/* Contacts per grain over all runs of a variant. */
static double contacts_per_grain(const mrn_trials *t, int i)
{
    double contacts = 0, grains = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, i, k);
        contacts += mrn_trial_counts(r) ? (double)r->contacts : 0;
        grains += mrn_trial_counts(r) ? (double)r->grains : 0;
    }
    return grains > 0 ? contacts / grains : 0;
}

/* Where contacts are impacts, what an instant shows depends on how long one lasts. */
static void tell_impacts(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    double most = 0;
    for (int i = 0; i < t->n_variants; i++)
        most = fmax(most, contacts_per_grain(t, i));
    if (most < 0.5)
        mrn_cli_words(o,
                      "Impacts: %.2g contacts per grain at an instant, so contacts are impacts. A "
                      "rigid one is over within a step, one of springs lasts its contact time: "
                      "coordination and contact forces, which are those of an instant, are not the "
                      "same thing under the two; energies, heights and means of stress over time "
                      "are.",
                      most);
}

static bool has_servos(const mrn_scene *s)
{
    bool any = false;
    for (int w = 0; w < s->n_walls; w++)
        any |= s->wall[w].motion.kind == MRN_MOTION_SERVO;
    for (int k = 0; k < s->n_stages; k++)
        for (int i = 0; i < s->stage[k].n_motions; i++)
            any |= s->stage[k].motion[i].kind == MRN_MOTION_SERVO;
    return any;
}

static void tell_servos(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    int carry = 0;
    for (int i = 0; i < t->n_variants; i++)
        carry += t->variant[i].method->carries_servos;
    if (carry > 0 && carry < t->n_variants && has_servos(&x->w.scene))
        mrn_cli_words(o, "Servo walls: some methods move them as bodies under their load, others "
                         "at a speed found from the load they lack. Under way they do not go the "
                         "same way, which shows in energies; at rest they bear the same.");
}

static void tell_steps(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    char list[300] = "";
    for (int i = 0; i < t->n_variants; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s %.20s", i > 0 ? ", " : "", t->variant[i].name,
                 t->variant[i].method->continuous
                     ? "none"
                     : mrn_readable_si(mrn_trials_at(t, i, 0)->step, "s").s);
    }
    mrn_cli_words(o,
                  "Steps: %s. `moraine converge %s --vary step --method NAME` tells what each of "
                  "them is worth.",
                  list, x->w.q.path);
}

static void tell_self_stress(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    for (int i = 0; i < t->n_variants; i++) {
        double sum = 0, contacts = 0;
        int n = 0;
        for (int k = 0; k < t->n_seeds; k++) {
            const mrn_trial *r = mrn_trials_at(t, i, k);
            if (!mrn_trial_counts(r) || r->self_stress < 0)
                continue;
            sum += (double)r->self_stress;
            contacts += (double)r->contacts;
            n++;
        }
        if (n == 0 || !t->variant[i].method->rigid_contacts || !(sum > 0))
            continue;
        mrn_cli_words(o,
                      "Forces left open, %s: the networks have %.0f states of self-stress on "
                      "average (with %.0f contacts). Along these statics does not fix forces "
                      "between rigid grains: spread and distribution of forces and mobilised "
                      "friction depend on history and solver within Coulomb's limits; stresses and "
                      "the mean force hardly do.",
                      t->variant[i].name, sum / n, contacts / n);
    }
}

static void tell_inertia(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    for (int i = 0; i < t->n_variants; i++)
        if (!t->variant[i].method->physical_time)
            mrn_cli_words(o,
                          "Inertia: %s has none. Its time is a parameter of the load, kinetic "
                          "energies are not compared, and what others do by moving in between it "
                          "does not.",
                          t->variant[i].name);
}

void mrn_cli_crosscheck_reasons(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    mrn_cli_section(o, "Reasons to differ");
    tell_stiffness(o, x);
    tell_restitution(o, x);
    tell_impacts(o, x);
    tell_servos(o, x);
    tell_self_stress(o, x);
    tell_inertia(o, x);
    tell_steps(o, x);
}

/* ---- plots over time ---- */

enum { GRID = 160 };

/* Between the rows of a run. */
static double at_time(const mrn_trial *r, int w, int k, double time)
{
    int64_t lo = 0, hi = r->n_rows - 1;
    if (r->n_rows < 2 || time < r->row[0] || time > r->row[hi * w])
        return NAN;
    while (hi - lo > 1) {
        int64_t mid = (lo + hi) / 2;
        *(r->row[mid * w] <= time ? &lo : &hi) = mid;
    }
    const double *a = r->row + lo * w, *b = r->row + hi * w;
    double s = b[0] > a[0] ? (time - a[0]) / (b[0] - a[0]) : 0;
    return (1 - s) * a[1 + k] + s * b[1 + k];
}

/* Mean and standard deviation over seeds on a grid of times. */
static void course(const mrn_trials *t, int variant, int k, const double *time, double *mean,
                   double *sd)
{
    for (int i = 0; i < GRID; i++) {
        double y[256];
        int n = 0;
        for (int s = 0; s < t->n_seeds && s < 256; s++) {
            const mrn_trial *r = mrn_trials_at(t, variant, s);
            double v = mrn_trial_counts(r) ? at_time(r, t->n_figures + 1, k, time[i]) : NAN;
            if (isfinite(v))
                y[n++] = v;
        }
        mrn_scatter c = mrn_scatter_of(y, n);
        mean[i] = c.mean;
        sd[i] = c.sd;
    }
}

static void add_course(mrn_cli_chart *c, const mrn_trials *t, int variant, int k,
                       const double *time)
{
    double mean[GRID], sd[GRID], x[2 * GRID], y[2 * GRID];
    int n = 0;
    course(t, variant, k, time, mean, sd);
    for (int i = 0; i < GRID; i++)
        if (isfinite(mean[i]) && sd[i] > 0) {
            x[n] = time[i];
            y[n++] = mean[i] + sd[i];
        }
    for (int i = GRID, m = n; i-- > 0 && m > 0;)
        if (isfinite(mean[i]) && sd[i] > 0) {
            x[n] = time[i];
            y[n++] = mean[i] - sd[i];
        }
    if (n > 2)
        mrn_cli_chart_add(c, "", MRN_SERIES_AREA, variant, n, x, y, NULL);
    mrn_cli_chart_add(c, t->variant[variant].name, MRN_SERIES_LINE, variant, GRID, time, mean,
                      NULL);
}

static double longest_time(const mrn_trials *t)
{
    double most = 0;
    for (int i = 0; i < t->n_variants * t->n_seeds; i++)
        most = fmax(most, t->trial[i].time);
    return most;
}

static void plot_course(mrn_cli_out *o, const mrn_trials *t, int k)
{
    mrn_cli_chart c;
    double time[GRID], end = longest_time(t);
    bool any = false;
    for (int i = 0; i < t->n_variants; i++)
        any |= mrn_trials_at(t, i, 0)->n_rows > 1;
    if (!any || t->figure[k].kind == MRN_FIGURE_TAIL)
        return;
    for (int i = 0; i < GRID; i++)
        time[i] = end * i / (GRID - 1);
    mrn_cli_chart_begin(&c, t->figure[k].name, "time, s", mrn_cli_figure_name(&t->figure[k]).s);
    for (int i = 0; i < t->n_variants; i++)
        if (mrn_figure_suits(&t->figure[k], t->variant[i].method))
            add_course(&c, t, i, k, time);
    mrn_cli_chart_end(&c, o, mrn_cli_figure_file(&t->figure[k]).s, MRN_PAGE_HALF,
                      "Mean over seeds; the band is one standard deviation of a run.");
}

/* ---- forces ---- */

/* Part of the forces above a value, all seeds together, where at least one is left. */
static void add_forces(mrn_cli_chart *c, const mrn_trials *t, int variant)
{
    double x[GRID], y[GRID];
    int64_t all = 0;
    for (int k = 0; k < t->n_seeds; k++)
        all += mrn_trials_at(t, variant, k)->n_forces;
    for (int i = 0; i < GRID && all > 0; i++) {
        int64_t above = 0;
        x[i] = 8. * i / (GRID - 1);
        for (int k = 0; k < t->n_seeds; k++) {
            const mrn_trial *r = mrn_trials_at(t, variant, k);
            for (int m = r->n_forces; m > 0 && r->force[m - 1] > x[i]; m--)
                above++;
        }
        y[i] = above > 0 ? (double)above / (double)all : NAN;
    }
    if (all > 0)
        mrn_cli_chart_add(c, t->variant[variant].name, MRN_SERIES_LINE, variant, GRID, x, y, NULL);
}

void mrn_cli_crosscheck_plots(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    mrn_cli_chart c;
    bool forces = false;
    if (o->page != NULL)
        mrn_page_section(o->page, "Over time");
    for (int k = 0; k < t->n_figures; k++)
        plot_course(o, t, k);
    for (int i = 0; i < x->n; i++)
        forces |= x->pair[i].figure < 0;
    if (!forces)
        return;
    mrn_cli_chart_begin(&c, "Forces at the end", "normal force over its mean",
                        "part of the contacts above");
    c.plot.y_log = true;
    for (int i = 0; i < t->n_variants; i++)
        add_forces(&c, t, i);
    mrn_cli_chart_end(&c, o, "forces", MRN_PAGE_HALF, "All seeds together.");
}
