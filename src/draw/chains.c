/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Force chains: contacts as lines along their branch, thick and warm where the normal force is
 * large. */
#include <stdlib.h>

#include "draw/draw.h"

static double normal_force(const mrn_contacts *c, int64_t k)
{
    double f = fabs(mrn_dot(mrn_load3(c->force + 3 * k), mrn_load3(c->normal + 3 * k)));
    return isfinite(f) ? f : 0;
}

mrn_status mrn_links_scale(const mrn_frame *frame, double *scale, mrn_message *msg)
{
    const mrn_contacts *c = &frame->contacts;
    double *f = NULL;
    int64_t n = 0;
    *scale = 0;
    if (c->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&f, c->n, sizeof *f, msg);
    if (s)
        return s;
    for (int64_t k = 0; k < c->n; k++)
        if (normal_force(c, k) > 0)
            f[n++] = normal_force(c, k);
    if (n > 0)
        *scale = mrn_quantile(f, n, 0.98);
    mrn_free(f);
    return MRN_OK;
}

static int weaker_first(const void *a, const void *b)
{
    double x = ((const mrn_link *)a)->strength, y = ((const mrn_link *)b)->strength;
    return (x > y) - (x < y);
}

static bool finite_vec(mrn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* From the centre of C back along the branch: to A's centre (its nearest image), or to the wall. */
static bool make_link(const mrn_frame *f, int64_t k, double scale, mrn_link *out)
{
    const mrn_contacts *c = &f->contacts;
    double fn = normal_force(c, k);
    if (!(fn > 0) || c->c[k] < 0 || c->c[k] >= f->n)
        return false;
    mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)c->c[k]);
    out->a = x;
    out->b = mrn_sub(x, mrn_load3(c->branch + 3 * k));
    out->strength = fmin(1, fn / scale);
    return finite_vec(out->a) && finite_vec(out->b);
}

/* Width of the strongest link: 0.8 of the median radius, so that grains stay recognisable. */
static mrn_status link_width(const mrn_frame *f, double *width, mrn_message *msg)
{
    double *r = NULL;
    int64_t n = 0;
    mrn_status s = mrn_array(&r, f->n, sizeof *r, msg);
    if (s)
        return s;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (mrn_grain_visible(f, i))
            r[n++] = f->radius[i];
    *width = n > 0 ? 0.8 * mrn_quantile(r, n, 0.5) : 0;
    mrn_free(r);
    return MRN_OK;
}

mrn_status mrn_links_make(const mrn_look *look, const mrn_frame *frame, mrn_link_set *out,
                          mrn_message *msg)
{
    *out = (mrn_link_set){.scale = look->force_scale};
    if (!look->force_chains || frame->contacts.n == 0)
        return MRN_OK;
    mrn_status s = MRN_OK;
    if (!(out->scale > 0))
        s = mrn_links_scale(frame, &out->scale, msg);
    if (s || !(out->scale > 0))
        return s;
    s = mrn_array(&out->link, frame->contacts.n, sizeof *out->link, msg);
    if (!s)
        s = link_width(frame, &out->width, msg);
    if (s) {
        mrn_links_release(out);
        return s;
    }
    for (int64_t k = 0; k < frame->contacts.n; k++)
        if (make_link(frame, k, out->scale, &out->link[out->n]))
            out->n++;
    qsort(out->link, (size_t)out->n, sizeof *out->link, weaker_first);
    return MRN_OK;
}

void mrn_links_release(mrn_link_set *l)
{
    mrn_free(l->link);
    *l = (mrn_link_set){0};
}

mrn_rgb mrn_link_colour(double strength, bool dark)
{
    /* the bright end of the ramp would vanish on white, its dark end on black */
    double t = dark ? 0.25 + 0.75 * strength : 0.88 - 0.78 * strength;
    return mrn_palette_colour(mrn_palette_find(dark ? "inferno" : "ember"), t);
}
