/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the event-driven method tells of itself: its probes, and how its collisions went. Rates and
   pressures are means since the stage began, for an instant has no collision; sums since the start
   give means over any interval from two rows. */
#include "event/report.h"

#include <math.h>

enum { COLLISIONS, AT_WALLS, ELASTIC, RATE, FREE_TIME, VIRIAL, COLLISIONAL, WHOLE };

static int64_t free_grains(const mrn_state *s)
{
    int64_t n = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        n += !(s->body.flags[i] & MRN_BODY_FIXED);
    return n;
}

static double of_report(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene;
    const mrn_event_report *r = &s->event;
    return k == COLLISIONS ? r->collisions : k == AT_WALLS ? r->at_walls : r->elastic;
}

/* Collisions of a grain per second: one of two grains counts for both. */
static double rate(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)scene;
    double span = s->time - s->event.since, n = (double)free_grains(s);
    double ends = 2 * s->event.stage_collisions + s->event.stage_at_walls;
    double each = span > 0 && n > 0 ? ends / (n * span) : NAN;
    return k == RATE ? each : 1 / each;
}

static double virial(const mrn_scene *scene, const mrn_state *s, int k)
{
    (void)k;
    const double *w = s->event.virial;
    return w[MRN_XX] + w[MRN_YY] + (scene->dimension == 3 ? w[MRN_ZZ] : 0);
}

/* Of a cell that is periodic all around: elsewhere the walls bear the pressure. */
static double pressure(const mrn_scene *scene, const mrn_state *s, int k)
{
    double volume = 1, span = s->time - s->event.since, energy = 0, px = 0, py = 0, pz = 0, m = 0;
    for (int d = 0; d < scene->dimension; d++)
        volume *= scene->cell.periodic[d] ? s->cell_size[d] : NAN;
    double collisional = span > 0 ? virial(scene, s, 0) / (span * scene->dimension * volume) : NAN;
    if (k == COLLISIONAL)
        return collisional;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        const double *v = s->body.v + 3 * (size_t)i;
        double mass = s->body.flags[i] & MRN_BODY_FIXED ? 0 : s->body.mass[i];
        energy += mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        px += mass * v[0], py += mass * v[1], pz += mass * v[2];
        m += mass;
    }
    energy -= m > 0 ? (px * px + py * py + pz * pz) / m : 0; /* of the mean motion */
    return collisional + energy / (scene->dimension * volume);
}

const mrn_method_probe mrn_event_probes[MRN_EVENT_PROBES] = {
    {{"collisions", "1", "Collisions of two grains since the start (method event)."},
     of_report,
     COLLISIONS},
    {{"wall-collisions", "1", "Collisions of grains with walls since the start (method event)."},
     of_report,
     AT_WALLS},
    {{"elastic-collisions", "1",
      "Collisions since the start that came less than the collapse time after another and were "
      "therefore elastic (method event)."},
     of_report,
     ELASTIC},
    {{"collision-rate", "1/s",
      "Collisions of a free grain per second, with grains and walls, mean since the stage began "
      "(method event)."},
     rate,
     RATE},
    {{"mean-free-time", "s",
      "Time between two collisions of a free grain, mean since the stage began (method event)."},
     rate,
     FREE_TIME},
    {{"collision-virial", "J s",
      "Sum over the collisions of two grains since the stage began of impulse times distance of "
      "centres (method event): its growth over an interval, over dimension, volume and interval, "
      "is the collisional pressure."},
     virial,
     VIRIAL},
    {{"collisional-pressure", "Pa",
      "Pressure by collisions in a cell that is periodic all around, mean since the stage began "
      "(method event)."},
     pressure,
     COLLISIONAL},
    {{"gas-pressure", "Pa",
      "Collisional pressure, mean since the stage began, and that of the velocities of now in a "
      "cell that is periodic all around (method event)."},
     pressure,
     WHOLE},
};

const mrn_method_column mrn_event_columns[MRN_EVENT_COLUMNS] = {
    {"collisions", "collisions", "", 13, NULL},
    {"at walls", "wall-collisions", "", 13, NULL},
    {"T (m2/s2)", "granular-temperature", "1", 12, NULL},
};

void mrn_event_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to)
{
    (void)scene;
    const mrn_event_report *r = &s->event;
    double n = r->collisions + r->at_walls;
    if (s->flights.flight == NULL)
        return;
    mrn_report_number(to, "collisions", r->collisions);
    mrn_report_number(to, "wall-collisions", r->at_walls);
    mrn_report_number(to, "collapse-time", r->collapse_time);
    mrn_report_number(to, "made-elastic", r->elastic);
    mrn_report_number(to, "sliding", r->sliding);
    mrn_report_number(to, "cell-crossings", r->crossings);
    mrn_report_line(to, "collisions", "%s of two grains, %s with walls; %s cells crossed",
                    mrn_readable_count((int64_t)r->collisions).s,
                    mrn_readable_count((int64_t)r->at_walls).s,
                    mrn_readable_count((int64_t)r->crossings).s);
    if (r->elastic > 0)
        mrn_report_line(to, "collapse", "%s collisions (%.2g %%) within %s of another were elastic",
                        mrn_readable_count((int64_t)r->elastic).s, 100 * r->elastic / n,
                        mrn_readable_si(r->collapse_time, "s").s);
}
