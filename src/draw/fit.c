/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One look for a whole trajectory: view, colour range and force scale that hold for every frame, so
   that nothing jumps while it plays. */
#include "draw/draw.h"

#define SAMPLES 60 /* frames looked at */

typedef struct sample {
    int n;
    mrn_frame frame[SAMPLES];
} sample;

static void release(sample *s)
{
    for (int k = 0; k < s->n; k++)
        mrn_frame_destroy(&s->frame[k]);
    mrn_free(s);
}

static mrn_status read_sample(mrn_trajectory *t, sample *s, mrn_message *msg)
{
    int64_t all = mrn_trajectory_frames(t);
    int n = all < SAMPLES ? (int)all : SAMPLES;
    for (int k = 0; k < n; k++) {
        int64_t index = n > 1 ? k * (all - 1) / (n - 1) : 0;
        mrn_status st = mrn_trajectory_read(t, index, &s->frame[k], msg);
        if (st)
            return st;
        s->n = k + 1;
    }
    return MRN_OK;
}

/* Range over all frames: the widest of theirs. */
static mrn_status fit_range(mrn_look *look, const mrn_header *header, const sample *s,
                            mrn_message *msg)
{
    bool number = mrn_paint_field_of(look)->kind == MRN_PAINT_NUMBER;
    if (!number || (isfinite(look->lo) && isfinite(look->hi)))
        return MRN_OK;
    double lo = INFINITY, hi = -INFINITY;
    mrn_look trial = *look;
    if (!trial.reference && s->n > 0)
        trial.reference = &s->frame[0];
    for (int k = 0; k < s->n; k++) {
        mrn_paint paint;
        if (s->frame[k].n <= s->frame[k].n_walls)
            continue;
        mrn_status st = mrn_paint_make(&trial, header, &s->frame[k], &paint, msg);
        if (st)
            return st;
        /* a frame at rest has no range of its own: it must not widen the others' to 0…1 */
        bool idle = paint.field->from_zero && paint.lo == 0 && paint.hi == 1;
        for (int32_t i = s->frame[k].n_walls; idle && i < s->frame[k].n; i++)
            idle = !(fabs(paint.value[i]) > 0);
        lo = fmin(lo, paint.lo);
        hi = idle ? hi : fmax(hi, paint.hi);
        mrn_paint_release(&paint);
    }
    if (hi > lo) {
        look->lo = isfinite(look->lo) ? look->lo : lo;
        look->hi = isfinite(look->hi) ? look->hi : hi;
    }
    return MRN_OK;
}

static mrn_status fit_forces(mrn_look *look, const sample *s, mrn_message *msg)
{
    if (look->force_scale > 0)
        return MRN_OK;
    double sum = 0;
    int n = 0;
    for (int k = 0; k < s->n; k++) {
        double scale;
        mrn_status st = mrn_links_scale(&s->frame[k], &scale, msg);
        if (st)
            return st;
        sum += scale;
        n += scale > 0;
    }
    /* the mean, not the largest: one impact should not thin the chains of all other frames */
    look->force_scale = n > 0 ? sum / n : 0;
    return MRN_OK;
}

static mrn_status fit_sample(mrn_look *look, const mrn_header *header, const sample *s,
                             mrn_message *msg)
{
    const mrn_frame *frames[SAMPLES];
    for (int k = 0; k < s->n; k++)
        frames[k] = &s->frame[k];
    mrn_view view = mrn_view_layout(look, header);
    mrn_status st = mrn_view_fit(look, header, frames, s->n, &view, msg);
    mrn_look fitted = *look;
    if (!st)
        st = fit_range(&fitted, header, s, msg);
    if (!st && look->force_chains)
        st = fit_forces(&fitted, s, msg);
    if (st)
        return st;
    if (!(fitted.extent > 0))
        fitted.extent = view.extent;
    fitted.target = view.target;
    fitted.has_target = true;
    *look = fitted;
    return MRN_OK;
}

mrn_status mrn_look_fit(mrn_look *look, const mrn_header *header, mrn_trajectory *t,
                        mrn_message *msg)
{
    mrn_status st = mrn_look_check(look, msg);
    if (st)
        return st;
    sample *s = mrn_alloc(sizeof *s);
    if (!s)
        return mrn_fail_memory(msg);
    st = read_sample(t, s, msg);
    if (!st)
        st = fit_sample(look, header, s, msg);
    release(s);
    return st;
}
