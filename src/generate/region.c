/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions to fill: box, cylinder, sphere; rectangle and disk in 2D. A box that spans the periodic
   cell in a direction has no face there, and a cylinder along it no ends. */
#include "generate/generate.h"

/* ---- points ---- */

static bool in_box(const mrn_region *r, int dimension, mrn_vec3 x)
{
    bool inside = x.x >= r->lo.x && x.x <= r->hi.x && x.y >= r->lo.y && x.y <= r->hi.y;
    return inside && (dimension == 2 || (x.z >= r->lo.z && x.z <= r->hi.z));
}

static bool in_cylinder(const mrn_region *r, mrn_vec3 x)
{
    mrn_vec3 axis = mrn_sub(r->hi, r->lo), d = mrn_sub(x, r->lo);
    double length = mrn_norm(axis), along = mrn_dot(d, mrn_unit(axis));
    mrn_vec3 off = mrn_axpy(-along, mrn_unit(axis), d);
    return along >= 0 && along <= length && mrn_dot(off, off) <= r->radius * r->radius;
}

bool mrn_region_holds(const mrn_region *r, int dimension, mrn_vec3 x)
{
    if (r->kind == MRN_REGION_BOX)
        return in_box(r, dimension, x);
    if (r->kind == MRN_REGION_CYLINDER)
        return in_cylinder(r, x);
    mrn_vec3 d = mrn_sub(x, r->lo);
    d.z = dimension == 2 ? 0 : d.z;
    return mrn_dot(d, d) <= r->radius * r->radius;
}

