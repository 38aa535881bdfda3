/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of what drives a scene: wall motions, control of the cell, forces on bodies. */
#include "base/base.h"
#include "model/model.h"

static void release_all(mrn_signal *s, int n)
{
    for (int i = 0; i < n; i++)
        mrn_signal_release(&s[i]);
}

/* `to` holds borrowed signals (a plain copy of `from`): they are replaced by its own. */
static mrn_status own_all(const mrn_signal *from, mrn_signal *to, int n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int i = 0; i < n; i++)
        to[i] = (mrn_signal){0};
    for (int i = 0; i < n && st == MRN_OK; i++)
        st = mrn_signal_copy(&from[i], &to[i], msg);
    return st;
}

void mrn_motion_release(mrn_motion *m)
{
    release_all(m->path, 3);
    mrn_signal_release(&m->angle);
    mrn_signal_release(&m->servo_target);
    m->kind = MRN_MOTION_NONE;
}

mrn_status mrn_motion_copy(const mrn_motion *from, mrn_motion *to, mrn_message *msg)
{
    mrn_motion copy = *from;
    copy.angle = copy.servo_target = (mrn_signal){0};
    mrn_status st = own_all(from->path, copy.path, 3, msg);
    if (st == MRN_OK)
        st = mrn_signal_copy(&from->angle, &copy.angle, msg);
    if (st == MRN_OK)
        st = mrn_signal_copy(&from->servo_target, &copy.servo_target, msg);
    if (st != MRN_OK)
        mrn_motion_release(&copy);
    *to = copy;
    return st;
}

void mrn_cell_control_release(mrn_cell_control *c)
{
    release_all(c->target, MRN_STRAINS);
}

mrn_status mrn_cell_control_copy(const mrn_cell_control *from, mrn_cell_control *to,
                                 mrn_message *msg)
{
    mrn_cell_control copy = *from;
    mrn_status st = own_all(from->target, copy.target, MRN_STRAINS, msg);
    if (st != MRN_OK)
        mrn_cell_control_release(&copy);
    *to = copy;
    return st;
}

void mrn_forces_release(mrn_body_force *list, int n)
{
    for (int i = 0; list != NULL && i < n; i++) {
        release_all(list[i].force, 3);
        release_all(list[i].torque, 3);
    }
    mrn_free(list);
}

mrn_status mrn_forces_copy(const mrn_body_force *from, int n, mrn_body_force **to, mrn_message *msg)
{
    *to = NULL;
    if (n == 0)
        return MRN_OK;
    mrn_body_force *list = NULL;
    mrn_status st = mrn_array(&list, n, sizeof *list, msg);
    for (int i = 0; i < n && st == MRN_OK; i++) {
        list[i] = from[i];
        st = own_all(from[i].force, list[i].force, 3, msg);
        mrn_status more = own_all(from[i].torque, list[i].torque, 3, msg);
        st = st == MRN_OK ? more : st;
    }
    if (st != MRN_OK) {
        mrn_forces_release(list, n);
        list = NULL;
    }
    *to = list;
    return st;
}
