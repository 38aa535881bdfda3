/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine probes: what can be measured. */
#include "app.h"

static const char *const wall_probes[] = {"walls.NAME.force.x|y|z", "walls.NAME.torque.x|y|z",
                                          "walls.NAME.position.x|y|z"};

static const char *const more[][3] = {
    {"groups.NAME.position.x|y|z", "m", "centre of mass of a group"},
    {"groups.NAME.velocity.x|y|z", "m/s", "velocity of the centre of mass of a group"},
    {"groups.NAME.spin.x|y|z", "rad/s", "mean angular velocity of the grains of a group"},
    {"groups.NAME.turn.x|y|z", "degree",
     "rotation since the start, as a vector (the mean of the grains); of listed grains alone"},
    {"groups.NAME.tilt", "degree",
     "how far what pointed up at the start leans now (the mean); of listed grains alone"},
    {"groups.NAME.force.x|y|z", "N", "force of all contacts with others on a group"},
    {"groups.NAME.moment.x|y|z", "N m",
     "moment of these contacts about the centre of mass of the group"},
    {"groups.NAME.from.OTHER.force.x|y|z", "N",
     "the same of the contacts with one other group or wall alone"},
    {"groups.NAME.from.OTHER.moment.x|y|z", "N m",
     "the same of the contacts with one other group or wall alone"},
    {"bodies.NAME/K.…", "",
     "all these of grain K of group NAME, counted from 0 among those that are there: "
     "bodies.plate/0.from.floor.force.z"},
    {"outlets.NAME.count", "1", "grains an outlet has taken since the start"},
    {"outlets.NAME.mass", "kg", "mass an outlet has taken since the start"},
    {"outlets.NAME.rate", "kg/s",
     "mass an outlet takes per second, from row to row of probes.csv (a column alone)"},
    {"inlets.NAME.count", "1", "grains that have entered with a group since the start"},
    {"inlets.NAME.mass", "kg", "mass that has entered with a group"},
    {"inlets.NAME.debt", "1", "grains (kg) due that found no place yet"},
    {"mixing.GROUP.GROUP", "1", "Lacey's mixing index of two groups: 0 apart, 1 mixed at random"},
    {"segregation.GROUP.GROUP", "1", "intensity of segregation of two groups: 1 apart"},
    {"separation.GROUP.GROUP", "m",
     "how much higher the centre of the first group is than that of the second"},
    {"deposit.x|y|z", "m",
     "length of the deposit along an axis: between the outermost points of the largest set of free "
     "grains that hang together (less than a tenth of the mean diameter apart); less the width of "
     "the column before, the run-out of a collapse"},
};

static json_t *probe_json(void)
{
    json_t *all = json_array();
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_probe *p = mrn_probe_at(i);
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s}", "name", p->name, "unit", p->unit, "doc", p->doc));
    }
    return all;
}

int mrn_cmd_probes(int argc, char **argv)
{
    bool json = false, markdown = false;
    const mrn_app_page page = {
        .usage = "probes [--markdown | --json]",
        .doc = "A probe is a number measured on the state. Each can be a column of probes.csv,\n"
               "output: {probes: [usual, walls.floor.force.z]},  and can end a stage:\n"
               "until: {kinetic-energy-ratio: 1e-6}.  PROBE.rate, as a column, is its change from\n"
               "row to row per second; stress.* stands for all that begin so, usual for those that "
               "a run\nhas when none is asked for, all for all. Walls and groups have probes of "
               "their own, by\ntheir names.",
        .examples = "moraine probes"};
    const mrn_app_option options[] = {
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Print JSON."},
        {.name = "markdown", .kind = MRN_OPT_FLAG, .target = &markdown, .doc = "Print Markdown."},
    };
    int n, code = mrn_app_parse(&page, options, 2, argc, argv, NULL, 0, &n);
    if (code >= 0)
        return code;
    if (json)
        return mrn_app_json(probe_json());
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"probe", "unit", "meaning"});
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_probe *p = mrn_probe_at(i);
        mrn_app_table_row(&t, (const char *[]){p->name, p->unit, p->doc});
    }
    mrn_app_table_row(&t, (const char *[]){wall_probes[0], "N", "force of the grains on a wall"});
    mrn_app_table_row(&t,
                      (const char *[]){wall_probes[1], "N m", "torque of the grains on a wall"});
    mrn_app_table_row(&t, (const char *[]){wall_probes[2], "m", "where a wall is"});
    mrn_app_table_row(&t, (const char *[]){"walls.NAME.pressure", "Pa",
                                           "what the grains press with on a servo wall"});
    mrn_app_table_row(&t, (const char *[]){"groups.NAME.count", "1", "grains of a group"});
    mrn_app_table_row(
        &t, (const char *[]){"groups.NAME.mean-x|mean-y|mean-z", "m", "mean position of a group"});
    mrn_app_table_row(&t,
                      (const char *[]){"groups.NAME.mean-speed", "m/s", "mean speed of a group"});
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        mrn_app_table_row(&t, more[i]);
    if (markdown)
        mrn_app_table_markdown(&t, stdout);
    else
        mrn_app_table_print(&t, stdout);
    return MRN_EXIT_OK;
}