static double axis_of(mrn_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static double *part(mrn_vec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static mrn_status bad_region(const mrn_maker *m, const char *what, const char *expected,
                             mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': the region %s", m->group->name, what);
    mrn_fail_expected(msg, "%s", expected);
    return MRN_ERR_INPUT;
}

/* Spans the whole period? A hair less counts too: sizes come through unit conversions. */
static bool spans(const mrn_scene *s, int k, double width)
{
    return s->cell.periodic[k] && width >= s->cell.size[k] * (1 - 1e-9);
}

static mrn_status create_box(const mrn_maker *m, mrn_space *p, mrn_message *msg)
{
    const mrn_region *g = &m->group->region;
    p->volume = 1;
    for (int k = 0; k < p->dimension; k++) {
        double lo = axis_of(g->lo, k), hi = axis_of(g->hi, k);
        if (!isfinite(lo) || !isfinite(hi) || !(lo < hi))
            return bad_region(m, "has no volume", "two corners, the first lower in x, y and z",
                              msg);
        p->open[k] = spans(m->scene, k, hi - lo);
        if (p->open[k]) {
            lo = m->scene->cell.origin[k];
            hi = lo + m->scene->cell.size[k];
        }
        p->lo[k] = lo;
        p->hi[k] = hi;
        p->half[k] = 0.5 * (hi - lo);
        *part(&p->centre, k) = 0.5 * (lo + hi);
        p->volume *= hi - lo;
    }
    return MRN_OK;
}

static mrn_status create_cylinder(const mrn_maker *m, mrn_space *p, mrn_message *msg)
{
    const mrn_region *g = &m->group->region;
    if (p->dimension == 2)
        return bad_region(m, "is a cylinder in a 2D scene", "a box or a disk (sphere)", msg);
    mrn_vec3 d = mrn_sub(g->hi, g->lo);
    double length = mrn_norm(d);
    if (!isfinite(length) || !(length > 0) || !(g->radius > 0) || !isfinite(g->radius))
        return bad_region(m, "has no volume", "two different ends and a positive radius", msg);
    p->axis = mrn_scale(1 / length, d);
    for (int k = 0; k < 3; k++)
        if (fabs(axis_of(p->axis, k)) > 1 - 1e-12 && spans(m->scene, k, length)) {
            p->open_axis = p->open[k] = true;
            length = m->scene->cell.size[k];
        }
    p->centre = mrn_scale(0.5, mrn_add(g->lo, g->hi));
    p->half[0] = 0.5 * length;
    p->radius = g->radius;
    p->volume = MRN_PI * p->radius * p->radius * length;
    for (int k = 0; k < 3; k++) {
        double a = axis_of(p->axis, k);
        double reach = p->half[0] * fabs(a) + p->radius * sqrt(fmax(0, 1 - a * a));
        p->lo[k] = axis_of(p->centre, k) - reach;
        p->hi[k] = axis_of(p->centre, k) + reach;
    }
    return MRN_OK;
}

static mrn_status create_sphere(const mrn_maker *m, mrn_space *p, mrn_message *msg)
{
    const mrn_region *g = &m->group->region;
    double r = g->radius;
    if (!(r > 0) || !isfinite(r))
        return bad_region(m, "has no volume", "a positive radius", msg);
    p->centre = g->lo;
    p->radius = r;
    p->volume = p->dimension == 2 ? MRN_PI * r * r : 4.0 / 3.0 * MRN_PI * r * r * r;
    for (int k = 0; k < p->dimension; k++) {
        p->lo[k] = axis_of(p->centre, k) - r;
        p->hi[k] = axis_of(p->centre, k) + r;
    }
    return MRN_OK;
}

/* A round region wider than the period would cover the same place twice. */
static mrn_status check_period(const mrn_maker *m, const mrn_space *p, mrn_message *msg)
{
    for (int k = 0; k < p->dimension; k++)
        if (m->scene->cell.periodic[k] && !p->open[k] &&
            p->hi[k] - p->lo[k] > m->scene->cell.size[k] * (1 + 1e-9))
            return bad_region(m, "is wider than the periodic cell", "a region within one period",
                              msg);
    return MRN_OK;
}

mrn_status mrn_space_create(const mrn_maker *m, mrn_space *out, mrn_message *msg)
{
    *out = (mrn_space){
        .scene = m->scene, .kind = m->group->region.kind, .dimension = m->scene->dimension};
    mrn_status st = MRN_ERR_INTERNAL;
    if (out->kind == MRN_REGION_BOX)
        st = create_box(m, out, msg);
    else if (out->kind == MRN_REGION_CYLINDER)
        st = create_cylinder(m, out, msg);
    else if (out->kind == MRN_REGION_SPHERE)
        st = create_sphere(m, out, msg);
    if (out->dimension == 2)
        out->centre.z = 0;
    return st == MRN_OK ? check_period(m, out, msg) : st;
}

double mrn_space_largest(const mrn_space *p)
{
    double most = p->kind == MRN_REGION_BOX ? INFINITY : p->radius;
    for (int k = 0; p->kind == MRN_REGION_BOX && k < p->dimension; k++)
        most = p->open[k] ? most : fmin(most, p->half[k]);
    if (p->kind == MRN_REGION_CYLINDER && !p->open_axis)
        most = fmin(most, p->half[0]);
    /* a diameter must fit into the period as well */
    for (int k = 0; k < p->dimension; k++)
        most = p->open[k] ? fmin(most, 0.5 * p->scene->cell.size[k]) : most;
    return most * (1 + 1e-9);
}

static double symmetric(mrn_rng *rng, double half)
{
    return half > 0 ? half * (2 * mrn_rng_uniform(rng) - 1) : 0;
}

static mrn_vec3 draw_ball(int dimension, double radius, mrn_rng *rng)
{
    mrn_vec3 d;
    do {
        d.x = 2 * mrn_rng_uniform(rng) - 1;
        d.y = 2 * mrn_rng_uniform(rng) - 1;
        d.z = dimension == 3 ? 2 * mrn_rng_uniform(rng) - 1 : 0;
    } while (mrn_dot(d, d) > 1);
    return mrn_scale(fmax(radius, 0), d);
}

static mrn_vec3 draw_cylinder(const mrn_space *p, double r, mrn_rng *rng)
{
    mrn_vec3 other = fabs(p->axis.z) < 0.9 ? mrn_v3(0, 0, 1) : mrn_v3(1, 0, 0);
    mrn_vec3 e1 = mrn_unit(mrn_cross(p->axis, other)), e2 = mrn_cross(p->axis, e1);
    mrn_vec3 d = draw_ball(2, p->radius - r, rng);
    double along = symmetric(rng, p->half[0] - (p->open_axis ? 0 : r));
    return mrn_axpy(along, p->axis, mrn_add(mrn_scale(d.x, e1), mrn_scale(d.y, e2)));
}

mrn_vec3 mrn_space_draw(const mrn_space *p, double r, mrn_rng *rng)
{
    mrn_vec3 d = {0, 0, 0};
    if (p->kind == MRN_REGION_BOX)
        for (int k = 0; k < p->dimension; k++)
            *part(&d, k) = symmetric(rng, p->half[k] - (p->open[k] ? 0 : r));
    else if (p->kind == MRN_REGION_SPHERE)
        d = draw_ball(p->dimension, p->radius - r, rng);
    else
        d = draw_cylinder(p, r, rng);
    return mrn_space_clamp(p, mrn_add(p->centre, d), r);
}

/* From the centre of the region to x, nearest periodic copy. */
static mrn_vec3 offset(const mrn_space *p, mrn_vec3 x)
{
    mrn_vec3 d = mrn_sub(x, p->centre);
    for (int k = 0; k < p->dimension; k++)
        if (p->scene->cell.periodic[k])
            *part(&d, k) -= p->scene->cell.size[k] * rint(axis_of(d, k) / p->scene->cell.size[k]);
    return d;
}

static double clamp_to(double v, double half)
{
    half = fmax(half, 0);
    return v < -half ? -half : v > half ? half : v;
}

/* The vector from the axis (cylinder) or centre (sphere), not longer than `most`. */
static mrn_vec3 shorten(mrn_vec3 d, double most)
{
    double l = mrn_norm(d);
    most = fmax(most, 0);
    return l > most ? mrn_scale(most / l, d) : d;
}

mrn_vec3 mrn_space_clamp(const mrn_space *p, mrn_vec3 x, double r)
{
    mrn_vec3 d = offset(p, x);
    double room = r * (1 + MRN_CLEAR); /* so that no rounding lets it stick out */
    if (p->kind == MRN_REGION_BOX)
        for (int k = 0; k < p->dimension; k++)
            *part(&d, k) = p->open[k] ? axis_of(d, k) : clamp_to(axis_of(d, k), p->half[k] - room);
    else if (p->kind == MRN_REGION_SPHERE)
        d = shorten(d, p->radius - room);
    else {
        double along = mrn_dot(d, p->axis);
        mrn_vec3 across = shorten(mrn_axpy(-along, p->axis, d), p->radius - room);
        along = p->open_axis ? along : clamp_to(along, p->half[0] - room);
        d = mrn_axpy(along, p->axis, across);
    }
    x = mrn_cell_wrap(&p->scene->cell, mrn_add(p->centre, d));
    x.z = p->dimension == 2 ? 0 : x.z;
    return x;
}

double mrn_space_margin(const mrn_space *p, mrn_vec3 x, double r)
{
    mrn_vec3 d = offset(p, x);
    if (p->kind == MRN_REGION_SPHERE)
        return p->radius - r - mrn_norm(d);
    double margin = INFINITY;
    if (p->kind == MRN_REGION_BOX) {
        for (int k = 0; k < p->dimension; k++)
            if (!p->open[k])
                margin = fmin(margin, p->half[k] - r - fabs(axis_of(d, k)));
        return margin;
    }
    double along = mrn_dot(d, p->axis);
    margin = p->radius - r - mrn_norm(mrn_axpy(-along, p->axis, d));
    return p->open_axis ? margin : fmin(margin, p->half[0] - r - fabs(along));
}
