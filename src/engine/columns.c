/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of probes.csv: probes by name, words that stand for several of them, and rates. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "moraine/engine.h"

/* What a run is looked at by when nothing is asked for: whether it goes well, its energy, its bed.
   None of them needs more than one pass over grains and contacts. */
static const char *const usual[] = {"time-step",
                                    "bodies",
                                    "contacts",
                                    "coordination",
                                    "unbalanced-force-ratio",
                                    "max-overlap",
                                    "kinetic-energy",
                                    "rotational-energy",
                                    "elastic-energy",
                                    "gravity-energy",
                                    "dissipated-energy",
                                    "energy-lost-normal",
                                    "energy-lost-tangential",
                                    "energy-lost-damping",
                                    "input-energy",
                                    "wall-work",
                                    "drive-work",
                                    "energy-residual",
                                    "max-speed",
                                    "mean-speed",
                                    "height",
                                    "solid-fraction"};
/* More where the world repeats: there stress and strain are what one looks for. */
static const char *const usual_of_cells[] = {
    "cell-work", "stress.xx",         "stress.yy",  "stress.zz",      "stress.xy",
    "stress.xz", "stress.yz",         "pressure",   "deviator",       "stress-ratio",
    "strain.xx", "strain.yy",         "strain.zz",  "strain.xy",      "strain.xz",
    "strain.yz", "volumetric-strain", "shear-rate", "inertial-number"};

static bool repeats(const mrn_scene *s)
{
    return s->cell.periodic[0] || s->cell.periodic[1] || s->cell.periodic[2];
}

/* xz, yz and zz are of space. */
static bool out_of_plane(const mrn_scene *s, const char *name)
{
    size_t n = strlen(name);
    return s->dimension == 2 && n > 3 && name[n - 3] == '.' && name[n - 1] == 'z';
}

static void visit_usual(const mrn_scene *s, mrn_column_visit *visit, void *user)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        visit(usual[i], user);
    for (size_t i = 0; repeats(s) && i < sizeof usual_of_cells / sizeof *usual_of_cells; i++)
        if (!out_of_plane(s, usual_of_cells[i]))
            visit(usual_of_cells[i], user);
    for (int i = 0; i < mrn_probe_count(); i++)
        if (mrn_probe_method(i) != NULL && mrn_method_is_used(mrn_probe_method(i), s))
            visit(mrn_probe_at(i)->name, user);
}

static void visit_all(const mrn_scene *s, mrn_column_visit *visit, void *user)
{
    for (int i = 0; i < mrn_probe_count(); i++)
        if (mrn_probe_method(i) == NULL || mrn_method_is_used(mrn_probe_method(i), s))
            visit(mrn_probe_at(i)->name, user);
}

/* Letters of "stress." in "stress.*"; 0: it is no such word. */
static size_t family(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".*") == 0 ? n - 1 : 0;
}

static int visit_family(const char *name, mrn_column_visit *visit, void *user)
{
    int found = 0;
    for (int i = 0; i < mrn_probe_count(); i++)
        if (strncmp(mrn_probe_at(i)->name, name, family(name)) == 0) {
            found++;
            if (visit != NULL)
                visit(mrn_probe_at(i)->name, user);
        }
    return found;
}

bool mrn_column_is_word(const char *name)
{
    return strcmp(name, "usual") == 0 || strcmp(name, "all") == 0 || family(name) > 0;
}

void mrn_column_each(const mrn_scene *scene, const char *name, mrn_column_visit *visit, void *user)
{
    if (strcmp(name, "usual") == 0)
        visit_usual(scene, visit, user);
    else if (strcmp(name, "all") == 0)
        visit_all(scene, visit, user);
    else if (family(name) > 0)
        visit_family(name, visit, user);
    else
        visit(name, user);
}

bool mrn_column_rate(const mrn_scene *scene, const char *name, char base[128])
{
    static const char *const way[] = {"%.*s", "%.*s.mass"};
    size_t n = strlen(name);
    if (n < 6 || n > 120 || strcmp(name + n - 5, ".rate") != 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        snprintf(base, 128, way[i], (int)(n - 5), name);
        if (strcmp(base, "time") == 0 || strcmp(base, "step") == 0) /* every row has them */
            return false;
        if (mrn_probe_check(scene, base, NULL, NULL) == MRN_OK)
            return true;
    }
    return false;
}

mrn_status mrn_column_check(const mrn_scene *scene, const char *name, const char **unit,
                            mrn_message *msg)
{
    char base[128];
    const char *scratch;
    unit = unit != NULL ? unit : &scratch;
    *unit = "1";
    if (family(name) > 0 && visit_family(name, NULL, NULL) == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is no probe that begins with '%.*s'", (int)family(name),
                 name);
        return mrn_fail_hint(msg, "stress.*, fabric.*, strain.* and cell.* stand for several");
    }
    if (mrn_column_is_word(name))
        return MRN_OK;
    if (mrn_column_rate(scene, name, base))
        return mrn_probe_check(scene, base, unit, msg);
    return mrn_probe_check(scene, name, unit, msg);
}
