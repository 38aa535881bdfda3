/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of grains asleep: kept in the state's list from step to step. */
#include <math.h>
#include <string.h>

#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/sleep.h"

/* Places of the bodies that move with the two sides of touch k; false: one is gone. */
static bool sides(const mrn_state *s, const mrn_touches *t, int64_t k, int32_t side[2])
{
    int32_t id[2] = {t->c[k], t->a[k]};
    for (int m = 0; m < 2; m++) {
        if (id[m] < 0 || id[m] >= s->body.n_ids || s->body.index_of[id[m]] < 0)
            return false;
        side[m] = mrn_body_leader(s, s->body.index_of[id[m]]);
    }
    return true;
}

/* Between a sleeper and something that does not move either. */
static bool rests(const mrn_nonsmooth *e, const mrn_touches *t, int64_t k)
{
    const mrn_state *s = e->state;
    int32_t side[2];
    if (!sides(s, t, k, side))
        return false;
    unsigned asleep = (s->body.flags[side[0]] | s->body.flags[side[1]]) & MRN_BODY_ASLEEP;
    return asleep && e->body.column[side[0]] < 0 && e->body.column[side[1]] < 0;
}

static void copy_touch(const mrn_touches *from, int64_t k, double scale, mrn_touches *to)
{
    int64_t at = to->n++;
    to->c[at] = from->c[k];
    to->a[at] = from->a[k];
    to->feature[at] = from->feature[k];
    memcpy(to->point + 3 * at, from->point + 3 * k, 3 * sizeof(double));
    memcpy(to->normal + 3 * at, from->normal + 3 * k, 3 * sizeof(double));
    memcpy(to->tangent + 3 * at, from->tangent + 3 * k, 3 * sizeof(double));
    to->gap[at] = from->gap[k];
    for (int m = 0; m < to->width; m++)
        to->impulse[at * to->width + m] = scale * from->impulse[k * to->width + m];
}

mrn_status mrn_ns_keep_touches(const mrn_nonsmooth *e, const mrn_touches *last, double scale,
                               mrn_touches *next, mrn_message *msg)
{
    int64_t more = 0;
    if (!(e->state->nonsmooth.asleep > 0) || last->width != next->width)
        return MRN_OK;
    for (int64_t k = 0; k < last->n; k++)
        more += rests(e, last, k);
    mrn_status st = mrn_touches_reserve(next, next->n + more, msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < last->n; k++)
        if (rests(e, last, k))
            copy_touch(last, k, scale, next);
    return MRN_OK;
}

/* The impulse of touch k on C, world frame. */
static mrn_vec3 impulse_of(const mrn_nonsmooth *e, const mrn_touches *t, int64_t k)
{
    mrn_vec3 n = mrn_load3(t->normal + 3 * k), b = mrn_load3(t->tangent + 3 * k);
    const double *r = t->impulse + k * t->width;
    mrn_vec3 j = mrn_axpy(r[0], n, mrn_scale(r[1], b));
    return e->dofs == 6 ? mrn_axpy(r[2], mrn_cross(n, b), j) : j;
}

void mrn_ns_press_kept(mrn_nonsmooth *e, int64_t first, double h)
{
    mrn_state *s = e->state;
    const mrn_touches *t = &s->touches;
    for (int64_t k = first; k < t->n; k++) {
        int32_t a = s->body.index_of[t->a[k]];
        s->contacts += t->impulse[k * t->width] != 0;
        s->nonsmooth.overlap_max = fmax(s->nonsmooth.overlap_max, -t->gap[k]);
        if (a < 0 || a >= s->body.n_walls)
            continue;
        mrn_vec3 j = mrn_scale(-1 / h, impulse_of(e, t, k));
        size_t w = 3 * (size_t)a;
        mrn_vec3 arm = mrn_sub(mrn_load3(t->point + 3 * k), mrn_load3(s->body.x + w));
        mrn_store3(s->body.f + w, mrn_add(mrn_load3(s->body.f + w), j));
        mrn_store3(s->body.t + w, mrn_add(mrn_load3(s->body.t + w), mrn_cross(arm, j)));
    }
}
