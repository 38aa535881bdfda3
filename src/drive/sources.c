/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains that enter through inlets and leave through outlets. */
#include "drive/sources.h"

#include "geom/cluster.h"

int mrn_inlet_order(const mrn_scene *scene, int group)
{
    int order = 0;
    if (group < 0 || group >= scene->n_groups || scene->group[group].place != MRN_PLACE_INLET)
        return -1;
    for (int g = 0; g < group; g++)
        order += scene->group[g].place == MRN_PLACE_INLET;
    return order < MRN_INLET_MAX ? order : -1;
}

double mrn_source_energy(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    const mrn_bodies *b = &s->body;
    if (b->flags[i] & (MRN_BODY_MEMBER | MRN_BODY_FIXED))
        return 0;
    mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i), g = mrn_load3(s->gravity);
    return 0.5 * b->mass[i] * mrn_dot(v, v) + mrn_rotational_energy(scene, b, i) -
           b->mass[i] * mrn_dot(g, mrn_unwrapped(scene, s, i));
}

bool mrn_drive_has_sources(const mrn_scene *scene)
{
    bool any = scene->n_outlets > 0;
    for (int g = 0; g < scene->n_groups; g++)
        any = any || scene->group[g].place == MRN_PLACE_INLET;
    return any;
}

/* In this order, so that a number given free by a grain that leaves goes to a newcomer only after
   the neighbour list has forgotten it. */
mrn_status mrn_drive_sources(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg)
{
    *changed = false;
    mrn_status st = mrn_inlets_open(scene, s, changed, msg);
    return st == MRN_OK ? mrn_outlets_open(scene, s, changed, msg) : st;
}

double mrn_drive_inlet_debt(const mrn_scene *scene, const mrn_state *s, int group)
{
    int order = mrn_inlet_order(scene, group);
    return order < 0 ? 0 : s->drive.inlet_debt[order];
}
