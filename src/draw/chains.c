/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Force chains: contacts as lines along their branch, thick and warm where the normal force is
   large. Of grains with corners they go from the centre to the contact point and on from there: the
   branch of two large stones may leave both. */
#include <stdlib.h>

#include "draw/draw.h"

static double normal_force(const mrn_contacts *c, int64_t k)
{
    double f = fabs(mrn_dot(mrn_load3(c->force + 3 * k), mrn_load3(c->normal + 3 * k)));
    return isfinite(f) ? f : 0;
}

/* A line of force: a contact, or all points at which two grains with corners touch. */
typedef struct strand {
    int32_t c, a;
    int64_t contact; /* the first of them */
    double force;
    mrn_vec3 moment; /* contact points, each times its force; of grains with corners alone */
    bool corners;
} strand;

static int by_pair(const void *a, const void *b)
{
    const strand *x = a, *y = b;
    if (x->c != y->c)
        return x->c < y->c ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->contact > y->contact) - (x->contact < y->contact);
}

static bool same_branch(const mrn_contacts *c, int64_t k, int64_t m)
{
    mrn_vec3 a = mrn_load3(c->branch + 3 * k), b = mrn_load3(c->branch + 3 * m);
    return mrn_norm(mrn_sub(a, b)) <= 1e-9 * mrn_norm(a);
}

/* Points of one pair share their branch (to a wall they do not: each has its own line). */
static int64_t join(const mrn_contacts *c, strand *s, int64_t n)
{
    int64_t m = 0;
    qsort(s, (size_t)n, sizeof *s, by_pair);
    for (int64_t k = 0; k < n; k++)
        if (m > 0 && s[m - 1].c == s[k].c && s[m - 1].a == s[k].a &&
            same_branch(c, s[m - 1].contact, s[k].contact))
            s[m - 1].force += s[k].force, s[m - 1].moment = mrn_add(s[m - 1].moment, s[k].moment);
        else
            s[m++] = s[k];
    return m;
}

static mrn_status make_strands(const mrn_frame *f, strand **out, int64_t *n, mrn_message *msg)
{
    const mrn_contacts *c = &f->contacts;
    bool corners = false;
    *n = 0;
    mrn_status s = mrn_array(out, c->n, sizeof **out, msg);
    for (int64_t k = 0; !s && k < c->n; k++) {
        double force = normal_force(c, k);
        if (!(force > 0) || c->c[k] < 0 || c->c[k] >= f->n)
            continue;
        bool polytope = f->flags && f->flags[c->c[k]] & MRN_BODY_POLYTOPE && c->point != NULL;
        strand one = {
            .c = c->c[k], .a = c->a[k], .contact = k, .force = force, .corners = polytope};
        if (polytope)
            one.moment = mrn_scale(force, mrn_load3(c->point + 3 * k));
        (*out)[(*n)++] = one;
        corners = corners || polytope;
    }
    if (!s && corners)
        *n = join(c, *out, *n);
    return s;
}

static mrn_status scale_of(const strand *strands, int64_t n, double *scale, mrn_message *msg)
{
    double *f = NULL;
    *scale = 0;
    mrn_status s = mrn_array(&f, n, sizeof *f, msg);
    for (int64_t k = 0; !s && k < n; k++)
        f[k] = strands[k].force;
    if (!s && n > 0)
        *scale = mrn_quantile(f, n, 0.98);
    mrn_free(f);
    return s;
}

mrn_status mrn_links_scale(const mrn_frame *frame, double *scale, mrn_message *msg)
{
    strand *strands = NULL;
    int64_t n;
    *scale = 0;
    if (frame->contacts.n == 0)
        return MRN_OK;
    mrn_status s = make_strands(frame, &strands, &n, msg);
    if (!s)
        s = scale_of(strands, n, scale, msg);
    mrn_free(strands);
    return s;
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

/* From the centre of C back along the branch: to A's centre (its nearest image), or to the wall. By
   the contact point where there are corners: two links. Returns how many. */
static int make_link(const mrn_frame *f, const strand *s, double scale, mrn_link *out)
{
    mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)s->c);
    mrn_vec3 end = mrn_sub(x, mrn_load3(f->contacts.branch + 3 * s->contact));
    mrn_vec3 by = s->corners ? mrn_scale(1 / s->force, s->moment) : end;
    double strength = fmin(1, s->force / scale);
    if (!finite_vec(x) || !finite_vec(end) || !finite_vec(by))
        return 0;
    out[0] = (mrn_link){x, by, strength};
    if (!s->corners || s->a < f->n_walls) /* a wall has no centre to go to */
        return 1;
    out[1] = (mrn_link){by, end, strength};
    return 2;
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

static mrn_status make_links(const mrn_frame *frame, const strand *strands, int64_t n,
                             mrn_link_set *out, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    if (!(out->scale > 0))
        s = scale_of(strands, n, &out->scale, msg);
    if (s || !(out->scale > 0))
        return s;
    s = mrn_array(&out->link, 2 * n, sizeof *out->link, msg);
    if (!s)
        s = link_width(frame, &out->width, msg);
    for (int64_t k = 0; !s && k < n; k++)
        out->n += make_link(frame, &strands[k], out->scale, &out->link[out->n]);
    if (!s)
        qsort(out->link, (size_t)out->n, sizeof *out->link, weaker_first);
    return s;
}

mrn_status mrn_links_make(const mrn_look *look, const mrn_frame *frame, mrn_link_set *out,
                          mrn_message *msg)
{
    strand *strands = NULL;
    int64_t n;
    *out = (mrn_link_set){.scale = look->force_scale};
    if (!look->force_chains || frame->contacts.n == 0)
        return MRN_OK;
    mrn_status s = make_strands(frame, &strands, &n, msg);
    if (!s)
        s = make_links(frame, strands, n, out, msg);
    mrn_free(strands);
    if (s)
        mrn_links_release(out);
    return s;
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
