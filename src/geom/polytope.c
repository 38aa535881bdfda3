/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: from corners to convex parts at unit size, about the centre of mass, in principal axes;
   what a polytope is like: lengths, elongation, flatness, sphericity, angularity. */
#include "moraine/polytope.h"

#include <stdio.h>

#include "base/base.h"
#include "geom/convex.h"
#include "geom/geom.h"
#include "geom/hull.h"

void mrn_polytope_release(mrn_polytope *f)
{
    for (int k = 0; f->part != NULL && k < f->n_parts; k++)
        mrn_convex_release(&f->part[k]);
    mrn_free(f->part);
    *f = (mrn_polytope){0};
}

mrn_status mrn_polytope_copy(const mrn_polytope *from, mrn_polytope *to, mrn_message *msg)
{
    *to = *from;
    to->part = NULL;
    mrn_status st = mrn_array(&to->part, from->n_parts, sizeof *to->part, msg);
    for (int k = 0; st == MRN_OK && k < from->n_parts; k++)
        st = mrn_convex_copy(&from->part[k], &to->part[k], msg);
    if (st != MRN_OK)
        mrn_polytope_release(to);
    return st;
}

/* ---- what it is like ---- */

static mrn_vec3 corner(const mrn_convex *c, int32_t i)
{
    return mrn_load3(c->point + 3 * (size_t)i);
}

static void measure_lengths(mrn_polytope *f)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    f->bound = 0;
    for (int k = 0; k < f->n_parts; k++)
        for (int32_t i = 0; i < f->part[k].n_points; i++) {
            const double *p = f->part[k].point + 3 * (size_t)i;
            for (int d = 0; d < 3; d++)
                lo[d] = fmin(lo[d], p[d]), hi[d] = fmax(hi[d], p[d]);
            f->bound = fmax(f->bound, mrn_norm(mrn_load3(p)));
        }
    for (int d = 0; d < 3; d++)
        f->length[d] = hi[d] - lo[d];
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < 2; d++)
            if (f->length[d] < f->length[d + 1]) {
                double swap = f->length[d];
                f->length[d] = f->length[d + 1], f->length[d + 1] = swap;
            }
    f->elongation = f->length[1] / f->length[0];
    f->flatness = f->dimension == 3 ? f->length[2] / f->length[1] : 1;
}

/* Is the point inside another part than `own`? */
static bool covered(const mrn_polytope *f, int own, mrn_vec3 x)
{
    for (int k = 0; k < f->n_parts; k++) {
        const mrn_convex *c = &f->part[k];
        bool in = k != own;
        for (int32_t p = 0; in && p < c->n_faces; p++) {
            const double *plane = c->plane + 4 * (size_t)p;
            in = mrn_dot(mrn_load3(plane), x) < plane[3];
        }
        if (in)
            return true;
    }
    return false;
}

static double bend(const mrn_convex *c, int32_t f, int32_t g)
{
    mrn_vec3 n = mrn_load3(c->plane + 4 * (size_t)f), m = mrn_load3(c->plane + 4 * (size_t)g);
    return atan2(mrn_norm(mrn_cross(n, m)), mrn_dot(n, m));
}

/* Sums of angle times length, and of length, over the edges of one part that lie outside others. In
   2D corners bend; the sides to both of them lend each corner its length. */
static void add_bends(const mrn_polytope *f, int own, double *angle, double *length)
{
    const mrn_convex *c = &f->part[own];
    int32_t n = f->dimension == 2 ? c->n_points : c->n_edges;
    for (int32_t k = 0; k < n; k++) {
        double l, a;
        mrn_vec3 middle;
        if (f->dimension == 2) {
            int32_t before = (k + n - 1) % n;
            middle = corner(c, k);
            l = 0.5 * mrn_norm(mrn_sub(corner(c, (k + 1) % n), middle)) +
                0.5 * mrn_norm(mrn_sub(corner(c, before), middle));
            a = bend(c, before, k);
        } else {
            const int32_t *e = c->edge + 4 * (size_t)k;
            mrn_vec3 p = corner(c, e[0]), q = corner(c, e[1]);
            middle = mrn_scale(0.5, mrn_add(p, q));
            l = mrn_norm(mrn_sub(p, q));
            a = bend(c, e[2], e[3]);
        }
        if (!covered(f, own, middle))
            *angle += l * a, *length += l;
    }
}

