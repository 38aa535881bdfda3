/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What acts from outside: gravity, forces on grains, outlets, the periodic cell and its control. */
#include <string.h>

#include "compose/compose.h"

static mrn_status check_axis(int axis, mrn_message *msg)
{
    if (axis >= 0 && axis < 3)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_RANGE, "axis %d, it is 0, 1 or 2", axis);
}

mrn_status mrn_scene_set_gravity(mrn_scene *s, mrn_vec3 g, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    const double of[3] = {g.x, g.y, g.z};
    for (int k = 0; k < 3; k++) {
        mrn_signal_release(&s->gravity_of[k]);
        s->gravity_of[k] = mrn_signal_constant(of[k]);
    }
    s->gravity = g;
    mrn_compose_changed(s);
    return MRN_OK;
}

mrn_status mrn_scene_set_gravity_signal(mrn_scene *s, int axis, mrn_signal *g, mrn_message *msg)
{
    mrn_signal own = *g;
    *g = (mrn_signal){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : check_axis(axis, msg);
    if (st != MRN_OK) {
        mrn_signal_release(&own);
        return st;
    }
    mrn_signal_release(&s->gravity_of[axis]);
    s->gravity_of[axis] = own;
    s->gravity = mrn_gravity_at(s->gravity_of, (mrn_instant){0, 0});
    mrn_compose_changed(s);
    return MRN_OK;
}

/* Index of a group, -1 for all of them (no name). */
static mrn_status find_group(const mrn_scene *s, const char *group, int *out, mrn_message *msg)
{
    *out = -1;
    if (group == NULL)
        return MRN_OK;
    *out = mrn_compose_find(MRN_NAMES("group of grains", s->group, s->n_groups), group, msg);
    return *out < 0 ? MRN_ERR_INPUT : MRN_OK;
}

mrn_status mrn_scene_add_force(mrn_scene *s, const char *name, const char *group, mrn_body_force *f,
                               mrn_message *msg)
{
    mrn_body_force own = *f;
    *f = (mrn_body_force){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    if (st == MRN_OK)
        st = mrn_compose_check_new(MRN_NAMES("force", s->force, s->n_forces), name, msg);
    if (st == MRN_OK)
        st = find_group(s, group, &own.group, msg);
    if (st == MRN_OK) {
        mrn_compose_name(own.name, name);
        st = mrn_compose_append(&s->force, &s->n_forces, sizeof own, &own, msg);
    }
    if (st == MRN_OK)
        mrn_compose_changed(s);
    for (int k = 0; k < 3 && st != MRN_OK; k++) {
        mrn_signal_release(&own.force[k]);
        mrn_signal_release(&own.torque[k]);
    }
    return st;
}

mrn_status mrn_scene_add_outlet(mrn_scene *s, const char *name, const char *group,
                                mrn_region region, bool outside, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_outlet o = {.region = region, .outside = outside};
    mrn_status st = mrn_compose_check_new(MRN_NAMES("outlet", s->outlet, s->n_outlets), name, msg);
    if (st == MRN_OK)
        st = find_group(s, group, &o.group, msg);
    if (st != MRN_OK)
        return st;
    mrn_compose_name(o.name, name);
    st = mrn_compose_append(&s->outlet, &s->n_outlets, sizeof o, &o, msg);
    if (st == MRN_OK)
        mrn_compose_changed(s);
    return st;
}

/* ---- the cell ---- */

mrn_status mrn_scene_set_period(mrn_scene *s, int axis, double origin, double size,
                                mrn_message *msg)
{
    mrn_status st = mrn_compose_failed(msg) ? msg->status : check_axis(axis, msg);
    if (st != MRN_OK)
        return st;
    s->cell.periodic[axis] = true;
    s->cell.origin[axis] = origin;
    s->cell.size[axis] = size;
    mrn_compose_changed(s);
    return MRN_OK;
}

mrn_status mrn_scene_control_cell(mrn_scene *s, const char *component, mrn_control_kind kind,
                                  mrn_signal *target, mrn_message *msg)
{
    static const char *const name[MRN_STRAINS] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    mrn_signal own = *target;
    *target = (mrn_signal){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    int c = 0;
    component = component != NULL ? component : "";
    while (c < MRN_STRAINS && strcmp(name[c], component) != 0)
        c++;
    if (st == MRN_OK && c == MRN_STRAINS)
        st = mrn_compose_unknown("component of the cell", component, name, MRN_STRAINS, msg);
    if (st != MRN_OK) {
        mrn_signal_release(&own);
        return st;
    }
    mrn_signal_release(&s->cell.control.target[c]);
    s->cell.control.target[c] = own;
    s->cell.control.kind[c] = kind;
    mrn_compose_changed(s);
    return MRN_OK;
}
