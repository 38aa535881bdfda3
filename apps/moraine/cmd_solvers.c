/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solvers: the solvers of frictional-contact problems and what stops them. */
#include <string.h>

#include "catalogue.h"

static const char *solver_name(int i)
{
    return mrn_solver_at(i)->name;
}

/* "2D, 3D, 3D rolling": the kinds of contact it can. */
static void kinds_text(const mrn_solver *s, char *buf, size_t size)
{
    buf[0] = '\0';
    for (int k = 0; k < MRN_CONTACT_KINDS; k++) {
        size_t at = strlen(buf);
        if (s->kinds >> k & 1)
            snprintf(buf + at, size - at, "%s%s", at > 0 ? ", " : "",
                     mrn_contact_layout_of((mrn_contact_kind)k)->name);
    }
}

/* All kinds need no list in a narrow column. */
static void kinds_short(const mrn_solver *s, char *buf, size_t size)
{
    if ((s->kinds & ((1U << MRN_CONTACT_KINDS) - 1)) == (1U << MRN_CONTACT_KINDS) - 1)
        snprintf(buf, size, "all");
    else
        kinds_text(s, buf, size);
}

static void print(mrn_app_table *t, bool markdown)
{
    if (markdown)
        mrn_app_table_markdown(t, stdout);
    else
        mrn_app_table_print(t, stdout);
}

/* ---- what stops a solver ---- */

/* One text per criterion, a switch so that a new one cannot be forgotten. */
static const char *criterion_doc(mrn_criterion c)
{
    switch (c) {
    case MRN_STOP_NATURAL:
        return "The residual err_v = |F| / (rho |q|) with the natural map F = r - P_K(r - rho (u + "
               "g(u))) and rho = 1 / mean diagonal of W. Free of units; 0 exactly at a solution; "
               "every solver knows it. 1e-4 is a time step of a simulation, 1e-8 a reference.";
    case MRN_STOP_CONTACT:
        return "Contact by contact: the change of the normal impulse in one update, as a velocity, "
               "W_NN |dr_N| <= tolerance |q|_rms, in 2 n updates one after the other. Cheap; says "
               "that the iteration has become slow, which is not yet that it is near the solution.";
    case MRN_STOP_MEAN:
        return "What one sweep changes, as an energy over the reference energy of the contacts: "
               "sum of dr.W_ii dr / (1/2 sum of (r.W_ii r + r'.W_ii r')), r' before the sweep and "
               "r = r' + dr after it.";
    case MRN_STOP_QUADRATIC:
        return "Its square root: a ratio of impulses instead of one of energies.";
    case MRN_STOP_MAX:
        return "The worst contact alone: the largest term of that sum over the mean energy of the "
               "contacts that bear, 1/2 (r.W_ii r + r'.W_ii r'). Never below the mean.";
    case MRN_STOP_SIGNED:
        return "By how much the energy of the contacts has changed in the sweep, 1/2 sum of "
               "(r.W_ii r - r'.W_ii r') over the same reference, either sign: what goes to and "
               "fro between contacts does not count. Never above quadratic.";
    case MRN_CRITERIA:
        break;
    }
    return "";
}

static void criteria(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"criterion", "solvers", "what it compares"});
    for (int c = 0; c < MRN_CRITERIA; c++)
        mrn_app_table_row(&t, (const char *[]){mrn_criterion_name((mrn_criterion)c),
                                               c == MRN_STOP_NATURAL ? "all" : "sweeping",
                                               criterion_doc((mrn_criterion)c)});
    puts(markdown ? "\n## Criteria\n\nWhat is compared with the tolerance (`--criterion`). All of "
                    "them are reported, whichever decides. \"Sweeping\": Gauss-Seidel solvers.\n"
                  : "\nCriteria, what is compared with the tolerance (--criterion); all are "
                    "reported, whichever decides:");
    print(&t, markdown);
}

/* ---- list and pages ---- */

