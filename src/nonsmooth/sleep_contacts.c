/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of grains asleep: kept in the state's network from step to step. */
#include <math.h>

#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/sleep.h"

/* Places of the bodies that move with the two sides of contact k; false: one is gone. */
static bool sides(const mrn_state *s, int64_t k, int32_t side[2])
{
    int32_t id[2] = {s->contact.id_c[k], s->contact.id_a[k]};
    for (int m = 0; m < 2; m++) {
        if (id[m] < 0 || id[m] >= s->body.n_ids || s->body.index_of[id[m]] < 0)
            return false;
        side[m] = mrn_body_leader(s, s->body.index_of[id[m]]);
    }
    return true;
}

/* Between a sleeper and something that does not move either. */
static bool rests(const mrn_nonsmooth *e, int64_t k)
{
    const mrn_state *s = e->state;
    int32_t side[2];
    if (!sides(s, k, side))
        return false;
    unsigned asleep = (s->body.flags[side[0]] | s->body.flags[side[1]]) & MRN_BODY_ASLEEP;
    return asleep && e->body.column[side[0]] < 0 && e->body.column[side[1]] < 0;
}

mrn_status mrn_ns_list_kept(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_contacts *t = &e->state->contact;
    e->n_kept = 0;
    if (!(e->state->nonsmooth.asleep > 0) || t->impulse_width != e->width)
        return MRN_OK;
    mrn_status st = mrn_ns_room(&e->kept, &e->kept_room, t->n, sizeof *e->kept, msg);
    for (int64_t k = 0; st == MRN_OK && k < t->n; k++)
        if (rests(e, k))
            e->kept[e->n_kept++] = k;
    return st;
}

/* The impulse of contact k on C, world frame, for a step `scale` times as long. */
static mrn_vec3 impulse_of(const mrn_nonsmooth *e, int64_t k, double scale)
{
    const mrn_contacts *t = &e->state->contact;
    mrn_vec3 n = mrn_load3(t->normal + 3 * k), b = mrn_load3(t->tangent + 3 * k);
    const double *r = t->impulse + k * t->impulse_width;
    mrn_vec3 j = mrn_axpy(scale * r[0], n, mrn_scale(scale * r[1], b));
    return e->dofs == 6 ? mrn_axpy(scale * r[2], mrn_cross(n, b), j) : j;
}

void mrn_ns_press_kept(mrn_nonsmooth *e, double scale, double h)
{
    mrn_state *s = e->state;
    const mrn_contacts *t = &s->contact;
    for (int64_t m = 0; m < e->n_kept; m++) {
        int64_t k = e->kept[m];
        int32_t a = s->body.index_of[t->id_a[k]];
        s->contacts += t->impulse[k * t->impulse_width] != 0;
        s->nonsmooth.overlap_max = fmax(s->nonsmooth.overlap_max, -t->gap[k]);
        if (a < 0 || a >= s->body.n_walls)
            continue;
        mrn_vec3 j = mrn_scale(-1 / h, impulse_of(e, k, scale));
        mrn_vec3 arm = mrn_sub(mrn_load3(t->point + 3 * k), mrn_load3(s->body.x + 3 * (size_t)a));
        mrn_ns_press(e, a, j, mrn_contact_torque(arm, j));
    }
    for (int64_t w = 0; w < s->body.n_walls; w++)
        for (int k = 0; k < 3; k++) {
            s->body.f[3 * w + k] = mrn_sum_value(&e->press[6 * w + k]);
            s->body.t[3 * w + k] = mrn_sum_value(&e->press[6 * w + 3 + k]);
        }
}

void mrn_ns_append_kept(mrn_nonsmooth *e, double scale)
{
    const mrn_state *s = e->state;
    mrn_contacts *to = &e->found;
    for (int64_t m = 0; m < e->n_kept; m++) {
        int64_t at = to->n;
        double *r = to->impulse + at * to->impulse_width;
        mrn_contacts_append_one(to, &s->contact, e->kept[m]);
        to->c[at] = s->body.index_of[to->id_c[at]]; /* bodies may have changed places */
        to->a[at] = s->body.index_of[to->id_a[at]];
        to->body_c[at] = mrn_body_leader(s, to->c[at]);
        to->body_a[at] = mrn_body_leader(s, to->a[at]);
        for (int i = 0; i < to->impulse_width; i++)
            r[i] *= scale;
    }
}