static void describe(mrn_polytope *f, double surface)
{
    double angle = 0, length = 0;
    measure_lengths(f);
    f->sphericity = (f->dimension == 2 ? 2 * MRN_PI : 4 * MRN_PI) / surface;
    for (int k = 0; k < f->n_parts; k++)
        add_bends(f, k, &angle, &length);
    f->angularity = length > 0 ? angle / (MRN_PI * length) : 0;
}

/* ---- making ---- */

/* The given frame and the one hulls are made in: about the middle of the box of all corners, at a
   size of about one, where moments keep their digits at any scale and place. */
typedef struct home {
    double middle[3], size;
    double *point; /* of all parts */
} home;

static mrn_status check_corners(const char *name, int dimension, int n_parts,
                                const mrn_corners *part, mrn_message *msg)
{
    if (dimension != 2 && dimension != 3)
        return mrn_fail(msg, MRN_ERR_RANGE, "form '%s' has dimension %d", name, dimension);
    if (n_parts < 1 || n_parts > UINT16_MAX) {
        mrn_fail(msg, MRN_ERR_INPUT, "form '%s' has %d parts", name, n_parts);
        mrn_fail_expected(msg, "between 1 and %d", UINT16_MAX);
        return MRN_ERR_INPUT;
    }
    for (int k = 0; k < n_parts; k++)
        for (int i = 0; i < part[k].n; i++) {
            const double *p = part[k].point + 3 * (size_t)i;
            for (int d = 0; d < dimension; d++)
                if (!isfinite(p[d]))
                    return mrn_fail(msg, MRN_ERR_INPUT,
                                    "form '%s': coordinate %c of corner %d of part %d is not a "
                                    "finite number",
                                    name, "xyz"[d], i + 1, k + 1);
        }
    return MRN_OK;
}

static void find_home(int dimension, int n_parts, const mrn_corners *part, home *h)
{
    h->size = 0;
    for (int d = 0; d < 3; d++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < n_parts; k++)
            for (int i = 0; i < part[k].n; i++) {
                double v = part[k].point[3 * (size_t)i + (size_t)d];
                lo = fmin(lo, v), hi = fmax(hi, v);
            }
        h->middle[d] = d < dimension && lo <= hi ? 0.5 * lo + 0.5 * hi : 0;
        if (d < dimension && lo <= hi)
            h->size = fmax(h->size, 0.5 * hi - 0.5 * lo);
    }
}

static mrn_status go_home(int dimension, int n_parts, const mrn_corners *part, home *h,
                          mrn_message *msg)
{
    int64_t n = 0;
    find_home(dimension, n_parts, part, h);
    for (int k = 0; k < n_parts; k++)
        n += part[k].n > 0 ? part[k].n : 0;
    mrn_status st = mrn_array(&h->point, 3 * n, sizeof *h->point, msg);
    double over = h->size > 0 ? h->size : 1;
    double *to = h->point;
    for (int k = 0; st == MRN_OK && k < n_parts; k++)
        for (int i = 0; i < part[k].n; i++, to += 3)
            for (int d = 0; d < dimension; d++)
                to[d] = (part[k].point[3 * (size_t)i + (size_t)d] - h->middle[d]) / over;
    return st;
}