static void solver_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"solver", "solves", "what it is"});
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        char kinds[128], name[80];
        kinds_short(s, kinds, sizeof kinds);
        snprintf(name, sizeof name, "%s%s", s->name, i == 0 ? " (default)" : "");
        mrn_app_table_row(&t, (const char *[]){name, kinds, s->summary});
    }
    if (markdown)
        puts("# Solvers\n\nSolvers of frictional-contact problems, for `moraine solve`. Which one "
             "when, and how to read the residuals: [solvers.md](../solvers.md).\n");
    print(&t, markdown);
    criteria(markdown);
}

static int solver_params(const mrn_solver *s, const mrn_param **out)
{
    int n = s->n_params < MRN_PARAM_MAX ? s->n_params : MRN_PARAM_MAX;
    for (int k = 0; k < n; k++)
        out[k] = &s->params[k];
    return n;
}

static void abilities(const mrn_solver *s, bool markdown)
{
    char kinds[160], text[512];
    kinds_text(s, kinds, sizeof kinds);
    const char *needs = s->wants_bodies ? "H and M (a global problem)"
                        : s->wants_W    ? "W (computed from H and M where it is not given)"
                                        : "W, or H and M";
    snprintf(text, sizeof text,
             "Contacts: %s%s. Criteria: %s. Needs: %s. Limit of iterations, unless set otherwise: "
             "%s.",
             kinds, s->bilateral ? "; bilateral ones too" : "", s->sweeps ? "all" : "natural",
             needs, mrn_readable_count(s->max_iterations).s);
    mrn_catalogue_paragraph(text, markdown);
}

static void solver_page(int i, bool markdown)
{
    const mrn_solver *s = mrn_solver_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    mrn_catalogue_heading(s->name, s->summary, markdown);
    mrn_catalogue_paragraph(s->doc, markdown);
    if (s->advice != NULL && s->advice[0] != '\0') {
        char advice[4096];
        snprintf(advice, sizeof advice, markdown ? "**When:** %s" : "When: %s", s->advice);
        mrn_catalogue_paragraph(advice, markdown);
    }
    abilities(s, markdown);
    mrn_catalogue_params(params, solver_params(s, params), markdown);
    fputs(markdown ? "\n" : "", stdout);
}

static json_t *solver_json(int i)
{
    const mrn_solver *s = mrn_solver_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    json_t *kinds = json_array();
    for (int k = 0; k < MRN_CONTACT_KINDS; k++)
        if (s->kinds >> k & 1)
            json_array_append_new(kinds,
                                  json_string(mrn_contact_layout_of((mrn_contact_kind)k)->name));
    int n = solver_params(s, params);
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:b, s:b, s:b, s:b, s:I, s:o}", "name",
                     s->name, "summary", s->summary, "doc", s->doc != NULL ? s->doc : "", "advice",
                     s->advice != NULL ? s->advice : "", "default", i == 0, "kinds", kinds,
                     "all_criteria", s->sweeps, "needs_W", s->wants_W, "needs_bodies",
                     s->wants_bodies, "bilateral", s->bilateral, "max_iterations",
                     (json_int_t)s->max_iterations, "options",
                     mrn_catalogue_params_json(params, n));
}

int mrn_cmd_solvers(int argc, char **argv)
{
    static const mrn_catalogue solvers = {.command = "solvers",
                                          .noun = "solver",
                                          .count = mrn_solver_count,
                                          .name = solver_name,
                                          .list = solver_list,
                                          .page = solver_page,
                                          .json = solver_json};
    const mrn_app_page page = {
        .usage = "solvers [NAME] [--markdown | --json]",
        .doc = "Each solver with its method, when to use it and its options, which\n"
               "moraine solve PROBLEM.hdf5 --solver NAME --set option=value  takes.",
        .examples = "moraine solvers\nmoraine solvers nlgs\nmoraine solvers --json"};
    return mrn_catalogue_show(&solvers, &page, argc, argv);
}