static mrn_status make_parts(const mrn_corners *part, const home *h, double tolerance,
                             mrn_polytope *out, mrn_message *msg)
{
    const double *from = h->point;
    mrn_status st = mrn_array(&out->part, out->n_parts, sizeof *out->part, msg);
    for (int k = 0; st == MRN_OK && k < out->n_parts; k++) {
        char who[MRN_NAME + 32];
        if (out->n_parts == 1)
            snprintf(who, sizeof who, "form '%s'", out->name);
        else
            snprintf(who, sizeof who, "part %d of form '%s'", k + 1, out->name);
        st = mrn_hull(who, out->dimension, part[k].n, from, tolerance, &out->part[k], msg);
        from += 3 * (size_t)(part[k].n > 0 ? part[k].n : 0);
    }
    return st;
}

static void turn_part(mrn_convex *c, mrn_vec3 centre, mrn_quat q, double size)
{
    for (int32_t i = 0; i < c->n_points; i++) {
        mrn_vec3 d = mrn_scale(1 / size, mrn_rotate(q, mrn_sub(corner(c, i), centre)));
        d.z = c->dimension == 2 ? 0 : d.z;
        mrn_store3(c->point + 3 * (size_t)i, d);
    }
    mrn_convex_measure(c);
}

/* To unit size, centre of mass and principal axes. */
static void settle(mrn_polytope *f, const mrn_union *u, const home *h, mrn_quat *turn,
                   mrn_vec3 *shift, double *scale)
{
    const mrn_moments *m = &u->moments;
    double a[3][3], v[3][3];
    mrn_vec3 centre = mrn_scale(1 / m->volume, m->first);
    mrn_inertia_tensor(m, centre, a);
    mrn_principal_axes(a, 1e-12, v);
    mrn_quat q = mrn_quat_conj(mrn_quat_unit(
        mrn_quat_from_axes(mrn_v3(v[0][0], v[1][0], v[2][0]), mrn_v3(v[0][2], v[1][2], v[2][2]))));
    double size = f->dimension == 2 ? sqrt(m->volume / MRN_PI) : cbrt(0.75 * m->volume / MRN_PI);
    for (int k = 0; k < f->n_parts; k++)
        turn_part(&f->part[k], centre, q, size);
    for (int k = 0; k < 3; k++)
        f->inertia[k] = a[k][k] / (size * size);
    describe(f, u->surface / (f->dimension == 2 ? size : size * size));
    if (turn != NULL)
        *turn = q;
    if (shift != NULL)
        *shift = mrn_axpy(h->size, centre, mrn_load3(h->middle));
    if (scale != NULL)
        *scale = h->size * size;
}

mrn_status mrn_polytope_build(const char *name, int dimension, int n_parts, const mrn_corners *part,
                              double tolerance, mrn_polytope *out, mrn_quat *turn, mrn_vec3 *shift,
                              double *scale, mrn_message *msg)
{
    *out = (mrn_polytope){.dimension = dimension, .n_parts = n_parts};
    snprintf(out->name, sizeof out->name, "%s", name);
    home h = {0};
    mrn_union u = {0};
    mrn_status st = check_corners(name, dimension, n_parts, part, msg);
    if (st == MRN_OK)
        st = go_home(dimension, n_parts, part, &h, msg);
    if (st == MRN_OK)
        st = make_parts(part, &h, tolerance, out, msg);
    if (st == MRN_OK)
        st = mrn_union_measure(name, out->part, n_parts, &u, msg);
    if (st == MRN_OK)
        settle(out, &u, &h, turn, shift, scale);
    else
        mrn_polytope_release(out);
    mrn_free(h.point);
    return st;
}

mrn_status mrn_polytope_make(const char *name, int dimension, int n_parts, const mrn_corners *part,
                             mrn_polytope *out, mrn_quat *turn, mrn_vec3 *shift, double *scale,
                             mrn_message *msg)
{
    return mrn_polytope_build(name, dimension, n_parts, part, MRN_HULL_EXACT, out, turn, shift,
                              scale, msg);
}
